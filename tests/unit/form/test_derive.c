/* SPDX-License-Identifier: Apache-2.0 */
/* Equations without multipliers: the published ones come out, the forms agree with each other algebraically,
 * and with numbers. */
#include "form/derived.h"


/* ---------------------------------------------------------------- published equations */

static void the_piano_wheel_has_its_two_equations(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "piano_wheel", &s);
  assert_int_equal(s.model->speed_count, 0);
  derive(&s, "laconic", &d);
  assert_int_equal(d.motion_count, 2);
  assert_int_equal(d.divisor_count, 0);
  assert_equation(&s, &d, "theta", "J1*theta''", "D*F*sin(theta)");
  assert_equation(&s, &d, "chi", "(J3 + m*R^2)*chi''", "F*R*cos(theta)");
  assert_equation(&s, &d, "x", "x'", "R*cos(theta)*chi'");
  assert_equation(&s, &d, "y", "y'", "R*sin(theta)*chi'");
  pf_model_free(s.model);
}

/* Zhao et al. 2023, eq. (55) in the notation of the reference: X = diag(Y1/(2 r^2), Y1/(2 r^2), Y2/r^2) for
 * the platform. */
static void the_omni_robot_decouples_into_the_motion_of_its_platform(void **state)
{
  needs_shortest_forms();
  static const char *const forms[] = {"laconic", "maggi", "rosenberg_extended"};
  for (int k = 0; k < 3; k++) {
    System s;
    PfDerivation d;
    load_system(*state, "omni_robot", &s);
    derive(&s, forms[k], &d);
    assert_int_equal(d.motion_count, 3);
    assert_equation(&s, &d, "theta", "(3*m1*L^2 + I2 + 3*I1*L^2/r^2)*theta''", "-L*Q/r");
    assert_equation(&s, &d, "x", "(3*m1 + m2 + 3*I1/(2*r^2))*x''",
                    "Q*(sin(theta)/2 + cos(theta)*3^(1/2)/2)/r - 3*I1/(2*r^2)*theta'*y'");
    assert_equation(&s, &d, "y", "(3*m1 + m2 + 3*I1/(2*r^2))*y''",
                    "Q*(sin(theta)*3^(1/2)/2 - cos(theta)/2)/r + 3*I1/(2*r^2)*theta'*x'");
    pf_model_free(s.model);
  }
}

/* ---------------------------------------------------------------- carriages with N wheels */

/* N wheels at general places with general angles; all of them symbols. */
static const char *write_carriage(Fixture *f, int wheels)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_text_print(&text,
                "param M = 3, R = 0.2, Lambda = 2, lambda2 = 0.1, Delta = 0.3, c1 = 0.5, c2 = 0.4\n"
                "param U[%d] = 1, delta[%d] = 2, alpha[%d] = 0.7, beta[%d] = 0.4, gamma[%d] = 1.1\n"
                "coord x, y, theta, chi[%d]\nspeed nu[3]\n"
                "kinetic M/2*(x'^2 + y'^2) + Lambda^2*M*R^2/2*theta'^2 + lambda2*M*R^2/2*sum(i in 1..%d, chi[i]'^2)\n",
                wheels, wheels, wheels, wheels, wheels, wheels, wheels);
  pf_text_print(&text,
                "let Xi1(i) = cos(beta[i] + gamma[i])/sin(gamma[i]), Xi2(i) = sin(beta[i] + gamma[i])/sin(gamma[i])\n"
                "let Xi3(i) = (Delta*cos(beta[i] + gamma[i]) + delta[i]*sin(beta[i] + gamma[i] - alpha[i]))"
                "/(Lambda*sin(gamma[i]))\n"
                "for i in 1..%d {\n"
                "  force chi[i] = c1*U[i] - c2*chi[i]'\n"
                "  constraint wheel: chi[i]' = Xi1(i)/R*(x'*cos(theta) + y'*sin(theta))\n"
                "      + Xi2(i)/R*(y'*cos(theta) - x'*sin(theta)) + Xi3(i)*Lambda*theta'\n"
                "  rate chi[i]' = Xi1(i)*nu[1] + Xi2(i)*nu[2] + Xi3(i)*nu[3]\n"
                "}\n"
                "rate x' = R*(nu[1]*cos(theta) - nu[2]*sin(theta)), y' = R*(nu[1]*sin(theta) + nu[2]*cos(theta)),\n"
                "    theta' = nu[3]/Lambda\n", wheels);
  const char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return copy;
}

