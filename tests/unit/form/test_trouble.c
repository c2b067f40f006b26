/* SPDX-License-Identifier: Apache-2.0 */
/* What has no answer gets the right trouble, and words with the right name. */
#include "form/formulations.h"

static void open_text(void **state, const char *text, System *s, Forms *forms)
{
  read_system(*state, text, s);
  forms_open(s, forms);
}

static bool is_one_of(const char *form, const char *list)
{
  size_t length = strlen(form);
  for (const char *at = strstr(list, form); at; at = strstr(at + 1, form))
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

/* Every formulation of the list (all, when it is empty) that applies has this trouble, and says this. */
static void assert_trouble(const Forms *forms, const char *list, PfTrouble trouble, const char *part)
{
  int asked = 0;
  for (int k = 0; k < forms->count; k++) {
    const char *form = pf_formulation_name(pf_formulation(k));
    if (!forms->solver[k] || (*list && !is_one_of(form, list))) continue;
    Answer x = answer_of(forms, forms->solver[k]);
    if (x.trouble != trouble)
      fail_msg("%s: trouble %d and not %d: %s", form, (int)x.trouble, (int)trouble, x.trouble ? words(forms, &x) : "");
    if (!strstr(words(forms, &x), part)) fail_msg("%s: '%s' without '%s'", form, words(forms, &x), part);
    asked++;
  }
  assert_true(asked > 0);
}

/* ---------------------------------------------------------------- constraints */

static void constraints_that_contradict_each_other_are_named(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, y, z\n"
            "kinetic x'^2 + y'^2 + z'^2\n"
            "constraint other: x' - y' = 0\n"
            "constraint first: y' + z' = t\n"
            "constraint second: 5*y' + 5*z' = 10*t\n", &s, &forms);
  assert_null(forms.solver[form_index("laconic")]); /* found before: there are no velocities to choose */
  assert_trouble(&forms, "", PF_TROUBLE_CONTRADICTION, "'second' contradicts");
  close_all(&forms);
}

/* The scale of a row says nothing: micrometres contradict each other as well as metres. */
static void small_contradictions_are_found(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, y\n"
            "kinetic x'^2 + y'^2\n"
            "constraint first: 1e-6*x' = 1e-6*t\n"
            "constraint second: 1e-6*x' = 2e-6*t\n"
            "constraint third: 1e4*y' = 1e4*t\n", &s, &forms);
  assert_trouble(&forms, "", PF_TROUBLE_CONTRADICTION, "'second' contradicts");
  close_all(&forms);
}

static void a_row_of_zeros_that_wants_something_is_named(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "param a = 0\n"
            "coord x, y\n"
            "kinetic x'^2 + y'^2\n"
            "constraint good: y' = 2*t\n"
            "constraint empty: a*x' = 3*t\n", &s, &forms);
  assert_null(forms.solver[form_index("laconic")]);
  assert_trouble(&forms, "", PF_TROUBLE_CONTRADICTION, "'empty' contradicts");
  close_all(&forms);
}

/* Both wheel sets across the board: they forbid the same motion, and at different rates of turning they part
 * at once. */
static void a_rank_that_drops_is_a_contradiction_by_name(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "snakeboard", &s);
  forms_open(&s, &forms);
  const double half = acos(-1)/2;
  set_state(&s, "phi_b", half, 1);
  set_state(&s, "phi_f", half, 2);
  set_state(&s, "y", 0, 1); /* along the wheels */
  for (int k = 0; k < forms.count; k++) {
    Answer x = answer_of(&forms, forms.solver[k]);
    if (!strcmp(pf_formulation_name(pf_formulation(k)), "laconic")) { /* its choice of velocities breaks down */
      assert_int_equal(x.trouble, PF_TROUBLE_SINGULAR);
      continue;
    }
    if (x.trouble != PF_TROUBLE_CONTRADICTION)
      fail_msg("%s: trouble %d", pf_formulation_name(pf_formulation(k)), (int)x.trouble);
    assert_contains(words(&forms, &x), "'front' contradicts");
  }
  close_all(&forms);
}

