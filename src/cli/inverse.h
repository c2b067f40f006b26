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

/* Writes nothing when there is no answer. */
void pf_inverse_report(const PfModel *model, const Inverse *inverse, PfReport *report);
#define PF_INVERSE_FIELDS                                                                                        \
  {.key = "actuators", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER, .optional = true,                              \
   .about = "forces of the actuators: inputs in their units, forces on coordinates in SI"},                      \
  {.key = "undetermined", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING, .optional = true,                          \
   .about = "actuators whose force is the least of several that would do"},                                      \
  {.key = "missed", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER, .optional = true,                                 \
   .about = "the difference between the acceleration that was asked for and the one that is reached"}

#endif
