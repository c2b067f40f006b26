/* The alpha methods: errors and orders of the published cases (tests/reference/alpha-convergence.csv), constraints of every
 * kind, damping, and what happens when a step has no end. The methods are driven step by step where their own multipliers
 * are to be seen; a run reports those of the accelerations. Reference motions come from dop853, which meets the reference
 * trajectories to 1e-10, or from closed forms. */
#include "../../cross/references.h"

#include "time/alpha_common.h"

/* ---------------------------------------------------------------- one motion, step by step */

typedef struct Motion {
  System s;
  PfSystem *system;
} Motion;

typedef struct Drive {
  PfMotionRun run;
} Drive;

static void open_system(Motion *motion)
{
  assert_int_equal(pf_equations_start(motion->s.ctx, &motion->s.eq, motion->s.given, motion->s.values), PF_OK);
  assert_int_equal(pf_system_new(motion->s.ctx, &motion->s.eq, &motion->system), PF_OK);
}

static void open_text(Fixture *f, const char *text, Motion *motion)
{
  read_system(f, text, &motion->s);
  open_system(motion);
}

static void open_example(Fixture *f, const char *name, const char *parameter, double value, Motion *motion)
{
  load_system(f, name, &motion->s);
  if (parameter) set_parameter(&motion->s, parameter, value);
  open_system(motion);
}

static void close_motion(Motion *motion)
{
  pf_system_free(motion->system);
  pf_model_free(motion->s.model);
}

static void make_arrays(PfMotionRun *run, const double *values)
{
  size_t n = (size_t)run->n, count = (size_t)run->symbols->count;
  run->flow.values = pf_run_array(run, double, count);
  run->state.y = pf_run_array(run, double, 2*n);
  run->state.y_old = pf_run_array(run, double, 2*n);
  run->state.dy = pf_run_array(run, double, 2*n);
  run->state.dy_old = pf_run_array(run, double, 2*n);
  run->flow.multiplier = pf_run_array(run, double, run->m);
  assert_true(run->flow.values && run->state.y && run->state.y_old && run->state.dy && run->state.dy_old && run->flow.multiplier);
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

static void drive_open(const Motion *motion, const Scheme *scheme, double t_end, Drive *drive)
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

static void drive_close(Drive *drive)
{
  drive->run.stepper.method->release(&drive->run);
  pf_solver_free(drive->run.flow.solver);
  pf_arena_free(drive->run.arena);
}

static void drive_step(Drive *drive)
{
  PfStepEnd end = drive->run.stepper.method->step(&drive->run);
  if (end != PF_STEP_DONE) fail_msg("t = %g: %s", drive->run.state.t, pf_context_message(drive->run.ctx));
}

/* ---------------------------------------------------------------- runs */

enum { MOST_SAMPLES = 256, MOST_STATE = 64 };

typedef struct Samples {
  int n, m, count;
  double t[MOST_SAMPLES], x[MOST_SAMPLES][MOST_STATE]; /* q, v, a, lambda */
} Samples;

static PfStatus keep_sample(void *user, const PfSample *sample)
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

static Samples *new_samples(const Motion *motion)
{
  Samples *samples = pf_arena_array(motion->s.arena, Samples, 1);
  assert_non_null(samples);
  samples->n = motion->s.eq.n;
  samples->m = motion->s.eq.m;
  assert_true(3*samples->n + samples->m <= MOST_STATE);
  return samples;
}

static PfRunResult run_options(const Motion *motion, PfRunOptions options, Samples *samples)
{
  PfRunResult result;
  options.sample = samples ? keep_sample : NULL;
  options.user = samples;
  if (pf_run(motion->s.ctx, motion->system, motion->s.values, &options, &result) != PF_OK)
    fail_msg("%s", pf_context_message(motion->s.ctx));
  return result;
}

/* dop853 at ascending times. */
static Samples *reference(const Motion *motion, const double *at, int count)
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

static PfRunResult run_scheme(const Motion *motion, const Scheme *scheme, double t_end, double every, Samples *samples)
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
  double q, v, end, middle, post; /* multipliers: the method's own at t_{n+1}, at t_n + h/2, those of the accelerations */
} Errors;

static double distance(const double *x, const double *y, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

static void add_errors(Drive *drive, const double *middle, const double *exact, Errors *errors)
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
static Errors find_errors(const Motion *motion, const Scheme *scheme, double t_end, double every)
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

static double order(double coarse, double fine, double ratio)
{
  return log(coarse/fine)/log(ratio);
}

/* ---------------------------------------------------------------- the published cases */

typedef struct Trial {
  const char *name, *model, *parameter;
  double value, t_end, every;
} Trial;

static const Trial snakeboard_20 = {"snakeboard F=20 t<=0.8", "snakeboard", "F", 20, 0.8, 0.05};
static const Trial snakeboard_1 = {"snakeboard F=1 t<=5", "snakeboard", "F", 1, 5, 0.25};
static const Trial sleigh = {"sleigh variable mass t<=2", "sleigh_variable_mass", NULL, 0, 2, 0.1};

static const double rho_paper = 3.0/7;

/* The names of the table. With a constant mass matrix printed and corrected schemes are one. Those of the printed schemes
 * that start with values of both ends of the first step are run with the plain start: the difference is small. */
typedef struct Row {
  const char *scheme, *method;
  bool recursion;       /* of accelerations: the corrected scheme */
  PfAlphaStart start;
} Row;

static const Row rows[] = {
  {"galpha start (1-alpha)F0+alpha F1", "generalized_alpha", false, PF_ALPHA_SHIFTED},
  {"galpha start a0=qdd0", "generalized_alpha", false, PF_ALPHA_PLAIN},
  {"galpha acceleration recursion start (1-alpha)+alpha", "generalized_alpha", true, PF_ALPHA_SHIFTED},
  {"galpha acceleration recursion start a0=qdd0", "generalized_alpha", true, PF_ALPHA_PLAIN},
  {"alpha-rattle start with f", "rattle", false, PF_ALPHA_SHIFTED},
  {"alpha-rattle start a0=Minv f0", "rattle", false, PF_ALPHA_PLAIN},
  {"alpha-rattle acceleration recursion start with f", "rattle", true, PF_ALPHA_SHIFTED},
};

static const Row *find_row(const char *scheme)
{
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++)
    if (!strcmp(rows[i].scheme, scheme)) return rows + i;
  return NULL;
}

