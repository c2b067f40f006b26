/* SPDX-License-Identifier: Apache-2.0 */
/* Solutions of linear equations along directions made of minors, which divide by nothing. */
#include "expr/eliminate.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 3, MOST_TRIALS = 200 };

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfSamplePoint *sample;
  int m, n;
  PfElimination e; /* constant pivots done: rows e.rank … and columns e.rank … are left */
  int *block;      /* of each row that is left, by position; -1: nothing is left of it */
  bool *bound;     /* unknowns that are not parameters themselves */
  PfDirections *out;
  PfStatus status; /* of evaluations */
} Work;

/* Rows that share unknowns, and the unknowns in them. */
typedef struct Block {
  int rows, row[MOST_ROWS];   /* indices of A */
  int columns, *column;       /* unknowns */
  bool homogeneous;
} Block;

/* One direction: unknowns and their components, c n with constants c. */
typedef struct Direction {
  int count, column[MOST_ROWS + 1];
  PfExpr c[MOST_ROWS + 1], n[MOST_ROWS + 1];
  PfExpr square; /* sum of n^2 */
} Direction;

static PfExpr entry(const Work *w, int row, int column)
{
  return w->e.A[row*w->n + column];
}

static bool is_zero(const Work *w, PfExpr e)
{
  return pf_expr_is_structural_zero(w->ctx, e);
}

static bool is_constant(const Work *w, PfExpr e)
{
  return pf_sample_is_constant(w->ctx, w->sample, e);
}

/* ---------------------------------------------------------------- blocks */

static bool shares_unknown(const Work *w, int a, int b)
{
  for (int j = w->e.rank; j < w->n; j++)
    if (!is_zero(w, entry(w, a, w->e.column[j])) && !is_zero(w, entry(w, b, w->e.column[j]))) return true;
  return false;
}

/* Numbers the rows that are left so that those which share unknowns have the same number; how many there are. */
static int number_blocks(const Work *w)
{
  int blocks = 0;
  for (int i = w->e.rank; i < w->m; i++) {
    int row = w->e.row[i], own = -1;
    w->block[i] = -1;
    if (!shares_unknown(w, row, row)) continue;
    for (int k = w->e.rank; k < i; k++) {
      if (w->block[k] < 0 || w->block[k] == own || !shares_unknown(w, row, w->e.row[k])) continue;
      int joined = w->block[k];
      for (int l = w->e.rank; l < i && own >= 0; l++)
        if (w->block[l] == joined) w->block[l] = own;
      if (own < 0) own = joined;
    }
    w->block[i] = own >= 0 ? own : blocks++;
  }
  return blocks;
}

/* ---------------------------------------------------------------- one direction */

/* Determinant of the rows with these columns but one; at most three by three. */
static PfExpr minor(const Work *w, const Block *b, const int *column, int without)
{
  int c[MOST_ROWS], count = 0;
  for (int j = 0; j <= b->rows; j++)
    if (j != without) c[count++] = column[j];
  PfContext *ctx = w->ctx;
  const int *r = b->row;
  if (b->rows == 1) return entry(w, r[0], c[0]);
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int first = 0; first < b->rows; first++) { /* along the first row; two rows left, or one */
    int p = c[first == 0 ? 1 : 0], q = c[first == 2 || b->rows == 2 ? 1 : 2];
    PfExpr below = b->rows == 2 ? entry(w, r[1], p)
                                : pf_expr_sub(ctx, pf_expr_mul(ctx, entry(w, r[1], p), entry(w, r[2], q)),
                                              pf_expr_mul(ctx, entry(w, r[1], q), entry(w, r[2], p)));
    PfExpr term = pf_expr_mul(ctx, entry(w, r[0], c[first]), below);
    sum = first%2 ? pf_expr_sub(ctx, sum, term) : pf_expr_add(ctx, sum, term);
  }
  return sum;
}

