/* SPDX-License-Identifier: Apache-2.0 */
/* A system in numbers: tapes for M, F, A, b and the non-ideal forces.
 *
 * A system is made once for a set of equations; solvers by several formulations may share it. Its tape computes the
 * entries of M, F, A, b and C that are not zero at all times; `place` says where each goes, so that zeros cost nothing.
 * The rest of this file puts troubles into words: each names a coordinate or a constraint, and a way out where one is
 * known. */
#include "form/form_impl.h"
#include "kernel/native.h"
#include "mech/negative.h"

#include <string.h>

/* Inputs that are functions of time are written out, so that time alone moves them. */
PfStatus pf_system_tape(PfContext *ctx, const PfModel *model, const PfExpr *inputs, int input_count, PfExpr *roots,
                        int root_count, PfTape **tape)
{
  PF_TRY(pf_insert_inputs(ctx, model, roots, (size_t)root_count));
  return pf_tape_new(ctx, inputs, input_count, roots, root_count, tape);
}

static size_t entry_count(const PfSystem *s)
{
  size_t n = (size_t)s->n, m = (size_t)s->m;
  return s->mass_size + s->force_size + m*n + m + n;
}

/* The tape of M, F, A, b and C: the entries that are not zero at all times, and where they stand. */
static PfStatus make_tape(PfSystem *s, PfArena *scratch)
{
  const PfEquations *eq = s->eq;
  size_t n = (size_t)s->n, m = (size_t)s->m, count = entry_count(s), entries = 0;
  PfExpr zero = pf_expr_int(s->ctx, 0), *roots = scratch ? pf_arena_array(scratch, PfExpr, count) : NULL, *at = roots;
  if (!roots) return pf_no_room(s->ctx, "the system");
  if (s->mass_size) memcpy(at, eq->M, n*n*sizeof *at), at += n*n;
  if (s->force_size) memcpy(at, eq->F, n*sizeof *at), at += n;
  if (m) memcpy(at, eq->A, m*n*sizeof *at), at += m*n;
  if (m) memcpy(at, eq->b, m*sizeof *at), at += m;
  memcpy(at, eq->C, n*sizeof *at);
  for (size_t i = 0; i < count; i++) entries += roots[i] != zero;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the system", PF_ROOM(s->place, entries), PF_ROOM(s->mass_column, entries),
                   PF_ROOM(s->mass_first, (size_t)s->n + 1)));
  for (size_t i = 0; i < count; i++) {
    if (roots[i] == zero) continue;
    s->place[s->output_count] = (int)i;
    roots[s->output_count++] = roots[i];
  }
  /* The columns of M that are not zero at all times, row by row: `place` begins with them. */
  int in_mass = 0;
  for (int i = 0; i < s->n && s->mass_size; i++) {
    s->mass_first[i] = in_mass;
    for (; in_mass < s->output_count && s->place[in_mass] < (i + 1)*s->n; in_mass++)
      s->mass_column[in_mass] = s->place[in_mass] - i*s->n;
  }
  s->mass_first[s->n] = in_mass;
  return pf_system_tape(s->ctx, eq->model, s->symbols.symbol, s->symbols.count, roots, s->output_count, &s->tape);
}

