/* SPDX-License-Identifier: Apache-2.0 */
#include "export/c_impl.h"
#include "export/sleigh.h"

/* The text that a number becomes. */
static void assert_written(const Fixture *f, PfReal real, double value, const char *wanted)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_c_put_number(&(PfCText){.real = real, .text = &text}, value);
  assert_string_equal(pf_text_get(&text), wanted);
  pf_text_free(&text);
}

static void numbers_keep_their_type(void **state)
{
  Fixture *f = *state;
  assert_written(f, PF_REAL_DOUBLE, 2, "2.0");
  assert_written(f, PF_REAL_DOUBLE, 0.1, "0.1");
  assert_written(f, PF_REAL_DOUBLE, 1e-300, "1e-300");
  assert_written(f, PF_REAL_FLOAT, 2, "2.0f");
  assert_written(f, PF_REAL_FLOAT, -0.25, "-0.25f");
}

/* A constant beyond the range of float is not one that compilers accept: FLT_MAX is 2^128 - 2^104. */
static void numbers_out_of_the_range_of_float_stay_in_it(void **state)
{
  Fixture *f = *state;
  assert_written(f, PF_REAL_FLOAT, 1e300, "3.4028234663852886e+38f");
  assert_written(f, PF_REAL_FLOAT, -1e300, "-3.4028234663852886e+38f");
  assert_written(f, PF_REAL_FLOAT, 1e-300, "0.0f");
}

static void parameters_and_symbols_have_their_names_in_c(void **state)
{
  Fixture *f = *state;
  Model m = {.ctx = f->ctx, .arena = f->arena};
  PfExport x;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  assert_int_equal(open_model(&m, sleigh), PF_OK);
  assert_int_equal(collect(&m, NULL, &x), PF_OK);
  const PfCText c = {.x = &x, .text = &text};
  pf_c_put_arguments(&c, pf_export_function(&x, PF_EXPORT_OUTPUTS), PF_C_DECLARED);
  assert_string_equal(pf_text_get(&text), "const sleigh_params *p, const sleigh_state *x, const sleigh_input *u, "
                                          "const sleigh_real *a, const sleigh_real *lambda, sleigh_output *y");
  text.count = 0;
  pf_c_put_arguments(&c, pf_export_function(&x, PF_EXPORT_OUTPUTS), PF_C_NAMED);
  assert_string_equal(pf_text_get(&text), "p, x, u, a, lambda, y");
  const struct {
    int symbol;
    const char *name;
  } symbols[] = {{0, "p->m"}, {x.at_time, "x->time"}, {x.at_inputs, "u->push"}, {x.at_q + 2, "x->q[2]"},
                 {x.at_v, "x->v[0]"}, {x.at_a + 1, "a[1]"}, {x.at_lambda, "lambda[0]"}};
  for (size_t i = 0; i < sizeof symbols/sizeof *symbols; i++) {
    text.count = 0;
    pf_c_put_symbol(&text, &x, symbols[i].symbol);
    assert_string_equal(pf_text_get(&text), symbols[i].name);
  }
  assert_string_equal(pf_c_marked(&c, "@_state x; $_N"), "sleigh_state x; SLEIGH_N");
  pf_text_free(&text);
  pf_export_free(&x);
  close_model(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(numbers_keep_their_type),
    with_fixture(numbers_out_of_the_range_of_float_stay_in_it),
    with_fixture(parameters_and_symbols_have_their_names_in_c),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
