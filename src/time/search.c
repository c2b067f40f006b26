/* SPDX-License-Identifier: Apache-2.0 */
/* What was given is held and the rest solved for; only when no solution is found so is something less firm let go (see
 * PfFirmness). Each connected component of constraints and coordinates is solved by itself. In it, as few numbers move
 * as possible: at first those in which an unmet constraint is linear (a prescribed coordinate, the height of a
 * contact), then all it names, then those attached to these, at last the whole component. Those that may move do so by
 * the smallest mass-weighted change, and what has no mass follows. */
#include "time/search.h"

#include "num/newton.h"
#include "time/incidence.h"

#include <math.h>
#include <string.h>

typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  PfManifold *f;
  PfGoals *goals;         /* NULL for positions */
  PfLevel level;
  PfIncidence in;
  double *values, *all;   /* all: q or v in values */
  const PfFirmness *firm; /* of all */
  double *given;          /* all, as it was at first */
  bool *plain;            /* of all: found by linear equations */
  int part, row_count;    /* the component, */
  const int *rows;        /* and its rows */
  bool *may, *flagged;    /* per coordinate, per row: see the stages */
  bool *follows;          /* per row: where the constraints hold it follows from others, and is left to them */
  bool *before;           /* what might move in the latest try */
  /* the problem: what may move, and the rows that contain it */
  int n, m, goal_count;
  int *coordinate, *row, *goal, *local;      /* local: of all, or -1 */
  double *x, *from, *keep, *best, *step;     /* n; from: as given */
  double *J, *r, *length, *M;                /* m x n, m, m, n x n; length: of the whole row */
  double *unit;           /* m: in which residuals are compared, the size of each row where the iteration begins */
  PfLdl metric;
  PfFirmness hard;        /* what is at least so firm is held */
  /* soft values are drawn to where they were given; else they are only changed as little as possible */
  bool aims;
  bool equal;             /* no order of priority: everything that may move does so alike */
} Search;

/* ---------------------------------------------------------------- rows */

static const PfGoal *goal_of(const Search *s, int row)
{
  return s->goals->goal + (row - s->in.constraints);
}

/* Constraints are taken in the size of their residuals. */
static double scale_of(const Search *s, int row)
{
  return pf_manifold_scale(s->f, s->level == PF_LEVEL_POSITION ? s->f->row[row] : row);
}

static double residual_of(const Search *s, int row)
{
  if (row >= s->in.constraints) return goal_of(s, row)->value - goal_of(s, row)->target;
  return (s->level == PF_LEVEL_POSITION ? s->f->phi[row] : s->f->psi[row])/scale_of(s, row);
}

static double slope_at(const Search *s, int row, int place)
{
  int entry = s->in.entry[place];
  return entry < 0 ? goal_of(s, row)->row[s->in.column[place]] : s->f->out[entry]/scale_of(s, row);
}

static double length_of(const Search *s, int row)
{
  double sum = 0;
  for (int p = s->in.begin[row]; p < s->in.begin[row + 1]; p++) sum += slope_at(s, row, p)*slope_at(s, row, p);
  return sqrt(sum);
}

/* Everything at the numbers in s->values. */
static void evaluate_all(Search *s)
{
  (void)pf_manifold_residual(s->f, s->values, s->level, NULL);
  pf_tape_run(s->f->slopes, s->values, s->f->out, s->f->slope_work);
  if (s->goals) pf_goals_evaluate(s->goals, s->values);
}

/* How well the constraints are met: to rounding, or to the digits that people type. */
typedef enum Care { CARE_ROUNDING, CARE_DIGITS } Care;

/* Scale of a residual: its terms, an entry of the Jacobian times the number itself. */
static bool is_small(double miss, double term, Care care)
{
  double rounding = 1e-13*fmax(1, term);
  return miss <= (care == CARE_ROUNDING ? rounding : fmax(rounding, PF_TYPED_DIGITS*fmin(1, term)));
}

/* What a coordinate is measured in. */
static double unit_of(const Search *s, int coordinate)
{
  return s->f->measured ? s->f->units.spread[coordinate] : 1;
}

/* The length of a row in the units of the coordinates. */
static double size_of(const Search *s, int row)
{
  double square = 0;
  for (int p = s->in.begin[row]; p < s->in.begin[row + 1]; p++) {
    double slope = slope_at(s, row, p)*unit_of(s, s->in.column[p]);
    square += slope*slope;
  }
  return sqrt(square);
}

static bool is_row_met(const Search *s, int row, Care care)
{
  double size = 0;
  for (int p = s->in.begin[row]; p < s->in.begin[row + 1]; p++)
    size = fmax(size, fabs(s->all[s->in.column[p]])/unit_of(s, s->in.column[p]));
  return is_small(fabs(residual_of(s, row)), size_of(s, row)*size, care);
}

