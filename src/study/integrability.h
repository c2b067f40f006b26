/* SPDX-License-Identifier: Apache-2.0 */
/* Inside study: the parts of the study of integrability. */
#ifndef PF_STUDY_INTEGRABILITY_H
#define PF_STUDY_INTEGRABILITY_H

#include "pfaff/integrals.h"
#include "study/distribution.h"

/* F with dF = sum_j form[j] dx[j] for a closed form; PF_EXPR_NONE in *potential when no rule fits. The rules: sums term
 * by term; powers, sines, cosines and exponentials of linear functions of a coordinate, times powers of it; f(u) du
 * (potential.c). The result is proven by the zero test. */
PfStatus pf_potential_find(PfContext *ctx, const PfExpr *x, int n, const PfExpr *form, PfExpr *potential);

/* Combinations of the constraint forms that are exact, until `wanted` independent ones are found or nothing more
 * helps (closed.c). Lists live in the arena of the distribution. */
PfStatus pf_closed_forms_find(const PfDistribution *distribution, int wanted, PfIntegral **integrals, int *count);

#endif
