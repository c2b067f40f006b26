/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of motion and the constraints as residuals of implicit methods, with the exact Jacobian. */
#ifndef PF_TIME_RESIDUAL_H
#define PF_TIME_RESIDUAL_H

#include "time/time_impl.h"

typedef enum PfIndex {
  PF_INDEX_1, /* q' = v,           M a = F + C + A^T lambda,  A a = b */
  PF_INDEX_2  /* q' = v + G^T mu,  M a = F + C + A^T lambda,  psi(q, v, t) = 0,  phi(q, t) = 0,  G = d phi/dq */
} PfIndex;

/* Rows: rates (n), motion (n), constraints (m), positions (p). Columns of the Jacobian: q, v, a (n each), lambda (m),
 * mu (p). */
typedef struct PfResiduals {
  PfIndex index;
  int n, m, p, count;
  const PfTape *residual, *jacobian; /* of the store; jacobian: NULL: its expressions are too long to be useful */
  double *inputs;               /* of both tapes: numbers of the run, then a, then mu */
  double *r, *residual_work;    /* r: rates v + G^T mu, M a - F - C - A^T lambda, A a - b or psi, phi */
  double *value, *jacobian_work; /* value: of each entry of the Jacobian of r */
  PfJacobian entries;
  int *position_row;            /* p: the constraint of each */
} PfResiduals;

PfStatus pf_residuals_make(PfMotionRun *run, PfIndex index, PfResiduals *residuals);

/* Where they are to be taken. mu may be NULL for index 1. */
void pf_residuals_set(PfResiduals *residuals, const PfSymbols *in, double t, const double *y, const double *a,
                      const double *lambda, const double *mu);
/* Fills r; the first row that is not finite, or -1. */
int pf_residuals_find(PfResiduals *residuals);
/* Fills value. An entry that is not finite (a root at zero, say) counts as zero: it only steers an iteration. */
void pf_residuals_jacobian(PfResiduals *residuals);

#endif
