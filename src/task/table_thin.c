/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of long runs: fewer rows, among them all extremes. */
#include "task/table.h"

#include <math.h>
#include <string.h>

enum { MOST_CELLS = 8*1000*1000, MOST_ROWS = 100*1000, LEAST_ROWS = 10*1000 };

/* Of a stretch there remain its first and its last row, and for every column the rows of its extremes. */
static size_t rows_of_stretch(const TableThinning *t)
{
  return 2 + 2*(size_t)t->count;
}

PfStatus pf_table_thinning(const Session *s, const Table *table, TableThinning *t)
{
  size_t most = (size_t)MOST_CELLS/(size_t)table->columns, columns = 1;
  t->most = most > MOST_ROWS ? MOST_ROWS : most < LEAST_ROWS ? LEAST_ROWS : most;
  for (int i = 0; i < table->list_count; i++) columns += (size_t)table->lists[i].count + 1;
  if (!table->list_count) columns += (size_t)s->model->coordinate_count;
  t->column = pf_arena_array(s->arena, int, columns);
  if (!t->column) return pf_no_room(s->ctx, "the table");
  for (int i = 0; i < table->list_count; i++) {
    const TableList *list = table->lists + i;
    for (int k = 0; k < list->count; k++) t->column[t->count++] = list->column[k];
    if (list->against > 0) t->column[t->count++] = list->against, t->path = true;
  }
  for (int i = 1; !table->list_count && i <= s->model->coordinate_count && i < table->columns; i++)
    t->column[t->count++] = i;
  return PF_OK;
}

typedef struct Stretch {
  int first, end; /* rows */
} Stretch;

/* The rows from `first` on that lie in one of the equal stretches of time. */
static Stretch stretch_at(const Table *table, const TableThinning *t, int first)
{
  double stretches = fmax(1, floor((double)t->most/2/(double)rows_of_stretch(t))), width = (t->to - t->from)/stretches;
  double end = t->from + width*(floor((pf_table_at(table, first, 0) - t->from)/width) + 1);
  Stretch s = {first, first + 1};
  while (s.end < pf_table_rows(table) && pf_table_at(table, s.end, 0) < end) s.end++;
  return s;
}

/* Marks the rows of the stretch that remain. */
static void mark(const Table *table, const TableThinning *t, Stretch s, bool *kept)
{
  kept[s.first] = kept[s.end - 1] = true;
  for (int i = 0; i < t->count; i++) {
    int low = -1, high = -1, c = t->column[i];
    for (int r = s.first; r < s.end; r++) {
      double x = pf_table_at(table, r, c);
      if (!isfinite(x)) continue;
      if (low < 0 || x < pf_table_at(table, low, c)) low = r;
      if (high < 0 || x > pf_table_at(table, high, c)) high = r;
    }
    if (low >= 0) kept[low] = kept[high] = true;
  }
}

PfStatus pf_table_thin(PfContext *ctx, Table *table, TableThinning *t)
{
  int rows = pf_table_rows(table);
  if ((size_t)rows < t->most) return PF_OK;
  PfArena *work = pf_arena_new(pf_context_allocator(ctx));
  bool *kept = work ? pf_arena_array(work, bool, rows) : NULL;
  if (kept) {
    for (Stretch s = {0, 0}; s.end < rows;) {
      s = stretch_at(table, t, s.end);
      mark(table, t, s, kept);
    }
    const size_t every = t->even ? ((size_t)rows + t->even - 1)/t->even : 0;
    for (size_t r = 0; every && r < (size_t)rows; r += every) kept[r] = true;
    size_t columns = (size_t)table->columns, count = 0;
    for (int r = 0; r < pf_table_rows(table); r++) {
      if (!kept[r]) continue;
      memmove(table->cells.at + count*columns, table->cells.at + (size_t)r*columns, columns*sizeof *table->cells.at);
      count++;
    }
    table->cells.count = count*columns;
    t->thinned = true;
    if ((size_t)pf_table_rows(table) > t->most/2) t->most *= 2; /* or it would be thinned at every row */
  }
  pf_arena_free(work);
  return kept ? PF_OK : pf_no_room(ctx, "the trajectory");
}
