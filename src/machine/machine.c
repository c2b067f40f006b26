/* SPDX-License-Identifier: Apache-2.0 */
/* Machines, counted by references, and workspaces, which are forks of them.
 *
 * A machine keeps a workspace of its own for each kind of equations that was ever asked for. It is derived in a fork of
 * what was read, so that it does not depend on what else was derived before, and does not change any more: workspaces
 * of others are forks of it. The same holds for preparations, which are made in forks of these.
 *
 * The thread that first needs such a workspace makes it, without the lock. Others wait for it and poll meanwhile
 * whether they are cancelled; after a failure the next of them makes it. */
#include "machine/machine.h"

#include "base/base.h"
#include "base/lock.h"
#include "expr/fork.h"
#include "model/model.h"

#include <stdatomic.h>
#include <string.h>

enum { KINDS = PF_FORMULAS + 1 };

/* A workspace that is kept. */
typedef enum KeptState {
  KEPT_NOTHING, /* or the attempts have failed */
  KEPT_IN_WORK, /* a thread makes it */
  KEPT_MADE     /* it is constant */
} KeptState;

typedef struct Kept {
  KeptState state;
  PfWorkspace workspace; /* without a machine */
  const PfPreparation *preparation; /* NULL: it has equations alone */
  const char *key;
  PfPrepared prepared;
  struct Kept *next;
} Kept;

struct PfMachine {
  atomic_int references;
  PfArena *arena;        /* of the machine itself and the list */
  PfLock lock;           /* of the states below, of the list, and of the arena */
  PfCondition changed;   /* one of the states has */
  Kept equations[KINDS]; /* by PfWritten; the first one is what was read */
  Kept *preparations;
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
  pf_condition_init(&m->changed);
  pf_context_set_cancel(ctx, NULL, NULL);
  m->equations[PF_NO_EQUATIONS] =
    (Kept){.state = KEPT_MADE, .workspace = {.ctx = ctx, .model = model, .seconds = pf_clock() - start}};
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
  for (Kept *k = machine->preparations; k; k = k->next) { /* forks before what they are forks of */
    if (k->prepared.result) k->preparation->free(k->prepared.result);
    free_parts(&k->workspace);
  }
  for (int i = KINDS; i-- > 0;) free_parts(&machine->equations[i].workspace);
  pf_condition_free(&machine->changed);
  pf_lock_free(&machine->lock);
  pf_arena_free(machine->arena);
}

static const PfWorkspace *reading_of(const PfMachine *machine)
{
  return &machine->equations[PF_NO_EQUATIONS].workspace;
}

const PfModel *pf_machine_model(const PfMachine *machine)
{
  return reading_of(machine)->model;
}

const PfContext *pf_machine_context(const PfMachine *machine)
{
  return reading_of(machine)->ctx;
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
  to->prepared = from->prepared;
  to->seconds = from->seconds;
  return PF_OK;
}

static PfStatus derive(PfWorkspace *w, PfWritten written)
{
  double start = pf_clock();
  const PfModel *complete = w->model->complete;
  if (written == PF_FORMULAS) PF_TRY(pf_equations_derive(w->ctx, w->arena, w->model, &w->equations));
  if (written == PF_MATRIX_FREE) PF_TRY(pf_equations_derive_matrix_free(w->ctx, w->arena, w->model, &w->equations));
  if (written == PF_MATRIX_FREE && complete && complete != w->model)
    PF_TRY(pf_equations_derive(w->ctx, w->arena, complete, &w->complete));
  w->seconds += pf_clock() - start;
  return PF_OK;
}

/* ---------------------------------------------------------------- what is kept */

/* A workspace to be kept: a fork of `from`, with a preparation (or NULL: with equations of this kind), and how the
 * thread that needs it can be cancelled. */
typedef struct Order {
  const PfWorkspace *from;
  PfWritten written;
  const PfPreparation *preparation;
  const void *details;
  bool (*cancelled)(void *user);
  void *user;
} Order;

/* After a failure it becomes the workspace of the caller, who reads the reasons in it. */
static PfStatus make_kept(const Order *o, Kept *kept, PfWorkspace *w)
{
  PfWorkspace made = {0};
  void *result = NULL;
  PfStatus status = fork_workspace(o->from, &made);
  if (made.ctx) pf_context_set_cancel(made.ctx, o->cancelled, o->user);
  if (status == PF_OK)
    status = o->preparation ? o->preparation->make(&made, o->details, &result) : derive(&made, o->written);
  if (status != PF_OK) {
    made.machine = w->machine;
    *w = made;
    return status;
  }
  pf_context_set_cancel(made.ctx, NULL, NULL);
  if (o->preparation) {
    kept->prepared = (PfPrepared){o->preparation, result, &kept->workspace};
    made.prepared = &kept->prepared;
  }
  kept->workspace = made;
  return PF_OK;
}

static bool always(void *user)
{
  (void)user;
  return true;
}

