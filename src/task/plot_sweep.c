/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff plot RESULT.zarr: maps, curves and histograms of a sweep. */
#include "task/plot.h"
#include "task/sweep.h"
#include "task/table.h"
#include "out/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 4000, BINS = 100, MOST_SHOWN = 8, MOST_POINTS = 20000 };

typedef struct Picture {
  PfContext *ctx;
  PfArena *arena;
  const PfRequest *options;
  PfSweep *sweep;
  long long count;
  long long failed, missing;
  double *columns;       /* columns x count; NaN where a member failed */
  unsigned char *ends;   /* how each of them ended */
  const char **units;    /* in which they are shown */
} Picture;

bool pf_plot_is_sweep(const char *path)
{
  const size_t length = strlen(path);
  if (length > 5 && (!strcmp(path + length - 5, ".zarr") || !strcmp(path + length - 6, ".zarr/"))) return true;
  return pf_plot_is_statistics(path);
}

/* ---------------------------------------------------------------- columns */

/* Varied quantities on the left of the colon, outputs elsewhere: a start value and the final value have one name. */
static int column_named(const Picture *p, const char *name, bool varied)
{
  char end[600];
  int found = -1;
  snprintf(end, sizeof end, "%s at the end", name);
  for (int i = 0; i < pf_sweep_columns(p->sweep); i++) {
    const char *own = pf_sweep_name(p->sweep, i);
    if (!strcmp(own, name) && (found < 0 || !varied)) found = i;
    if (!varied && !strcmp(own, end) && i >= pf_sweep_varied(p->sweep)) return i;
  }
  return found;
}

/* "x [cm]": the column in another unit. */
static PfStatus change_unit(const Picture *p, int column, const char *unit)
{
  const char *own = p->units[column];
  const double factor = pf_unit_factor(p->ctx, own[0] ? own : "1", unit);
  double *all = p->columns + (long long)column*p->count;
  if (!(factor > 0))
    return pf_fail(p->ctx, PF_ERR_ARGUMENT, "@show: '%s' is in [%s], which is no [%s]",
                   pf_sweep_name(p->sweep, column), own, unit);
  for (long long i = 0; i < p->count; i++) all[i] = pf_unit_convert(all[i], factor);
  p->units[column] = unit;
  return PF_OK;
}

static PfStatus find_column(const Picture *p, const char *first, const char *end, bool varied, int *column)
{
  int best = 0;
  const char *nearest = NULL;
  while (first < end && *first == ' ') first++;
  while (end > first && end[-1] == ' ') end--;
  char *name = (char *)(uintptr_t)pf_arena_text(p->arena, first, (size_t)(end - first)); /* in our own arena */
  if (!name) return pf_no_room(p->ctx, "the picture");
  *column = column_named(p, name, varied);
  if (*column >= 0) return PF_OK;
  char *bracket = end > first && end[-1] == ']' ? strrchr(name, '[') : NULL;
  if (bracket && bracket > name && bracket[-1] == ' ') {
    bracket[-1] = name[end - first - 1] = 0;
    *column = column_named(p, name, varied);
    if (*column >= 0) return change_unit(p, *column, bracket + 1);
  }
  for (int i = 0; i < pf_sweep_columns(p->sweep); i++)
    if (pf_name_is_nearer(name, pf_sweep_name(p->sweep, i), &best)) nearest = pf_sweep_name(p->sweep, i);
  PfText text;
  pf_fail(p->ctx, PF_ERR_NAME, "@show: the result has no '%s'", name);
  pf_text_init(&text, pf_context_allocator(p->ctx));
  for (int i = 0; i < pf_sweep_columns(p->sweep); i++)
    pf_text_print(&text, "%s%s", i ? ", " : "", pf_sweep_name(p->sweep, i));
  if (nearest) pf_hint(p->ctx, "did you mean '%s'?", nearest);
  else pf_hint(p->ctx, "it has: %s", pf_text_get(&text));
  pf_text_free(&text);
  return PF_ERR_ARGUMENT;
}

static const char *label_of(const Picture *p, const char *before, int column)
{
  const char *name = pf_sweep_name(p->sweep, column), *unit = p->units[column];
  const size_t length = strlen(before) + strlen(name) + strlen(unit) + 4;
  char *text = pf_arena_alloc(p->arena, length, 1);
  if (text) snprintf(text, length, *unit ? "%s%s [%s]" : "%s%s", before, name, unit);
  return text ? text : "";
}

