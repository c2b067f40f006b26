/* SPDX-License-Identifier: Apache-2.0 */
#include "hand.h"

#include <math.h>
#include <string.h>

/* theta, psi1, psi2 and their rates. With u_i = theta' - psi_i' the equations of psi_i read
 *   J u_i' + k cos(psi_i) theta'' = k sin(psi_i) theta'^2,
 * and what is left for theta has one unknown. The force of the constraint is zero. */
void hand_free_floating(const double *y, double *d, double push)
{
  (void)push;
  const double m2 = 5, I = 260.42, r = 4, L = 8, k = m2*r*L, J = m2*L*L;
  double w = y[3], p1 = y[4], p2 = y[5], ww = w*w;
  double c1 = k*cos(y[1]), s1 = k*sin(y[1]), c2 = k*cos(y[2]), s2 = k*sin(y[2]);
  double inertia = I + 2*m2*r*r - (c1*c1 + c2*c2)/J;
  double turn = (s1*(p1*(2*w - p1) - ww - c1*ww/J) + s2*(p2*(2*w - p2) - ww - c2*ww/J))/inertia;
  d[0] = w;
  d[1] = p1;
  d[2] = p2;
  d[3] = turn;
  d[4] = turn - (s1*ww - c1*turn)/J;
  d[5] = turn - (s2*ww - c2*turn)/J;
}

/* psi1, psi2, psi3, x, y, theta and x', y', theta': the wheels follow from the constraints, and the sums over three
 * directions 120 degrees apart are constants. */
void hand_omni_robot(const double *y, double *d, double push)
{
  (void)push;
  const double m1 = 0.2, m2 = 2, I1 = 80e-6, I2 = 2080e-6, r = 0.02, L = 0.04, Q = 0.25e-6, half_root3 = sqrt(3)/2;
  const double g = 1.5*I1/(r*r), m = 3*m1 + m2 + g, J = 3*m1*L*L + I2 + 3*I1*L*L/(r*r);
  double S = sin(y[5]), C = cos(y[5]), vx = y[6], vy = y[7], w = y[8];
  double s1 = 0.5*S + half_root3*C, c1 = 0.5*C - half_root3*S, s3 = 0.5*S - half_root3*C, c3 = 0.5*C + half_root3*S;
  d[0] = (s1*vx - c1*vy - L*w)/r;
  d[1] = (-S*vx + C*vy - L*w)/r;
  d[2] = (s3*vx - c3*vy - L*w)/r;
  d[3] = vx;
  d[4] = vy;
  d[5] = w;
  d[6] = (Q*s1/r - g*w*vy)/m;
  d[7] = (-Q*c1/r + g*w*vx)/m;
  d[8] = -Q*L/r/J;
}

static const double m = 6, J = 0.016, Jr = 0.072, Jw = 0.0013, L = 0.2, kr = 1, kw = 0.1;

/* x, y, theta, psi, phi_b, phi_f and their rates, multipliers eliminated. Springs act between board and rotor and
 * wheels, constraints on (x, y, theta) only: there the inverse mass matrix is diag(1/m, 1/m, 1/J). */
void hand_snakeboard(const double *y, double *d, double push)
{
  const double F = push, *v = y + 6;
  double st = sin(y[2]), ct = cos(y[2]), sb = sin(y[4]), cb = cos(y[4]), sf = sin(y[5]), cf = cos(y[5]);
  double stb = st*cb + ct*sb, ctb = ct*cb - st*sb, stf = st*cf + ct*sf, ctf = ct*cf - st*sf;
  double ax = F*ct/m, ay = F*st/m, at = (kr*y[3] + kw*(y[4] + y[5]))/J, LL = L*L/J;
  double Sbb = 1/m + LL*cb*cb, Sff = 1/m + LL*cf*cf, Sbf = (stb*stf + ctb*ctf)/m - LL*cb*cf;
  double rb = (v[2] + v[4])*(ctb*v[0] + stb*v[1]) - L*sb*v[4]*v[2] - (-stb*ax + ctb*ay - L*cb*at);
  double rf = (v[2] + v[5])*(ctf*v[0] + stf*v[1]) + L*sf*v[5]*v[2] - (-stf*ax + ctf*ay + L*cf*at);
  double det = Sbb*Sff - Sbf*Sbf, lb = (rb*Sff - rf*Sbf)/det, lf = (rf*Sbb - rb*Sbf)/det;
  memcpy(d, v, 6*sizeof *d);
  d[6] = ax - (stb*lb + stf*lf)/m;
  d[7] = ay + (ctb*lb + ctf*lf)/m;
  d[8] = at + L*(cf*lf - cb*lb)/J;
  d[9] = -kr/Jr*y[3] - d[8];
  d[10] = -kw/Jw*y[4] - d[8];
  d[11] = -kw/Jw*y[5] - d[8];
}
