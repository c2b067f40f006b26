/* SPDX-License-Identifier: Apache-2.0 */
/* Hamilton's canonical equations with the forces of constraints:
 *
 *   p = dT/dq' = M q' + p0,   H = (p - p0).M^-1 (p - p0)/2 - T0 + V
 *   q' = dH/dp,   p' = -dH/dq + Q + A^T lambda,   f(q, q', t) = 0
 *
 * with T0 the rest of T where q' = 0. Multipliers follow from the differentiated constraints,
 * A M^-1 A^T lambda = b - A a with the accelerations a = M^-1 (F + C) without constraints, all by q and p. Where the
 * inverse of M is too long to be written, M q' = p - p0 stays as it is, and slopes are those of the Lagrangian,
 * -dH/dq = dL/dq. */
#include "mech/mech_impl.h"
#include "mech/solved.h"

#include <string.h>

typedef struct Hamilton {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  int n, m;
  PfExpr *p, *rate; /* symbols of the momenta and of their rates */
  PfExpr *zero_p;   /* p - p0 */
  PfExpr *v;        /* q' by q and p; or the symbols q' */
  bool solved;
  PfExpr *slope;    /* -dH/dq by q and p, or dL/dq */
  PfExpr *Q;        /* likewise */
} Hamilton;

/* e with the velocities by momenta. */
static PfStatus by_momenta(const Hamilton *x, const PfExpr *e, int count, PfExpr *out)
{
  return pf_put_velocities(x->eq->model, x->v, e, count, out);
}

/* Names p_x that nothing else has. */
static PfStatus name_momenta(Hamilton *x)
{
  for (int i = 0; i < x->n; i++) {
    const char *name, *stem = pf_arena_print(x->arena, "p_%s", x->eq->model->coordinates[i].name);
    if (!stem) return pf_no_room(x->ctx, "the momenta");
    PF_TRY(pf_model_free_name(x->eq->model, x->arena, stem, x->p, i, &name, x->p + i));
    x->rate[i] = pf_rate_symbol(x->ctx, x->p[i]);
  }
  return pf_expr_check(x->ctx);
}

/* y of X y = r, by closed fractions; *all is false where some of them are too long and PF_EXPR_NONE. */
static PfStatus solve_short(const Hamilton *x, const PfExpr *X, int n, const PfExpr *r, PfExpr *y, bool *all)
{
  return pf_solve_symmetric(&(PfSymmetric){.ctx = x->ctx, .arena = x->arena, .X = X, .n = n}, r, y, all);
}

/* q' by momenta, slopes and forces. */
static PfStatus prepare(Hamilton *x)
{
  enum { LONG = 1500 };
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const int n = x->n = x->eq->n;
  x->m = x->eq->m;
  PfExpr *p0, *by, L;
  PF_TRY(pf_arrays(ctx, x->arena, "the momenta", PF_ROOM(x->p, n), PF_ROOM(x->rate, n), PF_ROOM(x->zero_p, n),
                   PF_ROOM(x->v, n), PF_ROOM(x->slope, n), PF_ROOM(x->Q, n), PF_ROOM(p0, n), PF_ROOM(by, n)));
  PF_TRY(name_momenta(x));
  PF_TRY(pf_put_velocities(model, NULL, x->eq->momentum, n, p0));
  for (int i = 0; i < n; i++) {
    x->v[i] = model->coordinates[i].v;
    x->zero_p[i] = pf_expr_sub(ctx, x->p[i], pf_expr_simplest(ctx, p0[i]));
    x->Q[i] = pf_expr_add(ctx, x->eq->applied[i], x->eq->C[i]);
  }
  L = pf_expr_sub(ctx, x->eq->kinetic, x->eq->potential);
  PF_TRY(pf_model_gradient(model, L, x->slope));
  PF_TRY(solve_short(x, x->eq->M, n, x->zero_p, by, &x->solved));
  for (int i = 0; i < n && x->solved; i++) x->solved = pf_expr_length(ctx, by[i]) <= LONG;
  if (x->solved) memcpy(x->v, by, (size_t)n*sizeof *by);
  PF_TRY(by_momenta(x, x->slope, n, x->slope));
  PF_TRY(by_momenta(x, x->Q, n, x->Q));
  return pf_expr_check(ctx);
}

