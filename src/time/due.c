/* SPDX-License-Identifier: Apache-2.0 */
/* Which event is due, and when the next one is. */
#include "time/phases.h"

#include <math.h>
#include <string.h>

/* Multipliers and accelerations where the run is, for conditions that depend on them. */
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
  double *sides = s->values + s->symbols->q - s->switches.count;
  if (s->stuck_count) pf_sides_from_rows(&s->sides, motion.multiplier + s->phase.equations.m, sides);
  return PF_OK;
}

/* Does the condition of the event hold, with the accelerations that were found? */
static PfStatus evaluate_with(PfPhases *s, PfExpr condition, PfExpr *symbol, double *value, double *holds)
{
  int count = s->symbols->count, n = s->eq->n;
  memcpy(symbol, s->symbols->symbol, (size_t)count*sizeof *symbol);
  memcpy(value, s->values, (size_t)count*sizeof *value);
  for (int i = 0; i < n; i++) symbol[count + i] = s->model->coordinates[i].a, value[count + i] = 0;
  for (int i = 0; i < s->phase.equations.n; i++) value[count + s->phase.coordinate[i]] = s->a[i];
  return pf_expr_evaluate(s->ctx, &condition, 1, symbol, value, count + n, holds);
}

static PfStatus evaluate_condition(PfPhases *s, int e, double *holds)
{
  PfExpr condition = s->condition_form[e];
  PfMark mark = pf_arena_mark(s->own);
  size_t count = (size_t)s->symbols->count + (size_t)s->eq->n;
  PfExpr *symbol = pf_arena_array(s->own, PfExpr, count);
  double *value = pf_arena_array(s->own, double, count);
  PfStatus status = symbol && value ? pf_phases_without_absent(s, &condition) : pf_phases_no_room(s);
  if (status == PF_OK) status = evaluate_with(s, condition, symbol, value, holds);
  pf_arena_release(s->own, mark);
  return status;
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
  PF_TRY(evaluate_condition(s, e, &holds));
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
