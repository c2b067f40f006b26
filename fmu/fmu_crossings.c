/* SPDX-License-Identifier: Apache-2.0 */
/* Zero crossings along the motion of an instance: the formulas of the model for the indicators of the runtime
 * (pf_crossings.h). Indicator k belongs to surface k: a surface of switching, the limit of the force in its sliding
 * mode while the motion stays on it, or a comparison. Signs, slack and truths last from step to step in the data of the
 * instance; the struct of the runtime is made of them for each search. */
#include "pf_events.h"

#include "fmu_core.h"

#include <string.h>

enum { MODEL_FMU_COMPARISONS = MODEL_FMU_SURFACES - MODEL_FMU_MODES, MODEL_FMU_CONDITIONS = MODEL_FMU_EVENTS + 1 };

typedef struct model_fmu_watch {
  const model_fmu *f;
  const model_fmu_step *step; /* the last one; NULL: at the state of the instance */
  model_state x;              /* that was evaluated last, with the modes, accelerations and multipliers there */
  model_input u;
  double a[MODEL_N], lambda[MODEL_FMU_M1];
  PfIndicators set;
  PfIndicator at[MODEL_FMU_SURFACES1];
  double mode[MODEL_FMU_SURFACES1];
  bool sticks[MODEL_FMU_SURFACES1];
  double reals[PF_INDICATOR_REALS(MODEL_FMU_SURFACES1, MODEL_FMU_SURFACES1, MODEL_FMU_CONDITIONS, 1)];
  bool bools[PF_INDICATOR_BOOLS(MODEL_FMU_SURFACES1)];
} model_fmu_watch;

/* ---------------------------------------------------------------- functions for the runtime */

/* All g at the state; of a sliding mode the distance of its force from the limit. */
static void model_fmu_watch_evaluate(model_fmu_watch *w, double *g)
{
  int k;
  model_fmu_surfaces(&w->f->d.p, &w->x, &w->u, w->a, w->lambda, g);
  for (k = 0; k < MODEL_FMU_MODES; k++)
    if (w->sticks[k]) g[k] = model_fmu_margin(*model_fmu_mode(&w->u, k));
}

static bool model_fmu_watch_inside(void *user, double t, bool with_forces, double *g)
{
  model_fmu_watch *w = user;
  if (w->step) model_fmu_step_at(w->step, t, &w->x);
  if (w->step && with_forces && model_fmu_flow(&w->f->d, &w->x, &w->u, w->a, w->lambda) != MODEL_OK) return false;
  model_fmu_watch_evaluate(w, g);
  return true;
}

static void model_fmu_watch_timed(void *user, double t, double *g)
{
  model_fmu_watch *w = user;
  w->x.time = t;
  model_fmu_watch_evaluate(w, g);
}

static void model_fmu_watch_sizes(void *user, double *size)
{
  model_fmu_watch *w = user;
  double all[2*MODEL_FMU_SURFACES1];
  int k;
  model_fmu_sizes(&w->f->d.p, &w->x, &w->u, w->a, w->lambda, all);
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    const int known = !w->at[k].timed && !w->at[k].by_forces;
    size[2*k] = known ? all[k] : 0;
    size[2*k + 1] = known ? all[MODEL_FMU_SURFACES + k] : 0;
  }
}

/* The end, then the events that have not happened. */
static void model_fmu_watch_conditions(void *user, const double *truth, double *holds)
{
  const model_fmu_watch *w = user;
  model_fmu_judge(&w->f->d, truth, holds);
}

void model_fmu_judge(const model_fmu_data *d, const double *truth, double *holds)
{
  double all[MODEL_FMU_SURFACES1] = {0};
  int k, e;
  for (k = MODEL_FMU_MODES; k < MODEL_FMU_SURFACES; k++) all[k] = truth[k - MODEL_FMU_MODES];
  model_fmu_conditions(all, holds);
  for (e = 0; e <= MODEL_FMU_EVENTS; e++) holds[e] = holds[e] > 0.5 && (!e || !d->happened[e - 1]);
}

/* ---------------------------------------------------------------- the indicators */

