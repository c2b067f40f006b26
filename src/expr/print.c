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

void pf_put_all(Printer *p, const char *before, PfExpr e, const char *after)
{
  pf_put(p, before);
  pf_put_expr(p, e);
  pf_put(p, after);
}

void pf_put_copy(Printer *p, const char *text)
{
  char *copy = pf_arena_text(p->arena, text, strlen(text));
  if (copy) pf_put(p, copy);
  else p->failed = true;
}

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

static LayOut *lay_out_of(PfNotation notation)
{
  switch (notation) {
  case PF_LATEX: return pf_lay_out_latex;
  case PF_C: return pf_lay_out_c;
  default: return pf_lay_out_text;
  }
}

static size_t saturated_sum(size_t a, size_t b)
{
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Names and numbers are one word each, and so is an operator; brackets and blanks are none. */
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

static size_t length_of_pieces(const Printer *p, size_t first, size_t end)
{
  size_t length = 0;
  for (size_t k = first; k < end; k++) {
    const Piece *piece = p->pieces.at + k;
    size_t own = !piece->text ? p->length[piece->place] : p->words ? words_of(piece->text) : strlen(piece->text);
    length = saturated_sum(length, own);
  }
  return length;
}

/* Of a node that was measured before only the length counts, when nothing is to be written. */
static size_t known_length(const Printer *p, PfExpr e)
{
  const PfExprTable *table = p->table;
  return p->measures && e < table->lengths.count ? table->lengths.at[e] : 0;
}

static void lay_out_node(Printer *p, int i, LayOut *lay_out)
{
  p->first[i] = p->first[i + 1] = p->pieces.count;
  p->length[i] = known_length(p, p->nodes[i]);
  if (p->length[i] || p->failed) return;
  lay_out(p, p->nodes[i]);
  p->first[i + 1] = p->pieces.count;
  p->length[i] = length_of_pieces(p, p->first[i], p->first[i + 1]);
}

static PfStatus lay_out(Printer *p, PfExpr e, PfNotation notation)
{
  enum { ASK_EVERY = 256 };
  PfContext *ctx = p->table->ctx;
  p->one = pf_expr_int(ctx, 1);
  PF_TRY(pf_walk(p->table, p->arena, &e, 1, &p->nodes, &p->node_count));
  p->keys = pf_arena_array(p->arena, Key, p->node_count);
  p->length = pf_arena_array(p->arena, size_t, p->node_count);
  p->first = pf_arena_array(p->arena, size_t, p->node_count + 1);
  p->failed = p->one == PF_EXPR_NONE || !p->keys || !p->length || !p->first;
  for (int i = 0; i < p->node_count && !p->failed; i++) {
    pf_print_key(p, i);
    lay_out_node(p, i, lay_out_of(notation));
    if (i%ASK_EVERY == ASK_EVERY - 1 && pf_context_is_cancelled(ctx)) p->failed = true;
  }
  return p->failed ? pf_no_room(ctx, "a printed formula") : PF_OK;
}

/* ---------------------------------------------------------------- writing */

typedef struct Range {
  size_t next, end; /* pieces of a node that are still to be written */
} Range;

typedef PF_ARRAY(Range) RangeStack;

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

static PfStatus print(Printer *p, PfArena *arena, PfExpr e, PfNotation notation, char **text)
{
  PfContext *ctx = p->table->ctx;
  PF_TRY(lay_out(p, e, notation));
  size_t length = p->length[p->node_count - 1]; /* the root was created last */
  if (length > longest_text)
    return pf_fail(ctx, PF_ERR_LIMIT, "a formula is longer than 16 MB when its shared parts are written out");
  *text = pf_arena_alloc(arena, length + 1, 1);
  RangeStack stack = {0};
  bool good = *text && write_text(p, &stack, (uint32_t)p->node_count - 1, *text);
  pf_array_free(p->table->allocator, &stack);
  return good ? PF_OK : pf_no_room(ctx, "a printed formula");
}

/* ---------------------------------------------------------------- public */

/* A printer with an arena of its own: the caller's may be the scratch arena. */
static PfStatus begin(PfContext *ctx, PfExpr e, Printer *p)
{
  *p = (Printer){.table = pf_expr_table(ctx)};
  if (e == PF_EXPR_NONE) return pf_fail(ctx, PF_ERR_ARGUMENT, "there is no expression to print");
  p->arena = p->table ? pf_arena_new(p->table->allocator) : NULL;
  return p->arena ? PF_OK : pf_no_room(ctx, "a printed formula");
}

static void end(Printer *p)
{
  if (p->table) pf_array_free(p->table->allocator, &p->pieces);
  pf_arena_free(p->arena);
}

const char *pf_expr_print(PfContext *ctx, PfArena *arena, PfExpr e, PfNotation notation)
{
  Printer p;
  char *text = NULL;
  PfStatus status = begin(ctx, e, &p);
  if (status == PF_OK) status = print(&p, arena, e, notation, &text);
  end(&p);
  return status == PF_OK ? text : NULL;
}

/* The lengths of all parts are known then as well, and are asked for soon. */
static void keep_lengths(const Printer *p)
{
  PfExprTable *table = p->table;
  PfExpr last = p->nodes[p->node_count - 1];
  while (table->lengths.count <= last)
    if (!pf_push(table->allocator, &table->lengths, 0)) return; /* they will be measured again */
  for (int i = 0; i < p->node_count; i++)
    table->lengths.at[p->nodes[i]] = p->length[i] < UINT32_MAX ? (uint32_t)p->length[i] : 0;
}

static size_t measure(PfContext *ctx, PfExpr e, bool in_words)
{
  if (e == PF_EXPR_NONE) return 0;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Printer p = {.table = pf_expr_table(ctx), .arena = scratch, .words = in_words, .measures = !in_words};
  PfStatus status = p.table ? lay_out(&p, e, PF_TEXT) : pf_no_room(ctx, "a printed formula");
  if (status == PF_OK && !in_words) keep_lengths(&p);
  size_t length = status == PF_OK ? p.length[p.node_count - 1] : SIZE_MAX;
  if (p.table) pf_array_free(p.table->allocator, &p.pieces);
  pf_arena_release(scratch, mark);
  return length;
}

size_t pf_expr_length(PfContext *ctx, PfExpr e)
{
  const PfExprTable *table = pf_expr_table(ctx);
  if (table && e < table->lengths.count && table->lengths.at[e]) return table->lengths.at[e];
  return measure(ctx, e, false);
}

size_t pf_expr_words(PfContext *ctx, PfExpr e)
{
  return measure(ctx, e, true);
}
