/* SPDX-License-Identifier: Apache-2.0 */
/* Dependent and independent coordinates: A = [A1 A2] with A1 regular, chosen by pivoting and kept while A1
 * stays well conditioned. */
#include "form/partition.h"

#include <math.h>

PfStatus pf_partition_make(PfSolver *s, PfPartition *p)
{
  int n = s->system->n, m = s->system->m;
  *p = (PfPartition){.n = n, .m = m, .solver = s};
  p->row = pf_solver_array(s, int, m);
  p->column = pf_solver_array(s, int, n);
  p->swap = pf_solver_array(s, int, m);
  p->weight = pf_solver_array(s, double, m);
  p->W = pf_solver_array(s, double, (size_t)m*(size_t)(n + 1));
  p->T = pf_solver_array(s, double, (size_t)n*(size_t)(n + 1));
  p->inverse = pf_solver_array(s, double, m);
  p->work = pf_solver_array(s, double, m);
  bool good = p->row && p->column && p->swap && p->weight && p->W && p->T && p->inverse && p->work;
  good = good && pf_keep_members(s->arena, &s->kept, p, rank, rank) &&
         pf_keep_members(s->arena, &s->kept, p, quality, changes);
  return good ? PF_OK : pf_solver_no_room(s);
}

/* ---------------------------------------------------------------- the choice */

static void swap_ints(int *list, int i, int j)
{
  int t = list[i];
  list[i] = list[j];
  list[j] = t;
}

/* The largest of the elements k… of W, rows and columns as sorted so far; rounding does not decide among equal ones. */
static double largest_element(const PfPartition *p, int k, int *row, int *column)
{
  double best = 0;
  *row = *column = k;
  for (int i = k; i < p->m; i++)
    for (int j = k; j < p->n; j++) {
      double size = fabs(p->W[p->row[i]*p->n + p->column[j]]);
      if (size > best*PF_LARGER) best = size, *row = i, *column = j;
    }
  return best;
}

static double unit_of(const PfPartition *p, const double *A, int i)
{
  double size = pf_binary_scale(A + (size_t)i*(size_t)p->n, (size_t)p->n);
  return p->solver->drifts ? pf_row_unit(p->solver, (size_t)i, size) : size;
}

