/* SPDX-License-Identifier: Apache-2.0 */
/* The legend of a chart: above the frame, so that it covers nothing. */
#include "out/chart_impl.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 26, GAP = 6, BETWEEN = 18 };

static bool is_same(const char *a, const char *b)
{
  return (!a && !b) || (a && b && !strcmp(a, b));
}

static double label_width(const PfSeries *s)
{
  return s->label ? pf_label_width(PF_LABEL_NAME, s->label, PF_FONT_SIZE) : 0;
}

static void put_text(PfText *text, PfLabelKind kind, const char *label, double x, double y, double most)
{
  pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\">", x, y);
  pf_label_put(text, kind, label, PF_FONT_SIZE, most);
  pf_text_add(text, "</text>\n");
}

/* The sample of a series and its label and note, beginning at (x, y), in a width that is cut where it is too small. */
static void put_entry(PfText *text, const PfSeries *s, double x, double y, double width)
{
  if (s->mark == PF_MARK_NONE || s->joined)
    pf_text_print(text, "<path d=\"M%.2f %.2fh%d\" stroke=\"%s\" stroke-width=\"1.8\"%s/>", x, y - 4.5, SAMPLE,
                  pf_palette(s->color), pf_svg_dash(s->dash));
  PfMarkShape mark = s->mark == PF_MARK_DOT ? PF_MARK_CIRCLE : s->mark; /* a single dot is hard to see */
  pf_svg_mark(text, mark, pf_palette(s->color), x + SAMPLE/2.0, y - 4.5);
  double most = width - SAMPLE - GAP, label = label_width(s);
  if (s->label) put_text(text, PF_LABEL_NAME, s->label, x + SAMPLE + GAP, y, most);
  if (s->note)
    put_text(text, PF_LABEL_PLAIN, s->note, x + SAMPLE + GAP + label + (s->label ? GAP : 0), y, fmax(most - label, 40));
}

/* Puts the entries side by side, in rows of the width; series with the same label and note share the first one's.
 * Without a text they are only counted. Returns the number of rows. */
static int lay_out(PfText *text, const PfChart *c, double width, double x0, double y)
{
  double x = 0;
  int rows = 0;
  for (int s = 0; s < c->count; s++) {
    const PfSeries *series = c->series + s;
    int first = 0;
    if (!series->label && !series->note) continue;
    while (!is_same(c->series[first].label, series->label) || !is_same(c->series[first].note, series->note)) first++;
    if (first < s) continue;
    double note = series->note ? pf_label_width(PF_LABEL_PLAIN, series->note, PF_FONT_SIZE) + GAP : 0;
    double need = fmin(width, SAMPLE + GAP + BETWEEN + label_width(series) + note);
    if (!rows || x + need > width + BETWEEN) x = 0, rows++;
    if (text) put_entry(text, series, x0 + x, y + PF_LEGEND_ROW*(rows - 1), need);
    x += need;
  }
  return rows;
}

int pf_legend_rows(const PfChart *chart, double width)
{
  return lay_out(NULL, chart, width, 0, 0);
}

void pf_svg_legend(PfText *text, const PfChart *chart, double width, double x, double y)
{
  lay_out(text, chart, width, x, y);
}
