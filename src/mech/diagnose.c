/* SPDX-License-Identifier: Apache-2.0 */
/* The diagnosis of a system before it moves: do the initial values satisfy the constraints, which rank have the
 * constraints and the mass matrix, which constraints are redundant or contradict others?
 *
 * Ranks are measured at a generic state that satisfies the constraints, since at special ones (a stretched arm, a
 * standing wheel) rows may vanish or coincide. Newton's method goes there from arbitrary numbers near the start, each
 * coordinate and each row in its own unit. */
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
  PfUnits units;            /* of the coordinates, from the start and states near it */
} Probe;

/* Numbers of expressions at the present values of all symbols. */
static PfStatus evaluate(const Probe *p, const PfExpr *e, int count, double *out)
{
  return pf_expr_evaluate(p->ctx, e, count, p->symbols.symbol, p->values, p->symbols.count, out);
}

/* ---------------------------------------------------------------- numbers of the start */

/* Time, inputs, coordinates and velocities at the start. */
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

/* x' at the start from the speeds, when these are given; a speed whose start is not mentioned has the value that the
 * velocities give it, or none. A velocity that is given in addition must agree; a value that replaced the model's start
 * is not checked. */
static PfStatus set_rates(Probe *p)
{
  const PfModel *model = p->eq->model;
  const int ns = model->speed_count;
  PfExpr *symbols, *starts;
  bool given = false;
  if (!ns) return PF_OK;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(symbols, ns), PF_ROOM(starts, ns)));
  for (int i = 0; i < ns; i++) {
    const PfSpeed *speed = model->speeds + i;
    double number = 0;
    symbols[i] = speed->symbol;
    starts[i] = speed->start;
    given = given || starts[i];
    if (!starts[i] && speed->value) PF_TRY(evaluate(p, &speed->value, 1, &number));
    if (!starts[i]) starts[i] = pf_expr_double(p->ctx, number);
  }
  for (int i = 0; i < p->eq->n && given; i++) {
    const PfCoordinate *c = model->coordinates + i;
    double *v = p->values + p->symbols.v + i, before = *v;
    PfExpr rate;
    PF_TRY(pf_expr_substitute(p->ctx, p->eq->rate + i, 1, symbols, starts, ns, &rate));
    if (c->priority_v == PF_START_SET) continue;
    PF_TRY(evaluate(p, &rate, 1, v));
    if (c->priority_v == PF_START_OPEN || fabs(before - *v) <= PF_TYPED_DIGITS) continue;
    pf_fail_at(p->ctx, PF_ERR_MODEL, c->place, "the start of %s' is %.6g, but the speeds give %.6g", c->name, before,
               *v);
    pf_hint(p->ctx, "start either the speeds or the velocities");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- onto the position constraints */

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

/* Residuals of all constraints at velocity level, and A; those of acceleration constraints are zero. */
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

/* Newton's method from the numbers at `at`. A failure to converge is not an error, and no message is recorded. */
static PfStatus reach(Probe *p, PfResidual residual, int m, double *at, const double *weight,
                      PfGaussNewtonResult *result, bool *arrived)
{
  *arrived = m == 0;
  if (m == 0) return PF_OK;
  int before = pf_diagnostic_count(p->ctx);
  if (!weight) weight = p->units.spread;
  PfGaussNewtonOptions options = {.tolerance = PF_COMPARED_TO, .iterations = 100, .weight = weight};
  PfStatus status = pf_gauss_newton(p->ctx, residual, p, m, p->eq->n, at, &options, result);
  *arrived = status == PF_OK;
  if (status != PF_ERR_NUMBER) return status;
  pf_diagnostics_truncate(p->ctx, before);
  return PF_OK;
}

/* ---------------------------------------------------------------- angular velocities of the start */

/* The difference between omega(b) and its given value, for each body that has one. */
static PfStatus spin_residual(void *user, const double *x, double *r, double *J)
{
  Probe *p = user;
  int n = p->eq->n, rows = 3*p->eq->model->start_spin_count;
  memcpy(p->values + p->symbols.v, x, (size_t)n*sizeof *x);
  PF_TRY(evaluate(p, p->spin, rows, r));
  return J ? evaluate(p, p->spin + rows, rows*n, J) : PF_OK;
}

/* The velocities that give omega(b), by those that were not given. When they contradict it, all stays: which of them
 * yields is decided with the constraints. p->spin has the residuals, then their derivatives in the velocities. */
static PfStatus settle_spins(Probe *p)
{
  const PfModel *model = p->eq->model;
  const int n = p->eq->n, rows = 3*model->start_spin_count;
  double *weight, *x, *given, *v = p->values + p->symbols.v;
  bool arrived = false, first = false;
  PfGaussNewtonResult result = {.row = -1};
  if (!rows) return PF_OK;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(weight, n), PF_ROOM(x, n), PF_ROOM(given, n),
                   PF_ROOM2(p->spin, rows, n + 1)));
  for (int i = 0; i < rows; i++) {
    const PfStartSpin *s = model->start_spins + i/3;
    p->spin[i] = pf_expr_sub(p->ctx, s->spin[i%3], s->start[i%3]);
    PF_TRY(pf_velocity_gradient(model, p->spin[i], p->spin + rows + (size_t)i*(size_t)n));
  }
  memcpy(given, v, (size_t)n*sizeof *v);
  for (int pass = 0; pass < 2 && !arrived; pass++) {
    for (int i = 0; i < n; i++) weight[i] = pass || model->coordinates[i].priority_v == PF_START_OPEN;
    memcpy(x, given, (size_t)n*sizeof *x);
    PF_TRY(reach(p, spin_residual, rows, x, weight, &result, &arrived));
    first = arrived && !pass;
  }
  memcpy(v, first ? x : given, (size_t)n*sizeof *x);
  if (arrived) return PF_OK;
  const PfStartSpin *s = model->start_spins + result.row/3;
  pf_fail_at(p->ctx, PF_ERR_MODEL, s->place, "no rates of the coordinates give %s at the start",
             s->name[result.row%3]);
  pf_hint(p->ctx, "it is missed by %.6g at best; does the body turn about other axes only, or do two of its axes "
          "coincide at this attitude?", result.residual);
  return PF_ERR_MODEL;
}

