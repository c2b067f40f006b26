/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees: the recursion against the composite inertia matrix, against itself backwards, and against the
 * paper's form. */
#include "trees.h"

#include "num/num.h"

enum { SEEDS = 500 };

static void mirror(double *M, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) M[i*n + j] = M[j*n + i];
}

/* The free part of M x = T - bias by L D L^T, prescribed accelerations on the right-hand side. Returns its
 * condition number. */
static double composite_solve(Fixture *f, Sample *s, const double *T, double *x)
{
  static double M[MOST_RATES*MOST_RATES], part[MOST_RATES*MOST_RATES];
  double bias[MOST_RATES], b[MOST_RATES], y[MOST_RATES], values[MOST_RATES], work[MOST_RATES*MOST_RATES];
  int at[MOST_RATES], m = 0;
  const int n = s->nv;
  PfLdl ldl;
  assert_int_equal(pf_tree_inertia(s->work, s->q, M), PF_OK);
  mirror(M, n);
  assert_int_equal(pf_tree_inverse(s->work, s->q, s->v, NULL, bias), PF_OK);
  for (int i = 0; i < n; i++)
    if (!s->mask[i]) at[m++] = i;
  for (int i = 0; i < m; i++) {
    b[i] = T[at[i]] - bias[at[i]];
    for (int j = 0; j < n; j++)
      if (s->mask[j]) b[i] -= M[at[i]*n + j]*s->vdot[j];
    for (int j = 0; j < m; j++) part[i*m + j] = M[at[i]*n + at[j]];
  }
  for (int i = 0; i < n; i++) x[i] = s->vdot[i];
  if (!m) return 1;
  assert_int_equal(pf_ldl_make(f->ctx, f->arena, m, &ldl), PF_OK);
  assert_int_equal(pf_ldl_factor(&ldl, part, 0), PF_OK);
  assert_int_equal(ldl.rank, m);
  pf_ldl_solve(&ldl, b, y);
  for (int i = 0; i < m; i++) x[at[i]] = y[i];
  assert_int_equal(pf_eig_symmetric(part, m, values, NULL, work), PF_OK);
  return values[m - 1]/values[0];
}

static void the_recursion_equals_the_solution_with_the_composite_inertia(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, seed%2 == 0);
    double x[MOST_RATES], vdot[MOST_RATES], tau[MOST_RATES];
    const double condition = composite_solve(f, &s, s.tau, x);
    const PfTreeInput input = {.q = s.q, .v = s.v, .tau = s.tau, .vdot = s.vdot, .prescribed = s.mask};
    assert_int_equal(pf_tree_hybrid(s.work, &input, vdot, tau), PF_OK);
    assert_all_near(vdot, x, s.nv, fmax(1e-12, 1e-15*condition)); /* what the matrix loses, not the recursion */
    free_sample(&s);
  }
}

static void forward_then_inverse_returns_the_forces(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, seed%2 == 0);
    double vdot[MOST_RATES], tau[MOST_RATES];
    assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, vdot), PF_OK);
    assert_int_equal(pf_tree_inverse(s.work, s.q, s.v, vdot, tau), PF_OK);
    double size = 1; /* inertial forces that cancel: errors are relative to them */
    for (int i = 0; i < s.nv; i++) size = fmax(size, fabs(vdot[i]));
    assert_all_near(tau, s.tau, s.nv, 1e-12*size);
    free_sample(&s);
  }
}

/* The same accelerations, wrenches and forces, with external wrenches, by the paper's own recursion and by the known
 * motion. */
