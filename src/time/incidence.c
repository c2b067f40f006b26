/* SPDX-License-Identifier: Apache-2.0 */
/* The incidence of rows and coordinates: a bipartite graph by what is not zero at all times. Its connected components
 * are independent of each other, and are solved so. */
#include "time/incidence.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 3 }; /* here, and at configurations nearby */

typedef struct Maker {
  PfContext *ctx;
  PfManifold *f;
  PfGoals *goals;
  const PfEntry *entry; /* of the level */
  int first, count;     /* where they begin in manifold->out; how many */
  double *values;
  double *seen;         /* LOOKS x places */
  bool *in_goal;        /* goals x n */
  PfIncidence *in;
} Maker;

static int goal_count(const Maker *k)
{
  return k->in->rows - k->in->constraints;
}

/* ---------------------------------------------------------------- places */

static void note_goals(Maker *k)
{
  size_t n = (size_t)k->in->n;
  if (!k->goals) return;
  if (goal_count(k)) pf_goals_evaluate(k->goals, k->values);
  for (size_t g = 0; g < (size_t)goal_count(k); g++)
    for (size_t j = 0; j < n; j++) k->in_goal[g*n + j] = k->in_goal[g*n + j] || k->goals->goal[g].row[j] != 0;
}

/* The state around the one given: coordinates only, so that what depends on time alone counts as constant. */
static PfStatus look_around(Maker *k, PfArena *arena)
{
  const PfSymbols *symbols = pf_system_symbols(k->f->system);
  size_t n = (size_t)k->in->n, bytes = n*sizeof *k->values;
  double *q = k->values + symbols->q, *kept = pf_arena_array(arena, double, n);
  unsigned noise = 7;
  if (!kept) return pf_no_room(k->ctx, "the start");
  memcpy(kept, q, bytes);
  for (int look = LOOKS; look-- > 0;) {
    for (size_t j = 0; j < n; j++) q[j] = look ? pf_manifold_blur(kept[j], 1, &noise) : kept[j];
    pf_tape_run(k->f->slopes, k->values, k->f->out, k->f->slope_work);
    memcpy(k->seen + (size_t)look*(size_t)k->count, k->f->out + k->first, (size_t)k->count*sizeof *k->seen);
    note_goals(k);
  }
  return PF_OK;
}

static void describe(const Maker *k, int place, int at)
{
  double here = k->seen[at], most = 0, apart = 0;
  for (int look = 1; look < LOOKS; look++) {
    double there = k->seen[(size_t)look*(size_t)k->count + (size_t)at];
    most = fmax(most, fabs(there));
    if (!(fabs(there - here) <= apart)) apart = fabs(there - here); /* also what is not finite */
  }
  k->in->usual[place] = most;
  k->in->constant[place] = here != 0 && apart <= 1e-12*fabs(here);
}

static void list_places(Maker *k)
{
  PfIncidence *in = k->in;
  int place = 0;
  for (int at = 0, i = 0; i < in->constraints; i++) {
    in->begin[i] = place;
    for (; at < k->count && k->entry[at].row == i; at++, place++) {
      in->column[place] = k->entry[at].column;
      in->entry[place] = k->first + at;
      describe(k, place, at);
    }
  }
  for (int g = 0; g < goal_count(k); g++) {
    in->begin[in->constraints + g] = place;
    for (int j = 0; j < in->n; j++)
      if (k->in_goal[(size_t)g*(size_t)in->n + (size_t)j]) in->column[place] = j, in->entry[place++] = -1;
  }
  in->begin[in->rows] = place;
}

/* ---------------------------------------------------------------- components */

static int root_of(int *part, int j)
{
  while (part[j] != j) j = part[j] = part[part[j]];
  return j;
}

