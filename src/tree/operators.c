/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion as the paper writes it (errata applied): 6 x 6 matrices in inertial axes, body by body in the user's
 * order. It is for inspection and comparison; forward.c is for speed and shares nothing with it but the joints. */
#include "tree/tree_impl.h"

#include <float.h>

static const double PIVOT_TOLERANCE = 64*DBL_EPSILON;

/* C (m x n) += A (m x k, or its transpose) B (k x n) */
static void multiply_add(const double *A, const double *B, int m, int k, int n, int transposed, double *C)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < k; l++) C[i*n + j] += (transposed ? A[l*m + i] : A[i*k + l])*B[l*n + j];
}

/* The cross product with factor*l as a 3 x 3 block of a 6 x 6 matrix. */
static void cross_matrix(const double l[3], double factor, double *block)
{
  block[1] = -factor*l[2], block[2] = factor*l[1];
  block[6] = factor*l[2], block[8] = -factor*l[0];
  block[12] = -factor*l[1], block[13] = factor*l[0];
}

/* M, b and, before the sweep, P and z of one body: (9), (77)-(79). */
static void set_mass(const PfTreeWork *work, int k, PfTreeOperators *op)
{
  const Body *body = &work->tree->bodies[k];
  const double *E = work->E + 9*(size_t)k, *w = op->V, m = body->mass;
  double c[3], back[9], half[9], I[9], Jw[3];
  turn3(E, body->com, c);
  transpose33(E, back);
  mul33(E, body->I, half);
  mul33(half, back, I);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      I[3*i + j] += m*((i == j ? dot3(c, c) : 0) - c[i]*c[j]);
      op->M[6*i + j] = I[3*i + j];
    }
    op->M[7*(3 + i)] = m;
  }
  cross_matrix(c, m, op->M + 3);
  cross_matrix(c, -m, op->M + 18);
  turn3(I, w, Jw);
  cross3(w, Jw, op->b);
  centripetal(w, c, op->b + 3);
  for (int i = 3; i < 6; i++) op->b[i] *= m;

  double weight[6];
  for (int i = 0; i < 3; i++) weight[3 + i] = m*work->tree->gravity[i];
  cross3(c, weight + 3, weight);
  memcpy(op->P, op->M, sizeof op->P);
  for (int i = 0; i < 6; i++) op->z[i] = op->b[i] - weight[i];
}

/* D^-1 times the columns of X (nf x n) by Cholesky, in place; 0 when a pivot vanishes. */
static int solve_columns(const double *D, int nf, double scale, double *X, int n)
{
  double L[36] = {0};
  for (int i = 0; i < nf; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = D[i*nf + j];
      for (int l = 0; l < j; l++) sum -= L[6*i + l]*L[6*j + l];
      if (i == j && !(sum > scale*D[i*nf + i])) return 0;
      L[6*i + j] = i == j ? sqrt(sum) : sum/L[7*j];
    }
  }
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < nf; i++) {
      for (int l = 0; l < i; l++) X[i*n + c] -= L[6*i + l]*X[l*n + c];
      X[i*n + c] /= L[7*i];
    }
    for (int i = nf - 1; i >= 0; i--) {
      for (int l = i + 1; l < nf; l++) X[i*n + c] -= L[6*l + i]*X[l*n + c];
      X[i*n + c] /= L[7*i];
    }
  }
  return 1;
}

/* The part of the problem at one joint. */
typedef struct Part {
  int nf, free[6];
  double Hf[36];    /* 6 x nf */
  double T[6];      /* total forces on the free dofs */
  double bias[6];   /* a' = a + Hp betadot_p */
} Part;

/* Sorts the columns of H: free ones with their forces T; prescribed and locked ones, whose accelerations go into the
 * bias. */
static void split(const PfTree *tree, int k, const PfTreeInput *input, const PfTreeOperators *op, Part *part)
{
  const Body *body = &tree->bodies[k];
  double passive[6] = {0};
  if (tree->springs)
    pf_joint_passive(tree, body, input->q + body->q, input->v ? input->v + body->v : NULL, passive);
  part->nf = 0;
  memcpy(part->bias, op->a, sizeof part->bias);
  for (int i = 0; i < op->nv; i++) {
    const int at = body->v + i, locked = tree->locked && tree->locked[at];
    if (locked || (input->prescribed && input->prescribed[at])) {
      const double rate = !locked && input->vdot ? input->vdot[at] : 0;
      for (int j = 0; j < 6; j++) part->bias[j] += rate*op->H[j*op->nv + i];
    } else {
      part->T[part->nf] = passive[i] + (input->tau ? input->tau[at] : 0);
      part->free[part->nf++] = i;
    }
  }
  for (int i = 0; i < part->nf; i++)
    for (int j = 0; j < 6; j++) part->Hf[j*part->nf + i] = op->H[j*op->nv + part->free[i]];
}

