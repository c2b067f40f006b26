/* SPDX-License-Identifier: Apache-2.0 */
/* Inside study: the admissible velocities as a distribution, the kernel of the constraint forms, and Lie brackets of
 * fields that span it. */
#ifndef PF_STUDY_DISTRIBUTION_H
#define PF_STUDY_DISTRIBUTION_H

#include "expr/field.h"
#include "pfaff/mech.h"

/* The constraint forms a_i = sum_j A_ij dx_j. The coordinates x are those of the model; when constraints have free
 * terms or contain time, time is one more, with the free terms as coefficients of dt. */
typedef struct PfDistribution {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const double *parameters; /* that override values, or NULL */
  int m, n;
  bool timed;
  PfExpr *x;      /* n */
  PfExpr *forms;  /* m x n, in terms of the parameters */
  PfExpr *valued; /* the same with the values of the parameters that have one */
} PfDistribution;

/* Fails with PF_ERR_MODEL for constraints that are not linear in the velocities. */
PfStatus pf_distribution_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                              PfDistribution *distribution);

/* Puts in the values of all parameters that have one. */
PfStatus pf_put_parameters(PfContext *ctx, const PfModel *model, const double *parameters, PfExpr *e, int count);

/* Where ranks are taken. */
typedef struct PfAnchor {
  const PfExpr *at;      /* n numbers, exactly; NULL: a generic point */
  const double *numbers; /* n; NULL: exactly, else with rounding, and `at` is not looked at */
} PfAnchor;

typedef struct PfFields {
  int count;
  PfExpr *at; /* count x n */
} PfFields;

/* Fields that span the kernel of the valued forms near the anchor. Fails
 * with PF_ERR_NUMBER where the forms are not defined. */
PfStatus pf_distribution_span(const PfDistribution *distribution, const PfAnchor *anchor, PfFields *fields);

/* out = [X, Y] = DY X - DX Y */
PfStatus pf_lie_bracket(const PfDistribution *distribution, const PfExpr *X, const PfExpr *Y, PfExpr *out);

/* The rank of rows of n expressions at the anchor, and which of them are independent, the first that are (room for all;
 * may be NULL). Fails with PF_ERR_NUMBER where they are not
 * defined, or not exact when they should be. */
PfStatus pf_rank_at(const PfDistribution *distribution, const PfAnchor *anchor, const PfExpr *rows, int count,
                    int *rank, int *independent);

/* Values of roots at a point of the field where all are defined; false when none is found. */
bool pf_probe_somewhere(PfProbe *probe, int count, uint64_t *seed, uint64_t *values);

/* The exact value of a double: a fraction with a denominator up to 10^6, or a multiple of pi over at most 360. */
bool pf_exact_number(PfContext *ctx, double value, PfExpr *exact);

#endif
