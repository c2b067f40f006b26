/* SPDX-License-Identifier: Apache-2.0 */
/* The discrete modes of a phase (runtime/pf_modes.h): tapes of its surfaces of switching, accelerations with the modes
 * as inputs, and the factors of rows for the surfaces on which the motion stays. */
#ifndef PF_TIME_MODES_H
#define PF_TIME_MODES_H

#include "num/num.h"
#include "pfaff/form.h"
#include "runtime/pf_modes.h"

typedef struct PfSwitchModes {
  PfModes core;             /* modes, sticking contacts, rows */
  PfContext *ctx;
  const PfSystem *system;   /* of the phase, nothing sticking */
  const PfSymbols *in;
  PfSolver *solver;
  PfSwitch *at;             /* surfaces of the phase */
  int *degree;
  int first;                /* where the modes are among the values */
  PfTape *surfaces;         /* of all surfaces: g, g', g'', sizes, one after the other, into core.g and the next ones */
  double *values;           /* symbols of the system, then accelerations */
  double *work;
  PfMotion motion;
  PfStatus status;          /* of the latest accelerations */
} PfSwitchModes;

/* `values` are those of the system; the modes start from the state in them. The struct must stay where it is. */
PfStatus pf_switch_modes_make(PfContext *ctx, PfArena *arena, const PfSystem *system, const PfSwitch *at, int count,
                              double atol, PfSwitchModes *modes);
void pf_switch_modes_release(PfSwitchModes *modes);

/* Time, state, parameters and inputs from the numbers of the system or of one with further multipliers. */
void pf_switch_modes_set(PfSwitchModes *modes, const double *values);

/* pf_modes_decide at the state of pf_switch_modes_set. Fails with PF_ERR_NUMBER when no motion goes on from here. */
PfStatus pf_switch_modes_decide(PfSwitchModes *modes, const bool *met, const bool *released);

/* Does surface k depend on modes of others? */
bool pf_switch_modes_nested(const PfSwitchModes *modes, int k);

/* pf_modes_choose_rows there. */
PfStatus pf_switch_modes_choose_rows(PfSwitchModes *modes);

/* Ratio of the force of row r to dg/dq': the factor of the row. The units of forces and constraints are those of the
 * model; where they would make the row negligible against the constraints, or these against it, the multiplier is the
 * mode in a unit of its own, and the shares are changed accordingly. */
PfStatus pf_switch_modes_factor(PfSwitchModes *modes, PfArena *arena, int r, PfExpr *factor);

#endif
