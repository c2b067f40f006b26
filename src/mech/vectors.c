/* SPDX-License-Identifier: Apache-2.0 */
/* Equations of bodies that turn freely, between vectors, where that is shorter than their components:
 *
 *   I w' + w x I w + alpha (e . w') e = c x e + …        Euler's equations
 *   e' = e x w,   q' = q o w/2                           how axes of the surroundings and the quaternion follow
 *
 * with an axis e of the frame that the body is placed in, in the axes of the body: for a rolling ball alpha is -m R^2
 * and e is the vertical. The written terms are subtracted from the components, and the rest must vanish. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

enum { COSINES = 9 };

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  const PfReducedForm *form;
  PfDerivation *d;
  const PfSpinning *spinning;
  int row[3];            /* of the pseudo-velocities */
  PfExpr w[3], rate[3];
  const PfAuxiliary *cosine;
  PfExpr inertia[9], alpha, arm[3], rest[3];
  int axis, arm_axis;    /* which e; -1: none */
} Work;

/* ---------------------------------------------------------------- lines */

/* Both notations of a line stand for the same equation. */
PfStatus pf_line_add(PfContext *ctx, PfArena *arena, PfLine **lines, int *count, const PfText *text,
                     const PfText *latex)
{
  PfLine *longer = pf_arena_array(arena, PfLine, *count + 1);
  if (!longer) return pf_no_room(ctx, "the equations");
  if (*count) memcpy(longer, *lines, (size_t)*count*sizeof *longer);
  longer[*count].text = pf_arena_text(arena, pf_text_get(text), text->count);
  longer[*count].latex = pf_arena_text(arena, pf_text_get(latex), latex->count);
  if (!longer[*count].text || !longer[*count].latex) return pf_no_room(ctx, "the equations");
  *lines = longer;
  (*count)++;
  return PF_OK;
}

/* One line in both notations at a time. */
typedef struct Pen {
  PfContext *ctx;
  PfArena *arena;
  PfText text, latex;
} Pen;

/* Begins an empty line. */
static void pen_begin(Pen *pen, PfContext *ctx, PfArena *arena)
{
  *pen = (Pen){.ctx = ctx, .arena = arena};
  pf_text_init(&pen->text, pf_context_allocator(ctx));
  pf_text_init(&pen->latex, pf_context_allocator(ctx));
}

/* Adds the line to the derivation, unless `status` is a failure, and frees its texts. */
static PfStatus pen_end(Pen *pen, PfDerivation *d, PfStatus status)
{
  if (status == PF_OK)
    status = pf_line_add(pen->ctx, pen->arena, &d->lines, &d->line_count, &pen->text, &pen->latex);
  pf_text_free(&pen->text);
  pf_text_free(&pen->latex);
  return status;
}

/* The same piece in both notations. */
static void put(Pen *pen, const char *text, const char *latex)
{
  pf_text_add(&pen->text, text);
  pf_text_add(&pen->latex, latex);
}

/* An expression; as a factor, a sum stands in brackets. */
static void put_expr(Pen *pen, PfExpr e, bool factor)
{
  bool sum = factor && pf_expr_op(pen->ctx, e) == PF_OP_SUM;
  const char *text = pf_expr_print(pen->ctx, pen->arena, e, PF_TEXT);
  const char *latex = pf_expr_print(pen->ctx, pen->arena, e, PF_LATEX);
  pf_text_print(&pen->text, sum ? "(%s)" : "%s", text ? text : "");
  pf_text_print(&pen->latex, sum ? "\\left(%s\\right)" : "%s", latex ? latex : "");
}

/* A vector by its components, in brackets. */
static void put_components(Pen *pen, const PfExpr *c, int count)
{
  put(pen, "(", "\\left(");
  for (int i = 0; i < count; i++) {
    if (i) put(pen, ", ", ",\\, ");
    put_expr(pen, c[i], false);
  }
  put(pen, ")", "\\right)");
}

/* ---------------------------------------------------------------- names of vectors */

/* The symbol of a vector by that of its first component: ball.w of ball.wx, ball.omega of ball.omega_x, with primes. In
 * LaTeX it is \omega of \omega_{x}, \omega_{ball} of \omega_{x,ball}, in bold. */
