/* SPDX-License-Identifier: Apache-2.0 */
/* From a model in angular velocities back to quaternions: numbers of its symbols, and its pseudo-velocities. */
#include "mech/mech_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers */

/* Every symbol is evaluated by what it means in the original: itself, or an expression of the quaternion. */
PfStatus pf_quasi_values(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfSymbols *symbols,
                         const double *original, double *values)
{
  const PfModel *model = eq->model;
  PfSymbols old;
  PF_TRY(pf_equations_symbols(ctx, arena, eq->by_quaternions->model, &old));
  PfExpr *meaning = pf_arena_array(arena, PfExpr, symbols->count);
  if (!meaning) return pf_no_room(ctx, "the attitude");
  memcpy(meaning, symbols->symbol, (size_t)symbols->count*sizeof *meaning);
  for (int i = 0; i < model->coordinate_count; i++)
    if (model->coordinates[i].quasi) meaning[symbols->q + i] = pf_expr_int(ctx, 0);
  for (int s = 0; s < model->spinning_count; s++)
    memcpy(meaning + symbols->v + model->spinnings[s].first, model->spinnings[s].value, 3*sizeof *meaning);
  for (int i = 0; i < model->auxiliary_count; i++) meaning[symbols->auxiliaries + i] = model->auxiliaries[i].value;
  return pf_expr_evaluate(ctx, meaning, symbols->count, old.symbol, original, old.count, values);
}

/* ---------------------------------------------------------------- pseudo-velocities of the original */


/* v of the original coordinates by omega: those of quaternions are rates of auxiliary states. Angular velocities and
 * auxiliary states in definitions and divisors are written out by the original coordinates; in v only auxiliary states
 * are, since angular velocities among omega stay what they are. */
PfStatus pf_quasi_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  PfQuasi quasi;
  PfKinematics from;
  PF_TRY(pf_quasi_make(ctx, arena, eq, &quasi));
  PF_TRY(pf_kinematics_find(ctx, arena, &quasi.equations, &from));
  const PfModel *model = &quasi.model;
  const int n = eq->n, s = from.count, auxiliaries = model->auxiliary_count, spins = 3*model->spinning_count;
  PfExpr *symbols, *values, *rates; /* of auxiliary states, then of angular velocities */
  *k = from;
  k->chosen = false;
  k->combined = true;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(k->v, n), PF_ROOM2(k->N, n, s), PF_ROOM(k->drift, n),
                   PF_ROOM(k->definition, s), PF_ROOM(k->independent, s), PF_ROOM(symbols, auxiliaries + spins),
                   PF_ROOM(values, auxiliaries + spins), PF_ROOM(rates, auxiliaries)));
  PF_TRY(pf_auxiliary_rates(model, from.v, symbols, rates));
  for (int i = 0; i < auxiliaries; i++) values[i] = model->auxiliaries[i].value;
  for (int i = 0; i < spins; i++) {
    const PfSpinning *spinning = model->spinnings + i/3;
    symbols[auxiliaries + i] = model->coordinates[spinning->first + i%3].v;
    values[auxiliaries + i] = spinning->value[i%3];
  }
  for (int a = 0; a < s; a++) {
    k->definition[a] = from.definition ? from.definition[a] : from.omega[a];
    k->independent[a] = -1;
    for (int i = 0; i < n; i++)
      if (eq->model->coordinates[i].v == k->definition[a]) k->independent[a] = i;
  }
  PF_TRY(pf_expr_substitute(ctx, k->definition, s, symbols, values, auxiliaries + spins, k->definition));
  PF_TRY(pf_expr_substitute(ctx, k->divisors, k->divisor_count, symbols, values, auxiliaries + spins, k->divisors));
  for (int i = 0; i < n; i++) {
    const PfCoordinate *c = eq->model->coordinates + i;
    for (int j = 0; j < model->coordinate_count; j++)
      if (model->coordinates[j].v == c->v) k->v[i] = from.v[j];
    for (int j = 0; j < auxiliaries; j++)
      if (symbols[j] == c->q) k->v[i] = rates[j];
  }
  return pf_expr_substitute(ctx, k->v, n, symbols, values, auxiliaries, k->v);
}
