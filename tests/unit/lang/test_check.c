/* SPDX-License-Identifier: Apache-2.0 */
/* Reading models when memory runs out: every refused allocation gives an error, never a crash or a leak. */
#include "support.h"

#include "pfaff/lang.h"
#include "pfaff/mech.h"

#include <string.h>

static const char rich[] =
    "model rich \"everything\"\n"
    "param m = 2 [kg], R = 50 [mm], g = 9.81\n"
    "let N = 2, k = m*R^2, h(x, y) = 0.1*x^2 + y^2\n"
    "coord x, y, z, psi, phi, chi, q[2]\n"
    "input u = sin(t)\n"
    "gravity (0, 0, -g)\n"
    "frame yaw in ground at (x, y, z) turn psi about z\n"
    "body wheel in yaw turn phi about x turn chi about y { mass m, inertia diag(k, 2*k, k), com (0, 0.01, 0) }\n"
    "roll w: disc wheel { radius R, axis wheel.y } on ground\n"
    "part leg(i, where) { body rod in where turn q[i] about y { mass 1, com (0, 0, -0.2), inertia 0.01 } }\n"
    "for i in 1..N { use leg(i, yaw) as l }\n"
    "spring q[1] { stiffness 3, damping 0.1 }\n"
    "force (u, 0, 0) at wheel\n"
    "constraint tie: q[1] = q[2]\n"
    "start z = R, psi = 0.3\n"
    "run 3 by dopri5 { rtol = 1e-9 }\n"
    "plot x, y against z\n";

static const char events[] =
    "coord a\n"
    "body hub in ground free { mass 2, inertia 1 }\n"
    "body arm in hub turn a about z ball { mass 1, inertia 1 }\n"
    "body probe in ground free { mass 1, inertia 1 }\n"
    "spring arm.turn { stiffness 1 }\n"
    "prescribe a' = sin(t)\n"
    "start hub.w = (0, 0, 1), probe.p = (2, 0, 0), arm.turn = (0, 0.1, 0.2)\n"
    "when t = 1 { attach probe to hub hinge about z }\n"
    "when a > 2 { detach arm with impulse (1, 0, 0) }\n";

static void read_and_derive(PfContext *ctx, PfArena *arena, const char *text, const Counter *counter)
{
  PfModel *model = NULL;
  PfEquations equations;
  PfStatus status = pf_model_read(ctx, "rich.pf", text, strlen(text), &model);
  if (status == PF_OK) status = pf_equations_derive(ctx, arena, model, &equations);
  if (!counter->refused) assert_int_equal(status, PF_OK);
  pf_model_free(model);
}

static void attempt(Counter *counter, void *user)
{
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  if (ctx && arena) read_and_derive(ctx, arena, user, counter);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void a_model_is_read_or_refused_when_memory_runs_out(void **state)
{
  (void)state;
  fail_every_allocation(attempt, (void *)(uintptr_t)rich);
  fail_every_allocation(attempt, (void *)(uintptr_t)events);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_model_is_read_or_refused_when_memory_runs_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