static const char *head_of(const Picture *p, int column)
{
  return label_of(p, "", column);
}

/* Random or an output: not the values of a grid. */
static bool is_random(const Picture *p, int column)
{
  const char *random;
  if (column >= pf_sweep_varied(p->sweep)) return true;
  for (int i = 0; (random = pf_sweep_random_variable(p->sweep, i)) != NULL; i++)
    if (!strcmp(random, pf_sweep_name(p->sweep, column))) return true;
  return false;
}

static const double *column_of(const Picture *p, int column)
{
  return p->columns + (long long)column*p->count;
}

/* ---------------------------------------------------------------- values of an axis */

/* Where members stand along an axis: at its values, when it has few, or in bins. */
typedef struct Cells {
  int count;
  bool log;
  double low, high;  /* outer edges; logarithms when `log` */
  double *value;     /* middle of each */
} Cells;

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool is_even(const double *values, int count, bool logs)
{
  for (int i = 1; i + 1 < count; i++) {
    const double a = logs ? values[i]/values[i - 1] : values[i] - values[i - 1];
    const double b = logs ? values[count - 1]/values[count - 2] : values[count - 1] - values[count - 2];
    if (fabs(a - b) > 1e-6*fabs(b)) return false;
  }
  return true;
}

/* Values in their order, each once; how many, or -1 when there are too many. */
static int distinct(const Picture *p, const double *all, double *sorted)
{
  long long used = 0;
  int count = 0;
  for (long long i = 0; i < p->count; i++)
    if (isfinite(all[i])) sorted[used++] = all[i];
  qsort(sorted, (size_t)used, sizeof *sorted, compare);
  for (long long i = 0; i < used; i++) {
    if (count && sorted[i] - sorted[count - 1] <= 1e-9*(sorted[used - 1] - sorted[0])) continue;
    if (count == MOST_VALUES) return -1;
    sorted[count++] = sorted[i];
  }
  return count;
}

static PfStatus make_bins(const Picture *p, const double *all, Cells *cells)
{
  double low = INFINITY, high = -INFINITY;
  for (long long i = 0; i < p->count; i++)
    if (isfinite(all[i])) low = fmin(low, all[i]), high = fmax(high, all[i]);
  if (!(high > low)) low -= 0.5, high += 0.5;
  *cells = (Cells){.count = BINS, .low = low, .high = high, .value = pf_arena_array(p->arena, double, BINS)};
  if (!cells->value) return pf_no_room(p->ctx, "the picture");
  for (int i = 0; i < BINS; i++) cells->value[i] = low + (high - low)*(i + 0.5)/BINS;
  return PF_OK;
}

static PfStatus make_cells(const Picture *p, const double *all, Cells *cells)
{
  double *sorted = pf_arena_array(p->arena, double, p->count);
  if (!sorted) return pf_no_room(p->ctx, "the picture");
  const int count = distinct(p, all, sorted);
  if (!count) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no numbers to show");
  const bool even = count > 0 && is_even(sorted, count, false);
  const bool logs = count > 2 && !even && sorted[0] > 0 && is_even(sorted, count, true);
  if (count < 0 || !(even || logs)) return make_bins(p, all, cells);
  const double first = logs ? log10(sorted[0]) : sorted[0], last = logs ? log10(sorted[count - 1]) : sorted[count - 1];
  const double half = count > 1 ? 0.5*(last - first)/(count - 1) : 0.5;
  *cells = (Cells){.count = count, .log = logs, .low = first - half, .high = last + half, .value = sorted};
  return PF_OK;
}

static int cell_of(const Cells *cells, double x)
{
  const double y = cells->log ? log10(x) : x;
  const int k = (int)floor((y - cells->low)/(cells->high - cells->low)*cells->count);
  return k < 0 ? 0 : k >= cells->count ? cells->count - 1 : k;
}

/* ---------------------------------------------------------------- titles */

static const char *title_of(const Picture *p, const char *path)
{
  enum { MORE = 120 };
  const char *model = pf_sweep_model(p->sweep), *name = pf_task_base_name(path);
  const size_t size = strlen(model) + strlen(name) + MORE;
  char *text = pf_arena_alloc(p->arena, size, 1), failed[40] = "", missing[40] = "";
  if (p->failed) snprintf(failed, sizeof failed, ", %lld failed", p->failed);
  if (p->missing) snprintf(missing, sizeof missing, ", %lld missing", p->missing);
  if (text) snprintf(text, size, "%s (%s): %lld members%s%s", model, name, p->count, failed, missing);
  return text ? text : name;
}

