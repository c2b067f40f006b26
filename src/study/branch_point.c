/* SPDX-License-Identifier: Apache-2.0 */
/* Branch points: located by Newton on an extended system, and the directions of the branches that meet there. */
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
  if (k < t->n) {
    pf_dynamics_unit(f, p->unknown[k], s);
  } else {
    int np = f->model->parameter_count, ni = f->model->input_count;
    pf_tape_run(p->chain, f->full, p->slope, p->work);
    memset(s, 0, (size_t)f->count*sizeof *s);
    memcpy(s + f->at_parameters, p->slope, (size_t)np*sizeof *s);
    if (ni) memcpy(s + f->at_inputs, p->slope + np, (size_t)ni*sizeof *s);
  }
  PF_TRY(pf_dynamics_complete(f, s, NULL, f->derived));
  for (int i = 0; i < f->count; i++) s[i] *= t->scale[k];
  return PF_OK;
}

/* p . f_uu[a, b] */
static PfStatus curve(PfTracer *t, const double *p, const double *a, const double *b, double *constant, double *s,
                      double *h)
{
  PfDynamics *f = t->p->field;
  PF_TRY(pf_dynamics_second(f, a, b, constant));
  memset(s, 0, (size_t)f->count*sizeof *s);
  PF_TRY(pf_dynamics_complete(f, s, constant, f->derived));
  pf_dynamics_rate_of(f, s, f->derived, t->p->rate);
  *h = 0;
  for (int i = 0; i < t->n; i++) *h += p[i]*t->p->rate[t->p->equation[i]];
  return PF_OK;
}

static PfStatus find_curvature(PfTracer *t, const double *p, double *H)
{
  size_t m = (size_t)t->n + 1, count = (size_t)t->p->field->count;
  double *seeds = pf_arena_array(t->arena, double, m*count), *s = pf_arena_array(t->arena, double, count);
  double *constant = pf_arena_array(t->arena, double, t->p->field->root_count);
  if (!seeds || !s || !constant) return pf_no_room(t->ctx, "a branch point");
  for (size_t i = 0; i < m; i++) PF_TRY(complete(t, (int)i, seeds + i*count));
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k <= i; k++) {
      PF_TRY(curve(t, p, seeds + i*count, seeds + k*count, constant, s, H + i*m + k));
      H[k*m + i] = H[i*m + k];
    }
  return PF_OK;
}

PfStatus pf_tracer_curvature(PfTracer *t, const double *p, double *H)
{
  PfMark mark = pf_arena_mark(t->arena);
  PfStatus status = find_curvature(t, p, H);
  pf_arena_release(t->arena, mark);
  return status;
}

/* ---------------------------------------------------------------- the point */

typedef struct Extended {
  PfTracer *t;
  int n, m, size;      /* m = n + 1, size = 2 m */
  double *x;           /* unknowns: u (m), p (n), beta */
  double *u, *p, *beta; /* in x */
  double *E, *e, *H;
  int *order;
} Extended;

/* e = -(f + beta p (n), J^T p (m), (p.p - 1)/2) */
static PfStatus extended_residual(void *user, PfMiss *miss)
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
  miss->size = miss->merit = pf_norm(x->e, x->size);
  return PF_OK;
}

static void assemble(const Extended *x)
{
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
}

static PfStatus extended_step(void *user, bool fresh, double *length)
{
  const Extended *x = user;
  (void)fresh;
  PF_TRY(pf_tracer_curvature(x->t, x->p, x->H));
  assemble(x);
  if (!pf_lu_factor(x->E, x->size, x->order)) return PF_ERR_NUMBER;
  pf_lu_solve(x->E, x->size, x->order, x->e);
  *length = pf_norm(x->e, x->size);
  return PF_OK;
}

/* The left vector that J nearly annihilates: the last of its singular vectors. */
static PfStatus left_vector(PfTracer *t, double *p)
{
  size_t n = (size_t)t->n, m = n + 1;
  PfMark mark = pf_arena_mark(t->arena);
  double *s = pf_arena_array(t->arena, double, n), *U = pf_arena_array(t->arena, double, n*n);
  double *V = pf_arena_array(t->arena, double, n*m);
  PfStatus status = s && U && V ? pf_svd(t->ctx, t->J, t->n, (int)m, s, U, V) : pf_no_room(t->ctx, "a branch point");
  for (size_t i = 0; i < n && status == PF_OK; i++) p[i] = U[i*n + n - 1];
  pf_arena_release(t->arena, mark);
  return status;
}

