/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/weave.h"

#include "kernel/kernel_impl.h"

struct PfWeave {
  PfContext *ctx;
  int input_count;
  PfGraph graph; /* its roots are those of the expressions until the tape is made */
};

PfStatus pf_weave_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                      PfWeave **weave)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  PfWeave *w = *weave = allocator->resize(allocator->user, NULL, sizeof *w);
  if (!w) return pf_no_room(ctx, "a tape");
  *w = (PfWeave){.ctx = ctx, .input_count = input_count};
  pf_graph_init(&w->graph, ctx);
  PfStatus status = pf_graph_of(ctx, inputs, input_count, roots, root_count, &w->graph);
  if (status == PF_OK) return PF_OK;
  pf_weave_free(w);
  *weave = NULL;
  return status;
}

void pf_weave_free(PfWeave *weave)
{
  if (!weave) return;
  const PfAllocator *allocator = weave->graph.allocator;
  pf_graph_free(&weave->graph);
  allocator->resize(allocator->user, weave, 0);
}

PfTerm pf_weave_root(const PfWeave *weave, int root)
{
  return weave->graph.roots.at[root];
}

/* ---------------------------------------------------------------- terms */

PfTerm pf_weave_number(PfWeave *weave, double value)
{
  return pf_graph_constant(&weave->graph, value == 0 ? 0 : value); /* one zero only */
}

bool pf_weave_is_number(const PfWeave *weave, PfTerm a, double *value)
{
  const PfGraphNode *node = weave->graph.nodes.at + a;
  if (a >= weave->graph.nodes.count || node->op != PF_VALUE_CONSTANT) return false;
  *value = weave->graph.constants.at[node->a];
  return true;
}

bool pf_weave_is_zero(const PfWeave *weave, PfTerm a)
{
  double value;
  return pf_weave_is_number(weave, a, &value) && value == 0;
}

static bool is_one(const PfWeave *weave, PfTerm a)
{
  double value;
  return pf_weave_is_number(weave, a, &value) && value == 1;
}

static PfTerm make(PfWeave *weave, uint32_t op, PfTerm a, PfTerm b)
{
  return pf_graph_node(&weave->graph, op, a, b, 0);
}

/* Signs are taken out of terms: sums and differences then need none, and terms that differ by it share what they are
 * made of. */
static bool take_sign(PfWeave *weave, PfTerm *a)
{
  double value;
  if (pf_weave_is_number(weave, *a, &value)) {
    if (!(value < 0)) return false;
    *a = pf_weave_number(weave, -value);
    return true;
  }
  if (*a >= weave->graph.nodes.count || weave->graph.nodes.at[*a].op != PF_TAPE_NEG) return false;
  *a = weave->graph.nodes.at[*a].a;
  return true;
}

PfTerm pf_weave_neg(PfWeave *weave, PfTerm a)
{
  if (pf_weave_is_zero(weave, a) || take_sign(weave, &a)) return a;
  return make(weave, PF_TAPE_NEG, a, 0);
}

static PfTerm difference(PfWeave *weave, PfTerm a, PfTerm b)
{
  return a == b ? pf_weave_number(weave, 0) : make(weave, PF_TAPE_SUB, a, b);
}

PfTerm pf_weave_add(PfWeave *weave, PfTerm a, PfTerm b)
{
  if (pf_weave_is_zero(weave, a)) return b;
  if (pf_weave_is_zero(weave, b)) return a;
  const bool minus_a = take_sign(weave, &a), minus_b = take_sign(weave, &b);
  if (minus_a != minus_b) return minus_a ? difference(weave, b, a) : difference(weave, a, b);
  const PfTerm sum = make(weave, PF_TAPE_ADD, a, b);
  return minus_a ? pf_weave_neg(weave, sum) : sum;
}

PfTerm pf_weave_sub(PfWeave *weave, PfTerm a, PfTerm b)
{
  return pf_weave_add(weave, a, pf_weave_neg(weave, b));
}

PfTerm pf_weave_mul(PfWeave *weave, PfTerm a, PfTerm b)
{
  if (pf_weave_is_zero(weave, a)) return a;
  if (pf_weave_is_zero(weave, b)) return b;
  const bool minus_a = take_sign(weave, &a), minus_b = take_sign(weave, &b);
  const PfTerm product = is_one(weave, a) ? b : is_one(weave, b) ? a : make(weave, PF_TAPE_MUL, a, b);
  return minus_a != minus_b ? pf_weave_neg(weave, product) : product;
}

PfTerm pf_weave_div(PfWeave *weave, PfTerm a, PfTerm b)
{
  if (pf_weave_is_zero(weave, a) && !pf_weave_is_zero(weave, b)) return a;
  const bool minus_a = take_sign(weave, &a), minus_b = take_sign(weave, &b);
  const PfTerm quotient = is_one(weave, b) ? a : make(weave, PF_TAPE_DIV, a, b);
  return minus_a != minus_b ? pf_weave_neg(weave, quotient) : quotient;
}

PfTerm pf_weave_sin(PfWeave *weave, PfTerm a)
{
  return make(weave, PF_TAPE_SIN, a, 0);
}

PfTerm pf_weave_cos(PfWeave *weave, PfTerm a)
{
  return make(weave, PF_TAPE_COS, a, 0);
}

PfTerm pf_weave_min(PfWeave *weave, PfTerm a, PfTerm b)
{
  return make(weave, PF_TAPE_MIN, a, b);
}

PfTerm pf_weave_max(PfWeave *weave, PfTerm a, PfTerm b)
{
  return make(weave, PF_TAPE_MAX, a, b);
}

/* ---------------------------------------------------------------- the tape */

PfStatus pf_weave_tape(PfWeave *weave, const PfTerm *outputs, int count, PfTape **tape)
{
  PfGraph *graph = &weave->graph;
  *tape = NULL;
  graph->roots.count = 0;
  for (int i = 0; i < count && !graph->failed; i++)
    if (!pf_push(graph->allocator, &graph->roots, outputs[i])) graph->failed = true;
  if (graph->failed) return pf_no_room(weave->ctx, "a tape");
  return pf_graph_tape(weave->ctx, graph, weave->input_count, tape);
}
