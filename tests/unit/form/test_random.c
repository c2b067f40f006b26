/* SPDX-License-Identifier: Apache-2.0 */
/* Random systems: all formulations agree, with regular and singular masses, with independent and redundant
 * constraints, with constraints that are linear, affine and nonlinear in the velocities. */
#include "form/formulations.h"

/* ---------------------------------------------------------------- texts of models */

typedef struct Kind {
  int least, most;   /* coordinates */
  bool singular;     /* the kinetic energy has fewer squares than coordinates */
  bool redundant;    /* some constraints are combinations of others */
  bool curved;       /* coefficients depend on the coordinates */
  bool units;        /* constraints are written in units from 1e-4 to 1e4 */
} Kind;

typedef struct Writer {
  PfText text;
  uint64_t seed;
  const Kind *kind;
  int n, rank, rows, squares;
} Writer;

static int draw_int(Writer *w, int least, int most)
{
  double x = (draw_number(&w->seed) + 1)/2;
  int value = least + (int)(x*(most - least + 1));
  return value > most ? most : value;
}

/* A coefficient: a small number, in curved systems times something between 1/2 and 3/2. */
static void write_coefficient(Writer *w, int number)
{
  pf_text_print(&w->text, "(%d)/2", number);
  if (!w->kind->curved || draw_int(w, 0, 2)) return;
  pf_text_print(&w->text, "*(1 + %s(q[%d])/2)", draw_int(w, 0, 1) ? "sin" : "cos", draw_int(w, 1, w->n));
}

/* A linear form of the velocities with the main coefficient at `lead`, so that forms with different leads
 * tend to be independent. */
static void write_form(Writer *w, int lead)
{
  pf_text_add(&w->text, "0");
  for (int j = 1; j <= w->n; j++) {
    int number = draw_int(w, 0, 1) ? draw_int(w, -3, 3) : 0;
    if (j == lead) number = draw_int(w, 4, 9);
    if (!number) continue;
    pf_text_add(&w->text, " + ");
    write_coefficient(w, number);
    pf_text_print(&w->text, "*q[%d]'", j);
  }
}

static void write_kinetic(Writer *w)
{
  for (int k = 1; k <= w->squares; k++) {
    pf_text_print(&w->text, "kinetic %d/4*(", draw_int(w, 1, 8));
    write_form(w, k);
    pf_text_add(&w->text, ")^2\n");
  }
}

static void write_forces(Writer *w)
{
  for (int j = 1; j <= w->n; j++) {
    pf_text_print(&w->text, "force q[%d] = %d/3", j, draw_int(w, -9, 9));
    int i = draw_int(w, 1, w->n), k = draw_int(w, 1, w->n);
    if (draw_int(w, 0, 1)) pf_text_print(&w->text, " - q[%d]' + sin(q[%d])", i, k);
    pf_text_add(&w->text, "\n");
  }
  pf_text_print(&w->text, "potential q[%d]^2 + q[%d]*q[%d]/3\n", draw_int(w, 1, w->n), draw_int(w, 1, w->n),
                draw_int(w, 1, w->n));
  if (draw_int(w, 0, 1)) pf_text_print(&w->text, "nonideal q[%d] = %d/2\n", draw_int(w, 1, w->n), draw_int(w, -5, 5));
}

/* Independent rows lead at different coordinates, first at those without a square of their own. Redundant
 * ones are sums of two of them. */
static void write_constraints(Writer *w)
{
  for (int i = 1; i <= w->rank; i++) {
    pf_text_print(&w->text, "let row%d = ", i);
    write_form(w, w->n + 1 - i);
    pf_text_print(&w->text, " - (%d)/3*t - sin(q[%d] + t)/4\n", draw_int(w, -9, 9), draw_int(w, 1, w->n));
    pf_text_print(&w->text, "constraint %s[%d]: 1e%d*row%d = 0\n", i%2 ? "odd" : "even", i,
                  w->kind->units ? draw_int(w, -4, 4) : 0, i);
  }
  for (int i = w->rank + 1; i <= w->rows; i++)
    pf_text_print(&w->text, "constraint more[%d]: %d*row%d + %d*row%d = 0\n", i - w->rank, draw_int(w, 1, 3),
                  draw_int(w, 1, w->rank), draw_int(w, 1, 3), draw_int(w, 1, w->rank));
}

