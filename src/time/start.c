/* SPDX-License-Identifier: Apache-2.0 */
/* A consistent start: positions, then velocities. What was given is held and the rest solved for by the smallest
 * mass-weighted change; only when no solution is found so is something less firm let go (see PfFirmness). */
#include "num/newton.h"
#include "time/goals.h"
#include "time/manifold.h"
#include "time/moved.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

/* One level while it is solved. */
typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  PfManifold *f;
  PfGoals *goals;     /* NULL for positions */
  PfLevel level;
  double *values, *x; /* x: q or v in values */
  const PfFirmness *firm;
  double *given;      /* x as it was at first */
  double *keep, *best, *step, *M;
  PfLdl metric;
  bool *held;
  /* soft values are drawn to where they were given; else they are only changed as little as possible */
  bool aims;
  bool equal;         /* no order of priority: everything that may move does so alike */
  int n;
} Search;

static int goal_count(const Search *s)
{
  return s->goals ? s->goals->count : 0;
}

static int row_count(const Search *s)
{
  return s->level == PF_LEVEL_POSITION ? s->f->positions : s->f->m;
}

static const double *slopes(const Search *s)
{
  return s->level == PF_LEVEL_POSITION ? s->f->slope : s->f->A;
}

static const double *residuals(const Search *s)
{
  return s->level == PF_LEVEL_POSITION ? s->f->phi : s->f->psi;
}

/* ---------------------------------------------------------------- how far off */

/* Largest residual of the constraints and of the goals that are at least so firm. */
static double measure(Search *s, PfFirmness hard)
{
  double miss = pf_manifold_residual(s->f, s->values, s->level, NULL);
  pf_manifold_slopes(s->f, s->values);
  if (!s->goals) return miss;
  pf_goals_evaluate(s->goals, s->values);
  for (int i = 0; i < goal_count(s); i++) {
    const PfGoal *g = s->goals->goal + i;
    if (g->firm >= hard && !(fabs(g->value - g->target) <= miss)) miss = fabs(g->value - g->target);
  }
  return miss;
}

/* How well the constraints are met: to rounding, or to the digits that people type. */
typedef enum Care { CARE_ROUNDING, CARE_DIGITS } Care;

/* Scale of each residual: its terms, an entry of the Jacobian times the number itself. */
static bool is_small(double miss, double slope, double size, Care care)
{
  double term = slope*size, rounding = 1e-13*fmax(1, term);
  return miss <= (care == CARE_ROUNDING ? rounding : fmax(rounding, PF_TYPED_DIGITS*fmin(1, term)));
}

/* The constraint that is not met, or -1. */
static int unmet_row(const Search *s, Care care)
{
  const double *miss = residuals(s);
  double size = pf_largest(s->x, s->n), worst = 0;
  int row = -1;
  for (int i = 0; i < row_count(s); i++) {
    if (is_small(fabs(miss[i]), pf_norm(slopes(s) + (size_t)i*(size_t)s->n, s->n), size, care)) continue;
    if (row >= 0 && fabs(miss[i]) <= worst) continue;
    worst = fabs(miss[i]);
    row = s->level == PF_LEVEL_POSITION ? s->f->row[i] : i;
  }
  return row;
}

static const PfGoal *unmet_goal(const Search *s, PfFirmness hard)
{
  for (int i = 0; i < goal_count(s); i++) {
    const PfGoal *g = s->goals->goal + i;
    if (g->firm >= hard && !(fabs(g->value - g->target) <= PF_TYPED_DIGITS*fmax(1, fabs(g->target)))) return g;
  }
  return NULL;
}

/* ---------------------------------------------------------------- one step */

/* Rows of the step: sets of them in the order of their priority. */
typedef struct Rows {
  double *A, *B, *b; /* as they are, in the metric, right sides */
  int count, begin[6];
} Rows;

static void add_row(const Search *s, Rows *r, const double *row, int column, double right)
{
  double *to = r->A + (size_t)r->count*(size_t)s->n;
  for (int j = 0; j < s->n; j++) to[j] = s->held[j] ? 0 : row ? row[j] : j == column;
  r->b[r->count++] = right;
}

