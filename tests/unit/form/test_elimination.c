/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination in closed form against the same on matrices: accelerations, multipliers, and what it tells
 * besides. */
#include "form/formulations.h"

#include "form/choose.h"

#include "form/solver.h"


/* A system, its elimination and the multipliers on matrices. */
typedef struct Pair {
  System s;
  PfSystem *system;
  PfSolver *closed, *matrices;
  PfExpr power; /* of what is applied and of the constraints */
} Pair;

/* A function of state and multipliers: v (applied + C + A^T lambda). */
static PfExpr power_of(const System *s)
{
  PfExpr sum = pf_expr_int(s->ctx, 0);
  for (int i = 0; i < s->eq.n; i++) {
    PfExpr force = pf_expr_add(s->ctx, s->eq.applied[i], s->eq.C[i]);
    for (int k = 0; k < s->eq.m; k++)
      force = pf_expr_add(s->ctx, force,
                          pf_expr_mul(s->ctx, s->eq.A[k*s->eq.n + i], s->model->constraints[k].multiplier));
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, force, s->model->coordinates[i].v));
  }
  return sum;
}

typedef enum Parameters { AS_INPUTS, AS_NUMBERS } Parameters;

/* x->closed is NULL where it does not apply; the message tells why. */
static PfStatus open_pair_if(Pair *x, Parameters parameters, bool cheap)
{
  x->power = power_of(&x->s);
  PfSolverPlan plan = {.values = parameters == AS_NUMBERS ? x->s.values : NULL, .power = x->power};
  assert_int_equal(pf_system_new(x->s.ctx, &x->s.eq, &x->system), PF_OK);
  if (cheap) plan.cost_limit = pf_cost_of_multipliers(x->system);
  assert_int_equal(pf_solver_new(x->s.ctx, x->system, pf_formulation_find("multipliers"), &x->matrices), PF_OK);
  return pf_solver_new_for(x->s.ctx, x->system, pf_formulation_find("elimination"), &plan, &x->closed);
}

/* As when it is asked for by name, however long it is. */
static PfStatus open_pair(Pair *x, Parameters parameters)
{
  return open_pair_if(x, parameters, false);
}

static void open_text(Fixture *f, const char *text, Pair *x)
{
  read_system(f, text, &x->s);
  if (open_pair(x, AS_NUMBERS) != PF_OK) fail_msg("%s", pf_context_message(f->ctx));
}

static void close_pair(Pair *x)
{
  pf_solver_free(x->closed);
  pf_solver_free(x->matrices);
  pf_system_free(x->system);
  pf_model_free(x->s.model);
}

/* ---------------------------------------------------------------- accelerations */

/* At the state of the system; false when the elimination has left it to the matrices. */
static bool compare_state(Pair *x, const char *name)
{
  System *s = &x->s;
  Forms forms = {.s = s, .system = x->system};
  Answer a = answer_of(&forms, x->closed), b = answer_of(&forms, x->matrices);
  const PfByproducts *byproducts = pf_solver_byproducts(x->closed);
  assert_int_equal(a.trouble, b.trouble);
  if (!byproducts->known || b.trouble != PF_TROUBLE_NONE) return false;
  double a_size = 1 + largest(b.a, s->eq.n), l_size = 1 + largest(b.lambda, s->eq.m),
         f_size = 1 + largest(b.force, s->eq.n);
  double tolerance = 1e-12/byproducts->margin; /* rounding, by the condition of A M^-1 A^T */
  assert_vectors(name, "acceleration", a.a, b.a, s->eq.n, tolerance, a_size);
  assert_vectors(name, "multiplier", a.lambda, b.lambda, s->eq.m, tolerance, l_size*a_size); /* rounding of M a */
  assert_vectors(name, "force", a.force, b.force, s->eq.n, tolerance, f_size*a_size);
  memcpy(s->values + s->symbols.lambda, b.lambda, (size_t)s->eq.m*sizeof *b.lambda);
  double power = value_of(s, x->power);
  assert_near(byproducts->power, power, 0, 1e3*tolerance*(l_size + fabs(power)));
  return true;
}

