/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study poincare: a section of motions, and the largest Lyapunov exponent. */
#include "task/study.h"
#include "study/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "show", .argument = "a,b",
   .help = "what is shown: any two quantities of the model, as x', nu[1], energy or l*theta'"},
  {.name = "within", .argument = "a=…,b=…",
   .help = "where the others begin, with the values of @keep that the first one has"},
  {.name = "starts", .help = "so many motions (1), the first one from the start of the model"},
  {.name = "out", .help = "writes the points to a file, or a picture of them"},
  {0}};

static const SettingNeed needs[] = {
  {.names = "within keep", .with = "starts"},
  {0}};

const PfTask pf_poincare_task = {
  .name = "poincare", .command = "study poincare",
  .summary = "points where motions pass a section, and the largest Lyapunov exponent",
  .operands = "FILE",
  .about = "Lists the points in which motions pass a section. The exponent belongs to the first motion: a positive one "
           "means that small deviations grow, by chaos or in an unstable motion.",
  .takes = TAKES_STATE TAKES_METHOD "section show keep within starts skip out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "@call{poincare @section{x=0} @show{\"y,y'\"} @for{60} examples/classics/henon_heiles.pf}\n",
  .fields = pf_poincare_fields,
  .run = run};

typedef struct Poincare {
  Study st;
  Plane plane;
  PfSectionOptions options;
  PfSection section;
  const char *title; /* of the picture: the model, the section, and what its motions have in common */
} Poincare;

/* ---------------------------------------------------------------- the report */

const PfField pf_poincare_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("section", STRING, "the section: a quantity and its value, or t and the time between two points"),
  PF_STUDY_PLANE_FIELDS,
  PF_FIELD_OR_NULL("lyapunov", NUMBER,
           "largest Lyapunov exponent of the first motion, in 1/s; null where events or forces that switch leave none"),
  PF_FIELD_OR_NULL("lyapunov_half", NUMBER,
                   "the same after half of the time: both are near each other when it has converged"),
  PF_FIELD_OR_NULL("ended_early", STRING, "why the first motion ended before its time; else null"),
  PF_FIELD("t", NUMBERS, "times of the points, in s"),
  PF_FIELD("a", NUMBERS, "the first quantity at the points"),
  PF_FIELD("b", NUMBERS, "the second quantity at the points"),
  PF_FIELD_LIST("motion", INTEGER, "index of the motion to which each point belongs"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void write_report(void *user, PfReport *r)
{
  Poincare *p = user;
  const PfSection *s = &p->section;
  const char *model = pf_model_label(p->st.s.model), *section = p->st.options->section;
  pf_report_string(r, "model", model);
  pf_report_string(r, "section", section);
  pf_study_report_names(&p->st, r, "show", "units", p->plane.names, 2);
  pf_report_print(r, "%s: %d points of %d motion%s, %s\n\n", model, s->count, p->options.orbits,
                  p->options.orbits == 1 ? "" : "s", section);
  pf_report_string(r, "ended_early", s->end);
  if (s->end) pf_report_print(r, "  the first motion ends early: %s\n", s->end);
  pf_study_print_failed(r, s->failed);
  pf_report_number(r, "lyapunov", s->exponent);
  pf_report_number(r, "lyapunov_half", s->before);
  if (isnan(s->exponent)) pf_report_print(r, "  no Lyapunov exponent");
  else pf_report_print(r, "  largest Lyapunov exponent %.6g 1/s", s->exponent);
  if (isfinite(s->before)) pf_report_print(r, " (%.6g after half the time)", s->before);
  pf_report_print(r, "\n");
  enum { SHOWN = 20 };
  pf_report_numbers(r, "t", s->t, s->count);
  pf_report_numbers(r, "a", s->a, s->count);
  pf_report_numbers(r, "b", s->b, s->count);
  pf_report_open(r, "motion");
  for (int i = 0; i < s->count; i++) pf_report_integer(r, NULL, s->orbit[i]);
  pf_report_close(r);
  if (!s->count) return;
  pf_report_print(r, "\n  %14s %14s %14s\n", "t", pf_study_word(&p->st, p->plane.names[0]),
                  pf_study_word(&p->st, p->plane.names[1]));
  for (int i = 0; i < s->count && i < SHOWN; i++)
    pf_report_print(r, "  %14.8g %14.8g %14.8g\n", s->t[i], s->a[i], s->b[i]);
  if (s->count > SHOWN) pf_report_print(r, "  … and %d more; @out writes them all\n", s->count - SHOWN);
}

/* ---------------------------------------------------------------- files */

static PfStatus file_csv(void *user, PfText *text)
{
  Poincare *p = user;
  const PfSection *s = &p->section;
  pf_text_add(text, "motion");
  pf_study_csv_head(&p->st, text, "t");
  for (int i = 0; i < 2; i++) pf_study_csv_head(&p->st, text, p->plane.names[i]);
  pf_text_add(text, "\n");
  for (int i = 0; i < s->count; i++)
    pf_text_print(text, "%d,%.17g,%.17g,%.17g\n", s->orbit[i] + 1, s->t[i], s->a[i], s->b[i]);
  return PF_OK;
}

/* "start 2", as the motions are counted; none where there are too many to be told apart. */
static const char *start_label(const Poincare *p, int orbit)
{
  enum { MOST_TOLD = 8, ROOM = 24 };
  char *label = p->options.orbits > 1 && p->options.orbits <= MOST_TOLD ? pf_arena_alloc(p->st.s.arena, ROOM, 1) : NULL;
  if (label) snprintf(label, ROOM, "start %d", orbit + 1);
  return label;
}

/* One series per motion, in turn in the colours of the palette. */
static PfStatus file_svg(void *user, PfText *text)
{
  Poincare *p = user;
  const PfSection *s = &p->section;
  PfSeries *list = pf_arena_array(p->st.s.arena, PfSeries, p->options.orbits);
  int count = 0;
  if (!list) return pf_no_room(p->st.s.ctx, "the study");
  for (int i = 0; i < s->count;) {
    int last = i;
    while (last + 1 < s->count && s->orbit[last + 1] == s->orbit[i]) last++;
    list[count] = (PfSeries){.count = last - i + 1, .x = s->a + i, .y = s->b + i, .color = s->orbit[i],
                             .note = start_label(p, s->orbit[i]), .mark = PF_MARK_DOT};
    count++;
    i = last + 1;
  }
  PfChart chart = {.title = p->title, .x_label = pf_study_head(&p->st, p->plane.names[0]),
                   .y_label = pf_study_head(&p->st, p->plane.names[1]),
                   .count = count, .series = list};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- computing */

/* NAME=VALUE, or t=T. */
static PfStatus read_section(Poincare *p)
{
  const char *text = p->st.options->section, *equals = text ? strchr(text, '=') : NULL;
  char name[128], what[256];
  double value;
  if (!equals || equals == text || equals - text >= (int)sizeof name || !equals[1]) {
    if (text) pf_fail(p->st.s.ctx, PF_ERR_ARGUMENT, "@section{%s}: write NAME=VALUE", text);
    else pf_fail(p->st.s.ctx, PF_ERR_ARGUMENT, "@section is missing: write NAME=VALUE");
    pf_hint(p->st.s.ctx, "as in @section{theta=0}, or @section{t=2} for an instant every 2 seconds");
    return PF_ERR_ARGUMENT;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  snprintf(what, sizeof what, "section %s", text);
  PF_TRY(pf_study_value(&p->st, what, name, equals + 1, text + strlen(text), &value));
  if (!strcmp(name, "t")) {
    p->options.every = value;
    return value > 0 ? PF_OK : pf_fail(p->st.s.ctx, PF_ERR_ARGUMENT, "@section{%s}: a positive time is needed", text);
  }
  p->options.value = value;
  PfQuantity quantity;
  PF_TRY(pf_study_quantity(&p->st, "section", name, &quantity));
  return pf_study_handle(&p->st, name, quantity, &p->options.section);
}

static PfStatus read_skip(Poincare *p)
{
  double given = p->st.options->skip;
  if (isnan(given)) return PF_OK;
  p->options.skip = given;
  return given >= 0 ? PF_OK : pf_fail(p->st.s.ctx, PF_ERR_ARGUMENT, "@skip: %g is before the start", given);
}

/* ", energy = 0.125 J", where the field is. */
static PfStatus add_value(Poincare *p, PfText *title, const char *name, PfQuantity quantity)
{
  double value, *outputs = pf_arena_array(p->st.s.arena, double, p->st.output_count);
  if (!outputs) return pf_no_room(p->st.s.ctx, "the study");
  PF_TRY(pf_quantity_value(p->st.field, quantity, outputs, &value));
  pf_study_show_one(&p->st, name, 1, &value);
  const char *head = pf_study_head(&p->st, name), *unit = strstr(head, " [");
  int length = unit ? (int)strlen(unit) - 3 : 0;
  pf_text_print(title, ", %s = %s%.6g%s%.*s", name, value < 0 ? "−" : "", fabs(value), unit ? " " : "", length,
                unit ? unit + 2 : "");
  return PF_OK;
}

/* The section, and what is kept; of a single motion its energy at the start. */
static PfStatus put_title(Poincare *p, PfText *title)
{
  const char *section = p->st.options->section, *equals = strchr(section, '=');
  PfQuantity energy;
  pf_text_print(title, "%s: %.*s = %s", pf_model_heading(p->st.s.model), (int)(equals - section), section, equals + 1);
  for (int k = 0; k < p->plane.at.keep_count; k++)
    PF_TRY(add_value(p, title, p->plane.keep_names[k], p->plane.keep[k]));
  if (p->options.orbits > 1) return PF_OK;
  PF_TRY(pf_study_quantity(&p->st, "section", "energy", &energy));
  return add_value(p, title, "energy", energy);
}

static PfStatus compute(Study *st)
{
  Poincare *p = (Poincare *)st;
  PfSectionOptions *o = &p->options;
  PF_TRY(pf_study_prepare(st));
  PF_TRY(pf_study_move(st, 1e-9, &o->span));
  PF_TRY(read_section(p));
  PF_TRY(read_skip(p));
  PF_TRY(pf_study_plane(st, &p->plane));
  o->plane = p->plane.at;
  PF_TRY(pf_study_starts(st, 1, &o->orbits));
  PfText title;
  pf_text_init(&title, pf_context_allocator(p->st.s.ctx));
  PfStatus status = put_title(p, &title);
  p->title = pf_arena_text(p->st.s.arena, pf_text_get(&title), title.count);
  pf_text_free(&title);
  PF_TRY(status == PF_OK && !p->title ? pf_no_room(p->st.s.ctx, "the study") : status);
  PF_TRY(pf_section(st->s.arena, st->field, st->motion.sim, o, &p->section));
  if (p->section.jumps)
    pf_warn_at(st->s.ctx, (PfPlace){0}, "there is no Lyapunov exponent: deviations jump %s",
               st->s.model->complete ? "at events" : "where forces switch (sign, if, …)");
  pf_study_show_one(st, p->plane.names[0], p->section.count, p->section.a);
  pf_study_show_one(st, p->plane.names[1], p->section.count, p->section.b);
  return PF_OK;
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {.compute = compute,
                                 .write = write_report, .files = {{"csv", file_csv}, {.write = file_svg}}};
  Poincare p = {.st = {.moves = true}};
  return pf_study_run(&kind, options, &p.st);
}
