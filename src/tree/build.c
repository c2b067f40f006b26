/* SPDX-License-Identifier: Apache-2.0 */
/* From bodies, one by one and checked, to a tree that is never changed. */
#include "num/num.h"
#include "tree/tree_impl.h"

#include <limits.h>
#include <stdio.h>

struct PfTreeBuilder {
  PfContext *ctx;
  PfArena *names;
  PF_ARRAY(Body) bodies;
  PF_ARRAY(Spring) springs; /* one per rate */
  int nq;
  bool sprung, trusts;
  double gravity[3];
};

/* Data with nine or ten digits may break the triangle inequality of a flat body by that much. */
static const double INERTIA_SLACK = 1e-8;
enum { MOST_BODIES = INT_MAX/64 };

PfTreeBody pf_tree_body(int parent, PfJoint joint)
{
  return (PfTreeBody){.parent = parent, .joint = joint, .axis = {0, 0, 1}, .axis2 = {1, 0, 0}, .quat = {1, 0, 0, 0}};
}

PfStatus pf_tree_builder_new(PfContext *ctx, PfTreeBuilder **builder)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  PfTreeBuilder *b = *builder = allocator->resize(allocator->user, NULL, sizeof *b);
  if (!b) return pf_no_room(ctx, "a tree of bodies");
  *b = (PfTreeBuilder){.ctx = ctx, .names = pf_arena_new(allocator)};
  if (b->names) return PF_OK;
  pf_tree_builder_free(b);
  *builder = NULL;
  return pf_no_room(ctx, "a tree of bodies");
}

void pf_tree_builder_free(PfTreeBuilder *builder)
{
  if (!builder) return;
  const PfAllocator *allocator = pf_context_allocator(builder->ctx);
  pf_array_free(allocator, &builder->bodies);
  pf_array_free(allocator, &builder->springs);
  pf_arena_free(builder->names);
  allocator->resize(allocator->user, builder, 0);
}

void pf_tree_builder_trust(PfTreeBuilder *builder)
{
  builder->trusts = true;
}

void pf_tree_builder_gravity(PfTreeBuilder *builder, const double gravity[3])
{
  memcpy(builder->gravity, gravity, sizeof builder->gravity);
}

/* ---------------------------------------------------------------- checks */

typedef struct Check {
  PfContext *ctx;
  const PfTreeBody *body;
  bool trusts; /* the inertia is that of a body */
  char name[80];
} Check;

/* The name of a body for messages, by its number where it has none. */
static void put_name(const char *name, int index, char *text, size_t room)
{
  if (name && *name) snprintf(text, room, "'%s'", name);
  else snprintf(text, room, "body %d", index);
}

/* All numbers of a body must be finite. */
static PfStatus check_numbers(const Check *check)
{
  const PfTreeBody *b = check->body;
  const struct {
    const double *numbers;
    size_t count;
    const char *what;
  } parts[] = {{b->axis, 3, "axis"}, {b->axis2, 3, "second axis"}, {&b->pitch, 1, "pitch"},
               {b->stiffness, 6, "stiffness"}, {b->spring_ref, 6, "rest position of the springs"},
               {b->damping, 6, "damping"}, {b->quat, 4, "quaternion of the placement"},
               {b->pos, 3, "position of the joint"}, {&b->mass, 1, "mass"}, {b->com, 3, "mass centre"},
               {b->inertia, 9, "inertia"}};
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++)
    if (pf_first_not_finite(parts[i].numbers, parts[i].count) >= 0)
      return pf_fail(check->ctx, PF_ERR_MODEL, "%s: the %s holds a number that is not finite", check->name,
                     parts[i].what);
  return PF_OK;
}

/* Mass and inertia must be those of a body: finite, positive semidefinite, and with the triangle inequality unless the
 * builder trusts them. */
