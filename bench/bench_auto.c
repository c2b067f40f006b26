/* SPDX-License-Identifier: Apache-2.0 */
/* One evaluation of the accelerations by 'auto' and by every formulation that applies, as JSON:
 *
 *   bench_auto FILE
 *
 * At the start of the model. One model per process: where memory lies after many others changes the times of small
 * systems by a third. Batches of all solvers in turn, so that a busy machine harms all alike; the least mean of
 * a batch counts. Seconds of the processor. */
#include "out/out.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOLVERS = 24, ROUNDS = 60 };

static _Noreturn void stop(const char *where, const char *what)
{
  fprintf(stderr, "bench_auto: %s: %s\n", where, what);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("memory", "there is none left");
  return block;
}

typedef struct Contender {
  PfSolver *solver;
  const double *values;
  PfMotion motion;
  PfTrouble trouble;
  int batch;
  double seconds;
} Contender;

typedef struct Race {
  PfSim *sim;
  PfArena *arena;
  PfEquations equations; /* written out, also where the simulation has an outline */
  PfSystem *system;
  Contender contenders[MOST_SOLVERS]; /* the first is by 'auto' */
  int count;
} Race;

static void accelerate(void *user)
{
  Contender *c = user;
  int row;
  c->trouble = pf_solver_accelerate(c->solver, c->values, &c->motion, &row);
}

/* One that does not apply to the model, or not at its start, does not take part. */
static void enter(Race *race, const PfSystem *system, const PfFormulation *formulation)
{
  const PfEquations *eq = pf_system_equations(system);
  PfContext *ctx = pf_sim_context(race->sim);
  Contender *c = race->contenders + race->count;
  *c = (Contender){.values = pf_sim_values(race->sim), .seconds = INFINITY};
  if (race->count == MOST_SOLVERS || pf_solver_new_at(ctx, system, formulation, c->values, &c->solver) != PF_OK) {
    pf_diagnostics_clear(ctx);
    return;
  }
  c->motion.acceleration = room((size_t)eq->n, sizeof(double));
  c->motion.multiplier = room((size_t)eq->m, sizeof(double));
  accelerate(c);
  if (c->trouble != PF_TROUBLE_NONE) {
    pf_solver_free(c->solver);
    free(c->motion.acceleration);
    free(c->motion.multiplier);
    return;
  }
  c->batch = find_batch_size(accelerate, c);
  race->count++;
}

static void open_race(Race *race, const char *file)
{
  PfError error;
  *race = (Race){.sim = pf_sim_open(file, &error), .arena = pf_arena_new(NULL)};
  if (!race->sim) stop(file, error.message);
  if (!pf_sim_place(race->sim)) stop(file, pf_sim_error(race->sim)->message);
  PfContext *ctx = pf_sim_context(race->sim);
  if (pf_equations_derive(ctx, race->arena, pf_sim_model(race->sim), &race->equations) != PF_OK ||
      pf_system_new(ctx, &race->equations, &race->system) != PF_OK)
    stop(file, pf_context_message(ctx));
  enter(race, pf_sim_system(race->sim), pf_formulation_find("auto"));
  if (!race->count) stop(file, "'auto' has no accelerations");
  for (int i = 0; pf_formulation(i); i++) enter(race, race->system, pf_formulation(i));
}

static void close_race(Race *race)
{
  for (int i = 0; i < race->count; i++) {
    pf_solver_free(race->contenders[i].solver);
    free(race->contenders[i].motion.acceleration);
    free(race->contenders[i].motion.multiplier);
  }
  pf_system_free(race->system);
  pf_arena_free(race->arena);
  pf_sim_close(race->sim);
}

static void run(Race *race)
{
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < race->count; i++) {
      Contender *c = race->contenders + i;
      c->seconds = fmin(c->seconds, time_of_batch(accelerate, c, c->batch)/c->batch);
    }
}

static const char *name_of(const Contender *c)
{
  return pf_formulation_name(pf_solver_formulation(c->solver));
}

static void print(PfJson *json, const Race *race, const char *file)
{
  const char *slash = strrchr(file, '/');
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", slash ? slash + 1 : file);
  pf_json_integer(json, "coordinates", race->equations.n);
  pf_json_integer(json, "constraints", race->equations.m);
  pf_json_string(json, "chosen", name_of(race->contenders));
  pf_json_number(json, "auto", race->contenders[0].seconds);
  pf_json_open(json, "formulations", '{');
  for (int i = 1; i < race->count; i++)
    pf_json_number(json, name_of(race->contenders + i), race->contenders[i].seconds);
  pf_json_close(json, '}');
  pf_json_close(json, '}');
}

int main(int count, char **words)
{
  if (count != 2) stop("usage", "bench_auto FILE");
  demand_fine_clock();
  Race race;
  PfAllocator allocator = {.resize = pf_standard_resize};
  PfJson json;
  open_race(&race, words[1]);
  run(&race);
  pf_json_begin(&json, &allocator);
  print(&json, &race, words[1]);
  puts(pf_text_get(&json.text));
  pf_json_free(&json);
  close_race(&race);
  return 0;
}
