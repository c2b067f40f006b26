/* SPDX-License-Identifier: Apache-2.0 */
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

static PfStatus build(const Assembly *a, PfTreeBuilder *builder, PfTree **tree)
{
  pf_tree_builder_gravity(builder, a->gravity);
  for (int k = 0; k < a->count; k++) PF_TRY(pf_tree_builder_add(builder, &a->parts[k].body, NULL));
  return pf_tree_builder_finish(builder, tree);
}

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
  PF_TRY(pf_tree_builder_new(a->ctx, &builder));
  PfStatus status = build(a, builder, &change->tree);
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

typedef struct Sorting {
  int *first, *next, *order, *to;
} Sorting;

/* Preorder below `root`, behind what is there already. */
static int append_subtree(const Assembly *a, const Sorting *sort, int root, int at)
{
  int k = root;
  for (;;) {
    sort->order[at++] = k;
    if (sort->first[k] >= 0) {
      k = sort->first[k];
      continue;
    }
    while (k != root && sort->next[k] < 0) k = a->parts[k].body.parent;
    if (k == root) return at;
    k = sort->next[k];
  }
}

static void link_children(const Assembly *a, const Sorting *sort)
{
  for (int k = 0; k < a->count; k++) sort->first[k] = sort->next[k] = -1;
  for (int k = a->count - 1; k >= 0; k--) {
    const int parent = a->parts[k].body.parent;
    if (parent < 0) continue;
    sort->next[k] = sort->first[parent];
    sort->first[parent] = k;
  }
}

PfStatus pf_assembly_sort(Assembly *a, int root)
{
  const Sorting sort = {pf_arena_array(a->arena, int, a->count), pf_arena_array(a->arena, int, a->count),
                        pf_arena_array(a->arena, int, a->count), pf_arena_array(a->arena, int, a->count)};
  Part *parts = pf_arena_array(a->arena, Part, a->count);
  if (!sort.first || !sort.next || !sort.order || !sort.to || !parts) return pf_no_room(a->ctx, "the change of a tree");
  link_children(a, &sort);
  const int last = append_subtree(a, &sort, root, 0);
  for (int k = 0; k < a->count; k++) sort.to[k] = -1;
  for (int i = 0; i < last; i++) sort.to[sort.order[i]] = a->count - last + i;
  for (int k = 0, at = 0; k < a->count; k++)
    if (sort.to[k] < 0) sort.to[k] = at++;
  for (int k = 0; k < a->count; k++) {
    Part *part = &parts[sort.to[k]];
    *part = a->parts[k];
    if (part->body.parent >= 0) part->body.parent = sort.to[part->body.parent];
  }
  a->parts = parts;
  return PF_OK;
}

/* ---------------------------------------------------------------- frames */

void pf_part_placement(const Part *part, double R[9], double s[3])
{
  pf_quat_rotation(part->body.quat, R);
  memcpy(s, part->body.pos, 3*sizeof *s);
}

void pf_part_place(Part *part, const double R[9], const double s[3])
{
  pf_rotation_quat(R, part->body.quat);
  memcpy(part->body.pos, s, 3*sizeof *s);
}

/* X^-1 Y */
static void relative_pose(const double R[9], const double s[3], const double Ry[9], const double sy[3], double Rz[9],
                          double sz[3])
{
  double back[9];
  const double d[3] = {sy[0] - s[0], sy[1] - s[1], sy[2] - s[2]};
  transpose33(R, back);
  mul33(back, Ry, Rz);
  turn3(back, d, sz);
}

