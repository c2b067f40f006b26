/* SPDX-License-Identifier: Apache-2.0 */
/* A consistent start, by the search of the runtime (pf_start.h) as in a run; how far a state is off the constraints. */
#include "pf_events.h"

#include "fmu_core.h"

#include <math.h>
#include <string.h>

enum {
  MODEL_FMU_SEARCH_REALS = PF_START_REALS(MODEL_N, MODEL_M, MODEL_FMU_START_CONDITIONS, MODEL_FMU_PLACES),
  MODEL_FMU_SEARCH_INTS = PF_START_INTS(MODEL_N, MODEL_M, MODEL_FMU_START_CONDITIONS, MODEL_FMU_PLACES),
  MODEL_FMU_SEARCH_BOOLS = PF_START_BOOLS(MODEL_N, MODEL_M, MODEL_FMU_START_CONDITIONS, MODEL_FMU_PLACES),
  MODEL_FMU_PROBLEM_REALS = PF_START_PROBLEM_REALS(MODEL_N, MODEL_M, MODEL_FMU_START_CONDITIONS),
  MODEL_FMU_PROBLEM_INTS = PF_START_PROBLEM_INTS(MODEL_N, MODEL_M, MODEL_FMU_START_CONDITIONS),
  MODEL_FMU_RATES = MODEL_N*(1 + MODEL_FMU_START_SPEEDS) + MODEL_FMU_START_SPEEDS
};

/* The speeds of the start, of which the velocities are functions. */
typedef struct model_fmu_speeds {
  PfSpeeds speeds;
  PfQr qr;
  double rates[MODEL_FMU_RATES]; /* velocities, their derivatives, targets */
  double speed[MODEL_FMU_START_SPEEDS + 1], step[MODEL_FMU_START_SPEEDS + 1], unit[MODEL_N];
  double qr_reals[MODEL_N*MODEL_FMU_START_SPEEDS + 3*MODEL_N + MODEL_FMU_START_SPEEDS];
  int qr_ints[MODEL_FMU_START_SPEEDS + 1];
} model_fmu_speeds;

/* The search of one level, and its room. */
typedef struct model_fmu_search {
  const model_fmu_data *d;
  model_state *x;
  PfStartSearch start;
  PfUnits units;
  model_fmu_speeds speeds;
  PfPriority priority[2*MODEL_N], condition_priority[MODEL_FMU_START_CONDITIONS + 1];
  int constraint[MODEL_FMU_M1], active[MODEL_FMU_M1];
  double M[MODEL_N*MODEL_N], A[MODEL_FMU_M1*MODEL_N];
  double column[MODEL_N], spread[MODEL_N], row[MODEL_FMU_M1], scale[MODEL_FMU_M1];
  bool sure[MODEL_FMU_M1*MODEL_N], bools[MODEL_FMU_SEARCH_BOOLS];
  double reals[MODEL_FMU_SEARCH_REALS], problem[MODEL_FMU_PROBLEM_REALS];
  double units_reals[PF_UNITS_REALS(MODEL_FMU_M1, MODEL_N)];
  int ints[MODEL_FMU_SEARCH_INTS], problem_ints[MODEL_FMU_PROBLEM_INTS];
} model_fmu_search;

/* ---------------------------------------------------------------- rows */

/* M and the entries of A that are not zero at all times. */
static void model_fmu_start_matrices(model_fmu_search *s, const model_state *x, double *A)
{
  double F[MODEL_N], all[MODEL_FMU_M1*MODEL_N], b[MODEL_FMU_M1];
  int k;
  model_matrices(&s->d->p, x, &s->d->u, s->M, F, all, b);
  memset(A, 0, (size_t)MODEL_M*MODEL_N*sizeof *A);
  for (k = 0; k < MODEL_FMU_PLACES; k++) A[model_fmu_place[k]/2] = all[model_fmu_place[k]/2];
}

static void model_fmu_start_find_rates(void *user)
{
  model_fmu_search *s = user;
  const double a[MODEL_N] = {0}, lambda[MODEL_FMU_M1] = {0};
  model_fmu_start_rates(&s->d->p, s->x, &s->d->u, a, lambda, s->speeds.speed, s->speeds.rates);
}

