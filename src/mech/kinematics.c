/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pseudo-velocities: the user's, or chosen by solving the constraints for dependent velocities. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "mech/tails.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static PfStatus make_room(PfContext *ctx, PfArena *arena, int n, int count, PfKinematics *k)
{
  size_t N = (size_t)n, s = (size_t)count;
  k->count = count;
  k->independent = pf_arena_array(arena, int, s);
  k->names = pf_arena_array(arena, const char *, s);
  k->omega = pf_arena_array(arena, PfExpr, s);
  k->rate = pf_arena_array(arena, PfExpr, s);
  k->v = pf_arena_array(arena, PfExpr, N);
  k->N = pf_arena_array(arena, PfExpr, N*s);
  k->drift = pf_arena_array(arena, PfExpr, N);
  bool good = k->independent && k->names && k->omega && k->rate && k->v && k->N && k->drift;
  return good ? PF_OK : pf_no_room(ctx, "the kinematics");
}

/* ---------------------------------------------------------------- the user's speeds */

/* Does e vanish? Where algebra cannot tell (abs, min, a root), by numbers in a generic configuration, on both sides of
 * the switches. */
static PfStatus vanishes(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfExpr e,
                         bool *yes)
{
  PfTruth truth = pf_expr_is_probably_zero(ctx, e, 2);
  *yes = truth == PF_TRUE;
  if (truth != PF_UNKNOWN) return PF_OK;
  PfSymbols symbols;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &symbols));
  int count = symbols.count + k->count;
  PfExpr *list = pf_arena_array(arena, PfExpr, count);
  double *start, *values = pf_arena_array(arena, double, count), value;
  if (!list || !values) return pf_no_room(ctx, "the kinematics");
  memcpy(list, symbols.symbol, (size_t)symbols.count*sizeof *list);
  memcpy(list + symbols.count, k->omega, (size_t)k->count*sizeof *list);
  PF_TRY(pf_start_values(ctx, arena, eq, symbols.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &symbols, start, values));
  for (int a = 0; a < k->count; a++) values[symbols.count + a] = 0.7 + 0.1*a;
  *yes = true;
  for (int side = -1; side <= 1 && *yes; side += 2) {
    pf_set_sides(eq->model, &symbols, side, values);
    PF_TRY(pf_expr_evaluate(ctx, &e, 1, list, values, count, &value));
    *yes = fabs(value) < 1e-9;
  }
  return PF_OK;
}

/* A constraint with the rates put in: what is left of it, or zero. */
static PfStatus put_rates_in(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, int i,
                             PfExpr *rest, bool *holds)
{
  const PfModel *model = eq->model;
  const PfConstraint *c = model->constraints + i;
  if (eq->velocity[i] == PF_EXPR_NONE)
    return pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is one of accelerations, which no speeds can "
                      "satisfy by themselves", c->name);
  PfExpr e = eq->velocity[i], full;
  for (int j = 0; j < eq->n; j++) PF_TRY(pf_expr_substitute(ctx, &e, 1, &model->coordinates[j].v, k->v + j, 1, &e));
  PF_TRY(pf_model_expand(model, &e, 1, &full));
  *rest = e;
  return vanishes(ctx, arena, eq, k, full, holds);
}

static PfStatus not_satisfied(PfContext *ctx, const PfConstraint *c)
{
  pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the rates by the speeds do not satisfy the constraint '%s'", c->name);
  pf_hint(ctx, "with fewer speeds, or other rates, they must satisfy every constraint");
  return PF_ERR_MODEL;
}