/* H, for readers. */
static PfStatus hamiltonian(const Hamilton *x, PfExpr *H)
{
  PfContext *ctx = x->ctx;
  PfExpr T0, half = pf_expr_rational(ctx, 1, 2);
  PF_TRY(pf_put_velocities(x->eq->model, NULL, &x->eq->kinetic, 1, &T0));
  *H = pf_expr_sub(ctx, x->eq->potential, T0);
  for (int i = 0; i < x->n; i++) {
    PfExpr factors[3] = {half, x->zero_p[i], x->v[i]};
    *H = pf_expr_add(ctx, *H, pf_expr_product(ctx, factors, 3));
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- equations */

/* q' = dH/dp, or M q' = p - p0; then p' = -dH/dq + Q + A^T lambda. */
static PfStatus write_motion(const Hamilton *x, PfDerivation *d)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  PfExpr *A, *lambda;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM2(A, x->m, x->n), PF_ROOM(lambda, x->m)));
  PF_TRY(by_momenta(x, x->eq->A, x->m*x->n, A));
  for (int i = 0; i < x->m*x->n; i++) A[i] = pf_expr_simplest(ctx, A[i]);
  for (int k = 0; k < x->m; k++) lambda[k] = model->constraints[k].multiplier;
  for (int i = 0; i < x->n; i++) {
    const PfCoordinate *c = model->coordinates + i;
    PfEquation *own = d->equations + i, *momentum = own + x->n;
    *own = (PfEquation){c->name, c->v, pf_expr_simplest(ctx, x->v[i])};
    if (!x->solved) {
      PfExpr left = pf_expr_int(ctx, 0);
      for (int j = 0; j < x->n; j++) {
        PfExpr entry = pf_expr_simplest(ctx, x->eq->M[i*x->n + j]);
        left = pf_expr_add(ctx, left, pf_expr_mul(ctx, entry, model->coordinates[j].v));
      }
      *own = (PfEquation){c->name, left, x->zero_p[i]};
    }
    PfExpr force = pf_expr_simplest(ctx, pf_expr_add(ctx, x->slope[i], x->Q[i]));
    PfExpr ideal = pf_combination(ctx, A + i, (size_t)x->n, lambda, x->m);
    *momentum = (PfEquation){c->name, x->rate[i], pf_expr_add(ctx, force, ideal)};
  }
  return pf_expr_check(ctx);
}

/* Does an expression contain a multiplier: by friction? */
static bool has_multipliers(const Hamilton *x, const PfExpr *e, int count)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < x->m; k++)
      if (pf_expr_depends(x->ctx, e[i], &x->eq->model->constraints[k].multiplier, 1)) return true;
  return false;
}

/* S = A M^-1 A^T and e = b - A M^-1 (F + C), by q and p; `found` is false where M has no short inverse. */
static PfStatus differentiate_constraints(const Hamilton *x, PfExpr *S, PfExpr *e, bool *found)
{
  PfContext *ctx = x->ctx;
  const int n = x->n, m = x->m;
  const PfExpr *A = x->eq->A;
  PfExpr *load, *a, *Y;
  *found = x->solved;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM(load, n), PF_ROOM(a, n), PF_ROOM2(Y, m, n)));
  for (int i = 0; i < n; i++) load[i] = pf_expr_add(ctx, x->eq->F[i], x->eq->C[i]);
  if (*found) PF_TRY(solve_short(x, x->eq->M, n, load, a, found));
  for (int k = 0; k < m && *found; k++) PF_TRY(solve_short(x, x->eq->M, n, A + k*n, Y + k*n, found));
  for (int k = 0; k < m && *found; k++) {
    e[k] = pf_expr_sub(ctx, x->eq->b[k], pf_combination(ctx, A + k*n, 1, a, n));
    for (int l = 0; l < m; l++) S[k*m + l] = pf_combination(ctx, A + k*n, 1, Y + l*n, n);
  }
  if (!*found) return PF_OK;
  PF_TRY(by_momenta(x, S, m*m, S));
  PF_TRY(by_momenta(x, e, m, e));
  for (int i = 0; i < m*m; i++) S[i] = pf_expr_simplest(ctx, S[i]);
  for (int k = 0; k < m; k++) e[k] = pf_expr_simplest(ctx, e[k]);
  return pf_expr_check(ctx);
}

