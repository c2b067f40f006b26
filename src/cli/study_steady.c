/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study equilibria, pfaff study steady: where the system can rest, or move without change. */
#include "cli/study.h"
#include "out/record.h"

#include <math.h>
#include <string.h>

static int run_equilibria(const Console *console, int argc, char **argv);
static int run_steady(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "starts", .help = "Newton iterations from so many places (100)"},
  {.name = "within", .help = "where they begin, by names of the state (default: around the start)"},
  {.name = "state", .help = "another start: the first place"},
  {.name = "out", .help = "writes what was found to a file, or a picture of the eigenvalues"},
  {0}};

const Command pf_study_equilibria = {
  .name = "study equilibria", .summary = "states of rest and their stability",
  .operands = "FILE",
  .about = "Looks for states in which nothing moves, from several places, and tells the stability of each.",
  .takes = TAKES_STATE "native starts within out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .examples = "pfaff study equilibria --within a=-4..4,b=-4..4 examples/classics/double_pendulum_bodies.pf\n",
  .run = run_equilibria};

const Command pf_study_steady = {
  .name = "study steady", .summary = "steady motions (constant but for cyclic coordinates) and their stability",
  .operands = "FILE",
  .about = "Everything is constant but the cyclic coordinates, on which nothing else depends; they are found. "
           "Velocities are the speeds of the model, or independent velocities, chosen so that many coordinates are "
           "cyclic.",
  .takes = TAKES_STATE "native starts within out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .examples = "pfaff study steady --out steady.svg examples/wheels/carriage_omni3.pf\n",
  .run = run_steady};

typedef struct Find {
  Study st;
  PfSteadyKind kind;
  PfSteady steady;       /* in the units of the names */
  const char **words;    /* names with units that are not SI, for lines of text */
  const char **velocities, **coordinates; /* names of all */
  const char **coordinate_words;          /* with units, as `words` */
} Find;

/* ---------------------------------------------------------------- units */

static PfStatus name_coordinates(Find *f)
{
  const PfModel *model = f->st.s.model;
  int n = model->coordinate_count;
  f->coordinates = pf_arena_array(f->st.s.arena, const char *, n);
  f->velocities = pf_arena_array(f->st.s.arena, const char *, n);
  if (!f->coordinates || !f->velocities) return pf_no_room(f->st.s.ctx, "the study");
  for (int i = 0; i < n; i++) {
    f->coordinates[i] = model->coordinates[i].name;
    f->velocities[i] = pf_expr_symbol_name(f->st.s.ctx, model->coordinates[i].v);
  }
  return PF_OK;
}

/* A free direction in the units of the state: its free component still changes by 1. */
static void show_direction(const Find *f, const PfSteadyPoint *p, int d)
{
  double *row = p->directions + (size_t)d*(size_t)f->steady.size;
  pf_study_show(&f->st, f->steady.names, f->steady.size, row);
  double by = p->free[d] < f->steady.size ? row[p->free[d]] : 0;
  for (int c = 0; c < f->steady.size && by != 0; c++) row[c] /= by;
}

/* What is free: a component of the state, or another coordinate or velocity; `words`: with its unit. */
static const char *free_name(const Find *f, int number, bool words)
{
  const PfModel *model = f->st.s.model;
  const int size = f->steady.size, n = model->coordinate_count;
  if (number < size) return words ? f->words[number] : f->steady.names[number];
  if (number < size + n) return words ? f->coordinate_words[number - size] : f->coordinates[number - size];
  return model->speed_count ? model->speeds[number - size - n].name : f->velocities[number - size - n];
}

