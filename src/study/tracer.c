/* SPDX-License-Identifier: Apache-2.0 */
/* Points and tangents of a branch by bordered systems. */
#include "study/trace.h"

#include "num/newton.h"

#include <math.h>
#include <string.h>

PfStatus pf_tracer_make(PfContext *ctx, PfArena *arena, PfProblem *problem, PfTracer *t)
{
  size_t n = (size_t)problem->unknowns, m = n + 1;
  *t = (PfTracer){.ctx = ctx, .arena = arena, .p = problem, .n = problem->unknowns};
  t->scale = pf_arena_array(arena, double, m), t->J = pf_arena_array(arena, double, n*m);
  t->B = pf_arena_array(arena, double, m*m), t->step = pf_arena_array(arena, double, m);
  t->r = pf_arena_array(arena, double, m), t->z = pf_arena_array(arena, double, n*n + m);
  t->order = pf_arena_array(arena, int, m);
  bool good = t->scale && t->J && t->B && t->step && t->r && t->z && t->order;
  return good ? PF_OK : pf_no_room(ctx, "the continuation");
}

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

/* As pf_tracer_go, but failures are silent. */
static PfStatus go_quietly(PfTracer *t, const double *u)
{
  int before = pf_diagnostic_count(t->ctx);
  PfStatus status = pf_tracer_go(t, u);
  if (status != PF_OK && !pf_is_final(status)) pf_diagnostics_cut(t->ctx, before);
  return status;
}

/* The plane in which a point of the branch is looked for. */
typedef struct Plane {
  PfTracer *t;
  const double *u, *at, *normal;
} Plane;

static PfStatus plane_residual(void *user, PfMiss *miss)
{
  const Plane *p = user;
  PfTracer *t = p->t;
  PF_TRY(go_quietly(t, p->u));
  t->r[t->n] = 0;
  for (int i = 0; i <= t->n; i++) t->r[t->n] += p->normal[i]*(p->u[i] - p->at[i]);
  miss->size = miss->merit = pf_norm(t->r, t->n + 1);
  return PF_OK;
}

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
