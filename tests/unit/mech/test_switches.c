/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces of switching: the equations with their sides as inputs are the equations, at every state. */
#include "mech/system.h"

#include <math.h>

typedef struct Switched {
  System s;
  PfSwitches switches;
  PfSymbols symbols;
  double *values;
} Switched;

static void find(Fixture *f, const char *text, Switched *x)
{
  read_system(f, text, &x->s);
  assert_int_equal(pf_switches_find(f->ctx, f->arena, &x->s.eq, &x->switches), PF_OK);
  assert_int_equal(pf_equations_symbols(f->ctx, f->arena, &x->switches.model, &x->symbols), PF_OK);
  x->values = pf_arena_array(f->arena, double, x->symbols.count);
  assert_non_null(x->values);
}

/* A state by a linear congruential generator, time too. */
static void shake(Switched *x, unsigned *noise)
{
  const PfSymbols *in = &x->s.symbols;
  for (int i = in->time; i < in->lambda; i++) {
    if (i >= in->inputs && i < in->q) continue;
    *noise = *noise*1664525u + 1013904223u;
    x->s.values[i] = (*noise >> 16)/16384.0 - 2;
  }
  set_time(&x->s, x->s.values[in->time]);
}

/* Sides from the surfaces, in their order: one may contain those before it. */
static void set_modes(Switched *x)
{
  const PfSymbols *from = &x->s.symbols, *to = &x->symbols;
  memcpy(x->values, x->s.values, (size_t)from->q*sizeof(double));
  memcpy(x->values + to->q, x->s.values + from->q, (size_t)(from->count - from->q)*sizeof(double));
  double *side = x->values + to->q - x->switches.count;
  for (int k = 0; k < x->switches.count; k++) {
    double g;
    assert_int_equal(pf_expr_evaluate(x->s.ctx, &x->switches.at[k].surface, 1, to->symbol, x->values, to->count, &g),
                     PF_OK);
    side[k] = g > 0 ? 1 : -1;
  }
}

static void compare(Switched *x, const PfExpr *plain, const PfExpr *switched, int count)
{
  for (int i = 0; i < count; i++) {
    double a, b;
    assert_int_equal(pf_expr_evaluate(x->s.ctx, plain + i, 1, x->s.symbols.symbol, x->s.values, x->s.symbols.count, &a),
                     PF_OK);
    assert_int_equal(pf_expr_evaluate(x->s.ctx, switched + i, 1, x->symbols.symbol, x->values, x->symbols.count, &b),
                     PF_OK);
    assert_near(b, a, 1e-14, 1e-14); /* products and sums are taken in another order */
  }
}

/* Forces of every kind, nested and combined, at a thousand states. */
static void with_their_sides_the_equations_are_the_same(void **state)
{
  Fixture *f = *state;
  Switched x;
  find(f,
       "coord x, y\n"
       "input u = if(sin(3*t) > 0.2, 1, -2)\n"
       "kinetic (x'^2 + y'^2)/2\n"
       "potential 3*abs(x - y)\n"
       "force x = u - sign(x')*if(abs(x') < 0.5, 3, 2) + max(-1, min(1, 2*x), y - x)\n"
       "force y = if(x < 1 and not (y' < 0 or x > -0.5), x, if(t < 1, y^2, -y)) + min(x', y')\n",
       &x);
  assert_true(x.switches.count >= 9);
  unsigned noise = 5;
  for (int trial = 0; trial < 1000; trial++) {
    shake(&x, &noise);
    set_modes(&x);
    compare(&x, x.s.eq.F, x.switches.equations.F, x.s.eq.n);
    compare(&x, &x.s.eq.potential, &x.switches.equations.potential, 1);
  }
  pf_model_free(x.s.model);
}

static void one_surface_serves_all_that_change_there(void **state)
{
  Fixture *f = *state;
  Switched x;
  find(f,
       "coord x\n"
       "kinetic x'^2/2\n"
       "force x = sign(x' + x) - sign(-x - x') + abs(2*x + 2*x') + if(x' < -x, 1, 2)\n",
       &x);
  assert_int_equal(x.switches.count, 1);
  assert_true(x.switches.at[0].compared);
  assert_false(x.switches.at[0].timed);
  pf_model_free(x.s.model);
}

static void functions_of_time_and_of_parameters_are_told_apart(void **state)
{
  Fixture *f = *state;
  Switched x;
  find(f,
       "param k = 2\n"
       "coord x\n"
       "input u = if(t < 5, 0, 10)\n"
       "kinetic x'^2/2\n"
       "force x = u + abs(k)*x\n",
       &x);
  assert_int_equal(x.switches.count, 1);
  assert_true(x.switches.at[0].timed);
  pf_model_free(x.s.model);
}

static void smooth_equations_stay_as_they_are(void **state)
{
  Fixture *f = *state;
  Switched x;
  find(f, "coord x\nkinetic x'^2/2\npotential x^4\n", &x);
  assert_int_equal(x.switches.count, 0);
  assert_ptr_equal(x.switches.equations.F, x.s.eq.F);
  pf_model_free(x.s.model);
}

/* On the surface the force may be anything between both sides. */
static void between_the_sides_conditions_blend(void **state)
{
  Fixture *f = *state;
  Switched x;
  double force;
  find(f, "coord x\nkinetic x'^2/2\nforce x = if(x' < 0, 7, -3)\n", &x);
  set_modes(&x);
  x.values[x.symbols.q - 1] = 0.5; /* a quarter of the case x' < 0 */
  assert_int_equal(pf_expr_evaluate(x.s.ctx, x.switches.equations.F, 1, x.symbols.symbol, x.values, x.symbols.count,
                                    &force),
                   PF_OK);
  assert_near(force, 0.25*7 - 0.75*3, 1e-15, 0);
  pf_model_free(x.s.model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(with_their_sides_the_equations_are_the_same),
    with_fixture(one_surface_serves_all_that_change_there),
    with_fixture(functions_of_time_and_of_parameters_are_told_apart),
    with_fixture(smooth_equations_stay_as_they_are),
    with_fixture(between_the_sides_conditions_blend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
