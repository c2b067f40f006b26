/* SPDX-License-Identifier: Apache-2.0 */
/* Equations in independent velocities w_a, with the constraints put into the kinetic energy, q_i' = v_i(w, q, t) for
 * the dependent coordinates i, B_ia = dv_i/dw_a, T* = T with these, p_i = dT/dq_i' with these:
 *
 *   (dT star/dw_a)' = dT star/dq_a + sum_i B_ia dT star/dq_i + sum_i p_i Gamma_ia + Q_a          Voronets
 *   Gamma_ia = dB_ia/dt - dv_i/dq_a - sum_j B_ja dv_i/dq_j
 *
 * Chaplygin's equations are these where the dependent coordinates occur nowhere and the constraints are homogeneous
 * and free of the time: Gamma_ia = sum_b (dB_ia/dq_b - dB_ib/dq_a) w_b. Without the terms in Gamma, which come from
 * velocities that are not derivatives of coordinates, they are wrong: Hamel's warning. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- independent coordinates */

/* Is w_a the velocity of coordinate i for some a? */
static bool is_independent(const PfKinematics *k, int i)
{
  for (int a = 0; a < k->count; a++)
    if (k->independent[a] == i) return true;
  return false;
}

/* Angular velocities are not derivatives of coordinates. */
static PfStatus check_coordinates(PfContext *ctx, const PfEquations *eq, const char *form)
{
  if (!eq->model->spinning_count) return PF_OK;
  pf_fail_at(ctx, PF_ERR_MODEL, eq->by_quaternions->model->balls[0].place,
             "'%s' needs coordinates whose velocities are independent; the angular velocity of '%s' is not the "
             "derivative of coordinates", form, eq->by_quaternions->model->balls[0].name);
  pf_hint(ctx, "@form{boltzmann_hamel} is the same for angular velocities");
  return PF_ERR_MODEL;
}

/* Dependent velocities must follow linearly from the others. */
static PfStatus check_linear(PfContext *ctx, const PfEquations *eq, const char *form)
{
  for (int i = 0; i < eq->m; i++) {
    const PfConstraint *c = eq->model->constraints + i;
    if (c->kind != PF_ACCELERATION && c->kind != PF_NONLINEAR) continue;
    pf_fail_at(ctx, PF_ERR_MODEL, c->place, "'%s' needs constraints that are linear in the velocities, which '%s' is "
               "not", form, c->name);
    pf_hint(ctx, "@form{rosenberg} and @form{multipliers} need no such constraints");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* Velocities of the coordinates that the user names, or that an elimination leaves. */
static PfStatus find_independent(PfContext *ctx, PfArena *arena, const PfEquations *eq, const char *form,
                                 const char *names, PfKinematics *k)
{
  int rank, found, asked = 0;
  bool *kept;
  PF_TRY(check_coordinates(ctx, eq, form));
  PF_TRY(check_linear(ctx, eq, form));
  PF_TRY(pf_kinematics_by_coordinates(ctx, arena, eq, NULL, k, &rank));
  if (!names) return PF_OK;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(kept, eq->n)));
  PF_TRY(pf_independent_read(ctx, eq->model, names, kept, &asked));
  if (asked != eq->n - rank)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@independent names %d coordinate%s, but %d velocities are independent", asked,
                   asked == 1 ? "" : "s", eq->n - rank);
  PF_TRY(pf_kinematics_by_coordinates(ctx, arena, eq, kept, k, &found));
  if (found == rank) return PF_OK;
  return pf_fail(ctx, PF_ERR_MODEL, "@independent: the constraints cannot be solved for the velocities that are left");
}

/* Voronets' equations and the wrong ones hold, or not, for any choice. */
PfStatus pf_kinematics_voronets(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                                PfKinematics *k)
{
  return find_independent(ctx, arena, eq, o->form, o->independent, k);
}

/* ---------------------------------------------------------------- Chaplygin's conditions */

