/* SPDX-License-Identifier: Apache-2.0 */
/* The watch over the rank of the constraints along a run (rank.c has its measure). A run may step right over an instant
 * where the margin vanishes, with accelerations that stay finite; so where it goes down fast, its zero is looked for
 * ahead, and where it may have passed one, from the beginning of the last step. */
#include "form/solver.h"
#include "runtime/pf_runge_kutta.h"
#include "time/manifold.h"
#include "time/rank.h"

#include <math.h>
#include <string.h>

PfStatus pf_watch_make(PfMotionRun *run)
{
  PfWatch *w = run->watch = pf_run_array(run, PfWatch, 1);
  if (!w) return PF_ERR_MEMORY;
  PF_TRY(pf_rank_make(run, w));
  w->seen = -INFINITY;
  w->arrived = INFINITY;
  w->lost = fmin(1e-6, 0.01*w->now);
  return pf_checkpoint_members(run->arena, &run->checkpoint, w, now, gone) ? PF_OK : PF_ERR_MEMORY;
}

static void note(PfMotionRun *run, const PfWatch *w, double size, double t)
{
  if (size >= run->result.weakest) return;
  run->result.weakest = size;
  run->result.weakest_t = t;
  run->result.weakest_row = w->row;
}

bool pf_watch_start(PfMotionRun *run)
{
  PfWatch *w = run->watch;
  if (!w->singular) return false;
  note(run, w, w->now, run->state.t);
  run->result.weakest_row = pf_rank_first_lost(run, w);
  return true;
}

static double measure_inside(PfMotionRun *run, PfWatch *w, double t)
{
  run->stepper.method->interpolate(run, t, w->y);
  return pf_rank_margin(run, w, t, w->y);
}

/* ---------------------------------------------------------------- ahead */

/* Derivative of the margin along the motion, by a difference quotient. */
static double slope(PfMotionRun *run, PfWatch *w, double t, const double *y, const double *dy, double now, double h)
{
  double small = 1e-6*h;
  for (int i = 0; i < 2*run->n; i++) w->y[i] = y[i] + small*dy[i];
  return (pf_rank_margin(run, w, t + small, w->y) - now)/small;
}

/* How far ahead to look: as far as the next step may go, further when little is left, because steps may become shorter
 * and shorter there, and all the way when it is very little. Methods with a fixed step do not know that the last steps
 * before a loss are too long for them: what they make of them is not to be trusted, so they are warned some steps
 * earlier. */
static double reach(const PfMotionRun *run, const PfWatch *w)
{
  double last = run->state.t - run->state.t_old, next = fmax(2*last, 1.5*run->state.h);
  return w->now < 0.01 ? INFINITY : w->now < 0.3 ? 10*next : run->stepper.fixed ? 4*last : next;
}

static int rate(void *user, double t, const double *y, double *dy)
{
  return !pf_flow(user, t, y, dy);
}

/* Goes ahead from w->ahead, whose derivative is k_0, by h in small steps of the classical Runge-Kutta method, or by
 * h/2, h/4, …: beyond a dead point no motion goes on. Returns how far it went, 0 when nowhere. */
static double go_on(PfMotionRun *run, PfWatch *w, double t, double h)
{
  enum { SMALL_STEPS = 8, HALVES = 6 };
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  memcpy(w->kept, w->ahead, bytes);
  memcpy(w->kept + 2*run->n, w->k, bytes);
  for (int half = 0; half < HALVES; half++, h *= 0.5) {
    bool good = true;
    for (int q = 0; q < SMALL_STEPS && good; q++) {
      double from = t + q*h/SMALL_STEPS, small = h/SMALL_STEPS;
      good = pf_rk4_step(rate, run, 2*run->n, from, small, w->ahead, w->k, w->y) == 0;
      if (good) (void)pf_project(run, from + small, w->ahead);
      good = good && pf_flow(run, from + small, w->ahead, w->k);
    }
    if (good && pf_manifold_scaled_residual(run->projection, run->flow.values, PF_LEVEL_POSITION) < 1e-9) return h;
    memcpy(w->ahead, w->kept, bytes);
    memcpy(w->k, w->kept + 2*run->n, bytes);
  }
  return 0;
}

