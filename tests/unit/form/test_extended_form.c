/* SPDX-License-Identifier: Apache-2.0 */
/* Chains under local constraints ('multipliers' with sums of velocities as unknowns) against dense matrices. */
#include "form/formulations.h"

#include "form/extended_form.h"

typedef void (*Writer)(PfText *text, int n);

/* ---------------------------------------------------------------- models */

/* A tractor with n trailers by named sums, as people write them in absolute angles. */
static void write_trailers(PfText *text, int n)
{
  pf_text_print(text, "model trailers\ncoord x, y, h[%d]\n", n + 1);
  pf_text_add(text, "body b1 in ground at (x, y, 0) turn h[1] about z { mass 10, inertia diag(1, 1, 1) }\n"
                    "constraint c1: -sin(h[1])*x' + cos(h[1])*y' = 0\nlet X1 = x, Y1 = y\nforce x = 3\n");
  for (int i = 2; i <= n + 1; i++) {
    pf_text_print(text, "let X%d = X%d - cos(h[%d]), Y%d = Y%d - sin(h[%d])\n", i, i - 1, i, i, i - 1, i);
    pf_text_print(text, "body b%d in ground at (X%d, Y%d, 0) turn h[%d] about z {\n", i, i, i, i);
    pf_text_add(text, "mass 5, inertia diag(1, 1, 0.5) }\n");
    pf_text_print(text, "constraint c%d: -sin(h[%d])*X%d' + cos(h[%d])*Y%d' = 0\n", i, i, i, i, i);
  }
}

/* The same behind a moving start, with forces on places in the middle, axles off the hitch and centres of mass beside
 * it. */
static void write_driven_trailers(PfText *text, int n)
{
  pf_text_print(text, "model trailers\ncoord x, y, h[%d]\nparam w = 0.7\ninput u = sin(2*t)\n", n + 1);
  pf_text_add(text, "let X1 = x + 0.1*u, Y1 = y + t^2/20\ngravity (0, -9.81, 0)\n"
                    "body b1 in ground at (X1, Y1, 0) turn h[1] about z { mass 10, inertia diag(1, 1, 1) }\n"
                    "constraint c1: -sin(h[1])*X1' + cos(h[1])*Y1' = 0.2*cos(t)\n");
  for (int i = 2; i <= n + 1; i++) {
    pf_text_print(text, "let X%d = X%d - w*cos(h[%d]) - 0.2*cos(h[%d]), Y%d = Y%d - w*sin(h[%d]) - 0.2*sin(h[%d])\n", i,
                  i - 1, i, i - 1, i, i - 1, i, i - 1);
    pf_text_print(text, "body b%d in ground at (X%d, Y%d, 0) turn h[%d] about z {\n", i, i, i, i);
    pf_text_add(text, "mass 5, com (0.1, 0.05, 0), inertia diag(1, 1, 0.5) }\n");
    pf_text_print(text, "constraint c%d: -sin(h[%d])*X%d' + cos(h[%d])*Y%d' = 0\n", i, i, i, i, i);
  }
  pf_text_print(text, "potential 3*(X%d - X%d)^2\nforce h[2] = -0.4*X%d'\n", n, n/2, n/2);
  pf_text_print(text, "dissipation 0.3*Y%d'^2\n", n - 1);
}

/* Links on links, each with a blade. */
static void write_snake(PfText *text, int n)
{
  pf_text_print(text, "model snake\ncoord x, y, a[%d]\ngravity (1, -9.81, 0)\n", n);
  pf_text_add(text, "body b1 in ground at (x, y, 0) turn a[1] about z {\nmass 1, com (0.4, 0, 0), "
                    "inertia diag(0.1, 0.1, 0.2) }\nskate s1: b1\n");
  for (int i = 2; i <= n; i++) {
    pf_text_print(text, "body b%d in b%d at (1, 0, 0) turn a[%d] about z {\n", i, i - 1, i);
    pf_text_print(text, "mass %d/3, com (0.4, 0.1, 0), inertia diag(0.1, 0.1, 0.2) }\n", 2 + i%3);
    pf_text_print(text, "skate s%d: b%d\nforce a[%d] = cos(%d*t) - 0.1*a[%d]'\n", i, i, i, i, i);
  }
}