static void the_fast_sweeps_equal_the_papers_recursion(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, seed%2 == 0);
    double vdot[MOST_RATES], tau[MOST_RATES], A[6*MOST_BODIES], W[6*MOST_BODIES], A2[6*MOST_BODIES], W2[6*MOST_BODIES];
    PfTreeOperators all[MOST_BODIES];
    const PfTreeInput input = {s.q, s.v, s.tau, s.vdot, s.mask, s.wrench};
    assert_int_equal(pf_tree_complete(s.work, &input, &(PfTreeOutput){vdot, tau, A, W}), PF_OK);
    assert_int_equal(pf_tree_motion(s.work, s.q, s.v, vdot, s.wrench, A2, W2), PF_OK);
    assert_all_near(A2, A, 6*s.n, 1e-10);
    assert_all_near(W2, W, 6*s.n, 1e-10);
    assert_int_equal(pf_tree_operators(s.work, &input, all), PF_OK);
    for (int k = 0; k < s.n; k++) {
      memcpy(A2 + 6*k, all[k].Vdot, sizeof all[k].Vdot);
      memcpy(W2 + 6*k, all[k].f, sizeof all[k].f);
    }
    assert_all_near(A2, A, 6*s.n, 1e-10);
    assert_all_near(W2, W, 6*s.n, 1e-10);
    double passive[MOST_RATES];
    pf_tree_passive(s.tree, s.q, s.v, passive);
    for (int k = 0; k < s.n; k++) /* H^T f = actuators + springs and dampers */
      for (int i = 0; i < all[k].nv; i++) {
        const int at = pf_tree_v_at(s.tree, k) + i;
        double total = 0;
        for (int j = 0; j < 6; j++) total += all[k].H[j*all[k].nv + i]*W[6*k + j];
        assert_near(tau[at] + passive[at], total, 1e-9, 1e-9);
      }
    free_sample(&s);
  }
}

/* The forces of a known motion by the paper's recursion: H^T f less springs and dampers. */
static void papers_forces(Sample *s, const double *v, const double *vdot, double *tau)
{
  static const double ZERO[MOST_RATES] = {0};
  PfTreeOperators all[MOST_BODIES];
  unsigned char every[MOST_RATES];
  memset(every, 1, sizeof every);
  const PfTreeInput input = {.q = s->q, .v = v ? v : ZERO, .vdot = vdot ? vdot : ZERO, .prescribed = every};
  assert_int_equal(pf_tree_operators(s->work, &input, all), PF_OK);
  pf_tree_passive(s->tree, s->q, input.v, tau);
  for (int k = 0; k < s->n; k++)
    for (int i = 0; i < all[k].nv; i++) {
      const int at = pf_tree_v_at(s->tree, k) + i;
      tau[at] = -tau[at];
      for (int j = 0; j < 6; j++) tau[at] += all[k].H[j*all[k].nv + i]*all[k].f[j];
    }
}

/* With and without rates and accelerations. The sums of up to 14 bodies cancel a little: a hundred times rounding. */
static void assert_papers_forces(Sample *s)
{
  for (int given = 0; given < 4; given++) {
    const double *v = given & 1 ? s->v : NULL, *vdot = given & 2 ? s->vdot : NULL;
    double tau[MOST_RATES], expected[MOST_RATES];
    papers_forces(s, v, vdot, expected);
    assert_int_equal(pf_tree_inverse(s->work, s->q, v, vdot, tau), PF_OK);
    assert_all_near(tau, expected, s->nv, 3e-14);
  }
}

static void inverse_dynamics_equal_the_papers_recursion(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, seed%2 == 0);
    assert_papers_forces(&s);
    free_sample(&s);
  }
}

static void inverse_dynamics_know_every_pair_of_joints(void **state)
{
  Fixture *f = *state;
  for (int one = 0; one <= PF_JOINT_FREE; one++)
    for (int other = 0; other <= PF_JOINT_FREE; other++)
      for (uint64_t seed = 0; seed < 8; seed++) {
        Sample s = sample_of(f->ctx, seed, (PfJoint)one, (PfJoint)other);
        assert_papers_forces(&s);
        free_sample(&s);
      }
}

