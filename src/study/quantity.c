/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities of a state: values, gradients, and the states where they have given values. */
#include "study/quantity.h"

#include "num/newton.h"

#include <math.h>
#include <string.h>

bool pf_dynamics_quantity(const PfDynamics *f, const char *name, PfQuantity *q)
{
  const PfModel *model = f->model;
  const PfSymbols *in = pf_system_symbols(f->system);
  size_t length = strlen(name);
  *q = (PfQuantity){0};
  for (int i = 0; i < model->speed_count; i++)
    if (!strcmp(model->speeds[i].name, name)) return q->index = f->at_w + i, true;
  for (int i = 0; i < model->coordinate_count; i++) {
    const char *own = model->coordinates[i].name;
    if (!strcmp(own, name)) return q->index = in->q + i, true;
    if (length == strlen(own) + 1 && name[length - 1] == '\'' && !strncmp(own, name, length - 1))
      return q->index = in->v + i, true;
  }
  return false;
}

PfStatus pf_quantity_value(PfDynamics *f, PfQuantity q, double *outputs, double *value)
{
  if (q.output) {
    PF_TRY(pf_dynamics_outputs(f, outputs));
    *value = outputs[q.index];
    return PF_OK;
  }
  *value = f->full[q.index];
  return PF_OK;
}

/* Its derivative along a completed direction. */
static double slope(const PfDynamics *f, PfQuantity q, const double *s)
{
  const PfSymbols *in = pf_system_symbols(f->system);
  if (q.output) return f->derived[f->at_out + q.index];
  bool velocity = q.index >= in->v && q.index < in->v + f->n;
  return velocity ? f->derived[f->at_rate + q.index - in->v] : s[q.index];
}

static PfStatus add_level(PfLevels *l, PfQuantity quantity)
{
  l->list[l->count] = quantity;
  return pf_quantity_value(l->f, quantity, l->outputs, l->target + l->count++);
}

PfStatus pf_levels_make(PfContext *ctx, PfArena *arena, PfDynamics *f, const bool *cyclic, const PfPlane *plane,
                        PfLevels *l)
{
  int n = pf_dynamics_size(f), most = 2 + plane->keep_count;
  *l = (PfLevels){.ctx = ctx, .f = f, .plane = plane};
  l->list = pf_arena_array(arena, PfQuantity, most), l->target = pf_arena_array(arena, double, most);
  l->weight = pf_arena_array(arena, double, n), l->x = pf_arena_array(arena, double, n);
  l->origin = pf_arena_array(arena, double, n), l->s = pf_arena_array(arena, double, f->count);
  l->outputs = pf_arena_array(arena, double, f->no);
  if (!l->list || !l->target || !l->weight || !l->x || !l->origin || !l->s || !l->outputs)
    return pf_no_room(ctx, "levels");
  pf_dynamics_get(f, l->origin);
  for (int k = 0; k < n; k++) l->weight[k] = cyclic && cyclic[k] ? 0 : 1;
  for (int i = 0; i < 2; i++) PF_TRY(add_level(l, plane->show[i]));
  for (int i = 0; i < plane->keep_count; i++) PF_TRY(add_level(l, plane->keep[i]));
  return PF_OK;
}

static PfStatus residual(void *user, const double *x, double *r, double *J)
{
  PfLevels *l = user;
  PfDynamics *f = l->f;
  int n = pf_dynamics_size(f);
  PF_TRY(pf_dynamics_go(f, x));
  for (int i = 0; i < l->count; i++) {
    PF_TRY(pf_quantity_value(f, l->list[i], l->outputs, r + i));
    r[i] -= l->target[i];
  }
  for (int k = 0; k < n && J; k++) {
    pf_dynamics_unit(f, k, l->s);
    PF_TRY(pf_dynamics_complete(f, l->s, NULL, f->derived));
    for (int i = 0; i < l->count; i++) J[i*n + k] = slope(f, l->list[i], l->s);
  }
  if (J && pf_first_not_finite(J, (size_t)l->count*(size_t)n) >= 0)
    return pf_fail(l->ctx, PF_ERR_NUMBER, "what is shown or kept has no finite derivative here");
  return PF_OK;
}

PfStatus pf_levels_go(PfLevels *l, int k, bool *found)
{
  double value[2];
  for (int i = 0; i < 2; i++) value[i] = l->plane->low[i] + pf_halton(k, i)*(l->plane->high[i] - l->plane->low[i]);
  return pf_levels_go_to(l, value, found);
}

PfStatus pf_levels_go_to(PfLevels *l, const double value[2], bool *found)
{
  for (int i = 0; i < 2; i++) l->target[i] = value[i];
  int n = pf_dynamics_size(l->f), before = pf_diagnostic_count(l->ctx);
  PfGaussNewtonOptions options = {.tolerance = PF_LOOKED_AT, .iterations = 100, .weight = l->weight};
  PfGaussNewtonResult result;
  memcpy(l->x, l->origin, (size_t)n*sizeof *l->x);
  PfStatus status = pf_gauss_newton(l->ctx, residual, l, l->count, n, l->x, &options, &result);
  if (status == PF_OK) status = pf_dynamics_go(l->f, l->x);
  *found = status == PF_OK;
  if (pf_is_final(status)) return status;
  pf_diagnostics_cut(l->ctx, before);
  return PF_OK;
}

double pf_halton(int k, int dimension)
{
  static const int primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                               43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
  int base = primes[(size_t)dimension%(sizeof primes/sizeof *primes)];
  double x = 0, part = 1;
  for (; k; k /= base) part /= base, x += part*(k%base);
  return x;
}
