/* SPDX-License-Identifier: Apache-2.0 */
/* Tolerances that more than one place decides by, each with its meaning. A number that one place alone uses stands
 * there, with its reason. All are relative unless they say otherwise. Those of the runtime are in runtime/pf_real.h. */
#ifndef PF_SRC_TOLERANCES_H
#define PF_SRC_TOLERANCES_H

#include "runtime/pf_real.h"
#include "runtime/pf_runge_kutta.h"

/* ---------------------------------------------------------------- rank */

/* Residual of a redundant row, relative to its terms. */
#define PF_AGREEMENT 1e-6
/* A row this small relative to its own usual size is rounding, and counts as zero; other rows have other units. */
#define PF_EMPTY_ROW 1e-10

/* ---------------------------------------------------------------- constraints (absolute, in units of the model) */

/* A state is projected until it misses no constraint by more. */
#define PF_ON_CONSTRAINTS 1e-14
/* A configuration or a state that is only looked at is found to this. */
#define PF_COMPARED_TO 1e-11

#endif
