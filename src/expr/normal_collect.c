/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms of polynomials: common factors are taken out greedily, always the one that saves most variables
 * and signs. A sum that remains inside becomes a variable, so that it can be a common factor itself. */
#include "expr/normal.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 24 }; /* levels of brackets: each takes 12 kB of stack */

static const Monomial nothing = {.coefficient = {.num = 0, .den = 1}};

/* ---------------------------------------------------------------- building */

/* sin^a/cos^b of one angle has the common part tan^n, which becomes a variable. False when there is none (any more). */
static bool take_tangent(Vars *vars, Monomial *term)
{
  for (int i = 0; i < term->count; i++)
    for (int k = 0; k < term->count; k++) {
      VarPower a = term->powers[i], b = term->powers[k];
      Var sine = vars->at[a.var], cosine = vars->at[b.var];
      if (sine.kind != VAR_SINE || cosine.kind != VAR_COSINE || sine.angle != cosine.angle) continue;
      if ((a.exponent > 0) == (b.exponent > 0)) continue;
      if (abs(a.exponent) >= abs(b.exponent)) a.exponent = -b.exponent;
      b.exponent = -a.exponent;
      PfExpr tangent = pf_expr_call1(vars->table->ctx, PF_OP_TAN, vars->angles[sine.angle]);
      if (op_of(vars->table, tangent) != PF_OP_TAN) return false;
      VarPower in = {pf_var(vars, tangent), a.exponent};
      *term = pf_monomial_over(vars, *term, (Monomial){pf_number_int(1), 1, &a});
      *term = pf_monomial_over(vars, *term, (Monomial){pf_number_int(1), 1, &b});
      *term = pf_monomial_times(vars, *term, (Monomial){pf_number_int(1), 1, &in});
      return !vars->failed;
    }
  return false;
}

PfExpr pf_monomial_build(Vars *vars, Monomial term)
{
  PfExprTable *table = vars->table;
  while (take_tangent(vars, &term)) continue;
  if (vars->failed) return PF_EXPR_NONE;
  PfMark mark = pf_arena_mark(pf_context_scratch(table->ctx));
  ProductBuilder product;
  pf_product_begin(&product, table);
  product.coefficient = term.coefficient;
  for (int k = 0; k < term.count; k++) {
    PfExpr exponent = pf_expr_int(table->ctx, term.powers[k].exponent);
    pf_product_push(&product, vars->at[term.powers[k].var].expr, exponent);
  }
  PfExpr e = pf_product_end(&product);
  pf_arena_release(pf_context_scratch(table->ctx), mark);
  if (e == PF_EXPR_NONE) vars->failed = true;
  return e;
}

/* A sum as number times a variable: x - y and y - x have the same one. */
static Monomial name_sum(Vars *vars, const Poly *poly)
{
  Number content = pf_number_int(1);
  PfExpr *terms = pf_arena_array(vars->arena, PfExpr, poly->count), sum = PF_EXPR_NONE;
  if (!terms) vars->failed = true;
  for (int i = 0; i < poly->count && !vars->failed; i++) terms[i] = pf_monomial_build(vars, poly->terms[i]);
  if (!vars->failed) sum = pf_expr_sum(vars->table->ctx, terms, poly->count);
  VarPower *power = pf_arena_array(vars->arena, VarPower, 1);
  if (sum == PF_EXPR_NONE || !power) vars->failed = true;
  if (vars->failed) return nothing;
  PfExpr rest = sum;
  pf_expr_content(vars->table, sum, &content, &rest);
  if (!pf_number_is_whole(content) || is_number(vars->table, rest)) vars->failed = true;
  *power = (VarPower){pf_var(vars, rest), 1};
  return (Monomial){content, 1, power};
}

/* ---------------------------------------------------------------- costs */

static bool is_unit(Number n)
{
  return pf_number_is(n, 1) || pf_number_is(n, -1);
}

