/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of a search for a consistent start (runtime/pf_start.h): rows by the tapes of the manifold, memory, and the
 * message where values contradict each other. */
#include "time/search.h"

#include "runtime/pf_start.h"

#include <math.h>
#include <string.h>

_Static_assert((int)PF_PRIORITY_OPEN == (int)PF_START_OPEN && (int)PF_PRIORITY_GIVEN == (int)PF_START_GIVEN &&
               (int)PF_PRIORITY_SET == (int)PF_START_SET && (int)PF_PRIORITY_FIXED == (int)PF_START_FIXED,
               "the priorities of the runtime are those of models");

typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  PfManifold *f;
  PfStartConditions *conditions; /* NULL for positions */
  PfLevel level;
  double *values;
  int first;                     /* where the slopes of the level begin in f->out */
  PfMark mark;                   /* of the arena, before the room of a problem */
  PfStatus status;               /* of its allocation */
  PfStartSearch start;
} Search;

/* The constraint of a row of the level. */
static int constraint_of(const Search *s, int row)
{
  return s->level == PF_LEVEL_POSITION ? s->f->row[row] : row;
}

/* ---------------------------------------------------------------- functions of the search */

/* Constraints are taken in the size of their residuals. */
static void evaluate(void *user)
{
  Search *s = user;
  PfManifold *f = s->f;
  PfStartSearch *start = &s->start;
  (void)pf_manifold_residual(f, s->values, s->level, NULL);
  pf_tape_run(f->slopes, s->values, f->out, f->slope_work);
  const double *residual = s->level == PF_LEVEL_POSITION ? f->phi : f->psi, *slope = f->out + s->first;
  for (int i = 0; i < start->constraints; i++) {
    const double scale = pf_manifold_scale(f, constraint_of(s, i));
    start->residual[i] = residual[i]/scale;
    for (int p = start->begin[i]; p < start->begin[i + 1]; p++) start->slope[p] = slope[p]/scale;
  }
  if (!s->conditions) return;
  pf_start_conditions_evaluate(s->conditions, s->values);
  for (int g = 0; g < start->conditions; g++) {
    const PfStartCondition *condition = s->conditions->condition + g;
    start->value[g] = condition->value;
    start->target[g] = condition->target;
    memcpy(start->rows + (size_t)g*(size_t)start->n, condition->row, (size_t)start->n*sizeof *start->rows);
  }
}

static void find_inertia(void *user, const int *local, int n, double *M)
{
  const PfManifold *f = ((const Search *)user)->f;
  for (int k = 0; k < f->count[0]; k++) {
    int a = local[f->entry[k].row], b = local[f->entry[k].column];
    if (a >= 0 && b >= 0) M[(size_t)a*(size_t)n + (size_t)b] = M[(size_t)b*(size_t)n + (size_t)a] = f->out[k];
  }
}

/* In the place of the room of the problem before. */
static bool make_room(void *user, int n, int m, int conditions, double **reals, int **ints)
{
  Search *s = user;
  if (pf_saddle_is_huge(n, m + conditions)) {
    s->status = pf_fail(s->ctx, PF_ERR_LIMIT, "a model with %d coordinates and %d constraints that depend on each "
                        "other cannot start by speeds or angular velocities: give velocities of coordinates", n,
                        m + conditions);
    return false;
  }
  const size_t N = (size_t)n, rows = (size_t)m, count = (size_t)conditions;
  pf_arena_release(s->arena, s->mark);
  s->status = pf_arrays(s->ctx, s->arena, "the start", PF_ROOM(*reals, PF_START_PROBLEM_REALS(N, rows, count)),
                        PF_ROOM(*ints, PF_START_PROBLEM_INTS(N, rows, count)));
  return s->status == PF_OK;
}

/* By the structure of the system. Far from the constraints residuals may grow before they fall: then it goes on from
 * there. */
static void project(void *user, const bool *held)
{
  enum { PASSES = 6 };
  Search *s = user;
  double norm = INFINITY;
  s->f->held = held;
  for (int pass = 0; pass < PASSES && !(norm <= PF_TYPED_DIGITS); pass++) {
    (void)pf_manifold_project(s->f, s->values, s->level, PF_ON_CONSTRAINTS);
    norm = pf_manifold_scaled_residual(s->f, s->values, s->level);
  }
  s->f->held = NULL;
}

/* ---------------------------------------------------------------- contradictions */