/* Is the derivative of e by the symbol zero, after simplification where it must be? */
static bool is_free_of(PfContext *ctx, PfExpr e, PfExpr symbol)
{
  if (!pf_expr_depends(ctx, e, &symbol, 1)) return true;
  return pf_expr_is_probably_zero(ctx, pf_expr_diff(ctx, e, symbol), 2) == PF_TRUE;
}

/* Where the coordinate i occurs, in words; NULL: nowhere but in the velocities of others. */
static const char *in_energies(PfContext *ctx, const PfEquations *eq, int i)
{
  PfExpr q = eq->model->coordinates[i].q;
  if (!is_free_of(ctx, eq->kinetic, q)) return "the kinetic energy";
  if (!is_free_of(ctx, eq->potential, q)) return "the potential energy";
  for (int j = 0; j < eq->n; j++)
    if (!is_free_of(ctx, pf_expr_add(ctx, eq->applied[j], eq->C[j]), q)) return "the applied forces";
  return NULL;
}

/* Does it occur in the constraints? */
static bool in_constraints(PfContext *ctx, const PfEquations *eq, int i)
{
  for (int c = 0; c < eq->m; c++)
    if (!is_free_of(ctx, eq->velocity[c], eq->model->coordinates[i].q)) return true;
  return false;
}

/* The conditions for these independent velocities: dependent coordinates occur nowhere, dependent velocities are
 * homogeneous in the others and free of the time. */
static PfStatus check_chaplygin(PfContext *ctx, const PfEquations *eq, const PfKinematics *k)
{
  const PfModel *model = eq->model;
  PfExpr rest;
  for (int i = 0; i < eq->n; i++) {
    const char *name = model->coordinates[i].name, *where;
    if (is_independent(k, i)) continue;
    PF_TRY(pf_put_velocities(model, NULL, k->v + i, 1, &rest));
    if (!pf_expr_is_structural_zero(ctx, pf_expr_simplest(ctx, rest))) {
      pf_fail(ctx, PF_ERR_MODEL, "Chaplygin's equations need constraints that are homogeneous in the velocities: %s' "
              "does not vanish with the independent velocities", name);
      pf_hint(ctx, "@form{voronets} holds for them too");
      return PF_ERR_MODEL;
    }
    bool timed = !is_free_of(ctx, k->v[i], model->time);
    for (int j = 0; j < model->input_count; j++) timed = timed || !is_free_of(ctx, k->v[i], model->inputs[j].symbol);
    if (timed) {
      pf_fail(ctx, PF_ERR_MODEL, "Chaplygin's equations need constraints that do not change with time, as that for "
              "%s' does", name);
      pf_hint(ctx, "@form{voronets} holds for them too");
      return PF_ERR_MODEL;
    }
    where = in_energies(ctx, eq, i);
    for (int j = 0; j < eq->n && !where; j++)
      if (!is_free_of(ctx, k->v[j], model->coordinates[i].q)) where = "the dependent velocities";
    if (!where) continue;
    pf_fail(ctx, PF_ERR_MODEL, "Chaplygin's equations need dependent coordinates that occur neither in energies and "
            "forces nor in the constraints; '%s' occurs in %s", name, where);
    pf_hint(ctx, "@form{voronets} holds there too; @independent chooses other dependent coordinates");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* A warning where velocities are not determined at the start by those of the independent coordinates. */
static PfStatus warn_at_start(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k)
{
  PfSymbols in;
  double *start, value;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &in));
  PF_TRY(pf_start_values(ctx, arena, eq, in.count, &start));
  for (int i = 0; i < k->divisor_count && start; i++) {
    PF_TRY(pf_expr_evaluate(ctx, k->divisors + i, 1, in.symbol, start, in.count, &value));
    if (fabs(value) > 1e-9) continue;
    pf_warn_at(ctx, (PfPlace){.file = eq->model->file}, "with the independent coordinates that Chaplygin's equations "
               "need, velocities are not determined at the start: the equations hold elsewhere");
    return PF_OK;
  }
  return PF_OK;
}

