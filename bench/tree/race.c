/* SPDX-License-Identifier: Apache-2.0 */
/* Times all contenders on one mechanism, in turn, in one process: race MODEL SECONDS CONTENDER.so…
 *
 * The first contender is ours; the others must give its results. Batches of about 60 microseconds, one of each
 * contender in turn until each has had SECONDS; the least mean of a batch counts. Calls too long to fit between two
 * interruptions are measured in time of the processor. Prints JSON. */
#define _POSIX_C_SOURCE 200809L
#include "contender.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16, TASKS = 3, MOST_ENTRIES = 4000, FEW = 8 };
static const double SECONDS_IN_BATCH = 60e-6, LONG_CALL = 1e-3;
static const char *const TASK_NAMES[TASKS] = {"forward", "inverse", "inertia"};

typedef struct Runner {
  const Contender *is;
  void *self;
  void (*task)(void *self);
  int calls;
  clockid_t clock;
  double best, spent, error;
} Runner;

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static _Noreturn void stop(const char *what, const char *which)
{
  fprintf(stderr, "race: %s %s\n", what, which);
  exit(1);
}

static void *room(size_t count, size_t size)
{
  void *block = calloc(count ? count : 1, size);
  if (!block) stop("out of memory", "");
  return block;
}

/* ---------------------------------------------------------------- mechanisms */

static void take(FILE *file, double *to, int count)
{
  for (int i = 0; i < count; i++)
    if (fscanf(file, "%lf", to + i) != 1) stop("bad number in", "model");
}

static void take_inertia(FILE *file, double I[9])
{
  double six[6];
  take(file, six, 6);
  const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  for (int i = 0; i < 9; i++) I[i] = six[at[i]];
}

static void take_body(FILE *file, Mechanism *m, BodyData *b)
{
  static const struct { const char *name; int nq, nv; } KINDS[] = {{"revolute", 1, 1}, {"ball", 4, 3}, {"free", 7, 6}};
  char word[16];
  if (fscanf(file, "%d %15s", &b->parent, word) != 2) stop("bad line in", "model");
  for (int i = 0; i < 3; i++)
    if (strcmp(word, KINDS[i].name) == 0) b->kind = (Kind)i, b->nq = KINDS[i].nq, b->nv = KINDS[i].nv;
  if (!b->nv) stop("unknown joint", word);
  take(file, b->R, 9);
  take(file, b->offset, 3);
  take(file, &b->mass, 1);
  take(file, b->com, 3);
  take_inertia(file, b->inertia);
  take(file, b->axes, 9);
  take(file, b->moments, 3);
  b->q = m->nq, b->v = m->nv;
  take(file, m->q + b->q, b->nq);
  double *const rates[] = {m->v, m->tau, m->vdot};
  for (int i = 0; i < 3; i++) take(file, rates[i] + b->v, b->nv);
  m->nq += b->nq, m->nv += b->nv;
}

static Mechanism read_mechanism(const char *path)
{
  Mechanism m = {0};
  FILE *file = fopen(path, "r");
  if (!file || fscanf(file, "%d", &m.count) != 1) stop("cannot read", path);
  take(file, m.gravity, 3);
  const size_t n = (size_t)m.count;
  m.bodies = room(n, sizeof *m.bodies);
  m.q = room(7*n, sizeof(double));
  m.v = room(6*n, sizeof(double));
  m.tau = room(6*n, sizeof(double));
  m.vdot = room(6*n, sizeof(double));
  for (int k = 0; k < m.count; k++) take_body(file, &m, &m.bodies[k]);
  fclose(file);
  return m;
}

/* ---------------------------------------------------------------- agreement */

static double largest(const double *a, int n)
{
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  return size;
}

/* Largest difference, divided by the largest number of `right`; not a number stays one. */
static double distance(const double *a, const double *right, int n)
{
  double apart = 0;
  for (int i = 0; i < n; i++) {
    const double d = fabs(a[i] - right[i]);
    if (!(d <= apart)) apart = d;
  }
  return apart/largest(right, n);
}

static double matrix_distance(const Runner *a, const Runner *right, const Mechanism *m)
{
  const int first = m->bodies[0].kind == KIND_FREE ? 6 : 0;
  double apart = 0, size = 0;
  for (int i = m->nv - 1; i >= first; i--)
    for (int j = i; j >= first; j--) {
      const double x = right->is->entry(right->self, i, j), d = fabs(a->is->entry(a->self, i, j) - x);
      size = fmax(size, fabs(x));
      if (!(d <= apart)) apart = d;
    }
  return apart/size;
}

static double disagreement(const Runner *a, const Runner *ours, const Mechanism *m, int task)
{
  if (task == 2) return a->is->entry ? matrix_distance(a, ours, m) : 0;
  double *x = room((size_t)m->nv, sizeof *x), *right = room((size_t)m->nv, sizeof *right);
  (task == 0 ? a->is->accelerations : a->is->torques)(a->self, x);
  (task == 0 ? ours->is->accelerations : ours->is->torques)(ours->self, right);
  const double error = distance(x, right, m->nv);
  free(x);
  free(right);
  return error;
}

