/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute rates in place of relative ones, where that makes the kinetic energy shorter: the angular velocity of a
 * rotor, a steered wheel or a disc about its axle instead of its rate relative to its carrier; sums and differences of
 * rates where energies are given by formulas; the velocity of the common centre of mass instead of that of one body;
 * components in the axes of a carriage instead of x' and y'.
 *
 * One pseudo-velocity omega_i is exchanged for a form n = e omega_i + sum c_j omega_j with a number e = 1 or -1, which
 * can always be solved for omega_i again: where the pseudo-velocities were regular they stay so. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  PfKinematics *k;
  int s;
  PfExpr *forms, *G, *trial;
} Work;

/* The exchange of omega_i for the form, and the stem of its name. */
typedef struct Exchange {
  int i;
  PfExpr *form;      /* s coefficients */
  const char *stem;
  size_t words;      /* of the kinetic energy and the form afterwards */
} Exchange;

/* ---------------------------------------------------------------- how long */

/* An off-diagonal entry occurs in two equations and couples them: alone each could be mu*u' + mu'*u/2 = Q. */
static size_t words_of(const Work *w, const PfExpr *G)
{
  enum { COUPLING = 4 };
  size_t sum = 0;
  for (int a = 0; a < w->s; a++)
    for (int b = 0; b <= a; b++)
      if (!pf_expr_is_structural_zero(w->ctx, G[a*w->s + b]))
        sum += pf_expr_token_count(w->ctx, G[a*w->s + b])*(a == b ? 1 : 2) + (a == b ? 2 : 2 + COUPLING);
  return sum;
}

/* The length of a form: each coefficient, and a pseudo-velocity with it. */
static size_t words_of_form(const Work *w, const PfExpr *form)
{
  size_t sum = 0;
  for (int a = 0; a < w->s; a++)
    if (!pf_expr_is_structural_zero(w->ctx, form[a])) sum += pf_expr_token_count(w->ctx, form[a]) + 1;
  return sum;
}

/* Puts x in the place of the best exchange if the kinetic energy and the form have fewer words with it. The form stays.
 * omega_i = e (n - sum c_j omega_j): G in the new ones is found column by column and row by row. */
static void consider(Work *w, Exchange *x, Exchange *best)
{
  enum { LONG_FORM = 16 };
  if (words_of_form(w, x->form) > LONG_FORM) return;
  PfExpr *G = w->trial;
  PfContext *ctx = w->ctx;
  int s = w->s, i = x->i;
  PfExpr e = x->form[i];
  memcpy(G, w->G, (size_t)(s*s)*sizeof *G);
  for (int pass = 0; pass < 2; pass++)
    for (int r = 0; r < s; r++) {
      int row = pass ? i : r, column = pass ? r : i;
      PfExpr own = pf_expr_mul(ctx, e, G[row*s + column]); /* from omega_i */
      for (int j = 0; j < s; j++) {
        if (j == i) continue;
        PfExpr *entry = G + (pass ? j*s + r : r*s + j);
        *entry = pf_expr_sub(ctx, *entry, pf_expr_mul(ctx, x->form[j], own));
      }
      G[row*s + column] = own;
    }
  for (int a = 0; a < s; a++)
    for (int b = 0; b <= a; b++) {
      PfExpr old = G[a*s + b];
      bool changed = old != w->G[a*s + b];
      G[a*s + b] = G[b*s + a] = changed ? pf_expr_simplest(ctx, old) : old;
    }
  x->words = words_of(w, w->trial) + words_of_form(w, x->form)/2;
  if (x->words >= best->words) return;
  PfExpr *kept = best->form;
  memcpy(kept, x->form, (size_t)w->s*sizeof *kept);
  *best = *x;
  best->form = kept;
}

/* ---------------------------------------------------------------- candidates */

