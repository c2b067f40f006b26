/* Tables of numbers. */
#include "cli/table.h"

#include "cli/events.h"
#include "cli/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 512 << 20 };

int pf_table_rows(const Table *table)
{
  return table->columns ? (int)(table->cells.count/(size_t)table->columns) : 0;
}

int pf_table_find(const Table *table, const char *name)
{
  for (int i = 0; i < table->columns; i++)
    if (!strcmp(table->names[i], name)) return i;
  return -1;
}

void pf_table_free(const PfContext *ctx, Table *table)
{
  pf_array_free(pf_context_allocator(ctx), &table->cells);
}

/* ---------------------------------------------------------------- from a file */

/* One field of a CSV line, quotes taken off; returns what follows its comma, or NULL at the end of the line. */
static char *next_field(char *line, char **field)
{
  if (*line != '"') {
    *field = line;
    char *comma = strchr(line, ',');
    if (!comma) return NULL;
    *comma = 0;
    return comma + 1;
  }
  char *out = *field = line + 1;
  for (char *c = line + 1; *c; c++) {
    if (*c == '"' && c[1] == '"') c++;
    else if (*c == '"') {
      char *after = c[1] == ',' ? c + 2 : NULL;
      *out = 0;
      return after;
    }
    *out++ = *c;
  }
  *out = 0;
  return NULL;
}

/* "x [m]" is the column x with the unit m. */
static void add_name(Table *table, char *field)
{
  size_t length = strlen(field);
  char *bracket = length && field[length - 1] == ']' ? strstr(field, " [") : NULL;
  table->units[table->columns] = "";
  if (bracket) {
    field[length - 1] = 0;
    *bracket = 0;
    table->units[table->columns] = bracket + 2;
  }
  table->names[table->columns++] = field;
}

static PfStatus read_head(PfContext *ctx, PfArena *arena, char *line, Table *table)
{
  int most = 1;
  for (const char *c = line; *c; c++) most += *c == ',';
  table->names = pf_arena_array(arena, const char *, most);
  table->units = pf_arena_array(arena, const char *, most);
  if (!table->names || !table->units) return pf_fail(ctx, PF_ERR_MEMORY, "no memory for the table");
  for (char *field; line && table->columns < most;) {
    line = next_field(line, &field);
    add_name(table, field);
  }
  return PF_OK;
}

static PfStatus read_row(PfContext *ctx, const char *path, int number, char *line, Table *table)
{
  int count = 0;
  for (char *field, *end; line && count < table->columns; count++) {
    line = next_field(line, &field);
    double value = strtod(field, &end);
    if (end == field || *end)
      return pf_fail(ctx, PF_ERR_FILE, "%s:%d: '%s' is not a number", path, number, field);
    if (!pf_push(pf_context_allocator(ctx), &table->cells, value)) return pf_fail(ctx, PF_ERR_MEMORY, "no memory");
  }
  if (count == table->columns && !line) return PF_OK;
  return pf_fail(ctx, PF_ERR_FILE, "%s:%d: %s columns than the head of the table has", path, number,
                 line ? "more" : "fewer");
}

PfStatus pf_table_read(PfContext *ctx, PfArena *arena, const char *path, Table *table)
{
  const char *bytes;
  size_t count;
  PF_TRY(pf_file_read(ctx, arena, path, LARGEST_FILE, &bytes, &count));
  char *line = (char *)(uintptr_t)bytes; /* in our own arena: it may be cut into pieces */
  for (int number = 1; line && *line; number++) {
    char *end = strchr(line, '\n'), *next = end ? end + 1 : NULL;
    if (end) *end = 0;
    if (end && end > line && end[-1] == '\r') end[-1] = 0;
    if (*line && *line != '#') {
      if (!table->columns) PF_TRY(read_head(ctx, arena, line, table));
      else PF_TRY(read_row(ctx, path, number, line, table));
    }
    line = next;
  }
  if (pf_table_rows(table) < 2) return pf_fail(ctx, PF_ERR_FILE, "'%s' holds no trajectory", path);
  return PF_OK;
}

/* ---------------------------------------------------------------- from a run */

typedef struct Filler {
  Trajectory trajectory;
  Table *table;
  Events events;
} Filler;

static PfStatus fill(void *user, const PfSample *sample)
{
  Filler *f = user;
  PF_TRY(pf_trajectory_add(&f->trajectory, sample));
  for (int i = 0; i < f->table->columns; i++)
    if (!pf_push(pf_context_allocator(f->trajectory.s->ctx), &f->table->cells, f->trajectory.row[i]))
      return pf_fail(f->trajectory.s->ctx, PF_ERR_MEMORY, "no memory for the trajectory");
  return PF_OK;
}

static PfStatus run(Session *s, const Options *options, int samples, PfSystem *system, Filler *f)
{
  double *values;
  PfStart start;
  PfRunOptions settings = pf_run_options();
  PfRunResult result;
  PF_TRY(pf_cli_start(s, options, system, &values, &start));
  PF_TRY(pf_cli_run_options(s, options, system, values, &settings));
  PF_TRY(pf_cli_keep_offset(s, options, &start, &settings));
  PF_TRY(pf_events_make(&f->events, s, system, values));
  Events *e = &f->events;
  PF_TRY(pf_trajectory_make(&f->trajectory, &e->complete, e->system, e->values));
  f->table->columns = f->trajectory.count;
  f->table->names = f->trajectory.names;
  f->table->units = f->trajectory.units;
  double t0 = values[pf_system_symbols(system)->time];
  double *at = pf_arena_array(s->arena, double, samples + 1);
  if (!at) return pf_fail(s->ctx, PF_ERR_MEMORY, "no memory");
  for (int i = 0; i <= samples; i++) at[i] = t0 + (settings.t_end - t0)*i/samples;
  settings.at = at;
  settings.at_count = samples + 1;
  settings.sample = fill;
  settings.user = f;
  PF_TRY(pf_events_run(e, &settings, &result));
  return pf_check_cancelled(s->ctx); /* part of a motion is not what was asked for */
}

PfStatus pf_table_run(Session *s, const Options *options, int samples, Table *table)
{
  PfSystem *system = NULL;
  Filler f = {.table = table};
  PfStatus status = pf_system_new(s->ctx, &s->equations, &system);
  if (status == PF_OK) status = run(s, options, samples, system, &f);
  pf_trajectory_free(&f.trajectory);
  pf_events_free(&f.events);
  pf_system_free(system);
  if (status == PF_OK && pf_table_rows(table) < 2)
    return pf_fail(s->ctx, PF_ERR_NUMBER, "the run is too short to be plotted");
  return status;
}
