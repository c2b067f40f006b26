/* SPDX-License-Identifier: Apache-2.0 */
/* Forward, hybrid and impulsive dynamics: the sweeps 3.1 (place.c), 3.2 (inward.c) and 3.3 (here) of docs/spatial.md,
 * (80)-(97) of the paper with its errata.
 *
 * Accelerations are those of material points, so that linear velocities appear nowhere; gravity is a base that
 * accelerates upwards. */
#include "tree/forward.h"
#include "tree/sweep.h"

static const double ZERO[6] = {0};

/* ---------------------------------------------------------------- outward: accelerations, 3.3 */

/* The dofs in the order opposite to their elimination: betadot = nu - g.A, (94); given ones are in A already. */
static void recover(PfTreeWork *work, const Node *node, const TreeProblem *problem, const double *H, int nv,
                    double A[6])
{
  const Dof *dof = &work->dofs[node->v];
  const unsigned char *mask = problem->mask ? problem->mask + node->v : NULL;
  double *vdot = problem->vdot_out ? problem->vdot_out + node->v : NULL;
  for (int i = nv - 1; i >= 0; i--) {
    if (mask && mask[i]) continue;
    const double rate = dof[i].nu - dot3(dof[i].g, A) - dot3(dof[i].g + 3, A + 3);
    add_scaled(A, rate, H + 6*i, 6);
    if (vdot) vdot[i] = rate;
  }
  if (!mask) return;
  double passive[6] = {0};
  if (problem->passive && node->flags & NODE_PASSIVE)
    pf_joint_passive(work->tree, &work->tree->bodies[node->body], problem->q + node->q,
                     problem->v ? problem->v + node->v : NULL, passive);
  for (int i = 0; i < nv; i++) { /* T = h.(P Vdot + z), (97) */
    if (!mask[i]) continue;
    if (vdot) vdot[i] = problem->vdot ? problem->vdot[node->v + i] : 0;
    if (problem->tau_out)
      problem->tau_out[node->v + i] = dot3(dof[i].g, A) + dot3(dof[i].g + 3, A + 3) + dof[i].nu - passive[i];
  }
}

/* Adds the given accelerations of prescribed dofs. */
static void add_prescribed(const TreeProblem *problem, const Node *node, const double *H, int nv, double A[6])
{
  for (int i = 0; problem->mask && problem->vdot && i < nv; i++)
    if (problem->mask[node->v + i]) add_scaled(A, problem->vdot[node->v + i], H + 6*i, 6);
}

/* Over a revolute joint whose motion is sought: A of the parent becomes that of the node. */
static inline void revolute_out(PfTreeWork *work, int k, const TreeProblem *problem, double A[6])
{
  const Node *node = &work->tree->nodes[k];
  const double *w = work->kin[k].w, rate = problem->v ? problem->v[node->v] : 0;
  const Dof *dof = &work->dofs[node->v];
  edge_back(work, k, A);
  edge_back(work, k, A + 3);
  A[0] += w[1]*rate;
  A[1] -= w[0]*rate;
  const double along = (dof->g[0]*A[0] + dof->g[1]*A[1]) + A[2];
  const double vdot = dof->nu - (along + (dof->g[3]*A[3] + dof->g[4]*A[4]) + dof->g[5]*A[5]);
  A[2] += vdot;
  problem->vdot_out[node->v] = vdot;
}

/* A run of revolute joints, each on the one before: a loop of its own, which keeps A in registers. Returns where it
 * ends. */
static int revolutes_out(PfTreeWork *work, int k, const TreeProblem *problem, double A[6])
{
  const PfTree *tree = work->tree;
  double x[6] = {A[0], A[1], A[2], A[3], A[4], A[5]};
  do {
    const Node *node = &tree->nodes[k];
    carry_acceleration(x, node->parent < 0 ? ZERO : work->kin[node->parent].w, tree->edges[k].l, x);
    fetch_outward(work, k);
    revolute_out(work, k, problem, x);
    if (problem->keep || has_branches(node)) memcpy(work->A + 6*(size_t)k, x, sizeof x);
    k++;
  } while (k < tree->node_count && tree->nodes[k].kind == NODE_REVOLUTE && tree->nodes[k].parent == k - 1);
  memcpy(A, x, sizeof x);
  return k;
}

