/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of charts on a page: ranges from the data, frames, axes with ticks and names, titles, colour maps, and
 * charts below each other that share an axis. */
#include "out/chart_impl.h"
#include "out/map.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

/* Pixels. */
enum {
  PAGE_WIDTH = 720, LEAST_WIDTH = 420,
  MARGIN = 16,         /* around everything */
  TITLE = 26,          /* the height of a title */
  ABOVE = 8,           /* between legend and frame */
  POWER = 12,          /* more, for a power of ten without a legend next to it */
  POWER_WIDTH = 48,
  LEAST_NAME = 40,
  NUMBERS = 22,        /* the height of the numbers below a frame, and then of the name of the axis */
  NAME = 22,
  BAR = 26,
  LEAST_FRAME = 130, MOST_FRAME = 560,
  COLORS = 18,         /* the width of the bar of a map, and of all that is right of the frame */
  COLORS_ROOM = 110
};

typedef struct Place {
  PfFrame f;
  double title, legend; /* where they stand: base lines */
} Place;

/* ---------------------------------------------------------------- ranges */

typedef struct Extent {
  double low, high;
} Extent;

static void extend(Extent *e, double x)
{
  e->low = fmin(e->low, x);
  e->high = fmax(e->high, x);
}

/* The ranges of both axes from the data. Where the horizontal quantity only grows, as time does, the lines may reach
 * both sides of the frame, and all times are shown, also those where there is no point. */
static void cover_series(const PfChart *c, PfFrame *f)
{
  Extent x = {INFINITY, -INFINITY}, y = x;
  bool over_time = true;
  for (int s = 0; s < c->count; s++) {
    over_time = over_time && c->series[s].mark == PF_MARK_NONE;
    for (int i = 1; i < c->series[s].count && over_time; i++)
      over_time = c->series[s].x[i] >= c->series[s].x[i - 1];
  }
  for (int s = 0; s < c->count; s++)
    for (int i = 0; i < c->series[s].count; i++) {
      double a = pf_axis_value(&f->x, c->series[s].x[i]), b = pf_axis_value(&f->y, c->series[s].y[i]);
      if (isnan(a) || (isnan(b) && !over_time)) continue;
      extend(&x, a);
      if (!isnan(b)) extend(&y, b);
      const double low = c->series[s].low ? pf_axis_value(&f->y, c->series[s].low[i]) : NAN;
      if (!isnan(low)) extend(&y, low);
    }
  pf_axis_cover(&f->x, x.low, x.high, 0, over_time ? PF_ROOM_NONE : PF_ROOM_SOME);
  pf_axis_cover(&f->y, y.low, y.high, c->noise, PF_ROOM_SOME);
}

/* The ranges of a chart: the given ones, from its data, or of bars from nothing to the longest one, with room for its
 * number. */
static void cover(const PfChart *c, PfFrame *f)
{
  *f = (PfFrame){.x.log = c->log_x, .x.whole = c->whole, .y.log = c->log_y, .y.whole = c->whole};
  if (c->bar_count) {
    double most = 0;
    for (int i = 0; i < c->bar_count; i++)
      if (!c->bars[i].why_not && c->bars[i].value < 1e300) most = fmax(most, c->bars[i].value);
    pf_axis_cover(&f->x, 0, most > 0 ? 1.15*most : 1, 0, PF_ROOM_NONE);
    f->y.low = 0, f->y.high = 1;
  } else cover_series(c, f);
  if (!c->given) return;
  f->x.low = c->x_low, f->x.high = c->x_high;
  f->y.low = c->y_low, f->y.high = c->y_high;
}

/* ---------------------------------------------------------------- the page */

static bool is_given(const char *label)
{
  return label && label[0];
}

/* The height of the frame of one of `count` charts, in pixels. */
static double frame_height(const PfChart *c, int count)
{
  if (c->bar_count) return BAR*c->bar_count;
  return count == 1 ? 380 : count == 2 ? 250 : 190;
}

