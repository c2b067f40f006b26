/* SPDX-License-Identifier: Apache-2.0 */
/* Dependent and independent coordinates: A = [A1 A2] with A1 regular, chosen by pivoting and kept while A1
 * stays well conditioned.
 *
 * Elimination goes row by row in one array W, which ends as [factors of A1, d = A1^-1 b, K = A1^-1 A2]: accelerations
 * of dependent coordinates are d - K q2''. The same array serves multipliers, by the factors of A1^T. */
#include "form/partition.h"

#include <math.h>

/* Rank, quality and choice are part of the state that snapshots keep. */
PfStatus pf_partition_make(PfSolver *s, PfPartition *p)
{
  int n = s->system->n, m = s->system->m;
  *p = (PfPartition){.n = n, .m = m, .solver = s};
  p->row = pf_solver_array(s, int, m);
  p->column = pf_solver_array(s, int, n);
  p->swap = pf_solver_array(s, int, m);
  if (!p->row || !p->column || !p->swap) return pf_solver_no_room(s);
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&p->weight, m, 1}, {&p->W, m, n + 1}, {&p->T, n, n + 1}, {&p->inverse, m, 1},
                                       {&p->work, m, 1}, {0}}));
  bool good = pf_checkpoint_members(s->arena, &s->checkpoint, p, rank, rank) &&
              pf_checkpoint_members(s->arena, &s->checkpoint, p, quality, changes);
  return good ? PF_OK : pf_solver_no_room(s);
}

/* ---------------------------------------------------------------- the choice */

static void swap_ints(int *list, int i, int j)
{
  int t = list[i];
  list[i] = list[j];
  list[j] = t;
}

/* Gaussian elimination with full pivoting on rows in units of their own; sorts rows and columns. Rounding does not
 * decide among equal pivots. */
void pf_partition_choose(PfPartition *p, const double *A)
{
  int n = p->n, m = p->m;
  const double *typical = p->solver->units.row;
  for (int i = 0; i < m; i++) {
    const double size = pf_binary_scale(A + (size_t)i*(size_t)n, (size_t)n);
    const double unit = p->solver->drifts ? pf_row_unit(p->solver, (size_t)i, size) : size;
    p->weight[i] = 1/(unit < PF_EMPTY_ROW*typical[i] ? typical[i] : unit);
    for (int j = 0; j < n; j++) p->W[i*n + j] = A[i*n + j]*p->weight[i];
    p->row[i] = i;
  }
  for (int j = 0; j < n; j++) p->column[j] = j;
  for (p->rank = 0; p->rank < m && p->rank < n; p->rank++) {
    int k = p->rank, best_row = k, best_column = k;
    double best = 0;
    for (int i = k; i < m; i++)
      for (int j = k; j < n; j++) {
        const double size = fabs(p->W[p->row[i]*n + p->column[j]]);
        if (size > best*PF_LARGER) best = size, best_row = i, best_column = j;
      }
    if (!(best > p->solver->rank_tolerance)) break;
    swap_ints(p->row, k, best_row);
    swap_ints(p->column, k, best_column);
    const double *pivot = p->W + (size_t)p->row[k]*(size_t)n;
    for (int i = k + 1; i < m; i++) {
      double *below = p->W + (size_t)p->row[i]*(size_t)n, factor = below[p->column[k]]/pivot[p->column[k]];
      for (int j = k; j < n; j++) below[p->column[j]] -= factor*pivot[p->column[j]];
    }
  }
  p->chosen = true;
}

/* ---------------------------------------------------------------- elimination */

/* Row i of W. */
static double *row_of(const PfPartition *p, int i)
{
  return p->W + (size_t)i*(size_t)(p->n + 1);
}

/* x -= factor*y */
static void subtract(double *x, double factor, const double *y, size_t count)
{
  for (size_t j = 0; j < count; j++) x[j] -= factor*y[j];
}

/* LU of A1 with row exchanges, carried through the other columns; smallest over largest pivot, 0 when singular. Left of
 * the diagonal the factors stay, right of the pivot block the other columns are transformed. */
static double eliminate(PfPartition *p)
{
  const size_t r = (size_t)p->rank, width = (size_t)p->n + 1;
  double smallest = INFINITY, largest = 0, *pivot = p->W;
  for (size_t k = 0; k < r; k++, pivot += width) {
    size_t best = k;
    for (size_t i = k + 1; i < r; i++)
      if (fabs(p->W[i*width + k]) > fabs(p->W[best*width + k])) best = i;
    p->swap[k] = (int)best;
    for (size_t j = 0; j < width && best != k; j++) {
      const double t = pivot[j];
      pivot[j] = p->W[best*width + j];
      p->W[best*width + j] = t;
    }
    const double size = fabs(pivot[k]);
    if (size == 0) return 0;
    if (size < smallest) smallest = size;
    if (size > largest) largest = size;
    double inverse = p->inverse[k] = 1/pivot[k], *row = pivot;
    for (size_t i = k + 1; i < r; i++) {
      row += width;
      row[k] *= inverse;
      subtract(row + k + 1, row[k], pivot + k + 1, width - k - 1);
    }
  }
  return r ? smallest/largest : 1;
}

