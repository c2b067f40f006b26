/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of numbers, and those that a run makes. */
#include "task/motion.h"
#include "task/table.h"

#include "task/trajectory.h"

#include <math.h>
#include <string.h>

int pf_table_rows(const Table *table)
{
  return table->columns ? (int)(table->cells.count/(size_t)table->columns) : 0;
}

double pf_table_at(const Table *table, int row, int column)
{
  return table->cells.at[(size_t)row*(size_t)table->columns + (size_t)column];
}

int pf_table_find(const Table *table, const char *name)
{
  for (int i = 0; i < table->columns; i++)
    if (!strcmp(table->names[i], name)) return i;
  size_t length = strlen(name);
  const char *unit = NULL; /* the last one: numbers inside have theirs */
  for (const char *at = name; length && name[length - 1] == ']' && (at = strstr(at, " [")) != NULL; at++) unit = at;
  int found = -1;
  for (int i = table->columns; unit && i-- > 0;) {
    bool named = strlen(table->names[i]) == (size_t)(unit - name) &&
                 !strncmp(table->names[i], name, (size_t)(unit - name));
    if (!named) continue;
    found = i;
    if (strlen(table->units[i]) == strlen(unit) - 3 && !strncmp(table->units[i], unit + 2, strlen(unit) - 3)) return i;
  }
  return found;
}

const char *pf_table_head(PfArena *arena, const Table *table, int column)
{
  const char *name = table->names[column], *unit = table->units[column];
  size_t length = strlen(name) + strlen(unit) + 4;
  char *head = unit[0] ? pf_arena_alloc(arena, length, 1) : NULL;
  if (head) snprintf(head, length, "%s [%s]", name, unit);
  return head ? head : name;
}

void pf_table_free(const PfContext *ctx, Table *table)
{
  pf_array_free(pf_context_allocator(ctx), &table->cells);
}

/* ---------------------------------------------------------------- from a run */

typedef struct Filler {
  Trajectory trajectory;
  Table *table;
  TableThinning thinning;
  Motion motion;
  bool fixed; /* its steps have one length */
} Filler;

PfStatus pf_table_add(Table *table, TableThinning *thinning, const Trajectory *trajectory)
{
  PfContext *ctx = trajectory->s->ctx;
  for (int i = 0; i < table->columns; i++)
    if (!pf_push(pf_context_allocator(ctx), &table->cells, trajectory->row[i]))
      return pf_no_room(ctx, "the trajectory");
  return pf_table_thin(ctx, table, thinning);
}

static PfStatus fill(void *user, const PfSample *sample)
{
  Filler *f = user;
  PF_TRY(pf_trajectory_add(&f->trajectory, sample));
  return pf_table_add(f->table, &f->thinning, &f->trajectory);
}

PfStatus pf_table_begin(Table *table, TableThinning *thinning, const Trajectory *trajectory)
{
  /* Where the quantities of the lists stand. */
  PfArena *arena = trajectory->s->arena;
  table->lists = pf_arena_array(arena, TableList, trajectory->plot_count);
  if (!table->lists) return pf_no_room(trajectory->s->ctx, "the table");
  for (int i = 0; i < trajectory->plot_count; i++) {
    const PfPlot *plot = trajectory->plots + i;
    TableList *list = table->lists + table->list_count++;
    *list = (TableList){.count = plot->count, .column = pf_arena_array(arena, int, plot->count), .against = -1};
    if (!list->column) return pf_no_room(trajectory->s->ctx, "the table");
    for (int k = 0; k < plot->count; k++) list->column[k] = pf_trajectory_find(trajectory, plot, k);
    if (plot->against) list->against = pf_trajectory_find(trajectory, plot, plot->count);
    if (trajectory->against) list->against = pf_trajectory_find(trajectory, trajectory->against, 0);
  }
  table->columns = trajectory->count;
  table->names = trajectory->names;
  table->units = trajectory->units;
  return pf_table_thinning(trajectory->s, table, thinning);
}