static void assert_errors(const Table *table, int line, const Errors *errors, double rtol)
{
  double middle = cell(table, line, "err_lam_mid");
  assert_near(errors->q, cell(table, line, "err_q"), rtol, 0);
  assert_near(errors->v, cell(table, line, "err_qd"), rtol, 0);
  assert_near(errors->end, cell(table, line, "err_lam_end"), rtol, 0);
  assert_near(errors->post, cell(table, line, "err_lam_post"), rtol, 0);
  if (isfinite(middle)) assert_near(errors->middle, middle, rtol, 0);
}

/* Every line of the table for one case; four digits are printed. */
static void assert_table(Fixture *f, const Trial *c, int lines)
{
  const Table *table = read_table(f, "alpha-convergence.csv");
  Motion motion;
  open_example(f, c->model, c->parameter, c->value, &motion);
  bool constant_mass = c->parameter != NULL;
  for (int i = 1; i < table->lines; i++) {
    const Row *row = find_row(table->cell[i][1]);
    if (strcmp(table->cell[i][0], c->name) != 0 || !row) continue;
    Scheme scheme = {row->method, cell(table, i, "h"), rho_paper, !constant_mass && !row->recursion, row->start};
    Errors errors = find_errors(&motion, &scheme, c->t_end, c->every);
    bool same_start = !scheme.printed || row->start == PF_ALPHA_PLAIN;
    assert_errors(table, i, &errors, same_start ? 2e-3 : 0.02);
    lines--;
  }
  assert_int_equal(lines, 0);
  close_motion(&motion);
}

static void errors_on_the_snakeboard_with_20_N_are_those_of_the_table(void **state)
{
  assert_table(*state, &snakeboard_20, 16);
}

/* Errors of more than 0.1 there make the multipliers sensitive; what is printed is met all the same. */
static void errors_on_the_snakeboard_with_1_N_are_those_of_the_table(void **state)
{
  assert_table(*state, &snakeboard_1, 16);
}

static void errors_on_the_sleigh_with_variable_mass_are_those_of_the_table(void **state)
{
  assert_table(*state, &sleigh, 28);
}

/* The motions the errors above are measured against are those of quadruple precision. */
static void assert_reference(Fixture *f, const Trial *c, const char *file, const char *const *multipliers)
{
  const Table *table = read_table(f, file);
  Motion motion;
  double at[MOST_SAMPLES];
  int count = 0;
  open_example(f, c->model, c->parameter, c->value, &motion);
  for (int i = 2; i < table->lines && cell(table, i, "t") < c->t_end + 1e-9; i++) at[count++] = cell(table, i, "t");
  const Samples *exact = reference(&motion, at, count);
  int n = motion.s.eq.n;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < n; j++) {
      char rate[64];
      const char *name = motion.s.model->coordinates[j].name;
      snprintf(rate, sizeof rate, "%s_d", name);
      assert_near(exact->x[i][j], cell(table, i + 2, name), 0, 1e-10);
      assert_near(exact->x[i][n + j], cell(table, i + 2, rate), 0, 1e-10);
    }
    for (int k = 0; k < motion.s.eq.m; k++) /* the files have lambda on the left side */
      assert_near(exact->x[i][3*n + k], -cell(table, i + 2, multipliers[k]), 1e-9, 1e-9);
  }
  close_motion(&motion);
}

static void the_reference_motions_are_right(void **state)
{
  static const char *const wheels[] = {"lambda_b", "lambda_f"}, *const blade[] = {"lambda"};
  assert_reference(*state, &snakeboard_20, "snakeboard-F20.csv", wheels);
  assert_reference(*state, &snakeboard_1, "snakeboard-F1.csv", wheels);
  assert_reference(*state, &sleigh, "sleigh-variable-mass.csv", blade);
}

/* ---------------------------------------------------------------- orders */

typedef struct Orders {
  double q, v, lambda, post;
} Orders;

/* From two step sizes. Multipliers: the method's own where they belong, and those of the accelerations. */
static Orders find_orders(const Motion *motion, const char *method, bool printed, double h, double t_end, double every)
{
  Scheme coarse = {method, h, rho_paper, printed, PF_ALPHA_SHIFTED}, fine = coarse;
  fine.step = h/2;
  Errors a = find_errors(motion, &coarse, t_end, every), b = find_errors(motion, &fine, t_end, every);
  bool rattle = !strcmp(method, "rattle");
  return (Orders){order(a.q, b.q, 2), order(a.v, b.v, 2),
                  rattle ? order(a.middle, b.middle, 2) : order(a.end, b.end, 2), order(a.post, b.post, 2)};
}