/* Zobova, eq. (4.2)-(4.4): Xi_i = [cos(b+g), sin(b+g), (Delta cos(b+g) + delta sin(b+g-a))/Lambda]/sin(g). */
static PfExpr Xi(const System *s, int i, int a)
{
  static const char *const columns[] = {
    "cos(beta[%d] + gamma[%d])/sin(gamma[%d])", "sin(beta[%d] + gamma[%d])/sin(gamma[%d])",
    "(Delta*cos(beta[%d] + gamma[%d]) + delta[%d]*sin(beta[%d] + gamma[%d] - alpha[%d]))/(Lambda*sin(gamma[%d]))"};
  char text[300];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
  snprintf(text, sizeof text, columns[a], i, i, i, i, i, i, i);
#pragma GCC diagnostic pop
  return formula(s->ctx, text);
}

/* (4.6) times M R^2, with (4.7) put in: left and right side of equation a. */
static void carriage_equation(const System *s, int wheels, int a, PfExpr *left, PfExpr *right)
{
  static const char *const gyroscopic[] = {"nu[2]*nu[3]/Lambda", "-nu[1]*nu[3]/Lambda", "0"};
  PfContext *ctx = s->ctx;
  PfExpr unit = formula(ctx, "M*R^2"), lambda2 = formula(ctx, "lambda2"), rate[3], speed[3];
  for (int b = 0; b < 3; b++) {
    char name[16];
    snprintf(name, sizeof name, "nu[%d]", b + 1);
    speed[b] = pf_expr_symbol(ctx, name);
    snprintf(name, sizeof name, "nu[%d]'", b + 1);
    rate[b] = pf_expr_symbol(ctx, name);
  }
  *left = pf_expr_mul(ctx, unit, rate[a]);
  *right = pf_expr_mul(ctx, unit, formula(ctx, gyroscopic[a]));
  for (int i = 1; i <= wheels; i++) {
    char motor[16];
    snprintf(motor, sizeof motor, "c1*U[%d]", i);
    PfExpr tau = formula(ctx, motor);
    for (int b = 0; b < 3; b++) {
      PfExpr turn = pf_expr_mul(ctx, Xi(s, i, b), rate[b]);
      PfExpr inertia = pf_expr_mul(ctx, pf_expr_mul(ctx, unit, lambda2), Xi(s, i, a));
      *left = pf_expr_add(ctx, *left, pf_expr_mul(ctx, inertia, turn));
      tau = pf_expr_sub(ctx, tau, pf_expr_mul(ctx, formula(ctx, "c2"), pf_expr_mul(ctx, Xi(s, i, b), speed[b])));
    }
    *right = pf_expr_add(ctx, *right, pf_expr_mul(ctx, Xi(s, i, a), tau));
  }
}

static void a_carriage_on_n_wheels_has_the_matrix_xi(void **state)
{
  for (int wheels = 1; wheels <= 4; wheels++) {
    System s;
    PfDerivation d;
    read_system(*state, write_carriage(*state, wheels), &s);
    derive(&s, "laconic", &d);
    assert_int_equal(d.motion_count, 3);
    for (int a = 0; a < 3; a++) {
      PfExpr left, right;
      carriage_equation(&s, wheels, a, &left, &right);
      assert_same_equation(&s, &d, d.equations + a, left, right);
    }
    pf_model_free(s.model);
  }
}

/* Four mecanum wheels of the example: the matrix of the reference page in numbers. */
static void the_mecanum_carriage_has_the_matrix_of_the_reference(void **state)
{
  static const double Xi4[4][3] = {{-1, 1, 1.7}, {1, 1, -1.7}, {-1, 1, -59./30}, {1, 1, 59./30}};
  static const double A[3][3] = {{1.4, 0, 4./75}, {0, 1.4, 0}, {4./75, 0, 2.3515555555555556}};
  System s;
  PfKinematics k;
  PfReducedForm form;
  load_system(*state, "carriage_mecanum", &s);
  assert_int_equal(pf_kinematics_find(s.ctx, s.arena, &s.eq, &k), PF_OK);
  assert_int_equal(pf_reduce_laconic(s.ctx, s.arena, &s.eq, &k, &form), PF_OK);
  for (int i = 0; i < 4; i++)
    for (int a = 0; a < 3; a++) assert_near(value_of(&s, k.N[(3 + i)*3 + a]), Xi4[i][a], 1e-14, 1e-15);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) assert_near(value_of(&s, form.G[a*3 + b])/(20*0.01), A[a][b], 1e-14, 1e-15);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- the differential drive */

