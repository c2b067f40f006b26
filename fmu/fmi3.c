/* SPDX-License-Identifier: Apache-2.0 */
/* FMI 3.0, Model Exchange and Co-Simulation: what is its own. */
#include "fmu_door.h"

#include <stdlib.h>

typedef void (*model_fmi3_intermediate)(void *, double, bool, bool, bool, bool, bool *, double *);

/* ---------------------------------------------------------------- life */

void model_fmi_say(const model_fmi_callbacks *call, const char *name, model_fmi_status status, const char *category,
                   const char *message)
{
  (void)name;
  if (call->log) call->log(call->environment, status, category, message);
}

void *model_fmi_allocate(const model_fmi_callbacks *call, size_t size)
{
  (void)call;
  return calloc(1, size);
}

void model_fmi_release(const model_fmi_callbacks *call, void *memory)
{
  (void)call;
  free(memory);
}

MODEL_FMU_API const char *FMI(GetVersion)(void)
{
  return "3.0";
}

MODEL_FMU_API void *FMI(InstantiateModelExchange)(const char *name, const char *token, const char *resources,
                                                  bool visible, bool logs, void *environment, model_fmi_log log)
{
  const model_fmi_callbacks call = {environment, log};
  (void)resources;
  (void)visible;
  return model_fmi_new(name, token, 0, &call, logs);
}

MODEL_FMU_API void *FMI(InstantiateCoSimulation)(const char *name, const char *token, const char *resources,
                                                 bool visible, bool logs, bool events, bool early,
                                                 const uint32_t *required, size_t count, void *environment,
                                                 model_fmi_log log, model_fmi3_intermediate intermediate)
{
  const model_fmi_callbacks call = {environment, log};
  (void)resources;
  (void)visible;
  (void)early;
  (void)required;
  (void)intermediate;
  if (!events && !count) return model_fmi_new(name, token, 1, &call, logs);
  model_fmi_say(&call, name, MODEL_FMI_ERROR, "logStatusError",
                "Co-Simulation has no event mode and no intermediate variables here: events are handled inside");
  return NULL;
}

MODEL_FMU_API void *FMI(InstantiateScheduledExecution)(const char *name, const char *token, const char *resources,
                                                       bool visible, bool logs, void *environment, model_fmi_log log,
                                                       void (*update)(void *), void (*lock)(void),
                                                       void (*unlock)(void))
{
  const model_fmi_callbacks call = {environment, log};
  (void)token;
  (void)resources;
  (void)visible;
  (void)logs;
  (void)update;
  (void)lock;
  (void)unlock;
  model_fmi_say(&call, name, MODEL_FMI_ERROR, "logStatusError", "there is no Scheduled Execution");
  return NULL;
}

MODEL_FMU_API model_fmi_status FMI(EnterInitializationMode)(void *instance, bool has_tolerance, double tolerance,
                                                            double start, bool has_stop, double stop)
{
  const model_fmi_status status =
      model_fmi_set_times(instance, "fmi3EnterInitializationMode", has_tolerance, tolerance, start, has_stop, stop);
  if (status == MODEL_FMI_OK) model_fmi_initialize(instance);
  return status;
}

/* ---------------------------------------------------------------- values */

MODEL_FMU_API model_fmi_status FMI(GetFloat64)(void *instance, const uint32_t *references, size_t count,
                                               double *values, size_t size)
{
  return model_fmi_get(instance, "fmi3GetFloat64", references, count, values, size);
}

MODEL_FMU_API model_fmi_status FMI(SetFloat64)(void *instance, const uint32_t *references, size_t count,
                                               const double *values, size_t size)
{
  return model_fmi_set(instance, "fmi3SetFloat64", references, count, values, size);
}

