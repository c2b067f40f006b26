/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of FMI 3.0, Model Exchange and Co-Simulation. Types are those of the standard's interface, declared
 * here by what they are made of. FMI3_FUNCTION_PREFIX, when it is defined, stands before every name. */
#include "fmu_core.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef FMI3_FUNCTION_PREFIX
#define MODEL_FMU_PASTE(a, b) a##b
#define MODEL_FMU_JOIN(a, b) MODEL_FMU_PASTE(a, b)
#define FMI3(name) MODEL_FMU_JOIN(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3(name) name
#endif
#if defined(_WIN32)
#define MODEL_FMU_API __declspec(dllexport)
#elif defined(__GNUC__)
#define MODEL_FMU_API __attribute__((visibility("default")))
#else
#define MODEL_FMU_API
#endif

typedef enum model_fmi3_status {
  MODEL_FMI3_OK, MODEL_FMI3_WARNING, MODEL_FMI3_DISCARD, MODEL_FMI3_ERROR
} model_fmi3_status;
typedef void (*model_fmi3_log)(void *environment, model_fmi3_status status, const char *category, const char *message);
typedef void (*model_fmi3_intermediate)(void *, double, bool, bool, bool, bool, bool *, double *);

typedef struct model_fmi3 {
  model_fmu core;
  void *environment;
  model_fmi3_log log;
  int logs_events;
} model_fmi3;

static model_fmi3_status model_fmi3_answer(model_fmi3 *f, model_fmu_status status)
{
  if (status == MODEL_FMU_OK) return MODEL_FMI3_OK;
  if (status == MODEL_FMU_DISCARD) {
    if (f->log && f->logs_events) f->log(f->environment, MODEL_FMI3_DISCARD, "logStatusDiscard", f->core.message);
    return MODEL_FMI3_DISCARD;
  }
  if (f->log) f->log(f->environment, MODEL_FMI3_ERROR, "logStatusError", f->core.message);
  return MODEL_FMI3_ERROR;
}

static model_fmi3_status model_fmi3_refuse(model_fmi3 *f, const char *function, const char *why)
{
  if (!f) return MODEL_FMI3_ERROR;
  return model_fmi3_answer(f, model_fmu_fail(&f->core, function, why));
}

/* May the function be called now? */
static int model_fmi3_may(model_fmi3 *f, const char *function, int modes, model_fmi3_status *status)
{
  *status = MODEL_FMI3_ERROR;
  if (!f) return 0;
  *status = model_fmi3_answer(f, model_fmu_allow(&f->core, function, modes));
  return *status == MODEL_FMI3_OK;
}

enum {
  MODEL_FMI3_RUNNING = MODEL_FMU_AT_EVENT | MODEL_FMU_CONTINUOUS | MODEL_FMU_STEPPING,
  MODEL_FMI3_AFTER = MODEL_FMU_INITIALIZING | MODEL_FMI3_RUNNING | MODEL_FMU_TERMINATED
};

/* ---------------------------------------------------------------- life */

MODEL_FMU_API const char *FMI3(fmi3GetVersion)(void);
const char *FMI3(fmi3GetVersion)(void)
{
  return "3.0";
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SetDebugLogging)(void *instance, bool on, size_t count,
                                                          const char *const *categories);
model_fmi3_status FMI3(fmi3SetDebugLogging)(void *instance, bool on, size_t count, const char *const *categories)
{
  model_fmi3 *f = instance;
  size_t i;
  if (!f || (count && !categories)) return MODEL_FMI3_ERROR;
  for (i = 0; i < count; i++)
    if (!categories[i] ||
        (strcmp(categories[i], "logStatusError") != 0 && strcmp(categories[i], "logStatusDiscard") != 0))
      return model_fmi3_refuse(f, "fmi3SetDebugLogging", ": there is no such category");
  f->logs_events = on;
  return MODEL_FMI3_OK;
}

