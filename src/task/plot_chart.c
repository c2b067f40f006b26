/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as charts. */
#include "task/plot.h"

#include <math.h>
#include <string.h>

/* The unit of all curves of a panel, or NULL. */
static const char *common_unit(const Plot *p, const Panel *panel)
{
  const char *unit = pf_plot_unit(p, panel->curve);
  for (int k = 1; k < panel->count; k++)
    if (strcmp(pf_plot_unit(p, panel->curve + k), unit) != 0) return NULL;
  return unit;
}

/* ---------------------------------------------------------------- labels */

static const char *with_unit(const Plot *p, const char *name, const char *unit)
{
  size_t length = strlen(name) + strlen(unit) + 4;
  char *text = pf_arena_alloc(p->arena, length, 1);
  if (!text) return "";
  if (unit[0]) snprintf(text, length, "%s%s[%s]", name, name[0] ? " " : "", unit);
  else snprintf(text, length, "%s", name);
  return text;
}

/* "Δ" in front of the name of a difference. */
static const char *shown_name(const Plot *p, const Curve *curve)
{
  const char *name = pf_plot_name(p, curve);
  size_t length = strlen(name) + 3;
  char *text = p->minus ? pf_arena_alloc(p->arena, length, 1) : NULL;
  if (text) snprintf(text, length, "Δ%s", name);
  return text ? text : name;
}

/* All names of the panel with their unit, where that is a short list; else the unit alone. */
static const char *y_label(const Plot *p, const Panel *panel, const char *unit)
{
  char names[128] = "";
  if (!unit) return panel->names == 1 ? shown_name(p, panel->curve) : "";
  for (int k = 0, last = -1; k < panel->count; k++) {
    const char *name = shown_name(p, panel->curve + k);
    size_t used = strlen(names);
    if (panel->curve[k].name == last) continue;
    last = panel->curve[k].name;
    if (panel->names > 1 && (panel->names > 4 || used + strlen(name) > 40)) return with_unit(p, "", unit);
    if (panel->names == 1) return with_unit(p, name, unit);
    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
  }
  return with_unit(p, names, unit);
}

static const char *x_label(const Plot *p, const Panel *panel)
{
  const Table *table = &p->source[panel->curve[0].source].table;
  return with_unit(p, table->names[panel->curve[0].against], table->units[panel->curve[0].against]);
}

/* Does an earlier source have a model of the same title? */
static bool is_titled(const Plot *p, int source, const char *name)
{
  for (int i = 0; i < source; i++) {
    const PfModel *model = p->source[i].session->model;
    if (model && !strcmp(pf_model_heading(model), name)) return true;
  }
  return false;
}

/* The titles of all models, "A; B", as far as there is room. */
static const char *model_titles(const Plot *p)
{
  enum { ROOM = 256, MOST = 90 };
  char *text = pf_arena_alloc(p->arena, ROOM, 1);
  int count = 0, used = 0;
  for (int i = 0; text && i < p->source_count; i++) {
    const PfModel *model = p->source[i].session->model;
    if (!model || is_titled(p, i, pf_model_heading(model))) continue;
    if (used < MOST)
      used += snprintf(text + used, (size_t)(ROOM - used), "%s%s", count ? "; " : "", pf_model_heading(model));
    count++;
  }
  if (text && count > 1 && used >= MOST) snprintf(text, ROOM, "%d models", count);
  return text && count > 1 ? text : pf_model_heading(p->model);
}

/* The models, or the file when there is one; and the subtracted source. */
static const char *title(const Plot *p)
{
  const char *name = p->model ? model_titles(p) : p->source_count == 1 ? p->source[0].label : "";
  if (!p->minus) return name;
  bool one = p->source_count == 1;
  const char *of = !one ? "difference to" : p->source[0].method ? p->source[0].method : p->source[0].label;
  size_t length = strlen(name) + strlen(of) + strlen(p->minus) + 80;
  char *text = pf_arena_alloc(p->arena, length, 1);
  if (!text) return name;
  snprintf(text, length, "%s%s%s %s%s%s", p->model ? name : "", p->model && name[0] ? ": " : "", of, one ? "− " : "",
           p->minus, p->interpolated ? " (interpolated by cubics)" : p->between ? " (interpolated)" : "");
  return text;
}

