/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Householder QR with column pivoting, completed from the right to a diagonal block: rank, least squares of
 * least length, null spaces. Golub & Van Loan, Matrix Computations, 4th ed., sections 5.4.2 and 5.4.7.
 * A reflection is H = I - f w w^T with w = (1, v); v overwrites what H makes zero. R is kept by columns, so
 * that v is in one piece. */
#include "pf_dense.h"

PF_RUNTIME PfQr pf_qr_place(int m, int n, pf_real **reals, int **ints)
{
  PfQr qr = {.m = m, .n = n, .scale = 1, .fault_row = -1};
  qr.R = pf_take_reals(reals, m*n);
  qr.left = pf_take_reals(reals, m < n ? m : n);
  qr.right = pf_take_reals(reals, m < n ? m : n);
  qr.work = pf_take_reals(reals, m + n);
  qr.order = pf_take_ints(ints, n);
  return qr;
}

static pf_real *pf_qr_column(const PfQr *qr, int j)
{
  return qr->R + (size_t)j*(size_t)qr->m;
}

static void pf_qr_swap(pf_real *x, pf_real *y)
{
  pf_real t = *x;
  *x = *y;
  *y = t;
}

/* Scales R if squares of its elements could overflow or vanish. */
static void pf_qr_rescale(PfQr *qr, pf_real largest)
{
  const size_t size = (size_t)qr->m*(size_t)qr->n;
  qr->scale = 1;
  if (!(largest > 0) || (largest > PF_NUMBER(1e-100, 1e-15f) && largest < PF_NUMBER(1e100, 1e15f))) return;
  qr->scale = pf_binary_scale(qr->R, size);
  for (size_t i = 0; i < size; i++) qr->R[i] /= qr->scale;
}

/* Copies A, the element i, j of which is A[i*down + j*right], into R. False when it is not finite. */
static bool pf_qr_load(PfQr *qr, const pf_real *A, size_t down, size_t right)
{
  pf_real largest = 0, probe = 0;
  for (int j = 0; j < qr->n; j++) {
    const pf_real *from = qr->m ? A + (size_t)j*right : NULL;
    pf_real *to = pf_qr_column(qr, j);
    for (int i = 0; i < qr->m; i++) {
      pf_real element = to[i] = from[(size_t)i*down], size = pf_fabs(element);
      largest = size > largest ? size : largest;
      probe += 0*element; /* not 0 when the element is not finite */
    }
    qr->order[j] = j;
  }
  pf_qr_rescale(qr, largest);
  return probe == 0;
}

/* ---------------------------------------------------------------- the factors */

/* Squares of the lengths of all columns. Later ones come with the reflections: downdating would be a little
 * cheaper and needs a rescue from cancellation. */
static void pf_qr_measure_columns(PfQr *qr)
{
  for (int j = 0; j < qr->n; j++) {
    const pf_real *column = pf_qr_column(qr, j);
    pf_real square = 0;
    for (int i = 0; i < qr->m; i++) square += column[i]*column[i];
    qr->work[j] = square;
  }
}

/* The column from k on that has most below row k; rounding does not decide among equal ones. */
static int pf_qr_longest_column(const PfQr *qr, int k)
{
  int best = k;
  for (int j = k + 1; j < qr->n; j++)
    if (qr->work[j] > qr->work[best]*PF_LARGER) best = j;
  return best;
}

static void pf_qr_exchange_columns(PfQr *qr, int k, int p)
{
  if (k == p) return;
  pf_real *first = pf_qr_column(qr, k), *second = pf_qr_column(qr, p);
  for (int i = 0; i < qr->m; i++) pf_qr_swap(first + i, second + i);
  pf_qr_swap(qr->work + k, qr->work + p);
  int column = qr->order[k];
  qr->order[k] = qr->order[p];
  qr->order[p] = column;
}

/* The reflection that takes (*head, tail…) of the given length to (-+length, 0…): makes the tail into v,
 * the head into the result, and gives the factor f. */
