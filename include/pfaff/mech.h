/* SPDX-License-Identifier: Apache-2.0 */
/* Model to equations.
 *
 *   M(q, t) q'' = F(q, q', t) + C + A^T lambda      (n rows; C: non-ideal forces)
 *   A(q, q', t) q'' = b(q, q', t)                   (m rows: each constraint at acceleration level)
 *
 * All entries are expressions in the symbols of the model; derived parameters keep their names. */
#ifndef PFAFF_MECH_H
#define PFAFF_MECH_H

#include "pfaff/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfEquations PfEquations;
struct PfEquations {
  const PfModel *model;
  int n, m;
  PfExpr *M;        /* n x n, row-major, symmetric */
  PfExpr *F, *C;    /* n */
  PfExpr *applied;  /* n: the part of F that is neither inertia nor potential */
  PfExpr *A;        /* m x n */
  PfExpr *b;        /* m */
  PfExpr *position; /* m: what vanishes at position level; PF_EXPR_NONE when the constraint has none */
  PfExpr *velocity; /* m: what vanishes at velocity level; PF_EXPR_NONE for acceleration constraints */
  PfExpr *rate;     /* n: q' by the speeds, or the velocity symbols themselves */
  PfExpr kinetic, potential; /* of the whole model, bodies included */
  PfExpr *momentum; /* n: dT/dq' */
  /* matrix-free: inertia and weight of the bodies are not written out (pf_equations_derive_matrix_free) */
  bool in_bodies;
  const PfEquations *by_quaternions; /* of a model in angular velocities: the same for numbers; else NULL */
  const int *constraint;             /* there: numbers in the original */
};

/* Derives the equations; they live in `arena`. */
PF_API PfStatus pf_equations_derive(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *equations);

/* The same for whoever only wants to see the model move. Of a deep tree of bodies the inertia is not written out,
 * since the recursion over the tree needs no formulas for it: then M, F and momentum are NULL, and kinetic and
 * potential are those of the statements 'kinetic' and 'potential' alone. Everything else, and other models, as by
 * pf_equations_derive. */
PF_API PfStatus pf_equations_derive_matrix_free(PfContext *ctx, PfArena *arena, const PfModel *model,
                                                PfEquations *equations);
/* Coordinates up to which formulas are made in seconds: up to them matrix-free ones that do not suffice are written
 * out. */
enum { PF_MOST_WRITTEN_OUT = 500 };
/* Writes out the inertia that matrix-free equations lack; `arena` as there. Systems that were made of it stay as they
 * are. */
PF_API PfStatus pf_equations_write_out(PfContext *ctx, PfArena *arena, PfEquations *equations);

/* The symbols that numbers are given for when the equations are evaluated: parameters (derived ones too), time,
 * inputs, coordinates, velocities, multipliers, and in a model in angular velocities auxiliary states; in this
 * order. */
typedef struct PfSymbols {
  int count, parameters, time, inputs, q, v, lambda, auxiliaries; /* where each group begins */
  PfExpr *symbol;
} PfSymbols;
PF_API PfStatus pf_equations_symbols(PfContext *ctx, PfArena *arena, const PfModel *model, PfSymbols *symbols);
/* Which of the expressions are no rounding, however small their values are (pf_expr_keeps_digits). NULL without
 * memory. */
PF_API bool *pf_sure_entries(PfContext *ctx, PfArena *arena, const PfExpr *list, size_t count);

/* The numbers of all symbols (as many as pf_equations_symbols lists) at the start of the model; contact coordinates are
 * solved for, multipliers are 0. Fails with PF_ERR_MODEL naming a parameter without a value. */
PF_API PfStatus pf_equations_start(PfContext *ctx, const PfEquations *equations, const double *parameters,
                                   double *values);

/* What is shown of a run (PfPlot) by symbols of the model, accelerations, PfCoordinate.held and PfConstraint.active
 * only: kinetic and potential energy, reactions and violations are written out. The largest violations that a run
 * finds, violation_position() and violation_velocity(), stay. `arena` is for scratch. */
PF_API PfStatus pf_equations_express(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfExpr *list,
                                     int count);

/* Inputs by their functions of time, where they have one. */
PF_API PfStatus pf_insert_inputs(PfContext *ctx, const PfModel *model, PfExpr *list, size_t count);

/* Their numbers at the time in `values`, which are those of `symbols`; inputs without a function keep theirs. */
PF_API PfStatus pf_evaluate_inputs(PfContext *ctx, const PfModel *model, const PfSymbols *symbols, double *values);

