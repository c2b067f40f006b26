/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

typedef struct Case {
  const char *formula, *text;
} Case;

static void assert_printed(Fixture *f, PfNotation notation, const Case *cases, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const char *text = pf_expr_print(f->ctx, f->arena, formula(f->ctx, cases[i].formula), notation);
    assert_non_null(text);
    assert_string_equal(text, cases[i].text);
  }
}
#define assert_all_printed(f, notation, cases) \
  assert_printed((f), (notation), (cases), sizeof(cases)/sizeof *(cases))

/* The text is what the formula was. */
static void assert_unchanged(Fixture *f, const char *const *texts, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const Case same = {texts[i], texts[i]};
    assert_printed(f, PF_TEXT, &same, 1);
  }
}
#define assert_all_unchanged(f, texts) assert_unchanged((f), (texts), sizeof(texts)/sizeof *(texts))

/* ---------------------------------------------------------------- text */

static void formulas_of_mechanics_print_as_people_write_them(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {
      "m*(x'^2 + y'^2)/2",
      "-L*cos(phi_b)*theta'",
      "(J3 + m*R^2)*chi''",
      "m*g*L*sin(theta)",
      "cos(theta)*y' - sin(theta)*x' - L*cos(phi_b)*theta'",
      "m*x'' + m*L*sin(theta)*theta'' - m*L*cos(theta)*theta'^2",
      "m*x'^2/2 + m*y'^2/2 + J*theta'^2/2",
      "J1 + J2 + m*L^2 + 2*m*L*l*cos(phi)",
  };
  assert_all_unchanged(f, texts);
}

static void numbers_and_fractions_print_as_people_write_them(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"0",       "-7",     "1/2",     "-1/2",      "x/2",       "3*x/2",     "-x",
                         "-3*x/2",  "x - 1/2", "1/x",    "-1/x",      "1/(x + 1)", "x/(2*y)",   "1/(2*x)",
                         "1/x^2",   "x^2",    "x^(2/3)", "1/x^(2/3)", "sqrt(3)/2", "sqrt(x)",   "1/sqrt(x)",
                         "x^(3/2)", "pi",     "pi*x/2",  "x + pi/2",  "2*sqrt(2)*x", "2^(1/3)", "(2/3)^(1/3)",
                         "2^x",     "x^y",    "x^(2*y)", "x^(-y)",    "(x + y)^2", "(x*y)^(1/3)"};
  assert_all_unchanged(f, texts);
}

static void a_sum_starts_with_a_positive_term_if_there_is_one(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"a - b", "1 - x^2", "y - x + 1", "-a - b", "-x - 1", "x^2 + x + 1", "1 - cos(x)"};
  assert_all_unchanged(f, texts);
}

static void functions_and_conditions_print_as_they_are_read(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"if(x < 0, a, b)",
                         "min(x, y - x)",
                         "atan2(y, x)",
                         "sin(x)^2*cos(x + y)",
                         "x < 0 and (y <= x or not x == y)",
                         "x < 0 and y < 0 and z < 0",
                         "x < 0 or y < 0 and z < 0",
                         "not (x < 0 and y < 0)",
                         "x < 0 and (y < 0 and z < 0)",
                         "2*(x < 0)",
                         "(x < 0) < y",
                         "2*if(x < 0, a, b)",
                         "(x + y)/((x - y)^2*sin(x))"};
  assert_all_unchanged(f, texts);
}

static void names_with_primes_dots_and_indices_print_as_they_are(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"w1.psi'", "psi[2]", "psi[2] + psi[10]", "a2*a10", "leg[2].phi_b''"};
  assert_all_unchanged(f, texts);
}

/* m*x'' + c*y'' for m, c, x, y declared in this order. */
static void added_symbols_follow_their_declaration(void **state)
{
  Fixture *f = *state;
  const char *declared[] = {"lambda[1]", "z", "y''", "b", "x''", "a"};
  for (int i = 0; i < 6; i++) pf_expr_symbol(f->ctx, declared[i]);
  const Case cases[] = {{"b + z", "z + b"},
                        {"a*x'' + b*y''", "b*y'' + a*x''"},
                        {"lambda[1] + sin(a) + a + b", "b + a + sin(a) + lambda[1]"},
                        {"cos(z)*lambda[1]*a", "a*cos(z)*lambda[1]"}};
  assert_all_printed(f, PF_TEXT, cases);
}

