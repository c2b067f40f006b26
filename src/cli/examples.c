/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff examples: lists the models that come with the program, finds them by words, tells about one. */
#include "cli/cli.h"
#include "cli/gallery.h"

#include <ctype.h>
#include <string.h>

static int run(const Console *console, int argc, char **argv);

const Command pf_command_examples = {
  .name = "examples", .summary = "the models that come with the program",
  .operands = "[WORD …]", .operand = "word",
  .about = "Lists the examples by family, those with all of the words in their family, name or title (or else in what "
           "is said about them). The name of one tells what it shows, its parameters, and what to try.",
  .takes = "json ",
  .examples = "pfaff examples\npfaff examples omni\npfaff examples snakeboard\n",
  .most_files = MOST_FILES,
  .needs_none = true,
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

/* What words are looked for in: family, name and title, or what is said about it. */
typedef enum Where { IN_TITLES, IN_COMMENTS } Where;

static void put_searched(const Example *example, Where where, PfText *text)
{
  pf_text_print(text, "%s/%s ", example->family, example->name);
  pf_example_title(example, text);
  if (where == IN_COMMENTS) pf_example_about(example, text);
}

static bool has_words(PfContext *ctx, const Example *example, const Options *options, Where where)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(ctx));
  put_searched(example, where, &text);
  bool all = true;
  for (int i = 0; i < options->file_count; i++) all = all && contains_words(pf_text_get(&text), options->files[i]);
  pf_text_free(&text);
  return all;
}

typedef struct Found {
  Session *s;
  const Example **examples; /* first those with the words in their titles, then those with them in what is said */
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

static void search(Found *found, const Options *options, Where where)
{
  for (const Example *e = pf_examples; e->name; e++)
    if (!is_found(found, e) && has_words(found->s->ctx, e, options, where)) found->examples[found->count++] = e;
}

static PfStatus find(Found *found, const Options *options)
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

/* ---------------------------------------------------------------- text */

static int widest_name(const Found *found)
{
  int widest = 0;
  for (int i = 0; i < found->count; i++) {
    int width = (int)strlen(found->examples[i]->name);
    if (width > widest) widest = width;
  }
  return widest;
}

static void put_list(const Found *found, PfText *text)
{
  const char *family = "";
  const int widest = widest_name(found);
  for (int i = 0; i < found->count; i++) {
    const Example *e = found->examples[i];
    const bool behind = i == found->titles;
    if (behind) pf_text_print(text, "%sIn what is said about them:\n", i ? "\n" : "");
    if (behind || strcmp(family, e->family)) pf_text_print(text, "%s%s\n", i ? "\n" : "", e->family);
    family = e->family;
    pf_text_print(text, "  %-*s  ", widest, e->name);
    pf_example_title(e, text);
    pf_text_add(text, "\n");
  }
  pf_text_print(text, "\n%d example%s; 'pfaff examples NAME' tells more, 'pfaff new MINE --from NAME' copies one\n",
                found->count, found->count == 1 ? "" : "s");
}

static void put_parameters(const Found *found, PfText *text)
{
  const PfModel *model = found->s->model;
  bool any = false;
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (!is_shown(p)) continue;
    if (!any) pf_text_add(text, "\nParameters:\n");
    any = true;
    pf_text_print(text, "  %-12s ", p->name);
    if (p->value == PF_EXPR_NONE) pf_text_add(text, "(to be given)");
    else pf_text_print(text, "%.10g", found->values[i]/pf_model_measure(model, p->name).scale);
    pf_text_print(text, *p->unit ? " [%s]\n" : "%s\n", p->unit);
  }
}

/* '@' is the name. */
static const char *const tries[] = {"new @ --from @", "check @.pf", "derive @.pf", "run @.pf", "plot @.pf",
                                    "draw --out @.svg @.pf", "page @.pf"};

enum { TRIES = sizeof tries/sizeof *tries };

