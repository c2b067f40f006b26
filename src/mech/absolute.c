/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute rates in place of relative ones, where that makes the kinetic energy shorter: the angular velocity of a
 * rotor, a steered wheel or a disc about its axle instead of its rate against what carries it; sums and differences of
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

/* An exchange: of omega_i for the form, and what it is called by. */
typedef struct Exchange {
  int i;
  PfExpr *form;      /* s coefficients */
  const char *stem;
  size_t words;      /* of the kinetic energy and the form afterwards */
} Exchange;

/* ---------------------------------------------------------------- how long */

/* An entry beside the diagonal stands in two equations, and couples them: alone each could be mu*u' + mu'*u/2 = Q. */
static size_t words_of(const Work *w, const PfExpr *G)
{
  enum { COUPLING = 4 };
  size_t sum = 0;
  for (int a = 0; a < w->s; a++)
    for (int b = 0; b <= a; b++)
      if (!pf_expr_is_structural_zero(w->ctx, G[a*w->s + b]))
        sum += pf_expr_words(w->ctx, G[a*w->s + b])*(a == b ? 1 : 2) + (a == b ? 2 : 2 + COUPLING);
  return sum;
}

static size_t words_of_form(const Work *w, const PfExpr *form)
{
  size_t sum = 0;
  for (int a = 0; a < w->s; a++)
    if (!pf_expr_is_structural_zero(w->ctx, form[a])) sum += pf_expr_words(w->ctx, form[a]) + 1;
  return sum;
}

/* omega_i = e (n - sum c_j omega_j): G in the new ones, column by column and row by row. */
static void exchange_inertia(const Work *w, const Exchange *x, PfExpr *G)
{
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
}

static void consider(Work *w, Exchange *x, Exchange *best)
{
  enum { LONG_FORM = 16 };
  if (words_of_form(w, x->form) > LONG_FORM) return;
  exchange_inertia(w, x, w->trial);
  x->words = words_of(w, w->trial) + words_of_form(w, x->form)/2;
  if (x->words >= best->words) return;
  PfExpr *kept = best->form;
  memcpy(kept, x->form, (size_t)w->s*sizeof *kept);
  *best = *x;
  best->form = kept;
}

/* ---------------------------------------------------------------- candidates */

static bool is_unit(const Work *w, PfExpr e)
{
  return pf_expr_is_int(w->ctx, e, 1) || pf_expr_is_int(w->ctx, e, -1);
}

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
      if (!is_unit(w, form[i]) || w->k->exchanged[i]) continue;
      bool back = pf_expr_is_int(w->ctx, form[i], -1);
      for (int a = 0; a < w->s; a++) x->form[a] = back ? pf_expr_neg(w->ctx, form[a]) : form[a];
      x->i = i;
      x->stem = "w_";
      consider(w, x, best);
    }
  }
}

static void set_unit_form(const Work *w, PfExpr *form, int i)
{
  for (int a = 0; a < w->s; a++) form[a] = pf_expr_int(w->ctx, a == i);
}

static bool is_constant(const Work *w, PfExpr e)
{
  const PfModel *model = w->eq->model;
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_expr_depends(w->ctx, e, &model->coordinates[i].q, 1)) return false;
  for (int i = 0; i < model->follower_count; i++)
    if (pf_expr_depends(w->ctx, e, &model->followers[i].symbol, 1)) return false;
  return !pf_expr_depends(w->ctx, e, &model->time, 1);
}

/* Rates of two coordinates in the same unit. */
static bool are_alike(const Work *w, int i, int j)
{
  const PfCoordinate *c = w->eq->model->coordinates;
  int a = w->k->independent[i], b = w->k->independent[j];
  return a >= 0 && b >= 0 && !strcmp(c[a].unit, c[b].unit);
}

/* omega_i + omega_j and omega_i - omega_j */
static void try_sums(Work *w, Exchange *x, Exchange *best)
{
  for (int i = 0; i < w->s; i++)
    for (int j = 0; j < w->s; j++)
      for (int sign = 1; sign >= -1; sign -= 2) {
        bool coupled = i != j && !pf_expr_is_structural_zero(w->ctx, w->G[i*w->s + j]);
        if (!coupled || w->k->exchanged[i] || !are_alike(w, i, j)) continue;
        set_unit_form(w, x->form, i);
        x->form[j] = pf_expr_int(w->ctx, sign);
        x->i = i;
        x->stem = "w_";
        consider(w, x, best);
      }
}