static char *example_text(Fixture *f, const char *name)
{
  char path[EXAMPLE_PATH];
  const char *bytes;
  size_t count;
  find_example(name, path);
  assert_int_equal(pf_file_read(f->ctx, f->arena, path, 1 << 20, &bytes, &count), PF_OK);
  return pf_arena_text(f->arena, bytes, count);
}

/* Lines that begin so (after spaces) become comments. */
static void drop_lines(char *text, const char *start)
{
  for (char *line = text; line; line = strchr(line, '\n')) {
    line += line != text;
    char *word = line + strspn(line, " ");
    if (!strncmp(word, start, strlen(start))) *line = '#';
  }
}

/* The carriage on two omni wheels, with the lateral constraint of section 6 added and no speeds of its own. */
static void two_wheels_that_do_not_slip_sideways_are_the_differential_drive(void **state)
{
  Fixture *f = *state;
  System drive, carriage;
  PfKinematics k;
  PfReducedForm one, two;
  char *text = example_text(f, "two_omni");
  drop_lines(text, "speed");
  drop_lines(text, "rate");
  drop_lines(text, "start");
  size_t length = strlen(text) + 200;
  char *longer = pf_arena_array(f->arena, char, length);
  snprintf(longer, length, "%s\nconstraint lateral: x'*cos(theta) + y'*sin(theta) + R*Delta*theta' = 0\n", text);
  load_system(f, "differential_drive", &drive);
  read_system(f, longer, &carriage);
  assert_int_equal(carriage.eq.m, 3);
  assert_int_equal(pf_kinematics_find(f->ctx, f->arena, &drive.eq, &k), PF_OK);
  assert_int_equal(pf_reduce_laconic(f->ctx, f->arena, &drive.eq, &k, &one), PF_OK);
  assert_int_equal(pf_reduce_laconic(f->ctx, f->arena, &carriage.eq, &k, &two), PF_OK);
  for (int i = 0; i < 6; i++) {
    PfExpr a = i < 4 ? one.G[i] : one.g[i - 4], b = i < 4 ? two.G[i] : two.g[i - 4];
    assert_int_equal(pf_model_expand(drive.model, &a, 1, &a), PF_OK);
    assert_int_equal(pf_model_expand(drive.model, &b, 1, &b), PF_OK);
    assert_equal(&drive, a, b);
  }
  pf_model_free(carriage.model);
  pf_model_free(drive.model);
}

/* The same beside the speeds of the carriage: these are recombined, and the equations are those of section 6. */
static void one_more_constraint_beside_speeds_recombines_them(void **state)
{
  needs_shortest_forms();
  Fixture *f = *state;
  static const char *const forms[] = {"laconic", "maggi"};
  char *text = example_text(f, "two_omni");
  drop_lines(text, "start");
  size_t length = strlen(text) + 200;
  char *longer = pf_arena_array(f->arena, char, length);
  snprintf(longer, length, "%s\nconstraint lateral: x'*cos(theta) + y'*sin(theta) + R*Delta*theta' = 0\n", text);
  for (int i = 0; i < 2; i++) {
    System s;
    PfDerivation d;
    read_system(f, longer, &s);
    derive(&s, forms[i], &d);
    assert_int_equal(d.motion_count, 2);
    assert_equation(&s, &d, "nu[2]", "M*R^2*(1 + 2*lambda2)*nu[2]'",
                    "M*R^2*Delta*nu[3]^2/Lambda^2 + torque_at[1] - torque_at[2]");
    assert_equation(&s, &d, "nu[3]", "M*R^2*(Delta^2/Lambda^2 + 1 + 2*lambda2*(delta/Lambda)^2)*nu[3]'",
                    "delta/Lambda*(torque_at[1] + torque_at[2]) - M*R^2*Delta*nu[2]*nu[3]/Lambda^2");
    pf_model_free(s.model);
  }
}

