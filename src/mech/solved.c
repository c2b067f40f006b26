/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric linear equations X x = r by the state, block by block: Cramer's rule, or X = L D L^T with names for long
 * quantities. With the factors,
 *
 *   L y = r,   D z = y,   L^T x = z
 *
 * each step takes the quantities before it, so that the number of names grows with the entries of L, while closed
 * fractions grow exponentially. Where X is positive definite no pivot of D vanishes. */
#include "mech/solved.h"

#include <math.h>
#include <string.h>

/* Signs of a formula (pf_expr_length): shorter ones are written inside of others; fractions of Cramer's rule up to
 * CLOSED stay as they are. */
enum { SHORT = 60, CLOSED = 1200, SHORT_SOLUTION = 300 };

PfStatus pf_name_if_long(PfContext *ctx, PfArena *arena, PfDerivation *d, PfExpr *e)
{
  return pf_expr_length(ctx, *e) <= SHORT ? PF_OK : pf_derivation_name(ctx, arena, d, e);
}

/* ---------------------------------------------------------------- closed fractions */

/* By Cramer's rule, if the fractions stay short; *solved says so. */
static PfStatus solve_closed(PfSymmetric *q, const PfExpr *r, const int *block, int count, PfExpr *x, bool *solved)
{
  enum { LONG = 4000 };
  PfContext *ctx = q->ctx;
  PfExpr own[PF_MOST_CRAMER*PF_MOST_CRAMER], other[PF_MOST_CRAMER*PF_MOST_CRAMER], below;
  *solved = count <= PF_MOST_CRAMER;
  if (!*solved) return PF_OK;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) own[i*count + j] = q->X[block[i]*q->n + block[j]];
  below = pf_expr_simplest(ctx, pf_expr_determinant(ctx, own, count));
  *solved = !pf_expr_is_structural_zero(ctx, below);
  for (int k = 0; k < count && *solved; k++) {
    memcpy(other, own, sizeof own);
    for (int i = 0; i < count; i++) other[i*count + k] = r[block[i]];
    PfExpr above = pf_expr_determinant(ctx, other, count);
    *solved = pf_expr_length(ctx, above) <= LONG;
    if (!*solved) break;
    x[block[k]] = pf_expr_simplest(ctx, pf_expr_div(ctx, pf_expr_simplest(ctx, above), below));
    if (q->named && count > 1) *solved = pf_expr_length(ctx, x[block[k]]) <= CLOSED;
  }
  if (*solved && q->divisors) q->divisors[q->divisor_count++] = below;
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- L D L^T */

/* The rest of a block during the elimination, in formulas and in numbers of the sample. */
typedef struct Factors {
  PfSymmetric *q;
  int n;
  PfExpr *X, *r;   /* n x n, n */
  double *value;   /* of X */
  PfExpr *L;       /* row j, column i: of unknown j by unknown i, which was eliminated before */
  int *order;
  bool *done;
} Factors;

/* The unknown that is coupled to the fewest that are left; of these the one with the shortest pivot; -1 when the pivots
 * vanish. */
static int next_pivot(const Factors *f)
{
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < f->n; i++) {
    if (f->done[i] || !(fabs(f->value[i*(f->n + 1)]) > 0)) continue;
    int coupled = 0;
    for (int j = 0; j < f->n; j++)
      coupled += j != i && !f->done[j] && !pf_expr_is_structural_zero(f->q->ctx, f->X[i*f->n + j]);
    double cost = coupled + fmin((double)pf_expr_length(f->q->ctx, f->X[i*(f->n + 1)]), 999)/1000;
    if (cost < least) least = cost, best = i;
  }
  return best;
}

