/* SPDX-License-Identifier: Apache-2.0 */
/* What is shown of a run: 'plot', and quantities that are asked for beside the model. Beyond what the language has
 * everywhere there are names for what only the equations know; they are symbols with brackets in their names, which
 * nothing else can have (pf_equations_express). */
#include "lang/check_impl.h"
#include "lang/lex.h"

#include <string.h>

/* ---------------------------------------------------------------- names of what the equations know */

/* No derivative is had of them. */
static Value known_later(Checker *ck, const char *symbol, Dim dim)
{
  PfExpr e = pf_expr_symbol(ck->ctx, symbol);
  pf_set_contents(ck, e, HAS_ACCELERATION);
  return pf_scalar_value(e, dim);
}

bool pf_is_shown_name(const Checker *ck, const Scope *scope, const PfNode *node, const char *name)
{
  return ck->showing && !strcmp(node->text, name) && !pf_scope_find(scope, name);
}

bool pf_value_of_shown(Checker *ck, Scope *scope, const PfNode *node, Value *value)
{
  static const char *const words[] = {"kinetic", "potential", "violation_position", "violation_velocity"};
  Dim joule = pf_dim_make(1, 2, -2);
  for (size_t i = 0; i < sizeof words/sizeof *words; i++) {
    if (!pf_is_shown_name(ck, scope, node, words[i])) continue;
    *value = known_later(ck, pf_print_text(ck, "%s()", words[i]), i < 2 ? joule : pf_dim_unknown());
    return true;
  }
  if (!pf_is_shown_name(ck, scope, node, "energy")) return false;
  Value kinetic = known_later(ck, "kinetic()", joule), potential = known_later(ck, "potential()", joule);
  *value = pf_scalar_value(pf_expr_add(ck->ctx, kinetic.scalar, potential.scalar), joule);
  return true;
}

Value pf_value_of_violation(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *name = pf_spell_constraint(ck, scope, node->child);
  if (!name) return pf_no_value();
  MultiplierUse use = {node, pf_print_text(ck, "%s", name), "violation"}; /* it must exist, as for a multiplier */
  if (!pf_push(ck->allocator, &ck->multiplier_uses, use)) pf_check_no_memory(ck);
  return known_later(ck, pf_print_text(ck, "violation(%s)", name), pf_dim_unknown());
}

Value pf_value_of_reaction(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *how = "reaction(x) is the generalized force of the constraints on the coordinate x";
  if (!ck->showing && !ck->in_condition) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "a reaction can only be shown, by 'plot' or @show, and stand in conditions");
    pf_check_hint(ck, "%s; a force may depend on multipliers, lambda[name]", how);
    return pf_no_value();
  }
  Value value = node->child && !node->child->next ? pf_value_of(ck, scope, node->child) : pf_no_value();
  if (node->child && !node->child->next && value.kind == V_NONE) return value;
  for (size_t i = 0; value.kind == V_SCALAR && i < ck->coordinates.count; i++)
    if (ck->coordinates.at[i].q == value.scalar)
      return known_later(ck, pf_print_text(ck, "reaction(%s)", ck->coordinates.at[i].name), pf_dim_force(value.dim));
  pf_check_fail(ck, PF_ERR_MODEL, node, "the name of one coordinate is needed here");
  pf_check_hint(ck, "%s", how);
  return pf_no_value();
}

/* ---------------------------------------------------------------- wrenches */

static const char *const wrench_parts[] = {"mx", "my", "mz", "fx", "fy", "fz"};

/* wrench(b), which is a function of the language unless the model has one of this name. */
static bool is_wrench(const Scope *scope, const PfNode *node)
{
  return node->kind == PF_N_CALL && !strcmp(node->text, "wrench") && !pf_scope_find(scope, "wrench");
}

bool pf_is_wrench(const Scope *scope, const PfNode *node)
{
  return node->kind == PF_N_MEMBER && is_wrench(scope, node->child);
}

/* The frame that the call names, in full; NULL after an error. */
static const char *wrench_frame(Checker *ck, Scope *scope, const PfNode *call)
{
  const char *how = "wrench(b).fx is a component of the wrench of its joint on the body b, in the axes of b: "
                    "mx, my, mz, fx, fy or fz";
  if (!ck->showing && !ck->in_condition) {
    pf_check_fail(ck, PF_ERR_MODEL, call, "a wrench can only be shown, by 'plot' or @show, and stand in conditions");
    pf_check_hint(ck, "%s", how);
    return NULL;
  }
  const PfNode *name = call->child;
  bool one = name && !name->next && (name->kind == PF_N_NAME || name->kind == PF_N_INDEX || name->kind == PF_N_MEMBER);
  Entity *entity = one ? pf_scope_lookup(ck, scope, name) : NULL;
  if (one && !entity) return NULL;
  if (entity && entity->kind == E_FRAME && entity->value) return entity->name;
  pf_check_fail(ck, PF_ERR_MODEL, call, "the name of one body or frame is needed here");
  pf_check_hint(ck, "%s", how);
  return NULL;
}

