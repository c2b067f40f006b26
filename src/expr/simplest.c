/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest form of an expression that can be found within reason. Several normal forms are made, common
 * factors taken out of each, and the shortest text wins; the expression itself is the first candidate. */
#include "expr/normal.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST = 20000, MOST_NODES = 4000, MOST_WORK = 2000000 };

typedef struct Search {
  PfExprTable *table;
  PfArena *arena;
  PfExpr best;
  size_t length; /* of the best */
  double *work;  /* the remaining budget */
  double start;  /* that at the beginning */
  double need;   /* with how much at the beginning all would be the same; INFINITY: it was not enough */
} Search;

/* Does the operation occur in e? */
static bool contains(PfExprTable *table, PfExpr e, PfOp op)
{
  PfArena *scratch = pf_context_scratch(table->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes;
  int count;
  bool found = false, good = pf_walk(table, scratch, &e, 1, &nodes, &count) == PF_OK;
  for (int i = 0; i < count && good && !found; i++) found = op_of(table, nodes[i]) == op;
  pf_arena_release(scratch, mark);
  return found;
}

/* Of forms of the same length the one without tangents is better: tan(x) fails where sines and cosines do not. */
static bool is_more_regular(PfExprTable *table, PfExpr one, PfExpr other)
{
  return contains(table, other, PF_OP_TAN) && !contains(table, one, PF_OP_TAN);
}

/* A form that people like less must be shorter by a handicap. */
static void consider(Search *search, PfExpr candidate, size_t handicap)
{
  if (candidate == PF_EXPR_NONE) return;
  size_t length = pf_expr_length(search->table->ctx, candidate);
  bool regular = length == search->length && !handicap && is_more_regular(search->table, candidate, search->best);
  if (!regular && (length >= search->length || search->length - length <= handicap)) return;
  search->best = candidate;
  search->length = length;
}

/* ---------------------------------------------------------------- candidates from one form */

static PfExpr scale(Vars *vars, PfExpr e, Number factor, int halvings)
{
  factor = pf_number_mul(vars->table, factor, pf_number_rational(vars->table, 1, (int64_t)1 << halvings));
  return e == PF_EXPR_NONE || !pf_number_is_exact(factor) ? PF_EXPR_NONE : pf_expr_scale(vars->table, factor, e);
}

static Poly product_of(Vars *vars, const Poly *a, const Poly *b)
{
  Poly product = pf_poly_make(vars, a->count*b->count);
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < b->count && !vars->failed; k++)
      product.terms[product.count++] = pf_monomial_times(vars, a->terms[i], b->terms[k]);
  pf_poly_tidy(vars, &product);
  return product;
}

/* The numerator, in whatever form, over the divisors. */
static void try_ratio(Search *search, Vars *vars, const NormalForm *form, const Poly *numerator,
                      int halvings)
{
  enum { FEW = 50, HANDICAP = 4 };
  if (vars->failed || (numerator->count > FEW && (size_t)numerator->count > search->length/2)) return;
  if (numerator->count == 0) {
    consider(search, pf_expr_int(search->table->ctx, 0), 0);
    return;
  }
  Monomial all = pf_poly_collect(vars, numerator);
  for (int i = 0; i < form->divisor_count && !vars->failed; i++) {
    Monomial below = pf_poly_collect(vars, form->divisors + i);
    if (!pf_number_is(below.coefficient, 1)) return;
    for (int n = form->powers[i]; n > 0 && !vars->failed; n--) all = pf_monomial_over(vars, all, below);
  }
  if (vars->failed) return;
  PfExpr e = scale(vars, pf_monomial_build(vars, all), form->scale, halvings);
  consider(search, e, halvings ? HANDICAP : 0);
}

/* The same polynomial with its terms in a place of their own. */
static Poly copy(Vars *vars, const Poly *poly)
{
  Poly result = pf_poly_make(vars, poly->count);
  for (int i = 0; i < poly->count && !vars->failed; i++) result.terms[result.count++] = poly->terms[i];
  return result;
}

