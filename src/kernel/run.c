/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tapes: one loop, one jump per instruction. */
#include "kernel/kernel_impl.h"

#include <math.h>

#define A work[at->a]
#define B work[at->b]
#define C work[at->c]

#if defined(__GNUC__)

/* Each instruction jumps to the next by itself: the processor predicts each of these jumps on its own. */
/* clang-format off */
static void run(const PfInstruction *at, double *work)
{
  __extension__ static const void *const labels[] = {
#define PF_TAPE_OP(name, operands, value) &&do_##name,
#include "kernel/ops.def"
#undef PF_TAPE_OP
    &&do_SINCOS, &&do_END,
  };
#define NEXT __extension__({ goto *labels[at->op]; })
  NEXT;
#define PF_TAPE_OP(name, operands, value) \
  do_##name:                              \
  work[at->dst] = value;                  \
  at++;                                   \
  NEXT;
#include "kernel/ops.def"
#undef PF_TAPE_OP
do_SINCOS: {
  const double angle = A;
  work[at->dst] = sin(angle);
  work[at->b] = cos(angle);
  at++;
  NEXT;
}
do_END:
  return;
#undef NEXT
}
/* clang-format on */

#else

static void run(const PfInstruction *at, double *work)
{
  for (;; at++) {
    switch (at->op) {
#define PF_TAPE_OP(name, operands, value) \
  case PF_TAPE_##name: work[at->dst] = value; break;
#include "kernel/ops.def"
#undef PF_TAPE_OP
    case PF_TAPE_SINCOS: {
      const double angle = A;
      work[at->dst] = sin(angle);
      work[at->b] = cos(angle);
      break;
    }
    default: return;
    }
  }
}

#endif

static void load_and_run(const PfTape *tape, const double *inputs, double *work)
{
  if (tape->constant_count) memcpy(work, tape->constants, tape->constant_count*sizeof *work);
  if (tape->input_count)
    memcpy(work + tape->constant_count, inputs, (size_t)tape->input_count*sizeof *work);
  run(tape->instructions, work);
}

void pf_tape_run(const PfTape *tape, const double *inputs, double *outputs, double *work)
{
  load_and_run(tape, inputs, work);
  for (int i = 0; i < tape->output_count; i++) outputs[i] = work[tape->outputs[i]];
}

bool pf_tape_run_to_places(const PfTape *tape, const double *inputs, const int *place, double *outputs, double *work)
{
  load_and_run(tape, inputs, work);
  const size_t count = (size_t)tape->output_count;
  double probe = 0;
  for (size_t i = 0; i < count; i++) {
    double number = outputs[place[i]] = work[tape->outputs[i]];
    probe += 0*number; /* not 0 when it is not finite */
  }
  return probe == 0;
}
