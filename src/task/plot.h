/* SPDX-License-Identifier: Apache-2.0 */
/* What 'pfaff plot' shows: trajectories, and panels of their columns. */
#ifndef PF_TASK_PLOT_H
#define PF_TASK_PLOT_H

#include "task/table.h"

enum { MOST_PANELS = 16, MOST_CURVES = 48, MOST_SOURCES = 32 };

/* One trajectory: from a file, or of a model by a method. */
typedef struct Source {
  Table table;
  const char *label;  /* distinguishes it from the others */
  const char *path;
  const char *method; /* by which the model was run; NULL: by its own, or it is a table */
  Session *session;   /* of the file */
} Source;

typedef struct Curve {
  int source, column, against; /* columns of that source */
  int name;                    /* curves of one name have one colour */
} Curve;

typedef struct Panel {
  int count, names;
  Curve curve[MOST_CURVES];
  const char *against; /* a name; NULL: the first column */
} Panel;

typedef struct Plot {
  const PfRequest *options;
  PfContext *ctx; /* of the first session */
  PfArena *arena;
  int session_count;
  Session session[MOST_FILES + 1]; /* one per file, with or without a model, and one for 'minus' */
  int source_count;
  Source source[MOST_SOURCES];
  const PfModel *model; /* of the first file; NULL: a table */
  const char *minus;    /* the subtracted source, for the title; NULL: none */
  bool interpolated, between; /* the subtrahend, from rows of a table; a run, between its steps */
  int count;
  Panel panel[MOST_PANELS];
  int wide, high;  /* of a panel in the terminal, in characters; 0: as usual */
  double from, to; /* the times on its horizontal axis; both 0: those of the rows */
} Plot;

/* Reads files and runs models (plot_sources.c). */
PfStatus pf_plot_load(Plot *plot);
/* The source becomes its difference to the table. */
PfStatus pf_plot_subtract(Plot *plot, Source *source, Table *table);
void pf_plot_free(Plot *plot);

/* The panels: what 'show' says, or the model, or else the first columns. */
PfStatus pf_plot_choose(Plot *plot);
/* The same before there are rows, which are not looked at. */
PfStatus pf_plot_panels(Plot *plot);

const char *pf_plot_name(const Plot *plot, const Curve *curve);
const char *pf_plot_unit(const Plot *plot, const Curve *curve);
double pf_plot_x(const Plot *plot, const Curve *curve, int row);
double pf_plot_y(const Plot *plot, const Curve *curve, int row);
/* Changes up to this are rounding, for the curves of the panel. */
double pf_plot_noise(const Plot *plot, const Panel *panel);

/* As charts (plot_chart.c), and in the terminal (plot_text.c). */
PfStatus pf_plot_svg(const Plot *plot, PfText *text);
void pf_plot_print(const Plot *plot, PfText *text);

/* A result of 'pfaff sweep', which has pictures of its own (plot_sweep.c). */
bool pf_plot_is_sweep(const char *path);
PfStatus pf_plot_sweep(PfContext *ctx, PfArena *arena, const PfRequest *options);
/* Statistics of one that kept no rows (plot_statistics.c). */
/* A staircase, filled down to nothing: the series and the range of a chart. */
PfStatus pf_plot_stairs(PfContext *ctx, PfArena *arena, const double *x, const double *y, int count, PfChart *chart);
bool pf_plot_is_statistics(const char *path);
PfStatus pf_plot_statistics(PfContext *ctx, PfArena *arena, const PfRequest *options);

#endif
