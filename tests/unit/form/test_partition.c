/* SPDX-License-Identifier: Apache-2.0 */
/* Dependent and independent coordinates: chosen, kept, chosen anew; the result does not depend on the
 * choice. */
#include "form/formulations.h"

#include "form/partition.h"

/* The partition is the first thing in the workspace of both of Rosenberg's formulations. */
static const PfPartition *partition_of(const Forms *forms)
{
  return forms->solver[form_index("rosenberg_extended")]->data;
}

static bool is_dependent(const PfPartition *p, int coordinate)
{
  for (int i = 0; i < p->rank; i++)
    if (p->column[i] == coordinate) return true;
  return false;
}

/* ---------------------------------------------------------------- a motion through singular partitions */

/* A piano wheel of radius 3: large enough for chi to be chosen as dependent. With {x, chi} the block is
 * singular at theta = 0, with {y, chi} at theta = pi/2. */
static void open_wheel(void **state, System *s, Forms *forms)
{
  load_system(*state, "piano_wheel", s);
  set_parameter(s, "R", 3);
  set_parameter(s, "J1", 2);
  set_parameter(s, "D", 0.5);
  forms_open(s, forms);
}

static void roll(System *s, double theta, double w, double u)
{
  set_state(s, "theta", theta, w);
  v_of(s)[3] = u;
  v_of(s)[0] = 3*cos(theta)*u;
  v_of(s)[1] = 3*sin(theta)*u;
}

/* J1 theta'' = D F sin(theta), (J3 + m R^2) chi'' = R F cos(theta), and x', y' from rolling. */
static void closed_form(double theta, double w, double u, double *a)
{
  double turn = 0.5*sin(theta)/2, spin = 3*cos(theta)/(0.0025 + 2*9);
  a[0] = 3*(spin*cos(theta) - u*w*sin(theta));
  a[1] = 3*(spin*sin(theta) + u*w*cos(theta));
  a[2] = turn;
  a[3] = spin;
}

static void assert_closed_form(const Forms *forms, double theta, double w, double u)
{
  double a[4];
  closed_form(theta, w, u, a);
  Answer x = answer(forms, "rosenberg_extended");
  assert_int_equal(x.trouble, PF_TROUBLE_NONE);
  assert_vectors("rosenberg_extended", "acceleration", x.a, a, 4, 1e-12, 1 + largest(a, 4));
}

static void exactly_at_a_singular_partition_another_is_chosen(void **state)
{
  System s;
  Forms forms;
  open_wheel(state, &s, &forms);
  const double quarter = acos(-1)/2;
  for (int turn = 0; turn < 8; turn++) { /* from {y, chi} to {x, chi} and back, just where one is singular */
    roll(&s, turn*quarter, 1.5, 0.7);
    assert_closed_form(&forms, turn*quarter, 1.5, 0.7);
    assert_true(is_dependent(partition_of(&forms), turn%2 ? 0 : 1));
    assert_true(is_dependent(partition_of(&forms), 3));
  }
  assert_true(partition_of(&forms)->changes >= 8);
  close_all(&forms);
}

/* Rates of (x, y, theta, chi, x', y', theta', chi') by the formulation. */
static void rates(const Forms *forms, const double *z, double *out)
{
  System *s = forms->s;
  for (int i = 0; i < 4; i++) q_of(s)[i] = z[i], v_of(s)[i] = z[4 + i];
  Answer x = answer(forms, "rosenberg_extended");
  assert_int_equal(x.trouble, PF_TROUBLE_NONE);
  for (int i = 0; i < 4; i++) out[i] = z[4 + i], out[4 + i] = x.a[i];
}

static void step(const Forms *forms, double h, double *z)
{
  double k[4][8], at[8];
  static const double way[] = {0, 0.5, 0.5, 1};
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < 8; i++) at[i] = z[i] + (stage ? way[stage]*h*k[stage - 1][i] : 0);
    rates(forms, at, k[stage]);
  }
  for (int i = 0; i < 8; i++) z[i] += h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
}

/* It starts with {x, chi} dependent and turns through 0 and further: at every step the accelerations are
 * those of the closed form, and the two energy integrals stay what they were. */
