/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a model in numbers: every moving step of a placement becomes a joint, what is fixed to the same step
 * becomes one body. */
#include "form/placing.h"
#include "form/recursive.h"
#include "num/rotation.h"

#include <string.h>

/* `resting` is the sum of mass times position of what is fixed to the ground: it has weight and does not move. Inertias
 * are turned into the axes of the body of the tree. */
static PfStatus add_mass(PfPlacing *b, const PfBody *own, double resting[3])
{
  const PfPose *pose = b->pose + own->frame;
  double mass, c[3], com[3], I[9], half[9], turned[9];
  PF_TRY(pf_placing_mass(b, own, &mass, c, I));
  pf_rotation_times(pose->R, c, com);
  for (int k = 0; k < 3; k++) com[k] += pose->p[k];
  if (pose->body < 0) {
    for (int k = 0; k < 3; k++) resting[k] += mass*com[k];
    return PF_OK;
  }
  for (int i = 0; i < 3; i++) pf_rotation_times(pose->R, I + 3*i, half + 3*i); /* rows of I are its columns */
  for (int i = 0; i < 3; i++) {
    double column[3] = {half[i], half[3 + i], half[6 + i]};
    pf_rotation_times(pose->R, column, turned + 3*i);
  }
  PfTreeBody *body = b->list + pose->body;
  if (!body->name) body->name = own->name;
  /* Adds a mass that is fixed to a body of the tree: its mass centre and inertia about that, in the axes of the
   * body. By I += m (d.d 1 - d d^T) both inertias are taken to the common mass centre. */
  const double sum = body->mass + mass, masses[2] = {body->mass, mass};
  double centre[3], arm[2][3]; /* of the body's own mass and of the other */
  for (int k = 0; k < 3; k++) {
    centre[k] = sum > 0 ? (body->mass*body->com[k] + mass*com[k])/sum : com[k];
    arm[0][k] = body->com[k] - centre[k];
    arm[1][k] = com[k] - centre[k];
  }
  for (int l = 0; l < 2; l++) {
    const double *d = arm[l], square = d[0]*d[0] + d[1]*d[1] + d[2]*d[2];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) body->inertia[3*i + j] += masses[l]*((i == j ? square : 0) - d[i]*d[j]);
  }
  for (int k = 0; k < 9; k++) body->inertia[k] += turned[k];
  body->mass = sum;
  memcpy(body->com, centre, sizeof centre);
  return PF_OK;
}

/* The walk lists the joints, masses are added to them, and the builder makes the tree. */
static PfStatus build(PfPlacing *b, PfRecursion *r, PfTreeBuilder *builder)
{
  double gravity[3], resting[3] = {0};
  pf_tree_builder_trust(builder); /* plane models have inertias about one axis only */
  PF_TRY(pf_placing_walk(b));
  for (int i = 0; i < b->model->body_count; i++) PF_TRY(add_mass(b, b->model->bodies + i, resting));
  PF_TRY(pf_placing_numbers(b, b->model->gravity, 3, gravity));
  if (r->weight_in_tree) pf_tree_builder_gravity(builder, gravity);
  r->resting = r->weight_in_tree ? -(gravity[0]*resting[0] + gravity[1]*resting[1] + gravity[2]*resting[2]) : 0;
  for (int k = 0; k < b->count; k++) PF_TRY(pf_tree_builder_add(builder, b->list + k, NULL));
  return pf_tree_builder_finish(builder, &r->tree);
}

/* All of it can be made again by pf_recursion_build; the lists of the model stay. */
void pf_recursion_drop(PfRecursion *r)
{
  pf_tree_rows_free(r->rows);
  pf_tree_work_free(r->work);
  pf_tree_free(r->tree);
  pf_arena_free(r->arena);
  r->rows = NULL;
  r->work = NULL;
  r->tree = NULL;
  r->arena = NULL;
}

/* Parameters are taken from `values`; r->parameters remembers them, so that other ones are noticed. */
PfStatus pf_recursion_build(PfSolver *s, PfRecursion *r, const double *values)
{
  pf_recursion_drop(r);
  r->arena = pf_arena_new(pf_context_allocator(s->ctx));
  if (!r->arena) return pf_solver_no_room(s);
  PfPlacing b = {.ctx = s->ctx, .model = r->model, .chain = &r->chain, .used = r->used, .in = &s->system->symbols,
                 .values = values, .body_of_step = r->body_of_step,
                 .pose = pf_arena_array(r->arena, PfPose, r->model->frame_count),
                 .list = pf_arena_array(r->arena, PfTreeBody, r->chain.count)};
  PfTreeBuilder *builder;
  if (!b.pose || !b.list) return pf_solver_no_room(s);
  PF_TRY(pf_tree_builder_new(s->ctx, &builder));
  PfStatus status = build(&b, r, builder);
  pf_tree_builder_free(builder);
  PF_TRY(status);
  memcpy(r->parameters, values, (size_t)r->model->parameter_count*sizeof *values);
  /* Arrays of the state and of the rows, by the sizes of the tree, and its work areas. */
  size_t nq = (size_t)pf_tree_nq(r->tree), nv = (size_t)pf_tree_nv(r->tree), rows = (size_t)r->row_count;
  r->q = pf_arena_array(r->arena, double, nq);
  r->v = pf_arena_array(r->arena, double, nv);
  r->tau = pf_arena_array(r->arena, double, nv);
  r->vdot = pf_arena_array(r->arena, double, nv);
  r->prescribed = pf_arena_array(r->arena, unsigned char, nv);
  r->coefficient = pf_arena_array(r->arena, double, rows*nv);
  r->dof = pf_arena_array(r->arena, int, rows*nv);
  r->line = pf_arena_array(r->arena, double, nv);
  r->constraint = pf_arena_array(r->arena, PfTreeConstraint, rows);
  r->q_at = pf_arena_array(r->arena, int, r->rate_count);
  r->v_at = pf_arena_array(r->arena, int, r->rate_count);
  if (!r->q || !r->v || !r->tau || !r->vdot || !r->prescribed || !r->coefficient || !r->dof || !r->line ||
      !r->constraint || !r->q_at || !r->v_at)
    return pf_solver_no_room(s);
  for (int k = 0; k < r->rate_count; k++) {
    int body = r->body_of_step[r->rate[k].step];
    r->q_at[k] = pf_tree_q_at(r->tree, body);
    r->v_at[k] = pf_tree_v_at(r->tree, body);
  }
  PF_TRY(pf_tree_work_new(s->ctx, r->tree, &r->work));
  return r->row_count ? pf_tree_rows_new(s->ctx, r->tree, r->row_count, &r->rows) : PF_OK;
}
