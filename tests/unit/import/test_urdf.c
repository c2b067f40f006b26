/* SPDX-License-Identifier: Apache-2.0 */
/* Robots in URDF: the tree against the model that is written of the same file, joints that follow others, and names. */
#include "form/tree_states.h"

#include "pfaff/import.h"
#include "pfaff/lang.h"

#include <stdio.h>

enum { ROOM = 1 << 14, LARGEST_ROBOT = 9 };

/* A build without expat has nothing to show here. */
static void need_xml(Fixture *f)
{
  const char *robot = "<robot name='r'><link name='a'/></robot>", *text;
  if (pf_import_urdf(f->ctx, f->arena, "r", robot, strlen(robot), NULL, &text) == PF_ERR_MISSING) skip();
}

/* ---------------------------------------------------------------- random robots */

static void put_triple(char *text, const char *name, Dice *dice)
{
  size_t used = strlen(text);
  double x[3];
  dice_fill(dice, x, 3);
  snprintf(text + used, ROOM - used, " %s='%.17g %.17g %.17g'", name, x[0], x[1], x[2]);
}

static void put(char *text, const char *words)
{
  size_t used = strlen(text);
  snprintf(text + used, ROOM - used, "%s", words);
}

static void put_link(char *text, int k, Dice *dice)
{
  PfTreeBody body = {0};
  char words[400];
  random_mass(dice, &body);
  const double *I = body.inertia;
  snprintf(words, sizeof words, "<link name='l%d'><inertial><mass value='%.17g'/><inertia ixx='%.17g' iyy='%.17g' "
           "izz='%.17g' ixy='%.17g' iyz='%.17g' ixz='%.17g'/><origin", k, body.mass, I[0], I[4], I[8], I[1], I[5],
           I[2]);
  put(text, words);
  put_triple(text, "xyz", dice);
  put_triple(text, "rpy", dice);
  put(text, "/></inertial></link>\n");
}

static void put_joint(char *text, int k, Dice *dice)
{
  static const char *const kinds[] = {"revolute", "continuous", "prismatic", "fixed", "planar", "floating"};
  char words[200];
  snprintf(words, sizeof words,
           "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/><dynamics damping='%.17g'/><axis", k,
           kinds[dice_pick(dice, k == 3 ? 6 : 5)], dice_pick(dice, k), k, 1 + dice_roll(dice));
  put(text, words);
  put_triple(text, "xyz", dice);
  put(text, "/><origin");
  put_triple(text, "xyz", dice);
  put_triple(text, "rpy", dice);
  put(text, "/></joint>\n");
}

static void random_robot(uint64_t seed, char *text)
{
  Dice dice = {seed};
  int count = 2 + dice_pick(&dice, LARGEST_ROBOT - 1);
  text[0] = 0;
  put(text, "<robot name='random'>\n");
  for (int k = 0; k < count; k++) put_link(text, k, &dice);
  for (int k = 1; k < count; k++) put_joint(text, k, &dice);
  put(text, "</robot>\n");
}

/* ---------------------------------------------------------------- both ways */

typedef struct Both {
  Fixture *f;
  PfTree *tree;
  PfTreeWork *work;
  PfModel *model;
  PfEquations eq;
  PfSystem *system;
  PfSolver *solver;
} Both;

static void open_both(Fixture *f, const char *robot, PfBase base, Both *b)
{
  const PfUrdf options = {.base = base};
  const char *text;
  *b = (Both){.f = f};
  if (pf_tree_from_urdf_text(f->ctx, NULL, "r.urdf", robot, strlen(robot), &options, &b->tree, NULL) != PF_OK)
    fail_msg("%s", pf_context_message(f->ctx));
  assert_int_equal(pf_tree_work_new(f->ctx, b->tree, &b->work), PF_OK);
  assert_int_equal(pf_import_urdf(f->ctx, f->arena, "r.urdf", robot, strlen(robot), &options, &text), PF_OK);
  if (pf_model_read(f->ctx, "r.pf", text, strlen(text), &b->model) != PF_OK)
    fail_msg("%s\n%s", pf_context_message(f->ctx), text);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, b->model, &b->eq), PF_OK);
  assert_int_equal(pf_system_new(f->ctx, &b->eq, &b->system), PF_OK);
  assert_int_equal(pf_solver_new(f->ctx, b->system, pf_formulation_find("multipliers"), &b->solver), PF_OK);
}

static void close_both(Both *b)
{
  pf_solver_free(b->solver);
  pf_system_free(b->system);
  pf_model_free(b->model);
  pf_tree_work_free(b->work);
  pf_tree_free(b->tree);
}

static void the_tree_accelerates_as_the_model_does(void **state)
{
  static char robot[ROOM];
  need_xml(*state);
  for (uint64_t seed = 0; seed < 36; seed++) {
    Both b;
    random_robot(seed, robot);
    open_both(*state, robot, (PfBase)(seed%3), &b);
    if (b.eq.n) assert_same_accelerations(b.tree, b.work, b.system, b.solver, seed);
    close_both(&b);
  }
}

/* ---------------------------------------------------------------- joints that follow others */

static const char gripper[] =
    "<robot name='g'><link name='palm'/>"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<link name='tip'/>"
    "<joint name='one' type='prismatic'><parent link='palm'/><child link='a'/><axis xyz='0 0 1'/></joint>"
    "<joint name='two' type='prismatic'><parent link='palm'/><child link='b'/><axis xyz='0 0 1'/>"
    "<mimic joint='one' multiplier='-1' offset='0.1'/></joint>"
    "<joint name='tool' type='fixed'><parent link='b'/><child link='tip'/><origin xyz='0 0.5 0'/></joint></robot>";

