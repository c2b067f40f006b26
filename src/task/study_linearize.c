/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study linearize: A, B, C, D at a state, along a motion, or over a range of a parameter. */
#include "task/linear_chart.h"
#include "task/motion.h"
#include "task/study.h"
#include "out/label.h"
#include "out/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

/* Options of the motion along which to linearize. */
#define LINEARIZE_RUN "by step rtol atol adaptive rho printed no-projection keep-going most-steps form "

static const SettingHelp own[] = {
  {.name = "at", .help = "along the motion, at these times"},
  {.name = "out", .help = "writes the matrices to a file, or a picture of the eigenvalues"},
  {0}};

static const SettingNeed needs[] = {
  {.names = LINEARIZE_RUN, .with = "at"}, {.names = "at", .without = "sweep"},
  {0}};

const PfTask pf_linearize_task = {
  .name = "linearize", .command = "study linearize",
  .summary = "the linear model x' = A x + B u, y = C x + D u, its modes, what inputs reach",
  .operands = "FILE",
  .about = "Linearizes at the start of the model, changed by @state and @time. The state is minimal: holonomic "
           "constraints take coordinates away, nonholonomic ones velocities. Inputs are the model's; outputs are what "
           "it plots, or its coordinates when it plots nothing. Derivatives are exact. The options of a run go with "
           "@at.",
  .takes = TAKES_STATE "native " LINEARIZE_RUN "at near sweep inputs out json ",
  .writes = {"csv", "json", "mat", "py", WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "@call{linearize @sweep{v=0..10:101} @out{modes.svg} examples/wheels/bicycle.pf}\n",
  .fields = pf_linearize_fields,
  .run = run};

typedef struct Point {
  double at;                 /* time, or the value of the parameter */
  PfLinear linear;           /* in the units of the names, but for its modes */
  double *mode_re, *mode_im; /* eigenvectors in these units, a row for each eigenvalue */
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
  PF_TRY(pf_study_parameter(st, "inputs", name, &parameter));
  *input = -1 - parameter;
  return PF_OK;
}

static PfStatus read_inputs(Linearize *l, const char *list)
{
  Study *st = &l->st;
  const PfModel *model = st->s.model;
  int most = model->input_count + 1;
  for (const char *c = list; c && *c; c++) most += *c == ',';
  PF_TRY(pf_arrays(st->s.ctx, st->s.arena, "the study", PF_ROOM(l->inputs, most), PF_ROOM(l->input_names, most)));
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

/* A matrix of the linear model, and the names of its rows and columns. */
typedef struct Matrix {
  const char *name;
  double *values; /* row-major */
  int rows, columns;
  const char *const *row_names, *const *column_names;
} Matrix;

enum { MATRICES = 4 };

static void list_matrices(const Linearize *l, const PfLinear *m, Matrix list[MATRICES])
{
  const char *const *x = m->state_names, *const *u = l->input_names, *const *y = l->st.output_names;
  list[0] = (Matrix){"A", m->A, m->states, m->states, x, x};
  list[1] = (Matrix){"B", m->B, m->states, m->inputs, x, u};
  list[2] = (Matrix){"C", m->C, m->outputs, m->states, y, x};
  list[3] = (Matrix){"D", m->D, m->outputs, m->inputs, y, u};
}

/* From SI to the units of its rows and columns. */
static void show_matrix(const Study *st, const Matrix *m)
{
  for (int i = 0; i < m->rows; i++)
    for (int j = 0; j < m->columns; j++) {
      double factor = pf_study_measure(st, m->column_names[j]).scale/pf_study_measure(st, m->row_names[i]).scale;
      if (factor != 1) m->values[(size_t)i*(size_t)m->columns + (size_t)j] *= factor;
    }
}

static PfStatus add_point(Linearize *l, double at)
{
  Study *st = &l->st;
  Point *p = l->points + l->count++;
  PfLinear *m = &p->linear;
  Matrix list[MATRICES];
  p->at = l->along ? at/pf_study_measure(st, l->along).scale : at;
  PF_TRY(pf_linearize(st->s.ctx, st->s.arena, st->field, l->inputs, l->input_count, m));
  size_t size = (size_t)m->states*(size_t)m->states;
  PF_TRY(pf_arrays(st->s.ctx, st->s.arena, "the study", PF_ROOM(p->mode_re, size), PF_ROOM(p->mode_im, size)));
  pf_study_show(st, m->state_names, m->states, m->x);
  pf_study_show(st, m->state_names, m->states, m->rate);
  list_matrices(l, m, list);
  for (int k = 0; k < MATRICES; k++) show_matrix(st, list + k);
  /* The eigenvectors in the units of the states, those of the model stay in SI: the states that move most in a
   * mode are the same in all units. */
  int n = m->states;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      int first = m->im[k] < 0 ? k - 1 : k; /* columns of the pair */
      double sign = m->im[k] < 0 ? -1 : 1, scale = pf_study_measure(st, m->state_names[i]).scale;
      p->mode_re[k*n + i] = m->modes[i*n + first]/scale;
      p->mode_im[k*n + i] = m->im[k] != 0 ? sign*m->modes[i*n + first + 1]/scale : 0;
    }
  return PF_OK;
}

static PfStatus take_sample(void *user, const PfSample *sample)
{
  Linearize *l = user;
  Study *st = &l->st;
  const PfSymbols *in = pf_system_symbols(st->system);
  st->values[in->time] = sample->t;
  pf_task_pick(l->motion, sample, st->values + in->q, st->values + in->v, NULL);
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
  int before_count = pf_diagnostic_count(st->s.ctx);
  PF_TRY(pf_task_place(m, &st->s, st->options));
  pf_diagnostics_truncate(st->s.ctx, before_count); /* what there is to say of the start was said */
  o->without_events = true;
  if (o->at_count && o->t_end < o->at[o->at_count - 1]) o->t_end = o->at[o->at_count - 1];
  l->points = pf_arena_array(st->s.arena, Point, o->at_count);
  if (!l->points) return pf_no_room(st->s.ctx, "the study");
  l->along = "t";
  PF_TRY(pf_task_begin(m));
  int before = pf_error_count(st->s.ctx);
  PF_TRY(pf_task_move(m, take_sample, NULL, l, &result));
  if (pf_error_count(st->s.ctx) > before) return PF_ERR_NUMBER;
  return l->count == o->at_count
             ? PF_OK
             : pf_fail(st->s.ctx, PF_ERR_NUMBER, "the motion ends at t = %.6g, before the last time of @at", result.t);
}

/* Moves the state to the equilibrium or steady motion next to it. */
static PfStatus go_near(Linearize *l, const char *what)
{
  Study *st = &l->st;
  bool rest = !strcmp(what, "equilibrium");
  PfSteady found;
  if (!rest && strcmp(what, "steady"))
    return pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "@near{%s}: write 'equilibrium' or 'steady'", what);
  PfStatus status = pf_steady_nearest(st->s.ctx, st->s.arena, st->field, rest ? PF_EQUILIBRIA : PF_STEADY, st->values,
                                      &found);
  if (status != PF_OK && found.starts && !found.count)
    pf_hint(st->s.ctx, "@task{%s} looks in more places; give one by @state", rest ? "equilibria" : "steady");
  PF_TRY(status);
  return pf_dynamics_chart(st->field, NULL);
}

