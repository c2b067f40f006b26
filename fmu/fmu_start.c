/* SPDX-License-Identifier: Apache-2.0 */
/* A consistent start, and how far a state is off the constraints. */
#include "fmu_core.h"

#include <math.h>
#include <string.h>

/* What may be moved: first what neither the model nor the importer gives, then what the importer has not set, the
 * model's angular velocities and speeds among it, then all but what the model has marked. */
enum { MODEL_FMU_STAGES = 3 };

static int model_fmu_is_free(const model_fmu_data *d, int level, int i, int stage)
{
  const int set = level ? d->held_v[i] : d->held_q[i], firm = model_fmu_given[level*MODEL_N + i];
  if (stage == 0) return !set && firm == 0;
  return (!set || stage == MODEL_FMU_STAGES - 1) && firm < 2;
}

static int model_fmu_is_wanted(int goal, int stage)
{
  return stage == 0 || model_fmu_goal_given[goal] == 2;
}

static int model_fmu_row_count(int level)
{
  return MODEL_M + (level ? MODEL_FMU_GOALS : 0);
}

/* What is looked for: a stage of a level, and of the coordinates and rows, which fall into parts that have nothing to
 * do with each other, one part. */
typedef struct model_fmu_search {
  int level, stage, now;
  int part[MODEL_N], row_part[MODEL_FMU_START_ROWS1];
} model_fmu_search;

/* What is left of the constraints at a level, and of the goals; its largest. */
static double model_fmu_miss(const model_fmu_data *d, const model_state *x, const model_fmu_search *s, double *miss)
{
  const double a[MODEL_N] = {0}, lambda[MODEL_FMU_M1] = {0};
  double other[MODEL_FMU_M1] = {0}, goals[MODEL_FMU_GOALS1] = {0}, most = 0;
  const int level = s->level;
  int k;
  for (k = 0; k < MODEL_M; k++) miss[k] = 0;
  if (level) model_fmu_violations(&d->p, x, &d->u, other, miss);
  else model_fmu_violations(&d->p, x, &d->u, miss, other);
  if (level && MODEL_FMU_GOALS > 0) model_fmu_goals(&d->p, x, &d->u, a, lambda, goals);
  for (k = 0; level && k < MODEL_FMU_GOALS; k++) miss[MODEL_M + k] = model_fmu_is_wanted(k, s->stage) ? goals[k] : 0;
  for (k = 0; k < model_fmu_row_count(level); k++) {
    if (s->row_part[k] != s->now) miss[k] = 0;
    if (!(fabs(miss[k]) <= most)) most = fabs(miss[k]);
  }
  return most;
}

/* The derivatives of these rows. */
static void model_fmu_rows(const model_fmu_data *d, const model_state *x, int level, int stage, double *M, double *A)
{
  double F[MODEL_N], b[MODEL_FMU_M1];
  const double a[MODEL_N] = {0}, lambda[MODEL_FMU_M1] = {0};
  int j, k;
  model_matrices(&d->p, x, &d->u, M, F, A, b);
  if (!level || MODEL_FMU_GOALS == 0) return;
  model_fmu_goal_slopes(&d->p, x, &d->u, a, lambda, A + MODEL_M*MODEL_N);
  for (k = 0; k < MODEL_FMU_GOALS; k++)
    for (j = 0; j < MODEL_N; j++)
      if (!model_fmu_is_wanted(k, stage)) A[(MODEL_M + k)*MODEL_N + j] = 0;
}

/* How much a coordinate resists, 0: it is held; what is less firm than others that give way moves before them. */
static double model_fmu_resistance(const model_fmu_data *d, int level, int i, int stage)
{
  const int set = level ? d->held_v[i] : d->held_q[i];
  const int firm = set ? 2 : model_fmu_given[level*MODEL_N + i] > 0;
  if (!model_fmu_is_free(d, level, i, stage)) return 0;
  return firm < stage ? 1e-3 : 1;
}

/* The rows of A by the inverse of the mass matrix of what is free. Where that is singular, what has no mass moves for
 * next to nothing, and so before all that has. */
static void model_fmu_weigh(const double *M, const double *resists, const double *A, int rows, double *B)
{
  double W[MODEL_N*MODEL_N], heaviest = 0;
  int i, j, k, again;
  for (j = 0; j < MODEL_N; j++) heaviest = fmax(heaviest, M[j*MODEL_N + j]);
  for (i = 0; i < rows; i++) {
    double *row = B + i*MODEL_N;
    for (again = 0; again < 2; again++) {
      const double least = !again ? 0 : heaviest > 0 ? 1e-10*heaviest : 1;
      for (j = 0; j < MODEL_N; j++) {
        row[j] = resists[j] > 0 ? A[i*MODEL_N + j] : 0;
        for (k = 0; k < MODEL_N; k++) {
          const double weight = resists[j]*resists[k], mass = M[j*MODEL_N + k] + (j == k ? least : 0);
          W[j*MODEL_N + k] = weight > 0 ? weight*mass : j == k;
        }
      }
      if (model_fmu_solve(W, row, MODEL_N)) break;
    }
  }
}

/* The smallest change of what is free, by the masses, that takes the rows to zero in linear approximation; a
 * little softer, so that redundant rows do no harm. */
