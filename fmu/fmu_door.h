/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of FMI 2.0 and 3.0 share. Types are those of the standard's interface, declared here by what they
 * are made of. FMI2_FUNCTION_PREFIX or FMI3_FUNCTION_PREFIX, when it is defined, stands before every name. */
#ifndef MODEL_FMU_DOOR_H
#define MODEL_FMU_DOOR_H

#include "fmu_core.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* FMI(Reset) is fmi3Reset, FMI_WORD(Reset) "fmi3Reset"; FMI_STATE and FMI_STATE_WORD have 'FMUState' between their
 * arguments, as the version writes it. */
#if MODEL_FMI == 2
#define MODEL_FMI_NAMED(name) fmi2##name
#define MODEL_FMI_VERB(verb, end) fmi2##verb##FMUstate##end
#define FMI_WORD(name) "fmi2" #name
#define FMI_STATE_WORD(verb, end) "fmi2" #verb "FMUstate" #end
#ifdef FMI2_FUNCTION_PREFIX
#define MODEL_FMI_PREFIX FMI2_FUNCTION_PREFIX
#endif
typedef int model_fmi_bool;
typedef char model_fmi_byte;
#else
#define MODEL_FMI_NAMED(name) fmi3##name
#define MODEL_FMI_VERB(verb, end) fmi3##verb##FMUState##end
#define FMI_WORD(name) "fmi3" #name
#define FMI_STATE_WORD(verb, end) "fmi3" #verb "FMUState" #end
#ifdef FMI3_FUNCTION_PREFIX
#define MODEL_FMI_PREFIX FMI3_FUNCTION_PREFIX
#endif
typedef bool model_fmi_bool;
typedef uint8_t model_fmi_byte;
#endif
#ifdef MODEL_FMI_PREFIX
#define MODEL_FMI_PASTE(a, b) a##b
#define MODEL_FMI_JOIN(a, b) MODEL_FMI_PASTE(a, b)
#define FMI(name) MODEL_FMI_JOIN(MODEL_FMI_PREFIX, MODEL_FMI_NAMED(name))
#define FMI_STATE(verb, end) MODEL_FMI_JOIN(MODEL_FMI_PREFIX, MODEL_FMI_VERB(verb, end))
#else
#define FMI(name) MODEL_FMI_NAMED(name)
#define FMI_STATE(verb, end) MODEL_FMI_VERB(verb, end)
#endif
#if defined(_WIN32)
#define MODEL_FMU_API __declspec(dllexport)
#elif defined(__GNUC__)
#define MODEL_FMU_API __attribute__((visibility("default")))
#else
#define MODEL_FMU_API
#endif

typedef enum model_fmi_status { MODEL_FMI_OK, MODEL_FMI_WARNING, MODEL_FMI_DISCARD, MODEL_FMI_ERROR } model_fmi_status;

/* What the importer has given. */
#if MODEL_FMI == 2
typedef struct model_fmi_callbacks {
  void (*log)(void *environment, const char *name, model_fmi_status status, const char *category, const char *message,
              ...);
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *memory);
  void (*finished)(void *environment, model_fmi_status status);
  void *environment;
} model_fmi_callbacks;
#else
typedef void (*model_fmi_log)(void *environment, model_fmi_status status, const char *category, const char *message);
typedef struct model_fmi_callbacks {
  void *environment;
  model_fmi_log log;
} model_fmi_callbacks;
#endif

typedef struct model_fmi {
  model_fmu core;
  model_fmi_callbacks call;
  char name[64];
  int logs_events;
} model_fmi;

enum {
  MODEL_FMI_RUNNING = MODEL_FMU_AT_EVENT | MODEL_FMU_CONTINUOUS | MODEL_FMU_STEPPING,
  MODEL_FMI_AFTER = MODEL_FMU_INITIALIZING | MODEL_FMI_RUNNING | MODEL_FMU_TERMINATED
};

/* Of each version (fmi2.c, fmi3.c). */
void model_fmi_say(const model_fmi_callbacks *call, const char *name, model_fmi_status status, const char *category,
                   const char *message);
void *model_fmi_allocate(const model_fmi_callbacks *call, size_t size);
void model_fmi_release(const model_fmi_callbacks *call, void *memory);

/* Of both (fmu_door.c). An instance; NULL and words when there is none. */
void *model_fmi_new(const char *name, const char *token, int co_simulation, const model_fmi_callbacks *call, int logs);
model_fmi_status model_fmi_answer(model_fmi *f, model_fmu_status status);
/* f may be NULL. */
model_fmi_status model_fmi_refuse(model_fmi *f, const char *function, const char *why);
/* May the function be called now? */
int model_fmi_may(model_fmi *f, const char *function, int modes, model_fmi_status *status);
/* One array of the size that it must have, in modes in which it may be asked for? */
int model_fmi_array(model_fmi *f, const char *function, int modes, const double *array, size_t size, size_t expected,
                    model_fmi_status *status);
model_fmi_status model_fmi_set_times(model_fmi *f, const char *function, int has_tolerance, double tolerance,
                                     double start, int has_stop, double stop);
void model_fmi_initialize(model_fmi *f);
model_fmi_status model_fmi_get(model_fmi *f, const char *function, const uint32_t *references, size_t count,
                               double *values, size_t size);
model_fmi_status model_fmi_set(model_fmi *f, const char *function, const uint32_t *references, size_t count,
                               const double *values, size_t size);
/* Sums of slopes over the list that has the seeds, one for each element of the other one. */
typedef struct model_fmi_list {
  const uint32_t *references;
  size_t count;
} model_fmi_list;
model_fmi_status model_fmi_derive(model_fmi *f, const char *function, model_fmi_list unknowns, model_fmi_list knowns,
                                  int adjoint, const double *seed, size_t seeds, double *sums, size_t size);
model_fmi_status model_fmi_get_rates(model_fmi *f, const char *function, double *rates, size_t size);
/* Co-Simulation: is it a step from where the instance is? */
model_fmi_status model_fmi_step(model_fmi *f, const char *function, double from, double length);

#endif
