/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms of polynomials: common factors are taken out greedily, always the one that saves most letters
 * and signs. A sum that remains inside becomes a letter, so that it can be a common factor itself. */
#include "expr/normal.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 24 }; /* levels of brackets: each takes 12 kB of stack */

static const Monomial nothing = {.coefficient = {.num = 0, .den = 1}};

/* ---------------------------------------------------------------- building */

/* Is it sin^a/cos^b of one angle? Then the common part is tan^n. */
static bool is_tangent(const Letters *letters, LetterPower a, LetterPower b, int *n)
{
  Letter sine = letters->at[a.letter], cosine = letters->at[b.letter];
  if (sine.kind != LETTER_SINE || cosine.kind != LETTER_COSINE || sine.angle != cosine.angle) return false;
  *n = abs(a.exponent) < abs(b.exponent) ? a.exponent : -b.exponent;
  return (a.exponent > 0) != (b.exponent > 0);
}

static bool take_tangent(Letters *letters, Monomial *term)
{
  for (int i = 0; i < term->count; i++)
    for (int k = 0; k < term->count; k++) {
      LetterPower a = term->powers[i], b = term->powers[k];
      if (!is_tangent(letters, a, b, &a.exponent)) continue;
      b.exponent = -a.exponent;
      PfExpr argument = letters->angles[letters->at[a.letter].angle];
      PfExpr tangent = pf_expr_call1(letters->table->ctx, PF_OP_TAN, argument);
      if (op_of(letters->table, tangent) != PF_OP_TAN) return false;
      LetterPower in = {pf_letter(letters, tangent), a.exponent};
      *term = pf_monomial_over(letters, *term, (Monomial){pf_number_int(1), 1, &a});
      *term = pf_monomial_over(letters, *term, (Monomial){pf_number_int(1), 1, &b});
      *term = pf_monomial_times(letters, *term, (Monomial){pf_number_int(1), 1, &in});
      return !letters->failed;
    }
  return false;
}

PfExpr pf_monomial_build(Letters *letters, Monomial term)
{
  PfExprTable *table = letters->table;
  while (take_tangent(letters, &term)) continue;
  if (letters->failed) return PF_EXPR_NONE;
  PfMark mark = pf_arena_mark(pf_context_scratch(table->ctx));
  ProductBuilder product;
  pf_product_begin(&product, table);
  product.coefficient = term.coefficient;
  for (int k = 0; k < term.count; k++) {
    PfExpr exponent = pf_expr_int(table->ctx, term.powers[k].exponent);
    pf_product_push(&product, letters->at[term.powers[k].letter].expr, exponent);
  }
  PfExpr e = pf_product_end(&product);
  pf_arena_release(pf_context_scratch(table->ctx), mark);
  if (e == PF_EXPR_NONE) letters->failed = true;
  return e;
}

static PfExpr build_sum(Letters *letters, const Poly *poly)
{
  PfExpr *terms = pf_arena_array(letters->arena, PfExpr, poly->count);
  if (!terms) letters->failed = true;
  for (int i = 0; i < poly->count && !letters->failed; i++)
    terms[i] = pf_monomial_build(letters, poly->terms[i]);
  return letters->failed ? PF_EXPR_NONE : pf_expr_sum(letters->table->ctx, terms, poly->count);
}

/* A sum as number times a letter: x - y and y - x have the same one. */
static Monomial name_sum(Letters *letters, const Poly *poly)
{
  Number content = pf_number_int(1);
  PfExpr sum = build_sum(letters, poly), rest = sum;
  LetterPower *power = pf_arena_array(letters->arena, LetterPower, 1);
  if (sum == PF_EXPR_NONE || !power) letters->failed = true;
  if (letters->failed) return nothing;
  pf_expr_content(letters->table, sum, &content, &rest);
  if (!pf_number_is_whole(content) || is_number(letters->table, rest)) letters->failed = true;
  *power = (LetterPower){pf_letter(letters, rest), 1};
  return (Monomial){content, 1, power};
}

/* ---------------------------------------------------------------- costs */