static PfStatus check_mass(const Check *check)
{
  const PfTreeBody *b = check->body;
  if (b->mass < 0) return pf_fail(check->ctx, PF_ERR_MODEL, "%s: the mass is negative (%g)", check->name, b->mass);
  double moments[3], work[9], largest = 0;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(b->inertia[i]));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      if (fabs(b->inertia[3*i + j] - b->inertia[3*j + i]) > INERTIA_SLACK*largest)
        return pf_fail(check->ctx, PF_ERR_MODEL,
                       "%s: the inertia matrix is not symmetric (%g in row %d, column %d, and %g "
                       "across)", check->name, b->inertia[3*i + j], i + 1, j + 1, b->inertia[3*j + i]);
  PF_TRY(pf_eig_symmetric(b->inertia, 3, moments, NULL, work));
  if (moments[0] < -INERTIA_SLACK*largest)
    return pf_fail(check->ctx, PF_ERR_MODEL, "%s: the inertia has a negative principal moment (%g)", check->name,
                   moments[0]);
  if (!check->trusts && moments[2] > moments[0] + moments[1] + INERTIA_SLACK*largest) {
    pf_fail(check->ctx, PF_ERR_MODEL, "%s: no body has the principal moments of inertia %g, %g, %g: the largest must "
            "not exceed the sum of the others", check->name, moments[0], moments[1], moments[2]);
    pf_hint(check->ctx, "the inertia is the one about the mass centre, not about the joint");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* A vector or quaternion divided by its length, which must not be zero. */
static PfStatus normalise(const Check *check, const double *from, int count, const char *what, double *to)
{
  const double length = pf_norm(from, count);
  for (int i = 0; i < count; i++) to[i] = length > 0 ? from[i]/length : 0;
  if (length > 0) return PF_OK;
  return pf_fail(check->ctx, PF_ERR_MODEL, "%s: the %s has length zero", check->name, what);
}

/* Normalises the axes of the joint; they must have a direction. */
static PfStatus check_axes(const Check *check, Body *to)
{
  const PfTreeBody *b = check->body;
  PF_TRY(normalise(check, b->quat, 4, "quaternion of the placement", to->quat));
  switch (b->joint) {
  case PF_JOINT_UNIVERSAL:
    PF_TRY(normalise(check, b->axis2, 3, "second axis of the universal joint", to->axis2));
  /* fall through */
  case PF_JOINT_REVOLUTE:
  case PF_JOINT_PRISMATIC:
  case PF_JOINT_SCREW:
  case PF_JOINT_CYLINDRICAL: PF_TRY(normalise(check, b->axis, 3, "axis of the joint", to->axis)); break;
  default: break;
  }
  double across[3];
  cross3(to->axis, to->axis2, across);
  if (b->joint == PF_JOINT_UNIVERSAL && dot3(across, across) < 1e-24)
    return pf_fail(check->ctx, PF_ERR_MODEL, "%s: the two axes of the universal joint are parallel", check->name);
  return PF_OK;
}

/* ---------------------------------------------------------------- adding */

/* A copy of a name in the arena; NULL for an empty one. False without memory. */
static bool keep_name(PfArena *arena, const char *name, const char **kept)
{
  *kept = NULL;
  if (!name || !*name) return true;
  *kept = pf_arena_text(arena, name, strlen(name));
  return *kept != NULL;
}

/* Checks a body and copies it into the builder. */
static PfStatus take(PfTreeBuilder *b, const Check *check, Body *body)
{
  const PfTreeBody *from = check->body;
  const int count = (int)b->bodies.count;
  if (from->parent < -1 || from->parent >= count) {
    pf_fail(b->ctx, PF_ERR_MODEL, "%s: its parent is body %d, but only bodies added before it (0 to %d) or the "
            "inertial frame (-1) can be parents", check->name, from->parent, count - 1);
    pf_hint(b->ctx, "add parents before their children; a closed chain is a tree with a constraint");
    return PF_ERR_MODEL;
  }
  if ((int)from->joint < 0 || from->joint > PF_JOINT_FREE)
    return pf_fail(b->ctx, PF_ERR_ARGUMENT, "%s: %d is not a kind of joint", check->name, (int)from->joint);
  PF_TRY(check_numbers(check));
  PF_TRY(check_mass(check));
  PF_TRY(check_axes(check, body));
  pf_quat_rotation(body->quat, body->R);
  memcpy(body->s, from->pos, sizeof body->s);
  memcpy(body->com, from->com, sizeof body->com);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) body->I[3*i + j] = 0.5*(from->inertia[3*i + j] + from->inertia[3*j + i]);
  body->pitch = from->joint == PF_JOINT_SCREW ? from->pitch : 0;
  if (keep_name(b->names, from->name, &body->name) && keep_name(b->names, from->joint_name, &body->joint_name))
    return PF_OK;
  return pf_fail(b->ctx, PF_ERR_MEMORY, "no room for the name of %s", check->name);
}

static PfStatus no_room(PfContext *ctx, size_t count)
{
  const size_t each = 2*sizeof(Body) + sizeof(Node) + sizeof(Edge) + sizeof(Mass) + 200;
  const double megabytes = (double)count*(double)each*1e-6;
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for a tree of %zu bodies, which needs about %.0f MB", count, megabytes);
}

PfStatus pf_tree_builder_add(PfTreeBuilder *builder, const PfTreeBody *from, int *index)
{
  const int count = (int)builder->bodies.count;
  if (count >= MOST_BODIES)
    return pf_fail(builder->ctx, PF_ERR_LIMIT, "a tree cannot have more than %d bodies", (int)MOST_BODIES);
  Check check = {.ctx = builder->ctx, .body = from, .trusts = builder->trusts};
  put_name(from->name, count, check.name, sizeof check.name);
  Body body = {.parent = from->parent, .joint = from->joint, .q = builder->nq, .v = (int)builder->springs.count,
               .mass = from->mass};
  PF_TRY(take(builder, &check, &body));

  const PfAllocator *allocator = pf_context_allocator(builder->ctx);
  const int nv = pf_joint_nv(from->joint);
  if (!pf_reserve(allocator, &builder->springs, builder->springs.count + 6) ||
      !pf_push(allocator, &builder->bodies, body))
    return no_room(builder->ctx, builder->bodies.count + 1);
  for (int i = 0; i < nv; i++) {
    builder->springs.at[builder->springs.count++] = (Spring){from->stiffness[i], from->spring_ref[i], from->damping[i]};
    builder->sprung |= from->stiffness[i] != 0 || from->damping[i] != 0;
  }
  builder->nq += pf_joint_nq(from->joint);
  if (index) *index = count;
  return PF_OK;
}