static PfStatus equal_parts(Session *s, Motion *m, int count)
{
  double *at = pf_arena_array(s->arena, double, count + 1);
  if (!at) return pf_no_room(s->ctx, "the table");
  for (int i = 0; i <= count; i++) at[i] = m->t0 + (m->settings.t_end - m->t0)*i/count;
  m->settings.at = at;
  m->settings.at_count = count + 1;
  return PF_OK;
}

/* Is it some steps from the start to that time? After an event others are counted, which is not known here. */
static bool is_step(const Motion *m, double t)
{
  double steps = (t - m->t0)/m->settings.step;
  return fabs(steps - nearbyint(steps)) < 1e-9 || t == m->settings.t_end;
}

/* The times of another table within those of the run, each once. */
static PfStatus times_of(Session *s, Motion *m, const Table *like, Filler *f)
{
  double *at = pf_arena_array(s->arena, double, pf_table_rows(like));
  double scale = pf_unit_factor(s->ctx, like->units[0], "s"), near = 1e-14*fmax(fabs(m->t0), fabs(m->settings.t_end));
  int count = 0;
  if (!at) return pf_no_room(s->ctx, "the table");
  for (int r = 0; r < pf_table_rows(like); r++) {
    double t = pf_table_at(like, r, 0);
    if (scale > 0) t = pf_unit_convert(t, scale);
    if (!(t >= m->t0 - near && t <= m->settings.t_end + near) || (count && t <= at[count - 1])) continue;
    at[count++] = t;
    f->table->between = f->table->between || (f->fixed && !is_step(m, t));
  }
  m->settings.at = at;
  m->settings.at_count = count;
  return count < 2 ? equal_parts(s, m, 8000) : PF_OK; /* nothing in common, as will be said */
}

static PfStatus choose_times(Session *s, Motion *m, TableTimes times, const Table *like, Filler *f)
{
  const PfMethod *method = pf_method_find(pf_run_method(&m->settings));
  f->fixed = method && pf_method_has_fixed_step(method);
  f->table->steps = times == TABLE_COMMON && f->fixed;
  if (f->table->steps) {
    m->settings.at = NULL;
    m->settings.every = 0;
    return PF_OK;
  }
  if (times != TABLE_STEPS && like) return times_of(s, m, like, f);
  m->settings.pieces = times == TABLE_COMMON ? 0 : f->fixed ? 1 : 4;
  return equal_parts(s, m, times == TABLE_COMMON ? 8000 : 800);
}

static PfStatus run(Session *s, const PfRequest *options, TableTimes times, const Table *like, Filler *f)
{
  Motion *m = &f->motion;
  PfRunResult result;
  PF_TRY(pf_task_place(m, s, options));
  PF_TRY(choose_times(s, m, times, like, f));
  PF_TRY(pf_task_begin(m));
  PF_TRY(pf_trajectory_make(&f->trajectory, m, &(Wanted){options->show, options->against, true}));
  f->thinning = (TableThinning){.from = m->t0, .to = m->settings.t_end};
  PF_TRY(pf_table_begin(f->table, &f->thinning, &f->trajectory));
  PF_TRY(pf_task_move(m, fill, NULL, f, &result));
  if (f->thinning.thinned && f->thinning.path) {
    pf_warn_at(s->ctx, (PfPlace){0}, "the path has too many points to be drawn as it is: corners are cut");
    pf_hint(s->ctx, "@for shows a shorter time");
  }
  return pf_check_cancelled(s->ctx); /* part of a motion is not what was asked for */
}

PfStatus pf_table_run(Session *s, const PfRequest *options, TableTimes times, const Table *like, Table *table)
{
  Filler f = {.table = table};
  PfStatus status = run(s, options, times, like, &f);
  pf_trajectory_free(&f.trajectory);
  pf_task_end(&f.motion);
  if (status == PF_OK && pf_table_rows(table) < 2)
    return pf_fail(s->ctx, PF_ERR_NUMBER, "the run is too short to be plotted");
  return status;
}
