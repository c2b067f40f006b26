/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a run and total momentum. */
#include "task/run.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- momentum */

static double distance(const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += (a[k] - b[k])*(a[k] - b[k]);
  return sqrt(sum);
}

static void evaluate_momentum(Events *e, const PfSample *sample)
{
  Momentum *m = &e->momentum;
  size_t n = (size_t)e->motion->complete.model->coordinate_count;
  m->values[m->symbols->time] = sample->t;
  memcpy(m->values + m->symbols->q, sample->q, n*sizeof *sample->q);
  memcpy(m->values + m->symbols->v, sample->v, n*sizeof *sample->v);
  pf_tape_run(m->tape, m->values, m->now, m->work);
}

void pf_events_sample(Events *e, const PfSample *sample)
{
  Momentum *m = &e->momentum;
  if (!m->shown) return;
  if (m->tape) evaluate_momentum(e, sample);
  else if (sample->momentum) memcpy(m->now, sample->momentum, sizeof m->now);
  if (m->samples++ == 0) memcpy(m->start, m->now, sizeof m->start);
  for (int k = 0; k < 2; k++) m->change[k] = fmax(m->change[k], distance(m->now + 3*k, m->start + 3*k));
}

PfStatus pf_events_make(Events *e, const Motion *motion)
{
  e->motion = motion;
  Momentum *m = &e->momentum;
  const Session *s = &e->motion->complete;
  PfExpr roots[6], normal[3];
  PfFloating floating;
  PF_TRY(pf_model_floating(s->ctx, s->arena, s->model, &floating, normal));
  m->shown = floating != PF_FLOATS_NOT;
  if (!m->shown) return PF_OK;
  if (floating == PF_FLOATS_FREE && pf_system_in_bodies(pf_sim_complete_system(e->motion->sim)))
    return PF_OK; /* samples show it */
  m->symbols = pf_system_symbols(pf_sim_complete_system(e->motion->sim));
  PF_TRY(pf_model_momentum(s->ctx, s->model, roots));
  if (floating == PF_FLOATS_IN_PLANE) pf_momentum_in_plane(s->ctx, normal, roots);
  PF_TRY(pf_tape_new(s->ctx, m->symbols->symbol, m->symbols->count, roots, 6, &m->tape));
  PF_TRY(pf_arrays(s->ctx, s->arena, "the events", PF_ROOM(m->work, pf_tape_work_size(m->tape)),
                   PF_ROOM(m->values, m->symbols->count)));
  memcpy(m->values, pf_sim_complete_values(e->motion->sim), (size_t)m->symbols->count*sizeof *m->values);
  return PF_OK;
}

void pf_events_free(Events *e)
{
  pf_tape_free(e->momentum.tape);
}

void pf_task_warn_events(const Session *s)
{
  if (!s->model->complete) return;
  pf_warn_at(s->ctx, (PfPlace){0}, "events are left out: shown is the model as it is at the start");
  pf_hint(s->ctx, "@task{run}, @task{plot}, 'study portrait' and 'study poincare' follow them");
}

/* ---------------------------------------------------------------- the report */

static const PfField vectors_fields[] = {
  PF_FIELD("linear", NUMBERS, "linear momentum, in kg m/s"),
  PF_FIELD("angular", NUMBERS, "angular momentum about the origin, in kg m^2/s"),
  {0}};

static const PfField change_fields[] = {
  PF_FIELD("linear", NUMBER, "largest change of the linear momentum"),
  PF_FIELD("angular", NUMBER, "largest change of the angular momentum"),
  {0}};

const PfField pf_momentum_fields[] = {
  PF_FIELD_RECORD("start", vectors_fields, "momentum at the start"),
  PF_FIELD_RECORD("end", vectors_fields, "momentum at the end"),
  PF_FIELD_RECORD("change", change_fields, "largest changes along the run"),
  {0}};

const PfField pf_event_fields[] = {
  PF_FIELD("t", NUMBER, "the time, in s"),
  PF_FIELD_LIST("actions", STRING, "the actions, as they are written"),
  PF_FIELD("kinetic_before", NUMBER, "kinetic energy before the impact, in J"),
  PF_FIELD("kinetic_after", NUMBER, "kinetic energy after it, in J"),
  PF_FIELD("energy_loss", NUMBER, "their difference; negative: a gain"),
  PF_FIELD_RECORD("momentum_before", vectors_fields, "momentum before the impact"),
  PF_FIELD_RECORD("momentum_after", vectors_fields, "momentum after it"),
  {.key = "impulse", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER,
   .about = PF_ABOUT("impulses in joints and constraints by name, in SI; those that are zero are left out")},
  {0}};

static void print_actions(const PfEvent *event, PfReport *r)
{
  for (int k = 0; k < event->action_count; k++) pf_report_print(r, "%s%s", k ? "; " : "", event->actions[k].text);
}