/* The equations between two events: some coordinates held (they become parameters, behind those of the model), some
 * constraints not active. Rows that contain nothing that moves are left out. */
typedef struct PfPhase {
  PfModel model;
  PfEquations equations;
  int *coordinate, *constraint; /* numbers in the complete model */
} PfPhase;

/* `held` (n) and `active` (m) are for the complete equations. All of it lives in `arena`; the phase must not be
 * moved. */
PF_API PfStatus pf_phase_make(PfContext *ctx, PfArena *arena, const PfEquations *complete, const bool *held,
                              const bool *active, PfPhase *phase);

/* ---------------------------------------------------------------- angular velocities */

/* A model with free and ball joints in angular velocities and direction cosines: three components of the angular
 * velocity (ball.wx …; of round bodies ball.omega_x … in the axes they are placed in) stand for four of the quaternion,
 * and no constraint for its length. For people to read: it has no start of its own and cannot be run. */
typedef struct PfQuasi {
  PfModel model;
  PfEquations equations;
  int *constraint; /* numbers in the original */
} PfQuasi;

/* All of it lives in `arena`; the result must not be moved. */
PF_API PfStatus pf_quasi_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfQuasi *quasi);

/* The same model with three angles in the place of each quaternion: top.psi about the vertical, top.theta, and top.phi
 * about the axis about which the body is round, if it is. It can move, and what turns freely has a coordinate of its
 * own; but theta must not make the two other turns one: a start at such an attitude is moved away from it. */
PF_API PfStatus pf_angles_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfQuasi *angles);

/* ---------------------------------------------------------------- switches */

/* A surface g(q, q', t) = 0 at which sign, abs, min, max or a comparison of the equations changes. */
typedef struct PfSwitch {
  PfExpr surface, mode; /* g, and the symbol that stands for its sign in the equations: an input without a function */
  bool timed;           /* g depends on time alone */
  bool compared;        /* in a condition: on the surface one of two cases holds, none between them */
} PfSwitch;

/* The equations with the modes of all surfaces as further inputs, behind those of the model. Forces are affine in each
 * mode: between -1 and 1 they are Filippov's combination of both sides. Expressions with the same zeros are one
 * surface. Inputs that are functions of time are written out. What depends on multipliers is left as it is. */
typedef struct PfSwitches {
  int count;
  PfSwitch *at;
  PfModel model;
  PfEquations equations;
} PfSwitches;

/* All of it lives in `arena`; the result must not be moved. */
PF_API PfStatus pf_switches_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfSwitches *switches);

/* The same for other expressions, with inputs written out: the modes in the place of what switches at the surfaces that
 * were found. `arena` is for scratch. */
PF_API PfStatus pf_switches_insert(PfContext *ctx, PfArena *arena, const PfSwitches *switches, PfExpr *list, int count);

/* Does one of the expressions contain sign, abs, min, max, if or a comparison? `arena` is for scratch. */
PF_API PfStatus pf_may_switch(PfContext *ctx, PfArena *arena, const PfExpr *list, int count, bool *may);

/* Does one of the expressions jump along a motion? Not by abs, min and max, nor by an 'if' whose cases are seen to
 * agree where it switches. Inputs count as their functions of time; PF_EXPR_NONE is passed over. */
PF_API PfStatus pf_may_jump(PfContext *ctx, PfArena *arena, const PfModel *model, const PfExpr *list, int count,
                            bool *may);

/* Do the forces of the equations? */
PF_API PfStatus pf_forces_may_jump(PfContext *ctx, PfArena *arena, const PfEquations *equations, bool *may);

/* A condition as logic of comparisons: each becomes g < 0, g <= 0 or g = 0 (`op`; PF_OP_LESS for what is no comparison
 * but a value, less than 0 when that is true), for which `add` gives the symbol of its truth. */
typedef PfStatus PfAddComparison(void *user, PfExpr g, PfOp op, PfExpr *truth);
PF_API PfStatus pf_condition_read(PfContext *ctx, PfExpr condition, PfAddComparison *add, void *user, PfExpr *logic);

/* Total time derivative of g; accelerations in it are symbols. */
PF_API PfStatus pf_surface_rate(PfContext *ctx, PfArena *arena, const PfModel *model, PfExpr g, PfExpr *rate);

/* sum |dg/dy_i| |y_i| and sum |dg/dy_i|: what rounding and what a tolerance of the state make of g. */
PF_API PfStatus pf_surface_sizes(PfContext *ctx, PfArena *arena, PfExpr g, const PfExpr *y, int count, PfExpr *size,
                                 PfExpr *slope);

