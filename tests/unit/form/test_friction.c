/* SPDX-License-Identifier: Apache-2.0 */
/* Forces that depend on the constraint forces: closed forms, and cases without a solution or with several. */
#include "form/formulations.h"

/* Formulations that take friction; the laconic equations have no multipliers to make it of. */
static const char *const taking[] = {"multipliers", "udwadia_kalaba", "udwadia_phohomsiri", "rosenberg_extended",
                                     "maggi",
                                     "cascade"};
enum { TAKING = sizeof taking/sizeof *taking };

static void read_forms(void **state, const char *text, System *s, Forms *forms)
{
  read_system(*state, text, s);
  forms_open(s, forms);
}

static void assert_answers(const Forms *forms, const double *a, const double *lambda)
{
  for (int k = 0; k < TAKING; k++) {
    Answer x = answer(forms, taking[k]);
    if (x.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", taking[k], words(forms, &x));
    int n = forms->s->eq.n, m = forms->s->eq.m;
    assert_vectors(taking[k], "acceleration", x.a, a, n, 1e-12, 1 + largest(a, n));
    assert_vectors(taking[k], "multiplier", x.lambda, lambda, m, 1e-12, 1 + largest(lambda, m));
  }
}

static void assert_trouble(const Forms *forms, PfTrouble trouble, const char *part)
{
  for (int k = 0; k < TAKING; k++) {
    Answer x = answer(forms, taking[k]);
    if (x.trouble != trouble) fail_msg("%s: trouble %d", taking[k], (int)x.trouble);
    assert_contains(words(forms, &x), part);
  }
}

/* ---------------------------------------------------------------- sliding */

static const char *const block =
  "param m = 3, g = 9.81, a = 0.5, mu = 0.3\n"
  "coord x, y\n"
  "kinetic m/2*(x'^2 + y'^2)\n"
  "potential -m*g*(x*sin(a) - y*cos(a))\n"
  "constraint plane: y = 0\n"
  "nonideal x = -mu*lambda[plane]*sign(x')\n";

/* x'' = g (sin a -+ mu cos a) down and up the plane, N = m g cos a. */
static void a_block_slides_by_the_rule_of_the_incline(void **state)
{
  System s;
  Forms forms;
  read_forms(state, block, &s, &forms);
  const double N = 3*9.81*cos(0.5);
  for (int way = -1; way <= 1; way += 2) {
    set_state(&s, "x", 0, way*0.5);
    assert_answers(&forms, (double[]){9.81*(sin(0.5) - way*0.3*cos(0.5)), 0}, &N);
    Answer x = answer(&forms, "multipliers");
    assert_near(x.force[0], -way*0.3*N, 1e-12, 0); /* what the constraint does contains the friction */
    assert_near(x.force[1], N, 1e-12, 0);
  }
  close_all(&forms);
}

static void the_laconic_form_says_why_it_has_no_friction(void **state)
{
  System s;
  Forms forms;
  PfSolver *solver;
  read_forms(state, block, &s, &forms);
  assert_int_equal(pf_solver_new(s.ctx, forms.system, pf_formulation_find("laconic"), &solver), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), "depend on multipliers");
  PfDerivation d;
  assert_int_equal(pf_derive_form(s.ctx, s.arena, &s.eq, "maggi", &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), "'x' depends on the multiplier of 'plane'");
  assert_int_equal(pf_derive_form(s.ctx, s.arena, &s.eq, "lagrange", &d), PF_OK);
  close_all(&forms);
}

static void the_example_of_the_incline_keeps_its_word(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "incline_friction", &s);
  set_state(&s, "x", 0.2, 0.5);
  forms_open(&s, &forms);
  const double N = 3*9.81*cos(0.5) - 4*sin(0.2);
  assert_answers(&forms, (double[]){9.81*sin(0.5) + 4*cos(0.2)/3 - 0.3*N/3, 0}, &N);
  close_all(&forms);
}

/* In the frame of the blade, u forward, w = theta':
 *   (I + m a^2) w' = -m a u w - c (a + h)^2 w,   lambda = m (u w + a w') + c (a + h) w,
 *   m u' = m a w^2 - mu |lambda| - c u. */
static void the_sleigh_brakes_as_its_blade_is_pressed(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "sleigh_friction", &s);
  forms_open(&s, &forms);
  const double m = 1, I = 0.2, a = 0.5, b = 0.9, mu = 0.15, c = 0.3;
  for (int way = -1; way <= 1; way += 2) {
    const double th = 0.7, u = 2*way, w = -1.3;
    set_state(&s, "x", 0.1, u*cos(th));
    set_state(&s, "y", 0.2, u*sin(th));
    set_state(&s, "theta", th, w);
    double wd = (-m*a*u*w - c*b*b*w)/(I + m*a*a), lambda = m*(u*w + a*wd) + c*b*w;
    double ud = a*w*w - (mu*fabs(lambda)*way + c*u)/m;
    assert_answers(&forms, (double[]){ud*cos(th) - u*w*sin(th), ud*sin(th) + u*w*cos(th), wd}, &lambda);
  }
  close_all(&forms);
}

