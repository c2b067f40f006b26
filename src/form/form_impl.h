/* SPDX-License-Identifier: Apache-2.0 */
/* Inside form: the numbers of a state and what the formulations share. */
#ifndef PF_FORM_IMPL_H
#define PF_FORM_IMPL_H

#include "form/solver.h"
#include "num/num.h"
#include "pfaff/form.h"

/* The store of a system: tapes and formulas that were made for it and serve again, when a motion of it is opened once
 * more (shared.c). It belongs to one workspace, next to the system, which does not change. */
struct PfFormulas; /* of an elimination */

struct PfSystem {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  PfSymbols symbols;
  int n, m;
  bool in_bodies;    /* of matrix-free equations: there is no M and no F */
  size_t mass_size, force_size; /* of M and F: n*n and n, or 0 */
  PfTape *tape;      /* entries of M, F, A, b, C that are not identically zero, at the given multipliers */
  int output_count;
  int *place;        /* of each output of the tape among M, F, A, b, C */
  int *mass_first;   /* n + 1: first entry of each row of M in `column`, as in compressed sparse rows */
  int *mass_column;
  bool friction;     /* C depends on multipliers */
  PfTape *slope;     /* dC/dlambda (n x m), with friction */
  bool *in_friction; /* m: C depends on this multiplier */
  bool affine;       /* C is affine in the multipliers */
  PfShared *shared;
};

/* Everything a formulation needs at one state. `load` is F + C; F itself when C is zero at all times. */
typedef struct PfNumbers {
  double *all;        /* M, F, A, b, C in one piece; the others point into it */
  double *M, *F, *A, *b, *C;
  double *load;
  double *unit_A, *unit_b, *unit; /* A and b by rows, divided by `unit`: filled by pf_unit_rows */
} PfNumbers;

struct PfFormulation {
  const char *name;
  const char *source;  /* paper and equation numbers */
  const char *summary;
  /* Fails in the same way as `prepare` when that is seen at a glance, before any room is made; or NULL. */
  PfStatus (*check)(const PfSolver *solver);
  /* Makes the workspace, or fails with PF_ERR_MODEL and a message that says why the formulation does not apply. */
  PfStatus (*prepare)(PfSolver *solver);
  /* Accelerations and multipliers (the force follows from them) at the numbers in the solver. */
  PfTrouble (*accelerate)(PfSolver *solver, PfMotion *motion, int *row);
  /* The rest may be NULL. `answer` gives the same from solver->values alone, before M, F, A and b are evaluated; false:
   * not in this state, and `accelerate` is asked. */
  bool (*answer)(PfSolver *solver, PfMotion *motion);
  void (*find_force)(PfSolver *solver, PfMotion *motion); /* M q'' - F after `answer`; NULL: from M and F */
  void (*find_energies)(PfSolver *solver, const double *values, double *kinetic, double *potential);
  void (*find_totals)(PfSolver *solver, const double *values, PfTreeTotals *totals); /* of all bodies */
  void (*raise_lengths)(const PfSolver *solver, double *length); /* as in solver.h */
  PfProjected (*project)(PfSolver *solver, double *values, const double *scale, double enough);
};

struct PfSolver {
  PfContext *ctx;
  PfArena *arena;
  const PfSystem *system;
  const PfFormulation *formulation;
  PfNumbers at;
  const double *values; /* inputs of the tape */
  const double *extra_force; /* n: forces besides those of the model, or NULL */
  const double *aim;         /* n: accelerations that are sought, NAN for others, or NULL: see pf_solver_aim */
  double *own_values;        /* with multipliers, for forces that depend on them */
  /* n: units of the coordinates (units.c), found at the first state; M, F, A, b, C and what a formulation makes of them
   * are in these, accelerations too until they leave the solver */
  PfUnits units;
  double *unit_home, *unit_values; /* to find them */
  bool scaled;        /* some unit is not 1 */
  bool measured;      /* they were looked for */
  double *tape_work;
  double *inertia;    /* M q'' of the accelerations that were found, when a formulation has needed it */
  bool inertia_known;
  double rank_tolerance; /* rows of unit length of which Gram-Schmidt leaves less are redundant */
  const bool *skipped; /* m: constraints that are left out; NULL: none */
  double agreement;   /* tolerance for redundant rows: beyond it they contradict the others */
  int unknowns, unknowns_per_rank; /* without constraints, and how many each independent one adds */
  const PfSolverPlan *plan; /* while it is made */
  PfByproducts byproducts;
  bool drifts;        /* rows are redundant only as far as the constraints hold, as inside a step they do not */
  const double *length; /* m: lengths in which the rows are measured, or NULL */
  double *typical;    /* m: with lengths, the largest unit that each row had since then */
  PfSolver *fallback; /* asked where this one has trouble; NULL: nobody */
  struct PfElimination *elimination;    /* NULL without */
  struct PfSparseForm *sparse;          /* NULL without */
  struct PfExtendedForm *extended_form; /* NULL without */
  void *data;         /* of the formulation */
  void (*release)(PfSolver *solver); /* frees what is not in the arena, or NULL */
  PfCheckpoint checkpoint; /* numbers in the workspace: a formulation may remember choices */

