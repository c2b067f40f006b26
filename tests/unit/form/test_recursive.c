/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion over bodies as a formulation: against the multipliers on every example with bodies, joints of every
 * kind, loops, steps that follow others, and what it refuses. */
#include "form/formulations.h"


static PfSolver *open_recursive(System *s, PfSystem **system)
{
  PfSolver *solver = NULL;
  if (pf_system_new(s->ctx, &s->eq, system) != PF_OK) fail_msg("%s", pf_context_message(s->ctx));
  if (pf_solver_new(s->ctx, *system, pf_formulation_find("recursive"), &solver) != PF_OK) return NULL;
  return solver;
}

static double largest_of(const double *x, int count)
{
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Accelerations and forces of constraint by both, at arbitrary states on or off the constraints. */
static void assert_agrees(System *s, const char *name, PfSystem *system, PfSolver *recursive)
{
  PfSolver *multipliers;
  assert_int_equal(pf_solver_new(s->ctx, system, pf_formulation_find("multipliers"), &multipliers), PF_OK);
  Forms forms = {.s = s, .system = system};
  uint64_t seed = 11;
  for (int round = 0; round < 4; round++) {
    set_random_state(s, &seed);
    if (!strcmp(name, "ball_in_bowl") || !strcmp(name, "wheel_in_shell")) break; /* not defined everywhere */
    Answer a = answer_of(&forms, multipliers), b = answer_of(&forms, recursive);
    if (a.trouble != PF_TROUBLE_NONE) continue; /* rows that are redundant only where the constraints hold */
    assert_int_equal(b.trouble, PF_TROUBLE_NONE);
    double size = 1 + largest_of(a.a, s->eq.n), load = 1 + largest_of(a.force, s->eq.n);
    for (int i = 0; i < s->eq.n; i++) {
      if (!(fabs(a.a[i] - b.a[i]) <= 1e-10*size))
        fail_msg("%s, %s'': %.17g and not %.17g", name, s->model->coordinates[i].name, b.a[i], a.a[i]);
      if (!(fabs(a.force[i] - b.force[i]) <= 1e-9*load))
        fail_msg("%s, force on %s: %.17g and not %.17g", name, s->model->coordinates[i].name, b.force[i], a.force[i]);
    }
  }
  pf_solver_free(multipliers);
}

static void examples_with_bodies_agree_with_the_multipliers(void **state)
{
  Fixture *f = *state;
  int compared = 0;
  for (const char *const *name = representative_examples(f); *name; name++) {
    System s;
    PfSystem *system;
    load_system(f, *name, &s);
    PfSolver *recursive = open_recursive(&s, &system);
    if (recursive) {
      assert_agrees(&s, *name, system, recursive);
      compared++;
    }
    pf_diagnostics_clear(f->ctx);
    pf_solver_free(recursive);
    pf_system_free(system);
    pf_model_free(s.model);
  }
  assert_true(compared >= 15);
}

static void assert_text_agrees(Fixture *f, const char *text)
{
  System s;
  PfSystem *system;
  read_system(f, text, &s);
  PfSolver *recursive = open_recursive(&s, &system);
  if (!recursive) fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
  assert_agrees(&s, text, system, recursive);
  pf_solver_free(recursive);
  pf_system_free(system);
  pf_model_free(s.model);
}

#define INERTIA "{ mass 2, com (0.1, -0.2, 0.3), inertia inertia(1, 1.5, 2, 0.1, -0.2, 0.05) }\n"

static void every_kind_of_joint_agrees(void **state)
{
  static const struct {
    const char *coordinates, *placement;
  } joints[] = {
    {", a", "turn a about (1, 2, 2)"}, {", a", "shift a along (1, 2, 2)"},
    {", a", "turn a about z shift 0.3*a along z"},
    {", a, b", "turn a about x shift b along x"}, {", a, b", "turn a about z turn b about x"},
    {"", "at (0.1, 0, 0) ball at (0, 0.2, 0)"}, {", a, b, c", "at (a, b, 0) turn c about z"},
    {"", "at (0, 1, 0) free turn 0.2 about x"},
    {", a, b, c", "turn a about z at (1, 0, 0) turn b about y turn c about x"},
    {", a, b, c", "at (a^2, b, sin(c))"},
    {", a, b, c", "turn a + b about z turn a about x shift b along x turn c about y"},
    {", a", "turn 0.3*t about x turn a about z"}, {"", "at (sin(t), 0, 0)"},
  };
  for (size_t i = 0; i < sizeof joints/sizeof *joints; i++) {
    char text[1024];
    snprintf(text, sizeof text, "coord z0%s\ngravity (1, -2, -9.81)\n"
             "body base in ground at (0, 0, z0) " INERTIA "body link in base %s " INERTIA
             "body tip in link at (0, 0, 1) ball " INERTIA "spring tip.turn { stiffness 2, damping 0.1 }\n"
                                                           "force z0 = -z0'\n",
             joints[i].coordinates, joints[i].placement);
    assert_text_agrees(*state, text);
  }
}

static void loops_and_rows_of_any_kind_agree(void **state)
{
  assert_text_agrees(*state, "coord a, b\ngravity (0, 0, -9.81)\n"
                             "body hub in ground free " INERTIA "body arm in hub turn a about z " INERTIA
                             "body hand in arm at (1, 0, 0) turn b about x " INERTIA
                             "constraint geared: a' = 3*b'\nconstraint fixed: dot(vel(hand), hand.x) = 0.2*t\n"
                             "constraint again: 2*a' = 6*b'\n");
}

static void what_it_cannot_do_it_says(void **state)
{
  static const struct {
    const char *text, *why;
  } refused[] = {
    {"coord x\nkinetic x'^2\n", "the model has no bodies"},
    {"coord x, y\nkinetic y'^2\nbody a in ground at (x, 0, 0) { mass 1 }\n",
     "a part of the inertia is given by 'kinetic'"},
    {"coord x, y\nbody a in ground at (x + y, 0, 0) { mass 1 }\npotential y^2\n", "places no body by itself"},
    {"coord x, y\nbody a in ground at (x, 0, 0) { mass 1 }\nframe b in a turn y about z\npotential y^2\n",
     "moves no mass"},
  };
  Fixture *f = *state;
  for (size_t i = 0; i < sizeof refused/sizeof *refused; i++) {
    System s;
    PfSystem *system;
    read_system(f, refused[i].text, &s);
    assert_null(open_recursive(&s, &system));
    assert_contains(pf_context_message(f->ctx), refused[i].why);
    pf_diagnostics_clear(f->ctx);
    pf_system_free(system);
    pf_model_free(s.model);
  }
}

/* Other parameters make another tree. */
static void parameters_may_change(void **state)
{
  System s;
  PfSystem *system;
  read_system(*state, "param m = 2, l = 1\ncoord a\ngravity (0, 0, -10)\n"
                      "body rod in ground turn a about y { mass m, com (0, 0, -l) }\nstart a = 1\n", &s);
  PfSolver *recursive = open_recursive(&s, &system);
  Forms forms = {.s = &s, .system = system};
  assert_non_null(recursive);
  set_state(&s, "a", 1, 0);
  assert_near(answer_of(&forms, recursive).a[0], -10*sin(1), 1e-14, 0);
  s.values[pf_model_find_parameter(s.model, "l")] = 4;
  assert_near(answer_of(&forms, recursive).a[0], -10*sin(1)/4, 1e-14, 0);
  pf_solver_free(recursive);
  pf_system_free(system);
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(examples_with_bodies_agree_with_the_multipliers),
    with_fixture(every_kind_of_joint_agrees),
    with_fixture(loops_and_rows_of_any_kind_agree),
    with_fixture(what_it_cannot_do_it_says),
    with_fixture(parameters_may_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
