/* SPDX-License-Identifier: Apache-2.0 */
/* The formulation 'auto': which one a system is computed by when nobody says. It must give the same motion as
 * 'multipliers' wherever that has one, so only those are taken that are known to do so; among them the one that costs
 * least. */
#include "form/form_impl.h"
#include "form/recursive.h"

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

/* A recursion is taken when M and F need more instructions than these per joint. Measured on chains of 4 to 12 joints
 * in the plane and in space: there it is 1.4 times as fast as 'multipliers' (5 joints in space), and 3 and 5 times for
 * 7 and 12 joints. */
enum { INSTRUCTIONS_OF_A_JOINT = 100 };

/* A tree that nothing binds but the lengths of quaternions does without M and F; whatever else binds, matrices are
 * faster. */
static bool is_cheap_recursion(const PfSolver *s)
{
  const PfRecursion *r = s->data;
  int own = pf_tape_instruction_count(r->tape) + INSTRUCTIONS_OF_A_JOINT*pf_tree_count(r->tree);
  return r->alone && r->row_count == 0 && own < pf_tape_instruction_count(s->system->tape);
}

static bool is_cheap(const PfSolver *s)
{
  return s->formulation != &pf_form_recursive || is_cheap_recursion(s);
}

PfStatus pf_solver_choose(PfContext *ctx, const PfSystem *system, const PfSolverPlan *plan, PfSolver **solver)
{
  if (system->in_bodies) return pf_solver_new_for(ctx, system, &pf_form_recursive, plan, solver);
  static const PfFormulation *const choices[] = {&pf_form_elimination, &pf_form_recursive};
  PfSolverPlan cheap = *plan;
  cheap.only_if_cheap = true;
  for (size_t i = 0; i < sizeof choices/sizeof *choices; i++) {
    PF_TRY(try_one(ctx, system, choices[i], &cheap, solver));
    if (!*solver) continue;
    bool good = is_cheap(*solver);
    PfStatus status = good ? serves(*solver, plan, &good) : PF_OK;
    if (good && status == PF_OK) return PF_OK;
    pf_solver_free(*solver);
    *solver = NULL;
    PF_TRY(status);
  }
  return pf_solver_new_for(ctx, system, &pf_form_multipliers, plan, solver);
}

static PfStatus never(PfSolver *solver)
{
  return pf_fail(solver->ctx, PF_ERR_ARGUMENT, "'auto' is a choice among formulations");
}

const PfFormulation pf_form_auto = {
  .name = "auto", .source = "a choice among the others, by what applies and what it costs",
  .summary = "elimination for small systems, recursive for large trees of bodies, else multipliers", .prepare = never};
