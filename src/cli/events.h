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
void pf_events_text(const Events *events, PfText *text);
void pf_events_json(const Events *events, PfJson *json);

#endif
