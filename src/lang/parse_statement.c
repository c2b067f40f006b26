/* Statements: one function each, called with the keyword as the last token read. */
#include "lang/parse_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- pieces */

/* The statement's node; its place and text are the keyword's. */
static PfNode *statement_node(PfParser *p, PfNodeKind kind)
{
  PfNode *node = pf_parser_node(p, kind, &p->last);
  node->text = pf_parser_token_text(p, &p->last);
  return node;
}

/* A new name, as a node of the kind. Words of the language and derivatives cannot be names. */
static PfNode *new_name(PfParser *p, PfNodeKind kind, const char *purpose)
{
  PfToken token = p->token;
  PfNode *node = pf_parser_node(p, kind, &token);
  char name[PF_TOKEN_NAME];
  bool reserved = token.kind == PF_T_KEYWORD || token.kind == PF_T_CLAUSE || token.kind == PF_T_AND ||
                  token.kind == PF_T_OR || token.kind == PF_T_NOT;
  if (reserved && !pf_parser_line_ended(p)) {
    pf_parser_describe(p, &token, name);
    if (pf_parser_error(p, &token, "%s is a word of the language, so it cannot be a name", name))
      pf_hint(p->ctx, "choose another name, for example %.*s_1", (int)token.size, p->source->bytes + token.start);
  } else if (token.kind != PF_T_NAME || pf_parser_line_ended(p)) {
    pf_parser_expected(p, "%s", purpose);
  } else {
    node->text = pf_parser_token_text(p, &token);
    pf_parser_advance(p);
  }
  return node;
}

/* [index] directly after a name. */
static PfNode *index_expression(PfParser *p)
{
  PfToken open = p->token;
  pf_parser_advance(p);
  p->brackets++;
  PfNode *index = pf_parse_expression(p);
  pf_parse_closing(p, &open, PF_T_RBRACKET, "']'");
  return index;
}

/* NAME or NAME[index] */
static PfNode *label(PfParser *p, const char *purpose)
{
  PfNode *node = new_name(p, PF_N_LABEL, purpose);
  if (p->token.kind == PF_T_LBRACKET) node->child = index_expression(p);
  pf_parser_extend(p, node);
  return node;
}

/* A label that was read as an expression, because only the ':' behind it tells. */
static PfNode *as_label(PfParser *p, PfNode *node)
{
  pf_parser_advance(p);
  node->kind = PF_N_LABEL;
  return node;
}

static bool is_label(const PfParser *p, const PfNode *node)
{
  return p->token.kind == PF_T_COLON && (node->kind == PF_N_NAME || node->kind == PF_N_INDEX);
}

/* Wraps an expression, so that its role shows. */
static PfNode *wrap(PfParser *p, PfNodeKind kind)
{
  PfNode *node = pf_parser_node(p, kind, &p->token);
  node->child = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

static PfNode *units(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_UNITS, &p->token);
  const char *text = pf_token_unit(p->source, &p->token);
  if (!text) pf_parser_no_memory(p);
  node->text = text ? text : "";
  pf_parser_advance(p);
  return node;
}

/* (a, b): names only */
static PfNode *parameters(PfParser *p)
{
  PfToken open = p->token;
  PfNode *node = pf_parser_node(p, PF_N_PARAMETERS, &open);
  if (!pf_parser_expect(p, PF_T_LPAREN, "and the names of the parameters")) return node;
  p->brackets++;
  PfNode **tail = &node->child;
  if (p->token.kind != PF_T_RPAREN) {
    do {
      tail = pf_parser_add(tail, new_name(p, PF_N_NAME, "the name of a parameter"));
    } while (pf_parser_accept(p, PF_T_COMMA));
  }
  pf_parse_closing(p, &open, PF_T_RPAREN, "',' or ')'");
  pf_parser_extend(p, node);
  return node;
}

/* ---------------------------------------------------------------- properties */

