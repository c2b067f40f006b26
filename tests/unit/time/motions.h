/* SPDX-License-Identifier: Apache-2.0 */
/* Systems that move: what the tests of time share. */
#ifndef PF_TESTS_MOTIONS_H
#define PF_TESTS_MOTIONS_H

#include "../../cross/references.h"

#include "time/time_impl.h"

typedef struct Moving {
  System s;
  PfSystem *system;
  int n, m;
} Moving;

static inline void open_moving(Moving *x)
{
  assert_int_equal(pf_equations_start(x->s.ctx, &x->s.eq, x->s.given, x->s.values), PF_OK);
  assert_int_equal(pf_system_new(x->s.ctx, &x->s.eq, &x->system), PF_OK);
  x->n = x->s.eq.n;
  x->m = x->s.eq.m;
}

static inline void open_text(Fixture *f, const char *text, Moving *x)
{
  read_system(f, text, &x->s);
  open_moving(x);
}

static inline void open_example(Fixture *f, const char *name, Moving *x)
{
  load_system(f, name, &x->s);
  open_moving(x);
}

static inline void open_snakeboard(Fixture *f, double push, Moving *x)
{
  load_system(f, "snakeboard", &x->s);
  set_parameter(&x->s, "F", push);
  open_moving(x);
}

static inline void close_moving(Moving *x)
{
  pf_system_free(x->system);
  pf_model_free(x->s.model);
}

/* ---------------------------------------------------------------- runs */

static inline PfRunOptions options_of(const char *method, double rtol, double t_end)
{
  PfRunOptions options = pf_run_options();
  options.method = method;
  options.rtol = rtol;
  options.t_end = t_end;
  return options;
}

/* Fails the test when the run cannot begin. */
static inline PfRunResult run_with(const Moving *x, PfRunOptions options)
{
  PfRunResult result;
  if (pf_run(x->s.ctx, x->system, x->s.values, &options, &result) != PF_OK)
    fail_msg("%s: %s", options.method, pf_context_message(x->s.ctx));
  return result;
}

enum { MOST_NUMBERS_OF_STATE = 64 };

typedef struct Last {
  int n;
  double t, q[MOST_NUMBERS_OF_STATE], v[MOST_NUMBERS_OF_STATE];
} Last;

static inline PfStatus keep_last(void *user, const PfSample *sample)
{
  Last *last = user;
  last->t = sample->t;
  memcpy(last->q, sample->q, (size_t)last->n*sizeof *last->q);
  memcpy(last->v, sample->v, (size_t)last->n*sizeof *last->v);
  return PF_OK;
}

/* Runs to the end and keeps the state there. */
static inline PfRunResult run_to_end(const Moving *x, PfRunOptions options, Last *last)
{
  assert_true(x->n <= MOST_NUMBERS_OF_STATE);
  *last = (Last){.n = x->n};
  options.at = &options.t_end;
  options.at_count = 1;
  options.sample = keep_last;
  options.user = last;
  PfRunResult result = run_with(x, options);
  if (result.end != PF_RUN_DONE) fail_msg("%s: %s", options.method, pf_context_message(x->s.ctx));
  return result;
}

static inline double distance(const Last *a, const Last *b)
{
  double most = 0;
  for (int i = 0; i < a->n; i++) most = fmax(most, fmax(fabs(a->q[i] - b->q[i]), fabs(a->v[i] - b->v[i])));
  return most;
}

/* ---------------------------------------------------------------- a run that does not move */

/* What residual.c and the like need of a run, at the state of the system. */
static inline PfMotionRun still_run(const Moving *x)
{
  PfMotionRun run = {.ctx = x->s.ctx, .arena = x->s.arena, .system = x->system, .symbols = pf_system_symbols(x->system),
                     .options = pf_run_options(), .n = x->n, .m = x->m, .flow = {.values = x->s.values},
                     .state = {.y = q_of(&x->s)}};
  run.flow.multiplier = pf_run_array(&run, double, x->m + 1);
  assert_int_equal(pf_monitor_make(&run), PF_OK);
  assert_int_equal(pf_solver_new(run.ctx, run.system, pf_formulation_find("multipliers"), &run.flow.solver), PF_OK);
  return run;
}

static inline void end_still_run(PfMotionRun *run)
{
  pf_solver_free(run->flow.solver);
}

#endif
