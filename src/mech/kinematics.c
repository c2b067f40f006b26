/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pseudo-velocities: the user's, or chosen by solving the constraints for dependent velocities. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "mech/triangular_rows.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* Allocates for n velocities and `count` pseudo-velocities. */
static PfStatus make_room(PfContext *ctx, PfArena *arena, int n, int count, PfKinematics *k)
{
  size_t N = (size_t)n, s = (size_t)count;
  k->count = count;
  return pf_arrays(ctx, arena, "the kinematics", PF_ROOM(k->independent, s), PF_ROOM(k->names, s),
                   PF_ROOM(k->omega, s), PF_ROOM(k->rate, s), PF_ROOM(k->v, N), PF_ROOM(k->N, N*s),
                   PF_ROOM(k->drift, N));
}

/* ---------------------------------------------------------------- the user's speeds */

/* Numbers of all symbols and of the pseudo-velocities in a generic configuration, as lists. */
static PfStatus generic_point(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                              PfSymbols *symbols, PfExpr **list, double **values)
{
  double *start;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, symbols));
  const int first = symbols->count, count = first + k->count;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(*list, count), PF_ROOM(*values, count)));
  memcpy(*list, symbols->symbol, (size_t)first*sizeof **list);
  memcpy(*list + first, k->omega, (size_t)k->count*sizeof **list);
  PF_TRY(pf_start_values(ctx, arena, eq, first, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, symbols, start, *values));
  for (int a = 0; a < k->count; a++) (*values)[first + a] = 0.7 + 0.1*a;
  return PF_OK;
}

/* Does e vanish? Where algebra cannot decide (abs, min, a root), numbers in a generic configuration do, on both sides
 * of the switches. */
static PfStatus vanishes(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfExpr e,
                         bool *yes)
{
  PfTruth truth = pf_expr_is_probably_zero(ctx, e, 2);
  *yes = truth == PF_TRUE;
  if (truth != PF_UNKNOWN) return PF_OK;
  PfSymbols symbols;
  PfExpr *list;
  double *values, value;
  PF_TRY(generic_point(ctx, arena, eq, k, &symbols, &list, &values));
  *yes = true;
  for (int side = -1; side <= 1 && *yes; side += 2) {
    pf_set_modes(eq->model, &symbols, side, values);
    PF_TRY(pf_expr_evaluate(ctx, &e, 1, list, values, symbols.count + k->count, &value));
    *yes = fabs(value) < 1e-9;
  }
  return PF_OK;
}

/* The failure of speeds that do not satisfy a constraint. */
static PfStatus not_satisfied(PfContext *ctx, const PfConstraint *c)
{
  pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the rates by the speeds do not satisfy the constraint '%s'", c->name);
  pf_hint(ctx, "with fewer speeds, or other rates, they must satisfy every constraint");
  return PF_ERR_MODEL;
}

/* A with dv/domega below it, in numbers: no speeds give a velocity that is orthogonal to all of these rows. */
static PfStatus stack_rows(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, double *rows)
{
  PfSymbols symbols;
  int n = eq->n, s = k->count, m = eq->m;
  PfExpr *list, *entries, *gradient;
  double *values;
  PF_TRY(generic_point(ctx, arena, eq, k, &symbols, &list, &values));
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM2(entries, m + s, n), PF_ROOM(gradient, s)));
  if (m) memcpy(entries, eq->A, (size_t)(m*n)*sizeof *entries);
  for (int i = 0; i < n; i++) {
    PF_TRY(pf_expr_gradient(ctx, k->v[i], k->omega, s, gradient));
    for (int a = 0; a < s; a++) entries[(m + a)*n + i] = gradient[a];
  }
  return pf_expr_evaluate(ctx, entries, (m + s)*n, list, values, symbols.count + s, rows);
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

/* ---------------------------------------------------------------- constraints besides the user's speeds */

