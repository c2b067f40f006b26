/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "lang/units.h"

static const double PI = 3.14159265358979323846;

static PfUnit parse(Fixture *f, const char *text)
{
  PfUnit unit;
  if (pf_unit_parse(f->ctx, (PfPlace){0}, text, &unit) != PF_OK)
    fail_msg("[%s] is refused: %s", text, pf_context_message(f->ctx));
  return unit;
}

static const char *dimension(Fixture *f, const char *text)
{
  char buffer[PF_DIMENSION_TEXT];
  pf_dimension_text(parse(f, text).dimension, buffer, sizeof buffer);
  return pf_arena_text(f->arena, buffer, strlen(buffer));
}

/* SI brochure, 9th edition, table 4: the units with special names in base units. */
static void derived_units_have_their_base_units(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *unit, *base;
  } cases[] = {
    {"kg", "kg"},       {"m", "m"},          {"s", "s"},        {"A", "A"},
    {"K", "K"},         {"mol", "mol"},      {"cd", "cd"},      {"rad", "rad"},
    {"Hz", "1/s"},      {"N", "kg m/s^2"},   {"J", "kg m^2/s^2"}, {"W", "kg m^2/s^3"},
    {"Pa", "kg/(m s^2)"}, {"C", "s A"},      {"V", "kg m^2/(s^3 A)"}, {"Ohm", "kg m^2/(s^3 A^2)"},
    {"T", "kg/(s^2 A)"}, {"H", "kg m^2/(s^2 A^2)"}, {"F", "s^4 A^2/(kg m^2)"}, {"L", "m^3"},
    {"bar", "kg/(m s^2)"}, {"lb", "kg"},     {"lbf", "kg m/s^2"}, {"rpm", "rad/s"},
    {"%", "1"},         {"deg", "rad"},      {"ft", "m"},       {"day", "s"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    assert_string_equal(dimension(f, cases[i].unit), cases[i].base);
}

static void products_quotients_and_powers_are_read(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *unit, *base;
  } cases[] = {
    {"kg m^2", "kg m^2"},     {"kg*m^2", "kg m^2"},  {"kg\u00B7m^2", "kg m^2"}, {"m/s^2", "m/s^2"},
    {"m/s/s", "m/s^2"},       {"m s^-2", "m/s^2"},   {"1/s", "1/s"},            {"1/s^2", "1/s^2"},
    {"kg/(m s^2)", "kg/(m s^2)"}, {"(m/s)^2", "m^2/s^2"}, {"m^(1/2)", "m^(1/2)"}, {"m^(-3/2)", "1/m^(3/2)"},
    {"m^1.5", "m^(3/2)"}, {"m^-0.250", "1/m^(1/4)"},
    {"N m", "kg m^2/s^2"},    {"J/(kg K)", "m^2/(s^2 K)"}, {"-", "1"},          {"1", "1"},
    {" kg  m ", "kg m"},      {"rad/s", "rad/s"},    {"rad/s^2", "rad/s^2"},    {"m/m", "1"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    assert_string_equal(dimension(f, cases[i].unit), cases[i].base);
}

static void factors_to_si_are_exact(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *unit;
    int64_t num, den;
    int pi_power;
  } cases[] = {
    {"kg", 1, 1, 0},
    {"g", 1, 1000, 0},
    {"mg", 1, 1000000, 0},
    {"t", 1000, 1, 0},
    {"mm", 1, 1000, 0},
    {"cm^2", 1, 10000, 0},
    {"dm^3", 1, 1000, 0},
    {"L", 1, 1000, 0},
    {"mL", 1, 1000000, 0},
    {"km/h", 5, 18, 0},
    {"um", 1, 1000000, 0},
    {"\u00B5m", 1, 1000000, 0},
    {"\u03BCm", 1, 1000000, 0},
    {"nm", 1, 1000000000, 0},
    {"ps", 1, 1000000000000, 0},
    {"hPa", 100, 1, 0},
    {"MPa", 1000000, 1, 0},
    {"GPa", 1000000000, 1, 0},
    {"N/mm^2", 1000000, 1, 0},
    {"mbar", 100, 1, 0},
    {"min", 60, 1, 0},
    {"h", 3600, 1, 0},
    {"day", 86400, 1, 0},
    {"ft", 381, 1250, 0},      /* 0.3048 */
      {"in", 127, 5000, 0},      /* 0.0254 */
      {"ft/in", 12, 1, 0},
    {"%", 1, 100, 0},
    {"deg", 1, 180, 1},
    {"\u00B0", 1, 180, 1},
    {"rev", 2, 1, 1},
    {"rpm", 1, 30, 1},
    {"rev/min", 1, 30, 1},
    {"deg/s^2", 1, 180, 1},
    {"N m/deg", 180, 1, -1},
    {"deg^2", 1, 32400, 2},
    {"k\u03A9", 1000, 1, 0},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfUnit unit = parse(f, cases[i].unit);
    if (!unit.exact || unit.scale_num != cases[i].num || unit.scale_den != cases[i].den ||
        unit.pi_power != cases[i].pi_power)
      fail_msg("[%s] has the factor %lld/%lld pi^%d", cases[i].unit, (long long)unit.scale_num,
               (long long)unit.scale_den, unit.pi_power);
    double scale = (double)cases[i].num/(double)cases[i].den*pow(PI, cases[i].pi_power);
    assert_near(unit.scale, scale, 1e-15, 0); /* a few roundings */
  }
  assert_near(parse(f, "lb").scale, 0.45359237, 1e-15, 0);
  assert_near(parse(f, "lbf").scale, 0.45359237*9.80665, 1e-15, 0);
  assert_near(parse(f, "kgf").scale, 9.80665, 1e-15, 0);
}

static void a_factor_beyond_the_integers_is_still_a_number(void **state)
{
  Fixture *f = *state;
  PfUnit unit = parse(f, "km^9");
  assert_false(unit.exact);
  assert_near(unit.scale, 1e27, 1e-14, 0);
  unit = parse(f, "cm^(1/2)");
  assert_false(unit.exact);
  assert_near(unit.scale, 0.1, 1e-15, 0);
  assert_true(parse(f, "m^(1/2)").exact);
  unit = parse(f, "pm pm/(km^9 km^9)"); /* far below, and then some */
  assert_near(unit.scale, 1e-78, 1e-13, 0);
}

static void whole_names_come_before_prefixes(void **state)
{
  Fixture *f = *state;
  assert_string_equal(dimension(f, "min"), "s");  /* not a milli-inch */
  assert_string_equal(dimension(f, "cd"), "cd");  /* not a hundredth of a day */
  assert_string_equal(dimension(f, "ft"), "m");
  assert_string_equal(dimension(f, "mm"), "m");
  assert_string_equal(dimension(f, "mmol"), "mol");
  assert_string_equal(dimension(f, "h"), "s");
}

static void errors_say_what_to_write(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *unit, *message, *hint;
  } cases[] = {
    {"Nm", "unknown unit 'Nm'", "write: [N m]"},
    {"kNm", "unknown unit 'kNm'", "did you mean [kN m]?"},
    {"Kg", "unknown unit 'Kg'", "did you mean [kg]?"},
    {"HZ", "unknown unit 'HZ'", "did you mean [Hz]?"},
    {"sec", "unknown unit 'sec'", "write: [s]"},
    {"Degrees", "unknown unit 'Degrees'", "write: [deg]"},
    {"m2", "unknown unit 'm2'", "did you mean [m^2]?"},
    {"kgm2", "unknown unit 'kgm2'", "did you mean [kg m^2]?"},
    {"m\u00B2", "unknown unit 'm\u00B2'", "powers are written with ^: [m^2]"},
    {"dag", "unknown unit 'dag'", "did you mean [day]?"},
    {"parsec", "unknown unit 'parsec'", NULL},
    {"x", "unknown unit 'x'", NULL},
    {"", "in the unit []: a unit is missing", "for example: [kg m^2], [N m/rad], [1/s]; a plain number is [1]"},
    {"kg/", "in the unit [kg/]: a unit is missing", "for example: [kg m^2], [N m/rad], [1/s]; a plain number is [1]"},
    {"kg+m", "in the unit [kg+m]: a sign that does not belong there", "for example: [kg m^2], [N m/rad], [1/s]"},
    {"m**2", "in the unit [m**2]: a sign that does not belong there", "for example: [kg m^2], [N m/rad], [1/s]"},
    {"2 m", "in the unit [2 m]: a number other than 1",
     "the number comes before the brackets, and a power needs ^: 5 [m^2]"},
    {"m^", "in the unit [m^]: the exponent after '^' is not a small number", "for example: m^2, s^-1, m^1.5, m^(1/2)"},
    {"m^0.", "in the unit [m^0.]: the exponent after '^' is not a small number",
     "for example: m^2, s^-1, m^1.5, m^(1/2)"},
    {"m^(1/0)", "in the unit [m^(1/0)]: the exponent after '^' is not a fraction of small numbers",
     "for example: m^2, s^-1, m^1.5, m^(1/2)"},
    {"m^(1/2", "in the unit [m^(1/2]: the ')' of the exponent is missing", "for example: m^2, s^-1, m^1.5, m^(1/2)"},
    {"m^(1/5)", "in the unit [m^(1/5)]: no such root can be taken of this unit", NULL},
    {"m^99999999999", "in the unit [m^99999999999]: the exponent after '^' is not a small number",
     "for example: m^2, s^-1, m^1.5, m^(1/2)"},
    {"(m", "in the unit [(m]: a ')' is missing", NULL},
    {"m)", "in the unit [m)]: a ')' without a '('", NULL},
    {"((((((((((m))))))))))", "in the unit [((((((((((m))))))))))]: too many brackets", NULL},
    {"J/kg K", "in the unit [J/kg K]: it is not clear what is below the line", "write J/(kg K) or J K/kg"},
    {"- m", "in the unit [- m]: something after '-'", NULL},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfUnit unit;
    PfPlace place = {.file = "test.pf", .line = 3, .column = 7, .length = 2};
    pf_diagnostics_clear(f->ctx);
    assert_int_equal(pf_unit_parse(f->ctx, place, cases[i].unit, &unit), PF_ERR_UNIT);
    const PfDiagnostic *said = pf_diagnostic(f->ctx, 0);
    assert_int_equal(pf_diagnostic_count(f->ctx), 1);
    assert_string_equal(said->message, cases[i].message);
    assert_string_equal(said->hint ? said->hint : "(none)", cases[i].hint ? cases[i].hint : "(none)");
    assert_int_equal(said->place.line, 3);
    assert_int_equal(said->place.column, 7);
    assert_true(pf_dimension_is_none(unit.dimension)); /* a failed unit is still a valid one */
  }
}

