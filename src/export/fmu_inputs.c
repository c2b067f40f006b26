/* SPDX-License-Identifier: Apache-2.0 */
/* What changes at events as inputs of the equations: sides of surfaces, flags of phases, captured numbers.
 *
 * An FMU changes its equations at events by setting these inputs; between events they stay, so that an integrator sees
 * smooth functions. */
#include "export/fmu.h"
#include "base/base.h"

#include <string.h>

static PfStatus no_room(PfContext *ctx)
{
  return pf_no_room(ctx, "the inputs of the FMU");
}

/* Sides are 1 until their surfaces are looked at, flags as at the start, and nothing was captured. */
static double start_of(const PfFmuInputs *inputs, int i)
{
  if (i < inputs->switches->count) return 1;
  i -= inputs->switches->count;
  return inputs->structure && i < inputs->structure->flag_count ? inputs->structure->start[i] : 0;
}

/* Switches become sides, events become flags: each step gives equations with further inputs, and a system of the last
 * ones. */
PfStatus pf_fmu_prepare(PfContext *ctx, PfArena *arena, const PfSystem *from, const double *values, PfFmuInputs *inputs)
{
  const PfEquations *eq = pf_system_equations(from);
  *inputs = (PfFmuInputs){.switches = pf_arena_array(arena, PfSwitches, 1)};
  if (!inputs->switches) return no_room(ctx);
  PF_TRY(pf_switches_find(ctx, arena, eq, inputs->switches));
  if (inputs->switches->count) eq = &inputs->switches->equations;
  if (eq->model->event_count) {
    inputs->structure = pf_arena_array(arena, PfStructure, 1);
    if (!inputs->structure) return no_room(ctx);
    PF_TRY(pf_structure_make(ctx, arena, eq, inputs->structure));
    eq = &inputs->structure->equations;
  }
  PF_TRY(pf_system_new(ctx, eq, &inputs->system));
  /* The numbers of the former system; further inputs begin as they must. Inputs of the new system follow those of
   * the former one; the rest has the same order in both. */
  const PfSymbols *in = pf_system_symbols(from), *out = pf_system_symbols(inputs->system);
  double *v = inputs->values = pf_arena_array(arena, double, out->count);
  if (!v) return no_room(ctx);
  int given = in->q - in->inputs;
  memcpy(v, values, (size_t)in->q*sizeof *v); /* parameters, time, inputs */
  for (int i = given; i < out->q - out->inputs; i++) v[out->inputs + i] = start_of(inputs, i - given);
  memcpy(v + out->q, values + in->q, (size_t)(in->count - in->q)*sizeof *v);
  return PF_OK;
}

/* Rows of zeros come and go with the flags of phases: not by elimination. */
PfStatus pf_fmu_choose(PfContext *ctx, const PfFmuInputs *inputs, PfExportOptions *how)
{
  if (!inputs->structure) return PF_OK;
  how->plain = inputs->structure->plain;
  if (!how->form || !strcmp(how->form, "auto")) how->form = "multipliers";
  if (strcmp(how->form, "elimination") != 0) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, "'elimination' cannot follow events that lock, attach or detach: its pivots vanish");
  pf_hint(ctx, "there are: auto, multipliers, maggi");
  return PF_ERR_ARGUMENT;
}
