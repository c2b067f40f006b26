/* SPDX-License-Identifier: Apache-2.0 */
/* Rank of a constraint matrix by modified Gram-Schmidt with row pivoting. Rows stay whole, so that a
 * redundant constraint can be named. Golub & Van Loan, Matrix Computations, 4th ed., section 5.2.8; the
 * second orthogonalisation of a kept row makes the directions orthogonal to working precision. */
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Work {
  int m, n;
  double *unit;  /* m x n: the rows, each made of length 1 (rows of zeros stay zero) */
  double *left;  /* m x n: each unit row, less its part along the rows already kept */
  double *given; /* m: b, divided by the length of its row */
  double *value; /* m: b, transformed like `left`; zeros when there is no b */
  double *share; /* m: how a row is made of the kept ones */
} Work;

/* Checks a row and its right side and makes them of length 1. */
static PfStatus load_row(PfContext *ctx, Work *work, const double *A, const double *b, int i)
{
  const int n = work->n;
  const double *row = A + (size_t)i*(size_t)n;
  double *unit = work->unit + (size_t)i*(size_t)n, *left = work->left + (size_t)i*(size_t)n;
  if (pf_first_not_finite(row, (size_t)n) >= 0)
    return pf_fail(ctx, PF_ERR_NUMBER, "constraint row %d holds a number that is not finite", i);
  if (b && !isfinite(b[i]))
    return pf_fail(ctx, PF_ERR_NUMBER, "the right-hand side of constraint row %d is not finite", i);

  double scale = pf_binary_scale(row, (size_t)n);
  for (int j = 0; j < n; j++) unit[j] = row[j]/scale;
  double length = pf_norm(unit, n);
  if (!(length > 0)) length = 1;
  for (int j = 0; j < n; j++) left[j] = unit[j] /= length;
  /* lengths differ by units; a quotient that overflows only has to stay large */
  work->given[i] = work->value[i] = b ? fmax(-1e150, fmin(1e150, b[i]/length/scale)) : 0;
  return PF_OK;
}

static double *row_of(const Work *work, int i)
{
  return work->left + (size_t)i*(size_t)work->n;
}

/* Takes the part along the kept row `by` (of length 1) out of row i. */
static void remove_part(Work *work, int i, int by)
{
  work->value[i] -= pf_remove_part(row_of(work, i), row_of(work, by), work->n)*work->value[by];
}

/* Gram-Schmidt with the row of which most is left first; it is orthogonalised again before it is used. */
static PfStatus sort(PfContext *ctx, Work *work, const double *A, const double *b, double tol,
                     PfRows *rows)
{
  const int m = work->m, n = work->n;
  for (int i = 0; i < m; i++) {
    PF_TRY(load_row(ctx, work, A, b, i));
    rows->order[i] = i;
  }
  for (rows->rank = 0; rows->rank < m && rows->rank < n; rows->rank++) {
    double part;
    /* The place in `order`, from `first` on, of the row with most left. Among rows that are equal up to rounding
     * it is the one written first, so that a repetition is the one called redundant. */
    int best = rows->rank;
    part = 0;
    for (int k = rows->rank; k < work->m; k++) {
      double length = pf_norm(row_of(work, rows->order[k]), work->n);
      if (length <= part*(1 + 1e-10)) continue;
      part = length;
      best = k;
    }
    if (part <= tol) break;

    int row = rows->order[best];
    for (int k = best; k > rows->rank; k--) rows->order[k] = rows->order[k - 1]; /* the rest as written */
    rows->order[rows->rank] = row;
    rows->margin = rows->rank ? fmin(rows->margin, part) : part;
    /* it becomes a direction: orthogonal to the others once more, of length 1, and out of the rest */
    for (int k = 0; k < rows->rank; k++) remove_part(work, row, rows->order[k]);
    double *left = row_of(work, row), length = pf_norm(left, n);
    for (int j = 0; j < n; j++) left[j] /= length;
    work->value[row] /= length;
    for (int k = rows->rank + 1; k < m; k++) remove_part(work, rows->order[k], row);
  }
  return PF_OK;
}

