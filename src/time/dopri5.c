/* Dormand and Prince, order 5(4), with step size control.
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4 and table II.5.2. */
#include "time/time.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 7 };

static const double c[STAGES] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
  {0},
  {1.0/5},
  {3.0/40, 9.0/40},
  {44.0/45, -56.0/15, 32.0/9},
  {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
  {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
  {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
};
/* fifth order minus fourth order */
static const double e[STAGES] = {71.0/57600,     0,         -71.0/16695, 71.0/1920,
                                 -17253.0/339200, 22.0/525, -1.0/40};

PfStatus pf_ode_make(PfContext *ctx, PfArena *arena, int n, PfOde *ode)
{
  ode->n = n;
  ode->k = pf_arena_array(arena, double, STAGES*(size_t)n);
  ode->trial = pf_arena_array(arena, double, n);
  ode->best = pf_arena_array(arena, double, n);
  bool good = ode->k && ode->trial && ode->best;
  return good ? PF_OK : pf_fail(ctx, PF_ERR_MEMORY, "no room for the integration");
}

/* Stages 2 to 7; the last trial is the solution of fifth order. */
static bool stages(PfOde *ode, PfRightSide f, void *user, double t, double h, const double *y, PfOdeResult *result)
{
  int n = ode->n;
  for (int s = 1; s < STAGES; s++) {
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < s; j++) sum += a[s][j]*ode->k[j*n + i];
      ode->trial[i] = y[i] + h*sum;
    }
    result->evaluations++;
    if (!f(user, t + c[s]*h, ode->trial, ode->k + (size_t)s*(size_t)n)) return false;
  }
  return true;
}

/* Root mean square of the error over what is allowed. */
static double error_of(const PfOde *ode, double h, const double *y, const PfOdeOptions *options)
{
  double sum = 0;
  for (int i = 0; i < ode->n; i++) {
    double error = 0, scale = options->atol + options->rtol*fmax(fabs(y[i]), fabs(ode->trial[i]));
    for (int s = 0; s < STAGES; s++) error += e[s]*ode->k[s*ode->n + i];
    sum += h*error/scale*(h*error/scale);
  }
  return ode->n ? sqrt(sum/ode->n) : 0;
}

/* A first step that changes y by about a hundredth of the scale; the controller does the rest. */
static double first_step(const PfOde *ode, double span, const double *y, const PfOdeOptions *options)
{
  double size = 0, slope = 0;
  for (int i = 0; i < ode->n; i++) {
    double scale = options->atol + options->rtol*fabs(y[i]);
    size += y[i]/scale*(y[i]/scale);
    slope += ode->k[i]/scale*(ode->k[i]/scale);
  }
  double h = size > 1e-10 && slope > 1e-10 ? 0.01*sqrt(size/slope) : 1e-6;
  return fmin(h, fabs(span));
}

static double next_step(double h, double error)
{
  double factor = isfinite(error) ? 0.9*pow(fmax(error, 1e-10), -0.2) : 0.2;
  return h*fmin(fmax(factor, 0.2), 5);
}

PfOdeResult pf_dopri5(PfOde *ode, PfRightSide f, void *user, double t0, double t1, double *y,
                      const PfOdeOptions *options)
{
  PfOdeResult r = {.end = PF_ODE_DONE, .t = t0, .evaluations = 1};
  long most = options->most_steps ? options->most_steps : 10*1000*1000;
  int n = ode->n;
  if (!f(user, t0, y, ode->k)) {
    r.end = PF_ODE_FAILED;
    return r;
  }
  double h = first_step(ode, t1 - t0, y, options);
  while (r.t < t1) {
    if (r.steps + r.rejected >= most) {
      r.end = PF_ODE_LIMIT;
      return r;
    }
    bool last = r.t + 1.0001*h >= t1;
    if (last) h = t1 - r.t;
    bool good = stages(ode, f, user, r.t, h, y, &r);
    double error = good ? error_of(ode, h, y, options) : INFINITY;
    if (error <= 1) {
      r.t = last ? t1 : r.t + h;
      r.steps++;
      memcpy(y, ode->trial, (size_t)n*sizeof *y);
      memcpy(ode->k, ode->k + (size_t)(STAGES - 1)*(size_t)n, (size_t)n*sizeof *y); /* first same as last */
    } else {
      r.rejected++;
      if (h < 16*DBL_EPSILON*fmax(fabs(r.t), DBL_MIN/DBL_EPSILON)) {
        r.end = good ? PF_ODE_TOO_SMALL : PF_ODE_FAILED;
        return r;
      }
    }
    h = next_step(h, error);
  }
  return r;
}
