/* A run of one phase: steps, where they are cut, what follows from it. */
#include "time/breaks.h"
#include "time/closed.h"
#include "time/manifold.h"
#include "time/samples.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

PfRunOptions pf_run_options(void)
{
  return (PfRunOptions){.rho = NAN, .t_end = 10};
}

/* ---------------------------------------------------------------- what the methods use */

void *pf_run_alloc(PfMotionRun *run, size_t count, size_t size)
{
  void *block = pf_arena_alloc(run->arena, count, size);
  if (!block) pf_fail(run->ctx, PF_ERR_MEMORY, "no room for the run");
  return block;
}

/* By the formulation. */
static bool accelerate(PfMotionRun *run, double *a)
{
  run->flow_power = run->margin = NAN;
  run->trouble = pf_solver_accelerate(run->solver, run->values, &run->motion, &run->row);
  if (run->trouble != PF_TROUBLE_NONE) return false;
  memcpy(a, run->motion.acceleration, (size_t)run->n*sizeof *a);
  return pf_first_not_finite(a, (size_t)run->n) < 0;
}

bool pf_flow(PfMotionRun *run, double t, const double *y, double *dy)
{
  int n = run->n;
  run->values[run->symbols->time] = t;
  memcpy(run->values + run->symbols->q, y, 2*(size_t)n*sizeof *y);
  memcpy(dy, y + n, (size_t)n*sizeof *y);
  run->result->evaluations++;
  PfClosed *closed = run->closed;
  if (!closed || !pf_closed_flow(closed, run->symbols, run->values, dy + n, run->motion.multiplier, &run->flow_power))
    return accelerate(run, dy + n);
  run->margin = sqrt(closed->margin);
  run->margin_least = run->margins++ ? fmin(run->margin_least, run->margin) : run->margin;
  run->margin_t = t;
  run->margin_row = closed->margin_row;
  return true;
}

void pf_hermite(PfMotionRun *run, double t, double *y)
{
  double h = run->t - run->t_old, x = (t - run->t_old)/h, z = 1 - x;
  double h00 = (1 + 2*x)*z*z, h10 = x*z*z*h, h01 = x*x*(3 - 2*x), h11 = -x*x*z*h;
  for (int i = 0; i < 2*run->n; i++)
    y[i] = h00*run->y_old[i] + h10*run->dy_old[i] + h01*run->y[i] + h11*run->dy[i];
}

static void warn_of_rank_loss(PfMotionRun *run, PfPass pass)
{
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + run->result->weakest_row;
  const char *how = pass == PF_PASS_GONE || run->m == 1 ? "no longer restricts anything" : "becomes dependent on the others";
  pf_warn_at(run->ctx, c->place, "the constraint '%s' %s at t = %.12g; going on", c->name, how, run->result->weakest_t);
  if (pass == PF_PASS_LEAP) pf_hint(run->ctx, "motions part there: what comes after depends on how it is stepped over");
}

static PfRunEnd report_rank_loss(PfMotionRun *run)
{
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + run->result->weakest_row;
  const char *how = run->m > 1 ? "becomes dependent on the others" : "no longer restricts anything";
  pf_fail_at(run->ctx, PF_ERR_NUMBER, c->place, "the constraints lose rank at t = %.12g: '%s' %s, and the forces of constraint "
             "are not determined there", run->result->weakest_t, c->name, how);
  if (!run->result->steps) pf_hint(run->ctx, "the start itself is singular: begin nearby");
  else if (run->options.keep_going) pf_hint(run->ctx, "no motion that goes on smoothly was found beyond");
  else pf_hint(run->ctx, "--keep-going goes on along the branch on which it came, if there is one");
  return PF_RUN_RANK_LOSS;
}

/* ---------------------------------------------------------------- the loop */

/* Towards a loss of rank that was seen, or over it; *stepped: that was the step. */
static PfRunEnd pass_rank_loss(PfMotionRun *run, bool *stepped)
{
  PfPass pass = pf_watch_pass(run);
  bool over = pass == PF_PASS_OVER || pass == PF_PASS_LEAP;
  *stepped = over || pass == PF_PASS_STEP;
  run->result->steps += *stepped;
  if (over || pass == PF_PASS_GONE) warn_of_rank_loss(run, pass);
  return pass == PF_PASS_END ? report_rank_loss(run) : PF_RUN_DONE;
}