void pf_part_move_frame(Assembly *a, int k, const double R[9], const double s[3])
{
  PfTreeBody *body = &a->parts[k].body;
  double back[9], half[9], I[9], c[3];
  transpose33(R, back);
  for (int i = 0; i < 3; i++) c[i] = body->com[i] - s[i];
  turn3(back, c, body->com);
  mul33(back, body->inertia, half);
  mul33(half, R, I);
  memcpy(body->inertia, I, sizeof I);
  for (int child = 0; child < a->count; child++) {
    if (a->parts[child].body.parent != k) continue;
    double Rc[9], sc[3], Rn[9], sn[3];
    pf_part_placement(&a->parts[child], Rc, sc);
    relative_pose(R, s, Rc, sc, Rn, sn);
    pf_part_place(&a->parts[child], Rn, sn);
  }
}

static void clear_joint(Part *part)
{
  memset(part->body.stiffness, 0, sizeof part->body.stiffness);
  memset(part->body.spring_ref, 0, sizeof part->body.spring_ref);
  memset(part->body.damping, 0, sizeof part->body.damping);
  memset(part->locked, 0, sizeof part->locked);
}

void pf_part_free(Part *part, const double E[9], const double r[3], const double V[6])
{
  clear_joint(part);
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

static void swap2(double x[2])
{
  const double t = x[0];
  x[0] = x[1];
  x[1] = t;
}

static void conjugate(double q[4])
{
  for (int i = 1; i < 4; i++) q[i] = -q[i];
}

/* (R, d) becomes (R^T, -R^T d): coordinates, rates, axes and springs of the joint seen from the other side. */
static void reverse_joint(Part *p)
{
  double R[9], back[3], rate[3], turn[3];
  PfTreeBody *b = &p->body;
  for (int i = 0; i < 6; i++) b->spring_ref[i] = -b->spring_ref[i];
  switch (b->joint) {
  case PF_JOINT_UNIVERSAL:
    for (int i = 0; i < 3; i++) {
      const double t = b->axis[i];
      b->axis[i] = b->axis2[i];
      b->axis2[i] = t;
    }
    swap2(p->q), swap2(p->v), swap2(b->stiffness), swap2(b->spring_ref), swap2(b->damping);
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
    for (int i = 0; i < 3; i++) p->v[i] = -p->v[i];
    conjugate(p->q);
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

/* Laws that are given along the axes of one side have no equal on the other. */
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

static PfStatus check_path(const Assembly *a, const PfTree *tree, int root)
{
  char name[80];
  for (int k = root; k >= 0; k = a->parts[k].body.parent) {
    pf_tree_name(tree, k, name, sizeof name);
    const int last = a->parts[k].body.parent < 0;
    if (last && a->parts[k].body.joint != PF_JOINT_FREE)
      return pf_fail(a->ctx, PF_ERR_MODEL,
                     "the tree cannot get a new root: %s hangs on the inertial frame by a %s joint, not a "
                     "free one", name, pf_joint_name(a->parts[k].body.joint));
    if (!last && !can_reverse(&a->parts[k]))
      return pf_fail(a->ctx, PF_ERR_MODEL,
                     "the %s joint of %s cannot be reversed: its springs, dampers or locks are along the "
                     "axes of one side", pf_joint_name(a->parts[k].body.joint), name);
  }
  return PF_OK;
}

/* The joint of `from`, reversed, becomes that of `to`, a body that so far was its parent. */
static void hand_over_joint(const Part *from, Part *to)
{
  const PfTreeBody keep = to->body;
  const int number = to->from;
  *to = *from;
  to->from = number;
  to->body.name = keep.name;
  to->body.mass = keep.mass;
  memcpy(to->body.com, keep.com, sizeof keep.com);
  memcpy(to->body.inertia, keep.inertia, sizeof keep.inertia);
  reverse_joint(to);
}

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
    pf_part_placement(&joint, R, s);
    pf_part_move_frame(a, above, R, s); /* `below` is no longer its child */
    hand_over_joint(&joint, &a->parts[above]);
    a->parts[above].body.parent = below;
    pf_part_place(&a->parts[above], Rb, sb);
    relative_pose(R, s, unit, zero, Rb, sb);
    joint = next;
    below = above;
    above = next.body.parent;
  }
  return PF_OK;
}
