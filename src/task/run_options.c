/* SPDX-License-Identifier: Apache-2.0 */
/* How to run: what the model says after 'run', then what the command line says. */
#include "task/task.h"
#include "sim/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  Session *s;
  const PfRequest *options;
  PfRunOptions *settings;
  double t0;
} Reader;

/* ---------------------------------------------------------------- the command line */

static void take_number(double given, double *value)
{
  if (!isnan(given)) *value = given;
}

/* Options of the alpha methods and of those with damping. What the model says of them is forgotten when the command
 * line has another method. */
static PfStatus take_alpha_options(Reader *r)
{
  const PfRequest *o = r->options;
  const char *name = pf_run_method(r->settings);
  const PfMethod *method = pf_method_find(name);
  take_number(o->rho, &r->settings->rho);
  r->settings->printed = (r->settings->printed && !o->adaptive) || o->printed;
  r->settings->adaptive = o->adaptive;
  if (!method || pf_method_is_alpha(method)) return PF_OK;
  r->settings->printed = r->settings->adaptive = false;
  const bool damped = pf_method_has_damping(method);
  const char *option = pf_task_given(o, damped ? "printed adaptive" : "rho printed adaptive");
  if (!option) return PF_OK;
  pf_fail(r->s->ctx, PF_ERR_ARGUMENT, "@%s belongs to the alpha methods, and the method is '%s'", option,
          name);
  pf_hint(r->s->ctx, "they are generalized_alpha, rattle, hht_alpha, wbz_alpha and newmark%s",
          strcmp(option, "rho") ? "" : "; discrete_gradient has a rho too");
  return PF_ERR_ARGUMENT;
}

/* A tolerance for steps of one size would be taken for care and do nothing. */
static PfStatus check_tolerances(const Reader *r)
{
  const PfRequest *o = r->options;
  const PfMethod *method = pf_method_find(pf_run_method(r->settings));
  bool alpha = method && pf_method_is_alpha(method), chosen = alpha && (o->adaptive || !(r->settings->step > 0));
  const char *option = pf_task_given(o, "rtol atol");
  if (!method || !pf_method_has_fixed_step(method) || chosen || !option) return PF_OK;
  pf_fail(r->s->ctx, PF_ERR_ARGUMENT, "@%s has no effect: '%s' takes steps of one size here", option,
          pf_method_name(method));
  if (alpha) pf_hint(r->s->ctx, "@adaptive lets it choose them; @step gives another size");
  else pf_hint(r->s->ctx, "@step gives another size; dopri5 and dop853 choose it by a tolerance");
  return PF_ERR_ARGUMENT;
}

/* Times with commas between, each with its unit or in seconds. */
static PfStatus read_times(Reader *r, const char *text)
{
  int count = 1, i = 0;
  for (const char *c = text; *c; c++) count += *c == ',';
  double *at = pf_arena_array(r->s->arena, double, count);
  if (!at) return pf_no_room(r->s->ctx, "the options");
  for (;; i++) {
    const char *end = pf_piece_end(text, ","), *piece = pf_arena_text(r->s->arena, text, (size_t)(end - text));
    if (!piece) return pf_no_room(r->s->ctx, "the options");
    PF_TRY(pf_constant_read_for(r->s->ctx, "at", piece, "s", at + i));
    if (i && at[i] < at[i - 1])
      return pf_fail(r->s->ctx, PF_ERR_ARGUMENT, "@at: write ascending times with commas, as 0,0.5,1");
    if (!*end) break;
    text = end + 1;
  }
  r->settings->at = at;
  r->settings->at_count = i + 1;
  return PF_OK;
}

PfStatus pf_task_run_options(Session *s, const PfRequest *options, const PfSystem *system, const double *values,
                            PfRunOptions *settings)
{
  Reader r = {s, options, settings, values[pf_system_symbols(system)->time]};
  PF_TRY(pf_run_settings(s->ctx, s->model, system, values, options->method, settings));
  const PfRequest *o = r.options;
  double horizon = r.settings->t_end - r.t0;
  take_number(o->horizon, &horizon);
  take_number(o->rtol, &r.settings->rtol);
  take_number(o->atol, &r.settings->atol);
  take_number(o->step, &r.settings->step);
  take_number(o->every, &r.settings->every);
  if (!isnan(o->most_steps)) {
    double x = o->most_steps;
    r.settings->most_steps = x < 1 ? 1 : x > 1e18 ? (long)1e18 : (long)x;
  }
  r.settings->t_end = r.t0 + horizon;
  if (o->form) r.settings->formulation = pf_form_name(o->form);
  r.settings->drift = o->drift;
  r.settings->keep_going = o->keep_going;
  PF_TRY(take_alpha_options(&r));
  PF_TRY(check_tolerances(&r));
  if (o->times) {
    const double *times = o->times;
    for (int i = 0; i < o->time_count; i++)
      if (!isfinite(times[i]) || (i && times[i] < times[i - 1]))
        return pf_fail(r.s->ctx, PF_ERR_ARGUMENT, "@at: the times must be finite and ascend");
    r.settings->at = times;
    r.settings->at_count = o->time_count;
    return PF_OK;
  }
  return o->at ? read_times(&r, o->at) : PF_OK;
}

PfStatus pf_task_check_run(Session *s)
{
  PfRunOptions settings = pf_run_options();
  return pf_run_settings(s->ctx, s->model, NULL, NULL, NULL, &settings);
}