/* One step of the method, or near a loss of rank, and a look at the constraints. */
static PfRunEnd advance(PfMotionRun *run)
{
  bool watched = run->m > 0, stepped = false;
  run->step_work = NAN;
  run->jumped = false;
  run->margins = 0;
  PfRunEnd passed = watched ? pass_rank_loss(run, &stepped) : PF_RUN_DONE;
  if (stepped || passed != PF_RUN_DONE) return passed;
  int told = pf_diagnostic_count(run->ctx);
  PfStepEnd end = run->method->step(run);
  const PfTrouble trouble = run->trouble;
  const int row = run->row;
  if (end != PF_STEP_DONE && watched && pf_watch_ahead(run)) {
    pf_diagnostics_cut(run->ctx, told);
    run->told = false;
    return pass_rank_loss(run, &stepped);
  }
  run->trouble = trouble, run->row = row; /* of the step; looking ahead has its own */
  if (end == PF_STEP_TROUBLE) return PF_RUN_TROUBLE;
  if (end == PF_STEP_TOO_SMALL) return PF_RUN_STEP;
  if (!watched || !pf_watch_step(run) || run->t > run->t_old) {
    run->result->steps++;
    return PF_RUN_DONE;
  }
  return pass_rank_loss(run, &stepped); /* it lay behind: the run has gone back */
}

/* So short a way that the clock has few digits left for it, as between two events: straight on. */
static bool is_instant(const PfMotionRun *run)
{
  return run->t_end - run->t < 1e-11*fabs(run->t);
}

static bool go_straight(PfMotionRun *run)
{
  size_t bytes = 2*(size_t)run->n*sizeof *run->y;
  double h = run->t_end - run->t;
  memcpy(run->y_old, run->y, bytes);
  memcpy(run->dy_old, run->dy, bytes);
  run->t_old = run->t;
  run->t = run->t_end;
  for (int i = 0; i < 2*run->n; i++) run->y[i] += h*run->dy[i];
  run->jumped = run->restart = true;
  run->step_work = NAN;
  run->result->steps++;
  return pf_flow(run, run->t, run->y, run->dy);
}

/* The run goes on from where the step was cut. */
static bool go_back(PfMotionRun *run, const PfSampler *s, double t)
{
  memcpy(run->y, s->end, 2*(size_t)run->n*sizeof *run->y);
  run->t = t;
  run->restart = true;
  return pf_flow(run, run->t, run->y, run->dy);
}

