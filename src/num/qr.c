/* SPDX-License-Identifier: Apache-2.0 */
/* Householder QR with column pivoting, completed from the right to a diagonal block: rank, least squares of
 * least length, null spaces. Golub & Van Loan, Matrix Computations, 4th ed., sections 5.4.2 and 5.4.7.
 * A reflection is H = I - f w w^T with w = (1, v); v overwrites what H makes zero. R is kept by columns, so
 * that v is in one piece. */
#include "num/num.h"

#include <float.h>
#include <math.h>

PfStatus pf_qr_make(PfContext *ctx, PfArena *arena, int m, int n, PfQr *qr)
{
  *qr = (PfQr){.m = m, .n = n, .scale = 1, .fault_row = -1};
  PF_TRY(pf_check_size(ctx, m, n));
  const int least = m < n ? m : n;
  qr->order = pf_arena_array(arena, int, n);
  qr->R = pf_arena_array(arena, double, (size_t)m*(size_t)n);
  qr->left = pf_arena_array(arena, double, least);
  qr->right = pf_arena_array(arena, double, least);
  qr->work = pf_arena_array(arena, double, (size_t)m + (size_t)n);
  if (qr->order && qr->R && qr->left && qr->right && qr->work) return PF_OK;
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for a matrix of %d x %d", m, n);
}

bool pf_qr_keep(PfArena *arena, PfKept *kept, PfQr *qr)
{
  size_t m = (size_t)qr->m, n = (size_t)qr->n, least = m < n ? m : n;
  return pf_keep_members(arena, kept, qr, rank, rank) && pf_keep_members(arena, kept, qr, scale, fault_row) &&
         pf_keep(arena, kept, qr->order, n*sizeof *qr->order) && pf_keep(arena, kept, qr->R, m*n*sizeof *qr->R) &&
         pf_keep(arena, kept, qr->left, least*sizeof *qr->left) &&
         pf_keep(arena, kept, qr->right, least*sizeof *qr->right);
}

static double *column_of(const PfQr *qr, int j)
{
  return qr->R + (size_t)j*(size_t)qr->m;
}

static void swap(double *x, double *y)
{
  double t = *x;
  *x = *y;
  *y = t;
}

/* Scales R if squares of its elements could overflow or vanish. */
static void rescale(PfQr *qr, double largest)
{
  const size_t size = (size_t)qr->m*(size_t)qr->n;
  qr->scale = 1;
  if (!(largest > 0) || (largest > 1e-100 && largest < 1e100)) return;
  qr->scale = pf_binary_scale(qr->R, size);
  for (size_t i = 0; i < size; i++) qr->R[i] /= qr->scale;
}

/* Copies A, the element i, j of which is A[i*down + j*right], into R. False when it is not finite. */
static bool load(PfQr *qr, const double *A, size_t down, size_t right)
{
  double largest = 0, probe = 0;
  for (int j = 0; j < qr->n; j++) {
    const double *from = qr->m ? A + (size_t)j*right : NULL;
    double *to = column_of(qr, j);
    for (int i = 0; i < qr->m; i++) {
      double element = to[i] = from[(size_t)i*down], size = fabs(element);
      largest = size > largest ? size : largest;
      probe += 0*element; /* not 0 when the element is not finite */
    }
    qr->order[j] = j;
  }
  rescale(qr, largest);
  return probe == 0;
}

/* ---------------------------------------------------------------- the factors */

/* Squares of the lengths of all columns. Later ones come with the reflections: downdating would be a little
 * cheaper and needs a rescue from cancellation. */
static void measure_columns(PfQr *qr)
{
  for (int j = 0; j < qr->n; j++) {
    const double *column = column_of(qr, j);
    double square = 0;
    for (int i = 0; i < qr->m; i++) square += column[i]*column[i];
    qr->work[j] = square;
  }
}

/* The column from k on that has most below row k; rounding does not decide among equal ones. */
static int longest_column(const PfQr *qr, int k)
{
  int best = k;
  for (int j = k + 1; j < qr->n; j++)
    if (qr->work[j] > qr->work[best]*PF_LARGER) best = j;
  return best;
}

