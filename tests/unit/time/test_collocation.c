/* SPDX-License-Identifier: Apache-2.0 */
/* Losses of rank on the way: the time and the constraint are told, and on request the motion goes on along its branch.
 * Chains of equal parallelograms, whose cranks swing alike, lose as many rows at once as there are loops. */
#include "motions.h"

#include <stdarg.h>

enum { LONGEST = 16384 };

typedef struct Text {
  char at[LONGEST];
  size_t used;
} Text;

static void add(Text *text, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  int count = vsnprintf(text->at + text->used, LONGEST - text->used, format, list);
  va_end(list);
  assert_true(count >= 0 && text->used + (size_t)count < LONGEST);
  text->used += (size_t)count;
}

/* ---------------------------------------------------------------- chains */

/* By the angles of cranks (from below) and couplers (from the horizontal). Everything moves as the ends of the cranks
 * do: a pendulum of length l, however many loops there are. */
static void open_angles(Fixture *f, int loops, Moving *x)
{
  Text s = {.used = 0};
  add(&s, "param l = 1, d = 1.5, m = 0.5, M = 2, g = 9.81\n");
  for (int i = 0; i <= loops; i++) add(&s, "coord a%d\nstart a%d = 0.3, a%d' = 7\n", i, i, i);
  for (int i = 0; i <= loops; i++) add(&s, "kinetic m/2*l^2*a%d'^2\npotential -m*g*l*cos(a%d)\n", i, i);
  for (int i = 1; i <= loops; i++) {
    int k = i - 1;
    add(&s, "coord b%d\nkinetic M/2*((l*cos(a%d)*a%d' - d/2*sin(b%d)*b%d')^2 + (l*sin(a%d)*a%d' + d/2*cos(b%d)*b%d')^2)"
        " + M*d^2/24*b%d'^2\n", i, k, k, i, i, k, k, i, i, i);
    add(&s, "potential M*g*(d/2*sin(b%d) - l*cos(a%d))\n", i, k);
    add(&s, "constraint right%d: l*sin(a%d) + d*cos(b%d) - l*sin(a%d) = d\n", i, k, i, i);
    add(&s, "constraint up%d: -l*cos(a%d) + d*sin(b%d) + l*cos(a%d) = 0\n", i, k, i, i);
  }
  open_text(f, s.at, x);
}

/* By the places and angles of all bodies. */
static void open_places(Fixture *f, int loops, Moving *x)
{
  Text s = {.used = 0};
  add(&s, "param l = 1, d = 1.5, mk = 0.5, Jk = 0.05, mr = 2, Jr = 0.4, g = 9.81\n");
  for (int i = 0; i <= loops; i++) {
    add(&s, "coord xk%d, yk%d, tk%d\nkinetic mk/2*(xk%d'^2 + yk%d'^2) + Jk/2*tk%d'^2\n", i, i, i, i, i, i);
    add(&s, "potential mk*g*yk%d\n", i);
    add(&s, "constraint foot%dx: xk%d - l/2*sin(tk%d) = %d*d\nconstraint foot%dy: yk%d + l/2*cos(tk%d) = 0\n", i, i, i,
        i, i, i, i);
    add(&s, "start xk%d = %d*d + l/2*sin(0.3), yk%d = -l/2*cos(0.3), tk%d = 0.3, xk%d' = 3.5*cos(0.3), yk%d' = "
            "3.5*sin(0.3), tk%d' = 7\n",
        i, i, i, i, i, i, i);
  }
  for (int i = 1; i <= loops; i++) {
    int k = i - 1;
    add(&s, "coord xr%d, yr%d, tr%d\nkinetic mr/2*(xr%d'^2 + yr%d'^2) + Jr/2*tr%d'^2\n", i, i, i, i, i, i);
    add(&s, "potential mr*g*yr%d\n", i);
    add(&s, "constraint left%dx: xr%d - d/2*cos(tr%d) = xk%d + l/2*sin(tk%d)\n", i, i, i, k, k);
    add(&s, "constraint left%dy: yr%d - d/2*sin(tr%d) = yk%d - l/2*cos(tk%d)\n", i, i, i, k, k);
    add(&s, "constraint right%dx: xr%d + d/2*cos(tr%d) = xk%d + l/2*sin(tk%d)\n", i, i, i, i, i);
    add(&s, "constraint right%dy: yr%d + d/2*sin(tr%d) = yk%d - l/2*cos(tk%d)\n", i, i, i, i, i);
    add(&s, "start xr%d = (%d - 0.5)*d + l*sin(0.3), yr%d = -l*cos(0.3), xr%d' = 7*cos(0.3), yr%d' = 7*sin(0.3)\n", i,
        i, i, i, i);
  }
  open_text(f, s.at, x);
}

