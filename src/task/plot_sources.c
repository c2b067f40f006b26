/* SPDX-License-Identifier: Apache-2.0 */
/* Where the trajectories of a plot come from: CSV files, runs of models by one or several methods, differences. */
#include "task/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- one trajectory */

/* A session without a model, for a table. */
static PfStatus open_plain(Session *s, const PfRequest *options)
{
  PF_TRY(pf_task_begin_session(s, options));
  return pf_task_check_out(s->ctx, options);
}

/* The session of a file; that of the first one is that of the plot. */
static PfStatus open_file(Plot *p, const char *path, Session **session)
{
  PfRequest one = *p->options;
  Session *s = *session = p->session + p->session_count++;
  one.file = path;
  PfStatus status = pf_table_is_file(path) || pf_table_is_other(path) ? open_plain(s, &one) : pf_task_open(s, &one);
  if (!p->ctx) p->ctx = s->ctx, p->arena = s->arena;
  return status == PF_OK && pf_table_is_other(path) ? pf_table_refuse(s->ctx, "plot", path) : status;
}

static bool chooses_steps(const PfMethod *method)
{
  return !pf_method_has_fixed_step(method);
}

/* Is there such a method among those of --by and --minus? */
static bool any_method(const PfRequest *o, bool (*is_such)(const PfMethod *))
{
  const char *const lists[] = {o->method, o->minus};
  for (int k = 0; k < 2; k++)
    for (const char *at = lists[k] ? lists[k] : ""; *at; at += *at == ',') {
      char name[PF_LONGEST_NAME];
      size_t length = strcspn(at, ",");
      snprintf(name, sizeof name, "%.*s", (int)length, at);
      const PfMethod *method = pf_method_find(name);
      if (method && is_such(method)) return true;
      at += length;
    }
  return false;
}

/* Of several methods each takes its own options. An option that belongs to none of them is refused later. */
static void leave_to_others(const PfRequest *all, PfRequest *one)
{
  const PfMethod *method = one->method ? pf_method_find(one->method) : NULL;
  if (!method) return;
  if (!pf_method_has_damping(method) && any_method(all, pf_method_has_damping)) {
    pf_task_forget(one, "rho");
    one->rho = NAN;
  }
  if (!pf_method_is_alpha(method) && any_method(all, pf_method_is_alpha)) {
    pf_task_forget(one, "printed adaptive");
    one->printed = one->adaptive = false;
  }
  if (!chooses_steps(method) && !one->adaptive && any_method(all, chooses_steps)) {
    pf_task_forget(one, "rtol atol");
    one->rtol = one->atol = NAN;
  }
}

/* One run, at the times that `like` has, if there is one. */
static PfStatus run_model(const Plot *p, const Source *source, TableTimes times, const Table *like, Table *table)
{
  PfRequest one = *p->options;
  one.file = source->path;
  one.method = source->method;
  leave_to_others(p->options, &one);
  return pf_table_run(source->session, &one, times, like, table);
}

static PfStatus new_source(Plot *p, Session *s, const char *path, const char *method, Source **source)
{
  if (p->source_count == MOST_SOURCES)
    return pf_fail(p->ctx, PF_ERR_ARGUMENT, "more than %d trajectories", MOST_SOURCES);
  *source = p->source + p->source_count++;
  **source = (Source){.path = path, .method = method, .session = s};
  return PF_OK;
}

/* The model by each method of --by, or by its own. */
static PfStatus load_model(Plot *p, Session *s, const char *path)
{
  const PfMethod *methods[PF_MOST_METHODS] = {0};
  Source *source = p->source;
  int count = 0;
  if (!p->model) p->model = s->model;
  if (p->options->method) PF_TRY(pf_task_methods(p->ctx, p->options->method, methods, &count));
  for (int i = 0; i < count || i == 0; i++) {
    PF_TRY(new_source(p, s, path, count ? pf_method_name(methods[i]) : NULL, &source));
    if (!p->options->minus) PF_TRY(run_model(p, source, TABLE_STEPS, NULL, &source->table));
  }
  return PF_OK;
}

