/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as JSON, for hosts that pass values as text: JavaScript, servers. The format is that of pf_request_read. */
#include "task/task.h"
#include "out/json_read.h"

#include <string.h>

/* Members of a request that are settings with values by the names of the model. */
static const char by_name[] = "param state input";

/* Is the text UTF-8? JSON has no other; the reader of JSON takes bytes as they are. */
static PfStatus check_utf8(PfRequest *r, const char *setting, const char *text)
{
  for (size_t at = 0, count = strlen(text); at < count;) {
    uint32_t size = pf_utf8_size(text + at, count - at);
    if (!size) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: the text is not UTF-8 from its byte %zu on", setting, at);
    at += size;
  }
  return PF_OK;
}

/* Fails when the member of an object stood there before: JSON allows it, but only one of the values could count. */
static PfStatus check_once(PfContext *ctx, const PfJsonNode *object, const PfJsonNode *member, const char *setting)
{
  for (const PfJsonNode *other = object->child; other != member; other = other->next)
    if (!strcmp(other->key, member->key))
      return setting ? pf_fail(ctx, PF_ERR_ARGUMENT, "@%s: '%s' was given twice", setting, member->key)
                     : pf_fail(ctx, PF_ERR_ARGUMENT, "@%s was given twice", member->key);
  return PF_OK;
}

static PfStatus refuse(PfRequest *r, const char *setting, const char *name, const char *wanted)
{
  return name ? pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: the value of '%s' is not %s", setting, name, wanted)
              : pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: the value is not %s", setting, wanted);
}

/* The numbers of a list, as the value of a setting or of one of its names. */
static PfStatus set_numbers(PfRequest *r, const char *setting, const char *name, const PfJsonNode *list)
{
  int count = 0;
  for (const PfJsonNode *item = list->child; item; item = item->next, count++)
    if (item->kind != PF_JSON_NUMBER) return refuse(r, setting, name, "a list of numbers");
  double *numbers = pf_arena_array(r->arena, double, count);
  if (!numbers) return pf_no_room(r->ctx, "the request");
  count = 0;
  for (const PfJsonNode *item = list->child; item; item = item->next) numbers[count++] = item->number;
  return pf_request_set_values(r, setting, name, numbers, count);
}

/* {"m": 7, "k": "5 [N/m]", "U": [1, 2, 3]} of a setting with values by name. */
static PfStatus set_named(PfRequest *r, const char *setting, const PfJsonNode *object)
{
  if (object->kind == PF_JSON_NULL) return PF_OK;
  if (object->kind != PF_JSON_OBJECT) return refuse(r, setting, NULL, "an object with values by name");
  for (const PfJsonNode *one = object->child; one; one = one->next) {
    PF_TRY(check_utf8(r, setting, one->key));
    PF_TRY(check_once(r->ctx, object, one, setting));
    switch (one->kind) {
    case PF_JSON_NULL: break;
    case PF_JSON_NUMBER: PF_TRY(pf_request_set_value(r, setting, one->key, one->number)); break;
    case PF_JSON_STRING:
      PF_TRY(check_utf8(r, setting, one->text));
      PF_TRY(pf_request_set_value_text(r, setting, one->key, one->text));
      break;
    case PF_JSON_LIST: PF_TRY(set_numbers(r, setting, one->key, one)); break;
    default: return refuse(r, setting, one->key, "a number, a text or a list of numbers");
    }
  }
  return PF_OK;
}

/* One setting by the type of its value; null leaves it as if it had not been given. */
static PfStatus set_one(PfRequest *r, const PfJsonNode *node)
{
  const char *name = node->key;
  PF_TRY(check_utf8(r, "settings", name));
  switch (node->kind) {
  case PF_JSON_NULL: return PF_OK;
  case PF_JSON_BOOL: return pf_request_set_flag(r, name, node->number != 0);
  case PF_JSON_NUMBER: return pf_request_set_number(r, name, node->number);
  case PF_JSON_OBJECT: return refuse(r, name, NULL, "a number, a text, true, false or a list");
  case PF_JSON_LIST: {
    const PfSetting *setting = pf_setting_find(name);
    if (!setting || setting->type != PF_SETTING_LIST) return set_numbers(r, name, NULL, node);
    for (const PfJsonNode *item = node->child; item; item = item->next) {
      if (item->kind != PF_JSON_STRING) return refuse(r, name, NULL, "a list of texts");
      PF_TRY(check_utf8(r, name, item->text));
      PF_TRY(pf_request_set_text(r, name, item->text));
    }
    return PF_OK;
  }
  default: PF_TRY(check_utf8(r, name, node->text)); return pf_request_set_text(r, name, node->text);
  }
}

