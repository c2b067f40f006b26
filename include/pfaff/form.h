/* SPDX-License-Identifier: Apache-2.0 */
/* Formulations: the classical roads from M, F, A, b to the accelerations.
 *
 *   M q'' = F + C + A^T lambda,   A q'' = b
 *
 * A system holds the tapes that give the numbers of a state; a solver is one formulation made ready for one system.
 * Neither changes while accelerations are computed except for the solver's own workspace, and nothing is
 * allocated then. */
#ifndef PFAFF_FORM_H
#define PFAFF_FORM_H

#include "pfaff/kernel.h"
#include "pfaff/mech.h"
#include "pfaff/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the system in numbers */

typedef struct PfSystem PfSystem;

/* The equations must live as long as the system. */
PF_API PfStatus pf_system_new(PfContext *ctx, const PfEquations *equations, PfSystem **system);
PF_API void pf_system_free(PfSystem *system);
PF_API const PfEquations *pf_system_equations(const PfSystem *system);
PF_API const PfSymbols *pf_system_symbols(const PfSystem *system);
/* Was it made of matrix-free equations (pf_equations_derive_matrix_free)? Then only 'recursive' solves it. */
PF_API bool pf_system_in_bodies(const PfSystem *system);

/* What the accelerations are. Arrays belong to the caller: n, m, n numbers; without `force` (NULL) it is not
 * computed. */
typedef struct PfMotion {
  double *acceleration;
  double *multiplier;
  double *force; /* M q'' - F: what the constraints do, non-ideal parts included */
} PfMotion;

/* Why there is no answer, or not one. */
typedef enum PfTrouble {
  PF_TROUBLE_NONE,
  PF_TROUBLE_NOT_FINITE,    /* a number of the equations is not finite; row: of M and F, or n + constraint */
  PF_TROUBLE_INDEFINITE,    /* M is not positive semidefinite; row: the coordinate */
  PF_TROUBLE_NOT_UNIQUE,    /* constraints and inertia leave the coordinate `row` undetermined */
  PF_TROUBLE_CONTRADICTION, /* the constraint `row` contradicts the others */
  PF_TROUBLE_UNDETERMINED,  /* the equations of this formulation alone leave the acceleration `row` open */
  PF_TROUBLE_MASSLESS,      /* this formulation needs a regular mass matrix; row: a coordinate without inertia */
  PF_TROUBLE_AMBIGUOUS,     /* friction depends on the multiplier `row`, which redundant constraints leave open */
  PF_TROUBLE_SINGULAR,      /* this formulation breaks down here; row: the coordinate or -1 */
  PF_TROUBLE_NO_CONVERGENCE /* forces that depend on the multipliers were not found; row: such a constraint */
} PfTrouble;

/* ---------------------------------------------------------------- formulations */

typedef struct PfSolver PfSolver;

typedef struct PfFormulation PfFormulation;

/* All formulations; NULL when index is past the last. */
PF_API const PfFormulation *pf_formulation(int index);
/* NULL when there is none of this name. 'auto' is found too, though not listed: a solver by it is by another one, which
 * suits the system and costs least; pf_solver_formulation tells which. */
PF_API const PfFormulation *pf_formulation_find(const char *name);
/* The name, 'lagrange' and 'auto' among them, that someone who wrote this one may have meant; NULL: none is near. */
PF_API const char *pf_formulation_similar(const char *name);
/* Fails with PF_ERR_ARGUMENT, with the similar name or all names as the hint. */
PF_API PfStatus pf_formulation_unknown(PfContext *ctx, const char *name);
PF_API const char *pf_formulation_name(const PfFormulation *formulation);
PF_API const char *pf_formulation_source(const PfFormulation *formulation); /* paper and equation numbers */
PF_API const char *pf_formulation_summary(const PfFormulation *formulation);

/* Makes a formulation ready. Fails with PF_ERR_MODEL when it does not apply; the message is the reason. */
PF_API PfStatus pf_solver_new(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                              PfSolver **solver);
/* The same for parameters that have the numbers in `values` (of pf_system_symbols) for good: later ones are not looked
 * at, and a formulation may work out beforehand what depends on them alone. The state in `values` is one of those to
 * come. */
