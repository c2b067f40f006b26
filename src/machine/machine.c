/* SPDX-License-Identifier: Apache-2.0 */
/* Machines, counted by references, and workspaces, which are forks of them.
 *
 * A machine keeps a workspace of its own for each kind of equations that was ever asked for. It is derived in a fork of
 * what was read, so that it does not depend on what else was derived before, and does not change any more: workspaces
 * of others are forks of it. */
#include "pfaff/machine.h"

#include "base/base.h"
#include "base/lock.h"
#include "expr/fork.h"
#include "model/model.h"

#include <stdatomic.h>

enum { KINDS = PF_FORMULAS + 1 };

struct PfMachine {
  atomic_int references;
  PfArena *arena;          /* the machine itself lives in it */
  PfLock lock;             /* of what follows */
  PfWorkspace kept[KINDS]; /* by PfWritten, each without a machine; the first one is what was read */
};

/* ---------------------------------------------------------------- opening */

/* A path, or a text with its name. */
typedef struct Origin {
  const char *name, *bytes; /* NULL: the name is a path */
  size_t count;
} Origin;

static PfStatus open_machine(PfContext *ctx, Origin from, PfMachine **machine)
{
  double start = pf_clock();
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfMachine *m = arena ? pf_arena_array(arena, PfMachine, 1) : NULL;
  PfModel *model = NULL;
  *machine = NULL;
  PfStatus status = !m           ? pf_no_room(ctx, "the model")
                    : from.bytes ? pf_model_read(ctx, from.name, from.bytes, from.count, &model)
                                 : pf_model_load(ctx, from.name, &model);
  if (status != PF_OK) {
    pf_arena_free(arena);
    return status;
  }
  m->arena = arena;
  atomic_init(&m->references, 1);
  pf_lock_init(&m->lock);
  pf_context_set_cancel(ctx, NULL, NULL);
  m->kept[PF_NO_EQUATIONS] = (PfWorkspace){.ctx = ctx, .model = model, .seconds = pf_clock() - start};
  *machine = m;
  return PF_OK;
}

PfStatus pf_machine_open(PfContext *ctx, const char *path, PfMachine **machine)
{
  return open_machine(ctx, (Origin){.name = path}, machine);
}

PfStatus pf_machine_read(PfContext *ctx, const char *file, const char *bytes, size_t count, PfMachine **machine)
{
  return open_machine(ctx, (Origin){file, bytes, count}, machine);
}

/* ---------------------------------------------------------------- references */

static void free_parts(PfWorkspace *w)
{
  pf_model_free(w->model);
  pf_arena_free(w->arena);
  pf_context_free(w->ctx);
}

PfMachine *pf_machine_retain(PfMachine *machine)
{
  atomic_fetch_add(&machine->references, 1);
  return machine;
}

void pf_machine_release(PfMachine *machine)
{
  if (!machine || atomic_fetch_sub(&machine->references, 1) > 1) return;
  for (int i = KINDS; i-- > 0;) free_parts(machine->kept + i); /* forks before what they are forks of */
  pf_lock_free(&machine->lock);
  pf_arena_free(machine->arena);
}

const PfModel *pf_machine_model(const PfMachine *machine)
{
  return machine->kept[PF_NO_EQUATIONS].model;
}

const PfContext *pf_machine_context(const PfMachine *machine)
{
  return machine->kept[PF_NO_EQUATIONS].ctx;
}

/* ---------------------------------------------------------------- workspaces */

/* The same equations for another copy of the model. */
static PfEquations equations_for(const PfEquations *shared, const PfModel *model)
{
  PfEquations own = *shared;
  own.model = model;
  return own;
}

static PfStatus fork_workspace(const PfWorkspace *from, PfWorkspace *to)
{
  to->ctx = pf_context_fork(from->ctx);
  if (!to->ctx) return PF_ERR_MEMORY;
  to->arena = pf_arena_new(pf_context_allocator(to->ctx));
  to->model = to->arena ? pf_model_fork(to->ctx, from->model) : NULL;
  if (!to->model) return pf_no_room(to->ctx, "the model");
  to->equations = equations_for(&from->equations, to->model);
  if (from->complete.n) to->complete = equations_for(&from->complete, to->model->complete);
  to->seconds = from->seconds;
  return PF_OK;
}

static PfStatus derive(PfWorkspace *w, PfWritten written)
{
  double start = pf_clock();
  const PfModel *complete = w->model->complete;
  if (written == PF_FORMULAS) PF_TRY(pf_equations_derive(w->ctx, w->arena, w->model, &w->equations));
  if (written == PF_OUTLINE) PF_TRY(pf_equations_outline(w->ctx, w->arena, w->model, &w->equations));
  if (written == PF_OUTLINE && complete && complete != w->model)
    PF_TRY(pf_equations_derive(w->ctx, w->arena, complete, &w->complete));
  w->seconds += pf_clock() - start;
  return PF_OK;
}

/* Keeps what was derived, for this and all later workspaces. After a failure it becomes the workspace of the caller,
 * who reads the reasons in it. */
static PfStatus make_kept(PfMachine *m, PfWritten written, bool (*cancelled)(void *user), void *user, PfWorkspace *w)
{
  PfWorkspace made = {0};
  PfStatus status = fork_workspace(m->kept + PF_NO_EQUATIONS, &made);
  if (made.ctx) pf_context_set_cancel(made.ctx, cancelled, user);
  if (status == PF_OK) status = derive(&made, written);
  if (status != PF_OK) {
    made.machine = w->machine;
    *w = made;
    return status;
  }
  pf_context_set_cancel(made.ctx, NULL, NULL);
  m->kept[written] = made;
  return PF_OK;
}

PfStatus pf_workspace_open(PfMachine *machine, PfWritten written, bool (*cancelled)(void *user), void *user,
                           PfWorkspace *workspace)
{
  PfStatus status = PF_OK;
  *workspace = (PfWorkspace){.machine = pf_machine_retain(machine)};
  pf_lock(&machine->lock);
  if (!machine->kept[written].ctx) status = make_kept(machine, written, cancelled, user, workspace);
  pf_unlock(&machine->lock);
  PF_TRY(status);
  PF_TRY(fork_workspace(machine->kept + written, workspace));
  pf_context_set_cancel(workspace->ctx, cancelled, user);
  return PF_OK;
}

void pf_workspace_close(PfWorkspace *workspace)
{
  free_parts(workspace);
  pf_machine_release(workspace->machine);
  *workspace = (PfWorkspace){0};
}