/* key expr or key = expr */
static PfNode *property(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_PROPERTY, &p->token);
  if (p->token.kind != PF_T_NAME && p->token.kind != PF_T_CLAUSE) {
    pf_parser_expected(p, "the name of a property or '}'");
    return node;
  }
  node->text = pf_parser_token_text(p, &p->token);
  pf_parser_advance(p);
  if (!pf_parser_accept(p, PF_T_EQUAL) && pf_parser_line_ended(p))
    pf_parser_expected(p, "the value of '%.40s'", node->text);
  node->child = pf_parse_expression(p);
  return node;
}

static void separator(PfParser *p, const PfNode *after)
{
  if (pf_parser_accept(p, PF_T_COMMA) || p->token.kind == PF_T_RBRACE || pf_parser_line_ended(p)) return;
  PfTokenKind kind = p->token.kind;
  if (kind == PF_T_END) return;
  if (pf_parser_expected(p, "',' or '}' after the value of '%.40s'", after->text) && kind == PF_T_SEMICOLON)
    pf_hint(p->ctx, "properties are separated by commas or new lines");
}

static PfNode *properties(PfParser *p, const char *purpose)
{
  PfToken open = p->token;
  PfNode *block = pf_parser_node(p, PF_N_BLOCK, &open);
  PfNode **tail = &block->child;
  if (!pf_parser_expect(p, PF_T_LBRACE, purpose)) return block;
  p->braces++;
  p->in_properties = true;
  bool open_end = false; /* a statement follows: the brace was forgotten */
  while (!p->failed && p->token.kind != PF_T_RBRACE && p->token.kind != PF_T_END && !open_end) {
    PfNode *node = property(p);
    tail = pf_parser_add(tail, node);
    separator(p, node);
    open_end = p->token.kind == PF_T_KEYWORD && p->token.newlines;
  }
  pf_parse_closing(p, &open, PF_T_RBRACE, "'}'");
  if (p->failed) return block;
  p->braces--;
  p->in_properties = false;
  return block;
}

static PfNode **optional_properties(PfParser *p, PfNode **tail)
{
  return p->token.kind == PF_T_LBRACE ? pf_parser_add(tail, properties(p, "")) : tail;
}

/* ---------------------------------------------------------------- declarations */

static PfNode *model_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_MODEL);
  PfTokenKind kind = p->token.kind;
  node->child = new_name(p, PF_N_LABEL, "a name for the model");
  if (p->failed && kind == PF_T_STRING)
    pf_hint(p->ctx, "a short name comes before the title: model snakeboard \"Snakeboard with springs\"");
  if (p->token.kind == PF_T_STRING && !pf_parser_line_ended(p)) node->child->next = pf_parse_expression(p);
  else if (p->token.kind == PF_T_NAME && !pf_parser_line_ended(p) && pf_parser_expected(p, "the end of the line"))
    pf_hint(p->ctx, "a title stands in quotes: model snakeboard \"Snakeboard with springs\"");
  return node;
}

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
  else if (kind == PF_T_NAME)
    pf_hint(p->ctx, "names are separated by commas; a unit stands in brackets: %.40s [m]", item->text);
}

/* [= value] and [unit] in either order; the children end up in the order of the tree. */
static void value_and_units(PfParser *p, PfNode **tail)
{
  PfNode *unit = p->token.kind == PF_T_UNIT && !pf_parser_line_ended(p) ? units(p) : NULL;
  if (pf_parser_accept(p, PF_T_EQUAL)) tail = pf_parser_add(tail, wrap(p, PF_N_VALUE));
  if (!unit && p->token.kind == PF_T_UNIT && !pf_parser_line_ended(p)) unit = units(p);
  if (unit) pf_parser_add(tail, unit);
}