/* ---------------------------------------------------------------- maps */

/* The values that cells have, when they are few and many cells share them. */
static PfStatus find_levels(const Picture *p, size_t all, PfMapCells *map)
{
  enum { MOST = 8 };
  double *levels = pf_arena_array(p->arena, double, MOST);
  int count = 0;
  if (!levels) return pf_no_room(p->ctx, "the picture");
  for (size_t k = 0; k < all; k++) {
    int i = 0;
    if (isnan(map->values[k])) continue;
    while (i < count && levels[i] != map->values[k]) i++;
    if (i < count) continue;
    if (count == MOST) return PF_OK;
    levels[count++] = map->values[k];
  }
  qsort(levels, (size_t)count, sizeof *levels, compare);
  if ((size_t)count*3 > all) return PF_OK;
  map->levels = levels;
  map->level_count = count;
  return PF_OK;
}

static PfStatus find_range(const Picture *p, size_t all, double *cells, PfMapCells *map)
{
  map->low = INFINITY, map->high = -INFINITY;
  for (size_t k = 0; k < all; k++) {
    if (p->options->log) cells[k] = cells[k] > 0 ? log10(cells[k]) : NAN;
    if (!isnan(cells[k])) map->low = fmin(map->low, cells[k]), map->high = fmax(map->high, cells[k]);
    else if (map->failed[k]) map->some_failed = true;
    else map->some_missing = true;
  }
  if (map->high >= map->low) return find_levels(p, all, map);
  return pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no %snumbers to show", p->options->log ? "positive " : "");
}

