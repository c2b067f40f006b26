/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: one function each, called with the keyword as the last token read. */
#include "lang/parse_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- declarations */

/* model NAME "title" */
static PfNode *model_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_MODEL);
  if (p->token.kind == PF_T_STRING && pf_parser_expected(p, "a short name before the title"))
    pf_hint(p->ctx, "for example: model snakeboard \"Snakeboard with springs\"");
  bool word = p->token.kind == PF_T_KEYWORD || p->token.kind == PF_T_CLAUSE;
  if (word && !pf_parser_line_ended(p)) p->token.kind = PF_T_NAME; /* nothing refers to it: any word will do */
  node->child = pf_parse_new_name(p, PF_N_LABEL, "a name for the model");
  if (pf_parser_line_ended(p)) return node;
  if (p->token.kind == PF_T_STRING) node->child->next = pf_parse_string(p);
  else if (p->token.kind == PF_T_NAME && pf_parser_expected(p, "the end of the line"))
    pf_hint(p->ctx, "a title stands in quotes: model snakeboard \"Snakeboard with springs\"");
  return node;
}

/* Adds a hint at the likely intention of the token after a name. */
static void hint_after_item(PfParser *p, const PfNode *item, const char *keyword)
{
  PfTokenKind kind = p->kept.kind;
  if (kind == PF_T_PRIME)
    pf_hint(p->ctx, "declare '%.40s' alone: its derivative %.40s' comes with it", item->text, item->text);
  else if (kind == PF_T_LPAREN)
    pf_hint(p->ctx, "a function is defined by: let %.40s(x) = …", item->text);
  else if (kind == PF_T_NUMBER)
    pf_hint(p->ctx, "a value is given by: %s %.40s = %.*s", keyword, item->text,
            p->kept.size > 32 ? 32 : (int)p->kept.size, p->source->bytes + p->kept.start);
  else if (kind == PF_T_NAME && strcmp(keyword, "let") != 0)
    pf_hint(p->ctx, "names are separated by commas; a unit stands in brackets: %.40s [m]", item->text);
}

/* [= value] and [unit] in either order; the children end up in the order of the tree. */
static void value_and_units(PfParser *p, PfNode **tail)
{
  PfNode *unit = p->token.kind == PF_T_UNIT && !pf_parser_line_ended(p) ? pf_parse_units(p) : NULL;
  if (pf_parser_accept(p, PF_T_EQUAL)) tail = pf_parser_add(tail, pf_parse_wrapped(p, PF_N_VALUE));
  if (!unit && p->token.kind == PF_T_UNIT && !pf_parser_line_ended(p)) unit = pf_parse_units(p);
  if (unit) pf_parser_add(tail, unit);
}

static PfNode *find_child(PfNode *node, PfNodeKind kind)
{
  for (PfNode *child = node->child; child; child = child->next)
    if (child->kind == kind) return child;
  return NULL;
}

/* A name with its length or parameters, text, value and unit. */
static PfNode *item(PfParser *p, const char *keyword)
{
  PfNode *node = pf_parse_new_name(p, PF_N_ITEM, "a name");
  PfNode **tail = &node->child;
  bool let = !strcmp(keyword, "let");
  if (p->token.kind == PF_T_LBRACKET) {
    PfNode *size = pf_parser_node(p, PF_N_SIZE, &p->token);
    size->child = pf_parse_index(p);
    tail = pf_parser_add(tail, size);
  } else if (let && p->token.kind == PF_T_LPAREN && !p->token.newlines) {
    tail = pf_parser_add(tail, pf_parse_parameters(p));
  }
  if (!let && p->token.kind == PF_T_STRING && !pf_parser_line_ended(p)) tail = pf_parser_add(tail, pf_parse_string(p));
  bool stray = (p->token.kind == PF_T_PRIME || p->token.kind == PF_T_LPAREN || p->token.kind == PF_T_NUMBER ||
                p->token.kind == PF_T_NAME) && !pf_parser_line_ended(p);
  if (let && p->token.kind != PF_T_EQUAL && p->token.kind != PF_T_UNIT) {
    if (pf_parser_expected(p, "'=' and the definition of '%.40s'", node->text))
      hint_after_item(p, node, keyword);
  } else if (stray && pf_parser_expected(p, "'=', ',' or the end of the line after '%.40s'", node->text)) {
    hint_after_item(p, node, keyword);
  }
  value_and_units(p, tail);
  if (let && !find_child(node, PF_N_VALUE))
    pf_parser_expected(p, "'=' and the definition of '%.40s'", node->text);
  return node;
}

/* coord x, y [m]: the unit of y is also that of x. `from` is the first item that may be without. */
static void spread_units(PfParser *p, PfNode *from, const PfNode *last, const PfNode *given)
{
  for (PfNode *node = from; node != last; node = node->next) {
    if (find_child(node, PF_N_VALUE) || find_child(node, PF_N_UNITS)) continue;
    PfToken place = {.line = given->line, .column = given->column, .length = given->length};
    PfNode *copy = pf_parser_node(p, PF_N_UNITS, &place);
    copy->text = given->text;
    PfNode **tail = &node->child;
    while (*tail) tail = &(*tail)->next;
    *tail = copy;
  }
}

