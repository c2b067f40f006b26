/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of an FMU of FMI 3.0 in any order, with good and bad arguments: whatever they answer, they must
 * not crash, and saved states must lead to the same motion. Linked with the sources of the FMU, under sanitizers.
 * calls3 <token> <states> <variables> <indicators> <calls> */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Log)(void *, int, const char *, const char *);
void *fmi3InstantiateModelExchange(const char *, const char *, const char *, bool, bool, void *, Log);
void *fmi3InstantiateCoSimulation(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *,
                                  size_t, void *, Log, void *);
void fmi3FreeInstance(void *);
int fmi3EnterInitializationMode(void *, bool, double, double, bool, double);
int fmi3ExitInitializationMode(void *);
int fmi3EnterEventMode(void *);
int fmi3Terminate(void *);
int fmi3Reset(void *);
int fmi3GetFloat64(void *, const uint32_t *, size_t, double *, size_t);
int fmi3SetFloat64(void *, const uint32_t *, size_t, const double *, size_t);
int fmi3GetInt32(void *, const uint32_t *, size_t, int32_t *, size_t);
int fmi3GetFMUState(void *, void **);
int fmi3SetFMUState(void *, void *);
int fmi3FreeFMUState(void *, void **);
int fmi3SerializedFMUStateSize(void *, void *, size_t *);
int fmi3SerializeFMUState(void *, void *, uint8_t *, size_t);
int fmi3DeserializeFMUState(void *, const uint8_t *, size_t, void **);
int fmi3GetDirectionalDerivative(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t,
                                 double *, size_t);
int fmi3GetAdjointDerivative(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t,
                             double *, size_t);
int fmi3UpdateDiscreteStates(void *, bool *, bool *, bool *, bool *, bool *, double *);
int fmi3EnterContinuousTimeMode(void *);
int fmi3CompletedIntegratorStep(void *, bool, bool *, bool *);
int fmi3SetTime(void *, double);
int fmi3SetContinuousStates(void *, const double *, size_t);
int fmi3GetContinuousStateDerivatives(void *, double *, size_t);
int fmi3GetEventIndicators(void *, double *, size_t);
int fmi3GetContinuousStates(void *, double *, size_t);
int fmi3GetNominalsOfContinuousStates(void *, double *, size_t);
int fmi3EnterConfigurationMode(void *);
int fmi3EnterStepMode(void *);
int fmi3DoStep(void *, double, double, bool, bool *, bool *, bool *, double *);

enum { INSTANCES = 3, ROOM = 4096 };

static unsigned seed = 1;
static unsigned below(unsigned count)
{
  seed = seed*1664525u + 1013904223u;
  return (seed >> 8)%count;
}

