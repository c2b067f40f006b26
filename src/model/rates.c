/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of coordinates from speeds that are given by velocities: u = B v + c together with the constraints A v = -a is
 * solved for v. Velocities that neither determines become speeds themselves. A constraint on the speeds alone is left
 * out: the reduction of the equations binds the speeds by it, as by one that was added later. */
#include "expr/eliminate.h"
#include "model/model.h"
#include "num/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfModel *model;
  PfArena *arena; /* scratch */
  int n, rows, constraints; /* rows: those of constraints first, then the definitions */
  PfExpr *A, *f;            /* A v = f, by rows: n columns, in the order of the coordinates */
  PfSamplePoint sample;     /* for the choice of pivots */
} Work;

/* ---------------------------------------------------------------- rows */

/* A row e = 0, linear in the velocities: their coefficients go to A, the rest to the other side. */
static PfStatus add_row(Work *w, PfExpr e)
{
  PfExpr *row = w->A + (size_t)w->rows*(size_t)w->n;
  PF_TRY(pf_velocity_gradient(w->model, e, row));
  PF_TRY(pf_put_velocities(w->model, NULL, row, w->n, row));
  PF_TRY(pf_put_velocities(w->model, NULL, &e, 1, &e));
  w->f[w->rows++] = pf_expr_neg(w->ctx, e);
  return PF_OK;
}

/* Is the constraint one whose row can join the linear system for the velocities? */
static bool is_linear(const PfConstraint *c)
{
  return c->kind == PF_HOLONOMIC || c->kind == PF_PFAFFIAN || c->kind == PF_AFFINE;
}

/* The rows of the linear constraints at velocity level: holonomic ones by their time derivative. Those of events are
 * left out, as they do not always hold. */
static PfStatus add_constraints(Work *w)
{
  const PfModel *model = w->model;
  for (int i = 0; i < model->constraint_count; i++) {
    const PfConstraint *c = model->constraints + i;
    PfExpr e = c->residual;
    if (!is_linear(c) || c->attached) continue;
    if (c->kind == PF_HOLONOMIC) PF_TRY(pf_model_time_derivative(model, &e, 1, &e));
    PF_TRY(add_row(w, e));
  }
  w->constraints = w->rows;
  return PF_OK;
}

/* ---------------------------------------------------------------- numbers */

/* Numbers for the choice of pivots: generic values of all symbols, and the coordinates at the start. */
static PfStatus make_sample(Work *w)
{
  const PfModel *model = w->model;
  int most = model->parameter_count + 1 + model->input_count + model->speed_count + w->n;
  PfExpr *symbol = pf_arena_array(w->arena, PfExpr, most);
  double *generic = pf_arena_array(w->arena, double, most), *start = pf_arena_array(w->arena, double, most);
  if (!symbol || !generic || !start) return pf_no_room(w->ctx, "the speeds");
  /* Parameters, time, inputs, speeds; coordinates last. */
  int c = 0;
  for (int i = 0; i < model->parameter_count; i++) symbol[c++] = model->parameters[i].symbol;
  symbol[c++] = model->time;
  for (int i = 0; i < model->input_count; i++) symbol[c++] = model->inputs[i].symbol;
  for (int i = 0; i < model->speed_count; i++) symbol[c++] = model->speeds[i].symbol;
  for (int i = 0; i < w->n; i++) symbol[c++] = model->coordinates[i].q;
  for (int i = 0; i < c; i++) generic[i] = 0.4 + 0.9*fmod(0.61803398875*(i + 1), 1);
  w->sample = (PfSamplePoint){.count = c, .constants = model->parameter_count, .symbols = symbol, .generic = generic};
  PF_TRY(pf_model_parameter_values(model, NULL, PF_MISSING_GENERIC, generic));
  /* The coordinates at the start; where A is not finite in a generic configuration it is near that. */
  const PfSamplePoint *g = &w->sample;
  int size = w->rows*w->n, first = g->count - w->n;
  double *A = pf_arena_array(w->arena, double, size);
  if (!A) return pf_no_room(w->ctx, "the speeds");
  memcpy(start, generic, (size_t)g->count*sizeof *start);
  start[g->constants] = 0; /* t */
  for (int i = 0; i < w->n; i++)
    PF_TRY(pf_expr_evaluate(w->ctx, &w->model->coordinates[i].start_q, 1, g->symbols, start, first, start + first + i));
  PF_TRY(pf_expr_evaluate(w->ctx, w->A, size, g->symbols, generic, g->count, A));
  const bool finite = pf_first_not_finite(A, (size_t)size) < 0;
  for (int i = 0; i < w->n && !finite; i++)
    generic[first + i] = start[first + i] + 0.02*(generic[first + i] - 0.85);
  w->sample.start = start;
  return PF_OK;
}

/* ---------------------------------------------------------------- constraints that bind the speeds */

