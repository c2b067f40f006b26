/* SPDX-License-Identifier: Apache-2.0 */
/* Poincare sections. */
#include "study/exponent.h"
#include "study/path.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200000 };

typedef struct Cut {
  PfContext *ctx;
  PfArena *arena;
  PfDynamics *f;
  PfSim *sim;
  const PfSectionOptions *o;
  PfSection *result;
  PfLevels levels;
  PfPath path;
  double *values;   /* all numbers where the field was */
  double t0;
  int n;            /* of the chart there */
} Cut;

/* ---------------------------------------------------------------- points */

static double height(void *user)
{
  const Cut *c = user;
  return c->o->every > 0 ? NAN : pf_sim_get(c->sim, c->o->section) - c->o->value;
}

/* What the simulation shows at t. */
static void keep(Cut *c, double t, int orbit)
{
  PfSection *r = c->result;
  if (t - c->t0 < c->o->skip || r->count == MOST_POINTS) return;
  r->a[r->count] = pf_sim_get(c->sim, c->o->plane.handle[0]);
  r->b[r->count] = pf_sim_get(c->sim, c->o->plane.handle[1]);
  r->t[r->count] = t, r->orbit[r->count++] = orbit;
}

/* Instants of the stroboscope in the latest step; rounding does not hide the very end. */
static void strobe(Cut *c, long *tick, int orbit)
{
  const PfPath *p = &c->path;
  double least = 1e-12*c->o->span;
  for (;; ++*tick) {
    double t = c->t0 + (double)*tick*c->o->every;
    if (t > p->to + (p->to < c->t0 + c->o->span ? 0 : least)) return;
    if (pf_sim_look(c->sim, fmin(t, p->to))) keep(c, t, orbit);
  }
}

/* ---------------------------------------------------------------- orbits */

static PfStatus follow(Cut *c, int orbit)
{
  bool goes = true;
  long tick = 1;
  while (goes) {
    PF_TRY(pf_path_step(&c->path, &goes));
    if (!goes || c->path.from == c->path.to) continue;
    if (c->o->every > 0) strobe(c, &tick, orbit);
    for (double t; !(c->o->every > 0) && pf_path_pass(&c->path, &t);) keep(c, t, orbit);
  }
  if (orbit == 0) c->result->end = pf_path_end(&c->path, c->arena);
  return PF_OK;
}

/* The first one begins where the simulation is placed. */
static PfStatus orbit(Cut *c, int number)
{
  PF_TRY(pf_path_begin(&c->path, number ? c->f : NULL));
  return follow(c, number);
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
  for (int k = 1; k < c->o->orbits; k++) {
    bool found;
    PF_TRY(go_home(c));
    PF_TRY(pf_levels_go(&c->levels, k, &found));
    if (found) PF_TRY(orbit(c, k));
    else c->result->failed++;
  }
  return PF_OK;
}

static PfStatus prepare(Cut *c)
{
  PfSection *r = c->result;
  r->t = pf_arena_array(c->arena, double, MOST_POINTS), r->a = pf_arena_array(c->arena, double, MOST_POINTS);
  r->b = pf_arena_array(c->arena, double, MOST_POINTS), r->orbit = pf_arena_array(c->arena, int, MOST_POINTS);
  c->values = pf_arena_array(c->arena, double, c->f->count);
  if (!r->t || !r->a || !r->b || !r->orbit || !c->values) return pf_no_room(c->ctx, "the section");
  memcpy(c->values, c->f->full, (size_t)c->f->count*sizeof *c->values);
  c->n = pf_dynamics_size(c->f);
  c->t0 = c->f->full[pf_system_symbols(c->f->system)->time];
  PF_TRY(pf_levels_make(c->ctx, c->arena, c->f, NULL, &c->o->plane, &c->levels));
  return pf_path_prepare(c->sim, c->o->span);
}

static PfStatus cut(Cut *c)
{
  PfSection *r = c->result;
  PF_TRY(prepare(c));
  PF_TRY(orbit(c, 0));
  double seconds = c->path.to - c->t0;
  PF_TRY(pf_dynamics_may_jump(c->f, &r->jumps));
  if (!r->jumps && seconds > 0)
    PF_TRY(pf_lyapunov_exponent(c->arena, c->f, seconds, pf_path_rtol(c->sim), &r->exponent, &r->before));
  return others(c);
}

PfStatus pf_section(PfArena *arena, PfDynamics *field, PfSim *sim, const PfSectionOptions *options, PfSection *section)
{
  PfContext *ctx = field->ctx;
  *section = (PfSection){.exponent = NAN, .before = NAN};
  if (!(options->span > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "a section needs a time span");
  Cut c = {.ctx = ctx, .arena = arena, .f = field, .sim = sim, .o = options, .result = section};
  c.path = (PfPath){.sim = sim, .height = height, .user = &c};
  return cut(&c);
}
