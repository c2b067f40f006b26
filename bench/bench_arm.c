/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of RK4 per second, as JSON:
 *
 *   bench_arm FILE STEP COUNT
 *
 * A model from its text, COUNT steps of STEP seconds by rk4 and the default formulation, native code as the program
 * takes it: made in the background, kept for the next time. Seconds of the processor, the
 * least of several repetitions: of all of it, and of the steps alone. The coordinates at the end are for comparison. */
#include "out/out.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPETITIONS = 15 };

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_arm: %s\n", what);
  exit(1);
}

static void demand(bool good, const PfSim *sim)
{
  if (!good) stop(pf_sim_error(sim)->message);
}

typedef struct Times {
  double whole, steps;
} Times;

static PfSim *run(const char *file, double step, int count, Times *times)
{
  PfError error;
  double begin = now();
  PfSim *sim = pf_sim_open(file, &error);
  if (!sim) stop(error.message);
  demand(pf_sim_set_native(sim, PF_NATIVE_AUTO), sim);
  PfRunOptions o = pf_sim_options(sim);
  o.method = "rk4";
  o.step = step;
  demand(pf_sim_set_options(sim, &o) && pf_sim_start(sim), sim);
  double started = now();
  demand(pf_sim_advance(sim, count*step), sim);
  times->whole = fmin(times->whole, now() - begin);
  times->steps = fmin(times->steps, now() - started);
  return sim;
}

static void print(PfSim *sim, const Times *times)
{
  const PfSample *sample = pf_sim_sample(sim);
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(pf_sim_context(sim)));
  pf_json_open(&json, NULL, '{');
  pf_json_integer(&json, "count", pf_sim_result(sim).steps);
  pf_json_number(&json, "whole", times->whole);
  pf_json_number(&json, "steps", times->steps);
  pf_json_open(&json, "q", '[');
  for (int i = 0; sample && i < pf_sim_equations(sim)->n; i++) pf_json_number(&json, NULL, sample->q[i]);
  pf_json_close(&json, ']');
  pf_json_close(&json, '}');
  puts(pf_text_get(&json.text));
  pf_json_free(&json);
}

int main(int count, char **words)
{
  if (count != 4) stop("usage: bench_arm FILE STEP COUNT");
  demand_fine_clock();
  Times times = {INFINITY, INFINITY};
  PfSim *sim = run(words[1], atof(words[2]), atoi(words[3]), &times);
  for (int i = 1; i < REPETITIONS; i++) {
    pf_sim_close(sim);
    sim = run(words[1], atof(words[2]), atoi(words[3]), &times);
  }
  print(sim, &times);
  pf_sim_close(sim);
  return 0;
}
