/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps: seconds of the processor for a member, on one thread, and of the clock on one and on two. Prints its own
 * table. */
#include "pfaff/pfaff.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_sweep: %s\n", what);
  exit(1);
}

static char *read_text(const char *name)
{
  char path[400];
  snprintf(path, sizeof path, "%s/examples/%s", PF_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) stop(path);
  const size_t length = (size_t)ftell(file);
  char *text = calloc(length + 1, 1);
  rewind(file);
  if (!text || fread(text, 1, length, file) != length) stop(path);
  fclose(file);
  return text;
}

typedef struct Figures {
  double cpu, wall; /* seconds */
} Figures;

static Figures run(const PfSweepWord *words, int count, int threads)
{
  PfContext *ctx = pf_context_new(NULL);
  PfSweep *sweep;
  PfSweepResult result;
  PfSweepHow how = {.threads = threads, .native = PF_NATIVE_ON};
  if (pf_sweep_new(ctx, words, count, &sweep) != PF_OK) stop(pf_context_message(ctx));
  (void)pf_sweep_run(sweep, &how, &result); /* what is compiled is found by the next one */
  const double start = now();
  if (pf_sweep_run(sweep, &how, &result) != PF_OK) stop(pf_context_message(ctx));
  const Figures figures = {now() - start, result.progress.seconds};
  if (result.progress.failed) stop("members have failed");
  pf_sweep_free(sweep);
  pf_context_free(ctx);
  return figures;
}

static void show(const char *what, const PfSweepWord *words, int count, double members)
{
  const Figures one = run(words, count, 1), two = run(words, count, 2);
  printf("%-44s %10.0f %12.2f %10.2f\n", what, members, 1e6*one.cpu/members, one.wall/two.wall);
}

int main(void)
{
  char *wheel = read_text("wheels/piano_wheel.pf"), *robot = read_text("spacecraft/free_floating.pf");
  const PfSweepWord motions[] = {{"model", wheel}, {"axis", "F=0.5..2:4"}, {"random", "theta ~ normal(0, 0.1)"},
                                 {"n", "100000"}, {"for", "3"}, {"take", "x"}};
  const PfSweepWord shortest[] = {{"model", wheel}, {"axis", "F=0.5..2:200000"}, {"for", "1e-9"}, {"take", "x"}};
  const PfSweepWord robots[] = {{"model", robot}, {"axis", "t=0..1e-6:5000"}, {"for", "1"}, {"by", "rk4"},
                                {"step", "0.01"}, {"take", "t_end"}};
  printf("%-44s %10s %12s %10s\n", "", "members", "us for each", "2 threads");
  show("piano wheel, 3 s by dopri5", motions, 6, 100000);
  show("one step: what a member costs by itself", shortest, 4, 200000);
  show("free-floating robot, 100 steps of rk4", robots, 6, 5000);
  free(wheel);
  free(robot);
  return 0;
}
