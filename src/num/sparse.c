/* SPDX-License-Identifier: Apache-2.0 */
/* L D L^T of a sparse symmetric matrix. The order is that of minimum degree, found on the elimination graph; the
 * numbers go row by row (Davis, Direct Methods for Sparse Linear Systems, section 4.7), with a pattern that is
 * known. */
#include "num/sparse.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---------------------------------------------------------------- the elimination graph */

enum { BITS = 64 };

/* The neighbours of each row, as bits; rows that were eliminated have joined their neighbours with each other. */
typedef struct Graph {
  int n;
  size_t words;
  uint64_t *beside; /* n x words */
  int *degree;
  bool *done;
  int last;       /* the rows of constraints begin here; */
  uint64_t *own;  /* (n - last) x words: their neighbours at first, and */
  int *waiting;   /* n: how many of those they still wait for; NULL: for all that come before `last` */
} Graph;

static uint64_t *beside(const Graph *g, int i)
{
  return g->beside + (size_t)i*g->words;
}

static void join(const Graph *g, int i, int j)
{
  const unsigned bit = (unsigned)j;
  beside(g, i)[bit/BITS] |= (uint64_t)1 << bit%BITS;
}

static void part(const Graph *g, int i, int j)
{
  const unsigned bit = (unsigned)j;
  beside(g, i)[bit/BITS] &= ~((uint64_t)1 << bit%BITS);
}

/* Number of ones. */
static int count_bits(uint64_t x)
{
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (int)(x*0x0101010101010101u >> 56);
}

/* Position of the lowest one. */
static int lowest_bit(uint64_t x)
{
  return count_bits((x & (~x + 1)) - 1);
}

static int count_beside(const Graph *g, int i)
{
  int count = 0;
  for (size_t w = 0; w < g->words; w++) count += count_bits(beside(g, i)[w]);
  return count;
}

static bool stood_beside(const Graph *g, int row, int j)
{
  const unsigned bit = (unsigned)j;
  return g->own[(size_t)(row - g->last)*g->words + bit/BITS] >> bit%BITS & 1;
}

/* The neighbours by the entries. With PF_ROWS_SOON rows of constraints wait for their own variables only, not for
 * fill-in. */
static PfStatus make_graph(PfContext *ctx, PfArena *arena, const PfEntry *entry, int count, int n, int last,
                           PfRowOrder order, Graph *g)
{
  *g = (Graph){.n = n, .words = ((size_t)n + BITS - 1)/BITS, .last = last};
  PF_TRY(pf_arrays(ctx, arena, "a sparse matrix", PF_ROOM(g->beside, (size_t)n*g->words), PF_ROOM(g->degree, n),
                   PF_ROOM(g->done, n)));
  for (int k = 0; k < count; k++) {
    if (entry[k].row == entry[k].column) continue;
    join(g, entry[k].row, entry[k].column);
    join(g, entry[k].column, entry[k].row);
  }
  for (int i = 0; i < n; i++) g->degree[i] = count_beside(g, i);
  if (order != PF_ROWS_SOON) return PF_OK;
  const size_t rows = (size_t)(n - last);
  PF_TRY(pf_arrays(ctx, arena, "a sparse matrix", PF_ROOM(g->own, rows*g->words), PF_ROOM(g->waiting, n)));
  if (rows) memcpy(g->own, beside(g, last), rows*g->words*sizeof *g->own);
  for (int row = last; row < n; row++)
    for (int j = 0; j < last; j++) g->waiting[row] += stood_beside(g, row, j);
  return PF_OK;
}

static int fewest(const Graph *g, int from, int to)
{
  int best = -1;
  for (int i = from; i < to; i++)
    if (!g->done[i] && (best < 0 || g->degree[i] < g->degree[best]) && (!g->waiting || !g->waiting[i])) best = i;
  return best;
}

/* ---------------------------------------------------------------- patterns */

typedef struct Columns {
  PF_ARRAY(int) row; /* of L, in the numbers of K, column after column */
} Columns;

/* Eliminates the rows of the graph one after the other: the neighbours of each, the rows of its column of L, become
 * neighbours of each other. all->row gets the patterns of the columns of L. */
