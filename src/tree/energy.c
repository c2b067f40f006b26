/* SPDX-License-Identifier: Apache-2.0 */
/* Energies from what a sweep outward has left: one more such sweep, with linear velocity and gravity in node axes. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

static const double ZERO[6] = {0};

/* Bodies that are welded to the inertial frame do not move, but have weight. */
static double potential_of_fixed(const PfTree *tree)
{
  double sum = 0;
  for (int b = 0; b < tree->count; b++) {
    const Body *body = &tree->bodies[b];
    if (tree->node_of[b] >= 0 || body->mass == 0) continue;
    const double *place = tree->in_node + 12*(size_t)b;
    double c[3];
    turn3_back(place, body->com, c);
    add3(c, place + 9);
    sum -= body->mass*dot3(tree->gravity, c);
  }
  return sum;
}

/* What the joint itself adds to the linear velocity of the node. */
static void add_joint_velocity(const PfTreeWork *work, int k, const double *v, double u[3])
{
  const Node *node = &work->tree->nodes[k];
  if (node->kind == NODE_REVOLUTE || node->kind == NODE_BALL) return;
  double H[36];
  const int nv = node_columns(work, k, H);
  for (int i = 0; i < nv; i++) add_scaled(u, v[node->v + i], H + 6*i + 3, 3);
}

/* m u^2/2 + u.(w x mc) + w.J w/2 */
static double kinetic_of(const Mass *mass, const double w[3], const double u[3])
{
  double swing[3], spin[3];
  cross3(w, mass->mc, swing);
  sym3_mul(mass->J, w, spin);
  return 0.5*(mass->m*dot3(u, u) + dot3(w, spin)) + dot3(u, swing);
}

void pf_tree_energies(PfTreeWork *work, const double *q, const double *v, double *kinetic, double *potential)
{
  const PfTree *tree = work->tree;
  double *heights = work->scratch; /* gravity times the way to the node */
  if (q) pf_tree_sweep_out(work, q, v);
  *kinetic = 0;
  *potential = potential_of_fixed(tree);
  for (int k = 0; k < tree->node_count; k++) {
    const int parent = tree->nodes[k].parent;
    const double *above = parent < 0 ? ZERO : work->A + 6*(size_t)parent;
    const double *gravity = parent < 0 ? tree->gravity : above + 3;
    double *u = work->A + 6*(size_t)k, *g = u + 3, l[3];
    node_length(work, k, l);
    heights[k] = (parent < 0 ? 0 : heights[parent]) + dot3(gravity, l);
    memcpy(g, gravity, 3*sizeof *g);
    cross3(parent < 0 ? ZERO : work->kin[parent].w, l, u);
    add3(u, above);
    node_back(work, k, u);
    node_back(work, k, g);
    add_joint_velocity(work, k, v, u);
    *kinetic += kinetic_of(&tree->masses[k], work->kin[k].w, u);
    *potential -= tree->masses[k].m*heights[k] + dot3(g, tree->masses[k].mc);
  }
}