static PfNode *item(PfParser *p, const char *keyword)
{
  PfNode *node = new_name(p, PF_N_ITEM, "a name");
  PfNode **tail = &node->child;
  bool let = !strcmp(keyword, "let");
  if (p->token.kind == PF_T_LBRACKET) {
    PfNode *size = pf_parser_node(p, PF_N_SIZE, &p->token);
    size->child = index_expression(p);
    tail = pf_parser_add(tail, size);
  } else if (let && p->token.kind == PF_T_LPAREN && !p->token.newlines) {
    tail = pf_parser_add(tail, parameters(p));
  }
  bool stray = (p->token.kind == PF_T_PRIME || p->token.kind == PF_T_LPAREN || p->token.kind == PF_T_NUMBER ||
                p->token.kind == PF_T_NAME) && !pf_parser_line_ended(p);
  if (let && p->token.kind != PF_T_EQUAL && p->token.kind != PF_T_UNIT) {
    if (pf_parser_expected(p, "'=' and the definition of '%.40s'", node->text)) hint_after_item(p, node, keyword);
  } else if (stray && pf_parser_expected(p, "'=', ',' or the end of the line after '%.40s'", node->text)) {
    hint_after_item(p, node, keyword);
  }
  value_and_units(p, tail);
  return node;
}

static PfNode *find_child(PfNode *node, PfNodeKind kind)
{
  for (PfNode *child = node->child; child; child = child->next)
    if (child->kind == kind) return child;
  return NULL;
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
  PfNode *node = statement_node(p, PF_N_DECLARE), *from = NULL;
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
  PfNode *node = statement_node(p, PF_N_ENERGY);
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

/* What may stand left of '=': in start a coordinate or velocity, in rate a velocity, else a coordinate. */
static void check_target(PfParser *p, const PfNode *target, const char *keyword)
{
  bool start = !strcmp(keyword, "start"), rate = !strcmp(keyword, "rate");
  bool velocity = target->kind == PF_N_PRIME && target->flag == 1 && is_variable(target->child);
  if (p->failed || (rate ? velocity : is_variable(target) || (start && velocity))) return;

  PfToken place = {.line = target->line, .column = target->column, .length = target->length};
  const char *example = start ? "x, x' or psi[1]" : rate ? "x' or psi[1]'" : "x, psi[1] or arm.x";
  if (!pf_parser_error(p, &place, "the left side of '=' in '%s' must be a single quantity: %s", keyword, example))
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
  if (p->token.kind == PF_T_EQUAL) check_target(p, target, keyword);
  if (pf_parser_expect(p, PF_T_EQUAL, "and a value")) {
    node->child = target;
    target->next = pf_parse_expression(p);
    node->flag = !strcmp(keyword, "start") && pf_parser_accept(p, PF_T_BANG);
  } else if (p->kept.kind == PF_T_EQUAL_EQUAL) {
    pf_hint(p->ctx, "write a single '='");
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
  PfNode *node = statement_node(p, PF_N_ASSIGNS);
  return assigns(p, node, pf_parse_expression(p));
}

/* EXPR at|on EXPR [from EXPR]; the first expression has been read. */
static PfNode *applied(PfParser *p, PfNode *node, PfNode *vector, const char *where, const char *purpose)
{
  PfNode **tail = pf_parser_add(&node->child, vector);
  if (!pf_parser_expect_word(p, where, purpose)) return node;
  tail = pf_parser_add(tail, pf_parse_expression(p));
  if (pf_parser_accept_word(p, "from")) pf_parser_add(tail, pf_parse_expression(p));
  return node;
}

static PfNode *force_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_FORCE);
  PfNode *first = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL) {
    node->kind = PF_N_ASSIGNS;
    return assigns(p, node, first);
  }
  if (pf_parser_sees(p, "at")) return applied(p, node, first, "at", "");
  if (pf_parser_expected(p, "'=' or 'at'"))
    pf_hint(p->ctx, "write: force x = F for a coordinate, force (F, 0, 0) at tip for a point");
  return node;
}

static PfNode *torque_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_FORCE);
  PfNode *first = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL && pf_parser_expected(p, "'on' and the body that the torque turns"))
    pf_hint(p->ctx, "for a coordinate write: force theta = …");
  return applied(p, node, first, "on", "and the body that the torque turns");
}

