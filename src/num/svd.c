/* SPDX-License-Identifier: Apache-2.0 */
/* Singular values and eigenvalues: checks and scaling before LAPACK or our own code takes over. */
#include "num/small.h"

#ifndef PF_HAVE_LAPACK
#define pf_lapack_svd(...) PF_ERR_MISSING
#define pf_lapack_spectrum(...) PF_ERR_MISSING
#endif

static PfStatus load(PfContext *ctx, const double *A, int m, int n, double *copy, double *scale)
{
  const size_t size = (size_t)m*(size_t)n;
  int bad = pf_first_not_finite(A, size);
  if (bad >= 0) return pf_fail(ctx, PF_ERR_NUMBER, "matrix row %d holds a number that is not finite", bad/n);
  *scale = pf_binary_scale(A, size);
  for (size_t i = 0; i < size; i++) copy[i] = A[i]/(*scale);
  return PF_OK;
}

/* The decomposition with all room taken from `scratch`; m, n > 0. The matrix is divided by a power of two first, so
 * that squares neither overflow nor vanish. */
static PfStatus decompose(PfContext *ctx, PfArena *scratch, const double *A, int m, int n, double *s,
                          double *U, double *Vt)
{
  double *copy = pf_arena_array(scratch, double, (size_t)m*(size_t)n);
  double scale = 1;
  if (!copy) return pf_fail(ctx, PF_ERR_MEMORY, "no room to decompose %d x %d numbers", m, n);
  PF_TRY(load(ctx, A, m, n, copy, &scale));
  PfStatus status = pf_lapack_svd(ctx, scratch, copy, m, n, s, U, Vt);
  if (status == PF_ERR_MISSING) status = pf_small_svd(ctx, scratch, copy, m, n, s, U, Vt);
  PF_TRY(status);
  for (int i = 0; i < (m < n ? m : n); i++) s[i] *= scale;
  return PF_OK;
}

/* A is read only. */
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

/* ---------------------------------------------------------------- eigenvalues */

/* A is read only; results live in `arena`. */
PfStatus pf_spectrum_find(PfContext *ctx, PfArena *arena, const double *A, int n, PfSpectrum *s)
{
  const size_t size = (size_t)n*(size_t)n;
  double scale = 1, *copy = pf_arena_array(arena, double, size);
  if (!copy) return pf_no_room(ctx, "the eigenvalues");
  s->re = pf_arena_array(arena, double, n), s->im = pf_arena_array(arena, double, n);
  s->sense = pf_arena_array(arena, double, n), s->vectors = pf_arena_array(arena, double, size);
  if (!s->re || !s->im || !s->sense || !s->vectors)
    return pf_fail(ctx, PF_ERR_MEMORY, "no room for the eigenvalues of a %d x %d matrix", n, n);
  PF_TRY(load(ctx, A, n, n, copy, &scale));
  PfStatus status = pf_lapack_spectrum(ctx, arena, copy, n, s);
  if (status == PF_ERR_MISSING) status = pf_small_spectrum(ctx, arena, copy, n, s);
  PF_TRY(status);
  for (int i = 0; i < n; i++) s->re[i] *= scale, s->im[i] *= scale;
  s->norm *= scale;
  return PF_OK;
}
