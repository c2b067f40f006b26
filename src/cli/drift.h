/* SPDX-License-Identifier: Apache-2.0 */
/* Conserved quantities along a run: pfaff run --invariants, and the plot of pfaff study invariants. */
#ifndef PF_CLI_DRIFT_H
#define PF_CLI_DRIFT_H

#include "cli/motion.h"

typedef struct Drift {
  PfInvariants found;
  Session *session;
  const Motion *motion;
  const PfSymbols *symbols;
  PfTape *tape;       /* NULL: nothing is watched */
  double *values;     /* of the symbols, at the latest sample */
  double *work, *now; /* values of the invariants */
  double *first, *drift; /* at the first sample; largest change since */
  long samples;
} Drift;

/* Finds the conserved quantities of the model and makes them ready for the samples of the motion. */
PfStatus pf_drift_make(Drift *drift, Session *session, const Options *options, const Motion *motion);
void pf_drift_free(Drift *drift);

void pf_drift_sample(Drift *drift, const PfSample *sample);

/* One line or object for each. */
void pf_drift_text(const Drift *drift, PfText *text);
void pf_drift_json(const Drift *drift, PfJson *json);

#endif
