/* SPDX-License-Identifier: Apache-2.0 */
/* The balance of energy and work along a run, and the view of a motion inside a step. */
#include "time/crossings.h"

#include <math.h>
#include <string.h>

void pf_interpolate(PfMotionRun *run, double t, double *y)
{
  switch (run->state.between) {
  case PF_BETWEEN_METHOD: run->stepper.method->interpolate(run, t, y); break;
  case PF_BETWEEN_CUBIC: pf_hermite(run, t, y); break;
  case PF_BETWEEN_COLLOCATION: pf_collocation_at(run, t, y); break;
  }
}

/* ---------------------------------------------------------------- after a step */

static double power_at(PfMotionRun *run, double t, const double *y)
{
  if (run->monitor.power_of_constraints) {
    if (!pf_flow(run, t, y, run->inner_dy)) return NAN;
    run->result.evaluations--;
  }
  pf_monitor_at(run, t, y, run->monitor.power_of_constraints ? run->flow.multiplier : NULL);
  return run->monitor.at.power;
}

/* Work of forces without potential over the step: as the method knows it, or by Lobatto's rule of order 6. */
void pf_sample_work(PfMotionRun *run)
{
  const double inner = 0.27639320225002103; /* (1 - 1/sqrt(5))/2 */
  if (!run->monitor.has_power) return;
  PfMonitor *m = &run->monitor;
  if (m->step_known && !run->seen.inside) {
    m->work_done += m->step_work;
    m->power_known = false;
    return;
  }
  double h = run->seen.t - run->state.t_old;
  double sum = m->power_known ? m->power : power_at(run, run->state.t_old, run->state.y_old);
  for (int k = 0; k < 2; k++) {
    double t = run->state.t_old + (k ? 1 - inner : inner)*h;
    pf_interpolate(run, t, run->inner_y);
    sum += 5*power_at(run, t, run->inner_y);
  }
  m->power = power_at(run, run->seen.t, pf_seen_state(run));
  m->power_known = true;
  m->work_done += h/12*(sum + m->power);
}

void pf_sample_statistics(PfMotionRun *run)
{
  PfRunResult *r = &run->result;
  PfMonitor *m = &run->monitor;
  pf_monitor_at(run, run->seen.t, pf_seen_state(run), NULL);
  r->energy_end = m->at.kinetic + m->at.potential;
  r->kinetic = fmax(r->kinetic, fabs(m->at.kinetic));
  m->balance = m->at.balanced - m->balanced_start - m->work_done;
  r->drift = fmax(r->drift, fabs(m->balance));
  r->position = fmax(r->position, m->at.position);
  r->velocity = fmax(r->velocity, m->at.velocity);
}

/* ---------------------------------------------------------------- looking */

bool pf_motion_dense_output(PfMotionRun *run, double t, PfSample *sample)
{
  const PfMotionRun kept = *run;
  /* where the ends of steps are on the constraints, samples between them are put on them, too */
  bool inside = t < run->seen.t;
  bool projected = inside && run->state.between != PF_BETWEEN_COLLOCATION && !run->options.drift &&
                   fmax(run->result.position, run->result.velocity) < 1e-12;
  const double *y = inside ? run->shown.y : pf_seen_state(run);
  memcpy(run->shown.values, run->flow.values, (size_t)run->symbols->count*sizeof *run->flow.values);
  run->flow.values = run->shown.values;
  run->flow.multiplier = run->shown.multiplier;
  if (inside) pf_interpolate(run, t, run->shown.y);
  if (projected) (void)pf_project(run, t, run->shown.y);
  bool good = pf_flow(run, t, y, run->shown.dy);
  for (int i = 0; i < run->n && !good; i++) run->shown.dy[run->n + i] = NAN;
  for (int k = 0; k < run->m && !good; k++) run->flow.multiplier[k] = NAN;
  pf_monitor_at(run, t, y, run->flow.multiplier);
  const PfMonitor *m = &run->monitor;
  *sample = (PfSample){.t = t, .q = y, .v = y + run->n, .a = run->shown.dy + run->n,
                       .multiplier = run->shown.multiplier, .kinetic = m->at.kinetic, .potential = m->at.potential,
                       .momentum = pf_monitor_momentum(run), .position = m->at.position, .velocity = m->at.velocity,
                       .balance = m->balance};
  *run = kept; /* margin, power and trouble of the latest evaluation, and the arrays */
  return good;
}