/* The width of the widest number of an axis, in pixels. */
static double number_width(const PfAxis *axis)
{
  double ticks[PF_MOST_TICKS], width = 0;
  int count = pf_axis_ticks(axis, ticks);
  for (int i = 0; i < count; i++) width = fmax(width, pf_axis_number_width(axis, ticks[i], PF_FONT_SIZE));
  return width;
}

static void choose_y(PfFrame *f, double height)
{
  pf_axis_choose(&f->y, fmax(2, height/48));
}

/* As many numbers as have room next to each other. Steps are rounded, down too: then fewer are tried. */
static void choose_x(PfFrame *f, double width)
{
  double count = fmax(2, width/80), range = f->x.high - f->x.low;
  pf_axis_choose(&f->x, count);
  while (count > 1.5 && f->x.step*width/range < number_width(&f->x) + 20) {
    count *= 0.8;
    pf_axis_choose(&f->x, count);
  }
}

/* Room on the left for numbers or names of bars, and the name of the axis. */
static double left_room(const PfChart *c, PfFrame *f, double height)
{
  double width = 0;
  for (int i = 0; i < c->bar_count; i++)
    width = fmax(width, pf_label_width(PF_LABEL_PLAIN, c->bars[i].label, PF_FONT_SIZE));
  if (!c->bar_count) {
    choose_y(f, height);
    width = number_width(&f->y);
    if (f->y.power) width = fmax(width, 40);
  }
  return fmin(width, 260) + 14 + (is_given(c->y_label) ? 26 : 0);
}

/* Places one chart below y; returns where the next one may begin. With equal axes the frame has the shape of the data,
 * as far as that is neither a strip nor a tower; the rest is room around the data. */
static double place(const PfChart *c, Place *p, double left, double y, int count)
{
  double width = PAGE_WIDTH - left - MARGIN - (c->map ? COLORS_ROOM : 0), height = frame_height(c, count);
  PfFrame *f = &p->f;
  choose_x(f, width);
  width -= fmax(0, number_width(&f->x)/2 - MARGIN + 4);
  if (c->equal && !c->bar_count) {
    const double x = f->x.high - f->x.low, y_range = f->y.high - f->y.low, most = width;
    height = fmin(MOST_FRAME, fmax(LEAST_FRAME, most*y_range/x));
    width = fmin(most, fmax(LEAST_FRAME, height*x/y_range));
    const double pixel = fmax(x/width, y_range/height), extra_x = (pixel*width - x)/2;
    const double extra_y = (pixel*height - y_range)/2;
    f->x.low -= extra_x, f->x.high += extra_x;
    f->y.low -= extra_y, f->y.high += extra_y;
  }
  choose_x(f, width);
  if (!c->bar_count) choose_y(f, height);
  if (is_given(c->title)) y += TITLE;
  p->title = y - 8;
  int rows = pf_legend_rows(c, fmax(width, LEAST_WIDTH - left - MARGIN));
  p->legend = y + 13;
  y += rows*PF_LEGEND_ROW + ABOVE + (f->y.power && !rows ? POWER : 0);
  f->left = left, f->right = left + width;
  f->top = y, f->bottom = y + height;
  f->x.first = f->left, f->x.last = f->right;
  f->y.first = f->bottom, f->y.last = f->top;
  return f->bottom + (c->shared_x ? 6 : NUMBERS + (is_given(c->x_label) || f->x.power ? NAME : 0));
}

/* ---------------------------------------------------------------- axes */

/* The name of an axis with its middle at (x, y), where there is one; `more` is for the element, `most` its width. */
static void put_name(PfText *text, double x, double y, const char *more, const char *label, double most)
{
  if (!is_given(label)) return;
  pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" class=\"name\"%s>", x, y, more);
  pf_label_put(text, PF_LABEL_NAME, label, PF_NAME_SIZE, most);
  pf_text_add(text, "</text>\n");
}

/* The power of ten by which the numbers of an axis are to be multiplied, ending at (x, y). */
static void put_common_power(PfText *text, const PfAxis *axis, double x, double y)
{
  if (!axis->power) return;
  pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">×", x, y);
  pf_put_power(text, axis->power, PF_FONT_SIZE);
  pf_text_add(text, "</text>\n");
}