  struct PfFriction *friction; /* NULL without */
};

/* A tape of expressions of the model; `roots` are overwritten. */
PfStatus pf_system_tape(PfContext *ctx, const PfModel *model, const PfExpr *inputs, int input_count, PfExpr *roots,
                        int root_count, PfTape **tape);

/* An empty store, or one that begins with what the store of another workspace has, which is only read. */
PfStatus pf_shared_new(const PfSystem *system, const PfShared *base, PfShared **shared);
void pf_shared_free(PfShared *shared);
/* Derivatives of a potential by the coordinates (n). */
PfStatus pf_shared_gradient(PfShared *shared, PfExpr potential, const PfExpr **slope);
/* Accelerations of a tree by pf_flow_tape, parameters among its inputs; NULL where it does not apply. */
PfStatus pf_shared_flow(PfShared *shared, const PfTape **flow);
/* Is it known which formulas an elimination with the numbers of the plan has? NULL: it does not apply. */
bool pf_shared_formulas(PfShared *shared, const PfSolverPlan *plan, struct PfFormulas **formulas);
/* Keeps these in the place of the old ones; false without memory. */
bool pf_shared_keep_formulas(PfShared *shared, const PfSolverPlan *plan, struct PfFormulas *formulas);
/* One user less; the last one frees them (elimination.c). */
void pf_formulas_drop(struct PfFormulas *formulas);
/* The same with views of the tapes, for another workspace; NULL without memory. */
struct PfFormulas *pf_formulas_view(PfContext *ctx, const struct PfFormulas *from);

/* Memory of a solver, counted; zeroed. NULL without memory. */
void *pf_solver_alloc(PfSolver *solver, size_t count, size_t size, bool kept);
#define pf_solver_array(solver, type, count) \
  ((type *)pf_solver_alloc((solver), (size_t)(count), sizeof(type), PF_IS_NUMBER(type)))
/* The same for scratch that no later evaluation reads. */
#define pf_solver_scratch(solver, type, count) ((type *)pf_solver_alloc((solver), (size_t)(count), sizeof(type), false))
PfStatus pf_solver_no_room(PfSolver *solver);
/* Arrays of numbers in one list: `rows` x `columns` doubles each, as by pf_solver_array. The last one has no place. */
typedef struct PfRoom {
  double **at;
  int rows, columns;
} PfRoom;
PfStatus pf_solver_rooms(PfSolver *solver, const PfRoom *rooms);

/* ---------------------------------------------------------------- units of coordinates (units.c) */

/* Room for them, unless the formulation has accelerations of its own. */
PfStatus pf_units_make(PfSolver *solver);
/* Finds them at the values of the solver, with the numbers of the tape in solver->at. */
void pf_units_find(PfSolver *solver);
/* M, F, A, C into these units. */
void pf_units_enter(PfSolver *solver);
/* Numbers like accelerations (n) into these units, and back. */
void pf_units_into(const PfSolver *solver, double *acceleration);
void pf_units_back(const PfSolver *solver, double *acceleration);

/* ---------------------------------------------------------------- rows of A (rows.c) */

/* Fills unit_A, unit_b and unit (powers of two, so that nothing is rounded): decisions about rank do not
 * depend on the units in which a constraint is written. In a motion a row that fades away, as at the fold of a linkage,
 * keeps the unit it had: what is left of it is rounding, and must not be blown up to the length of the others. */
void pf_unit_rows(PfSolver *solver);
/* The unit of row i of this size. Where rows are redundant only on the constraints, that is the largest size the row
 * had: a short row has the direction of what the state misses, and one of full length must go before it. */
double pf_row_unit(PfSolver *solver, size_t i, double size);

/* Does A q'' = b hold? Else the constraint that contradicts others. Needed where rows are redundant. */
PfTrouble pf_check_constraints(PfSolver *solver, const double *acceleration, int *row);
/* The same for an a with A a = b that is not the acceleration. Where the state drifts off the constraints only the size
 * of the acceleration tells which residuals are large: then nothing is checked before it is known. */
PfTrouble pf_check_before(PfSolver *solver, const double *a, int *row);
PfTrouble pf_check_after(PfSolver *solver, const double *acceleration, int *row);

/* What the rows of A span, by one factorisation of A^T. */
typedef struct PfSpan {
  PfQr qr;         /* of A^T, each row in its unit; qr.order: the rows, independent ones first */
  PfQr null_qr;    /* of its null space */
  double *force, *Z, *z;
} PfSpan;
PfStatus pf_span_make(PfSolver *solver, PfSpan *span);
/* Returns the rank. The functions below need it. */
int pf_span_factor(PfSolver *solver, PfSpan *span);
/* The a (n) of least length with A a = b. */
void pf_span_solve(PfSolver *solver, PfSpan *span, double *a);
/* The lambda (m) of least length with A^T lambda = M q'' - load. */
void pf_span_multipliers(PfSolver *solver, PfSpan *span, const double *acceleration, double *multiplier);

/* The same for A^T lambda = span->force. */
void pf_span_share(PfSolver *solver, PfSpan *span, double *multiplier);

