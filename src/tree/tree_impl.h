/* SPDX-License-Identifier: Apache-2.0 */
/* Two descriptions of one tree. `Body` is the user's input, in the user's frames and order: kinematics, wrenches,
 * operators and changes of topology work on it, in inertial axes. `Node` is made from it for speed (nodes.c): welded
 * bodies are merged, the order is such that a subtree is contiguous, and each frame is turned so that the joint axis is
 * z and the way to the parent is a turn about z, one about x, and a shift. */
#ifndef PF_SRC_TREE_IMPL_H
#define PF_SRC_TREE_IMPL_H

#include "base/base.h"
#include "num/rotation.h"
#include "pfaff/tree.h"
#include "tree/lanes.h"
#include "tree/spatial.h"

/* ---------------------------------------------------------------- the tree as given */

typedef struct Body {
  const char *name, *joint_name; /* or NULL */
  int parent, q, v;
  PfJoint joint;
  double axis[3], axis2[3], pitch;
  double quat[4];
  double R[9], s[3];        /* placement: joint frame to parent axes, joint point in the parent */
  double mass, com[3], I[9]; /* inertia about the mass centre */
} Body;

typedef struct Spring {
  double stiffness, ref, damping;
} Spring;

/* ---------------------------------------------------------------- the tree as computed */

typedef enum NodeKind { NODE_REVOLUTE, NODE_PRISMATIC, NODE_SCREW, NODE_BALL, NODE_FREE, NODE_GENERAL } NodeKind;

enum {
  NODE_TURNED = 1,  /* the edge begins with a turn about the z axis of the parent */
  NODE_LEAF = 2,
  NODE_FIRST = 4,   /* the first to reach its parent on the way inward: its parent's sums begin here */
  NODE_PASSIVE = 8  /* has springs or dampers */
};

typedef struct Node {
  int parent; /* before this one, or -1 */
  int kind, flags;
  int q, v;   /* first coordinate and rate, in the user's order */
  int slot;   /* where the sums over the children are kept; -1 for a leaf */
  int extra;  /* number among the nodes that need an Extra, or -1 */
  int body;   /* whose joint it is */
} Node;

/* The way to the parent: x_parent = Rz(f) Rx(a) Rz(offset + angle) x + l, the last in parent axes. Long chains are as
 * fast as memory is, so that what only some nodes or one sweep need is kept apart: f (`leads`) and `offsets`. */
typedef struct Edge {
  double ca, sa; /* of the angle a */
  double l[3];
} Edge;

typedef struct Lead {
  double c, s; /* of the angle f; read only where NODE_TURNED */
} Lead;

/* About O_k, in node axes */
typedef struct Mass {
  double J[6], mc[3], m;
} Mass;

/* Ball joints and everything general: x_parent = Rt R(q) x + l, with the frame of the body itself. */
typedef struct Fixed {
  double Rt[9], s[3], quat[4]; /* the last is Rt as a quaternion */
} Fixed;

/* The data of LANES nodes for inverse dynamics. S is the second moment of mass, the integral of x x^T, in the order of
 * a symmetric block. */
typedef struct Pack {
  Lanes turn[8]; /* Rz(f) Rx(a) by columns, without the zero at the end of the first; or the quaternion of a Fixed */
  Lanes l[3];
  Lanes S[6], mc[3], m;
} Pack;

struct PfTree {
  PfArena *arena;
  PfAllocator allocator;
  int count, nq, nv;
  double gravity[3];
  Body *bodies;
  Spring *springs;         /* nv, or NULL */
  unsigned char *locked;   /* nv, or NULL */
  int node_count, extra_count, slot_count;
  int in_line; /* a chain: each node hangs on the one before, and rates have the same order */
  Node *nodes;
  Edge *edges;
  Lead *leads;
  double *offsets;
  int *depths; /* rates between a node and its root */
  Mass *masses;
  double *slide;   /* 4 per node of prismatic and screw joints: direction in parent axes, pitch; indexed by node */
  Fixed *fixed;    /* per extra */
  Pack *packs;     /* per LANES nodes */
  int *node_of;    /* per body: its node, or -1 when welded to the inertial frame */
  double *in_node; /* 12 per body: rotation node to body axes, position of O_k from the node's origin in node axes */
};

/* ---------------------------------------------------------------- workspace */

typedef struct Kin {
  double c, s, w[3]; /* turn about z; angular velocity in node axes */
} Kin;

typedef struct Dof {
  double g[6]; /* free: U/D; prescribed: P h */
  double d;    /* free: 1/D; prescribed: 0 */
  double nu;   /* free: eps/D; prescribed: h.z */
} Dof;

/* The additional data of a general joint. H is in node axes, six numbers per column. */
typedef struct Extra {
  double R[9], l[3], a[6], H[36];
} Extra;

/* Of LANES nodes: rotation to parent axes and joint point in them, wrench of inertial forces in node axes. */
typedef struct Effort {
  Lanes R[9], l[3], f[6];
} Effort;

typedef struct Sum {
  Sym6 P;
  double z[6];
  double seen[2]; /* sizes of J and M from which joints further out have taken: the rest may be rounding */
} Sum;

