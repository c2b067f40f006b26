/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in inertial axes, in the order and the frames of the user: poses, velocities, accelerations, joint wrenches,
 * sums. The equations are those of the paper as they stand, numbered as there; the fast sweeps are elsewhere. */
#include "tree/tree_impl.h"

static const double ZERO[6] = {0};
static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void pf_joint_step(const PfTreeWork *work, int k, const double *q, const double *v, Step *step)
{
  const Body *body = &work->tree->bodies[k];
  const double *E = body->parent < 0 ? UNIT : work->E + 9*(size_t)body->parent;
  pf_joint_state(body, q + body->q, v ? v + body->v : NULL, &step->joint);
  mul33(E, body->R, step->Ep);
  double shift[3];
  turn3(E, body->s, step->l);
  turn3(step->Ep, step->joint.d, shift);
  add3(step->l, shift);
  for (int i = 0; i < pf_joint_nv(body->joint); i++) { /* columns of H, (66) */
    turn3(step->Ep, step->joint.H + 6*i, step->joint.H + 6*i);
    turn3(step->Ep, step->joint.H + 6*i + 3, step->joint.H + 6*i + 3);
  }
}

/* d = H v: the velocity of a body against its parent. */
static void relative_velocity(const Step *step, int nv, const double *v, double d[6])
{
  memset(d, 0, 6*sizeof *d);
  for (int i = 0; v && i < nv; i++) add_scaled(d, v[i], step->joint.H + 6*i, 6);
}

/* From the inertial frame outward: r_k = r_lambda + l_k, V_k = Phi_k V_lambda + H_k v_k. */
PfStatus pf_tree_kinematics(PfTreeWork *work, const double *q, const double *v)
{
  const PfTree *tree = work->tree;
  double probe = 0;
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    const double *r = body->parent < 0 ? ZERO : work->r + 3*(size_t)body->parent;
    const double *V = body->parent < 0 ? ZERO : work->V + 6*(size_t)body->parent;
    double *Ek = work->E + 9*(size_t)k, *rk = work->r + 3*(size_t)k, *Vk = work->V + 6*(size_t)k, d[6], swing[3];
    Step step;
    pf_joint_step(work, k, q, v, &step);
    mul33(step.Ep, step.joint.R, Ek); /* (69) */
    relative_velocity(&step, pf_joint_nv(body->joint), v ? v + body->v : NULL, d);
    cross3(V, step.l, swing);
    for (int i = 0; i < 3; i++) {
      rk[i] = r[i] + step.l[i];             /* (68) */
      Vk[i] = V[i] + d[i];                  /* (74) */
      Vk[3 + i] = V[3 + i] + swing[i] + d[3 + i];
      probe += 0*(rk[i] + Vk[i] + Vk[3 + i]);
    }
    if (probe != 0)
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the position or velocity of %s is not finite",
                     pf_body_name(tree, k).text);
  }
  return PF_OK;
}

const double *pf_tree_rotation(const PfTreeWork *work, int body)
{
  return work->E + 9*(size_t)body;
}

const double *pf_tree_position(const PfTreeWork *work, int body)
{
  return work->r + 3*(size_t)body;
}

const double *pf_tree_velocity(const PfTreeWork *work, int body)
{
  return work->V + 6*(size_t)body;
}

void pf_tree_add_force(const PfTreeWork *work, int body, const double point[3], const double force[3],
                       const double moment[3], double wrench[6])
{
  double arm[3], turn[3];
  turn3(work->E + 9*(size_t)body, point, arm);
  cross3(arm, force, turn);
  for (int i = 0; i < 3; i++) {
    wrench[i] += turn[i] + moment[i];
    wrench[3 + i] += force[i];
  }
}

/* ---------------------------------------------------------------- accelerations and wrenches */

/* a_k of (27*): everything in the acceleration that comes from velocities. */
void pf_velocity_acceleration(const PfTreeWork *work, int k, const Step *step, const double *v, double a[6])
{
  const Body *body = &work->tree->bodies[k];
  const double *w = body->parent < 0 ? ZERO : work->V + 6*(size_t)body->parent;
  double d[6], turned[3], coriolis[3];
  relative_velocity(step, pf_joint_nv(body->joint), v ? v + body->v : NULL, d);
  cross3(w, d, a);
  turn3(step->Ep, step->joint.hc, turned);
  add3(a, turned);
  centripetal(w, step->l, a + 3);
  cross3(w, d + 3, coriolis);
  add_scaled(a + 3, 2, coriolis, 3);
}

