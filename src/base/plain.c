/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with a point, whatever locale the host has set: a comma would cut literals off and end up in files. */
#include "base/plain.h"

#include "base/base.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

PfPlain pf_plain_begin(void)
{
  const PfPlain nothing = {(locale_t)0, (locale_t)0};
  if (!strcmp(nl_langinfo(RADIXCHAR), ".")) return nothing;
  locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return own ? (PfPlain){own, uselocale(own)} : nothing;
}

void pf_plain_end(PfPlain plain)
{
  if (!plain.own) return;
  (void)uselocale(plain.before);
  freelocale(plain.own);
}

double pf_read_double(const char *text, char **end)
{
  const PfPlain plain = pf_plain_begin();
  const double value = strtod(text, end);
  pf_plain_end(plain);
  return value;
}
