/* SPDX-License-Identifier: Apache-2.0 */
/* Reduced equations body by body, with names for the velocities of bodies: Newton's and Euler's equations of each along
 * what the pseudo-velocity moves,
 *
 *   sum_b m (V' + W x V).dV/domega_a + (I W' + W x I W).dW/domega_a = Q_a
 *
 * V and W in the axes of the body, their rates not written out: v2' = … is one line, and is short. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

/* A component of V or W: what stands for it and for its rate. */
typedef struct Component {
  PfExpr value, rate;
} Component;

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  int s, bodies;
  const PfExpr *forms; /* bodies x 6 x (s + 1) */
  Component *parts;    /* bodies x 6 */
  PfExpr *known;       /* forms that have a name already, as expressions */
  PfAuthored *out;
} Work;

static PfExpr whole(const Work *w, const PfExpr *form)
{
  return pf_expr_add(w->ctx, form[w->s], pf_combination(w->ctx, form, 1, w->k->omega, w->s));
}

static bool is_zero(const Work *w, PfExpr e)
{
  return pf_expr_is_structural_zero(w->ctx, e);
}

/* ---------------------------------------------------------------- what stands for a component */

/* Constant coefficients: written out. */
static bool is_plain(const Work *w, const PfExpr *form)
{
  int terms = 0;
  if (!is_zero(w, form[w->s])) return false;
  for (int a = 0; a < w->s; a++) {
    if (is_zero(w, form[a])) continue;
    if (pf_is_moving(w->ctx, w->eq->model, w->k, form[a])) return false;
    terms++;
  }
  return terms <= 2;
}

/* Is the coordinate one of those that place the frame in its parent? */
static bool places(const Work *w, int frame, PfExpr q)
{
  const PfFrame *f = w->eq->model->frames + frame;
  return pf_expr_depends(w->ctx, f->origin[0], &q, 1) || pf_expr_depends(w->ctx, f->origin[1], &q, 1) ||
         pf_expr_depends(w->ctx, f->origin[2], &q, 1) || pf_expr_depends(w->ctx, f->angle, &q, 1);
}

static bool is_same(const Work *w, PfExpr a, PfExpr b)
{
  return a == b || pf_expr_is_probably_zero(w->ctx, pf_expr_sub(w->ctx, a, b), 1) == PF_TRUE;
}

/* The rate of a coordinate, up to its sign; in another form only where that coordinate places the body itself. */
static bool is_rate(const Work *w, int body, PfExpr e, Component *part)
{
  PfExpr minus = pf_expr_neg(w->ctx, e);
  for (int i = 0; i < w->eq->n; i++) {
    const PfCoordinate *c = w->eq->model->coordinates + i;
    bool near = places(w, w->eq->model->bodies[body].frame, c->q);
    bool same = near ? is_same(w, w->k->v[i], e) : w->k->v[i] == e;
    bool opposite = near ? is_same(w, w->k->v[i], minus) : w->k->v[i] == minus;
    if (!same && !opposite) continue;
    *part = same ? (Component){c->v, c->a} : (Component){pf_expr_neg(w->ctx, c->v), pf_expr_neg(w->ctx, c->a)};
    return true;
  }
  return false;
}

static bool has_name(const Work *w, PfExpr e, Component *part)
{
  for (int i = 0; i < w->out->part_count; i++) {
    if (w->known[i] != e) continue;
    *part = (Component){w->out->part_names[i], pf_rate_symbol(w->ctx, w->out->part_names[i])};
    return true;
  }
  return false;
}

static PfStatus name_component(Work *w, int body, int row, Component *part, PfExpr e)
{
  static const char *const axes[] = {"x", "y", "z"};
  const PfExpr *form = w->forms + body*6*(w->s + 1);
  int others = 0, first = row < 3 ? 0 : 3;
  char stem[64];
  for (int r = first; r < first + 3; r++) others += r != row && !is_zero(w, whole(w, form + r*(w->s + 1)));
  const char *name = w->eq->model->bodies[body].name, *dot = strrchr(name, '.');
  name = dot ? dot + 1 : name;
  int own = (int)strcspn(name, "["); /* v_linkx[1] */
  snprintf(stem, sizeof stem, "%s_%.*s%s%.20s", row < 3 ? "v" : "w", own < 30 ? own : 30, name,
           others ? axes[row%3] : "", name + own);
  if (w->out->part_count == PF_MOST_AUTHORED) return PF_OK;
  w->known[w->out->part_count] = e;
  return pf_author_name(w->ctx, w->arena, w->eq->model, w->k, stem, w->out, e, &part->value, &part->rate);
}

