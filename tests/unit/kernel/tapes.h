/* SPDX-License-Identifier: Apache-2.0 */
/* Tapes of three inputs x, y, z, and their values. */
#ifndef PF_TESTS_TAPES_H
#define PF_TESTS_TAPES_H

#include "support.h"

#include "pfaff/kernel.h"

#include <stdlib.h>

typedef struct Bench {
  PfExpr x, y, z, inputs[3];
} Bench;

static inline Bench bench(PfContext *ctx)
{
  Bench b = {pf_expr_symbol(ctx, "x"), pf_expr_symbol(ctx, "y"), pf_expr_symbol(ctx, "z"), {0}};
  b.inputs[0] = b.x, b.inputs[1] = b.y, b.inputs[2] = b.z;
  return b;
}

static inline PfTape *tape_of(PfContext *ctx, const PfExpr *inputs, int input_count, const PfExpr *roots,
                              int root_count)
{
  PfTape *tape = NULL;
  assert_int_equal(pf_expr_check(ctx), PF_OK);
  if (pf_tape_new(ctx, inputs, input_count, roots, root_count, &tape))
    fail_msg("%s", pf_context_message(ctx));
  assert_non_null(tape);
  return tape;
}

static inline void run(const PfTape *tape, const double *inputs, double *outputs)
{
  double *work = malloc((pf_tape_work_size(tape) + 1)*sizeof *work);
  assert_non_null(work);
  for (size_t i = 0; i < pf_tape_work_size(tape); i++) work[i] = NAN; /* must be written before it is read */
  pf_tape_run(tape, inputs, outputs, work);
  free(work);
}

/* The value of one expression of x, y, z. */
static inline double value(PfContext *ctx, PfExpr e, double x, double y, double z)
{
  Bench b = bench(ctx);
  const double given[] = {x, y, z};
  double result, other;
  PfTape *tape = tape_of(ctx, b.inputs, 3, &e, 1);
  run(tape, given, &result);
  pf_tape_free(tape);
  assert_int_equal(pf_expr_evaluate(ctx, &e, 1, b.inputs, given, 3, &other), PF_OK);
  if (isnan(other)) assert_true(isnan(result));
  else assert_near(result, other, 1e-14, 0);
  return result;
}

static inline int instructions(PfContext *ctx, const PfExpr *roots, int count)
{
  Bench b = bench(ctx);
  PfTape *tape = tape_of(ctx, b.inputs, 3, roots, count);
  int result = pf_tape_instruction_count(tape);
  pf_tape_free(tape);
  return result;
}

#endif
