/* SPDX-License-Identifier: Apache-2.0 */
/* From bodies to nodes. The rotation from a node to its parent, before the joint moves, is Rz(f) Rx(a) Rz(p). The last
 * of these commutes with a joint about z and becomes its offset; the first is taken away by turning the frame of the
 * parent, whose joint is also about z, for one child of each. What is left of an edge in a chain is a turn about x, the
 * joint and a shift: carrying a 6 x 6 matrix over it takes 110 products instead of 230. */
#include "tree/tree_impl.h"

typedef struct Making {
  PfTree *tree;
  int *order;              /* bodies, parents first, subtrees contiguous */
  int *first, *next;       /* children of a body, -1 ends; first[count] are the roots */
  double *R, *o;           /* per body: its pose in the frame of the body whose joint the node is */
  double *Q;               /* per node: node axes to axes of its body */
  double *third, *lead;    /* per node: angle p, angle f */
} Making;

static bool is_axial(int kind)
{
  return kind == NODE_REVOLUTE || kind == NODE_PRISMATIC || kind == NODE_SCREW;
}

/* The kind of the node of a joint: those without a kind of their own are general. */
static int node_kind(PfJoint joint)
{
  switch (joint) {
  case PF_JOINT_REVOLUTE: return NODE_REVOLUTE;
  case PF_JOINT_PRISMATIC: return NODE_PRISMATIC;
  case PF_JOINT_SCREW: return NODE_SCREW;
  case PF_JOINT_SPHERICAL: return NODE_BALL;
  case PF_JOINT_FREE: return NODE_FREE;
  default: return NODE_GENERAL;
  }
}

/* Preorder without recursion: down to the first child, else to the next of the nearest ancestor that has one. */
static void put_in_order(Making *make)
{
  const PfTree *tree = make->tree;
  const int n = tree->count;
  for (int k = 0; k <= n; k++) make->first[k] = -1;
  for (int k = n - 1; k >= 0; k--) { /* backwards, so that the first child stands first */
    const int parent = tree->bodies[k].parent < 0 ? n : tree->bodies[k].parent;
    make->next[k] = make->first[parent];
    make->first[parent] = k;
  }
  int k = make->first[n];
  for (int i = 0; i < n; i++) {
    make->order[i] = k;
    if (make->first[k] >= 0) {
      k = make->first[k];
      continue;
    }
    while (k >= 0 && make->next[k] < 0) k = tree->bodies[k].parent;
    if (k >= 0) k = make->next[k];
  }
}

/* Where the joint frame of a body stands in the frame of the node it hangs on. */
static void placement(const Making *make, const Body *body, double R[9], double s[3])
{
  if (body->parent < 0) {
    memcpy(R, body->R, 9*sizeof *R);
    memcpy(s, body->s, 3*sizeof *s);
    return;
  }
  const double *Rp = make->R + 9*(size_t)body->parent;
  mul33(Rp, body->R, R);
  turn3(Rp, body->s, s);
  add3(s, make->o + 3*(size_t)body->parent);
}

/* Bodies that are not welded to their parent become nodes, in the order of the bodies. */
static void number_nodes(Making *make)
{
  PfTree *tree = make->tree;
  for (int i = 0; i < tree->count; i++) {
    const int k = make->order[i];
    const Body *body = &tree->bodies[k];
    const int above = body->parent < 0 ? -1 : tree->node_of[body->parent];
    if (body->joint == PF_JOINT_WELD) {
      tree->node_of[k] = above;
      placement(make, body, make->R + 9*(size_t)k, make->o + 3*(size_t)k);
      continue;
    }
    const int kind = node_kind(body->joint);
    tree->node_of[k] = tree->node_count;
    identity33(make->R + 9*(size_t)k);
    tree->nodes[tree->node_count++] =
        (Node){.parent = above, .kind = kind, .q = body->q, .v = body->v, .slot = -1, .flags = NODE_LEAF,
               .extra = is_axial(kind) ? -1 : tree->extra_count++, .body = k};
  }
}

