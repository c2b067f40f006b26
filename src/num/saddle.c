/* SPDX-License-Identifier: Apache-2.0 */
/* Saddle point systems by their sparse pattern. M is eliminated first, which leaves -A M^-1 A^T: with M positive
 * definite and independent rows no pivot can vanish, and the pivots of the rows measure how independent they are. Rows
 * that have nothing to do with each other, those of separate loops, never meet. */
#include "num/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Coordinates and constraints up to which dense matrices are kept as well, and from which on structure is looked at. */
enum { MOST_DENSE = 1500, LEAST_SPARSE = 12 };
/* Squares of lengths below this have lost digits: they carry no information. */
static const double LEAST_SQUARE = 1e-280;

/* By the number of equations. */
bool pf_saddle_is_large(int n, int m)
{
  return n + m >= LEAST_SPARSE;
}

/* Then no dense matrices are kept. */
bool pf_saddle_is_huge(int n, int m)
{
  return n + m > MOST_DENSE;
}

/* Twice the sparse count must be less than the dense one: a sparse operation costs about twice as much. */
bool pf_saddle_pays(const PfSaddle *s)
{
  double n = s->n, m = s->m, dense = n*n*n/6 + m*n*n/2 + m*m*n/2 + m*m*m/6;
  return 2*(pf_sparse_cost(&s->ldl) + s->mass_count + s->row_count) < dense;
}

/* Entries of M are those of its lower triangle. With PF_ROWS_SOON rows are eliminated as soon as their unknowns are
 * gone. */
PfStatus pf_saddle_make(PfContext *ctx, PfArena *arena, const PfEntry *mass, int mass_count, const PfEntry *rows,
                        int row_count, int n, int m, PfRowOrder order, PfSaddle *s)
{
  *s = (PfSaddle){.n = n, .m = m, .mass_count = mass_count, .row_count = row_count};
  PF_TRY(pf_arrays(ctx, arena, "the constraints", PF_ROOM(s->entry, (size_t)mass_count + (size_t)row_count),
                   PF_ROOM(s->x, (size_t)n + (size_t)m), PF_ROOM(s->place, (size_t)n + (size_t)m)));
  for (int k = 0; k < mass_count; k++) s->entry[k] = mass[k];
  for (int k = 0; k < row_count; k++) s->entry[mass_count + k] = (PfEntry){n + rows[k].row, rows[k].column};
  PF_TRY(pf_sparse_make(ctx, arena, s->entry, mass_count + row_count, n + m, n, order, &s->ldl));
  for (int k = 0; k < n + m; k++) s->place[s->ldl.order[k]] = k;
  return PF_OK;
}

/* Is the part less than the least so far? What is not a number is less than everything. */
static bool is_less(double part, double least)
{
  return least == least && !(part >= least);
}

/* Of a row of A, by when it is eliminated; a row of zeros has none, one of NaN neither. */
static double part_of_row(const PfSaddle *s, int k, const double *length)
{
  const PfSparse *f = &s->ldl;
  int row = f->order[k] - s->n;
  double square = length ? length[row]*length[row] : 0, unit = square > f->start[k] ? square : f->start[k];
  if (unit > 0 && unit < LEAST_SQUARE) return 0;
  return unit > 0 ? -f->D[k]/unit : f->D[k];
}

/* `value` has a number for each entry. The margins are the smallest pivots relative to their start, of M and of the
 * rows; margin.row is the weakest row. */
PfSaddleMargin pf_saddle_factor(PfSaddle *s, const double *value, const double *length)
{
  const PfSparse *f = &s->ldl;
  PfSaddleMargin margin = {1, 1, -1};
  pf_sparse_factor(&s->ldl, value);
  for (int k = 0; k < s->n + s->m; k++) {
    if (f->order[k] >= s->n) continue;
    double part = f->start[k] > 0 ? f->D[k]/f->start[k] : f->D[k];
    if (is_less(part, margin.mass)) margin.mass = part;
  }
  for (int k = 0, rows = 0; k < s->n + s->m; k++) {
    if (f->order[k] < s->n) continue;
    double part = part_of_row(s, k, length);
    if (rows++ == 0 || is_less(part, margin.rows)) margin.rows = part;
  }
  /* of rows that are equally weak, as those of equal mechanisms are up to rounding, the first */
  for (int row = s->m; row-- > 0;)
    if (!(part_of_row(s, s->place[s->n + row], length) > 2*margin.rows)) margin.row = row;
  return margin;
}

/* Of the latest factorisation: the square of the length of a row of A in the metric of M^-1. */
double pf_saddle_square(const PfSaddle *s, int row)
{
  return s->ldl.start[s->place[s->n + row]];
}

/* f may be NULL for zeros, lambda where it is not wanted. */
void pf_saddle_solve(PfSaddle *s, const double *f, const double *b, double *x, double *lambda)
{
  for (int i = 0; i < s->n; i++) s->x[i] = f ? f[i] : 0;
  for (int k = 0; k < s->m; k++) s->x[s->n + k] = b[k];
  pf_sparse_solve(&s->ldl, s->x);
  memcpy(x, s->x, (size_t)s->n*sizeof *x);
  for (int k = 0; lambda && k < s->m; k++) lambda[k] = -s->x[s->n + k];
}

/* ---------------------------------------------------------------- refinement */

/* f - M x + A^T lambda and b - A x. */
void pf_saddle_residual(const PfSaddle *s, const PfSaddleNumbers *at, const double *x, const double *lambda,
                        double *residual_f, double *residual_b)
{
  const int n = s->n;
  memcpy(residual_f, at->f, (size_t)n*sizeof *residual_f);
  if (s->m) memcpy(residual_b, at->b, (size_t)s->m*sizeof *residual_b);
  for (int k = 0; k < s->mass_count + s->row_count; k++) {
    const PfEntry *e = s->entry + k;
    const double value = at->value[k];
    if (e->row >= n) {
      residual_f[e->column] += value*lambda[e->row - n];
      residual_b[e->row - n] -= value*x[e->column];
    } else {
      residual_f[e->row] -= value*x[e->column];
      if (e->row != e->column) residual_f[e->column] -= value*x[e->row];
    }
  }
}

/* Returns the largest change over the largest number. */
double pf_add_step(double *x, const double *step, int count)
{
  double most = 0, size = 0;
  for (int i = 0; i < count; i++) {
    x[i] += step[i];
    most = fmax(most, fabs(step[i]));
    size = fmax(size, fabs(x[i]));
  }
  return most <= size*DBL_MIN ? 0 : most/size;
}
