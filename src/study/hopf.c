/* SPDX-License-Identifier: Apache-2.0 */
/* The first Lyapunov coefficient of a Hopf point: are the cycles that are born stable? Kuznetsov, Elements of Applied
 * Bifurcation Theory, 3rd ed., section 5.4:
 *
 *   l1 = Re( <p, C(q, q, qb)> - 2 <p, B(q, A^-1 B(q, qb))> + <p, B(qb, (2 i w - A)^-1 B(q, q))> )/(2 w),
 *
 *   A q = i w q, A^T p = -i w p, <q, q> = <p, q> = 1.
 *
 * B and C are the second and third derivatives of the vector field, exact (dynamics.h). Complex vectors are pairs of
 * real ones: B and C are linear in each argument. */
#include "study/trace.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double complex Complex;

/* The workspace, in an arena of its own; vectors have n numbers. */
typedef struct Hopf {
  PfContext *ctx;
  PfArena *arena;
  PfProblem *p;
  PfDynamics *f;
  int n;              /* components that are not cyclic */
  int *component;
  double *A;          /* n x n: derivative of the rates of these */
  Complex *q, *left, *b, *c, *sum; /* q, p of the formula, and results of B and C */
  double w;           /* frequency in rad/s: the eigenvalue i w */
} Hopf;

/* ---------------------------------------------------------------- directions in all quantities */

/* A completed direction of the real (part 0) or imaginary (1) part of the vector. */
static PfStatus seed(Hopf *h, const Complex *v, int part, double *s)
{
  PfDynamics *f = h->f;
  double *d = h->p->rate;
  memset(d, 0, (size_t)h->p->size*sizeof *d);
  for (int i = 0; i < h->n; i++) d[h->component[i]] = part ? cimag(v[i]) : creal(v[i]);
  pf_dynamics_direction(f, d, s);
  return pf_dynamics_complete(f, s, NULL, f->derived);
}

/* s12 that belongs to the completed s1, s2. */
static PfStatus second(Hopf *h, const double *s1, const double *s2, double *constant, double *s12)
{
  PF_TRY(pf_dynamics_second(h->f, s1, s2, constant));
  memset(s12, 0, (size_t)h->f->count*sizeof *s12);
  return pf_dynamics_complete(h->f, s12, constant, h->f->derived);
}

/* Adds factor times the rate of the direction that was completed last. */
static void add_rate(Hopf *h, const double *s, Complex factor, Complex *out)
{
  pf_dynamics_rate_of(h->f, s, h->f->derived, h->p->rate);
  for (int i = 0; i < h->n; i++) out[i] += factor*h->p->rate[h->component[i]];
}

/* out = B(a, b) */
static PfStatus bilinear(Hopf *h, const Complex *a, const Complex *b, Complex *out)
{
  const int count = h->f->count;
  double *sa, *sb, *sc, *constant;
  PfMark mark = pf_arena_mark(h->arena);
  PfStatus status = pf_arrays(h->ctx, h->arena, "a Hopf point", PF_ROOM(sa, count), PF_ROOM(sb, count),
                              PF_ROOM(sc, count), PF_ROOM(constant, h->f->root_count));
  for (int i = 0; i < h->n; i++) out[i] = 0;
  for (int x = 0; x < 2 && status == PF_OK; x++)
    for (int y = 0; y < 2 && status == PF_OK; y++) {
      status = seed(h, a, x, sa);
      if (status == PF_OK) status = seed(h, b, y, sb);
      if (status == PF_OK) status = second(h, sa, sb, constant, sc);
      if (status == PF_OK) add_rate(h, sc, (x ? I : 1)*(y ? I : 1), out);
    }
  pf_arena_release(h->arena, mark);
  return status;
}


/* out = C(a, b, c): third derivatives along real directions Z_1, Z_2, Z_3 follow from F_Z Z_123 + F_ZZ[Z_12, Z_3] + … +
 * F_ZZZ[Z_1, Z_2, Z_3] = 0. */
