/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff converge: observed order and work against error of the methods on this model. */
#include "task/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "by", .argument = "LIST", .help = "methods, with commas between (default: all)"},
  {.name = "out", .argument = "PICTURE", .help = "work against error, a line for each method"},
  {.name = "step", .help = "the largest step (default: that of the model, or a 200th of the run)"},
  {0}};

const PfTask pf_converge_task = {
  .name = "converge", .summary = "observed order, and work against error, of the methods on this model",
  .operands = "FILE",
  .about = "Halves the step of fixed-step methods and tightens the tolerance of the others, against a tight reference "
           "by dop853: the table with which to choose step or tolerance.",
  .takes = TAKES_STATE "native by for step adaptive rho printed no-projection most-steps form out json ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .examples = "@call{converge @by{rk4,rattle} @step{0.05} @for{1} @out{work.svg} "
              "examples/skates/snakeboard.pf}\n",
  .fields = pf_converge_fields,
  .run = run};

enum { LEVELS = 6, SAMPLES = 16 };

typedef struct Level {
  double size;            /* step or tolerance */
  double q, v, lambda;    /* largest errors */
  double order_q, order_v, order_lambda; /* observed, against the level before; NaN for the first, and for rounding */
  double seconds, violation;
  long steps, evaluations;
  bool done;
} Level;

typedef struct Study {
  const PfMethod *method;
  bool fixed;             /* halves steps; else tightens tolerances */
  Level level[LEVELS];
} Study;

typedef struct Converge {
  Session s;
  const PfRequest *options;
  PfRequest one_method;     /* with one of the methods */
  Motion motion;
  double *at;
  PfRunOptions settings;
  double *reference, *trial; /* SAMPLES x (2n + m): coordinates, velocities, multipliers */
  double size_q, size_v, size_lambda; /* largest of each in the reference */
  int taken;
  double *into;
  int count;
  Study study[PF_MOST_METHODS];
  double step;
} Converge;

/* ---------------------------------------------------------------- one run */

static PfStatus take(void *user, const PfSample *sample)
{
  Converge *c = user;
  size_t n = (size_t)c->s.equations.n, m = (size_t)c->s.equations.m;
  if (c->taken < SAMPLES) {
    double *row = c->into + (size_t)c->taken*(2*n + m);
    pf_task_pick(&c->motion, sample, row, row + n, row + 2*n);
  }
  c->taken++;
  return PF_OK;
}

static PfStatus simulate(Converge *c, const PfRunOptions *settings, double *into, PfRunResult *result, double *seconds)
{
  int before = pf_diagnostic_count(c->s.ctx);
  PfRunOptions *o = &c->motion.settings;
  c->taken = 0;
  c->into = into;
  *o = *settings;
  o->at = c->at;
  o->at_count = SAMPLES;
  o->every = 0;
  o->keep_going = o->without_events = true;
  double start = pf_clock();
  PF_TRY(pf_task_begin(&c->motion));
  PF_TRY(pf_task_move(&c->motion, take, NULL, c, result));
  *seconds = pf_clock() - start;
  if (result->end != PF_RUN_DONE) pf_diagnostics_truncate(c->s.ctx, before); /* the table reports it */
  return PF_OK;
}

/* Does the study halve steps? Else it tightens tolerances. */
static bool has_steps(const Converge *c, const PfMethod *method)
{
  return pf_method_has_fixed_step(method) && !(c->settings.adaptive && pf_method_is_alpha(method));
}

/* Errors that are rounding, or those of the reference, have no order. */
static double order_of(double coarse, double fine, double size)
{
  double noise = 1e-12*size;
  return coarse > noise && fine > noise ? log2(coarse/fine) : NAN;
}

/* Levels of one method: the settings of the others are not its own. */
static PfRunOptions settings_of(const Converge *c, const PfMethod *method)
{
  PfRunOptions settings = c->settings;
  settings.method = pf_method_name(method);
  if (!pf_method_is_alpha(method)) settings.printed = settings.adaptive = false;
  if (isnan(c->options->rho))
    settings.rho = pf_method_rho_from(method, pf_method_find(c->one_method.method), settings.rho);
  return settings;
}

static PfStatus run_level(Converge *c, Study *study, int k)
{
  Level *level = study->level + k;
  PfRunOptions settings = settings_of(c, study->method);
  PfRunResult result;
  bool fixed = study->fixed;
  level->size = fixed ? c->step/pow(2, k) : pow(10, -3 - 2*k);
  if (fixed) settings.step = level->size;
  else settings.step = 0, settings.rtol = level->size, settings.atol = level->size/100;
  PF_TRY(simulate(c, &settings, c->trial, &result, &level->seconds));
  level->done = result.end == PF_RUN_DONE && c->taken == SAMPLES;
  level->steps = result.steps;
  level->evaluations = result.evaluations;
  level->violation = fmax(result.position, result.velocity);
  level->order_q = level->order_v = level->order_lambda = NAN;
  if (!level->done) return PF_OK;
  int n = c->s.equations.n, N = 2*n + c->s.equations.m;
  for (int j = 0; j < SAMPLES; j++)
    for (int i = 0; i < N; i++) {
      double error_k = fabs(c->trial[j*N + i] - c->reference[j*N + i]);
      double *largest = i < n ? &level->q : i < 2*n ? &level->v : &level->lambda;
      *largest = fmax(*largest, error_k);
    }
  if (fixed && k && level[-1].done) {
    const Level *last = level - 1;
    level->order_q = order_of(last->q, level->q, c->size_q);
    level->order_v = order_of(last->v, level->v, c->size_v);
    level->order_lambda = order_of(last->lambda, level->lambda, c->size_lambda);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* Of all methods those are left out that have no such rho. */
static bool has_rho(const Converge *c, const PfMethod *method)
{
  const double rho = c->options->rho;
  return isnan(rho) || !pf_method_has_damping(method) || pf_method_takes_rho(method, rho);
}

static PfStatus choose_methods(Converge *c)
{
  const PfMethod *given[PF_MOST_METHODS];
  if (c->options->method) {
    PF_TRY(pf_task_methods(c->s.ctx, c->options->method, given, &c->count));
    for (int i = 0; i < c->count; i++) c->study[i].method = given[i];
    return PF_OK;
  }
  for (int i = 0; pf_method(i) && c->count < PF_MOST_METHODS; i++)
    if (pf_method_is_present(pf_method(i)) && has_rho(c, pf_method(i))) c->study[c->count++].method = pf_method(i);
  return PF_OK;
}

/* Options of the alpha methods need one of them, and rho a method with damping. */
static const char *representative(const Converge *c)
{
  bool (*const kinds[])(const PfMethod *) = {pf_method_is_alpha, pf_method_has_damping};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < c->count; i++)
      if (kinds[k](c->study[i].method)) return pf_method_name(c->study[i].method);
  return pf_method_name(c->study[0].method);
}

static PfStatus prepare(Converge *c)
{
  PF_TRY(pf_task_open(&c->s, c->options));
  pf_task_warn_events(&c->s);
  PF_TRY(choose_methods(c));
  c->one_method = *c->options;
  c->one_method.method = representative(c);
  PF_TRY(pf_task_place(&c->motion, &c->s, &c->one_method));
  PF_TRY(pf_task_need_consistent(&c->s, c->options, &c->motion.start));
  c->settings = c->motion.settings;
  for (int i = 0; i < c->count; i++) c->study[i].fixed = has_steps(c, c->study[i].method);
  size_t N = 2*(size_t)c->s.equations.n + (size_t)c->s.equations.m;
  PF_TRY(pf_arrays(c->s.ctx, c->s.arena, "the study of convergence", PF_ROOM(c->at, SAMPLES),
                   PF_ROOM(c->reference, SAMPLES*N), PF_ROOM(c->trial, SAMPLES*N)));
  double t0 = c->motion.t0, span = c->settings.t_end - t0;
  for (int k = 0; k < SAMPLES; k++) c->at[k] = t0 + span*(k + 1)/SAMPLES;
  c->step = c->settings.step > 0 ? c->settings.step : span/200;
  c->settings.until = PF_EXPR_NONE;
  return PF_OK;
}

static PfStatus study_all(Converge *c)
{
  PfRunOptions tight = settings_of(c, pf_method_find("dop853"));
  PfRunResult result;
  double seconds;
  tight.drift = false;
  tight.step = 0, tight.rtol = 1e-13, tight.atol = 1e-15;
  PF_TRY(simulate(c, &tight, c->reference, &result, &seconds));
  if (result.end != PF_RUN_DONE)
    return pf_fail(c->s.ctx, PF_ERR_NUMBER, "the reference run ends at t = %.6g; choose a shorter @for", result.t);
  int n = c->s.equations.n, m = c->s.equations.m;
  for (int k = 0; k < SAMPLES; k++) {
    const double *row = c->reference + (size_t)k*(size_t)(2*n + m);
    c->size_q = fmax(c->size_q, pf_largest(row, n));
    c->size_v = fmax(c->size_v, pf_largest(row + n, n));
    c->size_lambda = fmax(c->size_lambda, pf_largest(row + 2*n, m));
  }
  for (int i = 0; i < c->count; i++)
    for (int k = 0; k < LEVELS; k++) PF_TRY(run_level(c, c->study + i, k));
  return PF_OK;
}

/* ---------------------------------------------------------------- text and JSON */

static void text_order(double order, PfText *text)
{
  if (isnan(order)) pf_text_print(text, "%6s", "-");
  else pf_text_print(text, "%6.2f", order);
}

static void text_orders(const Level *level, bool first, bool multipliers, PfText *text)
{
  if (first) {
    pf_text_print(text, "%*s", multipliers ? 18 : 12, "");
    return;
  }
  text_order(level->order_q, text);
  text_order(level->order_v, text);
  if (multipliers) text_order(level->order_lambda, text);
}

static const PfField level_fields[] = {
  PF_FIELD_OPTIONAL("step", NUMBER, "of a method with fixed steps, in s"),
  PF_FIELD_OPTIONAL("rtol", NUMBER, "relative tolerance of the other methods"),
  PF_FIELD("reached_end", BOOL, "the run went on to the end"),
  PF_FIELD_OR_NULL("error_q", NUMBER, "largest error of a coordinate, in SI"),
  PF_FIELD_OR_NULL("error_v", NUMBER, "of a velocity"),
  PF_FIELD_OR_NULL("error_lambda", NUMBER, "of a multiplier"),
  PF_FIELD_OR_NULL("order", NUMBER, "order of the coordinates, from this level and the one before"),
  PF_FIELD_OR_NULL("order_v", NUMBER, "order of the velocities"),
  PF_FIELD_OR_NULL("order_lambda", NUMBER, "order of the multipliers"),
  PF_FIELD_OR_NULL("violation", NUMBER, "largest residual of a constraint"),
  PF_FIELD("steps", INTEGER, "steps of the run"),
  PF_FIELD("evaluations", INTEGER, "evaluations of the accelerations"),
  PF_FIELD("seconds", NUMBER, "computing time on the clock"),
  {0}};

static const PfField method_fields[] = {
  PF_FIELD("method", STRING, "name of the method"),
  PF_FIELD("fixed_step", BOOL, "its step is fixed; else the tolerances choose it"),
  PF_FIELD_RECORDS("levels", level_fields, "one for each step or tolerance"),
  {0}};

const PfField pf_converge_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("t_end", NUMBER, "end of the runs, in s"),
  PF_FIELD_RECORDS("methods", method_fields, "one for each method"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void report_level(const Study *study, const Level *l, PfReport *r)
{
  pf_report_open(r, NULL);
  pf_report_number(r, study->fixed ? "step" : "rtol", l->size);
  pf_report_bool(r, "reached_end", l->done);
  pf_report_number(r, "error_q", l->done ? l->q : NAN);
  pf_report_number(r, "error_v", l->done ? l->v : NAN);
  pf_report_number(r, "error_lambda", l->done ? l->lambda : NAN);
  pf_report_number(r, "order", l->order_q);
  pf_report_number(r, "order_v", l->order_v);
  pf_report_number(r, "order_lambda", l->order_lambda);
  pf_report_number(r, "violation", l->violation);
  pf_report_integer(r, "steps", l->steps);
  pf_report_integer(r, "evaluations", l->evaluations);
  pf_report_number(r, "seconds", l->seconds);
  pf_report_close(r);
}

static void print_level(const Converge *c, const Study *study, const Level *l, PfReport *r)
{
  bool multipliers = c->s.equations.m > 0;
  pf_report_print(r, "  %10.3g ", l->size);
  if (!l->done) {
    pf_report_print(r, "does not reach the end\n");
    return;
  }
  pf_report_print(r, "%10.3g %10.3g ", l->q, l->v);
  if (multipliers) pf_report_print(r, "%10.3g ", l->lambda);
  text_orders(l, !study->fixed || l == study->level, multipliers, pf_report_page(r));
  pf_report_print(r, " %10.1g %8ld %8ld %9.3g\n", l->violation, l->steps, l->evaluations, 1e3*l->seconds);
}

static void report_study(const Converge *c, const Study *study, PfReport *r)
{
  bool fixed = study->fixed, multipliers = c->s.equations.m > 0;
  pf_report_print(r, "\n%s: %s\n  %10s %10s %10s", pf_method_name(study->method), pf_method_summary(study->method),
                  fixed ? "step" : "rtol", "error q", "error v");
  if (multipliers) pf_report_print(r, " %10s", "lambda");
  pf_report_print(r, " %*s %10s %8s %8s %9s\n", multipliers ? 18 : 12, fixed ? "order of each" : "", "violation",
                  "steps", "evals", "ms");
  pf_report_open(r, NULL);
  pf_report_string(r, "method", pf_method_name(study->method));
  pf_report_bool(r, "fixed_step", fixed);
  pf_report_open(r, "levels");
  for (int k = 0; k < LEVELS; k++) {
    report_level(study, study->level + k, r);
    print_level(c, study, study->level + k, r);
  }
  pf_report_close(r);
  pf_report_close(r);
}

static void write_report(void *user, PfReport *r)
{
  const Converge *c = user;
  pf_report_string(r, "model", pf_model_label(c->s.model));
  pf_report_number(r, "t_end", c->settings.t_end);
  pf_report_print(r, "%s to t = %.6g, largest errors at %d instants against dop853 at 1e-13\n",
                  pf_model_label(c->s.model), c->settings.t_end, SAMPLES);
  pf_report_open(r, "methods");
  for (int i = 0; i < c->count; i++) report_study(c, c->study + i, r);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- the picture */

/* The order by which the errors fall with the step: least squares in logarithms, as far as they fall. NaN for one
 * level. */
static double fall_of(const Study *study, const double *error)
{
  double x = 0, y = 0, xx = 0, xy = 0;
  int first = 0, end;
  while (first < LEVELS && isnan(error[first])) first++;
  for (end = first < LEVELS ? first + 1 : first; end < LEVELS && error[end] < error[end - 1];) end++;
  for (int k = first; k < end; k++) x += log(study->level[k].size)/(end - first), y += log(error[k])/(end - first);
  for (int k = first; k < end; k++) {
    double dx = log(study->level[k].size) - x;
    xx += dx*dx;
    xy += dx*(log(error[k]) - y);
  }
  return xx > 0 ? xy/xx : NAN;
}

static PfStatus make_series(const Converge *c, int i, PfSeries *series)
{
  const PfMarkShape shapes[] = {PF_MARK_CIRCLE, PF_MARK_SQUARE, PF_MARK_TRIANGLE};
  double *error = pf_arena_array(c->s.arena, double, LEVELS), *work = pf_arena_array(c->s.arena, double, LEVELS);
  char *note = pf_arena_alloc(c->s.arena, 80, 1);
  if (!error || !work || !note) return pf_no_room(c->s.ctx, "the picture");
  /* Errors of coordinates and evaluations of the levels. Those that do not reach the end, and errors of rounding,
   * are gaps. */
  const Study *study = c->study + i;
  for (int k = 0; k < LEVELS; k++) {
    const Level *l = study->level + k;
    bool says = l->done && l->q > 1e-12*c->size_q && l->evaluations > 0;
    error[k] = says ? l->q : NAN;
    work[k] = (double)l->evaluations;
  }
  double order = c->study[i].fixed ? fall_of(c->study + i, error) : NAN; /* the table has none of a tolerance either */
  if (isnan(order)) snprintf(note, 80, "%s", pf_method_name(c->study[i].method));
  else snprintf(note, 80, "%s (order %s%.1f)", pf_method_name(c->study[i].method), order < 0 ? "−" : "", fabs(order));
  *series = (PfSeries){.count = LEVELS, .x = work, .y = error, .note = note, .color = i, .dash = (PfDash)(i/8%3),
                       .mark = shapes[i%3], .joined = true};
  return PF_OK;
}

static PfStatus draw(Converge *c)
{
  PfSeries series[PF_MOST_METHODS];
  PfText text;
  for (int i = 0; i < c->count; i++) PF_TRY(make_series(c, i, series + i));
  PfChart chart = {.title = pf_model_heading(c->s.model), .x_label = "evaluations",
                   .y_label = "largest error of coordinates (SI)",
                   .count = c->count, .series = series, .log_x = true, .log_y = true};
  pf_text_init(&text, pf_context_allocator(c->s.ctx));
  pf_svg_chart(&text, &chart);
  PfStatus status = pf_task_write(c->s.ctx, c->options, &text);
  pf_text_free(&text);
  return status;
}

static PfStatus run(const PfRequest *options)
{
  Converge c = {.options = options};
  PfStatus status = prepare(&c);
  if (status == PF_OK) status = study_all(&c);
  if (status == PF_OK && options->out) status = draw(&c);
  status = pf_task_report(c.s.ctx, status, options, &c, write_report);
  pf_task_end(&c.motion);
  pf_task_close(&c.s);
  return status;
}
