/* SPDX-License-Identifier: Apache-2.0 */
/* Large systems by their structure ('multipliers') against dense matrices ('udwadia_kalaba'). */
#include "form/formulations.h"

#include "form/form_impl.h"

static int draw_int(uint64_t *seed, int least, int most)
{
  int value = least + (int)((draw_number(seed) + 1)/2*(most - least + 1));
  return value > most ? most : value;
}

/* Groups of a few coordinates, with kinetic energies, springs and constraints inside a group, and some between
 * neighbours: n coordinates in all. */
static void write_groups(PfText *text, uint64_t *seed, int n)
{
  pf_text_print(text, "model groups\ncoord q[%d]\n", n);
  for (int first = 1, row = 1; first <= n;) {
    int size = draw_int(seed, 2, 7), last = first + size - 1 < n ? first + size - 1 : n;
    for (int i = first; i <= last; i++) {
      pf_text_print(text, "kinetic (q[%d]'*(2 + cos(q[%d])) + (%d)/4*q[%d]')^2/2\n", i, i, draw_int(seed, -3, 3),
                    draw_int(seed, first, last));
      pf_text_print(text, "potential %d/3*q[%d]^2\n", draw_int(seed, 1, 9), i);
    }
    for (int k = 0; k < (last - first)/2; k++, row++)
      pf_text_print(text, "constraint c%d: (3 + sin(q[%d]))*q[%d]' + (%d)/5*q[%d]' = 0\n", row, first, first + 2*k,
                    draw_int(seed, 1, 4), draw_int(seed, first, last));
    if (first > 1 && draw_int(seed, 0, 2) == 0)
      pf_text_print(text, "constraint d%d: q[%d]' - q[%d]'*(2 + cos(q[%d])) = 0\n", first, last, first - 1, first);
    first = last + 1;
  }
}

/* Every state, by both; tolerance of the issue: 1e-9 of the largest acceleration. */
static void assert_agreement(Fixture *f, const char *text, uint64_t *seed, int states)
{
  System s;
  read_system(f, text, &s);
  PfSystem *system;
  PfSolver *sparse, *dense;
  assert_int_equal(pf_system_new(s.ctx, &s.eq, &system), PF_OK);
  assert_int_equal(pf_solver_new(s.ctx, system, pf_formulation_find("multipliers"), &sparse), PF_OK);
  assert_int_equal(pf_solver_new(s.ctx, system, pf_formulation_find("udwadia_kalaba"), &dense), PF_OK);
  assert_non_null(sparse->sparse);
  Forms forms = {.s = &s, .system = system};
  for (int k = 0; k < states; k++) {
    set_random_state(&s, seed);
    Answer x = answer_of(&forms, sparse);
    bool by_structure = sparse->byproducts.known;
    Answer y = answer_of(&forms, dense);
    assert_true(by_structure);
    assert_int_equal(x.trouble, PF_TROUBLE_NONE);
    assert_int_equal(y.trouble, PF_TROUBLE_NONE);
    assert_vectors("multipliers", "acceleration", x.a, y.a, s.eq.n, 1e-9, 1 + largest(y.a, s.eq.n));
    assert_vectors("multipliers", "multiplier", x.lambda, y.lambda, s.eq.m, 1e-9, 1 + largest(y.lambda, s.eq.m));
    assert_vectors("multipliers", "force", x.force, y.force, s.eq.n, 1e-9, 1 + largest(y.force, s.eq.n));
  }
  pf_solver_free(sparse);
  pf_solver_free(dense);
  pf_system_free(system);
  pf_model_free(s.model);
}

static void random_systems_of_a_hundred_to_three_hundred_coordinates_agree(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 8; trial++) {
    PfText text;
    pf_text_init(&text, pf_context_allocator(f->ctx));
    write_groups(&text, &seed, 100 + 25*trial);
    assert_agreement(f, pf_text_get(&text), &seed, 3);
    pf_text_free(&text);
  }
}

/* Four-bars side by side, as bodies with loops: each must move as if it were alone. */
static void four_bars_side_by_side_agree(void **state)
{
  Fixture *f = *state;
  uint64_t seed = 9;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_text_add(&text, "model bars\ncoord a[20], b[20], c[20]\ngravity (0, -9.81, 0)\nfor i in 1..20 {\n"
                     "body u[i] in ground at (5*i, 0, 0) turn a[i] about z {\n"
                     "mass 1, com (0.5, 0, 0), inertia diag(0, 0, 0.1) }\n"
                     "body v[i] in u[i] at (1, 0, 0) turn b[i] about z {\n"
                     "mass 2, com (1, 0, 0), inertia diag(0, 0, 0.3) }\n"
                     "body w[i] in ground at (5*i + 2, 0, 0) turn c[i] about z {\n"
                     "mass 1, com (0.7, 0, 0), inertia diag(0, 0, 0.2) }\n"
                     "constraint x[i]: cos(a[i]) + 2*cos(a[i] + b[i]) = 2 + 1.5*cos(c[i])\n"
                     "constraint y[i]: sin(a[i]) + 2*sin(a[i] + b[i]) = 1.5*sin(c[i])\n}\n");
  assert_agreement(f, pf_text_get(&text), &seed, 3);
  pf_text_free(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(random_systems_of_a_hundred_to_three_hundred_coordinates_agree),
    with_fixture(four_bars_side_by_side_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
