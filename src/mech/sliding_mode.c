/* SPDX-License-Identifier: Apache-2.0 */
/* Motion along surfaces of switching (Filippov): a body that sticks, a controller that slides along its line. Where the
 * forces of both modes push onto g = 0 the motion stays there, under a force between them: the mode s of the surface is
 * then no sign but an unknown from -1 to 1, found from g' = 0. That is a constraint whose multiplier is s and whose
 * force is whatever the equations make of s:
 *
 *   M q'' = F(s) + C + A^T lambda,  g(q, q', t) = 0   is
 *   M q'' = F(0) + [C + F(s) - F(0) - r^T s] + A^T lambda + r^T s
 *
 * with r = c dg/dq' as one more row of A and the bracket as non-ideal forces. So every formulation and every method
 * that knows constraints and friction knows sticking. The factor c makes r of the size of dF/ds. Where several surfaces
 * are one to the motion, as those of bodies that a constraint ties, only some have rows; their multipliers make all
 * modes. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- rows */

/* d/dt along the motion; accelerations are left as symbols. */
PfStatus pf_surface_rate(PfContext *ctx, PfArena *arena, const PfModel *model, PfExpr g, PfExpr *rate)
{
  size_t n = (size_t)model->coordinate_count;
  PfExpr *symbols, *rates;
  PF_TRY(pf_arrays(ctx, arena, "a sliding mode", PF_ROOM(symbols, 2*n + 1), PF_ROOM(rates, 2*n + 1)));
  for (size_t i = 0; i < n; i++) {
    symbols[i] = model->coordinates[i].q, rates[i] = model->coordinates[i].v;
    symbols[n + i] = model->coordinates[i].v, rates[n + i] = model->coordinates[i].a;
  }
  symbols[2*n] = model->time, rates[2*n] = pf_expr_int(ctx, 1);
  return pf_expr_derive_along(ctx, &g, 1, symbols, rates, (int)(2*n + 1), rate);
}

/* The gradient by the state, with absolute values. */
PfStatus pf_surface_sizes(PfContext *ctx, PfArena *arena, PfExpr g, const PfExpr *y, int count, PfExpr *size,
                          PfExpr *slope)
{
  PfExpr *gradient = pf_arena_array(arena, PfExpr, count);
  if (!gradient) return pf_no_room(ctx, "a sliding mode");
  PF_TRY(pf_expr_gradient(ctx, g, y, count, gradient));
  *size = *slope = pf_expr_int(ctx, 0);
  for (int i = 0; i < count; i++) {
    PfExpr part = pf_expr_call1(ctx, PF_OP_ABS, gradient[i]);
    *slope = pf_expr_add(ctx, *slope, part);
    *size = pf_expr_add(ctx, *size, pf_expr_mul(ctx, part, pf_expr_call1(ctx, PF_OP_ABS, y[i])));
  }
  return pf_expr_check(ctx);
}

typedef struct Maker {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *base;
  PfSlidingSystem *stuck;
  const PfSlidingRow *rows;
  int count, mode_count;
  PfExpr *lambda;               /* count: multipliers of the rows */
  PfExpr *mode, *image, *zeros; /* mode_count: s, its replacement, 0 */
} Maker;

/* The surface g = 0 of a sliding mode as a constraint: g' or g'' = 0, by its degree, with a multiplier that is the
 * discrete mode. */
static PfStatus add_row(const Maker *k, int i)
{
  PfContext *ctx = k->ctx;
  PfEquations *eq = &k->stuck->equations;
  const PfModel *model = k->base->model;
  int n = eq->n, row = k->base->m + i;
  PfExpr *v, *a, *zeros;
  PF_TRY(pf_arrays(ctx, k->arena, "a sliding mode", PF_ROOM(v, n), PF_ROOM(a, n), PF_ROOM(zeros, n)));
  for (int j = 0; j < n; j++)
    v[j] = model->coordinates[j].v, a[j] = model->coordinates[j].a, zeros[j] = pf_expr_int(ctx, 0);
  PfExpr g = pf_expr_mul(ctx, k->rows[i].factor, k->rows[i].surface);
  PF_TRY(pf_expr_substitute(ctx, &g, 1, k->mode, k->zeros, k->mode_count, &g));
  eq->position[row] = PF_EXPR_NONE;
  PfExpr rate = g;
  if (k->rows[i].degree == 2) {
    eq->position[row] = g;
    PF_TRY(pf_surface_rate(ctx, k->arena, model, g, &rate));
  }
  eq->velocity[row] = rate;
  PF_TRY(pf_expr_gradient(ctx, rate, v, n, eq->A + (size_t)row*(size_t)n));
  PF_TRY(pf_surface_rate(ctx, k->arena, model, rate, &rate));
  PF_TRY(pf_expr_substitute(ctx, &rate, 1, a, zeros, n, &rate));
  eq->b[row] = pf_expr_neg(ctx, rate);
  PfConstraint *c = k->stuck->model.constraints + row;
  bool linear = true;
  for (int j = 0; j < n; j++) linear = linear && !pf_expr_depends(ctx, eq->A[row*n + j], v, n);
  c->kind = k->rows[i].degree == 2 ? PF_HOLONOMIC : linear ? PF_AFFINE : PF_NONLINEAR;
  c->rheonomic = true; /* its force does work, unlike that of an ideal constraint */
  c->surface = true;
  c->residual = g;
  c->multiplier = k->lambda[i];
  c->name = k->rows[i].name;
  return PF_OK;
}

