/* SPDX-License-Identifier: Apache-2.0 */
/* The three-finger hand: all 18 rows of the paper, of which 12 are independent where they hold; rolling
 * resistance said in two ways; contact forces by the paper's equation (55). */
#include "references.h"

#include "num/pseudo_inverse.h"

/* ---------------------------------------------------------------- other texts of the same hand */

/* The example with some of its lines exchanged. */
static char *hand_text(Fixture *f)
{
  const char *bytes;
  size_t count;
  const char *path = PF_SOURCE_DIR "/examples/hands/hand.pf";
  assert_int_equal(pf_file_read(f->ctx, f->arena, path, 1 << 20, &bytes, &count), PF_OK);
  return pf_arena_text(f->arena, bytes, count);
}

static char *exchange(Fixture *f, const char *text, const char *from, const char *to)
{
  const char *at = strstr(text, from);
  if (!at) fail_msg("the hand has no line '%s'", from);
  size_t before = (size_t)(at - text), length = strlen(text) - strlen(from) + strlen(to) + 1;
  char *result = pf_arena_array(f->arena, char, length);
  snprintf(result, length, "%.*s%s%s", (int)before, text, to, at + strlen(from));
  return result;
}

/* Position, rolling and common normal, six rows per finger. */
static const char *redundant_hand(Fixture *f)
{
  char *text = exchange(f, hand_text(f), "constraint arcs: r*u' + rho*v' = 0",
                        "constraint place: pos(disc) + r*n = pos(tip) + rho*nf");
  return exchange(f, text, "constraint normal: phi' + u' - (q1' + q2' + q3') - v' = 0",
                  "constraint normal: -n - nf = 0");
}

/* C on the disc and the links in place of u and v: it differs by A^T of something. */
static const char *other_resistance(Fixture *f)
{
  char *text = exchange(f, hand_text(f), "nonideal u = -c*(u' - v'), v = c*(u' - v')",
                        "let turning = phi' - q1' - q2' - q3'\n"
                        "  nonideal q1 = c*turning, q2 = c*turning, q3 = c*turning");
  return exchange(f, text, "run 0.5", "nonideal phi = -c*(f1.turning + f2.turning + f3.turning)");
}

/* State and expected accelerations by the order of the system. */
static void use_state(System *s, const Table *table, const Load *load, double *a)
{
  char name[8];
  for (int i = 1; i < table->lines; i++) {
    int k = coordinate(s, hand_name(table->cell[i][0], name));
    q_of(s)[k] = cell(table, i, "q");
    v_of(s)[k] = cell(table, i, "qd");
    a[k] = cell(table, i, load->acceleration);
  }
}

/* ---------------------------------------------------------------- redundant rows */

static const char *const taking[] = {"multipliers", "udwadia_phohomsiri", "rosenberg_extended", "maggi", "cascade"};
enum { TAKING = sizeof taking/sizeof *taking };

