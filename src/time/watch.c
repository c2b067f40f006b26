/* The rank of the constraints along a run. Its measure is the rank margin: Gram-Schmidt on the rows of A, in the metric
 * of M^-1, leaves of each row what is no combination of the rows before it; the smallest of these rests, each in units
 * of the largest length that its row has had so far, is the margin. It is 1 when the rows are orthogonal, and 0 when
 * one follows from the others or vanishes; its square is the smallest pivot of A M^-1 A^T over the diagonal element it
 * started as. A run may step right over an instant where it vanishes, with accelerations that stay finite; so where the
 * measure goes down fast, its zero is looked for ahead, and where it may have passed one, from the beginning of the
 * last step. */
#include "form/solver.h"
#include "time/manifold.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

typedef struct Watch {
  double *rows;   /* m x n: A in the metric; then what Gram-Schmidt has left of each row */
  double *length; /* m: of the rows before that */
  double *square; /* m: square of the unit in which a row is measured (shared with the projection) */
  double *part;   /* m: what was left of each row, in this unit */
  bool *taken;    /* m: rows that were orthogonalised: the independent ones */
  bool *idle;     /* m: rows that vanish wherever the constraints hold */
  int rank;       /* of A at the start; m - rank rows are redundant, and which ones may change along the motion */
  double *y, *ahead, *k, *kept; /* workspace: states in a step and ahead of it, Runge-Kutta stages, copies */
  double now;            /* margin at the end of the last step */
  double lost;           /* below this margin the rank is lost */
  int row;
  bool singular;         /* rows are dependent at the start that are independent nearby */
  double seen;           /* time of the loss of rank that is ahead or was passed */
  bool told;             /* `seen` is a loss that the run still has to deal with */
  double arrived;        /* time at which the run has stopped before it, or INFINITY */
  double looked;         /* distance of `seen` when a polynomial over it was last tried; INFINITY: not yet */
  bool gone;             /* a row has vanished for good */
} Watch;

static const double empty_row = 1e-13; /* relative to the largest row: what rounding leaves of a row of zeros */

static void load_rows(PfMotionRun *run, Watch *w, double t, const double *y)
{
  size_t n = (size_t)run->n;
  run->flow.values[run->symbols->time] = t;
  memcpy(run->flow.values + run->symbols->q, y, 2*n*sizeof *y);
  memcpy(w->rows, pf_manifold_rows(run->projection, run->flow.values), (size_t)run->m*n*sizeof *w->rows);
  double most = 0;
  for (int i = 0; i < run->m; i++) {
    w->length[i] = w->idle[i] ? 0 : pf_norm(w->rows + (size_t)i*n, run->n);
    w->taken[i] = false;
    w->part[i] = 1;
    most = fmax(most, w->length[i]);
  }
  for (int i = 0; i < run->m; i++)
    if (w->length[i] < empty_row*most) w->length[i] = 0;
}

/* The length in which row i is measured. */
static double unit(const Watch *w, int i)
{
  return fmax(sqrt(w->square[i]), w->length[i]);
}

/* Normalises what is left of row i and subtracts its direction from the rows that follow. Returns the length that was
 * left, in the unit of the row. */
static double take_row(const PfMotionRun *run, Watch *w, int i)
{
  int n = run->n;
  double *row = w->rows + (size_t)i*(size_t)n, left = pf_norm(row, n);
  w->taken[i] = true;
  w->part[i] = 0;
  if (!(w->length[i] > 0)) return 0;
  for (int j = 0; j < n; j++) row[j] = left > 0 ? row[j]/left : 0;
  for (int k = 0; k < run->m; k++) {
    double *other = w->rows + (size_t)k*(size_t)n, part = w->taken[k] ? 0 : pf_dot(row, other, n);
    for (int j = 0; j < n && part != 0; j++) other[j] -= part*row[j];
  }
  return w->part[i] = left/unit(w, i);
}