static void angles_are_plain_numbers_with_a_label(void **state)
{
  Fixture *f = *state;
  assert_true(pf_dimension_is_none(parse(f, "rad").dimension));
  assert_true(pf_dimension_equal(parse(f, "rad/s").dimension, parse(f, "1/s").dimension));
  assert_true(pf_dimension_equal(parse(f, "N m/rad").dimension, parse(f, "J").dimension));
  assert_false(pf_dimension_equal(parse(f, "rad").dimension, parse(f, "m").dimension));
  assert_string_equal(dimension(f, "N m/rad"), "kg m^2/s^2"); /* the label would only confuse */
  assert_string_equal(dimension(f, "kg m^2 rad^2/s^2"), "kg m^2/s^2");
}

static void dimensions_multiply_divide_and_take_powers(void **state)
{
  Fixture *f = *state;
  PfDimension force = parse(f, "N").dimension, length = parse(f, "m").dimension, result;
  char text[PF_DIMENSION_TEXT];
  assert_true(pf_dimension_equal(pf_dimension_multiply(force, length), parse(f, "J").dimension));
  assert_true(pf_dimension_equal(pf_dimension_divide(force, length), parse(f, "N/m").dimension));
  assert_true(pf_dimension_is_none(pf_dimension_divide(force, force)));

  assert_true(pf_dimension_power(length, 3, 1, &result));
  assert_string_equal(pf_dimension_text(result, text, sizeof text), "m^3");
  assert_true(pf_dimension_power(length, -1, 2, &result));
  assert_string_equal(pf_dimension_text(result, text, sizeof text), "1/m^(1/2)");
  assert_true(pf_dimension_power(result, -2, 1, &result));
  assert_true(pf_dimension_equal(result, length));
  assert_true(pf_dimension_power(length, 0, 1, &result));
  assert_true(pf_dimension_is_none(result));
  assert_true(pf_dimension_power((PfDimension){{0}}, 1, 7, &result)); /* a plain number has all roots */
  assert_true(pf_dimension_power(parse(f, "rad").dimension, 1, 7, &result));
  assert_true(pf_dimension_is_none(result));

  assert_false(pf_dimension_power(length, 1, 7, &result));
  assert_false(pf_dimension_power(length, 1, 0, &result));
  assert_false(pf_dimension_power(length, 1000000, 1, &result));
  assert_false(pf_dimension_power(length, INT64_MAX, 1, &result));
  assert_false(pf_dimension_power(length, INT64_MIN, 1, &result));
}

