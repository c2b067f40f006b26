/* SPDX-License-Identifier: Apache-2.0 */
/* Trajectories for a page: checked against the model, made smaller, with the poses of the machine along them. */
#include "task/page.h"

#include "task/run.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 20000, MOST_POSES = 2000 };

/* ---------------------------------------------------------------- does it belong to the model? */

static PfStatus check_numbers(PfContext *ctx, const Track *track)
{
  const Table *t = &track->table;
  for (size_t i = 0; i < t->cells.count; i++)
    if (i%(size_t)t->columns && isfinite(t->cells.at[i])) return PF_OK;
  return pf_fail(ctx, PF_ERR_FILE, "'%s': there is no number beside the times", track->path);
}

/* The column of a coordinate, that with its unit if there are several; -1: none. */
static int column_of(const Page *p, const Table *t, const char *coordinate)
{
  const char *unit = pf_model_measure(p->motion.complete.model, coordinate).unit;
  char name[PF_LONGEST_NAME + 64];
  if (!unit[0] || snprintf(name, sizeof name, "%s [%s]", coordinate, unit) >= (int)sizeof name)
    return pf_table_find(t, coordinate);
  return pf_table_find(t, name);
}

/* Units that could be converted have been; a column without a unit is assumed to be in that of the model. */
static PfStatus check_unit(const Page *p, const Track *track, const char *name, int column)
{
  const char *own = track->table.units[column], *unit = pf_model_measure(p->motion.complete.model, name).unit;
  if (!own[0] || !unit[0] || !strcmp(own, unit)) return PF_OK;
  return pf_fail(p->s.ctx, PF_ERR_UNIT, "'%s': '%s' is in '%s', and in '%s' in the model", track->path, name, own,
                 unit);
}

/* The coordinates that have no column, as "x, y and 3 more". */
static const char *list_missing(const Page *p, const int *columns)
{
  const PfModel *model = p->motion.complete.model;
  char list[200] = "";
  int named = 0, rest = 0;
  for (int i = 0; i < model->coordinate_count; i++) {
    size_t used = strlen(list), length = strlen(model->coordinates[i].name);
    if (columns[i] >= 0) continue;
    if (used + length + 20 > sizeof list) rest++;
    else snprintf(list + used, sizeof list - used, "%s%s", named++ ? ", " : "", model->coordinates[i].name);
  }
  size_t used = strlen(list);
  if (rest) snprintf(list + used, sizeof list - used, " and %d more", rest);
  return pf_arena_text(p->s.arena, list, strlen(list));
}

/* Which column every coordinate of the complete model has; *missing: those without. */
static PfStatus find_columns(const Page *p, const Track *track, int *columns, const char **missing)
{
  const PfModel *model = p->motion.complete.model;
  int found = 0;
  PF_TRY(check_unit(p, track, "t", 0));
  for (int i = 0; i < model->coordinate_count; i++) {
    const char *name = model->coordinates[i].name;
    columns[i] = column_of(p, &track->table, name);
    if (columns[i] >= 0) PF_TRY(check_unit(p, track, name, columns[i]));
    found += columns[i] >= 0;
  }
  *missing = found < model->coordinate_count ? list_missing(p, columns) : NULL;
  if (found) return PF_OK;
  pf_fail(p->s.ctx, PF_ERR_FILE, "'%s' is no trajectory of this model: it has no column %s", track->path,
          *missing ? *missing : "");
  pf_hint(p->s.ctx, "is it of another model? @task{run @out{x.csv} %s} writes one of this", p->options.file);
  return PF_ERR_FILE;
}

/* ---------------------------------------------------------------- units and rows */

/* Half of the remaining rows are for extremes, half are at equal distances, for the motion. */
static PfStatus thin(Page *p, Track *track)
{
  Table *t = &track->table;
  int rows = track->of = pf_table_rows(t);
  TableThinning thinning = {.from = pf_table_at(t, 0, 0), .to = pf_table_at(t, rows - 1, 0), .count = t->columns - 1,
                            .most = MOST_ROWS, .even = MOST_ROWS/2};
  if (rows <= MOST_ROWS || !(thinning.to > thinning.from)) return PF_OK;
  thinning.column = pf_arena_array(p->s.arena, int, thinning.count);
  if (!thinning.column) return pf_no_room(p->s.ctx, "the trajectory");
  for (int i = 0; i < thinning.count; i++) thinning.column[i] = i + 1;
  return pf_table_thin(p->s.ctx, t, &thinning);
}

/* ---------------------------------------------------------------- poses */

/* The state in a row: which column each of its numbers has (-1: none), and one of its unit in SI. */
typedef struct State {
  size_t n, m;
  int *column; /* q, v, multipliers */
  double *scale, *numbers;
} State;

static void add_number(const Page *p, const Table *t, State *s, size_t at, const char *name, double scale)
{
  s->column[at] = column_of(p, t, name);
  s->scale[at] = scale;
}

