/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "lang/parts.h"

static const char lists[] = "coord q[2] [deg]\nbody hub in ground free { mass 1, inertia diag(1, 1, 1) }\n"
                            "kinetic 1 [kg m^2]*(q[1]'^2 + q[2]'^2)\n";

static PfModel *model_of(Fixture *f)
{
  PfModel *model;
  if (pf_model_read(f->ctx, "model", lists, sizeof lists - 1, &model) != PF_OK)
    fail_msg("%s", pf_context_message(f->ctx));
  return model;
}

static void lists_are_read_in_the_unit_of_their_elements(void **state)
{
  Fixture *f = *state;
  PfModel *model = model_of(f);
  PfPart parts[PF_MOST_PARTS];
  int count;
  assert_int_equal(pf_parts_count(model, "q"), 2);
  assert_int_equal(pf_parts_count(model, "q'"), 2);
  assert_int_equal(pf_parts_count(model, "q[1]"), 0);
  assert_int_equal(pf_parts_read(f->ctx, f->arena, model, "q=", "q", "(90, 0.5 [rad])", parts, &count), PF_OK);
  assert_int_equal(count, 2);
  assert_string_equal(parts[1].name, "q[2]");
  assert_near(parts[0].value, 1.5707963267948966, 1e-15, 0);
  assert_near(parts[1].value, 0.5, 1e-15, 0);
  assert_int_equal(pf_parts_read(f->ctx, f->arena, model, "q'=", "q'", "(1, 2)", parts, &count), PF_OK);
  assert_string_equal(parts[0].name, "q[1]'");
  pf_model_free(model);
}

/* A quarter turn about z is (cos 45 deg, 0, 0, sin 45 deg). */
static void a_turn_is_a_quaternion(void **state)
{
  Fixture *f = *state;
  PfModel *model = model_of(f);
  PfPart parts[PF_MOST_PARTS];
  int count;
  assert_int_equal(pf_parts_read(f->ctx, f->arena, model, "", "hub.turn", "(0, 0, 90 [deg])", parts, &count), PF_OK);
  assert_int_equal(count, 4);
  assert_string_equal(parts[3].name, "hub.qz");
  assert_near(parts[0].value, 0.70710678118654752, 1e-15, 0);
  assert_near(parts[3].value, 0.70710678118654752, 1e-15, 0);
  assert_int_equal(pf_parts_read(f->ctx, f->arena, model, "", "hub.q", "(2, 0, 0, 0)", parts, &count), PF_OK);
  assert_near(parts[0].value, 1, 0, 0);
  pf_model_free(model);
}

static void what_does_not_fit_is_told(void **state)
{
  static const struct {
    const char *name, *value, *said;
  } cases[] = {{"q", "1", "2 numbers in brackets"}, {"q", "(1)", "2 numbers"}, {"q", "(1, 2, 3)", "2 numbers"},
               {"q", "(1, 2) 3", "2 numbers"}, {"q", "(1, 2 [m])", "must be in"}, {"hub.q", "(0, 0, 0, 0)", "zeros"}};
  Fixture *f = *state;
  PfModel *model = model_of(f);
  PfPart parts[PF_MOST_PARTS];
  int count;
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    assert_int_equal(pf_parts_read(f->ctx, f->arena, model, "it", cases[i].name, cases[i].value, parts, &count),
                     PF_ERR_ARGUMENT);
    assert_contains(pf_context_message(f->ctx), cases[i].said);
    pf_diagnostics_clear(f->ctx);
  }
  pf_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(lists_are_read_in_the_unit_of_their_elements),
                                     with_fixture(a_turn_is_a_quaternion), with_fixture(what_does_not_fit_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
