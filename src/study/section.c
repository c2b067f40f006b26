/* SPDX-License-Identifier: Apache-2.0 */
/* Poincare sections, and the largest Lyapunov exponent: the mean rate at which the logarithm of a small deviation
 * grows (G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9-30). */
#include "study/course.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200000 };

typedef struct Cut {
  PfContext *ctx;
  PfArena *arena;
  PfDynamics *f;
  const PfSectionOptions *o;
  PfSection *result;
  PfLevels levels;
  PfCourse flow;      /* the first orbit, with a deviation */
  double *y, *home, *values;
  double t0, log_sum, half_sum, half_t;
  int n;            /* of the chart at home */
} Cut;

/* ---------------------------------------------------------------- points */

static PfStatus value_at(Cut *c, const double *y, PfQuantity q, double *value)
{
  PF_TRY(pf_dynamics_go(c->f, y));
  return pf_quantity_value(c->f, q, c->levels.outputs, value);
}

static PfStatus keep(Cut *c, double t, const double *y, int orbit)
{
  PfSection *r = c->result;
  if (t - c->t0 < c->o->skip || r->count == MOST_POINTS) return PF_OK;
  PF_TRY(value_at(c, y, c->o->show[0], r->a + r->count));
  PF_TRY(value_at(c, y, c->o->show[1], r->b + r->count));
  r->t[r->count] = t, r->orbit[r->count++] = orbit;
  return PF_OK;
}

typedef struct Passage {
  Cut *c;
  PfCourse *w;
} Passage;

static PfStatus height_at(void *user, double t, double *height)
{
  Passage *p = user;
  PF_TRY(pf_course_exactly_at(p->w, t, p->c->y));
  PF_TRY(value_at(p->c, p->c->y, p->c->o->section, height));
  *height -= p->c->o->value;
  return PF_OK;
}

/* Where the section is passed upwards in the last step. */
static PfStatus cross(Cut *c, PfCourse *w, int orbit)
{
  double before, after, t;
  PF_TRY(value_at(c, w->y_old, c->o->section, &before));
  PF_TRY(value_at(c, w->y, c->o->section, &after));
  before -= c->o->value, after -= c->o->value;
  if (!(before < 0) || !(after >= 0)) return PF_OK;
  memcpy(c->y, w->y, (size_t)w->n*sizeof *c->y);
  PF_TRY(pf_root(height_at, &(Passage){c, w}, w->t_old, before, w->t, after, &t));
  return keep(c, t, c->y, orbit);
}

/* ---------------------------------------------------------------- orbits */

/* Scales the deviation back, and adds the logarithm of its growth. */
static void shrink(Cut *c, PfCourse *w)
{
  double length = pf_norm(w->y + w->n, w->n);
  if (length > 1e-3 && length < 1e3) return;
  c->log_sum += log(length);
  for (int i = 0; i < w->n; i++) w->y[w->n + i] /= length;
  for (int i = 0; i < w->n; i++) w->k[6][w->n + i] /= length; /* the derivative is linear in it */
}

static double exponent(const Cut *c, const PfCourse *w)
{
  return (c->log_sum + log(pf_norm(w->y + w->n, w->n)))/(w->t - c->t0);
}

/* Along one orbit, to the end or to the next instant of a stroboscope. */
static PfStatus follow(Cut *c, PfCourse *w, int orbit)
{
  double t_end = c->t0 + c->o->span, middle = c->t0 + c->o->span/2;
  long tick = 1;
  while (w->t < t_end) {
    double stop = c->o->every > 0 ? fmin(t_end, c->t0 + (double)tick*c->o->every) : t_end;
    if (w->deviates && w->t < middle) stop = fmin(stop, middle);
    PF_TRY(pf_course_step(w, stop));
    if (!(c->o->every > 0)) PF_TRY(cross(c, w, orbit));
    else if (w->t == c->t0 + (double)tick*c->o->every) {
      PF_TRY(keep(c, w->t, w->y, orbit));
      tick++;
    }
    if (!w->deviates) continue;
    if (w->t == middle) c->result->before = exponent(c, w);
    shrink(c, w);
  }
  return PF_OK;
}

