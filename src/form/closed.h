/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations and multipliers as formulas, by the elimination in closed form: for those who write them down. */
#ifndef PF_FORM_CLOSED_H
#define PF_FORM_CLOSED_H

#include "pfaff/form.h"

typedef struct PfClosedForm {
  PfExpr *acceleration, *multiplier; /* n, m */
  int pairs, mass_pairs;             /* the first ones belong to the mass matrix, the others to A M^-1 A^T */
  PfExpr *pair;                      /* two for each: a pivot, and the diagonal element that it was before */
} PfClosedForm;

/* Only where they are short enough to pay, as 'auto' wants it, or however long they are. */
typedef enum PfClosedLength { PF_CLOSED_SHORT, PF_CLOSED_ANY } PfClosedLength;

/* In the symbols of the system, parameters included; inputs that are functions of time are written out. Fails with
 * PF_ERR_MODEL and the reason where it does not apply. The result lives in `arena`. */
PfStatus pf_closed_form(PfContext *ctx, PfArena *arena, const PfSystem *system, PfClosedLength length,
                        PfClosedForm *form);

#endif
