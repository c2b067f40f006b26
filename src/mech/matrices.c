/* SPDX-License-Identifier: Apache-2.0 */
/* Reduced equations between matrices, as of a carriage on N wheels (Zobova 2011, eq. (4.6)):
 *
 *   (G0 + Xi^T J Xi) u' = g + Xi^T tau,   s' = Xi u
 *
 * s are the coordinates that turn at constant ratios to the pseudo-velocities u: wheels and parts geared to them; J are
 * their own inertias, tau the forces on them. Without such coordinates it is G u' = g. */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  const PfReducedForm *form;
  PfDerivation *d;
  int n, s, wheels, *wheel; /* wheel: coordinates */
  PfExpr *Xi, *J, *tau;     /* wheels x s, wheels x wheels, wheels */
} Work;

/* ---------------------------------------------------------------- wheels */

/* pf_is_moving for the model of the equations. */
static bool is_moving(const Work *w, PfExpr e)
{
  return pf_is_moving(w->ctx, w->eq->model, w->k, e);
}

/* Does coordinate i turn with constant ratios to u and with nothing else, does it not matter where it stands, and is
 * its inertia constant and coupled to nothing else? */
static bool is_wheel(const Work *w, int i)
{
  PfContext *ctx = w->ctx;
  PfExpr q = w->eq->model->coordinates[i].q, own = w->eq->M[i*w->n + i];
  PfExpr turn = pf_combination(ctx, w->k->N + i*w->s, 1, w->k->omega, w->s);
  if (w->eq->model->coordinates[i].quasi || pf_expr_is_structural_zero(ctx, turn)) return false;
  for (int j = 0; j < w->n; j++)
    if (pf_expr_depends(ctx, w->k->v[j], &q, 1)) return false;
  for (int a = 0; a < w->s; a++)
    if (w->k->independent[a] == i || is_moving(w, w->k->N[i*w->s + a])) return false;
  if (pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, w->k->v[i], turn), 1) != PF_TRUE) return false;
  if (pf_expr_is_structural_zero(ctx, own) || is_moving(w, own)) return false;
  for (int j = 0; j < w->n; j++)
    if (j != i && pf_expr_is_probably_zero(ctx, w->eq->M[i*w->n + j], 1) != PF_TRUE) return false;
  return true;
}

