/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/out.h"

#include <math.h>
#include <stdio.h>

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
  assert_contains(svg, ">μ</tspan></text>");
  assert_contains(svg, ">ν</tspan><tspan dy=\"3.8\" font-size=\"10.8\">3</tspan></text>");
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

/* The head of an arrow on a line from left to right: its tip has the largest x and the y of the line. */
static void a_directed_line_has_heads(void **state)
{
  PfText text;
  const double x[] = {0, 1, 2, 3}, y[] = {1, 1, 1, 1};
  PfSeries series = {.count = 4, .x = x, .y = y, .directed = true};
  PfChart chart = {.title = "", .x_label = "", .y_label = "", .count = 1, .series = &series};
  const char *svg = draw(*state, &chart, &text), *head = strstr(svg, "stroke-linejoin");
  double p[6];
  int heads = 0;
  for (; (head = strstr(head, "<path d=\"M")) != NULL; head++) {
    if (sscanf(head, "<path d=\"M%lf %lfL%lf %lfL%lf %lfZ\" fill", p, p + 1, p + 2, p + 3, p + 4, p + 5) != 6) continue;
    heads++;
    assert_near(p[0] - p[2], 10, 1e-3, 0);
    assert_near(p[1], (p[3] + p[5])/2, 0, 0.02);
  }
  assert_true(heads >= 1 && heads <= 4);
  pf_text_free(&text);
}

static void names_cannot_break_the_file(void **state)
{
  PfText text;
  PfChart chart = {.title = "<script>&", .x_label = "a\001b", .y_label = "x'"};
  const char *svg = draw(*state, &chart, &text);
  assert_contains(svg, "&lt;script&gt;&amp;");
  assert_contains(svg, ">a\xEF\xBF\xBD" "b</text>");
  pf_text_free(&text);
}

/* Neither enormous nor tiny numbers, nor a mixture of both, make numbers that a viewer cannot read. */
static void extreme_numbers_are_drawn_or_left_out(void **state)
{
  static const double size[] = {1e308, 1e299, 5e-324, 1e-300, INFINITY, NAN, 0};
  enum { N = sizeof size/sizeof *size };
  for (int a = 0; a < N; a++)
    for (int b = 0; b < N; b++) {
      PfText text;
      const double x[] = {0, size[a], -size[b]}, y[] = {1, -size[b], size[a]};
      const PfSeries series = {.count = 3, .x = x, .y = y};
      PfChart chart = {.count = 1, .series = &series, .equal = a%2, .log_x = b%2, .log_y = a%3 == 0};
      const char *svg = draw(*state, &chart, &text);
      assert_null(strstr(svg, "nan"));
      assert_null(strstr(svg, "inf"));
      assert_true(text.count < 20000);
      assert_true(count_of(svg, "class=\"grid\"") >= 2);
      pf_text_free(&text);
    }
}

/* The frame of a path has the shape of the path: no blank bands beside it. */
static void equal_scales_shape_the_frame(void **state)
{
  PfText text;
  const double x[] = {0, 10, 10, 0}, y[] = {0, 0, 4, 4};
  const PfSeries series = {.count = 4, .x = x, .y = y};
  PfChart chart = {.x_label = "x [m]", .y_label = "y [m]", .count = 1, .series = &series, .equal = true};
  const char *svg = draw(*state, &chart, &text), *frame = strstr(svg, "fill=\"none\" class=\"axis\"");
  double width, height, left, top;
  assert_non_null(frame);
  while (strncmp(frame, "<rect", 5)) frame--;
  assert_int_equal(sscanf(frame, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &left, &top, &width,
                          &height), 4);
  assert_near(height/width, 0.4, 1e-3, 0); /* 4 by 10, with the same share of room around it; two digits are printed */
  assert_true(width > 500);
  pf_text_free(&text);
}

/* A circle of 100,000 points needs only as many as can be told apart, a straight line two. */
static void points_that_show_nothing_are_left_out(void **state)
{
  Fixture *f = *state;
  enum { N = 100000 };
  double *x = pf_arena_array(f->arena, double, N), *y = pf_arena_array(f->arena, double, N);
  for (int i = 0; i < N; i++) x[i] = cos(20.0*i/N), y[i] = sin(20.0*i/N);
  PfSeries series = {.count = N, .x = x, .y = y};
  PfChart chart = {.count = 1, .series = &series, .equal = true};
  PfText text;
  draw(*state, &chart, &text);
  assert_true(text.count < 40000);
  pf_text_free(&text);
  for (int i = 0; i < N; i++) x[i] = i, y[i] = 2.0*i;
  chart.equal = false;
  const char *svg = draw(*state, &chart, &text), *line = strstr(svg, "stroke-linejoin");
  while (strncmp(line, "<path", 5)) line--;
  int points = 0;
  for (; *line != '>'; line++) points += *line == 'M' || *line == 'L';
  assert_int_equal(points, 2);
  pf_text_free(&text);
}

static void bars_have_names_and_numbers_or_reasons(void **state)
{
  PfText text;
  const PfBar bars[] = {{"lagrange", NULL, 100}, {"maggi", NULL, 50}, {"laconic", "does not apply", 0}};
  PfChart chart = {.x_label = "time [ns]", .bar_count = 3, .bars = bars};
  const char *svg = draw(*state, &chart, &text);
  double width[2], x, y, height;
  const char *bar = strstr(svg, "fill=\"#0072B2\"");
  for (int i = 0; i < 2; i++, bar = strstr(bar, "fill=\"#0072B2\"")) {
    const char *begin = bar++;
    while (strncmp(begin, "<rect", 5)) begin--;
    assert_int_equal(sscanf(begin, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &x, &y, width + i,
                            &height), 4);
  }
  assert_null(bar);
  assert_near(width[0]/width[1], 2, 1e-3, 0); /* two digits are printed */
  assert_contains(svg, ">does not apply</text>");
  assert_contains(svg, ">laconic</text>");
  pf_text_free(&text);
}

/* Numbers beside bars are written as those of the axis: without powers of their own. */
static void numbers_of_bars_are_in_the_measure_of_the_axis(void **state)
{
  PfText text;
  const PfBar large[] = {{"a", NULL, 23456}, {"b", NULL, 12.345}}, huge[] = {{"a", NULL, 2.5e6}, {"b", NULL, 4e5}};
  PfChart chart = {.x_label = "time [ns]", .bar_count = 2, .bars = large};
  const char *svg = draw(*state, &chart, &text);
  assert_contains(svg, ">23456</text>");
  assert_contains(svg, ">12.3</text>");
  pf_text_free(&text);
  chart.bars = huge;
  svg = draw(*state, &chart, &text);
  assert_contains(svg, ">2.5</text>"); /* times 10^6, as the axis says */
  assert_contains(svg, ">0.4</text>");
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
    with_fixture(a_directed_line_has_heads),
    with_fixture(names_cannot_break_the_file),
    with_fixture(extreme_numbers_are_drawn_or_left_out),
    with_fixture(equal_scales_shape_the_frame),
    with_fixture(points_that_show_nothing_are_left_out),
    with_fixture(bars_have_names_and_numbers_or_reasons),
    with_fixture(numbers_of_bars_are_in_the_measure_of_the_axis),
    with_fixture(constant_and_absent_data_have_a_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