static void the_order_of_factors_follows_names_and_not_creation(void **state)
{
  Fixture *f = *state;
  pf_expr_symbol(f->ctx, "z");
  pf_expr_symbol(f->ctx, "y''");
  pf_expr_symbol(f->ctx, "b");
  const Case cases[] = {{"z*b", "b*z"},
                        {"b*y''*sin(z)", "b*sin(z)*y''"},
                        {"psi[10]*psi[9]", "psi[9]*psi[10]"},
                        {"sin(z)*b*3", "3*b*sin(z)"},
                        {"z*B*M", "M*B*z"}};
  assert_all_printed(f, PF_TEXT, cases);
}

static void doubles_print_with_the_fewest_digits_that_read_back(void **state)
{
  Fixture *f = *state;
  const char *texts[] = {"0.1", "-2.5", "0.1*x", "x - 0.1", "1e-07", "1e+20", "-1.25e-07*x"};
  assert_all_unchanged(f, texts);
  uint64_t seed = 5;
  for (int i = 0; i < 1000; i++) {
    double value = draw_number(&seed)*pow(10, draw_number(&seed)*300);
    const char *text = text_of(f, pf_expr_double(f->ctx, value));
    assert_true(strtod(text, NULL) == value);
  }
  assert_string_equal(text_of(f, pf_expr_double(f->ctx, 1.0/3)), "0.3333333333333333");
  assert_string_equal(text_of(f, pf_expr_double(f->ctx, 0.1 + 0.2)), "0.30000000000000004");
}

static void the_extreme_integers_print(void **state)
{
  Fixture *f = *state;
  assert_string_equal(text_of(f, pf_expr_int(f->ctx, INT64_MAX)), "9223372036854775807");
  assert_string_equal(text_of(f, pf_expr_int(f->ctx, -INT64_MAX)), "-9223372036854775807");
  assert_string_equal(text_of(f, pf_expr_rational(f->ctx, -1, INT64_MAX)), "-1/9223372036854775807");
}

/* What is printed builds the same expression again: of 1000 random formulas of all operations. */
static void what_is_printed_reads_back_as_the_same_expression(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 4711;
  for (int i = 0; i < 1000; i++) {
    PfExpr e = random_formula(f->ctx, &seed, 1 + i%12);
    const char *text = text_of(f, e);
    if (formula(f->ctx, text) != e) fail_msg("%s reads back as another expression", text);
    assert_null(strstr(text, "+ -"));
    assert_null(strstr(text, "- -"));
    assert_null(strstr(text, "-1*"));
  }
}

/* ---------------------------------------------------------------- length */

static void the_length_is_that_of_the_text(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 31;
  for (int i = 0; i < 300; i++) {
    PfExpr e = random_formula(f->ctx, &seed, 1 + i%15);
    assert_int_equal(pf_expr_length(f->ctx, e), strlen(text_of(f, e)));
  }
  assert_int_equal(pf_expr_length(f->ctx, formula(f->ctx, "x' + 1")), 6);
  assert_int_equal(pf_expr_length(f->ctx, PF_EXPR_NONE), 0);
}

/* e <- sin(e) + cos(e) doubles the text each time. */
static PfExpr doubled(PfContext *ctx, int levels)
{
  PfExpr e = pf_expr_symbol(ctx, "x");
  for (int i = 0; i < levels; i++)
    e = pf_expr_add(ctx, pf_expr_call1(ctx, PF_OP_SIN, e), pf_expr_call1(ctx, PF_OP_COS, e));
  return e;
}

static void a_formula_longer_than_16_MB_is_refused_at_once(void **state)
{
  Fixture *f = *state;
  /* length = 2*length + 13, from 1: 14*2^levels - 13 */
  for (int levels = 1; levels < 60; levels++)
    assert_int_equal(pf_expr_length(f->ctx, doubled(f->ctx, levels)), ((size_t)14 << levels) - 13);
  for (int notation = PF_TEXT; notation <= PF_C; notation++) {
    assert_null(pf_expr_print(f->ctx, f->arena, doubled(f->ctx, 25), (PfNotation)notation));
    assert_contains(pf_context_message(f->ctx), "16 MB");
  }
  assert_non_null(pf_expr_print(f->ctx, f->arena, doubled(f->ctx, 16), PF_TEXT));
}

static void the_length_saturates(void **state)
{
  Fixture *f = *state;
  assert_true(pf_expr_length(f->ctx, doubled(f->ctx, 500)) == SIZE_MAX);
}

static void nothing_cannot_be_printed(void **state)
{
  Fixture *f = *state;
  assert_null(pf_expr_print(f->ctx, f->arena, PF_EXPR_NONE, PF_TEXT));
  assert_int_equal(pf_error_count(f->ctx), 1);
}