/* Takes the components along the basis, which is orthonormal, off the row; false when nothing is left of it. */
static bool make_orthonormal(const double *basis, int count, int n, double *row)
{
  double before = sqrt(pf_dot(row, row, n));
  for (int pass = 0; pass < 2; pass++) /* twice is enough: Kahan, Parlett */
    for (int b = 0; b < count; b++) {
      double along = pf_dot(basis + b*n, row, n);
      for (int j = 0; j < n; j++) row[j] -= along*basis[b*n + j];
    }
  double left = sqrt(pf_dot(row, row, n));
  if (!(left > 1e-9*before)) return false;
  for (int j = 0; j < n; j++) row[j] /= left;
  return true;
}

/* Leaves out constraints that follow from the definitions and the constraints before them, but for the other side. */
static PfStatus leave_bound_out(Work *w)
{
  int n = w->n, kept = 0, count = 0, constraints = w->constraints;
  double *A, *basis;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the speeds", PF_ROOM(A, w->rows*n), PF_ROOM(basis, w->rows*n)));
  PF_TRY(pf_expr_evaluate(w->ctx, w->A, w->rows*n, w->sample.symbols, w->sample.generic, w->sample.count, A));
  if (pf_first_not_finite(A, (size_t)(w->rows*n)) >= 0) return PF_OK;
  /* Dependence must not depend on units: where those of the velocities are far apart, A is written in them, and the
   * elimination decides by them. */
  const int size = w->rows*w->n;
  double *sizes, *work, *unit;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the speeds", PF_ROOM(sizes, size), PF_ROOM(work, 2*w->n), PF_ROOM(unit, w->n)));
  for (int i = 0; i < size; i++) sizes[i] = fabs(A[i]);
  if (pf_column_units(&(PfSizes){.m = w->rows, .n = w->n, .size = sizes}, unit, work)) {
    pf_scale_columns(A, w->rows, w->n, unit);
    w->sample.unit = unit;
  }
  for (int pass = 0; pass < 2; pass++) /* definitions, then constraints */
    for (int i = pass ? 0 : constraints; i < (pass ? constraints : w->rows); i++) {
      memcpy(basis + count*n, A + i*n, (size_t)n*sizeof *basis);
      bool independent = make_orthonormal(basis, count, n, basis + count*n);
      count += independent;
      if (!pass || !independent) continue;
      memmove(w->A + kept*n, w->A + i*n, (size_t)n*sizeof *w->A);
      w->f[kept++] = w->f[i];
    }
  int definitions = w->rows - constraints;
  memmove(w->A + kept*n, w->A + constraints*n, (size_t)(definitions*n)*sizeof *w->A);
  memmove(w->f + kept, w->f + constraints, (size_t)definitions*sizeof *w->f);
  w->constraints = kept;
  w->rows = kept + definitions;
  return PF_OK;
}

/* ---------------------------------------------------------------- velocities that the speeds leave open */

/* One speed more for each parameter of the solution: a velocity that is left open, or a combination. */
static PfStatus complete(const Work *w, int count, const int *column, const PfExpr *combination)
{
  PfModel *model = w->model;
  int given = model->speed_count;
  PfSpeed *speeds = pf_arena_array(model->arena, PfSpeed, given + count);
  if (!speeds) return pf_no_room(w->ctx, "the speeds");
  memcpy(speeds, model->speeds, (size_t)given*sizeof *speeds);
  model->speeds = speeds;
  for (int i = 0; i < count; i++, model->speed_count++) {
    PfSpeed *speed = speeds + given + i;
    if (column[i] < 0) {
      /* u = row . v, a combination that the program has chosen. */
      *speed = (PfSpeed){.unit = "", .scale = 1, .value = pf_expr_int(w->ctx, 0), .completes = true,
                         .place = w->model->speeds[0].place};
      for (int j = 0; j < w->n; j++)
        speed->value = pf_expr_add(w->ctx, speed->value,
                                   pf_expr_mul(w->ctx, combination[i*w->n + j], model->coordinates[j].v));
      speed->value = pf_expr_simplest(w->ctx, speed->value);
      PF_TRY(pf_model_free_name(w->model, w->model->arena, "u", NULL, 0, &speed->name, &speed->symbol));
      continue;
    }
    const PfCoordinate *c = model->coordinates + column[i];
    *speed = (PfSpeed){.unit = c->rate_unit, .scale = c->scale, .value = c->v, .completes = true, .place = c->place};
    /* chi_dot, left.chi_dot, chi_dot[2] */
    const char *coordinate = c->name;
    char stem[256];
    size_t own = strcspn(coordinate, "[");
    int length = snprintf(stem, sizeof stem, "%.*s_dot%s", (int)own, coordinate, coordinate + own);
    if (length >= (int)sizeof stem) return pf_fail(w->ctx, PF_ERR_MODEL, "the name '%s' is too long", coordinate);
    PF_TRY(pf_model_free_name(w->model, w->model->arena, stem, NULL, 0, &speed->name, &speed->symbol));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the solution */

/* Completes the speeds where velocities are left open, if possible without dividing by an expression that can vanish,
 * and writes the rates of all coordinates. */
static PfStatus use_solution(Work *w, const PfElimination *e)
{
  PfDirections d = {0};
  bool found = false;
  if (e->rank < w->n && !pf_sample_is_constant(w->ctx, &w->sample, e->determinant)) {
    pf_elimination_keep_rows(e, w->n, w->A, w->f);
    PF_TRY(pf_directions_find(w->ctx, w->arena, &w->sample, e->rank, w->n, w->A, w->f, &d, &found));
    found = found && d.count == w->n - e->rank;
  }
  /* Where the divisor vanishes the speeds do not determine the velocities. */
  PfContext *ctx = w->ctx;
  PfModel *model = w->model;
  const PfSamplePoint *g = &w->sample;
  PfExpr divisor = e->determinant;
  if (found) divisor = pf_expr_product(ctx, d.divisors, d.divisor_count);
  model->speed_divisor = pf_sample_is_constant(ctx, g, divisor) ? PF_EXPR_NONE : divisor;
  if (model->speed_divisor != PF_EXPR_NONE)
    PF_TRY(pf_expr_evaluate(ctx, &divisor, 1, g->symbols, g->generic, g->count, &model->speed_divisor_size));
  if (found) {
    /* v = d + N u */
    int given = model->speed_count;
    PF_TRY(complete(w, d.count, d.column, d.combination));
    for (int i = 0; i < w->n; i++) {
      PfExpr sum = d.d[i];
      for (int j = 0; j < d.count; j++)
        sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, d.N[i*d.count + j], model->speeds[given + j].symbol));
      model->coordinates[i].rate = pf_expr_simplest(ctx, sum);
    }
    return pf_expr_check(ctx);
  }
  /* v1 = d - K v2 */
  int r = e->rank, free = w->n - r, given = model->speed_count;
  PF_TRY(complete(w, free, e->column + r, NULL));
  const PfSpeed *completing = model->speeds + given;
  for (int i = 0; i < free; i++) model->coordinates[e->column[r + i]].rate = completing[i].symbol;
  for (int i = 0; i < r; i++) {
    PfExpr sum = e->d[i];
    for (int j = 0; j < free; j++)
      sum = pf_expr_sub(ctx, sum, pf_expr_mul(ctx, e->K[i*free + j], completing[j].symbol));
    model->coordinates[e->column[i]].rate = pf_expr_simplest(ctx, sum);
  }
  return pf_expr_check(ctx);
}

