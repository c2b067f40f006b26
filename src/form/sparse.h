/* SPDX-License-Identifier: Apache-2.0 */
/* What the choice among formulations asks of 'sparse'. */
#ifndef PF_FORM_SPARSE_H
#define PF_FORM_SPARSE_H

#include "form/form_impl.h"
#include "num/sparse.h"

/* Is the system so large that dense matrices are not kept? */
bool pf_sparse_is_bare(const PfSystem *system);
/* Is it cheaper than the same on matrices? */
bool pf_sparse_form_pays(const PfSolver *solver);

#endif
