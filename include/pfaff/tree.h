/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of rigid bodies: the recursion of the spatial operator algebra, in numbers. Every sweep costs O(n).
 *
 * Conventions (docs/spatial.md): spatial vectors are [angular; linear], in inertial axes, at the point O_k, the
 * origin of the frame of body k, which is also the moving side of its joint. Accelerations are true ones: of the
 * material point O_k, gravity included. Wrenches are [moment about O_k; force]. Rotations are 3 x 3, by rows, from
 * the body to inertial axes.
 *
 *   joint        q                      v (rates)                           motion of the body frame in the joint frame
 *   weld         -                      -                                   none
 *   revolute     angle                  its rate                            turn about axis
 *   prismatic    x                      its rate                            shift along axis
 *   screw        angle                  its rate                            turn about axis, shift pitch*angle along it
 *   cylindrical  angle, x               their rates                         turn about and shift along axis
 *   universal    t1, t2                 their rates                         turn about axis, then about axis2
 *   spherical    quaternion w x y z     angular velocity in body axes (3)   turn
 *   planar       x, y, angle            their rates                         shift in x and y, turn about z
 *   free         quaternion, x, y, z    angular velocity in body axes,      all
 *                                       rates of x, y, z
 *
 * Quaternions are normalised before use. A tree is never changed once it is made, and threads may share it; each
 * takes a workspace of its own, made with a context of its own. After creation nothing allocates, except the
 * functions that make new trees. Same input, same output, bit for bit. */
#ifndef PFAFF_TREE_H
#define PFAFF_TREE_H

#include "pfaff/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfTree PfTree;
typedef struct PfTreeBuilder PfTreeBuilder;
typedef struct PfTreeWork PfTreeWork;

/* ---------------------------------------------------------------- building */

#define PF_JOINT_LIST(ENTRY)                      \
  ENTRY(PF_JOINT_WELD, "weld", 0, 0)              \
  ENTRY(PF_JOINT_REVOLUTE, "revolute", 1, 1)      \
  ENTRY(PF_JOINT_PRISMATIC, "prismatic", 1, 1)    \
  ENTRY(PF_JOINT_SCREW, "screw", 1, 1)            \
  ENTRY(PF_JOINT_CYLINDRICAL, "cylindrical", 2, 2) \
  ENTRY(PF_JOINT_UNIVERSAL, "universal", 2, 2)    \
  ENTRY(PF_JOINT_SPHERICAL, "spherical", 4, 3)    \
  ENTRY(PF_JOINT_PLANAR, "planar", 3, 3)          \
  ENTRY(PF_JOINT_FREE, "free", 7, 6)

typedef enum PfJoint {
#define PF_JOINT_ENTRY(code, name, nq, nv) code,
  PF_JOINT_LIST(PF_JOINT_ENTRY)
#undef PF_JOINT_ENTRY
} PfJoint;

/* The name of a kind of joint: "revolute". */
PF_API const char *pf_joint_name(PfJoint joint);
/* Its number of coordinates. */
PF_API int pf_joint_nq(PfJoint joint);
/* Its number of rates. */
PF_API int pf_joint_nv(PfJoint joint);

typedef struct PfTreeBody {
  const char *name;   /* for messages and look-ups; copied; NULL means "body <number>" */
  const char *joint_name; /* of the joint it hangs on, for look-ups; copied; NULL: none */
  int parent;         /* number of a body added before, or -1 for the inertial frame */
  PfJoint joint;
  double axis[3];     /* in the joint frame; normalised */
  double axis2[3];    /* universal only */
  double pitch;       /* screw only: length per radian */
  double stiffness[6], spring_ref[6], damping[6]; /* T = -stiffness (q - spring_ref) - damping v, by rates */
  double quat[4];     /* joint frame to parent axes, normalised */
  double pos[3];      /* joint frame in the parent */
  double mass;
  double com[3];      /* from O_k, in body axes */
  double inertia[9];  /* about the mass centre, in body axes */
} PfTreeBody;

/* A body at the origin of its parent, with axis z, second axis x and no mass. */
PF_API PfTreeBody pf_tree_body(int parent, PfJoint joint);