static Value wrench_part(Checker *ck, const char *frame, int part)
{
  return known_later(ck, pf_print_text(ck, "wrench(%s).%s", frame, wrench_parts[part]),
                     pf_dim_make(1, part < 3 ? 2 : 1, -2));
}

Value pf_value_of_wrench_part(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *frame = wrench_frame(ck, scope, node->child);
  for (int i = 0; frame && i < 6; i++)
    if (!strcmp(node->text, wrench_parts[i])) return wrench_part(ck, frame, i);
  if (!frame) return pf_no_value();
  pf_check_fail(ck, PF_ERR_NAME, node, "a wrench has no part '%s'", node->text);
  pf_check_hint(ck, "its parts are mx, my, mz, fx, fy and fz");
  return pf_no_value();
}

/* Without a part a wrench is not one number: an error. */
Value pf_value_of_wrench(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *frame = wrench_frame(ck, scope, node);
  if (!frame) return pf_no_value();
  pf_check_fail(ck, PF_ERR_MODEL, node, "a wrench is six numbers");
  pf_check_hint(ck, "one of them is wrench(%s).fx; alone in a list, wrench(%s) shows all", frame, frame);
  return pf_no_value();
}

int pf_contact_of(Checker *ck, Scope *scope, const PfNode *node)
{
  bool named = node->kind == PF_N_NAME || node->kind == PF_N_INDEX || node->kind == PF_N_MEMBER;
  if (!ck->showing || !named) return -1;
  const char *name = pf_spell_constraint(ck, scope, node);
  for (size_t i = 0; name && i < ck->contacts.count; i++)
    if (!strcmp(ck->contacts.at[i].name, name)) return (int)i;
  return -1;
}

/* ---------------------------------------------------------------- labels */

/* Columns count characters, not bytes. */
static const char *after_characters(const char *text, uint32_t count)
{
  for (; *text && count; count--)
    do text++;
    while (((unsigned char)*text & 0xC0) == 0x80);
  return text;
}

/* The text of the expression as written, blanks made single; in brackets when it ends in a unit, next to which its own
 * would be confusing. */
static const char *text_of(Checker *ck, const PfNode *node)
{
  PfPlace place = pf_node_place(ck->source, node);
  if (!place.text) return "value";
  const char *start = after_characters(place.text, node->column - 1), *end = after_characters(start, node->length);
  if (start >= end) return "value";
  char *text = pf_arena_text(ck->model->arena, start, (size_t)(end - start));
  if (!text) return pf_check_no_memory(ck) ? NULL : "value";
  pf_squeeze_blanks(text);
  const char *bracket = strrchr(text, '[');
  bool unit = text[strlen(text) - 1] == ']' && bracket > text && bracket[-1] == ' ';
  return unit ? pf_print_text(ck, "(%s)", text) : text;
}

/* w_q[2], v_base.px: names that were given beside those of the model; contact.u: a coordinate of a contact, which is no
 * member of anything. False when it is something else. */
bool pf_value_of_given(Checker *ck, const PfNode *node, Value *value)
{
  if (!ck->asked) return false;
  const char *text = text_of(ck, node);
  const Entity *entity = pf_scope_find(ck->global, text);
  int coordinate = node->kind == PF_N_MEMBER ? pf_checked_coordinate(ck, text) : -1;
  if (coordinate >= 0)
    *value = pf_scalar_value(ck->coordinates.at[coordinate].q, ck->coordinate_dims.at[coordinate]);
  else if (entity && entity->kind == E_VALUE) *value = entity->result;
  else return false;
  return true;
}

/* q, left.q, psi[2], x', lambda[rear], reaction(x): something with a name, and not pos(b).x, though that may be x. */
static bool is_name(const PfNode *node)
{
  if (node->kind == PF_N_CALL) return !strcmp(node->text, "reaction");
  if (node->kind == PF_N_MEMBER && node->child->kind == PF_N_CALL) return !strcmp(node->child->text, "wrench");
  if (node->kind == PF_N_MEMBER || node->kind == PF_N_PRIME)
    return node->child->kind != PF_N_CALL && is_name(node->child);
  return node->kind == PF_N_NAME || node->kind == PF_N_INDEX;
}

