/* SPDX-License-Identifier: Apache-2.0 */
/* The rank margin of the constraints (rank.c), and the state of the watch over it along a run (watch.c). */
#ifndef PF_TIME_RANK_H
#define PF_TIME_RANK_H

#include "time/time_impl.h"

typedef struct PfWatch {
  double *rows;   /* m x n: A in the metric; then what Gram-Schmidt has left of each row */
  double *length; /* m: of the rows before that */
  double *typical; /* m: the length in which a row is measured (shared with the projection) */
  double *part;   /* m: rest of each row, in this unit */
  const int *order; /* n + m: of elimination, when the system is sparse; NULL: as written */
  bool *taken;    /* m: rows that were orthogonalised: the independent ones */
  bool *idle;     /* m: rows that vanish wherever the constraints hold */
  int rank;       /* of A at the start; m - rank rows are redundant, and which ones may change along the motion */
  double *y, *ahead, *k, *kept; /* workspace: states in a step and ahead of it, Runge-Kutta stages, copies */
  double now;            /* margin at the end of the last step */
  double lost;           /* below this margin the rank is lost */
  int row;
  bool singular;         /* rows are dependent at the start that are independent nearby */
  double seen;           /* time of the loss of rank that is ahead or was passed */
  bool announced;        /* `seen` is a loss that the run still has to deal with */
  double arrived;        /* time at which the run has stopped before it, or INFINITY */
  double sampled;         /* distance of `seen` when a polynomial over it was last tried; INFINITY: not yet */
  bool gone;             /* a row has vanished for good */
} PfWatch;

/* Makes the workspace, and decides the rank at the start and near it. */
PfStatus pf_rank_make(PfMotionRun *run, PfWatch *w);
/* The margin at (t, y): 1 orthogonal, 0 dependent; w->row gets the constraint it belongs to. */
double pf_rank_margin(PfMotionRun *run, PfWatch *w, double t, const double *y);
/* After pf_rank_margin: of rows that are lost together, as in a chain of equal loops, the first that is written. */
int pf_rank_first_lost(const PfMotionRun *run, const PfWatch *w);
/* After pf_rank_margin: the largest lengths so far. */
void pf_rank_keep_lengths(const PfMotionRun *run, PfWatch *w);

#endif
