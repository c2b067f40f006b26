/* SPDX-License-Identifier: Apache-2.0 */
/* Branch points: located by Newton on an extended system, and the directions of the branches that meet there.
 *
 * At a simple branch point of f(u) = 0, n equations for n + 1 unknowns u = (z, mu), the Jacobian f_u loses rank by one:
 * p f_u = 0 for a left vector p, and the kernel has two dimensions. Both branches are tangent to directions phi of the
 * kernel with p . f_uu[phi, phi] = 0, a quadratic equation for phi : psi. */
#include "study/trace.h"

#include "num/newton.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- second derivatives */

/* The completed direction of component k of u. */
static PfStatus complete(PfTracer *t, int k, double *s)
{
  PfProblem *p = t->p;
  PfDynamics *f = p->field;
  if (k < t->n) pf_dynamics_unit(f, p->unknown[k], s);
  else pf_dynamics_seed_parameter(f, p->chain, p->slope, p->work, s);
  PF_TRY(pf_dynamics_complete(f, s, NULL, f->derived));
  for (int i = 0; i < f->count; i++) s[i] *= t->scale[k];
  return PF_OK;
}

/* H_ik = p . f_uu[e_i, e_k] with the unit directions e, each divided by its scale. With s_i the completed direction of
 * e_i, the second derivative of all quantities solves F_Z s_ik = -F_ZZ[s_i, s_k], and its rates are f_uu[e_i, e_k]. It
 * takes m(m + 1)/2 solutions with one factored matrix. */
static PfStatus find_curvature(PfTracer *t, const double *p, double *H)
{
  PfDynamics *f = t->p->field;
  const size_t m = (size_t)t->n + 1, count = (size_t)f->count;
  double *seeds, *s, *constant;
  PfMark mark = pf_arena_mark(t->arena);
  PfStatus status = pf_arrays(t->ctx, t->arena, "a branch point", PF_ROOM2(seeds, m, count), PF_ROOM(s, count),
                              PF_ROOM(constant, f->root_count));
  for (size_t i = 0; i < m && status == PF_OK; i++) status = complete(t, (int)i, seeds + i*count);
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k <= i && status == PF_OK; k++) { /* p . f_uu[i, k] */
      double sum = 0;
      status = pf_dynamics_second(f, seeds + i*count, seeds + k*count, constant);
      memset(s, 0, count*sizeof *s);
      if (status == PF_OK) status = pf_dynamics_complete(f, s, constant, f->derived);
      if (status != PF_OK) break;
      pf_dynamics_rate_of(f, s, f->derived, t->p->rate);
      for (int j = 0; j < t->n; j++) sum += p[j]*t->p->rate[t->p->equation[j]];
      H[i*m + k] = H[k*m + i] = sum;
    }
  pf_arena_release(t->arena, mark);
  return status;
}

/* ---------------------------------------------------------------- the point */

/* Newton's method for the 2 n + 2 unknowns of a branch point. */
typedef struct Extended {
  PfTracer *t;
  int n, m, size;      /* m = n + 1, size = 2 m */
  double *x;           /* unknowns: u (m), p (n), beta */
  double *u, *p, *beta; /* in x */
  double *E, *e, *H;   /* Jacobian (size x size), right side and step, curvature of p . f (m x m) */
  int *order;          /* of the rows of E */
} Extended;

/* e = -(f + beta p (n), J^T p (m), (p.p - 1)/2) */
static PfStatus extended_residual(void *user, PfResidualNorm *norm)
{
  const Extended *x = user;
  const PfTracer *t = x->t;
  int n = x->n, m = x->m;
  PF_TRY(pf_tracer_go(x->t, x->u));
  for (int i = 0; i < n; i++) x->e[i] = -(t->r[i] + *x->beta*x->p[i]);
  for (int k = 0; k < m; k++) {
    x->e[n + k] = 0;
    for (int i = 0; i < n; i++) x->e[n + k] -= t->J[i*m + k]*x->p[i];
  }
  x->e[x->size - 1] = -(pf_dot(x->p, x->p, n) - 1)/2;
  norm->size = norm->merit = pf_norm(x->e, x->size);
  return PF_OK;
}

