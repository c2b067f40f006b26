/* SPDX-License-Identifier: Apache-2.0 */
/* One phase in motion: steps, the instants at which they are cut, and the consequences of these. */
#include "form/solver.h"
#include "time/crossings.h"
#include "time/erk.h"
#include "time/manifold.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- what the methods use */

void *pf_run_alloc(PfMotionRun *run, size_t count, size_t size, bool kept)
{
  void *block = pf_arena_alloc(run->arena, count, size);
  if (!block || (kept && !pf_checkpoint_add(run->arena, &run->checkpoint, block, count*size))) {
    pf_no_room(run->ctx, "the run");
    return NULL;
  }
  return block;
}

void pf_run_set_state(PfMotionRun *run, double t, const double *y)
{
  run->flow.values[run->symbols->time] = t;
  memcpy(run->flow.values + run->symbols->q, y, 2*(size_t)run->n*sizeof *y);
}

void pf_state_advance(PfMotionRun *run, double t)
{
  size_t bytes = 2*(size_t)run->n*sizeof *run->state.y;
  memcpy(run->state.y_old, run->state.y, bytes);
  memcpy(run->state.dy_old, run->state.dy, bytes);
  run->state.t_old = run->state.t;
  run->state.t = t;
}

bool pf_flow(PfMotionRun *run, double t, const double *y, double *dy)
{
  PfFlow *flow = &run->flow;
  int n = run->n;
  PfMotion motion = {.acceleration = dy + n, .multiplier = flow->multiplier};
  pf_run_set_state(run, t, y);
  memcpy(dy, y + n, (size_t)n*sizeof *y);
  run->result.evaluations++;
  flow->trouble = pf_solver_accelerate(flow->solver, flow->values, &motion, &flow->row);
  const PfByproducts *byproducts = pf_solver_byproducts(flow->solver);
  flow->known = byproducts->known;
  if (!flow->known) return flow->trouble == PF_TROUBLE_NONE && pf_first_not_finite(dy + n, (size_t)n) < 0;
  /* power and rank margin of the constraints, computed along with the accelerations; the margin not always */
  flow->power = byproducts->power;
  flow->margin_t = NAN;
  if (isnan(byproducts->margin)) return true;
  flow->margin = sqrt(byproducts->margin);
  flow->margin_least = flow->margins++ ? fmin(flow->margin_least, flow->margin) : flow->margin;
  flow->margin_t = t;
  flow->margin_row = byproducts->margin_row;
  return true;
}

void pf_run_copy_inputs(const PfMotionRun *run, double *values)
{
  const PfSymbols *in = run->symbols;
  memcpy(values + in->inputs, run->flow.values + in->inputs, (size_t)(in->q - in->inputs)*sizeof *values);
}

void pf_hermite(PfMotionRun *run, double t, double *y)
{
  const PfState *at = &run->state;
  const double h = at->t - at->t_old;
  pf_rk_hermite((t - at->t_old)/h, h, 2*run->n, at->y_old, at->dy_old, at->y, at->dy, y);
}

static PfRunEnd report_rank_loss(PfMotionRun *run)
{
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + run->result.weakest_row;
  const char *how = run->m > 1 ? "becomes dependent on the others" : "no longer restricts anything";
  pf_fail_at(run->ctx, PF_ERR_NUMBER, c->place, "the constraints lose rank at t = %.12g: '%s' %s, and the forces of "
             "constraint are not determined there", run->result.weakest_t, c->name, how);
  if (!run->result.steps) pf_hint(run->ctx, "the start itself is singular: begin nearby");
  else if (run->options.keep_going) pf_hint(run->ctx, "no motion that goes on smoothly was found beyond");
  else pf_hint(run->ctx, "@keep_going goes on along the branch on which it came, if there is one");
  return PF_RUN_RANK_LOSS;
}

/* ---------------------------------------------------------------- the loop */

/* Near a loss of rank that was seen: a step towards it or over it by watch.c; *stepped: it took the place of the
 * method's step. */