static PfNode *nonideal_statement(PfParser *p)
{
  bool force = pf_parser_sees(p, "force"), torque = pf_parser_sees(p, "torque");
  if ((!force && !torque) || pf_parser_line_ended(p)) return assign_statement(p);
  pf_parser_advance(p);
  PfNode *node = statement_node(p, PF_N_FORCE);
  node->flag = 1;
  PfNode *vector = pf_parse_expression(p);
  if (p->token.kind == PF_T_EQUAL && pf_parser_expected(p, force ? "'at' and a point" : "'on' and a body"))
    pf_hint(p->ctx, "for a coordinate write: nonideal x = …");
  return force ? applied(p, node, vector, "at", "and the point where the force acts")
               : applied(p, node, vector, "on", "and the body that the torque turns");
}

/* ---------------------------------------------------------------- geometry */

static PfNode *place_at(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_AT, &p->last);
  node->child = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

/* turn angle about axis, shift length along axis; the first word has been read. */
static PfNode *place_by(PfParser *p, PfNodeKind kind, const char *word, const char *purpose)
{
  PfNode *node = pf_parser_node(p, kind, &p->last);
  node->child = pf_parse_expression(p);
  if (pf_parser_expect_word(p, word, purpose)) node->child->next = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

static PfNode *reserved(PfParser *p, const PfToken *word, const char *use)
{
  char name[PF_TOKEN_NAME];
  pf_parser_describe(p, word, name);
  pf_parser_error(p, word, "%s is reserved for %s, which this version does not have yet", name, use);
  return pf_parser_node(p, PF_N_RESERVED, word);
}

static PfNode **placements(PfParser *p, PfNode **tail)
{
  for (;;) {
    if (pf_parser_accept_word(p, "at"))
      tail = pf_parser_add(tail, place_at(p));
    else if (pf_parser_accept_word(p, "turn"))
      tail = pf_parser_add(tail, place_by(p, PF_N_TURN, "about", "and the axis of the turn"));
    else if (pf_parser_accept_word(p, "shift"))
      tail = pf_parser_add(tail, place_by(p, PF_N_SHIFT, "along", "and the axis of the shift"));
    else if (pf_parser_sees(p, "free") || pf_parser_sees(p, "ball"))
      reserved(p, &p->token, pf_parser_sees(p, "free") ? "free joints" : "ball joints");
    else
      return tail;
  }
}

/* NAME in EXPR */
static PfNode **placed_name(PfParser *p, PfNode *node, const char *what)
{
  PfNode **tail = pf_parser_add(&node->child, label(p, what));
  if (pf_parser_expect_word(p, "in", "and the body or frame that it is placed in, for example: in ground"))
    tail = pf_parser_add(tail, pf_parse_expression(p));
  return tail;
}

static PfNode *frame_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_FRAME);
  bool body = !strcmp(node->text, "body");
  PfNode **tail = placed_name(p, node, body ? "a name for the body" : "a name for the frame");
  tail = placements(p, tail);
  if (p->token.kind == PF_T_LBRACE && !body &&
      pf_parser_error(p, &p->token, "a frame has no mass and no other properties"))
    pf_hint(p->ctx, "write 'body' if it has mass");
  if (p->token.kind == PF_T_NAME && !pf_parser_line_ended(p))
    pf_parser_expected(p, body ? "'at', 'turn', 'shift' or '{'" : "'at', 'turn' or 'shift'");
  optional_properties(p, tail);
  return node;
}

static PfNode *point_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_POINT);
  PfNode **tail = placed_name(p, node, "a name for the point");
  if (pf_parser_expect_word(p, "at", "and the position of the point, for example: at (0, 0, L)"))
    pf_parser_add(tail, place_at(p));
  return node;
}

