/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo-velocities as functions of the velocities.
 *
 * Rates are linear in the speeds, v = B nu + c. Velocities that can be have one nu, which the normal equations B^T B nu
 * = B^T (v - c) give as well as any other choice of rows; B^T B is positive definite, so that an elimination needs no
 * pivots and can be done once, with expressions. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct Normal {
  PfContext *ctx;
  int n;         /* speeds */
  PfExpr *G, *h; /* the equations G nu = h: n x n by rows, n */
} Normal;

/* G_ij, to be read or written. */
static PfExpr *entry(const Normal *s, int i, int j)
{
  return s->G + (size_t)i*(size_t)s->n + j;
}

/* a - b c */
static PfExpr less(PfContext *ctx, PfExpr a, PfExpr b, PfExpr c)
{
  return pf_expr_sub(ctx, a, pf_expr_mul(ctx, b, c));
}

/* Gauss; the solution is in h. False when a pivot vanishes. */
static bool eliminate(const Normal *s)
{
  PfContext *ctx = s->ctx;
  for (int k = 0; k < s->n; k++) {
    if (pf_expr_is_structural_zero(ctx, *entry(s, k, k))) return false;
    for (int i = k + 1; i < s->n; i++) {
      if (pf_expr_is_int(ctx, *entry(s, i, k), 0)) continue;
      PfExpr factor = pf_expr_div(ctx, *entry(s, i, k), *entry(s, k, k));
      for (int j = k; j < s->n; j++) *entry(s, i, j) = less(ctx, *entry(s, i, j), factor, *entry(s, k, j));
      s->h[i] = less(ctx, s->h[i], factor, s->h[k]);
    }
  }
  for (int k = s->n; k-- > 0;) {
    for (int j = k + 1; j < s->n; j++) s->h[k] = less(ctx, s->h[k], *entry(s, k, j), s->h[j]);
    s->h[k] = pf_expr_div(ctx, s->h[k], *entry(s, k, k));
  }
  return true;
}

/* The definitions where the model has them; otherwise the rates are inverted by the normal equations. */
PfStatus pf_model_speeds(const PfModel *model, PfArena *arena, PfExpr *speeds)
{
  size_t n = (size_t)model->speed_count;
  if (n && model->speeds[0].value != PF_EXPR_NONE) {
    for (size_t i = 0; i < n; i++) speeds[i] = model->speeds[i].value;
    return PF_OK;
  }
  Normal s = {.ctx = model->ctx, .n = model->speed_count, .G = pf_arena_array(arena, PfExpr, n*n), .h = speeds};
  if (!s.G) return pf_no_room(model->ctx, "the speeds");
  for (size_t i = 0; i < n*n; i++) s.G[i] = pf_expr_int(model->ctx, 0);
  for (size_t i = 0; i < n; i++) s.h[i] = pf_expr_int(model->ctx, 0);
  /* The rates of all coordinates as rows of the normal equations H nu = h, where v = B nu + c, H = B^T B, h = B^T
   * (v - c). */
  PfContext *ctx = model->ctx;
  PfExpr *symbol, *zero, *row;
  PF_TRY(pf_arrays(ctx, arena, "the speeds", PF_ROOM(symbol, s.n), PF_ROOM(zero, s.n), PF_ROOM(row, s.n)));
  for (int i = 0; i < s.n; i++) symbol[i] = model->speeds[i].symbol, zero[i] = pf_expr_int(ctx, 0);
  for (int j = 0; j < model->coordinate_count; j++) {
    const PfCoordinate *c = model->coordinates + j;
    PfExpr rest = c->rate;
    if (rest == PF_EXPR_NONE) continue; /* of a contact: it follows from the others */
    PF_TRY(pf_expr_gradient(ctx, c->rate, symbol, s.n, row));
    for (int i = 0; i < s.n; i++)
      if (pf_expr_depends(ctx, row[i], symbol, s.n))
        return pf_fail_at(ctx, PF_ERR_MODEL, c->place, "speeds can be worked out from velocities only where the rates "
                          "are linear in them: that of '%s' is not", c->name);
    PF_TRY(pf_expr_substitute(ctx, &rest, 1, symbol, zero, s.n, &rest));
    /* Adds the row v = row.nu + c of one coordinate to the normal equations. */
    PfExpr right = pf_expr_sub(ctx, c->v, rest);
    for (int i = 0; i < s.n; i++) {
      if (pf_expr_is_int(s.ctx, row[i], 0)) continue;
      for (int k = 0; k < s.n; k++)
        *entry(&s, i, k) = pf_expr_add(s.ctx, *entry(&s, i, k), pf_expr_mul(s.ctx, row[i], row[k]));
      s.h[i] = pf_expr_add(s.ctx, s.h[i], pf_expr_mul(s.ctx, row[i], right));
    }
  }
  if (!eliminate(&s)) return pf_fail(model->ctx, PF_ERR_MODEL, "the rates leave the speeds open: they cannot be shown");
  return pf_expr_check(model->ctx);
}

/* ---------------------------------------------------------------- names */

/* Is the symbol one of the model, time, or one of the list? */
static bool is_taken(const PfModel *model, PfExpr symbol, const PfExpr *taken, int count)
{
  for (int i = 0; i < model->parameter_count; i++)
    if (model->parameters[i].symbol == symbol) return true;
  for (int i = 0; i < model->coordinate_count; i++)
    if (model->coordinates[i].q == symbol) return true;
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].symbol == symbol) return true;
  for (int i = 0; i < model->speed_count; i++)
    if (model->speeds[i].symbol == symbol) return true;
  for (int i = 0; i < count; i++)
    if (taken[i] == symbol) return true;
  return symbol == model->time;
}

/* Tries stem, stem2, stem3, …: "chi_dot", then "chi_dot2"; of "chi_dot[2]" the number goes before the bracket. The name
 * is in the arena, the symbol in the context; tried symbols stay there, without harm. */
PfStatus pf_model_free_name(const PfModel *model, PfArena *arena, const char *stem, const PfExpr *taken, int count,
                            const char **name, PfExpr *symbol)
{
  size_t own = strcspn(stem, "[");
  for (int number = 1;; number++) {
    char text[300], digits[16] = "";
    if (number > 1) snprintf(digits, sizeof digits, "%d", number);
    int length = snprintf(text, sizeof text, "%.*s%s%s", (int)own, stem, digits, stem + own);
    if (length >= (int)sizeof text) return pf_fail(model->ctx, PF_ERR_MODEL, "the name '%s' is too long", stem);
    *symbol = pf_expr_symbol(model->ctx, text);
    if (is_taken(model, *symbol, taken, count)) continue;
    *name = pf_arena_text(arena, text, (size_t)length);
    return *name ? PF_OK : pf_no_room(model->ctx, "the speeds");
  }
}
