/* SPDX-License-Identifier: Apache-2.0 */
/* At what the motion of an instance changes, and how. */
#include "fmu_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- surfaces */

/* A surface on which the motion rests is left when g is larger. */
#define MODEL_FMU_REST 1e-9

/* Positive as long as nothing happens. Sides: the side times g, or what is left of the force that holds, or of rest.
 * Comparisons: g times the sign that goes with their truth. What time alone decides stays at 1: its time is known. */
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
    else if (f->d.stays[k]) z[k] = 1 + MODEL_FMU_GIVE - fabs(*model_fmu_side(&f->d.u, k));
    else if (!(fabs(*model_fmu_side(&f->d.u, k)) > 0)) z[k] = 1 - fabs(g[k])/(MODEL_FMU_REST + f->d.slack[k]);
    else z[k] = *model_fmu_side(&f->d.u, k)*g[k] + f->d.slack[k];
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

/* ---------------------------------------------------------------- which change */

/* Just behind now: what is zero now counts by its rate. */
static double model_fmu_ahead(const model_fmu *f, double g, double rate)
{
  return g + rate*model_fmu_instant(f);
}

/* Which surfaces the state has come to or passed, which forces that hold are at their limits, and what a state that
 * stays on a surface has been taken off. What time alone decides is found anew each time. */
static model_fmu_status model_fmu_due(model_fmu *f, const double *g, const double *rate, const double *off, int *due)
{
  double z[MODEL_FMU_SURFACES1];
  int k;
  const model_fmu_status status = model_fmu_watch(f, z);
  for (k = 0; k < MODEL_FMU_SURFACES && status == MODEL_FMU_OK; k++) {
    const double sign = k < MODEL_FMU_SIDES ? *model_fmu_side(&f->d.u, k) : f->d.truth[k] ? -1 : 1;
    if (k < MODEL_FMU_SIDES && f->d.stays[k]) due[k] = fabs(g[k]) > off[k] || z[k] <= 0.5*MODEL_FMU_GIVE;
    else if (k < MODEL_FMU_SIDES && !model_fmu_timed[k]) due[k] = z[k] <= 0;
    else due[k] = sign*g[k] <= 0 || sign*model_fmu_ahead(f, g[k], rate[k]) <= 0;
  }
  return status;
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

/* Comparisons that are due are looked at again; an equality holds where its sides meet. */
static void model_fmu_compare(model_fmu *f, const double *g, const double *rate, const int *due, int *forced)
{
  double truth[MODEL_FMU_SURFACES1];
  int k;
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) {
    if (due[k]) f->d.truth[k] = model_fmu_ahead(f, g[k], rate[k]) < 0 || (model_fmu_or_equal[k] && g[k] <= 0);
    truth[k] = model_fmu_equal[k] ? due[k] : f->d.truth[k];
  }
  model_fmu_judge(f, truth, forced);
}

/* ---------------------------------------------------------------- what is locked, attached, detached */

/* W x = r for a mass matrix W: what has no mass and no impulse stays as it is; 0: an impulse on what has no mass. */
static int model_fmu_push(const double *W, double *r)
{
  double V[MODEL_N*MODEL_N], x[MODEL_N], heaviest = 0, most = 0, left = 0;
  int i, j, k;
  for (i = 0; i < MODEL_N; i++) heaviest = fmax(heaviest, W[i*MODEL_N + i]);
  for (k = 0; k < 2; k++) { /* first as it is */
    for (i = 0; i < MODEL_N*MODEL_N; i++) V[i] = W[i] + (k && i%(MODEL_N + 1) == 0 ? 1e-12*heaviest : 0);
    memcpy(x, r, sizeof x);
    if (model_fmu_solve(V, x, MODEL_N)) break;
  }
  for (i = 0; i < MODEL_N; i++) {
    double sum = -r[i];
    for (j = 0; j < MODEL_N; j++) sum += W[i*MODEL_N + j]*x[j];
    left = fmax(left, fabs(sum));
    most = fmax(most, fabs(r[i]));
  }
  memcpy(r, x, sizeof x);
  return left <= 1e-6*most;
}

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
  if (!model_fmu_push(W, r)) return 0;
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

