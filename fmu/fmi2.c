/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of FMI 2.0, Model Exchange and Co-Simulation. Types are those of the standard's interface, declared
 * here by what they are made of. FMI2_FUNCTION_PREFIX, when it is defined, stands before every name. */
#include "fmu_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef FMI2_FUNCTION_PREFIX
#define MODEL_FMU_PASTE(a, b) a##b
#define MODEL_FMU_JOIN(a, b) MODEL_FMU_PASTE(a, b)
#define FMI2(name) MODEL_FMU_JOIN(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2(name) name
#endif
#if defined(_WIN32)
#define MODEL_FMU_API __declspec(dllexport)
#elif defined(__GNUC__)
#define MODEL_FMU_API __attribute__((visibility("default")))
#else
#define MODEL_FMU_API
#endif

typedef enum model_fmi2_status {
  MODEL_FMI2_OK, MODEL_FMI2_WARNING, MODEL_FMI2_DISCARD, MODEL_FMI2_ERROR
} model_fmi2_status;
typedef enum model_fmi2_type { MODEL_FMI2_MODEL_EXCHANGE, MODEL_FMI2_CO_SIMULATION } model_fmi2_type;
typedef enum model_fmi2_kind {
  MODEL_FMI2_DO_STEP_STATUS,
  MODEL_FMI2_PENDING_STATUS,
  MODEL_FMI2_LAST_SUCCESSFUL_TIME,
  MODEL_FMI2_TERMINATED
} model_fmi2_kind;

typedef struct model_fmi2_callbacks {
  void (*log)(void *environment, const char *name, model_fmi2_status status, const char *category, const char *message,
              ...);
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *memory);
  void (*finished)(void *environment, model_fmi2_status status);
  void *environment;
} model_fmi2_callbacks;

typedef struct model_fmi2_events {
  int again, end, nominals, values, has_next;
  double next;
} model_fmi2_events;

typedef struct model_fmi2 {
  model_fmu core;
  model_fmi2_callbacks call;
  char name[64];
  int logs_events;
} model_fmi2;

static void model_fmi2_say(model_fmi2 *f, model_fmi2_status status, const char *category)
{
  if (f->call.log) f->call.log(f->call.environment, f->name, status, category, "%s", f->core.message);
}

static model_fmi2_status model_fmi2_answer(model_fmi2 *f, model_fmu_status status)
{
  if (status == MODEL_FMU_OK) return MODEL_FMI2_OK;
  if (status == MODEL_FMU_DISCARD) {
    if (f->logs_events) model_fmi2_say(f, MODEL_FMI2_DISCARD, "logStatusDiscard");
    return MODEL_FMI2_DISCARD;
  }
  model_fmi2_say(f, MODEL_FMI2_ERROR, "logStatusError");
  return MODEL_FMI2_ERROR;
}

static model_fmi2_status model_fmi2_refuse(model_fmi2 *f, const char *function, const char *why)
{
  if (!f) return MODEL_FMI2_ERROR;
  return model_fmi2_answer(f, model_fmu_fail(&f->core, function, why));
}

/* May the function be called now? */
static int model_fmi2_may(model_fmi2 *f, const char *function, int modes, model_fmi2_status *status)
{
  *status = MODEL_FMI2_ERROR;
  if (!f) return 0;
  *status = model_fmi2_answer(f, model_fmu_allow(&f->core, function, modes));
  return *status == MODEL_FMI2_OK;
}

enum {
  MODEL_FMI2_RUNNING = MODEL_FMU_AT_EVENT | MODEL_FMU_CONTINUOUS | MODEL_FMU_STEPPING,
  MODEL_FMI2_AFTER = MODEL_FMU_INITIALIZING | MODEL_FMI2_RUNNING | MODEL_FMU_TERMINATED
};

/* ---------------------------------------------------------------- life */

MODEL_FMU_API const char *FMI2(fmi2GetTypesPlatform)(void);
const char *FMI2(fmi2GetTypesPlatform)(void)
{
  return "default";
}

MODEL_FMU_API const char *FMI2(fmi2GetVersion)(void);
const char *FMI2(fmi2GetVersion)(void)
{
  return "2.0";
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetDebugLogging)(void *instance, int on, size_t count,
                                                          const char *const *categories);
