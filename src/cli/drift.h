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

/* One record and one line for each; nothing when they were not watched. */
extern const PfField pf_drift_fields[];
#define PF_FIELD_DRIFT                                                                                          \
  {.key = "invariants", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_drift_fields, .optional = true, \
   .about = "conserved quantities, with --invariants"}
void pf_drift_report(const Drift *drift, PfReport *report);

#endif