/* Solutions by elimination, in the form of directions: those of free unknowns, in the order of the unknowns. */
static PfStatus by_elimination(PfContext *ctx, PfArena *arena, const PfElimination *e, int s, PfDirections *d)
{
  int r = e->rank, free = s - r;
  *d = (PfDirections){.count = free, .divisor_count = e->divisor_count, .divisors = e->divisors,
                      .divisor_sizes = e->divisor_sizes};
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(d->column, free), PF_ROOM2(d->N, s, free),
                   PF_ROOM(d->d, s), PF_ROOM2(d->combination, s, free)));
  for (int j = 0, a = 0; j < s; j++) {
    d->d[j] = pf_expr_int(ctx, 0);
    for (int b = 0; b < free; b++)
      if (e->column[r + b] == j) d->column[a++] = j;
  }
  for (int a = 0; a < free; a++)
    for (int j = 0; j < s; j++) d->combination[a*s + j] = d->N[j*free + a] = pf_expr_int(ctx, j == d->column[a]);
  for (int i = 0; i < r; i++) {
    d->d[e->column[i]] = e->d[i];
    for (int a = 0; a < free; a++)
      for (int b = 0; b < free; b++)
        if (e->column[r + b] == d->column[a]) d->N[e->column[i]*free + a] = pf_expr_neg(ctx, e->K[i*free + b]);
  }
  return pf_expr_check(ctx);
}

/* Solves rows*x = free for the unknowns x by directions, if an elimination would divide by what can vanish and they
 * are as many as its rank leaves; `found` is false where the elimination is to be used, which has no divisors then
 * unless they can vanish. */
static PfStatus look_for_directions(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int unknowns,
                                    PfExpr *rows, PfExpr *free, PfElimination *e, PfDirections *d, bool *found)
{
  *found = false;
  if (pf_sample_is_constant(ctx, sample, e->determinant)) e->divisor_count = 0;
  if (!e->divisor_count) return PF_OK;
  pf_elimination_keep_rows(e, unknowns, rows, free);
  PF_TRY(pf_directions_find(ctx, arena, sample, e->rank, unknowns, rows, free, d, found));
  *found = *found && d->count == unknowns - e->rank;
  return PF_OK;
}

/* Constraints that the user's speeds do not satisfy by themselves are solved for some of the speeds. */
static PfStatus solve_rows(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr *rows, PfExpr *free, int m,
                           PfKinematics *k)
{
  PfSamplePoint sample;
  PfElimination e;
  PfDirections d;
  bool found;
  PF_TRY(pf_equations_sample(ctx, arena, eq, &sample));
  PF_TRY(pf_eliminate(ctx, arena, &sample, m, k->count, m, rows, free, &e));
  PF_TRY(look_for_directions(ctx, arena, &sample, k->count, rows, free, &e, &d, &found));
  if (!found) PF_TRY(by_elimination(ctx, arena, &e, k->count, &d));
  /* Solutions of rows over the speeds: those that stay, or combinations of them, become the pseudo-velocities. */
  PfKinematics old = *k;
  int s = old.count;
  PfExpr *by;
  if (!old.definition) { /* known by their rates only */
    PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(old.definition, s)));
    PF_TRY(pf_model_speeds(eq->model, arena, old.definition));
  }
  PF_TRY(make_room(ctx, arena, eq->n, d.count, k));
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(by, s), PF_ROOM(k->definition, d.count)));
  for (int a = 0; a < d.count; a++) {
    int own = d.column[a];
    k->independent[a] = -1;
    k->definition[a] = pf_combination(ctx, d.combination + a*s, 1, old.definition, s);
    if (own >= 0) k->names[a] = old.names[own], k->omega[a] = old.omega[own];
    else PF_TRY(pf_model_free_name(eq->model, arena, "u", k->omega, a, k->names + a, k->omega + a));
    k->rate[a] = pf_rate_symbol(ctx, k->omega[a]);
  }
  for (int j = 0; j < s; j++)
    by[j] = pf_expr_add(ctx, d.d[j], pf_combination(ctx, d.N + j*d.count, 1, k->omega, d.count));
  PF_TRY(pf_expr_substitute(ctx, old.v, eq->n, old.omega, by, s, k->v));
  for (int i = 0; i < eq->n; i++) k->v[i] = pf_expr_simplest(ctx, k->v[i]);
  k->divisor_count = d.divisor_count;
  k->divisors = d.divisors;
  k->divisor_sizes = d.divisor_sizes;
  return pf_expr_check(ctx);
}

