/* The tree of a model in numbers: every moving step of a placement becomes a joint, what is fixed to the same step
 * becomes one body. */
#include "form/recursive.h"
#include "num/rotation.h"

#include <string.h>

/* What a frame is fixed to: a body of the tree, and its pose there. */
typedef struct Pose {
  int body;
  double R[9], p[3];
} Pose;

static void times(const double R[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = R[3*i]*v[0] + R[3*i + 1]*v[1] + R[3*i + 2]*v[2];
}

static void append_rotation(Pose *pose, const double S[9])
{
  double R[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      R[3*i + j] = 0;
      for (int k = 0; k < 3; k++) R[3*i + j] += pose->R[3*i + k]*S[3*k + j];
    }
  memcpy(pose->R, R, sizeof R);
}

typedef struct Building {
  PfSolver *s;
  PfRecursion *r;
  PfTreeBuilder *builder;
  PfTreeBody *list; /* bodies of the tree */
  int count;
  Pose *pose; /* per frame */
  const double *values;
} Building;

static PfStatus number(const Building *b, PfExpr e, double *x)
{
  const PfSymbols *in = &b->s->system->symbols;
  return pf_expr_evaluate(b->s->ctx, &e, 1, in->symbol, b->values, in->count, x);
}

static PfStatus numbers(const Building *b, const PfExpr *e, int count, double *x)
{
  const PfSymbols *in = &b->s->system->symbols;
  return pf_expr_evaluate(b->s->ctx, e, count, in->symbol, b->values, in->count, x);
}

static void shift(Pose *pose, const double v[3])
{
  double w[3];
  times(pose->R, v, w);
  for (int k = 0; k < 3; k++) pose->p[k] += w[k];
}

/* A joint of the tree at the pose; from there on the frame is fixed to the new body. */
static PfStatus add_joint(Building *b, Pose *pose, PfJoint joint, const double axis[3], int *index)
{
  PfTreeBody *body = b->list + b->count;
  *body = pf_tree_body(pose->body, joint);
  pf_rotation_quat(pose->R, body->quat);
  memcpy(body->pos, pose->p, sizeof body->pos);
  if (axis) memcpy(body->axis, axis, sizeof body->axis);
  *index = b->count++;
  *pose = (Pose){.body = *index, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return PF_OK;
}

static PfStatus take_step(Building *b, int k, Pose *pose)
{
  const PfChainStep *step = b->r->chain.step + k;
  double v[3], angle, R[9], q[4];
  PF_TRY(numbers(b, step->v, 3, v));
  switch (step->kind) {
  case PF_CHAIN_SHIFT: shift(pose, v); return PF_OK;
  case PF_CHAIN_TURN:
    PF_TRY(number(b, step->value, &angle));
    pf_rotation_about(v, angle, R);
    append_rotation(pose, R);
    return PF_OK;
  case PF_CHAIN_SLIDE: return add_joint(b, pose, PF_JOINT_PRISMATIC, v, b->r->body_of_step + k);
  case PF_CHAIN_SPIN: return add_joint(b, pose, PF_JOINT_REVOLUTE, v, b->r->body_of_step + k);
  case PF_CHAIN_FREE:
    shift(pose, v);
    return add_joint(b, pose, PF_JOINT_FREE, NULL, b->r->body_of_step + k);
  case PF_CHAIN_BALL: break;
  }
  if (step->ball >= 0) return add_joint(b, pose, PF_JOINT_SPHERICAL, NULL, b->r->body_of_step + k);
  PF_TRY(numbers(b, b->r->model->frames[step->frame].quaternion, 4, q)); /* held */
  pf_quat_rotation(q, R);
  append_rotation(pose, R);
  return PF_OK;
}

/* I += m (d.d 1 - d d^T) */
static void shift_inertia(double I[9], double mass, const double d[3])
{
  double square = d[0]*d[0] + d[1]*d[1] + d[2]*d[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) I[3*i + j] += mass*((i == j ? square : 0) - d[i]*d[j]);
}

/* Adds what is fixed to a body of the tree: mass, mass centre and inertia about it, in the axes of that body. */
static void lump(PfTreeBody *body, double mass, const double com[3], const double I[9])
{
  double sum = body->mass + mass, centre[3], own[3], other[3];
  for (int k = 0; k < 3; k++) {
    centre[k] = sum > 0 ? (body->mass*body->com[k] + mass*com[k])/sum : com[k];
    own[k] = body->com[k] - centre[k];
    other[k] = com[k] - centre[k];
  }
  shift_inertia(body->inertia, body->mass, own);
  shift_inertia(body->inertia, mass, other);
  for (int k = 0; k < 9; k++) body->inertia[k] += I[k];
  body->mass = sum;
  memcpy(body->com, centre, sizeof centre);
}

static PfStatus add_mass(Building *b, const PfBody *own)
{
  const Pose *pose = b->pose + own->frame;
  double mass, c[3], com[3], I[9], half[9], turned[9];
  PF_TRY(number(b, own->mass, &mass));
  PF_TRY(numbers(b, own->com, 3, c));
  PF_TRY(numbers(b, own->inertia, 9, I));
  if (pose->body < 0) return PF_OK; /* fixed to the ground */
  times(pose->R, c, com);
  for (int k = 0; k < 3; k++) com[k] += pose->p[k];
  for (int i = 0; i < 3; i++) times(pose->R, I + 3*i, half + 3*i); /* rows of I are its columns */
  for (int i = 0; i < 3; i++) {
    double column[3] = {half[i], half[3 + i], half[6 + i]};
    times(pose->R, column, turned + 3*i);
  }
  PfTreeBody *body = b->list + pose->body;
  if (!body->name) body->name = own->name;
  lump(body, mass, com, turned);
  return PF_OK;
}

static PfStatus build(Building *b)
{
  const PfModel *model = b->r->model;
  double gravity[3];
  PF_TRY(pf_tree_builder_new(b->s->ctx, &b->builder));
  pf_tree_builder_trust(b->builder); /* plane models have inertias about one axis only */
  b->pose[0] = (Pose){.body = -1, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int f = 1; f < model->frame_count; f++) {
    b->pose[f] = b->pose[model->frames[f].parent];
    for (int k = b->r->chain.first[f]; k < b->r->chain.first[f + 1] && b->r->used[f]; k++)
      PF_TRY(take_step(b, k, b->pose + f));
  }
  for (int i = 0; i < model->body_count; i++) PF_TRY(add_mass(b, model->bodies + i));
  PF_TRY(numbers(b, model->gravity, 3, gravity));
  if (b->r->weight_in_tree) pf_tree_builder_gravity(b->builder, gravity);
  for (int k = 0; k < b->count; k++) PF_TRY(pf_tree_builder_add(b->builder, b->list + k, NULL));
  return pf_tree_builder_finish(b->builder, &b->r->tree);
}

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

static PfStatus make_state(PfSolver *s, PfRecursion *r)
{
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
  if (!r->q || !r->v || !r->tau || !r->vdot || !r->prescribed || !r->coefficient || !r->dof || !r->line || !r->constraint)
    return pf_solver_no_room(s);
  PF_TRY(pf_tree_work_new(s->ctx, r->tree, &r->work));
  return r->row_count ? pf_tree_rows_new(s->ctx, r->tree, r->row_count, &r->rows) : PF_OK;
}

PfStatus pf_recursion_build(PfSolver *s, PfRecursion *r, const double *values)
{
  pf_recursion_drop(r);
  r->arena = pf_arena_new(pf_context_allocator(s->ctx));
  if (!r->arena) return pf_solver_no_room(s);
  Building b = {.s = s, .r = r, .values = values, .pose = pf_arena_array(r->arena, Pose, r->model->frame_count),
                .list = pf_arena_array(r->arena, PfTreeBody, r->chain.count)};
  if (!b.pose || !b.list) return pf_solver_no_room(s);
  PfStatus status = build(&b);
  pf_tree_builder_free(b.builder);
  PF_TRY(status);
  memcpy(r->parameters, values, (size_t)r->model->parameter_count*sizeof *values);
  return make_state(s, r);
}
