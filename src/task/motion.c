/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation of a command. */
#include "task/motion.h"

#include <math.h>
#include <string.h>

/* A failure of the simulation has its words in the context. */
static PfStatus status_of(const Motion *m, bool good)
{
  return good ? PF_OK : pf_sim_error(m->sim)->status;
}

/* -1: none that can be set. */
static int find_input(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->input_count; i++)
    if (!strcmp(model->inputs[i].name, name)) return model->inputs[i].value == PF_EXPR_NONE ? i : -1;
  return -1;
}

static PfStatus set_input(Motion *m, const char *text)
{
  PfContext *ctx = m->s->ctx;
  char name[PF_LONGEST_NAME], what[256];
  const char *value;
  double number;
  if (!pf_task_split(text, name, &value)) return pf_fail(ctx, PF_ERR_ARGUMENT, "@input{%s}: write name=value", text);
  if (find_input(m->s->model, name) < 0) {
    pf_fail(ctx, PF_ERR_NAME, "@input{%s}: the model has no input '%s' without a function of time", text, name);
    /* The inputs that it has. */
    const PfModel *model = m->s->model;
    PfText names;
    pf_text_init(&names, pf_context_allocator(ctx));
    for (int i = 0; i < model->input_count; i++)
      if (model->inputs[i].value == PF_EXPR_NONE)
        pf_text_print(&names, "%s%s", names.count ? ", " : "", model->inputs[i].name);
    if (names.count) pf_hint(ctx, "it has %s", pf_text_get(&names));
    pf_text_free(&names);
    return PF_ERR_ARGUMENT;
  }
  snprintf(what, sizeof what, "input %s", text);
  PF_TRY(pf_constant_read_for(ctx, what, value, pf_model_measure(m->s->model, name).unit, &number));
  return status_of(m, pf_sim_set(m->sim, name, number));
}

static int find_constraint(const PfModel *model, const char *name)
{
  for (int k = 0; k < model->constraint_count; k++)
    if (strcmp(model->constraints[k].name, name) == 0) return k;
  return -1;
}

/* Coordinates of the start are also in the complete model, under the same name. */
static PfStatus find_places(Motion *m)
{
  const PfModel *model = m->s->model, *complete = m->complete.model;
  PF_TRY(pf_arrays(m->s->ctx, m->s->arena, "the samples", PF_ROOM(m->coordinate, model->coordinate_count),
                   PF_ROOM(m->constraint, model->constraint_count)));
  bool same = model == complete;
  for (int i = 0; i < model->coordinate_count; i++)
    m->coordinate[i] = same ? i : pf_model_find_coordinate(complete, model->coordinates[i].name);
  for (int k = 0; k < model->constraint_count; k++)
    m->constraint[k] = same ? k : find_constraint(complete, model->constraints[k].name);
  return PF_OK;
}

void pf_task_pick(const Motion *m, const PfSample *sample, double *q, double *v, double *multiplier)
{
  const PfModel *model = m->s->model;
  for (int i = 0; i < model->coordinate_count; i++) {
    if (m->coordinate[i] < 0) continue;
    q[i] = sample->q[m->coordinate[i]];
    if (v) v[i] = sample->v[m->coordinate[i]];
  }
  for (int k = 0; multiplier && k < model->constraint_count; k++)
    if (m->constraint[k] >= 0) multiplier[k] = sample->multiplier[m->constraint[k]];
}

PfStatus pf_task_place(Motion *m, Session *s, const PfRequest *options)
{
  PfError error;
  *m = (Motion){.s = s, .options = options, .complete = *s,
                .sim = pf_sim_of_workspace(s, &error)};
  if (!m->sim) return error.status;
  const PfModel *model = m->s->model;
  const double *given = pf_task_parameters(m->s->ctx, m->s->arena, model, options);
  if (!given) return PF_ERR_ARGUMENT;
  for (int i = 0; i < model->parameter_count; i++)
    if (!isnan(given[i])) PF_TRY(status_of(m, pf_sim_set(m->sim, model->parameters[i].name, given[i])));
  PF_TRY(isnan(options->time) ? PF_OK : status_of(m, pf_sim_set(m->sim, "t", options->time)));
  for (int i = 0; i < options->held.count; i++) PF_TRY(set_input(m, options->held.at[i]));
  pf_sim_set_as_given(m->sim, options->as_given);
  int before = pf_diagnostic_count(s->ctx);
  PF_TRY(pf_task_judge_start(s, options, status_of(m, pf_sim_place(m->sim)), before, pf_sim_changes(m->sim)));
  m->complete.model = pf_sim_complete(m->sim);
  PF_TRY(find_places(m));
  m->start = *pf_sim_changes(m->sim);
  m->t0 = pf_sim_time(m->sim);
  m->settings = pf_sim_options(m->sim);
  return pf_task_run_options(s, options, pf_sim_system(m->sim), pf_sim_values(m->sim), &m->settings);
}

PfStatus pf_task_begin(Motion *m)
{
  double start = pf_clock();
  PF_TRY(status_of(m, pf_sim_set_options(m->sim, &m->settings)));
  PF_TRY(status_of(m, pf_sim_start(m->sim)));
  m->seconds = pf_clock() - start;
  return PF_OK;
}

void pf_task_end(Motion *m)
{
  pf_sim_close(m->sim);
  m->sim = NULL;
}

static PfStatus give_samples(Motion *m, PfSampling *sampling, TakeSample *take, void *user)
{
  while (pf_sim_next_sample(m->sim, sampling)) PF_TRY(take(user, pf_sim_sample(m->sim)));
  return PF_OK;
}

/* The result of a motion reports how it ended; only errors that it cannot represent are failures here. */
static PfStatus failure(const Motion *m)
{
  PfStatus status = pf_sim_error(m->sim)->status;
  return pf_is_final(status) && status != PF_ERR_CANCELLED ? status : PF_OK;
}

PfStatus pf_task_move(Motion *m, TakeSample *take, TakeStep *after, void *user, PfRunResult *result)
{
  bool goes = true, stopped = false;
  PfSampling *sampling = pf_sampling_new(m->sim, m->settings.every, m->settings.at, m->settings.at_count);
  if (!sampling) return pf_sim_error(m->sim)->status;
  PfStatus status = give_samples(m, sampling, take, user);
  while (status == PF_OK && goes && !stopped) {
    goes = pf_sim_step(m->sim);
    status = give_samples(m, sampling, take, user);
    stopped = pf_context_is_cancelled(m->s->ctx);
    if (status == PF_OK && goes && !stopped && after) status = after(user, pf_sim_time(m->sim));
  }
  *result = pf_sim_result(m->sim);
  if (stopped || status != PF_OK) result->end = PF_RUN_CANCELLED;
  pf_sampling_free(sampling);
  return status == PF_OK ? failure(m) : status;
}