static void eighteen_rows_give_what_twelve_give(void **state)
{
  const Table *table = read_table(*state, "hand-state.csv");
  System s;
  Forms forms;
  read_system(*state, redundant_hand(*state), &s);
  assert_int_equal(s.eq.m, 18);
  forms_open(&s, &forms);
  for (size_t l = 0; l < sizeof loads/sizeof *loads; l++) {
    double a[18];
    use_load(&s, loads + l);
    use_state(&s, table, loads + l, a);
    for (int k = 0; k < TAKING; k++) {
      Answer x = answer(&forms, taking[k]);
      if (x.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", taking[k], words(&forms, &x));
      assert_vectors(taking[k], "acceleration", x.a, a, 18, 1e-9, largest(a, 18));
    }
  }
  close_all(&forms);
}

/* Position and rolling multipliers of a contact add up to the force; the shares of least length for the
 * first finger were computed independently to five digits. */
static void redundant_multipliers_are_the_shortest(void **state)
{
  static const char *const rows[] = {"f1.place.x", "f1.place.y", "f1.slip.x", "f1.slip.y"};
  static const double shares[] = {-0.72457, -0.41833, -1.00778, 0.07221};
  static const double F1[] = {1.7323532523382338, 3.4612455147561904e-1};
  System s;
  Forms forms;
  double a[18];
  read_system(*state, redundant_hand(*state), &s);
  use_load(&s, loads + 1);
  use_state(&s, read_table(*state, "hand-state.csv"), loads + 1, a);
  forms_open(&s, &forms);
  for (int k = 0; k < TAKING; k++) {
    Answer x = answer(&forms, taking[k]);
    for (int i = 0; i < 4; i++) assert_near(x.lambda[constraint(&s, rows[i])], shares[i], 0, 0.6e-5);
    for (int i = 0; i < 2; i++)
      assert_near(x.lambda[constraint(&s, rows[i])] + x.lambda[constraint(&s, rows[i + 2])], -F1[i], 0, 1e-8);
  }
  close_all(&forms);
}

/* Off the manifold the 18 rows are independent by the size of the drift. It must not be taken for a
 * constraint. */
static void a_little_drift_does_not_wake_redundant_rows(void **state)
{
  System s;
  Forms forms;
  double a[18];
  read_system(*state, redundant_hand(*state), &s);
  use_load(&s, loads + 1);
  use_state(&s, read_table(*state, "hand-state.csv"), loads + 1, a);
  forms_open(&s, &forms);
  q_of(&s)[coordinate(&s, "f1.v")] += 1e-9;
  for (int k = 0; k < TAKING; k++) {
    Answer x = answer(&forms, taking[k]);
    if (x.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", taking[k], words(&forms, &x));
    assert_vectors(taking[k], "acceleration", x.a, a, 18, 1e-6, 1);
  }
  close_all(&forms);
}

static void rows_that_are_redundant_only_where_they_hold_have_no_laconic_form(void **state)
{
  System s;
  PfSystem *system;
  PfSolver *solver;
  read_system(*state, redundant_hand(*state), &s);
  assert_int_equal(pf_system_new(s.ctx, &s.eq, &system), PF_OK);
  assert_int_equal(pf_solver_new(s.ctx, system, pf_formulation_find("laconic"), &solver), PF_ERR_MODEL);
  assert_contains(pf_context_message(s.ctx), "follows from the others, but only where they hold");
  pf_system_free(system);
  pf_model_free(s.model);
}

/* The misprint I + A^+ A of eq. (12), (17) in place of I - A^+ A: wrong by 171 rad/s^2, and the constraints
 * are missed. */
static void the_printed_sign_gives_something_else(void **state)
{
  enum { N = 18 };
  static double M[N*N], A[N*N], inverse[N*N], stack[2*N*N], right[2*N], whole[2*N*N];
  System s;
  double a[N], wrong[N], miss[N], b[N], F[N];
  read_system(*state, redundant_hand(*state), &s);
  use_load(&s, loads);
  use_state(&s, read_table(*state, "hand-state.csv"), loads, a);
  evaluate(&s, s.eq.M, N*N, M);
  evaluate(&s, s.eq.A, N*N, A);
  evaluate(&s, s.eq.F, N, F);
  evaluate(&s, s.eq.b, N, b);
  pseudo_inverse(s.ctx, A, N, N, 1e-9, inverse);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++) {
        double P = i == k;
        for (int r = 0; r < N; r++) P += inverse[i*N + r]*A[r*N + k];
        sum += P*M[k*N + j];
      }
      stack[i*N + j] = sum;
      stack[(N + i)*N + j] = A[i*N + j];
    }
    right[i] = F[i];
    right[N + i] = b[i];
  }
  pseudo_inverse(s.ctx, stack, 2*N, N, 0, whole);
  for (int i = 0; i < N; i++) wrong[i] = pf_dot(whole + i*2*N, right, 2*N);
  for (int i = 0; i < N; i++) miss[i] = pf_dot(A + i*N, wrong, N) - b[i];
  for (int i = 0; i < N; i++) wrong[i] -= a[i];
  assert_near(largest(wrong, N), 171, 0.01, 0);
  assert_near(largest(miss, N), 1.2e-3, 0.05, 0);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- non-ideal forces */

