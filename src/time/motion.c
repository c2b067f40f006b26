/* SPDX-License-Identifier: Apache-2.0 */
/* One phase in motion: steps, where they are cut, what follows from it. */
#include "form/solver.h"
#include "time/breaks.h"
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
  if (!block || (kept && !pf_keep(run->arena, &run->kept, block, count*size))) {
    pf_no_room(run->ctx, "the run");
    return NULL;
  }
  return block;
}

/* Power and rank margin of the constraints, which some formulations compute along with the accelerations; the margin
 * not all of them. */
static void note_told(PfFlow *flow, const PfTold *told, double t)
{
  flow->power = told->power;
  flow->margin_t = NAN;
  if (isnan(told->margin)) return;
  flow->margin = sqrt(told->margin);
  flow->margin_least = flow->margins++ ? fmin(flow->margin_least, flow->margin) : flow->margin;
  flow->margin_t = t;
  flow->margin_row = told->margin_row;
}

bool pf_flow(PfMotionRun *run, double t, const double *y, double *dy)
{
  PfFlow *flow = &run->flow;
  int n = run->n;
  PfMotion motion = {.acceleration = dy + n, .multiplier = flow->multiplier};
  flow->values[run->symbols->time] = t;
  memcpy(flow->values + run->symbols->q, y, 2*(size_t)n*sizeof *y);
  memcpy(dy, y + n, (size_t)n*sizeof *y);
  run->result.evaluations++;
  flow->trouble = pf_solver_accelerate(flow->solver, flow->values, &motion, &flow->row);
  const PfTold *told = pf_solver_told(flow->solver);
  flow->known = told->known;
  if (told->known) note_told(flow, told, t);
  else return flow->trouble == PF_TROUBLE_NONE && pf_first_not_finite(dy + n, (size_t)n) < 0;
  return true;
}

void pf_run_copy_inputs(const PfMotionRun *run, double *values)
{
  const PfSymbols *in = run->symbols;
  memcpy(values + in->inputs, run->flow.values + in->inputs, (size_t)(in->q - in->inputs)*sizeof *values);
}

void pf_hermite(PfMotionRun *run, double t, double *y)
{
  double h = run->state.t - run->state.t_old, x = (t - run->state.t_old)/h, z = 1 - x;
  double h00 = (1 + 2*x)*z*z, h10 = x*z*z*h, h01 = x*x*(3 - 2*x), h11 = -x*x*z*h;
  for (int i = 0; i < 2*run->n; i++)
    y[i] = h00*run->state.y_old[i] + h10*run->state.dy_old[i] + h01*run->state.y[i] + h11*run->state.dy[i];
}

static void warn_of_rank_loss(PfMotionRun *run, PfPass pass)
{
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + run->result.weakest_row;
  const char *how = pass == PF_PASS_GONE || run->m == 1 ? "no longer restricts anything"
                                                        : "becomes dependent on the others";
  pf_warn_at(run->ctx, c->place, "the constraint '%s' %s at t = %.12g; going on", c->name, how, run->result.weakest_t);
  if (pass == PF_PASS_LEAP) pf_hint(run->ctx, "motions part there: what comes after depends on how it is stepped over");
}

