/* SPDX-License-Identifier: Apache-2.0 */
/* The instance: see fmu_core.h. */
#include "fmu_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- messages and modes */

static void model_fmu_say(model_fmu *f, size_t *at, const char *words)
{
  while (*words && *at + 1 < sizeof f->message) f->message[(*at)++] = *words++;
  f->message[*at] = 0;
}

model_fmu_status model_fmu_fail(model_fmu *f, const char *words, const char *more)
{
  size_t at = 0;
  model_fmu_say(f, &at, words);
  model_fmu_say(f, &at, more);
  return MODEL_FMU_ERROR;
}

static const char *model_fmu_mode_name(int mode)
{
  switch (mode) {
  case MODEL_FMU_INSTANTIATED: return " must not be called before initialization";
  case MODEL_FMU_INITIALIZING: return " must not be called in initialization mode";
  case MODEL_FMU_AT_EVENT: return " must not be called in event mode";
  case MODEL_FMU_CONTINUOUS: return " must not be called in continuous-time mode";
  case MODEL_FMU_STEPPING: return " must not be called in step mode";
  case MODEL_FMU_TERMINATED: return " must not be called after termination";
  default: return " must not be called now";
  }
}

model_fmu_status model_fmu_allow(model_fmu *f, const char *function, int modes)
{
  if (f->d.mode & modes) return MODEL_FMU_OK;
  return model_fmu_fail(f, function, model_fmu_mode_name(f->d.mode));
}

static model_fmu_status model_fmu_status_of(model_fmu *f, model_status status)
{
  switch (status) {
  case MODEL_OK: return MODEL_FMU_OK;
  case MODEL_SINGULAR: (void)model_fmu_fail(f, "the accelerations are not determined at this state", ""); break;
  case MODEL_NOT_FINITE: (void)model_fmu_fail(f, "a number of this state is not finite", ""); break;
  default: (void)model_fmu_fail(f, "an iteration does not converge at this state", ""); break;
  }
  return MODEL_FMU_DISCARD;
}

/* ---------------------------------------------------------------- members by number */

static double *model_fmu_parameter(model_params *p, int i)
{
  return (double *)(void *)((char *)p + model_fmu_parameter_at[i]);
}

/* The inputs of the model, then the sides. */
static double *model_fmu_input(model_input *u, int i)
{
  return (double *)(void *)((char *)u + model_fmu_input_at[i]);
}

static double *model_fmu_side(model_input *u, int k)
{
  return model_fmu_input(u, MODEL_FMU_INPUTS + k);
}

void model_fmu_begin(model_fmu *f, int co_simulation)
{
  memset(f, 0, sizeof *f);
  model_init(&f->d.p, &f->d.x, &f->d.u);
  f->d.co_simulation = co_simulation;
  f->d.mode = MODEL_FMU_INSTANTIATED;
  f->d.tolerance = 1e-10;
}

static void model_fmu_forget(model_fmu *f)
{
  f->has_motion = f->has_shown = f->has_factors = 0;
}

/* ---------------------------------------------------------------- motion */

static int model_fmu_stay_count(const model_fmu_data *d)
{
  int k, count = 0;
  for (k = 0; k < MODEL_FMU_SIDES; k++) count += d->stays[k];
  return count;
}

/* W x = r by elimination with pivots by columns; 0: singular. */
static int model_fmu_solve(double *W, double *r, int n)
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
  const model_status status = model_accelerate(&d->p, x, u, a, lambda);
  if (status != MODEL_OK) return status;
  model_fmu_rates(&d->p, x, u, a, rate);
  for (k = 0; k < MODEL_FMU_SIDES; k++)
    if (d->stays[k]) slip[count++] = rate[k];
  return MODEL_OK;
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
      const double kept = *side, move = kept > 0 ? -1 : 1;
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
    if (most <= 1e-14*size) return model_accelerate(&d->p, x, u, a, lambda);
    if (!model_fmu_solve(W, slip, count)) return MODEL_SINGULAR;
    for (j = 0, k = 0; k < MODEL_FMU_SIDES; k++)
      if (d->stays[k]) *model_fmu_side(u, k) -= slip[j++];
    if (most <= 1e-9*size) return model_accelerate(&d->p, x, u, a, lambda);
  }
  return MODEL_NO_CONVERGENCE;
}