static bool is_symbol(const Checker *ck, const PfNode *node, Value value)
{
  return is_name(node) && value.kind == V_SCALAR && pf_expr_op(ck->ctx, value.scalar) == PF_OP_SYMBOL;
}

/* Names stand in full, left.q for q inside a part; the rest as it is written. */
static const char *label_of(Checker *ck, Scope *scope, const PfNode *node, const Entity *definition, Value value)
{
  /* u2' of 'speed u2 = th'', which is th'': the rate of something that has a name of its own. */
  const PfNode *child = node->kind == PF_N_PRIME ? node->child : NULL;
  bool named = child && (child->kind == PF_N_NAME || child->kind == PF_N_INDEX);
  const char *name = named ? pf_spell_name(ck, scope, child) : NULL;
  const Entity *entity = name ? pf_scope_find(scope, name) : NULL;
  if (definition) return definition->name;
  if (entity && (entity->kind == E_SPEED || entity->kind == E_LET || entity->kind == E_VALUE))
    return pf_print_text(ck, "%s%.*s", entity->name, node->flag, "''''''''");
  if (!is_symbol(ck, node, value)) return text_of(ck, node);
  /* violation(rear) is written violation[rear], and kinetic() without its brackets. */
  name = pf_expr_symbol_name(ck->ctx, value.scalar);
  size_t length = strlen(name);
  if (length > 2 && !strcmp(name + length - 2, "()")) return pf_print_text(ck, "%.*s", (int)length - 2, name);
  if (strncmp(name, "violation(", 10) != 0) return pf_print_text(ck, "%s", name);
  return pf_print_text(ck, "violation[%.*s]", (int)length - 11, name + 10);
}

/* ---------------------------------------------------------------- lists */

typedef struct Shown {
  const char *label, *unit;
  double scale; /* 0: that of the name, if it has one */
  PfExpr value;
} Shown;

typedef PF_ARRAY(Shown) ShownList;

static void add(Checker *ck, ShownList *list, const char *label, const char *unit, double scale, PfExpr value)
{
  Shown item = {label, unit, scale, value};
  if (!pf_push(ck->allocator, list, item)) pf_check_no_memory(ck);
}

/* The unit behind a quantity is that of its numbers; of a number, its own as well. */
static bool read_unit(Checker *ck, const PfNode *node, Value *value, const char **text, double *scale)
{
  PfUnit unit;
  const PfNode *child = node->child;
  bool time = child->kind == PF_N_NAME && !strcmp(child->text, "t");
  if (!pf_unit_of(ck, node, &unit)) return false;
  if (time) value->dim = pf_dim_make(0, 0, 1);
  if (!pf_dim_expect(ck, child, value->dim, (Dim){.known = true, .of = unit.dimension}, "what is shown")) return false;
  if (pf_dim_is_loose(value->dim)) *value = pf_value_times_unit(ck, *value, &unit);
  *text = pf_print_text(ck, "%s", node->text);
  *scale = unit.scale;
  return true;
}

/* Adds a number, or the three components of a vector, with label and unit. */
static bool add_value(Checker *ck, Scope *scope, const PfNode *node, bool one, ShownList *list)
{
  const PfNode *unit_node = node->kind == PF_N_UNIT ? node : NULL;
  if (unit_node) node = node->child;
  const Entity *definition = node->kind == PF_N_NAME ? pf_scope_find(scope, node->text) : NULL;
  if (definition && definition->kind != E_LET) definition = NULL;
  const char *unit = definition && definition->has_unit ? definition->unit_text : NULL; /* it is shown in that unit */
  double scale = unit ? definition->unit.scale : 1;
  Value value = pf_value_of(ck, scope, node);
  bool vector = value.kind == V_VECTOR && !one;
  if (value.kind != V_SCALAR && value.kind != V_NONE && !vector)
    pf_check_fail(ck, PF_ERR_MODEL, node, "what is plotted must be a number, this is %s", pf_kind_text(value.kind));
  if (value.kind != V_SCALAR && !vector) return false;
  if (unit_node && !read_unit(ck, unit_node, &value, &unit, &scale)) return false;
  if (!unit && is_symbol(ck, node, value)) scale = 0; /* settle_plots */
  if (!unit) {
    /* J, not N m, for sums with the energies in them. */
    PfExpr energies[] = {pf_expr_symbol(ck->ctx, "kinetic()"), pf_expr_symbol(ck->ctx, "potential()")};
    bool energy = value.kind == V_SCALAR && value.dim.known &&
                  pf_dimension_equal(value.dim.of, pf_dim_make(1, 2, -2).of);
    unit = energy && pf_expr_depends(ck->ctx, value.scalar, energies, 2) ? "J" : pf_dim_unit(ck, value.dim);
  }
  if (!vector) {
    add(ck, list, label_of(ck, scope, node, definition, value), unit, scale, value.scalar);
    return true;
  }
  PfExpr c[3];
  pf_vector_express(ck->model, value.vector, 0, c);
  bool whole = node->kind == PF_N_CALL || node->kind == PF_N_VECTOR || is_name(node); /* (a + b).x */
  const char *label = definition ? definition->name : text_of(ck, node);
  if (!whole) label = pf_print_text(ck, "(%s)", label);
  for (int k = 0; k < 3; k++) add(ck, list, pf_print_text(ck, "%s.%c", label, 'x' + k), unit, scale, c[k]);
  return true;
}

