/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the studies: the state from which they start, and the values of their options. */
#include "task/study.h"
#include "sim/quantities.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text from `first` to `end` without spaces around it. */
static const char *trimmed(const Study *st, const char *first, const char *end)
{
  while (first < end && *first == ' ') first++;
  while (end > first && end[-1] == ' ') end--;
  return pf_arena_text(st->s.arena, first, (size_t)(end - first));
}

/* ---------------------------------------------------------------- beginning */

/* A name of the state, or of an output. */
static bool is_known(const Study *st, const char *name)
{
  const PfModel *model = st->s.model;
  size_t length = strlen(name);
  for (int i = 0; i < model->speed_count; i++)
    if (!strcmp(model->speeds[i].name, name)) return true;
  for (int i = 0; i < model->coordinate_count; i++) {
    size_t own = strlen(model->coordinates[i].name);
    if (!strncmp(model->coordinates[i].name, name, own) && (length == own || !strcmp(name + own, "'"))) return true;
  }
  for (int i = 0; i < st->output_count; i++)
    if (!strcmp(st->output_names[i], name)) return true;
  return !strcmp(name, "t");
}

static void add_output(Study *st, const char *name, PfMeasure measure, PfExpr value)
{
  st->output_names[st->output_count] = name;
  st->output_measures[st->output_count] = measure;
  st->outputs[st->output_count++] = value;
}

/* Quantities that are asked for and have no name yet become outputs, called as they are written. */
static PfStatus add_asked(Study *st, const char *what, const char *text)
{
  Session *s = &st->s;
  for (const char *end; text && *text; text = *end == ',' ? end + 1 : "") {
    end = pf_piece_end(text, ",=");
    const char *name = trimmed(st, text, end);
    PfPlot *plots;
    int count;
    if (!name) return pf_no_room(st->s.ctx, "the study");
    if (is_known(st, name)) continue;
    PF_TRY(pf_quantities_find(s->ctx, s->arena, s->model, what, name, &plots, &count));
    if (count != 1 || plots->count != 1)
      return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not one number", what, name);
    add_output(st, name, pf_plot_measure(plots, 0), plots->values[0]);
  }
  return PF_OK;
}

static int count_pieces(const char *text)
{
  int count = 1;
  for (; text && *text; text++) count += *text == ',';
  return count;
}

/* Everything that is plotted; the coordinates when nothing is. A study that moves has the energy and what is asked for,
 * too. */
static PfStatus list_outputs(Study *st)
{
  const PfModel *model = st->s.model;
  const PfRequest *o = st->options;
  int most = model->coordinate_count + 1 + count_pieces(o->show) + count_pieces(o->keep) + count_pieces(o->section);
  for (int i = 0; i < model->plot_count; i++) most += model->plots[i].count;
  PF_TRY(pf_arrays(st->s.ctx, st->s.arena, "the study", PF_ROOM(st->outputs, most), PF_ROOM(st->output_names, most),
                   PF_ROOM(st->output_measures, most)));
  for (int i = 0; i < model->plot_count; i++) {
    /* Each value of a plot once. */
    const PfPlot *plot = model->plots + i;
    for (int k = 0; k < plot->count; k++) {
      bool known = false;
      for (int j = 0; j < st->output_count; j++) known = known || st->outputs[j] == plot->values[k];
      if (!known) add_output(st, plot->labels[k], pf_plot_measure(plot, k), plot->values[k]);
    }
  }
  for (int i = 0; i < model->coordinate_count && !model->plot_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    add_output(st, c->name, pf_model_measure(model, c->name), c->q);
  }
  if (st->moves) {
    const PfEquations *eq = &st->s.equations;
    st->energy = st->output_count;
    add_output(st, "energy", (PfMeasure){"", 1}, pf_expr_add(st->s.ctx, eq->kinetic, eq->potential));
    PF_TRY(add_asked(st, "show", o->show));
    PF_TRY(add_asked(st, "keep", o->keep));
    PF_TRY(add_asked(st, "section", o->section));
  }
  /* What only the equations know is written out; in a study all constraints hold, and nothing is locked. */
  PfContext *ctx = st->s.ctx;
  int count = model->coordinate_count + 2;
  PfExpr *symbol = pf_arena_array(st->s.arena, PfExpr, count), *zero = pf_arena_array(st->s.arena, PfExpr, count);
  if (!symbol || !zero) return pf_no_room(st->s.ctx, "the study");
  for (int i = 0; i < count; i++) zero[i] = pf_expr_int(ctx, 0);
  for (int i = 2; i < count; i++) symbol[i] = model->coordinates[i - 2].held;
  symbol[0] = pf_expr_symbol(ctx, "violation_position()");
  symbol[1] = pf_expr_symbol(ctx, "violation_velocity()");
  PF_TRY(pf_equations_express(ctx, st->s.arena, &st->s.equations, st->outputs, st->output_count));
  return pf_expr_substitute(ctx, st->outputs, st->output_count, symbol, zero, count, st->outputs);
}

