/* SPDX-License-Identifier: Apache-2.0 */
/* On which side of each surface of switching the motion is, and which surfaces it stays on. */
#ifndef PF_TIME_SIDES_H
#define PF_TIME_SIDES_H

#include "num/num.h"
#include "pfaff/form.h"

typedef struct PfSides {
  PfContext *ctx;
  const PfSystem *system;   /* of the phase, nothing sticking */
  const PfSymbols *in;
  PfSolver *solver;
  int n, count;
  PfSwitch *at;             /* surfaces of the phase */
  int *degree;              /* 0: depends on time alone or on nothing that moves, 1: on velocities, 2: on coordinates */
  int first;                /* where the sides are among the values */
  double atol;
  double *side;             /* now: -1, 1, or what lies between where it sticks */
  bool *stuck;
  int row_count, *row;      /* of those that stick: the ones whose rows hold the motion; */
  double *share;            /* count x count: sides of all that stick by the multipliers of the rows */
  PfTape *look;             /* of each surface: g, g', g'', sizes (sides.c) */
  double *values;           /* symbols of the system, then accelerations */
  double *out, *work;
  PfMotion motion;
  /* a decision: the surfaces that are met, what their rates are and how these depend on the sides */
  bool *met, *settled;      /* settled: passed, and decided */
  bool *released;           /* no longer stuck, whatever their rates */
  int *list, *state, *order;
  double *rate, *slope, *matrix, *right, *old, *own, *trial;
} PfSides;

/* `values` are those of the system; the sides start from the state in them. */
PfStatus pf_sides_make(PfContext *ctx, PfArena *arena, const PfSystem *system, const PfSwitch *at, int count,
                       double atol, PfSides *sides);
void pf_sides_release(PfSides *sides);

/* Time, state, parameters and inputs from the numbers of the system or of one with further multipliers. */
void pf_sides_set(PfSides *sides, const double *values);

/* Decides at the state of pf_sides_set. `met`: surfaces that were just met, whatever rounding says; `released`: those
 * that stick no longer, on the side that they have (NULL: none). Fails with PF_ERR_NUMBER when no motion goes on from
 * here. */
PfStatus pf_sides_decide(PfSides *sides, const bool *met, const bool *released);

/* Does surface k depend on sides of others? */
bool pf_sides_nested(const PfSides *sides, int k);

/* Chooses rows among the surfaces that stick. More may stick than can move independently: bodies that a constraint
 * ties, velocities of which others are held. Then the sides of the others follow from those with rows, so that they
 * share the load as evenly as they can. */
PfStatus pf_sides_choose_rows(PfSides *sides);
/* Sides of what sticks from the multipliers of its rows. */
void pf_sides_from_rows(const PfSides *sides, const double *multiplier, double *side);

/* How strong the force of row r is beside dg/dq': the factor of the row. The units of forces and constraints are those
 * of the model; where they would make the row vanish beside the constraints, or these beside it, the multiplier is the
 * side in a unit of its own, and the shares are changed accordingly. */
PfStatus pf_sides_factor(PfSides *sides, PfArena *arena, int r, PfExpr *factor);

#endif