static PfStatus find_order(PfContext *ctx, PfArena *scratch, Graph *g, PfSparse *s, Columns *all)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  int *list = pf_arena_array(scratch, int, g->n);
  if (!list) return pf_no_room(ctx, "a sparse matrix");
  for (int k = 0; k < g->n; k++) {
    int from = g->waiting || k < g->last ? 0 : g->last, to = g->waiting || k >= g->last ? g->n : g->last;
    int i = fewest(g, from, to), count = 0;
    s->order[k] = i;
    s->first[k] = (int)all->row.count;
    for (size_t w = 0; w < g->words; w++) /* the neighbours, ascending */
      for (uint64_t bits = beside(g, i)[w]; bits; bits &= bits - 1)
        list[count++] = (int)(w*BITS) + lowest_bit(bits);
    g->done[i] = true;
    for (int p = 0; p < count; p++) {
      const int row = list[p];
      uint64_t *other = beside(g, row);
      if (!pf_push(allocator, &all->row, row)) return pf_no_room(ctx, "a sparse matrix");
      if (g->waiting && i < g->last && row >= g->last && stood_beside(g, row, i)) g->waiting[row]--;
      for (size_t w = 0; w < g->words; w++) other[w] |= beside(g, i)[w];
      part(g, row, row);
      part(g, row, i);
      g->degree[row] = count_beside(g, row);
    }
  }
  s->first[g->n] = (int)all->row.count;
  return PF_OK;
}

/* Where the parts of n lists begin, from how many each has (in first[1 … n]). */
static void add_up(int *first, int n)
{
  for (int k = 0; k < n; k++) first[k + 1] += first[k];
}

/* Columns in the order of elimination, and the same by rows. Columns in ascending order of rows, and for each row where
 * its elements are. */
static PfStatus make_pattern(PfContext *ctx, PfArena *arena, PfArena *scratch, const Columns *all, const int *place,
                             PfSparse *s)
{
  int n = s->n, count = s->first[n];
  s->row = pf_arena_array(arena, int, count);
  s->column = pf_arena_array(arena, int, count);
  s->at = pf_arena_array(arena, int, count);
  s->L = pf_arena_array(arena, double, count);
  int *next = pf_arena_array(scratch, int, n);
  if (!s->row || !s->column || !s->at || !s->L || !next) return pf_no_room(ctx, "a sparse matrix");
  const int *rows = all->row.at;
  for (int p = 0; rows && p < count; p++) s->row[p] = place[rows[p]];
  for (int j = 0; j < n; j++)
    for (int i = s->first[j] + 1; i < s->first[j + 1]; i++)
      for (int k = i; k > s->first[j] && s->row[k] < s->row[k - 1]; k--) {
        int kept = s->row[k];
        s->row[k] = s->row[k - 1];
        s->row[k - 1] = kept;
      }
  for (int p = 0; p < count; p++) s->line_first[s->row[p] + 1]++;
  add_up(s->line_first, n);
  memcpy(next, s->line_first, (size_t)n*sizeof *next);
  for (int j = 0; j < n; j++)
    for (int p = s->first[j]; p < s->first[j + 1]; p++) {
      int q = next[s->row[p]]++;
      s->column[q] = j;
      s->at[q] = p;
    }
  return PF_OK;
}