/* A surface along which the motion stays: one more constraint, whose multiplier is the mode, from -1 to 1. Where
 * surfaces depend on each other, by a constraint or a lock, some of them have rows, and the modes of all follow. */
typedef struct PfSlidingRow {
  const char *name;
  PfExpr surface, mode;
  int degree;    /* 1: g depends on velocities, 2: on coordinates only */
  PfExpr factor; /* of the row: of the size of dF/ds over dg/dq'; made of parameters */
} PfSlidingRow;

/* The mode of a surface that sticks: a sum of the multipliers of the rows. */
typedef struct PfSlidingMode {
  PfExpr mode;
  const double *load; /* the part of the multiplier of each row */
} PfSlidingMode;

typedef struct PfSlidingSystem {
  PfModel model;
  PfEquations equations; /* the rows of the base, then those of surfaces */
  PfExpr *mode;          /* an expression for the mode of each surface that sticks */
} PfSlidingSystem;

/* All of it lives in `arena`; the result must not be moved. */
PF_API PfStatus pf_sliding_make(PfContext *ctx, PfArena *arena, const PfEquations *base, const PfSlidingRow *rows,
                                int count, const PfSlidingMode *modes, int mode_count, PfSlidingSystem *stuck);

/* How a body hangs on another one, as its placement tells: weld, revolute, prismatic, screw, cylindrical, universal,
 * spherical, planar, free, driven (by time alone) or general. */
typedef struct PfBodyJoint {
  const char *kind;
  int parent;            /* body, or -1 for the ground */
  int coordinate_count;
  int *coordinates;
  int axis_count;        /* axes of what turns and slides, in the axes reached there */
  PfExpr axis[2][3];
  PfExpr pitch;          /* screw: length per radian; else PF_EXPR_NONE */
} PfBodyJoint;

/* One for each body, in `arena`. */
PF_API PfStatus pf_model_joints(PfContext *ctx, PfArena *arena, const PfModel *model, PfBodyJoint **joints);

/* Does a body float, on a free joint in the ground? Only then momentum may be conserved. */
PF_API bool pf_model_floats(const PfModel *model);
/* How a system floats: with a body on a free joint in the ground, or in a plane, with all bodies that hang on the
 * ground in joints `planar` of one plane, whose translations change no constraint. `normal` is the unit vector of that
 * plane, in the axes of the ground: only momentum along the plane and angular momentum about the normal may be
 * conserved there. `arena` is for scratch. */
typedef enum PfFloating { PF_FLOATS_NOT, PF_FLOATS_FREE, PF_FLOATS_IN_PLANE } PfFloating;
PF_API PfStatus pf_model_floating(PfContext *ctx, PfArena *arena, const PfModel *model, PfFloating *floating,
                                  PfExpr normal[3]);
/* Linear momentum of all bodies and angular momentum about the origin, in the axes of the ground. */
PF_API PfStatus pf_model_momentum(PfContext *ctx, const PfModel *model, PfExpr momentum[6]);
/* Leaves of it the linear momentum along the plane and the angular momentum about its normal. */
PF_API void pf_momentum_in_plane(PfContext *ctx, const PfExpr normal[3], PfExpr momentum[6]);

/* What can be said about a system before it moves. */
typedef struct PfDiagnosis {
  int rank;                /* of A at a generic admissible configuration */
  int redundant_count;
  int *redundant;          /* constraints that follow from the others there */
  int degrees_of_freedom;  /* n - rank */
  int mass_rank;
  bool mass_singular;
  bool generic;            /* parameters without a value were given arbitrary ones */
  bool reached;            /* a configuration that satisfies the position constraints was found */
  bool start_consistent;
  double start_violation;  /* largest violation at the start, position or velocity level */
  int start_worst;         /* the constraint that is violated most, -1 if none */
  double *start_q, *start_v; /* n: with the contact coordinates solved for */
} PfDiagnosis;

/* Fails with PF_ERR_MODEL, naming the constraints, when constraints contradict each other. `parameters` overrides
 * values (NULL: none; NaN: not this one). */
PF_API PfStatus pf_diagnose(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                            PfDiagnosis *diagnosis);

/* Equations for people: each left side is a combination of the unknowns, everything in the shortest form. */
typedef struct PfEquation {
  const char *name; /* of the coordinate or constraint it belongs to */
  PfExpr left, right;
} PfEquation;

