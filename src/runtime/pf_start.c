/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* A component that does not hold is solved by Newton's method: first with all given values held, in stages of more and
 * more unknowns, from the start itself and then from places around it; then with values of the lowest priority
 * released, and so on. A step solves its linear equations in an order of priority (pf_priority.h). */
#include "pf_start.h"

#ifndef PF_SINGLE

#include "pf_newton.h"

#include <math.h>
#include <string.h>

PF_RUNTIME void pf_start_place(PfStartSearch *s, double *reals, int *ints, bool *bools)
{
  const int n = s->n, rows = s->constraints + s->conditions, products = s->conditions*n;
  s->residual = pf_take_reals(&reals, s->constraints);
  s->slope = pf_take_reals(&reals, s->places);
  s->typical = pf_take_reals(&reals, s->places);
  s->seen = pf_take_reals(&reals, 3*s->places);
  s->value = pf_take_reals(&reals, s->conditions);
  s->target = pf_take_reals(&reals, s->conditions);
  s->rows = pf_take_reals(&reals, products);
  s->given = pf_take_reals(&reals, n);
  s->solution = pf_take_reals(&reals, n);
  s->begin = pf_take_ints(&ints, rows + 1);
  s->column = pf_take_ints(&ints, s->places + products);
  s->part = pf_take_ints(&ints, n);
  s->part_begin = pf_take_ints(&ints, n + 2);
  s->part_row = pf_take_ints(&ints, rows);
  s->number = pf_take_ints(&ints, n);
  s->local = pf_take_ints(&ints, n);
  bool **const places[] = {&s->constant, &s->in_condition, &s->flagged, &s->follows, &s->may, &s->before, &s->occurs};
  const int amount[] = {s->places, products, rows, rows, n, n, n};
  for (size_t k = 0; k < sizeof amount/sizeof *amount; k++) *places[k] = bools, bools += amount[k];
}

/* ---------------------------------------------------------------- rows */

static bool pf_start_is_constraint(const PfStartSearch *s, int row)
{
  return row < s->constraints;
}

static double pf_start_residual(const PfStartSearch *s, int row)
{
  if (pf_start_is_constraint(s, row)) return s->residual[row];
  return s->value[row - s->constraints] - s->target[row - s->constraints];
}

static double pf_start_slope(const PfStartSearch *s, int row, int place)
{
  if (pf_start_is_constraint(s, row)) return s->slope[place];
  return s->rows[(size_t)(row - s->constraints)*(size_t)s->n + (size_t)s->column[place]];
}

static double pf_start_length(const PfStartSearch *s, int row)
{
  double sum = 0;
  for (int p = s->begin[row]; p < s->begin[row + 1]; p++)
    sum += pf_start_slope(s, row, p)*pf_start_slope(s, row, p);
  return sqrt(sum);
}

/* Scale of a residual: its terms, an entry of the Jacobian times the number itself. */
static bool pf_start_is_small(double norm, double term, PfStartCare care)
{
  double rounding = 1e-13*fmax(1, term);
  return norm <= (care == PF_CARE_ROUNDING ? rounding : fmax(rounding, PF_TYPED_DIGITS*fmin(1, term)));
}

static double pf_start_unit(const PfStartSearch *s, int coordinate)
{
  return s->unit ? s->unit[coordinate] : 1;
}

/* The length of a row in the units of the coordinates. */
static double pf_start_row_size(const PfStartSearch *s, int row)
{
  double square = 0;
  for (int p = s->begin[row]; p < s->begin[row + 1]; p++) {
    double slope = pf_start_slope(s, row, p)*pf_start_unit(s, s->column[p]);
    square += slope*slope;
  }
  return sqrt(square);
}

static bool pf_start_is_constraint_met(const PfStartSearch *s, int row, PfStartCare care)
{
  double size = 0;
  for (int p = s->begin[row]; p < s->begin[row + 1]; p++)
    size = fmax(size, fabs(s->all[s->column[p]])/pf_start_unit(s, s->column[p]));
  return pf_start_is_small(fabs(pf_start_residual(s, row)), pf_start_row_size(s, row)*size, care);
}

static bool pf_start_is_condition_met(const PfStartSearch *s, int g, PfPriority hard)
{
  return s->condition_priority[g] < hard ||
         fabs(s->value[g] - s->target[g]) <= PF_TYPED_DIGITS*fmax(1, fabs(s->target[g]));
}

static bool pf_start_is_unmet(const PfStartSearch *s, int row, PfPriority hard, PfStartCare care)
{
  return pf_start_is_constraint(s, row) ? !pf_start_is_constraint_met(s, row, care)
                                        : !pf_start_is_condition_met(s, row - s->constraints, hard);
}

