/* SPDX-License-Identifier: Apache-2.0 */
/* The body that has a given inertia: a box, or a cylinder or a sphere where the inertia has such a symmetry.
 *
 * A box with the sides a, b, c has I_x = m (b^2 + c^2)/12, so a^2 = 6 (I_y + I_z - I_x)/m; a cylinder with radius r
 * and height h has I_z = m r^2/2 and I_x = m (3 r^2 + h^2)/12; a sphere has I = 2/5 m r^2. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

#include "num/num.h"

static bool are_equal(double a, double b, double scale)
{
  return fabs(a - b) <= 1e-6*scale;
}

/* Principal moments and axes (columns of `axes`, a right-handed system); those of the body where they are principal
 * already. */
static void find_axes(const double inertia[9], double moments[3], double axes[9])
{
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double A[9], work[9], largest = 0, off = fmax(fabs(inertia[1]), fmax(fabs(inertia[2]), fabs(inertia[5])));
  memcpy(axes, identity, sizeof identity);
  for (int i = 0; i < 3; i++) moments[i] = inertia[4*i], largest = fmax(largest, fabs(inertia[4*i]));
  if (off <= 1e-9*largest) return;
  memcpy(A, inertia, sizeof A);
  if (pf_eig_symmetric(A, 3, moments, axes, work) != PF_OK) {
    for (int i = 0; i < 3; i++) moments[i] = inertia[4*i];
    memcpy(axes, identity, sizeof identity);
    return;
  }
  double determinant = axes[0]*(axes[4]*axes[8] - axes[5]*axes[7]) - axes[1]*(axes[3]*axes[8] - axes[5]*axes[6]) +
                       axes[2]*(axes[3]*axes[7] - axes[4]*axes[6]);
  for (int i = 0; i < 3 && determinant < 0; i++) axes[3*i] = -axes[3*i];
}

/* Moves axis k of the shape to the end, the others keeping their sense of rotation. */
static void turn_last(double turn[9], double v[3], int k)
{
  double old[9], w[3];
  memcpy(old, turn, sizeof old);
  memcpy(w, v, sizeof w);
  for (int j = 0; j < 3; j++) {
    int from = (k + 1 + j)%3;
    v[j] = w[from];
    for (int i = 0; i < 3; i++) turn[3*i + j] = old[3*i + from];
  }
}

/* A cylinder along the axis whose moment differs from the two others. False when it would have no real height. */
static bool make_cylinder(PfEqual *e, double mass, double moments[3])
{
  double largest = fmax(moments[0], fmax(moments[1], moments[2]));
  int k = are_equal(moments[0], moments[1], largest) ? 2 : are_equal(moments[1], moments[2], largest) ? 0 : 1;
  if (!are_equal(moments[(k + 1)%3], moments[(k + 2)%3], largest)) return false;
  double radius = sqrt(2*moments[k]/mass), height2 = (12*moments[(k + 1)%3] - 6*moments[k])/mass;
  if (height2 < -1e-6*radius*radius) return false;
  turn_last(e->turn, moments, k);
  e->kind = PF_SHAPE_CYLINDER;
  e->size[0] = e->half[0] = e->half[1] = radius;
  e->size[1] = sqrt(fmax(0, height2));
  e->half[2] = e->size[1]/2;
  return true;
}

void pf_equal_inertia(double mass, const double inertia[9], PfEqual *e)
{
  double moments[3];
  *e = (PfEqual){.solidity = PF_SOLID_NONE, .kind = PF_SHAPE_BOX};
  find_axes(inertia, moments, e->turn);
  double largest = fmax(moments[0], fmax(moments[1], moments[2])), sum = moments[0] + moments[1] + moments[2];
  if (!isfinite(mass) || !isfinite(sum)) return;
  int k = moments[0] == largest ? 0 : moments[1] == largest ? 1 : 2;
  if (!(largest > 0)) {
    e->solidity = mass > 0 ? PF_SOLID_POINT : PF_SOLID_NONE;
    return;
  }
  bool real = mass > 0 && sum >= 2*largest*(1 - 1e-6); /* no moment is more than the two others together */
  if (!real) { /* one moment alone: a square plate, which lies along the axis z, has m a^2/6 */
    e->solidity = PF_SOLID_FLAT;
    turn_last(e->turn, moments, k);
    e->size[0] = e->size[1] = mass > 0 ? sqrt(6*moments[2]/mass) : 0;
    e->half[0] = e->half[1] = e->size[0]/2;
    return;
  }
  e->solidity = PF_SOLID_FULL;
  if (are_equal(sum, 3*largest, largest)) {
    e->kind = PF_SHAPE_SPHERE;
    for (int i = 0; i < 3; i++) e->size[i] = e->half[i] = sqrt(2.5*largest/mass);
  } else if (!make_cylinder(e, mass, moments)) {
    for (int i = 0; i < 3; i++) {
      e->size[i] = sqrt(fmax(0, 6*(sum - 2*moments[i])/mass));
      e->half[i] = e->size[i]/2;
    }
  }
}
