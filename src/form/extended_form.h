/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the formulation 'multipliers' along chains (extended_form.c). */
#ifndef PF_FORM_EXTENDED_FORM_H
#define PF_FORM_EXTENDED_FORM_H

#include "form/form_impl.h"

/* Makes solver->extended_form, when that costs less than what the solver has: after pf_sparse_form_make. */
PfStatus pf_extended_form_make(PfSolver *solver);
/* By the counts of choose.h; negative when it is not used. */
double pf_extended_form_cost(const PfSolver *solver);

/* As the members of PfFormulation; an answer is refused without solver->extended_form. */
bool pf_extended_form_answer(PfSolver *solver, PfMotion *motion);
/* Was the latest answer its own? */
bool pf_extended_form_has_answered(const PfSolver *solver);
void pf_extended_form_force(const PfSolver *solver, PfMotion *motion);

/* The equations in names for sums, with their tapes: they belong to the system (shared.c). NULL: nothing to lift. */
typedef struct PfLifting PfLifting;
PfStatus pf_shared_lifting(PfShared *shared, PfLifting **lifting);
PfStatus pf_lifting_make(const PfSystem *system, PfArena *arena, PfLifting **lifting);
/* The same with views of the tapes (pf_tape_view), for another workspace; `from` must outlive it. */
PfStatus pf_lifting_view(PfContext *ctx, PfArena *arena, const PfLifting *from, PfLifting **lifting);
void pf_lifting_free(PfLifting *lifting);

#endif
