/* SPDX-License-Identifier: Apache-2.0 */
/* Speeds as combinations of velocities: the equations are those of the textbook (verified there against Lagrange's
 * equations with multipliers), whatever the program has to solve for on the way. */
#include "form/derived.h"

enum { MOST_EQUATIONS = 12 };

typedef struct Textbook {
  const char *name, *model;
  const char *equations[MOST_EQUATIONS][3]; /* of what, left side, right side */
} Textbook;

static const Textbook textbook[] = {
  {"sleigh",
   "param m = 1 [kg], I = 0.2 [kg m^2], a = 0.5 [m]\ncoord x, y [m], theta [rad]\n"
   "body sleigh in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, I), com (a, 0, 0) }\n"
   "skate blade: sleigh\nspeed v = x'*cos(theta) + y'*sin(theta), w = theta'\n",
   {{"v", "m*v'", "m*a*w^2"}, {"w", "(I + m*a^2)*w'", "-m*a*v*w"}, {"x", "x'", "v*cos(theta)"},
    {"y", "y'", "v*sin(theta)"}, {"theta", "theta'", "w"}}},
  {"sleigh with a rotor, one speed left out",
   "param m = 1 [kg], I = 0.2 [kg m^2], a = 0.5 [m], Jr = 0.1 [kg m^2], tau = 0.05 [N m]\n"
   "coord x, y [m], theta, psi [rad]\n"
   "body sleigh in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, I), com (a, 0, 0) }\n"
   "body rotor in sleigh turn psi about z { inertia diag(0, 0, Jr) }\nforce psi = tau\nskate blade: sleigh\n"
   "speed v = dot(vel(sleigh), sleigh.x), Omega = theta' + psi'\n",
   {{"v", "m*v'", "m*a*theta_dot^2"}, {"theta_dot", "(I + m*a^2)*theta_dot'", "-m*a*v*theta_dot - tau"},
    {"Omega", "Jr*Omega'", "tau"}, {"psi", "psi'", "Omega - theta_dot"}, {"theta", "theta'", "theta_dot"}}},
  {"unicycle",
   "param m = 2, R = 0.3, Jz = 0.05, Jy = 0.09, drive = 0.2, steer = 0.05\ncoord x, y, theta, chi\n"
   "frame fork in ground at (x, y, R) turn theta about z\n"
   "body wheel in fork turn chi about y { mass m, inertia diag(Jz, Jy, Jz) }\nforce chi = drive, theta = steer\n"
   "roll contact: disc wheel { radius R, axis wheel.y } on ground\nspeed v = R*chi', w = omega(fork).z\n",
   {{"v", "(m + Jy/R^2)*v'", "drive/R"}, {"w", "Jz*w'", "steer"}, {"x", "x'", "v*cos(theta)"},
    {"y", "y'", "v*sin(theta)"}, {"chi", "chi'", "v/R"}}},
  {"leaning disc",
   "param m = 0.1, R = 0.05, g = 9.81, A = 6.25e-5, C = 1.25e-4\ncoord x, y, z, psi, phi, chi\n"
   "gravity (0, 0, -g)\nbody disc in ground at (x, y, z) turn psi about z turn phi about x turn chi about y "
   "{ mass m, inertia diag(A, C, A) }\nroll contact: disc disc { radius R, axis disc.y } on ground\nstart z = R\n"
   "speed w1 = phi', w2 = chi' + sin(phi)*psi', w3 = cos(phi)*psi'\n",
   {{"w1", "(A + m*R^2)*w1'", "w3*((C + m*R^2)*w2 - A*tan(phi)*w3) + m*g*R*sin(phi)"},
    {"w2", "(C + m*R^2)*w2'", "-m*R^2*w1*w3"}, {"w3", "A*w3'", "w1*(A*tan(phi)*w3 - C*w2)"},
    {"psi", "psi'", "w3/cos(phi)"}, {"chi", "chi'", "w2 - w3*tan(phi)"},
    {"x", "x'", "R*(w2*cos(psi) + w1*cos(phi)*sin(psi))"}, {"y", "y'", "R*(w2*sin(psi) - w1*cos(phi)*cos(psi))"}}},
  {"differential drive",
   "param m = 10, J = 0.4, a = 0.05, b = 0.2, R = 0.1, Jw = 0.005, tr = 0.3, tl = 0.26\ncoord x, y, theta, cr, cl\n"
   "body base in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, J), com (a, 0, 0) }\n"
   "kinetic Jw/2*(cr'^2 + cl'^2)\nforce cr = tr, cl = tl\nskate side: base\n"
   "constraint right: cos(theta)*x' + sin(theta)*y' + b*theta' = R*cr'\n"
   "constraint left: cos(theta)*x' + sin(theta)*y' - b*theta' = R*cl'\n"
   "speed v = R*(cr' + cl')/2, w = R*(cr' - cl')/(2*b)\n",
   {{"v", "(m + 2*Jw/R^2)*v'", "m*a*w^2 + (tr + tl)/R"},
    {"w", "(J + m*a^2 + 2*Jw*b^2/R^2)*w'", "b*(tr - tl)/R - m*a*v*w"}, {"x", "x'", "v*cos(theta)"},
    {"theta", "theta'", "w"}, {"cr", "cr'", "(v + b*w)/R"}, {"cl", "cl'", "(v - b*w)/R"}}},
  {"segway",
   "param M = 12, l = 0.3, A = 0.5, B = 0.45, C = 0.2, g = 9.81, mw = 0.8, Jw = 0.004, Kw = 0.0025, d = 0.25, R = 0.1\n"
   "param tr = 0.3, tl = 0.2\ncoord x, y, psi, theta, cr, cl\ngravity (0, 0, -g)\n"
   "frame axle in ground at (x, y, R) turn psi about z\n"
   "body mast in axle turn theta about y { mass M, com (0, 0, l), inertia diag(A, B, C) }\n"
   "body right_wheel in axle at (0, -d, 0) turn cr about y { mass mw, inertia diag(Kw, Jw, Kw) }\n"
   "body left_wheel in axle at (0, d, 0) turn cl about y { mass mw, inertia diag(Kw, Jw, Kw) }\n"
   "torque tr*axle.y on right_wheel from mast\ntorque tl*axle.y on left_wheel from mast\nskate side: axle\n"
   "constraint right: cos(psi)*x' + sin(psi)*y' + d*psi' = R*cr'\n"
   "constraint left: cos(psi)*x' + sin(psi)*y' - d*psi' = R*cl'\n"
   "speed v = cos(psi)*x' + sin(psi)*y', w = psi', q = theta'\n",
   {{"v", "(M + 2*mw + 2*Jw/R^2)*v' + M*l*cos(theta)*q'", "M*l*sin(theta)*(q^2 + w^2) + (tr + tl)/R"},
    {"q", "(B + M*l^2)*q' + M*l*cos(theta)*v'", "sin(theta)*((A - C + M*l^2)*cos(theta)*w^2 + M*g*l) - tr - tl"},
    {"w", "(C + 2*Kw + 2*(mw + Jw/R^2)*d^2 + (A - C + M*l^2)*sin(theta)^2)*w'",
     "d*(tr - tl)/R - w*sin(theta)*(2*(A - C + M*l^2)*cos(theta)*q + M*l*v)"},
    {"cr", "cr'", "(v + d*w)/R"}}},
  {"snakeboard",
   "param m = 6, J = 0.016, Jr = 0.072, Jw = 0.0013, L = 0.2, F = 1, tpsi = 0.1, tphi = 0.01\n"
   "coord x, y, theta, psi, phi\n"
   "body board in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, J) }\n"
   "body rotor in board turn psi about z { inertia diag(0, 0, Jr) }\n"
   "body back in board at (-L, 0, 0) turn -phi about z { inertia diag(0, 0, Jw) }\n"
   "body fore in board at (L, 0, 0) turn phi about z { inertia diag(0, 0, Jw) }\n"
   "force x = F*cos(theta), y = F*sin(theta), psi = tpsi, phi = tphi\nskate rear: back\nskate front: fore\n"
   "speed u = dot(vel(fore), fore.x), Omega = theta' + psi', s = phi'\n",
   {{"u", "(m*cos(phi)^2 + (J + 2*Jw)*sin(phi)^2/L^2)*u'",
     "F*cos(phi) - tpsi*sin(phi)/L - ((J + 2*Jw)/L^2 - m)*sin(phi)*cos(phi)*s*u"},
    {"Omega", "Jr*Omega'", "tpsi"}, {"s", "2*Jw*s'", "tphi"}, {"x", "x'", "u*cos(phi)*cos(theta)"},
    {"theta", "theta'", "u*sin(phi)/L"}, {"psi", "psi'", "Omega - u*sin(phi)/L"}}},
};

