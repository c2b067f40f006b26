/* SPDX-License-Identifier: Apache-2.0 */
/* Reduced equations G omega' = g: by Maggi, and by Tatarinov's laconic form. */
#include "mech/mech_impl.h"

#include <string.h>

/* G and g of `count` equations. */
static PfStatus make_room(PfContext *ctx, PfArena *arena, int count, PfReducedForm *form)
{
  return pf_arrays(ctx, arena, "the reduced equations", PF_ROOM2(form->G, count, count), PF_ROOM(form->g, count));
}

/* ---------------------------------------------------------------- Maggi */

/* v(omega) is put into M and the forces; then come the products with N. */
PfStatus pf_reduce_maggi(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                         PfReducedForm *form)
{
  const PfModel *model = eq->model;
  const int n = eq->n, s = k->count;
  PfExpr *F, *M, *MN;
  PF_TRY(make_room(ctx, arena, s, form));
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM(F, n), PF_ROOM2(M, n, n), PF_ROOM2(MN, n, s)));
  PF_TRY(pf_put_velocities(model, k->v, eq->M, n*n, M));
  for (int i = 0; i < n; i++) {
    F[i] = pf_expr_add(ctx, eq->F[i], eq->C[i]);
    PF_TRY(pf_put_velocities(model, k->v, F + i, 1, F + i));
    for (int j = 0; j < n; j++) F[i] = pf_expr_sub(ctx, F[i], pf_expr_mul(ctx, M[i*n + j], k->drift[j]));
    for (int b = 0; b < s; b++) MN[b*n + i] = pf_combination(ctx, k->N + b, (size_t)s, M + i*n, n);
  }
  for (int a = 0; a < s; a++) {
    form->g[a] = pf_combination(ctx, k->N + a, (size_t)s, F, n);
    for (int b = 0; b < s; b++) form->G[a*s + b] = pf_combination(ctx, k->N + a, (size_t)s, MN + b*n, n);
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- laconic */

/* The ingredients of one equation, index a. */
typedef struct Laconic {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  PfExpr T, L, *p, *Q, *Pi;   /* kinetic energy, Lagrangian, momenta, forces with v(omega) put in; dT/domega */
} Laconic;

/* They are linear in the velocities of their body. */
PfStatus pf_auxiliary_rates(const PfModel *model, const PfExpr *velocity, PfExpr *symbols, PfExpr *rates)
{
  for (int i = 0; i < model->auxiliary_count; i++)
    symbols[i] = model->auxiliaries[i].symbol, rates[i] = model->auxiliaries[i].rate;
  return pf_put_velocities(model, velocity, rates, model->auxiliary_count, rates);
}

/* Derivative of functions of q along a direction f, q_i -> f_i, at constant time. For f = dv/domega_a it is
 * -{P_a, ·}. */
static PfStatus along_direction(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfExpr *f, const PfExpr *e,
                                int count, PfExpr *out)
{
  const PfModel *model = eq->model;
  int n = eq->n, all = n + model->auxiliary_count;
  PfExpr *from, *direction;
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM(from, all), PF_ROOM(direction, all)));
  for (int i = 0; i < n; i++) from[i] = model->coordinates[i].q, direction[i] = f[i];
  PF_TRY(pf_auxiliary_rates(model, direction, from + n, direction + n));
  return pf_expr_derive_along(ctx, e, count, from, direction, all, out);
}

PfStatus pf_along_omega(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, int a,
                        const PfExpr *e, int count, PfExpr *out)
{
  PfExpr *direction;
  PF_TRY(pf_arrays(ctx, arena, "the reduced equations", PF_ROOM(direction, eq->n)));
  for (int i = 0; i < eq->n; i++) direction[i] = k->N[i*k->count + a];
  return along_direction(ctx, arena, eq, direction, e, count, out);
}

/* dv/domega_a, in the arena. */
static PfStatus direction_of(const Laconic *l, int a, PfExpr **f)
{
  PF_TRY(pf_arrays(l->ctx, l->arena, "the reduced equations", PF_ROOM(*f, l->eq->n)));
  for (int i = 0; i < l->eq->n; i++) (*f)[i] = l->k->N[i*l->k->count + a];
  return PF_OK;
}

/* {p_i f_i, p_i g_i} = p_j (g_i df_j/dq_i - f_i dg_j/dq_i) for functions f, g of q. Angular velocities do not commute:
 * they add p.(g x f), with the other sign in the axes of the parent. */
