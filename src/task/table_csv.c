/* SPDX-License-Identifier: Apache-2.0 */
/* Trajectories from CSV files, whoever wrote them: commas between fields, quotes around those that need them. */
#include "task/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 512 << 20 };

/* ---------------------------------------------------------------- names of files */

bool pf_table_is_file(const char *path)
{
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, ".csv");
}

bool pf_table_is_other(const char *path)
{
  static const char *const kinds[] = {".json", ".mat", ".py", ".svg", ".png", ".pdf", ".tsv", ".npz", ".xlsx", ".html"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof kinds/sizeof *kinds; i++)
    if (!strcmp(dot, kinds[i])) return true;
  return false;
}

PfStatus pf_table_refuse(PfContext *ctx, const char *command, const char *path)
{
  const char *dot = strrchr(path, '.');
  pf_fail(ctx, PF_ERR_ARGUMENT, "'%s': %s reads models and trajectories in CSV, no %s files", path, command, dot);
  pf_hint(ctx, "@task{run @out{%.*s.csv} MODEL} writes what it reads", (int)(dot - path), path);
  return PF_ERR_ARGUMENT;
}

typedef struct Reader {
  PfContext *ctx;
  const char *path;
  char *at, *end; /* the text that is left; it is cut into fields where it stands */
  int line;
  bool list;      /* no trajectory: words are noted */
} Reader;

/* ---------------------------------------------------------------- fields */

