/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff plot: columns of trajectories or of a model's run, as a picture or in the terminal. */
#include "task/plot.h"

#include "out/axis.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "show", .argument = "\"x,y;theta\"",
   .help = "columns with commas, panels with semicolons between them (default: what the model plots); a name without "
           "its brackets stands for all that have it: violation, lambda"},
  {.name = "by", .argument = "METHODS", .help = "integrators, with commas between several"},
  {.name = "out", .argument = "PICTURE", .help = "a picture (default: in the terminal)"},
  {0}};

const PfTask pf_plot_task = {
  .name = "plot", .summary = "columns of a trajectory or of a model's run, as a picture or in the terminal",
  .operands = "FILE…",
  .about = "Every FILE is a model, which is run, or a trajectory in CSV; several are drawn in one picture. Without "
           "@out the plot is drawn in the terminal. Of the result of a sweep, RESULT.zarr, @show{\"a, b: c\"} draws a "
           "map with c as colour, \"a: b, c\" curves, and \"a, b\" histograms.",
  .takes = TAKES_STATE TAKES_METHOD "input show against log minus out ",
  .writes = {WRITES_PICTURES},
  .own = own,
  .examples = "@call{plot @show{\"x,y;theta\"} examples/skates/snakeboard.pf}\n"
              "@call{plot @show{y} @against{x} @out{path.svg} examples/skates/snakeboard.pf}\n"
              "@call{plot @by{rk4} @step{0.01} @minus{dop853} @out{error.svg} examples/skates/snakeboard.pf}\n",
  .most_files = MOST_FILES,
  .fields = pf_plot_fields,
  .run = run};

/* ---------------------------------------------------------------- numbers of curves */

const char *pf_plot_name(const Plot *p, const Curve *curve)
{
  return p->source[curve->source].table.names[curve->column];
}

const char *pf_plot_unit(const Plot *p, const Curve *curve)
{
  return p->source[curve->source].table.units[curve->column];
}

double pf_plot_x(const Plot *p, const Curve *curve, int row)
{
  return pf_table_at(&p->source[curve->source].table, row, curve->against);
}

double pf_plot_y(const Plot *p, const Curve *curve, int row)
{
  return pf_table_at(&p->source[curve->source].table, row, curve->column);
}

static double largest_in(const Table *t, int column)
{
  double largest = 0;
  for (int r = 0; r < pf_table_rows(t); r++)
    if (isfinite(pf_table_at(t, r, column))) largest = fmax(largest, fabs(pf_table_at(t, r, column)));
  return largest;
}

/* The largest number with the unit of a curve: values below 1e-14 of it are rounding errors. Differences and
 * violations, which are expected to be small, are shown as they are. */
double pf_plot_noise(const Plot *p, const Panel *panel)
{
  double largest = 0;
  for (int k = 0; k < panel->count; k++) {
    const Table *t = &p->source[panel->curve[k].source].table;
    if (p->minus || !strncmp(pf_plot_name(p, panel->curve + k), "violation", 9)) return 0;
    for (int i = 1; i < t->columns; i++)
      if (!strcmp(t->units[i], pf_plot_unit(p, panel->curve + k))) largest = fmax(largest, largest_in(t, i));
  }
  return 1e-14*largest;
}

/* ---------------------------------------------------------------- which columns */

/* Does the name ask for a unit that the column does not have? */
static bool asks_for_other(const Table *t, int column, const char *name)
{
  size_t length = strlen(t->names[column]), unit = strlen(t->units[column]);
  const char *asked = name + length;
  if (strncmp(name, t->names[column], length) != 0 || strncmp(asked, " [", 2) != 0) return false;
  return strlen(asked) != unit + 3 || strncmp(asked + 2, t->units[column], unit) != 0;
}

static PfStatus no_column(const Plot *p, const char *name)
{
  const Table *t = &p->source[0].table;
  const char *nearest = NULL;
  int best = 0;
  for (int i = 0; i < t->columns; i++)
    if (pf_name_is_nearer(name, t->names[i], &best)) nearest = t->names[i];
  pf_fail(p->ctx, PF_ERR_NAME, "there is no column '%s'", name);
  if (nearest) pf_hint(p->ctx, "did you mean '%s'?", nearest);
  return PF_ERR_ARGUMENT;
}

/* The horizontal axis of a source: -1 when it has no such column. */
static int find_against(const Plot *p, const Panel *panel, int source)
{
  return panel->against ? pf_table_find(&p->source[source].table, panel->against) : 0;
}

/* The units of columns with one name were made equal where possible: others cannot share an axis. A column without a
 * unit may be anything. */
static PfStatus check_unit(const Plot *p, const Curve *a, const Curve *b, int column_a, int column_b)
{
  const Table *s = &p->source[a->source].table, *t = &p->source[b->source].table;
  const char *one = s->units[column_a], *other = t->units[column_b];
  if (!one[0] || !other[0] || !strcmp(one, other)) return PF_OK;
  pf_fail(p->ctx, PF_ERR_UNIT, "'%s' is in '%s' in %s and in '%s' in %s: they have no common axis", s->names[column_a],
          one, p->source[a->source].label, other, p->source[b->source].label);
  pf_hint(p->ctx, "@show chooses other columns");
  return PF_ERR_UNIT;
}

