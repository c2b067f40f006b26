/* SPDX-License-Identifier: Apache-2.0 */
/* Which event is due, and when the next one is. */
#include "time/phase_driver.h"

#include <math.h>
#include <string.h>

/* Multipliers and accelerations where the run is, for conditions that depend on them. */
static PfStatus find_forces(PfDriver *s)
{
  const double *values;
  PfSolver *solver;
  PfMotion motion = {.acceleration = s->a};
  int row;
  if (!s->by_forces || s->phase.equations.n == 0) return PF_OK;
  PF_TRY(pf_driver_decide(s));
  if (s->undecided) return PF_OK;
  const PfSystem *system = pf_driver_moving_system(s, &values);
  motion.multiplier = pf_arena_array(s->phase_arena, double, pf_system_equations(system)->m);
  if (!motion.multiplier) return pf_driver_no_room(s);
  PF_TRY(pf_solver_new(s->ctx, system, pf_formulation_find("multipliers"), &solver));
  PfTrouble trouble = pf_solver_accelerate(solver, values, &motion, &row);
  pf_solver_free(solver);
  if (trouble != PF_TROUBLE_NONE) return pf_trouble_report_at(s->ctx, system, values, trouble, row);
  for (int k = 0; k < s->eq->m; k++) s->values[s->symbols->lambda + k] = 0;
  for (int k = 0; k < s->phase.equations.m; k++)
    s->values[s->symbols->lambda + s->phase.constraint[k]] = motion.multiplier[k];
  double *modes = s->values + s->symbols->q - s->switches.count;
  if (s->stuck_count) pf_modes_from_rows(&s->modes.core, motion.multiplier + s->phase.equations.m, modes);
  return PF_OK;
}

/* Does the condition of the event hold, with the accelerations that were found? */
static PfStatus evaluate_condition(PfDriver *s, int e, double *holds)
{
  PfExpr condition = s->condition_form[e];
  PfMark mark = pf_arena_mark(s->own);
  size_t known = (size_t)s->symbols->count, n = (size_t)s->eq->n;
  PfExpr *symbol = pf_arena_array(s->own, PfExpr, known + n);
  double *value = pf_arena_array(s->own, double, known + n);
  PfStatus status = symbol && value ? pf_driver_without_absent(s, &condition) : pf_driver_no_room(s);
  if (status == PF_OK) {
    memcpy(symbol, s->symbols->symbol, known*sizeof *symbol);
    memcpy(value, s->values, known*sizeof *value);
    for (size_t i = 0; i < n; i++) symbol[known + i] = s->model->coordinates[i].a, value[known + i] = 0;
    for (int i = 0; i < s->phase.equations.n; i++) value[known + (size_t)s->phase.coordinate[i]] = s->a[i];
    status = pf_expr_evaluate(s->ctx, &condition, 1, symbol, value, (int)(known + n), holds);
  }
  pf_arena_release(s->own, mark);
  return status;
}

PfStatus pf_driver_due_event(PfDriver *s, int *event)
{
  *event = -1;
  for (int e = 0; e < s->event_count && *event < 0; e++) {
    double holds = 0;
    if (s->fired[e]) continue;
    if (!isnan(s->instant[e])) {
      holds = s->instant[e] <= s->values[s->symbols->time];
    } else {
      PF_TRY(find_forces(s));
      PF_TRY(evaluate_condition(s, e, &holds));
    }
    /* Conditions that have come true hold in any case: the step was cut where they began to do so, which rounding, or
     * the first of them, may hide. */
    if (holds != 0 || s->forced[e]) *event = e;
  }
  return PF_OK;
}

/* All events that are due, in the order of the text; the actions of one may make another one due. */
PfStatus pf_driver_handle_due_events(PfDriver *s)
{
  int e;
  PF_TRY(pf_driver_due_event(s, &e));
  while (e >= 0) {
    PF_TRY(pf_driver_handle_event(s, e));
    PF_TRY(pf_driver_due_event(s, &e));
  }
  return PF_OK;
}

double pf_driver_next_instant(const PfDriver *s, double horizon)
{
  double next = horizon;
  for (int e = 0; !s->whole && e < s->event_count; e++)
    if (!s->fired[e] && s->instant[e] < next) next = s->instant[e];
  return next;
}
