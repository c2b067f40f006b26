/* SPDX-License-Identifier: Apache-2.0 */
/* Machines and their workspaces. */
#include "support.h"

#include "base/base.h"
#include "machine/machine.h"
#include "pfaff/sim_parts.h"
#include "pfaff/task.h"

#include <pthread.h>
#include <stdatomic.h>
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

static void the_context_of_the_reading_belongs_to_the_machine(void **state)
{
  (void)state;
  PfContext *ctx = pf_context_new(NULL);
  PfMachine *machine;
  assert_int_equal(pf_machine_read(ctx, "test.pf", pendulum, strlen(pendulum), &machine), PF_OK);
  assert_ptr_equal(pf_machine_context(machine), ctx);
  assert_int_equal(pf_diagnostic_count(pf_machine_context(machine)), 0);
  pf_machine_release(machine); /* frees the context */
}

static void the_complete_model_is_derived_once(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(arm);
  PfWorkspace work;
  assert_int_equal(pf_workspace_open(machine, PF_MATRIX_FREE, NULL, NULL, &work), PF_OK);
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

/* A wheel that rolls without slipping: constraints, and tapes for their projection. */
static const char wheel[] = "param m = 2 [kg], r = 0.3 [m], I = 0.1 [kg*m^2], J = 0.05 [kg*m^2]\n"
                            "coord x, y [m], phi, psi [rad]\n"
                            "kinetic m*(x'^2 + y'^2)/2 + I*phi'^2/2 + J*psi'^2/2\n"
                            "constraint x' = r*cos(psi)*phi'\n"
                            "constraint y' = r*sin(psi)*phi'\n"
                            "start phi' = 2 [rad/s], psi' = 0.7 [rad/s]\n";

static double x_after(PfMachine *machine, const char *formulation, const char *parameter, double value)
{
  PfSim *sim = pf_sim_of_machine(machine, NULL, NULL, NULL);
  assert_non_null(sim);
  if (formulation) assert_true(pf_sim_set_method(sim, NULL, formulation));
  if (parameter) assert_true(pf_sim_set(sim, parameter, value));
  const int x = pf_sim_find(sim, "x + 0*m*kinetic");
  assert_true(pf_sim_start(sim) && pf_sim_advance(sim, 0.5));
  const double result = pf_sim_get(sim, x);
  pf_sim_close(sim);
  return result;
}

static void a_simulation_of_a_machine_makes_no_system_and_no_tape(void **state)
{
  (void)state;
  const char *const texts[] = {pendulum, wheel};
  for (size_t i = 0; i < sizeof texts/sizeof *texts; i++) {
    PfMachine *machine = open_machine(texts[i]);
    for (int k = 0; k < 2; k++) {
      PfSim *sim = pf_sim_of_machine(machine, NULL, NULL, NULL);
      assert_true(sim && pf_sim_start(sim) && pf_sim_advance(sim, 0.1));
      assert_int_equal(pf_context_tapes_made(pf_sim_context(sim)), 0);
      PfSim *clone = pf_sim_clone(sim, NULL);
      assert_true(clone && pf_sim_advance(clone, 0.2));
      assert_int_equal(pf_context_tapes_made(pf_sim_context(clone)), 0);
      pf_sim_close(clone);
      pf_sim_close(sim);
    }
    pf_machine_release(machine);
  }
}

/* x' = r*phi'*cos(psi) at constant speeds: x = r*phi'/psi'*sin(psi't). */
static void other_simulations_change_no_bit(void **state)
{
  (void)state;
  PfMachine *fresh = open_machine(wheel), *used = open_machine(wheel);
  const double x = x_after(fresh, NULL, NULL, 0), slow = x_after(fresh, NULL, "r", 0.1);
  assert_true(fabs(x - 0.3*2/0.7*sin(0.35)) < 1e-8 && fabs(slow - 0.1*2/0.7*sin(0.35)) < 1e-8);
  (void)x_after(used, "maggi", NULL, 0);
  (void)x_after(used, NULL, "m", 7);
  assert_true(x_after(used, NULL, "r", 0.1) == slow);
  assert_true(x_after(used, NULL, NULL, 0) == x);
  assert_true(x_after(used, "maggi", NULL, 0) == x_after(fresh, "maggi", NULL, 0));
  pf_machine_release(fresh);
  pf_machine_release(used);
}

/* What is set in a simulation, and not only by its functions, is not mistaken for the start that the machine keeps. */
static void a_start_that_was_set_is_found_anew(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(pendulum);
  PfWorkspace work;
  assert_int_equal(pf_workspace_open_to_move(machine, NULL, NULL, NULL, NULL, &work), PF_OK);
  assert_true(pf_model_set_start(work.model, "a", 0.25));
  PfSim *sim = pf_sim_of_workspace(&work, NULL);
  assert_true(sim && pf_sim_start(sim));
  assert_true(pf_sim_get(sim, pf_sim_find(sim, "a")) == 0.25);
  assert_true(pf_sim_set(sim, "t", 3) && pf_sim_start(sim) && pf_sim_time(sim) == 3);
  pf_sim_close(sim);
  pf_workspace_close(&work);
  pf_machine_release(machine);
}

/* ---------------------------------------------------------------- work that is counted */

static long readings(const PfMachine *machine)
{
  return pf_context_work_done(pf_machine_context(machine), PF_WORK_READING);
}

static long derivations(const PfMachine *machine)
{
  return pf_context_work_done(pf_machine_context(machine), PF_WORK_DERIVATION);
}

/* A chain of ten bodies is matrix-free: formulas are written out for methods that need them. */
static const char *chain(void)
{
  static char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text, "param m = 1 [kg]\ngravity (0, 0, -9.81)\ncoord a0 [rad]\n");
  for (int i = 1; i < 10; i++) used += (size_t)snprintf(text + used, sizeof text - used, "coord a%d [rad]\n", i);
  for (int i = 0; i < 10; i++) {
    char parent[32] = "ground";
    if (i) snprintf(parent, sizeof parent, "b%d at (0, 0, -1)", i - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, "body b%d in %s turn a%d about y {\n  mass m, "
                             "com (0, 0, -0.5), inertia diag(0.1, 0.1, 0.1) }\n", i, parent, i);
  }
  snprintf(text + used, sizeof text - used, "start a0 = 0.3\n");
  return text;
}

