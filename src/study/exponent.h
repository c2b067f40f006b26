/* SPDX-License-Identifier: Apache-2.0 */
/* The largest Lyapunov exponent of a motion. */
#ifndef PF_STUDY_EXPONENT_H
#define PF_STUDY_EXPONENT_H

#include "study/dynamics.h"

/* The mean rate at which the logarithm of a small deviation grows in `span` seconds from the place of the field, and in
 * the first half of them; NaN when the motion cannot be followed so far. */
PfStatus pf_lyapunov_exponent(PfArena *arena, PfDynamics *field, double span, double rtol, double *whole, double *half);

#endif
