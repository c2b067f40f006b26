/* SPDX-License-Identifier: Apache-2.0 */
/* At what the motion of an instance changes, and how. */
#include "fmu_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- surfaces */

/* Positive as long as nothing happens. Sides: the side times g, or what is left of the force that holds. Comparisons:
 * g times the sign that goes with their truth. What time alone decides stays at 1: its time is known. */
model_fmu_status model_fmu_watch(model_fmu *f, double *z)
{
  double g[MODEL_FMU_SURFACES1];
  int k;
  const model_fmu_status status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return status;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    if (model_fmu_timed[k]) z[k] = 1;
    else if (k >= MODEL_FMU_SIDES) z[k] = f->d.truth[k] ? -g[k] : g[k];
    else if (f->d.stays[k]) z[k] = 1 - fabs(*model_fmu_side(&f->d.u, k));
    else z[k] = *model_fmu_side(&f->d.u, k)*g[k];
  }
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_get_indicators(model_fmu *f, double *indicators)
{
  double z[MODEL_FMU_SURFACES1];
  int k, count = 0;
  const model_fmu_status status = model_fmu_watch(f, z);
  if (status != MODEL_FMU_OK) return status;
  for (k = 0; k < MODEL_FMU_SURFACES; k++)
    if (!model_fmu_timed[k]) indicators[count++] = z[k];
  return MODEL_FMU_OK;
}

/* Times that are as good as the same. */
static double model_fmu_instant(const model_fmu *f)
{
  return 1e-10*(1 + fabs(f->d.x.time));
}

/* The rate of surface k with its side as given. */
static model_fmu_status model_fmu_rate_at(model_fmu *f, int k, double side, double *rate)
{
  double all[MODEL_FMU_SURFACES1], a[MODEL_N], lambda[MODEL_FMU_M1];
  model_fmu_data d = f->d;
  model_status status;
  d.stays[k] = 0;
  *model_fmu_side(&d.u, k) = side;
  status = model_fmu_flow(&d, &d.x, &d.u, a, lambda);
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  model_fmu_rates(&d.p, &d.x, &d.u, a, all);
  *rate = all[k];
  return MODEL_FMU_OK;
}

/* On the surface: leaves to the side whose forces lead away from it, or stays when both lead back. */
model_fmu_status model_fmu_decide(model_fmu *f, int k, double from)
{
  double up, down, *side = model_fmu_side(&f->d.u, k);
  model_fmu_status status = model_fmu_rate_at(f, k, 1, &up);
  if (status == MODEL_FMU_OK) status = model_fmu_rate_at(f, k, -1, &down);
  if (status != MODEL_FMU_OK) return status;
  f->d.stays[k] = 0;
  if (up > 0 && (from < 0 || down >= 0)) *side = 1;
  else if (down < 0) *side = -1;
  else if (up >= 0) *side = 1;
  else f->d.stays[k] = 1, *side = 0;
  model_fmu_forget(f);
  return MODEL_FMU_OK;
}

/* Which surfaces the state has come to. */
static model_fmu_status model_fmu_due(model_fmu *f, int *due)
{
  double z[MODEL_FMU_SURFACES1], g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1];
  int k;
  const model_fmu_status status = model_fmu_watch(f, z);
  if (status != MODEL_FMU_OK) return status;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  model_fmu_rates(&f->d.p, &f->d.x, &f->d.u, f->a, rate);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    const double sign = k < MODEL_FMU_SIDES ? *model_fmu_side(&f->d.u, k) : f->d.truth[k] ? -1 : 1;
    if (k >= MODEL_FMU_SIDES || !f->d.stays[k])
      due[k] = sign*g[k] <= 0 || sign*(g[k] + rate[k]*model_fmu_instant(f)) <= 0;
    else
      due[k] = z[k] <= 1e-12;
  }
  return MODEL_FMU_OK;
}

static model_fmu_status model_fmu_switch(model_fmu *f, int k)
{
  double *side = model_fmu_side(&f->d.u, k);
  model_fmu_forget(f);
  if (model_fmu_timed[k]) {
    *side = -*side;
    return MODEL_FMU_OK;
  }
  if (f->d.stays[k]) {
    f->d.stays[k] = 0;
    *side = *side < 0 ? -1 : 1;
    return MODEL_FMU_OK;
  }
  return model_fmu_decide(f, k, *side);
}

