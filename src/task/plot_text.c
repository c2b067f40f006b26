/* SPDX-License-Identifier: Apache-2.0 */
/* Plots in the terminal. */
#include "task/plot.h"

#include "out/axis.h"

#include <math.h>
#include <string.h>

enum { USUAL_WIDTH = 72, USUAL_HEIGHT = 18, MOST_WIDE = 300, MOST_HIGH = 100 };

static const char marks[] = "*+ox#@%&=~^s";

static char mark_of(int curve)
{
  return marks[curve%(int)(sizeof marks - 1)];
}

typedef struct Canvas {
  PfAxis x, y;
  int wide, high;
  char rows[MOST_HIGH][MOST_WIDE + 1];
} Canvas;

static int within(int asked, int usual, int most)
{
  return !asked ? usual : asked < most ? asked : most;
}

/* Ranges as in pictures; columns and rows of the canvas are the places on the page. */
static void find_ranges(const Plot *p, const Panel *panel, Canvas *c)
{
  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
  c->y.log = p->options->log;
  for (int k = 0; k < panel->count; k++)
    for (int r = 0; r < pf_table_rows(&p->source[panel->curve[k].source].table); r++) {
      double x = pf_axis_value(&c->x, pf_plot_x(p, panel->curve + k, r)),
             y = pf_axis_value(&c->y, pf_plot_y(p, panel->curve + k, r));
      if (isnan(x) || isnan(y)) continue;
      left = fmin(left, x), right = fmax(right, x);
      low = fmin(low, y), high = fmax(high, y);
    }
  if (p->to > p->from && !panel->against) left = p->from, right = p->to;
  pf_axis_cover(&c->x, left, right, 0, PF_ROOM_NONE);
  pf_axis_cover(&c->y, low, high, pf_plot_noise(p, panel), PF_ROOM_NONE);
  c->x.first = 0, c->x.last = c->wide - 1;
  c->y.first = c->high - 1, c->y.last = 0;
}

static void draw_curve(const Plot *p, const Curve *curve, char mark, Canvas *c)
{
  for (int r = 0; r < pf_table_rows(&p->source[curve->source].table); r++) {
    double x = pf_axis_at(&c->x, pf_plot_x(p, curve, r)), y = pf_axis_at(&c->y, pf_plot_y(p, curve, r));
    if (isnan(x) || isnan(y)) continue;
    long i = lround(x), j = lround(y);
    if (i >= 0 && i < c->wide && j >= 0 && j < c->high) c->rows[j][i] = mark;
  }
}

static void put_name(PfText *text, const char *name, const char *unit)
{
  pf_put_printable(text, name);
  if (!unit[0]) return;
  pf_text_add(text, " [");
  pf_put_printable(text, unit);
  pf_text_add(text, "]");
}

static void put_panel(const Plot *p, const Panel *panel, PfText *text)
{
  Canvas c = {.wide = within(p->wide, USUAL_WIDTH, MOST_WIDE), .high = within(p->high, USUAL_HEIGHT, MOST_HIGH)};
  memset(c.rows, ' ', sizeof c.rows);
  for (int j = 0; j < c.high; j++) c.rows[j][c.wide] = 0;
  find_ranges(p, panel, &c);
  for (int k = 0; k < panel->count; k++) draw_curve(p, panel->curve + k, mark_of(k), &c);
  /* The legend. */
  pf_text_add(text, "\n ");
  for (int k = 0; k < panel->count; k++) {
    const Curve *curve = panel->curve + k;
    pf_text_print(text, "  %c ", mark_of(k));
    put_name(text, pf_plot_name(p, curve), pf_plot_unit(p, curve));
    if (p->source_count == 1) continue;
    pf_text_add(text, " ");
    pf_put_printable(text, p->source[curve->source].label);
  }
  for (int j = 0; j < c.high; j++) {
    char label[16] = "";
    if (j == 0 || j == c.high - 1) snprintf(label, sizeof label, c.y.log ? "1e%.0f" : "%.4g", j ? c.y.low : c.y.high);
    pf_text_print(text, "\n%11s |%s", label, c.rows[j]);
  }
  /* The axis below, its ends, and its name. */
  const Table *first = &p->source[panel->curve[0].source].table;
  const int left = c.wide*5/12;
  pf_text_print(text, "\n%11s +", "");
  for (int i = 0; i < c.wide; i++) pf_text_put(text, "-", 1);
  pf_text_print(text, "\n%11s  %-*.4g%*.4g\n%11s  %*s", "", left, c.x.low, c.wide - left, c.x.high, "", c.wide*4/9,
                "");
  put_name(text, first->names[panel->curve[0].against], first->units[panel->curve[0].against]);
  pf_text_add(text, "\n");
}

void pf_plot_print(const Plot *p, PfText *text)
{
  if (p->minus) {
    pf_text_add(text, "\ndifference to ");
    pf_put_printable(text, p->minus);
    pf_text_add(text, p->interpolated ? ", interpolated by cubics\n" : p->between ? ", interpolated\n" : "\n");
  }
  for (int i = 0; i < p->count; i++) put_panel(p, p->panel + i, text);
}