/* An entry of which nothing is left in numbers is zero, if its formula is: names are written out. */
static PfStatus drop_hidden_zero(Factors *f, int at, double size)
{
  enum { ROUNDS = 2 };
  const double rounding = 1e-12;
  PfSymmetric *q = f->q;
  PfExpr e = f->X[at];
  if (fabs(f->value[at]) > rounding*size || pf_expr_is_structural_zero(q->ctx, e)) return PF_OK;
  PF_TRY(pf_derivation_expand(q->ctx, q->arena, q->named, &e, 1));
  if (pf_expr_is_probably_zero(q->ctx, e, ROUNDS) != PF_TRUE) return PF_OK;
  f->X[at] = pf_expr_int(q->ctx, 0);
  f->value[at] = 0;
  return PF_OK;
}

static PfStatus name(const Factors *f, PfExpr *e)
{
  return pf_name_if_long(f->q->ctx, f->q->arena, f->q->named, e);
}

/* a - b c, in the shortest form that is found. */
static PfExpr less(PfContext *ctx, PfExpr a, PfExpr b, PfExpr c)
{
  return pf_expr_simplest(ctx, pf_expr_sub(ctx, a, pf_expr_mul(ctx, b, c)));
}

/* Takes unknown i out of the equations of the others: X_jk - l_j X_ik and r_j - l_j r_i with l_j = X_ji/X_ii. */
static PfStatus eliminate(Factors *f, int i)
{
  PfContext *ctx = f->q->ctx;
  const int n = f->n;
  PfExpr *X = f->X;
  if (f->q->divisors) f->q->divisors[f->q->divisor_count++] = X[i*(n + 1)];
  PF_TRY(name(f, X + i*(n + 1)));
  PF_TRY(name(f, f->r + i));
  f->done[i] = true;
  for (int j = 0; j < n; j++) {
    f->L[j*n + i] = pf_expr_int(ctx, 0);
    if (f->done[j] || pf_expr_is_structural_zero(ctx, X[j*n + i])) continue;
    f->L[j*n + i] = pf_expr_simplest(ctx, pf_expr_div(ctx, X[j*n + i], X[i*(n + 1)]));
    PF_TRY(name(f, f->L + j*n + i));
  }
  for (int j = 0; j < n; j++) {
    PfExpr l = f->L[j*n + i];
    if (pf_expr_is_structural_zero(ctx, l)) continue;
    const double factor = f->value[j*n + i]/f->value[i*(n + 1)];
    PF_TRY(name(f, f->r + j));
    f->r[j] = less(ctx, f->r[j], l, f->r[i]);
    for (int k = 0; k <= j; k++) {
      if (f->done[k] || pf_expr_is_structural_zero(ctx, X[k*n + i])) continue;
      const double off = factor*f->value[k*n + i], size = fabs(f->value[j*n + k]) + fabs(off);
      PfExpr along = X[i*n + k];
      PF_TRY(name(f, &along));
      PF_TRY(name(f, X + j*n + k));
      X[j*n + k] = less(ctx, X[j*n + k], l, along);
      f->value[j*n + k] -= off;
      PF_TRY(drop_hidden_zero(f, j*n + k, size));
      X[k*n + j] = X[j*n + k];
      f->value[k*n + j] = f->value[j*n + k];
    }
  }
  return pf_expr_check(ctx);
}

/* x_i = r_i/D_i - sum of l_ji x_j, the last unknown first. */
static PfStatus substitute_back(Factors *f, const int *block, PfExpr *x)
{
  PfContext *ctx = f->q->ctx;
  const int n = f->n;
  for (int k = n; k-- > 0;) {
    const int i = f->order[k];
    PfExpr value = pf_expr_div(ctx, f->r[i], f->X[i*(n + 1)]);
    for (int l = k + 1; l < n; l++) {
      const int j = f->order[l];
      if (pf_expr_is_structural_zero(ctx, f->L[j*n + i])) continue;
      PF_TRY(name(f, x + block[j]));
      value = pf_expr_sub(ctx, value, pf_expr_mul(ctx, f->L[j*n + i], x[block[j]]));
    }
    x[block[i]] = pf_expr_simplest(ctx, value);
  }
  return pf_expr_check(ctx);
}