static PfRunEnd pass_rank_loss(PfMotionRun *run, bool *stepped)
{
  PfPass pass = pf_watch_pass(run);
  bool over = pass == PF_PASS_OVER || pass == PF_PASS_LEAP;
  *stepped = over || pass == PF_PASS_STEP;
  run->result.steps += *stepped;
  if (pass == PF_PASS_END) return report_rank_loss(run);
  if (!over && pass != PF_PASS_GONE) return PF_RUN_DONE;
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + run->result.weakest_row;
  const char *how = pass == PF_PASS_GONE || run->m == 1 ? "no longer restricts anything"
                                                        : "becomes dependent on the others";
  pf_warn_at(run->ctx, c->place, "the constraint '%s' %s at t = %.12g; going on", c->name, how, run->result.weakest_t);
  if (pass == PF_PASS_LEAP) pf_hint(run->ctx, "motions part there: what comes after depends on how it is stepped over");
  return PF_RUN_DONE;
}

/* One step of the method, or near a loss of rank, and a look at the constraints. */
static PfRunEnd advance(PfMotionRun *run)
{
  bool watched = run->m > 0, stepped = false;
  run->monitor.step_known = false;
  run->state.between = PF_BETWEEN_METHOD;
  run->flow.margins = 0;
  PfRunEnd passed = watched ? pass_rank_loss(run, &stepped) : PF_RUN_DONE;
  if (stepped || passed != PF_RUN_DONE) return passed;
  int before = pf_diagnostic_count(run->ctx);
  PfStepEnd end = run->stepper.method->step(run);
  const PfTrouble trouble = run->flow.trouble;
  const int row = run->flow.row;
  if (end != PF_STEP_DONE && watched && pf_watch_ahead(run)) {
    pf_diagnostics_truncate(run->ctx, before);
    run->flow.reported = false;
    return pass_rank_loss(run, &stepped);
  }
  run->flow.trouble = trouble, run->flow.row = row; /* of the step; looking ahead has its own */
  if (end == PF_STEP_TROUBLE) return PF_RUN_TROUBLE;
  if (end == PF_STEP_TOO_SMALL) return PF_RUN_STEP;
  if (!watched || !pf_watch_step(run) || run->state.t > run->state.t_old) {
    run->result.steps++;
    return PF_RUN_DONE;
  }
  return pass_rank_loss(run, &stepped); /* it was passed: the run has gone back */
}

/* Is the way so short, as between two events, that t has hardly a digit left for it, or a solver with steps of its own
 * could not make it? Then one step without stages does. (At 1e9 s, the time of a clock, that is 14 us.) */
static bool is_instant(const PfMotionRun *run)
{
  double t = fabs(run->state.t);
  return run->state.t_end - run->state.t < fmax(64*DBL_EPSILON*t, 1e-11*fmin(t, 1));
}

static bool go_straight(PfMotionRun *run)
{
  PfState *at = &run->state;
  double h = at->t_end - at->t;
  pf_state_advance(run, at->t_end);
  for (int i = 0; i < 2*run->n; i++) at->y[i] += h*at->dy[i];
  for (int i = 0; i < run->n; i++) at->y[i] += h*h/2*at->dy[run->n + i];
  at->between = PF_BETWEEN_CUBIC;
  run->stepper.restart = true;
  run->monitor.step_known = false;
  run->result.steps++;
  return pf_flow(run, at->t, at->y, at->dy);
}

/* Do sides keep changing while time stands still? */
static bool is_stuck_in_time(PfMotionRun *run)
{
  enum { MOST = 200 };
  PfPhaseExchange *p = run->phase;
  bool still = run->state.t - p->change_t <= 1e-13*fmax(fabs(run->state.t), fabs(p->horizon));
  p->changes = still ? p->changes + 1 : 0;
  if (!still) p->change_t = run->state.t;
  if (p->changes < MOST) return false;
  pf_fail(run->ctx, PF_ERR_NUMBER, "forces switch to and fro without end at t = %.12g", run->state.t);
  for (int k = 0; k < p->modes->core.count; k++)
    if (pf_crossings_met(run->crossings)[k] && !pf_switch_modes_nested(p->modes, k)) {
      pf_hint(run->ctx, "they do where '%s' changes its sign; smooth this law of force, as tanh does",
              pf_expr_print(run->ctx, run->arena, p->modes->at[k].surface, PF_TEXT));
      return true;
    }
  pf_hint(run->ctx, "smooth this law of force, as tanh does");
  return true;
}

