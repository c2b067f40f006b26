/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all settings, and requests: settings by name with the values that were given. */
#include "task/task.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- the table */

static const char *method_value(int index, const char **summary)
{
  const PfMethod *method = pf_method(index);
  if (!method) return NULL;
  *summary = pf_method_summary(method);
  return pf_method_name(method);
}

/* 'auto' first, then the list. */
static const char *formulation_value(int index, const char **summary)
{
  const PfFormulation *formulation = index ? pf_formulation(index - 1) : pf_formulation_find("auto");
  if (!formulation) return NULL;
  *summary = pf_formulation_summary(formulation);
  return pf_formulation_name(formulation);
}

const char *pf_view_value(int index, const char **summary)
{
  static const char *const views[][2] = {
    {"iso", "from above and aside"}, {"top", "from above"}, {"side", "along y, x to the right"}, {"front", "along x"}};
  if (index < 0 || index >= (int)(sizeof views/sizeof *views)) return NULL;
  *summary = views[index][1];
  return views[index][0];
}

const char *pf_axes_value(int index, const char **summary)
{
  static const char *const axes[][2] = {{"inertial", "of the ground"}, {"body", "of each body"}};
  if (index < 0 || index >= (int)(sizeof axes/sizeof *axes)) return NULL;
  *summary = axes[index][1];
  return axes[index][0];
}

const char *pf_native_value(int index, const char **summary)
{
  static const char *const modes[][2] = {
    {"off", "formulas are interpreted"},
    {"auto", "what runs long is compiled beside the run, and found again by the next one; without a compiler as 'off'"},
    {"on", "everything that runs more than three times is compiled, and waited for"}};
  if (index < 0 || index >= (int)(sizeof modes/sizeof *modes)) return NULL;
  *summary = modes[index][1];
  return modes[index][0];
}

static const char *design_value(int index, const char **summary)
{
  static const char *const designs[][2] = {
    {"random", "independent (the default)"},
    {"latin", "a Latin hypercube: each number evenly by itself"},
    {"sobol", "Sobol's sequence: evenly all together"},
    {"saltelli", "groups for Sobol indices: N times the count of random numbers + 2"},
    {"morris", "paths for elementary effects: N times the count of random numbers + 1"}};
  if (index < 0 || index >= (int)(sizeof designs/sizeof *designs)) return NULL;
  *summary = designs[index][1];
  return designs[index][0];
}

static const PfSetting table[] = {
#define SETTING(type, member, name, letter, argument, unit, group, standard, values, help) \
  {name, letter, argument, PF_SETTING_##type, unit, PF_SETTINGS_OF_##group, standard, PF_ABOUT(help), values},
#include "task/settings.def"
#undef SETTING
};

/* The members of a request for the rows of the table. */
static const size_t offsets[] = {
#define SETTING(type, member, ...) offsetof(PfRequest, member),
#include "task/settings.def"
#undef SETTING
};

enum { SETTINGS = sizeof table/sizeof *table };
_Static_assert(sizeof table/sizeof *table <= MOST_SETTINGS, "PfRequest.given is too small");

const PfSetting *pf_setting(int index)
{
  return index >= 0 && index < SETTINGS ? table + index : NULL;
}

/* Equal but for '_' in the first where the second has '-'? */
static bool is_name(const char *given, const char *name)
{
  while (*given && (*given == *name || (*given == '_' && *name == '-'))) given++, name++;
  return !*given && !*name;
}

const PfSetting *pf_setting_find(const char *name)
{
  for (int i = 0; i < SETTINGS; i++)
    if (is_name(name, table[i].name)) return table + i;
  return NULL;
}

size_t pf_setting_help(const PfContext *ctx, const PfSetting *setting, char *text, size_t size)
{
  PfText words;
  pf_text_init(&words, pf_context_allocator(ctx));
  pf_text_spell_words(&words, pf_context_spelling(ctx), setting->help);
  const size_t count = words.failed ? 0 : words.count;
  if (size) snprintf(text, size, "%s", count ? pf_text_get(&words) : "");
  pf_text_free(&words);
  return count;
}

int pf_setting_index(const PfSetting *setting)
{
  return (int)(setting - table);
}

bool pf_task_is_listed(const char *names, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = names; *at; at += strspn(at, " ")) {
    size_t own = strcspn(at, " ");
    if (own == length && !strncmp(at, name, own)) return true;
    at += own;
  }
  return false;
}

bool pf_task_takes(const PfTask *task, const PfSetting *setting)
{
  return !strcmp(setting->name, "help") || pf_task_is_listed(task->takes, setting->name);
}

/* ---------------------------------------------------------------- a request */

