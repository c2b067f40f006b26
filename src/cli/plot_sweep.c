/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff plot RESULT.zarr: maps, curves and histograms of a sweep. */
#include "cli/plot.h"
#include "out/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 4000, BINS = 100, MOST_SHOWN = 8, MOST_POINTS = 20000 };

typedef struct Picture {
  PfContext *ctx;
  PfArena *arena;
  const Options *options;
  PfSweep *sweep;
  long long count;
  double *columns; /* columns x count; NaN where a member failed */
} Picture;

bool pf_plot_is_sweep(const char *path)
{
  const size_t length = strlen(path);
  if (length > 5 && (!strcmp(path + length - 5, ".zarr") || !strcmp(path + length - 6, ".zarr/"))) return true;
  return pf_plot_is_statistics(path);
}

/* ---------------------------------------------------------------- columns */

static PfStatus find_column(const Picture *p, const char *first, const char *end, int *column)
{
  int best = 0;
  const char *nearest = NULL;
  while (first < end && *first == ' ') first++;
  while (end > first && end[-1] == ' ') end--;
  const char *name = pf_arena_text(p->arena, first, (size_t)(end - first));
  if (!name) return pf_no_room(p->ctx, "the picture");
  for (*column = 0; *column < pf_sweep_columns(p->sweep); ++*column) {
    const char *own = pf_sweep_name(p->sweep, *column);
    if (!strcmp(own, name)) return PF_OK;
    if (pf_name_is_nearer(name, own, &best)) nearest = own;
  }
  pf_fail(p->ctx, PF_ERR_ARGUMENT, "--show: the result has no '%s'", name);
  PfText text;
  pf_text_init(&text, pf_context_allocator(p->ctx));
  for (int i = 0; i < pf_sweep_columns(p->sweep); i++)
    pf_text_print(&text, "%s%s", i ? ", " : "", pf_sweep_name(p->sweep, i));
  if (nearest) pf_hint(p->ctx, "did you mean '%s'?", nearest);
  else pf_hint(p->ctx, "it has: %s", pf_text_get(&text));
  pf_text_free(&text);
  return PF_ERR_ARGUMENT;
}