/* As it is, and with squares of sines and cosines in place of pairs of terms. */
static void try_squares(Search *search, Vars *vars, const NormalForm *form, Poly *numerator)
{
  try_ratio(search, vars, form, numerator, 0);
  if (pf_poly_shorten_squares(vars, numerator)) try_ratio(search, vars, form, numerator, 0);
}

/* False when there is no such form, or it has no denominators. */
static bool try_style(Search *search, PfExpr e, NormalStyle style)
{
  PfMark mark = pf_arena_mark(search->arena);
  Vars vars;
  NormalForm form;
  pf_vars_init(&vars, search->table, search->arena, *search->work);
  bool good = pf_normal_form(&vars, e, style, &form);
  bool divided = good && form.divisor_count > 0;
  if (good) {
    /* Divisors with the same power in one, while they are short: collecting factors them again if that is shorter than,
     * say, x^2 - 1. */
    enum { SHORT = 24 };
    for (int i = 0; i < form.divisor_count; i++)
      for (int k = form.divisor_count - 1; k > i && !vars.failed; k--) {
        Poly *a = form.divisors + i, *b = form.divisors + k;
        if (form.powers[i] != form.powers[k] || a->count*b->count > SHORT) continue;
        *a = product_of(&vars, a, b);
        *b = form.divisors[--form.divisor_count];
        form.powers[k] = form.powers[form.divisor_count];
      }
    /* Forms of the numerator: with sines preferred, with angles contracted, as a Fourier sum. One with many more terms
     * than another is not tried. */
    Poly plain = copy(&vars, &form.numerator), contracted = copy(&vars, &form.numerator), sums;
    pf_poly_prefer_sines(&vars, &plain);
    bool any = pf_poly_contract(&vars, &contracted);
    int fewest = contracted.count < plain.count ? contracted.count : plain.count, halvings;
    if (!any || plain.count <= fewest + fewest/4) try_squares(search, &vars, &form, &plain);
    if (any) try_squares(search, &vars, &form, &contracted);
    if (pf_poly_fourier(&vars, &form.numerator, &sums, &halvings) && sums.count <= 2*fewest)
      try_ratio(search, &vars, &form, &sums, halvings);
  }
  search->need = fmax(search->need, vars.work < 0 ? INFINITY : search->start - *search->work + vars.need);
  *search->work = vars.work;
  pf_arena_release(search->arena, mark);
  return divided;
}

static void try_fractions(Search *search, PfExpr e, NormalStyle style)
{
  if (!try_style(search, e, style)) return;
  style.inverse_vars = true;
  try_style(search, e, style);
}

/* All variants of the normal form with this treatment of angles: with and without common denominators, and with the
 * columns and rows of rotation matrices preferred in several orders. */
