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
    else if (f->d.stays[k]) z[k] = 1 - fabs(*model_fmu_side(&f->d.u, k));
    else if (!(fabs(*model_fmu_side(&f->d.u, k)) > 0)) z[k] = 1 - fabs(g[k])/MODEL_FMU_REST;
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

/* By how much surface k changes in a little while, by the accelerations, with its side as given. */
static model_fmu_status model_fmu_bend_at(model_fmu *f, int k, double side, double *bend)
{
  double before[MODEL_FMU_SURFACES1], after[MODEL_FMU_SURFACES1], a[MODEL_N], lambda[MODEL_FMU_M1];
  const double h = 1e-4;
  model_fmu_data d = f->d;
  model_status status;
  int i;
  d.stays[k] = 0;
  *model_fmu_side(&d.u, k) = side;
  status = model_fmu_flow(&d, &d.x, &d.u, a, lambda);
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  model_fmu_surfaces(&d.p, &d.x, &d.u, a, lambda, before);
  for (i = 0; i < MODEL_N; i++) {
    d.x.q[i] += h*(d.x.v[i] + h/2*a[i]);
    d.x.v[i] += h*a[i];
  }
  d.x.time += h;
  model_fmu_surfaces(&d.p, &d.x, &d.u, a, lambda, after);
  *bend = after[k] - before[k];
  return MODEL_FMU_OK;
}

/* On the surface and at rest towards it. Where the forces of neither side move it off, as that of a joint that is
 * locked, it rests: its side is 0. */
static model_fmu_status model_fmu_decide_at_rest(model_fmu *f, int k)
{
  double up, down;
  model_fmu_status status = model_fmu_bend_at(f, k, 1, &up);
  if (status == MODEL_FMU_OK) status = model_fmu_bend_at(f, k, -1, &down);
  if (status != MODEL_FMU_OK) return status;
  *model_fmu_side(&f->d.u, k) = up < 0 && down < 0 ? -1 : fabs(up) + fabs(down) > 0 ? 1 : 0;
  model_fmu_forget(f);
  return MODEL_FMU_OK;
}

/* As good as on a surface, by how fast the motion can come to it: what the steps and the roots of importers leave. */
static double model_fmu_reach(const model_fmu *f, double up, double down)
{
  const double fastest = fabs(up) > fabs(down) ? fabs(up) : fabs(down);
  return 1e-7*(1 + fabs(f->d.x.time))*fastest;
}

/* The side is that of g. On the surface: leaves to the side whose forces lead away from it, or stays when both lead
 * back. */
static model_fmu_status model_fmu_decide(model_fmu *f, int k, double g, double from)
{
  double up, down, *side = model_fmu_side(&f->d.u, k);
  model_fmu_status status = model_fmu_rate_at(f, k, 1, &up);
  if (status == MODEL_FMU_OK) status = model_fmu_rate_at(f, k, -1, &down);
  if (status != MODEL_FMU_OK) return status;
  model_fmu_forget(f);
  if (up < 0 && down > 0 && fabs(g) <= model_fmu_reach(f, up, down)) {
    f->d.stays[k] = 1;
    *side = 1e-300; /* 0 stands for rest */
    return MODEL_FMU_OK;
  }
  f->d.stays[k] = 0;
  if (fabs(g) > model_fmu_instant(f)*fabs(g > 0 ? up : down)) *side = g > 0 ? 1 : -1;
  else if (!(fabs(up) > 0) && !(fabs(down) > 0)) status = model_fmu_decide_at_rest(f, k);
  else if (up > 0 && (from < 0 || down >= 0)) *side = 1;
  else *side = down < 0 ? -1 : 1;
  return status;
}

/* ---------------------------------------------------------------- several surfaces at once

 * The rates r of surfaces that the motion is on together depend on all of their sides s: s = 1 with r >= 0, s = -1 with
 * r <= 0, or r = 0 with s between. It is solved by principal pivoting with the least index, as in a run of pfaff. */
