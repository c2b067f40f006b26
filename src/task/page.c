/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff page: the model, and trajectories of it, in one file for a browser, which has the engine inside. */
#include "task/page.h"

#include "task/run.h"
#include "out/page.h"

#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "by", .help = "the integrator in the page (default: that of the model, or dopri5); not those of SUNDIALS"},
  {.name = "out", .argument = "FILE.html", .help = "the page (default: the name of the model with .html)"},
  {.name = "json", .help = "what was written, and diagnostics, for programs on standard output"},
  {0}};

const PfTask pf_page_task = {
  .name = "page", .summary = "the machine in motion as one file for a browser",
  .operands = "[TRAJECTORY.csv…] FILE",
  .about = "Writes a page to be opened, mailed or put on a web site. The engine is in it: it moves, derives and plots "
           "the model without a network, with sliders for parameters and starts. What is given here is what the page "
           "begins with. Trajectories of the model, from @task{run @out}, are shown beside what the page computes.",
  .takes = TAKES_STATE TAKES_METHOD "every template out json ",
  .writes = {"html"},
  .own = own,
  .examples = "@call{page @out{snakeboard.html} examples/skates/snakeboard_bodies.pf}\n"
              "@call{page @p{m=7} @for{5} @by{rk4} @step{0.01} @out{heavy.html} "
              "examples/skates/snakeboard.pf}\n",
  .most_files = MOST_FILES,
  .fields = pf_page_fields,
  .run = run};

/* ---------------------------------------------------------------- files */

/* One model, and trajectories before or after it. */
static PfStatus sort_files(Page *p)
{
  PfContext *ctx = p->s.ctx;
  const char *model = NULL;
  for (int i = 0; i < p->options.file_count; i++) {
    const char *path = p->options.files[i];
    if (pf_table_is_file(path)) p->tracks[p->track_count++].path = path;
    else if (pf_table_is_other(path)) return pf_table_refuse(ctx, "page", path);
    else if (model) return pf_fail(ctx, PF_ERR_ARGUMENT, "one model at a time, not '%s' and '%s'", model, path);
    else model = path;
  }
  if (!model) return pf_fail(ctx, PF_ERR_ARGUMENT, "a model is missing beside the trajectory '%s'", p->options.file);
  p->options.file = model;
  return PF_OK;
}

/* robot.html of models/robot.pf, in `name`. */
static PfStatus choose_name(Page *p, char name[], size_t room)
{
  if (p->options.out) return PF_OK;
  const char *base = pf_task_base_name(p->options.file), *dot = strrchr(base, '.');
  int length = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
  if (!strcmp(base, "-"))
    return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "@out{FILE.html} is needed: what comes from standard input has no name");
  if (snprintf(name, room, "%.*s.html", length, base) >= (int)room)
    return pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "the name of the model is too long for a page: use @out");
  p->options.out = name;
  return pf_task_spare_files(p->s.ctx, &p->options, "out", name);
}

/* ---------------------------------------------------------------- the page */

/* Which methods the page has is known here already. */
static PfStatus check_method(const Page *p)
{
  const char *name = p->motion.settings.method;
  const PfMethod *method = name ? pf_method_find(name) : NULL;
  if (!method || !pf_method_library(method)) return PF_OK;
  pf_fail(p->s.ctx, PF_ERR_ARGUMENT, "the page computes the motion itself, without %s: it cannot move by %s",
          pf_method_library(method), name);
  pf_hint(p->s.ctx, "@by{dopri5}, generalized_alpha or another method of our own, see @task{run @help}");
  return PF_ERR_ARGUMENT;
}

static PfStatus write(Page *p, PfReport *data)
{
  PfText text, json = {.at = (char *)(uintptr_t)pf_report_json(data)};
  json.count = strlen(json.at) - 1; /* without the end of the line */
  pf_text_init(&text, pf_context_allocator(p->s.ctx));
  PfStatus status = pf_page_fill(p->s.ctx, p->empty_name, p->empty, p->empty_size, pf_model_heading(p->s.model), &json,
                                 &text);
  if (status == PF_OK) status = pf_check_cancelled(p->s.ctx);
  if (status == PF_OK) status = pf_task_write(p->s.ctx, &p->options, &text);
  p->size = text.count;
  pf_text_free(&text);
  return status;
}

