/* SPDX-License-Identifier: Apache-2.0 */
/* Reduced equations as an author writes them: G omega' = g, row by row in the shortest of several ways.
 *
 *   as it is          sum G_ab omega_b' = g_a
 *   reduced inertia   mu*u' + mu'*u/2 = Q       one rolling speed: mu = G_aa, and mu' is not written out
 *   velocities        what depends on the pseudo-velocities only by a velocity q' is written with that velocity
 *   common factors    are cancelled */
#include "mech/mech_impl.h"

#include <string.h>

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const PfKinematics *k;
  int s;
  PfExpr *G, *g;
  PfExpr *inertia; /* the rest of g: forces of inertia */
  PfExpr *Q;       /* applied forces and potential along each omega */
  PfReducedRows *out;
} Work;

/* ---------------------------------------------------------------- applied forces */

/* The potential's slopes count as forces. */
PfStatus pf_reduced_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfExpr *Q)
{
  const int n = eq->n, s = k->count;
  PfExpr *slope, *force;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(slope, n), PF_ROOM(force, n)));
  PF_TRY(pf_model_gradient(eq->model, eq->potential, slope));
  for (int i = 0; i < n; i++)
    force[i] = pf_expr_sub(ctx, pf_expr_add(ctx, eq->applied[i], eq->C[i]), slope[i]);
  PF_TRY(pf_put_velocities(eq->model, k->v, force, n, force));
  for (int a = 0; a < s; a++)
    Q[a] = pf_expr_simplest(ctx, pf_combination(ctx, k->N + a, (size_t)s, force, n));
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- words */

/* The length of an expression in names, numbers, functions and operators. */
static size_t words(const Work *w, PfExpr e)
{
  return pf_expr_token_count(w->ctx, e);
}

/* The length of a row with its right side: a coefficient of 1 is not written. */
static size_t row_tokens(const Work *w, const PfExpr *row, PfExpr right)
{
  size_t sum = words(w, right);
  for (int b = 0; b < w->s; b++)
    if (!pf_expr_is_structural_zero(w->ctx, row[b]))
      sum += pf_expr_is_int(w->ctx, row[b], 1) ? 2 : words(w, row[b]) + 3;
  return sum;
}

/* All that changes along a motion, one kind after another. */
bool pf_is_moving(PfContext *ctx, const PfModel *model, const PfKinematics *k, PfExpr e)
{
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_expr_depends(ctx, e, &model->coordinates[i].q, 1) || pf_expr_depends(ctx, e, &model->coordinates[i].v, 1))
      return true;
  for (int i = 0; i < model->auxiliary_count; i++)
    if (pf_expr_depends(ctx, e, &model->auxiliaries[i].symbol, 1)) return true;
  for (int i = 0; i < model->input_count; i++)
    if (pf_expr_depends(ctx, e, &model->inputs[i].symbol, 1)) return true;
  return pf_expr_depends(ctx, e, k->omega, k->count) || pf_expr_depends(ctx, e, &model->time, 1);
}

/* The same for the model of the equations. */
static bool is_moving(const Work *w, PfExpr e)
{
  return pf_is_moving(w->ctx, w->eq->model, w->k, e);
}

/* How often something is divided by. */
static PfStatus count_divisions(const Work *w, PfExpr e, int *divisions)
{
  PfContext *ctx = w->ctx;
  PfExpr *nodes;
  int count;
  PfMark mark = pf_arena_mark(w->arena);
  PF_TRY(pf_expr_reach(ctx, w->arena, &e, 1, &nodes, &count));
  for (int i = 0; i < count; i++) {
    PfOp op = pf_expr_op(ctx, nodes[i]);
    *divisions += op == PF_OP_TAN;
    for (int k = 0; op == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, nodes[i]); k += 2) {
      double exponent = 0;
      bool known = pf_expr_is_number(ctx, pf_expr_arg(ctx, nodes[i], k + 1), &exponent);
      *divisions += known && exponent < 0;
    }
  }
  pf_arena_release(w->arena, mark);
  return PF_OK;
}