static void a_sum_of_a_hundred_thousand_terms_is_printed(void **state)
{
  Fixture *f = *state;
  enum { COUNT = 100000 };
  char name[16];
  PfExpr *terms = pf_arena_array(f->arena, PfExpr, COUNT);
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "a%d", i + 1);
    terms[COUNT - 1 - i] = pf_expr_symbol(f->ctx, name);
  }
  const char *text = text_of(f, pf_expr_sum(f->ctx, terms, COUNT));
  assert_int_equal(strncmp(text, "a1 + a2 + a3 + ", 15), 0);
  assert_string_equal(text + strlen(text) - 17, " a99999 + a100000");
}

/* The scratch arena is the printer's own workplace, too. */
static void the_text_may_be_put_on_the_scratch_arena(void **state)
{
  Fixture *f = *state;
  PfExpr e = formula(f->ctx, "m*(x'^2 + y'^2)/2");
  const char *text = pf_expr_print(f->ctx, pf_context_scratch(f->ctx), e, PF_TEXT);
  pf_expr_length(f->ctx, doubled(f->ctx, 30));
  assert_string_equal(text, "m*(x'^2 + y'^2)/2");
}

/* ---------------------------------------------------------------- LaTeX */

static void latex_has_greek_letters_dots_and_indices(void **state)
{
  Fixture *f = *state;
  const Case cases[] = {{"theta", "\\theta"},
                        {"theta'", "\\dot{\\theta}"},
                        {"theta''", "\\ddot{\\theta}"},
                        {"x'''", "\\dddot{x}"},
                        {"phi_b", "\\phi_{b}"},
                        {"phi_b'", "\\dot{\\phi}_{b}"},
                        {"psi[2]", "\\psi_{2}"},
                        {"psi[2]'", "\\dot{\\psi}_{2}"},
                        {"x1", "x_{1}"},
                        {"a_1_2", "a_{1,2}"},
                        {"Jw", "\\mathrm{Jw}"},
                        {"m_total", "m_{\\mathrm{total}}"},
                        {"x_theta", "x_{\\theta}"},
                        {"w1.psi'", "\\dot{\\psi}_{\\mathrm{w1}}"},
                        {"Omega", "\\Omega"},
                        {"pi", "\\pi"}};
  assert_all_printed(f, PF_LATEX, cases);
}

static void latex_has_fractions_roots_and_powers(void **state)
{
  Fixture *f = *state;
  const Case cases[] = {
      {"1/2", "\\frac{1}{2}"},
      {"-x/2", "-\\frac{x}{2}"},
      {"m*(x'^2 + y'^2)/2", "\\frac{m \\left(\\dot{x}^{2} + \\dot{y}^{2}\\right)}{2}"},
      {"1/(x + 1)", "\\frac{1}{x + 1}"},
      {"x/(2*y)", "\\frac{x}{2 y}"},
      {"sqrt(3)/2", "\\frac{\\sqrt{3}}{2}"},
      {"x^(2/3)", "x^{2/3}"},
      {"(x + y)^2", "\\left(x + y\\right)^{2}"},
      {"2*2^(1/3)", "2 \\cdot 2^{1/3}"},
      {"1.5e-7*x", "1.5 \\cdot 10^{-7} x"},
      {"x^(y + 1)", "x^{y + 1}"},
      {"dL*wL^2", "\\mathrm{dL} \\, \\mathrm{wL}^{2}"},
      {"m*dL*phi", "m \\mathrm{dL} \\phi"},
      {"phi_dot", "\\dot{\\phi}"},
      {"chi_dot[2]'", "\\ddot{\\chi}_{2}"},
      {"x_b_ddot", "\\ddot{x}_{b}"},
      {"dotty_dot2", "\\mathrm{dotty}_{\\mathrm{dot2}}"},
  };
  assert_all_printed(f, PF_LATEX, cases);
}

static void latex_has_functions_with_few_brackets(void **state)
{
  Fixture *f = *state;
  const Case cases[] = {
      {"sin(theta)", "\\sin \\theta"},
      {"sin(x + y)", "\\sin\\left(x + y\\right)"},
      {"sin(theta)^2", "\\sin^{2} \\theta"},
      {"-L*cos(phi_b)*theta'", "-L \\cos \\phi_{b} \\, \\dot{\\theta}"},
      {"asin(x)^2", "\\left(\\arcsin x\\right)^{2}"},
      {"exp(-x)", "e^{-x}"},
      {"abs(x - y)", "\\left|x - y\\right|"},
      {"atan2(y, x)", "\\operatorname{atan2}\\left(y, x\\right)"},
      {"log(x)", "\\ln x"},
      {"if(x < 0, a, b)", "\\begin{cases} a & \\text{if } x < 0 \\\\ b & \\text{otherwise} \\end{cases}"},
      {"x <= y", "x \\le y"},
  };
  assert_all_printed(f, PF_LATEX, cases);
}