model_fmu_status model_fmu_choose(model_fmu *f)
{
  model_fmu_forget(f);
  return model_fmu_status_of(f, model_choose(&f->d.p, &f->d.x, &f->d.u, &f->d.rows));
}

model_fmu_status model_fmu_project(model_fmu *f)
{
  model_state x = f->d.x;
  const model_status status = model_project(&f->d.p, &x, &f->d.u);
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  f->d.x = x;
  return model_fmu_choose(f);
}

/* Rates of comparisons without a formula for it, because they are about forces: by a little step of the motion. */
static void model_fmu_rates_of_forces(const model_fmu *f, const double *g, double *rate)
{
  double after[MODEL_FMU_SURFACES1], a[MODEL_N], lambda[MODEL_FMU_M1];
  const double h = 1e-6*(1 + fabs(f->d.x.time));
  model_fmu_data d = f->d;
  int i, k;
  for (i = 0; i < MODEL_N; i++) {
    d.x.q[i] += h*(d.x.v[i] + h/2*f->a[i]);
    d.x.v[i] += h*f->a[i];
  }
  d.x.time += h;
  if (MODEL_FMU_SURFACES == MODEL_FMU_SIDES || model_fmu_flow(&d, &d.x, &d.u, a, lambda) != MODEL_OK) return;
  model_fmu_surfaces(&d.p, &d.x, &d.u, a, lambda, after);
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++)
    if (!model_fmu_timed[k] && !(fabs(rate[k]) > 0)) rate[k] = (after[k] - g[k])/h;
}

/* Sides that are due change, and then those that become due by that. */
static model_fmu_status model_fmu_turn(model_fmu *f, int *forced)
{
  double g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1], near[MODEL_FMU_SURFACES1], off[MODEL_FMU_SURFACES1];
  int due[MODEL_FMU_SURFACES1] = {0}, met[MODEL_FMU_SURFACES1] = {0}, released[MODEL_FMU_SURFACES1] = {0};
  int round, k, any = 1;
  model_fmu_status status = MODEL_FMU_OK;
  for (round = 0; round <= MODEL_FMU_SIDES && any; round++) {
    any = 0;
    status = model_fmu_move(f);
    if (status != MODEL_FMU_OK) return status;
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
    model_fmu_rates(&f->d.p, &f->d.x, &f->d.u, f->a, rate);
    model_fmu_rates_of_forces(f, g, rate);
    model_fmu_allowances(f, near, off);
    status = model_fmu_due(f, g, rate, off, due);
    if (status != MODEL_FMU_OK) return status;
    for (k = 0; k < MODEL_FMU_SIDES; k++) {
      released[k] = due[k] && f->d.stays[k];
      met[k] = due[k] && !f->d.stays[k] && fabs(g[k]) <= near[k];
      any |= due[k];
    }
    if (!round) model_fmu_compare(f, g, rate, due, forced);
    if (any || !round) status = model_fmu_decide(f, met, released);
    if (status != MODEL_FMU_OK) return status;
  }
  return status;
}

/* Is what is held clearly not what the state says? The root finders of importers miss roots, and what stays on a
 * surface that is not linear drifts off it. */
int model_fmu_is_contradicted(model_fmu *f)
{
  double z[MODEL_FMU_SURFACES1], g[MODEL_FMU_SURFACES1], near[MODEL_FMU_SURFACES1], off[MODEL_FMU_SURFACES1];
  int k, contradicted = 0;
  if (MODEL_FMU_SURFACES == 0 || model_fmu_watch(f, z) != MODEL_FMU_OK) return 0;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  model_fmu_allowances(f, near, off);
  for (k = 0; k < MODEL_FMU_SURFACES && !contradicted; k++) {
    const int stays = k < MODEL_FMU_SIDES && f->d.stays[k];
    contradicted = stays ? z[k] < -MODEL_FMU_GIVE || fabs(g[k]) > 0.1*off[k] : z[k] < -1e-9 - near[k];
  }
  return contradicted;
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
