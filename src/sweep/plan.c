/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a member as a function of the plan and its number alone: a point of the grid, and random variables by
 * independent, Latin hypercube, Sobol, Saltelli or Morris designs. Correlated ones are mixed by the Cholesky factor of
 * their correlations before the distribution is applied. */
#include "sweep/random.h"
#include "sweep/sweep_impl.h"

#include <math.h>

long long pf_plan_group(const PfPlan *plan)
{
  switch (plan->design) {
  case PF_DESIGN_SALTELLI: return plan->random_count + 2;
  case PF_DESIGN_MORRIS: return plan->random_count + 1;
  default: return 1;
  }
}

/* ---------------------------------------------------------------- the grid */

/* The values of a point of the grid, by its number: the first direction changes slowest. Ranges are evenly spaced, or
 * have even ratios; both ends are met exactly. */
static void place_on_grid(const PfPlan *plan, long long point, double *values)
{
  for (int i = plan->axis_count - 1; i >= 0; i--) {
    const PfGridAxis *axis = plan->axes + i;
    const long long at = point%axis->count;
    point /= axis->count;
    for (int j = 0; j < axis->width; j++) {
      const PfGridValues *v = axis->values + j;
      const double part = (double)at/(double)(axis->count - 1), a = v->from, b = v->to;
      double *to = values + axis->first + j;
      if (v->list) *to = v->list[at];
      else if (!at) *to = a;
      else if (at == axis->count - 1) *to = b;
      else *to = v->log_scale ? a*pow(b/a, part) : a + (b - a)*part;
    }
  }
}

/* ---------------------------------------------------------------- random variables */

/* Where between 0 and 1 the dimension of a point of Saltelli's design lies: A, B, and A with one column of B (Saltelli
 * and others, Computer Physics Communications 181, 2010). A and B are halves of one sequence: all of it is even. */
static double saltelli(const PfPlan *plan, long long index, int dimension)
{
  const long long group = pf_plan_group(plan), base = index/group, which = index%group;
  const bool other = which == 1 || which == dimension + 2;
  const int column = dimension + (other ? plan->random_count : 0);
  if (2*plan->random_count <= PF_SOBOL_DIMENSIONS) return pf_sobol(plan->seed, (uint32_t)column, (uint64_t)base);
  return pf_random_unit(plan->seed, PF_STREAM_DRAW, (uint32_t)column, (uint64_t)base);
}

/* The coordinate of a point of Morris' design: of four levels in the middles of quarters a path steps by two in one
 * dimension after the other, up or down, in an order of its own. */
static double morris(const PfPlan *plan, long long index, int dimension)
{
  const long long group = pf_plan_group(plan), path = index/group, step = index%group;
  const uint64_t bits = pf_random_bits(plan->seed, PF_STREAM_PATH, (uint32_t)dimension, (uint64_t)path);
  const uint64_t order = plan->seed + UINT64_C(0x9E3779B97F4A7C15)*((uint64_t)path + 1);
  const bool moved =
    (long long)pf_random_place(order, 0, (uint64_t)dimension, (uint64_t)plan->random_count) < step;
  const bool up = bits & 1, upper = moved == up;
  return (bits >> 1 & 1 ? 0.375 : 0.125) + (upper ? 0.5 : 0);
}

/* The number between 0 and 1 that the design gives a dimension of a draw. `draw` counts within a point of the grid,
 * except for independent numbers, which depend on the member. */
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

/* Designs of groups are made whole at each point of the grid; otherwise the points take turns, so that a sweep that is
 * cut short has looked everywhere. */
void pf_plan_member(const PfPlan *plan, long long member, double *values)
{
  const bool grouped = pf_plan_group(plan) > 1;
  const long long span = plan->groups*pf_plan_group(plan);
  const long long point = grouped ? member/span : member%plan->points;
  const long long draw = grouped ? member%span : member/plan->points;
  place_on_grid(plan, point, values);
  /* The random variables of a draw. Where there are correlations, independent normal numbers are mixed by their
   * Cholesky factor, and uniform variables are mapped by their cumulative probability (a Gaussian copula); the
   * results replace the independent numbers from the last one on, which needs all of those before it. */
  const int n = plan->random_count;
  const double *L = plan->mixing;
  for (int i = 0; i < n; i++) {
    const PfRandomVariable *c = plan->randoms + i;
    const double unit = unit_number(plan, member, draw, i);
    values[c->variable] = L || c->law != PF_LAW_UNIFORM ? pf_normal_inverse(unit) : unit;
  }
  for (int i = n - 1; i >= 0; i--) {
    const PfRandomVariable *c = plan->randoms + i;
    double z = L ? 0 : values[c->variable], *to = values + c->variable;
    for (int j = 0; L && j <= i; j++) z += L[i*n + j]*values[plan->randoms[j].variable];
    switch (c->law) {
    case PF_LAW_NORMAL: *to = c->a + c->b*z; break;
    case PF_LAW_UNIFORM: *to = c->a + (c->b - c->a)*(L ? pf_normal_part(z) : z); break;
    case PF_LAW_LOGNORMAL: *to = c->a*exp(c->b*z); break;
    }
  }
}