/* The reference's collapsed form of (45), and psi1'' from it; the momentum is kept by itself. */
static void independent_accelerations_are_solved_for(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "free_floating", &s);
  PfDeriveOptions how = {.form = "rosenberg_extended", .independent = "theta, psi1"};
  assert_int_equal(pf_derive(s.ctx, s.arena, &s.eq, &how, &d), PF_OK);
  assert_int_equal(d.motion_count, 2);
  assert_int_equal(pf_expr_op(s.ctx, equation(&d, "theta")->left), PF_OP_SYMBOL);
  assert_equation(&s, &d, "theta", "(I + m2*r^2*(sin(psi1)^2 + sin(psi2)^2))*theta''",
                  "-m2*r*(sin(psi1)*(r*cos(psi1)*theta'^2 + L*(theta' - psi1')^2) + sin(psi2)*(r*cos(psi2)*theta'^2 "
                  "+ L*(theta' - psi2')^2))");
  how = (PfDeriveOptions){.form = "rosenberg_extended", .independent = "theta, psi3"};
  assert_int_equal(pf_derive(s.ctx, s.arena, &s.eq, &how, &d), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(s.ctx), "no coordinate 'psi3'");
  pf_model_free(s.model);
}

/* (53) in closed form: lambda_k = (Q_k - I1*psi_k'')/r, F^c = (I1*psi_k'' - Q_k, m*x'', m*y'', Jz*theta''). */
static void constraint_forces_are_formulas(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "omni_robot", &s);
  derive(&s, "udwadia_kalaba", &d);
  assert_equation(&s, &d, "wheel[1]", "lambda[wheel[1]]", "(Q - I1*psi[1]'')/r");
  assert_equation(&s, &d, "wheel[3]", "lambda[wheel[3]]", "-I1*psi[3]''/r");
  PfDeriveOptions how = {.form = "laconic", .steps = true};
  assert_int_equal(pf_derive(s.ctx, s.arena, &s.eq, &how, &d), PF_OK);
  assert_true(d.step_section_count >= 6);
  assert_string_equal(d.steps[0].name, "T");
  assert_equal(&s, d.steps[0].right, s.eq.kinetic);
  pf_model_free(s.model);
}

/* Zobova section 6 with A1 = 1 (the printed 1 + lambda^2 is left over from a third wheel). */
static void the_differential_drive_has_the_corrected_equations(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "differential_drive", &s);
  derive(&s, "laconic", &d);
  assert_equation(&s, &d, "nu2", "M*R^2*(1 + 2*lambda2)*nu2'",
                    "M*R^2*Delta*nu3^2/Lambda^2 + torque_at[1] - torque_at[2]");
  assert_equation(&s, &d, "nu3", "M*R^2*(Delta^2/Lambda^2 + 1 + 2*lambda2*(delta/Lambda)^2)*nu3'",
                    "delta/Lambda*(torque_at[1] + torque_at[2]) - M*R^2*Delta*nu2*nu3/Lambda^2");
  pf_model_free(s.model);
}

static void the_carriage_on_two_omni_wheels_has_a1_equal_to_one(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "two_omni", &s);
  derive(&s, "laconic", &d);
  assert_equation(&s, &d, "nu[1]", "M*R^2*nu[1]'", "M*R^2*nu[2]*nu[3]/Lambda");
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- forms against each other */

typedef void Visit(System *s, const char *name, const PfKinematics *k);

static bool is_listed(const char *name, const char *const *list)
{
  for (; list && *list; list++)
    if (!strcmp(name, *list)) return true;
  return false;
}

/* Examples that have reduced equations: not those with friction or with constraints that need speeds. */
static int visit_examples(Fixture *f, Visit *visit, const char *const *skipped)
{
  int visited = 0;
  for (const char *const *names = representative_examples(f); *names; names++) {
    const char *name = *names;
    if (is_listed(name, skipped)) continue;
    System s;
    load_system(f, name, &s);
    PfKinematics k;
    if (!strstr(name, "friction") && pf_kinematics_find(f->ctx, f->arena, &s.eq, &k) == PF_OK) {
      visit(&s, name, &k);
      visited++;
    }
    pf_diagnostics_clear(f->ctx);
    pf_model_free(s.model);
  }
  return visited;
}

