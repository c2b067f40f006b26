/* SPDX-License-Identifier: Apache-2.0 */
/* Boltzmann's and Hamel's equations. All velocities are written by as many quasi-velocities, omega_r = alpha_r v + …:
 * the pseudo-velocities of the motion, then the left sides of the constraints, which vanish; v = beta omega + …. With
 * P_r = dT/domega_r of the kinetic energy by all of them, and dT/dpi_a = sum_j beta_ja dT/dq_j,
 *
 *   dP_a/dt - dT/dpi_a + sum_r P_r sum_b gamma^r_ab omega_b = Q_a,
 *   sum_b gamma^r_ab omega_b = sum_j beta_ja (dalpha_rj/dt - domega_r/dq_j)
 *
 * for the pseudo-velocities a; the others are zero after the derivatives were taken. Components of an angular velocity
 * w among the velocities have commutators of their own, as in (lagrange.c): alpha_r.(beta_a x w) in addition. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Quasi {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  int n, s, all;       /* all = s + independent constraints = n */
  const char **names;  /* all: of the speed, of the constraint */
  PfExpr *omega;       /* all: by velocities, coordinates and time */
  PfExpr *symbol;      /* all: its symbol */
  PfExpr *alpha, *beta; /* all x n, n x all */
  PfExpr *gamma;       /* all x s: sum_b gamma^r_ab omega_b */
  PfExpr T, *p, *P, *D, *Q; /* constraints put in: T, n: dT/dq', all: dT/domega_r, s: dT/dpi_a and forces */
} Quasi;

/* ---------------------------------------------------------------- quasi-velocities */

/* omega_a by velocities: its definition, the velocity that it is, or a consequence of the rates. */
static PfStatus list_speeds(Quasi *x)
{
  const PfKinematics *k = x->k;
  const PfModel *model = x->eq->model;
  PfExpr *by_rates;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the quasi-velocities", PF_ROOM(by_rates, model->speed_count)));
  if (!k->definition && model->speed_count) PF_TRY(pf_model_speeds(model, x->arena, by_rates));
  for (int a = 0; a < x->s; a++) {
    x->names[a] = k->names[a];
    x->symbol[a] = k->omega[a];
    x->omega[a] = k->definition ? k->definition[a] : k->omega[a];
    for (int i = 0; i < model->speed_count && !k->definition; i++)
      if (model->speeds[i].symbol == k->omega[a]) x->omega[a] = by_rates[i];
  }
  return PF_OK;
}

/* The constraints that do not follow from others. */
static PfStatus list_constraints(Quasi *x, const PfSamplePoint *sample)
{
  const PfEquations *eq = x->eq;
  PfElimination e;
  PF_TRY(pf_eliminate(x->ctx, x->arena, sample, eq->m, x->n, eq->m, eq->A, eq->b, &e));
  for (int i = 0; i < eq->m; i++) {
    bool own = false;
    for (int r = 0; r < e.rank; r++) own = own || e.row[r] == i;
    if (!own || x->all == x->n) continue;
    const char *stem = pf_arena_print(x->arena, "omega_%s", eq->model->constraints[i].name);
    if (!stem) return pf_no_room(x->ctx, "the quasi-velocities");
    x->names[x->all] = eq->model->constraints[i].name;
    x->symbol[x->all] = pf_expr_symbol(x->ctx, stem);
    x->omega[x->all++] = eq->velocity[i];
  }
  return PF_OK;
}

/* beta: N for the motion; for the constraints r the solution of alpha x = e_r, by elimination of [alpha -1]. */
static PfStatus invert(Quasi *x, PfSamplePoint sample)
{
  PfContext *ctx = x->ctx;
  const int n = x->n, s = x->s, r = n - s;
  PfExpr *rows, *zeros;
  PfElimination e;
  bool *kept;
  PF_TRY(pf_arrays(ctx, x->arena, "the quasi-velocities", PF_ROOM2(rows, n, n + r), PF_ROOM(zeros, n),
                   PF_ROOM(kept, n + r)));
  for (int i = 0; i < n; i++) {
    zeros[i] = pf_expr_int(ctx, 0);
    for (int j = 0; j < n; j++) rows[i*(n + r) + j] = x->alpha[i*n + j];
    for (int j = 0; j < r; j++) rows[i*(n + r) + n + j] = pf_expr_int(ctx, i == s + j ? -1 : 0);
  }
  for (int j = n; j < n + r; j++) kept[j] = true;
  sample.kept = kept;
  PF_TRY(pf_eliminate(ctx, x->arena, &sample, n, n + r, n, rows, zeros, &e));
  if (e.rank < n)
    return pf_fail(ctx, PF_ERR_MODEL, "the pseudo-velocities and the constraints do not determine all velocities");
  for (int i = 0; i < n; i++)
    for (int a = 0; a < s; a++) x->beta[i*n + a] = x->k->N[i*s + a];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < r; j++) {
      int own = e.column[n + j] - n; /* the constraint of this free unknown */
      x->beta[e.column[i]*n + s + own] = pf_expr_simplest(ctx, pf_expr_neg(ctx, e.K[i*r + j]));
    }
  return pf_expr_check(ctx);
}

