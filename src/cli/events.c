/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a run and total momentum. */
#include "cli/events.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- momentum */

static PfStatus make_momentum(Events *e)
{
  Momentum *m = &e->momentum;
  const Session *s = &e->motion->complete;
  PfExpr roots[6];
  m->shown = pf_model_floats(s->model);
  if (!m->shown || pf_system_in_bodies(pf_sim_complete_system(e->motion->sim))) return PF_OK; /* samples tell it */
  m->symbols = pf_system_symbols(pf_sim_complete_system(e->motion->sim));
  PF_TRY(pf_model_momentum(s->ctx, s->model, roots));
  PF_TRY(pf_tape_new(s->ctx, m->symbols->symbol, m->symbols->count, roots, 6, &m->tape));
  m->work = pf_arena_array(s->arena, double, pf_tape_work_size(m->tape));
  m->values = pf_arena_array(s->arena, double, m->symbols->count);
  if (!m->work || !m->values) return pf_no_room(s->ctx, "the events");
  memcpy(m->values, pf_sim_complete_values(e->motion->sim), (size_t)m->symbols->count*sizeof *m->values);
  return PF_OK;
}

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
  return make_momentum(e);
}

void pf_events_free(Events *e)
{
  pf_tape_free(e->momentum.tape);
}

void pf_cli_warn_events(const Session *s)
{
  if (!s->model->complete) return;
  pf_warn_at(s->ctx, (PfPlace){0}, "events are left out: shown is the model as it is at the start");
  pf_hint(s->ctx, "'pfaff run', 'pfaff plot', 'study portrait' and 'study poincare' follow them");
}

/* ---------------------------------------------------------------- text */

static void text_actions(const PfEvent *event, PfText *text)
{
  for (int k = 0; k < event->action_count; k++) pf_text_print(text, "%s%s", k ? "; " : "", event->actions[k].text);
}

/* The name of what is locked: hub.wx for a component of a quaternion. */
static const char *joint_name(const PfModel *model, int coordinate)
{
  for (int b = 0; b < model->ball_count; b++) {
    int k = coordinate - model->balls[b].q;
    if (k >= 1 && k < 4) return model->balls[b].spin_name[k - 1];
  }
  return model->coordinates[coordinate].name;
}

/* What is not rounding beside the largest. */
static bool counts(const PfModel *model, const PfEventRecord *r, double x)
{
  double largest = 0;
  for (int i = 0; i < model->coordinate_count; i++) largest = fmax(largest, fabs(r->joint[i]));
  for (int k = 0; k < model->constraint_count; k++) largest = fmax(largest, fabs(r->multiplier[k]));
  return fabs(x) > 1e-12*largest;
}

static void text_event(const Events *e, const PfEventRecord *r, PfText *text)
{
  const PfModel *model = e->motion->complete.model;
  pf_text_print(text, "  event               t = %.10g: ", r->t);
  text_actions(model->events + r->event, text);
  double loss = pf_without_noise(r->kinetic_before - r->kinetic_after, fmax(r->kinetic_before, r->kinetic_after));
  pf_text_print(text, "\n    %-17s kinetic energy %.10g to %.10g, %s %.6g\n", "impact", r->kinetic_before,
                r->kinetic_after, loss >= 0 ? "loss" : "gain", fabs(loss));
  for (int i = 0; i < model->coordinate_count; i++)
    if (counts(model, r, r->joint[i]))
      pf_text_print(text, "    %-17s impulse %.10g\n", joint_name(model, i), r->joint[i]);
  for (int k = 0; k < model->constraint_count; k++)
    if (model->constraints[k].attached && counts(model, r, r->multiplier[k]))
      pf_text_print(text, "    %-17s impulse %.10g\n", model->constraints[k].name, r->multiplier[k]);
}

static bool has_happened(const Events *e, int event)
{
  const PfEventRecord *record;
  for (int i = 0; (record = pf_sim_event(e->motion->sim, i)); i++)
    if (record->event == event) return true;
  return false;
}

void pf_events_text(const Events *e, PfText *text)
{
  const PfModel *model = e->motion->complete.model;
  const Momentum *m = &e->momentum;
  const PfEventRecord *record;
  for (int i = 0; (record = pf_sim_event(e->motion->sim, i)); i++) text_event(e, record, text);
  for (int i = 0; i < model->event_count; i++) {
    if (has_happened(e, i)) continue;
    pf_text_print(text, "  event               did not happen: when %s{ ", model->events[i].text);
    text_actions(model->events + i, text);
    pf_text_add(text, " }\n");
  }
  static const char *const words[] = {"linear", "angular"};
  const double size[] = {pf_largest(m->start, 3), pf_largest(m->start + 3, 3)};
  for (int k = 0; k < 2 && m->shown && m->samples; k++)
    pf_text_print(text, "  %-19s %s (%.9g, %.9g, %.9g), changed by at most %.2g\n", k ? "" : "momentum", words[k],
                  pf_without_noise(m->start[3*k], size[k]), pf_without_noise(m->start[3*k + 1], size[k]),
                  pf_without_noise(m->start[3*k + 2], size[k]), pf_without_noise(m->change[k], fmax(size[k], 1)));
}

/* ---------------------------------------------------------------- JSON */

static void json_numbers(PfJson *json, const char *key, const double *x, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_number(json, NULL, x[i]);
  pf_json_close(json, ']');
}

static void json_momentum(PfJson *json, const char *key, const double *x)
{
  pf_json_open(json, key, '{');
  json_numbers(json, "linear", x, 3);
  json_numbers(json, "angular", x + 3, 3);
  pf_json_close(json, '}');
}

static void json_event(const Events *e, const PfEventRecord *r, PfJson *json)
{
  const PfModel *model = e->motion->complete.model;
  const PfEvent *event = model->events + r->event;
  pf_json_open(json, NULL, '{');
  pf_json_number(json, "t", r->t);
  pf_json_open(json, "actions", '[');
  for (int k = 0; k < event->action_count; k++) pf_json_string(json, NULL, event->actions[k].text);
  pf_json_close(json, ']');
  pf_json_number(json, "kinetic_before", r->kinetic_before);
  pf_json_number(json, "kinetic_after", r->kinetic_after);
  pf_json_number(json, "energy_loss", r->kinetic_before - r->kinetic_after);
  json_momentum(json, "momentum_before", r->momentum_before);
  json_momentum(json, "momentum_after", r->momentum_after);
  pf_json_open(json, "impulse", '{');
  for (int i = 0; i < model->coordinate_count; i++)
    if (r->joint[i] != 0) pf_json_number(json, joint_name(model, i), r->joint[i]);
  for (int k = 0; k < model->constraint_count; k++)
    if (r->multiplier[k] != 0 && !model->constraints[k].norm)
      pf_json_number(json, model->constraints[k].name, r->multiplier[k]);
  pf_json_close(json, '}');
  pf_json_close(json, '}');
}

void pf_events_json(const Events *e, PfJson *json)
{
  const Momentum *m = &e->momentum;
  pf_json_open(json, "events", '[');
  const PfEventRecord *record;
  for (int i = 0; (record = pf_sim_event(e->motion->sim, i)); i++) json_event(e, record, json);
  pf_json_close(json, ']');
  if (!m->shown || !m->samples) return;
  pf_json_open(json, "momentum", '{');
  json_momentum(json, "start", m->start);
  json_momentum(json, "end", m->now);
  pf_json_open(json, "change", '{');
  pf_json_number(json, "linear", m->change[0]);
  pf_json_number(json, "angular", m->change[1]);
  pf_json_close(json, '}');
  pf_json_close(json, '}');
}