/* Constraints that the speeds do not satisfy by themselves bind them, when there are more speeds than degrees of
 * freedom: one more constraint on a model with speeds (Zobova 2011, section 6). */
static PfStatus bind_speeds(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  PfDiagnosis diagnosis;
  const PfModel *model = eq->model;
  int s = k->count, bound = 0;
  PfExpr *rows, *free, *zeros;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM2(rows, eq->m, s), PF_ROOM(free, eq->m), PF_ROOM(zeros, s)));
  for (int a = 0; a < s; a++) zeros[a] = pf_expr_int(ctx, 0);
  PF_TRY(pf_diagnose(ctx, arena, eq, NULL, &diagnosis));
  for (int i = 0; i < eq->m; i++) {
    const PfConstraint *c = model->constraints + i;
    bool holds;
    if (eq->velocity[i] == PF_EXPR_NONE)
      return pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is one of accelerations, which no speeds can "
                        "satisfy by themselves", c->name);
    PfExpr rest = eq->velocity[i], full, *row = rows + (size_t)bound*(size_t)s; /* after the rates are put in */
    for (int j = 0; j < eq->n; j++)
      PF_TRY(pf_expr_substitute(ctx, &rest, 1, &model->coordinates[j].v, k->v + j, 1, &rest));
    PF_TRY(pf_model_expand(model, &rest, 1, &full));
    PF_TRY(vanishes(ctx, arena, eq, k, full, &holds));
    if (holds) continue;
    if (s <= diagnosis.degrees_of_freedom) return not_satisfied(ctx, c);
    PF_TRY(pf_expr_gradient(ctx, rest, k->omega, s, row));
    for (int a = 0; a < s; a++) {
      if (pf_expr_depends(ctx, row[a], k->omega, s)) return not_satisfied(ctx, c);
      row[a] = pf_expr_simplest(ctx, row[a]);
    }
    PF_TRY(pf_expr_substitute(ctx, &rest, 1, k->omega, zeros, s, &rest));
    free[bound++] = pf_expr_neg(ctx, rest);
  }
  return bound ? solve_rows(ctx, arena, eq, rows, free, bound, k) : PF_OK;
}

/* The user's speeds as pseudo-velocities; they must be as many as there are degrees of freedom. */
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
  /* The definitions of speeds that are given by velocities. */
  if (model->speeds[0].value != PF_EXPR_NONE) {
    PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(k->definition, k->count)));
    for (int a = 0; a < k->count; a++) k->definition[a] = model->speeds[a].value;
  }
  memcpy(k->v, eq->rate, (size_t)eq->n*sizeof *k->v);
  /* Speeds given by velocities need not determine these everywhere. */
  k->divisor_count = model->speed_divisor != PF_EXPR_NONE;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(k->divisors, 1), PF_ROOM(k->divisor_sizes, 1)));
  k->divisors[0] = model->speed_divisor;
  k->divisor_sizes[0] = fabs(model->speed_divisor_size);
  PF_TRY(bind_speeds(ctx, arena, eq, k));
  /* Fewer speeds than degrees of freedom would forbid what no constraint forbids. */
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

/* ---------------------------------------------------------------- chosen velocities */

/* Rows that are redundant only on the manifold of the constraints would give pivots that vanish just there. */
PfStatus pf_check_rank(PfContext *ctx, PfArena *arena, const PfEquations *eq)
{
  PfDiagnosis diagnosis;
  if (eq->m == 0) return PF_OK;
  PF_TRY(pf_diagnose(ctx, arena, eq, NULL, &diagnosis));
  /* Rank of the rows where the constraints need not hold. */
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
  if (rows.rank <= diagnosis.rank) return PF_OK;
  const PfConstraint *c = eq->model->constraints + diagnosis.redundant[0];
  pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' follows from the others, but only where they hold, on "
             "the branch of the start: formulas in independent velocities divide by zero there", c->name);
  pf_hint(ctx, "leave it out, or give 'speed' and 'rate'; @form{multipliers} takes it, and so does 'run'");
  return PF_ERR_MODEL;
}

