/* SPDX-License-Identifier: Apache-2.0 */
/* The walk along the branches of steady motions: common parts of continue.c (all branches), branch.c (one of them),
 * specials.c (folds, branch points and Hopf points on it) and walk.c (one point). Points u are those of PfTracer: every
 * component divided by its scale, the parameter last. */
#ifndef PF_STUDY_WALK_H
#define PF_STUDY_WALK_H

#include "study/trace.h"

enum { PF_MOST_BRANCHES = 60, PF_MOST_SPECIALS = 200 };

/* A point of the branch that is followed, and the quantities that are compared with the next one. */
typedef struct PfWalkPoint {
  double *u, *t;   /* point and unit tangent */
  int sign;        /* of the bordered determinant */
  int unstable;    /* eigenvalues with a positive real part */
  double pair;     /* real part of the complex pair of eigenvalues nearest to the imaginary axis; NaN without a pair */
} PfWalkPoint;

/* A branch that waits to be followed, from u both ways. */
typedef struct PfWalkSeed {
  double *u, *t; /* t: its tangent at a branch point; NULL: u is an ordinary point, whose tangent is computed */
  int from;      /* number of the branch point, or -1 */
  double *full;  /* all numbers of the field there: they determine the sheet of the constraints */
} PfWalkSeed;

typedef struct PfWalk {
  PfContext *ctx;
  PfArena *arena;
  const PfContinueOptions *options;
  PfContinuation *result;
  PfProblem problem;
  PfTracer tracer;
  int n, m;          /* unknowns, m = n + 1 */
  double longest;    /* step */
  double low, high;  /* of the scaled parameter */
  int most;          /* points of a branch */
  PfWalkPoint here, next;
  double *trial, *p, *first, *second, *third; /* workspace, m each */
  PfWalkSeed seeds[PF_MOST_BRANCHES];
  int seed_count;
  double *line[PF_MOST_BRANCHES]; /* scaled points of the branches, count x m */
  double *special_u;              /* PF_MOST_SPECIALS x m */
  PfSteadyPoint judged;           /* eigenvalues and stability where pf_walk_judge was last */
} PfWalk;

/* A copy of u; NULL without memory. */
double *pf_walk_copy(PfWalk *w, const double *u);
/* All components of the state where the tracer is; NULL without memory. */
double *pf_walk_state(PfWalk *w);
/* All coordinates there. */
double *pf_walk_coordinates(PfWalk *w);
/* Difference of the component k of two points, without full turns of an angle; the distance made of these. */
double pf_walk_apart(const PfWalk *w, const double *a, const double *b, int k);
/* The Euclidean distance of two points by pf_walk_apart. */
double pf_walk_distance(const PfWalk *w, const double *a, const double *b);

/* Eigenvalues where the tracer is: the counts of h, and w->judged. */
PfStatus pf_walk_judge(PfWalk *w, PfWalkPoint *h);
/* Tangent (with tangent . towards > 0) and eigenvalues at h->u, where the tracer must be. */
PfStatus pf_walk_finish(PfWalk *w, PfWalkPoint *h, const double *towards);
/* The point of the branch at the distance ds from `from` along its tangent, with its own tangent and eigenvalues. */
PfStatus pf_walk_point(PfWalk *w, const PfWalkPoint *from, double ds, PfWalkPoint *h);

/* Keeps a special point where the tracer is, unless it is known; `index` gets its number, or -1. */
PfStatus pf_walk_add_special(PfWalk *w, PfSpecialKind kind, const double *u, int branch, int *index);
/* Puts a branch on the list of those to be followed; copies u and t, and where the field is. A full list takes no
 * more. */
PfStatus pf_walk_add_seed(PfWalk *w, const double *u, const double *t, int from);
/* Finds the special points between two points that follow each other at the distance ds. `spare` is overwritten. */
PfStatus pf_walk_look_between(PfWalk *w, const PfWalkPoint *from, const PfWalkPoint *to, double ds, int branch,
                              PfWalkPoint *spare);

/* Follows the branch of the seed both ways, unless it is known already. `spare` is overwritten. */
PfStatus pf_walk_trace(PfWalk *w, const PfWalkSeed *seed, PfWalkPoint *spare);

#endif
