/* SPDX-License-Identifier: Apache-2.0 */
/* What others inside the library may know of solvers: what they are made for, and what they tell besides. */
#ifndef PF_FORM_SOLVER_H
#define PF_FORM_SOLVER_H

#include "base/base.h"
#include "pfaff/form.h"

/* What is known when a solver is made. */
typedef struct PfSolverPlan {
  /* numbers of pf_system_symbols: the parameters keep these, the state is one of those to come; or NULL */
  const double *values;
  /* function of state and multipliers that is wanted along with the accelerations; or PF_EXPR_NONE */
  PfExpr power;
  /* a formulation that costs more does not apply: 'auto' looks for a faster one (choose.h); 0: whatever it costs */
  double cost_limit;
  /* the recursion in loops over the tree alone, for those who want it written out */
  bool in_loops;
} PfSolverPlan;

/* A tape of expressions of the model, in the symbols of the system, with inputs that are functions of time written out.
 * It belongs to the system: the same list gives the same tape again, however often motions of it are opened. */
PfStatus pf_system_shared_tape(const PfSystem *system, const PfExpr *roots, int count, const PfTape **tape);

PfStatus pf_solver_new_for(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                           const PfSolverPlan *plan, PfSolver **solver);

/* Units of the coordinates (n), by which the columns of the constraints become alike; NULL: they are, or nothing was
 * evaluated yet. */
const double *pf_solver_units(const PfSolver *solver);

/* Usual sizes of the constraint rows (m), by the first state that was evaluated and others beside it; NULL: nothing was
 * evaluated yet, or the columns have units. */
const double *pf_solver_row_sizes(const PfSolver *solver);

/* The numbers that a solver may remember from one state to the next, for snapshots. */
const PfKept *pf_solver_kept(const PfSolver *solver);

/* ---------------------------------------------------------------- services that a formulation may offer */

/* What the latest evaluation has brought along. */
typedef struct PfTold {
  bool known;     /* it has; else there is nothing in the other members */
  double power;   /* that of the plan */
  /* smallest pivot of A M^-1 A^T over what it was before the elimination, or over the square of its length; NaN: not
   * known, and there are no lengths either */
  double margin;
  int margin_row; /* the constraint it belongs to */
} PfTold;
const PfTold *pf_solver_told(const PfSolver *solver);

/* From now on the margin is taken against these lengths of rows in the metric of M^-1 (m, which must live as long as
 * the solver) where they are larger than what a row has in this state. */
void pf_solver_measure_rows(PfSolver *solver, const double *length);
/* Raises the lengths (m) to those of the rows in the latest evaluation, which has told. */
void pf_solver_raise_lengths(const PfSolver *solver, double *length);

/* Kinetic energy of all bodies and that of their weight, and everything that is summed over them, at the numbers in
 * `values`; false when it is not offered: by 'recursive' it is. */
bool pf_solver_energies(PfSolver *solver, const double *values, double *kinetic, double *potential);
bool pf_solver_totals(PfSolver *solver, const double *values, PfTreeTotals *totals);

typedef enum PfProjected {
  PF_PROJECTED_NOT,    /* not offered, or not in this state */
  PF_PROJECTED_BEFORE, /* they were on the constraints */
  PF_PROJECTED_NOW
} PfProjected;
/* Moves the velocities in `values` onto the constraints by the smallest change in the metric of M, unless their
 * residuals, each over its `scale` (m, or NULL: 1), are at most `enough`. */
PfProjected pf_solver_project(PfSolver *solver, double *values, const double *scale, double enough);

#endif
