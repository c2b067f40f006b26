/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of angular velocities, start omega(b) = (0, 0, 1), for bodies that are placed by angles: the rates of the
 * angles are solved for. Starts of coordinates are in force.c, those of free and ball joints in joint.c. */
#include "lang/check_impl.h"

#include <string.h>

PfFirmness pf_firmness(const PfNode *assign)
{
  return assign->flag ? PF_START_FIXED : PF_START_GIVEN;
}

bool pf_is_start_value(Checker *ck, const PfNode *node, Value value)
{
  if (value.kind == V_NONE) return false;
  if (!(pf_contents(ck, value.scalar) & HAS_MOTION)) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node, "a start value is made of numbers and parameters only");
  return false;
}

static bool read_vector(Checker *ck, Scope *scope, const PfNode *list, PfExpr out[3])
{
  int count = 0;
  for (const PfNode *c = list->kind == PF_N_VECTOR ? list->child : NULL; c; c = c->next) count++;
  if (count != 3) {
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

/* omega(b), or omega(b, c) of b relative to c. */
static const char *name_of(Checker *ck, Scope *scope, const PfNode *call)
{
  const char *name = "";
  for (const PfNode *c = call->child; c; c = c->next) {
    Value frame = pf_frame_of(ck, scope, c, "the argument of omega");
    if (frame.kind == V_NONE) return NULL;
    name = pf_print_text(ck, "%s%s%s", name, *name ? ", " : "", ck->model->frames[frame.frame].name);
  }
  return pf_print_text(ck, "omega(%s)", name);
}

static bool is_new(Checker *ck, const PfNode *target, const PfStartSpin *start)
{
  for (size_t i = 0; i < ck->start_spins.count; i++)
    if (!strcmp(ck->start_spins.at[i].name[0], start->name[0])) {
      pf_check_fail(ck, PF_ERR_NAME, target, "this start is given twice");
      return false;
    }
  return true;
}

/* omega(b).z: a single component. */
static bool is_component(Checker *ck, const PfNode *target)
{
  const PfNode *whole = target->kind == PF_N_MEMBER ? target->child : NULL;
  if (!whole || whole->kind != PF_N_CALL || strcmp(whole->text, "omega")) return false;
  pf_check_fail(ck, PF_ERR_MODEL, target, "a start of omega gives the whole vector, not a component");
  pf_check_hint(ck, "in the axes of the ground: start omega(b) = (0, 0, 1)");
  return true;
}

bool pf_assign_spin_start(Checker *ck, Scope *scope, const PfNode *assign)
{
  static const char *const axes[] = {"x", "y", "z"};
  const PfNode *target = assign->child;
  if (is_component(ck, target)) return true;
  if (target->kind != PF_N_CALL || strcmp(target->text, "omega")) return false;
  PfStartSpin start = {.firm = pf_firmness(assign), .place = pf_model_place(ck, target)};
  Value spin = pf_vector_of(ck, scope, target, "omega");
  const char *name = spin.kind == V_NONE ? NULL : name_of(ck, scope, target);
  if (!name || !read_vector(ck, scope, target->next, start.start)) return true;
  pf_vector_express(ck->model, spin.vector, 0, start.spin);
  for (int k = 0; k < 3; k++) start.name[k] = pf_print_text(ck, "%s.%s", name, axes[k]);
  if (is_new(ck, target, &start) && !pf_push(ck->allocator, &ck->start_spins, start)) pf_check_no_memory(ck);
  return true;
}