/* Trees of coordinates first, the root with the least number; then components by their first coordinate. */
static void find_parts(PfIncidence *in, bool *occurs, int *number)
{
  for (int j = 0; j < in->n; j++) in->part[j] = j, occurs[j] = false, number[j] = -1;
  for (int i = 0; i < in->rows; i++)
    for (int p = in->begin[i]; p < in->begin[i + 1]; p++) {
      int a = root_of(in->part, in->column[in->begin[i]]), b = root_of(in->part, in->column[p]);
      occurs[in->column[p]] = true;
      if (a < b) in->part[b] = a;
      else in->part[a] = b;
    }
  for (int j = 0; j < in->n; j++) (void)root_of(in->part, j);
  for (int j = 0; j < in->n; j++) {
    int root = in->part[j];
    while (in->part[root] != root) root = in->part[root];
    if (occurs[j] && number[root] < 0) number[root] = in->parts++;
  }
  for (int j = in->n; j-- > 0;) { /* roots come before what hangs on them */
    int root = j;
    while (in->part[root] != root) root = in->part[root];
    in->part[j] = occurs[j] ? number[root] : -1;
  }
}

static int part_of(const PfIncidence *in, int row)
{
  return in->begin[row] < in->begin[row + 1] ? in->part[in->column[in->begin[row]]] : in->parts;
}

static void sort_rows(PfIncidence *in)
{
  for (int i = 0; i < in->rows; i++) in->part_begin[part_of(in, i) + 1]++;
  for (int k = 0; k <= in->parts; k++) in->part_begin[k + 1] += in->part_begin[k];
  for (int i = in->rows; i-- > 0;) in->part_row[--in->part_begin[part_of(in, i) + 1]] = i;
  for (int k = 0; k <= in->parts; k++) in->part_begin[k] = in->part_begin[k + 1];
  in->part_begin[in->parts + 1] = in->rows;
}

/* ---------------------------------------------------------------- making it */

static PfStatus make(Maker *k, PfArena *arena)
{
  PfIncidence *in = k->in;
  size_t n = (size_t)in->n, places = (size_t)k->count + (size_t)goal_count(k)*n;
  in->begin = pf_arena_array(arena, int, in->rows + 1);
  in->column = pf_arena_array(arena, int, places);
  in->entry = pf_arena_array(arena, int, places);
  in->constant = pf_arena_array(arena, bool, places);
  in->usual = pf_arena_array(arena, double, places);
  in->part = pf_arena_array(arena, int, n);
  in->part_begin = pf_arena_array(arena, int, n + 2);
  in->part_row = pf_arena_array(arena, int, in->rows);
  k->seen = pf_arena_array(arena, double, LOOKS*(size_t)k->count);
  k->in_goal = pf_arena_array(arena, bool, (size_t)goal_count(k)*n);
  bool *occurs = pf_arena_array(arena, bool, n);
  int *number = pf_arena_array(arena, int, n);
  if (!in->begin || !in->column || !in->entry || !in->constant || !in->usual || !in->part || !in->part_begin ||
      !in->part_row || !k->seen || !k->in_goal ||
      !occurs || !number)
    return pf_no_room(k->ctx, "the start");
  PF_TRY(look_around(k, arena));
  list_places(k);
  find_parts(in, occurs, number);
  sort_rows(in);
  return PF_OK;
}

PfStatus pf_incidence_make(PfContext *ctx, PfArena *arena, PfManifold *f, PfGoals *goals, PfLevel level,
                           double *values, PfIncidence *in)
{
  bool position = level == PF_LEVEL_POSITION;
  int constraints = position ? f->positions : f->m;
  *in = (PfIncidence){.n = f->n, .constraints = constraints, .rows = constraints + (goals ? goals->count : 0)};
  Maker k = {.ctx = ctx, .f = f, .goals = goals, .values = values, .in = in};
  k.first = f->count[0] + (position ? 0 : f->count[1]);
  k.count = f->count[position ? 1 : 2];
  k.entry = f->entry + k.first;
  return make(&k, arena);
}
