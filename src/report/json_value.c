/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a report as JSON. The depth of the tree is that of the tables of fields. */
#include "report/json.h"
#include "report/report.h"

static bool is_left_out(const PfValue *value)
{
  bool member = value->parent && value->parent->type == PF_TYPE_RECORD;
  return member && value->field->optional && value->type == PF_TYPE_NULL;
}

static void put_vector(PfJson *json, const char *key, const double *numbers, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_number(json, NULL, numbers[i]);
  pf_json_close(json, ']');
}

static void put_numbers(PfJson *json, const PfValue *value)
{
  if (value->columns < 0) {
    put_vector(json, value->key, value->numbers, value->count);
    return;
  }
  pf_json_open(json, value->key, '[');
  for (int i = 0; i < value->count; i++)
    put_vector(json, NULL, value->numbers + (size_t)i*(size_t)value->columns, value->columns);
  pf_json_close(json, ']');
}

static void put_members(PfJson *json, const PfValue *value)
{
  bool list = value->type == PF_TYPE_LIST;
  pf_json_open(json, value->key, list ? '[' : '{');
  for (const PfValue *member = value->first; member; member = member->next)
    if (!is_left_out(member)) pf_json_value(json, member);
  pf_json_close(json, list ? ']' : '}');
}

void pf_json_value(PfJson *json, const PfValue *value)
{
  switch (value->type) {
  case PF_TYPE_NULL: pf_json_string(json, value->key, NULL); break;
  case PF_TYPE_BOOL: pf_json_bool(json, value->key, value->integer != 0); break;
  case PF_TYPE_INTEGER: pf_json_integer(json, value->key, value->integer); break;
  case PF_TYPE_NUMBER: pf_json_number(json, value->key, value->number); break;
  case PF_TYPE_STRING: pf_json_string(json, value->key, value->string); break;
  case PF_TYPE_NUMBERS: put_numbers(json, value); break;
  case PF_TYPE_RECORD:
  case PF_TYPE_MAP:
  case PF_TYPE_LIST: put_members(json, value); break;
  }
}