/* ---------------------------------------------------------------- finishing */

/* Copies all that the builder has into the tree, and makes its nodes. */
static PfStatus fill(PfTreeBuilder *builder, PfTree *tree)
{
  const size_t count = builder->bodies.count, nv = builder->springs.count;
  tree->count = (int)count;
  tree->nq = builder->nq;
  tree->nv = (int)nv;
  memcpy(tree->gravity, builder->gravity, sizeof tree->gravity);
  tree->bodies = pf_arena_array(tree->arena, Body, count);
  if (builder->sprung) tree->springs = pf_arena_array(tree->arena, Spring, nv);
  if (!tree->bodies || (builder->sprung && !tree->springs)) return no_room(builder->ctx, count);
  if (count) memcpy(tree->bodies, builder->bodies.at, count*sizeof(Body));
  if (builder->sprung) memcpy(tree->springs, builder->springs.at, nv*sizeof(Spring));
  for (Body *body = tree->bodies; body < tree->bodies + count; body++)
    if (!keep_name(tree->arena, body->name, &body->name) ||
        !keep_name(tree->arena, body->joint_name, &body->joint_name))
      return no_room(builder->ctx, count);
  const PfStatus status = pf_tree_make_nodes(builder->ctx, tree);
  return status == PF_ERR_MEMORY ? no_room(builder->ctx, count) : status;
}

PfStatus pf_tree_builder_finish(PfTreeBuilder *builder, PfTree **result)
{
  *result = NULL;
  if (!builder->bodies.count) return pf_fail(builder->ctx, PF_ERR_MODEL, "a tree without bodies");
  if (pf_first_not_finite(builder->gravity, 3) >= 0)
    return pf_fail(builder->ctx, PF_ERR_MODEL, "the gravity holds a number that is not finite");
  const PfAllocator *allocator = pf_context_allocator(builder->ctx);
  PfArena *arena = pf_arena_new(allocator);
  PfTree *tree = arena ? pf_arena_array(arena, PfTree, 1) : NULL;
  if (!tree) {
    pf_arena_free(arena);
    return no_room(builder->ctx, builder->bodies.count);
  }
  tree->arena = arena;
  tree->allocator = *allocator;
  const PfStatus status = fill(builder, tree);
  if (status != PF_OK) pf_arena_free(arena);
  else *result = tree;
  return status;
}

void pf_tree_free(PfTree *tree)
{
  if (tree) pf_arena_free(tree->arena);
}

/* ---------------------------------------------------------------- looking at it */

int pf_tree_count(const PfTree *tree)
{
  return tree->count;
}

int pf_tree_nq(const PfTree *tree)
{
  return tree->nq;
}

int pf_tree_nv(const PfTree *tree)
{
  return tree->nv;
}

int pf_tree_q_at(const PfTree *tree, int body)
{
  return tree->bodies[body].q;
}

int pf_tree_v_at(const PfTree *tree, int body)
{
  return tree->bodies[body].v;
}

PfTreeBody pf_tree_get(const PfTree *tree, int index)
{
  const Body *body = &tree->bodies[index];
  PfTreeBody to = {.name = body->name, .joint_name = body->joint_name, .parent = body->parent, .joint = body->joint,
                   .pitch = body->pitch, .mass = body->mass};
  memcpy(to.axis, body->axis, sizeof to.axis);
  memcpy(to.axis2, body->axis2, sizeof to.axis2);
  memcpy(to.quat, body->quat, sizeof to.quat);
  memcpy(to.pos, body->s, sizeof to.pos);
  memcpy(to.com, body->com, sizeof to.com);
  memcpy(to.inertia, body->I, sizeof to.inertia);
  for (int i = 0; tree->springs && i < pf_joint_nv(body->joint); i++) {
    const Spring *spring = &tree->springs[body->v + i];
    to.stiffness[i] = spring->stiffness;
    to.spring_ref[i] = spring->ref;
    to.damping[i] = spring->damping;
  }
  return to;
}

void pf_tree_name(const PfTree *tree, int body, char *text, size_t room)
{
  put_name(tree->bodies[body].name, body, text, room);
}

BodyName pf_body_name(const PfTree *tree, int body)
{
  BodyName name = {0};
  pf_tree_name(tree, body, name.text, sizeof name.text);
  return name;
}

int pf_tree_find_body(const PfTree *tree, const char *name)
{
  for (int k = 0; k < tree->count; k++)
    if (tree->bodies[k].name && !strcmp(tree->bodies[k].name, name)) return k;
  return -1;
}

int pf_tree_find_joint(const PfTree *tree, const char *name)
{
  for (int k = 0; k < tree->count; k++)
    if (tree->bodies[k].joint_name && !strcmp(tree->bodies[k].joint_name, name)) return k;
  return -1;
}