static void *model_fmi3_new(const char *name, const char *token, bool logs, void *environment, model_fmi3_log log,
                            int co_simulation)
{
  model_fmi3 *f;
  if (!name || !name[0] || !token || strcmp(token, MODEL_FMU_GUID) != 0) {
    if (log) log(environment, MODEL_FMI3_ERROR, "logStatusError",
                 name && name[0] ? "the instantiation token is not that of this FMU" : "an instance needs a name");
    return NULL;
  }
  f = calloc(1, sizeof *f);
  if (!f) {
    if (log) log(environment, MODEL_FMI3_ERROR, "logStatusError", "there is no memory for an instance");
    return NULL;
  }
  model_fmu_begin(&f->core, co_simulation);
  f->environment = environment;
  f->log = log;
  f->logs_events = logs;
  return f;
}

MODEL_FMU_API void *FMI3(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources,
                                                       bool visible, bool logs, void *environment, model_fmi3_log log);
void *FMI3(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible,
                                         bool logs, void *environment, model_fmi3_log log)
{
  (void)resources;
  (void)visible;
  return model_fmi3_new(name, token, logs, environment, log, 0);
}

MODEL_FMU_API void *FMI3(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources,
                                                      bool visible, bool logs, bool events, bool early,
                                                      const uint32_t *required, size_t count, void *environment,
                                                      model_fmi3_log log, model_fmi3_intermediate intermediate);
void *FMI3(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible,
                                        bool logs, bool events, bool early, const uint32_t *required, size_t count,
                                        void *environment, model_fmi3_log log, model_fmi3_intermediate intermediate)
{
  (void)resources;
  (void)visible;
  (void)early;
  (void)required;
  (void)intermediate;
  if (events || count) {
    if (log) log(environment, MODEL_FMI3_ERROR, "logStatusError",
                 "Co-Simulation has no event mode and no intermediate variables here: events are handled inside");
    return NULL;
  }
  return model_fmi3_new(name, token, logs, environment, log, 1);
}

MODEL_FMU_API void *FMI3(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources,
                                                            bool visible, bool logs, void *environment,
                                                            model_fmi3_log log, void (*update)(void *),
                                                            void (*lock)(void), void (*unlock)(void));
void *FMI3(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources, bool visible,
                                              bool logs, void *environment, model_fmi3_log log,
                                              void (*update)(void *), void (*lock)(void), void (*unlock)(void))
{
  (void)name;
  (void)token;
  (void)resources;
  (void)visible;
  (void)logs;
  (void)update;
  (void)lock;
  (void)unlock;
  if (log) log(environment, MODEL_FMI3_ERROR, "logStatusError", "there is no Scheduled Execution");
  return NULL;
}

MODEL_FMU_API void FMI3(fmi3FreeInstance)(void *instance);
void FMI3(fmi3FreeInstance)(void *instance)
{
  free(instance);
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3EnterInitializationMode)(void *instance, bool has_tolerance, double tolerance,
                                                                  double start, bool has_stop, double stop);
model_fmi3_status FMI3(fmi3EnterInitializationMode)(void *instance, bool has_tolerance, double tolerance, double start,
                                                    bool has_stop, double stop)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_may(f, "fmi3EnterInitializationMode", MODEL_FMU_INSTANTIATED, &status)) return status;
  if (!(start - start == 0) || (has_stop && !(stop > start)))
    return model_fmi3_refuse(f, "fmi3EnterInitializationMode", ": times must be finite and the stop behind the start");
  if (has_tolerance && tolerance > 0) f->core.d.tolerance = tolerance < 1e-13 ? 1e-13 : tolerance;
  model_fmu_set_time(&f->core, start);
  f->core.d.unsettled = 1;
  f->core.d.mode = MODEL_FMU_INITIALIZING;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3ExitInitializationMode)(void *instance);
model_fmi3_status FMI3(fmi3ExitInitializationMode)(void *instance)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_may(f, "fmi3ExitInitializationMode", MODEL_FMU_INITIALIZING, &status)) return status;
  status = model_fmi3_answer(f, model_fmu_start(&f->core));
  if (status != MODEL_FMI3_OK) return status;
  f->core.d.was_set = 0;
  f->core.d.mode = f->core.d.co_simulation ? MODEL_FMU_STEPPING : MODEL_FMU_AT_EVENT;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3EnterEventMode)(void *instance);
