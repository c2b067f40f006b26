/* Inside the expression module: what zero tests and short forms are made of. */
#ifndef PF_EXPR_NORMAL_H
#define PF_EXPR_NORMAL_H

#include "expr/expr_impl.h"

/* ---------------------------------------------------------------- angles */

/* An argument of functions that turn sums into products, taken apart:
 * argument = sum_i multiple_i*atom_i/divisor_i + turn*pi. */
typedef struct AnglePart {
  int atom;
  int64_t multiple;
} AnglePart;

typedef struct Angle {
  PfExpr argument;
  AnglePart *parts;
  int part_count;
  Number turn;
} Angle;

typedef struct Angles {
  Angle *at;
  int count;
  int *of_node; /* per node of the walk: the angle of its argument, -1 for other nodes */
  PfExpr *atoms;
  int64_t *divisors;
  int atom_count;
  bool certain; /* the atoms are known to be independent over the rational numbers */
} Angles;

typedef enum AngleKind {
  CIRCULAR,   /* sin, cos, tan */
  HYPERBOLIC, /* exp, sinh, cosh, tanh */
} AngleKind;

typedef enum AngleStyle {
  ANGLES_EXPANDED,   /* sums and products are multiplied out; the atoms are monomials */
  ANGLES_AS_WRITTEN, /* every argument is an atom */
} AngleStyle;

/* Takes the arguments of all functions of one kind apart, among the nodes of the latest walk. Multiples of
 * pi whose denominator divides `turns` are kept apart as turns, unless turns is 0. Everything lives in the
 * arena. */
PfStatus pf_angles_find(PfExprTable *table, PfArena *arena, const PfExpr *nodes, int node_count,
                        AngleKind kind, AngleStyle style, int64_t turns, Angles *angles);

/* Could every angle be chosen freely, whatever the others are? */
bool pf_angles_are_free(PfArena *arena, const Angles *angles);

static inline bool is_circular(PfOp op)
{
  return op == PF_OP_SIN || op == PF_OP_COS || op == PF_OP_TAN;
}
static inline bool is_hyperbolic(PfOp op)
{
  return op == PF_OP_SINH || op == PF_OP_COSH || op == PF_OP_TANH || op == PF_OP_EXP;
}

/* The rational that a number is exactly: every double is one, but not all fit 64 bits. */
bool pf_number_exact(Number number, Number *rational);

/* ---------------------------------------------------------------- zero tests */

/* pf_expr_is_probably_zero for many expressions at the same points: PF_TRUE when all are zero; else *which
 * (unless NULL) is the first that is not, certainly (PF_FALSE) or perhaps (PF_UNKNOWN). */
PfTruth pf_expr_all_probably_zero(PfContext *ctx, const PfExpr *roots, int count, int rounds, int *which);

#endif