static long said, fine;
static void hear(void *environment, int status, const char *category, const char *message)
{
  (void)environment;
  if (status < 1 || status > 4 || !category[0] || !message[0] || strlen(message) > 255) abort();
  said++;
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

static void call(void *f, void **kept)
{
  double values[ROOM], more[ROOM], next;
  uint32_t references[4], others[4];
  bool a, b, c, d, e;
  size_t size = 0, count = below(5), wrong = below(20) == 0;
  int status = 0;
  for (int i = 0; i < 4; i++) references[i] = below((unsigned)variables + 2);
  for (int i = 0; i < 4; i++) others[i] = below((unsigned)variables + 1);
  for (size_t i = 0; i < 2*states; i++) values[i] = number();
  switch (below(26)) {
  case 0: status = fmi3EnterInitializationMode(f, below(2), 1e-6, below(2) ? 0 : number(), below(2), number()); break;
  case 1: case 2: status = fmi3ExitInitializationMode(f); break;
  case 3: status = fmi3EnterEventMode(f); break;
  case 4: status = below(20) ? 0 : fmi3Terminate(f); break;
  case 5: status = below(10) ? 0 : fmi3Reset(f); break;
  case 6: case 7: status = fmi3GetFloat64(f, references, count > 4 ? 4 : count, more,
                                          (count > 4 ? 4 : count) + wrong); break;
  case 8: for (int i = 0; i < 4; i++) values[i] = number();
    status = fmi3SetFloat64(f, references, 1, values, 1 + wrong); break;
  case 9: status = fmi3GetInt32(f, references, below(2), NULL, 0); break;
  case 10: if (!*kept) status = fmi3GetFMUState(f, kept); break;
  case 11: status = fmi3SetFMUState(f, *kept); break;
  case 12: status = fmi3FreeFMUState(f, kept); break;
  case 13:
    if (*kept && fmi3SerializedFMUStateSize(f, *kept, &size) == 0) {
      uint8_t *bytes = malloc(size);
      void *copy = NULL;
      status = fmi3SerializeFMUState(f, *kept, bytes, size);
      if (below(2)) bytes[below((unsigned)size)] ^= (uint8_t)(1 + below(255));
      if (fmi3DeserializeFMUState(f, bytes, size - wrong, &copy) == 0 && below(2)) fmi3SetFMUState(f, copy);
      fmi3FreeFMUState(f, &copy);
      free(bytes);
    }
    break;
  case 14: status = fmi3GetDirectionalDerivative(f, references, 2, others, 2, values, 2 + wrong, more, 2); break;
  case 15: status = fmi3GetAdjointDerivative(f, references, 2, others, 2, values, 2, more, 2 + wrong); break;
  case 16: status = fmi3UpdateDiscreteStates(f, &a, &b, &c, &d, &e, wrong ? NULL : &next); break;
  case 17: case 18: status = fmi3EnterContinuousTimeMode(f); break;
  case 19: status = fmi3CompletedIntegratorStep(f, true, &a, wrong ? NULL : &b); break;
  case 20: status = fmi3SetTime(f, number()); break;
  case 21: status = fmi3SetContinuousStates(f, wrong ? NULL : values, states); break;
  case 22: status = fmi3GetContinuousStateDerivatives(f, more, states + wrong); break;
  case 23: status = fmi3GetEventIndicators(f, more, indicators + wrong);
    (void)fmi3GetContinuousStates(f, more, states);
    (void)fmi3GetNominalsOfContinuousStates(f, more, states); break;
  case 24: status = below(2) ? fmi3EnterConfigurationMode(f) : fmi3EnterStepMode(f); break;
  default: {
    double time = 0;
    uint32_t zero = 0;
    (void)fmi3GetFloat64(f, &zero, 1, &time, 1);
    status = fmi3DoStep(f, wrong ? number() : time, below(10) ? 0.01 : number()*0.1, true, &a, &b, &c, &next); break;
  }
  }
  if (status < 0 || status > 3) abort();
  fine += status == 0;
}

int main(int argc, char **argv)
{
  if (argc < 6) return 2;
  states = (size_t)atol(argv[2]), variables = (size_t)atol(argv[3]), indicators = (size_t)atol(argv[4]);
  if (2*states > ROOM || indicators >= ROOM) return 2;
  if (fmi3InstantiateModelExchange("a", "wrong", "", false, false, NULL, hear)) return 1;
  if (fmi3InstantiateModelExchange(NULL, argv[1], "", false, false, NULL, NULL)) return 1;
  if (fmi3ExitInitializationMode(NULL) != 3 || fmi3GetFloat64(NULL, NULL, 0, NULL, 0) != 3) return 1;
  fmi3FreeInstance(NULL);
  for (long n = atol(argv[5]); n-- > 0;) {
    unsigned i = below(INSTANCES);
    if (!instance[i])
      instance[i] = i%2 ? fmi3InstantiateCoSimulation("c", argv[1], NULL, false, true, false, false, NULL, 0, NULL,
                                                      hear, NULL)
                        : fmi3InstantiateModelExchange("m", argv[1], NULL, false, true, NULL, hear);
    if (!instance[i]) return 1;
    call(instance[i], &saved[i]);
    if (below(400) == 0) {
      fmi3FreeFMUState(instance[i], &saved[i]);
      fmi3FreeInstance(instance[i]);
      instance[i] = NULL;
    }
  }
  for (int i = 0; i < INSTANCES; i++) {
    if (instance[i]) fmi3FreeFMUState(instance[i], &saved[i]);
    fmi3FreeInstance(instance[i]);
  }
  printf("%ld calls were good, %ld words were said\n", fine, said);
  return fine > 0 && said > 0 ? 0 : 1;
}
