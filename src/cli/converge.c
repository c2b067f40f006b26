/* pfaff converge: observed order and work against error of the methods on this model. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);

const Command pf_command_converge = {
  "converge", "observed order, and work against error, of the methods on this model",
  "[--by METHOD,METHOD…] [--step H] [--for T] [-p NAME=VALUE] [--json] FILE\n\n"
  "Halves the step of fixed-step methods (from --step, the step of the model, or a 200th of the run) and tightens the tolerance\n"
  "of the others, against a tight reference by dop853: the table with which to choose step or tolerance.\n\n"
  "      --by LIST   methods, separated by commas (default: all)\n"
  "      --step H    the largest step\n"
  "      --for T     duration\n"
  "      --json      for programs, on standard output",
  run};

enum { LEVELS = 6, SAMPLES = 16, MOST_METHODS = 16 };

typedef struct Level {
  double size;            /* step or tolerance */
  double q, v, order;     /* errors; observed order against the level before, NaN for the first */
  double seconds, violation;
  long steps, evaluations;
  bool done;
} Level;

typedef struct Study {
  const PfMethod *method;
  Level level[LEVELS];
} Study;

typedef struct Converge {
  Session s;
  const Options *options;
  PfSystem *system;
  double *values, *at;
  PfRunOptions settings;
  double *reference, *trial; /* SAMPLES x 2n */
  int taken;
  double *into;
  int count;
  Study study[MOST_METHODS];
  double step;
} Converge;

/* ---------------------------------------------------------------- one run */

static PfStatus take(void *user, const PfSample *sample)
{
  Converge *c = user;
  size_t n = (size_t)c->s.equations.n;
  if (c->taken < SAMPLES) {
    memcpy(c->into + (size_t)c->taken*2*n, sample->q, n*sizeof(double));
    memcpy(c->into + (size_t)c->taken*2*n + n, sample->v, n*sizeof(double));
  }
  c->taken++;
  return PF_OK;
}

static PfStatus simulate(Converge *c, PfRunOptions *settings, double *into, PfRunResult *result, double *seconds)
{
  int before = pf_diagnostic_count(c->s.ctx);
  c->taken = 0;
  c->into = into;
  settings->at = c->at;
  settings->at_count = SAMPLES;
  settings->every = 0;
  settings->sample = take;
  settings->user = c;
  settings->keep_going = true;
  double start = pf_cli_clock();
  PF_TRY(pf_run(c->s.ctx, c->system, c->values, settings, result));
  *seconds = pf_cli_clock() - start;
  if (result->end != PF_RUN_DONE) pf_diagnostics_cut(c->s.ctx, before); /* told in the table */
  return PF_OK;
}

static void find_errors(const Converge *c, Level *level)
{
  int n = c->s.equations.n;
  for (int k = 0; k < SAMPLES; k++)
    for (int i = 0; i < 2*n; i++) {
      double miss = fabs(c->trial[k*2*n + i] - c->reference[k*2*n + i]);
      double *largest = i < n ? &level->q : &level->v;
      *largest = fmax(*largest, miss);
    }
}

static PfStatus run_level(Converge *c, Study *study, int k)
{
  Level *level = study->level + k;
  PfRunOptions settings = c->settings;
  PfRunResult result;
  bool fixed = pf_method_has_fixed_step(study->method);
  settings.method = pf_method_name(study->method);
  level->size = fixed ? c->step/pow(2, k) : pow(10, -3 - 2*k);
  if (fixed) settings.step = level->size;
  else settings.step = 0, settings.rtol = level->size, settings.atol = level->size/100;
  PF_TRY(simulate(c, &settings, c->trial, &result, &level->seconds));
  level->done = result.end == PF_RUN_DONE && c->taken == SAMPLES;
  level->steps = result.steps;
  level->evaluations = result.evaluations;
  level->violation = fmax(result.position, result.velocity);
  level->order = NAN;
  if (!level->done) return PF_OK;
  find_errors(c, level);
  const Level *last = k ? level - 1 : NULL;
  if (fixed && last && last->done && level->q > 0 && last->q > 0) level->order = log2(last->q/level->q);
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

static PfStatus choose_methods(Converge *c)
{
  const char *list = c->options->method;
  for (int i = 0; !list && pf_method(i) && c->count < MOST_METHODS; i++)
    if (pf_method_is_present(pf_method(i))) c->study[c->count++].method = pf_method(i);
  while (list && *list) {
    char name[64];
    size_t length = strcspn(list, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, list);
    const PfMethod *method = pf_method_find(name);
    if (!method || c->count == MOST_METHODS) return pf_fail(c->s.ctx, PF_ERR_ARGUMENT, "there is no method '%s'", name);
    c->study[c->count++].method = method;
    list += length + (list[length] != 0);
  }
  return PF_OK;
}

static PfStatus prepare(Converge *c)
{
  PfStart start;
  Options without_method = *c->options;
  without_method.method = NULL;
  PF_TRY(pf_cli_open(&c->s, c->options->file));
  PF_TRY(pf_system_new(c->s.ctx, &c->s.equations, &c->system));
  PF_TRY(pf_cli_state(&c->s, c->options, c->system, &c->values));
  PF_TRY(pf_cli_run_options(&c->s, &without_method, c->system, c->values, &c->settings));
  PF_TRY(pf_start_correct(c->s.ctx, c->system, c->values, &start));
  PF_TRY(choose_methods(c));
  size_t N = 2*(size_t)c->s.equations.n;
  c->at = pf_arena_array(c->s.arena, double, SAMPLES);
  c->reference = pf_arena_array(c->s.arena, double, SAMPLES*N);
  c->trial = pf_arena_array(c->s.arena, double, SAMPLES*N);
  if (!c->at || !c->reference || !c->trial) return pf_fail(c->s.ctx, PF_ERR_MEMORY, "no memory");
  double t0 = c->values[pf_system_symbols(c->system)->time], span = c->settings.t_end - t0;
  for (int k = 0; k < SAMPLES; k++) c->at[k] = t0 + span*(k + 1)/SAMPLES;
  c->step = c->settings.step > 0 ? c->settings.step : span/200;
  c->settings.until = PF_EXPR_NONE;
  return PF_OK;
}

static PfStatus study_all(Converge *c)
{
  PfRunOptions tight = c->settings;
  PfRunResult result;
  double seconds;
  tight.method = "dop853";
  tight.step = 0, tight.rtol = 1e-13, tight.atol = 1e-15;
  PF_TRY(simulate(c, &tight, c->reference, &result, &seconds));
  if (result.end != PF_RUN_DONE)
    return pf_fail(c->s.ctx, PF_ERR_NUMBER, "the reference run ends at t = %.6g; choose a shorter --for", result.t);
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < LEVELS; k++) PF_TRY(run_level(c, c->study + i, k));
  return PF_OK;
}

