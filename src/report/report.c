/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: the tree of values in an arena, and the text. Members of a record are made, without values, when it is
 * opened, so that their order is that of the table of fields whatever the order of writing. */
#include "report/report.h"

#include "base/spelling.h"
#include "report/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct PfReport {
  PfContext *ctx; /* of the writer; later its own */
  bool owns;      /* the context */
  PfAllocator allocator;
  PfArena *arena;
  PfValue *root, *open; /* `open`: the innermost record, map or list */
  PfText text;
  PfJson json;
  bool failed;
};

/* ---------------------------------------------------------------- values */

static PfValue *add(PfReport *report, PfValue *parent, const char *key, PfType wanted, const PfField *field)
{
  PfValue *value = pf_arena_array(report->arena, PfValue, 1);
  if (!value) {
    report->failed = true;
    return NULL;
  }
  *value = (PfValue){.key = key, .wanted = wanted, .field = field, .parent = parent};
  if (!parent) return value;
  if (parent->last) parent->last->next = value;
  else parent->first = value;
  parent->last = value;
  parent->count++;
  return value;
}

static void open_value(PfReport *report, PfValue *value)
{
  bool fresh = value->type == PF_TYPE_NULL;
  value->type = value->wanted;
  value->written = true;
  report->open = value;
  if (!fresh || value->type != PF_TYPE_RECORD) return;
  for (const PfField *field = value->field->fields; field->key; field++)
    add(report, value, field->key, field->type, field);
}

/* The place of a value in the record, map or list that is open; NULL without memory. */
static PfValue *place(PfReport *report, const char *key)
{
  PfValue *parent = report->open;
  if (report->failed) return NULL;
  if (parent->type != PF_TYPE_RECORD) {
    /* An item of the list or map that is open. Items that are lists or maps themselves have a field of their own. */
    const PfField *field = parent->field;
    bool nested = field->of == PF_TYPE_LIST || field->of == PF_TYPE_MAP;
    char *own = key ? pf_arena_text(report->arena, key, strlen(key)) : NULL;
    if (key && !own) report->failed = true;
    return add(report, parent, own, field->of, nested ? field->fields : field);
  }
  PfValue *member = parent->first;
  while (member && strcmp(member->key, key)) member = member->next;
  assert(member); /* the table of fields has the key */
  return member;
}

static PfValue *place_of(PfReport *report, const char *key, PfType type)
{
  PfValue *value = place(report, key);
  if (!value) return NULL;
  assert(type == value->wanted || type == PF_TYPE_NULL);
  value->type = type;
  value->written = true;
  return value;
}

/* ---------------------------------------------------------------- a report */

static PfStatus make(PfReport *report, const PfField *fields)
{
  PfField *field = pf_arena_array(report->arena, PfField, 1);
  if (!field) return pf_no_room(report->ctx, "the report");
  *field = (PfField){.type = PF_TYPE_RECORD, .fields = fields};
  report->root = add(report, NULL, NULL, PF_TYPE_RECORD, field);
  if (report->root) open_value(report, report->root);
  return pf_report_check(report);
}

PfStatus pf_report_new(PfContext *ctx, const PfField *fields, PfReport **out)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  PfArena *arena = pf_arena_new(allocator);
  PfReport *report = arena ? pf_arena_array(arena, PfReport, 1) : NULL;
  *out = report;
  if (!report) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the report");
  }
  *report = (PfReport){.ctx = ctx, .arena = arena, .allocator = *allocator};
  pf_text_init(&report->text, &report->allocator);
  pf_json_begin(&report->json, &report->allocator);
  PfStatus status = make(report, fields);
  if (status == PF_OK) return PF_OK;
  pf_report_free(report);
  *out = NULL;
  return status;
}

void pf_report_free(PfReport *report)
{
  if (!report) return;
  pf_text_free(&report->text);
  pf_json_free(&report->json);
  if (report->owns) pf_context_free(report->ctx);
  pf_arena_free(report->arena);
}