/* A with dv/domega below it, in numbers: what is orthogonal to all of these rows no speed gives. */
static PfStatus stack_rows(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, double *rows)
{
  PfSymbols symbols;
  int n = eq->n, s = k->count, m = eq->m;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &symbols));
  int count = symbols.count + s;
  PfExpr *list = pf_arena_array(arena, PfExpr, count), *entries = pf_arena_array(arena, PfExpr, (m + s)*n);
  PfExpr *gradient = pf_arena_array(arena, PfExpr, s);
  double *start, *values = pf_arena_array(arena, double, count);
  if (!list || !entries || !values || !gradient) return pf_no_room(ctx, "the kinematics");
  memcpy(list, symbols.symbol, (size_t)symbols.count*sizeof *list);
  memcpy(list + symbols.count, k->omega, (size_t)s*sizeof *list);
  PF_TRY(pf_start_values(ctx, arena, eq, symbols.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &symbols, start, values));
  for (int a = 0; a < s; a++) values[symbols.count + a] = 0.7 + 0.1*a;
  if (m) memcpy(entries, eq->A, (size_t)(m*n)*sizeof *entries);
  for (int i = 0; i < n; i++) {
    PF_TRY(pf_expr_gradient(ctx, k->v[i], k->omega, s, gradient));
    for (int a = 0; a < s; a++) entries[(m + a)*n + i] = gradient[a];
  }
  return pf_expr_evaluate(ctx, entries, (m + s)*n, list, values, count, rows);
}

/* The coordinate that moves most in a motion that the constraints allow and no speed gives; -1: there is none. */
static PfStatus find_missing(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, int *missing)
{
  int n = eq->n, rows = eq->m + k->count;
  double *stack = pf_arena_array(arena, double, rows*n), *null = pf_arena_array(arena, double, n*n), most = 0.1;
  PfQr qr;
  *missing = -1;
  if (!stack || !null) return pf_no_room(ctx, "the kinematics");
  PF_TRY(stack_rows(ctx, arena, eq, k, stack));
  if (pf_first_not_finite(stack, (size_t)(rows*n)) >= 0) return PF_OK;
  PF_TRY(pf_make_alike(ctx, stack, NULL, rows, n));
  PF_TRY(pf_qr_make(ctx, arena, rows, n, &qr));
  PF_TRY(pf_qr_factor(&qr, stack, 1e-9));
  if (qr.rank == n) return PF_OK;
  pf_qr_null_space(&qr, null);
  for (int i = 0; i < n; i++) {
    double size = fabs(null[i*(n - qr.rank)]);
    if (size <= most*(1 + 1e-9)) continue; /* of equal ones the first */
    most = size;
    *missing = i;
  }
  return PF_OK;
}

/* Fewer speeds than degrees of freedom would forbid what no constraint forbids. */
static PfStatus check_count(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k)
{
  const PfModel *model = eq->model;
  PfDiagnosis diagnosis;
  int missing = -1, count = model->speed_count;
  PF_TRY(pf_diagnose(ctx, arena, eq, NULL, &diagnosis));
  if (k->count == diagnosis.degrees_of_freedom) return PF_OK;
  if (k->count < diagnosis.degrees_of_freedom) PF_TRY(find_missing(ctx, arena, eq, k, &missing));
  pf_fail_at(ctx, PF_ERR_MODEL, model->speeds[0].place, "there %s %d speed%s for %d degree%s of freedom",
             count == 1 ? "is" : "are", count, count == 1 ? "" : "s", diagnosis.degrees_of_freedom,
             diagnosis.degrees_of_freedom == 1 ? "" : "s");
  if (missing >= 0)
    pf_hint(ctx, "the constraints allow '%s' to move in a way that the rates do not give: one more speed is needed "
            "for it", model->coordinates[missing].name);
  return PF_ERR_MODEL;
}

/* Speeds given by velocities need not determine these everywhere. */
static PfStatus set_divisor(PfContext *ctx, PfArena *arena, const PfModel *model, PfKinematics *k)
{
  k->divisor_count = model->speed_divisor != PF_EXPR_NONE;
  k->divisors = pf_arena_array(arena, PfExpr, 1);
  k->divisor_sizes = pf_arena_array(arena, double, 1);
  if (!k->divisors || !k->divisor_sizes) return pf_no_room(ctx, "the kinematics");
  k->divisors[0] = model->speed_divisor;
  k->divisor_sizes[0] = fabs(model->speed_divisor_size);
  return PF_OK;
}

