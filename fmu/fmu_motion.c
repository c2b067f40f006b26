/* SPDX-License-Identifier: Apache-2.0 */
/* The motion of an instance: accelerations, and the steps of Co-Simulation. */
#include "pf_runtime.h"

#include "fmu_core.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- motion */

model_fmu_status model_fmu_move(model_fmu *f)
{
  if (!f->has_motion) {
    const model_status status = model_fmu_flow(&f->d, &f->d.x, &f->d.u, f->a, f->lambda);
    if (status != MODEL_OK) return model_fmu_status_of(f, status);
    f->has_motion = 1;
  }
  return MODEL_FMU_OK;
}

/* ---------------------------------------------------------------- Co-Simulation */

/* The state as one vector (q, v), and back. */
static void model_fmu_pack(const double *q, const double *v, double *y)
{
  memcpy(y, q, MODEL_N*sizeof *y);
  memcpy(y + MODEL_N, v, MODEL_N*sizeof *y);
}

static void model_fmu_unpack(double t, const double *y, model_state *x)
{
  x->time = t;
  memcpy(x->q, y, sizeof x->q);
  memcpy(x->v, y + MODEL_N, sizeof x->v);
}

/* A step from the state of an instance. */
struct model_fmu_step {
  const model_fmu_data *d;
  double h;
  model_state x; /* at its end */
  model_input u; /* with the modes that were found last */
  double y[2*MODEL_N], k[PF_DOPRI5_STAGES*2*MODEL_N], end[2*MODEL_N], dense[PF_DOPRI5_DENSE*2*MODEL_N];
};

/* A stage: the last one stands on the constraints. */
static int model_fmu_rate(void *user, int stage, double t, double *y, double *dy)
{
  model_fmu_step *s = user;
  double lambda[MODEL_FMU_M1];
  model_state x;
  model_fmu_unpack(t, y, &x);
  if (MODEL_M > 0 && stage == PF_DOPRI5_STAGES - 1) {
    const model_state kept = x;
    if (model_project(&s->d->p, &x, &s->u) != MODEL_OK) x = kept;
    model_fmu_pack(x.q, x.v, y);
  }
  memcpy(dy, x.v, sizeof x.v);
  return (int)model_fmu_flow(s->d, &x, &s->u, dy + MODEL_N, lambda);
}

/* Of the length s->h; `error` is relative to the tolerance. */
static model_status model_fmu_try(model_fmu_step *s, double *error)
{
  enum { N = 2*MODEL_N };
  int status;
  s->u = s->d->u;
  status = pf_rk_stages(pf_dopri5_tableau(), model_fmu_rate, s, N, s->d->x.time, s->h, s->y, s->k, s->end);
  if (status) return (model_status)status;
  *error = pf_dopri5_error(N, s->k, N, s->h, s->y, s->end, s->d->tolerance, s->d->tolerance);
  return isfinite(*error) ? MODEL_OK : MODEL_NOT_FINITE;
}

void model_fmu_step_at(const model_fmu_step *s, double t, model_state *x)
{
  double y[2*MODEL_N];
  int i;
  if (t >= s->x.time) *x = s->x;
  else if (t <= s->d->x.time) *x = s->d->x;
  else {
    for (i = 0; i < 2*MODEL_N; i++)
      y[i] = pf_dopri5_at(s->dense + PF_DOPRI5_DENSE*i, (t - s->d->x.time)/(s->x.time - s->d->x.time));
    model_fmu_unpack(t, y, x);
  }
}

/* A step that is accurate enough, to `end` at most; then the next one to try is known, unless the rest of the way was
 * too short to tell, which a communication step is to `horizon`. */
