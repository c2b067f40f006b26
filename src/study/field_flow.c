/* SPDX-License-Identifier: Apache-2.0 */
/* Integrator of a study: x' = f(x), with the variational equation d' = Df(x) d on demand, by Dormand and Prince's
 * method of order 5(4) with dense output, forwards or backwards in time. Where the independent coordinates hardly
 * determine the others any more, new ones are chosen between two steps. */
#include "study/field_flow.h"

#include "pfaff/sim_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Room for the largest chart. Inputs that are functions of time get a tape; the others keep their numbers. */
PfStatus pf_field_flow_make(PfContext *ctx, PfArena *arena, PfDynamics *field, bool deviates, double rtol,
                            PfFieldFlow *w)
{
  *w = (PfFieldFlow){.ctx = ctx, .f = field, .deviates = deviates, .rtol = rtol, .atol = pf_default_atol(1, rtol),
                     .direction = 1};
  size_t most = 2*(size_t)(field->n + field->nw); /* any chart, with deviation */
  w->y = pf_arena_array(arena, double, most), w->y_old = pf_arena_array(arena, double, most);
  w->trial = pf_arena_array(arena, double, most), w->dense = pf_arena_array(arena, double, PF_DOPRI5_DENSE*most);
  w->s = pf_arena_array(arena, double, field->count);
  w->k = pf_arena_array(arena, double, PF_DOPRI5_STAGES*most);
  if (!w->y || !w->y_old || !w->trial || !w->dense || !w->s || !w->k) return pf_no_room(ctx, "the flow");
  const PfModel *model = w->f->model;
  int count = model->input_count;
  PfExpr *roots;
  PF_TRY(pf_arrays(w->ctx, arena, "the flow", PF_ROOM(roots, count), PF_ROOM(w->input_values, count)));
  bool any = false;
  for (int i = 0; i < count; i++) {
    any = any || model->inputs[i].value;
    roots[i] = model->inputs[i].value ? model->inputs[i].value : model->inputs[i].symbol;
  }
  if (!any) return PF_OK;
  PF_TRY(pf_tape_new(w->ctx, w->f->symbol, w->f->count, roots, count, &w->inputs));
  return pf_arrays(w->ctx, arena, "the flow", PF_ROOM(w->work, pf_tape_work_size(w->inputs)));
}

/* NULL tapes are allowed. */
void pf_field_flow_release(PfFieldFlow *w)
{
  pf_tape_free(w->inputs);
}

/* ---------------------------------------------------------------- the right-hand side */

/* Sets the time of the field and its inputs at that time. */
static void set_time(PfFieldFlow *w, double t)
{
  PfDynamics *f = w->f;
  f->full[pf_system_symbols(f->system)->time] = t;
  if (!w->inputs) return;
  pf_tape_run(w->inputs, f->full, w->input_values, w->work);
  memcpy(f->full + f->at_inputs, w->input_values, (size_t)f->model->input_count*sizeof *f->full);
}

/* k = (f, Df d) at y; quiet failures. For PfStageRate, whose failures are those of PfStatus. */
static int rate(void *flow, int stage, double t, double *y, double *k)
{
  (void)stage;
  PfFieldFlow *w = flow;
  int before = pf_diagnostic_count(w->ctx);
  set_time(w, t);
  PfStatus status = pf_first_not_finite(y, (size_t)w->N) < 0 ? pf_dynamics_go(w->f, y) : PF_ERR_NUMBER;
  if (status == PF_OK) pf_dynamics_rate(w->f, k);
  if (status == PF_OK && w->deviates) {
    pf_dynamics_direction(w->f, y + w->n, w->s);
    status = pf_dynamics_complete(w->f, w->s, NULL, w->f->derived);
    if (status == PF_OK) pf_dynamics_rate_of(w->f, w->s, w->f->derived, k + w->n);
  }
  if (status != PF_OK && !pf_is_final(status)) pf_diagnostics_truncate(w->ctx, before);
  return (int)status;
}

/* ---------------------------------------------------------------- steps */

PfStatus pf_field_flow_begin(PfFieldFlow *w, double direction)
{
  w->n = pf_dynamics_size(w->f);
  w->N = w->deviates ? 2*w->n : w->n;
  w->direction = direction;
  w->t = w->t_old = w->f->full[pf_system_symbols(w->f->system)->time];
  w->chart_poor = false;
  w->control = (PfStepControl){.last_error = 1};
  pf_dynamics_get(w->f, w->y);
  PF_TRY((PfStatus)rate(w, 0, w->t, w->y, w->k));
  w->h = pf_rk_first_step(w->y, w->k, w->n, 1, w->atol, w->rtol);
  return PF_OK;
}

