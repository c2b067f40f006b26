/* SPDX-License-Identifier: Apache-2.0 */
/* Time of the processor. Other work on the machine disturbs single batches, so the least mean of many short ones
 * counts. */
#ifndef PF_BENCH_TIMER_H
#define PF_BENCH_TIMER_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

typedef void Work(void *user);

static inline double time_of_batch(Work *work, void *user, int size)
{
  double begin = now();
  for (int i = 0; i < size; i++) work(user);
  return now() - begin;
}

/* Under a limit of processor time (ulimit -t) Linux counts that time in ticks of milliseconds: short batches would seem
 * to take nothing, and long ones too little. */
static inline void demand_fine_clock(void)
{
  enum { TICKS = 31 }; /* the majority decides: an interruption makes single ones long, and may make one short */
  int coarse = 0;
  for (int i = 0; i < TICKS; i++) {
    double begin = now(), next = begin;
    while (next <= begin) next = now();
    coarse += next - begin > 50e-6;
  }
  if (coarse <= TICKS/2) return;
  fprintf(stderr, "bench: the clock of the processor is too coarse here; is its time limited?\n");
  exit(1);
}

/* As many calls as take 100 microseconds: the clock is exact there, and few batches are interrupted. */
static inline int find_batch_size(Work *work, void *user)
{
  for (int size = 1;; size *= 2) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) least = fmin(least, time_of_batch(work, user, size));
    if (least >= 100e-6) return size;
  }
}

/* Seconds of one call: batches for so many seconds, three at least. */
static inline double time_of_call(Work *work, void *user, double seconds)
{
  int size = find_batch_size(work, user);
  double least = INFINITY, begin = now();
  for (int i = 0; i < 3 || now() - begin < seconds; i++) least = fmin(least, time_of_batch(work, user, size)/size);
  return least;
}

#endif
