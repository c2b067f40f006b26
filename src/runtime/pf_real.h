/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* The runtime of pfaff: the numerics that run inside a step. The program is compiled with these files, and exported C
 * and FMUs include the same files as they are. So they are C99, allocate nothing, have no global state and depend on
 * nothing but each other and the C library; failures are small enums.
 *
 * The library compiles each .c once. An exported model includes them into its own .c and defines PF_RUNTIME as 'static
 * inline', so that several models can be linked into one program; therefore static functions, too, have names that are
 * unique in the runtime.
 *
 * Numbers are double, or float where PF_SINGLE is defined. */
#ifndef PF_RUNTIME_REAL_H
#define PF_RUNTIME_REAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef PF_RUNTIME
#define PF_RUNTIME
#endif

#ifdef PF_SINGLE
typedef float pf_real;
/* A constant: the first one for double, the second one for float. */
#define PF_NUMBER(of_double, of_float) of_float
#define PF_EPSILON FLT_EPSILON
#define PF_SMALLEST FLT_MIN
#define pf_fabs fabsf
#define pf_fmax fmaxf
#define pf_sqrt sqrtf
#else
typedef double pf_real;
#define PF_NUMBER(of_double, of_float) of_double
#define PF_EPSILON DBL_EPSILON
#define PF_SMALLEST DBL_MIN
#define pf_fabs fabs
#define pf_fmax fmax
#define pf_sqrt sqrt
#endif

/* ---------------------------------------------------------------- tolerances, relative unless they say otherwise */

/* When the largest is looked for: another one is larger by more than this. Of equal ones the first is taken, whatever
 * their last digits are, so that pivots do not depend on rounding. */
#define PF_LARGER PF_NUMBER((1 + 1e-9), 1.0001f)
/* Rows of length one of which no more than this is left are redundant, for check, eval and run alike: it must be above
 * the drift of constraints that are redundant only where they hold, and below what still is a constraint of its own. */
#define PF_RANK_TOLERANCE PF_NUMBER(1e-7, 1e-3f)
/* A pivot of the mass matrix this small relative to its diagonal element is rounding, and counts as zero. */
#define PF_MASS_TOLERANCE PF_NUMBER(1e-12, 1e-6f)
/* A pivot of A M^-1 A^T below this share of its diagonal: rows that are closer to each other than its root are not
 * left to that matrix, in which the loss of digits is squared. */
#define PF_SCHUR_MARGIN PF_NUMBER(1e-4, 1e-3f)
/* Digits that people type: a start that misses a constraint by no more satisfies it. Absolute, in units of the
 * model. */
#define PF_TYPED_DIGITS 1e-9

#endif
