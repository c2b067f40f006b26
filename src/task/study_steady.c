/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study equilibria, pfaff study steady: where the system can rest, or move without change. */
#include "task/study.h"
#include "out/record.h"

#include <math.h>
#include <string.h>

static PfStatus run_equilibria(const PfRequest *options);
static PfStatus run_steady(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "starts", .help = "Newton iterations from so many places (100)"},
  {.name = "within", .help = "where they begin, by names of the state (default: around the start)"},
  {.name = "state", .help = "another start: the first place"},
  {.name = "out", .help = "writes what was found to a file, or a picture of the eigenvalues"},
  {0}};

const PfTask pf_equilibria_task = {
  .name = "equilibria", .command = "study equilibria", .summary = "states of rest and their stability",
  .operands = "FILE",
  .about = "Looks for states in which nothing moves, from several places, and tells the stability of each.",
  .takes = TAKES_STATE "native starts within out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .examples = "@call{equilibria @within{a=-4..4,b=-4..4} examples/classics/double_pendulum_bodies.pf}\n",
  .fields = pf_steady_fields,
  .run = run_equilibria};

const PfTask pf_steady_task = {
  .name = "steady", .command = "study steady",
  .summary = "steady motions (constant but for cyclic coordinates) and their stability",
  .operands = "FILE",
  .about = "Everything is constant but the cyclic coordinates, on which nothing else depends; they are found. "
           "Velocities are the speeds of the model, or independent velocities, chosen so that many coordinates are "
           "cyclic.",
  .takes = TAKES_STATE "native starts within out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .examples = "@call{steady @out{steady.svg} examples/wheels/carriage_omni3.pf}\n",
  .fields = pf_steady_fields,
  .run = run_steady};

typedef struct Find {
  Study st;
  PfSteadyKind kind;
  PfSteady steady;       /* in the units of the names */
  const char **words;    /* names with units that are not SI, for lines of text */
  const char **velocities, **coordinates; /* names of all */
  const char *const *coordinate_words;    /* with units, as `words` */
} Find;