static PfExpr vector_of(PfContext *ctx, PfArena *arena, PfExpr component, int primes)
{
  const char *name = pf_expr_symbol_name(ctx, component);
  size_t length = strcspn(name, "'");
  if (length > 1) length--;
  if (length > 1 && name[length - 1] == '_') length--;
  const char *text = pf_arena_print(arena, "%.*s%.*s", (int)length, name, primes, "''");
  if (!text) return PF_EXPR_NONE;
  PfExpr vector = pf_expr_symbol(ctx, text);
  const char *latex = pf_expr_print(ctx, arena, component, PF_LATEX), *index = latex ? strstr(latex, "_{") : NULL;
  if (!index) return vector;
  size_t first = strcspn(index + 2, ",}");
  const char *owner = index[2 + first] == ',' ? index + 3 + first : "";
  PfText notation;
  pf_text_init(&notation, pf_context_allocator(ctx));
  pf_text_print(&notation, primes ? "\\dot{\\boldsymbol{%.*s}}" : "\\boldsymbol{%.*s}", (int)(index - latex), latex);
  if (*owner) pf_text_print(&notation, "_{%s", owner); /* with its bracket */
  bool good = pf_expr_symbol_notation(ctx, vector, pf_text_get(&notation));
  pf_text_free(&notation);
  return good ? vector : PF_EXPR_NONE;
}

/* Component i of an axis of the surroundings, in the axes of the body: a direction cosine. */
static PfExpr axis_symbol(const Work *w, int axis, int i)
{
  return w->cosine[3*axis + i].symbol;
}

/* ---------------------------------------------------------------- recognising */

/* Is it made of parameters, without coordinates, velocities and rates? */
static bool is_constant(const Work *w, PfExpr e)
{
  return e != PF_EXPR_NONE && !pf_is_moving(w->ctx, w->eq->model, w->k, e) &&
         !pf_expr_depends(w->ctx, e, w->k->rate, w->k->count);
}

/* The entry of G for two components of the angular velocity of the body. */
static PfExpr entry(const Work *w, int i, int j)
{
  return w->form->G[w->row[i]*w->k->count + w->row[j]];
}

/* G = I + alpha e e^T with a constant I: alpha is read from the off-diagonal entries. */
static bool try_axis(Work *w, int axis)
{
  PfContext *ctx = w->ctx;
  PfExpr e[3] = {axis_symbol(w, axis, 0), axis_symbol(w, axis, 1), axis_symbol(w, axis, 2)};
  w->alpha = pf_expr_simplest(ctx, pf_expr_diff(ctx, pf_expr_diff(ctx, entry(w, 0, 1), e[0]), e[1]));
  if (!is_constant(w, w->alpha)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      PfExpr product[3] = {w->alpha, e[i], e[j]};
      w->inertia[3*i + j] =
          pf_expr_simplest(ctx, pf_expr_sub(ctx, entry(w, i, j), pf_expr_product(ctx, product, 3)));
      if (!is_constant(w, w->inertia[3*i + j])) return false;
    }
  w->axis = pf_expr_is_structural_zero(ctx, w->alpha) ? -1 : axis;
  return true;
}

/* Is the motion of the body I w' + w x I w + alpha (e . w') e = rest, with an equation for each of its
 * pseudo-velocities in which nothing else accelerates? Of a body in axes that do not turn with it only w' is left: it
 * is round. Fills rows, inertia and rest. */
static bool is_euler(Work *w)
{
  PfContext *ctx = w->ctx;
  const int s = w->k->count;
  PfExpr H[3], turn[3];
  for (int i = 0; i < 3; i++) {
    w->row[i] = -1;
    w->w[i] = w->eq->model->coordinates[w->spinning->first + i].v;
    for (int a = 0; a < s; a++)
      if (w->k->omega[a] == w->w[i]) w->row[i] = a;
    if (w->row[i] < 0) return false;
    w->rate[i] = w->k->rate[w->row[i]];
  }
  if (!try_axis(w, 2) && !try_axis(w, 1) && !try_axis(w, 0)) return false;
  for (int i = 0; i < 3; i++) H[i] = pf_expr_dot3(ctx, w->inertia + 3*i, w->w);
  pf_expr_cross3(ctx, w->w, H, turn);
  for (int i = 0; i < 3; i++) {
    for (int b = 0; b < s; b++) {
      bool mine = b == w->row[0] || b == w->row[1] || b == w->row[2];
      if (!mine && !pf_expr_is_structural_zero(ctx, w->form->G[w->row[i]*s + b])) return false;
    }
    w->rest[i] = pf_expr_simplest(ctx, pf_expr_add(ctx, w->form->g[w->row[i]], turn[i]));
  }
  return pf_expr_check(ctx) == PF_OK;
}

