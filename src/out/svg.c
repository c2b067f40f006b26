/* Charts as SVG: axes with ticks, lines, marks, a legend. */
#include "out/out.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 520, LEFT = 84, RIGHT = 24, TOP = 46, BOTTOM = 58, MOST_TICKS = 40 };

/* Okabe and Ito's palette: distinct for the colour-blind. */
static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
                                      "#808080"};

static const char *color_of(int index)
{
  return palette[(unsigned)index%(sizeof palette/sizeof *palette)];
}

static const char *dash_of(PfDash dash)
{
  static const char *const dashes[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""};
  return dashes[dash];
}

typedef struct Frame {
  double x_low, x_high, y_low, y_high; /* of the data */
  double left, right, top, bottom;     /* on the page */
  bool log_y;                          /* the data's y is the decimal logarithm */
} Frame;

static double at_x(const Frame *f, double x)
{
  return f->left + (x - f->x_low)/(f->x_high - f->x_low)*(f->right - f->left);
}

static double upright(const Frame *f, double y)
{
  return f->log_y ? log10(fabs(y)) : y;
}

static double at_y(const Frame *f, double y)
{
  return f->bottom - (upright(f, y) - f->y_low)/(f->y_high - f->y_low)*(f->bottom - f->top);
}

static void put_escaped(PfText *text, const char *s)
{
  for (; *s; s++) {
    if (*s == '<') pf_text_add(text, "&lt;");
    else if (*s == '>') pf_text_add(text, "&gt;");
    else if (*s == '&') pf_text_add(text, "&amp;");
    else if ((unsigned char)*s >= ' ') pf_text_put(text, s, 1);
  }
}

/* ---------------------------------------------------------------- the range */

static void widen(double *low, double *high)
{
  if (!(*low <= *high)) *low = 0, *high = 1;
  double size = *high - *low, least = 1e-9*fmax(fabs(*low), fabs(*high)); /* less is rounding */
  if (!(size > least)) size = fmax(fabs(*high), 1);
  *low -= 0.05*size;
  *high += 0.05*size;
}

static void find_range(const PfChart *c, Frame *f)
{
  f->x_low = f->y_low = INFINITY;
  f->x_high = f->y_high = -INFINITY;
  for (int s = 0; s < c->count; s++)
    for (int i = 0; i < c->series[s].count; i++) {
      double x = c->series[s].x[i], y = upright(f, c->series[s].y[i]);
      if (!isfinite(x) || !isfinite(y)) continue;
      f->x_low = fmin(f->x_low, x), f->x_high = fmax(f->x_high, x);
      f->y_low = fmin(f->y_low, y), f->y_high = fmax(f->y_high, y);
    }
  widen(&f->x_low, &f->x_high);
  widen(&f->y_low, &f->y_high);
  if (c->given) f->x_low = c->x_low, f->x_high = c->x_high, f->y_low = c->y_low, f->y_high = c->y_high;
}

/* The axis with the shorter unit gets more room around its data. */
static void make_equal(Frame *f)
{
  double x = (f->x_high - f->x_low)/(f->right - f->left), y = (f->y_high - f->y_low)/(f->bottom - f->top);
  double extra_x = (y/x - 1)*(f->x_high - f->x_low)/2, extra_y = (x/y - 1)*(f->y_high - f->y_low)/2;
  if (extra_x > 0) f->x_low -= extra_x, f->x_high += extra_x;
  if (extra_y > 0) f->y_low -= extra_y, f->y_high += extra_y;
}

/* ---------------------------------------------------------------- axes */

/* 1, 2 or 5 times a power of ten, so that there are about six ticks. */
static double tick_step(double size)
{
  double raw = size/6, power = pow(10, floor(log10(raw))), part = raw/power;
  return power*(part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void put_number(PfText *text, double value, double step)
{
  if (fabs(value) < 1e-9*step) value = 0;
  pf_text_print(text, "%.6g", value);
}

static void put_x_axis(PfText *text, const Frame *f, const char *label)
{
  double step = tick_step(f->x_high - f->x_low), first = ceil(f->x_low/step);
  for (int k = 0; k < MOST_TICKS && (first + k)*step <= f->x_high; k++) {
    double x = at_x(f, (first + k)*step);
    pf_text_print(text, "<path d=\"M%.2f %.2fV%.2f\" class=\"grid\"/>", x, f->top, f->bottom);
    pf_text_print(text, "<path d=\"M%.2f %.2fv6\" class=\"axis\"/>", x, f->bottom);
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">", x, f->bottom + 20);
    put_number(text, (first + k)*step, step);
    pf_text_add(text, "</text>\n");
  }
  pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" class=\"name\">", (f->left + f->right)/2,
                f->bottom + 44);
  put_escaped(text, label);
  pf_text_add(text, "</text>\n");
}

static void put_y_axis(PfText *text, const Frame *f, const char *label)
{
  double step = tick_step(f->y_high - f->y_low), first = ceil(f->y_low/step), middle = (f->top + f->bottom)/2;
  for (int k = 0; k < MOST_TICKS && (first + k)*step <= f->y_high; k++) {
    double y = f->bottom - ((first + k)*step - f->y_low)/(f->y_high - f->y_low)*(f->bottom - f->top);
    pf_text_print(text, "<path d=\"M%.2f %.2fH%.2f\" class=\"grid\"/>", f->left, y, f->right);
    pf_text_print(text, "<path d=\"M%.2f %.2fh-6\" class=\"axis\"/>", f->left, y);
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">", f->left - 10, y + 4.5);
    if (f->log_y) pf_text_add(text, "1e");
    put_number(text, (first + k)*step, step);
    pf_text_add(text, "</text>\n");
  }
  pf_text_print(text,
                "<text x=\"20\" y=\"%.2f\" text-anchor=\"middle\" class=\"name\" transform=\"rotate(-90 20 %.2f)\">",
                middle, middle);
  put_escaped(text, label);
  pf_text_add(text, "</text>\n");
}

