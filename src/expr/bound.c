/* Degrees of expressions as fractions of polynomials in what a point of a prime field chooses: the values of symbols, a
 * parameter t for every angle, an exponential for every exponent. With c = (1 - t^2)/(1 + t^2) and s = 2t/(1 + t^2) a
 * polynomial of degree d in c and s has the denominator (1 + t^2)^d, which never vanishes: sines and cosines count as
 * numerators of degree 2. */
#include "expr/field_impl.h"

#include <math.h>

static PfDegree times(PfDegree a, PfDegree b)
{
  return (PfDegree){a.above + b.above, a.below + b.below};
}

/* Sum of |multiples| of an angle. */
static double multiples(const Angle *angle)
{
  double sum = 0;
  for (int k = 0; k < angle->part_count; k++) sum += fabs((double)angle->parts[k].multiple);
  return sum;
}

/* Over the product of all denominators. */
static PfDegree of_sum(const PfProbe *p, int node, const PfDegree *degrees)
{
  const int *at = pf_probe_operands(p, node);
  PfDegree sum = degrees[at[0]];
  for (int i = 1; i < pf_probe_count(p, node); i += 2) {
    PfDegree term = degrees[at[i + 1]];
    sum.above = fmax(sum.above + term.below, term.above + sum.below);
    sum.below += term.below;
  }
  return sum;
}

/* A root is an algebraic function: it grows no faster than the larger part of its base, whatever its index. */
static PfDegree of_product(const PfProbe *p, int node, const PfDegree *degrees)
{
  const int *at = pf_probe_operands(p, node);
  PfDegree product = {0, 0};
  for (int i = 0; i < pf_probe_count(p, node); i += 2) {
    PfDegree base = degrees[at[i]];
    Number k;
    if (!pf_probe_exponent(p, at[i + 1], &k)) {
      product.above += 1; /* a letter */
      continue;
    }
    double size = fabs((double)k.num);
    if (k.den != 1) base = (PfDegree){base.above + base.below, 0};
    PfDegree power = {base.above*size, base.below*size};
    product = times(product, k.num < 0 ? (PfDegree){power.below, power.above} : power);
  }
  return product;
}

/* With e^x = u/w of degree n in all: sinh x = (u^2 - w^2)/(2 u w). */
static PfDegree of_function(const PfProbe *p, int node)
{
  PfOp op = op_of(p->table, p->nodes[node]);
  if (is_circular(op)) {
    double d = 2*multiples(p->circular.at + p->circular.of_node[node]);
    return (PfDegree){d, op == PF_OP_TAN ? d : 0};
  }
  if (!is_hyperbolic(op)) return (PfDegree){1, 0}; /* a letter */
  double d = multiples(p->hyperbolic.at + p->hyperbolic.of_node[node]);
  return op == PF_OP_EXP ? (PfDegree){d, d} : (PfDegree){2*d, 2*d};
}

static PfDegree of_node(const PfProbe *p, int node, const PfDegree *degrees)
{
  switch (op_of(p->table, p->nodes[node])) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE: return (PfDegree){0, 0};
  case PF_OP_PI:
  case PF_OP_SYMBOL: return (PfDegree){1, 0};
  case PF_OP_SUM: return of_sum(p, node, degrees);
  case PF_OP_PRODUCT: return of_product(p, node, degrees);
  default: return of_function(p, node);
  }
}

PfStatus pf_probe_degrees(PfProbe *p, PfArena *scratch, PfDegree *degrees)
{
  PfDegree *all = pf_arena_array(scratch, PfDegree, p->node_count);
  if (!all) return pf_fail(p->table->ctx, PF_ERR_MEMORY, "no room for the degrees of expressions");
  for (int i = 0; i < p->node_count; i++) all[i] = of_node(p, i, all);
  for (int i = 0; i < p->root_count; i++) degrees[i] = all[p->root[i]];
  return PF_OK;
}
