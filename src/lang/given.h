/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities with names beside those of the model. */
#ifndef PF_LANG_GIVEN_H
#define PF_LANG_GIVEN_H

#include "pfaff/lang.h"

/* A name that stands for a number which the caller has, pf_expr_symbol of it, or for a formula. */
typedef struct PfGivenName {
  const char *name;
  const char *unit; /* of its dimension; "": not known */
  bool summed;      /* an integral over time of what has that unit */
  PfExpr value;     /* by coordinates, velocities and time; PF_EXPR_NONE: a number of the caller */
} PfGivenName;

/* As pf_quantities_read, with these names, which the model must not have. */
PfStatus pf_quantities_read_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfPlot **plots,
                                  int *count);

#endif
