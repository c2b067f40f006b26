/* SPDX-License-Identifier: Apache-2.0 */
/* Co-Simulation: at which instants of a step the motion comes to surfaces. */
#include "fmu_core.h"

#include <math.h>

/* ---------------------------------------------------------------- along a step */

/* What is watched at a place of the step, and how fast it changes; 0: not known. */
typedef struct model_fmu_sample {
  double at; /* from 0 to h */
  double z[MODEL_FMU_SURFACES1], slope[MODEL_FMU_SURFACES1];
} model_fmu_sample;

/* A step as polynomials: velocities by v and a at both ends, coordinates by their integral; q at the end would add what
 * rounding leaves of it over h to the velocities of a short step. */
typedef struct model_fmu_course {
  double h, c[5][MODEL_N];
} model_fmu_course;

static void model_fmu_fit(model_fmu_course *course, const model_state *x0, const double *a0, const model_state *x1,
                          const double *a1, double h)
{
  int i;
  course->h = h;
  for (i = 0; i < MODEL_N; i++) {
    const double a = h*h*a0[i], V = h*(x1->v[i] - x0->v[i]) - a, A = h*h*(a1[i] - a0[i]);
    course->c[0][i] = x0->q[i];
    course->c[1][i] = h*x0->v[i];
    course->c[2][i] = a/2;
    course->c[3][i] = V - A/3;
    course->c[4][i] = A/4 - V/2;
  }
}

static void model_fmu_follow(const model_fmu_course *course, double at, double begin, model_state *x)
{
  const double s = at/course->h;
  int i, k;
  for (i = 0; i < MODEL_N; i++) {
    double q = 0, v = 0;
    for (k = 4; k >= 0; k--) {
      v = v*s + q;
      q = q*s + course->c[k][i];
    }
    x->q[i] = q;
    x->v[i] = v/course->h;
  }
  x->time = begin + at;
}

/* At the state of `point`; 0: there is none. */
static int model_fmu_take(model_fmu *point, double at, model_fmu_sample *sample)
{
  double rate[MODEL_FMU_SURFACES1];
  int k;
  sample->at = at;
  if (model_fmu_watch(point, sample->z) != MODEL_FMU_OK) return 0;
  model_fmu_rates(&point->d.p, &point->d.x, &point->d.u, point->a, rate);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    if (k >= MODEL_FMU_SIDES) sample->slope[k] = point->d.truth[k] ? -rate[k] : rate[k];
    else sample->slope[k] = point->d.stays[k] ? 0 : *model_fmu_side(&point->d.u, k)*rate[k];
    if (model_fmu_timed[k]) sample->slope[k] = 0;
  }
  return 1;
}

/* The cubic through two samples. */
static double model_fmu_cubic(const model_fmu_sample *a, const model_fmu_sample *b, int k, double at)
{
  const double h = b->at - a->at, s = (at - a->at)/h, r = 1 - s;
  return r*r*((1 + 2*s)*a->z[k] + s*h*a->slope[k]) + s*s*((1 + 2*r)*b->z[k] - r*h*b->slope[k]);
}

/* Is a surface too far from the cubics through the samples beside it? */
static int model_fmu_is_coarse(const model_fmu_sample *s, int count)
{
  int i, k;
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    double most = 0, size = 0;
    int known = 0;
    for (i = 0; i < count; i++) {
      if (fabs(s[i].z[k]) > size) size = fabs(s[i].z[k]);
      if (fabs(s[i].slope[k]) > 0) known = 1;
    }
    for (i = 1; known && i + 1 < count; i++) {
      const double off = fabs(model_fmu_cubic(s + i - 1, s + i + 1, k, s[i].at) - s[i].z[k]);
      if (off > most) most = off;
    }
    if (most > 0.1*size + 1e-9) return 1; /* not where it is zero but for rounding */
  }
  return 0;
}

/* Between two samples surface k falls and rises again: where it is lowest, by the cubic. */
static int model_fmu_dips(const model_fmu_sample *a, const model_fmu_sample *b, int k, double *at)
{
  double low = a->at, high = b->at;
  int round;
  if (!(a->z[k] > 0 && b->z[k] > 0 && a->slope[k] < 0 && b->slope[k] > 0)) return 0;
  for (round = 0; round < 40; round++) { /* thirds: there is one minimum */
    const double left = low + (high - low)/3, right = high - (high - low)/3;
    if (model_fmu_cubic(a, b, k, left) < model_fmu_cubic(a, b, k, right)) high = right;
    else low = left;
  }
  *at = low;
  return model_fmu_cubic(a, b, k, low) < 0.1*(a->z[k] < b->z[k] ? a->z[k] : b->z[k]);
}

static void model_fmu_bracket(const model_fmu_sample *low, double high, model_fmu_crossing *crossing)
{
  int k;
  crossing->found = 1;
  crossing->low = low->at;
  crossing->high = high;
  for (k = 0; k < MODEL_FMU_SURFACES; k++) crossing->before[k] = low->z[k];
}

