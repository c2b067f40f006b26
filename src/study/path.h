/* SPDX-License-Identifier: Apache-2.0 */
/* A motion of a study, by a simulation: from any state, with the places where a function of the state passes zero. */
#ifndef PF_STUDY_PATH_H
#define PF_STUDY_PATH_H

#include "study/dynamics.h"

#include "pfaff/sim_parts.h"

typedef struct PfPath {
  PfSim *sim;
  double (*height)(void *user); /* of the state that the simulation shows */
  void *user;
  double from, to;              /* the latest step; the same where an event is announced or has happened */
  double t, g;                  /* so far it was looked at, and the height there */
  double largest;               /* height so far: negligible heights against it are rounding */
  bool below;                   /* where it was last off the section */
} PfPath;

/* The simulation moves for `span` seconds from its start. */
PfStatus pf_path_prepare(PfSim *sim, double span);
/* Its relative tolerance, for quantities that are integrated along with it. */
double pf_path_rtol(const PfSim *sim);
/* Starts where the field is, or where the simulation is placed when it is NULL. */
PfStatus pf_path_begin(PfPath *path, const PfDynamics *field);
/* The next step, or event. `goes` is false when the motion is over; a motion that cannot be followed further is not a
 * failure. */
PfStatus pf_path_step(PfPath *path, bool *goes);
/* The next instant of the latest step at which the height becomes positive; then the simulation is evaluated there. A
 * jump does not count as a passage, and neither does rounding where the motion rests on the section: it passes when it
 * leaves to the other side. */
bool pf_path_pass(PfPath *path, double *t);
/* Why the motion is over before the end of its time, in `arena`; NULL when it is not. */
const char *pf_path_end(const PfPath *path, PfArena *arena);

/* Do deviations jump along motions of the field, by events or where forces do? */
PfStatus pf_dynamics_may_jump(const PfDynamics *field, bool *may);

#endif
