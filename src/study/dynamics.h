/* SPDX-License-Identifier: Apache-2.0 */
/* The constrained system as a vector field x' = f(x) of least size, with exact derivatives of any order.
 *
 *   x = (y, w):  y independent coordinates (not fixed by holonomic constraints), w independent velocities, or the
 *                speeds of the model
 *
 * Which coordinates and velocities are independent is decided by numbers where the field is used (a chart), never by
 * pivoting on expressions. All quantities Z = (q, w, a, lambda) satisfy F(Z) = 0: constraints at position and velocity
 * level, equations of motion. Along x + e d they are functions of e, and their derivatives follow from those of F one
 * after the other:
 *
 *   F_Z Z_1 = 0,   F_Z Z_12 + F_ZZ[Z_1, Z_2] = 0,   …
 *
 * with the same matrix F_Z for every order. F_ZZ[., .] and so on are tapes made by the expression core. */
#ifndef PF_STUDY_DYNAMICS_H
#define PF_STUDY_DYNAMICS_H

#include "base/base.h"
#include "num/num.h"
#include "pfaff/study.h"

/* Arguments that decide in abs, sign, min, max and conditions. */
typedef struct PfDeciders {
  PfExpr *g;
  double *size; /* count: usual size of each */
  int count;
} PfDeciders;

struct PfNatural; /* a system in units of its own (dynamics_units.c) */

struct PfDynamics {
  PfContext *ctx;
  PfArena *arena;
  const PfSystem *system;
  const PfEquations *eq;
  const PfModel *model;
  PfSolver *solver;
  int n, m;
  int np, nv, nr;  /* rows: constraints at position level, at velocity level, equations of motion */
  int nw, nz, no;  /* velocities (of the coordinates, or speeds); accelerations and multipliers; outputs */
  bool speeds;
  bool follows;    /* an output depends on accelerations or multipliers */
  int count;       /* of all symbols: those of the system, speeds, accelerations */
  int at_parameters, at_inputs, at_q, at_w, at_a, at_lambda;
  PfExpr *symbol, *seed[3];
  PfExpr *roots;   /* F and its consequences: np + nv + nr + n rates + no outputs */
  int root_count, at_psi, at_r, at_rate, at_out; /* where each group begins in roots */
  PfTape *levels, *forces, *first, *second, *third, *outputs;
  int *position_row, *velocity_row; /* constraints of the rows */

  double *full;    /* count: where we are */
  double *given;   /* parameters that were overridden, else NaN */
  const double *phi, *phi_q, *psi, *psi_w, *rate, *N, *drift; /* results of `levels` */
  double *K;       /* nr x nz: derivative of the equations of motion by accelerations and multipliers */
  bool factored;   /* K is that of the present place, and motion_qr its factors */
  double *level_out, *seeds, *derived, *zero, *work;
  size_t work_room;

  int ny, nj;                /* the chart: x has ny + nj components */
  int *y, *y_dependent;      /* independent and dependent coordinates */
  int *w, *w_dependent;      /* and velocities */
  int y_dependents, w_dependents;
  PfQr position_qr, velocity_qr, motion_qr;
  const bool *held;          /* coordinates that shall be independent (n), or NULL */
  PfQr hold_qr;           /* of dependent columns as they are, where units change the factored ones */
  PfAlike level_units[2], motion_units; /* of the factored matrices: positions, velocities; motion */
  long long evaluations;  /* of accelerations and of their derivatives along a direction: cost of a search */
  double hold[2], chosen_hold[2]; /* how firmly the dependent ones are held: now, and where the chart was chosen */
  double *matrix, *right, *step, *weight;
  double *unknown;           /* dependent coordinates or velocities while they are solved for */
  PfMotion motion;
  PfDeciders decides, output_decides; /* of the equations, of the outputs: by pf_dynamics_deciders */

  const PfExpr *output_values; /* no: outputs as they were given */
  struct PfNatural *natural;   /* the same system in units of its own; NULL where SI units do */
  bool in_units;               /* this is such a system */
  const double *unit_q, *unit_w; /* then: units of coordinates, of velocities or speeds, in SI units */
};

/* Where lengths, masses or constraints of a model are far from 1, as 5 mm or rows times 1e9, the field also has the
 * same system in units of its own: there all numbers are of the usual size, and smallness is judged in these units.
 * Measured anew, and placed where the field is. */
PfStatus pf_dynamics_find_units(PfDynamics *field);
/* Frees the system in its own units, where there is one. */
void pf_dynamics_free_natural(PfDynamics *field);
/* pf_dynamics_chart of that system. */
PfStatus pf_dynamics_chart_natural(PfDynamics *field, const bool *avoid);
/* The system by which a study is made, with a chart: that in units of its own, or the field itself. */
PfStatus pf_dynamics_natural(PfDynamics *field, PfDynamics **natural);
/* How large an expression of the state is a unit away from where the field is; 1 unless the field is in units of its
 * own: expressions keep their SI units there. */
double pf_dynamics_typical_size(PfDynamics *field, PfExpr e);
/* The unit of the component k of x, in SI units; 1 unless the field is in units of its own. */
double pf_dynamics_unit_of(const PfDynamics *field, int k);

