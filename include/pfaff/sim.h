/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation by name: a model opened, started, moved, looked at.
 *
 *   PfError error;
 *   PfSim *sim = pf_sim_open("snakeboard.pf", &error);
 *   if (!sim) …                                    error.message says why
 *   int theta = pf_sim_find(sim, "theta");
 *   pf_sim_set(sim, "F", 2);
 *   if (!pf_sim_start(sim)) …                      pf_sim_error(sim)->message
 *   while (pf_sim_time(sim) < 10 && pf_sim_advance(sim, pf_sim_time(sim) + 0.01))
 *     printf("%g %g\n", pf_sim_time(sim), pf_sim_get(sim, theta));
 *   pf_sim_close(sim);
 *
 * All numbers are in SI units (angles in radians), also where a quantity is asked for with a unit, as "theta [deg]";
 * pf_sim_measure tells that unit, or the one in which it was declared.
 * Functions that return bool return false on failure, and pf_sim_error says what is wrong. A simulation serves one
 * thread at a time; two simulations are independent. What is started moves without allocating, until an event or
 * something that sticks changes the equations. Names are looked up once by
 * pf_sim_find; reading by handle then costs little. Its equations, and samples between steps, are in
 * pfaff/sim_parts.h. */
#ifndef PFAFF_SIM_H
#define PFAFF_SIM_H

#include "pfaff/codegen.h"
#include "pfaff/machine.h"
#include "pfaff/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfSim PfSim;

/* What is wrong, in words. The texts are copies: they live as long as the struct. */
typedef struct PfError {
  PfStatus status;  /* PF_OK: nothing */
  char message[512];
  char hint[256];   /* how to mend it, or "" */
  char file[256];   /* where, or "" */
  int line, column; /* from 1; 0: not known */
  char setting[40]; /* the setting that it is about, as "rtol", or "" */
} PfError;

/* ---------------------------------------------------------------- opening */

/* Reads the model and derives its equations. NULL on failure; `error` (or NULL) gets the reason. */
PF_API PfSim *pf_sim_open(const char *path, PfError *error);
/* The same from text. */
PF_API PfSim *pf_sim_open_text(const char *text, PfError *error);
/* A simulation of a machine that was opened before; it retains it. `cancelled` (or NULL) is polled during long work,
 * see pf_context_set_cancel. */
PF_API PfSim *pf_sim_of_machine(PfMachine *machine, bool (*cancelled)(void *user), void *user, PfError *error);
/* Another simulation of the same machine in the same state, for another thread. Handles are the same in both, and so is
 * what was set for the next start. Both have the same controller with the same `user`: where the controller
 * writes to it, give the clone one of its own (pf_sim_control). Not for simulations of a model that was read before
 * (pfaff/sim_parts.h). */
PF_API PfSim *pf_sim_clone(PfSim *sim, PfError *error);
PF_API void pf_sim_close(PfSim *sim); /* NULL is allowed */

/* The latest failure; status PF_OK when there was none. */
PF_API const PfError *pf_sim_error(const PfSim *sim);

/* ---------------------------------------------------------------- before the start */

/* A parameter, the start of a coordinate (x), a velocity (x'), a speed, a quasi-velocity (hub.wz), the time at the
 * start (t), or an input without a function of time. Inputs may also be set while it moves, from then on. */
PF_API bool pf_sim_set(PfSim *sim, const char *name, double value);
/* The same by a constant of the language, with its unit: "5 [g]", "pi/6", "10 [deg]"; a bare number is in the declared
 * unit. */
PF_API bool pf_sim_set_text(PfSim *sim, const char *name, const char *value);

/* How it moves: what the model says after 'run', changed by the caller (pf_run_options). What samples and the end of a
 * run concern is not looked at. Takes effect at the start, or at once when it moves: then the method begins anew where
 * the motion is. On failure everything goes on as before; events cannot be left out or brought in on the way. What is
 * set once the motion is over waits for the next start. The names are copied. */
PF_API PfRunOptions pf_sim_options(const PfSim *sim);
PF_API bool pf_sim_set_options(PfSim *sim, const PfRunOptions *options);
/* Method and formulation by name; NULL leaves one as it is. */
PF_API bool pf_sim_set_method(PfSim *sim, const char *method, const char *formulation);