static int cost_of_power(const Vars *vars, VarPower power)
{
  int exponent = abs(power.exponent);
  return vars->at[power.var].cost + (exponent > 1 ? 1 + pf_number_digits(pf_number_int(exponent)) : 0);
}

/* Length of a term, without its sign. */
static int cost_of_term(const Vars *vars, const Monomial *term)
{
  bool number = term->count == 0 || !is_unit(term->coefficient);
  int cost = number ? pf_number_digits(term->coefficient) : 0, factors = number;
  for (int k = 0; k < term->count; k++, factors++) cost += cost_of_power(vars, term->powers[k]);
  return cost + (factors > 1 ? factors - 1 : 0);
}

static int cost_of_sum(const Vars *vars, const Poly *poly)
{
  int cost = 0;
  for (int i = 0; i < poly->count; i++) cost += cost_of_term(vars, poly->terms + i) + (i ? 3 : 0);
  return cost;
}

/* ---------------------------------------------------------------- common factors */

/* The common factor of two terms; powers in a place of its own with room for both. */
static void intersect(Vars *vars, Monomial *common, VarPower *powers, const Monomial *other)
{
  int kept = 0, next = 0;
  for (int k = 0; k < common->count; k++) {
    VarPower power = powers[k];
    while (next < other->count && other->powers[next].var < power.var) next++;
    if (next == other->count) break;
    VarPower match = other->powers[next];
    if (match.var != power.var || (match.exponent > 0) != (power.exponent > 0)) continue;
    if (abs(match.exponent) < abs(power.exponent)) power.exponent = match.exponent;
    powers[kept++] = power;
  }
  common->count = kept;
  if (pf_number_is(common->coefficient, 1)) return;
  common->coefficient = pf_number_gcd(vars->table, common->coefficient, other->coefficient);
}

/* Is the term a multiple of the variables of `by`? */
static bool is_multiple(const Monomial *term, const Monomial *by)
{
  int next = 0;
  for (int k = 0; k < by->count; k++) {
    int var = by->powers[k].var, least = by->powers[k].exponent;
    while (next < term->count && term->powers[next].var < var) next++;
    if (next == term->count || term->powers[next].var != var) return false;
    int exponent = term->powers[next].exponent;
    if (least > 0 ? exponent < least : exponent > least) return false;
  }
  return true;
}

/* The common factor of some terms that are multiples of `by`: no more is to be found once there is nothing else. */
static Monomial common_factor(Vars *vars, const Monomial *terms, const int *which, int count, const Monomial *by)
{
  if (count == 0) return nothing;
  const Monomial *first = terms + which[0];
  VarPower *powers = pf_arena_array(vars->arena, VarPower, first->count);
  if (!powers) {
    vars->failed = true;
    return nothing;
  }
  if (first->count) memcpy(powers, first->powers, (size_t)first->count*sizeof *powers);
  Monomial common = {first->coefficient, first->count, powers};
  for (int i = 1; i < count; i++) {
    bool number = pf_number_is(common.coefficient, 1);
    if (number && common.count == by->count && pf_monomial_compare(&common, by) == 0) break;
    intersect(vars, &common, powers, terms + which[i]);
  }
  if (pf_number_sign(common.coefficient) < 0) common.coefficient = pf_number_negative(common.coefficient);
  return common;
}

static Monomial quotient(Vars *vars, Monomial term, Monomial factor)
{
  Monomial result = pf_monomial_over(vars, term, factor);
  if (!pf_number_is(factor.coefficient, 0))
    result.coefficient = pf_number_div(vars->table, term.coefficient, factor.coefficient);
  return result;
}

/* ---------------------------------------------------------------- choices */

/* A factor that could be taken out of those terms that have it. */
typedef struct Choice {
  Monomial factor;
  int saving; /* variables and signs */
  int size;   /* of the factor */
} Choice;

enum { FEW = 3, MOST_TRIED = 400, TRIED_SLOTS = 1024 };

