/* SPDX-License-Identifier: Apache-2.0 */
/* Deep trees without formulas for their inertia against the same with them: accelerations, multipliers, energies and
 * momenta. */
#include "form/formulations.h"

#include "form/solver.h"

typedef struct Both {
  System s;               /* written out */
  PfEquations matrix_free;
  PfSystem *whole, *bare;
  PfSolver *matrices, *recursion;
} Both;

static void open_both(Fixture *f, const char *text, Both *x)
{
  read_system(f, text, &x->s);
  assert_int_equal(pf_equations_derive_matrix_free(f->ctx, f->arena, x->s.model, &x->matrix_free), PF_OK);
  assert_true(x->matrix_free.in_bodies);
  assert_null(x->matrix_free.M);
  assert_int_equal(pf_system_new(f->ctx, &x->s.eq, &x->whole), PF_OK);
  assert_int_equal(pf_system_new(f->ctx, &x->matrix_free, &x->bare), PF_OK);
  assert_int_equal(pf_solver_new(f->ctx, x->whole, pf_formulation_find("multipliers"), &x->matrices), PF_OK);
  assert_int_equal(pf_solver_new(f->ctx, x->bare, pf_formulation_find("auto"), &x->recursion), PF_OK);
  assert_string_equal(pf_formulation_name(pf_solver_formulation(x->recursion)), "recursive");
}

static void close_both(Both *x)
{
  pf_solver_free(x->matrices);
  pf_solver_free(x->recursion);
  pf_system_free(x->whole);
  pf_system_free(x->bare);
  pf_model_free(x->s.model);
}

/* Quaternions of length one, velocities along them. */
static void normalise(System *s)
{
  for (int b = 0; b < s->model->ball_count; b++) {
    double *q = q_of(s) + s->model->balls[b].q, *v = v_of(s) + s->model->balls[b].q, length = pf_norm(q, 4);
    for (int i = 0; i < 4; i++) q[i] /= length;
    double along = pf_dot(q, v, 4);
    for (int i = 0; i < 4; i++) v[i] -= along*q[i];
  }
}

/* By what the formulas say: kinetic and potential energy, and the momentum. */
static void assert_totals(Both *x)
{
  System *s = &x->s;
  PfTreeTotals totals;
  PfExpr momentum[6];
  double expected[6], energy[3];
  const PfExpr e[3] = {s->eq.kinetic, s->eq.potential, s->model->potential};
  assert_true(pf_solver_totals(x->recursion, s->values, &totals));
  evaluate(s, e, 3, energy);
  assert_int_equal(pf_model_momentum(s->ctx, s->model, momentum), PF_OK);
  evaluate(s, momentum, 6, expected);
  double kinetic, potential;
  assert_true(pf_solver_energies(x->recursion, s->values, &kinetic, &potential));
  assert_near(kinetic, energy[0], 1e-11, 1e-11);
  assert_near(potential, energy[1] - energy[2], 1e-11, 1e-11);
  assert_near(totals.kinetic, energy[0], 1e-11, 1e-11);
  assert_near(totals.gravity_potential, energy[1] - energy[2], 1e-11, 1e-11);
  for (int k = 0; k < 3; k++) {
    assert_near(totals.linear[k], expected[k], 1e-10, 1e-9);
    assert_near(totals.angular[k], expected[3 + k], 1e-10, 1e-8);
  }
}

/* Tolerance: matrices of fifty joints in a row are ill-conditioned, the recursion is not. */
static void assert_same_motion(Fixture *f, const char *text, double tolerance)
{
  Both x;
  uint64_t seed = 3;
  open_both(f, text, &x);
  System *s = &x.s;
  Forms forms = {.s = s, .system = x.whole};
  for (int k = 0; k < 4; k++) {
    set_random_state(s, &seed);
    normalise(s);
    Answer y = answer_of(&forms, x.matrices), z = answer_of(&forms, x.recursion);
    assert_int_equal(y.trouble, PF_TROUBLE_NONE);
    assert_int_equal(z.trouble, PF_TROUBLE_NONE);
    assert_vectors("outline", "acceleration", z.a, y.a, s->eq.n, tolerance, 1 + largest(y.a, s->eq.n));
    for (int m = 0; m < s->eq.m; m++) /* with the length of quaternions goes a force that moves nothing */
      if (!s->model->constraints[m].norm)
        assert_vectors("outline", "multiplier", z.lambda + m, y.lambda + m, 1, tolerance,
                       1 + largest(y.lambda, s->eq.m));
    assert_totals(&x);
  }
  close_both(&x);
}

#define LINK "mass 1.5, com (0.05, 0.1, 0.1), inertia inertia(0.02, 0.03, 0.025, 0.001, 0.002, 0)"

static void a_chain_of_hinges_moves_as_its_formulas_say(void **state)
{
  assert_same_motion(*state, "model chain\ncoord q[48]\ngravity (0, 1, -9.81)\n"
                             "body b[1] in ground turn q[1] about z { " LINK " }\n"
                             "for i in 2..48 { body b[i] in b[i - 1] at (0.1, 0.2, 0.3) turn q[i] about x "
                             "turn 0.3*i about y { " LINK " } }\n", 1e-7);
}

