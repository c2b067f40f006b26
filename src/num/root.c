/* SPDX-License-Identifier: Apache-2.0 */
/* A zero of a function of one variable between two points where it has different signs: the secant method that cannot
 * get stuck at one end (Illinois: M. Dowell, P. Jarratt, BIT 11 (1971) 168-174). Where there is only a yes or no:
 * bisection. */
#include "num/num.h"

#include <math.h>

PfStatus pf_root(PfFunction f, void *user, double a, double fa, double b, double fb, double *x)
{
  enum { MOST = 80 };
  *x = b;
  if (fb == 0) return PF_OK;
  if (!(fa*fb < 0)) return PF_ERR_NUMBER;
  for (int k = 0; k < MOST; k++) {
    double last = *x, fx;
    *x = b - fb*(b - a)/(fb - fa);
    PF_TRY(f(user, *x, &fx));
    if (isnan(fx)) return PF_ERR_NUMBER;
    if (fx*fb < 0) a = b, fa = fb;
    else fa /= 2;
    b = *x, fb = fx;
    if (fx == 0 || fabs(*x - last) <= 1e-15*fabs(*x) || fabs(b - a) <= 1e-15*fabs(b)) break;
  }
  return PF_OK;
}

void pf_bisect(PfBefore before, void *user, double *a, double *b, double resolution)
{
  enum { MOST = 60 };
  double width = *b - *a;
  for (int k = 0; k < MOST && width > resolution; k++, width = *b - *a) {
    double middle = 0.5*(*a + *b);
    if (before(user, middle, width)) *a = middle;
    else *b = middle;
  }
}