/* In the order in which they are written; where rows are redundant, the one of which most is left. */
static int next_row(const PfMotionRun *run, const Watch *w)
{
  int best = -1;
  double most = -1;
  for (int i = 0; i < run->m; i++) {
    if (w->taken[i]) continue;
    if (w->rank == run->m) return i;
    double part = w->length[i] > 0 ? pf_norm(w->rows + (size_t)i*(size_t)run->n, run->n)/unit(w, i) : 0;
    if (part > most) most = part, best = i;
  }
  return best;
}

/* The rank margin, by modified Gram-Schmidt. */
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

/* After measure(): of rows that are lost together, as in a chain of equal loops, the first that is written. */
static int first_lost(const PfMotionRun *run, const Watch *w)
{
  for (int i = 0; i < run->m; i++)
    if (w->taken[i] && w->part[i] <= 3*w->part[w->row]) return i;
  return w->row;
}

/* After measure(): the largest lengths so far. */
static void keep_lengths(const PfMotionRun *run, Watch *w)
{
  for (int i = 0; i < run->m; i++)
    if (isfinite(w->length[i])) w->square[i] = fmax(w->square[i], w->length[i]*w->length[i]);
}

/* After measure(). Constraints on accelerations have no row here, and are not judged. */
static bool is_redundant(const PfMotionRun *run, const Watch *w, int i)
{
  return !w->taken[i] && pf_system_equations(run->system)->velocity[i] != PF_EXPR_NONE;
}

/* The rank as `check` and the formulations decide it; a row whose length is rounding in its unit counts as zero. */
static PfStatus rank_at(PfMotionRun *run, Watch *w, double t, const double *y, int *rank)
{
  size_t n = (size_t)run->n;
  PfRows rows;
  load_rows(run, w, t, y);
  memcpy(w->rows, ((const PfManifold *)run->projection)->A, (size_t)run->m*n*sizeof *w->rows);
  for (int i = 0; i < run->m; i++)
    if (!(w->length[i] > PF_RANK_TOLERANCE*unit(w, i))) memset(w->rows + (size_t)i*n, 0, n*sizeof *w->rows);
  *rank = 0;
  if (pf_first_not_finite(w->rows, (size_t)run->m*n) >= 0) return PF_OK;
  PF_TRY(pf_rows_sort(run->ctx, run->arena, w->rows, run->m, run->n, PF_RANK_TOLERANCE, &rows));
  *rank = rows.rank;
  return PF_OK;
}

/* A random state near the start, in w->y, and a time near it, which is returned. */
static double go_away(const PfMotionRun *run, Watch *w, unsigned *noise)
{
  for (int i = 0; i < 2*run->n; i++) w->y[i] = pf_manifold_blur(run->state.y[i], noise);
  return pf_manifold_blur(run->state.t, noise);
}

/* A random state near the start, put on the constraints; `length` gets the lengths of the rows before that. False when
 * none is found. */
static bool go_nearby(PfMotionRun *run, Watch *w, unsigned *noise, double *length, double *t)
{
  *t = go_away(run, w, noise);
  load_rows(run, w, *t, w->y);
  memcpy(length, w->length, (size_t)run->m*sizeof *length);
  (void)pf_project(run, *t, w->y);
  return pf_first_not_finite(w->y, 2*(size_t)run->n) < 0 &&
         pf_manifold_miss(run->projection, run->flow.values, PF_LEVEL_POSITION, NULL) <= 1e-10;
}

/* Rows that vanish at the start and at all states nearby where the constraints hold, but not off the constraints: an
 * overconstrained loop has such rows. */
