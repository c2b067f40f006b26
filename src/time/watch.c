/* Watch over the independence of the constraints. Its measure is the smallest part of a row of A that the rows before it do
 * not have, each row of length one in the metric of M^-1: 1 when they are orthogonal, 0 when one follows from the others;
 * its square is the smallest pivot of A M^-1 A^T. A run may step right over an instant where it vanishes, with
 * accelerations that stay finite; so where the measure goes down fast, its zero is looked for ahead, and where it may have
 * passed one, in the last step. */
#include "time/manifold.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

typedef struct Watch {
  double *rows;   /* m x n: what is left of each row */
  double *length; /* m: of the rows themselves */
  bool *taken;    /* m: the rows that were found independent */
  bool *idle;     /* m: rows that vanish wherever the constraints hold */
  int rank;       /* as many are independent from the start; the others are redundant, now these and then those */
  double *y, *ahead, *k; /* states: inside a step, ahead of it with its 4 derivatives */
  double now;            /* measure at the end of the last step */
  int row;
  bool singular;         /* rows are dependent at the start that are independent nearby */
  double seen;           /* time of a loss that was reported */
  bool told;             /* it is not over yet */
} Watch;

static const double lost = 1e-6;
static const double empty_row = 1e-13; /* beside the largest one: what rounding leaves of a row of zeros */

static void load_rows(PfMotionRun *run, Watch *w, double t, const double *y)
{
  size_t n = (size_t)run->n;
  run->values[run->symbols->time] = t;
  memcpy(run->values + run->symbols->q, y, 2*n*sizeof *y);
  memcpy(w->rows, pf_manifold_rows(run->projection, run->values), (size_t)run->m*n*sizeof *w->rows);
  double most = 0;
  for (int i = 0; i < run->m; i++) {
    w->length[i] = w->idle[i] ? 0 : pf_norm(w->rows + (size_t)i*n, run->n);
    w->taken[i] = false;
    most = fmax(most, w->length[i]);
  }
  for (int i = 0; i < run->m; i++)
    if (w->length[i] < empty_row*most) w->length[i] = 0;
}

/* What is left of row i, as a part of it; it becomes a direction that is taken out of the others. */
static double take_row(const PfMotionRun *run, Watch *w, int i)
{
  int n = run->n;
  double *row = w->rows + (size_t)i*(size_t)n, left = pf_norm(row, n);
  w->taken[i] = true;
  if (!(w->length[i] > 0)) return 0;
  for (int j = 0; j < n; j++) row[j] = left > 0 ? row[j]/left : 0;
  for (int k = 0; k < run->m; k++) {
    double *other = w->rows + (size_t)k*(size_t)n, part = w->taken[k] ? 0 : pf_dot(row, other, n);
    for (int j = 0; j < n && part != 0; j++) other[j] -= part*row[j];
  }
  return left/w->length[i];
}

/* In the order they are written, but with redundant rows the one of which most is left. */
static int next_row(const PfMotionRun *run, const Watch *w)
{
  int best = -1;
  double most = -1;
  for (int i = 0; i < run->m; i++) {
    if (w->taken[i]) continue;
    if (w->rank == run->m) return i;
    double part = w->length[i] > 0 ? pf_norm(w->rows + (size_t)i*(size_t)run->n, run->n)/w->length[i] : 0;
    if (part > most) most = part, best = i;
  }
  return best;
}

/* Modified Gram-Schmidt: the smallest part of a row that was new. */
static double measure(PfMotionRun *run, Watch *w, double t, const double *y)
{
  double smallest = 1;
  load_rows(run, w, t, y);
  for (int k = 0; k < w->rank; k++) {
    int row = next_row(run, w);
    double part = take_row(run, w, row);
    if (part < smallest) smallest = part, w->row = row;
  }
  return smallest;
}

/* After a measurement. Constraints on accelerations have no row here, and are not judged. */
static bool is_redundant(const PfMotionRun *run, const Watch *w, int i)
{
  return !w->taken[i] && pf_system_equations(run->system)->velocity[i] != PF_EXPR_NONE;
}