/* Those of speeds that are given by velocities. */
static PfStatus set_definitions(PfContext *ctx, PfArena *arena, const PfModel *model, PfKinematics *k)
{
  if (model->speeds[0].value == PF_EXPR_NONE) return PF_OK;
  k->definition = pf_arena_array(arena, PfExpr, k->count);
  if (!k->definition) return pf_no_room(ctx, "the kinematics");
  for (int a = 0; a < k->count; a++) k->definition[a] = model->speeds[a].value;
  return PF_OK;
}

/* ---------------------------------------------------------------- constraints beside the user's speeds */

/* Solutions of rows over the speeds: those that stay, or combinations of them, become the pseudo-velocities. */
static PfStatus recombine(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDirections *d,
                          PfKinematics *k)
{
  PfKinematics old = *k;
  int s = old.count;
  PfExpr *by = pf_arena_array(arena, PfExpr, s);
  if (!old.definition) { /* known by their rates only */
    old.definition = pf_arena_array(arena, PfExpr, s);
    if (!old.definition) return pf_no_room(ctx, "the kinematics");
    PF_TRY(pf_model_speeds(eq->model, arena, old.definition));
  }
  PF_TRY(make_room(ctx, arena, eq->n, d->count, k));
  k->definition = pf_arena_array(arena, PfExpr, d->count);
  if (!by || !k->definition) return pf_no_room(ctx, "the kinematics");
  for (int a = 0; a < d->count; a++) {
    int own = d->column[a];
    k->independent[a] = -1;
    k->definition[a] = pf_combination(ctx, d->combination + a*s, 1, old.definition, s);
    if (own >= 0) k->names[a] = old.names[own], k->omega[a] = old.omega[own];
    else PF_TRY(pf_model_free_name(eq->model, arena, "u", k->omega, a, k->names + a, k->omega + a));
    k->rate[a] = pf_rate_symbol(ctx, k->omega[a]);
  }
  for (int j = 0; j < s; j++)
    by[j] = pf_expr_add(ctx, d->d[j], pf_combination(ctx, d->N + j*d->count, 1, k->omega, d->count));
  PF_TRY(pf_expr_substitute(ctx, old.v, eq->n, old.omega, by, s, k->v));
  for (int i = 0; i < eq->n; i++) k->v[i] = pf_expr_simplest(ctx, k->v[i]);
  k->divisor_count = d->divisor_count;
  k->divisors = d->divisors;
  k->divisor_sizes = d->divisor_sizes;
  return pf_expr_check(ctx);
}

/* Solutions by elimination, in the form of directions. */
static PfStatus by_elimination(PfContext *ctx, PfArena *arena, const PfElimination *e, int s, PfDirections *d)
{
  int r = e->rank, free = s - r;
  *d = (PfDirections){.count = free, .column = pf_arena_array(arena, int, free),
                      .N = pf_arena_array(arena, PfExpr, (size_t)s*(size_t)free),
                      .d = pf_arena_array(arena, PfExpr, s),
                      .combination = pf_arena_array(arena, PfExpr, (size_t)s*(size_t)free),
                      .divisor_count = e->divisor_count, .divisors = e->divisors, .divisor_sizes = e->divisor_sizes};
  if (!d->column || !d->N || !d->d || !d->combination) return pf_no_room(ctx, "the kinematics");
  for (int j = 0, a = 0; j < s; j++) { /* in the order of the speeds */
    d->d[j] = pf_expr_int(ctx, 0);
    for (int b = 0; b < free; b++)
      if (e->column[r + b] == j) d->column[a++] = j;
  }
  for (int a = 0; a < free; a++)
    for (int j = 0; j < s; j++) {
      d->N[j*free + a] = pf_expr_int(ctx, j == d->column[a]);
      d->combination[a*s + j] = d->N[j*free + a];
    }
  for (int i = 0; i < r; i++) {
    d->d[e->column[i]] = e->d[i];
    for (int a = 0; a < free; a++)
      for (int b = 0; b < free; b++)
        if (e->column[r + b] == d->column[a]) d->N[e->column[i]*free + a] = pf_expr_neg(ctx, e->K[i*free + b]);
  }
  return pf_expr_check(ctx);
}

