/* SPDX-License-Identifier: Apache-2.0 */
/* Zeros of small, usually underdetermined nonlinear systems by Gauss-Newton steps of least length with
 * halving: the way a start is moved onto its constraints. Nocedal & Wright, Numerical Optimization, 2nd ed.,
 * section 10.3; the step is the pseudo-inverse of the Jacobian, so redundant equations do no harm. */
#include "num/newton.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

typedef struct Problem {
  PfContext *ctx;
  PfResidual residual;
  void *user;
  int m, n;
  const double *weight;
  double *x, *r, *J, *spare; /* spare: m */
  double *rounding; /* m: rounding errors of the terms of an equation in doubles, as far as they are known */
  double *step, *before;
  PfQr qr;
  PfGaussNewtonResult *result;
} Problem;

static PfStatus not_finite(const Problem *p, const char *what, int row)
{
  p->result->end = PF_NEWTON_NOT_FINITE;
  p->result->row = row;
  return pf_fail(p->ctx, PF_ERR_NUMBER, "the %s of equation %d is not finite after %d steps", what, row,
                 p->result->iterations);
}

/* The size counts equations only whose residual is more than rounding of their terms. */
static PfStatus find_residual(void *user, PfResidualNorm *norm)
{
  Problem *p = user;
  PF_TRY(p->residual(p->user, p->x, p->r, NULL));
  norm->merit = pf_norm(p->r, p->m);
  norm->size = 0;
  p->result->row = pf_first_not_finite(p->r, (size_t)p->m);
  if (p->result->row >= 0) norm->size = norm->merit = INFINITY;
  for (int i = 0; i < p->m; i++)
    if (fabs(p->r[i]) > norm->size && !(fabs(p->r[i]) <= p->rounding[i]))
      norm->size = fabs(p->r[i]), p->result->row = i;
  return PF_OK;
}

/* step = -W (J W)^+ r with the weights W. */
static PfStatus find_step(void *user, bool fresh, double *length)
{
  Problem *p = user;
  const int m = p->m, n = p->n;
  const double alike = 1e6;
  (void)fresh, (void)length;
  PF_TRY(pf_check_cancelled(p->ctx));
  PF_TRY(p->residual(p->user, p->x, p->spare, p->J));
  int bad = pf_first_not_finite(p->J, (size_t)m*(size_t)n);
  if (bad >= 0) return not_finite(p, "derivative", bad/n);
  for (int i = 0; i < m; i++) { /* rounding error of each equation: J x stands for its terms */
    const double *row = p->J + (size_t)i*(size_t)n;
    double terms = 0;
    for (int j = 0; j < n; j++) terms += fabs(row[j]*p->x[j]);
    p->rounding[i] = 4*DBL_EPSILON*terms;
  }
  if (p->weight) pf_scale_columns(p->J, m, n, p->weight);
  /* equations that are larger than others by many powers of ten would hide them: each gets a unit of its own then */
  bool apart = pf_rows_differ(p->J, m, n, alike);
  if (apart) pf_scale_rows(p->J, m, n, p->spare);
  for (int i = 0; i < m; i++) p->spare[i] = apart ? p->r[i]/p->spare[i] : p->r[i];
  if (pf_qr_factor(&p->qr, p->J, 1e-12) != PF_OK) return not_finite(p, "weighted derivative", p->qr.fault_row);
  p->result->rank = p->qr.rank;
  pf_qr_solve(&p->qr, p->spare, p->step);
  for (int j = 0; j < n; j++) p->step[j] *= p->weight ? -p->weight[j] : -1;
  p->result->iterations++;
  return PF_OK;
}

/* The result of Newton's method in words. */
static PfStatus iterate(Problem *p, const PfGaussNewtonOptions *options)
{
  const PfNewtonPolicy policy = {.enough = options->tolerance > 0 ? options->tolerance : 1e-10,
                                 .iterations = options->iterations > 0 ? options->iterations : 50,
                                 .decrease = 1e-4, .halvings = 40};
  const PfNewton newton = {.user = p, .n = p->n, .x = p->x, .step = p->step, .before = p->before,
                           .residual = find_residual, .solve = find_step};
  PfNewtonResult result = {0};
  (void)pf_newton(&newton, &policy, &result);
  p->result->iterations = result.iterations;
  p->result->residual = result.norm;
  if (p->result->end != PF_NEWTON_NOT_FINITE) p->result->end = result.end;
  switch (result.end) {
  case PF_NEWTON_CONVERGED: return PF_OK;
  case PF_NEWTON_NOT_FINITE: return not_finite(p, "residual", p->result->row);
  case PF_NEWTON_LIMIT:
    return pf_fail(p->ctx, PF_ERR_NUMBER, "equation %d still misses by %g after %d steps", p->result->row, result.norm,
                   result.iterations);
  case PF_NEWTON_STUCK:
    return pf_fail(p->ctx, PF_ERR_NUMBER, "no step brings equation %d closer: it misses by %g", p->result->row,
                   result.norm);
  default: return result.status;
  }
}

/* x is the start and becomes the solution; on failure it is the last point. Scratch memory of the context is used. */
PfStatus pf_gauss_newton(PfContext *ctx, PfResidual residual, void *user, int m, int n, double *x,
                         const PfGaussNewtonOptions *options, PfGaussNewtonResult *result)
{
  const PfGaussNewtonOptions standard = {0};
  *result = (PfGaussNewtonResult){.end = PF_NEWTON_FAILED, .row = -1};
  PF_TRY(pf_check_size(ctx, m, n));

  if (!options) options = &standard;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Problem p = {.ctx = ctx, .residual = residual, .user = user, .m = m, .n = n, .x = x, .weight = options->weight,
               .result = result, .r = pf_arena_array(scratch, double, m),
               .J = pf_arena_array(scratch, double, (size_t)m*(size_t)n), .spare = pf_arena_array(scratch, double, m),
               .rounding = pf_arena_array(scratch, double, m), .step = pf_arena_array(scratch, double, n),
               .before = pf_arena_array(scratch, double, n)};
  PfStatus status = pf_qr_make(ctx, scratch, m, n, &p.qr);
  if (status == PF_OK && (!p.r || !p.J || !p.spare || !p.rounding || !p.step || !p.before))
    status = pf_fail(ctx, PF_ERR_MEMORY, "no room for %d equations in %d unknowns", m, n);
  if (status == PF_OK) status = iterate(&p, options);
  pf_arena_release(scratch, mark);
  return status;
}