static PfStatus set_all(PfRequest *r, const PfJsonNode *object)
{
  if (object->kind == PF_JSON_NULL) return PF_OK;
  if (object->kind != PF_JSON_OBJECT) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "the settings are not an object");
  for (const PfJsonNode *one = object->child; one; one = one->next) {
    PF_TRY(check_once(r->ctx, object, one, NULL));
    PF_TRY(set_one(r, one));
  }
  return PF_OK;
}

static PfStatus add_files(PfRequest *r, const PfJsonNode *list)
{
  if (list->kind != PF_JSON_LIST) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "'files' is not a list of names");
  for (const PfJsonNode *one = list->child; one; one = one->next) {
    if (one->kind != PF_JSON_STRING) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "'files' is not a list of names");
    PF_TRY(pf_request_add_file(r, one->text));
  }
  return PF_OK;
}

/* The text of the model, with a copy of its own. */
static PfStatus set_text(PfRequest *r, const PfJsonNode *node, const char *name)
{
  if (node->kind != PF_JSON_STRING) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "'text' is not a text");
  size_t count = strlen(node->text);
  const char *copy = pf_arena_text(r->arena, node->text, count);
  return copy ? pf_request_set_input(r, name ? name : "<text>", copy, count) : pf_no_room(r->ctx, "the request");
}

/* The setting in whose value the text stopped being JSON, as the last value that was read; or NULL. */
static const char *setting_at_end(const PfJsonNode *root)
{
  const char *setting = NULL;
  for (const PfJsonNode *node = root ? root->child : NULL; node && !setting; node = node->child) {
    while (node->next) node = node->next;
    if (!node->key || !strcmp(node->key, "settings")) continue;
    if (pf_setting_find(node->key)) setting = node->key;
  }
  return setting;
}

/* Reads the JSON into the arena; a mistake in the value of a setting has the setting's name. */
static PfStatus read_json(PfContext *ctx, PfArena *arena, const char *bytes, size_t count, PfJsonNode **root)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_json_read(ctx, arena, "request", bytes, count, root);
  const char *setting = status == PF_ERR_SYNTAX ? setting_at_end(*root) : NULL;
  if (!setting) return status;
  const PfDiagnostic found = *pf_diagnostic(ctx, before); /* its texts stay where they are */
  pf_diagnostics_truncate(ctx, before);
  return pf_fail(ctx, PF_ERR_SYNTAX, "@%s: %s", setting, found.message);
}

static PfStatus read_request(PfContext *ctx, PfArena *arena, const char *bytes, size_t count, PfRequest **request)
{
  PfJsonNode *root = NULL;
  PF_TRY(read_json(ctx, arena, bytes, count, &root));
  if (root->kind != PF_JSON_OBJECT) return pf_fail(ctx, PF_ERR_ARGUMENT, "a request is a JSON object");
  const char *name = pf_json_text(root, "task");
  const PfTask *task = name ? pf_task_find(name) : NULL;
  if (!name) return pf_fail(ctx, PF_ERR_ARGUMENT, "a request names its task, as \"task\": \"run\"");
  if (!task) return pf_fail(ctx, PF_ERR_ARGUMENT, "there is no task '%.60s'", name);
  PF_TRY(pf_request_new(ctx, task, request));
  PfRequest *r = *request;
  static const char members[] = "task settings param state input files text name";
  for (const PfJsonNode *one = root->child; one; one = one->next) {
    const char *key = one->key;
    if (!pf_task_is_listed(members, key)) {
      pf_fail(r->ctx, PF_ERR_ARGUMENT, "a request has no member '%.60s'", key);
      if (pf_setting_find(key)) pf_hint(r->ctx, "it is a setting: \"settings\": {\"%s\": …}", key);
      else pf_hint(r->ctx, "it has task, settings, param, state, input, files, text and name");
      return PF_ERR_ARGUMENT;
    }
    PF_TRY(check_once(r->ctx, root, one, NULL));
    if (pf_task_is_listed(by_name, key)) PF_TRY(set_named(r, key, one));
    else if (!strcmp(key, "settings")) PF_TRY(set_all(r, one));
    else if (!strcmp(key, "files")) PF_TRY(add_files(r, one));
    else if (!strcmp(key, "text")) PF_TRY(set_text(r, one, pf_json_text(root, "name")));
  }
  return PF_OK;
}

PfStatus pf_request_read(PfContext *ctx, const char *json, size_t count, PfRequest **request)
{
  *request = NULL;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = read_request(ctx, scratch, json, count, request);
  pf_arena_release(scratch, mark);
  if (status == PF_OK) return PF_OK;
  pf_request_free(*request);
  *request = NULL;
  return status;
}
