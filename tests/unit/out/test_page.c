/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: what is put in stays in its element. */
#include "support.h"

#include "out/page.h"

#include <string.h>

static const char empty[] = "<html>\n" PF_PAGE_TITLE "\n" PF_PAGE_DATA "\n</html>";

static PfStatus fill(PfContext *ctx, const char *page, const char *title, const char *json, PfText *text)
{
  PfText data;
  pf_text_init(text, pf_context_allocator(ctx));
  pf_text_init(&data, pf_context_allocator(ctx));
  pf_text_add(&data, json);
  PfStatus status = pf_page_fill(ctx, "x.html", page, strlen(page), title, &data, text);
  pf_text_free(&data);
  return status;
}

static void title_and_data_are_escaped(void **state)
{
  Fixture *f = *state;
  PfText text;
  assert_int_equal(fill(f->ctx, empty, "a</title>&", "[\"</script><!--&\"]", &text), PF_OK);
  assert_string_equal(pf_text_get(&text),
                      "<html>\n<title>a&lt;/title&gt;&amp;</title>\n"
                      "<script type=\"application/json\" id=\"pfaff-data\">"
                      "[\"\\u003c/script\\u003e\\u003c!--\\u0026\"]</script>\n</html>");
  pf_text_free(&text);
}

static void other_pages_are_refused(void **state)
{
  Fixture *f = *state;
  static const char *const pages[] = {"", "<", PF_PAGE_TITLE, PF_PAGE_DATA, PF_PAGE_DATA PF_PAGE_TITLE,
                                      PF_PAGE_TITLE PF_PAGE_DATA PF_PAGE_DATA, PF_PAGE_TITLE PF_PAGE_TITLE PF_PAGE_DATA,
                                      PF_PAGE_TITLE "<script type=\"application/json\" id=\"pfaff-data\">{}</script"};
  for (size_t i = 0; i < sizeof pages/sizeof *pages; i++) {
    PfText text;
    assert_int_equal(fill(f->ctx, pages[i], "a", "{}", &text), PF_ERR_FILE);
    pf_text_free(&text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(title_and_data_are_escaped), with_fixture(other_pages_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
