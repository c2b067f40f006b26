/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a file: a checked copy, its lines, and places in it for diagnostics. */
#include "lang/ast.h"
#include "lang/lex.h"

#include <string.h>

/* Lines beyond this are not quoted whole: twenty errors in one line of 16 MB should not cost 320 MB. */
enum { LONGEST_QUOTE = 500 };

/* Also those beyond ASCII that a terminal obeys, and those that change the order of what is read: fmt prints the text
 * as it is. */
static bool is_control(uint32_t code)
{
  return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code <= 0x9F) ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/* Notes where lines start, and stops at the first byte that is no text. */
static PfStatus index_lines(PfSource *source)
{
  const PfAllocator *allocator = pf_context_allocator(source->ctx);
  const char *bytes = source->bytes;
  if (!pf_push(allocator, &source->lines, 0))
    return pf_fail(source->ctx, PF_ERR_MEMORY, "no room for the lines of %s", source->file);

  uint32_t column = 1;
  for (size_t at = 0; at < source->count; column++) {
    unsigned char byte = (unsigned char)bytes[at];
    uint32_t size = byte < 0x80 ? 1 : pf_utf8_size(bytes + at, source->count - at);
    bool line_end = byte == '\r' && bytes[at + 1] == '\n';
    uint32_t line = (uint32_t)source->lines.count;
    if (!size) {
      PfPlace place = pf_source_place(source, line, column, 1);
      bool utf16 = !strncmp(source->bytes, "\xFF\xFE", 2) || !strncmp(source->bytes, "\xFE\xFF", 2);
      pf_fail_at(source->ctx, PF_ERR_SYNTAX, place,
                 utf16 ? "the file is UTF-16 text: it starts with byte 0x%02X"
                       : "the file is not UTF-8 text: byte 0x%02X does not belong here", byte);
      pf_hint(source->ctx, utf16 ? "save it as UTF-8" : "save the file as UTF-8");
      return PF_ERR_SYNTAX;
    }
    uint32_t code = pf_utf8_code(bytes + at, size);
    if (is_control(code) && !line_end) {
      pf_fail_at(source->ctx, PF_ERR_SYNTAX, pf_source_place(source, line, column, 1),
                 "control character %s%0*X in the text", code < 0x80 ? "0x" : "U+", code < 0x80 ? 2 : 4,
                 (unsigned)code);
      pf_hint(source->ctx, "delete it; is this really a text file?");
      return PF_ERR_SYNTAX;
    }
    at += size;
    if (byte != '\n') continue;
    column = 0;
    if (!pf_push(allocator, &source->lines, (uint32_t)at))
      return pf_fail(source->ctx, PF_ERR_MEMORY, "no room for the lines of %s", source->file);
  }
  return PF_OK;
}

PfStatus pf_source_init(PfSource *source, PfContext *ctx, PfArena *arena, const char *file, const char *bytes,
                        size_t count)
{
  return pf_source_init_value(source, ctx, arena, file, NULL, bytes, count);
}

PfStatus pf_source_init_value(PfSource *source, PfContext *ctx, PfArena *arena, const char *file, const char *setting,
                              const char *bytes, size_t count)
{
  *source = (PfSource){.ctx = ctx, .arena = arena, .file = file, .setting = setting, .bytes = ""};
  if (count > PF_LONGEST_SOURCE)
    return pf_fail(ctx, PF_ERR_LIMIT, "%s has %zu bytes, more than the limit of %d MB", file, count,
                   PF_LONGEST_SOURCE >> 20);
  if (count >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) { /* the mark that some editors put first */
    bytes += 3;
    count -= 3;
  }
  source->bytes = pf_arena_text(arena, bytes, count);
  if (!source->bytes) {
    source->bytes = "";
    return pf_fail(ctx, PF_ERR_MEMORY, "no room for the %zu bytes of %s", count, file);
  }
  source->count = count;
  return index_lines(source);
}

/* Frees the index of lines. */
void pf_source_free(PfSource *source)
{
  if (source->ctx) pf_array_free(pf_context_allocator(source->ctx), &source->lines);
}

/* ---------------------------------------------------------------- places */

/* The place of some characters of a line, which count from 1. */
PfPlace pf_source_place(const PfSource *source, uint32_t line, uint32_t column, uint32_t length)
{
  PfPlace place = {.file = source->file, .line = (int)line, .column = (int)column, .length = (int)length,
                   .setting = source->setting};
  if (line == 0 || line > source->lines.count) return place;

  const char *start = source->bytes + source->lines.at[line - 1];
  size_t left = source->count - source->lines.at[line - 1];
  if (left > LONGEST_QUOTE) left = LONGEST_QUOTE;
  const char *end = memchr(start, '\n', left);
  size_t count = end ? (size_t)(end - start) : left;
  if (end && count && start[count - 1] == '\r') count--;
  while (!end && count && ((unsigned char)start[count] & 0xC0) == 0x80) count--; /* no half characters */
  /* A copy of the line that can be printed: bytes that are not text show as '?'. */
  char *text = column <= count + 1 ? pf_arena_text(source->arena, start, count) : NULL;
  for (size_t at = 0; text && at < count;) {
    uint32_t size = pf_utf8_size(start + at, count - at);
    if (!size || is_control((unsigned char)start[at])) text[at] = '?';
    at += size ? size : 1;
  }
  place.text = text;
  return place;
}

/* The place of a node. */
PfPlace pf_node_place(const PfSource *source, const PfNode *node)
{
  return pf_source_place(source, node->line, node->column, node->length);
}