/* Is (sum_j G_ij omega_j)' = Q_i? Then this momentum changes by applied forces only, as that of a balanced rotor. */
static PfStatus is_rotor(const Work *w, int i, const PfExpr *g, const PfExpr *Q, bool *yes)
{
  PfContext *ctx = w->ctx;
  PfExpr *rates = pf_arena_array(w->arena, PfExpr, w->s);
  if (!rates) return pf_no_room(ctx, "the kinematics");
  PF_TRY(pf_along_motion(ctx, w->arena, w->eq->model, w->k, w->G + i*w->s, w->s, rates));
  PfExpr rest = pf_expr_add(ctx, pf_expr_sub(ctx, g[i], Q[i]), pf_combination(ctx, rates, 1, w->k->omega, w->s));
  *yes = pf_expr_is_probably_zero(ctx, rest, 1) == PF_TRUE;
  return PF_OK;
}

/* Of energies that are given by formulas: the whole momentum over a constant inertia, where it is that of a rotor. */
static PfStatus try_rotors(Work *w, Exchange *x, Exchange *best)
{
  PfContext *ctx = w->ctx;
  PfReducedForm form;
  PfExpr *Q = pf_arena_array(w->arena, PfExpr, w->s);
  if (!Q) return pf_no_room(ctx, "the kinematics");
  PF_TRY(pf_kinematics_settle(ctx, w->arena, w->eq, w->k));
  PF_TRY(pf_reduce_maggi(ctx, w->arena, w->eq, w->k, &form));
  PF_TRY(pf_reduced_forces(ctx, w->arena, w->eq, w->k, Q));
  for (int i = 0; i < w->s; i++) {
    bool rotor = false, coupled = false;
    PfExpr inertia = w->G[i*w->s + i];
    if (w->k->exchanged[i] || !is_constant(w, inertia) || pf_expr_is_structural_zero(ctx, inertia)) continue;
    PF_TRY(is_rotor(w, i, form.g, Q, &rotor));
    set_unit_form(w, x->form, i);
    for (int j = 0; j < w->s && rotor; j++) {
      if (j == i || pf_expr_is_structural_zero(ctx, w->G[i*w->s + j])) continue;
      x->form[j] = pf_expr_simplest(ctx, pf_expr_div(ctx, w->G[i*w->s + j], inertia));
      coupled = true;
    }
    if (!coupled) continue;
    x->i = i;
    x->stem = "w_";
    consider(w, x, best);
  }
  return PF_OK;
}

/* Is it the translation of everything: the velocity of a coordinate on which no inertia depends, and by which nothing
 * turns? Its momentum over its inertia is then the velocity of the centre of mass. */
static bool is_translation(const Work *w, int i)
{
  const PfModel *model = w->eq->model;
  int c = w->k->independent[i];
  if (c < 0 || model->coordinates[c].quasi || model->constraint_count) return false;
  PfExpr q = model->coordinates[c].q;
  for (int a = 0; a < w->s*w->s; a++)
    if (pf_expr_depends(w->ctx, w->G[a], &q, 1)) return false;
  for (int row = 0; row < 6*model->body_count; row++) /* nothing turns */
    if (row%6 >= 3 && !pf_expr_is_structural_zero(w->ctx, w->forms[row*(w->s + 1) + i])) return false;
  return model->body_count > 0;
}

/* The form of momentum i over its inertia, if there is more in it than omega_i. */
static bool make_centre(const Work *w, int i, Exchange *x)
{
  PfContext *ctx = w->ctx;
  PfExpr mass = w->G[i*w->s + i];
  bool coupled = false;
  if (!is_translation(w, i) || !is_constant(w, mass) || w->k->exchanged[i]) return false;
  set_unit_form(w, x->form, i);
  for (int j = 0; j < w->s; j++) {
    if (j == i || pf_expr_is_structural_zero(ctx, w->G[i*w->s + j])) continue;
    x->form[j] = pf_expr_simplest(ctx, pf_expr_div(ctx, w->G[i*w->s + j], mass));
    coupled = true;
  }
  x->i = i;
  x->stem = "v_";
  return coupled;
}

/* ---------------------------------------------------------------- the exchange */

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

/* The form by velocities: of what is added to omega_i a velocity q', where it is one. */
static PfExpr definition_of(const Work *w, const Exchange *x, PfExpr sum)
{
  PfContext *ctx = w->ctx;
  sum = pf_expr_simplest(ctx, sum);
  PfExpr own = pf_expr_mul(ctx, x->form[x->i], w->k->definition[x->i]);
  for (int i = 0; i < w->eq->n; i++) {
    PfExpr v = w->eq->model->coordinates[i].v;
    if (w->k->v[i] == sum) return pf_expr_add(ctx, own, v);
    if (w->k->v[i] == pf_expr_neg(ctx, sum)) return pf_expr_sub(ctx, own, v);
  }
  return pf_expr_simplest(ctx, pf_combination(ctx, x->form, 1, w->k->definition, w->s));
}

static PfStatus exchange(Work *w, const Exchange *x)
{
  PfContext *ctx = w->ctx;
  PfKinematics *k = w->k;
  PfExpr old = k->omega[x->i], sum = pf_expr_int(ctx, 0);
  for (int j = 0; j < w->s; j++)
    if (j != x->i) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, x->form[j], k->omega[j]));
  PfExpr definition = definition_of(w, x, sum);
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

