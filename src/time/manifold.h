/* SPDX-License-Identifier: Apache-2.0 */
/* The constraints as a manifold: residuals, their Jacobian, and the smallest mass-weighted change that leads onto them.
 * Used by the consistent start and by the projection of a run. */
#ifndef PF_TIME_MANIFOLD_H
#define PF_TIME_MANIFOLD_H

#include "num/num.h"
#include "num/sparse.h"
#include "pfaff/form.h"
#include "runtime/pf_projection.h"

typedef struct PfManifold {
  const PfSystem *system;
  int n, m, positions;   /* positions: constraints at position level */
  bool in_bodies;        /* of matrix-free equations: M is 1 */
  const PfTape *residuals, *slopes; /* the second: nonzeros of M, of the Jacobian of the positions, of A */
  double *residual_work, *slope_work, *out;
  double *phi, *psi;     /* residuals: of positions, of velocities (m) */
  int count[3], *place;  /* entries of the three matrices, and where they stand in them, */
  PfEntry *entry;        /* by row and column; of M the lower triangle */
  double *M, *slope, *A; /* dense: n x n, positions x n, m x n, in one piece; NULL in huge systems, which are sparse */
  int *row;              /* constraint of each position residual */
  bool sparse;           /* by the structure: most entries are zero */
  PfSaddle saddle[2];    /* of the positions, of the velocities */
  double *value;
  const bool *held;      /* n: fixed coordinates of sparse projections; NULL: none */
  PfLdl mass;            /* as a metric */
  double *B, *step, *right, *scaled;
  double *typical;       /* m: the length in which a row of A is measured, in the metric; 0: none is known */
  double *length;        /* m: of the rows at the latest pf_manifold_rows */
  double *kept;          /* 2n */
  PfUnits units;         /* dense: of the coordinates in A, 1 until measured */
  double *probe_values, *home; /* to find them: numbers of all symbols, 2n */
  bool measured;         /* they were found */
  PfProjection dense;    /* steps by matrices */
  double *row_unit;      /* m */
} PfManifold;

PfStatus pf_manifold_make(PfContext *ctx, PfArena *arena, const PfSystem *system, PfManifold *manifold);
/* The same with the metric also where nothing is to be projected, trees without formulas and constraints: for starts
 * that give more than coordinates and velocities. */
PfStatus pf_manifold_make_metric(PfContext *ctx, PfArena *arena, const PfSystem *system, PfManifold *manifold);

typedef enum PfLevel { PF_LEVEL_POSITION, PF_LEVEL_VELOCITY } PfLevel;

/* Residuals at the numbers in `values`; the largest is returned, `row` (or NULL) gets its constraint. */
double pf_manifold_residual(PfManifold *manifold, const double *values, PfLevel level, int *row);

/* The largest residual, each in its size: the number to compare with tolerances. */
double pf_manifold_scaled_residual(PfManifold *manifold, const double *values, PfLevel level);
/* The size of the residuals of a constraint, once units were measured. */
double pf_manifold_scale(const PfManifold *manifold, int constraint);
/* Those of all constraints (m), or NULL before. */
const double *pf_manifold_scales(const PfManifold *manifold);

/* Makes the dense matrices those of the numbers in `values`. Not in huge systems. */
void pf_manifold_slopes(PfManifold *manifold, const double *values);

/* The rank margin of A (rank.c) by the structure, with the lengths of the rows in manifold->length; false where that
 * has to be found by dense matrices. */
bool pf_manifold_margin(PfManifold *manifold, const double *values, double *margin, int *row);

/* Rows of A (m x n) at the numbers in `values` in the metric of the mass matrix: B B^T = A M^-1 A^T; columns
 * without inertia in their own units. */
const double *pf_manifold_rows(PfManifold *manifold, const double *values);

/* Units for the rows of A: the length of each at the numbers in `values`, or a tenth of its length at states nearby
 * when that is more. So a row that vanishes just there, or wherever the constraints hold, is recognised as zero, and a
 * row that is short everywhere is not. */
void pf_manifold_measure(PfManifold *manifold, double *values);
/* Units of the coordinates alone, unless they are known. */
void pf_manifold_find_units(PfManifold *manifold, const double *values);

/* Newton's method for q or v in `values`, in place, from a point next to the constraints, by steps of least
 * mass-weighted length: until no residual is larger than `enough`, or rounding. False when nothing was changed. */
bool pf_manifold_project(PfManifold *manifold, double *values, PfLevel level, double enough);

#endif