enum { BOOKS = sizeof textbook/sizeof *textbook };

static void assert_textbook(Fixture *f, const Textbook *book, const char *form)
{
  System s;
  PfDerivation d;
  read_system(f, book->model, &s);
  if (pf_derive_form(s.ctx, s.arena, &s.eq, form, &d) != PF_OK)
    fail_msg("%s: %s", book->name, pf_context_message(s.ctx));
  for (int i = 0; i < MOST_EQUATIONS && book->equations[i][0]; i++) {
    const char *const *by_hand = book->equations[i];
    assert_equation(&s, &d, by_hand[0], by_hand[1], by_hand[2]);
  }
  pf_model_free(s.model);
}

static void the_equations_are_those_of_the_textbook(void **state)
{
  needs_shortest_forms();
  for (int i = 0; i < BOOKS; i++) {
    assert_textbook(*state, textbook + i, "laconic");
    assert_textbook(*state, textbook + i, "maggi");
  }
}

/* In numbers, at a state that the constraints allow. */
static void every_formulation_gives_the_same_accelerations(void **state)
{
  uint64_t seed = 5;
  for (int i = 0; i < BOOKS; i++) {
    System s;
    Forms forms;
    read_system(*state, textbook[i].model, &s);
    set_random_state(&s, &seed);
    make_consistent(&s);
    forms_open(&s, &forms);
    Answer x = answer(&forms, "multipliers");
    for (int k = 0; k < forms.count; k++) {
      if (!forms.solver[k]) fail_msg("%s: %s", textbook[i].name, pf_formulation_name(pf_formulation(k)));
      Answer y = answer_of(&forms, forms.solver[k]);
      for (int j = 0; j < s.eq.n; j++) assert_near(y.a[j], x.a[j], 1e-9, 1e-9);
    }
    close_all(&forms);
  }
}

