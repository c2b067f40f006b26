/* SPDX-License-Identifier: Apache-2.0 */
/* Motions by the alpha methods: what their tests share. The methods are driven step by step where their own multipliers
 * are to be seen; a run reports those of the accelerations. Reference motions come from dop853, which meets the
 * reference trajectories to 1e-10, or from closed forms. */
#ifndef PF_TESTS_ALPHA_MOTIONS_H
#define PF_TESTS_ALPHA_MOTIONS_H

#include "../../cross/references.h"

#include "time/alpha_common.h"

static const double rho_paper = 3.0/7;
static const char *const both[] = {"generalized_alpha", "rattle"};

static const char circle[] = "model circle\nparam m = 2\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                             "constraint ring: x^2 + y^2 = 1\nstart x = 1, y' = 3\n";

static const char slider_crank[] =
    "model slider_crank\nparam g = 9.81, r = 0.3, l = 1, m1 = 1, m2 = 2, m3 = 0.5\ncoord th, phi, s\n"
    "kinetic m1/6*r^2*th'^2 + m2/2*((r*sin(th)*th' + l/2*sin(phi)*phi')^2\n"
    "  + (r*cos(th)*th' + l/2*cos(phi)*phi')^2 + l^2/12*phi'^2) + m3/2*s'^2\n"
    "potential m1*g*r/2*sin(th) + m2*g*(r*sin(th) + l/2*sin(phi))\n"
    "constraint slide: r*cos(th) + l*cos(phi) - s = 0\nconstraint level: r*sin(th) + l*sin(phi) = 0\n"
    "start th = 0, phi = 0, s = 1.3, th' = 3, phi' = -0.9\n";

static const char oscillator[] = "model oscillator\nparam w = 1\ncoord x\nkinetic x'^2/2\npotential w^2/2*x^2\n"
                                 "start x = 1\n";

/* ---------------------------------------------------------------- one motion, step by step */

typedef struct Motion {
  System s;
  PfSystem *system;
} Motion;

typedef struct Drive {
  PfMotionRun run;
} Drive;

static inline void open_system(Motion *motion)
{
  assert_int_equal(pf_equations_start(motion->s.ctx, &motion->s.eq, motion->s.given, motion->s.values), PF_OK);
  assert_int_equal(pf_system_new(motion->s.ctx, &motion->s.eq, &motion->system), PF_OK);
}

static inline void open_text(Fixture *f, const char *text, Motion *motion)
{
  read_system(f, text, &motion->s);
  open_system(motion);
}

static inline void open_example(Fixture *f, const char *name, const char *parameter, double value, Motion *motion)
{
  load_system(f, name, &motion->s);
  if (parameter) set_parameter(&motion->s, parameter, value);
  open_system(motion);
}

static inline void close_motion(Motion *motion)
{
  pf_system_free(motion->system);
  pf_model_free(motion->s.model);
}

static inline void make_arrays(PfMotionRun *run, const double *values)
{
  size_t n = (size_t)run->n, count = (size_t)run->symbols->count;
  run->flow.values = pf_run_array(run, double, count);
  run->state.y = pf_run_array(run, double, 2*n);
  run->state.y_old = pf_run_array(run, double, 2*n);
  run->state.dy = pf_run_array(run, double, 2*n);
  run->state.dy_old = pf_run_array(run, double, 2*n);
  run->flow.multiplier = pf_run_array(run, double, run->m);
  assert_true(run->flow.values && run->state.y && run->state.y_old && run->state.dy && run->state.dy_old &&
              run->flow.multiplier);
  memcpy(run->flow.values, values, count*sizeof *values);
  memcpy(run->state.y, values + run->symbols->q, 2*n*sizeof *values);
  run->state.t = values[run->symbols->time];
}

typedef struct Scheme {
  const char *method;
  double step, rho;
  bool printed;
  PfAlphaStart start;
} Scheme;

static inline void drive_open(const Motion *motion, const Scheme *scheme, double t_end, Drive *drive)
{
  const System *s = &motion->s;
  *drive = (Drive){.run = {.ctx = s->ctx, .arena = pf_arena_new(NULL), .system = motion->system,
                           .state = {.t_end = t_end}, .symbols = pf_system_symbols(motion->system),
                           .stepper = {.method = pf_method_find(scheme->method), .fixed = true},
                           .options = pf_run_options(), .n = s->eq.n, .m = s->eq.m}};
  PfMotionRun *run = &drive->run;
  assert_non_null(run->arena);
  run->options.step = scheme->step;
  run->options.rho = scheme->rho;
  run->options.printed = scheme->printed;
  make_arrays(run, s->values);
  assert_int_equal(pf_solver_new(s->ctx, motion->system, pf_formulation_find("multipliers"), &run->flow.solver), PF_OK);
  assert_int_equal(run->stepper.method->prepare(run), PF_OK);
  if (!scheme->printed) ((PfAlpha *)run->stepper.data)->start = scheme->start;
  assert_true(pf_flow(run, run->state.t, run->state.y, run->state.dy));
}

static inline void drive_close(Drive *drive)
{
  pf_solver_free(drive->run.flow.solver);
  pf_arena_free(drive->run.arena);
}

static inline void drive_step(Drive *drive)
{
  PfStepEnd end = drive->run.stepper.method->step(&drive->run);
  if (end != PF_STEP_DONE) fail_msg("t = %g: %s", drive->run.state.t, pf_context_message(drive->run.ctx));
}

/* ---------------------------------------------------------------- runs */

enum { MOST_SAMPLES = 256, MOST_STATE = 72 };

typedef struct Samples {
  int n, m, count;
  double t[MOST_SAMPLES], x[MOST_SAMPLES][MOST_STATE]; /* q, v, a, lambda */
} Samples;

