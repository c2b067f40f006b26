/* Explicit Runge-Kutta steps with error control.
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4. */
#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

PfStatus pf_erk_make(PfMotionRun *run, const PfTableau *tableau, int extra_stages, int dense_rows, PfErk *erk)
{
  size_t N = 2*(size_t)run->n;
  erk->tableau = tableau;
  erk->k = pf_run_array(run, double, (size_t)(tableau->stages + extra_stages)*N);
  erk->trial = pf_run_array(run, double, N);
  erk->dense = pf_run_array(run, double, (size_t)dense_rows*N);
  return erk->k && erk->trial && erk->dense ? PF_OK : PF_ERR_MEMORY;
}

bool pf_erk_stage(PfMotionRun *run, PfErk *erk, int stage, double c, const double *a)
{
  int N = 2*run->n;
  const double h = run->t - run->t_old; /* valid after a step; stages inside a step pass their own below */
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < stage; j++) sum += a[j]*erk->k[j*N + i];
    erk->trial[i] = run->y_old[i] + h*sum;
  }
  return pf_flow(run, run->t_old + c*h, erk->trial, erk->k + (size_t)stage*(size_t)N);
}

/* All stages of a step of size h from (t, y); k_0 is known. */
static bool stages(PfMotionRun *run, PfErk *erk, double h)
{
  const PfTableau *tb = erk->tableau;
  int N = 2*run->n, s = tb->stages;
  for (int stage = 1; stage < s; stage++) {
    const double *a = tb->a + (size_t)stage*(size_t)s;
    for (int i = 0; i < N; i++) {
      double sum = 0;
      for (int j = 0; j < stage; j++)
        if (a[j] != 0) sum += a[j]*erk->k[j*N + i];
      erk->trial[i] = run->y[i] + h*sum;
    }
    if (!pf_flow(run, run->t + tb->c[stage]*h, erk->trial, erk->k + (size_t)stage*(size_t)N)) return false;
  }
  return true;
}

/* A first step that changes y by a hundredth of what the tolerance sees; the controller does the rest. */
static double first_step(PfMotionRun *run)
{
  double size = 0, slope = 0, span = run->t_end - run->t;
  for (int i = 0; i < 2*run->n; i++) {
    double scale = pf_allowed(run, run->y[i], 0);
    size += run->y[i]/scale*(run->y[i]/scale);
    slope += run->dy[i]/scale*(run->dy[i]/scale);
  }
  double h = size > 1e-10 && slope > 1e-10 ? 0.01*sqrt(size/slope) : 1e-6;
  return fmin(h, span);
}

static double next_step(const PfErk *erk, double h, double error, bool rejected_before)
{
  double factor = isfinite(error) ? 0.9*pow(fmax(error, 1e-12), -1.0/erk->tableau->order) : 0.2;
  factor = fmin(fmax(factor, 0.2), rejected_before ? 1 : 6);
  return h*factor;
}

static void accept(PfMotionRun *run, PfErk *erk, double h)
{
  size_t bytes = 2*(size_t)run->n*sizeof(double), last = (size_t)(erk->tableau->stages - 1)*2*(size_t)run->n;
  memcpy(run->y_old, run->y, bytes);
  memcpy(run->dy_old, run->dy, bytes);
  memcpy(run->y, erk->trial, bytes); /* the last stage stands at the end of the step */
  memcpy(run->dy, erk->k + last, bytes);
  run->t_old = run->t;
  run->t = run->t_end - (run->t + h) < 1e-14*fabs(run->t_end) ? run->t_end : run->t + h;
  erk->dense_ready = false;
}

PfStepEnd pf_erk_step(PfMotionRun *run, PfErk *erk)
{
  bool rejected = false;
  if (run->h <= 0) run->h = run->options.step > 0 ? run->options.step : first_step(run);
  for (;;) {
    double h = run->h, left = run->t_end - run->t;
    if (run->options.largest_step > 0) h = fmin(h, run->options.largest_step);
    if (h > left || left - h < 1e-3*h) h = left;
    memcpy(erk->k, run->dy, 2*(size_t)run->n*sizeof *erk->k);
    bool good = stages(run, erk, h);
    double error = good ? erk->tableau->error(run, erk->k, h, run->y, erk->trial) : INFINITY;
    if (error <= 1) {
      accept(run, erk, h);
      run->h = next_step(erk, h, error, rejected);
      return PF_STEP_DONE;
    }
    rejected = true;
    run->result->rejected++;
    if (h < 16*DBL_EPSILON*fmax(fabs(run->t), 1e-3)) return good ? PF_STEP_TOO_SMALL : PF_STEP_TROUBLE;
    run->h = next_step(erk, h, error, true);
  }
}
