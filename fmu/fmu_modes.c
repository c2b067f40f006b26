/* SPDX-License-Identifier: Apache-2.0 */
/* Discrete modes of an instance: the formulas of the model for the decisions of the runtime (pf_modes.h). The modes are
 * inputs of the exported equations. The struct of the runtime and its arrays are on the stack during a decision; the
 * data of an instance have no pointers and can be saved as bytes. */
#include "pf_events.h"

#include "fmu_core.h"

#include <string.h>

typedef struct model_fmu_modes {
  const model_fmu_data *d; /* of which parameters, rows, tolerance and sliding modes are read */
  const model_state *x;
  model_input *u;          /* the modes are written here */
  double *a, *lambda;
  model_status status;     /* of the latest accelerations */
  PfModes core;
  double reals[PF_MODES_REALS(MODEL_FMU_SURFACES1)];
  int ints[PF_MODES_INTS(MODEL_FMU_SURFACES1)];
  bool bools[PF_MODES_BOOLS(MODEL_FMU_SURFACES1)], timed[MODEL_FMU_SURFACES1];
} model_fmu_modes;

static void model_fmu_write_modes(const model_fmu_modes *s)
{
  int k;
  for (k = 0; k < MODEL_FMU_MODES; k++) *model_fmu_mode(s->u, k) = s->core.mode[k];
}

static int model_fmu_modes_accelerate(void *user)
{
  model_fmu_modes *s = user;
  model_fmu_write_modes(s);
  s->status = model_accelerate_by(&s->d->p, s->x, s->u, &s->d->rows, s->a, s->lambda);
  return s->status != MODEL_OK;
}

/* The functions of the model write all surfaces, those of comparisons as well. */
static void model_fmu_modes_evaluate(void *user)
{
  model_fmu_modes *s = user;
  double g[MODEL_FMU_SURFACES1], rate[MODEL_FMU_SURFACES1], second[MODEL_FMU_SURFACES1], size[2*MODEL_FMU_SURFACES1];
  const size_t bytes = (size_t)s->core.count*sizeof *g;
  model_fmu_write_modes(s);
  model_fmu_surfaces(&s->d->p, s->x, s->u, s->a, s->lambda, g);
  model_fmu_rates(&s->d->p, s->x, s->u, s->a, rate);
  model_fmu_seconds(&s->d->p, s->x, s->u, s->a, second);
  model_fmu_sizes(&s->d->p, s->x, s->u, s->a, s->lambda, size);
  memcpy(s->core.g, g, bytes);
  memcpy(s->core.g_rate, rate, bytes);
  memcpy(s->core.g_second, second, bytes);
  memcpy(s->core.g_size, size, bytes);
  memcpy(s->core.g_slope, size + MODEL_FMU_SURFACES, bytes);
}

/* The modes as they are in u and d, for the first `count` surfaces; all arguments stay the caller's. */
static void model_fmu_modes_make(model_fmu_modes *s, const model_fmu_data *d, const model_state *x, model_input *u,
                                 double *a, double *lambda, int count)
{
  static const PfModesCalls calls = {model_fmu_modes_accelerate, model_fmu_modes_evaluate};
  int k;
  memset(s, 0, sizeof *s);
  s->d = d;
  s->x = x;
  s->u = u;
  s->a = a;
  s->lambda = lambda;
  s->core.user = s;
  s->core.calls = &calls;
  s->core.count = count;
  s->core.degree = model_fmu_degree;
  s->core.timed = s->timed;
  s->core.atol = model_fmu_atol(d);
  s->core.margin = MODEL_FMU_GIVE;
  s->core.acceleration = a;
  s->core.n = MODEL_N;
  pf_modes_place(&s->core, s->reals, s->ints, s->bools);
  for (k = 0; k < count; k++) s->timed[k] = model_fmu_timed[k] != 0;
  for (k = 0; k < MODEL_FMU_MODES; k++) {
    s->core.mode[k] = *model_fmu_mode(u, k);
    s->core.sticks[k] = d->stays[k] != 0;
  }
}

/* The status for a number that the runtime returns. */
static model_status model_fmu_modes_status(const model_fmu_modes *s, int trouble)
{
  return trouble == PF_MODES_UNDETERMINED ? MODEL_NO_CONVERGENCE : trouble ? s->status : MODEL_OK;
}

