/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs that formulations agree: what is proved, what is caught, and what is outside. */
#include "mech/system.h"

#include "form/prove.h"

static PfProof prove_equations(const System *s)
{
  PfProof proof;
  if (pf_prove(s->ctx, s->arena, &s->eq, s->given, &proof) != PF_OK) fail_msg("%s", pf_context_message(s->ctx));
  return proof;
}

static PfProof prove_text(void **state, const char *text)
{
  System s;
  read_system(*state, text, &s);
  PfProof proof = prove_equations(&s);
  pf_model_free(s.model);
  return proof;
}

static const PfProofRow *row_of(const PfProof *proof, const char *name)
{
  for (int i = 0; i < proof->row_count; i++)
    if (!strcmp(proof->rows[i].formulation, name)) return proof->rows + i;
  fail_msg("no formulation '%s'", name);
  return NULL;
}

/* Proved, with the error that was promised, and with all formulations but those named. */
static void assert_proved(const PfProof *proof, const char *except)
{
  if (proof->verdict != PF_PROVED) fail_msg("%s", proof->text);
  assert_true(proof->log2_error < -100);
  assert_true(proof->rounds >= 2);
  for (int i = 0; i < proof->row_count; i++) {
    const PfProofRow *row = proof->rows + i;
    bool expected = !strstr(except, row->formulation);
    if (!strcmp(row->formulation, "rosenberg")) expected = !strstr(except, "rosenberg alone");
    if (row->compared != expected) fail_msg("%s: %s", row->formulation, row->why_not ? row->why_not : "compared");
  }
}