void pf_request_init(PfRequest *request, PfContext *ctx, const PfTask *task)
{
  *request = (PfRequest){.ctx = ctx, .task = task,
                         .spelling = ctx ? pf_context_spelling(ctx) : &pf_spelling_of_c};
  for (int i = 0; i < SETTINGS; i++)
    if (table[i].type >= PF_SETTING_NUMBER) *(double *)(void *)((char *)request + offsets[i]) = NAN;
}

PfStatus pf_request_new(PfContext *ctx, const PfTask *task, PfRequest **request)
{
  *request = NULL;
  if (!task) return pf_fail(ctx, PF_ERR_ARGUMENT, "there is no such task");
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  *request = arena ? pf_arena_array(arena, PfRequest, 1) : NULL;
  if (!*request) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the request");
  }
  pf_request_init(*request, ctx, task);
  (*request)->arena = arena;
  return PF_OK;
}

void pf_request_free(PfRequest *request)
{
  if (request) pf_arena_free(request->arena);
}

const void *pf_request_member(const PfRequest *request, const PfSetting *setting)
{
  return (const char *)request + offsets[setting - table];
}

const char *pf_task_given(const PfRequest *request, const char *names)
{
  for (int i = 0; i < SETTINGS; i++)
    if (request->given[i] && pf_task_is_listed(names, table[i].name)) return table[i].name;
  return NULL;
}

void pf_task_forget(PfRequest *request, const char *names)
{
  for (int i = 0; i < SETTINGS; i++)
    if (pf_task_is_listed(names, table[i].name)) request->given[i] = false;
}

PfStatus pf_task_refuse(PfContext *ctx, const PfRequest *request, const char *names, const char *why)
{
  const char *name = pf_task_given(request, names);
  return name ? pf_fail(ctx, PF_ERR_ARGUMENT, "@%s has no effect: %s", name, why) : PF_OK;
}

/* ---------------------------------------------------------------- setting */

/* Whether x is a value of the setting's type; fails with a message that shows `text`. */
static PfStatus check_number(PfRequest *r, const PfSetting *setting, double x, const char *text)
{
  static const char *const kinds[] = {[PF_SETTING_NUMBER] = "finite number", [PF_SETTING_POSITIVE] = "positive number",
                                      [PF_SETTING_FRACTION] = "number between 0 and 1",
                                      [PF_SETTING_COUNT] = "positive whole number"};
  if (isinf(x)) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not a finite number", setting->name, text);
  bool good = (setting->type == PF_SETTING_NUMBER && isfinite(x)) || (setting->type == PF_SETTING_POSITIVE && x > 0) ||
              (setting->type == PF_SETTING_FRACTION && x >= 0 && x <= 1) ||
              (setting->type == PF_SETTING_COUNT && x >= 1 && x <= 1e15 && x == floor(x));
  return good ? PF_OK : pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not a %s", setting->name, text,
                                kinds[setting->type]);
}

/* A constant with or without a unit. A pure number that cannot be read is told simply: it is not of the type. */
static PfStatus read_number(PfRequest *r, const PfSetting *setting, const char *text, double *value)
{
  int before = pf_diagnostic_count(r->ctx);
  PfStatus status = pf_constant_read_for(r->ctx, setting->name, text, setting->unit, value);
  bool pure = !strcmp(setting->unit, "1");
  if (status != PF_OK && !(pure && status == PF_ERR_ARGUMENT)) return status;
  pf_diagnostics_truncate(r->ctx, before);
  return check_number(r, setting, status == PF_OK ? *value : NAN, text);
}

/* A setting that is not a list may be given once. It counts as given when it has its value: setters that fail leave
 * nothing. */
static PfStatus check_once(PfRequest *r, const PfSetting *setting)
{
  if (r->given[setting - table] && setting->type != PF_SETTING_FLAG && setting->type != PF_SETTING_LIST)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s was given twice", setting->name);
  return PF_OK;
}

PfStatus pf_request_take(PfRequest *r, const PfSetting *setting, const char *text)
{
  void *member = (char *)r + offsets[setting - table];
  double number;
  PF_TRY(check_once(r, setting));
  switch (setting->type) {
  case PF_SETTING_FLAG: *(bool *)member = true; break;
  case PF_SETTING_TEXT: *(const char **)member = text; break;
  case PF_SETTING_LIST: {
    Texts *list = member;
    if (list->count == MOST_TEXTS)
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s is given too often", setting->name);
    list->at[list->count++] = text;
    break;
  }
  default:
    PF_TRY(read_number(r, setting, text, &number));
    *(double *)member = number;
  }
  if (setting->type != PF_SETTING_FLAG && setting->type != PF_SETTING_LIST) r->word[setting - table] = text;
  r->given[setting - table] = true;
  return PF_OK;
}

