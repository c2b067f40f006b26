/* Zeros of small, usually underdetermined nonlinear systems by Gauss-Newton steps of least length with
 * halving: the way a start is moved onto its constraints. Nocedal & Wright, Numerical Optimization, 2nd ed.,
 * section 10.3; the step is the pseudo-inverse of the Jacobian, so redundant equations do no harm. */
#include "base/base.h"
#include "num/num.h"

#include <math.h>

enum { MAX_HALVINGS = 40 };

typedef struct Newton {
  PfContext *ctx;
  PfResidual residual;
  void *user;
  int m, n;
  const double *weight;
  double *x, *r, *J;       /* where we are */
  double *step, *xn, *rn;  /* where we may go */
  double length;           /* |r| */
  PfQr qr;
} Newton;

static bool make_work(PfArena *scratch, Newton *newton)
{
  const int m = newton->m, n = newton->n;
  newton->r = pf_arena_array(scratch, double, m);
  newton->J = pf_arena_array(scratch, double, (size_t)m*(size_t)n);
  newton->step = pf_arena_array(scratch, double, n);
  newton->xn = pf_arena_array(scratch, double, n);
  newton->rn = pf_arena_array(scratch, double, m);
  return newton->r && newton->J && newton->step && newton->xn && newton->rn;
}

static void measure(const Newton *newton, PfNewtonResult *result)
{
  result->residual = 0;
  result->row = -1;
  for (int i = 0; i < newton->m; i++) {
    if (!(fabs(newton->r[i]) > result->residual)) continue;
    result->residual = fabs(newton->r[i]);
    result->row = i;
  }
}

static PfStatus not_finite(Newton *newton, PfNewtonResult *result, const char *what, int row)
{
  result->end = PF_NEWTON_NOT_FINITE;
  result->row = row;
  return pf_fail(newton->ctx, PF_ERR_NUMBER, "the %s of equation %d is not finite after %d steps", what, row,
                 result->iterations);
}

static PfStatus failed(PfNewtonResult *result, PfStatus status)
{
  if (status != PF_OK) result->end = PF_NEWTON_FAILED;
  return status;
}

static PfStatus begin(Newton *newton, PfNewtonResult *result)
{
  PF_TRY(failed(result, newton->residual(newton->user, newton->x, newton->r, NULL)));
  int bad = pf_first_not_finite(newton->r, (size_t)newton->m);
  if (bad >= 0) return not_finite(newton, result, "residual", bad);
  newton->length = pf_norm(newton->r, newton->m);
  measure(newton, result);
  return PF_OK;
}

/* step = -W (J W)^+ r with the weights W. */
static PfStatus find_step(Newton *newton, PfNewtonResult *result)
{
  const int m = newton->m, n = newton->n;
  PF_TRY(failed(result, newton->residual(newton->user, newton->x, newton->rn, newton->J)));
  int bad = pf_first_not_finite(newton->J, (size_t)m*(size_t)n);
  if (bad >= 0) return not_finite(newton, result, "derivative", bad/n);

  for (int i = 0; newton->weight && i < m; i++)
    for (int j = 0; j < n; j++) newton->J[(size_t)i*(size_t)n + (size_t)j] *= newton->weight[j];
  bad = pf_qr_factor(&newton->qr, newton->J, 1e-12) == PF_OK ? -1 : newton->qr.fault_row;
  if (bad >= 0) return not_finite(newton, result, "weighted derivative", bad);
  result->rank = newton->qr.rank;
  pf_qr_solve(&newton->qr, newton->r, newton->step);
  for (int j = 0; j < n; j++) newton->step[j] *= newton->weight ? -newton->weight[j] : -1;
  return PF_OK;
}

/* Goes along the step as far as the residual shrinks. A point without a finite residual is too far. */
static PfStatus go(Newton *newton, PfNewtonResult *result, bool *moved)
{
  double share = 1;
  *moved = false;
  for (int halving = 0; halving < MAX_HALVINGS; halving++, share /= 2) {
    for (int j = 0; j < newton->n; j++) newton->xn[j] = newton->x[j] + share*newton->step[j];
    PF_TRY(failed(result, newton->residual(newton->user, newton->xn, newton->rn, NULL)));
    double length = pf_norm(newton->rn, newton->m);
    if (!(length <= (1 - 1e-4*share)*newton->length)) continue; /* not finite: too far, too */
    for (int j = 0; j < newton->n; j++) newton->x[j] = newton->xn[j];
    for (int i = 0; i < newton->m; i++) newton->r[i] = newton->rn[i];
    newton->length = length;
    *moved = true;
    return PF_OK;
  }
  return PF_OK;
}

static PfStatus iterate(Newton *newton, double tolerance, int limit, PfNewtonResult *result)
{
  PF_TRY(begin(newton, result));
  while (result->residual > tolerance) {
    bool moved = false;
    PF_TRY(failed(result, pf_check_cancelled(newton->ctx)));
    if (result->iterations == limit) {
      result->end = PF_NEWTON_LIMIT;
      return pf_fail(newton->ctx, PF_ERR_NUMBER, "equation %d still misses by %g after %d steps", result->row,
                     result->residual, limit);
    }
    PF_TRY(find_step(newton, result));
    PF_TRY(go(newton, result, &moved));
    if (!moved) {
      result->end = PF_NEWTON_STUCK;
      return pf_fail(newton->ctx, PF_ERR_NUMBER, "no step brings equation %d closer: it misses by %g",
                     result->row, result->residual);
    }
    result->iterations++;
    measure(newton, result);
  }
  return PF_OK;
}

PfStatus pf_newton(PfContext *ctx, PfResidual residual, void *user, int m, int n, double *x,
                   const PfNewtonOptions *options, PfNewtonResult *result)
{
  const PfNewtonOptions standard = {0};
  if (!options) options = &standard;
  *result = (PfNewtonResult){.end = PF_NEWTON_FAILED, .row = -1};
  PF_TRY(pf_check_size(ctx, m, n));

  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Newton newton = {.ctx = ctx, .residual = residual, .user = user, .m = m, .n = n, .x = x,
                   .weight = options->weight};
  PfStatus status = pf_qr_make(ctx, scratch, m, n, &newton.qr);
  if (status == PF_OK && !make_work(scratch, &newton))
    status = pf_fail(ctx, PF_ERR_MEMORY, "no room for %d equations in %d unknowns", m, n);
  if (status == PF_OK) {
    result->end = PF_NEWTON_CONVERGED;
    status = iterate(&newton, options->tolerance > 0 ? options->tolerance : 1e-10,
                     options->iterations > 0 ? options->iterations : 50, result);
  }
  pf_arena_release(scratch, mark);
  return status;
}
