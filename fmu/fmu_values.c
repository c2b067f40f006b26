/* SPDX-License-Identifier: Apache-2.0 */
/* The values of an instance: by reference, as states, saved; and what may be asked for when. */
#include "fmu_core.h"

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

model_fmu_status model_fmu_status_of(model_fmu *f, model_status status)
{
  switch (status) {
  case MODEL_OK: return MODEL_FMU_OK;
  case MODEL_SINGULAR: (void)model_fmu_fail(f, "the accelerations are not determined at this state", ""); break;
  case MODEL_NOT_FINITE: (void)model_fmu_fail(f, "a number of this state is not finite", ""); break;
  case MODEL_CONTRADICTION: (void)model_fmu_fail(f, "constraints contradict each other at this state", ""); break;
  default: (void)model_fmu_fail(f, "an iteration does not converge at this state", ""); break;
  }
  return MODEL_FMU_DISCARD;
}

/* ---------------------------------------------------------------- members by number */

double *model_fmu_parameter(model_params *p, int i)
{
  return (double *)(void *)((char *)p + model_fmu_parameter_at[i]);
}

/* The inputs of the model, the sides, the flags, what was captured. */
double *model_fmu_input(model_input *u, int i)
{
  return (double *)(void *)((char *)u + model_fmu_input_at[i]);
}

double *model_fmu_mode(model_input *u, int k)
{
  return model_fmu_input(u, MODEL_FMU_INPUTS + k);
}

double *model_fmu_flag(model_input *u, int k)
{
  return model_fmu_input(u, MODEL_FMU_INPUTS + MODEL_FMU_MODES + k);
}

int model_fmu_is_held(const model_input *u, int i)
{
  const int flag = model_fmu_flag_of[i], at = MODEL_FMU_INPUTS + MODEL_FMU_MODES + flag;
  return flag >= 0 && *(const double *)(const void *)((const char *)u + model_fmu_input_at[at]) > 0.5;
}

void model_fmu_begin(model_fmu *f, int co_simulation)
{
  memset(f, 0, sizeof *f);
  model_init(&f->d.p, &f->d.x, &f->d.u);
  f->d.co_simulation = co_simulation;
  f->d.mode = MODEL_FMU_INSTANTIATED;
  f->d.tolerance = 1e-10;
  f->d.last_error = 1;
  memset(&f->d.rows, 0xff, sizeof f->d.rows); /* -1: not chosen */
}

void model_fmu_forget(model_fmu *f)
{
  f->has_motion = f->has_shown = f->has_factors = 0;
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
model_fmu_status model_fmu_settle(model_fmu *f)
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
    double *input = model_fmu_input(&f->d.u, r - MODEL_FMU_AT_INPUT);
    if (!(f->d.mode & before) && !(*input <= value && *input >= value)) f->d.was_set = 1;
    *input = value;
  } else {
    const int i = r - MODEL_FMU_AT_Q;
    status = model_fmu_allow(f, "setting a start value", before);
    if (status != MODEL_FMU_OK) return status;
    if (i < MODEL_N) f->d.x.q[i] = f->d.set_q[i] = value, f->d.is_set_q[i] = 1;
    else f->d.x.v[i - MODEL_N] = f->d.set_v[i - MODEL_N] = value, f->d.is_set_v[i - MODEL_N] = 1;
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
  sound = sound && model_fmu_is_flag(d->has_next) && model_fmu_is_flag(d->co_simulation);
  sound = sound && d->tolerance > 0 && d->last_error > 0;
  for (i = 0; i < MODEL_FMU_SURFACES; i++)
    sound = sound && model_fmu_is_flag(d->stays[i]) && fabs(d->sign[i]) <= 1 && fabs(d->truth[i]) <= 1;
  for (i = 0; i < MODEL_FMU_EVENTS; i++) sound = sound && model_fmu_is_flag(d->happened[i]);
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
