/* SPDX-License-Identifier: Apache-2.0 */
/* A web page with data in it: the text of the page with placeholders replaced by JSON. */
#include "out/page.h"

#include "out/label.h"

#include <string.h>

typedef struct Span {
  const char *at, *end;
} Span;

/* The one place in the page where the words stand; fails where there is none, or more than one. */
static PfStatus find_once(PfContext *ctx, const char *name, Span page, const char *words, Span *found)
{
  size_t length = strlen(words), times = 0;
  for (const char *at = page.at; page.end - at >= (ptrdiff_t)length; at++) {
    at = memchr(at, words[0], (size_t)(page.end - at) - length + 1);
    if (!at) break;
    if (memcmp(at, words, length) != 0) continue;
    *found = (Span){at, at + length};
    times++;
  }
  if (times == 1) return PF_OK;
  pf_fail(ctx, PF_ERR_FILE, "'%s' is no page of Pfaff: it has %s%s", name, times ? "more than one " : "no ", words);
  pf_hint(ctx, "'make page' makes page/dist/page.html");
  return PF_ERR_FILE;
}

/* In JSON '<', '>' and '&' stand in strings only, and a string may have any character as its number: so no tag and no
 * comment can begin in it. */
PfStatus pf_page_fill(PfContext *ctx, const char *name, const char *page, size_t count, const char *title,
                      const PfText *json, PfText *text)
{
  static const char data[] = PF_PAGE_DATA;
  const size_t opening = (size_t)(strchr(data, '{') - data), closing = opening + 2;
  Span whole = {page, page + count}, head, body;
  PF_TRY(find_once(ctx, name, whole, PF_PAGE_DATA, &body));
  PF_TRY(find_once(ctx, name, whole, PF_PAGE_TITLE, &head));
  if (head.at > body.at) return pf_fail(ctx, PF_ERR_FILE, "'%s' is no page of Pfaff: its title comes last", name);
  pf_text_put(text, whole.at, (size_t)(head.at - whole.at));
  pf_text_add(text, "<title>");
  pf_put_xml(text, title, strlen(title));
  pf_text_add(text, "</title>");
  pf_text_put(text, head.end, (size_t)(body.at + opening - head.end));
  const char *data_end = pf_text_get(json) + json->count;
  for (const char *at = pf_text_get(json); at < data_end;) {
    size_t plain = 0;
    while (at + plain < data_end && !strchr("<>&", at[plain])) plain++;
    pf_text_put(text, at, plain);
    at += plain;
    if (at < data_end) pf_text_print(text, "\\u%04x", (unsigned)(unsigned char)*at++);
  }
  pf_text_put(text, body.at + closing, (size_t)(whole.end - body.at) - closing);
  return text->failed || json->failed ? pf_no_room(ctx, "the page") : PF_OK;
}
