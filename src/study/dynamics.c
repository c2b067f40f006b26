/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of the vector field x' = f(x): lists the symbols (q, w, a, lambda) and the functions F that vanish
 * (constraints at position and velocity level, equations of motion) as expressions, and makes tapes of F, of its
 * Jacobian with respect to accelerations and multipliers, and of its directional derivatives. */
#include "study/dynamics.h"

#include "model/model.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- symbols */

/* All symbols that F depends on, in one list: those of the system, then speeds or velocities, accelerations and
 * multipliers. Each has three seeds, symbols for its derivatives along three directions. */
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
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(f->symbol, f->count), PF_ROOM(f->seed[0], f->count),
                   PF_ROOM(f->seed[1], f->count), PF_ROOM(f->seed[2], f->count)));
  memcpy(f->symbol, in->symbol, (size_t)in->count*sizeof *f->symbol);
  char text[300];
  for (int k = 0; k < f->nw; k++) {
    if (f->speeds) f->symbol[f->at_w + k] = model->speeds[k].symbol;
    if (f->speeds) snprintf(text, sizeof text, "%s'", model->speeds[k].name);
    f->symbol[f->at_a + k] = f->speeds ? pf_expr_symbol(f->ctx, text) : model->coordinates[k].a;
  }
  for (int i = 0; i < f->count; i++)
    for (int k = 0; k < 3; k++) { /* no name of a model has a space */
      snprintf(text, sizeof text, "%s along %d", pf_expr_symbol_name(f->ctx, f->symbol[i]), k + 1);
      f->seed[k][i] = pf_expr_symbol(f->ctx, text);
    }
  return pf_expr_check(f->ctx);
}

/* ---------------------------------------------------------------- what vanishes */

/* Velocities by the speeds, wherever they occur. */
static PfStatus by_speeds(PfDynamics *f, PfExpr *e, int count)
{
  return f->speeds ? pf_put_velocities(f->model, f->eq->rate, e, count, e) : PF_OK;
}

/* F and its consequences, as expressions: position constraints, velocity constraints, equations of motion r = F + C -
 * M a + A^T lambda (without speeds also b - A a), rates, outputs. `a`: the accelerations. */
static PfStatus list_roots(PfDynamics *f, const PfExpr *a, const PfOutputs *outputs)
{
  PfContext *ctx = f->ctx;
  const PfEquations *eq = f->eq;
  const int n = f->n, m = f->m;
  const PfExpr *lambda = f->symbol + f->at_lambda;
  PfExpr *values;
  f->no = outputs ? outputs->count : 0;
  f->at_psi = f->np, f->at_r = f->at_psi + f->nv, f->at_rate = f->at_r + f->nr, f->at_out = f->at_rate + n;
  f->root_count = f->at_out + f->no;
  PF_TRY(pf_arrays(ctx, f->arena, "the vector field", PF_ROOM(f->roots, f->root_count), PF_ROOM(values, f->no)));
  PfExpr *r = f->roots + f->at_r, *out = f->roots + f->at_out;
  f->output_values = values;
  for (int k = 0; outputs && k < f->no; k++) values[k] = out[k] = outputs->values[k];
  for (int k = 0; k < f->np; k++) f->roots[k] = eq->position[f->position_row[k]];
  for (int k = 0; k < f->nv; k++) f->roots[f->at_psi + k] = eq->velocity[f->velocity_row[k]];
  for (int i = 0; i < n; i++) {
    PfExpr load = pf_expr_add(ctx, eq->F[i], eq->C[i]);
    load = pf_expr_add(ctx, load, pf_combination(ctx, eq->A + i, (size_t)n, lambda, m));
    r[i] = pf_expr_sub(ctx, load, pf_combination(ctx, eq->M + (size_t)i*(size_t)n, 1, a, n));
  }
  for (int k = 0; k < m && !f->speeds; k++)
    r[n + k] = pf_expr_sub(ctx, eq->b[k], pf_combination(ctx, eq->A + (size_t)k*(size_t)n, 1, a, n));
  memcpy(f->roots + f->at_rate, eq->rate, (size_t)n*sizeof *f->roots);
  for (int j = 0; j < n && f->speeds; j++)
    PF_TRY(pf_expr_substitute(ctx, out, f->no, &f->model->coordinates[j].a, a + j, 1, out));
  PF_TRY(by_speeds(f, f->roots, f->root_count));
  for (int k = 0; k < f->no; k++)
    f->follows = f->follows || pf_expr_depends(ctx, out[k], f->symbol + f->at_a, f->nw) ||
                 (m && pf_expr_depends(ctx, out[k], lambda, m));
  return PF_OK;
}

/* ---------------------------------------------------------------- tapes */

/* The tape of the constraints at position and velocity level with their Jacobians. */
static PfStatus make_levels(PfDynamics *f, const PfExpr *N, const PfExpr *drift)
{
  size_t n = (size_t)f->n, np = (size_t)f->np, nv = (size_t)f->nv, k = f->speeds ? (size_t)f->nw : 0, at = 0;
  size_t most = np + np*n + nv + nv*n + n + n*k + n;
  PfExpr *roots;
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(roots, most), PF_ROOM(f->level_out, most)));
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

/* The tape of the derivative of order `order` (1, 2, 3) along as many directions. */
static PfStatus make_derivative(PfDynamics *f, int order, PfTape **tape)
{
  size_t count = (size_t)f->count;
  PfExpr *e, *inputs;
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(e, f->root_count),
                   PF_ROOM(inputs, (size_t)(order + 1)*count)));
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