static model_status model_fmu_flow(const model_fmu_data *d, const model_state *x, model_input *u, double *a,
                                   double *lambda)
{
  if (model_fmu_stay_count(d)) return model_fmu_glide(d, x, u, a, lambda);
  return model_accelerate(&d->p, x, u, a, lambda);
}

static model_fmu_status model_fmu_move(model_fmu *f)
{
  if (!f->has_motion) {
    const model_status status = model_fmu_flow(&f->d, &f->d.x, &f->d.u, f->a, f->lambda);
    if (status != MODEL_OK) return model_fmu_status_of(f, status);
    f->has_motion = 1;
  }
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- values */

static model_fmu_status model_fmu_shown_value(model_fmu *f, int i, double *value)
{
  const model_fmu_status status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return status;
  if (!f->has_shown) model_fmu_shown(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, f->shown);
  f->has_shown = 1;
  *value = f->shown[i];
  return MODEL_FMU_OK;
}

/* In initialization mode values are those of the consistent start. */
static model_fmu_status model_fmu_settle(model_fmu *f)
{
  if (f->d.mode != MODEL_FMU_INITIALIZING || !f->d.unsettled) return MODEL_FMU_OK;
  return model_fmu_start(f);
}

model_fmu_status model_fmu_get(model_fmu *f, unsigned reference, double *value)
{
  const int r = reference < MODEL_FMU_VARIABLES ? (int)reference : -1;
  model_fmu_status status = model_fmu_settle(f);
  if (r < 0) return model_fmu_fail(f, "there is no variable with this value reference", "");
  if (status != MODEL_FMU_OK) return status;
  if (r == 0) *value = f->d.x.time;
  else if (r < MODEL_FMU_AT_INPUT) *value = *model_fmu_parameter(&f->d.p, r - MODEL_FMU_AT_PARAMETER);
  else if (r < MODEL_FMU_AT_Q) *value = *model_fmu_input(&f->d.u, r - MODEL_FMU_AT_INPUT);
  else if (r < MODEL_FMU_AT_V) *value = f->d.x.q[r - MODEL_FMU_AT_Q];
  else if (r < MODEL_FMU_AT_A) *value = f->d.x.v[r - MODEL_FMU_AT_V];
  else if (r < MODEL_FMU_AT_SHOWN) {
    status = model_fmu_move(f);
    if (status == MODEL_FMU_OK)
      *value = r < MODEL_FMU_AT_LAMBDA ? f->a[r - MODEL_FMU_AT_A] : f->lambda[r - MODEL_FMU_AT_LAMBDA];
  } else if (r < MODEL_FMU_AT_INDICATOR) {
    status = model_fmu_shown_value(f, r - MODEL_FMU_AT_SHOWN, value);
  } else {
    double all[MODEL_FMU_SURFACES1];
    status = model_fmu_get_indicators(f, all);
    if (status == MODEL_FMU_OK) *value = all[r - MODEL_FMU_AT_INDICATOR];
  }
  return status;
}

/* Parameters at any time but between events, starts before the motion, inputs always. */
model_fmu_status model_fmu_set(model_fmu *f, unsigned reference, double value)
{
  const int r = reference < MODEL_FMU_VARIABLES ? (int)reference : -1;
  const int before = MODEL_FMU_INSTANTIATED | MODEL_FMU_INITIALIZING;
  model_fmu_status status = MODEL_FMU_OK;
  if (r < 0) return model_fmu_fail(f, "there is no variable with this value reference", "");
  if (!(value - value == 0)) return model_fmu_fail(f, "a variable was set to a number that is not finite", "");
  model_fmu_forget(f);
  f->d.unsettled = 1;
  if (r < MODEL_FMU_AT_PARAMETER || r >= MODEL_FMU_AT_A)
    return model_fmu_fail(f, "this variable cannot be set: it is calculated", "");
  if (r < MODEL_FMU_AT_INPUT) {
    status = model_fmu_allow(f, "setting a parameter", before | MODEL_FMU_AT_EVENT | MODEL_FMU_STEPPING);
    if (status != MODEL_FMU_OK) return status;
    *model_fmu_parameter(&f->d.p, r - MODEL_FMU_AT_PARAMETER) = value;
    f->d.was_set = 1;
  } else if (r < MODEL_FMU_AT_Q) {
    *model_fmu_input(&f->d.u, r - MODEL_FMU_AT_INPUT) = value;
  } else {
    const int i = r - MODEL_FMU_AT_Q;
    status = model_fmu_allow(f, "setting a start value", before);
    if (status != MODEL_FMU_OK) return status;
    if (i < MODEL_N) f->d.x.q[i] = value, f->d.held_q[i] = 1;
    else f->d.x.v[i - MODEL_N] = value, f->d.held_v[i - MODEL_N] = 1;
    f->d.was_set = 1;
  }
  return MODEL_FMU_OK;
}

void model_fmu_set_time(model_fmu *f, double time)
{
  f->d.x.time = time;
  model_fmu_forget(f);
}

void model_fmu_get_states(const model_fmu *f, double *states)
{
  memcpy(states, f->d.x.q, sizeof f->d.x.q);
  memcpy(states + MODEL_N, f->d.x.v, sizeof f->d.x.v);
}

model_fmu_status model_fmu_set_states(model_fmu *f, const double *states)
{
  int i;
  for (i = 0; i < 2*MODEL_N; i++)
    if (!(states[i] - states[i] == 0)) return model_fmu_fail(f, "a state was set to a number that is not finite", "");
  memcpy(f->d.x.q, states, sizeof f->d.x.q);
  memcpy(f->d.x.v, states + MODEL_N, sizeof f->d.x.v);
  model_fmu_forget(f);
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_get_rates(model_fmu *f, double *rates)
{
  model_fmu_status status = model_fmu_settle(f);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return status;
  memcpy(rates, f->d.x.v, sizeof f->d.x.v);
  memcpy(rates + MODEL_N, f->a, sizeof f->a);
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- surfaces */

/* Positive as long as nothing happens. Sides: the side times g, or what is left of the force that holds. Comparisons:
 * g times the sign that goes with their truth. What time alone decides stays at 1: its time is known. */
static model_fmu_status model_fmu_watch(model_fmu *f, double *z)
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
static model_fmu_status model_fmu_decide(model_fmu *f, int k, double from)
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
static void model_fmu_plan(model_fmu *f)
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

static void model_fmu_compare(model_fmu *f, const int *due)
{
  double truth[MODEL_FMU_SURFACES1];
  int k;
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) {
    if (due[k] && !model_fmu_equal[k]) f->d.truth[k] = !f->d.truth[k];
    truth[k] = model_fmu_equal[k] ? due[k] : f->d.truth[k];
  }
  if (model_fmu_until(truth)) f->d.ended = 1;
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) /* an equality is watched again from its other side */
    if (due[k] && model_fmu_equal[k]) f->d.truth[k] = !f->d.truth[k];
}

static model_fmu_status model_fmu_project(model_fmu *f)
{
  model_state x = f->d.x;
  const model_status status = model_project(&f->d.p, &x, &f->d.u);
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  f->d.x = x;
  model_fmu_forget(f);
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_update(model_fmu *f, int *moved)
{
  int due[MODEL_FMU_SURFACES1] = {0}, done[MODEL_FMU_SURFACES1] = {0}, round, k;
  const model_state before = f->d.x;
  model_fmu_status status = model_fmu_project(f);
  f->d.was_set = 0;
  for (round = 0; round <= MODEL_FMU_SIDES && MODEL_FMU_SURFACES > 0 && status == MODEL_FMU_OK; round++) {
    int any = 0;
    status = model_fmu_due(f, due);
    for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++)
      if (due[k] && !done[k]) any = done[k] = 1, status = model_fmu_switch(f, k);
    if (!round && status == MODEL_FMU_OK) model_fmu_compare(f, due);
    if (!any) break;
  }
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  if (MODEL_FMU_SURFACES > 0) model_fmu_plan(f);
  *moved = memcmp(before.q, f->d.x.q, sizeof before.q) != 0 || memcmp(before.v, f->d.x.v, sizeof before.v) != 0;
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- a consistent start */

/* What may be moved: first what neither the model nor the importer gives, then what the importer has not set, then
 * all. */
static int model_fmu_is_free(const model_fmu_data *d, int level, int i, int stage)
{
  const int set = level ? d->held_v[i] : d->held_q[i];
  return stage == 2 || (!set && (stage == 1 || !model_fmu_given[level*MODEL_N + i]));
}

/* What is left of the constraints at a level; its largest. */
static double model_fmu_miss(const model_fmu_data *d, const model_state *x, int level, double *miss)
{
  double other[MODEL_FMU_M1] = {0}, most = 0;
  int k;
  for (k = 0; k < MODEL_M; k++) miss[k] = 0;
  if (level) model_fmu_violations(&d->p, x, &d->u, other, miss);
  else model_fmu_violations(&d->p, x, &d->u, miss, other);
  for (k = 0; k < MODEL_M; k++)
    if (!(fabs(miss[k]) <= most)) most = fabs(miss[k]);
  return most;
}

/* The smallest change of what is free, by the masses, that takes the constraints to zero in linear approximation; a
 * little softer, so that redundant rows do no harm. */
static int model_fmu_change(const model_fmu_data *d, const model_state *x, int level, int stage, const double *miss,
                            double *change)
{
  double M[MODEL_N*MODEL_N], F[MODEL_N], A[MODEL_FMU_M1*MODEL_N] = {0}, b[MODEL_FMU_M1];
  double S[MODEL_FMU_M1*MODEL_FMU_M1], y[MODEL_FMU_M1], ease[MODEL_N], most = 0;
  int i, j, k;
  model_matrices(&d->p, x, &d->u, M, F, A, b);
  for (i = 0; i < MODEL_N; i++) {
    const double mass = M[i*MODEL_N + i];
    ease[i] = !model_fmu_is_free(d, level, i, stage) ? 0 : mass > 0 ? 1/mass : 1;
  }
  for (i = 0; i < MODEL_M; i++) {
    y[i] = -miss[i];
    for (k = 0; k < MODEL_M; k++) {
      S[i*MODEL_M + k] = 0;
      for (j = 0; j < MODEL_N; j++) S[i*MODEL_M + k] += A[i*MODEL_N + j]*ease[j]*A[k*MODEL_N + j];
    }
    if (S[i*MODEL_M + i] > most) most = S[i*MODEL_M + i];
  }
  if (!(most > 0)) return 0;
  for (i = 0; i < MODEL_M; i++) S[i*MODEL_M + i] += 1e-13*most;
  if (!model_fmu_solve(S, y, MODEL_M)) return 0;
  for (j = 0; j < MODEL_N; j++) {
    change[j] = 0;
    for (i = 0; i < MODEL_M; i++) change[j] += ease[j]*A[i*MODEL_N + j]*y[i];
    if (!(change[j] - change[j] == 0)) return 0;
  }
  return 1;
}

/* Newton's method with steps that are halved until they help; 1: on the constraints. */
static int model_fmu_place(const model_fmu_data *d, model_state *x, int level, int stage)
{
  double miss[MODEL_FMU_M1], trial_miss[MODEL_FMU_M1], change[MODEL_N];
  double most = model_fmu_miss(d, x, level, miss);
  int round, half, i;
  for (round = 0; round < 60 && most > 1e-14; round++) {
    model_state trial = *x;
    double length = 1, reached = most;
    if (!model_fmu_change(d, x, level, stage, miss, change)) break;
    for (half = 0; half < 30; half++, length /= 2) {
      for (i = 0; i < MODEL_N; i++) {
        if (level) trial.v[i] = x->v[i] + length*change[i];
        else trial.q[i] = x->q[i] + length*change[i];
      }
      reached = model_fmu_miss(d, &trial, level, trial_miss);
      if (reached < most) break;
    }
    if (!(reached < most)) break;
    *x = trial;
    most = reached;
    memcpy(miss, trial_miss, sizeof miss);
  }
  return most <= 1e-10;
}

/* Starts that the model gives may depend on parameters. What the importer has set holds where it can. */
static model_fmu_status model_fmu_begin_consistently(model_fmu *f)
{
  double starts[2*MODEL_N];
  int i, level, stage;
  model_fmu_starts(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, starts);
  for (i = 0; i < MODEL_N; i++) {
    if (model_fmu_given[i] && !f->d.held_q[i]) f->d.x.q[i] = starts[i];
    if (model_fmu_given[MODEL_N + i] && !f->d.held_v[i]) f->d.x.v[i] = starts[MODEL_N + i];
  }
  model_fmu_forget(f);
  for (level = 0; level < 2; level++) {
    model_state x = f->d.x;
    for (stage = 0; stage < 3 && !model_fmu_place(&f->d, &x, level, stage); stage++) x = f->d.x;
    if (stage == 3) return model_fmu_fail(f, "no start on the constraints is found near the values that were set", "");
    f->d.x = x;
  }
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_start(model_fmu *f)
{
  double g[MODEL_FMU_SURFACES1], truth[MODEL_FMU_SURFACES1];
  int k;
  model_fmu_status status = MODEL_FMU_OK;
  f->d.unsettled = 0;
  if (f->d.was_set) status = model_fmu_begin_consistently(f);
  for (k = 0; k < MODEL_FMU_SIDES; k++) *model_fmu_side(&f->d.u, k) = 1, f->d.stays[k] = 0;
  for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++) {
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g); /* sides depend on earlier ones alone */
    if (g[k] > 0 || g[k] < 0) *model_fmu_side(&f->d.u, k) = g[k] > 0 ? 1 : -1;
  }
  for (k = 0; k < MODEL_FMU_SIDES && status == MODEL_FMU_OK; k++) {
    model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
    if (fabs(g[k]) <= 0) status = model_fmu_decide(f, k, 0);
  }
  model_fmu_forget(f);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  if (MODEL_FMU_SURFACES == 0) return MODEL_FMU_OK;
  model_fmu_surfaces(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, g);
  for (k = MODEL_FMU_SIDES; k < MODEL_FMU_SURFACES; k++) {
    f->d.truth[k] = g[k] < 0 || (model_fmu_or_equal[k] && g[k] <= 0);
    truth[k] = model_fmu_equal[k] ? fabs(g[k]) <= 0 : f->d.truth[k];
  }
  f->d.ended = model_fmu_until(truth);
  model_fmu_plan(f);
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_is_off(model_fmu *f, int *off)
{
  double position[MODEL_FMU_M1] = {0}, velocity[MODEL_FMU_M1] = {0}, most = 0;
  const double limit = f->d.tolerance < 1e-8 ? f->d.tolerance : 1e-8;
  int i;
  model_fmu_violations(&f->d.p, &f->d.x, &f->d.u, position, velocity);
  for (i = 0; i < MODEL_M; i++) {
    if (!(fabs(position[i]) <= most)) most = fabs(position[i]);
    if (!(fabs(velocity[i]) <= most)) most = fabs(velocity[i]);
  }
  *off = !(most <= limit);
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- Co-Simulation */

/* One step of Dormand and Prince from f->d.x; `error` is relative to the tolerance. */
static model_status model_fmu_try(const model_fmu *f, double h, const double *a0, model_state *end, model_input *u,
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

/* The least of what is watched at the end of a step of length h, among what was positive before. */
static model_fmu_status model_fmu_least(const model_fmu *f, double h, const double *a0, const double *before,
                                        model_fmu *end, double *least)
{
  double z[MODEL_FMU_SURFACES1], error;
  int k;
  model_fmu_status status;
  model_status tried;
  end->d = f->d;
  model_fmu_forget(end);
  tried = model_fmu_try(f, h, a0, &end->d.x, &end->d.u, &error);
  if (tried != MODEL_OK) return model_fmu_status_of(end, tried);
  status = model_fmu_watch(end, z);
  if (status != MODEL_FMU_OK) return status;
  *least = 1;
  for (k = 0; k < MODEL_FMU_SURFACES; k++)
    if (before[k] > 0 && z[k]/before[k] < *least) *least = z[k]/before[k];
  return MODEL_FMU_OK;
}

/* The step that ends just where the first of them has changed its sign, between 0 and *h (Illinois). */
static model_fmu_status model_fmu_locate(model_fmu *f, const double *a0, const double *before, double *h, int *found)
{
  model_fmu end;
  double low = 0, low_value = 1, high = *h, high_value, value;
  int round, last = 0;
  model_fmu_status status = model_fmu_least(f, high, a0, before, &end, &high_value);
  if (status != MODEL_FMU_OK) return status;
  *found = high_value <= 0;
  for (round = 0; *found && round < 80 && high - low > 1e-14*(1 + fabs(f->d.x.time)); round++) {
    double middle = high - high_value*(high - low)/(high_value - low_value);
    if (!(middle > low && middle < high) || round > 40) middle = low + (high - low)/2;
    status = model_fmu_least(f, middle, a0, before, &end, &value);
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

/* The step after one with this error. */
static double model_fmu_next(double h, double error)
{
  const double factor = error > 0 ? 0.9*pow(error, -0.2) : 5;
  return h*(factor < 0.2 ? 0.2 : factor > 5 ? 5 : factor);
}

/* One step, at most to `end`. */
static model_fmu_status model_fmu_step(model_fmu *f, double end)
{
  const double t = f->d.x.time, tiny = 1e-14*(1 + fabs(t));
  double h = f->d.step > 0 ? f->d.step : (end - t)/10, before[MODEL_FMU_SURFACES1], error = 0;
  int last, found = 0, moved, tries;
  model_input u = f->d.u;
  model_state x = f->d.x;
  model_fmu_status status = model_fmu_watch(f, before);
  for (tries = 0; status == MODEL_FMU_OK; tries++) {
    model_status tried;
    last = t + 1.01*h >= end;
    if (last) h = end - t;
    u = f->d.u;
    tried = model_fmu_try(f, h, f->a, &x, &u, &error);
    if (tried == MODEL_OK && error <= 1) break;
    h = tried == MODEL_OK ? model_fmu_next(h, error) : h/4;
    if (!(h > tiny) || tries > 200) {
      (void)model_fmu_status_of(f, tried == MODEL_OK ? MODEL_NO_CONVERGENCE : tried);
      return MODEL_FMU_ERROR;
    }
  }
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  if (!last || error > 0.01) f->d.step = model_fmu_next(h, error);
  if (MODEL_FMU_SURFACES > 0) {
    double cut = h;
    status = model_fmu_locate(f, f->a, before, &cut, &found);
    if (found && status == MODEL_FMU_OK) {
      u = f->d.u;
      last = 0;
      (void)model_fmu_try(f, cut, f->a, &x, &u, &error);
    }
    if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  }
  if (last) x.time = end;
  f->d.x = x;
  f->d.u = u;
  model_fmu_forget(f);
  if (found) return model_fmu_update(f, &moved);
  if (MODEL_M > 0) status = model_fmu_project(f);
  return status == MODEL_FMU_OK ? model_fmu_move(f) : MODEL_FMU_ERROR;
}

model_fmu_status model_fmu_advance(model_fmu *f, double end)
{
  enum { LOOK = 5000 };
  const double start = f->d.x.time;
  int moved, steps = 0;
  model_fmu_status status = MODEL_FMU_OK;
  if (f->d.was_set) status = model_fmu_update(f, &moved);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  while (status == MODEL_FMU_OK && f->d.x.time < end && !f->d.ended) {
    const int event = f->d.has_next && f->d.next_event <= end;
    if (++steps == LOOK && !(f->d.x.time - start > 1e-3*(end - start))) /* some millions of steps would follow */
      return model_fmu_fail(f, "the motion is too fast: a communication step would take too many steps", "");
    status = model_fmu_step(f, event ? f->d.next_event : end);
    if (event && status == MODEL_FMU_OK && f->d.x.time >= f->d.next_event) status = model_fmu_update(f, &moved);
  }
  return status == MODEL_FMU_OK ? MODEL_FMU_OK : MODEL_FMU_ERROR;
}

/* ---------------------------------------------------------------- derivatives */

/* The place of a known among the seeds; -1: none. */
static int model_fmu_seed(unsigned known)
{
  const int r = known < MODEL_FMU_VARIABLES ? (int)known : -1;
  if (r == 0) return MODEL_FMU_SEED_T;
  if (r < 0 || r >= MODEL_FMU_AT_A) return -1;
  if (r < MODEL_FMU_AT_INPUT) return r - MODEL_FMU_AT_PARAMETER;
  if (r < MODEL_FMU_AT_Q) return MODEL_FMU_SEED_U + r - MODEL_FMU_AT_INPUT;
  return r < MODEL_FMU_AT_V ? MODEL_FMU_SEED_Q + r - MODEL_FMU_AT_Q : MODEL_FMU_SEED_V + r - MODEL_FMU_AT_V;
}

static double *model_fmu_known(model_fmu_data *d, unsigned known)
{
  const int r = (int)known;
  if (r == 0) return &d->x.time;
  if (r < MODEL_FMU_AT_INPUT) return model_fmu_parameter(&d->p, r - MODEL_FMU_AT_PARAMETER);
  if (r < MODEL_FMU_AT_Q) return model_fmu_input(&d->u, r - MODEL_FMU_AT_INPUT);
  return r < MODEL_FMU_AT_V ? &d->x.q[r - MODEL_FMU_AT_Q] : &d->x.v[r - MODEL_FMU_AT_V];
}

/* Along surfaces the sides follow the state: by differences there. */
static model_fmu_status model_fmu_difference(model_fmu *f, unsigned unknown, unsigned known, double *slope)
{
  const model_fmu_data kept = f->d;
  double value[2], *x = model_fmu_known(&f->d, known), at = *x;
  const double h = 6e-6*(1 + fabs(at));
  model_fmu_status status = MODEL_FMU_OK;
  int i;
  for (i = 0; i < 2 && status == MODEL_FMU_OK; i++) {
    *x = at + (i ? -h : h);
    model_fmu_forget(f);
    status = model_fmu_get(f, unknown, &value[i]);
  }
  f->d = kept;
  model_fmu_forget(f);
  *slope = status == MODEL_FMU_OK ? (value[0] - value[1])/(2*h) : 0;
  return status;
}

/* K = d(residuals)/d(a, lambda) as triangles. The last diagonal is a little more than zero, so that redundant
 * constraints share their forces. */
static model_fmu_status model_fmu_factor(model_fmu *f)
{
  enum { n = MODEL_FMU_ROWS };
  double seed[MODEL_FMU_SEEDS] = {0}, column[MODEL_FMU_ROWS], most = 0, *K = f->K;
  int i, j, k;
  for (j = 0; j < n; j++) {
    seed[MODEL_FMU_SEED_A + j] = 1;
    model_fmu_residuals_along(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, seed, column);
    seed[MODEL_FMU_SEED_A + j] = 0;
    for (i = 0; i < n; i++) {
      K[i*n + j] = column[i];
      if (!(fabs(column[i]) <= most)) most = fabs(column[i]);
    }
  }
  for (i = MODEL_N; i < n; i++) K[i*n + i] += 1e-14*most;
  for (k = 0; k < n; k++) {
    int best = k;
    for (i = k + 1; i < n; i++)
      if (fabs(K[i*n + k]) > fabs(K[best*n + k])) best = i;
    f->row[k] = best;
    if (!(fabs(K[best*n + k]) > DBL_MIN)) return model_fmu_status_of(f, MODEL_SINGULAR);
    for (j = 0; j < n; j++) {
      const double kept = K[k*n + j];
      K[k*n + j] = K[best*n + j];
      K[best*n + j] = kept;
    }
    for (i = k + 1; i < n; i++) {
      K[i*n + k] /= K[k*n + k];
      for (j = k + 1; j < n; j++) K[i*n + j] -= K[i*n + k]*K[k*n + j];
    }
  }
  memset(f->has_column, 0, sizeof f->has_column);
  f->has_factors = 1;
  return MODEL_FMU_OK;
}

static void model_fmu_solve_factored(const model_fmu *f, double *r)
{
  enum { n = MODEL_FMU_ROWS };
  int i, j;
  for (i = 0; i < n; i++) {
    const double kept = r[i];
    r[i] = r[f->row[i]];
    r[f->row[i]] = kept;
  }
  for (i = 1; i < n; i++)
    for (j = 0; j < i; j++) r[i] -= f->K[i*n + j]*r[j];
  for (i = n - 1; i >= 0; i--) {
    for (j = i + 1; j < n; j++) r[i] -= f->K[i*n + j]*r[j];
    r[i] /= f->K[i*n + i];
  }
}

/* All derivatives by one known: K d(a, lambda) = -d(residuals), and what is shown along with them. */
static model_fmu_status model_fmu_column(model_fmu *f, int known)
{
  double seed[MODEL_FMU_SEEDS] = {0}, *column = f->D + known*MODEL_FMU_RESULTS;
  model_fmu_status status = model_fmu_move(f);
  int i;
  if (status == MODEL_FMU_OK && !f->has_factors) status = model_fmu_factor(f);
  if (status != MODEL_FMU_OK || f->has_column[known]) return status;
  seed[known] = 1;
  model_fmu_residuals_along(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, seed, column);
  for (i = 0; i < MODEL_FMU_ROWS; i++) column[i] = -column[i];
  model_fmu_solve_factored(f, column);
  for (i = 0; i < MODEL_FMU_ROWS; i++) {
    if (!(column[i] - column[i] == 0)) return model_fmu_status_of(f, MODEL_NOT_FINITE);
    seed[MODEL_FMU_SEED_A + i] = column[i];
  }
  model_fmu_shown_along(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, seed, column + MODEL_FMU_ROWS);
  f->has_column[known] = 1;
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_slope(model_fmu *f, unsigned unknown, unsigned known, double *slope)
{
  const int r = unknown < MODEL_FMU_VARIABLES ? (int)unknown : -1, seed = model_fmu_seed(known);
  model_fmu_status status;
  if (r < 0 || seed < 0) return model_fmu_fail(f, "there is no such derivative", "");
  status = model_fmu_settle(f);
  if (status != MODEL_FMU_OK) return status;
  if (r < MODEL_FMU_AT_A) {
    *slope = unknown == known;
    return MODEL_FMU_OK;
  }
  if (r >= MODEL_FMU_AT_INDICATOR || model_fmu_stay_count(&f->d))
    return model_fmu_difference(f, unknown, known, slope);
  status = model_fmu_column(f, seed);
  if (status == MODEL_FMU_OK) *slope = f->D[seed*MODEL_FMU_RESULTS + r - MODEL_FMU_AT_A];
  return status;
}

/* ---------------------------------------------------------------- saved states */

size_t model_fmu_saved_size(void)
{
  return MODEL_FMU_TOKEN + sizeof(model_fmu_data);
}

static void model_fmu_put_token(unsigned char *bytes)
{
  memset(bytes, 0, MODEL_FMU_TOKEN);
  memcpy(bytes, MODEL_FMU_GUID, sizeof MODEL_FMU_GUID - 1);
}

void model_fmu_save(const model_fmu_data *d, unsigned char *bytes)
{
  model_fmu_put_token(bytes);
  memcpy(bytes + MODEL_FMU_TOKEN, d, sizeof *d);
}

static int model_fmu_is_flag(int value)
{
  return value == 0 || value == 1;
}

/* Bytes may come from anywhere: what decides where to go must be one of its values. */
static int model_fmu_is_sound(const model_fmu_data *d)
{
  int i, sound = d->mode > 0 && d->mode <= MODEL_FMU_TERMINATED && !(d->mode & (d->mode - 1));
  sound = sound && model_fmu_is_flag(d->has_next) && model_fmu_is_flag(d->co_simulation) && d->tolerance > 0;
  for (i = 0; i < MODEL_FMU_SURFACES; i++)
    sound = sound && model_fmu_is_flag(d->stays[i]) && model_fmu_is_flag(d->truth[i]);
  return sound;
}

model_fmu_status model_fmu_load(model_fmu *f, const unsigned char *bytes, size_t size, model_fmu_data *d)
{
  unsigned char token[MODEL_FMU_TOKEN];
  model_fmu_put_token(token);
  if (size != model_fmu_saved_size() || memcmp(bytes, token, sizeof token) != 0)
    return model_fmu_fail(f, "the serialized state is not one of this model", "");
  memcpy(d, bytes + MODEL_FMU_TOKEN, sizeof *d);
  if (!model_fmu_is_sound(d)) return model_fmu_fail(f, "the serialized state is damaged", "");
  return MODEL_FMU_OK;
}

void model_fmu_restore(model_fmu *f, const model_fmu_data *d)
{
  const int co_simulation = f->d.co_simulation;
  f->d = *d;
  f->d.co_simulation = co_simulation;
  model_fmu_forget(f);
}
