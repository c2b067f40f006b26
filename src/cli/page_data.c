/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a page: the model as text, how it is run, its equations, trajectories. */
#include "cli/derive.h"
#include "cli/page.h"

#include <math.h>
#include <string.h>

enum { FORMAT = 1, LARGEST_DATA = 64*1000*1000, LARGEST_FORM = 2*1000*1000 };
/* The work that all forms of the equations may take, in polls for cancellation: algebra polls about a million times a
 * second, and as often on every machine, so that a page does not depend on the speed of the one that makes it. */
enum { MOST_POLLS = 4*1000*1000 };

/* ---------------------------------------------------------------- options */

/* {"m": "7"} of -p m=7. Names are given once. */
static void put_pairs(PfJson *json, const char *key, const Texts *texts)
{
  pf_json_open(json, key, '{');
  for (int i = 0; i < texts->count; i++) {
    char name[PF_LONGEST_NAME];
    const char *value;
    if (pf_cli_split(texts->at[i], name, &value)) pf_json_string(json, name, value);
  }
  pf_json_close(json, '}');
}

/* By their names, as they were written. */
static void put_run(const Page *p, PfJson *json)
{
  const Options *o = &p->options;
  const Option *option;
  pf_json_open(json, "run", '{');
  for (int i = 0; (option = pf_option(i)); i++) {
    if (!o->given[i] || option->group == OPTIONS_OF_RESULT) continue;
    if (option->type == OPTION_FLAG) pf_json_bool(json, option->name, true);
    else if (option->type != OPTION_LIST) pf_json_string(json, option->name, o->word[i]);
    else put_pairs(json, option->name, (const Texts *)(const void *)((const char *)o + option->offset));
  }
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- equations */

typedef struct Budget {
  const Console *console;
  int polls; /* that are left */
} Budget;

static bool is_spent(void *user)
{
  Budget *budget = user;
  if (budget->polls > 0) budget->polls--;
  return !budget->polls || (budget->polls%1024 == 0 && pf_cli_is_stopped(budget->console));
}

/* In a workspace of its own: the order of a formula depends on what was formed before it. */
static PfStatus derive(const Page *p, Budget *budget, const char *form, Session *s, PfDerivation *d, PfCount *count)
{
  PF_TRY(pf_workspace_open(p->s.machine, PF_FORMULAS, is_spent, budget, s));
  PF_TRY(pf_cli_give_state(s, &p->options));
  PF_TRY(pf_cli_keep_parameters(s, &p->options));
  PF_TRY(pf_cli_count(s, count));
  return pf_derive_form(s->ctx, s->arena, &s->equations, form, d);
}

typedef struct Form {
  Session s;
  PfDerivation d;
  PfCount count;
} Form;

static void write_form(void *user, PfReport *report)
{
  Form *form = user;
  pf_derivation_report(&form->s, &form->d, &form->count, NAN, report);
  pf_report_diagnostics(report, form->s.ctx);
}

/* Adds the form; false, and nothing is added, when it does not apply, is too long, or takes too long. */
static bool put_form(const Page *p, Budget *budget, const char *form, PfJson *json)
{
  const PfJson before = *json;
  Form f;
  bool good = derive(p, budget, form, &f.s, &f.d, &f.count) == PF_OK;
  if (good) {
    pf_json_open(json, form, '{');
    pf_cli_json_part(f.s.ctx, pf_derivation_fields, &f, write_form, json);
    pf_json_close(json, '}');
    good = !pf_error_count(f.s.ctx) && json->text.count - before.text.count <= LARGEST_FORM;
  }
  if (!good) json->text.count = before.text.count, json->comma = before.comma; /* the text may have moved */
  pf_cli_close(&f.s);
  return good;
}

/* Equations by FLINT are shorter than those the page can derive. */
static PfStatus put_forms(Page *p, PfJson *json)
{
  const char *summary, *form;
  Budget budget = {p->options.console, MOST_POLLS};
  pf_json_open(json, "derived", '{');
  for (int i = 0; (form = pf_derived_form(i, &summary)); i++) p->forms += put_form(p, &budget, form, json);
  pf_json_close(json, '}');
  return pf_check_cancelled(p->s.ctx);
}

/* ---------------------------------------------------------------- trajectories */

static void put_names(PfJson *json, const char *key, const char *const *names, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, names[i]);
  pf_json_close(json, ']');
}

static void put_track(const Page *p, const Track *track, PfJson *json)
{
  const Table *t = &track->table;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "name", pf_cli_base_name(track->path));
  put_names(json, "columns", t->names, t->columns);
  put_names(json, "units", t->units, t->columns);
  pf_json_integer(json, "rows", pf_table_rows(t));
  pf_json_integer(json, "of", track->of);
  pf_json_doubles(json, "data", t->cells.at, t->cells.count);
  if (track->poses) {
    pf_json_integer(json, "stride", track->stride);
    pf_json_floats(json, "poses", track->numbers, track->poses*(size_t)pf_scene_size(p->scene));
  } else {
    pf_json_string(json, "poses", NULL);
  }
  pf_json_string(json, "diagnostic", track->why);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- all of it */

/* The reader of models lets no other text through; if it did, the page would not show what was read. */
static PfStatus check_text(PfContext *ctx, const PfModel *model)
{
  for (size_t i = 0; i < model->text_size;) {
    uint32_t size = pf_utf8_size(model->text + i, model->text_size - i);
    if (!size || !model->text[i]) return pf_fail(ctx, PF_ERR_FILE, "'%s' is no text in UTF-8", model->file);
    i += size;
  }
  return PF_OK;
}

static PfStatus check_size(const Page *p, const PfJson *json)
{
  if (json->text.failed) return pf_no_room(p->s.ctx, "the page");
  if (json->text.count <= LARGEST_DATA) return PF_OK;
  pf_fail(p->s.ctx, PF_ERR_LIMIT, "the data of the page would have more than %d MB", LARGEST_DATA/1000000);
  pf_hint(p->s.ctx, "give fewer trajectories, or fewer columns: 'pfaff run --show' chooses them");
  return PF_ERR_LIMIT;
}

PfStatus pf_page_data(Page *p, PfJson *json)
{
  const PfModel *model = p->s.model;
  const char *file = p->options.file;
  PF_TRY(check_text(p->s.ctx, model));
  pf_json_open(json, NULL, '{');
  pf_json_integer(json, "format", FORMAT);
  pf_json_string(json, "version", pf_version());
  pf_json_string(json, "title", pf_cli_title(model));
  pf_json_string(json, "file", strcmp(file, "-") ? pf_cli_base_name(file) : "model.pf");
  pf_json_string(json, "text", model->text);
  put_run(p, json);
  pf_json_open(json, "tracks", '[');
  for (int i = 0; i < p->track_count; i++) {
    put_track(p, p->tracks + i, json);
    PF_TRY(check_size(p, json));
  }
  pf_json_close(json, ']');
  PF_TRY(put_forms(p, json));
  pf_json_close(json, '}');
  return check_size(p, json);
}