/* A speed that does not determine the velocities everywhere: where is said, and found by the numbers. */
static void where_speeds_fail_is_said(void **state)
{
  System s;
  PfDerivation d;
  Forms forms;
  read_system(*state, "coord x, y, theta\nkinetic x'^2 + y'^2 + theta'^2\n"
              "constraint blade: x'*sin(theta) = y'*cos(theta)\nspeed u = x', w = theta'\n", &s);
  assert_int_equal(pf_derive_form(s.ctx, s.arena, &s.eq, "laconic", &d), PF_OK);
  assert_int_equal(d.divisor_count, 1);
  assert_equal(&s, d.divisors[0], formula(s.ctx, "cos(theta)"));
  forms_open(&s, &forms);
  set_state(&s, "theta", acos(-1)/2, 1);
  set_state(&s, "y", 0, 1);
  assert_int_equal(answer(&forms, "laconic").trouble, PF_TROUBLE_SINGULAR);
  assert_int_equal(answer(&forms, "maggi").trouble, PF_TROUBLE_NONE);
  close_all(&forms);
}

/* ---------------------------------------------------------------- without speeds in the model */

/* The text without its line of speeds. */
static const char *without_speeds(Fixture *f, const char *model)
{
  const char *line = strstr(model, "\nspeed ");
  assert_non_null(line);
  const char *rest = strchr(line + 1, '\n');
  char text[3000];
  snprintf(text, sizeof text, "%.*s%s", (int)(line - model), model, rest);
  return pf_arena_text(f->arena, text, strlen(text));
}