/* False without memory. */
static bool make_work(PfArena *scratch, int m, int n, Work *work)
{
  const size_t size = (size_t)m*(size_t)n;
  *work = (Work){.m = m, .n = n,
                 .unit = pf_arena_array(scratch, double, size),
                 .left = pf_arena_array(scratch, double, size),
                 .given = pf_arena_array(scratch, double, m),
                 .value = pf_arena_array(scratch, double, m),
                 .share = pf_arena_array(scratch, double, m)};
  return work->unit && work->left && work->given && work->value && work->share;
}

/* Cost: m n rank operations. */
PfStatus pf_rows_sort(PfContext *ctx, PfArena *arena, const double *A, int m, int n, double tol,
                      PfRows *rows)
{
  *rows = (PfRows){0};
  PF_TRY(pf_check_size(ctx, m, n));
  if (!(tol > 0)) tol = sqrt(DBL_EPSILON);

  rows->order = pf_arena_array(arena, int, m); /* results first, then the mark */
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Work work;
  PfStatus status = make_work(scratch, m, n, &work) && rows->order
                        ? sort(ctx, &work, A, NULL, tol, rows)
                        : pf_fail(ctx, PF_ERR_MEMORY, "no room to sort %d constraint rows", m);
  pf_arena_release(scratch, mark);
  return status;
}

/* ---------------------------------------------------------------- right-hand sides */

/* The residual of each redundant row, relative to its right side, to the shortest solution and to `size`. */
static PfStatus consistent(PfContext *ctx, Work *work, const double *A, const double *b, double tol, double size,
                           PfRows *rows, PfConsistency *answer)
{
  PF_TRY(sort(ctx, work, A, b, tol, rows));
  double square = 0; /* of the shortest solution of the kept rows */
  for (int k = 0; k < rows->rank; k++)
    square += work->value[rows->order[k]]*work->value[rows->order[k]];

  answer->rank = rows->rank;
  for (int k = rows->rank; k < work->m; k++) {
    int i = rows->order[k];
    if (!(fabs(work->value[i]) > 0)) continue;
    double misfit = fabs(work->value[i])/(fabs(work->given[i]) + sqrt(square) + size);
    if (!(misfit > answer->residual)) continue;
    answer->residual = misfit;
    if (misfit > tol) answer->row = i;
  }
  if (answer->row >= 0) {
    /* The kept row that has the largest share in row i: unit_i = sum_k share_k unit_k, by substitution in the
     * triangle of parts unit_k . direction_l. */
    const size_t n = (size_t)work->n;
    int best = -1;
    double largest = 0;
    for (int k = rows->rank - 1; k >= 0; k--) {
      const double *direction = row_of(work, rows->order[k]);
      double part = pf_dot(work->unit + (size_t)answer->row*n, direction, work->n);
      for (int l = k + 1; l < rows->rank; l++)
        part -= work->share[l]*pf_dot(work->unit + (size_t)rows->order[l]*n, direction, work->n);
      work->share[k] = part/pf_dot(work->unit + (size_t)rows->order[k]*n, direction, work->n);
      if (fabs(work->share[k]) >= largest*PF_LARGER) best = rows->order[k], largest = fabs(work->share[k]);
    }
    answer->against = largest > 0 ? best : -1;
  }
  return PF_OK;
}

/* Cost: as pf_rows_sort. */
PfStatus pf_rows_consistent(PfContext *ctx, const double *A, const double *b, int m, int n, double tol, double size,
                            PfConsistency *answer)
{
  *answer = (PfConsistency){.row = -1, .against = -1};
  PF_TRY(pf_check_size(ctx, m, n));
  if (!(tol > 0)) tol = sqrt(DBL_EPSILON);

  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Work work;
  PfRows rows = {.order = pf_arena_array(scratch, int, m)};
  PfStatus status = make_work(scratch, m, n, &work) && rows.order
                        ? consistent(ctx, &work, A, b, tol, size, &rows, answer)
                        : pf_fail(ctx, PF_ERR_MEMORY, "no room to compare %d constraint rows", m);
  pf_arena_release(scratch, mark);
  return status;
}
