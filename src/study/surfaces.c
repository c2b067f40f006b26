/* SPDX-License-Identifier: Apache-2.0 */
/* States on surfaces where a force jumps: with sign(0) = 0 the accelerations are others than on either side. A zero of
 * one side's equations that lies on the surface, a velocity of 1e-18 with dry friction, is none of the equations. */
#include "study/surfaces.h"

#include <math.h>
#include <string.h>

/* Room for accelerations, multipliers and forces. */
static PfStatus make_motion(PfContext *ctx, PfArena *arena, const PfDynamics *f, PfMotion *motion)
{
  return pf_arrays(ctx, arena, "the switches of the equations", PF_ROOM(motion->acceleration, f->n),
                   PF_ROOM(motion->multiplier, f->m), PF_ROOM(motion->force, f->n));
}

/* Arrays are in the arena; system and solver are of their own. */
PfStatus pf_surfaces_make(PfDynamics *f, PfArena *arena, PfSurfaces *s)
{
  *s = (PfSurfaces){0};
  PF_TRY(pf_switches_find(f->ctx, arena, f->eq, &s->switches));
  if (!s->switches.count) return PF_OK;
  PF_TRY(pf_system_new(f->ctx, &s->switches.equations, &s->system));
  PF_TRY(pf_solver_new(f->ctx, s->system, pf_formulation_find("multipliers"), &s->solver));
  PF_TRY(pf_arrays(f->ctx, arena, "the switches of the equations",
                   PF_ROOM(s->values, pf_system_symbols(s->system)->count), PF_ROOM(s->size, s->switches.count)));
  for (int k = 0; k < s->switches.count; k++) s->size[k] = pf_dynamics_typical_size(f, s->switches.at[k].surface);
  PF_TRY(make_motion(f->ctx, arena, f, &s->motion));
  return make_motion(f->ctx, arena, f, &s->other);
}

/* NULLs are allowed. */
void pf_surfaces_free(PfSurfaces *s)
{
  pf_solver_free(s->solver);
  pf_system_free(s->system);
}

/* The numbers of the field and the side of each surface; `on` (not a condition, which has no third case): 0 on the
 * surface. */
static PfStatus place(PfSurfaces *s, const PfDynamics *f, bool on, bool *any)
{
  const PfSymbols *from = pf_system_symbols(f->system), *to = pf_system_symbols(s->system);
  int count = s->switches.count;
  memcpy(s->values, f->full, (size_t)from->q*sizeof *s->values);
  memcpy(s->values + to->q, f->full + from->q, (size_t)(from->count - from->q)*sizeof *s->values);
  for (int k = 0; k < count; k++) {
    const PfSwitch *w = s->switches.at + k;
    double g, *side = s->values + to->q - count + k;
    PF_TRY(pf_expr_evaluate(f->ctx, &w->surface, 1, to->symbol, s->values, to->count, &g));
    *side = g < 0 ? -1 : 1;
    if (w->compared || !(fabs(g) <= 1e-10*s->size[k])) continue;
    *any = true;
    if (on || g == 0) *side = 0;
  }
  return PF_OK;
}

/* Compares the accelerations with the sides as they are near by, and with 0 on each surface. Where one of them does not
 * exist there is nothing to compare, and the point stands. */
PfStatus pf_surfaces_agree(PfSurfaces *s, const PfDynamics *f, bool *agree)
{
  bool any = false;
  int which;
  *agree = true;
  if (!s->switches.count) return PF_OK;
  PF_TRY(place(s, f, false, &any));
  if (!any) return PF_OK;
  if (pf_solver_accelerate(s->solver, s->values, &s->motion, &which) != PF_TROUBLE_NONE) return PF_OK;
  PF_TRY(place(s, f, true, &any));
  if (pf_solver_accelerate(s->solver, s->values, &s->other, &which) != PF_TROUBLE_NONE) return PF_OK;
  double most = fmax(pf_largest(s->motion.acceleration, f->n), pf_largest(s->other.acceleration, f->n));
  for (int i = 0; i < f->n; i++)
    if (fabs(s->motion.acceleration[i] - s->other.acceleration[i]) > 1e-7*most) *agree = false;
  return PF_OK;
}