static int digits_of(int64_t n)
{
  return pf_number_digits(pf_number_int(n));
}

static bool is_unit(Number n)
{
  return pf_number_is(n, 1) || pf_number_is(n, -1);
}

static int cost_of_power(const Letters *letters, LetterPower power)
{
  int exponent = abs(power.exponent);
  return letters->at[power.letter].cost + (exponent > 1 ? 1 + digits_of(exponent) : 0);
}

/* Length of a term, without its sign. */
static int cost_of_term(const Letters *letters, const Monomial *term)
{
  bool number = term->count == 0 || !is_unit(term->coefficient);
  int cost = number ? pf_number_digits(term->coefficient) : 0, factors = number;
  for (int k = 0; k < term->count; k++, factors++) cost += cost_of_power(letters, term->powers[k]);
  return cost + (factors > 1 ? factors - 1 : 0);
}

static int cost_of_sum(const Letters *letters, const Poly *poly)
{
  int cost = 0;
  for (int i = 0; i < poly->count; i++) cost += cost_of_term(letters, poly->terms + i) + (i ? 3 : 0);
  return cost;
}

/* ---------------------------------------------------------------- common factors */

static int toward_zero(int a, int b)
{
  if ((a > 0) != (b > 0)) return 0;
  return abs(a) < abs(b) ? a : b;
}

/* What two terms have in common; powers in a place of its own with room for both. */
static void intersect(Letters *letters, Monomial *common, LetterPower *powers, const Monomial *other)
{
  int kept = 0, next = 0;
  for (int k = 0; k < common->count; k++) {
    LetterPower power = powers[k];
    while (next < other->count && other->powers[next].letter < power.letter) next++;
    if (next == other->count) break;
    LetterPower match = other->powers[next];
    power.exponent = match.letter == power.letter ? toward_zero(power.exponent, match.exponent) : 0;
    if (power.exponent) powers[kept++] = power;
  }
  common->count = kept;
  if (pf_number_is(common->coefficient, 1)) return;
  common->coefficient = pf_number_gcd(letters->table, common->coefficient, other->coefficient);
}

/* Is the term a multiple of the letters of `by`? */
static bool is_multiple(const Monomial *term, const Monomial *by)
{
  int next = 0;
  for (int k = 0; k < by->count; k++) {
    int letter = by->powers[k].letter, least = by->powers[k].exponent;
    while (next < term->count && term->powers[next].letter < letter) next++;
    if (next == term->count || term->powers[next].letter != letter) return false;
    int exponent = term->powers[next].exponent;
    if (least > 0 ? exponent < least : exponent > least) return false;
  }
  return true;
}

/* The common factor of two terms, with its powers in a place that has room for those of the first. */
static Monomial common_of_two(Letters *letters, LetterPower *powers, const Monomial *a, const Monomial *b)
{
  if (a->count) memcpy(powers, a->powers, (size_t)a->count*sizeof *powers);
  Monomial common = {a->coefficient, a->count, powers};
  intersect(letters, &common, powers, b);
  return common;
}

/* The common factor of some terms that are multiples of `by`: no more is to be found once there is nothing else. */
static Monomial common_factor(Letters *letters, const Monomial *terms, const int *which, int count, const Monomial *by)
{
  if (count == 0) return nothing;
  const Monomial *first = terms + which[0];
  LetterPower *powers = pf_arena_array(letters->arena, LetterPower, first->count);
  if (!powers) {
    letters->failed = true;
    return nothing;
  }
  if (first->count) memcpy(powers, first->powers, (size_t)first->count*sizeof *powers);
  Monomial common = {first->coefficient, first->count, powers};
  for (int i = 1; i < count; i++) {
    bool number = pf_number_is(common.coefficient, 1);
    if (number && common.count == by->count && pf_monomial_compare(&common, by) == 0) break;
    intersect(letters, &common, powers, terms + which[i]);
  }
  if (pf_number_sign(common.coefficient) < 0) common.coefficient = pf_number_negative(common.coefficient);
  return common;
}