/* Solves the definitions of the speeds and the constraints, both linear in the velocities, for the velocities. */
static PfStatus solve(Work *w)
{
  const PfModel *model = w->model;
  size_t n = (size_t)w->n, most = (size_t)(model->constraint_count + model->speed_count);
  PfElimination e;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the speeds", PF_ROOM2(w->A, most, n), PF_ROOM(w->f, most)));
  PF_TRY(add_constraints(w));
  for (int i = 0; i < w->model->speed_count; i++)
    PF_TRY(add_row(w, pf_expr_sub(w->ctx, w->model->speeds[i].value, w->model->speeds[i].symbol)));
  PF_TRY(make_sample(w));
  PF_TRY(leave_bound_out(w));
  PF_TRY(pf_eliminate(w->ctx, w->arena, &w->sample, w->rows, w->n, w->constraints, w->A, w->f, &e));
  /* A definition that vanishes with the others leaves 0 = its right side. */
  for (int i = e.rank; i < w->rows; i++) {
    int row = e.row[i];
    if (row < w->constraints) continue;
    const PfSpeed *speed = w->model->speeds + (row - w->constraints);
    const char *relation = pf_expr_print(w->ctx, w->arena, pf_expr_simplest(w->ctx, e.residual[row]), PF_TEXT);
    pf_fail_at(w->ctx, PF_ERR_MODEL, speed->place, "the speed '%s' is not independent of the others",
               speed->name);
    if (relation && strlen(relation) < 200) pf_hint(w->ctx, "it makes %s = 0 for every motion", relation);
    return PF_ERR_MODEL;
  }
  /* Velocities that the linear rows leave free may still be bound by other constraints: then it fails. */
  int free = w->n - e.rank;
  for (int i = 0; free && i < w->model->constraint_count; i++) {
    const PfConstraint *c = w->model->constraints + i;
    if (is_linear(c) || c->attached) continue;
    pf_fail_at(w->ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is not linear in the velocities, and the speeds "
               "leave %d of them open", c->name, free);
    pf_hint(w->ctx, "give every velocity in terms of the speeds by 'rate'");
    return PF_ERR_MODEL;
  }
  return use_solution(w, &e);
}

/* In an arena of its own, since elimination with expressions needs much room; the rates themselves are expressions of
 * the context, completing speeds go to the arena of the model. */
PfStatus pf_model_solve_rates(PfModel *model)
{
  if (!model->speed_count || model->speeds[0].value == PF_EXPR_NONE) return PF_OK;
  PfArena *scratch = pf_arena_new(pf_context_allocator(model->ctx));
  if (!scratch) return pf_no_room(model->ctx, "the speeds");
  Work w = {.ctx = model->ctx, .model = model, .arena = scratch, .n = model->coordinate_count};
  PfStatus status = solve(&w);
  pf_arena_free(scratch);
  return status;
}
