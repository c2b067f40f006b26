/* SPDX-License-Identifier: Apache-2.0 */
/* The motion in a prime field. */
#include "study/flow.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- what is evaluated */

/* M, F + C, A, b, v, then for each function: its value, its rate without accelerations, and df/dv. */
static int base_count(const PfFlow *flow)
{
  int n = flow->eq->n, m = flow->eq->m;
  return n*n + n + m*n + m + n;
}

static PfStatus list_rates(const PfFlow *flow, PfExpr *from, PfExpr *to, int *count)
{
  const PfModel *model = flow->eq->model;
  int c = 0;
  for (int i = 0; i < flow->eq->n; i++) from[c] = model->coordinates[i].q, to[c++] = model->coordinates[i].v;
  from[c] = model->time, to[c++] = pf_expr_int(flow->ctx, 1);
  for (int i = 0; i < model->follower_count; i++)
    from[c] = model->followers[i].symbol, to[c++] = model->followers[i].rate;
  for (int i = 0; i < model->input_count; i++) {
    const PfInput *input = model->inputs + i;
    if (input->value) from[c] = input->symbol, to[c++] = pf_expr_diff(flow->ctx, input->value, model->time);
  }
  *count = c;
  return pf_expr_check(flow->ctx);
}

static PfStatus list_functions(const PfFlow *flow, PfExpr *at)
{
  const PfModel *model = flow->eq->model;
  int n = flow->eq->n, rates;
  size_t most = (size_t)n + 1 + (size_t)model->input_count + (size_t)model->follower_count;
  PfExpr *from = pf_arena_array(flow->arena, PfExpr, most), *to = pf_arena_array(flow->arena, PfExpr, most);
  PfExpr *v = pf_arena_array(flow->arena, PfExpr, n);
  if (!from || !to || !v) return pf_no_room(flow->ctx, "functions along the motion");
  PF_TRY(list_rates(flow, from, to, &rates));
  for (int i = 0; i < n; i++) v[i] = model->coordinates[i].v;
  for (int k = 0; k < flow->count; k++, at += n + 2) {
    at[0] = flow->functions[k];
    PF_TRY(pf_expr_derive_along(flow->ctx, flow->functions + k, 1, from, to, rates, at + 1));
    PF_TRY(pf_expr_gradient(flow->ctx, flow->functions[k], v, n, at + 2));
  }
  return PF_OK;
}

PfStatus pf_put_zeros(PfContext *ctx, const PfModel *model, const double *parameters, PfExpr *e, int count)
{
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    bool given = parameters && !isnan(parameters[i]);
    bool zero = given ? parameters[i] == 0 : p->value != PF_EXPR_NONE && pf_expr_is_structural_zero(ctx, p->value);
    PfExpr value = pf_expr_int(ctx, 0);
    if (zero) PF_TRY(pf_expr_substitute(ctx, e, count, &p->symbol, &value, 1, e));
  }
  return PF_OK;
}

static PfStatus list_roots(PfFlow *flow)
{
  const PfEquations *eq = flow->eq;
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  PfExpr *at = flow->states.roots = pf_arena_array(flow->arena, PfExpr, flow->root_count);
  if (!at) return pf_no_room(flow->ctx, "functions along the motion");
  memcpy(at, eq->M, n*n*sizeof *at), at += n*n;
  for (size_t i = 0; i < n; i++) *at++ = pf_expr_add(flow->ctx, eq->F[i], eq->C[i]);
  if (m) memcpy(at, eq->A, m*n*sizeof *at), at += m*n;
  if (m) memcpy(at, eq->b, m*sizeof *at), at += m;
  for (size_t i = 0; i < n; i++) *at++ = eq->model->coordinates[i].v;
  PF_TRY(list_functions(flow, at));
  flow->states.count = flow->states.base_count = flow->root_count;
  PF_TRY(pf_insert_inputs(flow->ctx, flow->eq->model, flow->states.roots, (size_t)flow->root_count));
  return pf_put_zeros(flow->ctx, eq->model, flow->parameters, flow->states.roots, flow->root_count);
}

/* ---------------------------------------------------------------- a point */