/* The multipliers by q and p, or S lambda = e where their solution is long or e contains them; rows from `at` on.
 * `written` is false where even that is too long. */
static PfStatus write_multipliers(const Hamilton *x, PfEquation *at, bool *written)
{
  enum { LONG = 1500, LONG_ROW = 4000 };
  PfContext *ctx = x->ctx;
  const PfConstraint *c = x->eq->model->constraints;
  const int m = x->m;
  bool short_enough;
  PfExpr *S, *e, *lambda, *multipliers;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM2(S, m, m), PF_ROOM(e, m), PF_ROOM(lambda, m),
                   PF_ROOM(multipliers, m)));
  for (int k = 0; k < m; k++) multipliers[k] = c[k].multiplier;
  PF_TRY(differentiate_constraints(x, S, e, written));
  if (!*written) return PF_OK;
  PF_TRY(solve_short(x, S, m, e, lambda, &short_enough));
  short_enough = short_enough && !has_multipliers(x, e, m);
  for (int k = 0; k < m && short_enough; k++) short_enough = pf_expr_length(ctx, lambda[k]) <= LONG;
  for (int k = 0; k < m; k++) {
    at[k] = (PfEquation){pf_expr_symbol_name(ctx, multipliers[k]), multipliers[k], lambda[k]};
    if (short_enough) continue;
    at[k].left = pf_combination(ctx, S + k*m, 1, multipliers, m);
    at[k].right = e[k];
    *written = *written && pf_expr_length(ctx, e[k]) <= LONG_ROW;
  }
  return pf_expr_check(ctx);
}

/* The way: energies, momenta, velocities by them, H, slopes and constraint forces. */
static PfStatus write_steps(const Hamilton *x, PfDerivation *d)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  PfExpr H;
  PF_TRY(pf_steps_of_energies(ctx, x->arena, x->eq, d));
  pf_step_begin(d, "Momenta p = dT/dq'");
  for (int i = 0; i < x->n; i++)
    PF_TRY(pf_step_add(ctx, x->arena, d, "p", model->coordinates[i].name, x->eq->momentum[i]));
  PF_TRY(pf_steps_of_constraints(ctx, x->arena, x->eq, d));
  if (x->solved) {
    pf_step_begin(d, "Velocities by momenta");
    for (int i = 0; i < x->n; i++) PF_TRY(pf_step_add(ctx, x->arena, d, "v", model->coordinates[i].name, x->v[i]));
    PF_TRY(hamiltonian(x, &H));
    pf_step_begin(d, "Hamiltonian H = p.q' - T + V by coordinates and momenta");
    PF_TRY(pf_step_add(ctx, x->arena, d, "H", NULL, H));
  }
  pf_step_begin(d, x->solved ? "Slopes -dH/dq" : "Slopes -dH/dq = d(T - V)/dq, by velocities");
  for (int i = 0; i < x->n; i++) PF_TRY(pf_step_add(ctx, x->arena, d, "D", model->coordinates[i].name, x->slope[i]));
  pf_step_begin(d, "Forces of the constraints A^T lambda; the equations are q' = dH/dp, p' = -dH/dq + Q + A^T lambda");
  for (int i = 0; i < x->n; i++) {
    PfExpr sum = pf_expr_int(ctx, 0);
    for (int k = 0; k < x->m; k++)
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, x->eq->A[k*x->n + i], model->constraints[k].multiplier));
    PF_TRY(pf_step_entry(ctx, x->arena, d, "Fc", model->coordinates[i].name, NULL, sum));
  }
  return PF_OK;
}