static size_t total_length(const Work *w, const PfExpr *list, int count)
{
  size_t total = 0;
  for (int i = 0; i < count; i++) total += pf_expr_length(w->ctx, list[i]);
  return total;
}

/* Is something that moves below a fraction line, or in a tangent? */
static bool has_poles(Work *w, const PfExpr *list, int count)
{
  PfContext *ctx = w->ctx;
  PfExpr *nodes;
  int node_count;
  bool any = false;
  PfMark mark = pf_arena_mark(w->arena);
  PfStatus status = pf_expr_reach(ctx, w->arena, list, count, &nodes, &node_count);
  if (status != PF_OK) w->status = status;
  for (int i = 0; status == PF_OK && i < node_count && !any; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    any = op == PF_OP_TAN;
    for (int k = 0; op == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, nodes[i]) && !any; k += 2) {
      double exponent = 0;
      bool known = pf_expr_is_number(ctx, pf_expr_arg(ctx, nodes[i], k + 1), &exponent);
      any = (!known || exponent < 0) && !is_constant(w, pf_expr_arg(ctx, nodes[i], k));
    }
  }
  pf_arena_release(w->arena, mark);
  return any;
}

/* Divides all by the factor where that makes them shorter and leaves no fraction: it was a common one. */
static bool divide(Work *w, Direction *d, PfExpr factor)
{
  PfExpr shorter[MOST_ROWS + 1];
  for (int i = 0; i < d->count; i++) shorter[i] = pf_expr_simplest(w->ctx, pf_expr_div(w->ctx, d->n[i], factor));
  if (total_length(w, shorter, d->count) >= total_length(w, d->n, d->count)) return false;
  if (has_poles(w, shorter, d->count)) return false;
  memcpy(d->n, shorter, (size_t)d->count*sizeof *shorter);
  return true;
}

/* a e, with a number a: e. */
static PfExpr without_number(const Work *w, PfExpr e, PfExpr *number)
{
  PfContext *ctx = w->ctx;
  *number = pf_expr_int(ctx, 1);
  bool one_term = pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
                  pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
  if (!one_term) return e;
  *number = pf_expr_arg(ctx, e, 1);
  return pf_expr_arg(ctx, e, 2);
}

/* n = c n', c constant. A sum has the factor of its first term where it is shorter without. */
static void take_constant(const Work *w, PfExpr *c, PfExpr *n)
{
  PfContext *ctx = w->ctx;
  if (is_constant(w, *n)) {
    *c = *n, *n = pf_expr_int(ctx, 1);
    return;
  }
  *n = without_number(w, *n, c);
  bool sum = pf_expr_op(ctx, *n) == PF_OP_SUM;
  /* The product of the constant factors of e. */
  PfExpr e = sum ? pf_expr_arg(ctx, *n, 2) : *n;
  PfExpr common = pf_expr_int(ctx, 1);
  for (int k = 0; pf_expr_op(ctx, e) == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, e); k += 2) {
    PfExpr factor = pf_expr_pow(ctx, pf_expr_arg(ctx, e, k), pf_expr_arg(ctx, e, k + 1));
    if (is_constant(w, factor)) common = pf_expr_mul(ctx, common, factor);
  }
  PfExpr rest = pf_expr_simplest(ctx, pf_expr_div(ctx, *n, common));
  if (pf_expr_length(ctx, rest) >= pf_expr_length(ctx, *n)) return;
  *c = pf_expr_mul(ctx, *c, common);
  *n = rest;
}

/* Positive where the motion begins, if that can be said of the first component that is not zero there. */
static double sign_of(Work *w, const Direction *d)
{
  const double *at[2] = {w->sample->start, w->sample->generic};
  for (int k = 0; k < 2; k++)
    for (int i = 0; at[k] && i < d->count; i++) {
      PfExpr component = pf_expr_mul(w->ctx, d->c[i], d->n[i]);
      double value = pf_sample_value(w->ctx, w->sample, component, at[k], &w->status);
      if (fabs(value) > 1e-9) return value;
    }
  return 1;
}