/* Over a ball joint, whose rates are the angular acceleration less the part that comes from the parent. */
static inline void ball_out(PfTreeWork *work, const Node *node, const TreeProblem *problem, double A[6])
{
  const Extra *extra = &work->extras[node->extra];
  const Dof *dof = &work->dofs[node->v];
  turn3_back(extra->R, A, A);
  turn3_back(extra->R, A + 3, A + 3);
  if (problem->v) add3(A, extra->a);
  const double *f = A + 3, z = dof[2].nu - dot3(dof[2].g + 3, f); /* the angular acceleration itself */
  const double y = dof[1].nu - dot3(dof[1].g + 3, f) - dof[1].g[2]*z;
  const double x = dof[0].nu - dot3(dof[0].g + 3, f) - dof[0].g[1]*y - dof[0].g[2]*z;
  double *vdot = problem->vdot_out + node->v;
  vdot[0] = x - A[0], vdot[1] = y - A[1], vdot[2] = z - A[2];
  A[0] = x, A[1] = y, A[2] = z;
}

/* Over any joint, also with prescribed dofs. */
static void general_out(PfTreeWork *work, int k, const TreeProblem *problem, double A[6])
{
  const PfTree *tree = work->tree;
  const Node *node = &tree->nodes[k];
  if (node->extra >= 0) {
    const Extra *extra = &work->extras[node->extra];
    const int nv = pf_joint_nv(tree->bodies[node->body].joint);
    turn3_back(extra->R, A, A);
    turn3_back(extra->R, A + 3, A + 3);
    add_scaled(A, 1, extra->a, 6);
    add_prescribed(problem, node, extra->H, nv, A);
    recover(work, node, problem, extra->H, nv, A);
  } else {
    double h[6], a[6];
    axial_column(tree, k, h);
    axial_bias(work, k, problem->v, a);
    edge_back(work, k, A);
    edge_back(work, k, A + 3);
    add_scaled(A, 1, a, 6);
    add_prescribed(problem, node, h, 1, A);
    recover(work, node, problem, h, 1, A);
  }
}

/* The same for a run of ball joints. */
static int balls_out(PfTreeWork *work, int k, const TreeProblem *problem, double A[6])
{
  const PfTree *tree = work->tree;
  double x[6] = {A[0], A[1], A[2], A[3], A[4], A[5]};
  do {
    const Node *node = &tree->nodes[k];
    carry_acceleration(x, node->parent < 0 ? ZERO : work->kin[node->parent].w, tree->edges[k].l, x);
    ball_out(work, node, problem, x);
    if (problem->keep || has_branches(node)) memcpy(work->A + 6*(size_t)k, x, sizeof x);
    k++;
  } while (k < tree->node_count && tree->nodes[k].kind == NODE_BALL && tree->nodes[k].parent == k - 1);
  memcpy(A, x, sizeof x);
  return k;
}

/* Accelerations stay in the workspace only where they are needed later: by other children, or by the caller. */
static void sweep_back_out(PfTreeWork *work, const TreeProblem *problem)
{
  const PfTree *tree = work->tree;
  const double base[6] = {0, 0, 0, -problem->gravity[0], -problem->gravity[1], -problem->gravity[2]};
  double A[6] = {0}, l[3];
  for (int k = 0; k < tree->node_count;) {
    const Node *node = &tree->nodes[k];
    if (node->parent < 0) memcpy(A, base, sizeof A);
    else if (node->parent != k - 1) memcpy(A, work->A + 6*(size_t)node->parent, sizeof A);
    if (node->kind == NODE_REVOLUTE && !problem->mask) {
      k = revolutes_out(work, k, problem, A);
    } else if (node->kind == NODE_BALL && !problem->mask) {
      k = balls_out(work, k, problem, A);
    } else {
      node_length(work, k, l);
      carry_acceleration(A, node->parent < 0 ? ZERO : work->kin[node->parent].w, l, A);
      general_out(work, k, problem, A);
      if (problem->keep || has_branches(node)) memcpy(work->A + 6*(size_t)k, A, sizeof A);
      k++;
    }
  }
}

/* ---------------------------------------------------------------- the calls */

/* A pivot at a node was not positive: since a number was not finite, or since the joint moves no mass. */
static PfStatus fail_at_pivot(PfTreeWork *work, const TreeProblem *problem, int node)
{
  const PfTree *tree = work->tree;
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    const int nq = pf_joint_nq(body->joint), nv = pf_joint_nv(body->joint);
    if (any_bad(problem->q + body->q, nq) || (problem->v && any_bad(problem->v + body->v, nv)) ||
        (problem->tau && any_bad(problem->tau + body->v, nv)))
      return pf_fail(work->ctx, PF_ERR_NUMBER, "a coordinate, rate or force of the joint of %s is not finite",
                     pf_body_name(tree, k).text);
  }
  const int k = tree->nodes[node].body;
  pf_fail(work->ctx, PF_ERR_NUMBER, "the %s joint of %s can move without moving any mass",
          pf_joint_name(tree->bodies[k].joint), pf_body_name(tree, k).text);
  pf_hint(work->ctx, "give the body, or one it carries, mass or inertia, or prescribe the motion of this joint");
  return PF_ERR_NUMBER;
}

