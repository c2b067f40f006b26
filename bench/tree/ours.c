/* SPDX-License-Identifier: Apache-2.0 */
/* Pfaff in the race: pf_tree_forward, pf_tree_inverse, pf_tree_inertia. Compiled with all others by clang for this
 * processor, and as 'Default' against the library that users get. */
#include "contender.h"
#include "num/rotation.h"
#include "pfaff/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef OUR_NAME
#define OUR_NAME "Pfaff"
#endif

typedef struct Ours {
  const Mechanism *m;
  PfContext *ctx;
  PfTree *tree;
  PfTreeWork *work;
  double *vdot, *tau, *M;
} Ours;

static void demand(const Ours *self, PfStatus status)
{
  if (status == PF_OK) return;
  fprintf(stderr, "race: pfaff: %s\n", pf_context_message(self->ctx));
  exit(1);
}

static void add(const Ours *self, PfTreeBuilder *builder, const BodyData *body)
{
  static const PfJoint JOINTS[] = {PF_JOINT_REVOLUTE, PF_JOINT_SPHERICAL, PF_JOINT_FREE};
  PfTreeBody to = pf_tree_body(body->parent, JOINTS[body->kind]);
  pf_rotation_quat(body->R, to.quat);
  memcpy(to.pos, body->offset, sizeof to.pos);
  to.mass = body->mass;
  memcpy(to.com, body->com, sizeof to.com);
  memcpy(to.inertia, body->inertia, sizeof to.inertia);
  demand(self, pf_tree_builder_add(builder, &to, NULL));
}

static void *open_ours(const Mechanism *m)
{
  Ours *self = calloc(1, sizeof *self);
  PfTreeBuilder *builder;
  self->m = m;
  self->ctx = pf_context_new(NULL);
  demand(self, pf_tree_builder_new(self->ctx, &builder));
  pf_tree_builder_gravity(builder, m->gravity);
  for (int k = 0; k < m->count; k++) add(self, builder, &m->bodies[k]);
  demand(self, pf_tree_builder_finish(builder, &self->tree));
  pf_tree_builder_free(builder);
  demand(self, pf_tree_work_new(self->ctx, self->tree, &self->work));
  const size_t nv = (size_t)m->nv;
  self->vdot = calloc(nv, sizeof(double));
  self->tau = calloc(nv, sizeof(double));
  if (nv <= 4000) self->M = calloc(nv*nv, sizeof(double));
  return self;
}

static void close_ours(void *handle)
{
  Ours *self = handle;
  pf_tree_work_free(self->work);
  pf_tree_free(self->tree);
  pf_context_free(self->ctx);
  free(self->vdot);
  free(self->tau);
  free(self->M);
  free(self);
}

static void forward(void *handle)
{
  Ours *self = handle;
  demand(self, pf_tree_forward(self->work, self->m->q, self->m->v, self->m->tau, self->vdot));
}

static void inverse(void *handle)
{
  Ours *self = handle;
  demand(self, pf_tree_inverse(self->work, self->m->q, self->m->v, self->m->vdot, self->tau));
}

static void inertia(void *handle)
{
  Ours *self = handle;
  demand(self, pf_tree_inertia(self->work, self->m->q, self->M));
}

static void accelerations(void *handle, double *vdot)
{
  const Ours *self = handle;
  memcpy(vdot, self->vdot, (size_t)self->m->nv*sizeof *vdot);
}

static void torques(void *handle, double *tau)
{
  const Ours *self = handle;
  memcpy(tau, self->tau, (size_t)self->m->nv*sizeof *tau);
}

static double entry(void *handle, int i, int j)
{
  const Ours *self = handle;
  return self->M[(size_t)i*(size_t)self->m->nv + (size_t)j];
}

static double bytes(void *handle)
{
  const Ours *self = handle;
  return (double)pf_tree_work_bytes(self->work);
}

const Contender contenders[] = {
    {OUR_NAME, 0, open_ours, close_ours, forward, inverse, inertia, accelerations, torques, entry, bytes}, {0}};
