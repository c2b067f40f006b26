/* Conserved quantities along a run: pfaff run --invariants, and the plot of pfaff study invariants. */
#ifndef PF_CLI_DRIFT_H
#define PF_CLI_DRIFT_H

#include "cli/cli.h"

typedef struct Drift {
  PfInvariants found;
  Session *session;
  const PfSymbols *symbols;
  PfTape *tape;       /* NULL: nothing is watched */
  double *values;     /* of the symbols, at the latest sample */
  double *work, *now; /* values of the invariants */
  double *first, *drift; /* at the first sample; largest change since */
  int *from;          /* the coordinates of the model among those of the samples */
  long samples;
} Drift;

/* Finds the conserved quantities of the model and makes them ready; `values` are those of the start. Samples are those of
 * `sampled`: the model, or the complete one with its events. */
PfStatus pf_drift_make(Drift *drift, Session *session, const Options *options, const PfSystem *system,
                       const double *values, const PfModel *sampled);
void pf_drift_free(Drift *drift);

void pf_drift_sample(Drift *drift, const PfSample *sample);

/* One line or object for each. */
void pf_drift_text(const Drift *drift, PfText *text);
void pf_drift_json(const Drift *drift, PfJson *json);

#endif
