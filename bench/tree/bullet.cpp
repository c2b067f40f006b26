/* SPDX-License-Identifier: Apache-2.0 */
// Bullet in the race, in double precision: computeAccelerationsArticulatedBodyAlgorithmMultiDof of btMultiBody. Frames
// of its links have their origin in the mass centre and the principal axes of inertia. It is given no time step, so
// that it does not go on to change the velocities.
#include "contender.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <vector>

namespace {

struct Self {
  const Mechanism *m;
  btMultiBody *body;
  bool free_base;
  btAlignedObjectArray<btScalar> r;
  btAlignedObjectArray<btVector3> v;
  btAlignedObjectArray<btMatrix3x3> mats;
};

btMatrix3x3 matrix(const double *R)
{
  return btMatrix3x3(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
}

btVector3 vector(const double *a)
{
  return btVector3(a[0], a[1], a[2]);
}

btQuaternion quaternion(const btMatrix3x3 &R)
{
  btQuaternion q;
  R.getRotation(q);
  return q;
}

void add_link(Self &self, int k)
{
  const Mechanism &m = *self.m;
  const BodyData &b = m.bodies[k];
  const int link = k - self.free_base, parent = b.parent - self.free_base;
  // Columns of axes: the link's axes in the body's. Parent (principal) to this: axes^T R^T parent_axes.
  const btMatrix3x3 here = matrix(b.axes);
  const btMatrix3x3 before = b.parent < 0 ? btMatrix3x3::getIdentity() : matrix(m.bodies[b.parent].axes);
  const btVector3 before_com = b.parent < 0 ? btVector3(0, 0, 0) : vector(m.bodies[b.parent].com);
  const btQuaternion turn = quaternion(here.transpose()*matrix(b.R).transpose()*before);
  const btVector3 to_pivot = before.transpose()*(vector(b.offset) - before_com);
  const btVector3 to_com = here.transpose()*vector(b.com);
  const btVector3 axis = here.transpose()*btVector3(0, 0, 1);
  if (b.kind == KIND_REVOLUTE)
    self.body->setupRevolute(link, b.mass, vector(b.moments), parent, turn, axis, to_pivot, to_com, true);
  else self.body->setupSpherical(link, b.mass, vector(b.moments), parent, turn, to_pivot, to_com, true);
}

// The base: angular velocity and velocity of the mass centre, in the world.
void set_base(Self &self)
{
  const BodyData &b = self.m->bodies[0];
  const double *q = self.m->q, *v = self.m->v;
  const btMatrix3x3 R = matrix(b.R)*btMatrix3x3(btQuaternion(q[1], q[2], q[3], q[0]));
  const btVector3 arm = R*vector(b.com), omega = R*vector(v);
  self.body->setBasePos(vector(b.offset) + matrix(b.R)*vector(q + 4) + arm);
  self.body->setWorldToBaseRot(quaternion((R*matrix(b.axes)).transpose()));
  self.body->setBaseOmega(omega);
  self.body->setBaseVel(matrix(b.R)*vector(v + 3) + omega.cross(arm));
}

void set_rates(Self &self, const double *v)
{
  for (int k = self.free_base; k < self.m->count; k++) {
    const BodyData &b = self.m->bodies[k];
    btVector3 rate(v[b.v], 0, 0);
    if (b.kind == KIND_BALL) rate = matrix(b.axes).transpose()*vector(v + b.v); // in the axes of the link
    self.body->setJointVelMultiDof(k - self.free_base, &rate[0]);
  }
}

void set_forces(Self &self)
{
  const Mechanism &m = *self.m;
  self.body->clearForcesAndTorques();
  const btVector3 g = vector(m.gravity);
  if (self.free_base) {
    const btMatrix3x3 R = matrix(m.bodies[0].R)*btMatrix3x3(btQuaternion(m.q[1], m.q[2], m.q[3], m.q[0]));
    const btVector3 force = matrix(m.bodies[0].R)*vector(m.tau + 3), arm = R*vector(m.bodies[0].com);
    self.body->addBaseForce(g*m.bodies[0].mass + force);
    self.body->addBaseTorque(R*vector(m.tau) - arm.cross(force));
  }
  for (int k = self.free_base; k < m.count; k++) {
    const BodyData &b = m.bodies[k];
    self.body->addLinkForce(k - self.free_base, g*b.mass);
    btVector3 tau(m.tau[b.v], 0, 0);
    if (b.kind == KIND_BALL) tau = matrix(b.axes).transpose()*vector(m.tau + b.v);
    for (int i = 0; i < b.nv; i++) self.body->addJointTorqueMultiDof(k - self.free_base, i, tau[i]);
  }
}

void set_state(Self &self)
{
  const Mechanism &m = *self.m;
  if (self.free_base) set_base(self);
  for (int k = self.free_base; k < m.count; k++) {
    const BodyData &b = m.bodies[k];
    const double *q = m.q + b.q;
    if (b.kind == KIND_REVOLUTE) {
      self.body->setJointPos(k - self.free_base, q[0]);
      continue;
    }
    const btMatrix3x3 R = btMatrix3x3(btQuaternion(q[1], q[2], q[3], q[0])), here = matrix(b.axes);
    const btQuaternion turn = quaternion(here.transpose()*R*here);
    const double pose[4] = {turn.x(), turn.y(), turn.z(), turn.w()};
    self.body->setJointPosMultiDof(k - self.free_base, pose);
  }
  set_rates(self, m.v);
  set_forces(self);
}

void *open(const Mechanism *m)
{
  Self *self = new Self{m, nullptr, m->bodies[0].kind == KIND_FREE, {}, {}, {}};
  const BodyData &base = m->bodies[0];
  self->body = new btMultiBody(m->count - self->free_base, self->free_base ? base.mass : 0,
                               self->free_base ? vector(base.moments) : btVector3(0, 0, 0), !self->free_base, false);
  self->body->setLinearDamping(0);
  self->body->setAngularDamping(0);
  self->body->setMaxCoordinateVelocity(1e300);
  self->body->setMaxAppliedImpulse(1e300);
  self->body->useGlobalVelocities(false);
  for (int k = self->free_base; k < m->count; k++) add_link(*self, k);
  self->body->finalizeMultiDof();
  set_state(*self);
  return self;
}

void close(void *handle)
{
  Self *self = static_cast<Self *>(handle);
  delete self->body;
  delete self;
}

void solve(Self &self, double step)
{
  self.body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(step, self.r, self.v, self.mats, false, false, false);
}

void forward(void *handle)
{
  solve(*static_cast<Self *>(handle), 0);
}

// The only way to see accelerations is a step of velocities, here of one second; the state is restored.
void accelerations(void *handle, double *vdot)
{
  Self &self = *static_cast<Self *>(handle);
  const Mechanism &m = *self.m;
  const btVector3 omega = self.body->getBaseOmega(), vel = self.body->getBaseVel();
  solve(self, 1);
  for (int k = self.free_base; k < m.count; k++) {
    const BodyData &b = m.bodies[k];
    const double *rate = self.body->getJointVelMultiDof(k - self.free_base);
    btVector3 now(rate[0], 0, 0);
    if (b.kind == KIND_BALL) now = matrix(b.axes)*vector(rate);
    for (int i = 0; i < b.nv; i++) vdot[b.v + i] = now[i] - m.v[b.v + i];
  }
  if (self.free_base) {
    const BodyData &b = m.bodies[0];
    const btMatrix3x3 R = matrix(b.R)*btMatrix3x3(btQuaternion(m.q[1], m.q[2], m.q[3], m.q[0]));
    const btVector3 arm = R*vector(b.com), alpha = self.body->getBaseOmega() - omega;
    const btVector3 at_com = self.body->getBaseVel() - vel;
    const btVector3 a = matrix(b.R).transpose()*(at_com - alpha.cross(arm) - omega.cross(omega.cross(arm)));
    const btVector3 turn = R.transpose()*alpha;
    for (int i = 0; i < 3; i++) vdot[i] = turn[i], vdot[3 + i] = a[i];
  }
  set_state(self);
}

} // namespace

extern "C" const Contender contenders[] = {
    {"Bullet", 1000, open, close, forward, nullptr, nullptr, accelerations, nullptr, nullptr, nullptr}, {}};
