/* SPDX-License-Identifier: Apache-2.0 */
/* The C calls beside those of bench/python.py, as JSON:
 *
 *   bench_python step FILE STEP METHOD               pf_sim_advance by STEP seconds, one call
 *   bench_python command FILE WORDS...               the command that m.run gives, from C: WORDS as on the command line
 *   bench_python run FILE SECONDS METHOD RTOL ATOL QUANTITIES...
 *                                                    from text to a table of quantities at each step, by pfaff/sim.h
 *
 * Seconds of the processor, such that a quarter of many batches are shorter. The least of all is decided by luck, since
 * the clock of the processor is not exact where processes change; here differences of few percent matter. */
#include "api.h"
#include "base/base.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <string.h>

static const double seconds_each = 0.7;

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_python: %s\n", what);
  exit(1);
}

static void demand(bool good, const PfSim *sim)
{
  if (!good) stop(pf_sim_error(sim)->message);
}

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quartile_of_call(Work *work, void *user)
{
  enum { MOST = 20000 };
  static double times[MOST];
  int size = find_batch_size(work, user), count = 0;
  double begin = now();
  while (count < 9 || (count < MOST && now() - begin < seconds_each))
    times[count++] = time_of_batch(work, user, size)/size;
  qsort(times, (size_t)count, sizeof *times, compare_numbers);
  return times[count/4];
}

static char *read_text(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  if (!file || fseek(file, 0, SEEK_END) != 0) stop(path);
  *size = (size_t)ftell(file);
  rewind(file);
  text = calloc(*size + 1, 1);
  if (!text || fread(text, 1, *size, file) != *size) stop(path);
  fclose(file);
  return text;
}

/* ---------------------------------------------------------------- steps */

typedef struct Steps {
  PfSim *sim;
  double step;
} Steps;

static void advance(void *user)
{
  Steps *s = user;
  demand(pf_sim_advance(s->sim, pf_sim_time(s->sim) + s->step), s->sim);
}

static void measure_steps(char **words)
{
  PfError error;
  Steps s = {pf_sim_open(words[0], &error), atof(words[1])};
  if (!s.sim) stop(error.message);
  PfRunOptions o = pf_sim_options(s.sim);
  o.method = words[2];
  o.step = s.step;
  demand(pf_sim_set_options(s.sim, &o) && pf_sim_start(s.sim), s.sim);
  printf("{\"seconds\": %.9g}\n", quartile_of_call(advance, &s));
  pf_sim_close(s.sim);
}

/* ---------------------------------------------------------------- the command */

typedef struct Command {
  PfMachine *machine;
  char *text, *words; /* one word behind the other */
  size_t size, rows;
  int count;
} Command;

/* Nobody asks to stop here, but what asks is the same. */
int pf_py_poll(void *who)
{
  (void)who;
  return 0;
}

static void run_command(void *user)
{
  static char somebody;
  Command *c = user;
  PfPyOutcome outcome;
  if (!pf_py_command(c->words, c->count, c->machine, c->text, c->size, "model.pf", &somebody, &outcome) || outcome.code)
    stop(outcome.err);
  c->rows = outcome.row_count;
  pf_py_free(outcome.out);
  pf_py_free(outcome.err);
  pf_py_free(outcome.rows);
}

/* As pf_py_command takes them, with the name of the program in the place of the first. */
static char *join(int count, char **words)
{
  size_t size = sizeof "pfaff";
  for (int i = 1; i < count; i++) size += strlen(words[i]) + 1;
  char *block = calloc(size, 1), *next = block;
  if (!block) stop("no memory");
  for (int i = 0; i < count; i++) next = stpcpy(next, i ? words[i] : "pfaff") + 1;
  return block;
}

static void measure_command(int count, char **words)
{
  Command c = {.words = join(count, words), .count = count};
  c.text = read_text(words[0], &c.size);
  PfContext *ctx = pf_context_new(NULL);
  if (!ctx || pf_machine_read(ctx, "model.pf", c.text, c.size, &c.machine) != PF_OK) stop(words[0]);
  double seconds = quartile_of_call(run_command, &c);
  printf("{\"seconds\": %.9g, \"rows\": %zu}\n", seconds, c.rows);
  pf_machine_release(c.machine);
  free(c.words);
  free(c.text);
}

/* ---------------------------------------------------------------- a run by pfaff/sim.h */

enum { MOST_COLUMNS = 64 };

typedef struct Run {
  char *text, **words;
  double seconds, rtol, atol;
  const char *method;
  int columns, handles[MOST_COLUMNS];
  double *rows;
  size_t count, room;
} Run;

static void add_row(Run *r, PfSim *sim)
{
  if (r->count == r->room) {
    r->room = r->room ? 2*r->room : 256;
    r->rows = realloc(r->rows, r->room*(size_t)(r->columns + 1)*sizeof *r->rows);
    if (!r->rows) stop("out of memory");
  }
  double *row = r->rows + r->count++*(size_t)(r->columns + 1);
  *row++ = pf_sim_time(sim);
  for (int i = 0; i < r->columns; i++) demand(pf_sim_read(sim, r->handles[i], row++), sim);
}

static void find_columns(Run *r, PfSim *sim)
{
  for (int i = 0; i < r->columns; i++) {
    r->handles[i] = pf_sim_find(sim, r->words[i]);
    demand(r->handles[i] >= 0, sim);
    if (pf_sim_size(sim, r->handles[i]) != 1) stop("a quantity has several numbers");
  }
}

static void start(const Run *r, PfSim *sim)
{
  demand(pf_sim_place(sim), sim);
  PfRunOptions o = pf_sim_options(sim);
  o.method = r->method;
  o.t_end = r->seconds;
  o.rtol = r->rtol;
  o.atol = r->atol;
  demand(pf_sim_set_options(sim, &o) && pf_sim_start(sim), sim);
}

static void run(void *user)
{
  Run *r = user;
  PfError error;
  PfSim *sim = pf_sim_open_text(r->text, &error);
  if (!sim) stop(error.message);
  r->count = r->room = 0;
  r->rows = NULL;
  start(r, sim);
  find_columns(r, sim);
  add_row(r, sim);
  while (pf_sim_step(sim)) add_row(r, sim);
  if (pf_sim_time(sim) < r->seconds) stop("the run ends early");
  pf_sim_close(sim);
  free(r->rows);
}

static void measure_run(int count, char **words)
{
  size_t size;
  Run r = {.words = words + 5, .columns = count - 5, .seconds = atof(words[1]), .method = words[2],
           .rtol = atof(words[3]), .atol = atof(words[4])};
  if (r.columns > MOST_COLUMNS) stop("too many quantities");
  r.text = read_text(words[0], &size);
  double seconds = quartile_of_call(run, &r);
  printf("{\"seconds\": %.9g, \"rows\": %zu}\n", seconds, r.count);
  free(r.text);
}

int main(int count, char **words)
{
  demand_fine_clock();
  if (count == 5 && !strcmp(words[1], "step")) measure_steps(words + 2);
  else if (count > 3 && !strcmp(words[1], "command")) measure_command(count - 2, words + 2);
  else if (count > 7 && !strcmp(words[1], "run")) measure_run(count - 2, words + 2);
  else stop("usage: bench_python step|command|run FILE ...");
  return 0;
}