/* The constraint or start condition of the component that is missed most, or -1. */
static int pf_start_worst_row(const PfStartSearch *s, PfPriority hard, PfStartCare care)
{
  int worst = -1;
  for (int k = 0; k < s->row_count; k++) {
    int i = s->component[k];
    if (!pf_start_is_unmet(s, i, hard, care)) continue;
    bool later = worst >= 0 && (!pf_start_is_constraint(s, i) ||
                                !(fabs(pf_start_residual(s, i)) > fabs(pf_start_residual(s, worst))));
    if (!later) worst = i;
  }
  return worst;
}

static void pf_start_evaluate(PfStartSearch *s)
{
  s->calls->evaluate(s->user);
}

/* ---------------------------------------------------------------- the problem */

static bool pf_start_contains_movable(const PfStartSearch *s, int row)
{
  if (s->follows[row]) return false;
  for (int p = s->begin[row]; p < s->begin[row + 1]; p++)
    if (s->may[s->column[p]]) return true;
  return false;
}

static int pf_start_count_movable(const PfStartSearch *s)
{
  int count = 0;
  for (int j = 0; j < s->n; j++) count += s->may[j];
  return count;
}

static void pf_start_place_problem(PfStartProblem *p, int n, int m, int conditions, double *reals, int *ints)
{
  const int rows = PF_START_STEP_ROWS(n, m, conditions);
  double **const places[] = {&p->x, &p->from, &p->keep, &p->best, &p->step, &p->r, &p->length, &p->unit, &p->J, &p->M,
                             &p->rows, &p->right, &p->one, &p->y};
  const int amount[] = {n, n, n, n, n, m, m, m, m*n, n*n, rows*n, rows, n, n};
  for (size_t k = 0; k < sizeof amount/sizeof *amount; k++) *places[k] = pf_take_reals(&reals, amount[k]);
  p->coordinate = pf_take_ints(&ints, n);
  p->row = pf_take_ints(&ints, m);
  p->condition = pf_take_ints(&ints, conditions);
  p->metric = pf_ldl_place(n, &reals, &ints);
  p->reals = reals;
  p->ints = ints;
}

/* The problem of the present unknowns; false without room for it. */
static bool pf_start_pose(PfStartSearch *s)
{
  PfStartProblem *p = &s->problem;
  int n = pf_start_count_movable(s), m = 0, conditions = 0, *ints;
  double *reals;
  for (int k = 0; k < s->row_count; k++) {
    int i = s->component[k];
    if (!pf_start_contains_movable(s, i)) continue;
    if (pf_start_is_constraint(s, i)) m++;
    else conditions++;
  }
  if (!s->calls->room(s->user, n, m, conditions, &reals, &ints)) return false;
  pf_start_place_problem(p, n, m, conditions, reals, ints);
  p->n = p->m = p->condition_count = 0;
  for (int j = 0; j < s->n; j++) {
    s->local[j] = s->may[j] ? p->n : -1;
    if (s->may[j]) p->from[p->n] = s->given[j], p->coordinate[p->n++] = j;
  }
  for (int k = 0; k < s->row_count; k++) {
    int i = s->component[k];
    if (!pf_start_contains_movable(s, i)) continue;
    if (pf_start_is_constraint(s, i)) p->row[p->m++] = i;
    else p->condition[p->condition_count++] = i - s->constraints;
  }
  return true;
}

static void pf_start_gather(PfStartSearch *s)
{
  PfStartProblem *p = &s->problem;
  size_t n = (size_t)p->n;
  memset(p->J, 0, (size_t)p->m*n*sizeof *p->J);
  memset(p->M, 0, n*n*sizeof *p->M);
  for (int i = 0; i < p->m; i++) {
    int row = p->row[i];
    p->r[i] = pf_start_residual(s, row);
    p->length[i] = pf_start_length(s, row);
    for (int at = s->begin[row]; at < s->begin[row + 1]; at++) {
      int j = s->local[s->column[at]];
      if (j >= 0) p->J[(size_t)i*n + (size_t)j] = pf_start_slope(s, row, at);
    }
  }
  s->calls->inertia(s->user, s->local, p->n, p->M);
}

/* The larger one of `norm` and the residuals of the start conditions that have at least this priority. */
static double pf_start_with_conditions(const PfStartSearch *s, PfPriority hard, double norm)
{
  for (int i = 0; i < s->problem.condition_count; i++) {
    const int g = s->problem.condition[i];
    const double residual = fabs(s->value[g] - s->target[g]);
    if (s->condition_priority[g] >= hard && !(residual <= norm)) norm = residual;
  }
  return norm;
}

/* Everything at x. The largest residual of the constraints and of the start conditions that have at least this
 * priority. */