/* What is chosen: the forward speed u, and velocities. */
static const Textbook automatic[] = {
  {"sleigh", NULL,
   {{"u", "m*u'", "m*a*theta'^2"}, {"theta", "(I + m*a^2)*theta''", "-m*a*u*theta'"},
    {"x", "x'", "u*cos(theta)"}, {"y", "y'", "u*sin(theta)"}}},
  {"sleigh with a rotor, one speed left out", NULL,
   {{"u", "u'", "a*theta'^2"}, {"w_psi", "Jr*w_psi'", "tau"}, {"psi", "psi'", "w_psi - theta'"},
    {"theta", "(I + m*a^2)*theta''", "-m*a*u*theta' - tau"}}},
  {"unicycle", NULL,
   {{"u", "(m + Jy/R^2)*u'", "drive/R"}, {"theta", "Jz*theta''", "steer"}, {"x", "x'", "u*cos(theta)"},
    {"chi", "chi'", "u/R"}}},
  {"leaning disc", NULL,
   {{"x", "x'", "u*cos(psi) + R*cos(phi)*phi'*sin(psi)"}, {"chi", "chi'", "u/R - sin(phi)*psi'"},
    {"u", "(m + C/R^2)*u'", "-m*R*cos(phi)*phi'*psi'"}}},
  {"differential drive", NULL,
   {{"u", "(m + 2*Jw/R^2)*u'", "m*a*theta'^2 + (tr + tl)/R"},
    {"theta", "(J + m*a^2 + 2*Jw*b^2/R^2)*theta''", "b*(tr - tl)/R - m*a*u*theta'"},
    {"cr", "cr'", "(u + b*theta')/R"}}},
  {"segway", NULL,
   {{"u", "(M + 2*mw + 2*Jw/R^2)*u' + M*l*cos(theta)*theta''", "M*l*sin(theta)*(theta'^2 + psi'^2) + (tr + tl)/R"},
    {"theta", "(B + M*l^2)*theta'' + M*l*cos(theta)*u'",
     "sin(theta)*((A - C + M*l^2)*cos(theta)*psi'^2 + M*g*l) - tr - tl"}}},
  {"snakeboard", NULL,
   {{"x", "x'", "u*cos(phi)*cos(theta)"}, {"y", "y'", "u*cos(phi)*sin(theta)"}, {"theta", "theta'", "u*sin(phi)/L"},
    {"w_psi", "Jr*w_psi'", "tpsi"}, {"phi", "2*Jw*phi''", "tphi"},
    {"u", "(m*cos(phi)^2 + (J + 2*Jw)*sin(phi)^2/L^2)*u' + ((J + 2*Jw)/L^2 - m)*sin(phi)*cos(phi)*u*phi'",
     "F*cos(phi) - tpsi*sin(phi)/L"}}},
};

static void assert_nothing_vanishes(Fixture *f, const char *name, const char *model, const Textbook *book)
{
  System s;
  PfDerivation d;
  read_system(f, model, &s);
  if (pf_derive_form(s.ctx, s.arena, &s.eq, "laconic", &d) != PF_OK)
    fail_msg("%s: %s", name, pf_context_message(s.ctx));
  if (d.divisor_count) fail_msg("%s divides by %s", name, text_of(f, d.divisors[0]));
  for (int i = 0; book && i < MOST_EQUATIONS && book->equations[i][0]; i++) {
    const char *const *by_hand = book->equations[i];
    assert_equation(&s, &d, by_hand[0], by_hand[1], by_hand[2]);
  }
  pf_model_free(s.model);
}

static void regular_speeds_are_found(void **state)
{
  needs_shortest_forms();
  for (int i = 0; i < BOOKS; i++) {
    assert_string_equal(automatic[i].name, textbook[i].name);
    assert_nothing_vanishes(*state, textbook[i].name, without_speeds(*state, textbook[i].model), automatic + i);
  }
}