/* Sides that change again and again while the clock stands still. */
static bool is_stuck_in_time(PfMotionRun *run)
{
  enum { MOST = 200 };
  PfPhaseRun *p = run->phase;
  bool still = run->t - p->change_t <= 1e-13*fmax(fabs(run->t), fabs(p->horizon));
  p->changes = still ? p->changes + 1 : 0;
  if (!still) p->change_t = run->t;
  if (p->changes < MOST) return false;
  pf_fail(run->ctx, PF_ERR_NUMBER, "forces switch to and fro without end at t = %.12g", run->t);
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

/* Functions of time that jump may move what they are given for, and do work at once. Where the state crosses a surface no
 * energy may jump: a potential with a step has a force without size there, which is left out. */
static void tell_jump(PfMotionRun *run, double kinetic, double potential, bool by_time)
{
  double T = pf_monitor_kinetic(run), V = pf_monitor_potential(run), size = 1e-9*(fabs(T) + fabs(kinetic) + fabs(V - potential));
  bool inertia = fabs(T - kinetic) > size, energy = !by_time && fabs(V - potential) > size && fabs(V - potential) > 1e-9*fabs(V);
  if (run->warned_of_jump || !(inertia || energy)) return;
  run->warned_of_jump = true;
  pf_warn_at(run->ctx, (PfPlace){0}, "the %s energy jumps at t = %.6g: the impulse that belongs to it is left out",
             inertia ? "kinetic" : "potential", run->t);
  pf_hint(run->ctx, "make the step a steep slope, or let an event do it");
}

/* Coordinates do not jump: a constraint on them must not either. */
static bool tell_broken(PfMotionRun *run)
{
  int row = -1;
  double most = 1, miss = pf_manifold_miss(run->projection, run->values, PF_LEVEL_POSITION, &row);
  for (int i = 0; i < run->n; i++) most = fmax(most, fabs(run->y[i]));
  if (!(miss > 1e-6*most) || row < 0) return false;
  const PfConstraint *c = pf_system_equations(run->system)->model->constraints + row;
  pf_fail_at(run->ctx, PF_ERR_NUMBER, c->place, "the constraint '%s' jumps by %.3g at t = %.12g, and coordinates cannot", c->name,
             miss, run->t);
  pf_hint(run->ctx, "let it go over within some time");
  run->told = true;
  return true;
}

/* The new sides hold from here on. */
static bool take_sides(PfMotionRun *run)
{
  const PfSides *sides = run->phase->sides;
  bool by_time = true;
  for (int k = 0; k < sides->count; k++) by_time = by_time && (!pf_breaks_met(run->breaks)[k] || sides->at[k].timed);
  pf_monitor_at(run, run->t, run->y, NULL);
  double kinetic = pf_monitor_kinetic(run), potential = pf_monitor_potential(run), before = pf_monitor_balanced(run);
  memcpy(run->values + sides->first, sides->side, (size_t)sides->count*sizeof *sides->side);
  pf_monitor_at(run, run->t, run->y, NULL);
  tell_jump(run, kinetic, potential, by_time);
  if (!run->options.drift && run->m) {
    if (tell_broken(run)) return false;
    (void)pf_project(run, run->t, run->y);
    pf_monitor_at(run, run->t, run->y, NULL);
  }
  if (by_time) run->balanced_start += pf_monitor_balanced(run) - before;
  run->restart = true;
  run->power = NAN;
  return true;
}

/* Surfaces were met: new sides, and a new beginning for the method. */
static PfRunEnd change_sides(PfMotionRun *run)
{
  PfPhaseRun *p = run->phase;
  PfSides *sides = p->sides;
  run->result->switches++;
  run->told = is_stuck_in_time(run);
  if (run->told) return PF_RUN_TROUBLE;
  for (int i = 0; i < p->stuck_count; i++) sides->side[p->stuck[i]] = run->motion.multiplier[run->m - p->stuck_count + i];
  memcpy(run->values + run->symbols->q, run->y, 2*(size_t)run->n*sizeof *run->y);
  run->values[run->symbols->time] = run->t;
  pf_sides_set(sides, run->values);
  run->told = pf_sides_decide(sides, pf_breaks_met(run->breaks), pf_breaks_released(run->breaks)) != PF_OK;
  if (run->told) return PF_RUN_TROUBLE;
  int stuck = 0;
  for (int k = 0; k < sides->count; k++) stuck += sides->stuck[k];
  p->switched = stuck != p->stuck_count;
  for (int i = 0; i < p->stuck_count; i++) p->switched = p->switched || !sides->stuck[p->stuck[i]];
  if (p->switched) return PF_RUN_DONE;
  if (!take_sides(run)) return PF_RUN_TROUBLE;
  if (!pf_flow(run, run->t, run->y, run->dy)) return PF_RUN_TROUBLE;
  int condition = pf_breaks_holds(run, run->breaks); /* multipliers jump with the forces */
  if (condition >= 0) return stop_at(run, condition);
  return pf_flow(run, run->t, run->y, run->dy) ? PF_RUN_DONE : PF_RUN_TROUBLE;
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
  run->t_end = run->horizon;
  if (run->breaks) run->t_end = fmin(run->t_end, pf_breaks_next_instant(run, run->breaks));
}

/* y + h y' + h^2/2 y'' */
static void extrapolate(const PfMotionRun *run, double h, double *y)
{
  int n = run->n;
  for (int i = 0; i < n; i++) y[i] = run->y[i] + h*(run->y[n + i] + 0.5*h*run->dy[n + i]);
  for (int i = n; i < 2*n; i++) y[i] = run->y[i] + h*run->dy[i];
}

/* A step has failed since the forces of one side end at a surface: over to the other side. */
static bool cross_over(PfMotionRun *run, PfSampler *s, PfCut *cut)
{
  double most = run->fixed ? 2*run->options.step : fmax(10*(run->t - run->t_old), 1e-6*fabs(run->t));
  size_t bytes = 2*(size_t)run->n*sizeof *run->y;
  if (!run->breaks || !pf_flow(run, run->t, run->y, run->dy)) return false;
  if (!pf_breaks_nearest(run, run->breaks, most, cut)) return false;
  double h = cut->t - run->t;
  extrapolate(run, h + most, s->end);
  if (pf_flow(run, run->t + h + most, s->end, s->dy)) return false; /* they do not: it failed for another reason */
  extrapolate(run, h, s->end);
  memcpy(run->y_old, run->y, bytes);
  memcpy(run->dy_old, run->dy, bytes);
  memcpy(run->y, s->end, bytes);
  run->t_old = run->t;
  run->t = cut->t;
  run->jumped = true;
  return true;
}

static PfRunEnd one_step(PfMotionRun *run, PfSampler *s, PfStatus *status)
{
  set_stop(run);
  run->passed = false;
  PfRunEnd done = PF_RUN_DONE;
  if (is_instant(run)) done = go_straight(run) ? PF_RUN_DONE : PF_RUN_TROUBLE;
  else done = advance(run);
  PfCut over = {0};
  if ((done == PF_RUN_TROUBLE || done == PF_RUN_STEP) && cross_over(run, s, &over)) return follow(run, &over);
  if (done != PF_RUN_DONE) return done;
  PfCut cut = run->breaks ? pf_breaks_find(run, run->breaks) : (PfCut){.t = run->t};
  PfStepCut end = {run->t, run->y, cut.t < run->t};
  if (end.inside) {
    pf_interpolate(run, cut.t, s->end);
    if (!run->options.drift) (void)pf_project(run, cut.t, s->end);
    end.t = cut.t, end.y = s->end;
  } else if (!run->passed && (run->jumped || !run->method->direct) && !run->options.drift && pf_project(run, run->t, run->y)) {
    if (!pf_flow(run, run->t, run->y, run->dy)) return PF_RUN_TROUBLE;
  }
  pf_sample_work(run, s, end);
  double balance = pf_sample_statistics(run, end);
  *status = pf_sample_due(run, s, end, balance);
  if (*status != PF_OK) return PF_RUN_CANCELLED;
  if (end.inside && !go_back(run, s, cut.t)) return PF_RUN_TROUBLE;
  if (!end.inside && cut.kind == PF_CUT_SWITCH && !pf_flow(run, run->t, run->y, run->dy)) return PF_RUN_TROUBLE;
  done = follow(run, &cut);
  if (done != PF_RUN_DONE) return done;
  if (run->options.cancelled && run->options.cancelled(run->options.user, run->t)) return PF_RUN_CANCELLED;
  if (pf_context_is_cancelled(run->ctx)) return PF_RUN_CANCELLED;
  return PF_RUN_DONE;
}

/* ---------------------------------------------------------------- headway */

/* How far a number of steps has come: a motion that would take forever is recognised, and said. */
typedef struct Headway {
  long counted;   /* steps, tried ones too */
  double t;
  double longest; /* step so far */
  bool slow;      /* in the window before */
} Headway;

static bool makes_headway(const PfMotionRun *run, Headway *way)
{
  enum { WINDOW = 100000 };
  const PfRunResult *r = run->result;
  const double most = (double)run->options.most_steps;
  long count = r->steps + r->rejected;
  way->longest = fmax(way->longest, run->t - run->t_old);
  if (run->fixed || count - way->counted < WINDOW) return true;
  double left = run->horizon - run->t, gained = run->t - way->t;
  bool collapsed = gained < 1e-4*way->longest*WINDOW && gained*most < 100*left*WINDOW;
  bool slow = collapsed || gained*most < left*WINDOW, still = slow && way->slow;
  way->counted = count;
  way->t = run->t;
  way->slow = slow;
  return !still;
}

static PfStatus say_why(PfMotionRun *run, PfRunEnd end)
{
  switch (end) {
  case PF_RUN_TROUBLE:
    if (run->told) return PF_OK;
    if (run->trouble == PF_TROUBLE_NONE) return pf_fail(run->ctx, PF_ERR_NUMBER, "the motion is not finite after t = %.12g", run->t);
    (void)pf_trouble_report_at(run->ctx, run->system, run->values, run->trouble, run->row);
    pf_hint(run->ctx, "this happened after t = %.12g", run->t);
    return PF_OK;
  case PF_RUN_STEP:
    pf_fail(run->ctx, PF_ERR_NUMBER, "the step became too small at t = %.12g: the motion is singular there or too stiff for "
            "'%s'", run->t, run->method->name);
    return PF_OK;
  case PF_RUN_LIMIT:
    pf_fail(run->ctx, PF_ERR_LIMIT, "more than %ld steps, at t = %.12g", run->options.most_steps, run->t);
    return PF_OK;
  case PF_RUN_STALL:
    pf_fail(run->ctx, PF_ERR_LIMIT, "the run makes no headway: the latest steps at t = %.12g are %.2g s long", run->t,
            run->t - run->t_old);
    pf_hint(run->ctx, "the motion is stiff or chatters there: try --by cvode_bdf, a smoother law of force, or more --most-steps");
    return PF_OK;
  default: return PF_OK;
  }
}

static PfStatus begin(PfMotionRun *run, PfSampler *s)
{
  PfRunResult *r = run->result;
  if (run->phase && run->phase->stuck_count && !run->options.drift) (void)pf_project(run, run->t, run->y);
  if (pf_watch_start(run)) r->end = report_rank_loss(run);
  if (r->end != PF_RUN_DONE) return PF_OK;
  if (!pf_flow(run, run->t, run->y, run->dy)) {
    r->end = PF_RUN_TROUBLE;
    return say_why(run, r->end);
  }
  pf_monitor_at(run, run->t, run->y, run->motion.multiplier);
  run->power = pf_monitor_power(run);
  r->energy_start = pf_monitor_kinetic(run) + pf_monitor_potential(run);
  run->balanced_start = pf_monitor_balanced(run);
  run->t_old = run->t;
  (void)pf_sample_statistics(run, (PfStepCut){run->t, run->y, false});
  PF_TRY(pf_sample_due(run, s, (PfStepCut){run->t, run->y, false}, 0));
  if (!run->breaks) return PF_OK;
  int condition = pf_breaks_holds(run, run->breaks);
  if (condition >= 0) r->end = stop_at(run, condition);
  return pf_flow(run, run->t, run->y, run->dy) ? PF_OK : say_why(run, r->end = PF_RUN_TROUBLE);
}

static PfStatus loop(PfMotionRun *run, PfSampler *s)
{
  PfStatus status = PF_OK;
  PfRunResult *r = run->result;
  Headway way = {.t = run->t};
  PF_TRY(begin(run, s));
  bool started = r->end == PF_RUN_DONE;
  while (run->t < run->horizon && r->end == PF_RUN_DONE && !(run->phase && run->phase->switched)) {
    if (r->steps + r->rejected >= run->options.most_steps) r->end = PF_RUN_LIMIT;
    else if (!makes_headway(run, &way)) r->end = PF_RUN_STALL;
    else r->end = one_step(run, s, &status);
    if (status != PF_OK) break;
  }
  r->t = run->t;
  if (status == PF_OK) status = pf_sample_last(run, s);
  if (run->options.final) memcpy(run->options.final, run->y, 2*(size_t)run->n*sizeof *run->y);
  if (started) (void)say_why(run, r->end);
  return status;
}

/* ---------------------------------------------------------------- making a run */

static void set_defaults(PfRunOptions *o)
{
  if (!(o->rtol > 0)) o->rtol = 1e-8;
  if (!(o->atol > 0)) o->atol = o->rtol/100;
  if (!o->method) o->method = "dopri5";
  if (!o->formulation) o->formulation = "multipliers";
  if (o->most_steps <= 0) o->most_steps = 100*1000*1000;
  if (isnan(o->rho)) o->rho = 0.9;
}

static PfStatus find_method(PfMotionRun *run)
{
  run->method = pf_method_find(run->options.method);
  if (run->method && run->n == 0) run->method = &pf_method_rest;
  if (!run->method) return pf_method_unknown(run->ctx, run->options.method);
  const PfRunOptions *o = &run->options;
  if (run->method == &pf_method_rest) return PF_OK;
  run->fixed = run->method->fixed && !(run->method->damped && (o->adaptive || !(o->step > 0)));
  if (run->fixed && !(o->step > 0))
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "the method '%s' needs a step: { step = 1e-3 }", run->method->name);
  if (!run->method->damped && (o->adaptive || o->printed))
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "only the alpha methods have %s, not '%s'",
                   o->adaptive ? "a choice between fixed and adaptive steps" : "a printed form", run->method->name);
  if (o->printed && !run->fixed)
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "the printed form of '%s' is for steps of one size: give a step",
                   run->method->name);
  return PF_OK;
}

