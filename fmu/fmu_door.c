/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that are the same in FMI 2.0 and 3.0 but for their names, and what those that are not share. */
#include "fmu_door.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- answers */

model_fmi_status model_fmi_answer(model_fmi *f, model_fmu_status status)
{
  if (status == MODEL_FMU_OK) return MODEL_FMI_OK;
  if (status == MODEL_FMU_DISCARD) {
    if (f->logs_events) model_fmi_say(&f->call, f->name, MODEL_FMI_DISCARD, "logStatusDiscard", f->core.message);
    return MODEL_FMI_DISCARD;
  }
  model_fmi_say(&f->call, f->name, MODEL_FMI_ERROR, "logStatusError", f->core.message);
  return MODEL_FMI_ERROR;
}

model_fmi_status model_fmi_refuse(model_fmi *f, const char *function, const char *why)
{
  if (!f) return MODEL_FMI_ERROR;
  return model_fmi_answer(f, model_fmu_fail(&f->core, function, why));
}

int model_fmi_may(model_fmi *f, const char *function, int modes, model_fmi_status *status)
{
  *status = MODEL_FMI_ERROR;
  if (!f) return 0;
  *status = model_fmi_answer(f, model_fmu_allow(&f->core, function, modes));
  return *status == MODEL_FMI_OK;
}

int model_fmi_array(model_fmi *f, const char *function, int modes, const double *array, size_t size, size_t expected,
                    model_fmi_status *status)
{
  if (!model_fmi_may(f, function, modes, status)) return 0;
  if (size == expected && (array || !size)) return 1;
  *status = model_fmi_refuse(f, function, ": the array has the wrong size");
  return 0;
}

MODEL_FMU_API model_fmi_status FMI(SetDebugLogging)(void *instance, model_fmi_bool on, size_t count,
                                                    const char *const *categories)
{
  model_fmi *f = instance;
  size_t i;
  if (!f || (count && !categories)) return MODEL_FMI_ERROR;
  for (i = 0; i < count; i++)
    if (!categories[i] ||
        (strcmp(categories[i], "logStatusError") != 0 && strcmp(categories[i], "logStatusDiscard") != 0))
      return model_fmi_refuse(f, FMI_WORD(SetDebugLogging), ": there is no such category");
  f->logs_events = on != 0;
  return MODEL_FMI_OK;
}

/* ---------------------------------------------------------------- life */

void *model_fmi_new(const char *name, const char *token, int co_simulation, const model_fmi_callbacks *call, int logs)
{
  const int named = name && name[0], known = token && strcmp(token, MODEL_FMU_GUID) == 0;
  model_fmi *f = named && known ? model_fmi_allocate(call, sizeof *f) : NULL;
  if (!f) {
    model_fmi_say(call, named ? name : "", MODEL_FMI_ERROR, "logStatusError",
                  !named ? "an instance needs a name"
                  : !known ? "the token is not that of this FMU" : "there is no memory for an instance");
    return NULL;
  }
  memset(f, 0, sizeof *f);
  model_fmu_begin(&f->core, co_simulation);
  f->call = *call;
  strncpy(f->name, name, sizeof f->name - 1);
  f->logs_events = logs;
  return f;
}

MODEL_FMU_API void FMI(FreeInstance)(void *instance)
{
  model_fmi *f = instance;
  if (f) {
    const model_fmi_callbacks call = f->call;
    model_fmi_release(&call, f);
  }
}

model_fmi_status model_fmi_set_times(model_fmi *f, const char *function, int has_tolerance, double tolerance,
                                     double start, int has_stop, double stop)
{
  model_fmi_status status;
  if (!model_fmi_may(f, function, MODEL_FMU_INSTANTIATED, &status)) return status;
  if (!(start - start == 0) || (has_stop && !(stop > start)))
    return model_fmi_refuse(f, function, ": times must be finite and the stop behind the start");
  if (has_tolerance && tolerance > 0) f->core.d.tolerance = tolerance < 1e-13 ? 1e-13 : tolerance;
  model_fmu_set_time(&f->core, start);
  return MODEL_FMI_OK;
}

void model_fmi_initialize(model_fmi *f)
{
  f->core.d.unsettled = 1;
  f->core.d.mode = MODEL_FMU_INITIALIZING;
}

MODEL_FMU_API model_fmi_status FMI(ExitInitializationMode)(void *instance)
{
  model_fmi *f = instance;
  model_fmi_status status;
  if (!model_fmi_may(f, FMI_WORD(ExitInitializationMode), MODEL_FMU_INITIALIZING, &status)) return status;
  status = model_fmi_answer(f, model_fmu_start(&f->core));
  if (status != MODEL_FMI_OK) return status;
  f->core.d.was_set = 0;
  f->core.d.mode = f->core.d.co_simulation ? MODEL_FMU_STEPPING : MODEL_FMU_AT_EVENT;
  return MODEL_FMI_OK;
}