static int rank_at(PfMotionRun *run, Watch *w, const double *y)
{
  w->rank = run->m;
  while (measure(run, w, run->t, y) < lost && w->rank > 0) w->rank--;
  return w->rank;
}

/* A state near the start, first anywhere, then where the constraints hold; false when it is not found. `noise` is that
 * of a linear congruential generator: the same in every run. */
static bool go_nearby(PfMotionRun *run, Watch *w, unsigned *noise, double *length)
{
  int n = run->n;
  for (int i = 0; i < 2*n; i++) {
    *noise = *noise*1664525u + 1013904223u;
    w->y[i] = run->y[i] + 0.02*((*noise >> 16)/65536.0 - 0.5)*(1 + fabs(run->y[i]));
  }
  load_rows(run, w, run->t, w->y);
  memcpy(length, w->length, (size_t)run->m*sizeof *length);
  (void)pf_project(run, run->t, w->y);
  return pf_first_not_finite(w->y, 2*(size_t)n) < 0 &&
         pf_manifold_miss(run->projection, run->values, PF_LEVEL_POSITION, NULL) <= 1e-10;
}

/* Rows that are empty at the start and, beside what they are elsewhere, at all states nearby where the constraints hold:
 * a loop that is overconstrained has such rows. */
static PfStatus find_idle(PfMotionRun *run, Watch *w)
{
  double *elsewhere = pf_run_array(run, double, run->m);
  bool *idle = pf_run_array(run, bool, run->m);
  unsigned noise = 7;
  int found = 0;
  if (!elsewhere || !idle) return PF_ERR_MEMORY;
  load_rows(run, w, run->t, run->y);
  const PfExpr *velocity = pf_system_equations(run->system)->velocity; /* constraints on accelerations have no row here */
  for (int i = 0; i < run->m; i++) idle[i] = w->length[i] == 0 && velocity[i] != PF_EXPR_NONE;
  for (int trial = 0; trial < 3; trial++) {
    if (!go_nearby(run, w, &noise, elsewhere)) continue;
    found++;
    load_rows(run, w, run->t, w->y);
    for (int i = 0; i < run->m; i++) idle[i] = idle[i] && w->length[i] <= 1e-6*elsewhere[i];
  }
  for (int i = 0; i < run->m; i++) w->idle[i] = found > 0 && idle[i];
  return PF_OK;
}

/* The rank near the start, where the constraints hold: rows may be dependent at the start alone. */
static PfStatus rank_nearby(PfMotionRun *run, Watch *w, int *most)
{
  double *elsewhere = pf_run_array(run, double, run->m);
  unsigned noise = 1;
  *most = 0;
  if (!elsewhere) return PF_ERR_MEMORY;
  for (int trial = 0; trial < 3; trial++) {
    if (!go_nearby(run, w, &noise, elsewhere)) continue;
    int rank = rank_at(run, w, w->y);
    *most = rank > *most ? rank : *most;
  }
  return PF_OK;
}

/* Rows that are redundant from the start are no loss. Inside a step they are redundant only as far as the constraints hold
 * there: the accelerations must bear that. */
PfStatus pf_watch_make(PfMotionRun *run)
{
  static const double drift = 1e-3;
  Watch *w = run->watch = pf_run_array(run, Watch, 1);
  if (!w) return PF_ERR_MEMORY;
  w->rows = pf_run_array(run, double, (size_t)run->m*(size_t)run->n);
  w->length = pf_run_array(run, double, run->m);
  w->taken = pf_run_array(run, bool, run->m);
  w->idle = pf_run_array(run, bool, run->m);
  w->y = pf_run_array(run, double, 2*(size_t)run->n);
  w->ahead = pf_run_array(run, double, 2*(size_t)run->n);
  w->k = pf_run_array(run, double, 8*(size_t)run->n);
  if (!w->rows || !w->length || !w->taken || !w->idle || !w->y || !w->ahead || !w->k) return PF_ERR_MEMORY;
  int rank = rank_at(run, w, run->y), nearby = rank;
  if (rank < run->m) {
    PF_TRY(find_idle(run, w));
    PF_TRY(rank_nearby(run, w, &nearby));
  }
  w->singular = run->m > 1 && nearby > rank;
  w->rank = w->singular ? nearby : rank;
  w->seen = -INFINITY;
  w->now = measure(run, w, run->t, run->y);
  for (int i = 0; i < run->m; i++)
    if (is_redundant(run, w, i)) pf_solver_tolerate(run->solver, drift);
  pf_solver_skip(run->solver, w->idle);
  return PF_OK;
}

