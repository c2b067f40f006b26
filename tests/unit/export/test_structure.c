/* SPDX-License-Identifier: Apache-2.0 */
#include "export/structure.h"
#include "pfaff/pfaff.h"
#include "support.h"

static const char cart[] =
    "coord x, q, y\nkinetic x'^2 + q'^2*(1 + x^2)/2 + x'*q'*cos(q)/2 + y'^2/2 + y'*x'/3\n"
    "potential x*q + y^2\nconstraint k: q' = x*x'\nconstraint r: y' = q*q'\n"
    "start x = 0.4, q = 0.3, y = -1\nwhen t = 1 { lock y }\nwhen x > 1 { lock q }\nwhen t = 2 { unlock y }\n";

enum { N = 3, M = 2 };

static void evaluate(PfContext *ctx, const PfEquations *eq, const PfSymbols *in, const double *values, double *out)
{
  int n = eq->n, m = eq->m;
  assert_int_equal(pf_expr_evaluate(ctx, eq->M, n*n, in->symbol, values, in->count, out), PF_OK);
  assert_int_equal(pf_expr_evaluate(ctx, eq->F, n, in->symbol, values, in->count, out + n*n), PF_OK);
  assert_int_equal(pf_expr_evaluate(ctx, eq->A, m*n, in->symbol, values, in->count, out + n*n + n), PF_OK);
}

/* The rows and columns of what is free are those of the equations of the phase; the others say a = 0. */
static void flags_hold_as_phases_do(void **state)
{
  Fixture *f = *state;
  PfModel *model;
  PfEquations eq;
  PfStructure s;
  PfSymbols in;
  double all[N*N + N + M*N], flagged[N*N + N + M*N], values[40] = {0};
  assert_int_equal(pf_model_read(f->ctx, "test.pf", cart, strlen(cart), &model), PF_OK);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, model, &eq), PF_OK);
  assert_int_equal(pf_structure_make(f->ctx, f->arena, &eq, &s), PF_OK);
  assert_int_equal(s.flag_count, 2);
  assert_int_equal(s.held_count, 2);
  assert_int_equal(s.coordinate[0], -1); /* x is never held */
  assert_int_equal(pf_equations_symbols(f->ctx, f->arena, &s.model, &in), PF_OK);
  assert_true(in.count <= 40);
  for (int i = 0; i < 2*N; i++) values[in.q + i] = 0.3 + 0.2*i;
  values[in.v + 2] = 0; /* what is held rests */
  values[in.inputs + s.coordinate[2]] = 1;
  evaluate(f->ctx, &eq, &in, values, all);
  evaluate(f->ctx, &s.equations, &in, values, flagged);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      assert_near(flagged[i*N + j], i == 2 || j == 2 ? i == j : all[i*N + j], 1e-15, 1e-15);
    assert_near(flagged[N*N + i], i == 2 ? 0 : all[N*N + i], 1e-15, 1e-15);
    for (int k = 0; k < M; k++)
      assert_near(flagged[N*N + N + k*N + i], i == 2 ? 0 : all[N*N + N + k*N + i], 1e-15, 1e-15);
  }
  pf_model_free(model);
}

static void events_set_and_clear_flags(void **state)
{
  Fixture *f = *state;
  PfModel *model;
  PfEquations eq;
  PfStructure s;
  assert_int_equal(pf_model_read(f->ctx, "test.pf", cart, strlen(cart), &model), PF_OK);
  assert_int_equal(pf_equations_derive(f->ctx, f->arena, model, &eq), PF_OK);
  assert_int_equal(pf_structure_make(f->ctx, f->arena, &eq, &s), PF_OK);
  int y = s.coordinate[2], q = s.coordinate[1];
  assert_int_equal(s.effect[0*2 + y], 1);
  assert_int_equal(s.effect[0*2 + q], -1);
  assert_int_equal(s.effect[1*2 + q], 1);
  assert_int_equal(s.effect[2*2 + y], 0);
  pf_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(flags_hold_as_phases_do),
    with_fixture(events_set_and_clear_flags),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
