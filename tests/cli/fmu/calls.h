/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the functions of an FMU in any order, with good and bad arguments: whatever they answer, they must not
 * crash. Linked with the sources of the FMU, under sanitizers.
 * Arguments: <token> <states> <variables> <indicators> <calls> */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 3, ROOM = 4096 };

static unsigned seed = 1;
static unsigned below(unsigned count)
{
  seed = seed*1664525u + 1013904223u;
  return (seed >> 8)%count;
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

static long said, fine;
static void *instance[INSTANCES], *saved[INSTANCES];
static size_t states, variables, indicators;

/* References that are there, or nearly, and values that may be good. */
typedef struct Arguments {
  double values[ROOM], more[ROOM];
  uint32_t references[4], others[4];
  size_t wrong; /* 1 now and then: to be added to a size */
} Arguments;

static void choose(Arguments *a)
{
  a->wrong = below(20) == 0;
  for (int i = 0; i < 4; i++) a->references[i] = below((unsigned)variables + 2);
  for (int i = 0; i < 4; i++) a->others[i] = below((unsigned)variables + 1);
  for (size_t i = 0; i < states + 4; i++) a->values[i] = number();
}

static void note(int status)
{
  if (status < 0 || status > 3) abort();
  fine += status == 0;
}

/* What a version of FMI brings. */
typedef struct Version {
  void *(*make)(const char *token, int co_simulation); /* may find no memory */
  void (*call)(void *f, void **kept);
  int (*forget)(void *f, void **kept);
  void (*free)(void *f);
} Version;

static void end(const Version *version, unsigned i)
{
  if (instance[i]) (void)version->forget(instance[i], &saved[i]);
  version->free(instance[i]);
  instance[i] = NULL;
}

static int call_all(int argc, char **argv, const Version *version)
{
  if (argc < 6) return 2;
  states = (size_t)atol(argv[2]), variables = (size_t)atol(argv[3]), indicators = (size_t)atol(argv[4]);
  if (states + 4 > ROOM || indicators >= ROOM) return 2;
  if (version->make("wrong", 0)) return 1;
  version->free(NULL);
  for (long n = atol(argv[5]); n-- > 0;) {
    unsigned i = below(INSTANCES);
    if (!instance[i]) instance[i] = version->make(argv[1], i%2);
    if (!instance[i]) continue;
    version->call(instance[i], &saved[i]);
    if (below(400) == 0) end(version, i);
  }
  for (unsigned i = 0; i < INSTANCES; i++) end(version, i);
  printf("%ld calls were good, %ld words were said\n", fine, said);
  return fine > 0 && said > 0 ? 0 : 1;
}
