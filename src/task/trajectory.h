/* SPDX-License-Identifier: Apache-2.0 */
/* A trajectory being written: columns, and rows as they come. */
#ifndef PF_TASK_TRAJECTORY_H
#define PF_TASK_TRAJECTORY_H

#include "task/motion.h"
#include "out/record.h"

typedef struct Trajectory {
  Session *s;
  PfRecord record;       /* the file, when there is one */
  int count;             /* columns */
  const char **names, **units;
  double *scale;         /* one of the unit in SI */
  PfExpr *exprs;
  double *row;
  PfReadings *readings;
  const PfPlot *plots;   /* what was asked for, list by list, or else what the model plots */
  int plot_count;
  const PfPlot *against; /* what was asked for as the horizontal axis; NULL: nothing */
  long rows;
} Trajectory;

/* Quantities as they are written on the command line; NULL: none. */
typedef struct Wanted {
  const char *show, *against;
  bool added; /* to the usual columns, not in their place */
} Wanted;

/* Names the columns, each with its unit: t, coordinates, velocities, accelerations, multipliers, plotted values,
 * energies, violations; or t and what is wanted. Of a motion that is started, and must stay where it is. */
PfStatus pf_trajectory_make(Trajectory *trajectory, Motion *motion, const Wanted *wanted);
/* The column of the k-th quantity of a list. */
int pf_trajectory_find(const Trajectory *trajectory, const PfPlot *list, int k);
void pf_trajectory_free(Trajectory *trajectory);

/* Rows go to that file from now on; pf_record_close(&trajectory->record) ends it, pf_record_drop lets the old one
 * be. */
PfStatus pf_trajectory_open(Trajectory *trajectory, const char *path);

/* Works out one row in the units of the columns, and writes it. Fails with PF_ERR_FILE when the disk is full. */
PfStatus pf_trajectory_add(Trajectory *trajectory, const PfSample *sample);

/* Shows a run while it goes on. The first argument is Host.watch_user. */
typedef struct RunWatch {
  /* Of a motion that is started, with the columns of the trajectory. */
  PfStatus (*begin)(void *user, Motion *motion, const Trajectory *trajectory, const PfRequest *options);
  PfStatus (*add)(void *user);           /* the row that the trajectory has just worked out */
  void (*show)(void *user, double t);    /* after a step */
  void (*end)(void *user, double t);     /* after the last one */
  void (*free)(void *user);              /* before the context of the motion is freed */
} RunWatch;

#endif
