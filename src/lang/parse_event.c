/* SPDX-License-Identifier: Apache-2.0 */
/* Events: when CONDITION { lock …; unlock …; attach …; detach … }. */
#include "lang/parse_impl.h"

#include <string.h>

/* t = 5 is an instant, anything else a condition. */
PfNode *pf_parse_when(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_WHEN);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_wrapped(p, PF_N_VALUE));
  if (pf_parser_accept(p, PF_T_EQUAL)) tail = pf_parser_add(tail, pf_parse_wrapped(p, PF_N_VALUE));
  if (p->token.kind != PF_T_LBRACE) {
    if (pf_parser_expected(p, "'{' and what happens then"))
      pf_hint(p->ctx, "for example: when t = 5 { lock elbow }, when x > 3 { detach arm }");
    return node;
  }
  pf_parser_add(tail, pf_parse_block(p));
  return node;
}

/* lock a, b */
PfNode *pf_parse_lock(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_ACTION);
  PfNode **tail = &node->child;
  do {
    tail = pf_parser_add(tail, pf_parse_expression(p));
  } while (pf_parser_accept(p, PF_T_COMMA));
  return node;
}

/* A word with an expression after it. */
static PfNode *clause(PfParser *p)
{
  PfNode *node = pf_parser_node(p, PF_N_PROPERTY, &p->last);
  node->text = pf_parser_token_text(p, &p->last);
  node->child = pf_parse_expression(p);
  pf_parser_extend(p, node);
  return node;
}

/* detach BODY from BODY, or detach BODY [with impulse V] [, torque W] */
PfNode *pf_parse_detach(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_ACTION);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (!pf_parser_line_ended(p) && pf_parser_accept_word(p, "from")) {
    pf_parser_add(tail, pf_parse_wrapped(p, PF_N_FROM));
    return node;
  }
  if (pf_parser_line_ended(p) || !pf_parser_accept_word(p, "with")) return node;
  do {
    if (!pf_parser_accept_word(p, "impulse") && !pf_parser_accept_word(p, "torque")) {
      if (pf_parser_expected(p, "'impulse' or 'torque'"))
        pf_hint(p->ctx, "for example: detach arm with impulse (0, 0, 2), torque (0, 0.1, 0)");
      return node;
    }
    tail = pf_parser_add(tail, clause(p));
  } while (pf_parser_accept(p, PF_T_COMMA));
  return node;
}

/* How two bodies hold together: weld, ball, hinge about AXIS. */
static PfNode *joint_kind(PfParser *p)
{
  bool hinge = pf_token_is(p->source, &p->last, "hinge");
  PfNode *node = pf_parser_node(p, PF_N_JOINT, &p->last);
  node->text = pf_parser_token_text(p, &p->last);
  if (hinge && pf_parser_expect_word(p, "about", "and the axis of the hinge", "for example: hinge about z"))
    node->child = pf_parse_expression(p);
  return node;
}

/* attach BODY to BODY [at P] [weld | ball | hinge about AXIS] */
PfNode *pf_parse_attach(PfParser *p)
{
  PfNode *node = pf_parse_node(p, PF_N_ACTION);
  PfNode **tail = pf_parser_add(&node->child, pf_parse_expression(p));
  if (!pf_parser_expect_word(p, "to", "and what it is attached to", "for example: attach probe to bus")) return node;
  tail = pf_parser_add(tail, pf_parse_expression(p));
  while (!pf_parser_line_ended(p)) {
    if (pf_parser_accept_word(p, "at")) {
      PfNode *at = pf_parser_node(p, PF_N_AT, &p->last);
      at->child = pf_parse_expression(p);
      tail = pf_parser_add(tail, at);
    } else if (pf_parser_accept_word(p, "weld") || pf_parser_accept_word(p, "ball") ||
               pf_parser_accept_word(p, "hinge")) {
      tail = pf_parser_add(tail, joint_kind(p));
    } else {
      break;
    }
  }
  if (p->token.kind == PF_T_NAME && !pf_parser_line_ended(p)) pf_parser_expected(p, "'at', 'weld', 'ball' or 'hinge'");
  return node;
}