static void note(PfMotionRun *run, const Watch *w, double size, double t)
{
  if (size >= run->result->weakest) return;
  run->result->weakest = size;
  run->result->weakest_t = t;
  run->result->weakest_row = w->row;
}

bool pf_watch_start(PfMotionRun *run)
{
  Watch *w = run->watch;
  if (!w->singular) return false;
  note(run, w, w->now, run->t);
  w->told = true;
  w->seen = run->t;
  return true;
}

bool pf_watch_choose(PfMotionRun *run, bool *dropped)
{
  Watch *w = run->watch;
  bool any = false;
  (void)measure(run, w, run->t, run->y);
  for (int i = 0; i < run->m; i++) any |= dropped[i] = is_redundant(run, w, i);
  return any;
}

bool pf_watch_choice_serves(PfMotionRun *run, const bool *dropped)
{
  Watch *w = run->watch;
  double smallest = 1, best = measure(run, w, run->t, run->y);
  load_rows(run, w, run->t, run->y);
  for (int i = 0; i < run->m; i++)
    if (!dropped[i] && w->length[i] > 0) smallest = fmin(smallest, take_row(run, w, i));
  return smallest > 0.3*best;
}

static double measure_inside(PfMotionRun *run, Watch *w, double t)
{
  run->method->interpolate(run, t, w->y);
  return measure(run, w, t, w->y);
}

/* Golden section on the last step. */
static double find_minimum(PfMotionRun *run, Watch *w, double *t)
{
  const double golden = 0.61803398874989485;
  double a = run->t_old, b = run->t, x1 = b - golden*(b - a), x2 = a + golden*(b - a);
  double f1 = measure_inside(run, w, x1), f2 = measure_inside(run, w, x2);
  for (int k = 0; k < 60 && b - a > 1e-13*fmax(1, fabs(b)); k++) {
    if (f1 < f2) {
      b = x2, x2 = x1, f2 = f1;
      f1 = measure_inside(run, w, x1 = b - golden*(b - a));
    } else {
      a = x1, x1 = x2, f1 = f2;
      f2 = measure_inside(run, w, x2 = a + golden*(b - a));
    }
  }
  *t = f1 < f2 ? x1 : x2;
  return measure_inside(run, w, *t);
}

/* ---------------------------------------------------------------- ahead */

/* Slope of the measure along the motion. */
static double slope(PfMotionRun *run, Watch *w, double t, const double *y, const double *dy, double now, double h)
{
  double small = 1e-6*h;
  for (int i = 0; i < 2*run->n; i++) w->y[i] = y[i] + small*dy[i];
  return (measure(run, w, t + small, w->y) - now)/small;
}

/* A step of the classical Runge-Kutta method from w->ahead, whose derivative is k_0; k_0 is renewed. */
static bool advance(PfMotionRun *run, Watch *w, double t, double h)
{
  static const double part[4] = {0, 0.5, 0.5, 1};
  int N = 2*run->n;
  double *k = w->k;
  for (int s = 1; s < 4; s++) {
    for (int i = 0; i < N; i++) w->y[i] = w->ahead[i] + part[s]*h*k[(s - 1)*N + i];
    if (!pf_flow(run, t + part[s]*h, w->y, k + (size_t)s*(size_t)N)) return false;
  }
  for (int i = 0; i < N; i++) w->ahead[i] += h/6*(k[i] + 2*k[N + i] + 2*k[2*N + i] + k[3*N + i]);
  (void)pf_project(run, t + h, w->ahead);
  return pf_flow(run, t + h, w->ahead, k);
}

