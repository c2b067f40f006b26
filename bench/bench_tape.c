/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation of M, F, A and b by the tape, as JSON:
 *
 *   bench_tape FILE
 *
 * Seconds of the processor by pf_tape_run, and by pf_tape_run_many for each of its states. With it come the state, the
 * results, and the expressions as a list of nodes, operands first, so that tape_peers.py can build the same ones. */
#include "out/out.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 64 };
static const double SECONDS_TO_EVALUATE = 0.5;

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_tape: %s\n", what);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("out of memory");
  return block;
}

typedef struct Case {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations equations;
  PfSymbols symbols;
  PfExpr *roots; /* of M, F, A and b, in this order, what is not zero at all states */
  int root_count;
  PfTape *tape;
  double *inputs, *outputs, *work; /* of STATES states */
} Case;

/* ---------------------------------------------------------------- the tape */

static void take_roots(Case *c, const PfExpr *list, int count)
{
  for (int i = 0; i < count; i++)
    if (!pf_expr_is_structural_zero(c->ctx, list[i])) c->roots[c->root_count++] = list[i];
}

static PfStatus make(Case *c, const char *file)
{
  PfEquations *eq = &c->equations;
  PF_TRY(pf_model_load(c->ctx, file, &c->model));
  PF_TRY(pf_equations_derive(c->ctx, c->arena, c->model, eq));
  PF_TRY(pf_equations_symbols(c->ctx, c->arena, c->model, &c->symbols));
  c->roots = room((size_t)((eq->n + eq->m + 1)*eq->n + eq->m), sizeof *c->roots);
  take_roots(c, eq->M, eq->n*eq->n);
  take_roots(c, eq->F, eq->n);
  take_roots(c, eq->A, eq->m*eq->n);
  take_roots(c, eq->b, eq->m);
  PF_TRY(pf_insert_inputs(c->ctx, c->model, c->roots, (size_t)c->root_count));
  return pf_tape_new(c->ctx, c->symbols.symbol, c->symbols.count, c->roots, c->root_count, &c->tape);
}

/* The start, with coordinates and velocities moved by numbers that look arbitrary: no sine is zero, no states are
 * alike. They need not satisfy the constraints. */
static PfStatus make_states(Case *c)
{
  const size_t inputs = (size_t)c->symbols.count, outputs = (size_t)c->root_count;
  uint32_t random = 12345;
  c->inputs = room(STATES*inputs, sizeof(double));
  c->outputs = room(STATES*outputs, sizeof(double));
  c->work = room(pf_tape_work_size(c->tape) + pf_tape_many_work_size(c->tape), sizeof(double));
  PF_TRY(pf_equations_start(c->ctx, &c->equations, NULL, c->inputs));
  for (size_t k = STATES; k-- > 0;) {
    if (k) memcpy(c->inputs + k*inputs, c->inputs, inputs*sizeof(double));
    for (int i = c->symbols.q; i < c->symbols.q + 2*c->equations.n; i++) {
      random = 1664525u*random + 1013904223u;
      c->inputs[k*inputs + (size_t)i] += 0.1 + 0.3*(double)(random >> 8)/(1 << 24);
    }
  }
  return PF_OK;
}

static Case open_case(const char *file)
{
  Case c = {.ctx = pf_context_new(NULL), .arena = pf_arena_new(NULL)};
  if (!c.ctx || !c.arena) stop("out of memory");
  if (make(&c, file) != PF_OK || make_states(&c) != PF_OK) stop(pf_context_message(c.ctx));
  return c;
}

static void close_case(Case *c)
{
  free(c->inputs);
  free(c->outputs);
  free(c->work);
  free(c->roots);
  pf_tape_free(c->tape);
  pf_model_free(c->model);
  pf_arena_free(c->arena);
  pf_context_free(c->ctx);
}

static void run_one(void *user)
{
  const Case *c = user;
  pf_tape_run(c->tape, c->inputs, c->outputs, c->work);
}

