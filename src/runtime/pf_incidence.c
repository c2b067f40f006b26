/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* The incidence of rows and coordinates of a start: a bipartite graph of the entries that are not zero at all times.
 * Its connected components are independent of each other, and are solved separately. */
#include "pf_start.h"

#ifndef PF_SINGLE

#include "pf_units.h"

#include <math.h>
#include <string.h>

enum { PF_SAMPLES = 3 }; /* here, and at configurations nearby */

/* The slopes at the configuration given and around it. The coordinates alone are changed, so that a slope that depends
 * on time alone counts as constant. The last evaluation is at the numbers as they are. */
static void pf_start_look_around(PfStartSearch *s)
{
  const size_t n = (size_t)s->n, count = (size_t)s->places;
  double *kept = s->solution;
  unsigned noise = 7;
  memcpy(kept, s->q, n*sizeof *kept);
  for (int sample = PF_SAMPLES; sample-- > 0;) {
    for (size_t j = 0; j < n; j++) s->q[j] = sample ? pf_blur(kept[j], 1, &noise) : kept[j];
    s->calls->evaluate(s->user);
    memcpy(s->seen + (size_t)sample*count, s->slope, count*sizeof *s->seen);
    for (size_t k = 0; k < (size_t)s->conditions*n; k++)
      if (s->rows[k] != 0) s->in_condition[k] = true;
  }
}

static void pf_start_list_places(PfStartSearch *s)
{
  const size_t count = (size_t)s->places;
  int place = s->places;
  for (size_t at = 0; at < count; at++) {
    double here = s->seen[at], most = 0, apart = 0;
    for (size_t sample = 1; sample < PF_SAMPLES; sample++) {
      double there = s->seen[sample*count + at];
      most = fmax(most, fabs(there));
      if (!(fabs(there - here) <= apart)) apart = fabs(there - here); /* also what is not finite */
    }
    s->typical[at] = most;
    s->constant[at] = here != 0 && apart <= 1e-12*fabs(here);
  }
  for (int g = 0; g < s->conditions; g++) {
    s->begin[s->constraints + g] = place;
    for (int j = 0; j < s->n; j++)
      if (s->in_condition[(size_t)g*(size_t)s->n + (size_t)j]) s->column[place++] = j;
  }
  s->begin[s->constraints + s->conditions] = place;
}

/* ---------------------------------------------------------------- components */

static int pf_start_root(int *part, int j)
{
  while (part[j] != j) j = part[j] = part[part[j]];
  return j;
}

/* Trees of coordinates first, the root with the least number; then components by their first coordinate. */
static void pf_start_find_parts(PfStartSearch *s)
{
  const int rows = s->constraints + s->conditions;
  int *part = s->part;
  for (int j = 0; j < s->n; j++) part[j] = j, s->occurs[j] = false, s->number[j] = -1;
  for (int i = 0; i < rows; i++)
    for (int p = s->begin[i]; p < s->begin[i + 1]; p++) {
      int a = pf_start_root(part, s->column[s->begin[i]]), b = pf_start_root(part, s->column[p]);
      s->occurs[s->column[p]] = true;
      if (a < b) part[b] = a;
      else part[a] = b;
    }
  for (int j = 0; j < s->n; j++) (void)pf_start_root(part, j);
  for (int j = 0; j < s->n; j++) {
    int root = part[j];
    while (part[root] != root) root = part[root];
    if (s->occurs[j] && s->number[root] < 0) s->number[root] = s->parts++;
  }
  for (int j = s->n; j-- > 0;) { /* roots come before their descendants */
    int root = j;
    while (part[root] != root) root = part[root];
    part[j] = s->occurs[j] ? s->number[root] : -1;
  }
}

static int pf_start_part_of(const PfStartSearch *s, int row)
{
  return s->begin[row] < s->begin[row + 1] ? s->part[s->column[s->begin[row]]] : s->parts;
}

/* Looks, lists, finds components, and sorts the rows by their component. */
PF_RUNTIME void pf_start_connect(PfStartSearch *s)
{
  const int rows = s->constraints + s->conditions;
  int *begin = s->part_begin;
  pf_start_look_around(s);
  pf_start_list_places(s);
  pf_start_find_parts(s);
  for (int i = 0; i < rows; i++) begin[pf_start_part_of(s, i) + 1]++;
  for (int p = 0; p <= s->parts; p++) begin[p + 1] += begin[p];
  for (int i = rows; i-- > 0;) s->part_row[--begin[pf_start_part_of(s, i) + 1]] = i;
  for (int p = 0; p <= s->parts; p++) begin[p] = begin[p + 1];
  begin[s->parts + 1] = rows;
}

#endif
