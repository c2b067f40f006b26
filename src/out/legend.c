/* The legend of a chart: above the frame, so that it covers nothing. */
#include "out/chart_impl.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 26, GAP = 6, BETWEEN = 18 };

/* Does the series have an entry of its own? */
static bool has_entry(const PfChart *c, int s)
{
  if (!c->series[s].label) return false;
  for (int i = 0; i < s; i++)
    if (c->series[i].label && !strcmp(c->series[i].label, c->series[s].label)) return false;
  return true;
}

static double entry_width(const PfSeries *s, double most)
{
  return fmin(most, SAMPLE + GAP + BETWEEN + pf_label_width(s->label_kind, s->label, PF_FONT_SIZE));
}

static void put_entry(PfText *text, const PfSeries *s, double x, double y, double width)
{
  if (s->mark == PF_MARK_NONE || s->joined)
    pf_text_print(text, "<path d=\"M%.2f %.2fh%d\" stroke=\"%s\" stroke-width=\"1.8\"%s/>", x, y - 4.5, SAMPLE, pf_palette(s->color),
                  pf_svg_dash(s->dash));
  pf_svg_mark(text, s->mark, pf_palette(s->color), x + SAMPLE/2.0, y - 4.5);
  pf_text_print(text, "<text x=\"%.2f\" y=\"%.2f\">", x + SAMPLE + GAP, y);
  pf_label_put(text, s->label_kind, s->label, PF_FONT_SIZE, width - SAMPLE - GAP);
  pf_text_add(text, "</text>\n");
}

/* Goes through the entries; without a text they are only counted. Returns the number of rows. */
static int lay_out(PfText *text, const PfChart *c, double width, double x0, double y)
{
  double x = 0;
  int rows = 0;
  for (int s = 0; s < c->count; s++) {
    if (!has_entry(c, s)) continue;
    double need = entry_width(c->series + s, width);
    if (!rows || x + need > width + BETWEEN) x = 0, rows++;
    if (text) put_entry(text, c->series + s, x0 + x, y + PF_LEGEND_ROW*(rows - 1), need);
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