static PfStatus measure(Work *w)
{
  PF_TRY(pf_body_velocities(w->ctx, w->arena, w->eq, w->k, &w->forms));
  return pf_reduced_inertia(w->ctx, w->arena, w->eq, w->k, w->forms, w->G);
}

static PfStatus improve(Work *w, bool *any)
{
  size_t s = (size_t)w->s;
  Exchange x = {.form = pf_arena_array(w->arena, PfExpr, s)};
  Exchange best = {.i = -1, .form = pf_arena_array(w->arena, PfExpr, s)};
  if (!x.form || !best.form) return pf_no_room(w->ctx, "the kinematics");
  best.words = words_of(w, w->G);
  try_bodies(w, &x, &best);
  if (!pf_expr_is_structural_zero(w->ctx, w->eq->model->kinetic)) {
    try_sums(w, &x, &best);
    PF_TRY(try_rotors(w, &x, &best));
  }
  PF_TRY(pf_expr_check(w->ctx));
  *any = best.i >= 0;
  if (!*any) return PF_OK;
  PF_TRY(exchange(w, &best));
  return measure(w);
}

/* All of it, for a way that may turn out to be no better. */
static PfStatus copy(const Work *w, const PfKinematics *from, PfKinematics *to)
{
  size_t s = (size_t)from->count, n = (size_t)w->eq->n;
  *to = *from;
  to->independent = pf_arena_array(w->arena, int, s);
  to->names = pf_arena_array(w->arena, const char *, s);
  to->omega = pf_arena_array(w->arena, PfExpr, s);
  to->rate = pf_arena_array(w->arena, PfExpr, s);
  to->definition = pf_arena_array(w->arena, PfExpr, s);
  to->exchanged = pf_arena_array(w->arena, bool, s);
  to->v = pf_arena_array(w->arena, PfExpr, n);
  if (!to->independent || !to->names || !to->omega || !to->rate || !to->definition || !to->exchanged || !to->v)
    return pf_no_room(w->ctx, "the kinematics");
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
  PfKinematics *own = w->k, *other = pf_arena_array(w->arena, PfKinematics, 1);
  Exchange x = {.form = pf_arena_array(w->arena, PfExpr, w->s)};
  size_t before = words_of(w, w->G);
  bool any = false;
  if (!x.form || !other) return pf_no_room(w->ctx, "the kinematics");
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

static bool is_constant_inertia(const Work *w)
{
  for (int a = 0; a < w->s*w->s; a++)
    if (!is_constant(w, w->G[a])) return false;
  return true;
}

/* A carriage on wheels has a constant inertia in its own axes, and then nothing depends on where it heads. */
static PfStatus try_axes(Work *w, bool *better)
{
  const PfModel *model = w->eq->model;
  PfKinematics *own = w->k, *other = pf_arena_array(w->arena, PfKinematics, 1);
  bool *used = pf_arena_array(w->arena, bool, model->frame_count); /* not those that only pictures have */
  *better = false;
  if (!other || !used) return pf_no_room(w->ctx, "the kinematics");
  pf_frames_used(model, used);
  for (int f = 1; f < model->frame_count && model->constraint_count; f++) {
    int i, j;
    if (!used[f] || !is_planar(w, model->frames + f, &i, &j)) continue;
    PF_TRY(copy(w, own, other));
    w->k = other;
    PF_TRY(turn_axes(w, i, j, model->frames[f].angle));
    PF_TRY(measure(w));
    w->k = own;
    *better = is_constant_inertia(w);
    if (*better) *own = *other;
    return PF_OK;
  }
  return PF_OK;
}

static PfStatus make_room(Work *w)
{
  PfKinematics *k = w->k;
  size_t s = (size_t)k->count;
  w->G = pf_arena_array(w->arena, PfExpr, s*s);
  w->trial = pf_arena_array(w->arena, PfExpr, s*s);
  k->exchanged = pf_arena_array(w->arena, bool, s);
  bool had = k->definition != NULL;
  if (!had) k->definition = pf_arena_array(w->arena, PfExpr, s);
  if (!w->G || !w->trial || !k->exchanged || !k->definition) return pf_no_room(w->ctx, "the kinematics");
  for (size_t a = 0; a < s && !had; a++) k->definition[a] = k->omega[a];
  return PF_OK;
}

PfStatus pf_absolute_rates(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  enum { MOST_SPEEDS = 8, MOST_BODIES = 200 };
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .s = k->count};
  if (k->count < 2 || k->count > MOST_SPEEDS || eq->model->body_count > MOST_BODIES) return PF_OK;
  PF_TRY(make_room(&w));
  bool any = true, constant;
  PF_TRY(try_axes(&w, &constant));
  if (!constant) PF_TRY(measure(&w));
  while (any) PF_TRY(improve(&w, &any));
  return constant ? PF_OK : try_centre(&w);
}
