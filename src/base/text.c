/* SPDX-License-Identifier: Apache-2.0 */
/* Growable arrays and growable text. A failed allocation is remembered in the text, so that only the end of a chain of
 * calls checks. */
#include "base/base.h"
#include "base/plain.h"

#include <string.h>

bool pf_grow(const PfAllocator *allocator, void **block, size_t *room, size_t need, size_t size)
{
  size_t more = *room < 8 ? 8 : 2*(*room);
  if (more < need) more = need;
  if (more > SIZE_MAX/2/size) return false;
  void *bigger = allocator->resize(allocator->user, *block, more*size);
  if (!bigger) return false;
  *block = bigger;
  *room = more;
  return true;
}

void pf_text_init(PfText *text, const PfAllocator *allocator)
{
  *text = (PfText){.allocator = allocator};
}

void pf_text_free(PfText *text)
{
  pf_array_free(text->allocator, text);
}

void pf_text_put(PfText *text, const char *bytes, size_t count)
{
  if (text->failed || count > SIZE_MAX/4 || !pf_reserve(text->allocator, text, text->count + count + 1)) {
    text->failed = true;
    return;
  }
  if (count) memcpy(text->at + text->count, bytes, count);
  text->count += count;
  text->at[text->count] = 0;
}

void pf_text_add(PfText *text, const char *string)
{
  pf_text_put(text, string, strlen(string));
}

void pf_text_print_list(PfText *text, const char *format, va_list words)
{
  va_list again;
  va_copy(again, words);
  const PfPlain plain = pf_plain_begin();
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (text->failed || length < 0 || !pf_reserve(text->allocator, text, text->count + (size_t)length + 1)) {
    text->failed = true;
  } else {
    vsnprintf(text->at + text->count, (size_t)length + 1, format, words);
    text->count += (size_t)length;
  }
  pf_plain_end(plain);
}

void pf_text_print(PfText *text, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  pf_text_print_list(text, format, words);
  va_end(words);
}

const char *pf_text_get(const PfText *text)
{
  return text->at ? text->at : "";
}
