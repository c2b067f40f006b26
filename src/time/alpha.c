/* SPDX-License-Identifier: Apache-2.0 */
/* The alpha methods, with steps of a fixed size or as long as the tolerances allow.
 *
 * Generalized-alpha for constraints at velocity level (index 2), and at both levels for those that have two:
 *
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) w_{n+1} + alpha_f w_n
 *   M(q_{n+1}) w_{n+1} = f_{n+1} + A_{n+1}^T lambda_{n+1},   psi(q_{n+1}, v_{n+1}, t_{n+1}) = 0
 *
 * The printed form (Ma, Chen, Zhang 2008) has M a and M w in the place of a and w in the first line, which is
 * second order for a constant M only.
 *
 * alpha-RATTLE: the constraints push over the whole step, all else follows generalized-alpha.
 *
 *   (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) w_{n+1} + alpha_f w_n,   M(q) w = f
 *   R = M_m^-1 A_m^T lambda,   psi(q_{n+1}, v_{n+1}, t_{n+1}) = 0
 *
 * m is the middle of the step, q_n + h/2 v_n. lambda belongs to t_n + h/2; values at t_{n+1} come from the
 * accelerations of the run's formulation. Constraints that are not linear in the velocities need A at a velocity in the
 * middle as well: v_n + h/2 q''_n. Friction that depends on lambda is part of the push.
 *
 * Step control. The end of a step is compared with the one that follows from the accelerations at t_{n-1}, t_n and
 * t_{n+1} (those of the formulation, so that both methods are judged alike). With the parabola through them,
 *
 *   v = v_n + h (a_n + a_{n+1})/2 - h^3/6 c,   q = q_n + h v_n + h^2 (2 a_n + a_{n+1})/6 - h^4/12 c,
 *
 * where c is its second divided difference, has a local error of fourth order. The error of the methods is of third
 * order and dominates the difference, which also contains corrections by the step, such as those of positions. */
#include "time/alpha_common.h"
#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void direction(PfAlpha *s, int k)
{
  const size_t row = (size_t)k*(size_t)s->n;
  pf_alpha_direction(&s->mass, s->M, s->A + row, s->D + row);
}

/* The directions M^-1 A^T in which constraints act in the step: of all constraints in the middle of it for
 * alpha-RATTLE, else at its beginning of those whose positions are corrected. */
static bool find_directions(PfMotionRun *run, PfAlpha *s)
{
  const int n = s->n;
  const double *y = run->state.y, *dy = run->state.dy;
  if (!s->rattle) {
    if (s->p && !pf_alpha_impulse_at(run, run->state.t, y, y + n)) return false;
    for (int k = 0; k < s->p; k++) direction(s, s->position_row[k]);
    return true;
  }
  double half = 0.5*s->h, *q = s->left_side, *v = s->right;
  for (int j = 0; j < n; j++) {
    q[j] = y[j] + half*y[n + j];
    v[j] = y[n + j] + half*dy[n + j];
  }
  if (!pf_alpha_impulse_at(run, run->state.t + half, q, v)) return false;
  for (int k = 0; k < s->m; k++) direction(s, k);
  return true;
}

/* Lays out a step of size h from run->state.t and run->state.y and solves for its end. */
static bool attempt(PfMotionRun *run, PfAlpha *s, double h)
{
  if (!pf_alpha_has_started(run)) {
    double *w = s->rattle ? s->right : run->state.dy + s->n;
    if (s->rattle) { /* w_0 = M_0^-1 f_0: without the constraints */
      if (!pf_alpha_impulse_at(run, run->state.t, run->state.y, run->state.y + s->n)) return false;
      pf_alpha_forces(s, run->state.t, run->state.y, w);
      pf_ldl_solve(&s->mass, w, w);
    }
    pf_alpha_start(run, w);
  }
  pf_alpha_begin(run, h);
  return find_directions(run, s) && pf_alpha_solve(run);
}

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
    double error_v = (v_new[i] - v_end)/pf_allowed(run, v[i], v_new[i]);
    double error_q = (q_new[i] - q_end)/pf_allowed(run, q[i], q_new[i]);
    sum += error_v*error_v + error_q*error_q;
  }
  return n ? sqrt(sum/(2*n)) : 0;
}

