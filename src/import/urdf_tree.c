/* From elements to trees: which link hangs on which, and what everything is called in the model. */
#include "import/urdf.h"

#include "lang/lex.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static PfStatus no_room(PfContext *ctx)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for the robot");
}

/* ---------------------------------------------------------------- connecting */

static PfStatus index_links(PfContext *ctx, PfMap *map, UrdfRobot *robot)
{
  if (robot->link_count == 0) return pf_fail(ctx, PF_ERR_MODEL, "the robot '%s' has no links", robot->name);
  for (int i = 0; i < robot->link_count; i++) {
    UrdfLink *link = robot->links + i;
    size_t length = strlen(link->name);
    if (pf_map_get(map, link->name, length))
      return pf_fail_at(ctx, PF_ERR_NAME, link->place, "there are two links '%s'", link->name);
    if (!pf_map_set(map, link->name, length, link)) return no_room(ctx);
  }
  return PF_OK;
}

/* The link with a name that is near the one nobody has. */
static void suggest(PfContext *ctx, const UrdfRobot *robot, const char *name)
{
  for (int i = 0; i < robot->link_count; i++)
    if (pf_name_distance(name, robot->links[i].name, 2) <= 2) {
      pf_hint(ctx, "did you mean '%s'?", robot->links[i].name);
      return;
    }
}

static PfStatus find_link(PfContext *ctx, const PfMap *map, const UrdfRobot *robot, const UrdfJoint *joint,
                          const char *role, const char *name, int *index)
{
  if (!*name) return pf_fail_at(ctx, PF_ERR_SYNTAX, joint->place, "the joint '%s' has no <%s>", joint->name, role);
  const UrdfLink *link = pf_map_get(map, name, strlen(name));
  if (link) {
    *index = (int)(link - robot->links);
    return PF_OK;
  }
  pf_fail_at(ctx, PF_ERR_NAME, joint->place, "the %s of the joint '%s' is the link '%s', which does not exist", role,
             joint->name, name);
  suggest(ctx, robot, name);
  return PF_ERR_NAME;
}

static PfStatus connect_joint(PfContext *ctx, const PfMap *map, UrdfRobot *robot, int j)
{
  UrdfJoint *joint = robot->joints + j;
  PF_TRY(find_link(ctx, map, robot, joint, "parent", joint->parent_name, &joint->parent));
  PF_TRY(find_link(ctx, map, robot, joint, "child", joint->child_name, &joint->child));
  UrdfLink *child = robot->links + joint->child;
  if (child->joint >= 0) {
    pf_fail_at(ctx, PF_ERR_MODEL, joint->place, "the link '%s' hangs on two joints, '%s' and '%s'", child->name,
               robot->joints[child->joint].name, joint->name);
    pf_hint(ctx, "URDF is for trees; close a loop in the model by a constraint: pos(a) = pos(b)");
    return PF_ERR_MODEL;
  }
  child->joint = j;
  return PF_OK;
}

/* Links whose parents have their place already, until all have: a generation at a time over lists of children. */
static PfStatus order_links(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  int n = robot->link_count, count = 0;
  int *first = pf_arena_array(arena, int, n), *next = pf_arena_array(arena, int, n);
  robot->order = pf_arena_array(arena, int, n);
  if (!first || !next || !robot->order) return no_room(ctx);
  memset(first, -1, (size_t)n*sizeof *first);
  for (int i = n - 1; i >= 0; i--) {
    int joint = robot->links[i].joint;
    if (joint < 0) continue;
    next[i] = first[robot->joints[joint].parent];
    first[robot->joints[joint].parent] = i;
  }
  for (int i = 0; i < n; i++)
    if (robot->links[i].joint < 0) robot->order[count++] = i;
  for (int at = 0; at < count; at++)
    for (int child = first[robot->order[at]]; child >= 0; child = next[child]) robot->order[count++] = child;
  if (count == n) return PF_OK;
  bool *reached = pf_arena_array(arena, bool, n);
  if (!reached) return no_room(ctx);
  for (int at = 0; at < count; at++) reached[robot->order[at]] = true;
  int lost = 0;
  while (reached[lost]) lost++;
  return pf_fail_at(ctx, PF_ERR_MODEL, robot->links[lost].place, "the link '%s' is its own ancestor", robot->links[lost].name);
}

PfStatus pf_urdf_connect(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  PfMap map;
  pf_map_init(&map, pf_context_allocator(ctx));
  PfStatus status = index_links(ctx, &map, robot);
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++) status = connect_joint(ctx, &map, robot, j);
  pf_map_free(&map);
  return status == PF_OK ? order_links(ctx, arena, robot) : status;
}

/* ---------------------------------------------------------------- names */

/* Words that mean something in the language. */
static bool is_taken_word(const char *word)
{
  static const char *const words[] = {
    "t", "pi", "ground", "lambda", "x", "y", "z", "pos", "vel", "omega", "dot", "cross", "norm", "point", "distance",
    "diag", "inertia", "list", "sum",
#define PF_FUNCTION(op, name, arity) name,
#include "pfaff/functions.def"
#undef PF_FUNCTION
  };
  for (size_t i = 0; i < sizeof words/sizeof *words; i++)
    if (!strcmp(word, words[i])) return true;
  return pf_word_kind(word, strlen(word)) != PF_T_NAME;
}

/* Letters, digits and '_' stay; a name that is taken gets a number. */
static PfStatus choose_name(PfContext *ctx, PfArena *arena, PfMap *taken, const char *wanted, const char **name)
{
  size_t room = strlen(wanted) + 32, length = 0;
  char *text = pf_arena_alloc(arena, room, 1);
  if (!text) return no_room(ctx);
  if (!isalpha((unsigned char)*wanted) && *wanted != '_') text[length++] = '_';
  for (const char *c = wanted; *c; c++)
    text[length++] = (unsigned char)*c < 128 && isalnum((unsigned char)*c) ? *c : '_';
  for (int number = 2; is_taken_word(text) || pf_map_get(taken, text, strlen(text)); number++)
    snprintf(text + length, room - length, "_%d", number);
  if (!pf_map_set(taken, text, strlen(text), text)) return no_room(ctx);
  *name = text;
  return PF_OK;
}

static PfStatus name_all(PfContext *ctx, PfArena *arena, PfMap *taken, UrdfRobot *robot)
{
  PF_TRY(choose_name(ctx, arena, taken, robot->name, &robot->name));
  for (int i = 0; i < robot->link_count; i++)
    PF_TRY(choose_name(ctx, arena, taken, robot->links[i].name, &robot->links[i].body));
  for (int j = 0; j < robot->joint_count; j++)
    PF_TRY(choose_name(ctx, arena, taken, robot->joints[j].name, &robot->joints[j].coordinate));
  return PF_OK;
}

PfStatus pf_urdf_name(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  PfMap taken;
  pf_map_init(&taken, pf_context_allocator(ctx));
  PfStatus status = name_all(ctx, arena, &taken, robot);
  pf_map_free(&taken);
  return status;
}
