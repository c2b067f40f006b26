/* SPDX-License-Identifier: Apache-2.0 */
/* From elements to trees: the links that joints connect, and the names of all things in the model. */
#include "import/urdf.h"

#include "lang/lex.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- connecting */

/* Adds a link or a joint to the map by its name, which must be the only one. `kind` is for the message. */
static PfStatus index_name(PfContext *ctx, PfMap *map, const char *name, void *item, PfPlace place, const char *kind)
{
  const size_t length = strlen(name);
  if (pf_map_get(map, name, length)) return pf_fail_at(ctx, PF_ERR_NAME, place, "there are two %s '%s'", kind, name);
  return pf_map_set(map, name, length, item) ? PF_OK : pf_no_room(ctx, "the robot");
}

/* All links by their names. The link 'world' is the ground, and some programs know it without a declaration. */
static PfStatus index_links(PfContext *ctx, PfMap *map, UrdfRobot *robot)
{
  static const char world[] = "world";
  bool is_parent = false;
  if (robot->link_count == 0) return pf_fail(ctx, PF_ERR_MODEL, "the robot '%s' has no links", robot->name);
  for (UrdfLink *link = robot->links; link < robot->links + robot->link_count; link++)
    PF_TRY(index_name(ctx, map, link->name, link, link->place, "links"));
  for (int j = 0; j < robot->joint_count; j++) is_parent = is_parent || !strcmp(robot->joints[j].parent_name, world);
  if (!is_parent || pf_map_get(map, world, strlen(world))) return PF_OK;
  UrdfLink *link = robot->links + robot->link_count++;
  *link = (UrdfLink){.name = world, .joint = -1};
  return index_name(ctx, map, world, link, link->place, "links");
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

/* The number of a link that a joint or constraint names. `whose`, `owner` and `role` are for messages: "joint" or
 * "constraint", its name, "parent" or "child". */
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

/* The links of a joint; each is the child of one joint at the most. */
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

/* Orders the links, parents before children: a generation at a time over lists of children. URDF is one tree: with two
 * roots a joint is missing, or a name is wrong; links that are not reached are their own ancestors. */
static PfStatus order_links(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  int n = robot->link_count, count = 0;
  int *first, *next;
  PF_TRY(pf_arrays(ctx, arena, "the robot", PF_ROOM(first, n), PF_ROOM(next, n), PF_ROOM(robot->order, n)));
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
  if (count < n) {
    bool *reached = pf_arena_array(arena, bool, n);
    if (!reached) return pf_no_room(ctx, "the robot");
    for (int at = 0; at < count; at++) reached[robot->order[at]] = true;
    int lost = 0;
    while (reached[lost]) lost++;
    return pf_fail_at(ctx, PF_ERR_MODEL, robot->links[lost].place, "the link '%s' is its own ancestor",
                      robot->links[lost].name);
  }
  if (n == 1 || robot->links[robot->order[1]].joint >= 0) return PF_OK; /* roots come first */
  const UrdfLink *root = robot->links + robot->order[0], *other = robot->links + robot->order[1];
  pf_fail_at(ctx, PF_ERR_MODEL, other->place,
             "the robot has two roots, the links '%s' and '%s': no joint holds them", root->name, other->name);
  pf_hint(ctx, "join them by a joint of the type fixed or floating, or make them two files");
  return PF_ERR_MODEL;
}

/* ---------------------------------------------------------------- joints that follow others */

/* The joint that a <mimic> names. */
static PfStatus find_leader(PfContext *ctx, const PfMap *map, UrdfRobot *robot, UrdfJoint *joint)
{
  const UrdfJoint *leader = pf_map_get(map, joint->mimic_name, strlen(joint->mimic_name));
  if (!leader) {
    pf_fail_at(ctx, PF_ERR_NAME, joint->place, "the joint '%s' mimics '%s', which does not exist", joint->name,
               joint->mimic_name);
    pf_urdf_suggest(ctx, &robot->joints->name, sizeof *robot->joints, robot->joint_count, joint->mimic_name);
    return PF_ERR_NAME;
  }
  const UrdfJoint *bad = joint->kind != URDF_FIXED && !pf_urdf_has_coordinate(joint) ? joint
                         : leader->kind != URDF_FIXED && !pf_urdf_has_coordinate(leader) ? leader : NULL;
  if (bad)
    return pf_fail_at(ctx, PF_ERR_MODEL, joint->place,
                      "the joint '%s' mimics '%s', but '%s' has more than one coordinate", joint->name,
                      leader->name, bad->name);
  joint->mimics = (int)(leader - robot->joints);
  robot->joints[joint->mimics].is_followed = true;
  return PF_OK;
}

/* Resolves all <mimic> elements and refuses cycles: every joint on the way to an end gets a mark, so that each is
 * passed once. */
static PfStatus find_leaders(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  PfMap map;
  PfStatus status = PF_OK;
  pf_map_init(&map, pf_context_allocator(ctx));
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++) {
    UrdfJoint *joint = robot->joints + j;
    status = index_name(ctx, &map, joint->name, joint, joint->place, "joints");
  }
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++)
    if (robot->joints[j].mimic_name) status = find_leader(ctx, &map, robot, robot->joints + j);
  pf_map_free(&map);
  if (status != PF_OK) return status;
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