/* Factors of e, if it is a product or a number times one. */
static PfExpr product_in(const Work *w, PfExpr e)
{
  PfContext *ctx = w->ctx;
  bool one_term = pf_expr_op(ctx, e) == PF_OP_SUM && pf_expr_arg_count(ctx, e) == 3 &&
                  pf_expr_is_int(ctx, pf_expr_arg(ctx, e, 0), 0);
  return one_term ? pf_expr_arg(ctx, e, 2) : e;
}

/* ---------------------------------------------------------------- velocities in place of pseudo-velocities */

/* omega_a of the form v_i = c omega_a + rest by v_i, if c does not move: e with it. */
static PfStatus with_velocity(const Work *w, PfExpr e, int i, int a, PfExpr *result)
{
  PfContext *ctx = w->ctx;
  PfExpr c = w->k->N[i*w->s + a], zero = pf_expr_int(ctx, 0), rest = w->k->v[i];
  *result = PF_EXPR_NONE;
  if (pf_expr_is_structural_zero(ctx, c) || is_moving(w, c) || !pf_expr_depends(ctx, e, w->k->omega + a, 1))
    return PF_OK;
  PF_TRY(pf_expr_substitute(ctx, &rest, 1, w->k->omega + a, &zero, 1, &rest));
  PfExpr by = pf_expr_div(ctx, pf_expr_sub(ctx, w->eq->model->coordinates[i].v, rest), c);
  PF_TRY(pf_expr_substitute(ctx, &e, 1, w->k->omega + a, &by, 1, &e));
  *result = pf_expr_simplest(ctx, e);
  return PF_OK;
}

/* A velocity v = c*(…), with a factor c that does not move: c. */
static PfExpr core_of(const Work *w, PfExpr v, PfExpr *factor)
{
  PfContext *ctx = w->ctx;
  *factor = pf_expr_int(ctx, 1);
  PfExpr e = product_in(w, v);
  if (e != v) *factor = pf_expr_arg(ctx, v, 1);
  if (pf_expr_op(ctx, e) != PF_OP_PRODUCT) return e == v ? v : e;
  PfExpr core = PF_EXPR_NONE;
  for (int k = 0; k < pf_expr_arg_count(ctx, e); k += 2) {
    PfExpr base = pf_expr_arg(ctx, e, k), exponent = pf_expr_arg(ctx, e, k + 1);
    bool sum = pf_expr_op(ctx, base) == PF_OP_SUM && pf_expr_is_int(ctx, exponent, 1) && is_moving(w, base);
    if (sum && core == PF_EXPR_NONE) core = base;
    else *factor = pf_expr_mul(ctx, *factor, pf_expr_pow(ctx, base, exponent));
  }
  return is_moving(w, *factor) ? PF_EXPR_NONE : core;
}

typedef struct Replacement {
  PfExpr from, to, minus_from, minus_to;
} Replacement;

/* PfExprMap: a sum or its negative by what takes its place. */
static PfExpr replaced(void *user, PfExpr e)
{
  const Replacement *r = user;
  return e == r->from ? r->to : e == r->minus_from ? r->minus_to : e;
}

/* e with the velocity of coordinate i in the place of a sum that is that velocity but for a constant factor;
 * PF_EXPR_NONE: there is none. */
static PfStatus with_whole_velocity(const Work *w, PfExpr e, int i, PfExpr *result)
{
  PfContext *ctx = w->ctx;
  PfExpr factor, core = core_of(w, w->k->v[i], &factor);
  *result = PF_EXPR_NONE;
  if (core == PF_EXPR_NONE || pf_expr_op(ctx, core) != PF_OP_SUM) return PF_OK;
  PfExpr by = pf_expr_div(ctx, w->eq->model->coordinates[i].v, factor);
  Replacement r = {core, by, pf_expr_neg(ctx, core), pf_expr_neg(ctx, by)};
  PF_TRY(pf_expr_map(ctx, &e, 1, replaced, &r, result));
  if (*result == e) *result = PF_EXPR_NONE;
  return PF_OK;
}

