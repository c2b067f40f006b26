/* SPDX-License-Identifier: Apache-2.0 */
/* Forward dynamics inside: one problem, and the sweep inward (inward.c) that forward.c needs. */
#ifndef PF_SRC_TREE_FORWARD_H
#define PF_SRC_TREE_FORWARD_H

#include "tree/tree_impl.h"

typedef struct TreeProblem {
  const double *q, *v, *tau, *vdot;
  const unsigned char *mask;
  const double *load;
  double gravity[3];
  int passive;
  int keep; /* leave all accelerations in work->A */
  double *vdot_out, *tau_out;
  double *capture; /* 6 per node: f_k = P_k Vdot_k + z_k on a second way inward, with the accelerations known */
} TreeProblem;

/* Articulated inertias from the leaves to the base, after pf_tree_sweep_out. Returns the node of the bad pivot, or
 * -1. */
int pf_tree_sweep_in(PfTreeWork *work, const TreeProblem *problem);

#endif