/* A Newton step of the extended system [f + beta p; p f_u; p.p - 1]: its Jacobian has the second derivatives of p . f
 * in its lower left block. */
static PfStatus extended_step(void *user, bool fresh, double *length)
{
  const Extended *x = user;
  (void)fresh;
  PF_TRY(find_curvature(x->t, x->p, x->H));
  const PfTracer *t = x->t;
  int n = x->n, m = x->m, N = x->size;
  memset(x->E, 0, (size_t)N*(size_t)N*sizeof *x->E);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) x->E[i*N + k] = x->E[(n + k)*N + m + i] = t->J[i*m + k];
    x->E[i*N + m + i] = *x->beta;
    x->E[i*N + N - 1] = x->E[(N - 1)*N + m + i] = x->p[i];
  }
  for (int k = 0; k < m; k++)
    for (int j = 0; j < m; j++) x->E[(n + k)*N + j] = x->H[k*m + j];
  if (!pf_lu_factor(x->E, x->size, x->order)) return PF_ERR_NUMBER;
  pf_lu_solve(x->E, x->size, x->order, x->e);
  *length = pf_norm(x->e, x->size);
  return PF_OK;
}

/* Newton's method for (u, beta, p), from the left singular vector of J at the estimate. */
static PfStatus iterate(Extended *x)
{
  const PfNewtonPolicy policy = {.iterations = 20, .enough = -1, .shortest = 1e-13, .negligible = 1e-9, .stall = 0.3,
                                 .patience = 20, .longest = 2};
  const PfNewton newton = {.user = x, .n = x->size, .x = x->x, .step = x->e, .residual = extended_residual,
                           .solve = extended_step};
  PfNewtonResult result = {0};
  PF_TRY(pf_tracer_go(x->t, x->u));
  /* The left vector that J nearly annihilates: the last of its singular vectors. */
  PfTracer *t = x->t;
  size_t n = (size_t)t->n, m = n + 1;
  PfMark mark = pf_arena_mark(t->arena);
  double *s = pf_arena_array(t->arena, double, n), *U = pf_arena_array(t->arena, double, n*n);
  double *V = pf_arena_array(t->arena, double, n*m);
  PfStatus status = s && U && V ? pf_svd(t->ctx, t->J, t->n, (int)m, s, U, V) : pf_no_room(t->ctx, "a branch point");
  for (size_t i = 0; i < n && status == PF_OK; i++) x->p[i] = U[i*n + n - 1];
  pf_arena_release(t->arena, mark);
  PF_TRY(status);
  PfNewtonEnd end = pf_newton(&newton, &policy, &result);
  if (end == PF_NEWTON_FAILED) return result.status;
  PF_TRY(pf_tracer_go(x->t, x->u)); /* the curvature was taken elsewhere */
  return end == PF_NEWTON_CONVERGED && fabs(*x->beta) < 1e-9 ? PF_OK : PF_ERR_NUMBER;
}

/* In an arena of its own, as the extended system is large: (2 n + 2)^2 numbers. u and p are overwritten in every case;
 * they are those of the last iterate. */
PfStatus pf_tracer_branch_point(PfTracer *t, double *u, double *p)
{
  size_t n = (size_t)t->n, m = n + 1, N = 2*m;
  int before = pf_diagnostic_count(t->ctx);
  PfArena *arena = pf_arena_new(pf_context_allocator(t->ctx));
  if (!arena) return pf_no_room(t->ctx, "a branch point");
  Extended x = {.t = t, .n = t->n, .m = (int)m, .size = (int)N};
  x.E = pf_arena_array(arena, double, N*N), x.e = pf_arena_array(arena, double, N);
  x.x = pf_arena_array(arena, double, N);
  x.H = pf_arena_array(arena, double, m*m), x.order = pf_arena_array(arena, int, N);
  PfStatus status = x.E && x.e && x.x && x.H && x.order ? PF_OK : pf_no_room(t->ctx, "a branch point");
  if (status == PF_OK) {
    x.u = x.x, x.p = x.x + m, x.beta = x.x + N - 1;
    memcpy(x.u, u, m*sizeof *u);
    status = iterate(&x);
    memcpy(u, x.u, m*sizeof *u);
    memcpy(p, x.p, n*sizeof *p);
  }
  if (status == PF_ERR_NUMBER) pf_diagnostics_truncate(t->ctx, before);
  pf_arena_free(arena);
  return status;
}

