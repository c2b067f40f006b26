/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a report as JSON. The depth of the tree is that of the tables of fields. */
#include "report/json.h"
#include "report/report.h"

static bool is_left_out(const PfValue *value)
{
  bool member = value->parent && value->parent->type == PF_TYPE_RECORD;
  return member && value->field->optional && !value->written;
}

/* A row of numbers or strings, from this entry on. */
static void put_row(PfJson *json, const char *key, const PfValue *value, size_t from, int count)
{
  bool strings = value->type == PF_TYPE_STRINGS;
  pf_json_open(json, key, '[');
  for (size_t i = from; i < from + (size_t)count; i++) {
    if (strings) pf_json_string(json, NULL, value->strings[i]);
    else pf_json_number(json, NULL, value->numbers[i]);
  }
  pf_json_close(json, ']');
}

static void put_array(PfJson *json, const PfValue *value)
{
  if (value->field->base64) {
    pf_json_item(json, value->key);
    pf_text_add(&json->text, "\"");
    pf_put_base64_numbers(&json->text, value->numbers, (size_t)value->count, value->field->base64);
    pf_text_add(&json->text, "\"");
    return;
  }
  if (value->columns < 0) {
    put_row(json, value->key, value, 0, value->count);
    return;
  }
  int depth = json->depth;
  pf_json_item(json, value->key);
  if (value->field->large) json->depth = 0;
  json->depth++;
  json->comma = false;
  pf_text_put(&json->text, "[", 1);
  for (int i = 0; i < value->count; i++)
    put_row(json, NULL, value, (size_t)i*(size_t)value->columns, value->columns);
  pf_json_close(json, ']');
  json->depth = depth;
}

static void put_members(PfJson *json, const PfValue *value)
{
  bool list = value->type == PF_TYPE_LIST;
  pf_json_open(json, value->key, list ? '[' : '{');
  for (const PfValue *member = value->first; member; member = member->next)
    pf_json_value(json, member);
  pf_json_close(json, list ? ']' : '}');
}

void pf_json_value(PfJson *json, const PfValue *value)
{
  if (is_left_out(value)) return;
  switch (value->type) {
  case PF_TYPE_NULL: pf_json_string(json, value->key, NULL); break;
  case PF_TYPE_BOOL: pf_json_bool(json, value->key, value->integer != 0); break;
  case PF_TYPE_INTEGER: pf_json_integer(json, value->key, value->integer); break;
  case PF_TYPE_NUMBER: pf_json_number(json, value->key, value->number); break;
  case PF_TYPE_STRING: pf_json_string(json, value->key, value->string); break;
  case PF_TYPE_NUMBERS:
  case PF_TYPE_STRINGS: put_array(json, value); break;
  case PF_TYPE_RECORD:
  case PF_TYPE_MAP:
  case PF_TYPE_LIST: put_members(json, value); break;
  }
}