static bool is_goal_met(const PfGoal *g, PfFirmness hard)
{
  return g->firm < hard || fabs(g->value - g->target) <= PF_TYPED_DIGITS*fmax(1, fabs(g->target));
}

static bool is_unmet(const Search *s, int row, PfFirmness hard, Care care)
{
  return row < s->in.constraints ? !is_row_met(s, row, care) : !is_goal_met(goal_of(s, row), hard);
}

/* The constraint or goal of the component that is missed most, or -1. */
static int worst_row(const Search *s, PfFirmness hard, Care care)
{
  int worst = -1;
  for (int k = 0; k < s->row_count; k++) {
    int i = s->rows[k];
    if (!is_unmet(s, i, hard, care)) continue;
    bool later = worst >= 0 && (i >= s->in.constraints || !(fabs(residual_of(s, i)) > fabs(residual_of(s, worst))));
    if (!later) worst = i;
  }
  return worst;
}

/* ---------------------------------------------------------------- the problem */

static bool contains_movable(const Search *s, int row)
{
  if (s->follows[row]) return false;
  for (int p = s->in.begin[row]; p < s->in.begin[row + 1]; p++)
    if (s->may[s->in.column[p]]) return true;
  return false;
}

static int count_places(const Search *s)
{
  int count = 0;
  for (int j = 0; j < s->in.n; j++) count += s->may[j];
  return count;
}

/* The problem of what may move; its memory is the caller's to release. */
static PfStatus pose(Search *s)
{
  size_t n = (size_t)count_places(s), m = 0;
  for (int k = 0; k < s->row_count; k++) m += contains_movable(s, s->rows[k]);
  if (pf_saddle_is_huge((int)n, (int)m))
    return pf_fail(s->ctx, PF_ERR_LIMIT, "a model with %d coordinates and %d constraints that depend on each other "
                   "cannot start by speeds or angular velocities: give velocities of coordinates", (int)n, (int)m);
  s->n = s->m = s->goal_count = 0;
  s->coordinate = pf_arena_array(s->arena, int, n);
  s->row = pf_arena_array(s->arena, int, m);
  s->goal = pf_arena_array(s->arena, int, m);
  s->x = pf_arena_array(s->arena, double, 5*n);
  s->r = pf_arena_array(s->arena, double, 3*m);
  s->J = pf_arena_array(s->arena, double, m*n);
  s->M = pf_arena_array(s->arena, double, n*n);
  if (!s->coordinate || !s->row || !s->goal || !s->x || !s->r || !s->J || !s->M) return pf_no_room(s->ctx, "the start");
  s->from = s->x + n, s->keep = s->from + n, s->best = s->keep + n, s->step = s->best + n;
  s->length = s->r + m, s->unit = s->length + m;
  for (int j = 0; j < s->in.n; j++) {
    s->local[j] = s->may[j] ? s->n : -1;
    if (s->may[j]) s->from[s->n] = s->given[j], s->coordinate[s->n++] = j;
  }
  for (int k = 0; k < s->row_count; k++) {
    int i = s->rows[k];
    if (!contains_movable(s, i)) continue;
    if (i < s->in.constraints) s->row[s->m++] = i;
    else s->goal[s->goal_count++] = i - s->in.constraints;
  }
  return pf_ldl_make(s->ctx, s->arena, s->n, &s->metric);
}

static void gather(Search *s)
{
  size_t n = (size_t)s->n;
  memset(s->J, 0, (size_t)s->m*n*sizeof *s->J);
  memset(s->M, 0, n*n*sizeof *s->M);
  for (int i = 0; i < s->m; i++) {
    int row = s->row[i];
    s->r[i] = residual_of(s, row);
    s->length[i] = length_of(s, row);
    for (int p = s->in.begin[row]; p < s->in.begin[row + 1]; p++) {
      int j = s->local[s->in.column[p]];
      if (j >= 0) s->J[(size_t)i*n + (size_t)j] = slope_at(s, row, p);
    }
  }
  for (int k = 0; k < s->f->count[0]; k++) {
    int a = s->local[s->f->entry[k].row], b = s->local[s->f->entry[k].column];
    if (a >= 0 && b >= 0) s->M[(size_t)a*n + (size_t)b] = s->M[(size_t)b*n + (size_t)a] = s->f->out[k];
  }
}

static void scatter(const Search *s)
{
  for (int j = 0; j < s->n; j++) s->all[s->coordinate[j]] = s->x[j];
}

