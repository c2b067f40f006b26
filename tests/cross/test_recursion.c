/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: the recursion's M and F against Lagrange's equations of the total kinetic and potential energy, which share
 * no code with it; and the rate of the energy against the power of the forces. */
#include "mech/system.h"


/* ---------------------------------------------------------------- Lagrange's equations of the same model */

/* A copy of the model that has the energies of the bodies in place of the bodies. */
static PfModel energies_only(const System *s)
{
  PfModel copy = *s->model;
  copy.kinetic = s->eq.kinetic;
  copy.potential = s->eq.potential;
  copy.body_count = copy.ball_count = 0;
  return copy;
}

/* Where fractions have grown too long for 64 bits there are doubles: then only numbers can be compared. */
static bool is_exact(const System *s, PfExpr e)
{
  PfExpr *nodes;
  int count;
  assert_int_equal(pf_expr_reach(s->ctx, s->arena, &e, 1, &nodes, &count), PF_OK);
  for (int i = 0; i < count; i++)
    if (pf_expr_op(s->ctx, nodes[i]) == PF_OP_DOUBLE) return false;
  return true;
}

static void assert_probably(const System *s, const char *name, const char *what, PfExpr a, PfExpr b)
{
  PfExpr difference = pf_expr_sub(s->ctx, a, b);
  if (is_exact(s, difference) && pf_expr_is_probably_zero(s->ctx, difference, 2) != PF_TRUE)
    fail_msg("%s: %s differs from Lagrange's", name, what);
}

static void assert_same_algebra(const System *s, const char *name, const PfEquations *other)
{
  int n = s->eq.n;
  for (int i = 0; i < n*n; i++) assert_probably(s, name, "M", s->eq.M[i], other->M[i]);
  for (int i = 0; i < n; i++) assert_probably(s, name, "F", s->eq.F[i], other->F[i]);
}

static void assert_near_lists(const char *name, const double *a, const double *b, int count)
{
  double size = 0;
  for (int i = 0; i < count; i++) size = fmax(size, fabs(b[i]));
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-11*fmax(1, size))) fail_msg("%s: %.17g and not %.17g", name, a[i], b[i]);
}

static void assert_same_numbers(System *s, const char *name, const PfEquations *other, uint64_t seed)
{
  enum { MOST = 64 };
  static double own[MOST*MOST], theirs[MOST*MOST];
  int n = s->eq.n;
  assert_true(n <= MOST);
  for (int round = 0; round < 3; round++) {
    set_random_state(s, &seed);
    evaluate(s, s->eq.M, n*n, own);
    evaluate(s, other->M, n*n, theirs);
    assert_near_lists(name, own, theirs, n*n);
    evaluate(s, s->eq.F, n, own);
    evaluate(s, other->F, n, theirs);
    assert_near_lists(name, own, theirs, n);
  }
}

static void compare_with_lagrange(Fixture *f, System *s, const char *name, uint64_t seed)
{
  PfModel copy = energies_only(s);
  PfEquations other;
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, &copy, &other), PF_OK);
  assert_same_numbers(s, name, &other, seed);
  if (s->eq.n <= 6) assert_same_algebra(s, name, &other); /* larger ones only by numbers */
}

/* ---------------------------------------------------------------- energy and power */

/* d(T + V)/dt = v.(F + dV/dq) on v' = M^-1 F for a model without time: with E(q, v) and central differences along the
 * motion. `power` is the power of forces other than the potential ones. */
static double energy_rate(System *s, const double *a, double h)
{
  enum { MOST = 64 };
  double q[MOST], v[MOST], e[2];
  int n = s->eq.n;
  assert_true(n <= MOST);
  memcpy(q, q_of(s), (size_t)n*sizeof *q);
  memcpy(v, v_of(s), (size_t)n*sizeof *v);
  for (int k = 0; k < 2; k++) {
    double step = k ? -h : h;
    for (int i = 0; i < n; i++) {
      q_of(s)[i] = q[i] + step*v[i] + step*step/2*a[i];
      v_of(s)[i] = v[i] + step*a[i];
    }
    e[k] = value_of(s, pf_expr_add(s->ctx, s->eq.kinetic, s->eq.potential));
  }
  memcpy(q_of(s), q, (size_t)n*sizeof *q);
  memcpy(v_of(s), v, (size_t)n*sizeof *v);
  return (e[0] - e[1])/(2*h);
}

static double power_of_given_forces(System *s)
{
  double power = 0;
  for (int i = 0; i < s->eq.n; i++) power += value_of(s, s->model->force[i])*v_of(s)[i];
  for (int i = 0; i < s->model->load_count; i++) {
    const PfLoad *load = s->model->loads + i;
    power += value_of(s, pf_vector_dot(s->model, load->force, load->velocity));
  }
  return power;
}

