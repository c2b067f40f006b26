/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities that are asked for beside a model, in numbers along a run. */
#include "motions.h"

#include "pfaff/lang.h"

/* A bead on a circle of radius 2 that turns with constant speed 3: nothing pushes but the wire, with m v^2/r. */
static const char bead[] =
  "param m = 0.5\n"
  "let r = 2, c = m*r\n"
  "coord x, y\n"
  "speed v\n"
  "rate x' = -v*y/r, y' = v*x/r\n"
  "kinetic m/2*(x'^2 + y'^2)\n"
  "constraint wire: (x^2 + y^2 - r^2)/2 = 0\n"
  "start x = 2, y = 0, x' = 0, y' = 3\n";

typedef struct Look {
  PfReadings *readings;
  Counter *counter;
  long calls;
  int samples;
} Look;

static PfStatus look(void *user, const PfSample *sample)
{
  Look *l = user;
  double x[5], s = sin(1.5*sample->t), c = cos(1.5*sample->t);
  long before = l->counter ? l->counter->calls : 0;
  pf_readings_evaluate(l->readings, sample, x);
  if (l->counter) l->calls += l->counter->calls - before;
  l->samples++;
  assert_near(x[0], 3, 0, 1e-8);
  assert_near(x[1], -2.25*c, 0, 1e-7);
  assert_near(x[2], -2.25*s, 0, 1e-7);
  assert_near(x[3], 1, 0, 0);
  assert_near(x[4], 2.25, 0, 1e-8);
  return PF_OK;
}

static void watch(const Moving *x, const char *show, Look *l)
{
  PfPlot *plots;
  int count;
  assert_int_equal(pf_quantities_read(x->s.ctx, x->s.arena, x->s.model, "show", show, &plots, &count), PF_OK);
  assert_int_equal(count, 1);
  assert_int_equal(plots->count, 5);
  assert_int_equal(pf_readings_new(x->s.ctx, x->system, x->s.values, plots->values, plots->count, &l->readings), PF_OK);
  PfRunOptions options = options_of("dop853", 1e-11, 2);
  options.sample = look;
  options.user = l;
  assert_int_equal(run_with(x, options).end, PF_RUN_DONE);
  assert_true(l->samples > 10);
  pf_readings_free(l->readings);
}

static void speeds_forces_and_energies_are_read_at_samples(void **state)
{
  Moving x;
  Look l = {0};
  open_text(*state, bead, &x);
  watch(&x, "v, reaction(x), reaction(y), c, energy", &l);
  close_moving(&x);
}

static void what_is_wrong_has_a_place_in_the_list(void **state)
{
  Fixture *f = *state;
  Moving x;
  PfPlot *plots;
  int count;
  open_text(f, bead, &x);
  int before = pf_diagnostic_count(x.s.ctx);
  assert_int_equal(pf_quantities_read(x.s.ctx, x.s.arena, x.s.model, "show", "x; y, speed_", &plots, &count),
                   PF_ERR_ARGUMENT);
  assert_null(plots);
  const PfDiagnostic *d = pf_diagnostic(x.s.ctx, before);
  assert_string_equal(d->place.file, "show");
  assert_int_equal(d->place.column, 7);
  close_moving(&x);
}

static void reading_needs_no_memory(void **state)
{
  (void)state;
  Counter counter;
  counter_init(&counter);
  Fixture f = {.ctx = pf_context_new(&counter.allocator)};
  f.arena = pf_arena_new(&counter.allocator);
  Moving x;
  Look l = {.counter = &counter};
  open_text(&f, bead, &x);
  watch(&x, "v, reaction(x), reaction(y), c, energy", &l);
  assert_int_equal(l.calls, 0);
  close_moving(&x);
  pf_arena_free(f.arena);
  pf_context_free(f.ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(speeds_forces_and_energies_are_read_at_samples),
                                     with_fixture(what_is_wrong_has_a_place_in_the_list),
                                     with_fixture(reading_needs_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