/* ---------------------------------------------------------------- time */

/* A batch of few calls would mostly show how the contenders push each other out of the caches: one call goes before. */
static double batch(Runner *runner)
{
  if (runner->calls < FEW) runner->task(runner->self);
  const double start = now(runner->clock);
  for (int i = 0; i < runner->calls; i++) runner->task(runner->self);
  const double spent = now(runner->clock) - start;
  runner->spent += spent;
  runner->best = fmin(runner->best, spent/runner->calls);
  return spent;
}

/* How many calls make a batch. */
static void warm_up(Runner *runner)
{
  runner->calls = 1;
  runner->clock = CLOCK_MONOTONIC;
  runner->best = INFINITY;
  for (int i = 0; i < 5; i++)
    if (batch(runner) > 1) break;
  const double calls = SECONDS_IN_BATCH/runner->best;
  runner->calls = calls > 1 ? (int)calls : 1;
  if (runner->best > LONG_CALL) runner->clock = CLOCK_PROCESS_CPUTIME_ID;
  runner->best = INFINITY;
  runner->spent = 0;
}

static void compete(Runner *runners, int count, double seconds)
{
  for (int i = 0; i < count; i++)
    if (runners[i].task) warm_up(&runners[i]);
  for (int pending = 1; pending;) {
    pending = 0;
    for (int i = 0; i < count; i++) {
      if (!runners[i].task || runners[i].spent >= seconds) continue;
      batch(&runners[i]);
      pending = 1;
    }
  }
}

/* ---------------------------------------------------------------- all of it */

static int enter(const char *path, const Mechanism *m, Runner *runners, int count)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const Contender *list = library ? (const Contender *)dlsym(library, "contenders") : NULL;
  if (!list) {
    fprintf(stderr, "race: without %s: %s\n", path, dlerror());
    return count;
  }
  for (; list->name && count < MOST; list++) {
    if (list->most_bodies && m->count > list->most_bodies) continue;
    void *self = list->open(m);
    if (self) runners[count++] = (Runner){.is = list, .self = self};
  }
  return count;
}

static void set_task(Runner *runner, int task)
{
  const Contender *is = runner->is;
  runner->task = task == 0 ? is->forward : task == 1 ? is->inverse : is->inertia;
}

static void race_task(const Mechanism *m, Runner *runners, int count, int task, double seconds)
{
  for (int i = 0; i < count; i++) set_task(&runners[i], task);
  if (task == 2 && m->nv > MOST_ENTRIES) return;
  for (int i = 0; i < count; i++)
    if (runners[i].task) {
      runners[i].task(runners[i].self);
      runners[i].error = disagreement(&runners[i], &runners[0], m, task);
    }
  compete(runners, count, seconds);
  printf(", \"%s\": {", TASK_NAMES[task]);
  const char *comma = "";
  for (int i = 0; i < count; i++) {
    if (!runners[i].task) continue;
    const Runner *r = &runners[i];
    printf("%s\"%s\": {\"ns\": %.1f, \"error\": %.2g}", comma, r->is->name,
           r->best*1e9/(r->is->states ? r->is->states : 1), r->error);
    comma = ", ";
  }
  printf("}");
}

/* Accelerations that are known: in the place of vdot. */
static int check_reference(const char *path, const char *ours)
{
  Mechanism m = read_mechanism(path);
  Runner runner[MOST];
  if (enter(ours, &m, runner, 0) != 1) return 1;
  double *x = room((size_t)m.nv, sizeof *x), worst = 0;
  runner->is->forward(runner->self);
  runner->is->accelerations(runner->self, x);
  for (int i = 0; i < m.nv; i++) worst = fmax(worst, fabs(x[i] - m.vdot[i])/fmax(1, fabs(m.vdot[i])));
  printf("{\"componentwise\": %.3g, \"relative\": %.3g}\n", worst, distance(x, m.vdot, m.nv));
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 4 && strcmp(argv[2], "reference") == 0) return check_reference(argv[1], argv[3]);
  if (argc < 4) stop("usage: race MODEL SECONDS CONTENDER.so…, or race MODEL reference CONTENDER.so", "");
  Mechanism m = read_mechanism(argv[1]);
  Runner runners[MOST];
  int count = 0;
  for (int i = 3; i < argc; i++) {
    count = enter(argv[i], &m, runners, count);
    if (!count) stop("cannot do without", argv[i]);
  }
  const Contender *ours = runners[0].is;
  printf("{\"bodies\": %d, \"bytes\": %.0f", m.count, ours->bytes ? ours->bytes(runners[0].self) : 0.0);
  for (int task = 0; task < TASKS; task++) race_task(&m, runners, count, task, atof(argv[2]));
  printf("}\n");
  return 0;
}
