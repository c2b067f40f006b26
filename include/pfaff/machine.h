/* SPDX-License-Identifier: Apache-2.0 */
/* A machine: a model read from its text once, with its equations. It does not change after it was opened, so any number
 * of threads may use it at the same time. Work is done in workspaces, one for each thread or task:
 *
 *   PfContext *ctx = pf_context_new(NULL);
 *   PfMachine *machine;
 *   if (pf_machine_open(ctx, "snakeboard.pf", PF_MACHINE_FORMULAS, &machine) != PF_OK) …  pf_context_message(ctx)
 *   PfWorkspace work;
 *   if (pf_workspace_open(machine, &work) == PF_OK) …                     work.ctx, work.model, work.equations
 *   pf_workspace_close(&work);
 *   pf_machine_release(machine);
 *
 * Opening a workspace copies the table of expressions and reads and derives nothing. Workspaces of one machine in which
 * the same is done give the same results bit by bit. */
#ifndef PFAFF_MACHINE_H
#define PFAFF_MACHINE_H

#include "pfaff/lang.h"
#include "pfaff/mech.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PfMachine PfMachine;

/* Which equations a machine has. */
typedef enum PfMachineKind {
  PF_MACHINE_FORMULAS, /* those of pf_equations_derive */
  PF_MACHINE_TO_MOVE   /* those of pf_equations_outline; and of the complete model, if events change the structure */
} PfMachineKind;

/* Opens a model file ("-": standard input), or a text with a name for diagnostics. On success the context belongs to
 * the machine; warnings in it are also those of each workspace. On failure it belongs to the caller, with the errors. */
PF_API PfStatus pf_machine_open(PfContext *ctx, const char *path, PfMachineKind kind, PfMachine **machine);
PF_API PfStatus pf_machine_read(PfContext *ctx, const char *file, const char *bytes, size_t count, PfMachineKind kind,
                                PfMachine **machine);

/* A machine is freed when it was released as often as it was opened and retained. Workspaces retain theirs. */
PF_API PfMachine *pf_machine_retain(PfMachine *machine);
PF_API void pf_machine_release(PfMachine *machine); /* NULL is allowed */

/* The model as it was read. */
PF_API const PfModel *pf_machine_model(const PfMachine *machine);

/* A private copy of a machine for one thread: a context in which expressions are built, the model, whose starts and
 * parameters may be changed, and its equations. */
typedef struct PfWorkspace {
  PfMachine *machine;
  PfContext *ctx;
  PfArena *arena; /* for results that live as long as the workspace */
  PfModel *model;
  PfEquations equations;
  PfEquations complete; /* of model->complete, where the machine has them; else n = 0 */
  double seconds;       /* that reading and deriving took */
} PfWorkspace;

/* Fails with PF_ERR_MEMORY, and nothing is open then. */
PF_API PfStatus pf_workspace_open(PfMachine *machine, PfWorkspace *workspace);
PF_API void pf_workspace_close(PfWorkspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
