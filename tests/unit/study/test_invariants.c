/* SPDX-License-Identifier: Apache-2.0 */
/* Conserved quantities: that they are constant is checked by numbers, with accelerations solved for by least squares;
 * that the right ones are found, by formulas of the reference page and of textbooks. */
#include "mech/system.h"

#include "pfaff/integrals.h"

static PfInvariants find(System *s)
{
  PfInvariants found;
  PfStatus status = pf_invariants_find(s->ctx, s->arena, &s->eq, s->given, &found);
  if (status != PF_OK) fail_msg("%s", pf_context_message(s->ctx));
  return found;
}

static const PfInvariant *find_kind(const PfInvariants *found, PfInvariantKind kind)
{
  for (int i = 0; i < found->count; i++)
    if (found->at[i].kind == kind) return found->at + i;
  fail_msg("nothing of the kind '%s' was found", pf_invariant_kind_name(kind));
  return NULL;
}

static int count_kind(const PfInvariants *found, PfInvariantKind kind)
{
  int count = 0;
  for (int i = 0; i < found->count; i++) count += found->at[i].kind == kind;
  return count;
}

/* Admissible velocities: any, less their part across A v = 0, by least squares. */
static void set_admissible_state(System *s, uint64_t *seed)
{
  int n = s->eq.n, m = s->eq.m;
  double *A = pf_arena_array(s->arena, double, m*n + 1), *r = pf_arena_array(s->arena, double, m + 1);
  double *x = pf_arena_array(s->arena, double, n);
  PfQr qr;
  assert_true(A && r && x);
  set_random_state(s, seed);
  if (m == 0) return;
  evaluate(s, s->eq.A, m*n, A);
  evaluate(s, s->eq.velocity, m, r);
  assert_int_equal(pf_qr_make(s->ctx, s->arena, m, n, &qr), PF_OK);
  assert_int_equal(pf_qr_factor(&qr, A, 1e-12), PF_OK);
  pf_qr_solve(&qr, r, x);
  for (int i = 0; i < n; i++) v_of(s)[i] -= x[i];
}

/* The rate of an invariant: dJ/dq v + dJ/dv a + dJ/dt. */
static double rate_of(System *s, PfExpr e)
{
  PfExpr rate;
  int n = s->eq.n;
  double *a = pf_arena_array(s->arena, double, n), *lambda = pf_arena_array(s->arena, double, s->eq.m + 1), value = NAN;
  PfExpr *symbols = pf_arena_array(s->arena, PfExpr, s->symbols.count + n);
  double *values = pf_arena_array(s->arena, double, s->symbols.count + n);
  assert_true(a && lambda && symbols && values);
  assert_int_equal(pf_model_time_derivative(s->model, &e, 1, &rate), PF_OK);
  solve(s, a, lambda);
  memcpy(symbols, s->symbols.symbol, (size_t)s->symbols.count*sizeof *symbols);
  memcpy(values, s->values, (size_t)s->symbols.count*sizeof *values);
  for (int i = 0; i < n; i++) symbols[s->symbols.count + i] = s->model->coordinates[i].a;
  memcpy(values + s->symbols.count, a, (size_t)n*sizeof *a);
  assert_int_equal(pf_expr_evaluate(s->ctx, &rate, 1, symbols, values, s->symbols.count + n, &value), PF_OK);
  return value;
}

static void check_all_constant(System *s, const PfInvariants *found)
{
  uint64_t seed = 5;
  for (int k = 0; k < 3; k++) {
    set_admissible_state(s, &seed);
    for (int i = 0; i < found->count; i++) assert_near(rate_of(s, found->at[i].by_coordinates), 0, 0, 1e-9);
  }
}

/* ---------------------------------------------------------------- carriages */

/* Reference, section 6: K = (A nu)_3 = 2.3125 and 2h = 4.6875 at nu = (1, 1, 1), in units of M R^2. */
static void the_inertial_carriage_keeps_its_energy_and_a_momentum(void **state)
{
  System s;
  load_system(*state, "carriage_omni3", &s);
  set_parameter(&s, "c1", 0);
  set_parameter(&s, "c2", 0);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 3); /* and a relation of the angles */
  const PfInvariant *K = find_kind(&found, PF_INVARIANT_MOMENTUM), *h = find_kind(&found, PF_INVARIANT_ENERGY);
  assert_true(K->general);
  assert_string_equal(K->name, "momentum along nu[3]");
  assert_false(h->dependent);
  set_state(&s, "x", 0, 0.05); /* nu = (1, 1, 1) at theta = 0: x' = R, y' = R, theta' = 1/2, chi' = Xi nu */
  set_state(&s, "y", 0, 0.05);
  set_state(&s, "theta", 0, 0.5);
  set_state(&s, "chi[1]", 0, 2.5);
  set_state(&s, "chi[2]", 0, 0.5);
  set_state(&s, "chi[3]", 0, 0.5);
  assert_near(fabs(value_of(&s, K->value)), 4*0.05*0.05*2.3125, 1e-14, 0);
  assert_near(value_of(&s, h->value), 4*0.05*0.05*4.6875/2, 1e-14, 0);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* Motors with friction: only the relation of the angles is left. */