/* The column of every source that has it; *found: whether any does. */
static PfStatus add_column(const Plot *p, Panel *panel, const char *name, bool *found)
{
  bool here = false;
  for (int i = 0; i < p->source_count; i++) {
    int column = pf_table_find(&p->source[i].table, name), against = find_against(p, panel, i);
    if (column < 0 || against < 0) continue;
    if (asks_for_other(&p->source[i].table, column, name)) {
      const Table *t = &p->source[i].table;
      pf_fail(p->ctx, PF_ERR_ARGUMENT, "'%s': the column '%s' has %s%s", name, t->names[column],
              t->units[column][0] ? "the unit " : "no unit", t->units[column]);
      pf_hint(p->ctx, "columns of a file are drawn in their own units: write '%s'; @task{run @show} writes others",
              t->names[column]);
      return PF_ERR_ARGUMENT;
    }
    if (panel->count == MOST_CURVES)
      return pf_fail(p->ctx, PF_ERR_ARGUMENT, "more than %d curves in one panel", MOST_CURVES);
    panel->curve[panel->count++] = (Curve){i, column, against, panel->names};
    const Curve *last = panel->curve + panel->count - 1;
    PF_TRY(check_unit(p, panel->curve, last, panel->curve->against, last->against));
    for (int k = panel->count - 2; k >= 0 && panel->curve[k].name == last->name; k--)
      PF_TRY(check_unit(p, panel->curve + k, last, panel->curve[k].column, last->column));
    here = true;
  }
  panel->names += here;
  *found = *found || here;
  return PF_OK;
}

static PfStatus add_name(const Plot *p, Panel *panel, const char *name)
{
  bool found = false;
  PF_TRY(add_column(p, panel, name, &found));
  if (!found) {
    /* violation: all of violation[a], violation[b] …, or else violation_position, … */
    size_t length = strlen(name);
    for (const char *mark = "[_"; *mark && !found; mark++)
      for (int i = 0; i < p->source[0].table.columns; i++) {
        const char *column = p->source[0].table.names[i];
        if (!strncmp(column, name, length) && column[length] == *mark && !strchr(column, '\''))
          PF_TRY(add_column(p, panel, column, &found));
      }
  }
  return found ? PF_OK : no_column(p, name);
}

static PfStatus new_panel(Plot *p, const char *against, Panel **panel)
{
  bool found = !against;
  if (p->count == MOST_PANELS) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "more than %d panels", MOST_PANELS);
  *panel = p->panel + p->count++;
  (*panel)->against = against;
  for (int i = 0; i < p->source_count; i++) found = found || find_against(p, *panel, i) >= 0;
  return found ? PF_OK : no_column(p, against);
}

/* --show "x,y;theta": separators in brackets belong to names. */
static PfStatus read_columns(Plot *p, const char *text)
{
  Panel *panel = NULL;
  while (*text) {
    const char *end = pf_piece_end(text, ",;"), *name = pf_arena_text(p->arena, text, (size_t)(end - text));
    if (!name) return pf_no_room(p->ctx, "the picture");
    if (!panel && name[0]) PF_TRY(new_panel(p, p->options->against, &panel));
    if (name[0]) PF_TRY(add_name(p, panel, name));
    if (*end == ';') panel = NULL;
    text = end + (*end != 0);
  }
  return p->count ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "@show: there is no name");
}

/* Among the panels from `from` on, that of a unit, or a new one: quantities that share a frame by default have an axis
 * with one unit. */
static PfStatus panel_of_unit(Plot *p, int from, const char *against, const char *unit, Panel **panel)
{
  for (int i = from; i < p->count; i++) {
    *panel = p->panel + i;
    if ((*panel)->count && !strcmp(pf_plot_unit(p, (*panel)->curve), unit)) return PF_OK;
  }
  return new_panel(p, against, panel);
}

static void warn_of_rest(const Plot *p, int shown, int all)
{
  if (shown == all) return;
  pf_warn_at(p->ctx, (PfPlace){0}, "only %d of %d columns are shown", shown, all);
  pf_hint(p->ctx, "@show{\"a,b;c\"} chooses them, ';' begins a new panel");
}

/* The coordinates of a model, as many of each unit as can be distinguished; of a file so many columns. */
static PfStatus first_columns(Plot *p)
{
  const Table *t = &p->source[0].table;
  const PfModel *model = p->model && p->model->complete ? p->model->complete : p->model; /* the columns are its own */
  int all = model ? model->coordinate_count : t->curves ? t->curves : t->columns - 1, shown = 0;
  int room = p->source_count < 12 ? 12/p->source_count : 1;
  Panel *panel;
  for (int i = 1; i <= all && i < t->columns && (model || shown < room); i++) {
    PF_TRY(panel_of_unit(p, 0, p->options->against, t->units[i], &panel));
    if (panel->names == room) continue;
    PF_TRY(add_name(p, panel, t->names[i]));
    shown++;
  }
  warn_of_rest(p, shown, all);
  return shown ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "there is nothing to plot but the time");
}