/* A condition has become true; others may have with it. */
static PfRunEnd stop_at(PfMotionRun *run, int condition)
{
  PfPhaseExchange *p = run->phase;
  p->condition = condition;
  for (int i = 0; p->holds && i < p->condition_count; i++) p->holds[i] = pf_crossings_condition(run->crossings, i);
  return PF_RUN_UNTIL;
}

/* Coordinates do not jump: a constraint on them must not either. */
static bool report_violation(PfMotionRun *run)
{
  int row = -1;
  double most = 1, misfit = pf_manifold_residual(run->projection, run->flow.values, PF_LEVEL_POSITION, &row);
  for (int i = 0; i < run->n; i++) most = fmax(most, fabs(run->state.y[i]));
  if (!(misfit > 1e-6*most) || row < 0) return false;
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + row;
  pf_fail_at(run->ctx, PF_ERR_NUMBER, c->place,
             "the constraint '%s' jumps by %.3g at t = %.12g, and coordinates cannot", c->name, misfit, run->state.t);
  pf_hint(run->ctx, "let it go over within some time");
  run->flow.reported = true;
  return true;
}

/* The new sides hold from here on. */
static bool set_modes(PfMotionRun *run)
{
  const PfSwitchModes *modes = run->phase->modes;
  PfMonitor *m = &run->monitor;
  bool by_time = true;
  for (int k = 0; k < modes->core.count; k++)
    by_time = by_time && (!pf_crossings_met(run->crossings)[k] || modes->at[k].timed);
  pf_monitor_at(run, run->state.t, run->state.y, NULL);
  double kinetic = m->at.kinetic, potential = m->at.potential, before = m->at.balanced;
  memcpy(run->flow.values + modes->first, modes->core.mode, (size_t)modes->core.count*sizeof *modes->core.mode);
  pf_monitor_at(run, run->state.t, run->state.y, NULL);
  /* Functions of time that jump may move the quantities that they prescribe, and do work at once. Where the state
   * crosses a surface no energy may jump: a potential with a step has an unbounded force there, which is left out. */
  double T = m->at.kinetic, V = m->at.potential, size = 1e-9*(fabs(T) + fabs(kinetic) + fabs(V - potential));
  bool inertia = fabs(T - kinetic) > size, energy = !by_time && fabs(V - potential) > size &&
                                                    fabs(V - potential) > 1e-9*fabs(V);
  if (!m->warned_of_jump && (inertia || energy)) {
    m->warned_of_jump = true;
    pf_warn_at(run->ctx, (PfPlace){0}, "the %s energy jumps at t = %.6g: the impulse that belongs to it is left out",
               inertia ? "kinetic" : "potential", run->state.t);
    pf_hint(run->ctx, "make the step a steep slope, or let an event do it");
  }
  if (!run->options.drift && run->m) {
    if (report_violation(run)) return false;
    (void)pf_project(run, run->state.t, run->state.y);
    pf_monitor_at(run, run->state.t, run->state.y, NULL);
  }
  if (by_time) m->balanced_start += m->at.balanced - before;
  run->stepper.restart = true;
  m->power_known = false;
  return true;
}

/* Surfaces were met: new sides, and a new beginning for the method. */
static PfRunEnd change_modes(PfMotionRun *run)
{
  PfPhaseExchange *p = run->phase;
  PfSwitchModes *modes = p->modes;
  run->result.switches++;
  run->flow.reported = is_stuck_in_time(run);
  if (run->flow.reported) return PF_RUN_TROUBLE;
  if (p->stuck_count)
    pf_modes_from_rows(&modes->core, run->flow.multiplier + run->m - modes->core.row_count, modes->core.mode);
  pf_run_set_state(run, run->state.t, run->state.y);
  pf_switch_modes_set(modes, run->flow.values);
  run->flow.reported = pf_switch_modes_decide(modes, pf_crossings_met(run->crossings),
                                              pf_crossings_released(run->crossings)) != PF_OK;
  if (run->flow.reported) return PF_RUN_TROUBLE;
  int stuck = 0;
  for (int k = 0; k < modes->core.count; k++) stuck += modes->core.sticks[k];
  p->switched = stuck != p->stuck_count;
  for (int i = 0; i < p->stuck_count; i++) p->switched = p->switched || !modes->core.sticks[p->stuck[i]];
  if (p->switched) return PF_RUN_DONE;
  if (!set_modes(run)) return PF_RUN_TROUBLE;
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return PF_RUN_TROUBLE;
  int condition = pf_crossings_begin(run, run->crossings); /* multipliers jump with the forces */
  if (condition >= 0) return stop_at(run, condition);
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? PF_RUN_DONE : PF_RUN_TROUBLE;
}

