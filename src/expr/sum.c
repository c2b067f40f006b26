/* SPDX-License-Identifier: Apache-2.0 */
/* Sums c0 + c1 t1 + c2 t2 + …, terms in order of creation, like terms collected. A sum inside a sum is
 * taken apart unless it is long: then it stays whole, so that long recursions keep their sharing. */
#include "expr/expr_impl.h"

#include <string.h>

/* Begins with the sum 0. */
void pf_sum_begin(SumBuilder *sum, PfExprTable *table)
{
  sum->table = table;
  sum->constant = pf_number_int(0);
  sum->terms.at = sum->few;
  sum->terms.count = 0;
  sum->terms.room = sizeof sum->few/sizeof *sum->few;
  sum->failed = false;
}

/* Adds a term to the list. Room is on the scratch arena: builders are short-lived and the caller releases the arena. */
static void push_term(SumBuilder *sum, Number coefficient, PfExpr term)
{
  if (sum->terms.count == sum->terms.room) {
    size_t room = 2*sum->terms.room;
    Term *terms = pf_arena_array(pf_context_scratch(sum->table->ctx), Term, room);
    if (!terms) {
      sum->failed = true;
      return;
    }
    memcpy(terms, sum->terms.at, sum->terms.count*sizeof *terms);
    sum->terms.at = terms;
    sum->terms.room = room;
  }
  sum->terms.at[sum->terms.count++] = (Term){term, coefficient};
}

static void add_constant(SumBuilder *sum, Number coefficient, PfExpr number)
{
  Number value = pf_number_mul(sum->table, coefficient, number_of(sum->table, number));
  sum->constant = pf_number_add(sum->table, sum->constant, value);
}

/* Adds coefficient*e. Numbers and sums in e are taken apart; long sums stay whole. */
void pf_sum_push(SumBuilder *sum, Number coefficient, PfExpr e)
{
  const PfExprTable *table = sum->table;
  if (e == PF_EXPR_NONE) {
    sum->failed = true;
  } else if (is_number(table, e)) {
    add_constant(sum, coefficient, e);
  } else if (op_of(table, e) == PF_OP_SUM && !is_long_sum(table, e)) {
    const PfExpr *args = args_of(table, e);
    add_constant(sum, coefficient, args[0]);
    for (uint32_t i = 1; i < node_of(table, e)->count; i += 2)
      push_term(sum, pf_number_mul(sum->table, coefficient, number_of(table, args[i])), args[i + 1]);
  } else {
    push_term(sum, coefficient, e);
  }
}

/* The sum as an expression: sorted by handle, like terms collected; a single term with coefficient 1 is the term
 * itself. */
