/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, folds, branch points and Hopf points, against closed forms. */
#include "studies.h"

static PfStatus try_follow(Studied *s, const char *name, double from, double to, PfSteadyKind kind, PfContinuation *c)
{
  PfContinueOptions options = {.steady = {.kind = kind}, .parameter = parameter(s, name), .from = from, .to = to};
  return pf_continue(s->x.s.ctx, s->x.s.arena, s->d, &options, c);
}

static void follow(Studied *s, const char *name, double from, double to, PfSteadyKind kind, PfContinuation *c)
{
  if (try_follow(s, name, from, to, kind, c) != PF_OK)
    fail_msg("the continuation fails: %s", pf_context_message(s->x.s.ctx));
}

static const PfSpecial *special(const PfContinuation *c, PfSpecialKind kind, int which)
{
  for (int i = 0; i < c->special_count; i++)
    if (c->specials[i].kind == kind && which-- == 0) return c->specials + i;
  fail_msg("no such %s", pf_special_name(kind));
  return NULL;
}

static int count_of(const PfContinuation *c, PfSpecialKind kind)
{
  int count = 0;
  for (int i = 0; i < c->special_count; i++) count += c->specials[i].kind == kind;
  return count;
}

static int index_of(const PfContinuation *c, const char *name)
{
  for (int k = 0; k < c->size; k++)
    if (!strcmp(c->names[k], name)) return k;
  fail_msg("no component '%s'", name);
  return -1;
}

/* ---------------------------------------------------------------- normal forms */

/* A damped particle whose force is F(x, mu): its equilibria are those of the normal form x' = F. */
static void study_force(Fixture *f, const char *force, double mu, double x, Studied *s)
{
  char text[300];
  snprintf(text, sizeof text, "param mu = %g\ncoord x\nkinetic x'^2/2\nforce x = %s - x'\nstart x = %g", mu, force, x);
  study_text(f, text, s);
}

static void a_fold_is_where_the_parabola_turns(void **state)
{
  Studied s;
  PfContinuation c;
  study_force(*state, "mu - (x - 0.3)^2", 1, 1.2, &s);
  follow(&s, "mu", -1, 2, PF_EQUILIBRIA, &c);
  assert_int_equal(c.branch_count, 1);
  const PfSpecial *fold = special(&c, PF_FOLD, 0);
  assert_near(fold->parameter, 0, 0, 1e-12);
  assert_near(fold->x[0], 0.3, 0, 1e-10);
  assert_int_equal(count_of(&c, PF_BRANCH), 0);
  for (int i = 0; i < c.branches[0].count; i++) { /* x > 0.3 is stable */
    const PfTracePoint *p = c.branches[0].points + i;
    if (fabs(p->x[0] - 0.3) > 1e-6) assert_int_equal(p->unstable, p->x[0] > 0.3 ? 0 : 1);
  }
  end_study(&s);
}

static void a_pitchfork_has_two_branches(void **state)
{
  Studied s;
  PfContinuation c;
  study_force(*state, "mu*x - x^3", -0.5, 0.1, &s);
  follow(&s, "mu", -1, 1, PF_EQUILIBRIA, &c);
  assert_int_equal(c.branch_count, 2);
  assert_near(special(&c, PF_BRANCH, 0)->parameter, 0, 0, 1e-10);
  for (int i = 0; i < c.branches[1].count; i++) {
    double mu = c.branches[1].points[i].parameter, x = c.branches[1].points[i].x[0];
    assert_near(x*x, mu, 0, 1e-10);
  }
  end_study(&s);
}

static void transcritical_branches_exchange_stability(void **state)
{
  Studied s;
  PfContinuation c;
  study_force(*state, "mu*x - x^2", -0.5, 0.1, &s);
  follow(&s, "mu", -1, 1, PF_EQUILIBRIA, &c);
  assert_int_equal(c.branch_count, 2);
  assert_int_equal(count_of(&c, PF_BRANCH), 1);
  assert_near(special(&c, PF_BRANCH, 0)->parameter, 0, 0, 1e-10);
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < c.branches[b].count; i++) {
      const PfTracePoint *p = c.branches[b].points + i;
      bool trivial = fabs(p->x[0]) < 1e-9;
      if (fabs(p->parameter) > 1e-6) assert_int_equal(p->unstable, (p->parameter > 0) == trivial ? 1 : 0);
    }
  end_study(&s);
}

/* x'' + x = (mu - c x^2) x' + a x^2 + b x x': frequency 1, first Lyapunov coefficient a b/4 - c/4 (Guckenheimer and
 * Holmes, eq. (3.4.11), times 2 for <q, q> = 1). */