static Monomial common_of_all(Letters *letters, const Poly *poly)
{
  int *which = pf_arena_array(letters->arena, int, poly->count);
  if (!which) letters->failed = true;
  for (int i = 0; i < poly->count && which; i++) which[i] = i;
  return common_factor(letters, poly->terms, which, letters->failed ? 0 : poly->count, &nothing);
}

static Monomial quotient(Letters *letters, Monomial term, Monomial factor)
{
  Monomial result = pf_monomial_over(letters, term, factor);
  if (!pf_number_is(factor.coefficient, 0))
    result.coefficient = pf_number_div(letters->table, term.coefficient, factor.coefficient);
  return result;
}

/* ---------------------------------------------------------------- choices */

/* A factor that could be taken out of those terms that have it. */
typedef struct Choice {
  Monomial factor;
  int saving; /* letters and signs */
  int size;   /* of the factor */
} Choice;

enum { FEW = 3, MOST_TRIED = 400, TRIED_SLOTS = 1024 };

/* What is taken out first; the orders lead to different forms. */
typedef enum Order {
  MOST_SAVING_FIRST,
  LONGEST_FIRST,    /* the longest factor */
  BEST_INSIDE_FIRST /* what saves most when what is left inside is collected as well: slow */
} Order;

typedef struct Choices {
  Order order;
  Choice best[FEW]; /* the best first */
  int count;
  const Poly *poly;
  uint64_t *masks; /* per term: which letters occur in it, some sharing a bit */
  int *which;      /* room for the terms that have a factor */
  Monomial tried[MOST_TRIED];
  int tried_count;
  uint16_t slots[TRIED_SLOTS]; /* hash table of those tried: their number + 1, 0 = free */
} Choices;

static uint64_t mask_of(const Monomial *term)
{
  uint64_t mask = 0;
  for (int k = 0; k < term->count; k++) mask |= (uint64_t)1 << term->powers[k].letter%64;
  return mask;
}

/* The terms that are multiples of `by`, as choices->which. */
static int list_multiples(const Choices *choices, const Monomial *by)
{
  const uint64_t mask = mask_of(by);
  int count = 0;
  for (int i = 0; i < choices->poly->count; i++)
    if (!(mask & ~choices->masks[i]) && is_multiple(choices->poly->terms + i, by)) choices->which[count++] = i;
  return count;
}

/* What a term gets shorter by when the factor is taken out of it: its letters and signs, except that a 1 may
 * have to be written. */
static int shortening(const Letters *letters, const Monomial *term, const Monomial *factor)
{
  int cost = 0, letters_left = term->count;
  for (int k = 0; k < factor->count; k++) {
    LetterPower power = {factor->powers[k].letter, pf_monomial_exponent(term, factor->powers[k].letter)};
    cost += cost_of_power(letters, power);
    power.exponent -= factor->powers[k].exponent;
    if (power.exponent) cost -= cost_of_power(letters, power);
    else letters_left--, cost++;
  }
  Number before = term->coefficient, after = pf_number_div(letters->table, before, factor->coefficient);
  if (!is_unit(before)) cost += pf_number_digits(before) + 1;
  if (!is_unit(after)) cost -= pf_number_digits(after) + 1;
  return letters_left == 0 && is_unit(after) ? cost - 2 : cost;
}

static Choice choice_of(Letters *letters, const Choices *choices, const Monomial *by)
{
  const Poly *poly = choices->poly;
  pf_letters_spend(letters, poly->count);
  int count = letters->failed ? 0 : list_multiples(choices, by);
  Choice choice = {.factor = common_factor(letters, poly->terms, choices->which, count, by)};
  choice.size = cost_of_term(letters, &choice.factor);
  choice.saving = -choice.size - 3; /* a sign and brackets */
  for (int i = 0; i < count && count > 1 && !letters->failed; i++)
    choice.saving += shortening(letters, poly->terms + choices->which[i], &choice.factor);
  return choice;
}

static bool is_better(Choice a, Choice b, Order order)
{
  int by_saving = a.saving - b.saving, by_size = a.size - b.size;
  if (order == LONGEST_FIRST) return by_size > 0 || (by_size == 0 && by_saving > 0);
  return by_saving > 0 || (by_saving == 0 && by_size > 0);
}

