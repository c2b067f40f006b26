/* SPDX-License-Identifier: Apache-2.0 */
/* The motion of an instance: accelerations, also along surfaces of switching, and the steps of Co-Simulation. */
#include "fmu_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- motion */

int model_fmu_stay_count(const model_fmu_data *d)
{
  int k, count = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++) count += d->stays[k];
  return count;
}

/* W x = r by elimination with pivots by columns; 0: singular. */
int model_fmu_solve(double *W, double *r, int n)
{
  int i, j, k;
  for (k = 0; k < n; k++) {
    int best = k;
    double kept;
    for (i = k + 1; i < n; i++)
      if (fabs(W[i*n + k]) > fabs(W[best*n + k])) best = i;
    if (!(fabs(W[best*n + k]) > DBL_MIN)) return 0;
    for (j = 0; j < n; j++) {
      kept = W[k*n + j];
      W[k*n + j] = W[best*n + j];
      W[best*n + j] = kept;
    }
    kept = r[k];
    r[k] = r[best];
    r[best] = kept;
    for (i = k + 1; i < n; i++) {
      const double l = W[i*n + k]/W[k*n + k];
      for (j = k; j < n; j++) W[i*n + j] -= l*W[k*n + j];
      r[i] -= l*r[k];
    }
  }
  for (k = n - 1; k >= 0; k--) {
    for (j = k + 1; j < n; j++) r[k] -= W[k*n + j]*r[j];
    r[k] /= W[k*n + k];
  }
  return 1;
}

/* The rates of the surfaces that the motion stays on, with the sides as they are in u. */
static model_status model_fmu_slip(const model_fmu_data *d, const model_state *x, const model_input *u, double *a,
                                   double *lambda, double *slip)
{
  double rate[MODEL_FMU_SURFACES1];
  int k, count = 0;
  const model_status status = model_accelerate_by(&d->p, x, u, &d->rows, a, lambda);
  if (status != MODEL_OK) return status;
  model_fmu_rates(&d->p, x, u, a, rate);
  for (k = 0; k < MODEL_FMU_SIDES; k++)
    if (d->stays[k]) slip[count++] = rate[k];
  return MODEL_OK;
}

/* Of a surface that the motion stays on; 0 itself stands for rest, where formulas have a value of their own. */
static void model_fmu_lean(model_input *u, int k, double side)
{
  *model_fmu_side(u, k) = fabs(side) > 0 ? side : 1e-300;
}

/* Along surfaces of switching (Filippov): the sides, between -1 and 1, for which their rates vanish. The forces are
 * linear in the sides, or nearly, so that secants arrive in a step or two. */
static model_status model_fmu_glide(const model_fmu_data *d, const model_state *x, model_input *u, double *a,
                                    double *lambda)
{
  double slip[MODEL_FMU_SURFACES1], other[MODEL_FMU_SURFACES1], W[MODEL_FMU_SURFACES1*MODEL_FMU_SURFACES1];
  const int count = model_fmu_stay_count(d);
  int round, i, j, k;
  for (round = 0; round < 12; round++) {
    double most = 0, size = 0;
    model_status status = model_fmu_slip(d, x, u, a, lambda, slip);
    for (j = 0, k = 0; k < MODEL_FMU_SIDES && status == MODEL_OK; k++) {
      double *side = model_fmu_side(u, k);
      const double kept = *side, move = (kept > 0 ? -1 : 1) - kept;
      if (!d->stays[k]) continue;
      *side = kept + move;
      status = model_fmu_slip(d, x, u, a, lambda, other);
      *side = kept;
      for (i = 0; i < count; i++) {
        W[i*count + j] = (other[i] - slip[i])/move;
        if (fabs(W[i*count + j]) > size) size = fabs(W[i*count + j]);
      }
      j++;
    }
    if (status != MODEL_OK) return status;
    for (i = 0; i < count; i++)
      if (fabs(slip[i]) > most) most = fabs(slip[i]);
    if (most <= 1e-14*size) return model_accelerate_by(&d->p, x, u, &d->rows, a, lambda);
    for (i = 0; i < count; i++) {
      double most_of_row = 0;
      for (j = 0; j < count; j++) most_of_row = fmax(most_of_row, fabs(W[i*count + j]));
      W[i*count + i] -= 0.1*MODEL_FMU_EVENLY*most_of_row; /* found again in the next round */
    }
    if (!model_fmu_solve(W, slip, count)) return MODEL_SINGULAR;
    for (j = 0, k = 0; k < MODEL_FMU_SIDES; k++)
      if (d->stays[k]) model_fmu_lean(u, k, *model_fmu_side(u, k) - slip[j++]);
    if (most <= 1e-9*size) return model_accelerate_by(&d->p, x, u, &d->rows, a, lambda);
  }
  return MODEL_NO_CONVERGENCE;
}