/* ---------------------------------------------------------------- forces */

/* Cases for s = 0 (rest) and for s = +-1 (one case alone) do not concern a surface that sticks, whatever its mode. */
static PfExpr without_cases(void *user, PfExpr e)
{
  const Maker *k = user;
  bool case_of_side = pf_expr_op(k->ctx, e) == PF_OP_EQUAL && pf_expr_depends(k->ctx, e, k->lambda, k->count);
  return case_of_side ? pf_expr_int(k->ctx, 0) : e;
}

/* An expression that is affine in the unknowns as e(0) + lambda de/dlambda: terms cancel here exactly, not just up to
 * rounding. */
static PfExpr collect(const Maker *k, PfExpr e)
{
  PfContext *ctx = k->ctx;
  PfExpr zero = pf_expr_int(ctx, 0);
  for (int r = 0; r < k->count; r++) {
    PfExpr lambda = k->lambda[r], rest = e, slope = pf_expr_diff(ctx, e, lambda);
    if (pf_expr_depends(ctx, slope, &lambda, 1)) continue;
    if (pf_expr_substitute(ctx, &e, 1, &lambda, &zero, 1, &rest) != PF_OK) return PF_EXPR_NONE;
    e = pf_expr_add(ctx, rest, pf_expr_mul(ctx, lambda, slope));
  }
  return e;
}

/* The same with the unknown in the place of the modes. */
static PfStatus with_unknown(const Maker *k, const PfExpr *e, PfExpr *out)
{
  PF_TRY(pf_expr_substitute(k->ctx, e, k->base->n, k->mode, k->image, k->mode_count, out));
  PF_TRY(pf_expr_map(k->ctx, out, k->base->n, without_cases, (void *)k, out));
  for (int j = 0; j < k->base->n; j++) out[j] = collect(k, out[j]);
  return pf_expr_check(k->ctx);
}

/* F(0) stays a force; F(s) - F(0) - r^T s goes to the non-ideal ones. */
static PfStatus split_forces(const Maker *k, PfExpr *F, PfExpr *C)
{
  PfContext *ctx = k->ctx;
  const PfEquations *eq = &k->stuck->equations;
  int n = eq->n;
  PfExpr *full = pf_arena_array(k->arena, PfExpr, n);
  if (!full) return pf_no_room(ctx, "a sliding mode");
  PF_TRY(with_unknown(k, F, full));
  PF_TRY(pf_expr_substitute(ctx, F, n, k->mode, k->zeros, k->mode_count, F));
  if (!C) return PF_OK;
  PF_TRY(with_unknown(k, C, C));
  for (int j = 0; j < n; j++) {
    PfExpr sum = pf_expr_add(ctx, C[j], pf_expr_sub(ctx, full[j], F[j]));
    for (int i = 0; i < k->count; i++)
      sum = pf_expr_sub(ctx, sum, pf_expr_mul(ctx, eq->A[(k->base->m + i)*n + j], k->lambda[i]));
    C[j] = sum;
  }
  /* A constraint with a kink, as z' = max(x', y'), has A(s): the middle of both modes stays its row, and the rest of
   * its force, (A(s) - A(0))^T lambda, goes to the non-ideal ones. */
  PfExpr *row = pf_arena_array(k->arena, PfExpr, n);
  if (!row) return pf_no_room(ctx, "a sliding mode");
  for (int i = 0; i < k->base->m; i++) {
    PF_TRY(with_unknown(k, k->base->A + (size_t)i*(size_t)n, row));
    for (int j = 0; j < n; j++) {
      PfExpr turned = pf_expr_sub(ctx, row[j], eq->A[(size_t)i*(size_t)n + (size_t)j]);
      C[j] = pf_expr_add(ctx, C[j], pf_expr_mul(ctx, turned, k->base->model->constraints[i].multiplier));
    }
  }
  return pf_expr_check(ctx);
}