static void assert_orders(const Orders *orders, double expected)
{
  assert_near(orders->q, expected, 0, 0.1);
  assert_near(orders->v, expected, 0, 0.1);
  assert_near(orders->lambda, expected, 0, 0.15);
  assert_near(orders->post, expected, 0, 0.1);
}

static void assert_case_orders(Fixture *f, const Trial *c, bool printed, double expected)
{
  static const char *const methods[] = {"generalized_alpha", "rattle"};
  Motion motion;
  open_example(f, c->model, c->parameter, c->value, &motion);
  for (int i = 0; i < 2; i++) {
    Orders orders = find_orders(&motion, methods[i], printed, 4e-3, c->t_end, c->every == 0.05 ? 0.08 : c->every);
    assert_orders(&orders, expected);
  }
  close_motion(&motion);
}

static void with_a_constant_mass_matrix_all_schemes_are_of_second_order(void **state)
{
  assert_case_orders(*state, &snakeboard_20, false, 2);
  assert_case_orders(*state, &snakeboard_20, true, 2);
}

static void with_a_variable_mass_matrix_the_printed_schemes_are_of_first_order(void **state)
{
  assert_case_orders(*state, &sleigh, true, 1);
}

static void with_a_variable_mass_matrix_the_corrected_schemes_are_of_second_order(void **state)
{
  assert_case_orders(*state, &sleigh, false, 2);
}

/* The multipliers of the first step, where a plain start is off by a term of first order. */
static void multipliers_of_the_first_step_are_of_second_order(void **state)
{
  Motion motion;
  open_example(*state, sleigh.model, NULL, 0, &motion);
  double error[2][2];
  for (int start = 0; start < 2; start++)
    for (int k = 0; k < 2; k++) {
      Scheme scheme = {"generalized_alpha", k ? 1e-3 : 2e-3, 0, false, start ? PF_ALPHA_PLAIN : PF_ALPHA_SHIFTED};
      error[start][k] = find_errors(&motion, &scheme, scheme.step, scheme.step).end;
    }
  assert_near(order(error[0][0], error[0][1], 2), 2, 0, 0.1);
  assert_near(order(error[1][0], error[1][1], 2), 1, 0, 0.1);
  close_motion(&motion);
}

