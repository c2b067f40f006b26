/* SPDX-License-Identifier: Apache-2.0 */
/* Poincare sections: points where orbits cross a surface upwards, or stroboscopic points at multiples of a period;
 * several orbits with the same values of chosen integrals; the largest Lyapunov exponent of the first one. */
#include "study/exponent.h"
#include "study/path.h"
#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200000 };

/* The study while it runs. */
typedef struct Section {
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
} Section;

/* ---------------------------------------------------------------- points */

/* The quantity of the section above its value; none for a stroboscope. */
static double height(void *user)
{
  const Section *c = user;
  return c->o->every > 0 ? NAN : pf_sim_get(c->sim, c->o->section) - c->o->value;
}

/* The quantities of the simulation at t. */
static void keep(Section *c, double t, int orbit)
{
  PfSection *r = c->result;
  if (t - c->t0 < c->o->skip || r->count == MOST_POINTS) return;
  r->a[r->count] = pf_sim_get(c->sim, c->o->plane.handle[0]);
  r->b[r->count] = pf_sim_get(c->sim, c->o->plane.handle[1]);
  r->t[r->count] = t, r->orbit[r->count++] = orbit;
}

/* Instants of the stroboscope in the latest step; rounding does not hide the very end. */
static void strobe(Section *c, long *tick, int orbit)
{
  const PfPath *p = &c->path;
  double least = 1e-12*c->o->span;
  for (;; ++*tick) {
    double t = c->t0 + (double)*tick*c->o->every;
    if (t > p->to + (p->to < c->t0 + c->o->span ? 0 : least)) return;
    if (pf_sim_interpolate(c->sim, fmin(t, p->to))) keep(c, t, orbit);
  }
}

/* ---------------------------------------------------------------- orbits */

/* The first one begins where the simulation is placed. */
static PfStatus orbit(Section *c, int number)
{
  PF_TRY(pf_path_begin(&c->path, number ? c->f : NULL));
  bool goes = true;
  long tick = 1;
  while (goes) {
    PF_TRY(pf_path_step(&c->path, &goes));
    if (!goes || c->path.from == c->path.to) continue;
    if (c->o->every > 0) strobe(c, &tick, number);
    for (double t; !(c->o->every > 0) && pf_path_pass(&c->path, &t);) keep(c, t, number);
  }
  if (number == 0) c->result->end = pf_path_end(&c->path, c->arena);
  return PF_OK;
}

/* The first orbit is that of the start, of which the exponent is computed, too; the others start at states with the
 * same values of the quantities that are kept, which are looked for from the place of the field. A place where none is
 * found counts as failed. */
PfStatus pf_section(PfArena *arena, PfDynamics *field, PfSim *sim, const PfSectionOptions *options, PfSection *section)
{
  PfContext *ctx = field->ctx;
  *section = (PfSection){.exponent = NAN, .before = NAN};
  if (!(options->span > 0)) return pf_fail(ctx, PF_ERR_ARGUMENT, "a section needs a time span");
  Section c = {.ctx = ctx, .arena = arena, .f = field, .sim = sim, .o = options, .result = section};
  c.path = (PfPath){.sim = sim, .height = height, .user = &c};
  PfSection *r = c.result;
  PF_TRY(pf_arrays(c.ctx, c.arena, "the section", PF_ROOM(r->t, MOST_POINTS), PF_ROOM(r->a, MOST_POINTS),
                   PF_ROOM(r->b, MOST_POINTS), PF_ROOM(r->orbit, MOST_POINTS), PF_ROOM(c.values, c.f->count)));
  memcpy(c.values, c.f->full, (size_t)c.f->count*sizeof *c.values);
  c.n = pf_dynamics_size(c.f);
  c.t0 = c.f->full[pf_system_symbols(c.f->system)->time];
  PF_TRY(pf_levels_make(c.ctx, c.arena, c.f, NULL, &c.o->plane, &c.levels));
  PF_TRY(pf_path_prepare(c.sim, c.o->span));
  PF_TRY(orbit(&c, 0));
  double seconds = c.path.to - c.t0;
  PF_TRY(pf_dynamics_may_jump(c.f, &r->jumps));
  if (!r->jumps && seconds > 0)
    PF_TRY(pf_lyapunov_exponent(c.arena, c.f, seconds, pf_path_rtol(c.sim), &r->exponent, &r->before));
  for (int k = 1; k < c.o->orbits; k++) {
    bool found;
    memcpy(c.f->full, c.values, (size_t)c.f->count*sizeof *c.values);
    PF_TRY(pf_dynamics_place(c.f, c.values));
    PF_TRY(pf_dynamics_chart(c.f, NULL));
    if (!(pf_dynamics_size(c.f) == c.n)) return pf_fail(c.ctx, PF_ERR_NUMBER, "the constraints lost rank");
    PF_TRY(pf_levels_go(&c.levels, k, &found));
    if (found) PF_TRY(orbit(&c, k));
    else c.result->failed++;
  }
  return PF_OK;
}