static void exchange_columns(PfQr *qr, int k, int p)
{
  if (k == p) return;
  double *first = column_of(qr, k), *second = column_of(qr, p);
  for (int i = 0; i < qr->m; i++) swap(first + i, second + i);
  swap(qr->work + k, qr->work + p);
  int column = qr->order[k];
  qr->order[k] = qr->order[p];
  qr->order[p] = column;
}

/* The reflection that takes (*head, tail…) of the given length to (-+length, 0…): makes the tail into v,
 * the head into the result, and gives the factor f. */
static double reflection(double *head, double *tail, int count, size_t stride, double length)
{
  if (!(length > 0)) return 0;
  double result = *head > 0 ? -length : length;
  double f = (result - *head)/result;
  double inverse = 1/(*head - result);
  for (int i = 0; i < count; i++) tail[(size_t)i*stride] *= inverse;
  *head = result;
  return f;
}

/* Applies the left reflection k to a vector of m numbers. */
static void reflect(const PfQr *qr, int k, double *x)
{
  const double *v = column_of(qr, k);
  double sum = x[k];
  for (int i = k + 1; i < qr->m; i++) sum += v[i]*x[i];
  sum *= qr->left[k];
  x[k] -= sum;
  for (int i = k + 1; i < qr->m; i++) x[i] -= v[i]*sum;
}

/* Applies the left reflection k to the columns after it, and measures what they have below row k. */
static void reflect_columns(PfQr *qr, int k)
{
  for (int j = k + 1; j < qr->n; j++) {
    double *column = column_of(qr, j), square = 0;
    reflect(qr, k, column);
    for (int i = k + 1; i < qr->m; i++) square += column[i]*column[i];
    qr->work[j] = square;
  }
}

/* Makes the row i of R zero right of the triangle, by a reflection of the columns i and rank… . */
static void complete_row(PfQr *qr, int i)
{
  const size_t m = (size_t)qr->m;
  const int count = qr->n - qr->rank;
  double *head = column_of(qr, i) + i, *v = column_of(qr, qr->rank) + i, square = *head**head;
  for (int j = 0; j < count; j++) square += v[(size_t)j*m]*v[(size_t)j*m];
  qr->right[i] = reflection(head, v, count, m, sqrt(square));
  for (int k = 0; k < i; k++) {
    double *other = column_of(qr, i) + k, *rest = column_of(qr, qr->rank) + k, sum = *other;
    for (int j = 0; j < count; j++) sum += v[(size_t)j*m]*rest[(size_t)j*m];
    sum *= qr->right[i];
    *other -= sum;
    for (int j = 0; j < count; j++) rest[(size_t)j*m] -= sum*v[(size_t)j*m];
  }
}

static void factor(PfQr *qr, double tol)
{
  const int least = qr->m < qr->n ? qr->m : qr->n;
  double largest = 0;
  measure_columns(qr);
  for (; qr->rank < least; qr->rank++) {
    const int k = qr->rank;
    exchange_columns(qr, k, longest_column(qr, k));
    double length = sqrt(qr->work[k]);
    if (!k) largest = length;
    if (!(length > tol*largest)) break;
    double *head = column_of(qr, k) + k;
    qr->left[k] = reflection(head, head + 1, qr->m - k - 1, 1, length);
    qr->margin = length/largest;
    reflect_columns(qr, k);
  }
  for (int i = qr->rank - 1; i >= 0 && qr->rank < qr->n; i--) complete_row(qr, i);
}

static PfStatus load_and_factor(PfQr *qr, const double *A, size_t down, size_t right, double tol)
{
  qr->rank = 0;
  qr->margin = 0;
  qr->fault = PF_FAULT_NONE;
  qr->fault_row = -1;
  if (!load(qr, A, down, right)) {
    int bad = pf_first_not_finite(A, (size_t)qr->m*(size_t)qr->n);
    qr->fault = PF_FAULT_NOT_FINITE;
    qr->fault_row = right == 1 ? bad/qr->n : bad%qr->m;
    return PF_ERR_NUMBER;
  }
  factor(qr, tol > 0 ? tol : 8*(double)(qr->m > qr->n ? qr->m : qr->n)*DBL_EPSILON);
  return PF_OK;
}

