/* SPDX-License-Identifier: Apache-2.0 */
/* At what the motion of an instance changes, and how. */
#include "pf_runtime.h"

#include "fmu_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- indicators */

/* A surface on which the motion rests is left when g is larger. */
#define MODEL_FMU_REST 1e-9

double model_fmu_margin(double mode)
{
  return 1 + 2*MODEL_FMU_GIVE - mode*mode;
}

/* What time alone decides stays at 1: its time is known. */
model_fmu_status model_fmu_watched(model_fmu *f, double *z)
{
  double g[MODEL_FMU_SURFACES1];
  int k;
  const model_fmu_status status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return status;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    const int is_mode = k < MODEL_FMU_MODES;
    const double sign = is_mode ? *model_fmu_mode(&f->d.u, k) : f->d.sign[k];
    if (is_mode && f->d.stays[k]) z[k] = model_fmu_margin(sign);
    else if (model_fmu_timed[k]) z[k] = 1;
    else if (is_mode && !(fabs(sign) > 0)) z[k] = 1 - fabs(g[k])/(MODEL_FMU_REST + f->d.slack[k]);
    else z[k] = sign*g[k] + f->d.slack[k];
  }
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_get_indicators(model_fmu *f, double *indicators)
{
  double z[MODEL_FMU_SURFACES1];
  int k, count = 0;
  const model_fmu_status status = model_fmu_watched(f, z);
  if (status != MODEL_FMU_OK) return status;
  for (k = 0; k < MODEL_FMU_SURFACES; k++)
    if (!model_fmu_timed[k]) indicators[count++] = z[k];
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- changes at the state of an importer */

/* Times that are as good as the same. */
static double model_fmu_instant(const model_fmu *f)
{
  return 1e-10*(1 + fabs(f->d.x.time));
}

/* g of every surface, and just after now, by its rate; how near to it a state counts as one on it, by what the roots of
 * importers leave; how far off a state that stays on it may be. */
typedef struct model_fmu_gauge {
  double g[MODEL_FMU_SURFACES1], ahead[MODEL_FMU_SURFACES1], near[MODEL_FMU_SURFACES1], off[MODEL_FMU_SURFACES1];
} model_fmu_gauge;

/* Rates of comparisons without a formula for it, because they are about forces: by a little step of the motion. */
static void model_fmu_rates_of_forces(const model_fmu *f, const double *g, double *rate)
{
  double after[MODEL_FMU_SURFACES1], a[MODEL_N], lambda[MODEL_FMU_M1];
  const double h = 1e-6*(1 + fabs(f->d.x.time));
  model_state x = f->d.x;
  model_input u = f->d.u;
  int i, k;
  for (i = 0; i < MODEL_N; i++) {
    x.q[i] += h*(x.v[i] + h/2*f->a[i]);
    x.v[i] += h*f->a[i];
  }
  x.time += h;
  if (MODEL_FMU_SURFACES == MODEL_FMU_MODES || model_fmu_flow(&f->d, &x, &u, a, lambda) != MODEL_OK) return;
  model_fmu_surfaces(&f->d.p, &x, &u, a, lambda, after);
  for (k = MODEL_FMU_MODES; k < MODEL_FMU_SURFACES; k++)
    if (!model_fmu_timed[k] && !(fabs(rate[k]) > 0)) rate[k] = (after[k] - g[k])/h;
}

static model_fmu_status model_fmu_find_gauge(model_fmu *f, model_fmu_gauge *at)
{
  double rate[MODEL_FMU_SURFACES1], noise[MODEL_FMU_SURFACES1];
  const model_fmu_status status = model_fmu_move(f);
  int k;
  if (status != MODEL_FMU_OK) return status;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, at->g);
  model_fmu_rates(&f->d.p, &f->d.x, &f->d.u, f->a, rate);
  model_fmu_rates_of_forces(f, at->g, rate);
  model_fmu_allowances(f, noise, at->off);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    at->ahead[k] = at->g[k] + rate[k]*model_fmu_instant(f);
    at->near[k] = 2*noise[k] + 1e-7*(1 + fabs(f->d.x.time))*fabs(rate[k]);
  }
  return MODEL_FMU_OK;
}

/* Has the state come to surface k or passed it, is a force that holds at its limit, or has a state that stays on the
 * surface been taken off? What time alone decides is found anew each time. */