enum { PF_MOST_SECTIONS = 4, PF_MOST_STEPS = 16, PF_MOST_MATRICES = 20 };

/* An equation between vectors or matrices, which no expression can hold. */
typedef struct PfLine {
  const char *text, *latex;
} PfLine;

/* A matrix that such equations name, by rows; a vector has one column. */
typedef struct PfNamedMatrix {
  PfExpr name;
  int rows, columns;
  PfExpr *entries;
} PfNamedMatrix;

typedef struct PfDerivationPart {
  const char *title;
  int count; /* of equations */
} PfDerivationPart;

typedef struct PfDerivation {
  const char *form;
  const PfModel *model;       /* in whose symbols it is written: with free and ball joints that in angular velocities */
  int unknown_count, equation_count, part_count;
  int motion_count;           /* the first equations are those of motion */
  int section_count;          /* what the others are: constraints, velocities, attitude */
  PfDerivationPart sections[PF_MOST_SECTIONS];
  int step_section_count;     /* the way to the equations, when it was asked for */
  PfDerivationPart step_sections[PF_MOST_STEPS];
  PfEquation *steps;          /* left: the name of what is worked out */
  int long_steps;             /* formulas of more than some thousand signs, which are left out of the steps */
  int divisor_count;
  PfExpr *divisors;           /* what must not vanish for this form to hold */
  PfExpr *unknowns;
  PfExpr *speeds;             /* reduced forms: the pseudo-velocities whose rates the unknowns are; else NULL */
  int momentum_count;
  PfExpr *momenta;            /* hamilton: what stands for dT/dq' of each coordinate; else none */
  PfEquation *equations;
  int line_count, matrix_line_count;
  PfLine *lines;        /* the same between vectors, where that is shorter: of bodies that turn freely */
  PfLine *matrix_lines; /* the same between matrices, when that was asked for */
  int matrix_count;
  PfNamedMatrix matrices[PF_MOST_MATRICES];
  PfExpr *part_names, *part_values; /* abbreviations, in order of definition; a name with a prime is the rate of one */
  PfEquations simple;               /* multipliers: M, F, C, A, b in the shortest form; else all NULL */
} PfDerivation;

/* Lagrange's equations with multipliers: M q'' = F + C + A^T lambda and A q'' = b. Lives in `arena`. */
PF_API PfStatus pf_derive_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                   PfDerivation *derivation);

/* ---------------------------------------------------------------- reduced forms */

/* Velocities by independent pseudo-velocities: q' = v(omega, q, t), N = dv/domega. These are the user's speeds when
 * the model has some; else independent velocities, where these can be chosen so that nothing that vanishes is divided
 * by; else combinations of velocities for which that holds (the forward speed of a blade), or nearly. */
typedef struct PfKinematics {
  int count;
  bool chosen;          /* not the user's: velocities of the coordinates in `independent` */
  bool combined;        /* not the user's: some are velocities of coordinates, some combinations */
  int *independent;     /* -1: not the velocity of one coordinate */
  const char **names;   /* of the coordinate, or of the speed */
  PfExpr *omega, *rate; /* omega and omega' */
  const uint8_t *still; /* per frame: the axes, as bits, along which its origin cannot move; NULL: not known */
  bool *exchanged;      /* combinations that took the place of a relative rate; NULL: none */
  PfExpr *definition;   /* omega by velocities, coordinates and time; NULL when that is not known */
  PfExpr *v, *N, *drift; /* n, n x count, n: q'' = N omega' + drift */
  int divisor_count;
  PfExpr *divisors;     /* expressions that must not vanish for this choice to hold */
  double *divisor_sizes; /* in a generic configuration */
} PfKinematics;
PF_API PfStatus pf_kinematics_find(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                   PfKinematics *kinematics);

/* The pseudo-velocities of 'maggi' and 'laconic' as pf_derive writes them: constraints that hold by themselves are left
 * out. */
PF_API PfStatus pf_derived_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                      PfKinematics *kinematics);

/* G omega' = g. */
typedef struct PfReducedForm {
  PfExpr *G, *g;
} PfReducedForm;

/* By Maggi: G = N^T M N, g = N^T (F + C - M drift). */
PF_API PfStatus pf_reduce_maggi(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                const PfKinematics *kinematics, PfReducedForm *form);

/* By Tatarinov's laconic equations (Zobova 2011, eq. (2.3), for linear homogeneous constraints (2.4)):
 *   d/dt dL star/domega_a + {P_a, L star} = {P_a, p_i v_i} + Q_i dv_i/domega_a,   P_a = p_i dv_i/domega_a. */