/* The number at a tick; `anchor` is an attribute for the element, or "". */
static void put_number(PfText *text, const PfAxis *axis, double tick, double x, double y, const char *anchor)
{
  pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\"%s>", x, y, anchor);
  pf_axis_number(axis, tick, PF_FONT_SIZE, text);
  pf_text_add(text, "</text>\n");
}

/* The place of a tick on the page. */
static double place_of(const PfAxis *axis, double tick)
{
  return axis->first + (tick - axis->low)/(axis->high - axis->low)*(axis->last - axis->first);
}

/* 2 to 9 times each power of ten, where there is room. */
static void put_small_ticks(PfText *text, const PfFrame *f, const PfAxis *axis)
{
  if (!axis->log || axis->high - axis->low > 8) return;
  const double first = floor(axis->low), edge = 1e-9*(axis->high - axis->low); /* a range may begin within a decade */
  int decades = (int)ceil(axis->high - first);
  for (int decade = 0; decade < decades; decade++)
    for (int k = 2; k <= 9; k++) {
      const double value = first + decade + log10(k);
      if (value < axis->low - edge || value > axis->high + edge) continue;
      double at = place_of(axis, value);
      if (axis == &f->x) pf_text_print(text, "<path d=\"M%.2f %.2fv3\" class=\"axis\"/>", at, f->bottom);
      else pf_text_print(text, "<path d=\"M%.2f %.2fh-3\" class=\"axis\"/>", f->left, at);
    }
  pf_text_add(text, "\n");
}

/* Ticks, grid lines, numbers and name of the horizontal axis. */
static void put_x_axis(PfText *text, const PfChart *c, const PfFrame *f)
{
  double ticks[PF_MOST_TICKS];
  int count = pf_axis_ticks(&f->x, ticks);
  for (int k = 0; k < count; k++) {
    double x = place_of(&f->x, ticks[k]);
    pf_text_print(text, "<path d=\"M%.2f %.2fV%.2f\" class=\"grid\"/>", x, f->top, f->bottom);
    pf_text_print(text, "<path d=\"M%.2f %.2fv5\" class=\"axis\"/>", x, f->bottom);
    if (c->shared_x) continue;
    put_number(text, &f->x, ticks[k], x, f->bottom + 19, " text-anchor=\"middle\"");
  }
  put_small_ticks(text, f, &f->x);
  if (c->shared_x) return;
  double room = f->right - f->left - (f->x.power ? 2*POWER_WIDTH : 0); /* the power stands at the right end */
  put_name(text, (f->left + f->right)/2, f->bottom + NUMBERS + 18, "", c->x_label, fmax(room, LEAST_NAME));
  put_common_power(text, &f->x, f->right, f->bottom + NUMBERS + 16);
}

/* The same for the vertical axis. */
static void put_y_axis(PfText *text, const PfChart *c, const PfFrame *f)
{
  double ticks[PF_MOST_TICKS], middle = (f->top + f->bottom)/2;
  int count = pf_axis_ticks(&f->y, ticks);
  char more[80];
  for (int k = 0; k < count; k++) {
    double y = place_of(&f->y, ticks[k]);
    pf_text_print(text, "<path d=\"M%.2f %.2fH%.2f\" class=\"grid\"/>", f->left, y, f->right);
    pf_text_print(text, "<path d=\"M%.2f %.2fh-5\" class=\"axis\"/>", f->left, y);
    put_number(text, &f->y, ticks[k], f->left - 8, y + 4.5, " text-anchor=\"end\"");
  }
  put_small_ticks(text, f, &f->y);
  snprintf(more, sizeof more, " transform=\"rotate(-90 19 %.2f)\"", middle);
  put_name(text, 19, middle, more, c->y_label, f->bottom - f->top + 30);
  put_common_power(text, &f->y, f->left - 4, f->top - 8);
}

/* ---------------------------------------------------------------- all */

