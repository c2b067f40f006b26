#include "support.h"

#include "out/out.h"

static const char *draw(Fixture *f, const PfChart *chart, PfText *text)
{
  pf_text_init(text, pf_context_allocator(f->ctx));
  pf_svg_chart(text, chart);
  return pf_text_get(text);
}

static int count_of(const char *text, const char *part)
{
  int count = 0;
  for (; (text = strstr(text, part)) != NULL; text++) count++;
  return count;
}

static void a_chart_has_axes_lines_and_a_legend(void **state)
{
  PfText text;
  const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9};
  const PfSeries series[] = {{.count = 4, .x = x, .y = y, .label = "stable"},
                             {.count = 2, .x = x, .y = y, .label = "stable"},
                             {.count = 1, .x = x, .y = y, .label = "fold", .mark = PF_MARK_TRIANGLE}};
  PfChart chart = {.title = "t", .x_label = "mu", .y_label = "nu[3]", .count = 3, .series = series};
  const char *svg = draw(*state, &chart, &text);
  assert_contains(svg, "<svg xmlns");
  assert_contains(svg, ">mu</text>");
  assert_contains(svg, ">nu[3]</text>");
  assert_int_equal(count_of(svg, ">stable</text>"), 1); /* one entry for both */
  assert_int_equal(count_of(svg, "stroke-linejoin"), 2);
  assert_contains(svg, "</svg>");
  pf_text_free(&text);
}

static void a_gap_interrupts_a_line(void **state)
{
  PfText text;
  const double x[] = {0, 1, 2, 3}, y[] = {0, 1, NAN, 2};
  const PfSeries series = {.count = 4, .x = x, .y = y};
  PfChart chart = {.title = "", .x_label = "", .y_label = "", .count = 1, .series = &series};
  const char *svg = draw(*state, &chart, &text), *line = strstr(svg, "stroke-linejoin");
  assert_non_null(line);
  while (strncmp(line, "<path", 5)) line--;
  int moves = 0;
  for (; *line != '>'; line++) moves += *line == 'M';
  assert_int_equal(moves, 2);
  assert_null(strstr(svg, "nan"));
  pf_text_free(&text);
}

static void names_cannot_break_the_file(void **state)
{
  PfText text;
  PfChart chart = {.title = "<script>&", .x_label = "a\001b", .y_label = "x'"};
  const char *svg = draw(*state, &chart, &text);
  assert_contains(svg, "&lt;script&gt;&amp;");
  assert_contains(svg, ">ab</text>");
  pf_text_free(&text);
}

static void constant_and_absent_data_have_a_range(void **state)
{
  const double x[] = {2, 2}, y[] = {5, 5};
  for (int count = 0; count < 3; count++) {
    PfText text;
    const PfSeries series = {.count = count, .x = x, .y = y};
    PfChart chart = {.title = "", .x_label = "", .y_label = "", .count = 1, .series = &series, .equal = true};
    const char *svg = draw(*state, &chart, &text);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_true(count_of(svg, "class=\"grid\"") > 4);
    pf_text_free(&text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_chart_has_axes_lines_and_a_legend),
    with_fixture(a_gap_interrupts_a_line),
    with_fixture(names_cannot_break_the_file),
    with_fixture(constant_and_absent_data_have_a_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