/* K and d from what elimination has left; returns the largest element of K. */
static double substitute_back(PfPartition *p)
{
  const size_t r = (size_t)p->rank, width = (size_t)p->n + 1, count = width - r;
  double largest = 0;
  for (size_t i = r; i-- > 0;) {
    double *row = p->W + i*width, *right = row + r, *below = right, inverse = p->inverse[i];
    for (size_t k = i + 1; k < r; k++) subtract(right, row[k], below += width, count);
    right[0] *= inverse;
    for (size_t j = 1; j < count; j++) {
      const double size = fabs(right[j] *= inverse);
      largest = size > largest ? size : largest;
    }
  }
  return largest;
}

/* The largest element of K; without it only the quality when that is below `least`. */
static double solve_many(PfPartition *p, const double *A, const double *b, double least)
{
  const size_t n = (size_t)p->n, r = (size_t)p->rank;
  const int *column = p->column;
  double *to = p->W;
  for (size_t i = 0; i < r; i++) {
    const double *from = A + (size_t)p->row[i]*n, weight = p->weight[p->row[i]];
    for (size_t j = 0; j < r; j++) *to++ = from[column[j]]*weight;
    *to++ = b[p->row[i]]*weight;
    for (size_t j = r; j < n; j++) *to++ = from[column[j]]*weight;
  }
  p->quality = eliminate(p);
  return p->quality == 0 || p->quality < least ? 0 : substitute_back(p);
}

/* The same for a single row: all of it is a division by the pivot. */
static double solve_one(PfPartition *p, const double *A, const double *b)
{
  const size_t n = (size_t)p->n, i = (size_t)p->row[0];
  const int *column = p->column;
  const double *from = A + i*n, weight = p->weight[i], pivot = from[column[0]]*weight, inverse = 1/pivot;
  double largest = 0, *to = p->W;
  p->swap[0] = 0;
  p->inverse[0] = inverse;
  *to++ = pivot;
  *to++ = b[i]*weight*inverse;
  for (size_t j = 1; j < n; j++) {
    const double size = fabs(*to++ = from[column[j]]*weight*inverse);
    largest = size > largest ? size : largest;
  }
  p->quality = pivot != 0;
  return largest;
}

/* False when the quality is below `least`, or A1 is singular. */
static bool solve(PfPartition *p, const double *A, const double *b, double least)
{
  const double largest = p->rank == 1 ? solve_one(p, A, b) : solve_many(p, A, b, least);
  if (p->quality*largest > 1) p->quality = 1/largest;
  return p->quality > 0 && p->quality >= least;
}

/* Do the rows after the rank still depend on the others? */
static bool are_redundant(const PfPartition *p, const double *A)
{
  int n = p->n, r = p->rank;
  for (int i = r; i < p->m; i++) {
    const double *row = A + (size_t)p->row[i]*(size_t)n;
    for (int j = r; j < n; j++) {
      double left = row[p->column[j]];
      for (int k = 0; k < r; k++) left -= row[p->column[k]]*p->W[k*(n + 1) + j + 1];
      if (fabs(left)*p->weight[p->row[i]] > p->solver->rank_tolerance) return false;
    }
  }
  return true;
}

/* Gaussian elimination for the partition as it is; only a bad quality, or a redundant row that is so no longer, makes a
 * new choice. */
bool pf_partition_update(PfPartition *p, const double *A, const double *b)
{
  double least = p->solver->drifts ? 0.1 : PF_GOOD_PARTITION; /* the drift is divided by it */
  if (p->chosen && solve(p, A, b, least) && are_redundant(p, A)) return true;
  pf_partition_choose(p, A);
  p->changes++;
  return solve(p, A, b, 0);
}

/* ---------------------------------------------------------------- what follows from it */

