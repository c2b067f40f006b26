/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for the choice of pivots: values of all symbols at the start and at a generic admissible state, by which an
 * elimination of expressions distinguishes large pivots from small ones. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"
#include "num/num.h"

#include <math.h>

/* A start that cannot be found is not a failure here: then *start is NULL, and without diagnostics. */
PfStatus pf_start_values(PfContext *ctx, PfArena *arena, const PfEquations *eq, int count, double **start)
{
  PF_TRY(pf_arrays(ctx, arena, "the elimination", PF_ROOM(*start, count)));
  int said = pf_diagnostic_count(ctx);
  PfStatus status = pf_equations_start(ctx, eq, NULL, *start);
  if (status == PF_OK || pf_is_final(status)) return status;
  pf_diagnostics_truncate(ctx, said); /* it is only wished for */
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

/* The numbers of other inputs stay. */
void pf_set_modes(const PfModel *model, const PfSymbols *symbols, int mode, double *values)
{
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].is_mode) values[symbols->inputs + i] = mode;
}

/* Numbers between 0.4 and 1.3 without a pattern, by multiples of the golden section. Where A is not finite there they
 * are taken next to the start. */
PfStatus pf_generic_values(PfContext *ctx, PfArena *scratch, const PfEquations *eq, const PfSymbols *symbols,
                           const double *start, double *values)
{
  if (eq->by_quaternions) return generic_quasi_values(ctx, scratch, eq, symbols, values);
  int size = eq->m*eq->n;
  double *A = pf_arena_array(scratch, double, size);
  if (!A) return pf_no_room(ctx, "the elimination");
  for (int i = 0; i < symbols->count; i++) values[i] = 0.4 + 0.9*fmod(0.61803398875*(i + 1), 1);
  pf_set_modes(eq->model, symbols, 1, values);
  PF_TRY(pf_model_parameter_values(eq->model, NULL, PF_MISSING_GENERIC, values));
  PF_TRY(pf_expr_evaluate(ctx, eq->A, size, symbols->symbol, values, symbols->count, A));
  if (!start || pf_first_not_finite(A, (size_t)size) < 0) return PF_OK;
  for (int i = symbols->time; i < symbols->count; i++) /* near the start */
    values[i] = start[i] + 0.02*(values[i] - 0.85);
  return PF_OK;
}

/* Symbols, generic numbers and those of the start, all in the arena. */
PfStatus pf_equations_sample(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfSamplePoint *sample)
{
  PfSymbols s;
  double *start;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->model, &s));
  double *values = pf_arena_array(arena, double, s.count);
  if (!values) return pf_no_room(ctx, "the elimination");
  PF_TRY(pf_start_values(ctx, arena, eq, s.count, &start));
  PF_TRY(pf_generic_values(ctx, arena, eq, &s, start, values));
  *sample = (PfSamplePoint){.count = s.count, .constants = eq->model->parameter_count, .symbols = s.symbol,
                            .generic = values, .start = start};
  return PF_OK;
}
