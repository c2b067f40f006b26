/* SPDX-License-Identifier: Apache-2.0 */
/* Inside form: a proof with a list of formulations of one's own, so that tests can put wrong ones in. */
#ifndef PF_FORM_PROVE_H
#define PF_FORM_PROVE_H

#include "form/exact.h"
#include "pfaff/form.h"

/* pf_prove with the given formulations: evaluates their accelerations at random points of prime fields, as often as the
 * degree of the rational functions requires. */
PfStatus pf_prove_forms(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                        const PfExactForm *forms, int form_count, PfProof *proof);

/* ---------------------------------------------------------------- states (states.c) */

/* The expressions evaluated at a point, in this order: M, F + C, A, b, then G, g, N, drift of the laconic equations. */
typedef struct PfStates {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const double *parameters;
  int count, base_count;   /* of roots; the base ends with b */
  PfExpr *roots;
  bool laconic;            /* there are laconic equations */
  const char *why_not;     /* otherwise */
  PfKinematics kinematics;
} PfStates;

/* Derives the roots; the laconic ones only where they exist. */
PfStatus pf_states_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                        PfStates *states);

/* Which states are considered. */
enum {
  PF_STATES_ALL = 0,
  PF_STATES_ON_POSITIONS = 1, /* the position constraints are solved, for symbols that enter them linearly */
  PF_STATES_GIVEN = 2,        /* parameters have their values */
};

/* The roots in terms of symbols that can be chosen at random: velocities by the pseudo-velocities, derived parameters
 * written out, and the states that `kind` requires. `*count` is the number of the base when the laconic equations do
 * not exist in these states. `*refused` is the name of a constraint that cannot be solved, else NULL. */
PfStatus pf_states_write(const PfStates *states, int kind, PfExpr *roots, int *count, const char **refused);

/* Where a root belongs, in words: "the equation of 'x'". */
const char *pf_states_place(const PfStates *states, PfArena *arena, int root);

#endif
