/* SPDX-License-Identifier: Apache-2.0 */
/* Taking it, step by step. In a step quantities are looked at in its quarters: integrals are Boole's rule over them,
 * extremes are looked for once more where a parabola through three of them has its own, passages are found by
 * halving. */
#include "sweep/sweep_impl.h"

#include <math.h>

enum { NODES = PF_TAKE_NODES };

PfStatus pf_taking_make(PfContext *ctx, PfArena *arena, const PfTake *take, PfSim *sim, PfTaking *taking)
{
  *taking = (PfTaking){.take = take, .sim = sim,
                       .value = pf_arena_array(arena, double, take->count),
                       .node = pf_arena_array(arena, double, NODES*(size_t)take->count),
                       .numbers = pf_arena_array(arena, double, take->widest),
                       .room = pf_arena_array(arena, double, pf_take_room(take))};
  return taking->value && taking->node && taking->numbers && taking->room ? PF_OK : pf_no_room(ctx, "what is taken");
}

/* The quantity where the simulation stands or looks. */
static double read_item(PfTaking *x, const PfTaken *item)
{
  return pf_sim_read(x->sim, item->handle, x->numbers) ? x->numbers[item->part] : NAN;
}

static double look(void *user, int item, double t)
{
  PfTaking *x = user;
  return pf_sim_look_at_state(x->sim, t) ? read_item(x, x->take->items + item) : NAN;
}

bool pf_taken_is_along(const PfTaken *item)
{
  return item->kind != PF_TAKE_END && item->handle >= 0;
}

/* ---------------------------------------------------------------- the start */

double pf_taken_first(const PfTaken *item, double now, double t)
{
  switch (item->kind) {
  case PF_TAKE_MAX: case PF_TAKE_MIN: return now;
  case PF_TAKE_MEAN: case PF_TAKE_INTEGRAL: case PF_TAKE_RMS: return 0;
  case PF_TAKE_AT: return item->time == t ? now : NAN;
  case PF_TAKE_FIRST: return now >= 0 ? t : NAN;
  default: return NAN;
  }
}

void pf_taking_start(PfTaking *x)
{
  x->t0 = x->t = pf_sim_time(x->sim);
  for (int i = 0; i < x->take->count; i++) {
    const PfTaken *item = x->take->items + i;
    double *node = x->node + NODES*i;
    node[0] = node[4] = pf_taken_is_along(item) ? read_item(x, item) : NAN;
    x->value[i] = pf_taken_first(item, node[0], x->t);
  }
}

/* ---------------------------------------------------------------- a step */

/* The extreme of a parabola through three quarters of a step. */
typedef struct Crest {
  double place, height; /* in quarters from the beginning of the step */
} Crest;

/* Where the parabola through the largest of sign*node and its neighbours has its own. */
static bool find_crest(const double *node, double sign, int top, Crest *crest)
{
  const int middle = top < 1 ? 1 : top > 3 ? 3 : top;
  const double a = node[middle - 1], b = node[middle], c = node[middle + 1], bend = a - 2*b + c;
  const double shift = 0.5*(a - c)/bend;
  *crest = (Crest){middle + shift, b - 0.125*(a - c)*(a - c)/bend};
  return sign*bend < 0 && crest->place > 0 && crest->place < 4 && fabs(shift) <= 1;
}

static int find_top(const double *node, double sign)
{
  int top = 0;
  for (int j = 1; j < NODES; j++)
    if (sign*node[j] > sign*node[top] || isnan(node[top])) top = j;
  return top;
}

/* The largest of f, which is the quantity or its opposite (sign), over the step from t to t + h. */
static double largest(const PfGlance *at, const double *node, double sign, double t, double h, double best)
{
  const int top = find_top(node, sign);
  Crest crest;
  if (sign*node[top] > sign*best || isnan(best)) best = node[top];
  if (!find_crest(node, sign, top, &crest) || !(sign*crest.height > sign*best)) return best;
  const double seen = at->look(at->user, at->item, t + 0.25*h*crest.place);
  return sign*seen > sign*best ? seen : best;
}

static double boole(const double *f, double h)
{
  return h*(7*(f[0] + f[4]) + 32*(f[1] + f[3]) + 12*f[2])/90;
}

static double boole_of_squares(const double *f, double h)
{
  double square[NODES];
  for (int j = 0; j < NODES; j++) square[j] = f[j]*f[j];
  return boole(square, h);
}