/* rest = c x e with a constant c: read off from the factors of e, and compared. */
static bool try_arm(Work *w, int axis)
{
  PfContext *ctx = w->ctx;
  PfExpr e[3] = {axis_symbol(w, axis, 0), axis_symbol(w, axis, 1), axis_symbol(w, axis, 2)}, product[3];
  PfExpr c[3] = {pf_expr_neg(ctx, pf_expr_diff(ctx, w->rest[1], e[2])), pf_expr_diff(ctx, w->rest[0], e[2]),
                 pf_expr_neg(ctx, pf_expr_diff(ctx, w->rest[0], e[1]))};
  for (int i = 0; i < 3; i++) {
    w->arm[i] = pf_expr_simplest(ctx, c[i]);
    if (!is_constant(w, w->arm[i])) return false;
  }
  pf_expr_cross3(ctx, w->arm, e, product);
  for (int i = 0; i < 3; i++)
    if (pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, w->rest[i], product[i]), 2) != PF_TRUE) return false;
  w->arm_axis = axis;
  return true;
}

/* Are three expressions written as 0? */
static bool is_zero3(const Work *w, const PfExpr *e)
{
  return pf_expr_is_structural_zero(w->ctx, e[0]) && pf_expr_is_structural_zero(w->ctx, e[1]) &&
         pf_expr_is_structural_zero(w->ctx, e[2]);
}

/* The length of three expressions. */
static size_t words3(const Work *w, const PfExpr *e)
{
  return pf_expr_token_count(w->ctx, e[0]) + pf_expr_token_count(w->ctx, e[1]) + pf_expr_token_count(w->ctx, e[2]);
}

/* ---------------------------------------------------------------- writing */

/* Has the inertia no products of inertia? */
static bool is_diagonal(const Work *w)
{
  for (int i = 0; i < 9; i++)
    if (i%4 && !pf_expr_is_structural_zero(w->ctx, w->inertia[i])) return false;
  return true;
}

/* A multiple of the unit matrix: w x I w vanishes. */
static bool is_round(const Work *w)
{
  return is_diagonal(w) && w->inertia[0] == w->inertia[4] && w->inertia[0] == w->inertia[8];
}

/* The left side, I w' + w x I w + alpha (e.w') e. */
static void write_left(const Work *w, Pen *pen, PfExpr inertia)
{
  PfExpr turn = vector_of(w->ctx, w->arena, w->w[0], 0), rate = vector_of(w->ctx, w->arena, w->w[0], 1);
  put_expr(pen, inertia, true);
  put(pen, "*", "\\, ");
  put_expr(pen, rate, false);
  if (!is_round(w)) {
    put(pen, " + ", " + ");
    put_expr(pen, turn, false);
    put(pen, " x ", "\\times ");
    put_expr(pen, inertia, false);
    put(pen, "*", "\\, ");
    put_expr(pen, turn, false);
  }
  if (w->axis < 0) return;
  PfExpr e = vector_of(w->ctx, w->arena, axis_symbol(w, w->axis, 0), 0), minus = pf_expr_neg(w->ctx, w->alpha);
  bool negative = pf_expr_token_count(w->ctx, minus) < pf_expr_token_count(w->ctx, w->alpha);
  put(pen, negative ? " - " : " + ", negative ? " - " : " + ");
  put_expr(pen, negative ? minus : w->alpha, true);
  put(pen, "*(", "\\left(");
  put_expr(pen, e, false);
  put(pen, " . ", "\\cdot ");
  put_expr(pen, rate, false);
  put(pen, ")*", "\\right) ");
  put_expr(pen, e, false);
}

/* The equation of motion as one line between vectors, and the inertia in another one, diag(…) or a matrix, unless it is
 * a number. Where several bodies turn freely it is I_ball. */
static PfStatus write_motion(Work *w, bool rest_is_product)
{
  Pen pen;
  PfExpr inertia = w->inertia[0];
  if (!is_round(w)) {
    const PfModel *model = w->eq->model;
    const char *owner = pf_expr_symbol_name(w->ctx, w->w[0]), *dot = strrchr(owner, '.'), *name;
    char stem[300] = "I";
    if (model->spinning_count > 1 && dot) snprintf(stem, sizeof stem, "I_%.*s", (int)(dot - owner), owner);
    PF_TRY(pf_model_free_name(model, w->arena, stem, w->k->omega, w->k->count, &name, &inertia));
  }
  pen_begin(&pen, w->ctx, w->arena);
  write_left(w, &pen, inertia);
  put(&pen, " = ", " = ");
  if (is_zero3(w, w->rest)) {
    put(&pen, "0", "0");
  } else if (rest_is_product) {
    put_components(&pen, w->arm, 3);
    put(&pen, " x ", "\\times ");
    put_expr(&pen, vector_of(w->ctx, w->arena, axis_symbol(w, w->arm_axis, 0), 0), false);
  } else {
    put_components(&pen, w->rest, 3);
  }
  PF_TRY(pen_end(&pen, w->d, PF_OK));
  if (is_round(w)) return PF_OK;
  pen_begin(&pen, w->ctx, w->arena);
  put_expr(&pen, inertia, false);
  put(&pen, " = ", " = ");
  if (is_diagonal(w)) {
    put(&pen, "diag", "\\operatorname{diag}");
    put_components(&pen, (PfExpr[]){w->inertia[0], w->inertia[4], w->inertia[8]}, 3);
  } else {
    put(&pen, "((", "\\begin{pmatrix} ");
    for (int i = 0; i < 9; i++) {
      if (i) put(&pen, i%3 ? ", " : "), (", i%3 ? " & " : " \\\\ ");
      put_expr(&pen, w->inertia[i], false);
    }
    put(&pen, "))", " \\end{pmatrix}");
  }
  return pen_end(&pen, w->d, PF_OK);
}