/* Angular velocities of bodies about one of their axes. */
static void try_bodies(Work *w, Exchange *x, Exchange *best)
{
  int stride = w->s + 1;
  for (int row = 0; row < 6*w->eq->model->body_count; row++) {
    const PfExpr *form = w->forms + row*stride;
    int terms = 0;
    if (row%6 < 3 || !pf_expr_is_structural_zero(w->ctx, form[w->s])) continue;
    for (int a = 0; a < w->s; a++) terms += !pf_expr_is_structural_zero(w->ctx, form[a]);
    for (int i = 0; terms > 1 && i < w->s; i++) {
      bool back = pf_expr_is_int(w->ctx, form[i], -1);
      if ((!back && !pf_expr_is_int(w->ctx, form[i], 1)) || w->k->exchanged[i]) continue;
      for (int a = 0; a < w->s; a++) x->form[a] = back ? pf_expr_neg(w->ctx, form[a]) : form[a];
      x->i = i;
      x->stem = "w_";
      consider(w, x, best);
    }
  }
}

/* The form omega_i + sum_j (momentum i over its inertia), j coupled with i: is there more in it than omega_i? */
static bool set_momentum_form(const Work *w, int i, PfExpr *form)
{
  PfContext *ctx = w->ctx;
  bool coupled = false;
  for (int j = 0; j < w->s; j++) {
    form[j] = pf_expr_int(ctx, j == i);
    if (j == i || pf_expr_is_structural_zero(ctx, w->G[i*w->s + j])) continue;
    form[j] = pf_expr_simplest(ctx, pf_expr_div(ctx, w->G[i*w->s + j], w->G[i*w->s + i]));
    coupled = true;
  }
  return coupled;
}

/* Does e contain parameters only: no coordinate, no auxiliary state and not the time? */
static bool is_constant(const Work *w, PfExpr e)
{
  const PfModel *model = w->eq->model;
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_expr_depends(w->ctx, e, &model->coordinates[i].q, 1)) return false;
  for (int i = 0; i < model->auxiliary_count; i++)
    if (pf_expr_depends(w->ctx, e, &model->auxiliaries[i].symbol, 1)) return false;
  return !pf_expr_depends(w->ctx, e, &model->time, 1);
}

/* Of energies that are given by formulas: omega_i + omega_j and omega_i - omega_j, rates of two coordinates in the same
 * unit; and the whole momentum over a constant inertia, where (sum_j G_ij omega_j)' = Q_i. Then it changes by applied
 * forces only, as that of a balanced rotor. */
static PfStatus try_formulas(Work *w, Exchange *x, Exchange *best)
{
  PfContext *ctx = w->ctx;
  PfKinematics *k = w->k;
  const PfCoordinate *c = w->eq->model->coordinates;
  const int s = w->s;
  PfReducedForm form;
  PfExpr *Q, *rates;
  x->stem = "w_";
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      for (int sign = 1; sign >= -1; sign -= 2) {
        bool coupled = i != j && !pf_expr_is_structural_zero(ctx, w->G[i*s + j]);
        int a = k->independent[i], b = k->independent[j];
        if (!coupled || k->exchanged[i] || a < 0 || b < 0 || strcmp(c[a].unit, c[b].unit) != 0) continue;
        for (int l = 0; l < s; l++) x->form[l] = pf_expr_int(ctx, l == i ? 1 : l == j ? sign : 0);
        x->i = i;
        consider(w, x, best);
      }
  PF_TRY(pf_arrays(ctx, w->arena, "the kinematics", PF_ROOM(Q, s), PF_ROOM(rates, s)));
  PF_TRY(pf_kinematics_settle(ctx, w->eq, k));
  PF_TRY(pf_reduce_maggi(ctx, w->arena, w->eq, k, &form));
  PF_TRY(pf_reduced_forces(ctx, w->arena, w->eq, k, Q));
  for (int i = 0; i < s; i++) {
    PfExpr inertia = w->G[i*s + i];
    if (k->exchanged[i] || !is_constant(w, inertia) || pf_expr_is_structural_zero(ctx, inertia)) continue;
    PF_TRY(pf_model_derive_along(w->eq->model, k->v, w->G + i*s, s, rates));
    PfExpr rest = pf_expr_add(ctx, pf_expr_sub(ctx, form.g[i], Q[i]), pf_combination(ctx, rates, 1, k->omega, s));
    if (pf_expr_is_probably_zero(ctx, rest, 1) != PF_TRUE || !set_momentum_form(w, i, x->form)) continue;
    x->i = i;
    consider(w, x, best);
  }
  return PF_OK;
}