/* Between a, where the quantity is negative, and b, where it is not. */
static double passage(const PfGlance *at, double a, double b)
{
  for (int i = 0; i < 100; i++) {
    const double middle = 0.5*(a + b);
    if (!(middle > a && middle < b)) break;
    if (at->look(at->user, at->item, middle) >= 0) b = middle;
    else a = middle;
  }
  return b;
}

/* Up and down again within a quarter is seen where max() sees it: at the crest. */
static double first_passage(const PfGlance *at, const double *node, double t, double h)
{
  for (int j = 1; j < NODES; j++)
    if (node[j] >= 0)
      return passage(at, t + 0.25*h*(j - 1), j == 4 ? t + h : t + 0.25*h*j);
  Crest crest;
  if (!find_crest(node, 1, find_top(node, 1), &crest) || isnan(crest.height)) return NAN;
  const double top = t + 0.25*h*crest.place;
  return at->look(at->user, at->item, top) >= 0 ? passage(at, t + 0.25*h*floor(crest.place), top) : NAN;
}

double pf_taken_step(const PfTaken *item, const PfGlance *at, const double *node, double t, double end, double value)
{
  const double h = end - t;
  switch (item->kind) {
  case PF_TAKE_MAX: return largest(at, node, 1, t, h, value);
  case PF_TAKE_MIN: return largest(at, node, -1, t, h, value);
  case PF_TAKE_MEAN: case PF_TAKE_INTEGRAL: return value + boole(node, h);
  case PF_TAKE_RMS: return value + boole_of_squares(node, h);
  case PF_TAKE_AT: return item->time > t && item->time <= end ? at->look(at->user, at->item, item->time) : value;
  case PF_TAKE_FIRST: return isnan(value) ? first_passage(at, node, t, h) : value;
  default: return value;
  }
}

/* At an event quantities jump in no time. */
static void take_jump(PfTaking *x, int i)
{
  const PfTaken *item = x->take->items + i;
  double *value = x->value + i, now = read_item(x, item);
  x->node[NODES*i + 4] = now;
  if (item->kind == PF_TAKE_MAX) *value = fmax(*value, now);
  if (item->kind == PF_TAKE_MIN) *value = fmin(*value, now);
  if (item->kind == PF_TAKE_FIRST && isnan(*value) && now >= 0) *value = x->t;
}

void pf_taking_step(PfTaking *x)
{
  const double t = x->t, end = pf_sim_time(x->sim);
  const PfTake *take = x->take;
  x->t = end;
  if (!take->along) return;
  for (int j = 1; j < NODES && end > t; j++) {
    const bool good = pf_sim_look(x->sim, j == 4 ? end : t + 0.25*(end - t)*j);
    for (int i = 0; i < take->count; i++)
      if (pf_taken_is_along(take->items + i)) x->node[NODES*i + j] = good ? read_item(x, take->items + i) : NAN;
  }
  for (int i = 0; i < take->count; i++) {
    if (!pf_taken_is_along(take->items + i)) continue;
    const PfGlance at = {look, x, i};
    if (end > t) x->value[i] = pf_taken_step(take->items + i, &at, x->node + NODES*i, t, end, x->value[i]);
    else take_jump(x, i);
    x->node[NODES*i] = x->node[NODES*i + 4];
  }
}

/* ---------------------------------------------------------------- the end */

static double event_time(const PfTaking *x, int event)
{
  const PfEventRecord *record;
  for (int k = 0; (record = pf_sim_event(x->sim, k)) != NULL; k++)
    if (record->event == event) return record->t;
  return NAN;
}

double pf_taken_end(const PfTaken *item, double value, double now, double t0, double t)
{
  const double span = t - t0;
  switch (item->kind) {
  case PF_TAKE_MEAN: return span > 0 ? value/span : now;
  case PF_TAKE_RMS: return span > 0 ? sqrt(value/span) : fabs(now);
  case PF_TAKE_T_END: return t;
  default: return value;
  }
}

static double final_value(PfTaking *x, int i)
{
  const PfTaken *item = x->take->items + i;
  if (item->kind == PF_TAKE_END) return read_item(x, item);
  if (item->kind == PF_TAKE_EVENT) return event_time(x, item->event);
  return pf_taken_end(item, x->value[i], x->node[NODES*i], x->t0, x->t);
}

void pf_taking_end(PfTaking *x, double *row)
{
  for (int i = 0; i < x->take->count; i++) x->value[i] = final_value(x, i);
  pf_take_row(x->take, x->value, x->room, row);
}
