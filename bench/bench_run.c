/* SPDX-License-Identifier: Apache-2.0 */
/* How long motions take: Pfaff from its tapes against SUNDIALS called from C on equations written by hand.
 *
 *   bench_run sixty MODEL         free_floating or omni_robot: 60 s at rtol 1e-6, dopri5 against that of ARKODE
 *   bench_run snakeboard F T      T seconds of the push F at equal true error: methods here, IDA, CVODE's Adams
 *
 * Prints one JSON object. Errors are those of the coordinates at the instants of tests/reference. All times are seconds
 * of the processor, the least of many repetitions: of 'motions' between the first step and the last, setting up not
 * counted for anyone; of 'whole' everything, from making to freeing. */
#include "out/out.h"
#include "pfaff/pfaff.h"
#include "run_peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_TEXT = 1 << 16 };
static const double SECONDS_TO_REPEAT = 0.5;

double seconds_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_run: %s\n", what);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("out of memory");
  return block;
}

/* ---------------------------------------------------------------- references */

/* Which column of the file each coordinate is, in the order of the model, and in which unit of ours. */
typedef struct Columns {
  const char *model, *path, *file;
  int n, column[MOST_COORDINATES];
  double unit[MOST_COORDINATES];
} Columns;

static const Columns columns[] = {
  {"free_floating", "spacecraft/free_floating", "freefloat_corrected_paperic.csv", 3, {1, 2, 3}, {1, 1, 1}},
  {"omni_robot", "wheels/omni_robot", "omni3_corrected.csv", 6, {1, 2, 3, 4, 5, 6}, {1, 1, 1, 1e-3, 1e-3, 1}},
  {"snakeboard", "skates/snakeboard", "snakeboard-F1.csv", 6, {1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1}},
};

static const Columns *find_columns(const char *model)
{
  for (size_t i = 0; i < sizeof columns/sizeof *columns; i++)
    if (!strcmp(columns[i].model, model)) return columns + i;
  stop("free_floating, omni_robot or snakeboard");
}

static void read_line(const Columns *what, char *line, double t_end, Reference *to)
{
  double cell[16];
  int count = 0;
  for (char *at = line; at && count < 16; count++) {
    cell[count] = strtod(at, NULL);
    at = strchr(at, ',');
    if (at) at++;
  }
  if (cell[0] > t_end*(1 + 1e-12)) return;
  to->t[to->count] = cell[0];
  for (int i = 0; i < what->n; i++) to->q[to->count*what->n + i] = what->unit[i]*cell[what->column[i]];
  to->count++;
}

static Reference read_reference(const Columns *what, const char *name, double t_end)
{
  enum { MOST_LINES = 200 };
  static char path[1024], line[4096];
  Reference to = {.n = what->n, .t = room(MOST_LINES, sizeof(double)),
                  .q = room(MOST_LINES*MOST_COORDINATES, sizeof(double))};
  snprintf(path, sizeof path, PF_SOURCE_DIR "/tests/reference/%s", name);
  FILE *file = fopen(path, "r");
  if (!file) stop(path);
  while (to.count < MOST_LINES && fgets(line, sizeof line, file))
    if (line[0] != '#' && line[0] != 't') read_line(what, line, t_end, &to);
  fclose(file);
  return to;
}

void note_error(const Reference *reference, int i, const double *q, Figures *figures)
{
  for (int k = 0; k < reference->n; k++)
    figures->error = fmax(figures->error, fabs(q[k] - reference->q[i*reference->n + k]));
}

/* ---------------------------------------------------------------- ours */

typedef struct Ours {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations equations;
  PfSystem *system;
  double *values;
  char *text;
  PfSim *sim; /* of the text, for motions that begin again */
  const char *method;
  /* of one motion */
  const Case *c;
  Figures *figures;
  int instant;
  double begin;
} Ours;

static Ours ours;

static void load(const Case *c)
{
  static char text[MOST_TEXT], path[1024];
  ours.text = text;
  snprintf(path, sizeof path, PF_SOURCE_DIR "/examples/%s.pf", c->model);
  FILE *file = fopen(path, "rb");
  if (!file) stop(path);
  size_t length = fread(text, 1, MOST_TEXT - 1, file);
  fclose(file);
  ours.ctx = pf_context_new(NULL);
  ours.arena = pf_arena_new(NULL);
  bool good = ours.ctx && ours.arena && pf_model_read(ours.ctx, path, text, length, &ours.model) == PF_OK &&
              pf_equations_derive(ours.ctx, ours.arena, ours.model, &ours.equations) == PF_OK &&
              pf_system_new(ours.ctx, &ours.equations, &ours.system) == PF_OK;
  if (!good) stop(ours.ctx ? pf_context_message(ours.ctx) : "out of memory");
  const PfSymbols *in = pf_system_symbols(ours.system);
  ours.values = room((size_t)in->count, sizeof(double));
  if (pf_equations_start(ours.ctx, &ours.equations, NULL, ours.values) != PF_OK) stop(pf_context_message(ours.ctx));
  int push = pf_model_find_parameter(ours.model, "F");
  if (push >= 0) ours.values[in->parameters + push] = c->push;
}