PfStatus pf_study_prepare(Study *st)
{
  Session *s = &st->s;
  const PfRequest *options = st->options;
  if (st->by_angles && s->model->ball_count && !s->model->event_count) {
    /* The model with angles in the place of quaternions, from the start that was given. */
    PfQuasi *angles = pf_arena_array(s->arena, PfQuasi, 1);
    PfEquations *original = pf_arena_array(s->arena, PfEquations, 1);
    if (!angles || !original) return pf_no_room(s->ctx, "the study");
    *original = s->equations;
    PF_TRY(pf_angles_make(s->ctx, s->arena, original, angles));
    st->original = s->model;
    s->model = &angles->model;
    s->equations = angles->equations;
  }
  if (!st->moves) pf_task_warn_events(s);
  PF_TRY(pf_system_new(s->ctx, &s->equations, &st->system));
  PF_TRY(pf_task_start(s, options, st->system, &st->values, &st->start));
  PF_TRY(pf_task_need_consistent(s, options, &st->start));
  st->given = pf_task_parameters(s->ctx, s->arena, s->model, options);
  if (!st->given) return PF_ERR_ARGUMENT;
  PF_TRY(list_outputs(st));
  PfOutputs outputs = {st->output_count, st->outputs};
  PF_TRY(pf_dynamics_new(s->ctx, st->system, st->given, &outputs, &st->field));
  PF_TRY(pf_dynamics_place(st->field, st->values));
  return pf_dynamics_chart(st->field, NULL);
}

PfStatus pf_study_restart(Study *st, int parameter, double value)
{
  Session *s = &st->s;
  st->given[parameter] = value;
  PF_TRY(pf_equations_start(s->ctx, &s->equations, st->given, st->values));
  if (st->options->as_given) PF_TRY(pf_start_measure(s->ctx, st->system, st->values, &st->start));
  else if (!(pf_dynamics_residual(st->field, st->values) <= 1e-13))
    PF_TRY(pf_start_correct(s->ctx, st->system, st->values, &st->start));
  PF_TRY(pf_task_need_consistent(s, st->options, &st->start));
  return pf_dynamics_place(st->field, st->values);
}

/* ---------------------------------------------------------------- parameters and ranges */

PfStatus pf_study_parameter(Study *st, const char *what, const char *name, int *parameter)
{
  const PfModel *model = st->s.model;
  *parameter = pf_model_find_parameter(model, name);
  if (*parameter >= 0 && !model->parameters[*parameter].derived) return PF_OK;
  pf_fail(st->s.ctx, PF_ERR_NAME, "@%s: the model has no parameter '%s'", what, name);
  pf_task_hint_parameter(st->s.ctx, model, name);
  return PF_ERR_ARGUMENT;
}

/* :count, or nothing; behind it a unit for all of the range, "[cm]" or "". */
static bool read_count(const char *text, int *count, const char **unit)
{
  char *stop;
  *unit = "";
  if (!*text) return true;
  long given = strtol(text + 1, &stop, 10);
  *count = (int)given;
  *unit = stop + strspn(stop, " ");
  const bool good = !**unit || (**unit == '[' && (*unit)[strlen(*unit) - 1] == ']');
  return stop != text + 1 && good && given >= 2 && given <= 1000000;
}

/* 8-18, 8:18, 8...18, 8 to 18: two numbers with something else than two dots between them. */
static bool hint_dots(Study *st, const char *text)
{
  static const char *const marks[] = {"...", "…", "-", ":", "to"};
  const char *equals = text ? strchr(text, '=') : NULL;
  if (!equals) return false;
  char *first_end, *end;
  const double first = pf_read_double(equals + 1, &first_end);
  if (first_end == equals + 1) return false;
  const char *mark = first_end + strspn(first_end, " ");
  mark -= mark > text && !strncmp(mark, "..", 2) && mark[-1] == '.'; /* 8...18: strtod took one of them */
  for (size_t i = 0; i < sizeof marks/sizeof *marks; i++) {
    size_t length = strlen(marks[i]);
    if (strncmp(mark, marks[i], length) != 0) continue;
    const double second = pf_read_double(mark + length, &end);
    if (end == mark + length) continue;
    pf_hint(st->s.ctx, "write %.*s%g..%g%s", (int)(equals + 1 - text), text, first, second, end);
    return true;
  }
  return false;
}