/* At rest there, nothing contradicts: one constraint is simply redundant, and all agree. */
static void a_rank_that_drops_at_rest_leaves_a_redundant_constraint(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "snakeboard", &s);
  forms_open(&s, &forms);
  const double half = acos(-1)/2;
  set_state(&s, "phi_b", half, 0);
  set_state(&s, "phi_f", half, 0);
  Answer x = answer(&forms, "multipliers");
  static const char *const others[] = {"udwadia_kalaba", "udwadia_phohomsiri", "rosenberg_extended", "maggi",
                                       "cascade"};
  for (int k = 0; k < 5; k++) {
    Answer y = answer(&forms, others[k]);
    assert_int_equal(y.trouble, PF_TROUBLE_NONE);
    assert_vectors(others[k], "acceleration", y.a, x.a, 6, 1e-11, largest(x.a, 6));
    assert_vectors(others[k], "multiplier", y.lambda, x.lambda, 2, 1e-11, 1 + largest(x.lambda, 2));
  }
  close_all(&forms);
}

/* ---------------------------------------------------------------- inertia */

static void a_negative_mass_is_named(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, y, z\n"
            "kinetic x'^2 - 2*y'^2 + 3*z'^2\n"
            "constraint c: x' + z' = t\n", &s, &forms);
  assert_trouble(&forms, "", PF_TROUBLE_INDEFINITE, "motion of 'y'");
  close_all(&forms);
}

/* Positive on the diagonal, negative for x' = -y': the product is too large. */
static void a_mass_matrix_that_is_indefinite_by_its_products_is_found(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord z, x, y\n"
            "kinetic x'^2 + y'^2 + 5*x'*y' + z'^2\n"
            "constraint c: z' = t\n", &s, &forms);
  for (int k = 0; k < forms.count; k++) {
    if (!forms.solver[k]) continue;
    Answer x = answer_of(&forms, forms.solver[k]);
    assert_int_equal(x.trouble, PF_TROUBLE_INDEFINITE);
    assert_true(x.row == 1 || x.row == 2); /* both take part equally */
  }
  close_all(&forms);
}

/* M = [2 c; c 2] has the eigenvalue 2 - c with the eigenvector (1, -1). */
static void the_eigenvector_of_a_negative_eigenvalue_is_named(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "param c = 1\n"
            "coord x, y, z\n"
            "kinetic x'^2 + y'^2 + c*x'*y' + z'^2\n", &s, &forms);
  set_parameter(&s, "c", 6);
  Answer x = answer(&forms, "multipliers");
  assert_int_equal(x.trouble, PF_TROUBLE_INDEFINITE);
  assert_int_equal(pf_trouble_report_at(s.ctx, forms.system, s.values, x.trouble, x.row), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), "the eigenvalue -4 with the eigenvector x = 0.707, y = -0.707");
  assert_int_equal(pf_trouble_report_at(s.ctx, forms.system, s.values, PF_TROUBLE_NOT_UNIQUE, 2), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), "leave 'z' free");
  close_all(&forms);
}

static void a_coordinate_without_inertia_or_constraint_is_named(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, free, y, z\n"
            "kinetic x'^2 + x'*y' + 3*y'^2 + 0*free' + z'^2\n"
            "force free = 1, x = 2\n"
            "constraint c: x' + 2*y' - z' = t\n", &s, &forms);
  assert_trouble(&forms, "multipliers udwadia_phohomsiri rosenberg rosenberg_extended maggi laconic cascade",
                 PF_TROUBLE_NOT_UNIQUE, "leave 'free' free");
  assert_trouble(&forms, "udwadia_kalaba", PF_TROUBLE_MASSLESS, "'free' has no inertia");
  close_all(&forms);
}

/* No coordinate is without inertia, but u' = v' is: energy in u' - v' alone, and no constraint holds the
 * pair. */
static void a_motion_without_inertia_is_found_in_any_direction(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, u, y, v, z\n"
            "kinetic 0.1*(u' - v')^2 + 10*x'^2 + (x' + 0.3*y')^2 + z'^2\n"
            "constraint c: x' + 0.7*y' - z' = t\n", &s, &forms);
  for (int k = 0; k < forms.count; k++) {
    const char *form = pf_formulation_name(pf_formulation(k));
    if (!strcmp(form, "elimination")) continue; /* it refuses such a mass from the beginning */
    assert_non_null(forms.solver[k]);
    Answer x = answer_of(&forms, forms.solver[k]);
    PfTrouble expected = strcmp(form, "udwadia_kalaba") ? PF_TROUBLE_NOT_UNIQUE : PF_TROUBLE_MASSLESS;
    if (x.trouble != expected) fail_msg("%s: trouble %d", form, (int)x.trouble);
    if (x.row != 1 && x.row != 3) fail_msg("%s: coordinate %d", form, x.row);
  }
  close_all(&forms);
}