static PfStatus poisson(const Laconic *l, const PfExpr *f, const PfExpr *g, const PfExpr *p, PfExpr *sum)
{
  PfContext *ctx = l->ctx;
  const PfModel *model = l->eq->model;
  const int n = l->eq->n;
  PfExpr *f_along_g, *g_along_f;
  PF_TRY(pf_arrays(ctx, l->arena, "the reduced equations", PF_ROOM(f_along_g, n), PF_ROOM(g_along_f, n)));
  PF_TRY(along_direction(l->ctx, l->arena, l->eq, g, f, n, f_along_g));
  PF_TRY(along_direction(l->ctx, l->arena, l->eq, f, g, n, g_along_f));
  *sum = pf_expr_int(ctx, 0);
  for (int i = 0; i < model->spinning_count; i++) {
    const int first = model->spinnings[i].first;
    PfExpr product[3];
    pf_expr_cross3(ctx, g + first, f + first, product);
    PfExpr term = pf_expr_dot3(ctx, p + first, product);
    *sum = model->spinnings[i].sign > 0 ? pf_expr_add(ctx, *sum, term) : pf_expr_sub(ctx, *sum, term);
  }
  for (int j = 0; j < n; j++)
    *sum = pf_expr_add(ctx, *sum, pf_expr_mul(ctx, p[j], pf_expr_sub(ctx, f_along_g[j], g_along_f[j])));
  return pf_expr_check(ctx);
}

/* dP_a/dt at constant q, omega and p: p_j d/dt dv_j/domega_a. */
static PfStatus explicit_rate(const Laconic *l, const PfExpr *f, const PfExpr *p, PfExpr *sum)
{
  PfContext *ctx = l->ctx;
  const int n = l->eq->n;
  PfExpr *still, *rate;
  PF_TRY(pf_arrays(ctx, l->arena, "the reduced equations", PF_ROOM(still, n), PF_ROOM(rate, n)));
  for (int i = 0; i < n; i++) still[i] = pf_expr_int(ctx, 0);
  PF_TRY(pf_model_derive_along(l->eq->model, still, f, n, rate));
  *sum = pf_combination(ctx, p, 1, rate, n);
  return pf_expr_check(ctx);
}

/* ({P_a, p_i v_i} + dP_a/dt)*: with the momenta put in. */
static PfStatus bracket(const Laconic *l, int a, PfExpr *sum)
{
  PfExpr *f, rate;
  PF_TRY(direction_of(l, a, &f));
  PF_TRY(poisson(l, f, l->k->v, l->p, sum));
  PF_TRY(explicit_rate(l, f, l->p, &rate));
  *sum = pf_expr_add(l->ctx, *sum, rate);
  return PF_OK;
}

/* The change of L* along omega_a, -{P_a, L*}. */
static PfStatus change_of_lagrangian(const Laconic *l, int a, PfExpr *change)
{
  PfExpr *f;
  PF_TRY(direction_of(l, a, &f));
  return along_direction(l->ctx, l->arena, l->eq, f, &l->L, 1, change);
}

/* Kinetic energy, momenta and forces with v(omega) put in (the papers mark this by a star), and the momenta
 * P_a = dT/domega_a. */
static PfStatus prepare(Laconic *l)
{
  const PfEquations *eq = l->eq;
  PfContext *ctx = l->ctx;
  const PfExpr *v = l->k->v;
  const int n = eq->n;
  PF_TRY(pf_arrays(ctx, l->arena, "the reduced equations", PF_ROOM(l->p, n), PF_ROOM(l->Q, n),
                   PF_ROOM(l->Pi, l->k->count)));
  PF_TRY(pf_put_velocities(eq->model, v, &eq->kinetic, 1, &l->T));
  PF_TRY(pf_put_velocities(eq->model, v, eq->momentum, n, l->p));
  for (int i = 0; i < n; i++) l->Q[i] = pf_expr_add(ctx, eq->applied[i], eq->C[i]);
  PF_TRY(pf_put_velocities(eq->model, v, l->Q, n, l->Q));
  l->L = pf_expr_sub(ctx, l->T, eq->potential);
  return pf_expr_gradient(ctx, l->T, l->k->omega, l->k->count, l->Pi);
}

/* Row a: G_ab = d^2T star/domega_a domega_b - p_j d^2v_j/domega_a domega_b, g_a = Q_a + {P_a, p v} - {P_a, L star}
 * - (d/dt dT star/domega_a with omega held). */
