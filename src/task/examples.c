/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff examples: lists the models that come with the program, finds them by words, describes one. */
#include "task/task.h"
#include "task/gallery.h"

#include <ctype.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

const PfTask pf_examples_task = {
  .name = "examples", .summary = "the models that come with the program",
  .operands = "[WORD …]", .operand = "word",
  .about = "Lists the examples by family, those with all of the words in their family, name or title (or else in what "
           "is said about them). The name of one tells what it shows, its parameters, and what to try.",
  .takes = "json ",
  .examples = "@call{examples}\n"
              "@call{examples omni}\n"
              "@call{examples snakeboard}\n",
  .most_files = MOST_FILES,
  .needs_none = true,
  .fields = pf_examples_fields,
  .run = run};

/* ---------------------------------------------------------------- finding */

/* At the beginning of a word: "car" finds cars and carriages, no scar. */
static bool contains(const char *text, const char *word, size_t length)
{
  for (const char *begin = text; *text; text++) {
    size_t same = 0;
    if (text > begin && isalnum((unsigned char)text[-1])) continue;
    while (same < length && pf_example_letter(text[same]) == pf_example_letter(word[same])) same++;
    if (same == length) return true;
  }
  return false;
}

/* All of the words between blanks, in any order. */
static bool contains_words(const char *text, const char *words)
{
  for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
    const size_t length = strcspn(words, " ");
    if (!contains(text, words, length)) return false;
    words += length;
  }
  return true;
}

/* Texts in which words are searched: family, name and title, or the description. */
typedef enum Where { IN_TITLES, IN_COMMENTS } Where;

static bool has_words(PfContext *ctx, const Example *example, const PfRequest *options, Where where)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(ctx));
  pf_text_print(&text, "%s/%s ", example->family, example->name);
  pf_example_title(example, &text);
  if (where == IN_COMMENTS) pf_example_about(example, &text);
  bool all = true;
  for (int i = 0; i < options->file_count; i++) all = all && contains_words(pf_text_get(&text), options->files[i]);
  pf_text_free(&text);
  return all;
}

typedef struct Found {
  Session *s;
  const Example **examples; /* first those with the words in their titles, then those with them in the description */
  int count, titles;
  bool whole;     /* one: all that there is about it, and the others by name */
  double *values; /* of its parameters */
} Found;

static bool is_found(const Found *found, const Example *example)
{
  for (int i = 0; i < found->count; i++)
    if (found->examples[i] == example) return true;
  return false;
}

static void search(Found *found, const PfRequest *options, Where where)
{
  for (const Example *e = pf_examples; e->name; e++)
    if (!is_found(found, e) && has_words(found->s->ctx, e, options, where)) found->examples[found->count++] = e;
}

static PfStatus find(Found *found, const PfRequest *options)
{
  const Example *named = options->file_count == 1 ? pf_example_find(options->files[0]) : NULL;
  size_t all = 0;
  while (pf_examples[all].name) all++;
  found->examples = pf_arena_array(found->s->arena, const Example *, all + 1);
  if (!found->examples) return pf_no_room(found->s->ctx, "the list");
  if (named) found->examples[found->count++] = named;
  search(found, options, IN_TITLES);
  found->titles = found->count;
  search(found, options, IN_COMMENTS);
  found->whole = named || (options->file_count && (found->titles == 1 || found->count == 1));
  return found->count ? PF_OK : pf_example_missing(found->s->ctx, options->files[0]);
}

/* Its parameters need the model. */
static PfStatus read_model(Found *found)
{
  Session *s = found->s;
  const Example *example = found->examples[0];
  PfText text;
  pf_text_init(&text, pf_context_allocator(s->ctx));
  pf_example_text(example, &text);
  PfStatus status = text.failed ? pf_no_room(s->ctx, "the example")
                                : pf_model_read(s->ctx, example->name, pf_text_get(&text), text.count, &s->model);
  pf_text_free(&text);
  PF_TRY(status);
  found->values = pf_arena_array(s->arena, double, s->model->parameter_count);
  if (!found->values) return pf_no_room(s->ctx, "parameters");
  return pf_model_parameter_values(s->model, NULL, PF_MISSING_GENERIC, found->values);
}

static bool is_shown(const PfParameter *p)
{
  return !p->derived && !p->hidden;
}

/* ---------------------------------------------------------------- the report */

static const PfField parameter_fields[] = {
  PF_FIELD("name", STRING, "name of the parameter"),
  PF_FIELD_OR_NULL("value", NUMBER, "its value in its unit; null: it has to be given"),
  PF_FIELD("unit", STRING, "its unit; empty: SI"),
  {0}};

static const PfField example_fields[] = {
  PF_FIELD("family", STRING, "the group of examples that it belongs to"),
  PF_FIELD("name", STRING, "its name, as @from of 'new' takes it"),
  PF_FIELD("title", STRING, "one line about it"),
  PF_FIELD("about", STRING, "the comment at the beginning of the model"),
  {.key = "parameters", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = parameter_fields, .optional = true,
   .about = PF_ABOUT("its parameters; this and the next when one example was requested")},
  {.key = "try", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING, .optional = true,
   .about = PF_ABOUT("commands to begin with")},
  PF_FIELD_OPTIONAL("text", STRING, "the model"),
  {0}};