PF_API PfStatus pf_solver_new_at(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                                 const double *values, PfSolver **solver);
PF_API void pf_solver_free(PfSolver *solver);
/* Number of unknowns of the linear system it solves where the constraints have the rank. */
PF_API int pf_solver_unknowns(const PfSolver *solver, int rank);
PF_API const PfFormulation *pf_solver_formulation(const PfSolver *solver);

/* States are up to `drift` off the constraints, as inside a step of an integrator: rows that are redundant where the
 * constraints hold are redundant, and agree, only as far. 0: they hold, as they do by default. */
PF_API void pf_solver_tolerate(PfSolver *solver, double drift);

/* Leaves out the constraints (m flags, which must live, as they are, as long as the solver) whose rows vanish wherever
 * the constraints hold: beside such a state what is left of them has no meaning. Their multipliers are zero. */
PF_API void pf_solver_skip(PfSolver *solver, const bool *rows);

/* Accelerations at the state; `values` are the numbers of pf_system_symbols (multipliers are not looked at). Allocates
 * nothing. */
PF_API PfTrouble pf_solver_accelerate(PfSolver *solver, const double *values, PfMotion *motion, int *row);

/* The operators of the recursion (docs/spatial.md). Every step of a placement that moves is a body of the tree; those
 * between carry no mass and no name. */
typedef struct PfSpatial {
  int count;
  PfTreeBody *body;
  PfTreeOperators *at;
  bool *inside; /* per constraint: it gives motions of joints, and is obeyed inside the recursion */
} PfSpatial;
typedef enum PfAxes { PF_AXES_INERTIAL, PF_AXES_BODY } PfAxes;
/* At a state, constraints included. Where constraints alone give the acceleration of a rate of a joint, as a prescribed
 * motion does, that rate is given in the recursion, (90) and (91); the forces of the other constraints are among the
 * joint forces. For solvers by 'recursive' only; the result lives in `arena`, the names in the solver. */
PF_API PfStatus pf_solver_spatial(PfSolver *solver, PfArena *arena, const double *values, PfAxes axes,
                                  PfSpatial *spatial);

/* Forward dynamics of a tree of bodies without constraints, written out for this mechanism: n accelerations, then two
 * pairs of numbers about the pivots: where the first is not larger than 1e-12 times the second some joint moves no
 * mass. The inputs of the tape are those of pf_system_symbols up to the velocities; with `values`, numbers of the
 * parameters for good, they begin with the time. For one state by pf_tape_run, for many by pf_tape_run_many;
 * pf_context_set_native makes code of both. Agrees with the formulation 'recursive' up to rounding. Fails with
 * PF_ERR_MODEL and the reason where it does not apply. */
PF_API PfStatus pf_flow_tape(const PfSystem *system, const double *values, PfTape **tape);

/* ---------------------------------------------------------------- inverse dynamics with constraints */

typedef struct PfInverse PfInverse;

/* The forces of `count` actuators, each an input of the model (a function of time that it may have does not count) or a
 * coordinate that a generalised force acts on, for wanted accelerations of some coordinates (by number). Other
 * coordinates move as the equations say. The equations must live as long. Fails with PF_ERR_NAME for an unknown
 * name. */
PF_API PfStatus pf_inverse_new(PfContext *ctx, const PfEquations *equations, const char *const *actuators, int count,
                               const int *wanted, int wanted_count, PfInverse **inverse);
PF_API void pf_inverse_free(PfInverse *inverse);

/* The arrays belong to the PfInverse and are those of its last solution. */
typedef struct PfActuation {
  double *force;        /* count */
  /* count: false where other forces have the same effect; of those `force` is the least in SI units */
  bool *determined;
  int rank;             /* how many combinations of actuators have an effect on what is wanted */
  double *residual;     /* wanted_count: wanted less what is reached; as small as possible, as a sum of squares */
  bool met;             /* nothing but rounding is missed */
  double *acceleration; /* n, with these forces */
  double *multiplier;   /* m */
  double *reaction;     /* n: what the constraints do, non-ideal parts included */
} PfActuation;