/* violation: of all constraints; violation[w]: of all rows of a contact. False when it is something else. */
static bool add_violations(Checker *ck, Scope *scope, const PfNode *node, ShownList *list)
{
  if (!pf_is_shown_name(ck, scope, node, "violation") || (node->kind != PF_N_NAME && node->kind != PF_N_INDEX))
    return false;
  const char *of = node->kind == PF_N_INDEX ? pf_spell_constraint(ck, scope, node->child) : NULL;
  size_t length = of ? strlen(of) : 0;
  bool any = false;
  for (size_t i = 0; i < ck->constraints.count; i++) {
    const PfConstraint *c = ck->constraints.at + i;
    bool meant = !of || (!strncmp(c->name, of, length) && c->name[length] == '.');
    if (c->norm || !meant) continue;
    any = true;
    Value value = known_later(ck, pf_print_text(ck, "violation(%s)", c->name), pf_dim_unknown());
    add(ck, list, pf_print_text(ck, "violation[%s]", c->name), "", 1, value.scalar);
  }
  return any || node->kind == PF_N_NAME;
}

/* lambda: all multipliers; chi: all of a list. False when it is something else. */
static bool add_family(Checker *ck, Scope *scope, const PfNode *node, ShownList *list)
{
  if (node->kind != PF_N_NAME) return false;
  const Entity *entity = pf_scope_find(scope, node->text);
  bool multipliers = !entity && !strcmp(node->text, "lambda"), array = entity && entity->kind == E_ARRAY;
  for (size_t i = 0; multipliers && i < ck->constraints.count; i++) {
    const PfConstraint *c = ck->constraints.at + i;
    if (!c->norm) add(ck, list, pf_print_text(ck, "lambda[%s]", c->name), c->unit, 1, c->multiplier);
  }
  for (int i = 1; array && i <= entity->size; i++) {
    Entity *one = pf_scope_find(scope, pf_print_text(ck, "%s[%d]", node->text, i));
    Value value = one ? pf_value_of_entity(ck, one, node) : pf_no_value();
    const char *unit = pf_dim_unit(ck, value.dim);
    bool symbol = value.kind == V_SCALAR && pf_expr_op(ck->ctx, value.scalar) == PF_OP_SYMBOL;
    if (one && value.kind == V_SCALAR) add(ck, list, one->name, unit, symbol ? 0 : 1, value.scalar);
  }
  return multipliers || array;
}

/* wrench(b): all six. False when it is something else, or after an error. */
static bool add_wrench(Checker *ck, Scope *scope, const PfNode *node, ShownList *list)
{
  const char *frame = is_wrench(scope, node) ? wrench_frame(ck, scope, node) : NULL;
  for (int i = 0; frame && i < 6; i++) {
    Value value = wrench_part(ck, frame, i);
    add(ck, list, pf_expr_symbol_name(ck->ctx, value.scalar), pf_dim_unit(ck, value.dim), 1, value.scalar);
  }
  return frame;
}