static const char *write_model(Fixture *f, const Kind *kind, uint64_t seed)
{
  Writer w = {.kind = kind, .seed = seed};
  pf_text_init(&w.text, pf_context_allocator(f->ctx));
  w.n = draw_int(&w, kind->least, kind->most);
  int missing = kind->singular ? draw_int(&w, 1, w.n - 1) : 0;
  w.squares = w.n - missing;
  w.rank = draw_int(&w, missing, w.n);
  if (kind->redundant && w.rank == 0) w.rank = 1;
  w.rows = w.rank + (kind->redundant ? draw_int(&w, 1, 4) : 0);
  pf_text_print(&w.text, "coord q[%d]\n", w.n);
  write_kinetic(&w);
  write_forces(&w);
  write_constraints(&w);
  const char *copy = pf_arena_text(f->arena, pf_text_get(&w.text), w.text.count);
  assert_false(w.text.failed);
  pf_text_free(&w.text);
  return copy;
}

/* ---------------------------------------------------------------- what must hold */

enum { MOST = 32 };

/* Length of each row of A, by which multipliers are compared as forces. */
static void find_lengths(const System *s, const double *A, double *length)
{
  for (int i = 0; i < s->eq.m; i++) length[i] = pf_norm(A + i*s->eq.n, s->eq.n);
}

/* The numbers of a state, evaluated without the tapes, and an independent solution (system.h). */
typedef struct Numbers {
  double M[MOST*MOST], A[MOST*MOST], F[MOST], C[MOST], b[MOST];
  double a[MOST], lambda[MOST];
  double condition; /* of the augmented system, zero singular values left out */
  double sharing;   /* ratio of the units among which redundant multipliers are shared out, else 1 */
} Numbers;

static double condition_of(const System *s, const Numbers *x)
{
  int n = s->eq.n, m = s->eq.m, size = n + m;
  double K[4*MOST*MOST] = {0}, values[2*MOST], length[MOST];
  find_lengths(s, x->A, length);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) K[i*size + j] = x->M[i*n + j];
  for (int k = 0; k < m; k++)
    for (int j = 0; j < n; j++) K[j*size + n + k] = K[(n + k)*size + j] = x->A[k*n + j]/length[k];
  assert_int_equal(pf_svd(s->ctx, K, size, size, values, NULL, NULL), PF_OK);
  int last = size - 1;
  while (values[last] < 1e-10*values[0]) last--;
  return values[0]/values[last];
}

static void find_numbers(const System *s, Numbers *x)
{
  int n = s->eq.n, m = s->eq.m;
  assert_true(n <= MOST && m <= MOST);
  evaluate(s, s->eq.M, n*n, x->M);
  evaluate(s, s->eq.F, n, x->F);
  evaluate(s, s->eq.C, n, x->C);
  evaluate(s, s->eq.A, m*n, x->A);
  evaluate(s, s->eq.b, m, x->b);
  solve(s, x->a, x->lambda);
  x->condition = condition_of(s, x);
  double length[MOST], least = INFINITY;
  find_lengths(s, x->A, length);
  for (int i = 0; i < m; i++) least = fmin(least, length[i]);
  bool redundant = m > 0 && !strncmp(s->model->constraints[m - 1].name, "more", 4);
  x->sharing = redundant ? fmax(1, largest(length, m)/least) : 1;
}

/* No virtual work: what the constraints add, M q'' - F - C, is orthogonal to all admissible directions. */
static void assert_no_work(const char *form, const System *s, const Numbers *x, const Answer *y, double tolerance)
{
  int n = s->eq.n, m = s->eq.m;
  double N[MOST*MOST], A[MOST*MOST], ideal[MOST], length[MOST];
  PfQr qr;
  find_lengths(s, x->A, length);
  for (int i = 0; i < m*n; i++) A[i] = x->A[i]/length[i/n];
  assert_int_equal(pf_qr_make(s->ctx, s->arena, m, n, &qr), PF_OK);
  assert_int_equal(pf_qr_factor(&qr, A, 1e-9), PF_OK);
  int free = n - qr.rank;
  pf_qr_null_space(&qr, N);
  for (int i = 0; i < n; i++) ideal[i] = y->force[i] - x->C[i];
  for (int k = 0; k < free; k++) {
    double work = 0;
    for (int i = 0; i < n; i++) work += N[i*free + k]*ideal[i];
    if (fabs(work) > tolerance*(1 + largest(ideal, n))) fail_msg("%s: virtual work %g in direction %d", form, work, k);
  }
}

