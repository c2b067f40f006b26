/* A solver: one formulation made ready for one system, and the outer iteration for forces that depend on the
 * constraint forces. */
#include "form/form_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const PfFormulation *const formulations[] = {
  &pf_form_multipliers, &pf_form_udwadia_kalaba, &pf_form_udwadia_phohomsiri, &pf_form_rosenberg,
  &pf_form_rosenberg_extended, &pf_form_maggi, &pf_form_laconic, &pf_form_cascade,
};

enum { FORMULATIONS = sizeof formulations/sizeof *formulations, MOST_ITERATIONS = 60 };

const PfFormulation *pf_formulation(int index)
{
  return index >= 0 && index < FORMULATIONS ? formulations[index] : NULL;
}

const PfFormulation *pf_formulation_find(const char *name)
{
  for (int i = 0; i < FORMULATIONS; i++)
    if (!strcmp(formulations[i]->name, name)) return formulations[i];
  return NULL;
}

/* ---------------------------------------------------------------- memory */

void *pf_solver_alloc(PfSolver *solver, size_t count, size_t size)
{
  void *block = pf_arena_alloc(solver->arena, count, size);
  if (block) solver->bytes += count*size;
  return block;
}

PfStatus pf_solver_no_room(PfSolver *solver)
{
  return pf_fail(solver->ctx, PF_ERR_MEMORY, "no room for the formulation '%s'", solver->formulation->name);
}

static PfStatus prepare_numbers(PfSolver *s)
{
  size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  PfNumbers *at = &s->at;
  at->all = pf_solver_array(s, double, n*n + n + m*n + m + n);
  at->load = pf_solver_array(s, double, n);
  at->unit_A = pf_solver_array(s, double, m*n);
  at->unit_b = pf_solver_array(s, double, m);
  at->unit = pf_solver_array(s, double, m);
  s->values = pf_solver_array(s, double, s->system->symbols.count);
  s->tape_work = pf_solver_array(s, double, pf_tape_work_size(s->system->tape));
  bool good = at->all && at->load && at->unit_A && at->unit_b && at->unit && s->values && s->tape_work;
  if (!good) return pf_solver_no_room(s);
  at->M = at->all;
  at->F = at->M + n*n;
  at->A = at->F + n;
  at->b = at->A + m*n;
  at->C = at->b + m;
  return PF_OK;
}

static PfStatus prepare_friction(PfSolver *s)
{
  if (!s->system->friction) return PF_OK;
  int n = s->system->n, m = s->system->m;
  size_t nm = (size_t)n*(size_t)m, mm = (size_t)m*(size_t)m;
  s->slope = pf_solver_array(s, double, nm);
  s->slope_work = pf_solver_array(s, double, pf_tape_work_size(s->system->slope));
  s->trial = pf_solver_array(s, double, 2*(size_t)m);
  s->residual = pf_solver_array(s, double, m);
  s->step = pf_solver_array(s, double, m);
  s->jacobian = pf_solver_array(s, double, mm);
  s->column = pf_solver_array(s, double, n);
  if (!s->slope || !s->slope_work || !s->trial || !s->residual || !s->step || !s->jacobian || !s->column)
    return pf_solver_no_room(s);
  return pf_qr_make(s->ctx, s->arena, m, m, &s->friction_qr);
}

static PfStatus prepare(PfSolver *s)
{
  PF_TRY(prepare_numbers(s));
  PF_TRY(prepare_friction(s));
  return s->formulation->prepare(s);
}

PfStatus pf_solver_new(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation, PfSolver **solver)
{
  *solver = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSolver *s = arena ? pf_arena_array(arena, PfSolver, 1) : NULL;
  if (!s) {
    pf_arena_free(arena);
    return pf_fail(ctx, PF_ERR_MEMORY, "no room for the formulation '%s'", formulation->name);
  }
  *s = (PfSolver){.ctx = ctx, .arena = arena, .system = system, .formulation = formulation};
  s->unknowns = system->n;
  PfStatus status = prepare(s);
  if (status == PF_OK) *solver = s;
  else pf_solver_free(s);
  return status;
}

void pf_solver_free(PfSolver *solver)
{
  if (!solver) return;
  if (solver->release) solver->release(solver);
  pf_arena_free(solver->arena);
}

int pf_solver_unknowns(const PfSolver *solver)
{
  return solver->unknowns;
}

size_t pf_solver_workspace(const PfSolver *solver)
{
  return solver->bytes;
}

const PfFormulation *pf_solver_formulation(const PfSolver *solver)
{
  return solver->formulation;
}

/* ---------------------------------------------------------------- small products */

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