/* An empty builder without gravity. */
PF_API PfStatus pf_tree_builder_new(PfContext *ctx, PfTreeBuilder **builder);
/* NULL is allowed. */
PF_API void pf_tree_builder_free(PfTreeBuilder *builder);
/* Gravity in inertial axes; zero unless set. */
PF_API void pf_tree_builder_gravity(PfTreeBuilder *builder, const double gravity[3]);
/* From now on inertias that no body can have are taken, such as diag(0, 0, J) in a plane model; negative ones still are
 * not. */
PF_API void pf_tree_builder_trust(PfTreeBuilder *builder);
/* Adds a body; `index` (may be NULL) gets its number. PF_ERR_MODEL, with a message that names the body, when it
 * makes no sense: negative mass, an inertia no body can have, an axis without direction, a parent that does not come
 * before. */
PF_API PfStatus pf_tree_builder_add(PfTreeBuilder *builder, const PfTreeBody *body, int *index);
/* Makes the tree. The builder stays as it is, and may be freed before the tree. */
PF_API PfStatus pf_tree_builder_finish(PfTreeBuilder *builder, PfTree **tree);
/* NULL is allowed. Workspaces must be freed before. */
PF_API void pf_tree_free(PfTree *tree);

/* The number of bodies. */
PF_API int pf_tree_count(const PfTree *tree);
/* Coordinates of all joints together. */
PF_API int pf_tree_nq(const PfTree *tree);
/* Rates of all joints together. */
PF_API int pf_tree_nv(const PfTree *tree);
/* Where the coordinates and rates of a body begin. */
PF_API int pf_tree_q_at(const PfTree *tree, int body);
/* The same for rates. */
PF_API int pf_tree_v_at(const PfTree *tree, int body);
/* The body as it was given, axes and quaternions normalised. The names belong to the tree. */
PF_API PfTreeBody pf_tree_get(const PfTree *tree, int body);
/* "arm" or "body 3": written to `text`. */
PF_API void pf_tree_name(const PfTree *tree, int body, char *text, size_t room);
/* The body of this name, or the body that hangs on the joint of this name; -1 when there is none, the first when there
 * are several. They go through all bodies: look up once, before the loop. */
PF_API int pf_tree_find_body(const PfTree *tree, const char *name);
/* As pf_tree_find_body, by the name of the joint. */
PF_API int pf_tree_find_joint(const PfTree *tree, const char *name);
/* The coordinates of the joints at rest: zeros and unit quaternions. */
PF_API void pf_tree_q_rest(const PfTree *tree, double *q);

/* A workspace: one block of memory. Failures are told to `ctx`. The tree must outlive it. */
PF_API PfStatus pf_tree_work_new(PfContext *ctx, const PfTree *tree, PfTreeWork **work);
/* NULL is allowed. */
PF_API void pf_tree_work_free(PfTreeWork *work);
/* How large that block is. */
PF_API size_t pf_tree_work_bytes(const PfTreeWork *work);

/* ---------------------------------------------------------------- dynamics */

/* vdot (nv) from tau (nv; NULL means zero). Springs, dampers and gravity belong to the tree and are added. v NULL
 * means at rest. PF_ERR_NUMBER names the joint that can move without moving mass, or the body whose numbers are not
 * finite. */
PF_API PfStatus pf_tree_forward(PfTreeWork *work, const double *q, const double *v, const double *tau, double *vdot);

/* tau (nv) from vdot (nv; NULL means zero, which gives the joint-space bias less springs and dampers). */
PF_API PfStatus pf_tree_inverse(PfTreeWork *work, const double *q, const double *v, const double *vdot, double *tau);

/* Any mixture: where `prescribed` is not 0, vdot is given and tau is sought, elsewhere the other way round. */
typedef struct PfTreeInput {
  const double *q;
  const double *v;                 /* NULL: at rest */
  const double *tau;               /* NULL: zero */
  const double *vdot;              /* NULL: zero; read where prescribed only */
  const unsigned char *prescribed; /* nv; NULL: none */
  const double *wrench;            /* 6 per body, external, inertial axes, at O_k; NULL: none */
} PfTreeInput;

/* Completes vdot and tau (nv each; either may be NULL, and may be the array of the input). */
PF_API PfStatus pf_tree_hybrid(PfTreeWork *work, const PfTreeInput *input, double *vdot, double *tau);

/* All that a solution has; any may be NULL. */
typedef struct PfTreeOutput {
  double *vdot, *tau;   /* nv each, complete; may be the arrays of the input */
  double *acceleration; /* 6 per body: Vdot_k */
  double *joint_wrench; /* 6 per body: f_k of the parent on the body at O_k, actuator part included */
} PfTreeOutput;