/* An empty workspace whose context reports the cancellation. */
static PfStatus end_cancelled(const PfMachine *m, PfWorkspace *w)
{
  w->ctx = pf_context_fork(reading_of(m)->ctx);
  if (!w->ctx) return PF_ERR_MEMORY;
  pf_context_set_cancel(w->ctx, always, NULL);
  return pf_check_cancelled(w->ctx);
}

/* With the lock, which is not held while the callback is called. Returns false when the caller is cancelled while
 * another thread makes the workspace. */
static bool wait_for_other(PfMachine *m, const Kept *kept, const Order *o)
{
  while (kept->state == KEPT_IN_WORK) {
    pf_unlock(&m->lock);
    const bool cancelled = o->cancelled && o->cancelled(o->user);
    pf_lock(&m->lock);
    if (cancelled) return false;
    if (kept->state == KEPT_IN_WORK) pf_wait_briefly(&m->changed, &m->lock);
  }
  return true;
}

static void set_state(PfMachine *m, Kept *kept, KeptState state)
{
  pf_lock(&m->lock);
  kept->state = state;
  pf_broadcast(&m->changed);
  pf_unlock(&m->lock);
}

/* Returns when the workspace is made, by this thread or by another one. */
static PfStatus ensure_made(PfMachine *m, const Order *o, Kept *kept, PfWorkspace *w)
{
  pf_lock(&m->lock);
  const bool goes_on = wait_for_other(m, kept, o), ours = goes_on && kept->state == KEPT_NOTHING;
  if (ours) kept->state = KEPT_IN_WORK;
  pf_unlock(&m->lock);
  if (!goes_on) return end_cancelled(m, w);
  if (!ours) return PF_OK;
  PfStatus status = make_kept(o, kept, w);
  set_state(m, kept, status == PF_OK ? KEPT_MADE : KEPT_NOTHING);
  return status;
}

/* The place for a preparation with this key. NULL without memory. */
static Kept *find_preparation(PfMachine *m, const PfPreparation *preparation, const char *key)
{
  Kept *k;
  pf_lock(&m->lock);
  for (k = m->preparations; k; k = k->next)
    if (k->preparation == preparation && !strcmp(k->key, key)) break;
  if (!k) {
    Kept *made = pf_arena_array(m->arena, Kept, 1);
    const char *copy = pf_arena_text(m->arena, key, strlen(key));
    if (made && copy) {
      *made = (Kept){.preparation = preparation, .key = copy, .next = m->preparations};
      m->preparations = k = made;
    }
  }
  pf_unlock(&m->lock);
  return k;
}

/* ---------------------------------------------------------------- opening workspaces */

static PfStatus open_fork(const PfWorkspace *kept, bool (*cancelled)(void *user), void *user, PfWorkspace *workspace)
{
  PF_TRY(fork_workspace(kept, workspace));
  pf_context_set_cancel(workspace->ctx, cancelled, user);
  return PF_OK;
}

/* Equations first; then the preparation in a fork of them. */
PfStatus pf_workspace_open_prepared(PfMachine *machine, const PfPreparation *preparation, const char *key,
                                    const void *details, bool (*cancelled)(void *user), void *user,
                                    PfWorkspace *workspace)
{
  Kept *equations = machine->equations + preparation->written;
  Order order = {.from = reading_of(machine), .written = preparation->written, .cancelled = cancelled, .user = user};
  *workspace = (PfWorkspace){.machine = pf_machine_retain(machine)};
  Kept *kept = find_preparation(machine, preparation, key);
  if (!kept) return PF_ERR_MEMORY;
  PF_TRY(ensure_made(machine, &order, equations, workspace));
  order.from = &equations->workspace;
  order.preparation = preparation;
  order.details = details;
  PF_TRY(ensure_made(machine, &order, kept, workspace));
  return open_fork(&kept->workspace, cancelled, user, workspace);
}

PfStatus pf_workspace_open(PfMachine *machine, PfWritten written, bool (*cancelled)(void *user), void *user,
                           PfWorkspace *workspace)
{
  const Order order = {.from = reading_of(machine), .written = written, .cancelled = cancelled, .user = user};
  Kept *equations = machine->equations + written;
  *workspace = (PfWorkspace){.machine = pf_machine_retain(machine)};
  PF_TRY(ensure_made(machine, &order, equations, workspace));
  return open_fork(&equations->workspace, cancelled, user, workspace);
}

PfStatus pf_workspace_open_like(const PfWorkspace *other, bool (*cancelled)(void *user), void *user,
                                PfWorkspace *workspace)
{
  *workspace = (PfWorkspace){.machine = pf_machine_retain(other->machine)};
  return open_fork(other->prepared->workspace, cancelled, user, workspace);
}

void pf_workspace_close(PfWorkspace *workspace)
{
  free_parts(workspace);
  pf_machine_release(workspace->machine);
  *workspace = (PfWorkspace){0};
}
