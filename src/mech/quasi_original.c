/* SPDX-License-Identifier: Apache-2.0 */
/* From a model in angular velocities back to quaternions: numbers of its symbols, and its pseudo-velocities. */
#include "mech/mech_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers */

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
  for (int i = 0; i < model->follower_count; i++) meaning[symbols->followers + i] = model->followers[i].value;
  return pf_expr_evaluate(ctx, meaning, symbols->count, old.symbol, original, old.count, values);
}

/* ---------------------------------------------------------------- pseudo-velocities of the original */

/* Angular velocities and followers, and what they are by quaternions. */
typedef struct Meanings {
  PfExpr *symbol, *value;
  int count;
} Meanings;

static PfStatus list_meanings(PfContext *ctx, PfArena *arena, const PfModel *model, Meanings *m)
{
  size_t most = 3*(size_t)model->spinning_count + (size_t)model->follower_count;
  *m = (Meanings){pf_arena_array(arena, PfExpr, most), pf_arena_array(arena, PfExpr, most), 0};
  if (!m->symbol || !m->value) return pf_no_room(ctx, "the kinematics");
  for (int i = 0; i < model->spinning_count; i++)
    for (int k = 0; k < 3; k++) {
      PfExpr w = model->coordinates[model->spinnings[i].first + k].v;
      m->symbol[m->count] = w, m->value[m->count++] = model->spinnings[i].value[k];
    }
  for (int i = 0; i < model->follower_count; i++)
    m->symbol[m->count] = model->followers[i].symbol, m->value[m->count++] = model->followers[i].value;
  return PF_OK;
}

/* v of the original coordinates by omega: those of quaternions are rates of followers. Angular velocities among omega
 * stay what they are: only followers are written out. */
static PfStatus original_velocities(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfModel *quasi,
                                    const PfKinematics *from, PfKinematics *k)
{
  PfExpr *symbols = pf_arena_array(arena, PfExpr, quasi->follower_count);
  PfExpr *rates = pf_arena_array(arena, PfExpr, quasi->follower_count);
  PfExpr *values = pf_arena_array(arena, PfExpr, quasi->follower_count);
  if (!symbols || !rates || !values) return pf_no_room(ctx, "the kinematics");
  PF_TRY(pf_follower_rates(ctx, arena, quasi, from->v, symbols, rates));
  for (int i = 0; i < quasi->follower_count; i++) values[i] = quasi->followers[i].value;
  for (int i = 0; i < eq->n; i++) {
    const PfCoordinate *c = eq->model->coordinates + i;
    for (int j = 0; j < quasi->coordinate_count; j++)
      if (quasi->coordinates[j].v == c->v) k->v[i] = from->v[j];
    for (int j = 0; j < quasi->follower_count; j++)
      if (symbols[j] == c->q) k->v[i] = rates[j];
  }
  return pf_expr_substitute(ctx, k->v, eq->n, symbols, values, quasi->follower_count, k->v);
}

PfStatus pf_quasi_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  PfQuasi quasi;
  PfKinematics from;
  Meanings m;
  size_t n = (size_t)eq->n;
  PF_TRY(pf_quasi_make(ctx, arena, eq, &quasi));
  PF_TRY(pf_kinematics_find(ctx, arena, &quasi.equations, &from));
  PF_TRY(list_meanings(ctx, arena, &quasi.model, &m));
  size_t s = (size_t)from.count;
  *k = from;
  k->chosen = false;
  k->combined = true;
  k->v = pf_arena_array(arena, PfExpr, n);
  k->N = pf_arena_array(arena, PfExpr, n*s);
  k->drift = pf_arena_array(arena, PfExpr, n);
  k->definition = pf_arena_array(arena, PfExpr, s);
  k->independent = pf_arena_array(arena, int, s);
  if (!k->v || !k->N || !k->drift || !k->definition || !k->independent) return pf_no_room(ctx, "the kinematics");
  for (int a = 0; a < from.count; a++) {
    k->definition[a] = from.definition ? from.definition[a] : from.omega[a];
    k->independent[a] = -1;
    for (int i = 0; i < eq->n; i++)
      if (eq->model->coordinates[i].v == k->definition[a]) k->independent[a] = i;
  }
  PF_TRY(pf_expr_substitute(ctx, k->definition, from.count, m.symbol, m.value, m.count, k->definition));
  PF_TRY(pf_expr_substitute(ctx, k->divisors, k->divisor_count, m.symbol, m.value, m.count, k->divisors));
  return original_velocities(ctx, arena, eq, &quasi.model, &from, k);
}