/* There are no variables of other types: lists that are not empty are refused. */
#define MODEL_FMI3_NO_TYPE(name, type)                                                                                 \
  MODEL_FMU_API model_fmi_status FMI(Get##name)(void *f, const uint32_t *references, size_t count, type *values,       \
                                                size_t size)                                                           \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    (void)size;                                                                                                        \
    return f && !count ? MODEL_FMI_OK : model_fmi_refuse(f, "fmi3Get" #name, ": no variable is of this type");         \
  }                                                                                                                    \
  MODEL_FMU_API model_fmi_status FMI(Set##name)(void *f, const uint32_t *references, size_t count, const type *values, \
                                                size_t size)                                                           \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    (void)size;                                                                                                        \
    return f && !count ? MODEL_FMI_OK : model_fmi_refuse(f, "fmi3Set" #name, ": no variable is of this type");         \
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
  MODEL_FMU_API model_fmi_status FMI(name) arguments                                                                   \
  {                                                                                                                    \
    return model_fmi_refuse(instance, "fmi3" #name, ": this FMU has nothing of the kind");                             \
  }
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
typedef const uint8_t *model_fmi3_binary;
typedef int model_fmi3_qualifier;
MODEL_FMI3_NONE(GetBinary, (void *instance, const uint32_t *r, size_t n, size_t *sizes, model_fmi3_binary *v,
                                size_t nv))
MODEL_FMI3_NONE(SetBinary, (void *instance, const uint32_t *r, size_t n, const size_t *sizes,
                                const model_fmi3_binary *v, size_t nv))
MODEL_FMI3_NONE(GetClock, (void *instance, const uint32_t *r, size_t n, bool *v))
MODEL_FMI3_NONE(SetClock, (void *instance, const uint32_t *r, size_t n, const bool *v))
MODEL_FMI3_NONE(GetNumberOfVariableDependencies, (void *instance, uint32_t r, size_t *count))
MODEL_FMI3_NONE(GetVariableDependencies, (void *instance, uint32_t r, size_t *i, uint32_t *by, size_t *j,
                                              int *kinds, size_t n))
MODEL_FMI3_NONE(EnterConfigurationMode, (void *instance))
MODEL_FMI3_NONE(ExitConfigurationMode, (void *instance))
MODEL_FMI3_NONE(GetIntervalDecimal, (void *instance, const uint32_t *r, size_t n, double *v,
                                         model_fmi3_qualifier *q))
MODEL_FMI3_NONE(GetIntervalFraction, (void *instance, const uint32_t *r, size_t n, uint64_t *c, uint64_t *s,
                                          model_fmi3_qualifier *q))
MODEL_FMI3_NONE(GetShiftDecimal, (void *instance, const uint32_t *r, size_t n, double *v))
MODEL_FMI3_NONE(GetShiftFraction, (void *instance, const uint32_t *r, size_t n, uint64_t *c, uint64_t *s))
MODEL_FMI3_NONE(SetIntervalDecimal, (void *instance, const uint32_t *r, size_t n, const double *v))
MODEL_FMI3_NONE(SetIntervalFraction, (void *instance, const uint32_t *r, size_t n, const uint64_t *c,
                                          const uint64_t *s))
MODEL_FMI3_NONE(SetShiftDecimal, (void *instance, const uint32_t *r, size_t n, const double *v))
MODEL_FMI3_NONE(SetShiftFraction, (void *instance, const uint32_t *r, size_t n, const uint64_t *c,
                                       const uint64_t *s))
MODEL_FMI3_NONE(EnterStepMode, (void *instance))
MODEL_FMI3_NONE(GetOutputDerivatives, (void *instance, const uint32_t *r, size_t n, const int32_t *o, double *v,
                                           size_t nv))
MODEL_FMI3_NONE(ActivateModelPartition, (void *instance, uint32_t r, double time))
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* ---------------------------------------------------------------- derivatives */

MODEL_FMU_API model_fmi_status FMI(GetDirectionalDerivative)(void *instance, const uint32_t *unknowns, size_t rows,
                                                             const uint32_t *knowns, size_t columns,
                                                             const double *seed, size_t seeds, double *sums,
                                                             size_t size)
{
  const model_fmi_list of = {unknowns, rows}, by = {knowns, columns};
  return model_fmi_derive(instance, "fmi3GetDirectionalDerivative", of, by, 0, seed, seeds, sums, size);
}

MODEL_FMU_API model_fmi_status FMI(GetAdjointDerivative)(void *instance, const uint32_t *unknowns, size_t rows,
                                                         const uint32_t *knowns, size_t columns, const double *seed,
                                                         size_t seeds, double *sums, size_t size)
{
  const model_fmi_list of = {unknowns, rows}, by = {knowns, columns};
  return model_fmi_derive(instance, "fmi3GetAdjointDerivative", of, by, 1, seed, seeds, sums, size);
}

MODEL_FMU_API model_fmi_status FMI(GetContinuousStateDerivatives)(void *instance, double *rates, size_t size)
{
  return model_fmi_get_rates(instance, "fmi3GetContinuousStateDerivatives", rates, size);
}

/* ---------------------------------------------------------------- events */

MODEL_FMU_API model_fmi_status FMI(EvaluateDiscreteStates)(void *instance)
{
  model_fmi_status status;
  (void)model_fmi_may(instance, "fmi3EvaluateDiscreteStates", MODEL_FMU_INITIALIZING | MODEL_FMU_AT_EVENT, &status);
  return status;
}

MODEL_FMU_API model_fmi_status FMI(UpdateDiscreteStates)(void *instance, bool *again, bool *end, bool *nominals,
                                                         bool *values, bool *has_next, double *next)
{
  model_fmi *f = instance;
  model_fmi_status status;
  int moved = 0;
  if (!model_fmi_may(f, "fmi3UpdateDiscreteStates", MODEL_FMU_AT_EVENT, &status)) return status;
  if (!again || !end || !nominals || !values || !has_next || !next)
    return model_fmi_refuse(f, "fmi3UpdateDiscreteStates", ": there is no place for the answer");
  status = model_fmi_answer(f, model_fmu_update(&f->core, &moved));
  *again = *nominals = false;
  *end = f->core.d.ended != 0;
  *values = moved != 0;
  *has_next = f->core.d.has_next != 0;
  *next = f->core.d.next_event;
  return status;
}

/* ---------------------------------------------------------------- Model Exchange */

MODEL_FMU_API model_fmi_status FMI(CompletedIntegratorStep)(void *instance, bool forward, bool *event, bool *end)
{
  model_fmi *f = instance;
  model_fmi_status status;
  int off = 0;
  (void)forward;
  if (!model_fmi_may(f, "fmi3CompletedIntegratorStep", MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!event || !end) return model_fmi_refuse(f, "fmi3CompletedIntegratorStep", ": there is no place for the answer");
  status = model_fmi_answer(f, model_fmu_is_off(&f->core, &off));
  *event = off != 0;
  *end = false;
  return status;
}

MODEL_FMU_API model_fmi_status FMI(GetNumberOfEventIndicators)(void *instance, size_t *count)
{
  if (!instance || !count) return MODEL_FMI_ERROR;
  *count = MODEL_FMU_INDICATORS;
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI(GetNumberOfContinuousStates)(void *instance, size_t *count)
{
  if (!instance || !count) return MODEL_FMI_ERROR;
  *count = 2*MODEL_N;
  return MODEL_FMI_OK;
}

/* ---------------------------------------------------------------- Co-Simulation */

MODEL_FMU_API model_fmi_status FMI(DoStep)(void *instance, double from, double length, bool forward, bool *event,
                                           bool *end, bool *early, double *reached)
{
  model_fmi *f = instance;
  model_fmi_status status;
  (void)forward;
  if (!model_fmi_may(f, "fmi3DoStep", MODEL_FMU_STEPPING, &status)) return status;
  if (!event || !end || !early || !reached)
    return model_fmi_refuse(f, "fmi3DoStep", ": there is no place for the answer");
  *event = *end = *early = false;
  *reached = f->core.d.x.time;
  status = model_fmi_step(f, "fmi3DoStep", from, length);
  *end = f->core.d.ended != 0;
  *reached = f->core.d.x.time;
  return status;
}
