/* Householder QR with column pivoting, completed from the right to a diagonal block: rank, least squares of
 * least length, null space. Golub & Van Loan, Matrix Computations, 4th ed., sections 5.4.2 and 5.4.7.
 * A reflection is H = I - f w w^T with w = (1, v); v overwrites what H makes zero. */
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

static PfStatus load(PfQr *qr, const double *A)
{
  const size_t size = (size_t)qr->m*(size_t)qr->n;
  int bad = pf_first_not_finite(A, size);
  if (bad >= 0) {
    qr->fault = PF_FAULT_NOT_FINITE;
    qr->fault_row = bad/qr->n;
    return PF_ERR_NUMBER;
  }
  qr->scale = pf_binary_scale(A, size);
  for (size_t i = 0; i < size; i++) qr->R[i] = A[i]/qr->scale;
  for (int j = 0; j < qr->n; j++) qr->order[j] = j;
  return PF_OK;
}

/* The column from k on that has most below row k. Its length is computed anew at each step: downdating
 * would be a little cheaper and needs a rescue from cancellation. */
static int longest_column(const PfQr *qr, int k, double *length)
{
  double *square = qr->work;
  for (int j = k; j < qr->n; j++) square[j] = 0;
  for (int i = k; i < qr->m; i++) {
    const double *row = qr->R + (size_t)i*(size_t)qr->n;
    for (int j = k; j < qr->n; j++) square[j] += row[j]*row[j];
  }
  int best = k;
  for (int j = k + 1; j < qr->n; j++)
    if (square[j] > square[best]) best = j;
  *length = sqrt(square[best]);
  return best;
}

static void exchange_columns(PfQr *qr, int k, int p)
{
  if (k == p) return;
  for (int i = 0; i < qr->m; i++) {
    double *row = qr->R + (size_t)i*(size_t)qr->n, t = row[k];
    row[k] = row[p];
    row[p] = t;
  }
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
  double divisor = *head - result;
  for (int i = 0; i < count; i++) tail[(size_t)i*stride] /= divisor;
  *head = result;
  return f;
}

/* Applies the left reflection k to the columns after it. */
static void reflect_columns(PfQr *qr, int k)
{
  const size_t n = (size_t)qr->n;
  double *sum = qr->work, *top = qr->R + (size_t)k*n;
  for (int j = k + 1; j < qr->n; j++) sum[j] = top[j];
  for (int i = k + 1; i < qr->m; i++) {
    const double *row = qr->R + (size_t)i*n;
    for (int j = k + 1; j < qr->n; j++) sum[j] += row[k]*row[j];
  }
  for (int j = k + 1; j < qr->n; j++) {
    sum[j] *= qr->left[k];
    top[j] -= sum[j];
  }
  for (int i = k + 1; i < qr->m; i++) {
    double *row = qr->R + (size_t)i*n;
    for (int j = k + 1; j < qr->n; j++) row[j] -= row[k]*sum[j];
  }
}

/* Makes the row i of R zero right of the triangle, by a reflection of the columns i and rank… . */
static void complete_row(PfQr *qr, int i)
{
  const size_t n = (size_t)qr->n, r = (size_t)qr->rank;
  const int count = qr->n - qr->rank;
  double *row = qr->R + (size_t)i*n, *v = row + r;
  double length = hypot(row[i], pf_norm(v, count));
  qr->right[i] = reflection(row + i, v, count, 1, length);
  for (int k = 0; k < i; k++) {
    double *other = qr->R + (size_t)k*n;
    double sum = qr->right[i]*(other[i] + pf_dot(v, other + r, count));
    other[i] -= sum;
    for (int j = 0; j < count; j++) other[r + (size_t)j] -= sum*v[j];
  }
}

PfStatus pf_qr_factor(PfQr *qr, const double *A, double tol)
{
  const int least = qr->m < qr->n ? qr->m : qr->n;
  qr->rank = 0;
  qr->margin = 0;
  qr->fault = PF_FAULT_NONE;
  qr->fault_row = -1;
  if (!(tol > 0)) tol = 8*(double)(qr->m > qr->n ? qr->m : qr->n)*DBL_EPSILON;
  PF_TRY(load(qr, A));

  double largest = 0;
  for (; qr->rank < least; qr->rank++) {
    const int k = qr->rank;
    double length;
    exchange_columns(qr, k, longest_column(qr, k, &length));
    if (!k) largest = length;
    if (!(length > tol*largest)) break;
    double *head = qr->R + (size_t)k*(size_t)qr->n + (size_t)k;
    qr->left[k] = reflection(head, head + qr->n, qr->m - k - 1, (size_t)qr->n, length);
    qr->margin = length/largest;
    reflect_columns(qr, k);
  }
  for (int i = qr->rank - 1; i >= 0 && qr->rank < qr->n; i--) complete_row(qr, i);
  return PF_OK;
}

/* c = Q^T b */
static void apply_left(const PfQr *qr, double *c)
{
  const size_t n = (size_t)qr->n;
  for (int k = 0; k < qr->rank; k++) {
    const double *column = qr->R + (size_t)k;
    double sum = c[k];
    for (int i = k + 1; i < qr->m; i++) sum += column[(size_t)i*n]*c[i];
    sum *= qr->left[k];
    c[k] -= sum;
    for (int i = k + 1; i < qr->m; i++) c[i] -= column[(size_t)i*n]*sum;
  }
}

/* y = Z^T y: the right reflections, in the order opposite to their making. */
static void apply_right(const PfQr *qr, double *y)
{
  const int r = qr->rank, count = qr->n - r;
  if (!count) return;
  for (int i = 0; i < r; i++) {
    const double *v = qr->R + (size_t)i*(size_t)qr->n + (size_t)r;
    double sum = qr->right[i]*(y[i] + pf_dot(v, y + r, count));
    y[i] -= sum;
    for (int j = 0; j < count; j++) y[r + j] -= sum*v[j];
  }
}

double pf_qr_solve(PfQr *qr, const double *b, double *x)
{
  const int r = qr->rank;
  double *y = qr->work, *c = qr->work + qr->n;
  for (int i = 0; i < qr->m; i++) c[i] = b[i];
  apply_left(qr, c);
  for (int i = r - 1; i >= 0; i--) {
    const double *row = qr->R + (size_t)i*(size_t)qr->n;
    double sum = c[i];
    for (int j = i + 1; j < r; j++) sum -= row[j]*y[j];
    y[i] = sum/row[i];
  }
  for (int j = r; j < qr->n; j++) y[j] = 0;
  apply_right(qr, y);
  for (int j = 0; j < qr->n; j++) x[qr->order[j]] = y[j]/qr->scale;
  return pf_norm(c + r, qr->m - r);
}

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