static PfStatus over_range(Linearize *l)
{
  Study *st = &l->st;
  Range range = {.count = 101};
  const char *near = st->options->near;
  PF_TRY(pf_study_range(st, "sweep", st->options->sweep, &range));
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

static PfStatus find_points(Linearize *l)
{
  Study *st = &l->st;
  PF_TRY(pf_study_prepare(st));
  PF_TRY(read_inputs(l, st->options->inputs));
  const char *near = st->options->near, *sweep = st->options->sweep;
  if (near && !sweep) PF_TRY(go_near(l, near));
  if (sweep) return over_range(l);
  if (st->options->at) {
    Motion motion = {0};
    PfStatus status = follow(l, &motion);
    pf_task_end(&motion);
    return status;
  }
  l->points = pf_arena_array(st->s.arena, Point, 1);
  if (!l->points) return pf_no_room(st->s.ctx, "the study");
  return add_point(l, st->values[pf_system_symbols(st->system)->time]);
}

static PfStatus compute(Study *st)
{
  Linearize *l = (Linearize *)st;
  PF_TRY(find_points(l));
  /* Names the outputs whose rows of C and D are no numbers. */
  for (int i = 0; i < l->st.output_count; i++) {
    int without = 0;
    for (int k = 0; k < l->count; k++) {
      const PfLinear *m = &l->points[k].linear;
      without += m->states > 0 && isnan(m->C[(size_t)i*(size_t)m->states]);
    }
    if (!without) continue;
    pf_warn_at(l->st.s.ctx, (PfPlace){0}, "the output '%s' has no finite value or no derivative %s: no row in C and D",
               l->st.output_names[i], l->count == 1 ? "here" : without == l->count ? "anywhere" : "at some points");
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the report */

static const PfField eigenvalue_fields[] = {
  PF_FIELD("re", NUMBER, "real part, in 1/s"),
  PF_FIELD("im", NUMBER, "imaginary part, in rad/s"),
  PF_FIELD("frequency", NUMBER, "absolute value, in rad/s: the natural frequency of a pair"),
  PF_FIELD_OR_NULL("damping", NUMBER, "damping ratio -re/frequency; null for the eigenvalue 0"),
  PF_FIELD("mode_re", NUMBERS, "real part of the eigenvector, in the units of the states"),
  PF_FIELD("mode_im", NUMBERS, "imaginary part of the eigenvector, in the units of the states"),
  {0}};

static const PfField point_fields[] = {
  PF_FIELD("at", NUMBER, "the time, or the value of the parameter, as 'along' says"),
  PF_FIELD("x", NUMBERS, "the state about which the model is linear, in its units"),
  PF_FIELD("rate", NUMBERS, "its rate of change, in these units per s"),
  PF_FIELD("motion", STRING,
           "'rest', 'steady' (only coordinates on which nothing depends change), or 'changing': the linear model is "
           "that of an instant"),
  PF_FIELD_MATRIX("A", NUMBERS, "matrix of x' = A x + B u: states by states"),
  PF_FIELD_MATRIX("B", NUMBERS, "states by inputs"),
  {.key = "C", .type = PF_TYPE_NUMBERS, .layout = PF_MATRIX, .nullable = true,
   .about = PF_ABOUT("matrix of y = C x + D u: outputs by states; null in the row of an output without a value or a "
                     "derivative")},
  {.key = "D", .type = PF_TYPE_NUMBERS, .layout = PF_MATRIX, .nullable = true, .about = PF_ABOUT("outputs by inputs")},
  PF_FIELD_RECORDS("eigenvalues", eigenvalue_fields, "eigenvalues of A, the one with the largest real part first"),
  PF_FIELD("controllable", INTEGER, "dimension of the states that the inputs can reach"),
  PF_FIELD("observable", INTEGER, "dimension of the states that differ in their outputs"),
  {0}};

const PfField pf_linearize_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("along", STRING, "the quantity that differs from point to point: 't' or the name of a parameter"),
  PF_FIELD("along_unit", STRING, "its unit"),
  PF_FIELD("states", STRINGS, "names of the components of the state x"),
  PF_FIELD("inputs", STRINGS, "names of the inputs u"),
  PF_FIELD("outputs", STRINGS, "names of the outputs y"),
  PF_FIELD_LIST("state_units", STRING, "units of the states; empty: none is declared"),
  PF_FIELD_LIST("input_units", STRING, "units of the inputs"),
  PF_FIELD_LIST("output_units", STRING, "units of the outputs"),
  PF_FIELD_RECORDS("points", point_fields, "the linear models, one for each time or value of the parameter"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void print_names(PfReport *r, const char *what, const char *const *names, int count)
{
  pf_report_print(r, "  %-9s", what);
  pf_study_print_names(r, names, count);
  pf_report_print(r, "\n");
}

/* Values and files have every digit; the text leaves out numbers that are rounding errors. */
static void print_matrix(PfReport *r, const Matrix *m)
{
  if (!m->rows || !m->columns) return;
  enum { WIDEST = 20 };
  double most = pf_largest(m->values, m->rows*m->columns);
  int width = 11;
  for (int j = 0; j < m->columns; j++)
    width = (int)strlen(m->column_names[j]) > width ? (int)strlen(m->column_names[j]) : width;
  width = width > WIDEST ? WIDEST : width;
  pf_report_print(r, "\n  %-12s", m->name);
  for (int j = 0; j < m->columns; j++) pf_report_print(r, " %*.*s", width, width, m->column_names[j]);
  pf_report_print(r, "\n");
  for (int i = 0; i < m->rows; i++) {
    pf_report_print(r, "  %-12.63s", m->row_names[i]);
    for (int j = 0; j < m->columns; j++) {
      double value = pf_without_noise(m->values[(size_t)i*(size_t)m->columns + (size_t)j], most);
      if (value == 0) pf_report_print(r, " %*s", width, ".");
      else pf_report_print(r, " %*.5g", width, value);
    }
    pf_report_print(r, "\n");
  }
}

static void print_eigenvalue(PfReport *r, const PfLinear *m, int k)
{
  char value[64];
  double re = m->re[k], im = m->im[k], size = hypot(re, im);
  if (im < 0) return;
  if (im > 0) snprintf(value, sizeof value, "%.10g +- %.10g i", re, im);
  else snprintf(value, sizeof value, "%.10g", re);
  pf_report_print(r, "  %-34s %12.5g", value, size);
  if (size > 0) pf_report_print(r, " %9.4f  ", pf_without_noise(-re/size, 5e8)); /* four places: never -0.0000 */
  else pf_report_print(r, " %9s  ", "-");
  /* The states with the largest parts in the mode k. */
  int n = m->states;
  double most = 0;
  const char *comma = "";
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n; i++) {
      double part = hypot(m->modes[i*n + k], m->im[k] != 0 ? m->modes[i*n + k + 1] : 0);
      if (!pass) most = fmax(most, part);
      if (!pass || !(part >= 0.3*most)) continue;
      pf_report_print(r, "%s%s", comma, m->state_names[i]);
      comma = ", ";
    }
  pf_report_print(r, "\n");
}

/* The text of a single point. */
static void print_point(PfReport *r, Linearize *l, const PfLinear *m)
{
  Study *st = &l->st;
  Matrix list[MATRICES];
  print_names(r, "states", pf_study_words(st, m->state_names, m->states), m->states);
  print_names(r, "inputs", pf_study_words(st, l->input_names, m->inputs), m->inputs);
  print_names(r, "outputs", pf_study_words(st, st->output_names, m->outputs), m->outputs);
  /* The kind of motion about which the model is linear. */
  int which = 0;
  for (int i = 0; i < m->states; i++)
    if (fabs(m->rate[i]) > fabs(m->rate[which])*PF_LARGER) which = i;
  if (m->motion == PF_MOTION_REST) pf_report_print(r, "  at rest  yes: an equilibrium\n");
  else if (m->motion == PF_MOTION_STEADY)
    pf_report_print(r, "  steady   yes: (%s)' = %.6g, …, and nothing else changes or depends on it\n",
                    pf_study_word(st, m->state_names[which]), m->rate[which]);
  else
    pf_report_print(r, "  at rest  no: (%s)' = %.6g, …; this is the model of small deviations at that instant\n",
                    pf_study_word(st, m->state_names[which]), m->rate[which]);
  list_matrices(l, m, list);
  for (int k = 0; k < MATRICES; k++) print_matrix(r, list + k);
  pf_report_print(r, "\n  %-34s %12s %9s  %s\n", "eigenvalue [1/s]", "[rad/s]", "damping", "moves mostly");
  for (int k = 0; k < m->states; k++) print_eigenvalue(r, m, k);
  if (m->inputs) pf_report_print(r, "\n  inputs reach %d of %d states%s\n", m->controllable, m->states,
                                 m->controllable == m->states ? ": controllable" : "");
  if (m->outputs) pf_report_print(r, "%s  outputs see %d of %d states%s\n", m->inputs ? "" : "\n", m->observable,
                                  m->states, m->observable == m->states ? ": observable" : "");
}

static void report_eigenvalue(PfReport *r, const Point *p, int k)
{
  const PfLinear *m = &p->linear;
  int n = m->states;
  double size = hypot(m->re[k], m->im[k]);
  pf_report_open(r, NULL);
  pf_report_number(r, "re", m->re[k]);
  pf_report_number(r, "im", m->im[k]);
  pf_report_number(r, "frequency", size);
  pf_report_number(r, "damping", size > 0 ? -m->re[k]/size : NAN);
  pf_report_numbers(r, "mode_re", p->mode_re + k*n, n);
  pf_report_numbers(r, "mode_im", p->mode_im + k*n, n);
  pf_report_close(r);
}

/* Several points are lines of a table. */
static void report_point(PfReport *r, Linearize *l, const Point *p)
{
  static const char *const kinds[] = {"rest", "steady", "changing"};
  const PfLinear *m = &p->linear;
  Matrix list[MATRICES];
  pf_report_open(r, NULL);
  pf_report_number(r, "at", p->at);
  pf_report_numbers(r, "x", m->x, m->states);
  pf_report_numbers(r, "rate", m->rate, m->states);
  pf_report_string(r, "motion", kinds[m->motion]);
  list_matrices(l, m, list);
  for (int k = 0; k < MATRICES; k++)
    pf_report_matrix(r, list[k].name, list[k].values, list[k].rows, list[k].columns);
  pf_report_open(r, "eigenvalues");
  for (int k = 0; k < m->states; k++) report_eigenvalue(r, p, k);
  pf_report_close(r);
  pf_report_integer(r, "controllable", m->controllable);
  pf_report_integer(r, "observable", m->observable);
  pf_report_close(r);
  if (l->count == 1) {
    print_point(r, l, m);
    return;
  }
  pf_report_print(r, "  %12.6g", p->at);
  pf_study_print_eigenvalues(r, &(Eigenvalues){m->states, m->re, m->im}, 6, "+-");
}

static void write_report(void *user, PfReport *r)
{
  Linearize *l = user;
  const Study *st = &l->st;
  const PfLinear *m = &l->points[0].linear;
  const char *along = l->along ? l->along : "t";
  pf_report_string(r, "model", pf_model_label(st->s.model));
  pf_report_string(r, "along", along);
  pf_report_string(r, "along_unit", pf_study_measure(st, along).unit);
  pf_study_report_names(st, r, "states", "state_units", m->state_names, m->states);
  pf_study_report_names(st, r, "inputs", "input_units", l->input_names, m->inputs);
  pf_study_report_names(st, r, "outputs", "output_units", st->output_names, m->outputs);
  pf_report_print(r, "%s: linear model", pf_model_label(st->s.model));
  if (l->along) pf_report_print(r, " at %d values of %s\n\n", l->count, l->along);
  else pf_report_print(r, " at t = %.6g\n\n", l->points[0].at);
  if (l->count > 1) {
    print_names(r, "states", m->state_names, m->states);
    pf_report_print(r, "\n  %12s  eigenvalues [1/s]\n", pf_study_word(&l->st, along));
  }
  pf_report_open(r, "points");
  for (int p = 0; p < l->count; p++) report_point(r, l, l->points + p);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- files */

static PfStatus file_csv(void *user, PfText *text)
{
  Linearize *l = user;
  Matrix list[MATRICES];
  pf_csv_put(text, pf_study_word(&l->st, l->along ? l->along : "t"), "");
  pf_text_add(text, ",matrix,row,column,value\n");
  for (int p = 0; p < l->count; p++) {
    list_matrices(l, &l->points[p].linear, list);
    for (int k = 0; k < MATRICES; k++)
      for (int i = 0; i < list[k].rows; i++)
        for (int j = 0; j < list[k].columns; j++) {
          pf_text_print(text, "%.17g,%s,", l->points[p].at, list[k].name);
          pf_csv_put(text, pf_study_word(&l->st, list[k].row_names[i]), "");
          pf_text_add(text, ",");
          pf_csv_put(text, pf_study_word(&l->st, list[k].column_names[j]), "");
          pf_text_print(text, ",%.17g\n", list[k].values[(size_t)i*(size_t)list[k].columns + (size_t)j]);
        }
  }
  return PF_OK;
}

/* A list of names that a file has next to the matrices. */
typedef struct Names {
  const char *key;
  const char *const *names;
  int count;
} Names;

enum { NAMES = 6 };

/* Names and units of states, inputs and outputs, with the keys of the report. */
static PfStatus list_names(const Linearize *l, Names list[NAMES])
{
  const PfLinear *m = &l->points[0].linear;
  list[0] = (Names){"states", m->state_names, m->states};
  list[1] = (Names){"inputs", l->input_names, m->inputs};
  list[2] = (Names){"outputs", l->st.output_names, m->outputs};
  static const char *const keys[] = {"state_units", "input_units", "output_units"};
  for (int k = 0; k < 3; k++) {
    const char **units = pf_arena_array(l->st.s.arena, const char *, list[k].count);
    if (!units) return pf_no_room(l->st.s.ctx, "the study");
    for (int i = 0; i < list[k].count; i++) units[i] = pf_study_measure(&l->st, list[k].names[i]).unit;
    list[3 + k] = (Names){keys[k], units, list[k].count};
  }
  return PF_OK;
}

static void python_names(PfText *text, const Names *list)
{
  pf_text_print(text, "%s = [", list->key);
  for (int i = 0; i < list->count; i++) {
    pf_text_add(text, i ? ", " : "");
    pf_put_quoted(text, list->names[i]);
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
static PfStatus file_python(void *user, PfText *text)
{
  Linearize *l = user;
  Matrix list[MATRICES];
  Names names[NAMES];
  PF_TRY(list_names(l, names));
  pf_text_add(text, "# ");
  pf_put_printable(text, pf_model_label(l->st.s.model)); /* or a file name: no line end leaves the comment */
  pf_text_add(text, ": linear model x' = A x + B u, y = C x + D u\nimport numpy as np\n\n");
  for (int k = 0; k < NAMES; k++) python_names(text, names + k);
  if (l->count > 1) {
    pf_text_add(text, "at = np.array([");
    for (int p = 0; p < l->count; p++) pf_text_print(text, "%s%.17g", p ? ", " : "", l->points[p].at);
    pf_text_add(text, "])  # ");
    pf_put_printable(text, pf_study_head(&l->st, l->along));
    pf_text_add(text, "\n");
  }
  for (int k = 0; k < MATRICES; k++) {
    list_matrices(l, &l->points[0].linear, list);
    pf_text_print(text, "%s = np.array(%s", list[k].name, l->count > 1 ? "[" : "");
    for (int p = 0; p < l->count; p++) {
      list_matrices(l, &l->points[p].linear, list);
      if (p) pf_text_add(text, ",\n    ");
      python_matrix(text, list + k);
    }
    pf_text_print(text, "%s).reshape(%s%d, %d)\n", l->count > 1 ? "]" : "", l->count > 1 ? "len(at), " : "",
                  list[k].rows, list[k].columns);
  }
  return PF_OK;
}

/* One point: A, B, C, D. Several: A1, A2, … and `at`. */
static PfStatus file_mat(void *user, PfText *text)
{
  const Linearize *l = user;
  Matrix list[MATRICES];
  Names names[NAMES];
  double *at = pf_arena_array(l->st.s.arena, double, l->count);
  if (!at) return pf_no_room(l->st.s.ctx, "the study");
  PF_TRY(list_names(l, names));
  for (int k = 0; k < NAMES; k++) pf_mat_texts(text, names[k].key, names[k].names, names[k].count);
  for (int p = 0; p < l->count; p++) {
    list_matrices(l, &l->points[p].linear, list);
    for (int k = 0; k < MATRICES; k++) {
      char name[32];
      if (l->count > 1) snprintf(name, sizeof name, "%s%d", list[k].name, p + 1);
      pf_mat_matrix(text, l->count > 1 ? name : list[k].name, list[k].values, list[k].rows, list[k].columns);
    }
    at[p] = l->points[p].at;
  }
  pf_mat_matrix(text, "at", at, 1, l->count);
  return PF_OK;
}

/* One point: eigenvalues in the complex plane. Several: real and imaginary parts against the parameter or time. */
static PfStatus file_svg(void *user, PfText *text)
{
  Linearize *l = user;
  const char *title = pf_model_heading(l->st.s.model);
  if (l->count == 1) return pf_linear_plane(&l->st, title, &l->points[0].linear, text);
  const PfLinear **list = pf_arena_array(l->st.s.arena, const PfLinear *, l->count);
  double *at = pf_arena_array(l->st.s.arena, double, l->count);
  if (!list || !at) return pf_no_room(l->st.s.ctx, "the study");
  for (int p = 0; p < l->count; p++) list[p] = &l->points[p].linear, at[p] = l->points[p].at;
  return pf_linear_sweep(&l->st, &(LinearSweep){title, pf_study_head(&l->st, l->along), l->count, at, list}, text);
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {
    .compute = compute, .write = write_report,
    .files = {{"csv", file_csv}, {"py", file_python}, {"mat", file_mat}, {.write = file_svg}}};
  Linearize l = {0};
  return pf_study_run(&kind, options, &l.st);
}