static PfTrouble evaluate(PfSolver *s, int *row)
{
  int n = s->system->n, m = s->system->m;
  pf_tape_run(s->system->tape, s->values, s->at.all, s->tape_work);
  int bad = pf_first_not_finite(s->at.all, (size_t)(n*n + n + m*n + m + n));
  if (bad >= 0) {
    *row = bad < n*n              ? bad/n
           : bad < n*n + n        ? bad - n*n
           : bad < n*n + n + m*n  ? n + (bad - n*n - n)/n
           : bad < n*n + n + m*n + m ? n + bad - n*n - n - m*n
                                     : bad - (n*n + n + m*n + m);
    return PF_TROUBLE_NOT_FINITE;
  }
  for (int i = 0; i < n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i];
  return PF_TROUBLE_NONE;
}

static void find_force(PfSolver *s, PfMotion *motion)
{
  int n = s->system->n;
  pf_times(s->at.M, n, n, motion->acceleration, motion->force);
  for (int i = 0; i < n; i++) motion->force[i] -= s->at.F[i];
}

/* ---------------------------------------------------------------- forces that depend on the multipliers */

/* One pass: multipliers assumed -> non-ideal forces -> accelerations and multipliers. */
static PfTrouble pass(PfSolver *s, const double *assumed, PfMotion *motion, int *row)
{
  memcpy(s->values + s->system->symbols.lambda, assumed, (size_t)s->system->m*sizeof *assumed);
  PfTrouble trouble = evaluate(s, row);
  return trouble == PF_TROUBLE_NONE ? s->formulation->accelerate(s, motion, row) : trouble;
}

static double size_of(const double *x, int n)
{
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

/* r(lambda) = Lambda(C(lambda)) - lambda. The map from loads to multipliers is affine, so its derivative along a
 * column of dC/dlambda is one more pass with that column as additional load. */
static PfTrouble find_jacobian(PfSolver *s, const double *found, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m;
  pf_tape_run(s->system->slope, s->values, s->slope, s->slope_work);
  for (int k = 0; k < m; k++) {
    for (int i = 0; i < n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i] + s->slope[i*m + k];
    PfTrouble trouble = s->formulation->accelerate(s, motion, row);
    if (trouble != PF_TROUBLE_NONE) return trouble;
    for (int i = 0; i < m; i++) s->jacobian[i*m + k] = motion->multiplier[i] - found[i] - (i == k);
  }
  for (int i = 0; i < n; i++) s->at.load[i] = s->at.F[i] + s->at.C[i];
  return PF_TROUBLE_NONE;
}

/* Newton with halved steps. */
static PfTrouble agree(PfSolver *s, PfMotion *motion, int *row)
{
  int m = s->system->m;
  double *lambda = s->trial, *found = s->trial + m, last = INFINITY;
  memset(lambda, 0, (size_t)m*sizeof *lambda);
  memset(s->step, 0, (size_t)m*sizeof *lambda);
  double shorten = 1;
  for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    PfTrouble trouble = pass(s, lambda, motion, row);
    if (trouble != PF_TROUBLE_NONE) return trouble;
    for (int i = 0; i < m; i++) s->residual[i] = motion->multiplier[i] - lambda[i];
    double miss = size_of(s->residual, m), scale = 1e-300 + size_of(motion->multiplier, m);
    if (miss <= 1e-12*scale || miss == 0) return PF_TROUBLE_NONE;
    if (!(miss < last) && iteration > 0 && shorten > 1e-4) { /* go back half of the last step */
      shorten *= 0.5;
      for (int i = 0; i < m; i++) lambda[i] -= s->step[i]*shorten;
      continue;
    }
    last = miss;
    shorten = 1;
    memcpy(found, motion->multiplier, (size_t)m*sizeof *found);
    trouble = find_jacobian(s, found, motion, row);
    if (trouble != PF_TROUBLE_NONE) return trouble;
    if (pf_qr_factor(&s->friction_qr, s->jacobian, 0) != PF_OK) return PF_TROUBLE_NO_CONVERGENCE;
    for (int i = 0; i < m; i++) s->residual[i] = -s->residual[i];
    pf_qr_solve(&s->friction_qr, s->residual, s->step);
    for (int i = 0; i < m; i++) lambda[i] += s->step[i];
  }
  return PF_TROUBLE_NO_CONVERGENCE;
}

PfTrouble pf_solver_accelerate(PfSolver *s, const double *values, PfMotion *motion, int *row)
{
  *row = -1;
  memcpy(s->values, values, (size_t)s->system->symbols.lambda*sizeof *values);
  PfTrouble trouble;
  if (s->system->friction) {
    trouble = agree(s, motion, row);
  } else {
    for (int i = 0; i < s->system->m; i++) s->values[s->system->symbols.lambda + i] = 0;
    trouble = evaluate(s, row);
    if (trouble == PF_TROUBLE_NONE) trouble = s->formulation->accelerate(s, motion, row);
  }
  if (trouble == PF_TROUBLE_NONE) find_force(s, motion);
  return trouble;
}
