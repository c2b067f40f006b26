/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/chart.h"

static PfStatus make(Fixture *f, PfPictureKind kind, PfText *bytes)
{
  const double x[] = {0, 1}, y[] = {0, 1};
  const PfSeries series = {.count = 2, .x = x, .y = y};
  PfChart chart = {.title = "Ä & \"b\" <c>", .x_label = "t [s]", .y_label = "phi_b' [rad/s]", .count = 1,
                   .series = &series};
  PfText svg;
  pf_text_init(&svg, pf_context_allocator(f->ctx));
  pf_text_init(bytes, pf_context_allocator(f->ctx));
  pf_svg_chart(&svg, &chart);
  PfStatus status = pf_render(f->ctx, kind, &svg, bytes);
  pf_text_free(&svg);
  return status;
}

static void the_end_of_the_name_says_the_kind(void **state)
{
  (void)state;
  assert_int_equal(pf_picture_kind("svg"), PF_PICTURE_SVG);
  assert_int_equal(pf_picture_kind("png"), PF_PICTURE_PNG);
  assert_int_equal(pf_picture_kind("pdf"), PF_PICTURE_PDF);
  assert_int_equal(pf_picture_kind("csv"), PF_PICTURE_NONE);
}

/* The same picture is the same bytes, also as PDF, which usually bears a date. */
static void pictures_have_the_bytes_of_their_kind(void **state)
{
  static const char *const kinds[][2] = {{"png", "\x89PNG\r\n"}, {"pdf", "%PDF-"}};
  Fixture *f = *state;
  if (pf_render_check(f->ctx, PF_RENDER_LIBRARY) != PF_OK) skip();
  for (int i = 0; i < 2; i++) {
    PfText one, two;
    assert_int_equal(make(f, pf_picture_kind(kinds[i][0]), &one), PF_OK);
    assert_int_equal(make(f, pf_picture_kind(kinds[i][0]), &two), PF_OK);
    assert_memory_equal(pf_text_get(&one), kinds[i][1], strlen(kinds[i][1]));
    assert_int_equal(one.count, two.count);
    assert_memory_equal(pf_text_get(&one), pf_text_get(&two), one.count);
    pf_text_free(&one);
    pf_text_free(&two);
  }
}

/* By the name of a library that is nowhere, and of one that is something else. */
static void without_librsvg_it_is_said(void **state)
{
  static const char *const others[] = {"libno-such-thing-2.so.2", "libm.so.6"};
  Fixture *f = *state;
  for (int i = 0; i < 2; i++) {
    pf_diagnostics_clear(f->ctx);
    assert_int_equal(pf_picture_check(f->ctx, "a.svg", PF_PICTURE_SVG, others[i]), PF_OK);
    assert_int_equal(pf_picture_check(f->ctx, "a.png", PF_PICTURE_PNG, others[i]), PF_ERR_MISSING);
    assert_contains(pf_context_message(f->ctx), "librsvg");
    assert_contains(pf_diagnostic(f->ctx, 0)->hint, "write a.svg and convert it");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_end_of_the_name_says_the_kind),
    with_fixture(pictures_have_the_bytes_of_their_kind),
    with_fixture(without_librsvg_it_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
