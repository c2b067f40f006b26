/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes from the text of a model to equations that can be called, and how long a call takes.
 *
 *   bench_derive snakeboard      the file examples/skates/snakeboard.pf
 *   bench_derive cart N          a cart with a pendulum of N links in the plane, given by its energies
 *   bench_derive chain N         N bodies in space, axes and inertias in general position
 *
 * Prints one JSON object: times in seconds, counts, peak memory, and M and F at a state, for comparison with others.
 * One case per process, so that the peak memory is that of the case. All times are of the processor. */
#include "out/out.h"
#include "pfaff/pfaff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_TEXT = 1 << 16, MOST_REPETITIONS = 1000 };
static const double SECONDS_TO_REPEAT = 0.6, SECONDS_TO_EVALUATE = 0.5, SECONDS_IN_BATCH = 200e-6;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static void keep_smaller(double *least, double value)
{
  if (*least == 0 || value < *least) *least = value;
}

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_derive: %s\n", what);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("out of memory");
  return block;
}

/* ---------------------------------------------------------------- models */

static void print_cart(char *text, int n)
{
  snprintf(text, MOST_TEXT,
           "model cart \"Cart with a pendulum of many links\"\n"
           "param g, m0, m[%d], l[%d]\n"
           "coord x, q[%d]\n"
           "kinetic m0/2*x'^2\n"
           "for i in 1..%d {\n"
           "  let px = x + sum(j in 1..i, l[j]*cos(q[j]))\n"
           "  let py = sum(j in 1..i, l[j]*sin(q[j]))\n"
           "  kinetic m[i]/2*(px'^2 + py'^2)\n"
           "  potential m[i]*g*py\n"
           "}\n",
           n, n, n, n);
}