model_fmi3_status FMI3(fmi3EnterEventMode)(void *instance)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_may(f, "fmi3EnterEventMode", MODEL_FMU_CONTINUOUS, &status)) return status;
  f->core.d.mode = MODEL_FMU_AT_EVENT;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3Terminate)(void *instance);
model_fmi3_status FMI3(fmi3Terminate)(void *instance)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_may(f, "fmi3Terminate", MODEL_FMI3_RUNNING, &status)) return status;
  f->core.d.mode = MODEL_FMU_TERMINATED;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3Reset)(void *instance);
model_fmi3_status FMI3(fmi3Reset)(void *instance)
{
  model_fmi3 *f = instance;
  if (!f) return MODEL_FMI3_ERROR;
  model_fmu_begin(&f->core, f->core.d.co_simulation);
  return MODEL_FMI3_OK;
}

/* ---------------------------------------------------------------- values */

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetFloat64)(void *instance, const uint32_t *references, size_t count,
                                                     double *values, size_t size);
model_fmi3_status FMI3(fmi3GetFloat64)(void *instance, const uint32_t *references, size_t count, double *values,
                                       size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  size_t i;
  if (!model_fmi3_may(f, "fmi3GetFloat64", MODEL_FMU_ANY, &status)) return status;
  if (size != count || (count && (!references || !values)))
    return model_fmi3_refuse(f, "fmi3GetFloat64", ": there must be one value for each reference");
  for (i = 0; i < count && status == MODEL_FMI3_OK; i++)
    status = model_fmi3_answer(f, model_fmu_get(&f->core, references[i], &values[i]));
  return status;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SetFloat64)(void *instance, const uint32_t *references, size_t count,
                                                     const double *values, size_t size);
model_fmi3_status FMI3(fmi3SetFloat64)(void *instance, const uint32_t *references, size_t count, const double *values,
                                       size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  size_t i;
  if (!model_fmi3_may(f, "fmi3SetFloat64", MODEL_FMU_ANY & ~MODEL_FMU_TERMINATED, &status)) return status;
  if (size != count || (count && (!references || !values)))
    return model_fmi3_refuse(f, "fmi3SetFloat64", ": there must be one value for each reference");
  for (i = 0; i < count && status == MODEL_FMI3_OK; i++)
    status = model_fmi3_answer(f, model_fmu_set(&f->core, references[i], values[i]));
  return status;
}

