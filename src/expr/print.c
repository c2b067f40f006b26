/* SPDX-License-Identifier: Apache-2.0 */
/* Printing: lays out each node of the shared graph once, adds up the lengths, and writes the text by a walk
 * with an explicit stack. */
#include "expr/print_impl.h"
#include "base/plain.h"

#include <stdlib.h>
#include <string.h>

static const size_t longest_text = (size_t)16*1024*1024;

/* ---------------------------------------------------------------- pieces */

static void put_piece(Printer *p, Piece piece)
{
  if (!pf_push(p->table->allocator, &p->pieces, piece)) p->failed = true;
}

void pf_put(Printer *p, const char *text)
{
  put_piece(p, (Piece){text, 0});
}

void pf_put_expr(Printer *p, PfExpr e)
{
  put_piece(p, (Piece){NULL, p->table->place[e]});
}

/* Appends text, an expression and text. */
void pf_put_all(Printer *p, const char *before, PfExpr e, const char *after)
{
  pf_put(p, before);
  pf_put_expr(p, e);
  pf_put(p, after);
}

/* Appends a copy of the text, which need not live on. */
void pf_put_copy(Printer *p, const char *text)
{
  char *copy = pf_arena_text(p->arena, text, strlen(text));
  if (copy) pf_put(p, copy);
  else p->failed = true;
}

/* Appends formatted text. */
void pf_put_format(Printer *p, const char *format, ...)
{
  va_list words, again;
  va_start(words, format);
  va_copy(again, words);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length < 0 ? NULL : pf_arena_alloc(p->arena, (size_t)length + 1, 1);
  if (text) {
    vsnprintf(text, (size_t)length + 1, format, words);
    pf_put(p, text);
  } else {
    p->failed = true;
  }
  va_end(words);
}

/* A double with 15 to 17 digits, the fewest that give it back, independent of the locale. */
void pf_double_text(double value, char text[DOUBLE_TEXT])
{
  const PfPlain plain = pf_plain_begin();
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, DOUBLE_TEXT, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  pf_plain_end(plain);
}

/* ---------------------------------------------------------------- layout */

typedef void LayOut(Printer *p, PfExpr e);

/* Names and numbers are one word each, and so is an operator; brackets and blanks do not count. */
static size_t words_of(const char *text)
{
  static const char breaks[] = "+-*/^(), =";
  size_t count = 0;
  while (*text) {
    size_t length = strcspn(text, breaks);
    count += length ? 1 : strchr("+-*/^", *text) != NULL;
    text += length ? length : 1;
  }
  return count;
}

static void lay_out_node(Printer *p, int i, LayOut *lay_out)
{
  p->first[i] = p->first[i + 1] = p->pieces.count;
  /* Of a node that was measured before only the length counts, when nothing is to be written. */
  PfExpr e = p->nodes[i];
  const PfExprTable *table = p->table;
  p->length[i] = p->measures && e < table->lengths.count ? table->lengths.at[e] : 0;
  if (p->length[i] || p->failed) return;
  lay_out(p, p->nodes[i]);
  p->first[i + 1] = p->pieces.count;
  size_t length = 0;
  for (size_t k = p->first[i]; k < p->first[i + 1]; k++) {
    const Piece *piece = p->pieces.at + k;
    size_t own = !piece->text ? p->length[piece->place] : p->words ? words_of(piece->text) : strlen(piece->text);
    length = length > SIZE_MAX - own ? SIZE_MAX : length + own;
  }
  p->length[i] = length;
}

/* Lays out all nodes of e in the order of their creation, each as pieces of text and references to its operands. */
static PfStatus lay_out(Printer *p, PfExpr e, PfNotation notation)
{
  enum { POLL_EVERY = 256 };
  LayOut *lay_out_one = notation == PF_LATEX ? pf_lay_out_latex : notation == PF_C ? pf_lay_out_c : pf_lay_out_text;
  PfContext *ctx = p->table->ctx;
  p->one = pf_expr_int(ctx, 1);
  PF_TRY(pf_walk(p->table, p->arena, &e, 1, &p->nodes, &p->node_count));
  p->keys = pf_arena_array(p->arena, Key, p->node_count);
  p->length = pf_arena_array(p->arena, size_t, p->node_count);
  p->first = pf_arena_array(p->arena, size_t, p->node_count + 1);
  p->failed = p->one == PF_EXPR_NONE || !p->keys || !p->length || !p->first;
  for (int i = 0; i < p->node_count && !p->failed; i++) {
    pf_print_key(p, i);
    lay_out_node(p, i, lay_out_one);
    if (i%POLL_EVERY == POLL_EVERY - 1 && pf_context_is_cancelled(ctx)) p->failed = true;
  }
  return p->failed ? pf_no_room(ctx, "a printed formula") : PF_OK;
}