/* Ends a field: is there another one in this line? */
static bool pass_separator(Reader *r)
{
  if (r->at < r->end && *r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n') r->at++;
  if (r->at == r->end) return false;
  r->line += *r->at == '\n';
  return *r->at++ == ',';
}

static bool is_end_of_field(const Reader *r)
{
  return r->at == r->end || *r->at == ',' || *r->at == '\n' ||
         (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n');
}

static void skip_blanks(Reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

/* "a ""b"" c", in which commas and ends of lines mean nothing. */
static PfStatus quoted_field(Reader *r, char **field)
{
  int line = r->line;
  char *out = *field = ++r->at;
  for (; r->at < r->end; r->at++) {
    if (*r->at == '"' && r->at + 1 < r->end && r->at[1] == '"') r->at++;
    else if (*r->at == '"') break;
    r->line += *r->at == '\n';
    *out++ = *r->at;
  }
  if (r->at == r->end) return pf_fail(r->ctx, PF_ERR_FILE, "%s:%d: a quoted field does not end", r->path, line);
  *out = 0;
  r->at++;
  skip_blanks(r);
  if (is_end_of_field(r)) return PF_OK;
  return pf_fail(r->ctx, PF_ERR_FILE, "%s:%d: a comma is missing behind a quoted field", r->path, r->line);
}

/* The field without blanks around it; *more: another one follows in this line. */
static PfStatus next_field(Reader *r, char **field, bool *more)
{
  skip_blanks(r);
  if (r->at < r->end && *r->at == '"') {
    PF_TRY(quoted_field(r, field));
    *more = pass_separator(r);
    return PF_OK;
  }
  *field = r->at;
  while (!is_end_of_field(r)) r->at++;
  char *end = r->at;
  *more = pass_separator(r);
  while (end > *field && strchr(" \t\r", end[-1])) end--;
  *end = 0; /* what stood here is passed */
  return PF_OK;
}

/* Empty lines and comments. */
static void skip_lines(Reader *r)
{
  while (r->at < r->end && (*r->at == '\n' || *r->at == '\r' || *r->at == '#')) {
    char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end + 1 : r->end;
    r->line++;
  }
}

/* ---------------------------------------------------------------- rows */

static PfStatus read_head(Reader *r, PfArena *arena, Table *table)
{
  size_t most = 1;
  char *field;
  for (const char *c = r->at; c < r->end && *c != '\n'; c++) most += *c == ',';
  bool more = true;
  PF_TRY(pf_arrays(r->ctx, arena, "the table", PF_ROOM(table->names, most), PF_ROOM(table->units, most)));
  while (more) {
    PF_TRY(next_field(r, &field, &more));
    if ((size_t)table->columns == most)
      return pf_fail(r->ctx, PF_ERR_FILE, "%s:%d: a name goes over several lines", r->path, r->line);
    /* "x [m]" is the column x with the unit m. */
    size_t length = strlen(field);
    char *bracket = length && field[length - 1] == ']' ? strrchr(field, '[') : NULL;
    table->units[table->columns] = "";
    if (bracket && bracket > field && bracket[-1] == ' ') {
      field[length - 1] = 0;
      bracket[-1] = 0;
      table->units[table->columns] = bracket + 1;
    }
    table->names[table->columns++] = field;
  }
  if (r->list) {
    table->words = pf_arena_array(arena, TableWord, table->columns);
    if (!table->words) return pf_no_room(r->ctx, "the table");
  }
  /* One column only, with another separator in its name. */
  const char *head = table->names[0];
  if (table->columns > 1 || !strpbrk(head, ";\t")) return PF_OK;
  pf_fail(r->ctx, PF_ERR_FILE, "%s:1: columns are separated by %s here", r->path,
          strchr(head, ';') ? "semicolons" : "tabs");
  pf_hint(r->ctx, "write commas between columns, and points in numbers: 0.5,1.25");
  return PF_ERR_FILE;
}

/* A field of the column; words are its numbers where a study of branches says whether they are stable. */
static PfStatus read_number(const Reader *r, int line, const Table *table, int column, const char *field, double *value)
{
  char *end;
  *value = NAN;
  if (!*field || (!strcmp(table->names[0], "branch") && !strcmp(table->names[column], "stability"))) return PF_OK;
  if (!strcmp(table->names[0], "member") && !strcmp(table->names[column], "reason")) return PF_OK; /* of a sweep */
  *value = pf_read_double(field, &end);
  bool decimal = !strpbrk(field, "xX"); /* 0x10 is 16 for C */
  if (end != field && !*end && decimal) return PF_OK;
  if (table->words) { /* who takes the column is told */
    if (!table->words[column].text) table->words[column] = (TableWord){line, field};
    *value = NAN;
    return PF_OK;
  }
  pf_fail(r->ctx, PF_ERR_FILE, "%s:%d: '%.40s' is not a %snumber", r->path, line, field, decimal ? "" : "decimal ");
  pf_hint(r->ctx, "a plot is made of columns of numbers: a trajectory, or the curves of a study");
  return PF_ERR_FILE;
}

static PfStatus read_row(Reader *r, Table *table)
{
  int count = 0, line = r->line;
  bool more = true;
  for (char *field; more && count < table->columns; count++) {
    double value;
    PF_TRY(next_field(r, &field, &more));
    PF_TRY(read_number(r, line, table, count, field, &value));
    if (!pf_push(pf_context_allocator(r->ctx), &table->cells, value)) return pf_no_room(r->ctx, "the table");
  }
  if (count == table->columns && !more) return PF_OK;
  return pf_fail(r->ctx, PF_ERR_FILE, "%s:%d: %s columns than the head of the table has", r->path, line,
                 more ? "more" : "fewer");
}

static PfStatus parse(Reader *r, PfArena *arena, char *bytes, size_t count, Table *table)
{
  if (memchr(bytes, 0, count)) return pf_fail(r->ctx, PF_ERR_FILE, "'%s' is not a text file", r->path);
  r->at = bytes;
  r->end = bytes + count;
  r->line = 1;
  if (count >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) r->at += 3; /* the mark that some programs write first */
  skip_lines(r);
  table->head_line = r->line;
  if (r->at < r->end) PF_TRY(read_head(r, arena, table));
  for (skip_lines(r); r->at < r->end; skip_lines(r)) PF_TRY(read_row(r, table));
  return PF_OK;
}

PfStatus pf_table_parse(PfContext *ctx, PfArena *arena, const char *path, char *bytes, size_t count, Table *table)
{
  Reader r = {.ctx = ctx, .path = path};
  PF_TRY(parse(&r, arena, bytes, count, table));
  if (pf_table_rows(table) >= 2) return pf_table_curves(ctx, arena, table);
  return pf_fail(ctx, PF_ERR_FILE, "'%s' holds no trajectory: a line of names and at least two rows of numbers", path);
}

PfStatus pf_table_read(PfContext *ctx, PfArena *arena, const char *path, Table *table)
{
  const char *bytes;
  size_t count;
  PF_TRY(pf_file_read(ctx, arena, path, LARGEST_FILE, &bytes, &count));
  /* in our own arena: it may be cut up */
  return pf_table_parse(ctx, arena, path, (char *)(uintptr_t)bytes, count, table);
}

PfStatus pf_table_read_list(PfContext *ctx, PfArena *arena, const char *path, Table *table)
{
  Reader r = {.ctx = ctx, .path = path, .list = true};
  const char *bytes;
  size_t count;
  PF_TRY(pf_file_read(ctx, arena, path, LARGEST_FILE, &bytes, &count));
  return parse(&r, arena, (char *)(uintptr_t)bytes, count, table);
}