static void prove_example(void **state, const char *name, const char *except)
{
  System s;
  load_system(*state, name, &s);
  PfProof proof = prove_equations(&s);
  assert_proved(&proof, except);
  assert_false(proof.given_parameters);
  assert_false(proof.on_positions);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- what is proved */

static void the_formulations_are_the_list_of_the_library(void **state)
{
  (void)state;
  for (int i = 0; i < pf_exact_form_count; i++)
    assert_string_equal(pf_exact_forms[i].name, pf_formulation_name(pf_formulation(i)));
  /* it is numbers from the beginning */
  assert_string_equal(pf_formulation_name(pf_formulation(pf_exact_form_count)), "recursive");
  assert_null(pf_formulation(pf_exact_form_count + 1));
}

static void the_free_floating_robot_is_proved_by_all_nine(void **state)
{
  prove_example(state, "free_floating", "");
  prove_example(state, "free_floating_cm", "");
  prove_example(state, "free_floating_published", "");
}

static void robots_and_carriages_are_proved(void **state)
{
  static const char *const names[] = {"omni_robot", "snakeboard", "piano_wheel", "carriage_omni3", "carriage_mecanum",
                                      "differential_drive", "two_omni", "chaplygin_sleigh", "x1"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) prove_example(state, names[i], "rosenberg alone");
}

static void the_hand_with_its_singular_mass_is_proved(void **state)
{
  prove_example(state, "hand", "rosenberg alone, elimination, udwadia_kalaba");
  prove_example(state, "x2", "rosenberg alone, elimination, udwadia_kalaba");
}

static void nonlinear_constraints_leave_the_laconic_form_out(void **state)
{
  System s;
  load_system(*state, "appell_hamel", &s);
  PfProof proof = prove_equations(&s);
  assert_proved(&proof, "rosenberg alone, laconic");
  assert_contains(row_of(&proof, "laconic")->why_not, "not linear in the velocities");
  assert_int_equal(pf_error_count(s.ctx), 0);
  pf_model_free(s.model);
}

static void fields_are_different_and_have_sixty_bits(void **state)
{
  System s;
  load_system(*state, "hand", &s);
  PfProof proof = prove_equations(&s);
  for (int i = 0; i < proof.rounds; i++) {
    assert_true(proof.primes[i] > (uint64_t)1 << 60);
    if (i) assert_true(proof.primes[i] < proof.primes[i - 1]);
  }
  pf_model_free(s.model);
}

static void roots_and_exponentials_are_proved_too(void **state)
{
  PfProof proof = prove_text(state, "model r\nparam m, c, d\ncoord x, y, z\n"
                                    "kinetic m/2*(x'^2 + y'^2*exp(x) + z'^2*sqrt(1 + x^2))\n"
                                    "force x = -c*tanh(x'/d)\n"
                                    "constraint a: x' + y*y' = z'*(1 + x^2)^(1/3)\n");
  assert_proved(&proof, "rosenberg alone");
  assert_true(proof.rounds > 60); /* either sign of a root could hide a case */
}

static void a_system_without_constraints_is_proved(void **state)
{
  PfProof proof = prove_text(state, "model p\nparam m, l, g\ncoord q\nkinetic m*l^2/2*q'^2\npotential -m*g*l*cos(q)\n");
  assert_proved(&proof, "");
}

/* ---------------------------------------------------------------- redundant constraints */

static void rows_that_follow_from_others_everywhere_are_no_obstacle(void **state)
{
  PfProof proof = prove_text(state, "model r\nparam m\ncoord x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\n"
                                    "constraint a: x' = z*y'\nconstraint b: 2*x' = 2*z*y'\n");
  assert_proved(&proof, "rosenberg alone, elimination");
  assert_false(proof.given_parameters);
}

static const char rods[] = "model rods\nparam m, l = 2, g\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                           "constraint a: x^2 + y^2 = l^2\nconstraint b: x*(x^2 + y^2) = l^2*x\nstart x = 2\n";

/* Away from x^2 + y^2 = l^2 both rows are independent, and nothing could move. */
static void rows_that_are_redundant_only_where_they_hold_are_proved_there(void **state)
{
  PfProof proof = prove_text(state, rods);
  assert_proved(&proof, "rosenberg alone, elimination, laconic");
  assert_true(proof.on_positions);
  assert_contains(proof.text, "where the position constraints hold");
}

/* Three fingers with all 18 rows of the reference: 12 are independent where the fingers touch. */
static void the_hand_with_eighteen_rows_is_proved_where_its_fingers_touch(void **state)
{
  PfProof proof = prove_text(
      state, "model hand18\n"
             "param l = 0.05 [m], m = 0.15 [kg], I = 1.25e-4 [kg m^2], mo = 0.2 [kg], Io = 1e-4 [kg m^2], r = 0.03 "
             "[m]\n"
             "param rho = 0.01 [m], c = 2e-4 [N m s], tau [N m], w = 0.025*sqrt(3) [m]\n"
             "param x1 = 0.8*w [m], y1 = -0.08 [m], x2 = 1.2*w [m], y2 = 0.07 [m]\n"
             "param x3 = -0.025 [m] - 2*w, y3 = -0.04 [m] - w\n"
             "coord xo, yo [m], phi [rad]\n"
             "body disc in ground at (xo, yo, 0) turn phi about z { mass mo, inertia diag(0, 0, Io) }\n"
             "part finger(x0, y0) {\n"
             "  coord q1, q2, q3, v, u [rad]\n"
             "  body link1 in ground at (x0, y0, 0) turn q1 about z { mass m, inertia diag(0, 0, I), com (l/2, 0, 0) "
             "}\n"
             "  body link2 in link1 at (l, 0, 0) turn q2 about z { mass m, inertia diag(0, 0, I), com (l/2, 0, 0) }\n"
             "  body link3 in link2 at (l, 0, 0) turn q3 about z { mass m, inertia diag(0, 0, I), com (l/2, 0, 0) }\n"
             "  point tip in link3 at (l, 0, 0)\n"
             "  force q1 = tau\n"
             "  let n = cos(u)*disc.x + sin(u)*disc.y, nf = cos(v)*link3.x + sin(v)*link3.y\n"
             "  constraint touch: pos(disc) + r*n = pos(tip) + rho*nf\n"
             "  constraint slip: vel(disc) + cross(omega(disc), r*n) = vel(tip) + cross(omega(link3), rho*nf)\n"
             "  constraint arcs: r*u' + rho*v' = 0\n"
             "  constraint normal: phi + u - (q1 + q2 + q3) - v = -pi\n"
             "  nonideal u = -c*(u' - v'), v = c*(u' - v')\n"
             "}\n"
             "use finger(x1, y1) as f1\nuse finger(x2, y2) as f2\nuse finger(x3, y3) as f3\n"
             "start f1.q1 = pi/6, f1.q2 = pi/3, f1.q3 = pi/3, f1.v = pi/3, f1.u = pi/6\n"
             "start f2.q1 = 5*pi/6, f2.q2 = pi/3, f2.q3 = pi/3, f2.v = pi/3, f2.u = 5*pi/6\n"
             "start f3.q1 = -pi/6, f3.q2 = pi/3, f3.q3 = pi/6, f3.v = pi/6, f3.u = -pi/2\n");
  assert_proved(&proof, "rosenberg alone, elimination, udwadia_kalaba, laconic");
  assert_true(proof.on_positions);
}

static void rows_that_are_redundant_for_special_parameters_are_proved_for_these(void **state)
{
  PfProof proof = prove_text(state, "model r\nparam m, k = 2, j = 2\ncoord x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\n"
                                    "constraint a: x' + k*y' = 0\nconstraint b: x' + j*y' = 0\n");
  assert_proved(&proof, "rosenberg alone, elimination");
  assert_true(proof.given_parameters);
  assert_contains(proof.text, "for these parameters");
}

static void constraints_that_cannot_be_solved_are_named(void **state)
{
  PfProof proof = prove_text(state, "model r\nparam m\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                                    "constraint bend: sin(x) + cos(y) = 1/2\n"
                                    "constraint again: (sin(x) + cos(y))*y = y/2\nstart y = pi/3\n");
  assert_int_equal(proof.verdict, PF_NOT_PROVABLE);
  assert_contains(proof.text, "redundant only where the position constraints hold, and 'bend' cannot be solved");
}

/* ---------------------------------------------------------------- what is caught */

/* F of the free-floating robot as published lacks -M' q'; the laconic equations come from the energy. */
static void published_forces_are_caught(void **state)
{
  System s, published;
  load_system(*state, "free_floating", &s);
  load_system(*state, "free_floating_published", &published);
  s.eq.F = published.eq.F;
  PfProof proof = prove_equations(&s);
  assert_int_equal(proof.verdict, PF_DISPROVED);
  assert_string_equal(proof.rows[proof.formulation].formulation, "laconic");
  assert_string_equal(s.model->coordinates[proof.coordinate].name, "theta");
  assert_contains(proof.text, "multipliers and laconic give different accelerations of 'theta'");
  pf_model_free(published.model);
  pf_model_free(s.model);
}

static const PfExactForm *form(const char *name)
{
  for (int i = 0; i < pf_exact_form_count; i++)
    if (!strcmp(pf_exact_forms[i].name, name)) return pf_exact_forms + i;
  fail_msg("no formulation '%s'", name);
  return NULL;
}

/* Multipliers against a formulation of our own. */
static PfProof compare_with(const System *s, const char *name, PfExactAnswer (*accelerate)(PfExactSystem *, uint64_t *))
{
  const PfExactForm forms[] = {*form("multipliers"), {name, accelerate, form("udwadia_kalaba")->growth}};
  PfProof proof;
  assert_int_equal(pf_prove_forms(s->ctx, s->arena, &s->eq, NULL, forms, 2, &proof), PF_OK);
  assert_true(proof.rows[1].compared);
  return proof;
}

static uint64_t *room(PfExactSystem *at, int rows, int columns)
{
  return pf_exact_take(at, rows*columns);
}

static bool solve_into(PfExactSystem *at, const uint64_t *A, int n, const uint64_t *B, int q, uint64_t *X)
{
  return pf_exact_solve(at->field, A, n, B, q, room(at, n, n + q), X);
}

/* a + M^-1 A^T (A M^-1 A^T)^-1 (b - A a) for the rows of one level only: the recursion as printed. */
static PfExactAnswer printed_cascade(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  int n = at->n;
  if (!solve_into(at, at->M, n, at->load, 1, q2)) return PF_EXACT_SINGULAR_MASS;
  for (int l = 0; l < at->levels; l++) {
    int begin = at->level_first[l], m = at->level_first[l + 1] - begin;
    uint64_t *A = room(at, m, n), *At = room(at, n, m), *T = room(at, n, m), *S = room(at, m, m), *e = room(at, m, 1);
    uint64_t *y = room(at, m, 1), *step = room(at, n, 1);
    for (int i = 0; i < m; i++) {
      int row = at->level_rows[begin + i];
      memcpy(A + i*n, at->all_A + row*n, (size_t)n*sizeof *A);
      pf_exact_product(f, A + i*n, q2, 1, n, 1, e + i);
      e[i] = pf_field_subtract(f, at->all_b[row], e[i]);
    }
    pf_exact_transpose(A, m, n, At);
    if (!solve_into(at, at->M, n, At, m, T)) return PF_EXACT_SINGULAR_MASS;
    pf_exact_product(f, A, T, m, n, m, S);
    if (!solve_into(at, S, m, e, 1, y)) return PF_EXACT_UNDEFINED;
    pf_exact_product(f, T, y, n, m, 1, step);
    pf_exact_add(f, q2, step, n, q2);
  }
  return PF_EXACT_DONE;
}

static void the_printed_cascade_is_caught(void **state)
{
  System s;
  load_system(*state, "x1", &s);
  PfProof proof = compare_with(&s, "printed", printed_cascade);
  assert_int_equal(proof.verdict, PF_DISPROVED);
  assert_int_equal(proof.formulation, 1);
  assert_contains(proof.text, "multipliers and printed give different accelerations of 'q1'");
  pf_model_free(s.model);
}

/* Groups on different coordinates with a diagonal M: there the printed recursion is right. */
static void the_printed_cascade_is_right_for_orthogonal_groups(void **state)
{
  System s;
  read_system(*state,
              "model o\nparam m, k\ncoord x, y, z, w\nkinetic m/2*(x'^2 + y'^2 + z'^2 + w'^2)\nforce x = k, w = y\n"
                      "constraint one: x' = z*y'\nconstraint two: z' = x*w'\n", &s);
  PfProof proof = compare_with(&s, "printed", printed_cascade);
  assert_int_equal(proof.verdict, PF_PROVED);
  pf_model_free(s.model);
}

static void block(const uint64_t *M, int width, int row, int column, int rows, int columns, uint64_t *out)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) out[i*columns + j] = M[(row + i)*width + column + j];
}