struct PfTreeWork {
  PfContext *ctx;
  const PfTree *tree;
  PfAllocator allocator;
  size_t bytes;
  Kin *kin;
  double *shifts; /* along z, of prismatic and screw joints */
  Dof *dofs;
  double *A;      /* 6 per node */
  Extra *extras;
  Sum *sums;
  double *load;   /* 6 per node: external wrenches in node axes */
  double *scratch; /* max(nv, 6 per node) */
  unsigned char *mask; /* nv: prescribed in the last factorisation? */
  double *rates; /* nv: the accelerations prescribed */
  int factored, masked;
  double *E, *r, *V, *body6; /* per body: 9, 3, 6, 6 */
  double *rows;       /* 6 nv: columns of H on a path; elsewhere nv numbers of scratch */
  double *frames, *composites; /* 12 and 10 per node, see composite.c */
  Effort *efforts;    /* per LANES nodes, see inverse.c; in the same place */
  int *path_dofs;     /* nv */
};

/* ---------------------------------------------------------------- build.c */

/* The name of a body for messages, in quotes, or "body 3". */
typedef struct BodyName {
  char text[80];
} BodyName;
BodyName pf_body_name(const PfTree *tree, int body);

/* ---------------------------------------------------------------- joint.c */

/* The joint at (q, v): R body to joint frame, d its position, columns of H (6 each) in joint axes, and the
 * angular part of the derivative of H seen from the joint frame times v. */
typedef struct JointState {
  double R[9], d[3], H[36], hc[3];
} JointState;

/* Kinematics of one joint at its own q and v (NULL: at rest). */
void pf_joint_state(const Body *body, const double *q, const double *v, JointState *joint);
/* B (nq x nv) of (13) at the coordinates q of the joint: qdot = B v. */
void pf_joint_rate_map(const Body *body, const double *q, double B[42]);
/* Forces of the springs and dampers of one body: T (its nv). v NULL: at rest. */
void pf_joint_passive(const PfTree *tree, const Body *body, const double *q, const double *v, double *T);

/* ---------------------------------------------------------------- frames.c, on the bodies of the user */

/* The data of a joint that the equations of one body need, in inertial axes. */
typedef struct Step {
  double Ep[9];     /* joint frame to inertial axes */
  double l[3];      /* O_k from O_lambda */
  JointState joint; /* its H in inertial axes */
} Step;

/* The joint of a body at its q and v (NULL: at rest). Needs the poses of pf_tree_kinematics. */
void pf_joint_step(const PfTreeWork *work, int body, const double *q, const double *v, Step *step);
/* a_k: the velocity-dependent part of the acceleration of the body, with vdot = 0, from its step. Needs velocities. */
void pf_velocity_acceleration(const PfTreeWork *work, int body, const Step *step, const double *v, double a[6]);

/* ---------------------------------------------------------------- nodes.c, forward.c, frames.c */

/* Makes the nodes of a finished tree: welded bodies are lumped, and each frame is turned so that an axial joint turns
 * about z of its node. O(n). */
PfStatus pf_tree_make_nodes(PfContext *ctx, PfTree *tree);

/* External wrenches of the bodies to node axes, in work->load; needs poses at q. */
PfStatus pf_tree_load(PfTreeWork *work, const double *q, const double *wrench);
/* The same with the poses as they are. */
void pf_tree_load_at(PfTreeWork *work, const double *wrench);
/* Adds a wrench on one body at O_k, in inertial axes, to that of its node (which must not be -1). */
void pf_wrench_to_node(const PfTreeWork *work, int body, const double wrench[6], double *to);
/* Vdot of a body from that of its node, gravity put back. */
void pf_acceleration_from_node(const PfTreeWork *work, int body, const double gravity[3], double A[6]);

/* The same from the results of the sweeps in work->A and `force` (both in node axes): accelerations and joint wrenches
 * of the bodies, either may be NULL. Needs pf_tree_kinematics with velocities. */
void pf_tree_from_nodes(PfTreeWork *work, const double *force, const double gravity[3], const double *wrench,
                        double *acceleration, double *joint_wrench);

/* Turns and shifts of all joints, columns of general ones. */
void pf_tree_place(PfTreeWork *work, const double *q);
/* The same, and angular velocities. */
void pf_tree_sweep_out(PfTreeWork *work, const double *q, const double *v);
/* One joint that is neither axial nor a ball: R, H, l and a_k of its Extra, and wk from the parent's w. */
void pf_tree_place_general(PfTreeWork *work, const Node *node, const double *q, const double *v, const double *w,
                           double *wk);

/* ---------------------------------------------------------------- respond.c */

/* One row: joint forces t (nv) and wrenches zeta (6 per node, negative), of the nodes marked in `touched`, up to
 * `last`. Gives eps of the free dofs of all their ancestors; touched and zeta are zero afterwards. */
void pf_tree_respond_row(PfTreeWork *work, const double *t, unsigned char *touched, int last, double *zeta,
                         double *eps);

#endif
