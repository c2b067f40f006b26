/* SPDX-License-Identifier: Apache-2.0 */
/* Sides of surfaces of switching, decided as in a run of pfaff. Off a surface its side is the sign of g. On it the
 * motion decides, by the rate r of g (r = g' where g depends on velocities, r = g'' where g' vanishes, too), which
 * depends on the sides s through the forces:
 *
 *   s = 1 with r >= 0 (it leaves upwards),  s = -1 with r <= 0 (downwards),  or r = 0 with s between (it stays),
 *
 * for all surfaces that are met at the same time: a complementarity problem, solved by principal pivoting with the
 * least index (Murty 1974) and repeated where r is not affine in s. */
#include "fmu_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct model_fmu_sides {
  model_fmu *f;
  model_fmu_data d; /* of which the sides and what stays are decided */
  double a[MODEL_N], lambda[MODEL_FMU_M1];
  double g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1], second[MODEL_FMU_SURFACES1];
  double size[2*MODEL_FMU_SURFACES1]; /* and slope */
  double old[MODEL_FMU_SURFACES1];
  int met[MODEL_FMU_SURFACES1], released[MODEL_FMU_SURFACES1], settled[MODEL_FMU_SURFACES1];
  /* the surfaces that the motion is on: r + slope (s - side) */
  int count, list[MODEL_FMU_SURFACES1], state[MODEL_FMU_SURFACES1];
  double r[MODEL_FMU_SURFACES1], slope[MODEL_FMU_SURFACES1*MODEL_FMU_SURFACES1], trial[MODEL_FMU_SURFACES1];
} model_fmu_sides;

/* ---------------------------------------------------------------- looking */

static double *model_fmu_side_of(model_fmu_sides *s, int k)
{
  return model_fmu_side(&s->d.u, k);
}

static double model_fmu_slope_of(const model_fmu_sides *s, int k)
{
  return s->size[MODEL_FMU_SURFACES + k];
}

static void model_fmu_sides_look(model_fmu_sides *s)
{
  model_fmu_surfaces(&s->d.p, &s->d.x, &s->d.u, s->a, s->lambda, s->g);
  model_fmu_rates(&s->d.p, &s->d.x, &s->d.u, s->a, s->rate);
  model_fmu_seconds(&s->d.p, &s->d.x, &s->d.u, s->a, s->second);
  model_fmu_sizes(&s->d.p, &s->d.x, &s->d.u, s->a, s->lambda, s->size);
}

/* Accelerations with the present sides. */
static model_fmu_status model_fmu_sides_accelerate(model_fmu_sides *s)
{
  const model_status status = model_accelerate_by(&s->d.p, &s->d.x, &s->d.u, &s->d.rows, s->a, s->lambda);
  return status == MODEL_OK ? MODEL_FMU_OK : model_fmu_status_of(s->f, status);
}

/* The state is known to rounding, and to a small part of what the tolerance allows. */
static double model_fmu_absolute(const model_fmu_data *d)
{
  return d->tolerance < 1e-9 ? d->tolerance : 1e-9;
}

static double model_fmu_noise(const model_fmu_sides *s, int k)
{
  return 1e-13*s->size[k] + 1e-4*model_fmu_absolute(&s->d)*model_fmu_slope_of(s, k);
}

