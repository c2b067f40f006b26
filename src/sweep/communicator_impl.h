/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of leader and followers. */
#ifndef PF_SWEEP_COMMUNICATOR_IMPL_H
#define PF_SWEEP_COMMUNICATOR_IMPL_H

#include "sweep/communicator.h"

enum { PF_MESSAGE_FORM = 1 };        /* of the messages */
#define PF_MESSAGE_ORDER 0x01020304u /* bytes of numbers in the same order? */
#define PF_MESSAGE_TIMEOUT 300.0     /* seconds without a word: lost */

/* In front of SETTINGS and HELLO; texts follow, each with its zero. */
typedef struct PfMessageHead {
  uint32_t order, form;
  int32_t status, threads;
} PfMessageHead;

/* Time that passes while this process is at work: after a sleep of the process no other one counts as lost. */
typedef struct PfProcessClock {
  double last, now;
} PfProcessClock;
/* Sets it to zero. */
void pf_process_clock_start(PfProcessClock *clock);
/* The seconds since the start; gaps between two calls count as a second at most. */
double pf_process_clock_now(PfProcessClock *clock);

void pf_communicator_wait(void); /* a millisecond */

#endif