static model_fmu_status model_fmu_attempt(model_fmu *f, model_fmu_step *s, double end, double horizon)
{
  enum { N = 2*MODEL_N };
  const double t = f->d.x.time;
  const int order = pf_dopri5_tableau()->order;
  PfStepControl control = {f->d.last_error, false};
  double error = 0, next = f->d.step;
  int i;
  s->d = &f->d;
  model_fmu_pack(f->d.x.q, f->d.x.v, s->y);
  model_fmu_pack(f->d.x.v, f->a, s->k);
  if (!(next > 0)) next = pf_rk_first_step(s->y, s->k, N, 1, f->d.tolerance, f->d.tolerance);
  for (;;) {
    model_status status;
    s->h = pf_rk_limit_step(next, end - t, 0);
    status = model_fmu_try(s, &error);
    if (status == MODEL_OK && error <= 1) break;
    (void)model_fmu_status_of(f, status == MODEL_OK ? MODEL_NO_CONVERGENCE : status);
    if (s->h < PF_SHORTEST_STEP(t)) return MODEL_FMU_ERROR;
    next = pf_rk_next_step(&control, order, s->h, status == MODEL_OK ? error : INFINITY);
  }
  next = pf_rk_next_step(&control, order, s->h, error);
  if (s->h < horizon - t || error > 0.01) {
    f->d.step = next;
    f->d.last_error = control.last_error;
  }
  model_fmu_unpack(pf_rk_end(t, s->h, end), s->end, &s->x);
  for (i = 0; MODEL_FMU_SURFACES > 0 && i < N; i++)
    pf_dopri5_dense(s->k + i, N, s->x.time - t, s->y[i], s->end[i], s->dense + PF_DOPRI5_DENSE*i);
  return MODEL_FMU_OK;
}

/* One step, at most to `end`, cut where something changes in it. */
static model_fmu_status model_fmu_go(model_fmu *f, double end)
{
  const double due = model_fmu_next_instant(f, end);
  double holds[MODEL_FMU_EVENTS + 1];
  model_fmu_step step;
  model_fmu_switch at;
  model_state x;
  int crosses;
  model_fmu_status status = model_fmu_move(f);
  if (status == MODEL_FMU_OK) status = model_fmu_attempt(f, &step, due, end);
  if (status != MODEL_FMU_OK) return MODEL_FMU_ERROR;
  crosses = model_fmu_cross(f, &step, step.x.time, end, &at, holds);
  model_fmu_step_at(&step, at.time, &x);
  if (!crosses || !(at.time < step.x.time)) f->d.u = step.u;
  f->d.x = x;
  model_fmu_forget(f);
  if (crosses) return model_fmu_follow(f, &at, holds);
  if (MODEL_M > 0) status = model_fmu_choose(f);
  model_fmu_hold(f);
  return status == MODEL_FMU_OK ? model_fmu_move(f) : MODEL_FMU_ERROR;
}

model_fmu_status model_fmu_advance(model_fmu *f, double end)
{
  enum { LOOK = 5000, AT_ONCE = 20 + 4*(MODEL_FMU_MODES + MODEL_FMU_EVENTS) };
  const double start = f->d.x.time;
  int moved, steps = 0, stands = 0;
  model_fmu_status status = MODEL_FMU_OK;
  if (f->d.was_set || f->d.due) status = model_fmu_update(f, &moved);
  if (status == MODEL_FMU_OK) status = model_fmu_move(f);
  f->d.next_event = -INFINITY;
  while (status == MODEL_FMU_OK && f->d.x.time < end && !f->d.ended) {
    const double before = f->d.x.time;
    if (++steps == LOOK && !(f->d.x.time - start > 1e-3*(end - start))) /* some millions of steps would follow */
      return model_fmu_fail(f, "the motion is too fast: a communication step would take too many steps", "");
    status = model_fmu_go(f, end);
    stands = f->d.x.time - before > 1e-14*(1 + fabs(before)) ? 0 : stands + 1;
    if (stands > AT_ONCE)
      return model_fmu_fail(f, "time does not advance: at one instant one switch follows the other without end", "");
  }
  return status == MODEL_FMU_OK ? MODEL_FMU_OK : MODEL_FMU_ERROR;
}