/* ---------------------------------------------------------------- the start */

/* ---------------------------------------------------------------- a generic admissible state */

/* Rows of A v = b, and which constraints they belong to (NULL: row i to constraint i). */
typedef struct Rows {
  const double *A, *b;
  int m, n;
  const int *constraint;
  double size; /* of the terms in b, as a solution in the units of the coordinates */
} Rows;

/* The constraint that a row belongs to. */
static const PfConstraint *constraint_of(const Probe *p, const Rows *rows, int row)
{
  return p->eq->model->constraints + (rows->constraint ? rows->constraint[row] : row);
}

/* Fails where the row of A of a constraint is zero in every state, with these parameters, and what is left of it is
 * not. A row may also vanish just where one looks: then PF_OK. */
static PfStatus check_empty(Probe *p, const PfConstraint *c)
{
  enum { STATES = 3 };
  const size_t count = (size_t)p->symbols.count, n = (size_t)p->eq->n;
  const PfExpr *slope = p->eq->A + (size_t)(c - p->eq->model->constraints)*n;
  double *kept, *row;
  bool empty = true;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(kept, count), PF_ROOM(row, n)));
  memcpy(kept, p->values, count*sizeof *kept);
  PfStatus status = PF_OK;
  for (int k = 0; k < STATES && empty && status == PF_OK; k++) {
    p->values[p->symbols.time] = k;
    for (int i = 0; i < p->eq->n; i++) {
      p->values[p->symbols.q + i] = pf_arbitrary(i, 3 + k);
      p->values[p->symbols.v + i] = pf_arbitrary(i, 13 + k);
    }
    status = evaluate(p, slope, p->eq->n, row);
    for (size_t j = 0; j < n; j++) empty = empty && row[j] == 0;
  }
  memcpy(p->values, kept, count*sizeof *kept);
  PF_TRY(status);
  if (!empty) return PF_OK;
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

