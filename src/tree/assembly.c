/* SPDX-License-Identifier: Apache-2.0 */
/* Editing a tree: bodies with their state, moved frames, reversed joints, a new root (4.4 of docs/spatial.md), and the
 * tree that is made of them. */
#include "tree/assembly.h"

PfStatus pf_assembly_take(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                          Assembly *a)
{
  *a = (Assembly){.ctx = ctx, .arena = arena, .count = tree->count, .parts = pf_arena_array(arena, Part, tree->count)};
  if (!a->parts) return pf_no_room(ctx, "the change of a tree");
  memcpy(a->gravity, tree->gravity, sizeof a->gravity);
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    Part *part = &a->parts[k];
    part->body = pf_tree_get(tree, k);
    part->from = k;
    memcpy(part->q, q + body->q, (size_t)pf_joint_nq(body->joint)*sizeof *q);
    memcpy(part->v, v + body->v, (size_t)pf_joint_nv(body->joint)*sizeof *v);
    for (int i = 0; tree->locked && i < pf_joint_nv(body->joint); i++) part->locked[i] = tree->locked[body->v + i];
  }
  return PF_OK;
}

/* The locks of the parts, in a tree that has none yet. */
static PfStatus put_locks(const Assembly *a, PfTree *tree)
{
  int any = 0;
  for (int k = 0; k < a->count; k++)
    for (int i = 0; i < pf_joint_nv(a->parts[k].body.joint); i++) any |= a->parts[k].locked[i];
  if (!any) return PF_OK;
  tree->locked = pf_arena_array(tree->arena, unsigned char, tree->nv);
  if (!tree->locked) return pf_no_room(a->ctx, "the change of a tree");
  for (int k = 0; k < a->count; k++)
    memcpy(tree->locked + tree->bodies[k].v, a->parts[k].locked, (size_t)pf_joint_nv(a->parts[k].body.joint));
  return PF_OK;
}

/* State and numbers of the parts in the change that callers get; its other arrays are zero. */
static PfStatus put_state(const Assembly *a, PfTreeChange *change)
{
  const PfTree *tree = change->tree;
  const size_t n = (size_t)tree->count;
  change->q = pf_arena_array(a->arena, double, tree->nq);
  change->v = pf_arena_array(a->arena, double, tree->nv);
  change->from = pf_arena_array(a->arena, int, n);
  change->jump = pf_arena_array(a->arena, double, 6*n);
  change->interface_impulse = pf_arena_array(a->arena, double, 6*n);
  change->joint_impulse = pf_arena_array(a->arena, double, tree->nv + 6);
  if (!change->q || !change->v || !change->from || !change->jump || !change->interface_impulse ||
      !change->joint_impulse)
    return pf_no_room(a->ctx, "the change of a tree");
  for (int k = 0; k < tree->count; k++) {
    const Part *part = &a->parts[k];
    memcpy(change->q + tree->bodies[k].q, part->q, (size_t)pf_joint_nq(part->body.joint)*sizeof *part->q);
    memcpy(change->v + tree->bodies[k].v, part->v, (size_t)pf_joint_nv(part->body.joint)*sizeof *part->v);
    change->from[k] = part->from;
  }
  return PF_OK;
}

PfStatus pf_assembly_put(const Assembly *a, PfTreeChange *change)
{
  PfTreeBuilder *builder;
  PfStatus status = PF_OK;
  PF_TRY(pf_tree_builder_new(a->ctx, &builder));
  pf_tree_builder_gravity(builder, a->gravity);
  for (int k = 0; k < a->count && status == PF_OK; k++)
    status = pf_tree_builder_add(builder, &a->parts[k].body, NULL);
  if (status == PF_OK) status = pf_tree_builder_finish(builder, &change->tree);
  pf_tree_builder_free(builder);
  if (status == PF_OK) status = put_locks(a, change->tree);
  if (status == PF_OK) status = put_state(a, change);
  if (status != PF_OK) {
    pf_tree_free(change->tree);
    change->tree = NULL;
  }
  return status;
}

/* ---------------------------------------------------------------- numbers */

