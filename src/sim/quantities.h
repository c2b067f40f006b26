/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities by all names that there are: those of the model, and those that 'derive' introduces. */
#ifndef PF_SIM_QUANTITIES_H
#define PF_SIM_QUANTITIES_H

#include "lang/given.h"

/* The velocities that 'derive' chooses for one model, as names for quantities. Deriving them takes as long as 'derive'
 * does, so whoever asks for many quantities of a model keeps them. {0}: not derived yet. */
typedef struct PfDerivedNames {
  PfArena *arena; /* of the names; NULL before they are derived */
  int count;
  PfGivenName *name;
} PfDerivedNames;
void pf_derived_names_free(PfDerivedNames *names);

/* As pf_quantities_read and pf_quantities_read_given (lang), with the velocities that 'derive' chooses: u, w_psi.
 * They are looked for when the model has no such names, and kept in `derived` unless it is NULL. */
PfStatus pf_quantities_find(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *text,
                            PfPlot **plots, int *count);
PfStatus pf_quantities_find_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfDerivedNames *derived,
                                  PfPlot **plots, int *count);

#endif