static PfStatus load_file(Plot *p, const char *path)
{
  Session *s;
  Source *source = p->source;
  PF_TRY(open_file(p, path, &s));
  if (s->model) return load_model(p, s, path);
  PF_TRY(new_source(p, s, path, NULL, &source));
  return pf_table_read(s->ctx, s->arena, path, &source->table);
}

/* ---------------------------------------------------------------- labels */

/* The last part of the path, or all of it where another file ends in the same. */
static const char *file_label(const Plot *p, const char *path)
{
  const char *base = pf_task_base_name(path);
  for (int i = 0; i < p->source_count; i++)
    if (strcmp(p->source[i].path, path) != 0 && !strcmp(pf_task_base_name(p->source[i].path), base)) return path;
  return base;
}

/* "a.csv", "rk4" of a single file by several methods, "rk4, a.pf" of several; "a.csv (2)" for one that is given
 * again. */
static PfStatus name_source(const Plot *p, Source *source)
{
  const char *file = file_label(p, source->path), *method = p->source_count > p->options->file_count
                                                            ? source->method : NULL;
  bool both = method && p->options->file_count > 1;
  size_t length = strlen(file) + (method ? strlen(method) : 0) + 20;
  char *label = pf_arena_alloc(p->arena, length, 1);
  /* How often the same file stands before this source, by the same method. */
  int count = 0;
  for (const Source *s = p->source; s < source; s++)
    count += !strcmp(s->path, source->path) && (!s->method || !source->method || !strcmp(s->method, source->method));
  int copies = count;
  if (!label) return pf_no_room(p->ctx, "the plot");
  int used = snprintf(label, length, "%s%s%s", method ? method : "", both ? ", " : "", both || !method ? file : "");
  if (copies) snprintf(label + used, length - (size_t)used, " (%d)", copies + 1);
  source->label = label;
  return PF_OK;
}

/* ---------------------------------------------------------------- the difference */

/* A trajectory has no model that could be run again. */
static PfStatus need_model(const Plot *p, const char *method)
{
  if (p->model) return PF_OK;
  pf_fail(p->ctx, PF_ERR_ARGUMENT, "@minus{%s}: '%s' is a trajectory, and there is no model to be run by %s", method,
          p->options->files[0], method);
  pf_hint(p->ctx, "write the model in the place of the trajectory, or behind @minus: a model, or a trajectory in CSV");
  return PF_ERR_ARGUMENT;
}

/* The model of a source, or else of the first file that has one. */
static const Source *model_source(const Plot *p, const Source *source)
{
  if (source->session->model) return source;
  for (int i = 0; i < p->source_count; i++)
    if (p->source[i].session->model) return p->source + i;
  return source;
}

/* The source to subtract: --minus names a method, by which its model is run again; a model, which is run by the method
 * of the source (a trajectory from a file has none, and takes that of --by); or a table. */
static PfStatus find_minus(const Plot *p, Session *other, const Source *source, Source *minus)
{
  const char *what = p->options->minus, *by = p->options->method;
  *minus = (Source){.path = what, .session = other};
  if (!other) {
    const Source *own = model_source(p, source);
    *minus = (Source){.path = own->path, .session = own->session, .method = what};
    return PF_OK;
  }
  if (!other->model) return PF_OK;
  minus->method = source->method ? source->method : by;
  if (source->method || !by || !strchr(by, ',')) return PF_OK;
  return pf_fail(p->ctx, PF_ERR_ARGUMENT, "@by{%s}: one run is subtracted from '%s': name one method", by,
                 source->path);
}

/* Both at the same times: those of a table, or of steps of one length, since what a method has between them is less
 * exact; else the same parts of the time. */
static PfStatus run_both(const Plot *p, Source *source, Source *minus)
{
  bool file = !source->session->model;
  if (!minus->session->model) return file ? PF_OK : run_model(p, source, TABLE_LIKE, &minus->table, &source->table);
  if (!file) PF_TRY(run_model(p, source, TABLE_COMMON, NULL, &source->table));
  TableTimes times = file || source->table.steps ? TABLE_LIKE : TABLE_COMMON;
  PF_TRY(run_model(p, minus, times, &source->table, &minus->table));
  if (file || !minus->table.steps) return PF_OK;
  pf_table_free(p->ctx, &source->table);
  source->table = (Table){0};
  return run_model(p, source, TABLE_LIKE, &minus->table, &source->table);
}

