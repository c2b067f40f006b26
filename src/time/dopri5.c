/* SPDX-License-Identifier: Apache-2.0 */
/* Dormand and Prince, order 5(4), with the interpolation of order 4 that needs no further evaluation.
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table II.5.2 and section II.6. */
#include "time/erk.h"

#include <math.h>

enum { STAGES = 7, DENSE = 5 };

static const double c[STAGES] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1};
static const double a[STAGES*STAGES] = {
  0, 0, 0, 0, 0, 0, 0,
  1.0/5, 0, 0, 0, 0, 0, 0,
  3.0/40, 9.0/40, 0, 0, 0, 0, 0,
  44.0/45, -56.0/15, 32.0/9, 0, 0, 0, 0,
  19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729, 0, 0, 0,
  9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656, 0, 0,
  35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84, 0,
};
/* fifth order minus fourth order */
const double pf_dopri5_error[STAGES] = {71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40};
const double pf_dopri5_dense[STAGES] = {-12715105075.0/11282082432, 0, 87487479700.0/32700410799,
                                 -10690763975.0/1880347072, 701980252875.0/199316789632,
                                 -1453857185.0/822651844, 69997945.0/29380423};

static double error(const PfMotionRun *run, const double *k, double h, const double *y, const double *y_new)
{
  int N = 2*run->n;
  double sum = 0;
  for (int i = 0; i < N; i++) {
    double miss = 0;
    for (int s = 0; s < STAGES; s++) miss += pf_dopri5_error[s]*k[s*N + i];
    miss *= h/pf_allowed(run, y[i], y_new[i]);
    sum += miss*miss;
  }
  return sqrt(sum/N);
}

/* The last two stages stand at the same time: |k7 - k6|/|y7 - y6| is a rate, in units of the tolerance. */
double pf_dopri5_stiffness(const PfMotionRun *run)
{
  const double *k = ((const PfErk *)run->stepper.data)->k, h = run->state.t - run->state.t_old;
  int N = 2*run->n;
  double rates = 0, steps = 0;
  for (int i = 0; i < N; i++) {
    double apart = 0, size = pf_allowed(run, run->state.y[i], 0), rate = (k[6*N + i] - k[5*N + i])/size;
    for (int s = 0; s < 6; s++) apart += (a[6*STAGES + s] - a[5*STAGES + s])*k[s*N + i];
    rates += rate*rate;
    steps += apart/size*(apart/size);
  }
  return steps > 0 && h > 0 ? sqrt(rates/steps) : 0;
}

const PfTableau pf_dopri5_tableau = {STAGES, 5, c, a, error};

static PfStatus prepare(PfMotionRun *run)
{
  PfErk *erk = run->stepper.data = pf_run_array(run, PfErk, 1);
  return erk ? pf_erk_make(run, &pf_dopri5_tableau, 0, DENSE, erk) : PF_ERR_MEMORY;
}

static PfStepEnd step(PfMotionRun *run)
{
  return pf_erk_step(run, run->stepper.data);
}

/* Coefficients of the interpolation. */
static void make_dense(PfMotionRun *run, PfErk *erk)
{
  int N = 2*run->n;
  double h = run->state.t - run->state.t_old, *r = erk->dense;
  for (int i = 0; i < N; i++) {
    double difference = erk->trial[i] - run->state.y_old[i], bend = h*erk->k[i] - difference, sum = 0;
    for (int s = 0; s < STAGES; s++) sum += pf_dopri5_dense[s]*erk->k[s*N + i];
    r[i] = run->state.y_old[i];
    r[N + i] = difference;
    r[2*N + i] = bend;
    r[3*N + i] = difference - h*erk->k[(STAGES - 1)*N + i] - bend;
    r[4*N + i] = h*sum;
  }
  erk->dense_ready = true;
}

static void interpolate(PfMotionRun *run, double t, double *y)
{
  PfErk *erk = run->stepper.data;
  int N = 2*run->n;
  if (!erk->dense_ready) make_dense(run, erk);
  double x = (t - run->state.t_old)/(run->state.t - run->state.t_old), z = 1 - x;
  const double *r = erk->dense;
  for (int i = 0; i < N; i++)
    y[i] = r[i] + x*(r[N + i] + z*(r[2*N + i] + x*(r[3*N + i] + z*r[4*N + i])));
}

const PfMethod pf_method_dopri5 = {
  .name = "dopri5", .summary = "Dormand and Prince, order 5(4): the ode45 of many papers",
  .direct = true, .prepare = prepare, .step = step, .interpolate = interpolate};