/* rho of section 4 of the comparison: 0.8 s with 20 N, h = 1e-3. */
static void errors_for_other_rho_are_those_published(void **state)
{
  static const struct {
    double rho, alpha[3], rattle[3];
  } table[] = {
    {1, {5.31e-5, 4.62e-4, 7.05e-3}, {5.01e-5, 6.64e-4, 9.06e-3}},
    {0.8, {5.60e-5, 4.88e-4, 7.09e-3}, {5.26e-5, 7.05e-4, 9.56e-3}},
    {3.0/7, {9.01e-5, 7.98e-4, 1.17e-2}, {8.37e-5, 1.20e-3, 1.56e-2}},
    {0, {2.85e-4, 2.55e-3, 3.95e-2}, {2.62e-4, 3.98e-3, 5.01e-2}},
  };
  const Trial *c = &snakeboard_20;
  Motion motion;
  open_example(*state, c->model, c->parameter, c->value, &motion);
  for (size_t i = 0; i < sizeof table/sizeof *table; i++) {
    Scheme scheme = {"generalized_alpha", 1e-3, table[i].rho, false, PF_ALPHA_SHIFTED};
    Errors a = find_errors(&motion, &scheme, c->t_end, c->every);
    scheme.method = "rattle";
    Errors b = find_errors(&motion, &scheme, c->t_end, c->every);
    assert_near(a.q, table[i].alpha[0], 0.02, 0);
    assert_near(a.v, table[i].alpha[1], 0.02, 0);
    assert_near(a.end, table[i].alpha[2], 0.02, 0);
    assert_near(b.q, table[i].rattle[0], 0.02, 0);
    assert_near(b.v, table[i].rattle[1], 0.02, 0);
    assert_near(b.post, table[i].rattle[2], 0.02, 0);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- constraints at every step */

static const char *const both[] = {"generalized_alpha", "rattle"};

static void velocities_stay_on_the_constraints_to_rounding(void **state)
{
  static const double steps[] = {1e-2, 1e-3};
  Motion motion;
  open_example(*state, "snakeboard", "F", 20, &motion);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      for (int printed = 0; printed < 2; printed++) {
        Scheme scheme = {both[i], steps[k], rho_paper, printed, PF_ALPHA_SHIFTED};
        PfRunResult result = run_scheme(&motion, &scheme, 0.8, 0, NULL);
        assert_int_equal(result.end, PF_RUN_DONE);
        assert_true(result.velocity <= 1e-13);
      }
  close_motion(&motion);
}

/* phi_b - phi_f = -(pi/3) cos(Omega t), Omega^2 = kw/Jw, whatever pushes. */
static double miss_of_identity(const Motion *motion, const Scheme *scheme)
{
  Samples *samples = new_samples(motion);
  const double Omega = sqrt(0.1/0.0013), pi = acos(-1);
  int b = coordinate(&motion->s, "phi_b"), f = coordinate(&motion->s, "phi_f");
  double miss = 0;
  assert_int_equal(run_scheme(motion, scheme, 0.8, 0.05, samples).end, PF_RUN_DONE);
  assert_int_equal(samples->count, 17);
  for (int i = 0; i < samples->count; i++)
    miss = fmax(miss, fabs(samples->x[i][b] - samples->x[i][f] + pi/3*cos(Omega*samples->t[i])));
  return miss;
}

static void the_difference_of_the_wheel_angles_is_a_cosine_to_second_order(void **state)
{
  Motion motion;
  open_example(*state, "snakeboard", "F", 20, &motion);
  for (int i = 0; i < 2; i++) {
    Scheme coarse = {both[i], 2e-3, rho_paper, false, PF_ALPHA_SHIFTED}, fine = coarse;
    fine.step = 1e-3;
    double a = miss_of_identity(&motion, &coarse), b = miss_of_identity(&motion, &fine);
    assert_near(order(a, b, 2), 2, 0, 0.05);
    assert_true(b < 2e-4);
  }
  close_motion(&motion);
}

static void a_loss_of_rank_is_reported_with_time_and_constraint(void **state)
{
  Fixture *f = *state;
  static const double t_star = 1.2536883587532748; /* 7 pi/(2 Omega) */
  Motion motion;
  open_example(f, "snakeboard", "F", 20, &motion);
  for (int i = 0; i < 2; i++) {
    PfRunOptions options = pf_run_options();
    options.method = both[i];
    options.step = 1e-3;
    options.rho = rho_paper;
    options.t_end = 2;
    PfRunResult result = run_options(&motion, options, NULL);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, t_star, 0, 1e-4);
    assert_contains(pf_context_message(f->ctx), "1.2537");
    assert_contains(pf_context_message(f->ctx), "'front'");
    options.keep_going = true;
    result = run_options(&motion, options, NULL);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_true(result.velocity <= 1e-13); /* which proves nothing about what comes after */
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- holonomic constraints */

static const char circle[] = "model circle\nparam m = 2\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                             "constraint ring: x^2 + y^2 = 1\nstart x = 1, y' = 3\n";

/* x = cos 3 t, y = sin 3 t, and m x'' = 2 x lambda gives lambda = -m 9/2. */
static void a_bead_on_a_ring_goes_round_evenly(void **state)
{
  Motion motion;
  open_text(*state, circle, &motion);
  for (int i = 0; i < 2; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      Samples *samples = new_samples(&motion);
      Scheme scheme = {both[i], k ? 1e-2 : 2e-2, 0.8, false, PF_ALPHA_SHIFTED};
      PfRunResult result = run_scheme(&motion, &scheme, 2, 0.1, samples);
      assert_int_equal(result.end, PF_RUN_DONE);
      assert_true(result.position <= 1e-14 && result.velocity <= 1e-14);
      error[k] = 0;
      for (int l = 0; l < samples->count; l++) {
        error[k] = fmax(error[k], fabs(samples->x[l][0] - cos(3*samples->t[l])));
        assert_near(samples->x[l][6], -9, 2e-2, 0); /* it is m v^2/2, and v is off by a little */
      }
    }
    assert_near(order(error[0], error[1], 2), 2, 0, 0.1);
    assert_true(error[1] < 1e-2);
  }
  close_motion(&motion);
}

static void assert_order_2_text(Fixture *f, const char *text, const char *method, double t_end)
{
  Motion motion;
  open_text(f, text, &motion);
  Orders orders = find_orders(&motion, method, false, 2e-3, t_end, 0.1);
  assert_orders(&orders, 2);
  Scheme scheme = {method, 1e-2, rho_paper, false, PF_ALPHA_SHIFTED};
  PfRunResult result = run_scheme(&motion, &scheme, t_end, 0, NULL);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(result.position <= 1e-13 && result.velocity <= 1e-13);
  close_motion(&motion);
}

/* Its mass matrix depends on the angles. */
static const char slider_crank[] =
    "model slider_crank\nparam g = 9.81, r = 0.3, l = 1, m1 = 1, m2 = 2, m3 = 0.5\ncoord th, phi, s\n"
    "kinetic m1/6*r^2*th'^2 + m2/2*((r*sin(th)*th' + l/2*sin(phi)*phi')^2\n"
    "  + (r*cos(th)*th' + l/2*cos(phi)*phi')^2 + l^2/12*phi'^2) + m3/2*s'^2\n"
    "potential m1*g*r/2*sin(th) + m2*g*(r*sin(th) + l/2*sin(phi))\n"
    "constraint slide: r*cos(th) + l*cos(phi) - s = 0\nconstraint level: r*sin(th) + l*sin(phi) = 0\n"
    "start th = 0, phi = 0, s = 1.3, th' = 3, phi' = -0.9\n";

static void holonomic_constraints_hold_at_both_levels_and_multipliers_are_of_second_order(void **state)
{
  for (int i = 0; i < 2; i++) assert_order_2_text(*state, slider_crank, both[i], 1);
}

/* ---------------------------------------------------------------- constraints of other kinds */

/* Constant accelerations as in examples/x1.pf: every scheme is exact, constraints with time in them included. */
static void affine_constraints_with_time_are_met_exactly(void **state)
{
  static const double a[] = {143.0/276, 487.0/1932, 1009.0/1932, 89.0/322, 485.0/1932};
  Motion motion;
  open_example(*state, "x1", NULL, 0, &motion);
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = {both[i], 0.1, 0.5, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 1, 0.5, samples);
    assert_int_equal(samples->count, 3);
    assert_true(result.velocity <= 1e-14);
    for (int j = 0; j < 5; j++) {
      assert_near(samples->x[2][j], a[j]/2, 0, 1e-14);
      assert_near(samples->x[2][5 + j], a[j], 0, 1e-14);
    }
  }
  close_motion(&motion);
}

/* The row of A changes with the velocity and with time. */
static const char given_pace[] = "model given_pace\nparam k = 3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential k/2*x^2 + y\nconstraint pace: x'^2 + y'^2 = 1 + 0.5*sin(t)\n"
                                 "start x = 0.5, x' = 0.6, y' = 0.8\n";

static void constraints_that_are_not_linear_in_the_velocities_keep_second_order(void **state)
{
  for (int i = 0; i < 2; i++) assert_order_2_text(*state, given_pace, both[i], 2);
}

static const char on_accelerations[] =
    "model on_accelerations\nparam m = 2, k = 3\ncoord x, y, th\n"
    "kinetic m/2*(x'^2 + y'^2) + th'^2/4*(1 + x^2/4)\npotential k/2*th^2 + y^2\n"
    "constraint c: x'' + sin(th)*y'' + th'^2*cos(x) - x*y' = 0\n"
    "start x = 0.3, y = 0.5, th = 0.2, x' = 0.1, th' = 1\n";

static void generalized_alpha_takes_constraints_on_accelerations(void **state)
{
  Motion motion;
  open_text(*state, on_accelerations, &motion);
  Orders orders = find_orders(&motion, "generalized_alpha", false, 5e-3, 2, 0.1);
  assert_orders(&orders, 2);
  close_motion(&motion);
}

static void rattle_refuses_constraints_on_accelerations(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  PfRunOptions options = pf_run_options();
  open_text(f, on_accelerations, &motion);
  options.method = "rattle";
  options.step = 1e-3;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "'c' is on accelerations");
  options.method = "generalized_alpha";
  options.printed = true;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_MODEL);
  close_motion(&motion);
}

