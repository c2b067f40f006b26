/* SPDX-License-Identifier: Apache-2.0 */
/* What formulations cost, by counts: for 'auto', and for those that apply only where they pay. */
#ifndef PF_FORM_CHOOSE_H
#define PF_FORM_CHOOSE_H

#include "form/form_impl.h"

double pf_cost_of_tape(int instructions);
double pf_cost_of_elimination(int instructions);
double pf_cost_of_multipliers(const PfSystem *system);

#endif