/* Locking says what accelerations are, not what forces they need. */
static void locked_joints_need_the_forces_of_free_ones(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    Sample s = random_sample(f->ctx, seed, 1);
    double x[MOST_RATES], y[MOST_RATES];
    PfTreeChange change;
    PfTreeWork *work;
    s.mask[0] = 1; /* at least one */
    assert_int_equal(pf_tree_lock(f->ctx, f->arena, s.tree, s.q, s.v, s.mask, &change), PF_OK);
    assert_int_equal(pf_tree_work_new(f->ctx, change.tree, &work), PF_OK);
    assert_int_equal(pf_tree_inverse(s.work, s.q, s.v, s.vdot, x), PF_OK);
    assert_int_equal(pf_tree_inverse(work, s.q, s.v, s.vdot, y), PF_OK);
    assert_all_near(y, x, s.nv, 3e-14); /* the bodies were added once more, and their axes made unit vectors again */
    pf_tree_work_free(work);
    pf_tree_free(change.tree);
    free_sample(&s);
  }
}

static void a_product_with_the_inverse_inertia_is_undone_by_the_inertia(void **state)
{
  Fixture *f = *state;
  static double M[MOST_RATES*MOST_RATES];
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    Sample s = random_sample(f->ctx, seed, 0);
    double vdot[MOST_RATES], x[MOST_RATES], back[MOST_RATES], t[MOST_RATES];
    assert_int_equal(pf_tree_respond(s.work, s.tau, NULL, x), PF_ERR_ARGUMENT);
    assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, vdot), PF_OK);
    assert_int_equal(pf_tree_kinematics(s.work, s.q, s.v), PF_OK);
    memcpy(t, s.tau, sizeof t);
    for (int k = 0; k < s.n; k++) { /* J^T wrench by the columns of O_k */
      double J[6*MOST_RATES];
      pf_tree_jacobian(s.work, k, (const double[]){0, 0, 0}, s.q, J);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < s.nv; j++) t[j] += J[i*s.nv + j]*s.wrench[6*k + i];
    }
    assert_int_equal(pf_tree_respond(s.work, s.tau, s.wrench, x), PF_OK);
    assert_int_equal(pf_tree_inertia(s.work, s.q, M), PF_OK);
    mirror(M, s.nv);
    double size = 1;
    for (int i = 0; i < s.nv; i++) {
      back[i] = pf_dot(M + i*s.nv, x, s.nv);
      size = fmax(size, fabs(x[i]));
    }
    assert_all_near(back, t, s.nv, 1e-12*size);
    free_sample(&s);
  }
}

static void the_columns_of_a_point_times_the_rates_are_its_velocity(void **state)
{
  Fixture *f = *state;
  const double point[] = {0.3, -0.2, 0.7};
  for (uint64_t seed = 0; seed < 50; seed++) {
    Sample s = random_sample(f->ctx, seed, 0);
    double J[6*MOST_RATES], V[6];
    assert_int_equal(pf_tree_kinematics(s.work, s.q, s.v), PF_OK);
    pf_tree_jacobian(s.work, s.n - 1, point, s.q, J);
    for (int i = 0; i < 6; i++) V[i] = pf_dot(J + i*s.nv, s.v, s.nv);
    const double *W = pf_tree_velocity(s.work, s.n - 1), *E = pf_tree_rotation(s.work, s.n - 1);
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = pf_dot(E + 3*i, point, 3);
    for (int i = 0; i < 3; i++) {
      assert_near(V[i], W[i], 0, 1e-12);
      assert_near(V[3 + i], W[3 + i] + W[(i + 1)%3]*x[(i + 2)%3] - W[(i + 2)%3]*x[(i + 1)%3], 0, 1e-12);
    }
    free_sample(&s);
  }
}

