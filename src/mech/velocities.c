/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of bodies as linear forms of the pseudo-velocities, in the axes of each body, every coefficient in its
 * shortest form; and the kinetic energy in them, body by body. Short forms are found link by link, where the motion of
 * the whole chain in one formula would be hopeless: the n-th trailer moves as its hitch does. */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Link {
  PfExpr u[3], w[3]; /* velocity of the origin, angular velocity */
} Link;

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  const PfKinematics *k;
  bool *used, *round;
  Link *link;
  PfExpr *velocity, *zeros; /* symbols q'; zeros for all omega */
} Work;

static PfStatus star(const Work *w, PfExpr *e, int count)
{
  return pf_expr_substitute(w->ctx, e, count, w->velocity, w->k->v, w->model->coordinate_count, e);
}

/* Coefficients of omega, then what is left without: count + 1. */
static PfStatus take_apart(const Work *w, PfExpr e, PfExpr *form)
{
  int s = w->k->count;
  PF_TRY(pf_expr_gradient(w->ctx, e, w->k->omega, s, form));
  PF_TRY(pf_expr_substitute(w->ctx, &e, 1, w->k->omega, w->zeros, s, form + s));
  for (int a = 0; a <= s; a++) form[a] = pf_expr_simplest(w->ctx, form[a]);
  return pf_expr_check(w->ctx);
}

static PfStatus tidy(const Work *w, PfExpr *e)
{
  int s = w->k->count;
  PfExpr *form = pf_arena_array(w->arena, PfExpr, s + 1);
  if (!form) return pf_no_room(w->ctx, "the velocities of bodies");
  PF_TRY(take_apart(w, *e, form));
  *e = pf_expr_add(w->ctx, form[s], pf_combination(w->ctx, form, 1, w->k->omega, s));
  return PF_OK;
}

static PfStatus tidy3(const Work *w, PfExpr *e)
{
  for (int k = 0; k < 3; k++) PF_TRY(tidy(w, e + k));
  return PF_OK;
}

static void from_parent(const Work *w, int frame, const PfExpr *v, PfExpr *out)
{
  if (w->round[frame]) memcpy(out, v, 3*sizeof *out);
  else pf_frame_from_parent(w->model, frame, v, out);
}

/* The rates at which the frame moves against its parent: of its origin, and its turn in its own axes. */
static PfStatus find_rates(const Work *w, const PfFrame *frame, PfExpr rate[3], PfExpr turn[3])
{
  PfExpr zero = pf_expr_int(w->ctx, 0);
  PfExpr e[4] = {frame->origin[0], frame->origin[1], frame->origin[2], frame->angle ? frame->angle : zero};
  PF_TRY(pf_model_time_derivative(w->model, e, 4, e));
  memcpy(rate, e, 3*sizeof *rate);
  for (int k = 0; k < 3; k++)
    turn[k] = frame->rotation[0] ? frame->turning[k] : pf_expr_mul(w->ctx, e[3], frame->axis[k]);
  PF_TRY(star(w, rate, 3));
  return star(w, turn, 3);
}

static PfStatus move(const Work *w, int f)
{
  const PfFrame *frame = w->model->frames + f;
  const Link *parent = w->link + frame->parent;
  Link *link = w->link + f;
  PfExpr rate[3], turn[3], u[3];
  PF_TRY(find_rates(w, frame, rate, turn));
  pf_expr_cross3(w->ctx, parent->w, frame->origin, u);
  for (int k = 0; k < 3; k++) {
    PfExpr terms[3] = {parent->u[k], u[k], rate[k]};
    u[k] = pf_expr_sum(w->ctx, terms, 3);
  }
  from_parent(w, f, u, link->u);
  from_parent(w, f, parent->w, link->w);
  if (pf_frame_is_turned(frame))
    for (int k = 0; k < 3; k++) link->w[k] = pf_expr_add(w->ctx, link->w[k], turn[k]);
  PF_TRY(tidy3(w, link->u));
  return tidy3(w, link->w);
}

static PfStatus list_body(const Work *w, const PfBody *body, PfExpr *form)
{
  const Link *link = w->link + body->frame;
  int stride = w->k->count + 1;
  PfExpr swing[3];
  pf_expr_cross3(w->ctx, link->w, body->com, swing);
  for (int k = 0; k < 3; k++) {
    PF_TRY(take_apart(w, pf_expr_add(w->ctx, link->u[k], swing[k]), form + k*stride));
    PF_TRY(take_apart(w, link->w[k], form + (3 + k)*stride));
  }
  return PF_OK;
}

PfStatus pf_body_velocities(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            PfExpr **forms)
{
  const PfModel *model = eq->model;
  int n = model->coordinate_count;
  Work w = {.ctx = ctx, .arena = arena, .model = model, .k = k};
  w.used = pf_arena_array(arena, bool, model->frame_count);
  w.round = pf_arena_array(arena, bool, model->frame_count);
  w.link = pf_arena_array(arena, Link, model->frame_count);
  w.velocity = pf_arena_array(arena, PfExpr, n);
  w.zeros = pf_arena_array(arena, PfExpr, k->count);
  *forms = pf_arena_array(arena, PfExpr, (size_t)model->body_count*6*(size_t)(k->count + 1));
  if (!w.used || !w.round || !w.link || !w.velocity || !w.zeros || !*forms)
    return pf_no_room(ctx, "the velocities of bodies");
  for (int i = 0; i < n; i++) w.velocity[i] = model->coordinates[i].v;
  for (int a = 0; a < k->count; a++) w.zeros[a] = pf_expr_int(ctx, 0);
  for (int i = 0; i < 3; i++) w.link[0].u[i] = w.link[0].w[i] = pf_expr_int(ctx, 0);
  pf_frames_used(model, w.used);
  pf_frames_round(model, w.used, w.round);
  for (int f = 1; f < model->frame_count; f++)
    if (w.used[f]) PF_TRY(move(&w, f));
  for (int b = 0; b < model->body_count; b++)
    PF_TRY(list_body(&w, model->bodies + b, *forms + b*6*(k->count + 1)));
  return PF_OK;
}

