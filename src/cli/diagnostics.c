/* Diagnostics for people: place, message, the line, a caret, advice. Colour only on a terminal. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const severity_name[] = {"note", "warning", "error"};
static const char *const severity_colour[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};

enum { WIDEST = 160, MOST_SHOWN = 100 };

static bool use_colour(void)
{
  const char *no = getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && !(no && *no);
}

/* Length in bytes of the UTF-8 character that starts here. */
static int character_length(const char *at)
{
  unsigned char c = (unsigned char)*at;
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* The line around the column, at most WIDEST characters of it, and the caret below. */
static void show_line(const PfPlace *place, bool colour)
{
  int skip = place->column > WIDEST/2 ? place->column - WIDEST/2 : 0;
  const char *at = place->text;
  for (int i = 0; i < skip && *at; i++) at += strnlen(at, (size_t)character_length(at));
  fprintf(stderr, "%6d | %s", place->line, skip ? "…" : "");
  int shown = 0;
  const char *from = at;
  for (; shown < WIDEST && *at; shown++) at += strnlen(at, (size_t)character_length(at));
  fwrite(from, 1, (size_t)(at - from), stderr);
  fprintf(stderr, "%s\n       | %s", *at ? "…" : "", skip ? " " : "");
  at = from;
  for (int i = 1; i < place->column - skip; i++) { /* tabs stay tabs, so that the caret stands right */
    fputc(*at == '\t' ? '\t' : ' ', stderr);
    if (*at) at += strnlen(at, (size_t)character_length(at));
  }
  int carets = place->length > 0 ? place->length : 1;
  if (carets > WIDEST - (place->column - skip) + 1) carets = WIDEST - (place->column - skip) + 1;
  if (colour) fputs("\033[1;32m", stderr);
  fputc('^', stderr);
  for (int i = 1; i < carets; i++) fputc('~', stderr);
  fputs(colour ? "\033[0m\n" : "\n", stderr);
}

static void show(const PfDiagnostic *d, bool colour)
{
  if (d->place.line) fprintf(stderr, "%s:%d:%d: ", d->place.file, d->place.line, d->place.column);
  else fputs("pfaff: ", stderr);
  fprintf(stderr, "%s%s:%s %s\n", colour ? severity_colour[d->severity] : "", severity_name[d->severity],
          colour ? "\033[0m" : "", d->message);
  if (d->place.line && d->place.text) show_line(&d->place, colour);
  if (d->hint) fprintf(stderr, "       = %s\n", d->hint);
}

static bool is_before(const PfDiagnostic *a, const PfDiagnostic *b)
{
  if (!a->place.line || !b->place.line) return false; /* what has no place stays where it is */
  return a->place.line < b->place.line || (a->place.line == b->place.line && a->place.column < b->place.column);
}

/* In the order of the text. There are few. */
static int sort(const PfContext *ctx, const PfDiagnostic *sorted[MOST_SHOWN])
{
  int count = 0;
  for (int i = 0; i < pf_diagnostic_count(ctx) && count < MOST_SHOWN; i++) {
    const PfDiagnostic *d = pf_diagnostic(ctx, i);
    int k = count++;
    for (; k > 0 && is_before(d, sorted[k - 1]); k--) sorted[k] = sorted[k - 1];
    sorted[k] = d;
  }
  return count;
}

void pf_cli_diagnostics(const PfContext *ctx)
{
  bool colour = use_colour();
  const PfDiagnostic *sorted[MOST_SHOWN];
  int count = ctx ? sort(ctx, sorted) : 0;
  for (int i = 0; i < count; i++) show(sorted[i], colour);
  if (!ctx) fputs("pfaff: error: out of memory\n", stderr);
}

void pf_cli_json_diagnostics(const PfContext *ctx, PfJson *json)
{
  const PfDiagnostic *sorted[MOST_SHOWN];
  int count = sort(ctx, sorted);
  pf_json_open(json, "diagnostics", '[');
  for (int i = 0; i < count; i++) {
    const PfDiagnostic *d = sorted[i];
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "severity", severity_name[d->severity]);
    pf_json_string(json, "message", d->message);
    pf_json_string(json, "hint", d->hint);
    pf_json_string(json, "file", d->place.line ? d->place.file : NULL);
    pf_json_integer(json, "line", d->place.line);
    pf_json_integer(json, "column", d->place.column);
    pf_json_integer(json, "length", d->place.length);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}
