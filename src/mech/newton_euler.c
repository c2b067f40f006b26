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

/* A component of V or W: the expressions for it and for its rate. */
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
  PfReducedRows *out;
} Work;

/* A form as an expression: coefficients times pseudo-velocities, and the free term. */
static PfExpr whole(const Work *w, const PfExpr *form)
{
  return pf_expr_add(w->ctx, form[w->s], pf_combination(w->ctx, form, 1, w->k->omega, w->s));
}

/* Is e written as 0? */
static bool is_zero(const Work *w, PfExpr e)
{
  return pf_expr_is_structural_zero(w->ctx, e);
}

/* ---------------------------------------------------------------- what stands for a component */

/* Are both equal, to the letter or for random numbers? */
static bool is_same(const Work *w, PfExpr a, PfExpr b)
{
  return a == b || pf_expr_is_probably_zero(w->ctx, pf_expr_sub(w->ctx, a, b), 1) == PF_TRUE;
}

/* The rate of a coordinate, up to its sign; in another form only where that coordinate places the body's own frame in
 * its parent. */
static bool is_rate(const Work *w, int body, PfExpr e, Component *part)
{
  const PfFrame *f = w->eq->model->frames + w->eq->model->bodies[body].frame;
  PfExpr minus = pf_expr_neg(w->ctx, e);
  for (int i = 0; i < w->eq->n; i++) {
    const PfCoordinate *c = w->eq->model->coordinates + i;
    bool near = pf_expr_depends(w->ctx, f->angle, &c->q, 1);
    for (int k = 0; k < 3; k++) near = near || pf_expr_depends(w->ctx, f->origin[k], &c->q, 1);
    bool same = near ? is_same(w, w->k->v[i], e) : w->k->v[i] == e;
    bool opposite = near ? is_same(w, w->k->v[i], minus) : w->k->v[i] == minus;
    if (!same && !opposite) continue;
    *part = same ? (Component){c->v, c->a} : (Component){pf_expr_neg(w->ctx, c->v), pf_expr_neg(w->ctx, c->a)};
    return true;
  }
  return false;
}

/* Names a component of a velocity: v_body, or v_bodyx where there are others of the same body. */
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
  return pf_reduced_name(w->ctx, w->arena, w->eq->model, w->k, stem, w->out, e, &part->value, &part->rate);
}

/* A component as it is written in the equations: zero, also where nothing is multiplied by it, since the body has no
 * mass or no inertia; one known before; written out when it has two terms at most, with constant coefficients; or a new
 * name. */
