/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a model, for the formulation 'recursive' and for those who want to look at its operators. */
#ifndef PF_FORM_RECURSIVE_H
#define PF_FORM_RECURSIVE_H

#include "form/form_impl.h"
#include "mech/chain.h"
#include "pfaff/tree.h"

typedef enum PfRateRole {
  PF_RATE_OWN,     /* depends on one coordinate, which has it as its own */
  PF_RATE_FOLLOWS, /* depends on coordinates that have rates of their own */
  PF_RATE_DRIVEN   /* depends on time alone */
} PfRateRole;

typedef struct PfRate {
  int step; /* of the chain */
  PfRateRole role;
  int coordinate;         /* its own */
  bool plain;             /* it is the coordinate itself */
  int slope, slope_count; /* d value/d q */
} PfRate;

typedef struct PfSlope {
  int coordinate;
} PfSlope;

typedef struct PfRecursion {
  const PfModel *model;
  bool failed;            /* no memory to see what depends on what */
  PfChain chain;
  bool *used;             /* per frame: carries a body */
  bool alone;             /* nothing binds but the lengths of quaternions: no M, F, A and b are needed */
  int rate_count, slope_count, row_count;
  PfRate *rate;
  PfSlope *slope;
  int *own, *ball_of;     /* per coordinate: its rate, or the step of its quaternion; -1 */
  int *body_of_step;      /* bodies of the tree */
  bool weight_in_tree;
  double resting;         /* potential of the weight of what is fixed to the ground, which is not in the tree */
  const PfTape *tape;     /* what of `out` changes and is not a coordinate or its velocity, and where it stands there */
  int *place;
  double *tape_work;
  double *out;            /* 3 per rate: value, rate, second derivative at q'' = 0; slopes; forces (n); power */
  double *parameters;     /* of the tree */
  PfSpan span;
  const PfTape *flow;     /* accelerations by the recursion written out, where that is short; else NULL, */
  const PfTape *power;    /* and the power that is wanted, or NULL */
  double *flow_out;       /* n accelerations, the pairs about pivots */

  PfArena *arena;         /* what belongs to the tree */
  PfTree *tree;
  PfTreeWork *work;
  PfTreeRows *rows;
  double *force;          /* n: with non-ideal ones */
  int *q_at, *v_at;       /* per rate: its place among coordinates and rates of the tree */
  double *q, *v, *tau, *vdot, *line, *coefficient;
  unsigned char *prescribed;
  double *seen;           /* time, inputs and state of the last motion, at which the workspace of the tree still is, */
  bool is_seen;           /* if so */
  int *dof;
  PfTreeConstraint *constraint;
} PfRecursion;

/* The tree at the values of the parameters. */
PfStatus pf_recursion_build(PfSolver *solver, PfRecursion *recursion, const double *values);
void pf_recursion_drop(PfRecursion *recursion);

#endif