/* A list of the model, by units; or of --show, as it is written. */
static PfStatus add_list(Plot *p, const Table *t, const TableList *list)
{
  const char *against = list->against >= 0 ? pf_table_head(p->arena, t, list->against) : NULL;
  Panel *panel = NULL;
  for (int k = 0, from = p->count; k < list->count; k++) {
    int column = list->column[k];
    if (!p->options->show) PF_TRY(panel_of_unit(p, from, against, t->units[column], &panel));
    else if (!panel) PF_TRY(new_panel(p, against, &panel));
    PF_TRY(add_name(p, panel, pf_table_head(p->arena, t, column)));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- what cannot be drawn */

static bool has_points(const Plot *p, const Curve *curve)
{
  const PfAxis x = {0}, y = {.log = p->options->log};
  for (int r = 0; r < pf_table_rows(&p->source[curve->source].table); r++)
    if (!isnan(pf_axis_value(&x, pf_plot_x(p, curve, r))) && !isnan(pf_axis_value(&y, pf_plot_y(p, curve, r))))
      return true;
  return false;
}

/* Zeros have no logarithm. */
static bool is_zero(const Plot *p, const Curve *curve)
{
  for (int r = 0; r < pf_table_rows(&p->source[curve->source].table); r++)
    if (pf_plot_y(p, curve, r) == 0) return largest_in(&p->source[curve->source].table, curve->column) == 0;
  return false;
}

static void warn_of_empty(const Plot *p, const Curve *curve)
{
  const Source *source = p->source + curve->source;
  bool several = p->source_count > 1;
  const char *why = p->options->log && is_zero(p, curve) ? "all its numbers are zero and have no logarithm"
                                                         : "there is no point with two finite numbers (up to 1e300)";
  pf_warn_at(p->ctx, (PfPlace){0}, "'%s' over '%s'%s%s is left out: %s", pf_plot_name(p, curve),
             source->table.names[curve->against], several ? " of " : "", several ? source->label : "", why);
}

PfStatus pf_plot_panels(Plot *p)
{
  if (p->source[0].table.list_count) {
    /* The lists that were given to the run of the first model. */
    const Table *t = &p->source[0].table;
    for (int i = 0; i < t->list_count; i++) PF_TRY(add_list(p, t, t->lists + i));
    return p->count ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "there is nothing to plot");
  }
  return p->options->show ? read_columns(p, p->options->show) : first_columns(p);
}

PfStatus pf_plot_choose(Plot *p)
{
  PF_TRY(pf_plot_panels(p));
  /* A panel of zeros on a logarithmic axis is refused; other curves without a point are reported. */
  for (int i = 0; i < p->count; i++) {
    const Panel *panel = p->panel + i;
    int zeros = 0;
    for (int k = 0; p->options->log && k < panel->count; k++) zeros += is_zero(p, panel->curve + k);
    if (zeros && zeros == panel->count)
      return pf_fail(p->ctx, PF_ERR_ARGUMENT, "@log: all numbers of '%s' are zero", pf_plot_name(p, panel->curve));
    for (int k = 0; k < panel->count; k++)
      if (!has_points(p, panel->curve + k)) warn_of_empty(p, panel->curve + k);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the command */

static PfStatus draw(const Plot *p, PfText *text)
{
  PF_TRY(pf_plot_svg(p, text));
  return pf_task_write(p->ctx, p->options, text);
}

static PfStatus show(Plot *p)
{
  PfText text;
  PF_TRY(pf_plot_load(p));
  PF_TRY(pf_plot_choose(p));
  if (!p->options->out) return PF_OK;
  pf_text_init(&text, pf_context_allocator(p->ctx));
  PfStatus status = draw(p, &text);
  pf_text_free(&text);
  return status;
}

static PfStatus show_sweep(Plot *p)
{
  Session *s = p->session + p->session_count++;
  PF_TRY(pf_task_begin_session(s, p->options));
  return pf_plot_sweep(s->ctx, s->arena, p->options);
}

const PfField pf_plot_fields[] = {PF_FIELD_DIAGNOSTICS, {0}};

/* Curves made of characters, where there is no file. */
static void write_report(void *user, PfReport *report)
{
  Plot *p = user;
  if (!p->options->out) pf_plot_print(p, pf_report_page(report));
}

/* The diagnostics of all models become those of the first. */
static PfStatus run(const PfRequest *options)
{
  Plot p = {.options = options};
  PfStatus status = pf_plot_is_sweep(options->file) ? show_sweep(&p) : show(&p);
  PfContext *ctx = p.session_count ? p.session[0].ctx : NULL;
  for (int i = 1; i < p.session_count && ctx; i++)
    if (p.session[i].ctx && !pf_diagnostics_copy(ctx, p.session[i].ctx)) status = PF_ERR_MEMORY;
  status = pf_task_report(ctx, status, options, &p, write_report);
  pf_plot_free(&p);
  return status;
}
