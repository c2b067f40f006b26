/* SPDX-License-Identifier: Apache-2.0 */
/* Watching conserved quantities. */
#include "task/run.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- setting up */

static PfStatus make_room(Drift *w, const double *values)
{
  PfArena *arena = w->session->arena;
  size_t count = (size_t)w->found.count;
  PF_TRY(pf_arrays(w->session->ctx, arena, "the watch over conserved quantities", PF_ROOM(w->values, w->symbols->count),
                   PF_ROOM(w->work, pf_tape_work_size(w->tape)), PF_ROOM(w->now, 3*count)));
  w->first = w->now + count;
  w->drift = w->first + count;
  memcpy(w->values, values, (size_t)w->symbols->count*sizeof *values);
  return PF_OK;
}

PfStatus pf_drift_make(Drift *w, Session *session, const PfRequest *options, const Motion *motion)
{
  *w = (Drift){.session = session, .motion = motion, .symbols = pf_system_symbols(pf_sim_system(motion->sim))};
  double *given = pf_task_parameters(session->ctx, session->arena, session->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  PF_TRY(pf_invariants_find(session->ctx, session->arena, &session->equations, given, &w->found));
  /* The quantities, with inputs by their functions of time. */
  const PfModel *model = w->session->model;
  PfContext *ctx = w->session->ctx;
  int count = w->found.count;
  PfExpr *roots = pf_arena_array(w->session->arena, PfExpr, count);
  if (!roots) return pf_no_room(ctx, "the watch over conserved quantities");
  for (int i = 0; i < count; i++) roots[i] = w->found.at[i].by_coordinates;
  PF_TRY(pf_insert_inputs(ctx, model, roots, (size_t)count));
  PF_TRY(pf_tape_new(ctx, w->symbols->symbol, w->symbols->count, roots, count, &w->tape));
  return make_room(w, pf_sim_values(motion->sim));
}

void pf_drift_free(Drift *w)
{
  pf_tape_free(w->tape);
  w->tape = NULL;
}

/* ---------------------------------------------------------------- along the run */

void pf_drift_sample(Drift *w, const PfSample *sample)
{
  if (!w->tape) return;
  int count = w->found.count;
  w->values[w->symbols->time] = sample->t;
  pf_task_pick(w->motion, sample, w->values + w->symbols->q, w->values + w->symbols->v, NULL);
  pf_tape_run(w->tape, w->values, w->now, w->work);
  if (w->samples++ == 0) memcpy(w->first, w->now, (size_t)count*sizeof *w->now);
  for (int i = 0; i < count; i++) w->drift[i] = fmax(w->drift[i], fabs(w->now[i] - w->first[i]));
}

/* ---------------------------------------------------------------- words */

static const char *print(const Drift *w, int i)
{
  const char *text = pf_expr_print(w->session->ctx, w->session->arena, w->found.at[i].value, PF_TEXT);
  return text ? text : "?";
}

const PfField pf_drift_fields[] = {
  PF_FIELD("kind", STRING, "the kind of quantity, as 'energy'"),
  PF_FIELD_OR_NULL("name", STRING, "its name in mechanics; null: it has none"),
  PF_FIELD("value", STRING, "its formula"),
  PF_FIELD("between_switches", BOOL, "it is constant only between zero crossings of forces"),
  PF_FIELD("start", NUMBER, "its value at the start, in SI"),
  PF_FIELD("drift", NUMBER, "its largest change along the run, in SI"),
  {0}};

static void report_one(const Drift *w, int i, PfReport *r)
{
  enum { LONG_FORMULA = 160 };
  const PfInvariant *one = w->found.at + i;
  const char *kind = pf_invariant_kind_name(one->kind), *formula = print(w, i);
  bool first = !i && !w->session->model->complete;
  pf_report_open(r, NULL);
  pf_report_string(r, "kind", kind);
  pf_report_string(r, "name", one->name);
  pf_report_string(r, "value", formula);
  pf_report_bool(r, "between_switches", one->between);
  pf_report_number(r, "start", w->first[i]);
  pf_report_number(r, "drift", w->drift[i]);
  pf_report_close(r);
  pf_report_print(r, "  %-19s %s %.10g, changed by up to %.2g%s\n", first ? "invariants" : "",
                  one->name ? one->name : kind, pf_without_noise(w->first[i], 1),
                  pf_without_noise(w->drift[i], fmax(fabs(w->first[i]), 1e-3)),
                  one->between ? "; constant between switches only" : "");
  if (one->kind != PF_INVARIANT_ENERGY && pf_expr_length(w->session->ctx, one->value) < LONG_FORMULA)
    pf_report_print(r, "  %-19s   %s\n", "", formula);
}

void pf_drift_report(const Drift *w, PfReport *r)
{
  if (!w->tape) return;
  if (w->found.why_not) pf_report_print(r, "  invariants          none were looked for: %s\n", w->found.why_not);
  else if (!w->found.count) pf_report_print(r, "  invariants          none were found\n");
  else if (w->session->model->complete)
    pf_report_print(r, "  invariants          those of the model as it is at the start; events may change them\n");
  pf_report_open(r, "invariants");
  for (int i = 0; i < w->found.count; i++) report_one(w, i, r);
  pf_report_close(r);
}