/* The direction in which the columns move; false when there is none, or one of them does not move in it. */
static bool make_direction(Work *w, const Block *b, const int *column, Direction *d)
{
  PfContext *ctx = w->ctx;
  d->count = b->rows + 1;
  d->square = pf_expr_int(ctx, 0);
  for (int i = 0; i < d->count; i++) {
    PfExpr n = minor(w, b, column, i);
    if (pf_expr_length(ctx, n) > 400) return false;
    d->column[i] = column[i];
    d->n[i] = pf_expr_simplest(ctx, i%2 ? pf_expr_neg(ctx, n) : n);
    if (is_zero(w, d->n[i])) return false;
  }
  /* Divides all components by factors that they share, which only scale the direction. */
  bool again = true;
  while (again) {
    PfExpr number, e = without_number(w, d->n[0], &number);
    again = false;
    if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) {
      again = !is_constant(w, e) && divide(w, d, e);
      continue;
    }
    for (int k = 0; k < pf_expr_arg_count(ctx, e) && !again; k += 2)
      again = !is_constant(w, pf_expr_arg(ctx, e, k)) && divide(w, d, pf_expr_arg(ctx, e, k));
  }
  for (int i = 0; i < d->count; i++) take_constant(w, d->c + i, d->n + i);
  /* The first constant becomes 1 or -1, and the others with it. */
  PfExpr first = d->c[0];
  for (int i = 0; i < d->count; i++) d->c[i] = pf_expr_simplest(ctx, pf_expr_div(ctx, d->c[i], first));
  const bool negative = !(sign_of(w, d) > 0);
  for (int i = 0; i < d->count && negative; i++) d->c[i] = pf_expr_neg(ctx, d->c[i]);
  for (int i = 0; i < d->count; i++) d->square = pf_expr_add(ctx, d->square, pf_expr_pow_int(ctx, d->n[i], 2));
  d->square = pf_expr_simplest(ctx, d->square);
  return true;
}

/* ---------------------------------------------------------------- which unknowns */

/* The next choice of k numbers below n, in order; false after the last. */
static bool next_choice(int *choice, int k, int n)
{
  int i = k;
  while (i-- > 0)
    if (choice[i] < n - k + i) {
      choice[i]++;
      for (int j = i + 1; j < k; j++) choice[j] = choice[j - 1] + 1;
      return true;
    }
  return false;
}

/* Unknowns that move along a direction of constant length; the others stay parameters. With none to spare any length
 * will do: it vanishes only where the rows are dependent. */
static bool choose_direction(Work *w, const Block *b, Direction *d)
{
  int choice[MOST_ROWS + 1], column[MOST_ROWS + 1], k = b->rows + 1;
  bool all = k == b->columns && b->homogeneous;
  if (b->columns < k || (!all && b->rows > 1)) return false;
  for (int i = 0; i < k; i++) choice[i] = i;
  for (int trial = 0; trial < MOST_TRIALS; trial++) {
    for (int i = 0; i < k; i++) column[i] = b->column[choice[i]];
    if (make_direction(w, b, column, d) && (all || is_constant(w, d->square))) return true;
    if (!next_choice(choice, k, b->columns)) break;
  }
  return false;
}

/* ---------------------------------------------------------------- the solution */

static PfExpr *N_at(const Work *w, int unknown, int u)
{
  return w->out->N + (size_t)unknown*(size_t)w->n + u;
}

static int add_parameter(Work *w, int column)
{
  int u = w->out->count++;
  w->out->column[u] = column;
  for (int i = 0; i < w->n; i++) *N_at(w, i, u) = w->out->combination[u*w->n + i] = pf_expr_int(w->ctx, 0);
  if (column >= 0) *N_at(w, column, u) = w->out->combination[u*w->n + column] = pf_expr_int(w->ctx, 1);
  return u;
}

