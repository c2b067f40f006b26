/* SPDX-License-Identifier: Apache-2.0 */
/* The start that every command uses: the state as given, made consistent, and what that changed. */
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- words */

/* phi [rad] 1.04 to 1.45 */
static void print_correction(const PfModel *model, const PfStartCorrection *m, const char *between, PfText *text)
{
  char name[256];
  snprintf(name, sizeof name, "%s%s", m->name, m->rate ? "'" : "");
  PfMeasure in = pf_model_measure(model, name);
  pf_text_print(text, "%s%s%s%s%s%.10g to %.10g", name, *in.unit ? " [" : "", in.unit, *in.unit ? "]" : "", between,
                m->from/in.scale, m->to/in.scale);
}

static int listed(const PfStart *start)
{
  return start->correction_count < PF_MOST_CORRECTIONS ? start->correction_count : PF_MOST_CORRECTIONS;
}

/* All that was given and moved, or all that was found far away; true when there is something. */
static bool list_remarkable(const PfModel *model, const PfStart *start, bool given, PfText *text, PfPlace *place)
{
  enum { MOST = 6 };
  int count = 0;
  for (int i = 0; i < listed(start); i++) {
    const PfStartCorrection *m = start->corrections + i;
    if (!m->remarkable || (m->priority != PF_START_OPEN) != given || count++ >= MOST) continue;
    pf_text_add(text, count > 1 ? ", " : "");
    print_correction(model, m, " from ", text);
    if (count == 1) *place = m->place;
  }
  if (count > MOST) pf_text_add(text, ", …");
  return count > 0;
}

void pf_start_warn(PfContext *ctx, const PfModel *model, const PfStart *start)
{
  for (int given = 1; given >= 0; given--) {
    PfText text;
    PfPlace place = {0};
    pf_text_init(&text, pf_context_allocator(ctx));
    if (list_remarkable(model, start, given != 0, &text, &place)) {
      pf_warn_at(ctx, place, given ? "the start cannot hold as given and is changed: %s"
                                   : "the start is found far from where it was looked for: %s", pf_text_get(&text));
      pf_hint(ctx, given ? "'!' behind a value keeps it; @as_given starts from what is given" : "give values near "
              "the wanted configuration to choose it");
    }
    pf_text_free(&text);
  }
}

/* ---------------------------------------------------------------- the start */

/* Constraints that contradict each other everywhere are a better reason than that they do so here. */
static PfStatus find_reason(Session *s, const PfRequest *options, int before, PfStatus status)
{
  double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  PfDiagnosis diagnosis;
  int first = pf_diagnostic_count(s->ctx);
  PF_TRY(pf_equations_write_out(s->ctx, s->arena, &s->equations));
  PfStatus reason = pf_diagnose(s->ctx, s->arena, &s->equations, given, &diagnosis);
  if (reason == PF_OK) return status;
  const PfDiagnostic *why = pf_diagnostic(s->ctx, first);
  char *message = pf_arena_text(s->arena, why->message, strlen(why->message));
  char *hint = why->hint ? pf_arena_text(s->arena, why->hint, strlen(why->hint)) : NULL;
  PfPlace place = why->place;
  if (!message) return PF_ERR_MEMORY;
  pf_diagnostics_truncate(s->ctx, before);
  pf_fail_at(s->ctx, reason, place, "%s", message);
  if (hint) pf_hint(s->ctx, "%s", hint);
  return reason;
}

PfStatus pf_task_judge_start(Session *s, const PfRequest *options, PfStatus status, int before, const PfStart *start)
{
  if (status == PF_ERR_MODEL && !options->as_given) return find_reason(s, options, before, status);
  if (status == PF_OK && !options->as_given) pf_start_warn(s->ctx, s->model, start);
  return status;
}