static const char *const methods[] = {"dopri5", "dop853"};
static const double tolerances[] = {1e-6, 1e-8, 1e-10, 1e-12};

/* What an error of single steps of size rtol may grow to in 2 s, and what rounding leaves. */
static double bound(double rtol)
{
  return 200*rtol + 1e-9;
}

static const double flat = 0.19961109706229974682;     /* elliptic integral, see reference/switches.md, S01 */
static const double angle_at_2 = 9.9306852233407730389; /* four passages later */

static void a_chain_stops_where_it_is_flat(void **state)
{
  static const int loops[] = {1, 2, 10};
  for (size_t i = 0; i < sizeof loops/sizeof *loops; i++) {
    Moving x;
    open_angles(*state, loops[i], &x);
    for (int k = 0; k < 8; k += loops[i] < 10 ? 1 : 3) {
      pf_diagnostics_clear(x.s.ctx);
      PfRunResult result = run_with(&x, options_of(methods[k%2], tolerances[k/2], 2));
      assert_int_equal(result.end, PF_RUN_RANK_LOSS);
      assert_near(result.weakest_t, flat, 0, bound(tolerances[k/2]));
      assert_int_equal(result.weakest_row, constraint(&x.s, "right1"));
      assert_true(result.t < result.weakest_t && result.t > flat - 1e-4); /* samples up to it */
      assert_contains(pf_context_message(x.s.ctx), "'right1'");
    }
    close_moving(&x);
  }
}

static void a_chain_goes_on_along_its_branch(void **state)
{
  static const int loops[] = {1, 2, 10};
  for (size_t i = 0; i < sizeof loops/sizeof *loops; i++) {
    Moving x;
    open_angles(*state, loops[i], &x);
    for (int k = 0; k < 8; k += loops[i] < 10 ? 1 : 3) {
      Last last;
      double rtol = tolerances[k/2];
      PfRunOptions options = options_of(methods[k%2], rtol, 2);
      options.keep_going = true;
      pf_diagnostics_clear(x.s.ctx);
      PfRunResult result = run_to_end(&x, options, &last);
      assert_true(result.drift < fmax(1e-8, 4*rtol)*result.energy_start);
      if (pf_diagnostic_count(x.s.ctx) != 3) /* a warning for each passage */
        fail_msg("%s, rtol %g, %d loops: %d warnings, %s", methods[k%2], rtol, loops[i], pf_diagnostic_count(x.s.ctx),
                 pf_context_message(x.s.ctx));
      for (int c = 0; c < x.n; c++) {
        bool crank = x.s.model->coordinates[c].name[0] == 'a';
        assert_near(last.q[c], crank ? angle_at_2 : 0, 0, bound(rtol));
      }
    }
    close_moving(&x);
  }
}

/* The same as one body that swings: n + 1 cranks and n couplers, 1/2 J a'^2 and -k cos a. */
static double swing(Fixture *f, int loops, double t_end)
{
  char text[256];
  Moving x;
  Last last;
  double J = (loops + 1)*(0.5*0.25 + 0.05) + 2*loops, k = 9.81*((loops + 1)*0.25 + 2*loops);
  snprintf(text, sizeof text, "coord a\nkinetic %.17g/2*a'^2\npotential -%.17g*cos(a)\nstart a = 0.3, a' = 7\n", J, k);
  open_text(f, text, &x);
  run_to_end(&x, options_of("dop853", 1e-13, t_end), &last);
  close_moving(&x);
  return last.q[0];
}

static void so_it_does_in_coordinates_of_all_bodies(void **state)
{
  for (int loops = 1; loops <= 2; loops++) {
    Moving x;
    double exact = swing(*state, loops, 1.3);
    open_places(*state, loops, &x);
    for (int k = 0; k < 8; k++) {
      Last last;
      double rtol = tolerances[k/2];
      PfRunOptions options = options_of(methods[k%2], rtol, 1.3);
      pf_diagnostics_clear(x.s.ctx);
      PfRunResult stopped = run_with(&x, options);
      assert_int_equal(stopped.end, PF_RUN_RANK_LOSS);
      assert_int_equal(stopped.weakest_row, constraint(&x.s, "right1x"));
      options.keep_going = true;
      PfRunResult result = run_to_end(&x, options, &last);
      assert_true(result.drift < fmax(1e-8, 4*rtol)*result.energy_start);
      for (int i = 0; i <= loops; i++) assert_near(last.q[3*i + 2], exact, 0, bound(rtol));
    }
    close_moving(&x);
  }
}