/* A step that could be only a little longer is kept, so that the factors of the Jacobian are used again. */
static double next_step(double h, double error)
{
  double factor = fmin(0.9*pow(fmax(error, 1e-12), -1.0/3), 2);
  return factor >= 1 && factor < 1.2 ? h : h*fmax(factor, 0.2);
}

/* A step as long as the tolerances allow. */
static PfStepEnd controlled_step(PfMotionRun *run, PfAlpha *s)
{
  PfState *at = &run->state;
  const size_t n = (size_t)s->n;
  bool rejected = false;
  if (at->h <= 0) at->h = run->options.step > 0 ? run->options.step : pf_first_step(run);
  for (;;) {
    double h = at->h, left = at->t_end - at->t;
    if (run->options.largest_step > 0) h = fmin(h, run->options.largest_step);
    if (left - h < 1e-3*h) h = left;
    bool good = attempt(run, s, h) && pf_flow(run, s->t, s->values + s->in->q, s->end);
    double error = good ? estimate(run, s) : INFINITY;
    if (error <= 1) {
      memcpy(s->before, at->dy + n, n*sizeof *s->before);
      s->h_before = s->h;
      pf_alpha_accept(run);
      memcpy(at->dy, s->end, 2*n*sizeof *at->dy);
      /* a step that was cut gives no estimate for longer ones */
      if (h >= at->h || error > 0.1) at->h = next_step(h, error);
      if (rejected) at->h = fmin(at->h, h);
      return PF_STEP_DONE;
    }
    memcpy(s->x, s->x_old, (size_t)s->size*sizeof *s->x); /* its unknowns are not used as a first guess */
    s->alike = 0;
    rejected = true;
    run->result.rejected++;
    if (run->flow.reported) return PF_STEP_TROUBLE;
    if (h < PF_SHORTEST_STEP(at->t)) return good ? PF_STEP_TOO_SMALL : pf_alpha_explain(run);
    at->h = h*(isfinite(error) ? fmin(fmax(0.9*pow(error, -1.0/3), 0.2), 0.8) : 0.25);
  }
}

static PfStepEnd step(PfMotionRun *run)
{
  PfAlpha *s = run->stepper.data;
  PfState *at = &run->state;
  if (!run->stepper.fixed) return controlled_step(run, s);
  if (!attempt(run, s, pf_rk_fixed_step(run->options.step, at->t_end - at->t))) return pf_alpha_explain(run);
  pf_alpha_accept(run);
  if (s->rattle || s->printed || s->redundant)
    return pf_flow(run, at->t, at->y, at->dy) ? PF_STEP_DONE : PF_STEP_TROUBLE;
  /* w and lambda are the acceleration and the multipliers at t_{n+1}, unless multipliers share a force */
  const size_t n = (size_t)s->n, bytes = n*sizeof *s->x;
  memcpy(at->dy, at->y + n, bytes);
  memcpy(at->dy + n, s->x, bytes);
  memcpy(run->flow.multiplier, s->x + n, (size_t)s->m*sizeof *s->x);
  return PF_STEP_DONE;
}

#define ALPHA \
  .fixed = true, .damped = true, .alpha = true, .bound = true, .formulas = true, .direct = true, \
  .prepare = pf_alpha_make, .step = step, .interpolate = pf_hermite

const PfMethod pf_method_generalized_alpha = {
  .name = "generalized_alpha",
  .summary = "generalized-alpha with the constraints in every step, order 2, fixed or chosen step", ALPHA};
const PfMethod pf_method_rattle = {
  .name = "rattle", .summary = "alpha-RATTLE: the constraints push once per step, order 2, fixed or chosen step",
  ALPHA};
const PfMethod pf_method_hht_alpha = {
  .name = "hht_alpha", .least_rho = 0.5,
  .summary = "Hilber, Hughes and Taylor: forces shifted in time, order 2, fixed or chosen step", ALPHA};
const PfMethod pf_method_wbz_alpha = {
  .name = "wbz_alpha",
  .summary = "Wood, Bossak and Zienkiewicz: inertia shifted in time, order 2, fixed or chosen step", ALPHA};
const PfMethod pf_method_newmark = {
  .name = "newmark", .default_rho = 1,
  .summary = "Newmark: the trapezoidal rule (rho = 1), or damped by rho and of order 1, fixed or chosen step", ALPHA};