static void the_criticality_of_a_hopf_point_is_that_of_the_formula(void **state)
{
  const double terms[][3] = {{0, 0, 1}, {0, 0, -2}, {0.7, 0.5, 0}, {-0.7, 0.5, 1}, {0.3, -2, 0.4}};
  for (int i = 0; i < 5; i++) {
    Studied s;
    PfContinuation c;
    char text[300];
    snprintf(text, sizeof text, "param mu = -0.5, a = %g, b = %g, c = %g\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
             "force x = (mu - c*x^2)*x' + a*x^2 + b*x*x'", terms[i][0], terms[i][1], terms[i][2]);
    study_text(*state, text, &s);
    follow(&s, "mu", -1, 1, PF_STEADY, &c);
    const PfSpecial *hopf = special(&c, PF_HOPF, 0);
    assert_near(hopf->parameter, 0, 0, 1e-11);
    assert_near(hopf->frequency, 1, 1e-11, 0);
    assert_near(hopf->lyapunov, terms[i][0]*terms[i][1]/4 - terms[i][2]/4, 1e-9, 1e-11);
    end_study(&s);
  }
}

/* Folds and branch points are no obstacles when the present value of the parameter is theirs. */
static void a_start_may_be_a_special_point(void **state)
{
  static const char *const forces[] = {"mu - x^2", "mu*x - x^3", "mu*x - x^2"};
  for (int i = 0; i < 3; i++) {
    Studied s;
    PfContinuation c;
    study_force(*state, forces[i], 0, 0, &s);
    follow(&s, "mu", -1, 1, PF_EQUILIBRIA, &c);
    assert_int_equal(c.branch_count, i ? 2 : 1);
    double most = 0;
    for (int b = 0; b < c.branch_count; b++)
      for (int k = 0; k < c.branches[b].count; k++) most = fmax(most, fabs(c.branches[b].points[k].x[0]));
    assert_near(most, 1, 1e-9, 0);
    end_study(&s);
  }
}

/* The same after a turn of the coordinates by a holonomic constraint: the coefficient must not notice. */
static void a_hopf_point_does_not_notice_dependent_coordinates(void **state)
{
  Studied s;
  PfContinuation c;
  study_text(*state, "param mu = -0.5\ncoord x, z\nkinetic x'^2/2\npotential x^2/2\nforce x = mu*x' - z*x'\n"
             "constraint square: z = x^2", &s);
  follow(&s, "mu", -1, 1, PF_STEADY, &c);
  const PfSpecial *hopf = special(&c, PF_HOPF, 0);
  assert_near(hopf->parameter, 0, 0, 1e-11);
  assert_near(hopf->lyapunov, -0.25, 1e-9, 0);
  end_study(&s);
}

/* ---------------------------------------------------------------- the carriage (reference, section 6) */

static void line_and_parabola_of_the_carriage(void **state)
{
  Studied s;
  PfContinuation c;
  study_example(*state, "carriage_steady", &s, NULL);
  follow(&s, "n2", 8, 18, PF_STEADY, &c);
  assert_int_equal(c.branch_count, 2);
  int nu3 = index_of(&c, "nu[3]");
  const PfSpecial *threshold = special(&c, PF_BRANCH, 0), *vertex = special(&c, PF_FOLD, 0);
  assert_near(threshold->parameter, 12, 1e-11, 0);
  assert_near(threshold->x[nu3], 0, 0, 1e-10);
  assert_near(vertex->parameter, 11.9375, 1e-11, 0);
  assert_near(vertex->x[nu3]/2, -1.0/6, 1e-9, 0); /* theta' = nu3/Lambda */
  const double eps = 2, Lambda = 2, sigma = 1.5, rho = 1.5, nu1 = 3;
  for (int i = 0; i < c.branches[1].count; i++) {
    const PfTracePoint *p = c.branches[1].points + i;
    double w = p->x[nu3]/Lambda;
    double parabola = 2*eps*Lambda*sigma*sigma/rho + nu1*w/(2*eps) + Lambda*(rho*rho + 2*sigma*sigma)*w*w/(2*eps*rho);
    assert_near(p->parameter, parabola, 1e-10, 0);
    bool between = w > -1.0/6 + 1e-4 && w < -1e-4; /* vertex and crossing */
    if (between) assert_int_equal(p->unstable, 1);
    if (w < -1.0/6 - 1e-4 || w > 1e-4) assert_int_equal(p->unstable, 0);
  }
  end_study(&s);
}

static void the_hopf_point_of_the_carriage(void **state)
{
  Studied s;
  PfContinuation c;
  study_example(*state, "carriage_steady", &s, "M", 1.0, "R", 1.0, "c1", 1.0, "c2", 1.0, "Lambda", 1.0, "lambda2",
                0.01, "sigma",
                2.0, "rho", 1.0, "n1", 0.0, "n2", 150.0, NULL);
  const PfInterval box[] = {{"nu[1]", -100, 100}, {"nu[2]", -100, 300}, {"nu[3]", -10, 10}};
  PfContinueOptions options = {.steady = {.kind = PF_STEADY, .interval_count = 3, .intervals = box},
                               .parameter = parameter(&s, "n2"), .from = 100, .to = 250};
  assert_int_equal(pf_continue(s.x.s.ctx, s.x.s.arena, s.d, &options, &c), PF_OK);
  assert_int_equal(count_of(&c, PF_HOPF), 2); /* turning left and right */
  for (int i = 0; i < 2; i++) {
    const PfSpecial *hopf = special(&c, PF_HOPF, i);
    double n3 = fabs(hopf->x[index_of(&c, "nu[3]")]);
    assert_near(n3, 6.7763785910536913, 1e-9, 0);
    assert_near(hopf->parameter, 8 + 4.5*n3*n3, 1e-10, 0);
    assert_near(hopf->frequency, 8.1371, 0, 5e-5);
    assert_true(hopf->lyapunov > 0); /* subcritical */
  }
  end_study(&s);
}

