/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8, and text from outside made fit for a terminal. */
#include "base/base.h"

#include <string.h>

/* RFC 3629, table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF. */
uint32_t pf_utf8_size(const char *bytes, size_t count)
{
  const unsigned char *at = (const unsigned char *)bytes;
  if (!count) return 0;
  unsigned char lead = at[0], low = 0x80, high = 0xBF;
  if (lead < 0x80) return 1;
  uint32_t size = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3
                : lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
  if (!size || size > count) return 0;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (at[1] < low || at[1] > high) return 0;
  for (uint32_t i = 2; i < size; i++)
    if (at[i] < 0x80 || at[i] > 0xBF) return 0;
  return size;
}

uint32_t pf_utf8_code(const char *bytes, uint32_t size)
{
  const unsigned char *at = (const unsigned char *)bytes;
  static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = at[0] & lead[size];
  for (uint32_t i = 1; i < size; i++) code = code << 6 | (at[i] & 0x3Fu);
  return code;
}

bool pf_utf8_is_hidden(const char *bytes, uint32_t size)
{
  uint32_t code = pf_utf8_code(bytes, size);
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
         code >= 0xE0000 || (code & 0xFFFE) == 0xFFFE;
}

size_t pf_text_add_escaped_character(PfText *text, const char *bytes, size_t count, const char *kept)
{
  uint32_t size = pf_utf8_size(bytes, count);
  if (*bytes && strchr(kept, *bytes)) pf_text_put(text, bytes, 1);
  else if (size && !pf_utf8_is_hidden(bytes, size)) pf_text_put(text, bytes, size);
  else
    for (uint32_t i = 0; i < (size ? size : 1); i++) pf_text_print(text, "\\x%02x", (unsigned char)bytes[i]);
  return size ? size : 1;
}

void pf_text_add_escaped(PfText *text, const char *bytes, size_t count, const char *kept)
{
  for (size_t at = 0; at < count;) at += pf_text_add_escaped_character(text, bytes + at, count - at, kept);
}
