/* SPDX-License-Identifier: Apache-2.0 */
/* From the placements of a model to the joints of a tree, in numbers: for the formulation 'recursive' and for trees of
 * their own. */
#ifndef PF_FORM_PLACING_H
#define PF_FORM_PLACING_H

#include "mech/chain.h"
#include "pfaff/tree.h"

/* What a frame is fixed to: a body of the tree (-1: the ground), and its pose there. */
typedef struct PfPose {
  int body;
  double R[9], p[3];
} PfPose;

typedef struct PfPlacing {
  PfContext *ctx;
  const PfModel *model;
  const PfChain *chain;
  const bool *used;     /* per frame: only these are placed */
  const PfSymbols *in;
  const double *values; /* of parameters, and of what is held */
  PfTreeBody *list;     /* bodies of the tree, without mass; room for one per step of the chain */
  int count;
  PfPose *pose;         /* per frame */
  int *body_of_step;    /* per moving step of the chain: the body that its joint moves */
} PfPlacing;

/* Fills list, pose and body_of_step. */
PfStatus pf_placing_walk(PfPlacing *placing);
PfStatus pf_placing_numbers(const PfPlacing *placing, const PfExpr *e, int count, double *x);
/* Mass, mass centre and inertia about it, in the axes of the frame of the body. */
PfStatus pf_placing_mass(const PfPlacing *placing, const PfBody *body, double *mass, double com[3], double I[9]);

#endif