/* The factor that is taken out first; the orders lead to different forms. */
typedef enum Order {
  MOST_SAVING_FIRST,
  LONGEST_FIRST,    /* the longest factor */
  BEST_INSIDE_FIRST /* saves most when the rest inside is collected as well: slow */
} Order;

typedef struct Choices {
  Order order;
  Choice best[FEW]; /* the best first */
  int count;
  const Poly *poly;
  uint64_t *masks; /* per term: which variables occur in it, some sharing a bit */
  int *which;      /* room for the terms that have a factor */
  Monomial tried[MOST_TRIED];
  int tried_count;
  uint16_t slots[TRIED_SLOTS]; /* hash table of those tried: their number + 1, 0 = free */
} Choices;

static uint64_t mask_of(const Monomial *term)
{
  uint64_t mask = 0;
  for (int k = 0; k < term->count; k++) mask |= (uint64_t)1 << term->powers[k].var%64;
  return mask;
}

/* By how much a term gets shorter when the factor is taken out of it: its variables and signs, except that a 1 may have
 * to be written. */
static int shortening(const Vars *vars, const Monomial *term, const Monomial *factor)
{
  int cost = 0, vars_left = term->count;
  for (int k = 0; k < factor->count; k++) {
    VarPower power = {factor->powers[k].var, pf_monomial_exponent(term, factor->powers[k].var)};
    cost += cost_of_power(vars, power);
    power.exponent -= factor->powers[k].exponent;
    if (power.exponent) cost -= cost_of_power(vars, power);
    else vars_left--, cost++;
  }
  Number before = term->coefficient, after = pf_number_div(vars->table, before, factor->coefficient);
  if (!is_unit(before)) cost += pf_number_digits(before) + 1;
  if (!is_unit(after)) cost -= pf_number_digits(after) + 1;
  return vars_left == 0 && is_unit(after) ? cost - 2 : cost;
}

static bool is_better(Choice a, Choice b, Order order)
{
  int by_saving = a.saving - b.saving, by_size = a.size - b.size;
  if (order == LONGEST_FIRST) return by_size > 0 || (by_size == 0 && by_saving > 0);
  return by_saving > 0 || (by_saving == 0 && by_size > 0);
}

static void gather(Vars *vars, Poly *poly, Monomial factor, int depth, Order order);

static uint64_t hash_of_powers(const Monomial *term)
{
  uint64_t hash = 0;
  for (int k = 0; k < term->count; k++) {
    uint64_t power = (uint64_t)(uint32_t)term->powers[k].var << 32 | (uint32_t)term->powers[k].exponent;
    hash = ((hash ^ hash >> 29) + power)*0xbf58476d1ce4e5b9u;
  }
  return hash;
}

/* Where it stands among those tried, or would stand. */
static uint16_t *slot_of(Choices *choices, const Monomial *by)
{
  uint32_t at = (uint32_t)(hash_of_powers(by) >> 32)%TRIED_SLOTS;
  while (choices->slots[at] && pf_monomial_compare(choices->tried + choices->slots[at] - 1, by) != 0)
    at = (at + 1)%TRIED_SLOTS;
  return choices->slots + at;
}

/* Considers `by`, or rather the common factor of all terms that are multiples of it, for taking out: the few best
 * choices are kept. */
