/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the search for steady motions to the continuation. */
#ifndef PF_STUDY_STEADY_H
#define PF_STUDY_STEADY_H

#include "study/problem.h"

/* All solutions of a problem near its base, with options as for pf_steady_find. Results in the arena. */
PfStatus pf_steady_search(PfContext *ctx, PfArena *arena, PfProblem *problem, const PfSteadyOptions *options,
                          PfSteady *steady);

/* Eigenvalues and stability where the problem is, or the kink because of which there are none. `family` eigenvalues 0
 * are expected. */
PfStatus pf_steady_judge(PfProblem *problem, PfArena *arena, int family, PfSteadyPoint *point);

#endif
