/* SPDX-License-Identifier: Apache-2.0 */
/* Tapes made operation by operation, with value numbering: equal operations are one term. */
#include "kernel/tape_builder.h"

#include "kernel/kernel_impl.h"

struct PfTapeBuilder {
  PfContext *ctx;
  int input_count;
  PfGraph graph; /* its roots are those of the expressions until the tape is made */
};

/* *builder is NULL on failure. */
PfStatus pf_builder_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                        PfTapeBuilder **builder)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  PfTapeBuilder *w = *builder = allocator->resize(allocator->user, NULL, sizeof *w);
  if (!w) return pf_no_room(ctx, "a tape");
  *w = (PfTapeBuilder){.ctx = ctx, .input_count = input_count};
  pf_graph_init(&w->graph, ctx);
  PfStatus status = pf_graph_of(ctx, inputs, input_count, roots, root_count, &w->graph);
  if (status == PF_OK) return PF_OK;
  pf_builder_free(w);
  *builder = NULL;
  return status;
}

/* Tapes that it has made stay. */
void pf_builder_free(PfTapeBuilder *builder)
{
  if (!builder) return;
  const PfAllocator *allocator = builder->graph.allocator;
  pf_graph_free(&builder->graph);
  allocator->resize(allocator->user, builder, 0);
}

/* Valid until the tape is made. */
PfTerm pf_builder_root(const PfTapeBuilder *builder, int root)
{
  return builder->graph.roots.at[root];
}

/* ---------------------------------------------------------------- terms */

/* -0 becomes 0. */
PfTerm pf_builder_number(PfTapeBuilder *builder, double value)
{
  return pf_graph_constant(&builder->graph, value == 0 ? 0 : value); /* one zero only */
}

/* `value` is unchanged when it is not. */
bool pf_builder_is_number(const PfTapeBuilder *builder, PfTerm a, double *value)
{
  const PfGraphNode *node = builder->graph.nodes.at + a;
  if (a >= builder->graph.nodes.count || node->op != PF_VALUE_CONSTANT) return false;
  *value = builder->graph.constants.at[node->a];
  return true;
}

/* Of a number; other terms may be zero at some states. */
bool pf_builder_is_zero(const PfTapeBuilder *builder, PfTerm a)
{
  double value;
  return pf_builder_is_number(builder, a, &value) && value == 0;
}

static bool is_one(const PfTapeBuilder *builder, PfTerm a)
{
  double value;
  return pf_builder_is_number(builder, a, &value) && value == 1;
}

static PfTerm make(PfTapeBuilder *builder, uint32_t op, PfTerm a, PfTerm b)
{
  return pf_graph_node(&builder->graph, op, a, b, 0);
}

/* Signs are taken out of terms: sums and differences then need none, and terms that differ by it share what they are
 * made of. */
static bool take_sign(PfTapeBuilder *builder, PfTerm *a)
{
  double value;
  if (pf_builder_is_number(builder, *a, &value)) {
    if (!(value < 0)) return false;
    *a = pf_builder_number(builder, -value);
    return true;
  }
  if (*a >= builder->graph.nodes.count || builder->graph.nodes.at[*a].op != PF_TAPE_NEG) return false;
  *a = builder->graph.nodes.at[*a].a;
  return true;
}

/* A negative number becomes positive, and a negation is taken back. */
PfTerm pf_builder_neg(PfTapeBuilder *builder, PfTerm a)
{
  if (pf_builder_is_zero(builder, a) || take_sign(builder, &a)) return a;
  return make(builder, PF_TAPE_NEG, a, 0);
}

static PfTerm difference(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  return a == b ? pf_builder_number(builder, 0) : make(builder, PF_TAPE_SUB, a, b);
}

/* a + b, a - b or -(a + b), with the signs that the operands had taken out. */
PfTerm pf_builder_add(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  if (pf_builder_is_zero(builder, a)) return b;
  if (pf_builder_is_zero(builder, b)) return a;
  const bool minus_a = take_sign(builder, &a), minus_b = take_sign(builder, &b);
  if (minus_a != minus_b) return minus_a ? difference(builder, b, a) : difference(builder, a, b);
  const PfTerm sum = make(builder, PF_TAPE_ADD, a, b);
  return minus_a ? pf_builder_neg(builder, sum) : sum;
}

/* As a + (-b). */
PfTerm pf_builder_sub(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  return pf_builder_add(builder, a, pf_builder_neg(builder, b));
}

/* Zero and one cost nothing; the sign of the product is taken out. */
PfTerm pf_builder_mul(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  if (pf_builder_is_zero(builder, a)) return a;
  if (pf_builder_is_zero(builder, b)) return b;
  const bool minus_a = take_sign(builder, &a), minus_b = take_sign(builder, &b);
  const PfTerm product = is_one(builder, a) ? b : is_one(builder, b) ? a : make(builder, PF_TAPE_MUL, a, b);
  return minus_a != minus_b ? pf_builder_neg(builder, product) : product;
}

/* 0/b is 0, unless b is zero, too: then the tape does the division. */
PfTerm pf_builder_div(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  if (pf_builder_is_zero(builder, a) && !pf_builder_is_zero(builder, b)) return a;
  const bool minus_a = take_sign(builder, &a), minus_b = take_sign(builder, &b);
  const PfTerm quotient = is_one(builder, b) ? a : make(builder, PF_TAPE_DIV, a, b);
  return minus_a != minus_b ? pf_builder_neg(builder, quotient) : quotient;
}

/* The angle is in radians. */
PfTerm pf_builder_sin(PfTapeBuilder *builder, PfTerm a)
{
  return make(builder, PF_TAPE_SIN, a, 0);
}

/* The angle is in radians. */
PfTerm pf_builder_cos(PfTapeBuilder *builder, PfTerm a)
{
  return make(builder, PF_TAPE_COS, a, 0);
}

/* As MIN of the tape: b where a is not less. */
PfTerm pf_builder_min(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  return make(builder, PF_TAPE_MIN, a, b);
}

/* As MAX of the tape: a where it is not less than b. */
PfTerm pf_builder_max(PfTapeBuilder *builder, PfTerm a, PfTerm b)
{
  return make(builder, PF_TAPE_MAX, a, b);
}

/* ---------------------------------------------------------------- the tape */

/* Terms that no output needs are left out of the tape. */
PfStatus pf_builder_tape(PfTapeBuilder *builder, const PfTerm *outputs, int count, PfTape **tape)
{
  PfGraph *graph = &builder->graph;
  *tape = NULL;
  graph->roots.count = 0;
  for (int i = 0; i < count && !graph->failed; i++)
    if (!pf_push(graph->allocator, &graph->roots, outputs[i])) graph->failed = true;
  if (graph->failed) return pf_no_room(builder->ctx, "a tape");
  return pf_graph_tape(builder->ctx, graph, builder->input_count, tape);
}
