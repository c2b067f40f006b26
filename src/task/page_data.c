/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page: the model as text, how it is run, its equations, trajectories. */
#include "task/derive.h"
#include "task/page.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 1, LARGEST_DATA = 64*1000*1000, LARGEST_FORM = 2*1000*1000 };
/* The work that all forms of the equations may take, in polls for cancellation: algebra polls about a million times a
 * second, and as often on every machine, so that a page does not depend on the speed of the one that makes it. */
enum { MOST_POLLS = 4*1000*1000 };

/* ---------------------------------------------------------------- fields */

/* Settings of the run that were given. */
static const PfField run_fields[] = {
#define TYPE_FLAG .type = PF_TYPE_BOOL
#define TYPE_TEXT .type = PF_TYPE_STRING
#define TYPE_LIST .type = PF_TYPE_MAP, .of = PF_TYPE_STRING
#define TYPE_NUMBER .type = PF_TYPE_NUMBER
#define TYPE_POSITIVE .type = PF_TYPE_NUMBER
#define TYPE_FRACTION .type = PF_TYPE_NUMBER
#define TYPE_COUNT .type = PF_TYPE_NUMBER
#define SETTING(kind, member, name, letter, argument, unit, group, standard, values, help) \
  {.key = name, TYPE_##kind, .optional = true, .about = PF_ABOUT(help)},
#include "task/settings.def"
#undef SETTING
  {0}};

static const PfField track_fields[] = {
  PF_FIELD("name", STRING, "name of its file"),
  PF_FIELD("columns", STRINGS, "names of the columns, t first"),
  PF_FIELD("units", STRINGS, "their units"),
  PF_FIELD("rows", INTEGER, "rows that are here"),
  PF_FIELD("of", INTEGER, "rows of the file"),
  {.key = "data", .type = PF_TYPE_NUMBERS, .base64 = 8,
   .about = PF_ABOUT("base64 of the numbers, row by row, 8 bytes each")},
  PF_FIELD_OPTIONAL("stride", INTEGER, "there are poses of the rows 0, stride, 2 stride …"),
  {.key = "poses", .type = PF_TYPE_NUMBERS, .base64 = 4, .nullable = true,
   .about = PF_ABOUT("base64 of the poses, as 'motion' of 'draw' has them, 4 bytes each; null: they are not known")},
  PF_FIELD_OR_NULL("diagnostic", STRING, "why there are no poses; null: there are"),
  {0}};

const PfField pf_page_data_fields[] = {
  PF_FIELD("format", INTEGER, "1"),
  PF_FIELD("version", STRING, "of the program that made it"),
  PF_FIELD("title", STRING, "of the page"),
  PF_FIELD("file", STRING, "name of the model's file"),
  PF_FIELD("text", STRING, "the model"),
  PF_FIELD_RECORD("run", run_fields, "settings of the run, by their names"),
  PF_FIELD_RECORDS("tracks", track_fields, "trajectories next to the computed one"),
  {.key = "derived", .type = PF_TYPE_MAP, .of = PF_TYPE_RECORD, .fields = pf_derivation_fields,
   .about = PF_ABOUT("the equations, by the names of their forms")},
  {0}};

/* ---------------------------------------------------------------- settings */

/* {"m": "7"} of -p m=7. Names are given once. */
static void put_pairs(PfReport *r, const char *key, const Texts *texts)
{
  pf_report_open(r, key);
  for (int i = 0; i < texts->count; i++) {
    char name[PF_LONGEST_NAME];
    const char *value;
    if (pf_task_split(texts->at[i], name, &value)) pf_report_string(r, name, value);
  }
  pf_report_close(r);
}

/* ---------------------------------------------------------------- equations */

typedef struct Budget {
  const PfRequest *options;
  int polls; /* that are left */
} Budget;

static bool is_spent(void *user)
{
  Budget *budget = user;
  if (budget->polls > 0) budget->polls--;
  return !budget->polls || (budget->polls%1024 == 0 && pf_task_is_stopped(budget->options));
}

/* In a workspace of its own: the order of terms in a formula depends on earlier expressions. */
static PfStatus derive(const Page *p, Budget *budget, const char *form, Session *s, PfDerivation *d, PfCount *count)
{
  PF_TRY(pf_workspace_open(p->s.machine, PF_FORMULAS, is_spent, budget, s));
  PF_TRY(pf_task_give_state(s, &p->options));
  PF_TRY(pf_task_keep_parameters(s, &p->options));
  PF_TRY(pf_task_count(s, count));
  return pf_derive_form(s->ctx, s->arena, &s->equations, form, d);
}

/* Whether the last form of the report is short enough as it stands in the JSON: a member of a member. */
static bool is_short(const Page *p, const PfReport *r)
{
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(p->s.ctx));
  json.depth = 2;
  json.comma = p->forms > 0;
  pf_json_value(&json, pf_report_last(r));
  bool good = !json.text.failed && json.text.count <= LARGEST_FORM;
  pf_json_free(&json);
  return good;
}

