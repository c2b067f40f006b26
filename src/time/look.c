/* SPDX-License-Identifier: Apache-2.0 */
/* What a motion shows inside its latest step. */
#include "time/phases.h"

#include <string.h>

/* Where something sticks, the side follows from the multipliers of the rows; these come last. */
static void tell_sides(PfPhases *s, PfSample *sample)
{
  if (!s->switches.count) return;
  memcpy(s->side, s->sides.side, (size_t)s->switches.count*sizeof *s->side);
  if (s->stuck_count) pf_sides_from_rows(&s->sides, sample->multiplier + s->phase.equations.m, s->side);
  sample->sides = s->side;
}

/* A sample of the phase as one of the complete model. */
static void complete(PfPhases *s, PfSample *sample)
{
  const PfPhase *phase = &s->phase;
  tell_sides(s, sample);
  memcpy(s->q, s->values + s->symbols->q, 2*(size_t)s->eq->n*sizeof *s->q);
  memset(s->q + s->eq->n, 0, (size_t)s->eq->n*sizeof *s->q);
  memset(s->a, 0, (size_t)s->eq->n*sizeof *s->a);
  memset(s->multiplier, 0, (size_t)s->eq->m*sizeof *s->multiplier);
  for (int i = 0; i < phase->equations.n; i++) {
    s->q[phase->coordinate[i]] = sample->q[i];
    s->q[s->eq->n + phase->coordinate[i]] = sample->v[i];
    s->a[phase->coordinate[i]] = sample->a[i];
  }
  for (int k = 0; k < phase->equations.m; k++) s->multiplier[phase->constraint[k]] = sample->multiplier[k];
  sample->q = s->q;
  sample->v = s->q + s->eq->n;
  sample->a = s->a;
  sample->multiplier = s->multiplier;
  sample->parameters = s->values + s->symbols->parameters;
  sample->active = s->active;
  sample->held = s->held;
}

bool pf_phases_look(PfPhases *s, double t, PfSample *sample)
{
  *sample = (PfSample){0};
  if (!s->motion) return false;
  const PfRunResult *r = &s->motion->result;
  bool began = r->steps > 0 || r->end == PF_RUN_DONE || r->end == PF_RUN_UNTIL;
  if (!began) return false;
  bool good = pf_motion_look(s->motion, t, sample);
  if (s->whole) sample->parameters = s->values + s->symbols->parameters; /* of a snapshot, maybe */
  else complete(s, sample);
  return good;
}