static model_fmi_status model_fmi_change_mode(model_fmi *f, const char *function, int from, int to)
{
  model_fmi_status status;
  if (model_fmi_may(f, function, from, &status)) f->core.d.mode = to;
  return status;
}

MODEL_FMU_API model_fmi_status FMI(EnterEventMode)(void *instance)
{
  return model_fmi_change_mode(instance, FMI_WORD(EnterEventMode), MODEL_FMU_CONTINUOUS, MODEL_FMU_AT_EVENT);
}

MODEL_FMU_API model_fmi_status FMI(EnterContinuousTimeMode)(void *instance)
{
  return model_fmi_change_mode(instance, FMI_WORD(EnterContinuousTimeMode), MODEL_FMU_AT_EVENT, MODEL_FMU_CONTINUOUS);
}

MODEL_FMU_API model_fmi_status FMI(Terminate)(void *instance)
{
  return model_fmi_change_mode(instance, FMI_WORD(Terminate), MODEL_FMI_RUNNING, MODEL_FMU_TERMINATED);
}

MODEL_FMU_API model_fmi_status FMI(Reset)(void *instance)
{
  model_fmi *f = instance;
  if (!f) return MODEL_FMI_ERROR;
  model_fmu_begin(&f->core, f->core.d.co_simulation);
  return MODEL_FMI_OK;
}

/* ---------------------------------------------------------------- values */

static int model_fmi_fits(model_fmi *f, const char *function, int modes, const uint32_t *references, size_t count,
                          const double *values, size_t size, model_fmi_status *status)
{
  if (!model_fmi_may(f, function, modes, status)) return 0;
  if (size == count && (!count || (references && values))) return 1;
  *status = model_fmi_refuse(f, function, ": there must be one value for each reference");
  return 0;
}

model_fmi_status model_fmi_get(model_fmi *f, const char *function, const uint32_t *references, size_t count,
                               double *values, size_t size)
{
  model_fmi_status status;
  size_t i;
  if (!model_fmi_fits(f, function, MODEL_FMU_ANY, references, count, values, size, &status)) return status;
  for (i = 0; i < count && status == MODEL_FMI_OK; i++)
    status = model_fmi_answer(f, model_fmu_get(&f->core, references[i], &values[i]));
  return status;
}

model_fmi_status model_fmi_set(model_fmi *f, const char *function, const uint32_t *references, size_t count,
                               const double *values, size_t size)
{
  const int modes = MODEL_FMU_ANY & ~MODEL_FMU_TERMINATED;
  model_fmi_status status;
  size_t i;
  if (!model_fmi_fits(f, function, modes, references, count, values, size, &status)) return status;
  for (i = 0; i < count && status == MODEL_FMI_OK; i++)
    status = model_fmi_answer(f, model_fmu_set(&f->core, references[i], values[i]));
  return status;
}

