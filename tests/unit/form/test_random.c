/* Random systems: all formulations agree, with regular and singular masses, with independent and redundant constraints, with
 * constraints that are linear, affine and nonlinear in the velocities. */
#include "form/formulations.h"

/* ---------------------------------------------------------------- texts of models */

typedef struct Kind {
  const char *name;
  int least, most;   /* coordinates */
  bool singular;     /* the kinetic energy has fewer squares than coordinates */
  bool redundant;    /* some constraints are combinations of others */
  bool curved;       /* coefficients depend on the coordinates */
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

/* A linear form of the velocities with the main coefficient at `lead`, so that forms with different leads tend to be
 * independent. */
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
    if (draw_int(w, 0, 1)) pf_text_print(&w->text, " - q[%d]' + sin(q[%d])", draw_int(w, 1, w->n), draw_int(w, 1, w->n));
    pf_text_add(&w->text, "\n");
  }
  pf_text_print(&w->text, "potential q[%d]^2 + q[%d]*q[%d]/3\n", draw_int(w, 1, w->n), draw_int(w, 1, w->n),
                draw_int(w, 1, w->n));
  if (draw_int(w, 0, 1)) pf_text_print(&w->text, "nonideal q[%d] = %d/2\n", draw_int(w, 1, w->n), draw_int(w, -5, 5));
}

/* Independent rows lead at different coordinates, first at those without a square of their own. Redundant ones are sums
 * of two of them. */
static void write_constraints(Writer *w)
{
  for (int i = 1; i <= w->rank; i++) {
    pf_text_print(&w->text, "let row%d = ", i);
    write_form(w, w->n + 1 - i);
    pf_text_print(&w->text, " - (%d)/3*t - sin(q[%d] + t)/4\n", draw_int(w, -9, 9), draw_int(w, 1, w->n));
    pf_text_print(&w->text, "constraint %s[%d]: row%d = 0\n", i%2 ? "odd" : "even", i, i);
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

/* The numbers of a state, evaluated without the tapes, and an independent solution (system.h). */
typedef struct Numbers {
  double M[MOST*MOST], A[MOST*MOST], F[MOST], C[MOST], b[MOST];
  double a[MOST], lambda[MOST];
  double condition; /* of the augmented system, zero singular values left out */
} Numbers;

/* Velocities that satisfy the constraints: the drawn ones, corrected by least squares until nothing is missed (one step
 * when the constraints are linear in them). */
static void make_consistent(System *s)
{
  int n = s->eq.n, m = s->eq.m;
  double A[MOST*MOST], inverse[MOST*MOST], miss[MOST];
  for (int round = 0; round < 12 && m; round++) {
    evaluate(s, s->eq.A, m*n, A);
    evaluate(s, s->eq.velocity, m, miss);
    if (round && largest(miss, m) < 1e-15) return;
    assert_int_equal(pf_pseudo_inverse(s->ctx, A, m, n, 1e-9, inverse, NULL), PF_OK);
    for (int j = 0; j < n; j++) v_of(s)[j] -= pf_dot(inverse + j*m, miss, m);
  }
}

static double condition_of(const System *s, const Numbers *x)
{
  int n = s->eq.n, m = s->eq.m, size = n + m;
  double K[4*MOST*MOST] = {0}, values[2*MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) K[i*size + j] = x->M[i*n + j];
  for (int k = 0; k < m; k++)
    for (int j = 0; j < n; j++) K[j*size + n + k] = K[(n + k)*size + j] = x->A[k*n + j];
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
}

/* No virtual work: what the constraints add, M q'' - F - C, is orthogonal to all admissible directions. */
static void assert_no_work(const char *form, const System *s, const Numbers *x, const Answer *y, double tolerance)
{
  int n = s->eq.n, m = s->eq.m;
  double N[MOST*MOST], ideal[MOST];
  PfQr qr;
  assert_int_equal(pf_qr_make(s->ctx, s->arena, m, n, &qr), PF_OK);
  assert_int_equal(pf_qr_factor(&qr, x->A, 1e-9), PF_OK);
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
  double tolerance = 1e-9*fmax(1, x->condition/1e5), a_size = 1 + largest(x->a, n), l_size = 1 + largest(x->lambda, m);
  double scale = largest(x->A, m*n)*a_size, left[MOST], force[MOST];
  assert_vectors(form, "acceleration", y->a, x->a, n, tolerance, a_size);
  assert_vectors(form, "multiplier", y->lambda, x->lambda, m, tolerance, l_size);
  for (int i = 0; i < m; i++) left[i] = pf_dot(x->A + i*n, y->a, n);
  assert_vectors(form, "constraint", left, x->b, m, 0.01*tolerance, 1 + scale);
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
    const char *form = pf_formulation(k)->name;
    if (!forms->solver[k]) continue;
    Answer y = answer_of(forms, forms->solver[k]);
    if (!owes_answer(forms, form, &y, singular)) continue;
    if (y.trouble != PF_TROUBLE_NONE) fail_msg("%s: %s", form, words(forms, &y));
    assert_answer(form, forms->s, x, &y);
    answers[k]++;
  }
}

/* ---------------------------------------------------------------- linear and affine constraints */

static void compare_random_systems(void **state, const Kind *kind, int seeds)
{
  int answers[MOST_FORMULATIONS] = {0}, hopeless = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    Fixture *f = NULL;
    assert_int_equal(setup((void **)&f), 0); /* fresh memory for every system */
    System s;
    Forms forms;
    Numbers *x = pf_arena_array(f->arena, Numbers, 1);
    uint64_t draws = (uint64_t)seed*977;
    const char *text = write_model(f, kind, (uint64_t)seed*7919);
    read_system(f, text, &s);
    set_random_state(&s, &draws);
    make_consistent(&s);
    find_numbers(&s, x);
    forms_open(&s, &forms);
    if (x->condition < 1e8) compare_all(&forms, x, kind->singular, answers);
    else hopeless++;
    close_all(&forms);
    teardown((void **)&f);
  }
  (void)state;
  assert_true(hopeless*20 <= seeds);
  for (int k = 0; pf_formulation(k); k++) print_message("  %s: %d answers\n", pf_formulation(k)->name, answers[k]);
}

static void regular_systems_agree(void **state)
{
  static const Kind kind = {"regular", 1, 12, false, false, false};
  compare_random_systems(state, &kind, 120);
}

static void systems_with_redundant_constraints_agree(void **state)
{
  static const Kind kind = {"redundant", 2, 12, false, true, false};
  compare_random_systems(state, &kind, 120);
}

static void systems_with_singular_masses_agree(void **state)
{
  static const Kind kind = {"singular", 2, 12, true, false, false};
  compare_random_systems(state, &kind, 120);
}

static void singular_systems_with_redundant_constraints_agree(void **state)
{
  static const Kind kind = {"singular and redundant", 2, 12, true, true, false};
  compare_random_systems(state, &kind, 100);
}

static void curved_systems_agree(void **state)
{
  static const Kind kind = {"curved", 2, 5, false, true, true};
  compare_random_systems(state, &kind, 60);
}

static void curved_singular_systems_agree(void **state)
{
  static const Kind kind = {"curved and singular", 2, 5, true, false, true};
  compare_random_systems(state, &kind, 60);
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
