/* SPDX-License-Identifier: Apache-2.0 */
/* What leader and followers share. */
#ifndef PF_SWEEP_TEAM_IMPL_H
#define PF_SWEEP_TEAM_IMPL_H

#include "sweep/team.h"

enum { PF_TEAM_FORM = 1 };         /* of the messages */
#define PF_TEAM_ORDER 0x01020304u  /* bytes of numbers in the same order? */
#define PF_TEAM_SILENCE 300.0      /* seconds without a word: lost */

/* In front of WORDS and HELLO; texts follow, each with its zero. */
typedef struct PfTeamHead {
  uint32_t order, form;
  int32_t status, threads;
} PfTeamHead;

/* Time that passes while this process is at work: one that was put to sleep takes nobody for lost. */
typedef struct PfTeamClock {
  double last, now;
} PfTeamClock;
void pf_team_clock_start(PfTeamClock *clock);
double pf_team_clock_now(PfTeamClock *clock);

void pf_team_wait(void); /* a millisecond */

#endif