static void print_chain(char *text, int n)
{
  snprintf(text, MOST_TEXT,
           "model chain \"Bodies in space, axes and inertias in general position\"\n"
           "param g, m[%d], px[%d], py[%d], pz[%d], ax[%d], ay[%d], az[%d], cx[%d], cy[%d], cz[%d]\n"
           "param Ixx[%d], Iyy[%d], Izz[%d], Ixy[%d], Iyz[%d], Ixz[%d]\n"
           "coord q[%d]\n"
           "gravity (0, 0, -g)\n"
           "frame link[0] in ground\n"
           "for i in 1..%d {\n"
           "  body link[i] in link[i - 1] at (px[i], py[i], pz[i]) turn q[i] about (ax[i], ay[i], az[i]) {\n"
           "    mass m[i]\n"
           "    com (cx[i], cy[i], cz[i])\n"
           "    inertia inertia(Ixx[i], Iyy[i], Izz[i], Ixy[i], Iyz[i], Ixz[i])\n"
           "  }\n"
           "}\n",
           n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
}

static void read_snakeboard(char *text)
{
  FILE *file = fopen(PF_SOURCE_DIR "/examples/skates/snakeboard.pf", "rb");
  if (!file) stop("no examples/skates/snakeboard.pf");
  text[fread(text, 1, MOST_TEXT - 1, file)] = '\0';
  fclose(file);
}

static void find_text(int count, char **words, char *text)
{
  int n = count == 3 ? atoi(words[2]) : 0;
  const char *name = count > 1 ? words[1] : "";
  if (count == 2 && !strcmp(name, "snakeboard")) read_snakeboard(text);
  else if (n > 0 && !strcmp(name, "cart")) print_cart(text, n);
  else if (n > 0 && !strcmp(name, "chain")) print_chain(text, n);
  else stop("usage: bench_derive snakeboard | cart N | chain N");
}

/* ---------------------------------------------------------------- from text to tape */

/* Everything that is made on the way. */
typedef struct System {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations equations;
  PfSymbols symbols;
  PfExpr *roots; /* M by rows, then F */
  int root_count;
  PfTape *tape;
} System;

typedef struct Times {
  double read, derive, tape, all, evaluate; /* the least of all repetitions */
  int repetitions;
} Times;

static PfStatus make_tape(System *system)
{
  const PfEquations *eq = &system->equations;
  size_t n = (size_t)eq->n;
  PF_TRY(pf_equations_symbols(system->ctx, system->arena, system->model, &system->symbols));
  system->root_count = (int)(n*n + n);
  system->roots = room(n*n + n, sizeof *system->roots);
  memcpy(system->roots, eq->M, n*n*sizeof *eq->M);
  memcpy(system->roots + n*n, eq->F, n*sizeof *eq->F);
  return pf_tape_new(system->ctx, system->symbols.symbol, system->symbols.count, system->roots,
                     system->root_count, &system->tape);
}

static PfStatus make_steps(System *system, const char *text, Times *times)
{
  double start = now();
  system->ctx = pf_context_new(NULL);
  system->arena = pf_arena_new(NULL);
  if (!system->ctx || !system->arena) stop("out of memory");
  PF_TRY(pf_model_read(system->ctx, "bench", text, strlen(text), &system->model));
  double read = now();
  PF_TRY(pf_equations_derive(system->ctx, system->arena, system->model, &system->equations));
  double derived = now();
  PF_TRY(make_tape(system));
  double end = now();
  keep_smaller(&times->read, read - start);
  keep_smaller(&times->derive, derived - read);
  keep_smaller(&times->tape, end - derived);
  keep_smaller(&times->all, end - start);
  times->repetitions++;
  return PF_OK;
}

static System make(const char *text, Times *times)
{
  System system = {0};
  if (make_steps(&system, text, times) != PF_OK) stop(pf_context_message(system.ctx));
  return system;
}

static void discard(System *system)
{
  pf_tape_free(system->tape);
  free(system->roots);
  pf_arena_free(system->arena);
  pf_model_free(system->model);
  pf_context_free(system->ctx);
}

/* Makes the system again and again, each time in a fresh context; the last one stays. */
static System make_often(const char *text, Times *times)
{
  System system = make(text, times);
  for (double begin = now(); now() - begin < SECONDS_TO_REPEAT && times->repetitions < MOST_REPETITIONS;) {
    discard(&system);
    system = make(text, times);
  }
  return system;
}

/* ---------------------------------------------------------------- evaluation */

typedef struct State {
  double *inputs, *outputs, *work;
} State;

/* Numbers between 0.2 and 1.2 that look arbitrary and are the same on every machine. */
static State make_state(const System *system)
{
  State state = {.inputs = room((size_t)system->symbols.count, sizeof(double)),
                 .outputs = room((size_t)system->root_count, sizeof(double)),
                 .work = room(pf_tape_work_size(system->tape), sizeof(double))};
  uint32_t random = 12345;
  for (int i = 0; i < system->symbols.count; i++) {
    random = 1664525u*random + 1013904223u;
    state.inputs[i] = 0.2 + (double)(random >> 8)/(1 << 24);
  }
  return state;
}

static double time_of_batch(const System *system, const State *state, int size)
{
  double start = now();
  for (int i = 0; i < size; i++) pf_tape_run(system->tape, state->inputs, state->outputs, state->work);
  return now() - start;
}

/* As many evaluations as the clock needs to be exact; a single batch may be slow by chance. */
static int find_batch_size(const System *system, const State *state)
{
  for (int size = 1;; size *= 2) {
    double least = 0;
    for (int i = 0; i < 5; i++) keep_smaller(&least, time_of_batch(system, state, size));
    if (least >= SECONDS_IN_BATCH) return size;
  }
}

/* Many short batches: the shortest one was not disturbed by anything else on the machine. */
static void evaluate(const System *system, const State *state, Times *times)
{
  int size = find_batch_size(system, state);
  for (double begin = now(); now() - begin < SECONDS_TO_EVALUATE;)
    keep_smaller(&times->evaluate, time_of_batch(system, state, size)/size);
}

/* ---------------------------------------------------------------- output */

static void add_numbers(PfJson *json, const char *key, const double *values, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_number(json, NULL, values[i]);
  pf_json_close(json, ']');
}

static void add_costs(PfJson *json, const System *system, const Times *times)
{
  struct rusage usage;
  PfCount count;
  getrusage(RUSAGE_SELF, &usage); /* before the count, which is not part of the way */
  if (pf_expr_operations(system->ctx, system->roots, system->root_count, &count) != PF_OK)
    stop(pf_context_message(system->ctx));
  pf_json_integer(json, "repetitions", times->repetitions);
  pf_json_number(json, "read", times->read);
  pf_json_number(json, "derive", times->derive);
  pf_json_number(json, "tape", times->tape);
  pf_json_number(json, "all", times->all);
  pf_json_number(json, "evaluate", times->evaluate);
  pf_json_integer(json, "operations",
                  (long long)count.additions + count.multiplications + count.divisions + count.functions);
  pf_json_integer(json, "instructions", pf_tape_instruction_count(system->tape));
  pf_json_integer(json, "memory", 1024LL*usage.ru_maxrss);
}

static void add_state(PfJson *json, const System *system, const State *state)
{
  int n = system->equations.n;
  pf_json_open(json, "state", '{');
  for (int i = 0; i < system->symbols.count; i++)
    pf_json_number(json, pf_expr_symbol_name(system->ctx, system->symbols.symbol[i]), state->inputs[i]);
  pf_json_close(json, '}');
  add_numbers(json, "M", state->outputs, n*n);
  add_numbers(json, "F", state->outputs + (size_t)n*(size_t)n, n);
}

int main(int count, char **words)
{
  static char text[MOST_TEXT];
  Times times = {0};
  find_text(count, words, text);
  System system = make_often(text, &times);
  State state = make_state(&system);
  evaluate(&system, &state, &times);

  PfJson json;
  pf_json_begin(&json, pf_context_allocator(system.ctx));
  pf_json_open(&json, NULL, '{');
  pf_json_string(&json, "case", words[1]);
  pf_json_integer(&json, "n", count > 2 ? atoi(words[2]) : system.equations.n);
  add_costs(&json, &system, &times);
  add_state(&json, &system, &state);
  pf_json_close(&json, '}');
  puts(pf_text_get(&json.text));
  pf_json_free(&json);

  free(state.inputs);
  free(state.outputs);
  free(state.work);
  discard(&system);
  return 0;
}