static double model_fmu_largest(const double *x, int count)
{
  double most = 0;
  int i;
  for (i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* What rounding makes of the rate of surface k under accelerations a. */
static double model_fmu_rounding(const model_fmu_sides *s, int k, double a)
{
  return model_fmu_degree[k] == 1 ? 1e-13*model_fmu_slope_of(s, k)*a : 0;
}

/* r of the listed surfaces with the present sides. */
static model_fmu_status model_fmu_sides_rates(model_fmu_sides *s, double *r)
{
  const model_fmu_status status = model_fmu_sides_accelerate(s);
  double most;
  int i;
  if (status != MODEL_FMU_OK) return status;
  model_fmu_sides_look(s);
  most = model_fmu_largest(s->a, MODEL_N);
  for (i = 0; i < s->count; i++) {
    const int k = s->list[i];
    r[i] = model_fmu_degree[k] == 2 ? s->second[k] : s->rate[k];
    if (fabs(r[i]) <= model_fmu_rounding(s, k, most)) r[i] = 0;
  }
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- the complementarity problem */

/* r and its slopes, by changing one side at a time. */
static model_fmu_status model_fmu_sides_slopes(model_fmu_sides *s)
{
  double other[MODEL_FMU_SURFACES1], most;
  const int p = s->count;
  int i, j;
  model_fmu_status status = model_fmu_sides_rates(s, s->r);
  const double base = model_fmu_largest(s->a, MODEL_N);
  for (j = 0; j < p && status == MODEL_FMU_OK; j++) {
    double *side = model_fmu_side_of(s, s->list[j]);
    const double here = *side, there = here > 0 ? -1 : 1; /* never by 0, which stands for rest */
    *side = there;
    status = model_fmu_sides_rates(s, other);
    *side = here;
    most = base + model_fmu_largest(s->a, MODEL_N);
    for (i = 0; i < p; i++) {
      const double change = other[i] - s->r[i];
      s->slope[i*p + j] = fabs(change) <= model_fmu_rounding(s, s->list[i], most) ? 0 : change/(there - here);
    }
  }
  return status;
}

/* Sides for the states: those that stay are solved for. 0: that is not possible. */
static int model_fmu_sides_solve(model_fmu_sides *s)
{
  double W[MODEL_FMU_SURFACES1*MODEL_FMU_SURFACES1];
  const int p = s->count;
  int i, j;
  for (i = 0; i < p; i++) {
    s->trial[i] = s->state[i];
    for (j = 0; j < p; j++) W[i*p + j] = i == j;
    if (s->state[i]) continue;
    s->trial[i] = -s->r[i];
    for (j = 0; j < p; j++) {
      W[i*p + j] = s->slope[i*p + j];
      s->trial[i] += s->slope[i*p + j]**model_fmu_side_of(s, s->list[j]);
    }
    W[i*p + i] -= MODEL_FMU_EVENLY*model_fmu_largest(s->slope + i*p, p);
  }
  if (!model_fmu_solve(W, s->trial, p)) return 0;
  for (i = 0; i < p; i++)
    if (!(s->trial[i] - s->trial[i] == 0)) return 0;
  return 1;
}

/* The state that fits surface i better: its own where that fits. */
static int model_fmu_sides_better(model_fmu_sides *s, int i)
{
  const int p = s->count;
  double r, size;
  int j;
  if (s->released[s->list[i]]) return s->state[i];
  if (!s->state[i]) return fabs(s->trial[i]) <= 1 + MODEL_FMU_GIVE ? 0 : s->trial[i] > 0 ? 1 : -1;
  r = s->r[i] - MODEL_FMU_EVENLY*model_fmu_largest(s->slope + i*p, p)*s->state[i];
  size = fabs(r);
  for (j = 0; j < p; j++) {
    const double part = s->slope[i*p + j]*(s->trial[j] - *model_fmu_side_of(s, s->list[j]));
    r += part;
    size += fabs(part);
  }
  return r*s->state[i] >= -1e-10*size ? s->state[i] : 0;
}

/* By pivoting; 0: no combination is found. */
static int model_fmu_sides_pivot(model_fmu_sides *s)
{
  int turn, i;
  for (turn = 0; turn < 100 + 20*s->count; turn++) {
    if (!model_fmu_sides_solve(s)) return 0;
    for (i = 0; i < s->count && model_fmu_sides_better(s, i) == s->state[i]; i++) continue;
    if (i == s->count) return 1;
    s->state[i] = model_fmu_sides_better(s, i);
  }
  return 0;
}

/* By trying all combinations, sides before staying: pivoting may run in circles where forces push away. */
static int model_fmu_sides_search(model_fmu_sides *s)
{
  static const int states[3] = {1, -1, 0};
  long code, all = 1, rest;
  int i;
  if (s->count > 7) return 0;
  for (i = 0; i < s->count; i++) all *= 3;
  for (code = 0; code < all; code++) {
    for (i = 0, rest = code; i < s->count; i++, rest /= 3)
      if (!s->released[s->list[i]]) s->state[i] = states[rest%3];
    if (!model_fmu_sides_solve(s)) continue;
    for (i = 0; i < s->count && model_fmu_sides_better(s, i) == s->state[i]; i++) continue;
    if (i == s->count) return 1;
  }
  return 0;
}

/* What each surface does if nothing is against it: one that was met is crossed, one that holds goes on to. */
static void model_fmu_sides_guess(model_fmu_sides *s)
{
  int i;
  for (i = 0; i < s->count; i++) {
    const int k = s->list[i], sign = s->old[k] > 0 ? 1 : -1, one_side = fabs(fabs(s->old[k]) - 1) <= 0;
    if (s->released[k]) s->state[i] = sign;
    else if (s->met[k]) s->state[i] = one_side ? -sign : 0;
    else s->state[i] = one_side ? sign : (s->r[i] > 0) - (s->r[i] < 0);
  }
}

/* Where a surface that stays has no say in its own rate, no side could keep the motion on it: it goes on as it came. */
static void model_fmu_sides_loosen(model_fmu_sides *s)
{
  const int p = s->count;
  int i;
  for (i = 0; i < p; i++) {
    const double own = fabs(s->slope[i*p + i]), most = model_fmu_largest(s->slope + i*p, p);
    if (s->state[i] || own > 1e-12*fmax(most, fabs(s->r[i]))) continue;
    s->state[i] = s->r[i] > 0 ? 1 : s->r[i] < 0 || s->old[s->list[i]] < 0 ? -1 : 1;
  }
}

/* Surfaces on which the motion rests by itself, with the values that the formulas have there, and to which nothing
 * draws it, are not decided, but left when g departs from 0. */
static model_fmu_status model_fmu_sides_rest(model_fmu_sides *s)
{
  double own[MODEL_FMU_SURFACES1] = {0};
  int i, left = 0;
  model_fmu_status status;
  for (i = 0; i < s->count; i++)
    if (!s->met[s->list[i]]) *model_fmu_side_of(s, s->list[i]) = 0;
  status = model_fmu_sides_rates(s, own);
  for (i = 0; i < s->count; i++) {
    double *side = model_fmu_side_of(s, s->list[i]);
    if (!(fabs(*side) > 0)) *side = 1; /* to measure from */
  }
  if (status == MODEL_FMU_OK) status = model_fmu_sides_slopes(s);
  for (i = 0; i < s->count && status == MODEL_FMU_OK; i++) {
    const double slope = s->slope[i*s->count + i], size = fabs(s->r[i]) + fabs(slope);
    if (!s->met[s->list[i]] && fabs(own[i]) <= 1e-12*size && slope >= -1e-12*size)
      *model_fmu_side_of(s, s->list[i]) = 0;
    else s->list[left++] = s->list[i];
  }
  s->count = left;
  return status;
}

/* Repeats where the rates are not affine in the sides. */
static model_fmu_status model_fmu_sides_settle(model_fmu_sides *s)
{
  enum { MOST = 12 };
  int turn, i;
  double change = 1;
  model_fmu_status status = model_fmu_sides_rest(s);
  for (turn = 0; turn < MOST && change > 1e-9 && status == MODEL_FMU_OK; turn++) {
    status = model_fmu_sides_slopes(s);
    if (status != MODEL_FMU_OK) break;
    if (!turn) model_fmu_sides_guess(s);
    model_fmu_sides_loosen(s);
    if (!model_fmu_sides_pivot(s) && !model_fmu_sides_search(s)) break;
    for (change = 0, i = 0; i < s->count; i++) {
      double *side = model_fmu_side_of(s, s->list[i]);
      change = fmax(change, fabs(s->trial[i] - *side));
      *side = fabs(s->trial[i]) > 0 ? s->trial[i] : 1e-300; /* 0 stands for rest */
    }
  }
  for (i = 0; i < s->count; i++) {
    s->d.stays[s->list[i]] = s->state[i] == 0;
    if (s->state[i]) *model_fmu_side_of(s, s->list[i]) = s->state[i];
  }
  return status;
}

/* ---------------------------------------------------------------- the decision */

/* Surfaces whose side is read off g itself, or off its rate where the motion goes through; 1: neither tells. */
static int model_fmu_sides_open(model_fmu_sides *s, int k, int met)
{
  const int degree = model_fmu_degree[k];
  const double g = s->g[k], rate = s->rate[k], second = s->second[k];
  double *side = model_fmu_side_of(s, k), excursion = DBL_MAX;
  int passes;
  s->d.stays[k] = 0;
  if (!met && fabs(g) > model_fmu_noise(s, k)) {
    *side = g > 0 ? 1 : -1;
    return 0;
  }
  if (degree == 1) return 1;
  if (degree == 2 && fabs(second) > 0) excursion = 0.5*rate*rate/fabs(second);
  passes = fabs(rate) > 0 && (degree == 0 || excursion > 100*model_fmu_absolute(&s->d)*model_fmu_slope_of(s, k));
  if (passes) *side = rate > 0 ? 1 : -1;
  else if (degree == 0 && !(fabs(s->old[k]) > 0)) *side = (g > 0) - (g < 0);
  return degree == 2 && !passes;
}

/* Sides from g where it is not zero; a surface may contain sides of others. */
static void model_fmu_sides_read(model_fmu_sides *s)
{
  int turn, k, changed = 1;
  for (turn = 0; turn <= MODEL_FMU_SIDES && changed; turn++) {
    changed = 0;
    model_fmu_sides_look(s);
    for (k = 0; k < MODEL_FMU_SIDES; k++) {
      const double sign = s->g[k] > 0 ? 1 : -1;
      if (s->met[k] || fabs(s->g[k]) <= model_fmu_noise(s, k) || fabs(*model_fmu_side_of(s, k) - sign) <= 0) continue;
      *model_fmu_side_of(s, k) = sign;
      changed = 1;
    }
  }
}

/* Surfaces that were met and are simply passed go over first. */
static void model_fmu_sides_pass(model_fmu_sides *s)
{
  int k;
  model_fmu_sides_look(s);
  for (k = 0; k < MODEL_FMU_SIDES; k++) {
    const int passed = s->met[k] && !s->d.stays[k] && model_fmu_degree[k] != 1;
    s->settled[k] = passed && !model_fmu_sides_open(s, k, 1);
  }
}

/* How far the state may be off a surface that it stays on: what is left of it as a constraint. */
static double model_fmu_slack_of(const model_fmu_sides *s, int k)
{
  return model_fmu_noise(s, k) + 1e3*model_fmu_absolute(&s->d)*model_fmu_slope_of(s, k);
}

/* What sticks to something that jumps stays behind, as a block on a belt that is switched on. */
static void model_fmu_sides_tear(model_fmu_sides *s)
{
  int k;
  model_fmu_sides_look(s);
  for (k = 0; k < MODEL_FMU_SIDES; k++)
    if (s->d.stays[k] && fabs(s->g[k]) > model_fmu_slack_of(s, k)) s->met[k] = s->released[k] = s->d.stays[k] = 0;
}

/* What is at its limit when something is released gives way with it: of several that hold the same none can go
 * alone. */
static void model_fmu_sides_release(model_fmu_sides *s)
{
  int k, any = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++) any |= s->released[k];
  for (k = 0; k < MODEL_FMU_SIDES; k++) {
    if (any && s->d.stays[k] && fabs(s->old[k]) > 1 - MODEL_FMU_GIVE) s->released[k] = 1;
    if (s->released[k]) *model_fmu_side_of(s, k) = s->old[k] > 0 ? 1 : -1;
  }
}

static model_fmu_status model_fmu_sides_decide(model_fmu_sides *s)
{
  model_fmu_status status;
  int k;
  for (k = 0; k < MODEL_FMU_SIDES; k++) {
    s->old[k] = *model_fmu_side_of(s, k);
    s->met[k] = s->met[k] || s->d.stays[k];
  }
  model_fmu_sides_pass(s);
  model_fmu_sides_tear(s);
  model_fmu_sides_read(s);
  status = model_fmu_sides_accelerate(s); /* for g'' */
  if (status != MODEL_FMU_OK) return status;
  model_fmu_sides_look(s);
  s->count = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++)
    if (!s->settled[k] && model_fmu_sides_open(s, k, s->met[k])) s->list[s->count++] = k;
  model_fmu_sides_release(s);
  return s->count ? model_fmu_sides_settle(s) : MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- what stays */

/* Accelerations by each of the listed sides. */
static model_fmu_status model_fmu_sides_forces(model_fmu_sides *s, double *by)
{
  double base[MODEL_N];
  int i, j;
  model_fmu_status status = model_fmu_sides_accelerate(s);
  memcpy(base, s->a, sizeof base);
  for (j = 0; j < s->count && status == MODEL_FMU_OK; j++) {
    double *side = model_fmu_side_of(s, s->list[j]);
    const double here = *side, there = here > 0 ? -1 : 1;
    *side = there;
    status = model_fmu_sides_accelerate(s);
    *side = here;
    for (i = 0; i < MODEL_N; i++) by[j*MODEL_N + i] = (s->a[i] - base[i])/(there - here);
  }
  return status;
}

/* Impulses of the forces that hold take the velocities back to the surfaces that the motion stays on. */
static void model_fmu_sides_hold(model_fmu_sides *s)
{
  double W[MODEL_FMU_SURFACES1*MODEL_FMU_SURFACES1], y[MODEL_FMU_SURFACES1], by[MODEL_FMU_SURFACES1*MODEL_N];
  int i, j, k;
  s->count = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++)
    if (s->d.stays[k] && model_fmu_degree[k] == 1) s->list[s->count++] = k;
  model_fmu_sides_look(s);
  for (i = 0; i < s->count; i++) y[i] = -s->g[s->list[i]];
  if (!(model_fmu_largest(y, s->count) > 0)) return;
  if (model_fmu_sides_slopes(s) != MODEL_FMU_OK || model_fmu_sides_forces(s, by) != MODEL_FMU_OK) return;
  memcpy(W, s->slope, sizeof W);
  for (i = 0; i < s->count; i++)
    W[i*s->count + i] -= MODEL_FMU_EVENLY*model_fmu_largest(s->slope + i*s->count, s->count);
  if (!model_fmu_solve(W, y, s->count)) return;
  for (i = 0; i < MODEL_N; i++)
    for (j = 0; j < s->count; j++) s->d.x.v[i] += by[j*MODEL_N + i]*y[j];
}

static void model_fmu_sides_begin(model_fmu_sides *s, model_fmu *f)
{
  memset(s, 0, sizeof *s);
  s->f = f;
  s->d = f->d;
  memcpy(s->a, f->a, sizeof s->a);
  memcpy(s->lambda, f->lambda, sizeof s->lambda);
}

/* A surface is left behind when the state is further on its other side than now, and than rounding. */
static void model_fmu_sides_end(model_fmu_sides *s, model_fmu *f)
{
  int k;
  model_fmu_sides_hold(s);
  model_fmu_sides_look(s);
  f->d.u = s->d.u;
  f->d.x = s->d.x;
  for (k = 0; k < MODEL_FMU_SIDES; k++) {
    f->d.slack[k] = 2*fmax(model_fmu_noise(s, k), -*model_fmu_side_of(s, k)*s->g[k]);
    f->d.stays[k] = s->d.stays[k];
  }
  model_fmu_forget(f);
}

/* ---------------------------------------------------------------- for the others */

model_fmu_status model_fmu_decide(model_fmu *f, const int *met, const int *released)
{
  model_fmu_sides s;
  model_fmu_status status;
  int k;
  model_fmu_sides_begin(&s, f);
  for (k = 0; k < MODEL_FMU_SIDES; k++) s.met[k] = met[k], s.released[k] = released[k];
  status = model_fmu_sides_decide(&s);
  if (status == MODEL_FMU_OK) model_fmu_sides_end(&s, f);
  return status;
}

model_fmu_status model_fmu_find_sides(model_fmu *f)
{
  const int none[MODEL_FMU_SURFACES1] = {0};
  int k;
  for (k = 0; k < MODEL_FMU_SIDES; k++) *model_fmu_side(&f->d.u, k) = 0, f->d.stays[k] = 0;
  return model_fmu_decide(f, none, none);
}

void model_fmu_hold(model_fmu *f)
{
  model_fmu_sides s;
  if (!model_fmu_stay_count(&f->d)) return;
  model_fmu_sides_begin(&s, f);
  model_fmu_sides_hold(&s);
  f->d.x = s.d.x;
  model_fmu_forget(f);
}

void model_fmu_allowances(model_fmu *f, double *near, double *off)
{
  model_fmu_sides s;
  int k;
  model_fmu_sides_begin(&s, f);
  model_fmu_sides_look(&s);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    near[k] = 2*model_fmu_noise(&s, k) + 1e-7*(1 + fabs(f->d.x.time))*fabs(s.rate[k]);
    off[k] = model_fmu_slack_of(&s, k);
  }
}