PfStatus pf_task_correct(Session *s, const PfRequest *options, const PfSystem *system, double *values, PfStart *start)
{
  if (options->as_given) return pf_start_measure(s->ctx, system, values, start);
  int before = pf_diagnostic_count(s->ctx);
  return pf_task_judge_start(s, options, pf_start_correct(s->ctx, system, values, start), before, start);
}

PfStatus pf_task_start(Session *s, const PfRequest *options, const PfSystem *system, double **values, PfStart *start)
{
  PF_TRY(pf_task_state(s, options, system, values));
  return pf_task_correct(s, options, system, *values, start);
}

PfStatus pf_task_need_consistent(Session *s, const PfRequest *options, const PfStart *start)
{
  if (!options->as_given || !pf_start_is_off(start)) return PF_OK;
  pf_fail(s->ctx, PF_ERR_ARGUMENT, "@as_given: the start is off the constraints (positions by %.3g, velocities by "
          "%.3g), and this command is about motions that satisfy them", start->position, start->velocity);
  pf_hint(s->ctx, "leave @as_given out: then the start is corrected");
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- telling */

static void print_start(const PfModel *model, const PfRequest *options, const PfStart *start, PfText *text)
{
  if (options->as_given) {
    pf_text_print(text, "  start as given      off the constraints: positions by %.3g, velocities by %.3g\n",
                  start->position, start->velocity);
    return;
  }
  if (!start->correction_count) return;
  pf_text_print(text, "  start corrected     coordinates by up to %.3g, velocities by up to %.3g\n",
                start->position_change, start->velocity_change);
  for (int i = 0; i < listed(start); i++) {
    pf_text_add(text, "    ");
    print_correction(model, start->corrections + i, " ", text);
    pf_text_add(text, start->corrections[i].priority == PF_START_OPEN ? "\n" : " (was given)\n");
  }
  if (start->correction_count > PF_MOST_CORRECTIONS)
    pf_text_print(text, "    and %d more\n", start->correction_count - PF_MOST_CORRECTIONS);
}

static const PfField correction_fields[] = {
  PF_FIELD("name", STRING, "of a coordinate, a velocity or a speed"),
  PF_FIELD("unit", STRING, "unit of both numbers"),
  PF_FIELD("from", NUMBER, "the number before"),
  PF_FIELD("to", NUMBER, "the number after"),
  PF_FIELD("given", BOOL, "the model or the request has a value for it"),
  PF_FIELD("warning", BOOL, "the change has a warning of its own"),
  {0}};

const PfField pf_start_change_fields[] = {
  PF_FIELD("as_given", BOOL, "the start was not corrected"),
  PF_FIELD("position", NUMBER, "the largest change of a coordinate"),
  PF_FIELD("velocity", NUMBER, "the largest change of a velocity"),
  PF_FIELD_RECORDS("moved", correction_fields, "the largest changes, 12 at most"),
  {0}};

void pf_start_report(const PfModel *model, const PfRequest *options, const PfStart *start, PfReport *r)
{
  print_start(model, options, start, pf_report_page(r));
  pf_report_open(r, "start_change");
  pf_report_bool(r, "as_given", options->as_given);
  pf_report_number(r, "position", start->position_change);
  pf_report_number(r, "velocity", start->velocity_change);
  pf_report_open(r, "moved");
  for (int i = 0; i < listed(start); i++) {
    const PfStartCorrection *m = start->corrections + i;
    char name[256];
    snprintf(name, sizeof name, "%s%s", m->name, m->rate ? "'" : "");
    PfMeasure in = pf_model_measure(model, name);
    pf_report_open(r, NULL);
    pf_report_string(r, "name", name);
    pf_report_string(r, "unit", in.unit);
    pf_report_number(r, "from", m->from/in.scale);
    pf_report_number(r, "to", m->to/in.scale);
    pf_report_bool(r, "given", m->priority != PF_START_OPEN);
    pf_report_bool(r, "warning", m->remarkable);
    pf_report_close(r);
  }
  pf_report_close(r);
  pf_report_close(r);
}
