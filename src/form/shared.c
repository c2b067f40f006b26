/* SPDX-License-Identifier: Apache-2.0 */
/* The store next to a system. Opening a motion makes tapes of formulas that depend on nothing but the system; a program
 * that runs one model many times would make the same ones each time, and for a short run of a small system that takes
 * longer than the steps.
 *
 * A store is not part of the system, which is constant, but of the workspace in which motions of it are opened. That of
 * a view (pf_system_view) reads the store of the system it is a view of: the context is a fork, so that the same
 * formulas have the same handles in both, and a tape is found by the handles of its roots. */
#include "form/extended_form.h"
#include "form/form_impl.h"
#include "kernel/native.h"

#include <string.h>

/* Lists that are kept; a motion needs three, and at most three for each formulation and each implicit method by which
 * it was ever opened. */
enum { MOST_TAPES = 40 };

typedef struct Entry {
  PfTapeList list;
  PfJacobian jacobian; /* with columns */
  PfTape *tape;
} Entry;

struct PfShared {
  const PfSystem *system;
  PfArena *arena; /* of the system */
  const PfShared *base; /* of the system that this one's is a view of, or NULL */
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

/* `base` is the store of the system that a view is of; NULL for a system of its own. */
PfStatus pf_shared_new(const PfSystem *system, const PfShared *base, PfShared **shared)
{
  *shared = pf_arena_array(system->arena, PfShared, 1);
  if (!*shared) return pf_no_room(system->ctx, "the system");
  **shared = (PfShared){.system = system, .arena = system->arena, .base = base};
  return PF_OK;
}

/* The object is not part of the constant system, although that has the pointer to it. */
PfShared *pf_system_store(const PfSystem *system)
{
  return system->shared;
}

/* Frees tapes and formulas, not the arena. */
void pf_shared_free(PfShared *shared)
{
  if (!shared) return;
  for (int k = 0; k < shared->count; k++) pf_tape_free(shared->entry[k].tape);
  pf_tape_free(shared->flow);
  pf_formulas_drop(shared->formulas);
  pf_lifting_free(shared->lifting);
}

/* Made at the first request; that there is none is remembered, too. */
PfStatus pf_shared_lifting(PfShared *shared, PfLifting **lifting)
{
  const PfSystem *system = shared->system;
  const PfShared *base = shared->base;
  if (!shared->lifting_known && base && base->lifting_known) {
    if (base->lifting) PF_TRY(pf_lifting_view(system->ctx, shared->arena, base->lifting, &shared->lifting));
  } else if (!shared->lifting_known) {
    PF_TRY(pf_lifting_make(system, shared->arena, &shared->lifting));
  }
  shared->lifting_known = true;
  *lifting = shared->lifting;
  return PF_OK;
}

/* A recursion that does not apply gives NULL, without a diagnostic. */
PfStatus pf_shared_flow(PfShared *shared, const PfTape **flow)
{
  const PfSystem *system = shared->system;
  const PfShared *base = shared->base;
  if (!shared->flow_known && base && base->flow_known) {
    if (base->flow) PF_TRY(pf_tape_view(system->ctx, shared->arena, base->flow, &shared->flow));
  } else if (!shared->flow_known) {
    int before = pf_diagnostic_count(system->ctx);
    PfStatus status = pf_flow_tape(system, NULL, &shared->flow);
    if (pf_is_final(status)) return status;
    if (status != PF_OK) pf_diagnostics_truncate(system->ctx, before);
  }
  shared->flow_known = true;
  *flow = shared->flow;
  return PF_OK;
}

/* ---------------------------------------------------------------- tapes */

static bool is_same(const PfExpr *a, int a_count, const PfExpr *b, int b_count)
{
  return a_count == b_count && (!a_count || !memcmp(a, b, (size_t)a_count*sizeof *a));
}

static const Entry *find(const PfShared *shared, const PfTapeList *x)
{
  for (int k = 0; k < shared->count; k++) {
    const PfTapeList *y = &shared->entry[k].list;
    if (is_same(x->roots, x->count, y->roots, y->count) && is_same(x->more, x->more_count, y->more, y->more_count) &&
        is_same(x->columns, x->column_count, y->columns, y->column_count))
      return shared->entry + k;
  }
  return NULL;
}

/* NULL without memory; an empty list is not NULL. */
static const PfExpr *copy(PfArena *arena, const PfExpr *list, int count)
{
  PfExpr *to = pf_arena_array(arena, PfExpr, count);
  if (to && count) memcpy(to, list, (size_t)count*sizeof *to);
  return to;
}

/* The key of the entry stays as it was given: inputs are written out in a copy of the roots. */
static PfStatus make(const PfSystem *system, PfArena *arena, PfArena *scratch, const PfTapeList *list, Entry *entry)
{
  PfContext *ctx = system->ctx;
  const PfSymbols *in = &system->symbols;
  *entry = (Entry){.list = {copy(arena, list->roots, list->count), list->count,
                            copy(arena, list->more, list->more_count), list->more_count,
                            copy(arena, list->columns, list->column_count), list->column_count}};
  const PfTapeList *own = &entry->list;
  if (!own->roots || !own->more || !own->columns) return pf_no_room(ctx, "the system");
  if (own->column_count)
    PF_TRY(pf_expr_jacobian(ctx, arena, own->roots, own->count, own->columns, own->column_count, &entry->jacobian));
  const PfJacobian *slopes = own->column_count ? &entry->jacobian : NULL;
  const int count = slopes ? slopes->count : own->count;
  PfExpr *roots, *inputs;
  PF_TRY(pf_arrays(ctx, scratch, "the system", PF_ROOM(roots, count), PF_ROOM(inputs, in->count + own->more_count)));
  if (count) memcpy(roots, slopes ? slopes->value : own->roots, (size_t)count*sizeof *roots);
  memcpy(inputs, in->symbol, (size_t)in->count*sizeof *inputs);
  if (own->more_count) memcpy(inputs + in->count, own->more, (size_t)own->more_count*sizeof *inputs);
  return pf_system_tape(ctx, system->eq->model, inputs, in->count + own->more_count, roots, count, &entry->tape);
}

/* A failure leaves nothing in the store. */
static PfStatus make_new(PfShared *shared, const PfTapeList *list, Entry *entry)
{
  PfArena *scratch = pf_context_scratch(shared->system->ctx);
  const PfMark mark = pf_arena_mark(scratch), before = pf_arena_mark(shared->arena);
  PfStatus status = make(shared->system, shared->arena, scratch, list, entry);
  pf_arena_release(scratch, mark);
  if (status != PF_OK) pf_arena_release(shared->arena, before);
  return status;
}

/* Fails with PF_ERR_LIMIT beyond MOST_TAPES lists, which no program of the library reaches. */
PfStatus pf_shared_tape_of(PfShared *shared, const PfTapeList *list, const PfTape **tape, PfJacobian *jacobian)
{
  PfContext *ctx = shared->system->ctx;
  const Entry *known = find(shared, list);
  if (!known) {
    if (shared->count == MOST_TAPES) return pf_fail(ctx, PF_ERR_LIMIT, "a system keeps %d tapes", MOST_TAPES);
    Entry *entry = shared->entry + shared->count;
    known = shared->base ? find(shared->base, list) : NULL;
    if (known) {
      *entry = *known;
      PF_TRY(pf_tape_view(ctx, shared->arena, known->tape, &entry->tape));
    } else {
      PF_TRY(make_new(shared, list, entry));
    }
    shared->count++;
    known = entry;
  }
  *tape = known->tape;
  if (jacobian) *jacobian = known->jacobian;
  return PF_OK;
}

PfStatus pf_shared_tape(PfShared *shared, const PfExpr *roots, int count, const PfTape **tape)
{
  return pf_shared_tape_of(shared, &(PfTapeList){.roots = roots, .count = count}, tape, NULL);
}

/* ---------------------------------------------------------------- forces */

/* One potential is remembered: that of the model, or the one without weight. */
PfStatus pf_shared_gradient(PfShared *shared, PfExpr potential, const PfExpr **slope)
{
  const PfSystem *system = shared->system;
  const PfShared *base = shared->base;
  const PfModel *model = system->eq->model;
  const size_t n = (size_t)system->n;
  if (base && base->slope && base->potential == potential) {
    *slope = base->slope;
    return PF_OK;
  }
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

/* Parameters are compared bit by bit, where the formulas contain their numbers. */
static bool is_for(const PfShared *x, const PfSolverPlan *plan, size_t size)
{
  bool same = x->known && x->with_numbers == (plan->values != NULL) && x->power == plan->power &&
              x->cost_limit >= plan->cost_limit && x->cost_limit <= plan->cost_limit;
  return same && (!plan->values || !size || !memcmp(x->parameters, plan->values, size));
}

/* True where the store knows the answer for this plan; *formulas is NULL where none apply. */
bool pf_shared_formulas(PfShared *shared, const PfSolverPlan *plan, struct PfFormulas **formulas)
{
  const PfShared *x = shared, *base = x->base;
  const PfSystem *system = x->system;
  size_t size = parameters_size(system);
  *formulas = x->formulas;
  if (is_for(x, plan, size)) return true;
  if (!base || !is_for(base, plan, size)) return false;
  *formulas = base->formulas ? pf_formulas_view(system->ctx, base->formulas) : NULL;
  if (base->formulas && !*formulas) return false;
  if (pf_shared_keep_formulas(shared, plan, *formulas)) return true;
  pf_formulas_drop(*formulas);
  return false;
}

/* The store is a user of them from now on. */
bool pf_shared_keep_formulas(PfShared *x, const PfSolverPlan *plan, struct PfFormulas *formulas)
{
  size_t size = parameters_size(x->system);
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
