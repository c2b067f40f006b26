/* SPDX-License-Identifier: Apache-2.0 */
/* A solver: one formulation made ready for one system.
 *
 * A solver is made for a system by pf_solver_new_for, which gives the formulation room in an arena of its own.
 * pf_solver_accelerate evaluates the tape of the system at a state, puts the numbers into units that make coordinates
 * alike (units.c), and lets the formulation find accelerations and multipliers; forces that depend on multipliers go
 * through Newton's method (friction.c). A formulation may answer from the state alone, before M, F, A and b are
 * evaluated, and a fallback solver may take over where it has trouble. Nothing is allocated after a solver was made. */
#include "form/extended_form.h"
#include "form/form_impl.h"
#include "form/sparse.h"

#include <math.h>
#include <string.h>

static const PfFormulation *const formulations[] = {
  &pf_form_multipliers, &pf_form_elimination, &pf_form_udwadia_kalaba, &pf_form_udwadia_phohomsiri, &pf_form_rosenberg,
  &pf_form_rosenberg_extended, &pf_form_maggi, &pf_form_laconic, &pf_form_cascade,
  &pf_form_recursive,
};

enum { FORMULATIONS = sizeof formulations/sizeof *formulations };

/* In the order in which `compare` lists them; NULL past the last. */
const PfFormulation *pf_formulation(int index)
{
  return index >= 0 && index < FORMULATIONS ? formulations[index] : NULL;
}

/* By its name or a synonym (pf_form_name); NULL when there is none. */
const PfFormulation *pf_formulation_find(const char *name)
{
  name = pf_form_name(name);
  if (!strcmp(name, pf_form_auto.name)) return &pf_form_auto;
  for (int i = 0; i < FORMULATIONS; i++)
    if (!strcmp(formulations[i]->name, name)) return formulations[i];
  return NULL;
}

/* The nearest name to a misspelt one; NULL when none is near. */
const char *pf_formulation_similar(const char *name)
{
  const char *similar = NULL, *const others[] = {"lagrange", pf_form_auto.name};
  int best = 0;
  for (int i = 0; i < FORMULATIONS; i++)
    if (pf_name_is_nearer(name, formulations[i]->name, &best)) similar = formulations[i]->name;
  for (size_t i = 0; i < sizeof others/sizeof *others; i++)
    if (pf_name_is_nearer(name, others[i], &best)) similar = others[i];
  return similar;
}

/* The diagnostic for a name that is not known, with a hint; always PF_ERR_ARGUMENT. */
PfStatus pf_formulation_unknown(PfContext *ctx, const char *name)
{
  const char *similar = pf_formulation_similar(name), *form, *summary;
  for (int i = 0; (form = pf_derived_form(i, &summary)); i++) {
    if (strcmp(form, name)) continue;
    pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "form"},
               "'%s' is a form of printed equations, @call{derive @form{%s}}, not a formulation", name, name);
    if (!strcmp(name, "hamilton")) pf_hint(ctx, "the same motion in coordinates and velocities: @form{multipliers}");
    else if (strcmp(name, "hamel_wrong")) pf_hint(ctx, "maggi and laconic are formulations with the same equations");
    else pf_hint(ctx, "its equations are wrong except for some models; @call{derive} says whether they are");
    return PF_ERR_ARGUMENT;
  }
  pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "form"}, "there is no formulation '%s'", name);
  if (similar) {
    pf_hint(ctx, "did you mean '%s'?", similar);
    return PF_ERR_ARGUMENT;
  }
  char list[256] = "";
  for (size_t i = 0, used = 0; i < FORMULATIONS && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s, ", formulations[i]->name);
  pf_hint(ctx, "there are: %s%s", list, pf_form_auto.name);
  return PF_ERR_ARGUMENT;
}

/* As it is written in options. */
const char *pf_formulation_name(const PfFormulation *formulation)
{
  return formulation->name;
}

/* Paper and equations, for people. */
const char *pf_formulation_source(const PfFormulation *formulation)
{
  return formulation->source;
}