/* As pf_tree_hybrid, with accelerations and joint wrenches of the bodies. Includes pf_tree_kinematics(work, q, v) if
 * one of these is asked for. */
PF_API PfStatus pf_tree_complete(PfTreeWork *work, const PfTreeInput *input, const PfTreeOutput *output);

/* The impulsive recursion: jumps of the rates from impulses. Like pf_tree_complete with v = 0 and without gravity,
 * springs and dampers: `tau` are joint impulses, `wrench` external impulses, `vdot` jumps of the rates,
 * `acceleration` jumps of the body velocities, `joint_wrench` interface impulses. input->v is not read. */
PF_API PfStatus pf_tree_impulse(PfTreeWork *work, const PfTreeInput *input, const PfTreeOutput *output);

/* Springs and dampers: T (nv). */
PF_API void pf_tree_passive(const PfTree *tree, const double *q, const double *v, double *T);

/* The rates of the coordinates: qdot (nq) = B(q) v, with quaternions as they are, not normalised. */
PF_API void pf_tree_qdot(const PfTree *tree, const double *q, const double *v, double *qdot);
/* Makes the quaternions of q unit ones. */
PF_API void pf_tree_normalise(const PfTree *tree, double *q);

/* The joint-space inertia matrix by composite bodies: the lower triangle of M (nv x nv, by rows) is set, what is above
 * the diagonal is not touched. */
PF_API PfStatus pf_tree_inertia(PfTreeWork *work, const double *q, double *M);

/* x = M^-1 (t + J^T wrench) for joint forces t (NULL: none; not x) and wrenches on the bodies (6 per body; NULL:
 * none), with the factors of the last forward, hybrid, complete or impulse call on this workspace; dofs prescribed
 * then stay still. Wrenches need pf_tree_kinematics at the same q. No new factorisation: O(n). PF_ERR_ARGUMENT when
 * there was no such call. */
PF_API PfStatus pf_tree_respond(PfTreeWork *work, const double *t, const double *wrench, double *x);

/* ---------------------------------------------------------------- bodies */

/* Poses and velocities of all bodies at (q, v); v NULL means at rest. They stay in the workspace until the next call
 * of this function, of pf_tree_motion, or of one with external wrenches. Of each body: 9 (by rows, body to
 * inertial), 3 and 6 numbers. */
PF_API PfStatus pf_tree_kinematics(PfTreeWork *work, const double *q, const double *v);
/* Rotation matrix from body to inertial axes, by rows. */
PF_API const double *pf_tree_rotation(const PfTreeWork *work, int body);
/* The origin O_k in inertial axes. */
PF_API const double *pf_tree_position(const PfTreeWork *work, int body);
/* Angular velocity, then velocity of O_k, in inertial axes. */
PF_API const double *pf_tree_velocity(const PfTreeWork *work, int body);

/* Accelerations Vdot_k and wrenches f_k of the parent on body k at O_k, 6 numbers per body (either may be NULL), for
 * known vdot and external wrenches (NULL: none). Includes pf_tree_kinematics(work, q, v). */
PF_API PfStatus pf_tree_motion(PfTreeWork *work, const double *q, const double *v, const double *vdot,
                               const double *wrench, double *acceleration, double *joint_wrench);

/* Adds to wrench (6 numbers, of one body) what a force and a moment in inertial axes do, the force acting at a point
 * given in body axes. Needs pf_tree_kinematics. */
PF_API void pf_tree_add_force(const PfTreeWork *work, int body, const double point[3], const double force[3],
                              const double moment[3], double wrench[6]);

typedef struct PfTreeTotals {
  double mass, com[3], com_velocity[3];
  double linear[3], angular[3]; /* momentum, the angular one about the inertial origin */
  double kinetic, gravity_potential, spring_potential;
} PfTreeTotals;

/* Sums over all bodies at the state of the last pf_tree_kinematics. */
PF_API void pf_tree_totals(const PfTreeWork *work, const double *q, PfTreeTotals *totals);

/* Kinetic energy and that of gravity, for a fraction of what pf_tree_kinematics and pf_tree_totals cost. Even less when
 * the workspace was last used for forward dynamics in this very state: q is NULL then. */
PF_API void pf_tree_energies(PfTreeWork *work, const double *q, const double *v, double *kinetic, double *potential);