/* Columns of K with their signs reversed, and ones at the independent coordinates. */
void pf_partition_directions(const PfPartition *p, double *N, double *a)
{
  const int r = p->rank, free = p->n - r;
  for (int i = 0; i < r; i++) {
    const double *d = row_of(p, i) + r, *K = d + 1;
    double *to = N + (size_t)p->column[i]*(size_t)free;
    for (int j = 0; j < free; j++) to[j] = -K[j];
    a[p->column[i]] = *d;
  }
  for (int i = 0; i < free; i++) {
    double *to = N + (size_t)p->column[r + i]*(size_t)free;
    for (int j = 0; j < free; j++) to[j] = i == j;
    a[p->column[r + i]] = 0;
  }
}

/* The right side N^T (F - M a) and the lower triangle of X = N^T M N; false when the energy of a direction may be
 * nothing but rounding. Row i of T begins with the first elements of [F - M a, M N] at a coordinate; to those of
 * independent coordinates the rows of the dependent ones are added, up to the diagonal. */
static bool reduce(const PfSolver *s, PfPartition *p, PfReduced *reduced)
{
  const size_t n = (size_t)p->n, r = (size_t)p->rank, width = n - r + 1;
  const int *column = p->column;
  double *T = p->T, *X = reduced->X;
  for (size_t i = 0; i < n; i++, T += width) {
    const size_t count = i < r ? width : i - r + 2;
    const double *M = s->at.M + (size_t)column[i]*n, *K = p->W + r;
    T[0] = s->at.load[column[i]];
    for (size_t j = 1; j < count; j++) T[j] = M[column[r + j - 1]];
    for (size_t k = 0; k < r; k++, K += n + 1) {
      const double factor = M[column[k]];
      if (factor != 0) subtract(T, factor, K, count);
    }
    if (i < r) continue;
    const size_t j = i - r;
    const double *row = p->T; /* of a dependent coordinate */
    double terms = fabs(s->at.M[(size_t)column[i]*(n + 1)]);
    K = p->W + r + 1 + j;
    for (size_t k = 0; k < r; k++, row += width, K += n + 1) {
      terms += *K**K*fabs(s->at.M[(size_t)column[k]*(n + 1)]);
      subtract(T, *K, row, j + 2);
    }
    reduced->right[j] = T[0];
    for (size_t k = 0; k <= j; k++) X[k] = T[k + 1];
    if (!(X[j] > PF_MASS_TOLERANCE*terms)) return false;
    X += width - 1;
  }
  return true;
}

static bool factor(PfReduced *reduced, int free)
{
  PfLdl *mass = &reduced->mass;
  mass->n = free; /* made for n, and free <= n */
  return pf_ldl_factor(mass, reduced->X, PF_MASS_TOLERANCE) == PF_OK && mass->rank == free;
}

/* Where a pivot of X is not positive, the general way of reduced.c finds the coordinate that is to blame. */
PfTrouble pf_partition_move(PfSolver *s, PfPartition *p, PfReduced *reduced, double *acceleration, int *row)
{
  const int r = p->rank, free = p->n - r;
  if (!reduce(s, p, reduced) || !factor(reduced, free)) { /* the general way says which coordinate it is */
    pf_partition_directions(p, reduced->N, reduced->a);
    return pf_reduced_solve(s, reduced, free, acceleration, row);
  }
  double *y = reduced->y;
  pf_ldl_solve(&reduced->mass, reduced->right, y);
  for (int j = 0; j < free; j++) acceleration[p->column[r + j]] = y[j];
  for (int i = 0; i < r; i++) {
    const double *d = row_of(p, i) + r, *K = d + 1;
    double sum = *d;
    for (int j = 0; j < free; j++) sum -= K[j]*y[j];
    acceleration[p->column[i]] = sum;
  }
  return PF_TROUBLE_NONE;
}

/* Uses the factors of A1 that the update has left. Multipliers of redundant rows are not written: there are none at
 * full rank. */
void pf_partition_multipliers(PfSolver *s, const PfPartition *p, const PfMotion *motion)
{
  const double *inertia = pf_inertia(s, motion->acceleration);
  double *x = p->work;
  for (int i = 0; i < p->rank; i++) x[i] = inertia[p->column[i]] - s->at.load[p->column[i]];
  const int r = p->rank; /* x <- A1^-T x, in the order of the rows that were chosen */
  for (int i = 0; i < r; i++) {
    const double *row = row_of(p, i);
    x[i] *= p->inverse[i];
    for (int j = i + 1; j < r; j++) x[j] -= row[j]*x[i];
  }
  for (int i = r; i-- > 0;) subtract(x, x[i], row_of(p, i), (size_t)i);
  for (int k = r; k-- > 0;) {
    double t = x[k];
    x[k] = x[p->swap[k]];
    x[p->swap[k]] = t;
  }
  for (int i = 0; i < p->rank; i++) motion->multiplier[p->row[i]] = x[i]*p->weight[p->row[i]];
}
