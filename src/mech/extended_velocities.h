/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of velocities with names of their own. Along a chain the velocity of a body is that of the body before plus a
 * small increment; written in the velocities of the model it is a sum over all of them, and M and A are full. With such
 * sums as further unknowns w = e(q, q', w before) the kinetic energy of a body and the constraints on it contain a few
 * unknowns each. With z = (q', w), B = de/dz, a_k = dT/dw_k + sum over l of B_lk a_l (the momentum of a sum), and
 * primes for derivatives along the motion:
 *
 *   M z' = load + A^T lambda + (1 - B)^T mu      M = d^2T/dz^2
 *   w' - B z' = turning                          turning = e' at z' = 0
 *   A z' = b                                     A = dg/dz, b = -g' at z' = 0
 *   load_i = applied forces + dT/dq_i - (dT/dz_i)' + sum over l of (de_l/dq_i - B_li') a_l, and without dq_i for sums
 *
 * which is Lagrange's equation of every coordinate with mu = a'. */
#ifndef PF_MECH_EXTENDED_VELOCITIES_H
#define PF_MECH_EXTENDED_VELOCITIES_H

#include "pfaff/mech.h"

typedef struct PfExtendedVelocities {
  int n, m, count;          /* coordinates, constraints, sums; without sums there is nothing else here */
  PfExpr *sum, *momentum;   /* count: symbols for w and a */
  PfJacobian mass;          /* the lower triangle of M, (n + count) x (n + count): functions of q and t */
  PfExpr *drift;            /* n + count: dT/dz at z = 0, likewise */
  PfJacobian links;         /* B, count x (n + count), below the diagonal of the sums; likewise */
  PfExpr *offset;           /* count: e at z = 0, likewise */
  PfJacobian rows;          /* A, m x (n + count) */
  PfExpr *load;             /* n + count */
  PfExpr *turning, *b;      /* count, m */
  PfExpr *nonideal;         /* n: the part of the load that does not belong to the model's F */
} PfExtendedVelocities;

/* Looks for sums that several parts of the kinetic energy and of the constraints share. Everything lives in `arena`. */
PfStatus pf_extended_velocities_make(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                     PfExtendedVelocities *extended);

#endif
