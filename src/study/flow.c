/* SPDX-License-Identifier: Apache-2.0 */
/* Functions along the motion, evaluated exactly: at a random point of a prime field the accelerations solve [M -A^T; A
 * 0] [q''; lambda] = [F + C; b], and the total time derivative of each candidate function follows. A derivative that
 * vanishes at many points is zero with a known probability of error. */
#include "study/flow.h"

#include "base/base.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- what is evaluated */

/* M, F + C, A, b, v, then for each function: its value, its rate without accelerations, and df/dv. */
static int base_count(const PfFlow *flow)
{
  int n = flow->eq->n, m = flow->eq->m;
  return n*n + n + m*n + m + n;
}

/* By name or by value, a parameter that is 0 removes its terms: symmetries depend on that. In place. */
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
    uint64_t misfit;
    pf_exact_product(f, A + (size_t)i*(size_t)n, x, 1, n, 1, &misfit);
    if (misfit != b[i]) return false;
  }
  return true;
}

/* Points at which something is undefined, or A loses rank, are passed over. The rate of a function is its rate at
 * q'' = 0 plus df/dv q''. */
bool pf_flow_next(PfFlow *flow)
{
  enum { TRIES = 32 };
  int roots = pf_probe_square_roots(flow->probe);
  for (long tries = (long)TRIES << (roots < 8 ? roots : 8); tries > 0; tries--) {
    pf_probe_evaluate(flow->probe, flow->seed++, flow->roots_at);
    int i = 0;
    while (i < flow->root_count && flow->roots_at[i] != PF_UNDEFINED) i++;
    if (i < flow->root_count || !accelerate(flow)) continue;
    const PfField *f = pf_probe_field(flow->probe);
    int n = flow->eq->n;
    const uint64_t *at = flow->roots_at + base_count(flow);
    for (int k = 0; k < flow->count; k++, at += n + 2) {
      uint64_t by_acceleration;
      pf_exact_product(f, at + 2, flow->acceleration, 1, n, 1, &by_acceleration);
      flow->value[k] = at[0];
      flow->rate[k] = pf_field_add(f, at[1], by_acceleration);
    }
    return true;
  }
  return false;
}

/* ---------------------------------------------------------------- which states */

/* Writes all roots by the free symbols of this kind of states, and tries a first point. *good stays false where the
 * states cannot be written so, or no point is found. */
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

/* The roots are M, F + C, A, b and v once, then n + 2 for each function. States are tried in two kinds: all positions,
 * and those where the constraints of position hold. */
PfStatus pf_flow_follow(PfFlow *flow, const PfExpr *functions, int count, PfFlowParameters parameters)
{
  PfContext *ctx = flow->ctx;
  const PfEquations *eq = flow->eq;
  const size_t n = (size_t)eq->n, m = (size_t)eq->m, size = n + m + 2;
  PfExpr *at;
  flow->functions = functions;
  flow->count = count;
  flow->root_count = base_count(flow) + count*(eq->n + 2);
  PF_TRY(pf_arrays(ctx, flow->arena, "functions along the motion", PF_ROOM(flow->roots_at, flow->root_count),
                   PF_ROOM(flow->acceleration, n), PF_ROOM(flow->work, 3*size*size), PF_ROOM(flow->rows, n + m),
                   PF_ROOM(flow->value, count), PF_ROOM(flow->rate, count), PF_ROOM(at, flow->root_count)));
  flow->states.roots = at;
  memcpy(at, eq->M, n*n*sizeof *at), at += n*n;
  for (size_t i = 0; i < n; i++) *at++ = pf_expr_add(ctx, eq->F[i], eq->C[i]);
  if (m) memcpy(at, eq->A, m*n*sizeof *at), at += m*n;
  if (m) memcpy(at, eq->b, m*sizeof *at), at += m;
  for (size_t i = 0; i < n; i++) *at++ = eq->model->coordinates[i].v;
  for (int k = 0; k < count; k++, at += n + 2) { /* f, its rate with q'' = 0, and df/dv for the rest of the rate */
    at[0] = functions[k];
    PF_TRY(pf_model_derive_along(eq->model, NULL, functions + k, 1, at + 1));
    PF_TRY(pf_velocity_gradient(eq->model, functions[k], at + 2));
  }
  flow->states.count = flow->states.base_count = flow->root_count;
  PF_TRY(pf_insert_inputs(ctx, eq->model, flow->states.roots, (size_t)flow->root_count));
  PF_TRY(pf_put_zeros(ctx, eq->model, flow->parameters, flow->states.roots, flow->root_count));
  /* All positions if that does; else only those where the constraints hold. Velocities that are not given by
   * pseudo-velocities are solved for together with the positions. */
  int given = parameters == PF_FLOW_BY_VALUE ? PF_STATES_GIVEN : PF_STATES_ALL;
  bool good = false, everywhere = flow->states.laconic || eq->m == 0;
  flow->trouble = NULL;
  if (everywhere) PF_TRY(try_states(flow, given, &good));
  if (!good) PF_TRY(try_states(flow, given | PF_STATES_ON_POSITIONS, &good));
  if (!good) flow->trouble = "no admissible states with exact coordinates and unique accelerations were found";
  return PF_OK;
}

/* The functions in terms of the free symbols of this kind of states; in place unless it is refused. */
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

/* With positions on the constraints first; where these cannot be solved for, by the kind of states that is followed. */
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
  pf_diagnostics_truncate(flow->ctx, said); /* the positions cannot be solved for: all are taken then */
  memcpy(functions, before, (size_t)count*sizeof *before);
  return write_as(flow, flow->kind, functions, count, &refused);
}

/* ---------------------------------------------------------------- one function */

/* A rate other than zero at one point is a proof; zeros at FIELDS*POINTS points of fields with about 2^61 elements
 * are as good as one. */
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

/* `trouble` is set at once for models with friction by constraint forces. The rank of A that is expected comes from the
 * diagnosis: points where it is larger are not admissible. */
PfStatus pf_flow_make(PfContext *ctx, PfArena *arena, const PfEquations *eq, const double *parameters, PfFlow *flow)
{
  *flow = (PfFlow){.ctx = ctx, .arena = arena, .eq = eq, .parameters = parameters, .seed = 1, .expected_rank = -1};
  for (int i = 0; i < eq->n; i++)
    for (int k = 0; k < eq->m; k++) /* with friction the accelerations are not rational functions of the state */
      if (pf_expr_depends(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]), &eq->model->constraints[k].multiplier, 1)) {
        flow->trouble = "there are forces that depend on constraint forces, such as dry friction";
        return PF_OK;
      }
  PfDiagnosis diagnosis;
  PF_TRY(pf_diagnose(ctx, arena, eq, parameters, &diagnosis));
  flow->expected_rank = diagnosis.reached ? diagnosis.rank : -1;
  return pf_states_make(ctx, arena, eq, parameters, &flow->states);
}