/* The velocity of a coordinate, or (-1) a combination of velocities with a name of its own, u, u2, …, as
 * pseudo-velocity a. */
static PfStatus set_velocity(PfContext *ctx, PfArena *arena, const PfModel *model, int coordinate, int a,
                             PfKinematics *k)
{
  const PfCoordinate *c = model->coordinates + coordinate;
  k->independent[a] = coordinate;
  if (coordinate >= 0) {
    k->names[a] = c->name, k->omega[a] = c->v, k->rate[a] = c->a;
    return PF_OK;
  }
  PF_TRY(pf_model_free_name(model, arena, "u", k->omega, a, k->names + a, k->omega + a));
  k->rate[a] = pf_rate_symbol(ctx, k->omega[a]);
  return PF_OK;
}

/* Independent velocities as pseudo-velocities, the others by v1 = d - K v2. */
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
      PF_TRY(set_velocity(ctx, arena, eq->model, j, a, k));
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

/* Admissible directions as pseudo-velocities, v = d + N u: velocities of coordinates, or combinations with names of
 * their own. */
static PfStatus use_directions(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDirections *d,
                               PfKinematics *k)
{
  int n = eq->n;
  PF_TRY(make_room(ctx, arena, n, d->count, k));
  k->combined = true;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(k->definition, d->count)));
  k->divisor_count = d->divisor_count;
  k->divisors = d->divisors;
  k->divisor_sizes = d->divisor_sizes;
  for (int a = 0; a < d->count; a++) {
    if (d->column[a] < 0) {
      PfExpr sum = pf_expr_int(ctx, 0);
      for (int j = 0; j < n; j++)
        sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, d->combination[a*n + j], eq->model->coordinates[j].v));
      k->definition[a] = pf_expr_simplest(ctx, sum);
    }
    PF_TRY(set_velocity(ctx, arena, eq->model, d->column[a], a, k));
    if (d->column[a] >= 0) k->definition[a] = k->omega[a];
  }
  for (int i = 0; i < n; i++) {
    PfExpr sum = d->d[i];
    for (int a = 0; a < d->count; a++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, d->N[i*d->count + a], k->omega[a]));
    k->v[i] = pf_expr_simplest(ctx, sum);
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- both */

/* N row by row; the drift is the derivative of v along the motion at constant omega. */
PfStatus pf_kinematics_settle(PfContext *ctx, const PfEquations *eq, PfKinematics *k)
{
  for (int i = 0; i < eq->n; i++)
    PF_TRY(pf_expr_gradient(ctx, k->v[i], k->omega, k->count, k->N + (size_t)i*(size_t)k->count));
  return pf_model_derive_along(eq->model, k->v, k->v, eq->n, k->drift);
}

/* Speeds that the rates do not distinguish would omit some motions and count others twice: dv/domega must have full
 * rank. */
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

/* The constraints as rows A v = -c, which must be linear in the velocities. */
static PfStatus linear_rows(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr **rows, PfExpr **free)
{
  const size_t n = (size_t)eq->n;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM2(*rows, eq->m, n), PF_ROOM(*free, eq->m)));
  for (int i = 0; i < eq->m; i++) {
    const PfConstraint *c = eq->model->constraints + i;
    if (c->kind == PF_ACCELERATION)
      return pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is one of accelerations, "
                        "which no pseudo-velocities can satisfy by themselves", c->name);
    if (c->kind == PF_NONLINEAR)
      return pf_fail_at(ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is not linear in the velocities: "
                        "pseudo-velocities must be given by 'speed' and 'rate'", c->name);
    PfExpr rest;
    memcpy(*rows + (size_t)i*n, eq->A + (size_t)i*n, n*sizeof **rows);
    PF_TRY(pf_put_velocities(eq->model, NULL, eq->velocity + i, 1, &rest));
    (*free)[i] = pf_expr_neg(ctx, rest);
  }
  return pf_check_rank(ctx, arena, eq);
}