/* Applied forces and those of potentials along each wheel, by the pseudo-velocities. */
static PfStatus find_torques(Work *w)
{
  PfContext *ctx = w->ctx;
  const PfModel *model = w->eq->model;
  PfExpr *slope;
  PF_TRY(pf_arrays(ctx, w->arena, "the matrices", PF_ROOM(slope, w->n)));
  PF_TRY(pf_model_gradient(model, w->eq->potential, slope));
  for (int i = 0; i < w->wheels; i++) {
    int c = w->wheel[i];
    w->tau[i] = pf_expr_sub(ctx, pf_expr_add(ctx, w->eq->applied[c], w->eq->C[c]), slope[c]);
    for (int j = 0; j < w->n; j++) { /* the velocities of wheels themselves stay: tau = c1 U - c2 chi' */
      PfExpr v = model->coordinates[j].v;
      bool wheel = false;
      for (int l = 0; l < w->wheels; l++) wheel = wheel || w->wheel[l] == j;
      if (!wheel) PF_TRY(pf_expr_substitute(ctx, w->tau + i, 1, &v, w->k->v + j, 1, w->tau + i));
    }
    w->tau[i] = pf_expr_simplest(ctx, w->tau[i]);
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- the matrices */

PfStatus pf_matrix_add(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *stem, int rows, int columns,
                       PfExpr *entries, PfExpr *name)
{
  const int speeds = d->speeds ? d->unknown_count : 0, count = speeds + d->matrix_count + d->part_count;
  PfExpr *taken;
  const char *text;
  PF_TRY(pf_arrays(ctx, arena, "the matrices", PF_ROOM(taken, count)));
  if (speeds) memcpy(taken, d->speeds, (size_t)speeds*sizeof *taken);
  for (int i = 0; i < d->matrix_count; i++) taken[speeds + i] = d->matrices[i].name;
  for (int i = 0; i < d->part_count; i++) taken[speeds + d->matrix_count + i] = d->part_names[i];
  PF_TRY(pf_model_free_name(d->model, arena, stem, taken, count, &text, name));
  d->matrices[d->matrix_count++] = (PfNamedMatrix){*name, rows, columns, entries};
  return PF_OK;
}

/* Names a matrix and adds it to the derivation. */
static PfStatus add(Work *w, const char *stem, int rows, int columns, PfExpr *entries, PfExpr *name)
{
  return pf_matrix_add(w->ctx, w->arena, w->d, stem, rows, columns, entries, name);
}

/* G less what the wheels add to it, g less the forces on them. */
static PfStatus take_wheels_off(const Work *w, PfExpr *G, PfExpr *g)
{
  PfContext *ctx = w->ctx;
  for (int a = 0; a < w->s; a++) {
    g[a] = w->form->g[a];
    for (int i = 0; i < w->wheels; i++) {
      PfExpr tau;
      PF_TRY(pf_put_velocities(w->eq->model, w->k->v, w->tau + i, 1, &tau));
      g[a] = pf_expr_sub(ctx, g[a], pf_expr_mul(ctx, w->Xi[i*w->s + a], tau));
    }
    g[a] = pf_expr_simplest(ctx, g[a]);
    for (int b = 0; b < w->s; b++) {
      PfExpr *entry = G + a*w->s + b;
      *entry = w->form->G[a*w->s + b];
      for (int i = 0; i < w->wheels; i++) {
        PfExpr product[3] = {w->Xi[i*w->s + a], w->J[i*w->wheels + i], w->Xi[i*w->s + b]};
        *entry = pf_expr_sub(ctx, *entry, pf_expr_product(ctx, product, 3));
      }
      *entry = pf_expr_simplest(ctx, *entry);
    }
  }
  return pf_expr_check(ctx);
}

/* A symbol as it is written; "" without memory. */
static const char *name_of(const Work *w, PfExpr symbol, PfNotation notation)
{
  const char *text = pf_expr_print(w->ctx, w->arena, symbol, notation);
  return text ? text : "";
}

/* The name of a vector of symbols that have one stem, as chi of chi[1], chi[2]; else the one given. */
static const char *stem_of(const Work *w, const PfExpr *symbols, int count, const char *otherwise)
{
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    const char *name = pf_expr_symbol_name(w->ctx, symbols[i]);
    size_t own = strcspn(name, "[0123456789'");
    if (i && (own != length || strncmp(name, pf_expr_symbol_name(w->ctx, symbols[0]), own))) return otherwise;
    if (own == 0 || !name[own] || name[own] == '\'') return otherwise;
    length = own;
  }
  const char *stem = pf_arena_text(w->arena, pf_expr_symbol_name(w->ctx, symbols[0]), length);
  return stem ? stem : otherwise;
}

/* The equation between matrices as text and LaTeX. */
static PfStatus write_lines(const Work *w, PfExpr u, PfExpr G, PfExpr g)
{
  const char *(*of)(const Work *, PfExpr, PfNotation) = name_of;
  PfDerivation *d = w->d;
  PfExpr rate = pf_rate_symbol(w->ctx, u);
  PfText text, latex;
  pf_text_init(&text, pf_context_allocator(w->ctx));
  pf_text_init(&latex, pf_context_allocator(w->ctx));
  if (!w->wheels) {
    pf_text_print(&text, "%s*%s = %s", of(w, G, PF_TEXT), of(w, rate, PF_TEXT), of(w, g, PF_TEXT));
    pf_text_print(&latex, "%s\\, %s = %s", of(w, G, PF_LATEX), of(w, rate, PF_LATEX), of(w, g, PF_LATEX));
  } else {
    PfExpr Xi = d->matrices[2].name, J = d->matrices[3].name, tau = d->matrices[4].name;
    pf_text_print(&text, "(%s + %s^T*%s*%s)*%s = %s + %s^T*%s", of(w, G, PF_TEXT), of(w, Xi, PF_TEXT),
                  of(w, J, PF_TEXT), of(w, Xi, PF_TEXT), of(w, rate, PF_TEXT), of(w, g, PF_TEXT), of(w, Xi, PF_TEXT),
                  of(w, tau, PF_TEXT));
    pf_text_print(&latex, "\\left(%s + %s^{\\mathsf T}\\, %s\\, %s\\right) %s = %s + %s^{\\mathsf T}\\, %s",
                  of(w, G, PF_LATEX), of(w, Xi, PF_LATEX), of(w, J, PF_LATEX), of(w, Xi, PF_LATEX),
                  of(w, rate, PF_LATEX), of(w, g, PF_LATEX), of(w, Xi, PF_LATEX), of(w, tau, PF_LATEX));
  }
  PfStatus status = pf_line_add(w->ctx, w->arena, &d->matrix_lines, &d->matrix_line_count, &text, &latex);
  if (status == PF_OK && w->wheels) {
    PfExpr s = pf_rate_symbol(w->ctx, d->matrices[1].name), Xi = d->matrices[2].name;
    text.count = latex.count = 0;
    pf_text_print(&text, "%s = %s*%s", of(w, s, PF_TEXT), of(w, Xi, PF_TEXT), of(w, u, PF_TEXT));
    pf_text_print(&latex, "%s = %s\\, %s", of(w, s, PF_LATEX), of(w, Xi, PF_LATEX), of(w, u, PF_LATEX));
    status = pf_line_add(w->ctx, w->arena, &d->matrix_lines, &d->matrix_line_count, &text, &latex);
  }
  pf_text_free(&text);
  pf_text_free(&latex);
  return status;
}

/* Wheels, their moments of inertia J, their rates Xi u and the torques tau on them; then G0, g and the equation. */
PfStatus pf_derive_matrices(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                            const PfReducedForm *form, PfDerivation *d)
{
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .form = form, .d = d, .n = eq->n, .s = k->count};
  PfExpr *G, *g, *s, u, name, inertia, right;
  PF_TRY(pf_arrays(ctx, arena, "the matrices", PF_ROOM2(G, w.s, w.s), PF_ROOM(g, w.s), PF_ROOM(s, w.n),
                   PF_ROOM(w.wheel, w.n)));
  for (int i = 0; i < w.n; i++)
    if (is_wheel(&w, i)) w.wheel[w.wheels++] = i;
  const int m = w.wheels;
  PF_TRY(pf_arrays(ctx, arena, "the matrices", PF_ROOM2(w.Xi, m, w.s), PF_ROOM2(w.J, m, m), PF_ROOM(w.tau, m)));
  for (int i = 0; i < m*m; i++) w.J[i] = pf_expr_int(ctx, 0);
  for (int i = 0; i < m; i++) w.J[i*(m + 1)] = pf_expr_simplest(ctx, eq->M[w.wheel[i]*(w.n + 1)]);
  for (int i = 0; i < m; i++)
    for (int a = 0; a < w.s; a++) w.Xi[i*w.s + a] = pf_expr_simplest(ctx, k->N[w.wheel[i]*w.s + a]);
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(find_torques(&w));
  PF_TRY(take_wheels_off(&w, G, g));
  for (int i = 0; i < m; i++) s[i] = eq->model->coordinates[w.wheel[i]].q;
  PF_TRY(add(&w, stem_of(&w, k->omega, w.s, "omega"), w.s, 1, k->omega, &u));
  if (m) {
    PF_TRY(add(&w, stem_of(&w, s, m, "s"), m, 1, s, &name));
    PF_TRY(add(&w, "Xi", m, w.s, w.Xi, &name));
    PF_TRY(add(&w, "J", m, m, w.J, &name));
    PF_TRY(add(&w, "tau", m, 1, w.tau, &name));
  }
  PF_TRY(add(&w, m ? "G0" : "G", w.s, w.s, G, &inertia));
  PF_TRY(add(&w, "g", w.s, 1, g, &right));
  return write_lines(&w, u, inertia, right);
}
