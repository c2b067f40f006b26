/* SPDX-License-Identifier: Apache-2.0 */
/* The balance of energy and work along a run, and the view of a motion inside a step. */
#include "time/breaks.h"

#include <math.h>
#include <string.h>

void pf_interpolate(PfMotionRun *run, double t, double *y)
{
  switch (run->state.between) {
  case PF_BETWEEN_METHOD: run->stepper.method->interpolate(run, t, y); break;
  case PF_BETWEEN_CUBIC: pf_hermite(run, t, y); break;
  case PF_BETWEEN_PASSAGE: pf_passage_at(run, t, y); break;
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
  return pf_monitor_power(run);
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
  pf_monitor_at(run, run->seen.t, pf_seen_state(run), NULL);
  r->energy_end = pf_monitor_kinetic(run) + pf_monitor_potential(run);
  r->kinetic = fmax(r->kinetic, fabs(pf_monitor_kinetic(run)));
  run->monitor.balance = pf_monitor_balanced(run) - run->monitor.balanced_start - run->monitor.work_done;
  r->drift = fmax(r->drift, fabs(run->monitor.balance));
  r->position = fmax(r->position, pf_monitor_position(run));
  r->velocity = fmax(r->velocity, pf_monitor_velocity(run));
}

/* ---------------------------------------------------------------- looking */

/* Are the ends of steps on the constraints? Then samples between them shall be, too. */
static bool holds_constraints(const PfMotionRun *run)
{
  return !run->options.drift && fmax(run->result.position, run->result.velocity) < 1e-12;
}

/* Nothing that depends on forces has a value. */
static void forget_forces(PfMotionRun *run)
{
  for (int i = 0; i < run->n; i++) run->look.dy[run->n + i] = NAN;
  for (int k = 0; k < run->m; k++) run->flow.multiplier[k] = NAN;
}

static bool show(PfMotionRun *run, double t, PfSample *sample)
{
  bool inside = t < run->seen.t;
  const double *y = inside ? run->look.y : pf_seen_state(run);
  if (inside) pf_interpolate(run, t, run->look.y);
  if (inside && run->state.between != PF_BETWEEN_PASSAGE && holds_constraints(run))
    (void)pf_project(run, t, run->look.y);
  bool good = pf_flow(run, t, y, run->look.dy);
  if (!good) forget_forces(run);
  pf_monitor_at(run, t, y, run->flow.multiplier);
  *sample = (PfSample){.t = t, .q = y, .v = y + run->n, .a = run->look.dy + run->n, .multiplier = run->look.multiplier,
                       .kinetic = pf_monitor_kinetic(run), .potential = pf_monitor_potential(run),
                       .momentum = pf_monitor_momentum(run),
                       .position = pf_monitor_position(run), .velocity = pf_monitor_velocity(run),
                       .balance = run->monitor.balance};
  return good;
}

static void swap(double **a, double **b)
{
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* For the evaluation the arrays of the look take the place of those of the run. */
static void swap_places(PfMotionRun *run)
{
  swap(&run->flow.values, &run->look.values);
  swap(&run->flow.multiplier, &run->look.multiplier);
}

bool pf_motion_look(PfMotionRun *run, double t, PfSample *sample)
{
  PfMotionRun kept = *run;
  memcpy(run->look.values, run->flow.values, (size_t)run->symbols->count*sizeof *run->flow.values);
  swap_places(run);
  bool good = show(run, t, sample);
  *run = kept; /* margin, power and trouble of the latest evaluation, and the places */
  sample->multiplier = run->look.multiplier;
  return good;
}
