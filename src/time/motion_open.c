/* SPDX-License-Identifier: Apache-2.0 */
/* One phase in motion: made ready at given numbers, saved and restored, closed. */
#include "form/solver.h"
#include "time/crossings.h"
#include "time/manifold.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- snapshots */

size_t pf_motion_checkpoint_size(const PfMotionRun *run)
{
  return run->checkpoint.size + pf_solver_checkpoint(run->flow.solver)->size;
}

void pf_motion_save(PfMotionRun *run, void *bytes)
{
  if (run->stepper.method->forgets) run->stepper.restart = true;
  (void)pf_checkpoint_save(pf_solver_checkpoint(run->flow.solver), (char *)bytes + pf_checkpoint_save(&run->checkpoint,
                                                                                                      bytes));
}

void pf_motion_load(PfMotionRun *run, const void *bytes)
{
  (void)pf_checkpoint_load(pf_solver_checkpoint(run->flow.solver),
                           (const char *)bytes + pf_checkpoint_load(&run->checkpoint, bytes));
}

/* ---------------------------------------------------------------- opening */

static PfStatus find_method(PfMotionRun *run)
{
  run->stepper.method = pf_method_find(run->options.method);
  if (!run->stepper.method) return pf_method_unknown(run->ctx, run->options.method);
  PfRunOptions *o = &run->options;
  if (isnan(o->rho)) o->rho = pf_method_default_rho(run->stepper.method);
  run->stepper.fixed = run->stepper.method->fixed && !(run->stepper.method->alpha && (o->adaptive || !(o->step > 0)));
  if (run->n == 0) {
    /* a motion at rest keeps the steps of a method that has fixed ones: a caller in real time goes on with them */
    run->stepper.method = &pf_method_idle;
    run->stepper.fixed = run->stepper.fixed && o->step > 0;
    return PF_OK;
  }
  if (run->stepper.fixed && !(o->step > 0)) {
    pf_fail_at(run->ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "step"},
               "the method '%s' needs a step", run->stepper.method->name);
    pf_hint(run->ctx, "give one, for example @step{1e-3}, or { step = 1e-3 } after 'run' in the model");
    return PF_ERR_ARGUMENT;
  }
  if (!run->stepper.method->alpha && (o->adaptive || o->printed))
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "only the alpha methods have %s, not '%s'",
                   o->adaptive ? "a choice between fixed and adaptive steps" : "a printed form",
                   run->stepper.method->name);
  if (o->printed && !run->stepper.fixed)
    return pf_fail_at(run->ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "printed"},
                      "the printed form of '%s' is for steps of one size: give a step",
                   run->stepper.method->name);
  return PF_OK;
}

static PfStatus make_arrays(PfMotionRun *run, const double *values)
{
  size_t n = (size_t)run->n, count = (size_t)run->symbols->count;
  run->flow.values = pf_run_array(run, double, count);
  run->state.y = pf_run_array(run, double, 2*n);
  run->state.y_old = pf_run_array(run, double, 2*n);
  run->state.dy = pf_run_array(run, double, 2*n);
  run->state.dy_old = pf_run_array(run, double, 2*n);
  run->flow.multiplier = pf_run_array(run, double, run->m);
  run->inner_y = pf_run_array(run, double, 2*n);
  run->inner_dy = pf_run_array(run, double, 2*n);
  run->crossing_y = pf_run_array(run, double, 2*n);
  run->first_y = pf_run_array(run, double, 2*n), run->first_t = pf_run_array(run, double, 1);
  run->shown.values = pf_run_array(run, double, count);
  run->shown.y = pf_run_array(run, double, 2*n);
  run->shown.dy = pf_run_array(run, double, 2*n);
  run->shown.multiplier = pf_run_array(run, double, run->m);
  bool good = run->flow.values && run->state.y && run->state.y_old && run->state.dy && run->state.dy_old &&
              run->flow.multiplier && run->inner_y && run->inner_dy && run->crossing_y && run->first_y &&
                  run->first_t &&
              run->shown.values && run->shown.y && run->shown.dy && run->shown.multiplier;
  if (!good) return PF_ERR_MEMORY;
  memcpy(run->flow.values, values, count*sizeof *values);
  memcpy(run->state.y, values + run->symbols->q, 2*n*sizeof *values);
  run->state.t = run->state.t_old = values[run->symbols->time];
  run->state.t_end = run->state.horizon = run->options.t_end;
  return PF_OK;
}

