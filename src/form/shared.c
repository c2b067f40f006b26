/* SPDX-License-Identifier: Apache-2.0 */
/* What was made for a system and serves again. Opening a motion makes tapes of formulas that depend on nothing but the
 * system; whoever runs one model many times would make the same ones each time, and for a short run of a small system
 * that takes longer than the steps. */
#include "form/form_impl.h"
#include "form/lifted.h"

#include <string.h>

/* Lists that are kept; a motion needs three, and one for each formulation by which it was ever opened. */
enum { MOST_TAPES = 16 };

typedef struct Entry {
  PfExpr *roots;
  int count;
  PfTape *tape;
} Entry;

struct PfShared {
  PfArena *arena;
  Entry entry[MOST_TAPES];
  int count;
  PfExpr potential, *slope; /* of which this is the gradient; NULL: of none */
  double *parameters; /* of the formulas of an elimination; with_numbers: they are in them */
  bool with_numbers;
  PfExpr power;
  double cost_limit;
  struct PfFormulas *formulas; /* NULL: there are none with these numbers, when `known` */
  bool known;
  PfTape *flow; /* NULL: does not apply, when that is known */
  bool flow_known;
  PfLifting *lifting; /* NULL: nothing to lift, when that is known */
  bool lifting_known;
};

PfStatus pf_shared_new(PfContext *ctx, PfArena *arena, PfShared **shared)
{
  *shared = pf_arena_array(arena, PfShared, 1);
  if (!*shared) return pf_no_room(ctx, "the system");
  **shared = (PfShared){.arena = arena};
  return PF_OK;
}

void pf_shared_free(PfShared *shared)
{
  if (!shared) return;
  for (int k = 0; k < shared->count; k++) pf_tape_free(shared->entry[k].tape);
  pf_tape_free(shared->flow);
  pf_formulas_drop(shared->formulas);
  pf_lifting_free(shared->lifting);
}

PfStatus pf_shared_lifting(const PfSystem *system, PfLifting **lifting)
{
  PfShared *shared = system->shared;
  if (!shared->lifting_known) PF_TRY(pf_lifting_make(system, shared->arena, &shared->lifting));
  shared->lifting_known = true;
  *lifting = shared->lifting;
  return PF_OK;
}

PfStatus pf_shared_flow(const PfSystem *system, const PfTape **flow)
{
  PfShared *shared = system->shared;
  int before = pf_diagnostic_count(system->ctx);
  PfStatus status = shared->flow_known ? PF_OK : pf_flow_tape(system, NULL, &shared->flow);
  if (pf_is_final(status)) return status;
  if (status != PF_OK) pf_diagnostics_cut(system->ctx, before);
  shared->flow_known = true;
  *flow = shared->flow;
  return PF_OK;
}

/* ---------------------------------------------------------------- tapes */

static const Entry *find(const PfShared *shared, const PfExpr *roots, int count)
{
  for (int k = 0; k < shared->count; k++)
    if (shared->entry[k].count == count && !memcmp(shared->entry[k].roots, roots, (size_t)count*sizeof *roots))
      return shared->entry + k;
  return NULL;
}

static PfStatus make(const PfSystem *system, Entry *entry)
{
  PfArena *scratch = pf_context_scratch(system->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfExpr *roots = pf_arena_array(scratch, PfExpr, entry->count); /* inputs are written out in them */
  PfStatus status = PF_OK;
  if (roots) memcpy(roots, entry->roots, (size_t)entry->count*sizeof *roots);
  else status = pf_no_room(system->ctx, "the system");
  if (status == PF_OK)
    status = pf_system_tape(system->ctx, system->eq->model, system->symbols.symbol, system->symbols.count, roots,
                            entry->count, &entry->tape);
  pf_arena_release(scratch, mark);
  return status;
}

PfStatus pf_system_shared_tape(const PfSystem *system, const PfExpr *roots, int count, const PfTape **tape)
{
  PfShared *shared = system->shared;
  const Entry *known = find(shared, roots, count);
  if (known) {
    *tape = known->tape;
    return PF_OK;
  }
  if (shared->count == MOST_TAPES)
    return pf_fail(system->ctx, PF_ERR_LIMIT, "a system keeps %d tapes", MOST_TAPES);
  Entry *entry = shared->entry + shared->count;
  *entry = (Entry){.roots = pf_arena_array(shared->arena, PfExpr, count), .count = count};
  if (!entry->roots) return pf_no_room(system->ctx, "the system");
  if (count) memcpy(entry->roots, roots, (size_t)count*sizeof *roots);
  PF_TRY(make(system, entry));
  shared->count++;
  *tape = entry->tape;
  return PF_OK;
}

/* ---------------------------------------------------------------- forces */

PfStatus pf_shared_gradient(const PfSystem *system, PfExpr potential, const PfExpr **slope)
{
  PfShared *shared = system->shared;
  const PfModel *model = system->eq->model;
  const size_t n = (size_t)system->n;
  if (!shared->slope || shared->potential != potential) {
    PfExpr *q = pf_arena_array(shared->arena, PfExpr, n), *g = pf_arena_array(shared->arena, PfExpr, n);
    if (!q || !g) return pf_no_room(system->ctx, "the system");
    for (size_t i = 0; i < n; i++) q[i] = model->coordinates[i].q;
    PF_TRY(pf_expr_gradient(system->ctx, potential, q, system->n, g));
    shared->potential = potential;
    shared->slope = g;
  }
  *slope = shared->slope;
  return PF_OK;
}

/* ---------------------------------------------------------------- eliminations */

/* Parameters that formulas may contain as numbers. */
static size_t parameters_size(const PfSystem *system)
{
  return (size_t)system->symbols.time*sizeof(double);
}

bool pf_shared_formulas(const PfSystem *system, const PfSolverPlan *plan, struct PfFormulas **formulas)
{
  const PfShared *x = system->shared;
  size_t size = parameters_size(system);
  bool same = x->known && x->with_numbers == (plan->values != NULL) && x->power == plan->power &&
              x->cost_limit >= plan->cost_limit && x->cost_limit <= plan->cost_limit;
  *formulas = x->formulas;
  return same && (!plan->values || !size || !memcmp(x->parameters, plan->values, size));
}

bool pf_shared_keep_formulas(const PfSystem *system, const PfSolverPlan *plan, struct PfFormulas *formulas)
{
  PfShared *x = system->shared;
  size_t size = parameters_size(system);
  if (!x->parameters) x->parameters = pf_arena_alloc(x->arena, size ? size : 1, 1);
  if (!x->parameters) return false;
  pf_formulas_drop(x->formulas);
  if (plan->values && size) memcpy(x->parameters, plan->values, size);
  x->with_numbers = plan->values != NULL;
  x->power = plan->power;
  x->cost_limit = plan->cost_limit;
  x->formulas = formulas;
  return x->known = true;
}