/* Whether what runs long is compiled (pfaff/codegen.h); PF_NATIVE_OFF at first. False when PF_NATIVE_ON is asked for
 * and there is no compiler. */
PF_API bool pf_sim_set_native(PfSim *sim, PfNative mode);

/* Makes the start consistent with the constraints, and gets ready to move. May be called again, to start anew. Whether
 * the state has accelerations is told by the first move, or by reading them. */
PF_API bool pf_sim_start(PfSim *sim);
/* What was changed to make the start consistent. */
PF_API const PfStart *pf_sim_changes(const PfSim *sim);

/* ---------------------------------------------------------------- moving */

/* To the time t, exactly. False when it ends earlier: pf_sim_result says why, and pf_sim_error in words, as often as it
 * is asked; a stop by the condition of the model is no error. Events happen on the way. */
PF_API bool pf_sim_advance(PfSim *sim, double t);
/* One step as long as the method likes, up to an event, or the event itself. False when the motion is over, or the end
 * of the run of the model is reached. */
PF_API bool pf_sim_step(PfSim *sim);

/* A digital controller: called at the start and every `period` seconds after it; it reads what it likes and sets
 * inputs, which hold until it is called again. Events of the same instant come before it. Where pf_sim_advance ends at
 * its instant it is called when the motion goes on. A period of 0 takes it away. */
typedef void PfController(void *user, PfSim *sim);
PF_API bool pf_sim_control(PfSim *sim, double period, PfController *controller, void *user);
/* Calls it where the motion stands, if its instant has come: what is read then holds from there on. It is not called
 * again when the motion goes on. */
PF_API bool pf_sim_control_now(PfSim *sim);

/* Where the motion stands; while a sample is looked at, its time. */
PF_API double pf_sim_time(const PfSim *sim);
/* Steps, violations, balance of energy so far, and why the motion is over. */
PF_API PfRunResult pf_sim_result(const PfSim *sim);

/* ---------------------------------------------------------------- reading */

/* A handle for a quantity: anything that 'plot' takes, as "theta", "x'", "x''", "lambda[rear]", "nu[1]", "kinetic",
 * "pos(wheel)", "L*theta'^2", a 'let'; an input; "matrix M", "matrix F", "matrix A", "matrix b"; "pose BODY" (position,
 * then the rotation matrix by rows). -1 when there is none. While something sticks, its sign() in "matrix F" and in
 * formulas is the number between -1 and 1 that holds it. */
PF_API int pf_sim_find(PfSim *sim, const char *quantity);
/* How many numbers it has; 1 for most. */
PF_API int pf_sim_size(const PfSim *sim, int handle);
/* The first of them; NaN when it has no value, and pf_sim_error says why. After an input was set all are of the new
 * one. */
PF_API double pf_sim_get(PfSim *sim, int handle);
/* All of them. False when the state has no accelerations and they are needed. */
PF_API bool pf_sim_read(PfSim *sim, int handle, double *numbers);
/* The unit of the first of them, or of number `part`: forces and moments of a wrench have different ones. */
PF_API PfMeasure pf_sim_measure(const PfSim *sim, int handle);
PF_API PfMeasure pf_sim_part_measure(const PfSim *sim, int handle, int part);
/* An input by its handle. */
PF_API bool pf_sim_put(PfSim *sim, int handle, double value);

/* Events that have happened, in their order; NULL past the last. */
PF_API const PfEventRecord *pf_sim_event(const PfSim *sim, int index);

/* ---------------------------------------------------------------- snapshots */

/* The state of a motion, with all that its method remembers, as bytes: what goes on from it goes on bit for bit as if
 * nothing had been, with the parameters and inputs that it had. For the same model, method and formulation only. (The
 * methods of SUNDIALS keep their memory to themselves: they begin anew where they are saved, in the simulation that
 * goes on as in the one that is restored.) One that is refused leaves the simulation as it was. */
PF_API size_t pf_sim_snapshot_size(const PfSim *sim);
PF_API bool pf_sim_save(PfSim *sim, void *bytes, size_t size);
PF_API bool pf_sim_restore(PfSim *sim, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
