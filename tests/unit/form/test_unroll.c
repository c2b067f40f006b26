/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion written out, against the recursion in numbers and against the equations, on trees by hand and on random
 * ones; many states at once give the bits of one. */
#include "form/derived.h"

typedef struct Written {
  System s;
  Forms forms;
  PfSolver *recursive;
  PfTape *tape, *fixed; /* parameters as symbols, and as numbers */
} Written;

static void open_written(Fixture *f, const char *text, Written *w)
{
  *w = (Written){.tape = NULL};
  read_system(f, text, &w->s);
  forms_open(&w->s, &w->forms);
  assert_int_equal(pf_solver_new(f->ctx, w->forms.system, pf_formulation_find("recursive"), &w->recursive), PF_OK);
  if (pf_flow_tape(w->forms.system, NULL, &w->tape) != PF_OK ||
      pf_flow_tape(w->forms.system, w->s.values, &w->fixed) != PF_OK)
    fail_msg("%s\nis refused: %s", text, pf_context_message(f->ctx));
}

static void close_written(Written *w)
{
  pf_tape_free(w->tape);
  pf_tape_free(w->fixed);
  pf_solver_free(w->recursive);
  close_all(&w->forms);
}

/* Accelerations by a tape; its pivots are those of a regular inertia. */
static double *run(const Written *w, const PfTape *tape, int first)
{
  const int n = w->s.eq.n;
  double *out = pf_arena_array(w->s.arena, double, n + 4);
  double *work = pf_arena_array(w->s.arena, double, pf_tape_work_size(tape));
  pf_tape_run(tape, w->s.values + first, out, work);
  assert_true(out[n] > 1e-12*out[n + 1] && out[n + 2] > 1e-12*out[n + 3]);
  return out;
}

/* Rounding grows with the spread of the inertias, which is below a thousand here. */
static void assert_same_motion(const Written *w, const char *what, const double *a, const double *right)
{
  assert_vectors(what, "acceleration", a, right, w->s.eq.n, 1e-12, 1 + largest(right, w->s.eq.n));
}

static void assert_agrees(Written *w, uint64_t seed)
{
  set_random_state(&w->s, &seed);
  put_on_positions(&w->s);
  make_consistent(&w->s);
  for (int i = 0; i < w->s.model->input_count; i++) w->s.values[w->s.symbols.inputs + i] += draw_number(&seed);
  Answer recursive = answer_of(&w->forms, w->recursive), matrices = answer(&w->forms, "multipliers");
  assert_int_equal(recursive.trouble, PF_TROUBLE_NONE);
  assert_same_motion(w, "symbols", run(w, w->tape, 0), recursive.a);
  assert_same_motion(w, "numbers", run(w, w->fixed, w->s.symbols.time), recursive.a);
  assert_same_motion(w, "matrices", run(w, w->tape, 0), matrices.a);
}

/* ---------------------------------------------------------------- trees by hand */

/* Parameters in lengths, masses, angles of fixed turns and directions of axes; steps that do not move one by one times
 * a coordinate; time; springs, inputs. */
static const char arm[] =
    "param L = 0.7 [m], k = 3, tilt = 0.3, mass_of_tool = 0.5\n"
    "gravity (0, 1, -9.81)\n"
    "coord x [m], a, b, c, d [rad]\n"
    "body cart in ground at (0.2, 0, 0.1) shift 0.3 [m] + x along (1, 2, 0) { mass 2, inertia diag(1, 2, 1.5) }\n"
    "body upper in cart at (0, 0, L) turn pi/3 - 2*a about (1, 0, 2) { mass 1, com (0, 0.1, 0.2), inertia diag(0.1, "
    "0.2, 0.15) }\n"
    "body lead in upper at (0.1, L/3, 0.3) turn tilt about y { mass mass_of_tool, inertia diag(0.01, 0.01, 0.01) }\n"
    "body lower in lead at (0, 0, 0.4) turn b about x turn c about y { mass 0.6, com (0, 0, 0.3), inertia diag(0.02, "
    "0.02, 0.01) }\n"
    "body fan in lower at (0.1, 0, 0.2) turn 0.2*sin(3*t) about z turn d about x { mass 0.2, com (0, 0.1, 0), inertia "
    "diag(0.01, 0.02, 0.01) }\n"
    "spring a { stiffness k, length 0.2 }\n"
    "damper b { damping 0.7 }\n"
    "input u = sin(t), w\n"
    "force c = u, d = w*cos(b)\n";