static PfStatus conflict(const Search *s)
{
  const PfModel *model = pf_system_equations(s->f->system)->model;
  const PfStartSearch *start = &s->start;
  const int row = start->worst;
  if (row >= start->constraints) {
    const PfStartCondition *condition = s->conditions->condition + (row - start->constraints);
    pf_fail_at(s->ctx, PF_ERR_MODEL, condition->place,
               "the start of %s cannot be kept: other values marked with '!' contradict it", condition->name);
    pf_hint(s->ctx, "it is %.6g at best instead of %.6g", condition->value, condition->target);
    return PF_ERR_MODEL;
  }
  const int constraint = row < 0 ? 0 : constraint_of(s, row);
  const PfConstraint *c = model->constraints + constraint;
  pf_fail_at(s->ctx, PF_ERR_MODEL, c->place,
             "no %s near the start satisfies the constraint '%s' together with the others",
             s->level == PF_LEVEL_POSITION ? "configuration" : "velocity", c->name);
  if (start->dense) pf_hint(s->ctx, "it is missed by %.3g at best; are values marked with '!' in the way?",
                            row < 0 ? 0 : fabs(start->residual[row])*pf_manifold_scale(s->f, constraint));
  else pf_hint(s->ctx, "in a model of this size the start is looked for from the given numbers only: give some nearer "
                       "to the constraints");
  return PF_ERR_MODEL;
}

/* ---------------------------------------------------------------- making it */

/* The rows of the level, by the entries of the manifold that are not zero at all times. */
static void list_places(Search *s)
{
  PfStartSearch *start = &s->start;
  const PfEntry *entry = s->f->entry + s->first;
  for (int at = 0, i = 0; i <= start->constraints; i++) {
    start->begin[i] = at;
    for (; i < start->constraints && at < start->places && entry[at].row == i; at++)
      start->column[at] = entry[at].column;
  }
}

static PfStatus place(Search *s, const PfStartPriority *priority)
{
  PfStartSearch *start = &s->start;
  const size_t n = (size_t)start->n, m = (size_t)start->constraints, conditions = (size_t)start->conditions,
               places = (size_t)start->places;
  PfPriority *own;
  double *reals;
  int *ints;
  bool *bools;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the start", PF_ROOM(own, n + conditions),
                   PF_ROOM(reals, PF_START_REALS(n, m, conditions, places)),
                   PF_ROOM(ints, PF_START_INTS(n, m, conditions, places)),
                   PF_ROOM(bools, PF_START_BOOLS(n, m, conditions, places))));
  for (size_t j = 0; j < n; j++) own[j] = (PfPriority)priority[j];
  for (size_t g = 0; g < conditions; g++) own[n + g] = (PfPriority)s->conditions->condition[g].priority;
  start->priority = own;
  start->condition_priority = own + n;
  pf_start_place(start, reals, ints, bools);
  s->mark = pf_arena_mark(s->arena);
  return PF_OK;
}

PfStatus pf_search_start(PfContext *ctx, PfArena *arena, PfManifold *f, PfStartConditions *conditions, PfLevel level,
                         const PfStartPriority *priority, double *values, bool *plain)
{
  static const PfStartCalls by_matrices = {evaluate, find_inertia, make_room, NULL};
  static const PfStartCalls by_structure = {evaluate, find_inertia, make_room, project};
  const PfSymbols *in = pf_system_symbols(f->system);
  const bool position = level == PF_LEVEL_POSITION;
  if (conditions && !conditions->count) conditions = NULL;
  pf_manifold_find_units(f, values);
  Search s = {.ctx = ctx, .arena = arena, .f = f, .conditions = conditions, .level = level, .values = values,
              .first = f->count[0] + (position ? 0 : f->count[1])};
  s.start = (PfStartSearch){.user = &s, .calls = f->sparse ? &by_structure : &by_matrices, .n = f->n,
                            .constraints = position ? f->positions : f->m,
                            .conditions = conditions ? conditions->count : 0, .places = f->count[position ? 1 : 2],
                            .velocities = !position, .dense = f->M != NULL, .q = values + in->q,
                            .all = values + (position ? in->q : in->v), .unit = f->measured ? f->units.spread : NULL,
                            .column_unit = f->measured ? f->units.column : NULL, .plain = plain};
  PF_TRY(place(&s, priority));
  list_places(&s);
  switch (pf_start_search(&s.start)) {
  case PF_SEARCH_FOUND: return PF_OK;
  case PF_SEARCH_CONFLICT: return conflict(&s);
  default: return s.status;
  }
}
