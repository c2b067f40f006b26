/* SPDX-License-Identifier: Apache-2.0 */
/* Systems and solvers: the list, what they say about themselves, memory, and that they do not disturb each
 * other. */
#include "form/formulations.h"

/* ---------------------------------------------------------------- the list */

static void every_formulation_is_found_by_its_name_and_cites_a_source(void **state)
{
  (void)state;
  int count = 0;
  for (; pf_formulation(count); count++) {
    const PfFormulation *f = pf_formulation(count);
    assert_ptr_equal(pf_formulation_find(pf_formulation_name(f)), f);
    assert_true(strlen(pf_formulation_source(f)) > 20);
    assert_true(strlen(pf_formulation_summary(f)) > 20);
    for (int k = 0; k < count; k++)
      assert_string_not_equal(pf_formulation_name(f), pf_formulation_name(pf_formulation(k)));
  }
  assert_true(count >= 8);
  assert_null(pf_formulation(-1));
  assert_null(pf_formulation_find("newton"));
  assert_null(pf_formulation_find(""));
}

/* The omni robot: 6 coordinates, 3 constraints. */
static void solvers_say_how_many_unknowns_they_have(void **state)
{
  static const struct {
    const char *name;
    int unknowns;
  } expected[] = {{"multipliers", 9}, {"udwadia_kalaba", 6}, {"udwadia_phohomsiri", 6}, {"rosenberg", 3},
                  {"rosenberg_extended", 3}, {"maggi", 3}, {"laconic", 3}, {"cascade", 3}};
  System s;
  Forms forms;
  load_system(*state, "omni_robot", &s);
  forms_open(&s, &forms);
  for (size_t i = 0; i < sizeof expected/sizeof *expected; i++) {
    PfSolver *solver = forms.solver[form_index(expected[i].name)];
    assert_int_equal(pf_solver_unknowns(solver, 3), expected[i].unknowns);
    assert_string_equal(pf_formulation_name(pf_solver_formulation(solver)), expected[i].name);
  }
  assert_ptr_equal(pf_system_equations(forms.system), &s.eq);
  assert_int_equal(pf_system_symbols(forms.system)->count, s.symbols.count);
  close_all(&forms);
}

/* ---------------------------------------------------------------- without constraints */

/* A pendulum on a cart by hand: (M + m) x'' + m l cos a'' = m l sin a'^2, m l cos x'' + m l^2 a'' = -m g l
 * sin. */
static void without_constraints_all_give_newtons_accelerations(void **state)
{
  System s;
  Forms forms;
  read_system(*state,
              "coord x, a\n"
              "kinetic 2/2*x'^2 + 3/2*((x' + 0.5*cos(a)*a')^2 + (0.5*sin(a)*a')^2)\n"
              "potential -3*9.81*0.5*cos(a)\n", &s);
  set_state(&s, "x", 1, 2);
  set_state(&s, "a", 0.8, -1.5);
  forms_open(&s, &forms);
  const double c = cos(0.8), n = sin(0.8), w2 = 2.25, det = 5*0.75 - 1.5*c*1.5*c;
  const double f1 = 1.5*n*w2, f2 = -3*9.81*0.5*n;
  const double a[] = {(0.75*f1 - 1.5*c*f2)/det, (5*f2 - 1.5*c*f1)/det};
  for (int k = 0; k < forms.count; k++) {
    assert_non_null(forms.solver[k]);
    Answer x = answer_of(&forms, forms.solver[k]);
    assert_int_equal(x.trouble, PF_TROUBLE_NONE);
    assert_vectors(pf_formulation_name(pf_formulation(k)), "acceleration", x.a, a, 2, 1e-14, largest(a, 2));
    assert_vectors(pf_formulation_name(pf_formulation(k)), "force", x.force, (double[]){0, 0}, 2, 1e-13, largest(a, 2));
  }
  close_all(&forms);
}

/* As many constraints as coordinates: nothing is left to solve. */
static void fully_constrained_motion_is_given_by_the_constraints(void **state)
{
  System s;
  Forms forms;
  read_system(*state,
              "coord x, y\n"
              "kinetic x'^2 + 2*y'^2\n"
              "force x = 1\n"
              "constraint a: x' + y' = 3*t\n"
              "constraint b: x' - y' = t\n", &s);
  forms_open(&s, &forms);
  for (int k = 0; k < forms.count; k++) {
    assert_non_null(forms.solver[k]);
    Answer x = answer_of(&forms, forms.solver[k]);
    assert_int_equal(x.trouble, PF_TROUBLE_NONE);
    assert_vectors(pf_formulation_name(pf_formulation(k)), "acceleration", x.a, (double[]){2, 1}, 2, 1e-14, 1);
    assert_vectors(pf_formulation_name(pf_formulation(k)), "force", x.force, (double[]){3, 4}, 2, 1e-14, 4);
    assert_vectors(pf_formulation_name(pf_formulation(k)), "multiplier", x.lambda, (double[]){3.5, -0.5}, 2, 1e-14, 4);
  }
  close_all(&forms);
}

