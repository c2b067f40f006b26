/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two trajectories. */
#include "cli/table.h"

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

/* Rounding: units of the time may have been converted. */
static bool is_same(double a, double b)
{
  return fabs(a - b) <= 4*DBL_EPSILON*fmax(fabs(a), fabs(b));
}

/* Do both rows exist and lie on one side of every jump? Both sides of a jump have the same time. */
static bool joins(const Table *b, int row)
{
  return row >= 0 && row + 1 < pf_table_rows(b) && !is_same(pf_table_at(b, row, 0), pf_table_at(b, row + 1, 0));
}

/* Lagrange's polynomial through four rows around t, fewer where there are no more before a jump. */
static double interpolate(const Table *b, int column, int after, double t)
{
  int first = after - 1, last = after;
  double sum = 0;
  for (int more = 0; more < 2; more++) { /* on the shorter side, if there is one */
    bool left = joins(b, first - 1), right = joins(b, last);
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
    double value = exact ? pf_table_at(p->b, row, p->column[i]) : interpolate(p->b, p->column[i], row, t);
    double cell = i ? pf_table_at(p->a, r, p->own[i]) - value : t;
    if (!pf_push(pf_context_allocator(p->ctx), &p->difference->cells, cell)) return pf_no_room(p->ctx, "the table");
  }
  return PF_OK;
}

/* Has row r the same time, if there is one? */
static bool is_at(const Table *table, int r, double t)
{
  return r >= 0 && r < pf_table_rows(table) && is_same(pf_table_at(table, r, 0), t);
}

/* One row of a; *row of b is the first that is not earlier, and stays where several have one time. */
static PfStatus subtract_row(Pair *p, int r, int *row)
{
  const Table *a = p->a, *b = p->b;
  double t = pf_table_at(a, r, 0);
  bool again = is_at(a, r - 1, t); /* the other side of a jump */
  if (again && is_at(b, *row, t) && is_at(b, *row + 1, t)) ++*row;
  while (*row < pf_table_rows(b) && pf_table_at(b, *row, 0) < t && !is_at(b, *row, t)) ++*row;
  if (*row == pf_table_rows(b)) return PF_OK;
  bool exact = is_at(b, *row, t);
  if (!exact && *row == 0) return PF_OK; /* earlier than all of b */
  p->interpolated = p->interpolated || !exact;
  PF_TRY(push_row(p, r, *row, exact));
  while (exact && !is_at(a, r + 1, t) && is_at(b, *row + 1, t)) PF_TRY(push_row(p, r, ++*row, true));
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
