/* SPDX-License-Identifier: Apache-2.0 */
/* Moving a simulation: by steps and to instants, with a digital controller, and samples between steps.
 *
 * The driver of src/time moves the phases of the motion from event to event; this file stops it at the instants of the
 * controller and of the caller, and keeps the words for a motion that cannot go on. */
#include "sim/sim_impl.h"

#include <math.h>

/* The failure of calls that need a motion. */
PfStatus pf_sim_not_started(PfSim *sim)
{
  return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation has not been started");
}

/* ---------------------------------------------------------------- the controller */

/* The first instant is where the motion stands, or its start; a controller that was there before is replaced. */
bool pf_sim_control(PfSim *sim, double period, PfController *controller, void *user)
{
  int before = pf_diagnostic_count(sim->ctx);
  if (!(period >= 0) || !isfinite(period) || (period > 0 && !controller))
    return pf_sim_check_since(sim, pf_fail(sim->ctx, PF_ERR_ARGUMENT, "a controller needs a period that is positive"),
                              before);
  sim->motion.period = period;
  sim->motion.controller = controller;
  sim->motion.user = user;
  sim->motion.control_start = pf_sim_moves(sim) ? pf_driver_time(sim->motion.driver) : sim->settings.time;
  sim->motion.control_next = 0;
  return true;
}

/* When the controller is called next, in s; infinity without one. */
static double control_instant(const PfSim *sim)
{
  const PfSimMotion *m = &sim->motion;
  return m->period > 0 ? m->control_start + (double)m->control_next*m->period : INFINITY;
}

/* Has its instant come? Not where the motion ends: then when it goes on. */
static bool control_is_due(const PfSim *sim, double horizon)
{
  double now = pf_driver_time(sim->motion.driver);
  return control_instant(sim) <= now && now < horizon && !pf_sim_is_over(sim);
}

/* Calls the controller. One that cancels is called again at this instant when the motion goes on: nothing moves with
 * inputs that it has not settled. */
static PfStatus control(PfSim *sim)
{
  sim->motion.control_next++;
  sim->motion.controller(sim->motion.user, sim);
  if (!pf_context_is_cancelled(sim->ctx)) return PF_OK;
  sim->motion.control_next--;
  return PF_ERR_CANCELLED;
}

/* ---------------------------------------------------------------- moves */

/* Events of the instant come before the controller, wherever the caller stops on the way: it is called when the motion
 * has arrived there with nothing else to happen. */
static PfStatus outcome(PfSim *sim, double horizon, PfAdvance *kind)
{
  bool arrived = sim->motion.driver->advances > 0 && sim->motion.driver->latest == PF_ADVANCE_END;
  pf_sim_forget_sample(sim);
  if (arrived && control_is_due(sim, horizon)) PF_TRY(control(sim));
  sim->readings.known = PF_SAMPLE_STALE;
  return pf_driver_advance(sim->motion.driver, fmin(horizon, control_instant(sim)), kind);
}

/* By the driver: an end of any kind, good or bad. */
bool pf_sim_is_over(const PfSim *sim)
{
  return sim->motion.driver->stage == PF_STAGE_OVER;
}

/* The outcome of moves. The words for a motion that ends in trouble were kept when that happened, maybe at the start; a
 * stop by a condition is not a failure. */
static bool conclude(PfSim *sim, PfStatus status, int before)
{
  pf_sim_note_trouble(sim, before);
  bool failed = pf_sim_moves(sim) && pf_sim_is_over(sim) && pf_run_failed(sim->motion.driver->end);
  if (status != PF_OK || !failed) return pf_sim_check_since(sim, status, before);
  (void)pf_sim_check_since(sim, sim->motion.trouble.status, before);
  sim->error = sim->motion.trouble;
  return false;
}

/* Moves up to t, through as many steps, events and calls of the controller as there are. A move of no length still
 * lets the events of the instant happen. Fails for a t in the past or one that is not finite. */
static PfStatus advance(PfSim *sim, double t)
{
  PfAdvance kind = PF_ADVANCE_STEP;
  if (!pf_sim_moves(sim)) return pf_sim_not_started(sim);
  double now = pf_driver_time(sim->motion.driver);
  if (!isfinite(t)) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation cannot go to a time that is not finite");
  if (!(t >= now))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the simulation stands at t = %.12g and cannot go to %.12g", now, t);
  while (!pf_sim_is_over(sim) && (kind != PF_ADVANCE_END || pf_driver_time(sim->motion.driver) < t)) {
    PF_TRY(outcome(sim, t, &kind));
    if (pf_context_is_cancelled(sim->ctx)) return PF_ERR_CANCELLED;
  }
  return PF_OK;
}

/* True only where the motion goes on: an end by a condition gives false without an error. */
bool pf_sim_advance(PfSim *sim, double t)
{
  int before = pf_diagnostic_count(sim->ctx);
  return conclude(sim, advance(sim, t), before) && !pf_sim_is_over(sim);
}

/* One step or event. An arrival at an instant of the controller is not a step of its own: the loop goes on until
 * something else happens. *goes: the motion can go on, and the end of the run of the model is not reached. */
