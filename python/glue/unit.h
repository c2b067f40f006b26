/* SPDX-License-Identifier: Apache-2.0 */
/* Units that are asked for by name: "theta [deg]". */
#ifndef PF_PYTHON_UNIT_H
#define PF_PYTHON_UNIT_H

#include "ask.h"

/* How large one of the unit is in SI, for each of the numbers of quantities with commas; 1 where none is asked for. */
PfStatus pf_py_scales(PfContext *ctx, const PfModel *model, const char *quantities, double *scale, int count);

#endif
