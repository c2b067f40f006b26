/* SPDX-License-Identifier: Apache-2.0 */
/* From elements to trees: which link hangs on which, and what everything is called in the model. */
#include "import/urdf.h"

#include "lang/lex.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- connecting */

static PfStatus index_links(PfContext *ctx, PfMap *map, UrdfRobot *robot)
{
  if (robot->link_count == 0) return pf_fail(ctx, PF_ERR_MODEL, "the robot '%s' has no links", robot->name);
  for (int i = 0; i < robot->link_count; i++) {
    UrdfLink *link = robot->links + i;
    size_t length = strlen(link->name);
    if (pf_map_get(map, link->name, length))
      return pf_fail_at(ctx, PF_ERR_NAME, link->place, "there are two links '%s'", link->name);
    if (!pf_map_set(map, link->name, length, link)) return pf_no_room(ctx, "the robot");
  }
  return PF_OK;
}

/* The link 'world' is the ground, and some programs know it without a declaration. */
static PfStatus add_world(PfContext *ctx, PfMap *map, UrdfRobot *robot)
{
  static const char world[] = "world";
  bool is_parent = false;
  for (int j = 0; j < robot->joint_count; j++) is_parent = is_parent || !strcmp(robot->joints[j].parent_name, world);
  if (!is_parent || pf_map_get(map, world, strlen(world))) return PF_OK;
  UrdfLink *link = robot->links + robot->link_count++;
  *link = (UrdfLink){.name = world, .joint = -1};
  return pf_map_set(map, world, strlen(world), link) ? PF_OK : pf_no_room(ctx, "the robot");
}

void pf_urdf_suggest(PfContext *ctx, const char *const *names, size_t stride, int count, const char *name)
{
  const char *nearest = NULL;
  for (int i = 0, best = 0; i < count; i++) {
    const char *candidate = *(const char *const *)(const void *)((const char *)names + (size_t)i*stride);
    if (pf_name_is_nearer(name, candidate, &best)) nearest = candidate;
  }
  if (nearest) pf_hint(ctx, "did you mean '%s'?", nearest);
}

/* `whose` and `owner` are for messages: a joint or a constraint, and its name. */
static PfStatus find_link(PfContext *ctx, const PfMap *map, const UrdfRobot *robot, PfPlace place, const char *whose,
                          const char *owner, const char *role, const char *name, int *index)
{
  if (!*name) return pf_fail_at(ctx, PF_ERR_SYNTAX, place, "the %s '%s' has no <%s>", whose, owner, role);
  const UrdfLink *link = pf_map_get(map, name, strlen(name));
  if (link) {
    *index = (int)(link - robot->links);
    return PF_OK;
  }
  pf_fail_at(ctx, PF_ERR_NAME, place, "the %s of the %s '%s' is the link '%s', which does not exist", role, whose,
             owner, name);
  pf_urdf_suggest(ctx, &robot->links->name, sizeof *robot->links, robot->link_count, name);
  return PF_ERR_NAME;
}

static PfStatus connect_joint(PfContext *ctx, const PfMap *map, UrdfRobot *robot, int j)
{
  UrdfJoint *joint = robot->joints + j;
  PF_TRY(find_link(ctx, map, robot, joint->place, "joint", joint->name, "parent", joint->parent_name, &joint->parent));
  PF_TRY(find_link(ctx, map, robot, joint->place, "joint", joint->name, "child", joint->child_name, &joint->child));
  UrdfLink *child = robot->links + joint->child;
  if (child->joint >= 0) {
    pf_fail_at(ctx, PF_ERR_MODEL, joint->place, "the link '%s' hangs on two joints, '%s' and '%s'", child->name,
               robot->joints[child->joint].name, joint->name);
    pf_hint(ctx, "joints form trees; close a loop by a <constraint>, or in the model: constraint pos(a) = pos(b)");
    return PF_ERR_MODEL;
  }
  child->joint = j;
  return PF_OK;
}

static PfStatus connect_loop(PfContext *ctx, const PfMap *map, const UrdfRobot *robot, UrdfLoop *loop)
{
  static const char *const roles[2] = {"parent", "child"};
  for (int i = 0; i < 2; i++)
    PF_TRY(find_link(ctx, map, robot, loop->place, "constraint", loop->name, roles[i], loop->end[i].link_name,
                     &loop->end[i].link));
  return PF_OK;
}

/* Links whose parents have their place already, until all have: a generation at a time over lists of children. */
static PfStatus order_links(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  int n = robot->link_count, count = 0;
  int *first = pf_arena_array(arena, int, n), *next = pf_arena_array(arena, int, n);
  robot->order = pf_arena_array(arena, int, n);
  if (!first || !next || !robot->order) return pf_no_room(ctx, "the robot");
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
  if (!reached) return pf_no_room(ctx, "the robot");
  for (int at = 0; at < count; at++) reached[robot->order[at]] = true;
  int lost = 0;
  while (reached[lost]) lost++;
  return pf_fail_at(ctx, PF_ERR_MODEL, robot->links[lost].place, "the link '%s' is its own ancestor",
                    robot->links[lost].name);
}

