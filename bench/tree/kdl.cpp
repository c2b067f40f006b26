/* SPDX-License-Identifier: Apache-2.0 */
// KDL in the race: chains of revolute joints. Forward: ChainFdSolver_RNE, which factors the inertia matrix, and the
// O(n) solver of Vereshchagin; inverse: ChainIdSolver_RNE; inertia: ChainDynParam.
#include "contender.h"

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include <memory>
#include <string>

namespace {

using namespace KDL;

struct Self {
  const Mechanism *m;
  Chain chain;
  std::unique_ptr<ChainFdSolver_RNE> dense;
  std::unique_ptr<ChainHdSolver_Vereshchagin> linear;
  std::unique_ptr<ChainIdSolver_RNE> newton;
  std::unique_ptr<ChainDynParam> param;
  JntArray q, v, tau, vdot, given, result, constraint;
  Wrenches wrenches;
  Jacobian direction{1}; // one constraint that constrains nothing: none at all is more than the solver bears
  JntArray push{1};
  JntSpaceInertiaMatrix M;
};

Frame placement(const BodyData &b)
{
  const double *R = b.R;
  return Frame(Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]),
               Vector(b.offset[0], b.offset[1], b.offset[2]));
}

// A segment is a joint and then a fixed frame, in which its inertia is given: the placement of the next body.
void add(Chain &chain, const Mechanism &m, int k)
{
  const BodyData &b = m.bodies[k];
  const Frame tip = k + 1 < m.count ? placement(m.bodies[k + 1]) : Frame::Identity();
  const double *I = b.inertia;
  const RigidBodyInertia inertia(b.mass, Vector(b.com[0], b.com[1], b.com[2]),
                                 RotationalInertia(I[0], I[4], I[8], I[1], I[2], I[5]));
  const std::string name = std::to_string(k);
  chain.addSegment(Segment("s" + name, Joint("j" + name, Joint::RotZ), tip, tip.Inverse()*inertia));
}

bool is_chain(const Mechanism &m)
{
  for (int k = 0; k < m.count; k++)
    if (m.bodies[k].kind != KIND_REVOLUTE || m.bodies[k].parent != k - 1) return false;
  return true;
}

void *open(const Mechanism *m)
{
  if (!is_chain(*m)) return nullptr;
  auto self = std::make_unique<Self>();
  self->m = m;
  for (int k = 0; k < m->count; k++) add(self->chain, *m, k);
  const unsigned n = unsigned(m->nv);
  // In the axes of the first joint: Vereshchagin's solver does not bear a fixed segment before it.
  const Vector gravity = placement(m->bodies[0]).M.Inverse()*Vector(m->gravity[0], m->gravity[1], m->gravity[2]);
  self->dense = std::make_unique<ChainFdSolver_RNE>(self->chain, gravity);
  self->linear = std::make_unique<ChainHdSolver_Vereshchagin>(self->chain, Twist(-gravity, Vector::Zero()), 1);
  self->newton = std::make_unique<ChainIdSolver_RNE>(self->chain, gravity);
  self->param = std::make_unique<ChainDynParam>(self->chain, gravity);
  for (JntArray *a : {&self->q, &self->v, &self->tau, &self->vdot, &self->given, &self->result, &self->constraint})
    a->resize(n);
  SetToZero(self->direction);
  SetToZero(self->push);
  self->M.resize(n);
  self->wrenches.resize(self->chain.getNrOfSegments(), Wrench::Zero());
  for (unsigned i = 0; i < n; i++)
    self->q(i) = m->q[i], self->v(i) = m->v[i], self->tau(i) = m->tau[i], self->given(i) = m->vdot[i];
  return self.release();
}

void close(void *handle)
{
  delete static_cast<Self *>(handle);
}

void forward_dense(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.dense->CartToJnt(self.q, self.v, self.tau, self.wrenches, self.vdot);
}

void forward_linear(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.linear->CartToJnt(self.q, self.v, self.vdot, self.direction, self.push, self.wrenches, self.tau,
                         self.constraint);
}

void inverse(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.newton->CartToJnt(self.q, self.v, self.given, self.wrenches, self.result);
}

void inertia(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  self.param->JntToMass(self.q, self.M);
}

void accelerations(void *handle, double *vdot)
{
  const Self &self = *static_cast<Self *>(handle);
  for (int i = 0; i < self.m->nv; i++) vdot[i] = self.vdot(unsigned(i));
}

void torques(void *handle, double *tau)
{
  const Self &self = *static_cast<Self *>(handle);
  for (int i = 0; i < self.m->nv; i++) tau[i] = self.result(unsigned(i));
}

double entry(void *handle, int i, int j)
{
  return static_cast<Self *>(handle)->M(unsigned(i), unsigned(j));
}

} // namespace

extern "C" const Contender contenders[] = {
    {"KDL dense", 100, open, close, forward_dense, inverse, inertia, accelerations, torques, entry, nullptr},
    {"KDL", 1000, open, close, forward_linear, nullptr, nullptr, accelerations, nullptr, nullptr, nullptr},
    {}};
