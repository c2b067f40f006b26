/* SPDX-License-Identifier: Apache-2.0 */
/* The formulation 'auto': which one a system is computed by when nobody says. It must give the same motion as
 * 'multipliers' wherever that has one, so only those are taken that are known to do so, and where another one has
 * trouble 'multipliers' is asked before the motion is given up. Among them the one that costs least, by counts of
 * operations: the choice is the same on every machine. */
#include "form/choose.h"

#include "form/lifted.h"
#include "form/recursive.h"
#include "form/sparse.h"
#include "num/sparse.h"

/* One that does not apply leaves no trace: *solver is NULL then. */
static PfStatus try_one(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                        const PfSolverPlan *plan, PfSolver **solver)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_solver_new_for(ctx, system, formulation, plan, solver);
  if (status == PF_OK || pf_is_final(status)) return status;
  pf_diagnostics_cut(ctx, before);
  return PF_OK;
}

/* Does it answer at the state of the plan, without falling back on another? */
static PfStatus serves(PfSolver *s, const PfSolverPlan *plan, bool *yes)
{
  int row;
  *yes = true;
  if (!plan->values) return PF_OK;
  PfMotion motion = {.acceleration = pf_solver_scratch(s, double, s->system->n),
                     .multiplier = pf_solver_scratch(s, double, s->system->m)};
  if (!motion.acceleration || !motion.multiplier) return pf_solver_no_room(s);
  *yes = pf_solver_accelerate(s, plan->values, &motion, &row) == PF_TROUBLE_NONE &&
         (!s->formulation->answer || s->told.known);
  return PF_OK;
}

/* ---------------------------------------------------------------- costs, in nanoseconds of one processor */

/* Measured on all examples and on chains of 2 to 30 bodies; only ratios matter. */
static const double per_call = 40, per_tape = 60, per_instruction = 1.15, per_row = 15, per_multiplication = 0.85;
/* By the structure of a large system, with the places of the elements looked up. */
static const double per_sparse_row = 15, per_sparse_multiplication = 2;
static const double per_joint = 100; /* of a recursion; a quaternion costs as much again */
/* Formulas of an elimination are long chains of divisions and products that wait for each other. */
static const double per_instruction_in_a_chain = 1.3;

double pf_cost_of_tape(int instructions)
{
  return per_tape + per_instruction*instructions;
}

double pf_cost_of_elimination(int instructions)
{
  return per_call + per_instruction_in_a_chain*instructions;
}

/* L D L^T of M, the rows through its factors, A M^-1 A^T and its factors. */
double pf_cost_of_multipliers(const PfSystem *system)
{
  double n = system->n, m = system->m;
  double products = n*n*n/6 + m*n*n/2 + m*m*n/2 + m*m*m/6 + n*n + m*n;
  return pf_cost_of_tape(pf_tape_instruction_count(system->tape)) + per_call + per_row*m + per_multiplication*products;
}

double pf_cost_of_structure(int instructions, int equations, double products)
{
  return pf_cost_of_tape(instructions) + per_call + per_sparse_row*equations + per_sparse_multiplication*products;
}

double pf_cost_of_matrices(const PfSolver *multipliers)
{
  const PfSystem *system = multipliers->system;
  const double products = pf_sparse_form_products(multipliers);
  if (products < 0) return pf_cost_of_multipliers(system);
  return pf_cost_of_structure(pf_tape_instruction_count(system->tape), system->n + system->m, products);
}

/* The same of a solver that may know sums of velocities. */
static double cost_of_solver(const PfSolver *multipliers)
{
  const double lifted = pf_lifted_form_cost(multipliers);
  return lifted < 0 ? pf_cost_of_matrices(multipliers) : lifted;
}

double pf_cost_of_recursion(const PfSolver *s)
{
  const PfRecursion *r = s->data;
  if (r->flow) return pf_cost_of_tape(pf_tape_instruction_count(r->flow));
  return per_call + pf_cost_of_tape(pf_tape_instruction_count(r->tape)) +
         per_joint*(pf_tree_count(r->tree) + s->system->eq->model->ball_count);
}