/* [M -A^T; A 0] [q''; lambda] = [F + C; b] with independent rows of A; the others must agree. */
static bool accelerate(PfFlow *flow)
{
  const PfField *f = pf_probe_field(flow->probe);
  int n = flow->eq->n, m = flow->eq->m;
  const uint64_t *M = flow->roots_at, *load = M + n*n, *A = load + n, *b = A + m*n;
  uint64_t *work = flow->work;
  int r = pf_exact_independent_rows(f, A, m, n, work, flow->rows), size = n + r;
  if (flow->expected_rank >= 0 && r > flow->expected_rank) return false;
  uint64_t *K = work, *right = K + size*size, *x = right + size, *scratch = x + size;
  memset(K, 0, (size_t)size*(size_t)size*sizeof *K);
  for (int i = 0; i < n; i++) {
    memcpy(K + (size_t)i*(size_t)size, M + (size_t)i*(size_t)n, (size_t)n*sizeof *K);
    right[i] = load[i];
    for (int k = 0; k < r; k++) {
      K[i*size + n + k] = pf_field_negate(f, A[flow->rows[k]*n + i]);
      K[(n + k)*size + i] = A[flow->rows[k]*n + i];
    }
  }
  for (int k = 0; k < r; k++) right[n + k] = b[flow->rows[k]];
  if (!pf_exact_solve(f, K, size, right, 1, scratch, x)) return false;
  memcpy(flow->acceleration, x, (size_t)n*sizeof *x);
  for (int i = 0; i < m; i++) {
    uint64_t miss;
    pf_exact_product(f, A + (size_t)i*(size_t)n, x, 1, n, 1, &miss);
    if (miss != b[i]) return false;
  }
  return true;
}

static void find_rates(PfFlow *flow)
{
  const PfField *f = pf_probe_field(flow->probe);
  int n = flow->eq->n;
  const uint64_t *at = flow->roots_at + base_count(flow);
  for (int k = 0; k < flow->count; k++, at += n + 2) {
    uint64_t by_acceleration;
    pf_exact_product(f, at + 2, flow->acceleration, 1, n, 1, &by_acceleration);
    flow->value[k] = at[0];
    flow->rate[k] = pf_field_add(f, at[1], by_acceleration);
  }
}

bool pf_flow_next(PfFlow *flow)
{
  enum { TRIES = 32 };
  int roots = pf_probe_square_roots(flow->probe);
  for (long tries = (long)TRIES << (roots < 8 ? roots : 8); tries > 0; tries--) {
    pf_probe_evaluate(flow->probe, flow->seed++, flow->roots_at);
    int i = 0;
    while (i < flow->root_count && flow->roots_at[i] != PF_UNDEFINED) i++;
    if (i < flow->root_count || !accelerate(flow)) continue;
    find_rates(flow);
    return true;
  }
  return false;
}

/* ---------------------------------------------------------------- which states */

static PfStatus try_states(PfFlow *flow, int kind, bool *good)
{
  const char *refused;
  int count;
  PfExpr *roots = pf_arena_array(flow->arena, PfExpr, flow->root_count);
  if (!roots) return pf_no_room(flow->ctx, "functions along the motion");
  *good = false;
  PF_TRY(pf_states_write(&flow->states, kind, roots, &count, &refused));
  if (refused) return PF_OK;
  PF_TRY(pf_probe_make(flow->ctx, flow->arena, roots, flow->root_count, &flow->probe));
  flow->kind = kind;
  *good = pf_probe_next_field(flow->probe) && pf_flow_next(flow);
  return PF_OK;
}

/* All positions if that does; else only those where the constraints hold. Velocities that nobody gives by
 * pseudo-velocities are solved for together with the positions. */
static PfStatus choose_states(PfFlow *flow, int given)
{
  bool good = false, everywhere = flow->states.laconic || flow->eq->m == 0;
  flow->trouble = NULL;
  if (everywhere) PF_TRY(try_states(flow, given, &good));
  if (!good) PF_TRY(try_states(flow, given | PF_STATES_ON_POSITIONS, &good));
  if (!good) flow->trouble = "no admissible states with exact coordinates and unique accelerations were found";
  return PF_OK;
}

static PfStatus make_room(PfFlow *flow)
{
  size_t n = (size_t)flow->eq->n, m = (size_t)flow->eq->m, size = n + m + 2;
  flow->root_count = base_count(flow) + flow->count*(flow->eq->n + 2);
  flow->roots_at = pf_arena_array(flow->arena, uint64_t, flow->root_count);
  flow->acceleration = pf_arena_array(flow->arena, uint64_t, n);
  flow->work = pf_arena_array(flow->arena, uint64_t, 3*size*size);
  flow->rows = pf_arena_array(flow->arena, int, n + m);
  flow->value = pf_arena_array(flow->arena, uint64_t, flow->count);
  flow->rate = pf_arena_array(flow->arena, uint64_t, flow->count);
  bool good = flow->roots_at && flow->acceleration && flow->work && flow->rows && flow->value && flow->rate;
  return good ? PF_OK : pf_no_room(flow->ctx, "functions along the motion");
}

