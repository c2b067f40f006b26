/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest form of an expression that can be found within reason. Several normal forms are made, common
 * factors taken out of each, and the shortest text wins; the expression itself is the first candidate. */
#include "expr/normal.h"

enum { LONGEST = 20000, MOST_NODES = 4000, MOST_WORK = 2000000 };

typedef struct Search {
  PfExprTable *table;
  PfArena *arena;
  PfExpr best;
  size_t length; /* of the best */
  double *work;  /* what may still be spent */
} Search;

/* A form that people like less must be shorter by a handicap. */
static void consider(Search *search, PfExpr candidate, size_t handicap)
{
  if (candidate == PF_EXPR_NONE) return;
  size_t length = pf_expr_length(search->table->ctx, candidate);
  if (length >= search->length || search->length - length <= handicap) return;
  search->best = candidate;
  search->length = length;
}

/* ---------------------------------------------------------------- candidates from one form */

static PfExpr scale(Letters *letters, PfExpr e, Number factor, int halvings)
{
  factor = pf_number_mul(factor, pf_number_rational(1, (int64_t)1 << halvings));
  return e == PF_EXPR_NONE || !factor.exact ? PF_EXPR_NONE : pf_expr_scale(letters->table, factor, e);
}

static Poly product_of(Letters *letters, const Poly *a, const Poly *b)
{
  Poly product = pf_poly_make(letters, a->count*b->count);
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < b->count && !letters->failed; k++)
      product.terms[product.count++] = pf_monomial_times(letters, a->terms[i], b->terms[k]);
  pf_poly_tidy(letters, &product);
  return product;
}

/* Divisors with the same power in one, while they are short: collecting factors them again if that is
 * shorter than, say, x^2 - 1. */
static void join_divisors(Letters *letters, NormalForm *form)
{
  enum { SHORT = 24 };
  for (int i = 0; i < form->divisor_count; i++)
    for (int k = form->divisor_count - 1; k > i && !letters->failed; k--) {
      Poly *a = form->divisors + i, *b = form->divisors + k;
      if (form->powers[i] != form->powers[k] || a->count*b->count > SHORT) continue;
      *a = product_of(letters, a, b);
      *b = form->divisors[--form->divisor_count];
      form->powers[k] = form->powers[form->divisor_count];
    }
}

/* The numerator, in whatever form, over the divisors. */
static void try_ratio(Search *search, Letters *letters, const NormalForm *form, const Poly *numerator,
                      int halvings)
{
  enum { FEW = 50, HANDICAP = 4 };
  if (letters->failed || (numerator->count > FEW && (size_t)numerator->count > search->length/2)) return;
  if (numerator->count == 0) {
    consider(search, pf_expr_int(search->table->ctx, 0), 0);
    return;
  }
  Monomial all = pf_poly_collect(letters, numerator);
  for (int i = 0; i < form->divisor_count && !letters->failed; i++) {
    Monomial below = pf_poly_collect(letters, form->divisors + i);
    if (below.coefficient != 1) return;
    for (int n = form->powers[i]; n > 0 && !letters->failed; n--) all = pf_monomial_over(letters, all, below);
  }
  if (letters->failed) return;
  PfExpr e = scale(letters, pf_monomial_build(letters, all), form->scale, halvings);
  consider(search, e, halvings ? HANDICAP : 0);
}

/* The same polynomial with its terms in a place of their own. */
static Poly copy(Letters *letters, const Poly *poly)
{
  Poly result = pf_poly_make(letters, poly->count);
  for (int i = 0; i < poly->count && !letters->failed; i++) result.terms[result.count++] = poly->terms[i];
  return result;
}

/* As it is, and with squares of sines and cosines in place of pairs of terms. */
static void try_squares(Search *search, Letters *letters, const NormalForm *form, Poly *numerator)
{
  try_ratio(search, letters, form, numerator, 0);
  if (pf_poly_shorten_squares(letters, numerator)) try_ratio(search, letters, form, numerator, 0);
}