/* A rotation whose third column is the axis. */
static void axis_frame(const double axis[3], double Q[9])
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) < fabs(axis[least])) least = i;
  double x[3] = {0}, y[3];
  if (axis[2] == 1) least = 0; /* z itself keeps its frame */
  x[least] = 1;
  for (int i = 0; i < 3; i++) x[i] -= axis[least]*axis[i];
  const double length = sqrt(dot3(x, x));
  for (int i = 0; i < 3; i++) x[i] /= length;
  cross3(axis, x, y);
  for (int i = 0; i < 3; i++) Q[3*i] = x[i], Q[3*i + 1] = y[i], Q[3*i + 2] = axis[i];
}

/* K = Q_parent^T R Q, with R from the joint frame to the frame of the parent's body. */
static void relative_turn(const Making *make, int k, const double R[9], double K[9])
{
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int parent = make->tree->nodes[k].parent;
  double half[9];
  mul33_back(parent < 0 ? unit : make->Q + 9*(size_t)parent, R, half);
  mul33(half, make->Q + 9*(size_t)k, K);
}

/* The frame of each node as it comes, its axis along z and the angle about it open, and the turn to its parent. */
static void first_frames(Making *make)
{
  PfTree *tree = make->tree;
  for (int k = 0; k < tree->node_count; k++) {
    const Node *node = &tree->nodes[k];
    double R[9], at[3], K[9];
    if (!is_axial(node->kind)) {
      identity33(make->Q + 9*(size_t)k);
      continue;
    }
    axis_frame(tree->bodies[node->body].axis, make->Q + 9*(size_t)k);
    placement(make, &tree->bodies[node->body], R, at);
    relative_turn(make, k, R, K);
    /* K = Rz(f) Rx(a) Rz(p). The last angle is taken from what the others leave, which is safe when a is tiny. */
    const double sine = hypot(K[2], K[5]), norm = hypot(sine, K[8]), f = sine > 0 ? atan2(K[2], -K[5]) : 0;
    Edge *edge = &tree->edges[k];
    edge->ca = K[8]/norm;
    edge->sa = sine/norm;
    const double c = cos(f), s = sin(f);
    make->lead[k] = f;
    make->third[k] = atan2(edge->ca*(c*K[3] - s*K[0]) + edge->sa*K[6], c*K[0] + s*K[3]);
  }
}

/* Each axial node turns by the leading angle of its first axial child, which then needs none. `offsets` holds that turn
 * until the node's own third angle is added to it. */
static void turn_frames(Making *make)
{
  PfTree *tree = make->tree;
  for (int k = tree->node_count - 1; k >= 0; k--) { /* the first child comes last */
    const int parent = tree->nodes[k].parent;
    if (parent >= 0 && is_axial(tree->nodes[k].kind) && is_axial(tree->nodes[parent].kind))
      tree->offsets[parent] = make->lead[k];
  }
  for (int k = tree->node_count - 1; k >= 0; k--) {
    const int parent = tree->nodes[k].parent;
    if (!is_axial(tree->nodes[k].kind)) continue;
    const double lead = make->lead[k] - (parent >= 0 ? tree->offsets[parent] : 0);
    tree->leads[k] = (Lead){cos(lead), sin(lead)};
    if (lead != 0) tree->nodes[k].flags |= NODE_TURNED;
    double turn[9], Q[9];
    pf_rotation_about((const double[]){0, 0, 1}, tree->offsets[k], turn);
    mul33(make->Q + 9*(size_t)k, turn, Q);
    memcpy(make->Q + 9*(size_t)k, Q, sizeof Q);
    tree->offsets[k] += make->third[k];
  }
}

