/* How to run: what the model says after 'run', then what the command line says. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  Session *s;
  const Options *options;
  const PfSystem *system;
  const double *values;
  PfRunOptions *settings;
  double t0;
} Reader;

/* ---------------------------------------------------------------- the model */

/* Without a system only what is a number by itself is known. */
static PfStatus number_of(Reader *r, const PfSetting *setting, double *value)
{
  if (setting->word)
    return pf_fail_at(r->s->ctx, PF_ERR_MODEL, setting->place, "'%s' needs a number", setting->key);
  if (!r->system) {
    if (!pf_expr_is_number(r->s->ctx, setting->value, value)) return PF_OK;
  } else {
    const PfSymbols *in = pf_system_symbols(r->system);
    PF_TRY(pf_expr_evaluate(r->s->ctx, &setting->value, 1, in->symbol, r->values, in->count, value));
  }
  bool damping = !strcmp(setting->key, "rho");
  if (damping ? *value >= 0 && *value <= 1 : isfinite(*value) && *value > 0) return PF_OK;
  return pf_fail_at(r->s->ctx, PF_ERR_MODEL, setting->place, "'%s' must be %s, not %g", setting->key,
                    damping ? "between 0 and 1" : "positive", *value);
}

static PfStatus take_scheme(Reader *r, const PfSetting *setting)
{
  const char *word = setting->word ? setting->word : "";
  r->settings->printed = !strcmp(word, "printed");
  if (r->settings->printed || !strcmp(word, "corrected")) return PF_OK;
  return pf_fail_at(r->s->ctx, PF_ERR_MODEL, setting->place, "'scheme' is 'corrected' or 'printed'");
}

static PfStatus take_formulation(Reader *r, const PfSetting *setting)
{
  if (!setting->word) return pf_fail_at(r->s->ctx, PF_ERR_MODEL, setting->place, "'formulation' needs a name");
  r->settings->formulation = pf_form_name(setting->word);
  if (pf_formulation_find(setting->word)) return PF_OK;
  pf_fail_at(r->s->ctx, PF_ERR_MODEL, setting->place, "there is no formulation '%s'", setting->word);
  pf_hint(r->s->ctx, "'pfaff compare' lists them");
  return PF_ERR_MODEL;
}

static long whole_number(double x)
{
  return x < 1 ? 1 : x > 1e18 ? (long)1e18 : (long)x;
}

/* What the model says in { } after 'run'. */
static PfStatus take_setting(Reader *r, const PfSetting *setting)
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
    o->most_steps = whole_number(most);
    return PF_OK;
  }
  if (!strcmp(setting->key, "formulation")) return take_formulation(r, setting);
  if (!strcmp(setting->key, "scheme")) return take_scheme(r, setting);
  pf_fail_at(r->s->ctx, PF_ERR_MODEL, setting->place, "'run' does not know the setting '%s'", setting->key);
  pf_hint(r->s->ctx, "it knows: step, rtol, atol, rho, scheme, every, largest_step, most_steps, formulation");
  return PF_ERR_MODEL;
}

static bool is_of_alpha(const PfSetting *setting)
{
  return !strcmp(setting->key, "rho") || !strcmp(setting->key, "scheme");
}

/* Settings of the alpha methods belong to no other: what is accepted is obeyed. */
static PfStatus check_settings(Reader *r, const PfRun *run)
{
  const PfMethod *method = pf_method_find(run->method ? run->method : "dopri5");
  for (int i = 0; method && !pf_method_has_damping(method) && i < run->setting_count; i++)
    if (is_of_alpha(run->settings + i))
      return pf_fail_at(r->s->ctx, PF_ERR_MODEL, run->settings[i].place, "'%s' belongs to generalized_alpha and rattle, "
                        "and the method is '%s'", run->settings[i].key, pf_method_name(method));
  return PF_OK;
}

/* Where SUNDIALS is not built in, its methods do not exist. */
static PfStatus check_method(const Reader *r, const PfRun *run)
{
  PfContext *ctx = r->s->ctx;
  if (!run->method || pf_method_find(run->method)) return PF_OK;
  pf_fail_at(ctx, PF_ERR_MODEL, run->method_place, "there is no method '%s'", run->method);
  char list[256] = "";
  for (int i = 0; pf_method(i); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", pf_method_name(pf_method(i)));
  }
  pf_hint(ctx, "there are: %s", list);
  return PF_ERR_MODEL;
}

static PfStatus take_model(Reader *r)
{
  const PfRun *run = &r->s->model->run;
  const PfSymbols *in = pf_system_symbols(r->system);
  double horizon = 10;
  *r->settings = pf_run_options();
  r->t0 = r->values[in->time];
  if (run->given)
    PF_TRY(pf_expr_evaluate(r->s->ctx, &run->horizon, 1, in->symbol, r->values, in->count, &horizon));
  r->settings->t_end = r->t0 + horizon;
  r->settings->until = run->until;
  r->settings->method = run->method;
  for (int i = 0; i < run->setting_count; i++) PF_TRY(take_setting(r, run->settings + i));
  if (!r->options->method) PF_TRY(check_method(r, run));
  return check_settings(r, run);
}