/* ---------------------------------------------------------------- series */

static void put_mark(PfText *text, PfMarkShape shape, int color, double x, double y)
{
  const char *c = color_of(color);
  switch (shape) {
  case PF_MARK_DOT: pf_text_print(text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.6\" fill=\"%s\"/>", x, y, c); break;
  case PF_MARK_CIRCLE:
    pf_text_print(text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\" fill=\"%s\" stroke=\"#fff\"/>", x, y, c);
    break;
  case PF_MARK_SQUARE:
    pf_text_print(text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"9\" height=\"9\" fill=\"%s\" stroke=\"#fff\"/>", x - 4.5,
                  y - 4.5, c);
    break;
  case PF_MARK_TRIANGLE:
    pf_text_print(text, "<path d=\"M%.2f %.2fl5.5 9.5h-11z\" fill=\"%s\" stroke=\"#fff\"/>", x, y - 6, c);
    break;
  default: break;
  }
}

/* Far outside points would make numbers that no viewer can read. */
static double inside(double x)
{
  return fmax(-1e5, fmin(1e5, x));
}

static void put_line(PfText *text, const Frame *f, const PfSeries *s)
{
  bool pen = false;
  pf_text_add(text, "<path d=\"");
  for (int i = 0; i < s->count; i++) {
    bool good = isfinite(s->x[i]) && isfinite(upright(f, s->y[i]));
    if (good) pf_text_print(text, "%c%.2f %.2f", pen ? 'L' : 'M', inside(at_x(f, s->x[i])), inside(at_y(f, s->y[i])));
    pen = good;
  }
  pf_text_print(text, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s/>\n",
                color_of(s->color), dash_of(s->dash));
}

static void put_series(PfText *text, const Frame *f, const PfSeries *s)
{
  if (s->mark == PF_MARK_NONE) {
    put_line(text, f, s);
    return;
  }
  for (int i = 0; i < s->count; i++)
    if (isfinite(s->x[i]) && isfinite(upright(f, s->y[i])))
      put_mark(text, s->mark, s->color, inside(at_x(f, s->x[i])), inside(at_y(f, s->y[i])));
  pf_text_add(text, "\n");
}

/* ---------------------------------------------------------------- legend */

static bool is_first(const PfChart *c, int s)
{
  if (!c->series[s].label) return false;
  for (int i = 0; i < s; i++)
    if (c->series[i].label && !strcmp(c->series[i].label, c->series[s].label)) return false;
  return true;
}

/* In one row above the frame. */
static void put_legend(PfText *text, const PfChart *c, const Frame *f)
{
  double x = f->left, y = f->top - 12;
  for (int s = 0; s < c->count; s++) {
    const PfSeries *series = c->series + s;
    if (!is_first(c, s)) continue;
    if (series->mark == PF_MARK_NONE)
      pf_text_print(text, "<path d=\"M%.2f %.2fh26\" stroke=\"%s\" stroke-width=\"2\"%s/>", x, y - 4,
                    color_of(series->color), dash_of(series->dash));
    else put_mark(text, series->mark, series->color, x + 13, y - 4);
    pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\">", x + 31, y);
    put_escaped(text, series->label);
    pf_text_add(text, "</text>\n");
    x += 48 + 7.2*(double)strlen(series->label);
  }
}

static void put_chart(PfText *text, const PfChart *c, int index)
{
  Frame f = {.left = LEFT, .right = WIDTH - RIGHT, .top = index*HEIGHT + TOP + 20, .bottom = (index + 1)*HEIGHT - BOTTOM,
             .log_y = c->log_y};
  find_range(c, &f);
  if (c->equal) make_equal(&f);
  if (c->given)
    pf_text_print(text,
                  "<clipPath id=\"frame%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n",
                  index, f.left, f.top, f.right - f.left, f.bottom - f.top);
  put_x_axis(text, &f, c->x_label);
  put_y_axis(text, &f, c->y_label);
  if (c->given) pf_text_print(text, "<g clip-path=\"url(#frame%d)\">\n", index);
  else pf_text_add(text, "<g>\n");
  for (int s = 0; s < c->count; s++) put_series(text, &f, c->series + s);
  pf_text_print(text,
                "</g>\n<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" stroke=\"#333\"/>\n",
                f.left, f.top, f.right - f.left, f.bottom - f.top);
  pf_text_print(text, "<text x=\"%.2f\" y=\"%d\" class=\"title\">", f.left, index*HEIGHT + 26);
  put_escaped(text, c->title);
  pf_text_add(text, "</text>\n");
  put_legend(text, c, &f);
}

void pf_svg_charts(PfText *text, const PfChart *charts, int count)
{
  int height = count*HEIGHT;
  pf_text_print(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\">\n"
                "<style>.grid{stroke:#e4e4e4}.axis{stroke:#333}.name{font-size:15px}"
                ".title{font-size:16px;font-weight:bold}</style>\n"
                "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height, WIDTH, height, WIDTH, height);
  for (int i = 0; i < count; i++) put_chart(text, charts + i, i);
  pf_text_add(text, "</svg>\n");
}

void pf_svg_chart(PfText *text, const PfChart *chart)
{
  pf_svg_charts(text, chart, 1);
}
