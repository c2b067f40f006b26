/* SPDX-License-Identifier: Apache-2.0 */
/* Forces of actuators for wanted accelerations: pfaff eval --inverse. */
#ifndef PF_CLI_INVERSE_H
#define PF_CLI_INVERSE_H

#include "cli/cli.h"

typedef struct Inverse {
  PfInverse *solver;          /* NULL: not asked for */
  int count, wanted_count;
  const char **names;         /* of the actuators */
  int *wanted;                /* coordinates */
  double *target;
  const PfActuation *answer;
} Inverse;

/* Solves what --inverse and --actuators ask for, at the values of a state, and warns of what is missed. */
PfStatus pf_cli_inverse(Session *s, const Options *options, const PfSystem *system, const double *values,
                        Inverse *inverse);

/* Nothing when it was not asked for. */
void pf_inverse_text(const PfModel *model, const Inverse *inverse, PfText *text);
void pf_inverse_json(const PfModel *model, const Inverse *inverse, PfJson *json);

#endif
