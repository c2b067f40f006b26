/* SPDX-License-Identifier: Apache-2.0 */
/* A solver: one formulation made ready for one system. */
#include "form/form_impl.h"
#include "form/lifted.h"
#include "form/sparse.h"

#include <math.h>
#include <string.h>

static const PfFormulation *const formulations[] = {
  &pf_form_multipliers, &pf_form_elimination, &pf_form_udwadia_kalaba, &pf_form_udwadia_phohomsiri, &pf_form_rosenberg,
  &pf_form_rosenberg_extended, &pf_form_maggi, &pf_form_laconic, &pf_form_cascade,
  &pf_form_recursive,
};

enum { FORMULATIONS = sizeof formulations/sizeof *formulations };

const PfFormulation *pf_formulation(int index)
{
  return index >= 0 && index < FORMULATIONS ? formulations[index] : NULL;
}

const PfFormulation *pf_formulation_find(const char *name)
{
  name = pf_form_name(name);
  if (!strcmp(name, pf_form_auto.name)) return &pf_form_auto;
  for (int i = 0; i < FORMULATIONS; i++)
    if (!strcmp(formulations[i]->name, name)) return formulations[i];
  return NULL;
}

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

PfStatus pf_formulation_unknown(PfContext *ctx, const char *name)
{
  const char *similar = pf_formulation_similar(name);
  pf_fail(ctx, PF_ERR_ARGUMENT, "there is no formulation '%s'", name);
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

const char *pf_formulation_name(const PfFormulation *formulation)
{
  return formulation->name;
}

const char *pf_formulation_source(const PfFormulation *formulation)
{
  return formulation->source;
}

const char *pf_formulation_summary(const PfFormulation *formulation)
{
  return formulation->summary;
}

/* ---------------------------------------------------------------- memory */

void *pf_solver_alloc(PfSolver *solver, size_t count, size_t size, bool kept)
{
  void *block = pf_arena_alloc(solver->arena, count, size);
  if (!block || (kept && !pf_keep(solver->arena, &solver->kept, block, count*size))) return NULL;
  return block;
}

const PfKept *pf_solver_kept(const PfSolver *solver)
{
  return &solver->kept;
}

PfStatus pf_solver_no_room(PfSolver *solver)
{
  return pf_fail(solver->ctx, PF_ERR_MEMORY, "no room for the formulation '%s'", solver->formulation->name);
}

static PfStatus prepare_tape(PfSolver *s)
{
  s->tape_work = pf_solver_scratch(s, double, pf_tape_work_size(s->system->tape));
  return s->tape_work ? PF_OK : pf_solver_no_room(s);
}

static PfStatus prepare_numbers(PfSolver *s)
{
  size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  PfNumbers *at = &s->at;
  at->all = pf_solver_array(s, double, s->system->mass_size + s->system->force_size + m*n + m + n);
  at->unit_A = pf_solver_array(s, double, m*n);
  at->unit_b = pf_solver_array(s, double, m);
  at->unit = pf_solver_array(s, double, m);
  s->usual = pf_solver_array(s, double, m);
  s->own_values = pf_solver_array(s, double, s->system->symbols.count);
  s->inertia = pf_solver_array(s, double, n);
  bool good = at->all && at->unit_A && at->unit_b && at->unit && s->usual && s->own_values && s->inertia;
  if (!good) return pf_solver_no_room(s);
  at->M = at->all;
  at->F = at->M + s->system->mass_size;
  at->A = at->F + s->system->force_size;
  at->b = at->A + m*n;
  at->C = at->b + m;
  bool ideal = s->system->output_count == 0 || s->system->place[s->system->output_count - 1] < at->C - at->all;
  at->load = ideal ? at->F : pf_solver_array(s, double, n);
  return at->load ? PF_OK : pf_solver_no_room(s);
}

static PfStatus check_outline(PfSolver *s)
{
  if (!s->system->in_bodies || s->formulation == &pf_form_recursive) return PF_OK;
  return pf_fail(s->ctx, PF_ERR_MODEL, "it needs M and F, which were not derived");
}

static PfStatus prepare(PfSolver *s)
{
  PF_TRY(check_outline(s));
  if (s->formulation->check) PF_TRY(s->formulation->check(s));
  PF_TRY(prepare_tape(s));
  if (s->formulation == &pf_form_multipliers) PF_TRY(pf_sparse_form_make(s));
  if (s->formulation == &pf_form_multipliers) PF_TRY(pf_lifted_form_make(s));
  if (!pf_solver_is_bare(s)) PF_TRY(prepare_numbers(s));
  if (!pf_solver_is_bare(s)) PF_TRY(pf_units_make(s));
  PF_TRY(pf_friction_make(s));
  return s->formulation->prepare(s);
}

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

PfStatus pf_solver_new_at(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                          const double *values, PfSolver **solver)
{
  return pf_solver_new_for(ctx, system, formulation, &(PfSolverPlan){.values = values}, solver);
}

PfStatus pf_solver_new(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation, PfSolver **solver)
{
  return pf_solver_new_at(ctx, system, formulation, NULL, solver);
}

bool pf_solver_set_reserve(PfSolver *s, PfSolver *reserve)
{
  if (!pf_keep_all(s->arena, &s->kept, &reserve->kept)) return false;
  s->reserve = reserve;
  /* it is asked now and then, and has not seen all states */
  if (s->usual && reserve->usual) reserve->usual = s->usual;
  return true;
}

void pf_solver_tolerate(PfSolver *s, double drift)
{
  if (s->reserve) pf_solver_tolerate(s->reserve, drift);
  s->rank_tolerance = fmax(PF_RANK_TOLERANCE, drift);
  s->drifts = drift > 0;
  s->agreement = fmax(PF_AGREEMENT, 10*drift);
}

void pf_solver_skip(PfSolver *s, const bool *rows)
{
  if (s->reserve) pf_solver_skip(s->reserve, rows);
  s->skipped = NULL;
  for (int k = 0; rows && k < s->system->m; k++)
    if (rows[k]) s->skipped = rows;
}

void pf_solver_free(PfSolver *solver)
{
  if (!solver) return;
  if (solver->release) solver->release(solver);
  pf_sparse_form_release(solver);
  pf_lifted_form_release(solver);
  pf_solver_free(solver->reserve);
  pf_arena_free(solver->arena);
}

int pf_solver_unknowns(const PfSolver *solver, int rank)
{
  return solver->unknowns + rank*solver->unknowns_per_rank;
}

const PfFormulation *pf_solver_formulation(const PfSolver *solver)
{
  return solver->formulation;
}

/* ---------------------------------------------------------------- services */

const PfTold *pf_solver_told(const PfSolver *solver)
{
  return &solver->told;
}

void pf_solver_measure_rows(PfSolver *solver, const double *length)
{
  if (solver->reserve) pf_solver_measure_rows(solver->reserve, length);
  solver->length = length;
  for (int i = 0; solver->usual && i < solver->system->m; i++) solver->usual[i] = 0;
}

void pf_solver_raise_lengths(const PfSolver *solver, double *length)
{
  if (solver->formulation->raise_lengths) solver->formulation->raise_lengths(solver, length);
}

PfProjected pf_solver_project(PfSolver *solver, double *values, const double *scale, double enough)
{
  return solver->formulation->project ? solver->formulation->project(solver, values, scale, enough) : PF_PROJECTED_NOT;
}

bool pf_solver_energies(PfSolver *solver, const double *values, double *kinetic, double *potential)
{
  if (!solver->formulation->find_energies) return false;
  solver->formulation->find_energies(solver, values, kinetic, potential);
  return true;
}

bool pf_solver_totals(PfSolver *solver, const double *values, PfTreeTotals *totals)
{
  if (!solver->formulation->find_totals) return false;
  solver->formulation->find_totals(solver, values, totals);
  return true;
}

/* ---------------------------------------------------------------- small products */

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

const double *pf_inertia(PfSolver *s, const double *acceleration)
{
  pf_mass_times(s, acceleration, s->inertia);
  s->inertia_known = true;
  return s->inertia;
}

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

void pf_times(const double *A, int m, int n, const double *x, double *y)
{
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i*n + j]*x[j];
    y[i] = sum;
  }
}

