/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about where things are and how they may move: bodies, points, springs, constraints, rolling. */
#include "lang/parse_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- geometry */

static PfNode *place_at(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_AT, &p->last);
  node->child = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

/* turn angle about axis, shift length along axis; the first word has been read. */
static PfNode *place_by(PfParser *p, PfNodeKind kind, const char *word, const char *hint)
{
  PfNode *node = pf_parser_node(p, kind, &p->last);
  node->child = pf_parse_expression(p);
  if (pf_parser_expect_word(p, word, "and an axis", hint)) node->child->next = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

/* at, turn, shift, free and ball, in any number and order. */
static PfNode **placements(PfParser *p, PfNode **tail)
{
  for (;;) {
    if (pf_parser_accept_word(p, "at"))
      tail = pf_parser_add(tail, place_at(p));
    else if (pf_parser_accept_word(p, "turn"))
      tail = pf_parser_add(tail, place_by(p, PF_N_TURN, "about", "for example: turn theta about z"));
    else if (pf_parser_accept_word(p, "shift"))
      tail = pf_parser_add(tail, place_by(p, PF_N_SHIFT, "along", "for example: shift s along x"));
    else if (pf_parser_accept_word(p, "free") || pf_parser_accept_word(p, "ball"))
      tail = pf_parser_add(tail, pf_parse_node(p, PF_N_JOINT));
    else
      return tail;
  }
}

/* NAME in EXPR */
static PfNode **placed_name(PfParser *p, PfNode *node, const char *what, const char *hint)
{
  PfNode **tail = pf_parser_add(&node->child, pf_parse_label(p, what));
  if (pf_parser_expect_word(p, "in", "and the body or frame that it is placed in", hint))
    tail = pf_parser_add(tail, pf_parse_expression(p));
  return tail;
}

/* frame or body NAME in FRAME with its placements and properties. */
PfNode *pf_parse_frame(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_FRAME);
  bool body = !strcmp(node->text, "body");
  PfNode **tail = placed_name(p, node, body ? "a name for the body" : "a name for the frame",
                              body ? "for example: body arm in ground turn theta about z"
                                   : "for example: frame tool in arm at (L, 0, 0)");
  tail = placements(p, tail);
  if (p->token.kind == PF_T_LBRACE && !body &&
      pf_parser_error(p, &p->token, "a frame has no mass and no other properties"))
    pf_hint(p->ctx, "write 'body' if it has mass");
  if (p->token.kind == PF_T_NAME && !pf_parser_line_ended(p))
    pf_parser_expected(p, body ? "'at', 'turn', 'shift', 'free', 'ball' or '{'"
                               : "'at', 'turn', 'shift', 'free' or 'ball'");
  pf_parse_optional_properties(p, tail);
  return node;
}

/* point NAME in FRAME at (a, b, c). */
PfNode *pf_parse_point(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_POINT);
  PfNode **tail = placed_name(p, node, "a name for the point", "for example: point tip in arm at (L, 0, 0)");
  if (pf_parser_expect_word(p, "at", "and the position of the point", "for example: at (L, 0, 0)"))
    pf_parser_add(tail, place_at(p));
  return node;
}

/* spring on a number, or from point to point, with its properties. */
PfNode *pf_parse_spring(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_SPRING);
  bool spring = !strcmp(node->text, "spring");
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (pf_parser_accept_word(p, "to")) tail = pf_parser_add(tail, pf_parse_wrapped(p, PF_N_VALUE));
  pf_parser_add(tail, pf_parse_properties(p, spring ? "and the properties of the spring" : "and the damping",
                                          spring ? "for example: { stiffness k, length l }"
                                                 : "for example: { damping c }"));
  return node;
}

/* ---------------------------------------------------------------- constraints */

static void hint_constraint(PfParser *p, const PfNode *left, bool prescribed)
{
  if (prescribed) {
    pf_hint(p->ctx, "for example: prescribe theta = 0.1*sin(t), prescribe theta'' = 2");
    return;
  }
  if (left->kind == PF_N_COMPARE && !strcmp(left->text, "=="))
    pf_hint(p->ctx, "a constraint is written with a single '='");
  else if (left->kind == PF_N_COMPARE)
    pf_hint(p->ctx, "a constraint is an equation; inequalities are not possible");
  else
    pf_hint(p->ctx, "for example: constraint x' = r*theta'");
}

