/* Accelerations in closed form for one run: parameters are numbers, the elimination by S = A M^-1 A^T is written out, and
 * what has no part in it costs nothing. For small systems several times faster than the same done on matrices. */
#ifndef PF_TIME_CLOSED_H
#define PF_TIME_CLOSED_H

#include "time/time_impl.h"

typedef struct PfClosed {
  int n, m;
  PfTape *flow;        /* a, lambda, power, then pairs: a pivot and what it started as */
  PfTape *velocity;    /* residuals psi, corrections of v, pairs; NULL: some constraint needs iteration */
  int pairs, mass_pairs; /* how many of them; the first ones belong to M, the others to S */
  int *row;            /* of each pair of S: the constraint */
  double *flow_out, *velocity_out, *work;
  const double *square;          /* m: what a row is measured by (watch.c), or NULL */
  double margin, fixed_margin;   /* smallest pivot of S over what it started as, or over that: latest, and of the constant ones */
  int margin_row, fixed_row;     /* the constraint it belongs to */
} PfClosed;

/* *closed is NULL when the system is too large, or singular at the state in run->flow.values. */
PfStatus pf_closed_make(PfMotionRun *run, PfClosed **closed);
void pf_closed_release(PfClosed *closed);

/* At the numbers in `values`; false when a pivot is too small for this way. `power` is that of pf_monitor_power. */
bool pf_closed_flow(PfClosed *closed, const PfSymbols *in, const double *values, double *a, double *lambda, double *power);

/* Raises the squares (m) to those of the rows in the latest evaluation. */
void pf_closed_lengths(const PfClosed *closed, double *square);

typedef enum PfClosedEnd { PF_CLOSED_FAILED, PF_CLOSED_FINE, PF_CLOSED_MOVED } PfClosedEnd;

/* Moves the velocities in `values` onto the constraints, unless they miss by no more than `enough`. */
PfClosedEnd pf_closed_project(PfClosed *closed, const PfSymbols *in, double *values, double enough);

#endif