static PfRunEnd report_rank_loss(PfMotionRun *run)
{
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + run->result.weakest_row;
  const char *how = run->m > 1 ? "becomes dependent on the others" : "no longer restricts anything";
  pf_fail_at(run->ctx, PF_ERR_NUMBER, c->place, "the constraints lose rank at t = %.12g: '%s' %s, and the forces of "
             "constraint are not determined there", run->result.weakest_t, c->name, how);
  if (!run->result.steps) pf_hint(run->ctx, "the start itself is singular: begin nearby");
  else if (run->options.keep_going) pf_hint(run->ctx, "no motion that goes on smoothly was found beyond");
  else pf_hint(run->ctx, "--keep-going goes on along the branch on which it came, if there is one");
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
  if (over || pass == PF_PASS_GONE) warn_of_rank_loss(run, pass);
  return pass == PF_PASS_END ? report_rank_loss(run) : PF_RUN_DONE;
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
  int told = pf_diagnostic_count(run->ctx);
  PfStepEnd end = run->stepper.method->step(run);
  const PfTrouble trouble = run->flow.trouble;
  const int row = run->flow.row;
  if (end != PF_STEP_DONE && watched && pf_watch_ahead(run)) {
    pf_diagnostics_cut(run->ctx, told);
    run->flow.told = false;
    return pass_rank_loss(run, &stepped);
  }
  run->flow.trouble = trouble, run->flow.row = row; /* of the step; looking ahead has its own */
  if (end == PF_STEP_TROUBLE) return PF_RUN_TROUBLE;
  if (end == PF_STEP_TOO_SMALL) return PF_RUN_STEP;
  if (!watched || !pf_watch_step(run) || run->state.t > run->state.t_old) {
    run->result.steps++;
    return PF_RUN_DONE;
  }
  return pass_rank_loss(run, &stepped); /* it lay behind: the run has gone back */
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
  size_t bytes = 2*(size_t)run->n*sizeof *run->state.y;
  double h = run->state.t_end - run->state.t;
  memcpy(run->state.y_old, run->state.y, bytes);
  memcpy(run->state.dy_old, run->state.dy, bytes);
  run->state.t_old = run->state.t;
  run->state.t = run->state.t_end;
  for (int i = 0; i < 2*run->n; i++) run->state.y[i] += h*run->state.dy[i];
  for (int i = 0; i < run->n; i++) run->state.y[i] += h*h/2*run->state.dy[run->n + i];
  run->state.between = PF_BETWEEN_CUBIC;
  run->stepper.restart = true;
  run->monitor.step_known = false;
  run->result.steps++;
  return pf_flow(run, run->state.t, run->state.y, run->state.dy);
}

/* The run goes on from where the step was cut. */
static bool go_back(PfMotionRun *run)
{
  memcpy(run->state.y, run->cut_y, 2*(size_t)run->n*sizeof *run->state.y);
  run->state.t = run->seen.t;
  run->stepper.restart = true;
  return pf_flow(run, run->state.t, run->state.y, run->state.dy);
}

/* Do sides keep changing while time stands still? */
static bool is_stuck_in_time(PfMotionRun *run)
{
  enum { MOST = 200 };
  PfPhaseRun *p = run->phase;
  bool still = run->state.t - p->change_t <= 1e-13*fmax(fabs(run->state.t), fabs(p->horizon));
  p->changes = still ? p->changes + 1 : 0;
  if (!still) p->change_t = run->state.t;
  if (p->changes < MOST) return false;
  pf_fail(run->ctx, PF_ERR_NUMBER, "forces switch to and fro without end at t = %.12g", run->state.t);
  for (int k = 0; k < p->sides->count; k++)
    if (pf_breaks_met(run->breaks)[k] && !pf_sides_nested(p->sides, k)) {
      pf_hint(run->ctx, "they do where '%s' changes its sign; smooth this law of force, as tanh does",
              pf_expr_print(run->ctx, run->arena, p->sides->at[k].surface, PF_TEXT));
      return true;
    }
  pf_hint(run->ctx, "smooth this law of force, as tanh does");
  return true;
}

/* A condition has become true; others may have with it. */
static PfRunEnd stop_at(PfMotionRun *run, int condition)
{
  PfPhaseRun *p = run->phase;
  p->condition = condition;
  for (int i = 0; p->holds && i < p->condition_count; i++) p->holds[i] = pf_breaks_condition(run->breaks, i);
  return PF_RUN_UNTIL;
}

/* Functions of time that jump may move what they are given for, and do work at once. Where the state crosses a surface
 * no energy may jump: a potential with a step has a force without size there, which is left out. */