static double pf_start_measure(PfStartSearch *s, PfPriority hard)
{
  const PfStartProblem *p = &s->problem;
  double norm = 0;
  for (int j = 0; j < p->n; j++) s->all[p->coordinate[j]] = p->x[j];
  pf_start_evaluate(s);
  pf_start_gather(s);
  for (int i = 0; i < p->m; i++)
    if (!(fabs(p->r[i]) <= norm)) norm = fabs(p->r[i]);
  return pf_start_with_conditions(s, hard, norm);
}

/* Each row in its size here. */
static void pf_start_take_units(PfStartSearch *s)
{
  PfStartProblem *p = &s->problem;
  for (int i = 0; i < p->m; i++) {
    double size = pf_start_row_size(s, p->row[i]);
    p->unit[i] = size > 0 && isfinite(size) ? size : 1;
  }
}

/* The largest residual as pf_start_measure takes it, of constraints each in its unit: a factor of a constraint does not
 * affect the path. */
static double pf_start_merit(const PfStartSearch *s, PfPriority hard)
{
  const PfStartProblem *p = &s->problem;
  double largest = 0;
  for (int i = 0; i < p->m; i++)
    if (!(fabs(p->r[i])/p->unit[i] <= largest)) largest = fabs(p->r[i])/p->unit[i];
  return pf_start_with_conditions(s, hard, largest);
}

/* All rows of the component count: those in which nothing may move as well. */
static bool pf_start_is_met(const PfStartSearch *s, PfStartCare care)
{
  return pf_start_worst_row(s, s->hard, care) < 0 &&
         pf_first_not_finite(s->problem.x, (size_t)s->problem.n) < 0;
}

/* ---------------------------------------------------------------- one step */

/* Rows of the step, in the metric: sets of them in the order of their priority. */
typedef struct PfStartRows {
  int count, begin[6];
} PfStartRows;

/* Appends a row for the unknowns, with its right side. */
static void pf_start_add_row(PfStartProblem *p, PfStartRows *r, const double *row, double right)
{
  pf_metric_rows(&p->metric, row, 1, p->rows + (size_t)r->count*(size_t)p->n);
  p->right[r->count++] = right;
}

static void pf_start_add_conditions(PfStartSearch *s, PfStartRows *r, PfPriority least, PfPriority most, bool aims)
{
  PfStartProblem *p = &s->problem;
  for (int i = 0; i < p->condition_count; i++) {
    const int g = p->condition[i];
    const double *row = s->rows + (size_t)g*(size_t)s->n;
    if (s->condition_priority[g] < least || s->condition_priority[g] > most) continue;
    for (int j = 0; j < p->n; j++) p->one[j] = row[p->coordinate[j]];
    pf_start_add_row(p, r, p->one, aims ? s->target[g] - s->value[g] : 0);
  }
}

static void pf_start_add_columns(PfStartSearch *s, PfStartRows *r, PfPriority priority)
{
  PfStartProblem *p = &s->problem;
  for (int j = 0; j < p->n; j++)
    if (s->priority[p->coordinate[j]] == priority) {
      for (int k = 0; k < p->n; k++) p->one[k] = k == j;
      pf_start_add_row(p, r, p->one, s->aims ? p->from[j] - p->x[j] : 0);
    }
}

static bool pf_start_is_open(const PfStartSearch *s, size_t j)
{
  return s->priority[s->problem.coordinate[j]] == PF_PRIORITY_OPEN;
}

/* The derivatives of the constraints by the open values, rows scaled to unit length. */
static void pf_start_open_part(const PfStartSearch *s, double *J)
{
  const PfStartProblem *p = &s->problem;
  size_t n = (size_t)p->n;
  for (size_t i = 0; i < (size_t)p->m; i++)
    for (size_t j = 0; j < n; j++)
      J[i*n + j] = pf_start_is_open(s, j) && p->length[i] > 0 ? p->J[i*n + j]/p->length[i] : 0;
}

/* Combinations of the constraints on which the open values have next to no effect, as rows for the given values.
 * Without them a loop that is open by rounding only could be closed by turning the whole mechanism: there the
 * derivative comes from the gap, not from the geometry. */
static void pf_start_add_out_of_reach(PfStartSearch *s, PfStartRows *r)
{
  const double reach = 1e-2, nothing = 1e-6;
  PfStartProblem *p = &s->problem;
  size_t n = (size_t)p->n, m = (size_t)p->m;
  double *reals = p->reals, *J = pf_take_reals(&reals, p->m*p->n), *N = pf_take_reals(&reals, p->m*p->m);
  int *ints = p->ints;
  PfQr qr = pf_qr_place(p->m, p->n, &reals, &ints);
  pf_start_open_part(s, J);
  if (pf_qr_compute(&qr, J, reach) != PF_FAULT_NONE) return; /* the solver fails for it */
  pf_qr_null_space_transposed(&qr, N);
  size_t count = m - (size_t)qr.rank;
  for (size_t k = 0; k < count; k++) {
    double right = 0, *row = p->one;
    memset(row, 0, n*sizeof *row);
    for (size_t i = 0; i < m; i++) {
      if (!(p->length[i] > 0)) continue;
      double factor = N[i*count + k]/p->length[i];
      right -= factor*p->r[i];
      for (size_t j = 0; j < n; j++)
        if (!pf_start_is_open(s, j)) row[j] += factor*p->J[i*n + j];
    }
    if (pf_norm(row, p->n) > nothing) pf_start_add_row(p, r, row, right);
  }
}