const PfField pf_examples_fields[] = {
  PF_FIELD_RECORDS("examples", example_fields, "examples that were found, or the one that was requested"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void open_example(const Example *e, PfReport *r)
{
  pf_report_open(r, NULL);
  pf_report_string(r, "family", e->family);
  pf_report_string(r, "name", e->name);
}

typedef void PutText(const Example *example, PfText *text);

static void show(const Example *e, const char *key, PutText *put, PfReport *r)
{
  size_t before = pf_report_page(r)->count;
  put(e, pf_report_page(r));
  pf_report_shown(r, key, before);
}

/* For programs only. */
static void keep(const Example *e, const char *key, PutText *put, PfReport *r)
{
  size_t before = pf_report_page(r)->count;
  put(e, pf_report_page(r));
  pf_report_moved(r, key, before);
}

static void report_list(const Found *found, PfReport *r)
{
  const char *family = "";
  int widest = 0;
  for (int i = 0; i < found->count; i++) {
    int width = (int)strlen(found->examples[i]->name);
    if (width > widest) widest = width;
  }
  for (int i = 0; i < found->count; i++) {
    const Example *e = found->examples[i];
    const bool behind = i == found->titles;
    if (behind) pf_report_print(r, "%sIn what is said about them:\n", i ? "\n" : "");
    if (behind || strcmp(family, e->family)) pf_report_print(r, "%s%s\n", i ? "\n" : "", e->family);
    family = e->family;
    open_example(e, r);
    pf_report_print(r, "  %-*s  ", widest, e->name);
    show(e, "title", pf_example_title, r);
    keep(e, "about", pf_example_about, r);
    pf_report_print(r, "\n");
    pf_report_close(r);
  }
  pf_report_print(r, "\n%d example%s; @task{examples NAME} tells more, @task{new MINE @from{NAME}} copies one\n",
                  found->count, found->count == 1 ? "" : "s");
}

static void report_parameters(const Found *found, PfReport *r)
{
  const PfModel *model = found->s->model;
  bool any = false;
  pf_report_open(r, "parameters");
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (!is_shown(p)) continue;
    pf_report_open(r, NULL);
    pf_report_string(r, "name", p->name);
    pf_report_string(r, "unit", p->unit);
    pf_report_print(r, "%s  %-12s ", any ? "" : "\nParameters:\n", p->name);
    any = true;
    double value = found->values[i]/pf_model_measure(model, p->name).scale;
    if (p->value == PF_EXPR_NONE) pf_report_print(r, "(to be given)");
    else pf_report_print(r, "%.10g", value), pf_report_number(r, "value", value);
    pf_report_print(r, *p->unit ? " [%s]\n" : "%s\n", p->unit);
    pf_report_close(r);
  }
  pf_report_close(r);
}

/* Formats for its name. */
static const char *const tries[] = {"@call{new %s @from{%s}}", "@call{check %s.pf}", "@call{derive %s.pf}",
                                    "@call{run %s.pf}", "@call{plot %s.pf}", "@call{draw @out{%s.svg} %s.pf}",
                                    "@call{page %s.pf}"};

static void report_one(const Found *found, PfReport *r)
{
  const Example *e = found->examples[0];
  open_example(e, r);
  pf_report_print(r, "%s/%s: ", e->family, e->name);
  show(e, "title", pf_example_title, r);
  pf_report_print(r, "\n\n");
  show(e, "about", pf_example_about, r);
  report_parameters(found, r);
  /* Commands for this example. */
  pf_report_print(r, "\nTry:\n");
  pf_report_open(r, "try");
  for (size_t i = 0; i < sizeof tries/sizeof *tries; i++) {
    pf_report_print(r, "  ");
    size_t before = pf_report_page(r)->count;
    pf_report_print(r, tries[i], e->name, e->name);
    pf_report_shown(r, NULL, before);
    pf_report_print(r, "\n");
  }
  pf_report_close(r);
  keep(e, "text", pf_example_text, r);
  pf_report_close(r);
  /* The other examples with these words, by name. */
  enum { MOST = 8 };
  for (int i = 1; i < found->count && i <= MOST; i++)
    pf_report_print(r, "%s%s", i > 1 ? ", " : "\nSee also: ", found->examples[i]->name);
  if (found->count > 1) pf_report_print(r, found->count > MOST + 1 ? ", …\n" : "\n");
}

static void write_report(void *user, PfReport *r)
{
  const Found *found = user;
  pf_report_open(r, "examples");
  if (found->whole) report_one(found, r);
  else report_list(found, r);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- the command */

static PfStatus find_examples(Found *found, const PfRequest *options)
{
  PF_TRY(pf_task_begin_session(found->s, options));
  PF_TRY(find(found, options));
  return found->whole ? read_model(found) : PF_OK;
}

static PfStatus run(const PfRequest *options)
{
  Session session = {0};
  Found found = {.s = &session};
  PfStatus status = find_examples(&found, options);
  status = pf_task_report(session.ctx, status, options, &found, write_report);
  pf_task_close(&session);
  return status;
}