PfExpr pf_sum_end(SumBuilder *sum)
{
  if (sum->failed) return pf_expr_poison(sum->table, PF_ERR_MEMORY, "no room for a long sum");
  if (!pf_sort_by_handle(sum->table, sum->terms.at, sum->terms.count, sizeof(Term)))
    return pf_expr_poison(sum->table, PF_ERR_MEMORY, "no room for a long sum");
  size_t kept = 0; /* like terms, which are neighbours now, become one */
  Term *terms = sum->terms.at;
  for (size_t i = 0; i < sum->terms.count;) {
    Term term = terms[i++];
    while (i < sum->terms.count && terms[i].term == term.term)
      term.coefficient = pf_number_add(sum->table, term.coefficient, terms[i++].coefficient);
    if (pf_number_sign(term.coefficient) != 0) terms[kept++] = term;
  }
  sum->terms.count = kept;
  if (sum->terms.count == 0) return pf_intern_number(sum->table, sum->constant);
  const Term *first = sum->terms.at;
  if (sum->terms.count == 1 && pf_number_is(sum->constant, 0) && pf_number_is(first->coefficient, 1))
    return first->term;
  /* The node c0 + c1 t1 + c2 t2 + …, which is made once for equal terms. */
  PfExprTable *table = sum->table;
  uint32_t count = (uint32_t)(2*sum->terms.count + 1);
  PfExpr few[17], *args = few;
  if (count > 17) args = pf_arena_array(pf_context_scratch(table->ctx), PfExpr, count);
  if (!args) return pf_expr_poison(table, PF_ERR_MEMORY, "no room for a long sum");
  args[0] = pf_intern_number(table, sum->constant);
  bool good = args[0] != PF_EXPR_NONE;
  for (size_t i = 0; i < sum->terms.count; i++) {
    args[2*i + 1] = pf_intern_number(table, sum->terms.at[i].coefficient);
    args[2*i + 2] = sum->terms.at[i].term;
    good = good && args[2*i + 1] != PF_EXPR_NONE;
  }
  return good ? pf_intern(table, PF_OP_SUM, args, count) : PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- public */

static PfExpr combine(PfContext *ctx, const PfExpr *terms, int count, Number last_coefficient)
{
  PfExprTable *table = pf_expr_table(ctx);
  if (!table) return PF_EXPR_NONE;
  PfMark mark = pf_arena_mark(pf_context_scratch(ctx));
  SumBuilder sum;
  pf_sum_begin(&sum, table);
  for (int i = 0; i < count; i++)
    pf_sum_push(&sum, i + 1 < count ? pf_number_int(1) : last_coefficient, terms[i]);
  PfExpr result = pf_sum_end(&sum);
  pf_arena_release(pf_context_scratch(ctx), mark);
  return result;
}

PfExpr pf_expr_sum(PfContext *ctx, const PfExpr *terms, int count)
{
  return count ? combine(ctx, terms, count, pf_number_int(1)) : pf_expr_int(ctx, 0);
}

PfExpr pf_expr_add(PfContext *ctx, PfExpr a, PfExpr b)
{
  return combine(ctx, (PfExpr[]){a, b}, 2, pf_number_int(1));
}

PfExpr pf_expr_sub(PfContext *ctx, PfExpr a, PfExpr b)
{
  return combine(ctx, (PfExpr[]){a, b}, 2, pf_number_int(-1));
}

PfExpr pf_expr_neg(PfContext *ctx, PfExpr a)
{
  return combine(ctx, &a, 1, pf_number_int(-1));
}

/* factor*e, with the coefficients of a sum multiplied each. */
PfExpr pf_expr_scale(PfExprTable *table, Number factor, PfExpr e)
{
  return combine(table->ctx, &e, 1, factor);
}

/* ---------------------------------------------------------------- content */

bool pf_expr_is_negative(const PfExprTable *table, PfExpr e)
{
  if (is_number(table, e)) return pf_number_sign(number_of(table, e)) < 0;
  if (op_of(table, e) != PF_OP_SUM || is_long_sum(table, e)) return false;
  return pf_number_sign(number_of(table, args_of(table, e)[1])) < 0;
}

/* The common divisor of all coefficients, with the sign of the first term; the sign alone where the divisor is wide:
 * for long decimals it is so small, and the quotients are so large, that a product of a few such sums has no value as a
 * double. */
static Number content_of(PfExprTable *table, PfExpr e)
{
  const PfExpr *args = args_of(table, e);
  uint32_t count = node_of(table, e)->count;
  int sign = pf_number_sign(number_of(table, args[1]));
  Number content = pf_number_int(0);
  for (uint32_t i = 0; i < count; i += i ? 2 : 1) {
    Number c = number_of(table, args[i]);
    if (!pf_number_is_exact(c)) return pf_number_int(sign);
    content = pf_number_gcd(table, content, c);
    if (!pf_number_is_narrow(content)) return pf_number_int(sign);
  }
  return sign < 0 ? pf_number_negative(content) : content;
}

void pf_expr_content(PfExprTable *table, PfExpr e, Number *content, PfExpr *primitive)
{
  *content = pf_number_int(1);
  *primitive = e;
  if (op_of(table, e) != PF_OP_SUM || is_long_sum(table, e)) return;
  if (node_of(table, e)->count == 3 && pf_number_is(number_of(table, args_of(table, e)[0]), 0)) {
    *content = number_of(table, args_of(table, e)[1]);
    *primitive = args_of(table, e)[2];
    return;
  }
  *content = content_of(table, e);
  if (!pf_number_is(*content, 1)) *primitive = pf_expr_scale(table, pf_number_inverse(table, *content), e);
}