void pf_transposed_times(const double *A, int m, int n, const double *x, double *y)
{
  for (int j = 0; j < n; j++) y[j] = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) y[j] += A[i*n + j]*x[i];
}

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

/* The first of the outputs of the tape that is not finite. */
static int faulty_entry(const PfSolver *s)
{
  const int *place = s->system->place;
  while (isfinite(s->at.all[*place])) place++;
  return *place;
}

static PfTrouble evaluate_all(PfSolver *s, int *row)
{
  const PfSystem *system = s->system;
  if (pf_tape_run_to_places(system->tape, s->values, system->place, s->at.all, s->tape_work)) return PF_TROUBLE_NONE;
  *row = pf_solver_row_of_entry(system, faulty_entry(s));
  return PF_TROUBLE_NOT_FINITE;
}

static void clear_skipped(PfSolver *s)
{
  size_t n = (size_t)s->system->n;
  for (int k = 0; k < s->system->m; k++) {
    if (!s->skipped[k]) continue;
    memset(s->at.A + (size_t)k*n, 0, n*sizeof *s->at.A);
    s->at.b[k] = 0;
  }
}

void pf_solver_push(PfSolver *s, const double *push)
{
  if (s->reserve) pf_solver_push(s->reserve, push);
  s->push = push;
}

