/* SPDX-License-Identifier: Apache-2.0 */
/* Values on the command line: constants with units, as the language reads them. */
#include "task/task.h"

#include <string.h>

bool pf_task_split(const char *text, char name[PF_LONGEST_NAME], const char **value)
{
  const char *equals = strchr(text, '=');
  text += strspn(text, " ");
  if (!equals || equals <= text || equals - text >= PF_LONGEST_NAME) return false;
  size_t length = (size_t)(equals - text);
  while (text[length - 1] == ' ') length--;
  memcpy(name, text, length);
  name[length] = 0;
  *value = equals + 1;
  return true;
}

const char *pf_task_nearest_method(const char *name)
{
  const char *nearest = NULL;
  int best = 0;
  for (int i = 0; pf_method(i); i++)
    if (pf_name_is_nearer(name, pf_method_name(pf_method(i)), &best)) nearest = pf_method_name(pf_method(i));
  return nearest;
}

PfStatus pf_task_methods(PfContext *ctx, const char *list, const PfMethod *methods[PF_MOST_METHODS], int *count)
{
  *count = 0;
  for (const char *at = list, *end;; at = end + 1) {
    char name[PF_LONGEST_NAME];
    end = at + strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
    if (end == at) return pf_fail(ctx, PF_ERR_ARGUMENT, "@by: a method is missing in '%s'", list);
    if (*count == PF_MOST_METHODS) return pf_fail(ctx, PF_ERR_ARGUMENT, "@by: more than %d methods", PF_MOST_METHODS);
    const PfMethod *method = pf_method_find(name);
    if (!method) {
      const char *nearest = pf_task_nearest_method(name);
      pf_fail(ctx, PF_ERR_ARGUMENT, "@by: there is no method '%s'", name);
      if (nearest) pf_hint(ctx, "did you mean '%s'?", nearest);
      return PF_ERR_ARGUMENT;
    }
    methods[(*count)++] = method;
    if (!*end) return PF_OK;
  }
}

bool pf_task_is_input(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->input_count; i++)
    if (!strcmp(model->inputs[i].name, name)) return true;
  return false;
}

bool pf_task_is_start(const PfModel *model, const char *name)
{
  char own[PF_LONGEST_NAME];
  const size_t length = strlen(name), bare = length && name[length - 1] == '\'' ? length - 1 : length;
  snprintf(own, sizeof own, "%.*s", (int)bare, name);
  if (pf_model_find_coordinate(model, own) >= 0) return true;
  for (int i = 0; i < model->speed_count; i++)
    if (!strcmp(model->speeds[i].name, name)) return true;
  for (int i = 0; i < 3*model->ball_count; i++)
    if (!strcmp(model->balls[i/3].spin_name[i%3], name)) return true;
  return false;
}

void pf_print_seconds(char *to, size_t size, double seconds)
{
  if (seconds < 120) snprintf(to, size, "%.3g s", seconds);
  else if (seconds < 7200) snprintf(to, size, "%.3g min", seconds/60);
  else if (seconds < 172800) snprintf(to, size, "%.3g h", seconds/3600);
  else snprintf(to, size, "%.3g days", seconds/86400);
}