PfStatus pf_urdf_connect(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  static const char *const roles[2] = {"parent", "child"};
  PfMap map;
  pf_map_init(&map, pf_context_allocator(ctx));
  PfStatus status = index_links(ctx, &map, robot);
  for (int j = 0; j < robot->joint_count && status == PF_OK; j++) status = connect_joint(ctx, &map, robot, j);
  for (int i = 0; i < 2*robot->loop_count && status == PF_OK; i++) {
    UrdfLoop *loop = robot->loops + i/2;
    UrdfLoopEnd *end = loop->end + i%2;
    status = find_link(ctx, &map, robot, loop->place, "constraint", loop->name, roles[i%2], end->link_name, &end->link);
  }
  pf_map_free(&map);
  if (status == PF_OK) status = order_links(ctx, arena, robot);
  return status == PF_OK ? find_leaders(ctx, arena, robot) : status;
}

/* ---------------------------------------------------------------- names */

/* Names that are chosen: all that are taken, each with the number to try next after it. */
typedef struct Names {
  PfContext *ctx;
  PfArena *arena;
  PfMap taken;
  PfStatus status; /* of the first failure: afterwards nothing is done */
} Names;

/* Is it a word of the language, or of its usual functions? */
static bool is_reserved(const char *word)
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

/* Is it free, and with it the names of the other coordinates of a planar joint? `work` has room for these. */
static bool is_free(const PfMap *taken, const char *name, bool planar, char *work)
{
  const size_t length = strlen(name);
  if (is_reserved(name) || pf_map_get(taken, name, length)) return false;
  memcpy(work, name, length);
  memcpy(work + length, "_u", 3);
  if (planar && pf_map_get(taken, work, length + 2)) return false;
  work[length + 1] = 'v';
  return !planar || !pf_map_get(taken, work, length + 2);
}

/* Takes the name with an ending. The number to try next is remembered: many names may be the same after illegal
 * characters have gone. */
static void take(Names *n, const char *name, const char *ending)
{
  size_t length = strlen(name), more = strlen(ending);
  char *text = pf_arena_alloc(n->arena, length + more + 1, 1);
  int *next = pf_arena_array(n->arena, int, 1);
  if (text && next) {
    memcpy(text, name, length);
    memcpy(text + length, ending, more);
    *next = 2;
  }
  if (n->status == PF_OK && (!text || !next || !pf_map_set(&n->taken, text, length + more, next)))
    n->status = pf_no_room(n->ctx, "the robot");
}

/* Chooses a name like `wanted` with an ending: letters, digits and '_' stay; a name that is taken gets a number.
 * `planar`: of a joint with further coordinates. */
static void choose_name(Names *n, const char *wanted, const char *ending, bool planar, const char **name)
{
  size_t room = strlen(wanted) + strlen(ending) + 32, length = 0;
  char *text = pf_arena_alloc(n->arena, room, 1), *work = pf_arena_alloc(n->arena, room, 1);
  if (n->status == PF_OK && (!text || !work)) n->status = pf_no_room(n->ctx, "the robot");
  if (n->status != PF_OK) return;
  if (!isalpha((unsigned char)*wanted) && *wanted != '_') text[length++] = '_';
  for (const char *c = wanted; *c; c++)
    text[length++] = (unsigned char)*c < 128 && isalnum((unsigned char)*c) ? *c : '_';
  for (const char *c = ending; *c; c++) text[length++] = *c;
  int *next = pf_map_get(&n->taken, text, length), number = next ? *next : 2;
  for (; !is_free(&n->taken, text, planar, work); number++)
    snprintf(text + length, room - length, "_%d", number);
  if (next) *next = number;
  take(n, text, "");
  if (planar) take(n, text, "_u");
  if (planar) take(n, text, "_v");
  *name = text;
}

/* Links and joints come first: their names are the same with and without equipment. */
PfStatus pf_urdf_name(PfContext *ctx, PfArena *arena, UrdfRobot *robot)
{
  static const char *const base[3] = {"base_x", "base_y", "base_yaw"};
  UrdfLink *const links = robot->links, *const links_end = links + robot->link_count;
  UrdfJoint *const joints = robot->joints, *const joints_end = joints + robot->joint_count;
  Names n = {.ctx = ctx, .arena = arena, .status = PF_OK};
  pf_map_init(&n.taken, pf_context_allocator(ctx));
  choose_name(&n, robot->name, "", false, &robot->name);
  for (UrdfLink *link = links; link < links_end; link++) choose_name(&n, link->name, "", false, &link->body);
  for (UrdfJoint *j = joints; j < joints_end; j++)
    choose_name(&n, j->name, "", j->kind == URDF_PLANAR, &j->coordinate);
  for (UrdfJoint *j = joints; j < joints_end; j++) {
    if (j->mimics >= 0) choose_name(&n, j->name, "_mimic", false, &j->coupling);
    if (j->is_actuated)
      choose_name(&n, j->name, j->kind == URDF_PRISMATIC ? "_force" : "_torque", false, &j->input);
  }
  for (int i = 0; i < 3 && robot->base == PF_BASE_PLANAR; i++)
    choose_name(&n, base[i], "", false, robot->base_names + i);
  for (UrdfLink *link = links; link < links_end; link++) {
    const double *at = link->shape.at;
    if (!link->is_wheel) continue;
    choose_name(&n, link->name, "_contact", false, &link->contact);
    if (at[0] != 0 || at[1] != 0 || at[2] != 0) choose_name(&n, link->name, "_hub", false, &link->hub);
  }
  for (UrdfLoop *loop = robot->loops; loop < robot->loops + robot->loop_count; loop++) {
    choose_name(&n, loop->name, "", false, &loop->constraint);
    choose_name(&n, loop->name, "_turn", false, &loop->turn);
    choose_name(&n, loop->name, "_parent", false, &loop->end[0].frame);
    choose_name(&n, loop->name, "_child", false, &loop->end[1].frame);
  }
  pf_map_free(&n.taken);
  return n.status;
}
