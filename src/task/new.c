/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff new: a model file to begin with. */
#include "task/task.h"
#include "task/gallery.h"
#include "out/file.h"

#include <ctype.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

/* Of --from: the names of all examples. */
static const char *example_value(int index, const char **summary)
{
  int i = 0;
  while (i < index && pf_examples[i].name) i++;
  *summary = pf_examples[i].family;
  return pf_examples[i].name;
}

static const SettingHelp own[] = {{.name = "from", .values = example_value}, {0}};

const PfTask pf_new_task = {
  .name = "new", .summary = "a model file to begin with, or a copy of an example",
  .operands = "NAME", .operand = "name",
  .about = "Writes NAME.pf in this folder: a small model with comments, or a copy of an example, whose model is called "
           "NAME then. A file that is there already is never touched.",
  .takes = "from json ",
  .own = own,
  .examples = "@call{new pendulum}\n"
              "@call{new board @from{snakeboard}}\n",
  .fields = pf_new_fields,
  .run = run};

static const char *const beginning[] = {
  "# What it is, and what to look at.\n",
  "model pendulum \"A pendulum on a cart\"\n",
  "\n",
  "# constants with their units; 'pfaff run -p m=0.5' changes one\n",
  "param M = 2 [kg], m = 0.3 [kg], l = 0.5 [m], k = 20 [N/m], c = 0.5 [N s/m], g = 9.81 [m/s^2]\n",
  "# what may move: the cart along x, the pendulum from hanging down\n",
  "coord x [m], theta [rad]\n",
  "\n",
  "# where bodies are; what has no inertia given has none\n",
  "gravity (0, 0, -g)\n",
  "body cart in ground at (x, 0, 0) { mass M }\n",
  "body rod in cart turn -theta about y { mass m, com (0, 0, -l), inertia diag(0, m*l^2/12, 0) }\n",
  "\n",
  "# what pushes; what is forbidden would be a 'constraint', a 'skate' or a 'roll'\n",
  "spring x { stiffness k, damping c }\n",
  "\n",
  "start theta = 60 [deg]\n",
  "run 10\n",
  "plot x, theta\n",
  "draw cart as box(0.3, 0.2, 0.1)\n",
  NULL};

static const Example pendulum = {"", "pendulum", beginning};

/* ---------------------------------------------------------------- names */

static bool is_name(const char *name)
{
  if (!isalpha((unsigned char)*name) && *name != '_') return false;
  while (isalnum((unsigned char)*name) || *name == '_' || *name == '-') name++;
  return !*name;
}

/* "board.pf" means "board". */
static PfStatus find_name(PfContext *ctx, PfArena *arena, const char *word, const char **name)
{
  size_t length = strlen(word);
  bool ends = length > 3 && !strcmp(word + length - 3, ".pf");
  *name = pf_arena_text(arena, word, ends ? length - 3 : length);
  if (!*name) return pf_no_room(ctx, "the name");
  if (is_name(*name)) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' cannot be the name of a model", word);
  if (strchr(word, '/')) pf_hint(ctx, "the file is written in this folder: go to the other one first");
  else pf_hint(ctx, "a name has letters, digits, '_' and '-', and begins with a letter");
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- the text */

/* The name in the line 'model' becomes the new one, as far as a name of the language goes. */
static void put_model_line(const char *line, const char *name, PfText *text)
{
  const char *behind = line + strlen("model ");
  pf_text_add(text, "model ");
  for (; *name; name++) pf_text_put(text, *name == '-' ? "_" : name, 1);
  pf_text_add(text, behind + strcspn(behind, " \n"));
}

/* Commands in comments name the copy: examples/wheels/segway.pf becomes mine.pf. */
static void put_line(const Example *example, const char *line, const char *name, PfText *text)
{
  char path[200];
  const int length = snprintf(path, sizeof path, "examples/%s/%s.pf", example->family, example->name);
  for (const char *at; (at = strstr(line, path)) != NULL; line = at + length) {
    pf_text_put(text, line, (size_t)(at - line));
    pf_text_print(text, "%s.pf", name);
  }
  pf_text_add(text, line);
}

/* ---------------------------------------------------------------- the command */

typedef struct New {
  Session *s;
  const Example *example; /* the source of the copy */
  const char *name;
  char *path;
} New;

static PfStatus make(New *new, const PfRequest *options)
{
  PF_TRY(pf_task_begin_session(new->s, options));
  PfContext *ctx = new->s->ctx;
  PF_TRY(find_name(ctx, new->s->arena, options->file, &new->name));
  new->example = options->from ? pf_example_find(options->from) : &pendulum;
  if (!new->example) return pf_example_missing(ctx, options->from);
  size_t size = strlen(new->name) + sizeof ".pf";
  new->path = pf_arena_array(new->s->arena, char, size);
  if (!new->path) return pf_no_room(ctx, "the name");
  snprintf(new->path, size, "%s.pf", new->name);
  PfText text;
  pf_text_init(&text, pf_context_allocator(ctx));
  for (const char *const *line = new->example->lines; *line; line++)
    if (!strncmp(*line, "model ", 6)) put_model_line(*line, new->name, &text);
    else put_line(new->example, *line, new->name, &text);
  PfStatus status = text.failed ? pf_no_room(ctx, "the model") : pf_out_new_text(ctx, new->path, &text);
  pf_text_free(&text);
  return status;
}

const PfField pf_new_fields[] = {
  PF_FIELD("file", STRING, "the new file"),
  PF_FIELD_OR_NULL("from", STRING, "the example that was copied; null: the pendulum"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void write_report(void *user, PfReport *r)
{
  const New *new = user;
  pf_report_string(r, "file", new->path);
  pf_report_string(r, "from", new->example == &pendulum ? NULL : new->example->name);
  pf_report_print(r, "%s: ", new->path);
  pf_example_title(new->example, pf_report_page(r));
  pf_report_print(r, "\n\nTry:\n  @call{check %s}\n  @call{derive %s}\n  @call{run %s}\n  @call{plot %s}\n"
                     "  @call{draw @out{%s.svg} %s}\n",
                  new->path, new->path, new->path, new->path, new->name, new->path);
}

static PfStatus run(const PfRequest *options)
{
  Session session = {0};
  New new = {.s = &session};
  PfStatus status = make(&new, options);
  status = pf_task_report(session.ctx, status, options, &new, write_report);
  pf_task_close(&session);
  return status;
}
