/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of accelerations and multipliers at many states, exactly, by the equations that they satisfy. */
#include "field.h"

#include "num/num.h"

#include <math.h>

/* What the unknowns z = (a, lambda) make zero: R = (M a - F - C - A^T lambda, A a - b). So
 * dz/dx = -(dR/dz)^-1 dR/dx, whatever the forces depend on. */
static PfStatus make_residual(PfPyField *f, PfExpr **residual, PfExpr **unknowns)
{
  const PfEquations *eq = &f->written;
  PfContext *ctx = f->ctx;
  const int n = eq->n, m = eq->m;
  PfExpr *R = *residual = pf_arena_array(f->arena, PfExpr, n + m);
  PfExpr *z = *unknowns = pf_arena_array(f->arena, PfExpr, n + m);
  const PfExpr *a = f->in + f->symbols->count, *lambda = f->in + f->symbols->lambda;
  if (!R || !z) return pf_no_room(ctx, "derivatives");
  for (int i = 0; i < n; i++) z[i] = a[i];
  for (int k = 0; k < m; k++) z[n + k] = lambda[k];
  for (int i = 0; i < n; i++) {
    R[i] = pf_expr_neg(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]));
    for (int j = 0; j < n; j++) R[i] = pf_expr_add(ctx, R[i], pf_expr_mul(ctx, eq->M[i*n + j], a[j]));
    for (int k = 0; k < m; k++) R[i] = pf_expr_sub(ctx, R[i], pf_expr_mul(ctx, eq->A[k*n + i], lambda[k]));
  }
  for (int k = 0; k < m; k++) {
    R[n + k] = pf_expr_neg(ctx, eq->b[k]);
    for (int j = 0; j < n; j++) R[n + k] = pf_expr_add(ctx, R[n + k], pf_expr_mul(ctx, eq->A[k*n + j], a[j]));
  }
  PF_TRY(pf_model_expand(f->model, R, n + m, R));
  PF_TRY(pf_insert_inputs(ctx, f->model, R, (size_t)(n + m)));
  return pf_expr_check(ctx);
}

/* The symbols by which derivatives are taken. */
static int list_symbols(const PfPyField *f, int by, PfExpr *symbols)
{
  const PfSymbols *at = f->symbols;
  const struct { int bit, first, count; } groups[] = {
    {PF_PY_BY_Q, at->q, f->matrix_free.n}, {PF_PY_BY_V, at->v, f->matrix_free.n}, {PF_PY_BY_TIME, at->time, 1},
    {PF_PY_BY_INPUTS, at->inputs, f->model->input_count},
    {PF_PY_BY_PARAMETERS, at->parameters, f->model->parameter_count}};
  int count = 0;
  for (size_t g = 0; g < sizeof groups/sizeof *groups; g++)
    for (int i = 0; by & groups[g].bit && i < groups[g].count; i++, count++)
      if (symbols) symbols[count] = at->symbol[groups[g].first + i];
  return count;
}

/* ---------------------------------------------------------------- parameters that follow others */

/* Is there a parameter with a formula for its value? It follows others, unless it is given (a 'let' is written out). */
static bool has_auxiliaries(const PfPyField *f, int by)
{
  double number;
  for (int i = 0; by & PF_PY_BY_PARAMETERS && i < f->model->parameter_count; i++) {
    const PfParameter *p = f->model->parameters + i;
    if (!p->derived && p->value != PF_EXPR_NONE && !pf_expr_is_number(f->ctx, p->value, &number)) return true;
  }
  return false;
}

/* P[i][k] = d value_i/d p_k. */
static PfStatus list_auxiliaries(PfPyField *f, PfExpr *P)
{
  const int np = f->model->parameter_count;
  const PfExpr *symbols = f->in + f->symbols->parameters;
  const PfExpr zero = pf_expr_int(f->ctx, 0);
  for (int i = 0; i < np; i++) {
    const PfExpr value = f->model->parameters[i].value;
    for (int k = 0; k < np; k++) P[i*np + k] = zero;
    if (value != PF_EXPR_NONE) PF_TRY(pf_expr_gradient(f->ctx, value, symbols, np, P + i*np));
  }
  return PF_OK;
}

/* slope = d(parameters)/dp_j: as the program has it where it sets a parameter. */
static void follow(const PfPyField *f, const double *P, int j, double *slope)
{
  const PfModel *model = f->model;
  const int np = model->parameter_count;
  for (int i = 0; i < np; i++) slope[i] = i == j;
  for (int k = 0; k < np; k++) {
    int i = model->parameter_order[k];
    if (i == j || !isnan(f->given[i])) continue;
    for (int l = 0; l < np; l++) slope[i] += P[i*np + l]*slope[l];
  }
}

/* ---------------------------------------------------------------- lists of derivatives */

