/* SPDX-License-Identifier: Apache-2.0 */
/* Making a field: what vanishes, as expressions, and the tapes of it and of its derivatives. */
#include "study/dynamics.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- symbols */

static PfExpr named(PfDynamics *f, const char *name, const char *mark)
{
  char text[300];
  snprintf(text, sizeof text, "%s%s", name, mark);
  return pf_expr_symbol(f->ctx, text);
}

static PfStatus list_symbols(PfDynamics *f)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  const PfModel *model = f->model;
  f->nw = f->speeds ? model->speed_count : f->n;
  f->nz = f->nw + f->m;
  f->at_parameters = in->parameters, f->at_inputs = in->inputs, f->at_q = in->q, f->at_lambda = in->lambda;
  f->at_w = f->speeds ? in->count : in->v;
  f->at_a = f->speeds ? in->count + f->nw : in->count;
  f->count = f->at_a + f->nw;
  f->symbol = pf_arena_array(f->arena, PfExpr, f->count);
  for (int k = 0; k < 3; k++) f->seed[k] = pf_arena_array(f->arena, PfExpr, f->count);
  if (!f->symbol || !f->seed[0] || !f->seed[1] || !f->seed[2]) return pf_no_room(f->ctx, "the vector field");
  memcpy(f->symbol, in->symbol, (size_t)in->count*sizeof *f->symbol);
  for (int k = 0; k < f->nw; k++) {
    if (f->speeds) f->symbol[f->at_w + k] = model->speeds[k].symbol;
    f->symbol[f->at_a + k] = f->speeds ? named(f, model->speeds[k].name, "'") : model->coordinates[k].a;
  }
  static const char *const marks[3] = {" along 1", " along 2", " along 3"}; /* no name of a model has a space */
  for (int i = 0; i < f->count; i++)
    for (int k = 0; k < 3; k++) f->seed[k][i] = named(f, pf_expr_symbol_name(f->ctx, f->symbol[i]), marks[k]);
  return pf_expr_check(f->ctx);
}

/* ---------------------------------------------------------------- what vanishes */

static PfExpr row_times(PfContext *ctx, const PfExpr *row, int stride, const PfExpr *x, int count)
{
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int j = 0; j < count; j++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, row[(size_t)j*(size_t)stride], x[j]));
  return sum;
}

/* Accelerations of the coordinates: symbols, or N omega' + drift by the speeds. */
static PfStatus list_accelerations(PfDynamics *f, PfExpr *a, PfExpr *N, PfExpr *drift)
{
  int n = f->n, k = f->nw;
  const PfExpr *z = f->symbol + f->at_a;
  if (!f->speeds) {
    memcpy(a, z, (size_t)n*sizeof *a);
    return PF_OK;
  }
  for (int i = 0; i < n; i++)
    PF_TRY(pf_expr_gradient(f->ctx, f->eq->rate[i], f->symbol + f->at_w, k, N + (size_t)i*(size_t)k));
  int most = n + 1 + f->model->input_count, c = 0;
  PfExpr *from = pf_arena_array(f->arena, PfExpr, most), *to = pf_arena_array(f->arena, PfExpr, most);
  if (!from || !to) return pf_no_room(f->ctx, "the vector field");
  for (; c < n; c++) from[c] = f->model->coordinates[c].q, to[c] = f->eq->rate[c];
  from[c] = f->model->time, to[c++] = pf_expr_int(f->ctx, 1);
  for (int i = 0; i < f->model->input_count; i++)
    if (f->model->inputs[i].value)
      from[c] = f->model->inputs[i].symbol, to[c++] = pf_expr_diff(f->ctx, f->model->inputs[i].value, f->model->time);
  PF_TRY(pf_expr_derive_along(f->ctx, f->eq->rate, n, from, to, c, drift));
  for (int i = 0; i < n; i++)
    a[i] = pf_expr_add(f->ctx, drift[i], row_times(f->ctx, N + (size_t)i*(size_t)k, 1, z, k));
  return PF_OK;
}

/* r = F + C - M a + A^T lambda; without speeds also b - A a. */
static void list_motion(PfDynamics *f, const PfExpr *a, PfExpr *r)
{
  PfContext *ctx = f->ctx;
  const PfEquations *eq = f->eq;
  int n = f->n, m = f->m;
  const PfExpr *lambda = f->symbol + f->at_lambda;
  for (int i = 0; i < n; i++) {
    PfExpr load = pf_expr_add(ctx, eq->F[i], eq->C[i]);
    load = pf_expr_add(ctx, load, row_times(ctx, eq->A + i, n, lambda, m));
    r[i] = pf_expr_sub(ctx, load, row_times(ctx, eq->M + (size_t)i*(size_t)n, 1, a, n));
  }
  for (int k = 0; k < m && !f->speeds; k++)
    r[n + k] = pf_expr_sub(ctx, eq->b[k], row_times(ctx, eq->A + (size_t)k*(size_t)n, 1, a, n));
}