/* A free base, ball joints and slides, springs, dampers, an input, a force at a point and one in a joint. */
static void a_floating_tree_with_all_joints_and_forces_does(void **state)
{
  assert_same_motion(*state,
                     "model tree\ncoord q[60], s[4]\ninput u = 2*sin(t)\n"
                     "body hub in ground free { mass 5, inertia diag(0.3, 0.2, 0.4) }\n"
                     "body b[1] in hub at (0.3, 0, 0) turn q[1] about z { " LINK " }\n"
                     "for i in 2..30 { body b[i] in b[i - 1] at (0.1, 0.2, 0.3) turn q[i] about x "
                     "turn 0.3*i about y { " LINK " } }\n"
                     "body c[31] in b[5] at (0, 0.1, 0) turn q[31] about y { " LINK " }\n"
                     "for i in 32..60 { body c[i] in c[i - 1] at (0.1, 0.2, 0) turn q[i] about z { " LINK " } }\n"
                     "body d[1] in c[50] at (s[1], 0, 0) { " LINK " }\n"
                     "for i in 2..4 { body d[i] in d[i - 1] at (0.1, s[i], 0) turn 0.4 about x { " LINK " } }\n"
                     "spring q[3] { stiffness 4, damping 0.2 }\nforce q[7] = u\nforce q[9] = -3*q[9]' + q[8]\n"
                     "potential s[2]^2\nforce (1, 2*t, -1) at b[4]\n"
                     "force -0.3*vel(b[5]) at b[5] from b[2]\ntorque 0.1*omega(b[3]) on b[3]\n", 1e-7);
}

/* Rows on top: one holonomic, one of velocities. */
static void a_tree_with_constraints_does(void **state)
{
  assert_same_motion(*state, "model bound\ncoord q[48]\ngravity (0, -9.81, 0)\n"
                             "body b[1] in ground turn q[1] about z { " LINK " }\n"
                             "for i in 2..48 { body b[i] in b[i - 1] at (0.1, 0.2, 0.3) turn q[i] about x "
                             "turn 0.3*i about y { " LINK " } }\n"
                             "constraint gear: q[3] = 2*q[40] + q[7]^2\n"
                             "constraint slip: cos(q[1])*q[2]' = q[48]'\n", 1e-7);
}

/* What is shallow, switches, or has inertia besides is written out. */
static void other_models_are_written_out(void **state)
{
  static const char *const texts[] = {
    "coord q[4]\nbody b[1] in ground turn q[1] about z { " LINK " }\n"
    "for i in 2..4 { body b[i] in b[i - 1] at (1, 0, 0) turn q[i] about x { " LINK " } }\n",
    "coord q[60]\nfor i in 1..60 { body b[i] in ground turn q[i] about z { " LINK " } }\n",
    "coord q[60]\nbody b[1] in ground turn q[1] about z { " LINK " }\n"
    "for i in 2..60 { body b[i] in b[i - 1] at (1, 0, 0) turn q[i] about x { " LINK " } }\nforce q[3] = -sign(q[3]')\n",
    "coord q[60]\nbody b[1] in ground turn q[1] about z { " LINK " }\n"
    "for i in 2..60 { body b[i] in b[i - 1] at (1, 0, 0) turn q[i] about x { " LINK " } }\nkinetic q[5]'^2\n",
    "coord q[60]\nbody b[1] in ground turn q[1] about z { " LINK " }\n"
    "for i in 2..60 { body b[i] in b[i - 1] at (1, 0, 0) turn q[i] + q[i - 1] about x { " LINK " } }\n",
  };
  Fixture *f = *state;
  for (size_t k = 0; k < sizeof texts/sizeof *texts; k++) {
    PfModel *model;
    PfEquations eq;
    assert_int_equal(pf_model_read(f->ctx, "test.pf", texts[k], strlen(texts[k]), &model), PF_OK);
    assert_int_equal(pf_equations_derive_matrix_free(f->ctx, f->arena, model, &eq), PF_OK);
    assert_false(eq.in_bodies);
    assert_non_null(eq.M);
    pf_model_free(model);
  }
}

static void an_outline_can_be_written_out(void **state)
{
  Both x;
  open_both(*state, "coord q[48]\nbody b[1] in ground turn q[1] about z { " LINK " }\n"
                    "for i in 2..48 { body b[i] in b[i - 1] at (1, 0, 0) turn q[i] about x { " LINK " } }\n", &x);
  System *s = &x.s;
  size_t n = (size_t)s->eq.n;
  assert_int_equal(pf_equations_write_out(s->ctx, s->arena, &x.matrix_free), PF_OK);
  assert_false(x.matrix_free.in_bodies);
  assert_memory_equal(x.matrix_free.M, s->eq.M, n*n*sizeof *s->eq.M);
  assert_memory_equal(x.matrix_free.F, s->eq.F, n*sizeof *s->eq.F);
  assert_memory_equal(x.matrix_free.momentum, s->eq.momentum, n*sizeof *s->eq.momentum);
  assert_int_equal(x.matrix_free.kinetic, s->eq.kinetic);
  assert_int_equal(x.matrix_free.potential, s->eq.potential);
  close_both(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_chain_of_hinges_moves_as_its_formulas_say),
    with_fixture(a_floating_tree_with_all_joints_and_forces_does),
    with_fixture(a_tree_with_constraints_does),
    with_fixture(other_models_are_written_out),
    with_fixture(an_outline_can_be_written_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
