/* SPDX-License-Identifier: Apache-2.0 */
/* Values beside a model, of options and of plans. */
#ifndef PF_LANG_CONSTANT_H
#define PF_LANG_CONSTANT_H

#include "pfaff/lang.h"

/* A constant in SI: "2/3", "5 [g]"; a bare number is in `unit`. What is wrong is said after `what`, as it was given. */
PfStatus pf_constant_read_for(PfContext *ctx, const char *what, const char *text, const char *unit, double *value);

#endif