/* Gaussian elimination with full pivoting on rows in units of their own; sorts rows and columns. */
void pf_partition_choose(PfPartition *p, const double *A)
{
  int n = p->n, m = p->m;
  const double *usual = p->solver->units.row;
  for (int i = 0; i < m; i++) {
    double unit = unit_of(p, A, i);
    p->weight[i] = 1/(unit < PF_EMPTY_ROW*usual[i] ? usual[i] : unit);
    for (int j = 0; j < n; j++) p->W[i*n + j] = A[i*n + j]*p->weight[i];
    p->row[i] = i;
  }
  for (int j = 0; j < n; j++) p->column[j] = j;
  for (p->rank = 0; p->rank < m && p->rank < n; p->rank++) {
    int k = p->rank, best_row = k, best_column = k;
    if (!(largest_element(p, k, &best_row, &best_column) > p->solver->rank_tolerance)) break;
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

static void load(PfPartition *p, const double *A, const double *b)
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
}

/* Exchanges rows so that row k has the largest element of the column. */
static void bring_up(PfPartition *p, int k)
{
  const int width = p->n + 1;
  int best = k;
  double most = fabs(row_of(p, k)[k]);
  for (int i = k + 1; i < p->rank; i++) {
    double size = fabs(row_of(p, i)[k]);
    if (size > most) most = size, best = i;
  }
  p->swap[k] = best;
  if (best == k) return;
  double *first = row_of(p, k), *second = row_of(p, best);
  for (int j = 0; j < width; j++) {
    double t = first[j];
    first[j] = second[j];
    second[j] = t;
  }
}

/* x -= factor*y */
static void subtract(double *x, double factor, const double *y, size_t count)
{
  for (size_t j = 0; j < count; j++) x[j] -= factor*y[j];
}

/* LU of A1 with row exchanges, carried through the other columns; smallest over largest pivot, 0 when
 * singular. */
static double eliminate(PfPartition *p)
{
  const size_t r = (size_t)p->rank, width = (size_t)p->n + 1;
  double smallest = INFINITY, largest = 0, *pivot = p->W;
  for (size_t k = 0; k < r; k++, pivot += width) {
    bring_up(p, (int)k);
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
  load(p, A, b);
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

bool pf_partition_update(PfPartition *p, const double *A, const double *b)
{
  double least = p->solver->drifts ? 0.1 : PF_GOOD_PARTITION; /* the drift is divided by it */
  if (p->chosen && solve(p, A, b, least) && are_redundant(p, A)) return true;
  pf_partition_choose(p, A);
  p->changes++;
  return solve(p, A, b, 0);
}

/* ---------------------------------------------------------------- what follows from it */

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

/* The first `count` of [F - M a, M N] at the coordinate k. */
static void load_row(const PfSolver *s, const PfPartition *p, int k, size_t count, double *to)
{
  const size_t n = (size_t)p->n, r = (size_t)p->rank;
  const double *M = s->at.M + (size_t)k*n, *K = p->W + r;
  const int *column = p->column;
  to[0] = s->at.load[k];
  for (size_t j = 1; j < count; j++) to[j] = M[column[r + j - 1]];
  for (size_t i = 0; i < r; i++, K += n + 1) {
    double factor = M[column[i]];
    if (factor != 0) subtract(to, factor, K, count);
  }
}

/* Adds the rows of dependent coordinates to that of the independent coordinate j: N^T (F - M a) and the row
 * of X = N^T M N up to its diagonal. Returns the size of the terms there. */
static double add_dependent(const PfSolver *s, const PfPartition *p, size_t j, double *to)
{
  const size_t r = (size_t)p->rank, next = (size_t)p->n + 1, width = next - r;
  const double *T = p->T, *K = p->W + r + 1 + j;
  double terms = fabs(s->at.M[(size_t)p->column[r + j]*next]);
  for (size_t i = 0; i < r; i++, T += width, K += next) {
    terms += *K**K*fabs(s->at.M[(size_t)p->column[i]*next]);
    subtract(to, *K, T, j + 2);
  }
  return terms;
}

/* The right side and the lower triangle of X; false when the energy of a direction may be nothing but
 * rounding. */
static bool reduce(const PfSolver *s, PfPartition *p, PfReduced *reduced)
{
  const size_t n = (size_t)p->n, r = (size_t)p->rank, free = n - r;
  double *T = p->T, *X = reduced->X;
  for (size_t i = 0; i < n; i++, T += free + 1) {
    load_row(s, p, p->column[i], i < r ? free + 1 : i - r + 2, T);
    if (i < r) continue;
    const size_t j = i - r;
    double terms = add_dependent(s, p, j, T);
    reduced->right[j] = T[0];
    for (size_t k = 0; k <= j; k++) X[k] = T[k + 1];
    if (!(X[j] > PF_MASS_TOLERANCE*terms)) return false;
    X += free;
  }
  return true;
}

static bool factor(PfReduced *reduced, int free)
{
  PfLdl *mass = &reduced->mass;
  mass->n = free; /* made for n, and free <= n */
  return pf_ldl_factor(mass, reduced->X, PF_MASS_TOLERANCE) == PF_OK && mass->rank == free;
}

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

/* x <- A1^-T x, in the order of the rows that were chosen */
static void solve_transposed(const PfPartition *p, double *x)
{
  const int r = p->rank;
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
}

void pf_partition_multipliers(PfSolver *s, const PfPartition *p, const PfMotion *motion)
{
  const double *inertia = pf_inertia(s, motion->acceleration);
  double *x = p->work;
  for (int i = 0; i < p->rank; i++) x[i] = inertia[p->column[i]] - s->at.load[p->column[i]];
  solve_transposed(p, x);
  for (int i = 0; i < p->rank; i++) motion->multiplier[p->row[i]] = x[i]*p->weight[p->row[i]];
}
