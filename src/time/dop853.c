/* SPDX-License-Identifier: Apache-2.0 */
/* Dormand and Prince, order 8(5,3), with the interpolation of order 7 (three more evaluations, only when samples are
 * wanted). Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.5, II.6. */
#include "time/erk.h"

#include <math.h>

enum { STAGES = 13, EXTRA = 3, DENSE = 7, WIDTH = STAGES + EXTRA };

#include "time/dop853.def"

/* The estimate of order 5 is scaled down by that of order 3, as in DOP853. */
static double error(const PfMotionRun *run, const double *k, double h, const double *y, const double *y_new)
{
  int N = 2*run->n;
  double fifth = 0, third = 0;
  for (int i = 0; i < N; i++) {
    double error5 = 0, error3 = 0, scale = pf_allowed(run, y[i], y_new[i]);
    for (int s = 0; s < STAGES; s++) {
      error5 += e5[s]*k[s*N + i];
      error3 += e3[s]*k[s*N + i];
    }
    fifth += error5/scale*(error5/scale);
    third += error3/scale*(error3/scale);
  }
  if (fifth == 0 && third == 0) return 0;
  return fabs(h)*fifth/sqrt((fifth + 0.01*third)*N);
}

static const PfTableau tableau = {STAGES, 8, c, a};

static PfStatus prepare(PfMotionRun *run)
{
  return pf_erk_make(run, &tableau, error, EXTRA, DENSE + 1);
}

/* The end value of the step is saved first: the extra stages use the same trial array. */
static void make_dense(PfMotionRun *run, PfErk *erk)
{
  int N = 2*run->n;
  double h = run->state.t - run->state.t_old, *F = erk->dense, *end = F + DENSE*N;
  for (int i = 0; i < N; i++) end[i] = erk->trial[i];
  for (int s = 0; s < EXTRA; s++)
    if (!pf_erk_stage(run, erk, STAGES + s, c_extra[s], a_extra + s*WIDTH)) {
      erk->dense_failed = true; /* hermite below */
      return;
    }
  for (int i = 0; i < N; i++) {
    double difference = end[i] - run->state.y_old[i];
    F[i] = difference;
    F[N + i] = h*erk->k[i] - difference;
    F[2*N + i] = 2*difference - h*(erk->k[(STAGES - 1)*N + i] + erk->k[i]);
    for (int r = 0; r < 4; r++) {
      double sum = 0;
      for (int s = 0; s < WIDTH; s++) sum += d[r*WIDTH + s]*erk->k[s*N + i];
      F[(3 + r)*N + i] = h*sum;
    }
  }
  erk->dense_ready = true;
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  PfErk *erk = run->stepper.data;
  int N = 2*run->n;
  if (!erk->dense_ready && !erk->dense_failed) make_dense(run, erk);
  if (!erk->dense_ready) {
    pf_hermite(run, t, y);
    return;
  }
  double x = (t - run->state.t_old)/(run->state.t - run->state.t_old);
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int r = DENSE - 1; r >= 0; r--) sum = (sum + erk->dense[r*N + i])*(r%2 ? 1 - x : x);
    y[i] = run->state.y_old[i] + sum;
  }
}

const PfMethod pf_method_dop853 = {
  .name = "dop853", .summary = "Dormand and Prince, order 8(5,3): for tight tolerances",
  .direct = true, .prepare = prepare, .step = pf_erk_step, .interpolate = interpolate};