/* The prime field decides; what it cannot decide (roots of sums) is left to the numbers below. */
static void assert_agrees(System *s, const char *name, const char *form, const char *what, PfExpr a, PfExpr b)
{
  PfExpr difference = pf_expr_sub(s->ctx, a, b);
  assert_int_equal(pf_model_expand(s->model, &difference, 1, &difference), PF_OK);
  if (pf_expr_is_probably_zero(s->ctx, difference, 2) == PF_FALSE)
    fail_msg("%s: Maggi's %s and that of %s differ", name, what, form);
}

/* G omega' = g, found in another way for the same pseudo-velocities. */
static void assert_same_form(System *s, const char *name, const PfKinematics *k, const char *form,
                             const PfReducedForm *maggi, const PfReducedForm *other)
{
  for (int i = 0; i < k->count*k->count; i++) assert_agrees(s, name, form, "inertia", maggi->G[i], other->G[i]);
  for (int i = 0; i < k->count; i++) assert_agrees(s, name, form, "force", maggi->g[i], other->g[i]);
}

static int boltzmann_hamels; /* models that have them */

static void compare_reduced_forms(System *s, const char *name, const PfKinematics *k)
{
  PfReducedForm maggi, other;
  assert_int_equal(pf_reduce_maggi(s->ctx, s->arena, &s->eq, k, &maggi), PF_OK);
  assert_int_equal(pf_reduce_laconic(s->ctx, s->arena, &s->eq, k, &other), PF_OK);
  assert_same_form(s, name, k, "laconic", &maggi, &other);
  assert_int_equal(pf_reduce_gibbs_appell(s->ctx, s->arena, &s->eq, k, &other), PF_OK);
  assert_same_form(s, name, k, "gibbs_appell", &maggi, &other);
  assert_int_equal(pf_reduce_kane(s->ctx, s->arena, &s->eq, k, &other), PF_OK);
  assert_same_form(s, name, k, "kane", &maggi, &other);
  PfStatus status = pf_reduce_boltzmann_hamel(s->ctx, s->arena, &s->eq, k, &other);
  if (status == PF_OK) assert_same_form(s, name, k, "boltzmann_hamel", &maggi, &other), boltzmann_hamels++;
  else assert_int_equal(status, PF_ERR_MODEL);
  pf_diagnostics_clear(s->ctx);
}

static void reduced_forms_are_the_same_on_examples(void **state)
{
  static const char *const slow[] = {"wheel_in_shell", "spacecraft", "capture", "dual_arm", "hybrid_arm", "rover_arm",
                                     NULL}; /* they take seconds */
  boltzmann_hamels = 0;
  int visited = visit_examples(*state, compare_reduced_forms, slow);
  assert_true(visited >= 20);
  print_message("%d models, %d of them with Boltzmann's and Hamel's equations\n", visited, boltzmann_hamels);
  assert_true(boltzmann_hamels >= 15);
}

static void nonlinear_rates_have_one_reduced_form_too(void **state)
{
  System s;
  read_system(*state,
              "param m = 2, k = 3\n"
              "coord x, y, z\nspeed w, h\n"
              "kinetic m/2*(x'^2 + y'^2 + z'^2) + cos(x)*x'*z'/4\npotential x*y*z\nforce z = -x'*sin(t)\n"
              "constraint c: x'^2 + y'^2 = k^2*z'^2*(2 + cos(x + t))^2\n"
              "rate x' = k*w*cos(h)*(2 + cos(x + t)), y' = k*w*sin(h)*(2 + cos(x + t)), z' = w\nstart w = 1\n", &s);
  PfKinematics k;
  assert_int_equal(pf_kinematics_find(s.ctx, s.arena, &s.eq, &k), PF_OK);
  assert_false(k.chosen);
  compare_reduced_forms(&s, "nonlinear rates", &k);
  pf_model_free(s.model);
}

/* ---------------------------------------------------------------- forms against numbers */

static void compare_with_numbers(System *s, const char *name, const PfKinematics *k)
{
  (void)k;
  assert_all_hold(s, name, 77);
}

