/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: expressions made into something that runs fast. A tape evaluates many expressions at once, as a
 * flat list of instructions on a work array; what the expressions have in common is computed once. */
#ifndef PFAFF_KERNEL_H
#define PFAFF_KERNEL_H

#include "pfaff/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfTape PfTape;

/* A tape that computes the roots from the values of the inputs, which are symbols. It does not need the
 * context afterwards. Parts that occur in several roots are computed once; sums and products may be
 * regrouped, so the last digits can differ from pf_expr_evaluate.
 *
 * Fails with PF_ERR_NAME when a root contains a symbol that is no input (the message names it), with
 * PF_ERR_ARGUMENT when an input is not a symbol or is given twice, or a root is missing, with PF_ERR_LIMIT,
 * with PF_ERR_MEMORY; *tape is NULL then. */
PF_API PfStatus pf_tape_new(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots,
                            int root_count, PfTape **tape);
/* NULL is allowed. */
PF_API void pf_tape_free(PfTape *tape);

/* How many doubles `work` must hold. */
PF_API size_t pf_tape_work_size(const PfTape *tape);
/* The number of instructions: a measure of the cost of one run. */
PF_API int pf_tape_instruction_count(const PfTape *tape);

/* Runs the tape. Allocates nothing and cannot fail; what is not defined comes out as NaN or infinity. The
 * tape is not changed: threads may run it at the same time, each with its own `work`. Both branches of an
 * if() are computed, the result is the one chosen. The arrays must not overlap. */
PF_API void pf_tape_run(const PfTape *tape, const double *inputs, double *outputs, double *work);
/* The same, with the output i at outputs[place[i]]; places that are not named keep their numbers. True when all
 * outputs are finite. */
PF_API bool pf_tape_run_to_places(const PfTape *tape, const double *inputs, const int *place, double *outputs,
                                  double *work);

/* Runs the tape at `count` states, several at a time: row k of `inputs` (count x inputs) gives row k of `outputs`
 * (count x outputs). On every processor each number is bit by bit what pf_tape_run makes of its row (what is not a
 * number there may be another NaN). True when all outputs are finite. `work` holds pf_tape_many_work_size doubles; the
 * rest is as above. */
PF_API bool pf_tape_run_many(const PfTape *tape, int count, const double *inputs, double *outputs, double *work);
/* The doubles of workspace of pf_tape_run_many. */
PF_API size_t pf_tape_many_work_size(const PfTape *tape);

#ifdef __cplusplus
}
#endif
#endif