model_fmi2_status FMI2(fmi2SetDebugLogging)(void *instance, int on, size_t count, const char *const *categories)
{
  model_fmi2 *f = instance;
  size_t i;
  if (!f || (count && !categories)) return MODEL_FMI2_ERROR;
  for (i = 0; i < count; i++)
    if (!categories[i] ||
        (strcmp(categories[i], "logStatusError") != 0 && strcmp(categories[i], "logStatusDiscard") != 0))
      return model_fmi2_refuse(f, "fmi2SetDebugLogging", ": there is no such category");
  f->logs_events = on != 0;
  return MODEL_FMI2_OK;
}

static void model_fmi2_complain(const model_fmi2_callbacks *call, const char *name, const char *words)
{
  if (call && call->log) call->log(call->environment, name ? name : "", MODEL_FMI2_ERROR, "logStatusError", "%s",
                                   words);
}

MODEL_FMU_API void *FMI2(fmi2Instantiate)(const char *name, model_fmi2_type type, const char *guid,
                                          const char *resources, const model_fmi2_callbacks *call, int visible,
                                          int logs);
void *FMI2(fmi2Instantiate)(const char *name, model_fmi2_type type, const char *guid, const char *resources,
                            const model_fmi2_callbacks *call, int visible, int logs)
{
  model_fmi2 *f;
  (void)resources;
  (void)visible;
  if (!call) return NULL;
  if (!name || !name[0] || !guid || strcmp(guid, MODEL_FMU_GUID) != 0) {
    model_fmi2_complain(call, name, name && name[0] ? "the GUID is not that of this FMU" : "an instance needs a name");
    return NULL;
  }
  f = call->allocate && call->release ? call->allocate(1, sizeof *f) : calloc(1, sizeof *f);
  if (!f) {
    model_fmi2_complain(call, name, "there is no memory for an instance");
    return NULL;
  }
  memset(f, 0, sizeof *f);
  model_fmu_begin(&f->core, type == MODEL_FMI2_CO_SIMULATION);
  f->call = *call;
  strncpy(f->name, name, sizeof f->name - 1);
  f->logs_events = logs != 0;
  return f;
}

static void *model_fmi2_allocate(model_fmi2 *f, size_t size)
{
  return f->call.allocate && f->call.release ? f->call.allocate(1, size) : calloc(1, size);
}

static void model_fmi2_release(model_fmi2 *f, void *memory)
{
  if (f->call.allocate && f->call.release) f->call.release(memory);
  else free(memory);
}

MODEL_FMU_API void FMI2(fmi2FreeInstance)(void *instance);
void FMI2(fmi2FreeInstance)(void *instance)
{
  model_fmi2 *f = instance;
  if (f) model_fmi2_release(f, f);
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetupExperiment)(void *instance, int has_tolerance, double tolerance,
                                                          double start, int has_stop, double stop);
model_fmi2_status FMI2(fmi2SetupExperiment)(void *instance, int has_tolerance, double tolerance, double start,
                                            int has_stop, double stop)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2SetupExperiment", MODEL_FMU_INSTANTIATED, &status)) return status;
  if (!(start - start == 0) || (has_stop && !(stop > start)))
    return model_fmi2_refuse(f, "fmi2SetupExperiment", ": times must be finite and the stop behind the start");
  if (has_tolerance && tolerance > 0) f->core.d.tolerance = tolerance < 1e-13 ? 1e-13 : tolerance;
  model_fmu_set_time(&f->core, start);
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2EnterInitializationMode)(void *instance);
model_fmi2_status FMI2(fmi2EnterInitializationMode)(void *instance)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2EnterInitializationMode", MODEL_FMU_INSTANTIATED, &status)) return status;
  f->core.d.unsettled = 1;
  f->core.d.mode = MODEL_FMU_INITIALIZING;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2ExitInitializationMode)(void *instance);
model_fmi2_status FMI2(fmi2ExitInitializationMode)(void *instance)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2ExitInitializationMode", MODEL_FMU_INITIALIZING, &status)) return status;
  status = model_fmi2_answer(f, model_fmu_start(&f->core));
  if (status != MODEL_FMI2_OK) return status;
  f->core.d.was_set = 0;
  f->core.d.mode = f->core.d.co_simulation ? MODEL_FMU_STEPPING : MODEL_FMU_AT_EVENT;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2Terminate)(void *instance);