static PfStatus solve_rows(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr *rows, PfExpr *free, int m,
                           PfKinematics *k)
{
  PfGuide guide;
  PfElimination e;
  PfDirections d;
  bool found = false;
  PF_TRY(pf_equations_guide(ctx, arena, eq, &guide));
  PF_TRY(pf_eliminate(ctx, arena, &guide, m, k->count, m, rows, free, &e));
  if (e.divisor_count && !pf_guide_is_constant(ctx, &guide, e.determinant)) {
    pf_elimination_keep_rows(&e, k->count, rows, free);
    PF_TRY(pf_directions_find(ctx, arena, &guide, e.rank, k->count, rows, free, &d, &found));
    found = found && d.count == k->count - e.rank;
  } else {
    e.divisor_count = 0;
  }
  if (!found) PF_TRY(by_elimination(ctx, arena, &e, k->count, &d));
  return recombine(ctx, arena, eq, &d, k);
}

/* Constraints that the speeds do not satisfy by themselves bind them, when there are more speeds than degrees of
 * freedom: one more constraint beside a model with speeds (Zobova 2011, section 6). */
static PfStatus bind_speeds(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  PfDiagnosis diagnosis;
  int s = k->count, bound = 0;
  PfExpr *rows = pf_arena_array(arena, PfExpr, (size_t)eq->m*(size_t)s), *free = pf_arena_array(arena, PfExpr, eq->m);
  PfExpr *zeros = pf_arena_array(arena, PfExpr, s);
  if (!rows || !free || !zeros) return pf_no_room(ctx, "the kinematics");
  for (int a = 0; a < s; a++) zeros[a] = pf_expr_int(ctx, 0);
  PF_TRY(pf_diagnose(ctx, arena, eq, NULL, &diagnosis));
  for (int i = 0; i < eq->m; i++) {
    PfExpr rest = PF_EXPR_NONE;
    bool holds = false;
    PF_TRY(put_rates_in(ctx, arena, eq, k, i, &rest, &holds));
    if (holds) continue;
    if (s <= diagnosis.degrees_of_freedom) return not_satisfied(ctx, eq->model->constraints + i);
    PfExpr *row = rows + (size_t)bound*(size_t)s;
    PF_TRY(pf_expr_gradient(ctx, rest, k->omega, s, row));
    for (int a = 0; a < s; a++) {
      if (pf_expr_depends(ctx, row[a], k->omega, s)) return not_satisfied(ctx, eq->model->constraints + i);
      row[a] = pf_expr_simplest(ctx, row[a]);
    }
    PF_TRY(pf_expr_substitute(ctx, &rest, 1, k->omega, zeros, s, &rest));
    free[bound++] = pf_expr_neg(ctx, rest);
  }
  return bound ? solve_rows(ctx, arena, eq, rows, free, bound, k) : PF_OK;
}

static PfStatus use_speeds(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  const PfModel *model = eq->model;
  PF_TRY(make_room(ctx, arena, eq->n, model->speed_count, k));
  for (int a = 0; a < k->count; a++) {
    k->independent[a] = -1;
    k->omega[a] = model->speeds[a].symbol;
    k->names[a] = model->speeds[a].name;
    k->rate[a] = pf_rate_symbol(ctx, k->omega[a]);
  }
  PF_TRY(set_definitions(ctx, arena, model, k));
  memcpy(k->v, eq->rate, (size_t)eq->n*sizeof *k->v);
  PF_TRY(set_divisor(ctx, arena, model, k));
  PF_TRY(bind_speeds(ctx, arena, eq, k));
  return check_count(ctx, arena, eq, k);
}

/* ---------------------------------------------------------------- chosen velocities */