static void run_many(void *user)
{
  const Case *c = user;
  pf_tape_run_many(c->tape, STATES, c->inputs, c->outputs, c->work);
}

/* ---------------------------------------------------------------- the expressions */

static int find(const PfExpr *nodes, int count, PfExpr e)
{
  int low = 0;
  for (int high = count; high - low > 1;) {
    int middle = low + (high - low)/2;
    if (nodes[middle] <= e) low = middle;
    else high = middle;
  }
  if (!count || nodes[low] != e) stop("an operand is not among the nodes");
  return low;
}

static int input_of(const Case *c, PfExpr e)
{
  for (int i = 0; i < c->symbols.count; i++)
    if (c->symbols.symbol[i] == e) return i;
  stop("a symbol is no input");
}

static void add_number(PfJson *json, const Case *c, PfExpr e)
{
  int64_t num, den;
  double value = 0;
  bool exact = pf_expr_is_rational(c->ctx, e, &num, &den);
  pf_json_string(json, NULL, exact ? "rational" : "double");
  if (exact) {
    pf_json_integer(json, NULL, num);
    pf_json_integer(json, NULL, den);
  } else if (pf_expr_is_number(c->ctx, e, &value)) {
    pf_json_number(json, NULL, value);
  }
}

/* Its kind, then numbers, the input, or operands by their places in the list. */
static void add_node(PfJson *json, const Case *c, const PfExpr *nodes, int count, PfExpr e)
{
  PfOp op = pf_expr_op(c->ctx, e);
  pf_json_open(json, NULL, '[');
  if (op == PF_OP_RATIONAL || op == PF_OP_DOUBLE) {
    add_number(json, c, e);
  } else if (op == PF_OP_SYMBOL) {
    pf_json_string(json, NULL, "input");
    pf_json_integer(json, NULL, input_of(c, e));
  } else {
    const char *name = op == PF_OP_SUM ? "sum" : op == PF_OP_PRODUCT ? "product" : pf_function_name(op);
    pf_json_string(json, NULL, op == PF_OP_PI ? "pi" : name);
    for (int i = 0; i < pf_expr_arg_count(c->ctx, e); i++)
      pf_json_integer(json, NULL, find(nodes, count, pf_expr_arg(c->ctx, e, i)));
  }
  pf_json_close(json, ']');
}

static void add_expressions(PfJson *json, const Case *c)
{
  PfExpr *nodes;
  int count;
  if (pf_expr_reach(c->ctx, c->arena, c->roots, c->root_count, &nodes, &count) != PF_OK)
    stop(pf_context_message(c->ctx));
  pf_json_open(json, "nodes", '[');
  for (int i = 0; i < count; i++) add_node(json, c, nodes, count, nodes[i]);
  pf_json_close(json, ']');
  pf_json_open(json, "roots", '[');
  for (int i = 0; i < c->root_count; i++) pf_json_integer(json, NULL, find(nodes, count, c->roots[i]));
  pf_json_close(json, ']');
}

static void add_doubles(PfJson *json, const char *key, const double *values, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_number(json, NULL, values[i]);
  pf_json_close(json, ']');
}

static void print(Case *c)
{
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(c->ctx));
  pf_json_open(&json, NULL, '{');
  pf_json_integer(&json, "instructions", pf_tape_instruction_count(c->tape));
  pf_json_number(&json, "one", time_of_call(run_one, c, SECONDS_TO_EVALUATE));
  pf_json_number(&json, "many", time_of_call(run_many, c, SECONDS_TO_EVALUATE)/STATES);
  run_one(c);
  add_doubles(&json, "inputs", c->inputs, c->symbols.count);
  add_doubles(&json, "outputs", c->outputs, c->root_count);
  add_expressions(&json, c);
  pf_json_close(&json, '}');
  puts(pf_text_get(&json.text));
  pf_json_free(&json);
}

int main(int count, char **words)
{
  if (count != 2) stop("usage: bench_tape FILE");
  demand_fine_clock();
  Case c = open_case(words[1]);
  print(&c);
  close_case(&c);
  return 0;
}
