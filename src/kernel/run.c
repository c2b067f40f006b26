/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tapes: one jump for each run of equal instructions, into a row of as many copies of the
 * instruction, so that there is no loop whose end a processor could foresee wrongly. */
#include "kernel/kernel_impl.h"

#include <math.h>

#if defined __GNUC__
#define AND_ON __attribute__((fallthrough))
#else
#define AND_ON (void)0
#endif

#define A work[pf_high_slot(dst_a)]
#define B work[pf_low_slot(b_c)]
#define C work[pf_high_slot(b_c)]
#define DO(value)                                        \
  do {                                                   \
    const uint64_t dst_a = at->dst_a, b_c = at->b_c;     \
    (void)b_c;                                           \
    work[pf_low_slot(dst_a)] = value;                    \
    at++;                                                \
  } while (0)

static void run(const PfTape *tape, double *work) /* a case for each length of each instruction. NOLINT */
{
  const PfInstruction *at = tape->instructions;
  for (const uint16_t *part = tape->runs;;) {
    switch (*part++) {
#define PF_TAPE_ARITHMETIC(name, operands, value)                 \
  case PF_RUN(PF_TAPE_##name, 8): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 7): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 6): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 5): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 4): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 3): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 2): DO(value); AND_ON;              \
  case PF_RUN(PF_TAPE_##name, 1): DO(value); continue;
#define PF_TAPE_OP(name, operands, value)                         \
  case PF_RUN(PF_TAPE_##name, 1): DO(value); continue;
#include "kernel/ops.def"
    case PF_RUN(PF_TAPE_SINCOS, 1): {
      const double angle = work[pf_high_slot(at->dst_a)];
      work[pf_low_slot(at->dst_a)] = sin(angle);
      work[pf_low_slot(at->b_c)] = cos(angle);
      at++;
      continue;
    }
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