model_fmi2_status FMI2(fmi2Terminate)(void *instance)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2Terminate", MODEL_FMI2_RUNNING, &status)) return status;
  f->core.d.mode = MODEL_FMU_TERMINATED;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2Reset)(void *instance);
model_fmi2_status FMI2(fmi2Reset)(void *instance)
{
  model_fmi2 *f = instance;
  if (!f) return MODEL_FMI2_ERROR;
  model_fmu_begin(&f->core, f->core.d.co_simulation);
  return MODEL_FMI2_OK;
}

/* ---------------------------------------------------------------- values */

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetReal)(void *instance, const unsigned *references, size_t count,
                                                  double *values);
model_fmi2_status FMI2(fmi2GetReal)(void *instance, const unsigned *references, size_t count, double *values)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  size_t i;
  if (!model_fmi2_may(f, "fmi2GetReal", MODEL_FMU_ANY, &status)) return status;
  if (count && (!references || !values)) return model_fmi2_refuse(f, "fmi2GetReal", ": there is no place for values");
  for (i = 0; i < count && status == MODEL_FMI2_OK; i++)
    status = model_fmi2_answer(f, model_fmu_get(&f->core, references[i], &values[i]));
  return status;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetReal)(void *instance, const unsigned *references, size_t count,
                                                  const double *values);
model_fmi2_status FMI2(fmi2SetReal)(void *instance, const unsigned *references, size_t count, const double *values)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  size_t i;
  if (!model_fmi2_may(f, "fmi2SetReal", MODEL_FMU_ANY & ~MODEL_FMU_TERMINATED, &status)) return status;
  if (count && (!references || !values)) return model_fmi2_refuse(f, "fmi2SetReal", ": there are no values");
  for (i = 0; i < count && status == MODEL_FMI2_OK; i++)
    status = model_fmi2_answer(f, model_fmu_set(&f->core, references[i], values[i]));
  return status;
}

/* There are no variables of other types: lists that are not empty are refused. */
#define MODEL_FMI2_NO_TYPE(name, type)                                                                                 \
  MODEL_FMU_API model_fmi2_status FMI2(fmi2Get##name)(void *, const unsigned *, size_t, type *);                       \
  model_fmi2_status FMI2(fmi2Get##name)(void *f, const unsigned *references, size_t count, type *values)               \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    return f && !count ? MODEL_FMI2_OK : model_fmi2_refuse(f, "fmi2Get" #name, ": no variable is of this type");       \
  }                                                                                                                    \
  MODEL_FMU_API model_fmi2_status FMI2(fmi2Set##name)(void *, const unsigned *, size_t, const type *);                 \
  model_fmi2_status FMI2(fmi2Set##name)(void *f, const unsigned *references, size_t count, const type *values)         \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    return f && !count ? MODEL_FMI2_OK : model_fmi2_refuse(f, "fmi2Set" #name, ": no variable is of this type");       \
  }
typedef const char *model_fmi2_string;
typedef int model_fmi2_boolean;
MODEL_FMI2_NO_TYPE(Integer, int)
MODEL_FMI2_NO_TYPE(Boolean, model_fmi2_boolean)
MODEL_FMI2_NO_TYPE(String, model_fmi2_string)

/* ---------------------------------------------------------------- saved states */

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetFMUstate)(void *instance, void **saved);
model_fmi2_status FMI2(fmi2GetFMUstate)(void *instance, void **saved)
{
  model_fmi2 *f = instance;
  if (!f || !saved) return model_fmi2_refuse(f, "fmi2GetFMUstate", ": there is no place for the state");
  if (!*saved) *saved = model_fmi2_allocate(f, sizeof f->core.d);
  if (!*saved) return model_fmi2_refuse(f, "fmi2GetFMUstate", ": there is no memory");
  memcpy(*saved, &f->core.d, sizeof f->core.d);
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetFMUstate)(void *instance, void *saved);
model_fmi2_status FMI2(fmi2SetFMUstate)(void *instance, void *saved)
{
  model_fmi2 *f = instance;
  if (!f || !saved) return model_fmi2_refuse(f, "fmi2SetFMUstate", ": there is no state");
  model_fmu_restore(&f->core, saved);
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2FreeFMUstate)(void *instance, void **saved);
model_fmi2_status FMI2(fmi2FreeFMUstate)(void *instance, void **saved)
{
  model_fmi2 *f = instance;
  if (!f) return MODEL_FMI2_ERROR;
  if (!saved) return MODEL_FMI2_OK;
  if (*saved) model_fmi2_release(f, *saved);
  *saved = NULL;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SerializedFMUstateSize)(void *instance, void *saved, size_t *size);
model_fmi2_status FMI2(fmi2SerializedFMUstateSize)(void *instance, void *saved, size_t *size)
{
  if (!instance || !saved || !size) return model_fmi2_refuse(instance, "fmi2SerializedFMUstateSize", ": no state");
  *size = model_fmu_saved_size();
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SerializeFMUstate)(void *instance, void *saved, char *bytes, size_t size);
model_fmi2_status FMI2(fmi2SerializeFMUstate)(void *instance, void *saved, char *bytes, size_t size)
{
  if (!instance || !saved || !bytes || size < model_fmu_saved_size())
    return model_fmi2_refuse(instance, "fmi2SerializeFMUstate", ": the state does not fit");
  model_fmu_save(saved, (unsigned char *)bytes);
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2DeSerializeFMUstate)(void *instance, const char *bytes, size_t size,
                                                              void **saved);
model_fmi2_status FMI2(fmi2DeSerializeFMUstate)(void *instance, const char *bytes, size_t size, void **saved)
{
  model_fmi2 *f = instance;
  model_fmu_data d;
  model_fmi2_status status;
  if (!f || !bytes || !saved) return model_fmi2_refuse(f, "fmi2DeSerializeFMUstate", ": there is no state");
  status = model_fmi2_answer(f, model_fmu_load(&f->core, (const unsigned char *)bytes, size, &d));
  if (status != MODEL_FMI2_OK) return status;
  if (!*saved) *saved = model_fmi2_allocate(f, sizeof d);
  if (!*saved) return model_fmi2_refuse(f, "fmi2DeSerializeFMUstate", ": there is no memory");
  memcpy(*saved, &d, sizeof d);
  return MODEL_FMI2_OK;
}

/* ---------------------------------------------------------------- derivatives */

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetDirectionalDerivative)(void *instance, const unsigned *unknowns,
                                                                   size_t rows,
                                                                   const unsigned *knowns, size_t columns,
                                                                   const double *seed, double *sensitivity);