static void tell_jump(PfMotionRun *run, double kinetic, double potential, bool by_time)
{
  double T = pf_monitor_kinetic(run), V = pf_monitor_potential(run),
         size = 1e-9*(fabs(T) + fabs(kinetic) + fabs(V - potential));
  bool inertia = fabs(T - kinetic) > size, energy = !by_time && fabs(V - potential) > size &&
                                                    fabs(V - potential) > 1e-9*fabs(V);
  if (run->monitor.warned_of_jump || !(inertia || energy)) return;
  run->monitor.warned_of_jump = true;
  pf_warn_at(run->ctx, (PfPlace){0}, "the %s energy jumps at t = %.6g: the impulse that belongs to it is left out",
             inertia ? "kinetic" : "potential", run->state.t);
  pf_hint(run->ctx, "make the step a steep slope, or let an event do it");
}

/* Coordinates do not jump: a constraint on them must not either. */
static bool tell_broken(PfMotionRun *run)
{
  int row = -1;
  double most = 1, miss = pf_manifold_residual(run->projection, run->flow.values, PF_LEVEL_POSITION, &row);
  for (int i = 0; i < run->n; i++) most = fmax(most, fabs(run->state.y[i]));
  if (!(miss > 1e-6*most) || row < 0) return false;
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + row;
  pf_fail_at(run->ctx, PF_ERR_NUMBER, c->place,
             "the constraint '%s' jumps by %.3g at t = %.12g, and coordinates cannot", c->name, miss, run->state.t);
  pf_hint(run->ctx, "let it go over within some time");
  run->flow.told = true;
  return true;
}

/* The new sides hold from here on. */
static bool take_sides(PfMotionRun *run)
{
  const PfSides *sides = run->phase->sides;
  bool by_time = true;
  for (int k = 0; k < sides->count; k++) by_time = by_time && (!pf_breaks_met(run->breaks)[k] || sides->at[k].timed);
  pf_monitor_at(run, run->state.t, run->state.y, NULL);
  double kinetic = pf_monitor_kinetic(run), potential = pf_monitor_potential(run), before = pf_monitor_balanced(run);
  memcpy(run->flow.values + sides->first, sides->side, (size_t)sides->count*sizeof *sides->side);
  pf_monitor_at(run, run->state.t, run->state.y, NULL);
  tell_jump(run, kinetic, potential, by_time);
  if (!run->options.drift && run->m) {
    if (tell_broken(run)) return false;
    (void)pf_project(run, run->state.t, run->state.y);
    pf_monitor_at(run, run->state.t, run->state.y, NULL);
  }
  if (by_time) run->monitor.balanced_start += pf_monitor_balanced(run) - before;
  run->stepper.restart = true;
  run->monitor.power_known = false;
  return true;
}

/* Surfaces were met: new sides, and a new beginning for the method. */
static PfRunEnd change_sides(PfMotionRun *run)
{
  PfPhaseRun *p = run->phase;
  PfSides *sides = p->sides;
  run->result.switches++;
  run->flow.told = is_stuck_in_time(run);
  if (run->flow.told) return PF_RUN_TROUBLE;
  if (p->stuck_count) pf_sides_from_rows(sides, run->flow.multiplier + run->m - sides->row_count, sides->side);
  memcpy(run->flow.values + run->symbols->q, run->state.y, 2*(size_t)run->n*sizeof *run->state.y);
  run->flow.values[run->symbols->time] = run->state.t;
  pf_sides_set(sides, run->flow.values);
  run->flow.told = pf_sides_decide(sides, pf_breaks_met(run->breaks), pf_breaks_released(run->breaks)) != PF_OK;
  if (run->flow.told) return PF_RUN_TROUBLE;
  int stuck = 0;
  for (int k = 0; k < sides->count; k++) stuck += sides->stuck[k];
  p->switched = stuck != p->stuck_count;
  for (int i = 0; i < p->stuck_count; i++) p->switched = p->switched || !sides->stuck[p->stuck[i]];
  if (p->switched) return PF_RUN_DONE;
  if (!take_sides(run)) return PF_RUN_TROUBLE;
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return PF_RUN_TROUBLE;
  int condition = pf_breaks_holds(run, run->breaks); /* multipliers jump with the forces */
  if (condition >= 0) return stop_at(run, condition);
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? PF_RUN_DONE : PF_RUN_TROUBLE;
}