/* Fails when the rows have no solution; PF_OK when they have one, or when that cannot be decided. A row that vanishes
 * is rounding, and so is its right side compared with the terms of a usual one. Where two rows alone have no solution
 * the message names both. */
static PfStatus contradiction(Probe *p, const Rows *given, const char *hint)
{
  const int m = given->m, n = given->n, before = pf_diagnostic_count(p->ctx);
  const size_t width = (size_t)n;
  double *A, *b, *pair, sides[2];
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM2(A, m, n), PF_ROOM(b, m), PF_ROOM2(pair, 2, n)));
  memcpy(A, given->A, (size_t)m*width*sizeof *A);
  memcpy(b, given->b, (size_t)m*sizeof *b);
  pf_scale_columns(A, m, n, p->units.column);
  for (int i = 0; i < m && given->size > 0; i++) {
    double *row = A + (size_t)i*width;
    const int constraint = given->constraint ? given->constraint[i] : i;
    if (!vanishes(p, row, constraint)) continue;
    memset(row, 0, width*sizeof *row);
    if (fabs(b[i]) <= PF_RANK_TOLERANCE*p->units.row[constraint]*given->size) b[i] = 0;
  }
  PfConsistency answer = {.row = -1, .against = -1}, alone = {.row = -1};
  if (pf_rows_consistent(p->ctx, A, b, m, n, 1e-6, given->size, &answer) == PF_ERR_MEMORY) return PF_ERR_MEMORY;
  pf_diagnostics_truncate(p->ctx, before);
  if (answer.row < 0) return PF_OK;
  const PfConstraint *c = constraint_of(p, given, answer.row);
  if (answer.against < 0) return check_empty(p, c);
  const PfConstraint *other = constraint_of(p, given, answer.against);
  for (int i = 0; i < 2; i++) {
    const int row = i ? answer.against : answer.row;
    memcpy(pair + (size_t)i*width, A + (size_t)row*width, width*sizeof *pair);
    sides[i] = b[row];
  }
  (void)pf_rows_consistent(p->ctx, pair, sides, 2, n, 1e-6, given->size, &alone);
  pf_diagnostics_truncate(p->ctx, before);
  if (alone.row >= 0)
    pf_fail_at(p->ctx, PF_ERR_MODEL, (c < other ? other : c)->place,
               "the constraints '%s' and '%s' contradict each other", (c < other ? c : other)->name,
               (c < other ? other : c)->name);
  else
    pf_fail_at(p->ctx, PF_ERR_MODEL, c->place, "the constraint '%s' contradicts '%s' and others together", c->name,
               other->name);
  pf_hint(p->ctx, "%s", hint);
  return PF_ERR_MODEL;
}

/* The failure of a constraint that is not a number. */
static PfStatus say_undefined(Probe *p, const PfConstraint *c)
{
  pf_fail_at(p->ctx, PF_ERR_NUMBER, c->place, "the constraint '%s' is not defined at the start, nor near it", c->name);
  pf_hint(p->ctx, "look for a root or logarithm of a negative number, and give a start where it has a value");
  return PF_ERR_NUMBER;
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
    *defined = pf_first_not_finite(p->work, (size_t)counts[k]) < 0;
  }
  return PF_OK;
}

/* A configuration that satisfies the constraints, found by Newton from arbitrary numbers near the start; fails when
 * there is none: is a constraint undefined, do two contradict each other, or is the start too far? It should be about
 * as far from the start as it was looked for: a closed chain may fold on the way to another, singular configuration,
 * which says nothing about this one. */