/* Velocities: are the entries of the unknowns in this row negligible against those at configurations nearby? At a
 * double root of the positions (x^2 + y^2 = 1 where y = -1) the entry is x, whose value is rounding: it must not become
 * a velocity of 1e6 m/s. */
static bool pf_start_is_out_of_hand(const PfStartSearch *s, int row)
{
  const double nothing = 1e-5;
  if (!s->velocities) return false;
  for (int p = s->begin[row]; p < s->begin[row + 1]; p++)
    if (s->local[s->column[p]] >= 0 && !(fabs(pf_start_slope(s, row, p)) <= nothing*s->typical[p])) return false;
  return true;
}

static void pf_start_add_constraints(PfStartSearch *s, PfStartRows *r)
{
  PfStartProblem *p = &s->problem;
  for (int i = 0; i < p->m; i++)
    if (!pf_start_is_out_of_hand(s, p->row[i])) pf_start_add_row(p, r, p->J + (size_t)i*(size_t)p->n, -p->r[i]);
}

/* Start conditions that are held, the share of given values in the constraints, constraints, values that were set,
 * values that were given. */
static void pf_start_list_rows(PfStartSearch *s, PfStartRows *r)
{
  pf_start_add_conditions(s, r, s->hard, PF_PRIORITY_FIXED, true);
  r->begin[1] = r->count;
  if (s->hard > PF_PRIORITY_GIVEN && !s->equal) pf_start_add_out_of_reach(s, r);
  r->begin[2] = r->count;
  pf_start_add_constraints(s, r);
  for (int k = 3; k < 5; k++) {
    PfPriority priority = k == 3 ? PF_PRIORITY_SET : PF_PRIORITY_GIVEN;
    r->begin[k] = r->count;
    if (priority >= s->hard || s->equal) continue;
    pf_start_add_conditions(s, r, priority, priority, s->aims);
    pf_start_add_columns(s, r, priority);
  }
  r->begin[5] = r->count;
}

/* The last of the sets: coordinates with inertia change as little as the others allow, at any cost to those without. */
static PfRowSet pf_start_add_inertia(PfStartProblem *p, PfStartRows *r)
{
  const double rounding = 1e-13;
  size_t n = (size_t)p->n, first = (size_t)r->count;
  int rank = p->metric.rank < p->n ? p->metric.rank : 0; /* else the shortest step is that of least change */
  for (int i = 0; i < rank; i++, r->count++) {
    p->right[r->count] = 0;
    for (size_t j = 0; j < n; j++) p->rows[(size_t)r->count*n + j] = j == (size_t)i;
  }
  const PfRowSet set = {rank, p->rows + first*n, p->right + first, rounding};
  return set;
}

/* The step into p->step; false where something is not finite. */
static bool pf_start_solve(PfStartSearch *s)
{
  PfStartProblem *p = &s->problem;
  size_t n = (size_t)p->n;
  PfStartRows r = {0, {0}};
  PfRowSet sets[6];
  pf_metric_factor(&p->metric, p->M);
  pf_start_list_rows(s, &r);
  for (int k = 0; k < 5; k++) { /* constraints may be nearly dependent; given values are either decided or not */
    const PfRowSet set = {r.begin[k + 1] - r.begin[k], p->rows + (size_t)r.begin[k]*n, p->right + r.begin[k],
                          k == 2 ? 1e-10 : 1e-8};
    sets[k] = set;
  }
  sets[5] = pf_start_add_inertia(p, &r);
  if (!pf_priority_solve(sets, 6, p->n, p->reals, p->ints, p->y)) return false;
  pf_metric_back(&p->metric, p->y, p->step);
  return true;
}

/* ---------------------------------------------------------------- Newton's iteration */

/* The iteration while it goes on. */
typedef struct PfStartDescent {
  PfStartSearch *s;
  int steps;
  double norm, last; /* the merit; where the latest step began */
} PfStartDescent;

/* The first step is also taken when it only moves values that are not held to where they were given. */
static bool pf_start_find_residual(void *user, PfResidualNorm *norm)
{
  PfStartDescent *d = user;
  bool first = d->steps == 0 && d->s->hard > PF_PRIORITY_GIVEN;
  norm->size = pf_start_measure(d->s, d->s->hard);
  if (d->steps == 0) pf_start_take_units(d->s);
  d->norm = norm->merit = pf_start_merit(d->s, d->s->hard);
  if (first) norm->size = fmax(norm->size, 1e-12), norm->merit = fmax(norm->merit, 1e-12);
  return true;
}

