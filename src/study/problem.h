/* SPDX-License-Identifier: Apache-2.0 */
/* Steady motions as the zeros of the vector field: which components of x matter, which may run on (cyclic ones), and
 * the residual with its exact derivatives. */
#ifndef PF_STUDY_PROBLEM_H
#define PF_STUDY_PROBLEM_H

#include "study/dynamics.h"

typedef struct PfProblem {
  PfContext *ctx;
  PfArena *arena;
  PfDynamics *field;
  PfSteadyKind kind;
  int size;              /* of x */
  int unknowns, equations;
  int *unknown, *equation; /* components of x, of x' */
  bool *cyclic;          /* size: cyclic components: x' of the others does not depend on them */
  bool *held;            /* n: cyclic coordinates */
  bool bound;            /* they are cyclic by the independent velocities that were chosen, with others perhaps not */
  bool *flows;           /* n: coordinates that move by themselves when all independent velocities are zero */
  bool flowing;          /* there are such coordinates */
  bool *turns;           /* n: angles after whose full turn x' of all that is not cyclic is the same */
  double *home;          /* all numbers of the field where the problem was made */
  int parameter;         /* that may change, or -1 */
  PfTape *chain;         /* quantities that move with it */
  double mu;
  double *x, *base, *rate, *A, *noise, *s, *work, *slope;
} PfProblem;

/* d, a difference of the component, without full turns. */
double pf_problem_turned(const PfProblem *problem, int component, double d);
/* The same for a coordinate of the model. */
double pf_problem_turned_coordinate(const PfProblem *problem, int coordinate, double d);
/* Is the coordinate measured as an angle? */
bool pf_coordinate_is_angle(const PfModel *model, int coordinate);

/* "equilibria" or "steady motions", for messages. */
const char *pf_problem_sought(PfSteadyKind kind);

/* At the place of the field, which chooses its chart anew so that as many coordinates as possible are cyclic. */
PfStatus pf_problem_make(PfContext *ctx, PfArena *arena, PfDynamics *field, PfSteadyKind kind, int parameter,
                         PfProblem *problem);
/* Frees the tape of the problem; all else is in its arena. The field forgets which coordinates were held. */
void pf_problem_release(PfProblem *problem);
/* Chooses the independent coordinates and velocities anew where the field is, so that unknowns and equations are
 * others; not where it is bound to its velocities.
 * Fails with PF_ERR_NUMBER where the constraints lose rank. */
PfStatus pf_problem_rechart(PfProblem *problem);
/* Back to a chart that was kept. */
void pf_problem_use_chart(PfProblem *problem, const PfChartChoice *chart);
/* The unknowns where the field is. */
void pf_problem_get(const PfProblem *problem, double *z);

/* Goes to z (unknowns) and mu (NaN: stays); r (equations) gets the residual unless NULL. */
PfStatus pf_problem_go(PfProblem *problem, const double *z, double mu, double *r);
/* J (equations x unknowns) and, unless NULL, d r/d mu where the problem is. */
PfStatus pf_problem_slope(PfProblem *problem, double *J, double *J_mu);
/* Possible change of r by rounding. */
PfStatus pf_problem_rounding(PfProblem *problem, double *noise);
/* J with zeros in the place of elements that are nothing but rounding. */
PfStatus pf_problem_clean_slope(PfProblem *problem, double *J);
/* Derivative of x' by all components that are not cyclic, count x count, without elements that are nothing but
 * rounding; the rounding of each element goes to `noise` unless NULL; `count` of them. */
PfStatus pf_problem_matrix(PfProblem *problem, double *matrix, double *noise, int *count);

#endif
