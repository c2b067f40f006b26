/* SPDX-License-Identifier: Apache-2.0 */
/* The peer of bench_arm: MuJoCo on the same URDF, mj_step by its RK4, called from C.
 *
 *   arm_mujoco FILE STEP COUNT
 *
 * Contacts and limits of joints are off, since ours has none. bench/performance compiles it against the Python package,
 * which brings header and library. */
#include "timer.h"

#include <mujoco/mujoco.h>

enum { REPETITIONS = 15 };

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "arm_mujoco: %s\n", what);
  exit(1);
}

static mjModel *load(const char *file, double step)
{
  static char error[1000];
  mjModel *model = mj_loadXML(file, NULL, error, sizeof error);
  if (!model) stop(error);
  model->opt.integrator = mjINT_RK4;
  model->opt.timestep = step;
  model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  return model;
}

typedef struct Times {
  double whole, steps;
} Times;

/* Starts as arm.py says: joint i at 0.3 + 0.1 i. The coordinates at the end go to q. */
static int run(const char *file, double step, int count, Times *times, double *q)
{
  double begin = now();
  mjModel *model = load(file, step);
  mjData *data = mj_makeData(model);
  int n = (int)model->nq;
  if (n > 64) stop("too many joints");
  for (int i = 0; i < n; i++) data->qpos[i] = 0.3 + 0.1*(i + 1);
  double started = now();
  for (int i = 0; i < count; i++) mj_step(model, data);
  times->whole = fmin(times->whole, now() - begin);
  times->steps = fmin(times->steps, now() - started);
  for (int i = 0; i < n; i++) q[i] = data->qpos[i];
  mj_deleteData(data);
  mj_deleteModel(model);
  return n;
}

int main(int count, char **words)
{
  if (count != 4) stop("usage: arm_mujoco FILE STEP COUNT");
  demand_fine_clock();
  Times times = {INFINITY, INFINITY};
  double q[64];
  int n = 0;
  for (int i = 0; i < REPETITIONS; i++) n = run(words[1], atof(words[2]), atoi(words[3]), &times, q);
  printf("{\"version\": \"%s\", \"count\": %d, \"whole\": %.9g, \"steps\": %.9g, \"q\": [", mj_versionString(),
         atoi(words[3]), times.whole, times.steps);
  for (int i = 0; i < n; i++) printf("%s%.17g", i ? ", " : "", q[i]);
  printf("]}\n");
  return 0;
}
