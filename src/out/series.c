/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the frame of a chart: lines, marks, areas, arrow heads, bars. */
#include "out/chart_impl.h"

#include <math.h>

/* Okabe and Ito's palette: distinct for the colour-blind. */
const char *pf_palette(int index)
{
  static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
                                        "#808080"};
  return palette[(unsigned)index%(sizeof palette/sizeof *palette)];
}

const char *pf_svg_dash(PfDash dash)
{
  static const char *const dashes[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""};
  return dashes[dash];
}

void pf_svg_mark(PfText *text, PfMarkShape shape, const char *color, double x, double y)
{
  char style[80];
  const bool hollow = shape == PF_MARK_RING || shape == PF_MARK_BOX || shape == PF_MARK_PEAK;
  snprintf(style, sizeof style, hollow ? "fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\""
                                       : "fill=\"%s\" stroke=\"#fff\"", color);
  switch (shape) {
  case PF_MARK_NONE: break;
  case PF_MARK_DOT: pf_text_print(text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.6\" fill=\"%s\"/>", x, y, color); break;
  case PF_MARK_CIRCLE:
  case PF_MARK_RING: pf_text_print(text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4.5\" %s/>", x, y, style); break;
  case PF_MARK_SQUARE:
  case PF_MARK_BOX:
    pf_text_print(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"8\" height=\"8\" %s/>", x - 4, y - 4, style);
    break;
  case PF_MARK_TRIANGLE:
  case PF_MARK_PEAK: pf_text_print(text, "<path d=\"M%.2f %.2fl5.5 9.5h-11z\" %s/>", x, y - 6, style); break;
  }
}

/* ---------------------------------------------------------------- lines */

/* A polygon being written. Points that lie on the way between their neighbours are left out: `bounds` are the
 * directions from the last written point that pass all points since by less than the width of a hair. */
typedef struct Pen {
  PfText *text;
  bool down, waiting;
  double x, y;           /* written last */
  double next_x, next_y; /* waiting to be written */
  double low, high;      /* bounds of the direction, as angles around `middle` */
  double middle;
} Pen;

static const double hair = 0.08;

static void write_point(Pen *pen, double x, double y)
{
  pf_text_print(pen->text, "%c%.2f %.2f", pen->down ? 'L' : 'M', x, y);
  pen->down = true;
  pen->x = x, pen->y = y;
  pen->waiting = false;
}

/* The first point after a written one sets the direction. */
static void wait_for(Pen *pen, double x, double y, double distance)
{
  pen->middle = atan2(y - pen->y, x - pen->x);
  pen->high = distance > hair ? asin(hair/distance) : 4;
  pen->low = -pen->high;
  pen->next_x = x, pen->next_y = y;
  pen->waiting = true;
}

/* Adds a point to the polyline; points on a straight line within the width of a hair are left out. */
static void draw_to(Pen *pen, double x, double y)
{
  if (!pen->down) {
    write_point(pen, x, y);
    return;
  }
  double distance = hypot(x - pen->x, y - pen->y);
  if (!pen->waiting) {
    wait_for(pen, x, y, distance);
    return;
  }
  double direction = remainder(atan2(y - pen->y, x - pen->x) - pen->middle, 2*acos(-1)),
         reach = hypot(pen->next_x - pen->x, pen->next_y - pen->y);
  if (!(direction >= pen->low && direction <= pen->high && distance >= reach)) {
    write_point(pen, pen->next_x, pen->next_y);
    wait_for(pen, x, y, hypot(x - pen->x, y - pen->y));
    return;
  }
  double width = distance > hair ? asin(hair/distance) : 4;
  pen->low = fmax(pen->low, direction - width);
  pen->high = fmin(pen->high, direction + width);
  pen->next_x = x, pen->next_y = y;
}

/* Ends a stretch of the polyline. */
static void lift(Pen *pen)
{
  if (pen->waiting) write_point(pen, pen->next_x, pen->next_y);
  pen->down = false;
}

/* Points in one thin upright strip of the page are drawn as the first, the lowest, the highest and the last of them:
 * the others cannot be seen, and fast motions have many. */
typedef struct Strip {
  int count;
  double left;             /* where it begins */
  struct Point {
    double x, y;
    int order;
  } first, low, high, last;
} Strip;

static const double strip_width = 0.25;

/* Draws the points of the strip that are kept, in their order, and empties it. */
static void leave(Strip *s, Pen *pen)
{
  const struct Point *a = s->low.order < s->high.order ? &s->low : &s->high, *b = a == &s->low ? &s->high : &s->low;
  if (!s->count) return;
  draw_to(pen, s->first.x, s->first.y);
  if (a->order > 0) draw_to(pen, a->x, a->y);
  if (b->order > a->order) draw_to(pen, b->x, b->y);
  if (s->last.order > b->order) draw_to(pen, s->last.x, s->last.y);
  s->count = 0;
}

/* A polyline; of many points in one column of pixels only first, last and extremes are kept. */
static void put_line(PfText *text, const PfFrame *f, const PfSeries *s)
{
  Pen pen = {.text = text};
  Strip strip = {0};
  pf_text_add(text, "<path d=\"");
  for (int i = 0; i < s->count; i++) {
    double x = pf_axis_at(&f->x, s->x[i]), y = pf_axis_at(&f->y, s->y[i]);
    if (!isnan(x) && !isnan(y)) {
      double left = floor(x/strip_width);
      if (strip.count && left != strip.left) leave(&strip, &pen);
      struct Point here = {x, y, strip.count++};
      if (!here.order) strip = (Strip){1, left, here, here, here, here};
      if (y > strip.low.y) strip.low = here;
      if (y < strip.high.y) strip.high = here;
      strip.last = here;
      continue;
    }
    leave(&strip, &pen);
    lift(&pen);
  }
  leave(&strip, &pen);
  lift(&pen);
  pf_text_print(text, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s/>\n",
                pf_palette(s->color), pf_svg_dash(s->dash));
}

