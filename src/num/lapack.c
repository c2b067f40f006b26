/* Singular values and eigenvalues by LAPACK: the only file that knows it. The Fortran routine is called
 * itself, since the C interface allocates behind our back. A row-major A is a column-major A^T, so
 * A = U S V^T is found as A^T = V S U^T without transposing anything. */
#include "num/num.h"

#include <float.h>
#include <limits.h>

/* The last argument is the hidden length of the first. */
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork,
             int *info, size_t job_length);

void dgeevx_(const char *balance, const char *left, const char *right, const char *sense, const int *n, double *a,
             const int *lda, double *re, double *im, double *vl, const int *ldvl, double *vr, const int *ldvr,
             int *low, int *high, double *scale, double *norm, double *rconde, double *rcondv, double *work,
             const int *lwork, int *iwork, int *info, size_t balance_length, size_t left_length,
             size_t right_length, size_t sense_length);

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

/* ---------------------------------------------------------------- eigenvalues */

/* A by columns, as LAPACK wants it. */
static PfStatus load_columns(PfContext *ctx, const double *A, int n, double *copy, double *scale)
{
  PF_TRY(load(ctx, A, n, n, copy, scale));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double t = copy[i*n + j];
      copy[i*n + j] = copy[j*n + i], copy[j*n + i] = t;
    }
  return PF_OK;
}

static PfStatus spectrum_room(PfContext *ctx, PfArena *arena, int n, PfSpectrum *s)
{
  const size_t size = (size_t)n*(size_t)n;
  s->re = pf_arena_array(arena, double, n), s->im = pf_arena_array(arena, double, n);
  s->sense = pf_arena_array(arena, double, n), s->vectors = pf_arena_array(arena, double, size);
  bool good = s->re && s->im && s->sense && s->vectors;
  return good ? PF_OK : pf_fail(ctx, PF_ERR_MEMORY, "no room for the eigenvalues of a %d x %d matrix", n, n);
}

/* The condition of an eigenvalue needs left vectors too. Scales are the caller's: those of dgebal leave out rows that
 * it has split off, whose elements may then become huge. */
PfStatus pf_spectrum_find(PfContext *ctx, PfArena *arena, const double *A, int n, PfSpectrum *s)
{
  const int ask = -1;
  const size_t size = (size_t)n*(size_t)n;
  double room, scale;
  int info, low, high, none;
  PF_TRY(spectrum_room(ctx, arena, n, s));
  double *copy = pf_arena_array(arena, double, size), *left = pf_arena_array(arena, double, size);
  double *balance = pf_arena_array(arena, double, n), *gaps = pf_arena_array(arena, double, n);
  if (!copy || !left || !balance || !gaps) return pf_no_room(ctx, "the eigenvalues");
  PF_TRY(load_columns(ctx, A, n, copy, &scale));
  dgeevx_("P", "V", "V", "E", &n, copy, &n, s->re, s->im, left, &n, s->vectors, &n, &low, &high, balance, &s->norm,
          s->sense, gaps, &room, &ask, &none, &info, 1, 1, 1, 1);
  int length = (int)room;
  double *work = pf_arena_array(arena, double, length);
  if (!work) return pf_no_room(ctx, "the eigenvalues");
  dgeevx_("P", "V", "V", "E", &n, copy, &n, s->re, s->im, left, &n, s->vectors, &n, &low, &high, balance, &s->norm,
          s->sense, gaps, work, &length, &none, &info, 1, 1, 1, 1);
  if (info) return pf_fail(ctx, PF_ERR_NUMBER, "the eigenvalues of a %d x %d matrix do not converge", n, n);
  for (int i = 0; i < n; i++) s->re[i] *= scale, s->im[i] *= scale;
  s->norm *= scale;
  return PF_OK;
}