/* All arrays of the field, once: nothing is allocated while it is evaluated. */
static PfStatus make_work(PfDynamics *f)
{
  const size_t n = (size_t)f->n, w = (size_t)f->nw, z = (size_t)(f->nz + f->nr + f->n), count = (size_t)f->count;
  PF_TRY(take_work(f, f->levels));
  PF_TRY(take_work(f, f->forces));
  PF_TRY(take_work(f, f->first));
  return pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(f->full, count), PF_ROOM(f->seeds, 4*count),
                   PF_ROOM(f->derived, f->root_count), PF_ROOM(f->zero, f->root_count), PF_ROOM(f->y, n),
                   PF_ROOM(f->y_dependent, n), PF_ROOM(f->w, w), PF_ROOM(f->w_dependent, w),
                   PF_ROOM2(f->matrix, n, f->np + f->nv + f->nw + 1), PF_ROOM(f->right, z), PF_ROOM(f->step, z),
                   PF_ROOM(f->unknown, z), PF_ROOM(f->motion.acceleration, n), PF_ROOM(f->motion.multiplier, f->m),
                   PF_ROOM(f->motion.force, n));
}

/* Makes expressions, tapes, arrays and a solver for the accelerations. Those of the coordinates are symbols, or N
 * omega' + drift by the speeds. K = d r/d(a, lambda) has the entries of M (or M N) and A, and the terms of friction. */
static PfStatus build(PfDynamics *f, const double *given, const PfOutputs *outputs)
{
  const int n = f->n, parameters = f->model->parameter_count;
  PF_TRY(list_symbols(f));
  const size_t nw = (size_t)f->nw, nz = (size_t)f->nz;
  const PfExpr *const symbol = f->symbol, *const w = symbol + f->at_w;
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(f->position_row, f->m),
                   PF_ROOM(f->velocity_row, f->m), PF_ROOM(f->given, parameters)));
  for (int k = 0; k < f->m; k++) {
    if (f->eq->position[k] != PF_EXPR_NONE) f->position_row[f->np++] = k;
    if (f->eq->velocity[k] != PF_EXPR_NONE && !f->speeds) f->velocity_row[f->nv++] = k;
  }
  f->nr = f->speeds ? f->n : f->n + f->m;
  PfExpr *a, *drift, *N, *K, *z;
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(a, n), PF_ROOM(drift, n), PF_ROOM2(N, n, nw),
                   PF_ROOM2(K, f->nr, nz), PF_ROOM(z, nz), PF_ROOM2(f->K, f->nr, nz)));
  for (int i = 0; i < parameters; i++) f->given[i] = given ? given[i] : NAN;
  memcpy(a, symbol + f->at_a, (size_t)(f->speeds ? 0 : n)*sizeof *a);
  for (int i = 0; i < n && f->speeds; i++)
    PF_TRY(pf_expr_gradient(f->ctx, f->eq->rate[i], w, f->nw, N + (size_t)i*nw));
  if (f->speeds) PF_TRY(pf_model_derive_along(f->model, f->eq->rate, f->eq->rate, n, drift));
  for (int i = 0; i < n && f->speeds; i++)
    a[i] = pf_expr_add(f->ctx, drift[i], pf_combination(f->ctx, N + (size_t)i*nw, 1, symbol + f->at_a, f->nw));
  PF_TRY(list_roots(f, a, outputs));
  PF_TRY(make_levels(f, N, drift));
  memcpy(z, symbol + f->at_a, nw*sizeof *z);
  if (f->m) memcpy(z + f->nw, symbol + f->at_lambda, (size_t)f->m*sizeof *z);
  for (int i = 0; i < f->nr; i++)
    PF_TRY(pf_expr_gradient(f->ctx, f->roots[f->at_r + i], z, f->nz, K + (size_t)i*nz));
  PF_TRY(pf_tape_new(f->ctx, symbol, f->count, K, (int)((size_t)f->nr*nz), &f->forces));
  PF_TRY(make_derivative(f, 1, &f->first));
  PF_TRY(make_work(f));
  PF_TRY(pf_expr_check(f->ctx));
  return pf_solver_new(f->ctx, f->system, pf_formulation_find("multipliers"), &f->solver);
}

/* In an arena of its own, which also owns the struct. Nothing is placed yet: pf_dynamics_place comes next. The cost is
 * that of deriving all expressions once and compiling them. */
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

/* With the same system in units of its own. */
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

/* The derivative of order 2 or 3 of all roots along completed directions, where the field is. The tape is made at the
 * first call: its length grows by about the order. */
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

/* out = F_ZZ[a, b], and the same of the rates and outputs. */
PfStatus pf_dynamics_second(PfDynamics *f, const double *a, const double *b, double *out)
{
  const double *directions[2] = {a, b};
  return higher(f, 2, &f->second, directions, out);
}

/* out = F_ZZZ[a, b, c], and the same of the rates and outputs. */
PfStatus pf_dynamics_third(PfDynamics *f, const double *a, const double *b, const double *c, double *out)
{
  const double *directions[3] = {a, b, c};
  return higher(f, 3, &f->third, directions, out);
}

/* The tape is made at the first call. */
PfStatus pf_dynamics_outputs(PfDynamics *f, double *out)
{
  if (!f->outputs) {
    PF_TRY(pf_tape_new(f->ctx, f->symbol, f->count, f->roots + f->at_out, f->no, &f->outputs));
    PF_TRY(take_work(f, f->outputs));
  }
  pf_tape_run(f->outputs, f->full, out, f->work);
  return PF_OK;
}