/* ---------------------------------------------------------------- a brake */

/* A shoe on a lever (pivot at distance b along it, offset c) is pressed by the moment P on a drum of radius
 * R; the friction pulls the shoe in when the drum turns forward: 0 = P - N b + mu N c sign(theta'), J
 * theta'' = -mu N R sign(theta'). */
static const char *brake(const char *normal)
{
  static char text[600];
  snprintf(text, sizeof text,
           "param I = 0.02, J = 0.5, P = 3, b = 0.2, c = 0.15, mu = 0.4, R = 0.1\n"
           "coord phi, theta\n"
           "let N = %s\n"
           "kinetic I/2*phi'^2 + J/2*theta'^2\n"
           "force phi = P\n"
           "constraint shoe: -b*phi = 0\n"
           "nonideal phi = mu*N*c*sign(theta'), theta = -mu*N*R*sign(theta')\n", normal);
  return text;
}

static void a_brake_helps_itself_in_one_direction(void **state)
{
  static const char *const laws[] = {"lambda[shoe]", "abs(lambda[shoe])"};
  for (int law = 0; law < 2; law++) {
    System s;
    Forms forms;
    read_forms(state, brake(laws[law]), &s, &forms);
    for (int way = -1; way <= 1; way += 2) {
      set_state(&s, "theta", 0, 5*way);
      const double N = 3/(0.2 - way*0.4*0.15);
      assert_answers(&forms, (double[]){0, -way*0.4*N*0.1/0.5}, &N);
    }
    close_all(&forms);
  }
}

/* mu c = b: the friction holds the shoe by itself, whatever the force. */
static void a_brake_that_locks_itself_has_no_determined_force(void **state)
{
  System s;
  Forms forms;
  read_forms(state, brake("lambda[shoe]"), &s, &forms);
  set_parameter(&s, "mu", 0.2/0.15);
  set_state(&s, "theta", 0, 5);
  assert_trouble(&forms, PF_TROUBLE_NO_CONVERGENCE, "no constraint forces were found");
  set_parameter(&s, "P", 0); /* now every force is right */
  assert_trouble(&forms, PF_TROUBLE_NO_CONVERGENCE, "no constraint forces were found");
  close_all(&forms);
}

/* |N| (mu c - b) = -P has no solution for P > 0 when mu c > b, and two for P < 0. */
static void beyond_locking_there_is_no_solution_or_there_are_two(void **state)
{
  System s;
  Forms forms;
  read_forms(state, brake("abs(lambda[shoe])"), &s, &forms);
  set_parameter(&s, "mu", 2);
  set_state(&s, "theta", 0, 5);
  assert_trouble(&forms, PF_TROUBLE_NO_CONVERGENCE, "no constraint forces were found");
  set_parameter(&s, "P", -3);
  assert_trouble(&forms, PF_TROUBLE_NO_CONVERGENCE, "no constraint forces were found");
  close_all(&forms);
}

/* ---------------------------------------------------------------- Painleve's rod */

static const char *rod(const char *normal)
{
  static char text[600];
  snprintf(text, sizeof text,
           "param m = 1.5, l = 0.4, g = 9.81, mu = 0.5\n"
           "coord x, y, theta\n"
           "kinetic m/2*(x'^2 + y'^2) + m*l^2/6*theta'^2\n"
           "potential m*g*y\n"
           "constraint floor: y - l*sin(theta) = 0\n"
           "let rub = -mu*%s*sign(x' + l*sin(theta)*theta')\n"
           "nonideal x = rub, theta = l*sin(theta)*rub\n", normal);
  return text;
}

/* B N + l sin(theta) theta'^2 - g = 0 with m B = 1 + 3 cos (cos +- mu sin), + when the foot slides forward
 * and N > 0. */
static double rod_coefficient(double theta, double mu, double sign)
{
  return (1 + 3*cos(theta)*(cos(theta) + sign*mu*sin(theta)))/1.5;
}

static void set_rod(System *s, double theta, double slip, double w)
{
  set_state(s, "theta", theta, w);
  set_state(s, "y", 0.4*sin(theta), 0.4*cos(theta)*w);
  set_state(s, "x", 0, slip - 0.4*sin(theta)*w);
}

static void a_sliding_rod_has_the_force_of_painleve(void **state)
{
  static const char *const laws[] = {"abs(lambda[floor])", "max(lambda[floor], 0)", "lambda[floor]"};
  for (int law = 0; law < 3; law++) {
    System s;
    Forms forms;
    read_forms(state, rod(laws[law]), &s, &forms);
    for (int way = -1; way <= 1; way += 2) {
      const double th = 1.1, w = 1;
      set_rod(&s, th, way*0.3, w);
      double N = (9.81 - 0.4*sin(th)*w*w)/rod_coefficient(th, 0.5, way), f = -0.5*N*way;
      double a[] = {f/1.5, N/1.5 - 9.81, 3/(1.5*0.4)*(sin(th)*f - cos(th)*N)};
      assert_answers(&forms, a, &N);
    }
    close_all(&forms);
  }
}