static void assert_answer(const char *form, const System *s, const Numbers *x, const Answer *y)
{
  int n = s->eq.n, m = s->eq.m;
  double tolerance = 1e-9*fmax(1, x->condition/1e5), a_size = 1 + largest(x->a, n);
  double left[MOST], force[MOST], length[MOST], ours[MOST], theirs[MOST];
  find_lengths(s, x->A, length);
  for (int i = 0; i < m; i++) {
    left[i] = (pf_dot(x->A + i*n, y->a, n) - x->b[i])/length[i];
    ours[i] = y->lambda[i]*length[i];
    theirs[i] = x->lambda[i]*length[i];
  }
  assert_vectors(form, "acceleration", y->a, x->a, n, tolerance, a_size);
  /* twice as much: pseudo-velocities that are combinations with large numbers lose some digits more */
  assert_vectors(form, "multiplier", ours, theirs, m, 2*tolerance*x->sharing, 1 + largest(theirs, m));
  for (int i = 0; i < m; i++)
    if (!(fabs(left[i]) <= 0.01*tolerance*a_size)) fail_msg("%s: constraint %d is missed by %g", form, i, left[i]);
  for (int j = 0; j < n; j++) {
    force[j] = x->C[j];
    for (int i = 0; i < m; i++) force[j] += x->A[i*n + j]*y->lambda[i];
  }
  assert_vectors(form, "force", y->force, force, n, tolerance, 1 + largest(force, n));
  assert_no_work(form, s, x, y, tolerance);
}

/* Whether the formulation owes an answer: the others say the right thing why not. */
static bool owes_answer(const Forms *forms, const char *form, const Answer *y, bool singular)
{
  if (!strcmp(form, "rosenberg") && y->trouble == PF_TROUBLE_UNDETERMINED) return false;
  if (strcmp(form, "udwadia_kalaba") != 0 || !singular) return true;
  if (y->trouble != PF_TROUBLE_MASSLESS) fail_msg("%s: %s", form, words(forms, y));
  return false;
}

static void compare_all(const Forms *forms, const Numbers *x, bool singular, int *answers)
{
  for (int k = 0; k < forms->count; k++) {
    const char *form = pf_formulation_name(pf_formulation(k));
    if (!forms->solver[k]) continue;
    Answer y = answer_of(forms, forms->solver[k]);
    if (!owes_answer(forms, form, &y, singular)) continue;
    if (y.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", form, words(forms, &y));
    assert_answer(form, forms->s, x, &y);
    answers[k]++;
  }
}

/* ---------------------------------------------------------------- linear and affine constraints */

/* One system at one random state; false when it is too ill-conditioned to ask for anything. */
static bool compare_system(Fixture *f, const char *text, uint64_t seed, bool singular, int *answers)
{
  System s;
  Forms forms;
  Numbers *x = pf_arena_array(f->arena, Numbers, 1);
  read_system(f, text, &s);
  set_random_state(&s, &seed);
  make_consistent(&s);
  find_numbers(&s, x);
  forms_open(&s, &forms);
  bool asked = x->condition < 1e8;
  if (asked) compare_all(&forms, x, singular, answers);
  close_all(&forms);
  return asked;
}

static void compare_random_systems(void **state, const Kind *kind, int seeds)
{
  int answers[MOST_FORMULATIONS] = {0}, asked = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    Fixture *f = NULL;
    assert_int_equal(setup((void **)&f), 0); /* fresh memory for every system */
    const char *text = write_model(f, kind, (uint64_t)seed*7919);
    asked += compare_system(f, text, (uint64_t)seed*977, kind->singular, answers);
    teardown((void **)&f);
  }
  (void)state;
  assert_true(asked*20 >= 19*seeds);
  for (int k = 0; pf_formulation(k); k++) { /* all took part */
    const char *form = pf_formulation_name(pf_formulation(k));
    if (!strcmp(form, "recursive")) continue; /* these have no bodies */
    if (!strcmp(form, "elimination")) { /* for short formulas with regular mass and independent rows */
      assert_true(answers[k] > 0 || kind->singular || kind->redundant);
      continue;
    }
    if (strcmp(form, "rosenberg") != 0 && (strcmp(form, "udwadia_kalaba") != 0 || !kind->singular))
      assert_int_equal(answers[k], asked);
  }
}

static void regular_systems_agree(void **state)
{
  static const Kind kind = {.least = 1, .most = 12};
  compare_random_systems(state, &kind, 120);
}

static void systems_with_redundant_constraints_agree(void **state)
{
  static const Kind kind = {.least = 2, .most = 12, .redundant = true};
  compare_random_systems(state, &kind, 120);
}

static void systems_with_singular_masses_agree(void **state)
{
  static const Kind kind = {.least = 2, .most = 12, .singular = true};
  compare_random_systems(state, &kind, 120);
}