/* Symbols, then the tape, then the slope of friction. */
static PfStatus build(PfSystem *s)
{
  PF_TRY(pf_shared_new(s, NULL, &s->shared));
  PF_TRY(pf_equations_symbols(s->ctx, s->arena, s->eq->model, &s->symbols));
  PfArena *scratch = pf_arena_new(pf_context_allocator(s->ctx)); /* lists of all entries are long in large systems */
  PfStatus status = make_tape(s, scratch);
  pf_arena_free(scratch);
  PF_TRY(status);
  /* dC/dlambda, when the non-ideal forces depend on the multipliers. s->in_friction marks the multipliers on
   * which C depends, and s->affine whether the slope is constant in them. */
  const PfExpr *lambda = s->symbols.symbol + s->symbols.lambda;
  if (s->m) PF_TRY(pf_expr_contain(s->ctx, s->eq->C, s->n, lambda, s->m, &s->friction));
  if (!s->friction) return PF_OK;
  size_t n = (size_t)s->n, m = (size_t)s->m;
  PfExpr *slope;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the system", PF_ROOM(slope, n*m), PF_ROOM(s->in_friction, m)));
  s->affine = true;
  for (size_t i = 0; i < n; i++) {
    PF_TRY(pf_expr_gradient(s->ctx, s->eq->C[i], lambda, s->m, slope + i*m));
    for (size_t k = 0; k < m; k++) {
      s->in_friction[k] = s->in_friction[k] || pf_expr_depends(s->ctx, s->eq->C[i], lambda + k, 1);
      s->affine = s->affine && !pf_expr_depends(s->ctx, slope[i*m + k], lambda, s->m);
    }
  }
  return pf_system_tape(s->ctx, s->eq->model, s->symbols.symbol, s->symbols.count, slope, (int)(n*m), &s->slope);
}

/* An empty system in an arena of its own; NULL without memory. */
static PfSystem *begin(PfContext *ctx)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSystem *s = arena ? pf_arena_array(arena, PfSystem, 1) : NULL;
  if (s) s->arena = arena;
  else pf_arena_free(arena);
  return s;
}

/* The equations must outlive the system; pf_system_free frees it. Cost: mostly that of the tape, which is a fraction of
 * the derivation. */
PfStatus pf_system_new(PfContext *ctx, const PfEquations *equations, PfSystem **system)
{
  PfSystem *s = begin(ctx);
  *system = NULL;
  if (!s) return pf_no_room(ctx, "the system");
  *s = (PfSystem){.ctx = ctx, .arena = s->arena, .eq = equations, .n = equations->n, .m = equations->m,
                  .in_bodies = equations->in_bodies};
  if (!s->in_bodies) s->force_size = (size_t)s->n, s->mass_size = s->force_size*s->force_size;
  PfStatus status = build(s);
  if (status == PF_OK) *system = s;
  else pf_system_free(s);
  return status;
}

/* See solver.h. Costs two small blocks. */
PfStatus pf_system_view(PfContext *ctx, const PfEquations *equations, const PfSystem *from, PfSystem **system)
{
  PfSystem *s = begin(ctx);
  *system = NULL;
  if (!s) return pf_no_room(ctx, "the system");
  PfArena *arena = s->arena;
  *s = *from;
  s->ctx = ctx;
  s->arena = arena;
  s->eq = equations;
  s->tape = s->slope = NULL;
  s->shared = NULL;
  PfStatus status = pf_shared_new(s, from->shared, &s->shared);
  if (status == PF_OK) status = pf_tape_view(ctx, arena, from->tape, &s->tape);
  if (status == PF_OK && from->slope) status = pf_tape_view(ctx, arena, from->slope, &s->slope);
  if (status == PF_OK) *system = s;
  else pf_system_free(s);
  return status;
}

/* NULL is allowed. */
void pf_system_free(PfSystem *s)
{
  if (!s) return;
  pf_shared_free(s->shared);
  pf_tape_free(s->tape);
  pf_tape_free(s->slope);
  pf_arena_free(s->arena);
}

/* Those that it was made of. */
const PfEquations *pf_system_equations(const PfSystem *system)
{
  return system->eq;
}

/* Then M and F do not exist, and only 'recursive' solves it. */
bool pf_system_in_bodies(const PfSystem *system)
{
  return system->in_bodies;
}

/* The inputs of its tape, and where each kind begins. */
const PfSymbols *pf_system_symbols(const PfSystem *system)
{
  return &system->symbols;
}

/* ---------------------------------------------------------------- words */

/* M at the state, in the scratch arena; NULL without memory. All entries of M, F, A, b and C; those of M come first. */
static const double *mass_at(PfArena *scratch, const PfSystem *system, const double *values)
{
  double *all = pf_arena_array(scratch, double, entry_count(system));
  double *work = pf_arena_array(scratch, double, pf_tape_work_size(system->tape));
  if (!all || !work) return NULL;
  (void)pf_tape_run_to_places(system->tape, values, system->place, all, work);
  return all;
}