static PfStatus not_a_range(Study *st, const char *what, const char *text)
{
  pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@%s: not a range", what);
  if (!hint_dots(st, text)) pf_hint(st->s.ctx, "write NAME=from..to, or NAME=from..to:count with a count of 2 or more");
  return PF_ERR_ARGUMENT;
}

PfStatus pf_study_range(Study *st, const char *option, const char *text, Range *range)
{
  const char *equals = strchr(text, '='), *dots = strstr(text, "..");
  char what[256];
  snprintf(what, sizeof what, "%s %s", option, text);
  if (!equals || equals == text || !dots || dots < equals || dots[2] == '.') return not_a_range(st, what, text);
  const char *name = trimmed(st, text, equals), *end = pf_piece_end(dots + 2, ":"), *unit;
  if (!name) return pf_no_room(st->s.ctx, "the study");
  if (!read_count(end, &range->count, &unit)) return not_a_range(st, what, text);
  PF_TRY(pf_study_parameter(st, option, name, &range->parameter));
  double ends[2];
  PF_TRY(pf_study_bounds(st, what, name, equals + 1, end, unit, ends));
  range->from = ends[0];
  range->to = ends[1];
  return range->from == range->to ? not_a_range(st, what, text) : PF_OK;
}

PfStatus pf_study_starts(Study *st, int standard, int *count)
{
  const double most = 1e7, given = st->options->starts;
  *count = isnan(given) ? standard : (int)fmin(given, most);
  return given > most ? pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@starts: more than %.0f are too many", most) : PF_OK;
}

/* theta is shown as "theta [deg]", and meant by its name alone too. */
static bool is_shown_as(const char *name, const char *shown)
{
  size_t length = strlen(name);
  return !strncmp(shown, name, length) && (!shown[length] || (!strncmp(shown + length, " [", 2) && !strchr(name, '[')));
}

/* NAME=a..b up to the end or a comma. What `plane` shows is in the unit in which it is shown. */
static PfStatus read_interval(Study *st, const char *what, const Plane *plane, const char *text, PfInterval *interval,
                              const char **after)
{
  const char *end = pf_piece_end(text, ","), *equals = strchr(text, '='), *dots = strstr(text, "..");
  *after = end;
  if (equals && dots && equals < dots && dots < end && dots[2] != '.') {
    interval->name = trimmed(st, text, equals);
    if (!interval->name) return pf_no_room(st->s.ctx, "the study");
    for (int k = 0; plane && k < 2; k++)
      if (is_shown_as(interval->name, plane->names[k])) interval->name = plane->names[k];
    double ends[2];
    PF_TRY(pf_study_bounds(st, what, interval->name, equals + 1, end, "", ends));
    interval->low = ends[0];
    interval->high = ends[1];
    if (interval->low <= interval->high) return PF_OK;
  }
  pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@%s: not a list of intervals", what);
  if (!hint_dots(st, trimmed(st, text, end)))
    pf_hint(st->s.ctx, "write NAME=low..high,NAME=low..high with names of the state");
  return PF_ERR_ARGUMENT;
}

static PfStatus read_within(Study *st, const char *text, const Plane *plane, PfSteadyOptions *options)
{
  char what[256];
  snprintf(what, sizeof what, "within %s", text);
  PfInterval *list = pf_arena_array(st->s.arena, PfInterval, count_pieces(text));
  if (!list) return pf_no_room(st->s.ctx, "the study");
  options->intervals = list;
  for (const char *c = text; *c; c += *c == ',')
    PF_TRY(read_interval(st, what, plane, c, list + options->interval_count++, &c));
  return PF_OK;
}

PfStatus pf_study_search(Study *st, PfSteadyOptions *options)
{
  PF_TRY(pf_study_starts(st, 100, &options->starts));
  return st->options->within ? read_within(st, st->options->within, NULL, options) : PF_OK;
}

/* ---------------------------------------------------------------- quantities */

PfStatus pf_study_quantity(Study *st, const char *what, const char *name, PfQuantity *quantity)
{
  if (pf_dynamics_quantity(st->field, name, quantity)) return PF_OK;
  for (int i = 0; i < st->output_count; i++)
    if (!strcmp(st->output_names[i], name)) {
      *quantity = (PfQuantity){.output = true, .index = i};
      return PF_OK;
    }
  const PfModel *model = st->s.model;
  PfText text;
  pf_text_init(&text, pf_context_allocator(st->s.ctx));
  for (int i = 0; i < model->speed_count; i++) pf_text_print(&text, "%s, ", model->speeds[i].name);
  for (int i = 0; i < model->coordinate_count; i++)
    pf_text_print(&text, "%s, %s', ", model->coordinates[i].name, model->coordinates[i].name);
  for (int i = 0; i < st->output_count; i++) pf_text_print(&text, "%s%s", i ? ", " : "", st->output_names[i]);
  pf_fail(st->s.ctx, PF_ERR_NAME, "@%s: there is no quantity '%s'", what, name);
  pf_hint(st->s.ctx, "known are: %s", pf_text_get(&text));
  pf_text_free(&text);
  return PF_ERR_ARGUMENT;
}

