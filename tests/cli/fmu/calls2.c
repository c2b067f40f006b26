/* SPDX-License-Identifier: Apache-2.0 */
/* As calls3.c, for FMI 2.0. calls2 <guid> <states> <variables> <indicators> <calls> */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
int fmi2GetReal(void *, const unsigned *, size_t, double *);
int fmi2SetReal(void *, const unsigned *, size_t, const double *);
int fmi2GetBoolean(void *, const unsigned *, size_t, int *);
int fmi2GetFMUstate(void *, void **);
int fmi2SetFMUstate(void *, void *);
int fmi2FreeFMUstate(void *, void **);
int fmi2SerializedFMUstateSize(void *, void *, size_t *);
int fmi2SerializeFMUstate(void *, void *, char *, size_t);
int fmi2DeSerializeFMUstate(void *, const char *, size_t, void **);
int fmi2GetDirectionalDerivative(void *, const unsigned *, size_t, const unsigned *, size_t, const double *, double *);
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

enum { INSTANCES = 3, ROOM = 4096 };

static unsigned seed = 1;
static unsigned below(unsigned count)
{
  seed = seed*1664525u + 1013904223u;
  return (seed >> 8)%count;
}

static long said, fine, living;
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

static double number(void)
{
  switch (below(12)) {
  case 0: return NAN;
  case 1: return INFINITY;
  case 2: return 1e300;
  case 3: return 0;
  default: return (double)below(2000)/1000 - 1;
  }
}

static void *instance[INSTANCES], *saved[INSTANCES];
static size_t states, variables, indicators;

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

static void call(void *f, void **kept)
{
  double values[ROOM], more[ROOM], time = 0;
  unsigned references[4], others[4], zero = 0;
  Events events;
  int a, b, status = 0;
  size_t wrong = below(20) == 0;
  for (int i = 0; i < 4; i++) references[i] = below((unsigned)variables + 2);
  for (int i = 0; i < 4; i++) others[i] = below((unsigned)variables + 1);
  for (size_t i = 0; i < states + 4; i++) values[i] = number();
  switch (below(24)) {
  case 0: status = fmi2SetupExperiment(f, (int)below(2), 1e-6, below(2) ? 0 : number(), (int)below(2), number()); break;
  case 1: status = fmi2EnterInitializationMode(f); break;
  case 2: status = fmi2ExitInitializationMode(f); break;
  case 3: status = below(20) ? 0 : fmi2Terminate(f); break;
  case 4: status = below(10) ? 0 : fmi2Reset(f); break;
  case 5: case 6: status = fmi2GetReal(f, references, 4, wrong ? NULL : more); break;
  case 7: status = fmi2SetReal(f, references, 1, wrong ? NULL : values); break;
  case 8: status = fmi2GetBoolean(f, references, below(2), &a); break;
  case 9: if (!*kept) status = fmi2GetFMUstate(f, kept); break;
  case 10: status = fmi2SetFMUstate(f, *kept); break;
  case 11: status = fmi2FreeFMUstate(f, kept); break;
  case 12: save(f, kept, wrong); break;
  case 13: status = fmi2GetDirectionalDerivative(f, references, 2, others, 2, wrong ? NULL : values, more); break;
  case 14: status = fmi2EnterEventMode(f); break;
  case 15: status = fmi2NewDiscreteStates(f, wrong ? NULL : &events); break;
  case 16: status = fmi2EnterContinuousTimeMode(f); break;
  case 17: status = fmi2CompletedIntegratorStep(f, 1, &a, wrong ? NULL : &b); break;
  case 18: status = fmi2SetTime(f, number()); break;
  case 19: status = fmi2SetContinuousStates(f, wrong ? NULL : values, states); break;
  case 20: status = fmi2GetDerivatives(f, more, states + wrong); break;
  case 21: status = fmi2GetEventIndicators(f, more, indicators + wrong); break;
  case 22: status = below(2) ? fmi2CancelStep(f) : fmi2GetBooleanStatus(f, (int)below(4), &a);
    (void)fmi2GetRealStatus(f, (int)below(4), &time); break;
  default:
    (void)fmi2GetReal(f, &zero, 1, &time);
    status = fmi2DoStep(f, wrong ? number() : time, below(10) ? 0.01 : number()*0.1, 1);
  }
  if (status < 0 || status > 3) abort();
  fine += status == 0;
}

int main(int argc, char **argv)
{
  const Callbacks callbacks = {hear, allocate, release, NULL, NULL};
  if (argc < 6) return 2;
  states = (size_t)atol(argv[2]), variables = (size_t)atol(argv[3]), indicators = (size_t)atol(argv[4]);
  if (states + 4 > ROOM || indicators >= ROOM) return 2;
  if (fmi2Instantiate("a", 0, "wrong", "", &callbacks, 0, 0)) return 1;
  if (fmi2Instantiate("a", 0, argv[1], "", NULL, 0, 0)) return 1;
  if (fmi2ExitInitializationMode(NULL) != 3 || fmi2GetReal(NULL, NULL, 0, NULL) != 3) return 1;
  fmi2FreeInstance(NULL);
  for (long n = atol(argv[5]); n-- > 0;) {
    unsigned i = below(INSTANCES);
    if (!instance[i]) instance[i] = fmi2Instantiate("m", i%2, argv[1], NULL, &callbacks, 0, 1);
    if (!instance[i]) continue;
    call(instance[i], &saved[i]);
    if (below(400) == 0) {
      fmi2FreeFMUstate(instance[i], &saved[i]);
      fmi2FreeInstance(instance[i]);
      instance[i] = NULL;
    }
  }
  for (int i = 0; i < INSTANCES; i++) {
    if (instance[i]) fmi2FreeFMUstate(instance[i], &saved[i]);
    fmi2FreeInstance(instance[i]);
  }
  printf("%ld calls were good, %ld words were said, %ld pieces of memory are left\n", fine, said, living);
  return fine > 0 && said > 0 && living == 0 ? 0 : 1;
}
