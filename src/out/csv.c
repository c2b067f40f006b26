/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV (RFC 4180). */
#include "out/record.h"

#include <string.h>

/* A word with its quotes doubled. */
static void put_doubled(PfText *text, const char *word)
{
  for (; *word; word++) pf_text_put(text, *word == '"' ? "\"\"" : word, *word == '"' ? 2 : 1);
}

/* A field with a comma, a quote or a line end in it is quoted. */
void pf_csv_put(PfText *text, const char *name, const char *unit)
{
  static const char special[] = ",\"\r\n";
  bool quote = strpbrk(name, special) || strpbrk(unit, special);
  if (quote) pf_text_put(text, "\"", 1);
  put_doubled(text, name);
  if (unit[0]) {
    pf_text_add(text, " [");
    put_doubled(text, unit);
    pf_text_add(text, "]");
  }
  if (quote) pf_text_put(text, "\"", 1);
}