static void add_goals(const Search *s, Rows *r, PfFirmness least, PfFirmness most, bool aims)
{
  for (int i = 0; i < goal_count(s); i++) {
    const PfGoal *g = s->goals->goal + i;
    if (g->firm >= least && g->firm <= most) add_row(s, r, g->row, -1, aims ? g->target - g->value : 0);
  }
}

static void add_columns(const Search *s, Rows *r, PfFirmness firm)
{
  for (int j = 0; j < s->n; j++)
    if (s->firm[j] == firm && !s->held[j]) add_row(s, r, NULL, j, s->aims ? s->given[j] - s->x[j] : 0);
}

/* J: the constraints by what is open, row by row of unit length; the lengths. */
static void open_part(const Search *s, double *J, double *length)
{
  size_t n = (size_t)s->n;
  for (int i = 0; i < row_count(s); i++) {
    const double *row = slopes(s) + (size_t)i*n;
    length[i] = pf_norm(row, s->n);
    for (size_t j = 0; j < n; j++)
      J[(size_t)i*n + j] = s->firm[j] == PF_START_OPEN && length[i] > 0 ? row[j]/length[i] : 0;
  }
}

/* Combinations of the constraints on which what is open has next to no effect, as rows for what was given. Else a loop
 * that is open by rounding only could be closed by turning the whole mechanism: there the derivative comes from the
 * gap, not from the geometry. */
static PfStatus add_out_of_reach(const Search *s, Rows *r)
{
  const double reach = 1e-2, nothing = 1e-6;
  size_t n = (size_t)s->n, m = (size_t)row_count(s);
  double *J = pf_arena_array(s->arena, double, m*n), *length = pf_arena_array(s->arena, double, m);
  double *N = pf_arena_array(s->arena, double, m*m), *row = pf_arena_array(s->arena, double, n);
  PfQr qr;
  if (!J || !length || !N || !row) return pf_no_room(s->ctx, "the start");
  PF_TRY(pf_qr_make(s->ctx, s->arena, (int)m, s->n, &qr));
  open_part(s, J, length);
  if (pf_qr_factor(&qr, J, reach) != PF_OK) return PF_OK; /* said by whoever solves */
  pf_qr_null_space_transposed(&qr, N);
  size_t count = m - (size_t)qr.rank;
  for (size_t k = 0; k < count; k++) {
    double right = 0;
    memset(row, 0, n*sizeof *row);
    for (size_t i = 0; i < m; i++) {
      if (!(length[i] > 0)) continue;
      double factor = N[i*count + k]/length[i];
      right -= factor*residuals(s)[i];
      for (size_t j = 0; j < n; j++)
        if (s->firm[j] != PF_START_OPEN && !s->held[j]) row[j] += factor*slopes(s)[i*n + j];
    }
    if (pf_norm(row, s->n) > nothing) add_row(s, r, row, -1, right);
  }
  return PF_OK;
}

/* Square of the length of a row, each coefficient seen against the inertia of its coordinate: of all of it, or of what
 * is not held. */
static double weight(const Search *s, const double *row, bool all)
{
  double sum = 0;
  for (int j = 0; j < s->n; j++) {
    double mass = s->f->M[(size_t)j*(size_t)s->n + (size_t)j];
    if (all || !s->held[j]) sum += row[j]*row[j]/(mass > 0 ? mass : 1);
  }
  return sum;
}

/* Velocities: is what may move next to nothing beside what is held in this row? At a double root of the positions (x^2
 * + y^2 = 1 where y = -1) it is x, and what is left of x is rounding: it must not become a velocity of 1e6 m/s. */
static bool is_out_of_hand(const Search *s, const double *row)
{
  const double nothing = 1e-5;
  return s->level == PF_LEVEL_VELOCITY && weight(s, row, false) < nothing*nothing*weight(s, row, true);
}