/* What a cut leads to. */
static PfRunEnd follow(PfMotionRun *run, const PfCut *cut)
{
  if (cut->kind == PF_CUT_SWITCH) return change_sides(run);
  if (cut->kind == PF_CUT_NONE) return PF_RUN_DONE;
  return stop_at(run, cut->condition);
}

static void set_stop(PfMotionRun *run)
{
  run->state.t_end = run->state.horizon;
  if (run->breaks) run->state.t_end = fmin(run->state.t_end, pf_breaks_next_instant(run, run->breaks));
}

/* y + h y' + h^2/2 y'' */
static void extrapolate(const PfMotionRun *run, double h, double *y)
{
  int n = run->n;
  for (int i = 0; i < n; i++) y[i] = run->state.y[i] + h*(run->state.y[n + i] + 0.5*h*run->state.dy[n + i]);
  for (int i = n; i < 2*n; i++) y[i] = run->state.y[i] + h*run->state.dy[i];
}

/* A step has failed since the forces of one side end at a surface: over to the other side. */
static bool jump_over(PfMotionRun *run, PfCut *cut)
{
  double most = run->stepper.fixed ? 2*run->options.step
                                   : fmax(10*(run->state.t - run->state.t_old), 1e-6*fabs(run->state.t));
  size_t bytes = 2*(size_t)run->n*sizeof *run->state.y;
  if (!run->breaks || !pf_flow(run, run->state.t, run->state.y, run->state.dy)) return false;
  if (!pf_breaks_nearest(run, run->breaks, most, cut)) return false;
  double h = cut->t - run->state.t;
  extrapolate(run, h + most, run->cut_y);
  /* the forces exist beyond it: the step failed for another reason */
  if (pf_flow(run, run->state.t + h + most, run->cut_y, run->inner_dy)) return false;
  extrapolate(run, h, run->cut_y);
  memcpy(run->state.y_old, run->state.y, bytes);
  memcpy(run->state.dy_old, run->state.dy, bytes);
  memcpy(run->state.y, run->cut_y, bytes);
  run->state.t_old = run->state.t;
  run->state.t = cut->t;
  run->state.between = PF_BETWEEN_CUBIC;
  return true;
}

static bool cross_over(PfMotionRun *run, PfCut *cut)
{
  const PfTrouble trouble = run->flow.trouble;
  const int row = run->flow.row;
  if (jump_over(run, cut)) return true;
  run->flow.trouble = trouble, run->flow.row = row; /* why the step failed; looking beyond it has its own */
  return false;
}

static void see(PfMotionRun *run, PfCut cut, bool inside, bool crossed)
{
  run->seen = (PfSeen){.t = inside ? cut.t : run->state.t, .cut = cut, .inside = inside,
                       .pending = inside || cut.kind != PF_CUT_NONE, .crossed = crossed};
}

/* Must the end of the step be projected on the constraints? */
static bool needs_projection(const PfMotionRun *run)
{
  PfBetween between = run->state.between;
  return between == PF_BETWEEN_CUBIC || (between == PF_BETWEEN_METHOD && !run->stepper.method->direct);
}

/* A step, cut where something changes in it. */
static PfRunEnd make_step(PfMotionRun *run)
{
  set_stop(run);
  PfRunEnd done = PF_RUN_DONE;
  if (is_instant(run)) done = go_straight(run) ? PF_RUN_DONE : PF_RUN_TROUBLE;
  else done = advance(run);
  PfCut cut = {.t = run->state.t, .condition = -1};
  if ((done == PF_RUN_TROUBLE || done == PF_RUN_STEP) && cross_over(run, &cut)) {
    see(run, cut, false, true);
    return PF_RUN_DONE;
  }
  if (done != PF_RUN_DONE) return done;
  if (run->breaks) cut = pf_breaks_find(run, run->breaks);
  bool inside = cut.t < run->state.t;
  if (inside) {
    pf_interpolate(run, cut.t, run->cut_y);
    if (!run->options.drift) (void)pf_project(run, cut.t, run->cut_y);
  } else if (needs_projection(run) && !run->options.drift && pf_project(run, run->state.t, run->state.y)) {
    if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return PF_RUN_TROUBLE;
  }
  see(run, cut, inside, false);
  pf_sample_work(run);
  pf_sample_statistics(run);
  return PF_RUN_DONE;
}

