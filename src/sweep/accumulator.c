/* SPDX-License-Identifier: Apache-2.0 */
/* The accumulators of the outputs, step by step. In a step quantities are evaluated at its quarters: integrals are
 * Boole's rule over them, extremes are evaluated once more where a parabola through three of them has its own,
 * crossings are found by halving. */
#include "sweep/sweep_impl.h"

#include <math.h>

enum { NODES = PF_OUTPUT_NODES };

PfStatus pf_accumulator_make(PfContext *ctx, PfArena *arena, const PfOutputSet *output_set, PfSim *sim,
                             PfAccumulator *accumulator)
{
  *accumulator = (PfAccumulator){.output_set = output_set, .sim = sim,
                                 .value = pf_arena_array(arena, double, output_set->count),
                                 .node = pf_arena_array(arena, double, NODES*(size_t)output_set->count),
                                 .numbers = pf_arena_array(arena, double, output_set->widest),
                                 .room = pf_arena_array(arena, double, pf_output_set_room(output_set))};
  return accumulator->value && accumulator->node && accumulator->numbers && accumulator->room
         ? PF_OK : pf_no_room(ctx, "outputs of members");
}

/* The quantity at the present instant of the simulation, or at the one that was interpolated last. */
static double read_item(PfAccumulator *x, const PfOutput *item)
{
  return pf_sim_read(x->sim, item->handle, x->numbers) ? x->numbers[item->part] : NAN;
}

/* The quantity of an item at an instant of the last step, for PfQuantityAt. */
static double quantity_at(void *user, int item, double t)
{
  PfAccumulator *x = user;
  return pf_sim_interpolate_state(x->sim, t) ? read_item(x, x->output_set->items + item) : NAN;
}

bool pf_output_is_followed(const PfOutput *item)
{
  return item->kind != PF_OUTPUT_END && item->handle >= 0;
}

/* ---------------------------------------------------------------- the start */

double pf_output_first(const PfOutput *item, double now, double t)
{
  switch (item->kind) {
  case PF_OUTPUT_MAX: case PF_OUTPUT_MIN: return now;
  case PF_OUTPUT_MEAN: case PF_OUTPUT_INTEGRAL: case PF_OUTPUT_RMS: return 0;
  case PF_OUTPUT_AT: return item->time == t ? now : NAN;
  case PF_OUTPUT_FIRST: return now >= 0 ? t : NAN;
  default: return NAN;
  }
}

void pf_accumulator_start(PfAccumulator *x)
{
  x->t0 = x->t = pf_sim_time(x->sim);
  for (int i = 0; i < x->output_set->count; i++) {
    const PfOutput *item = x->output_set->items + i;
    double *node = x->node + NODES*i;
    node[0] = node[4] = pf_output_is_followed(item) ? read_item(x, item) : NAN;
    x->value[i] = pf_output_first(item, node[0], x->t);
  }
}

/* ---------------------------------------------------------------- a step */

/* The largest of five nodes, and the extreme of a parabola through it and its neighbours. */
typedef struct Vertex {
  int top;              /* the largest node */
  double place, height; /* of the extreme; the place in quarters from the beginning of the step */
} Vertex;

/* For sign*node. False where the parabola has no maximum inside the step near these nodes. */
static bool find_vertex(const double *node, double sign, Vertex *vertex)
{
  int top = 0;
  for (int j = 1; j < NODES; j++)
    if (sign*node[j] > sign*node[top] || isnan(node[top])) top = j;
  const int middle = top < 1 ? 1 : top > 3 ? 3 : top;
  const double a = node[middle - 1], b = node[middle], c = node[middle + 1], curvature = a - 2*b + c;
  const double shift = 0.5*(a - c)/curvature;
  *vertex = (Vertex){top, middle + shift, b - 0.125*(a - c)*(a - c)/curvature};
  return sign*curvature < 0 && vertex->place > 0 && vertex->place < 4 && fabs(shift) <= 1;
}

/* The largest value so far after the step from t to t + h, of the quantity or of its opposite (sign -1). */
static double largest(const PfQuantityAt *at, const double *node, double sign, double t, double h, double best)
{
  Vertex vertex;
  const bool inside = find_vertex(node, sign, &vertex);
  if (sign*node[vertex.top] > sign*best || isnan(best)) best = node[vertex.top];
  if (!inside || !(sign*vertex.height > sign*best)) return best;
  const double seen = at->quantity_at(at->user, at->item, t + 0.25*h*vertex.place);
  return sign*seen > sign*best ? seen : best;
}

/* The integral over a step by Boole's rule (Newton and Cotes, five nodes), exact up to degree 5. */
static double boole(const double *f, double h)
{
  return h*(7*(f[0] + f[4]) + 32*(f[1] + f[3]) + 12*f[2])/90;
}

