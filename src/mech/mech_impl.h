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

#endif
