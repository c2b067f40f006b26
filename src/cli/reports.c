/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff --reports: the tables of fields of all reports as JSON, of which tests/reports.py makes the reference of keys
 * (docs/reports.md) and the types of TypeScript and Python. */
#include "cli/cli.h"
#include "report/report.h"
#include "task/page.h"

#include <string.h>

enum { MOST_TABLES = 200 };

/* Tables of fields in the order in which they are found; their places are their numbers. */
typedef struct Tables {
  const PfField *at[MOST_TABLES];
  int count;
} Tables;

static const PfField key_fields[] = {
  PF_FIELD("key", STRING, "the key"),
  PF_FIELD("type", STRINGS, "of its value, outermost first, as list, record; numbers and strings: vectors or matrices"),
  PF_FIELD("layout", STRING, "of numbers and strings: vector, matrix, either, or base64"),
  PF_FIELD_OR_NULL("table", INTEGER, "number of the table of the records; null: there are none"),
  PF_FIELD("optional", BOOL, "left out when it has no value"),
  PF_FIELD("nullable", BOOL, "may be null, or numbers among its entries"),
  PF_FIELD("about", STRING, "meaning"),
  {0}};

static const PfField table_fields[] = {PF_FIELD_RECORDS("fields", key_fields, "in the order of the keys"), {0}};

static const PfField report_fields[] = {
  PF_FIELD_OR_NULL("task", STRING, "name of the task; null: the data of a page"),
  PF_FIELD_OR_NULL("command", STRING, "its command in the shell"),
  PF_FIELD_OR_NULL("setting", STRING, "the setting that asks for this report; null: it is the usual one"),
  PF_FIELD("table", INTEGER, "number of its table"),
  {0}};

static const PfField fields[] = {
  PF_FIELD_RECORDS("tables", table_fields, "all tables of fields"),
  PF_FIELD_RECORDS("reports", report_fields, "all reports"),
  {0}};

/* The number of a table, which is added when it is new. */
static int number_of(Tables *tables, const PfField *table)
{
  for (int i = 0; i < tables->count; i++)
    if (tables->at[i] == table) return i;
  if (tables->count == MOST_TABLES) return -1;
  tables->at[tables->count] = table;
  return tables->count++;
}

static void put_field(PfReport *r, Tables *tables, const PfField *field)
{
  static const char *const names[] = {"null", "bool", "integer", "number", "string", "record", "map", "list", "numbers",
                                      "strings"}; /* as in PfType */
  static const char *const layouts[] = {"vector", "matrix", "either"}; /* as in PfLayout */
  const char *types[8];
  int count = 0;
  const PfField *inner = field;
  PfType type = field->type;
  pf_report_open(r, NULL);
  pf_report_string(r, "key", field->key);
  types[count++] = names[type];
  while ((type == PF_TYPE_LIST || type == PF_TYPE_MAP) && count < 8) {
    type = inner->of;
    types[count++] = names[type];
    if (type == PF_TYPE_LIST || type == PF_TYPE_MAP) inner = inner->fields; /* a field of its own */
  }
  pf_report_strings(r, "type", types, count);
  pf_report_string(r, "layout", field->base64 ? "base64" : layouts[field->layout]);
  if (type == PF_TYPE_RECORD) pf_report_integer(r, "table", number_of(tables, inner->fields));
  pf_report_bool(r, "optional", field->optional);
  pf_report_bool(r, "nullable", field->nullable);
  PfText about = pf_cli_spelled(field->about ? field->about : "");
  pf_report_string(r, "about", pf_text_get(&about));
  pf_text_free(&about);
  pf_report_close(r);
}

static void put_report(PfReport *r, Tables *tables, const PfField *table, const PfTask *task, const char *setting)
{
  if (!table) return;
  pf_report_open(r, NULL);
  if (task) pf_report_string(r, "task", task->name);
  if (task) pf_report_string(r, "command", pf_cli_command(task));
  pf_report_string(r, "setting", setting);
  pf_report_integer(r, "table", number_of(tables, table));
  pf_report_close(r);
}

void pf_cli_list_reports(FILE *stream)
{
  PfContext *ctx = pf_cli_context();
  PfReport *r = NULL;
  Tables tables = {.count = 0};
  const PfTask *task;
  PfSetting setting;
  if (!ctx || pf_report_new(ctx, fields, &r) != PF_OK) {
    pf_context_free(ctx);
    return;
  }
  pf_report_open(r, "reports");
  for (int i = 0; (task = pf_task(i)) != NULL; i++) {
    put_report(r, &tables, pf_task_fields(task, NULL), task, NULL);
    for (int k = 0; pf_task_setting(task, k, &setting); k++) {
      put_report(r, &tables, pf_task_fields(task, setting.name), task, setting.name);
    }
  }
  put_report(r, &tables, pf_page_data_fields, NULL, NULL);
  pf_report_close(r);
  pf_report_open(r, "tables");
  for (int i = 0; i < tables.count; i++) { /* it grows meanwhile */
    pf_report_open(r, NULL);
    pf_report_open(r, "fields");
    for (const PfField *field = tables.at[i]; field->key; field++) put_field(r, &tables, field);
    pf_report_close(r);
    pf_report_close(r);
  }
  pf_report_close(r);
  if (pf_report_check(r) == PF_OK) fputs(pf_report_json(r), stream);
  pf_report_free(r);
  pf_context_free(ctx);
}
