/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the factorisations of the runtime, and their faults as a status. */
#include "num/num.h"

#include <limits.h>
#include <math.h>

/* -0 becomes 0 as well. */
double pf_without_noise(double value, double scale)
{
  return fabs(value) <= 1e-13*fabs(scale) || value == 0 ? 0 : value;
}

/* x and y must not overlap. */
void pf_exchange(double *x, double *y, int n, int stride)
{
  for (int i = 0; i < n*stride; i += stride) {
    double t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

/* x and y must not overlap. */
void pf_rotate(double *x, double *y, int n, int stride, double c, double s)
{
  for (int i = 0; i < n*stride; i += stride) {
    double a = x[i], b = y[i];
    x[i] = c*a - s*b;
    y[i] = s*a + c*b;
  }
}

/* Sizes may be 0. */
PfStatus pf_check_size(PfContext *ctx, int m, int n)
{
  if (m >= 0 && n >= 0 && (!n || m <= INT_MAX/n)) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "a matrix of %d x %d", m, n);
}

/* n^2 + 2 n numbers and n integers in the arena. */
PfStatus pf_ldl_make(PfContext *ctx, PfArena *arena, int n, PfLdl *ldl)
{
  *ldl = (PfLdl){.n = n, .fault_row = -1};
  PF_TRY(pf_check_size(ctx, n, n));
  ldl->order = pf_arena_array(arena, int, n);
  ldl->L = pf_arena_array(arena, double, (size_t)n*(size_t)n);
  ldl->start = pf_arena_array(arena, double, n);
  ldl->work = pf_arena_array(arena, double, n);
  if (ldl->order && ldl->L && ldl->start && ldl->work) return PF_OK;
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for a symmetric matrix of %d rows", n);
}

/* A is read only; the cause of a failure is in ldl->fault. */
PfStatus pf_ldl_factor(PfLdl *ldl, const double *A, double tol)
{
  return pf_ldl_compute(ldl, A, tol) == PF_FAULT_NONE ? PF_OK : PF_ERR_NUMBER;
}

/* For up to m x n; m and n may be made smaller later. */
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

/* The work area is left out. */
bool pf_qr_checkpoint(PfArena *arena, PfCheckpoint *kept, PfQr *qr)
{
  size_t m = (size_t)qr->m, n = (size_t)qr->n, least = m < n ? m : n;
  return pf_checkpoint_members(arena, kept, qr, rank, rank) &&
      pf_checkpoint_members(arena, kept, qr, scale, fault_row) &&
         pf_checkpoint_add(arena, kept, qr->order, n*sizeof *qr->order) &&
             pf_checkpoint_add(arena, kept, qr->R, m*n*sizeof *qr->R) &&
         pf_checkpoint_add(arena, kept, qr->left, least*sizeof *qr->left) &&
         pf_checkpoint_add(arena, kept, qr->right, least*sizeof *qr->right);
}

/* A is read only; the rank is in qr->rank. */
PfStatus pf_qr_factor(PfQr *qr, const double *A, double tol)
{
  return pf_qr_compute(qr, A, tol) == PF_FAULT_NONE ? PF_OK : PF_ERR_NUMBER;
}

/* A holds the columns one after the other. */
PfStatus pf_qr_factor_columns(PfQr *qr, const double *A, double tol)
{
  return pf_qr_compute_columns(qr, A, tol) == PF_FAULT_NONE ? PF_OK : PF_ERR_NUMBER;
}