static PfStatus draw_map(const Picture *p, const int *column, PfText *text)
{
  Cells x, y;
  PF_TRY(make_cells(p, column_of(p, column[0]), &x));
  PF_TRY(make_cells(p, column_of(p, column[1]), &y));
  const size_t all = (size_t)x.count*(size_t)y.count;
  double *cells = pf_arena_array(p->arena, double, all);
  bool *failed = pf_arena_array(p->arena, bool, all);
  if (!cells || !failed) return pf_no_room(p->ctx, "the picture");
  /* Of all members in a cell the mean; where there is none, whether some have failed. */
  int *count = pf_arena_array(p->arena, int, all);
  const double *a = column_of(p, column[0]), *b = column_of(p, column[1]), *z = column_of(p, column[2]);
  if (!count) return pf_no_room(p->ctx, "the picture");
  for (long long i = 0; i < p->count; i++) {
    if (!isfinite(a[i]) || !isfinite(b[i])) continue;
    const size_t at = (size_t)cell_of(&y, b[i])*(size_t)x.count + (size_t)cell_of(&x, a[i]);
    failed[at] = failed[at] || p->ends[i] >= PF_MEMBER_NO_START;
    if (!isfinite(z[i])) continue;
    cells[at] += z[i];
    count[at]++;
  }
  for (size_t k = 0; k < all; k++) cells[k] = count[k] ? cells[k]/count[k] : NAN;
  const bool many = p->count - p->missing > (long long)all;
  PfMapCells map = {.columns = x.count, .rows = y.count, .values = cells, .failed = failed, .log = p->options->log,
                    .label = label_of(p, many ? "mean of " : "", column[2])};
  PF_TRY(find_range(p, all, cells, &map));
  PfChart chart = {.title = title_of(p, p->options->file), .x_label = head_of(p, column[0]),
                   .y_label = head_of(p, column[1]), .map = &map, .ctx = p->ctx, .given = true, .x_low = x.low,
                   .x_high = x.high, .y_low = y.low, .y_high = y.high, .log_x = x.log, .log_y = y.log};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- curves */

/* Mean and deviation at each value of the axis. */
typedef struct MeanCurve {
  int count;
  bool many;              /* several members share a value */
  double *x, *mean, *low, *high;
} MeanCurve;

static int place_of(const double *sorted, int count, double x)
{
  int a = 0, b = count - 1;
  while (a < b) {
    const int middle = (a + b + 1)/2;
    if (sorted[middle] <= x + 1e-9*(sorted[count - 1] - sorted[0])) a = middle;
    else b = middle - 1;
  }
  return a;
}

static PfStatus make_mean_curve(const Picture *p, double *sorted, int values, int against, int column, MeanCurve *c)
{
  const double *x = column_of(p, against), *y = column_of(p, column);
  double *square = pf_arena_array(p->arena, double, values);
  int *each = pf_arena_array(p->arena, int, values);
  *c = (MeanCurve){.count = values, .x = sorted, .mean = pf_arena_array(p->arena, double, values),
                   .low = pf_arena_array(p->arena, double, values), .high = pf_arena_array(p->arena, double, values)};
  if (!square || !each || !c->mean || !c->low || !c->high) return pf_no_room(p->ctx, "the picture");
  for (long long i = 0; i < p->count; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    const int at = place_of(sorted, values, x[i]);
    const double off = y[i] - c->mean[at];
    c->mean[at] += off/++each[at]; /* Welford */
    square[at] += off*(y[i] - c->mean[at]);
  }
  for (int k = 0; k < c->count; k++) {
    const double deviation = each[k] > 1 ? sqrt(square[k]/(each[k] - 1)) : 0;
    if (!each[k]) c->mean[k] = NAN;
    c->many = c->many || each[k] > 1;
    c->low[k] = c->mean[k] - deviation;
    c->high[k] = c->mean[k] + deviation;
  }
  return PF_OK;
}

/* A mark for each member, or for some of very many. */
static PfStatus make_points(const Picture *p, int against, int column, PfSeries *series)
{
  const long long every = p->count/MOST_POINTS + 1, most = p->count/every + 1;
  const double *x = column_of(p, against), *y = column_of(p, column);
  double *a = pf_arena_array(p->arena, double, most), *b = pf_arena_array(p->arena, double, most);
  int points = 0;
  if (!a || !b) return pf_no_room(p->ctx, "the picture");
  for (long long i = 0; i < p->count; i += every)
    if (isfinite(x[i]) && isfinite(y[i])) a[points] = x[i], b[points++] = y[i];
  *series = (PfSeries){.count = points, .x = a, .y = b, .mark = PF_MARK_DOT};
  return points ? PF_OK : pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no numbers to show");
}

/* Along a grid a line, through the means with a band of one deviation where several members share a value; otherwise
 * points. Two series, the first of them the band. */
static PfStatus make_curve(const Picture *p, double *sorted, int values, int against, int column, PfSeries *series,
                           bool *many)
{
  MeanCurve c;
  if (values < 1) return make_points(p, against, column, series + 1);
  PF_TRY(make_mean_curve(p, sorted, values, against, column, &c));
  if (c.many) series[0] = (PfSeries){.count = values, .x = c.x, .y = c.high, .low = c.low};
  series[1] = (PfSeries){.count = values, .x = c.x, .y = c.mean, .mark = values > 40 ? PF_MARK_NONE : PF_MARK_DOT,
                         .joined = true};
  *many = *many || c.many;
  return PF_OK;
}

static PfStatus draw_curves(const Picture *p, int against, const int *column, int count, PfText *text)
{
  PfSeries *series = pf_arena_array(p->arena, PfSeries, 2*count);
  double *sorted = pf_arena_array(p->arena, double, p->count);
  bool many = false;
  if (!series || !sorted) return pf_no_room(p->ctx, "the picture");
  const int values = is_random(p, against) ? -1 : distinct(p, column_of(p, against), sorted);
  if (!values) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no numbers to show");
  const bool logs = values > 2 && sorted[0] > 0 && !is_even(sorted, values, false) && is_even(sorted, values, true);
  for (int i = 0; i < count; i++) {
    PF_TRY(make_curve(p, sorted, values, against, column[i], series + 2*i, &many));
    series[2*i].color = series[2*i + 1].color = i;
  }
  const char *before = many ? "mean of " : "";
  for (int i = 0; i < count; i++) {
    if (count > 1) series[2*i + 1].label = label_of(p, before, column[i]);
    if (many && i == count - 1) series[2*i + 1].note = "± one deviation";
  }
  PfChart chart = {.title = title_of(p, p->options->file), .x_label = head_of(p, against), .count = 2*count,
                   .y_label = count == 1 ? label_of(p, before, column[0]) : NULL, .series = series, .log_x = logs,
                   .log_y = p->options->log};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- histograms */

PfStatus pf_plot_stairs(PfContext *ctx, PfArena *arena, const double *x, const double *y, int count, PfChart *chart)
{
  PfSeries *series = pf_arena_array(arena, PfSeries, 2);
  double *low = pf_arena_array(arena, double, count), most = 1;
  if (!series || !low) return pf_no_room(ctx, "the picture");
  for (int i = 0; i < count; i++) {
    most = fmax(most, y[i]);
    low[i] = chart->log_y ? 0.5 : 0;
  }
  series[0] = (PfSeries){.count = count, .x = x, .y = y, .low = low};
  series[1] = (PfSeries){.count = count, .x = x, .y = y};
  chart->series = series;
  chart->count = 2;
  chart->given = true;
  chart->x_low = x[0], chart->x_high = x[count - 1];
  chart->y_low = chart->log_y ? log10(0.5) : 0;
  chart->y_high = chart->log_y ? log10(most) + 0.1 : 1.05*most;
  return PF_OK;
}

/* Few values: a bar in the middle of each. */
static PfStatus make_bars(const Picture *p, int column, const double *values, int count, PfChart *chart)
{
  double *x = pf_arena_array(p->arena, double, 4*count + 2), *y = pf_arena_array(p->arena, double, 4*count + 2);
  const double *all = column_of(p, column);
  double gap = count > 1 ? INFINITY : fmax(1, fabs(values[0]));
  if (!x || !y) return pf_no_room(p->ctx, "the picture");
  for (int k = 1; k < count; k++) gap = fmin(gap, values[k] - values[k - 1]);
  x[0] = values[0] - gap;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 4; i++) x[4*k + 1 + i] = values[k] + (i < 2 ? -0.4 : 0.4)*gap;
  x[4*count + 1] = values[count - 1] + gap;
  for (long long i = 0; i < p->count; i++)
    if (isfinite(all[i])) y[4*place_of(values, count, all[i]) + 2]++;
  for (int k = 0; k < count; k++) y[4*k + 3] = y[4*k + 2];
  return pf_plot_stairs(p->ctx, p->arena, x, y, 4*count + 2, chart);
}

/* How many members are in each of some bins, as a staircase. */
static PfStatus make_histogram(const Picture *p, int column, PfChart *chart)
{
  enum { FEW = 20 };
  Cells bins;
  const double *all = column_of(p, column);
  double *sorted = pf_arena_array(p->arena, double, p->count);
  if (!sorted) return pf_no_room(p->ctx, "the picture");
  const int values = distinct(p, all, sorted);
  if (!values) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no numbers of '%s'", pf_sweep_name(p->sweep, column));
  if (values > 0 && values <= FEW && (values < 3 || values*5LL <= p->count))
    return make_bars(p, column, sorted, values, chart);
  PF_TRY(make_bins(p, all, &bins));
  const int steps = (int)fmin(BINS, fmax(10, 2*cbrt((double)p->count)));
  double *x = pf_arena_array(p->arena, double, 2*steps + 2), *y = pf_arena_array(p->arena, double, 2*steps + 2);
  if (!x || !y) return pf_no_room(p->ctx, "the picture");
  bins.count = steps;
  for (int k = 0; k < 2*steps + 2; k++) {
    const int edge = k/2; /* each twice: up and down */
    x[k] = bins.low + (bins.high - bins.low)*edge/steps;
  }
  for (long long i = 0; i < p->count; i++)
    if (isfinite(all[i])) y[2*cell_of(&bins, all[i]) + 1]++;
  for (int k = 0; k < steps; k++) y[2*k + 2] = y[2*k + 1];
  y[2*steps + 1] = 0;
  return pf_plot_stairs(p->ctx, p->arena, x, y, 2*steps + 2, chart);
}

static PfStatus draw_histograms(const Picture *p, const int *column, int count, PfText *text)
{
  PfChart *charts = pf_arena_array(p->arena, PfChart, count);
  if (!charts) return pf_no_room(p->ctx, "the picture");
  for (int i = 0; i < count; i++) {
    charts[i] = (PfChart){.title = i ? NULL : title_of(p, p->options->file), .x_label = head_of(p, column[i]),
                          .y_label = "members", .log_y = p->options->log};
    PF_TRY(make_histogram(p, column[i], charts + i));
  }
  pf_svg_charts(text, charts, count);
  return PF_OK;
}

/* ---------------------------------------------------------------- columns of the request */

static PfStatus read_names(const Picture *p, const char *text, const char *end, bool varied, int *columns, int *count)
{
  for (*count = 0; text < end;) {
    const char *comma = pf_piece_end(text, ",:");
    if (comma > end) comma = end;
    if (*count == MOST_SHOWN) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "@show: more than %d names", MOST_SHOWN);
    PF_TRY(find_column(p, text, comma, varied, columns + (*count)++));
    text = comma + 1;
  }
  return PF_OK;
}