/* The name of the locked quantity: hub.wx for a component of a quaternion. */
static const char *joint_name(const PfModel *model, int coordinate)
{
  for (int b = 0; b < model->ball_count; b++) {
    int k = coordinate - model->balls[b].q;
    if (k >= 1 && k < 4) return model->balls[b].spin_name[k - 1];
  }
  return model->coordinates[coordinate].name;
}

/* Is the value more than a rounding error relative to the largest? */
static bool counts(const PfModel *model, const PfEventRecord *r, double x)
{
  double largest = 0;
  for (int i = 0; i < model->coordinate_count; i++) largest = fmax(largest, fabs(r->joint[i]));
  for (int k = 0; k < model->constraint_count; k++) largest = fmax(largest, fabs(r->multiplier[k]));
  return fabs(x) > 1e-12*largest;
}

static void report_vectors(const char *key, const double *x, PfReport *r)
{
  pf_report_open(r, key);
  pf_report_numbers(r, "linear", x, 3);
  pf_report_numbers(r, "angular", x + 3, 3);
  pf_report_close(r);
}

static void report_event(const PfModel *model, const PfEventRecord *e, PfReport *r)
{
  const PfEvent *event = model->events + e->event;
  double before = e->kinetic_before, after = e->kinetic_after, loss = pf_without_noise(before - after,
                                                                                      fmax(before, after));
  pf_report_print(r, "  event               t = %.10g: ", e->t);
  print_actions(event, r);
  pf_report_print(r, "\n    %-17s kinetic energy %.10g to %.10g, %s %.6g\n", "impact", before, after,
                  loss >= 0 ? "loss" : "gain", fabs(loss));
  pf_report_open(r, NULL);
  pf_report_number(r, "t", e->t);
  pf_report_open(r, "actions");
  for (int k = 0; k < event->action_count; k++) pf_report_string(r, NULL, event->actions[k].text);
  pf_report_close(r);
  pf_report_number(r, "kinetic_before", before);
  pf_report_number(r, "kinetic_after", after);
  pf_report_number(r, "energy_loss", before - after);
  report_vectors("momentum_before", e->momentum_before, r);
  report_vectors("momentum_after", e->momentum_after, r);
  /* Impulses of joints and of constraints; the text has those that count. */
  pf_report_open(r, "impulse");
  for (int i = 0; i < model->coordinate_count; i++) {
    const char *name = joint_name(model, i);
    if (e->joint[i] != 0) pf_report_number(r, name, e->joint[i]);
    if (counts(model, e, e->joint[i])) pf_report_print(r, "    %-17s impulse %.10g\n", name, e->joint[i]);
  }
  for (int k = 0; k < model->constraint_count; k++) {
    const PfConstraint *c = model->constraints + k;
    if (e->multiplier[k] != 0 && !c->norm) pf_report_number(r, c->name, e->multiplier[k]);
    if (c->attached && counts(model, e, e->multiplier[k]))
      pf_report_print(r, "    %-17s impulse %.10g\n", c->name, e->multiplier[k]);
  }
  pf_report_close(r);
  pf_report_close(r);
}

static void report_momentum(const Momentum *m, PfReport *r)
{
  static const char *const words[] = {"linear", "angular"};
  const double size[] = {pf_largest(m->start, 3), pf_largest(m->start + 3, 3)};
  pf_report_open(r, "momentum");
  report_vectors("start", m->start, r);
  report_vectors("end", m->now, r);
  pf_report_open(r, "change");
  for (int k = 0; k < 2; k++) {
    const double *x = m->start + 3*k;
    pf_report_number(r, words[k], m->change[k]);
    pf_report_print(r, "  %-19s %s (%.9g, %.9g, %.9g), changed by at most %.2g\n", k ? "" : "momentum", words[k],
                    pf_without_noise(x[0], size[k]), pf_without_noise(x[1], size[k]), pf_without_noise(x[2], size[k]),
                    pf_without_noise(m->change[k], fmax(size[k], 1)));
  }
  pf_report_close(r);
  pf_report_close(r);
}

static bool has_happened(const Events *e, int event)
{
  const PfEventRecord *record;
  for (int i = 0; (record = pf_sim_event(e->motion->sim, i)); i++)
    if (record->event == event) return true;
  return false;
}

void pf_events_report(const Events *e, PfReport *r)
{
  const PfModel *model = e->motion->complete.model;
  const PfEventRecord *record;
  pf_report_open(r, "events");
  for (int i = 0; (record = pf_sim_event(e->motion->sim, i)); i++) report_event(model, record, r);
  pf_report_close(r);
  for (int i = 0; i < model->event_count; i++) {
    if (has_happened(e, i)) continue;
    pf_report_print(r, "  event               did not happen: when %s{ ", model->events[i].text);
    print_actions(model->events + i, r);
    pf_report_print(r, " }\n");
  }
  if (e->momentum.shown && e->momentum.samples) report_momentum(&e->momentum, r);
}
