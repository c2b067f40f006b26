/* SPDX-License-Identifier: Apache-2.0 */
/* The sparse way of the formulation 'multipliers' (sparse.c). */
#ifndef PF_FORM_SPARSE_H
#define PF_FORM_SPARSE_H

#include "form/form_impl.h"
#include "num/sparse.h"

/* The power of the plan, as a function of state and multipliers. */
typedef struct PfPowerTape {
  const PfTape *tape; /* of the system; NULL: none is wanted */
  double *work, *values;
} PfPowerTape;
/* While the solver is made. */
PfStatus pf_power_make(PfSolver *solver, PfPowerTape *power);
double pf_power_at(const PfSolver *solver, const PfPowerTape *power, const double *multiplier);

/* Makes solver->sparse, when the system is large enough and its structure pays. */
PfStatus pf_sparse_form_make(PfSolver *solver);
/* Multiplications of a factorisation by the structure; negative when it is not used. */
double pf_sparse_form_products(const PfSolver *solver);
/* Is the system so large that dense matrices are not kept? */
bool pf_solver_is_bare(const PfSolver *solver);

/* As the members of PfFormulation; an answer is refused without solver->sparse. */
bool pf_sparse_form_answer(PfSolver *solver, PfMotion *motion);
void pf_sparse_form_force(PfSolver *solver, PfMotion *motion);
void pf_sparse_form_lengths(const PfSolver *solver, double *length);
/* Why there was no answer, where there are no matrices to say more. */
PfTrouble pf_sparse_form_trouble(PfSolver *solver, int *row);

#endif
