/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities of a state: values, gradients, and the states where they have given values. */
#include "study/quantity.h"

#include "num/newton.h"

#include <math.h>
#include <string.h>

/* A speed, a coordinate x or a velocity x', by name; false for any other name. */
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

/* A number of the field, or one of its outputs: then all outputs are evaluated. */
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

/* Appends a quantity, with its present value as the target. */
static PfStatus add_level(PfLevels *l, PfQuantity quantity)
{
  l->list[l->count] = quantity;
  return pf_quantity_value(l->f, quantity, l->outputs, l->target + l->count++);
}

/* The two quantities of the plane come first, then those that are kept. */
PfStatus pf_levels_make(PfContext *ctx, PfArena *arena, PfDynamics *f, const bool *cyclic, const PfPlane *plane,
                        PfLevels *l)
{
  int n = pf_dynamics_size(f), most = 2 + plane->keep_count;
  *l = (PfLevels){.ctx = ctx, .f = f, .plane = plane};
  PF_TRY(pf_arrays(ctx, arena, "levels", PF_ROOM(l->list, most), PF_ROOM(l->target, most), PF_ROOM(l->weight, n),
                   PF_ROOM(l->x, n), PF_ROOM(l->origin, n), PF_ROOM(l->s, f->count), PF_ROOM(l->outputs, f->no)));
  pf_dynamics_get(f, l->origin);
  for (int k = 0; k < n; k++) l->weight[k] = cyclic && cyclic[k] ? 0 : 1;
  for (int i = 0; i < 2; i++) PF_TRY(add_level(l, plane->show[i]));
  for (int i = 0; i < plane->keep_count; i++) PF_TRY(add_level(l, plane->keep[i]));
  return PF_OK;
}

/* Differences of the quantities from their targets, with the gradient by the components of x that may change. */
static PfStatus residual(void *user, const double *x, double *r, double *J)
{
  PfLevels *l = user;
  PfDynamics *f = l->f;
  const PfSymbols *in = pf_system_symbols(f->system);
  int n = pf_dynamics_size(f);
  PF_TRY(pf_dynamics_go(f, x));
  for (int i = 0; i < l->count; i++) {
    PF_TRY(pf_quantity_value(f, l->list[i], l->outputs, r + i));
    r[i] -= l->target[i];
  }
  for (int k = 0; k < n && J; k++) {
    pf_dynamics_unit(f, k, l->s);
    PF_TRY(pf_dynamics_complete(f, l->s, NULL, f->derived));
    for (int i = 0; i < l->count; i++) {
      const int index = l->list[i].index, rate = index - in->v;
      const bool velocity = rate >= 0 && rate < f->n;
      J[i*n + k] = l->list[i].output ? f->derived[f->at_out + index]
                   : velocity ? f->derived[f->at_rate + rate] : l->s[index];
    }
  }
  if (J && pf_first_not_finite(J, (size_t)l->count*(size_t)n) >= 0)
    return pf_fail(l->ctx, PF_ERR_NUMBER, "what is shown or kept has no finite derivative here");
  return PF_OK;
}

/* Places fill the plane evenly, by Halton's points in two dimensions. */
PfStatus pf_levels_go(PfLevels *l, int k, bool *found)
{
  double value[2];
  for (int i = 0; i < 2; i++) value[i] = l->plane->low[i] + pf_halton(k, i)*(l->plane->high[i] - l->plane->low[i]);
  return pf_levels_go_to(l, value, found);
}

/* By Gauss and Newton's method from the origin: the nearest state, in the sense of its weights, since there are fewer
 * quantities than components as a rule. */
PfStatus pf_levels_go_to(PfLevels *l, const double value[2], bool *found)
{
  for (int i = 0; i < 2; i++) l->target[i] = value[i];
  int n = pf_dynamics_size(l->f), before = pf_diagnostic_count(l->ctx);
  PfGaussNewtonOptions options = {.tolerance = PF_COMPARED_TO, .iterations = 100, .weight = l->weight};
  PfGaussNewtonResult result;
  memcpy(l->x, l->origin, (size_t)n*sizeof *l->x);
  PfStatus status = pf_gauss_newton(l->ctx, residual, l, l->count, n, l->x, &options, &result);
  if (status == PF_OK) status = pf_dynamics_go(l->f, l->x);
  *found = status == PF_OK;
  return pf_end_attempt(l->ctx, before, status);
}

/* The digits of k in a prime base, mirrored at the point: van der Corput's sequence, a prime for each dimension. */
double pf_halton(int k, int dimension)
{
  static const int primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                               43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
  int base = primes[(size_t)dimension%(sizeof primes/sizeof *primes)];
  double x = 0, part = 1;
  for (; k; k /= base) part /= base, x += part*(k%base);
  return x;
}