model_fmi2_status FMI2(fmi2GetDirectionalDerivative)(void *instance, const unsigned *unknowns, size_t rows,
                                                     const unsigned *knowns, size_t columns, const double *seed,
                                                     double *sensitivity)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  size_t i, j;
  if (!model_fmi2_may(f, "fmi2GetDirectionalDerivative", MODEL_FMI2_AFTER, &status)) return status;
  if ((rows && (!unknowns || !sensitivity)) || (columns && (!knowns || !seed)))
    return model_fmi2_refuse(f, "fmi2GetDirectionalDerivative", ": there is no place for values");
  for (i = 0; i < rows; i++) {
    double sum = 0;
    for (j = 0; j < columns; j++) {
      double slope = 0;
      status = model_fmi2_answer(f, model_fmu_slope(&f->core, unknowns[i], knowns[j], &slope));
      if (status != MODEL_FMI2_OK) return status;
      sum += slope*seed[j];
    }
    sensitivity[i] = sum;
  }
  return MODEL_FMI2_OK;
}

/* ---------------------------------------------------------------- Model Exchange */

MODEL_FMU_API model_fmi2_status FMI2(fmi2EnterEventMode)(void *instance);
model_fmi2_status FMI2(fmi2EnterEventMode)(void *instance)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2EnterEventMode", MODEL_FMU_CONTINUOUS, &status)) return status;
  f->core.d.mode = MODEL_FMU_AT_EVENT;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2NewDiscreteStates)(void *instance, model_fmi2_events *events);
model_fmi2_status FMI2(fmi2NewDiscreteStates)(void *instance, model_fmi2_events *events)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  int moved = 0;
  if (!model_fmi2_may(f, "fmi2NewDiscreteStates", MODEL_FMU_AT_EVENT, &status)) return status;
  if (!events) return model_fmi2_refuse(f, "fmi2NewDiscreteStates", ": there is no place for the answer");
  status = model_fmi2_answer(f, model_fmu_update(&f->core, &moved));
  events->again = events->nominals = 0;
  events->end = f->core.d.ended != 0;
  events->values = moved;
  events->has_next = f->core.d.has_next;
  events->next = f->core.d.next_event;
  return status;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2EnterContinuousTimeMode)(void *instance);