/* At a state; `values` are the numbers of pf_system_symbols, as for pf_solver_accelerate, whose troubles it has. Costs
 * as much as count + 2 accelerations, twice that where something is missed, and allocates nothing. */
PF_API PfTrouble pf_inverse_solve(PfInverse *inverse, const double *values, const double *wanted,
                                  const PfActuation **result, int *row);

/* ---------------------------------------------------------------- models as trees */

/* The tree of bodies of a model (pfaff/tree.h), freed by pf_tree_free, for programs that want inverse dynamics,
 * Jacobians and poses in microseconds. A coordinate is a joint of its name (pf_tree_find_joint) with the same value; a
 * ball or free joint has the name of its body, and the coordinates and rates of PF_JOINT_SPHERICAL and PF_JOINT_FREE.
 * Bodies and frames are found by name (pf_tree_find_body); steps between two joints of one placement have no name and
 * no mass. Springs and dampers of single coordinates are in the tree, inputs are not: their forces are the caller's
 * tau. `parameters` overrides values (NULL: none; NaN: not this one). Derives the equations, so it is not for a loop.
 *
 * Fails with PF_ERR_MODEL and the reason for what a tree cannot say: constraints, inertia by 'kinetic', placements by
 * several coordinates, by a multiple of one, or by time, other forces. Events are not looked at. */
PF_API PfStatus pf_tree_from_model(const PfModel *model, const double *parameters, PfTree **tree);

/* ---------------------------------------------------------------- troubles */

/* Puts a trouble into words, with the names of the constraint or coordinate. */
PF_API PfStatus pf_trouble_report(PfContext *ctx, const PfSystem *system, PfTrouble trouble, int row);
/* The same for a state, of which more can be said: the eigenvector of a negative eigenvalue of the mass matrix. */
PF_API PfStatus pf_trouble_report_at(PfContext *ctx, const PfSystem *system, const double *values, PfTrouble trouble,
                                     int row);
/* Is the mass matrix at a state positive semidefinite? Fails with the words of 'check'. What moves by the recursion has
 * none that could be looked at. */
PF_API PfStatus pf_system_check_mass(PfContext *ctx, const PfSystem *system, const double *values);

/* ---------------------------------------------------------------- proof */

typedef enum PfVerdict {
  PF_PROVED,      /* all compared formulations are the same rational functions of the state */
  PF_DISPROVED,   /* one differs */
  PF_NOT_PROVABLE /* the model is outside what can be proven */
} PfVerdict;

typedef struct PfProofRow {
  const char *formulation;
  bool compared;
  const char *why_not; /* when not compared */
} PfProofRow;

typedef struct PfProof {
  PfVerdict verdict;
  const char *text;      /* the result in one sentence */
  int row_count;
  PfProofRow *rows;      /* in the order of pf_formulation */
  int rounds;
  uint64_t *primes;      /* per round: the field of its point has so many elements */
  double degree;         /* bound of the degree of what was compared */
  double log2_error;     /* binary logarithm of the probability that a difference was missed */
  bool on_positions;     /* it holds only where the position constraints do; otherwise in all positions */
  bool given_parameters; /* it holds only for the values of the parameters; otherwise for all */
  int formulation, coordinate; /* disproved: the row and the coordinate that differs from the first row; else -1 */
  const char *function, *where; /* not provable because of a function: its name and its equation; else NULL */
} PfProof;

/* Compares the accelerations of all formulations that apply, in exact arithmetic at random points of prime fields,
 * until the probability that a difference is missed is below 2^-100. Each field is another one: a difference would also
 * be missed if all its coefficients were multiples of all these primes. `parameters` overrides values (NULL: none; NaN:
 * not this one). The proof lives in `arena`. Fails as pf_diagnose does, and when there is no memory. */
PF_API PfStatus pf_prove(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                         PfProof *proof);

#ifdef __cplusplus
}
#endif
#endif
