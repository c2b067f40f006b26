/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a portrait on which nothing changes: whole families of steady motions. */
#ifndef PF_STUDY_REST_H
#define PF_STUDY_REST_H

#include "study/quantity.h"

typedef struct PfRest {
  PfContext *ctx;
  PfDynamics *f;
  PfLevels *levels;
  const bool *cyclic;           /* components of x that do not count */
  const double *home;           /* all numbers of the field where searches begin, in this chart */
  const PfChartChoice *chart;
  double low[2], high[2];       /* the window that is searched */
} PfRest;

/* Points of the window at which all rates vanish, in the arena. A single steady motion is found only
 * where one of the parallels that are searched meets it; fewer than four points are none. */
PfStatus pf_rest_find(PfArena *arena, const PfRest *rest, int *count, double **a, double **b);

#endif
