/* SPDX-License-Identifier: Apache-2.0 */
/* Inside mech: the parts of the derivation. */
#ifndef PF_MECH_IMPL_H
#define PF_MECH_IMPL_H

#include "base/base.h"
#include "model/model.h"
#include "pfaff/mech.h"

/* Adds to M, F, kinetic and potential what the bodies contribute (bodies.c). */
PfStatus pf_derive_bodies(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *equations);

/* A, b and the levels of every constraint (constraints.c). */
PfStatus pf_derive_constraints(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *equations);

/* Derivative along the motion with the pseudo-velocities held: q -> v(omega), t -> 1 (kinematics.c). */
PfStatus pf_along_motion(PfContext *ctx, PfArena *scratch, const PfModel *model, const PfKinematics *kinematics,
                         const PfExpr *e, int count, PfExpr *out);

/* sum_j coefficients[j*stride]*unknowns[j] (present.c) */
PfExpr pf_combination(PfContext *ctx, const PfExpr *coefficients, size_t stride, const PfExpr *unknowns, int count);

/* What must not vanish for a form to hold, of what was divided by: without factors that are constant or cannot vanish,
 * and none twice. To the derivation (conditions.c). */
PfStatus pf_conditions_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, const PfExpr *divisors,
                            int count, PfDerivation *derivation);

/* Gives names to shared parts when the equations are long. */
PfStatus pf_abbreviate(PfContext *ctx, PfArena *arena, PfDerivation *derivation);

#endif