static PfNode *declare_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_DECLARE), *from = NULL;
  PfNode **tail = &node->child;
  do {
    PfNode *next = item(p, node->text);
    tail = pf_parser_add(tail, next);
    if (p->failed) break;
    if (!from) from = next;
    const PfNode *given = find_child(next, PF_N_UNITS);
    if (!given || find_child(next, PF_N_VALUE)) continue;
    spread_units(p, from, next, given);
    from = NULL;
  } while (pf_parser_accept(p, PF_T_COMMA));
  return node;
}

static PfNode *energy_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_ENERGY);
  node->child = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL && pf_parser_expected(p, "the end of the statement"))
    pf_hint(p->ctx, "'%s' is followed by its formula alone, without a name and '='", node->text);
  return node;
}

/* ---------------------------------------------------------------- assignments and forces */

static bool is_variable(const PfNode *node)
{
  return node->kind == PF_N_NAME || node->kind == PF_N_INDEX || node->kind == PF_N_MEMBER;
}

/* Targets allowed left of '=': in start a coordinate, a velocity or omega(body), in rate a velocity, else a
 * coordinate. */
static void check_target(PfParser *p, const PfNode *target, const char *keyword)
{
  bool start = !strcmp(keyword, "start"), rate = !strcmp(keyword, "rate");
  bool velocity = target->kind == PF_N_PRIME && target->flag == 1 && is_variable(target->child);
  bool spin = target->kind == PF_N_CALL && !strcmp(target->text, "omega");
  if (p->failed || (rate ? velocity : is_variable(target) || (start && (velocity || spin)))) return;

  PfToken place = {.line = target->line, .column = target->column, .length = target->length};
  if (target->kind == PF_N_COMPARE) {
    if (pf_parser_error(p, &place, "a comparison instead of a value for '%s'", keyword))
      pf_hint(p->ctx, "write a single '='");
    return;
  }
  const char *example = start ? "x, x', psi[1] or omega(b)" : rate ? "x' or psi[1]'" : "x, psi[1] or arm.x";
  if (!pf_parser_error(p, &place, "the left side of '=' in '%s' must be a single quantity: %s", keyword,
                       example))
    return;
  if (start && target->kind == PF_N_PRIME)
    pf_hint(p->ctx, "only positions and velocities can be chosen; accelerations follow from the equations");
  else if (target->kind == PF_N_PRIME)
    pf_hint(p->ctx, "a force belongs to the coordinate itself: write it without '");
}

/* = value [!]; the target has been read. */
static PfNode *assign(PfParser *p, PfNode *target, const char *keyword)
{
  PfToken place = {.line = target->line, .column = target->column, .length = target->length};
  PfNode *node = pf_parser_node(p, PF_N_ASSIGN, &place);
  check_target(p, target, keyword);
  if (pf_parser_expect(p, PF_T_EQUAL, "and a value", NULL)) {
    node->child = target;
    bool start = !strcmp(keyword, "start");
    target->next = start ? pf_parse_start_value(p) : pf_parse_expression(p);
    node->flag = start && pf_parser_accept(p, PF_T_BANG);
  }
  pf_parser_extend(p, node);
  return node;
}

/* The list after its first target. */
static PfNode *assigns(PfParser *p, PfNode *node, PfNode *first)
{
  PfNode **tail = pf_parser_add(&node->child, assign(p, first, node->text));
  while (pf_parser_accept(p, PF_T_COMMA))
    tail = pf_parser_add(tail, assign(p, pf_parse_expression(p), node->text));
  return node;
}

static PfNode *assign_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_ASSIGNS);
  return assigns(p, node, pf_parse_expression(p));
}

/* EXPR at|on EXPR [from EXPR]; the first expression has been read. */
static PfNode *applied(PfParser *p, PfNode *node, PfNode *vector, const char *where)
{
  bool force = !strcmp(where, "at");
  PfNode **tail = pf_parser_add(&node->child, vector);
  const char *purpose = force ? "and the point where the force acts" : "and the body that it turns";
  const char *hint = force ? "for example: force (F, 0, 0) at tip" : "for example: torque (0, 0, T) on wheel";
  if (!pf_parser_expect_word(p, where, purpose, hint)) return node;
  tail = pf_parser_add(tail, pf_parse_expression(p));
  if (pf_parser_accept_word(p, "from")) pf_parser_add(tail, pf_parse_expression(p));
  return node;
}

static PfNode *force_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_FORCE);
  PfNode *first = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL || first->kind == PF_N_COMPARE) {
    node->kind = PF_N_ASSIGNS;
    return assigns(p, node, first);
  }
  if (pf_parser_sees(p, "at")) return applied(p, node, first, "at");
  if (pf_parser_expected(p, "'=' or 'at'"))
    pf_hint(p->ctx, "write: force x = F for a coordinate, force (F, 0, 0) at tip for a point");
  return node;
}

static PfNode *torque_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_FORCE);
  PfNode *first = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL && pf_parser_expected(p, "'on' and the body that it turns"))
    pf_hint(p->ctx, "for a coordinate write: force theta = …");
  return applied(p, node, first, "on");
}