/* The choice of an elimination if it meets the conditions; else coordinates that occur stay independent, if the
 * constraints can be solved for the others. */
PfStatus pf_kinematics_chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                                 PfKinematics *k)
{
  int rank, found;
  bool *kept;
  PfKinematics other;
  PF_TRY(find_independent(ctx, arena, eq, o->form, o->independent, k));
  const int before = pf_diagnostic_count(ctx);
  PfStatus status = check_chaplygin(ctx, eq, k);
  if (status != PF_ERR_MODEL || o->independent) return status;
  pf_diagnostics_truncate(ctx, before); /* another choice may do */
  rank = eq->n - k->count;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(kept, eq->n)));
  for (int i = 0; i < eq->n; i++) kept[i] = in_energies(ctx, eq, i) || in_constraints(ctx, eq, i);
  PF_TRY(pf_kinematics_by_coordinates(ctx, arena, eq, kept, &other, &found));
  if (found == rank) *k = other;
  PF_TRY(check_chaplygin(ctx, eq, k));
  return warn_at_start(ctx, arena, eq, k);
}

/* ---------------------------------------------------------------- the equations */

typedef enum Kind { VORONETS, CHAPLYGIN, WRONG } Kind;

/* All with the constraints put in. */
typedef struct Embedded {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  Kind kind;
  int n, s;
  PfExpr T, *p, *P; /* T*; n: dT/dq'; s: dT* / dw */
  PfExpr *Gamma;    /* n x s; zero for independent coordinates */
  PfExpr *D, *C, *Q; /* s: slopes of T*, sum_i p_i Gamma_ia, forces with the potential */
} Embedded;

/* d e/dq_a + sum_j B_ja d e/dq_j; Chaplygin's dependent coordinates occur nowhere. */
static PfStatus slope_along(const Embedded *x, int a, PfExpr e, PfExpr *slope)
{
  if (x->kind != CHAPLYGIN) return pf_along_omega(x->ctx, x->arena, x->eq, x->k, a, &e, 1, slope);
  *slope = pf_expr_diff(x->ctx, e, x->eq->model->coordinates[x->k->independent[a]].q);
  return pf_expr_check(x->ctx);
}

/* The ingredients, in the order of the equations. */
static PfStatus prepare(Embedded *x)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const PfKinematics *k = x->k;
  const int n = x->n = x->eq->n, s = x->s = k->count;
  PfExpr turned, slope;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM(x->p, n), PF_ROOM(x->P, s), PF_ROOM2(x->Gamma, n, s),
                   PF_ROOM(x->D, s), PF_ROOM(x->C, s), PF_ROOM(x->Q, s)));
  PF_TRY(pf_put_velocities(model, k->v, &x->eq->kinetic, 1, &x->T));
  PF_TRY(pf_put_velocities(model, k->v, x->eq->momentum, n, x->p));
  PF_TRY(pf_expr_gradient(ctx, x->T, k->omega, s, x->P));
  PF_TRY(pf_reduced_forces(ctx, x->arena, x->eq, k, x->Q));
  for (int a = 0; a < s; a++) {
    x->C[a] = pf_expr_int(ctx, 0);
    PF_TRY(slope_along(x, a, x->T, x->D + a));
    for (int i = 0; i < n; i++) {
      PfExpr *own = x->Gamma + i*s + a;
      *own = pf_expr_int(ctx, 0);
      if (is_independent(k, i)) continue;
      PF_TRY(pf_model_derive_along(model, k->v, k->N + i*s + a, 1, &turned));
      PF_TRY(slope_along(x, a, k->v[i], &slope));
      *own = pf_expr_simplest(ctx, pf_expr_sub(ctx, turned, slope));
      x->C[a] = pf_expr_add(ctx, x->C[a], pf_expr_mul(ctx, x->p[i], *own));
    }
  }
  return pf_expr_check(ctx);
}

