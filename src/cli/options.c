/* SPDX-License-Identifier: Apache-2.0 */
/* From the words of a command line to a request. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

/* Words of the past, and what to write now. */
static const struct {
  const char *name, *now;
} former[] = {
  {"columns", "--columns is called --show now"},
  {"method", "the method is given by --by, as in --by rk4"},
  {"integrator", "the method is given by --by, as in --by rk4"},
  {"solver", "the method is given by --by, as in --by rk4"},
  {"param", "a parameter is given by -p, as in -p m=2"},
  {"time", "how long is given by --for, as in --for 10"},
  {"duration", "how long is given by --for, as in --for 10"},
  {"output", "the file is given by --out, as in --out motion.csv"},
  {"points", "--points is part of the range now: NAME=a..b:N"},
};

/* ---------------------------------------------------------------- what is wrong */

typedef struct Reader {
  int argc, at; /* the next word */
  char **argv;
  PfRequest *request;
  PfContext *ctx;
} Reader;

static PfStatus not_taken(Reader *r, const PfSetting *option, const char *word)
{
  char list[400] = "";
  size_t used = 0;
  const PfTask *task;
  for (int i = 0; (task = pf_task(i)) && used < sizeof list; i++)
    if (pf_task_takes(task, option))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", pf_cli_command(task));
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "'%s' does not take @%s", pf_cli_command(r->request->task), word);
  pf_hint(r->ctx, "it is an option of %s", list);
  return PF_ERR_ARGUMENT;
}

static PfStatus unknown(Reader *r, const char *name, size_t length)
{
  char word[64];
  const char *similar = NULL;
  const PfSetting *option;
  int best = 0;
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  for (size_t i = 0; i < sizeof former/sizeof *former; i++)
    if (!strcmp(former[i].name, word)) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s", former[i].now);
  for (int i = 0; (option = pf_setting(i)); i++)
    if (pf_task_takes(r->request->task, option) && pf_name_is_nearer(word, option->name, &best))
      similar = option->name;
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "unknown option @%s", word);
  if (similar) pf_hint(r->ctx, "did you mean @%s?", similar);
  return PF_ERR_ARGUMENT;
}

static PfStatus ambiguous(Reader *r, const char *name, size_t length)
{
  char list[400] = "";
  size_t used = 0;
  const PfSetting *option;
  for (int i = 0; (option = pf_setting(i)) && used < sizeof list; i++)
    if (!strncmp(option->name, name, length) && pf_task_takes(r->request->task, option))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s--%s", used ? ", " : "", option->name);
  return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%.*s may be one of %s", (int)length, name, list);
}

/* ---------------------------------------------------------------- one option */

/* The value stands behind the option in the same word, or is the next word. */
static PfStatus take_value(Reader *r, const PfSetting *option, const char *word, const char *value)
{
  if (option->type == PF_SETTING_FLAG) return pf_request_take(r->request, option, NULL);
  if (!value && r->at < r->argc) value = r->argv[r->at++];
  if (value && value[strspn(value, " \t\r\n")]) return pf_request_take(r->request, option, value);
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "a value is missing after @%s", word);
  pf_hint(r->ctx, "write @%s{%s}", word, option->argument);
  return PF_ERR_ARGUMENT;
}

/* --name, --name=value; the name may be cut short where one option of the command alone begins so. */
static PfStatus read_long(Reader *r, const char *word)
{
  const char *name = word + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  const PfSetting *exact = NULL, *short_for = NULL, *option;
  int count = 0;
  for (int i = 0; length && (option = pf_setting(i)); i++) {
    if (strncmp(option->name, name, length) != 0) continue;
    if (!option->name[length]) exact = option;
    if (!pf_task_takes(r->request->task, option)) continue;
    short_for = option;
    count++;
  }
  option = exact ? exact : short_for;
  if (!exact && count > 1) return ambiguous(r, name, length);
  if (!option) return unknown(r, name, length);
  if (!pf_task_takes(r->request->task, option)) return not_taken(r, option, option->name);
  if (equals && option->type == PF_SETTING_FLAG)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s takes no value", option->name);
  return take_value(r, option, option->name, equals ? equals + 1 : NULL);
}

/* -w, -p value, -pvalue, -wh */
static PfStatus read_short(Reader *r, const char *letters)
{
  for (; *letters; letters++) {
    const char word[2] = {*letters, 0};
    const PfSetting *option;
    int i = 0;
    while ((option = pf_setting(i)) && option->letter != *letters) i++;
    if (!option)
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "unknown option -%c", isprint((unsigned char)*letters) ? *letters : '?');
    if (!pf_task_takes(r->request->task, option)) return not_taken(r, option, word);
    if (option->type != PF_SETTING_FLAG) return take_value(r, option, word, letters[1] ? letters + 1 : NULL);
    PF_TRY(pf_request_take(r->request, option, NULL));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* NAME=a..b, or what was meant as it: the study says how it is written. */
static bool is_range(const char *word)
{
  struct stat status;
  return strchr(word, '=') && (strstr(word, "..") || stat(word, &status) != 0);
}

static PfStatus read_operand(Reader *r, const char *word)
{
  PfRequest *o = r->request;
  int most = o->task->most_files ? o->task->most_files : 1;
  const char *operand = o->task->operand ? o->task->operand : "file";
  if (o->task->takes_range && !o->range && is_range(word)) {
    o->range = word;
    return PF_OK;
  }
  if (o->file_count == most && most == 1)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "one %s at a time, not also '%s'", operand, word);
  if (o->file_count == most) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "at most %d %ss at a time", most, operand);
  o->files[o->file_count++] = word;
  return PF_OK;
}

static PfStatus read_all(Reader *r)
{
  bool ended = false;
  while (r->at < r->argc) {
    const char *word = r->argv[r->at++];
    if (!ended && !strcmp(word, "--")) ended = true;
    else if (!ended && !strncmp(word, "--", 2)) PF_TRY(read_long(r, word));
    else if (!ended && word[0] == '-' && word[1]) PF_TRY(read_short(r, word + 1));
    else PF_TRY(read_operand(r, word));
  }
  if (r->request->help) return PF_OK;
  if (r->request->no_rows && !r->request->json)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@no_rows goes with @json and has no effect without");
  return pf_request_check(r->ctx, r->request);
}

int pf_cli_options(const PfTask *task, const Console *console, int argc, char **argv, PfRequest *request)
{
  PfContext *ctx = pf_cli_context();
  pf_request_init(request, ctx, task);
  Reader r = {.argc = argc, .at = 1, .argv = argv, .request = request, .ctx = ctx};
  PfStatus status = ctx ? read_all(&r) : PF_ERR_MEMORY;
  if (status == PF_OK && request->help) pf_cli_help(task, console->out);
  int rank, ranks; /* of processes started together, with the same words, the first one alone reports */
  pf_launch_ranks(&rank, &ranks);
  if (status != PF_OK && !rank) {
    bool json = false; /* programs that ask for JSON get it also when the rest is wrong, wherever --json stands */
    for (int i = 1; i < argc && pf_task_is_listed(task->takes, "json"); i++)
      json = json || !strcmp(argv[i], "--json");
    (void)pf_cli_fail(ctx, status, console, json);
    pf_cli_usage(task, console->err);
    fprintf(console->err, "'pfaff %s --help' tells more\n", pf_cli_command(task));
  }
  pf_context_free(ctx);
  request->ctx = NULL;
  return pf_cli_exit_code(status);
}