/* "a, b: c" is a map, "a: b, c" are curves, "a, b" histograms. */
static PfStatus draw(const Picture *p, PfText *text)
{
  const char *show = p->options->show, *colon = show ? pf_piece_end(show, ":") : NULL;
  int left[MOST_SHOWN], right[MOST_SHOWN], lefts = 0, rights = 0;
  const int varied = pf_sweep_varied(p->sweep), taken = pf_sweep_columns(p->sweep) - varied;
  for (int i = 0; !show && i < taken && i < 4; i++) left[lefts++] = varied + i;
  if (show) PF_TRY(read_names(p, show, colon, *colon, left, &lefts));
  if (show && *colon) PF_TRY(read_names(p, colon + 1, show + strlen(show), false, right, &rights));
  if (!rights && lefts) return draw_histograms(p, left, lefts, text);
  if (lefts == 1) return draw_curves(p, left[0], right, rights, text);
  if (lefts == 2 && rights == 1) return draw_map(p, (const int[]){left[0], left[1], right[0]}, text);
  pf_fail(p->ctx, PF_ERR_ARGUMENT, "@show{%s}: not a picture of a sweep", show);
  pf_hint(p->ctx, "\"a, b: c\" is a map with c as colour, \"a: b, c\" are curves or points, \"a, b\" histograms");
  return PF_ERR_ARGUMENT;
}

