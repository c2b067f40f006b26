/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics for people: place, message, the line, a caret, advice. Colour only on a terminal. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char *const severity_colour[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

enum { WIDEST = 160 };

/* A text that may come from a file or the command line: nothing in it can steer the terminal. */
static void print_plain(FILE *stream, const char *words)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  PfText text;
  pf_text_init(&text, &standard);
  pf_text_add_escaped(&text, words, strlen(words), "\t");
  fputs(pf_text_get(&text), stream);
  pf_text_free(&text);
}

/* Columns that a piece of text takes: one for each character. */
static int width_of(const char *at)
{
  int width = 0;
  for (; *at; at++) width += ((unsigned char)*at & 0xC0) != 0x80;
  return width;
}

static void show_line(FILE *stream, const PfPlace *place, bool colour)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  PfText line, below;
  pf_text_init(&line, &standard);
  pf_text_init(&below, &standard);
  /* The line around the column, at most WIDEST characters of it, and below it blanks up to the caret: as many as
   * the text before it takes, with tabs where it has tabs. */
  int skip = place->column > WIDEST/2 ? place->column - WIDEST/2 : 0, column = 1;
  size_t at = 0, count = strlen(place->text);
  pf_text_add(&line, skip ? "…" : "");
  pf_text_add(&below, skip ? " " : "");
  for (; at < count && column <= skip + WIDEST; column++) {
    size_t before = line.count;
    uint32_t size = pf_utf8_size(place->text + at, count - at);
    if (column > skip) (void)pf_text_add_escaped_character(&line, place->text + at, count - at, "\t");
    if (column > skip && column < place->column) {
      if (place->text[at] == '\t') pf_text_add(&below, "\t");
      else pf_text_print(&below, "%*s", width_of(pf_text_get(&line) + before), "");
    }
    at += size ? size : 1;
  }
  if (at < count) pf_text_add(&line, "…");
  if (place->column > column) pf_text_print(&below, "%*s", place->column - column, "");
  int carets = place->length > 0 ? place->length : 1,
      most = WIDEST - (place->column < WIDEST/2 ? place->column : WIDEST/2) + 1;
  fprintf(stream, "%6d | %s\n       | %s%s^", place->line, pf_text_get(&line), pf_text_get(&below),
          colour ? "\033[1;32m" : "");
  for (int i = 1; i < carets && i < most; i++) fputc('~', stream);
  fputs(colour ? "\033[0m\n" : "\n", stream);
  pf_text_free(&below);
  pf_text_free(&line);
}

void pf_cli_diagnostic(FILE *stream, const PfDiagnostic *d, bool colour)
{
  print_plain(stream, d->place.line ? d->place.file : "pfaff");
  if (d->place.line) fprintf(stream, ":%d:%d", d->place.line, d->place.column);
  fprintf(stream, ": %s%s:%s ", colour ? severity_colour[d->severity] : "", pf_severity_name(d->severity),
          colour ? "\033[0m" : "");
  print_plain(stream, d->message);
  fputc('\n', stream);
  if (d->place.line && d->place.text) show_line(stream, &d->place, colour);
  if (!d->hint) return;
  fputs("       = ", stream);
  print_plain(stream, d->hint);
  fputc('\n', stream);
}

void pf_cli_diagnostics(const PfContext *ctx, const Console *console)
{
  const char *no = getenv("NO_COLOR");
  bool colour = console->terminal && !(no && *no);
  const PfDiagnostic *sorted[PF_MOST_DIAGNOSTICS];
  int count = ctx ? pf_diagnostics_sort(ctx, sorted) : 0;
  for (int i = 0; i < count; i++) pf_cli_diagnostic(console->err, sorted[i], colour);
  if (!ctx) fputs("pfaff: error: out of memory\n", console->err);
}