/* Zhao et al. 2023, eq. (36) as printed, with the first coordinates dependent:
 *   Z = M11 A1^-1 b - (M12 - M11 K) X^-1 [(M21 - K^T M11) A1^-1 b + (M21 M11^-1 - K^T) F1]
 * and M q'' = F + A^T A1^-T (Z - F1)  (37). */
static PfExactAnswer printed_36(PfExactSystem *at, uint64_t *q2)
{
  const PfField *f = at->field;
  int n = at->n, r = at->rank, s = n - r;
  uint64_t *A1 = room(at, r, r), *A2 = room(at, r, s), *K = room(at, r, s), *d = room(at, r, 1), *M11 = room(at, r, r);
  uint64_t *M12 = room(at, r, s), *M21 = room(at, s, r), *M22 = room(at, s, s), *X = room(at, s, s),
           *T = room(at, n, n);
  uint64_t *U = room(at, r, s), *V = room(at, s, r), *u = room(at, n, 1), *w = room(at, n, 1), *Z = room(at, n, 1);
  block(at->A, n, 0, 0, r, r, A1), block(at->A, n, 0, r, r, s, A2);
  block(at->M, n, 0, 0, r, r, M11), block(at->M, n, 0, r, r, s, M12);
  block(at->M, n, r, 0, s, r, M21), block(at->M, n, r, r, s, s, M22);
  if (!solve_into(at, A1, r, A2, s, K) || !solve_into(at, A1, r, at->b, 1, d)) return PF_EXACT_UNDEFINED;
  pf_exact_product(f, M11, K, r, r, s, U);
  pf_exact_subtract(f, M12, U, r*s, U); /* M12 - M11 K */
  pf_exact_transposed_product(f, K, M11, s, r, r, V);
  pf_exact_subtract(f, M21, V, s*r, V); /* M21 - K^T M11 */
  pf_exact_product(f, V, K, s, r, s, X);
  pf_exact_transposed_product(f, K, M12, s, r, s, T);
  pf_exact_add(f, X, T, s*s, X);
  pf_exact_subtract(f, M22, X, s*s, X); /* M22 - M21 K - K^T M12 + K^T M11 K */
  pf_exact_product(f, V, d, s, r, 1, u);
  if (!solve_into(at, M11, r, at->load, 1, w)) return PF_EXACT_UNDEFINED; /* M11^-1 F1 */
  pf_exact_product(f, M21, w, s, r, 1, T);
  pf_exact_add(f, u, T, s, u);
  pf_exact_transposed_product(f, K, at->load, s, r, 1, T);
  pf_exact_subtract(f, u, T, s, u);
  if (!solve_into(at, X, s, u, 1, w)) return PF_EXACT_UNDEFINED;
  pf_exact_product(f, U, w, r, s, 1, T);
  pf_exact_product(f, M11, d, r, r, 1, Z);
  pf_exact_subtract(f, Z, T, r, Z);
  pf_exact_subtract(f, Z, at->load, r, Z);
  pf_exact_transpose(A1, r, r, T);
  if (!solve_into(at, T, r, Z, 1, u)) return PF_EXACT_UNDEFINED; /* lambda */
  pf_exact_transposed_product(f, at->A, u, n, r, 1, w);
  pf_exact_add(f, at->load, w, n, w);
  return solve_into(at, at->M, n, w, 1, q2) ? PF_EXACT_DONE : PF_EXACT_SINGULAR_MASS;
}