/* T = v^T M v/2, and the energy changes by the power of gravity, springs, dampers and actuators alone. */
static void the_kinetic_energy_is_that_of_the_inertia_matrix(void **state)
{
  Fixture *f = *state;
  static double M[MOST_RATES*MOST_RATES];
  for (uint64_t seed = 0; seed < 100; seed++) {
    Sample s = random_sample(f->ctx, seed, 0);
    double Mv[MOST_RATES];
    PfTreeTotals totals;
    assert_int_equal(pf_tree_kinematics(s.work, s.q, s.v), PF_OK);
    pf_tree_totals(s.work, s.q, &totals);
    assert_int_equal(pf_tree_inertia(s.work, s.q, M), PF_OK);
    mirror(M, s.nv);
    for (int i = 0; i < s.nv; i++) Mv[i] = pf_dot(M + i*s.nv, s.v, s.nv);
    assert_near(totals.kinetic, 0.5*pf_dot(Mv, s.v, s.nv), 1e-12, 1e-13);
    free_sample(&s);
  }
}

/* After forward dynamics, and by themselves in another state. */
static void energies_are_those_of_the_totals(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    Sample s = random_sample(f->ctx, seed, 0);
    double vdot[MOST_RATES], still[MOST_RATES] = {0}, kinetic, potential;
    PfTreeTotals totals;
    assert_int_equal(pf_tree_kinematics(s.work, s.q, s.v), PF_OK);
    pf_tree_totals(s.work, s.q, &totals);
    assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, vdot), PF_OK);
    pf_tree_energies(s.work, NULL, s.v, &kinetic, &potential);
    assert_near(kinetic, totals.kinetic, 1e-12, 1e-13);
    assert_near(potential, totals.gravity_potential, 1e-12, 1e-12);
    pf_tree_energies(s.work, s.q, still, &kinetic, &potential);
    assert_near(kinetic, 0, 0, 1e-300);
    assert_near(potential, totals.gravity_potential, 1e-12, 1e-12);
    free_sample(&s);
  }
}

static void two_workspaces_give_the_same_bits(void **state)
{
  Fixture *f = *state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    Sample s = random_sample(f->ctx, seed, 0);
    PfTreeWork *other;
    double x[MOST_RATES], y[MOST_RATES];
    assert_int_equal(pf_tree_work_new(f->ctx, s.tree, &other), PF_OK);
    assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, x), PF_OK);
    assert_int_equal(pf_tree_forward(s.work, s.q, NULL, NULL, y), PF_OK); /* leaves other numbers behind */
    assert_int_equal(pf_tree_forward(other, s.q, s.v, s.tau, y), PF_OK);
    assert_memory_equal(x, y, (size_t)s.nv*sizeof *x);
    assert_int_equal(pf_tree_forward(s.work, s.q, s.v, s.tau, y), PF_OK);
    assert_memory_equal(x, y, (size_t)s.nv*sizeof *x);
    assert_int_equal(pf_tree_inverse(s.work, s.q, s.v, s.vdot, x), PF_OK);
    assert_int_equal(pf_tree_inverse(other, s.q, s.v, s.vdot, y), PF_OK);
    assert_memory_equal(x, y, (size_t)s.nv*sizeof *x);
    pf_tree_work_free(other);
    free_sample(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      with_fixture(the_recursion_equals_the_solution_with_the_composite_inertia),
      with_fixture(forward_then_inverse_returns_the_forces),
      with_fixture(the_fast_sweeps_equal_the_papers_recursion),
      with_fixture(inverse_dynamics_equal_the_papers_recursion),
      with_fixture(inverse_dynamics_know_every_pair_of_joints),
      with_fixture(locked_joints_need_the_forces_of_free_ones),
      with_fixture(a_product_with_the_inverse_inertia_is_undone_by_the_inertia),
      with_fixture(the_columns_of_a_point_times_the_rates_are_its_velocity),
      with_fixture(the_kinetic_energy_is_that_of_the_inertia_matrix),
      with_fixture(energies_are_those_of_the_totals),
      with_fixture(two_workspaces_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