/* There are no variables of other types: lists that are not empty are refused. */
#define MODEL_FMI3_NO_TYPE(name, type)                                                                                 \
  MODEL_FMU_API model_fmi3_status FMI3(fmi3Get##name)(void *, const uint32_t *, size_t, type *, size_t);               \
  model_fmi3_status FMI3(fmi3Get##name)(void *f, const uint32_t *references, size_t count, type *values, size_t size)  \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    (void)size;                                                                                                        \
    return f && !count ? MODEL_FMI3_OK : model_fmi3_refuse(f, "fmi3Get" #name, ": no variable is of this type");       \
  }                                                                                                                    \
  MODEL_FMU_API model_fmi3_status FMI3(fmi3Set##name)(void *, const uint32_t *, size_t, const type *, size_t);         \
  model_fmi3_status FMI3(fmi3Set##name)(void *f, const uint32_t *references, size_t count, const type *values,         \
                                        size_t size)                                                                   \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    (void)size;                                                                                                        \
    return f && !count ? MODEL_FMI3_OK : model_fmi3_refuse(f, "fmi3Set" #name, ": no variable is of this type");       \
  }
typedef const char *model_fmi3_string;
MODEL_FMI3_NO_TYPE(Float32, float)
MODEL_FMI3_NO_TYPE(Int8, int8_t)
MODEL_FMI3_NO_TYPE(UInt8, uint8_t)
MODEL_FMI3_NO_TYPE(Int16, int16_t)
MODEL_FMI3_NO_TYPE(UInt16, uint16_t)
MODEL_FMI3_NO_TYPE(Int32, int32_t)
MODEL_FMI3_NO_TYPE(UInt32, uint32_t)
MODEL_FMI3_NO_TYPE(Int64, int64_t)
MODEL_FMI3_NO_TYPE(UInt64, uint64_t)
MODEL_FMI3_NO_TYPE(Boolean, bool)
MODEL_FMI3_NO_TYPE(String, model_fmi3_string)

/* And no functions of what this FMU has not: the arguments are of no concern. */
#define MODEL_FMI3_NONE(name, arguments)                                                                               \
  MODEL_FMU_API model_fmi3_status FMI3(name) arguments;                                                                \
  model_fmi3_status FMI3(name) arguments                                                                               \
  {                                                                                                                    \
    return model_fmi3_refuse(instance, #name, ": this FMU has nothing of the kind");                                   \
  }
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
typedef const uint8_t *model_fmi3_binary;
typedef int model_fmi3_qualifier;
MODEL_FMI3_NONE(fmi3GetBinary, (void *instance, const uint32_t *r, size_t n, size_t *sizes, model_fmi3_binary *v,
                                size_t nv))
MODEL_FMI3_NONE(fmi3SetBinary, (void *instance, const uint32_t *r, size_t n, const size_t *sizes,
                                const model_fmi3_binary *v, size_t nv))
MODEL_FMI3_NONE(fmi3GetClock, (void *instance, const uint32_t *r, size_t n, bool *v))
MODEL_FMI3_NONE(fmi3SetClock, (void *instance, const uint32_t *r, size_t n, const bool *v))
MODEL_FMI3_NONE(fmi3GetNumberOfVariableDependencies, (void *instance, uint32_t r, size_t *count))
MODEL_FMI3_NONE(fmi3GetVariableDependencies, (void *instance, uint32_t r, size_t *i, uint32_t *by, size_t *j,
                                              int *kinds, size_t n))
MODEL_FMI3_NONE(fmi3EnterConfigurationMode, (void *instance))
MODEL_FMI3_NONE(fmi3ExitConfigurationMode, (void *instance))
MODEL_FMI3_NONE(fmi3GetIntervalDecimal, (void *instance, const uint32_t *r, size_t n, double *v,
                                         model_fmi3_qualifier *q))
MODEL_FMI3_NONE(fmi3GetIntervalFraction, (void *instance, const uint32_t *r, size_t n, uint64_t *c, uint64_t *s,
                                          model_fmi3_qualifier *q))
MODEL_FMI3_NONE(fmi3GetShiftDecimal, (void *instance, const uint32_t *r, size_t n, double *v))
MODEL_FMI3_NONE(fmi3GetShiftFraction, (void *instance, const uint32_t *r, size_t n, uint64_t *c, uint64_t *s))
MODEL_FMI3_NONE(fmi3SetIntervalDecimal, (void *instance, const uint32_t *r, size_t n, const double *v))
MODEL_FMI3_NONE(fmi3SetIntervalFraction, (void *instance, const uint32_t *r, size_t n, const uint64_t *c,
                                          const uint64_t *s))
MODEL_FMI3_NONE(fmi3SetShiftDecimal, (void *instance, const uint32_t *r, size_t n, const double *v))
MODEL_FMI3_NONE(fmi3SetShiftFraction, (void *instance, const uint32_t *r, size_t n, const uint64_t *c,
                                       const uint64_t *s))
MODEL_FMI3_NONE(fmi3EnterStepMode, (void *instance))
MODEL_FMI3_NONE(fmi3GetOutputDerivatives, (void *instance, const uint32_t *r, size_t n, const int32_t *o, double *v,
                                           size_t nv))
MODEL_FMI3_NONE(fmi3ActivateModelPartition, (void *instance, uint32_t r, double time))
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* ---------------------------------------------------------------- saved states */

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetFMUState)(void *instance, void **saved);
model_fmi3_status FMI3(fmi3GetFMUState)(void *instance, void **saved)
{
  model_fmi3 *f = instance;
  if (!f || !saved) return model_fmi3_refuse(f, "fmi3GetFMUState", ": there is no place for the state");
  if (!*saved) *saved = malloc(sizeof f->core.d);
  if (!*saved) return model_fmi3_refuse(f, "fmi3GetFMUState", ": there is no memory");
  memcpy(*saved, &f->core.d, sizeof f->core.d);
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SetFMUState)(void *instance, void *saved);
model_fmi3_status FMI3(fmi3SetFMUState)(void *instance, void *saved)
{
  model_fmi3 *f = instance;
  if (!f || !saved) return model_fmi3_refuse(f, "fmi3SetFMUState", ": there is no state");
  model_fmu_restore(&f->core, saved);
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3FreeFMUState)(void *instance, void **saved);
model_fmi3_status FMI3(fmi3FreeFMUState)(void *instance, void **saved)
{
  if (!instance) return MODEL_FMI3_ERROR;
  if (!saved) return MODEL_FMI3_OK;
  free(*saved);
  *saved = NULL;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SerializedFMUStateSize)(void *instance, void *saved, size_t *size);
model_fmi3_status FMI3(fmi3SerializedFMUStateSize)(void *instance, void *saved, size_t *size)
{
  if (!instance || !saved || !size) return model_fmi3_refuse(instance, "fmi3SerializedFMUStateSize", ": no state");
  *size = model_fmu_saved_size();
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SerializeFMUState)(void *instance, void *saved, uint8_t *bytes, size_t size);
model_fmi3_status FMI3(fmi3SerializeFMUState)(void *instance, void *saved, uint8_t *bytes, size_t size)
{
  if (!instance || !saved || !bytes || size < model_fmu_saved_size())
    return model_fmi3_refuse(instance, "fmi3SerializeFMUState", ": the state does not fit");
  model_fmu_save(saved, bytes);
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3DeserializeFMUState)(void *instance, const uint8_t *bytes, size_t size,
                                                              void **saved);
model_fmi3_status FMI3(fmi3DeserializeFMUState)(void *instance, const uint8_t *bytes, size_t size, void **saved)
{
  model_fmi3 *f = instance;
  model_fmu_data d;
  model_fmi3_status status;
  if (!f || !bytes || !saved) return model_fmi3_refuse(f, "fmi3DeserializeFMUState", ": there is no state");
  status = model_fmi3_answer(f, model_fmu_load(&f->core, bytes, size, &d));
  if (status != MODEL_FMI3_OK) return status;
  if (!*saved) *saved = malloc(sizeof d);
  if (!*saved) return model_fmi3_refuse(f, "fmi3DeserializeFMUState", ": there is no memory");
  memcpy(*saved, &d, sizeof d);
  return MODEL_FMI3_OK;
}

/* ---------------------------------------------------------------- derivatives */

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetDirectionalDerivative)(void *instance, const uint32_t *unknowns,
                                                                   size_t rows,
                                                                   const uint32_t *knowns, size_t columns,
                                                                   const double *seed, size_t seeds,
                                                                   double *sensitivity, size_t size);
model_fmi3_status FMI3(fmi3GetDirectionalDerivative)(void *instance, const uint32_t *unknowns, size_t rows,
                                                     const uint32_t *knowns, size_t columns, const double *seed,
                                                     size_t seeds, double *sensitivity, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  size_t i, j;
  if (!model_fmi3_may(f, "fmi3GetDirectionalDerivative", MODEL_FMI3_AFTER, &status)) return status;
  if (seeds != columns || size != rows || (rows && (!unknowns || !sensitivity)) || (columns && (!knowns || !seed)))
    return model_fmi3_refuse(f, "fmi3GetDirectionalDerivative", ": sizes do not fit");
  for (i = 0; i < rows; i++) {
    double sum = 0;
    for (j = 0; j < columns; j++) {
      double slope = 0;
      status = model_fmi3_answer(f, model_fmu_slope(&f->core, unknowns[i], knowns[j], &slope));
      if (status != MODEL_FMI3_OK) return status;
      sum += slope*seed[j];
    }
    sensitivity[i] = sum;
  }
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetAdjointDerivative)(void *instance, const uint32_t *unknowns, size_t rows,
                                                               const uint32_t *knowns, size_t columns,
                                                               const double *seed, size_t seeds, double *sensitivity,
                                                               size_t size);
model_fmi3_status FMI3(fmi3GetAdjointDerivative)(void *instance, const uint32_t *unknowns, size_t rows,
                                                 const uint32_t *knowns, size_t columns, const double *seed,
                                                 size_t seeds, double *sensitivity, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  size_t i, j;
  if (!model_fmi3_may(f, "fmi3GetAdjointDerivative", MODEL_FMI3_AFTER, &status)) return status;
  if (seeds != rows || size != columns || (rows && (!unknowns || !seed)) || (columns && (!knowns || !sensitivity)))
    return model_fmi3_refuse(f, "fmi3GetAdjointDerivative", ": sizes do not fit");
  for (j = 0; j < columns; j++) {
    double sum = 0;
    for (i = 0; i < rows; i++) {
      double slope = 0;
      status = model_fmi3_answer(f, model_fmu_slope(&f->core, unknowns[i], knowns[j], &slope));
      if (status != MODEL_FMI3_OK) return status;
      sum += slope*seed[i];
    }
    sensitivity[j] = sum;
  }
  return MODEL_FMI3_OK;
}

/* ---------------------------------------------------------------- events */

MODEL_FMU_API model_fmi3_status FMI3(fmi3EvaluateDiscreteStates)(void *instance);
model_fmi3_status FMI3(fmi3EvaluateDiscreteStates)(void *instance)
{
  model_fmi3_status status;
  (void)model_fmi3_may(instance, "fmi3EvaluateDiscreteStates", MODEL_FMU_INITIALIZING | MODEL_FMU_AT_EVENT, &status);
  return status;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3UpdateDiscreteStates)(void *instance, bool *again, bool *end, bool *nominals,
                                                               bool *values, bool *has_next, double *next);
model_fmi3_status FMI3(fmi3UpdateDiscreteStates)(void *instance, bool *again, bool *end, bool *nominals, bool *values,
                                                 bool *has_next, double *next)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  int moved = 0;
  if (!model_fmi3_may(f, "fmi3UpdateDiscreteStates", MODEL_FMU_AT_EVENT, &status)) return status;
  if (!again || !end || !nominals || !values || !has_next || !next)
    return model_fmi3_refuse(f, "fmi3UpdateDiscreteStates", ": there is no place for the answer");
  status = model_fmi3_answer(f, model_fmu_update(&f->core, &moved));
  *again = *nominals = false;
  *end = f->core.d.ended != 0;
  *values = moved != 0;
  *has_next = f->core.d.has_next != 0;
  *next = f->core.d.next_event;
  return status;
}

/* ---------------------------------------------------------------- Model Exchange */

MODEL_FMU_API model_fmi3_status FMI3(fmi3EnterContinuousTimeMode)(void *instance);
model_fmi3_status FMI3(fmi3EnterContinuousTimeMode)(void *instance)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_may(f, "fmi3EnterContinuousTimeMode", MODEL_FMU_AT_EVENT, &status)) return status;
  f->core.d.mode = MODEL_FMU_CONTINUOUS;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3CompletedIntegratorStep)(void *instance, bool forward, bool *event, bool *end);