static double a_by(PfMachine *machine, const char *method, const char *formulation)
{
  PfSim *sim = pf_sim_of_machine_by(machine, method, formulation, NULL, NULL, NULL);
  assert_true(sim && pf_sim_start(sim) && pf_sim_advance(sim, 0.1));
  const double a = pf_sim_get(sim, pf_sim_find(sim, "a0"));
  PfSim *clone = pf_sim_clone(sim, NULL);
  assert_true(clone && pf_sim_advance(sim, 0.2) && pf_sim_advance(clone, 0.2));
  assert_true(pf_sim_get(sim, pf_sim_find(sim, "a0")) == pf_sim_get(clone, pf_sim_find(clone, "a0")));
  pf_sim_close(clone);
  pf_sim_close(sim);
  return a;
}

static void formulas_for_a_method_are_written_out_once(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(chain()), *fresh = open_machine(chain());
  assert_int_equal(readings(machine), 1);
  assert_int_equal(derivations(machine), 0);
  const double explicit = a_by(machine, NULL, NULL);
  assert_int_equal(derivations(machine), 1);
  const double implicit = a_by(machine, "generalized_alpha", NULL);
  assert_int_equal(derivations(machine), 2);
  assert_true(fabs(implicit - explicit) < 1e-4);
  assert_true(a_by(machine, "generalized_alpha", NULL) == implicit && a_by(machine, NULL, NULL) == explicit);
  assert_int_equal(derivations(machine), 2);
  assert_true(fabs(a_by(machine, NULL, "multipliers") - explicit) < 1e-6);
  (void)a_by(machine, NULL, "multipliers");
  assert_int_equal(derivations(machine), 3);
  assert_int_equal(readings(machine), 1);
  assert_true(a_by(fresh, "generalized_alpha", NULL) == implicit); /* the order does not matter */
  pf_machine_release(fresh);
  pf_machine_release(machine);
}

