/* SPDX-License-Identifier: Apache-2.0 */
/* run and draw: stored for the commands that use them. */
#include "lang/check_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- settings */

/* One setting of 'run' or 'draw': a word or a number. */
static bool read_setting(Checker *ck, Scope *scope, const PfNode *p, PfProperty *setting)
{
  setting->key = pf_print_text(ck, "%s", p->text);
  setting->place = pf_model_place(ck, p);
  bool axis = !strcmp(p->text, "axis"); /* x, y, z, whatever else has these names */
  bool known = !axis && p->child->text && (pf_scope_find(scope, p->child->text) || !strcmp(p->child->text, "pi"));
  bool word = p->child->kind == PF_N_NAME && !known;
  if (word || p->child->kind == PF_N_STRING) {
    setting->word = pf_print_text(ck, "%s", p->child->text);
    return true;
  }
  Value value = pf_scalar_of(ck, scope, p->child, "a setting");
  if (value.kind == V_NONE) return false;
  if (pf_contents(ck, value.scalar) & HAS_MOTION)
    return pf_check_refuse(ck, PF_ERR_MODEL, p->child, "a setting is made of numbers and parameters only");
  setting->value = value.scalar;
  return true;
}

static PfProperty *read_settings(Checker *ck, Scope *scope, const PfNode *block, int *count)
{
  *count = 0;
  PfProperty *settings = pf_arena_array(ck->model->arena, PfProperty, block ? pf_child_count(block) : 0);
  if (!settings) {
    pf_check_no_memory(ck);
    return NULL;
  }
  for (const PfNode *p = block ? block->child : NULL; p; p = p->next)
    if (read_setting(ck, scope, p, settings + *count)) ++*count;
  return settings;
}

/* ---------------------------------------------------------------- run */

void pf_check_run(Checker *ck, Scope *scope, const PfNode *node)
{
  PfRun *run = &ck->model->run;
  if (run->given) {
    pf_check_fail(ck, PF_ERR_NAME, node, "a model has one 'run'");
    return;
  }
  Value horizon = pf_scalar_of(ck, scope, node->child, "the duration of a run");
  if (horizon.kind == V_NONE ||
      !pf_dim_expect(ck, node->child, horizon.dim, pf_dim_make(0, 0, 1), "a duration"))
    return;
  double seconds;
  if ((pf_contents(ck, horizon.scalar) & HAS_MOTION) ||
      (pf_expr_is_number(ck->ctx, horizon.scalar, &seconds) && seconds <= 0)) {
    pf_check_fail(ck, PF_ERR_MODEL, node->child, "the duration of a run is a positive number of seconds");
    return;
  }
  run->given = true;
  run->horizon = horizon.scalar;
  for (const PfNode *child = node->child->next; child; child = child->next) {
    if (child->kind == PF_N_NAME) {
      run->method = pf_print_text(ck, "%s", child->text);
      run->method_place = pf_model_place(ck, child);
    }
    if (child->kind == PF_N_BLOCK) run->settings = read_settings(ck, scope, child, &run->setting_count);
    if (child->kind == PF_N_VALUE) {
      Value until = pf_value_of_condition(ck, scope, child->child);
      if (until.kind == V_CONDITION) run->until = until.scalar;
      else if (until.kind != V_NONE)
        pf_check_fail(ck, PF_ERR_MODEL, child, "'until' needs a condition such as x > 3 [m]");
    }
  }
}

/* ---------------------------------------------------------------- draw */

/* Is it a known shape with as many numbers as it needs? */
static bool is_shape(Checker *ck, const PfNode *shape)
{
  static const struct {
    const char *name;
    int arguments;
  } shapes[] = {{"box", 3}, {"sphere", 1}, {"cylinder", 2}, {"disc", 1}, {"line", 2}, {"trace", 0}, {"arrow", 1}};
  int count = pf_child_count(shape);
  for (size_t i = 0; i < sizeof shapes/sizeof *shapes; i++) {
    if (strcmp(shapes[i].name, shape->text)) continue;
    if (count == shapes[i].arguments) return true;
    return pf_check_refuse(ck, PF_ERR_MODEL, shape, "%s takes %d numbers, not %d", shape->text, shapes[i].arguments,
                           count);
  }
  pf_check_fail(ck, PF_ERR_NAME, shape, "'%s' is not a shape: box(a, b, c), sphere(r), cylinder(r, h), disc(r), "
                "line(a, b), arrow(a), trace()", shape->text);
  return false;
}

void pf_check_draw(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *shape = node->child->next, *block = pf_child_of_kind(node, PF_N_BLOCK);
  Value what = pf_point_of(ck, scope, node->child, "what is drawn");
  if (what.kind == V_NONE || !is_shape(ck, shape)) return;
  for (const PfNode *p = block ? block->child : NULL; p; p = p->next) {
    bool word = p->child->kind == PF_N_NAME || p->child->kind == PF_N_STRING;
    if (strcmp(p->text, "axis") || (word && pf_word_is_in("x y z", p->child->text, strlen(p->child->text)))) continue;
    pf_check_fail(ck, PF_ERR_MODEL, p->child, "the axis of a shape is x, y or z");
    return;
  }
  PfDraw draw = {.shape = pf_print_text(ck, "%s", shape->text), .frame = what.frame};
  draw.point = pf_vector_make(ck->model, what.frame, what.c);
  draw.arguments = pf_arena_array(ck->model->arena, PfExpr, 4);
  draw.settings = read_settings(ck, scope, block, &draw.setting_count);
  if (!draw.arguments) {
    pf_check_no_memory(ck);
    return;
  }
  for (const PfNode *child = shape->child; child; child = child->next) {
    Value value = pf_scalar_of(ck, scope, child, "a size");
    if (value.kind == V_NONE) return;
    draw.arguments[draw.argument_count++] = value.scalar;
  }
  if (!pf_push(ck->allocator, &ck->draws, draw)) pf_check_no_memory(ck);
}