/* Is the present chart nearly used up, its independent coordinates hardly determining the others? */
static bool is_chart_poor(const PfDynamics *f)
{
  return (f->np && f->hold[0] < 0.1*f->chosen_hold[0]) || (f->nv && f->hold[1] < 0.1*f->chosen_hold[1]);
}

/* Chooses new independent coordinates and velocities where the integration is; state and deviation are expressed in
 * them. */
static PfStatus change_chart(PfFieldFlow *w)
{
  PfDynamics *f = w->f;
  set_time(w, w->t);
  PF_TRY(pf_dynamics_go(f, w->y));
  if (w->deviates) {
    pf_dynamics_direction(f, w->y + w->n, w->s);
    PF_TRY(pf_dynamics_complete(f, w->s, NULL, f->derived));
  }
  PF_TRY(pf_dynamics_chart(f, NULL));
  if (pf_dynamics_size(f) != w->n)
    return pf_fail(w->ctx, PF_ERR_NUMBER, "the constraints lose rank at t = %.6g", w->t);
  pf_dynamics_get(f, w->y);
  for (int k = 0; k < f->ny && w->deviates; k++) w->y[w->n + k] = w->s[f->at_q + f->y[k]];
  for (int k = 0; k < f->nj && w->deviates; k++) w->y[w->n + f->ny + k] = w->s[f->at_w + f->w[k]];
  return (PfStatus)rate(w, 0, w->t, w->y, w->k);
}

/* The failure where no step is short enough, unless the last status is final. */
static PfStatus give_up(PfFieldFlow *w, PfStatus status)
{
  if (pf_is_final(status)) return status;
  return pf_fail(w->ctx, PF_ERR_NUMBER, "the motion cannot be followed beyond t = %.6g", w->t);
}

/* The step at y_old becomes the present one: dense output from its stages, of which the last one is the next first. */
static void accept(PfFieldFlow *w, double h)
{
  const size_t N = (size_t)w->N;
  for (size_t i = 0; i < N; i++)
    pf_dopri5_dense(w->k + i, N, h, w->y_old[i], w->trial[i], w->dense + PF_DOPRI5_DENSE*i);
  memcpy(w->y, w->trial, N*sizeof *w->y);
  memcpy(w->k, w->k + (PF_DOPRI5_STAGES - 1)*N, N*sizeof *w->k);
  w->chart_poor = is_chart_poor(w->f);
}

/* A poor chart is changed before the step, not in it. A step that only goes the rest of the way says little about the
 * next one. */
PfStatus pf_field_flow_step(PfFieldFlow *w, double t_end)
{
  const PfTableau *tb = pf_dopri5_tableau();
  const double d = w->direction;
  PF_TRY(pf_check_cancelled(w->ctx));
  if (w->chart_poor) PF_TRY(change_chart(w));
  memcpy(w->y_old, w->y, (size_t)w->N*sizeof *w->y);
  w->t_old = w->t;
  w->chart_poor = w->control.rejected = false;
  for (;;) {
    const double left = d*(t_end - w->t_old), h = pf_rk_limit_step(w->h, left, 0);
    const PfStatus status = (PfStatus)pf_rk_stages(tb, rate, w, w->N, w->t_old, d*h, w->y_old, w->k, w->trial);
    if (pf_is_final(status)) return status;
    const double error = status == PF_OK ? pf_dopri5_error(w->N, w->k, w->N, h, w->y_old, w->trial, w->atol, w->rtol)
                                         : INFINITY;
    PfStepControl control = w->control;
    const double next = pf_rk_next_step(&control, tb->order, h, error);
    if (h < left || !(error <= 0.01)) w->h = next, w->control = control;
    if (error <= 1) {
      w->t = d*pf_rk_end(d*w->t_old, h, d*t_end);
      accept(w, d*h);
      return PF_OK;
    }
    if (h < PF_SHORTEST_STEP(w->t_old)) return give_up(w, status);
  }
}

/* Valid until the next step or change of the chart. */
void pf_field_flow_at(const PfFieldFlow *w, double t, double *y)
{
  double x = (t - w->t_old)/(w->t - w->t_old);
  for (int i = 0; i < w->N; i++) y[i] = pf_dopri5_at(w->dense + PF_DOPRI5_DENSE*i, x);
}
