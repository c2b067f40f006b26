/* SPDX-License-Identifier: Apache-2.0 */
/* A web page with data in it. */
#include "out/page.h"

#include "out/label.h"

#include <string.h>

typedef struct Span {
  const char *at, *end;
} Span;

/* The one place where the words stand. */
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

static void put_span(PfText *text, const char *from, const char *to)
{
  pf_text_put(text, from, (size_t)(to - from));
}

/* In JSON these stand in strings only, and a string may have any character as its number: no tag and no comment can
 * begin. */
static void put_json(PfText *text, const char *json, size_t count)
{
  for (size_t i = 0; i < count;) {
    size_t plain = 0;
    while (i + plain < count && !strchr("<>&", json[i + plain])) plain++;
    pf_text_put(text, json + i, plain);
    i += plain;
    if (i < count) pf_text_print(text, "\\u%04x", (unsigned)(unsigned char)json[i++]);
  }
}

PfStatus pf_page_fill(PfContext *ctx, const char *name, const char *page, size_t count, const char *title,
                      const PfText *json, PfText *text)
{
  static const char data[] = PF_PAGE_DATA;
  const size_t opening = (size_t)(strchr(data, '{') - data), closing = opening + 2;
  Span whole = {page, page + count}, head, body;
  PF_TRY(find_once(ctx, name, whole, PF_PAGE_DATA, &body));
  PF_TRY(find_once(ctx, name, whole, PF_PAGE_TITLE, &head));
  if (head.at > body.at) return pf_fail(ctx, PF_ERR_FILE, "'%s' is no page of Pfaff: its title comes last", name);
  put_span(text, whole.at, head.at);
  pf_text_add(text, "<title>");
  pf_put_xml(text, title, strlen(title));
  pf_text_add(text, "</title>");
  put_span(text, head.end, body.at + opening);
  put_json(text, pf_text_get(json), json->count);
  put_span(text, body.at + closing, whole.end);
  return text->failed || json->failed ? pf_no_room(ctx, "the page") : PF_OK;
}
