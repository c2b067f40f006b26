/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and units in the text: 0.016 as the exact 2/125, 30 [deg] as pi/6. */
#include "lang/check_impl.h"

#include <stdlib.h>
#include <string.h>

Value pf_value_of_number(Checker *ck, const PfNode *node)
{
  PfExpr e = pf_expr_decimal(ck->ctx, node->text);
  char first = node->text[strcspn(node->text, "123456789eE")]; /* a digit but zero before the exponent? */
  if (pf_expr_is_structural_zero(ck->ctx, e) && first >= '1' && first <= '9')
    return pf_check_fail(ck, PF_ERR_NUMBER, node, "the number %.40s is too small to be told apart from 0", node->text);
  if (e != PF_EXPR_NONE) return pf_scalar_value(e, pf_dim_bare());
  int before = pf_diagnostic_count(ck->ctx);
  PfStatus status = pf_expr_check(ck->ctx);
  pf_diagnostics_truncate(ck->ctx, before);
  if (status == PF_ERR_MEMORY) pf_check_no_memory(ck);
  else pf_check_fail(ck, PF_ERR_NUMBER, node, "the number %.40s is too large", node->text);
  return pf_no_value();
}

bool pf_unit_of(Checker *ck, const PfNode *node, PfUnit *unit)
{
  if (pf_check_stopped(ck) || pf_check_is_known(ck, PF_ERR_UNIT, node)) return false;
  return pf_unit_parse(ck->ctx, pf_node_place(ck->source, node), node->text, unit) == PF_OK;
}

Value pf_value_times_unit(Checker *ck, Value value, const PfUnit *unit)
{
  PfExpr factor = unit->exact ? pf_expr_rational(ck->ctx, unit->scale_num, unit->scale_den)
                              : pf_expr_double(ck->ctx, unit->scale);
  if (unit->exact && unit->pi_power)
    factor = pf_expr_mul(ck->ctx, factor, pf_expr_pow_int(ck->ctx, pf_expr_pi(ck->ctx), unit->pi_power));
  value.dim = (Dim){.known = true, .of = unit->dimension};
  if (value.kind == V_SCALAR) value.scalar = pf_expr_mul(ck->ctx, value.scalar, factor);
  if (value.kind == V_VECTOR) value.vector = pf_vector_scale(ck->model, value.vector, factor);
  for (int k = 0; value.plain && k < 3; k++) value.c[k] = pf_expr_mul(ck->ctx, value.c[k], factor);
  return value;
}

/* The value of `expression [unit]`. */
Value pf_value_with_unit(Checker *ck, Scope *scope, const PfNode *node)
{
  Value number = pf_scalar_of(ck, scope, node->child, "a number before a unit");
  PfUnit unit;
  if (number.kind == V_NONE) return number;
  if (!pf_unit_of(ck, node, &unit)) return pf_no_value();
  if (!pf_dim_is_loose(number.dim)) { /* (3 [m]) [kg]: it has a unit already, which must be of the same kind */
    Dim dim = {.known = true, .of = unit.dimension};
    return pf_dim_expect(ck, node->child, number.dim, dim, "this value") ? number : pf_no_value();
  }
  return pf_value_times_unit(ck, number, &unit);
}

/* Is there a unit in the expression that is no SI unit? pi/6 [rad] is the same number either way up. */
static bool is_scaled(Checker *ck, const PfNode *node)
{
  PfUnit unit;
  if (node->kind == PF_N_UNIT && pf_unit_of(ck, node, &unit) && unit.scale != 1) return true;
  for (const PfNode *child = node->child; child; child = child->next)
    if (is_scaled(ck, child)) return true;
  return false;
}

bool pf_is_upside_down(Checker *ck, const PfNode *node, Dim found, Dim expected)
{
  if (!found.known || found.bare || found.of.power[PF_BASE_RAD] >= 0 || expected.of.power[PF_BASE_RAD] < 0)
    return false;
  if (!is_scaled(ck, node)) return false;
  pf_check_fail(ck, PF_ERR_UNIT, node, "this divides by an angle");
  pf_check_hint(ck, "a unit belongs to the number before it: write (2*pi/3) [deg]");
  return true;
}

Value pf_value_in_unit(Checker *ck, const PfNode *node, Value value, const Entity *entity)
{
  if (value.kind != V_SCALAR && value.kind != V_VECTOR) return value;
  if (pf_dim_is_loose(value.dim) && entity->has_unit) {
    value = pf_value_times_unit(ck, value, &entity->unit);
    value.dim = entity->dim; /* of x' with the unit of x: per second */
  }
  if (!pf_dim_expect(ck, node, value.dim, entity->dim, pf_print_text(ck, "'%s'", entity->name))) return pf_no_value();
  /* In a model N m/rad are taken for N m where the angle is a number: only a mere number over an angle is meant the
   * other way up. */
  PfDimension of = value.dim.of;
  of.power[PF_BASE_RAD] = 0;
  bool mere = value.kind == V_SCALAR && pf_dimension_is_none(of) && !pf_contents(ck, value.scalar);
  return mere && pf_is_upside_down(ck, node, value.dim, entity->dim) ? pf_no_value() : value;
}
