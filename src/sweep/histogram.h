/* SPDX-License-Identifier: Apache-2.0 */
/* How many numbers lie where, in one pass, before their range is known: bins of one width, which doubles when a number
 * lies outside. */
#ifndef PF_SWEEP_HISTOGRAM_H
#define PF_SWEEP_HISTOGRAM_H

#include <stdbool.h>

enum { PF_HISTOGRAM_BINS = 256 };

typedef struct PfHistogram {
  double low, width; /* width 0: all numbers so far are `low` */
  long long total;
  long long bins[PF_HISTOGRAM_BINS];
} PfHistogram;

/* A finite number. The first ones that differ choose the bins, so the order matters. */
void pf_histogram_add(PfHistogram *histogram, double value);
/* The bins that are used: from the first to past the last one with a number in it. */
void pf_histogram_span(const PfHistogram *histogram, int *first, int *end);

#endif