/* The columns of a point (body axes): velocity of the body and the point = [angular; linear] = columns (6 x nv, by
 * rows) times v. Needs pf_tree_kinematics at q. */
PF_API void pf_tree_jacobian(const PfTreeWork *work, int body, const double point[3], const double *q, double *columns);

/* The same for the velocity of the mass centre of all bodies: columns (3 x nv, by rows). Zeros without mass. O(n) times
 * the depth of the tree. Needs pf_tree_kinematics at q. */
PF_API void pf_tree_com_jacobian(const PfTreeWork *work, const double *q, double *columns);

/* Where a point of a body (body axes) is, and its velocity, in inertial axes; either may be NULL. Needs
 * pf_tree_kinematics. */
PF_API void pf_tree_point(const PfTreeWork *work, int body, const double point[3], double position[3],
                          double velocity[3]);

/* ---------------------------------------------------------------- constraints on top */

typedef enum PfTreeConstraintKind {
  PF_TREE_POINT, /* 3 rows: point_a of body_a stays at point_b of body_b */
  PF_TREE_WELD,  /* 6 rows: 3 for the rotation, then 3 as PF_TREE_POINT */
  PF_TREE_KNIFE, /* 1 row: point_a of body_a has no velocity along normal_a, which is fixed in body_a */
  PF_TREE_RATES  /* 1 row: sum of coefficients times accelerations of joints = rhs, any Pfaffian row */
} PfTreeConstraintKind;

/* Bodies may be -1, the inertial frame. Rows are in inertial axes; multipliers act on body_a, and the other way on
 * body_b. */
typedef struct PfTreeConstraint {
  PfTreeConstraintKind kind;
  int body_a, body_b;
  double point_a[3], point_b[3], normal_a[3]; /* in body axes */
  const int *dofs;            /* PF_TREE_RATES: numbers of the rates, */
  const double *coefficients; /* what they are multiplied with, */
  int terms;                  /* how many, */
  double rhs;                 /* and what A vdot must be */
  /* stabilisation: A vdot = … - 2 alpha (A v) - alpha^2 (gap of PF_TREE_POINT and PF_TREE_WELD) */
  double alpha;
} PfTreeConstraint;

/* Room for constraints of up to `most` rows on one tree. */
typedef struct PfTreeRows PfTreeRows;
/* One block of memory for constraints of up to `most` rows; solving them allocates nothing. */
PF_API PfStatus pf_tree_rows_new(PfContext *ctx, const PfTree *tree, int most, PfTreeRows **rows);
/* NULL is allowed. */
PF_API void pf_tree_rows_free(PfTreeRows *rows);

/* As pf_tree_complete, with constraints. Redundant rows are allowed; PF_ERR_NUMBER when rows contradict each other,
 * with the number of the constraint. input->v must be given. The results about rows stay in `rows`. */
PF_API PfStatus pf_tree_constrained(PfTreeWork *work, PfTreeRows *rows, const PfTreeInput *input,
                                    const PfTreeConstraint *constraints, int count, const PfTreeOutput *output);

/* The jump of v (nv, changed) when the constraints take hold at once: v += -M^-1 A^T S^+ A v. Dofs in `prescribed`
 * (may be NULL) keep their rates. The multipliers are the impulses. */
PF_API PfStatus pf_tree_close(PfTreeWork *work, PfTreeRows *rows, const double *q, double *v,
                              const unsigned char *prescribed, const PfTreeConstraint *constraints, int count);

/* The number of rows of the last solution. */
PF_API int pf_tree_rows_count(const PfTreeRows *rows);
/* How many of them were independent. */
PF_API int pf_tree_rows_rank(const PfTreeRows *rows);
PF_API const double *pf_tree_rows_multipliers(const PfTreeRows *rows); /* of redundant rows one choice of many */
PF_API const double *pf_tree_rows_velocity(const PfTreeRows *rows);    /* A v at the state given */
PF_API const double *pf_tree_rows_compliance(const PfTreeRows *rows);  /* A M^-1 A^T, by rows, complete */

/* ---------------------------------------------------------------- changing topology */

/* A new tree and its state. Poses are kept; velocities jump as the new constraints and impulses demand, momentum
 * being kept where nothing outside acts. The tree is freed by pf_tree_free, the arrays live in the arena that was
 * given. */
