/* Dependent and independent coordinates: A = [A1 A2] with A1 regular, chosen by pivoting and kept while A1
 * stays well conditioned. */
#include "form/partition.h"

#include <math.h>
#include <string.h>

PfStatus pf_partition_make(PfSolver *s, PfPartition *p)
{
  int n = s->system->n, m = s->system->m;
  size_t mn = (size_t)m*(size_t)n;
  *p = (PfPartition){.n = n, .m = m};
  p->row = pf_solver_array(s, int, m);
  p->column = pf_solver_array(s, int, n);
  p->unit = pf_solver_array(s, double, m);
  p->swap = pf_solver_array(s, int, m);
  p->W = pf_solver_array(s, double, mn);
  p->LU = pf_solver_array(s, double, (size_t)m*(size_t)m);
  p->K = pf_solver_array(s, double, mn);
  p->d = pf_solver_array(s, double, m);
  p->work = pf_solver_array(s, double, m);
  bool good = p->row && p->column && p->unit && p->swap && p->W && p->LU && p->K && p->d && p->work;
  return good ? PF_OK : pf_solver_no_room(s);
}

static void swap_ints(int *list, int i, int j)
{
  int t = list[i];
  list[i] = list[j];
  list[j] = t;
}

/* Gaussian elimination with full pivoting on rows in units of their own; sorts rows and columns. */
void pf_partition_choose(PfPartition *p, const double *A)
{
  int n = p->n, m = p->m;
  double most = 0;
  for (int i = 0; i < m; i++) {
    p->unit[i] = pf_binary_scale(A + (size_t)i*(size_t)n, (size_t)n);
    most = fmax(most, p->unit[i]);
  }
  for (int i = 0; i < m; i++) {
    if (p->unit[i] < PF_EMPTY_ROW*most) p->unit[i] = most;
    for (int j = 0; j < n; j++) p->W[i*n + j] = A[i*n + j]/p->unit[i];
    p->row[i] = i;
  }
  for (int j = 0; j < n; j++) p->column[j] = j;
  p->rank = 0;
  for (int k = 0; k < m && k < n; k++) {
    int best_row = k, best_column = k;
    double best = -1;
    for (int i = k; i < m; i++)
      for (int j = k; j < n; j++) {
        double size = fabs(p->W[p->row[i]*n + p->column[j]]);
        if (size > best) best = size, best_row = i, best_column = j;
      }
    if (!(best > PF_RANK_TOLERANCE)) break;
    swap_ints(p->row, k, best_row);
    swap_ints(p->column, k, best_column);
    const double *pivot = p->W + (size_t)p->row[k]*(size_t)n;
    for (int i = k + 1; i < m; i++) {
      double *below = p->W + (size_t)p->row[i]*(size_t)n, factor = below[p->column[k]]/pivot[p->column[k]];
      for (int j = k; j < n; j++) below[p->column[j]] -= factor*pivot[p->column[j]];
    }
    p->rank = k + 1;
  }
  p->chosen = true;
}

/* LU of A1 with row exchanges; smallest over largest pivot, 0 when singular. */
static double factor(PfPartition *p, const double *A)
{
  int n = p->n, r = p->rank;
  double *LU = p->LU, smallest = INFINITY, largest = 0;
  for (int i = 0; i < r; i++)
    for (int j = 0; j < r; j++) LU[i*r + j] = A[p->row[i]*n + p->column[j]]/p->unit[p->row[i]];
  for (int k = 0; k < r; k++) {
    int best = k;
    for (int i = k + 1; i < r; i++)
      if (fabs(LU[i*r + k]) > fabs(LU[best*r + k])) best = i;
    p->swap[k] = best;
    for (int j = 0; best != k && j < r; j++) {
      double t = LU[k*r + j];
      LU[k*r + j] = LU[best*r + j];
      LU[best*r + j] = t;
    }
    double pivot = LU[k*r + k];
    smallest = fmin(smallest, fabs(pivot));
    largest = fmax(largest, fabs(pivot));
    if (pivot == 0) return 0;
    for (int i = k + 1; i < r; i++) {
      double f = LU[i*r + k] /= pivot;
      for (int j = k + 1; j < r; j++) LU[i*r + j] -= f*LU[k*r + j];
    }
  }
  return r ? smallest/largest : 1;
}

/* x <- A1^-1 x, x of `stride` */
static void solve(const PfPartition *p, double *x, int stride)
{
  int r = p->rank;
  for (int k = 0; k < r; k++) {
    double t = x[k*stride];
    x[k*stride] = x[p->swap[k]*stride];
    x[p->swap[k]*stride] = t;
  }
  for (int i = 0; i < r; i++)
    for (int k = 0; k < i; k++) x[i*stride] -= p->LU[i*r + k]*x[k*stride];
  for (int i = r; i-- > 0;) {
    for (int k = i + 1; k < r; k++) x[i*stride] -= p->LU[i*r + k]*x[k*stride];
    x[i*stride] /= p->LU[i*r + i];
  }
}

void pf_partition_solve_transposed(const PfPartition *p, double *x)
{
  int r = p->rank;
  for (int i = 0; i < r; i++) {
    for (int k = 0; k < i; k++) x[i] -= p->LU[k*r + i]*x[k];
    x[i] /= p->LU[i*r + i];
  }
  for (int i = r; i-- > 0;)
    for (int k = i + 1; k < r; k++) x[i] -= p->LU[k*r + i]*x[k];
  for (int k = r; k-- > 0;) {
    double t = x[k];
    x[k] = x[p->swap[k]];
    x[p->swap[k]] = t;
  }
  for (int i = 0; i < r; i++) x[i] /= p->unit[p->row[i]];
}

bool pf_partition_update(PfPartition *p, const double *A, const double *b)
{
  enum { KEEP_ABOVE_INVERSE = 1000 }; /* a partition this badly conditioned is chosen anew */
  int n = p->n;
  bool complete = p->chosen && p->rank == p->m; /* else rows that were redundant may have become independent */
  double quality = complete ? factor(p, A) : 0;
  if (quality*KEEP_ABOVE_INVERSE < 1) {
    pf_partition_choose(p, A);
    p->changes++;
    quality = factor(p, A);
  }
  if (quality <= 0) return p->rank == 0;
  int r = p->rank, free = n - r;
  for (int i = 0; i < r; i++) {
    double unit = p->unit[p->row[i]];
    for (int j = 0; j < free; j++) p->K[i*free + j] = A[p->row[i]*n + p->column[r + j]]/unit;
    p->d[i] = b[p->row[i]]/unit;
  }
  for (int j = 0; j < free; j++) solve(p, p->K + j, free);
  solve(p, p->d, 1);
  return true;
}
