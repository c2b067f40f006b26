/* SPDX-License-Identifier: Apache-2.0 */
/* A tape at several states at a time: each slot is a vector with a number for each state, a lane. Lanes do what `run.c`
 * does, in the same order and with the same rounding, so their results are the same bit by bit, however wide the
 * processor's vectors are. */
#include "kernel/kernel_impl.h"

#include <math.h>

/* In doubles. */
size_t pf_tape_many_work_size(const PfTape *tape)
{
  const size_t native = (size_t)tape->input_count + (size_t)tape->output_count;
  const size_t slots = native > tape->slot_count ? native : tape->slot_count;
  return PF_LANES*slots + PF_LANES - 1; /* vectors are aligned inside */
}

/* Added to the exponent of a number: the sign bit says that it is not finite. Sums of numbers would show it too, but
 * each waits for the one before. */
static const uint64_t one = (uint64_t)1 << 52, exponent = (uint64_t)0x7FF << 52;

/* `count` states one after the other, by pf_tape_run. True when all outputs are finite. */
static bool run_singly(const PfTape *tape, int count, const double *inputs, double *outputs, double *work)
{
  uint64_t marks = 0;
  for (int k = 0; k < count; k++) {
    pf_tape_run(tape, inputs, outputs, work);
    for (int i = 0; i < tape->output_count; i++) marks |= (bits_of(outputs[i]) & exponent) + one;
    inputs += tape->input_count;
    outputs += tape->output_count;
  }
  return !(marks >> 63);
}

#if defined __GNUC__ && !defined __wasm__

typedef double Vector __attribute__((vector_size(8*PF_LANES), may_alias));
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint64_t Bits __attribute__((vector_size(16)));
typedef uint64_t Whole __attribute__((vector_size(8*PF_LANES)));
#define INLINE static inline __attribute__((always_inline))

#define REAL Vector
#define BITS Whole
#define AS_BITS (Whole)
#define AS_REAL (Vector)
#define SINCOS __attribute__((always_inline)) sincos_within
#define PF_CODE(...) __VA_ARGS__
#include "runtime/pf_sincos.def"

/* ---------------------------------------------------------------- instructions */

/* Lanes from `used` on are copies of the one before: functions are not called for them. */
INLINE void fill(double *slot, size_t used)
{
  for (size_t lane = used; lane < PF_LANES; lane++) slot[lane] = slot[used - 1];
}

INLINE double *numbers_of(Vector *work, uint32_t slot)
{
  return (double *)(work + slot);
}

INLINE bool are_small(const double *angles)
{
  bool small = true;
  for (size_t lane = 0; lane < PF_LANES; lane++) small &= fabs(angles[lane]) <= PF_LARGEST_ANGLE;
  return small;
}

/* Both functions of eight angles at once, unless one is too large for the reduction in vectors; the numbers are the
 * same either way. */
INLINE void run_sincos(Vector *work, const PfInstruction *at)
{
  Vector *sine = work + pf_low_slot(at->dst_a), *cosine = work + pf_low_slot(at->b_c);
  const Vector angle = work[pf_high_slot(at->dst_a)]; /* its slot may be that of the sine */
  if (are_small((const double *)&angle)) {
    sincos_within(&angle, sine, cosine);
    return;
  }
  for (size_t lane = 0; lane < PF_LANES; lane++)
    pf_sincos(angle[lane], (double *)sine + lane, (double *)cosine + lane);
}

/* Operands are named where they lie: copies of vectors that the processor does not have go through the stack. `used`
 * lanes have states of their own; functions are called for these only. */
INLINE void run(const PfTape *tape, Vector *work, size_t used)
{
  const PfInstruction *at = tape->instructions;
  for (const uint16_t *part = tape->runs;; part++) {
    const PfInstruction *const end = at + *part%PF_RUN_MOST + 1;
    switch (*part/PF_RUN_MOST) {
#define A work[pf_high_slot(at->dst_a)]
#define B work[pf_low_slot(at->b_c)]
#define C work[pf_high_slot(at->b_c)]
#define PF_TAPE_ARITHMETIC(name, operands, value)                         \
  case PF_TAPE_##name:                                                    \
    for (; at < end; at++) work[pf_low_slot(at->dst_a)] = value;          \
    break;
#define PF_TAPE_OP(name, operands, value)
#include "kernel/ops.def"
#undef A
#undef B
#undef C
#define A numbers_of(work, pf_high_slot(at->dst_a))[lane]
#define B numbers_of(work, pf_low_slot(at->b_c))[lane]
#define C numbers_of(work, pf_high_slot(at->b_c))[lane]
#define PF_TAPE_ARITHMETIC(name, operands, value)
#define PF_TAPE_OP(name, operands, value)                                                                          \
  case PF_TAPE_##name:                                                                                             \
    for (size_t lane = 0; lane < used; lane++) numbers_of(work, pf_low_slot(at->dst_a))[lane] = value;             \
    fill(numbers_of(work, pf_low_slot(at->dst_a)), used);                                                          \
    break;
#include "kernel/ops.def"
    case PF_TAPE_SINCOS: run_sincos(work, at); break;
    default: return;
    }
    at = end;
  }
}