void pf_solver_aim(PfSolver *s, const double *aim)
{
  if (s->reserve) pf_solver_aim(s->reserve, aim);
  s->aim = aim;
}

static void add_aim(PfSolver *s)
{
  size_t n = (size_t)s->system->n;
  for (size_t i = 0; s->aim && i < n; i++) {
    if (isnan(s->aim[i])) continue;
    double *M = s->at.M + i*n + i;
    s->at.F[i] += *M*s->aim[i];
    *M *= 2;
  }
}

PfTrouble pf_solver_evaluate(PfSolver *s, int *row)
{
  const PfSystem *system = s->system;
  /* the tape leaves alone what is zero at all times */
  if (s->push && !system->in_bodies) memset(s->at.F, 0, (size_t)system->n*sizeof *s->at.F);
  PfTrouble trouble = evaluate_all(s, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  if (s->units.column && !s->measured) pf_units_find(s);
  for (int i = 0; s->push && !system->in_bodies && i < system->n; i++) s->at.F[i] += s->push[i];
  add_aim(s);
  pf_units_enter(s);
  for (int i = 0; s->at.load != s->at.F && i < system->n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i];
  if (s->skipped) clear_skipped(s);
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

/* The same after `answer`, which has left M and F alone, or knows better. */
static PfTrouble find_force_of_answer(PfSolver *s, PfMotion *motion, int *row)
{
  if (!motion->force) return PF_TROUBLE_NONE;
  if (!s->formulation->find_force) return find_force(s, NOTHING_EVALUATED, motion, row);
  s->formulation->find_force(s, motion);
  return PF_TROUBLE_NONE;
}

static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  if (!s->at.all) return s->formulation->accelerate(s, motion, row); /* it has no room for these numbers */
  PfTrouble trouble = pf_solver_evaluate(s, row);
  return trouble == PF_TROUBLE_NONE ? s->formulation->accelerate(s, motion, row) : trouble;
}

/* With multipliers of its own among the values. */
static PfTrouble accelerate_with_friction(PfSolver *s, PfMotion *motion, int *row)
{
  memcpy(s->own_values, s->values, (size_t)s->system->symbols.lambda*sizeof *s->values);
  s->values = s->own_values;
  PfTrouble trouble = pf_friction_solve(s, motion, row);
  s->inertia_known = false; /* it may be that of a trial */
  return trouble;
}

PfTrouble pf_solver_accelerate(PfSolver *s, const double *values, PfMotion *motion, int *row)
{
  *row = -1;
  s->inertia_known = s->told.known = false;
  s->values = values;
  if (s->formulation->answer && s->formulation->answer(s, motion)) return find_force_of_answer(s, motion, row);
  PfTrouble trouble = s->system->friction ? accelerate_with_friction(s, motion, row) : accelerate(s, motion, row);
  pf_units_back(s, motion->acceleration);
  if (trouble == PF_TROUBLE_NONE) return motion->force ? find_force(s, EVALUATED, motion, row) : trouble;
  return s->reserve ? pf_solver_accelerate(s->reserve, values, motion, row) : trouble;
}