static int model_fmu_is_due(model_fmu *f, const model_fmu_gauge *at, const double *z, int k)
{
  const int is_mode = k < MODEL_FMU_MODES;
  const double sign = is_mode ? *model_fmu_mode(&f->d.u, k) : f->d.sign[k];
  if (is_mode && f->d.stays[k]) return fabs(at->g[k]) > at->off[k] || z[k] <= MODEL_FMU_GIVE;
  if (is_mode && !model_fmu_timed[k]) return z[k] <= 0;
  return sign*at->g[k] <= 0 || sign*at->ahead[k] <= 0;
}

/* A comparison that is due is looked at again; an equality holds where its sides meet. */
static void model_fmu_compare(model_fmu_data *d, const model_fmu_gauge *at, int k)
{
  const int less = at->ahead[k] < 0 || (model_fmu_or_equal[k] && at->g[k] <= 0);
  d->sign[k] = less ? -1 : 1;
  d->truth[k - MODEL_FMU_MODES] = model_fmu_equal[k] || less;
}

/* Events whose conditions hold are marked. */
static void model_fmu_mark(model_fmu *f, const double *holds, int *forced)
{
  int e;
  if (holds[0] > 0.5) f->d.ended = 1;
  for (e = 0; e < MODEL_FMU_EVENTS; e++)
    if (holds[e + 1] > 0.5) forced[e] = 1;
}

/* Modes that are due change, and then those that become due by that; with comparisons that are due at first, which
 * conditions hold. */
static model_fmu_status model_fmu_turn(model_fmu *f, int *forced)
{
  model_fmu_gauge first, now;
  model_fmu_switch at;
  double z[MODEL_FMU_SURFACES1], holds[MODEL_FMU_EVENTS + 1];
  int due[MODEL_FMU_SURFACES1] = {0}, round, k, any = 1;
  model_fmu_status status = model_fmu_find_gauge(f, &first);
  now = first;
  for (round = 0; round <= MODEL_FMU_MODES && any && status == MODEL_FMU_OK; round++) {
    if (round) status = model_fmu_find_gauge(f, &now);
    if (status == MODEL_FMU_OK) status = model_fmu_watched(f, z);
    if (status != MODEL_FMU_OK) return status;
    for (any = k = 0; k < MODEL_FMU_MODES; k++) {
      const int is_due = model_fmu_is_due(f, &now, z, k);
      at.released[k] = is_due && f->d.stays[k] && fabs(now.g[k]) <= now.off[k]; /* else it is torn off */
      at.met[k] = is_due && !f->d.stays[k] && fabs(now.g[k]) <= now.near[k];
      any |= is_due;
    }
    for (k = MODEL_FMU_MODES; k < MODEL_FMU_SURFACES && !round; k++) {
      due[k] = model_fmu_is_due(f, &now, z, k);
      if (due[k]) model_fmu_compare(&f->d, &first, k);
    }
    if (!round) {
      model_fmu_judge(&f->d, f->d.truth, holds);
      model_fmu_mark(f, holds, forced);
    }
    if (any || !round) status = model_fmu_decide(f, &at);
    if (status == MODEL_FMU_OK && (any || !round)) status = model_fmu_begin_watch(f, holds);
  }
  if (status != MODEL_FMU_OK) return status;
  for (k = MODEL_FMU_MODES; k < MODEL_FMU_SURFACES; k++)
    if (due[k]) model_fmu_compare(&f->d, &first, k);
  model_fmu_judge(&f->d, f->d.truth, holds);
  model_fmu_mark(f, holds, forced);
  for (k = MODEL_FMU_MODES; k < MODEL_FMU_SURFACES; k++) /* for this instant only */
    if (due[k] && model_fmu_equal[k]) f->d.truth[k - MODEL_FMU_MODES] = 0;
  return MODEL_FMU_OK;
}

/* The next instant at which something that time alone decides, linearly, changes. */
static void model_fmu_plan(model_fmu *f)
{
  f->d.next_event = -INFINITY;
  f->d.next_event = model_fmu_next_instant(f, INFINITY);
  f->d.has_next = f->d.next_event > f->d.x.time + model_fmu_instant(f) && f->d.next_event <= DBL_MAX;
}

/* From the state alone; events that are due are marked. Comparisons that time decides just now are not left to the next
 * step. */