/* From the state in w->ahead, with its derivative, half the way to where the margin would vanish, again and again: at a
 * loss of rank the margin halves each time and the way becomes shorter; otherwise the row only decays. */
static bool vanishes_ahead(PfMotionRun *run, PfWatch *w, double t, double first, double fall, double furthest)
{
  double now = first, mark = INFINITY;
  for (int i = 0; i < 60 && fall < 0; i++) {
    double h = -0.5*now/fall, before = now;
    if ((!(t + h < furthest) && now > 0.25*first) || t + h >= run->state.t_end) return false;
    if (i%4 == 0 && !(h < 0.7*mark)) return false;
    if (i%4 == 0) mark = h;
    h = go_on(run, w, t, h);
    if (!(h > 0)) return now < 1e-3; /* so near that the accelerations are not found any more */
    t += h;
    w->seen = t + h;
    now = pf_rank_margin(run, w, t, w->ahead);
    if (now < w->lost) return true;
    if (!(now < 0.8*before)) return false;
    fall = slope(run, w, t, w->ahead, w->k, now, h);
  }
  return false;
}

/* Is there a loss of rank before `furthest`, from this state on? */
static bool is_ahead(PfMotionRun *run, PfWatch *w, double t, const double *y, const double *dy, double now,
                     double furthest)
{
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  long evaluations = run->result.evaluations;
  double fall = slope(run, w, t, y, dy, now, run->state.t - run->state.t_old);
  w->announced = false;
  if (!(fall < 0) || now > (t - furthest)*fall) return false;
  memcpy(w->ahead, y, bytes);
  memcpy(w->k, dy, bytes);
  w->announced = vanishes_ahead(run, w, t, now, fall, furthest);
  w->gone = false;
  run->result.evaluations = evaluations; /* not work of the method */
  return w->announced;
}

static bool is_near(PfMotionRun *run, PfWatch *w)
{
  return is_ahead(run, w, run->state.t, run->state.y, run->state.dy, w->now, run->state.t + reach(run, w));
}

/* ---------------------------------------------------------------- losses in the last step */

typedef double (*Measuring)(PfMotionRun *run, PfWatch *w, double t);

/* Golden section: near a loss of rank the margin behaves like |t - t0|, which has no derivative there. */
static double find_minimum(PfMotionRun *run, PfWatch *w, Measuring at, double a, double b, double resolution, double *t)
{
  const double golden = 0.61803398874989485;
  double x1 = b - golden*(b - a), x2 = a + golden*(b - a), f1 = at(run, w, x1), f2 = at(run, w, x2);
  for (int k = 0; k < 60 && b - a > resolution; k++) {
    if (f1 < f2) {
      b = x2, x2 = x1, f2 = f1;
      f1 = at(run, w, x1 = b - golden*(b - a));
    } else {
      a = x1, x1 = x2, f1 = f2;
      f2 = at(run, w, x2 = a + golden*(b - a));
    }
  }
  *t = f1 < f2 ? x1 : x2;
  return fmin(f1, f2);
}

/* Was there a loss of rank in the last step? There may have been one when the margin inside the step is far below both
 * ends. The step itself is not reliable evidence: the motion is repeated from shortly before. If there was one, the run
 * is put back to the beginning of the step. */