model_fmi3_status FMI3(fmi3CompletedIntegratorStep)(void *instance, bool forward, bool *event, bool *end)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  int off = 0;
  (void)forward;
  if (!model_fmi3_may(f, "fmi3CompletedIntegratorStep", MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!event || !end) return model_fmi3_refuse(f, "fmi3CompletedIntegratorStep", ": there is no place for the answer");
  status = model_fmi3_answer(f, model_fmu_is_off(&f->core, &off));
  *event = off != 0;
  *end = false;
  return status;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SetTime)(void *instance, double time);
model_fmi3_status FMI3(fmi3SetTime)(void *instance, double time)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_may(f, "fmi3SetTime", MODEL_FMU_AT_EVENT | MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!(time - time == 0)) return model_fmi3_refuse(f, "fmi3SetTime", ": the time is not finite");
  model_fmu_set_time(&f->core, time);
  return MODEL_FMI3_OK;
}

/* One array of the size that it must have, in modes in which it may be asked for? */
static int model_fmi3_array(model_fmi3 *f, const char *function, int modes, const double *array, size_t size,
                            size_t expected, model_fmi3_status *status)
{
  if (!model_fmi3_may(f, function, modes, status)) return 0;
  if (size == expected && (array || !size)) return 1;
  *status = model_fmi3_refuse(f, function, ": the array has the wrong size");
  return 0;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3SetContinuousStates)(void *instance, const double *states, size_t size);
