/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of one name in one unit. */
#include "task/table.h"

#include <string.h>

/* Units of files may be anything: what the language does not know is no error. */
double pf_unit_factor(PfContext *ctx, const char *from, const char *to)
{
  char one[128];
  double a, b;
  if (!strcmp(from, to)) return 1;
  if (!from[0] || !to[0] || strpbrk(from, "[]") || strlen(from) + 8 > sizeof one) return 0;
  snprintf(one, sizeof one, "1 [%s]", from);
  int before = pf_diagnostic_count(ctx);
  bool good = pf_constant_read(ctx, one, to, &a) == PF_OK && pf_constant_read(ctx, "1", to, &b) == PF_OK;
  pf_diagnostics_truncate(ctx, before);
  return good ? a/b : 0;
}

static bool has(const Table *t, const char *name, const char *unit)
{
  for (int i = 0; i < t->columns; i++)
    if (!strcmp(t->names[i], name) && !strcmp(t->units[i], unit)) return true;
  return false;
}

/* The unit that the column shall have, or its own. */
static const char *wanted(const Table *to, const Table *table, int column)
{
  const char *name = table->names[column], *own = table->units[column];
  if (column == 0 && !to->curves && !table->curves) return to->units[0];
  if (has(to, name, own)) return own;
  for (int i = 0; i < to->columns; i++)
    if (!strcmp(to->names[i], name) && !has(table, name, to->units[i])) return to->units[i];
  return own;
}

double pf_unit_convert(double x, double factor)
{
  return factor < 1 ? x/(1/factor) : x*factor;
}

void pf_table_convert(PfContext *ctx, const Table *to, Table *table)
{
  for (int i = 0; i < table->columns; i++) {
    const char *unit = wanted(to, table, i);
    double factor = pf_unit_factor(ctx, table->units[i], unit);
    if (factor <= 0 || !strcmp(table->units[i], unit)) continue;
    for (size_t k = (size_t)i; k < table->cells.count; k += (size_t)table->columns)
      table->cells.at[k] = pf_unit_convert(table->cells.at[k], factor);
    table->units[i] = unit;
  }
}