/* One sentence, for help. */
const char *pf_formulation_summary(const PfFormulation *formulation)
{
  return formulation->summary;
}

/* ---------------------------------------------------------------- memory */

/* With `kept` the block is part of the state that snapshots save. */
void *pf_solver_alloc(PfSolver *solver, size_t count, size_t size, bool kept)
{
  void *block = pf_arena_alloc(solver->arena, count, size);
  if (!block || (kept && !pf_checkpoint_add(solver->arena, &solver->checkpoint, block, count*size))) return NULL;
  return block;
}

/* Belongs to the solver. */
const PfCheckpoint *pf_solver_checkpoint(const PfSolver *solver)
{
  return &solver->checkpoint;
}

/* PF_ERR_MEMORY with the name of the formulation. */
PfStatus pf_solver_no_room(PfSolver *solver)
{
  return pf_fail(solver->ctx, PF_ERR_MEMORY, "no room for the formulation '%s'", solver->formulation->name);
}

/* Stops at the first array without memory. */
PfStatus pf_solver_rooms(PfSolver *s, const PfRoom *rooms)
{
  for (; rooms->at; rooms++)
    if (!(*rooms->at = pf_solver_array(s, double, (size_t)rooms->rows*(size_t)rooms->columns)))
      return pf_solver_no_room(s);
  return PF_OK;
}

/* Room for the numbers of a state; `load` is F itself where C is zero at all times. */
static PfStatus prepare_numbers(PfSolver *s)
{
  const PfSystem *system = s->system;
  const int n = system->n, m = system->m;
  PfNumbers *at = &s->at;
  at->all = pf_solver_array(s, double, system->mass_size + system->force_size + ((size_t)m + 1)*(size_t)n + (size_t)m);
  if (!at->all) return pf_solver_no_room(s);
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&at->unit_A, m, n}, {&at->unit_b, m, 1}, {&at->unit, m, 1},
                                       {&s->typical, m, 1}, {&s->own_values, system->symbols.count, 1},
                                       {&s->inertia, n, 1}, {0}}));
  at->M = at->all;
  at->F = at->M + system->mass_size;
  at->A = at->F + system->force_size;
  at->b = at->A + (size_t)m*(size_t)n;
  at->C = at->b + m;
  const bool ideal = system->output_count == 0 || system->place[system->output_count - 1] < at->C - at->all;
  at->load = ideal ? at->F : pf_solver_array(s, double, n);
  return at->load ? PF_OK : pf_solver_no_room(s);
}

/* Matrices are left out where the sparse form is enough for a system that is too large for them. */
static PfStatus prepare(PfSolver *s)
{
  if (s->system->in_bodies && s->formulation != &pf_form_recursive)
    return pf_fail(s->ctx, PF_ERR_MODEL, "it needs M and F, which were not derived");
  if (s->formulation->check) PF_TRY(s->formulation->check(s));
  s->tape_work = pf_solver_scratch(s, double, pf_tape_work_size(s->system->tape));
  if (!s->tape_work) return pf_solver_no_room(s);
  if (s->formulation == &pf_form_multipliers) PF_TRY(pf_sparse_form_make(s));
  if (s->formulation == &pf_form_multipliers) PF_TRY(pf_extended_form_make(s));
  if (!pf_solver_is_bare(s)) PF_TRY(prepare_numbers(s));
  if (!pf_solver_is_bare(s)) PF_TRY(pf_units_make(s));
  PF_TRY(pf_friction_make(s));
  return s->formulation->prepare(s);
}

/* *solver is NULL on failure; the message says why the formulation does not apply. The plan is only read here, and need
 * not outlive the call. */