/* ---------------------------------------------------------------- setting by programs */

/* The setting of a name that the task takes. */
static PfStatus find_setting(PfRequest *r, const char *name, const PfSetting **found)
{
  const char *similar = NULL;
  int best = 0;
  *found = pf_task_is_listed(SHELL_ONLY, name) ? NULL : pf_setting_find(name);
  if (*found && pf_task_takes(r->task, *found)) return PF_OK;
  if (*found) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@task{%s} does not take @%s", r->task->name, name);
  for (int i = 0; i < SETTINGS; i++)
    if (pf_task_takes(r->task, table + i) && !pf_task_is_listed(SHELL_ONLY, table[i].name) &&
        pf_name_is_nearer(name, table[i].name, &best))
      similar = table[i].name;
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "there is no setting '@%.*s'", 60, name);
  if (similar) pf_hint(r->ctx, "did you mean '@%s'?", similar);
  return PF_ERR_ARGUMENT;
}

static bool is_list_of_times(const PfSetting *setting)
{
  return !strcmp(setting->name, "at");
}

static PfStatus refuse_type(PfRequest *r, const PfSetting *setting, const char *given)
{
  static const char *const kinds[] = {
    [PF_SETTING_FLAG] = "a flag",       [PF_SETTING_TEXT] = "a text",       [PF_SETTING_LIST] = "a list of texts",
    [PF_SETTING_NUMBER] = "a number",   [PF_SETTING_POSITIVE] = "a number", [PF_SETTING_FRACTION] = "a number",
    [PF_SETTING_COUNT] = "a whole number"};
  const char *kind = is_list_of_times(setting) ? "a list of times" : kinds[setting->type];
  return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s is %s, not %s", setting->name, kind, given);
}

static PfStatus copy_text(PfRequest *r, const char *text, size_t count, const char **copy)
{
  *copy = pf_arena_text(r->arena, text, count);
  return *copy ? PF_OK : pf_no_room(r->ctx, "the request");
}

PfStatus pf_request_set_number(PfRequest *r, const char *name, double value)
{
  const PfSetting *setting;
  char text[PF_LONGEST_NUMBER + 1];
  PF_TRY(find_setting(r, name, &setting));
  if (is_list_of_times(setting)) return pf_request_set_values(r, name, NULL, &value, 1);
  if (setting->type < PF_SETTING_NUMBER) return refuse_type(r, setting, "a number");
  text[pf_put_shortest(text, value)] = 0;
  PF_TRY(check_number(r, setting, value, text));
  PF_TRY(check_once(r, setting));
  const char *word;
  double scale = 1;
  PF_TRY(pf_constant_read_for(r->ctx, name, "1", setting->unit, &scale));
  PF_TRY(copy_text(r, text, strlen(text), &word));
  *(double *)(void *)((char *)r + offsets[setting - table]) = value*scale;
  r->word[setting - table] = word;
  r->given[setting - table] = true;
  return PF_OK;
}

PfStatus pf_request_set_text(PfRequest *r, const char *name, const char *value)
{
  const PfSetting *setting;
  PF_TRY(find_setting(r, name, &setting));
  if (setting->type == PF_SETTING_FLAG) return refuse_type(r, setting, "a text");
  if (!value[strspn(value, " \t\r\n")]) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: the value is empty", name);
    pf_hint(r->ctx, "write @%s{%s}", name, setting->argument);
    return PF_ERR_ARGUMENT;
  }
  PF_TRY(copy_text(r, value, strlen(value), &value));
  return pf_request_take(r, setting, value);
}

PfStatus pf_request_set_flag(PfRequest *r, const char *name, bool value)
{
  const PfSetting *setting;
  PF_TRY(find_setting(r, name, &setting));
  if (setting->type != PF_SETTING_FLAG) return refuse_type(r, setting, "a flag");
  r->given[setting - table] = value;
  *(bool *)(void *)((char *)r + offsets[setting - table]) = value;
  return PF_OK;
}