/* lambda = m g cos a - T sin b, x'' = g sin a + T/m cos b - mu lambda/m: constant, so both methods are exact. */
static void friction_that_depends_on_the_multiplier_is_exact_on_an_incline(void **state)
{
  Motion motion;
  open_example(*state, "incline_friction", NULL, 0, &motion);
  double lambda = 3*9.81*cos(0.5) - 4*sin(0.2), a = 9.81*sin(0.5) + 4.0/3*cos(0.2) - 0.3*lambda/3;
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = {both[i], 0.1, 0.5, false, PF_ALPHA_SHIFTED};
    assert_int_equal(run_scheme(&motion, &scheme, 1, 1, samples).end, PF_RUN_DONE);
    assert_near(samples->x[1][0], 0.5 + a/2, 1e-13, 0);
    assert_near(samples->x[1][2], 0.5 + a, 1e-13, 0);
    assert_near(samples->x[1][6], lambda, 1e-13, 0);
  }
  close_motion(&motion);
}

static void friction_on_a_sleigh_keeps_second_order(void **state)
{
  Motion motion;
  open_example(*state, "sleigh_friction", NULL, 0, &motion);
  for (int i = 0; i < 2; i++) {
    Orders orders = find_orders(&motion, both[i], false, 4e-3, 1, 0.2);
    assert_orders(&orders, 2);
  }
  close_motion(&motion);
}

/* One constraint written twice: the motion is that of one, the force is shared. */
static void redundant_constraints_do_no_harm(void **state)
{
  static const char twice[] = "model twice\nparam g = 9.81\ncoord x, y\nkinetic x'^2 + y'^2\npotential 2*g*y\n"
                              "constraint rod: x^2 + y^2 = 1\nconstraint again: 3*x^2 + 3*y^2 = 3\nstart x = 1\n";
  for (int i = 0; i < 2; i++) {
    Motion motion;
    open_text(*state, twice, &motion);
    Scheme coarse = {both[i], 4e-3, 0.8, false, PF_ALPHA_SHIFTED}, fine = coarse;
    fine.step = 2e-3;
    Errors a = find_errors(&motion, &coarse, 1, 0.2), b = find_errors(&motion, &fine, 1, 0.2);
    assert_near(order(a.q, b.q, 2), 2, 0, 0.1);
    assert_near(order(a.v, b.v, 2), 2, 0, 0.1);
    assert_near(order(a.post, b.post, 2), 2, 0, 0.1);
    close_motion(&motion);
  }
}

/* Exact accelerations of examples/x2.pf with p = 1; q3 has no inertia. */
static void generalized_alpha_needs_no_regular_mass_matrix(void **state)
{
  static const double a[] = {100783.0/132500, -3941.0/26500, -55741.0/66250, -4877.0/132500, 39651.0/66250,
                             173933.0/132500};
  Motion motion;
  open_example(*state, "x2", NULL, 0, &motion);
  Samples *samples = new_samples(&motion);
  Scheme scheme = {"generalized_alpha", 0.1, 0.5, false, PF_ALPHA_SHIFTED};
  assert_int_equal(run_scheme(&motion, &scheme, 1, 1, samples).end, PF_RUN_DONE);
  for (int j = 0; j < 6; j++) assert_near(samples->x[1][j], a[j]/2, 0, 1e-13);
  close_motion(&motion);
}

static void rattle_says_that_it_needs_inertia(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_example(f, "x2", NULL, 0, &motion);
  Scheme scheme = {"rattle", 0.1, 0.5, false, PF_ALPHA_SHIFTED};
  assert_int_equal(run_scheme(&motion, &scheme, 1, 1, NULL).end, PF_RUN_TROUBLE);
  assert_contains(pf_context_message(f->ctx), "'q3' has no inertia");
  assert_int_equal(pf_error_count(f->ctx), 1);
  close_motion(&motion);
}

/* ---------------------------------------------------------------- damping */

