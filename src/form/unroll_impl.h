/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the recursion written out:
 *
 *   unroll_joints.c   the model as joints, masses and forces in expressions
 *   unroll_frames.c   frames of the nodes, so that edges have few numbers; expressions become terms
 *   unroll_algebra.c  vectors and matrices of terms
 *   unroll.c          the sweeps */
#ifndef PF_FORM_UNROLL_IMPL_H
#define PF_FORM_UNROLL_IMPL_H

#include "form/recursive.h"
#include "form/unroll.h"
#include "kernel/tape_builder.h"

#include <math.h>

/* ---------------------------------------------------------------- expressions */

/* A moving step of a placement, in the frame of the one it hangs on, with the mass it carries before the next one. */
typedef struct PfUnrollJoint {
  int parent; /* -1: the ground */
  PfChainKind kind;
  int step, rate; /* of the chain; of the recursion, -1 for quaternions */
  PfExpr R[9], p[3];
  PfExpr axis[3];
  PfExpr m, mc[3], J[6]; /* about its own origin */
} PfUnrollJoint;

typedef struct PfUnrollModel {
  PfContext *ctx;
  PfArena *arena;
  const PfUnrollPlan *plan;
  const PfSystem *system;
  const PfRecursion *recursion;
  int count;
  PfUnrollJoint *joint;
  PfExpr gravity[3];
  PfExpr *force;                   /* n */
  PfExpr *value, *rate, *second, *slope; /* of the rates */
} PfUnrollModel;

/* The joints, masses and forces of the model as expressions, in the arena of `model`. */
PfStatus pf_unroll_joints(PfUnrollModel *model);

/* ---------------------------------------------------------------- terms */

/* By a matrix, or by up to three turns about axes: the last is applied first on the way to the parent. */
typedef struct PfUnrollTurn {
  int axis;
  PfTerm c, s;
} PfUnrollTurn;

typedef struct PfUnrollEdge {
  int turn_count;
  PfUnrollTurn turn[3];
  bool by_matrix;
  PfTerm R[9];
  PfTerm l[3];
} PfUnrollEdge;

/* [n; f] = [J B; B^T M] [alpha; a]; symmetric ones as 00, 01, 02, 11, 12, 22. */
typedef struct PfUnrollInertia {
  PfTerm J[6], B[9], M[6];
} PfUnrollInertia;

typedef struct PfUnrollNode {
  int parent;
  const PfUnrollJoint *joint;
  PfUnrollEdge edge;   /* with the joint's own motion */
  int fixed_turns;     /* the first ones of the edge: before the joint moves; -1: they are not apart */
  PfTerm h[3];         /* axis in node axes */
  PfTerm m, mc[3], J[6];
  PfTerm value, rate, second, slope, force; /* of an axial joint */
  PfTerm x[4], dx[4], Q[4];    /* of a quaternion: state and forces */
  PfTerm p[3], dp[3], P[3];    /* of its position; the forces in parent axes, and h is the rate there */
  PfTerm Rt[9];                /* of a free joint: before it moves */

  PfTerm w[3], alpha[3], a[3]; /* with all rates constant, weight included */
  PfUnrollInertia I;
  PfTerm z[6];
  PfTerm g[6], nu;             /* of an axial joint */
  PfTerm spin[3], tau[3];      /* of a quaternion: angular rate, and moment */
  PfTerm motion[6], G[9];      /* of a quaternion: P^-1 eps or J^-1 eps, J^-1 B */
  PfTerm delta[6], vdot[6];
} PfUnrollNode;

typedef struct PfUnrolling {
  PfContext *ctx;
  PfArena *arena;
  const PfUnrollModel *model;
  PfTapeBuilder *builder;
  int count;
  PfUnrollNode *node;
  PfTerm gravity[3], zero, one;
  PfTerm least, most; /* reciprocal of a pivot; ratio of an inertia to it */
  bool has_pivots;
  const char *why_not;
} PfUnrolling;

/* Frames and terms; the builder is made. */
PfStatus pf_unroll_frames(PfUnrolling *u);

/* ---------------------------------------------------------------- algebra */

static inline PfTerm plus(const PfUnrolling *u, PfTerm a, PfTerm b)
{
  return pf_builder_add(u->builder, a, b);
}
static inline PfTerm minus(const PfUnrolling *u, PfTerm a, PfTerm b)
{
  return pf_builder_sub(u->builder, a, b);
}
static inline PfTerm times(const PfUnrolling *u, PfTerm a, PfTerm b)
{
  return pf_builder_mul(u->builder, a, b);
}

/* A number as an expression: an integer where it is one. */
static inline PfExpr pf_unroll_number(PfContext *ctx, double x)
{
  return x == floor(x) && fabs(x) < 1e9 ? pf_expr_int(ctx, (int64_t)x) : pf_expr_double(ctx, x);
}

/* Where the element i, j of a symmetric matrix is. */
static inline int symmetric(int i, int j)
{
  static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  return at[3*i + j];
}

/* Scalar product of `count` terms. */
PfTerm pf_unroll_dot(const PfUnrolling *u, const PfTerm *a, const PfTerm *b, int count);
/* Results of these may be their operands. */
void pf_unroll_cross(const PfUnrolling *u, const PfTerm a[3], const PfTerm b[3], PfTerm out[3]);
void pf_unroll_add(const PfUnrolling *u, PfTerm *to, const PfTerm *more, int count);
void pf_unroll_times(const PfUnrolling *u, const PfTerm A[9], const PfTerm x[3], PfTerm out[3]);
void pf_unroll_transposed_times(const PfUnrolling *u, const PfTerm A[9], const PfTerm x[3], PfTerm out[3]);
void pf_unroll_symmetric_times(const PfUnrolling *u, const PfTerm A[6], const PfTerm x[3], PfTerm out[3]);
/* Vectors and matrices from node axes to those of the parent, and vectors back, by the first `turns` of the edge. */
void pf_unroll_up(const PfUnrolling *u, const PfUnrollEdge *edge, int turns, PfTerm x[3]);
void pf_unroll_back(const PfUnrolling *u, const PfUnrollEdge *edge, PfTerm x[3]);
void pf_unroll_inertia_up(const PfUnrolling *u, const PfUnrollEdge *edge, int turns, PfUnrollInertia *I);
/* To the point of the parent. */
void pf_unroll_inertia_shift(const PfUnrolling *u, const PfTerm l[3], PfUnrollInertia *I);
void pf_unroll_inertia_of(const PfUnrolling *u, PfTerm m, const PfTerm mc[3], const PfTerm J[6], PfUnrollInertia *I);

#endif