static void a_motion_passes_through_singular_partitions(void **state)
{
  enum { STEPS = 800 };
  System s;
  Forms forms;
  open_wheel(state, &s, &forms);
  const double start = acos(-1)/2, h = 0.005;
  double z[8] = {0, 0, start, 0, 0, 0, -3, 0.7}, a[4], least = start;
  z[4] = 3*0.7*cos(start), z[5] = 3*0.7*sin(start);
  double J = 2*9/2 + 0.5*cos(start), E = (18.0025*0.49 + 2*9)/2 - (0 - 0.5*cos(start));
  for (int i = 0; i < STEPS; i++) {
    step(&forms, h, z);
    for (int k = 0; k < 4; k++) q_of(&s)[k] = z[k], v_of(&s)[k] = z[4 + k];
    closed_form(z[2], z[6], z[7], a);
    Answer x = answer(&forms, "rosenberg_extended"), y = answer(&forms, "multipliers");
    assert_int_equal(x.trouble, PF_TROUBLE_NONE);
    assert_vectors("rosenberg_extended", "acceleration", x.a, a, 4, 1e-9, 1 + largest(a, 4));
    assert_vectors("rosenberg_extended", "multiplier", x.lambda, y.lambda, 2, 1e-9, 1 + largest(y.lambda, 2));
    least = fmin(least, z[2]);
    assert_near(2*z[6]*z[6]/2 + 0.5*cos(z[2]), J, 1e-7, 0); /* RK4 with this step */
    assert_near((18.0025*z[7]*z[7] + 2*z[6]*z[6])/2 - (z[0] - 0.5*cos(z[2])), E, 1e-7, 0);
  }
  assert_true(least < -2*acos(-1)); /* all headings were passed */
  assert_true(partition_of(&forms)->changes >= 5);
  close_all(&forms);
}

/* Skates of mass 1 that turn together, pulled along x by 1 each: their accelerations at the heading theta, with the
 * speed u and the rate w, are cos(theta)/1 along the blade and u w across it. All pivots become small at the same time,
 * so that only what is left of the rows shows that the choice has become a bad one. */
static void assert_skates_turn(void **state, const char *text, int skates)
{
  System s;
  Forms forms;
  read_system(*state, text, &s);
  forms_open(&s, &forms);
  const double quarter = acos(-1)/2, headings[] = {quarter, 1e-2, 1e-5, 1e-9}, w = 0.5, u = 2;
  for (size_t h = 0; h < sizeof headings/sizeof *headings; h++) {
    double theta = headings[h], along = cos(theta), a[8] = {0};
    set_state(&s, "theta", theta, w);
    for (int i = 0; i < skates; i++) {
      v_of(&s)[2*i] = u*cos(theta), v_of(&s)[2*i + 1] = u*sin(theta);
      a[2*i] = along*cos(theta) - u*w*sin(theta);
      a[2*i + 1] = along*sin(theta) + u*w*cos(theta);
    }
    Answer x = answer(&forms, "rosenberg_extended"), y = answer(&forms, "maggi");
    assert_vectors("rosenberg_extended", "acceleration", x.a, a, 2*skates + 1, 1e-11, largest(a, 2*skates));
    assert_vectors("maggi", "acceleration", y.a, a, 2*skates + 1, 1e-11, largest(a, 2*skates));
  }
  assert_int_equal(partition_of(&forms)->changes, 2);
  close_all(&forms);
}

static void a_single_row_is_watched_as_well(void **state)
{
  assert_skates_turn(state,
                     "coord x, y, theta\n"
                     "kinetic (x'^2 + y'^2 + theta'^2)/2\n"
                     "force x = 1\n"
                     "constraint blade: sin(theta)*x' - cos(theta)*y' = 0\n", 1);
}

static void rows_whose_pivots_vanish_together_are_watched(void **state)
{
  assert_skates_turn(state,
                     "coord x1, y1, x2, y2, theta\n"
                     "kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2 + theta'^2)/2\n"
                     "force x1 = 1, x2 = 1\n"
                     "constraint first: sin(theta)*x1' - cos(theta)*y1' = 0\n"
                     "constraint second: sin(theta)*x2' - cos(theta)*y2' = 0\n", 2);
}

/* A start where rows are redundant must not stay in memory. */
static void rows_that_become_independent_are_noticed(void **state)
{
  System s;
  Forms forms;
  load_system(*state, "snakeboard", &s);
  forms_open(&s, &forms);
  const double half = acos(-1)/2;
  set_state(&s, "phi_b", half, 0);
  set_state(&s, "phi_f", half, 0);
  assert_int_equal(answer(&forms, "rosenberg_extended").trouble, PF_TROUBLE_NONE);
  assert_int_equal(partition_of(&forms)->rank, 1);
  set_state(&s, "phi_f", 0.5, 0.3);
  Answer x = answer(&forms, "rosenberg_extended"), y = answer(&forms, "multipliers");
  assert_int_equal(x.trouble, PF_TROUBLE_NONE);
  assert_int_equal(partition_of(&forms)->rank, 2);
  assert_vectors("rosenberg_extended", "acceleration", x.a, y.a, 6, 1e-12, largest(y.a, 6));
  close_all(&forms);
}

/* ---------------------------------------------------------------- admissible partitions agree */

