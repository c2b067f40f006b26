/* SPDX-License-Identifier: Apache-2.0 */
/* One set of equations for all phases of a model whose events lock, detach and attach. */
#ifndef PF_EXPORT_STRUCTURE_H
#define PF_EXPORT_STRUCTURE_H

#include "pfaff/mech.h"

/* What is held and what is active are numbers, 0 or 1, among the inputs, and so is what attachments capture: the
 * further inputs of the model are first the flags, then the captured numbers. */
typedef struct PfStructure {
  const PfEquations *plain; /* the complete ones, in which all is free and active */
  PfModel model;
  PfEquations equations;
  int flag_count, held_count; /* the first flags hold coordinates */
  PfExpr *flag;
  double *start;            /* of the flags */
  int *coordinate;          /* per coordinate: its flag; -1: it is always free */
  int *row;                 /* per constraint: its flag; -1: it is always active */
  int captured_count;
  PfExpr *slot, *captured;  /* the symbols, and their values at the event */
  int *captured_by;         /* the event */
  int *effect;              /* event_count x flag_count: 0 or 1, -1: the flag stays */
} PfStructure;

/* Of complete equations. All of it lives in `arena`; the result must not be moved. */
PfStatus pf_structure_make(PfContext *ctx, PfArena *arena, const PfEquations *complete, PfStructure *structure);

/* The impulse of an event on each coordinate (n); 0 without. */
PfStatus pf_structure_impulse(PfContext *ctx, const PfStructure *structure, int event, PfExpr *impulse);

#endif