PfStatus pf_plot_subtract(Plot *p, Source *source, Table *table)
{
  Table difference = {0};
  bool interpolated = false;
  p->between = p->between || source->table.between || table->between;
  pf_table_convert(p->ctx, &source->table, table);
  PfStatus status = pf_table_minus(p->ctx, p->arena, &source->table, table, &difference, &interpolated);
  if (status == PF_OK) {
    /* The lists of a run by the columns of the difference; columns that it lacks are left out. */
    const Table *from = &source->table;
    difference.lists = from->lists, difference.list_count = from->list_count;
    for (int i = 0; i < difference.list_count; i++) {
      TableList *list = difference.lists + i;
      int count = 0;
      for (int k = 0; k < list->count; k++) {
        int column = pf_table_find(&difference, pf_table_head(p->arena, from, list->column[k]));
        if (column >= 0) list->column[count++] = column;
      }
      list->count = count;
      if (list->against >= 0) list->against = pf_table_find(&difference, pf_table_head(p->arena, from, list->against));
    }
  }
  pf_table_free(p->ctx, &source->table);
  source->table = difference;
  p->interpolated = p->interpolated || interpolated;
  return status;
}

static PfStatus subtract(Plot *p, Session *other, Source *source, Table *table)
{
  Source minus;
  PF_TRY(find_minus(p, other, source, &minus));
  minus.table = *table;
  PfStatus status = run_both(p, source, &minus);
  if (status == PF_OK) status = pf_plot_subtract(p, source, &minus.table);
  *table = minus.table;
  return status;
}

/* A file that is not there may have been meant as a method. */
static PfStatus open_minus(Plot *p, const char *what, Session **other)
{
  PfStatus status = open_file(p, what, other);
  const char *method = pf_task_nearest_method(what);
  if (status == PF_ERR_FILE && !strpbrk(what, "./")) {
    if (method) pf_hint((*other)->ctx, "did you mean the method '%s'?", method);
    else pf_hint((*other)->ctx, "@minus names a method or a file");
  }
  return status;
}

/* --minus names a method or a file. */
static PfStatus load_difference(Plot *p)
{
  const char *what = p->options->minus;
  Session *other = NULL;
  p->minus = pf_task_base_name(what);
  if (pf_method_find(what)) PF_TRY(need_model(p, what));
  else PF_TRY(open_minus(p, what, &other));
  /* A table is read once, models are run for each source. */
  Table table = {0};
  bool once = other && !other->model;
  PfStatus status = once ? pf_table_read(other->ctx, other->arena, p->options->minus, &table) : PF_OK;
  for (int i = 0; i < p->source_count && status == PF_OK; i++) {
    status = subtract(p, other, p->source + i, &table);
    if (once) continue;
    pf_table_free(p->ctx, &table);
    table = (Table){0};
  }
  pf_table_free(p->ctx, &table);
  return status;
}

PfStatus pf_plot_load(Plot *p)
{
  for (int i = 0; i < p->options->file_count; i++) PF_TRY(load_file(p, p->options->files[i]));
  for (int i = 0; i < p->source_count; i++) PF_TRY(name_source(p, p->source + i));
  bool runs = p->model || (p->options->minus && !pf_table_is_file(p->options->minus));
  if (!runs)
    PF_TRY(pf_task_refuse(p->ctx, p->options, TAKES_STATE TAKES_METHOD,
                         "the file is a trajectory, and no model is run"));
  if (p->options->minus) PF_TRY(load_difference(p));
  for (int i = 1; i < p->source_count; i++)
    for (int k = 0; k < i; k++) pf_table_convert(p->ctx, &p->source[k].table, &p->source[i].table);
  return PF_OK;
}

void pf_plot_free(Plot *p)
{
  for (int i = 0; i < p->source_count; i++) pf_table_free(p->ctx, &p->source[i].table);
  for (int i = 0; i < p->session_count; i++) pf_task_close(p->session + i);
}