static void unload(void)
{
  pf_system_free(ours.system);
  pf_model_free(ours.model);
  pf_arena_free(ours.arena);
  pf_context_free(ours.ctx);
  free(ours.values);
}

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Ours *o = user;
  if (o->instant < o->c->reference.count) note_error(&o->c->reference, o->instant++, sample->q, o->figures);
  return PF_OK;
}

/* Of the start and of the end. */
static PfStatus take_time(void *user, const PfSample *sample)
{
  Ours *o = user;
  (void)sample;
  if (!o->instant++) o->begin = seconds_now();
  o->figures->seconds = seconds_now() - o->begin;
  return PF_OK;
}

static bool move_by_ours(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  PfRunOptions o = pf_run_options();
  PfRunResult result;
  o.method = ours.method;
  o.rtol = rtol;
  o.atol = atol;
  o.t_end = c->t_end;
  const double ends[] = {c->reference.t[0], c->t_end};
  o.at = task == TASK_ERROR ? c->reference.t : ends;
  o.at_count = task == TASK_ERROR ? c->reference.count : 2;
  o.sample = task == TASK_ERROR ? take_sample : take_time;
  o.user = &ours;
  ours.c = c;
  ours.figures = figures;
  ours.instant = 0;
  if (pf_run(ours.ctx, ours.system, ours.values, &o, &result) != PF_OK || result.end != PF_RUN_DONE) {
    pf_diagnostics_clear(ours.ctx);
    return false;
  }
  figures->steps = result.steps;
  figures->rejected = result.rejected;
  figures->evaluations = result.evaluations;
  return true;
}

/* ---------------------------------------------------------------- all included */

static void demand(bool good, const PfSim *sim)
{
  if (!good) stop(pf_sim_error(sim)->message);
}

static PfSim *open_text(const Case *c, double rtol, double atol)
{
  PfError error;
  PfSim *sim = pf_sim_open_text(ours.text, &error);
  if (!sim) stop(error.message);
  PfRunOptions o = pf_sim_options(sim);
  o.method = "dopri5";
  o.rtol = rtol;
  o.atol = atol;
  o.t_end = c->t_end;
  demand(pf_sim_set_options(sim, &o), sim);
  return sim;
}

static void go(PfSim *sim, double t_end)
{
  demand(pf_sim_start(sim) && pf_sim_advance(sim, t_end), sim);
}

static bool move_from_text(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  (void)task, (void)figures;
  PfSim *sim = open_text(c, rtol, atol);
  go(sim, c->t_end);
  pf_sim_close(sim);
  return true;
}

/* What was read and made for the motion before serves again. */
static bool move_again(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  (void)rtol, (void)atol, (void)task, (void)figures;
  go(ours.sim, c->t_end);
  return true;
}

/* Equations are there, as those written by hand are; solver and tapes are made and freed. Nothing is sampled. */
static bool move_from_equations(const Case *c, double rtol, double atol, Task task, Figures *figures)
{
  (void)task, (void)figures;
  PfRunOptions o = pf_run_options();
  PfRunResult result;
  o.method = "dopri5";
  o.rtol = rtol;
  o.atol = atol;
  o.t_end = c->t_end;
  return pf_run(ours.ctx, ours.system, ours.values, &o, &result) == PF_OK && result.end == PF_RUN_DONE;
}

/* ---------------------------------------------------------------- measuring */

/* Error once, time often. */
static bool measure(Mover move, const Case *c, double rtol, double atol, Figures *figures)
{
  Figures once = {0};
  *figures = once;
  if (!move(c, rtol, atol, TASK_ERROR, figures)) return false;
  double error = figures->error, least = INFINITY, begin = seconds_now();
  for (int i = 0; i < 5 || seconds_now() - begin < SECONDS_TO_REPEAT; i++) {
    once = (Figures){0};
    if (!move(c, rtol, atol, TASK_TIME, &once)) return false;
    least = fmin(least, once.seconds);
  }
  *figures = once;
  figures->seconds = least;
  figures->error = error;
  return true;
}

/* The whole of it, from the call to its return; negative when the contender is not there. */
static double measure_whole(Mover move, const Case *c, double rtol, double atol)
{
  double least = INFINITY, first = seconds_now();
  for (int i = 0; i < 5 || seconds_now() - first < SECONDS_TO_REPEAT; i++) {
    Figures figures = {0};
    double begin = seconds_now();
    if (!move(c, rtol, atol, TASK_TIME, &figures)) return -1;
    least = fmin(least, seconds_now() - begin);
  }
  return least;
}

