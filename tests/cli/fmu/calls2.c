/* SPDX-License-Identifier: Apache-2.0 */
/* FMI 2.0: see calls.h. */
#include "calls.h"

typedef struct Callbacks {
  void (*log)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} Callbacks;
typedef struct Events {
  int a, b, c, d, e;
  double next;
} Events;
void *fmi2Instantiate(const char *, int, const char *, const char *, const Callbacks *, int, int);
void fmi2FreeInstance(void *);
int fmi2SetupExperiment(void *, int, double, double, int, double);
int fmi2EnterInitializationMode(void *);
int fmi2ExitInitializationMode(void *);
int fmi2Terminate(void *);
int fmi2Reset(void *);
int fmi2GetReal(void *, const uint32_t *, size_t, double *);
int fmi2SetReal(void *, const uint32_t *, size_t, const double *);
int fmi2GetBoolean(void *, const uint32_t *, size_t, int *);
int fmi2GetFMUstate(void *, void **);
int fmi2SetFMUstate(void *, void *);
int fmi2FreeFMUstate(void *, void **);
int fmi2SerializedFMUstateSize(void *, void *, size_t *);
int fmi2SerializeFMUstate(void *, void *, char *, size_t);
int fmi2DeSerializeFMUstate(void *, const char *, size_t, void **);
int fmi2GetDirectionalDerivative(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, double *);
int fmi2EnterEventMode(void *);
int fmi2NewDiscreteStates(void *, Events *);
int fmi2EnterContinuousTimeMode(void *);
int fmi2CompletedIntegratorStep(void *, int, int *, int *);
int fmi2SetTime(void *, double);
int fmi2SetContinuousStates(void *, const double *, size_t);
int fmi2GetDerivatives(void *, double *, size_t);
int fmi2GetEventIndicators(void *, double *, size_t);
int fmi2DoStep(void *, double, double, int);
int fmi2CancelStep(void *);
int fmi2GetBooleanStatus(void *, int, int *);
int fmi2GetRealStatus(void *, int, double *);

static long living;
static void hear(void *environment, const char *name, int status, const char *category, const char *message, ...)
{
  (void)environment;
  if (status < 1 || status > 4 || !name || !category[0] || strcmp(message, "%s") != 0) abort();
  said++;
}

/* Memory goes through the importer, and all of it comes back; now and then there is none. */
static void *allocate(size_t count, size_t size)
{
  void *memory = below(50) ? calloc(count, size) : NULL;
  living += memory != NULL;
  return memory;
}

static void release(void *memory)
{
  living -= memory != NULL;
  free(memory);
}

static const Callbacks callbacks = {hear, allocate, release, NULL, NULL};

static void save(void *f, void **kept, size_t wrong)
{
  size_t size = 0;
  void *copy = NULL;
  if (!*kept || fmi2SerializedFMUstateSize(f, *kept, &size) != 0) return;
  char *bytes = malloc(size);
  if (!bytes) return;
  (void)fmi2SerializeFMUstate(f, *kept, bytes, size);
  if (below(2)) bytes[below((unsigned)size)] ^= (char)(1 + below(100));
  if (fmi2DeSerializeFMUstate(f, bytes, size - wrong, &copy) == 0 && below(2)) fmi2SetFMUstate(f, copy);
  fmi2FreeFMUstate(f, &copy);
  free(bytes);
}

static int step(void *f, size_t wrong)
{
  double time = 0;
  uint32_t zero = 0;
  (void)fmi2GetReal(f, &zero, 1, &time);
  return fmi2DoStep(f, wrong ? number() : time, below(10) ? 0.01 : number()*0.1, 1);
}

static void call(void *f, void **kept)
{
  Arguments x;
  double time;
  Events events;
  int a, b, status = 0;
  choose(&x);
  size_t wrong = x.wrong;
  switch (below(24)) {
  case 0: status = fmi2SetupExperiment(f, (int)below(2), 1e-6, below(2) ? 0 : number(), (int)below(2), number()); break;
  case 1: status = fmi2EnterInitializationMode(f); break;
  case 2: status = fmi2ExitInitializationMode(f); break;
  case 3: status = below(20) ? 0 : fmi2Terminate(f); break;
  case 4: status = below(10) ? 0 : fmi2Reset(f); break;
  case 5: case 6: status = fmi2GetReal(f, x.references, 4, wrong ? NULL : x.more); break;
  case 7: status = fmi2SetReal(f, x.references, 1, wrong ? NULL : x.values); break;
  case 8: status = fmi2GetBoolean(f, x.references, below(2), &a); break;
  case 9: if (!*kept) status = fmi2GetFMUstate(f, kept); break;
  case 10: status = fmi2SetFMUstate(f, *kept); break;
  case 11: status = fmi2FreeFMUstate(f, kept); break;
  case 12: save(f, kept, wrong); break;
  case 13: status = fmi2GetDirectionalDerivative(f, x.references, 2, x.others, 2, wrong ? NULL : x.values, x.more);
    break;
  case 14: status = fmi2EnterEventMode(f); break;
  case 15: status = fmi2NewDiscreteStates(f, wrong ? NULL : &events); break;
  case 16: status = fmi2EnterContinuousTimeMode(f); break;
  case 17: status = fmi2CompletedIntegratorStep(f, 1, &a, wrong ? NULL : &b); break;
  case 18: status = fmi2SetTime(f, number()); break;
  case 19: status = fmi2SetContinuousStates(f, wrong ? NULL : x.values, states); break;
  case 20: status = fmi2GetDerivatives(f, x.more, states + wrong); break;
  case 21: status = fmi2GetEventIndicators(f, x.more, indicators + wrong); break;
  case 22: status = below(2) ? fmi2CancelStep(f) : fmi2GetBooleanStatus(f, (int)below(4), &a);
    (void)fmi2GetRealStatus(f, (int)below(4), &time); break;
  default: status = step(f, wrong);
  }
  note(status);
}

static void *make(const char *token, int co_simulation)
{
  return fmi2Instantiate("m", co_simulation, token, NULL, &callbacks, 0, 1);
}

int main(int argc, char **argv)
{
  static const Version version = {make, call, fmi2FreeFMUstate, fmi2FreeInstance};
  if (argc < 2 || fmi2Instantiate("a", 0, argv[1], "", NULL, 0, 0)) return 1;
  if (fmi2ExitInitializationMode(NULL) != 3 || fmi2GetReal(NULL, NULL, 0, NULL) != 3) return 1;
  const int failed = call_all(argc, argv, &version);
  return failed ? failed : living != 0;
}
