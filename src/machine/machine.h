/* SPDX-License-Identifier: Apache-2.0 */
/* Work that a machine keeps for all its workspaces. */
#ifndef PF_MACHINE_MACHINE_H
#define PF_MACHINE_MACHINE_H

#include "pfaff/machine.h"

/* A preparation: work that many workspaces would do again, done once. `make` does it in a workspace with such equations
 * that the machine keeps, and leaves its result, which is not changed any more; it must follow from the model and the
 * details alone. `free` (of any result but NULL) is called before that workspace is closed. */
typedef struct PfPreparation {
  PfWritten written;
  PfStatus (*make)(PfWorkspace *workspace, const void *details, void **result);
  void (*free)(void *result);
} PfPreparation;

/* What was prepared, for workspace->prepared. */
typedef struct PfPrepared {
  const PfPreparation *by;
  void *result;
  const PfWorkspace *workspace; /* in which it was made */
} PfPrepared;

/* The result that the workspace has by this preparation; NULL: none. */
static inline const void *pf_workspace_prepared(const PfWorkspace *workspace, const PfPreparation *preparation)
{
  const PfPrepared *prepared = workspace->prepared;
  return prepared && prepared->by == preparation ? prepared->result : NULL;
}

/* As pf_workspace_open, but the workspace is a fork of the one in which the preparation was made: handles of its
 * expressions are the same here. It is made for the first workspace that is opened with this preparation and this key,
 * a text that stands for the details, and every such workspace is a fork of it: results do not depend on which ones
 * were there before. All of them are kept as long as the machine, so keys must be of a short list. */
PfStatus pf_workspace_open_prepared(PfMachine *machine, const PfPreparation *preparation, const char *key,
                                    const void *details, bool (*cancelled)(void *user), void *user,
                                    PfWorkspace *workspace);
/* One more workspace with the preparation of another one, which has some. */
PfStatus pf_workspace_open_like(const PfWorkspace *other, bool (*cancelled)(void *user), void *user,
                                PfWorkspace *workspace);

#endif