static void consider(Vars *vars, const Monomial *by, Choices *choices)
{
  uint16_t *slot = slot_of(choices, by);
  if (*slot || by->count == 0 || choices->tried_count == MOST_TRIED) return;
  choices->tried[choices->tried_count++] = *by;
  *slot = (uint16_t)choices->tried_count;
  const Poly *poly = choices->poly;
  pf_vars_spend(vars, poly->count);
  const uint64_t mask = mask_of(by);
  int count = 0; /* of the terms that are multiples */
  for (int i = 0; i < poly->count && !vars->failed; i++)
    if (!(mask & ~choices->masks[i]) && is_multiple(poly->terms + i, by)) choices->which[count++] = i;
  Choice choice = {.factor = common_factor(vars, poly->terms, choices->which, count, by)};
  choice.size = cost_of_term(vars, &choice.factor);
  choice.saving = -choice.size - 3; /* a sign and brackets */
  for (int i = 0; i < count && count > 1 && !vars->failed; i++)
    choice.saving += shortening(vars, poly->terms + choices->which[i], &choice.factor);
  for (int i = 0; i < choices->count; i++)
    if (pf_monomial_compare(&choices->best[i].factor, &choice.factor) == 0) return;
  if (choices->order == BEST_INSIDE_FIRST) {
    /* The saving when the rest inside is collected as well. */
    Poly gathered = *choices->poly;
    gather(vars, &gathered, choice.factor, 0, MOST_SAVING_FIRST);
    choice.saving = vars->failed ? 0 : cost_of_sum(vars, choices->poly) - cost_of_sum(vars, &gathered);
  }
  if (choice.saving <= 0) return;
  int at = choices->count < FEW ? choices->count++ : FEW;
  for (; at > 0 && is_better(choice, choices->best[at - 1], choices->order); at--)
    if (at < FEW) choices->best[at] = choices->best[at - 1];
  if (at < FEW) choices->best[at] = choice;
}

/* Common factors of two terms. */
static void consider_pairs(Vars *vars, const Poly *poly, Choices *choices)
{
  int most = 0;
  for (int i = 0; i < poly->count; i++)
    if (poly->terms[i].count > most) most = poly->terms[i].count;
  VarPower *powers = pf_arena_array(vars->arena, VarPower, most);
  if (!powers) vars->failed = true;
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < i && !vars->failed; k++) {
      if (!(choices->masks[i] & choices->masks[k])) continue;
      /* The common factor of two terms, with its powers in a place that has room for those of the first. */
      const Monomial *a = poly->terms + k;
      if (a->count) memcpy(powers, a->powers, (size_t)a->count*sizeof *powers);
      Monomial common = {a->coefficient, a->count, powers};
      intersect(vars, &common, powers, poly->terms + i);
      if (common.count == 0 || *slot_of(choices, &common)) continue;
      VarPower *kept = pf_arena_array(vars->arena, VarPower, common.count);
      if (kept) common.powers = memcpy(kept, powers, (size_t)common.count*sizeof *kept);
      if (kept) consider(vars, &common, choices);
      else vars->failed = true;
    }
}

/* Single variables, and in short sums pairs. */
static void list_choices(Vars *vars, const Poly *poly, Choices *choices)
{
  enum { SHORT = 20 };
  choices->count = choices->tried_count = 0;
  memset(choices->slots, 0, sizeof choices->slots);
  choices->poly = poly;
  choices->masks = pf_arena_array(vars->arena, uint64_t, poly->count);
  choices->which = pf_arena_array(vars->arena, int, poly->count);
  if (!choices->masks || !choices->which) {
    vars->failed = true;
    return;
  }
  for (int i = 0; i < poly->count; i++) choices->masks[i] = mask_of(poly->terms + i);
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < poly->terms[i].count; k++)
      consider(vars, &(Monomial){pf_number_int(1), 1, poly->terms[i].powers + k}, choices);
  if (poly->count <= SHORT) consider_pairs(vars, poly, choices);
}

/* ---------------------------------------------------------------- collecting */

static Monomial collect(Vars *vars, const Poly *poly, int depth, Order order);

/* Replaces the terms that have the factor by one: the factor times what is left of them. */
static void gather(Vars *vars, Poly *poly, Monomial factor, int depth, Order order)
{
  Poly inside = pf_poly_make(vars, poly->count), rest = pf_poly_make(vars, poly->count);
  for (int i = 0; i < poly->count && !vars->failed; i++) {
    Monomial term = poly->terms[i];
    if (is_multiple(&term, &factor)) inside.terms[inside.count++] = quotient(vars, term, factor);
    else rest.terms[rest.count++] = term;
  }
  pf_poly_tidy(vars, &inside);
  Monomial gathered = collect(vars, &inside, depth + 1,
                              order == BEST_INSIDE_FIRST ? MOST_SAVING_FIRST : order);
  if (vars->failed) return;
  rest.terms[rest.count++] = pf_monomial_times(vars, factor, gathered);
  pf_poly_tidy(vars, &rest);
  *poly = rest;
}

