/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the formulation 'multipliers' along chains (lifted.c). */
#ifndef PF_FORM_LIFTED_H
#define PF_FORM_LIFTED_H

#include "form/form_impl.h"

/* Makes solver->lifted, when that costs less than what the solver has: after pf_sparse_form_make. */
PfStatus pf_lifted_form_make(PfSolver *solver);
/* By the counts of choose.h; negative when it is not used. */
double pf_lifted_form_cost(const PfSolver *solver);
void pf_lifted_form_release(PfSolver *solver);

/* As the members of PfFormulation; an answer is refused without solver->lifted. */
bool pf_lifted_form_answer(PfSolver *solver, PfMotion *motion);
/* Was the latest answer its own? */
bool pf_lifted_form_has_answered(const PfSolver *solver);
void pf_lifted_form_force(const PfSolver *solver, PfMotion *motion);

/* The equations in names for sums, with their tapes: they belong to the system (shared.c). */
typedef struct PfLifting PfLifting;
PfStatus pf_shared_lifting(const PfSystem *system, PfLifting **lifting);
PfStatus pf_lifting_make(const PfSystem *system, PfArena *arena, PfLifting **lifting);
void pf_lifting_free(PfLifting *lifting);

#endif
