/* Short forms of polynomials: common factors are taken out greedily, always the one that saves most letters
 * and signs. A sum that remains inside becomes a letter, so that it can be a common factor itself. */
#include "expr/normal.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 40 };

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
      *term = pf_monomial_over(letters, *term, (Monomial){1, 1, &a});
      *term = pf_monomial_over(letters, *term, (Monomial){1, 1, &b});
      *term = pf_monomial_times(letters, *term, (Monomial){1, 1, &in});
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
  product.coefficient = pf_number_int(term.coefficient);
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
  if (letters->failed) return (Monomial){0};
  pf_expr_content(letters->table, sum, &content, &rest);
  if (!pf_number_is_integer(content) || is_number(letters->table, rest)) letters->failed = true;
  *power = (LetterPower){pf_letter(letters, rest), 1};
  return (Monomial){content.num, 1, power};
}

/* ---------------------------------------------------------------- costs */

static int digits_of(int64_t n)
{
  int digits = 1;
  for (uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; left > 9; left /= 10) digits++;
  return digits;
}

static int cost_of_power(const Letters *letters, LetterPower power)
{
  const Letter *letter = letters->at + power.letter;
  int exponent = abs(power.exponent);
  bool bracket = op_of(letters->table, letter->expr) == PF_OP_SUM;
  return letter->cost + (bracket ? 2 : 0) + (exponent > 1 ? 1 + digits_of(exponent) : 0);
}

/* Length of a term, without its sign. */
static int cost_of_term(const Letters *letters, const Monomial *term)
{
  bool number = term->count == 0 || (term->coefficient != 1 && term->coefficient != -1);
  int cost = number ? digits_of(term->coefficient) : 0, factors = number;
  for (int k = 0; k < term->count; k++, factors++) cost += cost_of_power(letters, term->powers[k]);
  return cost + (factors > 1 ? factors - 1 : 0);
}

/* ---------------------------------------------------------------- common factors */

static int toward_zero(int a, int b)
{
  if ((a > 0) != (b > 0)) return 0;
  return abs(a) < abs(b) ? a : b;
}

/* What two terms have in common; powers in a place of its own with room for both. */
static void intersect(Monomial *common, LetterPower *powers, const Monomial *other)
{
  int kept = 0;
  for (int k = 0; k < common->count; k++) {
    LetterPower power = powers[k];
    int exponent = pf_monomial_exponent(other, power.letter);
    power.exponent = exponent ? toward_zero(power.exponent, exponent) : 0;
    if (power.exponent) powers[kept++] = power;
  }
  common->count = kept;
  common->coefficient = pf_gcd(common->coefficient, other->coefficient);
}

/* Which terms are gathered: those with at least this power of a letter. */
typedef struct Choice {
  LetterPower by;
  int saving;
} Choice;

static bool is_chosen(const Monomial *term, LetterPower by)
{
  int exponent = pf_monomial_exponent(term, by.letter);
  return by.exponent > 0 ? exponent >= by.exponent : exponent <= by.exponent;
}

/* The common factor of the chosen terms, and how many they are. */
static Monomial common_factor(Letters *letters, const Poly *poly, LetterPower by, int *count)
{
  Monomial common = {0};
  LetterPower *powers = NULL;
  *count = 0;
  for (int i = 0; i < poly->count && !letters->failed; i++) {
    const Monomial *term = poly->terms + i;
    if (by.exponent && !is_chosen(term, by)) continue;
    if ((*count)++) {
      intersect(&common, powers, term);
      continue;
    }
    powers = pf_arena_array(letters->arena, LetterPower, term->count);
    if (!powers) letters->failed = true;
    else if (term->count) memcpy(powers, term->powers, (size_t)term->count*sizeof *powers);
    common = (Monomial){term->coefficient, term->count, powers};
  }
  if (common.coefficient < 0) common.coefficient = -common.coefficient;
  return common;
}

static Monomial quotient(Letters *letters, Monomial term, Monomial factor)
{
  Monomial result = pf_monomial_over(letters, term, factor);
  result.coefficient = factor.coefficient ? term.coefficient/factor.coefficient : term.coefficient;
  return result;
}

/* Letters and signs less when the common factor of these terms is written once. */
static int saving_by(Letters *letters, const Poly *poly, LetterPower by)
{
  PfMark mark = pf_arena_mark(letters->arena);
  int count, saving = 0;
  Monomial common = common_factor(letters, poly, by, &count);
  for (int i = 0; i < poly->count && count > 1 && !letters->failed; i++) {
    if (!is_chosen(poly->terms + i, by)) continue;
    Monomial left = quotient(letters, poly->terms[i], common);
    saving += cost_of_term(letters, poly->terms + i) - cost_of_term(letters, &left);
  }
  saving -= cost_of_term(letters, &common) + 3; /* a sign and brackets */
  pf_arena_release(letters->arena, mark);
  return count > 1 ? saving : 0;
}