/* A point of the line in the frame, NaN elsewhere: heads are put where they are seen. */
static struct Point seen(const PfFrame *f, const PfSeries *s, int i)
{
  double x = pf_axis_at(&f->x, s->x[i]), y = pf_axis_at(&f->y, s->y[i]);
  bool inside = x >= f->left && x <= f->right && y >= f->top && y <= f->bottom;
  return inside ? (struct Point){x, y, i} : (struct Point){NAN, NAN, i};
}

/* The length of a line on the page, 0 where one of its ends is not seen. */
static double length_between(struct Point a, struct Point b)
{
  double length = hypot(b.x - a.x, b.y - a.y);
  return isnan(length) ? 0 : length;
}

/* Arrow heads in the direction in which the points follow each other, at equal lengths on the page. */
static void put_heads(PfText *text, const PfFrame *f, const PfSeries *s)
{
  const double shortest = 14, apart = 260;
  double length = 0, gone = 0;
  for (int i = 0; i + 1 < s->count; i++) length += length_between(seen(f, s, i), seen(f, s, i + 1));
  double count = fmax(1, round(length/apart)), next = length/count/2;
  if (length < shortest) return;
  for (int i = 0; i + 1 < s->count; i++) {
    struct Point a = seen(f, s, i), b = seen(f, s, i + 1);
    double piece = length_between(a, b);
    for (; piece > 0 && next < gone + piece; next += length/count) {
      double part = (next - gone)/piece, x = a.x + part*(b.x - a.x), y = a.y + part*(b.y - a.y);
      double l = hypot(b.x - a.x, b.y - a.y), ex = (b.x - a.x)/l, ey = (b.y - a.y)/l;
      pf_text_print(text, "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fZ\" fill=\"%s\"/>\n", x + 6*ex, y + 6*ey,
                    x - 4*ex - 4*ey, y - 4*ey + 4*ex, x - 4*ex + 4*ey, y - 4*ey - 4*ex, pf_palette(s->color));
    }
    gone += piece;
  }
}

void pf_svg_series(PfText *text, const PfFrame *f, const PfSeries *s)
{
  if (s->low) {
    /* Stretches that are complete, each forth along y and back along the other line. */
    pf_text_add(text, "<path d=\"");
    for (int first = 0, end; first < s->count; first = end + 1) {
      for (end = first; end < s->count && (!isnan(pf_axis_at(&f->x, s->x[end])) &&
                                           !isnan(pf_axis_at(&f->y, s->y[end])) &&
           !isnan(pf_axis_at(&f->y, s->low[end])));) end++;
      for (int i = first; i < end; i++)
        pf_text_print(text, "%c%.2f %.2f", i > first ? 'L' : 'M', pf_axis_at(&f->x, s->x[i]),
                      pf_axis_at(&f->y, s->y[i]));
      for (int i = end - 1; i >= first; i--)
        pf_text_print(text, "L%.2f %.2f", pf_axis_at(&f->x, s->x[i]), pf_axis_at(&f->y, s->low[i]));
      if (end > first) pf_text_add(text, "Z");
    }
    pf_text_print(text, "\" fill=\"%s\" fill-opacity=\"0.25\" stroke=\"none\"/>\n", pf_palette(s->color));
    return;
  }
  if (s->mark == PF_MARK_NONE || s->joined) put_line(text, f, s);
  if (s->directed) put_heads(text, f, s);
  for (int i = 0; i < s->count && s->mark != PF_MARK_NONE; i++) {
    double x = pf_axis_at(&f->x, s->x[i]), y = pf_axis_at(&f->y, s->y[i]);
    if (!isnan(x) && !isnan(y)) pf_svg_mark(text, s->mark, pf_palette(s->color), x, y);
  }
  if (s->mark != PF_MARK_NONE) pf_text_add(text, "\n");
}

/* ---------------------------------------------------------------- bars */

/* Every bar has its name on the left and its number, or why it has none, on the right. */
void pf_svg_bars(PfText *text, const PfFrame *f, const PfBar *bars, int count)
{
  double row = (f->bottom - f->top)/count;
  for (int i = 0; i < count; i++) {
    double y = f->top + row*i, end = bars[i].why_not ? f->left : pf_axis_at(&f->x, bars[i].value),
           base = y + row/2 + 4.5;
    if (isnan(end)) end = f->left;
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">", f->left - 8, base);
    pf_label_put(text, PF_LABEL_PLAIN, bars[i].label, PF_FONT_SIZE, f->left);
    pf_text_add(text, "</text>");
    if (!bars[i].why_not)
      pf_text_print(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>", f->left,
                    y + 0.2*row, fmax(0, end - f->left), 0.6*row, pf_palette(0));
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\"%s>", end + 6, base, bars[i].why_not ? " fill=\"#777\"" : "");
    if (bars[i].why_not) pf_label_put(text, PF_LABEL_PLAIN, bars[i].why_not, PF_FONT_SIZE, f->right - end - 12);
    else {
      /* In the measure of the axis: three digits, and all before the point. */
      double shown = bars[i].value/pow(10, f->x.power);
      if (isfinite(bars[i].value)) pf_text_print(text, fabs(shown) >= 100 ? "%.0f" : "%.3g", shown);
    }
    pf_text_add(text, "</text>\n");
  }
}