/* A copy of a list with room for more. */
static PfStatus copy(PfContext *ctx, PfArena *arena, const PfExpr *from, size_t count, size_t room, PfExpr **to)
{
  PF_TRY(pf_arrays(ctx, arena, "a sliding mode", PF_ROOM(*to, room)));
  if (count) memcpy(*to, from, count*sizeof **to);
  return PF_OK;
}

/* The equations with room for the further rows. */
static PfStatus copy_all(Maker *k)
{
  PfEquations *eq = &k->stuck->equations;
  const PfEquations *b = k->base;
  size_t n = (size_t)b->n, m = (size_t)b->m, p = (size_t)k->count;
  *eq = *b;
  eq->model = &k->stuck->model;
  eq->m = b->m + k->count;
  PF_TRY(copy(k->ctx, k->arena, b->M, n*n, n*n, &eq->M));
  PF_TRY(copy(k->ctx, k->arena, b->F, n, n, &eq->F));
  PF_TRY(copy(k->ctx, k->arena, b->C, n, n, &eq->C));
  PF_TRY(copy(k->ctx, k->arena, b->applied, n, n, &eq->applied));
  PF_TRY(copy(k->ctx, k->arena, b->momentum, n, n, &eq->momentum));
  PF_TRY(copy(k->ctx, k->arena, b->A, m*n, (m + p)*n, &eq->A));
  PF_TRY(copy(k->ctx, k->arena, b->b, m, m + p, &eq->b));
  PF_TRY(copy(k->ctx, k->arena, b->position, m, m + p, &eq->position));
  PF_TRY(copy(k->ctx, k->arena, b->velocity, m, m + p, &eq->velocity));
  PfModel *model = &k->stuck->model;
  *model = *b->model;
  model->constraint_count = eq->m;
  PF_TRY(pf_arrays(k->ctx, k->arena, "a sliding mode", PF_ROOM(model->constraints, m + p)));
  if (m) memcpy(model->constraints, b->model->constraints, m*sizeof *model->constraints);
  return PF_OK;
}

/* Expressions other than forces do not depend on the unknown: they take the mean of both modes. */
static PfStatus settle_others(const Maker *k)
{
  PfEquations *eq = &k->stuck->equations;
  size_t n = (size_t)eq->n, m = (size_t)k->base->m;
  struct {
    PfExpr *at;
    size_t count;
  } parts[] = {{eq->M, n*n}, {eq->momentum, n}, {eq->A, m*n}, {eq->b, m}, {eq->position, m}, {eq->velocity, m},
               {&eq->kinetic, 1}, {&eq->potential, 1}};
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++)
    if (parts[i].count)
      PF_TRY(pf_expr_substitute(k->ctx, parts[i].at, (int)parts[i].count, k->mode, k->zeros, k->mode_count,
                                parts[i].at));
  return PF_OK;
}

/* Multipliers for the surfaces, and every mode that sticks as a combination of them; then the equations with further
 * rows, and forces that contain no modes. */
PfStatus pf_sliding_make(PfContext *ctx, PfArena *arena, const PfEquations *base, const PfSlidingRow *rows, int count,
                         const PfSlidingMode *modes, int mode_count, PfSlidingSystem *stuck)
{
  Maker k = {.ctx = ctx, .arena = arena, .base = base, .stuck = stuck, .rows = rows, .count = count,
             .mode_count = mode_count};
  /* Multipliers for the surfaces, and every mode that sticks as a combination of them. */
  k.lambda = pf_arena_array(k.arena, PfExpr, k.count);
  k.mode = pf_arena_array(k.arena, PfExpr, k.mode_count);
  k.image = k.stuck->mode = pf_arena_array(k.arena, PfExpr, k.mode_count);
  k.zeros = pf_arena_array(k.arena, PfExpr, k.mode_count);
  if (!k.lambda || !k.mode || !k.image || !k.zeros) return pf_no_room(ctx, "a sliding mode");
  for (int r = 0; r < k.count; r++) {
    char name[32];
    snprintf(name, sizeof name, "force of %s", pf_expr_symbol_name(ctx, k.rows[r].mode));
    k.lambda[r] = pf_expr_symbol(ctx, name);
  }
  for (int i = 0; i < k.mode_count; i++) {
    k.mode[i] = modes[i].mode;
    k.image[i] = k.zeros[i] = pf_expr_int(ctx, 0);
    for (int r = 0; r < k.count; r++) {
      PfExpr load = pf_expr_double(ctx, modes[i].load[r]);
      k.image[i] = pf_expr_add(ctx, k.image[i], pf_expr_mul(ctx, load, k.lambda[r]));
    }
  }
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(copy_all(&k));
  PF_TRY(settle_others(&k));
  for (int i = 0; i < count; i++) PF_TRY(add_row(&k, i));
  PfEquations *eq = &stuck->equations;
  PF_TRY(split_forces(&k, eq->F, eq->C));
  return split_forces(&k, eq->applied, NULL);
}
