/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit Runge-Kutta steps with error control.
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4. */
#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void list_terms(PfErk *erk)
{
  const PfTableau *tb = erk->tableau;
  for (int stage = 0; stage < tb->stages; stage++)
    for (int j = 0; j < stage; j++) {
      double a = tb->a[stage*tb->stages + j];
      if (a == 0) continue;
      erk->term[stage][erk->terms[stage]] = j;
      erk->factor[stage][erk->terms[stage]++] = a;
    }
}

PfStatus pf_erk_make(PfMotionRun *run, const PfTableau *tableau, int extra_stages, int dense_rows, PfErk *erk)
{
  size_t N = 2*(size_t)run->n;
  erk->tableau = tableau;
  erk->last_error = 1;
  erk->k = pf_run_array(run, double, (size_t)(tableau->stages + extra_stages)*N);
  erk->trial = pf_run_array(run, double, N);
  erk->dense = pf_run_array(run, double, (size_t)dense_rows*N);
  list_terms(erk);
  bool kept = pf_keep_members(run->arena, &run->kept, erk, power, dense_failed);
  return erk->k && erk->trial && erk->dense && kept ? PF_OK : PF_ERR_MEMORY;
}

bool pf_erk_stage(PfMotionRun *run, PfErk *erk, int stage, double c, const double *a)
{
  int N = 2*run->n;
  const double h = run->state.t - run->state.t_old; /* valid after a step; stages inside a step pass their own below */
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < stage; j++) sum += a[j]*erk->k[j*N + i];
    erk->trial[i] = run->state.y_old[i] + h*sum;
  }
  return pf_flow(run, run->state.t_old + c*h, erk->trial, erk->k + (size_t)stage*(size_t)N);
}

/* trial = y + h sum_j a_j k_j */
static void combine(const PfMotionRun *run, PfErk *erk, int stage, double h)
{
  int N = 2*run->n, terms = erk->terms[stage];
  const double *k[PF_MOST_STAGES] = {erk->k}, *a = erk->factor[stage];
  for (int j = 0; j < terms; j++) k[j] = erk->k + (size_t)erk->term[stage][j]*(size_t)N;
  for (int i = 0; i < N; i++) {
    double sum = a[0]*k[0][i];
    for (int j = 1; j < terms; j++) sum += a[j]*k[j][i];
    erk->trial[i] = run->state.y[i] + h*sum;
  }
}

/* All stages of a step of size h from (t, y); k_0 is known. The last one stands on the constraints. */
static bool stages(PfMotionRun *run, PfErk *erk, double h)
{
  const PfTableau *tb = erk->tableau;
  int N = 2*run->n, last = tb->stages - 1;
  erk->known = erk->first_known;
  for (int stage = 1; stage <= last; stage++) {
    double t = run->state.t + tb->c[stage]*h;
    combine(run, erk, stage, h);
    if (stage == last && !run->options.drift) (void)pf_project(run, t, erk->trial);
    if (!pf_flow(run, t, erk->trial, erk->k + (size_t)stage*(size_t)N)) return false;
    erk->power[stage] = run->flow.power;
    erk->known = erk->known && run->flow.known;
  }
  return true;
}

/* The work as one more unknown. */
static double work(const PfErk *erk, double h)
{
  int last = erk->tableau->stages - 1;
  double sum = 0;
  for (int j = 0; j < erk->terms[last]; j++) sum += erk->factor[last][j]*erk->power[erk->term[last][j]];
  return h*sum;
}

double pf_first_step(const PfMotionRun *run)
{
  double size = 0, slope = 0, span = run->state.t_end - run->state.t;
  for (int i = 0; i < 2*run->n; i++) {
    double scale = pf_allowed(run, run->state.y[i], 0);
    size += run->state.y[i]/scale*(run->state.y[i]/scale);
    slope += run->state.dy[i]/scale*(run->state.dy[i]/scale);
  }
  double h = size > 1e-10 && slope > 1e-10 ? 0.01*sqrt(size/slope) : 1e-6;
  return fmin(h, span);
}

/* A predictive controller, which also uses the change of the error (Gustafsson 1991): fewer rejected steps. */
static double next_step(PfErk *erk, double h, double error)
{
  double k = erk->tableau->order, size = fmax(error, 1e-6);
  double factor = 0.9*pow(size, -0.85/k)*pow(erk->last_error, 0.2/k);
  erk->last_error = size;
  return h*fmin(fmax(factor, 0.2), 6);
}

/* After a step that was tried in vain. */
static double shorter_step(const PfErk *erk, double h, double error)
{
  double factor = isfinite(error) ? 0.9*pow(error, -1.0/erk->tableau->order) : 0.2;
  return h*fmin(fmax(factor, 0.1), 0.9);
}

static void accept(PfMotionRun *run, PfErk *erk, double h)
{
  size_t bytes = 2*(size_t)run->n*sizeof(double), last = (size_t)(erk->tableau->stages - 1)*2*(size_t)run->n;
  memcpy(run->state.y_old, run->state.y, bytes);
  memcpy(run->state.dy_old, run->state.dy, bytes);
  memcpy(run->state.y, erk->trial, bytes); /* the last stage stands at the end of the step */
  memcpy(run->state.dy, erk->k + last, bytes);
  run->state.t_old = run->state.t;
  run->state.t = run->state.t_end - (run->state.t + h) < 1e-14*fabs(run->state.t_end)
                 ? run->state.t_end : run->state.t + h;
  run->monitor.step_work = work(erk, h);
  run->monitor.step_known = erk->known;
  erk->power[0] = run->flow.power; /* of the last stage */
  erk->first_known = run->flow.known;
  erk->dense_ready = erk->dense_failed = false;
}

static double limit_step(const PfMotionRun *run, double h)
{
  double left = run->state.t_end - run->state.t;
  if (run->options.largest_step > 0) h = fmin(h, run->options.largest_step);
  return h > left || left - h < 1e-3*h ? left : h;
}

PfStepEnd pf_erk_step(PfMotionRun *run, PfErk *erk)
{
  bool rejected = false;
  if (run->state.h <= 0) {
    run->state.h = run->options.step > 0 ? run->options.step : pf_first_step(run);
    erk->power[0] = run->flow.power; /* the run has evaluated the start */
    erk->first_known = run->flow.known;
  }
  if (run->stepper.restart) erk->first_known = false;
  run->stepper.restart = false;
  memcpy(erk->k, run->state.dy, 2*(size_t)run->n*sizeof *erk->k);
  for (;;) {
    double h = limit_step(run, run->state.h);
    bool good = stages(run, erk, h);
    double error = good ? erk->tableau->error(run, erk->k, h, run->state.y, erk->trial) : INFINITY;
    if (error <= 1) {
      accept(run, erk, h);
      run->state.h = next_step(erk, h, error);
      if (rejected) run->state.h = fmin(run->state.h, h);
      return PF_STEP_DONE;
    }
    rejected = true;
    run->result.rejected++;
    if (h < PF_SHORTEST_STEP(run->state.t)) return good ? PF_STEP_TOO_SMALL : PF_STEP_TROUBLE;
    run->state.h = shorter_step(erk, h, error);
  }
}