/* x = c n u, and u = n/c x/n^2. */
static void add_direction(Work *w, const Direction *d)
{
  PfContext *ctx = w->ctx;
  int u = add_parameter(w, -1);
  for (int i = 0; i < d->count; i++) {
    PfExpr below = pf_expr_mul(ctx, d->c[i], d->square);
    *N_at(w, d->column[i], u) = pf_expr_mul(ctx, d->c[i], d->n[i]);
    w->out->combination[u*w->n + d->column[i]] = pf_expr_simplest(ctx, pf_expr_div(ctx, d->n[i], below));
  }
  if (is_constant(w, d->square)) return;
  w->out->divisor_sizes[w->out->divisor_count] =
    fabs(pf_sample_value(ctx, w->sample, d->square, w->sample->generic, &w->status));
  w->out->divisors[w->out->divisor_count++] = d->square;
}

/* The rest of a single row b x = f - … in the two unknowns of its direction: the shortest solution, which is across it.
 * Scaled by the constants c of the direction (c1 n1, c2 n2) it is y = (n2, -n1) f/(b1 c1 n2 - b2 c2 n1). */
static void add_across(Work *w, const Block *b, const Direction *d)
{
  PfContext *ctx = w->ctx;
  int row = b->row[0];
  PfExpr across[2] = {pf_expr_mul(ctx, d->c[0], d->n[1]), pf_expr_neg(ctx, pf_expr_mul(ctx, d->c[1], d->n[0]))};
  PfExpr below = pf_expr_add(ctx, pf_expr_mul(ctx, entry(w, row, d->column[0]), across[0]),
                             pf_expr_mul(ctx, entry(w, row, d->column[1]), across[1]));
  for (int i = 0; i < 2; i++) {
    PfExpr factor = pf_expr_simplest(ctx, pf_expr_div(ctx, across[i], below));
    w->out->d[d->column[i]] = pf_expr_mul(ctx, factor, w->e.residual[row]);
    for (int u = 0; u < w->out->count; u++) {
      int other = w->out->column[u];
      if (other < 0 || is_zero(w, entry(w, row, other))) continue;
      *N_at(w, d->column[i], u) = pf_expr_neg(ctx, pf_expr_mul(ctx, factor, entry(w, row, other)));
    }
  }
}

/* Unknowns of constant pivots, from the others. */
static void add_solved(Work *w)
{
  PfContext *ctx = w->ctx;
  int r = w->e.rank, free = w->n - r;
  for (int i = 0; i < r; i++) {
    int x = w->e.column[i];
    w->out->d[x] = w->e.d[i];
    for (int j = 0; j < free; j++) {
      int other = w->e.column[r + j];
      PfExpr K = w->e.K[i*free + j];
      if (is_zero(w, K)) continue;
      w->out->d[x] = pf_expr_sub(ctx, w->out->d[x], pf_expr_mul(ctx, K, w->out->d[other]));
      for (int u = 0; u < w->out->count; u++)
        *N_at(w, x, u) = pf_expr_sub(ctx, *N_at(w, x, u), pf_expr_mul(ctx, K, *N_at(w, other, u)));
    }
  }
}

/* ---------------------------------------------------------------- all together */

static PfStatus make_room(Work *w)
{
  size_t n = (size_t)w->n;
  PfDirections *out = w->out;
  *out = (PfDirections){.column = pf_arena_array(w->arena, int, n), .N = pf_arena_array(w->arena, PfExpr, n*n),
                        .d = pf_arena_array(w->arena, PfExpr, n),
                        .combination = pf_arena_array(w->arena, PfExpr, n*n),
                        .divisors = pf_arena_array(w->arena, PfExpr, w->m),
                        .divisor_sizes = pf_arena_array(w->arena, double, w->m)};
  w->block = pf_arena_array(w->arena, int, w->m);
  w->bound = pf_arena_array(w->arena, bool, n);
  bool good = out->column && out->N && out->d && out->combination && out->divisors && out->divisor_sizes && w->block &&
              w->bound;
  if (!good) return pf_no_room(w->ctx, "the elimination");
  for (size_t i = 0; i < n; i++) out->d[i] = pf_expr_int(w->ctx, 0);
  return PF_OK;
}