static void huge_exponents_stay_at_the_edge(void **state)
{
  Fixture *f = *state;
  PfDimension length = parse(f, "m").dimension;
  for (int i = 0; i < 20; i++) length = pf_dimension_multiply(length, length);
  assert_int_equal(length.power[PF_BASE_M], INT16_MAX);
  PfDimension none = pf_dimension_divide((PfDimension){{0}}, length);
  assert_int_equal(none.power[PF_BASE_M], -INT16_MAX);
}

static void the_longest_dimension_fits_its_buffer(void **state)
{
  (void)state;
  PfDimension dimension;
  for (int i = 0; i < PF_BASE_COUNT; i++) dimension.power[i] = (int16_t)((i%2 ? -1 : 1)*(INT16_MAX - 6));
  char text[PF_DIMENSION_TEXT], small[6];
  pf_dimension_text(dimension, text, sizeof text);
  assert_true(strlen(text) < sizeof text - 1);
  assert_int_equal(text[strlen(text) - 1], ')');
  assert_string_equal(pf_dimension_text(dimension, small, sizeof small), "kg^(3");
}

static void random_units_never_crash_the_reader(void **state)
{
  Fixture *f = *state;
  static const char *const pieces[] = {"m",  "kg", "s",  "N",  " ", " ", "/", "*", "^",      "^2", "-",   "(", ")",
                                       "1",  "2",  "/2", "mm", "%", "x", "Q", "7", "\u00B5", "deg", "\u00B7", "\t",
                                       "rpm"};
  uint32_t random = 5;
  for (int round = 0; round < 20000; round++) {
    char text[100] = "";
    for (int i = 0; i < 10; i++) {
      random = random*1664525u + 1013904223u;
      strcat(text, pieces[(random >> 8)%(sizeof pieces/sizeof *pieces)]);
    }
    PfUnit unit;
    pf_diagnostics_clear(f->ctx);
    PfStatus status = pf_unit_parse(f->ctx, (PfPlace){0}, text, &unit);
    assert_int_equal(status == PF_OK, pf_diagnostic_count(f->ctx) == 0);
    assert_true(unit.scale > 0);
    if (unit.exact)
      assert_near(unit.scale, (double)unit.scale_num/(double)unit.scale_den*pow(PI, unit.pi_power), 1e-14, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(derived_units_have_their_base_units),
    with_fixture(products_quotients_and_powers_are_read),
    with_fixture(factors_to_si_are_exact),
    with_fixture(a_factor_beyond_the_integers_is_still_a_number),
    with_fixture(whole_names_come_before_prefixes),
    with_fixture(errors_say_what_to_write),
    with_fixture(angles_are_plain_numbers_with_a_label),
    with_fixture(dimensions_multiply_divide_and_take_powers),
    with_fixture(huge_exponents_stay_at_the_edge),
    cmocka_unit_test(the_longest_dimension_fits_its_buffer),
    with_fixture(random_units_never_crash_the_reader),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
