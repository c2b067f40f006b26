/* SPDX-License-Identifier: Apache-2.0 */
/* What a solver is told besides the state, forces from outside and constraints to leave out, is honoured by every
 * formulation on each of its ways: matrices, structure, named sums, closed forms, recursion. */
#include "form/formulations.h"

#include "form/form_impl.h"

/* `count` double pendulums side by side, with a constraint in each; `more` is added. */
static void write_pendulums(PfText *text, int count, const char *more)
{
  pf_text_print(text, "model pendulums\ncoord a[%d], b[%d]\ngravity (0, -9.81, 0)\nfor i in 1..%d {\n", count, count,
                count);
  pf_text_add(text, "body u[i] in ground at (5*i, 0, 0) turn a[i] about z {\n"
                    "mass 1, com (0.5, 0, 0), inertia diag(0, 0, 0.1) }\n"
                    "body v[i] in u[i] at (1, 0, 0) turn b[i] about z {\n"
                    "mass 2, com (1, 0, 0), inertia diag(0, 0, 0.3) }\n"
                    "constraint c[i]: (2 + cos(a[i]))*a[i]' = b[i]' + 0.2*sin(b[i])\n}\n");
  pf_text_add(text, more);
}

/* A carriage with trailers, each blade told by sums of velocities that the ones before have too. */
static void write_trailers(PfText *text, int count, const char *more)
{
  pf_text_print(text, "model trailers\ncoord x, y, h[%d]\nlet X1 = x, Y1 = y\n", count);
  for (int i = 1; i <= count; i++) {
    if (i > 1) pf_text_print(text, "let X%d = X%d - cos(h[%d]), Y%d = Y%d - sin(h[%d])\n", i, i - 1, i, i, i - 1, i);
    pf_text_print(text, "kinetic (X%d'^2 + Y%d'^2)/2 + h[%d]'^2/10\n", i, i, i);
    pf_text_print(text, "constraint c%d: Y%d'*cos(h[%d]) = X%d'*sin(h[%d])\n", i, i, i, i, i);
  }
  pf_text_add(text, more);
}

typedef void Writer(PfText *text, int count, const char *more);

static void read_written(Fixture *f, Writer write, int count, const char *more, System *s)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  write(&text, count, more);
  read_system(f, pf_text_get(&text), s);
  pf_text_free(&text);
}

/* What the dense matrices say of a model that has all in its text, at the state of another one. */
static Answer ask_dense(System *s, const System *state)
{
  Forms forms = {.s = s};
  PfSolver *solver;
  memcpy(q_of(s), q_of(state), (size_t)s->eq.n*sizeof(double));
  memcpy(v_of(s), v_of(state), (size_t)s->eq.n*sizeof(double));
  assert_int_equal(pf_system_new(s->ctx, &s->eq, &forms.system), PF_OK);
  assert_int_equal(pf_solver_new(s->ctx, forms.system, pf_formulation_find("udwadia_kalaba"), &solver), PF_OK);
  Answer answer = answer_of(&forms, solver);
  assert_int_equal(answer.trouble, PF_TROUBLE_NONE);
  pf_solver_free(solver);
  pf_system_free(forms.system);
  return answer;
}

/* Every formulation that applies, told by push and skip, against `right`. Returns how many have answered. */
static int assert_all(System *s, const double *extra_force, const bool *skip, const Answer *right)
{
  Forms forms = {.s = s};
  int answered = 0;
  assert_int_equal(pf_system_new(s->ctx, &s->eq, &forms.system), PF_OK);
  for (int k = 0; pf_formulation(k); k++) {
    const char *name = pf_formulation_name(pf_formulation(k));
    PfSolver *solver;
    if (pf_solver_new_at(s->ctx, forms.system, pf_formulation(k), s->values, &solver) != PF_OK) {
      pf_diagnostics_clear(s->ctx);
      continue;
    }
    pf_solver_set_extra_force(solver, extra_force);
    pf_solver_skip(solver, skip);
    Answer x = answer_of(&forms, solver);
    bool open = x.trouble == PF_TROUBLE_UNDETERMINED; /* the equations of 'rosenberg' may leave something open */
    if (!open) assert_int_equal(x.trouble, PF_TROUBLE_NONE);
    if (!open) assert_vectors(name, "acceleration", x.a, right->a, s->eq.n, 1e-9, 1 + largest(right->a, s->eq.n));
    if (!open) assert_vectors(name, "force", x.force, right->force, s->eq.n, 1e-9, 1 + largest(right->force, s->eq.n));
    answered += !open;
    pf_solver_free(solver);
  }
  pf_system_free(forms.system);
  return answered;
}

static void assert_pushed(Fixture *f, Writer write, int count, const char *potential)
{
  uint64_t seed = (uint64_t)count;
  System s, pushed;
  double extra_force[64] = {0};
  read_written(f, write, count, "", &s);
  read_written(f, write, count, potential, &pushed); /* -2 q of the first coordinate, 3 q of the last */
  extra_force[0] = 2;
  extra_force[s.eq.n - 1] = -3;
  for (int k = 0; k < 3; k++) {
    set_random_state(&s, &seed);
    make_consistent(&s);
    Answer right = ask_dense(&pushed, &s);
    assert_true(assert_all(&s, extra_force, NULL, &right) > 5);
  }
  pf_model_free(s.model);
  pf_model_free(pushed.model);
}

static void forces_from_outside_are_potentials_in_the_text(void **state)
{
  Fixture *f = *state;
  assert_pushed(f, write_pendulums, 1, "potential -2*a[1] + 3*b[1]\n");
  assert_pushed(f, write_pendulums, 2, "potential -2*a[1] + 3*b[2]\n");
  assert_pushed(f, write_pendulums, 12, "potential -2*a[1] + 3*b[12]\n");
  assert_pushed(f, write_trailers, 3, "potential -2*x + 3*h[3]\n");
  assert_pushed(f, write_trailers, 12, "potential -2*x + 3*h[12]\n");
}

/* The constraint 'd' is left out. */
static void assert_skipped(Fixture *f, Writer write, int count, const char *text)
{
  uint64_t seed = (uint64_t)count;
  System s, without;
  bool skip[64] = {false};
  read_written(f, write, count, text, &s);
  read_written(f, write, count, "", &without);
  skip[constraint(&s, "d")] = true;
  for (int k = 0; k < 3; k++) {
    set_random_state(&s, &seed);
    make_consistent(&s);
    Answer right = ask_dense(&without, &s);
    assert_true(assert_all(&s, NULL, skip, &right) > 3);
  }
  pf_model_free(s.model);
  pf_model_free(without.model);
}

static void constraints_left_out_are_not_in_the_text(void **state)
{
  Fixture *f = *state;
  assert_skipped(f, write_pendulums, 2, "constraint d: a[1]' + 3*b[2]' = 1\n");
  assert_skipped(f, write_pendulums, 12, "constraint d: a[1]' + 3*b[12]' = 1\n");
  assert_skipped(f, write_trailers, 3, "constraint d: h[1]' = h[3]'\n");
  assert_skipped(f, write_trailers, 12, "constraint d: h[1]' = h[3]'\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(forces_from_outside_are_potentials_in_the_text),
    with_fixture(constraints_left_out_are_not_in_the_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
