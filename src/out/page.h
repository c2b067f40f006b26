/* SPDX-License-Identifier: Apache-2.0 */
/* A web page with data in it. */
#ifndef PF_SRC_OUT_PAGE_H
#define PF_SRC_OUT_PAGE_H

#include "out/out.h"

/* An empty page has both of these once: the title comes in the place of the first, JSON between the tags of the
 * second. */
#define PF_PAGE_TITLE "<title>Pfaff</title>"
#define PF_PAGE_DATA "<script type=\"application/json\" id=\"pfaff-data\">{}</script>"

/* Appends the page (`count` bytes) with title and JSON in it to the text. Nothing in them can end the element it stands
 * in. `name` is that of the page, for messages. Fails with PF_ERR_FILE when it is not such a page. */
PfStatus pf_page_fill(PfContext *ctx, const char *name, const char *page, size_t count, const char *title,
                      const PfText *json, PfText *text);

#endif
