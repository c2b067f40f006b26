/* SPDX-License-Identifier: Apache-2.0 */
/* Nanoseconds per call of the recursion on trees: forward dynamics, inverse dynamics, inertia matrix.
 *
 *   bench_tree [name …]      all models, or those named; a table on standard output
 *
 * General placements (random turn and offset), full inertias, gravity, everything moving; revolute axes about the z
 * of the joint frame, as in the measurements of other engines. The least mean over many batches of about 60
 * microseconds: longer batches read too high on a machine that is shared. */
#include "pfaff/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double SECONDS_IN_BATCH = 60e-6, SECONDS_PER_FIGURE = 0.4;
enum { MOST_IN_MATRIX = 1100 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static _Noreturn void stop(const char *what)
{
  fprintf(stderr, "bench_tree: %s\n", what);
  exit(1);
}

static double *room(size_t count)
{
  double *block = calloc(count ? count : 1, sizeof *block);
  if (!block) stop("out of memory");
  return block;
}

/* ---------------------------------------------------------------- models */

static unsigned long long dice = 88172645463325252ull;

static double roll(void) /* -1 … 1; xorshift */
{
  dice ^= dice << 13;
  dice ^= dice >> 7;
  dice ^= dice << 17;
  return (double)(dice >> 11)*0x1p-52 - 1;
}

static void fill(double *x, int count)
{
  for (int i = 0; i < count; i++) x[i] = roll();
}

static PfTreeBody link(int parent, PfJoint joint)
{
  PfTreeBody body = pf_tree_body(parent, joint);
  fill(body.quat, 4);
  for (int i = 0; i < 3; i++) body.pos[i] = 0.4*roll(), body.com[i] = 0.2*roll();
  body.mass = 1 + 0.5*roll();
  for (int p = 0; p < 4; p++) { /* of mass points: always an inertia that a body can have */
    double x[3];
    fill(x, 3);
    const double square = x[0]*x[0] + x[1]*x[1] + x[2]*x[2];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) body.inertia[3*i + j] += 0.02*((i == j ? square : 0) - x[i]*x[j]);
  }
  return body;
}

static int chain_parent(int k)
{
  return k - 1;
}

static int binary_parent(int k)
{
  return k ? (k - 1)/2 : -1;
}

/* Free trunk, two legs of six, two arms of seven, and a neck and waist that make it thirty joints. */
static int humanoid_parent(int k)
{
  static const int start[] = {1, 7, 13, 20, 27, 31};
  for (int limb = 0; limb < 5; limb++)
    if (k == start[limb]) return 0;
  return k - 1;
}

typedef struct Model {
  const char *name;
  int n;
  PfJoint root, joint;
  int (*parent)(int k);
} Model;

static const Model MODELS[] = {
    {"chain 2", 2, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"chain 7", 7, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"chain 30", 30, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"chain 100", 100, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"chain 1000", 1000, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"chain 10000", 10000, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"chain 100000", 100000, PF_JOINT_REVOLUTE, PF_JOINT_REVOLUTE, chain_parent},
    {"tree 63", 63, PF_JOINT_FREE, PF_JOINT_REVOLUTE, binary_parent},
    {"humanoid", 31, PF_JOINT_FREE, PF_JOINT_REVOLUTE, humanoid_parent},
    {"ball 30", 30, PF_JOINT_SPHERICAL, PF_JOINT_SPHERICAL, chain_parent},
    {"slide 30", 30, PF_JOINT_PRISMATIC, PF_JOINT_PRISMATIC, chain_parent},
};

/* ---------------------------------------------------------------- measuring */

typedef struct Bench {
  PfTree *tree;
  PfTreeWork *work;
  double *q, *v, *tau, *x, *M;
} Bench;

typedef PfStatus (*Call)(Bench *b);

static PfStatus forward(Bench *b)
{
  return pf_tree_forward(b->work, b->q, b->v, b->tau, b->x);
}

static PfStatus inverse(Bench *b)
{
  return pf_tree_inverse(b->work, b->q, b->v, b->tau, b->x);
}

static PfStatus inertia(Bench *b)
{
  return pf_tree_inertia(b->work, b->q, b->M);
}

/* Least nanoseconds per call. */
static double measure(Bench *b, Call call)
{
  double begin = now(), least = INFINITY;
  if (call(b) != PF_OK) stop("a call failed");
  call(b);
  double once = now();
  call(b);
  once = now() - once;
  const int count = once > 0 && SECONDS_IN_BATCH/once > 1 ? (int)(SECONDS_IN_BATCH/once) + 1 : 1;
  begin = now();
  for (double t = begin; t - begin < SECONDS_PER_FIGURE;) {
    const double start = now();
    for (int i = 0; i < count; i++) call(b);
    t = now();
    least = fmin(least, (t - start)/count);
  }
  return 1e9*least;
}

static void make(PfContext *ctx, const Model *model, Bench *b)
{
  PfTreeBuilder *builder;
  if (pf_tree_builder_new(ctx, &builder) != PF_OK) stop("out of memory");
  pf_tree_builder_gravity(builder, (const double[]){0, 0, -9.81});
  for (int k = 0; k < model->n; k++) {
    const PfTreeBody body = link(model->parent(k), k ? model->joint : model->root);
    if (pf_tree_builder_add(builder, &body, NULL) != PF_OK) stop(pf_context_message(ctx));
  }
  if (pf_tree_builder_finish(builder, &b->tree) != PF_OK) stop(pf_context_message(ctx));
  pf_tree_builder_free(builder);
  if (pf_tree_work_new(ctx, b->tree, &b->work) != PF_OK) stop(pf_context_message(ctx));
  const int nq = pf_tree_nq(b->tree), nv = pf_tree_nv(b->tree);
  b->q = room((size_t)nq);
  b->v = room((size_t)nv);
  b->tau = room((size_t)nv);
  b->x = room((size_t)nv);
  b->M = nv <= MOST_IN_MATRIX ? room((size_t)nv*(size_t)nv) : NULL;
  for (int i = 0; i < nq; i++) b->q[i] = 3*roll();
  fill(b->v, nv);
  fill(b->tau, nv);
  pf_tree_normalise(b->tree, b->q);
}

static void drop(Bench *b)
{
  pf_tree_work_free(b->work);
  pf_tree_free(b->tree);
  free(b->q), free(b->v), free(b->tau), free(b->x), free(b->M);
}

static void run(const Model *model)
{
  PfContext *ctx = pf_context_new(NULL);
  Bench b;
  make(ctx, model, &b);
  const double n = model->n, f = measure(&b, forward), i = measure(&b, inverse), m = b.M ? measure(&b, inertia) : NAN;
  printf("| %-12s | %10.0f (%5.1f) | %10.0f (%5.1f) | %10.0f (%5.1f) | %6.0f |\n", model->name, f, f/n, i, i/n, m, m/n,
         (double)pf_tree_work_bytes(b.work)/n);
  fflush(stdout);
  drop(&b);
  pf_context_free(ctx);
}

static int wanted(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], name)) return 1;
  return argc == 1;
}

int main(int argc, char **argv)
{
  printf("| model        | forward ns (per body) | inverse ns (per body) | inertia ns (per body) | bytes  |\n");
  printf("|--------------|-----------------------|-----------------------|-----------------------|--------|\n");
  for (size_t i = 0; i < sizeof MODELS/sizeof *MODELS; i++)
    if (wanted(MODELS[i].name, argc, argv)) run(&MODELS[i]);
  return 0;
}