static void painleves_paradox_is_reported(void **state)
{
  System s;
  Forms forms;
  read_forms(state, rod("max(lambda[floor], 0)"), &s, &forms);
  set_parameter(&s, "mu", 2);
  const double th = acos(-1)/3;
  assert_true(rod_coefficient(th, 2, -1) < 0);
  set_rod(&s, th, -0.3, 0); /* gravity presses: none */
  assert_trouble(&forms, PF_TROUBLE_NO_CONVERGENCE, "that of 'floor' does not settle");
  set_rod(&s, th, -0.3, 10); /* the spin lifts: two */
  assert_trouble(&forms, PF_TROUBLE_NO_CONVERGENCE, "no constraint forces were found");
  set_rod(&s, th, 0.3, 0); /* pulled instead of pushed: one, since only pressure rubs */
  const double N = 9.81/rod_coefficient(th, 2, 1), f = -2*N;
  assert_answers(&forms, (double[]){f/1.5, N/1.5 - 9.81, 3/(1.5*0.4)*(sin(th)*f - cos(th)*N)}, &N);
  close_all(&forms);
}

/* ---------------------------------------------------------------- redundant constraints */

static const char *double_plane(const char *normal)
{
  static char text[400];
  snprintf(text, sizeof text,
           "coord x, y\n"
           "kinetic x'^2 + y'^2\n"
           "potential 2*5*y\n"
           "constraint plane: y = 0\n"
           "constraint again: 2*y = 0\n"
           "nonideal x = -0.3*(%s)*sign(x')\n", normal);
  return text;
}

static void friction_by_an_undetermined_force_is_refused(void **state)
{
  System s;
  Forms forms;
  read_forms(state, double_plane("lambda[plane]"), &s, &forms);
  set_state(&s, "x", 0, 1);
  assert_trouble(&forms, PF_TROUBLE_AMBIGUOUS, "the force of the constraint 'plane', which redundant");
  close_all(&forms);
}

/* lambda1 + 2 lambda2 is the normal force, however it is shared: 1/5 and 2/5 of 10 make the shortest pair
 * (2, 4). */
static void friction_by_the_sum_of_redundant_forces_is_determined(void **state)
{
  System s;
  Forms forms;
  read_forms(state, double_plane("lambda[plane] + 2*lambda[again]"), &s, &forms);
  set_state(&s, "x", 0, 1);
  assert_answers(&forms, (double[]){-0.3*10/2, 0}, (double[]){2, 4});
  close_all(&forms);
}

/* ---------------------------------------------------------------- several contacts */

/* A wheelbarrow on two rough skids: both normal forces depend on both frictions. Against the solution of the
 * 5 x 5 system by hand: unknowns x'', N1, N2 with y'' = theta'' = 0. */
static void two_rubbing_contacts_are_solved_together(void **state)
{
  System s;
  Forms forms;
  read_forms(state,
             "coord x, y, theta\n"
             "kinetic 4/2*(x'^2 + y'^2) + 0.7/2*theta'^2\n"
             "potential 4*9.81*y\n"
             "force x = 3\n"
             "constraint front: y + 0.6*theta = 0\n"
             "constraint back: y - 0.4*theta = 0\n"
             "let rub = -(0.3*abs(lambda[front]) + 0.5*abs(lambda[back]))*sign(x')\n"
             "nonideal x = rub, theta = 0.5*rub\n", /* the skids are half a metre below the centre */
             &s, &forms);
  set_state(&s, "x", 0, 1);
  /* N1 + N2 = 4 g,  0.6 N1 - 0.4 N2 - 0.5 (0.3 N1 + 0.5 N2) = 0 */
  const double W = 4*9.81, N1 = W*0.65/(0.45 + 0.65), N2 = W - N1;
  assert_answers(&forms, (double[]){(3 - 0.3*N1 - 0.5*N2)/4, 0, 0}, (double[]){N1, N2});
  close_all(&forms);
}

/* A contact without load: nothing to iterate, and no division by its force. */
static void a_contact_without_load_does_not_rub(void **state)
{
  System s;
  Forms forms;
  read_forms(state, block, &s, &forms);
  set_parameter(&s, "g", 0);
  set_state(&s, "x", 0, 0.5);
  assert_answers(&forms, (double[]){0, 0}, (double[]){0});
  close_all(&forms);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_block_slides_by_the_rule_of_the_incline),
    with_fixture(the_laconic_form_says_why_it_has_no_friction),
    with_fixture(the_example_of_the_incline_keeps_its_word),
    with_fixture(the_sleigh_brakes_as_its_blade_is_pressed),
    with_fixture(a_brake_helps_itself_in_one_direction),
    with_fixture(a_brake_that_locks_itself_has_no_determined_force),
    with_fixture(beyond_locking_there_is_no_solution_or_there_are_two),
    with_fixture(a_sliding_rod_has_the_force_of_painleve),
    with_fixture(painleves_paradox_is_reported),
    with_fixture(friction_by_an_undetermined_force_is_refused),
    with_fixture(friction_by_the_sum_of_redundant_forces_is_determined),
    with_fixture(two_rubbing_contacts_are_solved_together),
    with_fixture(a_contact_without_load_does_not_rub),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