typedef struct Choice {
  Block block;
  Direction direction;
} Choice;

/* A direction for every block of rows. *found is false when a block has none, or when a row without unknowns has a
 * right side that is not zero. */
static PfStatus choose(Work *w, Choice **choices, int *count, bool *found)
{
  int blocks = number_blocks(w);
  *choices = pf_arena_array(w->arena, Choice, blocks);
  if (!*choices) return pf_no_room(w->ctx, "the elimination");
  *count = 0;
  *found = true;
  for (int i = w->e.rank; i < w->m && *found; i++) {
    PfExpr rest = w->e.residual[w->e.row[i]];
    *found = w->block[i] >= 0 || is_zero(w, rest) ||
             fabs(pf_sample_value(w->ctx, w->sample, rest, w->sample->generic, &w->status)) < 1e-9;
  }
  for (int k = 0; k < blocks && *found; k++) {
    Choice *c = *choices + *count;
    *c = (Choice){.block = {.homogeneous = true, .column = pf_arena_array(w->arena, int, w->n)}};
    Block *b = &c->block;
    if (!b->column) return pf_no_room(w->ctx, "the elimination");
    for (int i = w->e.rank; i < w->m && *found; i++) {
      if (w->block[i] != k) continue;
      *found = b->rows < MOST_ROWS;
      if (!*found) break;
      b->row[b->rows++] = w->e.row[i];
      b->homogeneous = b->homogeneous && is_zero(w, w->e.residual[w->e.row[i]]);
    }
    if (!*found || !b->rows) continue; /* it was joined to another one */
    for (int j = 0; j < w->n; j++) { /* the columns with an entry in these rows */
      bool used = false;
      for (int i = 0; i < b->rows; i++) used = used || !is_zero(w, entry(w, b->row[i], j));
      if (used) b->column[b->columns++] = j;
    }
    *found = choose_direction(w, b, &c->direction);
    ++*count;
  }
  return pf_expr_check(w->ctx);
}

PfStatus pf_directions_find(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, int m, int n, const PfExpr *A,
                            const PfExpr *f, PfDirections *directions, bool *found)
{
  Work w = {.ctx = ctx, .arena = arena, .sample = sample, .m = m, .n = n, .out = directions};
  Choice *choices = NULL;
  int count = 0;
  PF_TRY(pf_eliminate_constants(ctx, arena, sample, m, n, A, f, &w.e));
  PF_TRY(make_room(&w));
  PF_TRY(choose(&w, &choices, &count, found));
  if (!*found) return w.status;
  /* Which unknown moves by which parameter, in the order of the unknowns. */
  for (int i = 0; i < w.e.rank; i++) w.bound[w.e.column[i]] = true;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < choices[k].direction.count; i++) w.bound[choices[k].direction.column[i]] = true;
  for (int j = 0; j < n; j++) {
    if (!w.bound[j]) (void)add_parameter(&w, j);
    for (int k = 0; k < count; k++)
      if (choices[k].direction.column[0] == j) add_direction(&w, &choices[k].direction);
  }
  for (int k = 0; k < count; k++)
    if (choices[k].block.rows == 1) add_across(&w, &choices[k].block, &choices[k].direction);
  add_solved(&w);
  /* N had room for n parameters. */
  PfDirections *out = w.out;
  for (int i = 0; i < w.n; i++) {
    out->d[i] = pf_expr_simplest(w.ctx, out->d[i]);
    for (int u = 0; u < out->count; u++) out->N[i*out->count + u] = pf_expr_simplest(w.ctx, *N_at(&w, i, u));
  }
  PF_TRY(pf_expr_check(ctx));
  return w.status;
}