model_fmi2_status FMI2(fmi2EnterContinuousTimeMode)(void *instance)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2EnterContinuousTimeMode", MODEL_FMU_AT_EVENT, &status)) return status;
  f->core.d.mode = MODEL_FMU_CONTINUOUS;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2CompletedIntegratorStep)(void *instance, int forward, int *event, int *end);
model_fmi2_status FMI2(fmi2CompletedIntegratorStep)(void *instance, int forward, int *event, int *end)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  (void)forward;
  if (!model_fmi2_may(f, "fmi2CompletedIntegratorStep", MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!event || !end) return model_fmi2_refuse(f, "fmi2CompletedIntegratorStep", ": there is no place for the answer");
  *end = 0;
  return model_fmi2_answer(f, model_fmu_is_off(&f->core, event));
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetTime)(void *instance, double time);
model_fmi2_status FMI2(fmi2SetTime)(void *instance, double time)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_may(f, "fmi2SetTime", MODEL_FMU_AT_EVENT | MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!(time - time == 0)) return model_fmi2_refuse(f, "fmi2SetTime", ": the time is not finite");
  model_fmu_set_time(&f->core, time);
  return MODEL_FMI2_OK;
}

/* One array of the size that it must have, in modes in which it may be asked for? */
static int model_fmi2_array(model_fmi2 *f, const char *function, int modes, const double *array, size_t size,
                            size_t expected, model_fmi2_status *status)
{
  if (!model_fmi2_may(f, function, modes, status)) return 0;
  if (size == expected && (array || !size)) return 1;
  *status = model_fmi2_refuse(f, function, ": the array has the wrong size");
  return 0;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetContinuousStates)(void *instance, const double *states, size_t size);
model_fmi2_status FMI2(fmi2SetContinuousStates)(void *instance, const double *states, size_t size)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_array(f, "fmi2SetContinuousStates", MODEL_FMU_CONTINUOUS, states, size, 2*MODEL_N, &status))
    return status;
  return model_fmi2_answer(f, model_fmu_set_states(&f->core, states));
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetDerivatives)(void *instance, double *rates, size_t size);
model_fmi2_status FMI2(fmi2GetDerivatives)(void *instance, double *rates, size_t size)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_array(f, "fmi2GetDerivatives", MODEL_FMI2_AFTER, rates, size, 2*MODEL_N, &status)) return status;
  return model_fmi2_answer(f, model_fmu_get_rates(&f->core, rates));
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetEventIndicators)(void *instance, double *indicators, size_t size);
model_fmi2_status FMI2(fmi2GetEventIndicators)(void *instance, double *indicators, size_t size)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_array(f, "fmi2GetEventIndicators", MODEL_FMI2_AFTER, indicators, size, MODEL_FMU_INDICATORS, &status))
    return status;
  return model_fmi2_answer(f, model_fmu_get_indicators(&f->core, indicators));
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetContinuousStates)(void *instance, double *states, size_t size);
model_fmi2_status FMI2(fmi2GetContinuousStates)(void *instance, double *states, size_t size)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  if (!model_fmi2_array(f, "fmi2GetContinuousStates", MODEL_FMI2_AFTER, states, size, 2*MODEL_N, &status))
    return status;
  model_fmu_get_states(&f->core, states);
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetNominalsOfContinuousStates)(void *instance, double *nominals, size_t size);
model_fmi2_status FMI2(fmi2GetNominalsOfContinuousStates)(void *instance, double *nominals, size_t size)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  const int modes = MODEL_FMI2_AFTER | MODEL_FMU_INSTANTIATED;
  size_t i;
  if (!model_fmi2_array(f, "fmi2GetNominalsOfContinuousStates", modes, nominals, size, 2*MODEL_N, &status))
    return status;
  for (i = 0; i < size; i++) nominals[i] = 1;
  return MODEL_FMI2_OK;
}

/* ---------------------------------------------------------------- Co-Simulation */