static void gather(Letters *letters, Poly *poly, Monomial factor, int depth, Order order);

/* The saving with what is left inside collected. */
static int true_saving(Letters *letters, const Poly *poly, Monomial factor)
{
  Poly gathered = *poly;
  gather(letters, &gathered, factor, 0, MOST_SAVING_FIRST);
  return letters->failed ? 0 : cost_of_sum(letters, poly) - cost_of_sum(letters, &gathered);
}

static uint64_t hash_of_powers(const Monomial *term)
{
  uint64_t hash = 0;
  for (int k = 0; k < term->count; k++) {
    uint64_t power = (uint64_t)(uint32_t)term->powers[k].letter << 32 | (uint32_t)term->powers[k].exponent;
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

static void consider(Letters *letters, const Monomial *by, Choices *choices)
{
  uint16_t *slot = slot_of(choices, by);
  if (*slot || by->count == 0 || choices->tried_count == MOST_TRIED) return;
  choices->tried[choices->tried_count++] = *by;
  *slot = (uint16_t)choices->tried_count;
  Choice choice = choice_of(letters, choices, by);
  for (int i = 0; i < choices->count; i++)
    if (pf_monomial_compare(&choices->best[i].factor, &choice.factor) == 0) return;
  if (choices->order == BEST_INSIDE_FIRST) choice.saving = true_saving(letters, choices->poly, choice.factor);
  if (choice.saving <= 0) return;
  int at = choices->count < FEW ? choices->count++ : FEW;
  for (; at > 0 && is_better(choice, choices->best[at - 1], choices->order); at--)
    if (at < FEW) choices->best[at] = choices->best[at - 1];
  if (at < FEW) choices->best[at] = choice;
}

/* What two terms have in common. */
static void consider_pairs(Letters *letters, const Poly *poly, Choices *choices)
{
  int most = 0;
  for (int i = 0; i < poly->count; i++)
    if (poly->terms[i].count > most) most = poly->terms[i].count;
  LetterPower *powers = pf_arena_array(letters->arena, LetterPower, most);
  if (!powers) letters->failed = true;
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < i && !letters->failed; k++) {
      if (!(choices->masks[i] & choices->masks[k])) continue;
      Monomial common = common_of_two(letters, powers, poly->terms + k, poly->terms + i);
      if (common.count == 0 || *slot_of(choices, &common)) continue;
      LetterPower *kept = pf_arena_array(letters->arena, LetterPower, common.count);
      if (kept) common.powers = memcpy(kept, powers, (size_t)common.count*sizeof *kept);
      if (kept) consider(letters, &common, choices);
      else letters->failed = true;
    }
}

/* Single letters, and in short sums pairs. */
static void list_choices(Letters *letters, const Poly *poly, Choices *choices)
{
  enum { SHORT = 20 };
  choices->count = choices->tried_count = 0;
  memset(choices->slots, 0, sizeof choices->slots);
  choices->poly = poly;
  choices->masks = pf_arena_array(letters->arena, uint64_t, poly->count);
  choices->which = pf_arena_array(letters->arena, int, poly->count);
  if (!choices->masks || !choices->which) {
    letters->failed = true;
    return;
  }
  for (int i = 0; i < poly->count; i++) choices->masks[i] = mask_of(poly->terms + i);
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < poly->terms[i].count; k++)
      consider(letters, &(Monomial){pf_number_int(1), 1, poly->terms[i].powers + k}, choices);
  if (poly->count <= SHORT) consider_pairs(letters, poly, choices);
}

/* ---------------------------------------------------------------- collecting */

static Monomial collect(Letters *letters, const Poly *poly, int depth, Order order);