/* Is it the translation of everything: the velocity of a coordinate on which no inertia depends, and by which nothing
 * turns? Its momentum over its inertia is then the velocity of the centre of mass: the form of x, if there is more in
 * it than omega_i. */
static bool make_centre(const Work *w, int i, Exchange *x)
{
  const PfModel *model = w->eq->model;
  int c = w->k->independent[i];
  if (c < 0 || model->coordinates[c].quasi || model->constraint_count || !model->body_count) return false;
  PfExpr q = model->coordinates[c].q;
  for (int a = 0; a < w->s*w->s; a++)
    if (pf_expr_depends(w->ctx, w->G[a], &q, 1)) return false;
  for (int row = 0; row < 6*model->body_count; row++) /* nothing turns */
    if (row%6 >= 3 && !pf_expr_is_structural_zero(w->ctx, w->forms[row*(w->s + 1) + i])) return false;
  if (!is_constant(w, w->G[i*w->s + i]) || w->k->exchanged[i]) return false;
  x->i = i;
  x->stem = "v_";
  return set_momentum_form(w, i, x->form);
}

/* ---------------------------------------------------------------- the exchange */

/* A name for the new pseudo-velocity, made of its stem and the name of the one that it replaces. */
static PfStatus name_it(const Work *w, const Exchange *x)
{
  PfKinematics *k = w->k;
  const PfModel *model = w->eq->model;
  int c = k->independent[x->i];
  char stem[300];
  snprintf(stem, sizeof stem, "%s%s", x->stem, c >= 0 ? model->coordinates[c].name : k->names[x->i]);
  PfExpr symbol;
  PF_TRY(pf_model_free_name(model, w->arena, stem, k->omega, k->count, k->names + x->i, &symbol));
  k->omega[x->i] = symbol;
  k->rate[x->i] = pf_rate_symbol(w->ctx, symbol);
  return PF_OK;
}

/* omega_i is exchanged for the form sum_j form_j omega_j: its inverse is put into all velocities. In the definition of
 * the form by velocities, terms added to omega_i are written as a velocity q' where they are one. */
static PfStatus exchange(Work *w, const Exchange *x)
{
  PfContext *ctx = w->ctx;
  PfKinematics *k = w->k;
  PfExpr old = k->omega[x->i], sum = pf_expr_int(ctx, 0), definition = PF_EXPR_NONE;
  for (int j = 0; j < w->s; j++)
    if (j != x->i) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, x->form[j], k->omega[j]));
  PfExpr short_sum = pf_expr_simplest(ctx, sum), own = pf_expr_mul(ctx, x->form[x->i], k->definition[x->i]);
  for (int i = 0; i < w->eq->n && definition == PF_EXPR_NONE; i++) {
    PfExpr v = w->eq->model->coordinates[i].v;
    if (k->v[i] == short_sum) definition = pf_expr_add(ctx, own, v);
    else if (k->v[i] == pf_expr_neg(ctx, short_sum)) definition = pf_expr_sub(ctx, own, v);
  }
  if (definition == PF_EXPR_NONE)
    definition = pf_expr_simplest(ctx, pf_combination(ctx, x->form, 1, k->definition, w->s));
  PF_TRY(name_it(w, x));
  PfExpr back = pf_expr_mul(ctx, x->form[x->i], pf_expr_sub(ctx, k->omega[x->i], sum));
  PF_TRY(pf_expr_substitute(ctx, k->v, w->eq->n, &old, &back, 1, k->v));
  for (int i = 0; i < w->eq->n; i++) k->v[i] = pf_expr_simplest(ctx, k->v[i]);
  k->definition[x->i] = definition;
  k->independent[x->i] = -1;
  k->exchanged[x->i] = true;
  k->combined = true;
  k->chosen = false;
  return pf_expr_check(ctx);
}

