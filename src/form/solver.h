/* What others inside the library may know of solvers. */
#ifndef PF_FORM_SOLVER_H
#define PF_FORM_SOLVER_H

#include "base/base.h"
#include "pfaff/form.h"

/* The numbers that a solver may remember from one state to the next, for snapshots. */
const PfKept *pf_solver_kept(const PfSolver *solver);

#endif
