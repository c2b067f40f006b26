/* SPDX-License-Identifier: Apache-2.0 */
/* Speed of the studies, as JSON:
 *
 *   bench_study bicycle     the Whipple bicycle from its text: its linear model at 100 speeds
 *   bench_study carriage    a continuation of 1,000 points of the carriage on omni wheels, from its text
 *
 * The least of several repetitions, each in a fresh context. Seconds of the processor. */
#include "pfaff/pfaff.h"

#include "study/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPEEDS = 100, REPETITIONS = 7 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void check(PfContext *ctx, PfStatus status)
{
  if (status == PF_OK) return;
  fprintf(stderr, "bench_study: %s\n", pf_context_message(ctx));
  exit(1);
}

typedef struct Case {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations eq;
  PfSystem *system;
  PfDynamics *field;
  double *values, *given;
} Case;

static void open_case(Case *c, const char *file)
{
  PfStart start;
  *c = (Case){.ctx = pf_context_new(NULL), .arena = pf_arena_new(NULL)};
  check(c->ctx, pf_model_load(c->ctx, file, &c->model));
  check(c->ctx, pf_equations_derive(c->ctx, c->arena, c->model, &c->eq));
  check(c->ctx, pf_system_new(c->ctx, &c->eq, &c->system));
  c->values = pf_arena_array(c->arena, double, pf_system_symbols(c->system)->count);
  c->given = pf_arena_array(c->arena, double, c->model->parameter_count);
  for (int i = 0; i < c->model->parameter_count; i++) c->given[i] = NAN;
  check(c->ctx, pf_equations_start(c->ctx, &c->eq, c->given, c->values));
  check(c->ctx, pf_start_correct(c->ctx, c->system, c->values, &start));
  check(c->ctx, pf_dynamics_new(c->ctx, c->system, c->given, NULL, &c->field));
  check(c->ctx, pf_dynamics_place(c->field, c->values));
  check(c->ctx, pf_dynamics_chart(c->field, NULL));
}

static void close_case(Case *c)
{
  pf_dynamics_free(c->field);
  pf_system_free(c->system);
  pf_model_free(c->model);
  pf_arena_free(c->arena);
  pf_context_free(c->ctx);
}

/* ---------------------------------------------------------------- bicycle */

/* Gives the time until the equations are ready, and until all speeds are done. */
static void bicycle(double *ready, double *done, PfLinear *last)
{
  Case c;
  double start = now();
  open_case(&c, PF_SOURCE_DIR "/examples/wheels/bicycle.pf");
  *ready = now() - start;
  int v = pf_model_find_parameter(c.model, "v"), inputs[] = {0, 1};
  for (int k = 1; k <= SPEEDS; k++) {
    c.given[v] = 0.1*k;
    check(c.ctx, pf_equations_start(c.ctx, &c.eq, c.given, c.values));
    check(c.ctx, pf_dynamics_place(c.field, c.values));
    check(c.ctx, pf_linearize(c.ctx, c.arena, c.field, inputs, 2, last));
  }
  *done = now() - start;
  static double re[32], im[32]; /* survive the arena */
  memcpy(re, last->re, (size_t)last->states*sizeof *re);
  memcpy(im, last->im, (size_t)last->states*sizeof *im);
  last->re = re, last->im = im;
  close_case(&c);
}

static void print_bicycle(void)
{
  double least[2] = {INFINITY, INFINITY}, ready, done;
  PfLinear last;
  for (int i = 0; i < REPETITIONS; i++) {
    bicycle(&ready, &done, &last);
    least[0] = fmin(least[0], ready), least[1] = fmin(least[1], done);
  }
  printf("{\"ready\": %.6g, \"seconds\": %.6g, \"speeds\": %d, \"v\": %.17g, \"eigenvalues\": [", least[0], least[1],
         SPEEDS, 0.1*SPEEDS);
  for (int k = 0; k < last.states; k++) printf("%s[%.17g, %.17g]", k ? ", " : "", last.re[k], last.im[k]);
  printf("]}\n");
}

/* ---------------------------------------------------------------- carriage */

static int carriage(double *seconds, double *threshold)
{
  Case c;
  PfContinuation r;
  double start = now();
  open_case(&c, PF_SOURCE_DIR "/examples/wheels/carriage_steady.pf");
  PfContinueOptions options = {.steady = {.kind = PF_STEADY}, .parameter = pf_model_find_parameter(c.model, "n2"),
                               .from = 8, .to = 18, .points = 220};
  check(c.ctx, pf_continue(c.ctx, c.arena, c.field, &options, &r));
  *seconds = now() - start;
  int points = 0;
  for (int b = 0; b < r.branch_count; b++) points += r.branches[b].count;
  for (int i = 0; i < r.special_count; i++)
    if (r.specials[i].kind == PF_BRANCH) *threshold = r.specials[i].parameter;
  close_case(&c);
  return points;
}

static void print_carriage(void)
{
  double least = INFINITY, seconds, threshold = NAN;
  int points = 0;
  for (int i = 0; i < REPETITIONS; i++) {
    points = carriage(&seconds, &threshold);
    least = fmin(least, seconds);
  }
  printf("{\"seconds\": %.6g, \"points\": %d, \"threshold\": %.17g}\n", least, points, threshold);
}

int main(int argc, char **argv)
{
  if (argc == 2 && !strcmp(argv[1], "bicycle")) print_bicycle();
  else if (argc == 2 && !strcmp(argv[1], "carriage")) print_carriage();
  else {
    fputs("usage: bench_study bicycle | carriage\n", stderr);
    return 2;
  }
  return 0;
}
