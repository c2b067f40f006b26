/* SPDX-License-Identifier: Apache-2.0 */
/* Integration of the vector field of a study. */
#include "study/course.h"

#include "time/erk.h"

#include <float.h>
#include <math.h>
#include <string.h>

static PfStatus make_inputs(PfCourse *w, PfArena *arena)
{
  const PfModel *model = w->f->model;
  int count = model->input_count;
  PfExpr *roots = pf_arena_array(arena, PfExpr, count);
  w->input_values = pf_arena_array(arena, double, count);
  if (!roots || !w->input_values) return pf_no_room(w->ctx, "the flow");
  bool any = false;
  for (int i = 0; i < count; i++) {
    any = any || model->inputs[i].value;
    roots[i] = model->inputs[i].value ? model->inputs[i].value : model->inputs[i].symbol;
  }
  if (!any) return PF_OK;
  PF_TRY(pf_tape_new(w->ctx, w->f->symbol, w->f->count, roots, count, &w->inputs));
  w->work = pf_arena_array(arena, double, pf_tape_work_size(w->inputs));
  return w->work ? PF_OK : pf_no_room(w->ctx, "the flow");
}

PfStatus pf_course_make(PfContext *ctx, PfArena *arena, PfDynamics *field, bool deviates, double rtol, PfCourse *w)
{
  *w = (PfCourse){.ctx = ctx, .f = field, .deviates = deviates, .rtol = rtol, .atol = rtol/100, .way = 1};
  size_t most = 2*(size_t)(field->n + field->nw); /* any chart, with deviation */
  w->y = pf_arena_array(arena, double, most), w->y_old = pf_arena_array(arena, double, most);
  w->trial = pf_arena_array(arena, double, most), w->dense = pf_arena_array(arena, double, 5*most);
  w->s = pf_arena_array(arena, double, field->count);
  bool good = w->y && w->y_old && w->trial && w->dense && w->s;
  for (int k = 0; k < PF_COURSE_STAGES; k++) good = (w->k[k] = pf_arena_array(arena, double, most)) && good;
  return good ? make_inputs(w, arena) : pf_no_room(ctx, "the flow");
}

void pf_course_release(PfCourse *w)
{
  pf_tape_free(w->inputs);
}

/* ---------------------------------------------------------------- the right-hand side */

static void set_time(PfCourse *w, double t)
{
  PfDynamics *f = w->f;
  f->full[pf_system_symbols(f->system)->time] = t;
  if (!w->inputs) return;
  pf_tape_run(w->inputs, f->full, w->input_values, w->work);
  memcpy(f->full + f->at_inputs, w->input_values, (size_t)f->model->input_count*sizeof *f->full);
}

/* k = way*(f, Df d) at y; quiet failures. */
static PfStatus rate(PfCourse *w, double t, const double *y, double *k)
{
  int before = pf_diagnostic_count(w->ctx);
  set_time(w, t);
  PfStatus status = pf_first_not_finite(y, (size_t)w->N) < 0 ? pf_dynamics_go(w->f, y) : PF_ERR_NUMBER;
  if (status == PF_OK) pf_dynamics_rate(w->f, k);
  if (status == PF_OK && w->deviates) {
    pf_dynamics_direction(w->f, y + w->n, w->s);
    status = pf_dynamics_complete(w->f, w->s, NULL, w->f->derived);
    if (status == PF_OK) pf_dynamics_rate_of(w->f, w->s, w->f->derived, k + w->n);
  }
  if (status != PF_OK) {
    if (!pf_is_final(status)) pf_diagnostics_cut(w->ctx, before);
    return status;
  }
  for (int i = 0; i < w->N; i++) k[i] *= w->way;
  return PF_OK;
}

/* ---------------------------------------------------------------- steps */

PfStatus pf_course_begin(PfCourse *w, double way)
{
  w->n = pf_dynamics_size(w->f);
  w->N = w->deviates ? 2*w->n : w->n;
  w->way = way;
  w->t = w->t_old = w->f->full[pf_system_symbols(w->f->system)->time];
  w->worn = false;
  w->ready = true;
  pf_dynamics_get(w->f, w->y);
  PF_TRY(rate(w, w->t, w->y, w->k[0]));
  double size = pf_norm(w->y, w->n), speed = pf_norm(w->k[0], w->n);
  w->h = speed > 0 ? 0.01*(1 + size)/speed : 0.01;
  w->h = fmin(w->h, 0.1)*pow(w->rtol/1e-6, 0.2);
  return PF_OK;
}

