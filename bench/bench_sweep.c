/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps: seconds of the processor for a member and a step on one thread, and of the clock on one and on two.
 *
 *   bench_sweep [--json] [ARM.pf]      a table, or JSON; with the arm of seven joints when it is given
 *
 * The robot is compared with what a core can do at most without fused operations: additions and multiplications of
 * vectors as wide as those of the lanes, in registers. Of the robot the operations of its accelerations are counted,
 * four times in a step, a division as one and a sine with its cosine as SINCOS. */
#include "form/closed.h"
#include "kernel/native.h"
#include "kernel/program.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SINCOS = 49 /* additions and multiplications in runtime/pf_sincos.def */, REPETITIONS = 5 };

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_sweep: %s\n", what);
  exit(1);
}

static char *read_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) stop(path);
  const size_t length = (size_t)ftell(file);
  char *text = calloc(length + 1, 1);
  rewind(file);
  if (!text || fread(text, 1, length, file) != length) stop(path);
  fclose(file);
  return text;
}

static char *read_example(const char *name)
{
  char path[400];
  snprintf(path, sizeof path, "%s/examples/%s", PF_SOURCE_DIR, name);
  return read_file(path);
}

/* ---------------------------------------------------------------- the processor */

typedef double Lanes __attribute__((vector_size(8*PF_LANES)));

/* Sixteen chains hide how long an operation takes; each is multiplied and added to. */
enum { CHAINS = 16, ROUNDS = 100000 };
#define CHAIN_LOOP                                                                                  \
  for (int i = 0; i < CHAINS; i++) x[i] = start + (double)i;                                        \
  for (int n = 0; n < ROUNDS; n++)                                                                  \
    for (int i = 0; i < CHAINS; i++) x[i] = x[i]*factor + shift;                                    \
  for (int i = 1; i < CHAINS; i++) x[0] += x[i];                                                    \
  *out = x[0];

#define PEAK(name, attribute)                                                                       \
  attribute static void name(const double *numbers, Lanes *out)                                     \
  {                                                                                                 \
    Lanes x[CHAINS], start = {0}, factor = start + numbers[0], shift = start + numbers[1];          \
    CHAIN_LOOP                                                                                      \
  }

PEAK(peak_plain, )
#if defined __x86_64__
PEAK(peak_avx2, __attribute__((target("avx2"))))
PEAK(peak_avx512, __attribute__((target("avx512f"))))
#endif

static void compute(void *user)
{
  static const double numbers[] = {0.999999, 1e-6};
  Lanes *out = user;
#if defined __x86_64__
  if (pf_lanes_best() == PF_LANES_AVX512) peak_avx512(numbers, out);
  else if (pf_lanes_best() == PF_LANES_AVX2) peak_avx2(numbers, out);
  else
#endif
    peak_plain(numbers, out);
}

/* Operations in a second of one core. */
static double find_peak(void)
{
  static Lanes out;
  const double seconds = time_of_call(compute, &out, 1);
  return 2.0*CHAINS*ROUNDS*PF_LANES/seconds;
}

/* ---------------------------------------------------------------- operations */

static double cost(const PfProgram *program)
{
  double sum = 0;
  for (uint32_t i = 0; i < program->count; i++) {
    const uint32_t op = program->values[i].op;
    if (op == PF_VALUE_CONSTANT || op == PF_VALUE_INPUT) continue;
    if (op == PF_TAPE_SIN || op == PF_TAPE_COS) sum += SINCOS/2.0; /* they come in pairs */
    else sum += pf_op_operands(op) > 1 ? pf_op_operands(op) - 1 : 1;
  }
  return sum;
}

/* Of the accelerations as lanes compute them. */
static double count_operations(const char *text)
{
  PfError error;
  PfSim *sim = pf_sim_open_text(text, &error);
  if (!sim) stop(error.message);
  PfContext *ctx = pf_sim_context(sim);
  const PfSystem *system = pf_sim_system(sim);
  const PfSymbols *in = pf_system_symbols(system);
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfClosedForm form;
  PfTape *tape;
  PfProgram program;
  if (!arena || pf_closed_form(ctx, arena, system, PF_CLOSED_SHORT, &form) != PF_OK ||
      pf_tape_new(ctx, in->symbol, in->lambda, form.acceleration, pf_system_equations(system)->n, &tape) != PF_OK ||
      pf_tape_program(ctx, arena, tape, &program) != PF_OK)
    stop(pf_context_message(ctx));
  const double sum = cost(&program);
  pf_tape_free(tape);
  pf_arena_free(arena);
  pf_sim_close(sim);
  return sum;
}

/* ---------------------------------------------------------------- sweeps */

typedef struct Figures {
  double members, cpu, wall, wall_two; /* seconds; cpu and wall on one thread */
} Figures;

static double run(PfSweep *sweep, int threads, double *cpu)
{
  PfSweepResult result;
  const PfSweepRunOptions how = {.threads = threads, .native = PF_NATIVE_ON};
  const double start = now();
  if (pf_sweep_run(sweep, &how, &result) != PF_OK) stop(pf_context_message(pf_sweep_context(sweep)));
  if (result.progress.failed) stop("members have failed");
  *cpu = now() - start;
  return result.progress.seconds;
}