/* A tree that nothing binds but the lengths of quaternions does without M and F; whatever else binds, matrices are
 * faster. */
static bool is_cheap(const PfSolver *s, double limit)
{
  if (s->formulation != &pf_form_recursive) return true;
  const PfRecursion *r = s->data;
  return r->alone && r->row_count == 0 && pf_cost_of_recursion(s) < limit;
}

/* ---------------------------------------------------------------- the choice */

/* Elimination in formulas, or the recursion, when it costs less than the limit; else *solver is NULL. */
static PfStatus choose_cheap(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, double limit,
                             PfSolver **solver)
{
  static const PfFormulation *const choices[] = {&pf_form_elimination, &pf_form_recursive};
  PfSolverPlan cheap = *plan;
  cheap.cost_limit = limit;
  for (size_t i = 0; i < sizeof choices/sizeof *choices; i++) {
    PF_TRY(try_one(ctx, system, choices[i], &cheap, solver));
    if (!*solver) continue;
    bool good = is_cheap(*solver, cheap.cost_limit);
    PfStatus status = good ? serves(*solver, plan, &good) : PF_OK;
    if (good && status == PF_OK) return PF_OK;
    pf_solver_free(*solver);
    *solver = NULL;
    PF_TRY(status);
  }
  return PF_OK;
}

/* With a singular mass matrix or redundant constraints 'multipliers' factors the whole system orthogonally. Eliminating
 * dependent coordinates is five times faster then; where that has trouble the other one takes over. */
static PfStatus choose_instead(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  PfSolver *multipliers = *solver, *other = NULL;
  bool good = true;
  PF_TRY(serves(multipliers, plan, &good));
  if (!pf_multipliers_were_hard(multipliers)) return PF_OK;
  PF_TRY(try_one(ctx, system, &pf_form_rosenberg_extended, plan, &other));
  PfStatus status = other ? serves(other, plan, &good) : PF_OK;
  if (!other || !good || status != PF_OK) {
    pf_solver_free(other);
    return status;
  }
  if (!pf_solver_set_reserve(other, multipliers)) {
    pf_solver_free(other);
    return pf_solver_no_room(multipliers);
  }
  *solver = other;
  return PF_OK;
}

/* *solver is 'multipliers'; on failure it is freed. */
static PfStatus settle(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  if (!plan->values || system->m == 0) return PF_OK;
  PfStatus status = choose_instead(ctx, system, plan, solver);
  if (status == PF_OK) return PF_OK;
  pf_solver_free(*solver);
  *solver = NULL;
  return status;
}

/* What matrices cost is known when their structure is. */
static PfStatus choose_large(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  PfSolver *cheap = NULL;
  PF_TRY(pf_solver_new_for(ctx, system, &pf_form_multipliers, plan, solver));
  PfStatus status = choose_cheap(ctx, system, plan, cost_of_solver(*solver), &cheap);
  if (status == PF_OK && !cheap) return settle(ctx, system, plan, solver);
  pf_solver_free(*solver);
  *solver = cheap;
  return status;
}

PfStatus pf_solver_choose(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  if (system->in_bodies) return pf_solver_new_for(ctx, system, &pf_form_recursive, plan, solver);
  if (pf_saddle_is_large(system->n, system->m)) return choose_large(ctx, system, plan, solver);
  PF_TRY(choose_cheap(ctx, system, plan, pf_cost_of_multipliers(system), solver));
  if (*solver) return PF_OK;
  PF_TRY(pf_solver_new_for(ctx, system, &pf_form_multipliers, plan, solver));
  return settle(ctx, system, plan, solver);
}

static PfStatus never(PfSolver *solver)
{
  return pf_fail(solver->ctx, PF_ERR_ARGUMENT, "'auto' is a choice among formulations");
}

const PfFormulation pf_form_auto = {
  .name = "auto", .source = "a choice among the others, by what applies and what it costs",
  .summary = "elimination for small systems, recursive for large trees of bodies, rosenberg_extended for singular "
             "masses, else multipliers", .prepare = never};
