/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the command line: the options of every command, and the values behind them on a small model. Nothing is run
 * and nothing written. An input is the command, then one word to a line. What is accepted must be in range; what is
 * said, on both streams, cannot steer a terminal, and is JSON where that was asked for. */
#include "cli/cli.h"
#include "task/motion.h"
#include "task/study.h"
#include "task/trajectory.h"

#include "expect.h"

#include <math.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { MOST_WORDS = 48 };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  return setenv("NO_COLOR", "1", 1);
}

/* ---------------------------------------------------------------- what is said */

/* What the program writes to a stream; glibc lets streams be exchanged. */
typedef struct Capture {
  FILE *stream;
  char *text;
  size_t count;
} Capture;

static void begin(Capture *c)
{
  c->stream = open_memstream(&c->text, &c->count);
  expect(c->stream != NULL, "there is memory");
}

static void end(Capture *c)
{
  expect(fclose(c->stream) == 0, "there is memory");
  expect_characters(c->text, c->count, "\n\t");
}

/* ---------------------------------------------------------------- the words */

typedef struct Line {
  int count;
  char *words[MOST_WORDS + 1];
} Line;

/* Each in memory of its own, so that no byte beyond is read unseen. */
static void read_line(const char *text, const char *last, Line *line)
{
  while (line->count < MOST_WORDS) {
    size_t length = 0;
    while (text + length < last && text[length] != '\n' && text[length]) length++;
    char *word = malloc(length + 1);
    expect(word != NULL, "there is memory");
    memcpy(word, text, length);
    word[length] = 0;
    line->words[line->count++] = word;
    if (text + length == last) break;
    text += length + 1;
  }
}

/* Commands that read options; NULL for other words. */
static const PfTask *find_command(const char *name)
{
  const PfTask *const *lists[] = {pf_commands, pf_studies};
  for (int k = 0; k < 2; k++)
    for (const PfTask *const *c = lists[k]; *c; c++)
      if (!strcmp(pf_cli_command(*c), name)) return *c;
  return NULL;
}

/* ---------------------------------------------------------------- what is accepted */

static bool is_in_range(const PfSetting *option, double x)
{
  switch (option->type) {
  case PF_SETTING_POSITIVE: return x > 0;
  case PF_SETTING_FRACTION: return x >= 0 && x <= 1;
  case PF_SETTING_COUNT: return x >= 1 && x == floor(x);
  default: return true;
  }
}

static void check_options(const PfRequest *o)
{
  const PfSetting *option;
  expect(o->file_count >= 1 && o->file_count <= MOST_FILES && o->file == o->files[0], "there is a file");
  for (int i = 0; (option = pf_setting(i)); i++) {
    const void *field = pf_request_member(o, option);
    if (o->given[i]) expect(pf_task_takes(o->task, option), "a command takes what it is given");
    if (option->type < PF_SETTING_NUMBER) continue;
    double x = *(const double *)field;
    expect(o->given[i] ? isfinite(x) && is_in_range(option, x) : isnan(x), "a number is one that the option can be");
  }
}

/* ---------------------------------------------------------------- values of a study */

static PfStatus read_study(Study *st, const PfRequest *o)
{
  PfSteadyOptions search = {0};
  Range range = {.count = 101};
  Plane plane = {0};
  double span;
  st->options = o;
  PF_TRY(pf_task_open(&st->s, o));
  PF_TRY(pf_study_prepare(st));
  PF_TRY(pf_study_move(st, 1e-9, &span));
  if (o->range) PF_TRY(pf_study_range(st, "the range", o->range, &range));
  if (o->sweep) PF_TRY(pf_study_range(st, "--sweep", o->sweep, &range));
  expect(range.count >= 2 && isfinite(range.from) && isfinite(range.to), "a range has ends and a count");
  if (o->show && !o->inputs) PF_TRY(pf_study_plane(st, &plane));
  PF_TRY(pf_study_search(st, &search));
  for (int i = 0; i < search.interval_count; i++)
    expect(search.intervals[i].low <= search.intervals[i].high && search.intervals[i].name,
           "an interval has a name and ends");
  expect(isfinite(span), "a duration is a number");
  return PF_OK;
}

