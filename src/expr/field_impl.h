/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the expression module: declarations shared by evaluation in a field and the bounds of degrees. */
#ifndef PF_EXPR_FIELD_IMPL_H
#define PF_EXPR_FIELD_IMPL_H

#include "expr/field.h"
#include "expr/normal.h"

struct PfProbe {
  PfExprTable *table;
  int root_count, node_count;
  const int *root;       /* per root: its node */
  const PfExpr *nodes;   /* of the walk, operands first */
  const int *first, *operands; /* the operands of node i are the nodes operands[first[i]] … */
  Angles circular, hyperbolic;
  bool has_turns;        /* some angle has a multiple of pi in it */
  int square_roots;      /* of something that is not a number: their signs are chances */
  bool certain;          /* a value that is not zero is a proof */
  const char **outside;  /* per node: a function in it of which nothing is known */

  PfField field;
  int field_number;
  PfCirclePoint unity;   /* e^(2 pi i/PF_CIRCLE_ORDER) */
  uint64_t seed;         /* of the point */
  bool to_the_end;       /* goes on when a node is not defined */
  uint64_t *values;      /* per node */
  PfCirclePoint *points; /* per circular angle */
  uint64_t *growths;     /* per hyperbolic angle: its exponential */
  PfCirclePoint *atom_points;
  uint64_t *atom_growths;
};

static inline int pf_probe_count(const PfProbe *p, int i)
{
  return (int)node_of(p->table, p->nodes[i])->count;
}
static inline const int *pf_probe_operands(const PfProbe *p, int i)
{
  return p->operands + p->first[i];
}

/* Exponents that are rational and small enough to be taken as such. */
static inline bool pf_probe_exponent(const PfProbe *p, int node, Number *rational)
{
  PfExpr e = p->nodes[node];
  return is_number(p->table, e) && pf_number_as_narrow(number_of(p->table, e), rational) && rational->den <= 1024;
}

#endif
