/* SPDX-License-Identifier: Apache-2.0 */
/* The joints: table 1.2 of docs/spatial.md; (13) and (24) of the paper. Rotations, displacements and columns of H at
 * given coordinates; springs and dampers; rates of the coordinates. */
#include "tree/tree_impl.h"

static const struct {
  const char *name;
  int nq, nv;
} TABLE[] = {
#define ROW(code, name, nq, nv) {name, nq, nv},
    PF_JOINT_LIST(ROW)
#undef ROW
};

const char *pf_joint_name(PfJoint joint)
{
  return TABLE[joint].name;
}

int pf_joint_nq(PfJoint joint)
{
  return TABLE[joint].nq;
}

int pf_joint_nv(PfJoint joint)
{
  return TABLE[joint].nv;
}

/* Column i of H: angular, then linear. */
static double *column(JointState *joint, int i)
{
  return joint->H + 6*i;
}

static void set3(double to[3], const double from[3])
{
  memcpy(to, from, 3*sizeof *to);
}

/* Three columns of rotations about the axes of the body, R e_j. */
static void turn_columns(JointState *joint)
{
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) column(joint, j)[i] = joint->R[3*i + j];
}

/* Turns about two axes, the second of which goes along with the first: hc = axis x R1 axis2 times both rates. */
static void universal(const Body *body, const double *q, const double *v, JointState *joint)
{
  double first[9], second[9];
  pf_rotation_about(body->axis, q[0], first);
  pf_rotation_about(body->axis2, q[1], second);
  mul33(first, second, joint->R);
  set3(column(joint, 0), body->axis);
  turn3(first, body->axis2, column(joint, 1));
  cross3(body->axis, column(joint, 1), joint->hc);
  for (int i = 0; i < 3; i++) joint->hc[i] *= v[0]*v[1];
}

void pf_joint_state(const Body *body, const double *q, const double *v, JointState *joint)
{
  static const double at_rest[6] = {0};
  if (!v) v = at_rest;
  memset(joint, 0, sizeof *joint);
  identity33(joint->R);
  const double *axis = body->axis;
  switch (body->joint) {
  case PF_JOINT_WELD: break;
  case PF_JOINT_PRISMATIC:
    for (int i = 0; i < 3; i++) joint->d[i] = q[0]*axis[i];
    set3(column(joint, 0) + 3, axis);
    break;
  case PF_JOINT_REVOLUTE:
  case PF_JOINT_SCREW:
    pf_rotation_about(axis, q[0], joint->R);
    set3(column(joint, 0), axis);
    for (int i = 0; i < 3; i++) {
      joint->d[i] = body->pitch*q[0]*axis[i];
      column(joint, 0)[3 + i] = body->pitch*axis[i];
    }
    break;
  case PF_JOINT_CYLINDRICAL:
    pf_rotation_about(axis, q[0], joint->R);
    for (int i = 0; i < 3; i++) joint->d[i] = q[1]*axis[i];
    set3(column(joint, 0), axis);
    set3(column(joint, 1) + 3, axis);
    break;
  case PF_JOINT_UNIVERSAL: universal(body, q, v, joint); break;
  case PF_JOINT_SPHERICAL:
    pf_quat_rotation(q, joint->R);
    turn_columns(joint);
    break;
  case PF_JOINT_PLANAR:
    pf_rotation_about((const double[]){0, 0, 1}, q[2], joint->R);
    joint->d[0] = q[0], joint->d[1] = q[1];
    column(joint, 0)[3] = column(joint, 1)[4] = column(joint, 2)[2] = 1;
    break;
  case PF_JOINT_FREE:
    pf_quat_rotation(q, joint->R);
    set3(joint->d, q + 4);
    turn_columns(joint);
    for (int i = 0; i < 3; i++) column(joint, 3 + i)[3 + i] = 1;
    break;
  }
}

/* ---------------------------------------------------------------- springs and dampers, 3.6 */

/* Has the joint a quaternion? It stands first among its coordinates. */
static int has_quat(const Body *body)
{
  return body->joint == PF_JOINT_SPHERICAL || body->joint == PF_JOINT_FREE;
}

/* The coordinates of a rotation are its rotation vector, on the branch w >= 0 of the quaternion. */
void pf_joint_passive(const PfTree *tree, const Body *body, const double *q, const double *v, double *T)
{
  const Spring *spring = tree->springs + body->v;
  double rv[6] = {0};
  if (has_quat(body)) {
    const double *u = q + 1, sine = sqrt(dot3(u, u)), sign = q[0] < 0 ? -1 : 1;
    const double factor = sine > 0 ? sign*2*atan2(sine, fabs(q[0]))/sine : 0;
    for (int i = 0; i < 3; i++) rv[i] = factor*u[i];
    if (body->joint == PF_JOINT_FREE) set3(rv + 3, q + 4);
    q = rv;
  }
  for (int i = 0; i < pf_joint_nv(body->joint); i++)
    T[i] = -spring[i].stiffness*(q[i] - spring[i].ref) - spring[i].damping*(v ? v[i] : 0);
}

void pf_tree_passive(const PfTree *tree, const double *q, const double *v, double *T)
{
  memset(T, 0, (size_t)tree->nv*sizeof *T);
  for (int k = 0; tree->springs && k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    pf_joint_passive(tree, body, q + body->q, v ? v + body->v : NULL, T + body->v);
  }
}

/* ---------------------------------------------------------------- coordinates, (13) */

/* qdot of one joint from its own coordinates p and rates w. The rate of a quaternion is p (0, w)/2, with w in body
 * axes. */
static void joint_qdot(const Body *body, const double *p, const double *w, double *to)
{
  int i = 0, j = 0;
  if (has_quat(body)) {
    to[0] = 0.5*(-p[1]*w[0] - p[2]*w[1] - p[3]*w[2]);
    to[1] = 0.5*(p[0]*w[0] - p[3]*w[1] + p[2]*w[2]);
    to[2] = 0.5*(p[3]*w[0] + p[0]*w[1] - p[1]*w[2]);
    to[3] = 0.5*(-p[2]*w[0] + p[1]*w[1] + p[0]*w[2]);
    i = 4, j = 3;
  }
  for (; j < pf_joint_nv(body->joint); i++, j++) to[i] = w[j];
}

void pf_tree_qdot(const PfTree *tree, const double *q, const double *v, double *qdot)
{
  for (int k = 0; k < tree->count; k++) {
    const Body *body = &tree->bodies[k];
    joint_qdot(body, q + body->q, v + body->v, qdot + body->q);
  }
}

void pf_joint_rate_map(const Body *body, const double *q, double B[42])
{
  const int nq = pf_joint_nq(body->joint), nv = pf_joint_nv(body->joint);
  for (int j = 0; j < nv; j++) {
    double unit[6] = {0}, column[7] = {0};
    unit[j] = 1;
    joint_qdot(body, q, unit, column);
    for (int i = 0; i < nq; i++) B[i*nv + j] = column[i];
  }
}

void pf_tree_normalise(const PfTree *tree, double *q)
{
  for (int k = 0; k < tree->count; k++) {
    if (!has_quat(&tree->bodies[k])) continue;
    double *p = q + tree->bodies[k].q;
    const double length = sqrt(p[0]*p[0] + dot3(p + 1, p + 1));
    for (int i = 0; i < 4; i++) p[i] /= length;
  }
}

void pf_tree_q_rest(const PfTree *tree, double *q)
{
  memset(q, 0, (size_t)tree->nq*sizeof *q);
  for (int k = 0; k < tree->count; k++)
    if (has_quat(&tree->bodies[k])) q[tree->bodies[k].q] = 1;
}
