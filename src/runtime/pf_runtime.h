/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* What every exported model needs of the runtime, as part of the file that includes this one. See pf_real.h. */
#define PF_RUNTIME static inline
#include "pf_sincos.c"
#include "pf_vector.c"
#include "pf_lu.c"
#include "pf_ldl.c"
#include "pf_metric.c"
#include "pf_qr.c"
#include "pf_kkt.c"
#include "pf_projection.c"
#include "pf_runge_kutta.c"