static void derived_equations_hold_for_numeric_accelerations(void **state)
{
  static const char *const slow[] = {"hand", "wheel_in_shell", "ball_on_surface", "capture", "dual_arm", "hybrid_arm",
                                     NULL};
  assert_true(visit_examples(*state, compare_with_numbers, slow) >= 20);
}

/* What must not vanish is listed: in coordinates the sleigh divides by the direction of its blade; in pseudo-velocities
 * it does not, and the piano wheel never. */
static void divisors_are_listed(void **state)
{
  needs_shortest_forms();
  static const char *const forms[] = {"rosenberg", "rosenberg_extended", "maggi", "laconic"};
  for (int k = 0; k < 4; k++) {
    System s;
    PfDerivation d;
    load_system(*state, "chaplygin_sleigh", &s);
    derive(&s, forms[k], &d);
    assert_int_equal(d.divisor_count, k < 2);
    pf_model_free(s.model);
    load_system(*state, "piano_wheel", &s);
    derive(&s, forms[k], &d);
    assert_int_equal(d.divisor_count, 0);
    pf_model_free(s.model);
  }
}

/* ---------------------------------------------------------------- forms with names of their own */

/* A form with independent coordinates; NULL: chosen by the program. */
static PfStatus derive_by(const System *s, const char *form, const char *independent, PfDerivation *d)
{
  const PfDeriveOptions how = {.form = form, .independent = independent, .steps = true};
  return pf_derive(s->ctx, s->arena, &s->eq, &how, d);
}

/* Is the message of a form that does not exist for the model this one? */
static void assert_refused(const System *s, const char *form, const char *why)
{
  PfDerivation d;
  assert_int_equal(derive_by(s, form, NULL, &d), PF_ERR_MODEL);
  assert_contains(pf_context_message(s->ctx), why);
  pf_diagnostics_clear(s->ctx);
}

static const PfEquation *step(const PfDerivation *d, const char *name)
{
  int count = 0;
  for (int i = 0; i < d->step_section_count; i++) count += d->step_sections[i].count;
  for (int i = 0; i < count; i++)
    if (!strcmp(d->steps[i].name, name)) return d->steps + i;
  fail_msg("no step '%s'", name);
  return NULL;
}

/* A wheel that rolls upright with speed u and turns with theta': a_x = u', a_y = u theta', so that by hand
 * S = (m + Jy/R^2) u'^2/2 + Jz theta''^2/2, and F* = -dS/domega'. */
static void energy_of_acceleration_and_partial_velocities_are_steps(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "unicycle", &s);
  assert_int_equal(derive_by(&s, "gibbs_appell", NULL, &d), PF_OK);
  assert_equal(&s, step(&d, "S")->right, formula(s.ctx, "(m + Jy/R^2)*u'^2/2 + Jz*theta''^2/2"));
  assert_equal(&s, step(&d, "dS_u")->right, formula(s.ctx, "(m + Jy/R^2)*u'"));
  assert_equation(&s, &d, "u", "(m + Jy/R^2)*u'", "drive/R");
  assert_int_equal(derive_by(&s, "kane", NULL, &d), PF_OK);
  assert_equal(&s, step(&d, "V_wheel.x_u")->right, formula(s.ctx, "1"));
  assert_equal(&s, step(&d, "W_wheel.y_u")->right, formula(s.ctx, "1/R"));
  assert_equal(&s, step(&d, "a_wheel.y")->right, formula(s.ctx, "u*theta'"));
  assert_equal(&s, step(&d, "F_star_theta")->right, formula(s.ctx, "-Jz*theta''"));
  assert_equation(&s, &d, "theta", "Jz*theta''", "steer");
  pf_model_free(s.model);
}

/* The sleigh by hand: y' = x' tan(theta), so B = tan(theta) and Gamma_y,x = theta'/cos(theta)^2 = -Gamma_y,theta
 * theta'/x'. With u = x'/cos(theta) the equations are u' = a theta'^2 and (I + m a^2) theta'' = -m a u theta'. */