static PfStatus find_idle(PfMotionRun *run, Watch *w)
{
  double *elsewhere = pf_run_scratch(run, double, run->m);
  bool *idle = pf_run_scratch(run, bool, run->m);
  unsigned noise = 7;
  int found = 0;
  if (!elsewhere || !idle) return PF_ERR_MEMORY;
  load_rows(run, w, run->state.t, run->state.y);
  const PfExpr *velocity = pf_system_equations(run->system)->velocity; /* constraints on accelerations have no row here */
  for (int i = 0; i < run->m; i++) idle[i] = w->length[i] == 0 && velocity[i] != PF_EXPR_NONE;
  for (int trial = 0; trial < 3; trial++) {
    double t;
    if (!go_nearby(run, w, &noise, elsewhere, &t)) continue;
    found++;
    load_rows(run, w, t, w->y);
    for (int i = 0; i < run->m; i++) idle[i] = idle[i] && w->length[i] <= 1e-6*elsewhere[i];
  }
  for (int i = 0; i < run->m; i++) w->idle[i] = found > 0 && idle[i];
  return PF_OK;
}

/* The largest rank at states near the start where the constraints hold: at the start itself rows may be dependent by
 * chance. */
static PfStatus rank_nearby(PfMotionRun *run, Watch *w, int *most)
{
  double *elsewhere = pf_run_scratch(run, double, run->m);
  unsigned noise = 1;
  *most = 0;
  if (!elsewhere) return PF_ERR_MEMORY;
  for (int trial = 0; trial < 3; trial++) {
    int rank;
    double t;
    if (!go_nearby(run, w, &noise, elsewhere, &t)) continue;
    PF_TRY(rank_at(run, w, t, w->y, &rank));
    *most = rank > *most ? rank : *most;
  }
  return PF_OK;
}

static PfStatus make_room(PfMotionRun *run, Watch *w)
{
  w->rows = pf_run_array(run, double, (size_t)run->m*(size_t)run->n);
  w->length = pf_run_array(run, double, run->m);
  w->square = ((PfManifold *)run->projection)->square;
  w->part = pf_run_array(run, double, run->m);
  w->taken = pf_run_array(run, bool, run->m);
  w->idle = pf_run_array(run, bool, run->m);
  w->y = pf_run_array(run, double, 2*(size_t)run->n);
  w->ahead = pf_run_array(run, double, 2*(size_t)run->n);
  w->k = pf_run_array(run, double, 8*(size_t)run->n);
  w->kept = pf_run_array(run, double, 4*(size_t)run->n);
  bool good = w->rows && w->length && w->part && w->taken && w->idle && w->y && w->ahead && w->k && w->kept;
  return good ? PF_OK : PF_ERR_MEMORY;
}

/* The rank at the start and near it. */
static PfStatus judge(PfMotionRun *run, Watch *w)
{
  int rank, nearby;
  pf_manifold_measure(run->projection, run->flow.values);
  PF_TRY(rank_at(run, w, run->state.t, run->state.y, &rank));
  nearby = rank;
  if (rank < run->m) {
    PF_TRY(find_idle(run, w));
    PF_TRY(rank_nearby(run, w, &nearby));
  }
  w->singular = nearby > rank;
  w->rank = w->singular ? nearby : rank;
  w->now = measure(run, w, run->state.t, run->state.y);
  return PF_OK;
}

PfStatus pf_watch_make(PfMotionRun *run)
{
  Watch *w = run->watch = pf_run_array(run, Watch, 1);
  if (!w) return PF_ERR_MEMORY;
  PF_TRY(make_room(run, w));
  PF_TRY(judge(run, w));
  w->seen = -INFINITY;
  w->arrived = INFINITY;
  w->lost = fmin(1e-6, 0.01*w->now);
  return pf_keep_members(run->arena, &run->kept, w, now, gone) ? PF_OK : PF_ERR_MEMORY;
}

/* Rows that are redundant from the start are no loss. Inside a step they are redundant only as far as the constraints hold
 * there: the accelerations must bear that. */
void pf_watch_tell_solver(PfMotionRun *run)
{
  static const double drift = 1e-3;
  const Watch *w = run->watch;
  for (int i = 0; i < run->m; i++)
    if (is_redundant(run, w, i)) pf_solver_tolerate(run->flow.solver, drift);
  pf_solver_skip(run->flow.solver, w->idle);
  pf_solver_measure_rows(run->flow.solver, w->square);
}

