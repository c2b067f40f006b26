/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study linearize: A, B, C, D at a state, along a motion, or over a range of a parameter. */
#include "cli/linear_chart.h"
#include "cli/motion.h"
#include "cli/study.h"
#include "out/label.h"
#include "out/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int run(const Console *console, int argc, char **argv);

/* Options of the motion along which to linearize. */
#define LINEARIZE_RUN "by step rtol atol adaptive rho printed no-projection keep-going most-steps form "

static const OptionHelp own[] = {
  {.name = "at", .help = "along the motion, at these times"},
  {.name = "out", .help = "writes the matrices to a file, or a picture of the eigenvalues"},
  {0}};

static const OptionNeed needs[] = {
  {.names = LINEARIZE_RUN, .with = "at"}, {.names = "at", .without = "sweep"},
  {0}};

const Command pf_study_linearize = {
  .name = "study linearize", .summary = "the linear model x' = A x + B u, y = C x + D u, its modes, what inputs reach",
  .operands = "FILE",
  .about = "Linearizes at the start of the model, changed by --state and --time. The state is minimal: holonomic "
           "constraints take coordinates away, nonholonomic ones velocities. Inputs are the model's; outputs are what "
           "it plots, or its coordinates when it plots nothing. Derivatives are exact. The options of a run go with "
           "--at.",
  .takes = TAKES_STATE "native " LINEARIZE_RUN "at near sweep inputs out json ",
  .writes = {"csv", "json", "mat", "py", WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "pfaff study linearize --sweep v=0..10:101 --out modes.svg examples/wheels/bicycle.pf\n",
  .run = run};

typedef struct Point {
  double at; /* time, or the value of the parameter */
  PfLinear linear;
} Point;

typedef struct Linearize {
  Study st; /* first: the other functions know only it */
  int input_count, *inputs;
  const char **input_names;
  int count;
  Point *points;
  const char *along; /* what `at` is: "t" or the parameter; NULL: one point */
  Motion *motion;    /* with --at */
} Linearize;

/* ---------------------------------------------------------------- inputs */

static PfStatus find_input(Study *st, const char *name, int *input)
{
  const PfModel *model = st->s.model;
  for (int i = 0; i < model->input_count; i++)
    if (!strcmp(model->inputs[i].name, name)) {
      *input = i;
      return PF_OK;
    }
  int parameter;
  PF_TRY(pf_study_parameter(st, "--inputs", name, &parameter));
  *input = -1 - parameter;
  return PF_OK;
}

static PfStatus read_inputs(Linearize *l, const char *list)
{
  Study *st = &l->st;
  const PfModel *model = st->s.model;
  int most = model->input_count + 1;
  for (const char *c = list; c && *c; c++) most += *c == ',';
  l->inputs = pf_arena_array(st->s.arena, int, most);
  l->input_names = pf_arena_array(st->s.arena, const char *, most);
  if (!l->inputs || !l->input_names) return pf_no_room(st->s.ctx, "the study");
  for (int i = 0; i < model->input_count && !list; i++, l->input_count++)
    l->inputs[i] = i, l->input_names[i] = model->inputs[i].name;
  while (list && *list) {
    size_t length = strcspn(list, ",");
    const char *name = pf_arena_text(st->s.arena, list, length);
    if (!name) return pf_no_room(st->s.ctx, "the study");
    PF_TRY(find_input(st, name, l->inputs + l->input_count));
    l->input_names[l->input_count++] = name;
    list += length + (list[length] == ',');
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- points */

/* From SI to the units of its rows and columns. */
static void show_matrix(const Study *st, double *values, const char *const *rows, int row_count,
                        const char *const *columns, int column_count)
{
  for (int i = 0; i < row_count; i++)
    for (int j = 0; j < column_count; j++) {
      double factor = pf_study_measure(st, columns[j]).scale/pf_study_measure(st, rows[i]).scale;
      if (factor != 1) values[(size_t)i*(size_t)column_count + (size_t)j] *= factor;
    }
}

/* The modes stay in SI: which states move most is a question of nature, not of units. */
static void show(const Linearize *l, PfLinear *m)
{
  const Study *st = &l->st;
  const char *const *x = m->state_names, *const *u = l->input_names, *const *y = st->output_names;
  pf_study_show(st, x, m->states, m->x);
  pf_study_show(st, x, m->states, m->rate);
  show_matrix(st, m->A, x, m->states, x, m->states);
  show_matrix(st, m->B, x, m->states, u, m->inputs);
  show_matrix(st, m->C, y, m->outputs, x, m->states);
  show_matrix(st, m->D, y, m->outputs, u, m->inputs);
}

static PfStatus add_point(Linearize *l, double at)
{
  Study *st = &l->st;
  Point *p = l->points + l->count++;
  p->at = l->along ? at/pf_study_measure(st, l->along).scale : at;
  PF_TRY(pf_linearize(st->s.ctx, st->s.arena, st->field, l->inputs, l->input_count, &p->linear));
  show(l, &p->linear);
  return PF_OK;
}

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Linearize *l = user;
  Study *st = &l->st;
  const PfSymbols *in = pf_system_symbols(st->system);
  st->values[in->time] = sample->t;
  pf_cli_pick(l->motion, sample, st->values + in->q, st->values + in->v, NULL);
  PF_TRY(pf_evaluate_inputs(st->s.ctx, st->s.model, in, st->values));
  PF_TRY(pf_dynamics_place(st->field, st->values));
  return add_point(l, sample->t);
}

static PfStatus follow(Linearize *l, Motion *m)
{
  l->motion = m;
  Study *st = &l->st;
  PfRunOptions *o = &m->settings;
  PfRunResult result;
  int told = pf_diagnostic_count(st->s.ctx);
  PF_TRY(pf_cli_place(m, &st->s, st->options));
  pf_diagnostics_cut(st->s.ctx, told); /* what there is to say of the start was said */
  o->without_events = true;
  if (o->at_count && o->t_end < o->at[o->at_count - 1]) o->t_end = o->at[o->at_count - 1];
  l->points = pf_arena_array(st->s.arena, Point, o->at_count);
  if (!l->points) return pf_no_room(st->s.ctx, "the study");
  l->along = "t";
  PF_TRY(pf_cli_begin(m));
  int before = pf_error_count(st->s.ctx);
  PF_TRY(pf_cli_move(m, take_sample, NULL, l, &result));
  if (pf_error_count(st->s.ctx) > before) return PF_ERR_NUMBER;
  return l->count == o->at_count
             ? PF_OK
             : pf_fail(st->s.ctx, PF_ERR_NUMBER, "the motion ends at t = %.6g, before the last time of --at", result.t);
}

static PfStatus along_motion(Linearize *l)
{
  Motion motion = {0};
  PfStatus status = follow(l, &motion);
  pf_cli_end(&motion);
  return status;
}

/* Moves the state to the equilibrium or steady motion next to it. */
static PfStatus go_near(Linearize *l, const char *what)
{
  Study *st = &l->st;
  const PfSymbols *in = pf_system_symbols(st->system);
  size_t n = (size_t)st->s.equations.n;
  bool rest = !strcmp(what, "equilibrium");
  PfSteadyOptions options = {.kind = rest ? PF_EQUILIBRIA : PF_STEADY};
  PfSteady found;
  if (!rest && strcmp(what, "steady"))
    return pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "--near %s: write 'equilibrium' or 'steady'", what);
  PF_TRY(pf_steady_find(st->s.ctx, st->s.arena, st->field, &options, &found));
  if (!found.count) {
    pf_fail(st->s.ctx, PF_ERR_NUMBER, "no %s was found near the start, from %d places",
            rest ? "equilibrium" : "steady motion", found.starts);
    pf_hint(st->s.ctx, "'pfaff study %s' looks in more places; give one by --state", rest ? "equilibria" : "steady");
    return PF_ERR_NUMBER;
  }
  const PfSteadyPoint *point = found.points; /* the nearest */
  memcpy(st->values + in->q, point->q, n*sizeof *st->values);
  memcpy(st->values + in->v, point->v, n*sizeof *st->values);
  PF_TRY(pf_dynamics_place(st->field, st->values));
  return pf_dynamics_chart(st->field, NULL);
}

static PfStatus over_range(Linearize *l)
{
  Study *st = &l->st;
  Range range = {.count = 101};
  const char *near = st->options->near;
  PF_TRY(pf_study_range(st, "--sweep", st->options->sweep, &range));
  l->points = pf_arena_array(st->s.arena, Point, range.count);
  if (!l->points) return pf_no_room(st->s.ctx, "the study");
  l->along = st->s.model->parameters[range.parameter].name;
  for (int k = 0; k < range.count; k++) {
    double value = range.from + (range.to - range.from)*k/(range.count - 1);
    PF_TRY(pf_study_restart(st, range.parameter, value));
    if (near) PF_TRY(go_near(l, near));
    PF_TRY(add_point(l, value));
  }
  return PF_OK;
}

static PfStatus write_file(Linearize *l);

static PfStatus work(Study *st)
{
  Linearize *l = (Linearize *)st;
  const PfSymbols *in = pf_system_symbols(st->system);
  PF_TRY(read_inputs(l, st->options->inputs));
  const char *near = st->options->near, *sweep = st->options->sweep;
  if (near && !sweep) PF_TRY(go_near(l, near));
  if (sweep) PF_TRY(over_range(l));
  else if (st->options->at) PF_TRY(along_motion(l));
  else {
    l->points = pf_arena_array(st->s.arena, Point, 1);
    if (!l->points) return pf_no_room(st->s.ctx, "the study");
    PF_TRY(add_point(l, st->values[in->time]));
  }
  return st->options->out ? write_file(l) : PF_OK;
}

/* ---------------------------------------------------------------- text */

static void text_names(PfText *text, const char *what, const char *const *names, int count)
{
  pf_text_print(text, "  %-9s", what);
  for (int i = 0; i < count; i++) pf_text_print(text, "%s%s", i ? ", " : "", names[i]);
  pf_text_add(text, count ? "\n" : "none\n");
}

/* Files have every digit; on the terminal what is nothing but rounding is not shown. */
static void text_matrix(PfText *text, const char *title, const double *values, const char *const *rows,
                        const char *mark, int row_count, const char *const *columns, int column_count)
{
  if (!row_count || !column_count) return;
  enum { WIDEST = 20 };
  double most = pf_largest(values, row_count*column_count);
  int width = 11;
  for (int j = 0; j < column_count; j++) width = (int)strlen(columns[j]) > width ? (int)strlen(columns[j]) : width;
  width = width > WIDEST ? WIDEST : width;
  pf_text_print(text, "\n  %-12s", title);
  for (int j = 0; j < column_count; j++) pf_text_print(text, " %*.*s", width, width, columns[j]);
  pf_text_add(text, "\n");
  for (int i = 0; i < row_count; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", rows[i], mark);
    pf_text_print(text, "  %-12s", name);
    for (int j = 0; j < column_count; j++) {
      double value = pf_without_noise(values[(size_t)i*(size_t)column_count + (size_t)j], most);
      if (value == 0) pf_text_print(text, " %*s", width, ".");
      else pf_text_print(text, " %*.5g", width, value);
    }
    pf_text_add(text, "\n");
  }
}

/* The states with the largest parts in the mode k. */
static void text_mode(PfText *text, const PfLinear *m, int k)
{
  int n = m->states;
  double most = 0;
  bool pair = m->im[k] != 0;
  for (int i = 0; i < n; i++) {
    double part = hypot(m->modes[i*n + k], pair ? m->modes[i*n + k + 1] : 0);
    most = fmax(most, part);
  }
  const char *comma = "";
  for (int i = 0; i < n; i++) {
    double part = hypot(m->modes[i*n + k], pair ? m->modes[i*n + k + 1] : 0);
    if (!(part >= 0.3*most)) continue;
    pf_text_print(text, "%s%s", comma, m->state_names[i]);
    comma = ", ";
  }
  pf_text_add(text, "\n");
}

static void text_eigenvalues(PfText *text, const PfLinear *m)
{
  pf_text_print(text, "\n  %-34s %12s %9s  %s\n", "eigenvalue [1/s]", "[rad/s]", "damping", "moves mostly");
  for (int k = 0; k < m->states; k++) {
    char value[64];
    double re = m->re[k], im = m->im[k], size = hypot(re, im);
    if (im < 0) continue;
    if (im > 0) snprintf(value, sizeof value, "%.10g +- %.10g i", re, im);
    else snprintf(value, sizeof value, "%.10g", re);
    pf_text_print(text, "  %-34s %12.5g", value, size);
    if (size > 0) pf_text_print(text, " %9.4f  ", pf_without_noise(-re/size, 5e8)); /* four places: never -0.0000 */
    else pf_text_print(text, " %9s  ", "-");
    text_mode(text, m, k);
  }
}

/* What the deviations are deviations from. */
static void text_rest(PfText *text, Study *st, const PfLinear *m)
{
  int which = 0;
  for (int i = 0; i < m->states; i++)
    if (fabs(m->rate[i]) > fabs(m->rate[which])*PF_LARGER) which = i;
  if (m->motion == PF_MOTION_REST) pf_text_add(text, "  at rest  yes: an equilibrium\n");
  else if (m->motion == PF_MOTION_STEADY)
    pf_text_print(text, "  steady   yes: (%s)' = %.6g, …, and nothing else changes or depends on it\n",
                  pf_study_word(st, m->state_names[which]), m->rate[which]);
  else
    pf_text_print(text, "  at rest  no: (%s)' = %.6g, …; this is the model of small deviations at that instant\n",
                  pf_study_word(st, m->state_names[which]), m->rate[which]);
}

static void text_ranks(PfText *text, const PfLinear *m)
{
  if (m->inputs) pf_text_print(text, "\n  inputs reach %d of %d states%s\n", m->controllable, m->states,
                               m->controllable == m->states ? ": controllable" : "");
  if (m->outputs) pf_text_print(text, "%s  outputs see %d of %d states%s\n", m->inputs ? "" : "\n", m->observable,
                                m->states, m->observable == m->states ? ": observable" : "");
}

static void text_point(PfText *text, Linearize *l, const PfLinear *m)
{
  Study *st = &l->st;
  text_names(text, "states", pf_study_words(st, m->state_names, m->states), m->states);
  text_names(text, "inputs", pf_study_words(st, l->input_names, m->inputs), m->inputs);
  text_names(text, "outputs", pf_study_words(st, l->st.output_names, m->outputs), m->outputs);
  text_rest(text, st, m);
  text_matrix(text, "A", m->A, m->state_names, "", m->states, m->state_names, m->states);
  text_matrix(text, "B", m->B, m->state_names, "", m->states, l->input_names, m->inputs);
  text_matrix(text, "C", m->C, l->st.output_names, "", m->outputs, m->state_names, m->states);
  text_matrix(text, "D", m->D, l->st.output_names, "", m->outputs, l->input_names, m->inputs);
  text_eigenvalues(text, m);
  text_ranks(text, m);
}

static void text_table(PfText *text, Linearize *l)
{
  text_names(text, "states", l->points[0].linear.state_names, l->points[0].linear.states);
  pf_text_print(text, "\n  %12s  eigenvalues [1/s]\n", pf_study_word(&l->st, l->along));
  for (int p = 0; p < l->count; p++) {
    const PfLinear *m = &l->points[p].linear;
    pf_text_print(text, "  %12.6g", l->points[p].at);
    for (int k = 0; k < m->states; k++) {
      double re = m->re[k], im = m->im[k];
      if (im < 0) continue;
      if (im > 0) pf_text_print(text, "  %.6g+-%.6gi", re, im);
      else pf_text_print(text, "  %.6g", re);
    }
    pf_text_add(text, "\n");
  }
}

static void write_text(void *user, PfText *text)
{
  Linearize *l = user;
  const Study *st = &l->st;
  pf_text_print(text, "%s: linear model", pf_cli_name(st->s.model));
  if (l->along) pf_text_print(text, " at %d values of %s\n\n", l->count, l->along);
  else pf_text_print(text, " at t = %.6g\n\n", l->points[0].at);
  if (l->count == 1) text_point(text, l, &l->points[0].linear);
  else text_table(text, l);
}

/* ---------------------------------------------------------------- JSON */

static void json_eigenvalues(PfJson *json, const Study *st, const PfLinear *m)
{
  int n = m->states;
  pf_json_open(json, "eigenvalues", '[');
  for (int k = 0; k < n; k++) {
    double size = hypot(m->re[k], m->im[k]);
    pf_json_open(json, NULL, '{');
    pf_json_number(json, "re", m->re[k]);
    pf_json_number(json, "im", m->im[k]);
    pf_json_number(json, "frequency", size);
    pf_json_number(json, "damping", size > 0 ? -m->re[k]/size : NAN);
    int first = m->im[k] < 0 ? k - 1 : k; /* columns of the pair */
    double sign = m->im[k] < 0 ? -1 : 1;
    pf_json_open(json, "mode_re", '[');
    for (int i = 0; i < n; i++)
      pf_json_number(json, NULL, m->modes[i*n + first]/pf_study_measure(st, m->state_names[i]).scale);
    pf_json_close(json, ']');
    pf_json_open(json, "mode_im", '[');
    for (int i = 0; i < n; i++)
      pf_json_number(json, NULL,
                     m->im[k] != 0 ? sign*m->modes[i*n + first + 1]/pf_study_measure(st, m->state_names[i]).scale : 0);
    pf_json_close(json, ']');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void json_point(PfJson *json, const Study *st, const Point *p)
{
  const PfLinear *m = &p->linear;
  pf_json_open(json, NULL, '{');
  pf_json_number(json, "at", p->at);
  pf_study_json_numbers(json, "x", m->x, m->states);
  pf_study_json_numbers(json, "rate", m->rate, m->states);
  static const char *const kinds[] = {"rest", "steady", "changing"};
  pf_json_string(json, "motion", kinds[m->motion]);
  pf_study_json_matrix(json, "A", m->A, m->states, m->states);
  pf_study_json_matrix(json, "B", m->B, m->states, m->inputs);
  pf_study_json_matrix(json, "C", m->C, m->outputs, m->states);
  pf_study_json_matrix(json, "D", m->D, m->outputs, m->inputs);
  json_eigenvalues(json, st, m);
  pf_json_integer(json, "controllable", m->controllable);
  pf_json_integer(json, "observable", m->observable);
  pf_json_close(json, '}');
}

static void write_json(void *user, PfJson *json)
{
  const Linearize *l = user;
  const Study *st = &l->st;
  const PfLinear *m = &l->points[0].linear;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(st->s.model));
  pf_json_string(json, "along", l->along ? l->along : "t");
  pf_json_string(json, "along_unit", pf_study_measure(st, l->along ? l->along : "t").unit);
  pf_study_json_names(json, "states", m->state_names, m->states);
  pf_study_json_names(json, "inputs", l->input_names, m->inputs);
  pf_study_json_names(json, "outputs", st->output_names, m->outputs);
  pf_study_json_units(st, json, "state_units", m->state_names, m->states);
  pf_study_json_units(st, json, "input_units", l->input_names, m->inputs);
  pf_study_json_units(st, json, "output_units", st->output_names, m->outputs);
  pf_json_open(json, "points", '[');
  for (int p = 0; p < l->count; p++) json_point(json, st, l->points + p);
  pf_json_close(json, ']');
  pf_cli_json_diagnostics(st->s.ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- files */

typedef struct Matrix {
  const char *name;
  const double *values;
  int rows, columns;
  const char *const *row_names, *const *column_names;
} Matrix;

static void list_matrices(const Linearize *l, const PfLinear *m, Matrix list[4])
{
  const char *const *x = m->state_names, *const *u = l->input_names, *const *y = l->st.output_names;
  list[0] = (Matrix){"A", m->A, m->states, m->states, x, x};
  list[1] = (Matrix){"B", m->B, m->states, m->inputs, x, u};
  list[2] = (Matrix){"C", m->C, m->outputs, m->states, y, x};
  list[3] = (Matrix){"D", m->D, m->outputs, m->inputs, y, u};
}

static void file_csv(Linearize *l, PfText *text)
{
  Matrix list[4];
  pf_csv_put(text, pf_study_word(&l->st, l->along ? l->along : "t"), "");
  pf_text_add(text, ",matrix,row,column,value\n");
  for (int p = 0; p < l->count; p++) {
    list_matrices(l, &l->points[p].linear, list);
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < list[k].rows; i++)
        for (int j = 0; j < list[k].columns; j++) {
          pf_text_print(text, "%.17g,%s,", l->points[p].at, list[k].name);
          pf_csv_put(text, pf_study_word(&l->st, list[k].row_names[i]), "");
          pf_text_add(text, ",");
          pf_csv_put(text, pf_study_word(&l->st, list[k].column_names[j]), "");
          pf_text_print(text, ",%.17g\n", list[k].values[(size_t)i*(size_t)list[k].columns + (size_t)j]);
        }
  }
}

static void python_names(PfText *text, const char *name, const char *const *names, int count)
{
  pf_text_print(text, "%s = [", name);
  for (int i = 0; i < count; i++) {
    pf_text_add(text, i ? ", " : "");
    pf_put_quoted(text, names[i]);
  }
  pf_text_add(text, "]\n");
}

static void python_units(PfText *text, const Linearize *l, const char *name, const char *const *names, int count)
{
  pf_text_print(text, "%s = [", name);
  for (int i = 0; i < count; i++) {
    pf_text_add(text, i ? ", " : "");
    pf_put_quoted(text, pf_study_measure(&l->st, names[i]).unit);
  }
  pf_text_add(text, "]\n");
}

static void python_matrix(PfText *text, const Matrix *m)
{
  pf_text_add(text, "[");
  for (int i = 0; i < m->rows; i++) {
    pf_text_add(text, i ? ",\n     [" : "[");
    for (int j = 0; j < m->columns; j++)
      pf_text_print(text, "%s%.17g", j ? ", " : "", m->values[(size_t)i*(size_t)m->columns + (size_t)j]);
    pf_text_add(text, "]");
  }
  pf_text_add(text, "]");
}

/* One point: A is a matrix. Several: A[k] is the matrix at the point k. */
static void file_python(Linearize *l, PfText *text)
{
  const PfLinear *first = &l->points[0].linear;
  Matrix list[4];
  pf_text_add(text, "# ");
  pf_put_printable(text, pf_cli_name(l->st.s.model)); /* it may be the name of a file: no line end leaves the comment */
  pf_text_add(text, ": linear model x' = A x + B u, y = C x + D u\nimport numpy as np\n\n");
  python_names(text, "states", first->state_names, first->states);
  python_names(text, "inputs", l->input_names, first->inputs);
  python_names(text, "outputs", l->st.output_names, first->outputs);
  python_units(text, l, "state_units", first->state_names, first->states);
  python_units(text, l, "input_units", l->input_names, first->inputs);
  python_units(text, l, "output_units", l->st.output_names, first->outputs);
  if (l->count > 1) {
    pf_text_add(text, "at = np.array([");
    for (int p = 0; p < l->count; p++) pf_text_print(text, "%s%.17g", p ? ", " : "", l->points[p].at);
    pf_text_add(text, "])  # ");
    pf_put_printable(text, pf_study_head(&l->st, l->along));
    pf_text_add(text, "\n");
  }
  for (int k = 0; k < 4; k++) {
    list_matrices(l, first, list);
    pf_text_print(text, "%s = np.array(%s", list[k].name, l->count > 1 ? "[" : "");
    for (int p = 0; p < l->count; p++) {
      list_matrices(l, &l->points[p].linear, list);
      if (p) pf_text_add(text, ",\n    ");
      python_matrix(text, list + k);
    }
    pf_text_print(text, "%s).reshape(%s%d, %d)\n", l->count > 1 ? "]" : "", l->count > 1 ? "len(at), " : "",
                  list[k].rows, list[k].columns);
  }
}

static void mat_units(PfText *text, const Linearize *l, const char *name, const char *const *names, int count)
{
  const char **units = pf_arena_array(l->st.s.arena, const char *, count);
  for (int i = 0; units && i < count; i++) units[i] = pf_study_measure(&l->st, names[i]).unit;
  if (units) pf_mat_texts(text, name, units, count);
}

/* One point: A, B, C, D. Several: A1, A2, … and `at`. */
static void file_mat(const Linearize *l, PfText *text)
{
  const PfLinear *first = &l->points[0].linear;
  Matrix list[4];
  pf_mat_texts(text, "states", first->state_names, first->states);
  pf_mat_texts(text, "inputs", l->input_names, first->inputs);
  pf_mat_texts(text, "outputs", l->st.output_names, first->outputs);
  mat_units(text, l, "state_units", first->state_names, first->states);
  mat_units(text, l, "input_units", l->input_names, first->inputs);
  mat_units(text, l, "output_units", l->st.output_names, first->outputs);
  for (int p = 0; p < l->count; p++) {
    list_matrices(l, &l->points[p].linear, list);
    for (int k = 0; k < 4; k++) {
      char name[32];
      if (l->count > 1) snprintf(name, sizeof name, "%s%d", list[k].name, p + 1);
      pf_mat_matrix(text, l->count > 1 ? name : list[k].name, list[k].values, list[k].rows, list[k].columns);
    }
  }
  double *at = pf_arena_array(l->st.s.arena, double, l->count);
  for (int p = 0; at && p < l->count; p++) at[p] = l->points[p].at;
  if (at) pf_mat_matrix(text, "at", at, 1, l->count);
}

/* One point: eigenvalues in the complex plane. Several: real and imaginary parts against the parameter or time. */
static PfStatus file_svg(Linearize *l, PfText *text)
{
  const char *title = pf_cli_title(l->st.s.model);
  if (l->count == 1) return pf_linear_plane(&l->st, title, &l->points[0].linear, text);
  const PfLinear **list = pf_arena_array(l->st.s.arena, const PfLinear *, l->count);
  double *at = pf_arena_array(l->st.s.arena, double, l->count);
  if (!list || !at) return pf_no_room(l->st.s.ctx, "the study");
  for (int p = 0; p < l->count; p++) list[p] = &l->points[p].linear, at[p] = l->points[p].at;
  return pf_linear_sweep(&l->st, &(LinearSweep){title, pf_study_head(&l->st, l->along), l->count, at, list}, text);
}

static PfStatus write_file(Linearize *l)
{
  Study *st = &l->st;
  PfJson json; /* its text serves all */
  PfStatus status = PF_OK;
  pf_json_begin(&json, pf_context_allocator(st->s.ctx));
  if (pf_cli_out_is(st->options, "csv")) file_csv(l, &json.text);
  else if (pf_cli_out_is(st->options, "py")) file_python(l, &json.text);
  else if (pf_cli_out_is(st->options, "mat")) file_mat(l, &json.text);
  else if (pf_cli_out_is(st->options, "json")) write_json(l, &json);
  else status = file_svg(l, &json.text);
  if (status == PF_OK) status = pf_cli_write(st->s.ctx, st->options, &json.text);
  pf_json_free(&json);
  return status;
}

static int run(const Console *console, int argc, char **argv)
{
  Linearize l = {0};
  int code = pf_study_run(&pf_study_linearize, console, argc, argv, &l.st, work, write_json, write_text);
  pf_study_close(&l.st);
  return code;
}
