/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints imposed level by level: the examples X1 and X2 in exact fractions, and the printed recursion,
 * which is wrong. */
#include "form/formulations.h"

static void assert_all(const Forms *forms, const double *a, const double *lambda, bool massless)
{
  int n = forms->s->eq.n, m = forms->s->eq.m;
  for (int k = 0; k < forms->count; k++) {
    const char *form = pf_formulation_name(pf_formulation(k));
    if (massless && !strcmp(form, "elimination")) {
      assert_null(forms->solver[k]);
      continue;
    }
    assert_non_null(forms->solver[k]);
    Answer x = answer_of(forms, forms->solver[k]);
    if (!strcmp(form, "rosenberg")) {
      assert_int_equal(x.trouble, PF_TROUBLE_UNDETERMINED);
      continue;
    }
    if (massless && !strcmp(form, "udwadia_kalaba")) {
      assert_int_equal(x.trouble, PF_TROUBLE_MASSLESS);
      assert_contains(words(forms, &x), "'q3' has no inertia");
      continue;
    }
    if (x.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", form, words(forms, &x));
    assert_vectors(form, "acceleration", x.a, a, n, 1e-14, largest(a, n));
    assert_vectors(form, "multiplier", x.lambda, lambda, m, 3e-14, largest(lambda, m));
  }
}

static void x1_has_its_exact_fractions(void **state)
{
  static const double a[] = {143./276, 487./1932, 1009./1932, 89./322, 485./1932};
  static const double lambda[] = {831./322, -1823./966, -809./644};
  System s;
  Forms forms;
  load_system(*state, "x1", &s);
  forms_open(&s, &forms);
  assert_all(&forms, a, lambda, false);
  close_all(&forms);
}

static void x2_has_its_exact_fractions(void **state)
{
  static const double ideal[] = {167./212, -43./212, -51./53, -25./212, 69./106, 311./212};
  static const double ideal_lambda[] = {161./106, -91./106, 91./212};
  static const double with_C[] = {100783./132500, -3941./26500, -55741./66250, -4877./132500, 39651./66250,
                                  173933./132500};
  static const double with_C_lambda[] = {53017./33125, -29367./33125, 38859./132500};
  System s;
  Forms forms;
  load_system(*state, "x2", &s);
  forms_open(&s, &forms);
  assert_all(&forms, with_C, with_C_lambda, true);
  set_parameter(&s, "p", 0);
  assert_all(&forms, ideal, ideal_lambda, true);
  close_all(&forms);
}

/* With level one only, q3 of X2 is not held by anything. */
static void the_last_level_must_determine_everything(void **state)
{
  System s;
  Forms forms;
  read_system(*state,
              "coord q1, q2, q3, q4\n"
              "kinetic 2*q1'^2 + q1'*q2' + 3/2*q2'^2 + q4'^2 + 0*q3'\n"
              "force q1 = 1, q2 = -2, q3 = 1, q4 = 3\n"
              "constraint one: q1' + 2*q2' - q4' = t/2\n", &s);
  forms_open(&s, &forms);
  Answer x = answer(&forms, "cascade");
  assert_int_equal(x.trouble, PF_TROUBLE_NOT_UNIQUE);
  assert_contains(words(&forms, &x), "leave 'q3' free");
  close_all(&forms);
}

/* ---------------------------------------------------------------- the printed recursion */

/* q'' = [P M; A]^+ [Q; b] with the rows of one group alone, then Q <- M q'' (Zhao, Jiao, Wang 2015, eq.
 * (13)-(18), signs and pseudo-inverses repaired): literally, to show what it does. */
static void printed_level(System *s, const double *M, const double *A, const double *b, int rows, double *Q, double *a)
{
  enum { N = 5 };
  double inverse[N*2], P[N*N], stack[(N + 2)*N] = {0}, right[N + 2], whole[N*(N + 2)];
  pseudo_inverse(s->ctx, A, rows, N, 0, inverse);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      P[i*N + j] = i == j;
      for (int k = 0; k < rows; k++) P[i*N + j] -= inverse[i*rows + k]*A[k*N + j];
    }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) stack[i*N + j] += P[i*N + k]*M[k*N + j];
    right[i] = Q[i];
  }
  memcpy(stack + N*N, A, (size_t)(rows*N)*sizeof *A);
  memcpy(right + N, b, (size_t)rows*sizeof *b);
  pseudo_inverse(s->ctx, stack, N + rows, N, 0, whole);
  for (int i = 0; i < N; i++) a[i] = pf_dot(whole + i*(N + rows), right, N + rows);
  for (int i = 0; i < N; i++) Q[i] = pf_dot(M + i*N, a, N);
}