/* The loosest tolerance of a ladder that gives no more than the error, and what it costs. */
static bool measure_at_error(Mover move, const Case *c, double error, double *rtol, Figures *figures)
{
  for (int i = 8; i < 52; i++) {
    *rtol = pow(10, -0.25*i);
    *figures = (Figures){0};
    if (move(c, *rtol, *rtol/100, TASK_ERROR, figures) && figures->error <= error)
      return measure(move, c, *rtol, *rtol/100, figures);
  }
  return false;
}

/* ---------------------------------------------------------------- output */

static void add_figures(PfJson *json, const char *name, double rtol, const Figures *f)
{
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "name", name);
  pf_json_number(json, "rtol", rtol);
  pf_json_number(json, "seconds", f->seconds);
  pf_json_number(json, "error", f->error);
  pf_json_integer(json, "steps", f->steps);
  pf_json_integer(json, "rejected", f->rejected);
  pf_json_integer(json, "evaluations", f->evaluations);
  pf_json_close(json, '}');
}

static void add_whole(PfJson *json, const Case *c, double rtol, double atol)
{
  static const struct {
    const char *name;
    Mover move;
  } movers[] = {{"text", move_from_text}, {"equations", move_from_equations}, {"again", move_again},
                {"arkode", move_by_arkode}};
  ours.sim = open_text(c, rtol, atol);
  pf_json_open(json, "whole", '{');
  for (size_t i = 0; i < sizeof movers/sizeof *movers; i++) {
    double seconds = measure_whole(movers[i].move, c, rtol, atol);
    if (seconds > 0) pf_json_number(json, movers[i].name, seconds);
  }
  pf_json_close(json, '}');
  pf_sim_close(ours.sim);
}

static void run_sixty(PfJson *json, const char *model)
{
  const double rtol = 1e-6, atol = 1e-8;
  const Columns *what = find_columns(model);
  Case c = {.model = what->path, .t_end = 60, .reference = read_reference(what, what->file, 60)};
  Figures figures;
  load(&c);
  pf_json_string(json, "case", "sixty");
  pf_json_string(json, "model", model);
  pf_json_open(json, "motions", '[');
  ours.method = "dopri5";
  if (!measure(move_by_ours, &c, rtol, atol, &figures)) stop("dopri5 failed");
  add_figures(json, "dopri5", rtol, &figures);
  if (measure(move_by_arkode, &c, rtol, atol, &figures)) add_figures(json, "arkode", rtol, &figures);
  pf_json_close(json, ']');
  add_whole(json, &c, rtol, atol);
  unload();
}

static void run_snakeboard(PfJson *json, double push, double t_end)
{
  static const struct {
    const char *name;
    Mover move;
  } movers[] = {{"dopri5", move_by_ours}, {"dop853", move_by_ours}, {"cvode_adams", move_by_ours},
                {"IDA", move_by_ida}, {"CVODE", move_by_adams}};
  static const double errors[] = {1e-4, 1e-8};
  const char *file = push > 10 ? "snakeboard-F20.csv" : "snakeboard-F1.csv";
  Case c = {.model = "skates/snakeboard", .push = push, .t_end = t_end};
  c.reference = read_reference(find_columns("snakeboard"), file, t_end);
  load(&c);
  pf_json_string(json, "case", "snakeboard");
  pf_json_number(json, "push", push);
  pf_json_number(json, "t_end", t_end);
  pf_json_open(json, "errors", '[');
  for (int e = 0; e < 2; e++) {
    pf_json_open(json, NULL, '{');
    pf_json_number(json, "error", errors[e]);
    pf_json_open(json, "motions", '[');
    for (size_t i = 0; i < sizeof movers/sizeof *movers; i++) {
      double rtol;
      Figures figures;
      ours.method = movers[i].name;
      if (measure_at_error(movers[i].move, &c, errors[e], &rtol, &figures))
        add_figures(json, movers[i].name, rtol, &figures);
    }
    pf_json_close(json, ']');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  unload();
}

int main(int count, char **words)
{
  PfAllocator allocator = {.resize = pf_standard_resize};
  PfJson json;
  pf_json_begin(&json, &allocator);
  pf_json_open(&json, NULL, '{');
  if (count == 3 && !strcmp(words[1], "sixty")) run_sixty(&json, words[2]);
  else if (count == 4 && !strcmp(words[1], "snakeboard")) run_snakeboard(&json, atof(words[2]), atof(words[3]));
  else stop("usage: bench_run sixty MODEL | snakeboard F T");
  pf_json_close(&json, '}');
  puts(pf_text_get(&json.text));
  pf_json_free(&json);
  return 0;
}
