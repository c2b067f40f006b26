/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study portrait: motions as curves in a plane. */
#include "task/study.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "show", .argument = "a,b",
   .help = "the plane: any two quantities of the model, as x', nu[1], energy or l*theta'"},
  {.name = "within", .argument = "a=…,b=…",
   .help = "where in the plane the curves begin, bare numbers in the units that are shown (default: around the start)"},
  {.name = "starts", .help = "so many curves (25), the first one from the start of the model"},
  {.name = "for", .help = "seconds forwards, and backwards unless the curve is closed"},
  {.name = "out", .help = "writes the curves to a file, or a picture of them"},
  {0}};

const PfTask pf_portrait_task = {
  .name = "portrait", .command = "study portrait",
  .summary = "motions as curves in the plane of two quantities, on level sets of integrals; periods",
  .operands = "FILE",
  .about = "Follows motions from several places and shows them as curves in a plane. Closed curves are recognised and "
           "have a period. Pictures have arrows, and dots where lines of steady motions cross the plane.",
  .takes = TAKES_STATE TAKES_METHOD "show keep within starts out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .examples = "@call{portrait @show{\"y,y'\"} @for{5} @out{y.svg} examples/classics/henon_heiles.pf}\n",
  .fields = pf_portrait_fields,
  .run = run};

typedef struct Portrait {
  Study st;
  Plane plane;
  PfPortrait p; /* in the units of the names */
} Portrait;

/* From SI, as it was found, to what is written. */
static void show(Portrait *p)
{
  const char *const *names = p->plane.names;
  for (int i = 0; i < p->p.count; i++) {
    PfOrbit *o = p->p.orbits + i;
    pf_study_show(&p->st, names, 2, o->start);
    pf_study_show_one(&p->st, names[0], o->count, o->a);
    pf_study_show_one(&p->st, names[1], o->count, o->b);
  }
  pf_study_show_one(&p->st, names[0], p->p.steady_count, p->p.steady_a);
  pf_study_show_one(&p->st, names[1], p->p.steady_count, p->p.steady_b);
  pf_study_show(&p->st, names, 2, p->plane.at.low);
  pf_study_show(&p->st, names, 2, p->plane.at.high);
}

/* ---------------------------------------------------------------- the report */

static const PfField curve_fields[] = {
  PF_FIELD("start", NUMBERS, "the two quantities where the curve begins"),
  PF_FIELD_OR_NULL("period", NUMBER, "period of a closed curve, in s; null when it does not close"),
  PF_FIELD("end", STRING, "why the curve ends"),
  PF_FIELD("a", NUMBERS, "the first quantity along the curve"),
  PF_FIELD("b", NUMBERS, "the second quantity along the curve"),
  {0}};

static const PfField steady_fields[] = {
  PF_FIELD("a", NUMBERS, "the first quantity at these points"),
  PF_FIELD("b", NUMBERS, "the second quantity at these points"),
  {0}};

const PfField pf_portrait_fields[] = {
  PF_FIELD_MODEL,
  PF_STUDY_PLANE_FIELDS,
  PF_FIELD("keep", STRINGS, "quantities that have the same value on all curves"),
  PF_FIELD("failed", INTEGER, "places where a curve should begin and these quantities cannot have that value"),
  PF_FIELD_RECORDS("curves", curve_fields, "the motions, the first one from the start of the model"),
  PF_FIELD_RECORD("steady", steady_fields, "points where lines of steady motions cross the plane"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void write_report(void *user, PfReport *r)
{
  Portrait *p = user;
  const Plane *plane = &p->plane;
  const char *const *names = plane->names;
  pf_report_string(r, "model", pf_model_label(p->st.s.model));
  pf_study_report_names(&p->st, r, "show", "units", names, 2);
  pf_report_strings(r, "keep", plane->keep_names, plane->at.keep_count);
  pf_report_integer(r, "failed", p->p.failed);
  pf_report_print(r, "%s: %d curve%s in the plane of %s and %s%s", pf_model_label(p->st.s.model), p->p.count,
                  p->p.count == 1 ? "" : "s", names[0], names[1], plane->at.keep_count ? ", with the same " : "");
  if (plane->at.keep_count) pf_study_print_names(r, plane->keep_names, plane->at.keep_count);
  pf_report_print(r, "\n");
  pf_study_print_failed(r, p->p.failed);
  pf_report_print(r, "\n  begin %8s %14s  %s\n", pf_study_word(&p->st, names[0]), pf_study_word(&p->st, names[1]),
                  "period [s]");
  pf_report_open(r, "curves");
  for (int i = 0; i < p->p.count; i++) {
    const PfOrbit *o = p->p.orbits + i;
    pf_report_open(r, NULL);
    pf_report_numbers(r, "start", o->start, 2);
    pf_report_number(r, "period", o->period);
    pf_report_string(r, "end", o->end);
    pf_report_numbers(r, "a", o->a, o->count);
    pf_report_numbers(r, "b", o->b, o->count);
    pf_report_close(r);
    pf_report_print(r, "  %14.6g %14.6g  ", o->start[0], o->start[1]);
    if (isnan(o->period)) pf_report_print(r, "not closed: %s\n", o->end);
    else pf_report_print(r, "%.13g\n", o->period);
  }
  pf_report_close(r);
  pf_report_open(r, "steady");
  pf_report_numbers(r, "a", p->p.steady_a, p->p.steady_count);
  pf_report_numbers(r, "b", p->p.steady_b, p->p.steady_count);
  pf_report_close(r);
  if (p->p.steady_count)
    pf_report_print(r, "\n  lines of steady motions cross this part of the plane; @out shows them\n");
}

/* ---------------------------------------------------------------- files */

static PfStatus file_csv(void *user, PfText *text)
{
  Portrait *p = user;
  pf_text_add(text, "curve");
  for (int i = 0; i < 2; i++) pf_study_csv_head(&p->st, text, p->plane.names[i]);
  pf_text_add(text, "\n");
  for (int i = 0; i < p->p.count; i++)
    for (int k = 0; k < p->p.orbits[i].count; k++)
      pf_text_print(text, "%d,%.17g,%.17g\n", i + 1, p->p.orbits[i].a[k], p->p.orbits[i].b[k]);
  return PF_OK;
}

static PfStatus file_svg(void *user, PfText *text)
{
  Portrait *p = user;
  PfSeries *list = pf_arena_array(p->st.s.arena, PfSeries, p->p.count + 1);
  int count = p->p.count;
  if (!list) return pf_no_room(p->st.s.ctx, "the study");
  for (int i = 0; i < p->p.count; i++) {
    const PfOrbit *o = p->p.orbits + i;
    bool closed = !isnan(o->period);
    list[i] = (PfSeries){.count = o->count, .x = o->a, .y = o->b, .label = closed ? "closed" : "not closed",
                         .color = closed ? 0 : 1, .dash = PF_DASH_SOLID, .directed = true};
  }
  if (p->p.steady_count)
    list[count] = (PfSeries){.count = p->p.steady_count, .x = p->p.steady_a, .y = p->p.steady_b, .label = "steady",
                             .color = 6, .mark = PF_MARK_DOT};
  count += p->p.steady_count > 0;
  const PfPlane *at = &p->plane.at;
  double dx = 0.25*(at->high[0] - at->low[0]), dy = 0.25*(at->high[1] - at->low[1]);
  PfChart chart = {.title = pf_model_heading(p->st.s.model), .x_label = pf_study_head(&p->st, p->plane.names[0]),
                   .y_label = pf_study_head(&p->st, p->plane.names[1]),
                   .count = count, .series = list, .given = true, .x_low = at->low[0] - dx,
                   .x_high = at->high[0] + dx, .y_low = at->low[1] - dy, .y_high = at->high[1] + dy};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- computing */

static PfStatus compute(Study *st)
{
  Portrait *p = (Portrait *)st;
  PfPortraitOptions options = {0};
  PF_TRY(pf_study_prepare(st));
  PF_TRY(pf_study_move(st, 1e-11, &options.span));
  PF_TRY(pf_study_plane(st, &p->plane));
  options.plane = p->plane.at;
  PF_TRY(pf_study_starts(st, 25, &options.starts));
  PF_TRY(pf_portrait(st->s.arena, st->field, st->motion.sim, &options, &p->p));
  if (p->p.forwards)
    pf_warn_at(st->s.ctx, (PfPlace){0}, "the curves go forwards in time only: the model has %s",
               st->s.model->complete ? "events" : "forces that switch (sign, if, …)");
  show(p);
  return PF_OK;
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {.compute = compute,
                                 .write = write_report, .files = {{"csv", file_csv}, {.write = file_svg}}};
  Portrait p = {.st = {.moves = true}};
  return pf_study_run(&kind, options, &p.st);
}