/* Trailers hinged on each other, with axles off the hinges and some steered wheels, one with a given speed, the sixth
 * one where time wants it: rows of all kinds. */
static void write_mixed(PfText *text, int n)
{
  pf_text_print(text, "model mixed\ncoord x, y, a[%d], s[%d]\nparam d = 0.8\n", n, n/5);
  pf_text_add(text, "body b1 in ground at (x, y, 0) turn a[1] about z { mass 4, inertia diag(1, 1, 1) }\n"
                    "skate k1: b1\nconstraint v: x'^2 + y'^2 = (2 + sin(t))^2\n");
  for (int i = 2; i <= n; i++) {
    pf_text_print(text, "body b%d in b%d at (-1, 0, 0) turn a[%d] about z {\n", i, i - 1, i);
    pf_text_add(text, "mass 2, com (-0.4, 0.1, 0), inertia diag(0.1, 0.2, 0.3) }\n");
    pf_text_print(text, "frame axle%d in b%d at (-d, 0, 0)\n", i, i);
    if (i%4) pf_text_print(text, "skate k%d: axle%d\n", i, i);
    if (i%5) continue;
    pf_text_print(text, "body w%d in b%d at (-0.3, 0, 0) turn s[%d] about z { inertia diag(0, 0, 0.1) }\n", i, i, i/5);
    pf_text_print(text, "skate r%d: w%d\nspring s[%d] { stiffness 3 }\n", i, i, i/5);
  }
  pf_text_add(text, "constraint c: dot(pos(b6), ground.x) = 0.1*t^2\n");
}

/* Energies by formulas, and quantities without inertia in between. */
static void write_formulas(PfText *text, int n)
{
  pf_text_print(text, "model formulas\ncoord s, h[%d]\nlet X1 = s, Y1 = 0\n", n + 1);
  for (int i = 2; i <= n + 1; i++) {
    pf_text_print(text, "let X%d = X%d + (1 + 0.1*h[%d]^2), Y%d = Y%d + h[%d]*cos(h[%d])\n", i, i - 1, i, i, i - 1,
                  i, i - 1);
    pf_text_print(text, "kinetic (X%d'^2 + %d*Y%d'^2)/2 + h[%d]'*X%d'/8\n", i, 1 + i%2, i, i, i);
    pf_text_print(text, "kinetic (2 + sin(h[1]))*h[%d]'^2\n", i);
    if (i%2) pf_text_print(text, "constraint c%d: Y%d' + 0.3*X%d' = h[%d]'*(2 + cos(X%d))\n", i, i, i, i, i/2);
  }
  pf_text_add(text, "kinetic s'^2 + h[1]'^2\n");
}

/* ---------------------------------------------------------------- agreement */

static void assert_equal_answers(const System *s, const Answer *x, const Answer *y)
{
  assert_int_equal(x->trouble, PF_TROUBLE_NONE);
  assert_int_equal(y->trouble, PF_TROUBLE_NONE);
  assert_vectors("multipliers", "acceleration", x->a, y->a, s->eq.n, 1e-9, 1 + largest(y->a, s->eq.n));
  assert_vectors("multipliers", "multiplier", x->lambda, y->lambda, s->eq.m, 1e-9, 1 + largest(y->lambda, s->eq.m));
  assert_vectors("multipliers", "force", x->force, y->force, s->eq.n, 1e-9, 1 + largest(y->force, s->eq.n));
}

typedef struct Pair {
  Forms forms;
  PfSolver *extended_form, *dense;
} Pair;

