/* SPDX-License-Identifier: Apache-2.0 */
/* What rounding may change in the rates of a field and in their derivatives. All numbers in the equations, state and
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

/* Arbitrary numbers in (-1, 1), the same in every run. */
static double arbitrary(int i, int sample)
{
  double x = sin(12.9898*(i + 1) + 78.233*(sample + 1))*43758.5453;
  return 2*(x - floor(x)) - 1;
}

static void change_state(double *x, const bool *stays, int count, int sample)
{
  for (int i = 0; i < count; i++)
    if (x[i] != 0 && !stays[i]) x[i] += LEAST*CHANGE*arbitrary(count + i, sample);
}

static void change(PfDynamics *f, const double *home, const bool *stays, int sample)
{
  for (int i = 0; i < f->count; i++) f->full[i] = stays[i] ? home[i] : home[i]*(1 + CHANGE*arbitrary(i, sample));
  change_state(f->full + f->at_q, stays + f->at_q, f->n, sample);
  change_state(f->full + f->at_w, stays + f->at_w, f->nw, sample);
}

static void widen(const double *a, const double *b, int count, double *noise)
{
  for (int i = 0; i < count; i++) noise[i] = fmax(noise[i], SAFETY*fabs(a[i] - b[i]));
}

/* Room for two sets of results. */
typedef struct Samples {
  double *home, *rate[2], *A[2];
  bool *stays; /* numbers that are not changed */
} Samples;

static PfStatus sample(PfDynamics *f, const int *components, int count, const Samples *s, double *rate, double *A)
{
  int n = pf_dynamics_size(f);
  memcpy(s->home, f->full, (size_t)f->count*sizeof *s->home);
  pf_dynamics_rate(f, s->rate[0]);
  if (A) PF_TRY(pf_dynamics_slopes(f, components, count, s->A[0], NULL));
  PF_TRY(pf_dynamics_deciding(f, s->stays));
  for (int k = 0; k < SAMPLES; k++) {
    change(f, s->home, s->stays, k);
    PF_TRY(pf_dynamics_refresh(f));
    pf_dynamics_rate(f, s->rate[1]);
    if (rate) widen(s->rate[0], s->rate[1], n, rate);
    if (!A) continue;
    PF_TRY(pf_dynamics_slopes(f, components, count, s->A[1], NULL));
    widen(s->A[0], s->A[1], n*count, A);
  }
  return PF_OK;
}

PfStatus pf_dynamics_rounding(PfDynamics *f, const int *components, int count, double *rate, double *A)
{
  size_t n = (size_t)pf_dynamics_size(f), area = A ? n*(size_t)count : 0;
  PF_TRY(pf_dynamics_deciders(f)); /* they stay in the arena */
  PfMark mark = pf_arena_mark(f->arena);
  Samples s = {.home = pf_arena_array(f->arena, double, f->count), .stays = pf_arena_array(f->arena, bool, f->count)};
  bool good = s.home && s.stays;
  for (int i = 0; i < 2; i++)
    good = (s.rate[i] = pf_arena_array(f->arena, double, n)) && (s.A[i] = pf_arena_array(f->arena, double, area)) &&
           good;
  if (rate) memset(rate, 0, n*sizeof *rate);
  if (A) memset(A, 0, area*sizeof *A);
  PfStatus status = good ? sample(f, components, count, &s, rate, A)
                         : pf_no_room(f->ctx, "the rounding of the vector field");
  if (good) memcpy(f->full, s.home, (size_t)f->count*sizeof *s.home);
  if (status == PF_OK) status = pf_dynamics_refresh(f);
  pf_arena_release(f->arena, mark);
  return status;
}

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