PfStatus pf_qr_factor(PfQr *qr, const double *A, double tol)
{
  return load_and_factor(qr, A, (size_t)qr->n, 1, tol);
}

PfStatus pf_qr_factor_columns(PfQr *qr, const double *A, double tol)
{
  return load_and_factor(qr, A, 1, (size_t)qr->m, tol);
}

/* ---------------------------------------------------------------- solutions */

/* y = H_i y for the right reflection i */
static void reflect_right(const PfQr *qr, int i, double *y)
{
  const size_t m = (size_t)qr->m;
  const int r = qr->rank, count = qr->n - r;
  const double *v = column_of(qr, r) + i;
  double sum = y[i];
  for (int j = 0; j < count; j++) sum += v[(size_t)j*m]*y[r + j];
  sum *= qr->right[i];
  y[i] -= sum;
  for (int j = 0; j < count; j++) y[r + j] -= sum*v[(size_t)j*m];
}

/* y = Z^T y: the right reflections, in the order opposite to their making. */
static void apply_right(const PfQr *qr, double *y)
{
  for (int i = 0; i < qr->rank && qr->rank < qr->n; i++) reflect_right(qr, i, y);
}

double pf_qr_solve(PfQr *qr, const double *b, double *x)
{
  const int r = qr->rank;
  double *y = qr->work, *c = qr->work + qr->n;
  for (int i = 0; i < qr->m; i++) c[i] = b[i];
  for (int k = 0; k < r; k++) reflect(qr, k, c);
  for (int j = r; j-- > 0;) {
    const double *column = column_of(qr, j);
    y[j] = c[j]/column[j];
    for (int i = 0; i < j; i++) c[i] -= column[i]*y[j];
  }
  for (int j = r; j < qr->n; j++) y[j] = 0;
  apply_right(qr, y);
  for (int j = 0; j < qr->n; j++) x[qr->order[j]] = y[j]/qr->scale;
  return r < qr->m ? pf_norm(c + r, qr->m - r) : 0;
}

double pf_qr_solve_transposed(PfQr *qr, const double *b, double *x)
{
  const int r = qr->rank;
  double *c = qr->work;
  for (int j = 0; j < qr->n; j++) c[j] = b[qr->order[j]];
  for (int i = r; i-- > 0 && r < qr->n;) reflect_right(qr, i, c);
  for (int j = 0; j < r; j++) {
    const double *column = column_of(qr, j);
    double sum = c[j];
    for (int i = 0; i < j; i++) sum -= column[i]*x[i];
    x[j] = sum/column[j];
  }
  for (int i = 0; i < qr->m; i++) x[i] = i < r ? x[i]/qr->scale : 0;
  for (int k = r; k-- > 0;) reflect(qr, k, x);
  return r < qr->n ? pf_norm(c + r, qr->n - r) : 0;
}

/* ---------------------------------------------------------------- null spaces */

void pf_qr_null_space(PfQr *qr, double *N)
{
  const int r = qr->rank, count = qr->n - r;
  double *y = qr->work;
  for (int k = 0; k < count; k++) {
    for (int j = 0; j < qr->n; j++) y[j] = j == r + k;
    apply_right(qr, y);
    for (int j = 0; j < qr->n; j++) N[(size_t)qr->order[j]*(size_t)count + (size_t)k] = y[j];
  }
}

void pf_qr_null_space_transposed(PfQr *qr, double *N)
{
  const int r = qr->rank, count = qr->m - r;
  double *y = qr->work + qr->n;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < qr->m; i++) y[i] = i == r + k;
    for (int i = r; i-- > 0;) reflect(qr, i, y);
    for (int i = 0; i < qr->m; i++) N[(size_t)i*(size_t)count + (size_t)k] = y[i];
  }
}
