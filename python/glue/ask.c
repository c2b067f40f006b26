/* SPDX-License-Identifier: Apache-2.0 */
#include "glue.h"

#include <time.h>

/* Ctrl-C should end things within a tenth of a second; taking the lock of the interpreter costs microseconds. */
static const double period = 0.02;

/* The clock of the last tick, a few ms ago, where there is one: it costs a fifth, and is asked for at every step. */
#ifdef CLOCK_MONOTONIC_COARSE
enum { THE_CLOCK = CLOCK_MONOTONIC_COARSE };
#else
enum { THE_CLOCK = CLOCK_MONOTONIC };
#endif

static double now(void)
{
  struct timespec t;
  clock_gettime(THE_CLOCK, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

void pf_py_ask_begin(Ask *ask, void *who)
{
  *ask = (Ask){.who = who, .next = who ? now() + period : 0};
}

bool pf_py_ask(void *user)
{
  Ask *ask = user;
  if (ask->stopped || !ask->who) return ask->stopped;
  double t = now();
  if (t < ask->next) return false;
  ask->stopped = pf_py_poll(ask->who) != 0;
  ask->next = now() + period;
  return ask->stopped;
}
