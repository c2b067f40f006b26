/* Samples along a run, and what is summed up at the ends of steps. */
#ifndef PF_TIME_SAMPLES_H
#define PF_TIME_SAMPLES_H

#include "time/time_impl.h"

typedef struct PfSampler {
  int next_at;       /* index in options.at */
  long next_every;   /* multiple of options.every */
  double *y, *dy;    /* 2n */
  double *end;       /* 2n: where a step was cut short */
  double last;       /* time of the latest sample; NaN: none yet */
} PfSampler;

/* Where a step ends for those who look at it: at its own end, or where it was cut short. */
typedef struct PfStepCut {
  double t;
  const double *y;
  bool inside;
} PfStepCut;

/* One sample at (t, y), which need not be the end of a step. */
PfStatus pf_sample_emit(PfMotionRun *run, PfSampler *s, double t, const double *y, double balance);
/* All samples up to the end of the step. */
PfStatus pf_sample_due(PfMotionRun *run, PfSampler *s, PfStepCut end, double balance);
/* The stop of the whole run, or its end when samples are taken at multiples: a last sample stands there. */
PfStatus pf_sample_last(PfMotionRun *run, PfSampler *s);

/* Adds the work of the forces without potential over the step. */
void pf_sample_work(PfMotionRun *run, PfSampler *s, PfStepCut end);
/* Energy and violations at the end of the step; returns the balance of energy and work since the start. */
double pf_sample_statistics(PfMotionRun *run, PfStepCut end);

#endif