/* Values that are not held are drawn to where they were given by the first few steps only: on curved constraints that
 * would conflict with the constraints. At a double root the residual falls by 4 in each step, since a step goes half
 * the way: then the step is doubled. */
static bool pf_start_find_step(void *user, bool fresh, double *length)
{
  enum { AIMED = 3 };
  PfStartDescent *d = user;
  PfStartSearch *s = d->s;
  (void)fresh, (void)length;
  s->aims = d->steps < AIMED;
  const bool good = pf_start_solve(s);
  const bool doubled = d->last < 1e-3 && fabs(d->norm/d->last - 0.25) < 0.01;
  for (int j = 0; j < s->problem.n && doubled; j++) s->problem.step[j] *= 2;
  d->steps++;
  d->last = d->norm;
  return good;
}

/* Until rounding. `decrease`: how near the residual must come to the prediction of the step; where it does not, the
 * step is shortened, so that the path leads to a solution nearby. The callers judge the end. */
static void pf_start_iterate(PfStartSearch *s, double decrease)
{
  PfStartProblem *p = &s->problem;
  const PfNewtonPolicy policy = {.iterations = 60, .rounding = 1e-13, .stall = 0.25, .halvings = 40,
                                 .decrease = decrease};
  PfStartDescent descent = {.s = s, .last = INFINITY};
  const PfNewtonLoop newton = {.user = &descent, .n = p->n, .x = p->x, .step = p->step, .before = p->keep,
                               .residual = pf_start_find_residual, .solve = pf_start_find_step};
  PfNewtonOutcome outcome = {0};
  (void)pf_newton_loop(&newton, &policy, &outcome);
}

/* ---------------------------------------------------------------- from several places */

/* Arbitrary numbers in (0.5, 1), the same in every run. */
static double pf_start_arbitrary(int j)
{
  double x = sin(12.9898*(j + 1))*43758.5453;
  return 1 - 0.5*(x - floor(x));
}

static void pf_start_begin_at(PfStartSearch *s, double reach)
{
  PfStartProblem *p = &s->problem;
  for (int j = 0; j < p->n; j++)
    p->x[j] = p->from[j] + reach*pf_start_arbitrary(j)*pf_start_unit(s, p->coordinate[j]);
}

static double pf_start_change(const PfStartProblem *p)
{
  double sum = 0;
  for (int j = 0; j < p->n; j++) {
    double mass = p->M[(size_t)j*(size_t)p->n + (size_t)j], d = p->x[j] - p->from[j];
    sum += (mass > 0 ? mass : 1)*d*d;
  }
  return sum;
}

/* From the start itself, by steps that stay near it, or by any that help. */
static bool pf_start_search_here(PfStartSearch *s, PfStartCare care)
{
  const double decrease[] = {0.5, 0};
  bool found = false;
  for (int k = 0; k < 2 && !found; k++) {
    pf_start_begin_at(s, 0);
    pf_start_iterate(s, decrease[k]);
    found = pf_start_is_met(s, care);
  }
  return found;
}

/* Where the gradient of a constraint vanishes just at the start (x^2 + y^2 = 1 with x given and y not), from places
 * around it; the solution nearest to the start is taken. */
static bool pf_start_search_around(PfStartSearch *s, PfStartCare care)
{
  static const double reaches[] = {0.3, -0.3, 0.03, -0.03, 0.003, -0.003, 1, -1};
  enum { LARGE = 60 }; /* coordinates: more places would take long */
  PfStartProblem *p = &s->problem;
  size_t size = (size_t)p->n*sizeof *p->x;
  double nearest = INFINITY;
  bool found = false;
  const int places = p->n > LARGE ? 2 : (int)(sizeof reaches/sizeof *reaches);
  memcpy(p->best, p->x, size); /* for the message, when nothing is found */
  for (int k = 0; k < places; k++) {
    pf_start_begin_at(s, reaches[k]);
    pf_start_iterate(s, 0);
    if (!pf_start_is_met(s, care) || !(pf_start_change(p) < 0.999*nearest)) continue; /* of two alike, the first */
    found = true;
    nearest = pf_start_change(p);
    memcpy(p->best, p->x, size);
  }
  memcpy(p->x, p->best, size);
  (void)pf_start_measure(s, s->hard);
  return found;
}

