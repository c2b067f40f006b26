/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations of bodies by the rates of pseudo-velocities: the material of Kane's and of Gibbs and Appell's
 * equations. */
#ifndef PF_MECH_ACCELERATIONS_H
#define PF_MECH_ACCELERATIONS_H

#include "mech/mech_impl.h"

/* A body in axes that turn with it (those of a wheel do not spin with it): all components are in these axes. */
typedef struct PfBodyMotion {
  const PfBody *body;
  PfExpr V[3], W[3]; /* velocity of the centre of mass, angular velocity; by omega */
  PfExpr a[3];       /* acceleration of the centre of mass; by omega' and omega */
  PfExpr rate[3];    /* the rates of the components of W */
  PfExpr turn[3];    /* Omega x I W, with the angular velocity Omega of the axes */
} PfBodyMotion;

/* All by omega', omega, coordinates and time. The coordinates have the inertia of the kinetic energy that is given by
 * a formula, R = M q'' + h = (dT/dq')' - dT/dq; where bodies are not considered, that of the whole kinetic energy. */
typedef struct PfAccelerations {
  int n, count, body_count;
  PfBodyMotion *bodies;
  PfExpr *q2;     /* n: q'' = N omega' + drift */
  PfExpr *R, *h;  /* n */
  bool formula;   /* R is not zero */
  PfExpr *Q;      /* count: applied forces and the potential along each omega */
} PfAccelerations;

/* The result lives in `arena`. Bodies are considered where velocities are linear in omega and the system is of a size
 * for readers. */
PfStatus pf_accelerations_find(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                               const PfKinematics *kinematics, PfAccelerations *accelerations);

/* The moment I W' + Omega x I W that the motion of a body needs. */
void pf_body_moment(PfContext *ctx, const PfBodyMotion *motion, PfExpr moment[3]);

/* G and g of inertia[a] = Q_a, where the forces of inertia (count) are linear in omega'. */
PfStatus pf_reduced_by_inertia(PfContext *ctx, PfArena *arena, const PfKinematics *kinematics, const PfExpr *inertia,
                               const PfExpr *Q, PfReducedForm *form);

/* Steps: three components of a vector of a body, "what_body.x". */
PfStatus pf_step_vector(PfContext *ctx, PfArena *arena, PfDerivation *derivation, const char *what, const PfBody *body,
                        const char *of, const PfExpr v[3]);

/* Steps: accelerations of the centres of mass, and q'' where coordinates have inertia of their own. */
PfStatus pf_steps_of_accelerations(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                   const PfAccelerations *accelerations, PfDerivation *derivation);

#endif
