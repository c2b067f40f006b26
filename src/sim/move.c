/* SPDX-License-Identifier: Apache-2.0 */
/* Moving a simulation. */
#include "sim/sim_impl.h"

#include <math.h>

static PfStatus not_started(PfSim *sim)
{
  return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation has not been started");
}

/* ---------------------------------------------------------------- the controller */

bool pf_sim_control(PfSim *sim, double period, PfController *controller, void *user)
{
  int before = pf_diagnostic_count(sim->ctx);
  if (!(period >= 0) || !isfinite(period) || (period > 0 && !controller))
    return pf_sim_check_since(sim, pf_fail(sim->ctx, PF_ERR_ARGUMENT, "a controller needs a period that is positive"),
                              before);
  sim->period = period;
  sim->controller = controller;
  sim->user = user;
  sim->control_start = sim->motion ? pf_phases_time(sim->motion) : sim->start_time;
  sim->control_next = 0;
  return true;
}

static double control_instant(const PfSim *sim)
{
  return sim->period > 0 ? sim->control_start + (double)sim->control_next*sim->period : INFINITY;
}

/* Lets the controller act when its instant has come; then the next one. */
static void control(PfSim *sim)
{
  if (!(control_instant(sim) <= pf_phases_time(sim->motion)) || sim->motion->stage == PF_STAGE_OVER) return;
  sim->control_next++;
  sim->controller(sim->user, sim);
}

/* ---------------------------------------------------------------- moves */

static PfStatus move(PfSim *sim, double horizon, PfMove *kind)
{
  sim->looking = sim->looked = false;
  if (pf_phases_time(sim->motion) < horizon) control(sim);
  double instant = control_instant(sim);
  PF_TRY(pf_phases_move(sim->motion, fmin(horizon, instant), kind));
  return PF_OK;
}

static bool is_over(const PfSim *sim)
{
  return sim->motion->stage == PF_STAGE_OVER;
}

/* A motion that ends in trouble has said so in a diagnostic; a stop by a condition is none. */
static PfStatus why_over(const PfSim *sim)
{
  PfRunEnd end = sim->motion->end;
  return end == PF_RUN_UNTIL || end == PF_RUN_DONE ? PF_OK : end == PF_RUN_LIMIT || end == PF_RUN_STALL
         ? PF_ERR_LIMIT : PF_ERR_NUMBER;
}

static PfStatus advance(PfSim *sim, double t)
{
  PfMove kind = PF_MOVE_STEP;
  if (!sim->motion) return not_started(sim);
  double now = pf_phases_time(sim->motion);
  if (!(t >= now))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation stands at t = %.12g and cannot go to %.12g", now, t);
  while (!is_over(sim) && (kind != PF_MOVE_END || pf_phases_time(sim->motion) < t)) {
    PF_TRY(move(sim, t, &kind));
    if (pf_context_is_cancelled(sim->ctx)) return PF_ERR_CANCELLED;
  }
  return PF_OK;
}

bool pf_sim_advance(PfSim *sim, double t)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = advance(sim, t);
  if (status == PF_OK && is_over(sim)) status = why_over(sim);
  return pf_sim_check_since(sim, status, before) && !is_over(sim);
}

static PfStatus step(PfSim *sim, bool *goes)
{
  PfMove kind = PF_MOVE_END;
  *goes = false;
  if (!sim->motion) return not_started(sim);
  double end = sim->options.t_end;
  do PF_TRY(move(sim, end, &kind));
  while (kind == PF_MOVE_END && !is_over(sim) && pf_phases_time(sim->motion) < end);
  *goes = kind != PF_MOVE_END;
  return PF_OK;
}

bool pf_sim_step(PfSim *sim)
{
  bool goes;
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = step(sim, &goes);
  if (status == PF_OK && is_over(sim)) status = why_over(sim);
  return pf_sim_check_since(sim, status, before) && goes;
}

double pf_sim_time(const PfSim *sim)
{
  return !sim->motion ? sim->start_time : sim->looking ? sim->look_t : pf_phases_time(sim->motion);
}

PfRunResult pf_sim_result(const PfSim *sim)
{
  return sim->motion ? pf_phases_result(sim->motion) : (PfRunResult){.weakest = 1, .weakest_row = -1};
}

const PfEventRecord *pf_sim_event(const PfSim *sim, int index)
{
  return index >= 0 && index < sim->log.count ? sim->log.record + index : NULL;
}

/* ---------------------------------------------------------------- samples */

struct PfSampling {
  const PfAllocator *allocator;
  PfSampler sampler;
};

PfSampling *pf_sampling_new(PfSim *sim, double every, const double *at, int at_count)
{
  int before = pf_diagnostic_count(sim->ctx);
  const PfAllocator *allocator = pf_context_allocator(sim->ctx);
  PfSampling *s = allocator->resize(allocator->user, NULL, sizeof *s);
  PfRunOptions o = sim->options;
  o.every = every, o.at = at, o.at_count = at_count;
  PfStatus status = s ? pf_sampler_make(sim->ctx, &o, pf_sim_time(sim), &s->sampler) : pf_no_room(sim->ctx, "samples");
  if (s) s->allocator = allocator;
  if (pf_sim_check_since(sim, status, before)) return s;
  pf_sampling_free(s);
  return NULL;
}

void pf_sampling_free(PfSampling *s)
{
  if (s) s->allocator->resize(s->allocator->user, s, 0);
}

/* Instants without accelerations are left out. */
bool pf_sim_due(PfSim *sim, PfSampling *s)
{
  while (sim->motion && pf_sampler_next(&s->sampler, sim->motion, &sim->look_t)) {
    sim->looking = true;
    sim->looked = true;
    sim->look_good = pf_phases_look(sim->motion, sim->look_t, &sim->sample);
    if (sim->look_good) return true;
  }
  sim->looking = sim->looked = false;
  return false;
}