/* Names separated by commas (not those in brackets), at most `most`. */
static PfStatus split_names(Study *st, const char *what, const char *text, int most, const char **names, int *count)
{
  int depth = 0;
  const char *first = text;
  for (const char *c = text;; c++) {
    depth += *c == '(' || *c == '[';
    depth -= *c == ')' || *c == ']';
    if (*c && (*c != ',' || depth > 0)) continue;
    if (*count == most) return pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@%s{%s}: at most %d names", what, text, most);
    names[*count] = trimmed(st, first, c);
    if (!names[(*count)++]) return pf_no_room(st->s.ctx, "the study");
    if (!*c) return PF_OK;
    first = c + 1;
  }
}

PfStatus pf_study_handle(Study *st, const char *name, PfQuantity quantity, int *handle)
{
  bool energy = quantity.output && quantity.index == st->energy; /* a name of the studies only */
  *handle = pf_sim_find(st->motion.sim, energy ? "kinetic + potential" : name);
  return *handle >= 0 ? PF_OK : pf_sim_error(st->motion.sim)->status;
}

PfStatus pf_study_move(Study *st, double rtol, double *span)
{
  Motion *m = &st->motion;
  PfRunOptions *o = &m->settings;
  int before_count = pf_diagnostic_count(st->s.ctx);
  PF_TRY(pf_task_place(m, &st->s, st->options));
  pf_diagnostics_truncate(st->s.ctx, before_count); /* what there is to say of the start was said */
  if (isnan(st->options->rtol) && !(o->rtol > 0 && o->rtol < rtol)) o->rtol = rtol;
  if (isnan(st->options->atol)) o->atol = fmin(o->atol, o->rtol/100); /* 0: in proportion */
  *span = o->t_end - m->t0;
  return pf_sim_set_options(m->sim, o) ? PF_OK : pf_sim_error(m->sim)->status;
}

static PfStatus take_within(Study *st, Plane *plane)
{
  PfSteadyOptions options = {0};
  PF_TRY(read_within(st, st->options->within, plane, &options));
  for (int i = 0; i < options.interval_count; i++) {
    int found = -1;
    for (int k = 0; k < 2; k++)
      if (!strcmp(plane->names[k], options.intervals[i].name)) found = k;
    if (found < 0)
      return pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@within: '%s' is not one of the two that are shown, %s and %s",
                     options.intervals[i].name, plane->names[0], plane->names[1]);
    plane->at.low[found] = options.intervals[i].low, plane->at.high[found] = options.intervals[i].high;
  }
  return PF_OK;
}

PfStatus pf_study_plane(Study *st, Plane *plane)
{
  const char *show = st->options->show, *keep = st->options->keep;
  PfPlane *at = &plane->at;
  int count = 0;
  if (!show) {
    pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@show is missing: the two quantities of the plane");
    pf_hint(st->s.ctx, "as in @show{\"theta,theta'\"}");
    return PF_ERR_ARGUMENT;
  }
  PF_TRY(split_names(st, "show", show, 2, plane->names, &count));
  if (count != 2) return pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@show{%s}: two names with a comma between them", show);
  for (int k = 0; k < 2; k++) {
    PF_TRY(pf_study_quantity(st, "show", plane->names[k], at->show + k));
    PF_TRY(pf_study_handle(st, plane->names[k], at->show[k], at->handle + k));
  }
  at->keep = plane->keep;
  if (keep) PF_TRY(split_names(st, "keep", keep, 16, plane->keep_names, &at->keep_count));
  for (int k = 0; k < at->keep_count; k++)
    PF_TRY(pf_study_quantity(st, "keep", plane->keep_names[k], plane->keep + k));
  /* A unit and its own size around where the quantity is now. */
  const PfSymbols *in = pf_system_symbols(st->system);
  double *outputs = pf_arena_array(st->s.arena, double, st->output_count);
  if (!outputs) return pf_no_room(st->s.ctx, "the study");
  PF_TRY(pf_dynamics_outputs(st->field, outputs));
  for (int k = 0; k < 2; k++) {
    double now = 0;
    if (at->show[k].output) now = outputs[at->show[k].index];
    else if (at->show[k].index < in->count) now = st->values[at->show[k].index];
    if (!isfinite(now)) now = 0;
    at->low[k] = now - 1 - fabs(now), at->high[k] = now + 1 + fabs(now);
  }
  return st->options->within ? take_within(st, plane) : PF_OK;
}
