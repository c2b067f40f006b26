/* SPDX-License-Identifier: Apache-2.0 */
/* Which event is due, and when the next one is. */
#include "time/phases.h"

#include <math.h>

/* Multipliers where the run is, for conditions that depend on them. */
static PfStatus find_forces(PfPhases *s)
{
  const double *values;
  PfSolver *solver;
  PfMotion motion = {.acceleration = s->a};
  int row;
  if (!s->by_forces || s->phase.equations.n == 0) return PF_OK;
  PF_TRY(pf_phases_decide(s));
  if (s->undecided) return PF_OK;
  const PfSystem *system = pf_phases_moving_system(s, &values);
  motion.multiplier = pf_arena_array(s->phase_arena, double, pf_system_equations(system)->m);
  if (!motion.multiplier) return pf_phases_no_room(s);
  PF_TRY(pf_solver_new(s->ctx, system, pf_formulation_find("multipliers"), &solver));
  PfTrouble trouble = pf_solver_accelerate(solver, values, &motion, &row);
  pf_solver_free(solver);
  if (trouble != PF_TROUBLE_NONE) return pf_trouble_report_at(s->ctx, system, values, trouble, row);
  for (int k = 0; k < s->eq->m; k++) s->values[s->symbols->lambda + k] = 0;
  for (int k = 0; k < s->phase.equations.m; k++)
    s->values[s->symbols->lambda + s->phase.constraint[k]] = motion.multiplier[k];
  return PF_OK;
}

static PfStatus is_due(PfPhases *s, int e, bool *due)
{
  double holds = 0;
  *due = false;
  if (s->fired[e]) return PF_OK;
  if (!isnan(s->instant[e])) {
    *due = s->instant[e] <= s->values[s->symbols->time];
    return PF_OK;
  }
  PF_TRY(find_forces(s));
  PF_TRY(pf_phases_evaluate(s, &s->model->events[e].condition, 1, &holds));
  *due = holds != 0;
  return PF_OK;
}

/* The first event that is due now. Those whose conditions have come true are due in any case: the step was cut where
 * they began to hold, which rounding, or the first of them, may hide. -1: none. */
PfStatus pf_phases_find_due(PfPhases *s, int *event)
{
  *event = -1;
  for (int e = 0; e < s->event_count && *event < 0; e++) {
    bool due;
    PF_TRY(is_due(s, e, &due));
    if (due || (s->forced[e] && !s->fired[e])) *event = e;
  }
  return PF_OK;
}

/* All events that are due, as they were written; what one does may make another one due. */
PfStatus pf_phases_happen_due(PfPhases *s)
{
  int e;
  PF_TRY(pf_phases_find_due(s, &e));
  while (e >= 0) {
    PF_TRY(pf_phases_happen(s, e));
    PF_TRY(pf_phases_find_due(s, &e));
  }
  return PF_OK;
}

double pf_phases_next_instant(const PfPhases *s, double horizon)
{
  double next = horizon;
  for (int e = 0; !s->whole && e < s->event_count; e++)
    if (!s->fired[e] && s->instant[e] < next) next = s->instant[e];
  return next;
}