static void note(PfMotionRun *run, const Watch *w, double size, double t)
{
  if (size >= run->result.weakest) return;
  run->result.weakest = size;
  run->result.weakest_t = t;
  run->result.weakest_row = w->row;
}

bool pf_watch_start(PfMotionRun *run)
{
  Watch *w = run->watch;
  if (!w->singular) return false;
  note(run, w, w->now, run->state.t);
  run->result.weakest_row = first_lost(run, w);
  return true;
}

/* The same for a single state: a run that is opened and makes no step. */
static PfStatus judge_state(PfMotionRun *run, const double *values, int *row)
{
  size_t n = (size_t)run->n, count = (size_t)run->symbols->count;
  Watch w = {0};
  run->flow.values = pf_run_array(run, double, count);
  run->state.y = pf_run_array(run, double, 2*n);
  if (!run->flow.values || !run->state.y) return PF_ERR_MEMORY;
  memcpy(run->flow.values, values, count*sizeof *values);
  memcpy(run->state.y, values + run->symbols->q, 2*n*sizeof *values);
  run->state.t = values[run->symbols->time];
  PF_TRY(pf_project_make(run));
  PF_TRY(make_room(run, &w));
  PF_TRY(judge(run, &w));
  if (w.singular) *row = first_lost(run, &w);
  return PF_OK;
}

PfStatus pf_state_singular(PfContext *ctx, const PfSystem *system, const double *values, int *row)
{
  const PfEquations *eq = pf_system_equations(system);
  PfMotionRun run = {.ctx = ctx, .system = system, .symbols = pf_system_symbols(system), .n = eq->n, .m = eq->m};
  *row = -1;
  run.arena = pf_arena_new(pf_context_allocator(ctx));
  if (!run.arena) return pf_no_room(ctx, "the judgement of the constraints");
  PfStatus status = run.m ? judge_state(&run, values, row) : PF_OK;
  if (run.projection) pf_manifold_release(run.projection);
  pf_arena_free(run.arena);
  return status;
}

bool pf_watch_choose(PfMotionRun *run, bool *dropped)
{
  Watch *w = run->watch;
  bool any = false;
  (void)measure(run, w, run->state.t, run->state.y);
  for (int i = 0; i < run->m; i++) any |= dropped[i] = is_redundant(run, w, i);
  return any;
}

bool pf_watch_choice_serves(PfMotionRun *run, const bool *dropped)
{
  Watch *w = run->watch;
  double smallest = 1, best = measure(run, w, run->state.t, run->state.y);
  load_rows(run, w, run->state.t, run->state.y);
  for (int i = 0; i < run->m; i++)
    if (!dropped[i] && w->length[i] > 0) smallest = fmin(smallest, take_row(run, w, i));
  return smallest > 0.3*best;
}

static double measure_inside(PfMotionRun *run, Watch *w, double t)
{
  run->stepper.method->interpolate(run, t, w->y);
  return measure(run, w, t, w->y);
}

/* ---------------------------------------------------------------- ahead */

/* Derivative of the margin along the motion, by a difference quotient. */
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

/* How far ahead to look: as far as the next step may go, further when little is left, because steps may become shorter and
 * shorter there, and all the way when it is very little. Methods with a fixed step do not know that the last steps before a
 * loss are too long for them: what they make of them is not to be trusted, so they are warned some steps earlier. */
static double reach(const PfMotionRun *run, const Watch *w)
{
  double last = run->state.t - run->state.t_old, next = fmax(2*last, 1.5*run->state.h);
  return w->now < 0.01 ? INFINITY : w->now < 0.3 ? 10*next : run->stepper.fixed ? 4*last : next;
}

/* Goes ahead by h in small steps, or by h/2, h/4, …: beyond a dead point no motion goes on. Returns how far it went, 0
 * when nowhere. */
