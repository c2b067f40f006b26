/* SPDX-License-Identifier: Apache-2.0 */
/* When samples of a run are due. */
#ifndef PF_TIME_SAMPLES_H
#define PF_TIME_SAMPLES_H

#include "time/phase_driver.h"

/* Which samples are wanted, and how far they have been given. */
typedef struct PfSampler {
  double every;    /* at multiples; 0: at the ends of steps, */
  const double *at; /* or, when not NULL, at these times */
  int at_count;
  int pieces;      /* with `at`: and each step in so many pieces */
  int piece;       /* of the step that is looked at */
  double from;     /* where it began */
  double start, end; /* of all samples */
  double least;    /* between two that are not planned by their time */
  int next_at;     /* index in `at` */
  long next_every; /* multiple of `every` */
  long served;     /* moves of the motion whose samples have all been given */
  bool any;
  double last;     /* time of the latest one, if any */
} PfSampler;

/* Samples up to t_end; `options` says which. */
PfStatus pf_sampler_make(PfContext *ctx, const PfRunOptions *options, double start, PfSampler *sampler);
/* The next sample that is due by the latest move of the motion: false when there is none. Around an event there are two
 * at one time; the stop by a condition has one, and so has the end when samples are taken at multiples. */
bool pf_sampler_next(PfSampler *sampler, const PfDriver *motion, double *t);

#endif