PfStatus pf_solver_new_for(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                           const PfSolverPlan *plan, PfSolver **solver)
{
  *solver = NULL;
  if (formulation == &pf_form_auto) return pf_solver_choose(ctx, system, plan, solver);
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSolver *s = arena ? pf_arena_array(arena, PfSolver, 1) : NULL;
  if (!s) {
    pf_arena_free(arena);
    return pf_fail(ctx, PF_ERR_MEMORY, "no room for the formulation '%s'", formulation->name);
  }
  *s = (PfSolver){.ctx = ctx, .arena = arena, .system = system, .formulation = formulation, .plan = plan};
  s->unknowns = system->n;
  pf_solver_tolerate(s, 0);
  PfStatus status = prepare(s);
  s->plan = NULL;
  if (status == PF_OK) *solver = s;
  else pf_solver_free(s);
  return status;
}

/* `values` are numbers of pf_system_symbols, by which a formulation may choose pivots and parameters. */
PfStatus pf_solver_new_at(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                          const double *values, PfSolver **solver)
{
  return pf_solver_new_for(ctx, system, formulation, &(PfSolverPlan){.values = values}, solver);
}

/* Without numbers: choices are made when the first state comes. */
PfStatus pf_solver_new(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation, PfSolver **solver)
{
  return pf_solver_new_at(ctx, system, formulation, NULL, solver);
}

/* The solver owns the fallback afterwards. False without memory, and then it does not. */
bool pf_solver_set_fallback(PfSolver *s, PfSolver *fallback)
{
  if (!pf_checkpoint_add_all(s->arena, &s->checkpoint, &fallback->checkpoint)) return false;
  s->fallback = fallback;
  /* it is asked now and then, and has not seen all states */
  if (s->typical && fallback->typical) fallback->typical = s->typical;
  return true;
}

/* `drift` is how far rows that follow from others may be off, relative to their length: inside a step constraints do
 * not quite hold. 0: they hold. */
void pf_solver_tolerate(PfSolver *s, double drift)
{
  if (s->fallback) pf_solver_tolerate(s->fallback, drift);
  s->rank_tolerance = fmax(PF_RANK_TOLERANCE, drift);
  s->drifts = drift > 0;
  s->agreement = fmax(PF_AGREEMENT, 10*drift);
}

/* Rows marked in `rows` (m, which must live on) count as zero, and their multipliers are 0; NULL: none. */
void pf_solver_skip(PfSolver *s, const bool *rows)
{
  if (s->fallback) pf_solver_skip(s->fallback, rows);
  s->skipped = NULL;
  for (int k = 0; rows && k < s->system->m; k++)
    if (rows[k]) s->skipped = rows;
}

/* With its fallback; NULL is allowed. */
void pf_solver_free(PfSolver *solver)
{
  if (!solver) return;
  if (solver->release) solver->release(solver);
  pf_solver_free(solver->fallback);
  pf_arena_free(solver->arena);
}

/* How many unknowns its linear system has at this rank, for `compare`. */
int pf_solver_unknowns(const PfSolver *solver, int rank)
{
  return solver->unknowns + rank*solver->unknowns_per_rank;
}

/* That of the solver itself, not of its fallback. */
const PfFormulation *pf_solver_formulation(const PfSolver *solver)
{
  return solver->formulation;
}

/* ---------------------------------------------------------------- services */

/* Valid until the next evaluation. */
const PfByproducts *pf_solver_byproducts(const PfSolver *solver)
{
  return &solver->byproducts;
}

/* The largest sizes are forgotten. */
void pf_solver_measure_rows(PfSolver *solver, const double *length)
{
  if (solver->fallback) pf_solver_measure_rows(solver->fallback, length);
  solver->length = length;
  for (int i = 0; solver->typical && i < solver->system->m; i++) solver->typical[i] = 0;
}

/* Nothing where the formulation does not know them. */
void pf_solver_raise_lengths(const PfSolver *solver, double *length)
{
  if (solver->formulation->raise_lengths) solver->formulation->raise_lengths(solver, length);
}

/* PF_PROJECTED_NOT where the formulation has no projection of its own. */
PfProjected pf_solver_project(PfSolver *solver, double *values, const double *scale, double enough)
{
  return solver->formulation->project ? solver->formulation->project(solver, values, scale, enough) : PF_PROJECTED_NOT;
}

