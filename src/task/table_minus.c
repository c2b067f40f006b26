/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two trajectories. */
#include "task/table.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Pair {
  PfContext *ctx;
  PfArena *arena;
  const Table *a, *b;
  Table *difference;
  int *column;       /* of b, for each column of the difference */
  int *own;          /* of a */
  double near;       /* what is nothing between two times */
  bool interpolated;
} Pair;

static PfStatus find_columns(Pair *p)
{
  Table *d = p->difference;
  for (int i = 0; i < p->a->columns; i++) {
    int k = i ? pf_table_find(p->b, pf_table_head(p->arena, p->a, i)) : 0; /* the first is the time */
    if (k < 0 || (i && !k)) continue;
    if (strcmp(p->a->units[i], p->b->units[k]) != 0)
      return pf_fail(p->ctx, PF_ERR_UNIT, "@minus: '%s' is in '%s' and in '%s'", p->a->names[i], p->a->units[i],
                     p->b->units[k]);
    p->own[d->columns] = i;
    p->column[d->columns] = k;
    d->names[d->columns] = p->a->names[i];
    d->units[d->columns++] = p->a->units[i];
  }
  return d->columns > 1 ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "@minus: there is no column that both have");
}

static bool is_ordered(const Table *t)
{
  for (int r = 0; r < pf_table_rows(t); r++)
    if (!isfinite(pf_table_at(t, r, 0)) || (r && pf_table_at(t, r, 0) < pf_table_at(t, r - 1, 0))) return false;
  return true;
}

/* But for rounding: units of the time may have been converted, and two methods find an event at almost one time. */
static bool is_same(const Pair *p, double a, double b)
{
  return fabs(a - b) <= p->near + 4*DBL_EPSILON*fmax(fabs(a), fabs(b));
}

/* Do both rows exist and lie on one side of every jump? Both sides of a jump have the same time. */
static bool joins(const Pair *p, int row)
{
  const Table *b = p->b;
  return row >= 0 && row + 1 < pf_table_rows(b) && !is_same(p, pf_table_at(b, row, 0), pf_table_at(b, row + 1, 0));
}

/* Lagrange's polynomial through four rows around t, fewer where there are no more before a jump. */
static double interpolate(const Pair *p, int column, int after, double t)
{
  const Table *b = p->b;
  int first = after - 1, last = after;
  double sum = 0;
  for (int more = 0; more < 2; more++) { /* on the shorter side, if there is one */
    bool left = joins(p, first - 1), right = joins(p, last);
    if (left && (!right || after - first <= last - after + 1)) first--;
    else if (right) last++;
  }
  for (int i = first; i <= last; i++) {
    double weight = 1, own = pf_table_at(b, i, 0);
    for (int k = first; k <= last; k++)
      if (k != i) weight *= (t - pf_table_at(b, k, 0))/(own - pf_table_at(b, k, 0));
    sum += weight*pf_table_at(b, i, column);
  }
  return sum;
}

/* Row r of a, less row `row` of b, or what b is between that row and the one before. */
static PfStatus push_row(const Pair *p, int r, int row, bool exact)
{
  double t = pf_table_at(p->a, r, 0);
  for (int i = 0; i < p->difference->columns; i++) {
    double value = exact ? pf_table_at(p->b, row, p->column[i]) : interpolate(p, p->column[i], row, t);
    double cell = i ? pf_table_at(p->a, r, p->own[i]) - value : t;
    if (!pf_push(pf_context_allocator(p->ctx), &p->difference->cells, cell)) return pf_no_room(p->ctx, "the table");
  }
  return PF_OK;
}

/* The first row after r that has another time. */
static int end_of_time(const Pair *p, const Table *t, int r)
{
  int end = r + 1;
  while (end < pf_table_rows(t) && is_same(p, pf_table_at(t, end, 0), pf_table_at(t, r, 0))) end++;
  return end;
}

/* Rows of one time, those of a jump: the first of a belongs to the first of b, and the last to the last. Between them
 * nobody knows what belongs to what. */
static PfStatus subtract_sides(const Pair *p, int r, int end, int row)
{
  int last = end_of_time(p, p->b, row) - 1;
  PF_TRY(push_row(p, r, row, true));
  return end > r + 1 || last > row ? push_row(p, end - 1, last, true) : PF_OK;
}

/* The rows of a from r to `end`, which have one time; *row of b becomes the first that is not earlier. */
static PfStatus subtract_rows(Pair *p, int r, int end, int *row)
{
  const Table *b = p->b;
  double t = pf_table_at(p->a, r, 0);
  while (*row < pf_table_rows(b) && pf_table_at(b, *row, 0) < t && !is_same(p, pf_table_at(b, *row, 0), t)) ++*row;
  if (*row == pf_table_rows(b)) return PF_OK;
  if (is_same(p, pf_table_at(b, *row, 0), t)) return subtract_sides(p, r, end, *row);
  if (*row == 0) return PF_OK; /* earlier than all of b */
  p->interpolated = true;
  for (int k = r; k < end; k++) PF_TRY(push_row(p, k, *row, false));
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
  if (a->curves || b->curves) return pf_fail(ctx, PF_ERR_ARGUMENT, "@minus: curves of a study have no common time");
  PF_TRY(find_columns(&p));
  if (!is_ordered(a) || !is_ordered(b))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@minus: the first column of both must be a time that does not go back");
  p.near = 1e-12*(pf_table_at(a, pf_table_rows(a) - 1, 0) - pf_table_at(a, 0, 0));
  for (int r = 0, row = 0, end; r < pf_table_rows(a); r = end) {
    end = end_of_time(&p, a, r);
    PF_TRY(subtract_rows(&p, r, end, &row));
  }
  *interpolated = p.interpolated;
  if (pf_table_rows(difference) >= 2) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "@minus: the two trajectories have no times in common");
}
