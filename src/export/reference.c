/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that an export can be compared with: the model at its start and at states around it, by 'multipliers'.
 *
 * The states are the start and two others near it on the constraints, with inputs that are not zero, so that every
 * function of the export has something to compute. States without accelerations, or with numbers that are not finite,
 * are left out. */
#include "export/export_impl.h"
#include "num/num.h"
#include "time/manifold.h"

#include <math.h>
#include <string.h>

typedef struct Work {
  const PfExport *x;
  PfManifold manifold;
  PfSolver *solver, *other; /* another formulation, or NULL */
  double *values;
  PfMotion motion, second;
} Work;

/* Another state on the constraints; the inputs push. */
static void move(Work *w, const double *values, int k)
{
  const PfExport *x = w->x;
  const PfSymbols *in = pf_system_symbols(x->system);
  unsigned noise = 7u*(unsigned)k;
  memcpy(w->values, values, (size_t)in->count*sizeof *values);
  w->values[in->time] += 0.25*k;
  for (int i = 0; i < 2*x->n && k; i++) {
    double *y = w->values + in->q + i, small = pf_blur(0, 1, &noise); /* up to 0.01 */
    *y += 10*small*(i < x->n ? 1 : 3);
  }
  for (int i = 0; i < x->inputs.count; i++) w->values[in->inputs + x->input[i]] = k*(0.3 + 0.2*i);
  if (!k || !x->m) return;
  if (w->manifold.positions) (void)pf_manifold_project(&w->manifold, w->values, PF_LEVEL_POSITION, PF_ON_CONSTRAINTS);
  (void)pf_manifold_project(&w->manifold, w->values, PF_LEVEL_VELOCITY, PF_ON_CONSTRAINTS);
}

static bool is_on_constraints(Work *w)
{
  if (!w->x->m) return true;
  return pf_manifold_scaled_residual(&w->manifold, w->values, PF_LEVEL_POSITION) < PF_COMPARED_TO &&
         pf_manifold_scaled_residual(&w->manifold, w->values, PF_LEVEL_VELOCITY) < PF_COMPARED_TO;
}

/* Elements of a function of the export at the symbols, in the arena. */
static PfStatus evaluate(const PfExport *x, PfExportKind kind, const double *symbols, double **elements)
{
  const PfExportFunction *f = pf_export_function(x, kind);
  *elements = pf_arena_array(x->arena, double, pf_export_size(f) + 1);
  if (!*elements) return pf_no_room(x->ctx, "the export");
  return pf_export_evaluate(x, f, symbols, *elements);
}

/* How far another formulation is from what was found. */
static double find_spread(Work *w)
{
  int row;
  double largest = fmax(1, pf_largest(w->motion.acceleration, w->x->n)), most = 0;
  if (!w->other || pf_solver_accelerate(w->other, w->values, &w->second, &row) != PF_TROUBLE_NONE) return 0;
  for (int i = 0; i < w->x->n; i++) most = fmax(most, fabs(w->second.acceleration[i] - w->motion.acceleration[i]));
  return isfinite(most) ? most/largest : 0;
}

/* Takes the state when it has accelerations and all its numbers are finite. */
static PfStatus take(Work *w, PfReference *reference)
{
  const PfExport *x = w->x;
  int row, k = reference->count;
  double *symbols = reference->symbols[k] = pf_arena_array(x->arena, double, x->symbol_count);
  if (!symbols) return pf_no_room(x->ctx, "the export");
  if (!is_on_constraints(w)) return PF_OK;
  if (pf_solver_accelerate(w->solver, w->values, &w->motion, &row) != PF_TROUBLE_NONE) return PF_OK;
  reference->spread = fmax(reference->spread, find_spread(w));
  pf_export_take_values(x, w->values, symbols);
  memcpy(symbols + x->at_a, w->motion.acceleration, (size_t)x->n*sizeof *symbols);
  if (x->m) memcpy(symbols + x->at_lambda, w->motion.multiplier, (size_t)x->m*sizeof *symbols);
  PF_TRY(evaluate(x, PF_EXPORT_ENERGY, symbols, &reference->energy[k]));
  PF_TRY(evaluate(x, PF_EXPORT_OUTPUTS, symbols, &reference->outputs[k]));
  if (pf_first_not_finite(symbols, (size_t)x->symbol_count) < 0 &&
      pf_first_not_finite(reference->energy[k], 2) < 0 &&
      pf_first_not_finite(reference->outputs[k], (size_t)x->outputs.count) < 0) reference->count++;
  return PF_OK;
}

/* `values` are those of the system at the start; states follow from it by fixed pseudo-random changes. */
static PfStatus find(Work *w, const double *values, PfReference *reference)
{
  const PfExport *x = w->x;
  const PfSymbols *in = pf_system_symbols(x->system);
  w->values = pf_arena_array(x->arena, double, in->count);
  w->motion = (PfMotion){.acceleration = pf_arena_array(x->arena, double, x->n),
                         .multiplier = pf_arena_array(x->arena, double, x->m)};
  w->second = (PfMotion){.acceleration = pf_arena_array(x->arena, double, x->n),
                         .multiplier = pf_arena_array(x->arena, double, x->m)};
  if (!w->values || !w->motion.acceleration || !w->motion.multiplier || !w->second.acceleration ||
      !w->second.multiplier) return pf_no_room(x->ctx, "the export");
  PF_TRY(pf_manifold_make(x->ctx, x->arena, x->system, &w->manifold));
  for (int k = 0; k < PF_REFERENCE_STATES; k++) {
    move(w, values, k);
    PF_TRY(take(w, reference));
  }
  return PF_OK;
}

/* Solvers by 'multipliers' and, where it applies, by 'maggi', whose difference measures how many digits the model
 * costs. */
PfStatus pf_export_reference(const PfExport *x, const double *values, PfReference *reference)
{
  Work w = {.x = x};
  *reference = (PfReference){0};
  PF_TRY(pf_solver_new(x->ctx, x->system, pf_formulation_find("multipliers"), &w.solver));
  int before = pf_diagnostic_count(x->ctx);
  PfStatus status = pf_solver_new(x->ctx, x->system, pf_formulation_find("maggi"), &w.other);
  if (status == PF_OK || !pf_is_final(status)) {
    pf_diagnostics_truncate(x->ctx, before); /* where it does not apply nothing is compared */
    status = find(&w, values, reference);
  }
  pf_solver_free(w.other);
  pf_solver_free(w.solver);
  return status;
}