/* Writes velocities of coordinates for their combinations of pseudo-velocities, or the reverse, while that makes e
 * shorter. */
static PfStatus use_velocities(const Work *w, PfExpr *e)
{
  enum { LONG = 400, ROUNDS = 3 };
  bool again = words(w, *e) > 6 && !w->eq->model->speed_count; /* the user's speeds are to be seen */
  for (int round = 0; round < ROUNDS && again; round++) {
    PfExpr best = *e, other;
    again = false;
    if (words(w, *e) > LONG) return PF_OK;
    for (int i = 0; i < w->eq->n; i++)
      for (int a = -1; a < w->s; a++) {
        const size_t least = a < 0 ? 0 : 1; /* words that must be saved besides one */
        if (a >= 0 && w->k->v[i] == w->k->omega[a]) continue;
        PF_TRY(a < 0 ? with_whole_velocity(w, *e, i, &other) : with_velocity(w, *e, i, a, &other));
        if (other == PF_EXPR_NONE || words(w, other) + least >= words(w, best)) continue;
        best = other;
        again = true;
      }
    *e = best;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- common factors */

/* The row divided by a factor: better if it has fewer words, and nothing new is divided by. */
static PfStatus try_factor(const Work *w, PfExpr factor, PfExpr *row, PfExpr *right, bool *better)
{
  PfContext *ctx = w->ctx;
  PfExpr *shorter = pf_arena_array(w->arena, PfExpr, w->s),
         other = pf_expr_simplest(ctx, pf_expr_div(ctx, *right, factor));
  int before = 0, after = 0;
  if (!shorter) return pf_no_room(ctx, "the equations");
  for (int b = 0; b < w->s; b++) {
    shorter[b] = pf_expr_simplest(ctx, pf_expr_div(ctx, row[b], factor));
    PF_TRY(count_divisions(w, row[b], &before));
    PF_TRY(count_divisions(w, shorter[b], &after));
  }
  PF_TRY(count_divisions(w, *right, &before));
  PF_TRY(count_divisions(w, other, &after));
  *better = after <= before && row_tokens(w, shorter, other) < row_tokens(w, row, *right);
  if (!*better) return PF_OK;
  memcpy(row, shorter, (size_t)w->s*sizeof *row);
  *right = other;
  return PF_OK;
}

/* Divides the row by a factor of e where that makes it better; *again: it did. */
static PfStatus cancel_from(const Work *w, PfExpr e, PfExpr *row, PfExpr *right, bool *again)
{
  PfContext *ctx = w->ctx;
  e = product_in(w, e);
  if (pf_expr_op(ctx, e) == PF_OP_SYMBOL) PF_TRY(try_factor(w, e, row, right, again));
  for (int k = 0; pf_expr_op(ctx, e) == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, e) && !*again; k += 2) {
    PfExpr base = pf_expr_arg(ctx, e, k);
    PF_TRY(try_factor(w, pf_expr_pow(ctx, base, pf_expr_arg(ctx, e, k + 1)), row, right, again));
    if (!*again && !pf_expr_is_int(ctx, pf_expr_arg(ctx, e, k + 1), 1)) PF_TRY(try_factor(w, base, row, right, again));
  }
  return PF_OK;
}

/* Cancels factors of a coefficient or of the right side that divide the whole equation: of J*w' = 0 only w' = 0 is
 * left. */
static PfStatus cancel(const Work *w, PfExpr *row, PfExpr *right)
{
  enum { SHORT = 300 };
  int terms = 0, last = 0;
  for (int b = 0; b < w->s; b++)
    if (!pf_expr_is_structural_zero(w->ctx, row[b])) terms++, last = b;
  if (terms == 1 && pf_expr_is_structural_zero(w->ctx, *right)) {
    row[last] = pf_expr_int(w->ctx, 1);
    return PF_OK;
  }
  if (pf_expr_is_exhausted(w->ctx)) return PF_OK;
  for (bool again = row_tokens(w, row, *right) < SHORT; again;) {
    again = false;
    for (int b = 0; b < w->s && !again; b++) PF_TRY(cancel_from(w, row[b], row, right, &again));
    if (!again) PF_TRY(cancel_from(w, *right, row, right, &again));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- forces of inertia */

/* A polynomial of the second degree in omega, coefficient by coefficient: much less work than as a whole. */
static PfStatus tidy_quadratic(const Work *w, PfExpr *e)
{
  PfContext *ctx = w->ctx;
  int s = w->s;
  PfExpr *first, *second, *zeros, sum;
  PF_TRY(pf_arrays(ctx, w->arena, "the equations", PF_ROOM(first, s), PF_ROOM(second, s), PF_ROOM(zeros, s)));
  for (int a = 0; a < s; a++) zeros[a] = pf_expr_int(ctx, 0);
  PF_TRY(pf_expr_gradient(ctx, *e, w->k->omega, s, first));
  PF_TRY(pf_expr_substitute(ctx, e, 1, w->k->omega, zeros, s, &sum));
  sum = pf_expr_simplest(ctx, sum);
  for (int a = 0; a < s; a++) {
    PF_TRY(pf_expr_gradient(ctx, first[a], w->k->omega, s, second));
    PF_TRY(pf_expr_substitute(ctx, first + a, 1, w->k->omega, zeros, s, first + a));
    PfExpr c = pf_expr_simplest(ctx, first[a]);
    for (int b = 0; b <= a; b++) {
      if (pf_expr_depends(ctx, second[b], w->k->omega, s)) return PF_OK; /* of a higher degree */
      PfExpr half = pf_expr_rational(ctx, 1, a == b ? 2 : 1);
      PfExpr term = pf_expr_simplest(ctx, pf_expr_mul(ctx, half, second[b]));
      c = pf_expr_add(ctx, c, pf_expr_mul(ctx, term, w->k->omega[b]));
    }
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, c, w->k->omega[a]));
  }
  *e = sum;
  return pf_expr_check(ctx);
}

/* The right side: as a whole where it is short, else forces of inertia and applied ones each for themselves. */
static PfStatus right_side(const Work *w, int a, PfExpr *right)
{
  enum { LONG = 1200, SHORT = 600 };
  PfContext *ctx = w->ctx;
  *right = w->g[a];
  if (pf_expr_is_exhausted(ctx)) {
    *right = pf_expr_add(ctx, w->inertia[a], w->Q[a]);
    return PF_OK;
  }
  if (pf_expr_length(ctx, *right) > LONG) {
    PfExpr inertia = w->inertia[a];
    PF_TRY(tidy_quadratic(w, &inertia));
    *right = pf_expr_add(ctx, inertia, w->Q[a]);
    if (pf_expr_length(ctx, *right) > SHORT) return PF_OK;
  }
  *right = pf_shorter(ctx, *right, pf_expr_simplest(ctx, *right));
  PF_TRY(use_velocities(w, right));
  return pf_use_positions(ctx, w->eq, w->k, right);
}

/* ---------------------------------------------------------------- one rolling speed */

/* Is g_a = Q_a - mu' omega_a/2, in an equation that no other rate stands in? */
static PfStatus is_rolling(const Work *w, int a, bool *yes)
{
  PfExpr mu = w->G[a*w->s + a], rate;
  *yes = false;
  for (int b = 0; b < w->s; b++)
    if (b != a && !pf_expr_is_structural_zero(w->ctx, w->G[a*w->s + b])) return PF_OK;
  if (!is_moving(w, mu)) return PF_OK;
  PF_TRY(pf_model_derive_along(w->eq->model, w->k->v, &mu, 1, &rate));
  PfExpr factors[3] = {pf_expr_rational(w->ctx, 1, 2), rate, w->k->omega[a]};
  PfExpr rest = pf_expr_add(w->ctx, pf_expr_sub(w->ctx, w->g[a], w->Q[a]), pf_expr_product(w->ctx, factors, 3));
  *yes = pf_expr_is_probably_zero(w->ctx, rest, 2) == PF_TRUE;
  return PF_OK;
}

/* Names of the model, of pseudo-velocities and of abbreviations so far are taken. */
PfStatus pf_reduced_name(PfContext *ctx, PfArena *arena, const PfModel *model, const PfKinematics *k, const char *stem,
                         PfReducedRows *out, PfExpr value, PfExpr *symbol, PfExpr *rate)
{
  int most = k->count + out->part_count;
  PfExpr *taken = pf_arena_array(arena, PfExpr, most);
  const char *name;
  if (!taken) return pf_no_room(ctx, "the equations");
  memcpy(taken, k->omega, (size_t)k->count*sizeof *taken);
  if (out->part_count) memcpy(taken + k->count, out->part_names, (size_t)out->part_count*sizeof *taken);
  PF_TRY(pf_model_free_name(model, arena, stem, taken, most, &name, symbol));
  *rate = pf_rate_symbol(ctx, *symbol);
  out->part_names[out->part_count] = *symbol;
  out->part_values[out->part_count++] = value;
  return pf_expr_check(ctx);
}

/* Allocates the equations and room for PF_MOST_AUTHORED abbreviations. */
PfStatus pf_reduced_begin(PfContext *ctx, PfArena *arena, const PfKinematics *k, PfReducedRows *out)
{
  out->part_count = 0;
  return pf_arrays(ctx, arena, "the equations", PF_ROOM(out->part_names, PF_MOST_AUTHORED),
                   PF_ROOM(out->part_values, PF_MOST_AUTHORED), PF_ROOM(out->equations, k->count));
}

/* Equation a as mu*u' + mu'*u/2 = Q, with a name for mu. */
static PfStatus write_rolling(Work *w, int a, PfEquation *e)
{
  PfContext *ctx = w->ctx;
  PfExpr mu, rate;
  PF_TRY(pf_reduced_name(ctx, w->arena, w->eq->model, w->k, "mu", w->out, w->G[a*w->s + a], &mu, &rate));
  PfExpr half[3] = {pf_expr_rational(ctx, 1, 2), rate, w->k->omega[a]};
  e->left = pf_expr_add(ctx, pf_expr_mul(ctx, mu, w->k->rate[a]), pf_expr_product(ctx, half, 3));
  e->right = w->Q[a];
  PF_TRY(use_velocities(w, &e->right));
  return pf_expr_check(ctx);
}

/* The length of all equations and abbreviations, in words. */
static size_t token_count(PfContext *ctx, const PfReducedRows *x, int count)
{
  size_t sum = 0;
  for (int a = 0; a < count; a++)
    sum += pf_expr_token_count(ctx, x->equations[a].left) + pf_expr_token_count(ctx, x->equations[a].right);
  for (int i = 0; i < x->part_count; i++) sum += 1 + pf_expr_token_count(ctx, x->part_values[i]);
  return sum;
}

/* ---------------------------------------------------------------- inertia with one direction */

/* G = diagonal + kappa f f^T: then a sum f.omega' stands in every equation, as one. */
typedef struct Outer {
  PfExpr kappa, *f;
  PfExpr *diagonal;
} Outer;

/* The factors that a and b have in common, each to the smaller power; numbers are left out. */
static PfExpr common(const Work *w, PfExpr a, PfExpr b)
{
  PfContext *ctx = w->ctx;
  PfExpr result = pf_expr_int(ctx, 1);
  a = product_in(w, a), b = product_in(w, b);
  if (a == b) return a;
  if (pf_expr_op(ctx, a) != PF_OP_PRODUCT) a = pf_expr_pow_int(ctx, a, 2), b = pf_expr_mul(ctx, b, product_in(w, a));
  for (int i = 0; pf_expr_op(ctx, a) == PF_OP_PRODUCT && i < pf_expr_arg_count(ctx, a); i += 2)
    for (int k = 0; pf_expr_op(ctx, b) == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, b); k += 2) {
      double x = 0, y = 0;
      if (pf_expr_arg(ctx, a, i) != pf_expr_arg(ctx, b, k)) continue;
      bool numbers = pf_expr_is_number(ctx, pf_expr_arg(ctx, a, i + 1), &x) &&
                     pf_expr_is_number(ctx, pf_expr_arg(ctx, b, k + 1), &y);
      if (!numbers || x*y <= 0) continue;
      PfExpr exponent = x*x < y*y ? pf_expr_arg(ctx, a, i + 1) : pf_expr_arg(ctx, b, k + 1);
      result = pf_expr_mul(ctx, result, pf_expr_pow(ctx, pf_expr_arg(ctx, a, i), exponent));
    }
  return result;
}

