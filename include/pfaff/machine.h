/* SPDX-License-Identifier: Apache-2.0 */
/* A machine: a model that was read from its text, once. It does not change any more, so any number of threads may use
 * it at the same time. Work is done in workspaces, one for each thread or task:
 *
 *   PfContext *ctx = pf_context_new(NULL);
 *   PfMachine *machine;
 *   if (pf_machine_open(ctx, "snakeboard.pf", &machine) != PF_OK) …              pf_context_message(ctx)
 *   PfWorkspace work;
 *   if (pf_workspace_open(machine, PF_FORMULAS, NULL, NULL, &work) != PF_OK) …   pf_context_message(work.ctx)
 *   …                                                                            work.model, work.equations
 *   pf_workspace_close(&work);
 *   pf_machine_release(machine);
 *
 * Equations are derived when a workspace first needs them, and kept. Opening a workspace then copies the table of
 * expressions and nothing else. The same work in two workspaces of one machine gives the same results bit by bit,
 * whatever was done in others.
 *
 * One thread derives; others that need the same equations wait for it, and each of them can be cancelled meanwhile.
 * When the derivation fails or is cancelled, the next waiting thread derives. */
#ifndef PFAFF_MACHINE_H
#define PFAFF_MACHINE_H

#include "pfaff/lang.h"
#include "pfaff/mech.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfMachine PfMachine;

/* Reads a model file ("-": standard input), or a text with a name for diagnostics. On success the context belongs to
 * the machine; warnings in it are also those of each workspace. On failure it belongs to the caller, with the
 * errors. */
PF_API PfStatus pf_machine_open(PfContext *ctx, const char *path, PfMachine **machine);
PF_API PfStatus pf_machine_read(PfContext *ctx, const char *file, const char *bytes, size_t count,
                                PfMachine **machine);

/* A machine is freed when it was released as often as it was opened and retained. Workspaces retain theirs. */
PF_API PfMachine *pf_machine_retain(PfMachine *machine);
PF_API void pf_machine_release(PfMachine *machine); /* NULL is allowed */

/* The model as it was read, and the diagnostics of its reading. */
PF_API const PfModel *pf_machine_model(const PfMachine *machine);
PF_API const PfContext *pf_machine_context(const PfMachine *machine);

/* The equations that a workspace has. */
typedef enum PfWritten {
  PF_NO_EQUATIONS,
  /* to move: those of pf_equations_derive_matrix_free, and of the complete model, if events change the structure */
  PF_MATRIX_FREE,
  PF_FORMULAS /* those of pf_equations_derive */
} PfWritten;

/* A private copy of a machine for one thread: a context in which expressions are built, the model, whose starts and
 * parameters may be changed, and its equations. */
typedef struct PfWorkspace {
  PfMachine *machine;
  PfContext *ctx;
  PfArena *arena; /* for results that live as long as the workspace */
  PfModel *model;
  PfEquations equations;
  PfEquations complete; /* of model->complete, with PF_MATRIX_FREE, when events change the structure; else n = 0 */
  const struct PfPrepared *prepared; /* more that the machine keeps (pfaff/sim_parts.h); NULL: nothing */
  double seconds;       /* that reading and deriving took */
} PfWorkspace;

/* Opens a workspace. `cancelled` (or NULL) is polled by long work in it (pf_context_set_cancel), and while equations
 * are derived, by this thread or by one that came first. When that fails, the reasons are in workspace->ctx,
 * which is NULL without memory; close it in any case. */
PF_API PfStatus pf_workspace_open(PfMachine *machine, PfWritten written, bool (*cancelled)(void *user), void *user,
                                  PfWorkspace *workspace);
PF_API void pf_workspace_close(PfWorkspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