/* ---------------------------------------------------------------- writing */

typedef struct Range {
  size_t next, end; /* pieces of a node that are still to be written */
} Range;

typedef PF_ARRAY(Range) RangeStack;

/* Puts the pieces together, with a stack instead of recursion. */
static bool write_text(const Printer *p, RangeStack *stack, uint32_t root, char *to)
{
  const PfAllocator *allocator = p->table->allocator;
  if (!pf_push(allocator, stack, (Range){p->first[root], p->first[root + 1]})) return false;
  while (stack->count) {
    Range *top = stack->at + stack->count - 1;
    if (top->next == top->end) {
      stack->count--;
      continue;
    }
    const Piece *piece = p->pieces.at + top->next++;
    if (piece->text) {
      size_t length = strlen(piece->text);
      memcpy(to, piece->text, length);
      to += length;
    } else if (!pf_push(allocator, stack, (Range){p->first[piece->place], p->first[piece->place + 1]})) {
      return false;
    }
  }
  return true;
}

/* ---------------------------------------------------------------- public */

/* The printer has an arena of its own, since the caller's may be the scratch arena. */
const char *pf_expr_print(PfContext *ctx, PfArena *arena, PfExpr e, PfNotation notation)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (e == PF_EXPR_NONE) {
    (void)pf_fail(ctx, PF_ERR_ARGUMENT, "there is no expression to print");
    return NULL;
  }
  Printer p = {.table = table, .arena = table ? pf_arena_new(table->allocator) : NULL};
  RangeStack stack = {0};
  char *text = NULL;
  PfStatus status = p.arena ? lay_out(&p, e, notation) : pf_no_room(ctx, "a printed formula");
  if (status == PF_OK) {
    size_t length = p.length[p.node_count - 1]; /* the root was created last */
    if (length > longest_text) {
      status = pf_fail(ctx, PF_ERR_LIMIT, "a formula is longer than 16 MB when its shared parts are written out");
    } else {
      text = pf_arena_alloc(arena, length + 1, 1);
      if (!text || !write_text(&p, &stack, (uint32_t)p.node_count - 1, text))
        status = pf_no_room(ctx, "a printed formula");
    }
  }
  if (table) pf_array_free(table->allocator, &stack);
  if (table) pf_array_free(table->allocator, &p.pieces);
  pf_arena_free(p.arena);
  return status == PF_OK ? text : NULL;
}

/* The length of the text of e, in letters or in words; SIZE_MAX when it cannot be laid out. Lengths in letters are kept
 * in the table, also those of all parts, which will be needed soon. */
static size_t measure(PfContext *ctx, PfExpr e, bool in_words)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (e == PF_EXPR_NONE) return 0;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Printer p = {.table = table, .arena = scratch, .words = in_words, .measures = !in_words};
  PfStatus status = table ? lay_out(&p, e, PF_TEXT) : pf_no_room(ctx, "a printed formula");
  size_t length = status == PF_OK ? p.length[p.node_count - 1] : SIZE_MAX;
  if (status == PF_OK && !in_words) {
    bool good = true;
    while (good && table->lengths.count <= e) good = pf_push(table->allocator, &table->lengths, 0);
    for (int i = 0; good && i < p.node_count; i++) /* without memory they will be measured again */
      table->lengths.at[p.nodes[i]] = p.length[i] < UINT32_MAX ? (uint32_t)p.length[i] : 0;
  }
  if (table) pf_array_free(table->allocator, &p.pieces);
  pf_arena_release(scratch, mark);
  return length;
}

size_t pf_expr_length(PfContext *ctx, PfExpr e)
{
  const PfExprTable *table = pf_expr_table(ctx);
  if (table && e < table->lengths.count && table->lengths.at[e]) return table->lengths.at[e];
  return measure(ctx, e, false);
}

size_t pf_expr_token_count(PfContext *ctx, PfExpr e)
{
  return measure(ctx, e, true);
}
