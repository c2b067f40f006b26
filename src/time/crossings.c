/* SPDX-License-Identifier: Apache-2.0 */
/* The indicators of a phase in numbers, along the last step of a run (runtime/pf_crossings.h seeks their zeros). */
#include "time/crossings_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- values */

/* The inputs of the tape: accelerations, when something depends on them, are those that were found last. */
static const double *inputs(const PfMotionRun *run, PfCrossings *b)
{
  size_t count = (size_t)run->symbols->count, n = (size_t)run->n;
  if (!b->in) return run->flow.values;
  memcpy(b->in, run->flow.values, count*sizeof *b->in);
  memcpy(b->in + count, b->dy + n, n*sizeof *b->in);
  return b->in;
}

/* Evaluates all g at (t, y); with forces for those that depend on them, when wanted. False where these cannot be
 * found. */
static bool evaluate(PfMotionRun *run, double t, const double *y, bool by_forces, double *out)
{
  PfCrossings *b = run->crossings;
  pf_run_set_state(run, t, y);
  if (by_forces) {
    bool good = pf_flow(run, t, y, b->dy);
    run->result.evaluations--; /* not work of the method */
    if (!good) return false;
    memcpy(run->flow.values + run->symbols->lambda, run->flow.multiplier, (size_t)run->m*sizeof *run->flow.values);
  }
  pf_tape_run(b->tape, inputs(run, b), out, b->work);
  return true;
}

static bool evaluate_inside(void *user, double t, bool by_forces, double *out)
{
  PfMotionRun *run = user;
  PfCrossings *b = run->crossings;
  if (t >= run->state.t) return evaluate(run, run->state.t, run->state.y, by_forces, out);
  if (t <= run->state.t_old) return evaluate(run, run->state.t_old, run->state.y_old, by_forces, out);
  pf_interpolate(run, t, b->y);
  return evaluate(run, t, b->y, by_forces, out);
}

static void evaluate_timed(void *user, double t, double *out)
{
  PfMotionRun *run = user;
  run->flow.values[run->symbols->time] = t;
  pf_tape_run(run->crossings->tape, inputs(run, run->crossings), out, run->crossings->work);
}

static void evaluate_sizes(void *user, double *size)
{
  const PfMotionRun *run = user;
  pf_tape_run(run->crossings->sizes, run->flow.values, size, run->crossings->size_work);
}

static void evaluate_conditions(void *user, const double *truth, double *holds)
{
  const PfMotionRun *run = user;
  pf_tape_run(run->crossings->conditions, truth, holds, run->crossings->conditions_work);
}

static void warn_of_skipped(void *user, int indicator, double t)
{
  PfMotionRun *run = user;
  if (run->phase->warned_of_skips) return;
  run->phase->warned_of_skips = true;
  pf_warn_at(run->ctx, (PfPlace){0}, "'%s' changes its sign too often to be followed in a step, at t = %.6g: some "
             "changes may be missed", pf_expr_print(run->ctx, run->arena, run->crossings->g[indicator], PF_TEXT), t);
  pf_hint(run->ctx, "shorter steps follow it: { largest_step = … } after 'run', or @step");
}

const PfIndicatorCalls pf_crossing_calls = {
  .inside = evaluate_inside, .timed = evaluate_timed, .sizes = evaluate_sizes, .conditions = evaluate_conditions,
  .skipped = warn_of_skipped};

/* ---------------------------------------------------------------- the search */

/* Quantities that constraints and sticking keep at a value have it up to the projection, or with some methods up to the
 * tolerance. */
static double residual_of_constraints(const PfMotionRun *run)
{
  if (run->m == 0) return 0;
  return run->stepper.method->loose ? fmax(10*run->options.atol, 1e-13) : 1e-13;
}

/* The indicators at the present step of the run. */
static PfIndicators *at_step(const PfMotionRun *run, PfCrossings *b)
{
  b->set.t_old = run->state.t_old;
  b->set.t = run->state.t;
  b->set.horizon = b->phase->horizon;
  b->set.constraint_residual = residual_of_constraints(run);
  return &b->set;
}

int pf_crossings_begin(PfMotionRun *run, PfCrossings *b)
{
  return pf_indicators_begin(at_step(run, b));
}

double pf_crossings_next_instant(PfMotionRun *run, PfCrossings *b)
{
  const double kept = run->flow.values[run->symbols->time], next = pf_indicators_next_instant(at_step(run, b));
  run->flow.values[run->symbols->time] = kept;
  return next;
}

PfCrossing pf_crossings_find(PfMotionRun *run, PfCrossings *b)
{
  return pf_indicators_cross(at_step(run, b));
}

bool pf_crossings_nearest(PfMotionRun *run, PfCrossings *b, double most, PfCrossing *crossing)
{
  const double small = 1e-3*most;
  PfIndicators *set = at_step(run, b);
  if (!evaluate(run, run->state.t, run->state.y, set->by_forces, b->value)) return false;
  for (int i = 0; i < 2*run->n; i++) b->y[i] = run->state.y[i] + small*run->state.dy[i];
  if (!evaluate(run, run->state.t + small, b->y, set->by_forces, set->value)) return false;
  return pf_indicators_meet(set, b->value, set->value, small, most, crossing);
}

const bool *pf_crossings_met(const PfCrossings *b)
{
  return b->set.met;
}

const bool *pf_crossings_released(const PfCrossings *b)
{
  return b->set.released;
}

bool pf_crossings_condition(const PfCrossings *b, int condition)
{
  return b->set.holds[condition] != 0;
}