static void singular_systems_with_redundant_constraints_agree(void **state)
{
  static const Kind kind = {.least = 2, .most = 12, .singular = true, .redundant = true};
  compare_random_systems(state, &kind, 100);
}

static void curved_systems_agree(void **state)
{
  static const Kind kind = {.least = 2, .most = 5, .redundant = true, .curved = true};
  compare_random_systems(state, &kind, 60);
}

static void curved_singular_systems_agree(void **state)
{
  static const Kind kind = {.least = 2, .most = 5, .singular = true, .curved = true};
  compare_random_systems(state, &kind, 60);
}

static void units_of_the_constraints_do_not_matter(void **state)
{
  static const Kind regular = {.least = 2, .most = 10, .units = true};
  static const Kind redundant = {.least = 2, .most = 10, .redundant = true, .units = true};
  static const Kind singular = {.least = 2, .most = 10, .singular = true, .units = true};
  compare_random_systems(state, &regular, 60);
  compare_random_systems(state, &redundant, 60);
  compare_random_systems(state, &singular, 60);
}

/* ---------------------------------------------------------------- constraints that are not linear */

/* With speeds, so that the laconic equations take part too; the numbers are drawn. */
static const char *const nonlinear[] = {
  /* Appell and Hamel */
    "coord x, y, z\nspeed w, h\n"
  "kinetic %d/4*x'^2 + %d/4*y'^2 + %d/4*(z' + x'/3)^2\npotential %d*z + x*y\nforce x = -x' + y\n"
  "constraint c: x'^2 + y'^2 = %d*z'^2\n"
  "let k = sqrt(%d)\nrate x' = k*w*cos(h), y' = k*w*sin(h), z' = w\nstart w = 0.5, h = 0.5\n",
  /* a particle of given speed, which changes in time, towed by another */
    "coord x, y, z\nspeed h, u\n"
  "kinetic %d/4*(x'^2 + y'^2) + %d/4*z'^2 + z'*x'/8*%d\npotential %d*x*z/9 + y\n"
  "constraint pace: x'^2 + y'^2 = (%d + sin(t))^2 + 0*%d\n"
  "rate x' = (V + sin(t))*cos(h), y' = (V + sin(t))*sin(h), z' = u\nstart h = 0.5\n",
  /* a product of velocities, and a linear one */
    "coord x, y, z, u\n"
  "kinetic %d/4*x'^2 + %d/4*y'^2 + %d/4*z'^2 + u'^2 + (x' + y' + z' + u')^2/8\npotential %d*x*u\n"
  "constraint area: x'*y' = %d/9\nconstraint turn: cos(x)*z' - sin(x)*u' = %d/9\n",
};

static const char *write_nonlinear(Fixture *f, int which, uint64_t seed)
{
  Writer w = {.seed = seed};
  int n[6];
  char text[800];
  for (int i = 0; i < 6; i++) n[i] = draw_int(&w, 2, 9);
  if (which == 0) n[5] = n[4]; /* the square root of the ratio */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int length = snprintf(text, sizeof text, nonlinear[which], n[0], n[1], n[2], n[3], n[4], n[5]);
#pragma GCC diagnostic pop
  if (which == 1) length += snprintf(text + length, sizeof text - (size_t)length, "let V = %d\n", n[4]);
  return pf_arena_text(f->arena, text, (size_t)length);
}

static void systems_with_nonlinear_constraints_agree(void **state)
{
  enum { SEEDS = 40 };
  (void)state;
  for (int which = 0; which < 3; which++) {
    int answers[MOST_FORMULATIONS] = {0}, asked = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      Fixture *f = NULL;
      assert_int_equal(setup((void **)&f), 0);
      const char *text = write_nonlinear(f, which, (uint64_t)seed*31);
      asked += compare_system(f, text, (uint64_t)seed*131 + 7, false, answers);
      teardown((void **)&f);
    }
    assert_true(asked*20 >= 19*SEEDS);
    assert_int_equal(answers[form_index("multipliers")], asked);
    assert_int_equal(answers[form_index("laconic")], which < 2 ? asked : 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(regular_systems_agree),
    cmocka_unit_test(systems_with_redundant_constraints_agree),
    cmocka_unit_test(systems_with_singular_masses_agree),
    cmocka_unit_test(singular_systems_with_redundant_constraints_agree),
    cmocka_unit_test(curved_systems_agree),
    cmocka_unit_test(curved_singular_systems_agree),
    cmocka_unit_test(units_of_the_constraints_do_not_matter),
    cmocka_unit_test(systems_with_nonlinear_constraints_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
