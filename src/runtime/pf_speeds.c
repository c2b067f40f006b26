/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
#include "pf_speeds.h"

#ifndef PF_SINGLE

#include "pf_newton.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- speeds */

static bool pf_speeds_residual(void *user, PfResidualNorm *norm)
{
  PfSpeeds *s = user;
  s->evaluate(s->user);
  for (int j = 0; j < s->n; j++) s->unit[j] = s->velocity[j] - s->rate[j];
  norm->size = norm->merit = pf_norm(s->unit, s->n);
  return true;
}

static bool pf_speeds_step(void *user, bool fresh, double *length)
{
  PfSpeeds *s = user;
  (void)fresh;
  (void)pf_qr_compute(s->qr, s->slope, 0);
  (void)pf_qr_solve(s->qr, s->unit, s->step);
  for (int i = 0; i < s->count; i++) *length = fmax(*length, fabs(s->step[i])/(1 + fabs(s->speed[i])));
  return true;
}

PF_RUNTIME void pf_speeds_find(PfSpeeds *s)
{
  const PfNewtonPolicy policy = {.iterations = 20, .enough = -1, .shortest = 1e-14, .patience = 20};
  const PfNewtonLoop newton = {.user = s, .n = s->count, .x = s->speed, .step = s->step,
                               .residual = pf_speeds_residual, .solve = pf_speeds_step};
  PfNewtonOutcome outcome = {0};
  (void)pf_newton_loop(&newton, &policy, &outcome);
}

/* A column of the pseudo-inverse of the rates' derivatives. */
PF_RUNTIME void pf_speeds_slope(PfSpeeds *s, int j)
{
  memset(s->unit, 0, (size_t)s->n*sizeof *s->unit);
  s->unit[j] = 1;
  (void)pf_qr_solve(s->qr, s->unit, s->step);
}

/* ---------------------------------------------------------------- quaternions */

PF_RUNTIME void pf_spin_of_rate(const double *q, const double *rate, double *w)
{
  double scale = 2/pf_dot(q, q, 4);
  for (int k = 0; k < 3; k++) {
    int a = 1 + (k + 1)%3, b = 1 + (k + 2)%3;
    w[k] = scale*(q[0]*rate[1 + k] + q[b]*rate[a] - q[1 + k]*rate[0] - q[a]*rate[b]);
  }
}

PF_RUNTIME void pf_rate_of_spin(const double *q, const double *w, double *rate)
{
  rate[0] = -0.5*pf_dot(q + 1, w, 3);
  for (int k = 0; k < 3; k++) {
    int a = 1 + (k + 1)%3, b = 1 + (k + 2)%3;
    rate[1 + k] = 0.5*(q[0]*w[k] + q[a]*w[(k + 2)%3] - q[b]*w[(k + 1)%3]);
  }
}

PF_RUNTIME void pf_normalise_quaternion(double *q, double *rate)
{
  double length = pf_norm(q, 4);
  if (!(length > 0) || fabs(length - 1) < 1e-12) return;
  for (int k = 0; k < 4; k++) q[k] /= length, rate[k] /= length;
}

#endif
