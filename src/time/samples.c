/* Samples, work and statistics: what is seen of a run along the way. */
#include "time/samples.h"

#include "time/breaks.h"

#include <math.h>

PfStatus pf_sample_emit(PfMotionRun *run, PfSampler *s, double t, const double *y, double balance)
{
  s->last = t;
  if (!run->options.sample) return PF_OK;
  if (!pf_flow(run, t, y, s->dy)) return PF_OK; /* the step itself was good; this instant is left out */
  run->result->evaluations--;                    /* samples do not count as work of the method */
  pf_monitor_at(run, t, y, run->motion.multiplier);
  PfSample sample = {.t = t, .q = y, .v = y + run->n, .a = s->dy + run->n, .multiplier = run->motion.multiplier,
                     .kinetic = pf_monitor_kinetic(run), .potential = pf_monitor_potential(run),
                     .position = pf_monitor_position(run), .velocity = pf_monitor_velocity(run), .balance = balance};
  return run->options.sample(run->options.user, &sample);
}

void pf_interpolate(PfMotionRun *run, double t, double *y)
{
  if (run->passed) pf_passage_at(run, t, y);
  else if (run->jumped) pf_hermite(run, t, y);
  else run->method->interpolate(run, t, y);
}

/* Are the ends of steps on the constraints? Then samples between them shall be, too. */
static bool holds_constraints(const PfMotionRun *run)
{
  return !run->options.drift && fmax(run->result->position, run->result->velocity) < 1e-12;
}

static PfStatus emit_inside(PfMotionRun *run, PfSampler *s, double t, PfStepCut end, double balance)
{
  if (t >= end.t) return pf_sample_emit(run, s, t, end.y, balance); /* by rounding: the time that was asked for */
  pf_interpolate(run, t, s->y);
  if (!run->passed && holds_constraints(run)) (void)pf_project(run, t, s->y);
  return pf_sample_emit(run, s, t, s->y, balance);
}

/* All samples up to the end of the step. */
PfStatus pf_sample_due(PfMotionRun *run, PfSampler *s, PfStepCut end, double balance)
{
  const PfRunOptions *o = &run->options;
  double slack = 1e-12*fmax(1, fabs(end.t));
  if (o->at) {
    for (; s->next_at < o->at_count && o->at[s->next_at] <= end.t + slack; s->next_at++)
      PF_TRY(emit_inside(run, s, o->at[s->next_at], end, balance));
  } else if (o->every > 0) {
    for (; (double)s->next_every*o->every <= end.t + slack; s->next_every++)
      PF_TRY(emit_inside(run, s, (double)s->next_every*o->every, end, balance));
  } else {
    PF_TRY(pf_sample_emit(run, s, end.t, end.y, balance));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- after a step */

static double power_at(PfMotionRun *run, PfSampler *s, double t, const double *y)
{
  if (run->power_of_constraints) {
    if (!pf_flow(run, t, y, s->dy)) return NAN;
    run->result->evaluations--;
  }
  pf_monitor_at(run, t, y, run->power_of_constraints ? run->motion.multiplier : NULL);
  return pf_monitor_power(run);
}

/* Work of forces without potential over the step: as the method knows it, or by Lobatto's rule of order 6. */
void pf_sample_work(PfMotionRun *run, PfSampler *s, PfStepCut end)
{
  const double inner = 0.27639320225002103; /* (1 - 1/sqrt(5))/2 */
  if (!run->has_power) return;
  if (!isnan(run->step_work) && !end.inside) {
    run->work_done += run->step_work;
    run->power = NAN;
    return;
  }
  double h = end.t - run->t_old, sum = isnan(run->power) ? power_at(run, s, run->t_old, run->y_old) : run->power;
  for (int k = 0; k < 2; k++) {
    double t = run->t_old + (k ? 1 - inner : inner)*h;
    pf_interpolate(run, t, s->y);
    sum += 5*power_at(run, s, t, s->y);
  }
  run->power = power_at(run, s, end.t, end.y);
  run->work_done += h/12*(sum + run->power);
}

double pf_sample_statistics(PfMotionRun *run, PfStepCut end)
{
  PfRunResult *r = run->result;
  pf_monitor_at(run, end.t, end.y, NULL);
  r->energy_end = pf_monitor_kinetic(run) + pf_monitor_potential(run);
  r->kinetic = fmax(r->kinetic, fabs(pf_monitor_kinetic(run)));
  double balance = pf_monitor_balanced(run) - run->balanced_start - run->work_done;
  r->drift = fmax(r->drift, fabs(balance));
  r->position = fmax(r->position, pf_monitor_position(run));
  r->velocity = fmax(r->velocity, pf_monitor_velocity(run));
  run->balance = balance;
  return balance;
}

/* The stop of the whole run, or its end when samples are taken at multiples: a last sample stands there. */
PfStatus pf_sample_last(PfMotionRun *run, PfSampler *s)
{
  const PfRunOptions *o = &run->options;
  const PfPhaseRun *p = run->phase;
  bool stopped = run->result->end == PF_RUN_UNTIL && (!p || p->condition == p->final_condition);
  bool over = run->result->end == PF_RUN_DONE && o->every > 0 && !o->at && run->t >= (p ? p->horizon : run->horizon);
  if (!(stopped || over) || (!isnan(s->last) && s->last >= run->t)) return PF_OK;
  return pf_sample_emit(run, s, run->t, run->y, run->balance);
}
