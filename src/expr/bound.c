/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of expressions as fractions of polynomials in the values that a point of a prime field chooses: the values of
 * symbols, a parameter t for every angle, an exponential for every exponent. With c = (1 - t^2)/(1 + t^2) and
 * s = 2t/(1 + t^2) a polynomial of degree d in c and s has the denominator (1 + t^2)^d, which never vanishes: sines and
 * cosines count as numerators of degree 2. Denominators are kept as products of known factors, so that a sum has the
 * least common multiple of those of its terms. */
#include "expr/field_impl.h"

#include <math.h>

/* Possible factors of a denominator, for node i: the numerator of the node, the denominator of a function, a root of
 * the node. */
typedef enum FactorKind { NUMERATOR, POLE, ROOT, FACTOR_KINDS } FactorKind;

typedef struct Divisor {
  int id; /* FACTOR_KINDS*node + kind */
  double power;
} Divisor;

typedef struct Fraction {
  double above, below; /* degrees */
  Divisor *divisors;
  int count;
} Fraction;

typedef struct Bound {
  const PfProbe *probe;
  PfArena *arena;
  Fraction *fractions; /* per node */
  double *power;       /* per factor: in the denominator that is being collected */
  int *touched, touched_count;
  bool failed;
} Bound;

/* ---------------------------------------------------------------- denominators */

/* The collected denominator becomes a multiple of the factor's power. */
static void include(Bound *b, int id, double power)
{
  if (power <= 0) return;
  if (b->power[id] == 0) b->touched[b->touched_count++] = id;
  b->power[id] = fmax(b->power[id], power);
}

/* The collected denominator is multiplied by the factor's power. */
static void multiply(Bound *b, int id, double power)
{
  if (power > 0) include(b, id, b->power[id] + power);
}

static double collected_degree(const Bound *b)
{
  double sum = 0;
  for (int i = 0; i < b->touched_count; i++) {
    int id = b->touched[i];
    const Fraction *f = b->fractions + id/FACTOR_KINDS;
    /* the denominator of a function has the degree of its numerator */
    double degree = id%FACTOR_KINDS == ROOT ? f->above + f->below : f->above;
    if (degree > 0) sum += b->power[id]*degree; /* the power may be infinite */
  }
  return sum;
}

/* The denominator that was collected goes to the fraction; the collection is empty again. */
static void keep(Bound *b, Fraction *f)
{
  f->below = collected_degree(b);
  f->count = b->touched_count;
  f->divisors = pf_arena_array(b->arena, Divisor, f->count);
  if (!f->divisors) b->failed = true, f->count = 0;
  for (int i = 0; i < b->touched_count; i++) {
    int id = b->touched[i];
    if (f->divisors) f->divisors[i] = (Divisor){id, b->power[id]};
    b->power[id] = 0;
  }
  b->touched_count = 0;
}

/* ---------------------------------------------------------------- nodes */

/* Bounds of a sum, above and below, of the operands `at`: over the common denominator each term is multiplied by the
 * divisors that it does not have itself. Returns the degree above; the collected denominator is the one below. */
static double bound_terms(Bound *b, const int *at, int count, int step)
{
  for (int i = 0; i < count; i += step) {
    const Fraction *f = b->fractions + at[i];
    for (int k = 0; k < f->count; k++) include(b, f->divisors[k].id, f->divisors[k].power);
  }
  double common = collected_degree(b), most = common; /* of the constant */
  for (int i = 0; i < count; i += step) {
    const Fraction *term = b->fractions + at[i];
    most = fmax(most, term->above + common - term->below);
  }
  return most;
}

/* Bounds of a product: degrees are added, times the exponents. */
static void bound_product(Bound *b, int node, Fraction *product)
{
  const int *at = pf_probe_operands(b->probe, node);
  for (int i = 0; i < pf_probe_count(b->probe, node); i += 2) {
    Number k;
    if (pf_probe_exponent(b->probe, at[i + 1], &k)) {
      /* A root is an algebraic function: it grows no faster than the larger part of its base, whatever its index. */
      int base = at[i];
      const Fraction *f = b->fractions + base;
      double size = fabs((double)k.num);
      bool root = k.den != 1, inverse = k.num < 0;
      if (!inverse) product->above += size*(root ? f->above + f->below : f->above);
      else if (!root) product->above += size*f->below;
      if (inverse) multiply(b, FACTOR_KINDS*base + (root ? ROOT : NUMERATOR), size);
      for (int j = 0; j < f->count && !inverse && !root; j++) multiply(b, f->divisors[j].id, size*f->divisors[j].power);
    } else product->above += 1; /* a letter */
  }
  keep(b, product);
}

/* Sum of |multiples| of an angle. */
static double multiples(const Angle *angle)
{
  double sum = 0;
  for (int k = 0; k < angle->part_count; k++) sum += fabs((double)angle->parts[k].multiple);
  return sum;
}

/* With e^x = u/w of degree n in all: sinh x = (u^2 - w^2)/(2 u w). */
static void bound_function(Bound *b, int node, Fraction *f)
{
  const PfProbe *p = b->probe;
  PfOp op = op_of(p->table, p->nodes[node]);
  if (is_circular(op)) f->above = 2*multiples(p->circular.at + p->circular.of_node[node]);
  else if (is_hyperbolic(op)) f->above = 2*multiples(p->hyperbolic.at + p->hyperbolic.of_node[node]);
  else f->above = 1; /* a letter */
  if (op == PF_OP_TAN || is_hyperbolic(op)) multiply(b, FACTOR_KINDS*node + POLE, 1);
  keep(b, f);
}

PfStatus pf_probe_degree(const PfProbe *p, PfArena *scratch, double *degree)
{
  size_t ids = (size_t)p->node_count*FACTOR_KINDS;
  Bound b = {.probe = p, .arena = scratch,
             .fractions = pf_arena_array(scratch, Fraction, p->node_count),
             .power = pf_arena_array(scratch, double, ids), .touched = pf_arena_array(scratch, int, ids)};
  b.failed = !b.fractions || !b.power || !b.touched || ids > INT32_MAX;
  for (int i = 0; i < p->node_count && !b.failed; i++) {
    Fraction *f = b.fractions + i;
    switch (op_of(b.probe->table, b.probe->nodes[i])) {
    case PF_OP_RATIONAL:
    case PF_OP_DOUBLE: break;
    case PF_OP_PI:
    case PF_OP_SYMBOL: f->above = 1; break;
    case PF_OP_SUM: /* a constant, then coefficients and terms in turns */
      f->above = bound_terms(&b, pf_probe_operands(p, i) + 2, pf_probe_count(p, i) - 2, 2);
      keep(&b, f);
      break;
    case PF_OP_PRODUCT: bound_product(&b, i, f); break;
    default: bound_function(&b, i, f); break;
    }
  }
  if (b.failed) return pf_no_room(p->table->ctx, "the degrees of expressions");
  *degree = bound_terms(&b, p->root, p->root_count, 1); /* all roots over one denominator */
  return PF_OK;
}
