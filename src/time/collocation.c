/* SPDX-License-Identifier: Apache-2.0 */
/* Integration across an instant at which the constraints lose rank. The accelerations do not exist there, and explicit
 * formulas fail near it, because their stages leave the constraints: a deviation e becomes a force e/distance. But the
 * motion along its branch is a smooth function of time. So it is found as a polynomial across the gap that has the
 * right accelerations at the nodes of Gauss, none of which is in the middle, and satisfies the constraints there: the
 * nearest point belongs to the same branch. Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section
 * II.7 (collocation). */
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

enum { NODES = 8, MOST_ITERATIONS = 40 };

typedef struct Collocation {
  double c[NODES], b[NODES], a[NODES][NODES]; /* nodes, weights, integrals from 0 to the nodes */
  /* the two highest coefficients of Legendre from the values at the nodes */
  double last[2][NODES];
  double *k;                                  /* NODES x 2n: derivatives at the nodes */
  double *begin, *stage, *change, *slope;     /* 2n each */
  double t, h;                                /* the interval */
} Collocation;

/* ---------------------------------------------------------------- formulas of Gauss */

/* Legendre's polynomials P_0 … P_(NODES) on [-1, 1]. */
static void legendre(double x, double P[NODES + 1])
{
  P[0] = 1, P[1] = x;
  for (int k = 1; k < NODES; k++) P[k + 1] = ((2*k + 1)*x*P[k] - k*P[k - 1])/(k + 1);
}

/* The zeros of P_NODES, by Newton from the formula of Francesco Tricomi. */
static void find_nodes(Collocation *p)
{
  const double pi = 3.14159265358979323846;
  double P[NODES + 1];
  for (int i = 0; i < NODES; i++) {
    double x = -cos(pi*(i + 0.75)/(NODES + 0.5)), slope = 1;
    for (int step = 0; step < 8; step++) {
      legendre(x, P);
      slope = NODES*(x*P[NODES] - P[NODES - 1])/(x*x - 1);
      x -= P[NODES]/slope;
    }
    p->c[i] = 0.5*(1 + x);
    p->b[i] = 1/((1 - x*x)*slope*slope);
    legendre(x, P);
    for (int k = 0; k < 2; k++) p->last[k][i] = p->b[i]*(2*(NODES - 1 - k) + 1)*P[NODES - 1 - k];
  }
}

/* The polynomial that is one at node j and zero at the others. */
static double lagrange(const Collocation *p, int j, double x)
{
  double product = 1;
  for (int i = 0; i < NODES; i++)
    if (i != j) product *= (x - p->c[i])/(p->c[j] - p->c[i]);
  return product;
}

/* Its integral from 0 to x; exact by the formula itself. */
static double integral(const Collocation *p, int j, double x)
{
  double sum = 0;
  for (int k = 0; k < NODES; k++) sum += p->b[k]*lagrange(p, j, x*p->c[k]);
  return x*sum;
}

PfStatus pf_collocation_make(PfMotionRun *run)
{
  size_t N = 2*(size_t)run->n;
  Collocation *p = run->collocation = pf_run_array(run, Collocation, 1);
  if (!p) return PF_ERR_MEMORY;
  p->k = pf_run_array(run, double, NODES*N);
  p->begin = pf_run_array(run, double, 4*N);
  if (!p->k || !p->begin) return PF_ERR_MEMORY;
  p->stage = p->begin + N, p->change = p->stage + N, p->slope = p->change + N;
  find_nodes(p);
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++) p->a[i][j] = integral(p, j, p->c[i]);
  return pf_checkpoint_members(run->arena, &run->checkpoint, p, t, h) ? PF_OK : PF_ERR_MEMORY;
}

/* ---------------------------------------------------------------- a piece of the motion */

