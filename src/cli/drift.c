/* SPDX-License-Identifier: Apache-2.0 */
/* Watching conserved quantities. */
#include "cli/drift.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- setting up */

/* The quantities, with inputs by their functions of time. */
static PfStatus make_tape(Drift *w)
{
  const PfModel *model = w->session->model;
  PfContext *ctx = w->session->ctx;
  int count = w->found.count;
  PfExpr *roots = pf_arena_array(w->session->arena, PfExpr, count);
  if (!roots) return pf_no_room(ctx, "the watch over conserved quantities");
  for (int i = 0; i < count; i++) roots[i] = w->found.at[i].by_coordinates;
  PF_TRY(pf_insert_inputs(ctx, model, roots, (size_t)count));
  return pf_tape_new(ctx, w->symbols->symbol, w->symbols->count, roots, count, &w->tape);
}

static PfStatus make_room(Drift *w, const double *values)
{
  PfArena *arena = w->session->arena;
  size_t count = (size_t)w->found.count;
  w->values = pf_arena_array(arena, double, w->symbols->count);
  w->work = pf_arena_array(arena, double, pf_tape_work_size(w->tape));
  w->now = pf_arena_array(arena, double, 3*count);
  if (!w->values || !w->work || !w->now) return pf_no_room(w->session->ctx, "the watch over conserved quantities");
  w->first = w->now + count;
  w->drift = w->first + count;
  memcpy(w->values, values, (size_t)w->symbols->count*sizeof *values);
  return PF_OK;
}

PfStatus pf_drift_make(Drift *w, Session *session, const Options *options, const Motion *motion)
{
  *w = (Drift){.session = session, .motion = motion, .symbols = pf_system_symbols(pf_sim_system(motion->sim))};
  double *given = pf_cli_parameters(session->ctx, session->arena, session->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  PF_TRY(pf_invariants_find(session->ctx, session->arena, &session->equations, given, &w->found));
  PF_TRY(make_tape(w));
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
  pf_cli_pick(w->motion, sample, w->values + w->symbols->q, w->values + w->symbols->v, NULL);
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

static bool is_energy(const PfInvariant *one)
{
  return one->kind == PF_INVARIANT_ENERGY;
}

void pf_drift_text(const Drift *w, PfText *text)
{
  enum { LONG_FORMULA = 160 };
  if (!w->tape) return;
  if (w->found.why_not) pf_text_print(text, "  invariants          none were looked for: %s\n", w->found.why_not);
  else if (!w->found.count) pf_text_add(text, "  invariants          none were found\n");
  else if (w->session->model->complete)
    pf_text_add(text, "  invariants          those of the model as it is at the start; events may change them\n");
  for (int i = 0; i < w->found.count; i++) {
    const PfInvariant *one = w->found.at + i;
    pf_text_print(text, "  %-19s %s %.10g, changed by up to %.2g%s\n",
                  i || w->session->model->complete ? "" : "invariants",
                  one->name ? one->name : pf_invariant_kind_name(one->kind), pf_without_noise(w->first[i], 1),
                  pf_without_noise(w->drift[i], fmax(fabs(w->first[i]), 1e-3)),
                  one->between ? "; constant between switches only" : "");
    if (!is_energy(one) && pf_expr_length(w->session->ctx, one->value) < LONG_FORMULA)
      pf_text_print(text, "  %-19s   %s\n", "", print(w, i));
  }
}

void pf_drift_json(const Drift *w, PfJson *json)
{
  if (!w->tape) return;
  pf_json_open(json, "invariants", '[');
  for (int i = 0; i < w->found.count; i++) {
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "kind", pf_invariant_kind_name(w->found.at[i].kind));
    pf_json_string(json, "name", w->found.at[i].name);
    pf_json_string(json, "value", print(w, i));
    pf_json_bool(json, "between_switches", w->found.at[i].between);
    pf_json_number(json, "start", w->first[i]);
    pf_json_number(json, "drift", w->drift[i]);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}
