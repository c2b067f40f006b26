/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation from inside: for front ends that read the model themselves, look at the start alone, write tables with
 * samples at given times, or study its equations. Whoever only wants to see a model move needs pfaff/sim.h alone. */
#ifndef PFAFF_SIM_PARTS_H
#define PFAFF_SIM_PARTS_H

#include "pfaff/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A workspace of a machine in which the model is to move: with PF_MATRIX_FREE, and with the systems and tapes that the
 * machine has made once, at the first call, for all such workspaces. By a method or formulation that needs more than
 * the recursion, this includes its formulas, once for each of them; NULL: as the model says. After another
 * choice the formulas are written out in the workspace. Fails as pf_workspace_open does. */
PF_API PfStatus pf_workspace_open_to_move(PfMachine *machine, const char *method, const char *formulation,
                                          bool (*cancelled)(void *user), void *user, PfWorkspace *workspace);
/* As pf_sim_of_machine and pf_sim_set_method, in such a workspace: for many simulations by a method that needs
 * formulas. */
PF_API PfSim *pf_sim_of_machine_by(PfMachine *machine, const char *method, const char *formulation,
                                   bool (*cancelled)(void *user), void *user, PfError *error);
/* A simulation in a workspace with equations, which must outlive it. */
PF_API PfSim *pf_sim_of_workspace(const PfWorkspace *workspace, PfError *error);
/* Of a model that was read before, with its equations; both must outlive the simulation, as must the context. */
PF_API PfSim *pf_sim_of_model(PfContext *ctx, PfModel *model, const PfEquations *equations, PfError *error);

/* As pf_sim_open_text and pf_sim_clone, asking meanwhile and later whether to stop (pf_context_set_cancel): deriving
 * the equations of a large model takes seconds. */
PF_API PfSim *pf_sim_open_asking(const char *text, bool (*cancelled)(void *user), void *user, PfError *error);
PF_API PfSim *pf_sim_clone_asking(PfSim *sim, bool (*cancelled)(void *user), void *user, PfError *error);

/* ---------------------------------------------------------------- the start */

/* Starts from what is given, also off the constraints, instead of making it consistent. Then nothing is projected, and
 * methods that solve the constraints in every step are refused. */
PF_API void pf_sim_set_as_given(PfSim *sim, bool as_given);

/* Makes the start consistent with the constraints, without getting ready to move: for those who look at the start
 * only. */
PF_API bool pf_sim_place(PfSim *sim);
/* Whether inertia has the right sign where it is placed; the start of a motion asks this, too. */
PF_API bool pf_sim_check_mass(PfSim *sim);

/* ---------------------------------------------------------------- handles */

/* Gives back the room of the handle that was found last, which is none any more; others stay. For those who read ever
 * new quantities once. */
PF_API void pf_sim_drop(PfSim *sim, int handle);

/* ---------------------------------------------------------------- samples */

/* Samples at given times, whatever the steps: after the start and after every step, pf_sim_next_sample turns to the
 * next one that lies in it, until it returns false. */
typedef struct PfSampling PfSampling;
PF_API PfSampling *pf_sampling_new(PfSim *sim, double every, const double *at, int at_count);
PF_API void pf_sampling_free(PfSampling *sampling);
PF_API bool pf_sim_next_sample(PfSim *sim, PfSampling *sampling);
/* Turns to any other instant of the latest step, until the next move. False when the motion has no accelerations
 * there. */
PF_API bool pf_sim_interpolate(PfSim *sim, double t);
/* The same for what the state alone tells: without accelerations the sample has NaN for them and for multipliers. */
PF_API bool pf_sim_interpolate_state(PfSim *sim, double t);
/* The motion where it stands, or the sample that is looked at; NULL when it has no accelerations there. Valid until it
 * moves. */
PF_API const PfSample *pf_sim_sample(PfSim *sim);

/* ---------------------------------------------------------------- model and equations */

PF_API PfContext *pf_sim_context(const PfSim *sim);
PF_API PfModel *pf_sim_model(const PfSim *sim);
PF_API const PfEquations *pf_sim_equations(const PfSim *sim);
/* Of the model as it is at the start, and the numbers of its symbols there once it is placed. Coordinates and
 * velocities may be changed before the start, to others that satisfy the constraints. */
PF_API const PfSystem *pf_sim_system(const PfSim *sim);
PF_API double *pf_sim_values(const PfSim *sim);
/* The same of the complete model, which has everything that events detach and attach: it gives the order of states and
 * samples. */
PF_API PfModel *pf_sim_complete(const PfSim *sim);
PF_API const PfSystem *pf_sim_complete_system(const PfSim *sim);
PF_API const double *pf_sim_complete_values(const PfSim *sim);

#ifdef __cplusplus
}
#endif
#endif
