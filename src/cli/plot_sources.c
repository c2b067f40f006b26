/* Where the trajectories of a plot come from: CSV files, runs of models by one or several methods, differences. */
#include "cli/plot.h"

#include <string.h>

static bool is_table(const char *path)
{
  size_t length = strlen(path);
  return length > 4 && !strcmp(path + length - 4, ".csv");
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

/* ---------------------------------------------------------------- one trajectory */

/* A session without a model, for a table. */
static PfStatus open_plain(Session *s, const Options *options)
{
  *s = (Session){.ctx = pf_cli_context()};
  if (!s->ctx) return PF_ERR_MEMORY;
  s->arena = pf_arena_new(pf_context_allocator(s->ctx));
  if (!s->arena) return pf_no_room(s->ctx, "the picture");
  return pf_cli_check_out(s->ctx, options);
}

/* The session of a file; that of the first one is that of the plot. */
static PfStatus open_file(Plot *p, const char *path, Session **session)
{
  Options one = *p->options;
  Session *s = *session = p->session + p->session_count++;
  one.file = path;
  PfStatus status = is_table(path) ? open_plain(s, &one) : pf_cli_open(s, &one);
  if (!p->ctx) p->ctx = s->ctx, p->arena = s->arena;
  return status;
}

static PfStatus run_model(const Plot *p, Session *s, const char *path, const char *method, Table *table)
{
  Options one = *p->options;
  one.file = path;
  one.method = method;
  return pf_table_run(s, &one, p->options->minus ? TABLE_COMMON : TABLE_STEPS, table);
}

static PfStatus new_source(Plot *p, const char *label, Source **source)
{
  if (p->source_count == MOST_SOURCES) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "more than %d trajectories", MOST_SOURCES);
  *source = p->source + p->source_count++;
  (*source)->label = label;
  return PF_OK;
}

/* "dop853", or "dop853, a.pf" when there are several files. */
static const char *method_label(const Plot *p, const char *method, const char *path)
{
  size_t length = strlen(method) + strlen(path) + 3;
  char *label = p->options->file_count > 1 ? pf_arena_alloc(p->arena, length, 1) : NULL;
  if (label) snprintf(label, length, "%s, %s", method, base_name(path));
  return label ? label : method;
}

/* The model by each method of --by, or by its own. */
static PfStatus load_model(Plot *p, Session *s, const char *path)
{
  const PfMethod *methods[PF_MOST_METHODS];
  Source *source = p->source;
  int count = 0;
  if (!p->model) p->model = s->model;
  if (p->options->method) PF_TRY(pf_cli_methods(p->ctx, p->options->method, methods, &count));
  if (count < 2) {
    PF_TRY(new_source(p, base_name(path), &source));
    return run_model(p, s, path, p->options->method, &source->table);
  }
  for (int i = 0; i < count; i++) {
    const char *method = pf_method_name(methods[i]);
    PF_TRY(new_source(p, method_label(p, method, path), &source));
    PF_TRY(run_model(p, s, path, method, &source->table));
  }
  return PF_OK;
}

static PfStatus load_file(Plot *p, const char *path)
{
  Session *s;
  Source *source = p->source;
  PF_TRY(open_file(p, path, &s));
  if (s->model) return load_model(p, s, path);
  PF_TRY(new_source(p, base_name(path), &source));
  return pf_table_read(s->ctx, s->arena, path, &source->table);
}

/* ---------------------------------------------------------------- the difference */

/* --minus names a file, or a method by which the first model is run again. */
static PfStatus load_minus(Plot *p, Table *table)
{
  const char *what = p->options->minus;
  Session *s = p->session;
  p->minus = base_name(what);
  if (p->model && pf_method_find(what)) return run_model(p, s, p->options->files[0], what, table);
  PF_TRY(open_file(p, what, &s));
  if (s->model) return run_model(p, s, what, p->options->method, table);
  return pf_table_read(s->ctx, s->arena, what, table);
}

/* The lists of a run by the columns of the difference; what is not in it is left out. */
static void keep_lists(const Plot *p, const Table *from, Table *to)
{
  to->lists = from->lists, to->list_count = from->list_count;
  for (int i = 0; i < to->list_count; i++) {
    TableList *list = to->lists + i;
    int count = 0;
    for (int k = 0; k < list->count; k++) {
      int column = pf_table_find(to, pf_table_head(p->arena, from, list->column[k]));
      if (column >= 0) list->column[count++] = column;
    }
    list->count = count;
    if (list->against >= 0) list->against = pf_table_find(to, pf_table_head(p->arena, from, list->against));
  }
}

PfStatus pf_plot_subtract(Plot *p, const Table *table)
{
  for (int i = 0; i < p->source_count; i++) {
    Table difference;
    bool interpolated = false;
    PfStatus status = pf_table_minus(p->ctx, p->arena, &p->source[i].table, table, &difference, &interpolated);
    if (status == PF_OK) keep_lists(p, &p->source[i].table, &difference);
    pf_table_free(p->ctx, &p->source[i].table);
    p->source[i].table = difference;
    p->interpolated = p->interpolated || interpolated;
    PF_TRY(status);
  }
  return PF_OK;
}

PfStatus pf_plot_load(Plot *p)
{
  for (int i = 0; i < p->options->file_count; i++) PF_TRY(load_file(p, p->options->files[i]));
  if (!p->model && (!p->options->minus || is_table(p->options->minus)))
    PF_TRY(pf_cli_refuse(p->ctx, p->options, TAKES_STATE TAKES_METHOD, "the file is a trajectory, and no model is run"));
  if (!p->options->minus) return PF_OK;
  Table table = {0};
  PfStatus status = load_minus(p, &table);
  if (status == PF_OK) status = pf_plot_subtract(p, &table);
  pf_table_free(p->ctx, &table);
  return status;
}

void pf_plot_free(Plot *p)
{
  for (int i = 0; i < p->source_count; i++) pf_table_free(p->ctx, &p->source[i].table);
  for (int i = 0; i < p->session_count; i++) pf_cli_close(p->session + i);
}
