/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all commands, and which of them is asked for. */
#include "cli/cli.h"
#include "cli/live.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

const PfTask *const pf_commands[] = {&pf_check_task, &pf_derive_task, &pf_eval_task, &pf_compare_task, &pf_run_task,
                                     &pf_plot_task, &pf_draw_task, &pf_page_task, &pf_converge_task, &pf_study_task,
                                     &pf_sweep_task, &pf_fmt_task, &pf_import_task, &pf_export_task, &pf_examples_task,
                                     &pf_new_task, NULL};

const char *pf_cli_command(const PfTask *task)
{
  return task->command ? task->command : task->name;
}

static void usage(FILE *stream)
{
  fputs("usage: pfaff COMMAND [options] FILE\n\n"
        "Pfaff derives, simulates and studies constrained mechanical systems, nonholonomic ones first.\n\nCommands:\n",
        stream);
  for (const PfTask *const *c = pf_commands; *c; c++) fprintf(stream, "  %-9s %s\n", (*c)->name, (*c)->summary);
  fputs("\n'pfaff COMMAND --help' or 'pfaff help COMMAND' tells more, 'pfaff version' the version.\n"
        "FILE is a model; '-' is standard input.\n", stream);
}

static const PfTask *find(const char *name)
{
  for (const PfTask *const *c = pf_commands; *c; c++)
    if (!strcmp((*c)->name, name)) return *c;
  return NULL;
}

/* The words of other programs. */
static const struct {
  const char *word, *ours;
} habits[] = {{"simulate", "run"},    {"sim", "run"},         {"integrate", "run"}, {"equations", "derive"},
              {"animate", "page"},    {"show", "page"},       {"view", "page"},     {"generate", "export"},
              {"codegen", "export"},  {"linearize", "study linearize"},             {"stability", "study linearize"},
              {"list", "examples"},   {"init", "new"},        {"create", "new"},    {"validate", "check"},
              {"convert", "import"},  {"format", "fmt"},      {"test", "check"},    {"ensemble", "sweep"}};

static int unknown(const Console *console, int argc, char **argv)
{
  char hint[80] = "'pfaff --help' lists them";
  int best = 0;
  for (size_t i = 0; i < sizeof habits/sizeof *habits; i++)
    if (!strcmp(habits[i].word, argv[0])) snprintf(hint, sizeof hint, "it is called 'pfaff %s' here", habits[i].ours);
  for (const PfTask *const *c = pf_commands; *c; c++)
    if (pf_name_is_nearer(argv[0], (*c)->name, &best)) snprintf(hint, sizeof hint, "did you mean '%s'?", (*c)->name);
  return pf_cli_wrong_usage(console, argc, argv, hint, "there is no command '%s'", argv[0]);
}

/* pfaff help, pfaff help COMMAND, pfaff help study KIND: what --help behind them says. */
static int help(const Console *console, int argc, char **argv)
{
  static char word[] = "--help";
  if (argc < 2) {
    usage(console->out);
    return PF_EXIT_OK;
  }
  const PfTask *command = find(argv[1]);
  if (!command) return unknown(console, argc - 1, argv + 1);
  bool kind = command == &pf_study_task && argc > 2; /* other words would be read as options, or end them */
  char *asked[] = {argv[1], kind ? argv[2] : word, word};
  return pf_cli_do(command, console, kind ? 3 : 2, asked);
}

/* pfaff --man, pfaff --man COMMAND, pfaff --man study KIND: the manual page in roff. */
static int manual(const Console *console, int argc, char **argv)
{
  char name[64];
  const PfTask *command = argc > 1 ? find(argv[1]) : NULL;
  if (argc > 1 && !command) return unknown(console, argc - 1, argv + 1);
  if (command == &pf_study_task && argc > 2) {
    snprintf(name, sizeof name, "study %s", argv[2]);
    for (const PfTask *const *c = pf_studies; *c; c++)
      if (!strcmp((*c)->command, name)) command = *c;
  }
  pf_cli_manual(command, console->out);
  return PF_EXIT_OK;
}

static int completion(const Console *console, int argc, char **argv)
{
  if (argc == 2 && pf_cli_completion(argv[1], console->out)) return PF_EXIT_OK;
  return pf_cli_wrong_usage(console, argc, argv, "there are bash, zsh and fish: pfaff --completion bash",
                            argc < 2 ? "the shell is missing" : "there is no completion for '%s'", argv[argc - 1]);
}

/* ---------------------------------------------------------------- a task */

/* A task of a command at work. */
typedef struct Work {
  const Console *console;
  Progress progress;
  Live live;
} Work;

static bool is_cancelled(void *user)
{
  const Console *console = ((Work *)user)->console;
  return console->is_stopped && console->is_stopped(console->user);
}

static void show_progress(void *user, const PfProgress *now)
{
  pf_progress_show(&((Work *)user)->progress, now);
}

static void tell(void *user, const PfContext *ctx)
{
  pf_cli_diagnostics(ctx, ((Work *)user)->console);
}

static void say(void *user, const char *text)
{
  fputs(text, ((Work *)user)->console->err);
}

/* Names, titles and units come from files: they may not steer the terminal. Texts that are files of their own, as
 * models, go byte for byte to programs. */
