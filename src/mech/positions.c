/* SPDX-License-Identifier: Apache-2.0 */
/* Squares and single coordinates replaced in formulas by means of the constraints on positions: on a sphere
 * x^2 + y^2 + z^2 is a number. */
#include "mech/mech_impl.h"

/* q or q^2 of a constraint that gives it by the others. */
typedef struct Rule {
  PfExpr q, square; /* square PF_EXPR_NONE: q itself */
  PfExpr value;
} Rule;

/* PfExprMap: the square of a coordinate by the rule. */
static PfExpr apply(void *user, PfExpr e)
{
  const Rule *rule = user;
  return e == rule->square ? rule->value : e;
}

/* A square is replaced where it stands as such, a coordinate everywhere. */
static PfStatus use_rule(PfContext *ctx, const Rule *rule, PfExpr e, PfExpr *out)
{
  if (rule->square == PF_EXPR_NONE) return pf_expr_substitute(ctx, &e, 1, &rule->q, &rule->value, 1, out);
  return pf_expr_map(ctx, &e, 1, apply, (void *)(uintptr_t)rule, out);
}

/* phi = a q^2/2 + c: q^2 = q^2 - 2 phi/a. phi = a q + c: q = q - phi/a. With a made of parameters. */
static bool make_rule(PfContext *ctx, const PfModel *model, const PfKinematics *k, PfExpr phi, PfExpr q, Rule *rule)
{
  PfExpr slope = pf_expr_diff(ctx, phi, q), a = pf_expr_simplest(ctx, pf_expr_div(ctx, slope, q));
  if (slope == PF_EXPR_NONE || pf_expr_is_structural_zero(ctx, slope)) return false;
  *rule = (Rule){.q = q};
  if (!pf_is_moving(ctx, model, k, slope)) {
    rule->value = pf_expr_simplest(ctx, pf_expr_sub(ctx, q, pf_expr_div(ctx, phi, slope)));
    return !pf_is_moving(ctx, model, k, rule->value);
  }
  if (pf_is_moving(ctx, model, k, a)) return false;
  rule->square = pf_expr_pow_int(ctx, q, 2);
  PfExpr twice = pf_expr_div(ctx, pf_expr_mul(ctx, pf_expr_int(ctx, 2), phi), a);
  rule->value = pf_expr_simplest(ctx, pf_expr_sub(ctx, rule->square, twice));
  return !pf_expr_depends(ctx, rule->value, &q, 1);
}

/* Constraint by constraint, each solved for the coordinate that makes e shortest, if any does. Long expressions, and
 * constraints that contain the time, are left alone. */
PfStatus pf_use_positions(PfContext *ctx, const PfEquations *eq, const PfKinematics *k, PfExpr *e)
{
  enum { LONG = 400 };
  if (pf_expr_token_count(ctx, *e) > LONG) return PF_OK;
  for (int i = 0; i < eq->m; i++) {
    if (eq->position[i] == PF_EXPR_NONE || eq->model->constraints[i].rheonomic) continue;
    PfExpr best = *e;
    for (int j = 0; j < eq->n; j++) {
      PfExpr q = eq->model->coordinates[j].q, other;
      Rule rule;
      if (!pf_expr_depends(ctx, *e, &q, 1) || !make_rule(ctx, eq->model, k, eq->position[i], q, &rule)) continue;
      PF_TRY(use_rule(ctx, &rule, *e, &other));
      best = pf_shorter(ctx, best, pf_expr_simplest(ctx, other));
    }
    *e = best;
  }
  return pf_expr_check(ctx);
}