/* How often the elimination itself has answered at random states; -1 where it does not apply. */
static int compare_example(Fixture *f, const char *name, Parameters parameters)
{
  Pair x;
  int known = 0;
  uint64_t seed = 7;
  load_system(f, name, &x.s);
  if (open_pair(&x, parameters) == PF_OK)
    for (int k = 0; k < 30; k++) {
      set_random_state(&x.s, &seed);
      known += compare_state(&x, name);
    }
  else known = -1;
  close_pair(&x);
  return known;
}

static void it_is_what_the_matrices_compute_on_examples(void **state)
{
  int applied[2] = {0, 0};
  for (const char *const *name = representative_examples(*state); *name; name++) {
    for (int k = 0; k < 2; k++) applied[k] += compare_example(*state, *name, k ? AS_NUMBERS : AS_INPUTS) > 0;
    pf_diagnostics_clear(((Fixture *)*state)->ctx);
  }
  assert_true(applied[0] >= 20);
  assert_true(applied[1] >= 20);
}

static void where_it_applies_it_does_the_work(void **state)
{
  static const char *const names[] = {"snakeboard", "free_floating", "free_floating_cm", "omni_robot",
                                      "carriage_mecanum",
                                      "carriage_omni3", "piano_wheel", "two_omni", "differential_drive",
                                      "cart_pendulum",
                                      "double_pendulum_bodies", "sleigh_variable_mass", "chaplygin_sleigh"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++)
    if (compare_example(*state, names[i], AS_NUMBERS) != 30) fail_msg("%s is left to the matrices", names[i]);
}

/* Inputs by their functions, a mass that moves in time, a constraint with a drive. */
static void time_enters_as_well(void **state)
{
  Pair x;
  uint64_t seed = 3;
  open_text(*state,
            "model driven\nparam m = 2, w = 3\ninput u = cos(w*t)\ncoord x, y, th\n"
            "kinetic (m + sin(t))/2*(x'^2 + y'^2) + (1 + x^2)/2*th'^2 + 0.3*th'*x'\npotential x^2*cos(t)\n"
            "force x = u*y, th = -th'^3\nconstraint drive: cos(th + 1)*x' + sin(th + 1)*y' = u\n"
            "start x' = 1.9, th' = 2\n", &x);
  for (int k = 0; k < 50; k++) {
    set_random_state(&x.s, &seed);
    assert_true(compare_state(&x, "driven"));
  }
  close_pair(&x);
}

/* Parameters that are inputs may change; numbers stay what they were. */
static void parameters_are_inputs_unless_their_numbers_are_given(void **state)
{
  const char *text = "model free\nparam m = 2\ncoord x\nkinetic m/2*x'^2\nforce x = 6\n";
  for (int numbers = 0; numbers < 2; numbers++) {
    Pair x;
    read_system(*state, text, &x.s);
    assert_int_equal(open_pair(&x, numbers ? AS_NUMBERS : AS_INPUTS), PF_OK);
    Forms forms = {.s = &x.s, .system = x.system};
    assert_near(answer_of(&forms, x.closed).a[0], 3, 1e-15, 0);
    set_parameter(&x.s, "m", 4);
    assert_near(answer_of(&forms, x.closed).a[0], numbers ? 3 : 1.5, 1e-15, 0);
    close_pair(&x);
  }
}

/* ---------------------------------------------------------------- where it does not serve */

static void assert_refused(Fixture *f, const char *text, const char *why)
{
  for (int numbers = 0; numbers < 2; numbers++) {
    Pair x;
    read_system(f, text, &x.s);
    assert_int_equal(open_pair_if(&x, numbers ? AS_NUMBERS : AS_INPUTS, true), PF_ERR_MODEL);
    assert_null(x.closed);
    assert_contains(pf_context_message(f->ctx), why);
    assert_int_equal(pf_error_count(f->ctx), 1);
    pf_diagnostics_clear(f->ctx);
    close_pair(&x);
  }
}