/* The next instant at which something that time alone decides, linearly, changes. */
void model_fmu_plan(model_fmu *f)
{
  double g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1];
  const double t = f->d.x.time;
  int k;
  f->d.has_next = 0;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  model_fmu_rates(&f->d.p, &f->d.x, &f->d.u, f->a, rate);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    const double at = t - g[k]/rate[k];
    if (!model_fmu_timed[k] || !(at > t + model_fmu_instant(f)) || !(at <= DBL_MAX)) continue;
    if (f->d.has_next && f->d.next_event <= at) continue;
    f->d.has_next = 1;
    f->d.next_event = at;
  }
}

model_fmu_status model_fmu_find_sides(model_fmu *f)
{
  double g[MODEL_FMU_SURFACES1];
  int k;
  model_fmu_status status = MODEL_FMU_OK;
  for (k = 0; k < MODEL_FMU_SIDES; k++) *model_fmu_side(&f->d.u, k) = 1, f->d.stays[k] = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++) {
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g); /* sides depend on earlier ones alone */
    if (g[k] > 0 || g[k] < 0) *model_fmu_side(&f->d.u, k) = g[k] > 0 ? 1 : -1;
  }
  for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++) {
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
    if (fabs(g[k]) <= 0) status = model_fmu_decide(f, k, 0);
  }
  model_fmu_forget(f);
  return status;
}

/* ---------------------------------------------------------------- conditions */

/* By the truth of comparisons: whether the motion has ended; events that are to happen are marked in `forced`. */
static void model_fmu_judge(model_fmu *f, const double *truth, int *forced)
{
  double holds[MODEL_FMU_EVENTS + 1];
  int e;
  model_fmu_conditions(truth, holds);
  if (holds[0] > 0.5) f->d.ended = 1;
  for (e = 0; e < MODEL_FMU_EVENTS; e++)
    if (holds[e + 1] > 0.5 && !f->d.happened[e]) forced[e] = 1;
}

/* From the state alone. */
static void model_fmu_look(model_fmu *f, int *forced)
{
  double g[MODEL_FMU_SURFACES1], truth[MODEL_FMU_SURFACES1];
  int k;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) {
    f->d.truth[k] = g[k] < 0 || (model_fmu_or_equal[k] && g[k] <= 0);
    truth[k] = model_fmu_equal[k] ? fabs(g[k]) <= 0 : f->d.truth[k];
  }
  model_fmu_judge(f, truth, forced);
}

void model_fmu_find_truths(model_fmu *f)
{
  int forced[MODEL_FMU_EVENTS1] = {0}, e;
  f->d.ended = f->d.due = 0;
  model_fmu_look(f, forced);
  for (e = 0; e < MODEL_FMU_EVENTS; e++) f->d.due |= forced[e];
}

/* Comparisons that are due change. */
static void model_fmu_compare(model_fmu *f, const int *due, int *forced)
{
  double truth[MODEL_FMU_SURFACES1];
  int k;
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) {
    if (due[k] && !model_fmu_equal[k]) f->d.truth[k] = !f->d.truth[k];
    truth[k] = model_fmu_equal[k] ? due[k] : f->d.truth[k];
  }
  model_fmu_judge(f, truth, forced);
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) /* an equality is watched again from its other side */
    if (due[k] && model_fmu_equal[k]) f->d.truth[k] = !f->d.truth[k];
}

/* ---------------------------------------------------------------- what is locked, attached, detached */

/* v+ without the constraints: what is held stops, and M_BB (v+ - v-)_B = M_BH v-_H + impulse_B; M is that of the model
 * in which all is free. 0: something has no inertia of its own. */
static int model_fmu_stop(model_fmu_data *d, const double *M, const double *impulse)
{
  double W[MODEL_N*MODEL_N], r[MODEL_N];
  int i, j;
  for (i = 0; i < MODEL_N; i++) {
    const int held = model_fmu_is_held(&d->u, i);
    r[i] = held ? 0 : impulse[i];
    for (j = 0; j < MODEL_N; j++) {
      const int apart = held || model_fmu_is_held(&d->u, j);
      W[i*MODEL_N + j] = apart ? i == j : M[i*MODEL_N + j];
      if (!held && apart) r[i] += M[i*MODEL_N + j]*d->x.v[j];
    }
  }
  if (!model_fmu_solve(W, r, MODEL_N)) return 0;
  for (i = 0; i < MODEL_N; i++) d->x.v[i] = model_fmu_is_held(&d->u, i) ? 0 : d->x.v[i] + r[i];
  return 1;
}