/* In joules. False where the formulation has none. */
bool pf_solver_energies(PfSolver *solver, const double *values, double *kinetic, double *potential)
{
  if (!solver->formulation->find_energies) return false;
  solver->formulation->find_energies(solver, values, kinetic, potential);
  return true;
}

/* False where the formulation has none. */
bool pf_solver_totals(PfSolver *solver, const double *values, PfTreeTotals *totals)
{
  if (!solver->formulation->find_totals) return false;
  solver->formulation->find_totals(solver, values, totals);
  return true;
}

/* ---------------------------------------------------------------- small products */

/* Sums run in the order of columns, so that zeros at all times do not change a bit. */
void pf_mass_times(const PfSolver *s, const double *x, double *y)
{
  const int *column = s->system->mass_column, *first = s->system->mass_first;
  const size_t n = (size_t)s->system->n;
  const double *row = s->at.M;
  for (size_t i = 0; i < n; i++, row += n) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; k++) {
      const size_t j = (size_t)column[k];
      sum += row[j]*x[j];
    }
    y[i] = sum;
  }
}

/* The result is kept until the next evaluation: the force of the constraints needs it again. */
const double *pf_inertia(PfSolver *s, const double *acceleration)
{
  pf_mass_times(s, acceleration, s->inertia);
  s->inertia_known = true;
  return s->inertia;
}

/* The same order of sums as in pf_mass_times. */
void pf_mass_product(const PfSolver *s, const double *N, int free, double *MN)
{
  const int *column = s->system->mass_column, *first = s->system->mass_first, n = s->system->n;
  const double *row = s->at.M;
  for (int i = 0; i < n; i++, row += n)
    for (int j = 0; j < free; j++) {
      double sum = 0;
      for (int k = first[i]; k < first[i + 1]; k++) {
        const size_t l = (size_t)column[k];
        sum += row[l]*N[l*(size_t)free + (size_t)j];
      }
      *MN++ = sum;
    }
}

/* Row by row. */
void pf_times(const double *A, int m, int n, const double *x, double *y)
{
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i*n + j]*x[j];
    y[i] = sum;
  }
}

/* y = A^T x is a sum of rows. */
void pf_transposed_times(const double *A, int m, int n, const double *x, double *y)
{
  for (int j = 0; j < n; j++) y[j] = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) y[j] += A[i*n + j]*x[i];
}

/* C must not be A or B. */
void pf_product(const double *A, const double *B, int p, int k, int q, double *C)
{
  for (int i = 0; i < p; i++)
    for (int j = 0; j < q; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += A[i*k + l]*B[l*q + j];
      C[i*q + j] = sum;
    }
}

/* ---------------------------------------------------------------- one evaluation */

/* For messages about numbers that are not finite. */
int pf_solver_row_of_entry(const PfSystem *system, int64_t entry)
{
  const int64_t n = system->n, m = system->m, mass = (int64_t)system->mass_size, force = (int64_t)system->force_size;
  if (entry < mass) return (int)(entry/n);
  entry -= mass;
  if (entry < force) return (int)entry;
  entry -= force;
  if (entry < m*n) return (int)(n + entry/n);
  entry -= m*n;
  return (int)(entry < m ? n + entry : entry - m);
}

/* The array must live as long as it is set; NULL: none. */
void pf_solver_set_extra_force(PfSolver *s, const double *extra_force)
{
  if (s->fallback) pf_solver_set_extra_force(s->fallback, extra_force);
  s->extra_force = extra_force;
}

/* The array must live as long as it is set. */
void pf_solver_aim(PfSolver *s, const double *aim)
{
  if (s->fallback) pf_solver_aim(s->fallback, aim);
  s->aim = aim;
}

