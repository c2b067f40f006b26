/* SPDX-License-Identifier: Apache-2.0 */
/* Moving a simulation. */
#include "sim/sim_impl.h"

#include <math.h>

PfStatus pf_sim_not_started(PfSim *sim)
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

/* Has its instant come? Not where the motion ends: then when it goes on. */
static bool control_is_due(const PfSim *sim, double horizon)
{
  double now = pf_phases_time(sim->motion);
  return control_instant(sim) <= now && now < horizon && !pf_sim_is_over(sim);
}

/* One that asks for a stop is called again at this instant when the motion goes on: nothing moves with inputs that it
 * has not settled. */
static PfStatus control(PfSim *sim)
{
  sim->control_next++;
  sim->controller(sim->user, sim);
  if (!pf_context_is_cancelled(sim->ctx)) return PF_OK;
  sim->control_next--;
  return PF_ERR_CANCELLED;
}

/* ---------------------------------------------------------------- moves */

/* Events of the instant come before the controller, wherever the caller stops on the way: it is called when the motion
 * has arrived there with nothing else to happen. */
static PfStatus move(PfSim *sim, double horizon, PfMove *kind)
{
  bool arrived = sim->motion->moves > 0 && sim->motion->latest == PF_MOVE_END;
  sim->looking = sim->looked = false;
  if (arrived && control_is_due(sim, horizon)) PF_TRY(control(sim));
  sim->looked = false;
  return pf_phases_move(sim->motion, fmin(horizon, control_instant(sim)), kind);
}

bool pf_sim_is_over(const PfSim *sim)
{
  return sim->motion->stage == PF_STAGE_OVER;
}

/* The outcome of moves. A motion that ends in trouble has said so when that happened, maybe at the start; a stop by a
 * condition is no failure. */
static bool conclude(PfSim *sim, PfStatus status, int before)
{
  pf_sim_note_trouble(sim, before);
  bool failed = sim->motion && pf_sim_is_over(sim) && pf_run_failed(sim->motion->end);
  if (status != PF_OK || !failed) return pf_sim_check_since(sim, status, before);
  (void)pf_sim_check_since(sim, sim->trouble.status, before);
  sim->error = sim->trouble;
  return false;
}

static PfStatus advance(PfSim *sim, double t)
{
  PfMove kind = PF_MOVE_STEP;
  if (!sim->motion) return pf_sim_not_started(sim);
  double now = pf_phases_time(sim->motion);
  if (!isfinite(t)) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation cannot go to a time that is not finite");
  if (!(t >= now))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation stands at t = %.12g and cannot go to %.12g", now, t);
  while (!pf_sim_is_over(sim) && (kind != PF_MOVE_END || pf_phases_time(sim->motion) < t)) {
    PF_TRY(move(sim, t, &kind));
    if (pf_context_is_cancelled(sim->ctx)) return PF_ERR_CANCELLED;
  }
  return PF_OK;
}

bool pf_sim_advance(PfSim *sim, double t)
{
  int before = pf_diagnostic_count(sim->ctx);
  return conclude(sim, advance(sim, t), before) && !pf_sim_is_over(sim);
}

static PfStatus step(PfSim *sim, bool *goes)
{
  PfMove kind = PF_MOVE_END;
  *goes = false;
  if (!sim->motion) return pf_sim_not_started(sim);
  double end = sim->options.t_end;
  do PF_TRY(move(sim, end, &kind));
  while (kind == PF_MOVE_END && !pf_sim_is_over(sim) && pf_phases_time(sim->motion) < end);
  *goes = kind != PF_MOVE_END;
  return PF_OK;
}

bool pf_sim_step(PfSim *sim)
{
  bool goes;
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = step(sim, &goes);
  return conclude(sim, status, before) && goes;
}

double pf_sim_time(const PfSim *sim)
{
  return !sim->motion ? sim->start_time : sim->looking ? sim->look_t : pf_phases_time(sim->motion);
}

PfRunResult pf_sim_result(const PfSim *sim)
{
  if (sim->motion) return pf_phases_result(sim->motion);
  const char *formulation = sim->options.formulation ? sim->options.formulation : "auto";
  return (PfRunResult){.method = sim->options.method ? sim->options.method : "dopri5",
                       .formulation = formulation, .weakest = 1, .weakest_row = -1};
}

const PfEventRecord *pf_sim_event(const PfSim *sim, int index)
{
  return index >= 0 && index < sim->log.count ? sim->log.record + index : NULL;
}

/* A move of no length lets the events of the instant happen, which come before the controller. */
bool pf_sim_control_now(PfSim *sim)
{
  if (!pf_sim_advance(sim, pf_sim_time(sim))) return false;
  if (!control_is_due(sim, INFINITY)) return true;
  sim->looking = sim->looked = false;
  bool good = control(sim) == PF_OK;
  sim->looked = false;
  return good;
}

/* ---------------------------------------------------------------- samples */

struct PfSampling {
  const PfAllocator *allocator;
  PfSampler sampler;
  bool told; /* that a row has no accelerations */
};

PfSampling *pf_sampling_new(PfSim *sim, double every, const double *at, int at_count)
{
  int before = pf_diagnostic_count(sim->ctx);
  const PfAllocator *allocator = pf_context_allocator(sim->ctx);
  PfSampling *s = allocator->resize(allocator->user, NULL, sizeof *s);
  PfRunOptions o = sim->options;
  o.every = every, o.at = at, o.at_count = at_count;
  PfStatus status = s ? pf_sampler_make(sim->ctx, &o, pf_sim_time(sim), &s->sampler) : pf_no_room(sim->ctx, "samples");
  if (s) s->allocator = allocator, s->told = false;
  if (pf_sim_check_since(sim, status, before)) return s;
  pf_sampling_free(s);
  return NULL;
}

void pf_sampling_free(PfSampling *s)
{
  if (s) s->allocator->resize(s->allocator->user, s, 0);
}

bool pf_sim_look(PfSim *sim, double t)
{
  if (!sim->motion) return false;
  sim->looking = sim->looked = true;
  sim->look_t = t;
  return sim->look_good = pf_phases_look(sim->motion, t, &sim->sample);
}

bool pf_sim_look_at_state(PfSim *sim, double t)
{
  return pf_sim_look(sim, t) || (sim->look_good = sim->motion && sim->sample.q);
}

/* The row of an instant without accelerations has nan for them, which is told once. */
static void tell_lacking(PfSim *sim, PfSampling *s, double t)
{
  if (s->told || pf_sim_is_over(sim)) return;
  s->told = true;
  pf_warn_at(sim->ctx, (PfPlace){0}, "no accelerations were found at t = %.12g: what depends on them is nan there", t);
  pf_hint(sim->ctx, "the steps around it were good; shorter ones (--rtol, --step) may show why");
}

bool pf_sim_due(PfSim *sim, PfSampling *s)
{
  bool scheduled = s->sampler.at || s->sampler.every > 0;
  double t;
  while (sim->motion && pf_sampler_next(&s->sampler, sim->motion, &t)) {
    if (pf_sim_look(sim, t)) return true;
    if (!scheduled || !pf_sim_look_at_state(sim, t)) continue;
    tell_lacking(sim, s, t);
    return true;
  }
  sim->looking = sim->looked = false;
  return false;
}