model_fmi3_status FMI3(fmi3SetContinuousStates)(void *instance, const double *states, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_array(f, "fmi3SetContinuousStates", MODEL_FMU_CONTINUOUS, states, size, 2*MODEL_N, &status))
    return status;
  return model_fmi3_answer(f, model_fmu_set_states(&f->core, states));
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetContinuousStateDerivatives)(void *instance, double *rates, size_t size);
model_fmi3_status FMI3(fmi3GetContinuousStateDerivatives)(void *instance, double *rates, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_array(f, "fmi3GetContinuousStateDerivatives", MODEL_FMI3_AFTER, rates, size, 2*MODEL_N, &status))
    return status;
  return model_fmi3_answer(f, model_fmu_get_rates(&f->core, rates));
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetEventIndicators)(void *instance, double *indicators, size_t size);
model_fmi3_status FMI3(fmi3GetEventIndicators)(void *instance, double *indicators, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_array(f, "fmi3GetEventIndicators", MODEL_FMI3_AFTER, indicators, size, MODEL_FMU_INDICATORS, &status))
    return status;
  return model_fmi3_answer(f, model_fmu_get_indicators(&f->core, indicators));
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetContinuousStates)(void *instance, double *states, size_t size);
model_fmi3_status FMI3(fmi3GetContinuousStates)(void *instance, double *states, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  if (!model_fmi3_array(f, "fmi3GetContinuousStates", MODEL_FMI3_AFTER, states, size, 2*MODEL_N, &status))
    return status;
  model_fmu_get_states(&f->core, states);
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetNominalsOfContinuousStates)(void *instance, double *nominals, size_t size);
model_fmi3_status FMI3(fmi3GetNominalsOfContinuousStates)(void *instance, double *nominals, size_t size)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  size_t i;
  if (!model_fmi3_array(f, "fmi3GetNominalsOfContinuousStates", MODEL_FMI3_AFTER, nominals, size, 2*MODEL_N, &status))
    return status;
  for (i = 0; i < size; i++) nominals[i] = 1;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetNumberOfEventIndicators)(void *instance, size_t *count);