static void add_constraints(const Search *s, Rows *r)
{
  for (int i = 0; i < row_count(s); i++) {
    const double *row = slopes(s) + (size_t)i*(size_t)s->n;
    if (!is_out_of_hand(s, row)) add_row(s, r, row, -1, -residuals(s)[i]);
  }
}

/* Goals that are held, what only given values can do for the constraints, constraints, what was set, what was given. */
static PfStatus list_rows(const Search *s, PfFirmness hard, Rows *r)
{
  add_goals(s, r, hard, PF_START_FIXED, true);
  r->begin[1] = r->count;
  if (hard > PF_START_GIVEN && !s->equal) PF_TRY(add_out_of_reach(s, r));
  r->begin[2] = r->count;
  add_constraints(s, r);
  for (int k = 3; k < 5; k++) {
    PfFirmness firm = k == 3 ? PF_START_SET : PF_START_GIVEN;
    r->begin[k] = r->count;
    if (firm < hard && !s->equal) add_goals(s, r, firm, firm, s->aims), add_columns(s, r, firm);
  }
  r->begin[5] = r->count;
  return PF_OK;
}

/* The metric of what is not held. */
static void take_metric(Search *s)
{
  size_t n = (size_t)s->n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) s->M[i*n + j] = s->held[i] || s->held[j] ? i == j : s->f->M[i*n + j];
  pf_metric_factor(&s->metric, s->M);
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

static PfStatus solve_rows(Search *s, PfFirmness hard)
{
  size_t n = (size_t)s->n, most = (size_t)(2*goal_count(s) + 2*row_count(s)) + 2*n;
  Rows r = {pf_arena_array(s->arena, double, most*n), pf_arena_array(s->arena, double, most*n),
            pf_arena_array(s->arena, double, most), 0, {0}};
  double *y = pf_arena_array(s->arena, double, n);
  if (!r.A || !r.B || !r.b || !y) return pf_no_room(s->ctx, "the start");
  PF_TRY(list_rows(s, hard, &r));
  take_metric(s);
  pf_metric_rows(&s->metric, r.A, r.count, r.B);
  PfRowSet sets[6];
  for (int k = 0; k < 5; k++) /* constraints may be nearly dependent; what was given is either decided or not */
    sets[k] = (PfRowSet){r.begin[k + 1] - r.begin[k], r.B + (size_t)r.begin[k]*n, r.b + r.begin[k],
                         k == 2 ? 1e-10 : 1e-8};
  sets[5] = add_inertia(s, &r);
  PF_TRY(pf_priority_solve(s->ctx, sets, 6, s->n, y));
  pf_metric_back(&s->metric, y, s->step);
  for (int j = 0; j < s->n; j++)
    if (s->held[j]) s->step[j] = 0;
  return PF_OK;
}


/* ---------------------------------------------------------------- Newton's iteration */

/* The iteration while it goes on. */
typedef struct Descent {
  Search *s;
  PfFirmness hard;
  int steps;
  double miss, last; /* of the constraints; where the latest step began */
} Descent;

/* The first step is also taken when it only moves what is not held to where it was given. */
static PfStatus find_residual(void *user, PfMiss *miss)
{
  Descent *d = user;
  d->miss = measure(d->s, d->hard);
  miss->size = miss->merit = d->steps == 0 && d->hard > PF_START_GIVEN ? fmax(d->miss, 1e-12) : d->miss;
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
  PfStatus status = solve_rows(s, d->hard);
  pf_arena_release(s->arena, mark);
  bool doubled = d->last < 1e-3 && fabs(d->miss/d->last - 0.25) < 0.01;
  for (int j = 0; j < s->n && doubled; j++) s->step[j] *= 2;
  d->steps++;
  d->last = d->miss;
  return status;
}