/* Everything at x. The largest residual of the constraints and of the goals that are at least so firm. */
static double measure(Search *s, PfFirmness hard)
{
  double miss = 0;
  scatter(s);
  evaluate_all(s);
  gather(s);
  for (int i = 0; i < s->m; i++)
    if (!(fabs(s->r[i]) <= miss)) miss = fabs(s->r[i]);
  for (int i = 0; i < s->goal_count; i++) {
    const PfGoal *g = s->goals->goal + s->goal[i];
    if (g->firm >= hard && !(fabs(g->value - g->target) <= miss)) miss = fabs(g->value - g->target);
  }
  return miss;
}

/* Each row in its size here. */
static void take_units(const Search *s)
{
  for (int i = 0; i < s->m; i++) {
    double size = size_of(s, s->row[i]);
    s->unit[i] = size > 0 && isfinite(size) ? size : 1;
  }
}

/* The largest residual as `measure` takes it, of constraints each in its unit: what a constraint is multiplied by does
 * not decide about the way. */
static double merit(const Search *s, PfFirmness hard)
{
  double largest = 0;
  for (int i = 0; i < s->m; i++)
    if (!(fabs(s->r[i])/s->unit[i] <= largest)) largest = fabs(s->r[i])/s->unit[i];
  for (int i = 0; i < s->goal_count; i++) {
    const PfGoal *g = s->goals->goal + s->goal[i];
    if (g->firm >= hard && !(fabs(g->value - g->target) <= largest)) largest = fabs(g->value - g->target);
  }
  return largest;
}

/* All rows of the component count: those in which nothing may move as well. */
static bool is_met(const Search *s, Care care)
{
  return worst_row(s, s->hard, care) < 0 && pf_first_not_finite(s->x, (size_t)s->n) < 0;
}

/* ---------------------------------------------------------------- one step */

/* Rows of the step: sets of them in the order of their priority. */
typedef struct Rows {
  double *A, *B, *b; /* as they are, in the metric, right sides */
  int count, begin[6];
} Rows;

static double *next_row(const Search *s, Rows *r, double right)
{
  r->b[r->count] = right;
  return r->A + (size_t)r->count++*(size_t)s->n;
}

static void add_goals(const Search *s, Rows *r, PfFirmness least, PfFirmness most, bool aims)
{
  for (int i = 0; i < s->goal_count; i++) {
    const PfGoal *g = s->goals->goal + s->goal[i];
    if (g->firm < least || g->firm > most) continue;
    double *to = next_row(s, r, aims ? g->target - g->value : 0);
    for (int j = 0; j < s->n; j++) to[j] = g->row[s->coordinate[j]];
  }
}

static void add_columns(const Search *s, Rows *r, PfFirmness firm)
{
  for (int j = 0; j < s->n; j++)
    if (s->firm[s->coordinate[j]] == firm) {
      double *to = next_row(s, r, s->aims ? s->from[j] - s->x[j] : 0);
      for (int k = 0; k < s->n; k++) to[k] = k == j;
    }
}

static bool is_open(const Search *s, size_t j)
{
  return s->firm[s->coordinate[j]] == PF_START_OPEN;
}

/* The constraints by what is open, row by row of unit length. */
static void open_part(const Search *s, double *J)
{
  size_t n = (size_t)s->n;
  for (size_t i = 0; i < (size_t)s->m; i++)
    for (size_t j = 0; j < n; j++)
      J[i*n + j] = is_open(s, j) && s->length[i] > 0 ? s->J[i*n + j]/s->length[i] : 0;
}

/* Combinations of the constraints on which what is open has next to no effect, as rows for what was given. Else a loop
 * that is open by rounding only could be closed by turning the whole mechanism: there the derivative comes from the
 * gap, not from the geometry. */
static PfStatus add_out_of_reach(const Search *s, Rows *r)
{
  const double reach = 1e-2, nothing = 1e-6;
  size_t n = (size_t)s->n, m = (size_t)s->m;
  double *J = pf_arena_array(s->arena, double, m*n), *N = pf_arena_array(s->arena, double, m*m);
  double *row = pf_arena_array(s->arena, double, n);
  PfQr qr;
  if (!J || !N || !row) return pf_no_room(s->ctx, "the start");
  PF_TRY(pf_qr_make(s->ctx, s->arena, s->m, s->n, &qr));
  open_part(s, J);
  if (pf_qr_factor(&qr, J, reach) != PF_OK) return PF_OK; /* said by whoever solves */
  pf_qr_null_space_transposed(&qr, N);
  size_t count = m - (size_t)qr.rank;
  for (size_t k = 0; k < count; k++) {
    double right = 0;
    memset(row, 0, n*sizeof *row);
    for (size_t i = 0; i < m; i++) {
      if (!(s->length[i] > 0)) continue;
      double factor = N[i*count + k]/s->length[i];
      right -= factor*s->r[i];
      for (size_t j = 0; j < n; j++)
        if (!is_open(s, j)) row[j] += factor*s->J[i*n + j];
    }
    if (pf_norm(row, s->n) > nothing) memcpy(next_row(s, r, right), row, n*sizeof *row);
  }
  return PF_OK;
}