static PfStatus factor_block(PfSymmetric *q, const PfExpr *r, const int *block, int count, PfExpr *x, bool *solved)
{
  Factors f = {.q = q, .n = count};
  const size_t size = (size_t)count*(size_t)count;
  PF_TRY(pf_arrays(q->ctx, q->arena, "the equations", PF_ROOM(f.X, size), PF_ROOM(f.r, count), PF_ROOM(f.value, size),
                   PF_ROOM(f.L, size), PF_ROOM(f.order, count), PF_ROOM(f.done, count)));
  for (int i = 0; i < count; i++) {
    f.r[i] = r[block[i]];
    for (int j = 0; j < count; j++) f.X[i*count + j] = q->X[block[i]*q->n + block[j]];
  }
  PF_TRY(pf_expr_evaluate(q->ctx, f.X, count*count, q->sample->symbols, q->sample->generic, q->sample->count,
                          f.value));
  *solved = true;
  for (int k = 0; k < count && *solved; k++) {
    f.order[k] = next_pivot(&f);
    *solved = f.order[k] >= 0;
    if (*solved) PF_TRY(eliminate(&f, f.order[k]));
  }
  return *solved ? substitute_back(&f, block, x) : PF_OK;
}

/* ---------------------------------------------------------------- blocks */

/* Is the block regular in numbers? Also one that is not definite may be. */
static PfStatus check_regular(PfSymmetric *q, const int *block, int count, bool *regular)
{
  const double small = 1e-9;
  double *value;
  PF_TRY(pf_arrays(q->ctx, q->arena, "the equations", PF_ROOM2(value, count, count)));
  *regular = true;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      value[i*count + j] = pf_sample_value(q->ctx, q->sample, q->X[block[i]*q->n + block[j]], q->sample->generic,
                                           &(PfStatus){PF_OK});
  for (int k = 0; k < count && *regular; k++) { /* the diagonal shrinks to the pivots */
    const double own = value[k*(count + 1)];
    double before = fabs(pf_sample_value(q->ctx, q->sample, q->X[block[k]*(q->n + 1)], q->sample->generic,
                                         &(PfStatus){PF_OK}));
    *regular = fabs(own) > small*before;
    for (int i = k + 1; i < count && *regular; i++)
      for (int j = k + 1; j < count; j++) value[i*count + j] -= value[i*count + k]*value[k*count + j]/own;
  }
  return PF_OK;
}

PfStatus pf_solve_symmetric(PfSymmetric *q, const PfExpr *r, PfExpr *x, bool *all)
{
  bool *seen, solved;
  int *block;
  PF_TRY(pf_arrays(q->ctx, q->arena, "the equations", PF_ROOM(seen, q->n), PF_ROOM(block, q->n)));
  *all = true;
  for (int first = 0; first < q->n; first++) {
    if (seen[first]) continue;
    int count = 0;
    block[count++] = first;
    seen[first] = true;
    for (int i = 0; i < count; i++) /* breadth first along their couplings */
      for (int j = 0; j < q->n; j++) {
        if (seen[j] || pf_expr_is_structural_zero(q->ctx, q->X[block[i]*q->n + j])) continue;
        seen[j] = true;
        block[count++] = j;
      }
    PF_TRY(solve_closed(q, r, block, count, x, &solved));
    if (!solved && q->named) {
      PF_TRY(check_regular(q, block, count, &solved));
      if (solved) PF_TRY(factor_block(q, r, block, count, x, &solved));
    }
    for (int k = 0; k < count && !solved; k++) x[block[k]] = PF_EXPR_NONE;
    *all = *all && solved;
  }
  return PF_OK;
}

