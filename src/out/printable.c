/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside made fit to be shown: on a terminal, in XML. */
#include "out/label.h"

#include <string.h>

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* One character and the bytes it takes. */
static uint32_t put_character(PfText *text, const char *at, size_t left)
{
  uint32_t size = pf_utf8_size(at, left);
  if (*at == '\n' || *at == '\t' || *at == '\r') pf_text_add(text, " ");
  else if (!size || pf_utf8_is_hidden(at, size)) pf_text_add(text, replacement);
  else pf_text_put(text, at, size);
  return size ? size : 1;
}

void pf_put_printable(PfText *text, const char *bytes)
{
  for (size_t i = 0, count = strlen(bytes); i < count;) i += put_character(text, bytes + i, count - i);
}

void pf_put_xml(PfText *text, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count;) {
    switch (bytes[i]) {
    case '<': pf_text_add(text, "&lt;"), i++; break;
    case '>': pf_text_add(text, "&gt;"), i++; break;
    case '&': pf_text_add(text, "&amp;"), i++; break;
    case '"': pf_text_add(text, "&quot;"), i++; break;
    case '\'': pf_text_add(text, "&#39;"), i++; break;
    default: i += put_character(text, bytes + i, count - i);
    }
  }
}
