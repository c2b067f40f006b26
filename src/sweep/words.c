/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of which a sweep is made. */
#include "sweep/sweep_impl.h"

#include <stdio.h>
#include <string.h>

const char *pf_word(const PfSweepWord *words, int count, const char *key)
{
  for (int i = 0; i < count; i++)
    if (!strcmp(words[i].key, key)) return words[i].value;
  return NULL;
}

const char *pf_piece_end(const char *text, const char *separators)
{
  int depth = 0;
  for (; *text; text++) {
    depth += *text == '(' || *text == '[';
    depth -= *text == ')' || *text == ']';
    if (depth <= 0 && strchr(separators, *text)) break;
  }
  return text;
}

const char *pf_piece(PfArena *arena, const char *first, const char *end)
{
  while (first < end && (*first == ' ' || *first == '\t' || *first == '\n')) first++;
  while (end > first && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n')) end--;
  return pf_arena_text(arena, first, (size_t)(end - first));
}

PfStatus pf_sweep_constant(PfContext *ctx, const char *what, const char *text, const char *unit, double *value)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_constant_read(ctx, text, unit, value);
  const PfDiagnostic *d = pf_diagnostic(ctx, before);
  if (status != PF_ERR_ARGUMENT || !d) return status;
  char message[600], hint[256] = "";
  snprintf(message, sizeof message, "%s: %s", what, d->message);
  if (d->hint) snprintf(hint, sizeof hint, "%s", d->hint);
  pf_diagnostics_cut(ctx, before);
  pf_fail(ctx, PF_ERR_ARGUMENT, "%s", message);
  if (hint[0]) pf_hint(ctx, "%s", hint);
  return PF_ERR_ARGUMENT;
}