static void put_frame(PfText *text, const PfFrame *f, const char *style)
{
  pf_text_print(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"%s/>", f->left, f->top,
                f->right - f->left, f->bottom - f->top, style);
}

/* ---------------------------------------------------------------- maps */

/* A rectangle of one colour (red, green, blue) in the bar of a map. */
static void put_color(PfText *text, double left, double top, double height, const unsigned char color[3])
{
  pf_text_print(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>", left, top,
                COLORS, height, color[0], color[1], color[2]);
}

/* A bar of colours with numbers next to it. */
static void put_scale(PfText *text, const PfMapCells *map, const PfFrame *f, double left)
{
  enum { STEPS = 64 };
  const double height = (f->bottom - f->top)/STEPS;
  PfAxis axis = {.low = map->low, .high = map->high, .first = f->bottom, .last = f->top, .log = map->log};
  double ticks[PF_MOST_TICKS];
  if (!(axis.high > axis.low)) axis.low -= 0.5, axis.high += 0.5;
  for (int i = 0; i < STEPS; i++) {
    unsigned char color[3];
    pf_map_color((i + 0.5)/STEPS, color);
    put_color(text, left, f->bottom - (i + 1)*height, height + 0.5, color);
  }
  pf_axis_choose(&axis, fmax(2, (f->bottom - f->top)/48));
  int count = pf_axis_ticks(&axis, ticks);
  if (count < 2 && map->log) { /* no two powers of ten: the ends themselves */
    count = 0;
    for (int i = 0; i < 2; i++)
      pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\">%.3g</text>\n", left + COLORS + 6,
                    (i ? f->top : f->bottom) + 4.5, pow(10, i ? axis.high : axis.low));
  }
  for (int k = 0; k < count; k++)
    put_number(text, &axis, ticks[k], left + COLORS + 6, place_of(&axis, ticks[k]) + 4.5, "");
  put_common_power(text, &axis, left + COLORS + 30, f->top - 6);
}

/* The meaning of the colours, right of the frame: a scale, or for few values a block of its colour for each, the
 * largest on top; below them that of the greys; and the name of the quantity. */
static void put_colors(PfText *text, const PfChart *c, const PfFrame *f)
{
  const double left = f->right + 18, middle = (f->top + f->bottom)/2;
  char more[80];
  if (c->map->level_count) {
    const PfMapCells *map = c->map;
    const double height = (f->bottom - f->top)/map->level_count;
    for (int i = 0; i < map->level_count; i++) {
      unsigned char color[3];
      const double top = f->bottom - (i + 1)*height;
      pf_map_color(pf_map_part(map, map->levels[i]), color);
      put_color(text, left, top, height, color);
      pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\">%.4g</text>\n", left + COLORS + 6, top + height/2 + 4.5,
                    map->log ? pow(10, map->levels[i]) : map->levels[i]);
    }
  } else put_scale(text, c->map, f, left);
  double y = f->bottom + 10;
  for (int i = 0; i < 2; i++) {
    if (!(i ? c->map->some_missing : c->map->some_failed)) continue;
    const unsigned char grey = i ? PF_MAP_MISSING : PF_MAP_FAILED, color[3] = {grey, grey, grey};
    put_color(text, left, y, 12, color);
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\">%s</text>\n", left + COLORS + 6, y + 11,
                  i ? "no number" : "failed");
    y += 17;
  }
  const double at = f->right + COLORS_ROOM - 10;
  snprintf(more, sizeof more, " transform=\"rotate(-90 %.2f %.2f)\"", at, middle);
  put_name(text, at, middle, more, c->map->label, f->bottom - f->top + 30);
}