/* Does one of them change its sign between two samples, or twice? */
static void model_fmu_look_between(model_fmu *point, const model_fmu_course *course, double begin,
                                   const model_fmu_sample *a, const model_fmu_sample *b, model_fmu_crossing *crossing)
{
  model_fmu_sample lowest;
  double at;
  int k;
  for (k = 0; k < MODEL_FMU_SURFACES && !crossing->found; k++) {
    if (a->z[k] > 0 && b->z[k] <= 0) model_fmu_bracket(a, b->at, crossing);
    if (a->at <= 0 && a->z[k] <= 0 && b->z[k] < -1e-10) crossing->at_once = 1;
  }
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    if (!model_fmu_dips(a, b, k, &at)) continue;
    model_fmu_follow(course, at, begin, &point->d.x);
    model_fmu_forget(point);
    if (model_fmu_take(point, at, &lowest) && lowest.z[k] <= 0 && (!crossing->found || at < crossing->high))
      model_fmu_bracket(a, at, crossing);
  }
}

int model_fmu_scan(const model_fmu *f, const model_state *x, const model_input *u, double h,
                   model_fmu_crossing *crossing)
{
  enum { COUNT = 4 };
  static const double place[COUNT] = {0, 0.31, 0.64, 1}; /* uneven: nothing periodic hides between them */
  model_fmu_sample samples[COUNT];
  model_fmu_course course;
  model_fmu point;
  int i, good;
  crossing->found = crossing->at_once = 0;
  if (MODEL_FMU_SURFACES == 0) return 0;
  point.d = f->d;
  model_fmu_forget(&point);
  good = model_fmu_take(&point, 0, samples);
  point.d.x = *x;
  point.d.u = *u;
  model_fmu_forget(&point);
  if (!good || !model_fmu_take(&point, h, samples + COUNT - 1)) return 1;
  model_fmu_fit(&course, &f->d.x, f->a, x, point.a, h);
  for (i = 1; i + 1 < COUNT; i++) {
    model_fmu_follow(&course, place[i]*h, f->d.x.time, &point.d.x);
    model_fmu_forget(&point);
    if (!model_fmu_take(&point, place[i]*h, samples + i)) return 1;
  }
  if (model_fmu_is_coarse(samples, COUNT)) return 1;
  for (i = 0; i + 1 < COUNT && !crossing->found && !crossing->at_once; i++)
    model_fmu_look_between(&point, &course, f->d.x.time, samples + i, samples + i + 1, crossing);
  if (crossing->at_once) crossing->found = 1, crossing->high = fmin(h, 1e-9*(1 + fabs(f->d.x.time)));
  return 0;
}

/* ---------------------------------------------------------------- the instant */

/* The least of what is watched at the end of a step of length h, among what was positive before. */
static model_fmu_status model_fmu_least(const model_fmu *f, double h, const double *before, model_fmu *end,
                                        double *least)
{
  double z[MODEL_FMU_SURFACES1], error;
  int k;
  model_fmu_status status;
  model_status tried;
  end->d = f->d;
  model_fmu_forget(end);
  tried = model_fmu_try(f, h, f->a, &end->d.x, &end->d.u, &error);
  if (tried != MODEL_OK) return model_fmu_status_of(end, tried);
  status = model_fmu_watch(end, z);
  if (status != MODEL_FMU_OK) return status;
  *least = 1;
  for (k = 0; k < MODEL_FMU_SURFACES; k++)
    if (before[k] > 0 && z[k]/before[k] < *least) *least = z[k]/before[k];
  return MODEL_FMU_OK;
}

/* By the Illinois rule. */
model_fmu_status model_fmu_locate(model_fmu *f, const model_fmu_crossing *crossing, double *h, int *crosses)
{
  model_fmu end;
  double low = crossing->low, low_value = 1, high = crossing->high, high_value, value;
  int round, last = 0;
  model_fmu_status status = MODEL_FMU_OK;
  *h = high;
  *crosses = 1;
  if (crossing->at_once) return MODEL_FMU_OK;
  status = model_fmu_least(f, high, crossing->before, &end, &high_value);
  if (status != MODEL_FMU_OK) return status;
  *crosses = high_value <= 0;
  for (round = 0; *crosses && round < 80 && high - low > 1e-14*(1 + fabs(f->d.x.time)); round++) {
    double middle = high - high_value*(high - low)/(high_value - low_value);
    if (!(middle > low && middle < high) || round > 40) middle = low + (high - low)/2;
    status = model_fmu_least(f, middle, crossing->before, &end, &value);
    if (status != MODEL_FMU_OK) return status;
    if (value <= 0) {
      high = middle;
      high_value = value;
      if (last == 1) low_value /= 2;
      last = 1;
    } else {
      low = middle;
      low_value = value;
      if (last == -1) high_value /= 2;
      last = -1;
    }
    if (high_value > -1e-15) break;
  }
  *h = high;
  return MODEL_FMU_OK;
}