/* Velocities by the speeds, wherever they occur. */
static PfStatus by_speeds(PfDynamics *f, PfExpr *e, int count)
{
  if (!f->speeds) return PF_OK;
  const PfSymbols *in = pf_system_symbols(f->system);
  return pf_expr_substitute(f->ctx, e, count, in->symbol + in->v, f->eq->rate, f->n, e);
}

static PfStatus list_levels(PfDynamics *f)
{
  f->position_row = pf_arena_array(f->arena, int, f->m);
  f->velocity_row = pf_arena_array(f->arena, int, f->m);
  if (!f->position_row || !f->velocity_row) return pf_no_room(f->ctx, "the vector field");
  for (int k = 0; k < f->m; k++) {
    if (f->eq->position[k] != PF_EXPR_NONE) f->position_row[f->np++] = k;
    if (f->eq->velocity[k] != PF_EXPR_NONE && !f->speeds) f->velocity_row[f->nv++] = k;
  }
  f->nr = f->speeds ? f->n : f->n + f->m;
  return PF_OK;
}

static PfStatus list_roots(PfDynamics *f, const PfExpr *a, const PfOutputs *outputs)
{
  f->no = outputs ? outputs->count : 0;
  f->at_psi = f->np, f->at_r = f->at_psi + f->nv, f->at_rate = f->at_r + f->nr, f->at_out = f->at_rate + f->n;
  f->root_count = f->at_out + f->no;
  f->roots = pf_arena_array(f->arena, PfExpr, f->root_count);
  PfExpr *values = pf_arena_array(f->arena, PfExpr, f->no);
  if (!f->roots || !values) return pf_no_room(f->ctx, "the vector field");
  for (int k = 0; k < f->no; k++) values[k] = outputs->values[k];
  f->output_values = values;
  for (int k = 0; k < f->np; k++) f->roots[k] = f->eq->position[f->position_row[k]];
  for (int k = 0; k < f->nv; k++) f->roots[f->at_psi + k] = f->eq->velocity[f->velocity_row[k]];
  list_motion(f, a, f->roots + f->at_r);
  memcpy(f->roots + f->at_rate, f->eq->rate, (size_t)f->n*sizeof *f->roots);
  for (int k = 0; k < f->no; k++) f->roots[f->at_out + k] = outputs->values[k];
  for (int j = 0; j < f->n && f->speeds; j++)
    PF_TRY(pf_expr_substitute(f->ctx, f->roots + f->at_out, f->no, &f->model->coordinates[j].a, a + j, 1,
                              f->roots + f->at_out));
  PF_TRY(by_speeds(f, f->roots, f->root_count));
  for (int k = 0; k < f->no; k++)
    f->follows = f->follows || pf_expr_depends(f->ctx, f->roots[f->at_out + k], f->symbol + f->at_a, f->nw) ||
                 (f->m && pf_expr_depends(f->ctx, f->roots[f->at_out + k], f->symbol + f->at_lambda, f->m));
  return PF_OK;
}

/* ---------------------------------------------------------------- tapes */

static PfStatus make_levels(PfDynamics *f, const PfExpr *N, const PfExpr *drift)
{
  size_t n = (size_t)f->n, np = (size_t)f->np, nv = (size_t)f->nv, k = f->speeds ? (size_t)f->nw : 0, at = 0;
  size_t most = np + np*n + nv + nv*n + n + n*k + n;
  PfExpr *roots = pf_arena_array(f->arena, PfExpr, most);
  f->level_out = pf_arena_array(f->arena, double, most);
  if (!roots || !f->level_out) return pf_no_room(f->ctx, "the vector field");
  f->phi = f->level_out;
  for (size_t i = 0; i < np; i++) roots[at++] = f->roots[i];
  f->phi_q = f->level_out + at;
  for (size_t i = 0; i < np; i++, at += n) memcpy(roots + at, f->eq->A + (size_t)f->position_row[i]*n, n*sizeof *roots);
  f->psi = f->level_out + at;
  for (size_t i = 0; i < nv; i++) roots[at++] = f->roots[f->at_psi + (int)i];
  f->psi_w = f->level_out + at;
  for (size_t i = 0; i < nv; i++, at += n) memcpy(roots + at, f->eq->A + (size_t)f->velocity_row[i]*n, n*sizeof *roots);
  f->rate = f->level_out + at;
  memcpy(roots + at, f->roots + f->at_rate, n*sizeof *roots), at += n;
  f->N = f->level_out + at;
  if (k) memcpy(roots + at, N, n*k*sizeof *roots), at += n*k;
  f->drift = f->level_out + at;
  if (k) memcpy(roots + at, drift, n*sizeof *roots), at += n;
  PF_TRY(by_speeds(f, roots, (int)at));
  return pf_tape_new(f->ctx, f->symbol, f->count, roots, (int)at, &f->levels);
}