model_fmi3_status FMI3(fmi3GetNumberOfEventIndicators)(void *instance, size_t *count)
{
  if (!instance || !count) return MODEL_FMI3_ERROR;
  *count = MODEL_FMU_INDICATORS;
  return MODEL_FMI3_OK;
}

MODEL_FMU_API model_fmi3_status FMI3(fmi3GetNumberOfContinuousStates)(void *instance, size_t *count);
model_fmi3_status FMI3(fmi3GetNumberOfContinuousStates)(void *instance, size_t *count)
{
  if (!instance || !count) return MODEL_FMI3_ERROR;
  *count = 2*MODEL_N;
  return MODEL_FMI3_OK;
}

/* ---------------------------------------------------------------- Co-Simulation */

MODEL_FMU_API model_fmi3_status FMI3(fmi3DoStep)(void *instance, double from, double length, bool forward, bool *event,
                                                 bool *end, bool *early, double *reached);
model_fmi3_status FMI3(fmi3DoStep)(void *instance, double from, double length, bool forward, bool *event, bool *end,
                                   bool *early, double *reached)
{
  model_fmi3 *f = instance;
  model_fmi3_status status;
  (void)forward;
  if (!model_fmi3_may(f, "fmi3DoStep", MODEL_FMU_STEPPING, &status)) return status;
  if (!event || !end || !early || !reached)
    return model_fmi3_refuse(f, "fmi3DoStep", ": there is no place for the answer");
  *event = *end = *early = false;
  *reached = f->core.d.x.time;
  if (!(length > 0) || !(length - length == 0))
    return model_fmi3_refuse(f, "fmi3DoStep", ": the step must be positive and finite");
  if (!(fabs(from - f->core.d.x.time) <= 1e-9*(1 + fabs(from))))
    return model_fmi3_refuse(f, "fmi3DoStep", ": the communication point is not where the last step ended");
  status = model_fmi3_answer(f, model_fmu_advance(&f->core, from + length));
  *end = f->core.d.ended != 0;
  *reached = f->core.d.x.time;
  return status;
}
