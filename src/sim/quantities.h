/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities by all names that there are: those of the model, and those that 'derive' introduces. */
#ifndef PF_SIM_QUANTITIES_H
#define PF_SIM_QUANTITIES_H

#include "lang/given.h"

/* As pf_quantities_read and pf_quantities_read_given (lang), with the velocities that 'derive' chooses: u, w_psi.
 * They are looked for when the model has no such names. */
PfStatus pf_quantities_find(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *text,
                            PfPlot **plots, int *count);
PfStatus pf_quantities_find_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfPlot **plots,
                                  int *count);

#endif