static void singular_redundant_and_frictional_systems_are_refused(void **state)
{
  assert_refused(*state, "model massless\ncoord x, y\nkinetic x'^2/2\nconstraint c: x' = y'\n", "regular mass matrix");
  assert_refused(*state, "model half\ncoord x, y\nkinetic (x' + y')^2/2\nconstraint c: x' = y'\n",
                 "regular mass matrix");
  assert_refused(*state, "model twice\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x' = y'\n"
                         "constraint b: 2*x' = 2*y'\n", "independent of each other");
  assert_refused(*state, "model rough\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n"
                         "nonideal x = -0.3*lambda[floor]*sign(x')\nstart x' = 1\n", "friction");
}

static void long_chains_are_refused(void **state)
{
  assert_refused(*state, "model chain\ncoord q[20]\n"
                         "kinetic sum(i in 1..20, sum(j in 1..i, q[j]'*cos(q[j]))^2 + q[i]'^2)\n", "16 coordinates");
#ifdef PF_HAVE_FLINT /* in their shortest form they are too long already */
  assert_refused(*state, "model chain\ncoord q[16]\n"
                         "kinetic sum(i in 1..16, sum(j in 1..i, q[j]'*cos(q[j]))^2 + q[i]'^2)\n", "longer");
#endif
}

/* Near a loss of rank the matrices decide, and nothing is told. */
static void a_small_pivot_is_left_to_the_matrices(void **state)
{
  Pair x;
  double right_angle = acos(-1)/2;
  load_system(*state, "snakeboard", &x.s);
  assert_int_equal(open_pair(&x, AS_NUMBERS), PF_OK);
  set_state(&x.s, "phi_b", right_angle, 0);
  set_state(&x.s, "phi_f", right_angle - 1e-5, 0);
  Forms forms = {.s = &x.s, .system = x.system};
  Answer a = answer_of(&forms, x.closed), b = answer_of(&forms, x.matrices);
  assert_false(pf_solver_byproducts(x.closed)->known);
  for (int i = 0; i < x.s.eq.n; i++) assert_true(a.a[i] == b.a[i]);
  assert_int_equal(pf_solver_project(x.closed, x.s.values, NULL, 1e-14), PF_PROJECTED_NOT);
  set_state(&x.s, "phi_f", NAN, 0);
  assert_int_equal(answer_of(&forms, x.closed).trouble, PF_TROUBLE_NOT_FINITE);
  set_state(&x.s, "phi_f", 0.3, 0);
  assert_true(compare_state(&x, "snakeboard"));
  close_pair(&x);
}

/* Rows that are left out are not part of what was written out. */
static void rows_that_are_skipped_are_left_to_the_matrices(void **state)
{
  Pair x;
  bool none[2] = {false, false}, second[2] = {false, true};
  load_system(*state, "snakeboard", &x.s);
  assert_int_equal(open_pair(&x, AS_NUMBERS), PF_OK);
  pf_solver_skip(x.closed, none);
  assert_true(compare_state(&x, "snakeboard"));
  pf_solver_skip(x.closed, second);
  pf_solver_skip(x.matrices, second);
  assert_false(compare_state(&x, "snakeboard"));
  close_pair(&x);
}

/* ---------------------------------------------------------------- velocities */