/* From SI, as it was found, to what is written. */
static PfStatus show(Find *f)
{
  PfSteady *s = &f->steady;
  int n = f->st.s.equations.n;
  PF_TRY(name_coordinates(f));
  f->words = pf_arena_array(f->st.s.arena, const char *, s->size);
  f->coordinate_words = pf_arena_array(f->st.s.arena, const char *, n);
  if (!f->words || !f->coordinate_words) return pf_no_room(f->st.s.ctx, "the study");
  for (int j = 0; j < n; j++) f->coordinate_words[j] = pf_study_word(&f->st, f->coordinates[j]);
  for (int c = 0; c < s->size; c++) f->words[c] = s->cyclic[c] ? s->names[c] : pf_study_word(&f->st, s->names[c]);
  pf_study_show(&f->st, s->names, s->size, s->low);
  pf_study_show(&f->st, s->names, s->size, s->high);
  pf_study_show(&f->st, f->coordinates, n, s->q_low);
  pf_study_show(&f->st, f->coordinates, n, s->q_high);
  for (int i = 0; i < s->count; i++) {
    pf_study_show(&f->st, s->names, s->size, s->points[i].x);
    pf_study_show(&f->st, f->coordinates, n, s->points[i].q);
    pf_study_show(&f->st, f->velocities, n, s->points[i].v);
    for (int d = 0; d < s->points[i].family; d++) show_direction(f, s->points + i, d);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- text */

static void text_cyclic(PfText *text, const PfSteady *s)
{
  const char *comma = "";
  bool any = false;
  pf_text_add(text, "  cyclic      ");
  for (int c = 0; c < s->size; c++)
    if (s->cyclic[c]) pf_text_print(text, "%s%s", comma, s->names[c]), comma = ", ", any = true;
  pf_text_add(text, any ? "\n" : "none\n");
}

/* Is the coordinate a component of the state? */
static bool is_component(const Find *f, int coordinate)
{
  for (int c = 0; c < f->steady.size; c++)
    if (!strcmp(f->steady.names[c], f->coordinates[coordinate])) return true;
  return false;
}

/* Coordinates that follow from the state by constraints, on one sheet of them or another: they tell where it is. */
static bool is_dependent(const Find *f, int coordinate)
{
  return f->steady.q_low[coordinate] < f->steady.q_high[coordinate] && !is_component(f, coordinate);
}

static void text_tried(PfText *text, const Find *f)
{
  const PfSteady *s = &f->steady;
  pf_text_print(text, "  tried       %d starts", s->starts);
  for (int c = 0; c < s->size; c++)
    if (!s->cyclic[c] && s->low[c] < s->high[c])
      pf_text_print(text, ", %s from %.4g to %.4g", f->words[c], s->low[c], s->high[c]);
  for (int j = 0; j < f->st.s.model->coordinate_count; j++)
    if (is_dependent(f, j))
      pf_text_print(text, ", %s from %.4g to %.4g", f->coordinate_words[j], s->q_low[j], s->q_high[j]);
  pf_text_add(text, "\n");
  if (s->near_starts)
    pf_text_print(text, "              and %d within %.4g of the start, up to the nearest one\n", s->near_starts,
                  s->radius);
  if (s->spent)
    pf_text_print(text, "  ended       after %lld evaluations of the equations of motion, before all was searched: "
                  "there may be more (more --starts allow more evaluations)\n", s->evaluations);
}

/* Which components are free, and what else changes with them. */
static void text_family(PfText *text, const Find *f, const PfSteadyPoint *p)
{
  pf_text_add(text, "     free       ");
  for (int d = 0; d < p->family; d++) {
    const double *row = p->directions + (size_t)d*(size_t)f->steady.size;
    bool any = false;
    pf_text_print(text, "  %s", free_name(f, p->free[d], true));
    for (int c = 0; c < f->steady.size; c++) {
      if (c == p->free[d] || row[c] == 0) continue;
      pf_text_print(text, "%s%s by %.4g", any ? ", " : " (with it ", f->words[c], row[c]);
      any = true;
    }
    if (any) pf_text_add(text, ")");
  }
  pf_text_add(text, "\n");
}

static void text_eigenvalues(PfText *text, const PfSteadyPoint *p)
{
  for (int k = 0; k < p->count; k++) {
    double re = p->re[k], im = p->im[k];
    if (im < 0) continue;
    if (im > 0) pf_text_print(text, "  %.7g +- %.7gi", re, im);
    else pf_text_print(text, "  %.7g", re);
  }
  pf_text_add(text, "\n");
}

static void text_point(PfText *text, const Find *f, int i)
{
  const PfSteadyPoint *p = f->steady.points + i;
  pf_text_print(text, "\n  %d  %s", i + 1, pf_stability_name(p->stability));
  if (p->unstable) pf_text_print(text, " (%d eigenvalue%s to the right)", p->unstable, p->unstable > 1 ? "s" : "");
  if (p->kink) pf_text_print(text, " (the equations have a kink here, %s = 0: there is no linear model)", p->kink);
  else if (p->stability == PF_NEUTRAL) pf_text_add(text, " (linear terms do not decide)");
  if (p->family) pf_text_print(text, "; one of a family of %d dimension%s", p->family, p->family > 1 ? "s" : "");
  pf_text_add(text, "\n     state      ");
  for (int c = 0; c < f->steady.size; c++)
    if (!f->steady.cyclic[c] && f->steady.low[c] < f->steady.high[c])
      pf_text_print(text, "  %s = %.10g", f->words[c], pf_without_noise(p->x[c], f->steady.high[c] - f->steady.low[c]));
  for (int j = 0; j < f->st.s.model->coordinate_count; j++)
    if (is_dependent(f, j))
      pf_text_print(text, "  %s = %.10g", f->coordinate_words[j],
                    pf_without_noise(p->q[j], f->steady.q_high[j] - f->steady.q_low[j]));
  pf_text_add(text, "\n");
  if (p->family) text_family(text, f, p);
  if (p->kink) return;
  pf_text_add(text, "     eigenvalues");
  text_eigenvalues(text, p);
}

static void write_text(void *user, PfText *text)
{
  const Find *f = user;
  bool equilibria = f->kind == PF_EQUILIBRIA;
  pf_text_print(text, "%s: %d %s\n\n", pf_cli_name(f->st.s.model), f->steady.count,
                equilibria ? f->steady.count == 1 ? "equilibrium" : "equilibria"
                           : f->steady.count == 1 ? "steady motion" : "steady motions");
  text_cyclic(text, &f->steady);
  text_tried(text, f);
  for (int i = 0; i < f->steady.count; i++) text_point(text, f, i);
}

/* ---------------------------------------------------------------- JSON */

static void json_point(PfJson *json, const Find *f, const PfSteadyPoint *p)
{
  int n = f->st.s.equations.n;
  pf_json_open(json, NULL, '{');
  pf_study_json_numbers(json, "x", p->x, f->steady.size);
  pf_study_json_numbers(json, "q", p->q, n);
  pf_study_json_numbers(json, "v", p->v, n);
  pf_json_number(json, "distance", p->distance);
  pf_json_integer(json, "family", p->family);
  pf_json_open(json, "free", '[');
  for (int d = 0; d < p->family; d++) pf_json_string(json, NULL, free_name(f, p->free[d], false));
  pf_json_close(json, ']');
  pf_study_json_matrix(json, "directions", p->directions, p->family, f->steady.size);
  pf_json_string(json, "stability", pf_stability_name(p->stability));
  pf_json_integer(json, "unstable", p->unstable);
  pf_json_string(json, "kink", p->kink);
  pf_json_open(json, "eigenvalues", '[');
  for (int k = 0; k < p->count; k++) {
    double pair[2] = {p->re[k], p->im[k]};
    pf_study_json_numbers(json, NULL, pair, 2);
  }
  pf_json_close(json, ']');
  pf_json_close(json, '}');
}

static void write_json(void *user, PfJson *json)
{
  const Find *f = user;
  const PfModel *model = f->st.s.model;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(model));
  pf_json_string(json, "kind", f->kind == PF_EQUILIBRIA ? "equilibria" : "steady");
  pf_study_json_names(json, "states", f->steady.names, f->steady.size);
  pf_study_json_units(&f->st, json, "units", f->steady.names, f->steady.size);
  pf_json_open(json, "cyclic", '[');
  for (int c = 0; c < f->steady.size; c++)
    if (f->steady.cyclic[c]) pf_json_string(json, NULL, f->steady.names[c]);
  pf_json_close(json, ']');
  pf_study_json_names(json, "coordinates", f->coordinates, model->coordinate_count);
  pf_study_json_units(&f->st, json, "coordinate_units", f->coordinates, model->coordinate_count);
  pf_json_integer(json, "starts", f->steady.starts);
  pf_json_integer(json, "failed", f->steady.failed);
  pf_json_integer(json, "near_starts", f->steady.near_starts);
  pf_json_number(json, "radius", f->steady.radius);
  pf_json_integer(json, "evaluations", f->steady.evaluations);
  pf_json_bool(json, "spent", f->steady.spent);
  pf_json_open(json, "points", '[');
  for (int i = 0; i < f->steady.count; i++) json_point(json, f, f->steady.points + i);
  pf_json_close(json, ']');
  pf_cli_json_diagnostics(f->st.s.ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- files */

static void file_csv(void *user, PfText *text)
{
  Find *f = user;
  for (int c = 0; c < f->steady.size; c++) {
    pf_csv_put(text, pf_study_head(&f->st, f->steady.names[c]), "");
    pf_text_add(text, ",");
  }
  pf_text_add(text, "stability,unstable,family\n");
  for (int i = 0; i < f->steady.count; i++) {
    const PfSteadyPoint *p = f->steady.points + i;
    for (int c = 0; c < f->steady.size; c++) pf_text_print(text, "%.17g,", p->x[c]);
    pf_text_print(text, "%s,%d,%d\n", pf_stability_name(p->stability), p->unstable, p->family);
  }
}

/* Few enough to be told apart by colours? */
static bool are_told(const Find *f)
{
  enum { COLORS = 8 };
  return f->steady.count <= COLORS;
}

/* "2 unstable": as the text counts them. */
static const char *point_label(const Find *f, int i)
{
  enum { ROOM = 48 };
  const char *stability = pf_stability_name(f->steady.points[i].stability);
  char *label = are_told(f) && f->steady.count > 1 ? pf_arena_alloc(f->st.s.arena, ROOM, 1) : NULL;
  if (label) snprintf(label, ROOM, "%d %s", i + 1, stability);
  return label ? label : stability;
}

/* Eigenvalues in the complex plane: the mark says the stability of the motion, the colour which one it is. */
static PfStatus file_svg(void *user, PfText *text)
{
  Find *f = user;
  PfSeries *list = pf_arena_array(f->st.s.arena, PfSeries, f->steady.count);
  static const PfMarkShape shapes[] = {PF_MARK_RING, PF_MARK_BOX, PF_MARK_PEAK};
  static const int colors[] = {0, 7, 1};
  if (!list) return pf_no_room(f->st.s.ctx, "the study");
  for (int i = 0; i < f->steady.count; i++) {
    const PfSteadyPoint *p = f->steady.points + i;
    list[i] = (PfSeries){.count = p->count, .x = p->re, .y = p->im, .note = point_label(f, i),
                         .color = are_told(f) ? i : colors[p->stability], .mark = shapes[p->stability]};
  }
  PfChart chart = {.title = pf_cli_title(f->st.s.model), .x_label = "real part of eigenvalues [1/s]",
                   .y_label = "imaginary part [1/s]", .count = f->steady.count, .series = list};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

static const StudyWriters writers = {file_csv, write_json, file_svg};

/* ---------------------------------------------------------------- the commands */

/* What to say when nothing was found: where was looked, and what to try. */
static PfStatus nothing(Find *f)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->st.s.ctx));
  text_tried(&text, f);
  pf_fail(f->st.s.ctx, PF_ERR_NUMBER, "no %s found", f->kind == PF_EQUILIBRIA ? "equilibrium" : "steady motion");
  pf_hint(f->st.s.ctx, "%.*s; there may be none, or look elsewhere by --within and with more --starts%s",
          (int)(text.count > 3 ? text.count - 3 : 0), pf_text_get(&text) + 2,
          f->st.original ? "; attitudes at which two of the angles turn about one axis, as upright, are left out" : "");
  pf_text_free(&text);
  return PF_ERR_NUMBER;
}

static PfStatus work(Study *st)
{
  Find *f = (Find *)st;
  PfSteadyOptions options = {.kind = f->kind};
  PF_TRY(pf_cli_warn_switching(&st->s, PF_SWITCHING_STATES));
  PF_TRY(pf_study_search(st, &options));
  PF_TRY(pf_steady_find(st->s.ctx, st->s.arena, st->field, &options, &f->steady));
  PF_TRY(show(f));
  if (!f->steady.count) return nothing(f);
  return st->options->out ? pf_study_write(&f->st, &writers) : PF_OK;
}

static int run(const Command *command, PfSteadyKind kind, const Console *console, int argc, char **argv)
{
  Find f = {.kind = kind};
  f.st.by_angles = kind != PF_EQUILIBRIA; /* at rest nothing is cyclic, and quaternions are regular everywhere */
  int code = pf_study_run(command, console, argc, argv, &f.st, work, write_json, write_text);
  pf_study_close(&f.st);
  return code;
}

static int run_equilibria(const Console *console, int argc, char **argv)
{
  return run(&pf_study_equilibria, PF_EQUILIBRIA, console, argc, argv);
}

static int run_steady(const Console *console, int argc, char **argv)
{
  return run(&pf_study_steady, PF_STEADY, console, argc, argv);
}
