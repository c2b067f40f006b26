/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram whose range grows with its numbers: when one lies outside, pairs of bins are merged and the width
 * doubles, so that memory is constant and each number costs O(1). */
#include "sweep/histogram.h"

#include <math.h>
#include <string.h>

enum { BINS = PF_HISTOGRAM_BINS, HALF = BINS/2 };

void pf_histogram_add(PfHistogram *h, double value)
{
  if (!h->total) h->low = value;
  if (h->width == 0 && value != h->low) {
    /* The second value sets the width, unless they are too close for bins, or too far: a quarter of the bins lie
     * between the two. */
    const double first = h->low, width = 4*fabs(value - first)/BINS;
    if (width > 0 && isfinite(width*BINS)) {
      h->width = width;
      h->low = fmin(value, first) - 0.375*BINS*width;
      h->bins[0] = 0;
      h->bins[(int)((first - h->low)/width)] = h->total;
    }
  }
  while (h->width > 0 && !(value >= h->low && (value - h->low)/h->width < BINS) && isfinite(2*BINS*h->width)) {
    /* Two bins become one; they fill the lower half, or the upper one when the range grows downwards. */
    bool downwards = value < h->low;
    long long half[HALF];
    for (int i = 0; i < HALF; i++) half[i] = h->bins[2*i] + h->bins[2*i + 1];
    memset(h->bins, 0, sizeof h->bins);
    memcpy(h->bins + (downwards ? HALF : 0), half, sizeof half);
    if (downwards) h->low -= h->width*BINS;
    h->width *= 2;
  }
  const double at = h->width > 0 ? (value - h->low)/h->width : 0;
  h->bins[at < 0 ? 0 : at >= BINS ? BINS - 1 : (int)at]++;
  h->total++;
}

void pf_histogram_span(const PfHistogram *h, int *first, int *end)
{
  *first = 0;
  *end = BINS;
  while (*first < BINS - 1 && !h->bins[*first]) ++*first;
  while (*end > *first + 1 && !h->bins[*end - 1]) --*end;
}