/* ---------------------------------------------------------------- limits and bad input */

static void the_ends_of_the_range_are_points(void **state)
{
  Studied s;
  PfContinuation c;
  study_force(*state, "mu - x", 0.5, 0, &s);
  follow(&s, "mu", -1, 2, PF_EQUILIBRIA, &c);
  const PfTrace *t = c.branches;
  assert_near(fmin(t->points[0].parameter, t->points[t->count - 1].parameter), -1, 1e-14, 0);
  assert_near(fmax(t->points[0].parameter, t->points[t->count - 1].parameter), 2, 1e-14, 0);
  end_study(&s);
}

/* sqrt(mu) does not exist for mu < 0: the branch ends there, and says so. */
static void a_range_that_leaves_the_domain_ends_the_branch(void **state)
{
  Studied s;
  PfContinuation c;
  study_force(*state, "sqrt(mu) - x", 0.5, 0.5, &s);
  follow(&s, "mu", -1, 1, PF_EQUILIBRIA, &c);
  assert_int_equal(c.branch_count, 1);
  double least = INFINITY;
  for (int i = 0; i < c.branches[0].count; i++) least = fmin(least, c.branches[0].points[i].parameter);
  assert_true(least > -1e-9 && least < 0.02);
  end_study(&s);
}

static void families_are_not_followed(void **state)
{
  Studied s;
  PfContinuation c;
  study_example(*state, "carriage_inertia", &s, NULL);
  assert_int_equal(try_follow(&s, "M", 1, 5, PF_STEADY, &c), PF_ERR_NUMBER);
  assert_contains(pf_context_message(s.x.s.ctx), "families");
  end_study(&s);
}

static void nothing_to_follow_is_said(void **state)
{
  Studied s;
  PfContinuation c;
  study_force(*state, "exp(x) + mu^2", 0.5, 0, &s);
  assert_int_equal(try_follow(&s, "mu", 0, 1, PF_EQUILIBRIA, &c), PF_ERR_NUMBER);
  assert_contains(pf_context_message(s.x.s.ctx), "nothing to follow");
  end_study(&s);
}

/* A bead on a turning hoop: at w^2 = g/R the bead leaves the bottom, to both sides. From wherever one begins that is
 * one branch point, and no fold besides; and the bottom is one branch, after however many turns. */
static void a_bead_on_a_hoop_has_one_pitchfork(void **state)
{
  static const double begins[] = {2, 4.4, 6, 8};
  const PfInterval interval = {"a", -10, 10};
  for (size_t b = 0; b < sizeof begins/sizeof *begins; b++) {
    Studied s;
    PfContinuation c;
    char text[300];
    snprintf(text, sizeof text, "param g = 9.81, R = 0.5, d = 0.1, w = %g\ncoord a [rad]\nkinetic R^2/2*a'^2\n"
             "potential -g*R*cos(a) - R^2*w^2*sin(a)^2/2\nforce a = -d*a'\nstart a = 0.1", begins[b]);
    study_text(*state, text, &s);
    PfContinueOptions options = {.steady = {.kind = PF_EQUILIBRIA, .interval_count = 1, .intervals = &interval},
                                 .parameter = parameter(&s, "w"), .from = 1, .to = 8};
    assert_int_equal(pf_continue(s.x.s.ctx, s.x.s.arena, s.d, &options, &c), PF_OK);
    assert_int_equal(c.special_count, 1);
    assert_int_equal(c.specials[0].kind, PF_BRANCH);
    assert_near(c.specials[0].parameter, sqrt(9.81/0.5), 1e-9, 0);
    assert_int_equal(c.branch_count, 3); /* bottom, top, and the fork */
    end_study(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_fold_is_where_the_parabola_turns),
    with_fixture(a_pitchfork_has_two_branches),
    with_fixture(transcritical_branches_exchange_stability),
    with_fixture(the_criticality_of_a_hopf_point_is_that_of_the_formula),
    with_fixture(a_start_may_be_a_special_point),
    with_fixture(a_hopf_point_does_not_notice_dependent_coordinates),
    with_fixture(line_and_parabola_of_the_carriage),
    with_fixture(the_hopf_point_of_the_carriage),
    with_fixture(the_ends_of_the_range_are_points),
    with_fixture(a_range_that_leaves_the_domain_ends_the_branch),
    with_fixture(families_are_not_followed),
    with_fixture(nothing_to_follow_is_said),
    with_fixture(a_bead_on_a_hoop_has_one_pitchfork),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