PfStatus pf_report_keep(PfReport *report)
{
  PfContext *own = pf_context_new(&report->allocator);
  if (own && pf_diagnostics_copy(own, report->ctx)) {
    report->ctx = own;
    report->owns = true;
    return PF_OK;
  }
  pf_context_free(own);
  return pf_no_room(report->ctx, "the report");
}

const PfValue *pf_report_last(const PfReport *report)
{
  return report->open->last;
}

void pf_report_remove_last(PfReport *report)
{
  PfValue *parent = report->open, *value = parent->first;
  if (report->failed || !value) return;
  while (value->next && value->next->next) value = value->next;
  if (value->next) value->next = NULL, parent->last = value;
  else parent->first = parent->last = NULL;
  parent->count--;
}

void pf_report_clear_text(PfReport *report)
{
  pf_text_free(&report->text);
  pf_text_init(&report->text, &report->allocator);
}

const PfContext *pf_report_context(const PfReport *report)
{
  return report->ctx;
}

PfStatus pf_report_check(PfReport *report)
{
  return report->failed || report->text.failed ? pf_no_room(report->ctx, "the report") : PF_OK;
}

/* ---------------------------------------------------------------- writing */

void pf_report_open(PfReport *report, const char *key)
{
  PfValue *value = place(report, key);
  if (value) open_value(report, value);
}

void pf_report_close(PfReport *report)
{
  if (!report->failed) report->open = report->open->parent;
}

void pf_report_bool(PfReport *report, const char *key, bool truth)
{
  PfValue *value = place_of(report, key, PF_TYPE_BOOL);
  if (value) value->integer = truth;
}

void pf_report_integer(PfReport *report, const char *key, long long integer)
{
  PfValue *value = place_of(report, key, PF_TYPE_INTEGER);
  if (value) value->integer = integer;
}

void pf_report_number(PfReport *report, const char *key, double number)
{
  PfValue *value = place_of(report, key, PF_TYPE_NUMBER);
  if (value) value->number = number;
}

void pf_report_string(PfReport *report, const char *key, const char *string)
{
  PfValue *value = place_of(report, key, string ? PF_TYPE_STRING : PF_TYPE_NULL);
  if (!value || !string) return;
  value->string = pf_arena_text(report->arena, string, strlen(string));
  if (!value->string) report->failed = true;
}

/* The place of a vector or matrix of that shape, and how many entries it has; NULL without memory. */
static PfValue *place_array(PfReport *report, const char *key, PfType type, int rows, int columns, size_t *count)
{
  PfValue *value = place_of(report, key, type);
  *count = (size_t)rows*(size_t)(columns < 0 ? 1 : columns);
  assert(!value || value->field->layout == PF_VECTOR_OR_MATRIX ||
         value->field->layout == (columns < 0 ? PF_VECTOR : PF_MATRIX));
  if (value) value->count = rows, value->columns = columns;
  return value;
}

/* Room for the numbers of a value, and how many; NULL without memory. */
static double *place_numbers(PfReport *report, const char *key, int rows, int columns, size_t *count)
{
  PfValue *value = place_array(report, key, PF_TYPE_NUMBERS, rows, columns, count);
  double *numbers = value ? pf_arena_array(report->arena, double, *count) : NULL;
  report->failed = report->failed || !numbers;
  if (value) value->numbers = numbers;
  return numbers;
}

static void put_numbers(PfReport *report, const char *key, const double *values, int rows, int columns)
{
  size_t count;
  double *numbers = place_numbers(report, key, rows, columns, &count);
  if (numbers && count) memcpy(numbers, values, count*sizeof *numbers);
}

static void put_strings(PfReport *report, const char *key, const char *const *values, int rows, int columns)
{
  size_t count;
  PfValue *value = place_array(report, key, PF_TYPE_STRINGS, rows, columns, &count);
  const char **strings = value ? pf_arena_array(report->arena, const char *, count) : NULL;
  if (!value) return;
  report->failed = report->failed || !strings;
  for (size_t i = 0; strings && i < count; i++) {
    strings[i] = values[i] ? pf_arena_text(report->arena, values[i], strlen(values[i])) : NULL;
    report->failed = report->failed || (values[i] && !strings[i]);
  }
  value->strings = strings;
}