/* G = d^2T* / dw^2, g_a = Q_a + D_a + C_a - (dT* / dw_a)' at constant w; without C_a where they are to be wrong. */
static PfStatus reduce(Embedded *x, PfReducedForm *form)
{
  const int s = x->k->count;
  PfExpr carried;
  PF_TRY(prepare(x));
  PF_TRY(pf_arrays(x->ctx, x->arena, "the equations", PF_ROOM2(form->G, s, s), PF_ROOM(form->g, s)));
  for (int a = 0; a < s; a++) {
    PF_TRY(pf_expr_gradient(x->ctx, x->P[a], x->k->omega, s, form->G + (size_t)a*(size_t)s));
    PF_TRY(pf_model_derive_along(x->eq->model, x->k->v, x->P + a, 1, &carried));
    PfExpr terms[3] = {x->Q[a], x->D[a], x->kind == WRONG ? pf_expr_int(x->ctx, 0) : x->C[a]};
    form->g[a] = pf_expr_sub(x->ctx, pf_expr_sum(x->ctx, terms, 3), carried);
  }
  return pf_expr_check(x->ctx);
}

/* For velocities of coordinates (pf_kinematics_voronets). */
PfStatus pf_reduce_voronets(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            PfReducedForm *form)
{
  return reduce(&(Embedded){.ctx = ctx, .arena = arena, .eq = eq, .k = k, .kind = VORONETS}, form);
}

/* Where Chaplygin's conditions are met (pf_kinematics_chaplygin). */
PfStatus pf_reduce_chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                             PfReducedForm *form)
{
  return reduce(&(Embedded){.ctx = ctx, .arena = arena, .eq = eq, .k = k, .kind = CHAPLYGIN}, form);
}

/* Without what Voronets' equations have in addition. */
PfStatus pf_reduce_hamel_wrong(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                               PfReducedForm *form)
{
  return reduce(&(Embedded){.ctx = ctx, .arena = arena, .eq = eq, .k = k, .kind = WRONG}, form);
}

/* ---------------------------------------------------------------- steps */

/* One line for each independent velocity. */
static PfStatus write_list(const Embedded *x, const char *title, const char *what, const PfExpr *list, PfDerivation *d)
{
  pf_step_begin(d, title);
  for (int a = 0; a < x->s; a++) PF_TRY(pf_step_add(x->ctx, x->arena, d, what, x->k->names[a], list[a]));
  return PF_OK;
}