static PfNode *spring_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_SPRING);
  bool spring = !strcmp(node->text, "spring");
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (pf_parser_accept_word(p, "to")) tail = pf_parser_add(tail, wrap(p, PF_N_VALUE));
  pf_parser_add(tail, properties(p, spring ? "and its properties: { stiffness k, length l }"
                                           : "and its property: { damping c }"));
  return node;
}

/* ---------------------------------------------------------------- constraints */

static void hint_constraint(PfParser *p, const PfNode *left)
{
  if (left->kind == PF_N_COMPARE && !strcmp(left->text, "=="))
    pf_hint(p->ctx, "a constraint is written with a single '='");
  else if (left->kind == PF_N_COMPARE)
    pf_hint(p->ctx, "a constraint is an equation; inequalities are not possible");
  else
    pf_hint(p->ctx, "for example: constraint x' = r*theta'");
}

static PfNode *constraint_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_CONSTRAINT);
  PfNode **tail = &node->child;
  PfNode *left;
  if (p->token.kind == PF_T_KEYWORD && !pf_parser_line_ended(p)) { /* a label may be any word: constraint roll: … */
    p->token.kind = PF_T_NAME;
    left = pf_parse_expression(p);
    if (!is_label(p, left)) pf_parser_expected(p, "':' after the name of the constraint");
  } else {
    left = pf_parse_expression(p);
  }
  if (is_label(p, left)) {
    tail = pf_parser_add(tail, as_label(p, left));
    left = pf_parse_expression(p);
  }
  tail = pf_parser_add(tail, left);
  if (pf_parser_accept(p, PF_T_EQUAL)) pf_parser_add(tail, pf_parse_expression(p));
  else if (pf_parser_expected(p, "'=' and the other side of the constraint")) hint_constraint(p, left);
  return node;
}

static PfNode *plane(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_SUPPORT, &p->last);
  node->text = "plane";
  node->child = pf_parse_expression(p);
  return node;
}

/* on surface NAME [in EXPR]; 'on surface' has been read. */
static PfNode *surface(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_SUPPORT, &p->last);
  node->text = "surface";
  node->child = new_name(p, PF_N_NAME, "the name of the function that gives the height of the surface");
  if (pf_parser_accept_word(p, "in")) node->child->next = pf_parse_expression(p);
  return node;
}

static PfNode *sphere(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_SUPPORT, &p->last);
  node->text = pf_parser_token_text(p, &p->last);
  if (pf_parser_expect_word(p, "sphere", "and its properties: { radius R, center (0, 0, 0) }"))
    node->child = properties(p, "and the properties of the sphere: { radius R, center (0, 0, 0) }");
  return node;
}

static PfNode *roll_support(PfParser *p)
{
  if (pf_parser_accept_word(p, "on")) return pf_parser_accept_word(p, "surface") ? surface(p) : plane(p);
  if (pf_parser_accept_word(p, "inside") || pf_parser_accept_word(p, "outside")) return sphere(p);
  if (pf_parser_expected(p, "what it rolls on: 'on', 'inside' or 'outside'"))
    pf_hint(p->ctx, "for example: on ground, on surface h, inside sphere { radius R, center (0, 0, 0) }");
  return pf_parser_node(p, PF_N_SUPPORT, &p->token);
}

static PfNode *roll_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_ROLL);
  PfNode **tail = &node->child;
  PfNode *word = label(p, "'disc' or 'ball'");
  if (pf_parser_accept(p, PF_T_COLON)) {
    tail = pf_parser_add(tail, word);
    word = label(p, "'disc' or 'ball'");
  }
  bool known = !strcmp(word->text, "disc") || !strcmp(word->text, "ball");
  PfToken place = {.line = word->line, .column = word->column, .length = word->length};
  if (!known && pf_parser_error(p, &place, "expected 'disc' or 'ball', found '%.40s'", word->text))
    pf_hint(p->ctx, "for example: roll disc wheel { radius r, axis y } on ground");
  node->text = word->text;
  tail = pf_parser_add(tail, pf_parse_expression(p));
  tail = pf_parser_add(tail, properties(p, "and its properties: { radius r, axis y }"));
  pf_parser_add(tail, roll_support(p));
  return node;
}

