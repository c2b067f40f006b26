/* A run of a model with events: its complete system, and what happened; total momentum along the way. */
#ifndef PF_CLI_EVENTS_H
#define PF_CLI_EVENTS_H

#include "cli/cli.h"

typedef struct Momentum {
  bool shown;      /* a body floats */
  PfTape *tape;
  double *work, *values;
  const PfSymbols *symbols;
  double start[6], now[6], change[2]; /* largest change of the linear and the angular one */
  long samples;
} Momentum;

typedef struct Events {
  Session complete;  /* the session with the complete model */
  PfSystem *own;     /* its system, unless that of the session serves */
  const PfSystem *system;
  bool given;        /* the model has events */
  double *values;
  PfEventLog log;
  Momentum momentum;
} Events;

/* The complete model of the session and its start, from `values` of the session's own system. */
PfStatus pf_events_make(Events *events, const Session *session, const PfSystem *system, double *values);
void pf_events_free(Events *events);
/* The run, with its events when the model has any. */
PfStatus pf_events_run(Events *events, const PfRunOptions *settings, PfRunResult *result);
void pf_events_sample(Events *events, const PfSample *sample);
void pf_events_text(const Events *events, PfText *text);
void pf_events_json(const Events *events, PfJson *json);

#endif
