/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the expression core: the bytes are a program for a stack machine that builds expressions, differentiates and
 * substitutes. What comes out is printed, simplified, asked whether it is zero, and evaluated by the table and by a
 * tape; all answers must agree. */
#include "pfaff/expr.h"
#include "pfaff/kernel.h"

#include "expect.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = 6, DEEPEST = 16, MOST_NODES = 1000, LONGEST = 600, MOST_BYTES = 200, MOST_ROOTS = 6 };

typedef struct Machine {
  PfContext *ctx;
  PfArena *arena;
  PfExpr symbol[SYMBOLS];
  PfExpr stack[DEEPEST];
  int depth, roots;
  bool jumps; /* contains what is not continuous */
} Machine;

/* ---------------------------------------------------------------- building */

static void push(Machine *m, PfExpr e)
{
  if (m->depth == DEEPEST) m->depth--;
  m->stack[m->depth++] = e;
}

/* An empty stack has symbols without end. */
static PfExpr pop(Machine *m)
{
  return m->depth ? m->stack[--m->depth] : m->symbol[0];
}

static void call(Machine *m, unsigned which)
{
  static const PfOp functions[] = {
#define PF_FUNCTION(op, name, arity) op,
#include "pfaff/functions.def"
#undef PF_FUNCTION
  };
  PfOp op = functions[which%(sizeof functions/sizeof *functions)];
  PfExpr args[3];
  for (int i = pf_function_arity(op); i-- > 0;) args[i] = pop(m);
  if (op == PF_OP_ABS || op == PF_OP_SIGN || op == PF_OP_ATAN2 || op >= PF_OP_MIN) m->jumps = true;
  push(m, pf_expr_call(m->ctx, op, args));
}

static void combine(Machine *m, unsigned how)
{
  PfExpr b = pop(m), a = pop(m);
  switch (how%4) {
  case 0: push(m, pf_expr_add(m->ctx, a, b)); break;
  case 1: push(m, pf_expr_sub(m->ctx, a, b)); break;
  case 2: push(m, pf_expr_mul(m->ctx, a, b)); break;
  default: push(m, pf_expr_div(m->ctx, a, b)); break;
  }
}

static void calculus(Machine *m, unsigned how)
{
  PfExpr e = pop(m), symbol = m->symbol[(how >> 1)%SYMBOLS];
  if (how & 1) {
    push(m, pf_expr_diff(m->ctx, e, symbol));
    return;
  }
  PfExpr value = pop(m), result = PF_EXPR_NONE;
  (void)pf_expr_substitute(m->ctx, &e, 1, &symbol, &value, 1, &result);
  push(m, result);
}

/* Roots in roots in roots make normal forms slow, which is no news. */
static void raise_power(Machine *m, unsigned byte)
{
  unsigned root = 1 + (byte >> 4)%3;
  if (root > 1 && ++m->roots > MOST_ROOTS) root = 1;
  push(m, pf_expr_pow(m->ctx, pop(m), pf_expr_rational(m->ctx, (int)(byte & 15) - 7, root)));
}

static void push_number(Machine *m, unsigned byte)
{
  switch (byte%4) {
  case 0: push(m, pf_expr_int(m->ctx, (int)(byte >> 2)%7 - 3)); break;
  case 1: push(m, pf_expr_rational(m->ctx, (int)(byte >> 2)%9 - 4, 1 + (int)(byte >> 4)%5)); break;
  case 2: push(m, pf_expr_double(m->ctx, ldexp((double)byte - 100, (int)(byte >> 3)%20 - 10))); break;
  default: push(m, pf_expr_pi(m->ctx)); break;
  }
}

static void step(Machine *m, unsigned op, unsigned byte)
{
  switch (op%8) {
  case 0: push(m, m->symbol[byte%SYMBOLS]); break;
  case 1: push_number(m, byte); break;
  case 2:
  case 3: combine(m, byte); break;
  case 4: call(m, byte); break;
  case 5: raise_power(m, byte); break;
  case 6: calculus(m, byte); break;
  default: push(m, m->depth ? m->stack[(int)byte%m->depth] : m->symbol[byte%SYMBOLS]); break;
  }
}

/* ---------------------------------------------------------------- questions */

static void check_printing(Machine *m, PfExpr e)
{
  size_t length = pf_expr_length(m->ctx, e);
  expect(length > 0, "an expression has a length");
  if (length > LONGEST) return;
  for (int notation = PF_TEXT; notation <= PF_C; notation++) {
    const char *text = pf_expr_print(m->ctx, m->arena, e, (PfNotation)notation);
    bool repeats = notation == PF_C && m->jumps; /* (x > 0) - (x < 0) writes x twice */
    expect(text || repeats, "a short expression prints");
  }
  pf_diagnostics_clear(m->ctx);
}

/* Doubles are rounded, and 7*(a*x) is not 7*a*x then. */
static bool is_exact(Machine *m, PfExpr e)
{
  PfExpr *nodes;
  int count;
  if (pf_expr_reach(m->ctx, m->arena, &e, 1, &nodes, &count) != PF_OK) return false;
  for (int i = 0; i < count; i++)
    if (pf_expr_op(m->ctx, nodes[i]) == PF_OP_DOUBLE) return false;
  return true;
}

/* An answer may be missing, but two answers are the same. */
static void agree(Machine *m, PfExpr e, PfTruth a, PfTruth b, const char *what)
{
  if (a != b && a != PF_UNKNOWN && b != PF_UNKNOWN) expect(!is_exact(m, e), what);
}