/* A constraint determines the pair: then there is an answer. u' + v' = t and no force: u'' = v'' = 1/2. */
static void a_constraint_makes_it_determined(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord u, v\n"
            "kinetic (u' - v')^2\n"
            "constraint c: u' + v' = t\n", &s, &forms);
  for (int k = 0; k < forms.count; k++) {
    const char *form = pf_formulation_name(pf_formulation(k));
    if (!strcmp(form, "udwadia_kalaba") || !strcmp(form, "elimination")) continue;
    Answer x = answer_of(&forms, forms.solver[k]);
    if (x.trouble == PF_TROUBLE_UNDETERMINED) continue;
    assert_int_equal(x.trouble, PF_TROUBLE_NONE);
    assert_vectors(form, "acceleration", x.a, (double[]){0.5, 0.5}, 2, 1e-14, 1);
  }
  close_all(&forms);
}

/* ---------------------------------------------------------------- numbers */

static void a_number_that_is_not_finite_is_named(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, y\n"
            "kinetic x'^2 + y'^2\n"
            "force y = log(x)\n"
            "constraint c: x'/y + y' = 1\n", &s, &forms);
  set_state(&s, "x", -1, 0);
  set_state(&s, "y", 1, 0);
  assert_trouble(&forms, "", PF_TROUBLE_NOT_FINITE, "equation of 'y' holds");
  set_state(&s, "x", 1, 0);
  set_state(&s, "y", 0, 0);
  assert_trouble(&forms, "", PF_TROUBLE_NOT_FINITE, "constraint 'c' holds");
  set_state(&s, "y", NAN, 0);
  assert_trouble(&forms, "", PF_TROUBLE_NOT_FINITE, "not finite");
  close_all(&forms);
}

/* The same solver answers again when the state is good again. */
static void a_trouble_leaves_no_trace(void **state)
{
  System s;
  Forms forms;
  open_text(state,
            "coord x, y\n"
            "kinetic x'^2 + y'^2\n"
            "force y = log(x)\n"
            "constraint c: x' + y' = t\n", &s, &forms);
  for (int k = 0; k < forms.count; k++) {
    set_state(&s, "x", 2, 0);
    Answer before = answer_of(&forms, forms.solver[k]);
    set_state(&s, "x", -2, 0);
    Answer bad = answer_of(&forms, forms.solver[k]);
    set_state(&s, "x", 2, 0);
    Answer after = answer_of(&forms, forms.solver[k]);
    assert_int_equal(bad.trouble, PF_TROUBLE_NOT_FINITE);
    assert_int_equal(before.trouble, after.trouble);
    if (before.trouble == PF_TROUBLE_NONE) assert_memory_equal(before.a, after.a, 2*sizeof *after.a);
  }
  close_all(&forms);
}

/* ---------------------------------------------------------------- formulations that do not apply */

static void rosenbergs_embedding_alone_names_what_it_leaves_open(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "piano_wheel", &s);
  forms_open(&s, &forms);
  set_state(&s, "theta", 0.4, 0);
  Answer x = answer(&forms, "rosenberg");
  assert_int_equal(x.trouble, PF_TROUBLE_UNDETERMINED);
  assert_contains(words(&forms, &x), "dependent acceleration of '");
  close_all(&forms);
}

static void refused(void **state, const char *text, const char *part)
{
  System s;
  PfSystem *system;
  PfSolver *solver;
  read_system(*state, text, &s);
  assert_int_equal(pf_system_new(s.ctx, &s.eq, &system), PF_OK);
  assert_int_equal(pf_solver_new(s.ctx, system, pf_formulation_find("laconic"), &solver), PF_ERR_MODEL);
  assert_null(solver);
  assert_contains(pf_context_message(s.ctx), part);
  PfDerivation d;
  assert_int_equal(pf_derive_form(s.ctx, s.arena, &s.eq, "laconic", &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), part);
  pf_system_free(system);
  pf_model_free(s.model);
}

