/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Accelerations and multipliers of a constrained system by dense matrices:
 *   M a = F + A^T lambda,  A a = b,
 * with M (n x n) symmetric and semidefinite and A (rows x n) of any rank. */
#ifndef PF_RUNTIME_KKT_H
#define PF_RUNTIME_KKT_H

#include "pf_dense.h"

/* ---------------------------------------------------------------- by S = A M^-1 A^T */

/* With the factors of M, P M P^T = L D L^T, and Y = L^-1 P A^T: S = Y^T D^-1 Y. */
typedef struct PfSchur {
  const PfLdl *mass; /* of full rank */
  PfLdl factors;     /* of S */
  pf_real *Y, *S;    /* n x rows, rows x rows */
  pf_real *y, *r;    /* n, rows */
} PfSchur;

/* For A (rows x n); false where a pivot of S is not larger than tol of its diagonal: S is nearly singular. */
PF_RUNTIME bool pf_schur_factor(PfSchur *schur, const pf_real *A, int rows, pf_real tol);
/* S lambda = b - A M^-1 F, a = M^-1 (F + A^T lambda). */
PF_RUNTIME void pf_schur_solve(PfSchur *schur, const pf_real *F, const pf_real *b, pf_real *a, pf_real *lambda);

/* ---------------------------------------------------------------- redundant rows */

/* Of all lambda with the same A^T lambda the shortest. `qr` are the factors of A^T with each row of A divided by its
 * unit, `rest` has room for m x (m - rank), Z and z for m x m and m numbers. */
PF_RUNTIME void pf_shorten_multipliers(PfQr *qr, PfQr *rest, const pf_real *unit, pf_real *Z, pf_real *z,
                                       pf_real *lambda);

/* ---------------------------------------------------------------- both, and along the null space of A */

/* Which rows of A are independent: the first `count` of `row`; -1: not chosen. The others follow from them where all
 * constraints hold; off the constraints, as inside a step, they do not quite, and are left out. */
typedef struct PfRowChoice {
  int count;
  int *row; /* all row numbers */
} PfRowChoice;

typedef struct PfKkt {
  int n, m;             /* room is for m rows */
  const pf_real *typical; /* m: sizes of the rows along the motion, where some are redundant; else NULL */
  bool straight;        /* never by S: the null space is wanted */
  const pf_real *M, *A;
  int rows, rank;
  bool by_null_space;
  PfLdl mass;           /* of M, or of N^T M N */
  PfSchur schur;
  PfQr all, kept, rest; /* of A^T; of its independent columns; of its null space */
  pf_real *unit, *unit_A, *unit_b; /* of the rows: powers of two */
  pf_real *N, *MN, *X, *x, *y, *Z, *z;
} PfKkt;

/* Numbers and whole numbers that a PfKkt needs. */
#define PF_KKT_REALS(n, m) (4*(n)*(n) + 5*(n)*(m) + 4*(m)*(m) + 11*(n) + 16*(m))
#define PF_KKT_INTS(n, m) ((n) + 4*(m))
/* Gives it this room. Its settings, typical and straight, are the caller's. */
PF_RUNTIME void pf_kkt_place(PfKkt *kkt, int n, int m, pf_real *reals, int *ints);

typedef enum PfKktEnd {
  PF_KKT_DONE,
  PF_KKT_SINGULAR /* constraints and inertia do not determine the accelerations */
} PfKktEnd;

/* Factors for the rows of A, of which `choice` says which are independent; NULL, or a count of -1: found here. M and A
 * must stay until the last pf_kkt_solve. Costs about n^3/3 + n^2 rows operations. */
PF_RUNTIME PfKktEnd pf_kkt_factor(PfKkt *kkt, const pf_real *M, const pf_real *A, int rows, const PfRowChoice *choice);
/* a (n) and lambda (rows), of redundant rows the shortest lambda. */
PF_RUNTIME void pf_kkt_solve(PfKkt *kkt, const pf_real *F, const pf_real *b, pf_real *a, pf_real *lambda);
/* Which rows are independent: those of before as long as they serve nearly as well as the best ones. */
PF_RUNTIME void pf_kkt_choose(PfKkt *kkt, const pf_real *A, int rows, PfRowChoice *choice);
/* Do redundant rows agree with the accelerations of the others? Off the constraints they do not quite. */
PF_RUNTIME bool pf_kkt_agrees(const PfKkt *kkt, const PfRowChoice *choice, const pf_real *b, const pf_real *a);

/* ---------------------------------------------------------------- forces that depend on multipliers */

/* C (n) and dC/dlambda (n x m) at lambda. */
typedef void (*PfFrictionLaw)(void *user, const pf_real *lambda, pf_real *C, pf_real *C_lambda);

/* J = 1 - d(multipliers)/d(forces) dC/dlambda (m x m), by the factors of `kkt`. `work` has 2 n + 2 m numbers. */
PF_RUNTIME void pf_kkt_feedback(PfKkt *kkt, const pf_real *C_lambda, pf_real *J, pf_real *work);
/* Newton's method for lambda = Lambda(F + C(lambda)) from lambda = 0, with Lambda of the factors of `kkt`. False where
 * it does not converge. */
#define PF_FRICTION_REALS(n, m) ((n)*(m) + (m)*(m) + 4*(n) + 4*(m) + 4)
PF_RUNTIME bool pf_kkt_friction(PfKkt *kkt, PfFrictionLaw law, void *user, const pf_real *F, const pf_real *b,
                                  pf_real *a, pf_real *lambda, pf_real *work, int *order);

#endif