/* Values that differ from these by rounding only are set to them, unless a constraint would notice; NULL: zeros. */
static void pf_start_round_to(PfStartSearch *s, const double *values, double rounding)
{
  PfStartProblem *p = &s->problem;
  double norm = pf_start_measure(s, PF_PRIORITY_FIXED);
  memcpy(p->keep, p->x, (size_t)p->n*sizeof *p->x);
  for (int j = 0; j < p->n; j++) {
    double to = values ? values[j] : 0;
    if (fabs(p->x[j] - to) <= rounding*pf_start_unit(s, p->coordinate[j])) p->x[j] = to;
  }
  if (pf_start_measure(s, PF_PRIORITY_FIXED) <= fmax(norm, 1e-15)) return;
  memcpy(p->x, p->keep, (size_t)p->n*sizeof *p->x);
  (void)pf_start_measure(s, PF_PRIORITY_FIXED);
}

/* Values that differ from the start by rounding only are put back; negligible values are set to zero. */
static void pf_start_tidy(PfStartSearch *s)
{
  const PfStartProblem *p = &s->problem;
  double largest = 1;
  for (int j = 0; j < p->n; j++) largest = fmax(largest, fabs(p->from[j])/pf_start_unit(s, p->coordinate[j]));
  const double rounding = 4e-16*largest;
  pf_start_round_to(s, NULL, 10*rounding);
  pf_start_round_to(s, p->from, rounding);
}

/* ---------------------------------------------------------------- stages: the unknowns */

/* In each, more may move than before. */
typedef enum PfStartStage {
  PF_STAGE_LINEAR,   /* that in which an unmet constraint is linear: positions only */
  PF_STAGE_CARRIED,  /* and those that are linear in a constraint that depends on them */
  PF_STAGE_NAMED,    /* all that an unmet constraint contains */
  PF_STAGE_ATTACHED, /* and those that occur together with them in another one */
  PF_STAGE_ALL,      /* the component */
  PF_STAGES
} PfStartStage;

static void pf_start_flag_unmet(PfStartSearch *s)
{
  for (int k = 0; k < s->row_count; k++)
    s->flagged[s->component[k]] = pf_start_is_unmet(s, s->component[k], PF_PRIORITY_GIVEN, PF_CARE_ROUNDING);
}

/* The open coordinates of the rows that are flagged. True when there are more now. */
static bool pf_start_admit(PfStartSearch *s, bool linear)
{
  bool more = false;
  for (int k = 0; k < s->row_count; k++) {
    int i = s->component[k];
    for (int p = s->begin[i]; s->flagged[i] && p < s->begin[i + 1]; p++) {
      int j = s->column[p];
      bool constant = pf_start_is_constraint(s, i) && s->constant[p];
      if (s->may[j] || s->priority[j] != PF_PRIORITY_OPEN || (linear && !constant)) continue;
      s->may[j] = more = true;
    }
  }
  return more;
}

static void pf_start_flag_touched(PfStartSearch *s)
{
  for (int k = 0; k < s->row_count; k++)
    s->flagged[s->component[k]] = s->flagged[s->component[k]] || pf_start_contains_movable(s, s->component[k]);
}

static void pf_start_admit_stage(PfStartSearch *s, PfStartStage stage)
{
  bool linear = stage == PF_STAGE_LINEAR || stage == PF_STAGE_CARRIED;
  memset(s->may, 0, (size_t)s->n*sizeof *s->may);
  for (int j = 0; j < s->n && stage == PF_STAGE_ALL; j++)
    s->may[j] = s->part[j] == s->current && s->priority[j] == PF_PRIORITY_OPEN;
  pf_start_flag_unmet(s);
  if (stage == PF_STAGE_ALL) return;
  (void)pf_start_admit(s, linear);
  for (bool more = stage == PF_STAGE_CARRIED || stage == PF_STAGE_ATTACHED; more;) {
    pf_start_flag_touched(s);
    more = pf_start_admit(s, linear) && stage == PF_STAGE_CARRIED;
  }
}

/* Is it worth a try: may something move in every unmet row, and other than in the latest try? */
static bool pf_start_is_promising(PfStartSearch *s)
{
  if (memcmp(s->may, s->before, (size_t)s->n*sizeof *s->may) == 0) return false;
  pf_start_flag_unmet(s);
  for (int k = 0; k < s->row_count; k++)
    if (s->flagged[s->component[k]] && !pf_start_contains_movable(s, s->component[k])) return false;
  return true;
}

/* ---------------------------------------------------------------- large components, by their structure */

enum { PF_START_LARGE = 100 }; /* rows and coordinates */

static bool pf_start_is_large(const PfStartSearch *s)
{
  int size = pf_start_count_movable(s);
  for (int k = 0; k < s->row_count; k++) size += pf_start_contains_movable(s, s->component[k]);
  return s->calls->project && !s->conditions && size >= PF_START_LARGE;
}

