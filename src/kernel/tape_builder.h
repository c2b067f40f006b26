/* SPDX-License-Identifier: Apache-2.0 */
/* Tapes that are built operation by operation. Expressions collect terms and flatten sums, which is right for formulas
 * that people write; a recursion shares subexpressions by itself, and its operations must stay as they are written.
 * Both meet here: expressions come in as terms, operations on terms make further ones, equal ones once, and no
 * operation is spent on a value that is known to be zero, one or a number. */
#ifndef PF_KERNEL_TAPE_BUILDER_H
#define PF_KERNEL_TAPE_BUILDER_H

#include "pfaff/kernel.h"

typedef struct PfTapeBuilder PfTapeBuilder;
typedef uint32_t PfTerm;

/* The terms of the roots, whose symbols are the inputs; fails as pf_tape_new does. */
PfStatus pf_builder_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots, int root_count,
                        PfTapeBuilder **builder);
/* NULL is allowed. */
void pf_builder_free(PfTapeBuilder *builder);
/* The term of a root of pf_builder_new. */
PfTerm pf_builder_root(const PfTapeBuilder *builder, int root);

/* Without memory they give some term, and pf_builder_tape fails. */
PfTerm pf_builder_number(PfTapeBuilder *builder, double value);
/* Operations on terms: -a, a + b, a - b, a b, a/b, sin a, cos a, min(a, b), max(a, b). */
PfTerm pf_builder_neg(PfTapeBuilder *builder, PfTerm a);
PfTerm pf_builder_add(PfTapeBuilder *builder, PfTerm a, PfTerm b);
PfTerm pf_builder_sub(PfTapeBuilder *builder, PfTerm a, PfTerm b);
PfTerm pf_builder_mul(PfTapeBuilder *builder, PfTerm a, PfTerm b);
PfTerm pf_builder_div(PfTapeBuilder *builder, PfTerm a, PfTerm b);
PfTerm pf_builder_sin(PfTapeBuilder *builder, PfTerm a);
PfTerm pf_builder_cos(PfTapeBuilder *builder, PfTerm a);
PfTerm pf_builder_min(PfTapeBuilder *builder, PfTerm a, PfTerm b);
PfTerm pf_builder_max(PfTapeBuilder *builder, PfTerm a, PfTerm b);
/* Is the term a known number, which *value gets? */
bool pf_builder_is_number(const PfTapeBuilder *builder, PfTerm a, double *value);
/* Is it known to be zero? */
bool pf_builder_is_zero(const PfTapeBuilder *builder, PfTerm a);

/* The tape that computes these terms, without operations that they do not need. Nothing can be added afterwards. */
PfStatus pf_builder_tape(PfTapeBuilder *builder, const PfTerm *outputs, int count, PfTape **tape);

#endif
