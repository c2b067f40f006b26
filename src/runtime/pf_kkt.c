/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Accelerations and multipliers by dense matrices: through S = A M^-1 A^T where its rows are clearly independent, else
 * along the null space of A. */
#include "pf_kkt.h"

/* ---------------------------------------------------------------- by S = A M^-1 A^T */

PF_RUNTIME bool pf_schur_factor(PfSchur *s, const pf_real *A, int rows, pf_real tol)
{
  const PfLdl *mass = s->mass;
  const size_t n = (size_t)mass->n, m = (size_t)rows;
  for (size_t j = 0; j < n; j++) /* what belongs to one coordinate stands together */
    for (size_t i = 0; i < m; i++) s->Y[j*m + i] = A[i*n + (size_t)mass->order[j]];
  pf_ldl_forward_many(mass, s->Y, rows);
  for (size_t i = 0; i < m*m; i++) s->S[i] = 0;
  for (size_t j = 0; j < n; j++) {
    const pf_real *Y = s->Y + j*m, inverse = 1/mass->L[j*n + j];
    for (size_t i = 0; i < m; i++) {
      pf_real scaled = Y[i]*inverse, *S = s->S + i*m;
      if (scaled == 0) continue; /* most constraints concern few coordinates */
      for (size_t k = 0; k <= i; k++) S[k] += scaled*Y[k];
    }
  }
  s->factors.n = rows;
  return pf_ldl_compute(&s->factors, s->S, tol) == PF_FAULT_NONE && s->factors.rank == rows;
}

PF_RUNTIME void pf_schur_solve(PfSchur *s, const pf_real *F, const pf_real *b, pf_real *a, pf_real *lambda)
{
  const PfLdl *mass = s->mass;
  const size_t n = (size_t)mass->n, m = (size_t)s->factors.n;
  pf_ldl_forward(mass, F, s->y);
  for (size_t i = 0; i < m; i++) s->r[i] = b[i];
  for (size_t j = 0; j < n; j++) {
    const pf_real *Y = s->Y + j*m, inverse = 1/mass->L[j*n + j];
    for (size_t i = 0; i < m; i++) s->r[i] -= Y[i]*inverse*s->y[j];
  }
  (void)pf_ldl_solve(&s->factors, s->r, lambda);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < m; i++) s->y[j] += s->Y[j*m + i]*lambda[i];
  pf_ldl_backward(mass, s->y, a);
}

/* ---------------------------------------------------------------- redundant rows */

PF_RUNTIME void pf_shorten_multipliers(PfQr *qr, PfQr *rest, const pf_real *unit, pf_real *Z, pf_real *z,
                                       pf_real *lambda)
{
  const int m = qr->n, count = m - qr->rank;
  pf_qr_null_space(qr, Z);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < count; k++) Z[i*count + k] /= unit[i];
  rest->m = m;
  rest->n = count;
  (void)pf_qr_compute(rest, Z, 0);
  (void)pf_qr_solve(rest, lambda, z);
  for (int i = 0; i < m; i++) lambda[i] -= pf_dot(Z + (size_t)i*(size_t)count, z, count);
}

/* ---------------------------------------------------------------- room */

PF_RUNTIME void pf_kkt_place(PfKkt *k, int n, int m, pf_real *reals, int *ints)
{
  const PfKkt none = {.n = n, .m = m};
  *k = none;
  k->mass = pf_ldl_place(n, &reals, &ints);
  k->schur.mass = &k->mass;
  k->schur.factors = pf_ldl_place(m, &reals, &ints);
  k->schur.Y = pf_take_reals(&reals, n*m);
  k->schur.S = pf_take_reals(&reals, m*m);
  k->schur.y = pf_take_reals(&reals, n);
  k->schur.r = pf_take_reals(&reals, m);
  k->all = pf_qr_place(n, m, &reals, &ints);
  k->kept = pf_qr_place(n, m, &reals, &ints);
  k->rest = pf_qr_place(m, m, &reals, &ints);
  k->unit = pf_take_reals(&reals, m);
  k->unit_A = pf_take_reals(&reals, 2*n*m); /* all, then those that are chosen */
  k->unit_b = pf_take_reals(&reals, m);
  k->N = pf_take_reals(&reals, n*n);
  k->MN = pf_take_reals(&reals, n*n);
  k->X = pf_take_reals(&reals, n*n);
  k->x = pf_take_reals(&reals, n);
  k->y = pf_take_reals(&reals, n);
  k->Z = pf_take_reals(&reals, m*m);
  k->z = pf_take_reals(&reals, m);
}

