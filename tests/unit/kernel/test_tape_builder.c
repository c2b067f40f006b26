/* SPDX-License-Identifier: Apache-2.0 */
/* Terms: what is known costs nothing, what is equal is computed once, and a tape of them has the numbers. Programs that
 * are cut in two. */
#include "support.h"

#include "kernel/program.h"
#include "kernel/tape_builder.h"

#include <math.h>
#include <stdlib.h>

typedef struct Built {
  PfTapeBuilder *builder;
  PfExpr input[3];
  PfTerm x, y, z;
} Built;

static void open_built(Fixture *f, Built *w)
{
  static const char *const names[] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) w->input[i] = pf_expr_symbol(f->ctx, names[i]);
  assert_int_equal(pf_builder_new(f->ctx, w->input, 3, w->input, 3, &w->builder), PF_OK);
  w->x = pf_builder_root(w->builder, 0), w->y = pf_builder_root(w->builder, 1), w->z = pf_builder_root(w->builder, 2);
}

static void zeros_ones_and_signs_are_no_operations(void **state)
{
  Built w;
  open_built(*state, &w);
  PfTapeBuilder *v = w.builder;
  const PfTerm zero = pf_builder_number(v, 0), one = pf_builder_number(v, 1), x = w.x, y = w.y;
  const PfTerm product = pf_builder_mul(v, x, y), minus_x = pf_builder_neg(v, x);
  assert_int_equal(pf_builder_add(v, x, zero), x);
  assert_int_equal(pf_builder_sub(v, x, zero), x);
  assert_int_equal(pf_builder_mul(v, one, x), x);
  assert_int_equal(pf_builder_div(v, x, one), x);
  assert_true(pf_builder_is_zero(v, pf_builder_mul(v, x, zero)));
  assert_true(pf_builder_is_zero(v, pf_builder_sub(v, x, x)));
  assert_true(pf_builder_is_zero(v, pf_builder_add(v, x, minus_x)));
  assert_int_equal(pf_builder_neg(v, minus_x), x);
  assert_int_equal(pf_builder_mul(v, minus_x, pf_builder_neg(v, y)), product);
  assert_int_equal(pf_builder_mul(v, y, x), product);
  assert_int_equal(pf_builder_add(v, y, minus_x), pf_builder_sub(v, y, x));
  assert_int_equal(pf_builder_mul(v, x, pf_builder_number(v, -1)), minus_x);
  pf_builder_free(v);
}

/* sin(x) y - 3/z, the least and the largest of x and y */
static void a_tape_of_terms_has_their_numbers(void **state)
{
  Built w;
  PfTape *tape;
  open_built(*state, &w);
  PfTapeBuilder *v = w.builder;
  const PfTerm wave = pf_builder_mul(v, pf_builder_sin(v, w.x), w.y);
  const PfTerm outputs[] = {pf_builder_sub(v, wave, pf_builder_div(v, pf_builder_number(v, 3), w.z)),
                            pf_builder_min(v, w.x, w.y), pf_builder_max(v, w.x, w.y), pf_builder_number(v, -2)};
  assert_int_equal(pf_builder_tape(v, outputs, 4, &tape), PF_OK);
  pf_builder_free(v);
  const double in[] = {0.4, -1.5, 8};
  double out[4], *work = malloc(pf_tape_work_size(tape)*sizeof *work);
  assert_non_null(work);
  pf_tape_run(tape, in, out, work);
  assert_near(out[0], sin(0.4)*-1.5 - 3/8., 1e-15, 0);
  assert_true(out[1] == -1.5 && out[2] == 0.4 && out[3] == -2);
  free(work);
  pf_tape_free(tape);
}

static double value_of(const PfProgram *p, uint32_t i, const double *in)
{
  const PfProgramValue *v = p->values + i;
  switch (v->op) {
  case PF_VALUE_CONSTANT: return p->constants[v->a];
  case PF_VALUE_INPUT: return in[v->a];
  case PF_TAPE_ADD: return value_of(p, v->a, in) + value_of(p, v->b, in);
  case PF_TAPE_MUL: return value_of(p, v->a, in)*value_of(p, v->b, in);
  case PF_TAPE_ADD_MUL: return value_of(p, v->a, in) + value_of(p, v->b, in)*value_of(p, v->c, in);
  case PF_TAPE_ADD_TIMES: return (value_of(p, v->a, in) + value_of(p, v->b, in))*value_of(p, v->c, in);
  case PF_TAPE_SIN: return sin(value_of(p, v->a, in));
  default: fail_msg("operation %u", v->op);
  }
  return 0;
}

/* Of sin(x + 1) z + x y, with x and y known early, two numbers are handed over. */
static void what_is_known_early_is_computed_before(void **state)
{
  Fixture *f = *state;
  Built w;
  PfTape *tape;
  PfProgram whole, before, after;
  open_built(f, &w);
  PfTapeBuilder *v = w.builder;
  const PfTerm wave = pf_builder_sin(v, pf_builder_add(v, w.x, pf_builder_number(v, 1)));
  const PfTerm sum = pf_builder_add(v, pf_builder_mul(v, w.x, w.y), pf_builder_mul(v, wave, w.z));
  assert_int_equal(pf_builder_tape(v, &sum, 1, &tape), PF_OK);
  pf_builder_free(v);
  assert_int_equal(pf_tape_program(f->ctx, f->arena, tape, &whole), PF_OK);
  assert_int_equal(pf_program_split(f->ctx, f->arena, &whole, 2, &before, &after), PF_OK);
  double in[5] = {0.3, 0.7, -2};
  assert_int_equal(before.output_count, 2);
  assert_int_equal(after.input_count, 5);
  for (uint32_t i = 0; i < before.output_count; i++) in[3 + i] = value_of(&before, before.outputs[i], in);
  assert_near(value_of(&after, after.outputs[0], in), sin(1.3)*-2 + 0.3*0.7, 1e-15, 0);
  in[0] = in[1] = NAN; /* the second part does not look at them */
  assert_near(value_of(&after, after.outputs[0], in), sin(1.3)*-2 + 0.3*0.7, 1e-15, 0);
  pf_tape_free(tape);
}

static void a_symbol_that_is_no_input_is_refused(void **state)
{
  Fixture *f = *state;
  PfTapeBuilder *builder;
  const PfExpr x = pf_expr_symbol(f->ctx, "x"), y = pf_expr_symbol(f->ctx, "y");
  assert_int_equal(pf_builder_new(f->ctx, &x, 1, &y, 1, &builder), PF_ERR_NAME);
  assert_null(builder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(zeros_ones_and_signs_are_no_operations),
    with_fixture(a_tape_of_terms_has_their_numbers),
    with_fixture(what_is_known_early_is_computed_before),
    with_fixture(a_symbol_that_is_no_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