static PfNode *skate_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_SKATE);
  PfNode **tail = &node->child;
  PfNode *first = pf_parse_expression(p);
  if (is_label(p, first)) {
    tail = pf_parser_add(tail, as_label(p, first));
    first = pf_parse_expression(p);
  }
  tail = pf_parser_add(tail, first);
  if (!strcmp(node->text, "skate")) tail = optional_properties(p, tail);
  else tail = pf_parser_add(tail, properties(p, "and its properties: { radius r, axis y, roller angle }"));
  if (pf_parser_accept_word(p, "on")) pf_parser_add(tail, plane(p));
  return node;
}

/* ---------------------------------------------------------------- parts and repetition */

static PfNode *part_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_PART);
  PfNode **tail = pf_parser_add(&node->child, new_name(p, PF_N_LABEL, "a name for the part"));
  tail = pf_parser_add(tail, parameters(p));
  pf_parser_add(tail, pf_parse_block(p));
  return node;
}

static PfNode *use_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_USE);
  PfNode *call = new_name(p, PF_N_CALL, "the name of a part");
  node->text = call->text;
  node->child = call;
  if (p->token.kind != PF_T_LPAREN && pf_parser_expected(p, "'(' and the arguments of the part"))
    pf_hint(p->ctx, "a part without arguments is used as: use %.40s()", call->text);
  pf_parse_arguments(p, &call->child);
  if (pf_parser_accept_word(p, "as")) call->next = label(p, "a name for this use of the part");
  return node;
}

static PfNode *for_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_FOR);
  PfNode *variable = new_name(p, PF_N_NAME, "a name that counts, for example: for i in 1..3");
  node->text = variable->text;
  if (!pf_parser_expect_word(p, "in", "and a range, for example: for i in 1..3")) return node;
  node->child = pf_parse_range(p);
  node->child->next = pf_parse_block(p);
  return node;
}

/* ---------------------------------------------------------------- what to do with the model */

static PfNode *run_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_RUN);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (pf_parser_accept_word(p, "by")) tail = pf_parser_add(tail, new_name(p, PF_N_NAME, "the name of an integrator"));
  if (pf_parser_accept_word(p, "until")) tail = pf_parser_add(tail, wrap(p, PF_N_VALUE));
  if (p->token.kind == PF_T_NAME && !pf_parser_line_ended(p))
    pf_parser_expected(p, "'by', 'until', '{' or the end of the line");
  optional_properties(p, tail);
  return node;
}

static PfNode *plot_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_PLOT);
  PfNode **tail = &node->child;
  do {
    tail = pf_parser_add(tail, pf_parse_expression(p));
  } while (pf_parser_accept(p, PF_T_COMMA));
  if (pf_parser_accept_word(p, "against")) pf_parser_add(tail, wrap(p, PF_N_VALUE));
  return node;
}

static PfNode *draw_statement(PfParser *p)
{
  PfNode *node = statement_node(p, PF_N_DRAW);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (!pf_parser_expect_word(p, "as", "and a shape, for example: as box(1, 0.2, 0.05)")) return node;
  if (p->token.kind == PF_T_KEYWORD && !pf_parser_line_ended(p)) p->token.kind = PF_T_NAME; /* point(…) is a shape */
  PfNode *shape = new_name(p, PF_N_CALL, "a shape, for example: box(1, 0.2, 0.05)");
  pf_parse_arguments(p, &shape->child);
  pf_parser_extend(p, shape);
  tail = pf_parser_add(tail, shape);
  optional_properties(p, tail);
  return node;
}

static PfNode *reserved_statement(PfParser *p)
{
  PfToken word = p->last;
  bool motion = pf_token_is(p->source, &word, "prescribe");
  return reserved(p, &word, motion ? "prescribed motion" : "events");
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