static const char oscillator[] = "model oscillator\nparam w = 1\ncoord x\nkinetic x'^2/2\npotential w^2/2*x^2\n"
                                 "start x = 1\n";

static double amplitude_after(const Motion *motion, const Scheme *scheme, int steps)
{
  Drive drive;
  drive_open(motion, scheme, 1e9, &drive);
  for (int i = 0; i < steps; i++) drive_step(&drive);
  double size = hypot(drive.run.state.y[0], drive.run.state.y[1]*scheme->step/2);
  drive_close(&drive);
  return size;
}

/* A motion that is much faster than the step dies like rho^n; a double root makes it n rho^n at most. */
static void fast_motions_are_damped_by_rho_per_step(void **state)
{
  static const double rhos[] = {0.9, 0.6, 0.3};
  Motion motion;
  open_text(*state, oscillator, &motion);
  set_parameter(&motion.s, "w", 1e6);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      Scheme scheme = {both[i], 1, rhos[k], false, PF_ALPHA_SHIFTED};
      double rate = pow(amplitude_after(&motion, &scheme, 60)/amplitude_after(&motion, &scheme, 30), 1.0/30);
      assert_near(rate, rhos[k], 0.08, 0); /* 2^(2/30) is 1.047 */
    }
  close_motion(&motion);
}

/* rho = 1 is the trapezoidal rule: the energy of a linear oscillator stays for ever; 100 steps per period. */
static void slow_motions_keep_their_energy(void **state)
{
  Motion motion;
  open_text(*state, oscillator, &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 0.0628, 1, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 100, 0, NULL);
    assert_true(result.drift < 1e-12);
    scheme.rho = 0.9; /* loses (omega h)^3 times a small number per period */
    result = run_scheme(&motion, &scheme, 100, 0, NULL);
    assert_true(result.drift > 1e-8 && result.drift < 1e-3);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- steps */

static void the_last_step_is_shortened(void **state)
{
  Motion motion;
  open_example(*state, "sleigh_variable_mass", NULL, 0, &motion);
  double at[] = {1.0063};
  const Samples *exact = reference(&motion, at, 1);
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    Scheme scheme = {both[i], 1e-2, rho_paper, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, at[0], 0, samples);
    assert_int_equal(result.steps, 101);
    assert_true(result.t == at[0]);
    assert_near(distance(samples->x[101], exact->x[0], 6), 0, 0, 1e-4); /* as with equal steps: 6e-5 */
  }
  close_motion(&motion);
}

/* Interpolation between the steps is as good as the steps. */
static void samples_between_steps_are_of_second_order(void **state)
{
  Motion motion;
  open_example(*state, "sleigh_variable_mass", NULL, 0, &motion);
  double at[20];
  for (int i = 0; i < 20; i++) at[i] = 0.0973*(i + 1);
  const Samples *exact = reference(&motion, at, 20);
  for (int i = 0; i < 2; i++) {
    double error[2] = {0};
    for (int k = 0; k < 2; k++) {
      Samples *samples = new_samples(&motion);
      PfRunOptions options = pf_run_options();
      options.method = both[i];
      options.step = k ? 2e-3 : 4e-3;
      options.t_end = 2;
      options.at = at;
      options.at_count = 20;
      (void)run_options(&motion, options, samples);
      for (int l = 0; l < 20; l++) error[k] = fmax(error[k], distance(samples->x[l], exact->x[l], 6));
    }
    assert_near(order(error[0], error[1], 2), 2, 0, 0.05);
  }
  close_motion(&motion);
}

/* Newton with exact slopes and kept factors: few evaluations per step. */
static void a_step_takes_few_evaluations(void **state)
{
  Motion motion;
  open_example(*state, "snakeboard", "F", 1, &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 1e-3, rho_paper, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 5, 0, NULL);
    assert_true(result.evaluations < 6*result.steps);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- what goes wrong */

static void rho_outside_0_to_1_is_refused(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  open_text(f, oscillator, &motion);
  static const double bad[] = {-0.1, 1.1, INFINITY};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      PfRunOptions options = pf_run_options();
      options.method = both[i];
      options.step = 1e-2;
      options.rho = bad[k];
      assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
      assert_contains(pf_context_message(f->ctx), "between 0");
    }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- chosen steps */

static PfRunResult run_adaptive(const Motion *motion, const char *method, double rtol, double rho, double t_end,
                                Samples *samples)
{
  PfRunOptions options = pf_run_options();
  options.method = method;
  options.rtol = rtol;
  options.rho = rho;
  options.t_end = t_end;
  options.every = t_end/8;
  options.adaptive = true;
  PfRunResult result = run_options(motion, options, samples);
  assert_int_equal(result.end, PF_RUN_DONE);
  return result;
}

/* Local errors are of third order: a tolerance 1000 times as small means steps a tenth as long, and errors a hundredth as
 * large. */
static void assert_control(const Motion *motion, const char *method, double rho, double t_end)
{
  int n = motion->s.eq.n;
  double error[2] = {0}, at[8];
  for (int i = 0; i < 8; i++) at[i] = (i + 1)*t_end/8;
  const Samples *exact = reference(motion, at, 8);
  PfRunResult result[2];
  for (int k = 0; k < 2; k++) {
    Samples *samples = new_samples(motion);
    result[k] = run_adaptive(motion, method, k ? 1e-9 : 1e-6, rho, t_end, samples);
    for (int i = 0; i < 8; i++) error[k] = fmax(error[k], distance(samples->x[i + 1], exact->x[i], 2*n));
    assert_true(result[k].velocity <= 1e-13 && result[k].position <= 1e-13);
    assert_true(result[k].rejected < result[k].steps/5 + 5);
  }
  assert_near((double)result[1].steps/(double)result[0].steps, 10, 0.2, 0);
  assert_near(error[0]/error[1], 100, 0.3, 0);
  assert_true(error[0] < 0.02);
}

static void chosen_steps_keep_the_second_order(void **state)
{
  static const double rhos[] = {0, 3.0/7, 0.9, 1};
  Motion board, mass;
  open_example(*state, "snakeboard", "F", 20, &board);
  open_example(*state, "sleigh_variable_mass", NULL, 0, &mass);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++) {
      assert_control(&board, both[i], rhos[k], 0.8);
      assert_control(&mass, both[i], rhos[k], 2);
    }
  close_motion(&board);
  close_motion(&mass);
}

