/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of CSV (RFC 4180). */
#include "out/record.h"

#include <string.h>

static void put_doubled(PfText *text, const char *word)
{
  for (; *word; word++) {
    if (*word == '"') pf_text_put(text, word, 1);
    pf_text_put(text, word, 1);
  }
}

/* What has a comma, a quote or a line end in it is quoted. */
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
