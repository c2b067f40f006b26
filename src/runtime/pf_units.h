/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Units of columns: decisions about the constraint matrix must not depend on the units that the text of a model
 * chooses. */
#ifndef PF_RUNTIME_UNITS_H
#define PF_RUNTIME_UNITS_H

#include "pf_dense.h"

#ifndef PF_SINGLE

/* Columns that differ by less keep their units where numbers are computed: they stay as they are. */
#define PF_UNITS_ALIKE 16384.0
/* Factors bear more than decisions about rank, and solutions keep their last digits. */
#define PF_FACTORS_ALIKE 1048576.0

/* x with a small change out of a sequence that is the same in every run; `unit` is that of a small x. */
PF_RUNTIME double pf_blur(double x, double unit, unsigned *noise);

/* Sizes of the elements of a matrix. */
typedef struct PfSizes {
  int m, n;
  double *size;          /* m x n, overwritten */
  const bool *sure;      /* m x n: elements that are not rounding, however small they are; NULL: none is known */
  const double *inertia; /* n: roots of the masses, which tie columns that no row does; NULL: all 1 */
} PfSizes;

/* Units (n, powers of two) in which the columns of a matrix with elements of these sizes are alike: a change of the
 * units in which columns and rows are written changes the matrix times them by factors of rows only. True where they
 * differ by much. `work` has 2 n numbers. */
PF_RUNTIME bool pf_column_units(const PfSizes *sizes, double *unit, double *work);
/* Do those of the units (n) that are not zero differ by more than this factor? */
PF_RUNTIME bool pf_units_differ(const double *unit, int n, double factor);
/* A (m x n) with each column multiplied by its unit. */
PF_RUNTIME void pf_scale_columns(double *A, int m, int n, const double *unit);
/* A (m x n) with each row divided by its size, a power of two; these go to `unit` (m) unless it is NULL. */
PF_RUNTIME void pf_scale_rows(double *A, int m, int n, double *unit);
/* Do the largest elements of rows of A that are not zero differ by more than this factor? */
PF_RUNTIME bool pf_rows_differ(const double *A, int m, int n, double factor);

/* A (m x n) and the roots of the masses (n) at a state: coordinates, then velocities. False where it is not defined. */
typedef bool PfEvaluateRows(void *user, const double *state, double *A, double *inertia);

/* Units of a constraint matrix, measured at a state and at others near it: elements that vanish there by chance have
 * their usual size. */
typedef struct PfUnits {
  int m, n;
  bool *sure;     /* m x n, as in PfSizes; more are found by the measurement */
  double *column; /* n: the units */
  double *row;    /* m: usual size of each row in them */
  double *spread; /* n: changes of the coordinates by this much change the matrix as a whole; 1 where that is so */
  double *scale;  /* m: sizes of residuals, by these changes; 1 where they are usual ones */
  bool far;       /* the units differ by much */
  double *size, *logarithm, *A, *first, *change, *inertia, *trial_inertia, *state, *work;
} PfUnits;

/* How many numbers the scratch of a measurement has, and where it is; returns the place after it. */
#define PF_UNITS_REALS(m, n) (5*(m)*(n) + 6*(n) + (m))
PF_RUNTIME size_t pf_units_room(int m, int n);
PF_RUNTIME double *pf_units_place(PfUnits *units, double *room);
PF_RUNTIME void pf_units_measure(PfUnits *units, const double *state, PfEvaluateRows *evaluate, void *user);
/* The usual sizes of the rows, after a change of the units. */
PF_RUNTIME void pf_units_rows(PfUnits *units);
/* Do decisions about rank need these units at the state that was measured, or is everything clear without? */
PF_RUNTIME bool pf_units_matter(PfUnits *units);

#endif

#endif
