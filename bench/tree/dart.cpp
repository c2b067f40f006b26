/* SPDX-License-Identifier: Apache-2.0 */
// DART in the race: computeForwardDynamics, computeInverseDynamics, getMassMatrix. It remembers what it has computed,
// so every second call is for positions that differ by 1e-9.
#include "contender.h"

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <string>
#include <vector>

namespace {

using namespace dart::dynamics;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Vector3 = Eigen::Vector3d;

struct Self {
  const Mechanism *m;
  SkeletonPtr skeleton;
  std::vector<BodyNode *> bodies;
  Eigen::VectorXd q, near, v, tau, vdot;
  bool turn = false;
};

void set_positions(Self &self)
{
  self.skeleton->setPositions(self.turn ? self.near : self.q);
  self.turn = !self.turn;
}

Eigen::Matrix3d rotation(const double *q)
{
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

template <class J>
BodyNode *add_body(Self &self, BodyNode *parent, const typename J::Properties &joint, const BodyNode::Properties &body)
{
  return self.skeleton->createJointAndBodyNodePair<J>(parent, joint, body).second;
}

void add(Self &self, int k)
{
  const BodyData &b = self.m->bodies[k];
  const Eigen::Matrix3d I = Eigen::Map<const Matrix3>(b.inertia);
  BodyNode::Properties body;
  body.mName = "b" + std::to_string(k);
  body.mInertia = Inertia(b.mass, Vector3(b.com), I);
  Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
  place.linear() = Eigen::Map<const Matrix3>(b.R);
  place.translation() = Vector3(b.offset);
  const Joint::Properties joint("j" + std::to_string(k), place);
  BodyNode *parent = b.parent < 0 ? nullptr : self.bodies[size_t(b.parent)], *added;
  const RevoluteJoint::Properties hinge{GenericJoint<dart::math::R1Space>::Properties(joint),
                                        RevoluteJoint::UniqueProperties(Vector3::UnitZ())};
  if (b.kind == KIND_REVOLUTE) added = add_body<RevoluteJoint>(self, parent, hinge, body);
  else if (b.kind == KIND_BALL) added = add_body<BallJoint>(self, parent, BallJoint::Properties(joint), body);
  else added = add_body<FreeJoint>(self, parent, FreeJoint::Properties(joint), body);
  self.bodies.push_back(added);
}

// Rates of a free base are [angular; linear] in body axes.
void set_free(Self &self, const BodyData &b)
{
  const Mechanism &m = *self.m;
  const Eigen::Matrix3d R = rotation(m.q + b.q), T = R.transpose();
  const Vector3 omega(m.v + b.v), rate = T*Vector3(m.v + b.v + 3);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = R;
  pose.translation() = Vector3(m.q + b.q + 4);
  self.q.head<6>() = FreeJoint::convertToPositions(pose);
  self.v.segment<3>(3) = rate;
  self.tau.segment<3>(3) = T*Vector3(m.tau + b.v + 3);
  self.vdot.segment<3>(3) = T*Vector3(m.vdot + b.v + 3) - omega.cross(rate);
}

void *open(const Mechanism *m)
{
  Self *self = new Self;
  self->m = m;
  self->skeleton = Skeleton::create("race");
  self->skeleton->setGravity(Vector3(m->gravity));
  for (int k = 0; k < m->count; k++) add(*self, k);
  self->q.setZero(m->nv);
  self->v = Eigen::VectorXd::Map(m->v, m->nv);
  self->tau = Eigen::VectorXd::Map(m->tau, m->nv);
  self->vdot = Eigen::VectorXd::Map(m->vdot, m->nv);
  for (int k = 0; k < m->count; k++) {
    const BodyData &b = m->bodies[k];
    if (b.kind == KIND_FREE) set_free(*self, b);
    else if (b.kind == KIND_BALL) self->q.segment<3>(b.v) = BallJoint::convertToPositions(rotation(m->q + b.q));
    else self->q[b.v] = m->q[b.q];
  }
  self->near = self->q.array() + 1e-9;
  return self;
}

void close(void *handle)
{
  delete static_cast<Self *>(handle);
}

void forward(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  set_positions(self);
  self.skeleton->setVelocities(self.v);
  self.skeleton->setForces(self.tau);
  self.skeleton->computeForwardDynamics();
}

void inverse(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  set_positions(self);
  self.skeleton->setVelocities(self.v);
  self.skeleton->setAccelerations(self.vdot);
  self.skeleton->computeInverseDynamics();
}

void inertia(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  set_positions(self);
  self.skeleton->getMassMatrix();
}

void accelerations(void *handle, double *vdot)
{
  const Self &self = *static_cast<Self *>(handle);
  const Eigen::VectorXd a = self.skeleton->getAccelerations();
  Eigen::VectorXd::Map(vdot, self.m->nv) = a;
  if (self.m->bodies[0].kind != KIND_FREE) return;
  const Vector3 omega = self.v.head<3>(), rate = self.v.segment<3>(3);
  Vector3::Map(vdot + 3) = rotation(self.m->q)*(Vector3(a.segment<3>(3)) + omega.cross(rate));
}

void torques(void *handle, double *tau)
{
  const Self &self = *static_cast<Self *>(handle);
  const Eigen::VectorXd t = self.skeleton->getForces();
  Eigen::VectorXd::Map(tau, self.m->nv) = t;
  if (self.m->bodies[0].kind == KIND_FREE) Vector3::Map(tau + 3) = rotation(self.m->q)*Vector3(t.segment<3>(3));
}

double entry(void *handle, int i, int j)
{
  return static_cast<Self *>(handle)->skeleton->getMassMatrix()(i, j);
}

} // namespace

extern "C" const Contender contenders[] = {
    {"DART", 100, open, close, forward, inverse, inertia, accelerations, torques, entry, nullptr}, {}};
