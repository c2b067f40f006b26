/* SPDX-License-Identifier: Apache-2.0 */
/* Dry friction, relays and what else switches, against closed forms; by several bodies that hold each other. */
#include "time/motions.h"

#include <math.h>

/* ---------------------------------------------------------------- samples of a run */

enum { MOST_ROWS = 32 };

typedef struct Rows {
  int count, n;
  double t[MOST_ROWS], q[MOST_ROWS][8], v[MOST_ROWS][8], a[MOST_ROWS][8];
} Rows;

static PfStatus keep(void *user, const PfSample *sample)
{
  Rows *r = user;
  assert_true(r->count < MOST_ROWS && r->n <= 8);
  r->t[r->count] = sample->t;
  memcpy(r->q[r->count], sample->q, (size_t)r->n*sizeof(double));
  memcpy(r->v[r->count], sample->v, (size_t)r->n*sizeof(double));
  memcpy(r->a[r->count], sample->a, (size_t)r->n*sizeof(double));
  r->count++;
  return PF_OK;
}

static PfRunResult sample_run(const Moving *x, const char *method, const char *formulation, double step,
                              const double *at, int count, Rows *rows)
{
  PfRunOptions o = options_of(method, step > 0 ? 0 : 1e-10, at[count - 1]);
  *rows = (Rows){.n = x->n};
  o.formulation = formulation;
  o.step = step;
  o.at = at;
  o.at_count = count;
  o.sample = keep;
  o.user = rows;
  return run_with(x, o);
}

static const char *const methods[] = {"dopri5", "dop853", "rk4", "generalized_alpha", "rattle",
                                      "cvode_adams", "cvode_bdf", "ida", "ida2"};
enum { METHODS = sizeof methods/sizeof *methods };

static double step_of(const char *method)
{
  return pf_method_has_fixed_step(pf_method_find(method)) ? 1e-3 : 0;
}

/* ---------------------------------------------------------------- one body */

/* x' = 1 - t/2 until t = 2, then rest at x = 1: by every method, which all once went on for ever. */
static void a_block_stops_and_stays_by_every_method(void **state)
{
  const double at[] = {1, 3, 10};
  for (int i = 0; i < METHODS; i++) {
    Moving x;
    Rows rows;
    if (!pf_method_is_present(pf_method_find(methods[i]))) continue;
    open_text(*state, "coord x\nkinetic x'^2/2\nforce x = -0.5*sign(x')\nstart x' = 1\n", &x);
    PfRunResult result = sample_run(&x, methods[i], NULL, step_of(methods[i]), at, 3, &rows);
    assert_int_equal(result.end, PF_RUN_DONE);
    assert_near(rows.q[0][0], 0.75, 0, 1e-5);
    for (int k = 1; k < 3; k++) {
      assert_near(rows.q[k][0], 1, 0, 1e-5);
      assert_near(rows.v[k][0], 0, 0, 1e-12);
      assert_near(rows.a[k][0], 0, 0, 1e-12);
    }
    close_moving(&x);
  }
}

