/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sleigh.h"

static void the_flow_is_what_the_program_computes(void **state)
{
  Fixture *f = *state;
  Model m = {.ctx = f->ctx, .arena = f->arena};
  PfExport x;
  PfReference r;
  assert_int_equal(open_model(&m, sleigh), PF_OK);
  assert_int_equal(collect(&m, NULL, &x), PF_OK);
  assert_string_equal(x.form, "elimination");
  assert_int_equal(x.parameters.count, 3); /* 'let' is written out */
  assert_int_equal(x.inputs.count, 1);
  assert_int_equal(x.outputs.count, 2);
  assert_string_equal(x.outputs.at[1].id, "theta_dot");
  assert_int_equal(pf_export_reference(&x, m.values, &r), PF_OK);
  assert_int_equal(r.count, PF_REFERENCE_STATES);
  const PfExportFunction *flow = pf_export_function(&x, PF_EXPORT_FLOW);
  double out[64];
  for (int k = 0; k < r.count; k++) {
    assert_int_equal(pf_export_evaluate(&x, flow, r.symbols[k], out), PF_OK);
    for (int i = 0; i < 3; i++) assert_near(out[i], r.symbols[k][x.at_a + i], 1e-13, 1e-14);
    assert_near(out[3], r.symbols[k][x.at_lambda], 1e-13, 1e-14);
  }
  pf_export_free(&x);
  close_model(&m);
}

/* Residuals of what the program finds vanish. */
static void inverse_dynamics_of_the_motion_is_nothing(void **state)
{
  Fixture *f = *state;
  Model m = {.ctx = f->ctx, .arena = f->arena};
  PfExport x;
  PfReference r;
  double tau[3];
  assert_int_equal(open_model(&m, sleigh), PF_OK);
  assert_int_equal(collect(&m, "maggi", &x), PF_OK);
  assert_true(x.by_null_space && !pf_export_function(&x, PF_EXPORT_FLOW));
  assert_int_equal(pf_export_reference(&x, m.values, &r), PF_OK);
  for (int k = 0; k < r.count; k++) {
    assert_int_equal(pf_export_evaluate(&x, pf_export_function(&x, PF_EXPORT_RESIDUAL), r.symbols[k], tau), PF_OK);
    for (int i = 0; i < 3; i++) assert_near(tau[i], 0, 0, 1e-13);
  }
  pf_export_free(&x);
  close_model(&m);
}

static void forms_that_are_not_offered_are_named(void **state)
{
  Fixture *f = *state;
  Model m = {.ctx = f->ctx, .arena = f->arena};
  PfExport x;
  assert_int_equal(open_model(&m, sleigh), PF_OK);
  assert_int_equal(collect(&m, "rosenberg", &x), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "not offered for export");
  pf_export_free(&x);
  close_model(&m);
}

/* All writers, on an allocator that fails. */
static PfStatus write_all(PfContext *ctx, PfArena *arena)
{
  Model m = {.ctx = ctx, .arena = arena};
  PfExport x = {0};
  PfReference r;
  PfExportFiles files = {0};
  PfStatus status = open_model(&m, sleigh);
  if (status == PF_OK) status = collect(&m, NULL, &x);
  if (status == PF_OK) status = pf_export_reference(&x, m.values, &r);
  if (status == PF_OK) status = pf_export_c(&x, &r, PF_REAL_DOUBLE, &files);
  pf_export_files_free(&files);
  if (status == PF_OK) status = pf_export_python(&x, &r, &files);
  if (status == PF_OK) status = pf_export_casadi(&x, &r, &files);
  if (status == PF_OK) status = pf_export_matlab(&x, &r, &files);
  pf_export_files_free(&files);
  pf_export_free(&x);
  close_model(&m);
  return status;
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = ctx ? pf_arena_new(&counter->allocator) : NULL;
  PfStatus status = arena ? write_all(ctx, arena) : PF_ERR_MEMORY;
  if (!counter->refused) assert_int_equal(status, PF_OK);
  else assert_true(status == PF_OK || status == PF_ERR_MEMORY);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void every_failing_allocation_gives_an_error_and_no_leak(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

static void everything_is_written(void **state)
{
  Fixture *f = *state;
  assert_int_equal(write_all(f->ctx, f->arena), PF_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_flow_is_what_the_program_computes),
    with_fixture(inverse_dynamics_of_the_motion_is_nothing),
    with_fixture(forms_that_are_not_offered_are_named),
    with_fixture(everything_is_written),
    cmocka_unit_test(every_failing_allocation_gives_an_error_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
