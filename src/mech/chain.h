/* SPDX-License-Identifier: Apache-2.0 */
/* Placements as sequences of elementary steps, fixed and moving. Joints are recognised, and trees built, from them. */
#ifndef PF_MECH_CHAIN_H
#define PF_MECH_CHAIN_H

#include "pfaff/mech.h"

typedef enum PfChainKind {
  PF_CHAIN_SHIFT, /* by the constant v */
  PF_CHAIN_TURN,  /* by the constant value about v */
  PF_CHAIN_SLIDE, /* by value along v, which moves */
  PF_CHAIN_SPIN,  /* by value about v */
  PF_CHAIN_BALL,  /* by a quaternion */
  PF_CHAIN_FREE   /* by the constant v, three coordinates, and a quaternion */
} PfChainKind;

typedef struct PfChainStep {
  PfChainKind kind;
  int frame;
  PfExpr v[3], value;
  int ball;
} PfChainStep;

/* The steps of frame f are first[f] … first[f + 1] - 1; they lead from its parent to it. */
typedef struct PfChain {
  int count;
  PfChainStep *step;
  int *first;
} PfChain;

PfStatus pf_chain_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfChain *chain);
bool pf_chain_moves(PfChainKind kind);

/* Coordinates by the handles of their symbols. */
typedef struct PfCoordinateIndex {
  PfExpr (*pair)[2]; /* handle, number; sorted */
  int count;
} PfCoordinateIndex;
PfStatus pf_coordinate_index_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfCoordinateIndex *index);
/* The same by the symbols of their velocities. */
PfStatus pf_velocity_index_make(PfContext *ctx, PfArena *arena, const PfModel *model, PfCoordinateIndex *index);
/* -1: it is the symbol of none. */
int pf_coordinate_of(const PfCoordinateIndex *index, PfExpr symbol);

/* As pf_expr_depends, but a lack of memory is not taken for an answer: then *failed is set. */
bool pf_chain_depends(PfContext *ctx, PfExpr e, const PfExpr *symbols, int count, bool *failed);

#endif