/* The constraints must be linear in the velocities: A v + c = 0. */
static PfStatus linear_rows(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr **rows, PfExpr **free)
{
  const PfModel *model = eq->model;
  size_t n = (size_t)eq->n;
  *rows = pf_arena_array(arena, PfExpr, (size_t)eq->m*n);
  *free = pf_arena_array(arena, PfExpr, eq->m);
  if (!*rows || !*free) return pf_no_room(ctx, "the kinematics");
  for (int i = 0; i < eq->m; i++) {
    if (model->constraints[i].kind == PF_ACCELERATION)
      return pf_fail_at(ctx, PF_ERR_MODEL, model->constraints[i].place, "the constraint '%s' is one of accelerations, "
                        "which no pseudo-velocities can satisfy by themselves", model->constraints[i].name);
    if (model->constraints[i].kind == PF_NONLINEAR)
      return pf_fail_at(ctx, PF_ERR_MODEL, model->constraints[i].place,
                        "the constraint '%s' is not linear in the velocities: pseudo-velocities must be given by "
                        "'speed' and 'rate'", model->constraints[i].name);
    PfExpr rest = eq->velocity[i];
    for (size_t j = 0; j < n; j++) {
      PfExpr zero = pf_expr_int(ctx, 0);
      (*rows)[(size_t)i*n + j] = eq->A[(size_t)i*n + j];
      PF_TRY(pf_expr_substitute(ctx, &rest, 1, &model->coordinates[j].v, &zero, 1, &rest));
    }
    (*free)[i] = pf_expr_neg(ctx, rest);
  }
  return PF_OK;
}

/* Rank of the rows where the constraints need not hold. */
static PfStatus generic_rank(PfContext *ctx, PfArena *arena, const PfEquations *eq, int *rank)
{
  PfSymbols symbols;
  PfRows rows;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &symbols));
  double *start, *values = pf_arena_array(arena, double, symbols.count);
  double *A = pf_arena_array(arena, double, (size_t)eq->m*(size_t)eq->n);
  const bool *sure = pf_sure_entries(ctx, arena, eq->A, (size_t)eq->m*(size_t)eq->n);
  if (!values || !A || !sure) return pf_no_room(ctx, "the kinematics");
  PF_TRY(pf_start_values(ctx, arena, eq, symbols.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &symbols, start, values));
  PF_TRY(pf_expr_evaluate(ctx, eq->A, eq->m*eq->n, symbols.symbol, values, symbols.count, A));
  PF_TRY(pf_make_alike(ctx, A, sure, eq->m, eq->n));
  PF_TRY(pf_rows_sort(ctx, arena, A, eq->m, eq->n, 0, &rows));
  *rank = rows.rank;
  return PF_OK;
}

/* Rows that are redundant only on the manifold of the constraints would give pivots that vanish just there. */
PfStatus pf_check_rank(PfContext *ctx, PfArena *arena, const PfEquations *eq)
{
  PfDiagnosis diagnosis;
  int rank = 0;
  if (eq->m == 0) return PF_OK;
  PF_TRY(pf_diagnose(ctx, arena, eq, NULL, &diagnosis));
  PF_TRY(generic_rank(ctx, arena, eq, &rank));
  if (rank <= diagnosis.rank) return PF_OK;
  const PfConstraint *c = eq->model->constraints + diagnosis.redundant[0];
  pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' follows from the others, but only where they hold, on "
             "the branch of the start: formulas in independent velocities divide by zero there", c->name);
  pf_hint(ctx, "leave it out, or give 'speed' and 'rate'; --form multipliers takes it, and so does 'run'");
  return PF_ERR_MODEL;
}

static void set_velocity(const PfModel *model, int coordinate, int a, PfKinematics *k)
{
  const PfCoordinate *c = model->coordinates + coordinate;
  k->independent[a] = coordinate;
  k->names[a] = c->name;
  k->omega[a] = c->v;
  k->rate[a] = c->a;
}

static PfStatus use_elimination(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfElimination *e,
                                PfKinematics *k)
{
  int n = eq->n, r = e->rank;
  PF_TRY(make_room(ctx, arena, n, n - r, k));
  k->chosen = true;
  k->divisor_count = e->divisor_count;
  k->divisors = e->divisors;
  k->divisor_sizes = e->divisor_sizes;
  for (int j = 0, a = 0; j < n; j++) /* in the order of the coordinates */
    for (int b = 0; b < n - r; b++) {
      if (e->column[r + b] != j) continue;
      set_velocity(eq->model, j, a, k);
      k->v[j] = k->omega[a++];
    }
  for (int i = 0; i < r; i++) { /* v1 = d - K v2 */
    PfExpr sum = e->d[i];
    for (int b = 0; b < n - r; b++)
      sum = pf_expr_sub(ctx, sum, pf_expr_mul(ctx, e->K[i*(n - r) + b], eq->model->coordinates[e->column[r + b]].v));
    k->v[e->column[i]] = pf_expr_simplest(ctx, sum);
  }
  return pf_expr_check(ctx);
}