/* The run goes on from the end of the step that was seen, with what it led to. */
static PfRunEnd settle(PfMotionRun *run)
{
  PfSeen *seen = &run->seen;
  seen->pending = false;
  if (seen->inside && !go_back(run)) return PF_RUN_TROUBLE;
  if (!seen->inside && !seen->crossed && seen->cut.kind == PF_CUT_SWITCH &&
      !pf_flow(run, run->state.t, run->state.y, run->state.dy))
    return PF_RUN_TROUBLE;
  PfCut cut = seen->cut;
  *seen = (PfSeen){.t = run->state.t};
  return follow(run, &cut);
}

/* ---------------------------------------------------------------- headway */

static bool makes_headway(PfMotionRun *run)
{
  PfHeadway *way = &run->way;
  enum { WINDOW = 100000 };
  const PfRunResult *r = &run->result;
  const double most = (double)run->options.most_steps;
  long count = r->steps + r->rejected;
  way->longest = fmax(way->longest, run->state.t - run->state.t_old);
  if (run->stepper.fixed || count - way->counted < WINDOW) return true;
  double left = run->state.horizon - run->state.t, gained = run->state.t - way->t;
  bool collapsed = gained < 1e-4*way->longest*WINDOW && gained*most < 100*left*WINDOW;
  bool slow = collapsed || gained*most < left*WINDOW, still = slow && way->slow;
  way->counted = count;
  way->t = run->state.t;
  way->slow = slow;
  return !still;
}

/* Is the method, which nobody has asked for, held up by stability, and the end out of reach? Then another goes on. */
static bool is_too_stiff(PfMotionRun *run)
{
  enum { WINDOW = 1000, WINDOWS = 3 };
  const double many = PF_MOST_STIFF_STEPS, limit = 2;
  PfHeadway *way = &run->way;
  if (!run->by_default || run->stepper.method != &pf_method_dopri5) return false;
  if (run->result.steps - way->looked < WINDOW) return false;
  double gained = run->state.t - way->looked_t, left = run->state.horizon - run->state.t;
  bool stiff = left*WINDOW > many*gained && run->state.between == PF_BETWEEN_METHOD && pf_dopri5_stiffness(run) > limit;
  way->looked = run->result.steps;
  way->looked_t = run->state.t;
  way->stiff = stiff ? way->stiff + 1 : 0;
  return way->stiff >= WINDOWS;
}

/* Does a velocity grow without bound? The coordinate whose velocity has left its mean since the beginning behind by
 * far, -1: none. Where a step fails next, that is the cause, and neither the step nor the rank. */
static int find_growth(const PfMotionRun *run)
{
  const double *y = run->state.y, *first = run->first_y, span = run->state.t - *run->first_t;
  int n = run->n, fastest = -1;
  double most = 1e3;
  for (int k = 0; k < n && span > 0; k++) {
    double v = fabs(y[n + k]), mean = fmax(fabs(y[k] - first[k])/span, fabs(first[n + k]));
    double ratio = v > 1e30 ? INFINITY : mean > 0 ? v/mean : 0;
    if (ratio > most) most = ratio, fastest = k;
  }
  return fastest;
}

/* "x' grows without bound: to 4.9e+06 m/s at t = 0.74, from 1 at t = 0" */
static bool describe_growth(const PfMotionRun *run, char *text, size_t size)
{
  int k = find_growth(run);
  if (k < 0) return false;
  const PfCoordinate *c = pf_system_equations(run->system)->model->coordinates + k;
  PfMeasure rate = pf_coordinate_measure(c, 1);
  snprintf(text, size, "%s' grows without bound: to %.3g%s%s at t = %.12g, from %.3g at t = %.6g", c->name,
           run->state.y[run->n + k]/rate.scale, rate.unit[0] ? " " : "", rate.unit, run->state.t,
           run->first_y[run->n + k]/rate.scale, *run->first_t);
  return true;
}