/* G_ab */
static PfExpr entry(const Work *w, int a, int b)
{
  return w->G[a*w->s + b];
}

/* From three off-diagonal entries: kappa f_0 f_1, kappa f_0 f_2, kappa f_1 f_2. */
static bool find_outer(const Work *w, Outer *o)
{
  PfContext *ctx = w->ctx;
  if (w->s != 3) return false;
  for (int a = 0; a < 3; a++)
    if (pf_expr_is_structural_zero(ctx, entry(w, a, (a + 1)%3))) return false;
  PfExpr all = common(w, common(w, entry(w, 0, 1), entry(w, 0, 2)), entry(w, 1, 2));
  for (int a = 0; a < 3; a++)
    o->f[a] = pf_expr_div(ctx, common(w, entry(w, a, (a + 1)%3), entry(w, a, (a + 2)%3)), all);
  o->kappa = pf_expr_div(ctx, pf_expr_div(ctx, entry(w, 0, 1), o->f[0]), o->f[1]);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1)%3;
    PfExpr product[3] = {o->kappa, o->f[a], o->f[b]};
    PfExpr rest = pf_expr_sub(ctx, pf_expr_product(ctx, product, 3), entry(w, a, b));
    if (pf_expr_is_probably_zero(ctx, rest, 1) != PF_TRUE) return false;
  }
  return is_moving(w, o->f[0]) && !is_moving(w, o->kappa);
}