static void put_try(const Example *example, int which, PfText *text)
{
  pf_text_add(text, "pfaff ");
  for (const char *at = tries[which]; *at; at++)
    if (*at == '@') pf_text_add(text, example->name);
    else pf_text_put(text, at, 1);
}

/* What has the words too, by name. */
static void put_others(const Found *found, PfText *text)
{
  enum { MOST = 8 };
  for (int i = 1; i < found->count && i <= MOST; i++)
    pf_text_print(text, "%s%s", i > 1 ? ", " : "\nSee also: ", found->examples[i]->name);
  if (found->count > 1) pf_text_add(text, found->count > MOST + 1 ? ", …\n" : "\n");
}

static void put_one(const Found *found, PfText *text)
{
  const Example *e = found->examples[0];
  pf_text_print(text, "%s/%s: ", e->family, e->name);
  pf_example_title(e, text);
  pf_text_add(text, "\n\n");
  pf_example_about(e, text);
  put_parameters(found, text);
  pf_text_add(text, "\nTry:\n");
  for (int i = 0; i < TRIES; i++) {
    pf_text_add(text, "  ");
    put_try(e, i, text);
    pf_text_add(text, "\n");
  }
  put_others(found, text);
}

static void put_text(void *user, PfText *text)
{
  const Found *found = user;
  if (found->whole) put_one(found, text);
  else put_list(found, text);
}

/* ---------------------------------------------------------------- JSON */

typedef void PutText(const Example *example, PfText *text);

static void json_text(const Found *found, PfJson *json, const char *key, PutText *put, const Example *example)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(found->s->ctx));
  put(example, &text);
  pf_json_string(json, key, pf_text_get(&text));
  pf_text_free(&text);
}

static void json_parameters(const Found *found, PfJson *json)
{
  const PfModel *model = found->s->model;
  pf_json_open(json, "parameters", '[');
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (!is_shown(p)) continue;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "name", p->name);
    if (p->value == PF_EXPR_NONE) pf_json_string(json, "value", NULL);
    else pf_json_number(json, "value", found->values[i]/pf_model_measure(model, p->name).scale);
    pf_json_string(json, "unit", p->unit);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void json_tries(const Found *found, PfJson *json)
{
  pf_json_open(json, "try", '[');
  for (int i = 0; i < TRIES; i++) {
    PfText text;
    pf_text_init(&text, pf_context_allocator(found->s->ctx));
    put_try(found->examples[0], i, &text);
    pf_json_string(json, NULL, pf_text_get(&text));
    pf_text_free(&text);
  }
  pf_json_close(json, ']');
}

static void json_example(const Found *found, const Example *example, PfJson *json)
{
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "family", example->family);
  pf_json_string(json, "name", example->name);
  json_text(found, json, "title", pf_example_title, example);
  json_text(found, json, "about", pf_example_about, example);
  if (found->whole) {
    json_parameters(found, json);
    json_tries(found, json);
    json_text(found, json, "text", pf_example_text, example);
  }
  pf_json_close(json, '}');
}

static void put_json(void *user, PfJson *json)
{
  const Found *found = user;
  pf_json_open(json, NULL, '{');
  pf_json_open(json, "examples", '[');
  for (int i = 0; i < (found->whole ? 1 : found->count); i++) json_example(found, found->examples[i], json);
  pf_json_close(json, ']');
  pf_cli_json_diagnostics(found->s->ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- the command */

static PfStatus look(Found *found, const Options *options)
{
  PF_TRY(pf_cli_begin_session(found->s, options->console));
  PF_TRY(find(found, options));
  return found->whole ? read_model(found) : PF_OK;
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_examples, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Session session = {0};
  Found found = {.s = &session};
  PfStatus status = look(&found, &options);
  code = pf_cli_finish(session.ctx, status, &options, &found, put_json, put_text);
  pf_cli_close(&session);
  return code;
}
