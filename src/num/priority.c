/* SPDX-License-Identifier: Apache-2.0 */
/* Linear equations in an order of priority: the first are met as well as they can be, the next as well as the first
 * allow, and so on; of what is left open the shortest is taken. Each set is solved in the null space of those before
 * it. Golub & Van Loan, Matrix Computations, 4th ed., section 6.2 (constrained least squares). */
#include "num/num.h"

#include <math.h>
#include <string.h>

typedef struct Work {
  PfArena *scratch;
  int n, free;  /* free: columns of N */
  double *N;    /* n x free: directions that the sets so far leave open; NULL: all */
} Work;

/* C = A N and r = b - A x, every row divided by the length of its row of A: units do not matter. What is left of a row
 * in N is rounding when it is less than tol. */
static void reduce(const Work *w, const PfRowSet *set, const double *x, double *C, double *r)
{
  int n = w->n, p = w->free;
  for (int i = 0; i < set->m; i++) {
    const double *row = set->A + (size_t)i*(size_t)n;
    double *out = C + (size_t)i*(size_t)p, length = pf_norm(row, n), scale = length > 0 ? 1/length : 0;
    r[i] = scale*(set->b[i] - pf_dot(row, x, n));
    for (int k = 0; k < p; k++) {
      double sum = w->N ? 0 : row[k];
      for (int j = 0; w->N && j < n; j++) sum += row[j]*w->N[(size_t)j*(size_t)p + (size_t)k];
      out[k] = scale*sum;
    }
    if (pf_norm(out, p) < set->tol) memset(out, 0, (size_t)p*sizeof *out);
  }
}

/* x += N z */
static void add_step(const Work *w, const double *z, double *x)
{
  for (int j = 0; j < w->n; j++) {
    if (!w->N) x[j] += z[j];
    for (int k = 0; w->N && k < w->free; k++) x[j] += w->N[(size_t)j*(size_t)w->free + (size_t)k]*z[k];
  }
}

/* N becomes N times the null space of C. */
static bool narrow(Work *w, PfQr *qr)
{
  int n = w->n, p = w->free, left = p - qr->rank;
  double *Z = pf_arena_array(w->scratch, double, (size_t)p*(size_t)left), *N = Z;
  if (!Z) return false;
  pf_qr_null_space(qr, Z);
  if (w->N) N = pf_arena_array(w->scratch, double, (size_t)n*(size_t)left);
  if (!N) return false;
  for (int j = 0; w->N && j < n; j++)
    for (int k = 0; k < left; k++) {
      double sum = 0;
      for (int i = 0; i < p; i++) sum += w->N[(size_t)j*(size_t)p + (size_t)i]*Z[(size_t)i*(size_t)left + (size_t)k];
      N[(size_t)j*(size_t)left + (size_t)k] = sum;
    }
  w->N = N;
  w->free = left;
  return true;
}

static PfStatus solve(PfContext *ctx, Work *w, const PfRowSet *set, int count, double *x)
{
  for (int k = 0; k < count && w->free > 0; k++, set++) {
    if (set->m == 0) continue;
    size_t rows = (size_t)set->m, p = (size_t)w->free;
    double *C = pf_arena_array(w->scratch, double, rows*p), *r = pf_arena_array(w->scratch, double, rows);
    double *z = pf_arena_array(w->scratch, double, p);
    PfQr qr;
    if (!C || !r || !z) return pf_no_room(ctx, "equations in an order of priority");
    PF_TRY(pf_qr_make(ctx, w->scratch, set->m, w->free, &qr));
    reduce(w, set, x, C, r);
    if (pf_qr_factor(&qr, C, set->tol) != PF_OK || pf_first_not_finite(r, rows) >= 0)
      return pf_fail(ctx, PF_ERR_NUMBER, "the equations are not finite");
    pf_qr_solve(&qr, r, z);
    add_step(w, z, x);
    bool more = false;
    for (int i = k + 1; i < count; i++) more = more || set[i - k].m > 0;
    if (more && !narrow(w, &qr)) return pf_no_room(ctx, "equations in an order of priority");
  }
  return PF_OK;
}

PfStatus pf_priority_solve(PfContext *ctx, const PfRowSet *sets, int count, int n, double *x)
{
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  if (!scratch) return pf_no_room(ctx, "equations in an order of priority");
  Work w = {.scratch = scratch, .n = n, .free = n};
  memset(x, 0, (size_t)n*sizeof *x);
  PfStatus status = solve(ctx, &w, sets, count, x);
  pf_arena_free(scratch);
  return status;
}
