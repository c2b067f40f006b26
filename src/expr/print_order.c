/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which people write: in a product numbers, parameters, functions, velocities, accelerations;
 * in a sum accelerations first, then the simpler terms first, symbols in the order of their declaration. */
#include "expr/print_impl.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

static int letter(char c)
{
  return isalpha((unsigned char)c) ? tolower((unsigned char)c) : 0;
}

/* Masses, then other letters (which may have indices), then words. */
static int class_of_name(const char *name)
{
  if (letter(name[0]) && letter(name[1])) return 2;
  return letter(name[0]) != 'm';
}

/* psi[2] comes before psi[10], and m before R. */
static int compare_names(const char *a, const char *b)
{
  if (!a || !b) return (a == NULL) - (b == NULL);
  int sign = class_of_name(a) - class_of_name(b);
  const char *x = a, *y = b;
  while (!sign && *x && *y) {
    if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
      size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");
      sign = m != n ? (m > n) - (m < n) : strncmp(x, y, m);
      x += m;
      y += n;
    } else {
      sign = tolower((unsigned char)*x) - tolower((unsigned char)*y);
      x++;
      y++;
    }
  }
  if (!sign) sign = (*x != 0) - (*y != 0);
  return sign ? sign : strcmp(a, b);
}

/* ---------------------------------------------------------------- comparing */

static int compare_handles(PfExpr a, PfExpr b)
{
  return (a > b) - (a < b);
}

static int compare_bases(const Printer *p, PfExpr a, PfExpr b)
{
  const Key *x = key_of(p, a), *y = key_of(p, b);
  if (x->rank != y->rank) return x->rank - y->rank;
  PfOp f = op_of(p->table, a), g = op_of(p->table, b);
  if (f != g) return (int)f - (int)g;
  int sign = compare_names(x->lead, y->lead);
  return sign ? sign : compare_handles(a, b);
}

static int compare_factors(const void *printer, const void *a, const void *b)
{
  return compare_bases(printer, ((const Factor *)a)->base, ((const Factor *)b)->base);
}

static Factor factor_at(const Printer *p, PfExpr e, uint32_t i)
{
  const Key *key = key_of(p, e);
  return key->factors ? key->factors[i] : (Factor){e, p->one};
}

/* The order of the terms of a sum. Terms with as many factors: by the last factor, which is the one that moves. Symbols
 * that are added stand in the order in which they were made: that of the user's declarations. Only among their like, or
 * a, sin(x) and lambda[1] could go round in a circle. Of equal bases the higher power comes first. */
static int compare_terms(const void *printer, const void *left, const void *right)
{
  const Printer *p = printer;
  PfExpr a = ((const Term *)left)->term, b = ((const Term *)right)->term;
  if (a == PF_EXPR_NONE || b == PF_EXPR_NONE) return (a == PF_EXPR_NONE) - (b == PF_EXPR_NONE);
  const Key *x = key_of(p, a), *y = key_of(p, b);
  if (x->order != y->order) return y->order - x->order;
  if (!x->lead != !y->lead) return x->lead ? -1 : 1;
  if (x->factor_count != y->factor_count) return x->factor_count < y->factor_count ? -1 : 1;
  for (uint32_t i = x->factor_count; i-- > 0;) {
    Factor f = factor_at(p, a, i), g = factor_at(p, b, i);
    bool symbols = op_of(p->table, f.base) == PF_OP_SYMBOL && op_of(p->table, g.base) == PF_OP_SYMBOL;
    bool declared = symbols && key_of(p, f.base)->rank == key_of(p, g.base)->rank;
    int sign = declared ? compare_handles(f.base, g.base) : compare_bases(p, f.base, g.base);
    if (sign) return sign;
    if (is_number(p->table, f.exponent) && is_number(p->table, g.exponent)) {
      double m = pf_number_value(number_of(p->table, f.exponent)), n = pf_number_value(number_of(p->table, g.exponent));
      sign = (m < n) - (m > n);
    } else {
      sign = compare_handles(f.exponent, g.exponent);
    }
    if (sign) return sign;
  }
  return compare_handles(a, b);
}

/* ---------------------------------------------------------------- keys */

static int rank_of(PfOp op, int order)
{
  enum { NUMBER, PI, SYMBOL, SUM, FUNCTION, MOVING };
  if (op == PF_OP_RATIONAL || op == PF_OP_DOUBLE) return NUMBER;
  if (op == PF_OP_PI) return PI;
  bool whole = op == PF_OP_SUM || op == PF_OP_PRODUCT;
  if (order > 0) return MOVING + 3*order + (op == PF_OP_SYMBOL ? 1 : whole ? 2 : 0);
  return op == PF_OP_SYMBOL ? SYMBOL : whole ? SUM : FUNCTION;
}