/* Displacements from the parent in its node axes, fixed rotations of general joints, directions of slides. */
static void set_lengths(Making *make)
{
  PfTree *tree = make->tree;
  for (int k = 0; k < tree->node_count; k++) {
    const Node *node = &tree->nodes[k];
    Edge *edge = &tree->edges[k];
    double R[9], s[3];
    placement(make, &tree->bodies[node->body], R, s);
    if (node->parent >= 0) turn3_back(make->Q + 9*(size_t)node->parent, s, s);
    memcpy(edge->l, s, sizeof s);
    if (node->extra >= 0) {
      relative_turn(make, k, R, tree->fixed[node->extra].Rt);
      pf_rotation_quat(tree->fixed[node->extra].Rt, tree->fixed[node->extra].quat);
      memcpy(tree->fixed[node->extra].s, s, sizeof s);
    }
    if (node->kind == NODE_PRISMATIC || node->kind == NODE_SCREW) {
      double *slide = tree->slide + 4*(size_t)k;
      slide[0] = tree->leads[k].s*edge->sa, slide[1] = -tree->leads[k].c*edge->sa, slide[2] = edge->ca;
      slide[3] = node->kind == NODE_SCREW ? tree->bodies[node->body].pitch : 1;
    }
  }
}

/* The mass of each node is that of all bodies that are welded together, by Steiner's theorem; and where each body is in
 * its node. */
static void set_masses(Making *make)
{
  PfTree *tree = make->tree;
  for (int k = 0; k < tree->count; k++) {
    const int node = tree->node_of[k];
    double *to = tree->in_node + 12*(size_t)k, R[9], o[3];
    memcpy(R, make->R + 9*(size_t)k, sizeof R);
    memcpy(o, make->o + 3*(size_t)k, sizeof o);
    if (node >= 0) { /* from the frame of the node's body to node axes */
      mul33_back(make->Q + 9*(size_t)node, make->R + 9*(size_t)k, R);
      turn3_back(make->Q + 9*(size_t)node, o, o);
      const Body *body = &tree->bodies[k];
      const double *from = body->I, I[6] = {from[0], from[1], from[2], from[4], from[5], from[8]}, m = body->mass;
      Mass *sum = &tree->masses[node];
      double c[3], turned[6];
      turn3(R, body->com, c);
      add3(c, o);
      sym3_turn(R, I, turned);
      const double square = dot3(c, c);
      for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++) sum->J[at] += turned[at] + m*((i == j ? square : 0) - c[i]*c[j]);
      for (int i = 0; i < 3; i++) sum->mc[i] += m*c[i];
      sum->m += m;
    }
    transpose33(R, to);
    memcpy(to + 9, o, sizeof o);
  }
}

/* Constants of the nodes in groups of LANES, as the loops of inverse dynamics read them. */
static void set_packs(PfTree *tree)
{
  for (int k = 0; k < tree->node_count; k++) {
    Pack *pack = &tree->packs[lane_group(k)];
    const Edge *edge = &tree->edges[k];
    const Lead *lead = &tree->leads[k];
    const Mass *mass = &tree->masses[k];
    const double turn[8] = {lead->c, lead->s, -lead->s*edge->ca, lead->c*edge->ca, edge->sa,
                            lead->s*edge->sa, -lead->c*edge->sa, edge->ca};
    const double half = 0.5*(mass->J[0] + mass->J[3] + mass->J[5]);
    const double *from = tree->nodes[k].extra < 0 ? turn : tree->fixed[tree->nodes[k].extra].quat;
    for (int i = 0; i < (from == turn ? 8 : 4); i++) of_lane(pack->turn, k)[i*LANES] = from[i];
    for (int i = 0; i < 3; i++) of_lane(pack->l, k)[i*LANES] = edge->l[i];
    for (int i = 0; i < 6; i++) of_lane(pack->S, k)[i*LANES] = (i == 0 || i == 3 || i == 5 ? half : 0) - mass->J[i];
    for (int i = 0; i < 3; i++) of_lane(pack->mc, k)[i*LANES] = mass->mc[i];
    *of_lane(&pack->m, k) = mass->m;
  }
}

/* Sums over children are kept only as long as they are needed: a chain gets along with one place, always in the
 * cache. */
static void set_slots(Making *make)
{
  PfTree *tree = make->tree;
  int *spare = make->next, spares = 0; /* no longer needed for the order */
  for (int k = tree->node_count - 1; k >= 0; k--) {
    Node *node = &tree->nodes[k];
    if (node->parent >= 0 && tree->nodes[node->parent].slot < 0) {
      Node *parent = &tree->nodes[node->parent];
      node->flags |= NODE_FIRST;
      parent->flags &= ~NODE_LEAF;
      parent->slot = node->slot >= 0 ? node->slot : spares ? spare[--spares] : tree->slot_count++;
    } else if (node->slot >= 0) {
      spare[spares++] = node->slot;
    }
  }
}