static PfStatus trilinear(Hopf *h, const Complex *a, const Complex *b, const Complex *c, Complex *out)
{
  static const int pairs[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
  PfDynamics *f = h->f;
  const Complex *v[3] = {a, b, c};
  const int count = f->count, roots = f->root_count;
  double *s[3], *pair, *constant, *part, *whole;
  PF_TRY(pf_arrays(h->ctx, h->arena, "a Hopf point", PF_ROOM(s[0], count), PF_ROOM(s[1], count),
                   PF_ROOM(s[2], count), PF_ROOM(pair, count), PF_ROOM(constant, roots), PF_ROOM(part, roots),
                   PF_ROOM(whole, count)));
  for (int i = 0; i < h->n; i++) out[i] = 0;
  for (int bits = 0; bits < 8; bits++) {
    Complex factor = 1;
    for (int k = 0; k < 3; k++) {
      PF_TRY(seed(h, v[k], (bits >> k) & 1, s[k]));
      if ((bits >> k) & 1) factor *= I;
    }
    PF_TRY(pf_dynamics_third(f, s[0], s[1], s[2], constant));
    for (int k = 0; k < 3; k++) {
      PF_TRY(second(h, s[pairs[k][0]], s[pairs[k][1]], part, pair));
      PF_TRY(pf_dynamics_second(f, pair, s[pairs[k][2]], part));
      for (int i = 0; i < roots; i++) constant[i] += part[i];
    }
    memset(whole, 0, (size_t)count*sizeof *whole);
    PF_TRY(pf_dynamics_complete(f, whole, constant, f->derived));
    add_rate(h, whole, factor, out);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- linear algebra */

/* Solves (mu - A) x = b, complex, as a real system of twice the size; the result replaces b. */
static PfStatus resolve(Hopf *h, Complex mu, Complex *b)
{
  const int n = h->n, N = 2*n;
  double *E, *e;
  int *order;
  PfMark mark = pf_arena_mark(h->arena);
  PfStatus status = pf_arrays(h->ctx, h->arena, "a Hopf point", PF_ROOM2(E, N, N), PF_ROOM(e, N), PF_ROOM(order, N));
  if (status == PF_OK) {
    for (int i = 0; i < n; i++) {
      e[i] = creal(b[i]), e[n + i] = cimag(b[i]);
      for (int k = 0; k < n; k++) {
        double re = (i == k ? creal(mu) : 0) - h->A[i*n + k], im = i == k ? cimag(mu) : 0;
        E[i*N + k] = re, E[i*N + n + k] = -im, E[(n + i)*N + k] = im, E[(n + i)*N + n + k] = re;
      }
    }
    if (pf_lu_factor(E, N, order)) pf_lu_solve(E, N, order, e);
    else status = PF_ERR_NUMBER;
    for (int i = 0; i < n && status == PF_OK; i++) b[i] = e[i] + I*e[n + i];
  }
  pf_arena_release(h->arena, mark);
  return status;
}

/* The eigenvector of `matrix` for the pair nearest to the axis. */
static PfStatus eigenvector(Hopf *h, const double *matrix, Complex *v, double *w)
{
  int n = h->n, best = -1;
  double *re, *im, *V;
  PF_TRY(pf_arrays(h->ctx, h->arena, "a Hopf point", PF_ROOM(re, n), PF_ROOM(im, n), PF_ROOM2(V, n, n)));
  PF_TRY(pf_eig_general(h->ctx, matrix, NULL, n, re, im, V));
  for (int k = 0; k < n; k++)
    if (im[k] > 0 && (best < 0 || fabs(re[k]) < fabs(re[best]))) best = k;
  if (best < 0) return PF_ERR_NUMBER;
  for (int i = 0; i < n; i++) v[i] = V[i*n + best] + I*V[i*n + best + 1];
  *w = im[best];
  return PF_OK;
}

/* <a, b> */
static Complex product(const Complex *a, const Complex *b, int n)
{
  Complex sum = 0;
  for (int i = 0; i < n; i++) sum += conj(a[i])*b[i];
  return sum;
}

/* q and p with <q, q> = <p, q> = 1. */
static PfStatus find_vectors(Hopf *h)
{
  int n = h->n;
  double *T, w;
  PF_TRY(pf_arrays(h->ctx, h->arena, "a Hopf point", PF_ROOM2(T, n, n)));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) T[i*n + k] = h->A[k*n + i];
  PF_TRY(eigenvector(h, h->A, h->q, &h->w));
  PF_TRY(eigenvector(h, T, h->left, &w)); /* for +i w: its conjugate belongs to -i w */
  double length = sqrt(creal(product(h->q, h->q, n)));
  for (int i = 0; i < n; i++) h->q[i] /= length, h->left[i] = conj(h->left[i]);
  Complex s = product(h->left, h->q, n);
  for (int i = 0; i < n; i++) h->left[i] /= conj(s);
  return PF_OK;
}

/* ---------------------------------------------------------------- the coefficient */

/* A coefficient that is nothing but rounding of its three terms is zero: higher derivatives decide then. */
static PfStatus coefficient(Hopf *h, double *l1)
{
  static const double rounding = 1e-10;
  int n = h->n;
  Complex *bar = pf_arena_array(h->arena, Complex, n), term[3];
  if (!bar) return pf_no_room(h->ctx, "a Hopf point");
  for (int i = 0; i < n; i++) bar[i] = conj(h->q[i]);
  PF_TRY(trilinear(h, h->q, h->q, bar, h->c));
  term[0] = product(h->left, h->c, n);
  PF_TRY(bilinear(h, h->q, bar, h->b));
  PF_TRY(resolve(h, 0, h->b)); /* (0 - A)^-1 */
  PF_TRY(bilinear(h, h->q, h->b, h->c));
  term[1] = 2*product(h->left, h->c, n);
  PF_TRY(bilinear(h, h->q, h->q, h->b));
  PF_TRY(resolve(h, 2*I*h->w, h->b));
  PF_TRY(bilinear(h, bar, h->b, h->c));
  term[2] = product(h->left, h->c, n);
  const double sum = creal(term[0]) + creal(term[1]) + creal(term[2]);
  const double size = cabs(term[0]) + cabs(term[1]) + cabs(term[2]);
  *l1 = fabs(sum) > rounding*size ? sum/(2*h->w) : 0;
  return PF_OK;
}

/* The matrix of the components that are not cyclic, and its vectors. */
static PfStatus prepare(Hopf *h)
{
  size_t n = (size_t)h->p->size;
  int count;
  PF_TRY(pf_arrays(h->ctx, h->arena, "a Hopf point", PF_ROOM(h->component, n), PF_ROOM2(h->A, n, n),
                   PF_ROOM(h->q, n), PF_ROOM(h->left, n), PF_ROOM(h->b, n), PF_ROOM(h->c, n)));
  for (int k = 0; k < h->p->size; k++)
    if (!h->p->cyclic[k]) h->component[h->n++] = k;
  PF_TRY(pf_problem_matrix(h->p, h->A, NULL, &count));
  return find_vectors(h);
}

/* Positive: the cycles that are born are unstable. It scales with the length of q, which is 1 in the units of the
 * field, so that its sign matters and its value does not. */
PfStatus pf_hopf_coefficient(PfProblem *p, double *frequency, double *l1)
{
  *frequency = *l1 = NAN;
  int before = pf_diagnostic_count(p->ctx);
  Hopf h = {.ctx = p->ctx, .arena = pf_arena_new(pf_context_allocator(p->ctx)), .p = p, .f = p->field};
  if (!h.arena) return pf_no_room(p->ctx, "a Hopf point");
  PfStatus status = prepare(&h);
  if (status == PF_OK) {
    *frequency = h.w;
    status = coefficient(&h, l1);
  }
  pf_arena_free(h.arena);
  if (status != PF_ERR_NUMBER) return status;
  pf_diagnostics_truncate(p->ctx, before); /* left open */
  *l1 = NAN;
  return PF_OK;
}
