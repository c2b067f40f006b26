/* SPDX-License-Identifier: Apache-2.0 */
/* Predictor-corrector kernel of continuation: residual and Jacobian of r(z, mu) = 0 in scaled unknowns, Newton's method
 * in a plane across the branch, unit tangents from the bordered matrix [J; t]. */
#include "study/trace.h"

#include "num/newton.h"

#include <math.h>
#include <string.h>

/* The scales are 0 at first. */
PfStatus pf_tracer_make(PfContext *ctx, PfArena *arena, PfProblem *problem, PfTracer *t)
{
  size_t n = (size_t)problem->unknowns, m = n + 1;
  *t = (PfTracer){.ctx = ctx, .arena = arena, .p = problem, .n = problem->unknowns};
  return pf_arrays(ctx, arena, "the continuation", PF_ROOM(t->scale, m), PF_ROOM(t->J, n*m), PF_ROOM(t->B, m*m),
                   PF_ROOM(t->step, m), PF_ROOM(t->r, m), PF_ROOM(t->z, n*n + m), PF_ROOM(t->order, m));
}

/* J has the derivatives by the scaled components: column k times scale k, the last one by the parameter. */
PfStatus pf_tracer_go(PfTracer *t, const double *u)
{
  int n = t->n, m = n + 1;
  double *plain = t->z, *slope = t->r;
  for (int k = 0; k < n; k++) plain[k] = u[k]*t->scale[k];
  PF_TRY(pf_problem_go(t->p, plain, u[n]*t->scale[n], t->r));
  memcpy(t->step, t->r, (size_t)n*sizeof *t->step);
  PF_TRY(pf_problem_slope(t->p, t->z, slope));
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) t->J[i*m + k] = t->z[i*n + k]*t->scale[k];
    t->J[i*m + n] = slope[i]*t->scale[n];
  }
  memcpy(t->r, t->step, (size_t)n*sizeof *t->r);
  return PF_OK;
}

/* Factors [J; last]. */
static int factor(PfTracer *t, const double *last)
{
  size_t n = (size_t)t->n, m = n + 1;
  memcpy(t->B, t->J, n*m*sizeof *t->B);
  memcpy(t->B + n*m, last, m*sizeof *t->B);
  return pf_lu_factor(t->B, (int)m, t->order);
}

/* The plane in which a point of the branch is sought: normal . (u - at) = 0. */
typedef struct Plane {
  PfTracer *t;
  const double *u, *at, *normal;
} Plane;

/* PfNewton's residual: r(u), then the distance from the plane. Failures of the equations leave no diagnostics. */
static PfStatus plane_residual(void *user, PfResidualNorm *norm)
{
  const Plane *p = user;
  PfTracer *t = p->t;
  /* As pf_tracer_go, but failures are silent. */
  int before = pf_diagnostic_count(t->ctx);
  PfStatus status = pf_tracer_go(t, p->u);
  if (status != PF_OK && !pf_is_final(status)) pf_diagnostics_truncate(t->ctx, before);
  PF_TRY(status);
  t->r[t->n] = 0;
  for (int i = 0; i <= t->n; i++) t->r[t->n] += p->normal[i]*(p->u[i] - p->at[i]);
  norm->size = norm->merit = pf_norm(t->r, t->n + 1);
  return PF_OK;
}

/* PfNewton's step: [J; normal] du = -r. */
static PfStatus plane_step(void *user, bool fresh, double *length)
{
  const Plane *p = user;
  PfTracer *t = p->t;
  int m = t->n + 1;
  (void)fresh;
  if (!factor(t, p->normal)) return PF_ERR_NUMBER;
  for (int i = 0; i < m; i++) t->step[i] = -t->r[i];
  pf_lu_solve(t->B, m, t->order, t->step);
  *length = pf_norm(t->step, m)/(1 + pf_norm(p->u, m));
  return PF_OK;
}

/* n + 1 equations for n + 1 unknowns: r(u) = 0 and the plane. */
PfStatus pf_tracer_correct(PfTracer *t, double *u, const double *at, const double *normal)
{
  const PfNewtonPolicy policy = {.iterations = 14, .enough = -1, .shortest = 1e-14, .negligible = 1e-10, .stall = 0.1,
                                 .patience = 14, .longest = 10};
  Plane plane = {t, u, at, normal};
  const PfNewton newton = {.user = &plane, .n = t->n + 1, .x = u, .step = t->step, .residual = plane_residual,
                           .solve = plane_step};
  PfNewtonResult result = {0};
  PfNewtonEnd end = pf_newton(&newton, &policy, &result);
  return end == PF_NEWTON_CONVERGED ? PF_OK : end == PF_NEWTON_FAILED ? result.status : PF_ERR_NUMBER;
}

/* From [J; towards] t = (0, …, 0, 1), scaled to the length 1. The determinant of [J; t] changes its sign at branch
 * points, but not at folds. */
int pf_tracer_tangent(PfTracer *t, const double *towards, double *tangent)
{
  size_t n = (size_t)t->n, m = n + 1;
  if (!factor(t, towards)) return 0;
  memset(tangent, 0, m*sizeof *tangent);
  tangent[n] = 1;
  pf_lu_solve(t->B, (int)m, t->order, tangent);
  double length = pf_norm(tangent, (int)m);
  for (size_t i = 0; i < m; i++) tangent[i] /= length;
  return factor(t, tangent);
}