static PfStatus go_to_generic_position(Probe *p, PfDiagnosis *d)
{
  const int n = p->eq->n, m = p->positions;
  double *q = p->values + p->symbols.q, *x;
  PfGaussNewtonResult result = {.row = -1};
  bool good = false;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(x, n)));
  for (int k = 0; k < 2*REACHES && !good; k++) { /* near ones first; a start off the constraints has none */
    double looked = reaches[k%REACHES], moved = 0, away = 0;
    for (int i = 0; i < n; i++) x[i] = d->start_q[i] + looked*pf_arbitrary(i, 1)*p->units.spread[i];
    PF_TRY(reach(p, position_residual, m, x, NULL, &result, &d->reached));
    memcpy(q, x, (size_t)n*sizeof *x);
    PF_TRY(ask_defined(p, &good));
    for (int i = 0; i < n; i++) {
      double move = (x[i] - d->start_q[i])/p->units.spread[i];
      moved += move*move;
      away += looked*looked*pf_arbitrary(i, 1)*pf_arbitrary(i, 1);
    }
    good = good && d->reached && (k >= REACHES || moved <= 9*away);
  }
  if (d->reached) return PF_OK;
  double *J = p->work, *r = J + (size_t)m*(size_t)n;
  PF_TRY(evaluate(p, p->slope, m*n, J));
  PF_TRY(evaluate(p, p->position, m, r));
  int undefined = pf_first_not_finite(r, (size_t)m);
  if (undefined >= 0) return say_undefined(p, p->eq->model->constraints + p->row[undefined]);
  for (int i = 0; i < m; i++) r[i] = -r[i];
  PF_TRY(contradiction(p, &(Rows){J, r, m, n, p->row, 0}, "they cannot hold at the same time: change or remove one"));
  const int row = p->row[result.row >= 0 ? result.row : 0];
  const PfConstraint *c = p->eq->model->constraints + row;
  pf_fail_at(p->ctx, PF_ERR_MODEL, c->place,
             "no configuration that satisfies the constraint '%s' together with the others was found", c->name);
  pf_hint(p->ctx, "the nearest one found misses it by %.3g; is the start far from the constraints?",
          result.residual*p->units.scale[row]);
  return PF_ERR_MODEL;
}

/* A v = -(free terms) must have a solution; for constraints that are not linear Newton looks for one. */
static PfStatus go_to_generic_velocity(Probe *p, const PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  const int n = eq->n, m = eq->m;
  double *v = p->values + p->symbols.v, *x;
  PfGaussNewtonResult result = {.row = -1};
  bool arrived = false, defined = false;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(x, n)));
  for (int k = -1; k < REACHES && !(arrived && defined); k++) { /* first anywhere, then around the start */
    for (int i = 0; i < n; i++)
      x[i] = (k < 0 ? 0 : d->start_v[i]) + (k < 0 ? 1 : reaches[k])*pf_arbitrary(i, 2)*p->units.spread[i];
    PF_TRY(reach(p, velocity_residual, m, x, NULL, &result, &arrived));
    memcpy(v, x, (size_t)n*sizeof *x);
    PF_TRY(ask_defined(p, &defined));
  }
  if (arrived) return PF_OK;
  double *A = p->work, *r = A + (size_t)m*(size_t)n;
  PF_TRY(velocity_residual(p, v, r, A));
  int undefined = pf_first_not_finite(r, (size_t)m);
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
  double fastest = 0, curvature = 0; /* b has products of two velocities, in proportion to the curvature of the rows */
  for (int j = 0; j < eq->n; j++) {
    fastest = fmax(fastest, fabs(p->values[p->symbols.v + j])/p->units.spread[j]);
    curvature = fmax(curvature, p->units.spread[j]/p->units.column[j]);
  }
  return contradiction(p, &(Rows){A, b, eq->m, eq->n, NULL, fastest*fastest*curvature},
                       "they ask for different accelerations");
}

/* ---------------------------------------------------------------- ranks */

/* The rank of A at the present state, by rows scaled to their units; d->redundant lists the constraints that the others
 * imply. */
