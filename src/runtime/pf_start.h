/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* The search for a consistent start on one level, positions or velocities: given values are held and the rest is
 * solved for; only when no solution is found are values of lower priority released. Each connected component of
 * constraints and coordinates is solved by itself. In it, as few numbers move as possible: at first those in which an
 * unmet constraint is linear (a prescribed coordinate, the height of a contact), then all it names, then those attached
 * to these, at last the whole component. Those that may move do so by the smallest mass-weighted change, and
 * coordinates without mass follow. */
#ifndef PF_RUNTIME_START_H
#define PF_RUNTIME_START_H

#include "pf_priority.h"

#ifndef PF_SINGLE

/* The priority of an initial value. Where not all of them can hold, those of lower priority are changed first. */
typedef enum PfPriority {
  PF_PRIORITY_OPEN,  /* solved for */
  PF_PRIORITY_GIVEN, /* by the model */
  PF_PRIORITY_SET,   /* by the user, in place of what the model says */
  PF_PRIORITY_FIXED  /* never changed */
} PfPriority;

/* Functions of the owner. */
typedef struct PfStartCalls {
  /* Residuals, their derivatives and start conditions at the numbers that are in `q` and `all` now. */
  void (*evaluate)(void *user);
  /* The mass matrix (n x n, zeros before) of the unknowns, at the numbers of the latest evaluation: local[j] is the
   * unknown that the coordinate j is, or -1. */
  void (*inertia)(void *user, const int *local, int n, double *M);
  /* Room for a problem of n unknowns, m constraints and some conditions, by the macros below. It may be that of the
   * problem before. False, which ends the search: there is none. */
  bool (*room)(void *user, int n, int m, int conditions, double **reals, int **ints);
  /* Large problems: a step towards the constraints in which the coordinates that are `held` (n) stay, by the sparse
   * structure of the equations. NULL: there is no such structure. */
  void (*project)(void *user, const bool *held);
} PfStartCalls;

/* How a residual counts as zero: to rounding, or to the digits that people type. */
typedef enum PfStartCare { PF_CARE_ROUNDING, PF_CARE_DIGITS } PfStartCare;

/* The problem that is solved at present: the unknowns, and the rows that contain them. */
typedef struct PfStartProblem {
  int n, m, condition_count;
  int *coordinate, *row, *condition;
  double *x, *from, *keep, *best, *step; /* n; from: as given */
  double *J, *r, *length, *M;            /* m x n, m, m, n x n; length: of the whole row */
  double *unit;                          /* m: the size of each row where the iteration begins */
  PfLdl metric;
  double *rows, *right, *one, *y;        /* of a step: rows in the metric, right sides, one row, its solution */
  double *reals;                         /* scratch */
  int *ints;
} PfStartProblem;

/* Rows are the constraints, then the start conditions. A place is a coordinate that occurs in a row. */
typedef struct PfStartSearch {
  /* the owner sets */
  void *user;
  const PfStartCalls *calls;
  int n, constraints, conditions, places; /* places: of constraints */
  bool velocities;      /* the level */
  bool dense;           /* problems may be solved by matrices; else by `project` alone */
  double *q, *all;      /* n: the coordinates; the numbers that are sought: the coordinates or the velocities */
  const PfPriority *priority, *condition_priority; /* n, conditions */
  const double *unit;   /* n: a usual change of each coordinate; NULL: 1 */
  const double *column_unit; /* n: units in which the constraints are alike (pf_units.h); NULL: 1 */
  bool *plain;          /* n: becomes true for numbers that follow from linear equations; or NULL */
  /* the owner fills after pf_start_place: the places of the constraint i are begin[i] to begin[i + 1] */
  int *begin, *column;
  /* the owner fills in `evaluate`; residuals of constraints each in its scale */
  double *residual, *slope;      /* constraints, places */
  double *value, *target, *rows; /* conditions: value and target, derivatives of the value (conditions x n) */
  /* the result */
  int worst;            /* where values contradict each other: the row that is missed most, or -1 */

  /* Of each place: is its slope the same at all configurations, and its size at configurations nearby. Connected
   * components: that of each coordinate, or -1; rows by component, as component `parts` those without coordinates. */
  bool *constant;
  double *typical;
  int parts, *part, *part_begin, *part_row, *number;
  double *seen, *given, *solution; /* given: `all` as it was at first */
  int current, row_count;          /* the component, */
  const int *component;            /* and its rows */
  bool *may, *before;              /* n: unknowns of this try, and of the latest one */
  bool *flagged, *follows;         /* rows: see the stages; follows: where the constraints hold, from other rows */
  bool *in_condition, *occurs;
  int *local;                      /* n: number of the unknown, or -1 */
  PfPriority hard;                 /* values of at least this priority are held */
  bool aims;  /* values that are not held are drawn to where they were given; else only changed as little as possible */
  bool equal; /* no order of priority: everything that may move does so alike */
  PfStartProblem problem;
} PfStartSearch;

/* Room for a search, in numbers, whole numbers and bools. */
#define PF_START_REALS(n, constraints, conditions, places) \
  ((constraints) + 5*(places) + (conditions)*((n) + 2) + 3*(n))
#define PF_START_INTS(n, constraints, conditions, places) \
  ((places) + (conditions)*(n) + 3*((constraints) + (conditions)) + 4*(n) + 4)
#define PF_START_BOOLS(n, constraints, conditions, places) \
  ((places) + 2*(conditions)*(n) + 2*((constraints) + (conditions)) + 3*(n))
/* Cuts such room, all zeros, into the arrays. */
PF_RUNTIME void pf_start_place(PfStartSearch *search, double *reals, int *ints, bool *bools);

/* Room for a problem. */
#define PF_START_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define PF_START_STEP_ROWS(n, m, conditions) ((conditions) + 2*(m) + 2*(n))
#define PF_START_SET_ROWS(n, m, conditions) PF_START_LARGER(m, (conditions) + (n))
#define PF_START_PROBLEM_REALS(n, m, conditions) \
  (9*(n) + 3*(m) + (m)*(n) + 2*(n)*(n) + PF_START_STEP_ROWS(n, m, conditions)*((n) + 1) + \
   PF_START_LARGER(PF_PRIORITY_REALS(n, PF_START_SET_ROWS(n, m, conditions)), 2*(m)*(n) + (m)*(m) + 4*(n) + 4*(m)))
#define PF_START_PROBLEM_INTS(n, m, conditions) (3*(n) + (m) + (conditions))

typedef enum PfSearchEnd {
  PF_SEARCH_FOUND,
  PF_SEARCH_CONFLICT, /* values that are never changed contradict a row: search->worst */
  PF_SEARCH_NO_ROOM   /* the owner gave none for a problem */
} PfSearchEnd;

/* Moves the numbers in search->all until constraints and start conditions hold. Costs a few tens of evaluations, and
 * some factorisations for each, where they do not hold; two where they do. */
PF_RUNTIME PfSearchEnd pf_start_search(PfStartSearch *search);

/* Finds places of start conditions, typical sizes and components (pf_incidence.c). */
PF_RUNTIME void pf_start_connect(PfStartSearch *search);

#endif

#endif
