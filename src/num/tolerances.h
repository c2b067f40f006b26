/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances that more than one place decides by, each with its meaning. A number that one place alone uses stands
 * there, with its reason. All are relative unless they say otherwise. */
#ifndef PF_SRC_TOLERANCES_H
#define PF_SRC_TOLERANCES_H

/* ---------------------------------------------------------------- rank */

/* Rows of length one of which no more than this is left are redundant, for check, eval and run alike: it must be above
 * the drift of constraints that are redundant only where they hold, and below what still is a constraint of its own. */
#define PF_RANK_TOLERANCE 1e-7
/* Residual of a redundant row, relative to its terms. */
#define PF_AGREEMENT 1e-6
/* A row this small relative to its own usual size is rounding, and counts as zero; other rows have other units. */
#define PF_EMPTY_ROW 1e-10
/* A pivot of the mass matrix this small relative to its diagonal element is rounding, and counts as zero. */
#define PF_MASS_TOLERANCE 1e-12
/* A pivot of A M^-1 A^T below this share of its diagonal: rows that are closer to each other than its root are not
 * left to that matrix, in which the loss of digits is squared. */
#define PF_SCHUR_MARGIN 1e-4
/* When the largest is looked for: another one is larger by more than this. Of equal ones the first is taken, whatever
 * their last digits are, so that pivots do not depend on rounding. */
#define PF_LARGER (1 + 1e-9)

/* ---------------------------------------------------------------- constraints (absolute, in units of the model) */

/* Digits that people type: a start that misses a constraint by no more satisfies it. */
#define PF_TYPED_DIGITS 1e-9
/* A state is projected until it misses no constraint by more. */
#define PF_ON_CONSTRAINTS 1e-14
/* A configuration or a state that is only looked at is found to this. */
#define PF_LOOKED_AT 1e-11

/* ---------------------------------------------------------------- time */

/* Relative tolerance of a step unless another one is asked for; the absolute one is a hundredth of it. */
#define PF_USUAL_RTOL 1e-8
/* Steps below this at the time t are rounding of t. */
#define PF_SHORTEST_STEP(t) (16*DBL_EPSILON*fmax(fabs(t), 1e-3))

#endif