/* The change is M^-1 A^T times something, so it is orthogonal to every admissible velocity in the metric of M. */
static void velocities_move_by_the_smallest_change(void **state)
{
  Pair x;
  uint64_t seed = 11;
  load_system(*state, "snakeboard", &x.s);
  assert_int_equal(open_pair(&x, AS_NUMBERS), PF_OK);
  for (int k = 0; k < 20; k++) {
    double before[6], change[6], extra_force[6], M[36], A[12], miss[2], lambda[2];
    set_random_state(&x.s, &seed);
    memcpy(before, v_of(&x.s), sizeof before);
    assert_int_equal(pf_solver_project(x.closed, x.s.values, NULL, 1e-14), PF_PROJECTED_NOW);
    evaluate(&x.s, x.s.eq.velocity, 2, miss);
    assert_true(largest(miss, 2) < 1e-14);
    assert_int_equal(pf_solver_project(x.closed, x.s.values, NULL, 1e-14), PF_PROJECTED_BEFORE);
    evaluate(&x.s, x.s.eq.M, 36, M);
    evaluate(&x.s, x.s.eq.A, 12, A);
    for (int i = 0; i < 6; i++) change[i] = v_of(&x.s)[i] - before[i];
    for (int i = 0; i < 6; i++) extra_force[i] = pf_dot(M + 6*i, change, 6);
    assert_near(extra_force[3], 0, 0, 1e-14); /* no constraint takes hold of psi, phi_b, phi_f */
    assert_near(extra_force[4], 0, 0, 1e-14);
    double det = A[0]*A[7] - A[1]*A[6]; /* push = A^T lambda: two components give lambda, the third must agree */
    lambda[0] = (extra_force[0]*A[7] - extra_force[1]*A[6])/det;
    lambda[1] = (A[0]*extra_force[1] - A[1]*extra_force[0])/det;
    assert_near(extra_force[2], A[2]*lambda[0] + A[8]*lambda[1], 1e-9, 1e-9);
  }
  close_pair(&x);
}

static void constraints_nonlinear_in_the_velocities_are_left_to_iteration(void **state)
{
  Pair x;
  open_text(*state, "model pace\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint pace: x'^2 + y'^2 = 4\nstart x' = 2\n",
            &x);
  set_state(&x.s, "x", 0, 1.9);
  assert_true(compare_state(&x, "pace"));
  assert_int_equal(pf_solver_project(x.closed, x.s.values, NULL, 1e-14), PF_PROJECTED_NOT);
  /* which does not offer it */
  assert_int_equal(pf_solver_project(x.matrices, x.s.values, NULL, 1e-14), PF_PROJECTED_NOT);
  close_pair(&x);
}

/* ---------------------------------------------------------------- the margin */

/* sqrt(margin) is the sine of the angle between the rows in the metric of M^-1; M = 1: that of the angle b. */
static void the_margin_is_the_angle_between_the_rows(void **state)
{
  Pair x;
  double length[2] = {1, 2}, raised[2] = {0, 3};
  open_text(*state, "model two\nparam b = 0.7\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint one: x' = 0\n"
                    "constraint other: cos(b + z)*x' + sin(b + z)*y' = 0\n", &x);
  set_state(&x.s, "z", 0.2, 0);
  assert_true(compare_state(&x, "two"));
  const PfByproducts *byproducts = pf_solver_byproducts(x.closed);
  assert_near(sqrt(byproducts->margin), sin(0.9), 1e-14, 0);
  assert_int_equal(byproducts->margin_row, 1);
  pf_solver_measure_rows(x.closed, length); /* a row that was twice as long */
  assert_true(compare_state(&x, "two"));
  assert_near(sqrt(byproducts->margin), sin(0.9)/2, 1e-14, 0);
  pf_solver_raise_lengths(x.closed, raised);
  assert_near(raised[1], 3, 0, 0);
  close_pair(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(it_is_what_the_matrices_compute_on_examples),
    with_fixture(where_it_applies_it_does_the_work),
    with_fixture(time_enters_as_well),
    with_fixture(parameters_are_inputs_unless_their_numbers_are_given),
    with_fixture(singular_redundant_and_frictional_systems_are_refused),
    with_fixture(long_chains_are_refused),
    with_fixture(a_small_pivot_is_left_to_the_matrices),
    with_fixture(rows_that_are_skipped_are_left_to_the_matrices),
    with_fixture(velocities_move_by_the_smallest_change),
    with_fixture(constraints_nonlinear_in_the_velocities_are_left_to_iteration),
    with_fixture(the_margin_is_the_angle_between_the_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
