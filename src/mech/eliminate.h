/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints solved for dependent unknowns. */
#ifndef PF_MECH_ELIMINATE_H
#define PF_MECH_ELIMINATE_H

#include "expr/eliminate.h"
#include "mech/mech_impl.h"

/* Numbers for the symbols: the parameters of the model, and a configuration as good as any other where A is
 * finite. `start` holds those of the start, or is NULL. */
PfStatus pf_generic_values(PfContext *ctx, PfArena *scratch, const PfEquations *equations, const PfSymbols *symbols,
                           const double *start, double *values);

/* Sets the sides of all switches among the inputs of the model to 1 or -1. */
void pf_set_modes(const PfModel *model, const PfSymbols *symbols, int mode, double *values);

/* The numbers at the start, NULL when the model does not have them. */
PfStatus pf_start_values(PfContext *ctx, PfArena *arena, const PfEquations *equations, int count, double **start);

/* Both, for an elimination; the parameters are its constants. */
PfStatus pf_equations_sample(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfSamplePoint *sample);

#endif
