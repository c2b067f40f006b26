/* SPDX-License-Identifier: Apache-2.0 */
/* A tape as a program: slots become values, then the values are put in an order with few of them alive, depth first
 * from the outputs, of the operands first the one that needs most room (R. Sethi, J. D. Ullman, The generation of
 * optimal code for arithmetic expressions, 1970; exact for trees, a good guess for shared values). */
#include "kernel/kernel_impl.h"

enum { NOT_PLACED = UINT32_MAX };

typedef struct Work {
  const PfTape *tape;
  PfProgramValue *made;         /* constants, inputs, then what instructions make, in the order of the tape */
  uint32_t made_count;
  uint32_t *in_slot;     /* the value that is in each slot; at the end those of the outputs */
  uint32_t *partner;     /* of a sine: its cosine, and back; NOT_PLACED without */
  uint32_t *need;        /* how many values are alive while it is worked out */
  uint32_t *place;       /* in the program */
  uint32_t *stack;       /* values to place, each above its users */
  PfProgramValue *values;
  uint32_t count;
} Work;

/* ---------------------------------------------------------------- slots to values */

/* The value with its operands at their places. Leaves have no operands and stay as they are. */
static PfProgramValue moved(PfProgramValue value, const uint32_t *place)
{
  const int operands = pf_op_operands(value.op);
  if (operands > 0) value.a = place[value.a];
  if (operands > 1) value.b = place[value.b];
  if (operands > 2) value.c = place[value.c];
  return value;
}

static void make(Work *w, uint32_t slot, PfProgramValue value)
{
  w->partner[w->made_count] = NOT_PLACED;
  w->made[w->made_count] = value;
  w->in_slot[slot] = w->made_count++;
}

/* Static single assignment: each instruction makes a new value, whichever slot it writes. An instruction of sine and
 * cosine makes two values, which are partners. */
static void make_values(Work *w)
{
  const PfInstruction *at = w->tape->instructions;
  const PfTape *tape = w->tape;
  for (uint32_t i = 0; i < tape->constant_count; i++) make(w, i, (PfProgramValue){PF_VALUE_CONSTANT, i, 0, 0});
  for (uint32_t i = 0; i < (uint32_t)tape->input_count; i++)
    make(w, tape->constant_count + i, (PfProgramValue){PF_VALUE_INPUT, i, 0, 0});
  for (const uint16_t *part = w->tape->runs; *part/PF_RUN_MOST != PF_TAPE_END; part++) {
    const uint32_t op = *part/PF_RUN_MOST;
    for (int k = *part%PF_RUN_MOST; k >= 0; k--, at++) {
      if (op == PF_TAPE_SINCOS) {
        const uint32_t angle = w->in_slot[pf_high_slot(at->dst_a)], sine = w->made_count;
        make(w, pf_low_slot(at->dst_a), (PfProgramValue){PF_TAPE_SIN, angle, 0, 0});
        make(w, pf_low_slot(at->b_c), (PfProgramValue){PF_TAPE_COS, angle, 0, 0});
        w->partner[sine] = sine + 1;
        w->partner[sine + 1] = sine;
      } else {
        const PfProgramValue slots = {op, pf_high_slot(at->dst_a), pf_low_slot(at->b_c), pf_high_slot(at->b_c)};
        const PfProgramValue value = moved(slots, w->in_slot);
        const int operands = pf_op_operands(op);
        make(w, pf_low_slot(at->dst_a),
             (PfProgramValue){op, value.a, operands > 1 ? value.b : 0, operands > 2 ? value.c : 0});
      }
    }
  }
}

/* ---------------------------------------------------------------- order */