static void model_fmu_watch_make(model_fmu_watch *w, const model_fmu *f, const model_fmu_step *step, double horizon)
{
  static const PfIndicatorCalls calls = {model_fmu_watch_inside, model_fmu_watch_timed, model_fmu_watch_sizes,
                                         model_fmu_watch_conditions, NULL};
  const model_fmu_data *d = &f->d;
  PfIndicators *set = &w->set;
  int k;
  memset(set, 0, sizeof *set);
  memset(w->at, 0, sizeof w->at);
  w->f = f;
  w->step = step;
  w->x = d->x;
  w->u = d->u;
  memcpy(w->a, f->a, sizeof w->a);
  memcpy(w->lambda, f->lambda, sizeof w->lambda);
  set->user = w;
  set->calls = &calls;
  set->count = MODEL_FMU_SURFACES;
  set->comparison_count = MODEL_FMU_COMPARISONS;
  set->condition_count = MODEL_FMU_CONDITIONS;
  set->surface_count = MODEL_FMU_MODES;
  set->at = w->at;
  set->mode = w->mode;
  set->sticks = w->sticks;
  set->atol = model_fmu_atol(d);
  set->constraint_residual = MODEL_M > 0 ? 1e-13 : 0;
  set->t_old = set->t = d->x.time;
  set->horizon = horizon;
  set->begun = d->begun;
  set->known = d->next_event;
  set->known_indicator = d->next_surface;
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    PfIndicator *item = w->at + k;
    const int is_mode = k < MODEL_FMU_MODES;
    if (is_mode) w->mode[k] = *model_fmu_mode(&w->u, k);
    w->sticks[k] = is_mode && d->stays[k];
    item->kind = !is_mode ? PF_INDICATOR_COMPARISON : w->sticks[k] ? PF_INDICATOR_RELEASE : PF_INDICATOR_SURFACE;
    item->index = is_mode ? k : k - MODEL_FMU_MODES;
    item->linear = model_fmu_timed[k] && !w->sticks[k];
    item->timed = item->linear || (model_fmu_by_time[k] && !w->sticks[k] && horizon <= DBL_MAX);
    item->jumps = model_fmu_jumps[k] != 0;
    item->equality = model_fmu_equal[k] != 0;
    item->or_equal = model_fmu_or_equal[k] != 0;
    item->by_forces = w->sticks[k] || model_fmu_by_forces[k];
    item->side = d->sign[k];
    item->slack = w->sticks[k] ? 0 : d->slack[k];
    set->by_forces = set->by_forces || item->by_forces;
    set->by_state = set->by_state || !item->timed;
  }
  pf_indicators_place(set, w->reals, w->bools);
  for (k = 0; k < MODEL_FMU_COMPARISONS; k++) set->truth[k] = d->truth[k];
}

/* Back into the data of the instance, from which the next search is made. */
static void model_fmu_watch_keep(const model_fmu_watch *w, model_fmu_data *d)
{
  int k;
  for (k = 0; k < MODEL_FMU_SURFACES; k++) {
    d->sign[k] = w->at[k].side;
    d->slack[k] = w->at[k].slack;
  }
  for (k = 0; k < MODEL_FMU_COMPARISONS; k++) d->truth[k] = w->set.truth[k];
  d->next_event = w->set.known;
  d->next_surface = w->set.known_indicator;
}

/* ---------------------------------------------------------------- for the others */

model_fmu_status model_fmu_begin_watch(model_fmu *f, double *holds)
{
  model_fmu_watch w;
  double noise[MODEL_FMU_SURFACES1], off[MODEL_FMU_SURFACES1];
  const model_fmu_status status = model_fmu_move(f);
  int k;
  if (status != MODEL_FMU_OK || MODEL_FMU_SURFACES == 0) return status;
  model_fmu_watch_make(&w, f, NULL, INFINITY);
  (void)pf_indicators_begin(&w.set);
  model_fmu_watch_keep(&w, &f->d);
  memcpy(holds, w.set.holds, MODEL_FMU_CONDITIONS*sizeof *holds);
  model_fmu_allowances(f, noise, off);
  for (k = 0; k < MODEL_FMU_MODES; k++) /* indicators of importers are not at zero but for rounding */
    if (!f->d.stays[k]) f->d.slack[k] = fmax(f->d.slack[k], 2*noise[k]);
  return MODEL_FMU_OK;
}

double model_fmu_next_instant(model_fmu *f, double horizon)
{
  model_fmu_watch w;
  double next = horizon;
  if (MODEL_FMU_SURFACES == 0) return next;
  model_fmu_watch_make(&w, f, NULL, horizon);
  next = fmin(next, pf_indicators_next_instant(&w.set));
  model_fmu_watch_keep(&w, &f->d);
  return next;
}

int model_fmu_cross(model_fmu *f, const model_fmu_step *step, double end, double horizon, model_fmu_switch *at,
                    double *holds)
{
  model_fmu_watch w;
  PfCrossing crossing;
  int k;
  at->time = end;
  if (MODEL_FMU_SURFACES == 0) return 0;
  model_fmu_watch_make(&w, f, step, horizon);
  w.set.t = end;
  crossing = pf_indicators_cross(&w.set);
  model_fmu_watch_keep(&w, &f->d);
  at->time = crossing.t;
  for (k = 0; k < MODEL_FMU_MODES; k++) {
    at->met[k] = w.set.met[k];
    at->released[k] = w.set.released[k];
  }
  for (k = 0; k < MODEL_FMU_CONDITIONS; k++)
    holds[k] = crossing.kind == PF_CROSSING_CONDITION ? w.set.holds[k] : 0;
  return crossing.kind != PF_CROSSING_NONE;
}
