/* SPDX-License-Identifier: Apache-2.0 */
/* Real time: the end of each step is handed on when the clock shows its time. A step that is not ready by then is a
 * miss; the deadlines stay where they are, so that a late run catches up. */
#include "task/run.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { DEFAULT_RATE = 1000, MOST_STEPS = 100000000 };

/* ---------------------------------------------------------------- setting up */

static PfStatus choose_method(Session *s, const PfRequest *options, PfRunOptions *settings)
{
  const PfMethod *method = settings->method ? pf_method_find(settings->method) : NULL;
  if (method && pf_method_has_fixed_step(method)) return PF_OK;
  if (options->method && method) {
    pf_fail(s->ctx, PF_ERR_ARGUMENT, "@real_time: the steps of %s have no fixed length", settings->method);
    pf_hint(s->ctx, "use rk4, generalized_alpha, rattle or discrete_gradient");
    return PF_ERR_ARGUMENT;
  }
  if (!options->method) settings->method = "rk4"; /* an unknown name is left to the run, which says so */
  return PF_OK;
}

PfStatus pf_pace_prepare(Session *s, const PfRequest *options, double t0, PfRunOptions *settings, Pace *pace)
{
  *pace = (Pace){.t0 = t0};
  if (!options->real_time) return PF_OK;
  /* The step: by the rate, by the settings, or the usual one. */
  double rate = DEFAULT_RATE;
  if (!isnan(options->rate)) {
    rate = options->rate;
    if (rate > 1e6)
      return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@rate: %g steps per second are too many, a million is the most", rate);
  } else if (settings->step > 0) {
    rate = 1/settings->step;
  }
  settings->step = 1/rate;
  PF_TRY(choose_method(s, options, settings));
  double steps = ceil((settings->t_end - t0)/settings->step) + 2;
  if (!(steps < MOST_STEPS)) return pf_fail(s->ctx, PF_ERR_LIMIT, "%.3g steps in real time are too many", steps);
  pace->period = settings->step;
  pace->room = (long)steps;
  pace->late = pf_arena_array(s->arena, float, steps);
  return pace->late ? PF_OK : pf_no_room(s->ctx, "the times of the steps");
}

/* ---------------------------------------------------------------- keeping pace */

/* Sleeps, and measures by how much the wake-up is late: some microseconds with a real-time priority, otherwise more.
 * The effect of a rare long delay fades again. */
static double sleep_and_learn(Pace *pace, double now, double seconds)
{
  struct timespec rest = {.tv_sec = (time_t)seconds};
  rest.tv_nsec = (long)((seconds - (double)rest.tv_sec)*1e9);
  (void)nanosleep(&rest, NULL); /* a signal may cut it short: then the clock is read more often */
  double awake = pf_clock(), late = awake - now - seconds;
  pace->margin = fmin(fmax(2*late, fmax(0.99*pace->margin, 1e-5)), 3e-4);
  return awake;
}

/* Sleeps most of the way; for the rest the clock is polled. Sleeping also leaves the processor to other processes, as
 * systems require of processes with a real-time priority. */
static double wait_until(Pace *pace, double deadline)
{
  double now = pf_clock();
  while (deadline - now > 1.5*pace->margin) now = sleep_and_learn(pace, now, deadline - now - pace->margin);
  while (now < deadline) now = pf_clock();
  return now;
}

void pf_pace_begin(Pace *pace)
{
  enum { TRIALS = 20 };
  for (long i = 0; i < pace->room; i++) pace->late[i] = 0; /* the pages are there before they are needed */
  for (int i = 0; i < TRIALS && pace->period > 0; i++) (void)sleep_and_learn(pace, pf_clock(), 5e-5);
  pace->begin = pace->resumed = pf_clock();
}

void pf_pace_step(Pace *pace, double t)
{
  double ready = pf_clock(), deadline = pace->begin + (t - pace->t0), busy = ready - pace->resumed;
  pace->busy += busy;
  if (busy > pace->longest) pace->longest = busy;
  if (ready > deadline) pace->missed++;
  pace->resumed = ready < deadline ? wait_until(pace, deadline) : ready;
  if (pace->steps < pace->room) pace->late[pace->steps++] = (float)(pace->resumed - deadline);
}

/* ---------------------------------------------------------------- the report */

static int compare(const void *a, const void *b)
{
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static const struct {
  const char *key, *words;
  double part;
} percentiles[] = {{"p50", "p50", 0.5}, {"p99", "p99", 0.99}, {"p99_9", "p99.9", 0.999}, {"max", "at most", 1}};
enum { PERCENTILES = sizeof percentiles/sizeof *percentiles };

static const PfField jitter_fields[] = {
  PF_FIELD("p50", NUMBER, "half of the steps were handed on no later than this"),
  PF_FIELD("p99", NUMBER, "99 percent of them"),
  PF_FIELD("p99_9", NUMBER, "99.9 percent of them"),
  PF_FIELD("max", NUMBER, "all of them"),
  {0}};

const PfField pf_pace_fields[] = {
  PF_FIELD("rate", NUMBER, "steps per second"),
  PF_FIELD("steps", INTEGER, "steps that were handed on"),
  PF_FIELD("missed", INTEGER, "steps that were not ready at their deadline"),
  PF_FIELD("mean_seconds", NUMBER, "mean computing time of a step"),
  PF_FIELD("longest_seconds", NUMBER, "longest computing time of a step"),
  PF_FIELD_RECORD("jitter", jitter_fields, "delays after the deadline, in s"),
  {0}};

void pf_pace_report(Pace *pace, PfReport *report)
{
  if (pace->period == 0 || pace->steps == 0) return;
  double mean = pace->busy/(double)pace->steps;
  qsort(pace->late, (size_t)pace->steps, sizeof *pace->late, compare);
  pf_report_open(report, "real_time");
  pf_report_number(report, "rate", 1/pace->period);
  pf_report_integer(report, "steps", pace->steps);
  pf_report_integer(report, "missed", pace->missed);
  pf_report_number(report, "mean_seconds", mean);
  pf_report_number(report, "longest_seconds", pace->longest);
  pf_report_print(report, "  real time           %.6g steps per second, %ld of %ld deadlines missed\n",
                  1/pace->period, pace->missed, pace->steps);
  pf_report_print(report, "  computing           %.3g us per step, at most %.3g us (%.3g%% of the time)\n", 1e6*mean,
                  1e6*pace->longest, 100*mean/pace->period);
  pf_report_print(report, "  jitter             ");
  pf_report_open(report, "jitter");
  for (int i = 0; i < PERCENTILES; i++) {
    /* Of the sorted times: the smallest that `part` of them do not exceed. */
    long index = (long)ceil(percentiles[i].part*(double)pace->steps) - 1;
    double late = (double)pace->late[index < 0 ? 0 : index];
    pf_report_number(report, percentiles[i].key, late);
    pf_report_print(report, "%s %s %.3g us", i ? "," : "", percentiles[i].words, 1e6*late);
  }
  pf_report_close(report);
  pf_report_close(report);
  pf_report_print(report, "\n");
}