static PfNode *nonideal_statement(PfParser *p)
{
  bool force = pf_parser_sees(p, "force"), torque = pf_parser_sees(p, "torque");
  if ((!force && !torque) || pf_parser_line_ended(p)) return assign_statement(p);
  pf_parser_advance(p);
  PfNode *node = pf_parse_node(p, PF_N_FORCE);
  node->flag = 1;
  PfNode *vector = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL && pf_parser_expected(p, force ? "'at' and a point" : "'on' and a body"))
    pf_hint(p->ctx, "for a coordinate write: nonideal x = …");
  return applied(p, node, vector, force ? "at" : "on");
}

/* ---------------------------------------------------------------- parts and repetition */

static PfNode *part_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_PART);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_new_name(p, PF_N_LABEL, "a name for the part"));
  tail = pf_parser_add(tail, pf_parse_parameters(p));
  pf_parser_add(tail, pf_parse_block(p));
  return node;
}

static PfNode *use_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_USE);
  PfNode *call = pf_parse_new_name(p, PF_N_CALL, "the name of a part");
  node->text = call->text;
  node->child = call;
  pf_parse_arguments(p, &call->child, "for example: use wheel(1, pi/3); without arguments: use wheel()");
  if (pf_parser_accept_word(p, "as")) call->next = pf_parse_label(p, "a name for this use of the part");
  return node;
}

static PfNode *for_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_FOR);
  PfNode *variable = pf_parse_new_name(p, PF_N_NAME, "a name that counts");
  node->text = variable->text;
  if (!pf_parser_expect_word(p, "in", "and a range", "for example: for i in 1..3 { … }")) return node;
  node->child = pf_parse_range(p);
  node->child->next = pf_parse_block(p);
  return node;
}

/* ---------------------------------------------------------------- what to do with the model */

/* 'run 10 s' */
static bool is_time(const char *word)
{
  static const char *const units[] = {"s", "sec", "seconds", "ms", "min", "h"};
  for (size_t i = 0; i < sizeof units/sizeof *units; i++)
    if (!strcmp(word, units[i])) return true;
  return false;
}

static PfNode *run_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_RUN);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (pf_parser_accept_word(p, "by"))
    tail = pf_parser_add(tail, pf_parse_new_name(p, PF_N_NAME, "the name of an integrator"));
  if (pf_parser_accept_word(p, "until")) tail = pf_parser_add(tail, pf_parse_wrapped(p, PF_N_VALUE));
  if (p->token.kind == PF_T_NAME && !pf_parser_line_ended(p)) {
    pf_parser_expected(p, "'by', 'until', '{' or the end of the line");
    if (is_time(pf_parser_token_text(p, p->failed ? &p->kept : &p->token))) pf_parser_hint_neighbours(p);
  }
  pf_parse_optional_properties(p, tail);
  return node;
}

/* Quantities, each followed by the unit it is shown in: x, theta [deg], kinetic + potential. */
PfNode **pf_parse_shown(PfParser *p, PfNode **tail)
{
  p->showing = true;
  do {
    tail = pf_parser_add(tail, pf_parse_start_value(p));
  } while (pf_parser_accept(p, PF_T_COMMA));
  p->showing = false;
  return tail;
}

static PfNode *plot_statement(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_PLOT);
  PfNode **tail = pf_parse_shown(p, &node->child);
  if (!pf_parser_accept_word(p, "against")) return node;
  PfNode *against = pf_parser_node(p, PF_N_VALUE, &p->token);
  p->showing = true;
  against->child = pf_parse_start_value(p);
  p->showing = false;
  pf_parser_extend(p, against);
  pf_parser_add(tail, against);
  return node;
}

/* draw FRAME as shape(sizes) { properties } */
static PfNode *draw_statement(PfParser *p)
{
  const char *example = "for example: draw board as box(1, 0.2, 0.05)";
  PfNode *node = pf_parse_node(p, PF_N_DRAW);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (!pf_parser_expect_word(p, "as", "and a shape", example)) return node;
  bool keyword = p->token.kind == PF_T_KEYWORD && !pf_parser_line_ended(p);
  if (keyword) p->token.kind = PF_T_NAME; /* point(…) is a shape */
  PfNode *shape = pf_parse_new_name(p, PF_N_CALL, "a shape");
  pf_parse_arguments(p, &shape->child, example);
  pf_parser_extend(p, shape);
  tail = pf_parser_add(tail, shape);
  pf_parse_optional_properties(p, tail);
  return node;
}

/* ---------------------------------------------------------------- the table */

PfNode *pf_parse_statement(PfParser *p)
{
  static const struct {
    const char *word;
    PfNode *(*read)(PfParser *p);
  } statements[] = {
#define ENTRY(word, function) {word, function},
    PF_KEYWORD_LIST(ENTRY)
#undef ENTRY
  };
  PfToken keyword = p->last;
  for (size_t i = 0; i < sizeof statements/sizeof *statements; i++)
    if (pf_token_is(p->source, &keyword, statements[i].word)) return statements[i].read(p);
  return &p->nowhere;
}