static void the_sleigh_has_chaplygins_equations(void **state)
{
  needs_shortest_forms();
  static const char *const forms[] = {"chaplygin", "voronets"};
  System s;
  PfDerivation d;
  load_system(*state, "chaplygin_sleigh", &s);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(derive_by(&s, forms[i], "x,theta", &d), PF_OK);
    assert_equal(&s, step(&d, "Gamma_y_x")->right, formula(s.ctx, "theta'/cos(theta)^2"));
    assert_equal(&s, step(&d, "Gamma_y_theta")->right, formula(s.ctx, "-x'/cos(theta)^2"));
    assert_equation(&s, &d, "x", "x''", "a*cos(theta)*theta'^2 - sin(theta)/cos(theta)*x'*theta'");
    assert_equation(&s, &d, "theta", "(I + m*a^2)*theta''", "-m*a*x'*theta'/cos(theta)");
  }
  /* Quasi-velocities along and across the blade are turned with it: gamma^blade_u = -theta', gamma^blade_theta = u. */
  assert_int_equal(derive_by(&s, "boltzmann_hamel", NULL, &d), PF_OK);
  assert_equal(&s, step(&d, "gamma_blade_u")->right, formula(s.ctx, "-theta'"));
  assert_equal(&s, step(&d, "gamma_blade_theta")->right, formula(s.ctx, "u"));
  assert_equal(&s, step(&d, "P_blade")->right, formula(s.ctx, "m*a*theta'"));
  assert_equation(&s, &d, "u", "u'", "a*theta'^2");
  pf_model_free(s.model);
}

/* The force across a wheel is m u theta', with m u = p_x cos(theta) + p_y sin(theta) and theta' = p_theta/Jz. */
static void momenta_give_the_forces_of_constraints(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  load_system(*state, "unicycle", &s);
  assert_int_equal(derive_by(&s, "hamilton", NULL, &d), PF_OK);
  assert_int_equal(d.motion_count, 8);
  assert_equal(&s, step(&d, "H")->right,
               formula(s.ctx, "(p_x^2 + p_y^2)/(2*m) + p_theta^2/(2*Jz) + p_chi^2/(2*Jy) + m*g*R"));
  assert_equation(&s, &d, "lambda[contact.side]", "lambda[contact.side]",
                  "p_theta*(p_x*cos(theta) + p_y*sin(theta))/Jz");
  pf_model_free(s.model);
}

/* The wrong equations of the sleigh lack p_y Gamma; of the unicycle by theta and chi they lack nothing, by x and theta
 * they do: the terms are those of x' d/dt(1/cos(theta)) times k. */
static void hamels_equations_lack_the_terms_of_the_constraints(void **state)
{
  needs_shortest_forms();
  System s;
  PfDerivation d;
  PfKinematics k;
  PfReducedForm wrong, right;
  const PfDeriveOptions options = {.form = "voronets", .independent = "x,theta"};
  load_system(*state, "chaplygin_sleigh", &s);
  assert_int_equal(derive_by(&s, "hamel_wrong", "x,theta", &d), PF_OK);
  assert_int_equal(pf_kinematics_voronets(s.ctx, s.arena, &s.eq, &options, &k), PF_OK);
  assert_int_equal(pf_reduce_voronets(s.ctx, s.arena, &s.eq, &k, &right), PF_OK);
  assert_int_equal(pf_reduce_hamel_wrong(s.ctx, s.arena, &s.eq, &k, &wrong), PF_OK);
  assert_int_equal(pf_diagnostic_count(s.ctx), 1);
  assert_contains(pf_diagnostic(s.ctx, 0)->message, "these equations are wrong");
  for (int a = 0; a < 2; a++) {
    const PfEquation *missing = d.equations + d.equation_count - 2 + a;
    assert_equal(&s, missing->right, pf_expr_sub(s.ctx, right.g[a], wrong.g[a]));
  }
  assert_equal(&s, d.equations[d.equation_count - 2].right,
               formula(s.ctx, "m*(x'*sin(theta)/cos(theta) + a*cos(theta)*theta')*theta'/cos(theta)^2"));
  pf_model_free(s.model);
  pf_diagnostics_clear(s.ctx);
  load_system(*state, "unicycle", &s);
  assert_int_equal(derive_by(&s, "hamel_wrong", "theta,chi", &d), PF_OK);
  assert_int_equal(pf_diagnostic_count(s.ctx), 0);
  assert_equation(&s, &d, "chi", "(Jy + m*R^2)*chi''", "drive");
  assert_int_equal(derive_by(&s, "hamel_wrong", "x,theta", &d), PF_OK);
  assert_int_equal(pf_diagnostic_count(s.ctx), 1);
  pf_model_free(s.model);
}

