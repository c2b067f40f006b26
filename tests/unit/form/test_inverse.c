/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse dynamics with constraints: by hand, against the recursion over bodies, and what is not determined. */
#include "form/tree_states.h"

#include "pfaff/lang.h"

typedef struct Problem {
  Fixture *f;
  PfModel *model;
  PfEquations eq;
  PfInverse *inverse;
  const PfActuation *answer;
} Problem;

static void open_problem(Fixture *f, const char *text, const char *const *actuators, int count, const int *wanted,
                         int wanted_count, Problem *p)
{
  *p = (Problem){.f = f};
  if (pf_model_read(f->ctx, "m.pf", text, strlen(text), &p->model) != PF_OK) fail_msg("%s", pf_context_message(f->ctx));
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, p->model, &p->eq), PF_OK);
  if (pf_inverse_new(f->ctx, &p->eq, actuators, count, wanted, wanted_count, &p->inverse) != PF_OK)
    fail_msg("%s", pf_context_message(f->ctx));
}

static void close_problem(Problem *p)
{
  pf_inverse_free(p->inverse);
  pf_model_free(p->model);
}

/* At the start of the model. */
static void solve(Problem *p, const double *wanted)
{
  double values[256];
  int row;
  assert_int_equal(pf_equations_start(p->f->ctx, &p->eq, NULL, values), PF_OK);
  assert_int_equal(pf_inverse_solve(p->inverse, values, wanted, &p->answer, &row), PF_TROUBLE_NONE);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define NUMBERS(...) ((const int[]){__VA_ARGS__})
#define WANTED(...) ((const double[]){__VA_ARGS__})

static const char pair[] = "coord x, y\nkinetic x'^2/2 + 3*y'^2/2\nconstraint rod: x = y\n";

/* One of two masses on a rod is pushed: it has to move both. */
static void a_constraint_carries_the_force_on(void **state)
{
  Problem p;
  open_problem(*state, pair, NAMES("x"), 1, NUMBERS(0), 1, &p);
  for (int round = 0; round < 3; round++) { /* nothing is left of the round before */
    solve(&p, WANTED(2));
    assert_near(p.answer->force[0], (1 + 3)*2, 1e-13, 0);
    assert_near(p.answer->acceleration[1], 2, 1e-13, 0);
    assert_near(fabs(p.answer->multiplier[0]), 3*2, 1e-13, 0);
    assert_true(p.answer->met && p.answer->determined[0]);
  }
  close_problem(&p);
}

/* M = [1 1; 1 1 + e] with a tiny e, as of a point mass near the axle of its joint: M^-1 has elements of 1/e, but the
 * forces M q'' + dV/dq need no inverse. */
static void a_mass_matrix_that_is_nearly_singular_costs_no_digits(void **state)
{
  static const char *const texts[] = {
    "coord x, y\nkinetic (x' + y')^2/2 + 1e-11*y'^2/2\npotential x\n",
    "coord x, y\ninput u, v\nkinetic (x' + y')^2/2 + 1e-11*y'^2/2\npotential x\nforce x = u, y = u + v\n",
    "coord x, y, z\nkinetic (x' + y')^2/2 + 1e-11*y'^2/2 + z'^2/2\npotential x\nconstraint c: z = 2*x + t^2\n"};
  for (int k = 0; k < 3; k++) {
    Problem p;
    open_problem(*state, texts[k], k == 1 ? NAMES("u", "v") : NAMES("x", "y"), 2, NUMBERS(0, 1), 2, &p);
    solve(&p, WANTED(1, 2)); /* z'' = 2*1 + 2 adds 2*z'' to the force on x */
    double x = 4 + (k == 2 ? 8 : 0);
    assert_near(p.answer->force[0], x, 1e-13, 0);
    assert_near(p.answer->force[1], 3 + 2e-11 - (k == 1 ? x : 0), 1e-13, 0);
    assert_near(p.answer->acceleration[1], 2, 1e-13, 0);
    assert_true(p.answer->met && p.answer->determined[0] && p.answer->determined[1]);
    solve(&p, WANTED(0, 0)); /* at rest: the weight alone */
    x = k == 2 ? 5 : 1;
    assert_near(p.answer->force[0], x, 1e-13, 0);
    assert_near(p.answer->force[1], k == 1 ? -x : 0, 1e-13, 1e-13);
    assert_true(p.answer->met && p.answer->determined[0] && p.answer->determined[1]);
    close_problem(&p);
  }
}

/* Eight such pairs go by the structure of the system. */
static void nor_does_one_of_many_coordinates(void **state)
{
  enum { PAIRS = 8 };
  static const char text[] = "coord x[8], y[8]\nfor i in 1..8 {\nkinetic i*(x[i]' + y[i]')^2/2 + 1e-11*y[i]'^2/2\n"
                             "potential i*x[i]\n}\n";
  const char *names[2*PAIRS];
  int wanted[2*PAIRS];
  double target[2*PAIRS];
  Problem p;
  char room[2*PAIRS][8];
  for (int i = 0; i < 2*PAIRS; i++) {
    (void)snprintf(room[i], sizeof room[i], "%c[%d]", i < PAIRS ? 'x' : 'y', i%PAIRS + 1);
    names[i] = room[i];
    wanted[i] = i;
    target[i] = i < PAIRS ? 1 : 2;
  }
  open_problem(*state, text, names, 2*PAIRS, wanted, 2*PAIRS, &p);
  solve(&p, target);
  for (int i = 0; i < 2*PAIRS; i++) {
    double m = i%PAIRS + 1;
    assert_near(p.answer->force[i], i < PAIRS ? 4*m : 3*m + 2e-11, 1e-13, 0);
    assert_true(p.answer->determined[i]);
  }
  assert_true(p.answer->met);
  close_problem(&p);
}

/* Both are pushed: any division would do, the least is equal parts. */
static void what_is_not_determined_is_said_and_least(void **state)
{
  Problem p;
  open_problem(*state, pair, NAMES("x", "y"), 2, NUMBERS(0), 1, &p);
  solve(&p, WANTED(2));
  assert_near(p.answer->force[0], 4, 1e-12, 0);
  assert_near(p.answer->force[1], 4, 1e-12, 0);
  assert_false(p.answer->determined[0] || p.answer->determined[1]);
  assert_int_equal(p.answer->rank, 1);
  assert_true(p.answer->met);
  close_problem(&p);
}

/* Two motions are wanted that the rod forbids: as near as possible is half way. */
static void what_cannot_be_is_missed_by_least_squares(void **state)
{
  Problem p;
  open_problem(*state, pair, NAMES("x"), 1, NUMBERS(0, 1), 2, &p);
  solve(&p, WANTED(1, 2));
  assert_false(p.answer->met);
  assert_near(p.answer->acceleration[0], 1.5, 1e-12, 0);
  assert_near(p.answer->residual[0], -0.5, 1e-12, 0);
  assert_near(p.answer->residual[1], 0.5, 1e-12, 0);
  close_problem(&p);
}

/* A cart with a pendulum of length 1 at phi = 0.3, the cart alone being pushed: phi'' = (g sin - x'' cos)/l. */
static void other_coordinates_move_as_they_must(void **state)
{
  const double g = 9.81, phi = 0.3;
  Problem p;
  open_problem(*state,
               "coord x, phi\ninput u = sin(t)\nkinetic x'^2 + (x'^2 + 2*x'*phi'*cos(phi) + phi'^2)/2\n"
               "potential 9.81*cos(phi)\nforce x = 2*u\nstart phi = 0.3\n",
               NAMES("u"), 1, NUMBERS(0), 1, &p);
  solve(&p, WANTED(1.5));
  const double turn = g*sin(phi) - 1.5*cos(phi);
  assert_near(p.answer->acceleration[1], turn, 1e-13, 0);
  assert_near(p.answer->force[0], (3*1.5 + turn*cos(phi))/2, 1e-13, 0);
  close_problem(&p);
}

/* Without constraints and with all coordinates pushed it is the inverse dynamics of the tree. */
static void it_equals_the_recursion_where_there_are_no_constraints(void **state)
{
  Fixture *f = *state;
  const double wanted[3] = {0.5, -2, 1};
  Problem p;
  PfTree *tree;
  PfTreeWork *work;
  double q[3] = {0.1, 0.4, -0.7}, v[3] = {0.3, -1, 2}, tau[3];
  open_problem(f,
               "gravity (0, 0, -9.81)\ncoord x, a, b\n"
               "body cart in ground shift x along x { mass 2 }\n"
               "body upper in cart turn a about y { mass 1, com (0, 0, 0.3), inertia diag(0.1, 0.1, 0.02) }\n"
               "body lower in upper at (0, 0, 0.6) turn b about (1, 1, 0) { mass 1, com (0, 0.1, 0.2), inertia "
               "diag(0.1, 0.1, 0.1) }\n"
               "damper a { damping 0.4 }\nstart x = 0.1, a = 0.4, b = -0.7, x' = 0.3, a' = -1, b' = 2\n",
               NAMES("x", "a", "b"), 3, NUMBERS(0, 1, 2), 3, &p);
  solve(&p, wanted);
  assert_int_equal(pf_tree_from_model(p.model, NULL, &tree), PF_OK);
  assert_int_equal(pf_tree_work_new(f->ctx, tree, &work), PF_OK);
  assert_int_equal(pf_tree_inverse(work, q, v, wanted, tau), PF_OK);
  for (int i = 0; i < 3; i++) assert_near(p.answer->force[i], tau[i], 1e-11, 1e-11);
  pf_tree_work_free(work);
  pf_tree_free(tree);
  close_problem(&p);
}

/* A block on the ground, weight 2 g and friction mu N: (f - mu m g) = m a. */
static void friction_is_overcome(void **state)
{
  Problem p;
  open_problem(*state,
               "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint floor: y = 0\n"
               "nonideal x = -0.3*lambda[floor]\nstart x' = 1\n",
               NAMES("x"), 1, NUMBERS(0), 1, &p);
  solve(&p, WANTED(1));
  assert_near(p.answer->force[0], 2*1 + 0.3*2*9.81, 1e-12, 0);
  assert_true(p.answer->met);
  close_problem(&p);
}

static void names_that_nobody_has_are_refused(void **state)
{
  Fixture *f = *state;
  Problem p;
  PfInverse *inverse;
  open_problem(f, pair, NAMES("x"), 1, NUMBERS(0), 1, &p);
  assert_int_equal(pf_inverse_new(f->ctx, &p.eq, NAMES("motor"), 1, NUMBERS(0), 1, &inverse), PF_ERR_NAME);
  assert_null(inverse);
  assert_contains(pf_context_message(f->ctx), "'motor' is neither");
  assert_int_equal(pf_inverse_new(f->ctx, &p.eq, NAMES("x", "x"), 2, NUMBERS(0), 1, &inverse), PF_ERR_ARGUMENT);
  assert_int_equal(pf_inverse_new(f->ctx, &p.eq, NAMES("x"), 1, NUMBERS(7), 1, &inverse), PF_ERR_ARGUMENT);
  close_problem(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_constraint_carries_the_force_on),
    with_fixture(a_mass_matrix_that_is_nearly_singular_costs_no_digits),
    with_fixture(nor_does_one_of_many_coordinates),
    with_fixture(what_is_not_determined_is_said_and_least),
    with_fixture(what_cannot_be_is_missed_by_least_squares),
    with_fixture(other_coordinates_move_as_they_must),
    with_fixture(it_equals_the_recursion_where_there_are_no_constraints),
    with_fixture(friction_is_overcome),
    with_fixture(names_that_nobody_has_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