static const char floating[] =
    "param m = 3, d = 0.5\n"
    "gravity (0, 0.3, -2)\n"
    "coord s [m], turn_of_tip [rad]\n"
    "body bus in ground at (1, 0, 0) turn 0.4 about x free { mass m, com (0.1, 0, 0), inertia diag(1, 2, 2.5) }\n"
    "body hub in bus at (0, 0, d) turn 0.3 about y ball { mass 1, com (0, 0.2, 0), inertia diag(0.3, 0.2, 0.3) }\n"
    "body mast in hub shift s along z { mass 0.5, inertia diag(0.1, 0.1, 0.1) }\n"
    "body tip in mast turn turn_of_tip about (1, 1, 0) { mass 0.2, com (0, 0, 0.3), inertia diag(0.1, 0.2, 0.1) }\n"
    "body boat in mast at (0, 0.2, 0) free { mass 0.7, com (0, 0, 0.1), inertia diag(0.2, 0.1, 0.2) }\n"
    "body wing in bus at (0.2, 0, 0) ball { mass 0.4, com (0.3, 0, 0.1), inertia diag(0.1, 0.1, 0.2) }\n"
    "torque 0.3*hub.x - 0.2*hub.z on hub from bus\n"
    "force 2*bus.x + hub.z at tip from bus\n"
    "spring wing.turn { stiffness 2, damping 0.1 }\n";

static void trees_by_hand_accelerate_as_the_equations_say(void **state)
{
  const char *const texts[] = {arm, floating};
  for (int i = 0; i < 2; i++) {
    Written w;
    open_written(*state, texts[i], &w);
    for (uint64_t seed = 1; seed < 6; seed++) assert_agrees(&w, seed);
    close_written(&w);
  }
}

static void other_values_of_parameters_need_no_other_tape(void **state)
{
  Written w;
  open_written(*state, arm, &w);
  set_parameter(&w.s, "L", 1.3);
  set_parameter(&w.s, "tilt", -0.8);
  set_parameter(&w.s, "mass_of_tool", 2.5);
  uint64_t seed = 3;
  set_random_state(&w.s, &seed);
  Answer recursive = answer_of(&w.forms, w.recursive);
  assert_same_motion(&w, "symbols", run(&w, w.tape, 0), recursive.a);
  close_written(&w);
}

/* ---------------------------------------------------------------- random trees */

static int dice(uint64_t *seed, int count)
{
  const int x = (int)((draw_number(seed) + 1)/2*count);
  return x < count ? x : count - 1;
}

/* Half of what robots have is in line with axes. */
static void put_axis(PfText *text, uint64_t *seed)
{
  static const char *const axes[] = {"x", "y", "z", "(0, -1, 0)"};
  const int kind = dice(seed, 6);
  if (kind < 4) pf_text_add(text, axes[kind]);
  else pf_text_print(text, "(%d, %d, 2)", dice(seed, 5) - 2, dice(seed, 5) - 2);
}

static void put_placement(PfText *text, uint64_t *seed, int k, int parent)
{
  const int kind = dice(seed, 10);
  pf_text_print(text, "body %c%d in b%d", kind == 0 ? 'd' : 'b', k, parent);
  if (dice(seed, 4))
    pf_text_print(text, " at (%d/10, %d/8, L + %d/9)", dice(seed, 5) - 2, dice(seed, 3), dice(seed, 4));
  if (!dice(seed, 3)) {
    pf_text_print(text, " turn %d/7 about ", dice(seed, 9) - 4);
    put_axis(text, seed);
  }
  if (kind == 0) pf_text_print(text, " ball { mass 0.7, com (0.1, 0, 0), inertia 0.2 }\nbody b%d in d%d", k, k);
  pf_text_print(text, kind == 1 || kind == 2 ? " shift q[%d] along " : " turn q[%d] about ", k);
  put_axis(text, seed);
}