static int print(const Console *console, const char *words, bool raw)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  PfText shown;
  pf_text_init(&shown, &standard);
  if (!raw) pf_text_add_escaped(&shown, words, strlen(words), "\n\t");
  const char *text = raw ? words : pf_text_get(&shown);
  size_t count = strlen(text);
  bool good = !shown.failed && fwrite(text, 1, count, console->out) == count;
  good = fflush(console->out) == 0 && good;
  const char *why = shown.failed ? "no memory" : errno == EINTR ? "stopped on request" : strerror(errno);
  if (!good) fprintf(console->err, "pfaff: error: cannot write the result: %s\n", why);
  pf_text_free(&shown);
  return good ? PF_EXIT_OK : PF_EXIT_FAILED;
}

/* The tree as JSON or the text; next to a result on standard output the text goes to standard error. */
static int show(const PfRequest *request, PfReport *report, const Console *console)
{
  if (request->json) {
    const char *json = pf_report_json(report);
    return json ? print(console, json, false) : PF_EXIT_FAILED;
  }
  if (!pf_task_out_is_standard(request))
    return print(console, pf_report_text(report), request->task->makes_text && console->exact);
  Console aside = {.out = console->err, .err = console->err};
  return print(&aside, pf_report_text(report), false);
}

int pf_cli_do(const PfTask *task, const Console *console, int argc, char **argv)
{
  if (task == &pf_study_task) return pf_cli_study(console, argc, argv);
  PfRequest request;
  int code = pf_cli_options(task, console, argc, argv, &request);
  if (code != PF_EXIT_OK || request.help) return code;
  request.tree = request.json;
  request.text = !request.json;
  request.input = console->input;
  request.input_name = console->name;
  request.input_size = console->input_size;
  Work work = {.console = console, .progress = {.console = console, .hidden = request.watch}, .live = {console, NULL}};
  bool program = console->out == stdout; /* else one around the library */
  Host host = {.observer = {.user = &work, .cancelled = is_cancelled, .progress = show_progress},
               .out = program ? NULL : console->out, .tell = tell, .say = program ? say : NULL,
               .watch = &pf_live_watch, .watch_user = &work.live};
  PfStatus status = pf_task_do(&host, &request);
  pf_progress_end(&work.progress);
  if (status == PF_ERR_MEMORY && !host.report) return pf_cli_fail(NULL, status, console, request.json);
  if (!host.report) return pf_cli_exit_code(status); /* another process reports */
  code = show(&request, host.report, console);
  pf_cli_diagnostics(pf_report_context(host.report), console);
  pf_report_free(host.report);
  return status == PF_OK ? code : pf_cli_exit_code(status);
}

int pf_cli_exit_code(PfStatus status)
{
  return status == PF_OK ? PF_EXIT_OK : status == PF_ERR_ARGUMENT ? PF_EXIT_USAGE : PF_EXIT_FAILED;
}

int pf_cli_fail(PfContext *ctx, PfStatus status, const Console *console, bool json)
{
  PfReport *report = NULL;
  if (ctx && json && pf_report_diagnostics_only(ctx, &report) == PF_OK) {
    const char *text = pf_report_json(report);
    (void)print(console, text ? text : "", false);
  }
  pf_report_free(report);
  if (!ctx && json)
    fputs("{\"diagnostics\": [{\"severity\": \"error\", \"message\": \"out of memory\"}]}\n", console->out);
  pf_cli_diagnostics(ctx, console);
  return pf_cli_exit_code(status);
}

int pf_cli_wrong_usage(const Console *console, int argc, char **argv, const char *hint, const char *format, ...)
{
  bool json = false;
  char message[256];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  for (int i = 1; i < argc; i++) json = json || !strcmp(argv[i], "--json");
  PfContext *ctx = pf_cli_context();
  PfStatus status = ctx ? pf_fail(ctx, PF_ERR_ARGUMENT, "%s", message) : PF_ERR_MEMORY;
  if (ctx) pf_hint(ctx, "%s", hint);
  int code = pf_cli_fail(ctx, status, console, json);
  pf_context_free(ctx);
  return code;
}

/* ---------------------------------------------------------------- the command */

/* The word alone or as an option. */
static bool is_word(const char *given, const char *word)
{
  return !strcmp(given, word) || (!strncmp(given, "--", 2) && !strcmp(given + 2, word));
}

int pf_cli_run(const Console *console, int argc, char **argv)
{
  if (argc < 2) {
    usage(console->err);
    return PF_EXIT_USAGE;
  }
  if (is_word(argv[1], "help") || !strcmp(argv[1], "-h")) return help(console, argc - 1, argv + 1);
  if (is_word(argv[1], "version")) {
    fprintf(console->out, "pfaff %s\n", pf_version());
    return PF_EXIT_OK;
  }
  if (!strcmp(argv[1], "--options")) return pf_cli_list_options(console->out), PF_EXIT_OK; /* for docs/commands.md */
  if (!strcmp(argv[1], "--outputs")) return pf_cli_list_outputs(console->out), PF_EXIT_OK;
  if (!strcmp(argv[1], "--reports")) return pf_cli_list_reports(console->out), PF_EXIT_OK; /* for tests/reports.py */
  if (!strcmp(argv[1], "--man")) return manual(console, argc - 1, argv + 1);
  if (!strcmp(argv[1], "--completion")) return completion(console, argc - 1, argv + 1);
  const PfTask *command = find(argv[1]);
  return command ? pf_cli_do(command, console, argc - 1, argv + 1) : unknown(console, argc - 1, argv + 1);
}