/* Takes the factor that all terms have out of them. */
static Monomial take_common(Vars *vars, Poly *poly)
{
  int *all = pf_arena_array(vars->arena, int, poly->count);
  if (!all) vars->failed = true;
  for (int i = 0; i < poly->count && all; i++) all[i] = i;
  Monomial common = common_factor(vars, poly->terms, all, vars->failed ? 0 : poly->count, &nothing);
  Poly rest = pf_poly_make(vars, poly->count);
  for (int i = 0; i < poly->count && !vars->failed; i++)
    rest.terms[rest.count++] = quotient(vars, poly->terms[i], common);
  *poly = rest;
  return common;
}

/* A sum after everything that saves something has been taken out of its terms. At the first step `first` of
 * the best choices is taken. */
static Monomial collect_terms(Vars *vars, Poly poly, int depth, Order order, int first)
{
  Monomial outside = {pf_number_int(1), 0, NULL};
  Choices choices; /* large: only the used part is set */
  choices.order = order;
  while (!vars->failed && poly.count > 1) {
    outside = pf_monomial_times(vars, outside, take_common(vars, &poly));
    list_choices(vars, &poly, &choices);
    if (choices.count == 0 || depth == DEEPEST) break;
    gather(vars, &poly, choices.best[first < choices.count ? first : 0].factor, depth, order);
    first = 0;
  }
  if (vars->failed || poly.count == 0) return nothing;
  return pf_monomial_times(vars, outside, poly.count == 1 ? poly.terms[0] : name_sum(vars, &poly));
}

/* At the top other orders are tried as well, in long sums fewer of them. */
static Monomial collect_well(Vars *vars, const Poly *poly, int depth, Order order)
{
  enum { SHORT = 16, LONG = 100 };
  static const struct {
    Order order;
    int first;
  } others[] = {{LONGEST_FIRST, 0}, {MOST_SAVING_FIRST, 1}, {MOST_SAVING_FIRST, 2}, {BEST_INSIDE_FIRST, 0}};
  Monomial best = collect_terms(vars, *poly, depth, order, 0);
  int count = depth > 0 || poly->count < 3 ? 0 : poly->count <= SHORT ? 4 : poly->count < LONG ? 3 : 1;
  for (int i = 0; i < count && !vars->failed; i++) {
    Monomial other = collect_terms(vars, *poly, depth, others[i].order, others[i].first);
    if (!vars->failed && cost_of_term(vars, &other) < cost_of_term(vars, &best)) best = other;
  }
  return best;
}

/* A variable that stands in one term only, and not squared: p = a*x + b with a single term a, so that a factor
 * without x divides a; but the terms have nothing in common. */
static bool is_irreducible(Vars *vars, const Poly *poly)
{
  PfMark mark = pf_arena_mark(vars->arena);
  int *uses = pf_arena_array(vars->arena, int, vars->count), single = 0;
  if (!uses) vars->failed = true;
  for (int i = 0; i < poly->count && uses; i++)
    for (int k = 0; k < poly->terms[i].count; k++)
      uses[poly->terms[i].powers[k].var] += poly->terms[i].powers[k].exponent == 1 ? 1 : 2;
  for (int var = 0; var < vars->count && uses; var++) single += uses[var] == 1;
  pf_arena_release(vars->arena, mark);
  return single > 0;
}

/* The polynomial as one term: with its terms collected, or as the product of its factors, each with its terms
 * collected, where that is shorter. */