static PfStatus step(PfSim *sim, bool *goes)
{
  PfAdvance kind = PF_ADVANCE_END;
  *goes = false;
  if (!pf_sim_moves(sim)) return pf_sim_not_started(sim);
  double end = sim->settings.options.t_end;
  do PF_TRY(outcome(sim, end, &kind));
  while (kind == PF_ADVANCE_END && !pf_sim_is_over(sim) && pf_driver_time(sim->motion.driver) < end);
  *goes = kind != PF_ADVANCE_END;
  return PF_OK;
}

/* In difference to pf_sim_advance the end of the run of the model counts as an end here. */
bool pf_sim_step(PfSim *sim)
{
  bool goes;
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = step(sim, &goes);
  return conclude(sim, status, before) && goes;
}

/* The instant of the sample that is looked at; else where the motion stands; else the start. */
double pf_sim_time(const PfSim *sim)
{
  if (!pf_sim_moves(sim)) return sim->settings.time;
  return isnan(sim->readings.t) ? pf_driver_time(sim->motion.driver) : sim->readings.t;
}

/* Before the start: the method and formulation that would be used, with zeros for everything that is counted. */
PfRunResult pf_sim_result(const PfSim *sim)
{
  if (pf_sim_moves(sim)) return pf_driver_result(sim->motion.driver);
  const PfRunOptions *o = &sim->settings.options;
  return (PfRunResult){.method = pf_run_method(o), .formulation = pf_run_formulation(o), .weakest = 1,
                       .weakest_row = -1};
}

/* The record is in the arena of the motion and lives until the next start. */
const PfEventRecord *pf_sim_event(const PfSim *sim, int index)
{
  return index >= 0 && index < sim->motion.log.count ? sim->motion.log.record + index : NULL;
}

/* A move of no length lets the events of the instant happen, which come before the controller. */
bool pf_sim_control_now(PfSim *sim)
{
  if (!pf_sim_advance(sim, pf_sim_time(sim))) return false;
  if (!control_is_due(sim, INFINITY)) return true;
  pf_sim_forget_sample(sim);
  bool good = control(sim) == PF_OK;
  sim->readings.known = PF_SAMPLE_STALE;
  return good;
}

/* ---------------------------------------------------------------- samples */

/* A schedule of samples, allocated on its own: the arena of a simulation only grows. */
struct PfSampling {
  const PfAllocator *allocator;
  PfSampler sampler;
  bool reported; /* that a row has no accelerations */
};

/* Every `every` seconds from where the simulation stands, or at `at_count` times `at` (which must outlive it), or at
 * every step when neither is given. NULL on failure, by pf_sim_error. */
PfSampling *pf_sampling_new(PfSim *sim, double every, const double *at, int at_count)
{
  int before = pf_diagnostic_count(sim->ctx);
  const PfAllocator *allocator = pf_context_allocator(sim->ctx);
  PfSampling *s = allocator->resize(allocator->user, NULL, sizeof *s);
  PfRunOptions o = sim->settings.options;
  o.every = every, o.at = at, o.at_count = at_count;
  PfStatus status = s ? pf_sampler_make(sim->ctx, &o, pf_sim_time(sim), &s->sampler) : pf_no_room(sim->ctx, "samples");
  if (s) s->allocator = allocator, s->reported = false;
  if (pf_sim_check_since(sim, status, before)) return s;
  pf_sampling_free(s);
  return NULL;
}

/* NULL is allowed. */
void pf_sampling_free(PfSampling *s)
{
  if (s) s->allocator->resize(s->allocator->user, s, 0);
}

/* By the dense output of the latest step; readings are of that instant from then on. */
bool pf_sim_interpolate(PfSim *sim, double t)
{
  if (!pf_sim_moves(sim)) return false;
  const bool good = pf_driver_dense_output(sim->motion.driver, t, &sim->readings.sample);
  sim->readings.t = t;
  sim->readings.known = good ? PF_SAMPLE_GOOD : PF_SAMPLE_BAD;
  return good;
}

/* A sample without accelerations still has coordinates and velocities: those are declared good. */
bool pf_sim_interpolate_state(PfSim *sim, double t)
{
  if (pf_sim_interpolate(sim, t)) return true;
  if (!pf_sim_moves(sim) || !sim->readings.sample.q) return false;
  sim->readings.known = PF_SAMPLE_GOOD;
  return true;
}

/* Samples at steps are left out where there are no accelerations; scheduled ones are shown with nan, since a table has
 * a row for each of its times, and the first such row gives a warning. False: the next step is needed. */
bool pf_sim_next_sample(PfSim *sim, PfSampling *s)
{
  bool scheduled = s->sampler.at || s->sampler.every > 0;
  double t;
  while (pf_sim_moves(sim) && pf_sampler_next(&s->sampler, sim->motion.driver, &t)) {
    if (pf_sim_interpolate(sim, t)) return true;
    if (!scheduled || !pf_sim_interpolate_state(sim, t)) continue;
    if (s->reported || pf_sim_is_over(sim)) return true;
    s->reported = true; /* the row of an instant without accelerations has nan for them, which is told once */
    pf_warn_at(sim->ctx, (PfPlace){0}, "no accelerations were found at t = %.12g: what depends on them is nan there",
               t);
    pf_hint(sim->ctx, "the steps around it were good; shorter ones (@rtol, @step) may show why");
    return true;
  }
  pf_sim_forget_sample(sim);
  return false;
}