/* How far ahead to look: as far as the next step may go, and all the way when little is left, because steps may become
 * shorter and shorter there. Methods with a fixed step do not know that the last steps before a loss are too long for them:
 * what they make of them is not to be trusted, so they are warned some steps earlier. */
static double reach(const PfMotionRun *run, const Watch *w)
{
  double last = run->t - run->t_old;
  return w->now < 0.01 ? INFINITY : run->fixed ? 4*last : fmax(2*last, 1.5*run->h);
}

/* Goes half of the way to where the measure would vanish, again and again: it must halve each time. */
static bool vanishes_ahead(PfMotionRun *run, Watch *w, double fall, double *when)
{
  enum { SMALL_STEPS = 8 };
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  double t = run->t, now = w->now, furthest = run->t + reach(run, w);
  memcpy(w->ahead, run->y, bytes);
  memcpy(w->k, run->dy, bytes);
  for (int i = 0; i < 60 && fall < 0; i++) {
    double h = -0.5*now/fall, before = now;
    if ((!(t + h < furthest) && now > 0.25*w->now) || t + h >= run->t_end) return false;
    bool good = true;
    for (int q = 0; q < SMALL_STEPS && good; q++) good = advance(run, w, t + q*h/SMALL_STEPS, h/SMALL_STEPS);
    t += h;
    *when = t + h;
    if (!good) return now < 1e-3; /* so near that the accelerations are not found any more */
    now = measure(run, w, t, w->ahead);
    if (now < lost) return true;
    if (!(now < 0.75*before)) return false;
    fall = slope(run, w, t, w->ahead, w->k, now, h);
  }
  return false;
}

/* Is there a loss of rank before the next step ends? */
static bool is_near(PfMotionRun *run, Watch *w)
{
  long evaluations = run->result->evaluations;
  double fall = slope(run, w, run->t, run->y, run->dy, w->now, run->t - run->t_old), when;
  if (!(fall < 0) || w->now > -reach(run, w)*fall) return false;
  bool near = vanishes_ahead(run, w, fall, &when);
  run->result->evaluations = evaluations; /* not work of the method */
  if (near) note(run, w, 0.5*lost, when);
  return near;
}

/* ---------------------------------------------------------------- behind */

/* Do the tangents at both ends of the step meet far below? Where the measure vanishes it is like |t - t0|. */
static bool may_vanish(PfMotionRun *run, Watch *w)
{
  double h = run->t - run->t_old, small = 1e-4*h;
  double first = measure_inside(run, w, run->t_old), last = measure_inside(run, w, run->t);
  double down = (first - measure_inside(run, w, run->t_old + small))/small;
  double up = (last - measure_inside(run, w, run->t - small))/small;
  if (!(down > 0 && up > 0)) return false;
  double x = (first - last + up*h)/(down + up); /* where they meet */
  return first - down*x < 0.5*fmin(first, last);
}

/* ---------------------------------------------------------------- a step */

/* The measure at the end of the step; the latest evaluation may have brought it along. */
static double measure_now(PfMotionRun *run, Watch *w)
{
  if (run->margin_t != run->t || isnan(run->margin)) return measure(run, w, run->t, run->y);
  w->row = run->margin_row;
  return run->margin;
}

bool pf_watch_step(PfMotionRun *run)
{
  Watch *w = run->watch;
  double before = w->now, t, least = w->now = measure_now(run, w);
  note(run, w, least, run->t);
  double smaller = fmin(before, least);
  bool low = smaller < 0.3 || smaller < 2*fabs(least - before); /* else too far from zero for one step */
  if (!low && !(least < before && least*(run->t - run->t_old) < (before - least)*reach(run, w))) return false;
  if (w->told) {
    if (run->t > w->seen && w->now > 1e-3) w->told = false;
    return false;
  }
  if (low && may_vanish(run, w)) {
    double found = find_minimum(run, w, &t);
    note(run, w, found, t);
    least = fmin(least, found);
  }
  if (!(least < lost) && !is_near(run, w)) return false;
  w->told = true;
  w->seen = run->result->weakest_t;
  return true;
}

