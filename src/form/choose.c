/* SPDX-License-Identifier: Apache-2.0 */
/* The formulation 'auto': which one a system is computed by when nobody says. It must give the same motion as
 * 'multipliers' wherever that has one, so only those are taken that are known to do so, and where another one has
 * trouble 'multipliers' is asked before the motion is given up. Among them the one that costs least, by counts of
 * operations: the choice is the same on every machine. */
#include "form/choose.h"

#include "form/extended_form.h"
#include "form/recursive.h"
#include "form/sparse.h"
#include "num/sparse.h"

/* One that does not apply leaves no trace: *solver is NULL then. Lack of memory and cancellation are passed on. */
static PfStatus try_one(PfContext *ctx, const PfSystem *system, const PfFormulation *formulation,
                        const PfSolverPlan *plan, PfSolver **solver)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_solver_new_for(ctx, system, formulation, plan, solver);
  if (status == PF_OK || pf_is_final(status)) return status;
  pf_diagnostics_truncate(ctx, before);
  return PF_OK;
}

/* Does it answer at the state of the plan, without falling back on another? A formulation that offers `answer` must
 * have used it: its fallback is slower than 'multipliers'. */
static PfStatus serves(PfSolver *s, const PfSolverPlan *plan, bool *yes)
{
  int row;
  *yes = true;
  if (!plan->values) return PF_OK;
  PfMotion motion = {.acceleration = pf_solver_scratch(s, double, s->system->n),
                     .multiplier = pf_solver_scratch(s, double, s->system->m)};
  if (!motion.acceleration || !motion.multiplier) return pf_solver_no_room(s);
  *yes = pf_solver_accelerate(s, plan->values, &motion, &row) == PF_TROUBLE_NONE &&
         (!s->formulation->answer || s->byproducts.known);
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

/* A fixed part for each evaluation, and one for each instruction. */
double pf_cost_of_tape(int instructions)
{
  return per_tape + per_instruction*instructions;
}

/* Chains of dependent operations cost more than instructions of other tapes. */
double pf_cost_of_elimination(int instructions)
{
  return per_call + per_instruction_in_a_chain*instructions;
}

/* L D L^T of M, the rows through its factors, A M^-1 A^T and its factors. All dense: the products are counted for
 * Cholesky-like factors. */
double pf_cost_of_multipliers(const PfSystem *system)
{
  double n = system->n, m = system->m;
  double products = n*n*n/6 + m*n*n/2 + m*m*n/2 + m*m*m/6 + n*n + m*n;
  return pf_cost_of_tape(pf_tape_instruction_count(system->tape)) + per_call + per_row*m + per_multiplication*products;
}

/* Elements of sparse factors are found through lists, which costs more than products of dense ones. */
double pf_cost_of_structure(int instructions, int equations, double products)
{
  return pf_cost_of_tape(instructions) + per_call + per_sparse_row*equations + per_sparse_multiplication*products;
}

/* `multipliers` knows whether it keeps a sparse form. */
double pf_cost_of_matrices(const PfSolver *multipliers)
{
  const PfSystem *system = multipliers->system;
  const double products = pf_sparse_form_products(multipliers);
  if (products < 0) return pf_cost_of_multipliers(system);
  return pf_cost_of_structure(pf_tape_instruction_count(system->tape), system->n + system->m, products);
}

/* By its tape when it is written out; otherwise by joints, where a quaternion counts as three. */
double pf_cost_of_recursion(const PfSolver *s)
{
  const PfRecursion *r = s->data;
  if (r->flow) return pf_cost_of_tape(pf_tape_instruction_count(r->flow));
  return per_call + pf_cost_of_tape(pf_tape_instruction_count(r->tape)) +
         per_joint*(pf_tree_count(r->tree) + s->system->eq->model->ball_count);
}

/* ---------------------------------------------------------------- the choice */

/* Elimination in formulas, or the recursion, when it costs less than the limit; else *solver is NULL. A tree without
 * constraints but the lengths of quaternions does without M and F; with other constraints, matrices are faster. */
static PfStatus choose_cheap(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, double limit,
                             PfSolver **solver)
{
  static const PfFormulation *const choices[] = {&pf_form_elimination, &pf_form_recursive};
  PfSolverPlan cheap = *plan;
  cheap.cost_limit = limit;
  for (size_t i = 0; i < sizeof choices/sizeof *choices; i++) {
    PF_TRY(try_one(ctx, system, choices[i], &cheap, solver));
    if (!*solver) continue;
    bool good = true;
    if (choices[i] == &pf_form_recursive) {
      const PfRecursion *r = (*solver)->data;
      good = r->alone && r->row_count == 0 && pf_cost_of_recursion(*solver) < limit;
    }
    PfStatus status = good ? serves(*solver, plan, &good) : PF_OK;
    if (good && status == PF_OK) return PF_OK;
    pf_solver_free(*solver);
    *solver = NULL;
    PF_TRY(status);
  }
  return PF_OK;
}

/* With a singular mass matrix or redundant constraints 'multipliers' factors the whole system orthogonally. Eliminating
 * dependent coordinates is five times faster then; where that has trouble the other one takes over. `other` owns
 * 'multipliers' afterwards, as its fallback. */
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
  if (!pf_solver_set_fallback(other, multipliers)) {
    pf_solver_free(other);
    return pf_solver_no_room(multipliers);
  }
  *solver = other;
  return PF_OK;
}

/* *solver is 'multipliers'; on failure it is freed. */
static PfStatus settle(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  PfStatus status = plan->values && system->m > 0 ? choose_instead(ctx, system, plan, solver) : PF_OK;
  if (status == PF_OK) return PF_OK;
  pf_solver_free(*solver);
  *solver = NULL;
  return status;
}

/* The candidates are made and, where the plan has a state, tried there: a system is given to a faster formulation only
 * after that has found accelerations at this state. *solver is NULL on failure. */
PfStatus pf_solver_choose(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  if (system->in_bodies) return pf_solver_new_for(ctx, system, &pf_form_recursive, plan, solver);
  if (pf_saddle_is_large(system->n, system->m)) {
    PfSolver *cheap = NULL;
    PF_TRY(pf_solver_new_for(ctx, system, &pf_form_multipliers, plan, solver));
    const double extended_form = pf_extended_form_cost(*solver); /* < 0: it knows no sums of velocities */
    const double limit = extended_form < 0 ? pf_cost_of_matrices(*solver) : extended_form;
    PfStatus status = choose_cheap(ctx, system, plan, limit, &cheap);
    if (status == PF_OK && !cheap) return settle(ctx, system, plan, solver);
    pf_solver_free(*solver);
    *solver = cheap;
    return status;
  }
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