/* Braces and \left, \right are balanced in 300 random formulas. */
static void latex_is_balanced(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 8;
  for (int i = 0; i < 300; i++) {
    PfExpr e = random_formula(f->ctx, &seed, 1 + i%12);
    const char *text = pf_expr_print(f->ctx, f->arena, e, PF_LATEX);
    int depth = 0, left = 0;
    for (const char *c = text; *c; c++) {
      depth += (*c == '{') - (*c == '}');
      left += !strncmp(c, "\\left", 5);
      left -= !strncmp(c, "\\right", 6);
      assert_true(depth >= 0 && left >= 0);
    }
    assert_true(depth == 0 && left == 0);
  }
}

/* ---------------------------------------------------------------- C */

static void c_has_doubles_products_and_identifiers(void **state)
{
  Fixture *f = *state;
  const Case cases[] = {{"x^2", "x*x"},
                        {"1/x^2", "1.0/(x*x)"},
                        {"sin(x)^2", "pow(sin(x), 2)"},
                        {"x^(2/3)", "pow(x, 2.0/3)"},
                        {"sqrt(x)", "sqrt(x)"},
                        {"1/3", "(1.0/3.0)"},
                        {"x/3", "(1.0/3.0)*x"},
                        {"2*x + 1", "2.0*x + 1.0"},
                        {"0.1", "0.10000000000000001"},
                        {"1e+20", "1e+20"},
                        {"pi", "3.1415926535897931"},
                        {"x'*y''", "x_d*y_dd"},
                        {"psi[2]'", "psi_2_d"},
                        {"w1.psi", "w1_psi"},
                        {"double", "double_"},
                        {"abs(x)", "fabs(x)"},
                        {"min(x, y)", "fmin(x, y)"},
                        {"if(x < 0, a, b)", "((x < 0.0) ? a : b)"},
                        {"not (x < 0 and y < 0)", "(!((x < 0.0) && (y < 0.0)))"},
                        {"sign(x)", "(double)((x > 0) - (x < 0))"}};
  assert_all_printed(f, PF_C, cases);
}

/* In C (x < 0)/(y < 0) is a division of integers, which may stop the program. */
static void conditions_are_no_integers_in_c(void **state)
{
  Fixture *f = *state;
  const Case cases[] = {{"(x < 0)/(y < 0)", "(double)(x < 0.0)/(double)(y < 0.0)"},
                        {"abs(x < 0)", "fabs((double)(x < 0.0))"},
                        {"if(x, x < 0, y)", "(x ? (double)(x < 0.0) : y)"}};
  assert_all_printed(f, PF_C, cases);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(formulas_of_mechanics_print_as_people_write_them),
      with_fixture(numbers_and_fractions_print_as_people_write_them),
      with_fixture(a_sum_starts_with_a_positive_term_if_there_is_one),
      with_fixture(functions_and_conditions_print_as_they_are_read),
      with_fixture(names_with_primes_dots_and_indices_print_as_they_are),
      with_fixture(added_symbols_follow_their_declaration),
      with_fixture(the_order_of_factors_follows_names_and_not_creation),
      with_fixture(doubles_print_with_the_fewest_digits_that_read_back),
      with_fixture(the_extreme_integers_print),
      with_fixture(what_is_printed_reads_back_as_the_same_expression),
      with_fixture(the_length_is_that_of_the_text),
      with_fixture(a_formula_longer_than_16_MB_is_refused_at_once),
      with_fixture(the_length_saturates),
      with_fixture(nothing_cannot_be_printed),
      with_fixture(a_sum_of_a_hundred_thousand_terms_is_printed),
      with_fixture(the_text_may_be_put_on_the_scratch_arena),
      with_fixture(latex_has_greek_letters_dots_and_indices),
      with_fixture(latex_has_fractions_roots_and_powers),
      with_fixture(latex_has_functions_with_few_brackets),
      with_fixture(latex_is_balanced),
      with_fixture(c_has_doubles_products_and_identifiers),
      with_fixture(conditions_are_no_integers_in_c),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