/* ---------------------------------------------------------------- factors */

/* Rows that follow from others do so on the constraints only. Off them, one that nearly vanishes has the direction of
 * the violation: in its own unit it would count as independent, and its usual size is taken. */
static void pf_kkt_scale(PfKkt *k, const pf_real *A, int rows)
{
  const size_t n = (size_t)k->n;
  for (size_t i = 0; i < (size_t)rows; i++) {
    pf_real unit = pf_binary_scale(A + i*n, n);
    if (k->typical && k->typical[i] > unit) unit = k->typical[i];
    k->unit[i] = unit;
    for (size_t j = 0; j < n; j++) k->unit_A[i*n + j] = A[i*n + j]/unit;
  }
}

static pf_real pf_kkt_tolerance(const PfKkt *k)
{
  return k->typical ? PF_NUMBER(1e-3, 1e-2f) : PF_RANK_TOLERANCE;
}

/* Is something chosen? Numbers of rows may come from a file. */
static bool pf_kkt_is_choice(const PfRowChoice *choice, int rows)
{
  if (!choice || choice->count < 0 || choice->count > rows) return false;
  for (int i = 0; i < rows; i++)
    if (choice->row[i] < 0 || choice->row[i] >= rows) return false;
  return true;
}

/* QR of the transposed rows that are listed. */
static void pf_kkt_factor_listed(PfKkt *k, const int *row, int count, pf_real tol)
{
  const size_t n = (size_t)k->n;
  pf_real *to = k->unit_A + (size_t)k->m*n;
  for (int i = 0; i < count; i++)
    for (size_t j = 0; j < n; j++) to[(size_t)i*n + j] = k->unit_A[(size_t)row[i]*n + j];
  k->kept.n = count;
  (void)pf_qr_compute_columns(&k->kept, to, tol);
}

/* QR of all transposed rows, of which those that are chosen count as ten times as long: another one takes the place of
 * one of them only where that has much less left. */
static void pf_kkt_prefer(PfKkt *k, int rows, const PfRowChoice *choice)
{
  const size_t n = (size_t)k->n;
  pf_real *longer = k->unit_A + (size_t)k->m*n;
  for (size_t i = 0; i < (size_t)rows*n; i++) longer[i] = k->unit_A[i];
  for (int i = 0; choice && i < choice->count; i++)
    for (size_t j = 0; j < n; j++) longer[(size_t)choice->row[i]*n + j] *= 10;
  k->kept.m = k->n;
  k->kept.n = rows;
  (void)pf_qr_compute_columns(&k->kept, longer, choice ? pf_kkt_tolerance(k)/10 : pf_kkt_tolerance(k));
}

/* N^T M N, with the columns of N the admissible directions. */
static bool pf_kkt_reduce(PfKkt *k)
{
  const int n = k->n, left = n - k->rank;
  pf_qr_null_space_transposed(&k->kept, k->N);
  for (int i = 0; i < n; i++)
    for (int c = 0; c < left; c++) {
      pf_real sum = 0;
      for (int j = 0; j < n; j++) sum += k->M[i*n + j]*k->N[j*left + c];
      k->MN[i*left + c] = sum;
    }
  for (int r = 0; r < left; r++)
    for (int c = 0; c <= r; c++) {
      pf_real sum = 0;
      for (int j = 0; j < n; j++) sum += k->N[j*left + r]*k->MN[j*left + c];
      k->X[r*left + c] = sum;
    }
  k->mass.n = left;
  return pf_ldl_compute(&k->mass, k->X, PF_NUMBER(1e-13, 1e-6f)) == PF_FAULT_NONE && k->mass.rank == left;
}

