/* SPDX-License-Identifier: Apache-2.0 */
/* Models as trees: the accelerations of the model, names, and what a tree cannot say. */
#include "form/tree_states.h"

#include "pfaff/lang.h"

typedef struct Pair {
  PfArena *arena;
  PfModel *model;
  PfEquations eq;
  PfSystem *system;
  PfSolver *solver;
  PfTree *tree;
  PfTreeWork *work;
} Pair;

static void read_model(Fixture *f, const char *text, PfModel **model)
{
  if (pf_model_read(f->ctx, "model.pf", text, strlen(text), model) != PF_OK) fail_msg("%s", pf_context_message(f->ctx));
}

static void open_pair(Fixture *f, const char *text, Pair *p)
{
  *p = (Pair){.arena = f->arena};
  read_model(f, text, &p->model);
  if (pf_tree_from_model(p->model, NULL, &p->tree) != PF_OK) fail_msg("%s", pf_context_message(f->ctx));
  assert_int_equal(pf_tree_work_new(f->ctx, p->tree, &p->work), PF_OK);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, p->model, &p->eq), PF_OK);
  assert_int_equal(pf_system_new(f->ctx, &p->eq, &p->system), PF_OK);
  assert_int_equal(pf_solver_new(f->ctx, p->system, pf_formulation_find("multipliers"), &p->solver), PF_OK);
}

static void close_pair(Pair *p)
{
  pf_solver_free(p->solver);
  pf_system_free(p->system);
  pf_tree_work_free(p->work);
  pf_tree_free(p->tree);
  pf_model_free(p->model);
}

/* Offsets, axes the other way round, springs that are stretched at zero, bodies fixed to others, general axes. */
static const char arm[] =
    "param L = 0.7 [m], k = 3\n"
    "gravity (0, 1, -9.81)\n"
    "coord x [m], a, b, c [rad]\n"
    "body cart in ground at (0.2, 0, 0.1) shift 0.3 [m] + x along (1, 2, 0) { mass 2, inertia diag(1, 2, 1.5) }\n"
    "body upper in cart at (0, 0, L) turn pi/3 - a about (1, 0, 2) { mass 1, com (0, 0.1, 0.2), inertia diag(0.1, 0.2, "
    "0.15) }\n"
    "body lead in upper at (0.1, 0.2, 0.3) turn 0.4 about y { mass 0.5, inertia diag(0.01, 0.01, 0.01) }\n"
    "frame sensor in lead at (0, 0, 0.1)\n"
    "body lower in lead at (0, 0, 0.4) turn b about x turn c about y { mass 0.6, com (0, 0, 0.3), inertia diag(0.02, "
    "0.02, 0.01) }\n"
    "spring a { stiffness k, length 0.2 }\n"
    "damper b { damping 0.7 }\n"
    "input u\n"
    "force c = u\n";

static const char floating[] =
    "gravity (0, 0, -2)\n"
    "coord s [m]\n"
    "body bus in ground free { mass 3, com (0.1, 0, 0), inertia diag(1, 2, 2.5) }\n"
    "body hub in bus at (0, 0, 0.5) ball { mass 1, com (0, 0.2, 0), inertia diag(0.3, 0.2, 0.3) }\n"
    "body mast in hub shift s along z { mass 0.5, inertia diag(0.1, 0.1, 0.1) }\n";

static void the_tree_accelerates_as_the_model_does(void **state)
{
  const char *const texts[] = {arm, floating};
  for (int i = 0; i < 2; i++) {
    Pair p;
    open_pair(*state, texts[i], &p);
    for (uint64_t seed = 1; seed < 6; seed++) assert_same_accelerations(p.tree, p.work, p.system, p.solver, seed);
    close_pair(&p);
  }
}