/* M, F, A, b and C at s->values, in the units of the solver. *row is the row of the first entry that is not finite. */
PfTrouble pf_solver_evaluate(PfSolver *s, int *row)
{
  const PfSystem *system = s->system;
  const size_t n = (size_t)system->n;
  /* The tape does not write entries that are zero at all times. */
  if (s->extra_force && !system->in_bodies) memset(s->at.F, 0, n*sizeof *s->at.F);
  if (!pf_tape_run_to_places(system->tape, s->values, system->place, s->at.all, s->tape_work)) {
    const int *place = system->place; /* of the first that is not finite */
    while (isfinite(s->at.all[*place])) place++;
    *row = pf_solver_row_of_entry(system, *place);
    return PF_TROUBLE_NOT_FINITE;
  }
  if (s->units.column && !s->measured) pf_units_find(s);
  for (size_t i = 0; s->extra_force && !system->in_bodies && i < n; i++) s->at.F[i] += s->extra_force[i];
  for (size_t i = 0; s->aim && i < n; i++) {
    if (isnan(s->aim[i])) continue;
    double *M = s->at.M + i*n + i;
    s->at.F[i] += *M*s->aim[i];
    *M *= 2;
  }
  pf_units_enter(s);
  for (size_t i = 0; s->at.load != s->at.F && i < n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i];
  for (int k = 0; s->skipped && k < system->m; k++) {
    if (!s->skipped[k]) continue;
    memset(s->at.A + (size_t)k*n, 0, n*sizeof *s->at.A);
    s->at.b[k] = 0;
  }
  return PF_TROUBLE_NONE;
}

typedef enum Evaluated { NOTHING_EVALUATED, EVALUATED } Evaluated;

/* M q'' - F; M and F may have to be evaluated first. */
static PfTrouble find_force(PfSolver *s, Evaluated numbers, PfMotion *motion, int *row)
{
  if (s->system->in_bodies) {
    pf_transposed_times(s->at.A, s->system->m, s->system->n, motion->multiplier, motion->force);
    return PF_TROUBLE_NONE;
  }
  PfTrouble trouble = numbers == EVALUATED ? PF_TROUBLE_NONE : pf_solver_evaluate(s, row);
  pf_units_into(s, motion->acceleration);
  const double *inertia = s->inertia_known ? s->inertia : pf_inertia(s, motion->acceleration);
  for (int i = 0; i < s->system->n; i++) motion->force[i] = inertia[i] - s->at.F[i];
  pf_units_back(s, motion->acceleration);
  pf_units_into(s, motion->force);
  return trouble;
}

/* For systems without friction by multipliers. */
static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  if (!s->at.all) return s->formulation->accelerate(s, motion, row); /* it has no room for these numbers */
  PfTrouble trouble = pf_solver_evaluate(s, row);
  return trouble == PF_TROUBLE_NONE ? s->formulation->accelerate(s, motion, row) : trouble;
}

/* `motion` gets accelerations (n) and multipliers (m) and, where it has room, the force of the constraints (n), in the
 * units of the model. *row is a coordinate or a constraint, by the kind of trouble, or -1. */
PfTrouble pf_solver_accelerate(PfSolver *s, const double *values, PfMotion *motion, int *row)
{
  *row = -1;
  s->inertia_known = s->byproducts.known = false;
  s->values = values;
  if (s->formulation->answer && s->formulation->answer(s, motion)) {
    if (!motion->force) return PF_TROUBLE_NONE;
    if (!s->formulation->find_force) return find_force(s, NOTHING_EVALUATED, motion, row);
    s->formulation->find_force(s, motion);
    return PF_TROUBLE_NONE;
  }
  PfTrouble trouble;
  if (s->system->friction) { /* iterates with multipliers of its own among the values */
    memcpy(s->own_values, values, (size_t)s->system->symbols.lambda*sizeof *values);
    s->values = s->own_values;
    trouble = pf_friction_solve(s, motion, row);
    s->inertia_known = false; /* it may be that of a trial */
  } else {
    trouble = accelerate(s, motion, row);
  }
  pf_units_back(s, motion->acceleration);
  if (trouble == PF_TROUBLE_NONE) return motion->force ? find_force(s, EVALUATED, motion, row) : trouble;
  return s->fallback ? pf_solver_accelerate(s->fallback, values, motion, row) : trouble;
}
