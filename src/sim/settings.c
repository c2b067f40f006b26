/* SPDX-License-Identifier: Apache-2.0 */
/* How to run, as the model says after 'run': run 10 by dopri5 until x > 3 [m] { rtol = 1e-9 } becomes PfRunOptions.
 * Settings may be formulas of parameters, so that their numbers are known only at the start. */
#include "sim/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reader {
  PfContext *ctx;
  const PfModel *model;
  const PfSystem *system; /* NULL: the numbers are not known yet */
  const double *values;
  PfRunOptions *settings;
} Reader;

/* Without a system only what is a number by itself is known. */
static PfStatus number_of(Reader *r, const PfProperty *setting, double *value)
{
  if (setting->word)
    return pf_fail_at(r->ctx, PF_ERR_MODEL, setting->place, "'%s' needs a number", setting->key);
  if (!r->system) {
    if (!pf_expr_is_number(r->ctx, setting->value, value)) return PF_OK;
  } else {
    const PfSymbols *in = pf_system_symbols(r->system);
    PF_TRY(pf_expr_evaluate(r->ctx, &setting->value, 1, in->symbol, r->values, in->count, value));
  }
  bool damping = !strcmp(setting->key, "rho");
  if (damping ? *value >= 0 && *value <= 1 : isfinite(*value) && *value > 0) return PF_OK;
  return pf_fail_at(r->ctx, PF_ERR_MODEL, setting->place, "'%s' must be %s, not %g", setting->key,
                    damping ? "between 0 and 1" : "positive", *value);
}

/* What the model says in { } after 'run'. */
static PfStatus take_setting(Reader *r, const PfProperty *setting)
{
  PfRunOptions *o = r->settings;
  const struct {
    const char *key;
    double *number;
  } numbers[] = {{"step", &o->step}, {"rtol", &o->rtol}, {"atol", &o->atol}, {"rho", &o->rho},
                 {"every", &o->every}, {"largest_step", &o->largest_step}};
  for (size_t i = 0; i < sizeof numbers/sizeof *numbers; i++)
    if (!strcmp(setting->key, numbers[i].key)) return number_of(r, setting, numbers[i].number);
  if (!strcmp(setting->key, "most_steps")) {
    double most = 0;
    PF_TRY(number_of(r, setting, &most));
    o->most_steps = most < 1 ? 1 : most > 1e18 ? (long)1e18 : (long)most;
    return PF_OK;
  }
  if (!strcmp(setting->key, "formulation")) {
    /* formulation = NAME; with another name it fails with a similar one as a hint. */
    if (!setting->word) return pf_fail_at(r->ctx, PF_ERR_MODEL, setting->place, "'formulation' needs a name");
    const PfFormulation *found = pf_formulation_find(setting->word);
    if (found) {
      r->settings->formulation = pf_formulation_name(found);
      return PF_OK;
    }
    const char *similar = pf_formulation_similar(setting->word);
    pf_fail_at(r->ctx, PF_ERR_MODEL, setting->place, "there is no formulation '%s'", setting->word);
    if (similar) pf_hint(r->ctx, "did you mean '%s'?", similar);
    else pf_hint(r->ctx, "@task{compare} lists them");
    return PF_ERR_MODEL;
  }
  if (!strcmp(setting->key, "scheme")) {
    const char *word = setting->word ? setting->word : "";
    o->printed = !strcmp(word, "printed");
    if (o->printed || !strcmp(word, "corrected")) return PF_OK;
    return pf_fail_at(r->ctx, PF_ERR_MODEL, setting->place, "'scheme' is 'corrected' or 'printed'");
  }
  pf_fail_at(r->ctx, PF_ERR_MODEL, setting->place, "'run' does not know the setting '%s'", setting->key);
  pf_hint(r->ctx, "it knows: step, rtol, atol, rho, scheme, every, largest_step, most_steps, formulation");
  return PF_ERR_MODEL;
}

/* Defaults first, then the horizon, the settings in { } in their order, and the method. Fails with PF_ERR_MODEL, at the
 * place in the text, for settings that do not exist or have a wrong value, and for methods that do not exist. */
PfStatus pf_run_settings(PfContext *ctx, const PfModel *model, const PfSystem *system, const double *values,
                         const char *method, PfRunOptions *settings)
{
  const PfRun *run = &model->run;
  Reader r = {ctx, model, system, values, settings};
  *settings = pf_run_options();
  if (system) {
    const PfSymbols *in = pf_system_symbols(system);
    double horizon = PF_DEFAULT_HORIZON;
    if (run->given) PF_TRY(pf_expr_evaluate(ctx, &run->horizon, 1, in->symbol, values, in->count, &horizon));
    settings->t_end = values[in->time] + horizon;
  }
  settings->until = run->until;
  for (int i = 0; i < run->setting_count; i++) PF_TRY(take_setting(&r, run->settings + i));
  const PfMethod *found = pf_method_find(run->method ? run->method : PF_DEFAULT_METHOD);
  if (!method && !found) { /* where SUNDIALS is not built in, its methods do not exist */
    char list[256] = "";
    pf_fail_at(ctx, PF_ERR_MODEL, run->method_place, "there is no method '%s'", run->method);
    for (int i = 0; pf_method(i); i++) {
      size_t used = strlen(list);
      snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", pf_method_name(pf_method(i)));
    }
    pf_hint(ctx, "there are: %s", list);
    return PF_ERR_MODEL;
  }
  /* settings of the alpha methods belong to no other: what is accepted is obeyed */
  for (int i = 0; found && !pf_method_is_alpha(found) && i < run->setting_count; i++) {
    const PfProperty *setting = run->settings + i;
    if ((!strcmp(setting->key, "rho") && !pf_method_has_damping(found)) || !strcmp(setting->key, "scheme"))
      return pf_fail_at(ctx, PF_ERR_MODEL, setting->place, "'%s' belongs to the alpha methods, and the "
                        "method is '%s'", setting->key, pf_method_name(found));
  }
  const PfMethod *other = method ? pf_method_find(method) : NULL;
  if (other && found) settings->rho = pf_method_rho_from(other, found, settings->rho);
  if (method) settings->method = method;
  else if (run->method) settings->method = pf_method_name(found);
  return PF_OK;
}
