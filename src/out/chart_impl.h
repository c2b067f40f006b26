/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that draw a chart. */
#ifndef PF_OUT_CHART_IMPL_H
#define PF_OUT_CHART_IMPL_H

#include "out/axis.h"
#include "out/chart.h"

/* The style, in pixels. */
#define PF_FONT_SIZE 13.0
#define PF_NAME_SIZE 15.0
#define PF_TITLE_SIZE 16.0

/* Where a chart stands on the page. */
typedef struct PfFrame {
  PfAxis x, y;
  double left, right, top, bottom;
} PfFrame;

/* The colour of a series as "#rrggbb"; see PfSeries.color. */
const char *pf_palette(int index);

/* Lines, marks and bars inside the frame (series.c). */
void pf_svg_series(PfText *text, const PfFrame *frame, const PfSeries *series);
/* Horizontal bars with names and numbers. */
void pf_svg_bars(PfText *text, const PfFrame *frame, const PfBar *bars, int count);

/* The legend (legend.c): in rows of the width, beginning at x; y is the line of the first row. */
enum { PF_LEGEND_ROW = 20 };
/* How many rows the legend takes; 0 without labels. */
int pf_legend_rows(const PfChart *chart, double width);
/* Writes it. */
void pf_svg_legend(PfText *text, const PfChart *chart, double width, double x, double y);
/* One mark with its centre at x, y. */
void pf_svg_mark(PfText *text, PfMarkShape shape, const char *color, double x, double y);
/* The attribute stroke-dasharray of a line, "" for a solid one. */
const char *pf_svg_dash(PfDash dash);

#endif