/* A chart to return to. */
typedef struct PfChartChoice {
  int ny, nj, y_dependents, w_dependents;
  int *y, *y_dependent, *w, *w_dependent;
  double hold[2];
} PfChartChoice;
/* Copies the present choice of independent coordinates and velocities; its lists are in the arena. */
PfStatus pf_dynamics_keep_chart(const PfDynamics *field, PfArena *arena, PfChartChoice *chart);
/* The field must go somewhere before it is used again. */
void pf_dynamics_use_chart(PfDynamics *field, const PfChartChoice *chart);

/* x = (y, w) where the field is: pf_dynamics_size numbers. */
void pf_dynamics_get(const PfDynamics *field, double *x);
/* Goes to x: dependent coordinates and velocities follow from the constraints, accelerations from the equations. Fails
 * with PF_ERR_NUMBER when the chart ends before x. */
PfStatus pf_dynamics_go(PfDynamics *field, const double *x);
/* Moves the coordinates onto the constraints by steps of least weighted length; weight[j] says how freely the
 * coordinate j may move. Fails with PF_ERR_NUMBER. The field must go somewhere before it is used again. */
PfStatus pf_dynamics_project(PfDynamics *field, const double *weight);
/* As pf_dynamics_go where all numbers are given in field->full already and satisfy the constraints. */
PfStatus pf_dynamics_refresh(PfDynamics *field);
/* f where the field is. */
void pf_dynamics_rate(const PfDynamics *field, double *rate);

/* Another value for a parameter, with all that depends on it; the state stays. */
PfStatus pf_dynamics_set_parameter(PfDynamics *field, int parameter, double value);
/* Makes the tape of d(parameters, inputs)/dp: quantities whose values depend on p move with it. It belongs to the
 * caller; its expressions are in the arena of the field. */
PfStatus pf_dynamics_parameter_tape(PfDynamics *field, int parameter, PfTape **tape);
/* Sets s (count numbers) to the direction of p by that tape, for pf_dynamics_complete. `slope` has room for all
 * parameters and inputs, `work` for the tape. */
void pf_dynamics_seed_parameter(const PfDynamics *field, const PfTape *tape, double *slope, double *work, double *s);

/* K and its factors where the field is, unless they are there already: only derivatives need them. */
PfStatus pf_dynamics_factor(PfDynamics *field);

/* Completes a direction: `s` (count numbers, those of x and of parameters and inputs given) gets those of all other
 * quantities. `constant` (root_count, or NULL) is the contribution of derivatives of lower order to F. `out`
 * (root_count) gets the derivatives of F and of its consequences. Fails with PF_ERR_NUMBER where those of the equations
 * are not finite; those of outputs may be so. */
PfStatus pf_dynamics_complete(PfDynamics *field, double *s, const double *constant, double *out);
/* Sets s to the direction of component k of x, nothing else. */
void pf_dynamics_unit(const PfDynamics *field, int k, double *s);
/* Sets s to the direction d of x. */
void pf_dynamics_direction(const PfDynamics *field, const double *d, double *s);
/* Derivative of x' from a completed direction. */
void pf_dynamics_rate_of(const PfDynamics *field, const double *s, const double *out, double *df);

/* A (size x size, row-major): derivative of f where the field is. C (no x size, or NULL) that of the outputs. */
PfStatus pf_dynamics_jacobian(PfDynamics *field, double *A, double *C);
/* The same by these components of x only: A is size x count, C no x count. Fastest in ascending order. */
PfStatus pf_dynamics_slopes(PfDynamics *field, const int *components, int count, double *A, double *C);

/* Possible change by rounding where the field is, in proportion to the terms of each result before they cancel: in the
 * rates of x (size numbers, or NULL) and in A of pf_dynamics_slopes (size x count, or NULL; components NULL: all). */
PfStatus pf_dynamics_rounding(PfDynamics *field, const int *components, int count, double *rate, double *A);
/* Sets elements of A, the result of pf_dynamics_slopes for these components, to zero that are nothing but rounding;
 * `noise` (as A) gets the rounding of each. */
PfStatus pf_dynamics_clean(PfDynamics *field, const int *components, int count, double *A, double *noise);

/* Second and third derivatives of F along completed directions: F_ZZ[a, b], F_ZZZ[a, b, c]; root_count numbers. */
PfStatus pf_dynamics_second(PfDynamics *field, const double *a, const double *b, double *out);
/* The same of third order; the tape is made at the first call. */
PfStatus pf_dynamics_third(PfDynamics *field, const double *a, const double *b, const double *c, double *out);

/* Fills `decides` and `output_decides`, once. */
PfStatus pf_dynamics_deciders(PfDynamics *field);
/* Marks the symbols in arguments that are zero where the field is: the last digit of their numbers decides. */
PfStatus pf_dynamics_deciding(PfDynamics *field, bool *deciding);
/* An expression that is zero where the field is and makes a kink or a jump in the equations there: x for abs(x) at 0.
 * NULL when all equations have a derivative. The text is in the arena. */
PfStatus pf_dynamics_kink(PfDynamics *field, PfArena *arena, const char **text);
/* Marks the outputs (no) that have a kink or a jump where the field is. */
PfStatus pf_dynamics_bent_outputs(PfDynamics *field, bool *bent);
/* Fails with PF_ERR_NUMBER when there is a kink in the equations. */
PfStatus pf_dynamics_check_smooth(PfDynamics *field);

#endif
