/* SPDX-License-Identifier: Apache-2.0 */
/* Maggi's equations: with N spanning the admissible directions, A N = 0, and any a with A a = b,
 *   q'' = a + N (N^T M N)^-1 N^T (F + C - M a).
 * N comes from the user's pseudo-velocities, N = d(rates)/d(speeds), when these satisfy the constraints.
 * Otherwise the velocities of independent coordinates serve as pseudo-velocities, and where constraints are
 * redundant those along an orthonormal basis of the null space. */
#include "form/partition.h"

typedef struct Data {
  PfTape *directions; /* N by the user's speeds, or NULL */
  double *tape_work;
  int speeds;
  PfPartition partition;
  PfReduced reduced;
  PfSpan span;
} Data;

static void release(PfSolver *s)
{
  Data *d = s->data;
  if (d) pf_tape_free(d->directions);
}

/* ---------------------------------------------------------------- the user's speeds */

/* N as expressions of coordinates, when the rates are linear in the speeds and all constraints hold whatever the speeds
 * are: the rows of A times N vanish. Else there are no directions. */
static PfStatus user_directions(PfSolver *s, Data *d)
{
  const PfEquations *eq = s->system->eq;
  const PfModel *model = eq->model;
  const PfSymbols *in = &s->system->symbols;
  PfContext *ctx = s->ctx;
  int ns = model->speed_count;
  if (!ns || ns > eq->n) return PF_OK;
  PfExpr *symbols = pf_arena_array(s->arena, PfExpr, ns);
  PfExpr *N = pf_arena_array(s->arena, PfExpr, (size_t)eq->n*(size_t)ns);
  if (!symbols || !N) return pf_solver_no_room(s);
  for (int k = 0; k < ns; k++) symbols[k] = model->speeds[k].symbol;
  for (int j = 0; j < eq->n; j++) {
    PF_TRY(pf_expr_gradient(ctx, eq->rate[j], symbols, ns, N + (size_t)j*(size_t)ns));
    for (int k = 0; k < ns; k++)
      if (pf_expr_depends(ctx, N[j*ns + k], symbols, ns)) return PF_OK; /* not linear */
  }
  for (int i = 0; i < eq->m*ns; i++) {
    PfExpr sum = pf_expr_int(ctx, 0), written;
    for (int j = 0; j < eq->n; j++)
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, eq->A[i/ns*eq->n + j], N[j*ns + i%ns]));
    if (pf_model_expand(model, &sum, 1, &written) != PF_OK || pf_expr_is_probably_zero(ctx, written, 2) != PF_TRUE)
      return PF_OK;
  }
  d->speeds = ns;
  PF_TRY(pf_system_tape(ctx, model, in->symbol, in->count, N, eq->n*ns, &d->directions));
  d->tape_work = pf_solver_scratch(s, double, pf_tape_work_size(d->directions));
  return d->tape_work ? PF_OK : pf_solver_no_room(s);
}

/* ---------------------------------------------------------------- the formulation */

/* Directions by the user's speeds are tried first; partition and null space serve where these do not span all. */
static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  s->release = release;
  PF_TRY(pf_partition_make(s, &d->partition));
  PF_TRY(pf_reduced_make(s, &d->reduced));
  PF_TRY(pf_span_make(s, &d->span));
  PF_TRY(user_directions(s, d));
  s->unknowns = d->directions ? d->speeds : n;
  s->unknowns_per_rank = d->directions ? 0 : -1;
  return PF_OK;
}

/* Along the user's directions, where they span all `free` admissible ones; a is given. PF_TROUBLE_NOT_UNIQUE where the
 * speeds are not as many as the admissible directions. */
static PfTrouble move_along_speeds(PfSolver *s, Data *d, int free, double *acceleration, int *row)
{
  if (!d->directions || d->speeds != free) return PF_TROUBLE_NOT_UNIQUE;
  pf_tape_run(d->directions, s->values, d->reduced.N, d->tape_work);
  for (int i = 0; s->scaled && i < s->system->n; i++)
    for (int k = 0; k < free; k++) d->reduced.N[i*free + k] /= s->units.column[i];
  bool finite = pf_first_not_finite(d->reduced.N, (size_t)s->system->n*(size_t)free) < 0;
  return finite ? pf_reduced_solve(s, &d->reduced, free, acceleration, row) : PF_TROUBLE_NOT_UNIQUE;
}

/* Where the rows are independent and a block of them is well conditioned. a = (d, 0) is left in `reduced` for both
 * ways. */
static PfTrouble by_partition(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  PfPartition *p = &d->partition;
  PfTrouble trouble = PF_TROUBLE_NOT_UNIQUE;
  if (d->directions) {
    pf_partition_directions(p, d->reduced.N, d->reduced.a);
    trouble = move_along_speeds(s, d, p->n - p->rank, motion->acceleration, row);
  }
  if (trouble == PF_TROUBLE_NOT_UNIQUE)
    trouble = pf_partition_move(s, p, &d->reduced, motion->acceleration, row);
  if (trouble == PF_TROUBLE_NONE) pf_partition_multipliers(s, p, motion);
  return trouble;
}

/* Where constraints are redundant or the block of dependent coordinates is nearly singular. */
static PfTrouble by_orthonormal_basis(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  int n = s->system->n, rank = pf_span_factor(s, &d->span);
  pf_span_solve(s, &d->span, d->reduced.a);
  PfTrouble trouble = rank < s->system->m ? pf_check_before(s, d->reduced.a, row) : PF_TROUBLE_NONE;
  if (trouble != PF_TROUBLE_NONE) return trouble;
  trouble = move_along_speeds(s, d, n - rank, motion->acceleration, row);
  if (trouble == PF_TROUBLE_NOT_UNIQUE)
    trouble = pf_reduced_null_space(s, &d->reduced, &d->span, rank, motion->acceleration, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
  return rank < s->system->m ? pf_check_after(s, motion->acceleration, row) : PF_TROUBLE_NONE;
}

static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  PfPartition *p = &d->partition;
  bool good = pf_partition_update(p, s->at.A, s->at.b) && p->rank == p->m;
  good = good && p->quality >= PF_GOOD_PARTITION;
  return good ? by_partition(s, d, motion, row) : by_orthonormal_basis(s, d, motion, row);
}

const PfFormulation pf_form_maggi = {
  .name = "maggi", .source = "Maggi's equations; Zobova 2011, section 1",
  .summary = "motion along the admissible directions, by the pseudo-velocities of the model or chosen ones",
  .prepare = prepare, .accelerate = accelerate};
