/* SPDX-License-Identifier: Apache-2.0 */
/* FMI 2.0, Model Exchange and Co-Simulation: what is its own. */
#include "fmu_door.h"

#include <stdlib.h>

typedef enum model_fmi2_type { MODEL_FMI2_MODEL_EXCHANGE, MODEL_FMI2_CO_SIMULATION } model_fmi2_type;
typedef enum model_fmi2_kind {
  MODEL_FMI2_DO_STEP_STATUS,
  MODEL_FMI2_PENDING_STATUS,
  MODEL_FMI2_LAST_SUCCESSFUL_TIME,
  MODEL_FMI2_TERMINATED
} model_fmi2_kind;

typedef struct model_fmi2_events {
  int again, end, nominals, values, has_next;
  double next;
} model_fmi2_events;

/* ---------------------------------------------------------------- life */

void model_fmi_say(const model_fmi_callbacks *call, const char *name, model_fmi_status status, const char *category,
                   const char *message)
{
  if (call->log) call->log(call->environment, name, status, category, "%s", message);
}

void *model_fmi_allocate(const model_fmi_callbacks *call, size_t size)
{
  return call->allocate && call->release ? call->allocate(1, size) : calloc(1, size);
}

void model_fmi_release(const model_fmi_callbacks *call, void *memory)
{
  if (call->allocate && call->release) call->release(memory);
  else free(memory);
}

MODEL_FMU_API const char *FMI(GetTypesPlatform)(void)
{
  return "default";
}

MODEL_FMU_API const char *FMI(GetVersion)(void)
{
  return "2.0";
}

MODEL_FMU_API void *FMI(Instantiate)(const char *name, model_fmi2_type type, const char *guid, const char *resources,
                                     const model_fmi_callbacks *call, int visible, int logs)
{
  (void)resources;
  (void)visible;
  return call ? model_fmi_new(name, guid, type == MODEL_FMI2_CO_SIMULATION, call, logs != 0) : NULL;
}

MODEL_FMU_API model_fmi_status FMI(SetupExperiment)(void *instance, int has_tolerance, double tolerance, double start,
                                                    int has_stop, double stop)
{
  return model_fmi_set_times(instance, "fmi2SetupExperiment", has_tolerance, tolerance, start, has_stop, stop);
}

MODEL_FMU_API model_fmi_status FMI(EnterInitializationMode)(void *instance)
{
  model_fmi_status status;
  if (model_fmi_may(instance, "fmi2EnterInitializationMode", MODEL_FMU_INSTANTIATED, &status))
    model_fmi_initialize(instance);
  return status;
}

/* ---------------------------------------------------------------- values */

MODEL_FMU_API model_fmi_status FMI(GetReal)(void *instance, const uint32_t *references, size_t count, double *values)
{
  return model_fmi_get(instance, "fmi2GetReal", references, count, values, count);
}

MODEL_FMU_API model_fmi_status FMI(SetReal)(void *instance, const uint32_t *references, size_t count,
                                            const double *values)
{
  return model_fmi_set(instance, "fmi2SetReal", references, count, values, count);
}