/* Second-order differences with h = 1e-4 leave 1e-8 of the third derivative. */
static void assert_energy_balance(System *s, const char *name, uint64_t seed)
{
  double a[64], none[1];
  for (int round = 0; round < 3; round++) {
    set_random_state(s, &seed);
    solve(s, a, none);
    double scale = 1;
    for (int i = 0; i < s->eq.n; i++) scale = fmax(scale, fabs(a[i]));
    double rate = energy_rate(s, a, 1e-5), power = power_of_given_forces(s);
    if (!(fabs(rate - power) <= 1e-6*scale*scale*fmax(1, fabs(power))))
      fail_msg("%s: the energy grows by %.12g, the forces give %.12g", name, rate, power);
  }
}

/* ---------------------------------------------------------------- the examples */

static void examples_with_bodies_agree_with_lagrange(void **state)
{
  Fixture *f = *state;
  int compared = 0;
  for (const char *const *name = representative_examples(f); *name; name++) {
    System s;
    load_system(f, *name, &s);
    if (s.model->body_count) {
      compare_with_lagrange(f, &s, *name, 7);
      compared++;
    }
    pf_model_free(s.model);
  }
  assert_true(compared >= 9);
}

/* ---------------------------------------------------------------- random trees */

typedef struct Tree {
  PfText text;
  uint64_t seed;
  int coordinates, bodies;
  bool timed; /* contains t */
} Tree;

/* Few digits, so that everything stays rational and the zero test in the prime field is exact. */
static double number(Tree *tree)
{
  return (double)draw(&tree->seed, 9)/4 - 1;
}

/* A parameter of the placement: a coordinate, a function of coordinates, or of time. */
static const char *random_motion(Tree *tree)
{
  static char words[4][160];
  char *text = words[draw(&tree->seed, 4)];
  uint32_t n = (uint32_t)tree->coordinates;
  int i = 1 + (int)draw(&tree->seed, n), j = 1 + (int)draw(&tree->seed, n);
  double a = number(tree), b = number(tree);
  switch (draw(&tree->seed, 10)) {
  case 0: snprintf(text, 160, "(one*%.2f*q[%d] + %.2f*q[%d])", a, i, b, j); break;
  case 1: snprintf(text, 160, "(one*%.2f*q[%d]^2 + q[%d])", a, i, j); break;
  case 2: snprintf(text, 160, "(one*%.2f*sin(q[%d]) + q[%d]*q[%d])", a, i, i, j); break;
  case 3:
    tree->timed = true;
    snprintf(text, 160, "(one*%.2f*sin(w*t) + q[%d])", a, i);
    break;
  case 4:
    tree->timed = true;
    snprintf(text, 160, "(one*%.2f*w*t)", a);
    break;
  case 5: snprintf(text, 160, "one*%.2f", a); break;
  case 6: snprintf(text, 160, "-q[%d]", i); break;
  default: snprintf(text, 160, "q[%d]", i); break;
  }
  return text;
}

static void print_axis(Tree *tree)
{
  static const char *const axes[] = {"x", "y", "z", "x", "y", "z", "(0, -1, 0)", "(1, 2, 2)", "(2, -3, 6)", "(1, 1, 0)",
                                     "(-1, 2, 3)"};
  pf_text_print(&tree->text, " %s", axes[draw(&tree->seed, sizeof axes/sizeof *axes)]);
}

static void print_step(Tree *tree)
{
  switch (draw(&tree->seed, 4)) {
  case 0: pf_text_print(&tree->text, " at (%.2f, %.2f, %.2f)", number(tree), number(tree), number(tree)); break;
  case 1:
    pf_text_print(&tree->text, " shift %s along", random_motion(tree));
    print_axis(tree);
    break;
  case 2: pf_text_print(&tree->text, " at (%s, %.2f, 0.2)", random_motion(tree), number(tree)); break;
  default:
    pf_text_print(&tree->text, " turn %s about", random_motion(tree));
    print_axis(tree);
    break;
  }
}

/* A full inertia that is positive: a multiple of 1 and something smaller; sometimes a round body, or a point. */
static void print_mass(Tree *tree)
{
  switch (draw(&tree->seed, 5)) {
  case 0: pf_text_print(&tree->text, " { mass 1.5 }\n"); return;
  case 1: pf_text_print(&tree->text, " { mass m, inertia diag(2, 1.5, 2), com (0, %.2f, 0) }\n", number(tree)); return;
  case 2: pf_text_print(&tree->text, " { inertia 0.7 }\n"); return;
  default:
    pf_text_print(&tree->text, " { mass m, com (%.2f, %.2f, %.2f), inertia inertia(2, 3, 2.5, %.4f, %.4f, %.4f) }\n",
                  number(tree), number(tree), number(tree), number(tree)/4, number(tree)/4, number(tree)/4);
    return;
  }
}

