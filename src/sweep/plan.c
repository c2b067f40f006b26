/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a member: a function of the plan and of its number alone. */
#include "sweep/random.h"
#include "sweep/sweep_impl.h"

#include <math.h>

long long pf_plan_group(const PfPlan *plan)
{
  switch (plan->design) {
  case PF_DESIGN_SALTELLI: return plan->chance_count + 2;
  case PF_DESIGN_MORRIS: return plan->chance_count + 1;
  default: return 1;
  }
}

/* ---------------------------------------------------------------- the grid */

/* Evenly spaced, or with even ratios; both ends are met exactly. */
static double grid_value(const PfGridValues *values, long long at, long long count)
{
  if (values->list) return values->list[at];
  if (!at) return values->from;
  if (at == count - 1) return values->to;
  const double part = (double)at/(double)(count - 1), a = values->from, b = values->to;
  return values->log_scale ? a*pow(b/a, part) : a + (b - a)*part;
}

/* The first direction changes slowest. */
static void place_on_grid(const PfPlan *plan, long long point, double *values)
{
  for (int i = plan->axis_count - 1; i >= 0; i--) {
    const PfGridAxis *axis = plan->axes + i;
    const long long at = point%axis->count;
    point /= axis->count;
    for (int j = 0; j < axis->width; j++) values[axis->first + j] = grid_value(axis->values + j, at, axis->count);
  }
}

/* ---------------------------------------------------------------- chance */

/* Where between 0 and 1 the dimension of a point of Saltelli's design lies: A, B, and A with one column of B (Saltelli
 * and others, Computer Physics Communications 181, 2010). A and B are halves of one sequence: all of it is even. */
static double saltelli(const PfPlan *plan, long long index, int dimension)
{
  const long long group = pf_plan_group(plan), base = index/group, which = index%group;
  const bool other = which == 1 || which == dimension + 2;
  const int column = dimension + (other ? plan->chance_count : 0);
  if (2*plan->chance_count <= PF_SOBOL_DIMENSIONS) return pf_sobol(plan->seed, (uint32_t)column, (uint64_t)base);
  return pf_random_unit(plan->seed, PF_STREAM_DRAW, (uint32_t)column, (uint64_t)base);
}

/* Of four levels in the middles of quarters a path steps by two in one dimension after the other, up or down. */
static double morris(const PfPlan *plan, long long index, int dimension)
{
  const long long group = pf_plan_group(plan), path = index/group, step = index%group;
  const uint64_t bits = pf_random_bits(plan->seed, PF_STREAM_PATH, (uint32_t)dimension, (uint64_t)path);
  const uint64_t order = plan->seed + UINT64_C(0x9E3779B97F4A7C15)*((uint64_t)path + 1);
  const bool moved =
    (long long)pf_random_place(order, 0, (uint64_t)dimension, (uint64_t)plan->chance_count) < step;
  const bool up = bits & 1, upper = moved == up;
  return (bits >> 1 & 1 ? 0.375 : 0.125) + (upper ? 0.5 : 0);
}

static double unit_number(const PfPlan *plan, long long member, long long draw, int dimension)
{
  const uint32_t d = (uint32_t)dimension;
  switch (plan->design) {
  case PF_DESIGN_LATIN: {
    const uint64_t n = (uint64_t)plan->groups, at = pf_random_place(plan->seed, d, (uint64_t)draw, n);
    return ((double)at + pf_random_unit(plan->seed, PF_STREAM_DRAW, d, (uint64_t)draw))/(double)n;
  }
  case PF_DESIGN_SOBOL: return pf_sobol(plan->seed, d, (uint64_t)draw);
  case PF_DESIGN_SALTELLI: return saltelli(plan, draw, dimension);
  case PF_DESIGN_MORRIS: return morris(plan, draw, dimension);
  case PF_DESIGN_RANDOM: break;
  }
  return pf_random_unit(plan->seed, PF_STREAM_DRAW, d, (uint64_t)member);
}

static double by_law(const PfChance *c, double unit, double normal)
{
  switch (c->law) {
  case PF_LAW_UNIFORM: return c->a + (c->b - c->a)*unit;
  case PF_LAW_LOGNORMAL: return c->a*exp(c->b*normal);
  case PF_LAW_NORMAL: break;
  }
  return c->a + c->b*normal;
}

static void draw_independent(const PfPlan *plan, long long member, long long draw, double *values)
{
  for (int i = 0; i < plan->chance_count; i++) {
    const PfChance *c = plan->chances + i;
    const double unit = unit_number(plan, member, draw, i);
    values[c->variable] = by_law(c, unit, c->law == PF_LAW_UNIFORM ? 0 : pf_normal_inverse(unit));
  }
}

/* Normal numbers are mixed; what is not normal takes its place by the part that lies below (a Gaussian copula). The
 * results come in place of the independent numbers from the last one on, which needs all of those before it. */
static void draw_correlated(const PfPlan *plan, long long member, long long draw, double *values)
{
  const int n = plan->chance_count;
  for (int i = 0; i < n; i++)
    values[plan->chances[i].variable] = pf_normal_inverse(unit_number(plan, member, draw, i));
  for (int i = n - 1; i >= 0; i--) {
    const PfChance *c = plan->chances + i;
    double z = 0;
    for (int j = 0; j <= i; j++) z += plan->mixing[i*n + j]*values[plan->chances[j].variable];
    values[c->variable] = by_law(c, c->law == PF_LAW_UNIFORM ? pf_normal_part(z) : 0, z);
  }
}

/* Designs of groups are made whole at each point of the grid; otherwise the points take turns, so that a sweep that is
 * cut short has looked everywhere. */
void pf_plan_member(const PfPlan *plan, long long member, double *values)
{
  const bool grouped = pf_plan_group(plan) > 1;
  const long long span = plan->groups*pf_plan_group(plan);
  const long long point = grouped ? member/span : member%plan->points;
  const long long draw = grouped ? member%span : member/plan->points;
  place_on_grid(plan, point, values);
  if (plan->mixing) draw_correlated(plan, member, draw, values);
  else draw_independent(plan, member, draw, values);
}
