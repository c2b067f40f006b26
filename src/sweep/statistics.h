/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of many numbers, in one pass and little memory. Numbers come in the order of the members, so that the
 * result does not depend on the thread or process that computed them. */
#ifndef PF_SWEEP_STATISTICS_H
#define PF_SWEEP_STATISTICS_H

#include "base/base.h"
#include "sweep/histogram.h"

enum { PF_DIGEST_CENTROIDS = 400, PF_DIGEST_BUFFER = 2000 };

/* Groups of neighbouring numbers: mean and how many. */
typedef struct PfCentroid {
  double mean, weight;
} PfCentroid;

typedef struct PfStatistics {
  long long count, missing;  /* finite numbers, and others */
  double mean, squares;      /* squares: sum of squared distances from the mean */
  double least, most;
  long long least_at, most_at; /* members */
  PfHistogram histogram;
  int centroid_count, waiting;
  PfCentroid centroids[PF_DIGEST_CENTROIDS];
  double buffer[PF_DIGEST_BUFFER]; /* numbers that are not among the centroids yet */
} PfStatistics;

/* No numbers yet. */
void pf_statistics_begin(PfStatistics *statistics);
/* One more number, of a member: O(1) on average. Numbers that are not finite are counted as missing. */
void pf_statistics_add(PfStatistics *statistics, long long member, double value);
/* Of a sample; NaN where there are too few. */
double pf_statistics_deviation(const PfStatistics *statistics);
/* The number below which such a part lies, to about a thousandth of the part, closer at the ends. */
double pf_statistics_quantile(PfStatistics *statistics, double part);

#endif