static PfStatus read_rows(Picture *p)
{
  const int columns = pf_sweep_columns(p->sweep);
  p->count = pf_sweep_count(p->sweep);
  if (p->count > 50000000/columns)
    return pf_fail(p->ctx, PF_ERR_LIMIT, "%lld members are too many for a picture", p->count);
  PF_TRY(pf_arrays(p->ctx, p->arena, "the picture", PF_ROOM(p->columns, p->count*columns), PF_ROOM(p->ends, p->count),
                   PF_ROOM(p->units, columns)));
  PF_TRY(pf_sweep_read(p->sweep, p->options->file, 0, p->count, p->columns, p->ends, NULL));
  for (int i = 0; i < columns; i++) p->units[i] = pf_sweep_unit(p->sweep, i);
  for (long long i = 0; i < p->count; i++) {
    p->failed += p->ends[i] >= PF_MEMBER_NO_START;
    p->missing += p->ends[i] == PF_MEMBER_MISSING;
  }
  return pf_sweep_tell_missing(p->ctx, p->options->file, p->missing, p->count);
}

static PfStatus check(const Picture *p)
{
  const PfRequest *o = p->options;
  if (o->file_count > 1) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "a result of a sweep is drawn alone");
  PF_TRY(pf_task_refuse(p->ctx, o, TAKES_STATE TAKES_METHOD "minus against", "a result of a sweep is drawn as it is"));
  if (o->out) return PF_OK;
  pf_fail(p->ctx, PF_ERR_ARGUMENT, "pictures of sweeps go to files");
  pf_hint(p->ctx, "write @out{map.svg}");
  return PF_ERR_ARGUMENT;
}

PfStatus pf_plot_sweep(PfContext *ctx, PfArena *arena, const PfRequest *options)
{
  Picture p = {.ctx = ctx, .arena = arena, .options = options};
  PfText text;
  PF_TRY(check(&p));
  if (pf_plot_is_statistics(options->file)) return pf_plot_statistics(ctx, arena, options);
  PF_TRY(pf_task_check_out(ctx, options));
  PF_TRY(pf_sweep_of_result(ctx, options->file, &p.sweep));
  pf_text_init(&text, pf_context_allocator(ctx));
  PfStatus status = read_rows(&p);
  if (status == PF_OK) status = draw(&p, &text);
  if (status == PF_OK) status = pf_task_write(ctx, options, &text);
  pf_text_free(&text);
  pf_sweep_free(p.sweep);
  return status;
}