/* URDF is one tree: with two roots a joint is missing, or a name is wrong. */
static PfStatus check_root(PfContext *ctx, const UrdfRobot *robot)
{
  const UrdfLink *first = NULL;
  for (int i = 0; i < robot->link_count; i++) {
    const UrdfLink *link = robot->links + i;
    if (link->joint >= 0) continue;
    if (first) {
      pf_fail_at(ctx, PF_ERR_MODEL, link->place,
                 "the robot has two roots, the links '%s' and '%s': no joint holds them", first->name, link->name);
      pf_hint(ctx, "join them by a joint of the type fixed or floating, or make them two files");
      return PF_ERR_MODEL;
    }
    first = link;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- joints that follow others */

static bool has_one_coordinate(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE || joint->kind == URDF_PRISMATIC;
}

static PfStatus find_leader(PfContext *ctx, const PfMap *map, UrdfRobot *robot, UrdfJoint *joint)
{
  const UrdfJoint *leader = pf_map_get(map, joint->mimic_name, strlen(joint->mimic_name));
  if (!leader) {
    pf_fail_at(ctx, PF_ERR_NAME, joint->place, "the joint '%s' mimics '%s', which does not exist", joint->name,
               joint->mimic_name);
    pf_urdf_suggest(ctx, &robot->joints->name, sizeof *robot->joints, robot->joint_count, joint->mimic_name);
    return PF_ERR_NAME;
  }
  const UrdfJoint *bad = joint->kind != URDF_FIXED && !has_one_coordinate(joint) ? joint
                         : leader->kind != URDF_FIXED && !has_one_coordinate(leader) ? leader : NULL;
  if (bad)
    return pf_fail_at(ctx, PF_ERR_MODEL, joint->place,
                      "the joint '%s' mimics '%s', but '%s' has more than one coordinate", joint->name,
                      leader->name, bad->name);
  joint->mimics = (int)(leader - robot->joints);
  robot->joints[joint->mimics].is_followed = true;
  return PF_OK;
}

/* Who follows whom must end somewhere. Everyone who is on the way to an end gets a mark, so each is passed once. */
static PfStatus check_followers(PfContext *ctx, PfArena *arena, const UrdfRobot *robot)
{
  int *visit = pf_arena_array(arena, int, robot->joint_count);
  if (!visit) return pf_no_room(ctx, "the robot");
  for (int j = 0; j < robot->joint_count; j++) {
    int at = j;
    for (; at >= 0 && !visit[at]; at = robot->joints[at].mimics) visit[at] = j + 1;
    if (at >= 0 && visit[at] == j + 1)
      return pf_fail_at(ctx, PF_ERR_MODEL, robot->joints[at].place,
                        "the joint '%s' mimics itself, by way of others or directly", robot->joints[at].name);
  }
  return PF_OK;
}

static PfStatus find_leaders(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  PfMap map;
  PfStatus status = PF_OK;
  pf_map_init(&map, pf_context_allocator(ctx));
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++) {
    UrdfJoint *joint = robot->joints + j;
    size_t length = strlen(joint->name);
    if (pf_map_get(&map, joint->name, length))
      status = pf_fail_at(ctx, PF_ERR_NAME, joint->place, "there are two joints '%s'", joint->name);
    else if (!pf_map_set(&map, joint->name, length, joint)) status = pf_no_room(ctx, "the robot");
  }
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++)
    if (robot->joints[j].mimic_name) status = find_leader(ctx, &map, robot, robot->joints + j);
  pf_map_free(&map);
  return status == PF_OK ? check_followers(ctx, arena, robot) : status;
}

PfStatus pf_urdf_connect(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  PfMap map;
  pf_map_init(&map, pf_context_allocator(ctx));
  PfStatus status = index_links(ctx, &map, robot);
  if (status == PF_OK) status = add_world(ctx, &map, robot);
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++) status = connect_joint(ctx, &map, robot, j);
  for (int i = 0; i < robot->loop_count && status == PF_OK; i++)
    status = connect_loop(ctx, &map, robot, robot->loops + i);
  pf_map_free(&map);
  if (status == PF_OK) status = order_links(ctx, arena, robot);
  if (status == PF_OK) status = check_root(ctx, robot);
  return status == PF_OK ? find_leaders(ctx, arena, robot) : status;
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

/* Is it free, and with it the names of the other coordinates of a planar joint? */
static bool is_free(const PfMap *taken, const char *name, size_t length, bool planar, char *work)
{
  if (is_taken_word(name) || pf_map_get(taken, name, length)) return false;
  if (!planar) return true;
  memcpy(work, name, length);
  memcpy(work + length, "_u", 3);
  if (pf_map_get(taken, work, length + 2)) return false;
  work[length + 1] = 'v';
  return !pf_map_get(taken, work, length + 2);
}