bool pf_watch_ahead(PfMotionRun *run)
{
  Watch *w = run->watch;
  if (w->told || !(run->t > run->t_old) || !pf_flow(run, run->t, run->y, run->dy)) return false;
  w->now = measure(run, w, run->t, run->y);
  w->told = is_near(run, w);
  w->seen = run->result->weakest_t;
  return w->told;
}

/* ---------------------------------------------------------------- over it, when asked to */

/* Accelerations are smooth up to the loss and beyond, but cannot be had near it: the step over it is that of Taylor's
 * polynomial. */
static void leap(int n, double h, double *y, const double *dy)
{
  for (int i = 0; i < n; i++) {
    y[i] += h*(y[n + i] + 0.5*h*dy[n + i]);
    y[n + i] += h*dy[n + i];
  }
}

/* Runge-Kutta steps from w->ahead at t to the end, shorter and shorter towards the loss and longer and longer beyond, where
 * motions part quickly. */
static bool walk(PfMotionRun *run, Watch *w, double t, double end)
{
  enum { SMALL_STEPS = 16 };
  while (t < end) {
    double d = w->seen - t, h = fmin(fmax(0.5*d, -0.25*d), end - t);
    bool good = true;
    if (d > 0 && measure(run, w, t, w->ahead) < 1e-4) {
      h = 2*d;
      leap(run->n, h, w->ahead, w->k);
      (void)pf_project(run, t + h, w->ahead);
      good = pf_flow(run, t + h, w->ahead, w->k);
    } else {
      for (int q = 0; q < SMALL_STEPS && good; q++) good = advance(run, w, t + q*h/SMALL_STEPS, h/SMALL_STEPS);
    }
    if (!good || !(t + h > t)) return false;
    t += h;
  }
  return true;
}

static void keep_old(PfMotionRun *run)
{
  size_t bytes = 2*(size_t)run->n*sizeof *run->y;
  memcpy(run->y_old, run->y, bytes);
  memcpy(run->dy_old, run->dy, bytes);
  run->t_old = run->t;
  run->jumped = run->restart = true;
}

/* Steps of fixed size that are near a loss are too long for their methods: they are walked. */
static bool walk_step(PfMotionRun *run, Watch *w)
{
  size_t bytes = 2*(size_t)run->n*sizeof *run->y;
  double h = run->options.step, end = fmin(run->t + h, run->t_end);
  if (!(run->t > w->seen - 5*h && run->t < w->seen + 4*h)) return false;
  if (run->t_end - end < 1e-9*h) end = run->t_end;
  if (end > w->seen && end < w->seen + 1e-3*h) end = fmin(w->seen + 1e-3*h, run->t_end); /* not on it */
  memcpy(w->ahead, run->y, bytes);
  memcpy(w->k, run->dy, bytes);
  if (!walk(run, w, run->t, end)) return false;
  keep_old(run);
  memcpy(run->y, w->ahead, bytes);
  memcpy(run->dy, w->k, bytes);
  run->t = end;
  w->now = measure(run, w, run->t, run->y);
  if (run->t > w->seen) w->told = false;
  return true;
}

/* Methods that choose their step come near by themselves, until one part in ten thousand is left. */
bool pf_watch_jump(PfMotionRun *run)
{
  Watch *w = run->watch;
  double d = w->seen - run->t;
  if (run->fixed) return walk_step(run, w);
  if (!w->told || !(d > 0) || w->now > 1e-4) return false;
  keep_old(run);
  run->t = fmin(run->t + 2*d, run->t_end);
  leap(run->n, run->t - run->t_old, run->y, run->dy);
  if (!run->options.drift) (void)pf_project(run, run->t, run->y);
  w->now = lost;
  return pf_flow(run, run->t, run->y, run->dy);
}