/* The zero between a, where the quantity is negative, and b, where it is not, by bisection to the last digit. */
static double locate_crossing(const PfQuantityAt *at, double a, double b)
{
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5*(a + b);
    if (!(middle > a && middle < b)) break;
    if (at->quantity_at(at->user, at->item, middle) >= 0) b = middle;
    else a = middle;
  }
  return b;
}

/* When the quantity first passes zero in the step from t to t + h; NaN: it does not. Up and down again within a quarter
 * is found as max() finds it: at the vertex. */
static double first_crossing(const PfQuantityAt *at, const double *node, double t, double h)
{
  for (int j = 1; j < NODES; j++)
    if (node[j] >= 0)
      return locate_crossing(at, t + 0.25*h*(j - 1), j == 4 ? t + h : t + 0.25*h*j);
  Vertex vertex;
  if (!find_vertex(node, 1, &vertex) || isnan(vertex.height)) return NAN;
  const double top = t + 0.25*h*vertex.place;
  return at->quantity_at(at->user, at->item, top) >= 0 ? locate_crossing(at, t + 0.25*h*floor(vertex.place), top) : NAN;
}

double pf_output_step(const PfOutput *item, const PfQuantityAt *at, const double *node, double t, double end,
                      double value)
{
  const double h = end - t;
  double square[NODES];
  switch (item->kind) {
  case PF_OUTPUT_MAX: return largest(at, node, 1, t, h, value);
  case PF_OUTPUT_MIN: return largest(at, node, -1, t, h, value);
  case PF_OUTPUT_MEAN: case PF_OUTPUT_INTEGRAL: return value + boole(node, h);
  case PF_OUTPUT_RMS:
    for (int j = 0; j < NODES; j++) square[j] = node[j]*node[j];
    return value + boole(square, h);
  case PF_OUTPUT_AT: return item->time > t && item->time <= end
      ? at->quantity_at(at->user, at->item, item->time) : value;
  case PF_OUTPUT_FIRST: return isnan(value) ? first_crossing(at, node, t, h) : value;
  default: return value;
  }
}

void pf_accumulator_step(PfAccumulator *x)
{
  const double t = x->t, end = pf_sim_time(x->sim);
  const PfOutputSet *output_set = x->output_set;
  x->t = end;
  if (!output_set->followed) return;
  for (int j = 1; j < NODES && end > t; j++) {
    const bool good = pf_sim_interpolate(x->sim, j == 4 ? end : t + 0.25*(end - t)*j);
    for (int i = 0; i < output_set->count; i++)
      if (pf_output_is_followed(output_set->items + i))
        x->node[NODES*i + j] = good ? read_item(x, output_set->items + i) : NAN;
  }
  for (int i = 0; i < output_set->count; i++) {
    if (!pf_output_is_followed(output_set->items + i)) continue;
    const PfOutput *item = output_set->items + i;
    const PfQuantityAt at = {quantity_at, x, i};
    double *node = x->node + NODES*i, *value = x->value + i;
    if (end > t) *value = pf_output_step(item, &at, node, t, end, *value);
    else { /* at an event quantities jump in no time */
      node[4] = read_item(x, item);
      if (item->kind == PF_OUTPUT_MAX) *value = fmax(*value, node[4]);
      if (item->kind == PF_OUTPUT_MIN) *value = fmin(*value, node[4]);
      if (item->kind == PF_OUTPUT_FIRST && isnan(*value) && node[4] >= 0) *value = x->t;
    }
    node[0] = node[4];
  }
}

/* ---------------------------------------------------------------- the end */

double pf_output_end(const PfOutput *item, double value, double now, double t0, double t)
{
  const double span = t - t0;
  switch (item->kind) {
  case PF_OUTPUT_MEAN: return span > 0 ? value/span : now;
  case PF_OUTPUT_RMS: return span > 0 ? sqrt(value/span) : fabs(now);
  case PF_OUTPUT_T_END: return t;
  default: return value;
  }
}

void pf_accumulator_end(PfAccumulator *x, double *row)
{
  for (int i = 0; i < x->output_set->count; i++) {
    const PfOutput *item = x->output_set->items + i;
    const PfEventRecord *record = NULL;
    double *value = x->value + i;
    if (item->kind == PF_OUTPUT_END) *value = read_item(x, item);
    else if (item->kind == PF_OUTPUT_EVENT) { /* when it first happened; NaN: it has not */
      for (int k = 0; (record = pf_sim_event(x->sim, k)) != NULL && record->event != item->event;) k++;
      *value = record ? record->t : NAN;
    } else *value = pf_output_end(item, *value, x->node[NODES*i], x->t0, x->t);
  }
  pf_output_set_row(x->output_set, x->value, x->room, row);
}