static void a_joint_that_follows_is_refused_without_couplings(void **state)
{
  Fixture *f = *state;
  PfTree *tree;
  need_xml(f);
  assert_int_equal(pf_tree_from_urdf_text(f->ctx, NULL, "g", gripper, strlen(gripper), NULL, &tree, NULL),
                   PF_ERR_MODEL);
  assert_null(tree);
  assert_contains(pf_context_message(f->ctx), "the joint 'two' follows 'one'");
}

/* Two masses on a string over a pulley: (m1 + m2) a = (m1 - m2) g in the direction of the first (Atwood). */
static void couplings_make_joints_follow(void **state)
{
  Fixture *f = *state;
  PfTree *tree;
  PfTreeWork *work;
  PfTreeRows *rows;
  PfTreeCouplings couplings;
  need_xml(f);
  assert_int_equal(pf_tree_from_urdf_text(f->ctx, f->arena, "g", gripper, strlen(gripper), NULL, &tree, &couplings),
                   PF_OK);
  assert_int_equal(couplings.count, 1);
  assert_near(couplings.offset[0], 0.1, 0, 0);
  assert_int_equal(pf_tree_work_new(f->ctx, tree, &work), PF_OK);
  assert_int_equal(pf_tree_rows_new(f->ctx, tree, 1, &rows), PF_OK);
  double q[2] = {0, 0.1}, v[2] = {0, 0}, vdot[2];
  const PfTreeInput input = {.q = q, .v = v};
  const PfTreeOutput output = {.vdot = vdot};
  assert_int_equal(pf_tree_constrained(work, rows, &input, couplings.row, couplings.count, &output), PF_OK);
  assert_near(vdot[pf_tree_v_at(tree, pf_tree_find_joint(tree, "one"))], 9.81/3, 1e-14, 0);
  assert_near(vdot[pf_tree_v_at(tree, pf_tree_find_joint(tree, "two"))], -9.81/3, 1e-14, 0);
  pf_tree_rows_free(rows);
  pf_tree_work_free(work);
  pf_tree_free(tree);
}

static void a_loop_is_refused(void **state)
{
  static const char robot[] =
      "<robot name='l'><link name='a'/><link name='b'><inertial><mass value='1'/></inertial></link>"
      "<joint name='j' type='prismatic'><parent link='a'/><child link='b'/></joint>"
      "<constraint name='c' type='ball'><parent link='a'/><child link='b'/></constraint></robot>";
  Fixture *f = *state;
  PfTree *tree;
  need_xml(f);
  assert_int_equal(pf_tree_from_urdf_text(f->ctx, NULL, "l", robot, strlen(robot), NULL, &tree, NULL), PF_ERR_MODEL);
  assert_null(tree);
  assert_contains(pf_context_message(f->ctx), "the constraint 'c' closes a loop");
}

/* It is moved along its axis to where it is held, and follows nothing. */
static void a_weld_is_no_joint_of_the_tree(void **state)
{
  Fixture *f = *state;
  PfTree *tree;
  const PfUrdf options = {.weld = "two:1"};
  need_xml(f);
  assert_int_equal(pf_tree_from_urdf_text(f->ctx, NULL, "g", gripper, strlen(gripper), &options, &tree, NULL), PF_OK);
  PfTreeBody two = pf_tree_get(tree, pf_tree_find_joint(tree, "two"));
  assert_int_equal(two.joint, PF_JOINT_WELD);
  assert_near(two.pos[2], 1, 1e-15, 0);
  pf_tree_free(tree);
}

static void links_and_fixed_joints_are_found_by_their_names(void **state)
{
  Fixture *f = *state;
  PfTree *tree;
  PfTreeCouplings couplings;
  need_xml(f);
  assert_int_equal(pf_tree_from_urdf_text(f->ctx, f->arena, "g", gripper, strlen(gripper), NULL, &tree, &couplings),
                   PF_OK);
  int tip = pf_tree_find_body(tree, "tip");
  assert_int_equal(pf_tree_find_joint(tree, "tool"), tip);
  assert_int_equal(pf_tree_get(tree, tip).parent, pf_tree_find_body(tree, "b"));
  assert_int_equal(pf_tree_get(tree, tip).joint, PF_JOINT_WELD);
  assert_int_equal(pf_tree_find_body(tree, "palm"), 0);
  pf_tree_free(tree);
}

static void a_file_that_is_not_there_is_said(void **state)
{
  Fixture *f = *state;
  PfTree *tree;
  assert_int_equal(pf_tree_from_urdf(f->ctx, "no such.urdf", NULL, &tree), PF_ERR_FILE);
  assert_null(tree);
}

/* ---------------------------------------------------------------- memory */

static void make_tree(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = ctx ? pf_arena_new(&counter->allocator) : NULL;
  PfTree *tree = NULL;
  PfTreeCouplings couplings;
  if (arena) {
    PfStatus status = pf_tree_from_urdf_text(ctx, arena, "g", gripper, strlen(gripper), NULL, &tree, &couplings);
    /* the line of a place may be missing */
    assert_true(status == PF_OK || (status == PF_ERR_MEMORY && counter->refused));
    assert_int_equal(tree != NULL, status == PF_OK);
  }
  pf_tree_free(tree);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void every_lack_of_memory_is_said(void **state)
{
  need_xml(*state);
  fail_every_allocation(make_tree, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(the_tree_accelerates_as_the_model_does),
    with_fixture(a_joint_that_follows_is_refused_without_couplings),
    with_fixture(couplings_make_joints_follow),
    with_fixture(a_loop_is_refused),
    with_fixture(a_weld_is_no_joint_of_the_tree),
    with_fixture(links_and_fixed_joints_are_found_by_their_names),
    with_fixture(a_file_that_is_not_there_is_said),
    with_fixture(every_lack_of_memory_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
