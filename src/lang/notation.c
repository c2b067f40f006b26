/* SPDX-License-Identifier: Apache-2.0 */
/* How a name is written in formulas, where the model says so: param mb "m_{\mathrm b}". Only what stands for one symbol
 * is let through, so that no name can mean anything else to LaTeX. */
#include "lang/check_impl.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST_NOTATION = 100, DEEPEST = 8 };

/* Commands that need an argument, and others. */
static const char over[] = "mathrm mathbf mathit mathsf mathcal boldsymbol hat bar tilde vec dot ddot overline "
                           "underline widehat widetilde";
static const char letters[] =
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho varrho sigma "
    "tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell prime ast "
    "star circ parallel perp infty hbar partial nabla";

/* What is wrong with it, or NULL. */
static const char *fault_of(const char *text)
{
  bool script[DEEPEST + 1][2] = {{false, false}}, any = false, needs = false;
  int depth = 0;
  for (const char *c = text; *c; c++) {
    if (*c == ' ') continue;
    if (*c == '_' || *c == '^') {
      bool *own = &script[depth][*c == '^'];
      if (needs || *own) return "two indices or exponents at one place";
      *own = needs = true;
    } else if (*c == '{') {
      if (++depth > DEEPEST) return "too many braces";
      script[depth][0] = script[depth][1] = needs = false;
    } else if (*c == '}') {
      if (needs || depth-- == 0) return "a brace that does not fit";
    } else if (*c == '\\') {
      size_t length = strspn(c + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
      bool above = pf_word_is_in(over, c + 1, length);
      if (!above && !pf_word_is_in(letters, c + 1, length)) return "a command that is not known";
      if (above && needs) return "an index without braces";
      if (!needs) script[depth][0] = script[depth][1] = false;
      needs = above, any = true;
      c += length;
    } else if (isalnum((unsigned char)*c) || strchr("*+-,.()|", *c)) {
      if (!needs) script[depth][0] = script[depth][1] = false;
      needs = false, any = true;
    } else {
      return "a sign that means something else to LaTeX";
    }
  }
  return depth ? "a brace that stays open" : needs || !any ? "nothing behind a command, or nothing at all" : NULL;
}

/* The symbol with its dots and the index of a list; in braces, so that it can carry indices and exponents. */
static void set(Checker *ck, PfExpr symbol, const char *text, int dots, int element)
{
  static const char *const above[] = {"", "\\dot", "\\ddot"};
  if (text) text = pf_print_text(ck, "%s{%s}", above[dots], text);
  if (text && element) text = pf_print_text(ck, "%s_{%d}", text, element);
  if (!pf_expr_symbol_notation(ck->ctx, symbol, text)) pf_check_no_memory(ck);
}

void pf_check_notation(Checker *ck, const PfNode *item, EntityKind kind, const Entity *entity)
{
  const PfNode *node = pf_child_of_kind(item, PF_N_STRING);
  const char *text = node ? node->text : NULL, *fault = text ? fault_of(text) : NULL;
  if (text && !fault && strlen(text) > LONGEST_NOTATION) fault = "more than one symbol needs";
  if (fault) {
    if (entity->element <= 1)
      pf_check_fail(ck, PF_ERR_MODEL, node, "the symbol of '%s' has %s", item->text, fault);
    return;
  }
  if (ck->out_of_memory) return;
  if (kind == E_PARAM) set(ck, ck->parameters.at[entity->index].symbol, text, 0, entity->element);
  if (kind == E_INPUT) set(ck, ck->inputs.at[entity->index].symbol, text, 0, entity->element);
  if (kind == E_SPEED) {
    const PfSpeed *speed = ck->speeds.at + entity->index;
    set(ck, speed->symbol, text, 0, entity->element);
    set(ck, pf_expr_symbol(ck->ctx, pf_print_text(ck, "%s'", speed->name)), text, 1, entity->element);
  }
  if (kind == E_COORD) {
    const PfCoordinate *c = ck->coordinates.at + entity->index;
    set(ck, c->q, text, 0, entity->element);
    set(ck, c->v, text, 1, entity->element);
    set(ck, c->a, text, 2, entity->element);
  }
}