/* (80)-(86), (88), (93) of one joint, and z+, the bias wrench that is left for its parent, (89) and (91). With no free
 * dof taubar is 1, so that Pplus = P and z+ = P a' + z, (90). */
static int eliminate(PfTreeOperators *op, const Part *part, double z[6])
{
  const int nf = part->nf;
  double U[36] = {0}, X[36] = {0};
  multiply_add(op->P, part->Hf, 6, 6, nf, 0, U);
  multiply_add(part->Hf, U, nf, 6, nf, 1, op->D);
  for (int i = 0; i < nf; i++)
    for (int j = 0; j < 6; j++) X[i*6 + j] = U[j*nf + i];
  if (!solve_columns(op->D, nf, PIVOT_TOLERANCE, X, 6)) return 0;
  for (int i = 0; i < nf; i++) {
    op->eps[i] = part->T[i];
    for (int j = 0; j < 6; j++) {
      op->G[j*nf + i] = X[i*6 + j];
      op->eps[i] -= part->Hf[j*nf + i]*op->z[j];
    }
  }
  memcpy(op->Pplus, op->P, sizeof op->Pplus);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      op->taubar[6*i + j] = i == j;
      for (int l = 0; l < nf; l++) {
        op->taubar[6*i + j] -= op->G[i*nf + l]*part->Hf[j*nf + l];
        op->Pplus[6*i + j] -= 0.5*(op->G[i*nf + l]*U[j*nf + l] + U[i*nf + l]*op->G[j*nf + l]);
      }
    }
  multiply_add(op->Phi, op->G, 6, 6, nf, 1, op->K);
  multiply_add(op->Phi, op->taubar, 6, 6, 6, 1, op->Psi);
  memcpy(z, op->z, 6*sizeof *z);
  multiply_add(op->Pplus, part->bias, 6, 6, 1, 0, z);
  multiply_add(op->G, op->eps, 6, nf, 1, 0, z);
  memcpy(op->nu, op->eps, sizeof op->nu);
  return solve_columns(op->D, nf, PIVOT_TOLERANCE, op->nu, 1);
}

/* Articulated inertias and bias wrenches, inward, as in equations (85) to (87) of the paper. */
static PfStatus sweep_in(PfTreeWork *work, const PfTreeInput *input, PfTreeOperators *all)
{
  const PfTree *tree = work->tree;
  for (int k = tree->count - 1; k >= 0; k--) {
    PfTreeOperators *op = &all[k];
    Part part = {0};
    double z[6];
    for (int i = 0; i < 6; i++) /* rounding must not make P lean to a side, 3.8 */
      for (int j = 0; j < i; j++) op->P[6*i + j] = op->P[6*j + i] = 0.5*(op->P[6*i + j] + op->P[6*j + i]);
    split(tree, k, input, op, &part);
    op->free_count = part.nf;
    memcpy(op->free, part.free, sizeof op->free);
    if (!eliminate(op, &part, z))
      return pf_fail(work->ctx, PF_ERR_NUMBER, "the %s joint of %s can move without moving any mass",
                     pf_joint_name(tree->bodies[k].joint), pf_body_name(tree, k).text);
    memcpy(op->Vdot, part.bias, sizeof part.bias); /* kept for the last sweep */
    if (tree->bodies[k].parent >= 0) {
      PfTreeOperators *parent = &all[tree->bodies[k].parent];
      double half[36] = {0};
      multiply_add(op->Pplus, op->Phi, 6, 6, 6, 0, half);
      multiply_add(op->Phi, half, 6, 6, 6, 1, parent->P); /* (87) */
      multiply_add(op->Phi, z, 6, 6, 1, 1, parent->z);
    }
  }
  return PF_OK;
}