static PfStatus find_component(Work *w, int body, int row)
{
  const PfExpr *form = w->forms + (body*6 + row)*(w->s + 1);
  const PfBody *b = w->eq->model->bodies + body;
  Component *part = w->parts + body*6 + row;
  PfExpr e = whole(w, form);
  bool needed = !is_zero(w, b->mass), plain = is_zero(w, form[w->s]);
  for (int i = 0; i < 9 && row >= 3; i++) needed = needed || !is_zero(w, b->inertia[i]);
  if (is_zero(w, e) || !needed) {
    *part = (Component){pf_expr_int(w->ctx, 0), pf_expr_int(w->ctx, 0)};
    return PF_OK;
  }
  if (is_rate(w, body, e, part)) return PF_OK;
  for (int i = 0; i < w->out->part_count; i++) {
    if (w->known[i] != e) continue;
    *part = (Component){w->out->part_names[i], pf_rate_symbol(w->ctx, w->out->part_names[i])};
    return PF_OK;
  }
  int terms = 0;
  for (int a = 0; a < w->s && plain; a++) {
    terms += !is_zero(w, form[a]);
    plain = is_zero(w, form[a]) || !pf_is_moving(w->ctx, w->eq->model, w->k, form[a]);
  }
  if (!plain || terms > 2) return name_component(w, body, row, part, e);
  *part = (Component){e, pf_combination(w->ctx, form, 1, w->k->rate, w->s)};
  return PF_OK;
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

/* Equation a: the forces of inertia of all bodies along omega_a, sum_r force_r dV_r/domega_a, sorted by the rates in
 * them. */
static PfStatus write_equation(Work *w, const PfExpr *forces, PfExpr Q, int a, PfEquation *e)
{
  PfContext *ctx = w->ctx;
  int most = w->s + w->eq->n + w->out->part_count;
  PfExpr *rates, *c, *zeros, sum = pf_expr_int(ctx, 0), rest;
  PF_TRY(pf_arrays(ctx, w->arena, "the equations", PF_ROOM(rates, most), PF_ROOM(c, most), PF_ROOM(zeros, most)));
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

/* Is the equation, with names and rates written out, the same as row a of G omega' = g? */
static PfStatus check(const Work *w, const PfReducedForm *form, const PfEquation *e, int a, bool *same)
{
  PfContext *ctx = w->ctx;
  const PfModel *model = w->eq->model;
  const int s = w->s, n = w->eq->n, parts = w->out->part_count;
  int count = 0;
  PfExpr own = pf_expr_sub(ctx, e->left, e->right), *from, *to, *values, *gradient;
  PfExpr plain = pf_expr_sub(ctx, pf_combination(ctx, form->G + a*s, 1, w->k->rate, s), form->g[a]);
  PF_TRY(pf_arrays(ctx, w->arena, "the equations", PF_ROOM(from, 2*(parts + n)), PF_ROOM(to, 2*(parts + n)),
                   PF_ROOM(values, parts + n), PF_ROOM(gradient, s)));
  int all = list_rates(w, from); /* those of parts come last */
  memmove(from, from + all - parts, (size_t)parts*sizeof *from);
  memcpy(values, w->out->part_values, (size_t)parts*sizeof *values);
  for (int i = 0; i < n; i++) from[parts + i] = model->coordinates[i].a, values[parts + i] = w->k->v[i];
  PF_TRY(pf_model_derive_along(model, w->k->v, values, parts + n, to));
  for (; count < parts + n; count++) {
    PF_TRY(pf_expr_gradient(ctx, values[count], w->k->omega, s, gradient));
    to[count] = pf_expr_add(ctx, to[count], pf_combination(ctx, gradient, 1, w->k->rate, s));
  }
  for (int i = 0; i < parts; i++) from[count] = w->out->part_names[i], to[count++] = w->out->part_values[i];
  for (int i = 0; i < n; i++) from[count] = model->coordinates[i].v, to[count++] = w->k->v[i];
  PF_TRY(pf_expr_substitute(ctx, &own, 1, from, to, count, &own));
  *same = *same && pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, own, plain), 1) == PF_TRUE;
  return PF_OK;
}

/* Names for velocities first, then forces of inertia of all bodies in these names, then the equations. Every equation
 * is compared with the row of G omega' = g: should one differ, `good` is false. */
PfStatus pf_reduced_newton_euler(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                 const PfExpr *forms, const PfReducedForm *form, const PfExpr *Q, PfReducedRows *out,
                                 bool *good)
{
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .s = k->count, .bodies = eq->model->body_count,
            .forms = forms, .out = out};
  PfExpr *forces;
  int kept = 0;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM2(w.parts, 6, w.bodies), PF_ROOM(w.known, PF_MOST_AUTHORED),
                   PF_ROOM2(forces, 6, w.bodies)));
  PF_TRY(pf_reduced_begin(ctx, arena, k, out));
  for (int b = 0; b < w.bodies; b++)
    for (int row = 0; row < 6; row++) PF_TRY(find_component(&w, b, row));
  *good = out->part_count < PF_MOST_AUTHORED;
  for (int b = 0; b < w.bodies && *good; b++) {
    PfExpr y[6], rate[6];
    for (int i = 0; i < 6; i++) y[i] = w.parts[6*b + i].value, rate[i] = w.parts[6*b + i].rate;
    pf_inertia_force(ctx, eq->model->bodies + b, y, rate, forces + 6*b);
  }
  for (int a = 0; a < w.s && *good; a++) {
    PF_TRY(write_equation(&w, forces, Q[a], a, out->equations + a));
    PF_TRY(check(&w, form, out->equations + a, a, good));
  }
  for (int i = 0; i < out->part_count && *good; i++) { /* names that stand in no equation are dropped */
    PfExpr symbols[2] = {out->part_names[i], pf_rate_symbol(ctx, out->part_names[i])};
    bool used = false;
    for (int a = 0; a < w.s && !used; a++)
      used = pf_expr_depends(ctx, out->equations[a].left, symbols, 2) ||
             pf_expr_depends(ctx, out->equations[a].right, symbols, 2);
    if (!used) continue;
    out->part_names[kept] = out->part_names[i];
    out->part_values[kept++] = out->part_values[i];
  }
  if (*good) out->part_count = kept;
  return PF_OK;
}