model_status model_fmu_flow(const model_fmu_data *d, const model_state *x, model_input *u, double *a,
                                   double *lambda)
{
  if (model_fmu_stay_count(d)) return model_fmu_glide(d, x, u, a, lambda);
  return model_accelerate_by(&d->p, x, u, &d->rows, a, lambda);
}

model_fmu_status model_fmu_move(model_fmu *f)
{
  if (!f->has_motion) {
    const model_status status = model_fmu_flow(&f->d, &f->d.x, &f->d.u, f->a, f->lambda);
    if (status != MODEL_OK) return model_fmu_status_of(f, status);
    f->has_motion = 1;
  }
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- Co-Simulation */

model_status model_fmu_try(const model_fmu *f, double h, const double *a0, model_state *end, model_input *u,
                           double *error)
{
  static const double c[] = {0, 0.2, 0.3, 0.8, 8.0/9, 1, 1};
  static const double A[7][6] = {
    {0},
    {1.0/5},
    {3.0/40, 9.0/40},
    {44.0/45, -56.0/15, 32.0/9},
    {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
    {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
    {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84}};
  static const double e[] = {71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40};
  const model_state *x = &f->d.x;
  double q[7][MODEL_N], v[7][MODEL_N], lambda[MODEL_FMU_M1];
  const double tolerance = f->d.tolerance;
  int i, j, s;
  memcpy(q[0], x->v, sizeof x->v);
  memcpy(v[0], a0, sizeof x->v);
  for (s = 1; s < 7; s++) {
    model_status status;
    for (i = 0; i < MODEL_N; i++) {
      double dq = 0, dv = 0;
      for (j = 0; j < s; j++) dq += A[s][j]*q[j][i], dv += A[s][j]*v[j][i];
      end->q[i] = x->q[i] + h*dq;
      end->v[i] = x->v[i] + h*dv;
      q[s][i] = end->v[i];
    }
    end->time = x->time + c[s]*h;
    status = model_fmu_flow(&f->d, end, u, v[s], lambda);
    if (status != MODEL_OK) return status;
  }
  *error = 0;
  for (i = 0; i < 2*MODEL_N; i++) {
    double sum = 0, size, ratio;
    const double *before = i < MODEL_N ? &x->q[i] : &x->v[i - MODEL_N];
    const double *after = i < MODEL_N ? &end->q[i] : &end->v[i - MODEL_N];
    for (s = 0; s < 7; s++) sum += e[s]*(i < MODEL_N ? q[s][i] : v[s][i - MODEL_N]);
    size = fabs(*before) > fabs(*after) ? fabs(*before) : fabs(*after);
    ratio = fabs(h*sum)/(tolerance*(1 + size));
    if (!(ratio <= *error)) *error = ratio;
  }
  return *error - *error == 0 ? MODEL_OK : MODEL_NOT_FINITE;
}

/* The step after one with this error. */
static double model_fmu_next(double h, double error)
{
  const double factor = error > 0 ? 0.9*pow(error, -0.2) : 5;
  return h*(factor < 0.2 ? 0.2 : factor > 5 ? 5 : factor);
}

/* A step that is accurate enough and whose surfaces can be followed, at most of *h; then the next one to try is known,
 * unless the rest of the way was too short to tell. */
static model_fmu_status model_fmu_attempt(model_fmu *f, double rest, double *h, model_state *x, model_input *u,
                                          model_fmu_crossing *crossing)
{
  const double tiny = 1e-14*(1 + fabs(f->d.x.time));
  double error = 0;
  int tries, coarse = 0;
  for (tries = 0; tries <= 200 && (!tries || *h > tiny); tries++) {
    model_status status;
    *u = f->d.u;
    status = model_fmu_try(f, *h, f->a, x, u, &error);
    if (status != MODEL_OK) {
      *h /= 4;
      (void)model_fmu_status_of(f, status);
    } else if (error > 1) {
      *h = model_fmu_next(*h, error);
      (void)model_fmu_status_of(f, MODEL_NO_CONVERGENCE);
    } else if (model_fmu_scan(f, x, u, *h, crossing) && *h > 2*tiny && ++coarse < 20) {
      *h /= 2;
    } else {
      if (*h < rest || error > 0.01) f->d.step = coarse ? *h : model_fmu_next(*h, error);
      if (MODEL_FMU_SURFACES > 0 && f->d.step > 2**h) f->d.step = 2**h;
      return MODEL_FMU_OK;
    }
  }
  return MODEL_FMU_ERROR;
}

/* One step, at most to `end`. */
static model_fmu_status model_fmu_step(model_fmu *f, double end)
{
  const double t = f->d.x.time, rest = end - t;
  double h = f->d.step > 0 ? f->d.step : rest/10, error;
  int moved, crosses = 0;
  model_input u = f->d.u;
  model_state x = f->d.x;
  model_fmu_crossing crossing = {0};
  model_fmu_status status = model_fmu_move(f);
  if (1.01*h >= rest) h = rest;
  if (status == MODEL_FMU_OK) status = model_fmu_attempt(f, rest, &h, &x, &u, &crossing);
  if (status == MODEL_FMU_OK && crossing.found) {
    status = model_fmu_locate(f, &crossing, &h, &crosses);
    u = f->d.u;
    (void)model_fmu_try(f, h, f->a, &x, &u, &error);
  }
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  if (h >= rest && !crosses) x.time = end;
  f->d.x = x;
  f->d.u = u;
  model_fmu_forget(f);
  if (crosses) return model_fmu_update(f, &moved);
  if (MODEL_M > 0) status = model_fmu_project(f);
  model_fmu_hold(f);
  return status == MODEL_FMU_OK ? model_fmu_move(f) : MODEL_FMU_ERROR;
}

model_fmu_status model_fmu_advance(model_fmu *f, double end)
{
  enum { LOOK = 5000, AT_ONCE = 20 + 4*(MODEL_FMU_SIDES + MODEL_FMU_EVENTS) };
  const double start = f->d.x.time;
  int moved, steps = 0, stands = 0;
  model_fmu_status status = MODEL_FMU_OK;
  if (f->d.was_set || f->d.due) status = model_fmu_update(f, &moved);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  while (status == MODEL_FMU_OK && f->d.x.time < end && !f->d.ended) {
    const int event = f->d.has_next && f->d.next_event <= end;
    const double before = f->d.x.time;
    if (++steps == LOOK && !(f->d.x.time - start > 1e-3*(end - start))) /* some millions of steps would follow */
      return model_fmu_fail(f, "the motion is too fast: a communication step would take too many steps", "");
    status = model_fmu_step(f, event ? f->d.next_event : end);
    if (event && status == MODEL_FMU_OK && f->d.x.time >= f->d.next_event) status = model_fmu_update(f, &moved);
    stands = f->d.x.time - before > 1e-14*(1 + fabs(before)) ? 0 : stands + 1;
    if (stands > AT_ONCE)
      return model_fmu_fail(f, "time does not advance: at one instant one switch follows the other without end", "");
  }
  return status == MODEL_FMU_OK ? MODEL_FMU_OK : MODEL_FMU_ERROR;
}