/* ---------------------------------------------------------------- the branches */

/* A direction of a branch has no sign of its own: to larger values of the parameter, or, where the parameter stands
 * still, of the largest component. */
static void orient(double *tangent, size_t m)
{
  if (fabs(tangent[m - 1]) <= 1e-6) pf_orient(tangent, (int)m);
  else if (tangent[m - 1] < 0)
    for (size_t i = 0; i < m; i++) tangent[i] = -tangent[i];
}

/* Singular values s (m) and right vectors, as rows of V (m x m), of J with a row of zeros added, which makes V whole;
 * both in the arena. */
static PfStatus decompose(PfTracer *t, PfArena *arena, double **s, double **V)
{
  const size_t n = (size_t)t->n, m = n + 1;
  double *square, *U;
  PF_TRY(pf_arrays(t->ctx, arena, "a branch point", PF_ROOM(*s, m), PF_ROOM2(*V, m, m), PF_ROOM2(square, m, m),
                   PF_ROOM2(U, m, m)));
  memcpy(square, t->J, n*m*sizeof *square);
  return pf_svd(t->ctx, square, (int)m, (int)m, *s, U, *V);
}

/* By a singular value decomposition of J. At a branch point the tangent is one direction of the kernel, which belongs
 * to neither of the branches in general. */
PfStatus pf_tracer_kernel(PfTracer *t, int *dimension, double *tangent)
{
  const size_t n = (size_t)t->n, m = n + 1;
  double *s, *V;
  PfArena *arena = pf_arena_new(pf_context_allocator(t->ctx));
  PfStatus status = arena ? decompose(t, arena, &s, &V) : pf_no_room(t->ctx, "a branch point");
  if (status == PF_OK) {
    *dimension = n && s[n - 1] <= 1e-8*s[0] ? 2 : 1;
    memcpy(tangent, V + n*m, m*sizeof *tangent);
    orient(tangent, m);
  }
  pf_arena_free(arena);
  return status;
}

/* a^T H b */
static double form(const double *H, const double *a, const double *b, size_t m)
{
  double sum = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < m; k++) sum += a[i]*H[i*m + k]*b[k];
  return sum;
}

/* The last two rows of Vt span the kernel of J at a simple branch point (its smallest singular value is 0, and J has
 * one column more than rows). In it a x^2 + 2 b x y + c y^2 = 0 gives the directions x : y = q : a and c : q. */
static PfStatus find_directions(PfTracer *t, PfArena *arena, const double *p, double *first, double *second, bool *two)
{
  const size_t n = (size_t)t->n, m = n + 1;
  double *s, *V, *H;
  PF_TRY(decompose(t, arena, &s, &V));
  PF_TRY(pf_arrays(t->ctx, arena, "a branch point", PF_ROOM2(H, m, m)));
  const double *u = V + (m - 2)*m, *v = V + (m - 1)*m;
  PF_TRY(find_curvature(t, p, H));
  double a = form(H, u, u, m), b = form(H, u, v, m), c = form(H, v, v, m), d = b*b - a*c;
  *two = d > 1e-12*(a*a + b*b + c*c);
  if (!*two) return PF_OK;
  const double q = -(b + (b >= 0 ? sqrt(d) : -sqrt(d))), own = hypot(q, a), other = hypot(c, q);
  for (size_t i = 0; i < m; i++) {
    first[i] = (q*u[i] + a*v[i])/own;
    second[i] = (c*u[i] + q*v[i])/other;
  }
  if (fabs(first[n]) < fabs(second[n])) pf_exchange(first, second, (int)m, 1); /* which root is which depends on u, v */
  orient(first, m);
  orient(second, m);
  return PF_OK;
}

/* In an arena of its own. The directions have the length 1. */
PfStatus pf_tracer_directions(PfTracer *t, const double *p, double *first, double *second, bool *two)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(t->ctx));
  PfStatus status = arena ? find_directions(t, arena, p, first, second, two) : pf_no_room(t->ctx, "a branch point");
  pf_arena_free(arena);
  return status;
}
