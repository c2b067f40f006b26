/* SPDX-License-Identifier: Apache-2.0 */
#include "ask.h"

#include <time.h>

/* Ctrl-C should end things within a tenth of a second; taking the lock of the interpreter costs microseconds. */
static const double period = 0.02;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
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