/* Velocities: is what may move next to nothing in this row, beside what it is at configurations nearby? At a double
 * root of the positions (x^2 + y^2 = 1 where y = -1) it is x, and what is left of x is rounding: it must not become a
 * velocity of 1e6 m/s. */
static bool is_out_of_hand(const Search *s, int row)
{
  const double nothing = 1e-5;
  if (s->level == PF_LEVEL_POSITION) return false;
  for (int p = s->in.begin[row]; p < s->in.begin[row + 1]; p++) {
    double usual = s->in.usual[p]/scale_of(s, row);
    if (s->local[s->in.column[p]] >= 0 && !(fabs(slope_at(s, row, p)) <= nothing*usual)) return false;
  }
  return true;
}

static void add_constraints(const Search *s, Rows *r)
{
  size_t n = (size_t)s->n;
  for (int i = 0; i < s->m; i++)
    if (!is_out_of_hand(s, s->row[i])) memcpy(next_row(s, r, -s->r[i]), s->J + (size_t)i*n, n*sizeof *s->J);
}

/* Goals that are held, what only given values can do for the constraints, constraints, what was set, what was given. */
static PfStatus list_rows(const Search *s, Rows *r)
{
  add_goals(s, r, s->hard, PF_START_FIXED, true);
  r->begin[1] = r->count;
  if (s->hard > PF_START_GIVEN && !s->equal) PF_TRY(add_out_of_reach(s, r));
  r->begin[2] = r->count;
  add_constraints(s, r);
  for (int k = 3; k < 5; k++) {
    PfFirmness firm = k == 3 ? PF_START_SET : PF_START_GIVEN;
    r->begin[k] = r->count;
    if (firm < s->hard && !s->equal) add_goals(s, r, firm, firm, s->aims), add_columns(s, r, firm);
  }
  r->begin[5] = r->count;
  return PF_OK;
}

/* The last of the sets: what has inertia changes as little as the others allow, whatever that asks of what has none. */
static PfRowSet add_inertia(const Search *s, Rows *r)
{
  const double rounding = 1e-13;
  size_t n = (size_t)s->n, first = (size_t)r->count;
  int rank = s->metric.rank < s->n ? s->metric.rank : 0; /* else the shortest step is that of least change */
  for (int i = 0; i < rank; i++, r->count++) {
    r->b[r->count] = 0;
    for (size_t j = 0; j < n; j++) r->B[(size_t)r->count*n + j] = j == (size_t)i;
  }
  return (PfRowSet){rank, r->B + first*n, r->b + first, rounding};
}

static PfStatus solve_rows(Search *s)
{
  size_t n = (size_t)s->n, most = (size_t)(2*s->goal_count + 2*s->m) + 2*n;
  Rows r = {pf_arena_array(s->arena, double, most*n), pf_arena_array(s->arena, double, most*n),
            pf_arena_array(s->arena, double, most), 0, {0}};
  double *y = pf_arena_array(s->arena, double, n);
  if (!r.A || !r.B || !r.b || !y) return pf_no_room(s->ctx, "the start");
  PF_TRY(list_rows(s, &r));
  pf_metric_factor(&s->metric, s->M);
  pf_metric_rows(&s->metric, r.A, r.count, r.B);
  PfRowSet sets[6];
  for (int k = 0; k < 5; k++) /* constraints may be nearly dependent; what was given is either decided or not */
    sets[k] = (PfRowSet){r.begin[k + 1] - r.begin[k], r.B + (size_t)r.begin[k]*n, r.b + r.begin[k],
                         k == 2 ? 1e-10 : 1e-8};
  sets[5] = add_inertia(s, &r);
  PF_TRY(pf_priority_solve(s->ctx, sets, 6, s->n, y));
  pf_metric_back(&s->metric, y, s->step);
  return PF_OK;
}

/* ---------------------------------------------------------------- Newton's iteration */

/* The iteration while it goes on. */
typedef struct Descent {
  Search *s;
  int steps;
  double miss, last; /* the merit; where the latest step began */
} Descent;

/* The first step is also taken when it only moves what is not held to where it was given. */
static PfStatus find_residual(void *user, PfMiss *miss)
{
  Descent *d = user;
  bool first = d->steps == 0 && d->s->hard > PF_START_GIVEN;
  miss->size = measure(d->s, d->s->hard);
  if (d->steps == 0) take_units(d->s);
  d->miss = miss->merit = merit(d->s, d->s->hard);
  if (first) miss->size = fmax(miss->size, 1e-12), miss->merit = fmax(miss->merit, 1e-12);
  return PF_OK;
}