/* A list of dR/dz, then dR/dx, then, if parameters follow others, how they do; all by rows. */
static PfStatus make_derivatives(PfPyField *f, int by)
{
  PfExpr *R, *z;
  PF_TRY(pf_py_write_out(f));
  PF_TRY(make_residual(f, &R, &z));
  const int rows = f->matrix_free.n + f->matrix_free.m, columns = list_symbols(f, by, NULL),
      np = f->model->parameter_count;
  const int own = rows*(rows + columns), size = own + (has_auxiliaries(f, by) ? np*np : 0);
  PfExpr *roots = pf_arena_array(f->arena, PfExpr, size);
  PfExpr *symbols = pf_arena_array(f->arena, PfExpr, columns);
  if (!roots || !symbols) return pf_no_room(f->ctx, "derivatives");
  list_symbols(f, by, symbols);
  for (int i = 0; i < rows; i++) {
    PF_TRY(pf_expr_gradient(f->ctx, R[i], z, rows, roots + i*rows));
    PF_TRY(pf_expr_gradient(f->ctx, R[i], symbols, columns, roots + rows*rows + i*columns));
  }
  if (size > own) PF_TRY(list_auxiliaries(f, roots + own));
  return pf_py_list_add(f, "derivatives", by, roots, size);
}

/* Room for one state. */
typedef struct Room {
  PfQr qr;
  double *work, *K, *side, *column, *slope;
} Room;

static PfStatus make_room(PfPyField *f, PfArena *arena, const List *list, Room *room)
{
  const int rows = f->matrix_free.n + f->matrix_free.m;
  room->work = pf_arena_array(arena, double, pf_tape_work_size(list->tape));
  room->K = pf_arena_array(arena, double, list->size);
  room->side = pf_arena_array(arena, double, rows);
  room->column = pf_arena_array(arena, double, rows);
  room->slope = pf_arena_array(arena, double, f->model->parameter_count);
  if (!room->work || !room->K || !room->side || !room->column || !room->slope) return pf_no_room(f->ctx, "derivatives");
  return pf_qr_make(f->ctx, arena, rows, rows, &room->qr);
}

/* Redundant constraints leave multipliers open: of those the shortest change is taken. */
static PfStatus derive_one(Loop *l, Room *r, int rows, int columns, double *numbers)
{
  pf_tape_run(l->list.tape, l->f->values, r->K, r->work);
  bool finite = pf_first_not_finite(r->K, (size_t)l->list.size) < 0;
  if (!finite || (rows && pf_qr_factor(&r->qr, r->K, 0) != PF_OK)) {
    pf_py_put_nan(numbers, rows*columns);
    return l->pass ? PF_OK : pf_fail(l->f->ctx, PF_ERR_NUMBER, "a derivative is not a finite number");
  }
  for (int j = 0; j < columns; j++) {
    /* -dR/dx_j, x_j with what follows it. Parameters are the last columns. */
    const double *S = r->K + (size_t)rows*(size_t)rows, *P = S + (size_t)rows*(size_t)columns;
    const int np = l->f->model->parameter_count, first = columns - np;
    bool follows = l->list.size > rows*(rows + columns);
    if (follows) follow(l->f, P, j - first, r->slope);
    for (int i = 0; i < rows; i++) {
      r->side[i] = follows ? 0 : -S[i*columns + j];
      for (int k = 0; k < np && follows; k++) r->side[i] -= S[i*columns + first + k]*r->slope[k];
    }
    (void)pf_qr_solve(&r->qr, r->side, r->column);
    for (int i = 0; i < rows; i++) numbers[i*columns + j] = r->column[i];
  }
  return PF_OK;
}

static PfStatus derive_all(Loop *l, PfArena *arena, int columns, double *numbers)
{
  const int rows = l->f->matrix_free.n + l->f->matrix_free.m;
  Room room = {0};
  PF_TRY(make_room(l->f, arena, &l->list, &room));
  for (; l->state < l->states->count; l->state++, numbers += (size_t)rows*(size_t)columns) {
    bool good;
    if (l->state % TOGETHER == 0) PF_TRY(pf_check_cancelled(l->f->ctx));
    PF_TRY(pf_py_loop_prepare(l, &good));
    if (good) PF_TRY(derive_one(l, &room, rows, columns, numbers));
    else pf_py_put_nan(numbers, rows*columns);
  }
  return PF_OK;
}

static PfStatus derive(Loop *l, int by, const char *formulation, double *numbers)
{
  PfPyField *f = l->f;
  int handle = pf_py_list_find(f, "derivatives", by);
  if (handle < 0) PF_TRY(make_derivatives(f, by));
  l->list = f->lists.at[handle < 0 ? (int)f->lists.count - 1 : handle];
  l->list.solved = true;
  PF_TRY(pf_py_loop_begin(l, formulation));
  PfArena *arena = pf_arena_new(NULL);
  PfStatus status = arena ? derive_all(l, arena, list_symbols(f, by, NULL), numbers)
                          : pf_no_room(f->ctx, "derivatives");
  pf_arena_free(arena);
  return status;
}

int pf_py_field_derive(PfPyField *f, int by, const char *formulation, const PfPyStates *states, int pass,
                       double *numbers, PfPyTrouble *trouble)
{
  const int before = pf_diagnostic_count(f->ctx);
  Loop loop = {.f = f, .states = states, .pass = pass != 0};
  PfStatus status = derive(&loop, by, formulation, numbers);
  return pf_py_loop_end(&loop, status, before, trouble);
}
