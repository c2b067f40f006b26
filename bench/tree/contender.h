/* SPDX-License-Identifier: Apache-2.0 */
/* What takes part in the race of spatial recursions: each contender is a shared object that exports `contenders`. It
 * gets the mechanism and its state before the clock starts, in the conventions of models.py, and is then asked for the
 * same results again and again. Plain C, also read by C++. */
#ifndef PF_BENCH_TREE_CONTENDER_H
#define PF_BENCH_TREE_CONTENDER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Kind { KIND_REVOLUTE, KIND_BALL, KIND_FREE } Kind;

typedef struct BodyData {
  int parent;
  Kind kind;
  int q, v, nq, nv;      /* where its coordinates and rates begin, and how many */
  double R[9], offset[3]; /* joint frame in the parent: rotation by rows, position */
  double mass, com[3], inertia[9];
  double axes[9], moments[3]; /* inertia = axes diag(moments) axes^T */
} BodyData;

typedef struct Mechanism {
  int count, nq, nv;
  double gravity[3];
  BodyData *bodies;
  double *q, *v, *tau, *vdot;
} Mechanism;

/* Results are written in the conventions of models.py. Any function but `open`, `close` may be NULL: not offered. */
typedef struct Contender {
  const char *name;
  int most_bodies; /* beyond it fails or takes too long; 0: no limit */
  void *(*open)(const Mechanism *mechanism); /* NULL: it has no such joints */
  void (*close)(void *self);
  void (*forward)(void *self);
  void (*inverse)(void *self);
  void (*inertia)(void *self);
  void (*accelerations)(void *self, double *vdot); /* of the last forward, nv */
  void (*torques)(void *self, double *tau);        /* of the last inverse, nv */
  double (*entry)(void *self, int i, int j);       /* M of the last inertia, i >= j, never in rows of a free base */
  double (*bytes)(void *self);                     /* workspace */
  int states;                                      /* that a call computes; 0 as 1 */
} Contender;

/* Ends with one without a name. */
extern __attribute__((visibility("default"))) const Contender contenders[];

#ifdef __cplusplus
}
#endif
#endif