static pf_real pf_qr_reflection(pf_real *head, pf_real *tail, int count, size_t stride, pf_real length)
{
  if (!(length > 0)) return 0;
  pf_real result = *head > 0 ? -length : length;
  pf_real f = (result - *head)/result;
  pf_real inverse = 1/(*head - result);
  for (int i = 0; i < count; i++) tail[(size_t)i*stride] *= inverse;
  *head = result;
  return f;
}

/* Applies the left reflection k to a vector of m numbers. */
static void pf_qr_reflect(const PfQr *qr, int k, pf_real *x)
{
  const pf_real *v = pf_qr_column(qr, k);
  pf_real sum = x[k];
  for (int i = k + 1; i < qr->m; i++) sum += v[i]*x[i];
  sum *= qr->left[k];
  x[k] -= sum;
  for (int i = k + 1; i < qr->m; i++) x[i] -= v[i]*sum;
}

/* Applies the left reflection k to the columns after it, and measures what they have below row k. */
static void pf_qr_reflect_columns(PfQr *qr, int k)
{
  for (int j = k + 1; j < qr->n; j++) {
    pf_real *column = pf_qr_column(qr, j), square = 0;
    pf_qr_reflect(qr, k, column);
    for (int i = k + 1; i < qr->m; i++) square += column[i]*column[i];
    qr->work[j] = square;
  }
}

/* Makes the row i of R zero right of the triangle, by a reflection of the columns i and rank… . */
static void pf_qr_complete_row(PfQr *qr, int i)
{
  const size_t m = (size_t)qr->m;
  const int count = qr->n - qr->rank;
  pf_real *head = pf_qr_column(qr, i) + i, *v = pf_qr_column(qr, qr->rank) + i, square = *head**head;
  for (int j = 0; j < count; j++) square += v[(size_t)j*m]*v[(size_t)j*m];
  qr->right[i] = pf_qr_reflection(head, v, count, m, pf_sqrt(square));
  for (int k = 0; k < i; k++) {
    pf_real *other = pf_qr_column(qr, i) + k, *rest = pf_qr_column(qr, qr->rank) + k, sum = *other;
    for (int j = 0; j < count; j++) sum += v[(size_t)j*m]*rest[(size_t)j*m];
    sum *= qr->right[i];
    *other -= sum;
    for (int j = 0; j < count; j++) rest[(size_t)j*m] -= sum*v[(size_t)j*m];
  }
}

static void pf_qr_triangle(PfQr *qr, pf_real tol)
{
  const int least = qr->m < qr->n ? qr->m : qr->n;
  pf_real largest = 0;
  pf_qr_measure_columns(qr);
  for (; qr->rank < least; qr->rank++) {
    const int k = qr->rank;
    pf_qr_exchange_columns(qr, k, pf_qr_longest_column(qr, k));
    pf_real length = pf_sqrt(qr->work[k]);
    if (!k) largest = length;
    if (!(length > tol*largest)) break;
    pf_real *head = pf_qr_column(qr, k) + k;
    qr->left[k] = pf_qr_reflection(head, head + 1, qr->m - k - 1, 1, length);
    qr->margin = length/largest;
    pf_qr_reflect_columns(qr, k);
  }
  for (int i = qr->rank - 1; i >= 0 && qr->rank < qr->n; i--) pf_qr_complete_row(qr, i);
}

static PfFault pf_qr_of(PfQr *qr, const pf_real *A, size_t down, size_t right, pf_real tol)
{
  qr->rank = 0;
  qr->margin = 0;
  qr->fault = PF_FAULT_NONE;
  qr->fault_row = -1;
  if (!pf_qr_load(qr, A, down, right)) {
    int bad = pf_first_not_finite(A, (size_t)qr->m*(size_t)qr->n);
    qr->fault = PF_FAULT_NOT_FINITE;
    qr->fault_row = right == 1 ? bad/qr->n : bad%qr->m;
    return qr->fault;
  }
  pf_qr_triangle(qr, tol > 0 ? tol : 8*(pf_real)(qr->m > qr->n ? qr->m : qr->n)*PF_EPSILON);
  return PF_FAULT_NONE;
}

PF_RUNTIME PfFault pf_qr_compute(PfQr *qr, const pf_real *A, pf_real tol)
{
  return pf_qr_of(qr, A, (size_t)qr->n, 1, tol);
}