static void open_pair(Fixture *f, const char *text, System *s, Pair *p)
{
  read_system(f, text, s);
  *p = (Pair){.forms = {.s = s}};
  assert_int_equal(pf_system_new(s->ctx, &s->eq, &p->forms.system), PF_OK);
  assert_int_equal(pf_solver_new(s->ctx, p->forms.system, pf_formulation_find("multipliers"), &p->extended_form),
                   PF_OK);
  assert_int_equal(pf_solver_new(s->ctx, p->forms.system, pf_formulation_find("udwadia_kalaba"), &p->dense), PF_OK);
  assert_non_null(p->extended_form->extended_form);
}

static void close_pair(Pair *p)
{
  pf_solver_free(p->extended_form);
  pf_solver_free(p->dense);
  pf_system_free(p->forms.system);
  pf_model_free(p->forms.s->model);
}

static void assert_agreement(Fixture *f, Writer write, int n)
{
  enum { STATES = 6 };
  uint64_t seed = (uint64_t)n;
  System s;
  Pair p;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  write(&text, n);
  open_pair(f, pf_text_get(&text), &s, &p);
  for (int k = 0; k < STATES; k++) {
    set_random_state(&s, &seed);
    Answer x = answer_of(&p.forms, p.extended_form), y = answer_of(&p.forms, p.dense);
    assert_true(pf_extended_form_has_answered(p.extended_form));
    assert_equal_answers(&s, &x, &y);
  }
  close_pair(&p);
  pf_text_free(&text);
}

static void trailers_by_named_sums_agree(void **state)
{
  for (int n = 8; n <= 64; n *= 2) assert_agreement(*state, write_trailers, n);
}

static void driven_trailers_with_forces_agree(void **state)
{
  for (int n = 10; n <= 40; n *= 2) assert_agreement(*state, write_driven_trailers, n);
}

static void snakes_of_bodies_on_bodies_agree(void **state)
{
  for (int n = 40; n <= 80; n *= 2) assert_agreement(*state, write_snake, n);
}

static void rows_of_all_kinds_agree(void **state)
{
  for (int n = 40; n <= 80; n *= 2) assert_agreement(*state, write_mixed, n);
}

static void energies_by_formulas_agree(void **state)
{
  for (int n = 24; n <= 96; n *= 2) assert_agreement(*state, write_formulas, n);
}

/* ---------------------------------------------------------------- trouble */

/* Twenty trailers and one line more, against the same solver without sums. */
static void open_trailers(Fixture *f, const char *line, System *s, Pair *p)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  write_trailers(&text, 20);
  pf_text_add(&text, line);
  open_pair(f, pf_text_get(&text), s, p);
  pf_solver_free(p->dense);
  assert_int_equal(pf_solver_new(s->ctx, p->forms.system, pf_formulation_find("multipliers"), &p->dense), PF_OK);
  p->dense->extended_form = NULL;
  pf_text_free(&text);
}

static void assert_same_words(const Pair *p, const Answer *x, const Answer *y)
{
  char kept[512];
  assert_int_equal(x->trouble, y->trouble);
  assert_int_equal(x->row, y->row);
  snprintf(kept, sizeof kept, "%s", words(&p->forms, y));
  assert_string_equal(words(&p->forms, x), kept);
}

static void redundant_rows_are_left_to_matrices(void **state)
{
  uint64_t seed = 3;
  System s;
  Pair p;
  open_trailers(*state, "constraint again: -2*sin(h[5])*X5' + 2*cos(h[5])*Y5' = 0\n", &s, &p);
  set_random_state(&s, &seed);
  Answer x = answer_of(&p.forms, p.extended_form), y = answer_of(&p.forms, p.dense);
  assert_false(pf_extended_form_has_answered(p.extended_form));
  assert_equal_answers(&s, &x, &y);
  close_pair(&p);
}

static void contradictions_are_told_as_before(void **state)
{
  uint64_t seed = 3;
  System s;
  Pair p;
  open_trailers(*state, "constraint wrong: -2*sin(h[5])*X5' + 2*cos(h[5])*Y5' = 3*t\n", &s, &p);
  set_random_state(&s, &seed);
  Answer x = answer_of(&p.forms, p.extended_form), y = answer_of(&p.forms, p.dense);
  assert_int_equal(y.trouble, PF_TROUBLE_CONTRADICTION);
  assert_same_words(&p, &x, &y);
  close_pair(&p);
}