/* The failure of a row that restricts no velocity. */
static PfStatus not_of_velocities(PfContext *ctx, const PfConstraint *c)
{
  return pf_fail_at(ctx, PF_ERR_MODEL, c->place,
                    "the constraint '%s' contradicts the others, or restricts what is not a velocity", c->name);
}

/* The pseudo-velocities that the program chooses: constraints with a velocity of their own are cut off, the rest is
 * solved for dependent velocities, and relative rates are exchanged for absolute ones where that is shorter. */
static PfStatus choose(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  PfExpr *rows, *free;
  PfSamplePoint sample;
  PfTriangularRows t;
  PfElimination e;
  PfDirections d = {0};
  bool found;
  PF_TRY(linear_rows(ctx, arena, eq, &rows, &free));
  PF_TRY(pf_equations_sample(ctx, arena, eq, &sample));
  PF_TRY(pf_triangular_rows_find(ctx, arena, &sample, eq, rows, free, &t));
  PF_TRY(pf_eliminate(ctx, arena, &sample, t.left_count, eq->n, t.left_count, rows, free, &e));
  if (e.unsolved >= 0) return not_of_velocities(ctx, eq->model->constraints + t.left[e.unsolved]);
  PF_TRY(look_for_directions(ctx, arena, &sample, eq->n, rows, free, &e, &d, &found));
  PF_TRY(found ? use_directions(ctx, arena, eq, &d, k) : use_elimination(ctx, arena, eq, &e, k));
  PF_TRY(pf_triangular_rows_solve(ctx, arena, eq, &t, k));
  return pf_absolute_rates(ctx, arena, eq, k);
}

/* Velocities of coordinates by an elimination that leaves those in `kept` alone. */
PfStatus pf_kinematics_by_coordinates(PfContext *ctx, PfArena *arena, const PfEquations *eq, const bool *kept,
                                      PfKinematics *k, int *rank)
{
  PfExpr *rows, *free;
  PfSamplePoint sample;
  PfElimination e;
  *k = (PfKinematics){0};
  PF_TRY(linear_rows(ctx, arena, eq, &rows, &free));
  PF_TRY(pf_equations_sample(ctx, arena, eq, &sample));
  sample.kept = kept;
  PF_TRY(pf_eliminate(ctx, arena, &sample, eq->m, eq->n, eq->m, rows, free, &e));
  *rank = e.rank;
  if (!kept && e.unsolved >= 0) return not_of_velocities(ctx, eq->model->constraints + e.unsolved);
  if (pf_sample_is_constant(ctx, &sample, e.determinant)) e.divisor_count = 0;
  PF_TRY(use_elimination(ctx, arena, eq, &e, k));
  return pf_kinematics_settle(ctx, eq, k);
}

/* Pseudo-velocities: speeds of the model, angular velocities for free bodies, or chosen ones. */
static PfStatus find(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  const bool speeds = eq->model->speed_count > 0;
  if (speeds) PF_TRY(use_speeds(ctx, arena, eq, k));
  else if (eq->model->ball_count) PF_TRY(pf_quasi_kinematics(ctx, arena, eq, k));
  else PF_TRY(choose(ctx, arena, eq, k));
  PF_TRY(pf_kinematics_settle(ctx, eq, k));
  return speeds ? check_rates(ctx, arena, eq, k) : PF_OK;
}

/* Chooses pseudo-velocities omega and expresses all velocities by them: v = N omega + drift. Those of the user come
 * first. */
PfStatus pf_kinematics_find(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  const double budget = 1e7;
  bool limited = pf_expr_limit(ctx, budget);
  *k = (PfKinematics){0};
  PfStatus status = find(ctx, arena, eq, k);
  if (limited) (void)pf_expr_unlimit(ctx);
  return status;
}