/* ---------------------------------------------------------------- least correction, M regular (udwadia_kalaba.c) */

typedef struct PfReduced PfReduced; /* below */

typedef struct PfMetric {
  PfQr qr;         /* of B^T, B = A T with T T^T = M^-1 */
  PfSpan span;     /* for a second factorisation where rows are nearly dependent */
  PfReduced *reduced; /* where they are dependent in the metric, but not by A */
  int rank;
  double *B, *unit, *r, *y, *c, *root;
} PfMetric;
PfStatus pf_metric_make(PfSolver *solver, PfMetric *metric);
/* With the factors of M. An angle e between rows costs log10(1/e) digits, not twice as many as normal equations would.
 * */
PfTrouble pf_metric_solve(PfSolver *solver, PfMetric *metric, const PfLdl *mass, PfMotion *motion, int *row);

/* ---------------------------------------------------------------- forces that depend on multipliers (friction.c) */

typedef struct PfFriction {
  double *slope, *slope_work;   /* dC/dlambda */
  double *lambda, *other;       /* the solution, and one found from elsewhere */
  double *found, *residual, *step, *origin, *jacobian;
  bool is_known; /* the Jacobian is that of this state */
  PfQr qr;
  PfSpan span;
} PfFriction;
PfStatus pf_friction_make(PfSolver *solver);
PfTrouble pf_friction_solve(PfSolver *solver, PfMotion *motion, int *row);

/* Whose equation the entry of M, F, A, b, C is: a coordinate, or n + a constraint. */
int pf_solver_row_of_entry(const PfSystem *system, int64_t entry);
/* M, F, A, b, C and load at the values of the solver (solver.c). */
PfTrouble pf_solver_evaluate(PfSolver *solver, int *row);

/* From now on these forces (n, changed at will) act on the coordinates besides. */
void pf_solver_set_extra_force(PfSolver *solver, const double *extra_force);
/* Adds M_ii (q''_i - aim_i) to the equation of each coordinate with an aim, which is zero where the accelerations are
 * what is sought: a mass matrix that is nearly singular, as with point masses, has then a good condition. NULL: no
 * longer. For 'multipliers' with a push. */
void pf_solver_aim(PfSolver *solver, const double *aim);

/* ---------------------------------------------------------------- admissible directions (reduced.c) */

/* q'' = a + N (N^T M N)^-1 N^T (F + C - M a): motion along the columns of N (n x free, row by row), given
 * any a with A a = b (reduced.c). The caller fills N and a. */
struct PfReduced {
  double *N, *a;
  double *MN, *X, *right, *y, *Ma;
  PfLdl mass;
};
PfStatus pf_reduced_make(PfSolver *solver, PfReduced *reduced);
/* Along an orthonormal basis of the null space of A, whatever the coordinates; `span` has been factored with this rank,
 * and reduced->a satisfies A a = b. */
PfTrouble pf_reduced_null_space(PfSolver *solver, PfReduced *reduced, PfSpan *span, int rank, double *acceleration,
                                int *row);
PfTrouble pf_reduced_solve(PfSolver *solver, PfReduced *reduced, int free, double *acceleration, int *row);

/* ---------------------------------------------------------------- levels of the cascade (levels.c) */

/* Groups constraints whose names agree up to the first dot or bracket, in the order of their first members.
 * Level l has the constraints rows[first[l]] … rows[first[l + 1] - 1]; room for m and m + 1 numbers. Returns how
 * many levels there are. */
int pf_cascade_levels(const PfModel *model, int *rows, int *first);

/* ---------------------------------------------------------------- small products (solver.c) */

/* M q'' for final accelerations, left in the solver. */
const double *pf_inertia(PfSolver *solver, const double *acceleration);

/* y = M x; MN (n x free) = M N. They skip what is zero at all times. */
void pf_mass_times(const PfSolver *solver, const double *x, double *y);
void pf_mass_product(const PfSolver *solver, const double *N, int free, double *MN);

/* C (p x q) = A (p x k) B (k x q) */
void pf_product(const double *A, const double *B, int p, int k, int q, double *C);

/* y = A x for an m x n matrix; y = A^T x. */
void pf_times(const double *A, int m, int n, const double *x, double *y);
void pf_transposed_times(const double *A, int m, int n, const double *x, double *y);

/* Takes another solver of the same system over, to be asked where this one has trouble. False without memory. */
bool pf_solver_set_fallback(PfSolver *solver, PfSolver *fallback);
/* Did the latest evaluation by 'multipliers' need orthogonal factors of the whole system? */
bool pf_multipliers_were_hard(const PfSolver *solver);

/* A solver by the formulation that suits the system (choose.c). */
PfStatus pf_solver_choose(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver);

extern const PfFormulation pf_form_auto; /* not in the list: its solvers are those of others */
extern const PfFormulation pf_form_multipliers, pf_form_elimination, pf_form_udwadia_kalaba, pf_form_udwadia_phohomsiri,
    pf_form_rosenberg, pf_form_rosenberg_extended, pf_form_maggi, pf_form_laconic, pf_form_cascade, pf_form_recursive;

#endif
