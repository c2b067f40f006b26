/* SPDX-License-Identifier: Apache-2.0 */
/* Which coordinates occur in which constraints and goals of a start, and which of them have to do with each other. */
#ifndef PF_TIME_INCIDENCE_H
#define PF_TIME_INCIDENCE_H

#include "time/goals.h"
#include "time/manifold.h"

/* Rows are the constraints of one level, then the goals. A place is a coordinate in a row. */
typedef struct PfIncidence {
  int n, constraints, rows;
  int *begin;       /* rows + 1: the places of row i are begin[i] to begin[i + 1] */
  int *column;      /* per place: the coordinate, */
  int *entry;       /* where its derivative stands in manifold->out, or -1: in the row of the goal, */
  bool *constant;   /* whether that is the same at all configurations, */
  double *usual;    /* and its size at configurations nearby */
  int parts, *part; /* per coordinate: the connected component it belongs to, or -1: it occurs nowhere */
  /* rows by component: those of component k are part_row[part_begin[k]] to part_row[part_begin[k + 1]]; as component
   * `parts` those that contain no coordinate */
  int *part_begin, *part_row;
} PfIncidence;

/* At the numbers in `values`, which are changed on the way and put back. `goals`: NULL for positions. */
PfStatus pf_incidence_make(PfContext *ctx, PfArena *arena, PfManifold *manifold, PfGoals *goals, PfLevel level,
                           double *values, PfIncidence *in);

#endif