/* Holds the values of at least this priority and projects the rest on the constraints of the level. */
static bool pf_start_project(PfStartSearch *s, PfPriority hard, PfStartCare care)
{
  for (int j = 0; j < s->n; j++) s->may[j] = s->priority[j] >= hard;
  s->calls->project(s->user, s->may);
  pf_start_evaluate(s);
  return pf_start_worst_row(s, hard, care) < 0 && pf_first_not_finite(s->all, (size_t)s->n) < 0;
}

/* ---------------------------------------------------------------- components */

static void pf_start_put_back(PfStartSearch *s)
{
  for (int j = 0; j < s->n; j++)
    if (s->part[j] == s->current) s->all[j] = s->given[j];
  pf_start_evaluate(s);
}

/* At a solution: flags the rows that follow from those written before them. False when there are none. */
static bool pf_start_find_followers(PfStartSearch *s)
{
  const double rounding = 1e-7;
  PfStartProblem *p = &s->problem;
  const size_t n = (size_t)p->n;
  bool any = false;
  for (size_t i = 0; i < (size_t)p->m*n && s->column_unit; i++) p->J[i] *= s->column_unit[p->coordinate[i%n]];
  for (int i = 0; i < p->m; i++) {
    double *row = p->J + (size_t)i*n, length = pf_norm(row, p->n);
    for (int k = 0; k < 2*i; k++) (void)pf_remove_part(row, p->J + (size_t)(k%i)*n, p->n);
    double left = pf_norm(row, p->n);
    bool follows = !(left > rounding*length);
    for (size_t j = 0; j < n; j++) row[j] = follows ? 0 : row[j]/left;
    s->follows[p->row[i]] = follows;
    any = any || follows;
  }
  return any;
}

/* How a try ended. */
typedef enum PfStartTry { PF_TRY_FAILED, PF_TRY_FOUND, PF_TRY_NO_ROOM } PfStartTry;

/* From the start itself, or from places around it. */
typedef enum PfStartWay { PF_WAY_HERE, PF_WAY_AROUND, PF_WAYS } PfStartWay;

/* Poses the problem of the present unknowns and looks for a solution. `any` (or NULL): rows follow from others
 * there. */
static PfStartTry pf_start_pose_and_search(PfStartSearch *s, PfStartWay way, PfStartCare care, bool *any)
{
  PfStartProblem *p = &s->problem;
  bool found;
  if (any) *any = false;
  if (!pf_start_pose(s)) return PF_TRY_NO_ROOM;
  for (int j = 0; j < p->n; j++) p->x[j] = s->all[p->coordinate[j]];
  found = way == PF_WAY_HERE ? pf_start_search_here(s, care) : pf_start_search_around(s, care);
  if (found) pf_start_tidy(s);
  if (any) *any = found && !s->velocities && pf_start_find_followers(s);
  return found ? PF_TRY_FOUND : PF_TRY_FAILED;
}

/* Rows that follow from others where the constraints hold lead astray where they do not: without them the solution is
 * the one that the model has without them. */
static PfStartTry pf_start_attempt(PfStartSearch *s, PfStartWay way, PfStartCare care)
{
  const size_t n = (size_t)s->n;
  bool any;
  PfStartTry first = pf_start_pose_and_search(s, way, care, &any), again;
  if (!any) return first;
  memcpy(s->solution, s->all, n*sizeof *s->solution);
  pf_start_put_back(s);
  again = pf_start_pose_and_search(s, way, care, NULL);
  memset(s->follows, 0, (size_t)(s->constraints + s->conditions)*sizeof *s->follows);
  if (again != PF_TRY_FOUND) memcpy(s->all, s->solution, n*sizeof *s->solution);
  pf_start_evaluate(s);
  return again == PF_TRY_NO_ROOM ? again : first;
}

/* Given values are held. */
static PfStartTry pf_start_solve_for_open(PfStartSearch *s, PfStartCare care)
{
  s->hard = PF_PRIORITY_GIVEN;
  for (int way = 0; way < PF_WAYS; way++) {
    memset(s->before, 0, (size_t)s->n*sizeof *s->before);
    for (int stage = s->velocities ? PF_STAGE_NAMED : PF_STAGE_LINEAR; stage < PF_STAGES; stage++) {
      PfStartTry end;
      pf_start_put_back(s);
      pf_start_admit_stage(s, (PfStartStage)stage);
      if (!pf_start_is_promising(s)) continue;
      if (pf_start_is_large(s)) {
        if (stage < PF_STAGE_ALL) continue;
        if (pf_start_project(s, PF_PRIORITY_GIVEN, PF_CARE_ROUNDING)) return PF_TRY_FOUND;
        if (!s->dense) return PF_TRY_FAILED;
        pf_start_put_back(s);
        pf_start_admit_stage(s, (PfStartStage)stage);
      }
      memcpy(s->before, s->may, (size_t)s->n*sizeof *s->may);
      end = pf_start_attempt(s, (PfStartWay)way, care);
      for (int j = 0; j < s->n && s->plain && end == PF_TRY_FOUND && stage < PF_STAGE_NAMED; j++)
        s->plain[j] = s->plain[j] || s->may[j];
      if (end != PF_TRY_FAILED) return end;
      /* no more than typed digits are missing: that needs no other place, only a value that may yield */
      if (pf_start_worst_row(s, PF_PRIORITY_GIVEN, PF_CARE_DIGITS) < 0 && stage == PF_STAGE_ALL) return PF_TRY_FAILED;
    }
  }
  return PF_TRY_FAILED;
}