/* y + h y' + h^2/2 y'' */
static void extrapolate(const PfMotionRun *run, double h, double *y)
{
  int n = run->n;
  for (int i = 0; i < n; i++) y[i] = run->state.y[i] + h*(run->state.y[n + i] + 0.5*h*run->state.dy[n + i]);
  for (int i = n; i < 2*n; i++) y[i] = run->state.y[i] + h*run->state.dy[i];
}

/* A step has failed since the forces of one side end at a surface: over to the other side. */
static bool jump_over(PfMotionRun *run, PfCrossing *crossing)
{
  double most = run->stepper.fixed ? 2*run->options.step
                                   : fmax(10*(run->state.t - run->state.t_old), 1e-6*fabs(run->state.t));
  if (!run->crossings || !pf_flow(run, run->state.t, run->state.y, run->state.dy)) return false;
  if (!pf_crossings_nearest(run, run->crossings, most, crossing)) return false;
  double h = crossing->t - run->state.t;
  extrapolate(run, h + most, run->crossing_y);
  /* the forces exist beyond it: the step failed for another reason */
  if (pf_flow(run, run->state.t + h + most, run->crossing_y, run->inner_dy)) return false;
  extrapolate(run, h, run->crossing_y);
  pf_state_advance(run, crossing->t);
  memcpy(run->state.y, run->crossing_y, 2*(size_t)run->n*sizeof *run->state.y);
  run->state.between = PF_BETWEEN_CUBIC;
  return true;
}

static void see(PfMotionRun *run, PfCrossing crossing, bool inside, bool crossed)
{
  run->seen = (PfSeen){.t = inside ? crossing.t : run->state.t, .crossing = crossing, .inside = inside,
                       .pending = inside || crossing.kind != PF_CROSSING_NONE, .crossed = crossed};
}

/* A step, cut where something changes in it. */
static PfRunEnd make_step(PfMotionRun *run)
{
  PfState *at = &run->state;
  at->t_end = at->horizon;
  if (run->crossings) at->t_end = fmin(at->t_end, pf_crossings_next_instant(run, run->crossings));
  PfRunEnd done = PF_RUN_DONE;
  if (is_instant(run)) done = go_straight(run) ? PF_RUN_DONE : PF_RUN_TROUBLE;
  else done = advance(run);
  PfCrossing crossing = {.t = at->t, .condition = -1};
  if (done == PF_RUN_TROUBLE || done == PF_RUN_STEP) {
    const PfTrouble trouble = run->flow.trouble;
    const int row = run->flow.row;
    if (jump_over(run, &crossing)) {
      see(run, crossing, false, true);
      return PF_RUN_DONE;
    }
    run->flow.trouble = trouble, run->flow.row = row; /* why the step failed; looking beyond it has its own */
  }
  if (done != PF_RUN_DONE) return done;
  if (run->crossings) crossing = pf_crossings_find(run, run->crossings);
  bool inside = crossing.t < at->t;
  bool direct = at->between == PF_BETWEEN_COLLOCATION ||
                (at->between == PF_BETWEEN_METHOD && run->stepper.method->direct);
  if (inside) {
    pf_interpolate(run, crossing.t, run->crossing_y);
    if (!run->options.drift) (void)pf_project(run, crossing.t, run->crossing_y);
  } else if (!direct && !run->options.drift && pf_project(run, at->t, at->y)) {
    if (!pf_flow(run, at->t, at->y, at->dy)) return PF_RUN_TROUBLE;
  }
  see(run, crossing, inside, false);
  pf_sample_work(run);
  pf_sample_statistics(run);
  return PF_RUN_DONE;
}

/* ---------------------------------------------------------------- progress */

