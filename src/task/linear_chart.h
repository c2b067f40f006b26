/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of the eigenvalues of linear models. */
#ifndef PF_TASK_LINEAR_CHART_H
#define PF_TASK_LINEAR_CHART_H

#include "task/study.h"

/* In the complex plane: each real eigenvalue and each conjugate pair has its own colour and label, up to MOST_TOLD of
 * them; beyond that, real ones and pairs are distinguished. */
PfStatus pf_linear_plane(const Study *study, const char *title, const PfLinear *linear, PfText *text);

typedef struct LinearSweep {
  const char *title, *along; /* the swept quantity, with its unit */
  int count;
  const double *at;
  const PfLinear *const *points;
} LinearSweep;

/* Real and imaginary parts over the swept quantity. */
PfStatus pf_linear_sweep(const Study *study, const LinearSweep *sweep, PfText *text);

#endif