static double go_on(PfMotionRun *run, Watch *w, double t, double h)
{
  enum { SMALL_STEPS = 8, HALVES = 6 };
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  memcpy(w->kept, w->ahead, bytes);
  memcpy(w->kept + 2*run->n, w->k, bytes);
  for (int half = 0; half < HALVES; half++, h *= 0.5) {
    bool good = true;
    for (int q = 0; q < SMALL_STEPS && good; q++) good = advance(run, w, t + q*h/SMALL_STEPS, h/SMALL_STEPS);
    if (good && pf_manifold_miss(run->projection, run->flow.values, PF_LEVEL_POSITION, NULL) < 1e-9) return h;
    memcpy(w->ahead, w->kept, bytes);
    memcpy(w->k, w->kept + 2*run->n, bytes);
  }
  return 0;
}

/* From the state in w->ahead, with its derivative, half the way to where the margin would vanish, again and again: at a
 * loss of rank the margin halves each time and the way becomes shorter; otherwise the row only decays. */
static bool vanishes_ahead(PfMotionRun *run, Watch *w, double t, double first, double fall, double furthest)
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
    now = measure(run, w, t, w->ahead);
    if (now < w->lost) return true;
    if (!(now < 0.8*before)) return false;
    fall = slope(run, w, t, w->ahead, w->k, now, h);
  }
  return false;
}

/* Is there a loss of rank before `furthest`, from this state on? */
static bool is_ahead(PfMotionRun *run, Watch *w, double t, const double *y, const double *dy, double now, double furthest)
{
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  long evaluations = run->result.evaluations;
  double fall = slope(run, w, t, y, dy, now, run->state.t - run->state.t_old);
  w->told = false;
  if (!(fall < 0) || now > (t - furthest)*fall) return false;
  memcpy(w->ahead, y, bytes);
  memcpy(w->k, dy, bytes);
  w->told = vanishes_ahead(run, w, t, now, fall, furthest);
  w->gone = false;
  run->result.evaluations = evaluations; /* not work of the method */
  return w->told;
}

static bool is_near(PfMotionRun *run, Watch *w)
{
  return is_ahead(run, w, run->state.t, run->state.y, run->state.dy, w->now, run->state.t + reach(run, w));
}

/* ---------------------------------------------------------------- behind */

typedef double (*Measuring)(PfMotionRun *run, Watch *w, double t);

/* Golden section: near a loss of rank the margin behaves like |t - t0|, which has no derivative there. */
static double find_minimum(PfMotionRun *run, Watch *w, Measuring at, double a, double b, double resolution, double *t)
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

/* Where the margin is least in the last step; true when that is far below both ends. */
static bool dips(PfMotionRun *run, Watch *w, double *t)
{
  enum { PARTS = 8 };
  double h = (run->state.t - run->state.t_old)/PARTS, first = measure_inside(run, w, run->state.t_old), last = measure_inside(run, w, run->state.t);
  double least = INFINITY;
  int where = 0;
  for (int i = 1; i < PARTS; i++) {
    double now = measure_inside(run, w, run->state.t_old + i*h);
    if (now < least) least = now, where = i;
  }
  double a = run->state.t_old + (where - 1)*h;
  least = find_minimum(run, w, measure_inside, a, a + 2*h, 1e-3*h, t);
  return least < 0.2*fmin(first, last) || last < 1e-3*first;
}

/* Was there a loss of rank in the last step? The step itself cannot be trusted to tell: the motion is repeated from
 * shortly before. If there was one, the run is put back to the beginning of the step. */
static bool was_passed(PfMotionRun *run, Watch *w)
{
  size_t bytes = 2*(size_t)run->n*sizeof(double);
  double t, now, *y = w->kept, *dy = w->kept + 2*run->n;
  if (!dips(run, w, &t)) return false;
  double begin = run->state.t_old + 0.8*(t - run->state.t_old);
  run->stepper.method->interpolate(run, begin, y);
  (void)pf_project(run, begin, y);
  if (!pf_flow(run, begin, y, dy)) return false;
  now = measure(run, w, begin, y);
  if (!is_ahead(run, w, begin, y, dy, now, INFINITY)) return false;
  if (w->seen > run->state.t + 0.1*(run->state.t - run->state.t_old)) return w->told = false;
  if (!pf_flow(run, run->state.t_old, run->state.y_old, run->state.dy_old)) return w->told = false;
  memcpy(run->state.y, run->state.y_old, bytes);
  memcpy(run->state.dy, run->state.dy_old, bytes);
  run->state.t = run->state.t_old;
  run->stepper.restart = true;
  w->now = measure(run, w, run->state.t, run->state.y);
  return true;
}