/* d r/d(a, lambda): entries of M (or M N) and A, and what friction adds. */
static PfStatus make_forces(PfDynamics *f)
{
  size_t nz = (size_t)f->nz;
  PfExpr *K = pf_arena_array(f->arena, PfExpr, (size_t)f->nr*nz), *z = pf_arena_array(f->arena, PfExpr, nz);
  f->K = pf_arena_array(f->arena, double, (size_t)f->nr*nz);
  if (!K || !z || !f->K) return pf_no_room(f->ctx, "the vector field");
  memcpy(z, f->symbol + f->at_a, (size_t)f->nw*sizeof *z);
  if (f->m) memcpy(z + f->nw, f->symbol + f->at_lambda, (size_t)f->m*sizeof *z);
  for (int i = 0; i < f->nr; i++)
    PF_TRY(pf_expr_gradient(f->ctx, f->roots[f->at_r + i], z, f->nz, K + (size_t)i*nz));
  return pf_tape_new(f->ctx, f->symbol, f->count, K, (int)((size_t)f->nr*nz), &f->forces);
}

/* The tape of the derivative of order `order` (1, 2, 3) along as many directions. */
static PfStatus make_derivative(PfDynamics *f, int order, PfTape **tape)
{
  size_t count = (size_t)f->count;
  PfExpr *e = pf_arena_array(f->arena, PfExpr, f->root_count);
  PfExpr *inputs = pf_arena_array(f->arena, PfExpr, (size_t)(order + 1)*count);
  if (!e || !inputs) return pf_no_room(f->ctx, "the vector field");
  memcpy(e, f->roots, (size_t)f->root_count*sizeof *e);
  memcpy(inputs, f->symbol, count*sizeof *inputs);
  for (int k = 0; k < order; k++) {
    PF_TRY(pf_expr_derive_along(f->ctx, e, f->root_count, f->symbol, f->seed[k], f->count, e));
    memcpy(inputs + (size_t)(k + 1)*count, f->seed[k], count*sizeof *inputs);
  }
  return pf_tape_new(f->ctx, inputs, (order + 1)*f->count, e, f->root_count, tape);
}

/* Room for the largest tape so far. */
static PfStatus take_work(PfDynamics *f, const PfTape *tape)
{
  size_t need = pf_tape_work_size(tape);
  if (need <= f->work_room && f->work) return PF_OK;
  f->work = pf_arena_array(f->arena, double, need);
  f->work_room = need;
  return f->work ? PF_OK : pf_no_room(f->ctx, "the vector field");
}

static PfStatus make_work(PfDynamics *f)
{
  size_t count = (size_t)f->count;
  PF_TRY(take_work(f, f->levels));
  PF_TRY(take_work(f, f->forces));
  PF_TRY(take_work(f, f->first));
  f->full = pf_arena_array(f->arena, double, count);
  f->seeds = pf_arena_array(f->arena, double, 4*count);
  f->derived = pf_arena_array(f->arena, double, f->root_count);
  f->zero = pf_arena_array(f->arena, double, f->root_count);
  f->y = pf_arena_array(f->arena, int, f->n);
  f->y_dependent = pf_arena_array(f->arena, int, f->n);
  f->w = pf_arena_array(f->arena, int, f->nw);
  f->w_dependent = pf_arena_array(f->arena, int, f->nw);
  size_t n = (size_t)f->n, z = (size_t)(f->nz + f->nr + f->n);
  f->matrix = pf_arena_array(f->arena, double, n*(size_t)(f->np + f->nv + f->nw + 1));
  f->right = pf_arena_array(f->arena, double, z);
  f->step = pf_arena_array(f->arena, double, z);
  f->unknown = pf_arena_array(f->arena, double, z);
  f->motion.acceleration = pf_arena_array(f->arena, double, n);
  f->motion.multiplier = pf_arena_array(f->arena, double, f->m);
  f->motion.force = pf_arena_array(f->arena, double, n);
  bool good = f->full && f->seeds && f->derived && f->zero && f->y && f->y_dependent && f->w &&
              f->w_dependent && f->matrix && f->right && f->step && f->unknown && f->motion.acceleration &&
              f->motion.multiplier && f->motion.force;
  return good ? PF_OK : pf_no_room(f->ctx, "the vector field");
}

