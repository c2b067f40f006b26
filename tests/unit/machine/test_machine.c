/* SPDX-License-Identifier: Apache-2.0 */
/* Machines and their workspaces. */
#include "support.h"

#include "base/base.h"
#include "pfaff/sim.h"

#include <pthread.h>
#include <string.h>

static const char pendulum[] = "param m = 2 [kg], l = 0.1 [m], g = 9.81 [m/s^2]\n"
                               "coord a [rad]\n"
                               "kinetic m*l^2*a'^2/2\n"
                               "potential -m*g*l*cos(a)\n"
                               "start a = 0.5\n";

/* A link that is detached: the complete model has a free joint as well, seven coordinates more. */
static const char arm[] = "coord a [rad]\n"
                          "gravity (0, 0, -9.81)\n"
                          "body link in ground turn a about y { mass 1 [kg], com (0, 0, -0.5),\n"
                          "  inertia diag(0.1, 0.1, 0.1) }\n"
                          "start a = 0.3\n"
                          "when t = 0.5 { detach link }\n";

static PfMachine *open_machine(const char *text)
{
  PfContext *ctx = pf_context_new(NULL);
  PfMachine *machine;
  assert_non_null(ctx);
  if (pf_machine_read(ctx, "test.pf", text, strlen(text), &machine) != PF_OK)
    fail_msg("%s", pf_context_message(ctx));
  return machine;
}

static void a_start_set_in_one_workspace_is_unknown_to_others(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(pendulum);
  PfWorkspace a, b;
  assert_int_equal(pf_workspace_open(machine, PF_FORMULAS, NULL, NULL, &a), PF_OK);
  assert_int_equal(pf_workspace_open(machine, PF_FORMULAS, NULL, NULL, &b), PF_OK);
  PfExpr before = pf_machine_model(machine)->coordinates[0].start_q;
  assert_true(pf_model_set_start(a.model, "a", 0.25));
  assert_true(a.model->coordinates[0].start_q != before);
  assert_true(b.model->coordinates[0].start_q == before);
  assert_true(pf_machine_model(machine)->coordinates[0].start_q == before);
  assert_ptr_equal(a.equations.model, a.model);
  pf_workspace_close(&a);
  pf_workspace_close(&b);
  pf_machine_release(machine);
}

/* What one workspace builds gets the handle that another one gives to something else. */
static void expressions_of_one_workspace_are_unknown_to_others(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(pendulum);
  PfWorkspace a, b;
  assert_int_equal(pf_workspace_open(machine, PF_FORMULAS, NULL, NULL, &a), PF_OK);
  assert_int_equal(pf_workspace_open(machine, PF_FORMULAS, NULL, NULL, &b), PF_OK);
  PfExpr q = a.model->coordinates[0].q;
  PfExpr one = pf_expr_pow(a.ctx, q, pf_expr_int(a.ctx, 37)), other = pf_expr_pow(b.ctx, q, pf_expr_int(b.ctx, 37));
  assert_int_equal(one, other); /* the same work, the same handles */
  assert_int_equal(pf_expr_symbol(a.ctx, "first"), pf_expr_symbol(b.ctx, "second"));
  assert_string_equal(pf_expr_symbol_name(a.ctx, pf_expr_symbol(a.ctx, "first")), "first");
  assert_string_equal(pf_expr_symbol_name(a.ctx, q), "a");
  pf_workspace_close(&a);
  pf_machine_release(machine); /* b retains it */
  assert_string_equal(pf_expr_symbol_name(b.ctx, q), "a");
  pf_workspace_close(&b);
}

static void the_complete_model_is_derived_once(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(arm);
  PfWorkspace work;
  assert_int_equal(pf_workspace_open(machine, PF_OUTLINE, NULL, NULL, &work), PF_OK);
  assert_int_equal(work.equations.n, 1);
  assert_int_equal(work.complete.n, 8);
  assert_ptr_equal(work.complete.model, work.model->complete);
  assert_ptr_not_equal(work.model->complete, pf_machine_model(machine)->complete);
  pf_workspace_close(&work);
  pf_machine_release(machine);
}

static void errors_are_in_the_context_of_the_caller(void **state)
{
  (void)state;
  PfContext *ctx = pf_context_new(NULL);
  PfMachine *machine;
  assert_int_equal(pf_machine_read(ctx, "test.pf", "coord x, x\n", 11, &machine), PF_ERR_NAME);
  assert_null(machine);
  assert_non_null(strstr(pf_context_message(ctx), "'x' is already a coordinate"));
  pf_context_free(ctx);
}

typedef struct Fall {
  PfMachine *machine;
  double a;
} Fall;

static void *fall(void *user)
{
  Fall *f = user;
  PfSim *sim = pf_sim_of_machine(f->machine, NULL, NULL, NULL);
  if (sim && pf_sim_start(sim) && pf_sim_advance(sim, 1)) f->a = pf_sim_get(sim, pf_sim_find(sim, "a + 0*kinetic"));
  pf_sim_close(sim);
  return NULL;
}

static void threads_move_one_machine_alike(void **state)
{
  (void)state;
  enum { THREADS = 4 };
  PfMachine *machine = open_machine(pendulum);
  Fall falls[THREADS];
  pthread_t thread[THREADS];
  for (int i = 0; i < THREADS; i++) falls[i] = (Fall){machine, NAN};
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(thread + i, NULL, fall, falls + i), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  PfSim *alone = pf_sim_open_text(pendulum, NULL);
  assert_true(alone && pf_sim_start(alone) && pf_sim_advance(alone, 1));
  const double a = pf_sim_get(alone, pf_sim_find(alone, "a"));
  for (int i = 0; i < THREADS; i++) assert_true(falls[i].a == a);
  pf_sim_close(alone);
  pf_machine_release(machine);
}

static void attempt(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfMachine *machine;
  if (!ctx) return;
  PfStatus status = pf_machine_read(ctx, "test.pf", arm, strlen(arm), &machine);
  if (status == PF_OK) {
    PfWorkspace work;
    status = pf_workspace_open(machine, PF_OUTLINE, NULL, NULL, &work);
    pf_workspace_close(&work);
    pf_machine_release(machine);
  } else {
    pf_context_free(ctx);
  }
  assert_true(status == PF_OK || (status == PF_ERR_MEMORY && counter->refused > 0));
}

static void lack_of_memory_is_an_error_and_leaks_nothing(void **state)
{
  (void)state;
  fail_every_allocation(attempt, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_start_set_in_one_workspace_is_unknown_to_others),
    cmocka_unit_test(expressions_of_one_workspace_are_unknown_to_others),
    cmocka_unit_test(the_complete_model_is_derived_once),
    cmocka_unit_test(errors_are_in_the_context_of_the_caller),
    cmocka_unit_test(threads_move_one_machine_alike),
    cmocka_unit_test(lack_of_memory_is_an_error_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
