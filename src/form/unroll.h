/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion over the tree of bodies written out for one mechanism: straight-line, with everything known beforehand
 * worked out beforehand. */
#ifndef PF_FORM_UNROLL_H
#define PF_FORM_UNROLL_H

#include "pfaff/form.h"

typedef struct PfUnrollPlan {
  const PfExpr *inputs; /* symbols of the tape */
  int input_count;
  /* Writes expressions of the model in these symbols, numbers in the place of parameters that are given for good. */
  PfStatus (*expand)(const void *user, PfExpr *list, int count);
  const void *user;
} PfUnrollPlan;

/* Behind the accelerations two pairs, of which the first number must be larger than PF_MASS_TOLERANCE times the second:
 * the least reciprocal of a pivot and 0; 1 and the largest ratio of an inertia to the pivot taken from it. */
enum { PF_UNROLL_PAIRS = 2 };

/* A tape that gives n accelerations and the pairs. The multipliers of the lengths of quaternions, the only constraints
 * there may be, are zero. Fails with PF_ERR_MODEL and the reason where it does not apply. */
PfStatus pf_unroll(PfContext *ctx, const PfSystem *system, const PfUnrollPlan *plan, PfTape **tape);

#endif