/* Until rounding. Where it ends is for others to judge. */
static PfStatus iterate(Search *s, PfFirmness hard)
{
  const PfNewtonPolicy policy = {.iterations = 60, .rounding = 1e-13, .stall = 0.25, .halvings = 40};
  Descent descent = {.s = s, .hard = hard, .last = INFINITY};
  const PfNewton newton = {.user = &descent, .n = s->n, .x = s->x, .step = s->step, .before = s->keep,
                           .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  int before = pf_diagnostic_count(s->ctx);
  for (int j = 0; j < s->n; j++) s->held[j] = s->firm[j] >= hard;
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

static bool begin_at(Search *s, PfFirmness hard, double reach)
{
  bool any = false;
  for (int j = 0; j < s->n; j++) {
    bool open = s->firm[j] < hard;
    s->x[j] = s->given[j] + (open ? reach*arbitrary(j) : 0);
    any = any || open;
  }
  return any;
}

static double change(const Search *s)
{
  double sum = 0;
  for (int j = 0; j < s->n; j++) {
    double mass = s->f->M[(size_t)j*(size_t)s->n + (size_t)j], d = s->x[j] - s->given[j];
    sum += (mass > 0 ? mass : 1)*d*d;
  }
  return sum;
}

static bool is_met(const Search *s, PfFirmness hard, Care care)
{
  return unmet_row(s, care) < 0 && !unmet_goal(s, hard) && pf_first_not_finite(s->x, (size_t)s->n) < 0;
}

/* From the start itself. A residual no larger than typed digits needs no other start, only a value that may yield.
 * Where the gradient of a constraint vanishes just there (x^2 + y^2 = 1 with x given and y not), from places around it;
 * the solution nearest to the start is taken. */
static PfStatus search(Search *s, PfFirmness hard, Care care, bool *found)
{
  static const double reaches[] = {0.3, -0.3, 0.03, -0.03, 0.003, -0.003, 1, -1};
  enum { LARGE = 60 }; /* coordinates: more places would take long */
  size_t size = (size_t)s->n*sizeof *s->x;
  double nearest = INFINITY;
  (void)begin_at(s, hard, 0);
  PF_TRY(iterate(s, hard));
  *found = is_met(s, hard, care);
  if (is_met(s, hard, CARE_DIGITS)) return PF_OK;
  memcpy(s->best, s->x, size); /* for the message, when nothing is found */
  const int places = s->n > LARGE ? 2 : (int)(sizeof reaches/sizeof *reaches);
  for (int k = 0; k < places && begin_at(s, hard, reaches[k]); k++) {
    PF_TRY(iterate(s, hard));
    if (!is_met(s, hard, care) || !(change(s) < 0.999*nearest)) continue; /* of two alike, the first */
    *found = true;
    nearest = change(s);
    memcpy(s->best, s->x, size);
  }
  memcpy(s->x, s->best, size);
  measure(s, hard);
  return PF_OK;
}

/* ---------------------------------------------------------------- levels */

static PfStatus conflict(const Search *s)
{
  const PfModel *model = pf_system_equations(s->f->system)->model;
  const PfGoal *goal = unmet_goal(s, PF_START_FIXED);
  int row = unmet_row(s, CARE_DIGITS);
  if (row < 0 && goal) {
    pf_fail_at(s->ctx, PF_ERR_MODEL, goal->place,
               "the start of %s cannot be kept: other values marked with '!' contradict it", goal->name);
    pf_hint(s->ctx, "it is %.6g at best instead of %.6g", goal->value, goal->target);
    return PF_ERR_MODEL;
  }
  const PfConstraint *c = model->constraints + (row < 0 ? 0 : row);
  bool position = s->level == PF_LEVEL_POSITION;
  pf_fail_at(s->ctx, PF_ERR_MODEL, c->place,
             "no %s near the start satisfies the constraint '%s' together with the others",
             position ? "configuration" : "velocity", c->name);
  pf_hint(s->ctx, "it is missed by %.3g at best; are values marked with '!' in the way?",
          pf_manifold_residual(s->f, s->values, s->level, NULL));
  return PF_ERR_MODEL;
}

static bool has_firmness(const Search *s, PfFirmness firm)
{
  for (int j = 0; j < s->n; j++)
    if (s->firm[j] == firm) return true;
  for (int i = 0; i < goal_count(s); i++)
    if (s->goals->goal[i].firm == firm) return true;
  return false;
}

/* What differs from these values by rounding only becomes them, unless a constraint would feel it; NULL: zeros. */
static void round_to(Search *s, const double *values, double rounding)
{
  double miss = measure(s, PF_START_FIXED);
  memcpy(s->keep, s->x, (size_t)s->n*sizeof *s->x);
  for (int j = 0; j < s->n; j++) {
    double to = values ? values[j] : 0;
    if (fabs(s->x[j] - to) <= rounding) s->x[j] = to;
  }
  if (measure(s, PF_START_FIXED) <= fmax(miss, 1e-15)) return;
  memcpy(s->x, s->keep, (size_t)s->n*sizeof *s->x);
  measure(s, PF_START_FIXED);
}

/* What differs from the start by rounding only is put back; what yielded to next to nothing is nothing. */
static void tidy(Search *s)
{
  const double rounding = 4e-16*fmax(1, pf_largest(s->given, s->n));
  round_to(s, NULL, 10*rounding);
  round_to(s, s->given, rounding);
}

/* Holds what is at least so firm and projects the rest on the constraints of the level by the structure of the system.
 * Far from the constraints residuals may grow before they fall: then it goes on from there. */
static bool project_holding(Search *s, PfFirmness hard)
{
  enum { PASSES = 6 };
  double miss = INFINITY;
  memcpy(s->x, s->given, (size_t)s->n*sizeof *s->x);
  for (int j = 0; j < s->n; j++) s->held[j] = s->firm[j] >= hard;
  s->f->held = s->held;
  for (int pass = 0; pass < PASSES && !(miss <= PF_TYPED_DIGITS); pass++) {
    (void)pf_manifold_project(s->f, s->values, s->level, PF_ON_CONSTRAINTS);
    miss = pf_manifold_residual(s->f, s->values, s->level, NULL);
  }
  s->f->held = NULL;
  return miss <= PF_TYPED_DIGITS;
}

/* In large systems that are mostly zeros: when what was given can be held, the least change of the rest is found
 * without dense matrices. Otherwise everything is as before. */
static bool settle_by_structure(Search *s)
{
  enum { LEAST = 100 }; /* rows and coordinates */
  bool goals = s->goals && (s->goals->count || s->goals->speeds);
  if (!s->f->sparse || goals || s->n + row_count(s) < LEAST) return false;
  if (project_holding(s, PF_START_GIVEN)) {
    (void)measure(s, PF_START_GIVEN);
    if (is_met(s, PF_START_GIVEN, CARE_ROUNDING)) return true;
  }
  memcpy(s->x, s->given, (size_t)s->n*sizeof *s->x);
  return false;
}

static PfStatus settle(Search *s)
{
  bool found = false;
  memcpy(s->given, s->x, (size_t)s->n*sizeof *s->x);
  if (settle_by_structure(s)) return PF_OK;
  PfFirmness last = has_firmness(s, PF_START_SET) ? PF_START_FIXED
                                                  : has_firmness(s, PF_START_GIVEN) ? PF_START_SET : PF_START_GIVEN;
  for (PfFirmness hard = PF_START_GIVEN; hard <= last && !found; hard++)
    PF_TRY(search(s, hard, hard < last ? CARE_ROUNDING : CARE_DIGITS, &found));
  s->equal = !found && last > PF_START_GIVEN;
  if (s->equal) PF_TRY(search(s, PF_START_FIXED, CARE_DIGITS, &found));
  s->equal = false;
  if (!found) return conflict(s);
  tidy(s);
  return PF_OK;
}

/* Attitudes may come with quaternions of any length: the angular velocity stays. */
static void normalise(const PfModel *model, double *q, double *v)
{
  for (int i = 0; i < model->ball_count; i++) {
    int at = model->balls[i].q;
    double length = pf_norm(q + at, 4);
    if (!(length > 0) || fabs(length - 1) < 1e-12) continue;
    for (int k = 0; k < 4; k++) q[at + k] /= length, v[at + k] /= length;
  }
}

/* The velocities to begin with at the corrected configuration: the same angular velocities of joints with a
 * quaternion, the same speeds. */
static void carry_over(Search *s, const PfModel *model, const double *q_before, const double *v_before)
{
  const double *q = s->values + pf_system_symbols(s->f->system)->q;
  double *v = s->x;
  if (pf_goals_rates(s->goals, s->values, s->keep))
    for (int j = 0; j < s->n; j++)
      if (s->firm[j] == PF_START_OPEN && !model->coordinates[j].contact) v[j] = s->keep[j];
  for (int i = 0; i < model->ball_count; i++) {
    double w[3];
    int at = model->balls[i].q;
    pf_moved_spin(q_before + at, v_before + at, w);
    v[at] = -0.5*pf_dot(q + at + 1, w, 3);
    for (int k = 0; k < 3; k++) {
      int a = at + 1 + (k + 1)%3, b = at + 1 + (k + 2)%3;
      v[at + 1 + k] = 0.5*(q[at]*w[k] + q[a]*w[(k + 2)%3] - q[b]*w[(k + 1)%3]);
    }
  }
}

static PfStatus make_search(Search *s)
{
  size_t n = (size_t)s->n;
  s->given = pf_arena_array(s->arena, double, n);
  s->keep = pf_arena_array(s->arena, double, n);
  s->best = pf_arena_array(s->arena, double, n);
  s->step = pf_arena_array(s->arena, double, n);
  s->M = pf_arena_array(s->arena, double, n*n);
  s->held = pf_arena_array(s->arena, bool, n);
  PF_TRY(pf_ldl_make(s->ctx, s->arena, s->n, &s->metric));
  return s->given && s->keep && s->best && s->step && s->M && s->held ? PF_OK : pf_no_room(s->ctx, "the start");
}

static PfStatus correct(PfContext *ctx, PfArena *arena, PfManifold *f, PfGoals *goals, double *values, PfStart *start)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = pf_system_equations(f->system)->model;
  size_t n = (size_t)f->n;
  Search s = {.ctx = ctx, .arena = arena, .f = f, .level = PF_LEVEL_POSITION, .values = values, .x = values + in->q,
              .n = f->n};
  double *before = pf_arena_array(arena, double, 2*n), *unit = pf_arena_array(arena, double, 2*n);
  PfFirmness *firm = pf_arena_array(arena, PfFirmness, 2*n);
  if (!before || !unit || !firm) return pf_no_room(ctx, "the start");
  PF_TRY(make_search(&s));
  memcpy(before, values + in->q, 2*n*sizeof *before);
  normalise(model, values + in->q, values + in->v);
  memcpy(unit, values + in->q, 2*n*sizeof *before);
  for (size_t j = 0; j < n; j++) firm[j] = model->coordinates[j].firm_q, firm[n + j] = model->coordinates[j].firm_v;
  s.firm = firm;
  PF_TRY(settle(&s));
  PF_TRY(pf_goals_check_place(ctx, goals, values, s.keep));
  s.level = PF_LEVEL_VELOCITY;
  s.goals = goals;
  s.firm = firm + n;
  s.x = values + in->v;
  carry_over(&s, model, unit, unit + n);
  PF_TRY(settle(&s));
  pf_goals_evaluate(goals, values);
  PF_TRY(pf_moved_list(ctx, arena, model, goals, before, values + in->q, start));
  start->position = pf_manifold_residual(f, values, PF_LEVEL_POSITION, NULL);
  start->velocity = pf_manifold_residual(f, values, PF_LEVEL_VELOCITY, NULL);
  return PF_OK;
}

/* ---------------------------------------------------------------- huge systems */

/* Without dense matrices: what was given is held, or what was set, or what must not change, whichever is the first by
 * which the constraints can be met. */
static PfStatus settle_huge(Search *s)
{
  static const PfFirmness order[] = {PF_START_GIVEN, PF_START_SET, PF_START_FIXED};
  memcpy(s->given, s->x, (size_t)s->n*sizeof *s->x);
  for (size_t k = 0; k < sizeof order/sizeof *order; k++)
    if (project_holding(s, order[k])) return PF_OK;
  int row;
  double miss = pf_manifold_residual(s->f, s->values, s->level, &row);
  const PfModel *model = pf_system_equations(s->f->system)->model;
  pf_fail(s->ctx, PF_ERR_NUMBER, "no start was found that satisfies the constraint '%s': it is off by %.3g",
          row < 0 ? "" : model->constraints[row].name, miss);
  pf_hint(s->ctx, "in a model of this size the start is looked for from the given numbers only: give some nearer to "
                  "the constraints");
  return PF_ERR_NUMBER;
}

static PfStatus correct_huge(PfContext *ctx, PfArena *arena, PfManifold *f, PfGoals *goals, double *values,
                             PfStart *start)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = pf_system_equations(f->system)->model;
  size_t n = (size_t)f->n;
  Search s = {.ctx = ctx, .arena = arena, .f = f, .values = values, .n = f->n};
  double *before = pf_arena_array(arena, double, 2*n);
  PfFirmness *firm = pf_arena_array(arena, PfFirmness, n);
  s.given = pf_arena_array(arena, double, n);
  s.held = pf_arena_array(arena, bool, n);
  if (!before || !firm || !s.given || !s.held) return pf_no_room(ctx, "the start");
  if (goals->count || goals->speeds)
    return pf_fail(ctx, PF_ERR_LIMIT, "a model with %d coordinates and %d constraints cannot start by speeds or "
                   "angular velocities: give velocities of coordinates", f->n, f->m);
  memcpy(before, values + in->q, 2*n*sizeof *before);
  normalise(model, values + in->q, values + in->v);
  s.firm = firm;
  for (int level = 0; level < 2; level++) {
    for (size_t j = 0; j < n; j++) firm[j] = level ? model->coordinates[j].firm_v : model->coordinates[j].firm_q;
    s.level = level ? PF_LEVEL_VELOCITY : PF_LEVEL_POSITION;
    s.x = values + (level ? in->v : in->q);
    PF_TRY(settle_huge(&s));
  }
  PF_TRY(pf_moved_list(ctx, arena, model, goals, before, values + in->q, start));
  start->position = pf_manifold_residual(f, values, PF_LEVEL_POSITION, NULL);
  start->velocity = pf_manifold_residual(f, values, PF_LEVEL_VELOCITY, NULL);
  return PF_OK;
}