static bool is_new(const LetterPower *seen, int count, LetterPower by)
{
  for (int i = 0; i < count; i++)
    if (seen[i].letter == by.letter && seen[i].exponent == by.exponent) return false;
  return true;
}

static Choice best_choice(Letters *letters, const Poly *poly)
{
  enum { MOST_TRIED = 400 };
  LetterPower tried[MOST_TRIED];
  int count = 0;
  Choice best = {{0, 0}, 0};
  for (int i = 0; i < poly->count; i++)
    for (int k = 0; k < poly->terms[i].count; k++) {
      LetterPower by = poly->terms[i].powers[k];
      if (count == MOST_TRIED || !is_new(tried, count, by)) continue;
      tried[count++] = by;
      int saving = saving_by(letters, poly, by);
      if (saving > best.saving) best = (Choice){by, saving};
    }
  return best;
}

/* ---------------------------------------------------------------- collecting */

static Monomial collect(Letters *letters, const Poly *poly, int depth);

/* Replaces the chosen terms by one: common factor times what is left of them. */
static void gather(Letters *letters, Poly *poly, LetterPower by, int depth)
{
  int count;
  Monomial common = common_factor(letters, poly, by, &count);
  Poly inside = pf_poly_make(letters, count), rest = pf_poly_make(letters, poly->count);
  for (int i = 0; i < poly->count && !letters->failed; i++) {
    Monomial term = poly->terms[i];
    if (is_chosen(&term, by)) inside.terms[inside.count++] = quotient(letters, term, common);
    else rest.terms[rest.count++] = term;
  }
  pf_poly_tidy(letters, &inside);
  Monomial gathered = collect(letters, &inside, depth + 1);
  if (letters->failed) return;
  rest.terms[rest.count++] = pf_monomial_times(letters, common, gathered);
  pf_poly_tidy(letters, &rest);
  *poly = rest;
}

/* Takes the factor that all terms have out of them. */
static Monomial take_common(Letters *letters, Poly *poly)
{
  int count;
  Monomial common = common_factor(letters, poly, (LetterPower){0, 0}, &count);
  Poly rest = pf_poly_make(letters, poly->count);
  for (int i = 0; i < poly->count && !letters->failed; i++)
    rest.terms[rest.count++] = quotient(letters, poly->terms[i], common);
  *poly = rest;
  return common;
}

/* A sum after everything that saves something has been taken out of its terms. */
static Monomial collect_terms(Letters *letters, Poly poly, int depth)
{
  Monomial outside = {1, 0, NULL};
  while (!letters->failed && poly.count > 1) {
    outside = pf_monomial_times(letters, outside, take_common(letters, &poly));
    Choice best = best_choice(letters, &poly);
    if (best.saving <= 0 || depth == DEEPEST) break;
    gather(letters, &poly, best.by, depth);
  }
  if (letters->failed || poly.count == 0) return (Monomial){0};
  return pf_monomial_times(letters, outside, poly.count == 1 ? poly.terms[0] : name_sum(letters, &poly));
}

/* The product of the factors, each with its terms collected. */
static bool collect_factors(Letters *letters, const Poly *poly, int depth, Monomial *product)
{
  Factors factors;
  if (poly->count < 3 || !pf_poly_factor(letters, poly, &factors)) return false;
  if (factors.count == 0 || (factors.count == 1 && factors.powers[0] == 1)) return false;
  *product = (Monomial){factors.content, 0, NULL};
  for (int i = 0; i < factors.count && !letters->failed; i++) {
    Monomial base = collect_terms(letters, factors.bases[i], depth + 1);
    for (int n = factors.powers[i]; n > 0 && !letters->failed; n--)
      *product = pf_monomial_times(letters, *product, base);
  }
  return !letters->failed;
}

static Monomial collect(Letters *letters, const Poly *poly, int depth)
{
  Poly rest = *poly;
  Monomial common = take_common(letters, &rest), product;
  Monomial sum = collect_terms(letters, rest, depth);
  if (letters->failed) return sum;
  if (collect_factors(letters, &rest, depth, &product) &&
      cost_of_term(letters, &product) < cost_of_term(letters, &sum))
    sum = product;
  return letters->failed ? sum : pf_monomial_times(letters, common, sum);
}

Monomial pf_poly_collect(Letters *letters, const Poly *poly)
{
  return collect(letters, poly, 0);
}
