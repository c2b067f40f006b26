/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities at the place of a field, and states where they have given values. */
#ifndef PF_STUDY_QUANTITY_H
#define PF_STUDY_QUANTITY_H

#include "study/dynamics.h"

typedef struct PfLevels {
  PfContext *ctx;
  PfDynamics *f;
  int count;             /* of quantities */
  PfQuantity *list;
  double *target;
  double *weight;        /* of the components of x: 0 for those that stay */
  double *x, *origin;    /* where the search begins */
  double *s, *outputs;
} PfLevels;

/* `cyclic` (or NULL) marks components of x that stay. */
PfStatus pf_levels_make(PfContext *ctx, PfArena *arena, PfDynamics *field, const bool *cyclic, int most,
                        PfLevels *levels);
void pf_levels_add(PfLevels *levels, PfQuantity quantity, double target);

/* Goes to a state near the origin where all have their targets; `found` tells whether there is one. */
PfStatus pf_levels_go(PfLevels *levels, bool *found);

/* The value where the field is. `outputs`: room for all outputs. */
PfStatus pf_quantity_value(PfDynamics *field, PfQuantity quantity, double *outputs, double *value);

/* A coordinate of the k-th of Halton's points, which fill the unit cube evenly. */
double pf_halton(int k, int dimension);

#endif
