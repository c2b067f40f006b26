/* SPDX-License-Identifier: Apache-2.0 */
/* Explicit Runge-Kutta steps with error control.
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4. */
#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

PfStatus pf_erk_make(PfMotionRun *run, const PfTableau *tableau, PfErkError error, int extra_stages, int dense_rows)
{
  size_t N = 2*(size_t)run->n;
  PfErk *erk = run->stepper.data = pf_run_array(run, PfErk, 1);
  if (!erk) return PF_ERR_MEMORY;
  erk->tableau = tableau;
  erk->error = error;
  erk->control.last_error = 1;
  erk->k = pf_run_array(run, double, (size_t)(tableau->stages + extra_stages)*N);
  erk->trial = pf_run_array(run, double, N);
  erk->dense = pf_run_array(run, double, (size_t)dense_rows*N);
  bool kept = pf_checkpoint_members(run->arena, &run->checkpoint, erk, power, dense_failed);
  return erk->k && erk->trial && erk->dense && kept ? PF_OK : PF_ERR_MEMORY;
}

bool pf_erk_stage(PfMotionRun *run, PfErk *erk, int stage, double c, const double *a)
{
  int N = 2*run->n;
  const double h = run->state.t - run->state.t_old;
  pf_rk_combine(a, stage, N, h, run->state.y_old, erk->k, N, erk->trial);
  return pf_flow(run, run->state.t_old + c*h, erk->trial, erk->k + (size_t)stage*(size_t)N);
}

/* A stage: the last one stands on the constraints. */
static int rate(void *user, int stage, double t, double *y, double *dy)
{
  PfMotionRun *run = user;
  PfErk *erk = run->stepper.data;
  if (stage == erk->tableau->stages - 1 && !run->options.drift) (void)pf_project(run, t, y);
  if (!pf_flow(run, t, y, dy)) return 1;
  erk->power[stage] = run->flow.power;
  erk->known = erk->known && run->flow.known;
  return 0;
}

double pf_first_step(const PfMotionRun *run)
{
  const PfState *at = &run->state;
  return fmin(pf_rk_first_step(at->y, at->dy, 2*run->n, 1, run->options.atol, run->options.rtol), at->t_end - at->t);
}

static void accept(PfMotionRun *run, PfErk *erk, double h)
{
  const PfTableau *tb = erk->tableau;
  const double *weights = tb->a + (tb->stages - 1)*tb->stages;
  size_t N = 2*(size_t)run->n;
  double sum = 0; /* the work as one more unknown */
  for (int j = 0; j < tb->stages - 1; j++)
    if (weights[j] != 0) sum += weights[j]*erk->power[j];
  pf_state_advance(run, pf_rk_end(run->state.t, h, run->state.t_end));
  memcpy(run->state.y, erk->trial, N*sizeof(double)); /* the last stage stands at the end of the step */
  memcpy(run->state.dy, erk->k + (size_t)(tb->stages - 1)*N, N*sizeof(double));
  run->monitor.step_work = h*sum;
  run->monitor.step_known = erk->known;
  erk->power[0] = run->flow.power; /* of the last stage */
  erk->first_known = run->flow.known;
  erk->dense_ready = erk->dense_failed = false;
}

PfStepEnd pf_erk_step(PfMotionRun *run)
{
  PfErk *erk = run->stepper.data;
  PfState *at = &run->state;
  erk->control.rejected = false;
  if (at->h <= 0) {
    at->h = run->options.step > 0 ? run->options.step : pf_first_step(run);
    erk->power[0] = run->flow.power; /* the run has evaluated the start */
    erk->first_known = run->flow.known;
  }
  if (run->stepper.restart) erk->first_known = false;
  run->stepper.restart = false;
  memcpy(erk->k, at->dy, 2*(size_t)run->n*sizeof *erk->k);
  for (;;) {
    double h = pf_rk_limit_step(at->h, at->t_end - at->t, run->options.largest_step);
    erk->known = erk->first_known;
    bool good = pf_rk_stages(erk->tableau, rate, run, 2*run->n, at->t, h, at->y, erk->k, erk->trial) == 0;
    double error = good ? erk->error(run, erk->k, h, at->y, erk->trial) : INFINITY;
    if (error <= 1) accept(run, erk, h);
    else run->result.rejected++;
    if (!(error <= 1) && h < PF_SHORTEST_STEP(at->t)) return good ? PF_STEP_TOO_SMALL : PF_STEP_TROUBLE;
    at->h = pf_rk_next_step(&erk->control, erk->tableau->order, h, error);
    if (error <= 1) return PF_STEP_DONE;
  }
}