static void say_why(PfMotionRun *run, PfRunEnd end)
{
  char growth[300];
  switch (end) {
  case PF_RUN_TROUBLE:
    if (run->flow.told) return;
    if (run->flow.trouble == PF_TROUBLE_NONE) {
      pf_fail(run->ctx, PF_ERR_NUMBER, "the motion is not finite after t = %.12g", run->state.t);
      return;
    }
    (void)pf_trouble_report_at(run->ctx, run->system, run->flow.values, run->flow.trouble, run->flow.row);
    if (run->flow.trouble == PF_TROUBLE_UNDETERMINED && run->state.t > *run->first_t)
      pf_hint(run->ctx, "from t = %.6g to %.6g they did, by chance; --form rosenberg_extended does everywhere",
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
    pf_fail(run->ctx, PF_ERR_LIMIT, "the run makes no headway: the latest steps at t = %.12g are %.2g s long",
            run->state.t, run->state.t - run->state.t_old);
    pf_hint(run->ctx,
            "the motion is stiff or chatters there: try --by cvode_bdf, a smoother law of force, or more --most-steps");
    return;
  default: return;
  }
}

/* Also of a run that ends where it begins, before there are accelerations. */
static void note_energy(PfMotionRun *run)
{
  PfRunResult *r = &run->result;
  pf_monitor_at(run, run->state.t, run->state.y, NULL);
  r->energy_start = r->energy_end = pf_monitor_kinetic(run) + pf_monitor_potential(run);
}

static PfRunEnd begin(PfMotionRun *run)
{
  if (run->phase && run->phase->stuck_count && !run->options.drift) (void)pf_project(run, run->state.t, run->state.y);
  run->way.t = run->way.looked_t = *run->first_t = run->state.t;
  memcpy(run->first_y, run->state.y, 2*(size_t)run->n*sizeof *run->first_y);
  see(run, (PfCut){.t = run->state.t, .condition = -1}, false, false);
  note_energy(run);
  if (pf_watch_start(run)) return report_rank_loss(run);
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) return PF_RUN_TROUBLE;
  pf_monitor_at(run, run->state.t, run->state.y, run->flow.multiplier);
  run->monitor.power = pf_monitor_power(run);
  run->monitor.power_known = true;
  run->monitor.balanced_start = pf_monitor_balanced(run);
  run->state.t_old = run->state.t;
  pf_sample_statistics(run);
  if (!run->breaks) return PF_RUN_DONE;
  int condition = pf_breaks_holds(run, run->breaks);
  PfRunEnd end = condition >= 0 ? stop_at(run, condition) : PF_RUN_DONE;
  return pf_flow(run, run->state.t, run->state.y, run->state.dy) ? end : PF_RUN_TROUBLE;
}

static void end_by(PfMotionRun *run, PfRunEnd end)
{
  run->result.end = end;
  if (end != PF_RUN_DONE) see(run, (PfCut){.t = run->state.t, .condition = -1}, false, false);
  run->result.t = run->seen.t;
  say_why(run, end);
}

void pf_motion_begin(PfMotionRun *run)
{
  end_by(run, begin(run));
}

void pf_motion_settle(PfMotionRun *run)
{
  end_by(run, settle(run));
}

void pf_motion_step(PfMotionRun *run, double horizon)
{
  PfRunResult *r = &run->result;
  run->state.horizon = horizon;
  if (r->steps + r->rejected >= run->options.most_steps) end_by(run, PF_RUN_LIMIT);
  else if (is_too_stiff(run) || !makes_headway(run)) end_by(run, PF_RUN_STALL);
  else end_by(run, make_step(run));
}

void pf_motion_take_inputs(PfMotionRun *run)
{
  PfRunEnd end = PF_RUN_DONE;
  run->stepper.restart = true;
  run->monitor.power_known = false;
  if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) end = PF_RUN_TROUBLE;
  else if (run->breaks) {
    int condition = pf_breaks_holds(run, run->breaks);
    if (condition >= 0) end = stop_at(run, condition);
    if (!pf_flow(run, run->state.t, run->state.y, run->state.dy)) end = PF_RUN_TROUBLE;
  }
  end_by(run, end);
}