static bool makes_progress(PfMotionRun *run)
{
  PfStallDetector *stall = &run->stall;
  enum { WINDOW = 100000 };
  const PfRunResult *r = &run->result;
  const double most = (double)run->options.most_steps;
  long count = r->steps + r->rejected;
  stall->longest = fmax(stall->longest, run->state.t - run->state.t_old);
  if (run->stepper.fixed || count - stall->counted < WINDOW) return true;
  double left = run->state.horizon - run->state.t, gained = run->state.t - stall->t;
  bool collapsed = gained < 1e-4*stall->longest*WINDOW && gained*most < 100*left*WINDOW;
  bool slow = collapsed || gained*most < left*WINDOW, still = slow && stall->slow;
  stall->counted = count;
  stall->t = run->state.t;
  stall->slow = slow;
  return !still;
}

/* Is the default method limited by stability, and the end out of reach? Then another method takes over. */
static bool is_too_stiff(PfMotionRun *run)
{
  enum { WINDOW = 1000, WINDOWS = 3 };
  const double many = PF_MOST_STIFF_STEPS, limit = 2;
  PfStallDetector *stall = &run->stall;
  if (!run->by_default || run->stepper.method != &pf_method_dopri5) return false;
  if (run->result.steps - stall->checked < WINDOW) return false;
  double gained = run->state.t - stall->checked_t, left = run->state.horizon - run->state.t;
  bool stiff = left*WINDOW > many*gained && run->state.between == PF_BETWEEN_METHOD && pf_dopri5_stiffness(run) > limit;
  stall->checked = run->result.steps;
  stall->checked_t = run->state.t;
  stall->stiff = stiff ? stall->stiff + 1 : 0;
  return stall->stiff >= WINDOWS;
}

/* Does a velocity grow without bound? Then it exceeds its mean since the beginning by far, and where a step fails next,
 * that is the cause, and neither the step nor the rank. "x' grows without bound: to 4.9e+06 m/s at t = 0.74, from 1 at
 * t = 0" */
static bool describe_growth(const PfMotionRun *run, char *text, size_t size)
{
  const double *y = run->state.y, *first = run->first_y, span = run->state.t - *run->first_t;
  int n = run->n, fastest = -1;
  double most = 1e3;
  for (int k = 0; k < n && span > 0; k++) {
    double v = fabs(y[n + k]), mean = fmax(fabs(y[k] - first[k])/span, fabs(first[n + k]));
    double ratio = v > 1e30 ? INFINITY : mean > 0 ? v/mean : 0;
    if (ratio > most) most = ratio, fastest = k;
  }
  if (fastest < 0) return false;
  const PfCoordinate *c = pf_system_equations(run->system)->model->coordinates + fastest;
  PfMeasure rate = pf_coordinate_measure(c, 1);
  snprintf(text, size, "%s' grows without bound: to %.3g%s%s at t = %.12g, from %.3g at t = %.6g", c->name,
           y[n + fastest]/rate.scale, rate.unit[0] ? " " : "", rate.unit, run->state.t, first[n + fastest]/rate.scale,
           *run->first_t);
  return true;
}

static void say_why(PfMotionRun *run, PfRunEnd end)
{
  char growth[300];
  switch (end) {
  case PF_RUN_TROUBLE:
    if (run->flow.reported) return;
    if (run->flow.trouble == PF_TROUBLE_NONE) {
      pf_fail(run->ctx, PF_ERR_NUMBER, "the motion is not finite after t = %.12g", run->state.t);
      return;
    }
    (void)pf_trouble_report_at(run->ctx, run->system, run->flow.values, run->flow.trouble, run->flow.row);
    if (run->flow.trouble == PF_TROUBLE_UNDETERMINED && run->state.t > *run->first_t)
      pf_hint(run->ctx, "from t = %.6g to %.6g they did, by chance; @form{rosenberg_extended} does everywhere",
              *run->first_t, run->state.t);
    else if (describe_growth(run, growth, sizeof growth)) pf_hint(run->ctx, "%s", growth);
    else pf_hint(run->ctx, "this happened after t = %.12g", run->state.t);
    return;
  case PF_RUN_STEP:
    if (describe_growth(run, growth, sizeof growth)) {
      pf_fail(run->ctx, PF_ERR_NUMBER, "%s", growth);
      pf_hint(run->ctx, "a force grows faster than a motion can follow; 'until' in the model ends the run before");
      return;
    }
    pf_fail(run->ctx, PF_ERR_NUMBER, "the step became too small at t = %.12g: the motion is singular there or too "
            "stiff for '%s'", run->state.t, run->stepper.method->name);
    return;
  case PF_RUN_LIMIT:
    pf_fail(run->ctx, PF_ERR_LIMIT, "more than %ld steps, at t = %.12g", run->options.most_steps, run->state.t);
    return;
  case PF_RUN_STALL:
    pf_fail(run->ctx, PF_ERR_LIMIT, "the run makes no progress: the latest steps at t = %.12g are %.2g s long",
            run->state.t, run->state.t - run->state.t_old);
    pf_hint(run->ctx,
            "the motion is stiff or chatters there: try @by{cvode_bdf}, a smoother law of force, or more @most_steps");
    return;
  default: return;
  }
}