MODEL_FMU_API model_fmi2_status FMI2(fmi2SetRealInputDerivatives)(void *instance, const unsigned *references,
                                                                  size_t count, const int *orders,
                                                                  const double *values);
model_fmi2_status FMI2(fmi2SetRealInputDerivatives)(void *instance, const unsigned *references, size_t count,
                                                    const int *orders, const double *values)
{
  (void)references;
  (void)count;
  (void)orders;
  (void)values;
  return model_fmi2_refuse(instance, "fmi2SetRealInputDerivatives", ": inputs are held within a step");
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetRealOutputDerivatives)(void *instance, const unsigned *references,
                                                                   size_t count, const int *orders, double *values);
model_fmi2_status FMI2(fmi2GetRealOutputDerivatives)(void *instance, const unsigned *references, size_t count,
                                                     const int *orders, double *values)
{
  (void)references;
  (void)count;
  (void)orders;
  (void)values;
  return model_fmi2_refuse(instance, "fmi2GetRealOutputDerivatives", ": there are none");
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2DoStep)(void *instance, double from, double length, int forward);
model_fmi2_status FMI2(fmi2DoStep)(void *instance, double from, double length, int forward)
{
  model_fmi2 *f = instance;
  model_fmi2_status status;
  (void)forward;
  if (!model_fmi2_may(f, "fmi2DoStep", MODEL_FMU_STEPPING, &status)) return status;
  if (!(length > 0) || !(length - length == 0))
    return model_fmi2_refuse(f, "fmi2DoStep", ": the step must be positive and finite");
  if (!(fabs(from - f->core.d.x.time) <= 1e-9*(1 + fabs(from))))
    return model_fmi2_refuse(f, "fmi2DoStep", ": the communication point is not where the last step ended");
  status = model_fmi2_answer(f, model_fmu_advance(&f->core, from + length));
  return status == MODEL_FMI2_OK && f->core.d.ended ? MODEL_FMI2_DISCARD : status; /* fmi2Terminated tells */
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2CancelStep)(void *instance);
model_fmi2_status FMI2(fmi2CancelStep)(void *instance)
{
  return model_fmi2_refuse(instance, "fmi2CancelStep", ": steps are over when fmi2DoStep returns");
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetStatus)(void *instance, const model_fmi2_kind kind,
                                                    model_fmi2_status *value);
model_fmi2_status FMI2(fmi2GetStatus)(void *instance, const model_fmi2_kind kind, model_fmi2_status *value)
{
  (void)kind;
  (void)value;
  return model_fmi2_refuse(instance, "fmi2GetStatus", ": no step is pending");
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetRealStatus)(void *instance, const model_fmi2_kind kind, double *value);
model_fmi2_status FMI2(fmi2GetRealStatus)(void *instance, const model_fmi2_kind kind, double *value)
{
  model_fmi2 *f = instance;
  if (!f || !value || kind != MODEL_FMI2_LAST_SUCCESSFUL_TIME)
    return model_fmi2_refuse(f, "fmi2GetRealStatus", ": there is the last successful time only");
  *value = f->core.d.x.time;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetIntegerStatus)(void *instance, const model_fmi2_kind kind, int *value);
model_fmi2_status FMI2(fmi2GetIntegerStatus)(void *instance, const model_fmi2_kind kind, int *value)
{
  (void)kind;
  (void)value;
  return model_fmi2_refuse(instance, "fmi2GetIntegerStatus", ": there is none");
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetBooleanStatus)(void *instance, const model_fmi2_kind kind, int *value);
model_fmi2_status FMI2(fmi2GetBooleanStatus)(void *instance, const model_fmi2_kind kind, int *value)
{
  model_fmi2 *f = instance;
  if (!f || !value || kind != MODEL_FMI2_TERMINATED)
    return model_fmi2_refuse(f, "fmi2GetBooleanStatus", ": there is 'terminated' only");
  *value = f->core.d.ended != 0;
  return MODEL_FMI2_OK;
}

MODEL_FMU_API model_fmi2_status FMI2(fmi2GetStringStatus)(void *instance, const model_fmi2_kind kind,
                                                          const char **value);
model_fmi2_status FMI2(fmi2GetStringStatus)(void *instance, const model_fmi2_kind kind, const char **value)
{
  (void)kind;
  (void)value;
  return model_fmi2_refuse(instance, "fmi2GetStringStatus", ": there is none");
}