typedef struct model_fmu_meeting {
  int count, list[MODEL_FMU_SURFACES1], state[MODEL_FMU_SURFACES1];
  double side[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1]; /* r = rate + slope (s - side) */
  double slope[MODEL_FMU_SURFACES1*MODEL_FMU_SURFACES1], found[MODEL_FMU_SURFACES1];
} model_fmu_meeting;

static model_fmu_status model_fmu_meeting_rates(model_fmu *f, model_fmu_data *d, const model_fmu_meeting *m,
                                                double *rate)
{
  double all[MODEL_FMU_SURFACES1], a[MODEL_N], lambda[MODEL_FMU_M1];
  int i;
  const model_status status = model_fmu_flow(d, &d->x, &d->u, a, lambda);
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  model_fmu_rates(&d->p, &d->x, &d->u, a, all);
  for (i = 0; i < m->count; i++) rate[i] = all[m->list[i]];
  return MODEL_FMU_OK;
}

static model_fmu_status model_fmu_meeting_slopes(model_fmu *f, model_fmu_meeting *m)
{
  double rate[MODEL_FMU_SURFACES1];
  model_fmu_data d = f->d;
  int i, j;
  model_fmu_status status;
  for (i = 0; i < m->count; i++) {
    d.stays[m->list[i]] = 0;
    m->side[i] = *model_fmu_side(&d.u, m->list[i]) < 0 ? -1 : 1;
    *model_fmu_side(&d.u, m->list[i]) = m->side[i];
  }
  status = model_fmu_meeting_rates(f, &d, m, m->rate);
  for (j = 0; j < m->count && status == MODEL_FMU_OK; j++) {
    *model_fmu_side(&d.u, m->list[j]) = -m->side[j];
    status = model_fmu_meeting_rates(f, &d, m, rate);
    *model_fmu_side(&d.u, m->list[j]) = m->side[j];
    for (i = 0; i < m->count; i++) m->slope[i*m->count + j] = (m->rate[i] - rate[i])/(2*m->side[j]);
  }
  return status;
}

/* Sides for the states: those that stay are solved for. */
static int model_fmu_meeting_solve(model_fmu_meeting *m)
{
  double W[MODEL_FMU_SURFACES1*MODEL_FMU_SURFACES1], y[MODEL_FMU_SURFACES1];
  const int p = m->count;
  int i, j;
  for (i = 0; i < p; i++) {
    y[i] = m->state[i];
    for (j = 0; j < p; j++) W[i*p + j] = i == j;
    if (m->state[i]) continue;
    y[i] = -m->rate[i];
    for (j = 0; j < p; j++) {
      W[i*p + j] = m->slope[i*p + j];
      y[i] += m->slope[i*p + j]*m->side[j];
    }
    W[i*p + i] -= 1e-9*fabs(m->slope[i*p + i]); /* surfaces that hold the same share it evenly */
  }
  if (!model_fmu_solve(W, y, p)) return 0;
  for (i = 0; i < p; i++) m->found[i] = y[i];
  return 1;
}

/* The state that fits surface i better: its own where that fits. */
static int model_fmu_meeting_better(const model_fmu_meeting *m, int i)
{
  double r = m->rate[i], size = fabs(r);
  int j;
  if (!m->state[i]) return fabs(m->found[i]) <= 1 ? 0 : m->found[i] > 0 ? 1 : -1;
  for (j = 0; j < m->count; j++) {
    const double part = m->slope[i*m->count + j]*(m->found[j] - m->side[j]);
    r += part;
    size += fabs(part);
  }
  return r*m->state[i] >= -1e-10*size ? m->state[i] : 0;
}

/* Decides surfaces that are met together; 0: no combination of sides is found. */
static int model_fmu_meeting_decide(model_fmu_meeting *m)
{
  int turn, i;
  for (turn = 0; turn < 100 + 20*m->count; turn++) {
    if (!model_fmu_meeting_solve(m)) return 0;
    for (i = 0; i < m->count && model_fmu_meeting_better(m, i) == m->state[i]; i++) continue;
    if (i == m->count) return 1;
    m->state[i] = model_fmu_meeting_better(m, i);
  }
  return 0;
}