PfStatus pf_start_correct(PfContext *ctx, const PfSystem *system, double *values, PfStart *start)
{
  *start = (PfStart){.moved_coordinate = -1, .moved_velocity = -1};
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfManifold manifold = {0};
  PfGoals goals = {0};
  PfStatus status = arena ? pf_goals_make(ctx, arena, system, &goals) : pf_no_room(ctx, "the start");
  /* any start will do: the tape is long */
  bool open = !pf_system_equations(system)->m && !goals.count && !goals.speeds;
  if (status == PF_OK && !open) status = pf_manifold_make_metric(ctx, arena, system, &manifold);
  if (status == PF_OK && !open)
    status = (manifold.M ? correct : correct_huge)(ctx, arena, &manifold, &goals, values, start);
  pf_goals_release(&goals);
  pf_arena_free(arena);
  return status;
}

bool pf_start_is_off(const PfStart *start)
{
  return !(start->position <= PF_TYPED_DIGITS && start->velocity <= PF_TYPED_DIGITS);
}

PfStatus pf_start_measure(PfContext *ctx, const PfSystem *system, const double *values, PfStart *start)
{
  *start = (PfStart){.moved_coordinate = -1, .moved_velocity = -1};
  if (!pf_system_equations(system)->m) return PF_OK;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfManifold manifold = {0};
  PfStatus status = arena ? pf_manifold_make(ctx, arena, system, &manifold) : pf_no_room(ctx, "the start");
  if (status == PF_OK) {
    start->position = pf_manifold_residual(&manifold, values, PF_LEVEL_POSITION, NULL);
    start->velocity = pf_manifold_residual(&manifold, values, PF_LEVEL_VELOCITY, NULL);
  }
  pf_arena_free(arena);
  return status;
}