/* At rest a body stays while the push is below the friction, and slides when it is above: the start is no exception. */
static void a_start_at_rest_sticks_or_slides(void **state)
{
  static const struct {
    double push, acceleration;
  } pushes[] = {{0.9, 0}, {-0.9, 0}, {0, 0}, {1.5, 0.5}, {-1.5, -0.5}};
  const double at[] = {0, 1};
  for (size_t i = 0; i < sizeof pushes/sizeof *pushes; i++) {
    Moving x;
    Rows rows;
    char text[200];
    snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\nforce x = %g - sign(x')\n", pushes[i].push);
    open_text(*state, text, &x);
    sample_run(&x, "dopri5", NULL, 0, at, 2, &rows);
    assert_near(rows.a[0][0], pushes[i].acceleration, 0, 1e-14);
    assert_near(rows.q[1][0], 0.5*pushes[i].acceleration, 0, 1e-12);
    close_moving(&x);
  }
}

/* Both sides push the same way: it is crossed, also where the force grows with the side. */
static void a_surface_that_nothing_holds_is_crossed(void **state)
{
  const double at[] = {2};
  Moving x;
  Rows rows;
  open_text(*state, "coord x\nkinetic x'^2/2\nforce x = if(x' < 0, 1, 3)\nstart x' = -1\n", &x);
  sample_run(&x, "dopri5", NULL, 0, at, 1, &rows);
  assert_near(rows.v[0][0], 3, 0, 1e-12);       /* 0 at t = 1, then 3 t */
  assert_near(rows.q[0][0], -0.5 + 1.5, 0, 1e-12);
  close_moving(&x);
}

/* A relay on the position with damping: switches closer and closer until the swings are below the tolerance; then it
 * rests. */
static void switches_that_accumulate_end_in_rest(void **state)
{
  const double at[] = {60};
  Moving x;
  Rows rows;
  open_text(*state, "coord x\nkinetic x'^2/2\nforce x = -sign(x) - x'\nstart x = 1\n", &x);
  PfRunResult result = sample_run(&x, "dopri5", NULL, 0, at, 1, &rows);
  assert_int_equal(result.end, PF_RUN_DONE);
  assert_near(rows.q[0][0], 0, 0, 1e-9);
  assert_near(rows.a[0][0], 0, 0, 1e-12);
  close_moving(&x);
}

/* ---------------------------------------------------------------- several bodies */

/* Blocks that are coupled by springs and inertia, each with friction of its own, at rest: what moves is slowed by the
 * whole friction, what stays by no more than that. */
static void blocks_that_hold_each_other_obey_coulomb(void **state)
{
  Moving x;
  Rows rows;
  const double at[] = {0};
  unsigned noise = 11;
  for (int trial = 0; trial < 50; trial++) {
    double d[4], limit[4], force[4];
    char text[600];
    for (int i = 0; i < 4; i++) {
      noise = noise*1664525u + 1013904223u;
      d[i] = (noise >> 16)/32768.0 - 1;
      noise = noise*1664525u + 1013904223u;
      limit[i] = 0.1 + (noise >> 16)/65536.0;
    }
    snprintf(text, sizeof text,
             "coord a, b, c, d\nkinetic (a'^2 + 2*b'^2 + 3*c'^2 + d'^2)/2 + 0.4*(a' + b' - c')^2\n"
             "potential (a - b)^2 + (b - c)^2 + (c - d)^2\n"
             "force a = -%.17g*sign(a'), b = -%.17g*sign(b'), c = -%.17g*sign(c'), d = -%.17g*sign(d')\n"
             "start a = %.17g, b = %.17g, c = %.17g, d = %.17g\n",
             limit[0], limit[1], limit[2], limit[3], d[0], d[1], d[2], d[3]);
    open_text(*state, text, &x);
    sample_run(&x, "dopri5", NULL, 0, at, 1, &rows);
    const double *u = rows.a[0];
    double s = 0.8*(u[0] + u[1] - u[2]);
    double inertia[4] = {u[0] + s, 2*u[1] + s, 3*u[2] - s, u[3]};
    double spring[4] = {-2*(d[0] - d[1]), 2*(d[0] - d[1]) - 2*(d[1] - d[2]), 2*(d[1] - d[2]) - 2*(d[2] - d[3]),
                        2*(d[2] - d[3])};
    for (int i = 0; i < 4; i++) {
      force[i] = inertia[i] - spring[i]; /* what the friction does */
      assert_true(fabs(force[i]) <= limit[i]*(1 + 1e-12));
      if (fabs(u[i]) > 1e-12) assert_near(force[i], -limit[i]*(u[i] > 0 ? 1 : -1), 1e-10, 1e-12);
    }
    close_moving(&x);
  }
}

/* Two masses on a spring with friction between them, both free: every formulation gives the same motion. */
static void every_formulation_knows_sticking(void **state)
{
  const double at[] = {0.5, 2, 4};
  Rows first = {0}, rows;
  const PfFormulation *form;
  for (int i = 0; (form = pf_formulation(i)) != NULL; i++) {
    Moving x;
    if (!strcmp(pf_formulation_name(form), "recursive")) continue; /* for bodies: below */
    if (!strcmp(pf_formulation_name(form), "rosenberg")) continue; /* not for this rod, with friction or without */
    open_text(*state,
              "param m = 2, k = 8, F = 1.5\n"
              "coord x, y, z\n"
              "kinetic m/2*x'^2 + (y'^2 + z'^2)/2\n"
              "potential k/2*x^2\n"
              "force x = -F*sign(x' - y'), y = F*sign(x' - y')\n"
              "constraint rod: z = 2*y\n"
              "start x = 1\n",
              &x);
    PfRunResult result = sample_run(&x, "dopri5", pf_formulation_name(form), 0, at, 3, &rows);
    assert_int_equal(result.end, PF_RUN_DONE);
    if (i == 0) first = rows;
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++) {
        assert_near(rows.q[k][j], first.q[k][j], 0, 1e-8);
        assert_near(rows.v[k][j], first.v[k][j], 0, 1e-8);
      }
    close_moving(&x);
  }
}

