/* SPDX-License-Identifier: Apache-2.0 */
/* Random trees: all joints, full inertias, general placements. The same seed gives the same tree. */
#ifndef PF_TESTS_TREES_H
#define PF_TESTS_TREES_H

#include "support.h"

#include "pfaff/tree.h"

enum { MOST_BODIES = 14, MOST_RATES = 6*MOST_BODIES };

typedef struct Sample {
  PfTree *tree;
  PfTreeWork *work;
  int n, nq, nv;
  double q[7*MOST_BODIES], v[MOST_RATES], tau[MOST_RATES], vdot[MOST_RATES];
  unsigned char mask[MOST_RATES];
  double wrench[6*MOST_BODIES];
} Sample;

typedef struct Dice {
  uint64_t state;
} Dice;

/* Steele, Lea, Flood: SplitMix64. */
static inline uint64_t dice_next(Dice *dice)
{
  uint64_t z = dice->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27))*0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double dice_roll(Dice *dice) /* -1 … 1 */
{
  return (double)(dice_next(dice) >> 11)*0x1p-52 - 1;
}

static inline int dice_pick(Dice *dice, int count)
{
  return (int)(dice_next(dice)%(uint64_t)count);
}

static inline void dice_fill(Dice *dice, double *x, int count)
{
  for (int i = 0; i < count; i++) x[i] = dice_roll(dice);
}

/* The inertia of a few mass points: always one a body can have. */
static inline void random_mass(Dice *dice, PfTreeBody *body)
{
  dice_fill(dice, body->com, 3);
  body->mass = 1 + 0.8*dice_roll(dice);
  for (int p = 0; p < 4; p++) {
    double x[3];
    dice_fill(dice, x, 3);
    const double m = 0.1 + 0.05*dice_roll(dice), square = x[0]*x[0] + x[1]*x[1] + x[2]*x[2];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) body->inertia[3*i + j] += m*((i == j ? square : 0) - x[i]*x[j]);
  }
}

static inline PfTreeBody random_body(Dice *dice, int parent, PfJoint joint)
{
  PfTreeBody body = pf_tree_body(parent, joint);
  dice_fill(dice, body.axis, 3);
  dice_fill(dice, body.axis2, 3);
  dice_fill(dice, body.quat, 4);
  dice_fill(dice, body.pos, 3);
  body.pitch = dice_roll(dice);
  random_mass(dice, &body);
  return body;
}

/* Springs that have an equal on the other side of the joint, see pf_tree_reroot. */
static inline void random_springs(Dice *dice, PfTreeBody *body)
{
  const double stiffness = 1 + dice_roll(dice), damping = 1 + dice_roll(dice);
  if (body->joint == PF_JOINT_FREE || body->joint == PF_JOINT_PLANAR) return;
  for (int i = 0; i < pf_joint_nv(body->joint); i++) {
    body->stiffness[i] = stiffness;
    body->damping[i] = damping;
    if (body->joint != PF_JOINT_SPHERICAL) body->spring_ref[i] = dice_roll(dice);
  }
}

static inline void random_state(Dice *dice, Sample *s)
{
  dice_fill(dice, s->q, s->nq);
  dice_fill(dice, s->v, s->nv);
  dice_fill(dice, s->tau, s->nv);
  dice_fill(dice, s->vdot, s->nv);
  dice_fill(dice, s->wrench, 6*s->n);
  for (int i = 0; i < s->nv; i++) s->mask[i] = dice_pick(dice, 3) == 0;
  pf_tree_normalise(s->tree, s->q);
}

static inline void finish_sample(PfContext *ctx, PfTreeBuilder *builder, Dice *dice, Sample *s)
{
  assert_int_equal(pf_tree_builder_finish(builder, &s->tree), PF_OK);
  pf_tree_builder_free(builder);
  assert_int_equal(pf_tree_work_new(ctx, s->tree, &s->work), PF_OK);
  s->nq = pf_tree_nq(s->tree);
  s->nv = pf_tree_nv(s->tree);
  random_state(dice, s);
}

/* Two kinds of joints in a tree that is a chain but for a few branches: all ways in which neighbours can differ. */
static inline Sample sample_of(PfContext *ctx, uint64_t seed, PfJoint one, PfJoint other)
{
  Dice dice = {seed*7919 + 13};
  PfTreeBuilder *builder;
  Sample s = {.n = 2 + dice_pick(&dice, MOST_BODIES - 1)};
  assert_int_equal(pf_tree_builder_new(ctx, &builder), PF_OK);
  pf_tree_builder_gravity(builder, (const double[]){1, -2, -9});
  for (int k = 0; k < s.n; k++) {
    const int parent = dice_pick(&dice, 4) ? k - 1 : dice_pick(&dice, k + 1) - 1;
    const PfTreeBody body = random_body(&dice, parent, dice_pick(&dice, 3) ? one : other);
    assert_int_equal(pf_tree_builder_add(builder, &body, NULL), PF_OK);
  }
  finish_sample(ctx, builder, &dice, &s);
  return s;
}

/* `floating`: one tree on a free joint; else any mixture of roots and joints. */
static inline Sample random_sample(PfContext *ctx, uint64_t seed, int floating)
{
  Dice dice = {seed*7919 + (uint64_t)floating};
  PfTreeBuilder *builder;
  Sample s = {0};
  double gravity[3];
  assert_int_equal(pf_tree_builder_new(ctx, &builder), PF_OK);
  dice_fill(&dice, gravity, 3);
  pf_tree_builder_gravity(builder, gravity);
  s.n = 2 + dice_pick(&dice, MOST_BODIES - 1);
  for (int k = 0; k < s.n; k++) {
    const int root = k == 0 || (!floating && dice_pick(&dice, 6) == 0);
    PfTreeBody body = random_body(&dice, root ? -1 : dice_pick(&dice, k), (PfJoint)dice_pick(&dice, PF_JOINT_FREE + 1));
    if (floating && k == 0) body.joint = PF_JOINT_FREE;
    if (dice_pick(&dice, 2)) random_springs(&dice, &body);
    assert_int_equal(pf_tree_builder_add(builder, &body, NULL), PF_OK);
  }
  finish_sample(ctx, builder, &dice, &s);
  return s;
}

static inline void free_sample(Sample *s)
{
  pf_tree_work_free(s->work);
  pf_tree_free(s->tree);
}

/* max|x - y| <= tol max(1, |y|) */
static inline void assert_all_near(const double *x, const double *y, int count, double tol)
{
  double size = 1;
  for (int i = 0; i < count; i++) size = fmax(size, fabs(y[i]));
  for (int i = 0; i < count; i++) assert_near(x[i], y[i], 0, tol*size);
}

#endif