/* A name that is taken remembers the number to try next: many may be the same after what is not legal has gone. */
static PfStatus take(PfContext *ctx, PfArena *arena, PfMap *taken, const char *name, const char *ending)
{
  size_t length = strlen(name), more = strlen(ending);
  char *text = pf_arena_alloc(arena, length + more + 1, 1);
  int *next = pf_arena_array(arena, int, 1);
  if (!text || !next) return pf_no_room(ctx, "the robot");
  memcpy(text, name, length);
  memcpy(text + length, ending, more);
  *next = 2;
  return pf_map_set(taken, text, length + more, next) ? PF_OK : pf_no_room(ctx, "the robot");
}

/* Letters, digits and '_' of `wanted` and of the ending stay; a name that is taken gets a number. */
static PfStatus choose_name(PfContext *ctx, PfArena *arena, PfMap *taken, const char *wanted, const char *ending,
                            bool planar, const char **name)
{
  size_t room = strlen(wanted) + strlen(ending) + 32, length = 0;
  char *text = pf_arena_alloc(arena, room, 1), *work = pf_arena_alloc(arena, room, 1);
  if (!text || !work) return pf_no_room(ctx, "the robot");
  if (!isalpha((unsigned char)*wanted) && *wanted != '_') text[length++] = '_';
  for (const char *c = wanted; *c; c++)
    text[length++] = (unsigned char)*c < 128 && isalnum((unsigned char)*c) ? *c : '_';
  for (const char *c = ending; *c; c++) text[length++] = *c;
  int *next = pf_map_get(taken, text, length), number = next ? *next : 2;
  for (; !is_free(taken, text, strlen(text), planar, work); number++)
    snprintf(text + length, room - length, "_%d", number);
  if (next) *next = number;
  PF_TRY(take(ctx, arena, taken, text, ""));
  if (planar) PF_TRY(take(ctx, arena, taken, text, "_u"));
  if (planar) PF_TRY(take(ctx, arena, taken, text, "_v"));
  *name = text;
  return PF_OK;
}

static PfStatus name_all(PfContext *ctx, PfArena *arena, PfMap *taken, UrdfRobot *robot)
{
  PF_TRY(choose_name(ctx, arena, taken, robot->name, "", false, &robot->name));
  for (int i = 0; i < robot->link_count; i++)
    PF_TRY(choose_name(ctx, arena, taken, robot->links[i].name, "", false, &robot->links[i].body));
  for (int j = 0; j < robot->joint_count; j++) {
    UrdfJoint *joint = robot->joints + j;
    PF_TRY(choose_name(ctx, arena, taken, joint->name, "", joint->kind == URDF_PLANAR, &joint->coordinate));
  }
  for (int j = 0; j < robot->joint_count; j++) {
    UrdfJoint *joint = robot->joints + j;
    const char *ending = joint->kind == URDF_PRISMATIC ? "_force" : "_torque";
    if (joint->mimics >= 0) PF_TRY(choose_name(ctx, arena, taken, joint->name, "_mimic", false, &joint->coupling));
    if (joint->is_actuated) PF_TRY(choose_name(ctx, arena, taken, joint->name, ending, false, &joint->input));
  }
  return PF_OK;
}

static bool is_at_origin(const UrdfPose *pose)
{
  return pose->at[0] == 0 && pose->at[1] == 0 && pose->at[2] == 0;
}

/* Names of what was marked, last: those of links and joints are the same with and without it. */
static PfStatus name_equipment(PfContext *ctx, PfArena *arena, PfMap *taken, UrdfRobot *robot)
{
  static const char *const base[3] = {"base_x", "base_y", "base_yaw"};
  for (int i = 0; i < 3 && robot->base == PF_BASE_PLANAR; i++)
    PF_TRY(choose_name(ctx, arena, taken, base[i], "", false, robot->base_names + i));
  for (int i = 0; i < robot->link_count; i++) {
    UrdfLink *link = robot->links + i;
    if (!link->is_wheel) continue;
    PF_TRY(choose_name(ctx, arena, taken, link->name, "_contact", false, &link->contact));
    if (!is_at_origin(&link->shape)) PF_TRY(choose_name(ctx, arena, taken, link->name, "_hub", false, &link->hub));
  }
  for (int i = 0; i < robot->loop_count; i++) {
    UrdfLoop *loop = robot->loops + i;
    PF_TRY(choose_name(ctx, arena, taken, loop->name, "", false, &loop->constraint));
    PF_TRY(choose_name(ctx, arena, taken, loop->name, "_turn", false, &loop->turn));
    PF_TRY(choose_name(ctx, arena, taken, loop->name, "_parent", false, &loop->end[0].frame));
    PF_TRY(choose_name(ctx, arena, taken, loop->name, "_child", false, &loop->end[1].frame));
  }
  return PF_OK;
}

PfStatus pf_urdf_name(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  PfMap taken;
  pf_map_init(&taken, pf_context_allocator(ctx));
  PfStatus status = name_all(ctx, arena, &taken, robot);
  if (status == PF_OK) status = name_equipment(ctx, arena, &taken, robot);
  pf_map_free(&taken);
  return status;
}