PfStatus pf_flow_follow(PfFlow *flow, const PfExpr *functions, int count, PfFlowParameters parameters)
{
  flow->functions = functions;
  flow->count = count;
  PF_TRY(make_room(flow));
  PF_TRY(list_roots(flow));
  return choose_states(flow, parameters == PF_FLOW_BY_VALUE ? PF_STATES_GIVEN : PF_STATES_ALL);
}

static PfStatus write_as(const PfFlow *flow, int kind, PfExpr *functions, int count, const char **refused)
{
  PfStates states = flow->states;
  PfExpr *roots = pf_arena_array(flow->arena, PfExpr, count);
  if (!roots) return pf_no_room(flow->ctx, "functions along the motion");
  memcpy(roots, functions, (size_t)count*sizeof *roots);
  PF_TRY(pf_insert_inputs(flow->ctx, flow->eq->model, roots, (size_t)count));
  states.roots = roots;
  states.count = states.base_count = count;
  return pf_states_write(&states, kind, functions, &count, refused);
}

PfStatus pf_flow_write(const PfFlow *flow, PfExpr *functions, int count)
{
  const char *refused = NULL;
  PfExpr *before = pf_arena_array(flow->arena, PfExpr, count);
  if (!before) return pf_no_room(flow->ctx, "functions along the motion");
  memcpy(before, functions, (size_t)count*sizeof *before);
  int said = pf_diagnostic_count(flow->ctx);
  PfStatus status = write_as(flow, PF_STATES_GIVEN | PF_STATES_ON_POSITIONS, functions, count, &refused);
  if (status == PF_OK && !refused) return PF_OK;
  if (pf_is_final(status) || status == PF_ERR_LIMIT) return status;
  pf_diagnostics_cut(flow->ctx, said); /* the positions cannot be solved for: all are taken then */
  memcpy(functions, before, (size_t)count*sizeof *before);
  return write_as(flow, flow->kind, functions, count, &refused);
}

/* ---------------------------------------------------------------- one function */

PfTruth pf_flow_is_constant(PfFlow *flow, PfExpr function, PfFlowParameters parameters, PfStatus *status)
{
  enum { FIELDS = 2, POINTS = 3 };
  *status = pf_flow_follow(flow, &function, 1, parameters);
  if (*status != PF_OK || flow->trouble) return PF_UNKNOWN;
  for (int i = 0; i < FIELDS; i++) {
    for (int k = 0; k < POINTS; k++) {
      if (!pf_flow_next(flow)) return PF_UNKNOWN;
      if (flow->rate[0]) return PF_FALSE;
    }
    if (i + 1 < FIELDS && !pf_probe_next_field(flow->probe)) return PF_UNKNOWN;
  }
  return PF_TRUE;
}

/* ---------------------------------------------------------------- beginning */

/* With forces that depend on the multipliers the accelerations are not rational functions of the state. */
static bool has_friction(const PfFlow *flow)
{
  const PfEquations *eq = flow->eq;
  for (int i = 0; i < eq->n; i++)
    for (int k = 0; k < eq->m; k++) {
      const PfExpr *lambda = &eq->model->constraints[k].multiplier;
      if (pf_expr_depends(flow->ctx, pf_expr_add(flow->ctx, eq->F[i], eq->C[i]), lambda, 1)) return true;
    }
  return false;
}

PfStatus pf_flow_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                      PfFlow *flow)
{
  *flow = (PfFlow){.ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters, .seed = 1};
  flow->expected_rank = -1;
  if (has_friction(flow)) {
    flow->trouble = "there are forces that depend on constraint forces, such as dry friction";
    return PF_OK;
  }
  PfDiagnosis diagnosis;
  PF_TRY(pf_diagnose(ctx, arena, equations, parameters, &diagnosis));
  flow->expected_rank = diagnosis.reached ? diagnosis.rank : -1;
  return pf_states_make(ctx, arena, equations, parameters, &flow->states);
}