/* A car with two trailers, a racer, a sleigh whose blade slides along a moving floor, one on a carriage. */
static const char *const others[] = {
  "param m = 1200, J = 1500, b = 1.2, L = 2.6, Js = 2, m1 = 400, J1 = 300, d1 = 3, m2 = 350, J2 = 250, d2 = 2.5\n"
  "coord x, y, theta, phi, psi1, psi2\n"
  "body car in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, J), com (b, 0, 0) }\n"
  "body wheels in car at (L, 0, 0) turn phi about z { inertia diag(0, 0, Js) }\n"
  "body t1 in ground at (x, y, 0) turn psi1 about z { mass m1, inertia diag(0, 0, J1), com (-d1, 0, 0) }\n"
  "frame axle1 in t1 at (-d1, 0, 0)\n"
  "body t2 in axle1 turn psi2 - psi1 about z { mass m2, inertia diag(0, 0, J2), com (-d2, 0, 0) }\n"
  "frame axle2 in t2 at (-d2, 0, 0)\n"
  "skate rear: car\nskate front: wheels\nskate trail1: axle1\nskate trail2: axle2\nforce phi = 1\n",
  "param m1 = 30, J1 = 1, b = 0.1, l1 = 0.4, m2 = 5, J2 = 0.1, l2 = 0.15\ncoord x, y, theta, phi\n"
  "body seat in ground at (x, y, 0) turn theta about z { mass m1, inertia diag(0, 0, J1), com (b, 0, 0) }\n"
  "body bar in seat at (l1, 0, 0) turn phi about z { mass m2, inertia diag(0, 0, J2), com (-l2, 0, 0) }\n"
  "frame axle in bar at (-l2, 0, 0)\nskate rear: seat\nskate front: axle\nforce phi = 1\n",
  "param c = 2\ncoord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\n"
  "constraint blade: -(x' - c*sin(t))*sin(theta) + y'*cos(theta) = 0\n",
  "coord x, y, a, z, w, b\nkinetic (x'^2 + y'^2 + a'^2 + z'^2 + w'^2 + b'^2 + (x' - z')^2)/2\n"
  "constraint first: -x'*sin(a) + y'*cos(a) = 0\nconstraint second: w'*cos(b) - z'*sin(b) = sin(a)*b'\n",
};

enum { OTHERS = sizeof others/sizeof *others };

static void regular_speeds_are_found_for_chains_and_moving_floors(void **state)
{
  needs_shortest_forms();
  for (int i = 0; i < OTHERS; i++) assert_nothing_vanishes(*state, others[i], others[i], NULL);
}

/* Also where a choice of coordinates fails: heading along y. */
static void assert_same_motion(Fixture *f, const char *model, const char *heading, uint64_t *seed)
{
  System s;
  Forms forms;
  read_system(f, model, &s);
  set_random_state(&s, seed);
  set_state(&s, heading, acos(-1)/2, 0.3);
  make_consistent(&s);
  forms_open(&s, &forms);
  Answer x = answer(&forms, "multipliers"), y = answer(&forms, "laconic"), z = answer(&forms, "maggi");
  assert_int_equal(y.trouble, PF_TROUBLE_NONE);
  for (int j = 0; j < s.eq.n; j++) {
    assert_near(y.a[j], x.a[j], 1e-9, 1e-9);
    assert_near(z.a[j], x.a[j], 1e-9, 1e-9);
  }
  close_all(&forms);
}

static void motions_by_found_speeds_are_those_of_lagrange(void **state)
{
  static const char *const heading[] = {"theta", "theta", "theta", "psi", "theta", "psi", "theta"};
  static const char *const other_heading[] = {"theta", "theta", "theta", "a"};
  uint64_t seed = 11;
  for (int i = 0; i < BOOKS; i++)
    assert_same_motion(*state, without_speeds(*state, textbook[i].model), heading[i], &seed);
  for (int i = 0; i < OTHERS; i++) assert_same_motion(*state, others[i], other_heading[i], &seed);
}

/* The user's names stay the user's. */
static void names_of_found_speeds_are_free(void **state)
{
  needs_shortest_forms();
  System s;
  PfKinematics k;
  read_system(*state, "param u = 2\ninput u2 = t\ncoord x, y, theta\nkinetic u*(x'^2 + y'^2 + theta'^2)/2\n"
              "force x = u2\nconstraint blade: x'*sin(theta) = y'*cos(theta)\n", &s);
  assert_int_equal(pf_kinematics_find(s.ctx, s.arena, &s.eq, &k), PF_OK);
  assert_true(k.combined);
  assert_string_equal(k.names[0], "u3");
  assert_string_equal(k.names[1], "theta");
  assert_equal(&s, k.definition[0], formula(s.ctx, "x'*cos(theta) + y'*sin(theta)"));
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_equations_are_those_of_the_textbook),
    with_fixture(every_formulation_gives_the_same_accelerations),
    with_fixture(where_speeds_fail_is_said),
    with_fixture(regular_speeds_are_found),
    with_fixture(regular_speeds_are_found_for_chains_and_moving_floors),
    with_fixture(motions_by_found_speeds_are_those_of_lagrange),
    with_fixture(names_of_found_speeds_are_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