/* ---------------------------------------------------------------- rows that vanish */

static void open_crossing(Fixture *f, Moving *x)
{
  open_text(f, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*y\nconstraint lines: x^2 - y^2 = 0\n"
               "start x = -0.8, y = -0.8, x' = 2, y' = 2\n", x);
}

static const char *const all_methods[] = {"dopri5", "dop853", "rk4", "generalized_alpha", "rattle",
#ifdef PF_HAVE_SUNDIALS
                                          "cvode_adams", "cvode_bdf", "ida", "ida2",
#endif
};
enum { ALL_METHODS = sizeof all_methods/sizeof *all_methods };

static PfRunOptions some_options(int method, double t_end)
{
  PfRunOptions options = options_of(all_methods[method], 1e-8, t_end);
  if (pf_method_has_fixed_step(pf_method_find(all_methods[method]))) options.step = 1e-3;
  return options;
}

/* A single constraint: x = y = -0.8 + 2 t - t^2/2. */
static void a_single_row_that_vanishes_is_a_loss_by_every_method(void **state)
{
  const double there = 2 - sqrt(2.4);
  Moving x;
  open_crossing(*state, &x);
  for (int i = 0; i < ALL_METHODS; i++) {
    Last last;
    PfRunOptions options = some_options(i, 1.8);
    pf_diagnostics_clear(x.s.ctx);
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, there, 0, 1e-6);
    assert_contains(pf_context_message(x.s.ctx), "'lines' no longer restricts anything");
    options.keep_going = true;
    run_to_end(&x, options, &last);
    assert_near(last.q[0], 1.18, 0, 1e-6);
    assert_near(last.q[1], 1.18, 0, 1e-6);
  }
  close_moving(&x);
}

/* Also where both ends of a step see the row as long as ever. */
static void a_long_step_across_is_seen(void **state)
{
  Moving x;
  open_crossing(*state, &x);
  static const double first[] = {0.2, 0.6, 0.9, 0.901613};
  for (size_t i = 0; i < sizeof first/sizeof *first; i++) {
    PfRunOptions options = options_of("dopri5", 1e-2, 1.8);
    options.step = first[i];
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_near(result.weakest_t, 2 - sqrt(2.4), 0, 1e-6);
  }
  close_moving(&x);
}

static void a_start_where_a_row_vanishes_is_refused(void **state)
{
  Moving x;
  int row;
  open_crossing(*state, &x);
  assert_int_equal(pf_state_singular(x.s.ctx, x.system, x.s.values, &row), PF_OK);
  assert_int_equal(row, -1);
  set_state(&x.s, "x", 0, 2);
  set_state(&x.s, "y", 0, 2);
  assert_int_equal(pf_state_singular(x.s.ctx, x.system, x.s.values, &row), PF_OK);
  assert_int_equal(row, 0);
  PfRunOptions options = options_of("dopri5", 1e-8, 1);
  for (int k = 0; k < 2; k++) { /* there is no branch on which it came */
    options.keep_going = k;
    PfRunResult result = run_with(&x, options);
    assert_int_equal(result.end, PF_RUN_RANK_LOSS);
    assert_int_equal(result.steps, 0);
  }
  close_moving(&x);
}

/* Rows whose size changes by nature: no alarm, however small they become. */
static void rows_may_become_short(void **state)
{
  static const char *const factor[] = {"exp(-2*t)", "1/(1 + 50*t)^3", "1e-9", "(1.001 + sin(3*t))"};
  for (size_t i = 0; i < sizeof factor/sizeof *factor; i++)
    for (int m = 0; m < ALL_METHODS; m++) {
      char text[256];
      Moving x;
      Last last;
      snprintf(text, sizeof text,
               "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y^2/2\nconstraint c: (%s)*x' = 0\nstart y = 1\n",
               factor[i]);
      open_text(*state, text, &x);
      run_to_end(&x, some_options(m, 10), &last);
      assert_int_equal(pf_diagnostic_count(x.s.ctx), 0);
      assert_near(last.q[1], cos(10), 0, 1e-3);
      close_moving(&x);
    }
}

