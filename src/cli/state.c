/* The state at which a command evaluates: the start of the model, changed by --state and --time. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x=1, x'=2, hub.wz=1 or nu1=3 */
static PfStatus set_one(PfContext *ctx, PfModel *model, const char *text)
{
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return pf_fail(ctx, PF_ERR_ARGUMENT, "--state %s: write name=value or name'=value", text);
  char name[128];
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  char *end;
  double value = strtod(equals + 1, &end);
  if (end == equals + 1 || *end || !isfinite(value))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--state %s: '%s' is not a number", text, equals + 1);
  if (pf_model_set_start(model, name, value)) return PF_OK;
  return pf_fail(ctx, PF_ERR_NAME, "--state %s: the model has no coordinate '%.*s'", text, (int)strcspn(name, "'"), name);
}

static PfStatus set_time(PfContext *ctx, const PfModel *model, const PfSymbols *symbols, const char *text, double *values)
{
  char *end;
  values[symbols->time] = strtod(text, &end);
  if (end == text || *end || !isfinite(values[symbols->time]))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--time: '%s' is not a number", text);
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_evaluate(ctx, &model->inputs[i].value, 1, symbols->symbol, values, symbols->count,
                              values + symbols->inputs + i));
  return PF_OK;
}

PfStatus pf_cli_state(Session *s, const Options *options, const PfSystem *system, double **values)
{
  const PfSymbols *symbols = pf_system_symbols(system);
  *values = pf_arena_array(s->arena, double, symbols->count);
  double *given = pf_cli_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  if (!*values) return pf_fail(s->ctx, PF_ERR_MEMORY, "no memory");
  for (int i = 0; i < options->state_count; i++) PF_TRY(set_one(s->ctx, s->model, options->state[i]));
  PF_TRY(pf_equations_start(s->ctx, &s->equations, given, *values));
  return options->time ? set_time(s->ctx, s->model, symbols, options->time, *values) : PF_OK;
}

PfStatus pf_cli_warn_contradiction(Session *s, const Options *options)
{
  double *given = pf_cli_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  int before = pf_diagnostic_count(s->ctx);
  PfDiagnosis diagnosis;
  PfStatus status = pf_diagnose(s->ctx, s->arena, &s->equations, given, &diagnosis);
  if (status == PF_OK || status == PF_ERR_MEMORY) return status;
  const PfDiagnostic *why = pf_diagnostic(s->ctx, before);
  char message[512], hint[256];
  PfPlace place = why->place;
  snprintf(message, sizeof message, "%s", why->message);
  snprintf(hint, sizeof hint, "%s", why->hint ? why->hint : "there may be no motion at all");
  pf_diagnostics_cut(s->ctx, before);
  pf_warn_at(s->ctx, place, "%s", message);
  pf_hint(s->ctx, "%s", hint);
  return PF_OK;
}