static PfStatus prepare(PfMotionRun *run, const double *values)
{
  const double most_steps = 1e15; /* 1/DBL_EPSILON, rounded down: then the clock stands still before the end */
  const PfFormulation *formulation = pf_formulation_find(run->options.formulation);
  if (!formulation) return pf_formulation_unknown(run->ctx, run->options.formulation);
  PF_TRY(find_method(run));
  PF_TRY(make_arrays(run, values));
  double span = fmax(fabs(run->state.t), fabs(run->state.t_end));
  if (run->stepper.fixed && span/run->options.step > most_steps)
    return pf_fail_at(run->ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "step"},
                      "the step %g is too small: at t = %g it no longer moves the time",
                   run->options.step, span);
  PF_TRY(pf_monitor_make(run));
  PF_TRY(pf_project_make(run));
  PF_TRY(pf_watch_make(run));
  PF_TRY(pf_collocation_make(run));
  /* for the numbers of this phase, which has its parameters for good */
  PfSolverPlan plan = {.values = run->flow.values, .power = run->monitor.power_form};
  PF_TRY(pf_solver_new_for(run->ctx, run->system, formulation, &plan, &run->flow.solver));
  pf_watch_configure_solver(run);
  for (int i = 0; pf_formulation(i); i++)
    if (pf_formulation(i) == pf_solver_formulation(run->flow.solver)) run->result.formulations = 1u << i;
  PF_TRY(pf_crossings_make(run, run->phase, &run->crossings));
  PF_TRY(run->stepper.method->prepare(run));
  PfArena *arena = run->arena;
  PfCheckpoint *checkpoint = &run->checkpoint;
  bool kept = pf_checkpoint_members(arena, checkpoint, &run->state, t, between) &&
              pf_checkpoint_members(arena, checkpoint, &run->flow, known, reported) &&
              pf_checkpoint_members(arena, checkpoint, &run->stepper, fixed, restart) &&
              pf_checkpoint_members(arena, checkpoint, &run->monitor, power_known, warned_of_jump) &&
              pf_checkpoint_members(arena, checkpoint, run, result, stall);
  return kept ? PF_OK : pf_no_room(run->ctx, "the run");
}

void pf_motion_close(PfMotionRun *run)
{
  if (!run) return;
  if (run->stepper.method && run->stepper.method->release && run->stepper.data) run->stepper.method->release(run);
  if (run->crossings) pf_crossings_release(run->crossings);
  pf_solver_free(run->flow.solver);
  pf_arena_free(run->arena);
}

PfStatus pf_motion_open(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                        PfPhaseExchange *phase, PfMotionRun **out)
{
  const PfEquations *eq = pf_system_equations(system);
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfMotionRun *run = arena ? pf_arena_array(arena, PfMotionRun, 1) : NULL;
  *out = NULL;
  if (!run) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the run");
  }
  *run = (PfMotionRun){.ctx = ctx, .arena = arena, .system = system, .symbols = pf_system_symbols(system),
                       .options = *options, .by_default = !options->method,
                       .phase = phase, .n = eq->n, .m = eq->m, .result = {.weakest = 1, .weakest_row = -1}};
  PfRunOptions *o = &run->options; /* the tolerances are set by the run, for all its phases */
  o->method = pf_run_method(o);
  o->formulation = pf_run_formulation(o);
  if (o->most_steps <= 0) o->most_steps = PF_DEFAULT_MOST_STEPS;
  PfStatus status = prepare(run, values);
  if (status != PF_OK) {
    pf_motion_close(run);
    return status;
  }
  pf_motion_begin(run);
  *out = run;
  return PF_OK;
}