/* With steps this much smaller than the whole the clock would stand still before the end. */
static PfStatus check_resolution(const PfMotionRun *run)
{
  const PfRunOptions *o = &run->options;
  const double most = 1e15; /* 1/DBL_EPSILON, rounded down */
  double span = fmax(fabs(run->t), fabs(run->t_end));
  if (run->fixed && span/o->step > most)
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "the step %g is too small: at t = %g it no longer moves the time", o->step, span);
  if (o->every > 0 && span/o->every > most)
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "samples every %g s are too close: there would be %.2g of them", o->every,
                   (run->t_end - run->t)/o->every);
  return PF_OK;
}

static PfStatus make_arrays(PfMotionRun *run, const double *values, PfSampler *s)
{
  size_t n = (size_t)run->n, count = (size_t)run->symbols->count;
  run->values = pf_run_array(run, double, count);
  run->y = pf_run_array(run, double, 2*n);
  run->y_old = pf_run_array(run, double, 2*n);
  run->dy = pf_run_array(run, double, 2*n);
  run->dy_old = pf_run_array(run, double, 2*n);
  run->motion.acceleration = pf_run_array(run, double, n);
  run->motion.multiplier = pf_run_array(run, double, run->m);
  s->y = pf_run_array(run, double, 2*n);
  s->dy = pf_run_array(run, double, 2*n);
  s->end = pf_run_array(run, double, 2*n);
  bool good = run->values && run->y && run->y_old && run->dy && run->dy_old && run->motion.acceleration &&
              run->motion.multiplier && s->y && s->dy && s->end;
  if (!good) return PF_ERR_MEMORY;
  memcpy(run->values, values, count*sizeof *values);
  memcpy(run->y, values + run->symbols->q, 2*n*sizeof *values);
  run->t = run->t_old = values[run->symbols->time];
  run->t_end = run->horizon = run->options.t_end;
  s->last = NAN;
  return PF_OK;
}