PF_API PfStatus pf_reduce_laconic(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                  const PfKinematics *kinematics, PfReducedForm *form);

/* By Gibbs and Appell: dS/domega'_a = Q_a with the energy of accelerations S(omega', omega, q, t). */
PF_API PfStatus pf_reduce_gibbs_appell(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                       const PfKinematics *kinematics, PfReducedForm *form);

/* By Kane: F_a + F*_a = 0, forces and inertia forces along partial velocities. */
PF_API PfStatus pf_reduce_kane(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                               const PfKinematics *kinematics, PfReducedForm *form);

/* By Boltzmann and Hamel: all velocities by as many quasi-velocities, of which constraints make the last ones zero;
 * only then, after the kinetic energy was differentiated. */
PF_API PfStatus pf_reduce_boltzmann_hamel(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                          const PfKinematics *kinematics, PfReducedForm *form);

/* The name of a form where it has another one too: 'lagrange' is 'multipliers'. */
PF_API const char *pf_form_name(const char *name);

/* The forms of pf_derive_form, each with a summary; NULL past the last. */
PF_API const char *pf_derived_form(int index, const char **summary);

typedef struct PfDeriveOptions {
  const char *form;        /* one of pf_derived_form */
  const char *independent; /* forms that choose coordinates: those that are independent, with commas; NULL: chosen */
  bool steps;              /* the way to the equations too */
  bool matrices;           /* the equations between matrices too: the Rosenberg forms, udwadia_kalaba, maggi, laconic */
  bool solved;             /* rosenberg_extended, udwadia_kalaba: no acceleration on a right side */
} PfDeriveOptions;

/* Velocities of coordinates as pseudo-velocities, for Voronets' and for Chaplygin's equations. Both fail with
 * PF_ERR_MODEL where these do not hold: for constraints that are not linear in the velocities and for angular
 * velocities; Chaplygin's also where dependent coordinates occur in energies, forces or constraints, or where the
 * constraints are not homogeneous or change with time. */
PF_API PfStatus pf_kinematics_voronets(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                       const PfDeriveOptions *options, PfKinematics *kinematics);
PF_API PfStatus pf_kinematics_chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                        const PfDeriveOptions *options, PfKinematics *kinematics);

/* The equations for these; hamel_wrong is Voronets' without the terms that the constraints bring, and wrong. */
PF_API PfStatus pf_reduce_voronets(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                   const PfKinematics *kinematics, PfReducedForm *form);
PF_API PfStatus pf_reduce_chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                    const PfKinematics *kinematics, PfReducedForm *form);
PF_API PfStatus pf_reduce_hamel_wrong(PfContext *ctx, PfArena *arena, const PfEquations *equations,
                                      const PfKinematics *kinematics, PfReducedForm *form);

/* The equations in a form. Fails with PF_ERR_ARGUMENT for another name, or names that are no such coordinates, with
 * PF_ERR_MODEL when the form does not exist for the model. Lives in `arena`. */
PF_API PfStatus pf_derive(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfDeriveOptions *options,
                          PfDerivation *derivation);

/* The same with nothing but a form. */
PF_API PfStatus pf_derive_form(PfContext *ctx, PfArena *arena, const PfEquations *equations, const char *form,
                               PfDerivation *derivation);

/* Whether a form for readers is the same equations as Maggi's for its pseudo-velocities (hamilton: as Lagrange's), as
 * functions of the state. */
typedef struct PfFormProof {
  const char *form;
  PfTruth equal;
  const char *why_not; /* the form does not exist for the model; NULL: it does */
} PfFormProof;

/* The reduced forms but Maggi's, and hamilton, by evaluation in prime fields; hamel_wrong may be different. Lives in
 * `arena`. */
PF_API PfStatus pf_forms_prove(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfFormProof **rows,
                               int *count);

/* The rate of an abbreviation, by the rates of what it contains. */
PF_API PfStatus pf_derivation_rate(PfContext *ctx, PfArena *arena, const PfDerivation *derivation, int part,
                                   PfExpr *rate);

/* Writes abbreviations out, and their rates by velocities, accelerations and rates of pseudo-velocities. */
PF_API PfStatus pf_derivation_expand(PfContext *ctx, PfArena *arena, const PfDerivation *derivation, PfExpr *list,
                                     int count);

#ifdef __cplusplus
}
#endif
#endif