static inline PfStatus keep_sample(void *user, const PfSample *sample)
{
  Samples *samples = user;
  assert_true(samples->count < MOST_SAMPLES);
  int n = samples->n;
  double *x = samples->x[samples->count];
  samples->t[samples->count++] = sample->t;
  for (int i = 0; i < n; i++) x[i] = sample->q[i], x[n + i] = sample->v[i], x[2*n + i] = sample->a[i];
  for (int k = 0; k < samples->m; k++) x[3*n + k] = sample->multiplier[k];
  return PF_OK;
}

static inline Samples *new_samples(const Motion *motion)
{
  Samples *samples = pf_arena_array(motion->s.arena, Samples, 1);
  assert_non_null(samples);
  samples->n = motion->s.eq.n;
  samples->m = motion->s.eq.m;
  assert_true(3*samples->n + samples->m <= MOST_STATE);
  return samples;
}

static inline PfRunResult run_options(const Motion *motion, PfRunOptions options, Samples *samples)
{
  PfRunResult result;
  options.sample = samples ? keep_sample : NULL;
  options.user = samples;
  if (pf_run(motion->s.ctx, motion->system, motion->s.values, &options, &result) != PF_OK)
    fail_msg("%s", pf_context_message(motion->s.ctx));
  return result;
}

/* dop853 at ascending times. */
static inline Samples *reference(const Motion *motion, const double *at, int count)
{
  PfRunOptions options = pf_run_options();
  Samples *samples = new_samples(motion);
  options.method = "dop853";
  options.rtol = 1e-13;
  options.atol = 1e-14;
  options.at = at;
  options.at_count = count;
  options.t_end = at[count - 1];
  options.keep_going = true;
  assert_int_equal(run_options(motion, options, samples).end, PF_RUN_DONE);
  assert_int_equal(samples->count, count);
  return samples;
}

static inline PfRunResult run_scheme(const Motion *motion, const Scheme *scheme, double t_end, double every,
                                     Samples *samples)
{
  PfRunOptions options = pf_run_options();
  options.method = scheme->method;
  options.step = scheme->step;
  options.rho = scheme->rho;
  options.printed = scheme->printed;
  options.t_end = t_end;
  options.every = every;
  options.keep_going = true;
  return run_options(motion, options, samples);
}

/* ---------------------------------------------------------------- errors */

typedef struct Errors {
  /* multipliers: the method's own at t_{n+1}, at t_n + h/2, those of the accelerations */
  double q, v, end, middle, post;
} Errors;

static inline double distance(const double *x, const double *y, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

static inline void add_errors(Drive *drive, const double *middle, const double *exact, Errors *errors)
{
  PfMotionRun *run = &drive->run;
  int n = run->n, m = run->m;
  double dy[MOST_STATE];
  const double *own = ((PfAlpha *)run->stepper.data)->x + n;
  errors->q = fmax(errors->q, distance(run->state.y, exact, n));
  errors->v = fmax(errors->v, distance(run->state.y + n, exact + n, n));
  errors->end = fmax(errors->end, distance(own, exact + 3*n, m));
  errors->middle = fmax(errors->middle, distance(own, middle + 3*n, m));
  assert_true(pf_flow(run, run->state.t, run->state.y, dy));
  errors->post = fmax(errors->post, distance(run->flow.multiplier, exact + 3*n, m));
}

/* Largest errors at multiples of `every`. */
static inline Errors find_errors(const Motion *motion, const Scheme *scheme, double t_end, double every)
{
  int count = (int)lround(t_end/every);
  double at[MOST_SAMPLES] = {0};
  assert_in_range(count, 1, MOST_SAMPLES/2);
  for (int i = 0; i < count; i++) {
    at[2*i + 1] = (i + 1)*every;
    at[2*i] = at[2*i + 1] - scheme->step/2;
  }
  const Samples *exact = reference(motion, at, 2*count);
  Errors errors = {0};
  Drive drive;
  drive_open(motion, scheme, t_end, &drive);
  for (int i = 0; i < count; i++) {
    while (drive.run.state.t < at[2*i + 1] - 1e-9) drive_step(&drive);
    assert_near(drive.run.state.t, at[2*i + 1], 0, 1e-12);
    add_errors(&drive, exact->x[2*i], exact->x[2*i + 1], &errors);
  }
  drive_close(&drive);
  return errors;
}

static inline double order(double coarse, double fine, double ratio)
{
  return log(coarse/fine)/log(ratio);
}

typedef struct Orders {
  double q, v, lambda, post;
} Orders;

/* From two step sizes. Multipliers: the method's own where they belong, and those of the accelerations. */
static inline Orders find_orders(const Motion *motion, const char *method, bool printed, double h, double t_end,
                                 double every)
{
  Scheme coarse = {method, h, rho_paper, printed, PF_ALPHA_SHIFTED}, fine = coarse;
  fine.step = h/2;
  Errors a = find_errors(motion, &coarse, t_end, every), b = find_errors(motion, &fine, t_end, every);
  bool rattle = !strcmp(method, "rattle");
  return (Orders){order(a.q, b.q, 2), order(a.v, b.v, 2),
                  rattle ? order(a.middle, b.middle, 2) : order(a.end, b.end, 2), order(a.post, b.post, 2)};
}

static inline void assert_orders(const Orders *orders, double expected)
{
  assert_near(orders->q, expected, 0, 0.1);
  assert_near(orders->v, expected, 0, 0.1);
  assert_near(orders->lambda, expected, 0, 0.15);
  assert_near(orders->post, expected, 0, 0.1);
}

#endif