/* The subtree of the root is put into preorder by lists of children, without recursion. */
PfStatus pf_assembly_sort(Assembly *a, int root)
{
  int *first = pf_arena_array(a->arena, int, a->count), *next = pf_arena_array(a->arena, int, a->count);
  int *order = pf_arena_array(a->arena, int, a->count), *to = pf_arena_array(a->arena, int, a->count), last = 0;
  Part *parts = pf_arena_array(a->arena, Part, a->count);
  if (!first || !next || !order || !to || !parts) return pf_no_room(a->ctx, "the change of a tree");
  for (int k = 0; k < a->count; k++) first[k] = next[k] = to[k] = -1;
  for (int k = a->count - 1; k >= 0; k--) {
    const int parent = a->parts[k].body.parent;
    if (parent < 0) continue;
    next[k] = first[parent];
    first[parent] = k;
  }
  for (int k = root;;) {
    order[last++] = k;
    if (first[k] >= 0) {
      k = first[k];
      continue;
    }
    while (k != root && next[k] < 0) k = a->parts[k].body.parent;
    if (k == root) break;
    k = next[k];
  }
  for (int i = 0; i < last; i++) to[order[i]] = a->count - last + i;
  for (int k = 0, at = 0; k < a->count; k++)
    if (to[k] < 0) to[k] = at++;
  for (int k = 0; k < a->count; k++) {
    Part *part = &parts[to[k]];
    *part = a->parts[k];
    if (part->body.parent >= 0) part->body.parent = to[part->body.parent];
  }
  a->parts = parts;
  return PF_OK;
}

/* ---------------------------------------------------------------- frames */

/* The pose (R, s) of the part's placement. */
static void placement_pose(const Part *part, double R[9], double s[3])
{
  pf_quat_rotation(part->body.quat, R);
  memcpy(s, part->body.pos, 3*sizeof *s);
}

void pf_part_place(Part *part, const double R[9], const double s[3])
{
  pf_rotation_quat(R, part->body.quat);
  memcpy(part->body.pos, s, 3*sizeof *s);
}

/* The pose (Rz, sz) = X^-1 Y of X = (R, s) and Y = (Ry, sy). */
static void relative_pose(const double R[9], const double s[3], const double Ry[9], const double sy[3], double Rz[9],
                          double sz[3])
{
  const double d[3] = {sy[0] - s[0], sy[1] - s[1], sy[2] - s[2]};
  mul33_back(R, Ry, Rz);
  turn3_back(R, d, sz);
}

void pf_part_move_frame(Assembly *a, int k, const double R[9], const double s[3])
{
  PfTreeBody *body = &a->parts[k].body;
  double half[9], c[3];
  for (int i = 0; i < 3; i++) c[i] = body->com[i] - s[i];
  turn3_back(R, c, body->com);
  mul33_back(R, body->inertia, half);
  mul33(half, R, body->inertia);
  for (int child = 0; child < a->count; child++) {
    if (a->parts[child].body.parent != k) continue;
    double Rc[9], sc[3], Rn[9], sn[3];
    placement_pose(&a->parts[child], Rc, sc);
    relative_pose(R, s, Rc, sc, Rn, sn);
    pf_part_place(&a->parts[child], Rn, sn);
  }
}

void pf_part_free(Part *part, const double E[9], const double r[3], const double V[6])
{
  memset(part->body.stiffness, 0, sizeof part->body.stiffness);
  memset(part->body.spring_ref, 0, sizeof part->body.spring_ref);
  memset(part->body.damping, 0, sizeof part->body.damping);
  memset(part->locked, 0, sizeof part->locked);
  part->body.joint = PF_JOINT_FREE;
  part->body.joint_name = NULL;
  part->body.parent = -1;
  memcpy(part->body.quat, (const double[]){1, 0, 0, 0}, sizeof part->body.quat);
  memset(part->body.pos, 0, sizeof part->body.pos);
  pf_rotation_quat(E, part->q);
  memcpy(part->q + 4, r, 3*sizeof *r);
  turn3_back(E, V, part->v);
  memcpy(part->v + 3, V + 3, 3*sizeof *V);
}

/* ---------------------------------------------------------------- re-rooting, 4.4 */

static void swap(double *a, double *b)
{
  const double t = *a;
  *a = *b;
  *b = t;
}

/* (R, d) becomes (R^T, -R^T d): coordinates, rates, axes and springs of the joint seen from the other side. */
static void reverse_joint(Part *p)
{
  double R[9], back[3], rate[3], turn[3];
  PfTreeBody *b = &p->body;
  for (int i = 0; i < 6; i++) b->spring_ref[i] = -b->spring_ref[i];
  switch (b->joint) {
  case PF_JOINT_UNIVERSAL:
    for (int i = 0; i < 3; i++) swap(&b->axis[i], &b->axis2[i]);
    for (int i = 0; i < 5; i++) {
      double *pair = (double *[]){p->q, p->v, b->stiffness, b->spring_ref, b->damping}[i];
      swap(&pair[0], &pair[1]);
    }
    const unsigned char t = p->locked[0];
    p->locked[0] = p->locked[1];
    p->locked[1] = t;
  /* fall through */
  default:
    for (int i = 0; i < pf_joint_nv(b->joint); i++) p->q[i] = -p->q[i], p->v[i] = -p->v[i];
    break;
  case PF_JOINT_SPHERICAL:
  case PF_JOINT_FREE:
    pf_quat_rotation(p->q, R);
    turn3_back(R, p->q + 4, back); /* R^T d; not used by spherical joints */
    turn3_back(R, p->v + 3, rate);
    cross3(p->v, back, turn);
    for (int i = 0; i < 3; i++) p->q[4 + i] = -back[i], p->v[3 + i] = turn[i] - rate[i];
    turn3(R, p->v, p->v);
    for (int i = 0; i < 3; i++) p->v[i] = -p->v[i], p->q[1 + i] = -p->q[1 + i];
    break;
  case PF_JOINT_PLANAR:
    pf_rotation_about((const double[]){0, 0, 1}, p->q[2], R);
    turn3_back(R, (const double[]){p->q[0], p->q[1], 0}, back);
    turn3_back(R, (const double[]){p->v[0], p->v[1], 0}, rate);
    p->q[0] = -back[0], p->q[1] = -back[1], p->q[2] = -p->q[2];
    p->v[0] = -rate[0] - p->v[2]*back[1], p->v[1] = -rate[1] + p->v[2]*back[0], p->v[2] = -p->v[2];
    break;
  }
}