/* Body by body, as long as there is a budget for short forms. A line is written only where it has fewer tokens than the
 * three components. */
PfStatus pf_vector_motion(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                          const PfReducedForm *form, PfDerivation *d)
{
  enum { EULER = 9, ALONG_AXIS = 8 };
  for (int s = 0; s < eq->model->spinning_count && !pf_expr_is_exhausted(ctx); s++) {
    Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .form = form, .d = d, .axis = -1, .arm_axis = -1};
    w.spinning = eq->model->spinnings + s;
    w.cosine = eq->model->auxiliaries + w.spinning->auxiliary;
    if (!is_euler(&w)) {
      PF_TRY(pf_expr_check(ctx));
      continue;
    }
    bool product = !is_zero3(&w, w.rest) && (try_arm(&w, 2) || try_arm(&w, 1) || try_arm(&w, 0));
    size_t words = (is_round(&w) ? 3 : EULER) + (w.axis >= 0 ? ALONG_AXIS + pf_expr_token_count(ctx, w.alpha) : 0);
    words += is_zero3(&w, w.rest) ? 1 : product ? words3(&w, w.arm) + 2 : words3(&w, w.rest);
    size_t components = 0;
    for (int i = 0; i < 3; i++) {
      const PfEquation *e = d->equations + w.row[i];
      components += pf_expr_token_count(ctx, e->left) + pf_expr_token_count(ctx, e->right);
    }
    if (words < components) PF_TRY(write_motion(&w, product));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- attitude */

/* A line left = a x b of vectors, or left = a o b/2 of quaternions. */
static PfStatus write_product(PfContext *ctx, PfArena *arena, PfDerivation *d, PfExpr left, PfExpr a, PfExpr b,
                              bool quaternion)
{
  Pen pen;
  pen_begin(&pen, ctx, arena);
  put_expr(&pen, left, false);
  put(&pen, " = ", quaternion ? " = \\tfrac{1}{2}\\, " : " = ");
  put_expr(&pen, a, false);
  put(&pen, quaternion ? " o " : " x ", quaternion ? "\\circ " : "\\times ");
  put_expr(&pen, b, false);
  put(&pen, quaternion ? "/2" : "", "");
  return pen_end(&pen, d, PF_OK);
}

/* How attitudes follow from angular velocities, as equations between vectors. */
PfStatus pf_vector_attitude(PfContext *ctx, PfArena *arena, const PfModel *model, PfDerivation *d)
{
  for (int s = 0; s < model->spinning_count; s++) {
    const PfSpinning *spinning = model->spinnings + s;
    const PfAuxiliary *cosine = model->auxiliaries + spinning->auxiliary;
    PfExpr w = vector_of(ctx, arena, model->coordinates[spinning->first].v, 0);
    PfExpr q = vector_of(ctx, arena, cosine[COSINES].symbol, 0);
    PfExpr rate = vector_of(ctx, arena, cosine[COSINES].symbol, 1);
    bool own = spinning->sign > 0; /* in the axes of the body */
    PF_TRY(write_product(ctx, arena, d, rate, own ? q : w, own ? w : q, true));
    for (int row = 0; row < 3 && own; row++) {
      PfExpr symbols[3] = {cosine[3*row].symbol, cosine[3*row + 1].symbol, cosine[3*row + 2].symbol};
      if (!pf_derivation_contains(ctx, d, d->motion_count, symbols, 3)) continue;
      PfExpr e = vector_of(ctx, arena, symbols[0], 0);
      PF_TRY(write_product(ctx, arena, d, vector_of(ctx, arena, symbols[0], 1), e, w, false));
    }
  }
  return pf_expr_check(ctx);
}
