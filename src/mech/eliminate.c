/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that guide eliminations. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "num/num.h"

#include <math.h>

PfStatus pf_start_values(PfContext *ctx, PfArena *arena, const PfEquations *eq, int count, double **start)
{
  *start = pf_arena_array(arena, double, count);
  if (!*start) return pf_no_room(ctx, "the elimination");
  int said = pf_diagnostic_count(ctx);
  PfStatus status = pf_equations_start(ctx, eq, NULL, *start);
  if (status == PF_OK || pf_is_final(status)) return status;
  pf_diagnostics_cut(ctx, said); /* it is only wished for */
  *start = NULL;
  return PF_OK;
}

/* Directions cosines are not arbitrary: the quaternion is. */
static PfStatus generic_quasi_values(PfContext *ctx, PfArena *scratch, const PfEquations *eq, const PfSymbols *symbols,
                                     double *values)
{
  PfSymbols old;
  double *start;
  PF_TRY(pf_equations_symbols(ctx, scratch, eq->by_quaternions->model, &old));
  double *original = pf_arena_array(scratch, double, old.count);
  if (!original) return pf_no_room(ctx, "the elimination");
  PF_TRY(pf_start_values(ctx, scratch, eq->by_quaternions, old.count, &start));
  PF_TRY(pf_generic_values(ctx, scratch, eq->by_quaternions, &old, start, original));
  return pf_quasi_values(ctx, scratch, eq, symbols, original, values);
}

void pf_set_sides(const PfModel *model, const PfSymbols *symbols, int side, double *values)
{
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].side) values[symbols->inputs + i] = side;
}

PfStatus pf_generic_values(PfContext *ctx, PfArena *scratch, const PfEquations *eq, const PfSymbols *symbols,
                           const double *start, double *values)
{
  if (eq->by_quaternions) return generic_quasi_values(ctx, scratch, eq, symbols, values);
  int size = eq->m*eq->n;
  double *A = pf_arena_array(scratch, double, size);
  if (!A) return pf_no_room(ctx, "the elimination");
  for (int i = 0; i < symbols->count; i++) values[i] = 0.4 + 0.9*fmod(0.61803398875*(i + 1), 1);
  pf_set_sides(eq->model, symbols, 1, values);
  PF_TRY(pf_model_parameter_values(eq->model, NULL, PF_MISSING_GENERIC, values));
  PF_TRY(pf_expr_evaluate(ctx, eq->A, size, symbols->symbol, values, symbols->count, A));
  if (!start || pf_first_not_finite(A, (size_t)size) < 0) return PF_OK;
  for (int i = symbols->time; i < symbols->count; i++) /* near the start */
    values[i] = start[i] + 0.02*(values[i] - 0.85);
  return PF_OK;
}

PfStatus pf_equations_guide(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfGuide *guide)
{
  PfSymbols s;
  double *start;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &s));
  double *values = pf_arena_array(arena, double, s.count);
  if (!values) return pf_no_room(ctx, "the elimination");
  PF_TRY(pf_start_values(ctx, arena, eq, s.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &s, start, values));
  *guide = (PfGuide){.count = s.count, .constants = eq->model->parameter_count, .symbols = s.symbol, .generic = values,
                     .start = start};
  return PF_OK;
}
