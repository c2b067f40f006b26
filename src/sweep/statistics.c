/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a stream of numbers in constant memory: mean and variance by Welford's update, extremes, a histogram,
 * and quantiles by a t-digest. */
#include "sweep/statistics.h"

#include <math.h>
#include <stdlib.h>

void pf_statistics_begin(PfStatistics *s)
{
  s->count = s->missing = 0;
  s->mean = s->squares = 0;
  s->least = s->most = NAN;
  s->least_at = s->most_at = -1;
  s->centroid_count = s->waiting = 0;
  s->histogram = (PfHistogram){0};
}

/* ---------------------------------------------------------------- quantiles */

/* Dunning and Ertl, Computing Extremely Accurate Quantiles Using t-Digests, 2019: a group of numbers may reach over one
 * unit of k(q), which is steep at the ends: groups there are small. */
static double scale_of(double part)
{
  enum { COMPRESSION = 300 };
  const double x = 2*part - 1;
  return COMPRESSION/6.283185307179586*asin(x < -1 ? -1 : x > 1 ? 1 : x);
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The next of two sorted lists. */
static PfCentroid next_of(const PfStatistics *s, const PfCentroid *old, int *i, int *k)
{
  const bool take_old = *i < s->centroid_count && (*k == s->waiting || old[*i].mean <= s->buffer[*k]);
  return take_old ? old[(*i)++] : (PfCentroid){s->buffer[(*k)++], 1};
}

/* Merges the buffered numbers into the centroids of the t-digest: both lists in ascending order, neighbours becoming
 * one centroid as long as that reaches over at most one unit of k(q). */
static void compress(PfStatistics *s)
{
  PfCentroid old[PF_DIGEST_CENTROIDS];
  double total = s->waiting, before = 0;
  int count = 0, i = 0, k = 0;
  if (!s->waiting) return;
  qsort(s->buffer, (size_t)s->waiting, sizeof *s->buffer, compare);
  for (int j = 0; j < s->centroid_count; j++) total += (old[j] = s->centroids[j]).weight;
  PfCentroid now = next_of(s, old, &i, &k);
  while (i < s->centroid_count || k < s->waiting) {
    const PfCentroid more = next_of(s, old, &i, &k);
    const bool fits = scale_of((before + now.weight + more.weight)/total) - scale_of(before/total) <= 1;
    if (fits || count == PF_DIGEST_CENTROIDS - 1) {
      now.weight += more.weight;
      now.mean += (more.mean - now.mean)*(more.weight/now.weight);
      continue;
    }
    before += now.weight;
    s->centroids[count++] = now;
    now = more;
  }
  s->centroids[count++] = now;
  s->centroid_count = count;
  s->waiting = 0;
}

/* Between the middles of two groups the numbers are taken to be even; beyond the first and last reach the extremes. */
double pf_statistics_quantile(PfStatistics *s, double part)
{
  compress(s);
  double before = 0, last_at = 0, last = s->least;
  const double wanted = part*(double)s->count;
  if (!s->count) return NAN;
  for (int i = 0; i < s->centroid_count; i++) {
    const PfCentroid *c = s->centroids + i;
    const double at = before + c->weight/2;
    if (wanted <= at) return last + (c->mean - last)*(at > last_at ? (wanted - last_at)/(at - last_at) : 1);
    before += c->weight;
    last_at = at;
    last = c->mean;
  }
  const double rest = (double)s->count - last_at;
  return rest > 0 ? last + (s->most - last)*(wanted - last_at)/rest : s->most;
}

/* ---------------------------------------------------------------- numbers */

void pf_statistics_add(PfStatistics *s, long long member, double value)
{
  if (!isfinite(value)) {
    s->missing++;
    return;
  }
  const double off = value - s->mean;
  s->count++;
  s->mean += off/(double)s->count; /* Welford */
  s->squares += off*(value - s->mean);
  if (!(value >= s->least)) s->least = value, s->least_at = member;
  if (!(value <= s->most)) s->most = value, s->most_at = member;
  pf_histogram_add(&s->histogram, value);
  s->buffer[s->waiting++] = value;
  if (s->waiting == PF_DIGEST_BUFFER) compress(s);
}

double pf_statistics_deviation(const PfStatistics *s)
{
  return s->count > 1 ? sqrt(s->squares/(double)(s->count - 1)) : NAN;
}