void pf_report_numbers(PfReport *report, const char *key, const double *values, int count)
{
  put_numbers(report, key, values, count, -1);
}

void pf_report_matrix(PfReport *report, const char *key, const double *values, int rows, int columns)
{
  put_numbers(report, key, values, rows, columns);
}

void pf_report_complex(PfReport *report, const char *key, const double *re, const double *im, int count)
{
  size_t all;
  double *numbers = place_numbers(report, key, count, 2, &all);
  for (int i = 0; numbers && i < count; i++) numbers[2*i] = re[i], numbers[2*i + 1] = im[i];
}

void pf_report_strings(PfReport *report, const char *key, const char *const *values, int count)
{
  put_strings(report, key, values, count, -1);
}

void pf_report_string_matrix(PfReport *report, const char *key, const char *const *values, int rows, int columns)
{
  put_strings(report, key, values, rows, columns);
}

void pf_report_print(PfReport *report, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  pf_text_spell_list(&report->text, pf_context_spelling(report->ctx), NULL, format, list);
  va_end(list);
}

PfText *pf_report_page(PfReport *report)
{
  return &report->text;
}

void pf_report_shown(PfReport *report, const char *key, size_t before)
{
  pf_report_string(report, key, pf_text_get(&report->text) + before);
}

void pf_report_moved(PfReport *report, const char *key, size_t before)
{
  PfText *text = &report->text;
  pf_report_shown(report, key, before);
  text->count = before;
  if (text->at) text->at[before] = 0;
}

/* ---------------------------------------------------------------- reading */

const char *pf_report_text(const PfReport *report)
{
  return pf_text_get(&report->text);
}

const char *pf_report_json(PfReport *report)
{
  PfText *text = &report->json.text;
  if (!text->count) {
    pf_json_value(&report->json, report->root);
    pf_text_add(text, "\n");
  }
  return text->failed ? NULL : pf_text_get(text);
}

const PfValue *pf_report_values(const PfReport *report)
{
  return report->root;
}

PfType pf_value_type(const PfValue *value)
{
  return value ? value->type : PF_TYPE_NULL;
}

const char *pf_value_key(const PfValue *value)
{
  return value ? value->key : NULL;
}

int pf_value_count(const PfValue *value)
{
  return value ? value->count : 0;
}

const PfValue *pf_value_first(const PfValue *value)
{
  return value ? value->first : NULL;
}

const PfValue *pf_value_next(const PfValue *value)
{
  return value ? value->next : NULL;
}

const PfValue *pf_value_member(const PfValue *value, const char *key)
{
  for (value = pf_value_first(value); value; value = value->next)
    if (value->key && !strcmp(value->key, key)) return value;
  return NULL;
}

const PfValue *pf_value_item(const PfValue *value, int index)
{
  for (value = pf_value_first(value); value && index > 0; index--) value = value->next;
  return index < 0 ? NULL : value;
}

double pf_value_number(const PfValue *value)
{
  PfType type = pf_value_type(value);
  return type == PF_TYPE_NUMBER ? value->number : type == PF_TYPE_INTEGER ? (double)value->integer : (double)NAN;
}

long long pf_value_integer(const PfValue *value)
{
  PfType type = pf_value_type(value);
  return type == PF_TYPE_INTEGER || type == PF_TYPE_BOOL ? value->integer : 0;
}

bool pf_value_bool(const PfValue *value)
{
  return pf_value_type(value) == PF_TYPE_BOOL && value->integer;
}

const char *pf_value_string(const PfValue *value)
{
  return pf_value_type(value) == PF_TYPE_STRING ? value->string : NULL;
}

const double *pf_value_numbers(const PfValue *value, int *rows, int *columns)
{
  bool has = pf_value_type(value) == PF_TYPE_NUMBERS;
  *rows = has ? value->count : 0, *columns = has ? value->columns : 0;
  return has ? value->numbers : NULL;
}

const char *const *pf_value_strings(const PfValue *value, int *rows, int *columns)
{
  bool has = pf_value_type(value) == PF_TYPE_STRINGS;
  *rows = has ? value->count : 0, *columns = has ? value->columns : 0;
  return has ? value->strings : NULL;
}
