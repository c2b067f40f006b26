/* SPDX-License-Identifier: Apache-2.0 */
/* What formulations cost, by counts: for 'auto', and for those that apply only where they pay. */
#ifndef PF_FORM_CHOOSE_H
#define PF_FORM_CHOOSE_H

#include "form/form_impl.h"

/* Estimated cost of one evaluation, in one measure for all: of a tape, of the long chains of 'elimination', of
 * 'multipliers' with dense factors. */
double pf_cost_of_tape(int instructions);
double pf_cost_of_elimination(int instructions);
double pf_cost_of_multipliers(const PfSystem *system);
/* By the structure of so many equations: instructions of tapes, multiplications of the factors. */
double pf_cost_of_structure(int instructions, int equations, double products);
/* Of a solver by 'multipliers' with M and A, dense or sparse. */
double pf_cost_of_matrices(const PfSolver *multipliers);
/* Of a solver by 'recursive', in loops or written out. */
double pf_cost_of_recursion(const PfSolver *recursive);

#endif