static PfStatus build(PfDynamics *f, const double *given, const PfOutputs *outputs)
{
  size_t n = (size_t)f->n;
  PF_TRY(list_symbols(f));
  PF_TRY(list_levels(f));
  PfExpr *a = pf_arena_array(f->arena, PfExpr, n), *drift = pf_arena_array(f->arena, PfExpr, n);
  PfExpr *N = pf_arena_array(f->arena, PfExpr, n*(size_t)f->nw);
  f->given = pf_arena_array(f->arena, double, f->model->parameter_count);
  if (!a || !drift || !N || !f->given) return pf_no_room(f->ctx, "the vector field");
  for (int i = 0; i < f->model->parameter_count; i++) f->given[i] = given ? given[i] : NAN;
  PF_TRY(list_accelerations(f, a, N, drift));
  PF_TRY(list_roots(f, a, outputs));
  PF_TRY(make_levels(f, N, drift));
  PF_TRY(make_forces(f));
  PF_TRY(make_derivative(f, 1, &f->first));
  PF_TRY(make_work(f));
  PF_TRY(pf_expr_check(f->ctx));
  return pf_solver_new(f->ctx, f->system, pf_formulation_find("multipliers"), &f->solver);
}

PfStatus pf_dynamics_new(PfContext *ctx, const PfSystem *system, const double *given, const PfOutputs *outputs,
                      PfDynamics **field)
{
  *field = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfDynamics *f = arena ? pf_arena_array(arena, PfDynamics, 1) : NULL;
  if (!f) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the vector field");
  }
  const PfEquations *eq = pf_system_equations(system);
  *f = (PfDynamics){.ctx = ctx, .arena = arena, .system = system, .eq = eq, .model = eq->model, .n = eq->n, .m = eq->m,
                 .speeds = eq->model->speed_count > 0};
  PfStatus status = build(f, given, outputs);
  if (status == PF_OK) *field = f;
  else pf_dynamics_free(f);
  return status;
}

void pf_dynamics_free(PfDynamics *f)
{
  if (!f) return;
  pf_dynamics_free_natural(f);
  pf_solver_free(f->solver);
  pf_tape_free(f->levels);
  pf_tape_free(f->forces);
  pf_tape_free(f->first);
  pf_tape_free(f->second);
  pf_tape_free(f->third);
  pf_tape_free(f->outputs);
  pf_arena_free(f->arena);
}

/* ---------------------------------------------------------------- higher derivatives */

static PfStatus higher(PfDynamics *f, int order, PfTape **tape, const double *const *directions, double *out)
{
  if (!*tape) {
    PF_TRY(make_derivative(f, order, tape));
    PF_TRY(take_work(f, *tape));
  }
  size_t bytes = (size_t)f->count*sizeof *f->seeds;
  memcpy(f->seeds, f->full, bytes);
  for (int k = 0; k < order; k++) memcpy(f->seeds + (size_t)(k + 1)*(size_t)f->count, directions[k], bytes);
  pf_tape_run(*tape, f->seeds, out, f->work);
  return PF_OK;
}

PfStatus pf_dynamics_second(PfDynamics *f, const double *a, const double *b, double *out)
{
  const double *directions[2] = {a, b};
  return higher(f, 2, &f->second, directions, out);
}

PfStatus pf_dynamics_third(PfDynamics *f, const double *a, const double *b, const double *c, double *out)
{
  const double *directions[3] = {a, b, c};
  return higher(f, 3, &f->third, directions, out);
}

PfStatus pf_dynamics_outputs(PfDynamics *f, double *out)
{
  if (!f->outputs) {
    PF_TRY(pf_tape_new(f->ctx, f->symbol, f->count, f->roots + f->at_out, f->no, &f->outputs));
    PF_TRY(take_work(f, f->outputs));
  }
  pf_tape_run(f->outputs, f->full, out, f->work);
  return PF_OK;
}