static void chosen_steps_hold_holonomic_constraints_at_both_levels(void **state)
{
  Motion motion;
  open_text(*state, slider_crank, &motion);
  for (int i = 0; i < 2; i++) assert_control(&motion, both[i], 0.8, 1);
  close_motion(&motion);
}

/* A spring that hits: steps are long before and after, and short in between. */
static void steps_follow_the_motion(void **state)
{
  Motion motion;
  open_text(*state, "model stop\ncoord x\nkinetic x'^2/2\nforce x = -exp(100*(x - 1))\nstart x' = 1\n", &motion);
  for (int i = 0; i < 2; i++) {
    Samples *samples = new_samples(&motion);
    PfRunResult result = run_adaptive(&motion, both[i], 1e-5, 0.9, 2, samples);
    assert_near(samples->x[8][1], -1, 0, 1e-2); /* it comes back as fast as it went */
    assert_true(result.steps < 200);
  }
  close_motion(&motion);
}

static void without_a_step_the_step_is_chosen(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  open_text(f, oscillator, &motion);
  PfRunOptions options = pf_run_options();
  options.method = "rattle";
  options.rtol = 1e-4;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_OK);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_true(result.steps > 50 && result.steps < 1000);
  close_motion(&motion);
}

static void settings_that_cannot_be_obeyed_are_refused(void **state)
{
  Fixture *f = *state;
  Motion motion;
  PfRunResult result;
  open_text(f, oscillator, &motion);
  PfRunOptions options = pf_run_options();
  options.printed = true; /* dopri5 */
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "dopri5");
  options.method = "generalized_alpha"; /* without a step */
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "steps of one size");
  options.printed = false;
  options.adaptive = true;
  options.method = "rk4";
  options.step = 0.1;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "rk4");
  options.adaptive = false;
  options.step = 0;
  assert_int_equal(pf_run(f->ctx, motion.system, motion.s.values, &options, &result), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "needs a step");
  close_motion(&motion);
}

/* Newton's method fails until the step is too small; it is said once. */
static void chosen_steps_without_end_are_reported_once(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_text(f, "model ends\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nforce y = sqrt(1 - t)\n", &motion);
  for (int i = 0; i < 2; i++) {
    PfRunOptions options = pf_run_options();
    options.method = both[i];
    options.rtol = 1e-4;
    PfRunResult result = run_options(&motion, options, NULL);
    assert_true(result.end == PF_RUN_TROUBLE || result.end == PF_RUN_STEP);
    assert_near(result.t, 1, 0, 1e-6);
    assert_int_equal(pf_error_count(f->ctx), 1);
    pf_diagnostics_clear(f->ctx);
  }
  close_motion(&motion);
}

/* w = exp(50 h w/2) has no solution for h = 1. */
static void a_step_without_solution_is_reported(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_text(f, "model runaway\ncoord x\nkinetic x'^2/2\nforce x = exp(50*x')\n", &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 1, 0.9, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 10, 0, NULL);
    assert_int_equal(result.end, PF_RUN_TROUBLE);
    assert_int_equal(result.steps, 0);
    assert_int_equal(pf_error_count(f->ctx), 1);
    assert_contains(pf_context_message(f->ctx), both[i]);
    assert_contains(pf_context_message(f->ctx), "Newton");
    assert_contains(pf_diagnostic(f->ctx, 0)->hint, "smaller steps");
    pf_diagnostics_clear(f->ctx);
  }
  close_motion(&motion);
}

static void a_force_that_stops_being_a_number_is_named(void **state)
{
  Fixture *f = *state;
  Motion motion;
  open_text(f, "model ends\ncoord x, y\nkinetic x'^2/2 + y'^2/2\nforce y = sqrt(1.005 - t)\n", &motion);
  for (int i = 0; i < 2; i++) {
    Scheme scheme = {both[i], 1e-2, 0.9, false, PF_ALPHA_SHIFTED};
    PfRunResult result = run_scheme(&motion, &scheme, 10, 0, NULL);
    assert_int_equal(result.end, PF_RUN_TROUBLE);
    assert_near(result.t, 1, 0, 1e-12);
    assert_contains(pf_context_message(f->ctx), "'y'");
    assert_contains(pf_context_message(f->ctx), "not finite");
    pf_diagnostics_clear(f->ctx);
  }
  close_motion(&motion);
}

/* ---------------------------------------------------------------- memory */