/* begin + h sum_j weight_j k_j */
static void combine(const PfMotionRun *run, const Collocation *p, const double *weight, double *y)
{
  int N = 2*run->n;
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < NODES; j++) sum += weight[j]*p->k[j*N + i];
    y[i] = p->begin[i] + p->h*sum;
  }
}

void pf_collocation_at(const PfMotionRun *run, double t, double *y)
{
  const Collocation *p = run->collocation;
  double weight[NODES];
  for (int j = 0; j < NODES; j++) weight[j] = integral(p, j, (t - p->t)/p->h);
  combine(run, p, weight, y);
}

/* The interval begins where the run is; on it the accelerations stay, to begin with. */
static void begin(const PfMotionRun *run, Collocation *p, double h)
{
  int n = run->n, N = 2*n;
  p->t = run->state.t, p->h = h;
  memcpy(p->begin, run->state.y, (size_t)N*sizeof *p->begin);
  for (int j = 0; j < NODES; j++)
    for (int i = 0; i < n; i++) {
      p->k[j*N + i] = run->state.y[n + i] + p->c[j]*p->h*run->state.dy[n + i];
      p->k[j*N + n + i] = run->state.dy[n + i];
    }
}

/* Admissible error of a number of the state. */
typedef struct Allowance {
  double relative, absolute;
} Allowance;

static double in_units(const Allowance *allowed, double error, double size)
{
  return fabs(error)/(allowed->absolute + allowed->relative*fabs(size));
}

/* One sweep over the nodes: each is put on the constraints and gets its derivative. Returns the largest change of the
 * motion in units of the tolerance; *off gets the distance of the nodes from the constraints. NaN when there is no
 * acceleration. */
static double sweep(PfMotionRun *run, Collocation *p, const Allowance *allowed, double *off)
{
  int N = 2*run->n;
  double largest = 0;
  *off = 0;
  for (int j = 0; j < NODES; j++) {
    double t = p->t + p->c[j]*p->h, *k = p->k + (size_t)j*(size_t)N;
    combine(run, p, p->a[j], p->stage);
    memcpy(p->change, p->stage, (size_t)N*sizeof *p->change);
    (void)pf_project_closely(run, t, p->stage);
    for (int i = 0; i < N; i++) *off = fmax(*off, in_units(allowed, p->stage[i] - p->change[i], p->stage[i]));
    if (!pf_flow(run, t, p->stage, p->slope)) return NAN;
    for (int i = 0; i < N; i++) {
      largest = fmax(largest, in_units(allowed, p->h*(p->slope[i] - k[i]), p->stage[i]));
      k[i] = p->slope[i];
    }
  }
  return isfinite(largest) ? largest : NAN;
}

/* The size of the highest coefficients: an estimate of the term that one more degree would add. */
static double tail(const PfMotionRun *run, const Collocation *p, const Allowance *allowed)
{
  int N = 2*run->n;
  double largest = 0;
  for (int i = 0; i < N; i++) {
    double sum[2] = {0, 0};
    for (int j = 0; j < NODES; j++)
      for (int k = 0; k < 2; k++) sum[k] += p->last[k][j]*p->k[j*N + i];
    double size = fmax(fabs(sum[0]), 0.1*fabs(sum[1]));
    largest = fmax(largest, in_units(allowed, p->h*size, p->begin[i]));
  }
  return largest;
}

/* By the formula of the motion itself; NaN when the power is not known at some node. */
static double work(PfMotionRun *run, Collocation *p)
{
  double sum = 0;
  if (!run->monitor.has_power) return 0;
  for (int j = 0; j < NODES; j++) {
    double t = p->t + p->c[j]*p->h;
    combine(run, p, p->a[j], p->stage);
    (void)pf_project_closely(run, t, p->stage);
    if (run->monitor.power_of_constraints && !pf_flow(run, t, p->stage, p->slope)) return NAN;
    pf_monitor_at(run, t, p->stage, run->monitor.power_of_constraints ? run->flow.multiplier : NULL);
    sum += p->b[j]*run->monitor.at.power;
  }
  return p->h*sum;
}