/* What has many more terms than another form of the same is not tried. */
static void try_form(Search *search, Letters *letters, const NormalForm *form)
{
  Poly plain = copy(letters, &form->numerator), contracted = copy(letters, &form->numerator), sums;
  pf_poly_prefer_sines(letters, &plain);
  bool any = pf_poly_contract(letters, &contracted);
  int fewest = contracted.count < plain.count ? contracted.count : plain.count, halvings;
  if (!any || plain.count <= fewest + fewest/4) try_squares(search, letters, form, &plain);
  if (any) try_squares(search, letters, form, &contracted);
  if (pf_poly_fourier(letters, &form->numerator, &sums, &halvings) && sums.count <= 2*fewest)
    try_ratio(search, letters, form, &sums, halvings);
}

/* False when there is no such form, or it has no denominators. */
static bool try_style(Search *search, PfExpr e, NormalStyle style)
{
  PfMark mark = pf_arena_mark(search->arena);
  Letters letters;
  NormalForm form;
  pf_letters_init(&letters, search->table, search->arena, *search->work);
  bool good = pf_normal_form(&letters, e, style, &form);
  bool divided = good && form.divisor_count > 0;
  if (good) {
    join_divisors(&letters, &form);
    try_form(search, &letters, &form);
  }
  *search->work = letters.work;
  pf_arena_release(search->arena, mark);
  return divided;
}

static void try_angles(Search *search, PfExpr e, AngleStyle angles)
{
  NormalStyle style = {.angles = angles, .readable = true};
  if (!try_style(search, e, style)) return;
  style.inverse_letters = true;
  try_style(search, e, style);
}

/* ---------------------------------------------------------------- one expression */

/* Do the angles, as they are written, depend on each other? Then they are taken apart as well. */
static bool has_dependent_angles(Search *search, PfExpr e)
{
  static const AngleKind kinds[] = {CIRCULAR, HYPERBOLIC};
  PfMark mark = pf_arena_mark(search->arena);
  PfExpr *nodes;
  int count;
  bool dependent = false, good = pf_walk(search->table, search->arena, &e, 1, &nodes, &count) == PF_OK;
  for (int i = 0; i < 2 && good; i++) {
    Angles angles;
    good = pf_angles_find(search->table, search->arena, nodes, count, kinds[i], ANGLES_EXPANDED, 12,
                          &angles) == PF_OK;
    dependent = dependent || (good && !pf_angles_are_free(search->arena, &angles));
  }
  pf_arena_release(search->arena, mark);
  return dependent;
}

/* Without looking into the arguments of functions. */
static PfExpr shorten(PfExprTable *table, PfArena *arena, PfExpr e, double *work)
{
  Search search = {table, arena, e, pf_expr_length(table->ctx, e), work};
  if (search.length > LONGEST || *work <= 0) return e;
  PfStatus before = table->failure;
  try_angles(&search, e, ANGLES_AS_WRITTEN);
  if (has_dependent_angles(&search, e)) try_angles(&search, e, ANGLES_EXPANDED);
  table->failure = before; /* an attempt that failed is no error */
  return search.best;
}

/* ---------------------------------------------------------------- insides */

typedef struct Insides {
  PfExprTable *table;
  PfArena *arena;
  PfExpr *nodes, *images; /* what each node has become */
  int node_count;
  double work;            /* what may still be spent */
} Insides;

static PfExpr image_of(const Insides *in, PfExpr e)
{
  int low = 0, high = in->node_count - 1;
  while (low < high) {
    int middle = (low + high)/2;
    if (in->nodes[middle] < e) low = middle + 1;
    else high = middle;
  }
  return in->images[low];
}

/* A number times a letter, or a sum of such things, is short already. */
static bool is_plain(const PfExprTable *table, PfExpr e)
{
  if (op_of(table, e) != PF_OP_SUM) return op_of(table, e) != PF_OP_PRODUCT;
  for (uint32_t i = 2; i < node_of(table, e)->count; i += 2) {
    PfOp op = op_of(table, args_of(table, e)[i]);
    if (op == PF_OP_SUM || op == PF_OP_PRODUCT) return false;
  }
  return true;
}

