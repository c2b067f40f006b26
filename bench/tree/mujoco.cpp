/* SPDX-License-Identifier: Apache-2.0 */
// MuJoCo in the race. Forward: kinematics, inertia matrix, its factors, bias, solution, without what mj_forward does
// besides.
#include "contender.h"

#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

struct Self {
  const Mechanism *m;
  mjModel *model;
  mjData *data;
  std::vector<double> tau, bias, result, full;
};

void set_quat(double to[4], const double R[9])
{
  mju_mat2Quat(to, R);
}

mjSpec *describe(const Mechanism *m)
{
  mjSpec *spec = mj_makeSpec();
  for (int i = 0; i < 3; i++) spec->option.gravity[i] = m->gravity[i];
  spec->option.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  spec->compiler.balanceinertia = 0;
  spec->compiler.autolimits = 0;
  std::vector<mjsBody *> bodies;
  for (int k = 0; k < m->count; k++) {
    const BodyData &b = m->bodies[k];
    mjsBody *body = mjs_addBody(b.parent < 0 ? mjs_findBody(spec, "world") : bodies[size_t(b.parent)], nullptr);
    memcpy(body->pos, b.offset, sizeof body->pos);
    set_quat(body->quat, b.R);
    body->mass = b.mass;
    memcpy(body->ipos, b.com, sizeof body->ipos);
    set_quat(body->iquat, b.axes);
    memcpy(body->inertia, b.moments, sizeof body->inertia);
    body->explicitinertial = 1;
    mjsJoint *joint = mjs_addJoint(body, nullptr);
    joint->type = b.kind == KIND_REVOLUTE ? mjJNT_HINGE : b.kind == KIND_BALL ? mjJNT_BALL : mjJNT_FREE;
    joint->align = mjALIGNFREE_FALSE;
    bodies.push_back(body);
  }
  return spec;
}

// MuJoCo gives the place of a free body in the world, its parent; ours is relative to the joint frame.
void set_state(Self &self)
{
  const Mechanism &m = *self.m;
  for (int k = 0; k < m.count; k++) {
    const BodyData &b = m.bodies[k];
    double *q = self.data->qpos + b.q, *v = self.data->qvel + b.v, *a = self.data->qacc + b.v;
    double *t = self.tau.data() + b.v;
    if (b.kind != KIND_FREE) {
      memcpy(q, m.q + b.q, size_t(b.nq)*sizeof *q);
      memcpy(v, m.v + b.v, size_t(b.nv)*sizeof *v);
      memcpy(t, m.tau + b.v, size_t(b.nv)*sizeof *t);
      memcpy(a, m.vdot + b.v, size_t(b.nv)*sizeof *a);
      continue;
    }
    double place[4];
    set_quat(place, b.R);
    mju_mulMatVec3(q, b.R, m.q + b.q + 4);
    mju_addTo3(q, b.offset);
    mju_mulQuat(q + 3, place, m.q + b.q);
    const double *from[] = {m.v + b.v, m.vdot + b.v, m.tau + b.v};
    double *to[] = {v, a, t};
    for (int i = 0; i < 3; i++) {
      mju_mulMatVec3(to[i], b.R, from[i] + 3);
      mju_copy3(to[i] + 3, from[i]);
    }
  }
}

void *open(const Mechanism *m)
{
  mjSpec *spec = describe(m);
  mjModel *model = mj_compile(spec, nullptr);
  if (!model) fprintf(stderr, "race: MuJoCo: %s\n", mjs_getError(spec));
  mj_deleteSpec(spec);
  if (!model) return nullptr;
  const size_t nv = size_t(m->nv);
  const std::vector<double> zeros(nv);
  Self *self = new Self{m, model, mj_makeData(model), zeros, zeros, zeros, std::vector<double>(nv*nv)};
  set_state(*self);
  return self;
}

void close(void *handle)
{
  Self *self = static_cast<Self *>(handle);
  mj_deleteData(self->data);
  mj_deleteModel(self->model);
  delete self;
}

void inertia(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  mj_kinematics(self.model, self.data);
  mj_comPos(self.model, self.data);
  mj_makeM(self.model, self.data);
}

void forward(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  inertia(handle);
  mj_factorM(self.model, self.data);
  mj_comVel(self.model, self.data);
  mj_rne(self.model, self.data, 0, self.bias.data());
  for (size_t i = 0; i < self.bias.size(); i++) self.bias[i] = self.tau[i] - self.bias[i];
  mj_solveM(self.model, self.data, self.result.data(), self.bias.data(), 1);
}

void inverse(void *handle)
{
  Self &self = *static_cast<Self *>(handle);
  mj_kinematics(self.model, self.data);
  mj_comPos(self.model, self.data);
  mj_comVel(self.model, self.data);
  mj_rne(self.model, self.data, 1, self.result.data());
}

void results(void *handle, double *out)
{
  const Self &self = *static_cast<Self *>(handle);
  const BodyData &base = self.m->bodies[0];
  memcpy(out, self.result.data(), self.result.size()*sizeof *out);
  if (base.kind != KIND_FREE) return;
  mju_copy3(out, self.result.data() + 3);
  mju_mulMatTVec3(out + 3, base.R, self.result.data());
}

double entry(void *handle, int i, int j)
{
  Self &self = *static_cast<Self *>(handle);
  if (i == self.m->nv - 1 && j == i) mj_fullM(self.model, self.data, self.full.data()); // the first one asked for
  return self.full[size_t(i)*size_t(self.m->nv) + size_t(j)];
}

} // namespace

extern "C" const Contender contenders[] = {
    {"MuJoCo", 1000, open, close, forward, inverse, inertia, results, results, entry, nullptr}, {}};