/* The velocity of a body without mass, the turn of one without inertia: nothing is multiplied by it. */
static bool is_needed(const Work *w, int body, int row)
{
  const PfBody *b = w->eq->model->bodies + body;
  bool needed = !is_zero(w, b->mass);
  for (int i = 0; i < 9 && row >= 3; i++) needed = needed || !is_zero(w, b->inertia[i]);
  return needed;
}

static PfStatus find_component(Work *w, int body, int row)
{
  const PfExpr *form = w->forms + (body*6 + row)*(w->s + 1);
  Component *part = w->parts + body*6 + row;
  PfExpr e = whole(w, form);
  if (is_zero(w, e) || !is_needed(w, body, row)) {
    *part = (Component){pf_expr_int(w->ctx, 0), pf_expr_int(w->ctx, 0)};
    return PF_OK;
  }
  if (is_rate(w, body, e, part) || has_name(w, e, part)) return PF_OK;
  if (!is_plain(w, form)) return name_component(w, body, row, part, e);
  *part = (Component){e, pf_combination(w->ctx, form, 1, w->k->rate, w->s)};
  return PF_OK;
}

/* ---------------------------------------------------------------- forces of inertia of one body */

/* What balances it: m (V' + W x V), I W' + W x I W. */
static void inertia_of(const Work *w, int b, PfExpr force[6])
{
  PfContext *ctx = w->ctx;
  const PfBody *body = w->eq->model->bodies + b;
  const Component *part = w->parts + b*6;
  PfExpr V[3], W[3], H[3], dH[3], turn[3];
  for (int i = 0; i < 3; i++) V[i] = part[i].value, W[i] = part[3 + i].value;
  for (int i = 0; i < 3; i++) {
    PfExpr dW[3] = {part[3].rate, part[4].rate, part[5].rate};
    H[i] = pf_expr_dot3(ctx, body->inertia + 3*i, W);
    dH[i] = pf_expr_dot3(ctx, body->inertia + 3*i, dW);
  }
  pf_expr_cross3(ctx, W, V, turn);
  for (int i = 0; i < 3; i++) force[i] = pf_expr_mul(ctx, body->mass, pf_expr_add(ctx, part[i].rate, turn[i]));
  pf_expr_cross3(ctx, W, H, turn);
  for (int i = 0; i < 3; i++) force[3 + i] = pf_expr_add(ctx, dH[i], turn[i]);
}

/* ---------------------------------------------------------------- equations */

/* All symbols that are rates of something: the unknowns of these equations. */
static int list_rates(const Work *w, PfExpr *rates)
{
  int count = 0;
  for (int a = 0; a < w->s; a++) rates[count++] = w->k->rate[a];
  for (int i = 0; i < w->eq->n; i++) {
    PfExpr second = w->eq->model->coordinates[i].a;
    bool listed = false;
    for (int a = 0; a < w->s; a++) listed = listed || rates[a] == second;
    if (!listed) rates[count++] = second;
  }
  for (int i = 0; i < w->out->part_count; i++) rates[count++] = pf_rate_symbol(w->ctx, w->out->part_names[i]);
  return count;
}

static PfStatus write_equation(Work *w, const PfExpr *forces, PfExpr Q, int a, PfEquation *e)
{
  PfContext *ctx = w->ctx;
  int most = w->s + w->eq->n + w->out->part_count;
  PfExpr *rates = pf_arena_array(w->arena, PfExpr, most), *c = pf_arena_array(w->arena, PfExpr, most);
  PfExpr *zeros = pf_arena_array(w->arena, PfExpr, most), sum = pf_expr_int(ctx, 0), rest;
  if (!rates || !c || !zeros) return pf_no_room(ctx, "the equations");
  for (int r = 0; r < 6*w->bodies; r++)
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, forces[r], w->forms[r*(w->s + 1) + a]));
  int count = list_rates(w, rates);
  for (int i = 0; i < count; i++) zeros[i] = pf_expr_int(ctx, 0);
  PF_TRY(pf_expr_gradient(ctx, sum, rates, count, c));
  PF_TRY(pf_expr_substitute(ctx, &sum, 1, rates, zeros, count, &rest));
  for (int i = 0; i < count; i++) c[i] = pf_expr_simplest(ctx, c[i]);
  e->name = w->k->names[a];
  e->left = pf_combination(ctx, c, 1, rates, count);
  e->right = pf_expr_simplest(ctx, pf_expr_sub(ctx, Q, rest));
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- is it the same? */