static PfStatus find_rank(Probe *p, PfArena *arena, PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  PfRows rows = {0};
  PF_TRY(evaluate(p, eq->A, eq->m*eq->n, p->work));
  int undefined = pf_first_not_finite(p->work, (size_t)(eq->m*eq->n));
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
  d->redundant_count = 0;
  PF_TRY(pf_arrays(p->ctx, arena, "the diagnosis", PF_ROOM(d->redundant, eq->m - rows.rank)));
  for (int k = 0; k < eq->m; k++) /* in ascending order */
    for (int i = rows.rank; i < eq->m; i++)
      if (rows.order[i] == k) d->redundant[d->redundant_count++] = k;
  return PF_OK;
}

/* A direction from the start along which the constraints hold to the order of the derivatives at hand: that of the
 * velocities, or an arbitrary one where there are none. Its largest part is 1; *found is false when there is none. */
static PfStatus find_way(Probe *p, const PfDiagnosis *d, double *way, bool *found)
{
  const int n = p->eq->n, m = p->positions;
  double *J, *r, *step, most = 0;
  PfQr qr;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM2(J, m, n), PF_ROOM(r, m), PF_ROOM(step, n)));
  for (int j = 0; j < n; j++) most = fmax(most, fabs(d->start_v[j])/p->units.spread[j]);
  for (int j = 0; j < n; j++) way[j] = most > 0 ? d->start_v[j]/p->units.spread[j]/most : pf_arbitrary(j, 1);
  PF_TRY(position_residual(p, d->start_q, r, J));
  pf_scale_columns(J, m, n, p->units.spread);
  PF_TRY(pf_qr_make(p->ctx, p->scratch, m, n, &qr));
  *found = pf_qr_factor(&qr, J, PF_RANK_TOLERANCE) == PF_OK;
  if (!*found) return PF_OK;
  for (int i = 0; i < m; i++) r[i] = pf_dot(J + (size_t)i*(size_t)n, way, n);
  pf_qr_solve(&qr, r, step);
  most = 0;
  for (int j = 0; j < n; j++) most = fmax(most, fabs(way[j] -= step[j]));
  *found = most > PF_RANK_TOLERANCE;
  for (int j = 0; j < n && *found; j++) way[j] *= p->units.spread[j]/most;
  return PF_OK;
}

/* From the start along the constraints to another configuration of the same branch, about where it was looked for. */
static PfStatus follow_branch(Probe *p, const PfDiagnosis *d, bool *found)
{
  const size_t n = (size_t)p->eq->n;
  double *q = p->values + p->symbols.q, *way, *tried, *x, *kept;
  PfGaussNewtonResult result;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(way, n), PF_ROOM(tried, n), PF_ROOM(x, n),
                   PF_ROOM(kept, n)));
  memcpy(kept, q, n*sizeof *q);
  PF_TRY(find_way(p, d, way, found));
  for (int k = 0, good = !*found; k < REACHES && !good; k++) {
    double moved = 0, away = 0;
    bool defined;
    for (size_t j = 0; j < n; j++) x[j] = tried[j] = d->start_q[j] + reaches[k]*way[j];
    PF_TRY(reach(p, position_residual, p->positions, x, NULL, &result, found));
    memcpy(q, x, n*sizeof *x);
    PF_TRY(ask_defined(p, &defined));
    for (size_t j = 0; j < n; j++) {
      moved = fmax(moved, fabs(x[j] - tried[j])/p->units.spread[j]);
      away = fmax(away, fabs(tried[j] - d->start_q[j])/p->units.spread[j]);
    }
    good = *found = *found && defined && reaches[k] != 0 && moved <= 0.5*away;
  }
  if (!*found) memcpy(q, kept, n*sizeof *q);
  return PF_OK;
}

