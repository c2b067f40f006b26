/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program as a function: what they print is kept in memory. */
#include "cli/cli.h"

#include "glue.h"

#include <stdlib.h>
#include <string.h>

void pf_py_free(void *block)
{
  free(block);
}

const char *pf_py_version(void)
{
  return pf_version();
}

/* The words one by one, in memory that is freed as a whole; NULL without. */
static char **split(const char *words, int count)
{
  const char *end = words;
  for (int i = 0; i < count; i++) end += strlen(end) + 1;
  char **list = malloc(((size_t)count + 1)*sizeof *list + (size_t)(end - words));
  if (!list) return NULL;
  char *next = memcpy(list + count + 1, words, (size_t)(end - words));
  for (int i = 0; i < count; i++) list[i] = next, next += strlen(next) + 1;
  list[count] = NULL;
  return list;
}

int pf_py_command(const char *words, int count, const char *input, size_t size, void *who, PfPyOutcome *outcome)
{
  *outcome = (PfPyOutcome){.code = PF_EXIT_FAILED};
  char **list = split(words, count);
  Ask ask;
  pf_py_ask_begin(&ask, who);
  Console console = {.out = open_memstream(&outcome->out, &outcome->out_size),
                     .err = open_memstream(&outcome->err, &outcome->err_size),
                     .exact = true, .input = input, .input_size = size, .name = "<text>", .is_stopped = pf_py_ask,
                     .user = &ask};
  bool good = list && console.out && console.err;
  if (good) outcome->code = pf_cli_run(&console, count, list);
  if (console.out && fclose(console.out) != 0) good = false;
  if (console.err && fclose(console.err) != 0) good = false;
  free(list);
  return good;
}

int pf_py_terminal(const char *words, int count)
{
  char **list = split(words, count);
  int code = list ? pf_cli_terminal(count, list) : PF_EXIT_FAILED;
  free(list);
  return code;
}

/* ---------------------------------------------------------------- constants */

int pf_py_constant(const char *text, const char *unit, double *value, PfError *error)
{
  PfContext *ctx = pf_context_new(NULL);
  if (ctx) pf_context_set_spelling(ctx, &pf_spelling_of_python);
  PfStatus status = ctx ? pf_constant_read(ctx, text, unit, value) : PF_ERR_MEMORY;
  *error = (PfError){.status = status};
  const char *words = ctx && status != PF_OK ? pf_context_message(ctx) : pf_status_text(status);
  snprintf(error->message, sizeof error->message, "%s", words);
  pf_context_free(ctx);
  return status == PF_OK ? PF_PY_GOOD : PF_PY_FAILED;
}
