/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
#include "pf_runge_kutta.h"

#define RK_REAL pf_real
#define RK_EACH_LANE
#define RK_LANE(x) (x)
#define RK_FUNCTION static inline
#define RK(name) pf_##name
#include "pf_runge_kutta.def"

/* ---------------------------------------------------------------- fixed steps */

PF_RUNTIME int pf_rk4_step(PfDerivative rate, void *user, int N, double t, pf_real h, pf_real *y, pf_real *k,
                           pf_real *trial)
{
  for (int s = 1; s < 4; s++) {
    pf_rk4_trial(s, N, &h, y, k, N, trial);
    const int trouble = rate(user, t + (double)(s < 3 ? h/2 : h), trial, k + s*N);
    if (trouble) return trouble;
  }
  pf_rk4_trial(4, N, &h, y, k, N, y);
  return 0;
}

#ifndef PF_SINGLE

/* ---------------------------------------------------------------- steps with an error estimate */

PF_RUNTIME void pf_rk_combine(const double *a, int count, int N, double h, const double *y, const double *k, int stride,
                              double *trial)
{
  PfRkTerms terms;
  pf_rk_terms(a, count, stride, &terms);
  pf_rk_trial(&terms, N, &h, y, k, trial);
}

PF_RUNTIME int pf_rk_stages(const PfTableau *tb, PfStageRate rate, void *user, int N, double t, double h,
                            const double *y, double *k, double *trial)
{
  for (int stage = 1; stage < tb->stages; stage++) {
    pf_rk_combine(tb->a + stage*tb->stages, stage, N, h, y, k, N, trial);
    const int trouble = rate(user, stage, t + tb->c[stage]*h, trial, k + (size_t)stage*(size_t)N);
    if (trouble) return trouble;
  }
  return 0;
}

PF_RUNTIME void pf_rk_hermite(double x, double h, int N, const double *y_old, const double *dy_old, const double *y,
                              const double *dy, double *inside)
{
  const double z = 1 - x, h00 = (1 + 2*x)*z*z, h10 = x*z*z*h, h01 = x*x*(3 - 2*x), h11 = -x*x*z*h;
  for (int i = 0; i < N; i++) inside[i] = h00*y_old[i] + h10*dy_old[i] + h01*y[i] + h11*dy[i];
}

/* ---------------------------------------------------------------- step control */

PF_RUNTIME double pf_rk_first_step(const double *y, const double *dy, int N, int stride, double atol, double rtol)
{
  double size = 0, slope = 0;
  for (int i = 0; i < N; i++) {
    const double at = y[i*stride], rate = dy[i*stride], scale = pf_rk_allowed(atol, rtol, at, 0);
    size += at/scale*(at/scale);
    slope += rate/scale*(rate/scale);
  }
  return size > 1e-10 && slope > 1e-10 ? 0.01*sqrt(size/slope) : 1e-6;
}

PF_RUNTIME double pf_rk_limit_step(double h, double left, double longest)
{
  if (longest > 0) h = fmin(h, longest);
  return h > left || left - h < 1e-3*h ? left : h;
}

PF_RUNTIME double pf_rk_next_step(PfStepControl *control, int order, double h, double error)
{
  const double k = order;
  if (error <= 1) {
    const double size = fmax(error, 1e-6);
    const double factor = 0.9*pow(size, -0.85/k)*pow(control->last_error, 0.2/k);
    const double next = h*fmin(fmax(factor, 0.2), 6);
    const bool rejected = control->rejected;
    control->last_error = size;
    control->rejected = false;
    return rejected ? fmin(next, h) : next;
  }
  control->rejected = true;
  return h*fmin(fmax(isfinite(error) ? 0.9*pow(error, -1/k) : 0.2, 0.1), 0.9);
}

PF_RUNTIME double pf_rk_end(double t, double h, double t_end)
{
  return t_end - (t + h) < 1e-14*fabs(t_end) ? t_end : t + h;
}

/* ---------------------------------------------------------------- Dormand and Prince, order 5(4) */

PF_RUNTIME const PfTableau *pf_dopri5_tableau(void)
{
  static const double c[PF_DOPRI5_STAGES] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1};
  static const double a[PF_DOPRI5_STAGES*PF_DOPRI5_STAGES] = {
    0, 0, 0, 0, 0, 0, 0,
    1.0/5, 0, 0, 0, 0, 0, 0,
    3.0/40, 9.0/40, 0, 0, 0, 0, 0,
    44.0/45, -56.0/15, 32.0/9, 0, 0, 0, 0,
    19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729, 0, 0, 0,
    9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656, 0, 0,
    35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84, 0,
  };
  static const PfTableau tableau = {PF_DOPRI5_STAGES, 5, c, a};
  return &tableau;
}

PF_RUNTIME const double *pf_dopri5_weights(void)
{
  static const double weights[PF_DOPRI5_STAGES] = {71.0/57600,      0,         -71.0/16695, 71.0/1920,
                                                   -17253.0/339200, 22.0/525, -1.0/40};
  return weights;
}

PF_RUNTIME double pf_dopri5_error(int N, const double *k, int stride, double h, const double *y, const double *y_new,
                                  double atol, double rtol)
{
  PfRkTerms terms;
  double error;
  pf_rk_terms(pf_dopri5_weights(), PF_DOPRI5_STAGES, stride, &terms);
  pf_rk_error(&terms, N, &h, y, y_new, k, &atol, &rtol, &error);
  return error;
}

PF_RUNTIME void pf_dopri5_dense(const double *k, size_t stride, double h, double y_old, double y_new, double *r)
{
  static const double weights[PF_DOPRI5_STAGES] = {
    -12715105075.0/11282082432, 0, 87487479700.0/32700410799, -10690763975.0/1880347072, 701980252875.0/199316789632,
    -1453857185.0/822651844, 69997945.0/29380423};
  double sum = 0;
  for (size_t s = 0; s < PF_DOPRI5_STAGES; s++) sum += weights[s]*k[s*stride];
  r[0] = y_old;
  r[1] = y_new - y_old;
  r[2] = h*k[0] - r[1];
  r[3] = r[1] - h*k[(PF_DOPRI5_STAGES - 1)*stride] - r[2];
  r[4] = h*sum;
}

PF_RUNTIME double pf_dopri5_at(const double *r, double x)
{
  const double z = 1 - x;
  return r[0] + x*(r[1] + z*(r[2] + x*(r[3] + z*r[4])));
}

#endif
