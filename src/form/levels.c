/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of a cascade: one used part, one contact or one list each. */
#include "form/form_impl.h"

#include <string.h>

/* Of "wheel[2].roll" it is "wheel"; a name without dot or bracket is a group of its own. */
static size_t group_length(const char *name)
{
  size_t length = strcspn(name, ".[");
  return name[length] ? length : 0;
}

static bool same_group(const char *a, const char *b)
{
  size_t length = group_length(a);
  return length > 0 && length == group_length(b) && !strncmp(a, b, length);
}

/* Cost: m^2 comparisons of names, once for a solver. */
int pf_cascade_levels(const PfModel *model, int *rows, int *first)
{
  const PfConstraint *c = model->constraints;
  int m = model->constraint_count, levels = 0, position = 0;
  for (int i = 0; i < m; i++) {
    bool begins = true;
    for (int k = 0; k < i; k++) begins = begins && !same_group(c[k].name, c[i].name);
    if (!begins) continue;
    first[levels++] = position;
    for (int k = i; k < m; k++)
      if (k == i || same_group(c[i].name, c[k].name)) rows[position++] = k;
  }
  first[levels] = position;
  return levels;
}