static void the_driven_carriage_keeps_only_what_is_holonomic(void **state)
{
  System s;
  load_system(*state, "carriage_omni3", &s);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 1);
  assert_int_equal(found.at[0].kind, PF_INVARIANT_HOLONOMIC);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* Reference, section 3: E = T - Q1 psi1, and 3 L theta + r (psi1 + psi2 + psi3); theta'' is constant, so the rotation
 * has an energy of its own. */
static void constant_forces_belong_to_the_energy(void **state)
{
  System s;
  load_system(*state, "omni_robot", &s);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 3);
  assert_int_equal(count_kind(&found, PF_INVARIANT_QUADRATIC), 1);
  PfExpr energy = pf_expr_sub(s.ctx, s.eq.kinetic, formula(s.ctx, "Q*psi[1]"));
  assert_equal(&s, find_kind(&found, PF_INVARIANT_ENERGY)->value, energy);
  assert_int_equal(count_kind(&found, PF_INVARIANT_HOLONOMIC), 1);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* Reference, section 3, with Q = 0: theta' = w is constant and v turns at the rate kap w, kap = 0.103448…: so
 * y' - kap w x and x' + kap w y are constant as well. The velocity in the axes of the robot turns at a constant rate,
 * too: its integral is the way of a wheel. */
static void the_free_omni_robot_keeps_more(void **state)
{
  System s;
  load_system(*state, "omni_robot", &s);
  set_parameter(&s, "Q", 0);
  PfInvariants found = find(&s);
  assert_int_equal(count_kind(&found, PF_INVARIANT_LINEAR), 3);
  assert_int_equal(count_kind(&found, PF_INVARIANT_QUADRATIC), 1);
  assert_int_equal(found.count, 6);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- classical systems */

/* The sleigh keeps its energy, and no momentum: its blade pushes. */
static void the_sleigh_keeps_its_energy_only(void **state)
{
  System s;
  load_system(*state, "chaplygin_sleigh", &s);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 1);
  assert_int_equal(found.at[0].kind, PF_INVARIANT_ENERGY);
#ifdef PF_HAVE_FLINT
  assert_int_equal(found.at[0].proof, PF_TRUE);
#endif
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* A ball on a plane keeps its angular velocity; between plates it cannot spin, so x', y' say it all, the energy too. */
static void a_ball_on_a_plane_moves_uniformly(void **state)
{
  System s;
  load_system(*state, "rolling_ball", &s);
  PfInvariants found = find(&s);
  assert_true(find_kind(&found, PF_INVARIANT_ENERGY)->dependent);
  assert_true(count_kind(&found, PF_INVARIANT_LINEAR) >= 3);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* The angular momentum about the vertical, and the spin about the normal of the bowl (Routh, Dynamics of a system of
 * rigid bodies, advanced part). */
static void a_ball_in_a_bowl_keeps_energy_and_two_momenta(void **state)
{
  System s;
  load_system(*state, "ball_in_bowl", &s);
  PfInvariants found = find(&s);
  assert_int_equal(count_kind(&found, PF_INVARIANT_ENERGY), 1);
  assert_int_equal(count_kind(&found, PF_INVARIANT_LINEAR) + count_kind(&found, PF_INVARIANT_MOMENTUM), 2);
  pf_model_free(s.model);
}

/* Nothing outside acts on two bodies with a joint between them: momentum P and angular momentum stay (and so
 * does r x P with the centre of mass r, which moves along P). */
static void free_bodies_keep_momentum_and_angular_momentum(void **state)
{
  System s;
  read_system(*state,
              "model f\nparam m = 2, M = 5, J = 3, k = 1\ncoord x, y, a, b\n"
              "body one in ground at (x, y, 0) turn a about z { mass m, inertia diag(0, 0, J), com (1, 0, 0) }\n"
              "body two in one at (2, 0, 0) turn b about z { mass M, inertia diag(0, 0, J), com (1, 0, 0) }\n"
              "potential k*b^2/2\nforce b = -k*b'\n", &s);
  PfInvariants found = find(&s);
  assert_true(found.count >= 3);
  assert_int_equal(count_kind(&found, PF_INVARIANT_MOMENTUM), 3);
  bool angular = false;
  for (int i = 0; i < found.count; i++)
    angular |= found.at[i].name && strstr(found.at[i].name, "angular momentum of all bodies about z");
  assert_true(angular);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

static void a_cyclic_coordinate_has_a_momentum(void **state)
{
  System s;
  read_system(*state, "model k\nparam m, k\ncoord r, phi\nkinetic m/2*(r'^2 + r^2*phi'^2)\npotential -k/r\n", &s);
  PfInvariants found = find(&s);
  const PfInvariant *p = find_kind(&found, PF_INVARIANT_MOMENTUM);
  assert_formula(&s, p->value, "m*r^2*phi'");
  assert_true(p->general);
  assert_int_equal(count_kind(&found, PF_INVARIANT_ENERGY), 1);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* Two coordinates that oscillate at one frequency: x y' - y x' is constant. */
static void an_isotropic_oscillator_keeps_its_angular_momentum(void **state)
{
  System s;
  read_system(*state, "model o\nparam m, k\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*(x^2 + y^2)\n", &s);
  PfInvariants found = find(&s);
  assert_int_equal(find_kind(&found, PF_INVARIANT_ENERGY)->kind, PF_INVARIANT_ENERGY);
  assert_int_equal(count_kind(&found, PF_INVARIANT_LINEAR), 1);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

static void a_damped_system_keeps_nothing(void **state)
{
  System s;
  read_system(*state, "param m = 1, c = 2, k = 3\ncoord x\nkinetic m/2*x'^2\npotential k/2*x^2\n"
                      "dissipation c/2*x'^2\n", &s);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 0);
  assert_null(found.why_not);
  pf_model_free(s.model);
}

/* A bead on a turning rod: the energy changes, sum p v - L does not. */
static void a_turning_rod_has_a_generalized_energy(void **state)
{
  System s;
  read_system(*state, "model b\nparam m = 2, w = 3\ncoord r\nkinetic m/2*(r'^2 + w^2*r^2)\n", &s);
  PfInvariants found = find(&s);
  assert_formula(&s, find_kind(&found, PF_INVARIANT_JACOBI)->value, "m/2*(r'^2 - w^2*r^2)");
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

static void dry_friction_is_a_reason_not_to_look(void **state)
{
  System s;
  load_system(*state, "incline_friction", &s);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 0);
  assert_contains(found.why_not, "friction");
  pf_model_free(s.model);
}

/* Where constraints on positions hold, products with them are nothing new: z x' with z = 0, (a - b) a' with a = b, and
 * for a free body with an axis of symmetry the sum of its angular momentum about z and the spin about the axis. */
static void integrals_are_listed_once(void **state)
{
  static const struct {
    const char *text;
    int others; /* than the energy */
  } cases[] = {
    {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c: z = 0", 3},
    {"param m = 1\ncoord a, b [rad]\nkinetic m*(a'^2 + b'^2)/2\nconstraint gear: a = b", 1},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nstart x = 1", 1},
    {"body b in ground ball { mass 1, inertia diag(1, 1, 2) }", 4},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    System s;
    read_system(*state, cases[i].text, &s);
    PfInvariants found = find(&s);
    int others = found.count - count_kind(&found, PF_INVARIANT_ENERGY);
    if (others != cases[i].others) fail_msg("%d, not %d, in: %s", others, cases[i].others, cases[i].text);
    pf_model_free(s.model);
  }
}

/* Zobova 2011, (3.2): the fork of a piano wheel is a pendulum, J1 theta'^2/2 + D F cos(theta). Another one, which the
 * paper does not have, is y - R J1 chi' theta'/(D F) + R^2 J1 sin(theta)/(D (J3 + m R^2)). */
static void the_piano_wheel_is_a_pendulum(void **state)
{
  System s;
  load_system(*state, "piano_wheel", &s);
  PfInvariants found = find(&s);
  PfExpr pendulum = formula(s.ctx, "J1*theta'^2/2 + D*F*cos(theta)");
  bool there = false;
  for (int i = 0; i < found.count; i++) {
    PfExpr rest = pf_expr_sub(s.ctx, found.at[i].value, pendulum);
    there = there || (found.at[i].general && pf_expr_is_probably_zero(s.ctx, rest, 2) == PF_TRUE);
  }
  assert_true(there);
  assert_int_equal(count_kind(&found, PF_INVARIANT_QUADRATIC), 2);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* Each of two unconnected pendulums has an energy. */
static void unconnected_parts_have_energies(void **state)
{
  System s;
  read_system(*state, "param m = 2, k = 3, c = 1\ncoord a, b\nkinetic m*a'^2/2 + m*b'^2\n"
                      "potential -k*(cos(a) + cos(b)) + c*b^4\n", &s);
  PfInvariants found = find(&s);
  assert_int_equal(found.count, 2);
  assert_true(found.at[0].general && found.at[1].general);
  check_all_constant(&s, &found);
  pf_model_free(s.model);
}

/* A loaded ball of revolution rolls on a plane (Routh, advanced part): Jellett's integral is linear in the velocities,
 * Routh's quadratic. Their constants are polynomials of the parameters, with and without values. */
static void a_loaded_ball_has_the_integrals_of_jellett_and_routh(void **state)
{
  static const char *const texts[] = {"param m = 0.3, R = 0.1, b = 0.03, A = 9e-4, C = 1.1e-3, g = 9.81\n",
                                      "param m, R, b, A, C, g\n"};
  for (int k = 0; k < 2; k++) {
    System s;
    char text[500];
    snprintf(text, sizeof text,
             "%sgravity (0, 0, -g)\nbody q in ground free { mass m, com (0, 0, b), inertia diag(A, A, C) }\n"
             "roll w: ball q { radius R } on ground\nstart q.p = (0, 0, R)\n", texts[k]);
    read_system(*state, text, &s);
    PfInvariants found = find(&s);
    int linear = 0, quadratic = 0;
    for (int i = 0; i < found.count; i++) {
      if (!found.at[i].general) continue;
      linear += found.at[i].kind == PF_INVARIANT_LINEAR, quadratic += found.at[i].kind == PF_INVARIANT_QUADRATIC;
    }
    assert_int_equal(linear, 1);
    assert_int_equal(quadratic, 1);
    if (k == 0) {
      /* Published: C wz (b + R gz) + A R (gx wx + gy wy), wz^2 (A C + m C (b + R gz)^2 + m A R^2 (1 - gz^2)). */
      const char *published[] = {"C*q.wz*(b + R*q.gz) + A*R*(q.gx*q.wx + q.gy*q.wy)",
                                 "q.wz^2*(A*C + m*C*(b + R*q.gz)^2 + m*A*R^2*(1 - q.gz^2))"};
      for (int j = 0; j < 2; j++) {
        bool there = false;
        for (int i = 0; i < found.count; i++) {
          PfExpr ratio = pf_expr_div(s.ctx, found.at[i].value, formula(s.ctx, published[j]));
          PfExpr rest = pf_expr_diff(s.ctx, ratio, formula(s.ctx, "q.gz"));
          there = there || (found.at[i].general && pf_expr_is_probably_zero(s.ctx, rest, 2) == PF_TRUE);
        }
        assert_true(there);
      }
    }
    pf_model_free(s.model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_inertial_carriage_keeps_its_energy_and_a_momentum),
    with_fixture(the_driven_carriage_keeps_only_what_is_holonomic),
    with_fixture(constant_forces_belong_to_the_energy),
    with_fixture(the_free_omni_robot_keeps_more),
    with_fixture(the_sleigh_keeps_its_energy_only),
    with_fixture(a_ball_on_a_plane_moves_uniformly),
    with_fixture(a_ball_in_a_bowl_keeps_energy_and_two_momenta),
    with_fixture(free_bodies_keep_momentum_and_angular_momentum),
    with_fixture(a_cyclic_coordinate_has_a_momentum),
    with_fixture(an_isotropic_oscillator_keeps_its_angular_momentum),
    with_fixture(a_damped_system_keeps_nothing),
    with_fixture(a_turning_rod_has_a_generalized_energy),
    with_fixture(the_piano_wheel_is_a_pendulum),
    with_fixture(unconnected_parts_have_energies),
    with_fixture(a_loaded_ball_has_the_integrals_of_jellett_and_routh),
    with_fixture(dry_friction_is_a_reason_not_to_look),
    with_fixture(integrals_are_listed_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