static model_fmu_status model_fmu_look_at(model_fmu *f, int *forced)
{
  double holds[MODEL_FMU_EVENTS + 1] = {0};
  model_fmu_gauge at;
  int k;
  model_fmu_status status = model_fmu_begin_watch(f, holds);
  if (MODEL_FMU_SURFACES == MODEL_FMU_MODES) return status;
  if (status == MODEL_FMU_OK) status = model_fmu_find_gauge(f, &at);
  if (status != MODEL_FMU_OK) return status;
  for (k = MODEL_FMU_MODES; k < MODEL_FMU_SURFACES; k++)
    if (model_fmu_timed[k] && f->d.sign[k]*at.ahead[k] <= 0) model_fmu_compare(&f->d, &at, k);
  model_fmu_judge(&f->d, f->d.truth, holds);
  model_fmu_mark(f, holds, forced);
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_look(model_fmu *f)
{
  int forced[MODEL_FMU_EVENTS1] = {0}, e;
  model_fmu_status status;
  f->d.ended = f->d.due = 0;
  f->d.begun = f->d.x.time;
  status = model_fmu_look_at(f, forced);
  for (e = 0; e < MODEL_FMU_EVENTS; e++) f->d.due |= forced[e];
  if (status == MODEL_FMU_OK && MODEL_FMU_SURFACES > 0) model_fmu_plan(f);
  return status;
}

/* ---------------------------------------------------------------- what is locked, attached, detached */

/* W x = r for a mass matrix W: what has no mass and no impulse stays as it is; 0: an impulse on what has no mass. */
static int model_fmu_push(const double *W, double *r)
{
  double reals[MODEL_N*MODEL_N + 2*MODEL_N], *next = reals;
  int ints[MODEL_N], *places = ints;
  PfLdl mass = pf_ldl_place(MODEL_N, &next, &places);
  return pf_ldl_compute(&mass, W, PF_MASS_TOLERANCE) == PF_FAULT_NONE && pf_ldl_solve(&mass, r, r) <= 1e-6;
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
  if (model_fmu_find_modes(f) != MODEL_FMU_OK) return MODEL_FMU_ERROR;
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
    f->d.begun = f->d.x.time;
    if (status == MODEL_FMU_OK) status = model_fmu_look_at(f, forced);
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

/* Is what is held clearly not what the state says? The root finders of importers miss roots, and what stays on a
 * surface that is not linear drifts off it. */
int model_fmu_is_contradicted(model_fmu *f)
{
  model_fmu_gauge at;
  double z[MODEL_FMU_SURFACES1];
  int k, contradicted = 0;
  if (MODEL_FMU_SURFACES == 0 || model_fmu_find_gauge(f, &at) != MODEL_FMU_OK) return 0;
  if (model_fmu_watched(f, z) != MODEL_FMU_OK) return 0;
  for (k = 0; k < MODEL_FMU_SURFACES && !contradicted; k++) {
    const int stays = k < MODEL_FMU_MODES && f->d.stays[k];
    contradicted = stays ? z[k] < -2*MODEL_FMU_GIVE || fabs(at.g[k]) > 0.1*at.off[k] : z[k] < -1e-9 - at.near[k];
  }
  return contradicted;
}

model_fmu_status model_fmu_follow(model_fmu *f, const model_fmu_switch *at, const double *holds)
{
  int forced[MODEL_FMU_EVENTS1] = {0}, stays[MODEL_FMU_SURFACES1], k, any = 0;
  model_fmu_status status = model_fmu_project(f);
  memcpy(stays, f->d.stays, sizeof stays);
  model_fmu_mark(f, holds, forced);
  for (k = 0; k < MODEL_FMU_MODES; k++) any |= at->met[k] || at->released[k];
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (status == MODEL_FMU_OK && any) status = model_fmu_decide(f, at);
  if (status == MODEL_FMU_OK && any) status = model_fmu_project(f);
  if (memcmp(stays, f->d.stays, sizeof stays) != 0) { /* as in a run: other equations, another first step */
    f->d.begun = f->d.x.time;
    f->d.step = 0;
    f->d.last_error = 1;
  }
  if (status == MODEL_FMU_OK && any) status = model_fmu_look_at(f, forced);
  if (MODEL_FMU_EVENTS > 0 && status == MODEL_FMU_OK) status = model_fmu_happen_all(f, forced);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  return status == MODEL_FMU_OK ? MODEL_FMU_OK : MODEL_FMU_ERROR;
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