/* It is false for the omni robot; in the free-floating one M12 = M11 K hides the error (reference, section
 * 1). */
static void the_printed_equation_36_is_caught_where_it_is_false(void **state)
{
  System s, hidden;
  load_system(*state, "omni_robot", &s);
  PfProof proof = compare_with(&s, "printed", printed_36);
  assert_int_equal(proof.verdict, PF_DISPROVED);
  assert_contains(proof.text, "multipliers and printed give different accelerations of");
  load_system(*state, "free_floating", &hidden);
  proof = compare_with(&hidden, "printed", printed_36);
  assert_int_equal(proof.verdict, PF_PROVED);
  pf_model_free(hidden.model);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- what is outside */

static void functions_that_are_not_algebraic_are_named_with_their_equation(void **state)
{
  static const struct {
    const char *force, *function;
  } cases[] = {
    {"-abs(x')", "abs"}, {"min(x, y)", "min"}, {"max(x, 1)", "max"}, {"sign(x')", "sign"}, {"log(1 + x^2)", "log"},
    {"atan2(x, y)", "atan2"}, {"atan(x)", "atan"}, {"if(x > 0, 1, 2)", "if"}, {"(1 + x^2)^m", "^"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    char text[512];
    snprintf(text, sizeof text, "model r\nparam m\ncoord x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2)\nforce y = %s\n"
                                "constraint a: x' = z*y'\n", cases[i].force);
    PfProof proof = prove_text(state, text);
    assert_int_equal(proof.verdict, PF_NOT_PROVABLE);
    assert_non_null(proof.function);
    if (strcmp(cases[i].function, "if")) assert_string_equal(proof.function, cases[i].function);
    assert_string_equal(proof.where, "the equation of 'y'");
    assert_contains(proof.text, "in the equation of 'y' is not a rational function; the formulations agree whatever");
  }
}

static void a_function_in_a_constraint_is_named_with_the_constraint(void **state)
{
  PfProof proof = prove_text(state, "model r\nparam m\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                                    "constraint bend: x' = abs(y)*y'\n");
  assert_int_equal(proof.verdict, PF_NOT_PROVABLE);
  assert_string_equal(proof.function, "abs");
  assert_string_equal(proof.where, "the constraint 'bend'");
}

static void friction_that_depends_on_constraint_forces_is_outside(void **state)
{
  System s;
  load_system(*state, "sleigh_friction", &s);
  PfProof proof = prove_equations(&s);
  assert_int_equal(proof.verdict, PF_NOT_PROVABLE);
  assert_contains(proof.text, "depends on the constraint force of 'blade'");
  pf_model_free(s.model);
}

static void accelerations_that_are_not_determined_are_outside(void **state)
{
  PfProof proof = prove_text(state, "model r\nparam m, k\ncoord x, y\nkinetic m/2*x'^2\nforce x = k*y\n");
  assert_int_equal(proof.verdict, PF_NOT_PROVABLE);
  assert_contains(proof.text, "leave 'y' free");
}

static void contradictions_fail_with_the_words_of_the_diagnosis(void **state)
{
  Fixture *f = *state;
  System s;
  read_system(f, "model r\nparam m\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                 "constraint a: x' = 0\nconstraint b: x' = 1\n", &s);
  PfProof proof;
  assert_int_equal(pf_prove(f->ctx, f->arena, &s.eq, NULL, &proof), PF_ERR_MODEL);
  assert_contains(pf_context_message(f->ctx), "contradict");
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- in general */

static void a_proof_is_the_same_every_time(void **state)
{
  PfProof first = prove_text(state, rods), second = prove_text(state, rods);
  assert_string_equal(first.text, second.text);
  assert_int_equal(first.rounds, second.rounds);
}

/* Memory runs out in the proof only: all before it has tests of its own. */
static void attempt(Counter *counter, void *user)
{
  const char *text = user;
  long fail_at = counter->fail_at;
  counter->fail_at = 0;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfModel *model;
  PfEquations eq;
  PfProof proof;
  assert_int_equal(pf_model_read(ctx, "test.pf", text, strlen(text), &model), PF_OK);
  assert_int_equal(pf_equations_derive(ctx, arena, model, &eq), PF_OK);
  if (fail_at) counter->fail_at = counter->calls + fail_at;
  PfStatus status = pf_prove(ctx, arena, &eq, NULL, &proof);
  if (status == PF_OK) assert_true(proof.verdict != PF_DISPROVED && proof.text);
  else assert_int_equal(status, PF_ERR_MEMORY);
  if (!counter->refused) assert_int_equal(proof.verdict, PF_PROVED);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void memory_may_run_out_anywhere(void **state)
{
  (void)state;
  static char text[] = "model s\nparam m\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\nconstraint a: x' = sin(x)*y'\n";
  fail_every_allocation(attempt, text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_formulations_are_the_list_of_the_library),
    with_fixture(the_free_floating_robot_is_proved_by_all_nine),
    with_fixture(robots_and_carriages_are_proved),
    with_fixture(the_hand_with_its_singular_mass_is_proved),
    with_fixture(nonlinear_constraints_leave_the_laconic_form_out),
    with_fixture(fields_are_different_and_have_sixty_bits),
    with_fixture(roots_and_exponentials_are_proved_too),
    with_fixture(a_system_without_constraints_is_proved),
    with_fixture(rows_that_follow_from_others_everywhere_are_no_obstacle),
    with_fixture(rows_that_are_redundant_only_where_they_hold_are_proved_there),
    with_fixture(the_hand_with_eighteen_rows_is_proved_where_its_fingers_touch),
    with_fixture(rows_that_are_redundant_for_special_parameters_are_proved_for_these),
    with_fixture(constraints_that_cannot_be_solved_are_named),
    with_fixture(published_forces_are_caught),
    with_fixture(the_printed_cascade_is_caught),
    with_fixture(the_printed_cascade_is_right_for_orthogonal_groups),
    with_fixture(the_printed_equation_36_is_caught_where_it_is_false),
    with_fixture(functions_that_are_not_algebraic_are_named_with_their_equation),
    with_fixture(a_function_in_a_constraint_is_named_with_the_constraint),
    with_fixture(friction_that_depends_on_constraint_forces_is_outside),
    with_fixture(accelerations_that_are_not_determined_are_outside),
    with_fixture(contradictions_fail_with_the_words_of_the_diagnosis),
    with_fixture(a_proof_is_the_same_every_time),
    cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