static PfStatus make(Page *p)
{
  PfReport *data = NULL;
  PF_TRY(pf_task_open(&p->s, &p->options));
  PF_TRY(pf_page_find(p));
  PF_TRY(pf_task_place(&p->motion, &p->s, &p->options));
  PF_TRY(check_method(p));
  PF_TRY(pf_task_scene(p->motion.sim, &p->scene));
  PF_TRY(pf_task_begin(&p->motion));
  for (int i = 0; i < p->track_count; i++) PF_TRY(pf_page_read_track(p, p->tracks + i));
  PfStatus status = pf_page_data(p, &data);
  if (status == PF_OK) status = write(p, data);
  pf_report_free(data);
  return status;
}

/* ---------------------------------------------------------------- the report */

static const PfField track_fields[] = {
  PF_FIELD("name", STRING, "path of the trajectory"),
  PF_FIELD("rows", INTEGER, "rows that are in the page"),
  PF_FIELD("of", INTEGER, "rows of the trajectory"),
  PF_FIELD("poses", INTEGER, "rows at which the bodies are shown"),
  PF_FIELD_OR_NULL("diagnostic", STRING, "why only curves are shown; null: the bodies are, too"),
  {0}};

const PfField pf_page_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("page", STRING, "path of the page"),
  PF_FIELD("bytes", INTEGER, "size of the page"),
  PF_FIELD("forms", INTEGER, "forms of the equations that are in the page"),
  PF_FIELD_RECORDS("tracks", track_fields, "trajectories that are in the page"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void print_path(const char *path, PfReport *r)
{
  pf_text_add_escaped(pf_report_page(r), path, strlen(path), ""); /* one line, whatever is in it */
}

static void report_track(const Track *t, PfReport *r)
{
  int rows = pf_table_rows(&t->table);
  pf_report_open(r, NULL);
  pf_report_string(r, "name", t->path);
  pf_report_integer(r, "rows", rows);
  pf_report_integer(r, "of", t->of);
  pf_report_integer(r, "poses", (long long)t->poses);
  pf_report_string(r, "diagnostic", t->why);
  pf_report_close(r);
  if (rows >= t->of && !t->why) return;
  pf_report_print(r, "  ");
  print_path(t->path, r);
  if (rows < t->of) pf_report_print(r, ": %d of %d rows, all extremes among them", rows, t->of);
  if (t->why) pf_report_print(r, "%s only its curves are shown, %s", rows < t->of ? ";" : ":", t->why);
  pf_report_print(r, "\n");
}

static void write_report(void *user, PfReport *r)
{
  const Page *p = user;
  bool large = p->size >= 1000*1000;
  pf_report_string(r, "model", pf_model_label(p->s.model));
  pf_report_string(r, "page", p->options.out);
  pf_report_integer(r, "bytes", (long long)p->size);
  pf_report_integer(r, "forms", p->forms);
  print_path(p->options.out, r);
  pf_report_print(r, large ? ": %.1f MB, opens in any browser\n" : ": %.0f kB, opens in any browser\n",
                  (double)p->size/(large ? 1e6 : 1e3));
  pf_report_open(r, "tracks");
  for (int i = 0; i < p->track_count; i++) report_track(p->tracks + i, r);
  pf_report_close(r);
}

static PfStatus run(const PfRequest *options)
{
  Page p = {.options = *options};
  char name[256];
  p.s.ctx = pf_task_context(options);
  PfStatus status = p.s.ctx ? sort_files(&p) : PF_ERR_MEMORY;
  if (status == PF_OK) status = choose_name(&p, name, sizeof name);
  if (status == PF_OK) {
    pf_context_free(p.s.ctx); /* the model has one of its own */
    status = make(&p);
  }
  status = pf_task_report(p.s.ctx, status, &p.options, &p, write_report);
  for (int i = 0; i < p.track_count && p.s.ctx; i++) pf_page_free_track(&p, p.tracks + i);
  pf_scene_free(p.scene);
  pf_task_end(&p.motion);
  pf_task_close(&p.s);
  return status;
}
