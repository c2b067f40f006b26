/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* All of the runtime as part of the file that includes this one: with motions that switch and with starts, for FMUs. */
#include "pf_runtime.h"

#include "pf_root.c"
#include "pf_crossings.c"
#include "pf_modes.c"
#include "pf_units.c"
#include "pf_priority.c"
#include "pf_newton.c"
#include "pf_incidence.c"
#include "pf_start.c"
#include "pf_speeds.c"