static const char *head_of(const Picture *p, int column)
{
  const char *name = pf_sweep_name(p->sweep, column), *unit = pf_sweep_unit(p->sweep, column);
  const size_t length = strlen(name) + strlen(unit) + 4;
  char *text = pf_arena_alloc(p->arena, length, 1);
  if (text) snprintf(text, length, *unit ? "%s [%s]" : "%s", name, unit);
  return text ? text : "";
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

/* ---------------------------------------------------------------- pictures */

static const char *title_of(const Picture *p, const char *path)
{
  const char *name = pf_cli_base_name(path);
  char *text = pf_arena_alloc(p->arena, strlen(name) + 40, 1);
  if (text) snprintf(text, strlen(name) + 40, "%s: %lld members", name, p->count);
  return text ? text : name;
}

/* The mean of all members in a cell. */
static PfStatus average(const Picture *p, const Cells *x, const Cells *y, const int *column, double *cells)
{
  const size_t all = (size_t)x->count*(size_t)y->count;
  int *count = pf_arena_array(p->arena, int, all);
  const double *a = column_of(p, column[0]), *b = column_of(p, column[1]), *z = column_of(p, column[2]);
  if (!count) return pf_no_room(p->ctx, "the picture");
  for (long long i = 0; i < p->count; i++) {
    if (!isfinite(a[i]) || !isfinite(b[i]) || !isfinite(z[i])) continue;
    const size_t at = (size_t)cell_of(y, b[i])*(size_t)x->count + (size_t)cell_of(x, a[i]);
    cells[at] += z[i];
    count[at]++;
  }
  for (size_t k = 0; k < all; k++) cells[k] = count[k] ? cells[k]/count[k] : NAN;
  return PF_OK;
}

static PfStatus draw_map(const Picture *p, const int *column, PfText *text)
{
  Cells x, y;
  PF_TRY(make_cells(p, column_of(p, column[0]), &x));
  PF_TRY(make_cells(p, column_of(p, column[1]), &y));
  const size_t all = (size_t)x.count*(size_t)y.count;
  double *cells = pf_arena_array(p->arena, double, all);
  if (!cells) return pf_no_room(p->ctx, "the picture");
  PF_TRY(average(p, &x, &y, column, cells));
  PfMapCells map = {.columns = x.count, .rows = y.count, .values = cells, .low = INFINITY, .high = -INFINITY,
                    .label = head_of(p, column[2])};
  for (size_t k = 0; k < all; k++)
    if (!isnan(cells[k])) map.low = fmin(map.low, cells[k]), map.high = fmax(map.high, cells[k]);
  if (!(map.high >= map.low)) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "there are no numbers to show");
  PfChart chart = {.title = title_of(p, p->options->file), .x_label = head_of(p, column[0]),
                   .y_label = head_of(p, column[1]), .map = &map, .ctx = p->ctx, .given = true, .x_low = x.low,
                   .x_high = x.high, .y_low = y.low, .y_high = y.high, .log_x = x.log, .log_y = y.log};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* A line through the means where many members share a value, else a mark for each of some. */
static PfStatus make_curve(const Picture *p, const Cells *x, int against, int column, PfSeries *series)
{
  const bool joined = x->count*2LL <= p->count && x->count < MOST_VALUES;
  const long long every = p->count/MOST_POINTS + 1, count = joined ? x->count : p->count/every + 1;
  double *a = pf_arena_array(p->arena, double, count), *b = pf_arena_array(p->arena, double, count);
  const double *all_x = column_of(p, against), *all_y = column_of(p, column);
  int *each = pf_arena_array(p->arena, int, count), points = 0;
  if (!a || !b || !each) return pf_no_room(p->ctx, "the picture");
  for (long long i = 0; i < p->count; i += joined ? 1 : every) {
    if (!isfinite(all_x[i]) || (!isfinite(all_y[i]) && joined)) continue;
    const int at = joined ? cell_of(x, all_x[i]) : points;
    b[at] += all_y[i];
    each[at]++;
    if (!joined) a[points++] = all_x[i];
  }
  for (int k = 0; joined && k < x->count; k++) a[k] = x->value[k], b[k] = each[k] ? b[k]/each[k] : NAN;
  *series = (PfSeries){.count = joined ? x->count : points, .x = a, .y = b,
                       .mark = joined ? PF_MARK_NONE : PF_MARK_DOT};
  return PF_OK;
}

static PfStatus draw_curves(const Picture *p, int against, const int *column, int count, PfText *text)
{
  PfSeries *series = pf_arena_array(p->arena, PfSeries, count);
  Cells x;
  if (!series) return pf_no_room(p->ctx, "the picture");
  PF_TRY(make_cells(p, column_of(p, against), &x));
  for (int i = 0; i < count; i++) {
    PF_TRY(make_curve(p, &x, against, column[i], series + i));
    series[i].color = i;
    if (count > 1) series[i].label = head_of(p, column[i]);
  }
  PfChart chart = {.title = title_of(p, p->options->file), .x_label = head_of(p, against), .count = count,
                   .y_label = count == 1 ? head_of(p, column[0]) : NULL, .series = series, .log_x = x.log,
                   .log_y = p->options->log};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* How many members are in each of some bins, as a staircase. */
static PfStatus make_histogram(const Picture *p, int column, PfSeries *series)
{
  Cells bins;
  const double *all = column_of(p, column);
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
  *series = (PfSeries){.count = 2*steps + 2, .x = x, .y = y};
  return PF_OK;
}

static PfStatus draw_histograms(const Picture *p, const int *column, int count, PfText *text)
{
  PfChart *charts = pf_arena_array(p->arena, PfChart, count);
  PfSeries *series = pf_arena_array(p->arena, PfSeries, count);
  if (!charts || !series) return pf_no_room(p->ctx, "the picture");
  for (int i = 0; i < count; i++) {
    PF_TRY(make_histogram(p, column[i], series + i));
    charts[i] = (PfChart){.title = i ? NULL : title_of(p, p->options->file), .x_label = head_of(p, column[i]),
                          .y_label = "members", .count = 1, .series = series + i, .log_y = p->options->log};
  }
  pf_svg_charts(text, charts, count);
  return PF_OK;
}

/* ---------------------------------------------------------------- what is asked for */

static PfStatus read_names(const Picture *p, const char *text, const char *end, int *columns, int *count)
{
  for (*count = 0; text < end;) {
    const char *comma = pf_piece_end(text, ",:");
    if (comma > end) comma = end;
    if (*count == MOST_SHOWN) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "--show: more than %d names", MOST_SHOWN);
    PF_TRY(find_column(p, text, comma, columns + (*count)++));
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
  if (show) PF_TRY(read_names(p, show, colon, left, &lefts));
  if (show && *colon) PF_TRY(read_names(p, colon + 1, show + strlen(show), right, &rights));
  if (!rights && lefts) return draw_histograms(p, left, lefts, text);
  if (lefts == 1) return draw_curves(p, left[0], right, rights, text);
  if (lefts == 2 && rights == 1) return draw_map(p, (const int[]){left[0], left[1], right[0]}, text);
  pf_fail(p->ctx, PF_ERR_ARGUMENT, "--show %s: not a picture of a sweep", show);
  pf_hint(p->ctx, "\"a, b: c\" is a map with c as colour, \"a: b, c\" are curves, \"a, b\" histograms");
  return PF_ERR_ARGUMENT;
}

static PfStatus read_rows(Picture *p)
{
  const int columns = pf_sweep_columns(p->sweep);
  p->count = pf_sweep_count(p->sweep);
  if (p->count > 50000000/columns)
    return pf_fail(p->ctx, PF_ERR_LIMIT, "%lld members are too many for a picture", p->count);
  p->columns = pf_arena_array(p->arena, double, p->count*columns);
  unsigned char *ends = pf_arena_array(p->arena, unsigned char, p->count);
  if (!p->columns || !ends) return pf_no_room(p->ctx, "the picture");
  return pf_sweep_read(p->sweep, p->options->file, 0, p->count, p->columns, ends, NULL);
}

static PfStatus check(const Picture *p)
{
  const Options *o = p->options;
  if (o->file_count > 1) return pf_fail(p->ctx, PF_ERR_ARGUMENT, "a result of a sweep is drawn alone");
  PF_TRY(pf_cli_refuse(p->ctx, o, TAKES_STATE TAKES_METHOD "minus against", "a result of a sweep is drawn as it is"));
  if (o->out) return PF_OK;
  pf_fail(p->ctx, PF_ERR_ARGUMENT, "pictures of sweeps go to files");
  pf_hint(p->ctx, "write --out map.svg");
  return PF_ERR_ARGUMENT;
}

PfStatus pf_plot_sweep(PfContext *ctx, PfArena *arena, const Options *options)
{
  Picture p = {.ctx = ctx, .arena = arena, .options = options};
  PfText text;
  PF_TRY(check(&p));
  if (pf_plot_is_statistics(options->file)) return pf_plot_statistics(ctx, arena, options);
  PF_TRY(pf_cli_check_out(ctx, options));
  PF_TRY(pf_sweep_of_result(ctx, options->file, &p.sweep));
  pf_text_init(&text, pf_context_allocator(ctx));
  PfStatus status = read_rows(&p);
  if (status == PF_OK) status = draw(&p, &text);
  if (status == PF_OK) status = pf_cli_write(ctx, options, &text);
  pf_text_free(&text);
  pf_sweep_free(p.sweep);
  return status;
}