/* The operands by falling need; operands that are read in place need nothing. */
static int sorted_operands(const Work *w, const PfProgramValue *value, uint32_t sorted[3])
{
  const int count = pf_op_operands(value->op);
  for (int k = 0; k < count; k++) {
    int at = k;
    const uint32_t operand = pf_value_operand(value, k);
    for (; at > 0 && w->need[sorted[at - 1]] < w->need[operand]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = operand;
  }
  return count;
}

static void put(Work *w, uint32_t i)
{
  w->values[w->count] = moved(w->made[i], w->place);
  w->place[i] = w->count++;
}

/* The stack holds values whose operands are looked at when they come to its top, the neediest last, so that it is done
 * first. A value can be on it several times; it is placed once. */
static void place_with_operands(Work *w, uint32_t root)
{
  size_t depth = 0;
  w->stack[depth++] = root;
  while (depth) {
    const uint32_t i = w->stack[depth - 1];
    uint32_t sorted[3];
    const size_t before = depth;
    const int count = w->place[i] == NOT_PLACED ? sorted_operands(w, w->made + i, sorted) : 0;
    for (int k = count; k-- > 0;)
      if (w->place[sorted[k]] == NOT_PLACED) w->stack[depth++] = sorted[k];
    if (depth != before) continue;
    if (w->place[i] == NOT_PLACED) {
      /* A sine brings its cosine with it. */
      const uint32_t partner = w->partner[i];
      if (partner != NOT_PLACED && partner < i) put(w, partner);
      put(w, i);
      if (partner != NOT_PLACED && partner > i) put(w, partner);
    }
    depth--;
  }
}

/* ---------------------------------------------------------------- memory */

/* Values in the order of a depth-first walk that visits the neediest operand first (Sethi and Ullman). */
static bool work_out(Work *w, PfArena *scratch, uint32_t *outputs)
{
  const size_t most = w->tape->constant_count + (size_t)w->tape->input_count + 2*(size_t)w->tape->instruction_count;
  bool *used = pf_arena_array(scratch, bool, most);
  w->made = pf_arena_array(scratch, PfProgramValue, most);
  w->in_slot = pf_arena_array(scratch, uint32_t, w->tape->slot_count);
  w->partner = pf_arena_array(scratch, uint32_t, most);
  w->need = pf_arena_array(scratch, uint32_t, most);
  w->place = pf_arena_array(scratch, uint32_t, most);
  w->stack = pf_arena_array(scratch, uint32_t, 3*most + 1); /* each is opened once and leaves at most three above */
  if (!used || !w->made || !w->in_slot || !w->partner || !w->need || !w->place || !w->stack) return false;
  make_values(w);
  for (uint32_t i = 0; i < w->made_count; i++) {
    uint32_t sorted[3], need = 1;
    const int count = sorted_operands(w, w->made + i, sorted);
    for (int k = 0; k < count; k++) {
      const uint32_t with_those_before = w->need[sorted[k]] ? w->need[sorted[k]] + (uint32_t)k : 0;
      if (with_those_before > need) need = with_those_before;
    }
    w->need[i] = count ? need : 0;
  }
  /* The values that the outputs need: leaves are placed first. */
  for (int i = 0; i < w->tape->output_count; i++) used[w->in_slot[w->tape->outputs[i]]] = true;
  for (uint32_t i = w->made_count; i-- > 0;)
    for (int k = 0; used[i] && k < pf_op_operands(w->made[i].op); k++) used[pf_value_operand(w->made + i, k)] = true;
  for (uint32_t i = 0; i < w->made_count; i++) w->place[i] = NOT_PLACED;
  for (uint32_t i = 0; i < w->made_count && !pf_op_operands(w->made[i].op); i++)
    if (used[i]) put(w, i);
  for (int i = 0; i < w->tape->output_count; i++) {
    const uint32_t value = w->in_slot[w->tape->outputs[i]];
    place_with_operands(w, value);
    outputs[i] = w->place[value];
  }
  return true;
}

/* Cost: some passes over the instructions, with scratch memory for each value. */
PfStatus pf_tape_program(PfContext *ctx, PfArena *arena, const PfTape *tape, PfProgram *program)
{
  const size_t most = tape->constant_count + (size_t)tape->input_count + 2*(size_t)tape->instruction_count;
  Work w = {.tape = tape, .values = pf_arena_array(arena, PfProgramValue, most)};
  uint32_t *outputs = pf_arena_array(arena, uint32_t, tape->output_count);
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const bool done = w.values && outputs && work_out(&w, scratch, outputs);
  pf_arena_release(scratch, mark);
  if (!done) return pf_no_room(ctx, "a program");
  *program = (PfProgram){.count = w.count, .output_count = (uint32_t)tape->output_count,
                         .input_count = (uint32_t)tape->input_count, .values = w.values,
                         .constants = tape->constants, .outputs = outputs};
  return PF_OK;
}

/* ---------------------------------------------------------------- angles first */

static bool is_pair(const PfProgram *p, uint32_t i)
{
  const PfProgramValue *sine = p->values + i;
  return i + 1 < p->count && sine->op == PF_TAPE_SIN && sine[1].op == PF_TAPE_COS && sine[1].a == sine->a;
}

/* Values that no angle needs keep their order. The program shares the constants of the tape. */
PfStatus pf_program_angles_first(PfContext *ctx, PfArena *arena, const PfProgram *program, PfProgram *sorted)
{
  static const uint8_t turns[] = {3, 1, 2, 0};
  bool *plain = pf_arena_array(arena, bool, program->count);
  uint8_t *turn = pf_arena_array(arena, uint8_t, program->count);
  uint32_t *place = pf_arena_array(arena, uint32_t, program->count);
  PfProgramValue *values = pf_arena_array(arena, PfProgramValue, program->count);
  uint32_t *outputs = pf_arena_array(arena, uint32_t, program->output_count), count = 0;
  if (!plain || !turn || !place || !values || !outputs) return pf_no_room(ctx, "a program");
  /* Priority: 1 for the values that an angle needs, 2 for the sines and cosines themselves, 0 for all others; 3 for
   * leaves, which are first already. `plain`: no function is needed for it. */
  for (uint32_t i = 0; i < program->count; i++) {
    const uint32_t op = program->values[i].op;
    plain[i] = op < PF_TAPE_SQRT || op >= PF_TAPE_OP_COUNT; /* arithmetic comes first, leaves last */
    for (int k = 0; k < pf_op_operands(program->values[i].op); k++)
      plain[i] = plain[i] && plain[pf_value_operand(program->values + i, k)];
  }
  for (uint32_t i = program->count; i-- > 0;) {
    const bool pair = is_pair(program, i) && plain[program->values[i].a];
    if (pair) turn[i] = turn[i + 1] = 2, turn[program->values[i].a] = 1;
    for (int k = 0; turn[i] == 1 && k < pf_op_operands(program->values[i].op); k++)
      turn[pf_value_operand(program->values + i, k)] = 1;
  }
  for (uint32_t i = 0; i < program->count && !pf_op_operands(program->values[i].op); i++) turn[i] = 3;
  for (size_t k = 0; k < sizeof turns/sizeof *turns; k++) {
    for (uint32_t i = 0; i < program->count; i++) {
      if (turn[i] != turns[k]) continue;
      values[count] = moved(program->values[i], place);
      place[i] = count++;
    }
  }
  for (uint32_t i = 0; i < program->output_count; i++) outputs[i] = place[program->outputs[i]];
  *sorted = *program;
  sorted->values = values;
  sorted->outputs = outputs;
  return PF_OK;
}

/* ---------------------------------------------------------------- programs in two steps */

typedef struct Split {
  const PfProgram *from;
  bool *known;      /* depends on early inputs and constants alone */
  bool *handed;     /* known, not constant, and needed by values that are not known */
  uint32_t *number; /* of those that are handed on */
} Split;

/* Marks and numbers the values that are handed on; returns how many there are. */
static uint32_t mark_handed(const Split *s, uint32_t first)
{
  const PfProgram *p = s->from;
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    s->known[i] = p->values[i].op != PF_VALUE_INPUT || p->values[i].a < first;
    for (int k = 0; k < pf_op_operands(p->values[i].op); k++)
      s->known[i] = s->known[i] && s->known[pf_value_operand(p->values + i, k)];
    for (int k = 0; !s->known[i] && k < pf_op_operands(p->values[i].op); k++)
      s->handed[pf_value_operand(p->values + i, k)] = true;
  }
  for (uint32_t i = 0; i < p->output_count; i++) s->handed[p->outputs[i]] = true;
  for (uint32_t i = 0; i < p->count; i++) {
    s->handed[i] = s->handed[i] && s->known[i] && p->values[i].op != PF_VALUE_CONSTANT;
    if (s->handed[i]) s->number[i] = count++;
  }
  return count;
}

