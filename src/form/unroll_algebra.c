/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors and matrices of terms. What is zero in them costs nothing, so there is one function for full and for sparse
 * ones. */
#include "form/unroll_impl.h"

#include <string.h>

/* From the first term on; zeros cost nothing. */
PfTerm pf_unroll_dot(const PfUnrolling *u, const PfTerm *a, const PfTerm *b, int count)
{
  PfTerm sum = u->zero;
  for (int i = 0; i < count; i++) sum = plus(u, sum, times(u, a[i], b[i]));
  return sum;
}

/* a x b. */
void pf_unroll_cross(const PfUnrolling *u, const PfTerm a[3], const PfTerm b[3], PfTerm out[3])
{
  PfTerm c[3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1)%3, k = (i + 2)%3;
    c[i] = minus(u, times(u, a[j], b[k]), times(u, a[k], b[j]));
  }
  memcpy(out, c, sizeof c);
}

/* to += more. */
void pf_unroll_add(const PfUnrolling *u, PfTerm *to, const PfTerm *more, int count)
{
  for (int i = 0; i < count; i++) to[i] = plus(u, to[i], more[i]);
}

/* A x for a 3 x 3 matrix, by rows. */
void pf_unroll_times(const PfUnrolling *u, const PfTerm A[9], const PfTerm x[3], PfTerm out[3])
{
  PfTerm y[3];
  for (int i = 0; i < 3; i++) y[i] = pf_unroll_dot(u, A + 3*i, x, 3);
  memcpy(out, y, sizeof y);
}

/* A^T x. */
void pf_unroll_transposed_times(const PfUnrolling *u, const PfTerm A[9], const PfTerm x[3], PfTerm out[3])
{
  const PfTerm T[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
  pf_unroll_times(u, T, x, out);
}

/* A by its six elements, see unroll_impl.h. */
void pf_unroll_symmetric_times(const PfUnrolling *u, const PfTerm A[6], const PfTerm x[3], PfTerm out[3])
{
  const PfTerm full[9] = {A[0], A[1], A[2], A[1], A[3], A[4], A[2], A[4], A[5]};
  pf_unroll_times(u, full, x, out);
}

/* ---------------------------------------------------------------- turns */

/* [c -s; s c] on the components i and j. */
static void turn_pair(const PfUnrolling *u, PfTerm c, PfTerm s, PfTerm *x, PfTerm *y)
{
  const PfTerm first = minus(u, times(u, c, *x), times(u, s, *y));
  *y = plus(u, times(u, s, *x), times(u, c, *y));
  *x = first;
}

/* Applies the first `turns` of the edge, the last of them first, or the matrix. */
void pf_unroll_up(const PfUnrolling *u, const PfUnrollEdge *edge, int turns, PfTerm x[3])
{
  if (edge->by_matrix) pf_unroll_times(u, edge->R, x, x);
  for (int k = edge->by_matrix ? 0 : turns; k-- > 0;) {
    const PfUnrollTurn *t = edge->turn + k;
    turn_pair(u, t->c, t->s, x + (t->axis + 1)%3, x + (t->axis + 2)%3);
  }
}

/* The inverse of pf_unroll_up with all turns. */
void pf_unroll_back(const PfUnrolling *u, const PfUnrollEdge *edge, PfTerm x[3])
{
  if (edge->by_matrix) pf_unroll_transposed_times(u, edge->R, x, x);
  for (int k = 0; k < edge->turn_count && !edge->by_matrix; k++) {
    const PfUnrollTurn *t = edge->turn + k;
    turn_pair(u, t->c, pf_builder_neg(u->builder, t->s), x + (t->axis + 1)%3, x + (t->axis + 2)%3);
  }
}

/* The block of a matrix that a turn changes as a whole: [p q; r s] of which trace and q - r stay. With d = p - s and
 * e = q + r it takes v = sin d + cos e; p and s change by -sin v and sin v, q and r by cos v - e. For a symmetric one
 * q is r. */
static void turn_block(const PfUnrolling *u, const PfUnrollTurn *t, PfTerm *p, PfTerm *q, PfTerm *r, PfTerm *s)
{
  if (pf_builder_is_zero(u->builder, t->c)) { /* a quarter */
    const PfTerm before[4] = {*p, *q, *r, *s};
    *p = before[3], *s = before[0];
    *q = pf_builder_neg(u->builder, before[2]), *r = pf_builder_neg(u->builder, before[1]);
    return;
  }
  const PfTerm d = minus(u, *p, *s);
  if (q == r) { /* 2 cos is the same for all such */
    const PfTerm twice = plus(u, t->c, t->c), v = plus(u, times(u, t->s, d), times(u, twice, *q));
    const PfTerm w = times(u, t->s, v);
    *p = minus(u, *p, w), *s = plus(u, *s, w), *q = minus(u, times(u, t->c, v), *q);
    return;
  }
  const PfTerm e = plus(u, *q, *r), v = plus(u, times(u, t->s, d), times(u, t->c, e)), w = times(u, t->s, v);
  const PfTerm change = minus(u, times(u, t->c, v), e);
  *p = minus(u, *p, w), *s = plus(u, *s, w), *q = plus(u, *q, change), *r = plus(u, *r, change);
}

static void turn_symmetric(const PfUnrolling *u, const PfUnrollTurn *t, PfTerm A[6])
{
  const int k = t->axis, i = (k + 1)%3, j = (k + 2)%3;
  PfTerm *q = A + symmetric(i, j);
  turn_block(u, t, A + symmetric(i, i), q, q, A + symmetric(j, j));
  turn_pair(u, t->c, t->s, A + symmetric(i, k), A + symmetric(j, k));
}

static void turn_matrix(const PfUnrolling *u, const PfUnrollTurn *t, PfTerm B[9])
{
  const int k = t->axis, i = (k + 1)%3, j = (k + 2)%3;
  turn_block(u, t, B + 4*i, B + 3*i + j, B + 3*j + i, B + 4*j);
  turn_pair(u, t->c, t->s, B + 3*i + k, B + 3*j + k);
  turn_pair(u, t->c, t->s, B + 3*k + i, B + 3*k + j);
}

/* R B R^T */
static void full_turn(const PfUnrolling *u, const PfTerm R[9], PfTerm B[9])
{
  PfTerm half[9];
  for (int i = 0; i < 3; i++) pf_unroll_times(u, R, B + 3*i, half + 3*i); /* row i of B R^T */
  for (int j = 0; j < 3; j++) {
    PfTerm column[3] = {half[j], half[3 + j], half[6 + j]};
    pf_unroll_times(u, R, column, column);
    for (int i = 0; i < 3; i++) B[3*i + j] = column[i];
  }
}

static void full_symmetric_turn(const PfUnrolling *u, const PfTerm R[9], PfTerm A[6])
{
  PfTerm full[9] = {A[0], A[1], A[2], A[1], A[3], A[4], A[2], A[4], A[5]};
  full_turn(u, R, full);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) A[symmetric(i, j)] = full[3*i + j];
}

