/* SPDX-License-Identifier: Apache-2.0 */
/* Values beside a model, of options and of plans. */
#ifndef PF_LANG_CONSTANT_H
#define PF_LANG_CONSTANT_H

#include "pfaff/lang.h"

/* A constant in SI: "2/3", "5 [g]"; a bare number is in `unit`. What is wrong is said after `what`, as it was given. */
PfStatus pf_constant_read_for(PfContext *ctx, const char *what, const char *text, const char *unit, double *value);

/* The same, in the unit `shared`, "[cm]", where the text has none of its own; "": there is no such unit. */
PfStatus pf_constant_read_in(PfContext *ctx, const char *what, const char *text, const char *shared, const char *unit,
                             double *value);
/* The two ends of a range and a unit that stands behind all of it, "[cm]" or "". A unit of the second end holds for the
 * first one, too; one of the first end alone is refused. */
PfStatus pf_constant_read_ends(PfContext *ctx, const char *what, const char *const text[3], const char *unit,
                               double ends[2]);
/* The unit at the end of a text, "[cm]"; "" when there is none, NULL without memory. */
const char *pf_constant_last_unit(PfArena *arena, const char *text, const char *end);

#endif
