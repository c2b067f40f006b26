/* SPDX-License-Identifier: Apache-2.0 */
#include "glue.h"

#include "cli/cli.h"
#include "sim/quantities.h"

#include <string.h>

/* Whether the text ends in that unit. "x + 3 [mm]" ends in another one than its own: there it belongs to the 3. */
static bool ends_in_unit(const char *text, size_t length, const char *unit)
{
  while (length && text[length - 1] == ' ') length--;
  if (!length || text[--length] != ']') return false;
  const char *open = memchr(text, '[', length);
  for (const char *next = open; next; next = memchr(next + 1, '[', (size_t)(text + length - next - 1))) open = next;
  if (!open || open == text || open[-1] != ' ') return false;
  for (open++; open < text + length; open++) {
    if (*open == ' ') continue;
    while (*unit == ' ') unit++;
    if (*open != *unit++) return false;
  }
  return !*unit;
}

static PfStatus add_scales(PfContext *ctx, PfArena *arena, const PfModel *model, const char *piece, double *scale,
                           int *at, int count)
{
  PfPlot *plots;
  int panels;
  PF_TRY(pf_quantities_find(ctx, arena, model, "quantity", piece, &plots, &panels));
  for (int i = 0; panels == 1 && i < plots->count && *at < count; i++) {
    PfMeasure measure = pf_plot_measure(plots, i);
    scale[(*at)++] = ends_in_unit(piece, strlen(piece), measure.unit) ? measure.scale : 1;
  }
  return PF_OK;
}

PfStatus pf_py_scales(PfContext *ctx, const PfModel *model, const char *quantities, double *scale, int count)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = arena ? PF_OK : pf_no_room(ctx, "a quantity");
  int at = 0;
  while (status == PF_OK && at < count && *quantities) {
    const char *end = pf_piece_end(quantities, ",");
    const char *piece = pf_arena_text(arena, quantities, (size_t)(end - quantities));
    status = piece ? add_scales(ctx, arena, model, piece, scale, &at, count) : pf_no_room(ctx, "a quantity");
    quantities = end + (*end != 0);
  }
  pf_arena_free(arena);
  return status;
}