MODEL_FMU_API model_fmi_status FMI(SetTime)(void *instance, double time)
{
  model_fmi *f = instance;
  model_fmi_status status;
  if (!model_fmi_may(f, FMI_WORD(SetTime), MODEL_FMU_AT_EVENT | MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!(time - time == 0)) return model_fmi_refuse(f, FMI_WORD(SetTime), ": the time is not finite");
  model_fmu_set_time(&f->core, time);
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI(SetContinuousStates)(void *instance, const double *states, size_t size)
{
  model_fmi *f = instance;
  model_fmi_status status;
  if (!model_fmi_array(f, FMI_WORD(SetContinuousStates), MODEL_FMU_CONTINUOUS, states, size, 2*MODEL_N, &status))
    return status;
  return model_fmi_answer(f, model_fmu_set_states(&f->core, states));
}

MODEL_FMU_API model_fmi_status FMI(GetContinuousStates)(void *instance, double *states, size_t size)
{
  model_fmi *f = instance;
  model_fmi_status status;
  if (!model_fmi_array(f, FMI_WORD(GetContinuousStates), MODEL_FMI_AFTER, states, size, 2*MODEL_N, &status))
    return status;
  model_fmu_get_states(&f->core, states);
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI(GetNominalsOfContinuousStates)(void *instance, double *nominals, size_t size)
{
  const int modes = MODEL_FMI_AFTER | (MODEL_FMI == 2 ? MODEL_FMU_INSTANTIATED : 0);
  model_fmi_status status;
  size_t i;
  if (!model_fmi_array(instance, FMI_WORD(GetNominalsOfContinuousStates), modes, nominals, size, 2*MODEL_N, &status))
    return status;
  for (i = 0; i < size; i++) nominals[i] = 1;
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI(GetEventIndicators)(void *instance, double *indicators, size_t size)
{
  model_fmi *f = instance;
  model_fmi_status status;
  if (!model_fmi_array(f, FMI_WORD(GetEventIndicators), MODEL_FMI_AFTER, indicators, size, MODEL_FMU_INDICATORS,
                       &status))
    return status;
  return model_fmi_answer(f, model_fmu_get_indicators(&f->core, indicators));
}

model_fmi_status model_fmi_get_rates(model_fmi *f, const char *function, double *rates, size_t size)
{
  model_fmi_status status;
  if (!model_fmi_array(f, function, MODEL_FMI_AFTER, rates, size, 2*MODEL_N, &status)) return status;
  return model_fmi_answer(f, model_fmu_get_rates(&f->core, rates));
}

model_fmi_status model_fmi_derive(model_fmi *f, const char *function, model_fmi_list unknowns, model_fmi_list knowns,
                                  int adjoint, const double *seed, size_t seeds, double *sums, size_t size)
{
  const model_fmi_list along = adjoint ? unknowns : knowns, to = adjoint ? knowns : unknowns;
  model_fmi_status status;
  size_t i, j;
  if (!model_fmi_may(f, function, MODEL_FMI_AFTER, &status)) return status;
  if (seeds != along.count || size != to.count || (size && (!to.references || !sums)) ||
      (seeds && (!along.references || !seed)))
    return model_fmi_refuse(f, function, ": sizes do not fit");
  for (i = 0; i < size; i++) {
    double sum = 0;
    for (j = 0; j < seeds; j++) {
      const uint32_t unknown = unknowns.references[adjoint ? j : i], known = knowns.references[adjoint ? i : j];
      double slope = 0;
      status = model_fmi_answer(f, model_fmu_slope(&f->core, unknown, known, &slope));
      if (status != MODEL_FMI_OK) return status;
      sum += slope*seed[j];
    }
    sums[i] = sum;
  }
  return MODEL_FMI_OK;
}

/* ---------------------------------------------------------------- saved states */

/* A copy in memory that is there, or in new memory. */
static model_fmi_status model_fmi_keep(model_fmi *f, const char *function, const model_fmu_data *d, void **saved)
{
  if (!*saved) *saved = model_fmi_allocate(&f->call, sizeof *d);
  if (!*saved) return model_fmi_refuse(f, function, ": there is no memory");
  memcpy(*saved, d, sizeof *d);
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI_STATE(Get, )(void *instance, void **saved)
{
  static const char function[] = FMI_STATE_WORD(Get, );
  model_fmi *f = instance;
  if (!f || !saved) return model_fmi_refuse(f, function, ": there is no place for the state");
  return model_fmi_keep(f, function, &f->core.d, saved);
}

MODEL_FMU_API model_fmi_status FMI_STATE(Set, )(void *instance, void *saved)
{
  model_fmi *f = instance;
  if (!f || !saved) return model_fmi_refuse(f, FMI_STATE_WORD(Set, ), ": there is no state");
  model_fmu_restore(&f->core, saved);
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI_STATE(Free, )(void *instance, void **saved)
{
  model_fmi *f = instance;
  if (!f) return MODEL_FMI_ERROR;
  if (!saved) return MODEL_FMI_OK;
  if (*saved) model_fmi_release(&f->call, *saved);
  *saved = NULL;
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI_STATE(Serialized, Size)(void *instance, void *saved, size_t *size)
{
  if (!instance || !saved || !size)
    return model_fmi_refuse(instance, FMI_STATE_WORD(Serialized, Size), ": there is no state");
  *size = model_fmu_saved_size();
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI_STATE(Serialize, )(void *instance, void *saved, model_fmi_byte *bytes, size_t size)
{
  if (!instance || !saved || !bytes || size < model_fmu_saved_size())
    return model_fmi_refuse(instance, FMI_STATE_WORD(Serialize, ), ": the state does not fit");
  model_fmu_save(saved, (unsigned char *)bytes);
  return MODEL_FMI_OK;
}

#if MODEL_FMI == 2
#define MODEL_FMI_UNPACK DeSerialize
#else
#define MODEL_FMI_UNPACK Deserialize
#endif
MODEL_FMU_API model_fmi_status FMI_STATE(MODEL_FMI_UNPACK, )(void *instance, const model_fmi_byte *bytes, size_t size,
                                                             void **saved)
{
  static const char function[] = FMI_STATE_WORD(Deserialize, );
  model_fmi *f = instance;
  model_fmu_data d;
  model_fmi_status status;
  if (!f || !bytes || !saved) return model_fmi_refuse(f, function, ": there is no state");
  status = model_fmi_answer(f, model_fmu_load(&f->core, (const unsigned char *)bytes, size, &d));
  return status == MODEL_FMI_OK ? model_fmi_keep(f, function, &d, saved) : status;
}

/* ---------------------------------------------------------------- Co-Simulation */

model_fmi_status model_fmi_step(model_fmi *f, const char *function, double from, double length)
{
  if (!(length > 0) || !(length - length == 0))
    return model_fmi_refuse(f, function, ": the step must be positive and finite");
  if (!(fabs(from - f->core.d.x.time) <= 1e-9*(1 + fabs(from))))
    return model_fmi_refuse(f, function, ": the communication point is not where the last step ended");
  return model_fmi_answer(f, model_fmu_advance(&f->core, from + length));
}