/* ---------------------------------------------------------------- text and JSON */

static void text_study(const Study *study, PfText *text)
{
  bool fixed = pf_method_has_fixed_step(study->method);
  pf_text_print(text, "\n%s: %s\n  %10s %12s %12s %7s %10s %10s %10s %10s\n", pf_method_name(study->method),
                pf_method_summary(study->method), fixed ? "step" : "rtol", "error q", "error v", "order", "violation",
                "steps", "evals", "ms");
  for (int k = 0; k < LEVELS; k++) {
    const Level *l = study->level + k;
    pf_text_print(text, "  %10.3g ", l->size);
    if (!l->done) {
      pf_text_add(text, "does not reach the end\n");
      continue;
    }
    pf_text_print(text, "%12.3g %12.3g ", l->q, l->v);
    if (isnan(l->order)) pf_text_print(text, "%7s", "");
    else pf_text_print(text, "%7.2f", l->order);
    pf_text_print(text, " %10.1g %10ld %10ld %10.3g\n", l->violation, l->steps, l->evaluations, 1e3*l->seconds);
  }
}

static void json_study(const Study *study, PfJson *json)
{
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "method", pf_method_name(study->method));
  pf_json_bool(json, "fixed_step", pf_method_has_fixed_step(study->method));
  pf_json_open(json, "levels", '[');
  for (int k = 0; k < LEVELS; k++) {
    const Level *l = study->level + k;
    pf_json_open(json, NULL, '{');
    pf_json_number(json, pf_method_has_fixed_step(study->method) ? "step" : "rtol", l->size);
    pf_json_bool(json, "reached_end", l->done);
    pf_json_number(json, "error_q", l->done ? l->q : NAN);
    pf_json_number(json, "error_v", l->done ? l->v : NAN);
    pf_json_number(json, "order", l->order);
    pf_json_number(json, "violation", l->violation);
    pf_json_integer(json, "steps", l->steps);
    pf_json_integer(json, "evaluations", l->evaluations);
    pf_json_number(json, "seconds", l->seconds);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_close(json, '}');
}

static void json_all(void *user, PfJson *json)
{
  const Converge *c = user;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(c->s.model));
  pf_json_number(json, "t_end", c->settings.t_end);
  pf_json_open(json, "methods", '[');
  for (int i = 0; i < c->count; i++) json_study(c->study + i, json);
  pf_json_close(json, ']');
  pf_json_close(json, '}');
}

static void text_all(void *user, PfText *text)
{
  const Converge *c = user;
  pf_text_print(text, "%s to t = %.6g, largest errors at %d instants against dop853 at 1e-13\n", pf_cli_name(c->s.model),
                c->settings.t_end, SAMPLES);
  for (int i = 0; i < c->count; i++) text_study(c->study + i, text);
}

static int run(int argc, char **argv)
{
  Options options;
  unsigned allowed = OPTION_JSON | OPTION_PARAMETER | OPTION_STATE | OPTION_FORM | OPTION_RUN;
  int code = pf_cli_options(&pf_command_converge, allowed, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Converge c = {.options = &options};
  PfStatus status = prepare(&c);
  if (status == PF_OK) status = study_all(&c);
  if (status == PF_OK) code = pf_cli_output(c.s.ctx, options.json, &c, json_all, text_all);
  pf_cli_diagnostics(c.s.ctx);
  pf_system_free(c.system);
  pf_cli_close(&c.s);
  return status == PF_OK ? code : status == PF_ERR_ARGUMENT ? PF_EXIT_USAGE : PF_EXIT_FAILED;
}
