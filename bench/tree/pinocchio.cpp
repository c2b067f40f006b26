/* SPDX-License-Identifier: Apache-2.0 */
// Pinocchio in the race: aba, rnea, crba in both conventions. The templates are instantiated here, so this compiler's
// code is what is measured, not that of the package.
#include "contender.h"

#include <pinocchio/fwd.hpp> // first: it sets limits of boost

#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <memory>
#include <string>

namespace {

using namespace pinocchio;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Vector3 = Eigen::Vector3d;

struct Self {
  const Mechanism *m;
  Model model;
  std::unique_ptr<Data> data;
  Eigen::VectorXd q, v, tau, vdot;
};

Matrix3 rotation(const double *q)
{
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

// Rates of a free base: ours are [angular in body axes; linear in parent axes], Pinocchio's [linear; angular] in body
// axes.
void to_peer(const BodyData &b, const Mechanism &m, Self &self)
{
  const double *q = m.q + b.q, *v = m.v + b.v, *tau = m.tau + b.v, *vdot = m.vdot + b.v;
  auto V = self.v.segment(b.v, b.nv), T = self.tau.segment(b.v, b.nv), A = self.vdot.segment(b.v, b.nv);
  const int angular = b.kind == KIND_FREE ? 3 : 0;
  for (int i = 0; i < (b.kind == KIND_REVOLUTE ? 1 : 3); i++)
    V[angular + i] = v[i], T[angular + i] = tau[i], A[angular + i] = vdot[i];
  if (b.kind == KIND_REVOLUTE) {
    self.q[b.q] = q[0];
    return;
  }
  const int at = b.q + angular;
  self.q[at] = q[1], self.q[at + 1] = q[2], self.q[at + 2] = q[3], self.q[at + 3] = q[0];
  if (b.kind != KIND_FREE) return;
  const Matrix3 R = rotation(q);
  const Vector3 omega(v[0], v[1], v[2]), rate(v[3], v[4], v[5]);
  for (int i = 0; i < 3; i++) self.q[b.q + i] = q[4 + i];
  V.head<3>() = R.transpose()*rate;
  T.head<3>() = R.transpose()*Vector3(tau[3], tau[4], tau[5]);
  A.head<3>() = R.transpose()*Vector3(vdot[3], vdot[4], vdot[5]) - omega.cross(Vector3(R.transpose()*rate));
}

void *open(const Mechanism *m)
{
  auto self = std::make_unique<Self>();
  self->m = m;
  Model &model = self->model;
  model.gravity.linear() = Vector3(m->gravity);
  for (int k = 0; k < m->count; k++) {
    const BodyData &b = m->bodies[k];
    const SE3 place(Eigen::Map<const Matrix3>(b.R), Vector3(b.offset));
    const std::string name = "j" + std::to_string(k);
    const JointIndex parent = JointIndex(b.parent + 1);
    JointIndex id;
    if (b.kind == KIND_REVOLUTE) id = model.addJoint(parent, JointModelRZ(), place, name);
    else if (b.kind == KIND_BALL) id = model.addJoint(parent, JointModelSpherical(), place, name);
    else id = model.addJoint(parent, JointModelFreeFlyer(), place, name);
    model.appendBodyToJoint(id, Inertia(b.mass, Vector3(b.com), Eigen::Map<const Matrix3>(b.inertia)), SE3::Identity());
  }
  self->data = std::make_unique<Data>(model);
  self->q.setZero(m->nq);
  self->v.setZero(m->nv);
  self->tau.setZero(m->nv);
  self->vdot.setZero(m->nv);
  for (int k = 0; k < m->count; k++) to_peer(m->bodies[k], *m, *self);
  return self.release();
}

void close(void *handle)
{
  delete static_cast<Self *>(handle);
}

template <Convention C> void forward(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  aba(self.model, *self.data, self.q, self.v, self.tau, C);
}

void inverse(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  rnea(self.model, *self.data, self.q, self.v, self.vdot);
}

template <Convention C> void inertia(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  crba(self.model, *self.data, self.q, C);
}

void accelerations(void *handle, double *vdot)
{
  const Self &self = *static_cast<Self *>(handle);
  Eigen::VectorXd::Map(vdot, self.m->nv) = self.data->ddq;
  const BodyData &b = self.m->bodies[0];
  if (b.kind != KIND_FREE) return;
  const Vector3 linear = self.data->ddq.head<3>(), angular = self.data->ddq.segment<3>(3), omega(self.m->v);
  Vector3::Map(vdot) = angular;
  Vector3::Map(vdot + 3) = rotation(self.m->q)*(linear + omega.cross(Vector3(self.v.head<3>())));
}

void torques(void *handle, double *tau)
{
  const Self &self = *static_cast<Self *>(handle);
  Eigen::VectorXd::Map(tau, self.m->nv) = self.data->tau;
  if (self.m->bodies[0].kind != KIND_FREE) return;
  Vector3::Map(tau) = self.data->tau.segment<3>(3);
  Vector3::Map(tau + 3) = rotation(self.m->q)*Vector3(self.data->tau.head<3>());
}

double entry(void *handle, int i, int j)
{
  return static_cast<Self *>(handle)->data->M(j, i); // the upper triangle is what crba sets
}

} // namespace

extern "C" const Contender contenders[] = {
    {"Pinocchio local", 1000, open, close, forward<Convention::LOCAL>, inverse, inertia<Convention::LOCAL>,
     accelerations, torques, entry, nullptr},
    {"Pinocchio world", 1000, open, close, forward<Convention::WORLD>, nullptr, inertia<Convention::WORLD>,
     accelerations, nullptr, entry, nullptr},
    {}};