/* Values of lower priority than s->hard may move. */
static PfStartTry pf_start_solve_yielding(PfStartSearch *s, PfStartCare care)
{
  for (int way = 0; way < PF_WAYS; way++) {
    PfStartTry end;
    pf_start_put_back(s);
    for (int j = 0; j < s->n; j++) s->may[j] = s->part[j] == s->current && s->priority[j] < s->hard;
    if (!s->dense && pf_start_is_large(s)) return pf_start_project(s, s->hard, care) ? PF_TRY_FOUND : PF_TRY_FAILED;
    end = pf_start_attempt(s, (PfStartWay)way, care);
    if (end != PF_TRY_FAILED || pf_start_worst_row(s, s->hard, PF_CARE_DIGITS) < 0) return end;
  }
  return PF_TRY_FAILED;
}

static bool pf_start_has_priority(const PfStartSearch *s, PfPriority priority)
{
  for (int j = 0; j < s->n; j++)
    if (s->part[j] == s->current && s->priority[j] == priority) return true;
  for (int k = 0; k < s->row_count; k++) {
    const int i = s->component[k];
    if (!pf_start_is_constraint(s, i) && s->condition_priority[i - s->constraints] == priority) return true;
  }
  return false;
}

static PfSearchEnd pf_start_conflict(PfStartSearch *s)
{
  pf_start_evaluate(s);
  s->worst = pf_start_worst_row(s, PF_PRIORITY_FIXED, PF_CARE_DIGITS);
  return PF_SEARCH_CONFLICT;
}

static void pf_start_take_part(PfStartSearch *s, int part)
{
  s->current = part;
  s->component = s->part_row + s->part_begin[part];
  s->row_count = s->part_begin[part + 1] - s->part_begin[part];
}

/* Values of the highest priority that occurs are released last, and only then digits that people type suffice. At the
 * very end all that may move does so alike. */
static PfSearchEnd pf_start_settle_part(PfStartSearch *s)
{
  if (pf_start_worst_row(s, PF_PRIORITY_GIVEN, PF_CARE_ROUNDING) < 0) return PF_SEARCH_FOUND;
  const PfPriority last = pf_start_has_priority(s, PF_PRIORITY_SET) ? PF_PRIORITY_FIXED
                          : pf_start_has_priority(s, PF_PRIORITY_GIVEN) ? PF_PRIORITY_SET : PF_PRIORITY_GIVEN;
  PfStartTry end = pf_start_solve_for_open(s, last > PF_PRIORITY_GIVEN ? PF_CARE_ROUNDING : PF_CARE_DIGITS);
  for (int hard = PF_PRIORITY_SET; hard <= (int)last && end == PF_TRY_FAILED; hard++) {
    s->hard = (PfPriority)hard;
    end = pf_start_solve_yielding(s, s->hard < last ? PF_CARE_ROUNDING : PF_CARE_DIGITS);
  }
  s->hard = PF_PRIORITY_FIXED;
  if (end == PF_TRY_FAILED && last > PF_PRIORITY_GIVEN) {
    s->equal = true;
    end = pf_start_solve_yielding(s, PF_CARE_DIGITS);
    s->equal = false;
  }
  if (end == PF_TRY_FAILED) return pf_start_conflict(s);
  return end == PF_TRY_FOUND ? PF_SEARCH_FOUND : PF_SEARCH_NO_ROOM;
}

PF_RUNTIME PfSearchEnd pf_start_search(PfStartSearch *s)
{
  s->worst = -1;
  pf_start_connect(s);
  memcpy(s->given, s->all, (size_t)s->n*sizeof *s->given);
  pf_start_evaluate(s);
  for (int part = 0; part < s->parts; part++) {
    pf_start_take_part(s, part);
    const PfSearchEnd end = pf_start_settle_part(s);
    if (end != PF_SEARCH_FOUND) return end;
  }
  pf_start_take_part(s, s->parts);
  return pf_start_worst_row(s, PF_PRIORITY_FIXED, PF_CARE_DIGITS) < 0 ? PF_SEARCH_FOUND : pf_start_conflict(s);
}

#endif