/* Leaves first: constants, inputs, values handed over; then the rest in its order. */
static uint32_t copy_after(const Split *s, uint32_t *place, PfProgramValue *values)
{
  const PfProgram *p = s->from;
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const bool leaf = p->values[i].op == PF_VALUE_CONSTANT || (p->values[i].op == PF_VALUE_INPUT && !s->known[i]);
    if (!leaf && !s->handed[i]) continue;
    values[count] = leaf ? p->values[i] : (PfProgramValue){PF_VALUE_INPUT, p->input_count + s->number[i], 0, 0};
    place[i] = count++;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    if (s->known[i] || p->values[i].op == PF_VALUE_INPUT) continue;
    values[count] = moved(p->values[i], place);
    place[i] = count++;
  }
  return count;
}

/* `before` hands on the values that later ones need and the outputs among them, in their order; values that are
 * constants stay in both. Inputs below `first` are not read by `after`. */
PfStatus pf_program_split(PfContext *ctx, PfArena *arena, const PfProgram *program, uint32_t first, PfProgram *before,
                          PfProgram *after)
{
  const size_t count = program->count;
  Split s = {program, pf_arena_array(arena, bool, count), pf_arena_array(arena, bool, count),
             pf_arena_array(arena, uint32_t, count)};
  uint32_t *place = pf_arena_array(arena, uint32_t, count), *early = pf_arena_array(arena, uint32_t, count);
  PfProgramValue *values = pf_arena_array(arena, PfProgramValue, count);
  PfProgramValue *known = pf_arena_array(arena, PfProgramValue, count);
  uint32_t *outputs = pf_arena_array(arena, uint32_t, program->output_count);
  uint32_t *given = pf_arena_array(arena, uint32_t, count);
  if (!s.known || !s.handed || !s.number || !place || !early || !values || !known || !outputs || !given)
    return pf_no_room(ctx, "a program");
  *before = *after = *program;
  before->output_count = mark_handed(&s, first);
  after->input_count = program->input_count + before->output_count;
  before->count = 0;
  for (uint32_t i = 0; i < program->count; i++) {
    if (!s.known[i]) continue;
    known[before->count] = moved(program->values[i], early);
    early[i] = before->count++;
  }
  after->count = copy_after(&s, place, values);
  for (uint32_t i = 0; i < program->count; i++)
    if (s.handed[i]) given[s.number[i]] = early[i];
  for (uint32_t i = 0; i < program->output_count; i++) outputs[i] = place[program->outputs[i]];
  before->values = known, before->outputs = given;
  after->values = values, after->outputs = outputs;
  return PF_OK;
}
