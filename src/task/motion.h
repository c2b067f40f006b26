/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation of a command: the model placed and started as the options say, its motion sample by sample. */
#ifndef PF_TASK_MOTION_H
#define PF_TASK_MOTION_H

#include "task/task.h"

typedef struct Motion {
  Session *s;
  const PfRequest *options;
  Session complete;      /* with the model that gives the order of samples */
  PfSim *sim;
  PfRunOptions settings; /* of the model and the command line; changes hold from pf_motion_start on */
  PfStart start;
  double t0;
  double seconds;        /* that starting took */
  int *coordinate, *constraint; /* of the model: where they stand in a sample */
} Motion;

/* Makes the start consistent (with the warnings that belong to it) and finds the settings. Close it also when this
 * fails. */
PfStatus pf_task_place(Motion *motion, Session *session, const PfRequest *options);
PfStatus pf_task_begin(Motion *motion);
void pf_task_end(Motion *motion);

/* A sample in the order of the model at the start, which has less than the complete one. `v` and `multiplier`
 * may be NULL. */
void pf_task_pick(const Motion *motion, const PfSample *sample, double *q, double *v, double *multiplier);

/* From the start to the end, with a call for each sample and, unless `after` is NULL, for each step, to the time t. One
 * that fails ends the motion, as a signal does. PF_OK also when the motion ends early: result->end says why. */
typedef PfStatus TakeSample(void *user, const PfSample *sample);
typedef PfStatus TakeStep(void *user, double t);
PfStatus pf_task_move(Motion *motion, TakeSample *take, TakeStep *after, void *user, PfRunResult *result);

#endif
