/* SPDX-License-Identifier: Apache-2.0 */
// Simbody in the race: realize from Position to Acceleration; calcResidualForceIgnoringConstraints; calcM.
#include "contender.h"

#include <Simbody.h>

#include <memory>
#include <vector>

namespace {

using namespace SimTK;

struct Self {
  const Mechanism *m;
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::DiscreteForces applied{forces, matter};
  std::vector<MobilizedBody> bodies;
  State state;
  Vector udot, residual;
  Matrix M;
};

Rotation rotation(const double *R)
{
  return Rotation(Mat33(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]));
}

Rotation turn(const double *q)
{
  return Rotation(Quaternion(Vec4(q[0], q[1], q[2], q[3])));
}

// Simbody's rates of balls and free bodies are in the axes of the joint frame, ours in those of the body.
void convert(const Mechanism &m, const double *from, Vector &to)
{
  to.resize(m.nv);
  for (int k = 0; k < m.count; k++) {
    const BodyData &b = m.bodies[k];
    for (int i = 0; i < b.nv; i++) to[b.v + i] = from[b.v + i];
    if (b.kind == KIND_REVOLUTE) continue;
    const Vec3 w = turn(m.q + b.q)*Vec3(from[b.v], from[b.v + 1], from[b.v + 2]);
    for (int i = 0; i < 3; i++) to[b.v + i] = w[i];
  }
}

void convert_back(const Mechanism &m, const Vector &from, double *to)
{
  for (int k = 0; k < m.count; k++) {
    const BodyData &b = m.bodies[k];
    for (int i = 0; i < b.nv; i++) to[b.v + i] = from[b.v + i];
    if (b.kind == KIND_REVOLUTE) continue;
    const Vec3 w = ~turn(m.q + b.q)*Vec3(from[b.v], from[b.v + 1], from[b.v + 2]);
    for (int i = 0; i < 3; i++) to[b.v + i] = w[i];
  }
}

void add(Self &self, const BodyData &b)
{
  const Vec3 com(b.com[0], b.com[1], b.com[2]);
  const double *I = b.inertia;
  const Inertia central(I[0], I[4], I[8], I[1], I[2], I[5]);
  const Body::Rigid body(MassProperties(b.mass, com, central.shiftFromMassCenter(com, b.mass)));
  const Transform place(rotation(b.R), Vec3(b.offset[0], b.offset[1], b.offset[2]));
  MobilizedBody &parent = b.parent < 0 ? self.matter.updGround() : self.bodies[size_t(b.parent)];
  if (b.kind == KIND_REVOLUTE) self.bodies.push_back(MobilizedBody::Pin(parent, place, body, Transform()));
  else if (b.kind == KIND_BALL) self.bodies.push_back(MobilizedBody::Ball(parent, place, body, Transform()));
  else self.bodies.push_back(MobilizedBody::Free(parent, place, body, Transform()));
}

// Simbody orders coordinates by level of the tree, so everything goes through the bodies.
void *open(const Mechanism *m)
{
  auto self = std::make_unique<Self>();
  self->m = m;
  Force::UniformGravity(self->forces, self->matter, Vec3(m->gravity[0], m->gravity[1], m->gravity[2]));
  self->bodies.reserve(size_t(m->count));
  for (int k = 0; k < m->count; k++) add(*self, m->bodies[k]);
  self->state = self->system.realizeTopology();
  self->system.realizeModel(self->state);
  Vector v, tau, vdot, mobility(m->nv);
  convert(*m, m->v, v);
  convert(*m, m->tau, tau);
  convert(*m, m->vdot, vdot);
  self->udot.resize(m->nv);
  for (int k = 0; k < m->count; k++) {
    const BodyData &b = m->bodies[k];
    for (int i = 0; i < b.nq; i++) self->bodies[size_t(k)].setOneQ(self->state, i, m->q[b.q + i]);
    for (int i = 0; i < b.nv; i++) {
      self->bodies[size_t(k)].setOneU(self->state, i, v[b.v + i]);
      self->bodies[size_t(k)].updOneFromUPartition(self->state, i, mobility) = tau[b.v + i];
      self->bodies[size_t(k)].updOneFromUPartition(self->state, i, self->udot) = vdot[b.v + i];
    }
  }
  self->applied.setAllMobilityForces(self->state, mobility);
  self->system.realize(self->state, Stage::Acceleration);
  return self.release();
}

void close(void *handle)
{
  delete static_cast<Self *>(handle);
}

void forward(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.state.invalidateAllCacheAtOrAbove(Stage::Position);
  self.system.realize(self.state, Stage::Acceleration);
}

void inverse(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.state.invalidateAllCacheAtOrAbove(Stage::Position);
  self.system.realize(self.state, Stage::Dynamics); // gravity on the bodies
  const auto &weights = self.system.getRigidBodyForces(self.state, Stage::Dynamics);
  self.matter.calcResidualForceIgnoringConstraints(self.state, Vector(), weights, self.udot, self.residual);
}

void inertia(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.state.invalidateAllCacheAtOrAbove(Stage::Position);
  self.system.realize(self.state, Stage::Position);
  self.matter.calcM(self.state, self.M);
}

void in_order(const Self &self, const Vector &from, double *to)
{
  Vector ordered(self.m->nv);
  for (int k = 0; k < self.m->count; k++)
    for (int i = 0; i < self.m->bodies[k].nv; i++)
      ordered[self.m->bodies[k].v + i] = self.bodies[size_t(k)].getOneFromUPartition(self.state, i, from);
  convert_back(*self.m, ordered, to);
}

void accelerations(void *handle, double *vdot)
{
  const Self &self = *static_cast<Self *>(handle);
  in_order(self, self.state.getUDot(), vdot);
}

void torques(void *handle, double *tau)
{
  const Self &self = *static_cast<Self *>(handle);
  in_order(self, self.residual, tau);
}

} // namespace

// M is not compared: its order and, for balls, its axes are others.
extern "C" const Contender contenders[] = {
    {"Simbody", 1000, open, close, forward, inverse, inertia, accelerations, torques, nullptr, nullptr}, {}};
