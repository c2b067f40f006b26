/* SPDX-License-Identifier: Apache-2.0 */
/* What a model costs by its size, from its text on, as JSON:
 *
 *   bench_growth FILE
 *
 * Seconds until it is read and until it is ready to move, of the first step, and of one evaluation of the accelerations
 * by 'auto'; peak memory when it is ready. One model per process, so that the memory is that of the model. Times are of
 * the processor, the least of several repetitions where one is short. */
#include "out/out.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>

static const double SECONDS_TO_REPEAT = 0.3, SECONDS_TO_EVALUATE = 0.3;

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_growth: %s\n", what);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("out of memory");
  return block;
}

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) stop(path);
  size_t length = (size_t)ftell(file);
  char *text = room(length + 1, 1);
  rewind(file);
  if (fread(text, 1, length, file) != length) stop(path);
  fclose(file);
  return text;
}

/* ---------------------------------------------------------------- from text to the first step */

typedef struct Times {
  double open, ready, step; /* since the beginning: read, ready to move; of the first step alone */
} Times;

static PfSim *start(const char *text, Times *times)
{
  PfError error;
  double begin = now();
  PfSim *sim = pf_sim_open_text(text, &error);
  if (!sim) stop(error.message);
  times->open = fmin(times->open, now() - begin);
  if (!pf_sim_start(sim)) stop(pf_sim_error(sim)->message);
  times->ready = fmin(times->ready, now() - begin);
  return sim;
}

/* In kB. Not by getrusage, which also knows the memory of the program that started this one. */
static long peak_memory(void)
{
  static char line[256];
  long memory = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %ld", &memory) == 1) break;
  if (file) fclose(file);
  return memory;
}

static PfSim *start_often(const char *text, Times *times, long *memory)
{
  double begin = now();
  *times = (Times){INFINITY, INFINITY, INFINITY};
  PfSim *sim = start(text, times);
  *memory = peak_memory();
  while (now() - begin < SECONDS_TO_REPEAT) {
    pf_sim_close(sim);
    sim = start(text, times);
  }
  return sim;
}

static void step(PfSim *sim, Times *times)
{
  double begin = now();
  if (!pf_sim_step(sim)) stop(pf_sim_error(sim)->message);
  times->step = now() - begin;
}

/* ---------------------------------------------------------------- one evaluation */

typedef struct Evaluation {
  PfSolver *solver;
  const double *values;
  PfMotion motion;
  PfTrouble trouble;
} Evaluation;

static void accelerate(void *user)
{
  Evaluation *e = user;
  int row;
  e->trouble = pf_solver_accelerate(e->solver, e->values, &e->motion, &row);
}

static Evaluation make_evaluation(PfSim *sim)
{
  const PfSystem *system = pf_sim_complete_system(sim);
  const PfEquations *eq = pf_system_equations(system);
  Evaluation e = {.values = pf_sim_complete_values(sim)};
  PfContext *ctx = pf_sim_context(sim);
  if (pf_solver_new_at(ctx, system, pf_formulation_find("auto"), e.values, &e.solver) != PF_OK)
    stop(pf_context_message(ctx));
  e.motion.acceleration = room((size_t)eq->n, sizeof(double));
  e.motion.multiplier = room((size_t)eq->m, sizeof(double));
  accelerate(&e);
  if (e.trouble != PF_TROUBLE_NONE) stop("the start has no accelerations");
  return e;
}

static void free_evaluation(Evaluation *e)
{
  pf_solver_free(e->solver);
  free(e->motion.acceleration);
  free(e->motion.multiplier);
}

/* ---------------------------------------------------------------- output */

static void print(PfSim *sim, Evaluation *e, const Times *times, long memory)
{
  const PfEquations *eq = pf_system_equations(pf_sim_complete_system(sim));
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(pf_sim_context(sim)));
  pf_json_open(&json, NULL, '{');
  pf_json_integer(&json, "coordinates", eq->n);
  pf_json_integer(&json, "constraints", eq->m);
  pf_json_string(&json, "formulation", pf_formulation_name(pf_solver_formulation(e->solver)));
  pf_json_number(&json, "open", times->open);
  pf_json_number(&json, "ready", times->ready);
  pf_json_number(&json, "step", times->step);
  pf_json_number(&json, "evaluate", time_of_call(accelerate, e, SECONDS_TO_EVALUATE));
  pf_json_integer(&json, "memory", 1024LL*memory);
  pf_json_close(&json, '}');
  puts(pf_text_get(&json.text));
  pf_json_free(&json);
}

int main(int count, char **words)
{
  if (count != 2) stop("usage: bench_growth FILE");
  demand_fine_clock();
  char *text = read_text(words[1]);
  Times times;
  long memory;
  PfSim *sim = start_often(text, &times, &memory);
  Evaluation e = make_evaluation(sim); /* before the step: at the start */
  step(sim, &times);
  print(sim, &e, &times, memory);
  free_evaluation(&e);
  pf_sim_close(sim);
  free(text);
  return 0;
}
