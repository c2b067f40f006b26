/* SPDX-License-Identifier: Apache-2.0 */
/* Inside study: functions of the state and their rates along the motion, at random admissible states of a prime field:
 * accelerations are solved for in exact arithmetic, so no formula for them is needed. */
#ifndef PF_STUDY_FLOW_H
#define PF_STUDY_FLOW_H

#include "form/prove.h"

typedef struct PfFlow {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const double *parameters;
  PfStates states;
  int expected_rank;  /* of A in admissible states; -1: not known */
  const char *trouble; /* why there are no points, in words; NULL when there are */

  int count;          /* of functions */
  const PfExpr *functions;
  int kind;           /* of states */
  PfProbe *probe;
  int root_count;
  uint64_t *roots_at, *acceleration, *work;
  int *rows;
  uint64_t seed;
  uint64_t *value, *rate; /* of the functions, at the present point */
} PfFlow;

/* Prepares states of the model; the parameters have their values. */
PfStatus pf_flow_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                      PfFlow *flow);

/* By name all parameters but those that are 0 are chosen at random: -p c=0 is to leave something out of the model. */
typedef enum PfFlowParameters { PF_FLOW_BY_VALUE, PF_FLOW_BY_NAME } PfFlowParameters;

/* Functions of coordinates, velocities and time that are followed from now on. Sets `trouble` when no point is
 * found. */
PfStatus pf_flow_follow(PfFlow *flow, const PfExpr *functions, int count, PfFlowParameters parameters);

/* A fresh point: fills value and rate. False when none is found. */
bool pf_flow_next(PfFlow *flow);

/* Are all the rates zero? At several points of several fields; PF_UNKNOWN without points. */
PfTruth pf_flow_is_constant(PfFlow *flow, PfExpr function, PfFlowParameters parameters, PfStatus *status);

/* Puts 0 for the parameters that are 0. */
PfStatus pf_put_zeros(PfContext *ctx, const PfModel *model, const double *parameters, PfExpr *e, int count);

/* Functions in terms of symbols that can be chosen freely, where the constraints on positions hold and parameters have
 * their values; where that is not to be solved for, as they are in the states followed last. */
PfStatus pf_flow_write(const PfFlow *flow, PfExpr *functions, int count);

#endif