/* f = M_k A + b_k less weight and external wrench (6 numbers of this body, or NULL), at O_k: (9), (11), (12), with
 * Euler's equation in body axes. Needs poses and velocities. */
static void body_wrench(const PfTreeWork *work, int k, const double A[6], const double gravity[3], const double *wrench,
                    double f[6])
{
  const Body *body = &work->tree->bodies[k];
  double weight[6], arm[3];
  const double *E = work->E + 9*(size_t)k, *w = work->V + 6*(size_t)k;
  double c[3], ac[3], swing[3], wb[3], db[3], Iw[3], Id[3], gyro[3];
  turn3(E, body->com, c);
  cross3(A, c, swing); /* acceleration of the mass centre */
  centripetal(w, c, ac);
  for (int i = 0; i < 3; i++) f[3 + i] = body->mass*(A[3 + i] + swing[i] + ac[i]);
  turn3_back(E, w, wb); /* Euler's equation in body axes */
  turn3_back(E, A, db);
  turn3(body->I, wb, Iw);
  turn3(body->I, db, Id);
  cross3(wb, Iw, gyro);
  add3(Id, gyro);
  turn3(E, Id, f);
  cross3(c, f + 3, swing);
  add3(f, swing);
  turn3(work->E + 9*(size_t)k, body->com, arm);
  for (int i = 0; i < 3; i++) weight[3 + i] = body->mass*gravity[i];
  cross3(arm, weight + 3, weight);
  add_scaled(f, -1, weight, 6);
  if (wrench) add_scaled(f, -1, wrench, 6);
}

/* Adds Phi^T f of a body to the wrench `to` on its parent. */
static void add_to_parent(const PfTreeWork *work, int k, const double f[6], double *to)
{
  const double *r = work->r + 3*(size_t)k, *rp = work->r + 3*(size_t)work->tree->bodies[k].parent;
  const double l[3] = {r[0] - rp[0], r[1] - rp[1], r[2] - rp[2]};
  double turn[3];
  cross3(l, f + 3, turn);
  add_scaled(to, 1, f, 6);
  add3(to, turn);
}

/* Copies accelerations and joint wrenches, which stand together in work->body6, to the arrays of the caller (or NULL).
 * */
static void give_bodies(const PfTreeWork *work, double *acceleration, double *joint_wrench)
{
  for (int k = 0; k < work->tree->count; k++) {
    const double *from = work->body6 + 12*(size_t)k;
    if (acceleration) memcpy(acceleration + 6*(size_t)k, from, 6*sizeof *from);
    if (joint_wrench) memcpy(joint_wrench + 6*(size_t)k, from + 6, 6*sizeof *from);
  }
}

/* Accelerations outward, Phi_k Vdot_lambda + a_k + H betadot; wrenches inward, f_k = M_k Vdot_k + b_k - fext_k + the
 * wrenches that the children need, (33). */
PfStatus pf_tree_motion(PfTreeWork *work, const double *q, const double *v, const double *vdot, const double *wrench,
                        double *acceleration, double *joint_wrench)
{
  const PfTree *tree = work->tree;
  PF_TRY(pf_tree_kinematics(work, q, v));
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    const double *Ap = body->parent < 0 ? ZERO : work->body6 + 12*(size_t)body->parent;
    double *A = work->body6 + 12*(size_t)k, swing[3];
    Step step;
    pf_joint_step(work, k, q, v, &step);
    pf_velocity_acceleration(work, k, &step, v, A);
    cross3(Ap, step.l, swing);
    add_scaled(A, 1, Ap, 6);
    add3(A + 3, swing);
    for (int i = 0; vdot && i < pf_joint_nv(body->joint); i++) add_scaled(A, vdot[body->v + i], step.joint.H + 6*i, 6);
  }
  for (int k = 0; joint_wrench && k < tree->count; k++) {
    double *A = work->body6 + 12*(size_t)k;
    body_wrench(work, k, A, tree->gravity, wrench ? wrench + 6*(size_t)k : NULL, A + 6);
  }
  for (int k = tree->count - 1; joint_wrench && k >= 0; k--) {
    const int parent = tree->bodies[k].parent;
    if (parent >= 0) add_to_parent(work, k, work->body6 + 12*(size_t)k + 6, work->body6 + 12*(size_t)parent + 6);
  }
  give_bodies(work, acceleration, joint_wrench);
  return PF_OK;
}