/* An orbit that ends early is no failure of the whole. */
static PfStatus orbit(Cut *c, PfCourse *w, int number)
{
  int before = pf_diagnostic_count(c->ctx);
  PfStatus status = pf_course_begin(w, 1);
  for (int i = 0; i < w->n && w->deviates; i++) w->y[w->n + i] = 1/sqrt(w->n);
  if (status == PF_OK && w->deviates) { /* the derivative of the deviation belongs to it */
    w->ready = false;
    pf_dynamics_direction(c->f, w->y + w->n, w->s);
    status = pf_dynamics_complete(c->f, w->s, NULL, c->f->derived);
    if (status == PF_OK) {
      pf_dynamics_rate(c->f, w->k[6]);
      pf_dynamics_rate_of(c->f, w->s, c->f->derived, w->k[6] + w->n);
    }
  }
  if (status == PF_OK) status = follow(c, w, number);
  if (w->deviates && w->t > c->t0) c->result->exponent = exponent(c, w);
  if (status != PF_ERR_NUMBER) return status;
  const char *message = pf_context_message(c->ctx);
  if (number == 0) c->result->end = pf_arena_text(c->arena, message, strlen(message));
  pf_diagnostics_cut(c->ctx, before);
  return PF_OK;
}

static PfStatus go_home(Cut *c)
{
  memcpy(c->f->full, c->values, (size_t)c->f->count*sizeof *c->values);
  PF_TRY(pf_dynamics_place(c->f, c->values));
  PF_TRY(pf_dynamics_chart(c->f, NULL));
  return pf_dynamics_size(c->f) == c->n ? PF_OK : pf_fail(c->ctx, PF_ERR_NUMBER, "the constraints lost rank");
}

static PfStatus others(Cut *c)
{
  PfCourse w = {0};
  PfStatus status = pf_course_make(c->ctx, c->arena, c->f, false, c->flow.rtol, &w);
  for (int k = 1; k < c->o->orbits && status == PF_OK; k++) {
    bool found = false;
    for (int i = 0; i < 2; i++)
      c->levels.target[i] = c->o->low[i] + pf_halton(k, i)*(c->o->high[i] - c->o->low[i]);
    status = go_home(c);
    if (status == PF_OK) status = pf_levels_go(&c->levels, &found);
    if (status == PF_OK && found) status = orbit(c, &w, k);
    c->result->failed += !found;
  }
  pf_course_release(&w);
  return status;
}

static PfStatus prepare(Cut *c)
{
  const PfSectionOptions *o = c->o;
  PfSection *r = c->result;
  size_t most = 2*(size_t)(c->f->n + c->f->nw);
  r->t = pf_arena_array(c->arena, double, MOST_POINTS), r->a = pf_arena_array(c->arena, double, MOST_POINTS);
  r->b = pf_arena_array(c->arena, double, MOST_POINTS), r->orbit = pf_arena_array(c->arena, int, MOST_POINTS);
  c->y = pf_arena_array(c->arena, double, most), c->values = pf_arena_array(c->arena, double, c->f->count);
  if (!r->t || !r->a || !r->b || !r->orbit || !c->y || !c->values) return pf_no_room(c->ctx, "the section");
  memcpy(c->values, c->f->full, (size_t)c->f->count*sizeof *c->values);
  c->n = pf_dynamics_size(c->f);
  c->t0 = c->f->full[pf_system_symbols(c->f->system)->time];
  PF_TRY(pf_levels_make(c->ctx, c->arena, c->f, NULL, 2 + o->keep_count, &c->levels));
  for (int k = 0; k < 2 + o->keep_count; k++) {
    PfQuantity quantity = k < 2 ? o->show[k] : o->keep[k - 2];
    double now;
    PF_TRY(pf_quantity_value(c->f, quantity, c->levels.outputs, &now));
    pf_levels_add(&c->levels, quantity, now);
  }
  return pf_course_make(c->ctx, c->arena, c->f, true, o->rtol > 0 ? o->rtol : 1e-9, &c->flow);
}

static PfStatus cut(Cut *c)
{
  PF_TRY(prepare(c));
  PF_TRY(orbit(c, &c->flow, 0));
  return others(c);
}

PfStatus pf_section(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfSectionOptions *options,
                    PfSection *section)
{
  *section = (PfSection){.exponent = NAN, .before = NAN};
  if (!(options->span > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "a section needs a time span");
  Cut c = {.ctx = ctx, .arena = arena, .f = field, .o = options, .result = section};
  PfStatus status = cut(&c);
  pf_course_release(&c.flow);
  return status;
}