/* Replaces the terms that have the factor by one: the factor times what is left of them. */
static void gather(Letters *letters, Poly *poly, Monomial factor, int depth, Order order)
{
  Poly inside = pf_poly_make(letters, poly->count), rest = pf_poly_make(letters, poly->count);
  for (int i = 0; i < poly->count && !letters->failed; i++) {
    Monomial term = poly->terms[i];
    if (is_multiple(&term, &factor)) inside.terms[inside.count++] = quotient(letters, term, factor);
    else rest.terms[rest.count++] = term;
  }
  pf_poly_tidy(letters, &inside);
  Monomial gathered = collect(letters, &inside, depth + 1,
                              order == BEST_INSIDE_FIRST ? MOST_SAVING_FIRST : order);
  if (letters->failed) return;
  rest.terms[rest.count++] = pf_monomial_times(letters, factor, gathered);
  pf_poly_tidy(letters, &rest);
  *poly = rest;
}

/* Takes the factor that all terms have out of them. */
static Monomial take_common(Letters *letters, Poly *poly)
{
  Monomial common = common_of_all(letters, poly);
  Poly rest = pf_poly_make(letters, poly->count);
  for (int i = 0; i < poly->count && !letters->failed; i++)
    rest.terms[rest.count++] = quotient(letters, poly->terms[i], common);
  *poly = rest;
  return common;
}

/* A sum after everything that saves something has been taken out of its terms. At the first step `first` of
 * the best choices is taken. */
static Monomial collect_terms(Letters *letters, Poly poly, int depth, Order order, int first)
{
  Monomial outside = {pf_number_int(1), 0, NULL};
  Choices choices; /* large: only what is used is set */
  choices.order = order;
  while (!letters->failed && poly.count > 1) {
    outside = pf_monomial_times(letters, outside, take_common(letters, &poly));
    list_choices(letters, &poly, &choices);
    if (choices.count == 0 || depth == DEEPEST) break;
    gather(letters, &poly, choices.best[first < choices.count ? first : 0].factor, depth, order);
    first = 0;
  }
  if (letters->failed || poly.count == 0) return nothing;
  return pf_monomial_times(letters, outside, poly.count == 1 ? poly.terms[0] : name_sum(letters, &poly));
}

/* At the top other orders are tried as well, in long sums fewer of them. */
static Monomial collect_well(Letters *letters, const Poly *poly, int depth, Order order)
{
  enum { SHORT = 16, LONG = 100 };
  static const struct {
    Order order;
    int first;
  } others[] = {{LONGEST_FIRST, 0}, {MOST_SAVING_FIRST, 1}, {MOST_SAVING_FIRST, 2}, {BEST_INSIDE_FIRST, 0}};
  Monomial best = collect_terms(letters, *poly, depth, order, 0);
  int count = depth > 0 || poly->count < 3 ? 0 : poly->count <= SHORT ? 4 : poly->count < LONG ? 3 : 1;
  for (int i = 0; i < count && !letters->failed; i++) {
    Monomial other = collect_terms(letters, *poly, depth, others[i].order, others[i].first);
    if (!letters->failed && cost_of_term(letters, &other) < cost_of_term(letters, &best)) best = other;
  }
  return best;
}

/* A letter that stands in one term only, and not squared: p = a*x + b with a single term a, so that a factor
 * without x divides a; but the terms have nothing in common. */
static bool is_irreducible(Letters *letters, const Poly *poly)
{
  PfMark mark = pf_arena_mark(letters->arena);
  int *uses = pf_arena_array(letters->arena, int, letters->count), single = 0;
  if (!uses) letters->failed = true;
  for (int i = 0; i < poly->count && uses; i++)
    for (int k = 0; k < poly->terms[i].count; k++)
      uses[poly->terms[i].powers[k].letter] += poly->terms[i].powers[k].exponent == 1 ? 1 : 2;
  for (int letter = 0; letter < letters->count && uses; letter++) single += uses[letter] == 1;
  pf_arena_release(letters->arena, mark);
  return single > 0;
}

/* The product of the factors, each with its terms collected. */
static bool collect_factors(Letters *letters, const Poly *poly, int depth, Order order, Monomial *product)
{
  Factors factors;
  if (poly->count < 3 || is_irreducible(letters, poly)) return false;
  if (!pf_poly_factor(letters, poly, &factors)) return false;
  if (factors.count == 0 || (factors.count == 1 && factors.powers[0] == 1)) return false;
  *product = (Monomial){factors.content, 0, NULL};
  for (int i = 0; i < factors.count && !letters->failed; i++) {
    Monomial base = collect_well(letters, factors.bases + i, depth, order);
    for (int n = factors.powers[i]; n > 0 && !letters->failed; n--)
      *product = pf_monomial_times(letters, *product, base);
  }
  return !letters->failed;
}