static void the_laconic_form_says_why_it_does_not_apply(void **state)
{
  refused(state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x'^2 + y'^2 = 1\nstart x' = 1\n",
          "'c' is not linear in the velocities");
  refused(state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x'' + y'' = 1\n", "'c' is one of accelerations");
  refused(state, "coord x, y\nspeed w\nkinetic x'^2 + y'^2\nrate x' = w, y' = 2*w\nconstraint c: x' = y'\n",
          "do not satisfy the constraint 'c'");
  refused(state, "coord x, y\nspeed w\nkinetic x'^2 + y'^2\nrate x' = w, y' = 2*w\nconstraint c: x'' = y''\n",
          "'c' is one of accelerations");
  refused(state, "coord x, y, z\nspeed w\nkinetic x'^2 + y'^2 + z'^2\nrate x' = w, y' = w, z' = 0\n"
                 "constraint c: x' = y'\n",
          "there is 1 speed for 2 degrees of freedom");
  refused(state, "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x' = t\nconstraint d: x' = 2*t\n", "contradict");
  refused(state, "coord x, y\nspeed u, w\nkinetic x'^2 + y'^2\nrate x' = u + w, y' = 2*u + 2*w\n",
          "do not tell the speed 'w' apart");
  refused(state, "param a = 0\ncoord x, y\nkinetic x'^2 + y'^2\nconstraint c: y' = t\nconstraint d: a*x' = t\n",
          "'d' cannot hold: the coordinates drop out of it");
}

static void a_form_that_does_not_exist_gets_the_list(void **state)
{
  System s;
  PfDerivation d;
  load_system(*state, "unicycle", &s);
  assert_int_equal(pf_derive_form(s.ctx, s.arena, &s.eq, "newton", &d), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(s.ctx), "no form 'newton'");
  assert_contains(pf_diagnostic(s.ctx, pf_diagnostic_count(s.ctx) - 1)->hint, "multipliers, rosenberg");
  pf_model_free(s.model);
}

/* Everything that can be said has words, for every number of the row. */
static void every_trouble_has_words_for_every_row(void **state)
{
  System s;
  PfSystem *system;
  load_system(*state, "piano_wheel", &s);
  assert_int_equal(pf_system_new(s.ctx, &s.eq, &system), PF_OK);
  assert_int_equal(pf_trouble_report(s.ctx, system, PF_TROUBLE_NONE, -1), PF_OK);
  for (int trouble = PF_TROUBLE_NOT_FINITE; trouble <= PF_TROUBLE_NO_CONVERGENCE; trouble++)
    for (int row = -1; row <= s.eq.n + s.eq.m; row++) {
      pf_diagnostics_clear(s.ctx);
      assert_int_not_equal(pf_trouble_report(s.ctx, system, (PfTrouble)trouble, row), PF_OK);
      assert_true(strlen(pf_context_message(s.ctx)) > 20);
    }
  pf_system_free(system);
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(constraints_that_contradict_each_other_are_named),
    with_fixture(small_contradictions_are_found),
    with_fixture(a_row_of_zeros_that_wants_something_is_named),
    with_fixture(a_rank_that_drops_is_a_contradiction_by_name),
    with_fixture(a_rank_that_drops_at_rest_leaves_a_redundant_constraint),
    with_fixture(a_negative_mass_is_named),
    with_fixture(a_mass_matrix_that_is_indefinite_by_its_products_is_found),
    with_fixture(the_eigenvector_of_a_negative_eigenvalue_is_named),
    with_fixture(a_coordinate_without_inertia_or_constraint_is_named),
    with_fixture(a_motion_without_inertia_is_found_in_any_direction),
    with_fixture(a_constraint_makes_it_determined),
    with_fixture(a_number_that_is_not_finite_is_named),
    with_fixture(a_trouble_leaves_no_trace),
    with_fixture(rosenbergs_embedding_alone_names_what_it_leaves_open),
    with_fixture(the_laconic_form_says_why_it_does_not_apply),
    with_fixture(a_form_that_does_not_exist_gets_the_list),
    with_fixture(every_trouble_has_words_for_every_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
