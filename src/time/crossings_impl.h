/* SPDX-License-Identifier: Apache-2.0 */
/* The indicators of a phase with their tapes: crossings_make.c makes them, crossings.c evaluates them. */
#ifndef PF_TIME_CROSSINGS_IMPL_H
#define PF_TIME_CROSSINGS_IMPL_H

#include "time/crossings.h"

struct PfCrossings {
  PfPhaseExchange *phase;
  PfIndicators set;
  int room;
  PfExpr *g;            /* of each indicator */
  bool by_accelerations;
  PfTape *tape;         /* g of all */
  PfTape *sizes;        /* of each: sum |dg/dy| |y| and sum |dg/dy| */
  double *work, *size_work;
  double *value;        /* g at the surface that a failed step has met */
  double *y, *dy;       /* inside the step */
  PfExpr *symbol;       /* those of the system, then accelerations: inputs of the tape, */
  double *in;           /* with these numbers when a g contains accelerations, else NULL */
  PfExpr *truth_symbol; /* of each comparison */
  PfTape *conditions;   /* from truths */
  double *conditions_work;
};

/* The functions of the indicators (crossings.c). */
extern const PfIndicatorCalls pf_crossing_calls;

#endif
