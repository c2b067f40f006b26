/* SPDX-License-Identifier: Apache-2.0 */
/* What can be said about a system before it moves: rank and redundancy of the constraints where they hold, rank of
 * the mass matrix, and whether the start satisfies the constraints. */
#include "mech/mech_impl.h"
#include "mech/negative.h"
#include "num/newton.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

typedef struct Probe {
  PfContext *ctx;
  PfArena *scratch;
  const PfEquations *eq;
  PfSymbols symbols;
  double *values;           /* of all symbols */
  PfExpr *position, *slope; /* the position constraints and their Jacobian, by rows */
  int *row;                 /* the constraint of each */
  int positions;
  PfExpr *spin;             /* omega(b) of the start less what it shall be, and the derivatives */
  double *work;
  PfUnits units;            /* of the coordinates, by the start and states beside it */
} Probe;

static PfStatus evaluate(const Probe *p, const PfExpr *e, int count, double *out)
{
  return pf_expr_evaluate(p->ctx, e, count, p->symbols.symbol, p->values, p->symbols.count, out);
}

/* ---------------------------------------------------------------- numbers of the start */

static PfStatus set_parameters(Probe *p, const double *given, bool *generic)
{
  const PfModel *model = p->eq->model;
  for (int i = 0; i < model->parameter_count; i++)
    if (model->parameters[i].value == PF_EXPR_NONE && !(given && !isnan(given[i]))) *generic = true;
  return pf_model_parameter_values(model, given, PF_MISSING_GENERIC, p->values);
}

static PfStatus set_start(Probe *p)
{
  const PfModel *model = p->eq->model;
  double *values = p->values;
  values[p->symbols.time] = 0;
  PF_TRY(pf_evaluate_inputs(p->ctx, model, &p->symbols, values));
  for (int i = 0; i < p->eq->n; i++) {
    PF_TRY(evaluate(p, &model->coordinates[i].start_q, 1, values + p->symbols.q + i));
    PF_TRY(evaluate(p, &model->coordinates[i].start_v, 1, values + p->symbols.v + i));
    if (!isfinite(values[p->symbols.q + i]) || !isfinite(values[p->symbols.v + i]))
      return pf_fail_at(p->ctx, PF_ERR_NUMBER, model->coordinates[i].place,
                        "the start of '%s' is not a finite number", model->coordinates[i].name);
  }
  return PF_OK;
}

/* A velocity that was given beside the speeds must be the one that they give. What was set instead of the model's start
 * is not held against it. */
static PfStatus set_rate(Probe *p, int i, PfExpr rate)
{
  const PfCoordinate *c = p->eq->model->coordinates + i;
  double *v = p->values + p->symbols.v + i, given = *v;
  if (c->firm_v == PF_START_SET) return PF_OK;
  PF_TRY(evaluate(p, &rate, 1, v));
  if (c->firm_v == PF_START_OPEN || fabs(given - *v) <= PF_TYPED_DIGITS) return PF_OK;
  pf_fail_at(p->ctx, PF_ERR_MODEL, c->place, "the start of %s' is %.6g, but the speeds give %.6g", c->name, given, *v);
  pf_hint(p->ctx, "start either the speeds or the velocities");
  return PF_ERR_MODEL;
}

/* A speed whose start is not mentioned has the value that the velocities give it, or none. */
static PfStatus start_of_speed(Probe *p, PfExpr value, PfExpr *start)
{
  double number = 0;
  if (value) PF_TRY(evaluate(p, &value, 1, &number));
  *start = pf_expr_double(p->ctx, number);
  return PF_OK;
}