/* An event: poses stay, velocities jump to the nearest ones, in the metric of M, that what is held and active from now
 * on allows. */
static model_fmu_status model_fmu_happen(model_fmu *f, int e)
{
  double M[MODEL_N*MODEL_N], F[MODEL_N], A[MODEL_FMU_M1*MODEL_N], b[MODEL_FMU_M1];
  double captured[MODEL_FMU_CAPTURED1], impulses[MODEL_FMU_EVENTS1*MODEL_N];
  model_fmu_data *d = &f->d;
  model_input all = d->u;
  int k;
  for (k = 0; k < MODEL_FMU_HELD; k++) *model_fmu_flag(&all, k) = 0;
  model_matrices(&d->p, &d->x, &all, M, F, A, b);
  model_fmu_captured(&d->p, &d->x, &d->u, f->a, f->lambda, captured);
  model_fmu_impulses(&d->p, &d->x, &d->u, f->a, f->lambda, impulses);
  for (k = 0; k < MODEL_FMU_CAPTURED; k++)
    if (model_fmu_captured_by[k] == e) *model_fmu_flag(&d->u, MODEL_FMU_FLAGS + k) = captured[k];
  for (k = 0; k < MODEL_FMU_FLAGS; k++) {
    const int effect = model_fmu_effect[e*MODEL_FMU_FLAGS + k];
    if (effect >= 0) *model_fmu_flag(&d->u, k) = effect;
  }
  d->happened[e] = 1;
  model_fmu_forget(f);
  if (!model_fmu_stop(d, M, impulses + e*MODEL_N))
    return model_fmu_fail(f, "an event cannot be worked out: something has no inertia of its own", "");
  if (model_fmu_project(f) != MODEL_FMU_OK)
    return model_fmu_fail(f, "an event cannot be worked out: it contradicts a constraint", "");
  if (model_fmu_find_sides(f) != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  return model_fmu_move(f);
}

/* All that are due, as they were written; what one does may make another one due. */
static model_fmu_status model_fmu_happen_all(model_fmu *f, int *forced)
{
  int e = 0;
  model_fmu_status status = MODEL_FMU_OK;
  while (e < MODEL_FMU_EVENTS && !f->d.ended && status == MODEL_FMU_OK) {
    if (!forced[e] || f->d.happened[e]) {
      e++;
      continue;
    }
    status = model_fmu_happen(f, e);
    if (status == MODEL_FMU_OK) model_fmu_look(f, forced);
    e = 0;
  }
  return status;
}

/* ---------------------------------------------------------------- all of it */

model_fmu_status model_fmu_project(model_fmu *f)
{
  model_state x = f->d.x;
  const model_status status = model_project(&f->d.p, &x, &f->d.u);
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  f->d.x = x;
  model_fmu_forget(f);
  return MODEL_FMU_OK;
}

/* Sides that are due change, and then those that become due by that. */
static model_fmu_status model_fmu_turn(model_fmu *f, int *forced)
{
  int due[MODEL_FMU_SURFACES1] = {0}, done[MODEL_FMU_SURFACES1] = {0}, round, k, any = 1;
  model_fmu_status status = MODEL_FMU_OK;
  for (round = 0; round <= MODEL_FMU_SIDES && any && status == MODEL_FMU_OK; round++) {
    any = 0;
    status = model_fmu_due(f, due);
    for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++)
      if (due[k] && !done[k]) any = done[k] = 1, status = model_fmu_switch(f, k);
    if (!round && status == MODEL_FMU_OK) model_fmu_compare(f, due, forced);
  }
  return status;
}

model_fmu_status model_fmu_update(model_fmu *f, int *moved)
{
  int forced[MODEL_FMU_EVENTS1] = {0};
  const model_state before = f->d.x;
  model_fmu_status status = model_fmu_project(f);
  f->d.was_set = f->d.due = 0;
  if (MODEL_FMU_SURFACES > 0 && status == MODEL_FMU_OK) status = model_fmu_turn(f, forced);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (MODEL_FMU_EVENTS > 0 && status == MODEL_FMU_OK) status = model_fmu_happen_all(f, forced);
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  if (MODEL_FMU_SURFACES > 0) model_fmu_plan(f);
  *moved = memcmp(before.q, f->d.x.q, sizeof before.q) != 0 || memcmp(before.v, f->d.x.v, sizeof before.v) != 0;
  return MODEL_FMU_OK;
}