/* Start conditions: functions of the velocities, and speeds. */
static void model_fmu_start_evaluate_conditions(model_fmu_search *s)
{
  enum { COUNT = MODEL_FMU_START_CONDITIONS, SPEEDS = MODEL_FMU_START_SPEEDS };
  const double a[MODEL_N] = {0}, lambda[MODEL_FMU_M1] = {0};
  double values[2*COUNT + 1];
  int g, j;
  model_fmu_start_conditions(&s->d->p, s->x, &s->d->u, a, lambda, values);
  model_fmu_start_slopes(&s->d->p, s->x, &s->d->u, a, lambda, s->start.rows);
  memcpy(s->start.value, values, COUNT*sizeof *values);
  memcpy(s->start.target, values + COUNT, COUNT*sizeof *values);
  if (SPEEDS == 0) return;
  pf_speeds_find(&s->speeds.speeds);
  for (g = 0; g < COUNT; g++) {
    const int speed = model_fmu_condition_speed[g];
    if (speed < 0) continue;
    s->start.value[g] = s->speeds.speed[speed];
    s->start.target[g] = s->speeds.rates[MODEL_N*(1 + SPEEDS) + speed];
  }
  for (j = 0; j < MODEL_N; j++) {
    pf_speeds_slope(&s->speeds.speeds, j);
    for (g = 0; g < COUNT; g++)
      if (model_fmu_condition_speed[g] >= 0)
        s->start.rows[g*MODEL_N + j] = s->speeds.step[model_fmu_condition_speed[g]];
  }
}

/* Constraints are taken in the size of their residuals. */
static void model_fmu_start_evaluate(void *user)
{
  model_fmu_search *s = user;
  PfStartSearch *start = &s->start;
  double position[MODEL_FMU_M1] = {0}, velocity[MODEL_FMU_M1] = {0};
  int i, at;
  model_fmu_start_matrices(s, s->x, s->A);
  model_fmu_violations(&s->d->p, s->x, &s->d->u, position, velocity);
  for (i = 0; i < start->constraints; i++) {
    const int k = s->constraint[i];
    start->residual[i] = (start->velocities ? velocity[k] : position[k])/s->scale[k];
    for (at = start->begin[i]; at < start->begin[i + 1]; at++)
      start->slope[at] = s->A[k*MODEL_N + start->column[at]]/s->scale[k];
  }
  if (start->conditions > 0) model_fmu_start_evaluate_conditions(s);
}

static void model_fmu_start_inertia(void *user, const int *local, int n, double *M)
{
  const model_fmu_search *s = user;
  int i, j;
  for (i = 0; i < MODEL_N; i++)
    for (j = 0; j <= i; j++)
      if (local[i] >= 0 && local[j] >= 0)
        M[local[i]*n + local[j]] = M[local[j]*n + local[i]] = s->M[i*MODEL_N + j];
}

static bool model_fmu_start_room(void *user, int n, int m, int conditions, double **reals, int **ints)
{
  model_fmu_search *s = user;
  (void)n, (void)m, (void)conditions;
  *reals = s->problem;
  *ints = s->problem_ints;
  return true;
}

/* ---------------------------------------------------------------- units, structure */

/* A and the roots of the masses at a state. */
static bool model_fmu_start_rows(void *user, const double *state, double *A, double *inertia)
{
  model_fmu_search *s = user;
  model_state x = *s->x;
  int j;
  memcpy(x.q, state, sizeof x.q);
  memcpy(x.v, state + MODEL_N, sizeof x.v);
  model_fmu_start_matrices(s, &x, A);
  for (j = 0; j < MODEL_N; j++) inertia[j] = sqrt(fabs(s->M[j*MODEL_N + j]));
  return true;
}

/* Of coordinates and residuals, at the start as it is given. */
static void model_fmu_start_find_units(model_fmu_search *s)
{
  double home[2*MODEL_N];
  const PfUnits units = {.m = MODEL_M, .n = MODEL_N, .sure = s->sure, .column = s->column, .spread = s->spread,
                         .row = s->row};
  int k;
  for (k = 0; k < MODEL_FMU_M1; k++) s->scale[k] = 1;
  if (MODEL_M == 0) return;
  memset(s->sure, 0, sizeof s->sure);
  for (k = 0; k < MODEL_FMU_PLACES; k++) s->sure[model_fmu_place[k]/2] = model_fmu_place[k]%2 > 0;
  memcpy(home, s->x->q, sizeof s->x->q);
  memcpy(home + MODEL_N, s->x->v, sizeof s->x->v);
  s->units = units;
  (void)pf_units_place(&s->units, s->units_reals);
  pf_units_measure(&s->units, home, model_fmu_start_rows, s);
  memcpy(s->scale, s->units.scale, MODEL_M*sizeof *s->scale);
}

