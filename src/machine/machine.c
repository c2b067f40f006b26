/* SPDX-License-Identifier: Apache-2.0 */
/* Machines, counted by references, and workspaces, which are forks of them. */
#include "pfaff/machine.h"

#include "base/base.h"
#include "expr/fork.h"
#include "model/model.h"

#include <stdatomic.h>

struct PfMachine {
  atomic_int references;
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations equations, complete;
  double seconds;
};

static PfStatus derive(PfMachine *m, PfMachineKind kind)
{
  const PfModel *complete = m->model->complete;
  if (kind == PF_MACHINE_FORMULAS) return pf_equations_derive(m->ctx, m->arena, m->model, &m->equations);
  PF_TRY(pf_equations_outline(m->ctx, m->arena, m->model, &m->equations));
  if (!complete || complete == m->model) return PF_OK;
  return pf_equations_derive(m->ctx, m->arena, complete, &m->complete);
}

/* A path, or a text with its name. */
typedef struct Origin {
  const char *name, *bytes; /* NULL: the name is a path */
  size_t count;
} Origin;

static PfStatus open_machine(PfContext *ctx, Origin from, PfMachineKind kind, PfMachine **machine)
{
  double start = pf_clock();
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfMachine *m = arena ? pf_arena_array(arena, PfMachine, 1) : NULL;
  *machine = NULL;
  if (!m) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the model");
  }
  m->ctx = ctx;
  m->arena = arena;
  atomic_init(&m->references, 1);
  PfStatus status = from.bytes ? pf_model_read(ctx, from.name, from.bytes, from.count, &m->model)
                               : pf_model_load(ctx, from.name, &m->model);
  if (status == PF_OK) status = derive(m, kind);
  m->seconds = pf_clock() - start;
  if (status == PF_OK) {
    *machine = m;
    return PF_OK;
  }
  pf_model_free(m->model);
  pf_arena_free(arena);
  return status;
}

PfStatus pf_machine_open(PfContext *ctx, const char *path, PfMachineKind kind, PfMachine **machine)
{
  return open_machine(ctx, (Origin){.name = path}, kind, machine);
}

PfStatus pf_machine_read(PfContext *ctx, const char *file, const char *bytes, size_t count, PfMachineKind kind,
                         PfMachine **machine)
{
  return open_machine(ctx, (Origin){file, bytes, count}, kind, machine);
}

PfMachine *pf_machine_retain(PfMachine *machine)
{
  atomic_fetch_add(&machine->references, 1);
  return machine;
}

void pf_machine_release(PfMachine *machine)
{
  if (!machine || atomic_fetch_sub(&machine->references, 1) > 1) return;
  PfContext *ctx = machine->ctx;
  pf_model_free(machine->model);
  pf_arena_free(machine->arena); /* the machine itself lives in it */
  pf_context_free(ctx);
}

const PfModel *pf_machine_model(const PfMachine *machine)
{
  return machine->model;
}

/* ---------------------------------------------------------------- workspaces */

/* Equations are the same in all workspaces, but for the model that has their starts. */
static PfEquations equations_of(const PfEquations *shared, const PfModel *model)
{
  PfEquations own = *shared;
  own.model = model;
  return own;
}

static PfStatus open_workspace(PfWorkspace *w)
{
  const PfMachine *m = w->machine;
  w->ctx = pf_context_fork(m->ctx);
  w->arena = w->ctx ? pf_arena_new(pf_context_allocator(w->ctx)) : NULL;
  w->model = w->arena ? pf_model_fork(w->ctx, m->model) : NULL;
  if (!w->model) return PF_ERR_MEMORY;
  w->equations = equations_of(&m->equations, w->model);
  if (m->complete.n) w->complete = equations_of(&m->complete, w->model->complete);
  w->seconds = m->seconds;
  return PF_OK;
}

PfStatus pf_workspace_open(PfMachine *machine, PfWorkspace *workspace)
{
  *workspace = (PfWorkspace){.machine = pf_machine_retain(machine)};
  PfStatus status = open_workspace(workspace);
  if (status != PF_OK) pf_workspace_close(workspace);
  return status;
}

void pf_workspace_close(PfWorkspace *workspace)
{
  pf_model_free(workspace->model);
  pf_arena_free(workspace->arena);
  pf_context_free(workspace->ctx);
  pf_machine_release(workspace->machine);
  *workspace = (PfWorkspace){0};
}
