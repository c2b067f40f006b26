/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of angular velocities, start omega(b) = (0, 0, 1), for bodies that are placed by angles: the rates of the
 * angles are solved for. Starts of coordinates are in force.c, those of free and ball joints in joint.c. */
#include "lang/check_impl.h"

#include <string.h>

PfStartPriority pf_start_priority(const PfNode *assign)
{
  return assign->flag ? PF_START_FIXED : PF_START_GIVEN;
}

bool pf_is_start_value(Checker *ck, const PfNode *node, Value value)
{
  if (value.kind == V_NONE) return false;
  if (!(pf_contents(ck, value.scalar) & HAS_MOTION)) return true;
  return pf_check_refuse(ck, PF_ERR_MODEL, node, "a start value is made of numbers and parameters only");
}

/* Three numbers in brackets, each an angular velocity. */
static bool read_vector(Checker *ck, Scope *scope, const PfNode *list, PfExpr out[3])
{
  if (list->kind != PF_N_VECTOR || pf_child_count(list) != 3) {
    pf_check_fail(ck, PF_ERR_MODEL, list, "'omega' needs 3 numbers in brackets here");
    pf_check_hint(ck, "in the axes of the ground: start omega(b) = (0, 0, 1)");
    return false;
  }
  const PfNode *c = list->child;
  for (int k = 0; k < 3; k++, c = c->next) {
    Value value = pf_scalar_of(ck, scope, c, "a start value");
    if (!pf_is_start_value(ck, c, value)) return false;
    if (!pf_dim_expect(ck, c, value.dim, pf_dim_turning(), "this start")) return false;
    out[k] = value.scalar;
  }
  return true;
}

bool pf_assign_spin_start(Checker *ck, Scope *scope, const PfNode *assign)
{
  static const char *const axes[] = {"x", "y", "z"};
  const PfNode *target = assign->child, *whole = target->kind == PF_N_MEMBER ? target->child : target;
  if (whole->kind != PF_N_CALL || strcmp(whole->text, "omega")) return false;
  if (whole != target) { /* omega(b).z */
    pf_check_fail(ck, PF_ERR_MODEL, target, "a start of omega gives the whole vector, not a component");
    pf_check_hint(ck, "in the axes of the ground: start omega(b) = (0, 0, 1)");
    return true;
  }
  PfStartSpin start = {.priority = pf_start_priority(assign), .place = pf_model_place(ck, target)};
  Value spin = pf_vector_of(ck, scope, target, "omega");
  if (spin.kind == V_NONE) return true;
  const char *name = ""; /* omega(b), or omega(b, c) of b relative to c */
  for (const PfNode *c = target->child; c; c = c->next) {
    Value frame = pf_frame_of(ck, scope, c, "the argument of omega");
    if (frame.kind == V_NONE) return true;
    name = pf_print_text(ck, "%s%s%s", name, *name ? ", " : "", ck->model->frames[frame.frame].name);
  }
  if (!read_vector(ck, scope, target->next, start.start)) return true;
  pf_vector_express(ck->model, spin.vector, 0, start.spin);
  for (int k = 0; k < 3; k++) start.name[k] = pf_print_text(ck, "omega(%s).%s", name, axes[k]);
  for (size_t i = 0; i < ck->start_spins.count; i++)
    if (!strcmp(ck->start_spins.at[i].name[0], start.name[0])) {
      pf_check_fail(ck, PF_ERR_NAME, target, "this start is given twice");
      return true;
    }
  if (!pf_push(ck->allocator, &ck->start_spins, start)) pf_check_no_memory(ck);
  return true;
}
