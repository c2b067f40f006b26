/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tapes: one jump for each run of equal instructions, into a row of as many copies of the
 * instruction, so that there is no loop whose end a processor could foresee wrongly.
 *
 * Each instruction reads its operands from slots of the work array and writes one slot, or two for a sine and its
 * cosine. Rounding is that of the C expression in ops.def: nothing is contracted, so native code and lanes give the
 * same bits. */
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
      pf_sincos(angle, work + pf_low_slot(at->dst_a), work + pf_low_slot(at->b_c));
      at++;
      continue;
    }
    default: return;
    }
  }
}

/* Constants first, then inputs: the first slots. */
static void load_and_run(const PfTape *tape, const double *inputs, double *work)
{
  if (tape->constant_count) memcpy(work, tape->constants, tape->constant_count*sizeof *work);
  if (tape->input_count)
    memcpy(work + tape->constant_count, inputs, (size_t)tape->input_count*sizeof *work);
  run(tape, work);
}

/* ---------------------------------------------------------------- native code */

const PfNativeFunctions pf_native_functions = {
  .sincos = pf_sincos, .sin = pf_sin, .cos = pf_cos,
#define USE(name) .name = name,
  PF_NATIVE_FUNCTIONS(USE)
  PF_NATIVE_FUNCTIONS_OF_TWO(USE)
#undef USE
};

/* The count is shared by threads and may miss some of theirs: it only decides when, not what. A run costs about as much
 * as three instructions besides those it does. */
PfNativeCode *pf_tape_native(const PfTape *tape, PfTapeState *state, int runs)
{
  if (!state) return NULL;
  PfNativeCode *code = atomic_load_explicit(&state->code, memory_order_acquire);
  if (code) return code;
  int64_t patience = atomic_load_explicit(&state->patience, memory_order_relaxed);
  patience -= (int64_t)runs*(tape->instruction_count + 3);
  if (patience < 0) patience = tape->service->attend(tape->service, tape, state);
  atomic_store_explicit(&state->patience, patience, memory_order_relaxed);
  return atomic_load_explicit(&state->code, memory_order_acquire);
}

/* ---------------------------------------------------------------- runs */

static inline PfNativeCode *code_of(const PfTape *tape)
{
  PfTapeState *state = tape->state;
  PfNativeCode *code = state ? atomic_load_explicit(&state->code, memory_order_acquire) : NULL;
  return code || !state ? code : pf_tape_native(tape, state, 1);
}

/* `work` has pf_tape_work_size numbers; inputs, outputs and work must not overlap. Threads may run a tape at the same
 * time, each with a work area of its own. */
void pf_tape_run(const PfTape *tape, const double *inputs, double *outputs, double *work)
{
  PfNativeCode *code = code_of(tape);
  if (code) {
    code(inputs, outputs, tape->constants, &pf_native_functions);
    return;
  }
  load_and_run(tape, inputs, work);
  for (int i = 0; i < tape->output_count; i++) outputs[i] = work[tape->outputs[i]];
}

/* Output i goes to outputs[place[i]]; other elements stay as they are. */
bool pf_tape_run_to_places(const PfTape *tape, const double *inputs, const int *place, double *outputs, double *work)
{
  PfNativeCode *code = code_of(tape);
  if (code) code(inputs, work, tape->constants, &pf_native_functions);
  else load_and_run(tape, inputs, work);
  const size_t count = (size_t)tape->output_count;
  double probe = 0;
  for (size_t i = 0; i < count; i++) {
    double number = outputs[place[i]] = work[code ? i : tape->outputs[i]];
    probe += 0*number; /* not 0 when it is not finite */
  }
  return probe == 0;
}