static void the_printed_recursion_forgets_level_one(void **state)
{
  static const double first[] = {25./41, 11./41, 53./82, 5./9, 41./18};
  static const double printed[] = {0.54923043505244213, -0.26576366908707255, 0.59115310618755043, 0.38307577732265872,
                                   0.52884317011109042};
  System s;
  double M[25], A[15], b[3], Q[5], a[5];
  load_system(*state, "x1", &s);
  evaluate(&s, s.eq.M, 25, M);
  evaluate(&s, s.eq.A, 15, A);
  evaluate(&s, s.eq.b, 3, b);
  evaluate(&s, s.eq.F, 5, Q);
  printed_level(&s, M, A, b, 1, Q, a);
  assert_vectors("printed", "acceleration after level 1", a, first, 5, 1e-13, 1);
  printed_level(&s, M, A + 5, b + 1, 2, Q, a);
  assert_vectors("printed", "acceleration after level 2", a, printed, 5, 1e-13, 1);
  assert_near(pf_dot(A, a, 5) - b[0], -11531./10742, 1e-13, 0);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- what a level is */

/* Names that agree up to a dot or bracket are one level; here levels repeat each other entirely and in part. */
static void levels_that_repeat_each_other_do_no_harm(void **state)
{
  System s;
  Forms forms;
  read_system(*state,
              "coord x, y, z\n"
              "kinetic x'^2 + y'^2 + 2*z'^2 + x'*z'\n"
              "force x = 3, y = 1, z = -2\n"
              "constraint a[1]: x' + y' = 2*t\n"
              "constraint b[1]: 3*x' + 3*y' = 6*t\n"
              "constraint b[2]: y' - z' = t\n"
              "constraint c: x' + 2*y' - z' = 3*t\n", &s);
  forms_open(&s, &forms);
  Answer x = answer(&forms, "cascade"), y = answer(&forms, "multipliers");
  assert_int_equal(x.trouble, PF_TROUBLE_NONE);
  assert_vectors("cascade", "acceleration", x.a, y.a, 3, 1e-14, largest(y.a, 3));
  assert_vectors("cascade", "multiplier", x.lambda, y.lambda, 4, 1e-13, largest(y.lambda, 4));
  close_all(&forms);
}

static void a_level_that_contradicts_an_earlier_one_is_named(void **state)
{
  System s;
  Forms forms;
  read_system(*state,
              "coord x, y\n"
              "kinetic x'^2 + y'^2\n"
              "constraint early: x' + y' = t\n"
              "constraint late[1]: x' - y' = 0\n"
              "constraint late[2]: 2*x' + 2*y' = 3*t\n", &s);
  forms_open(&s, &forms);
  Answer x = answer(&forms, "cascade");
  assert_int_equal(x.trouble, PF_TROUBLE_CONTRADICTION);
  assert_contains(words(&forms, &x), "'late[2]' contradicts");
  close_all(&forms);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(x1_has_its_exact_fractions),
    with_fixture(x2_has_its_exact_fractions),
    with_fixture(the_last_level_must_determine_everything),
    with_fixture(the_printed_recursion_forgets_level_one),
    with_fixture(levels_that_repeat_each_other_do_no_harm),
    with_fixture(a_level_that_contradicts_an_earlier_one_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
