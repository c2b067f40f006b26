/* SPDX-License-Identifier: Apache-2.0 */
/* Which motion has negative kinetic energy: the eigenvector of the most negative eigenvalue of M. */
#include "mech/negative.h"

#include "base/base.h"
#include "num/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Components that are less than this of the largest one say nothing. */
static const double small_part = 1e-3;
enum { MOST_PARTS = 6 };

/* The sign of the eigenvector is such that its largest component is positive; small components are left out, and of
 * many only the first are listed: "x = 0.707, y = -0.707, …". */
void pf_negative_motion(PfContext *ctx, const PfModel *model, const double *M, char *text, size_t room)
{
  int n = model->coordinate_count;
  size_t size = (size_t)n*(size_t)n;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  double *values = pf_arena_array(scratch, double, n), *vectors = pf_arena_array(scratch, double, size);
  double *work = pf_arena_array(scratch, double, size);
  text[0] = '\0';
  bool good = values && vectors && work && pf_eig_symmetric(M, n, values, vectors, work) == PF_OK;
  if (good && n > 0 && values[0] < 0) { /* ascending */
    snprintf(text, room, "; the mass matrix has the eigenvalue %.3g with the eigenvector ", values[0]);
    /* "x = 0.707, y = -0.707": the sign such that the largest component is positive. */
    int largest = 0, parts = 0;
    for (int i = 1; i < n; i++)
      if (fabs(vectors[i*n]) > fabs(vectors[largest*n])*PF_LARGER) largest = i;
    const double top = vectors[largest*n];
    for (int i = 0; i < n && parts <= MOST_PARTS; i++) {
      if (fabs(vectors[i*n]) < small_part*fabs(top)) continue;
      size_t used = strlen(text);
      if (parts++ == MOST_PARTS) snprintf(text + used, room - used, ", …");
      else snprintf(text + used, room - used, "%s%s = %.3g", parts > 1 ? ", " : "", model->coordinates[i].name,
                    top < 0 ? -vectors[i*n] : vectors[i*n]);
    }
  }
  pf_arena_release(scratch, mark);
}