/* Eq. (33), (34) written out for given dependent columns; M is diagonal here. */
static void accelerate_by(const System *s, PfPartition *p, const int *dependent, double *a)
{
  int n = s->eq.n, l = s->eq.m, free = n - l;
  double M[36], A[18], b[3], F[6], X[9], right[3], x2[3], N[18], d[6]; /* N = [-K; 1], d = (A1^-1 b, 0) */
  PfLdl ldl;
  evaluate(s, s->eq.M, n*n, M);
  evaluate(s, s->eq.A, l*n, A);
  evaluate(s, s->eq.b, l, b);
  evaluate(s, s->eq.F, n, F);
  pf_partition_choose(p, A);
  for (int i = 0, next = l; i < n; i++) {
    bool found = false;
    for (int k = 0; k < l; k++) found = found || dependent[k] == i;
    if (!found) p->column[next++] = i;
  }
  memcpy(p->column, dependent, (size_t)l*sizeof *dependent);
  assert_true(pf_partition_update(p, A, b));
  assert_memory_equal(p->column, dependent, (size_t)l*sizeof *dependent); /* good enough to be kept */
  pf_partition_directions(p, N, d);
  for (int i = 0; i < free; i++) {
    right[i] = 0;
    for (int k = 0; k < n; k++) right[i] += N[k*free + i]*(F[k] - M[k*n + k]*d[k]);
    for (int j = 0; j < free; j++) {
      X[i*free + j] = 0;
      for (int k = 0; k < n; k++) X[i*free + j] += N[k*free + i]*M[k*n + k]*N[k*free + j];
    }
  }
  assert_int_equal(pf_ldl_make(s->ctx, s->arena, free, &ldl), PF_OK);
  assert_int_equal(pf_ldl_factor(&ldl, X, 0), PF_OK);
  pf_ldl_solve(&ldl, right, x2);
  for (int k = 0; k < n; k++) a[k] = d[k] + pf_dot(N + k*free, x2, free);
}

/* The omni robot: wheels by platform or platform by wheels, and some mixtures. */
static void the_result_does_not_depend_on_the_partition(void **state)
{
  static const int choices[][3] = {{0, 1, 2}, {3, 4, 5}, {0, 1, 3}, {2, 4, 5}, {5, 0, 4}};
  System s;
  Forms forms;
  PfPartition p;
  double a[6];
  load_system(*state, "omni_robot", &s);
  set_state(&s, "x", 0, -0.3);
  set_state(&s, "y", 0, 0.2);
  set_state(&s, "theta", 0.4, -0.7);
  forms_open(&s, &forms);
  assert_int_equal(pf_partition_make(forms.solver[form_index("rosenberg_extended")], &p), PF_OK);
  Answer x = answer(&forms, "multipliers");
  for (size_t i = 0; i < sizeof choices/sizeof *choices; i++) {
    accelerate_by(&s, &p, choices[i], a);
    assert_vectors("(33), (34)", "acceleration", a, x.a, 6, 1e-12, largest(x.a, 6));
  }
  close_all(&forms);
}

/* One solver comes from another heading and keeps what it chose there, one is new. */
static void the_result_does_not_depend_on_what_was_before(void **state)
{
  System s;
  Forms old, new;
  open_wheel(state, &s, &old);
  forms_open(&s, &new);
  roll(&s, 0, 1, 1);
  answer(&old, "rosenberg_extended");
  roll(&s, 1, 1, 1); /* not singular yet for the one, not the first choice for the other */
  Answer x = answer(&old, "rosenberg_extended"), y = answer(&new, "rosenberg_extended");
  assert_true(is_dependent(partition_of(&old), 1));
  assert_true(is_dependent(partition_of(&new), 0));
  assert_vectors("rosenberg_extended", "acceleration", x.a, y.a, 4, 1e-13, largest(y.a, 4));
  assert_vectors("rosenberg_extended", "multiplier", x.lambda, y.lambda, 2, 1e-13, 1 + largest(y.lambda, 2));
  forms_close(&new);
  close_all(&old);
}

/* Units of the rows do not make a partition bad. */
static void units_do_not_cause_new_choices(void **state)
{
  System s;
  Forms forms;
  read_system(*state,
              "coord x, y, z, w\n"
              "kinetic x'^2 + y'^2 + z'^2 + w'^2\n"
              "constraint small: 1e-5*(x' + 0.4*y' - w') = 0\n"
              "constraint large: 1e5*(y' - 0.7*z' + 0.2*w') = 0\n", &s);
  forms_open(&s, &forms);
  for (int i = 0; i < 5; i++) assert_int_equal(answer(&forms, "rosenberg_extended").trouble, PF_TROUBLE_NONE);
  assert_int_equal(partition_of(&forms)->changes, 1);
  close_all(&forms);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(exactly_at_a_singular_partition_another_is_chosen),
    with_fixture(a_motion_passes_through_singular_partitions),
    with_fixture(a_single_row_is_watched_as_well),
    with_fixture(rows_whose_pivots_vanish_together_are_watched),
    with_fixture(rows_that_become_independent_are_noticed),
    with_fixture(the_result_does_not_depend_on_the_partition),
    with_fixture(the_result_does_not_depend_on_what_was_before),
    with_fixture(units_do_not_cause_new_choices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
