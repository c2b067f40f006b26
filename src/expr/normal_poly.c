/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials as lists of terms, in letters that stand for expressions. */
#include "expr/normal.h"

#include <stdlib.h>
#include <string.h>

void pf_letters_init(Letters *letters, PfExprTable *table, PfArena *arena, double work)
{
  *letters = (Letters){.table = table, .arena = arena, .factorings = 60, .work = work};
}

void pf_letters_spend(Letters *letters, int terms)
{
  letters->work -= terms;
  if (letters->work < 0 || pf_context_is_cancelled(letters->table->ctx)) letters->failed = true;
}

/* A block of twice the room with the same contents; the old one stays in the arena. */
static void *more_room(Letters *letters, const void *block, int count, int *room, size_t size)
{
  int more = *room ? 2**room : 32;
  void *larger = pf_arena_alloc(letters->arena, (size_t)more, size);
  if (!larger) {
    letters->failed = true;
    return NULL;
  }
  if (count) memcpy(larger, block, (size_t)count*size);
  *room = more;
  return larger;
}

int pf_letter_angle(Letters *letters, PfExpr argument)
{
  for (int i = 0; i < letters->angle_count; i++)
    if (letters->angles[i] == argument) return i;
  if (letters->angle_count == letters->angle_room) {
    int *room = &letters->angle_room;
    PfExpr *more = more_room(letters, letters->angles, letters->angle_count, room, sizeof *more);
    if (!more) return 0;
    letters->angles = more;
  }
  letters->angles[letters->angle_count] = argument;
  return letters->angle_count++;
}

static Letter describe(Letters *letters, PfExpr e)
{
  const PfExprTable *table = letters->table;
  PfOp op = op_of(table, e);
  size_t length = pf_expr_length(table->ctx, e);
  Letter letter = {e, LETTER_PLAIN, -1, length > 1000000 ? 1000000 : (int)length};
  if (op == PF_OP_SUM) letter.cost += 2;
  if (op == PF_OP_SIN || op == PF_OP_COS) {
    letter.kind = op == PF_OP_SIN ? LETTER_SINE : LETTER_COSINE;
    letter.angle = pf_letter_angle(letters, args_of(table, e)[0]);
  }
  return letter;
}

int pf_letter(Letters *letters, PfExpr e)
{
  if (e == PF_EXPR_NONE) letters->failed = true;
  for (int i = 0; i < letters->count; i++)
    if (letters->at[i].expr == e) return i;
  if (letters->failed) return 0;
  if (letters->count == letters->room) {
    Letter *more = more_room(letters, letters->at, letters->count, &letters->room, sizeof *more);
    if (!more) return 0;
    letters->at = more;
  }
  pf_letters_spend(letters, PF_COST_OF_LETTER);
  letters->at[letters->count] = describe(letters, e);
  return letters->count++;
}

/* ---------------------------------------------------------------- monomials */

int pf_monomial_compare(const Monomial *a, const Monomial *b)
{
  for (int i = 0; i < a->count && i < b->count; i++) {
    LetterPower x = a->powers[i], y = b->powers[i];
    if (x.letter != y.letter) return x.letter < y.letter ? -1 : 1;
    if (x.exponent != y.exponent) return x.exponent > y.exponent ? -1 : 1;
  }
  return (a->count < b->count) - (a->count > b->count);
}

static Number product_of(Letters *letters, Number a, Number b)
{
  Number product = pf_number_mul(letters->table, a, b);
  if (!pf_number_is_exact(product)) letters->failed = true;
  return product;
}

/* The powers of a, and those of b times the sign. */
static void merge_powers(Letters *letters, Monomial *result, Monomial a, Monomial b, int sign)
{
  LetterPower *powers = pf_arena_array(letters->arena, LetterPower, a.count + b.count);
  if (!powers) {
    letters->failed = true;
    return;
  }
  result->powers = powers;
  for (int i = 0, j = 0; i < a.count || j < b.count;) {
    LetterPower power = {0};
    int next = i == a.count                            ? 1
               : j == b.count                          ? -1
               : a.powers[i].letter < b.powers[j].letter ? -1
                                                       : a.powers[i].letter > b.powers[j].letter;
    if (next <= 0) power = a.powers[i++];
    if (next > 0) power.letter = b.powers[j].letter;
    if (next >= 0) power.exponent += sign*b.powers[j++].exponent;
    if (power.exponent) powers[result->count++] = power;
  }
}

Monomial pf_monomial_times(Letters *letters, Monomial a, Monomial b)
{
  Monomial product = {.coefficient = product_of(letters, a.coefficient, b.coefficient)};
  merge_powers(letters, &product, a, b, 1);
  return product;
}

Monomial pf_monomial_over(Letters *letters, Monomial a, Monomial b)
{
  Monomial quotient = {.coefficient = a.coefficient};
  merge_powers(letters, &quotient, a, b, -1);
  return quotient;
}

/* ---------------------------------------------------------------- polynomials */

Poly pf_poly_make(Letters *letters, int room)
{
  Poly poly = {0, pf_arena_array(letters->arena, Monomial, room)};
  if (!poly.terms) letters->failed = true;
  return poly;
}

static int compare_terms(const void *a, const void *b)
{
  return pf_monomial_compare(a, b);
}

/* By insertion: what is to be sorted was sorted before a few terms were changed or added. What was not is left to
 * qsort. */
static void sort_terms(Monomial *terms, int count)
{
  int moves = 8*count;
  for (int i = 1; i < count; i++) {
    if (pf_monomial_compare(terms + i - 1, terms + i) <= 0) continue;
    Monomial term = terms[i];
    int at = i;
    for (; at > 0 && pf_monomial_compare(terms + at - 1, &term) > 0; at--) terms[at] = terms[at - 1];
    terms[at] = term;
    if ((moves -= i - at) < 0) {
      qsort(terms, (size_t)count, sizeof *terms, compare_terms);
      return;
    }
  }
}

void pf_poly_tidy(Letters *letters, Poly *poly)
{
  pf_letters_spend(letters, 4*poly->count);
  if (letters->failed) return;
  sort_terms(poly->terms, poly->count);
  int kept = 0;
  for (int i = 0; i < poly->count;) {
    Monomial term = poly->terms[i++];
    for (; i < poly->count && pf_monomial_compare(&term, poly->terms + i) == 0; i++)
      term.coefficient = pf_number_add(letters->table, term.coefficient, poly->terms[i].coefficient);
    if (!pf_number_is_exact(term.coefficient)) letters->failed = true;
    if (!pf_number_is(term.coefficient, 0)) poly->terms[kept++] = term;
  }
  poly->count = kept;
}