/* Writes the sum f.omega' as one, in all equations or in none. With a diagonal d of equal entries f times the equations
 * is (d + kappa f.f) f.omega' = f.g: where f.g vanishes, so does the sum. */
static PfStatus try_outer(Work *w)
{
  PfContext *ctx = w->ctx;
  const int s = w->s;
  Outer o = {0};
  PfReducedRows other;
  PF_TRY(pf_arrays(ctx, w->arena, "the equations", PF_ROOM(o.f, s), PF_ROOM(o.diagonal, s)));
  if (!find_outer(w, &o)) return PF_OK;
  for (int a = 0; a < s; a++) {
    PfExpr own[3] = {o.kappa, o.f[a], o.f[a]};
    o.diagonal[a] = pf_expr_simplest(ctx, pf_expr_sub(ctx, entry(w, a, a), pf_expr_product(ctx, own, 3)));
    PF_TRY(pf_use_positions(ctx, w->eq, w->k, o.diagonal + a));
  }
  bool equal = o.diagonal[0] == o.diagonal[1] && o.diagonal[0] == o.diagonal[2];
  PfExpr along = pf_combination(ctx, o.f, 1, w->g, s);
  bool vanishes = equal && pf_expr_is_probably_zero(ctx, along, 2) == PF_TRUE;
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(pf_reduced_begin(ctx, w->arena, w->k, &other));
  for (int a = 0; a < s; a++) {
    PfExpr right;
    PF_TRY(right_side(w, a, &right));
    PfExpr with[3] = {o.kappa, o.f[a], pf_combination(ctx, o.f, 1, w->k->rate, s)};
    PfExpr left = pf_expr_mul(ctx, o.diagonal[a], w->k->rate[a]);
    if (!vanishes) left = pf_expr_add(ctx, left, pf_expr_product(ctx, with, 3));
    other.equations[a] = (PfEquation){w->k->names[a], left, right};
  }
  PF_TRY(pf_reduced_add_names(ctx, w->arena, w->eq, w->k, &other));
  if (token_count(ctx, &other, s) < token_count(ctx, w->out, s)) *w->out = other;
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- one equation */

/* Row a of G omega' = g: as it is, or as mu u' + mu' u/2 = Q where that is shorter; common factors are cancelled. */
static PfStatus write_equation(Work *w, int a, PfEquation *e)
{
  enum { LONG = 3000, NAMED = 8 };
  PfExpr *row, right = w->g[a];
  bool rolling;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the equations", PF_ROOM(row, w->s)));
  memcpy(row, w->G + a*w->s, (size_t)w->s*sizeof *row);
  e->name = w->k->names[a];
  PF_TRY(is_rolling(w, a, &rolling));
  size_t other = words(w, row[a]) + NAMED + words(w, w->Q[a]);
  if (rolling && (pf_expr_is_exhausted(w->ctx) || pf_expr_length(w->ctx, right) > LONG)) return write_rolling(w, a, e);
  PF_TRY(right_side(w, a, &right));
  for (int b = 0; b < w->s; b++) PF_TRY(pf_use_positions(w->ctx, w->eq, w->k, row + b));
  PF_TRY(cancel(w, row, &right));
  if (rolling && other + 3 < row_tokens(w, row, right)) return write_rolling(w, a, e);
  e->left = pf_combination(w->ctx, row, 1, w->k->rate, w->s);
  e->right = right;
  return pf_expr_check(w->ctx);
}

/* Reduced equations G omega' = g in the shortest form that is found: row by row, or body by body where there are
 * several bodies and no energies in addition to them, with abbreviations. G and g in `form` become shorter on the way.
 * Forces of inertia are those of the velocities of bodies where there is nothing else, since these are short; else
 * those of g. Both must agree. */
PfStatus pf_write_reduced(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                          PfReducedForm *form, PfReducedRows *out)
{
  enum { MOST_BODIES = 64, MOST_FORMS = 600 };
  const int s = k->count, bodies = eq->model->body_count;
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .s = s, .G = form->G, .g = form->g, .out = out};
  PfExpr *forms;
  PF_TRY(pf_reduced_begin(ctx, arena, k, out));
  PF_TRY(pf_body_velocities(ctx, arena, eq, k, &forms));
  PF_TRY(pf_reduced_inertia(ctx, arena, eq, k, forms, form->G));
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(w.Q, s), PF_ROOM(w.inertia, s)));
  PF_TRY(pf_reduced_forces(ctx, arena, eq, k, w.Q));
  PF_TRY(pf_inertia_forces(ctx, eq, k, forms, w.inertia));
  for (int a = 0; a < s; a++) {
    PfExpr rest = pf_expr_sub(ctx, w.g[a], w.Q[a]), difference = pf_expr_sub(ctx, rest, w.inertia[a]);
    if (pf_expr_is_probably_zero(ctx, difference, 1) != PF_TRUE) w.inertia[a] = rest;
  }
  PF_TRY(pf_expr_check(ctx));
  PfReducedRows newton_euler;
  bool good = pf_expr_is_structural_zero(ctx, eq->model->kinetic) && bodies >= 2 && bodies <= MOST_BODIES &&
              bodies*s <= MOST_FORMS;
  if (good) PF_TRY(pf_reduced_newton_euler(ctx, arena, eq, k, forms, form, w.Q, &newton_euler, &good)); /* cheapest */
  for (int a = 0; a < s && good; a++) PF_TRY(use_velocities(&w, &newton_euler.equations[a].right));
  for (int a = 0; a < s; a++) PF_TRY(write_equation(&w, a, out->equations + a));
  if (good && token_count(ctx, &newton_euler, s) < token_count(ctx, out, s)) *out = newton_euler;
  PF_TRY(pf_reduced_add_names(ctx, arena, eq, k, out));
  for (int a = 0; a < s; a++) { /* for who goes on with G and g */
    PfExpr other = pf_expr_add(ctx, w.inertia[a], w.Q[a]);
    if (pf_expr_length(ctx, other) < pf_expr_length(ctx, form->g[a])) form->g[a] = other;
  }
  return try_outer(&w);
}
