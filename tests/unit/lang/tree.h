/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the parser: syntax trees as text, where a + b*c is (+ a (* b c)), and checks of messages. */
#ifndef PF_TESTS_TREE_H
#define PF_TESTS_TREE_H

#include "support.h"

#include "lang/ast.h"

static const char *const tree_names[] = {
  [PF_N_INDEX] = "index",     [PF_N_SUMOVER] = "sum-over", [PF_N_RANGE] = "..",         [PF_N_MEMBER] = ".",
  [PF_N_UNIT] = "unit",       [PF_N_NEGATE] = "-",         [PF_N_SUM] = "+",            [PF_N_PRODUCT] = "*",
  [PF_N_POWER] = "^",         [PF_N_AND] = "and",          [PF_N_OR] = "or",            [PF_N_NOT] = "not",
  [PF_N_VECTOR] = "vector",   [PF_N_ITEM] = "item",        [PF_N_SIZE] = "size",
  [PF_N_PARAMETERS] = "parameters",
  [PF_N_VALUE] = "value",     [PF_N_UNITS] = "units",      [PF_N_LABEL] = "label",      [PF_N_ASSIGN] = "=",
  [PF_N_AT] = "at",           [PF_N_TURN] = "turn",        [PF_N_SHIFT] = "shift",      [PF_N_PROPERTY] = "property",
  [PF_N_JOINT] = "joint",
  [PF_N_BLOCK] = "block",     [PF_N_MODEL] = "model",      [PF_N_DECLARE] = "declare",  [PF_N_ENERGY] = "energy",
  [PF_N_ASSIGNS] = "assigns", [PF_N_FRAME] = "frame",      [PF_N_POINT] = "point",      [PF_N_FORCE] = "force",
  [PF_N_SPRING] = "spring",   [PF_N_CONSTRAINT] = "constraint", [PF_N_ROLL] = "roll",   [PF_N_SUPPORT] = "support",
  [PF_N_SKATE] = "skate",     [PF_N_PART] = "part",        [PF_N_USE] = "use",          [PF_N_FOR] = "for",
  [PF_N_RUN] = "run",         [PF_N_PLOT] = "plot",        [PF_N_DRAW] = "draw",        [PF_N_WHEN] = "when",
  [PF_N_ACTION] = "action",
};

static inline void tree_print(PfText *text, const PfNode *node);

static inline void tree_children(PfText *text, const PfNode *node)
{
  for (const PfNode *child = node->child; child; child = child->next) {
    pf_text_add(text, " ");
    if (child->kind == PF_N_TERM) {
      if (child->flag) pf_text_add(text, node->kind == PF_N_SUM ? "-" : "/");
      tree_print(text, child->child);
    } else {
      tree_print(text, child);
    }
  }
}

static inline void tree_print(PfText *text, const PfNode *node)
{
  switch (node->kind) {
  case PF_N_NUMBER:
  case PF_N_NAME: pf_text_add(text, node->text); return;
  case PF_N_STRING: pf_text_print(text, "\"%s\"", node->text); return;
  case PF_N_PRIME:
    tree_print(text, node->child);
    for (int i = 0; i < node->flag; i++) pf_text_add(text, "'");
    return;
  case PF_N_CALL:
  case PF_N_COMPARE: pf_text_print(text, "(%s", node->text); break;
  default:
    pf_text_print(text, "(%s%s%s", tree_names[node->kind], *node->text ? " " : "", node->text);
    if (node->flag) pf_text_add(text, "!");
  }
  tree_children(text, node);
  pf_text_add(text, ")");
}

/* The statements of a tree, each in its brackets. */
static inline const char *tree_text(Fixture *f, const PfNode *tree)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  for (const PfNode *node = tree->child; node; node = node->next) {
    if (node != tree->child) pf_text_add(&text, " ");
    tree_print(&text, node);
  }
  const char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return copy;
}

/* ---------------------------------------------------------------- texts and what they become */

static inline PfStatus parse_bytes(Fixture *f, const char *bytes, size_t count, PfNode **tree)
{
  PfSource source;
  *tree = NULL;
  pf_diagnostics_clear(f->ctx);
  PfStatus status = pf_source_init(&source, f->ctx, f->arena, "test.pf", bytes, count);
  if (status == PF_OK) status = pf_parse(&source, tree);
  pf_source_free(&source);
  return status;
}

static inline void assert_parsed(Fixture *f, const char *text, const char *expected)
{
  PfNode *tree;
  if (parse_bytes(f, text, strlen(text), &tree) != PF_OK)
    fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
  if (strcmp(tree_text(f, tree), expected))
    fail_msg("%s\nis read as\n%s\ninstead of\n%s", text, tree_text(f, tree), expected);
}

/* A text with one error: "line:column: message" and the hint, or NULL. */
typedef struct BadText {
  const char *text, *words, *hint;
} BadText;

static inline void assert_refused(Fixture *f, const BadText *bad)
{
  PfNode *tree;
  char words[300];
  assert_int_equal(parse_bytes(f, bad->text, strlen(bad->text), &tree), PF_ERR_SYNTAX);
  const PfDiagnostic *said = pf_diagnostic(f->ctx, 0);
  snprintf(words, sizeof words, "%d:%d: %s", said->place.line, said->place.column, said->message);
  if (strcmp(words, bad->words)) fail_msg("%s\ngives\n%s\ninstead of\n%s", bad->text, words, bad->words);
  const char *hint = said->hint ? said->hint : "(none)", *expected = bad->hint ? bad->hint : "(none)";
  if (strcmp(hint, expected)) fail_msg("%s\ngives the hint\n%s\ninstead of\n%s", bad->text, hint, expected);
  if (pf_diagnostic_count(f->ctx) != 1) fail_msg("%s\ngives a second error", bad->text);
}

#endif