/* ---------------------------------------------------------------- memory */

typedef struct Measured {
  Fixture f;
  Counter counter;
  System s;
  Forms forms;
} Measured;

static void open_measured(Measured *x, const char *example)
{
  counter_init(&x->counter);
  x->f.ctx = pf_context_new(&x->counter.allocator);
  x->f.arena = pf_arena_new(&x->counter.allocator);
  load_system(&x->f, example, &x->s);
  forms_open(&x->s, &x->forms);
}

static void close_measured(Measured *x)
{
  close_all(&x->forms);
  pf_arena_free(x->f.arena);
  pf_context_free(x->f.ctx);
  assert_int_equal(x->counter.live, 0);
}

/* The context counts all requests: none may be made while accelerations are computed, whatever the trouble. */
static void accelerations_allocate_nothing(void **state)
{
  static const char *const examples[] = {"omni_robot", "hand", "ball_in_bowl", "sleigh_friction", "x2", "unicycle"};
  (void)state;
  for (size_t i = 0; i < sizeof examples/sizeof *examples; i++) {
    Measured x;
    open_measured(&x, examples[i]);
    uint64_t seed = 5;
    double a[32], lambda[32], force[32];
    PfMotion motion = {a, lambda, force};
    long before = x.counter.calls;
    for (int round = 0; round < 20; round++) {
      for (int j = 0; j < 2*x.s.eq.n; j++) q_of(&x.s)[j] = 0.5*draw_number(&seed);
      if (round == 19) q_of(&x.s)[0] = NAN;
      for (int k = 0; k < x.forms.count; k++) {
        int row;
        if (x.forms.solver[k]) pf_solver_accelerate(x.forms.solver[k], x.s.values, &motion, &row);
      }
    }
    assert_int_equal(x.counter.calls, before);
    close_measured(&x);
  }
}

typedef struct Recipe {
  const char *text, *form;
} Recipe;

