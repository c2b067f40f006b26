/* SPDX-License-Identifier: Apache-2.0 */
/* Changes by rounding in the rates of a field and in their derivatives. All numbers in the equations, state and
 * parameters, are changed by some units in the last place, and everything is computed again: a result moves in
 * proportion to the size of its terms, however small their sum is, and through all linear systems that are solved on
 * the way. Numbers whose last digit decides in a condition, as mode = 1 in if(mode <= 1, …), stay. */
#include "study/dynamics.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 5 };

#define CHANGE (4*DBL_EPSILON) /* relative: small enough to leave ranks alone, more than the last digit */
#define SAFETY 32              /* a few samples do not meet the worst case */

/* Coordinates and velocities are known to CHANGE of their size, or of this when they are smaller: searches for zeros
 * end there. Exact zeros are exact: switches of forces are there. */
#define LEAST 0.01

/* Adds the part of the change that does not shrink with the numbers, to all that are not exactly zero. */
static void change_state(double *x, const bool *stays, int count, int sample)
{
  for (int i = 0; i < count; i++)
    if (x[i] != 0 && !stays[i]) x[i] += LEAST*CHANGE*pf_arbitrary(count + i, sample + 1);
}

/* Keeps the largest differences, element by element. */
static void widen(const double *a, const double *b, int count, double *noise)
{
  for (int i = 0; i < count; i++) noise[i] = fmax(noise[i], SAFETY*fabs(a[i] - b[i]));
}

/* Room for two sets of results. */
typedef struct Samples {
  double *home, *rate[2], *A[2];
  bool *stays; /* numbers that are not changed */
} Samples;

/* Evaluates rates and Jacobian again at numbers that differ in their last digits, and takes the largest differences as
 * the rounding errors. */
static PfStatus sample(PfDynamics *f, const int *components, int count, const Samples *s, double *rate, double *A)
{
  int n = pf_dynamics_size(f);
  memcpy(s->home, f->full, (size_t)f->count*sizeof *s->home);
  pf_dynamics_rate(f, s->rate[0]);
  if (A) PF_TRY(pf_dynamics_slopes(f, components, count, s->A[0], NULL));
  PF_TRY(pf_dynamics_deciding(f, s->stays));
  for (int k = 0; k < SAMPLES; k++) {
    for (int i = 0; i < f->count; i++)
      f->full[i] = s->stays[i] ? s->home[i] : s->home[i]*(1 + CHANGE*pf_arbitrary(i, k + 1));
    change_state(f->full + f->at_q, s->stays + f->at_q, f->n, k);
    change_state(f->full + f->at_w, s->stays + f->at_w, f->nw, k);
    PF_TRY(pf_dynamics_refresh(f));
    pf_dynamics_rate(f, s->rate[1]);
    if (rate) widen(s->rate[0], s->rate[1], n, rate);
    if (!A) continue;
    PF_TRY(pf_dynamics_slopes(f, components, count, s->A[1], NULL));
    widen(s->A[0], s->A[1], n*count, A);
  }
  return PF_OK;
}

/* At most SAMPLES + 1 evaluations and as many Jacobians. The field is back where it was. */
PfStatus pf_dynamics_rounding(PfDynamics *f, const int *components, int count, double *rate, double *A)
{
  size_t n = (size_t)pf_dynamics_size(f), area = A ? n*(size_t)count : 0;
  PF_TRY(pf_dynamics_deciders(f)); /* they stay in the arena */
  PfMark mark = pf_arena_mark(f->arena);
  Samples s;
  PfStatus status = pf_arrays(f->ctx, f->arena, "the rounding of the vector field", PF_ROOM(s.home, f->count),
                              PF_ROOM(s.stays, f->count), PF_ROOM(s.rate[0], n), PF_ROOM(s.rate[1], n),
                              PF_ROOM(s.A[0], area), PF_ROOM(s.A[1], area));
  const bool good = status == PF_OK;
  if (rate) memset(rate, 0, n*sizeof *rate);
  if (A) memset(A, 0, area*sizeof *A);
  if (good) status = sample(f, components, count, &s, rate, A);
  if (good) memcpy(f->full, s.home, (size_t)f->count*sizeof *s.home);
  if (status == PF_OK) status = pf_dynamics_refresh(f);
  pf_arena_release(f->arena, mark);
  return status;
}

/* Zeros that are exact in the equations appear as such, so that eigenvalues and dependences can be decided by them. */
PfStatus pf_dynamics_clean(PfDynamics *f, const int *components, int count, double *A, double *noise)
{
  int n = pf_dynamics_size(f);
  PF_TRY(pf_dynamics_rounding(f, components, count, NULL, noise));
  for (int k = 0; k < count; k++) {
    double column = 0;
    for (int i = 0; i < n; i++) column = fmax(column, fabs(A[i*count + k]));
    for (int i = 0; i < n; i++) { /* by chance all samples may agree: then the last digit of row and column decides */
      double digit = DBL_EPSILON*fmin(column, pf_largest(A + (size_t)i*(size_t)count, count));
      noise[i*count + k] = fmax(noise[i*count + k], digit);
    }
  }
  for (int i = 0; i < n*count; i++)
    if (fabs(A[i]) <= noise[i]) A[i] = 0;
  return PF_OK;
}