/* Components of angular velocities have no momenta of this kind. */
static PfStatus check_coordinates(PfContext *ctx, const PfEquations *eq)
{
  if (!eq->model->spinning_count) return PF_OK;
  pf_fail_at(ctx, PF_ERR_MODEL, eq->by_quaternions->model->balls[0].place,
             "Hamilton's canonical equations need coordinates; the angular velocity of '%s' is not the derivative of "
             "coordinates", eq->by_quaternions->model->balls[0].name);
  pf_hint(ctx, "place the body by turns about axes, or use @form{boltzmann_hamel}");
  return PF_ERR_MODEL;
}

/* Unknowns: velocities, rates of momenta, multipliers. */
PfStatus pf_derive_hamilton(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                            PfDerivation *d)
{
  Hamilton x = {.ctx = ctx, .arena = arena, .eq = eq};
  const PfModel *model = eq->model;
  const int n = eq->n, m = eq->m;
  bool written;
  int count = 2*n, conditions = 0;
  PF_TRY(check_coordinates(ctx, eq));
  PF_TRY(prepare(&x));
  d->momentum_count = n;
  d->momenta = x.p;
  d->unknown_count = 2*n + m;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(d->unknowns, 2*n + m), PF_ROOM(d->equations, 2*n + 2*m)));
  for (int i = 0; i < n; i++) d->unknowns[i] = model->coordinates[i].v, d->unknowns[n + i] = x.rate[i];
  for (int k = 0; k < m; k++) d->unknowns[2*n + k] = model->constraints[k].multiplier;
  PF_TRY(write_motion(&x, d));
  d->motion_count = count;
  for (int k = 0; k < m; k++) { /* on velocities, by momenta */
    PfExpr left;
    if (eq->velocity[k] == PF_EXPR_NONE) continue;
    PF_TRY(by_momenta(&x, eq->velocity + k, 1, &left));
    d->equations[count++] = (PfEquation){model->constraints[k].name, pf_expr_simplest(ctx, left), pf_expr_int(ctx, 0)};
    conditions++;
  }
  pf_derivation_section(d, "Constraints", conditions);
  PF_TRY(write_multipliers(&x, d->equations + count, &written));
  if (written) {
    count += m;
    pf_derivation_section(d, "Multipliers, by the differentiated constraints", m);
  }
  d->equation_count = count;
  PF_TRY(pf_expr_check(ctx));
  pf_expr_set_budget(ctx, PF_DERIVE_BUDGET);
  return o->steps ? write_steps(&x, d) : PF_OK;
}

/* ---------------------------------------------------------------- proof */

/* q'(p(q, q')) - q', where velocities are solved for; p' - slopes - Q without M q'' - F - C. */
PfStatus pf_hamilton_difference(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfExpr *difference)
{
  Hamilton x = {.ctx = ctx, .arena = arena, .eq = eq};
  const int n = eq->n;
  PfExpr rate, *right;
  PF_TRY(check_coordinates(ctx, eq));
  PF_TRY(prepare(&x));
  PF_TRY(pf_arrays(ctx, arena, "the momenta", PF_ROOM(right, n)));
  for (int i = 0; i < n; i++) {
    difference[i] = pf_expr_sub(ctx, x.v[i], eq->model->coordinates[i].v);
    right[i] = pf_expr_add(ctx, x.slope[i], x.Q[i]);
  }
  PF_TRY(pf_expr_substitute(ctx, difference, n, x.p, eq->momentum, n, difference));
  PF_TRY(pf_expr_substitute(ctx, right, n, x.p, eq->momentum, n, right));
  for (int i = 0; i < n; i++) {
    PfExpr lagrange = pf_expr_neg(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]));
    for (int j = 0; j < n; j++)
      lagrange = pf_expr_add(ctx, lagrange, pf_expr_mul(ctx, eq->M[i*n + j], eq->model->coordinates[j].a));
    PF_TRY(pf_model_time_derivative(eq->model, eq->momentum + i, 1, &rate));
    difference[n + i] = pf_expr_sub(ctx, pf_expr_sub(ctx, rate, right[i]), lagrange);
  }
  return pf_expr_check(ctx);
}