/* Those that are due or hold, or are as near as the motion gets in no time. */
static void model_fmu_gather(const model_fmu *f, const double *g, const double *rate, const int *due,
                             model_fmu_meeting *m)
{
  int k;
  m->count = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++)
    if (!model_fmu_timed[k] && (due[k] || f->d.stays[k] || fabs(g[k]) <= model_fmu_reach(f, 10*rate[k], 0)))
      m->list[m->count++] = k;
}

/* Leaves those out whose sides have no say in their rates, or that the motion is not on after all. */
static int model_fmu_sift(const model_fmu *f, const double *g, const int *due, model_fmu_meeting *m)
{
  const int count = m->count;
  int i, any = 0;
  m->count = 0;
  for (i = 0; i < count; i++) {
    const int k = m->list[i];
    const double change = 2*fabs(m->slope[i*count + i]);
    if (!(change > 0) || fabs(g[k]) > model_fmu_reach(f, m->rate[i], change)) continue;
    m->list[m->count++] = k;
    any |= due[k];
  }
  return m->count > 1 && any;
}

/* Two and more surfaces at once are decided together, and marked in `done`; where that is not possible, or not at
 * all, each is left to itself. */
static void model_fmu_meet(model_fmu *f, const double *g, const double *rate, const int *due, int *done)
{
  model_fmu_meeting m;
  int i;
  model_fmu_gather(f, g, rate, due, &m);
  if (m.count < 2 || model_fmu_meeting_slopes(f, &m) != MODEL_FMU_OK || !model_fmu_sift(f, g, due, &m)) return;
  if (model_fmu_meeting_slopes(f, &m) != MODEL_FMU_OK) return;
  for (i = 0; i < m.count; i++) {
    const int k = m.list[i], side = (int)m.side[i];
    if (f->d.stays[k]) m.state[i] = due[k] ? side : 0; /* due: its force is at its limit */
    else m.state[i] = due[k] ? -side : side;
  }
  if (!model_fmu_meeting_decide(&m)) return;
  model_fmu_forget(f);
  for (i = 0; i < m.count; i++) {
    const int k = m.list[i];
    done[k] = 1;
    f->d.stays[k] = m.state[i] == 0;
    *model_fmu_side(&f->d.u, k) = fabs(m.found[i]) > 0 ? m.found[i] : 1e-300;
  }
}

/* ---------------------------------------------------------------- which change */

/* Has something else than the motion taken the state off the surface that it stays on: an input, a parameter? */
static model_fmu_status model_fmu_is_torn(model_fmu *f, int k, double g, int *torn)
{
  double up, down;
  model_fmu_status status = model_fmu_rate_at(f, k, 1, &up);
  if (status == MODEL_FMU_OK) status = model_fmu_rate_at(f, k, -1, &down);
  if (status == MODEL_FMU_OK) *torn = fabs(g) > 2*model_fmu_reach(f, up, down);
  return status;
}

/* Just behind now: what is zero now counts by its rate. */
static double model_fmu_ahead(const model_fmu *f, double g, double rate)
{
  return g + rate*model_fmu_instant(f);
}

/* Which surfaces the state has come to. What time alone decides is found anew each time. */
static model_fmu_status model_fmu_due(model_fmu *f, const double *g, const double *rate, int *due)
{
  double z[MODEL_FMU_SURFACES1];
  int k;
  model_fmu_status status = model_fmu_watch(f, z);
  for (k = 0; k < MODEL_FMU_SURFACES && status == MODEL_FMU_OK; k++) {
    const double sign = k < MODEL_FMU_SIDES ? *model_fmu_side(&f->d.u, k) : f->d.truth[k] ? -1 : 1;
    due[k] = sign*g[k] <= 0 || sign*model_fmu_ahead(f, g[k], rate[k]) <= 0;
    if (k >= MODEL_FMU_SIDES || !f->d.stays[k]) continue;
    status = model_fmu_is_torn(f, k, g[k], &due[k]);
    due[k] = due[k] || z[k] <= 1e-10; /* a root that an importer finds may lie a little before it */
  }
  return status;
}

