/* SPDX-License-Identifier: Apache-2.0 */
/* The kinematics of the attitude that complete equations in angular velocities: rates of quaternions, and of the
 * direction cosines that the equations contain. */
#include "mech/mech_impl.h"

#include <string.h>

enum { COSINES = 9, QUATERNION = 4 };

/* By the sides of the first equations and the values of all abbreviations. */
bool pf_derivation_contains(PfContext *ctx, const PfDerivation *d, int equations, const PfExpr *symbols, int count)
{
  for (int i = 0; i < equations; i++)
    if (pf_expr_depends(ctx, d->equations[i].left, symbols, count) ||
        pf_expr_depends(ctx, d->equations[i].right, symbols, count))
      return true;
  for (int i = 0; i < d->part_count; i++)
    if (pf_expr_depends(ctx, d->part_values[i], symbols, count)) return true;
  return false;
}

/* The equation symbol' = rate of an auxiliary state, in its shortest form. */
static PfEquation rate_of(PfContext *ctx, const PfAuxiliary *f)
{
  return (PfEquation){pf_expr_symbol_name(ctx, f->symbol), pf_rate_symbol(ctx, f->symbol),
                      pf_expr_simplest(ctx, f->rate)};
}

/* Without the division by |q|^2, which is 1. */
static PfEquation definition_of(PfContext *ctx, const PfAuxiliary *quaternion, const PfAuxiliary *cosine)
{
  PfExpr squares[QUATERNION];
  for (int k = 0; k < QUATERNION; k++) squares[k] = pf_expr_pow_int(ctx, quaternion[k].symbol, 2);
  PfExpr value = pf_expr_mul(ctx, cosine->value, pf_expr_sum(ctx, squares, QUATERNION));
  return (PfEquation){pf_expr_symbol_name(ctx, cosine->symbol), cosine->symbol, pf_expr_simplest(ctx, value)};
}

/* Appends to the equations of motion, for each body that turns freely: the rates of its quaternion, those of the rows
 * of direction cosines in the equations of motion, and every row that occurs by the quaternion. */
PfStatus pf_attitude_add(PfContext *ctx, PfArena *arena, const PfModel *model, PfDerivation *d)
{
  int most = d->equation_count + 2*model->auxiliary_count, count = d->equation_count;
  PfEquation *equations = pf_arena_array(arena, PfEquation, most);
  if (!equations) return pf_no_room(ctx, "the attitude");
  if (count) memcpy(equations, d->equations, (size_t)count*sizeof *equations);
  for (int s = 0; s < model->spinning_count; s++) {
    const PfAuxiliary *cosine = model->auxiliaries + model->spinnings[s].auxiliary, *q = cosine + COSINES;
    for (int k = 0; k < QUATERNION; k++) equations[count++] = rate_of(ctx, q + k);
    for (int row = 0; row < 3; row++) {
      PfExpr symbols[3] = {cosine[3*row].symbol, cosine[3*row + 1].symbol, cosine[3*row + 2].symbol};
      if (!pf_derivation_contains(ctx, d, d->equation_count, symbols, 3)) continue;
      bool moves = pf_derivation_contains(ctx, d, d->motion_count, symbols, 3); /* its rates complete the equations */
      for (int k = 0; k < 3 && moves; k++) equations[count++] = rate_of(ctx, cosine + 3*row + k);
      for (int k = 0; k < 3; k++) equations[count++] = definition_of(ctx, q, cosine + 3*row + k);
    }
  }
  pf_derivation_section(d,
                        "Attitude: quaternions, and where axes a, b, g (x, y, z of what a body is placed in) stand in "
                        "the axes of the body",
                        count - d->equation_count);
  d->equations = equations;
  d->equation_count = count;
  return pf_expr_check(ctx);
}