/* ---------------------------------------------------------------- the shape */

typedef struct Extent {
  double low, high;
} Extent;

static void extend(Extent *e, double x)
{
  if (!isfinite(x)) return;
  e->low = fmin(e->low, x);
  e->high = fmax(e->high, x);
}

/* Lengths over lengths: the path keeps its shape, unless that is a thin strip. */
static bool is_path(const Plot *p, const Panel *panel)
{
  Extent x = {INFINITY, -INFINITY}, y = x;
  if (panel->names != 1 || p->options->log) return false;
  for (int k = 0; k < panel->count; k++) {
    const Curve *curve = panel->curve + k;
    const Table *t = &p->source[curve->source].table;
    if ((!curve->against && !t->curves) || !t->units[curve->against][0] ||
        strcmp(t->units[curve->against], t->units[curve->column]) != 0) return false;
    for (int r = 0; r < pf_table_rows(t); r++) extend(&x, pf_plot_x(p, curve, r)), extend(&y, pf_plot_y(p, curve, r));
  }
  double ratio = (x.high - x.low)/(y.high - y.low);
  return ratio > 0.2 && ratio < 5;
}

/* ---------------------------------------------------------------- charts */

/* Does the first panel have the same legend: its sources, and nothing else? */
static bool is_explained(const Plot *p, const Panel *panel)
{
  return panel != p->panel && panel->names == 1 && p->panel[0].names == 1 && panel->count == p->panel[0].count;
}

/* Curves that may lie on each other differ in dashes too. */
static PfStatus make_series(const Plot *p, const Panel *panel, int k, const char *unit, PfSeries *series)
{
  const Curve *curve = panel->curve + k;
  int rows = pf_table_rows(&p->source[curve->source].table);
  double *x = pf_arena_array(p->arena, double, rows), *y = pf_arena_array(p->arena, double, rows);
  if (!x || !y) return pf_no_room(p->ctx, "the picture");
  for (int r = 0; r < rows; r++) x[r] = pf_plot_x(p, curve, r), y[r] = pf_plot_y(p, curve, r);
  *series = (PfSeries){.count = rows, .x = x, .y = y, .color = curve->name,
                       .dash = (PfDash)((curve->source + curve->name/8)%3)};
  if (panel->names == 1) series->color = curve->source;
  if (p->source[curve->source].table.points) series->mark = PF_MARK_DOT;
  if (panel->names > 1) series->label = with_unit(p, shown_name(p, curve), unit ? "" : pf_plot_unit(p, curve));
  if (p->source_count > 1 && !is_explained(p, panel)) series->note = p->source[curve->source].label;
  return PF_OK;
}

static PfStatus make_chart(const Plot *p, const Panel *panel, PfChart *chart)
{
  const char *unit = common_unit(p, panel);
  PfSeries *series = pf_arena_array(p->arena, PfSeries, panel->count);
  if (!series) return pf_no_room(p->ctx, "the picture");
  for (int k = 0; k < panel->count; k++) PF_TRY(make_series(p, panel, k, unit, series + k));
  *chart = (PfChart){.x_label = x_label(p, panel), .y_label = y_label(p, panel, unit), .count = panel->count,
                     .series = series,
                     .log_y = p->options->log, .equal = is_path(p, panel), .noise = pf_plot_noise(p, panel)};
  return PF_OK;
}

static bool is_same_axis(const Panel *a, const Panel *b)
{
  return !a->against == !b->against && (!a->against || !strcmp(a->against, b->against));
}

PfStatus pf_plot_svg(const Plot *p, PfText *text)
{
  PfChart charts[MOST_PANELS];
  for (int i = 0; i < p->count; i++) PF_TRY(make_chart(p, p->panel + i, charts + i));
  charts[0].title = title(p);
  for (int i = 0; i + 1 < p->count; i++)
    charts[i].shared_x = is_same_axis(p->panel + i, p->panel + i + 1) && !charts[i].equal && !charts[i + 1].equal;
  pf_svg_charts(text, charts, p->count);
  return PF_OK;
}
