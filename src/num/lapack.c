/* The singular value decomposition by LAPACK: the only file that knows it. The Fortran routine is called
 * itself, since the C interface allocates behind our back. A row-major A is a column-major A^T, so
 * A = U S V^T is found as A^T = V S U^T without transposing anything. */
#include "num/num.h"

#include <float.h>
#include <limits.h>

/* The last argument is the hidden length of the first. */
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork,
             int *info, size_t job_length);

static int least(int m, int n)
{
  return m < n ? m : n;
}

static PfStatus load(PfContext *ctx, const double *A, int m, int n, double *copy, double *scale)
{
  const size_t size = (size_t)m*(size_t)n;
  int bad = pf_first_not_finite(A, size);
  if (bad >= 0) return pf_fail(ctx, PF_ERR_NUMBER, "matrix row %d holds a number that is not finite", bad/n);
  *scale = pf_binary_scale(A, size);
  for (size_t i = 0; i < size; i++) copy[i] = A[i]/(*scale);
  return PF_OK;
}

/* The decomposition with all room taken from `scratch`; m, n > 0. */
static PfStatus decompose(PfContext *ctx, PfArena *scratch, const double *A, int m, int n, double *s,
                          double *U, double *Vt)
{
  const char *job = U ? "S" : "N";
  const int k = least(m, n), one = 1, ask = -1;
  double *copy = pf_arena_array(scratch, double, (size_t)m*(size_t)n);
  int *integers = pf_arena_array(scratch, int, 8*(size_t)k);
  double scale = 1, size = 0, none = 0;
  int info = 0;
  if (!copy || !integers) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);
  PF_TRY(load(ctx, A, m, n, copy, &scale));

  const int *ldu = U ? &n : &one, *ldvt = U ? &k : &one; /* V is n x k, U^T is k x m, by columns */
  double *u = U ? Vt : &none, *vt = U ? U : &none;
  dgesdd_(job, &n, &m, copy, &n, s, u, ldu, vt, ldvt, &size, &ask, integers, &info, 1);
  if (!(size < INT_MAX)) return pf_fail(ctx, PF_ERR_LIMIT, "%d x %d numbers are too many to decompose", m, n);
  int room = (int)size;
  double *work = pf_arena_array(scratch, double, room);
  if (!work) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);
  dgesdd_(job, &n, &m, copy, &n, s, u, ldu, vt, ldvt, work, &room, integers, &info, 1);
  if (info)
    return pf_fail(ctx, PF_ERR_NUMBER, "the singular values of a %d x %d matrix do not converge", m, n);
  for (int i = 0; i < k; i++) s[i] *= scale;
  return PF_OK;
}

PfStatus pf_svd(PfContext *ctx, const double *A, int m, int n, double *s, double *U, double *Vt)
{
  PF_TRY(pf_check_size(ctx, m, n));
  if (!U != !Vt) return pf_fail(ctx, PF_ERR_ARGUMENT, "either both or none of U and Vt are wanted");
  if (!m || !n) return PF_OK;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = decompose(ctx, scratch, A, m, n, s, U, Vt);
  pf_arena_release(scratch, mark);
  return status;
}

/* inverse = V diag(1/s) U^T over the first `rank` singular values. */
static void assemble(const double *s, const double *U, const double *Vt, int m, int n, int rank,
                     double *inverse)
{
  const size_t k = (size_t)least(m, n);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      double sum = 0;
      for (int l = 0; l < rank; l++)
        sum += Vt[(size_t)l*(size_t)n + (size_t)j]/s[l]*U[(size_t)i*k + (size_t)l];
      inverse[(size_t)j*(size_t)m + (size_t)i] = sum;
    }
  }
}

static PfStatus invert(PfContext *ctx, PfArena *scratch, const double *A, int m, int n, double tol,
                       double *inverse, int *rank)
{
  const size_t k = (size_t)least(m, n);
  double *s = pf_arena_array(scratch, double, k);
  double *U = pf_arena_array(scratch, double, (size_t)m*k);
  double *Vt = pf_arena_array(scratch, double, k*(size_t)n);
  if (!s || !U || !Vt) return pf_fail(ctx, PF_ERR_MEMORY, "no room to invert %d x %d numbers", m, n);
  PF_TRY(pf_svd(ctx, A, m, n, s, U, Vt));
  for (*rank = 0; (size_t)*rank < k && s[*rank] > tol*s[0];) ++*rank;
  assemble(s, U, Vt, m, n, *rank, inverse);
  return PF_OK;
}

PfStatus pf_pseudo_inverse(PfContext *ctx, const double *A, int m, int n, double tol, double *inverse,
                           int *rank)
{
  int count = 0;
  PF_TRY(pf_check_size(ctx, m, n));
  if (!(tol > 0)) tol = (m > n ? m : n)*DBL_EPSILON;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = invert(ctx, scratch, A, m, n, tol, inverse, &count);
  pf_arena_release(scratch, mark);
  if (rank) *rank = count;
  return status;
}
