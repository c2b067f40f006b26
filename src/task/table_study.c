/* SPDX-License-Identifier: Apache-2.0 */
/* Curves that studies write: portraits, sections, branches. The first column says to which one a row belongs. */
#include "task/table.h"

#include <math.h>
#include <string.h>

/* What the first columns are called, and how the curves are drawn. */
typedef struct Kind {
  const char *first, *second; /* second: NULL for any */
  int over;                   /* the column that is the horizontal axis */
  bool points;
} Kind;

static const Kind kinds[] = {{"curve", NULL, 1, false}, {"motion", "t", 2, true}, {"branch", NULL, 1, false}};

static const Kind *kind_of(const Table *t)
{
  for (size_t i = 0; i < sizeof kinds/sizeof *kinds; i++) {
    const Kind *k = kinds + i;
    if (t->columns <= k->over + 1 || strcmp(t->names[0], k->first) != 0 || t->units[0][0]) continue;
    if (!k->second || !strcmp(t->names[1], k->second)) return k;
  }
  return NULL;
}

/* What is not drawn unless it is asked for: counts and words of stability, and the times of a section. */
static bool is_aside(const Table *t, int column)
{
  return !strcmp(t->names[column], "unstable") || !strcmp(t->names[column], "stability") ||
         !strcmp(t->names[column], "t");
}

/* The columns in their new order: the horizontal axis, what is drawn over it, the rest. Returns how many are drawn. */
static int order_columns(const Table *t, const Kind *kind, int *order)
{
  int count = 0, drawn;
  order[count++] = kind->over;
  for (int i = 1; i < t->columns; i++)
    if (i != kind->over && !is_aside(t, i)) order[count++] = i;
  drawn = count - 1;
  for (int i = 1; i < t->columns; i++)
    if (i != kind->over && is_aside(t, i)) order[count++] = i;
  return drawn;
}

static bool push_row(const PfContext *ctx, Table *to, const Table *from, int row, const int *order)
{
  for (int i = 0; i < to->columns; i++)
    if (!pf_push(pf_context_allocator(ctx), &to->cells, row < 0 ? NAN : pf_table_at(from, row, order[i]))) return false;
  return true;
}

static bool copy_rows(const PfContext *ctx, Table *to, const Table *from, const int *order)
{
  for (int r = 0; r < pf_table_rows(from); r++) {
    if (r && pf_table_at(from, r, 0) != pf_table_at(from, r - 1, 0) && !push_row(ctx, to, from, -1, order))
      return false;
    if (!push_row(ctx, to, from, r, order)) return false;
  }
  return true;
}

PfStatus pf_table_curves(PfContext *ctx, PfArena *arena, Table *table)
{
  const Kind *kind = kind_of(table);
  if (!kind) return PF_OK;
  int count = table->columns - 1, *order = pf_arena_array(arena, int, count);
  Table curves = {.columns = count, .names = pf_arena_array(arena, const char *, count),
                  .units = pf_arena_array(arena, const char *, count), .points = kind->points};
  if (!order || !curves.names || !curves.units) return pf_no_room(ctx, "the table");
  curves.curves = order_columns(table, kind, order);
  for (int i = 0; i < count; i++) curves.names[i] = table->names[order[i]], curves.units[i] = table->units[order[i]];
  bool copied = copy_rows(ctx, &curves, table, order);
  pf_table_free(ctx, copied ? table : &curves);
  if (!copied) return pf_no_room(ctx, "the table");
  *table = curves;
  return PF_OK;
}