static bool was_passed(PfMotionRun *run, PfWatch *w)
{
  enum { PARTS = 8 };
  PfState *at = &run->state;
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  double t, *y = w->kept, *dy = w->kept + 2*run->n, h = (at->t - at->t_old)/PARTS;
  double first = measure_inside(run, w, at->t_old), last = measure_inside(run, w, at->t), least = INFINITY;
  int where = 0;
  for (int i = 1; i < PARTS; i++) {
    double now = measure_inside(run, w, at->t_old + i*h);
    if (now < least) least = now, where = i;
  }
  double a = at->t_old + (where - 1)*h;
  least = find_minimum(run, w, measure_inside, a, a + 2*h, 1e-3*h, &t);
  if (!(least < 0.2*fmin(first, last) || last < 1e-3*first)) return false;

  double begin = at->t_old + 0.8*(t - at->t_old);
  run->stepper.method->interpolate(run, begin, y);
  (void)pf_project(run, begin, y);
  if (!pf_flow(run, begin, y, dy)) return false;
  double now = pf_rank_margin(run, w, begin, y);
  if (!is_ahead(run, w, begin, y, dy, now, INFINITY)) return false;
  if (w->seen > at->t + 0.1*(at->t - at->t_old)) return w->announced = false;
  if (!pf_flow(run, at->t_old, at->y_old, at->dy_old)) return w->announced = false;
  memcpy(at->y, at->y_old, bytes);
  memcpy(at->dy, at->dy_old, bytes);
  at->t = at->t_old;
  run->stepper.restart = true;
  w->now = pf_rank_margin(run, w, at->t, at->y);
  return true;
}

/* ---------------------------------------------------------------- a step */

bool pf_watch_step(PfMotionRun *run)
{
  enum { ENOUGH = 3 };
  PfWatch *w = run->watch;
  PfFlow *flow = &run->flow;
  const PfState *at = &run->state;
  double before = w->now, last = at->t - at->t_old, between, now;
  /* the smallest margin inside the step: at the stages, when the accelerations came with it, else in the middle */
  if (flow->margins >= ENOUGH) between = flow->margin_least;
  else {
    pf_hermite(run, 0.5*(at->t_old + at->t), w->y);
    between = pf_rank_margin(run, w, 0.5*(at->t_old + at->t), w->y);
  }
  /* the margin at its end, which the latest evaluation of the accelerations may have computed */
  if (flow->known && flow->margin_t == at->t) {
    w->row = flow->margin_row;
    pf_solver_raise_lengths(flow->solver, w->typical);
    now = flow->margin;
  } else {
    now = pf_rank_margin(run, w, at->t, at->y);
    pf_rank_keep_lengths(run, w);
  }
  w->now = now;
  note(run, w, now, at->t);
  double smaller = fmin(before, now);
  /* else no step could have passed a zero */
  bool low = smaller < 0.3 || smaller < 2*fabs(now - before) || between < 0.7*smaller;
  bool falls = now < before && now*last < (before - now)*reach(run, w);
  if (!low && !falls) return false;
  w->sampled = INFINITY;
  if ((low && was_passed(run, w)) || is_near(run, w)) return true;
  w->gone = w->announced = now < w->lost && before >= w->lost;
  if (w->gone) w->seen = at->t;
  else if (w->now < 0.01) {
    /* a row that has become short without being about to vanish is measured by its new length from now on */
    (void)pf_rank_margin(run, w, at->t, at->y);
    w->typical[w->row] = w->length[w->row];
  }
  return w->gone;
}

bool pf_watch_ahead(PfMotionRun *run)
{
  PfWatch *w = run->watch;
  if (!(run->state.t > run->state.t_old) || !pf_flow(run, run->state.t, run->state.y, run->state.dy)) return false;
  w->now = pf_rank_margin(run, w, run->state.t, run->state.y);
  w->sampled = INFINITY;
  return is_near(run, w);
}

/* ---------------------------------------------------------------- to the loss, and over it if the options say so */

static double measure_piece(PfMotionRun *run, PfWatch *w, double t)
{
  pf_collocation_at(run, t, w->y);
  return pf_rank_margin(run, w, t, w->y);
}

/* Finds the motion as a polynomial from here to as far beyond the loss, and locates the loss on it: *d gets its
 * distance. */
static bool bridge(PfMotionRun *run, PfWatch *w, double *d)
{
  for (int trial = 0; trial < 4; trial++) {
    double before = *d;
    if (!pf_collocation_try(run, 2*before, w->now)) return false;
    double least = find_minimum(run, w, measure_piece, run->state.t + 0.5*before, run->state.t + 1.5*before,
                                1e-13*fmax(1, fabs(run->state.t)), &w->seen);
    if (!(least < 0.01*w->now)) return false;
    *d = w->seen - run->state.t;
    if (fabs(*d - before) < 0.02*before) return true; /* else a node of the polynomial may be too near to the loss */
  }
  return false;
}