static void print_body(Tree *tree, int index)
{
  bool frame = draw(&tree->seed, 6) == 0;
  pf_text_print(&tree->text, frame ? "frame b%d in " : "body b%d in ", index);
  if (index == 1 || draw(&tree->seed, 5) == 0) pf_text_add(&tree->text, "ground");
  else pf_text_print(&tree->text, "b%d", 1 + (int)draw(&tree->seed, (uint32_t)index - 1));
  for (uint32_t k = 0, steps = 1 + draw(&tree->seed, 3); k < steps; k++) print_step(tree);
  if (frame) pf_text_add(&tree->text, "\n");
  else print_mass(tree);
  tree->bodies += !frame;
}

/* A model of 2 to 5 coordinates and 2 to 6 bodies. The kinetic energy keeps every coordinate in use. */
static void print_tree(Tree *tree)
{
  tree->coordinates = 2 + (int)draw(&tree->seed, 4);
  pf_text_print(&tree->text, "param m = 1.3, w = 0.7, one = 1\ncoord q[%d]\ngravity (0.3, -9.81, 2)\n",
                tree->coordinates);
  pf_text_print(&tree->text, "kinetic sum(i in 1..%d, q[i]'^2)\n", tree->coordinates);
  int count = 2 + (int)draw(&tree->seed, 5);
  for (int i = 1; i <= count; i++) print_body(tree, i);
  if (!tree->bodies) pf_text_add(&tree->text, "body last in ground turn q[1] about z { mass 1, com (1, 0, 0) }\n");
  if (draw(&tree->seed, 3) == 0) pf_text_print(&tree->text, "force (1, 2, 3) at b%d\n", count);
  if (draw(&tree->seed, 3) == 0) pf_text_print(&tree->text, "torque one*b%d.x on b%d from b1\n", count, count);
}

static void random_trees_agree_with_lagrange(void **state)
{
  enum { TREES = 200 };
  (void)state;
  int timed = 0;
  for (uint64_t k = 0; k < TREES; k++) {
    void *own = NULL; /* each with a context of its own, so that the table of expressions stays small */
    assert_int_equal(setup(&own), 0);
    Fixture *f = own;
    Tree tree = {.seed = 77*k + 1};
    System s;
    pf_text_init(&tree.text, pf_context_allocator(f->ctx));
    print_tree(&tree);
    read_system(f, pf_text_get(&tree.text), &s);
    compare_with_lagrange(f, &s, pf_text_get(&tree.text), k);
    if (!tree.timed) assert_energy_balance(&s, pf_text_get(&tree.text), k);
    timed += tree.timed;
    pf_model_free(s.model);
    pf_text_free(&tree.text);
    teardown(&own);
  }
  assert_true(timed > TREES/10 && timed < TREES*9/10);
}

/* ---------------------------------------------------------------- chains */

/* A spatial chain of n general hinges: bodies, axes and inertias without any symmetry. */
static void print_chain(PfText *text, int n)
{
  pf_text_print(text, "coord q[%d]\ngravity (0, 0, -9.81)\nbody b0 in ground { mass 1 }\n", n);
  for (int i = 1; i <= n; i++)
    pf_text_print(text, "body b%d in b%d at (0.1, 0.2, %d/10) turn q[%d] about (1, %d, 2) "
                  "{ mass 1, com (0.1, 0, %d/20), inertia inertia(1, 2, 1.5, 0.1, 0.2, 0.3) }\n", i, i - 1, i, i, i, i);
}

static void a_spatial_chain_agrees_with_lagrange(void **state)
{
  Fixture *f = *state;
  PfText text;
  System s;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  print_chain(&text, 7);
  read_system(f, pf_text_get(&text), &s);
  compare_with_lagrange(f, &s, "chain", 3);
  assert_energy_balance(&s, "chain", 5);
  pf_model_free(s.model);
  pf_text_free(&text);
}

/* The double pendulum of two rods, as in every textbook (relative second angle). */
static void the_double_pendulum_is_the_textbook_one(void **state)
{
  System s;
  load_system(*state, "double_pendulum_bodies", &s);
  assert_formula(&s, mass_entry(&s, "a", "a"), "m1*L1^2/3 + m2*(L1^2 + L2^2/3 + L1*L2*cos(b))");
  assert_formula(&s, mass_entry(&s, "a", "b"), "m2*(L2^2/3 + L1*L2*cos(b)/2)");
  assert_formula(&s, mass_entry(&s, "b", "b"), "m2*L2^2/3");
  assert_formula(&s, force_on(&s, "a"), "m2*L1*L2*sin(b)*(2*a'*b' + b'^2)/2 - (m1/2 + m2)*g*L1*sin(a)"
                                        " - m2*g*L2*sin(a + b)/2");
  assert_formula(&s, force_on(&s, "b"), "-m2*L1*L2*sin(b)*a'^2/2 - m2*g*L2*sin(a + b)/2");
  pf_model_free(s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(examples_with_bodies_agree_with_lagrange),
    with_fixture(random_trees_agree_with_lagrange),
    with_fixture(a_spatial_chain_agrees_with_lagrange),
    with_fixture(the_double_pendulum_is_the_textbook_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