static void the_recursion_knows_sticking(void **state)
{
  static const char *const text = "gravity (0, 0, -9.81)\ncoord a, b\n"
                                  "body u in ground turn a about y { mass 1, inertia 0.1, com (0, 0, -0.5) }\n"
                                  "body w in u at (0, 0, -1) turn b about y { mass 1, inertia 0.1, com (0, 0, -0.5) }\n"
                                  "force a = -0.8*sign(a'), b = -0.3*sign(b')\n"
                                  "start a = 1\n";
  const double at[] = {1, 2, 6};
  Rows rows[2];
  for (int i = 0; i < 2; i++) {
    Moving x;
    open_text(*state, text, &x);
    sample_run(&x, "dopri5", i ? "recursive" : "multipliers", 0, at, 3, rows + i);
    close_moving(&x);
  }
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 2; j++) assert_near(rows[1].q[k][j], rows[0].q[k][j], 0, 1e-7);
}

/* ---------------------------------------------------------------- no run without end */

/* x'/|v| has no value at rest, and no sign that could stick: steps become shorter and shorter after the stop at t =
 * 2. */
static void a_stalled_run_is_an_error(void **state)
{
  Moving x;
  Rows rows;
  const double at[] = {4};
  open_text(*state,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nlet v = sqrt(x'^2 + y'^2)\n"
            "force x = -0.5*x'/v, y = -0.5*y'/v\nstart x' = 0.6, y' = 0.8\n",
            &x);
  PfRunResult result = sample_run(&x, "dopri5", NULL, 0, at, 1, &rows);
  assert_int_equal(result.end, PF_RUN_STALL);
  assert_near(result.t, 2, 0, 0.1);
  assert_contains(pf_context_message(x.s.ctx), "makes no progress");
  close_moving(&x);
}

/* ---------------------------------------------------------------- memory */

static void stop_with_counter(Counter *counter, void *user)
{
  static const char text[] = "coord x\ninput u = if(t < 0.3, 0, 1)\nkinetic x'^2/2\nforce x = u - 2*sign(x')\n"
                             "start x' = 1\n";
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfModel *model = NULL;
  PfSystem *system = NULL;
  PfEquations eq;
  PfRunResult result;
  PfRunOptions options = options_of(user, 1e-4, 1);
  double values[32];
  PfStatus status = ctx ? pf_model_read(ctx, "test.pf", text, strlen(text), &model) : PF_ERR_MEMORY;
  if (status == PF_OK) status = pf_equations_derive(ctx, model->arena, model, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &system);
  if (status == PF_OK) status = pf_equations_start(ctx, &eq, NULL, values);
  if (status == PF_OK) status = pf_run(ctx, system, values, &options, &result);
  bool hopeless = counter->refused && counter->fail_on; /* one refusal may only cost an optimisation of the tapes */
  assert_true(status == PF_ERR_MEMORY ? counter->refused > 0 : status == PF_OK && !hopeless);
  pf_system_free(system);
  if (model) pf_model_free(model);
  if (ctx) pf_context_free(ctx);
}

static void lack_of_memory_is_reported_and_leaves_nothing_behind(void **state)
{
  (void)state;
  static char dopri5[] = "dopri5";
  fail_every_allocation(stop_with_counter, dopri5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_block_stops_and_stays_by_every_method),
    with_fixture(a_start_at_rest_sticks_or_slides),
    with_fixture(a_surface_that_nothing_holds_is_crossed),
    with_fixture(switches_that_accumulate_end_in_rest),
    with_fixture(blocks_that_hold_each_other_obey_coulomb),
    with_fixture(every_formulation_knows_sticking),
    with_fixture(the_recursion_knows_sticking),
    with_fixture(a_stalled_run_is_an_error),
    with_fixture(lack_of_memory_is_reported_and_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