/* A combination of velocities with a name of its own: u, u2, … */
static PfStatus set_combination(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *combination, int a,
                                PfKinematics *k)
{
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int j = 0; j < model->coordinate_count; j++)
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, combination[j], model->coordinates[j].v));
  k->independent[a] = -1;
  k->definition[a] = pf_expr_simplest(ctx, sum);
  PF_TRY(pf_model_free_name(model, arena, "u", k->omega, a, k->names + a, k->omega + a));
  k->rate[a] = pf_rate_symbol(ctx, k->omega[a]);
  return PF_OK;
}

static PfStatus use_directions(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDirections *d,
                               PfKinematics *k)
{
  int n = eq->n;
  PF_TRY(make_room(ctx, arena, n, d->count, k));
  k->combined = true;
  k->definition = pf_arena_array(arena, PfExpr, d->count);
  if (!k->definition) return pf_no_room(ctx, "the kinematics");
  k->divisor_count = d->divisor_count;
  k->divisors = d->divisors;
  k->divisor_sizes = d->divisor_sizes;
  for (int a = 0; a < d->count; a++) {
    if (d->column[a] < 0) PF_TRY(set_combination(ctx, arena, eq->model, d->combination + a*n, a, k));
    else set_velocity(eq->model, d->column[a], a, k);
    if (d->column[a] >= 0) k->definition[a] = k->omega[a];
  }
  for (int i = 0; i < n; i++) {
    PfExpr sum = d->d[i];
    for (int a = 0; a < d->count; a++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, d->N[i*d->count + a], k->omega[a]));
    k->v[i] = pf_expr_simplest(ctx, sum);
  }
  return pf_expr_check(ctx);
}

/* Of the rows that no velocity of their own satisfies. */
static PfStatus choose_among(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfGuide *guide,
                             const PfTails *tails, PfExpr *rows, PfExpr *free, PfKinematics *k)
{
  PfElimination e;
  PfDirections d = {0};
  bool found = false;
  PF_TRY(pf_eliminate(ctx, arena, guide, tails->left_count, eq->n, tails->left_count, rows, free, &e));
  if (e.unsolved >= 0) {
    const PfConstraint *c = eq->model->constraints + tails->left[e.unsolved];
    return pf_fail_at(ctx, PF_ERR_MODEL, c->place,
                      "the constraint '%s' contradicts the others, or restricts what is not a velocity", c->name);
  }
  if (pf_guide_is_constant(ctx, guide, e.determinant)) e.divisor_count = 0;
  if (e.divisor_count) {
    pf_elimination_keep_rows(&e, eq->n, rows, free);
    PF_TRY(pf_directions_find(ctx, arena, guide, e.rank, eq->n, rows, free, &d, &found));
    found = found && d.count == eq->n - e.rank;
  }
  return found ? use_directions(ctx, arena, eq, &d, k) : use_elimination(ctx, arena, eq, &e, k);
}

static PfStatus choose(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  PfExpr *rows, *free;
  PfGuide guide;
  PfTails tails;
  PF_TRY(linear_rows(ctx, arena, eq, &rows, &free));
  PF_TRY(pf_check_rank(ctx, arena, eq));
  PF_TRY(pf_equations_guide(ctx, arena, eq, &guide));
  PF_TRY(pf_tails_find(ctx, arena, &guide, eq, rows, free, &tails));
  PF_TRY(choose_among(ctx, arena, eq, &guide, &tails, rows, free, k));
  return pf_tails_solve(ctx, arena, eq, &tails, k);
}

/* ---------------------------------------------------------------- both */