static void try_angles(Search *search, PfExpr e, AngleStyle angles)
{
  /* Which rows of rotation matrices occur in e: 1 for the first, 2, 4. */
  const PfExprTable *table = search->table;
  int rows = 0;
  for (size_t r = 0; r < table->rotations.count; r++)
    for (int row = 0; row < 3; row++)
      if (pf_expr_depends(table->ctx, e, table->rotations.at[r].entry + 3*row, 3)) rows |= 1 << row;
  NormalStyle style = {.angles = angles, .readable = true};
  try_fractions(search, e, style);
  for (style.rotation = 1; style.rotation <= 3 && rows; style.rotation++) {
    style.first_row = false;
    try_fractions(search, e, style);
    style.first_row = true;
    if (rows & 3) try_fractions(search, e, style);
  }
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

/* ---------------------------------------------------------------- angles that enter by their differences */

enum { MOST_ANGLES = 24 };

/* Angles that occur together in arguments of sines and cosines. */
typedef struct Group {
  int count;
  PfExpr symbol[MOST_ANGLES];
} Group;

/* The symbols of a sum a - b + c with coefficients 1 and -1; false for another argument. */
static bool list_symbols(const PfExprTable *table, PfExpr e, Group *list)
{
  list->count = 0;
  if (op_of(table, e) == PF_OP_SYMBOL) {
    list->symbol[list->count++] = e;
    return true;
  }
  if (op_of(table, e) != PF_OP_SUM) return false;
  for (uint32_t i = 1; i < node_of(table, e)->count; i += 2) {
    PfExpr term = args_of(table, e)[i + 1];
    if (op_of(table, term) != PF_OP_SYMBOL || list->count == MOST_ANGLES) return false;
    list->symbol[list->count++] = term;
  }
  return true;
}

static bool has_symbol(const Group *group, PfExpr symbol)
{
  for (int i = 0; i < group->count; i++)
    if (group->symbol[i] == symbol) return true;
  return false;
}

/* The group that the first sum of angles belongs to. */
static void find_group(const Search *search, const PfExpr *nodes, int count, Group *group)
{
  const PfExprTable *table = search->table;
  Group list;
  int before = -1;
  group->count = 0;
  while (before != group->count) {
    before = group->count;
    for (int i = 0; i < count; i++) {
      if (!is_circular(op_of(table, nodes[i])) || !list_symbols(table, args_of(table, nodes[i])[0], &list)) continue;
      bool joins = group->count == 0 && list.count > 1;
      for (int k = 0; k < list.count && !joins; k++) joins = has_symbol(group, list.symbol[k]);
      /* Adds the symbols of the list that are not there yet, in order of creation. */
      for (int k = 0; k < list.count && joins && group->count < MOST_ANGLES; k++) {
        if (has_symbol(group, list.symbol[k])) continue;
        int at = group->count++;
        for (; at > 0 && group->symbol[at - 1] > list.symbol[k]; at--) group->symbol[at] = group->symbol[at - 1];
        group->symbol[at] = list.symbol[k];
      }
    }
  }
}

/* Does e stay the same when all angles of the group grow together? */
static bool is_invariant(const Search *search, PfExpr e, const Group *group)
{
  PfContext *ctx = search->table->ctx;
  PfExpr seeds[MOST_ANGLES], rate;
  for (int i = 0; i < group->count; i++) seeds[i] = pf_expr_int(ctx, 1);
  return pf_expr_derive_along(ctx, &e, 1, group->symbol, seeds, group->count, &rate) == PF_OK &&
         pf_expr_is_probably_zero(ctx, rate, 1) == PF_TRUE;
}

/* In a chain of bodies with absolute angles only differences of neighbours count: in these the polynomials are short.
 * The last angle is set to 0, which changes nothing, and the others are sums of differences. */
static void try_differences(Search *search, PfExpr e)
{
  PfContext *ctx = search->table->ctx;
  PfMark mark = pf_arena_mark(search->arena);
  PfExpr *nodes, difference[MOST_ANGLES], value[MOST_ANGLES], back[MOST_ANGLES], sum = pf_expr_int(ctx, 0);
  int count;
  Group group = {0};
  bool good = pf_walk(search->table, search->arena, &e, 1, &nodes, &count) == PF_OK;
  if (good) find_group(search, nodes, count, &group);
  good = good && group.count > 2 && group.count < MOST_ANGLES && is_invariant(search, e, &group);
  for (int i = good ? group.count - 1 : -1; i >= 0; i--) {
    char name[32];
    snprintf(name, sizeof name, "difference %d", i);
    difference[i] = pf_expr_symbol(ctx, name);
    value[i] = sum = i == group.count - 1 ? sum : pf_expr_add(ctx, sum, difference[i]);
    back[i] = i == group.count - 1 ? sum : pf_expr_sub(ctx, group.symbol[i], group.symbol[i + 1]);
  }
  if (good && pf_expr_substitute(ctx, &e, 1, group.symbol, value, group.count, &e) == PF_OK) {
    Search inner = *search;
    inner.best = e;
    inner.length = SIZE_MAX;
    try_angles(&inner, e, ANGLES_AS_WRITTEN);
    try_angles(&inner, e, ANGLES_EXPANDED);
    search->need = inner.need;
    if (pf_expr_substitute(ctx, &inner.best, 1, difference, back, group.count, &e) == PF_OK) consider(search, e, 0);
  }
  pf_arena_release(search->arena, mark);
}

/* Without looking into the arguments of functions. Remembered results are charged again: the extent of the search does
 * not depend on them. */
static PfExpr shorten(PfExprTable *table, PfArena *arena, PfExpr e, double *work)
{
  Search search = {.table = table, .arena = arena, .best = e, .length = pf_expr_length(table->ctx, e), .work = work,
                   .start = *work};
  if (search.length > LONGEST || *work <= 0) return e;
  const Shortened *known = e < table->shortened.count ? table->shortened.at + e : &(Shortened){0};
  if (known->best != PF_EXPR_NONE && known->work <= *work && known->need <= *work) {
    *work -= known->work;
    return known->best;
  }
  PfStatus before = table->failure;
  try_angles(&search, e, ANGLES_AS_WRITTEN);
  if (has_dependent_angles(&search, e)) {
    try_angles(&search, e, ANGLES_EXPANDED);
    try_differences(&search, e);
  }
  table->failure = before; /* a failed attempt is not an error */
  bool good = !pf_context_is_cancelled(table->ctx); /* without memory it will be looked for again */
  while (good && table->shortened.count <= e) good = pf_push(table->allocator, &table->shortened, (Shortened){0});
  if (good) table->shortened.at[e] = (Shortened){search.best, search.start - *work, search.need};
  return search.best;
}

/* ---------------------------------------------------------------- insides */

typedef struct Insides {
  PfExprTable *table;
  PfArena *arena;
  PfExpr *nodes, *images; /* the replacement of each node */
  int node_count;
  double work;            /* the remaining budget */
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

/* A number times a variable, or a sum of such things, is short already. */
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

/* A node with the shortest forms of its insides: arguments of functions, bases of roots, divisors. */
static PfExpr rebuild(Insides *in, PfExpr e)
{
  const Node node = *node_of(in->table, e);
  PfExprTable *table = in->table;
  PfExpr args[3] = {0};
  if (node.count == 0) return e;
  if (node.op == PF_OP_SUM) {
    SumBuilder sum;
    pf_sum_begin(&sum, table);
    sum.constant = number_of(table, args_of(table, e)[0]);
    for (uint32_t i = 1; i < node_of(table, e)->count; i += 2)
      pf_sum_push(&sum, number_of(table, args_of(table, e)[i]), image_of(in, args_of(table, e)[i + 1]));
    return pf_sum_end(&sum);
  }
  if (node.op == PF_OP_PRODUCT) {
    /* Bases of roots and of divisors are insides too. */
    PfExpr product = pf_expr_int(table->ctx, 1);
    for (uint32_t i = 0; i < node_of(table, e)->count; i += 2) {
      PfExpr base = args_of(table, e)[i], exponent = args_of(table, e)[i + 1];
      bool power = is_integer(table, exponent) && number_of(table, exponent).num > 0;
      base = power ? image_of(in, base) : inside(in, base);
      product = pf_expr_mul(table->ctx, product, pf_expr_pow(table->ctx, base, image_of(in, exponent)));
    }
    return product;
  }
  for (uint32_t i = 0; i < node.count && i < 3; i++) args[i] = inside(in, args_of(table, e)[i]);
  return pf_expr_call(table->ctx, (PfOp)node.op, args);
}

/* Everything inside functions, roots and denominators in its shortest form. */
static PfExpr shorten_insides(PfExprTable *table, PfArena *arena, PfExpr e, double *work)
{
  Insides in = {.table = table, .arena = arena, .work = *work};
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
  *work = in.work;
  if (image == PF_EXPR_NONE) table->failure = before;
  return image == PF_EXPR_NONE ? e : image;
}

/* ---------------------------------------------------------------- numbers in disguise */

/* cos(2 pi/5)^2 + cos(4 pi/5)^2 = 3/4: a sum of numbers that is a fraction, by its value and by prime fields. */
static PfExpr fold(void *user, PfExpr e)
{
  enum { LARGEST_DENOMINATOR = 16 };
  PfExprTable *table = user;
  double value;
  if (op_of(table, e) != PF_OP_SUM || contains(table, e, PF_OP_SYMBOL)) return e;
  if (pf_expr_evaluate(table->ctx, &e, 1, NULL, NULL, 0, &value) != PF_OK || !(fabs(value) < 1e6)) return e;
  for (int den = 1; den <= LARGEST_DENOMINATOR; den++) {
    double num = round(value*den);
    if (fabs(value*den - num) > 1e-9) continue;
    PfExpr fraction = pf_expr_rational(table->ctx, (int64_t)num, den);
    return pf_expr_is_probably_zero(table->ctx, pf_expr_sub(table->ctx, e, fraction), 3) == PF_TRUE ? fraction : e;
  }
  return e;
}

/* Only where sines or cosines of numbers occur. */
static PfExpr fold_numbers(PfExprTable *table, PfExpr e)
{
  PfArena *scratch = pf_context_scratch(table->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *nodes, folded = e;
  int count;
  bool any = false, good = pf_walk(table, scratch, &e, 1, &nodes, &count) == PF_OK;
  for (int i = 0; i < count && good && !any; i++)
    any = is_circular(op_of(table, nodes[i])) && !contains(table, nodes[i], PF_OP_SYMBOL);
  if (any && pf_expr_map(table->ctx, &e, 1, fold, table, &folded) != PF_OK) folded = e;
  pf_arena_release(scratch, mark);
  return folded;
}

/* Shortens the insides, then the whole, then folds numbers. The field has the last word: it also sees products of
 * doubles that were rounded on the way. */
static PfExpr look_for_simplest(PfExprTable *table, PfExpr e)
{
  PfContext *ctx = table->ctx;
  size_t own = pf_expr_length(ctx, e);
  table->budget -= 20*(double)(own < LONGEST ? own : LONGEST); /* for this look, and for the zero tests below */
  if (own > LONGEST) return e;
  if (pf_expr_is_probably_zero(ctx, e, 1) == PF_TRUE &&
      (pf_expr_is_zero(ctx, e) == PF_TRUE || pf_expr_is_probably_zero(ctx, e, 4) == PF_TRUE))
    return pf_expr_int(ctx, 0); /* the normal form does not know that 4 cos(2 pi/5)^2 + 2 cos(2 pi/5) = 1 */
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  double work = MOST_WORK;
  if (table->limited && table->budget < work) work = table->budget;
  double before = work;
  PfExpr inner = shorten_insides(table, scratch, e, &work), best = shorten(table, scratch, inner, &work);
  table->budget -= before - work;
  pf_arena_release(scratch, mark);
  size_t length = pf_expr_length(ctx, best);
  if (length > own || (length == own && !is_more_regular(table, best, e))) best = e;
  best = fold_numbers(table, best);
  if (best == e || pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, e, best), 1) == PF_FALSE) return e;
  return best;
}

/* A form that has been found once with the whole budget is found again without any. */
PfExpr pf_expr_simplest(PfContext *ctx, PfExpr e)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || e == PF_EXPR_NONE || node_of(table, e)->count == 0) return e;
  if (e < table->simplest.count && table->simplest.at[e] != PF_EXPR_NONE) return table->simplest.at[e];
  if (table->limited && table->budget <= 0) return e;
  bool whole = !table->limited || table->budget >= MOST_WORK;
  PfExpr best = look_for_simplest(table, e);
  bool good = whole && !pf_context_is_cancelled(ctx); /* without memory it will be looked for again */
  while (good && (table->simplest.count <= e || table->simplest.count <= best))
    good = pf_push(table->allocator, &table->simplest, PF_EXPR_NONE);
  if (good) table->simplest.at[e] = table->simplest.at[best] = best;
  return best;
}

bool pf_expr_limit(PfContext *ctx, double budget)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || table->limited) return false;
  table->limited = true;
  table->budget = budget;
  table->gave_up = false;
  return true;
}

void pf_expr_set_budget(PfContext *ctx, double budget)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table || !table->limited) return;
  table->gave_up = table->gave_up || table->budget <= 0;
  table->budget = budget;
}

bool pf_expr_is_exhausted(PfContext *ctx)
{
  const PfExprTable *table = pf_expr_table(ctx);
  return table && table->limited && table->budget <= 0;
}

bool pf_expr_unlimit(PfContext *ctx)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return false;
  table->limited = false;
  return table->gave_up || table->budget <= 0;
}