static void both_ways_to_say_rolling_resistance_accelerate_alike(void **state)
{
  System s;
  Forms forms;
  double a[18];
  read_system(*state, other_resistance(*state), &s);
  use_state(&s, read_table(*state, "hand-state.csv"), loads + 2, a);
  forms_open(&s, &forms);
  for (int k = 0; k < forms.count; k++) {
    const char *form = pf_formulation_name(pf_formulation(k));
    if (!strcmp(form, "rosenberg") || !strcmp(form, "udwadia_kalaba") || !strcmp(form, "elimination")) continue;
    assert_non_null(forms.solver[k]);
    Answer x = answer_of(&forms, forms.solver[k]);
    if (x.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", form, words(&forms, &x));
    assert_vectors(form, "acceleration", x.a, a, 18, !strcmp(form, "udwadia_phohomsiri") ? 1e-9 : 1e-11, 1);
  }
  close_all(&forms);
}

/* ---------------------------------------------------------------- contact forces */

/* Equation (55) with the columns of the finger alone: F = (J J^T)^-1 J Q^C, J the Jacobian of the point of
 * the fingertip in contact, Q^C on the three joints. Exact for ideal constraints. */
static void force_on_finger(const System *s, const double *force, int finger, double *F)
{
  double sum = 0, x[4] = {0}, y[4] = {0}, J[6], JJ[3] = {0}, Q[2] = {0};
  char name[8];
  int column[3];
  for (int j = 0; j < 3; j++) {
    snprintf(name, sizeof name, "f%d.q%d", finger, j + 1);
    column[j] = coordinate(s, name);
    sum += q_of(s)[column[j]];
    x[j + 1] = x[j] + 0.05*cos(sum);
    y[j + 1] = y[j] + 0.05*sin(sum);
  }
  snprintf(name, sizeof name, "f%d.v", finger);
  double normal = sum + q_of(s)[coordinate(s, name)], px = x[3] + 0.01*cos(normal), py = y[3] + 0.01*sin(normal);
  for (int j = 0; j < 3; j++) {
    J[j] = -(py - y[j]);
    J[3 + j] = px - x[j];
    JJ[0] += J[j]*J[j], JJ[1] += J[j]*J[3 + j], JJ[2] += J[3 + j]*J[3 + j];
    Q[0] += J[j]*force[column[j]], Q[1] += J[3 + j]*force[column[j]];
  }
  double det = JJ[0]*JJ[2] - JJ[1]*JJ[1];
  F[0] = (JJ[2]*Q[0] - JJ[1]*Q[1])/det;
  F[1] = (JJ[0]*Q[1] - JJ[1]*Q[0])/det;
}

static void contact_forces_follow_from_the_joints(void **state)
{
  static const double expected[2][6] = {
    {1.4081787614448816e-2, -3.7393704542569771e-2, -4.2581008539038469e-3, -1.7485520518991257e-2,
     3.1930603149363409e-2, 9.309418779263619e-2},
    {1.7323532523382338, 3.4612455147561904e-1, -1.7326092206797211, 3.4631694376736617e-1,
     7.7116954638960467e-5, -2.6527749249690403}};
  System s;
  Forms forms;
  load_system(*state, "hand", &s);
  forms_open(&s, &forms);
  for (int l = 0; l < 2; l++) {
    double a[18], F[6];
    use_load(&s, loads + l);
    use_state(&s, read_table(*state, "hand-state.csv"), loads + l, a);
    Answer x = answer(&forms, "cascade");
    for (int finger = 1; finger <= 3; finger++) force_on_finger(&s, x.force, finger, F + 2*(finger - 1));
    assert_vectors("cascade", "contact force", F, expected[l], 6, 1e-11, largest(expected[l], 6));
  }
  close_all(&forms);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(eighteen_rows_give_what_twelve_give),
    with_fixture(redundant_multipliers_are_the_shortest),
    with_fixture(a_little_drift_does_not_wake_redundant_rows),
    with_fixture(rows_that_are_redundant_only_where_they_hold_have_no_laconic_form),
    with_fixture(the_printed_sign_gives_something_else),
    with_fixture(both_ways_to_say_rolling_resistance_accelerate_alike),
    with_fixture(contact_forces_follow_from_the_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