PF_RUNTIME PfFault pf_qr_compute_columns(PfQr *qr, const pf_real *A, pf_real tol)
{
  return pf_qr_of(qr, A, 1, (size_t)qr->m, tol);
}

/* ---------------------------------------------------------------- solutions */

/* y = H_i y for the right reflection i */
static void pf_qr_reflect_right(const PfQr *qr, int i, pf_real *y)
{
  const size_t m = (size_t)qr->m;
  const int r = qr->rank, count = qr->n - r;
  const pf_real *v = pf_qr_column(qr, r) + i;
  pf_real sum = y[i];
  for (int j = 0; j < count; j++) sum += v[(size_t)j*m]*y[r + j];
  sum *= qr->right[i];
  y[i] -= sum;
  for (int j = 0; j < count; j++) y[r + j] -= sum*v[(size_t)j*m];
}

/* y = Z^T y: the right reflections, in the order opposite to their making. */
static void pf_qr_apply_right(const PfQr *qr, pf_real *y)
{
  for (int i = 0; i < qr->rank && qr->rank < qr->n; i++) pf_qr_reflect_right(qr, i, y);
}

PF_RUNTIME pf_real pf_qr_solve(PfQr *qr, const pf_real *b, pf_real *x)
{
  const int r = qr->rank;
  pf_real *y = qr->work, *c = qr->work + qr->n;
  for (int i = 0; i < qr->m; i++) c[i] = b[i];
  for (int k = 0; k < r; k++) pf_qr_reflect(qr, k, c);
  for (int j = r; j-- > 0;) {
    const pf_real *column = pf_qr_column(qr, j);
    y[j] = c[j]/column[j];
    for (int i = 0; i < j; i++) c[i] -= column[i]*y[j];
  }
  for (int j = r; j < qr->n; j++) y[j] = 0;
  pf_qr_apply_right(qr, y);
  for (int j = 0; j < qr->n; j++) x[qr->order[j]] = y[j]/qr->scale;
  return r < qr->m ? pf_norm(c + r, qr->m - r) : 0;
}

PF_RUNTIME pf_real pf_qr_solve_transposed(PfQr *qr, const pf_real *b, pf_real *x)
{
  const int r = qr->rank;
  pf_real *c = qr->work;
  for (int j = 0; j < qr->n; j++) c[j] = b[qr->order[j]];
  for (int i = r; i-- > 0 && r < qr->n;) pf_qr_reflect_right(qr, i, c);
  for (int j = 0; j < r; j++) {
    const pf_real *column = pf_qr_column(qr, j);
    pf_real sum = c[j];
    for (int i = 0; i < j; i++) sum -= column[i]*x[i];
    x[j] = sum/column[j];
  }
  for (int i = 0; i < qr->m; i++) x[i] = i < r ? x[i]/qr->scale : 0;
  for (int k = r; k-- > 0;) pf_qr_reflect(qr, k, x);
  return r < qr->n ? pf_norm(c + r, qr->n - r) : 0;
}

/* ---------------------------------------------------------------- null spaces */

PF_RUNTIME void pf_qr_null_space(PfQr *qr, pf_real *N)
{
  const int r = qr->rank, count = qr->n - r;
  pf_real *y = qr->work;
  for (int k = 0; k < count; k++) {
    for (int j = 0; j < qr->n; j++) y[j] = (pf_real)(j == r + k);
    pf_qr_apply_right(qr, y);
    for (int j = 0; j < qr->n; j++) N[(size_t)qr->order[j]*(size_t)count + (size_t)k] = y[j];
  }
}

PF_RUNTIME void pf_qr_null_space_transposed(PfQr *qr, pf_real *N)
{
  const int r = qr->rank, count = qr->m - r;
  pf_real *y = qr->work + qr->n;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < qr->m; i++) y[i] = (pf_real)(i == r + k);
    for (int i = r; i-- > 0;) pf_qr_reflect(qr, i, y);
    for (int i = 0; i < qr->m; i++) N[(size_t)i*(size_t)count + (size_t)k] = y[i];
  }
}
