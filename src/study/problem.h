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
  bool *turns;           /* size: an angle after whose full turn x' of all that is not cyclic is the same */
  int parameter;         /* that may change, or -1 */
  PfTape *chain;         /* what moves with it */
  double mu;
  double *x, *base, *rate, *A, *noise, *s, *work, *slope;
} PfProblem;

/* Is the component of x a coordinate that is measured as an angle? */
bool pf_problem_is_angle(const PfProblem *problem, int component);
/* d, a difference of the component, without full turns. */
double pf_problem_turned(const PfProblem *problem, int component, double d);

/* "equilibria" or "steady motions", for messages. */
const char *pf_problem_sought(PfSteadyKind kind);

/* At the place of the field, which chooses its chart anew so that as many coordinates as possible are cyclic. */
PfStatus pf_problem_make(PfContext *ctx, PfArena *arena, PfDynamics *field, PfSteadyKind kind, int parameter,
                         PfProblem *problem);
void pf_problem_release(PfProblem *problem);

/* Goes to z (unknowns) and mu (NaN: stays); r (equations) gets the residual unless NULL. */
PfStatus pf_problem_go(PfProblem *problem, const double *z, double mu, double *r);
/* J (equations x unknowns) and, unless NULL, d r/d mu where the problem is. */
PfStatus pf_problem_slope(PfProblem *problem, double *J, double *J_mu);
/* J with zeros in the place of elements that are nothing but rounding. */
PfStatus pf_problem_clean_slope(PfProblem *problem, double *J);
/* Derivative of x' by all components that are not cyclic, count x count, without what is nothing but rounding; the
 * rounding of each element goes to `noise` unless NULL; `count` of them. */
PfStatus pf_problem_matrix(PfProblem *problem, double *matrix, double *noise, int *count);

#endif
