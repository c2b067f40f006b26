/* SPDX-License-Identifier: Apache-2.0 */
/* FMI 3.0: see calls.h. */
#include "calls.h"

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

static void hear(void *environment, int status, const char *category, const char *message)
{
  (void)environment;
  if (status < 1 || status > 4 || !category[0] || !message[0] || strlen(message) > 255) abort();
  said++;
}

static int save(void *f, void **kept, size_t wrong)
{
  size_t size = 0;
  void *copy = NULL;
  if (!*kept || fmi3SerializedFMUStateSize(f, *kept, &size) != 0) return 0;
  uint8_t *bytes = malloc(size);
  if (!bytes) return 0;
  int status = fmi3SerializeFMUState(f, *kept, bytes, size);
  if (below(2)) bytes[below((unsigned)size)] ^= (uint8_t)(1 + below(255));
  if (fmi3DeserializeFMUState(f, bytes, size - wrong, &copy) == 0 && below(2)) fmi3SetFMUState(f, copy);
  fmi3FreeFMUState(f, &copy);
  free(bytes);
  return status;
}

static int step(void *f, size_t wrong)
{
  double time = 0, next;
  bool a, b, c;
  uint32_t zero = 0;
  (void)fmi3GetFloat64(f, &zero, 1, &time, 1);
  return fmi3DoStep(f, wrong ? number() : time, below(10) ? 0.01 : number()*0.1, true, &a, &b, &c, &next);
}

static void call(void *f, void **kept)
{
  Arguments x;
  double next;
  bool a, b, c, d, e;
  int status = 0;
  choose(&x);
  size_t count = below(5), wrong = x.wrong;
  switch (below(26)) {
  case 0: status = fmi3EnterInitializationMode(f, below(2), 1e-6, below(2) ? 0 : number(), below(2), number()); break;
  case 1: case 2: status = fmi3ExitInitializationMode(f); break;
  case 3: status = fmi3EnterEventMode(f); break;
  case 4: status = below(20) ? 0 : fmi3Terminate(f); break;
  case 5: status = below(10) ? 0 : fmi3Reset(f); break;
  case 6: case 7: status = fmi3GetFloat64(f, x.references, count > 4 ? 4 : count, x.more,
                                          (count > 4 ? 4 : count) + wrong); break;
  case 8: status = fmi3SetFloat64(f, x.references, 1, x.values, 1 + wrong); break;
  case 9: status = fmi3GetInt32(f, x.references, below(2), NULL, 0); break;
  case 10: if (!*kept) status = fmi3GetFMUState(f, kept); break;
  case 11: status = fmi3SetFMUState(f, *kept); break;
  case 12: status = fmi3FreeFMUState(f, kept); break;
  case 13: status = save(f, kept, wrong); break;
  case 14: status = fmi3GetDirectionalDerivative(f, x.references, 2, x.others, 2, x.values, 2 + wrong, x.more, 2);
    break;
  case 15: status = fmi3GetAdjointDerivative(f, x.references, 2, x.others, 2, x.values, 2, x.more, 2 + wrong); break;
  case 16: status = fmi3UpdateDiscreteStates(f, &a, &b, &c, &d, &e, wrong ? NULL : &next); break;
  case 17: case 18: status = fmi3EnterContinuousTimeMode(f); break;
  case 19: status = fmi3CompletedIntegratorStep(f, true, &a, wrong ? NULL : &b); break;
  case 20: status = fmi3SetTime(f, number()); break;
  case 21: status = fmi3SetContinuousStates(f, wrong ? NULL : x.values, states); break;
  case 22: status = fmi3GetContinuousStateDerivatives(f, x.more, states + wrong); break;
  case 23: status = fmi3GetEventIndicators(f, x.more, indicators + wrong);
    (void)fmi3GetContinuousStates(f, x.more, states);
    (void)fmi3GetNominalsOfContinuousStates(f, x.more, states); break;
  case 24: status = below(2) ? fmi3EnterConfigurationMode(f) : fmi3EnterStepMode(f); break;
  default: status = step(f, wrong);
  }
  note(status);
}

static void *make(const char *token, int co_simulation)
{
  if (!co_simulation) return fmi3InstantiateModelExchange("m", token, NULL, false, true, NULL, hear);
  return fmi3InstantiateCoSimulation("c", token, NULL, false, true, false, false, NULL, 0, NULL, hear, NULL);
}

int main(int argc, char **argv)
{
  static const Version version = {make, call, fmi3FreeFMUState, fmi3FreeInstance};
  if (argc < 2 || fmi3InstantiateModelExchange(NULL, argv[1], "", false, false, NULL, NULL)) return 1;
  if (fmi3ExitInitializationMode(NULL) != 3 || fmi3GetFloat64(NULL, NULL, 0, NULL, 0) != 3) return 1;
  return call_all(argc, argv, &version);
}