/* The velocities of bodies, and the inertia by the pseudo-velocities as they are now. */
static PfStatus measure(Work *w)
{
  PF_TRY(pf_body_velocities(w->ctx, w->arena, w->eq, w->k, &w->forms));
  return pf_reduced_inertia(w->ctx, w->arena, w->eq, w->k, w->forms, w->G);
}

/* All of it, for a way that may turn out to be no better. */
static PfStatus copy(const Work *w, const PfKinematics *from, PfKinematics *to)
{
  size_t s = (size_t)from->count, n = (size_t)w->eq->n;
  *to = *from;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the kinematics", PF_ROOM(to->independent, s), PF_ROOM(to->names, s),
                   PF_ROOM(to->omega, s), PF_ROOM(to->rate, s), PF_ROOM(to->definition, s), PF_ROOM(to->exchanged, s),
                   PF_ROOM(to->v, n)));
  memcpy(to->independent, from->independent, s*sizeof *to->independent);
  memcpy(to->names, from->names, s*sizeof *to->names);
  memcpy(to->omega, from->omega, s*sizeof *to->omega);
  memcpy(to->rate, from->rate, s*sizeof *to->rate);
  memcpy(to->definition, from->definition, s*sizeof *to->definition);
  memcpy(to->exchanged, from->exchanged, s*sizeof *to->exchanged);
  memcpy(to->v, from->v, n*sizeof *to->v);
  return PF_OK;
}

/* All components of the velocity of the common centre of mass: only together they make anything shorter. */
static PfStatus try_centre(Work *w)
{
  PfKinematics *own = w->k, *other;
  Exchange x = {0};
  size_t before = words_of(w, w->G);
  bool any = false;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the kinematics", PF_ROOM(x.form, w->s), PF_ROOM(other, 1)));
  PF_TRY(copy(w, own, other));
  w->k = other;
  for (int i = 0; i < w->s; i++) {
    if (!make_centre(w, i, &x)) continue;
    PF_TRY(exchange(w, &x));
    PF_TRY(measure(w));
    any = true;
  }
  w->k = own;
  if (any && words_of(w, w->G) < before) *own = *other;
  return PF_OK;
}

/* ---------------------------------------------------------------- axes that turn with the body */

/* A frame in the plane: its origin has two coordinates of its own, and it turns about the third axis of the ground by a
 * third one. Which pseudo-velocities the first two are. */
static bool is_planar(const Work *w, const PfFrame *frame, int *i, int *j)
{
  const PfModel *model = w->eq->model;
  PfContext *ctx = w->ctx;
  if (frame->parent != 0 || frame->angle == PF_EXPR_NONE || !pf_expr_is_int(ctx, frame->axis[2], 1)) return false;
  *i = *j = -1;
  for (int a = 0; a < w->s; a++) {
    int c = w->k->independent[a];
    if (c < 0 || w->k->exchanged[a]) continue;
    if (model->coordinates[c].q == frame->origin[0]) *i = a;
    if (model->coordinates[c].q == frame->origin[1]) *j = a;
  }
  return *i >= 0 && *j >= 0 && is_constant(w, frame->origin[2]);
}