/* sum_b gamma^r_ab omega_b, with the constraints put in. */
static PfStatus find_gamma(Quasi *x, int r, const PfExpr *turned, int a, PfExpr *gamma)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const int n = x->n, s = x->s;
  PfExpr swept, *column;
  PF_TRY(pf_arrays(ctx, x->arena, "the quasi-velocities", PF_ROOM(column, n)));
  for (int j = 0; j < n; j++) column[j] = x->k->N[j*s + a];
  PF_TRY(pf_along_omega(ctx, x->arena, x->eq, x->k, a, x->omega + r, 1, &swept));
  PF_TRY(pf_put_velocities(model, x->k->v, &swept, 1, &swept));
  *gamma = pf_expr_sub(ctx, pf_combination(ctx, column, 1, turned, n), swept);
  for (int i = 0; i < model->spinning_count; i++) {
    const int first = model->spinnings[i].first;
    PfExpr product[3];
    pf_expr_cross3(ctx, column + first, x->k->v + first, product);
    PfExpr own = pf_expr_dot3(ctx, x->alpha + r*n + first, product);
    *gamma = model->spinnings[i].sign > 0 ? pf_expr_add(ctx, *gamma, own) : pf_expr_sub(ctx, *gamma, own);
  }
  *gamma = pf_expr_simplest(ctx, *gamma);
  return pf_expr_check(ctx);
}

/* Energy, momenta, slopes and forces with the constraints put in. */
static PfStatus find_terms(Quasi *x)
{
  const PfKinematics *k = x->k;
  const PfModel *model = x->eq->model;
  PF_TRY(pf_put_velocities(model, k->v, &x->eq->kinetic, 1, &x->T));
  PF_TRY(pf_put_velocities(model, k->v, x->eq->momentum, x->n, x->p));
  PF_TRY(pf_expr_gradient(x->ctx, x->T, k->omega, x->s, x->P));
  for (int r = x->s; r < x->all; r++) x->P[r] = pf_combination(x->ctx, x->beta + r, (size_t)x->n, x->p, x->n);
  for (int a = 0; a < x->s; a++)
    PF_TRY(pf_along_omega(x->ctx, x->arena, x->eq, k, a, &x->T, 1, x->D + a));
  PF_TRY(pf_reduced_forces(x->ctx, x->arena, x->eq, k, x->Q));
  return pf_expr_check(x->ctx);
}

/* Velocities must be linear in the quasi-velocities, and these in velocities. */
static PfStatus check_linear(const Quasi *x)
{
  for (int i = 0; i < x->n*x->s; i++)
    if (pf_expr_depends(x->ctx, x->k->N[i], x->k->omega, x->s))
      return pf_fail(x->ctx, PF_ERR_MODEL, "Boltzmann's and Hamel's equations need velocities that are linear in the "
                     "pseudo-velocities");
  for (int i = 0; i < x->eq->m; i++) {
    const PfConstraint *c = x->eq->model->constraints + i;
    if (c->kind == PF_ACCELERATION || c->kind == PF_NONLINEAR)
      return pf_fail_at(x->ctx, PF_ERR_MODEL, c->place, "Boltzmann's and Hamel's equations need constraints that are "
                        "linear in the velocities, which '%s' is not", c->name);
  }
  return PF_OK;
}

