/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the alpha methods as long as the tolerances allow.
 *
 * The end of a step is compared with what the accelerations at t_{n-1}, t_n and t_{n+1} would have made of it (those of
 * the formulation, so that both methods are judged alike): with the parabola through them,
 *
 *   v = v_n + h (a_n + a_{n+1})/2 - h^3/6 c,   q = q_n + h v_n + h^2 (2 a_n + a_{n+1})/6 - h^4/12 c,
 *
 * c its second divided difference, has a local error of fourth order; that of the methods is of third order, and is
 * what is seen. What else the step did, as putting positions right, is seen as well. */
#include "time/alpha_common.h"
#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Error in units of the tolerance, root mean square. */
static double estimate(const PfMotionRun *run, const PfAlpha *s)
{
  int n = s->n;
  double h = s->h, sum = 0;
  const double *q = run->state.y, *v = run->state.y + n, *a = run->state.dy + n, *a_new = s->end + n;
  const double *q_new = s->values + s->in->q, *v_new = s->values + s->in->v;
  for (int i = 0; i < n; i++) {
    double slope = (a_new[i] - a[i])/h, c = 0;
    if (s->h_before > 0) c = (slope - (a[i] - s->before[i])/s->h_before)/(h + s->h_before);
    double v_end = v[i] + h*(a[i] + a_new[i])/2 - h*h*h/6*c;
    double q_end = q[i] + h*v[i] + h*h*(2*a[i] + a_new[i])/6 - h*h*h*h/12*c;
    double miss_v = (v_new[i] - v_end)/pf_allowed(run, v[i], v_new[i]);
    double miss_q = (q_new[i] - q_end)/pf_allowed(run, q[i], q_new[i]);
    sum += miss_v*miss_v + miss_q*miss_q;
  }
  return n ? sqrt(sum/(2*n)) : 0;
}

/* A step that could be only a little longer is kept, so that the factors of the Jacobian are used again. */
static double next_step(double h, double error)
{
  double factor = fmin(0.9*pow(fmax(error, 1e-12), -1.0/3), 2);
  return factor >= 1 && factor < 1.2 ? h : h*fmax(factor, 0.2);
}

static double limit_step(const PfMotionRun *run, double h)
{
  double left = run->state.t_end - run->state.t;
  if (run->options.largest_step > 0) h = fmin(h, run->options.largest_step);
  return left - h < 1e-3*h ? left : h;
}

/* Undoes the step; its unknowns are not used as a first guess. */
static void take_back(PfAlpha *s)
{
  memcpy(s->x, s->x_old, (size_t)s->size*sizeof *s->x);
  s->alike = 0;
}

static void accept(PfMotionRun *run, PfAlpha *s)
{
  size_t n = (size_t)s->n;
  memcpy(s->before, run->state.dy + n, n*sizeof *s->before);
  s->h_before = s->h;
  pf_alpha_accept(run);
  memcpy(run->state.dy, s->end, 2*n*sizeof *run->state.dy);
}

PfStepEnd pf_alpha_controlled_step(PfMotionRun *run, PfAlphaAttempt *attempt)
{
  PfAlpha *s = run->stepper.data;
  bool rejected = false;
  if (run->state.h <= 0) run->state.h = run->options.step > 0 ? run->options.step : pf_first_step(run);
  for (;;) {
    double h = limit_step(run, run->state.h);
    bool good = attempt(run, h) && pf_flow(run, s->t, s->values + s->in->q, s->end);
    double error = good ? estimate(run, s) : INFINITY;
    if (error <= 1) {
      accept(run, s);
      /* a step that was cut tells nothing of longer ones */
      if (h >= run->state.h || error > 0.1) run->state.h = next_step(h, error);
      if (rejected) run->state.h = fmin(run->state.h, h);
      return PF_STEP_DONE;
    }
    take_back(s);
    rejected = true;
    run->result.rejected++;
    if (run->flow.told) return PF_STEP_TROUBLE;
    if (h < PF_SHORTEST_STEP(run->state.t)) return good ? PF_STEP_TOO_SMALL : pf_alpha_tell(run);
    run->state.h = h*(isfinite(error) ? fmin(fmax(0.9*pow(error, -1.0/3), 0.2), 0.8) : 0.25);
  }
}
