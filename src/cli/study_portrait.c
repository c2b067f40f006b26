/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study portrait: motions as curves in a plane. */
#include "cli/study.h"

#include <math.h>
#include <string.h>

static int run(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "show", .argument = "a,b",
   .help = "the plane: any two quantities of the model, as x', nu[1], energy or l*theta'"},
  {.name = "within", .argument = "a=…,b=…",
   .help = "where in the plane the curves begin, bare numbers in the units that are shown (default: around the start)"},
  {.name = "starts", .help = "so many curves (25), the first one from the start of the model"},
  {.name = "for", .help = "seconds forwards, and backwards unless the curve is closed"},
  {.name = "out", .help = "writes the curves to a file, or a picture of them"},
  {0}};

const Command pf_study_portrait = {
  .name = "study portrait",
  .summary = "motions as curves in the plane of two quantities, on level sets of integrals; periods",
  .operands = "FILE",
  .about = "Follows motions from several places and shows them as curves in a plane. Closed curves are recognised and "
           "have a period. Pictures have arrows, and dots where lines of steady motions cross the plane.",
  .takes = TAKES_STATE TAKES_METHOD "show keep within starts out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .examples = "pfaff study portrait --show \"y,y'\" --for 5 --out y.svg "
              "examples/classics/henon_heiles.pf\n",
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
  pf_study_show_one(&p->st, names[0], p->p.rest_count, p->p.rest_a);
  pf_study_show_one(&p->st, names[1], p->p.rest_count, p->p.rest_b);
  pf_study_show(&p->st, names, 2, p->plane.at.low);
  pf_study_show(&p->st, names, 2, p->plane.at.high);
}

/* ---------------------------------------------------------------- text */

static void write_text(void *user, PfText *text)
{
  Portrait *p = user;
  pf_text_print(text, "%s: %d curve%s in the plane of %s and %s", pf_cli_name(p->st.s.model), p->p.count,
                p->p.count == 1 ? "" : "s", p->plane.names[0], p->plane.names[1]);
  for (int k = 0; k < p->plane.at.keep_count; k++)
    pf_text_print(text, "%s%s", k ? ", " : ", with the same ", p->plane.keep_names[k]);
  pf_text_add(text, "\n");
  if (p->p.failed) pf_text_print(text, "  at %d places what is kept cannot have its value\n", p->p.failed);
  pf_text_print(text, "\n  begin %8s %14s  %s\n", pf_study_word(&p->st, p->plane.names[0]),
                pf_study_word(&p->st, p->plane.names[1]), "period [s]");
  for (int i = 0; i < p->p.count; i++) {
    const PfOrbit *o = p->p.orbits + i;
    pf_text_print(text, "  %14.6g %14.6g  ", o->start[0], o->start[1]);
    if (isnan(o->period)) pf_text_print(text, "not closed: %s\n", o->end);
    else pf_text_print(text, "%.13g\n", o->period);
  }
  if (p->p.rest_count)
    pf_text_add(text, "\n  lines of steady motions cross this part of the plane; --out shows them\n");
}

/* ---------------------------------------------------------------- JSON */

static void write_json(void *user, PfJson *json)
{
  const Portrait *p = user;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(p->st.s.model));
  pf_study_json_names(json, "show", p->plane.names, 2);
  pf_study_json_units(&p->st, json, "units", p->plane.names, 2);
  pf_study_json_names(json, "keep", p->plane.keep_names, p->plane.at.keep_count);
  pf_json_integer(json, "failed", p->p.failed);
  pf_json_open(json, "curves", '[');
  for (int i = 0; i < p->p.count; i++) {
    const PfOrbit *o = p->p.orbits + i;
    pf_json_open(json, NULL, '{');
    pf_study_json_numbers(json, "start", o->start, 2);
    pf_json_number(json, "period", o->period);
    pf_json_string(json, "end", o->end);
    pf_study_json_numbers(json, "a", o->a, o->count);
    pf_study_json_numbers(json, "b", o->b, o->count);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_open(json, "steady", '{');
  pf_study_json_numbers(json, "a", p->p.rest_a, p->p.rest_count);
  pf_study_json_numbers(json, "b", p->p.rest_b, p->p.rest_count);
  pf_json_close(json, '}');
  pf_cli_json_diagnostics(p->st.s.ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- files */

static void file_csv(void *user, PfText *text)
{
  Portrait *p = user;
  pf_text_add(text, "curve");
  for (int i = 0; i < 2; i++) pf_study_csv_head(&p->st, text, p->plane.names[i]);
  pf_text_add(text, "\n");
  for (int i = 0; i < p->p.count; i++)
    for (int k = 0; k < p->p.orbits[i].count; k++)
      pf_text_print(text, "%d,%.17g,%.17g\n", i + 1, p->p.orbits[i].a[k], p->p.orbits[i].b[k]);
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
  if (p->p.rest_count)
    list[count] = (PfSeries){.count = p->p.rest_count, .x = p->p.rest_a, .y = p->p.rest_b, .label = "steady",
                             .color = 6, .mark = PF_MARK_DOT};
  count += p->p.rest_count > 0;
  const PfPlane *at = &p->plane.at;
  double dx = 0.25*(at->high[0] - at->low[0]), dy = 0.25*(at->high[1] - at->low[1]);
  PfChart chart = {.title = pf_cli_title(p->st.s.model), .x_label = pf_study_head(&p->st, p->plane.names[0]),
                   .y_label = pf_study_head(&p->st, p->plane.names[1]),
                   .count = count, .series = list, .given = true, .x_low = at->low[0] - dx,
                   .x_high = at->high[0] + dx, .y_low = at->low[1] - dy, .y_high = at->high[1] + dy};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

static const StudyWriters writers = {file_csv, write_json, file_svg};

/* ---------------------------------------------------------------- the command */

static PfStatus work(Study *st)
{
  Portrait *p = (Portrait *)st;
  PfPortraitOptions options = {0};
  PF_TRY(pf_study_move(st, 1e-11, &options.span));
  PF_TRY(pf_study_plane(st, &p->plane));
  options.plane = p->plane.at;
  PF_TRY(pf_study_starts(st, 25, &options.starts));
  PF_TRY(pf_portrait(st->s.arena, st->field, st->motion.sim, &options, &p->p));
  if (p->p.forwards)
    pf_warn_at(st->s.ctx, (PfPlace){0}, "the curves go forwards in time only: the model has %s",
               st->s.model->complete ? "events" : "forces that switch (sign, if, …)");
  show(p);
  return st->options->out ? pf_study_write(&p->st, &writers) : PF_OK;
}

static int run(const Console *console, int argc, char **argv)
{
  Portrait p = {.st = {.moves = true}};
  int code = pf_study_run(&pf_study_portrait, console, argc, argv, &p.st, work, write_json, write_text);
  pf_study_close(&p.st);
  return code;
}