static PfExpr inside(Insides *in, PfExpr e)
{
  PfExpr image = image_of(in, e);
  if (image == PF_EXPR_NONE || is_plain(in->table, image)) return image;
  return shorten(in->table, in->arena, image, &in->work);
}

static PfExpr rebuild_sum(const Insides *in, PfExpr e)
{
  PfExprTable *table = in->table;
  SumBuilder sum;
  pf_sum_begin(&sum, table);
  sum.constant = number_of(table, args_of(table, e)[0]);
  for (uint32_t i = 1; i < node_of(table, e)->count; i += 2)
    pf_sum_push(&sum, number_of(table, args_of(table, e)[i]), image_of(in, args_of(table, e)[i + 1]));
  return pf_sum_end(&sum);
}

/* Bases of roots and of what is divided by are insides too. */
static PfExpr rebuild_product(Insides *in, PfExpr e)
{
  PfExprTable *table = in->table;
  PfExpr product = pf_expr_int(table->ctx, 1);
  for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
    PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
    bool power = is_integer(table, exponent) && number_of(table, exponent).num > 0;
    base = power ? image_of(in, base) : inside(in, base);
    product = pf_expr_mul(table->ctx, product, pf_expr_pow(table->ctx, base, image_of(in, exponent)));
  }
  return product;
}

static PfExpr rebuild(Insides *in, PfExpr e)
{
  const Node node = *node_of(in->table, e);
  PfExpr args[3] = {0};
  if (node.count == 0) return e;
  if (node.op == PF_OP_SUM) return rebuild_sum(in, e);
  if (node.op == PF_OP_PRODUCT) return rebuild_product(in, e);
  for (uint32_t i = 0; i < node.count && i < 3; i++) args[i] = inside(in, args_of(in->table, e)[i]);
  return pf_expr_call(in->table->ctx, (PfOp)node.op, args);
}

/* Everything inside functions, roots and denominators in its shortest form. */
static PfExpr shorten_insides(PfExprTable *table, PfArena *arena, PfExpr e)
{
  Insides in = {.table = table, .arena = arena, .work = MOST_WORK};
  PfStatus before = table->failure;
  if (pf_walk(table, arena, &e, 1, &in.nodes, &in.node_count) != PF_OK) return e;
  if (in.node_count > MOST_NODES) return e;
  in.images = pf_arena_array(arena, PfExpr, in.node_count);
  if (!in.images) return e;
  for (int i = 0; i < in.node_count; i++) {
    PfMark mark = pf_arena_mark(arena);
    in.images[i] = rebuild(&in, in.nodes[i]);
    pf_arena_release(arena, mark);
  }
  PfExpr image = in.images[in.node_count - 1];
  if (image == PF_EXPR_NONE) table->failure = before;
  return image == PF_EXPR_NONE ? e : image;
}

/* ---------------------------------------------------------------- public */

static PfExpr find_simplest(PfExprTable *table, PfExpr e)
{
  PfArena *scratch = pf_context_scratch(table->ctx);
  PfMark mark = pf_arena_mark(scratch);
  double work = MOST_WORK;
  PfExpr inner = shorten_insides(table, scratch, e);
  PfExpr best = shorten(table, scratch, inner, &work);
  pf_arena_release(scratch, mark);
  return pf_expr_length(table->ctx, best) < pf_expr_length(table->ctx, e) ? best : e;
}

/* The field has the last word: it also sees products of doubles that were rounded on the way. */
PfExpr pf_expr_simplest(PfContext *ctx, PfExpr e)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || e == PF_EXPR_NONE || node_of(table, e)->count == 0) return e;
  if (pf_expr_length(ctx, e) > LONGEST) return e;
  if (pf_expr_is_probably_zero(ctx, e, 1) == PF_TRUE && pf_expr_is_zero(ctx, e) == PF_TRUE)
    return pf_expr_int(ctx, 0);
  PfExpr best = find_simplest(table, e);
  if (best == e || pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, e, best), 1) == PF_FALSE) return e;
  return best;
}