/* Rows that are redundant only on the constraint manifold are independent off it, and Newton's iteration from there may
 * end where branches meet. So where the rank at the start is less than at the configuration that was found, the rank is
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

/* The rank of M by its factors L D L^T; a negative pivot is an error of the model, unless parameters are missing. */
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
  if (status != PF_OK && d->generic) { /* generic numbers, not given by the user, do not prove a wrong sign */
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

/* A zero is not sure: rounding elsewhere in the row may be as large. */
bool *pf_sure_entries(PfContext *ctx, PfArena *arena, const PfExpr *list, size_t count)
{
  bool *sure = pf_arena_array(arena, bool, count);
  const PfExpr zero = pf_expr_int(ctx, 0);
  for (size_t i = 0; sure && i < count; i++)
    sure[i] = list[i] != zero && pf_expr_keeps_digits(ctx, list[i]);
  return sure;
}

/* A and the square roots of the diagonal of M at a state, for the units of the coordinates. */
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

/* The units of coordinates and rows, measured at the start and at states next to it (num/units). */
static PfStatus find_units(Probe *p)
{
  const int n = p->eq->n, m = p->eq->m;
  double *room, *home, *state = p->values + p->symbols.q;
  p->units = (PfUnits){.m = m, .n = n, .sure = pf_sure_entries(p->ctx, p->scratch, p->eq->A, (size_t)m*(size_t)n)};
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(room, pf_units_room(m, n)),
                   PF_ROOM(p->units.column, n), PF_ROOM(p->units.spread, n), PF_ROOM(p->units.row, m),
                   PF_ROOM2(home, 2, n)));
  if (!p->units.sure) return pf_no_room(p->ctx, "the diagnosis");
  (void)pf_units_place(&p->units, room);
  memcpy(home, state, 2*(size_t)n*sizeof *home);
  pf_units_measure(&p->units, home, look, p);
  memcpy(state, home, 2*(size_t)n*sizeof *home);
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* The numbers of the start, contacts found. */
static PfStatus begin(Probe *p, const double *parameters, bool *generic)
{
  PF_TRY(pf_equations_symbols(p->ctx, p->scratch, p->eq->model, &p->symbols));
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(p->values, p->symbols.count)));
  const PfModel *model = p->eq->model; /* parameters without a value get generic ones */
  for (int i = 0; i < model->parameter_count; i++)
    if (model->parameters[i].value == PF_EXPR_NONE && !(parameters && !isnan(parameters[i]))) *generic = true;
  PF_TRY(pf_model_parameter_values(model, parameters, PF_MISSING_GENERIC, p->values));
  PF_TRY(set_start(p));
  PF_TRY(set_rates(p));
  const PfEquations *eq = p->eq; /* the constraints on positions, with their rows of A as derivatives */
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(p->position, m), PF_ROOM(p->slope, m*n),
                   PF_ROOM(p->row, m)));
  for (int i = 0; i < eq->m; i++) {
    if (eq->position[i] == PF_EXPR_NONE) continue;
    p->position[p->positions] = eq->position[i];
    memcpy(p->slope + (size_t)p->positions*n, eq->A + (size_t)i*n, n*sizeof *p->slope);
    p->row[p->positions++] = i;
  }
  PF_TRY(find_units(p));
  PF_TRY(settle_spins(p));
  /* The coordinates and velocities that belong to contacts are not the user's: they are found, the others stay. */
  const int count = p->eq->n;
  double *weight, *x, *const q = p->values + p->symbols.q, *const v = p->values + p->symbols.v;
  bool any = false, arrived;
  PfGaussNewtonResult result;
  PF_TRY(pf_arrays(p->ctx, p->scratch, "the diagnosis", PF_ROOM(weight, count), PF_ROOM(x, count)));
  for (int i = 0; i < count; i++) any |= (weight[i] = p->eq->model->coordinates[i].contact) != 0;
  for (int level = 0; level < 2 && any; level++) {
    double *at = level ? v : q;
    memcpy(x, at, (size_t)count*sizeof *x);
    PF_TRY(reach(p, level ? velocity_residual : position_residual, level ? p->eq->m : p->positions, x, weight, &result,
                 &arrived));
    memcpy(at, x, (size_t)count*sizeof *x);
  }
  return PF_OK;
}

