/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the groups of a design. */
#ifndef PF_SWEEP_SENSITIVITY_H
#define PF_SWEEP_SENSITIVITY_H

#include "sweep/sweep_impl.h"

/* What is summed over all groups beside that: numbers, their squares, from where they are counted, how many groups. */
enum { PF_SENSITIVITY_TOTALS = 4 };

/* One group of finite numbers f, whose first member is `first`, goes into the sums (one for each random number, and
 * those of all). */
void pf_sensitivity_add(const PfPlan *plan, const double *f, long long first, PfSensitivity *sums, double *total);
/* From sums to what they mean. */
void pf_sensitivity_end(const PfPlan *plan, PfSensitivity *sums, const double *total);

#endif
