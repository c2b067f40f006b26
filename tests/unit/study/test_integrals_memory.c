/* SPDX-License-Identifier: Apache-2.0 */
/* The studies of integrals and of measures with every request for memory refused: a clean failure, nothing left
 * behind. */
#include "mech/system.h"

#include "pfaff/integrals.h"

/* Small, because every run is repeated for every request. */
static const char cart[] = "coord x, y\nkinetic x'^2 + y'^2\nconstraint b: y' = 2*x'\n";

static PfStatus study(PfContext *ctx, PfArena *arena)
{
  PfModel *model = NULL;
  PfEquations eq;
  PfIntegrability integrability;
  PfInvariants invariants;
  PfDensity density;
  PfStatus status = pf_model_read(ctx, "c.pf", cart, strlen(cart), &model);
  if (status == PF_OK) status = pf_equations_derive(ctx, arena, model, &eq);
  if (status == PF_OK) status = pf_integrability(ctx, arena, &eq, NULL, NULL, &integrability);
  if (status == PF_OK) status = pf_invariants_find(ctx, arena, &eq, NULL, &invariants);
  if (status == PF_OK) status = pf_measure_find(ctx, arena, &eq, NULL, &density);
  pf_model_free(model);
  return status;
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = ctx ? pf_arena_new(&counter->allocator) : NULL;
  if (arena) {
    PfStatus status = study(ctx, arena);
    if (!counter->refused) assert_int_equal(status, PF_OK);
    else assert_true(status == PF_OK || status == PF_ERR_MEMORY); /* what was only wished for may be missing */
  }
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void refused_memory_is_a_clean_failure(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(refused_memory_is_a_clean_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