PfStatus pf_is_definite(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, const PfExpr *M, int n, bool *yes)
{
  const double small = 1e-10;
  double *value;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM2(value, n, n)));
  PF_TRY(pf_expr_evaluate(ctx, M, n*n, sample->symbols, sample->generic, sample->count, value));
  *yes = true;
  for (int k = 0; k < n && *yes; k++) { /* Cholesky without roots */
    const double before = value[k*(n + 1)];
    for (int i = 0; i < k; i++) value[k*(n + 1)] -= value[k*n + i]*value[k*n + i]*value[i*(n + 1)];
    const double own = value[k*(n + 1)];
    *yes = own > small*before;
    for (int j = k + 1; j < n && *yes; j++) {
      for (int i = 0; i < k; i++) value[j*n + k] -= value[j*n + i]*value[k*n + i]*value[i*(n + 1)];
      value[j*n + k] /= own;
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- right sides without accelerations */

/* The equation that says what an unknown is, or -1. */
static int equation_of(const PfDerivation *d, PfExpr unknown)
{
  for (int i = 0; i < d->equation_count; i++)
    if (d->equations[i].left == unknown) return i;
  return -1;
}

/* Unknowns on the right side of an equation, each with its value and its short image; *ready when all are known by the
 * state. */
static PfStatus find_images(PfContext *ctx, PfArena *arena, PfDerivation *d, PfExpr right, PfExpr *from, PfExpr *to,
                            int *count, bool *ready)
{
  PfExpr *nodes;
  int node_count;
  PF_TRY(pf_expr_reach(ctx, arena, &right, 1, &nodes, &node_count));
  *count = 0;
  *ready = true;
  for (int k = 0; k < node_count; k++)
    for (int u = 0; u < d->unknown_count; u++) {
      if (d->unknowns[u] != nodes[k]) continue;
      int own = equation_of(d, nodes[k]);
      bool known = own >= 0 && !pf_expr_depends(ctx, d->equations[own].right, d->unknowns, d->unknown_count);
      *ready = *ready && known;
      if (!known) continue;
      from[*count] = nodes[k];
      to[(*count)++] = d->equations[own].right;
    }
  return PF_OK;
}

/* The right side with accelerations written out, if that is short; else with a name for each that is long. */
static PfStatus write_out(PfContext *ctx, PfArena *arena, PfDerivation *d, PfExpr *right, const PfExpr *from,
                          PfExpr *to, int count)
{
  enum { LONG = 1500 };
  PfExpr closed;
  PF_TRY(pf_expr_substitute(ctx, right, 1, from, to, count, &closed));
  if (pf_expr_length(ctx, closed) <= LONG) {
    closed = pf_expr_simplest(ctx, closed);
    if (pf_expr_length(ctx, closed) <= SHORT_SOLUTION) {
      *right = closed;
      return pf_expr_check(ctx);
    }
  }
  for (int k = 0; k < count; k++) {
    const int own = equation_of(d, from[k]);
    PF_TRY(pf_name_if_long(ctx, arena, d, to + k));
    d->equations[own].right = to[k];
  }
  PF_TRY(pf_expr_substitute(ctx, right, 1, from, to, count, right));
  *right = pf_expr_simplest(ctx, *right);
  return pf_expr_check(ctx);
}

PfStatus pf_solve_by_state(PfContext *ctx, PfArena *arena, PfDerivation *d)
{
  PfExpr *from, *to;
  bool again = true;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(from, d->unknown_count), PF_ROOM(to, d->unknown_count)));
  while (again) {
    again = false;
    for (int i = 0; i < d->equation_count; i++) {
      PfExpr *right = &d->equations[i].right;
      int count;
      bool ready;
      if (!pf_expr_depends(ctx, *right, d->unknowns, d->unknown_count)) continue;
      PF_TRY(find_images(ctx, arena, d, *right, from, to, &count, &ready));
      if (!ready) continue;
      PF_TRY(write_out(ctx, arena, d, right, from, to, count));
      again = true;
    }
  }
  return pf_expr_check(ctx);
}
