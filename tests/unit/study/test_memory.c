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
  PfSim *sim;
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

/* A simulation, and the plane of x and x' in both. */
static PfStatus move_parts(Parts *p, PfPlane *plane)
{
  PfError error;
  p->sim = pf_sim_of_model(p->ctx, p->model, &p->eq, &error);
  if (!p->sim) return error.status;
  *plane = (PfPlane){.low = {-1, -1}, .high = {1, 1}, .handle = {pf_sim_find(p->sim, "x"), pf_sim_find(p->sim, "x'")}};
  if (!pf_dynamics_quantity(p->field, "x", plane->show) || !pf_dynamics_quantity(p->field, "x'", plane->show + 1))
    return PF_ERR_NAME;
  bool good = plane->handle[0] >= 0 && plane->handle[1] >= 0 && pf_sim_place(p->sim);
  return good ? PF_OK : pf_sim_error(p->sim)->status;
}

static PfStatus study(Parts *p, int kind)
{
  PF_TRY(open_parts(p));
  PfLinear linear;
  PfContinuation branches;
  PfPortrait portrait;
  PfSection section;
  PfPlane plane;
  PfContinueOptions follow = {.steady = {.kind = PF_STEADY, .starts = 3}, .from = -1, .to = 1, .points = 10};
  PF_TRY(move_parts(p, &plane));
  PfPortraitOptions draw = {.plane = plane, .starts = 2, .span = 1};
  PfSectionOptions cut = {.section = plane.handle[0], .plane = plane, .span = 2};
  switch (kind) {
  case 0: return pf_linearize(p->ctx, p->arena, p->field, NULL, 0, &linear);
  case 1: return pf_continue(p->ctx, p->arena, p->field, &follow, &branches);
  case 2: return pf_portrait(p->arena, p->field, p->sim, &draw, &portrait);
  default: return pf_section(p->arena, p->field, p->sim, &cut, &section);
  }
}

static void attempt(Counter *counter, void *user)
{
  Parts p = {.ctx = pf_context_new(&counter->allocator), .arena = pf_arena_new(&counter->allocator)};
  PfStatus status = p.ctx && p.arena ? study(&p, *(int *)user) : PF_ERR_MEMORY;
  if (!counter->refused) assert_int_equal(status, PF_OK);
  else if (status != PF_OK) assert_int_equal(status, PF_ERR_MEMORY);
  pf_sim_close(p.sim);
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
