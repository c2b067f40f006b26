/* SPDX-License-Identifier: Apache-2.0 */
/* Inside study: states that Newton's method finds where a force jumps (surfaces.c). */
#ifndef PF_STUDY_SURFACES_H
#define PF_STUDY_SURFACES_H

#include "study/dynamics.h"

typedef struct PfSurfaces {
  PfSwitches switches; /* count 0: nothing is to be looked at */
  PfSystem *system;    /* with the sides as inputs */
  PfSolver *solver;
  double *size; /* of each surface, as it usually is */
  double *values;
  PfMotion motion, other;
} PfSurfaces;

/* Derives the system with the signs of its switching functions as inputs, and a solver for it; `count` is 0 for a model
 * without switches. To be freed by pf_surfaces_free, also after a failure. */
PfStatus pf_surfaces_make(PfDynamics *field, PfArena *arena, PfSurfaces *surfaces);
/* Frees system and solver; arrays are in the arena of pf_surfaces_make. */
void pf_surfaces_free(PfSurfaces *surfaces);

/* Are the accelerations where the field is those of the equations as they stand? On a surface, but for rounding, sign
 * is 0: a point that was found with one of its sides need not be a solution. */
PfStatus pf_surfaces_agree(PfSurfaces *surfaces, const PfDynamics *field, bool *agree);

#endif