/* Where a form does not hold a sentence says why. */
static void forms_say_where_they_do_not_hold(void **state)
{
  System s;
  load_system(*state, "free_floating", &s);
  assert_refused(&s, "chaplygin", "homogeneous in the velocities");
  pf_model_free(s.model);
  load_system(*state, "four_bar", &s);
  assert_refused(&s, "chaplygin", "occur neither in energies and forces nor in the constraints");
  pf_model_free(s.model);
  load_system(*state, "rattleback", &s);
  assert_refused(&s, "voronets", "the angular velocity of 'stone' is not the derivative of coordinates");
  assert_refused(&s, "hamilton", "the angular velocity of 'stone' is not the derivative of coordinates");
  pf_model_free(s.model);
  load_system(*state, "appell_hamel", &s);
  assert_refused(&s, "voronets", "linear in the velocities, which 'speeds' is not");
  assert_refused(&s, "boltzmann_hamel", "not linear in the velocities");
  pf_model_free(s.model);
  read_system(*state, "param w = 2\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                      "constraint c: y' = sin(w*t)*x'\n", &s);
  assert_refused(&s, "chaplygin", "do not change with time");
  pf_model_free(s.model);
}

/* The form `user` of a point on a curve, with its steps; memory runs out in the derivation only. */
static void derive_with(Counter *counter, void *user)
{
  static const char text[] = "model s\nparam m\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                             "constraint a: x' = sin(y)*y'\n";
  const PfDeriveOptions how = {.form = user, .steps = true};
  long fail_at = counter->fail_at;
  counter->fail_at = 0;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfModel *model;
  PfEquations eq;
  PfDerivation d;
  assert_int_equal(pf_model_read(ctx, "test.pf", text, strlen(text), &model), PF_OK);
  assert_int_equal(pf_equations_derive(ctx, arena, model, &eq), PF_OK);
  if (fail_at) counter->fail_at = counter->calls + fail_at;
  PfStatus status = pf_derive(ctx, arena, &eq, &how, &d);
  if (status != PF_OK) assert_int_equal(status, PF_ERR_MEMORY);
  else assert_true(d.motion_count >= 1);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void memory_may_run_out_in_every_form(void **state)
{
  (void)state;
  static char forms[][16] = {"gibbs_appell", "kane", "chaplygin", "boltzmann_hamel", "hamilton", "hamel_wrong"};
  for (size_t i = 0; i < sizeof forms/sizeof *forms; i++) fail_every_allocation(derive_with, forms[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_piano_wheel_has_its_two_equations),
    with_fixture(the_omni_robot_decouples_into_the_motion_of_its_platform),
    with_fixture(a_carriage_on_n_wheels_has_the_matrix_xi),
    with_fixture(the_mecanum_carriage_has_the_matrix_of_the_reference),
    with_fixture(two_wheels_that_do_not_slip_sideways_are_the_differential_drive),
    with_fixture(one_more_constraint_beside_speeds_recombines_them),
    with_fixture(independent_accelerations_are_solved_for),
    with_fixture(constraint_forces_are_formulas),
    with_fixture(the_differential_drive_has_the_corrected_equations),
    with_fixture(the_carriage_on_two_omni_wheels_has_a1_equal_to_one),
    with_fixture(reduced_forms_are_the_same_on_examples),
    with_fixture(nonlinear_rates_have_one_reduced_form_too),
    with_fixture(derived_equations_hold_for_numeric_accelerations),
    with_fixture(divisors_are_listed),
    with_fixture(energy_of_acceleration_and_partial_velocities_are_steps),
    with_fixture(the_sleigh_has_chaplygins_equations),
    with_fixture(momenta_give_the_forces_of_constraints),
    with_fixture(hamels_equations_lack_the_terms_of_the_constraints),
    with_fixture(forms_say_where_they_do_not_hold),
    cmocka_unit_test(memory_may_run_out_in_every_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