/* All of it. */
static PfStatus prepare(Quasi *x)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const int n = x->n = x->eq->n, s = x->s = x->all = x->k->count;
  PfSamplePoint sample;
  PfExpr *turned;
  PF_TRY(check_linear(x));
  PF_TRY(pf_arrays(ctx, x->arena, "the quasi-velocities", PF_ROOM(x->names, n), PF_ROOM(x->omega, n),
                   PF_ROOM(x->symbol, n), PF_ROOM2(x->alpha, n, n), PF_ROOM2(x->beta, n, n), PF_ROOM2(x->gamma, n, s),
                   PF_ROOM(x->p, n), PF_ROOM(x->P, n), PF_ROOM(x->D, s), PF_ROOM(x->Q, s), PF_ROOM(turned, n)));
  PF_TRY(pf_equations_sample(ctx, x->arena, x->eq, &sample));
  PF_TRY(list_speeds(x));
  PF_TRY(list_constraints(x, &sample));
  if (x->all < n)
    return pf_fail(ctx, PF_ERR_MODEL, "there are %d pseudo-velocities and independent constraints for %d velocities",
                   x->all, n);
  for (int r = 0; r < n; r++) {
    PF_TRY(pf_velocity_gradient(model, x->omega[r], x->alpha + r*n));
    for (int j = 0; j < n; j++) x->alpha[r*n + j] = pf_expr_simplest(ctx, x->alpha[r*n + j]);
  }
  PF_TRY(invert(x, sample));
  PF_TRY(find_terms(x));
  for (int r = 0; r < n; r++) {
    PF_TRY(pf_model_derive_along(model, x->k->v, x->alpha + r*n, n, turned));
    for (int a = 0; a < s; a++) PF_TRY(find_gamma(x, r, turned, a, x->gamma + r*s + a));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the equations */

/* G = d^2T/domega^2, g_a = Q_a + dT/dpi_a - sum_r P_r gamma_ra - (dP_a/dt at constant omega). */
PfStatus pf_reduce_boltzmann_hamel(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                   PfReducedForm *form)
{
  Quasi x = {.ctx = ctx, .arena = arena, .eq = eq, .k = k};
  const int s = k->count;
  PF_TRY(prepare(&x));
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM2(form->G, s, s), PF_ROOM(form->g, s)));
  for (int a = 0; a < s; a++) {
    PfExpr carried, sum = pf_combination(ctx, x.gamma + a, (size_t)s, x.P, x.n);
    PF_TRY(pf_model_derive_along(eq->model, k->v, x.P + a, 1, &carried));
    PF_TRY(pf_expr_gradient(ctx, x.P[a], k->omega, s, form->G + (size_t)a*(size_t)s));
    form->g[a] = pf_expr_sub(ctx, pf_expr_add(ctx, x.Q[a], x.D[a]), pf_expr_add(ctx, sum, carried));
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- steps */

/* The kinetic energy by all quasi-velocities, before any of them is zero: v + beta_r omega_r for the constraints r. */
static PfStatus write_energy(const Quasi *x, PfDerivation *d)
{
  PfExpr *v, T;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the quasi-velocities", PF_ROOM(v, x->n)));
  for (int i = 0; i < x->n; i++) {
    v[i] = x->k->v[i];
    for (int r = x->s; r < x->n; r++)
      v[i] = pf_expr_add(x->ctx, v[i], pf_expr_mul(x->ctx, x->beta[i*x->n + r], x->symbol[r]));
  }
  pf_step_begin(d, "Velocities by all quasi-velocities");
  for (int i = 0; i < x->n; i++)
    PF_TRY(pf_step_add(x->ctx, x->arena, d, "v", x->eq->model->coordinates[i].name, v[i]));
  PF_TRY(pf_put_velocities(x->eq->model, v, &x->eq->kinetic, 1, &T));
  pf_step_begin(d, "Kinetic energy by all quasi-velocities");
  return pf_step_add(x->ctx, x->arena, d, "T", "omega", T);
}

/* Quasi-velocities, inverse, energy, momenta, gamma, and the terms of the equations. */
PfStatus pf_steps_of_boltzmann_hamel(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                     PfDerivation *d)
{
  Quasi x = {.ctx = ctx, .arena = arena, .eq = eq, .k = k};
  PF_TRY(prepare(&x));
  PF_TRY(pf_steps_of_energies(ctx, arena, eq, d));
  pf_step_begin(d, "Quasi-velocities omega: those of the motion, then those that the constraints make zero");
  for (int r = 0; r < x.n; r++) PF_TRY(pf_step_add(ctx, arena, d, "omega", x.names[r], x.omega[r]));
  PF_TRY(write_energy(&x, d));
  pf_step_begin(d, "Momenta P_r = dT/domega_r, in which the constraints are put in after the derivative");
  for (int r = 0; r < x.n; r++) PF_TRY(pf_step_add(ctx, arena, d, "P", x.names[r], x.P[r]));
  pf_step_begin(d, "Hamel's coefficients gamma_ra = sum_b gamma^r_ab omega_b; those that are not zero");
  for (int r = 0; r < x.n; r++)
    for (int a = 0; a < x.s; a++)
      PF_TRY(pf_step_entry(ctx, arena, d, "gamma", x.names[r], x.names[a], x.gamma[r*x.s + a]));
  pf_step_begin(d, "Slopes D_a = dT/dpi_a = sum_j beta_ja dT/dq_j");
  for (int a = 0; a < x.s; a++) PF_TRY(pf_step_add(ctx, arena, d, "D", x.names[a], x.D[a]));
  pf_step_begin(d, "Forces along each omega, the potential among them; the equations are dP_a/dt + sum_r P_r gamma_ra "
                "= D_a + Q_a");
  for (int a = 0; a < x.s; a++) PF_TRY(pf_step_add(ctx, arena, d, "Q", x.names[a], x.Q[a]));
  return PF_OK;
}
