/* SPDX-License-Identifier: Apache-2.0 */
/* A tape as other modules may read it: a list of values, each assigned once and after its operands. The tape itself is
 * in an order that serves its interpreter; this one has few values alive at a time, as code for a processor with
 * registers wants it. Both orders give the same numbers bit by bit. */
#ifndef PF_KERNEL_PROGRAM_H
#define PF_KERNEL_PROGRAM_H

#include "base/base.h"
#include "pfaff/kernel.h"

typedef enum PfTapeOp {
#define PF_TAPE_OP(name, operands, value) PF_TAPE_##name,
#include "kernel/ops.def"
  PF_TAPE_SINCOS, /* slot dst = sin A, slot b = cos A; in a program a sine and a cosine */
  PF_TAPE_END,
  PF_TAPE_OP_COUNT
} PfTapeOp;

/* Values that no instruction makes. */
enum { PF_VALUE_CONSTANT = PF_TAPE_OP_COUNT, PF_VALUE_INPUT };

/* op(a, b, c), the operands being numbers of values; a constant or an input has its own number in `a`. */
typedef struct PfProgramValue {
  uint32_t op, a, b, c;
} PfProgramValue;

/* Constants and inputs come first, and only those that are used. Where a sine and a cosine have the same operand, the
 * sine comes right before the cosine. */
typedef struct PfProgram {
  uint32_t count, output_count, input_count;
  const PfProgramValue *values;
  const double *constants; /* those of the tape */
  const uint32_t *outputs; /* numbers of values */
} PfProgram;

/* How many operands an operation has; 0 for constants and inputs. */
int pf_op_operands(uint32_t op);
/* Operand i (0, 1, 2) of a value. */
static inline uint32_t pf_value_operand(const PfProgramValue *value, int i)
{
  return i == 0 ? value->a : i == 1 ? value->b : value->c;
}

/* The program lives in the arena and as long as the tape does. Fails with PF_ERR_MEMORY. */
PfStatus pf_tape_program(PfContext *ctx, PfArena *arena, const PfTape *tape, PfProgram *program);

/* The same with all sines and cosines first whose angles need no other function, so that several can be worked out at
 * once; nothing else changes places. */
PfStatus pf_program_angles_first(PfContext *ctx, PfArena *arena, const PfProgram *program, PfProgram *sorted);

/* Cut in two: `before` computes the values that depend on the inputs below `first` alone, and `after` the rest, with
 * the outputs of `before` as its inputs from input_count on. */
PfStatus pf_program_split(PfContext *ctx, PfArena *arena, const PfProgram *program, uint32_t first, PfProgram *before,
                          PfProgram *after);

#endif