/* ---------------------------------------------------------------- a step */

/* The margin at the end of the step; the latest evaluation of the accelerations may have computed it. */
static double measure_now(PfMotionRun *run, Watch *w)
{
  if (run->flow.known && run->flow.margin_t == run->state.t) {
    w->row = run->flow.margin_row;
    pf_solver_raise_squares(run->flow.solver, w->square);
    return run->flow.margin;
  }
  double now = measure(run, w, run->state.t, run->state.y);
  keep_lengths(run, w);
  return now;
}

/* The smallest margin inside the step: at the stages, when the accelerations came with it, else in the middle. */
static double measure_between(PfMotionRun *run, Watch *w)
{
  enum { ENOUGH = 3 };
  if (run->flow.margins >= ENOUGH) return run->flow.margin_least;
  pf_hermite(run, 0.5*(run->state.t_old + run->state.t), w->y);
  return measure(run, w, 0.5*(run->state.t_old + run->state.t), w->y);
}

/* A row that has become short without being about to vanish is measured by its new length from now on. */
static void shorten(PfMotionRun *run, Watch *w)
{
  if (!(w->now < 0.01)) return;
  (void)measure(run, w, run->state.t, run->state.y);
  w->square[w->row] = w->length[w->row]*w->length[w->row];
}

bool pf_watch_step(PfMotionRun *run)
{
  Watch *w = run->watch;
  double before = w->now, last = run->state.t - run->state.t_old, between = measure_between(run, w), now = w->now = measure_now(run, w);
  note(run, w, now, run->state.t);
  double smaller = fmin(before, now);
  bool low = smaller < 0.3 || smaller < 2*fabs(now - before) || between < 0.7*smaller; /* else no step could have passed a zero */
  bool falls = now < before && now*last < (before - now)*reach(run, w);
  if (!low && !falls) return false;
  w->looked = INFINITY;
  if ((low && was_passed(run, w)) || is_near(run, w)) return true;
  w->gone = w->told = now < w->lost && before >= w->lost;
  if (w->gone) w->seen = run->state.t;
  else shorten(run, w);
  return w->gone;
}

bool pf_watch_ahead(PfMotionRun *run)
{
  Watch *w = run->watch;
  if (!(run->state.t > run->state.t_old) || !pf_flow(run, run->state.t, run->state.y, run->state.dy)) return false;
  w->now = measure(run, w, run->state.t, run->state.y);
  w->looked = INFINITY;
  return is_near(run, w);
}

/* ---------------------------------------------------------------- to the loss, and over it when asked to */

static double measure_piece(PfMotionRun *run, Watch *w, double t)
{
  pf_passage_at(run, t, w->y);
  return measure(run, w, t, w->y);
}

/* Finds the motion as a polynomial from here to as far beyond the loss, and locates the loss on it: *d gets its
 * distance. */
static bool bridge(PfMotionRun *run, Watch *w, double *d)
{
  for (int trial = 0; trial < 4; trial++) {
    double before = *d;
    if (!pf_passage_try(run, 2*before, w->now)) return false;
    double least = find_minimum(run, w, measure_piece, run->state.t + 0.5*before, run->state.t + 1.5*before,
                                1e-13*fmax(1, fabs(run->state.t)), &w->seen);
    if (!(least < 0.01*w->now)) return false;
    *d = w->seen - run->state.t;
    if (fabs(*d - before) < 0.02*before) return true; /* else a node of the polynomial may be too near to the loss */
  }
  return false;
}

/* Moves the run on by up to h as a polynomial (passage.c); by less where the motion changes fast. False when none is
 * found. */