static PfStatus prepare(PfMotionRun *run, const double *values, PfSampler *s)
{
  const PfFormulation *formulation = pf_formulation_find(run->options.formulation);
  if (!formulation)
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "there is no formulation '%s'", run->options.formulation);
  PF_TRY(find_method(run));
  PF_TRY(make_arrays(run, values, s));
  PF_TRY(check_resolution(run));
  if (run->options.every > 0) s->next_every = (long)ceil(run->t/run->options.every - 1e-9);
  PF_TRY(pf_solver_new(run->ctx, run->system, formulation, &run->solver));
  PF_TRY(pf_monitor_make(run));
  PF_TRY(pf_project_make(run));
  PF_TRY(pf_watch_make(run));
  PF_TRY(pf_passage_make(run));
  if (!strcmp(run->options.formulation, "multipliers")) PF_TRY(pf_closed_make(run, &run->closed));
  PF_TRY(pf_breaks_make(run, run->phase, &run->breaks));
  return run->method->prepare(run);
}

void pf_run_copy_inputs(const PfMotionRun *run, double *values)
{
  const PfSymbols *in = run->symbols;
  memcpy(values + in->inputs, run->values + in->inputs, (size_t)(in->q - in->inputs)*sizeof *values);
}

PfStatus pf_run_phase(PfContext *ctx, const PfSystem *system, const double *values, const PfRunOptions *options,
                      PfPhaseRun *phase, PfRunResult *result)
{
  *result = (PfRunResult){.weakest = 1, .weakest_row = -1};
  const PfEquations *eq = pf_system_equations(system);
  PfMotionRun run = {.ctx = ctx, .system = system, .symbols = pf_system_symbols(system), .options = *options,
               .result = result, .phase = phase, .n = eq->n, .m = eq->m};
  PfSampler sampler = {0};
  set_defaults(&run.options);
  run.arena = pf_arena_new(pf_context_allocator(ctx));
  if (!run.arena) return pf_fail(ctx, PF_ERR_MEMORY, "no room for the run");
  PfStatus status = prepare(&run, values, &sampler);
  if (status == PF_OK) status = loop(&run, &sampler);
  if (run.method && run.method->release && run.data) run.method->release(&run);
  if (run.projection) pf_manifold_release(run.projection);
  if (run.breaks) pf_breaks_release(run.breaks);
  if (run.closed) pf_closed_release(run.closed);
  pf_tape_free(run.monitor);
  pf_solver_free(run.solver);
  pf_arena_free(run.arena);
  return status;
}
