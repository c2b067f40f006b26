/* SPDX-License-Identifier: Apache-2.0 */
/* What 'auto' takes: where nobody says which formulation, the cheapest of those that give the same motion. */
#include "form/formulations.h"

static const char *chosen(System *s, const double *values)
{
  PfSystem *system;
  PfSolver *solver;
  assert_int_equal(pf_system_new(s->ctx, &s->eq, &system), PF_OK);
  if (pf_solver_new_at(s->ctx, system, pf_formulation_find("auto"), values, &solver) != PF_OK)
    fail_msg("%s", pf_context_message(s->ctx));
  assert_int_equal(pf_error_count(s->ctx), 0);
  const char *name = pf_formulation_name(pf_solver_formulation(solver));
  pf_solver_free(solver);
  pf_system_free(system);
  return name;
}

static void assert_text_goes_by(Fixture *f, const char *text, const char *name)
{
  System s;
  read_system(f, text, &s);
  assert_int_equal(pf_equations_start(s.ctx, &s.eq, s.given, s.values), PF_OK);
  assert_string_equal(chosen(&s, s.values), name);
  pf_model_free(s.model);
}

static void assert_example_goes_by(Fixture *f, const char *example, const char *name)
{
  System s;
  load_system(f, example, &s);
  assert_int_equal(pf_equations_start(s.ctx, &s.eq, s.given, s.values), PF_OK);
  assert_string_equal(chosen(&s, s.values), name);
  pf_model_free(s.model);
}

static void auto_is_a_name_but_no_row_of_the_list(void **state)
{
  (void)state;
  const PfFormulation *choice = pf_formulation_find("auto");
  assert_non_null(choice);
  assert_string_equal(pf_formulation_name(choice), "auto");
  for (int k = 0; pf_formulation(k); k++) assert_ptr_not_equal(pf_formulation(k), choice);
}

static void small_systems_go_by_elimination(void **state)
{
  assert_example_goes_by(*state, "snakeboard", "elimination");
  assert_example_goes_by(*state, "free_floating", "elimination");
  assert_example_goes_by(*state, "double_pendulum_bodies", "elimination");
}

/* A chain of hinges in space about x, y, z in turn. */
static void assert_chain_goes_by(Fixture *f, int links, const char *name)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_text_print(&text, "coord q[%d]\ngravity (0, -9.81, 0)\n", links);
  for (int i = 1; i <= links; i++) {
    if (i == 1) pf_text_add(&text, "body b1 in ground ");
    else pf_text_print(&text, "body b%d in b%d at (0, -0.5, 0) ", i, i - 1);
    pf_text_print(&text, "turn q[%d] about %c { mass 1, inertia diag(0.02, 0.01, 0.03), com (0.01, -0.25, 0.02) }\n", i,
                  "xyz"[i%3]);
  }
  assert_text_goes_by(f, pf_text_get(&text), name);
  pf_text_free(&text);
}

static void trees_that_nothing_binds_go_by_recursion(void **state)
{
  assert_chain_goes_by(*state, 2, "elimination");
  assert_chain_goes_by(*state, 4, "recursive");
  assert_chain_goes_by(*state, 7, "recursive");
  assert_example_goes_by(*state, "spacecraft", "recursive");
}

static void singular_masses_and_redundant_rows_go_by_independent_coordinates(void **state)
{
  assert_example_goes_by(*state, "hand", "rosenberg_extended");
  assert_example_goes_by(*state, "ball_on_surface", "rosenberg_extended");
  assert_example_goes_by(*state, "ball_in_bowl", "rosenberg_extended");
  assert_example_goes_by(*state, "hand_sliding", "rosenberg_extended"); /* with friction, too */
}

static void the_rest_goes_by_multipliers(void **state)
{
  assert_example_goes_by(*state, "dual_arm", "multipliers"); /* bodies, with constraints */
  assert_example_goes_by(*state, "incline_friction", "multipliers");
}

/* With redundant constraints at the start the elimination would be of no use; a little later it would. */
static void the_state_of_the_start_counts(void **state)
{
  const char *text = "model two\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint one: x' = 0\n"
                     "constraint other: cos(z)*x' + sin(z)*y' = 0\nstart z = %s\n";
  char at[256];
  snprintf(at, sizeof at, text, "0");
  assert_text_goes_by(*state, at, "rosenberg_extended");
  snprintf(at, sizeof at, text, "1");
  assert_text_goes_by(*state, at, "elimination");
}

/* Without numbers nothing is known of a start. */
static void a_choice_needs_no_numbers(void **state)
{
  System s;
  load_system(*state, "snakeboard", &s);
  assert_string_equal(chosen(&s, NULL), "elimination");
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(auto_is_a_name_but_no_row_of_the_list),
    with_fixture(small_systems_go_by_elimination),
    with_fixture(trees_that_nothing_binds_go_by_recursion),
    with_fixture(singular_masses_and_redundant_rows_go_by_independent_coordinates),
    with_fixture(the_rest_goes_by_multipliers),
    with_fixture(the_state_of_the_start_counts),
    with_fixture(a_choice_needs_no_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