/* ---------------------------------------------------------------- units */

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
  /* Names and units of coordinates and velocities. */
  const PfModel *model = f->st.s.model;
  int count = model->coordinate_count;
  PF_TRY(pf_arrays(f->st.s.ctx, f->st.s.arena, "the study", PF_ROOM(f->coordinates, count),
                   PF_ROOM(f->velocities, count)));
  for (int i = 0; i < count; i++) {
    f->coordinates[i] = model->coordinates[i].name;
    f->velocities[i] = pf_expr_symbol_name(f->st.s.ctx, model->coordinates[i].v);
  }
  f->words = pf_arena_array(f->st.s.arena, const char *, s->size);
  if (!f->words) return pf_no_room(f->st.s.ctx, "the study");
  f->coordinate_words = pf_study_words(&f->st, f->coordinates, n);
  for (int c = 0; c < s->size; c++) f->words[c] = s->cyclic[c] ? s->names[c] : pf_study_word(&f->st, s->names[c]);
  pf_study_show(&f->st, s->names, s->size, s->low);
  pf_study_show(&f->st, s->names, s->size, s->high);
  pf_study_show(&f->st, f->coordinates, n, s->q_low);
  pf_study_show(&f->st, f->coordinates, n, s->q_high);
  for (int i = 0; i < s->count; i++) {
    pf_study_show(&f->st, s->names, s->size, s->points[i].x);
    pf_study_show(&f->st, f->coordinates, n, s->points[i].q);
    pf_study_show(&f->st, f->velocities, n, s->points[i].v);
    for (int d = 0; d < s->points[i].family; d++) {
      /* A free direction in the units of the state: its free component still changes by 1. */
      const PfSteadyPoint *p = s->points + i;
      double *row = p->directions + (size_t)d*(size_t)f->steady.size;
      pf_study_show(&f->st, f->steady.names, f->steady.size, row);
      double by = p->free[d] < f->steady.size ? row[p->free[d]] : 0;
      for (int c = 0; c < f->steady.size && by != 0; c++) row[c] /= by;
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the report */

static const PfField point_fields[] = {
  PF_STUDY_X_FIELD,
  PF_FIELD("q", NUMBERS, "all coordinates, in their units"),
  PF_FIELD("v", NUMBERS, "all velocities, in the units of the coordinates per s"),
  PF_FIELD("distance", NUMBER,
           "from the start, in SI units, over the coordinates that are not cyclic; for steady motions also over the "
           "independent velocities"),
  PF_FIELD("family", INTEGER, "dimension of the continuous family to which it belongs; 0: it is isolated"),
  PF_FIELD_LIST("free", STRING, "quantities that differ among the members of the family, one for each dimension"),
  PF_FIELD_MATRIX("directions", NUMBERS,
                  "change of x along the family: a row for each free quantity, which changes by 1"),
  PF_STUDY_STABILITY_FIELD,
  PF_STUDY_UNSTABLE_FIELD,
  PF_FIELD_OR_NULL("kink", STRING,
                   "expression that is zero here, where the equations have no derivative and eigenvalues; else null"),
  PF_FIELD_MATRIX("eigenvalues", NUMBERS,
                  "pairs of real and imaginary part, in 1/s, without those of cyclic coordinates"),
  {0}};

const PfField pf_steady_fields[] = {
  PF_FIELD_MODEL,
  PF_STUDY_KIND_FIELD,
  PF_STUDY_STATE_FIELDS,
  PF_FIELD("coordinates", STRINGS, "names of all coordinates, in the order of q"),
  PF_FIELD_LIST("coordinate_units", STRING, "their units; empty: none is declared"),
  PF_FIELD("starts", INTEGER, "Newton iterations begun, from places in the box that was searched"),
  PF_FIELD("failed", INTEGER, "iterations that ended without a solution"),
  PF_FIELD("near_starts", INTEGER, "further iterations around the start, up to the nearest solution"),
  PF_FIELD("radius", NUMBER, "the distance from the start up to which these were begun"),
  PF_FIELD("evaluations", INTEGER, "evaluations of the equations of motion"),
  PF_FIELD("spent", BOOL, "the search ended before its time, as its budget of evaluations was used up"),
  PF_FIELD("may_be_widened", BOOL, "under constraints of velocities, 'speed' lines may show more steady motions"),
  PF_FIELD_RECORDS("points", point_fields, "the equilibria or steady motions, the nearest to the start first"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* Is the coordinate a component of the state? */
static bool is_component(const Find *f, int coordinate)
{
  for (int c = 0; c < f->steady.size; c++)
    if (!strcmp(f->steady.names[c], f->coordinates[coordinate])) return true;
  return false;
}

/* A quantity that was searched in an interval. */
typedef struct Searched {
  const char *word;
  double low, high, value; /* the value at a point, without rounding errors; 0 without a point */
} Searched;

/* The quantity i of those that show where a point is: the components of the state, and the coordinates that follow from
 * them by constraints, on one sheet of them or another. False when it was not searched. */
static bool get_searched(const Find *f, int i, const PfSteadyPoint *p, Searched *x)
{
  const PfSteady *s = &f->steady;
  int j = i - s->size;
  bool state = j < 0;
  if (state) *x = (Searched){f->words[i], s->low[i], s->high[i], p ? p->x[i] : 0};
  else *x = (Searched){f->coordinate_words[j], s->q_low[j], s->q_high[j], p ? p->q[j] : 0};
  x->value = pf_without_noise(x->value, x->high - x->low);
  return x->low < x->high && !(state ? s->cyclic[i] : is_component(f, j));
}

static int searched_count(const Find *f)
{
  return f->steady.size + f->st.s.model->coordinate_count;
}

static bool is_coordinate(const Find *f, int component)
{
  for (int j = 0; j < f->st.s.model->coordinate_count; j++)
    if (!strcmp(f->steady.names[component], f->coordinates[j])) return true;
  return false;
}

/* Velocities that the study has chosen under constraints of velocities are some of x', y', theta'. Other ones, as along
 * the axes of a body, may make more coordinates cyclic: a sleigh that runs in circles has a constant speed along its
 * blade, but no constant x'. */
static bool may_be_widened(const Find *f)
{
  const PfModel *model = f->st.s.model;
  bool rolls = false, held = false;
  for (int i = 0; i < model->constraint_count; i++)
    rolls = rolls || model->constraints[i].kind == PF_PFAFFIAN || model->constraints[i].kind == PF_AFFINE;
  for (int c = 0; c < f->steady.size; c++) held = held || (!f->steady.cyclic[c] && is_coordinate(f, c));
  return f->kind == PF_STEADY && !model->speed_count && rolls && held;
}

/* Which motions were searched, where others are possible; `before` and `after` surround the words. */
static void print_searched(PfText *text, const Find *f, const char *before, const char *after)
{
  const char *comma = "";
  if (!may_be_widened(f)) return;
  pf_text_print(text, "%smotions with constant ", before);
  for (int c = 0; c < f->steady.size; c++)
    if (!f->steady.cyclic[c]) pf_text_print(text, "%s%s", comma, f->steady.names[c]), comma = ", ";
  pf_text_add(text, "; with 'speed' lines, as for velocities along the axes of a body, more coordinates may be "
              "cyclic");
  pf_text_add(text, after);
}

static void print_tried(PfText *text, const Find *f)
{
  const PfSteady *s = &f->steady;
  Searched x;
  pf_text_print(text, "  tried       %d starts", s->starts);
  for (int i = 0; i < searched_count(f); i++)
    if (get_searched(f, i, NULL, &x)) pf_text_print(text, ", %s from %.4g to %.4g", x.word, x.low, x.high);
  pf_text_add(text, "\n");
  if (s->near_starts)
    pf_text_print(text, "              and %d within %.4g of the start, up to the nearest one\n", s->near_starts,
                  s->radius);
  if (s->spent)
    pf_text_print(text, "  ended       after %lld evaluations of the equations of motion, before all was searched: "
                  "there may be more (more @starts allow more evaluations)\n", s->evaluations);
}

/* The free quantities, and the components that change with them. */
static void report_family(PfReport *r, const Find *f, const PfSteadyPoint *p)
{
  if (p->family) pf_report_print(r, "     free       ");
  pf_report_open(r, "free");
  for (int d = 0; d < p->family; d++) {
    const double *row = p->directions + (size_t)d*(size_t)f->steady.size;
    bool any = false;
    pf_report_string(r, NULL, free_name(f, p->free[d], false));
    pf_report_print(r, "  %s", free_name(f, p->free[d], true));
    for (int c = 0; c < f->steady.size; c++) {
      if (c == p->free[d] || row[c] == 0) continue;
      pf_report_print(r, "%s%s by %.4g", any ? ", " : " (with it ", f->words[c], row[c]);
      any = true;
    }
    if (any) pf_report_print(r, ")");
  }
  pf_report_close(r);
  if (p->family) pf_report_print(r, "\n");
  pf_report_integer(r, "family", p->family);
  pf_report_matrix(r, "directions", p->directions, p->family, f->steady.size);
}

static void report_eigenvalues(PfReport *r, const PfSteadyPoint *p)
{
  pf_report_complex(r, "eigenvalues", p->re, p->im, p->count);
  if (p->kink) return;
  pf_report_print(r, "     eigenvalues");
  pf_study_print_eigenvalues(r, &(Eigenvalues){p->count, p->re, p->im}, 7, " +- ");
}

static void report_point(PfReport *r, const Find *f, int number)
{
  const PfSteadyPoint *p = f->steady.points + number;
  int n = f->st.s.equations.n;
  Searched x;
  pf_report_open(r, NULL);
  pf_report_numbers(r, "x", p->x, f->steady.size);
  pf_report_numbers(r, "q", p->q, n);
  pf_report_numbers(r, "v", p->v, n);
  pf_report_number(r, "distance", p->distance);
  pf_report_string(r, "stability", pf_stability_name(p->stability));
  pf_report_integer(r, "unstable", p->unstable);
  pf_report_string(r, "kink", p->kink);
  pf_report_print(r, "\n  %d  ", number + 1);
  pf_report_print(r, "%s", pf_stability_name(p->stability));
  if (p->unstable) pf_report_print(r, " (%d eigenvalue%s to the right)", p->unstable, p->unstable > 1 ? "s" : "");
  if (p->kink) pf_report_print(r, " (the equations have a kink here, %s = 0: there is no linear model)", p->kink);
  else if (p->stability == PF_NEUTRAL) pf_report_print(r, " (linear terms do not decide)");
  if (p->family) pf_report_print(r, "; one of a family of %d dimension%s", p->family, p->family > 1 ? "s" : "");
  pf_report_print(r, "\n");
  pf_report_print(r, "     state      ");
  for (int i = 0; i < searched_count(f); i++)
    if (get_searched(f, i, p, &x)) pf_report_print(r, "  %s = %.10g", x.word, x.value);
  pf_report_print(r, "\n");
  report_family(r, f, p);
  report_eigenvalues(r, p);
  pf_report_close(r);
}

static void write_report(void *user, PfReport *r)
{
  const Find *f = user;
  const PfSteady *s = &f->steady;
  pf_study_report_state(&f->st, r, f->kind, s->names, s->cyclic, s->size);
  pf_study_report_names(&f->st, r, "coordinates", "coordinate_units", f->coordinates, f->st.s.model->coordinate_count);
  pf_report_integer(r, "starts", s->starts);
  pf_report_integer(r, "failed", s->failed);
  pf_report_integer(r, "near_starts", s->near_starts);
  pf_report_number(r, "radius", s->radius);
  pf_report_integer(r, "evaluations", s->evaluations);
  pf_report_bool(r, "spent", s->spent);
  pf_report_bool(r, "may_be_widened", may_be_widened(f));
  /* How many there are, which coordinates are cyclic, and where was searched. */
  static const char *const names[][2] = {{"equilibria", "equilibrium"}, {"steady motions", "steady motion"}};
  const char *comma = "";
  pf_report_print(r, "%s: %d %s\n\n", pf_model_label(f->st.s.model), s->count,
                  names[f->kind != PF_EQUILIBRIA][s->count == 1]);
  pf_report_print(r, "  cyclic      ");
  for (int c = 0; c < s->size; c++)
    if (s->cyclic[c]) pf_report_print(r, "%s%s", comma, s->names[c]), comma = ", ";
  pf_report_print(r, *comma ? "\n" : "none\n");
  print_searched(pf_report_page(r), f, "  searched    ", "\n");
  print_tried(pf_report_page(r), f);
  pf_report_open(r, "points");
  for (int i = 0; i < s->count; i++) report_point(r, f, i);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- files */

static PfStatus file_csv(void *user, PfText *text)
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
  return PF_OK;
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
  PfChart chart = {.title = pf_model_heading(f->st.s.model), .x_label = "real part of eigenvalues [1/s]",
                   .y_label = "imaginary part [1/s]", .count = f->steady.count, .series = list};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- computing */

/* The error when nothing was found: where was searched, and what to try. */
static PfStatus fail_empty(const Find *f)
{
  PfText text, searched;
  pf_text_init(&text, pf_context_allocator(f->st.s.ctx));
  pf_text_init(&searched, pf_context_allocator(f->st.s.ctx));
  print_tried(&text, f);
  print_searched(&searched, f, "; searched were ", "");
  pf_fail(f->st.s.ctx, PF_ERR_NUMBER, "no %s found", f->kind == PF_EQUILIBRIA ? "equilibrium" : "steady motion");
  pf_hint(f->st.s.ctx, "%.*s; there may be none, or look elsewhere by @within and with more @starts%s%s",
          (int)(text.count > 3 ? text.count - 3 : 0), pf_text_get(&text) + 2,
          f->st.original ? "; attitudes at which two of the angles turn about one axis, as upright, are left out" : "",
          pf_text_get(&searched));
  pf_text_free(&searched);
  pf_text_free(&text);
  return PF_ERR_NUMBER;
}

static PfStatus compute(Study *st)
{
  Find *f = (Find *)st;
  PfSteadyOptions options = {.kind = f->kind};
  PF_TRY(pf_study_prepare(st));
  PF_TRY(pf_task_warn_switching(&st->s, PF_SWITCHING_STATES));
  PF_TRY(pf_study_search(st, &options));
  PF_TRY(pf_steady_find(st->s.ctx, st->s.arena, st->field, &options, &f->steady));
  PF_TRY(show(f));
  return f->steady.count ? PF_OK : fail_empty(f);
}

/* ---------------------------------------------------------------- the commands */

static PfStatus find(const PfRequest *options, PfSteadyKind steady)
{
  static const StudyKind kind = {.compute = compute, .write = write_report,
                                 .files = {{"csv", file_csv}, {.write = file_svg}}};
  Find f = {.kind = steady};
  f.st.by_angles = steady != PF_EQUILIBRIA; /* at rest nothing is cyclic, and quaternions are regular everywhere */
  return pf_study_run(&kind, options, &f.st);
}

static PfStatus run_equilibria(const PfRequest *options)
{
  return find(options, PF_EQUILIBRIA);
}

static PfStatus run_steady(const PfRequest *options)
{
  return find(options, PF_STEADY);
}
