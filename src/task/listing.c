/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a run at the times that --at names. */
#include "task/run.h"

#include <string.h>

static void add(Listing *l, int column)
{
  for (int i = 0; i < l->count; i++)
    if (l->column[i] == column) return;
  l->column[l->count++] = column;
}

PfStatus pf_listing_make(Listing *l, const Trajectory *t, const char *show)
{
  const PfModel *model = t->s->model;
  l->column = pf_arena_array(t->s->arena, int, t->count);
  if (!l->column) return pf_no_room(t->s->ctx, "the list");
  l->trajectory = t;
  add(l, 0);
  for (int i = 1; show && i < t->count; i++) add(l, i);
  for (int i = 0; i < t->plot_count; i++) {
    const PfPlot *plot = t->plots + i;
    if (plot->against != PF_EXPR_NONE) add(l, pf_trajectory_find(t, plot, plot->count));
    for (int k = 0; k < plot->count; k++) add(l, pf_trajectory_find(t, plot, k));
  }
  for (int i = 1; l->count == 1 && i <= model->coordinate_count && i < t->count; i++) l->column[i] = i;
  if (l->count == 1) l->count += model->coordinate_count;
  return PF_OK;
}

PfStatus pf_listing_add(Listing *l)
{
  const Trajectory *t = l->trajectory;
  for (int i = 0; t && i < l->count; i++)
    if (!pf_push(pf_context_allocator(t->s->ctx), &l->cells, t->row[l->column[i]]))
      return pf_no_room(t->s->ctx, "the trajectory");
  return PF_OK;
}

static int width_of(const Trajectory *t, int column)
{
  enum { NUMBER = 17 };
  int head = (int)(strlen(t->names[column]) + strlen(t->units[column]) + (t->units[column][0] ? 3 : 0));
  return head > NUMBER ? head : NUMBER;
}

void pf_listing_text(const Listing *l, PfText *text)
{
  const Trajectory *t = l->trajectory;
  if (!t || !l->cells.count) return;
  pf_text_add(text, "\n");
  for (int i = 0; i < l->count; i++) {
    const char *name = t->names[l->column[i]], *unit = t->units[l->column[i]];
    int head = (int)(strlen(name) + strlen(unit) + (unit[0] ? 3 : 0));
    pf_text_print(text, "  %*s%s%s%s%s", width_of(t, l->column[i]) - head, "", name, unit[0] ? " [" : "", unit,
                  unit[0] ? "]" : "");
  }
  for (size_t k = 0; k < l->cells.count; k++) {
    size_t i = k%(size_t)l->count;
    pf_text_print(text, "%s  %*.10g", i ? "" : "\n", width_of(t, l->column[i]), l->cells.at[k]);
  }
  pf_text_add(text, "\n");
}

void pf_listing_free(Listing *l)
{
  if (l->trajectory) pf_array_free(pf_context_allocator(l->trajectory->s->ctx), &l->cells);
}