static PfStatus iterate(Extended *x)
{
  const PfNewtonPolicy policy = {.iterations = 20, .enough = -1, .shortest = 1e-13, .negligible = 1e-9, .stall = 0.3,
                                 .patience = 20, .longest = 2};
  const PfNewton newton = {.user = x, .n = x->size, .x = x->x, .step = x->e, .residual = extended_residual,
                           .solve = extended_step};
  PfNewtonResult result = {0};
  PF_TRY(pf_tracer_go(x->t, x->u));
  PF_TRY(left_vector(x->t, x->p));
  PfNewtonEnd end = pf_newton(&newton, &policy, &result);
  if (end == PF_NEWTON_FAILED) return result.status;
  PF_TRY(pf_tracer_go(x->t, x->u)); /* the curvature was taken elsewhere */
  return end == PF_NEWTON_CONVERGED && fabs(*x->beta) < 1e-9 ? PF_OK : PF_ERR_NUMBER;
}

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
  if (status == PF_ERR_NUMBER) pf_diagnostics_cut(t->ctx, before);
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

/* Singular values s (m) and right vectors, as rows of V (m x m), of J with a row of zeros added, which makes V whole.
 * */
static PfStatus decompose(PfTracer *t, PfArena *arena, double *s, double *V)
{
  size_t n = (size_t)t->n, m = n + 1;
  double *square = pf_arena_array(arena, double, m*m), *U = pf_arena_array(arena, double, m*m);
  if (!square || !U) return pf_no_room(t->ctx, "a branch point");
  memcpy(square, t->J, n*m*sizeof *square);
  return pf_svd(t->ctx, square, (int)m, (int)m, s, U, V);
}

PfStatus pf_tracer_kernel(PfTracer *t, int *dimension, double *tangent)
{
  size_t n = (size_t)t->n, m = n + 1;
  PfArena *arena = pf_arena_new(pf_context_allocator(t->ctx));
  if (!arena) return pf_no_room(t->ctx, "a branch point");
  double *s = pf_arena_array(arena, double, m), *V = pf_arena_array(arena, double, m*m);
  PfStatus status = s && V ? decompose(t, arena, s, V) : pf_no_room(t->ctx, "a branch point");
  if (status == PF_OK) {
    *dimension = n && s[n - 1] <= 1e-8*s[0] ? 2 : 1;
    memcpy(tangent, V + n*m, m*sizeof *tangent);
    orient(tangent, m);
  }
  pf_arena_free(arena);
  return status;
}

static double form(const double *H, const double *a, const double *b, size_t m)
{
  double sum = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < m; k++) sum += a[i]*H[i*m + k]*b[k];
  return sum;
}

static void combine(const double *a, double x, const double *b, double y, size_t m, double *out)
{
  double length = hypot(x, y);
  for (size_t i = 0; i < m; i++) out[i] = (x*a[i] + y*b[i])/length;
}

/* The last two rows of Vt span the kernel of J at a simple branch point (its smallest singular value is 0, and J has
 * one column more than rows). In it a x^2 + 2 b x y + c y^2 = 0 gives the directions. */
static PfStatus find_directions(PfTracer *t, PfArena *arena, const double *p, double *first, double *second, bool *two)
{
  size_t n = (size_t)t->n, m = n + 1;
  double *s = pf_arena_array(arena, double, m), *V = pf_arena_array(arena, double, m*m);
  double *H = pf_arena_array(arena, double, m*m);
  if (!s || !V || !H) return pf_no_room(t->ctx, "a branch point");
  PF_TRY(decompose(t, arena, s, V));
  const double *u = V + (m - 2)*m, *v = V + (m - 1)*m;
  PF_TRY(pf_tracer_curvature(t, p, H));
  double a = form(H, u, u, m), b = form(H, u, v, m), c = form(H, v, v, m), d = b*b - a*c;
  *two = d > 1e-12*(a*a + b*b + c*c);
  if (!*two) return PF_OK;
  double q = -(b + (b >= 0 ? sqrt(d) : -sqrt(d))); /* roots x : y are q : a and c : q */
  combine(u, q, v, a, m, first);
  combine(u, c, v, q, m, second);
  if (fabs(first[n]) < fabs(second[n])) { /* which root is which hangs on the basis */
    combine(u, q, v, a, m, second);
    combine(u, c, v, q, m, first);
  }
  orient(first, m);
  orient(second, m);
  return PF_OK;
}

PfStatus pf_tracer_directions(PfTracer *t, const double *p, double *first, double *second, bool *two)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(t->ctx));
  if (!arena) return pf_no_room(t->ctx, "a branch point");
  PfStatus status = find_directions(t, arena, p, first, second, two);
  pf_arena_free(arena);
  return status;
}
