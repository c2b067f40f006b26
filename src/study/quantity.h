/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities at the place of a field, and states where they have given values. */
#ifndef PF_STUDY_QUANTITY_H
#define PF_STUDY_QUANTITY_H

#include "study/dynamics.h"

typedef struct PfLevels {
  PfContext *ctx;
  PfDynamics *f;
  const PfPlane *plane;
  int count;             /* of quantities */
  PfQuantity *list;
  double *target;
  double *weight;        /* of the components of x: 0 for those that stay */
  double *x, *origin;    /* where the search begins */
  double *s, *outputs;
} PfLevels;

/* The quantities that are shown and kept, at the place of the field. `cyclic` (or NULL) marks components of x that
 * stay; `plane` must outlive the levels. */
PfStatus pf_levels_make(PfContext *ctx, PfArena *arena, PfDynamics *field, const bool *cyclic, const PfPlane *plane,
                        PfLevels *levels);

/* Goes to a state near the origin at the k-th place of the plane, where the kept quantities have their values; `found`:
 * whether there is one. */
PfStatus pf_levels_go(PfLevels *levels, int k, bool *found);

/* The same at a given place. */
PfStatus pf_levels_go_to(PfLevels *levels, const double value[2], bool *found);

/* The value where the field is. `outputs`: room for all outputs. */
PfStatus pf_quantity_value(PfDynamics *field, PfQuantity quantity, double *outputs, double *value);

/* A coordinate of the k-th of Halton's points, which fill the unit cube evenly. */
double pf_halton(int k, int dimension);

#endif
