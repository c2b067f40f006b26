/* SPDX-License-Identifier: Apache-2.0 */
/* Sines and cosines of angles that are sums of others, or differ by a number, written by those of the others: a few
 * multiplications in place of a call. */
#ifndef PF_FORM_ANGLES_H
#define PF_FORM_ANGLES_H

#include "pfaff/expr.h"

/* Rewrites the roots in place. */
PfStatus pf_angles_share(PfContext *ctx, PfArena *arena, PfExpr *roots, int count);

/* The sum with sin x sin y + cos x cos y replaced by cos(x - y) where that is a number; sin^2 + cos^2 among them. */
PfExpr pf_angles_join(PfContext *ctx, PfExpr sum);

#endif
