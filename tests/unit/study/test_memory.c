/* SPDX-License-Identifier: Apache-2.0 */
/* Studies with every request for memory refused: an error or a result, never a crash, and nothing stays behind. */
#include "support.h"

#include "pfaff/pfaff.h"

static const char text[] = "param mu = -0.5\ncoord x, z\nkinetic x'^2/2\npotential x^2/2\nforce x = mu*x' - z*x'\n"
                           "constraint square: z = x^2\nstart x = 0.1, z = 0.01";

typedef struct Parts {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations eq;
  PfSystem *system;
  PfDynamics *field;
} Parts;

static PfStatus open_parts(Parts *p)
{
  PF_TRY(pf_model_read(p->ctx, "test.pf", text, sizeof text - 1, &p->model));
  PF_TRY(pf_equations_derive(p->ctx, p->arena, p->model, &p->eq));
  PF_TRY(pf_system_new(p->ctx, &p->eq, &p->system));
  double *values = pf_arena_array(p->arena, double, pf_system_symbols(p->system)->count);
  if (!values) return PF_ERR_MEMORY;
  PF_TRY(pf_equations_start(p->ctx, &p->eq, NULL, values));
  PF_TRY(pf_dynamics_new(p->ctx, p->system, NULL, NULL, &p->field));
  PF_TRY(pf_dynamics_place(p->field, values));
  return pf_dynamics_chart(p->field, NULL);
}

static PfStatus study(Parts *p, int kind)
{
  PF_TRY(open_parts(p));
  PfLinear linear;
  PfContinuation branches;
  PfPortrait portrait;
  PfSection section;
  PfQuantity x, v;
  PfContinueOptions follow = {.steady = {.kind = PF_STEADY, .starts = 3}, .from = -1, .to = 1, .points = 10};
  if (!pf_dynamics_quantity(p->field, "x", &x) || !pf_dynamics_quantity(p->field, "x'", &v)) return PF_ERR_NAME;
  PfPortraitOptions draw = {.show = {x, v}, .low = {-1, -1}, .high = {1, 1}, .starts = 2, .span = 1, .rtol = 1e-4};
  PfSectionOptions cut = {.section = x, .show = {x, v}, .span = 2, .rtol = 1e-4};
  switch (kind) {
  case 0: return pf_linearize(p->ctx, p->arena, p->field, NULL, 0, &linear);
  case 1: return pf_continue(p->ctx, p->arena, p->field, &follow, &branches);
  case 2: return pf_portrait(p->ctx, p->arena, p->field, &draw, &portrait);
  default: return pf_section(p->ctx, p->arena, p->field, &cut, &section);
  }
}

static void attempt(Counter *counter, void *user)
{
  Parts p = {.ctx = pf_context_new(&counter->allocator), .arena = pf_arena_new(&counter->allocator)};
  PfStatus status = p.ctx && p.arena ? study(&p, *(int *)user) : PF_ERR_MEMORY;
  if (!counter->refused) assert_int_equal(status, PF_OK);
  else if (status != PF_OK) assert_int_equal(status, PF_ERR_MEMORY);
  pf_dynamics_free(p.field);
  pf_system_free(p.system);
  pf_model_free(p.model);
  pf_arena_free(p.arena);
  pf_context_free(p.ctx);
}

static void linear_models_survive_a_lack_of_memory(void **state)
{
  int kind = 0;
  (void)state;
  fail_every_allocation(attempt, &kind);
}

static void continuations_survive_a_lack_of_memory(void **state)
{
  int kind = 1;
  (void)state;
  fail_every_allocation(attempt, &kind);
}

static void portraits_survive_a_lack_of_memory(void **state)
{
  int kind = 2;
  (void)state;
  fail_every_allocation(attempt, &kind);
}

static void sections_survive_a_lack_of_memory(void **state)
{
  int kind = 3;
  (void)state;
  fail_every_allocation(attempt, &kind);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(linear_models_survive_a_lack_of_memory),
    cmocka_unit_test(continuations_survive_a_lack_of_memory),
    cmocka_unit_test(portraits_survive_a_lack_of_memory),
    cmocka_unit_test(sections_survive_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