static PfStatus find_poses(Page *p, Track *track)
{
  const Table *t = &track->table;
  size_t size = (size_t)pf_scene_size(p->scene);
  int rows = pf_table_rows(t);
  /* Where the numbers of a state stand in a row. */
  const PfModel *model = p->motion.complete.model;
  State state = {.n = (size_t)model->coordinate_count, .m = (size_t)model->constraint_count};
  const size_t count = 3*state.n + state.m;
  PF_TRY(pf_arrays(p->s.ctx, p->s.arena, "the poses", PF_ROOM(state.column, count), PF_ROOM(state.scale, count),
                   PF_ROOM(state.numbers, count)));
  for (size_t i = 0; i < state.n; i++)
    for (size_t level = 0; level < 3; level++) {
      char name[PF_LONGEST_NAME + 4];
      snprintf(name, sizeof name, "%s%.*s", model->coordinates[i].name, (int)level, "''");
      add_number(p, t, &state, level*state.n + i, name, pf_model_measure(model, name).scale);
    }
  for (size_t k = 0; k < state.m; k++)
    add_number(p, t, &state, 3*state.n + k, pf_expr_symbol_name(p->s.ctx, model->constraints[k].multiplier), 1);
  track->stride = (rows + MOST_POSES - 1)/MOST_POSES;
  track->poses = (size_t)((rows + track->stride - 1)/track->stride);
  track->numbers = pf_arena_alloc(p->s.arena, track->poses, size*sizeof(double));
  if (!track->numbers) return pf_no_room(p->s.ctx, "the poses");
  for (size_t k = 0; k < track->poses; k++) {
    /* Quantities without a column are unknown. */
    int row = (int)k*track->stride;
    for (size_t i = 0; i < 3*state.n + state.m; i++)
      state.numbers[i] = state.column[i] < 0 ? NAN : pf_table_at(t, row, state.column[i])*state.scale[i];
    PfSample now = (PfSample){.t = pf_table_at(t, row, 0), .q = state.numbers, .v = state.numbers + state.n,
                              .a = state.numbers + 2*state.n, .multiplier = state.numbers + 3*state.n};
    bool good = pf_scene_read_at(p->scene, &now, track->numbers + k*size);
    for (size_t i = 0; !good && i < size; i++) track->numbers[k*size + i] = NAN;
  }
  return PF_OK;
}

static const char *words(const Page *p, const char *before, const char *missing, const char *after)
{
  size_t room = strlen(before) + strlen(missing) + strlen(after) + 1;
  char *text = pf_arena_alloc(p->s.arena, room, 1);
  if (text) snprintf(text, room, "%s%s%s", before, missing, after);
  return text ? text : "since columns are missing";
}

PfStatus pf_page_read_track(Page *p, Track *track)
{
  const char *missing;
  int *columns = pf_arena_array(p->s.arena, int, p->motion.complete.model->coordinate_count);
  if (!columns) return pf_no_room(p->s.ctx, "the trajectory");
  PF_TRY(pf_table_read(p->s.ctx, p->s.arena, track->path, &track->table));
  /* The first column is the time, which does not go back. */
  PfContext *ctx = p->s.ctx;
  const Table *t = &track->table;
  double before = -INFINITY;
  if (t->curves || strcmp(t->names[0], "t") != 0) {
    pf_fail(ctx, PF_ERR_FILE, "'%s' holds no trajectory: its first column is not the time, t", track->path);
    pf_hint(ctx, "@task{run @out{x.csv} MODEL} writes one");
    return PF_ERR_FILE;
  }
  for (int r = 0; r < pf_table_rows(t); r++) {
    double now = pf_table_at(t, r, 0);
    if (!isfinite(now) || now < before)
      return pf_fail(ctx, PF_ERR_FILE, "'%s': t %s in row %d", track->path, now < before ? "goes back" : "is no number",
                     r + 1);
    before = now;
  }
  PF_TRY(check_numbers(p->s.ctx, track));
  /* In the units that a run of the model has, since both are shown in one frame. */
  Trajectory run;
  PfStatus status = pf_trajectory_make(&run, &p->motion, &(Wanted){0});
  Table head = {.columns = run.count, .names = run.names, .units = run.units};
  if (status == PF_OK) pf_table_convert(p->s.ctx, &head, &track->table);
  pf_trajectory_free(&run);
  PF_TRY(status);
  PF_TRY(find_columns(p, track, columns, &missing));
  PF_TRY(thin(p, track));
  if (missing) track->why = words(p, "since it has no column ", missing, "");
  else if (!p->scene) track->why = "since " PF_NO_SCENE;
  return track->why ? PF_OK : find_poses(p, track);
}

void pf_page_free_track(Page *p, Track *track)
{
  pf_table_free(p->s.ctx, &track->table);
}
