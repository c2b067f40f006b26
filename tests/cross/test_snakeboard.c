/* SPDX-License-Identifier: Apache-2.0 */
/* The snakeboard written with energies and the same one written with bodies and skates have the same equations, which
 * are those of the literature (see tests/reference/README.md). */
#include "mech/system.h"

typedef struct Boards {
  System energy, bodies;
} Boards;

static void load_boards(Fixture *f, Boards *boards)
{
  load_system(f, "snakeboard", &boards->energy);
  load_system(f, "snakeboard_bodies", &boards->bodies);
  assert_int_equal(boards->energy.eq.n, 6);
  assert_int_equal(boards->energy.eq.m, 2);
  assert_int_equal(boards->bodies.eq.n, 6);
  assert_int_equal(boards->bodies.eq.m, 2);
}

static void free_boards(Boards *boards)
{
  pf_model_free(boards->energy.model);
  pf_model_free(boards->bodies.model);
}

/* Entry by entry, with derived parameters written out. */
static void assert_same_list(const Boards *boards, const PfExpr *a, const PfExpr *b, int count)
{
  for (int i = 0; i < count; i++) {
    PfExpr own[2] = {a[i], b[i]};
    assert_int_equal(pf_model_expand(boards->energy.model, own, 1, own), PF_OK);
    assert_int_equal(pf_model_expand(boards->bodies.model, own + 1, 1, own + 1), PF_OK);
    assert_equal(&boards->energy, own[0], own[1]);
  }
}

static void bodies_and_energies_give_the_same_mass_matrix(void **state)
{
  Boards boards;
  load_boards(*state, &boards);
  assert_same_list(&boards, boards.energy.eq.M, boards.bodies.eq.M, 36);
  free_boards(&boards);
}

static void bodies_and_energies_give_the_same_forces(void **state)
{
  Boards boards;
  load_boards(*state, &boards);
  assert_same_list(&boards, boards.energy.eq.F, boards.bodies.eq.F, 6);
  assert_same_list(&boards, boards.energy.eq.C, boards.bodies.eq.C, 6);
  free_boards(&boards);
}

static void skates_and_written_constraints_are_the_same_rows(void **state)
{
  Boards boards;
  load_boards(*state, &boards);
  assert_same_list(&boards, boards.energy.eq.A, boards.bodies.eq.A, 12);
  assert_same_list(&boards, boards.energy.eq.b, boards.bodies.eq.b, 2);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(boards.energy.model->constraints[i].name, boards.bodies.model->constraints[i].name);
    assert_int_equal(boards.energy.model->constraints[i].kind, PF_PFAFFIAN);
    assert_int_equal(boards.bodies.model->constraints[i].kind, PF_PFAFFIAN);
  }
  free_boards(&boards);
}

static void energies_are_the_same(void **state)
{
  Boards boards;
  load_boards(*state, &boards);
  assert_equal(&boards.energy, boards.energy.eq.kinetic, boards.bodies.eq.kinetic);
  assert_equal(&boards.energy, boards.energy.eq.potential, boards.bodies.eq.potential);
  free_boards(&boards);
}

/* M, f, Phi and Phidot as in the reference; f and b have no multiplier in them. */
static void assert_reference(System *s)
{
  static const char *const names[] = {"x", "y", "theta", "psi", "phi_b", "phi_f"};
  static const char *const M[6][6] = {
    {"m", "0", "0", "0", "0", "0"},
    {"0", "m", "0", "0", "0", "0"},
    {"0", "0", "J + Jr + 2*Jw", "Jr", "Jw", "Jw"},
    {"0", "0", "Jr", "Jr", "0", "0"},
    {"0", "0", "Jw", "0", "Jw", "0"},
    {"0", "0", "Jw", "0", "0", "Jw"},
  };
  static const char *const f[6] = {"F*cos(theta)", "F*sin(theta)", "0", "-kr*psi", "-kw*phi_b", "-kw*phi_f"};
  static const char *const Phi[2][6] = {
    {"-sin(phi_b + theta)", "cos(phi_b + theta)", "-L*cos(phi_b)", "0", "0", "0"},
    {"-sin(phi_f + theta)", "cos(phi_f + theta)", "L*cos(phi_f)", "0", "0", "0"},
  };
  static const char *const Phidot[2] = { /* times the velocities */
      "-cos(phi_b + theta)*(phi_b' + theta')*x' - sin(phi_b + theta)*(phi_b' + theta')*y' + L*sin(phi_b)*phi_b'*theta'",
    "-cos(phi_f + theta)*(phi_f' + theta')*x' - sin(phi_f + theta)*(phi_f' + theta')*y' - L*sin(phi_f)*phi_f'*theta'",
  };
  static const char *const rows[] = {"rear", "front"};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) assert_formula(s, mass_entry(s, names[i], names[j]), M[i][j]);
    assert_formula(s, force_on(s, names[i]), f[i]);
  }
  for (int k = 0; k < 2; k++) {
    for (int j = 0; j < 6; j++) assert_formula(s, row_entry(s, rows[k], names[j]), Phi[k][j]);
    assert_equal(s, pf_expr_neg(s->ctx, s->eq.b[constraint(s, rows[k])]), formula(s->ctx, Phidot[k]));
  }
}

static void both_are_the_equations_of_the_literature(void **state)
{
  Boards boards;
  load_boards(*state, &boards);
  assert_reference(&boards.energy);
  assert_reference(&boards.bodies);
  free_boards(&boards);
}

static void both_have_four_degrees_of_freedom_and_a_consistent_start(void **state)
{
  Fixture *f = *state;
  Boards boards;
  load_boards(f, &boards);
  for (int i = 0; i < 2; i++) {
    PfDiagnosis d;
    assert_int_equal(pf_diagnose(f->ctx, f->arena, i ? &boards.bodies.eq : &boards.energy.eq, NULL, &d), PF_OK);
    assert_int_equal(d.rank, 2);
    assert_int_equal(d.redundant_count, 0);
    assert_int_equal(d.degrees_of_freedom, 4);
    assert_int_equal(d.mass_rank, 6);
    assert_true(d.start_consistent);
  }
  free_boards(&boards);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(bodies_and_energies_give_the_same_mass_matrix),
    with_fixture(bodies_and_energies_give_the_same_forces),
    with_fixture(skates_and_written_constraints_are_the_same_rows),
    with_fixture(energies_are_the_same),
    with_fixture(both_are_the_equations_of_the_literature),
    with_fixture(both_have_four_degrees_of_freedom_and_a_consistent_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