/* The first run compiles; then one and two threads in turn, so that both meet the same machine. */
static Figures measure(const PfSweepSetting *settings, int count)
{
  PfContext *ctx = pf_context_new(NULL);
  PfSweep *sweep;
  double cpu;
  Figures f = {.cpu = INFINITY, .wall = INFINITY, .wall_two = INFINITY};
  if (pf_sweep_new(ctx, settings, count, &sweep) != PF_OK) stop(pf_context_message(ctx));
  f.members = (double)pf_sweep_count(sweep);
  (void)run(sweep, 2, &cpu);
  for (int i = 0; i < REPETITIONS; i++) {
    f.wall = fmin(f.wall, run(sweep, 1, &cpu));
    f.cpu = fmin(f.cpu, cpu);
    f.wall_two = fmin(f.wall_two, run(sweep, 2, &cpu));
  }
  pf_sweep_free(sweep);
  pf_context_free(ctx);
  return f;
}

/* Once on two threads, by the clock: everything included, the reading of the model as well. */
static double time_million(const char *model)
{
  const PfSweepSetting settings[] = {{"model", model}, {"axis", "F=0.5..2:4"}, {"random", "theta ~ normal(0, 0.1)"},
                                     {"n", "1000000"}, {"for", "3"}, {"take", "x"}};
  struct timespec start, end;
  PfContext *ctx = pf_context_new(NULL);
  PfSweep *sweep;
  double cpu;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (pf_sweep_new(ctx, settings, 6, &sweep) != PF_OK) stop(pf_context_message(ctx));
  (void)run(sweep, 2, &cpu);
  clock_gettime(CLOCK_MONOTONIC, &end);
  pf_sweep_free(sweep);
  pf_context_free(ctx);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9*(double)(end.tv_nsec - start.tv_nsec);
}

typedef struct Case {
  const char *name, *title;
  double steps; /* of a member; 0: not counted */
  Figures f;
} Case;

static void print_json(const Case *cases, int count, double peak, double operations, double million)
{
  printf("{\"peak\": %.9g, \"operations\": %.9g, \"million\": %.9g", peak, operations, million);
  for (int i = 0; i < count; i++)
    printf(",\n \"%s\": {\"members\": %.0f, \"steps\": %.0f, \"cpu\": %.9g, \"wall\": %.9g, \"wall_two\": %.9g}",
           cases[i].name, cases[i].f.members, cases[i].steps, cases[i].f.cpu, cases[i].f.wall, cases[i].f.wall_two);
  printf("}\n");
}

static void print_table(const Case *cases, int count, double peak, double operations)
{
  printf("%-44s %10s %12s %12s %10s\n", "", "members", "us for each", "ns a step", "2 threads");
  for (int i = 0; i < count; i++) {
    const Figures *f = &cases[i].f;
    printf("%-44s %10.0f %12.2f ", cases[i].title, f->members, 1e6*f->cpu/f->members);
    if (cases[i].steps > 0) printf("%12.1f", 1e9*f->cpu/f->members/cases[i].steps);
    else printf("%12s", "");
    printf(" %10.2f\n", f->wall/f->wall_two);
  }
  const Case *robot = cases + 2;
  const double rate = 4*operations*robot->steps*robot->f.members/robot->f.cpu;
  printf("\nrobot: %.0f operations for the accelerations, %.3g GFLOP/s, %.0f %% of %.3g\n", operations, 1e-9*rate,
         100*rate/peak, 1e-9*peak);
}

int main(int count, char **arguments)
{
  const bool json = count > 1 && !strcmp(arguments[1], "--json");
  const char *arm_file = count > 1 + json ? arguments[1 + json] : NULL;
  char *wheel = read_example("wheels/piano_wheel.pf"), *robot = read_example("spacecraft/free_floating.pf");
  char *arm = arm_file ? read_file(arm_file) : NULL;
  const PfSweepSetting motions[] = {{"model", wheel}, {"axis", "F=0.5..2:4"}, {"random", "theta ~ normal(0, 0.1)"},
                                    {"n", "100000"}, {"for", "3"}, {"take", "x"}};
  const PfSweepSetting shortest[] = {{"model", wheel}, {"axis", "F=0.5..2:200000"}, {"for", "1e-9"}, {"take", "x"}};
  const PfSweepSetting robots[] = {{"model", robot}, {"axis", "t=0..1e-6:1024"}, {"for", "60"}, {"by", "rk4"},
                                   {"step", "0.01"}, {"take", "t_end"}};
  const PfSweepSetting arms[] = {{"model", arm}, {"axis", "joint1=0..1:2000"}, {"for", "0.2"}, {"by", "rk4"},
                                 {"step", "0.001"}, {"take", "joint7"}};
  Case cases[] = {{"wheel", "piano wheel, 3 s by dopri5", 0, {.members = 0}},
                  {"step", "one step: what a member costs by itself", 0, {.members = 0}},
                  {"robot", "free-floating robot, 6000 steps of rk4", 6000, {.members = 0}},
                  {"arm", "arm of seven joints, 200 steps of rk4", 200, {.members = 0}}};
  demand_fine_clock();
  const double peak = find_peak(), operations = count_operations(robot);
  cases[0].f = measure(motions, 6);
  cases[1].f = measure(shortest, 4);
  cases[2].f = measure(robots, 6);
  if (arm) cases[3].f = measure(arms, 6);
  if (json) print_json(cases, arm ? 4 : 3, peak, operations, time_million(wheel));
  else print_table(cases, arm ? 4 : 3, peak, operations);
  free(wheel);
  free(robot);
  free(arm);
  return 0;
}