/* Can the joint be reversed? Laws that are given along the axes of one side have no equal on the other. */
static int can_reverse(const Part *p)
{
  const PfTreeBody *b = &p->body;
  const int nv = pf_joint_nv(b->joint);
  if (b->joint != PF_JOINT_SPHERICAL && b->joint != PF_JOINT_PLANAR && b->joint != PF_JOINT_FREE) return 1;
  if (b->joint == PF_JOINT_PLANAR)
    return b->stiffness[0] == 0 && b->stiffness[1] == 0 && b->damping[0] == 0 && b->damping[1] == 0 &&
           p->locked[0] == p->locked[1];
  for (int i = 0; i < nv; i++) {
    if (p->locked[i] != p->locked[0]) return 0;
    if (b->joint == PF_JOINT_FREE && (b->stiffness[i] != 0 || b->damping[i] != 0)) return 0;
    if (b->stiffness[i] != b->stiffness[0] || b->damping[i] != b->damping[0] || b->spring_ref[i] != 0) return 0;
  }
  return 1;
}

/* Fails unless all joints from the new root down to the inertial frame can be reversed, and the last one is free. */
static PfStatus check_path(const Assembly *a, const PfTree *tree, int root)
{
  for (int k = root; k >= 0; k = a->parts[k].body.parent) {
    const BodyName name = pf_body_name(tree, k);
    const int last = a->parts[k].body.parent < 0;
    if (last && a->parts[k].body.joint != PF_JOINT_FREE)
      return pf_fail(a->ctx, PF_ERR_MODEL,
                     "the tree cannot get a new root: %s hangs on the inertial frame by a %s joint, not a "
                     "free one", name.text, pf_joint_name(a->parts[k].body.joint));
    if (!last && !can_reverse(&a->parts[k]))
      return pf_fail(a->ctx, PF_ERR_MODEL,
                     "the %s joint of %s cannot be reversed: its springs, dampers or locks are along the "
                     "axes of one side", pf_joint_name(a->parts[k].body.joint), name.text);
  }
  return PF_OK;
}

/* Joint by joint from the new root to the old one: each joint, reversed, becomes that of the body above, which so far
 * was its parent, and whose frame moves to where the joint stands. */
PfStatus pf_assembly_reroot(Assembly *a, const PfTreeWork *work, int root)
{
  PF_TRY(check_path(a, work->tree, root));
  Part joint = a->parts[root]; /* the joint to reverse next, as it was */
  int below = root, above = joint.body.parent;
  double Rb[9], sb[3] = {0};   /* where the reversed joint stands in the body below: X_{i+1}^-1 */
  identity33(Rb);
  pf_part_free(&a->parts[root], work->E + 9*(size_t)root, work->r + 3*(size_t)root, work->V + 6*(size_t)root);
  while (above >= 0) {
    const Part next = a->parts[above];
    double R[9], s[3], zero[3] = {0}, unit[9];
    identity33(unit);
    placement_pose(&joint, R, s);
    pf_part_move_frame(a, above, R, s); /* `below` is no longer its child */
    Part *to = &a->parts[above];
    const PfTreeBody keep = to->body;
    const int number = to->from;
    *to = joint;
    to->from = number;
    to->body.name = keep.name;
    to->body.mass = keep.mass;
    memcpy(to->body.com, keep.com, sizeof keep.com);
    memcpy(to->body.inertia, keep.inertia, sizeof keep.inertia);
    reverse_joint(to);
    a->parts[above].body.parent = below;
    pf_part_place(&a->parts[above], Rb, sb);
    relative_pose(R, s, unit, zero, Rb, sb);
    joint = next;
    below = above;
    above = next.body.parent;
  }
  return PF_OK;
}
