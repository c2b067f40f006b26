/* SPDX-License-Identifier: Apache-2.0 */
/* Energies from the results of a sweep outward: one more such sweep, with linear velocity and gravity in node axes. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

static const double ZERO[6] = {0};

/* Adds the linear velocity of the joint itself to that of the node: H v. */
static void add_joint_velocity(const PfTreeWork *work, int k, const double *v, double u[3])
{
  const Node *node = &work->tree->nodes[k];
  if (node->kind == NODE_REVOLUTE || node->kind == NODE_BALL) return;
  double H[36];
  const int nv = node_columns(work, k, H);
  for (int i = 0; i < nv; i++) add_scaled(u, v[node->v + i], H + 6*i + 3, 3);
}

/* T = m u^2/2 + u.(w x mc) + w.J w/2 of each node; V = -m g.(way) - g.mc, with bodies that are welded to the inertial
 * frame: these do not move, but have weight. */
void pf_tree_energies(PfTreeWork *work, const double *q, const double *v, double *kinetic, double *potential)
{
  const PfTree *tree = work->tree;
  double *heights = work->scratch, sum = 0; /* gravity times the way to the node */
  if (q) pf_tree_sweep_out(work, q, v);
  *kinetic = 0;
  for (int b = 0; b < tree->count; b++) {
    const Body *body = &tree->bodies[b];
    if (tree->node_of[b] >= 0 || body->mass == 0) continue;
    const double *place = tree->in_node + 12*(size_t)b;
    double c[3];
    turn3_back(place, body->com, c);
    add3(c, place + 9);
    sum -= body->mass*dot3(tree->gravity, c);
  }
  *potential = sum;
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
    double swing[3], spin[3];
    cross3(work->kin[k].w, tree->masses[k].mc, swing);
    sym3_mul(tree->masses[k].J, work->kin[k].w, spin);
    *kinetic += 0.5*(tree->masses[k].m*dot3(u, u) + dot3(work->kin[k].w, spin)) + dot3(u, swing);
    *potential -= tree->masses[k].m*heights[k] + dot3(g, tree->masses[k].mc);
  }
}