/* Two ways to the same, unless numbers were rounded on one of them: the difference may look exact then. */
static void same(Machine *m, PfExpr a, PfExpr b, const char *what)
{
  PfExpr difference = pf_expr_sub(m->ctx, a, b);
  if (difference == PF_EXPR_NONE || pf_expr_length(m->ctx, difference) > LONGEST) return;
  if (!is_exact(m, a) || !is_exact(m, b)) return;
  agree(m, difference, pf_expr_is_probably_zero(m->ctx, difference, 2), PF_TRUE, what);
}

static void check_zero(Machine *m, PfExpr e)
{
  if (pf_expr_length(m->ctx, e) > LONGEST) return;
  agree(m, e, pf_expr_is_zero(m->ctx, e), pf_expr_is_probably_zero(m->ctx, e, 2), "both zero tests say the same");
  PfExpr simple = pf_expr_simplest(m->ctx, e);
  expect(simple != PF_EXPR_NONE, "every expression has a shortest form");
  same(m, e, simple, "the shortest form is the same");
  expect(pf_expr_length(m->ctx, simple) <= pf_expr_length(m->ctx, e), "the shortest form is not longer");
}

/* Derivatives by symbol, by one backward sweep, and along directions. */
static void check_derivatives(Machine *m, PfExpr e, PfExpr gradient[SYMBOLS])
{
  PfContext *ctx = m->ctx;
  PfExpr along, sum = pf_expr_int(ctx, 0);
  if (pf_expr_gradient(ctx, e, m->symbol, SYMBOLS, gradient) != PF_OK) return;
  if (pf_expr_derive_along(ctx, &e, 1, m->symbol, m->symbol, SYMBOLS, &along) != PF_OK) return;
  for (int i = 0; i < SYMBOLS; i++) {
    same(m, gradient[i], pf_expr_diff(ctx, e, m->symbol[i]), "both derivatives are the same");
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, gradient[i], m->symbol[i]));
  }
  same(m, sum, along, "the derivative along a direction is the sum");
}

/* Numbers of very different size lose digits in any order of summation: then nothing can be said. */
static bool is_tame(Machine *m, const PfExpr *roots, int count, const double *values)
{
  PfExpr *nodes;
  int node_count;
  if (m->jumps || pf_expr_reach(m->ctx, m->arena, roots, count, &nodes, &node_count) != PF_OK) return false;
  double *numbers = pf_arena_array(m->arena, double, node_count);
  if (!numbers) return false;
  if (pf_expr_evaluate(m->ctx, nodes, node_count, m->symbol, values, SYMBOLS, numbers) != PF_OK) return false;
  for (int i = 0; i < node_count; i++)
    if (!(fabs(numbers[i]) < 1e3) || (numbers[i] != 0 && fabs(numbers[i]) < 1e-3)) return false;
  return true;
}

static void check_tape(Machine *m, const PfExpr *roots, int count)
{
  static const double values[SYMBOLS] = {0.7, 1.3, 0.4, 1.9, 0.55, 1.1};
  PfTape *tape;
  double out[1 + SYMBOLS], direct[1 + SYMBOLS];
  if (pf_tape_new(m->ctx, m->symbol, SYMBOLS, roots, count, &tape) != PF_OK) {
    expect(tape == NULL, "no tape after a failure");
    return;
  }
  double *work = pf_arena_array(m->arena, double, pf_tape_work_size(tape));
  expect(work != NULL, "there is memory");
  pf_tape_run(tape, values, out, work);
  if (is_tame(m, roots, count, values) &&
      pf_expr_evaluate(m->ctx, roots, count, m->symbol, values, SYMBOLS, direct) == PF_OK)
    for (int i = 0; i < count; i++)
      expect(fabs(out[i] - direct[i]) <= 1e-6*(1 + fabs(direct[i])), "the tape computes what the expression means");
  pf_tape_free(tape);
}

static void question(Machine *m, PfExpr e)
{
  PfExpr roots[1 + SYMBOLS] = {e};
  check_printing(m, e);
  check_zero(m, e);
  check_derivatives(m, e, roots + 1);
  int count = 1;
  while (count <= SYMBOLS && roots[count] != PF_EXPR_NONE) count++;
  check_tape(m, roots, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[SYMBOLS] = {"x", "y", "x'", "theta", "q[1]", "m"};
  Machine m = {.ctx = pf_context_new(NULL), .arena = pf_arena_new(NULL)};
  expect(m.ctx && m.arena, "there is memory");
  for (int i = 0; i < SYMBOLS; i++) m.symbol[i] = pf_expr_symbol(m.ctx, names[i]);
  if (size > MOST_BYTES) size = MOST_BYTES;
  for (size_t i = 0; i + 1 < size && pf_expr_table_size(m.ctx) < MOST_NODES; i += 2) {
    step(&m, data[i], data[i + 1]);
    if (m.depth && m.stack[m.depth - 1] == PF_EXPR_NONE) { /* division by zero and the like are said, and forgotten */
      (void)pf_expr_check(m.ctx); /* a substitution has asked already */
      expect(pf_error_count(m.ctx) > 0, "no expression without a reason");
      pf_diagnostics_clear(m.ctx);
      m.depth--;
    }
  }
  if (pf_expr_table_size(m.ctx) < MOST_NODES) question(&m, pop(&m));
  pf_arena_free(m.arena);
  pf_context_free(m.ctx);
  return 0;
}