static const char *write_tree(Fixture *f, uint64_t seed)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  const int count = 2 + dice(&seed, 7);
  pf_text_print(&text, "param L = 0.4, m = 1.5\ngravity (1, 0, -9.81)\ncoord q[%d]\ninput u\n", count);
  pf_text_add(&text, dice(&seed, 2) ? "frame b0 in ground at (0, 0, 1)\n"
                                    : "body b0 in ground free { mass 2, com (0.1, 0, 0), inertia diag(0.4, 0.5, "
                                      "0.6) }\n");
  for (int k = 1; k <= count; k++) {
    put_placement(&text, &seed, k, dice(&seed, 3) ? k - 1 : dice(&seed, k));
    pf_text_print(&text, " { mass m + %d/5, com (%d/9, 0, %d/7), inertia diag(%d/20, %d/20, 0.1) }\n", dice(&seed, 5),
                  dice(&seed, 3), dice(&seed, 4) - 1, 2 + dice(&seed, 2), 2 + dice(&seed, 2));
    if (dice(&seed, 2)) pf_text_print(&text, "spring q[%d] { stiffness %d, damping 0.2 }\n", k, dice(&seed, 5));
    if (dice(&seed, 2)) pf_text_print(&text, "force q[%d] = u - q[%d]\n", k, 1 + dice(&seed, count));
  }
  const char *copy = pf_arena_text(f->arena, pf_text_get(&text), text.count);
  assert_false(text.failed);
  pf_text_free(&text);
  return copy;
}

static void random_trees_accelerate_as_the_equations_say(void **state)
{
  for (uint64_t seed = 1; seed <= 25; seed++) {
    Written w;
    open_written(*state, write_tree(*state, seed), &w);
    assert_agrees(&w, seed);
    close_written(&w);
  }
}

/* ---------------------------------------------------------------- many states */

static void many_states_give_the_bits_of_one(void **state)
{
  enum { STATES = 21 };
  Written w;
  open_written(*state, floating, &w);
  uint64_t seed = 5;
  const int n = w.s.eq.n + 4, inputs = w.s.symbols.lambda;
  double *in = pf_arena_array(w.s.arena, double, STATES*inputs), *out = pf_arena_array(w.s.arena, double, STATES*n);
  double *work = pf_arena_array(w.s.arena, double, pf_tape_many_work_size(w.tape));
  for (int i = 0; i < STATES; i++) {
    set_random_state(&w.s, &seed);
    memcpy(in + (size_t)(i*inputs), w.s.values, (size_t)inputs*sizeof *in);
  }
  assert_true(pf_tape_run_many(w.tape, STATES, in, out, work));
  for (int i = 0; i < STATES; i++) {
    memcpy(w.s.values, in + (size_t)(i*inputs), (size_t)inputs*sizeof *in);
    assert_memory_equal(out + (size_t)(i*n), run(&w, w.tape, 0), (size_t)n*sizeof *out);
  }
  close_written(&w);
}

/* ---------------------------------------------------------------- what it is not for */

static void what_is_no_tree_is_refused_with_the_reason(void **state)
{
  static const char *const cases[][2] = {
      {"coord x, y\nbody b in ground at (x, y, 0) { mass 1 }\nconstraint rod: x^2 + y^2 = 1\n", "'rod'"},
      {"coord x\nkinetic x'^2\n", "no bodies"},
      {"coord x, y\nbody a in ground shift x along x\nbody c in a shift y along x { mass 1 }\n",
       "without moving any mass"},
      {"coord x, y\nbody a in ground shift x along x { mass 1 }\nbody c in ground shift y along x shift x*y along z "
       "{ mass 1 }\n", "several coordinates"}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    System s;
    PfSystem *system;
    PfTape *tape;
    read_system(*state, cases[i][0], &s);
    assert_int_equal(pf_system_new(s.ctx, &s.eq, &system), PF_OK);
    assert_int_equal(pf_flow_tape(system, s.values, &tape), PF_ERR_MODEL);
    assert_null(tape);
    if (!strstr(pf_context_message(s.ctx), cases[i][1])) fail_msg("%s: %s", cases[i][1], pf_context_message(s.ctx));
    pf_diagnostics_clear(s.ctx);
    pf_system_free(system);
    pf_model_free(s.model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(trees_by_hand_accelerate_as_the_equations_say),
    with_fixture(other_values_of_parameters_need_no_other_tape),
    with_fixture(random_trees_accelerate_as_the_equations_say),
    with_fixture(many_states_give_the_bits_of_one),
    with_fixture(what_is_no_tree_is_refused_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