static model_fmu_status model_fmu_switch(model_fmu *f, int k, double g, double rate)
{
  double *side = model_fmu_side(&f->d.u, k);
  int torn = 0;
  model_fmu_status status;
  model_fmu_forget(f);
  if (model_fmu_timed[k]) {
    *side = model_fmu_ahead(f, g, rate) < 0 ? -1 : 1;
    return MODEL_FMU_OK;
  }
  if (!f->d.stays[k]) return model_fmu_decide(f, k, g, *side);
  status = model_fmu_is_torn(f, k, g, &torn);
  if (status != MODEL_FMU_OK) return status;
  f->d.stays[k] = 0;
  *side = (torn ? g : *side) < 0 ? -1 : 1;
  return MODEL_FMU_OK;
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
  const double rate[MODEL_FMU_SURFACES1] = {0};
  int due[MODEL_FMU_SURFACES1] = {0}, done[MODEL_FMU_SURFACES1] = {0}, k;
  model_fmu_status status = MODEL_FMU_OK;
  for (k = 0; k < MODEL_FMU_SIDES; k++) *model_fmu_side(&f->d.u, k) = 1, f->d.stays[k] = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++) {
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g); /* sides depend on earlier ones alone */
    if (g[k] > 0 || g[k] < 0) *model_fmu_side(&f->d.u, k) = g[k] > 0 ? 1 : -1;
  }
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  for (k = 0; k < MODEL_FMU_SIDES; k++) due[k] = fabs(g[k]) <= 0;
  model_fmu_meet(f, g, rate, due, done);
  for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++) {
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
    if (fabs(g[k]) <= 0 && !done[k]) status = model_fmu_decide(f, k, 0, 0);
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

/* Sides that are due change, and then those that become due by that. */
static model_fmu_status model_fmu_turn(model_fmu *f, int *forced)
{
  double g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1];
  int due[MODEL_FMU_SURFACES1] = {0}, done[MODEL_FMU_SURFACES1] = {0}, round, k, any = 1;
  model_fmu_status status = MODEL_FMU_OK;
  for (round = 0; round <= MODEL_FMU_SIDES && any && status == MODEL_FMU_OK; round++) {
    any = 0;
    status = model_fmu_move(f);
    if (status != MODEL_FMU_OK) break;
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
    model_fmu_rates(&f->d.p, &f->d.x, &f->d.u, f->a, rate);
    status = model_fmu_due(f, g, rate, due);
    if (!round && status == MODEL_FMU_OK) model_fmu_meet(f, g, rate, due, done);
    for (k = 0; k < MODEL_FMU_SIDES; k++) any |= due[k] && !round && done[k];
    for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++)
      if (due[k] && !done[k]) any = done[k] = 1, status = model_fmu_switch(f, k, g[k], rate[k]);
    if (!round && status == MODEL_FMU_OK) model_fmu_compare(f, g, rate, due, forced);
  }
  return status;
}

/* Is what is held clearly not what the state says? The root finders of importers miss roots. */
int model_fmu_is_contradicted(model_fmu *f)
{
  double z[MODEL_FMU_SURFACES1], g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1];
  int k, contradicted = 0, torn;
  if (MODEL_FMU_SURFACES == 0 || model_fmu_watch(f, z) != MODEL_FMU_OK) return 0;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  model_fmu_rates(&f->d.p, &f->d.x, &f->d.u, f->a, rate);
  for (k = 0; k < MODEL_FMU_SURFACES && !contradicted; k++) {
    contradicted = z[k] < -1e-9*(1 + fabs(rate[k])*(1 + fabs(f->d.x.time)));
    if (k < MODEL_FMU_SIDES && f->d.stays[k] && model_fmu_is_torn(f, k, g[k], &torn) == MODEL_FMU_OK)
      contradicted = contradicted || torn;
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