/* There are no variables of other types: lists that are not empty are refused. */
#define MODEL_FMI2_NO_TYPE(name, type)                                                                                 \
  MODEL_FMU_API model_fmi_status FMI(Get##name)(void *f, const uint32_t *references, size_t count, type *values)       \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    return f && !count ? MODEL_FMI_OK : model_fmi_refuse(f, "fmi2Get" #name, ": no variable is of this type");         \
  }                                                                                                                    \
  MODEL_FMU_API model_fmi_status FMI(Set##name)(void *f, const uint32_t *references, size_t count, const type *values) \
  {                                                                                                                    \
    (void)references;                                                                                                  \
    (void)values;                                                                                                      \
    return f && !count ? MODEL_FMI_OK : model_fmi_refuse(f, "fmi2Set" #name, ": no variable is of this type");         \
  }
typedef const char *model_fmi2_string;
MODEL_FMI2_NO_TYPE(Integer, int)
MODEL_FMI2_NO_TYPE(Boolean, model_fmi_bool)
MODEL_FMI2_NO_TYPE(String, model_fmi2_string)

MODEL_FMU_API model_fmi_status FMI(GetDirectionalDerivative)(void *instance, const uint32_t *unknowns, size_t rows,
                                                             const uint32_t *knowns, size_t columns,
                                                             const double *seed, double *sums)
{
  const model_fmi_list of = {unknowns, rows}, by = {knowns, columns};
  return model_fmi_derive(instance, "fmi2GetDirectionalDerivative", of, by, 0, seed, columns, sums, rows);
}

/* ---------------------------------------------------------------- Model Exchange */

MODEL_FMU_API model_fmi_status FMI(NewDiscreteStates)(void *instance, model_fmi2_events *events)
{
  model_fmi *f = instance;
  model_fmi_status status;
  int moved = 0;
  if (!model_fmi_may(f, "fmi2NewDiscreteStates", MODEL_FMU_AT_EVENT, &status)) return status;
  if (!events) return model_fmi_refuse(f, "fmi2NewDiscreteStates", ": there is no place for the answer");
  status = model_fmi_answer(f, model_fmu_update(&f->core, &moved));
  events->again = events->nominals = 0;
  events->end = f->core.d.ended != 0;
  events->values = moved;
  events->has_next = f->core.d.has_next;
  events->next = f->core.d.next_event;
  return status;
}

MODEL_FMU_API model_fmi_status FMI(CompletedIntegratorStep)(void *instance, int forward, int *event, int *end)
{
  model_fmi *f = instance;
  model_fmi_status status;
  (void)forward;
  if (!model_fmi_may(f, "fmi2CompletedIntegratorStep", MODEL_FMU_CONTINUOUS, &status)) return status;
  if (!event || !end) return model_fmi_refuse(f, "fmi2CompletedIntegratorStep", ": there is no place for the answer");
  *end = 0;
  return model_fmi_answer(f, model_fmu_is_off(&f->core, event));
}

MODEL_FMU_API model_fmi_status FMI(GetDerivatives)(void *instance, double *rates, size_t size)
{
  return model_fmi_get_rates(instance, "fmi2GetDerivatives", rates, size);
}

/* ---------------------------------------------------------------- Co-Simulation */

MODEL_FMU_API model_fmi_status FMI(DoStep)(void *instance, double from, double length, int forward)
{
  model_fmi *f = instance;
  model_fmi_status status;
  (void)forward;
  if (!model_fmi_may(f, "fmi2DoStep", MODEL_FMU_STEPPING, &status)) return status;
  status = model_fmi_step(f, "fmi2DoStep", from, length);
  return status == MODEL_FMI_OK && f->core.d.ended ? MODEL_FMI_DISCARD : status; /* fmi2Terminated tells */
}

MODEL_FMU_API model_fmi_status FMI(GetRealStatus)(void *instance, const model_fmi2_kind kind, double *value)
{
  model_fmi *f = instance;
  if (!f || !value || kind != MODEL_FMI2_LAST_SUCCESSFUL_TIME)
    return model_fmi_refuse(f, "fmi2GetRealStatus", ": there is the last successful time only");
  *value = f->core.d.x.time;
  return MODEL_FMI_OK;
}

MODEL_FMU_API model_fmi_status FMI(GetBooleanStatus)(void *instance, const model_fmi2_kind kind, int *value)
{
  model_fmi *f = instance;
  if (!f || !value || kind != MODEL_FMI2_TERMINATED)
    return model_fmi_refuse(f, "fmi2GetBooleanStatus", ": there is 'terminated' only");
  *value = f->core.d.ended != 0;
  return MODEL_FMI_OK;
}

/* Functions of what this FMU has not: the arguments are of no concern. */
#define MODEL_FMI2_NONE(name, why, arguments)                                                                          \
  MODEL_FMU_API model_fmi_status FMI(name) arguments                                                                   \
  {                                                                                                                    \
    return model_fmi_refuse(instance, "fmi2" #name, why);                                                              \
  }
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
MODEL_FMI2_NONE(SetRealInputDerivatives, ": inputs are held within a step",
                (void *instance, const uint32_t *references, size_t count, const int *orders, const double *values))
MODEL_FMI2_NONE(GetRealOutputDerivatives, ": there are none",
                (void *instance, const uint32_t *references, size_t count, const int *orders, double *values))
MODEL_FMI2_NONE(CancelStep, ": steps are over when fmi2DoStep returns", (void *instance))
MODEL_FMI2_NONE(GetStatus, ": no step is pending",
                (void *instance, const model_fmi2_kind kind, model_fmi_status *value))
MODEL_FMI2_NONE(GetIntegerStatus, ": there is none", (void *instance, const model_fmi2_kind kind, int *value))
MODEL_FMI2_NONE(GetStringStatus, ": there is none", (void *instance, const model_fmi2_kind kind, const char **value))
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