/* x' at the start from the speeds, when these are given. */
static PfStatus set_rates(Probe *p)
{
  const PfModel *model = p->eq->model;
  if (!model->speed_count) return PF_OK;
  int ns = model->speed_count, n = p->eq->n;
  PfExpr *symbols = pf_arena_array(p->scratch, PfExpr, ns), *starts = pf_arena_array(p->scratch, PfExpr, ns);
  if (!symbols || !starts) return pf_no_room(p->ctx, "the diagnosis");
  bool given = false;
  for (int i = 0; i < ns; i++) {
    symbols[i] = model->speeds[i].symbol;
    starts[i] = model->speeds[i].start;
    given = given || starts[i];
    if (!starts[i]) PF_TRY(start_of_speed(p, model->speeds[i].value, starts + i));
  }
  for (int i = 0; i < n && given; i++) {
    PfExpr rate = p->eq->rate[i];
    PF_TRY(pf_expr_substitute(p->ctx, &rate, 1, symbols, starts, ns, &rate));
    PF_TRY(set_rate(p, i, rate));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- onto the position constraints */

static PfStatus list_positions(Probe *p)
{
  const PfEquations *eq = p->eq;
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  p->position = pf_arena_array(p->scratch, PfExpr, m);
  p->slope = pf_arena_array(p->scratch, PfExpr, m*n);
  p->row = pf_arena_array(p->scratch, int, m);
  if (!p->position || !p->slope || !p->row) return pf_no_room(p->ctx, "the diagnosis");
  for (int i = 0; i < eq->m; i++) {
    if (eq->position[i] == PF_EXPR_NONE) continue;
    p->position[p->positions] = eq->position[i];
    memcpy(p->slope + (size_t)p->positions*n, eq->A + (size_t)i*n, n*sizeof *p->slope);
    p->row[p->positions++] = i;
  }
  return PF_OK;
}

/* Residuals and their slopes (or NULL) of these constraints (NULL: all), each in its size. */
static void take_sizes(const Probe *p, const int *constraint, int count, double *r, double *J)
{
  const size_t n = (size_t)p->eq->n;
  for (int i = 0; i < count; i++) {
    const double scale = p->units.scale[constraint ? constraint[i] : i];
    r[i] /= scale;
    for (size_t j = 0; J && j < n; j++) J[(size_t)i*n + j] /= scale;
  }
}

/* Residuals of the position constraints at x; the slope of a holonomic constraint is its row of A. */
static PfStatus position_residual(void *user, const double *x, double *r, double *J)
{
  Probe *p = user;
  memcpy(p->values + p->symbols.q, x, (size_t)p->eq->n*sizeof *x);
  PF_TRY(evaluate(p, p->position, p->positions, r));
  if (J) PF_TRY(evaluate(p, p->slope, p->positions*p->eq->n, J));
  take_sizes(p, p->row, p->positions, r, J);
  return PF_OK;
}

static PfStatus velocity_residual(void *user, const double *x, double *r, double *J)
{
  Probe *p = user;
  const PfEquations *eq = p->eq;
  memcpy(p->values + p->symbols.v, x, (size_t)eq->n*sizeof *x);
  PF_TRY(evaluate(p, eq->velocity, eq->m, r));
  for (int i = 0; i < eq->m; i++)
    if (eq->velocity[i] == PF_EXPR_NONE) r[i] = 0;
  if (J) PF_TRY(evaluate(p, eq->A, eq->m*eq->n, J));
  take_sizes(p, NULL, eq->m, r, J);
  return PF_OK;
}

/* Newton from the numbers at `at`. That it does not arrive is no failure, and nothing is said about it. */
static PfStatus reach(Probe *p, PfResidual residual, int m, double *at, const double *weight,
                      PfGaussNewtonResult *result, bool *arrived)
{
  *arrived = m == 0;
  if (m == 0) return PF_OK;
  int before = pf_diagnostic_count(p->ctx);
  if (!weight) weight = p->units.spread;
  PfGaussNewtonOptions options = {.tolerance = PF_LOOKED_AT, .iterations = 100, .weight = weight};
  PfStatus status = pf_gauss_newton(p->ctx, residual, p, m, p->eq->n, at, &options, result);
  *arrived = status == PF_OK;
  if (status != PF_ERR_NUMBER) return status;
  pf_diagnostics_cut(p->ctx, before);
  return PF_OK;
}

/* The coordinates that belong to contacts are not the user's: they are found, the others stay. */
static PfStatus settle_contacts(Probe *p)
{
  const PfModel *model = p->eq->model;
  double *weight = pf_arena_array(p->scratch, double, p->eq->n), *q = p->values + p->symbols.q;
  double *x = pf_arena_array(p->scratch, double, p->eq->n);
  if (!weight || !x) return pf_no_room(p->ctx, "the diagnosis");
  bool any = false, arrived;
  for (int i = 0; i < p->eq->n; i++) any |= (weight[i] = model->coordinates[i].contact) != 0;
  if (!any) return PF_OK;
  PfGaussNewtonResult result;
  memcpy(x, q, (size_t)p->eq->n*sizeof *x);
  PF_TRY(reach(p, position_residual, p->positions, x, weight, &result, &arrived));
  memcpy(q, x, (size_t)p->eq->n*sizeof *x);
  double *v = p->values + p->symbols.v;
  memcpy(x, v, (size_t)p->eq->n*sizeof *x);
  PF_TRY(reach(p, velocity_residual, p->eq->m, x, weight, &result, &arrived));
  memcpy(v, x, (size_t)p->eq->n*sizeof *x);
  return PF_OK;
}

/* ---------------------------------------------------------------- angular velocities of the start */

/* What omega(b) is beside what it shall be, for each body of which it is given. */
static PfStatus spin_residual(void *user, const double *x, double *r, double *J)
{
  Probe *p = user;
  int n = p->eq->n, rows = 3*p->eq->model->start_spin_count;
  memcpy(p->values + p->symbols.v, x, (size_t)n*sizeof *x);
  PF_TRY(evaluate(p, p->spin, rows, r));
  return J ? evaluate(p, p->spin + rows, rows*n, J) : PF_OK;
}

/* The residuals, then their derivatives in the velocities. */
static PfStatus list_spins(Probe *p)
{
  const PfModel *model = p->eq->model;
  size_t n = (size_t)p->eq->n, rows = 3*(size_t)model->start_spin_count;
  p->spin = pf_arena_array(p->scratch, PfExpr, rows*(n + 1));
  if (!p->spin) return pf_no_room(p->ctx, "the diagnosis");
  for (size_t i = 0; i < rows; i++) {
    const PfStartSpin *s = model->start_spins + i/3;
    p->spin[i] = pf_expr_sub(p->ctx, s->spin[i%3], s->start[i%3]);
    PF_TRY(pf_expr_gradient(p->ctx, p->spin[i], p->symbols.symbol + p->symbols.v, p->eq->n, p->spin + rows + i*n));
  }
  return PF_OK;
}

static PfStatus no_spin(Probe *p, const PfGaussNewtonResult *result)
{
  const PfStartSpin *s = p->eq->model->start_spins + result->row/3;
  pf_fail_at(p->ctx, PF_ERR_MODEL, s->place, "no rates of the coordinates give %s at the start",
             s->name[result->row%3]);
  pf_hint(p->ctx, "it is missed by %.6g at best; does the body turn about other axes only, or do two of its axes "
          "coincide at this attitude?", result->residual);
  return PF_ERR_MODEL;
}

/* The velocities that give omega(b), by those that were not given. When they contradict it, all stays: which of them
 * yields is decided with the constraints. */
static PfStatus settle_spins(Probe *p)
{
  const PfModel *model = p->eq->model;
  int n = p->eq->n, rows = 3*model->start_spin_count;
  double *weight = pf_arena_array(p->scratch, double, n), *v = p->values + p->symbols.v;
  double *x = pf_arena_array(p->scratch, double, n);
  if (!rows) return PF_OK;
  if (!weight || !x) return pf_no_room(p->ctx, "the diagnosis");
  PF_TRY(list_spins(p));
  bool arrived = false, first = false;
  PfGaussNewtonResult result = {.row = -1};
  double *given = pf_arena_array(p->scratch, double, n);
  if (!given) return pf_no_room(p->ctx, "the diagnosis");
  memcpy(given, v, (size_t)n*sizeof *v);
  for (int pass = 0; pass < 2 && !arrived; pass++) {
    for (int i = 0; i < n; i++) weight[i] = pass || model->coordinates[i].firm_v == PF_START_OPEN;
    memcpy(x, given, (size_t)n*sizeof *x);
    PF_TRY(reach(p, spin_residual, rows, x, weight, &result, &arrived));
    first = arrived && !pass;
  }
  memcpy(v, first ? x : given, (size_t)n*sizeof *x);
  return arrived ? PF_OK : no_spin(p, &result);
}

/* ---------------------------------------------------------------- the start */

static PfStatus judge_start(Probe *p, PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  double missed = 0; /* each in its size */
  d->start_worst = -1;
  for (int level = 0; level < 2; level++) {
    const PfExpr *e = level ? eq->velocity : eq->position;
    PF_TRY(evaluate(p, e, eq->m, p->work));
    for (int i = 0; i < eq->m; i++) {
      if (e[i] == PF_EXPR_NONE) continue;
      double miss = isnan(p->work[i]) ? INFINITY : fabs(p->work[i]); /* not even defined there */
      missed = fmax(missed, miss/p->units.scale[i]);
      if (miss > d->start_violation) d->start_violation = miss, d->start_worst = i;
    }
  }
  d->start_consistent = missed <= PF_TYPED_DIGITS;
  if (d->start_consistent) d->start_worst = -1;
  memcpy(d->start_q, p->values + p->symbols.q, (size_t)eq->n*sizeof(double));
  memcpy(d->start_v, p->values + p->symbols.v, (size_t)eq->n*sizeof(double));
  return PF_OK;
}

/* ---------------------------------------------------------------- a generic admissible state */

/* Arbitrary numbers in (-1, 1), the same in every run. */
static double arbitrary(int i, int salt)
{
  double x = sin(12.9898*(i + 1) + 78.233*salt)*43758.5453;
  return 2*(x - floor(x)) - 1;
}

/* Rows of A v = b, and which constraints they belong to (NULL: row i to constraint i). */
typedef struct Rows {
  const double *A, *b;
  int m, n;
  const int *constraint;
  double size; /* of the terms in b, as a solution in the units of the coordinates */
} Rows;

static const PfConstraint *constraint_of(const Probe *p, const Rows *rows, int row)
{
  return p->eq->model->constraints + (rows->constraint ? rows->constraint[row] : row);
}

/* Do these two rows alone have no solution? */
static bool is_pair(Probe *p, const Rows *rows, int i, int j)
{
  PfConsistency answer = {.row = -1};
  size_t n = (size_t)rows->n;
  double *A = pf_arena_array(p->scratch, double, 2*n), b[2] = {rows->b[i], rows->b[j]};
  int before = pf_diagnostic_count(p->ctx);
  if (!A) return false;
  memcpy(A, rows->A + (size_t)i*n, n*sizeof *A);
  memcpy(A + n, rows->A + (size_t)j*n, n*sizeof *A);
  (void)pf_rows_consistent(p->ctx, A, b, 2, rows->n, 1e-6, rows->size, &answer);
  pf_diagnostics_cut(p->ctx, before);
  return answer.row >= 0;
}

/* Is its row of A zero in every state, with these parameters? A row may also vanish just where one looks. */
static PfStatus ask_empty(Probe *p, int constraint, bool *empty)
{
  enum { STATES = 3 };
  const size_t count = (size_t)p->symbols.count, n = (size_t)p->eq->n;
  double *kept = pf_arena_array(p->scratch, double, count), *row = pf_arena_array(p->scratch, double, n);
  if (!kept || !row) return pf_no_room(p->ctx, "the diagnosis");
  memcpy(kept, p->values, count*sizeof *kept);
  PfStatus status = PF_OK;
  *empty = true;
  for (int k = 0; k < STATES && *empty && status == PF_OK; k++) {
    p->values[p->symbols.time] = k;
    for (int i = 0; i < p->eq->n; i++) {
      p->values[p->symbols.q + i] = arbitrary(i, 3 + k);
      p->values[p->symbols.v + i] = arbitrary(i, 13 + k);
    }
    status = evaluate(p, p->eq->A + (size_t)constraint*n, p->eq->n, row);
    for (size_t j = 0; j < n; j++) *empty = *empty && row[j] == 0;
  }
  memcpy(p->values, kept, count*sizeof *kept);
  return status;
}

/* 0 = something else */
static PfStatus say_empty(Probe *p, const PfConstraint *c)
{
  pf_fail_at(p->ctx, PF_ERR_MODEL, c->place,
             "the constraint '%s' cannot hold: the coordinates drop out of it, and what is left is not zero", c->name);
  pf_hint(p->ctx, "is a parameter zero that should not be?");
  return PF_ERR_MODEL;
}

/* Is the row zero where the constraints hold? Positions are known to 1e-11, which leaves so much of it. */
static bool vanishes(const Probe *p, const double *row, int constraint)
{
  return pf_norm(row, p->eq->n) < PF_RANK_TOLERANCE*p->units.row[constraint];
}

/* A row that vanishes is rounding, and so is its right side beside the terms of a usual one. */
static void clear_vanishing(const Probe *p, const Rows *rows, int i, double *row, double *right)
{
  const int constraint = rows->constraint ? rows->constraint[i] : i;
  if (!vanishes(p, row, constraint)) return;
  memset(row, 0, (size_t)rows->n*sizeof *row);
  if (fabs(*right) <= PF_RANK_TOLERANCE*p->units.row[constraint]*rows->size) *right = 0;
}

/* Says so when the rows have no solution; PF_OK when they have one, or nobody can tell. */
static PfStatus contradiction(Probe *p, const Rows *given, const char *hint)
{
  size_t size = (size_t)given->m*(size_t)given->n;
  double *A = pf_arena_array(p->scratch, double, size), *b = pf_arena_array(p->scratch, double, given->m);
  if (!A || !b) return pf_no_room(p->ctx, "the diagnosis");
  memcpy(A, given->A, size*sizeof *A);
  memcpy(b, given->b, (size_t)given->m*sizeof *b);
  pf_scale_columns(A, given->m, given->n, p->units.column);
  const Rows in_units = {A, b, given->m, given->n, given->constraint, given->size}, *rows = &in_units;
  for (int i = 0; i < given->m && given->size > 0; i++)
    clear_vanishing(p, given, i, A + (size_t)i*(size_t)given->n, b + i);
  PfConsistency answer = {.row = -1, .against = -1};
  int before = pf_diagnostic_count(p->ctx);
  if (pf_rows_consistent(p->ctx, rows->A, rows->b, rows->m, rows->n, 1e-6, rows->size, &answer) == PF_ERR_MEMORY)
    return PF_ERR_MEMORY;
  pf_diagnostics_cut(p->ctx, before);
  if (answer.row < 0) return PF_OK;
  const PfConstraint *c = constraint_of(p, rows, answer.row);
  if (answer.against < 0) {
    bool empty = false;
    PF_TRY(ask_empty(p, (int)(c - p->eq->model->constraints), &empty));
    return empty ? say_empty(p, c) : PF_OK;
  }
  const PfConstraint *other = constraint_of(p, rows, answer.against);
  if (is_pair(p, rows, answer.row, answer.against)) {
    const PfConstraint *first = c < other ? c : other, *second = c < other ? other : c;
    pf_fail_at(p->ctx, PF_ERR_MODEL, second->place, "the constraints '%s' and '%s' contradict each other",
               first->name, second->name);
  } else {
    pf_fail_at(p->ctx, PF_ERR_MODEL, c->place, "the constraint '%s' contradicts '%s' and others together", c->name,
               other->name);
  }
  pf_hint(p->ctx, "%s", hint);
  return PF_ERR_MODEL;
}

/* A constraint that is not a number where it was looked at, or -1. */
static int undefined_row(const double *r, int m)
{
  for (int i = 0; i < m; i++)
    if (!isfinite(r[i])) return i;
  return -1;
}

static PfStatus say_undefined(Probe *p, const PfConstraint *c)
{
  pf_fail_at(p->ctx, PF_ERR_NUMBER, c->place, "the constraint '%s' is not defined at the start, nor near it", c->name);
  pf_hint(p->ctx, "look for a root or logarithm of a negative number, and give a start where it has a value");
  return PF_ERR_NUMBER;
}

static PfStatus no_configuration(Probe *p, const PfGaussNewtonResult *result)
{
  int n = p->eq->n, m = p->positions;
  double *J = p->work, *r = J + (size_t)m*(size_t)n;
  PF_TRY(evaluate(p, p->slope, m*n, J));
  PF_TRY(evaluate(p, p->position, m, r));
  int undefined = undefined_row(r, m);
  if (undefined >= 0) return say_undefined(p, p->eq->model->constraints + p->row[undefined]);
  for (int i = 0; i < m; i++) r[i] = -r[i];
  PF_TRY(contradiction(p, &(Rows){J, r, m, n, p->row, 0}, "they cannot hold at the same time: change or remove one"));
  const int row = p->row[result->row >= 0 ? result->row : 0];
  const PfConstraint *c = p->eq->model->constraints + row;
  pf_fail_at(p->ctx, PF_ERR_MODEL, c->place,
             "no configuration that satisfies the constraint '%s' together with the others was found", c->name);
  pf_hint(p->ctx, "the nearest one found misses it by %.3g; is the start far from the constraints?",
          result->residual*p->units.scale[row]);
  return PF_ERR_MODEL;
}

/* Generic states are looked for around the start: nearer and nearer, because domains of roots and logarithms may be
 * small, and on both sides, because a root may need the other sign. */
static const double reaches[] = {0.3, -0.3, 0.03, -0.03, 0.003, 0};
enum { REACHES = sizeof reaches/sizeof *reaches };

/* Are A, b and M finite in this state? */
static PfStatus ask_defined(Probe *p, bool *defined)
{
  const PfEquations *eq = p->eq;
  const PfExpr *lists[] = {eq->A, eq->b, eq->M};
  const int counts[] = {eq->m*eq->n, eq->m, eq->n*eq->n};
  *defined = true;
  for (int k = 0; k < 3 && *defined; k++) {
    PF_TRY(evaluate(p, lists[k], counts[k], p->work));
    *defined = undefined_row(p->work, counts[k]) < 0;
  }
  return PF_OK;
}

/* Was x found about as far from the start as it was looked for? A closed chain may fold on the way to another, singular
 * configuration, which says nothing about this one. */
static bool is_near(const Probe *p, const PfDiagnosis *d, const double *x, double looked)
{
  double moved = 0, away = 0;
  for (int i = 0; i < p->eq->n; i++) {
    double move = (x[i] - d->start_q[i])/p->units.spread[i];
    moved += move*move;
    away += looked*looked*arbitrary(i, 1)*arbitrary(i, 1);
  }
  return moved <= 9*away;
}

static PfStatus go_to_generic_position(Probe *p, PfDiagnosis *d)
{
  int n = p->eq->n;
  double *q = p->values + p->symbols.q, *x = pf_arena_array(p->scratch, double, n);
  if (!x) return pf_no_room(p->ctx, "the diagnosis");
  PfGaussNewtonResult result = {.row = -1};
  bool good = false;
  for (int k = 0; k < 2*REACHES && !good; k++) { /* near ones first; a start off the constraints has none */
    double looked = reaches[k%REACHES];
    for (int i = 0; i < n; i++) x[i] = d->start_q[i] + looked*arbitrary(i, 1)*p->units.spread[i];
    PF_TRY(reach(p, position_residual, p->positions, x, NULL, &result, &d->reached));
    memcpy(q, x, (size_t)n*sizeof *x);
    PF_TRY(ask_defined(p, &good));
    good = good && d->reached && (k >= REACHES || is_near(p, d, x, looked));
  }
  return d->reached ? PF_OK : no_configuration(p, &result);
}

/* A v = -(free terms) must have a solution; for constraints that are not linear Newton looks for one. */
static PfStatus go_to_generic_velocity(Probe *p, const PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  int n = eq->n, m = eq->m;
  double *v = p->values + p->symbols.v, *x = pf_arena_array(p->scratch, double, n);
  if (!x) return pf_no_room(p->ctx, "the diagnosis");
  PfGaussNewtonResult result = {.row = -1};
  bool arrived = false, defined = false;
  for (int k = -1; k < REACHES && !(arrived && defined); k++) { /* first anywhere, then around the start */
    for (int i = 0; i < n; i++)
      x[i] = (k < 0 ? 0 : d->start_v[i]) + (k < 0 ? 1 : reaches[k])*arbitrary(i, 2)*p->units.spread[i];
    PF_TRY(reach(p, velocity_residual, m, x, NULL, &result, &arrived));
    memcpy(v, x, (size_t)n*sizeof *x);
    PF_TRY(ask_defined(p, &defined));
  }
  if (arrived) return PF_OK;
  double *A = p->work, *r = A + (size_t)m*(size_t)n;
  PF_TRY(velocity_residual(p, v, r, A));
  int undefined = undefined_row(r, m);
  if (undefined >= 0) return say_undefined(p, eq->model->constraints + undefined);
  for (int i = 0; i < m; i++) r[i] = -r[i];
  PF_TRY(contradiction(p, &(Rows){A, r, m, n, NULL, 0}, "they ask for different velocities"));
  const PfConstraint *c = eq->model->constraints + (result.row >= 0 ? result.row : 0);
  return pf_fail_at(p->ctx, PF_ERR_MODEL, c->place,
                    "no velocity that satisfies the constraint '%s' together with the others was found", c->name);
}

/* Constraints with time may agree in positions and velocities for an instant, and still part at once: x = 0 and
 * x = t^2. Then A a = b has no solution. */
static PfStatus check_accelerations(Probe *p)
{
  const PfEquations *eq = p->eq;
  double *A = p->work, *b = A + (size_t)eq->m*(size_t)eq->n;
  PF_TRY(evaluate(p, eq->A, eq->m*eq->n, A));
  PF_TRY(evaluate(p, eq->b, eq->m, b));
  double fastest = 0, bend = 0; /* b has products of two velocities, in proportion to what bends the rows */
  for (int j = 0; j < eq->n; j++) {
    fastest = fmax(fastest, fabs(p->values[p->symbols.v + j])/p->units.spread[j]);
    bend = fmax(bend, p->units.spread[j]/p->units.column[j]);
  }
  return contradiction(p, &(Rows){A, b, eq->m, eq->n, NULL, fastest*fastest*bend},
                       "they ask for different accelerations");
}

/* ---------------------------------------------------------------- ranks */

static int by_number(const int *list, int count, int which)
{
  int smallest = -1;
  for (int i = 0; i < count; i++)
    if (list[i] > which && (smallest < 0 || list[i] < smallest)) smallest = list[i];
  return smallest;
}

static PfStatus find_rank(Probe *p, PfArena *arena, PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  PfRows rows = {0};
  PF_TRY(evaluate(p, eq->A, eq->m*eq->n, p->work));
  int undefined = undefined_row(p->work, eq->m*eq->n);
  if (undefined >= 0) {
    const PfConstraint *c = eq->model->constraints + undefined/eq->n;
    pf_fail_at(p->ctx, PF_ERR_NUMBER, c->place,
               "the constraint '%s' has no finite derivative at the start, nor near it", c->name);
    pf_hint(p->ctx, "give a start where it is smooth");
    return PF_ERR_NUMBER;
  }
  pf_scale_columns(p->work, eq->m, eq->n, p->units.column);
  for (int i = 0; i < eq->m; i++) {
    double *row = p->work + (size_t)i*(size_t)eq->n;
    if (vanishes(p, row, i)) memset(row, 0, (size_t)eq->n*sizeof *row);
  }
  PF_TRY(pf_rows_sort(p->ctx, arena, p->work, eq->m, eq->n, PF_RANK_TOLERANCE, &rows));
  d->rank = rows.rank;
  d->degrees_of_freedom = eq->n - rows.rank;
  d->redundant_count = eq->m - rows.rank;
  d->redundant = pf_arena_array(arena, int, d->redundant_count);
  if (!d->redundant) return pf_no_room(p->ctx, "the diagnosis");
  int last = -1;
  for (int i = 0; i < d->redundant_count; i++)
    d->redundant[i] = last = by_number(rows.order + rows.rank, d->redundant_count, last);
  return PF_OK;
}

/* Is x, which was found from `tried`, about where it was looked for? */
static bool is_kept(const Probe *p, const PfDiagnosis *d, const double *x, const double *tried)
{
  double moved = 0, away = 0;
  for (int i = 0; i < p->eq->n; i++) {
    moved = fmax(moved, fabs(x[i] - tried[i])/p->units.spread[i]);
    away = fmax(away, fabs(tried[i] - d->start_q[i])/p->units.spread[i]);
  }
  return moved <= 0.5*away;
}

/* A direction from the start along which the constraints hold as far as their derivatives tell: that of the velocities,
 * or an arbitrary one where there are none. Its largest part is 1; false when there is none. */
static PfStatus find_way(Probe *p, const PfDiagnosis *d, double *way, bool *found)
{
  const int n = p->eq->n, m = p->positions;
  double *J = pf_arena_array(p->scratch, double, (size_t)m*(size_t)n), *r = pf_arena_array(p->scratch, double, m);
  double *step = pf_arena_array(p->scratch, double, n), most = 0;
  PfQr qr;
  if (!J || !r || !step) return pf_no_room(p->ctx, "the diagnosis");
  for (int j = 0; j < n; j++) most = fmax(most, fabs(d->start_v[j])/p->units.spread[j]);
  for (int j = 0; j < n; j++) way[j] = most > 0 ? d->start_v[j]/p->units.spread[j]/most : arbitrary(j, 1);
  PF_TRY(position_residual(p, d->start_q, r, J));
  pf_scale_columns(J, m, n, p->units.spread);
  PF_TRY(pf_qr_make(p->ctx, p->scratch, m, n, &qr));
  *found = pf_qr_factor(&qr, J, PF_RANK_TOLERANCE) == PF_OK;
  for (int i = 0; i < m && *found; i++) r[i] = pf_dot(J + (size_t)i*(size_t)n, way, n);
  if (*found) pf_qr_solve(&qr, r, step);
  most = 0;
  for (int j = 0; j < n && *found; j++) most = fmax(most, fabs(way[j] -= step[j]));
  *found = *found && most > PF_RANK_TOLERANCE;
  for (int j = 0; j < n && *found; j++) way[j] *= p->units.spread[j]/most;
  return PF_OK;
}

/* From the start along the constraints to another configuration of the same branch. */
static PfStatus follow_branch(Probe *p, const PfDiagnosis *d, bool *found)
{
  const size_t n = (size_t)p->eq->n;
  double *q = p->values + p->symbols.q, *room = pf_arena_array(p->scratch, double, 4*n);
  if (!room) return pf_no_room(p->ctx, "the diagnosis");
  double *way = room, *tried = room + n, *x = room + 2*n, *kept = room + 3*n;
  PfGaussNewtonResult result;
  memcpy(kept, q, n*sizeof *q);
  PF_TRY(find_way(p, d, way, found));
  for (int k = 0, good = !*found; k < REACHES && !good; k++) {
    for (size_t j = 0; j < n; j++) x[j] = tried[j] = d->start_q[j] + reaches[k]*way[j];
    PF_TRY(reach(p, position_residual, p->positions, x, NULL, &result, found));
    memcpy(q, x, n*sizeof *x);
    bool defined;
    PF_TRY(ask_defined(p, &defined));
    good = *found = *found && defined && reaches[k] != 0 && is_kept(p, d, x, tried);
  }
  if (!*found) memcpy(q, kept, n*sizeof *q);
  return PF_OK;
}

/* Rows that are redundant on the constraints alone are independent beside them, and Newton's way from there may end
 * where branches meet. So where the rank at the start is less than at the configuration that was found, the rank is
 * that of the branch on which the start is, if there is one. */
static PfStatus find_rank_of_branch(Probe *p, PfArena *arena, PfDiagnosis *d)
{
  const size_t n = (size_t)p->eq->n;
  double *q = p->values + p->symbols.q, *kept = pf_arena_array(p->scratch, double, n);
  bool found = false;
  if (!kept) return pf_no_room(p->ctx, "the diagnosis");
  PF_TRY(find_rank(p, arena, d));
  if (!p->positions || !d->start_consistent) return PF_OK;
  PfDiagnosis at_start = *d;
  memcpy(kept, q, n*sizeof *kept);
  memcpy(q, d->start_q, n*sizeof *kept);
  PfStatus status = ask_defined(p, &found);
  if (status == PF_OK && found) status = find_rank(p, arena, &at_start);
  memcpy(q, kept, n*sizeof *kept);
  PF_TRY(status);
  if (!found || at_start.rank >= d->rank) return PF_OK;
  PF_TRY(follow_branch(p, d, &found));
  if (!found) return PF_OK;
  PF_TRY(go_to_generic_velocity(p, d));
  return find_rank(p, arena, d);
}

static PfStatus find_mass_rank(Probe *p, PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  size_t n = (size_t)eq->n;
  double *M = pf_arena_array(p->scratch, double, n*n);
  PfLdl ldl;
  if (!M) return pf_no_room(p->ctx, "the diagnosis");
  PF_TRY(pf_ldl_make(p->ctx, p->scratch, eq->n, &ldl));
  PF_TRY(evaluate(p, eq->M, eq->n*eq->n, M));
  PfStatus status = pf_ldl_factor(&ldl, M, 1e-12);
  const PfCoordinate *c = eq->model->coordinates + (ldl.fault == PF_FAULT_NONE ? 0 : ldl.fault_row);
  if (ldl.fault == PF_FAULT_NOT_FINITE)
    return pf_fail_at(p->ctx, PF_ERR_NUMBER, c->place, "the inertia of '%s' is not a finite number", c->name);
  if (status != PF_OK && d->generic) { /* numbers that nobody has given prove no wrong sign */
    PfRows rows;
    PF_TRY(pf_rows_sort(p->ctx, p->scratch, M, eq->n, eq->n, PF_RANK_TOLERANCE, &rows));
    d->mass_rank = rows.rank;
    d->mass_singular = rows.rank < eq->n;
    return PF_OK;
  }
  if (status != PF_OK) {
    char which[256];
    pf_negative_motion(p->ctx, eq->model, M, which, sizeof which);
    pf_fail_at(p->ctx, PF_ERR_MODEL, c->place, "the kinetic energy is negative for some motion of '%s'%s", c->name,
               which);
    pf_hint(p->ctx, "look for a wrong sign in a mass, an inertia or the kinetic energy");
    return PF_ERR_MODEL;
  }
  d->mass_rank = ldl.rank;
  d->mass_singular = ldl.rank < eq->n;
  return PF_OK;
}

/* ---------------------------------------------------------------- units */

bool *pf_sure_entries(PfContext *ctx, PfArena *arena, const PfExpr *list, size_t count)
{
  bool *sure = pf_arena_array(arena, bool, count);
  const PfExpr zero = pf_expr_int(ctx, 0);
  for (size_t i = 0; sure && i < count; i++)
    sure[i] = list[i] != zero && pf_expr_keeps_digits(ctx, list[i]);
  return sure;
}

static bool look(void *user, const double *state, double *A, double *inertia)
{
  Probe *p = user;
  const PfEquations *eq = p->eq;
  const size_t n = (size_t)eq->n;
  memcpy(p->values + p->symbols.q, state, 2*n*sizeof *state); /* q, then v */
  bool good = evaluate(p, eq->A, eq->m*eq->n, A) == PF_OK;
  for (size_t j = 0; j < n && eq->M; j++) {
    good = evaluate(p, eq->M + j*n + j, 1, inertia + j) == PF_OK && good;
    inertia[j] = sqrt(fabs(inertia[j]));
  }
  return good;
}

static PfStatus find_units(Probe *p)
{
  const size_t n = (size_t)p->eq->n, m = (size_t)p->eq->m;
  double *room = pf_arena_array(p->scratch, double, pf_units_room(p->eq->m, p->eq->n) + m + 4*n);
  p->units = (PfUnits){.m = p->eq->m, .n = p->eq->n,
                       .sure = pf_sure_entries(p->ctx, p->scratch, p->eq->A, m*n)};
  if (!room || !p->units.sure) return pf_no_room(p->ctx, "the diagnosis");
  p->units.column = pf_units_place(&p->units, room);
  p->units.spread = p->units.column + n;
  p->units.row = p->units.spread + n;
  double *home = p->units.row + m, *state = p->values + p->symbols.q;
  memcpy(home, state, 2*n*sizeof *home);
  pf_units_measure(&p->units, home, look, p);
  memcpy(state, home, 2*n*sizeof *home);
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* The numbers of the start, contacts found. */
static PfStatus begin(Probe *p, const double *parameters, bool *generic)
{
  PF_TRY(pf_equations_symbols(p->ctx, p->scratch, p->eq->model, &p->symbols));
  p->values = pf_arena_array(p->scratch, double, p->symbols.count);
  if (!p->values) return pf_no_room(p->ctx, "the diagnosis");
  PF_TRY(set_parameters(p, parameters, generic));
  PF_TRY(set_start(p));
  PF_TRY(set_rates(p));
  PF_TRY(list_positions(p));
  PF_TRY(find_units(p));
  PF_TRY(settle_spins(p));
  return settle_contacts(p);
}

static PfStatus diagnose(Probe *p, PfArena *arena, const double *parameters, PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  d->start_q = pf_arena_array(arena, double, eq->n);
  d->start_v = pf_arena_array(arena, double, eq->n);
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  p->work = pf_arena_array(p->scratch, double, m*n + m + n*n);
  if (!d->start_q || !d->start_v || !p->work) return pf_no_room(p->ctx, "the diagnosis");
  PF_TRY(begin(p, parameters, &d->generic));
  PF_TRY(judge_start(p, d));
  PF_TRY(go_to_generic_position(p, d));
  PF_TRY(go_to_generic_velocity(p, d));
  PF_TRY(find_rank_of_branch(p, arena, d));
  PF_TRY(check_accelerations(p));
  return find_mass_rank(p, d);
}

/* What the original has, without the lengths of quaternions. */
static PfStatus diagnose_original(PfContext *ctx, PfArena *arena, const PfEquations *eq, const double *parameters,
                                  PfDiagnosis *d)
{
  PF_TRY(pf_diagnose(ctx, arena, eq->by_quaternions, parameters, d));
  int lengths = eq->by_quaternions->m - eq->m, kept = 0;
  for (int k = 0; k < d->redundant_count; k++)
    for (int i = 0; i < eq->m; i++)
      if (eq->constraint[i] == d->redundant[k]) d->redundant[kept++] = i;
  d->redundant_count = kept;
  d->rank -= lengths;
  d->mass_rank -= lengths;
  d->start_q = d->start_v = NULL;
  return PF_OK;
}

PfStatus pf_diagnose(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                     PfDiagnosis *diagnosis)
{
  *diagnosis = (PfDiagnosis){0};
  if (equations->by_quaternions) return diagnose_original(ctx, arena, equations, parameters, diagnosis);
  Probe p = {.ctx = ctx, .scratch = pf_arena_new(pf_context_allocator(ctx)), .eq = equations};
  if (!p.scratch) return pf_no_room(ctx, "the diagnosis");
  PfStatus status = diagnose(&p, arena, parameters, diagnosis);
  pf_arena_free(p.scratch);
  return status;
}

static PfStatus start_of_original(PfContext *ctx, PfArena *scratch, const PfEquations *eq, const double *parameters,
                                  double *values)
{
  PfSymbols symbols, old;
  PF_TRY(pf_equations_symbols(ctx, scratch, eq->model, &symbols));
  PF_TRY(pf_equations_symbols(ctx, scratch, eq->by_quaternions->model, &old));
  double *original = pf_arena_array(scratch, double, old.count);
  if (!original) return pf_no_room(ctx, "the diagnosis");
  PF_TRY(pf_equations_start(ctx, eq->by_quaternions, parameters, original));
  return pf_quasi_values(ctx, scratch, eq, &symbols, original, values);
}

PfStatus pf_equations_start(PfContext *ctx, const PfEquations *equations, const double *parameters, double *values)
{
  Probe p = {.ctx = ctx, .scratch = pf_arena_new(pf_context_allocator(ctx)), .eq = equations};
  if (!p.scratch) return pf_no_room(ctx, "the diagnosis");
  bool generic = false, original = equations->by_quaternions != NULL;
  PfStatus status = original ? start_of_original(ctx, p.scratch, equations, parameters, values)
                             : begin(&p, parameters, &generic);
  if (status == PF_OK && generic) /* numbers for people need all parameters: this says which is missing */
    status = pf_model_parameter_values(equations->model, parameters, PF_MISSING_FAILS, p.values);
  if (status == PF_OK && !original) memcpy(values, p.values, (size_t)p.symbols.count*sizeof *values);
  pf_arena_free(p.scratch);
  return status;
}
