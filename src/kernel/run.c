/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tapes: one jump for each run of equal instructions, into a row of as many copies of the
 * instruction, so that there is no loop whose end a processor could foresee wrongly. */
#include "kernel/kernel_impl.h"

#include <math.h>

/* With labels as values, which are no standard C, each run has a jump of its own to the next one: foreseen better. */
#if defined __GNUC__ && !defined __wasm__
#define ENTRY(name, count) [PF_RUN(PF_TAPE_##name, count)] = &&run_##name##_##count
#define RUN(name, count) run_##name##_##count
#define NEXT goto *entry[*part++]
#define EACH_RUN NEXT;
#else
#define RUN(name, count) case PF_RUN(PF_TAPE_##name, count)
#define NEXT continue
#define EACH_RUN for (;;) switch (*part++)
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

static void run(const PfTape *tape, double *work)
{
#if defined ENTRY
  static const void *const entry[] = {
#define PF_TAPE_ARITHMETIC(name, operands, value)                               \
  ENTRY(name, 1), ENTRY(name, 2), ENTRY(name, 3), ENTRY(name, 4), ENTRY(name, 5), \
  ENTRY(name, 6), ENTRY(name, 7), ENTRY(name, 8),
#define PF_TAPE_OP(name, operands, value) ENTRY(name, 1),
#include "kernel/ops.def"
    ENTRY(SINCOS, 1), ENTRY(END, 1)
  };
#endif
  const PfInstruction *at = tape->instructions;
  const uint16_t *part = tape->runs;
  EACH_RUN {
#define PF_TAPE_ARITHMETIC(name, operands, value) \
  RUN(name, 8): DO(value);                        \
  RUN(name, 7): DO(value);                        \
  RUN(name, 6): DO(value);                        \
  RUN(name, 5): DO(value);                        \
  RUN(name, 4): DO(value);                        \
  RUN(name, 3): DO(value);                        \
  RUN(name, 2): DO(value);                        \
  RUN(name, 1): DO(value);                        \
    NEXT;
#define PF_TAPE_OP(name, operands, value) \
  RUN(name, 1): DO(value);                \
    NEXT;
#include "kernel/ops.def"
  RUN(SINCOS, 1): {
      const double angle = work[pf_high_slot(at->dst_a)];
      work[pf_low_slot(at->dst_a)] = sin(angle);
      work[pf_low_slot(at->b_c)] = cos(angle);
      at++;
      NEXT;
    }
  RUN(END, 1): return;
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
