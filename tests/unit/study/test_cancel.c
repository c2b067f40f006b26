/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is asked to stop at its n-th chance, for many n: it ends with PF_ERR_CANCELLED, says so once, and leaves
 * nothing behind. */
#include "support.h"

#include "pfaff/pfaff.h"

#include <math.h>

static const char text[] = "param mu = -0.5\ncoord x, z, a\nkinetic x'^2/2 + (1 + cos(a)^2)*a'^2/2 + z'^2/2\n"
                           "potential x^2/2 + sin(a)*x\n"
                           "force x = mu*x' - z*x'\nconstraint square: z = x^2\n"
                           "constraint blade: x'*sin(a) = a'*cos(x)\n"
                           "start x = 0.1, z = 0.01";

typedef struct Parts {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations eq;
  PfSystem *system;
  PfDynamics *field;
  long asked, patience; /* how often it was asked; from when on it says yes */
} Parts;

static bool is_enough(void *user)
{
  Parts *p = user;
  return ++p->asked > p->patience;
}

static PfStatus numbers(Parts *p, int kind)
{
  PfSteady steady;
  PfLinear linear;
  PfSteadyOptions look = {.kind = PF_STEADY, .starts = 3};
  PF_TRY(pf_system_new(p->ctx, &p->eq, &p->system));
  double *values = pf_arena_array(p->arena, double, pf_system_symbols(p->system)->count);
  if (!values) return PF_ERR_MEMORY;
  PF_TRY(pf_equations_start(p->ctx, &p->eq, NULL, values));
  PF_TRY(pf_dynamics_new(p->ctx, p->system, NULL, NULL, &p->field));
  PF_TRY(pf_dynamics_place(p->field, values));
  PF_TRY(pf_dynamics_chart(p->field, NULL));
  if (kind == 0) return pf_steady_find(p->ctx, p->arena, p->field, &look, &steady);
  return pf_linearize(p->ctx, p->arena, p->field, NULL, 0, &linear);
}

static PfStatus formulas(Parts *p, int kind)
{
  PfDerivation derivation;
  PfDiagnosis diagnosis;
  PfProof proof;
  double *given = pf_arena_array(p->arena, double, p->model->parameter_count + 1);
  for (int i = 0; given && i < p->model->parameter_count; i++) given[i] = NAN;
  if (!given) return PF_ERR_MEMORY;
  if (kind == 2) return pf_prove(p->ctx, p->arena, &p->eq, given, &proof);
  if (kind == 3) return pf_diagnose(p->ctx, p->arena, &p->eq, given, &diagnosis);
  return pf_derive_form(p->ctx, p->arena, &p->eq, kind == 4 ? "lagrange" : "maggi", &derivation);
}

static PfStatus work(Parts *p, int kind)
{
  PF_TRY(pf_model_read(p->ctx, "test.pf", text, sizeof text - 1, &p->model));
  PF_TRY(pf_equations_derive(p->ctx, p->arena, p->model, &p->eq));
  return kind < 2 ? numbers(p, kind) : formulas(p, kind);
}

/* How often the work asks when it is never stopped; -1 when it was. */
static long attempt(int kind, long patience)
{
  Parts p = {.ctx = pf_context_new(NULL), .arena = pf_arena_new(NULL), .patience = patience};
  pf_context_set_cancel(p.ctx, is_enough, &p);
  PfStatus status = work(&p, kind);
  bool stopped = p.asked > patience;
  assert_int_equal(status, stopped ? PF_ERR_CANCELLED : PF_OK);
  assert_int_equal(pf_error_count(p.ctx), stopped);
  pf_dynamics_free(p.field);
  pf_system_free(p.system);
  pf_model_free(p.model);
  pf_arena_free(p.arena);
  pf_context_free(p.ctx);
  return stopped ? -1 : p.asked;
}

static void whatever_is_asked_to_stop_stops(void **state)
{
  (void)state;
  for (int kind = 0; kind < 6; kind++) {
    long most = attempt(kind, 1000000000);
    assert_true(most > 10);
    for (long n = 0; n < most; n += 1 + most/200) assert_int_equal(attempt(kind, n), -1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(whatever_is_asked_to_stop_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