/* Is the energy at the end that of the beginning and the work done? In the unit of the kinetic energy. */
static bool keeps_energy(PfMotionRun *run, Collocation *p, const Allowance *allowed, double left)
{
  double done = work(run, p), end = p->t + p->h;
  const PfMonitor *m = &run->monitor;
  if (run->options.drift || isnan(done)) return true;
  pf_monitor_at(run, p->t, p->begin, NULL);
  double before = m->at.balanced, size = fabs(m->at.kinetic);
  combine(run, p, p->b, p->stage);
  (void)pf_project_closely(run, end, p->stage);
  pf_monitor_at(run, end, p->stage, NULL);
  double error = m->at.balanced - before - done;
  size += fabs(m->at.kinetic) + fabs(done);
  return fabs(error) <= fmax(allowed->relative, 1e-12*fmax(1, 0.03/(left*left)))*size;
}

bool pf_collocation_try(PfMotionRun *run, double h, double left)
{
  Collocation *p = run->collocation;
  double size = 0, rtol = fmin(run->options.rtol, PF_DEFAULT_RTOL);
  for (int i = 0; i < 2*run->n; i++) size = fmax(size, fabs(run->state.y[i]));
  /* less than the tolerance of the method, and more than rounding, which is divided by what is left of the constraints
   * in the velocities, and once more in the accelerations */
  double noise = 1e-12*size*fmax(1, 1/(left*left));
  const Allowance allowed = {0.1*rtol, fmax(0.1*fmin(run->options.atol, 1e-10), noise)};
  double last = INFINITY, off = 0;
  begin(run, p, h);
  (void)pf_project_closely(run, run->state.t, p->begin); /* as the nodes are */
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double change = sweep(run, p, &allowed, &off);
    if (!(change < 1e12)) return false;
    if (change < 1e-3 || (change < 1 && change > 0.5*last)) /* the second: rounding */
      return off < 10 && tail(run, p, &allowed) < 1 && keeps_energy(run, p, &allowed, left);
    if (k > 3 && change > 0.5*last) return false;
    last = change;
  }
  return false;
}

bool pf_collocation_leap(PfMotionRun *run, double h)
{
  Collocation *p = run->collocation;
  const Allowance rough = {1e-3, 0};
  begin(run, p, h);
  combine(run, p, p->b, p->stage);
  (void)pf_project(run, p->t + p->h, p->stage);
  pf_monitor_at(run, p->t + p->h, p->stage, NULL);
  double residual = fmax(run->monitor.at.position, run->monitor.at.velocity);
  return residual < 1e-9 && keeps_energy(run, p, &rough, 1);
}

/* ---------------------------------------------------------------- made a step of the run */

void pf_collocation_accept(PfMotionRun *run, double end)
{
  Collocation *p = run->collocation;
  const int N = 2*run->n;
  double *dy = run->state.dy;
  bool whole = fabs(end - (p->t + p->h)) <= 1e-12*p->h;
  pf_state_advance(run, end);
  run->monitor.step_work = whole ? work(run, p) : 0;
  run->monitor.step_known = whole && !isnan(run->monitor.step_work);
  pf_collocation_at(run, end, run->state.y);
  if (!run->options.drift) (void)pf_project_closely(run, end, run->state.y);
  if (!pf_flow(run, end, run->state.y, dy)) { /* the derivative of the polynomial takes its place */
    double weight[NODES];
    for (int j = 0; j < NODES; j++) weight[j] = lagrange(p, j, (end - p->t)/p->h);
    for (int i = 0; i < N; i++) {
      dy[i] = 0;
      for (int j = 0; j < NODES; j++) dy[i] += weight[j]*p->k[j*N + i];
    }
  }
  run->state.between = PF_BETWEEN_COLLOCATION;
  run->stepper.restart = true;
}
