/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values and eigenvalues by LAPACK: the only file that knows it. The Fortran routine is called itself, since
 * the C interface allocates memory of its own. A row-major A is a column-major A^T, so A = U S V^T is found as A^T = V
 * S U^T without transposing anything.
 *
 * PF_LAPACK_FILE is the library to load; without it, one is linked. */
#include "num/small.h"

#include "base/library.h"

#ifdef PF_HAVE_LAPACK

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

void openblas_set_num_threads(int count);

#define FUNCTIONS(USE) USE(dgesdd_) USE(dgeevx_)

typedef struct Lapack {
  FUNCTIONS(PF_LIBRARY_MEMBER)
  PF_LIBRARY_MEMBER(openblas_set_num_threads)
} Lapack;

#ifdef PF_LAPACK_FILE

/* Our matrices are too small for more than one thread: the others would only wait, and burn time while they do. A
 * program that has loaded OpenBLAS before us keeps its own number of threads. */
static void use_one_thread(const void *functions)
{
  const Lapack *lapack = functions;
  if (lapack->openblas_set_num_threads) lapack->openblas_set_num_threads(1);
}

static PfStatus open_lapack(PfContext *ctx, const Lapack **lapack)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME) PF_LIBRARY_NAME(openblas_set_num_threads)};
  static const PfLibrary library = {PF_LAPACK_FILE, names, 3, 2, use_one_thread};
  const void *functions;
  PfStatus status = pf_library_open(ctx, &library, &functions);
  *lapack = functions;
  return status == PF_ERR_MEMORY ? pf_no_room(ctx, "the functions of LAPACK") : status;
}

#else

static PfStatus open_lapack(PfContext *ctx, const Lapack **lapack)
{
  static const Lapack linked = {FUNCTIONS(PF_LIBRARY_LINKED)};
  (void)ctx;
  *lapack = &linked;
  return PF_OK;
}

#endif

/* A is overwritten. PF_ERR_MISSING where LAPACK is not installed. */
PfStatus pf_lapack_svd(PfContext *ctx, PfArena *scratch, double *A, int m, int n, double *s, double *U, double *Vt)
{
  const Lapack *lapack;
  PF_TRY(open_lapack(ctx, &lapack));
  const char *job = U ? "S" : "N";
  const int k = m < n ? m : n, one = 1, ask = -1;
  int *integers = pf_arena_array(scratch, int, 8*(size_t)k);
  double size = 0, none = 0;
  int info = 0;
  if (!integers) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);

  const int *ldu = U ? &n : &one, *ldvt = U ? &k : &one; /* V is n x k, U^T is k x m, by columns */
  double *u = U ? Vt : &none, *vt = U ? U : &none;
  lapack->dgesdd_(job, &n, &m, A, &n, s, u, ldu, vt, ldvt, &size, &ask, integers, &info, 1);
  if (!(size < INT_MAX)) return pf_fail(ctx, PF_ERR_LIMIT, "%d x %d numbers are too many to decompose", m, n);
  int room = (int)size;
  double *work = pf_arena_array(scratch, double, room);
  if (!work) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);
  lapack->dgesdd_(job, &n, &m, A, &n, s, u, ldu, vt, ldvt, work, &room, integers, &info, 1);
  if (info)
    return pf_fail(ctx, PF_ERR_NUMBER, "the singular values of a %d x %d matrix do not converge", m, n);
  return PF_OK;
}

/* ---------------------------------------------------------------- eigenvalues */

/* The condition of an eigenvalue needs left vectors too. Scales are the caller's: those of dgebal leave out rows that
 * it has split off, whose elements may then become huge. */
PfStatus pf_lapack_spectrum(PfContext *ctx, PfArena *scratch, double *A, int n, PfSpectrum *s)
{
  const Lapack *lapack;
  PF_TRY(open_lapack(ctx, &lapack));
  const int ask = -1;
  const size_t size = (size_t)n*(size_t)n;
  double room;
  int info, low, high, none;
  double *left, *balance, *gaps;
  PF_TRY(pf_arrays(ctx, scratch, "the eigenvalues", PF_ROOM(left, size), PF_ROOM(balance, n), PF_ROOM(gaps, n)));
  for (int i = 0; i < n; i++) /* A by columns, as LAPACK wants it */
    for (int j = 0; j < i; j++) pf_exchange(A + i*n + j, A + j*n + i, 1, 1);
  lapack->dgeevx_("P", "V", "V", "E", &n, A, &n, s->re, s->im, left, &n, s->vectors, &n, &low, &high, balance,
                  &s->norm, s->sense, gaps, &room, &ask, &none, &info, 1, 1, 1, 1);
  int length = (int)room;
  double *work = pf_arena_array(scratch, double, length);
  if (!work) return pf_no_room(ctx, "the eigenvalues");
  lapack->dgeevx_("P", "V", "V", "E", &n, A, &n, s->re, s->im, left, &n, s->vectors, &n, &low, &high, balance,
                  &s->norm, s->sense, gaps, work, &length, &none, &info, 1, 1, 1, 1);
  if (info) return pf_fail(ctx, PF_ERR_NUMBER, "the eigenvalues of a %d x %d matrix do not converge", n, n);
  return PF_OK;
}

#endif