/* The recursion only knows that it breaks down: matrices at the state know which coordinate is free, or which rows
 * contradict each other. Without memory, or in large systems, the trouble stays as it is. */
static void find_reason(PfContext *ctx, const PfSystem *system, const double *values, PfTrouble *trouble, int *row)
{
  const int before = pf_diagnostic_count(ctx);
  PfTrouble other = PF_TROUBLE_NONE;
  PfEquations eq = *system->eq;
  PfSystem *whole = NULL;
  PfSolver *solver = NULL;
  PfArena *arena = system->n <= PF_MOST_WRITTEN_OUT && eq.in_bodies ? pf_arena_new(pf_context_allocator(ctx)) : NULL;
  int other_row = -1;
  if (!arena) return;
  PfMotion motion = {.acceleration = pf_arena_array(arena, double, eq.n),
                     .multiplier = pf_arena_array(arena, double, eq.m)};
  bool good = motion.acceleration && motion.multiplier && pf_equations_write_out(ctx, arena, &eq) == PF_OK &&
              pf_system_new(ctx, &eq, &whole) == PF_OK &&
              pf_solver_new(ctx, whole, &pf_form_multipliers, &solver) == PF_OK;
  if (good) other = pf_solver_accelerate(solver, values, &motion, &other_row);
  pf_solver_free(solver);
  pf_system_free(whole);
  pf_arena_free(arena);
  pf_diagnostics_truncate(ctx, before);
  if (other != PF_TROUBLE_NONE) *trouble = other, *row = other_row;
}

/* With the state at hand the message can say more: which motion has a negative energy, and what is free. */
PfStatus pf_trouble_report_at(PfContext *ctx, const PfSystem *system, const double *values, PfTrouble trouble, int row)
{
  if (system->in_bodies && trouble == PF_TROUBLE_SINGULAR) find_reason(ctx, system, values, &trouble, &row);
  if (trouble != PF_TROUBLE_INDEFINITE || row < 0 || row >= system->n || system->in_bodies)
    return pf_trouble_report(ctx, system, trouble, row);
  char which[256] = "";
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const double *M = mass_at(scratch, system, values);
  if (M) pf_negative_motion(ctx, system->eq->model, M, which, sizeof which);
  pf_arena_release(scratch, mark);
  return pf_fail(ctx, PF_ERR_MODEL, "the mass matrix is not positive semidefinite: the kinetic energy is negative for "
                 "some motion of '%s'%s", system->eq->model->coordinates[row].name, which);
}

/* The coordinate with a negative pivot, as 'check' looks for it, or -1. In large systems only the diagonal is looked
 * at: a factorisation of a full matrix would take longer than many steps. */
static int negative_row(PfContext *ctx, PfArena *scratch, const PfSystem *system, const double *M)
{
  enum { MOST = 64 };
  PfLdl ldl;
  for (int i = 0; i < system->n; i++)
    if (M[(size_t)i*(size_t)system->n + (size_t)i] < 0) return i;
  if (system->n > MOST || pf_ldl_make(ctx, scratch, system->n, &ldl) != PF_OK) return -1;
  return pf_ldl_factor(&ldl, M, 1e-12) != PF_OK && ldl.fault == PF_FAULT_INDEFINITE ? ldl.fault_row : -1;
}

/* A negative mass is an error of the model, and is found before the first step. Cost: one evaluation and, up to 64
 * coordinates, one factorisation. */