static PfRunEnd begin(PfMotionRun *run)
{
  PfMonitor *m = &run->monitor;
  if (run->phase && run->phase->stuck_count && !run->options.drift) (void)pf_project(run, run->state.t, run->state.y);
  run->stall.t = run->stall.checked_t = *run->first_t = run->state.t;
  memcpy(run->first_y, run->state.y, 2*(size_t)run->n*sizeof *run->first_y);
  see(run, (PfCrossing){.t = run->state.t, .condition = -1}, false, false);
  /* also of a run that ends where it begins, before there are accelerations */
  pf_monitor_at(run, run->state.t, run->state.y, NULL);
  run->result.energy_start = run->result.energy_end = m->at.kinetic + m->at.potential;
  if (pf_watch_start(run)) return report_rank_loss(run);
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return PF_RUN_TROUBLE;
  pf_monitor_at(run, run->state.t, run->state.y, run->flow.multiplier);
  m->power = m->at.power;
  m->power_known = true;
  m->balanced_start = m->at.balanced;
  run->state.t_old = run->state.t;
  pf_sample_statistics(run);
  if (!run->crossings) return PF_RUN_DONE;
  int condition = pf_crossings_begin(run, run->crossings);
  PfRunEnd end = condition >= 0 ? stop_at(run, condition) : PF_RUN_DONE;
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? end : PF_RUN_TROUBLE;
}

static void end_by(PfMotionRun *run, PfRunEnd end)
{
  run->result.end = end;
  if (end != PF_RUN_DONE) see(run, (PfCrossing){.t = run->state.t, .condition = -1}, false, false);
  run->result.t = run->seen.t;
  say_why(run, end);
}

void pf_motion_begin(PfMotionRun *run)
{
  end_by(run, begin(run));
}

void pf_motion_settle(PfMotionRun *run)
{
  PfState *at = &run->state;
  const PfSeen seen = run->seen;
  bool good = true;
  run->seen.pending = false;
  if (seen.inside) { /* the run goes on from where the step was cut */
    memcpy(at->y, run->crossing_y, 2*(size_t)run->n*sizeof *at->y);
    at->t = seen.t;
    run->stepper.restart = true;
    good = pf_flow(run, at->t, at->y, at->dy);
  } else if (!seen.crossed && seen.crossing.kind == PF_CROSSING_SWITCH) {
    good = pf_flow(run, at->t, at->y, at->dy);
  }
  PfRunEnd end = PF_RUN_TROUBLE;
  if (good) {
    run->seen = (PfSeen){.t = at->t};
    end = seen.crossing.kind == PF_CROSSING_SWITCH ? change_modes(run)
          : seen.crossing.kind == PF_CROSSING_NONE ? PF_RUN_DONE : stop_at(run, seen.crossing.condition);
  }
  end_by(run, end);
}

void pf_motion_step(PfMotionRun *run, double horizon)
{
  PfRunResult *r = &run->result;
  run->state.horizon = horizon;
  if (r->steps + r->rejected >= run->options.most_steps) end_by(run, PF_RUN_LIMIT);
  else if (is_too_stiff(run) || !makes_progress(run)) end_by(run, PF_RUN_STALL);
  else end_by(run, make_step(run));
}

void pf_motion_apply_inputs(PfMotionRun *run)
{
  PfRunEnd end = PF_RUN_DONE;
  run->stepper.restart = true;
  run->monitor.power_known = false;
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) end = PF_RUN_TROUBLE;
  else if (run->crossings) {
    int condition = pf_crossings_begin(run, run->crossings);
    if (condition >= 0) end = stop_at(run, condition);
    if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) end = PF_RUN_TROUBLE;
  }
  end_by(run, end);
}