/* Moves the run on by up to h as a polynomial (collocation.c); by less where the motion changes fast. False when none
 * is found. */
static bool walk(PfMotionRun *run, PfWatch *w, double h)
{
  double part = h;
  while (part > 1e-3*h && !pf_collocation_try(run, part, w->now)) part *= 0.5;
  if (!(part > 1e-3*h) || !(run->state.t + part > run->state.t)) return false;
  pf_collocation_accept(run, run->state.t + part);
  w->now = pf_rank_margin(run, w, run->state.t, run->state.y);
  return true;
}

/* Puts the loss into the result of the run. */
static void tell(PfMotionRun *run, const PfWatch *w, double size)
{
  run->result.weakest = size;
  run->result.weakest_t = w->seen;
  run->result.weakest_row = pf_rank_first_lost(run, w);
}

/* Half of the way to the loss. Seen from there it may lie elsewhere, or not exist. */
static PfPass approach(PfMotionRun *run, PfWatch *w, double d)
{
  double seen = w->seen;
  if (w->now < 1e-4) {
    /* where constraints on velocities lose rank, neighbouring motions diverge before it, and no polynomial is found:
     * the gap is crossed with constant accelerations */
    if (!run->options.keep_going || !pf_collocation_leap(run, 2*d)) return PF_PASS_END;
    tell(run, w, fmin(w->now, run->result.weakest));
    pf_collocation_accept(run, fmin(run->state.t + 2*d, run->state.t_end));
    w->now = pf_rank_margin(run, w, run->state.t, run->state.y);
    return PF_PASS_LEAP;
  }
  if (!walk(run, w, 0.5*d)) return PF_PASS_END;
  if (seen - run->state.t > 0.6*w->sampled ||
      is_ahead(run, w, run->state.t, run->state.y, run->state.dy, w->now, INFINITY)) return PF_PASS_STEP;
  w->announced = w->now < 0.01; /* so near that the search ahead cannot resolve it any more */
  w->seen = seen;
  return PF_PASS_STEP;
}

PfPass pf_watch_pass(PfMotionRun *run)
{
  PfWatch *w = run->watch;
  double d = w->seen - run->state.t;
  if (!w->announced) return PF_PASS_NONE;
  if (w->gone) {
    w->announced = w->gone = false;
    tell(run, w, w->now);
    return run->options.keep_going ? PF_PASS_GONE : PF_PASS_END;
  }
  if (run->state.t >= w->arrived) return PF_PASS_END;
  if (d <= 0) {
    /* after a loss, as before it, steps of a fixed size are too long: shorter ones by polynomials are taken until it is
     * 20 steps away */
    double h = run->options.step;
    if (run->stepper.fixed && -d < 20*h && walk(run, w, fmin(fmin(h, -d), run->state.t_end - run->state.t)))
      return PF_PASS_STEP;
    w->announced = false;
    return PF_PASS_NONE;
  }
  bool sample = !(d > 0.6*w->sampled);
  if (sample) w->sampled = d;
  if (!sample || !bridge(run, w, &d)) {
    PfPass pass = approach(run, w, d);
    if (pass == PF_PASS_END) tell(run, w, fmin(w->now, run->result.weakest));
    return pass;
  }
  double least = measure_piece(run, w, w->seen);
  /* a little before it: at the loss itself rounding would decide which row is lost */
  (void)measure_piece(run, w, w->seen - 0.01*d);
  tell(run, w, least);
  if (!run->options.keep_going) {
    bool walked = walk(run, w, (1 - 1e-5)*d);
    w->arrived = w->seen - run->state.t < 1e-4*d ? run->state.t : INFINITY;
    return walked ? PF_PASS_STEP : PF_PASS_END;
  }
  pf_collocation_accept(run, fmin(run->state.t + 2*d, run->state.t_end));
  w->now = pf_rank_margin(run, w, run->state.t, run->state.y);
  return PF_PASS_OVER;
}