/* Operators of each body outward, elimination inward, then accelerations and wrenches outward: (94), (95), (33). */
PfStatus pf_tree_operators(PfTreeWork *work, const PfTreeInput *input, PfTreeOperators *all)
{
  const PfTree *tree = work->tree;
  PF_TRY(pf_tree_kinematics(work, input->q, input->v));
  memset(all, 0, (size_t)tree->count*sizeof *all);
  for (int k = 0; k < tree->count; k++) {
    PfTreeOperators *op = &all[k];
    Step step;
    pf_joint_step(work, k, input->q, input->v, &step);
    op->nv = pf_joint_nv(tree->bodies[k].joint);
    op->nq = pf_joint_nq(tree->bodies[k].joint);
    if (input->v) memcpy(op->beta, input->v + tree->bodies[k].v, (size_t)op->nv*sizeof *op->beta);
    transpose33(work->E + 9*(size_t)k, op->C);
    pf_joint_rate_map(&tree->bodies[k], input->q + tree->bodies[k].q, op->B);
    for (int i = 0; i < 6; i++) op->Phi[7*i] = 1;
    cross_matrix(step.l, -1, op->Phi + 18);
    for (int i = 0; i < op->nv; i++)
      for (int j = 0; j < 6; j++) op->H[j*op->nv + i] = step.joint.H[6*i + j];
    pf_velocity_acceleration(work, k, &step, input->v, op->a);
    memcpy(op->V, work->V + 6*(size_t)k, sizeof op->V);
    set_mass(work, k, &all[k]);
    if (input->wrench) add_scaled(all[k].z, -1, input->wrench + 6*(size_t)k, 6);
  }
  PF_TRY(sweep_in(work, input, all));
  for (int k = 0; k < tree->count; k++) {
    PfTreeOperators *op = &all[k];
    Part part = {0};
    double rate[6];
    memcpy(rate, op->nu, sizeof rate);
    if (tree->bodies[k].parent >= 0) multiply_add(op->Phi, all[tree->bodies[k].parent].Vdot, 6, 6, 1, 0, op->Vdot);
    split(tree, k, input, op, &part);
    for (int i = 0; i < op->nv; i++)
      if (input->vdot && !(tree->locked && tree->locked[tree->bodies[k].v + i]))
        op->betadot[i] = input->vdot[tree->bodies[k].v + i];
    for (int i = 0; i < part.nf; i++) {
      for (int j = 0; j < 6; j++) rate[i] -= op->G[j*part.nf + i]*op->Vdot[j];
      op->betadot[part.free[i]] = rate[i];
    }
    multiply_add(part.Hf, rate, 6, part.nf, 1, 0, op->Vdot);
    memcpy(op->f, op->z, sizeof op->f);
    multiply_add(op->P, op->Vdot, 6, 6, 1, 0, op->f);
    multiply_add(op->H, op->f, op->nv, 6, 1, 1, op->T); /* (97) */
  }
  return PF_OK;
}

/* R X of a 6 x n matrix, R = diag(C, C). */
static void turn_rows(const double C[9], double *X, int n)
{
  for (int block = 0; block < 6; block += 3)
    for (int j = 0; j < n; j++) {
      double x[3], y[3];
      for (int i = 0; i < 3; i++) x[i] = X[(block + i)*n + j];
      turn3(C, x, y);
      for (int i = 0; i < 3; i++) X[(block + i)*n + j] = y[i];
    }
}

/* X R^T of a 6 x 6 matrix, R = diag(C, C): its rows are turned like vectors. */
static void turn_columns(const double C[9], double X[36])
{
  for (int i = 0; i < 6; i++)
    for (int block = 0; block < 6; block += 3) {
      double y[3];
      turn3(C, X + 6*i + block, y);
      memcpy(X + 6*i + block, y, sizeof y);
    }
}

void pf_tree_operators_to_body_axes(const PfTree *tree, PfTreeOperators *all)
{
  static const double inertial[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < tree->count; k++) {
    PfTreeOperators *op = &all[k];
    const double *C = op->C, *before = tree->bodies[k].parent < 0 ? inertial : all[tree->bodies[k].parent].C;
    double *vectors[] = {op->b, op->a, op->z, op->V, op->Vdot, op->f};
    double *tensors[] = {op->M, op->P, op->Pplus, op->taubar};
    for (size_t i = 0; i < sizeof vectors/sizeof *vectors; i++) turn_rows(C, vectors[i], 1);
    for (size_t i = 0; i < sizeof tensors/sizeof *tensors; i++) {
      turn_rows(C, tensors[i], 6);
      turn_columns(C, tensors[i]);
    }
    turn_rows(C, op->H, op->nv);
    turn_rows(C, op->G, op->free_count);
    turn_rows(C, op->Phi, 6);
    turn_columns(before, op->Phi);
    turn_rows(before, op->K, op->free_count);
    turn_rows(before, op->Psi, 6);
    turn_columns(C, op->Psi);
  }
}
