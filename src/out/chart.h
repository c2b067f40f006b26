/* SPDX-License-Identifier: Apache-2.0 */
/* Charts: lines, marks and bars over axes, as SVG, and by librsvg as PNG and PDF. All pictures of the program have this
 * style. */
#ifndef PF_OUT_CHART_H
#define PF_OUT_CHART_H

#include "out/label.h"

/* The last three are hollow: marks that lie on each other are seen. */
typedef enum PfMarkShape {
  PF_MARK_NONE, PF_MARK_DOT, PF_MARK_CIRCLE, PF_MARK_SQUARE, PF_MARK_TRIANGLE, PF_MARK_RING, PF_MARK_BOX, PF_MARK_PEAK
} PfMarkShape;
typedef enum PfDash { PF_DASH_SOLID, PF_DASH_DASHED, PF_DASH_DOTTED } PfDash;

/* One line or set of marks. A number that is not finite interrupts a line. */
typedef struct PfSeries {
  int count;
  const double *x, *y;
  const double *low;   /* the area between it and y is filled, in a pale colour and without a line; NULL: a line */
  const char *label;   /* in the legend; NULL: not there. Series with the same label and note share an entry */
  const char *note;    /* after it, as it is: a file, a method; alone when there is no label */
  int color;           /* of a palette that is safe for the colour-blind: 0 blue, 1 red, 2 green, 3 purple, 4 orange,
                          5 sky, 6 black, 7 grey */
  PfDash dash;
  PfMarkShape mark;    /* PF_MARK_NONE: a line */
  bool joined;         /* marks with a line through them */
  bool directed;       /* a line with arrow heads along it */
} PfSeries;

/* A bar from the left; one that cannot be drawn has a reason instead. */
typedef struct PfBar {
  const char *label, *why_not;
  double value;
} PfBar;

struct PfMapCells;   /* map.h */

typedef struct PfChart {
  const char *title, *x_label, *y_label; /* names of quantities with units, or words; NULL: none */
  int count;
  const PfSeries *series;
  int bar_count;       /* with bars there are no series, and no y axis */
  const PfBar *bars;
  const struct PfMapCells *map; /* fills the range below, which is given; its bar stands right of the frame */
  PfContext *ctx;      /* for a map */
  bool given;          /* the range below holds; else it follows from the series */
  double x_low, x_high, y_low, y_high;
  double noise;        /* changes of y up to this are rounding */
  bool equal;          /* one unit has the same length on both axes: the frame takes the shape of the data */
  bool log_x, log_y;   /* decades; magnitudes are shown, and zeros left out */
  bool whole;          /* both axes count: no fractions at their ticks */
  bool shared_x;       /* the same horizontal axis as the next chart, which bears the numbers */
} PfChart;

/* Appends charts below each other as one SVG text; the text is marked as failed without memory. O(points). */
void pf_svg_charts(PfText *text, const PfChart *charts, int count);
/* The same of one chart. */
void pf_svg_chart(PfText *text, const PfChart *chart);

/* ---------------------------------------------------------------- files (picture.c, render.c) */

typedef enum PfPictureKind { PF_PICTURE_NONE, PF_PICTURE_SVG, PF_PICTURE_PNG, PF_PICTURE_PDF } PfPictureKind;

/* The kind of an ending without its dot: "svg", "png", "pdf". */
PfPictureKind pf_picture_kind(const char *ending);
/* Can it be made here, with that library (PF_RENDER_LIBRARY)? Fails with PF_ERR_MISSING and says what to do, before
 * anything is computed. */
PfStatus pf_picture_check(PfContext *ctx, const char *path, PfPictureKind kind, const char *library);

/* The library for PNG and PDF, as the system's loader knows it: loaded when it is needed and not before. */
#ifdef __APPLE__
#define PF_RENDER_LIBRARY "librsvg-2.2.dylib"
#else
#define PF_RENDER_LIBRARY "librsvg-2.so.2"
#endif
/* Fails with PF_ERR_MISSING when the library cannot be loaded. */
PfStatus pf_render_check(PfContext *ctx, const char *library);
/* Appends the bytes of a PNG (two pixels for one) or PDF file made from the SVG text of charts. Fails with
 * PF_ERR_MISSING, and with PF_ERR_FILE when the picture cannot be drawn. */
PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes);

#endif