/* One chart: axes, data clipped to the frame, frame, title, legend. */
static void put_chart(PfText *text, const PfChart *c, const Place *p, int index, double page)
{
  const PfFrame *f = &p->f;
  if (c->map) put_colors(text, c, f);
  put_x_axis(text, c, f);
  if (!c->bar_count) put_y_axis(text, c, f);
  if (c->given) {
    pf_text_print(text, "<clipPath id=\"frame%d\">", index);
    put_frame(text, f, "");
    pf_text_print(text, "</clipPath>\n<g clip-path=\"url(#frame%d)\">\n", index);
  }
  if (c->map) {
    PfText png;
    pf_text_init(&png, text->allocator);
    pf_map_png(c->map, c->ctx, &png);
    pf_text_print(text, "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" preserveAspectRatio=\"none\" "
                  "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,", f->left, f->top,
                  f->right - f->left, f->bottom - f->top);
    if (!png.failed) pf_put_base64(text, png.at, png.count);
    text->failed = text->failed || png.failed;
    pf_text_add(text, "\"/>\n");
    pf_text_free(&png);
  }
  for (int s = 0; s < c->count; s++) pf_svg_series(text, f, c->series + s);
  if (c->given) pf_text_add(text, "</g>\n");
  if (c->bar_count) pf_svg_bars(text, f, c->bars, c->bar_count);
  put_frame(text, f, " fill=\"none\" class=\"axis\"");
  pf_text_add(text, "\n");
  if (is_given(c->title)) {
    /* Long titles are smaller; one that is longer still begins at the side of the page, or is cut. */
    double wide = 1.1*pf_label_width(PF_LABEL_PLAIN, c->title,
                                     1), room = page - p->f.left - 4; /* bold letters are wider */
    double size = fmax(12, fmin(PF_TITLE_SIZE, room/wide)), x = p->f.left;
    if (size*wide > room) x = fmax(0.5*MARGIN, page - 4 - size*wide);
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" class=\"title\" font-size=\"%.1f\">", x, p->title, size);
    pf_label_put(text, PF_LABEL_PLAIN, c->title, 1.1*size, page - x);
    pf_text_add(text, "</text>\n");
  }
  pf_svg_legend(text, c, fmax(f->right - f->left, page - f->left - MARGIN), f->left, p->legend);
}

/* All charts get the same left edge. Those that share a horizontal axis show the same stretch of it. */
void pf_svg_charts(PfText *text, const PfChart *charts, int count)
{
  PfArena *arena = pf_arena_new(text->allocator);
  Place *places = arena ? pf_arena_array(arena, Place, count) : NULL;
  if (places) {
    double left = 0, y = 0.5*MARGIN, width = LEAST_WIDTH;
    for (int i = 0; i < count; i++) cover(charts + i, &places[i].f);
    for (int i = 0, end; i < count; i = end + 1) {
      Extent e = {INFINITY, -INFINITY};
      for (end = i; end + 1 < count && charts[end].shared_x;) end++;
      for (int k = i; k <= end; k++) extend(&e, places[k].f.x.low), extend(&e, places[k].f.x.high);
      for (int k = i; k <= end; k++) places[k].f.x.low = e.low, places[k].f.x.high = e.high;
    }
    for (int i = 0; i < count; i++)
      left = fmax(left, left_room(charts + i, &places[i].f, frame_height(charts + i, count)));
    for (int i = 0; i < count; i++) {
      y = place(charts + i, places + i, left, y, count) + 0.5*MARGIN;
      width = fmax(width, places[i].f.right + fmax(charts[i].map ? COLORS_ROOM : MARGIN,
                                                   number_width(&places[i].f.x)/2 + 4));
    }
    const double wide = ceil(width), high = ceil(y);
    pf_text_print(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
                  "%.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
                  "font-size=\"%g\">\n"
                  "<style>.grid{stroke:#e4e4e4}.axis{stroke:#333}.name{font-size:%gpx}"
                  ".title{font-weight:bold}</style>\n"
                  "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", wide, high, wide, high, PF_FONT_SIZE,
                  PF_NAME_SIZE, wide, high);
    for (int i = 0; i < count; i++) put_chart(text, charts + i, places + i, i, width);
    pf_text_add(text, "</svg>\n");
  } else text->failed = true;
  pf_arena_free(arena);
}

void pf_svg_chart(PfText *text, const PfChart *chart)
{
  pf_svg_charts(text, chart, 1);
}