/* ---------------------------------------------------------------- sums */

/* The potential of a spring follows from its force T = -stiffness (q - ref): it is T^2/(2 stiffness). */
void pf_tree_totals(const PfTreeWork *work, const double *q, PfTreeTotals *totals)
{
  const PfTree *tree = work->tree;
  *totals = (PfTreeTotals){0};
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    const double *E = work->E + 9*(size_t)k, *V = work->V + 6*(size_t)k, m = body->mass;
    double c[3], p[3], wb[3], spin[3], orbit[3];
    turn3(E, body->com, c);
    cross3(V, c, p);
    add3(p, V + 3);
    add3(c, work->r + 3*(size_t)k);
    turn3_back(E, V, wb);
    turn3(body->I, wb, spin);
    totals->kinetic += 0.5*(m*dot3(p, p) + dot3(wb, spin));
    totals->gravity_potential -= m*dot3(tree->gravity, c);
    turn3(E, spin, spin);
    for (int i = 0; i < 3; i++) p[i] *= m;
    cross3(c, p, orbit);
    totals->mass += m;
    for (int i = 0; i < 3; i++) {
      totals->com[i] += m*c[i];
      totals->linear[i] += p[i];
      totals->angular[i] += spin[i] + orbit[i];
    }
  }
  const double mass = totals->mass > 0 ? totals->mass : 1;
  for (int i = 0; i < 3; i++) {
    totals->com[i] /= mass;
    totals->com_velocity[i] = totals->linear[i]/mass;
  }
  double sum = 0;
  for (int k = 0; tree->springs && k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    double T[6];
    pf_joint_passive(tree, body, q + body->q, NULL, T);
    for (int i = 0; i < pf_joint_nv(body->joint); i++) {
      const double stiffness = tree->springs[body->v + i].stiffness;
      if (stiffness != 0) sum += 0.5*T[i]*T[i]/stiffness;
    }
  }
  totals->spring_potential = sum;
}

/* ---------------------------------------------------------------- points */

/* Adds the columns by which the rates of one joint enter the velocity of the point x (inertial axes), times a factor:
 * to the angular part (3 x nv, or NULL) and to the linear one. */
static void add_columns(const PfTreeWork *work, int k, const double *q, const double x[3], double factor,
                        double *angular, double *linear)
{
  const Body *body = work->tree->bodies + k;
  const size_t nv = (size_t)work->tree->nv;
  const double *r = work->r + 3*(size_t)k, arm[3] = {x[0] - r[0], x[1] - r[1], x[2] - r[2]};
  Step step;
  pf_joint_step(work, k, q, NULL, &step);
  for (int i = 0; i < pf_joint_nv(body->joint); i++) {
    const double *h = step.joint.H + 6*i;
    const size_t at = (size_t)(body->v + i);
    double swing[3];
    cross3(h, arm, swing);
    for (size_t j = 0; j < 3; j++) {
      if (angular) angular[j*nv + at] += factor*h[j];
      linear[j*nv + at] += factor*(h[3 + j] + swing[j]);
    }
  }
}

void pf_tree_point(const PfTreeWork *work, int body, const double point[3], double position[3], double velocity[3])
{
  const double *V = work->V + 6*(size_t)body;
  double x[3];
  turn3(work->E + 9*(size_t)body, point, x);
  if (velocity) {
    cross3(V, x, velocity);
    add3(velocity, V + 3);
  }
  if (!position) return;
  add3(x, work->r + 3*(size_t)body);
  memcpy(position, x, sizeof x);
}

/* A rate moves all bodies after its joint: the mass centre by their part of the mass. */
void pf_tree_com_jacobian(const PfTreeWork *work, const double *q, double *columns)
{
  const PfTree *tree = work->tree;
  const size_t nv = (size_t)tree->nv;
  double mass = 0;
  memset(columns, 0, 3*nv*sizeof *columns);
  for (int k = 0; k < tree->count; k++) mass += tree->bodies[k].mass;
  for (int body = 0; body < tree->count; body++) {
    const double share = mass > 0 ? tree->bodies[body].mass/mass : 0;
    double x[3];
    if (share == 0) continue;
    pf_tree_point(work, body, tree->bodies[body].com, x, NULL);
    for (int k = body; k >= 0; k = tree->bodies[k].parent) add_columns(work, k, q, x, share, NULL, columns);
  }
}

