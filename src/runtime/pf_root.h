/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Zeros of functions of one variable. */
#ifndef PF_RUNTIME_ROOT_H
#define PF_RUNTIME_ROOT_H

#include "pf_real.h"

#ifndef PF_SINGLE

/* Gives f(x). Returns 0, or the number of a failure, which is positive. */
typedef int (*PfFunction)(void *user, double x, double *value);

enum { PF_ROOT_NONE = -1 };

/* A zero between a and b, where f has the values fa and fb of different signs, to rounding in *x, by the secant method
 * that cannot get stuck at one end. Returns 0; PF_ROOT_NONE when the signs do not differ or a value is NaN; or the
 * failure of f. */
PF_RUNTIME int pf_root(PfFunction f, void *user, double a, double fa, double b, double fb, double *x);

/* Does x lie before the place that is sought? `width` is that of the present interval. */
typedef bool (*PfBefore)(void *user, double x, double width);
/* Halves the interval from *a, which lies before the place, to *b, until it is not wider than `resolution`. */
PF_RUNTIME void pf_bisect(PfBefore before, void *user, double *a, double *b, double resolution);

#endif

#endif