/* constraint and prescribe: an equation, with a label or without. */
PfNode *pf_parse_constraint(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_CONSTRAINT);
  PfNode **tail = &node->child;
  bool prescribed = !strcmp(node->text, "prescribe");
  PfNode *left = pf_parse_label_or_expression(p);
  if (pf_parse_is_label(p, left)) {
    tail = pf_parser_add(tail, pf_parse_as_label(p, left));
    left = pf_parse_expression(p);
  }
  tail = pf_parser_add(tail, left);
  if (pf_parser_accept(p, PF_T_EQUAL)) {
    pf_parser_add(tail, pf_parse_expression(p));
    bool third = p->token.kind == PF_T_EQUAL;
    if (third && pf_parser_error(p, &p->token, "a constraint has two sides, this is a third"))
      pf_hint(p->ctx, "write two constraints");
  } else if (pf_parser_expected(p, prescribed ? "'=' and the motion as a function of time"
                                               : "'=' and the other side of the constraint")) {
    hint_constraint(p, left, prescribed);
  }
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
  node->child = pf_parse_new_name(p, PF_N_NAME, "the name of the function for the height of the surface");
  if (pf_parser_accept_word(p, "in")) node->child->next = pf_parse_expression(p);
  return node;
}

/* The support: a plane, a surface, a sphere. */
static PfNode *roll_support(PfParser *p)
{
  if (pf_parser_accept_word(p, "on")) return pf_parser_accept_word(p, "surface") ? surface(p) : plane(p);
  if (pf_parser_accept_word(p, "inside") || pf_parser_accept_word(p, "outside")) {
    const char *example = "for example: inside sphere { radius R, center (0, 0, 0) }";
    PfNode *node = pf_parser_node(p, PF_N_SUPPORT, &p->last);
    node->text = pf_parser_token_text(p, &p->last);
    if (pf_parser_expect_word(p, "sphere", "and its properties", example))
      node->child = pf_parse_properties(p, "and the properties of the sphere", example);
    return node;
  }
  if (pf_parser_expected(p, "what it rolls on: 'on', 'inside' or 'outside'"))
    pf_hint(p->ctx, "for example: on ground, on surface h, inside sphere { radius R, center (0, 0, 0) }");
  return pf_parser_node(p, PF_N_SUPPORT, &p->token);
}

/* roll BODY on, inside or outside of something. */
PfNode *pf_parse_roll(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_ROLL);
  PfNode **tail = &node->child;
  PfNode *word = pf_parse_label(p, "'disc' or 'ball'");
  if (pf_parser_accept(p, PF_T_COLON)) {
    tail = pf_parser_add(tail, word);
    word = pf_parse_label(p, "'disc' or 'ball'");
  }
  bool known = !strcmp(word->text, "disc") || !strcmp(word->text, "ball");
  PfToken place = {.line = word->line, .column = word->column, .length = word->length};
  if (!known && pf_parser_error(p, &place, "expected 'disc' or 'ball', found '%.40s'", word->text))
    pf_hint(p->ctx, "for example: roll disc wheel { radius r, axis wheel.y } on ground");
  node->text = word->text;
  tail = pf_parser_add(tail, pf_parse_expression(p));
  tail = pf_parser_add(tail, pf_parse_properties(p, "and the properties of what rolls",
                                                 "for example: { radius r, axis wheel.y }"));
  pf_parser_add(tail, roll_support(p));
  return node;
}

/* skate: a point of a body that moves along a direction only. */
PfNode *pf_parse_skate(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_SKATE);
  PfNode **tail = &node->child;
  PfNode *first = pf_parse_label_or_expression(p);
  if (pf_parse_is_label(p, first)) {
    tail = pf_parser_add(tail, pf_parse_as_label(p, first));
    first = pf_parse_expression(p);
  }
  tail = pf_parser_add(tail, first);
  if (!strcmp(node->text, "skate")) tail = pf_parse_optional_properties(p, tail);
  else tail = pf_parser_add(tail, pf_parse_properties(p, "and the properties of the wheel",
                                                      "for example: { radius r, axis wheel.y }"));
  if (pf_parser_accept_word(p, "on")) pf_parser_add(tail, plane(p));
  return node;
}