/* The whole diagnosis: start, generic state, ranks of A and M. The results live in the arena. */
static PfStatus diagnose(Probe *p, PfArena *arena, const double *parameters, PfDiagnosis *d)
{
  const PfEquations *eq = p->eq;
  d->start_q = pf_arena_array(arena, double, eq->n);
  d->start_v = pf_arena_array(arena, double, eq->n);
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  p->work = pf_arena_array(p->scratch, double, m*n + m + n*n);
  if (!d->start_q || !d->start_v || !p->work) return pf_no_room(p->ctx, "the diagnosis");
  PF_TRY(begin(p, parameters, &d->generic));
  /* Measures by how much the start violates the constraints on positions and velocities. It is consistent when
   * each residual, divided by its size, is within the digits that one types. */
  double missed = 0; /* each in its size */
  d->start_worst = -1;
  for (int level = 0; level < 2; level++) {
    const PfExpr *e = level ? eq->velocity : eq->position;
    PF_TRY(evaluate(p, e, eq->m, p->work));
    for (int i = 0; i < eq->m; i++) {
      if (e[i] == PF_EXPR_NONE) continue;
      double misfit = isnan(p->work[i]) ? INFINITY : fabs(p->work[i]); /* not even defined there */
      missed = fmax(missed, misfit/p->units.scale[i]);
      if (misfit > d->start_violation) d->start_violation = misfit, d->start_worst = i;
    }
  }
  d->start_consistent = missed <= PF_TYPED_DIGITS;
  if (d->start_consistent) d->start_worst = -1;
  memcpy(d->start_q, p->values + p->symbols.q, (size_t)eq->n*sizeof(double));
  memcpy(d->start_v, p->values + p->symbols.v, (size_t)eq->n*sizeof(double));
  PF_TRY(go_to_generic_position(p, d));
  PF_TRY(go_to_generic_velocity(p, d));
  PF_TRY(find_rank_of_branch(p, arena, d));
  PF_TRY(check_accelerations(p));
  return find_mass_rank(p, d);
}

/* Equations in angular velocities are diagnosed by those in quaternions, without the constraints |q| = 1: each of these
 * takes one from both ranks, and the numbers of the other constraints change. */
PfStatus pf_diagnose(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                     PfDiagnosis *diagnosis)
{
  *diagnosis = (PfDiagnosis){0};
  if (equations->by_quaternions) {
    /* The diagnosis of the equations in quaternions, without the constraints |q| = 1. */
    PF_TRY(pf_diagnose(ctx, arena, equations->by_quaternions, parameters, diagnosis));
    int lengths = equations->by_quaternions->m - equations->m, kept = 0;
    for (int k = 0; k < diagnosis->redundant_count; k++)
      for (int i = 0; i < equations->m; i++)
        if (equations->constraint[i] == diagnosis->redundant[k]) diagnosis->redundant[kept++] = i;
    diagnosis->redundant_count = kept;
    diagnosis->rank -= lengths;
    diagnosis->mass_rank -= lengths;
    diagnosis->start_q = diagnosis->start_v = NULL;
    return PF_OK;
  }
  Probe p = {.ctx = ctx, .scratch = pf_arena_new(pf_context_allocator(ctx)), .eq = equations};
  if (!p.scratch) return pf_no_room(ctx, "the diagnosis");
  PfStatus status = diagnose(&p, arena, parameters, diagnosis);
  pf_arena_free(p.scratch);
  return status;
}

/* The numbers at the start of a model in angular velocities, by those of the original. */
static PfStatus start_of_original(PfContext *ctx, PfArena *scratch, const PfEquations *eq, const double *parameters,
                                  double *values)
{
  PfSymbols symbols, old;
  double *original;
  PF_TRY(pf_equations_symbols(ctx, scratch, eq->model, &symbols));
  PF_TRY(pf_equations_symbols(ctx, scratch, eq->by_quaternions->model, &old));
  PF_TRY(pf_arrays(ctx, scratch, "the diagnosis", PF_ROOM(original, old.count)));
  PF_TRY(pf_equations_start(ctx, eq->by_quaternions, parameters, original));
  return pf_quasi_values(ctx, scratch, eq, &symbols, original, values);
}

/* The start is found as for a diagnosis. Where a parameter has no value, which a diagnosis replaces, it fails. */
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
