/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of the eigenvalues of linear models. */
#ifndef PF_CLI_LINEAR_CHART_H
#define PF_CLI_LINEAR_CHART_H

#include "cli/study.h"

/* In the complex plane: each real eigenvalue and each conjugate pair is told from the others. */
PfStatus pf_linear_plane(const Study *study, const char *title, const PfLinear *linear, PfText *text);

typedef struct LinearSweep {
  const char *title, *along; /* what is swept, with its unit */
  int count;
  const double *at;
  const PfLinear *const *points;
} LinearSweep;

/* Real and imaginary parts over what is swept. */
PfStatus pf_linear_sweep(const Study *study, const LinearSweep *sweep, PfText *text);

#endif