static void names_that_are_unknown_are_refused(void **state)
{
  (void)state;
  PfMachine *machine = open_machine(chain());
  PfError error;
  assert_null(pf_sim_of_machine_by(machine, "ralph", NULL, NULL, NULL, &error));
  assert_int_equal(error.status, PF_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "'ralph'"));
  pf_machine_release(machine);
}

/* Runs a task of the machine with settings, NAME VALUE ... NULL. */
static void do_task(PfMachine *machine, const char *task, const char *const *settings)
{
  PfContext *ctx = pf_context_new(NULL);
  PfRequest *request;
  PfReport *report = NULL;
  assert_int_equal(pf_request_new(ctx, pf_task_find(task), &request), PF_OK);
  for (; *settings; settings += 2)
    assert_int_equal(pf_request_set_text(request, settings[0], settings[1]), PF_OK);
  assert_int_equal(pf_task_run(machine, request, NULL, &report), PF_OK);
  pf_report_free(report);
  pf_request_free(request);
  pf_context_free(ctx);
}

static void tasks_read_once_and_derive_once(void **state)
{
  (void)state;
  const struct {
    const char *task, *settings[12];
    long derivations; /* by all calls together */
  } cases[] = {
    {"run", {"for", "0.1"}, 1},
    {"run", {"for", "0.1", "by", "generalized_alpha"}, 2},
    {"sweep", {"for", "0.1", "param", "m=1..2:4", "threads", "2", "take", "a0"}, 1},
    {"sweep", {"for", "0.1", "by", "generalized_alpha", "param", "m=1..2:4", "threads", "2", "take", "a0"}, 2},
    {"linearize", {NULL}, 1},
    {"derive", {NULL}, 2}, /* the equations, and their form */
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfMachine *machine = open_machine(chain());
    for (int k = 0; k < 3; k++) do_task(machine, cases[i].task, cases[i].settings);
    assert_int_equal(readings(machine), 1);
    assert_int_equal(derivations(machine), cases[i].derivations);
    pf_machine_release(machine);
  }
}

/* ---------------------------------------------------------------- waiting for another thread */

/* A preparation that goes on until it is let go, or until it is cancelled. */
typedef struct Gate {
  PfMachine *machine;
  atomic_int entered;        /* how often it was begun */
  atomic_bool open, stopped; /* it may end; the thread that makes it is cancelled */
  atomic_bool waiter_stopped;
  atomic_int waiter_polls;
} Gate;

static PfStatus pass(PfWorkspace *workspace, const void *details, void **result)
{
  Gate *const *gate = details;
  (void)result;
  atomic_fetch_add(&(*gate)->entered, 1);
  while (!atomic_load(&(*gate)->open)) PF_TRY(pf_check_cancelled(workspace->ctx));
  return PF_OK;
}

static void free_nothing(void *result)
{
  (void)result;
}

static const PfPreparation gated = {PF_FORMULAS, pass, free_nothing};

static bool first_is_stopped(void *user)
{
  return atomic_load(&((Gate *)user)->stopped);
}

static bool waiter_is_stopped(void *user)
{
  Gate *gate = user;
  atomic_fetch_add(&gate->waiter_polls, 1);
  return atomic_load(&gate->waiter_stopped);
}

static PfStatus open_gated(Gate *gate, bool (*cancelled)(void *user), bool *has_words)
{
  PfWorkspace work;
  PfStatus status = pf_workspace_open_prepared(gate->machine, &gated, "", &gate, cancelled, gate, &work);
  *has_words = work.ctx && pf_error_count(work.ctx) > 0;
  pf_workspace_close(&work);
  return status;
}

static void *open_first(void *user)
{
  bool has_words;
  return open_gated(user, first_is_stopped, &has_words) == PF_ERR_CANCELLED && has_words ? user : NULL;
}

static void *open_first_good(void *user)
{
  bool has_words;
  return open_gated(user, NULL, &has_words) == PF_OK && !has_words ? user : NULL;
}