typedef struct PfTreeChange {
  PfTree *tree;
  double *q, *v;
  int *from;                 /* per body of the new tree: its number in the old one */
  double *jump;              /* 6 per body of the new tree: of V_k, at its O_k */
  double *interface_impulse; /* 6 per body: of the parent on the body at O_k */
  double *joint_impulse;     /* nv of the new tree; of pf_tree_dock: of the tree before the joint is closed */
  double relative[6];        /* pf_tree_dock: velocity of the port before, [angular; linear] in its axes */
  double kinetic_before, kinetic_after;
} PfTreeChange;

/* Marks dofs (nv marks) as locked: from now on prescribed with no acceleration, in every call. Their rates stop at
 * once. */
PF_API PfStatus pf_tree_lock(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                             const unsigned char *dofs, PfTreeChange *change);
/* Frees locked dofs again; nothing jumps. */
PF_API PfStatus pf_tree_unlock(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                               const unsigned char *dofs, PfTreeChange *change);
/* Whether a dof is locked. */
PF_API int pf_tree_is_locked(const PfTree *tree, int dof);

/* Sets a body with all it carries free. `impulse` ([moment; force] at O_k in inertial axes, on the part set free;
 * NULL: none) acts the other way on the old parent. */
PF_API PfStatus pf_tree_detach(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                               int body, const double impulse[6], PfTreeChange *change);

/* Makes a body the root of its tree, which must hang on the inertial frame by a free joint. No motion changes.
 * Joints on the way are reversed, and the frames of their bodies move to the joints they now end at. */
PF_API PfStatus pf_tree_reroot(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                               int body, PfTreeChange *change);

/* Joins two trees: the port, a frame in body_b (quaternion and position in its axes), is attached to body_a where it
 * stands, by the joint given (axis, axis2 and pitch of `joint` are read, in port axes), which starts at rest
 * position. The tree of body_b must be free; it is re-rooted at body_b, whose frame moves to the port. */
PF_API PfStatus pf_tree_dock(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                             int body_a,
                             int body_b, const double port_quat[4], const double port_pos[3], const PfTreeBody *joint,
                             PfTreeChange *change);

/* ---------------------------------------------------------------- the paper's operators */

/* Of one body, at O_k, matrices by rows. Free dofs come in the order of the rates; K, Psi and the columns and numbers
 * that belong to free dofs are empty where all dofs are prescribed: there taubar = 1 and Pplus = P, (90) and (91).
 * docs/spatial.md says which equation each is. */
typedef struct PfTreeOperators {
  int nq, nv, free_count; /* rows of B; columns of H and B; columns of G, K and D */
  int free[6];            /* the numbers of the free dofs among the rates of the joint */
  double C[9];            /* 3 x 3: inertial to body axes */
  double Phi[36];         /* 6 x 6: parent to body */
  double H[36];           /* 6 x nv */
  double B[42];           /* nq x nv: rates of the coordinates from the rates of the joint */
  double M[36], b[6], a[6];
  double P[36], z[6];     /* of the articulated body, before its own joint is eliminated */
  double D[36];           /* free_count x free_count */
  double G[36];           /* 6 x free_count */
  double taubar[36];      /* 1 - G H^T */
  double Pplus[36];       /* taubar P, after the joint is eliminated */
  double K[36], Psi[36];  /* body to parent: Phi^T G (6 x free_count), Phi^T taubar */
  double eps[6], nu[6];   /* free_count */
  double beta[6], betadot[6], T[6]; /* nv: rates, accelerations, all forces of the joint, passive ones included */
  double V[6], Vdot[6], f[6];
} PfTreeOperators;

/* Solves the problem by the recursion as it is written in the paper, errata applied, and gives everything met on the
 * way, in inertial axes: `all` has room for every body. Slower than pf_tree_hybrid, to which it agrees. */
PF_API PfStatus pf_tree_operators(PfTreeWork *work, const PfTreeInput *input, PfTreeOperators *all);

/* Projects the operators of all bodies from inertial axes to those of the bodies by the rules of the paper: with
 * R = diag(C, C) a vector x becomes R x, an array of vectors H becomes R H, a tensor X becomes R X R^T; operators from
 * one body to another are projected on the axes of either, Phi to R Phi R_parent^T, K to R_parent K, Psi to
 * R_parent Psi R^T. D, B, eps, nu, beta, betadot and T have no axes. */
PF_API void pf_tree_operators_to_body_axes(const PfTree *tree, PfTreeOperators *all);

#ifdef __cplusplus
}
#endif
#endif
