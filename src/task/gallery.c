/* SPDX-License-Identifier: Apache-2.0 */
/* The examples: found by name, with the descriptions in their texts. */
#include "task/gallery.h"

#include <ctype.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

char pf_example_letter(char letter)
{
  return letter == '-' ? '_' : (char)tolower((unsigned char)letter);
}

static bool is_same(const char *a, const char *b)
{
  for (; *a && pf_example_letter(*a) == pf_example_letter(*b); a++, b++) {}
  return !*a && !*b;
}

/* The part after "family/", when that is the family. */
static const char *without_family(const Example *example, const char *name)
{
  size_t length = strlen(example->family);
  return !strncmp(name, example->family, length) && name[length] == '/' ? name + length + 1 : name;
}

const Example *pf_example_find(const char *name)
{
  for (const Example *e = pf_examples; e->name; e++)
    if (is_same(without_family(e, name), e->name)) return e;
  return NULL;
}

/* Is the one a piece of the other, between '_'? */
static bool shares_word(const char *name, const char *other)
{
  size_t length = strlen(name);
  for (const char *at = other; at; at = strchr(at, '_'), at = at ? at + 1 : NULL) {
    size_t same = 0;
    while (same < length && pf_example_letter(name[same]) == pf_example_letter(at[same])) same++;
    if (length > 2 && same == length) return true;
  }
  return false;
}

PfStatus pf_example_missing(PfContext *ctx, const char *name)
{
  enum { MOST = 6 };
  char list[400] = "";
  /* The name that is nearest to this one. */
  char folded[64];
  int best = 0;
  const char *found = NULL;
  size_t length = 0;
  for (; length < sizeof folded - 1 && name[length]; length++) folded[length] = pf_example_letter(name[length]);
  folded[length] = 0;
  for (const Example *e = pf_examples; e->name; e++)
    if (pf_name_is_nearer(folded, e->name, &best)) found = e->name;
  const char *near = found;
  int count = 0;
  size_t used = 0;
  for (const Example *e = pf_examples; e->name && count < MOST && used < sizeof list; e++)
    if (shares_word(name, e->name))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count++ ? ", " : "", e->name);
  pf_fail(ctx, PF_ERR_ARGUMENT, "there is no example '%s'", name);
  if (count) pf_hint(ctx, "there are: %s", list);
  else if (near) pf_hint(ctx, "did you mean '%s'?", near);
  else pf_hint(ctx, "@task{examples} lists them");
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- texts */

void pf_example_text(const Example *example, PfText *text)
{
  for (const char *const *line = example->lines; *line; line++) pf_text_add(text, *line);
}

void pf_example_title(const Example *example, PfText *text)
{
  const char *const *line = example->lines;
  while (*line && strncmp(*line, "model ", 6)) line++;
  const char *begin = *line ? strchr(*line, '"') : NULL, *end = begin ? strrchr(begin + 1, '"') : NULL;
  if (end) pf_text_put(text, begin + 1, (size_t)(end - begin - 1));
  else pf_text_add(text, example->name);
}

void pf_example_about(const Example *example, PfText *text)
{
  const char *const *line = example->lines;
  while (*line && (!strncmp(*line, "model ", 6) || **line == '\n')) line++;
  for (; *line && **line == '#'; line++)
    pf_text_add(text, *line + 1 + ((*line)[1] == ' '));
}