/* Derivative along the motion with omega held: q -> v, t -> 1. */
PfStatus pf_along_motion(PfContext *ctx, PfArena *scratch, const PfModel *model, const PfKinematics *k,
                         const PfExpr *e, int count, PfExpr *out)
{
  size_t n = (size_t)model->coordinate_count;
  size_t most = n + 1 + (size_t)model->input_count + (size_t)model->follower_count;
  PfExpr *from = pf_arena_array(scratch, PfExpr, most), *to = pf_arena_array(scratch, PfExpr, most);
  if (!from || !to) return pf_no_room(ctx, "the kinematics");
  int c = 0;
  for (size_t i = 0; i < n; i++) from[c] = model->coordinates[i].q, to[c++] = k->v[i];
  from[c] = model->time, to[c++] = pf_expr_int(ctx, 1);
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      from[c] = model->inputs[i].symbol, to[c++] = pf_expr_diff(ctx, model->inputs[i].value, model->time);
  PF_TRY(pf_follower_rates(ctx, scratch, model, k->v, from + c, to + c));
  return pf_expr_derive_along(ctx, e, count, from, to, c + model->follower_count, out);
}

PfStatus pf_follower_rates(PfContext *ctx, PfArena *scratch, const PfModel *model, const PfExpr *velocity,
                           PfExpr *symbols, PfExpr *rates)
{
  int n = model->coordinate_count;
  PfExpr *v = pf_arena_array(scratch, PfExpr, n);
  if (!v) return pf_no_room(ctx, "the kinematics");
  for (int i = 0; i < n; i++) v[i] = model->coordinates[i].v;
  for (int i = 0; i < model->follower_count; i++)
    symbols[i] = model->followers[i].symbol, rates[i] = model->followers[i].rate;
  return pf_expr_substitute(ctx, rates, model->follower_count, v, velocity, n, rates);
}

PfStatus pf_kinematics_settle(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  for (int i = 0; i < eq->n; i++)
    PF_TRY(pf_expr_gradient(ctx, k->v[i], k->omega, k->count, k->N + (size_t)i*(size_t)k->count));
  return pf_along_motion(ctx, arena, eq->model, k, k->v, eq->n, k->drift);
}

/* Speeds that the rates do not tell apart would leave motions out and others twice: dv/domega must have full rank. */
static PfStatus check_rates(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k)
{
  int n = eq->n, s = k->count;
  double *stack = pf_arena_array(arena, double, (eq->m + s)*n);
  PfRows rows;
  if (!stack) return pf_no_room(ctx, "the kinematics");
  PF_TRY(stack_rows(ctx, arena, eq, k, stack));
  double *N = stack + eq->m*n;
  if (pf_first_not_finite(N, (size_t)(n*s)) >= 0) return PF_OK;
  PF_TRY(pf_make_alike(ctx, N, NULL, s, n));
  PF_TRY(pf_rows_sort(ctx, arena, N, s, n, 0, &rows));
  if (rows.rank == s) return PF_OK;
  pf_fail_at(ctx, PF_ERR_MODEL, eq->model->speeds[0].place, "the rates do not tell the speed '%s' apart from the "
             "others: different speeds give the same velocities", k->names[rows.order[rows.rank]]);
  pf_hint(ctx, "the rates must give every motion that the constraints allow, each by one set of speeds");
  return PF_ERR_MODEL;
}

static PfStatus find(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  if (eq->model->speed_count) {
    PF_TRY(use_speeds(ctx, arena, eq, k));
    PF_TRY(pf_kinematics_settle(ctx, arena, eq, k));
    return check_rates(ctx, arena, eq, k);
  }
  if (eq->model->ball_count) {
    PF_TRY(pf_quasi_kinematics(ctx, arena, eq, k));
  } else {
    PF_TRY(choose(ctx, arena, eq, k));
    PF_TRY(pf_absolute_rates(ctx, arena, eq, k));
  }
  return pf_kinematics_settle(ctx, arena, eq, k);
}

PfStatus pf_kinematics_find(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  const double effort = 1e7;
  bool limited = pf_expr_limit(ctx, effort);
  *k = (PfKinematics){0};
  PfStatus status = find(ctx, arena, eq, k);
  if (limited) (void)pf_expr_unlimit(ctx);
  return status;
}