PfStatus pf_reduce_laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                           PfReducedForm *form)
{
  Laconic l = {.ctx = ctx, .arena = arena, .eq = eq, .k = k};
  const int n = eq->n, s = k->count;
  PF_TRY(make_room(ctx, arena, s, form));
  PF_TRY(prepare(&l));
  for (int a = 0; a < s; a++) {
    PfExpr g = PF_EXPR_NONE, pull, carried;
    PF_TRY(bracket(&l, a, &g));
    PF_TRY(change_of_lagrangian(&l, a, &pull));
    PF_TRY(pf_model_derive_along(eq->model, k->v, l.Pi + a, 1, &carried));
    g = pf_expr_sub(ctx, pf_expr_add(ctx, g, pull), carried);
    for (int i = 0; i < n; i++) g = pf_expr_add(ctx, g, pf_expr_mul(ctx, l.Q[i], k->N[i*s + a]));
    form->g[a] = g;
    PF_TRY(pf_expr_gradient(ctx, l.Pi[a], k->omega, s, form->G + (size_t)a*(size_t)s));
    for (int b = 0; b < s; b++)
      for (int j = 0; j < n; j++) {
        PfExpr second = pf_expr_diff(ctx, k->N[j*s + a], k->omega[b]);
        form->G[a*s + b] = pf_expr_sub(ctx, form->G[a*s + b], pf_expr_mul(ctx, l.p[j], second));
      }
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- steps of the laconic form */

/* The data of the steps: formal momenta p, independent of the Lagrangian until they are put in. */
typedef struct Formal {
  Laconic l;
  PfDerivation *d;
  PfExpr *p;          /* n symbols */
  PfExpr *free;       /* v at omega = 0 */
  bool linear, affine; /* v is linear in omega, and has a free term */
  int count;          /* of brackets and rates that are not zero */
  struct FormalTerm {
    int a;
    PfBracketEnd second; /* all NULL: the rate d^omega P_a/dt */
    PfExpr value;
  } *terms;
} Formal;

/* Formal momenta p_x, the free term of v, and Y = L* - p_i v_i. */
static PfStatus begin_formal(Formal *x)
{
  const Laconic *l = &x->l;
  PfContext *ctx = l->ctx;
  const int n = l->eq->n, s = l->k->count;
  PfExpr *zeros, L_star;
  PF_TRY(pf_arrays(ctx, l->arena, "the steps", PF_ROOM(x->p, n), PF_ROOM(x->free, n), PF_ROOM(zeros, s),
                   PF_ROOM(x->terms, s*(s + 1)/2 + 2*s)));
  for (int i = 0; i < n; i++)
    PF_TRY(pf_step_symbol(ctx, l->arena, x->d, "p", l->eq->model->coordinates[i].name, x->p + i));
  for (int a = 0; a < s; a++) zeros[a] = pf_expr_int(ctx, 0);
  PF_TRY(pf_expr_substitute(ctx, l->k->v, n, l->k->omega, zeros, s, x->free));
  x->linear = true;
  for (int i = 0; i < n*s; i++) x->linear = x->linear && !pf_expr_depends(ctx, l->k->N[i], l->k->omega, s);
  for (int i = 0; i < n; i++) {
    x->free[i] = pf_expr_simplest(ctx, x->free[i]);
    x->affine = x->affine || (x->linear && !pf_expr_is_structural_zero(ctx, x->free[i]));
  }
  PF_TRY(pf_step_symbol(ctx, l->arena, x->d, "L_star", NULL, &L_star));
  pf_step_begin(x->d, "Function Y = L* - p_i v_i; the p_i are formal momenta, independent of L for now");
  PfExpr Y = pf_expr_sub(ctx, L_star, pf_combination(ctx, x->p, 1, l->k->v, n));
  return pf_step_add(ctx, l->arena, x->d, "Y", NULL, Y);
}

/* P_a = p_i dv_i/domega_a of all pseudo-velocities, and P_0 = p_i v_i at omega = 0. */
static PfStatus formal_sums(Formal *x)
{
  const Laconic *l = &x->l;
  PfContext *ctx = l->ctx;
  pf_step_begin(x->d, !x->linear  ? "Formal momenta of the pseudo-velocities, P_a = p_i dv_i/domega_a"
                      : x->affine ? "Formal momenta of the pseudo-velocities, p_i v_i = P_a omega_a + P_0"
                                  : "Formal momenta of the pseudo-velocities, p_i v_i = P_a omega_a");
  for (int a = 0; a < l->k->count; a++) {
    PfExpr *f;
    PF_TRY(direction_of(l, a, &f));
    PF_TRY(pf_step_add(ctx, l->arena, x->d, "P", l->k->names[a], pf_combination(ctx, x->p, 1, f, l->eq->n)));
  }
  if (!x->affine) return PF_OK;
  return pf_step_add(ctx, l->arena, x->d, "P", "0", pf_combination(ctx, x->p, 1, x->free, l->eq->n));
}

/* Appends a term in its shortest form, unless it is zero. */
static void add_term(Formal *x, int a, PfBracketEnd second, PfExpr value)
{
  value = pf_expr_simplest(x->l.ctx, value);
  if (pf_expr_is_structural_zero(x->l.ctx, value)) return;
  x->terms[x->count++] = (struct FormalTerm){a, second, value};
}

/* The brackets {P_a, P_b} with a < b and {P_a, P_0}, or {P_a, p_i v_i} where v is not linear in omega; then the rates
 * of P_a at constant q and p, dP_a/dt + omega_b' dP_a/domega_b. */
static PfStatus find_terms(Formal *x)
{
  const Laconic *l = &x->l;
  PfContext *ctx = l->ctx;
  const int s = l->k->count;
  PfExpr *f, *g, value;
  for (int a = 0; a < s; a++) {
    PF_TRY(direction_of(l, a, &f));
    for (int b = a + 1; b < s && x->linear; b++) {
      PF_TRY(direction_of(l, b, &g));
      PF_TRY(poisson(l, f, g, x->p, &value));
      add_term(x, a, (PfBracketEnd){.of = l->k->names[b]}, value);
    }
    if (x->affine) {
      PF_TRY(poisson(l, f, x->free, x->p, &value));
      add_term(x, a, (PfBracketEnd){.of = "0"}, value);
    }
    if (x->linear) continue;
    PF_TRY(poisson(l, f, l->k->v, x->p, &value));
    add_term(x, a, (PfBracketEnd){.plain = "p_i v_i", .latex = "p_{i} v_{i}"}, value);
  }
  for (int a = 0; a < s; a++) {
    PF_TRY(direction_of(l, a, &f));
    PF_TRY(explicit_rate(l, f, x->p, &value));
    for (int b = 0; b < s && !x->linear; b++) {
      PF_TRY(pf_arrays(ctx, l->arena, "the steps", PF_ROOM(g, l->eq->n)));
      for (int i = 0; i < l->eq->n; i++) g[i] = pf_expr_diff(ctx, f[i], l->k->omega[b]);
      PfExpr slope = pf_combination(ctx, x->p, 1, g, l->eq->n);
      value = pf_expr_add(ctx, value, pf_expr_mul(ctx, l->k->rate[b], slope));
    }
    add_term(x, a, (PfBracketEnd){0}, value);
  }
  return pf_expr_check(ctx);
}

/* The lines of all brackets, or of all rates, that are not zero, with momenta as they are or (`star`) put in. One line
 * says that there are none. */
static PfStatus write_terms(const Formal *x, bool rates, const char *star)
{
  const Laconic *l = &x->l;
  PfContext *ctx = l->ctx;
  bool some = false;
  for (int i = 0; i < x->count; i++) {
    const struct FormalTerm *t = x->terms + i;
    const char *of = l->k->names[t->a];
    const bool rate = !t->second.of && !t->second.plain;
    PfExpr value = t->value;
    if (rate != rates) continue;
    some = true;
    if (*star) PF_TRY(pf_expr_substitute(ctx, &value, 1, x->p, l->p, l->eq->n, &value));
    if (rate) PF_TRY(pf_step_add(ctx, l->arena, x->d, *star ? "W_star" : "W", of, value));
    else PF_TRY(pf_step_bracket(ctx, l->arena, x->d, of, &t->second, star, value));
  }
  if (some || rates) return PF_OK;
  const PfBracketEnd second = {.plain = "P_b", .latex = "P_{b}"};
  return pf_step_bracket(ctx, l->arena, x->d, "a", &second, star, pf_expr_int(ctx, 0));
}

/* {P_a, L*}: p does not occur in L*, so it is the change of L* along omega_a with the other sign. */
static PfStatus write_lagrangian_brackets(const Formal *x)
{
  const Laconic *l = &x->l;
  const PfBracketEnd L_star = {.plain = "L_star", .latex = "L^{*}"};
  bool some = false;
  pf_step_begin(x->d, "Brackets with L* (zero if not listed)");
  for (int a = 0; a < l->k->count; a++) {
    PfExpr change;
    PF_TRY(change_of_lagrangian(l, a, &change));
    change = pf_expr_simplest(l->ctx, pf_expr_neg(l->ctx, change));
    if (pf_expr_is_structural_zero(l->ctx, change)) continue;
    some = true;
    PF_TRY(pf_step_bracket(l->ctx, l->arena, x->d, l->k->names[a], &L_star, "", change));
  }
  return some ? PF_OK : pf_step_bracket(l->ctx, l->arena, x->d, "a", &L_star, "", pf_expr_int(l->ctx, 0));
}

/* The formal momenta that the brackets contain, by the Lagrangian, and the brackets with these put in. */
static PfStatus put_momenta(const Formal *x)
{
  const Laconic *l = &x->l;
  PfContext *ctx = l->ctx;
  pf_step_begin(x->d, "Only now the momenta that are left: p_i = (dL/dq_i')*");
  for (int i = 0; i < l->eq->n; i++) {
    bool needed = false;
    for (int k = 0; k < x->count; k++) needed = needed || pf_expr_depends(ctx, x->terms[k].value, x->p + i, 1);
    if (needed) PF_TRY(pf_step_add(ctx, l->arena, x->d, "p", l->eq->model->coordinates[i].name, l->p[i]));
  }
  if (!x->count) return PF_OK;
  pf_step_begin(x->d, "The same brackets with these momenta put in");
  return write_terms(x, false, "*");
}

/* Terms beside the forces: B_a = {P_a, p_i v_i}* and, where P_a has such a rate, its d^omega P_a/dt. */
static PfStatus write_sums(const Formal *x)
{
  const Laconic *l = &x->l;
  const int s = l->k->count;
  if (!x->count) return PF_OK;
  pf_step_begin(x->d, x->linear && !x->affine ? "Sums B_a = {P_a, P_b}* omega_b" : "Sums B_a = {P_a, p_i v_i}*");
  for (int a = 0; a < s; a++) {
    PfExpr *f, sum;
    PF_TRY(direction_of(l, a, &f));
    PF_TRY(poisson(l, f, l->k->v, l->p, &sum));
    PF_TRY(pf_step_add(l->ctx, l->arena, x->d, "B", l->k->names[a], sum));
  }
  pf_step_begin(x->d, "Rates W_a with the momenta put in");
  return write_terms(x, true, "*");
}

/* The steps of paper and pencil: energies, constraints, v(omega), L*, then (2.1) to (2.4) of Zobova 2011 in this order,
 * with brackets of formal momenta before the momenta are put in. */
PfStatus pf_steps_of_laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                             PfDerivation *d)
{
  Formal x = {.l = {.ctx = ctx, .arena = arena, .eq = eq, .k = k}, .d = d};
  const Laconic *l = &x.l;
  PF_TRY(prepare(&x.l));
  PF_TRY(pf_steps_of_energies(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_constraints(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_kinematics(ctx, arena, eq, k, d));
  pf_step_begin(d, "Lagrangian with v(omega) put in, L*");
  PF_TRY(pf_step_add(ctx, arena, d, "L_star", NULL, l->L));
  PF_TRY(begin_formal(&x));
  PF_TRY(formal_sums(&x));
  PF_TRY(find_terms(&x));
  pf_step_begin(d, "Poisson brackets {f, g} = -f_p g_q + f_q g_p of these (zero if not listed)");
  PF_TRY(write_terms(&x, false, ""));
  pf_step_begin(d, x.linear ? "Rates W_a = dP_a/dt at constant q and p (zero if not listed)"
                            : "Rates W_a = dP_a/dt + omega_b' dP_a/domega_b at constant q and p (zero if not listed)");
  PF_TRY(write_terms(&x, true, ""));
  PF_TRY(write_lagrangian_brackets(&x));
  PF_TRY(put_momenta(&x));
  PF_TRY(write_sums(&x));
  pf_step_begin(d, "Momenta with v(omega) put in, P_a* = dL*/domega_a");
  for (int a = 0; a < k->count; a++) PF_TRY(pf_step_add(ctx, arena, d, "P_star", k->names[a], l->Pi[a]));
  bool rates = false;
  for (int i = 0; i < x.count; i++) rates = rates || (!x.terms[i].second.of && !x.terms[i].second.plain);
  pf_step_begin(d, rates ? "Applied forces along each omega; the equations are d/dt P_a* + {P_a, L*} = B_a + W_a* + Q_a"
                   : x.count ? "Applied forces along each omega; the equations are d/dt P_a* + {P_a, L*} = B_a + Q_a"
                             : "Applied forces along each omega; the equations are d/dt P_a* + {P_a, L*} = Q_a");
  for (int a = 0; a < k->count; a++) {
    PfExpr sum = pf_combination(ctx, k->N + a, (size_t)k->count, l->Q, eq->n);
    PF_TRY(pf_step_add(ctx, arena, d, "Q", k->names[a], sum));
  }
  return PF_OK;
}