static bool walk(PfMotionRun *run, Watch *w, double h)
{
  double part = h;
  while (part > 1e-3*h && !pf_passage_try(run, part, w->now)) part *= 0.5;
  if (!(part > 1e-3*h) || !(run->state.t + part > run->state.t)) return false;
  pf_passage_take(run, run->state.t + part);
  w->now = measure(run, w, run->state.t, run->state.y);
  return true;
}

/* Puts the loss into the result of the run. */
static void tell(PfMotionRun *run, const Watch *w, double size)
{
  run->result.weakest = size;
  run->result.weakest_t = w->seen;
  run->result.weakest_row = first_lost(run, w);
}

/* Where constraints on velocities lose rank, neighbouring motions diverge before it, and no polynomial is found: the
 * gap is crossed in a straight line. */
static bool leap(PfMotionRun *run, Watch *w, double d)
{
  if (!pf_passage_leap(run, 2*d)) return false;
  tell(run, w, fmin(w->now, run->result.weakest));
  pf_passage_take(run, fmin(run->state.t + 2*d, run->state.t_end));
  w->now = measure(run, w, run->state.t, run->state.y);
  return true;
}

/* Half of the way to the loss. Seen from there it may lie elsewhere, or not exist. */
static PfPass approach(PfMotionRun *run, Watch *w, double d)
{
  double seen = w->seen;
  if (w->now < 1e-4) return run->options.keep_going && leap(run, w, d) ? PF_PASS_LEAP : PF_PASS_END;
  if (!walk(run, w, 0.5*d)) return PF_PASS_END;
  if (seen - run->state.t > 0.6*w->looked || is_ahead(run, w, run->state.t, run->state.y, run->state.dy, w->now, INFINITY)) return PF_PASS_STEP;
  w->told = w->now < 0.01; /* so near that the search ahead cannot resolve it any more */
  w->seen = seen;
  return PF_PASS_STEP;
}

/* Behind a loss, as before it, steps of a fixed size are too long: shorter ones by polynomials until it is 20 steps
 * away. */
static PfPass leave(PfMotionRun *run, Watch *w, double d)
{
  double h = run->options.step;
  if (run->stepper.fixed && d < 20*h && walk(run, w, fmin(fmin(h, d), run->state.t_end - run->state.t))) return PF_PASS_STEP;
  w->told = false;
  return PF_PASS_NONE;
}

static PfPass end_before(PfMotionRun *run, Watch *w)
{
  tell(run, w, fmin(w->now, run->result.weakest));
  return PF_PASS_END;
}

PfPass pf_watch_pass(PfMotionRun *run)
{
  Watch *w = run->watch;
  double d = w->seen - run->state.t;
  if (!w->told) return PF_PASS_NONE;
  if (w->gone) {
    w->told = w->gone = false;
    tell(run, w, w->now);
    return run->options.keep_going ? PF_PASS_GONE : PF_PASS_END;
  }
  if (run->state.t >= w->arrived) return PF_PASS_END;
  if (d <= 0) return leave(run, w, -d);
  bool look = !(d > 0.6*w->looked);
  if (look) w->looked = d;
  if (!look || !bridge(run, w, &d)) {
    PfPass pass = approach(run, w, d);
    return pass == PF_PASS_END ? end_before(run, w) : pass;
  }
  double least = measure_piece(run, w, w->seen);
  (void)measure_piece(run, w, w->seen - 0.01*d); /* a little before it: at the loss itself rounding would decide which row is lost */
  tell(run, w, least);
  if (!run->options.keep_going) {
    bool walked = walk(run, w, (1 - 1e-5)*d);
    w->arrived = w->seen - run->state.t < 1e-4*d ? run->state.t : INFINITY;
    return walked ? PF_PASS_STEP : PF_PASS_END;
  }
  pf_passage_take(run, fmin(run->state.t + 2*d, run->state.t_end));
  w->now = measure(run, w, run->state.t, run->state.y);
  return PF_PASS_OVER;
}
