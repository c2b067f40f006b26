/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of solvers for other modules of the library: the plan they are made for, and their by-products. */
#ifndef PF_FORM_SOLVER_H
#define PF_FORM_SOLVER_H

#include "base/base.h"
#include "pfaff/form.h"

/* The data that are known when a solver is made. */
typedef struct PfSolverPlan {
  /* numbers of pf_system_symbols: the parameters keep these, the state is one of those to come; or NULL */
  const double *values;
  /* function of state and multipliers that is wanted along with the accelerations; or PF_EXPR_NONE */
  PfExpr power;
  /* a formulation that costs more does not apply: 'auto' looks for a faster one (choose.h); 0: whatever it costs */
  double cost_limit;
  /* the recursion in loops over the tree alone, for callers that write it out */
  bool in_loops;
} PfSolverPlan;

/* The same system for another workspace of a machine: `ctx` is a fork of the context of `from`, and the equations are
 * those of `from` with the model of that workspace. Nothing is derived and no tape is made; the store that motions of
 * `from` have filled serves here, too. `from` is only read and must outlive the view, which pf_system_free frees. Any
 * number of threads may make and use views of one system as long as no motion of the system itself is opened. */
PfStatus pf_system_view(PfContext *ctx, const PfEquations *equations, const PfSystem *from, PfSystem **system);

/* The store next to a system, of the same workspace: it keeps what motions have made, for later ones. The system itself
 * is constant. */
typedef struct PfShared PfShared;
PfShared *pf_system_store(const PfSystem *system);

/* A tape of expressions of the model, in the symbols of the system, with inputs that are functions of time written out.
 * It belongs to the store: the same list gives the same tape again, however often motions are opened. */
PfStatus pf_shared_tape(PfShared *shared, const PfExpr *roots, int count, const PfTape **tape);
/* The expressions of a tape, or with columns the expressions whose derivatives by the columns it gives. */
typedef struct PfTapeList {
  const PfExpr *roots;
  int count;
  const PfExpr *more; /* inputs after the symbols of the system */
  int more_count;
  const PfExpr *columns;
  int column_count;
} PfTapeList;
/* As pf_shared_tape. With columns the tape gives the entries of the Jacobian (or NULL), whose lists belong to the store
 * as well. */
PfStatus pf_shared_tape_of(PfShared *shared, const PfTapeList *list, const PfTape **tape, PfJacobian *jacobian);

PfStatus pf_solver_new_for(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                           const PfSolverPlan *plan, PfSolver **solver);

/* Units of the coordinates (n), by which the columns of the constraints become alike; NULL: they are, or nothing was
 * evaluated yet. */
const double *pf_solver_units(const PfSolver *solver);

/* Usual sizes of the constraint rows (m), by the first state that was evaluated and others near it; NULL: nothing was
 * evaluated yet, or the columns have units. */
const double *pf_solver_row_sizes(const PfSolver *solver);

/* The numbers that a solver may remember from one state to the next, for snapshots. */
const PfCheckpoint *pf_solver_checkpoint(const PfSolver *solver);

/* ---------------------------------------------------------------- services that a formulation may offer */

/* By-products of the latest evaluation. */
typedef struct PfByproducts {
  bool known;     /* it has; else there is nothing in the other members */
  double power;   /* that of the plan */
  /* smallest pivot of A M^-1 A^T over its value before the elimination, or over the square of its length; NaN: not
   * known, and there are no lengths either */
  double margin;
  int margin_row; /* the constraint it belongs to */
} PfByproducts;
const PfByproducts *pf_solver_byproducts(const PfSolver *solver);

/* From now on the margin is taken against these lengths of rows in the metric of M^-1 (m, which must live as long as
 * the solver) where they are larger than the length of a row in this state. */
void pf_solver_measure_rows(PfSolver *solver, const double *length);
/* Raises the lengths (m) to those of the rows in the latest evaluation, which must have found them. */
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