/* Which nodes have springs or dampers, how many rates are below each, and whether the nodes are a chain. */
static void set_rates(PfTree *tree)
{
  tree->in_line = 1;
  for (int k = 0; k < tree->node_count; k++) {
    Node *node = &tree->nodes[k];
    for (int i = 0; tree->springs && i < pf_joint_nv(tree->bodies[node->body].joint); i++) {
      const Spring *spring = &tree->springs[node->v + i];
      if (spring->stiffness != 0 || spring->damping != 0) node->flags |= NODE_PASSIVE;
    }
    tree->depths[k] = 0;
    if (node->parent >= 0) {
      const Body *above = &tree->bodies[tree->nodes[node->parent].body];
      tree->depths[k] = tree->depths[node->parent] + pf_joint_nv(above->joint);
    }
    tree->in_line &= node->parent == k - 1 && tree->depths[k] == node->v;
  }
}

/* All arrays of the nodes, in the arena of the tree, and those of their making, in the scratch arena; false without
 * memory. */
static bool make_room(PfTree *tree, PfArena *scratch, Making *make)
{
  const size_t n = (size_t)tree->count;
  size_t nodes = 0, extras = 0, slides = 0;
  for (size_t k = 0; k < n; k++) {
    const PfJoint joint = tree->bodies[k].joint;
    nodes += joint != PF_JOINT_WELD;
    extras += joint != PF_JOINT_WELD && !is_axial(node_kind(joint));
    slides += joint == PF_JOINT_PRISMATIC || joint == PF_JOINT_SCREW;
  }
  tree->nodes = pf_arena_array(tree->arena, Node, nodes);
  tree->edges = pf_arena_array(tree->arena, Edge, nodes);
  tree->leads = pf_arena_array(tree->arena, Lead, nodes);
  tree->offsets = pf_arena_array(tree->arena, double, nodes);
  tree->depths = pf_arena_array(tree->arena, int, nodes);
  tree->masses = pf_arena_array(tree->arena, Mass, nodes);
  tree->slide = pf_arena_array(tree->arena, double, slides ? 4*nodes : 0);
  tree->fixed = pf_arena_array(tree->arena, Fixed, extras);
  tree->packs = pf_arena_array(tree->arena, Pack, lane_groups(nodes));
  tree->node_of = pf_arena_array(tree->arena, int, n);
  tree->in_node = pf_arena_array(tree->arena, double, 12*n);
  *make = (Making){tree, pf_arena_array(scratch, int, n), pf_arena_array(scratch, int, n + 1),
                   pf_arena_array(scratch, int, n), pf_arena_array(scratch, double, 9*n),
                   pf_arena_array(scratch, double, 3*n), pf_arena_array(scratch, double, 9*nodes),
                   pf_arena_array(scratch, double, nodes), pf_arena_array(scratch, double, nodes)};
  return tree->nodes && tree->edges && tree->leads && tree->offsets && tree->depths && tree->masses && tree->slide &&
         tree->fixed && tree->packs && tree->node_of && tree->in_node && make->order && make->first &&
         make->next && make->R && make->o && make->Q && make->third && make->lead;
}

PfStatus pf_tree_make_nodes(PfContext *ctx, PfTree *tree)
{
  PfArena *scratch = pf_context_scratch(ctx);
  const PfMark mark = pf_arena_mark(scratch);
  Making make;
  const bool room = make_room(tree, scratch, &make);
  if (room) {
    put_in_order(&make);
    number_nodes(&make);
    first_frames(&make);
    turn_frames(&make);
    set_lengths(&make);
    set_masses(&make);
    set_packs(tree);
    set_slots(&make);
    set_rates(tree);
  }
  pf_arena_release(scratch, mark);
  return room ? PF_OK : PF_ERR_MEMORY;
}
