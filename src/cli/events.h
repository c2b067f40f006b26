/* SPDX-License-Identifier: Apache-2.0 */
/* What events have done in a run; total momentum along the way. */
#ifndef PF_CLI_EVENTS_H
#define PF_CLI_EVENTS_H

#include "cli/motion.h"

typedef struct Momentum {
  bool shown;      /* a body floats */
  PfTape *tape;
  double *work, *values;
  const PfSymbols *symbols;
  double start[6], now[6], change[2]; /* largest change of the linear and the angular one */
  long samples;
} Momentum;

typedef struct Events {
  const Motion *motion;
  Momentum momentum;
} Events;

/* Of a motion that is started. */
PfStatus pf_events_make(Events *events, const Motion *motion);
void pf_events_free(Events *events);
void pf_events_sample(Events *events, const PfSample *sample);
/* Events in the order of time, those that did not happen, and the momentum of a floating system. */
extern const PfField pf_event_fields[], pf_momentum_fields[];
#define PF_FIELDS_EVENTS                                                                                      \
  {.key = "events", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_event_fields,                    \
   .about = "events that happened, in the order of time"},                                                    \
  {.key = "momentum", .type = PF_TYPE_RECORD, .fields = pf_momentum_fields, .optional = true,                 \
   .about = "total momentum of a floating system; left out when the system is fixed to the ground"}
void pf_events_report(const Events *events, PfReport *report);

#endif