static void bodies_frames_and_coordinates_have_their_names(void **state)
{
  Fixture *f = *state;
  PfModel *model;
  PfTree *tree;
  read_model(f, arm, &model);
  assert_int_equal(pf_tree_from_model(model, NULL, &tree), PF_OK);
  int upper = pf_tree_find_body(tree, "upper"), lead = pf_tree_find_body(tree, "lead"),
      sensor = pf_tree_find_body(tree, "sensor");
  assert_true(upper >= 0 && lead >= 0 && sensor >= 0);
  assert_int_equal(pf_tree_find_joint(tree, "a"), upper);
  assert_int_equal(pf_tree_get(tree, lead).joint, PF_JOINT_WELD);
  assert_int_equal(pf_tree_get(tree, sensor).joint, PF_JOINT_WELD);
  assert_int_equal(pf_tree_find_joint(tree, "c"), pf_tree_find_body(tree, "lower"));
  assert_int_equal(pf_tree_get(tree, pf_tree_find_joint(tree, "c")).parent, pf_tree_find_joint(tree, "b"));
  pf_tree_free(tree);
  pf_model_free(model);
}

/* A mass on a slide and a spring: x'' = -k x/m. */
static void parameters_may_have_other_values(void **state)
{
  Fixture *f = *state;
  PfModel *model;
  PfTree *tree;
  PfTreeWork *work;
  double q = 0.5, v = 0, vdot;
  read_model(f, "param k = 3, m = 2\ncoord x\nbody b in ground shift x along x { mass m }\nspring x { stiffness k }\n",
             &model);
  assert_int_equal(pf_tree_from_model(model, (const double[]){NAN, 5}, &tree), PF_OK);
  assert_int_equal(pf_tree_work_new(f->ctx, tree, &work), PF_OK);
  assert_int_equal(pf_tree_forward(work, &q, &v, NULL, &vdot), PF_OK);
  assert_near(vdot, -3*0.5/5, 1e-15, 0);
  pf_tree_work_free(work);
  pf_tree_free(tree);
  pf_model_free(model);
}

static void what_a_tree_cannot_say_is_refused_by_name(void **state)
{
  static const char *const cases[][2] = {
    {"coord x\nkinetic x'^2\n", "no bodies"},
    {"coord x, y\nkinetic y'^2\nbody b in ground shift x along x { mass 1 }\n", "given by 'kinetic'"},
    {"coord x, y\nbody b in ground shift x along x shift y along y { mass 1 }\nconstraint c: x = y\n", "'c'"},
    {"coord x, y\nbody b in ground shift x*y along x { mass 1 }\n", "several coordinates at once, 'x' and 'y'"},
    {"coord x\nbody b in ground shift 2*x along x { mass 1 }\n", "2 times the coordinate 'x'"},
    {"coord x\nbody b in ground shift sin(x) along x { mass 1 }\n", "nonlinear function of 'x'"},
    {"coord x\nbody b in ground shift sin(t) along y shift x along x { mass 1 }\n", "'b' follows time"},
    {"coord x\nbody b in ground shift x along x { mass 1 }\nbody c in b turn x about z { mass 1, inertia diag(1, 1, 1) "
     "}\n",
     "'x' moves more than one joint"},
    {"coord x, y\nbody b in ground shift x along x { mass 1 }\nframe c in b shift y along y\n", "'y' moves no mass"},
    {"coord x\nbody b in ground shift x along x { mass 1 }\nforce x = -x^3\n", "force on 'x'"},
    {"coord x\nbody b in ground shift x along x { mass 1 }\nforce x = 2\n", "force on 'x'"},
    {"coord x\ngravity (0, sin(t), 0)\nbody b in ground shift x along x { mass 1 }\n", "gravity of a tree is constant"},
  };
  Fixture *f = *state;
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfModel *model;
    PfTree *tree;
    read_model(f, cases[i][0], &model);
    assert_int_equal(pf_tree_from_model(model, NULL, &tree), PF_ERR_MODEL);
    assert_null(tree);
    assert_contains(pf_context_message(f->ctx), cases[i][1]);
    pf_diagnostics_clear(f->ctx);
    pf_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_tree_accelerates_as_the_model_does),
    with_fixture(bodies_frames_and_coordinates_have_their_names),
    with_fixture(parameters_may_have_other_values),
    with_fixture(what_a_tree_cannot_say_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
