/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Illinois: M. Dowell, P. Jarratt, BIT 11 (1971) 168-174. */
#include "pf_root.h"

#ifndef PF_SINGLE

PF_RUNTIME int pf_root(PfFunction f, void *user, double a, double fa, double b, double fb, double *x)
{
  enum { MOST = 80 };
  *x = b;
  if (fb == 0) return 0;
  if (!(fa*fb < 0)) return PF_ROOT_NONE;
  for (int k = 0; k < MOST; k++) {
    double last = *x, fx;
    *x = b - fb*(b - a)/(fb - fa);
    const int trouble = f(user, *x, &fx);
    if (trouble) return trouble;
    if (isnan(fx)) return PF_ROOT_NONE;
    if (fx*fb < 0) a = b, fa = fb;
    else fa /= 2;
    b = *x, fb = fx;
    if (fx == 0 || fabs(*x - last) <= 1e-15*fabs(*x) || fabs(b - a) <= 1e-15*fabs(b)) break;
  }
  return 0;
}

PF_RUNTIME void pf_bisect(PfBefore before, void *user, double *a, double *b, double resolution)
{
  enum { MOST = 60 };
  double width = *b - *a;
  for (int k = 0; k < MOST && width > resolution; k++, width = *b - *a) {
    double middle = 0.5*(*a + *b);
    if (before(user, middle, width)) *a = middle;
    else *b = middle;
  }
}

#endif