static void make_solver(Counter *counter, void *user)
{
  const Recipe *recipe = user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = ctx ? pf_arena_new(&counter->allocator) : NULL;
  PfModel *model = NULL;
  PfEquations eq;
  PfSystem *system = NULL;
  PfSolver *solver = NULL;
  PfStatus status = arena ? pf_model_read(ctx, "test.pf", recipe->text, strlen(recipe->text), &model) : PF_ERR_MEMORY;
  if (status == PF_OK) status = pf_equations_derive(ctx, arena, model, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &system);
  if (status == PF_OK) status = pf_solver_new(ctx, system, pf_formulation_find(recipe->form), &solver);
  if (!counter->refused) assert_int_equal(status, PF_OK);
  else if (status != PF_OK && status != PF_ERR_MEMORY) fail_msg("%s: %s", recipe->form, pf_context_message(ctx));
  pf_solver_free(solver);
  pf_system_free(system);
  if (model) pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void lack_of_memory_is_reported_and_nothing_leaks(void **state)
{
  static const char text[] = "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: cos(x)*x' + y' = 0\n";
  static const char rubs[] = "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: y' = 0\nnonideal x = -lambda[a]/3\n";
  static const char speeds[] = "coord x, y\nspeed w\nkinetic x'^2 + y'^2\nconstraint a: x' + y' = 0\n"
                               "rate x' = w, y' = -w\n";
  (void)state;
  static const char bodies[] = "coord a\nbody b in ground turn a about z { inertia 1 }\n"
                               "body c in b ball { mass 1, inertia 1 }\nconstraint d: a' = c.wx\n";
  for (int k = 0; pf_formulation(k); k++) {
    bool tree = !strcmp(pf_formulation_name(pf_formulation(k)), "recursive");
    fail_every_allocation(make_solver, &(Recipe){tree ? bodies : text, pf_formulation_name(pf_formulation(k))});
  }
  fail_every_allocation(make_solver, &(Recipe){text, "auto"});
  fail_every_allocation(make_solver, &(Recipe){rubs, "auto"});
  fail_every_allocation(make_solver, &(Recipe){rubs, "multipliers"});
  fail_every_allocation(make_solver, &(Recipe){speeds, "maggi"});
  fail_every_allocation(make_solver, &(Recipe){speeds, "laconic"});
}

static void nothing_may_be_freed(void **state)
{
  (void)state;
  pf_solver_free(NULL);
  pf_system_free(NULL);
}

/* ---------------------------------------------------------------- independence */

static void the_same_state_gives_the_same_bits(void **state)
{
  static const char *const examples[] = {"snakeboard", "hand", "ball_in_bowl", "sleigh_friction", "carriage_mecanum"};
  for (size_t i = 0; i < sizeof examples/sizeof *examples; i++) {
    System s;
    Forms forms;
    load_system(*state, examples[i], &s);
    uint64_t seed = 11;
    assert_int_equal(pf_equations_start(s.ctx, &s.eq, NULL, s.values), PF_OK);
    forms_open(&s, &forms);
    for (int k = 0; k < forms.count; k++) {
      if (!forms.solver[k]) continue;
      Answer x = answer_of(&forms, forms.solver[k]), y = answer_of(&forms, forms.solver[k]);
      assert_int_equal(x.trouble, y.trouble);
      if (x.trouble != PF_TROUBLE_NONE) continue;
      assert_memory_equal(x.a, y.a, (size_t)s.eq.n*sizeof *x.a);
      assert_memory_equal(x.lambda, y.lambda, (size_t)s.eq.m*sizeof *x.a);
      assert_memory_equal(x.force, y.force, (size_t)s.eq.n*sizeof *x.a);
    }
    set_random_state(&s, &seed);
    close_all(&forms);
  }
}

/* Two solvers of one formulation on one system, used in turn at different states, against each alone. */
static void two_solvers_on_one_system_are_independent(void **state)
{
  System s;
  Forms one, alone;
  load_system(*state, "snakeboard", &s);
  forms_open(&s, &one);
  double *there = pf_arena_array(s.arena, double, s.symbols.count), *here = s.values;
  memcpy(there, here, (size_t)s.symbols.count*sizeof *there);
  uint64_t seed = 3;
  set_random_state(&s, &seed);
  for (int k = 0; k < one.count; k++) {
    PfSolver *other;
    assert_int_equal(pf_solver_new(s.ctx, one.system, pf_formulation(k), &other), PF_OK);
    s.values = here;
    Answer a1 = answer_of(&one, one.solver[k]);
    s.values = there;
    Answer b1 = answer_of(&one, other);
    s.values = here;
    Answer a2 = answer_of(&one, one.solver[k]);
    assert_int_equal(a1.trouble, a2.trouble);
    if (a1.trouble == PF_TROUBLE_NONE) assert_memory_equal(a1.a, a2.a, 6*sizeof *a1.a);
    forms_open(&s, &alone);
    s.values = there;
    Answer b2 = answer_of(&alone, alone.solver[k]);
    assert_int_equal(b1.trouble, b2.trouble);
    if (b1.trouble == PF_TROUBLE_NONE) assert_memory_equal(b1.a, b2.a, 6*sizeof *b1.a);
    s.values = here;
    forms_close(&alone);
    pf_solver_free(other);
  }
  close_all(&one);
}

/* Multipliers among the values are not looked at, and nothing is written there. */
static void multipliers_in_the_state_do_not_matter(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "sleigh_friction", &s);
  set_state(&s, "x", 0, 2);
  set_state(&s, "theta", 0, 1);
  forms_open(&s, &forms);
  Answer x = answer(&forms, "multipliers");
  s.values[s.symbols.lambda] = 1e6;
  Answer y = answer(&forms, "multipliers");
  assert_memory_equal(x.a, y.a, 3*sizeof *x.a);
  assert_true(s.values[s.symbols.lambda] == 1e6);
  close_all(&forms);
}

/* Inputs that are functions of time move with the time of the state. */
static void inputs_follow_the_time_of_the_state(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "unicycle", &s);
  forms_open(&s, &forms);
  for (int k = 0; k < forms.count; k++) {
    if (!strcmp(pf_formulation_name(pf_formulation(k)), "rosenberg")) continue;
    for (int i = 0; i < 3; i++) {
      s.values[s.symbols.time] = 0.4*i; /* the values of the inputs themselves stay those of t = 0 */
      Answer x = answer_of(&forms, forms.solver[k]);
      assert_int_equal(x.trouble, PF_TROUBLE_NONE);
      assert_near(x.a[2], 0.05*sin(0.8*i)/0.05, 1e-13, 1e-14);
      assert_near(x.a[3], 0.2*cos(0.4*i)/(0.09 + 2*0.09), 1e-13, 0);
    }
  }
  close_all(&forms);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_formulation_is_found_by_its_name_and_cites_a_source),
    with_fixture(solvers_say_how_many_unknowns_they_have),
    with_fixture(without_constraints_all_give_newtons_accelerations),
    with_fixture(fully_constrained_motion_is_given_by_the_constraints),
    cmocka_unit_test(accelerations_allocate_nothing),
    cmocka_unit_test(lack_of_memory_is_reported_and_nothing_leaks),
    cmocka_unit_test(nothing_may_be_freed),
    with_fixture(the_same_state_gives_the_same_bits),
    with_fixture(two_solvers_on_one_system_are_independent),
    with_fixture(multipliers_in_the_state_do_not_matter),
    with_fixture(inputs_follow_the_time_of_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