static void check_study(const PfRequest *o, const Console *console)
{
  Study st = {.moves = true};
  PfStatus status = read_study(&st, o);
  expect(status == PF_OK || pf_error_count(st.s.ctx) > 0, "a failure is said");
  pf_cli_diagnostics(st.s.ctx, console);
  pf_study_close(&st);
}

/* ---------------------------------------------------------------- values of the others */

static PfStatus read_run(Session *s, const PfRequest *o, Motion *m, Trajectory *t)
{
  PF_TRY(pf_task_open(s, o));
  PF_TRY(pf_task_place(m, s, o));
  PF_TRY(pf_task_begin(m));
  for (int i = 0; i < m->settings.at_count; i++) expect(isfinite(m->settings.at[i]), "times are numbers");
  return pf_trajectory_make(t, m, &(Wanted){o->show, o->against, true});
}

static void check_run(const PfRequest *o, const Console *console)
{
  Session s;
  Motion m = {0};
  Trajectory t = {0};
  PfStatus status = read_run(&s, o, &m, &t);
  expect(status == PF_OK || pf_error_count(s.ctx) > 0, "a failure is said");
  pf_cli_diagnostics(s.ctx, console);
  pf_trajectory_free(&t);
  pf_task_end(&m);
  pf_task_close(&s);
}

static bool has_values(const PfRequest *o)
{
  return pf_task_given(o, "param state time show against at sweep within keep section") || o->range;
}

/* A name with a dot is one of a joint. */
static bool is_spatial(const PfRequest *o)
{
  return o->state.count && strstr(o->state.at[0], "hub.");
}

/* ---------------------------------------------------------------- all */

static int parse(const Console *console, const PfTask *command, Line *line)
{
  PfRequest o;
  int code = pf_cli_options(command, console, line->count, line->words, &o);
  if (code != PF_EXIT_OK || o.help) return code;
  check_options(&o);
  if (!has_values(&o)) return code;
  o.file = is_spatial(&o) ? PF_SOURCE_DIR "/tests/fuzz/options_spatial.pf" : PF_SOURCE_DIR "/tests/fuzz/options.pf";
  Host host = {0};
  o.host = &host;
  if (command->command) check_study(&o, console);
  else check_run(&o, console);
  return code;
}

/* Words that are no command: help, version, and what is unknown. */
static int run_other(const Console *console, Line *line)
{
  static char program[] = "pfaff";
  char *words[MOST_WORDS + 1] = {program};
  memcpy(words + 1, line->words, (size_t)line->count*sizeof *words);
  return pf_cli_run(console, line->count + 1, words);
}

static bool asks_for_json(const Line *line)
{
  for (int i = 1; i < line->count; i++)
    if (!strcmp(line->words[i], "--json")) return true;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Line line = {0};
  Capture out = {0}, err = {0};
  read_line((const char *)data, (const char *)data + size, &line);
  const PfTask *command = find_command(line.words[0]);
  begin(&out);
  begin(&err);
  const Console console = {.out = out.stream, .err = err.stream, .exact = true};
  int code = command ? parse(&console, command, &line) : run_other(&console, &line);
  end(&err);
  end(&out);
  expect(code == PF_EXIT_OK || code == PF_EXIT_USAGE, "words are right or wrong");
  expect(code == PF_EXIT_OK || err.count > 0, "what is wrong is said");
  bool json = code == PF_EXIT_USAGE && asks_for_json(&line) && (!command || strstr(command->takes, "json "));
  if (json) expect_json(out.text);
  else expect(code == PF_EXIT_OK || !out.count, "what is wrong is said on standard error");
  free(out.text);
  free(err.text);
  for (int i = 0; i < line.count; i++) free(line.words[i]);
  return 0;
}