void pf_print_key(Printer *p, int i)
{
  PfExpr e = p->nodes[i];
  PfOp op = op_of(p->table, e);
  const Node *node = node_of(p->table, e);
  Key *key = p->keys + i;
  key->factor_count = 1;
  if (op == PF_OP_SYMBOL) {
    key->lead = p->table->names.at[node->first];
    size_t length = strlen(key->lead);
    int primes = 0;
    while (length > 0 && key->lead[length - 1] == '\'') length--, primes++;
    key->order = primes;
  }
  for (uint32_t k = 0; k < node->count; k++) {
    const Key *part = key_of(p, args_of(p->table, e)[k]);
    if (part->order > key->order) key->order = part->order;
    if (compare_names(part->lead, key->lead) < 0) key->lead = part->lead;
  }
  /* lambda[rear] stands after its coefficient, as an acceleration does. */
  key->rank = op == PF_OP_SYMBOL && !strncmp(key->lead, "lambda[", 7) ? INT_MAX : rank_of(op, key->order);
  if (op != PF_OP_PRODUCT) return;
  key->factor_count = node->count/2;
  Factor *factors = pf_arena_array(p->arena, Factor, key->factor_count);
  for (uint32_t k = 0; factors && k < key->factor_count; k++)
    factors[k] = (Factor){args_of(p->table, e)[2*k], args_of(p->table, e)[2*k + 1]};
  key->factors = factors;
  if (!factors || !pf_merge_sort(p->arena, factors, key->factor_count, sizeof *factors, 1, compare_factors, p))
    p->failed = true;
}

/* ---------------------------------------------------------------- sums and fractions */

/* The terms of a sum in order, the first positive one in front; the constant is the term PF_EXPR_NONE. */
static const Term *sorted_terms(Printer *p, PfExpr sum, uint32_t *count)
{
  const PfExpr *args = args_of(p->table, sum);
  uint32_t arg_count = node_of(p->table, sum)->count;
  Term *terms = pf_arena_array(p->arena, Term, arg_count/2 + 1);
  *count = 0;
  if (!terms) {
    p->failed = true;
    return NULL;
  }
  for (uint32_t i = 1; i < arg_count; i += 2)
    terms[(*count)++] = (Term){args[i + 1], number_of(p->table, args[i])};
  Number constant = number_of(p->table, args[0]);
  if (!pf_number_is(constant, 0)) terms[(*count)++] = (Term){PF_EXPR_NONE, constant};
  if (!pf_merge_sort(p->arena, terms, *count, sizeof *terms, 1, compare_terms, p)) p->failed = true;
  uint32_t first = 0;
  while (first < *count && pf_number_sign(terms[first].coefficient) < 0) first++;
  if (first > 0 && first < *count) {
    Term moved = terms[first];
    memmove(terms + 1, terms, first*sizeof *terms);
    terms[0] = moved;
  }
  return terms;
}

static Number absolute(Number value)
{
  return pf_number_sign(value) < 0 ? pf_number_negative(value) : value;
}

/* |coefficient| times the term. */
static Fraction fraction_of(Printer *p, Number coefficient, PfExpr term)
{
  Fraction fraction = {.size = absolute(coefficient)};
  if (term == PF_EXPR_NONE) return fraction;
  uint32_t count = key_of(p, term)->factor_count;
  fraction.above = pf_arena_array(p->arena, Power, count);
  fraction.below = pf_arena_array(p->arena, Power, count);
  if (!fraction.above || !fraction.below || p->failed) {
    p->failed = true;
    return fraction;
  }
  for (uint32_t i = 0; i < count; i++) {
    Factor factor = factor_at(p, term, i);
    bool number = is_number(p->table, factor.exponent);
    Number value = number ? number_of(p->table, factor.exponent) : pf_number_int(0);
    Power power = {factor.base, factor.exponent, absolute(value)};
    if (pf_number_sign(value) < 0) fraction.below[fraction.below_count++] = power;
    else fraction.above[fraction.above_count++] = power;
  }
  return fraction;
}

static void put_term(Printer *p, Term term, void (*put)(Printer *p, const Fraction *fraction))
{
  Fraction fraction = fraction_of(p, term.coefficient, term.term);
  put(p, &fraction);
}

void pf_put_terms(Printer *p, PfExpr e, void (*put)(Printer *p, const Fraction *fraction))
{
  if (op_of(p->table, e) == PF_OP_PRODUCT) {
    put_term(p, (Term){e, pf_number_int(1)}, put);
    return;
  }
  uint32_t count;
  const Term *terms = sorted_terms(p, e, &count);
  for (uint32_t i = 0; i < count; i++) {
    bool negative = pf_number_sign(terms[i].coefficient) < 0;
    if (i) pf_put(p, negative ? " - " : " + ");
    else if (negative) pf_put(p, "-");
    put_term(p, terms[i], put);
  }
}