/* Names and rates written out. */
static PfStatus write_out(const Work *w, PfExpr *e)
{
  PfContext *ctx = w->ctx;
  const PfModel *model = w->eq->model;
  int s = w->s, n = w->eq->n, parts = w->out->part_count, count = 0;
  PfExpr *from = pf_arena_array(w->arena, PfExpr, 2*(parts + n)), *to = pf_arena_array(w->arena, PfExpr, 2*(parts + n));
  if (!from || !to) return pf_no_room(ctx, "the equations");
  PfExpr *values = pf_arena_array(w->arena, PfExpr, parts + n), *gradient = pf_arena_array(w->arena, PfExpr, s);
  if (!values || !gradient) return pf_no_room(ctx, "the equations");
  int all = list_rates(w, from); /* those of parts come last */
  memmove(from, from + all - parts, (size_t)parts*sizeof *from);
  memcpy(values, w->out->part_values, (size_t)parts*sizeof *values);
  for (int i = 0; i < n; i++) from[parts + i] = model->coordinates[i].a, values[parts + i] = w->k->v[i];
  PF_TRY(pf_along_motion(ctx, w->arena, model, w->k, values, parts + n, to));
  for (; count < parts + n; count++) {
    PF_TRY(pf_expr_gradient(ctx, values[count], w->k->omega, s, gradient));
    to[count] = pf_expr_add(ctx, to[count], pf_combination(ctx, gradient, 1, w->k->rate, s));
  }
  for (int i = 0; i < parts; i++) from[count] = w->out->part_names[i], to[count++] = w->out->part_values[i];
  for (int i = 0; i < n; i++) from[count] = model->coordinates[i].v, to[count++] = w->k->v[i];
  return pf_expr_substitute(ctx, e, 1, from, to, count, e);
}

static PfStatus check(const Work *w, const PfReducedForm *form, const PfEquation *e, int a, bool *same)
{
  PfContext *ctx = w->ctx;
  PfExpr own = pf_expr_sub(ctx, e->left, e->right);
  PfExpr plain = pf_expr_sub(ctx, pf_combination(ctx, form->G + a*w->s, 1, w->k->rate, w->s), form->g[a]);
  PF_TRY(write_out(w, &own));
  *same = *same && pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, own, plain), 1) == PF_TRUE;
  return PF_OK;
}

/* Does the name or its rate stand in an equation or in another name? */
static bool is_used(const Work *w, int part)
{
  PfExpr symbols[2] = {w->out->part_names[part], pf_rate_symbol(w->ctx, w->out->part_names[part])};
  for (int a = 0; a < w->s; a++)
    if (pf_expr_depends(w->ctx, w->out->equations[a].left, symbols, 2) ||
        pf_expr_depends(w->ctx, w->out->equations[a].right, symbols, 2)) return true;
  return false;
}

static void drop_unused(const Work *w)
{
  PfAuthored *out = w->out;
  int kept = 0;
  for (int i = 0; i < out->part_count; i++) {
    if (!is_used(w, i)) continue;
    out->part_names[kept] = out->part_names[i];
    out->part_values[kept++] = out->part_values[i];
  }
  out->part_count = kept;
}

PfStatus pf_author_bodywise(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfExpr *forms, const PfReducedForm *form, const PfExpr *Q, PfAuthored *out,
                            bool *good)
{
  Work w = {.ctx = ctx,
            .arena = arena,
            .eq = eq,
            .k = k,
            .s = k->count,
            .bodies = eq->model->body_count,
            .forms = forms,
            .out = out};
  w.parts = pf_arena_array(arena, Component, 6*(size_t)w.bodies);
  w.known = pf_arena_array(arena, PfExpr, PF_MOST_AUTHORED);
  PfExpr *forces = pf_arena_array(arena, PfExpr, 6*(size_t)w.bodies);
  if (!w.parts || !w.known || !forces) return pf_no_room(ctx, "the equations");
  PF_TRY(pf_author_begin(ctx, arena, k, out));
  for (int b = 0; b < w.bodies; b++)
    for (int row = 0; row < 6; row++) PF_TRY(find_component(&w, b, row));
  *good = out->part_count < PF_MOST_AUTHORED;
  for (int b = 0; b < w.bodies && *good; b++) inertia_of(&w, b, forces + 6*b);
  for (int a = 0; a < w.s && *good; a++) {
    PF_TRY(write_equation(&w, forces, Q[a], a, out->equations + a));
    PF_TRY(check(&w, form, out->equations + a, a, good));
  }
  if (*good) drop_unused(&w);
  return PF_OK;
}