static Monomial collect_anew(Letters *letters, const Poly *poly, int depth, Order order)
{
  Poly rest = *poly;
  Monomial common = take_common(letters, &rest), product;
  Monomial sum = collect_well(letters, &rest, depth, order);
  if (letters->failed) return sum;
  if (collect_factors(letters, &rest, depth, order, &product) &&
      cost_of_term(letters, &product) < cost_of_term(letters, &sum))
    sum = product;
  return letters->failed ? sum : pf_monomial_times(letters, common, sum);
}

/* ---------------------------------------------------------------- what was collected before */

/* Different orders and choices lead to the same brackets again and again. Each is looked for once, and paid for every
 * time: how much is looked for does not depend on what is remembered. */
struct Collected {
  Collected *next;
  uint64_t hash;
  Poly poly;
  int depth;
  Order order;
  Monomial result;
  double work; /* what it takes to find it again, when its letters are there */
  int factorings;
};

enum { LISTS = 256 };

static uint64_t hash_of(const Poly *poly)
{
  uint64_t hash = (uint64_t)poly->count;
  for (int i = 0; i < poly->count; i++) {
    const Monomial *term = poly->terms + i;
    hash = (hash ^ hash >> 29 ^ (uint64_t)term->coefficient.num)*0x9e3779b97f4a7c15u + hash_of_powers(term);
  }
  return hash ^ hash >> 32;
}

static bool is_same(const Poly *a, const Poly *b)
{
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (!pf_number_is_same(a->terms[i].coefficient, b->terms[i].coefficient) ||
        pf_monomial_compare(a->terms + i, b->terms + i) != 0)
      return false;
  return true;
}

/* Only when there is enough left to find it: else it would be given up on the way. */
static const Collected *recall(const Letters *letters, uint64_t hash, const Poly *poly, int depth, Order order)
{
  const Collected *known = letters->collected[hash%LISTS];
  for (; known; known = known->next)
    if (known->hash == hash && known->depth == depth && known->order == order && is_same(&known->poly, poly)) break;
  return known && known->work <= letters->work && known->factorings <= letters->factorings ? known : NULL;
}

static void remember(Letters *letters, Collected known)
{
  Collected *kept = pf_arena_array(letters->arena, Collected, 1);
  Monomial *terms = pf_arena_array(letters->arena, Monomial, known.poly.count);
  if (!kept || !terms) return;
  for (int i = 0; i < known.poly.count; i++) terms[i] = known.poly.terms[i];
  *kept = known;
  kept->poly.terms = terms;
  kept->next = letters->collected[known.hash%LISTS];
  letters->collected[known.hash%LISTS] = kept;
}

static Monomial collect(Letters *letters, const Poly *poly, int depth, Order order)
{
  if (!letters->collected) letters->collected = pf_arena_array(letters->arena, Collected *, LISTS);
  if (!letters->collected || letters->failed || poly->count < 2) return collect_anew(letters, poly, depth, order);
  uint64_t hash = hash_of(poly);
  const Collected *known = recall(letters, hash, poly, depth, order);
  if (known) {
    letters->work -= known->work;
    letters->factorings -= known->factorings;
    return known->result;
  }
  Letters before = *letters;
  Monomial result = collect_anew(letters, poly, depth, order);
  if (letters->failed) return result;
  double letters_paid = (double)PF_COST_OF_LETTER*(letters->count - before.count);
  remember(letters, (Collected){NULL, hash, *poly, depth, order, result, before.work - letters->work - letters_paid,
                                before.factorings - letters->factorings});
  return result;
}

Monomial pf_poly_collect(Letters *letters, const Poly *poly)
{
  return collect(letters, poly, 0, MOST_SAVING_FIRST);
}