/* Lengths of micrometres beside angles: a row that vanishes is seen, a start nearby is no singular one. */
static void small_mechanisms_are_mechanisms(void **state)
{
  Moving x;
  open_text(*state, "param s = 1e-6\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint lines: x^2 - y^2 = 0\n"
                    "start x = -s, y = -s, x' = s, y' = s\n", &x);
  PfRunOptions options = options_of("dopri5", 1e-8, 3);
  options.atol = 1e-14;
  PfRunResult result = run_with(&x, options);
  assert_int_equal(result.end, PF_RUN_RANK_LOSS);
  assert_near(result.weakest_t, 1, 0, 1e-6);
  close_moving(&x);
}

/* ---------------------------------------------------------------- no motion beyond */

/* Coupler and rocker in one line: the driven crank can't go on. */
static void a_dead_point_ends_the_run(void **state)
{
  const double there = (acos((1 + 4 - 2.7*2.7)/4) - 0.5)/0.8;
  Moving x;
  open_text(*state, "coord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\nconstraint lengthwise: cos(a) + 1.2*cos(b) - "
                    "1.5*cos(c) = 2\n"
                    "constraint crosswise: sin(a) + 1.2*sin(b) - 1.5*sin(c) = 0\nprescribe motor: a = 0.5 + 0.8*t\n"
                    "start a = 0.5, b = 0.933, c = 1.846\n", &x);
  PfStart start;
  assert_int_equal(pf_start_correct(x.s.ctx, x.system, x.s.values, &start), PF_OK);
  for (int i = 0; i < ALL_METHODS; i++)
    for (int k = 0; k < 2; k++) {
      PfRunOptions options = some_options(i, 3);
      options.keep_going = k;
      PfRunResult result = run_with(&x, options);
      assert_int_equal(result.end, PF_RUN_RANK_LOSS);
      assert_near(result.weakest_t, there, 0, 1e-5);
    }
  close_moving(&x);
}

/* ---------------------------------------------------------------- samples on the way */

typedef struct Rows {
  int count;
  double t[8], angle[8];
} Rows;

static PfStatus keep_row(void *user, const PfSample *sample)
{
  Rows *rows = user;
  rows->t[rows->count] = sample->t;
  rows->angle[rows->count++] = sample->q[2];
  return PF_OK;
}

/* Two blades steered against each other: f = 0.3 + t/2, th as in reference/switches.md, S05. */
static void samples_before_a_loss_are_not_left_out(void **state)
{
  static const double at[] = {2, 2.4, 2.54};
  Moving x;
  open_text(*state, "param m = 1, J = 0.3, Js = 0.1, l = 0.5\ncoord x, y, th, f\n"
                    "kinetic m/2*(x'^2 + y'^2) + J/2*th'^2 + Js*f'^2\n"
                    "constraint front: -sin(th + f)*x' + cos(th + f)*y' + l*cos(f)*th' = 0\n"
                    "constraint rear: -sin(th - f)*x' + cos(th - f)*y' - l*cos(f)*th' = 0\n"
                    "start f = 0.3, f' = 0.5, x' = 1 !\n", &x);
  PfStart start;
  assert_int_equal(pf_start_correct(x.s.ctx, x.system, x.s.values, &start), PF_OK);
  for (int k = 0; k < 2; k++) {
    Rows rows = {0};
    PfRunOptions options = options_of(methods[k], 1e-8, 3);
    options.at = at, options.at_count = 3;
    options.sample = keep_row, options.user = &rows;
    assert_int_equal(run_with(&x, options).end, PF_RUN_RANK_LOSS);
    assert_int_equal(rows.count, 3);
    assert_near(rows.angle[0], 2.7502651765559857784, 0, 1e-6);
    assert_near(rows.angle[1], 3.5108893271651737839, 0, 1e-6);
  }
  close_moving(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_chain_stops_where_it_is_flat),
    with_fixture(a_chain_goes_on_along_its_branch),
    with_fixture(so_it_does_in_coordinates_of_all_bodies),
    with_fixture(a_single_row_that_vanishes_is_a_loss_by_every_method),
    with_fixture(a_long_step_across_is_seen),
    with_fixture(a_start_where_a_row_vanishes_is_refused),
    with_fixture(rows_may_become_short),
    with_fixture(small_mechanisms_are_mechanisms),
    with_fixture(a_dead_point_ends_the_run),
    with_fixture(samples_before_a_loss_are_not_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