PfStatus pf_cli_check_run(Session *s)
{
  const PfRun *run = &s->model->run;
  PfRunOptions settings = pf_run_options();
  Reader r = {.s = s, .settings = &settings};
  for (int i = 0; i < run->setting_count; i++) PF_TRY(take_setting(&r, run->settings + i));
  PF_TRY(check_method(&r, run));
  return check_settings(&r, run);
}

/* ---------------------------------------------------------------- the command line */

static void take_number(double given, double *value)
{
  if (!isnan(given)) *value = given;
}

/* Options of the alpha methods. What the model says of them is forgotten when the command line has another method. */
static PfStatus take_alpha_options(Reader *r)
{
  const Options *o = r->options;
  const char *name = r->settings->method ? r->settings->method : "dopri5";
  const PfMethod *method = pf_method_find(name);
  take_number(o->rho, &r->settings->rho);
  r->settings->printed = (r->settings->printed && !o->adaptive) || o->printed;
  r->settings->adaptive = o->adaptive;
  if (!method || pf_method_has_damping(method)) return PF_OK;
  r->settings->printed = r->settings->adaptive = false;
  const char *option = pf_cli_given(o, "rho printed adaptive");
  return option ? pf_fail(r->s->ctx, PF_ERR_ARGUMENT, "--%s belongs to generalized_alpha and rattle, and the method is '%s'", option,
                          name)
                : PF_OK;
}

/* A tolerance for steps of one size would be taken for care and do nothing. */
static PfStatus check_tolerances(const Reader *r)
{
  const Options *o = r->options;
  const PfMethod *method = pf_method_find(r->settings->method ? r->settings->method : "dopri5");
  bool damped = method && pf_method_has_damping(method), chosen = damped && (o->adaptive || !(r->settings->step > 0));
  const char *option = pf_cli_given(o, "rtol atol");
  if (!method || !pf_method_has_fixed_step(method) || chosen || !option) return PF_OK;
  pf_fail(r->s->ctx, PF_ERR_ARGUMENT, "--%s has no effect: '%s' takes steps of one size here", option, pf_method_name(method));
  if (damped) pf_hint(r->s->ctx, "--adaptive lets it choose them; --step gives another size");
  else pf_hint(r->s->ctx, "--step gives another size; dopri5 and dop853 choose it by a tolerance");
  return PF_ERR_ARGUMENT;
}

/* Times with commas between, each with its unit or in seconds. */
static PfStatus read_times(Reader *r, const char *text)
{
  int count = 1, i = 0;
  for (const char *c = text; *c; c++) count += *c == ',';
  double *at = pf_arena_array(r->s->arena, double, count);
  if (!at) return pf_fail(r->s->ctx, PF_ERR_MEMORY, "no memory");
  for (;; i++) {
    const char *end = pf_cli_piece(text, ","), *piece = pf_arena_text(r->s->arena, text, (size_t)(end - text));
    if (!piece) return pf_fail(r->s->ctx, PF_ERR_MEMORY, "no memory");
    PF_TRY(pf_cli_value(r->s->ctx, "--at", piece, "s", at + i));
    if (i && at[i] < at[i - 1])
      return pf_fail(r->s->ctx, PF_ERR_ARGUMENT, "--at: write ascending times with commas, as 0,0.5,1");
    if (!*end) break;
    text = end + 1;
  }
  r->settings->at = at;
  r->settings->at_count = i + 1;
  return PF_OK;
}

static PfStatus take_options(Reader *r)
{
  const Options *o = r->options;
  double horizon = r->settings->t_end - r->t0;
  take_number(o->horizon, &horizon);
  take_number(o->rtol, &r->settings->rtol);
  take_number(o->atol, &r->settings->atol);
  take_number(o->step, &r->settings->step);
  take_number(o->every, &r->settings->every);
  if (!isnan(o->most_steps)) r->settings->most_steps = whole_number(o->most_steps);
  r->settings->t_end = r->t0 + horizon;
  if (o->method) r->settings->method = o->method;
  if (o->form) r->settings->formulation = pf_form_name(o->form);
  r->settings->drift = o->drift;
  r->settings->keep_going = o->keep_going;
  PF_TRY(take_alpha_options(r));
  PF_TRY(check_tolerances(r));
  return o->at ? read_times(r, o->at) : PF_OK;
}

PfStatus pf_cli_run_options(Session *s, const Options *options, const PfSystem *system, const double *values,
                            PfRunOptions *settings)
{
  Reader r = {s, options, system, values, settings, values[pf_system_symbols(system)->time]};
  PF_TRY(take_model(&r));
  return take_options(&r);
}