static void run_with_counter(Counter *counter, void *user)
{
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfModel *model = NULL;
  PfSystem *system = NULL;
  PfEquations eq;
  PfRunResult result;
  PfRunOptions options = pf_run_options();
  double values[32];
  options.method = user;
  options.step = 0.1;
  options.t_end = 0.2;
  PfStatus status = ctx ? pf_model_read(ctx, "test.pf", circle, strlen(circle), &model) : PF_ERR_MEMORY;
  if (status == PF_OK) status = pf_equations_derive(ctx, model->arena, model, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &system);
  if (status == PF_OK) status = pf_equations_start(ctx, &eq, NULL, values);
  if (status == PF_OK) status = pf_run(ctx, system, values, &options, &result);
  bool hopeless = counter->refused && counter->fail_on; /* one refusal may only cost an optimisation of the tapes */
  assert_true(status == PF_ERR_MEMORY ? counter->refused > 0 : status == PF_OK && !hopeless);
  pf_system_free(system);
  if (model) pf_model_free(model);
  if (ctx) pf_context_free(ctx);
}

static void lack_of_memory_is_reported_and_leaves_nothing_behind(void **state)
{
  (void)state;
  static char alpha[] = "generalized_alpha", rattle[] = "rattle";
  fail_every_allocation(run_with_counter, alpha);
  fail_every_allocation(run_with_counter, rattle);
}

/* Samples see every step: their number of allocations must not change. */
typedef struct Watcher {
  const Counter *counter;
  long calls, steps;
} Watcher;

static PfStatus watch(void *user, const PfSample *sample)
{
  Watcher *watcher = user;
  if (watcher->steps++ == 0) watcher->calls = watcher->counter->calls;
  assert_true(isfinite(sample->t));
  assert_int_equal(watcher->counter->calls, watcher->calls);
  return PF_OK;
}

static void nothing_is_allocated_during_steps(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    Counter counter;
    counter_init(&counter);
    PfContext *ctx = pf_context_new(&counter.allocator);
    PfModel *model;
    PfSystem *system;
    PfEquations eq;
    PfRunResult result;
    PfRunOptions options = pf_run_options();
    Watcher watcher = {.counter = &counter};
    double values[32];
    options.method = both[i%2];
    options.adaptive = i >= 2;
    options.step = 0.01;
    options.t_end = 1;
    options.sample = watch;
    options.user = &watcher;
    assert_int_equal(pf_model_read(ctx, "test.pf", circle, strlen(circle), &model), PF_OK);
    assert_int_equal(pf_equations_derive(ctx, model->arena, model, &eq), PF_OK);
    assert_int_equal(pf_system_new(ctx, &eq, &system), PF_OK);
    assert_int_equal(pf_equations_start(ctx, &eq, NULL, values), PF_OK);
    assert_int_equal(pf_run(ctx, system, values, &options, &result), PF_OK);
    if (i < 2) assert_int_equal(watcher.steps, 101);
    else assert_true(watcher.steps > 10);
    pf_system_free(system);
    pf_model_free(model);
    pf_context_free(ctx);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_reference_motions_are_right),
    with_fixture(errors_on_the_snakeboard_with_20_N_are_those_of_the_table),
    with_fixture(errors_on_the_snakeboard_with_1_N_are_those_of_the_table),
    with_fixture(errors_on_the_sleigh_with_variable_mass_are_those_of_the_table),
    with_fixture(with_a_constant_mass_matrix_all_schemes_are_of_second_order),
    with_fixture(with_a_variable_mass_matrix_the_printed_schemes_are_of_first_order),
    with_fixture(with_a_variable_mass_matrix_the_corrected_schemes_are_of_second_order),
    with_fixture(multipliers_of_the_first_step_are_of_second_order),
    with_fixture(errors_for_other_rho_are_those_published),
    with_fixture(velocities_stay_on_the_constraints_to_rounding),
    with_fixture(the_difference_of_the_wheel_angles_is_a_cosine_to_second_order),
    with_fixture(a_loss_of_rank_is_reported_with_time_and_constraint),
    with_fixture(a_bead_on_a_ring_goes_round_evenly),
    with_fixture(holonomic_constraints_hold_at_both_levels_and_multipliers_are_of_second_order),
    with_fixture(affine_constraints_with_time_are_met_exactly),
    with_fixture(constraints_that_are_not_linear_in_the_velocities_keep_second_order),
    with_fixture(generalized_alpha_takes_constraints_on_accelerations),
    with_fixture(rattle_refuses_constraints_on_accelerations),
    with_fixture(friction_that_depends_on_the_multiplier_is_exact_on_an_incline),
    with_fixture(friction_on_a_sleigh_keeps_second_order),
    with_fixture(redundant_constraints_do_no_harm),
    with_fixture(generalized_alpha_needs_no_regular_mass_matrix),
    with_fixture(rattle_says_that_it_needs_inertia),
    with_fixture(fast_motions_are_damped_by_rho_per_step),
    with_fixture(slow_motions_keep_their_energy),
    with_fixture(the_last_step_is_shortened),
    with_fixture(samples_between_steps_are_of_second_order),
    with_fixture(a_step_takes_few_evaluations),
    with_fixture(rho_outside_0_to_1_is_refused),
    with_fixture(chosen_steps_keep_the_second_order),
    with_fixture(chosen_steps_hold_holonomic_constraints_at_both_levels),
    with_fixture(steps_follow_the_motion),
    with_fixture(without_a_step_the_step_is_chosen),
    with_fixture(settings_that_cannot_be_obeyed_are_refused),
    with_fixture(chosen_steps_without_end_are_reported_once),
    with_fixture(a_step_without_solution_is_reported),
    with_fixture(a_force_that_stops_being_a_number_is_named),
    cmocka_unit_test(lack_of_memory_is_reported_and_leaves_nothing_behind),
    cmocka_unit_test(nothing_is_allocated_during_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