/* ---------------------------------------------------------------- rows and lanes */

/* Rows of inputs to lanes: two by two, each two numbers of a row at once. */
INLINE void load(const PfTape *tape, const double *inputs, size_t used, Vector *slots)
{
  const size_t n = (size_t)tape->input_count;
  for (size_t lane = 0; lane < PF_LANES; lane += 2) {
    const double *first = inputs + (lane < used ? lane : used - 1)*n;
    const double *second = inputs + (lane + 1 < used ? lane + 1 : used - 1)*n;
    double *to = (double *)slots + lane;
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      const Pair x = *(const Pair *)(first + i), y = *(const Pair *)(second + i);
      *(Pair *)(to + PF_LANES*i) = (Pair){x[0], y[0]};
      *(Pair *)(to + PF_LANES*(i + 1)) = (Pair){x[1], y[1]};
    }
    if (i < n) *(Pair *)(to + PF_LANES*i) = (Pair){first[i], second[i]};
  }
}

INLINE Bits not_finite(Pair numbers)
{
  return ((Bits)numbers & exponent) + one;
}

/* And back; `slot`: where the outputs are, NULL: in their order. True when all are finite. Finite numbers are
 * recognised by their exponents, eight at a time. */
INLINE bool store(const PfTape *tape, const Vector *work, const uint32_t *slot, size_t used, double *outputs)
{
  const size_t n = (size_t)tape->output_count;
  Bits marks = {0, 0};
  for (size_t lane = 0; lane < used; lane += 2) {
    double *first = outputs + lane*n, *second = lane + 1 < used ? first + n : first; /* the same if it is a copy */
    const double *from = (const double *)work + lane;
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      const Pair x = *(const Pair *)(from + PF_LANES*(slot ? slot[i] : i));
      const Pair y = *(const Pair *)(from + PF_LANES*(slot ? slot[i + 1] : i + 1));
      *(Pair *)(first + i) = (Pair){x[0], y[0]};
      *(Pair *)(second + i) = (Pair){x[1], y[1]};
      marks |= not_finite(x) | not_finite(y);
    }
    if (i < n) {
      const Pair x = *(const Pair *)(from + PF_LANES*(slot ? slot[i] : i));
      first[i] = x[0], second[i] = x[1];
      marks |= not_finite(x);
    }
  }
  return !((marks[0] | marks[1]) >> 63);
}

INLINE bool run_group(const PfTape *tape, const double *inputs, size_t used, double *outputs, Vector *work)
{
  load(tape, inputs, used, work + tape->constant_count);
  run(tape, work, used);
  return store(tape, work, tape->outputs, used, outputs);
}

/* Inputs and outputs that lie as the lanes do. */
INLINE bool run_side_by_side(const PfTape *tape, const double *inputs, size_t used, double *outputs, Vector *work)
{
  const size_t n = (size_t)tape->input_count;
  (void)used; /* all lanes */
  for (size_t i = 0; i < n; i++) work[tape->constant_count + i] = ((const Vector *)inputs)[i];
  run(tape, work, PF_LANES);
  for (int i = 0; i < tape->output_count; i++) ((Vector *)outputs)[i] = work[tape->outputs[i]];
  return true;
}

/* ---------------------------------------------------------------- processors */

/* A function compiled for a kind of processor. */
typedef bool RunGroup(const PfTape *tape, const double *inputs, size_t used, double *outputs, Vector *work);
#define COMPILED(name, as)                                                                                         \
  static bool name(const PfTape *tape, const double *inputs, size_t used, double *outputs, Vector *work)           \
  {                                                                                                                \
    return as(tape, inputs, used, outputs, work);                                                                  \
  }
COMPILED(run_group_plain, run_group)
COMPILED(run_beside_plain, run_side_by_side)
#if defined __x86_64__
__attribute__((target("avx2"))) COMPILED(run_group_avx2, run_group)
__attribute__((target("avx2"))) COMPILED(run_beside_avx2, run_side_by_side)
__attribute__((target("avx512f"))) COMPILED(run_group_avx512, run_group)
__attribute__((target("avx512f"))) COMPILED(run_beside_avx512, run_side_by_side)
static RunGroup *const run_groups[] = {run_group_plain, run_group_avx2, run_group_avx512};
static RunGroup *const runs_beside[] = {run_beside_plain, run_beside_avx2, run_beside_avx512};
#else
static RunGroup *const run_groups[] = {run_group_plain, run_group_plain, run_group_plain};
static RunGroup *const runs_beside[] = {run_beside_plain, run_beside_plain, run_beside_plain};
#endif