/* Velocities, T*, momenta of the dependent coordinates, Gamma, and the terms of the equations. */
static PfStatus write_steps(Embedded *x, PfDerivation *d)
{
  static const char *const ends[] = {
    [VORONETS] = "Forces along each w, the potential among them; the equations are (dT*/dw_a)' = D_a + C_a + Q_a",
    [CHAPLYGIN] = "Forces along each w, the potential among them; the equations are (dT*/dw_a)' = D_a + C_a + Q_a",
    [WRONG] = "Forces along each w; the equations (dT*/dw_a)' = D_a + Q_a leave out sum_i p_i Gamma_ia"};
  const PfModel *model = x->eq->model;
  PF_TRY(prepare(x));
  PF_TRY(pf_steps_of_energies(x->ctx, x->arena, x->eq, d));
  PF_TRY(pf_steps_of_constraints(x->ctx, x->arena, x->eq, d));
  pf_step_begin(d, "Dependent velocities v_i(w), w: velocities of the independent coordinates; B_ia = dv_i/dw_a");
  for (int i = 0; i < x->n; i++)
    if (!is_independent(x->k, i)) PF_TRY(pf_step_add(x->ctx, x->arena, d, "v", model->coordinates[i].name, x->k->v[i]));
  pf_step_begin(d, "Kinetic energy with the constraints put in, T*");
  PF_TRY(pf_step_add(x->ctx, x->arena, d, "T_star", NULL, x->T));
  pf_step_begin(d, "Momenta of the dependent coordinates p_i = dT/dq_i', then with the constraints put in");
  for (int i = 0; i < x->n; i++)
    if (!is_independent(x->k, i)) PF_TRY(pf_step_add(x->ctx, x->arena, d, "p", model->coordinates[i].name, x->p[i]));
  pf_step_begin(d, x->kind == CHAPLYGIN ? "Gamma_ia = sum_b (dB_ia/dq_b - dB_ib/dq_a) w_b; those that are not zero"
                                        : "Gamma_ia = dB_ia/dt - dv_i/dq_a - sum_j B_ja dv_i/dq_j; those that are not "
                                          "zero");
  for (int i = 0; i < x->n; i++)
    for (int a = 0; a < x->s; a++)
      PF_TRY(pf_step_entry(x->ctx, x->arena, d, "Gamma", model->coordinates[i].name, x->k->names[a],
                           x->Gamma[i*x->s + a]));
  PF_TRY(write_list(x, "Momenta dT*/dw", "P", x->P, d));
  PF_TRY(write_list(x, x->kind == CHAPLYGIN ? "Slopes D_a = dT*/dq_a"
                                            : "Slopes D_a = dT*/dq_a + sum_i B_ia dT*/dq_i", "D", x->D, d));
  if (x->kind != WRONG) PF_TRY(write_list(x, "Terms C_a = sum_i p_i Gamma_ia", "C", x->C, d));
  return write_list(x, ends[x->kind], "Q", x->Q, d);
}

PfStatus pf_steps_of_voronets(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                              PfDerivation *d)
{
  return write_steps(&(Embedded){.ctx = ctx, .arena = arena, .eq = eq, .k = k, .kind = VORONETS}, d);
}

PfStatus pf_steps_of_chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                               PfDerivation *d)
{
  return write_steps(&(Embedded){.ctx = ctx, .arena = arena, .eq = eq, .k = k, .kind = CHAPLYGIN}, d);
}

PfStatus pf_steps_of_hamel_wrong(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                 PfDerivation *d)
{
  return write_steps(&(Embedded){.ctx = ctx, .arena = arena, .eq = eq, .k = k, .kind = WRONG}, d);
}

/* ---------------------------------------------------------------- Hamel's warning */

/* The accelerations of the wrong equations and of the right ones at a state, where they differ most: of the independent
 * velocity `worst`, -1: they agree. */
typedef struct Error {
  int worst;
  double wrong, right;
} Error;

/* Numbers of the symbols are in `values`. */
static PfStatus find_error(const Embedded *x, const PfReducedForm *form, const PfSymbols *in, const double *values,
                           Error *error)
{
  const int s = x->s;
  double *G, *g, *C, most = 0;
  int *order;
  *error = (Error){.worst = -1};
  PF_TRY(pf_arrays(x->ctx, x->arena, "the equations", PF_ROOM2(G, s, s), PF_ROOM(g, s), PF_ROOM(C, s),
                   PF_ROOM(order, s)));
  PF_TRY(pf_expr_evaluate(x->ctx, form->G, s*s, in->symbol, values, in->count, G));
  PF_TRY(pf_expr_evaluate(x->ctx, form->g, s, in->symbol, values, in->count, g));
  PF_TRY(pf_expr_evaluate(x->ctx, x->C, s, in->symbol, values, in->count, C));
  for (int a = 0; a < s; a++) C[a] += g[a];
  if (!pf_lu_factor(G, s, order)) return PF_OK;
  pf_lu_solve(G, s, order, g);
  pf_lu_solve(G, s, order, C);
  for (int a = 0; a < s; a++) {
    double off = fabs(g[a] - C[a])/(1e-12 + fabs(g[a]) + fabs(C[a]));
    if (!(off > 1e-9) || off <= most) continue;
    most = off, *error = (Error){a, g[a], C[a]};
  }
  const double noise = 1e-12*(fabs(error->wrong) + fabs(error->right)); /* of terms that cancel */
  if (fabs(error->wrong) < noise) error->wrong = 0;
  if (fabs(error->right) < noise) error->right = 0;
  return PF_OK;
}

