/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities of a motion inside its latest step. */
#include "time/phase_driver.h"

#include <string.h>

bool pf_driver_dense_output(PfDriver *s, double t, PfSample *sample)
{
  *sample = (PfSample){0};
  if (!s->motion) return false;
  const PfRunResult *r = &s->motion->result;
  bool began = r->steps > 0 || r->end == PF_RUN_DONE || r->end == PF_RUN_UNTIL;
  if (!began) return false;
  bool good = pf_motion_dense_output(s->motion, t, sample);
  sample->parameters = s->values + s->symbols->parameters; /* of a snapshot, maybe */
  if (s->whole) return good;

  /* a sample of the phase as one of the complete model */
  const PfPhase *phase = &s->phase;
  const size_t n = (size_t)s->eq->n;
  if (s->switches.count) { /* of sticking contacts the side follows from the multipliers of the rows; these come last */
    memcpy(s->mode, s->modes.core.mode, (size_t)s->switches.count*sizeof *s->mode);
    if (s->stuck_count) pf_modes_from_rows(&s->modes.core, sample->multiplier + phase->equations.m, s->mode);
    sample->modes = s->mode;
  }
  memcpy(s->q, s->values + s->symbols->q, n*sizeof *s->q);
  memset(s->q + n, 0, n*sizeof *s->q);
  memset(s->a, 0, n*sizeof *s->a);
  memset(s->multiplier, 0, (size_t)s->eq->m*sizeof *s->multiplier);
  for (int i = 0; i < phase->equations.n; i++) {
    s->q[phase->coordinate[i]] = sample->q[i];
    s->q[s->eq->n + phase->coordinate[i]] = sample->v[i];
    s->a[phase->coordinate[i]] = sample->a[i];
  }
  for (int k = 0; k < phase->equations.m; k++) s->multiplier[phase->constraint[k]] = sample->multiplier[k];
  sample->q = s->q;
  sample->v = s->q + n;
  sample->a = s->a;
  sample->multiplier = s->multiplier;
  sample->active = s->active;
  sample->held = s->held;
  return good;
}