/* x' = cos(theta)*u_x - sin(theta)*u_y, y' = sin(theta)*u_x + cos(theta)*u_y */
static PfStatus turn_axes(Work *w, int i, int j, PfExpr angle)
{
  PfContext *ctx = w->ctx;
  PfKinematics *k = w->k;
  PfExpr c = pf_expr_call1(ctx, PF_OP_COS, angle), s = pf_expr_call1(ctx, PF_OP_SIN, angle);
  PfExpr turned[4] = {c, pf_expr_neg(ctx, s), s, c};
  PfExpr old[2] = {k->omega[i], k->omega[j]}, velocity[2] = {k->definition[i], k->definition[j]};
  PF_TRY(name_it(w, &(Exchange){.i = i, .stem = "u_"}));
  PF_TRY(name_it(w, &(Exchange){.i = j, .stem = "u_"}));
  PfExpr now[2] = {k->omega[i], k->omega[j]};
  PfExpr back[2] = {pf_combination(ctx, turned, 1, now, 2), pf_combination(ctx, turned + 2, 1, now, 2)};
  PF_TRY(pf_expr_substitute(ctx, k->v, w->eq->n, old, back, 2, k->v));
  for (int r = 0; r < w->eq->n; r++) k->v[r] = pf_expr_simplest(ctx, k->v[r]);
  k->definition[i] = pf_combination(ctx, turned, 2, velocity, 2); /* by columns: the rotation back */
  k->definition[j] = pf_combination(ctx, turned + 1, 2, velocity, 2);
  k->independent[i] = k->independent[j] = -1;
  k->exchanged[i] = k->exchanged[j] = k->combined = true;
  k->chosen = false;
  return pf_expr_check(ctx);
}

/* A carriage on wheels has a constant inertia in its own axes, and then nothing depends on where it heads. */
static PfStatus try_axes(Work *w, bool *better)
{
  const PfModel *model = w->eq->model;
  PfKinematics *own = w->k, *other;
  bool *used; /* not those that only pictures have */
  *better = false;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the kinematics", PF_ROOM(other, 1), PF_ROOM(used, model->frame_count)));
  pf_frames_used(model, used);
  for (int f = 1; f < model->frame_count && model->constraint_count; f++) {
    int i, j;
    if (!used[f] || !is_planar(w, model->frames + f, &i, &j)) continue;
    PF_TRY(copy(w, own, other));
    w->k = other;
    PF_TRY(turn_axes(w, i, j, model->frames[f].angle));
    PF_TRY(measure(w));
    w->k = own;
    *better = true;
    for (int a = 0; a < w->s*w->s; a++) *better = *better && is_constant(w, w->G[a]);
    if (*better) *own = *other;
    return PF_OK;
  }
  return PF_OK;
}

/* Looks for the best exchange until none makes the kinetic energy shorter. A carriage comes first: in its own axes the
 * inertia is constant, and then nothing else is tried. The common centre of mass comes last, and stays only where all
 * of it is shorter. Models of many bodies or pseudo-velocities are left as they are: the search takes a reduced inertia
 * for every candidate. */
PfStatus pf_absolute_rates(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  enum { MOST_SPEEDS = 8, MOST_BODIES = 200 };
  const size_t s = (size_t)k->count;
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .s = k->count};
  if (k->count < 2 || k->count > MOST_SPEEDS || eq->model->body_count > MOST_BODIES) return PF_OK;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM2(w.G, s, s), PF_ROOM2(w.trial, s, s),
                   PF_ROOM(k->exchanged, s)));
  if (!k->definition) {
    PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(k->definition, s)));
    memcpy(k->definition, k->omega, s*sizeof *k->definition);
  }
  bool any = true, constant;
  PF_TRY(try_axes(&w, &constant));
  if (!constant) PF_TRY(measure(&w));
  while (any) {
    Exchange x = {0}, best = {.i = -1, .words = words_of(&w, w.G)};
    PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(x.form, s), PF_ROOM(best.form, s)));
    try_bodies(&w, &x, &best);
    if (!pf_expr_is_structural_zero(ctx, eq->model->kinetic)) PF_TRY(try_formulas(&w, &x, &best));
    PF_TRY(pf_expr_check(ctx));
    any = best.i >= 0;
    if (any) PF_TRY(exchange(&w, &best));
    if (any) PF_TRY(measure(&w));
  }
  return constant ? PF_OK : try_centre(&w);
}
