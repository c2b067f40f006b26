/* SPDX-License-Identifier: Apache-2.0 */
/* Inside study: the parts of the search for conserved quantities. */
#ifndef PF_STUDY_INVARIANTS_H
#define PF_STUDY_INVARIANTS_H

#include "pfaff/integrals.h"
#include "study/flow.h"

/* Functions of which combinations with constant coefficients are tried (candidates.c). */
typedef struct PfCandidates {
  int count, room;
  PfExpr *at;
  const char **name; /* in words, where there is one; else NULL */
} PfCandidates;

/* Momenta of the coordinates, momenta along the pseudo-velocities, momentum and angular momentum of all bodies,
 * velocities, angular velocities; each times 1, sines, cosines,
 * coordinates that occur in the equations, and products of two sines or cosines, as long as there is room. */
PfStatus pf_candidates_linear(const PfFlow *flow, int most, PfCandidates *candidates);
/* Products of two momenta or velocities, the energies, and the terms of the potential (less the work of forces). */
PfStatus pf_candidates_quadratic(const PfFlow *flow, PfExpr potential, int most, PfCandidates *candidates);
/* Products of two velocities times functions of position, and these functions. */
PfStatus pf_candidates_mixed(const PfFlow *flow, int most, PfCandidates *candidates);
/* Functions times monomials of the parameters that are marked, up to the fourth degree. */
PfStatus pf_candidates_by_parameters(const PfFlow *flow, const PfExpr *functions, int count, const bool *parameters,
                                     int most, PfCandidates *candidates);

/* Is the rate of a function zero by the normal form? Through the equations of Maggi, for up to three
 * pseudo-velocities (invariants_proof.c). */
PfStatus pf_invariant_prove(const PfFlow *flow, const double *parameters, const PfInvariant *invariant, PfTruth *truth);

#endif
