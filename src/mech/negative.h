/* SPDX-License-Identifier: Apache-2.0 */
/* Mass matrices that are not positive semidefinite, in words. */
#ifndef PF_MECH_NEGATIVE_H
#define PF_MECH_NEGATIVE_H

#include "pfaff/mech.h"

/* Writes the most negative eigenvalue of M (n x n) and its eigenvector, with the names of the coordinates, as what may
 * follow a sentence about negative energy; nothing when there is none, or no memory. */
void pf_negative_motion(PfContext *ctx, const PfModel *model, const double *M, char *text, size_t room);

#endif