/* Articulated-body algorithm: outward kinematics, inward inertias and forces, outward accelerations. O(n). */
static PfStatus solve(PfTreeWork *work, const TreeProblem *problem)
{
  work->factored = 0;
  pf_tree_sweep_out(work, problem->q, problem->v);
  const int bad = pf_tree_sweep_in(work, problem);
  if (bad >= 0) return fail_at_pivot(work, problem, bad);
  sweep_back_out(work, problem);
  work->factored = 1;
  work->masked = problem->mask != NULL;
  const PfTree *tree = work->tree;
  double probe = 0;
  for (int i = 0; i < tree->nv; i++) probe += 0*problem->vdot_out[i];
  if (probe == 0) return PF_OK;
  for (int k = 0; k < tree->count; k++)
    if (any_bad(problem->vdot_out + tree->bodies[k].v, pf_joint_nv(tree->bodies[k].joint)))
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the acceleration of the joint of %s is not finite",
                     pf_body_name(tree, k).text);
  return PF_OK;
}

PfStatus pf_tree_forward(PfTreeWork *work, const double *q, const double *v, const double *tau, double *vdot)
{
  const PfTree *tree = work->tree;
  const TreeProblem problem = {.q = q, .v = v, .tau = tau, .passive = 1, .vdot_out = vdot,
                           .gravity = {tree->gravity[0], tree->gravity[1], tree->gravity[2]}};
  if (tree->locked) return pf_tree_hybrid(work, &(PfTreeInput){.q = q, .v = v, .tau = tau}, vdot, NULL);
  return solve(work, &problem);
}

/* Solves a problem with wrenches, and with dofs that are prescribed by the caller or since they are locked: these have
 * no acceleration, whatever vdot is. vdot and tau (either may be NULL) are completed. */
static PfStatus mixed(PfTreeWork *work, const PfTreeInput *input, TreeProblem *problem, double *vdot, double *tau)
{
  const PfTree *tree = work->tree;
  const size_t nv = (size_t)tree->nv;
  for (size_t i = 0; i < nv; i++) {
    const int locked = tree->locked && tree->locked[i], given = input->prescribed && input->prescribed[i];
    work->mask[i] = (unsigned char)(locked || given);
    work->rates[i] = given && !locked && input->vdot ? input->vdot[i] : 0;
    if (!work->mask[i]) continue;
    problem->mask = work->mask;
    problem->vdot = work->rates;
  }
  if (input->wrench) {
    PF_TRY(pf_tree_load(work, input->q, input->wrench));
    problem->load = work->load;
  }
  problem->vdot_out = vdot ? vdot : work->scratch;
  problem->tau_out = tau;
  if (tau && tau != input->tau) {
    if (input->tau) memcpy(tau, input->tau, nv*sizeof *tau);
    else memset(tau, 0, nv*sizeof *tau);
  }
  return solve(work, problem);
}

PfStatus pf_tree_hybrid(PfTreeWork *work, const PfTreeInput *input, double *vdot, double *tau)
{
  const double *g = work->tree->gravity;
  TreeProblem problem = {.q = input->q, .v = input->v, .tau = input->tau, .passive = 1, .keep = 1,
                     .gravity = {g[0], g[1], g[2]}};
  return mixed(work, input, &problem, vdot, tau);
}

/* Accelerations and joint wrenches besides. The latter come from P and z, not from a sum of inertial forces: on long
 * chains those nearly cancel. */
static PfStatus complete(PfTreeWork *work, const PfTreeInput *input, const double *gravity, int passive,
                         const double *v, const PfTreeOutput *out)
{
  TreeProblem problem = {.q = input->q, .v = v, .tau = input->tau, .passive = passive, .keep = 1,
                     .gravity = {gravity[0], gravity[1], gravity[2]}};
  PF_TRY(mixed(work, input, &problem, out->vdot, out->tau));
  if (!out->acceleration && !out->joint_wrench) return PF_OK;
  if (out->joint_wrench) {
    problem.capture = work->scratch;
    pf_tree_sweep_in(work, &problem);
  }
  PF_TRY(pf_tree_kinematics(work, input->q, v));
  pf_tree_from_nodes(work, work->scratch, gravity, input->wrench, out->acceleration, out->joint_wrench);
  return PF_OK;
}

PfStatus pf_tree_complete(PfTreeWork *work, const PfTreeInput *input, const PfTreeOutput *out)
{
  return complete(work, input, work->tree->gravity, 1, input->v, out);
}

PfStatus pf_tree_impulse(PfTreeWork *work, const PfTreeInput *input, const PfTreeOutput *out)
{
  return complete(work, input, ZERO, 0, NULL, out);
}
