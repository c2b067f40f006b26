/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "pfaff/lang.h"

static const double PI = 3.14159265358979323846;

static void constants_are_read_in_the_unit_or_converted(void **state)
{
  Fixture *f = *state;
  const struct {
    const char *text, *unit;
    double value;
  } cases[] = {
    {"5", "", 5},           {"5", "g", 0.005},         {"5 [g]", "g", 0.005},    {"5 [kg]", "g", 5},
    {"2/3", "", 2.0/3},
    {"2*pi/3", "rad", 2*PI/3}, {"90", "deg", PI/2},    {"-1e-3", "m", -1e-3},    {" +7", "mm", 0.007},
    {"(1/4) [m]", "mm", 0.25},
    {"sqrt(2) [m]", "cm", 1.4142135623730951}, {"3 [mm] + 2 [cm]", "m", 0.023}, {"60 [rpm]", "deg/s", 2*PI},
    {"5 [%]", "1", 0.05},
    {"0", "kg", 0},         {"300", "mm/s^2", 0.3},    {"5 [g]", "", 0.005},     {"2 [kg] * 3 [m] / 2 [s]^2", "N", 1.5},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    double value = NAN;
    if (pf_constant_read(f->ctx, cases[i].text, cases[i].unit, &value) != PF_OK)
      fail_msg("%s is refused: %s", cases[i].text, pf_context_message(f->ctx));
    assert_near(value, cases[i].value, 1e-15, 0);
  }
}

static void what_is_wrong_is_said_without_a_place(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *text, *unit, *message;
  } cases[] = {
    {"", "kg", "a value is missing"},
    {"5 [s]", "g", "the value must be in kg, but this is in s"},
    {"5 [furlong]", "m", "unknown unit 'furlong'"},
    {"x", "m", "'x' is not defined"},
    {"2*t", "m", "a constant is needed here"},
    {"1/0", "", "division by zero"},
    {"1e999", "", "the number 1e999 is too large"},
    {"exp(1000)", "", "this is not a finite number"},
    {"1 2", "", "expected the end of the value, found the number 2"},
    {"pi/2 [deg]", "deg", "this divides by an angle"},
    {"(1, 2, 3)", "", "a value must be a number, this is a vector"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    double value;
    pf_diagnostics_clear(f->ctx);
    assert_int_equal(pf_constant_read(f->ctx, cases[i].text, cases[i].unit, &value), PF_ERR_ARGUMENT);
    assert_int_equal(pf_diagnostic_count(f->ctx), 1);
    assert_string_equal(pf_diagnostic(f->ctx, 0)->message, cases[i].message);
    assert_int_equal(pf_diagnostic(f->ctx, 0)->place.line, 0);
  }
}

static void read_with(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  double value;
  PfStatus status = ctx ? pf_constant_read(ctx, "2*sqrt(3) [mm]", "m", &value) : PF_ERR_MEMORY;
  if (status != PF_OK) assert_true(counter->refused > 0);
  pf_context_free(ctx);
}

static void every_refused_request_for_memory_is_survived(void **state)
{
  (void)state;
  fail_every_allocation(read_with, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(constants_are_read_in_the_unit_or_converted),
    with_fixture(what_is_wrong_is_said_without_a_place),
    cmocka_unit_test(every_refused_request_for_memory_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