static Monomial collect_anew(Vars *vars, const Poly *poly, int depth, Order order)
{
  Poly rest = *poly;
  Factors factors;
  /* The factors of the whole come first: brackets inside of it must not use up what may be factored. */
  Monomial common = take_common(vars, &rest);
  bool several = !vars->failed && rest.count >= 3 && !is_irreducible(vars, &rest) &&
                 pf_poly_factor(vars, &rest, &factors) && factors.count > 0 &&
                 (factors.count > 1 || factors.powers[0] != 1);
  Monomial sum = collect_well(vars, &rest, depth, order);
  if (vars->failed) return sum;
  if (several) {
    Monomial product = {factors.content, 0, NULL};
    for (int i = 0; i < factors.count && !vars->failed; i++) {
      Monomial base = collect_well(vars, factors.bases + i, depth, order);
      for (int n = factors.powers[i]; n > 0 && !vars->failed; n--) product = pf_monomial_times(vars, product, base);
    }
    if (!vars->failed && cost_of_term(vars, &product) < cost_of_term(vars, &sum)) sum = product;
  }
  return vars->failed ? sum : pf_monomial_times(vars, common, sum);
}

/* ---------------------------------------------------------------- what was collected before */

/* Different orders and choices lead to the same brackets again and again. Each is searched for once, and charged every
 * time: the extent of the search does not depend on remembered results. */
struct Collected {
  Collected *next;
  uint64_t hash;
  Poly poly;
  int depth;
  Order order;
  Monomial result;
  double work; /* the work to find it again, when its variables are there */
  int factorings;
};

enum { LISTS = 256 };

static bool is_same(const Poly *a, const Poly *b)
{
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (!pf_number_is_same(a->terms[i].coefficient, b->terms[i].coefficient) ||
        pf_monomial_compare(a->terms + i, b->terms + i) != 0)
      return false;
  return true;
}

/* The polynomial as one term, remembered: for a polynomial that was collected before the same work is charged again, so
 * that memory changes the speed and never the result. A known result counts only when there is enough work left to find
 * it: else the search would have been given up on the way. */
static Monomial collect(Vars *vars, const Poly *poly, int depth, Order order)
{
  if (!vars->collected) vars->collected = pf_arena_array(vars->arena, Collected *, LISTS);
  if (!vars->collected || vars->failed || poly->count < 2) return collect_anew(vars, poly, depth, order);
  uint64_t hash = (uint64_t)poly->count;
  for (int i = 0; i < poly->count; i++) {
    const Monomial *term = poly->terms + i;
    hash = (hash ^ hash >> 29 ^ (uint64_t)term->coefficient.num)*0x9e3779b97f4a7c15u + hash_of_powers(term);
  }
  hash ^= hash >> 32;
  Collected **list = vars->collected + hash%LISTS;
  const Collected *known = *list;
  for (; known; known = known->next)
    if (known->hash == hash && known->depth == depth && known->order == order && is_same(&known->poly, poly)) break;
  if (known && known->work <= vars->work && known->factorings <= vars->factorings) {
    vars->work -= known->work;
    vars->factorings -= known->factorings;
    return known->result;
  }
  Vars before = *vars;
  Monomial result = collect_anew(vars, poly, depth, order);
  if (vars->failed) return result;
  double vars_paid = (double)PF_COST_OF_VAR*(vars->count - before.count);
  Collected *kept = pf_arena_array(vars->arena, Collected, 1);
  Monomial *terms = pf_arena_array(vars->arena, Monomial, poly->count);
  if (!kept || !terms) return result;
  memcpy(terms, poly->terms, (size_t)poly->count*sizeof *terms);
  *kept = (Collected){*list, hash, {poly->count, terms}, depth, order, result,
                      before.work - vars->work - vars_paid, before.factorings - vars->factorings};
  *list = kept;
  return result;
}

Monomial pf_poly_collect(Vars *vars, const Poly *poly)
{
  return collect(vars, poly, 0, MOST_SAVING_FIRST);
}
