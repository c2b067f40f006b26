/* SPDX-License-Identifier: Apache-2.0 */
/* Motions by SUNDIALS called from C, on equations written by hand: what a careful user would do without Pfaff. */
#ifndef PF_BENCH_RUN_PEERS_H
#define PF_BENCH_RUN_PEERS_H

#include <stdbool.h>

enum { MOST_COORDINATES = 8 };

/* Coordinates at some instants, from tests/reference. */
typedef struct Reference {
  int n, count;
  double *t, *q; /* count, count x n */
} Reference;

typedef struct Case {
  const char *model;
  double push;      /* snakeboard: F */
  double t_end;
  Reference reference;
} Case;

/* One motion: its cost, and the largest error of a coordinate at the instants of the reference. */
typedef struct Figures {
  double seconds, error;
  long steps, rejected, evaluations;
} Figures;

typedef enum Task {
  TASK_ERROR, /* stops for a look at each instant; seconds are not measured */
  TASK_TIME   /* straight to the end; no error */
} Task;

/* One motion by a contender. False when it fails, or the contender is not there. */
typedef bool (*Mover)(const Case *c, double rtol, double atol, Task task, Figures *figures);

/* free_floating, omni_robot */
bool move_by_arkode(const Case *c, double rtol, double atol, Task task, Figures *figures);
bool move_by_ida(const Case *c, double rtol, double atol, Task task, Figures *figures);    /* snakeboard */
bool move_by_adams(const Case *c, double rtol, double atol, Task task, Figures *figures);  /* snakeboard */

double seconds_now(void); /* of the processor */
/* Takes the miss of q at instant i of the reference into account. */
void note_error(const Reference *reference, int i, const double *q, Figures *figures);

#endif
