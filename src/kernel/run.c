/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tapes: one jump for each run of equal instructions. */
#include "kernel/kernel_impl.h"

#include <math.h>

#define A work[at->a]
#define B work[at->b]
#define C work[at->c]

/* One jump for each run of equal instructions. */
static void run(const PfTape *tape, double *work)
{
  const PfInstruction *at = tape->instructions;
  for (const PfRun *part = tape->runs;; part++) {
    const PfInstruction *const end = at + part->count;
    switch (part->op) {
#define PF_TAPE_OP(name, operands, value) \
  case PF_TAPE_##name:                    \
    for (; at < end; at++) work[at->dst] = value; \
    break;
#include "kernel/ops.def"
#undef PF_TAPE_OP
    case PF_TAPE_SINCOS:
      for (; at < end; at++) {
        const double angle = A;
        work[at->dst] = sin(angle);
        work[at->b] = cos(angle);
      }
      break;
    default: return;
    }
  }
}

static void load_and_run(const PfTape *tape, const double *inputs, double *work)
{
  if (tape->constant_count) memcpy(work, tape->constants, tape->constant_count*sizeof *work);
  if (tape->input_count)
    memcpy(work + tape->constant_count, inputs, (size_t)tape->input_count*sizeof *work);
  run(tape, work);
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