/* J, B and M of an inertia become R J R^T and so on, turn by turn or by the matrix of the edge. */
void pf_unroll_inertia_up(const PfUnrolling *u, const PfUnrollEdge *edge, int turns, PfUnrollInertia *I)
{
  if (edge->by_matrix) {
    full_symmetric_turn(u, edge->R, I->J);
    full_turn(u, edge->R, I->B);
    full_symmetric_turn(u, edge->R, I->M);
    return;
  }
  for (int k = turns; k-- > 0;) {
    turn_symmetric(u, edge->turn + k, I->J);
    turn_matrix(u, edge->turn + k, I->B);
    turn_symmetric(u, edge->turn + k, I->M);
  }
}

/* ---------------------------------------------------------------- inertias */

/* B' = B + l x M,  J' = J + l x B^T - B' x l */
void pf_unroll_inertia_shift(const PfUnrolling *u, const PfTerm l[3], PfUnrollInertia *I)
{
  const PfTerm *M = I->M;
  PfTerm before[9], column[3], moved[9];
  memcpy(before, I->B, sizeof before);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) column[i] = M[symmetric(i, j)];
    pf_unroll_cross(u, l, column, column);
    for (int i = 0; i < 3; i++) I->B[3*i + j] = plus(u, I->B[3*i + j], column[i]);
  }
  for (int j = 0; j < 3; j++) { /* l x (row j of B), as column j */
    pf_unroll_cross(u, l, before + 3*j, column);
    for (int i = 0; i < 3; i++) moved[3*i + j] = column[i];
  }
  for (int i = 0; i < 3; i++) {
    pf_unroll_cross(u, l, I->B + 3*i, column); /* row i of -B' [l]x */
    for (int j = i; j < 3; j++) {
      PfTerm *at = I->J + symmetric(i, j);
      *at = plus(u, plus(u, *at, moved[3*i + j]), column[j]);
    }
  }
}

/* J about the origin, B = [mc] and M = m 1. */
void pf_unroll_inertia_of(const PfUnrolling *u, PfTerm m, const PfTerm mc[3], const PfTerm J[6], PfUnrollInertia *I)
{
  const PfTerm zero = u->zero;
  const PfTerm less[3] = {pf_builder_neg(u->builder, mc[0]), pf_builder_neg(u->builder, mc[1]),
                          pf_builder_neg(u->builder, mc[2])};
  *I = (PfUnrollInertia){.B = {zero, less[2], mc[1], mc[2], zero, less[0], less[1], mc[0], zero},
                         .M = {m, zero, zero, m, zero, m}};
  memcpy(I->J, J, sizeof I->J);
}
