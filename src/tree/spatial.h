/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of three and symmetric 6 x 6 matrices in blocks. Everything is inline and of fixed size: this is where the
 * time of the recursion goes. Matrices are by rows. Arguments named `a` and results named `c` may be the same array
 * unless a comment says otherwise; no function allocates or fails. */
#ifndef PF_SRC_TREE_SPATIAL_H
#define PF_SRC_TREE_SPATIAL_H

#include <math.h>
#include <string.h>

/* For functions that must be inlined where they are called: numbers that rest in memory between two steps of a
 * recursion cost more than the steps. */
#if defined __GNUC__
#define PF_INLINE static inline __attribute__((always_inline))
#else
#define PF_INLINE static inline
#endif

/* ---------------------------------------------------------------- three numbers */

/* a . b */
static inline double dot3(const double a[3], const double b[3])
{
  return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

/* c = a x b */
static inline void cross3(const double a[3], const double b[3], double c[3])
{
  const double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

/* a += b */
static inline void add3(double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++) a[i] += b[i];
}

/* a += factor b, of n numbers */
static inline void add_scaled(double *a, double factor, const double *b, int n)
{
  for (int i = 0; i < n; i++) a[i] += factor*b[i];
}

/* c = R a */
static inline void turn3(const double R[9], const double a[3], double c[3])
{
  const double x = dot3(R, a), y = dot3(R + 3, a), z = dot3(R + 6, a);
  c[0] = x, c[1] = y, c[2] = z;
}

/* c = R^T a */
static inline void turn3_back(const double R[9], const double a[3], double c[3])
{
  const double x = R[0]*a[0] + R[3]*a[1] + R[6]*a[2], y = R[1]*a[0] + R[4]*a[1] + R[7]*a[2],
               z = R[2]*a[0] + R[5]*a[1] + R[8]*a[2];
  c[0] = x, c[1] = y, c[2] = z;
}

/* C = A B; C is neither. */
static inline void mul33(const double A[9], const double B[9], double C[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3*i + j] = A[3*i]*B[j] + A[3*i + 1]*B[3 + j] + A[3*i + 2]*B[6 + j];
}

/* C = A^T B; C is neither. */
static inline void mul33_back(const double A[9], const double B[9], double C[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[3*i + j] = A[i]*B[j] + A[3 + i]*B[3 + j] + A[6 + i]*B[6 + j];
}

/* B = A^T; B is not A. */
static inline void transpose33(const double A[9], double B[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[3*j + i] = A[3*i + j];
}

/* The quaternion of the rotation b, then a (scalar first); c is neither. */
static inline void quat_mul(const double a[4], const double b[4], double c[4])
{
  c[0] = a[0]*b[0] - a[1]*b[1] - a[2]*b[2] - a[3]*b[3];
  c[1] = a[0]*b[1] + a[1]*b[0] + a[2]*b[3] - a[3]*b[2];
  c[2] = a[0]*b[2] + a[2]*b[0] + a[3]*b[1] - a[1]*b[3];
  c[3] = a[0]*b[3] + a[3]*b[0] + a[1]*b[2] - a[2]*b[1];
}

/* a = w x (w x l), the centripetal acceleration of the point l; a is neither. */
static inline void centripetal(const double w[3], const double l[3], double a[3])
{
  const double along = dot3(w, l), square = dot3(w, w);
  for (int i = 0; i < 3; i++) a[i] = along*w[i] - square*l[i];
}

/* R = 1 */
static inline void identity33(double R[9])
{
  for (int i = 0; i < 9; i++) R[i] = i%4 == 0;
}

/* ---------------------------------------------------------------- symmetric 6 x 6 */

/* [J B; B^T M]. Symmetric blocks are xx xy xz yy yz zz. */
typedef struct Sym6 {
  double J[6], B[9], M[6];
} Sym6;

/* c = S a */
static inline void sym3_mul(const double S[6], const double a[3], double c[3])
{
  const double x = S[0]*a[0] + S[1]*a[1] + S[2]*a[2], y = S[1]*a[0] + S[3]*a[1] + S[4]*a[2],
               z = S[2]*a[0] + S[4]*a[1] + S[5]*a[2];
  c[0] = x, c[1] = y, c[2] = z;
}

/* c = P a; c is not a. */
static inline void sym6_mul(const Sym6 *P, const double a[6], double c[6])
{
  double upper[3], lower[3], side[3], back[3];
  sym3_mul(P->J, a, upper);
  turn3(P->B, a + 3, side);
  turn3_back(P->B, a, back);
  sym3_mul(P->M, a + 3, lower);
  for (int i = 0; i < 3; i++) c[i] = upper[i] + side[i], c[3 + i] = back[i] + lower[i];
}

/* P -= g u^T, where u = d g */
static inline void sym6_reduce(Sym6 *P, const double g[6], const double u[6])
{
  double *J = P->J, *M = P->M;
  J[0] -= g[0]*u[0], J[1] -= g[0]*u[1], J[2] -= g[0]*u[2], J[3] -= g[1]*u[1], J[4] -= g[1]*u[2], J[5] -= g[2]*u[2];
  M[0] -= g[3]*u[3], M[1] -= g[3]*u[4], M[2] -= g[3]*u[5], M[3] -= g[4]*u[4], M[4] -= g[4]*u[5], M[5] -= g[5]*u[5];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P->B[3*i + j] -= g[i]*u[3 + j];
}

/* T = R S R^T of symmetric S; T is not S. */
static inline void sym3_turn(const double R[9], const double S[6], double T[6])
{
  double K[9];
  for (int i = 0; i < 3; i++) sym3_mul(S, R + 3*i, K + 3*i); /* K = R S */
  T[0] = dot3(K, R), T[1] = dot3(K, R + 3), T[2] = dot3(K, R + 6);
  T[3] = dot3(K + 3, R + 3), T[4] = dot3(K + 3, R + 6), T[5] = dot3(K + 6, R + 6);
}

/* All blocks to other axes: X -> R X R^T. */
static inline void sym6_turn(const double R[9], Sym6 *P)
{
  double S[6], K[9];
  memcpy(S, P->J, sizeof S);
  sym3_turn(R, S, P->J);
  memcpy(S, P->M, sizeof S);
  sym3_turn(R, S, P->M);
  mul33(R, P->B, K);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) P->B[3*i + j] = dot3(K + 3*i, R + 3*j);
}

/* c^2, s^2, c s and cos of twice the angle: what a turn does to a matrix. */
typedef struct Turn {
  double cc, ss, cs, c2;
} Turn;

/* Of the angle with that cosine and sine. */
static inline Turn turn_squares(double c, double s)
{
  const Turn turn = {c*c, s*s, c*s, c*c - s*s};
  return turn;
}

/* Two axes of a symmetric block turn; the trace is kept. */
static inline void turn_pair(Turn t, double *aa, double *ab, double *bb)
{
  const double a = *aa, m = *ab, b = *bb;
  const double turned = t.cc*a + (t.ss*b - 2*t.cs*m);
  *aa = turned;
  *ab = t.cs*(a - b) + t.c2*m;
  *bb = (a + b) - turned;
}

/* The same for a block that is not symmetric; what it lacks in symmetry is kept too. */
static inline void turn_square(Turn t, double *aa, double *ab, double *ba, double *bb)
{
  const double a = *aa, m = *ab, n = *ba, b = *bb;
  const double turned = t.cc*a + (t.ss*b - t.cs*(m + n)), mixed = t.cs*(a - b) + (t.cc*m - t.ss*n);
  *aa = turned;
  *bb = (a + b) - turned;
  *ab = mixed;
  *ba = mixed - (m - n);
}

/* (a, b) -> (c a - s b, s a + c b) */
static inline void turn2(double c, double s, double *a, double *b)
{
  const double x = c*(*a) - s*(*b);
  *b = s*(*a) + c*(*b);
  *a = x;
}

/* (a, b) -> (c a + s b, c b - s a) */
static inline void turn2_back(double c, double s, double *a, double *b)
{
  const double x = c*(*a) + s*(*b);
  *b = c*(*b) - s*(*a);
  *a = x;
}

/* X -> Rz X Rz^T of all blocks, for less than sym6_turn. */
static inline void sym6_turn_z(double c, double s, Sym6 *P)
{
  const Turn t = turn_squares(c, s);
  double *J = P->J, *B = P->B, *M = P->M;
  turn_pair(t, &J[0], &J[1], &J[3]);
  turn2(c, s, &J[2], &J[4]);
  turn_pair(t, &M[0], &M[1], &M[3]);
  turn2(c, s, &M[2], &M[4]);
  turn_square(t, &B[0], &B[1], &B[3], &B[4]);
  turn2(c, s, &B[2], &B[5]);
  turn2(c, s, &B[6], &B[7]);
}

/* The same about x. */
static inline void sym6_turn_x(double c, double s, Sym6 *P)
{
  const Turn t = turn_squares(c, s);
  double *J = P->J, *B = P->B, *M = P->M;
  turn_pair(t, &J[3], &J[4], &J[5]);
  turn2(c, s, &J[1], &J[2]);
  turn_pair(t, &M[3], &M[4], &M[5]);
  turn2(c, s, &M[1], &M[2]);
  turn_square(t, &B[4], &B[5], &B[7], &B[8]);
  turn2(c, s, &B[1], &B[2]);
  turn2(c, s, &B[3], &B[6]);
}

/* Phi^T P Phi: from the point O_k to the point l before it. B' = B + l^x M, J' = J + l^x B^T - B' l^x, (87). */
static inline void sym6_shift(const double l[3], Sym6 *P)
{
  double *J = P->J, *B = P->B, *M = P->M;
  const double x = l[0], y = l[1], z = l[2];
  const double k00 = y*B[2] - z*B[1], k01 = y*B[5] - z*B[4], k02 = y*B[8] - z*B[7]; /* l^x B^T */
  const double k11 = z*B[3] - x*B[5], k12 = z*B[6] - x*B[8], k22 = x*B[7] - y*B[6];
  B[0] += y*M[2] - z*M[1], B[1] += y*M[4] - z*M[3], B[2] += y*M[5] - z*M[4];
  B[3] += z*M[0] - x*M[2], B[4] += z*M[1] - x*M[4], B[5] += z*M[2] - x*M[5];
  B[6] += x*M[1] - y*M[0], B[7] += x*M[3] - y*M[1], B[8] += x*M[4] - y*M[2];
  J[0] += k00 + y*B[2] - z*B[1]; /* -(B' l^x) */
  J[1] += k01 + z*B[0] - x*B[2];
  J[2] += k02 + x*B[1] - y*B[0];
  J[3] += k11 + z*B[3] - x*B[5];
  J[4] += k12 + x*B[4] - y*B[3];
  J[5] += k22 + x*B[7] - y*B[6];
}

/* The same of an inertia that has nothing but M. */
static inline void sym6_shift_mass(const double l[3], Sym6 *P)
{
  double *J = P->J, *B = P->B, *M = P->M;
  const double x = l[0], y = l[1], z = l[2];
  B[0] = y*M[2] - z*M[1], B[1] = y*M[4] - z*M[3], B[2] = y*M[5] - z*M[4];
  B[3] = z*M[0] - x*M[2], B[4] = z*M[1] - x*M[4], B[5] = z*M[2] - x*M[5];
  B[6] = x*M[1] - y*M[0], B[7] = x*M[3] - y*M[1], B[8] = x*M[4] - y*M[2];
  J[0] = y*B[2] - z*B[1];
  J[1] = z*B[0] - x*B[2];
  J[2] = x*B[1] - y*B[0];
  J[3] = z*B[3] - x*B[5];
  J[4] = x*B[4] - y*B[3];
  J[5] = x*B[7] - y*B[6];
}

#endif
