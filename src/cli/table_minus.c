/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two trajectories. */
#include "cli/table.h"

#include <math.h>
#include <string.h>

typedef struct Pair {
  PfContext *ctx;
  PfArena *arena;
  const Table *a, *b;
  Table *difference;
  int *column;       /* of b, for each column of the difference */
  int *own;          /* of a */
  bool interpolated;
} Pair;

static PfStatus find_columns(Pair *p)
{
  Table *d = p->difference;
  for (int i = 0; i < p->a->columns; i++) {
    int k = i ? pf_table_find(p->b, pf_table_head(p->arena, p->a, i)) : 0; /* the first is the time */
    if (k < 0 || (i && !k)) continue;
    if (strcmp(p->a->units[i], p->b->units[k]) != 0)
      return pf_fail(p->ctx, PF_ERR_UNIT, "--minus: '%s' is in '%s' and in '%s'", p->a->names[i], p->a->units[i],
                     p->b->units[k]);
    p->own[d->columns] = i;
    p->column[d->columns] = k;
    d->names[d->columns] = p->a->names[i];
    d->units[d->columns++] = p->a->units[i];
  }
  return d->columns > 1 ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "--minus: there is no column that both have");
}

static bool is_ordered(const Table *t)
{
  for (int r = 0; r < pf_table_rows(t); r++)
    if (!isfinite(pf_table_at(t, r, 0)) || (r && pf_table_at(t, r, 0) < pf_table_at(t, r - 1, 0))) return false;
  return true;
}

/* Lagrange's polynomial through four rows with different times around t, fewer where there are no more. */
static double interpolate(const Table *b, int column, int after, double t)
{
  int rows = pf_table_rows(b), count = 0;
  double time[4], value[4], sum = 0;
  int first = after - 2 < 0 ? 0 : after + 2 > rows ? rows - 4 : after - 2;
  for (int r = first < 0 ? 0 : first; r < rows && count < 4; r++) {
    if (count && pf_table_at(b, r, 0) == time[count - 1]) continue; /* both sides of a jump have the same time */
    time[count] = pf_table_at(b, r, 0);
    value[count++] = pf_table_at(b, r, column);
  }
  for (int i = 0; i < count; i++) {
    double weight = 1;
    for (int k = 0; k < count; k++)
      if (k != i) weight *= (t - time[k])/(time[i] - time[k]);
    sum += weight*value[i];
  }
  return sum;
}

/* One row of a; *row of b is the first that is not earlier, and stays where several have one time. */
static PfStatus subtract_row(Pair *p, int r, int *row)
{
  const Table *a = p->a, *b = p->b;
  int rows = pf_table_rows(b);
  double t = pf_table_at(a, r, 0);
  bool again = r > 0 && pf_table_at(a, r - 1, 0) == t; /* the other side of a jump */
  if (again && *row + 1 < rows && pf_table_at(b, *row + 1, 0) == t) ++*row;
  while (*row < rows && pf_table_at(b, *row, 0) < t) ++*row;
  if (*row == rows || t < pf_table_at(b, 0, 0)) return PF_OK;
  bool exact = pf_table_at(b, *row, 0) == t;
  p->interpolated = p->interpolated || !exact;
  for (int i = 0; i < p->difference->columns; i++) {
    double value = exact ? pf_table_at(b, *row, p->column[i]) : interpolate(b, p->column[i], *row, t);
    double cell = i ? pf_table_at(a, r, p->own[i]) - value : t;
    if (!pf_push(pf_context_allocator(p->ctx), &p->difference->cells, cell)) return pf_no_room(p->ctx, "the table");
  }
  return PF_OK;
}

PfStatus pf_table_minus(PfContext *ctx, PfArena *arena, const Table *a, const Table *b, Table *difference,
                        bool *interpolated)
{
  Pair p = {.ctx = ctx, .arena = arena, .a = a, .b = b, .difference = difference,
            .column = pf_arena_array(arena, int, a->columns), .own = pf_arena_array(arena, int, a->columns)};
  *difference = (Table){.names = pf_arena_array(arena, const char *, a->columns),
                        .units = pf_arena_array(arena, const char *, a->columns)};
  if (!p.column || !p.own || !difference->names || !difference->units) return pf_no_room(ctx, "the table");
  if (a->curves || b->curves) return pf_fail(ctx, PF_ERR_ARGUMENT, "--minus: curves of a study have no common time");
  PF_TRY(find_columns(&p));
  if (!is_ordered(a) || !is_ordered(b))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--minus: the first column of both must be a time that does not go back");
  for (int r = 0, row = 0; r < pf_table_rows(a); r++) PF_TRY(subtract_row(&p, r, &row));
  *interpolated = p.interpolated;
  if (pf_table_rows(difference) >= 2) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "--minus: the two trajectories have no times in common");
}