PfStatus pf_system_check_mass(PfContext *ctx, const PfSystem *system, const double *values)
{
  if (system->in_bodies || !system->n) return PF_OK;
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const double *M = mass_at(scratch, system, values);
  const int row = M ? negative_row(ctx, scratch, system, M) : -1;
  PfStatus status = M ? PF_OK : pf_no_room(ctx, "the mass matrix");
  if (row >= 0) {
    char which[256] = "";
    pf_negative_motion(ctx, system->eq->model, M, which, sizeof which);
    status = pf_fail(ctx, PF_ERR_MODEL, "the kinetic energy is negative for some motion of '%s'%s",
                     system->eq->model->coordinates[row].name, which);
    pf_hint(ctx, "look for a wrong sign in a mass, an inertia or the kinetic energy");
  }
  pf_arena_release(scratch, mark);
  return status;
}

/* PF_OK for PF_TROUBLE_NONE; otherwise the status of the diagnostic, which names the coordinate or constraint of
 * `row`. */
PfStatus pf_trouble_report(PfContext *ctx, const PfSystem *system, PfTrouble trouble, int row)
{
  const PfModel *model = system->eq->model;
  bool coordinate = row >= 0 && row < model->coordinate_count;
  const char *q = coordinate ? model->coordinates[row].name : "some coordinate";
  const char *c = row >= 0 && row < model->constraint_count ? model->constraints[row].name : "some constraint";
  switch (trouble) {
  case PF_TROUBLE_NONE: return PF_OK;
  case PF_TROUBLE_NOT_FINITE:
    if (coordinate || row < 0)
      return pf_fail(ctx, PF_ERR_NUMBER, "the equation of '%s' holds a number that is not finite", q);
    return pf_fail(ctx, PF_ERR_NUMBER, "the constraint '%s' holds a number that is not finite",
                   row - system->n < system->m ? model->constraints[row - system->n].name : "some constraint");
  case PF_TROUBLE_INDEFINITE:
    return pf_fail(ctx, PF_ERR_MODEL, "the mass matrix is not positive semidefinite: the kinetic energy is negative "
                   "for some motion of '%s'", q);
  case PF_TROUBLE_NOT_UNIQUE:
    pf_fail(ctx, PF_ERR_MODEL, "the accelerations are not determined: inertia and constraints leave '%s' free", q);
    pf_hint(ctx, "give it inertia or a constraint");
    return PF_ERR_MODEL;
  case PF_TROUBLE_CONTRADICTION:
    return pf_fail(ctx, PF_ERR_MODEL, "the constraint '%s' contradicts the others in this state", c);
  case PF_TROUBLE_UNDETERMINED:
    return pf_fail(ctx, PF_ERR_MODEL, "its equations alone contain the dependent acceleration of '%s' and do not "
                   "determine it", q);
  case PF_TROUBLE_MASSLESS:
    return pf_fail(ctx, PF_ERR_MODEL, "it needs a regular mass matrix, and '%s' has no inertia of its own", q);
  case PF_TROUBLE_SINGULAR:
    return pf_fail(ctx, PF_ERR_NUMBER, "this formulation breaks down in this state%s%s", coordinate ? " at " : "",
                   coordinate ? q : "");
  case PF_TROUBLE_AMBIGUOUS:
    pf_fail(ctx, PF_ERR_MODEL, "the friction depends on the force of the constraint '%s', which redundant constraints "
            "leave undetermined", c);
    pf_hint(ctx, "leave out the redundant constraint");
    return PF_ERR_MODEL;
  case PF_TROUBLE_NO_CONVERGENCE:
    if (row >= 0 && row < model->constraint_count && model->constraints[row].surface) {
      pf_fail(ctx, PF_ERR_NUMBER, "no forces were found that keep the motion at %s = 0, where a force or a constraint "
              "switches", c);
      pf_hint(ctx,
              "a smooth law there, as sqrt(x^2 + eps^2) for abs(x) or tanh(x/eps) for sign(x), has no such surface");
      return PF_ERR_NUMBER;
    }
    pf_fail(ctx, PF_ERR_NUMBER, "no constraint forces were found that agree with the friction they cause; that of "
            "'%s' does not settle", c);
    pf_hint(ctx, "with Coulomb friction there may be none, or several; try a smaller coefficient or a smoother law");
    return PF_ERR_NUMBER;
  }
  return PF_ERR_ARGUMENT;
}