/* At the start; or, where they agree there and any coordinates will do, in a state without symmetries: *where says
 * which. */
static PfStatus find_example(const Embedded *x, const PfReducedForm *form, Error *error, const char **where)
{
  PfSymbols in;
  double *start, *values;
  *error = (Error){.worst = -1};
  PF_TRY(pf_equations_symbols(x->ctx, x->arena, x->eq->model, &in));
  PF_TRY(pf_arrays(x->ctx, x->arena, "the equations", PF_ROOM(values, in.count)));
  PF_TRY(pf_start_values(x->ctx, x->arena, x->eq, in.count, &start));
  *where = "with the positions and independent velocities of the start";
  if (start) PF_TRY(find_error(x, form, &in, start, error));
  for (int i = 0; i < x->eq->m; i++)
    if (x->eq->position[i] != PF_EXPR_NONE) return PF_OK;
  if (error->worst >= 0) return PF_OK;
  *where = "not at the start, but with all coordinates and velocities about 1";
  PF_TRY(pf_generic_values(x->ctx, x->arena, x->eq, &in, start, values));
  return find_error(x, form, &in, values, error);
}

/* What the right sides lack, C_a = sum_i p_i Gamma_ia, as further equations of the derivation, which has room for them;
 * and a warning unless all of it is zero. */
PfStatus pf_hamel_missing(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                          PfDerivation *d)
{
  PfKinematics k;
  PfReducedForm form;
  Embedded x = {.ctx = ctx, .arena = arena, .eq = eq, .k = &k, .kind = WRONG};
  bool all_zero = true;
  const char *where = NULL;
  Error error;
  PF_TRY(pf_kinematics_voronets(ctx, arena, eq, o, &k));
  PF_TRY(reduce(&x, &form));
  for (int a = 0; a < k.count; a++) {
    const char *own = pf_arena_print(arena, "missing[%s]", k.names[a]);
    PfExpr rest = pf_expr_simplest(ctx, x.C[a]), full = rest;
    PF_TRY(pf_model_expand(eq->model, &full, 1, &full));
    bool zero = pf_expr_is_probably_zero(ctx, full, 2) == PF_TRUE;
    all_zero = all_zero && zero;
    d->equations[d->equation_count++] = (PfEquation){k.names[a], pf_expr_symbol(ctx, own ? own : "missing"),
                                                     zero ? pf_expr_int(ctx, 0) : rest};
  }
  pf_derivation_section(d, all_zero ? "Missing: nothing, these equations happen to be right"
                                    : "Missing on the right sides of (dT*/dw)' = D + Q, of which common factors were "
                                      "cancelled above", k.count);
  if (all_zero) return pf_expr_check(ctx);
  PF_TRY(find_example(&x, &form, &error, &where));
  if (error.worst >= 0)
    pf_warn_at(ctx, (PfPlace){.file = eq->model->file}, "these equations are wrong: constraints must not be put into "
               "the kinetic energy before it is differentiated; %s, %s'' is %.6g in SI instead of %.6g", where,
               k.names[error.worst], error.wrong, error.right);
  else
    pf_warn_at(ctx, (PfPlace){.file = eq->model->file}, "these equations are wrong: constraints must not be put into "
               "the kinetic energy before it is differentiated; with the positions and velocities of the start it "
               "makes no difference");
  pf_hint(ctx, "@form{voronets} has the terms that are missing");
  return pf_expr_check(ctx);
}
