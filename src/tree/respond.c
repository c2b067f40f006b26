/* SPDX-License-Identifier: Apache-2.0 */
/* Products with M^-1 by the factors of the last solution: the recursion without velocities, O(n) and no new D,
 * section 5. M^-1 = (sum over joints) of eps^T D^-1 eps, so that w^T M^-1 u needs the inward sweep only. */
#include "tree/sweep.h"
#include "tree/tree_impl.h"

/* Inward over one node: zeta (6, changed) of this node, t its joint forces; eps of its free dofs. */
static void respond_in(const PfTreeWork *work, int k, const double *t, double *zeta, double *eps)
{
  const Node *node = &work->tree->nodes[k];
  const Dof *dof = &work->dofs[node->v];
  double H[36];
  const int nv = node_columns(work, k, H);
  for (int i = 0; i < nv; i++) {
    eps[i] = 0;
    if (work->masked && work->mask[node->v + i]) continue;
    eps[i] = (t ? t[i] : 0) - dot3(H + 6*i, zeta) - dot3(H + 6*i + 3, zeta + 3);
    add_scaled(zeta, eps[i], dof[i].g, 6);
  }
}

/* Adds zeta of node k, turned and shifted to its parent, to that of the parent. */
static void pass_up(const PfTreeWork *work, int k, double *zeta, double *to)
{
  double l[3], turn[3];
  node_up(work, k, zeta);
  node_up(work, k, zeta + 3);
  node_length(work, k, l);
  cross3(l, zeta + 3, turn);
  add_scaled(to, 1, zeta, 6);
  add3(to, turn);
}

/* Outward over one node: Y of this node from that of its parent; x of its dofs from eps. */
static void respond_out(const PfTreeWork *work, int k, const double *Yp, double *Y, double *x)
{
  static const double still[6] = {0};
  const Node *node = &work->tree->nodes[k];
  const Dof *dof = &work->dofs[node->v];
  double H[36], l[3];
  const int nv = node_columns(work, k, H);
  node_length(work, k, l);
  carry_acceleration(Yp, still, l, Y);
  node_back(work, k, Y);
  node_back(work, k, Y + 3);
  for (int i = nv - 1; i >= 0; i--) {
    if (work->masked && work->mask[node->v + i]) continue;
    x[i] = dof[i].d*x[i] - dot3(dof[i].g, Y) - dot3(dof[i].g + 3, Y + 3);
    add_scaled(Y, x[i], H + 6*i, 6);
  }
}

/* Fails with PF_ERR_ARGUMENT unless the workspace holds the factors of a forward solution. */
static PfStatus need_factors(const PfTreeWork *work)
{
  if (work->factored) return PF_OK;
  return pf_fail(work->ctx, PF_ERR_ARGUMENT,
                 "products with the inverse inertia need a forward or hybrid solution on this "
                 "workspace first");
}

/* Inward: eps of all dofs; outward: x. */
PfStatus pf_tree_respond(PfTreeWork *work, const double *t, const double *wrench, double *x)
{
  static const double still[6] = {0};
  const PfTree *tree = work->tree;
  double *zeta = work->scratch;
  PF_TRY(need_factors(work));
  memset(zeta, 0, 6*(size_t)tree->node_count*sizeof *zeta);
  if (wrench) {
    pf_tree_load_at(work, wrench);
    for (int i = 0; i < 6*tree->node_count; i++) zeta[i] = -work->load[i];
  }
  for (int k = tree->node_count - 1; k >= 0; k--) {
    const Node *node = &tree->nodes[k];
    respond_in(work, k, t ? t + node->v : NULL, zeta + 6*(size_t)k, x + node->v);
    if (node->parent >= 0) pass_up(work, k, zeta + 6*(size_t)k, zeta + 6*(size_t)node->parent);
  }
  for (int k = 0; k < tree->node_count; k++) {
    const int parent = tree->nodes[k].parent;
    respond_out(work, k, parent < 0 ? still : zeta + 6*(size_t)parent, zeta + 6*(size_t)k, x + tree->nodes[k].v);
  }
  return PF_OK;
}

/* Only the ancestors of the nodes of the row are visited: `touched` marks them, `zeta` holds the row's own wrenches,
 * and both are left clean. */
void pf_tree_respond_row(PfTreeWork *work, const double *t, unsigned char *touched, int last, double *zeta, double *eps)
{
  const PfTree *tree = work->tree;
  for (int k = last; k >= 0; k--) {
    if (!touched[k]) continue;
    const Node *node = &tree->nodes[k];
    touched[k] = 0;
    respond_in(work, k, t + node->v, zeta + 6*(size_t)k, eps + node->v);
    if (node->parent >= 0) {
      touched[node->parent] = 1;
      pass_up(work, k, zeta + 6*(size_t)k, zeta + 6*(size_t)node->parent);
    }
    memset(zeta + 6*(size_t)k, 0, 6*sizeof *zeta);
  }
}