/* All stages of a step of size h > 0 from y_old; the result in trial. k[0] is known. */
static PfStatus stages(PfCourse *w, double h)
{
  const PfTableau *tb = &pf_dopri5_tableau;
  for (int s = 1; s < PF_COURSE_STAGES; s++) {
    for (int i = 0; i < w->N; i++) {
      double sum = 0;
      for (int j = 0; j < s; j++) sum += tb->a[s*PF_COURSE_STAGES + j]*w->k[j][i];
      w->trial[i] = w->y_old[i] + h*sum;
    }
    PF_TRY(rate(w, w->t_old + w->way*tb->c[s]*h, w->trial, w->k[s]));
  }
  return PF_OK;
}

static double error(const PfCourse *w, double h)
{
  double sum = 0;
  for (int i = 0; i < w->N; i++) {
    double miss = 0;
    for (int s = 0; s < PF_COURSE_STAGES; s++) miss += pf_dopri5_error[s]*w->k[s][i];
    double allowed = w->atol + w->rtol*fmax(fabs(w->y_old[i]), fabs(w->trial[i]));
    miss *= h/allowed;
    sum += miss*miss;
  }
  return w->N ? sqrt(sum/w->N) : 0;
}

static void make_dense(PfCourse *w, double h)
{
  int N = w->N;
  double *r = w->dense;
  for (int i = 0; i < N; i++) {
    double difference = w->trial[i] - w->y_old[i], bend = h*w->k[0][i] - difference, sum = 0;
    for (int s = 0; s < PF_COURSE_STAGES; s++) sum += pf_dopri5_dense[s]*w->k[s][i];
    r[i] = w->y_old[i];
    r[N + i] = difference;
    r[2*N + i] = bend;
    r[3*N + i] = difference - h*w->k[6][i] - bend;
    r[4*N + i] = h*sum;
  }
}

/* Is the present chart nearly used up, its independent coordinates hardly determining the others? */
static bool is_worn(const PfDynamics *f)
{
  return (f->np && f->hold[0] < 0.1*f->chosen_hold[0]) || (f->nv && f->hold[1] < 0.1*f->chosen_hold[1]);
}

static PfStatus change_chart(PfCourse *w)
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
  w->ready = true;
  return rate(w, w->t, w->y, w->k[0]);
}

static PfStatus give_up(PfCourse *w, PfStatus status)
{
  if (pf_is_final(status)) return status;
  return pf_fail(w->ctx, PF_ERR_NUMBER, "the motion cannot be followed beyond t = %.6g", w->t);
}

PfStatus pf_course_step(PfCourse *w, double t_end)
{
  PfStatus status = PF_OK;
  PF_TRY(pf_check_cancelled(w->ctx));
  if (w->worn) PF_TRY(change_chart(w));
  if (!w->ready) memcpy(w->k[0], w->k[6], (size_t)w->N*sizeof *w->k[0]);
  memcpy(w->y_old, w->y, (size_t)w->N*sizeof *w->y);
  w->t_old = w->t;
  w->ready = w->worn = false;
  for (;;) {
    double left = w->way*(t_end - w->t_old), h = fmin(w->h, left);
    if (h >= 0.9*left && h < left) h = left;
    if (!(h > PF_SHORTEST_STEP(w->t_old)) && h < left) return give_up(w, status);
    status = stages(w, h);
    if (pf_is_final(status)) return status;
    double miss = status == PF_OK ? error(w, h) : INFINITY;
    if (miss <= 1) {
      w->t = h == left ? t_end : w->t_old + w->way*h;
      make_dense(w, h);
      memcpy(w->y, w->trial, (size_t)w->N*sizeof *w->y);
      if (h == w->h || miss > 0.01) w->h = h*fmin(5, 0.9*pow(fmax(miss, 1e-10), -0.2));
      w->worn = is_worn(w->f);
      return PF_OK;
    }
    w->h = h*(isfinite(miss) ? fmax(0.2, 0.9*pow(miss, -0.2)) : 0.2);
  }
}

void pf_course_at(const PfCourse *w, double t, double *y)
{
  int N = w->N;
  double x = (t - w->t_old)/(w->t - w->t_old), z = 1 - x;
  const double *r = w->dense;
  for (int i = 0; i < N; i++) y[i] = r[i] + x*(r[N + i] + z*(r[2*N + i] + x*(r[3*N + i] + z*r[4*N + i])));
}