static void states_without_numbers_are_told_as_before(void **state)
{
  uint64_t seed = 3;
  System s;
  Pair p;
  open_trailers(*state, "force h[4] = log(h[3])\n", &s, &p);
  set_random_state(&s, &seed);
  q_of(&s)[coordinate(&s, "h[3]")] = -1;
  Answer x = answer_of(&p.forms, p.extended_form), y = answer_of(&p.forms, p.dense);
  assert_int_equal(y.trouble, PF_TROUBLE_NOT_FINITE);
  assert_same_words(&p, &x, &y);
  close_pair(&p);
}

/* The row of the third trailer vanishes with its angle: on the way there the accelerations stay the same, at last the
 * matrices answer. */
static void near_a_loss_of_rank_the_answers_agree(void **state)
{
  uint64_t seed = 3;
  System s;
  Pair p;
  open_trailers(*state, "constraint weak: h[3]^2 + (X3 - X2 + 1)^2 = 0\n", &s, &p);
  set_random_state(&s, &seed);
  for (double angle = 1; angle > 1e-7; angle /= 10) {
    q_of(&s)[coordinate(&s, "h[3]")] = angle;
    Answer x = answer_of(&p.forms, p.extended_form), y = answer_of(&p.forms, p.dense);
    if (angle > 1e-3) assert_true(pf_extended_form_has_answered(p.extended_form));
    assert_equal_answers(&s, &x, &y);
  }
  q_of(&s)[coordinate(&s, "h[3]")] = 0;
  v_of(&s)[coordinate(&s, "h[3]")] = 0;
  Answer x = answer_of(&p.forms, p.extended_form), y = answer_of(&p.forms, p.dense);
  assert_false(pf_extended_form_has_answered(p.extended_form));
  assert_int_equal(x.trouble, y.trouble);
  close_pair(&p);
}

/* ---------------------------------------------------------------- cost */

/* Twice as many trailers cost twice as much, and 'auto' knows it; a single one is no chain. */
static void costs_grow_with_the_number_of_trailers(void **state)
{
  Fixture *f = *state;
  double cost[4];
  for (int k = 0; k < 4; k++) {
    System s;
    Pair p;
    PfText text;
    pf_text_init(&text, pf_context_allocator(f->ctx));
    write_trailers(&text, 12 << k);
    open_pair(f, pf_text_get(&text), &s, &p);
    cost[k] = pf_extended_form_cost(p.extended_form);
    close_pair(&p);
    pf_text_free(&text);
  }
  for (int k = 0; k < 3; k++) assert_true(cost[k + 1] < 2.4*cost[k]);
}

static void small_systems_stay_as_they_are(void **state)
{
  System s;
  load_system(*state, "car_trailer", &s);
  PfSystem *system;
  PfSolver *solver;
  assert_int_equal(pf_system_new(s.ctx, &s.eq, &system), PF_OK);
  assert_int_equal(pf_solver_new(s.ctx, system, pf_formulation_find("multipliers"), &solver), PF_OK);
  assert_null(solver->extended_form);
  pf_solver_free(solver);
  pf_system_free(system);
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(trailers_by_named_sums_agree),
    with_fixture(driven_trailers_with_forces_agree),
    with_fixture(snakes_of_bodies_on_bodies_agree),
    with_fixture(rows_of_all_kinds_agree),
    with_fixture(energies_by_formulas_agree),
    with_fixture(redundant_rows_are_left_to_matrices),
    with_fixture(contradictions_are_told_as_before),
    with_fixture(states_without_numbers_are_told_as_before),
    with_fixture(near_a_loss_of_rank_the_answers_agree),
    with_fixture(costs_grow_with_the_number_of_trailers),
    with_fixture(small_systems_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