/* ---------------------------------------------------------------- used by other files */

double model_fmu_atol(const model_fmu_data *d)
{
  return d->tolerance < 1e-9 ? d->tolerance : 1e-9;
}

int model_fmu_stay_count(const model_fmu_data *d)
{
  int k, count = 0;
  for (k = 0; k < MODEL_FMU_MODES; k++) count += d->stays[k];
  return count;
}

model_status model_fmu_flow(const model_fmu_data *d, const model_state *x, model_input *u, double *a, double *lambda)
{
  model_fmu_modes s;
  if (!model_fmu_stay_count(d)) return model_accelerate_by(&d->p, x, u, &d->rows, a, lambda);
  model_fmu_modes_make(&s, d, x, u, a, lambda, MODEL_FMU_MODES);
  return model_fmu_modes_status(&s, pf_modes_slide(&s.core, NULL));
}

model_fmu_status model_fmu_decide(model_fmu *f, const model_fmu_switch *at)
{
  bool met[MODEL_FMU_SURFACES1] = {false}, released[MODEL_FMU_SURFACES1] = {false};
  double a[MODEL_N], lambda[MODEL_FMU_M1];
  model_input u = f->d.u;
  model_fmu_modes s;
  model_status status;
  int k;
  if (MODEL_FMU_MODES == 0) return MODEL_FMU_OK;
  memcpy(a, f->a, sizeof a);
  memcpy(lambda, f->lambda, sizeof lambda);
  model_fmu_modes_make(&s, &f->d, &f->d.x, &u, a, lambda, MODEL_FMU_MODES);
  for (k = 0; k < MODEL_FMU_MODES; k++) {
    met[k] = at && at->met[k];
    released[k] = at && at->released[k];
  }
  status = model_fmu_modes_status(&s, pf_modes_decide(&s.core, met, released));
  if (status != MODEL_OK) return model_fmu_status_of(f, status);
  model_fmu_write_modes(&s);
  f->d.u = u;
  for (k = 0; k < MODEL_FMU_MODES; k++) f->d.stays[k] = s.core.sticks[k];
  model_fmu_forget(f);
  model_fmu_hold(f);
  return MODEL_FMU_OK;
}

model_fmu_status model_fmu_find_modes(model_fmu *f)
{
  int k;
  for (k = 0; k < MODEL_FMU_MODES; k++) *model_fmu_mode(&f->d.u, k) = 0, f->d.stays[k] = 0;
  return model_fmu_decide(f, NULL);
}

/* The impulses are those of the sliding forces that would take g to zero within the unit of time. */
void model_fmu_hold(model_fmu *f)
{
  double a[MODEL_N], sliding[MODEL_N], lambda[MODEL_FMU_M1], wanted[MODEL_FMU_SURFACES1], most = 0;
  model_input u = f->d.u;
  model_fmu_modes s;
  int i, k;
  if (!model_fmu_stay_count(&f->d)) return;
  memcpy(a, f->a, sizeof a);
  memcpy(lambda, f->lambda, sizeof lambda);
  model_fmu_modes_make(&s, &f->d, &f->d.x, &u, a, lambda, MODEL_FMU_MODES);
  model_fmu_modes_evaluate(&s);
  for (k = 0; k < MODEL_FMU_MODES; k++) {
    wanted[k] = f->d.stays[k] && model_fmu_degree[k] == 1 ? -s.core.g[k] : 0;
    most = fmax(most, fabs(wanted[k]));
  }
  if (!(most > 0) || pf_modes_slide(&s.core, NULL)) return;
  memcpy(sliding, a, sizeof sliding);
  if (pf_modes_slide(&s.core, wanted)) return;
  for (i = 0; i < MODEL_N; i++) f->d.x.v[i] += a[i] - sliding[i];
  model_fmu_forget(f);
}

void model_fmu_allowances(model_fmu *f, double *noise, double *off)
{
  model_fmu_modes s;
  int k;
  model_fmu_modes_make(&s, &f->d, &f->d.x, &f->d.u, f->a, f->lambda, MODEL_FMU_SURFACES);
  model_fmu_modes_evaluate(&s);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    noise[k] = pf_modes_noise(&s.core, k);
    off[k] = pf_modes_hold_limit(&s.core, k);
  }
}