/* What is not held is drawn to where it was given by the first few steps only: on curved constraints that would be at
 * cross-purposes with them. At a double root the residual falls by 4 in each step, since a step goes half the way:
 * then the whole way is gone. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  enum { AIMED = 3 };
  Descent *d = user;
  Search *s = d->s;
  PfMark mark = pf_arena_mark(s->arena);
  (void)fresh, (void)length;
  s->aims = d->steps < AIMED;
  PfStatus status = solve_rows(s);
  pf_arena_release(s->arena, mark);
  bool doubled = d->last < 1e-3 && fabs(d->miss/d->last - 0.25) < 0.01;
  for (int j = 0; j < s->n && doubled; j++) s->step[j] *= 2;
  d->steps++;
  d->last = d->miss;
  return status;
}

/* Until rounding. `decrease`: how near the residual must come to what the step promises; where it does not, the step is
 * shortened, so that the way leads to a solution nearby. Where it ends is for others to judge. */
static PfStatus iterate(Search *s, double decrease)
{
  const PfNewtonPolicy policy = {.iterations = 60, .rounding = 1e-13, .stall = 0.25, .halvings = 40,
                                 .decrease = decrease};
  Descent descent = {.s = s, .last = INFINITY};
  const PfNewton newton = {.user = &descent, .n = s->n, .x = s->x, .step = s->step, .before = s->keep,
                           .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  int before = pf_diagnostic_count(s->ctx);
  if (pf_newton(&newton, &policy, &result) == PF_NEWTON_FAILED && pf_is_final(result.status)) return result.status;
  pf_diagnostics_cut(s->ctx, before);
  return PF_OK;
}

/* ---------------------------------------------------------------- from several places */

/* Arbitrary numbers in (0.5, 1), the same in every run. */
static double arbitrary(int j)
{
  double x = sin(12.9898*(j + 1))*43758.5453;
  return 1 - 0.5*(x - floor(x));
}

static void begin_at(const Search *s, double reach)
{
  for (int j = 0; j < s->n; j++) s->x[j] = s->from[j] + reach*arbitrary(j)*unit_of(s, s->coordinate[j]);
}

static double change(const Search *s)
{
  double sum = 0;
  for (int j = 0; j < s->n; j++) {
    double mass = s->M[(size_t)j*(size_t)s->n + (size_t)j], d = s->x[j] - s->from[j];
    sum += (mass > 0 ? mass : 1)*d*d;
  }
  return sum;
}

/* From the start itself, by steps that stay near it, or by any that help. */
static PfStatus search_here(Search *s, Care care, bool *found)
{
  const double decrease[] = {0.5, 0};
  *found = false;
  for (int k = 0; k < 2 && !*found; k++) {
    begin_at(s, 0);
    PF_TRY(iterate(s, decrease[k]));
    *found = is_met(s, care);
  }
  return PF_OK;
}

/* Where the gradient of a constraint vanishes just at the start (x^2 + y^2 = 1 with x given and y not), from places
 * around it; the solution nearest to the start is taken. */
static PfStatus search_around(Search *s, Care care, bool *found)
{
  static const double reaches[] = {0.3, -0.3, 0.03, -0.03, 0.003, -0.003, 1, -1};
  enum { LARGE = 60 }; /* coordinates: more places would take long */
  size_t size = (size_t)s->n*sizeof *s->x;
  double nearest = INFINITY;
  const int places = s->n > LARGE ? 2 : (int)(sizeof reaches/sizeof *reaches);
  memcpy(s->best, s->x, size); /* for the message, when nothing is found */
  for (int k = 0; k < places; k++) {
    begin_at(s, reaches[k]);
    PF_TRY(iterate(s, 0));
    if (!is_met(s, care) || !(change(s) < 0.999*nearest)) continue; /* of two alike, the first */
    *found = true;
    nearest = change(s);
    memcpy(s->best, s->x, size);
  }
  memcpy(s->x, s->best, size);
  (void)measure(s, s->hard);
  return PF_OK;
}

/* What differs from these values by rounding only becomes them, unless a constraint would feel it; NULL: zeros. */
static void round_to(Search *s, const double *values, double rounding)
{
  double miss = measure(s, PF_START_FIXED);
  memcpy(s->keep, s->x, (size_t)s->n*sizeof *s->x);
  for (int j = 0; j < s->n; j++) {
    double to = values ? values[j] : 0;
    if (fabs(s->x[j] - to) <= rounding*unit_of(s, s->coordinate[j])) s->x[j] = to;
  }
  if (measure(s, PF_START_FIXED) <= fmax(miss, 1e-15)) return;
  memcpy(s->x, s->keep, (size_t)s->n*sizeof *s->x);
  (void)measure(s, PF_START_FIXED);
}

/* What differs from the start by rounding only is put back; what yielded to next to nothing is nothing. */
static void tidy(Search *s)
{
  double largest = 1;
  for (int j = 0; j < s->n; j++) largest = fmax(largest, fabs(s->from[j])/unit_of(s, s->coordinate[j]));
  const double rounding = 4e-16*largest;
  round_to(s, NULL, 10*rounding);
  round_to(s, s->from, rounding);
}

/* ---------------------------------------------------------------- stages: what may move */

/* In each, more may move than before. */
typedef enum Stage {
  STAGE_LINEAR,   /* that in which an unmet constraint is linear: positions only */
  STAGE_CARRIED,  /* and what is linear in a constraint that feels it */
  STAGE_NAMED,    /* all that an unmet constraint contains */
  STAGE_ATTACHED, /* and what stands with that in another one */
  STAGE_ALL,      /* the component */
  STAGES
} Stage;

static void flag_unmet(const Search *s)
{
  for (int k = 0; k < s->row_count; k++)
    s->flagged[s->rows[k]] = is_unmet(s, s->rows[k], PF_START_GIVEN, CARE_ROUNDING);
}

/* The open coordinates of the rows that are flagged. True when there are more now. */
static bool admit(const Search *s, bool linear)
{
  bool more = false;
  for (int k = 0; k < s->row_count; k++) {
    int i = s->rows[k];
    for (int p = s->in.begin[i]; s->flagged[i] && p < s->in.begin[i + 1]; p++) {
      int j = s->in.column[p];
      if (s->may[j] || s->firm[j] != PF_START_OPEN || (linear && !s->in.constant[p])) continue;
      s->may[j] = more = true;
    }
  }
  return more;
}

static void flag_touched(const Search *s)
{
  for (int k = 0; k < s->row_count; k++)
    s->flagged[s->rows[k]] = s->flagged[s->rows[k]] || contains_movable(s, s->rows[k]);
}

static void admit_stage(const Search *s, Stage stage)
{
  bool linear = stage == STAGE_LINEAR || stage == STAGE_CARRIED;
  memset(s->may, 0, (size_t)s->in.n*sizeof *s->may);
  for (int j = 0; j < s->in.n && stage == STAGE_ALL; j++)
    s->may[j] = s->in.part[j] == s->part && s->firm[j] == PF_START_OPEN;
  flag_unmet(s);
  if (stage == STAGE_ALL) return;
  (void)admit(s, linear);
  for (bool more = stage == STAGE_CARRIED || stage == STAGE_ATTACHED; more;) {
    flag_touched(s);
    more = admit(s, linear) && stage == STAGE_CARRIED;
  }
}

/* Is it worth a try: may something move in every unmet row, and other than in the latest try? */
static bool is_promising(const Search *s)
{
  if (memcmp(s->may, s->before, (size_t)s->in.n*sizeof *s->may) == 0) return false;
  flag_unmet(s);
  for (int k = 0; k < s->row_count; k++)
    if (s->flagged[s->rows[k]] && !contains_movable(s, s->rows[k])) return false;
  return true;
}

/* ---------------------------------------------------------------- large components, by their structure */

enum { LARGE_PROBLEM = 100 }; /* rows and coordinates */

static bool is_large(const Search *s)
{
  int size = count_places(s);
  for (int k = 0; k < s->row_count; k++) size += contains_movable(s, s->rows[k]);
  return s->f->sparse && !s->goals && size >= LARGE_PROBLEM;
}

/* Holds what is at least so firm and projects the rest on the constraints of the level by the structure of the system.
 * Far from the constraints residuals may grow before they fall: then it goes on from there. */
static bool project_holding(Search *s, PfFirmness hard, Care care)
{
  enum { PASSES = 6 };
  double miss = INFINITY;
  for (int j = 0; j < s->in.n; j++) s->may[j] = s->firm[j] >= hard;
  s->f->held = s->may;
  for (int pass = 0; pass < PASSES && !(miss <= PF_TYPED_DIGITS); pass++) {
    (void)pf_manifold_project(s->f, s->values, s->level, PF_ON_CONSTRAINTS);
    miss = pf_manifold_miss(s->f, s->values, s->level);
  }
  s->f->held = NULL;
  evaluate_all(s);
  return worst_row(s, hard, care) < 0 && pf_first_not_finite(s->all, (size_t)s->in.n) < 0;
}

/* ---------------------------------------------------------------- components */

static void put_back(Search *s)
{
  for (int j = 0; j < s->in.n; j++)
    if (s->in.part[j] == s->part) s->all[j] = s->given[j];
  evaluate_all(s);
}

typedef PfStatus (*Seek)(Search *s, Care care, bool *found);

/* At a solution: flags the rows that follow from those written before them. False when there are none. */
static bool find_followers(Search *s)
{
  const double rounding = 1e-7;
  const size_t n = (size_t)s->n;
  bool any = false;
  for (size_t i = 0; i < (size_t)s->m*n && s->f->measured; i++) s->J[i] *= s->f->units.column[s->coordinate[i%n]];
  for (int i = 0; i < s->m; i++) {
    double *row = s->J + (size_t)i*n, length = pf_norm(row, s->n);
    for (int k = 0; k < 2*i; k++) (void)pf_remove_part(row, s->J + (size_t)(k%i)*n, s->n);
    double left = pf_norm(row, s->n);
    bool follows = !(left > rounding*length);
    for (size_t j = 0; j < n; j++) row[j] = follows ? 0 : row[j]/left;
    s->follows[s->row[i]] = follows;
    any = any || follows;
  }
  return any;
}

/* Poses the problem of what may move and looks for a solution; `any`: rows follow from others at it. */
static PfStatus pose_and_seek(Search *s, Seek seek, Care care, bool *found, bool *any)
{
  PfMark mark = pf_arena_mark(s->arena);
  PfStatus status = pose(s);
  for (int j = 0; status == PF_OK && j < s->n; j++) s->x[j] = s->all[s->coordinate[j]];
  if (status == PF_OK) status = seek(s, care, found);
  if (status == PF_OK && *found) tidy(s);
  if (any) *any = status == PF_OK && *found && s->level == PF_LEVEL_POSITION && find_followers(s);
  pf_arena_release(s->arena, mark);
  return status;
}

/* Rows that follow from others where the constraints hold lead astray where they do not: without them the solution is
 * the one that the model has without them. */
static PfStatus attempt(Search *s, Seek seek, Care care, bool *found)
{
  bool any, again = false;
  PF_TRY(pose_and_seek(s, seek, care, found, &any));
  if (!any) return PF_OK;
  const size_t n = (size_t)s->in.n;
  double *solution = pf_arena_array(s->arena, double, n);
  if (!solution) return pf_no_room(s->ctx, "the start");
  memcpy(solution, s->all, n*sizeof *solution);
  put_back(s);
  PfStatus status = pose_and_seek(s, seek, care, &again, NULL);
  memset(s->follows, 0, (size_t)s->in.rows*sizeof *s->follows);
  if (!again) memcpy(s->all, solution, n*sizeof *solution);
  evaluate_all(s);
  return status;
}

/* What is given stays. */
static PfStatus solve_for_open(Search *s, Care care, bool *found)
{
  static const Seek ways[] = {search_here, search_around};
  s->hard = PF_START_GIVEN;
  for (int way = 0; way < 2; way++) {
    memset(s->before, 0, (size_t)s->in.n*sizeof *s->before);
    for (Stage stage = s->level == PF_LEVEL_POSITION ? STAGE_LINEAR : STAGE_NAMED; stage < STAGES; stage++) {
      put_back(s);
      admit_stage(s, stage);
      if (!is_promising(s)) continue;
      if (is_large(s)) {
        if (stage < STAGE_ALL) continue;
        *found = project_holding(s, PF_START_GIVEN, CARE_ROUNDING);
        if (*found || !s->f->M) return PF_OK;
        put_back(s);
        admit_stage(s, stage);
      }
      memcpy(s->before, s->may, (size_t)s->in.n*sizeof *s->may);
      PF_TRY(attempt(s, ways[way], care, found));
      for (int j = 0; j < s->in.n && *found && stage < STAGE_NAMED; j++) s->plain[j] = s->plain[j] || s->may[j];
      if (*found) return PF_OK;
      /* no more than typed digits are missing: that needs no other place, only a value that may yield */
      if (worst_row(s, PF_START_GIVEN, CARE_DIGITS) < 0 && stage == STAGE_ALL) return PF_OK;
    }
  }
  return PF_OK;
}

/* What is less firm than s->hard may move. */
static PfStatus solve_yielding(Search *s, Care care, bool *found)
{
  static const Seek ways[] = {search_here, search_around};
  for (int way = 0; way < 2 && !*found; way++) {
    put_back(s);
    for (int j = 0; j < s->in.n; j++) s->may[j] = s->in.part[j] == s->part && s->firm[j] < s->hard;
    if (!s->f->M && is_large(s)) {
      *found = project_holding(s, s->hard, care);
      return PF_OK;
    }
    PF_TRY(attempt(s, ways[way], care, found));
    if (worst_row(s, s->hard, CARE_DIGITS) < 0) return PF_OK;
  }
  return PF_OK;
}

static bool has_firmness(const Search *s, PfFirmness firm)
{
  for (int j = 0; j < s->in.n; j++)
    if (s->in.part[j] == s->part && s->firm[j] == firm) return true;
  for (int k = 0; k < s->row_count; k++)
    if (s->rows[k] >= s->in.constraints && goal_of(s, s->rows[k])->firm == firm) return true;
  return false;
}

static PfStatus conflict(Search *s)
{
  const PfModel *model = pf_system_equations(s->f->system)->model;
  evaluate_all(s);
  int row = worst_row(s, PF_START_FIXED, CARE_DIGITS);
  if (row >= s->in.constraints) {
    const PfGoal *goal = goal_of(s, row);
    pf_fail_at(s->ctx, PF_ERR_MODEL, goal->place,
               "the start of %s cannot be kept: other values marked with '!' contradict it", goal->name);
    pf_hint(s->ctx, "it is %.6g at best instead of %.6g", goal->value, goal->target);
    return PF_ERR_MODEL;
  }
  bool position = s->level == PF_LEVEL_POSITION;
  const PfConstraint *c = model->constraints + (row < 0 ? 0 : position ? s->f->row[row] : row);
  pf_fail_at(s->ctx, PF_ERR_MODEL, c->place,
             "no %s near the start satisfies the constraint '%s' together with the others",
             position ? "configuration" : "velocity", c->name);
  if (s->f->M) pf_hint(s->ctx, "it is missed by %.3g at best; are values marked with '!' in the way?",
                       row < 0 ? 0 : fabs(residual_of(s, row))*scale_of(s, row));
  else pf_hint(s->ctx, "in a model of this size the start is looked for from the given numbers only: give some nearer "
                       "to the constraints");
  return PF_ERR_MODEL;
}

static void take_part(Search *s, int part)
{
  s->part = part;
  s->rows = s->in.part_row + s->in.part_begin[part];
  s->row_count = s->in.part_begin[part + 1] - s->in.part_begin[part];
}

static PfStatus settle_part(Search *s)
{
  bool found = worst_row(s, PF_START_GIVEN, CARE_ROUNDING) < 0;
  if (found) return PF_OK;
  PfFirmness last = has_firmness(s, PF_START_SET) ? PF_START_FIXED
                    : has_firmness(s, PF_START_GIVEN) ? PF_START_SET : PF_START_GIVEN;
  PF_TRY(solve_for_open(s, last > PF_START_GIVEN ? CARE_ROUNDING : CARE_DIGITS, &found));
  for (s->hard = PF_START_SET; s->hard <= last && !found; s->hard++)
    PF_TRY(solve_yielding(s, s->hard < last ? CARE_ROUNDING : CARE_DIGITS, &found));
  s->equal = !found && last > PF_START_GIVEN;
  s->hard = PF_START_FIXED;
  if (s->equal) PF_TRY(solve_yielding(s, CARE_DIGITS, &found));
  s->equal = false;
  return found ? PF_OK : conflict(s);
}

static PfStatus settle(Search *s)
{
  size_t n = (size_t)s->in.n;
  s->given = pf_arena_array(s->arena, double, n);
  s->may = pf_arena_array(s->arena, bool, n);
  s->before = pf_arena_array(s->arena, bool, n);
  s->flagged = pf_arena_array(s->arena, bool, s->in.rows);
  s->follows = pf_arena_array(s->arena, bool, s->in.rows);
  s->local = pf_arena_array(s->arena, int, n);
  bool room = s->given && s->may && s->before && s->flagged && s->follows && s->local;
  if (!room) return pf_no_room(s->ctx, "the start");
  memcpy(s->given, s->all, n*sizeof *s->given);
  evaluate_all(s);
  for (int part = 0; part < s->in.parts; part++) {
    take_part(s, part);
    PF_TRY(settle_part(s));
  }
  take_part(s, s->in.parts);
  return worst_row(s, PF_START_FIXED, CARE_DIGITS) < 0 ? PF_OK : conflict(s);
}

PfStatus pf_search_start(PfContext *ctx, PfArena *arena, PfManifold *f, PfGoals *goals, PfLevel level,
                         const PfFirmness *firm, double *values, bool *plain)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  if (goals && !goals->count && !goals->speeds) goals = NULL;
  Search s = {.ctx = ctx, .arena = arena, .f = f, .goals = goals, .level = level, .firm = firm, .plain = plain,
              .values = values,
              .all = values + (level == PF_LEVEL_POSITION ? in->q : in->v)};
  pf_manifold_find_units(f, values);
  PF_TRY(pf_incidence_make(ctx, arena, f, goals, level, values, &s.in));
  return settle(&s);
}