/* ---------------------------------------------------------------- inertia */

/* What one body adds to G_ab. */
static PfExpr body_inertia(PfContext *ctx, const PfBody *body, const PfExpr *form, int stride, int a, int b)
{
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int i = 0; i < 3; i++) {
    PfExpr factors[3] = {body->mass, form[i*stride + a], form[i*stride + b]};
    sum = pf_expr_add(ctx, sum, pf_expr_product(ctx, factors, 3));
    for (int j = 0; j < 3; j++) {
      PfExpr turns[3] = {body->inertia[3*i + j], form[(3 + i)*stride + a], form[(3 + j)*stride + b]};
      sum = pf_expr_add(ctx, sum, pf_expr_product(ctx, turns, 3));
    }
  }
  return sum;
}

/* Of the kinetic energy that is given by a formula. */
static PfStatus formula_inertia(PfContext *ctx, PfArena *arena, const PfModel *model, const PfKinematics *k, PfExpr *G)
{
  int n = model->coordinate_count, s = k->count;
  PfExpr *v = pf_arena_array(arena, PfExpr, n), *p = pf_arena_array(arena, PfExpr, s), T;
  if (!v || !p) return pf_no_room(ctx, "the inertia");
  for (int i = 0; i < n; i++) v[i] = model->coordinates[i].v;
  PF_TRY(pf_expr_substitute(ctx, &model->kinetic, 1, v, k->v, n, &T));
  PF_TRY(pf_expr_gradient(ctx, T, k->omega, s, p));
  for (int a = 0; a < s; a++) PF_TRY(pf_expr_gradient(ctx, p[a], k->omega, s, G + a*s));
  return PF_OK;
}

PfExpr pf_shorter(PfContext *ctx, PfExpr a, PfExpr b)
{
  return pf_expr_words(ctx, b) < pf_expr_words(ctx, a) ? b : a;
}

PfStatus pf_reduced_inertia(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfExpr *forms, PfExpr *G)
{
  enum { LONG_SUM = 1500 };
  const PfModel *model = eq->model;
  int s = k->count, stride = s + 1;
  PF_TRY(formula_inertia(ctx, arena, model, k, G));
  for (int a = 0; a < s; a++)
    for (int b = 0; b <= a; b++) {
      PfExpr sum = pf_expr_simplest(ctx, G[a*s + b]);
      for (int i = 0; i < model->body_count; i++) {
        PfExpr own = body_inertia(ctx, model->bodies + i, forms + i*6*stride, stride, a, b);
        sum = pf_expr_add(ctx, sum, pf_expr_simplest(ctx, own));
      }
      if (pf_expr_length(ctx, sum) < LONG_SUM) sum = pf_shorter(ctx, sum, pf_expr_simplest(ctx, sum));
      G[a*s + b] = G[b*s + a] = sum;
    }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- forces of inertia */

/* m (V' + W x V) and I W' + W x I W of a body while the pseudo-velocities are constant. */
static PfStatus body_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfBody *body, const PfExpr *form, PfExpr force[6])
{
  int s = k->count, stride = s + 1;
  PfExpr y[6], rate[6], H[3], dH[3], turn[3];
  for (int r = 0; r < 6; r++)
    y[r] = pf_expr_add(ctx, form[r*stride + s], pf_combination(ctx, form + r*stride, 1, k->omega, s));
  PF_TRY(pf_along_motion(ctx, arena, eq->model, k, y, 6, rate));
  for (int i = 0; i < 3; i++) {
    H[i] = pf_expr_dot3(ctx, body->inertia + 3*i, y + 3);
    dH[i] = pf_expr_dot3(ctx, body->inertia + 3*i, rate + 3);
  }
  pf_expr_cross3(ctx, y + 3, y, turn);
  for (int i = 0; i < 3; i++) force[i] = pf_expr_mul(ctx, body->mass, pf_expr_add(ctx, rate[i], turn[i]));
  pf_expr_cross3(ctx, y + 3, H, turn);
  for (int i = 0; i < 3; i++) force[3 + i] = pf_expr_add(ctx, dH[i], turn[i]);
  return pf_expr_check(ctx);
}

PfStatus pf_inertia_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                           const PfExpr *forms, PfExpr *out)
{
  int s = k->count, stride = s + 1;
  for (int a = 0; a < s; a++) out[a] = pf_expr_int(ctx, 0);
  for (int b = 0; b < eq->model->body_count; b++) {
    const PfExpr *form = forms + b*6*stride;
    PfExpr force[6];
    PF_TRY(body_forces(ctx, arena, eq, k, eq->model->bodies + b, form, force));
    for (int a = 0; a < s; a++)
      for (int r = 0; r < 6; r++)
        out[a] = pf_expr_sub(ctx, out[a], pf_expr_mul(ctx, form[r*stride + a], force[r]));
  }
  return pf_expr_check(ctx);
}
