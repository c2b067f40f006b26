/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what writes names into another language: whatever bytes a name is made of, it stays in its place. An input is
 * a list of names, one to a line. */
#include "base/base.h"
#include "out/label.h"
#include "out/out.h"
#include "pfaff/pfaff.h"

#include "expect.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- JSON and Python */

/* One string, from quote to quote, with escapes that both languages know. */
static void check_quoted(const char *text)
{
  expect(!*expect_string(text), "a string ends with its quote");
  expect_characters(text, strlen(text), "");
}

/* ---------------------------------------------------------------- XML */

/* Character data and elements that match: nothing of a name can be one of them. */
static void check_xml(const char *text)
{
  int depth = 0;
  expect_characters(text, strlen(text), "\n");
  for (const char *at = text; *at; at++) {
    if (*at == '<') {
      depth += at[1] == '/' ? -1 : 1;
      expect(!strncmp(at, "<tspan", 6) || !strncmp(at, "</tspan>", 8), "the only element of a label is tspan");
      at = strchr(at, '>');
      expect(at != NULL, "an element ends");
    } else if (*at == '&') {
      const char *end = strchr(at, ';');
      expect(end && end - at <= 6, "an ampersand begins an entity");
    } else {
      expect(*at != '>', "character data has no brackets");
    }
  }
  expect(depth == 0, "elements are closed");
}

/* ---------------------------------------------------------------- LaTeX */

/* Balanced braces, no specials, and only commands that Pfaff writes: a Greek letter, an accent, \mathrm. A name has one
 * list of indices; an index is a word that may have a number of its own, p_{\psi_{1}}, and never two, which LaTeX
 * refuses. */
static void check_latex(const char *text)
{
  int depth = 0, lists = 0;
  for (const char *at = text; *at; at++) {
    depth += (*at == '{') - (*at == '}');
    expect(depth >= 0, "braces are balanced");
    lists += *at == '_' && depth == 0;
    expect(*at != '_' || (at[1] == '{' && (depth == 0 || (at > text && at[-1] != '}'))), "an index has one number");
    expect(!strchr("#$%&~\"`'\n", *at) && (unsigned char)*at < 0x7F && (unsigned char)*at >= 0x20,
           "nothing special to LaTeX");
    expect(strncmp(at, "\\input", 6) && strncmp(at, "\\write", 6) && strncmp(at, "\\def", 4), "no command of a name");
  }
  expect(depth == 0, "braces are balanced");
  expect(lists <= 1, "one list of indices");
}

/* ---------------------------------------------------------------- MAT */

static void check_mat(PfContext *ctx, const char *const *names, int count)
{
  PfText text;
  uint32_t head[5];
  size_t width = 0;
  pf_text_init(&text, pf_context_allocator(ctx));
  pf_mat_texts(&text, "names", names, count);
  for (int i = 0; i < count; i++) width = strlen(names[i]) > width ? strlen(names[i]) : width;
  memcpy(head, text.at, sizeof head);
  expect(head[0] == 1 && head[1] == (uint32_t)count && head[2] == width && head[4] == 6, "the head of a MAT matrix");
  expect(text.count == 20 + 6 + 8*(size_t)count*width, "a MAT matrix is as long as its head says");
  pf_text_free(&text);
}

/* ---------------------------------------------------------------- one name */

static void empty(PfText *text)
{
  text->count = 0;
  text->at[0] = 0;
}

static void check_name(PfContext *ctx, PfArena *arena, const char *name)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(ctx));
  pf_put_quoted(&text, name);
  check_quoted(pf_text_get(&text));
  empty(&text);
  pf_put_printable(&text, name);
  expect_characters(pf_text_get(&text), text.count, "");
  empty(&text);
  pf_text_add_escaped(&text, name, strlen(name), "\t");
  expect_characters(pf_text_get(&text), text.count, "\t");
  for (int kind = PF_LABEL_NAME; kind <= PF_LABEL_PLAIN; kind++) {
    empty(&text);
    pf_label_put(&text, (PfLabelKind)kind, name, 12, 200);
    check_xml(pf_text_get(&text));
  }
  pf_text_free(&text);
  const char *latex = pf_expr_print(ctx, arena, pf_expr_symbol(ctx, name), PF_LATEX);
  if (latex) check_latex(latex);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { MOST = 64 };
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  char *text = pf_arena_text(arena, (const char *)data, size);
  const char *names[MOST];
  int count = 0;
  for (char *line = text; line && count < MOST;) {
    char *end = strchr(line, '\n');
    if (end) *end = 0;
    names[count++] = line;
    line = end ? end + 1 : NULL;
  }
  for (int i = 0; i < count; i++) check_name(ctx, arena, names[i]);
  check_mat(ctx, names, count);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return 0;
}