/* All quantities of a list; the one after 'against' comes last. */
static bool read_list(Checker *ck, Scope *scope, const PfNode *node, ShownList *list, PfPlot *plot)
{
  for (const PfNode *child = node->child; child; child = child->next) {
    bool against = child->kind == PF_N_VALUE; /* comes last */
    if (against) {
      if (!add_value(ck, scope, child->child, true, list)) return false;
      const Shown *last = list->at + list->count - 1;
      plot->against = last->value, plot->against_label = last->label;
      continue;
    }
    bool several = add_violations(ck, scope, child, list) || add_family(ck, scope, child, list) ||
                   add_wrench(ck, scope, child, list);
    if (!several && !add_value(ck, scope, child, false, list)) return false;
    plot->count = (int)list->count;
  }
  /* The list as arrays, which live as long as the model. */
  size_t count = list->count;
  plot->labels = pf_arena_array(ck->model->arena, const char *, count);
  plot->units = pf_arena_array(ck->model->arena, const char *, count);
  plot->scales = pf_arena_array(ck->model->arena, double, count);
  plot->values = pf_arena_array(ck->model->arena, PfExpr, count);
  if (!plot->labels || !plot->units || !plot->scales || !plot->values) return pf_check_no_memory(ck);
  for (size_t i = 0; i < count; i++) {
    plot->labels[i] = list->at[i].label;
    plot->units[i] = list->at[i].unit;
    plot->scales[i] = list->at[i].scale;
    plot->values[i] = list->at[i].value;
  }
  return true;
}

/* A list of quantities to be shown: plot, or one that a program reads. */
void pf_check_plot(Checker *ck, Scope *scope, const PfNode *node)
{
  PfPlot plot = {0};
  ShownList list = {0};
  ck->showing = true;
  if (read_list(ck, scope, node, &list, &plot) && !pf_push(ck->allocator, &ck->plots, plot)) pf_check_no_memory(ck);
  ck->showing = false;
  pf_array_free(ck->allocator, &list);
}

/* ---------------------------------------------------------------- when the model is known */

/* A run knows velocities, not the speeds that they are written by. */
typedef struct Speeds {
  int count;
  PfExpr *symbol, *value; /* NULL: not worked out yet */
} Speeds;

/* Replaces speeds by their formulas in velocities, which are solved for when first needed. */
static PfStatus write_out(const PfModel *model, PfArena *arena, Speeds *s, PfExpr *list, int count)
{
  bool any = false;
  for (int i = 0; i < s->count; i++) s->symbol[i] = model->speeds[i].symbol;
  for (int i = 0; i < count; i++) any = any || (list[i] && pf_expr_depends(model->ctx, list[i], s->symbol, s->count));
  if (!any) return PF_OK;
  if (!s->value) {
    s->value = pf_arena_array(arena, PfExpr, s->count);
    if (!s->value) return pf_no_room(model->ctx, "the speeds");
    PF_TRY(pf_model_speeds(model, arena, s->value));
  }
  return pf_expr_substitute(model->ctx, list, count, s->symbol, s->value, s->count, list);
}

static PfStatus settle_plots(const PfModel *model, PfArena *arena, Speeds *s, PfPlot *plots, int count)
{
  for (int i = 0; i < count; i++) {
    PfPlot *plot = plots + i;
    int values = plot->count + (plot->against != PF_EXPR_NONE);
    for (int k = 0; k < values; k++) { /* a name without a unit is shown in its own */
      if (plot->scales[k] > 0) continue;
      PfMeasure own = pf_model_measure(model, pf_expr_symbol_name(model->ctx, plot->values[k]));
      if (own.unit[0]) plot->units[k] = own.unit;
      plot->scales[k] = own.scale;
    }
    PF_TRY(write_out(model, arena, s, plot->values, values));
    if (plot->against) plot->against = plot->values[plot->count];
  }
  return PF_OK;
}

static PfStatus prepare(const PfModel *model, PfArena *arena, Speeds *s)
{
  *s = (Speeds){.count = model->speed_count, .symbol = pf_arena_array(arena, PfExpr, model->speed_count)};
  return s->symbol ? PF_OK : pf_no_room(model->ctx, "the speeds");
}

/* Completes units, and writes speeds by velocities. */
PfStatus pf_settle_plots(const PfModel *model, PfArena *arena, PfPlot *plots, int count)
{
  Speeds s;
  PF_TRY(prepare(model, arena, &s));
  return settle_plots(model, arena, &s, plots, count);
}

PfStatus pf_settle_shown(PfModel *model, PfArena *arena)
{
  Speeds s;
  PF_TRY(prepare(model, arena, &s));
  PF_TRY(settle_plots(model, arena, &s, model->plots, model->plot_count));
  PF_TRY(write_out(model, arena, &s, &model->run.until, 1));
  for (int i = 0; i < model->event_count; i++) PF_TRY(write_out(model, arena, &s, &model->events[i].condition, 1));
  return PF_OK;
}
