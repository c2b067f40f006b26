/* SPDX-License-Identifier: Apache-2.0 */
/* A consistent start, and how far a state is off the constraints. */
#include "fmu_core.h"

#include <math.h>
#include <string.h>

/* What may be moved: first what neither the model nor the importer gives, then what the importer has not set, then
 * all. */
static int model_fmu_is_free(const model_fmu_data *d, int level, int i, int stage)
{
  const int set = level ? d->held_v[i] : d->held_q[i];
  return stage == 2 || (!set && (stage == 1 || !model_fmu_given[level*MODEL_N + i]));
}

/* What is left of the constraints at a level; its largest. */
static double model_fmu_miss(const model_fmu_data *d, const model_state *x, int level, double *miss)
{
  double other[MODEL_FMU_M1] = {0}, most = 0;
  int k;
  for (k = 0; k < MODEL_M; k++) miss[k] = 0;
  if (level) model_fmu_violations(&d->p, x, &d->u, other, miss);
  else model_fmu_violations(&d->p, x, &d->u, miss, other);
  for (k = 0; k < MODEL_M; k++)
    if (!(fabs(miss[k]) <= most)) most = fabs(miss[k]);
  return most;
}

/* The smallest change of what is free, by the masses, that takes the constraints to zero in linear approximation; a
 * little softer, so that redundant rows do no harm. */
static int model_fmu_change(const model_fmu_data *d, const model_state *x, int level, int stage, const double *miss,
                            double *change)
{
  double M[MODEL_N*MODEL_N], F[MODEL_N], A[MODEL_FMU_M1*MODEL_N] = {0}, b[MODEL_FMU_M1];
  double S[MODEL_FMU_M1*MODEL_FMU_M1], y[MODEL_FMU_M1], ease[MODEL_N], most = 0;
  int i, j, k;
  model_matrices(&d->p, x, &d->u, M, F, A, b);
  for (i = 0; i < MODEL_N; i++) {
    const double mass = M[i*MODEL_N + i];
    ease[i] = !model_fmu_is_free(d, level, i, stage) ? 0 : mass > 0 ? 1/mass : 1;
  }
  for (i = 0; i < MODEL_M; i++) {
    y[i] = -miss[i];
    for (k = 0; k < MODEL_M; k++) {
      S[i*MODEL_M + k] = 0;
      for (j = 0; j < MODEL_N; j++) S[i*MODEL_M + k] += A[i*MODEL_N + j]*ease[j]*A[k*MODEL_N + j];
    }
    if (S[i*MODEL_M + i] > most) most = S[i*MODEL_M + i];
  }
  if (!(most > 0)) return 0;
  for (i = 0; i < MODEL_M; i++) S[i*MODEL_M + i] += 1e-13*most;
  if (!model_fmu_solve(S, y, MODEL_M)) return 0;
  for (j = 0; j < MODEL_N; j++) {
    change[j] = 0;
    for (i = 0; i < MODEL_M; i++) change[j] += ease[j]*A[i*MODEL_N + j]*y[i];
    if (!(change[j] - change[j] == 0)) return 0;
  }
  return 1;
}

/* Newton's method with steps that are halved until they help; 1: on the constraints. */
static int model_fmu_place(const model_fmu_data *d, model_state *x, int level, int stage)
{
  double miss[MODEL_FMU_M1], trial_miss[MODEL_FMU_M1], change[MODEL_N];
  double most = model_fmu_miss(d, x, level, miss);
  int round, half, i;
  for (round = 0; round < 60 && most > 1e-14; round++) {
    model_state trial = *x;
    double length = 1, reached = most;
    if (!model_fmu_change(d, x, level, stage, miss, change)) break;
    for (half = 0; half < 30; half++, length /= 2) {
      for (i = 0; i < MODEL_N; i++) {
        if (level) trial.v[i] = x->v[i] + length*change[i];
        else trial.q[i] = x->q[i] + length*change[i];
      }
      reached = model_fmu_miss(d, &trial, level, trial_miss);
      if (reached < most) break;
    }
    if (!(reached < most)) break;
    *x = trial;
    most = reached;
    memcpy(miss, trial_miss, sizeof miss);
  }
  return most <= 1e-10;
}

/* Starts that the model gives may depend on parameters. What the importer has set holds where it can. */
static model_fmu_status model_fmu_begin_consistently(model_fmu *f)
{
  double starts[2*MODEL_N];
  int i, level, stage;
  model_fmu_starts(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, starts);
  for (i = 0; i < MODEL_N; i++) {
    if (model_fmu_given[i] && !f->d.held_q[i]) f->d.x.q[i] = starts[i];
    if (model_fmu_given[MODEL_N + i] && !f->d.held_v[i]) f->d.x.v[i] = starts[MODEL_N + i];
  }
  model_fmu_forget(f);
  for (level = 0; level < 2; level++) {
    model_state x = f->d.x;
    for (stage = 0; stage < 3 && !model_fmu_place(&f->d, &x, level, stage); stage++) x = f->d.x;
    if (stage == 3) return model_fmu_fail(f, "no start on the constraints is found near the values that were set", "");
    f->d.x = x;
  }
  return MODEL_FMU_OK;
}

/* What waits for an event rests until then. */
static void model_fmu_begin_phases(model_fmu *f)
{
  int i;
  for (i = 0; i < MODEL_N; i++)
    if (model_fmu_is_held(&f->d.u, i)) f->d.x.v[i] = 0;
}

model_fmu_status model_fmu_start(model_fmu *f)
{
  model_fmu_status status = MODEL_FMU_OK;
  f->d.unsettled = 0;
  model_fmu_begin_phases(f);
  if (f->d.was_set) status = model_fmu_begin_consistently(f);
  if (status == MODEL_FMU_OK) status = model_fmu_find_sides(f);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  if (MODEL_FMU_SURFACES == 0) return MODEL_FMU_OK;
  model_fmu_find_truths(f);
  model_fmu_plan(f);
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_is_off(model_fmu *f, int *off)
{
  double position[MODEL_FMU_M1] = {0}, velocity[MODEL_FMU_M1] = {0}, most = 0;
  const double limit = f->d.tolerance < 1e-8 ? f->d.tolerance : 1e-8;
  int i;
  model_fmu_violations(&f->d.p, &f->d.x, &f->d.u, position, velocity);
  for (i = 0; i < MODEL_M; i++) {
    if (!(fabs(position[i]) <= most)) most = fabs(position[i]);
    if (!(fabs(velocity[i]) <= most)) most = fabs(velocity[i]);
  }
  *off = !(most <= limit);
  return MODEL_FMU_OK;
}