PF_RUNTIME PfKktEnd pf_kkt_factor(PfKkt *k, const pf_real *M, const pf_real *A, int rows, const PfRowChoice *choice)
{
  const bool chosen = pf_kkt_is_choice(choice, rows);
  k->M = M;
  k->A = A;
  k->rows = k->rank = rows;
  k->by_null_space = false;
  k->mass.n = k->n;
  pf_kkt_scale(k, A, rows);
  if (!k->straight && !k->typical && (!chosen || choice->count == rows) &&
      pf_ldl_compute(&k->mass, M, PF_MASS_TOLERANCE) == PF_FAULT_NONE && k->mass.rank == k->n &&
      pf_schur_factor(&k->schur, k->unit_A, rows, PF_SCHUR_MARGIN))
    return PF_KKT_DONE;
  k->by_null_space = true;
  k->all.m = k->kept.m = k->n;
  k->all.n = rows;
  (void)pf_qr_compute_columns(&k->all, k->unit_A, pf_kkt_tolerance(k));
  int *order = k->rest.order; /* not needed before the multipliers */
  if (chosen) pf_kkt_prefer(k, rows, choice);
  const int count = chosen ? choice->count : k->all.rank;
  for (int i = 0; i < count; i++) order[i] = chosen ? k->kept.order[i] : k->all.order[i];
  pf_kkt_factor_listed(k, order, count, PF_NUMBER(1e-9, 1e-5f));
  k->rank = k->kept.rank;
  for (int i = 0; i < count; i++) k->kept.order[i] = order[k->kept.order[i]];
  return pf_kkt_reduce(k) ? PF_KKT_DONE : PF_KKT_SINGULAR;
}

/* ---------------------------------------------------------------- solutions */

/* a = a0 + N y with A a0 = b and (N^T M N) y = N^T (F - M a0); then the lambda with A^T lambda = M a - F. */
static void pf_kkt_solve_along(PfKkt *k, const pf_real *F, const pf_real *b, pf_real *a, pf_real *lambda)
{
  const int n = k->n, left = n - k->rank, rows = k->rows;
  for (int i = 0; i < rows; i++) k->unit_b[i] = b[i]/k->unit[i];
  if (k->rank > 0) (void)pf_qr_solve_transposed(&k->kept, k->unit_b, a);
  else for (int i = 0; i < n; i++) a[i] = 0;
  for (int i = 0; i < n; i++) k->x[i] = F[i] - pf_dot(k->M + (size_t)i*(size_t)n, a, n);
  for (int c = 0; c < left; c++) {
    pf_real sum = 0;
    for (int j = 0; j < n; j++) sum += k->N[j*left + c]*k->x[j];
    k->y[c] = sum;
  }
  (void)pf_ldl_solve(&k->mass, k->y, k->y);
  for (int i = 0; i < n; i++) a[i] += pf_dot(k->N + (size_t)i*(size_t)left, k->y, left);
  for (int i = 0; i < n; i++) k->x[i] = pf_dot(k->M + (size_t)i*(size_t)n, a, n) - F[i];
  (void)pf_qr_solve(&k->all, k->x, lambda);
  for (int i = 0; i < rows; i++) lambda[i] /= k->unit[i];
  if (k->all.rank < rows) pf_shorten_multipliers(&k->all, &k->rest, k->unit, k->Z, k->z, lambda);
}