/* Each rate of an ancestor moves the point by its column of H, carried from O_k to the point. */
void pf_tree_jacobian(const PfTreeWork *work, int body, const double point[3], const double *q, double *columns)
{
  const PfTree *tree = work->tree;
  const size_t nv = (size_t)tree->nv;
  double x[3];
  pf_tree_point(work, body, point, x, NULL);
  memset(columns, 0, 6*nv*sizeof *columns);
  for (int k = body; k >= 0; k = tree->bodies[k].parent)
    add_columns(work, k, q, x, 1, columns, columns + 3*nv);
}

/* ---------------------------------------------------------------- external wrenches for the fast sweeps */

void pf_wrench_to_node(const PfTreeWork *work, int k, const double wrench[6], double *to)
{
  const double *place = work->tree->in_node + 12*(size_t)k;
  double f[6], turn[3];
  for (int part = 0; part < 6; part += 3) {
    turn3_back(work->E + 9*(size_t)k, wrench + part, f + part); /* to body axes, then node axes */
    turn3_back(place, f + part, f + part);
  }
  cross3(place + 9, f + 3, turn);
  add_scaled(to, 1, f, 6);
  add3(to, turn);
}

void pf_tree_load_at(PfTreeWork *work, const double *wrench)
{
  const PfTree *tree = work->tree;
  memset(work->load, 0, 6*(size_t)tree->node_count*sizeof *work->load);
  for (int k = 0; k < tree->count; k++) {
    const int node = tree->node_of[k]; /* -1: on the inertial frame */
    if (node >= 0) pf_wrench_to_node(work, k, wrench + 6*(size_t)k, work->load + 6*(size_t)node);
  }
}

PfStatus pf_tree_load(PfTreeWork *work, const double *q, const double *wrench)
{
  PF_TRY(pf_tree_kinematics(work, q, NULL));
  pf_tree_load_at(work, wrench);
  return PF_OK;
}

/* ---------------------------------------------------------------- back from the fast sweeps */

/* The sweeps see gravity as a base that accelerates; here it is put back. */
void pf_acceleration_from_node(const PfTreeWork *work, int k, const double gravity[3], double A[6])
{
  const PfTree *tree = work->tree;
  const int node = tree->node_of[k];
  memset(A, 0, 6*sizeof *A);
  if (node < 0) return; /* on the inertial frame */
  const double *place = tree->in_node + 12*(size_t)k, *An = work->A + 6*(size_t)node;
  double o[3], swing[3], whirl[3];
  for (int part = 0; part < 6; part += 3) {
    turn3(place, An + part, A + part);
    turn3(work->E + 9*(size_t)k, A + part, A + part);
  }
  turn3(place, place + 9, o);
  turn3(work->E + 9*(size_t)k, o, o);
  cross3(A, o, swing);
  centripetal(work->V + 6*(size_t)k, o, whirl);
  for (int i = 0; i < 3; i++) A[3 + i] += swing[i] + whirl[i] + gravity[i];
}

/* Joints that move have their wrench from the sweep; a weld carries the bodies after it. */
void pf_tree_from_nodes(PfTreeWork *work, const double *force, const double gravity[3], const double *wrench,
                        double *acceleration, double *joint_wrench)
{
  const PfTree *tree = work->tree;
  for (int k = 0; k < tree->count; k++) pf_acceleration_from_node(work, k, gravity, work->body6 + 12*(size_t)k);
  for (int k = 0; joint_wrench && k < tree->count; k++) {
    double *A = work->body6 + 12*(size_t)k, *f = A + 6;
    if (tree->bodies[k].joint == PF_JOINT_WELD) {
      body_wrench(work, k, A, gravity, wrench ? wrench + 6*(size_t)k : NULL, f);
      continue;
    }
    const double *from = force + 6*(size_t)tree->node_of[k], *place = tree->in_node + 12*(size_t)k;
    for (int part = 0; part < 6; part += 3) {
      turn3(place, from + part, f + part);
      turn3(work->E + 9*(size_t)k, f + part, f + part);
    }
  }
  for (int k = tree->count - 1; joint_wrench && k >= 0; k--) {
    const int parent = tree->bodies[k].parent;
    if (parent >= 0 && tree->bodies[parent].joint == PF_JOINT_WELD)
      add_to_parent(work, k, work->body6 + 12*(size_t)k + 6, work->body6 + 12*(size_t)parent + 6);
  }
  give_bodies(work, acceleration, joint_wrench);
}
