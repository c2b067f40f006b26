/* SPDX-License-Identifier: Apache-2.0 */
/* Tapes that are woven operation by operation. Expressions collect terms and flatten sums, which is right for formulas
 * that people write; a recursion knows itself what it shares, and wants its operations as it wrote them. Both meet
 * here: expressions come in as terms, operations on terms make further ones, equal ones once, and what is known to be
 * zero, one or a number is no operation. */
#ifndef PF_KERNEL_WEAVE_H
#define PF_KERNEL_WEAVE_H

#include "pfaff/kernel.h"

typedef struct PfWeave PfWeave;
typedef uint32_t PfTerm;

/* The terms of the roots, whose symbols are the inputs; fails as pf_tape_new does. */
PfStatus pf_weave_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                      PfWeave **weave);
void pf_weave_free(PfWeave *weave);
PfTerm pf_weave_root(const PfWeave *weave, int root);

/* Without memory they give some term, and pf_weave_tape fails. */
PfTerm pf_weave_number(PfWeave *weave, double value);
PfTerm pf_weave_neg(PfWeave *weave, PfTerm a);
PfTerm pf_weave_add(PfWeave *weave, PfTerm a, PfTerm b);
PfTerm pf_weave_sub(PfWeave *weave, PfTerm a, PfTerm b);
PfTerm pf_weave_mul(PfWeave *weave, PfTerm a, PfTerm b);
PfTerm pf_weave_div(PfWeave *weave, PfTerm a, PfTerm b);
PfTerm pf_weave_sin(PfWeave *weave, PfTerm a);
PfTerm pf_weave_cos(PfWeave *weave, PfTerm a);
PfTerm pf_weave_min(PfWeave *weave, PfTerm a, PfTerm b);
PfTerm pf_weave_max(PfWeave *weave, PfTerm a, PfTerm b);
bool pf_weave_is_number(const PfWeave *weave, PfTerm a, double *value);
bool pf_weave_is_zero(const PfWeave *weave, PfTerm a);

/* The tape that computes these terms; what does not serve them is not in it. Nothing can be woven afterwards. */
PfStatus pf_weave_tape(PfWeave *weave, const PfTerm *outputs, int count, PfTape **tape);

#endif