/* Rows that wait for an event are zero everywhere. */
static void model_fmu_start_find_active(model_fmu_search *s)
{
  model_state x = *s->x;
  unsigned noise = 7;
  int sample, j, k;
  for (k = 0; k < MODEL_M; k++) s->active[k] = MODEL_FMU_FLAGS == 0;
  for (sample = 0; sample < 2 && MODEL_FMU_FLAGS > 0; sample++) {
    model_fmu_start_matrices(s, &x, s->A);
    for (k = 0; k < MODEL_M*MODEL_N; k++) s->active[k/MODEL_N] |= fabs(s->A[k]) > 0;
    for (j = 0; j < MODEL_N; j++) x.q[j] = pf_blur(s->x->q[j], 1, &noise);
  }
}

/* The rows of the level; coordinates that an event holds are in none. */
static void model_fmu_start_list_places(model_fmu_search *s)
{
  PfStartSearch *start = &s->start;
  int i, k = 0, count = 0;
  for (i = 0; i < start->constraints; i++) {
    const int row = s->constraint[i] = start->velocities ? i : model_fmu_position[i];
    start->begin[i] = count;
    for (; k < MODEL_FMU_PLACES && model_fmu_place[k]/2/MODEL_N <= row; k++) {
      const int column = model_fmu_place[k]/2%MODEL_N;
      if (model_fmu_place[k]/2/MODEL_N == row && s->active[row] && !model_fmu_is_held(&s->d->u, column))
        start->column[count++] = column;
    }
  }
  start->begin[i] = start->places = count;
}

/* ---------------------------------------------------------------- what is given */

static PfPriority model_fmu_start_priority_of(const model_fmu_data *d, int i)
{
  const PfPriority given = (PfPriority)model_fmu_priority[i];
  const int is_set = i < MODEL_N ? d->is_set_q[i] : d->is_set_v[i - MODEL_N];
  if (model_fmu_is_held(&d->u, i%MODEL_N)) return PF_PRIORITY_FIXED;
  return is_set && given < PF_PRIORITY_SET ? PF_PRIORITY_SET : given;
}

/* A quaternion is given as a whole, by whichever of its numbers; its angular velocity is that of the model, unless the
 * importer has set its rates. `starts` are those of the model. */
static void model_fmu_start_take_ball(model_fmu_search *s, int ball, const double *starts)
{
  const int at = model_fmu_ball[ball], end = at + 4 < MODEL_N ? at + 4 : MODEL_N;
  int k, set_q = 0, set_v = 0;
  double w[3];
  for (k = at; k < end; k++) {
    set_q |= s->d->is_set_q[k];
    set_v |= s->d->is_set_v[k];
  }
  for (k = at; k < end && set_q; k++)
    if (s->priority[k] < PF_PRIORITY_SET) s->priority[k] = PF_PRIORITY_SET;
  pf_spin_of_rate(starts + at, starts + MODEL_N + at, w);
  if (set_q && !set_v) pf_rate_of_spin(s->x->q + at, w, s->x->v + at);
  pf_normalise_quaternion(s->x->q + at, s->x->v + at);
}

/* The starts of the model, which may depend on parameters, and in their place those that the importer has set. */
static void model_fmu_take_starts(model_fmu_search *s)
{
  const double a[MODEL_N] = {0}, lambda[MODEL_FMU_M1] = {0};
  const model_fmu_data *d = s->d;
  double starts[2*MODEL_N];
  int i;
  model_fmu_starts(&d->p, s->x, &d->u, a, lambda, starts);
  for (i = 0; i < 2*MODEL_N; i++) s->priority[i] = model_fmu_start_priority_of(d, i);
  for (i = 0; i < MODEL_FMU_START_CONDITIONS; i++)
    s->condition_priority[i] = (PfPriority)model_fmu_condition_priority[i];
  for (i = 0; i < MODEL_N; i++) {
    if (model_fmu_is_held(&d->u, i)) continue;
    s->x->q[i] = d->is_set_q[i] ? d->set_q[i] : starts[i];
    s->x->v[i] = d->is_set_v[i] ? d->set_v[i] : starts[MODEL_N + i];
  }
  for (i = 0; i < MODEL_FMU_BALLS; i++) model_fmu_start_take_ball(s, i, starts);
}