static int model_fmu_change(const model_fmu_data *d, const model_state *x, const model_fmu_search *s,
                            const double *miss, double *change)
{
  enum { R = MODEL_FMU_START_ROWS1 };
  double M[MODEL_N*MODEL_N], A[R*MODEL_N] = {0}, B[R*MODEL_N], S[R*R], y[R], resists[MODEL_N], most = 0;
  const int rows = model_fmu_row_count(s->level);
  int i, j, k;
  model_fmu_rows(d, x, s->level, s->stage, M, A);
  for (i = 0; i < MODEL_N; i++)
    resists[i] = s->part[i] == s->now ? model_fmu_resistance(d, s->level, i, s->stage) : 0;
  model_fmu_weigh(M, resists, A, rows, B);
  for (i = 0; i < rows; i++) {
    y[i] = -miss[i];
    for (k = 0; k < rows; k++) {
      S[i*rows + k] = 0;
      for (j = 0; j < MODEL_N; j++) S[i*rows + k] += A[i*MODEL_N + j]*B[k*MODEL_N + j];
    }
    if (S[i*rows + i] > most) most = S[i*rows + i];
  }
  if (!(most > 0)) return 0;
  for (i = 0; i < rows; i++) S[i*rows + i] += 1e-13*most;
  if (!model_fmu_solve(S, y, rows)) return 0;
  for (j = 0; j < MODEL_N; j++) {
    change[j] = 0;
    for (i = 0; i < rows; i++) change[j] += B[i*MODEL_N + j]*y[i];
    if (!(change[j] - change[j] == 0)) return 0;
  }
  return 1;
}

/* Newton's method with steps that are halved until they help; 1: on the constraints. */
static int model_fmu_place(const model_fmu_data *d, model_state *x, const model_fmu_search *s)
{
  double miss[MODEL_FMU_START_ROWS1], trial_miss[MODEL_FMU_START_ROWS1], change[MODEL_N];
  double most = model_fmu_miss(d, x, s, miss);
  int round, half, i;
  for (round = 0; round < 60 && most > 1e-14; round++) {
    model_state trial = *x;
    double length = 1, reached = most;
    if (!model_fmu_change(d, x, s, miss, change)) break;
    for (half = 0; half < 30; half++, length /= 2) {
      for (i = 0; i < MODEL_N; i++) {
        if (s->level) trial.v[i] = x->v[i] + length*change[i];
        else trial.q[i] = x->q[i] + length*change[i];
      }
      reached = model_fmu_miss(d, &trial, s, trial_miss);
      if (reached < most) break;
    }
    if (!(reached < most)) break;
    *x = trial;
    most = reached;
    memcpy(miss, trial_miss, sizeof miss);
  }
  return most <= 1e-10;
}

/* Starts that the model gives may depend on parameters. What the importer has set holds where it can. Coordinates that
 * nobody gives are looked for near the start of the model; velocities, whose equations are linear, from what the model
 * says, as if it had always had these parameters. */
static void model_fmu_take_starts(model_fmu *f, int level)
{
  double starts[2*MODEL_N], *to = level ? f->d.x.v : f->d.x.q;
  const int *set = level ? f->d.held_v : f->d.held_q, *firm = model_fmu_given + level*MODEL_N;
  int i;
  model_fmu_starts(&f->d.p, &f->d.x, &f->d.u, f->a, f->lambda, starts);
  for (i = 0; i < MODEL_N; i++)
    if (!set[i] && !model_fmu_is_held(&f->d.u, i) && (firm[i] || level)) to[i] = starts[level*MODEL_N + i];
}

/* Coordinates that occur in one row, at the start or near it, belong to one part; parts are named by coordinates. */
static void model_fmu_find_parts(const model_fmu_data *d, model_fmu_search *s)
{
  double M[MODEL_N*MODEL_N], A[MODEL_FMU_START_ROWS1*MODEL_N] = {0};
  model_state x = d->x;
  int look, i, j, k;
  for (j = 0; j < MODEL_N; j++) s->part[j] = j;
  for (k = 0; k < model_fmu_row_count(s->level); k++) s->row_part[k] = -1;
  for (look = 0; look < 2; look++) {
    model_fmu_rows(d, &x, s->level, 0, M, A);
    for (k = 0; k < model_fmu_row_count(s->level); k++)
      for (j = 0; j < MODEL_N; j++) {
        const int first = s->row_part[k], other = s->part[j];
        if (!(fabs(A[k*MODEL_N + j]) > 0)) continue;
        if (first < 0) s->row_part[k] = other;
        for (i = 0; first >= 0 && i < MODEL_N; i++)
          if (s->part[i] == other) s->part[i] = first;
        for (i = 0; first >= 0 && i < model_fmu_row_count(s->level); i++)
          if (s->row_part[i] == other) s->row_part[i] = first;
      }
    for (j = 0; j < MODEL_N; j++) x.q[j] += 0.01*(1 + 0.618*(j%7)); /* nothing is zero there by chance */
  }
  for (k = 0; k < model_fmu_row_count(s->level); k++)
    if (s->row_part[k] < 0) s->row_part[k] = 0; /* without any coordinate: it holds or not */
}

/* Each part by itself, so that what one cannot hold changes nothing of the others. */
static model_fmu_status model_fmu_begin_consistently(model_fmu *f)
{
  model_fmu_search s;
  model_fmu_forget(f);
  for (s.level = 0; s.level < 2; s.level++) {
    model_fmu_take_starts(f, s.level);
    model_fmu_find_parts(&f->d, &s);
    for (s.now = 0; s.now < MODEL_N; s.now++) {
      const model_state kept = f->d.x;
      for (s.stage = 0; s.stage < MODEL_FMU_STAGES; s.stage++) {
        f->d.x = kept;
        if (model_fmu_place(&f->d, &f->d.x, &s)) break;
      }
      if (s.stage == MODEL_FMU_STAGES)
        return model_fmu_fail(f, "no start on the constraints is found near the values that were set", "");
    }
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
  if (status == MODEL_FMU_OK) status = model_fmu_choose(f);
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
  *off = !(most <= limit) || model_fmu_is_contradicted(f);
  return *off ? MODEL_FMU_OK : model_fmu_choose(f);
}