PF_RUNTIME void pf_kkt_solve(PfKkt *k, const pf_real *F, const pf_real *b, pf_real *a, pf_real *lambda)
{
  if (k->by_null_space) {
    pf_kkt_solve_along(k, F, b, a, lambda);
    return;
  }
  for (int i = 0; i < k->rows; i++) k->unit_b[i] = b[i]/k->unit[i];
  pf_schur_solve(&k->schur, F, k->unit_b, a, lambda);
  for (int i = 0; i < k->rows; i++) lambda[i] /= k->unit[i];
}

/* ---------------------------------------------------------------- which rows */

PF_RUNTIME void pf_kkt_choose(PfKkt *k, const pf_real *A, int rows, PfRowChoice *choice)
{
  pf_kkt_scale(k, A, rows);
  pf_kkt_prefer(k, rows, pf_kkt_is_choice(choice, rows) ? choice : NULL);
  choice->count = k->kept.rank;
  for (int i = 0; i < rows; i++) choice->row[i] = k->kept.order[i];
}

PF_RUNTIME bool pf_kkt_agrees(const PfKkt *k, const PfRowChoice *choice, const pf_real *b, const pf_real *a)
{
  const pf_real fastest = pf_largest(a, k->n);
  for (int i = choice->count; i < k->rows; i++) {
    const int row = choice->row[i];
    const pf_real *A = k->A + (size_t)row*(size_t)k->n;
    pf_real miss = -b[row], size = pf_fabs(b[row]) + k->unit[row]*(PF_NUMBER(1e-3, 1e-3f) + fastest/5);
    for (int j = 0; j < k->n; j++) {
      miss += A[j]*a[j];
      size += pf_fabs(A[j]*a[j]);
    }
    if (pf_fabs(miss) > PF_NUMBER(1e-2, 1e-1f)*size) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- forces that depend on multipliers */

PF_RUNTIME void pf_kkt_feedback(PfKkt *k, const pf_real *C_lambda, pf_real *J, pf_real *work)
{
  const int n = k->n, m = k->rows;
  pf_real *load = work, *a = load + n, *none = a + n, *lambda = none + m;
  for (int i = 0; i < m; i++) none[i] = 0;
  for (int c = 0; c < m; c++) {
    for (int i = 0; i < n; i++) load[i] = C_lambda[i*m + c];
    pf_kkt_solve(k, load, none, a, lambda);
    for (int i = 0; i < m; i++) J[i*m + c] = (pf_real)(i == c) - lambda[i];
  }
}

PF_RUNTIME bool pf_kkt_friction(PfKkt *k, PfFrictionLaw law, void *user, const pf_real *F, const pf_real *b,
                                  pf_real *a, pf_real *lambda, pf_real *work, int *order)
{
  const int n = k->n, m = k->rows;
  pf_real *C_lambda = work, *J = C_lambda + n*m, *C = J + m*m, *load = C + n, *found = load + n, *step = found + m;
  bool last = false;
  for (int i = 0; i < m; i++) lambda[i] = 0;
  for (int round = 0; round < 60; round++) {
    law(user, lambda, C, C_lambda);
    for (int i = 0; i < n; i++) load[i] = F[i] + C[i];
    pf_kkt_solve(k, load, b, a, found);
    if (last) {
      for (int i = 0; i < m; i++) lambda[i] = found[i];
      return true;
    }
    for (int i = 0; i < m; i++) step[i] = found[i] - lambda[i];
    const pf_real scale =
      pf_largest(found, m) + pf_largest(load, n)/(PF_NUMBER(1e-300, 1e-30f) + pf_largest(k->A, m*n));
    last = pf_largest(step, m) <= PF_NUMBER(1e-12, 1e-6f)*scale;
    pf_kkt_feedback(k, C_lambda, J, step + m);
    bool regular = pf_lu_factor(J, m, order) != 0;
    for (int i = 0; i < m && regular; i++) regular = pf_fabs(J[i*m + i]) > PF_NUMBER(1e-9, 1e-4f);
    if (regular) pf_lu_solve(J, m, order, step);
    for (int i = 0; i < m; i++) lambda[i] = regular ? lambda[i] + step[i] : found[i];
  }
  return false;
}
