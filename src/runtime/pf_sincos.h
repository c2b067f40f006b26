/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Sine and cosine of tapes, trees and exported code: the same bits on every processor, alone or in vectors. The error
 * is less than 1 unit in the last place. Beyond PF_LARGEST_ANGLE (5000 turns) and for NaN, those of the C library. */
#ifndef PF_RUNTIME_SINCOS_H
#define PF_RUNTIME_SINCOS_H

#include "pf_real.h"

#ifndef PF_SINGLE

#define PF_LARGEST_ANGLE 32768.0

/* Both of an angle in radians, for little more than the cost of one. */
PF_RUNTIME void pf_sincos(double angle, double *sine, double *cosine);
PF_RUNTIME double pf_sin(double angle);
PF_RUNTIME double pf_cos(double angle);

#endif

#endif