static void model_fmu_start_place_speeds(model_fmu_search *s)
{
  model_fmu_speeds *own = &s->speeds;
  const PfSpeeds speeds = {.user = s, .evaluate = model_fmu_start_find_rates, .n = MODEL_N,
                           .count = MODEL_FMU_START_SPEEDS, .speed = own->speed, .rate = own->rates,
                           .slope = own->rates + MODEL_N, .velocity = s->x->v, .unit = own->unit, .step = own->step,
                           .qr = &own->qr};
  double *reals = own->qr_reals;
  int *ints = own->qr_ints;
  own->speeds = speeds;
  own->qr = pf_qr_place(MODEL_N, MODEL_FMU_START_SPEEDS, &reals, &ints);
  memset(own->speed, 0, sizeof own->speed);
}

/* The velocities to begin with at the corrected configuration: the same speeds, the same angular velocities of joints
 * with a quaternion as at the state `before`. */
static void model_fmu_start_carry_over(model_fmu_search *s, const model_state *before)
{
  enum { SPEEDS = MODEL_FMU_START_SPEEDS };
  int i, pass;
  for (pass = 0; pass < 2 && SPEEDS > 0; pass++) { /* the targets first, then the rates that they give */
    model_fmu_start_find_rates(s);
    memcpy(s->speeds.speed, s->speeds.rates + MODEL_N*(1 + SPEEDS), SPEEDS*sizeof *s->speeds.speed);
  }
  for (i = 0; i < MODEL_N && SPEEDS > 0; i++)
    if (model_fmu_by_speed[i] && s->priority[MODEL_N + i] == PF_PRIORITY_OPEN) s->x->v[i] = s->speeds.rates[i];
  for (i = 0; i < MODEL_FMU_BALLS; i++) {
    double w[3];
    const int at = model_fmu_ball[i];
    pf_spin_of_rate(before->q + at, before->v + at, w);
    pf_rate_of_spin(s->x->q + at, w, s->x->v + at);
  }
}

/* ---------------------------------------------------------------- the search */

/* Moves q, or v, until constraints and start conditions hold; 0: they contradict each other. */
static int model_fmu_start_find_level(model_fmu_search *s, bool velocities)
{
  static const PfStartCalls calls = {model_fmu_start_evaluate, model_fmu_start_inertia, model_fmu_start_room, NULL};
  const PfStartSearch start = {.user = s, .calls = &calls, .n = MODEL_N,
                               .constraints = velocities ? MODEL_M : MODEL_FMU_POSITIONS,
                               .conditions = velocities ? MODEL_FMU_START_CONDITIONS : 0, .places = MODEL_FMU_PLACES,
                               .velocities = velocities, .dense = true, .q = s->x->q,
                               .all = velocities ? s->x->v : s->x->q,
                               .priority = velocities ? s->priority + MODEL_N : s->priority,
                               .condition_priority = s->condition_priority, .unit = MODEL_M > 0 ? s->spread : NULL,
                               .column_unit = MODEL_M > 0 ? s->column : NULL};
  s->start = start;
  memset(s->reals, 0, sizeof s->reals);
  memset(s->ints, 0, sizeof s->ints);
  memset(s->bools, 0, sizeof s->bools);
  pf_start_place(&s->start, s->reals, s->ints, s->bools);
  model_fmu_start_list_places(s);
  return pf_start_search(&s->start) == PF_SEARCH_FOUND;
}

/* Positions, then velocities. The state stays as it is where none is found. */
static model_fmu_status model_fmu_begin_consistently(model_fmu *f)
{
  const model_state kept = f->d.x;
  model_state before;
  model_fmu_search s;
  int found;
  s.d = &f->d;
  s.x = &f->d.x;
  model_fmu_forget(f);
  model_fmu_take_starts(&s);
  before = f->d.x;
  model_fmu_start_find_units(&s);
  model_fmu_start_find_active(&s);
  model_fmu_start_place_speeds(&s);
  found = model_fmu_start_find_level(&s, false);
  if (found) {
    model_fmu_start_carry_over(&s, &before);
    found = model_fmu_start_find_level(&s, true);
  }
  if (found) return MODEL_FMU_OK;
  f->d.x = kept;
  return model_fmu_fail(f, "no start on the constraints is found near the values that were set", "");
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
  if (status == MODEL_FMU_OK) status = model_fmu_find_modes(f);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  if (status == MODEL_FMU_OK) status = model_fmu_look(f);
  return status == MODEL_FMU_OK ? MODEL_FMU_OK : MODEL_FMU_ERROR;
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