/* name=value, in which a value is made of `count` numbers: 3, or (1, 2, 3). */
static PfStatus set_named(PfRequest *r, const char *setting, const char *name, const char *value, const double *numbers,
                          int count)
{
  PfText text;
  char digits[PF_LONGEST_NUMBER + 1];
  const PfSetting *found;
  PF_TRY(find_setting(r, setting, &found));
  if (!pf_task_is_listed("param state input", found->name)) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s has no values by name, as '%s'", setting, name);
    pf_hint(r->ctx, "@param, @state and @input have");
    return PF_ERR_ARGUMENT;
  }
  if (!*name || strchr(name, '=')) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not a name", setting, name);
  for (int i = 0; i < count; i++)
    if (!isfinite(numbers[i])) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not finite", setting, name);
  pf_text_init(&text, pf_context_allocator(r->ctx));
  pf_text_print(&text, "%s=%s", name, value);
  bool list = count > 1 && strcmp(setting, "param") != 0;
  if (list) pf_text_add(&text, "(");
  for (int i = 0; i < count; i++) {
    pf_text_add(&text, i ? ", " : "");
    pf_text_put(&text, digits, pf_put_shortest(digits, numbers[i]));
  }
  if (list) pf_text_add(&text, ")");
  PfStatus status = text.failed ? pf_no_room(r->ctx, "the request")
                                : pf_request_set_text(r, setting, pf_text_get(&text));
  pf_text_free(&text);
  return status;
}

PfStatus pf_request_set_value(PfRequest *r, const char *setting, const char *name, double value)
{
  return set_named(r, setting, name, "", &value, 1);
}

PfStatus pf_request_set_value_text(PfRequest *r, const char *setting, const char *name, const char *value)
{
  return set_named(r, setting, name, value, NULL, 0);
}

PfStatus pf_request_set_values(PfRequest *r, const char *setting, const char *name, const double *values, int count)
{
  const PfSetting *found;
  if (name) return set_named(r, setting, name, "", values, count);
  PF_TRY(find_setting(r, setting, &found));
  if (!is_list_of_times(found)) return refuse_type(r, found, "a list of numbers");
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i])) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: a time is not a finite number", setting);
  PF_TRY(check_once(r, found));
  double *times = pf_arena_array(r->arena, double, count);
  if (!times) return pf_no_room(r->ctx, "the request");
  if (count) memcpy(times, values, (size_t)count*sizeof *times);
  r->given[found - table] = true;
  r->times = times;
  r->time_count = count;
  r->at = "";
  return PF_OK;
}

PfStatus pf_request_add_file(PfRequest *r, const char *path)
{
  int most = r->task->most_files ? r->task->most_files : 1;
  PF_TRY(copy_text(r, path, strlen(path), &path));
  if (r->task->takes_range && !r->range && strchr(path, '=') && strstr(path, "..")) {
    r->range = path;
    return PF_OK;
  }
  if (r->file_count == most)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@task{%s} takes at most %d file%s", r->task->name, most,
                   most == 1 ? "" : "s");
  r->files[r->file_count++] = path;
  return PF_OK;
}

PfStatus pf_request_set_input(PfRequest *r, const char *name, const char *bytes, size_t count)
{
  PF_TRY(copy_text(r, name, strlen(name), &name));
  if (!r->file_count) PF_TRY(pf_request_add_file(r, "-"));
  r->input_name = name;
  r->input = bytes;
  r->input_size = count;
  return PF_OK;
}

/* ---------------------------------------------------------------- the whole request */

/* x.pf in place of x.csv as the file that is written must not cost the model. */
static bool is_same_file(const char *a, const char *b)
{
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

PfStatus pf_task_spare_files(PfContext *ctx, const PfRequest *r, const char *setting, const char *path)
{
  for (int i = 0; path && i <= r->file_count; i++) {
    const char *read = i < r->file_count ? r->files[i] : r->page;
    if (read && is_same_file(path, read))
      return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s would overwrite what is read: %s", setting, path);
  }
  return PF_OK;
}

PfStatus pf_request_check(PfContext *ctx, PfRequest *r)
{
  const char *instead = r->task->instead, *operand = r->task->operand ? r->task->operand : "file";
  bool spared = r->task->needs_none || (instead && pf_task_given(r, instead));
  /* What is accepted is obeyed: settings that have an effect only with others, or never with them. */
  for (const SettingNeed *need = r->task->needs; need && need->names; need++) {
    const char *given = pf_task_given(r, need->names);
    if (!given) continue;
    if (need->with && !pf_task_given(r, need->with))
      return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s goes with @%.*s and has no effect without", given,
                     (int)strcspn(need->with, " "), need->with);
    const char *other = need->without ? pf_task_given(r, need->without) : NULL;
    if (other)
      return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s and @%s exclude each other", given, other);
  }
  if (!r->file_count && !spared) return pf_fail(ctx, PF_ERR_ARGUMENT, "a %s is missing", operand);
  PF_TRY(pf_task_spare_files(ctx, r, "out", r->out));
  PF_TRY(pf_task_spare_files(ctx, r, "poses", r->poses));
  r->file = r->files[0];
  return PF_OK;
}
