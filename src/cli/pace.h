/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping pace with the clock on the wall: pfaff run --real-time. */
#ifndef PF_SRC_PACE_H
#define PF_SRC_PACE_H

#include "cli/cli.h"

typedef struct Pace {
  double period;         /* of a step, in seconds; 0: not in real time */
  double t0, begin;      /* time of the model and of the clock at the start */
  long room, steps, missed;
  float *late;           /* per step: how long after its deadline it was handed on */
  double busy, longest;  /* computing, in all and at most per step */
  double margin;         /* how long before a deadline sleeping ends */
  double resumed;        /* when the step that is being computed was begun */
} Pace;

/* Room for the run; the step is fixed, by a method with fixed steps. */
PfStatus pf_pace_prepare(Session *session, const Options *options, double t0, PfRunOptions *settings, Pace *pace);
void pf_pace_begin(Pace *pace);

/* Called after the step that ends at time t: waits for the clock, or counts a miss. */
void pf_pace_step(Pace *pace, double t);

/* How the deadlines were kept; nothing for a run that was not in real time. */
extern const PfField pf_pace_fields[];
#define PF_FIELD_PACE                                                                                       \
  {.key = "real_time", .type = PF_TYPE_RECORD, .fields = pf_pace_fields, .optional = true,                  \
   .about = "how the deadlines of --real-time were kept; left out without it"}
void pf_pace_report(Pace *pace, PfReport *report);

#endif
