/* Text from outside made fit to be shown: on a terminal, in XML. */
#include "out/label.h"

#include "lang/lex.h"

#include <string.h>

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static uint32_t code_of(const unsigned char *at, uint32_t size)
{
  static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code = at[0] & lead[size];
  for (uint32_t i = 1; i < size; i++) code = code << 6 | (at[i] & 0x3Fu);
  return code;
}

/* Control characters, marks that turn the direction of writing, and what XML excludes. */
static bool is_hidden(uint32_t code)
{
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code >= 0xE0000 ||
         (code & 0xFFFE) == 0xFFFE;
}

/* One character and the bytes it takes. */
static uint32_t put_character(PfText *text, const char *at, size_t left)
{
  uint32_t size = pf_utf8_size(at, left);
  if (*at == '\n' || *at == '\t' || *at == '\r') pf_text_add(text, " ");
  else if (!size || is_hidden(code_of((const unsigned char *)at, size))) pf_text_add(text, replacement);
  else pf_text_put(text, at, size);
  return size ? size : 1;
}

void pf_put_printable(PfText *text, const char *bytes)
{
  for (size_t i = 0, count = strlen(bytes); i < count;) i += put_character(text, bytes + i, count - i);
}

static const char *entity_of(char c)
{
  switch (c) {
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '&': return "&amp;";
  case '"': return "&quot;";
  case '\'': return "&#39;";
  default: return NULL;
  }
}

void pf_put_xml(PfText *text, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count;) {
    const char *entity = entity_of(bytes[i]);
    if (entity) pf_text_add(text, entity), i++;
    else i += put_character(text, bytes + i, count - i);
  }
}