static void *open_second_good(void *user)
{
  bool has_words;
  return open_gated(user, waiter_is_stopped, &has_words) == PF_OK && !has_words ? user : NULL;
}

static void wait_until_entered(Gate *gate, int times)
{
  const double begin = pf_clock();
  while (atomic_load(&gate->entered) < times && pf_clock() - begin < 20) {}
  assert_int_equal(atomic_load(&gate->entered), times);
}

static void who_waits_for_another_thread_can_be_cancelled(void **state)
{
  (void)state;
  Gate gate = {.machine = open_machine(pendulum)};
  pthread_t first;
  void *good;
  bool has_words;
  assert_int_equal(pthread_create(&first, NULL, open_first_good, &gate), 0);
  wait_until_entered(&gate, 1);
  atomic_store(&gate.waiter_stopped, true);
  assert_int_equal(open_gated(&gate, waiter_is_stopped, &has_words), PF_ERR_CANCELLED);
  assert_true(has_words);
  atomic_store(&gate.open, true);
  pthread_join(first, &good);
  assert_non_null(good);
  assert_int_equal(atomic_load(&gate.entered), 1);
  assert_int_equal(open_gated(&gate, NULL, &has_words), PF_OK); /* it is made */
  assert_int_equal(atomic_load(&gate.entered), 1);
  pf_machine_release(gate.machine);
}

static void when_the_first_is_cancelled_the_next_one_makes_it(void **state)
{
  (void)state;
  Gate gate = {.machine = open_machine(pendulum)};
  pthread_t first, second;
  void *good;
  assert_int_equal(pthread_create(&first, NULL, open_first, &gate), 0);
  wait_until_entered(&gate, 1);
  assert_int_equal(pthread_create(&second, NULL, open_second_good, &gate), 0);
  while (!atomic_load(&gate.waiter_polls)) {} /* it waits */
  atomic_store(&gate.stopped, true);
  pthread_join(first, &good);
  assert_non_null(good);
  wait_until_entered(&gate, 2);
  atomic_store(&gate.open, true);
  pthread_join(second, &good);
  assert_non_null(good);
  pf_machine_release(gate.machine);
}

/* ---------------------------------------------------------------- memory */

static void attempt_to_move(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfMachine *machine;
  if (!ctx) return;
  if (pf_machine_read(ctx, "test.pf", wheel, strlen(wheel), &machine) != PF_OK) {
    pf_context_free(ctx);
    return;
  }
  PfError error;
  PfSim *sim = pf_sim_of_machine(machine, NULL, NULL, &error);
  bool good = sim && pf_sim_start(sim);
  if (sim && !good) error = *pf_sim_error(sim);
  assert_true(good || (error.status == PF_ERR_MEMORY && counter->refused > 0));
  pf_sim_close(sim);
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
    status = pf_workspace_open(machine, PF_MATRIX_FREE, NULL, NULL, &work);
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
  fail_every_allocation(attempt_to_move, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_start_set_in_one_workspace_is_unknown_to_others),
    cmocka_unit_test(expressions_of_one_workspace_are_unknown_to_others),
    cmocka_unit_test(the_context_of_the_reading_belongs_to_the_machine),
    cmocka_unit_test(the_complete_model_is_derived_once),
    cmocka_unit_test(errors_are_in_the_context_of_the_caller),
    cmocka_unit_test(threads_move_one_machine_alike),
    cmocka_unit_test(a_simulation_of_a_machine_makes_no_system_and_no_tape),
    cmocka_unit_test(other_simulations_change_no_bit),
    cmocka_unit_test(a_start_that_was_set_is_found_anew),
    cmocka_unit_test(formulas_for_a_method_are_written_out_once),
    cmocka_unit_test(names_that_are_unknown_are_refused),
    cmocka_unit_test(tasks_read_once_and_derive_once),
    cmocka_unit_test(who_waits_for_another_thread_can_be_cancelled),
    cmocka_unit_test(when_the_first_is_cancelled_the_next_one_makes_it),
    cmocka_unit_test(lack_of_memory_is_an_error_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