/* Adds the form; false, and nothing is added, when it does not apply, is too long, or takes too long. */
static bool put_form(const Page *p, Budget *budget, const char *form, PfReport *r)
{
  Session s;
  PfDerivation d;
  PfCount count;
  bool good = derive(p, budget, form, &s, &d, &count) == PF_OK;
  if (good) {
    pf_report_open(r, form);
    pf_derivation_report(&s, &d, &count, NAN, NULL, r);
    pf_report_diagnostics(r, s.ctx);
    pf_report_close(r);
    good = !pf_error_count(s.ctx) && is_short(p, r);
    if (!good) pf_report_remove_last(r);
  }
  pf_task_close(&s);
  return good;
}

/* ---------------------------------------------------------------- trajectories */

static size_t pose_numbers(const Page *p, const Track *track)
{
  return track->poses ? track->poses*(size_t)pf_scene_size(p->scene) : 0;
}

static void put_track(const Page *p, const Track *track, PfReport *r)
{
  const Table *t = &track->table;
  pf_report_open(r, NULL);
  pf_report_string(r, "name", pf_task_base_name(track->path));
  pf_report_strings(r, "columns", t->names, t->columns);
  pf_report_strings(r, "units", t->units, t->columns);
  pf_report_integer(r, "rows", pf_table_rows(t));
  pf_report_integer(r, "of", track->of);
  pf_report_numbers(r, "data", t->cells.at, (int)t->cells.count);
  if (track->poses) {
    pf_report_integer(r, "stride", track->stride);
    pf_report_numbers(r, "poses", track->numbers, (int)pose_numbers(p, track));
  }
  pf_report_string(r, "diagnostic", track->why);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- all of it */

/* The bytes that trajectories take: base64 has four letters for three bytes. */
static size_t track_bytes(const Page *p)
{
  size_t bytes = 0;
  for (int i = 0; i < p->track_count; i++)
    bytes += 8*p->tracks[i].table.cells.count + 4*pose_numbers(p, p->tracks + i);
  return bytes/3*4;
}

static PfStatus check_size(const Page *p, size_t size)
{
  if (size <= LARGEST_DATA) return PF_OK;
  pf_fail(p->s.ctx, PF_ERR_LIMIT, "the data of the page would have more than %d MB", LARGEST_DATA/1000000);
  pf_hint(p->s.ctx, "give fewer trajectories, or fewer columns: @task{run @show} chooses them");
  return PF_ERR_LIMIT;
}

static PfStatus write_data(Page *p, PfReport *r)
{
  const PfModel *model = p->s.model;
  const char *file = p->options.file;
  /* The reader of models lets no other text through; if it did, the page would not show the model correctly. */
  for (size_t i = 0; i < model->text_size;) {
    uint32_t size = pf_utf8_size(model->text + i, model->text_size - i);
    if (!size || !model->text[i]) return pf_fail(p->s.ctx, PF_ERR_FILE, "'%s' is no text in UTF-8", model->file);
    i += size;
  }
  PF_TRY(check_size(p, track_bytes(p)));
  pf_report_integer(r, "format", FORMAT);
  pf_report_string(r, "version", pf_version());
  pf_report_string(r, "title", pf_model_heading(model));
  pf_report_string(r, "file", strcmp(file, "-") ? pf_task_base_name(file) : "model.pf");
  pf_report_string(r, "text", model->text);
  /* By their names; numbers are in the units of the settings. */
  const PfRequest *o = &p->options;
  const PfSetting *setting;
  pf_report_open(r, "run");
  for (int i = 0; (setting = pf_setting(i)) != NULL; i++) {
    if (!o->given[i] || setting->group == PF_SETTINGS_OF_RESULT) continue;
    const void *member = pf_request_member(o, setting);
    if (setting->type == PF_SETTING_FLAG) pf_report_bool(r, setting->name, true);
    else if (setting->type == PF_SETTING_TEXT) pf_report_string(r, setting->name, o->word[i]);
    else if (setting->type == PF_SETTING_LIST) put_pairs(r, setting->name, member);
    else pf_report_number(r, setting->name, *(const double *)member);
  }
  pf_report_close(r);
  pf_report_open(r, "tracks");
  for (int i = 0; i < p->track_count; i++) put_track(p, p->tracks + i, r);
  pf_report_close(r);
  /* Equations by FLINT are shorter than those the page can derive. */
  const char *summary, *form;
  Budget budget = {&p->options, MOST_POLLS};
  pf_report_open(r, "derived");
  for (int i = 0; (form = pf_derived_form(i, &summary)) != NULL; i++) p->forms += put_form(p, &budget, form, r);
  pf_report_close(r);
  PF_TRY(pf_check_cancelled(p->s.ctx));
  return pf_report_check(r);
}

PfStatus pf_page_data(Page *p, PfReport **report)
{
  PF_TRY(pf_report_new(p->s.ctx, pf_page_data_fields, report));
  PF_TRY(write_data(p, *report));
  const char *json = pf_report_json(*report);
  return json ? check_size(p, strlen(json)) : pf_no_room(p->s.ctx, "the page");
}