PfLanes pf_lanes_best(void)
{
#if defined __x86_64__
  if (__builtin_cpu_supports("avx512f")) return PF_LANES_AVX512;
  if (__builtin_cpu_supports("avx2")) return PF_LANES_AVX2;
#endif
  return PF_LANES_PLAIN;
}

enum { FEWEST = 4 }; /* states for which a group costs less than each alone */

static Vector *align(double *work)
{
  const size_t past = (uintptr_t)work/sizeof *work%PF_LANES;
  return (Vector *)(work + (past ? PF_LANES - past : 0));
}

static void set_constants(const PfTape *tape, Vector *slots)
{
  for (uint32_t i = 0; i < tape->constant_count; i++)
    for (size_t lane = 0; lane < PF_LANES; lane++) numbers_of(slots, i)[lane] = tape->constants[i];
}

/* Groups of states by native code or, where that is NULL, by the interpreter; the states that are left one by one. */
static bool run_grouped(PfLanes lanes, PfNativeCode *code, const PfTape *tape, int count, const double *inputs,
                        double *outputs, double *work)
{
  Vector *slots = align(work), *results = slots + tape->input_count;
  bool finite = true;
  if (!code) set_constants(tape, slots);
  while (count >= FEWEST) {
    const int states = count < PF_LANES ? count : PF_LANES;
    const size_t used = (size_t)states;
    if (code) {
      load(tape, inputs, used, slots);
      code((const double *)slots, (double *)results, tape->constants, &pf_native_functions);
      finite &= store(tape, results, NULL, used, outputs);
    } else {
      finite &= run_groups[lanes](tape, inputs, used, outputs, slots);
    }
    inputs += states*tape->input_count;
    outputs += states*tape->output_count;
    count -= states;
  }
  return run_singly(tape, count, inputs, outputs, work) && finite;
}

bool pf_tape_run_lanes(PfLanes lanes, const PfTape *tape, int count, const double *inputs, double *outputs,
                       double *work)
{
  return run_grouped(lanes, NULL, tape, count, inputs, outputs, work);
}

bool pf_tape_run_many(const PfTape *tape, int count, const double *inputs, double *outputs, double *work)
{
  PfNativeCode *code = NULL;
  if (tape->state && count >= FEWEST) code = pf_tape_native(tape, tape->state + 1, count/3); /* a group is cheaper */
  return run_grouped(pf_lanes_best(), code, tape, count, inputs, outputs, work);
}

/* ---------------------------------------------------------------- groups as they are */

void pf_tape_run_groups(const PfTape *tape, int groups, const double *inputs, double *outputs, double *work)
{
  const PfLanes lanes = pf_lanes_best();
  PfNativeCode *code = tape->state ? pf_tape_native(tape, tape->state + 1, groups*PF_LANES/3) : NULL;
  Vector *slots = align(work);
  if (!code) set_constants(tape, slots);
  for (int g = 0; g < groups; g++) {
    if (code) code(inputs, outputs, tape->constants, &pf_native_functions);
    else (void)runs_beside[lanes](tape, inputs, PF_LANES, outputs, slots);
    inputs += tape->input_count*PF_LANES;
    outputs += tape->output_count*PF_LANES;
  }
}

#else /* without vectors, or where the program must be short */

PfLanes pf_lanes_best(void)
{
  return PF_LANES_PLAIN;
}

/* One lane after the other; the work area has room for a row of inputs and outputs after the slots. */
void pf_tape_run_groups(const PfTape *tape, int groups, const double *inputs, double *outputs, double *work)
{
  const size_t n = (size_t)tape->input_count, m = (size_t)tape->output_count;
  double *row = work + pf_tape_work_size(tape), *out = row + n;
  for (int g = 0; g < groups; g++, inputs += n*PF_LANES, outputs += m*PF_LANES)
    for (size_t lane = 0; lane < PF_LANES; lane++) {
      for (size_t i = 0; i < n; i++) row[i] = inputs[i*PF_LANES + lane];
      pf_tape_run(tape, row, out, work);
      for (size_t i = 0; i < m; i++) outputs[i*PF_LANES + lane] = out[i];
    }
}

bool pf_tape_run_lanes(PfLanes lanes, const PfTape *tape, int count, const double *inputs, double *outputs,
                       double *work)
{
  (void)lanes;
  return run_singly(tape, count, inputs, outputs, work);
}

bool pf_tape_run_many(const PfTape *tape, int count, const double *inputs, double *outputs, double *work)
{
  return run_singly(tape, count, inputs, outputs, work);
}

#endif