/* Graph, order, pattern and places, in this order; only the pattern stays. */
static PfStatus make(PfContext *ctx, PfArena *arena, PfArena *scratch, const PfEntry *entry, int count, int last,
                     PfRowOrder order, PfSparse *s, Columns *all)
{
  int n = s->n;
  Graph graph;
  s->order = pf_arena_array(arena, int, n);
  s->first = pf_arena_array(arena, int, n + 1);
  s->line_first = pf_arena_array(arena, int, n + 1);
  s->given_first = pf_arena_array(arena, int, n + 1);
  s->D = pf_arena_array(arena, double, n);
  s->start = pf_arena_array(arena, double, n);
  s->work = pf_arena_array(arena, double, n);
  int *place = pf_arena_array(scratch, int, n);
  if (!s->order || !s->first || !s->line_first || !s->given_first || !s->D || !s->start || !s->work || !place)
    return pf_no_room(ctx, "a sparse matrix");
  PF_TRY(make_graph(ctx, scratch, entry, count, n, last, order, &graph));
  PF_TRY(find_order(ctx, scratch, &graph, s, all));
  for (int k = 0; k < n; k++) place[s->order[k]] = k;
  PF_TRY(make_pattern(ctx, arena, scratch, all, place, s));
  /* The entries by the later of their two places. */
  s->given_column = pf_arena_array(arena, int, count);
  s->given = pf_arena_array(arena, int, count);
  int *next = pf_arena_array(scratch, int, n);
  if (!s->given_column || !s->given || !next) return pf_no_room(ctx, "a sparse matrix");
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) {
      int i = place[entry[k].row], j = place[entry[k].column], later = i > j ? i : j;
      if (pass == 0) {
        s->given_first[later + 1]++;
        continue;
      }
      s->given[next[later]] = k;
      s->given_column[next[later]++] = i > j ? j : i;
    }
    if (pass == 0) add_up(s->given_first, n);
    memcpy(next, s->given_first, (size_t)n*sizeof *next);
  }
  return PF_OK;
}

/* Cost: n^2/64 words for the graph, and time by the fill-in; once for a structure. */
PfStatus pf_sparse_make(PfContext *ctx, PfArena *arena, const PfEntry *entry, int count, int n, int last,
                        PfRowOrder order, PfSparse *sparse)
{
  *sparse = (PfSparse){.n = n};
  Columns all = {0};
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = scratch ? make(ctx, arena, scratch, entry, count, last, order, sparse, &all)
                            : pf_no_room(ctx, "a sparse matrix");
  pf_array_free(pf_context_allocator(ctx), &all.row);
  pf_arena_free(scratch);
  return status;
}

/* Multiplications of one factorisation and one solution. */
double pf_sparse_cost(const PfSparse *s)
{
  double sum = 0;
  for (int j = 0; j < s->n; j++) {
    double below = s->first[j + 1] - s->first[j];
    sum += below*(below + 3)/2;
  }
  return sum;
}

/* ---------------------------------------------------------------- numbers */

/* Row k of L solves L D l = the row of K before the diagonal; the rest on the diagonal is D_k. */
static void factor_row(PfSparse *s, const double *value, int k)
{
  double *y = s->work, up = 0, down = 0;
  for (int p = s->given_first[k]; p < s->given_first[k + 1]; p++) {
    double x = value[s->given[p]];
    if (s->given_column[p] < k) y[s->given_column[p]] += x;
    else if (x >= 0) up += x;
    else down -= x;
  }
  for (int q = s->line_first[k]; q < s->line_first[k + 1]; q++) {
    const int j = s->column[q], at = s->at[q];
    const double x = y[j], l = x/s->D[j], taken = l*x;
    y[j] = 0;
    for (int p = s->first[j]; p < at; p++) y[s->row[p]] -= s->L[p]*x;
    s->L[at] = l;
    if (taken >= 0) down += taken;
    else up -= taken;
  }
  s->D[k] = up - down;
  s->start[k] = up >= down ? up : down;
  if (up != up || down != down) s->D[k] = s->start[k] = NAN;
}

/* No pivoting: the order was chosen by structure. */
void pf_sparse_factor(PfSparse *s, const double *value)
{
  memset(s->work, 0, (size_t)s->n*sizeof *s->work);
  for (int k = 0; k < s->n; k++) factor_row(s, value, k);
}

/* x becomes K^-1 x. */
void pf_sparse_solve(PfSparse *s, double *x)
{
  double *y = s->work;
  const int n = s->n;
  for (int k = 0; k < n; k++) y[k] = x[s->order[k]];
  for (int j = 0; j < n; j++) {
    const double z = y[j];
    for (int p = s->first[j]; p < s->first[j + 1]; p++) y[s->row[p]] -= s->L[p]*z;
  }
  for (int j = n; j-- > 0;) {
    double sum = y[j]/s->D[j];
    for (int p = s->first[j]; p < s->first[j + 1]; p++) sum -= s->L[p]*y[s->row[p]];
    y[j] = sum;
  }
  for (int k = 0; k < n; k++) x[s->order[k]] = y[k];
}
