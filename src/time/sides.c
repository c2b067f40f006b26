/* SPDX-License-Identifier: Apache-2.0 */
/* Sides of surfaces of switching. Off a surface its side is the sign of g. On it the motion decides, by the rate r of g
 * (r = g' where g depends on velocities, r = g'' where g' vanishes, too), which depends on the sides s through the
 * forces:
 *
 *   s = 1 with r >= 0 (it leaves upwards),  s = -1 with r <= 0 (downwards),  or r = 0 with s between (it stays),
 *
 * for all surfaces that are met at the same time: a complementarity problem, as that of several bodies with dry
 * friction that hold each other. r is affine in s for all usual laws of force; it is solved by principal pivoting with
 * the least index (Murty 1974), which ends where friction is friction, and repeated where r is not affine. Filippov,
 * Differential Equations with Discontinuous Righthand Sides, section 4. */
#include "time/sides.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

enum { G, RATE, SECOND, SIZE, SLOPE, OUTPUTS };

/* ---------------------------------------------------------------- making */

static PfStatus list_outputs(PfSides *s, PfArena *arena, const PfExpr *a, int k, PfExpr *roots)
{
  const PfModel *model = pf_system_equations(s->system)->model;
  PfExpr g = s->at[k].surface;
  for (int i = 0; i < OUTPUTS; i++) roots[i] = pf_expr_int(s->ctx, 0);
  roots[G] = g;
  PF_TRY(pf_surface_rate(s->ctx, arena, model, g, roots + RATE));
  PF_TRY(pf_surface_sizes(s->ctx, arena, g, s->in->symbol + s->in->q, 2*s->n, roots + SIZE, roots + SLOPE));
  bool moves = pf_expr_depends(s->ctx, g, s->in->symbol + s->in->q, 2*s->n);
  s->degree[k] = !moves ? 0 : pf_expr_depends(s->ctx, roots[RATE], a, s->n) ? 1 : 2;
  if (s->degree[k] == 2) PF_TRY(pf_surface_rate(s->ctx, arena, model, roots[RATE], roots + SECOND));
  return PF_OK;
}

static PfStatus make_look(PfSides *s, PfArena *arena)
{
  const PfModel *model = pf_system_equations(s->system)->model;
  size_t n = (size_t)s->n, symbols = (size_t)s->in->count, outputs = OUTPUTS*(size_t)s->count;
  PfExpr *inputs = pf_arena_array(arena, PfExpr, symbols + n), *roots = pf_arena_array(arena, PfExpr, outputs);
  if (!inputs || !roots) return pf_no_room(s->ctx, "the switches");
  memcpy(inputs, s->in->symbol, symbols*sizeof *inputs);
  for (size_t i = 0; i < n; i++) inputs[symbols + i] = model->coordinates[i].a;
  for (int k = 0; k < s->count; k++)
    PF_TRY(list_outputs(s, arena, inputs + symbols, k, roots + (size_t)OUTPUTS*(size_t)k));
  PF_TRY(pf_tape_new(s->ctx, inputs, (int)(symbols + n), roots, (int)outputs, &s->look));
  s->work = pf_arena_array(arena, double, pf_tape_work_size(s->look));
  s->out = pf_arena_array(arena, double, outputs);
  return s->work && s->out ? PF_OK : pf_no_room(s->ctx, "the switches");
}

static PfStatus make_arrays(PfSides *s, PfArena *arena)
{
  size_t n = (size_t)s->n, K = (size_t)s->count;
  struct {
    double **array;
    size_t count;
  } arrays[] = {{&s->side, K}, {&s->values, (size_t)s->in->count + n}, {&s->motion.acceleration, n},
                {&s->motion.multiplier, (size_t)pf_system_equations(s->system)->m}, {&s->rate, K}, {&s->slope, K*K},
                {&s->matrix, K*K}, {&s->right, K}, {&s->old, K}, {&s->own, K}, {&s->trial, K}, {&s->share, K*K}};
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++)
    if (!(*arrays[i].array = pf_arena_array(arena, double, arrays[i].count))) return pf_no_room(s->ctx, "the switches");
  s->stuck = pf_arena_array(arena, bool, K);
  s->met = pf_arena_array(arena, bool, K);
  s->settled = pf_arena_array(arena, bool, K);
  s->released = pf_arena_array(arena, bool, K);
  s->list = pf_arena_array(arena, int, K);
  s->state = pf_arena_array(arena, int, K);
  s->order = pf_arena_array(arena, int, 2*K);
  s->row = pf_arena_array(arena, int, K);
  s->degree = pf_arena_array(arena, int, K);
  return s->stuck && s->met && s->settled && s->released && s->list && s->state && s->order && s->row && s->degree
      ? PF_OK
      : pf_no_room(s->ctx, "the switches");
}

PfStatus pf_sides_make(PfContext *ctx, PfArena *arena, const PfSystem *system, const PfSwitch *at, int count,
                       double atol, PfSides *s)
{
  const PfEquations *eq = pf_system_equations(system);
  *s = (PfSides){.ctx = ctx, .system = system, .in = pf_system_symbols(system), .n = eq->n, .count = count,
                 .atol = atol};
  s->at = pf_arena_array(arena, PfSwitch, count);
  if (!s->at) return pf_no_room(ctx, "the switches");
  memcpy(s->at, at, (size_t)count*sizeof *at);
  s->first = s->in->inputs + eq->model->input_count - count;
  PF_TRY(make_arrays(s, arena));
  PF_TRY(make_look(s, arena));
  return s->n ? pf_solver_new(ctx, system, pf_formulation_find("multipliers"), &s->solver) : PF_OK;
}

void pf_sides_release(PfSides *s)
{
  pf_tape_free(s->look);
  pf_solver_free(s->solver);
  s->look = NULL;
  s->solver = NULL;
}

/* ---------------------------------------------------------------- looking */

void pf_sides_set(PfSides *s, const double *values)
{
  memcpy(s->values, values, (size_t)s->in->lambda*sizeof *values);
}

/* Everything of every surface, with the present sides and accelerations. */
static void look(PfSides *s)
{
  memcpy(s->values + s->first, s->side, (size_t)s->count*sizeof *s->side);
  pf_tape_run(s->look, s->values, s->out, s->work);
}

static double seen(const PfSides *s, int k, int what)
{
  return s->out[OUTPUTS*k + what];
}

/* The state is known to rounding, and to a small part of what the tolerance allows. */
static double noise(const PfSides *s, int k)
{
  return 1e-13*seen(s, k, SIZE) + 1e-4*s->atol*seen(s, k, SLOPE);
}

bool pf_sides_nested(const PfSides *s, int k)
{
  return pf_expr_depends(s->ctx, s->at[k].surface, s->in->symbol + s->first, s->count);
}

/* Accelerations with the present sides into the values. */
static PfStatus accelerate(PfSides *s)
{
  int row;
  if (!s->n) return PF_OK;
  memcpy(s->values + s->first, s->side, (size_t)s->count*sizeof *s->side);
  PfTrouble trouble = pf_solver_accelerate(s->solver, s->values, &s->motion, &row);
  if (trouble != PF_TROUBLE_NONE) return pf_trouble_report_at(s->ctx, s->system, s->values, trouble, row);
  memcpy(s->values + s->in->lambda, s->motion.multiplier, (size_t)(s->in->count - s->in->lambda)*sizeof *s->values);
  memcpy(s->values + s->in->count, s->motion.acceleration, (size_t)s->n*sizeof *s->values);
  return PF_OK;
}

static double deciding_rate(const PfSides *s, int k)
{
  return seen(s, k, s->degree[k] == 2 ? SECOND : RATE);
}

/* What rounding makes of the rate of surface k, or of a change of it, under accelerations a: a constraint may hold it
 * at zero. */
static double rounding(const PfSides *s, int k, double a)
{
  return s->degree[k] == 1 ? 1e-13*seen(s, k, SLOPE)*a : 0;
}

/* r of the listed surfaces with the present sides. */
static PfStatus find_rates(PfSides *s, int count, double *rate)
{
  PF_TRY(accelerate(s));
  look(s);
  double a = pf_largest(s->values + s->in->count, s->n);
  for (int i = 0; i < count; i++) {
    double r = deciding_rate(s, s->list[i]);
    rate[i] = fabs(r) <= rounding(s, s->list[i], a) ? 0 : r;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the complementarity problem */

/* r = rate + J (s - s_0) about the present sides, J by changing one side at a time. */
static PfStatus find_slopes(PfSides *s, int p)
{
  PF_TRY(find_rates(s, p, s->rate));
  double base = pf_largest(s->values + s->in->count, s->n);
  for (int j = 0; j < p; j++) {
    double here = s->side[s->list[j]], there = here > 0 ? -1 : 1; /* never by 0, which stands for rest */
    s->side[s->list[j]] = there;
    PF_TRY(find_rates(s, p, s->right));
    s->side[s->list[j]] = here;
    double a = base + pf_largest(s->values + s->in->count, s->n);
    for (int i = 0; i < p; i++) {
      double change = s->right[i] - s->rate[i];
      s->slope[i*p + j] = fabs(change) <= rounding(s, s->list[i], a) ? 0 : change/(there - here);
    }
  }
  return PF_OK;
}

/* Rates fall with the side itself by this part of how they depend on sides: so surfaces that hold the same share the
 * load evenly, and which of them stay is determined. */
static const double evenly = 1e-9;

/* Sides for the present states of the surfaces: those that stay are solved for; false where that is not possible. */
static bool solve_sides(PfSides *s, int p)
{
  int free = 0, row = 0;
  for (int i = 0; i < p; i++) {
    s->trial[i] = s->state[i];
    if (s->state[i] == 0) s->order[free++] = i;
  }
  if (free == 0) return true;
  int *which = s->order + s->count; /* lu has the first part */
  memcpy(which, s->order, (size_t)free*sizeof *which);
  for (; row < free; row++) {
    const double *slope = s->slope + (size_t)which[row]*(size_t)p;
    s->right[row] = -s->rate[which[row]];
    for (int j = 0; j < p; j++) s->right[row] -= slope[j]*(s->trial[j] - s->side[s->list[j]]); /* 0 for those sought */
    for (int column = 0; column < free; column++) s->matrix[row*free + column] = slope[which[column]];
    s->matrix[row*free + row] -= evenly*pf_largest(slope, p);
  }
  if (pf_lu_factor(s->matrix, free, s->order) == 0) return false;
  pf_lu_solve(s->matrix, free, s->order, s->right);
  for (int k = 0; k < free; k++) s->trial[which[k]] = s->right[k];
  return pf_first_not_finite(s->trial, (size_t)p) < 0;
}

/* How a surface departs from its state: 0 when it fits. */
static int better_state(const PfSides *s, int p, int i)
{
  if (s->state[i] == 0) return fabs(s->trial[i]) <= 1 ? 0 : s->trial[i] > 0 ? 1 : -1;
  double r = s->rate[i] - evenly*pf_largest(s->slope + (size_t)i*(size_t)p, p)*s->state[i], size = fabs(r);
  for (int j = 0; j < p; j++) {
    double part = s->slope[i*p + j]*(s->trial[j] - s->side[s->list[j]]);
    r += part;
    size += fabs(part);
  }
  return r*s->state[i] >= -1e-10*size ? s->state[i] : 0;
}

/* The first surface whose state does not fit gets the other one. False when all fit. */
static bool pivot(PfSides *s, int p)
{
  for (int i = 0; i < p; i++) {
    int better = s->released[s->list[i]] ? s->state[i] : better_state(s, p, i);
    if (better == s->state[i]) continue;
    s->state[i] = better;
    return true;
  }
  return false;
}

static bool find_states(PfSides *s, int p)
{
  for (int turn = 0; turn < 100 + 20*p; turn++) {
    if (!solve_sides(s, p)) return false;
    if (!pivot(s, p)) return true;
  }
  return false;
}

/* Pivoting may run in circles where forces push away from a surface: all combinations are tried, sides before
 * staying. */
static bool search_states(PfSides *s, int p)
{
  static const int states[3] = {1, -1, 0};
  long all = 1;
  if (p > 7) return false;
  for (int i = 0; i < p; i++) all *= 3;
  for (long code = 0; code < all; code++) {
    long rest = code;
    bool fits = true;
    for (int i = 0; i < p; i++, rest /= 3)
      s->state[i] = s->released[s->list[i]] ? s->state[i] : states[rest%3];
    fits = solve_sides(s, p);
    for (int i = 0; fits && i < p; i++) fits = s->released[s->list[i]] || better_state(s, p, i) == s->state[i];
    if (fits) return true;
  }
  return false;
}

/* Where a surface that stays has no say in its own rate, no side could keep the motion on it: it goes on as it came. */
static void loosen(PfSides *s, int p)
{
  for (int i = 0; i < p; i++) {
    double own = fabs(s->slope[i*p + i]), most = 0;
    for (int j = 0; j < p; j++) most = fmax(most, fabs(s->slope[i*p + j]));
    if (s->state[i] == 0 && !(own > 1e-12*fmax(most, fabs(s->rate[i]))))
      s->state[i] = s->rate[i] != 0 ? (s->rate[i] > 0 ? 1 : -1) : s->old[s->list[i]] < 0 ? -1 : 1;
  }
}

/* What each surface does if nothing is against it: one that was met is crossed, one that sticks goes on to. */
static void guess_states(PfSides *s, int p)
{
  for (int i = 0; i < p; i++) {
    int k = s->list[i];
    double r = s->rate[i], old = s->old[k];
    bool one_side = fabs(old) == 1, crossed = s->met[k] && one_side;
    s->state[i] = s->released[k] ? (old > 0 ? 1 : -1)
                  : crossed      ? (old > 0 ? -1 : 1)
                  : s->met[k]    ? 0
                  : one_side     ? (int)old /* as before, if that goes on */
                                 : (r > 0) - (r < 0);
  }
}

/* Surfaces on which the motion rests by itself, with the values that the formulas have there, and to which nothing
 * draws it: sign(y) where y stays 0, if(x' > 0, 1, 0) at rest. They are not decided, but left when g departs from 0.
 * Returns how many of the list are left. */
static PfStatus let_rest(PfSides *s, int *p)
{
  int left = 0;
  for (int i = 0; i < *p; i++)
    if (!s->met[s->list[i]]) s->side[s->list[i]] = 0;
  PF_TRY(find_rates(s, *p, s->own));
  for (int i = 0; i < *p; i++)
    if (s->side[s->list[i]] == 0) s->side[s->list[i]] = 1; /* to measure from */
  PF_TRY(find_slopes(s, *p));
  for (int i = 0; i < *p; i++) {
    int k = s->list[i];
    double slope = s->slope[i**p + i], size = fabs(s->rate[i]) + fabs(slope);
    bool rests = !s->met[k] && fabs(s->own[i]) <= 1e-12*size && slope >= -1e-12*size;
    if (rests) s->side[k] = 0;
    else s->list[left++] = k;
  }
  *p = left;
  return PF_OK;
}

/* Repeats where the rates are not affine in the sides. */
static PfStatus settle(PfSides *s, int p)
{
  enum { MOST = 12 };
  PF_TRY(let_rest(s, &p));
  for (int turn = 0; turn < MOST; turn++) {
    double change = 0;
    PF_TRY(find_slopes(s, p));
    if (turn == 0) guess_states(s, p);
    loosen(s, p);
    if (!find_states(s, p) && !search_states(s, p)) break;
    for (int i = 0; i < p; i++) {
      change = fmax(change, fabs(s->trial[i] - s->side[s->list[i]]));
      s->side[s->list[i]] = s->trial[i] == 0 ? 1e-300 : s->trial[i]; /* 0 stands for rest */
    }
    if (change <= 1e-9) break;
  }
  for (int i = 0; i < p; i++) {
    int k = s->list[i];
    s->stuck[k] = s->state[i] == 0;
    if (!s->stuck[k]) s->side[k] = s->state[i];
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the decision */

/* Surfaces whose side is read off g itself, or off its rate where the motion goes through; true when neither tells. */
static bool is_open(PfSides *s, int k, bool met)
{
  double g = seen(s, k, G), small = noise(s, k);
  s->stuck[k] = false;
  if (!met && fabs(g) > small) {
    s->side[k] = g > 0 ? 1 : -1;
    return false;
  }
  if (s->degree[k] == 1) return true;
  double rate = seen(s, k, RATE), second = seen(s, k, SECOND);
  double excursion = s->degree[k] == 2 && second != 0 ? 0.5*rate*rate/fabs(second) : INFINITY;
  bool passes = s->degree[k] == 0 ? rate != 0 : rate != 0 && excursion > 100*s->atol*seen(s, k, SLOPE);
  if (passes) s->side[k] = rate > 0 ? 1 : -1;
  else if (s->degree[k] == 0 && s->old[k] == 0) s->side[k] = g > 0 ? 1 : g < 0 ? -1 : 0;
  return s->degree[k] == 2 && !passes;
}

/* Sides from g where it is not zero; a surface may contain sides of others, so they are looked at until nothing
 * changes. */
static void read_sides(PfSides *s)
{
  for (int turn = 0; turn <= s->count; turn++) {
    bool changed = false;
    look(s);
    for (int k = 0; k < s->count; k++) {
      double g = seen(s, k, G), side = g > 0 ? 1 : -1;
      if (s->met[k] || fabs(g) <= noise(s, k) || s->side[k] == side) continue;
      s->side[k] = side;
      changed = true;
    }
    if (!changed) return;
  }
}

/* Surfaces that were met and are simply passed go over first; others may follow, as the argument of a min does when an
 * input jumps. (Accelerations are those of the latest decision: they matter where a swing is as small as the tolerance
 * only.) */
static void pass_surfaces(PfSides *s)
{
  look(s);
  for (int k = 0; k < s->count; k++) {
    bool passed = s->met[k] && !s->stuck[k] && s->degree[k] != 1;
    s->settled[k] = passed && !is_open(s, k, true);
    if (s->settled[k] && s->at[k].timed && seen(s, k, RATE) == 0) s->side[k] = -s->old[k];
  }
}

/* What sticks to something that jumps stays behind, as a block on a belt that is switched on: velocities do not jump.
 * Inside the tolerance it is what is left of a constraint. */
static void tear_off(PfSides *s)
{
  look(s);
  for (int k = 0; k < s->count; k++) {
    double left = noise(s, k) + 1e3*s->atol*seen(s, k, SLOPE);
    if (s->stuck[k] && fabs(seen(s, k, G)) > left) s->met[k] = s->stuck[k] = false;
  }
}

/* What is at its limit when something is released gives way with it: of several that hold the same none can go alone.
 * Where that is not so, its surface is met at once, and it is decided again. */
static void release(PfSides *s, const bool *met, const bool *released)
{
  bool any = false;
  for (int k = 0; k < s->count; k++) any = any || (released && released[k]);
  for (int k = 0; k < s->count; k++) {
    s->released[k] = any && (released[k] || (!met[k] && fabs(s->old[k]) > 1 - 1e-8));
    if (s->released[k]) s->side[k] = s->old[k] > 0 ? 1 : -1;
  }
}

PfStatus pf_sides_decide(PfSides *s, const bool *met, const bool *released)
{
  int open = 0;
  memcpy(s->old, s->side, (size_t)s->count*sizeof *s->old);
  for (int k = 0; k < s->count; k++) s->met[k] = (met && met[k]) || s->stuck[k];
  pass_surfaces(s);
  tear_off(s);
  read_sides(s);
  PF_TRY(accelerate(s)); /* for g'' */
  look(s);
  for (int k = 0; k < s->count; k++) {
    if (!s->settled[k] && is_open(s, k, s->met[k])) s->list[open++] = k;
  }
  release(s, met, released);
  return open ? settle(s, open) : PF_OK;
}

/* ---------------------------------------------------------------- rows of what sticks */

/* The surface with the largest pivot that is left, -1: nothing is left of any. */
static int next_pivot(const PfSides *s, int p)
{
  int best = -1;
  double most = 1e-8; /* far above rounding in the slopes */
  for (int i = 0; i < p; i++) {
    double left = fabs(s->matrix[i*p + i])/(1e-300 + pf_largest(s->slope + (size_t)i*(size_t)p, p));
    if (s->state[i] == 0 && left > most) best = i, most = left;
  }
  return best;
}

/* Rows by elimination with diagonal pivots: state is 1 for those that were taken. */
static void eliminate(PfSides *s, int p)
{
  memcpy(s->matrix, s->slope, (size_t)p*(size_t)p*sizeof *s->matrix);
  memset(s->state, 0, (size_t)p*sizeof *s->state);
  for (int k = next_pivot(s, p); k >= 0; k = next_pivot(s, p)) {
    s->state[k] = 1;
    for (int i = 0; i < p; i++) {
      double factor = s->matrix[i*p + k]/s->matrix[k*p + k];
      for (int j = 0; j < p && s->state[i] == 0; j++) s->matrix[i*p + j] -= factor*s->matrix[k*p + j];
    }
  }
}

/* Force of the side in column j: the largest rate that it makes. */
static double strength(const PfSides *s, int p, int j)
{
  double most = 0;
  for (int i = 0; i < p; i++) most = fmax(most, fabs(s->slope[i*p + j]));
  return most;
}

/* The sides with the least sum of strength times square that make the rates which the rows ask for: with J the slopes
 * of the rows R, s_k = (J_RR^-1 J_Rk)^T s_R, each in units of its strength. */
static bool find_shares(PfSides *s, int p)
{
  int R = 0, *which = s->order + s->count;
  for (int i = 0; i < p; i++)
    if (s->state[i] == 1) which[R++] = i;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < R; j++) s->matrix[i*R + j] = s->slope[which[i]*p + which[j]];
  if (pf_lu_factor(s->matrix, R, s->order) == 0) return false;
  for (int k = 0; k < p; k++) {
    double *share = s->share + (size_t)s->list[k]*(size_t)s->count;
    for (int r = 0; r < R; r++) s->right[r] = s->slope[which[r]*p + k];
    pf_lu_solve(s->matrix, R, s->order, s->right);
    for (int r = 0; r < R; r++) {
      double x = s->state[k] == 1 ? which[r] == k : s->right[r]*strength(s, p, which[r])/strength(s, p, k);
      share[r] = fabs(x - round(x)) < 1e-7 ? round(x) : x; /* sides that are one are exactly so */
    }
  }
  return true;
}

PfStatus pf_sides_choose_rows(PfSides *s)
{
  int p = 0;
  for (int k = 0; k < s->count; k++)
    if (s->stuck[k]) s->list[p++] = k;
  memset(s->share, 0, (size_t)s->count*(size_t)s->count*sizeof *s->share);
  PF_TRY(find_slopes(s, p));
  eliminate(s, p);
  bool good = find_shares(s, p);
  s->row_count = 0;
  for (int i = 0; i < p; i++) {
    if (good && s->state[i] == 0) continue;
    if (!good) s->share[s->list[i]*s->count + s->row_count] = 1; /* each for itself */
    s->row[s->row_count++] = s->list[i];
  }
  return PF_OK;
}

void pf_sides_from_rows(const PfSides *s, const double *multiplier, double *side)
{
  for (int k = 0; k < s->count; k++) {
    if (!s->stuck[k]) continue;
    side[k] = 0;
    for (int r = 0; r < s->row_count; r++) side[k] += s->share[k*s->count + r]*multiplier[r];
  }
}

/* dF/ds = c dg/dq' for all coordinates with a c made of parameters: then what sticks needs no other force than that of
 * its row. PF_EXPR_NONE: there is none. */
static PfExpr common_factor(const PfSides *s, const PfExpr *row, const PfExpr *force)
{
  PfExpr c = PF_EXPR_NONE, zero = pf_expr_int(s->ctx, 0);
  for (int i = 0; i < s->n && c == PF_EXPR_NONE; i++)
    if (row[i] != zero) c = pf_expr_div(s->ctx, force[i], row[i]);
  if (c == PF_EXPR_NONE) return c;
  const PfExpr *rest = s->in->symbol + s->in->time;
  if (pf_expr_depends(s->ctx, c, rest, s->in->count - s->in->time)) return PF_EXPR_NONE;
  for (int i = 0; i < s->n; i++)
    if (pf_expr_sub(s->ctx, force[i], pf_expr_mul(s->ctx, c, row[i])) != zero) return PF_EXPR_NONE;
  return c;
}

/* How the force on coordinate i depends on side k: half of what it changes by from one side to the other. */
static PfExpr force_of_side(const PfSides *s, int k, int i)
{
  const PfEquations *eq = pf_system_equations(s->system);
  PfExpr side = s->at[k].side, one = pf_expr_int(s->ctx, 1), less = pf_expr_int(s->ctx, -1);
  PfExpr above = pf_expr_add(s->ctx, eq->F[i], eq->C[i]), below = above;
  if (pf_expr_substitute(s->ctx, &above, 1, &side, &one, 1, &above) != PF_OK) return PF_EXPR_NONE;
  if (pf_expr_substitute(s->ctx, &below, 1, &side, &less, 1, &below) != PF_OK) return PF_EXPR_NONE;
  return pf_expr_mul(s->ctx, pf_expr_rational(s->ctx, 1, 2), pf_expr_sub(s->ctx, above, below));
}

/* The same of row r: of all sides that follow from it. */
static PfExpr force_of_row(const PfSides *s, int r, int i)
{
  PfExpr sum = pf_expr_int(s->ctx, 0);
  for (int k = 0; k < s->count; k++) {
    double share = s->stuck[k] ? s->share[k*s->count + r] : 0;
    if (share == 0) continue;
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, pf_expr_double(s->ctx, share), force_of_side(s, k, i)));
  }
  return sum;
}

/* The factor of row r, and the size of the row with it. */
static PfStatus find_factor(PfSides *s, PfArena *arena, int r, PfExpr *factor, double *size)
{
  size_t n = (size_t)s->n;
  int k = s->row[r];
  PfExpr *e = pf_arena_array(arena, PfExpr, 2*n + 1);
  double *x = pf_arena_array(arena, double, 2*n + 1);
  if (!e || !x) return pf_no_room(s->ctx, "the switches");
  PF_TRY(pf_expr_gradient(s->ctx, s->at[k].surface, s->in->symbol + (s->degree[k] == 2 ? s->in->q : s->in->v), s->n,
                          e));
  for (size_t i = 0; i < n; i++) e[n + i] = force_of_row(s, r, (int)i);
  PfExpr common = common_factor(s, e, e + n);
  e[2*n] = common == PF_EXPR_NONE ? pf_expr_int(s->ctx, 0) : common;
  PF_TRY(pf_expr_check(s->ctx));
  memcpy(s->values + s->first, s->side, (size_t)s->count*sizeof *s->side);
  PF_TRY(pf_expr_evaluate(s->ctx, e, (int)(2*n + 1), s->in->symbol, s->values, s->in->count, x));
  double both = pf_dot(x, x + n, s->n), own = pf_dot(x, x, s->n), given = x[2*n];
  double measured = isfinite(both/own) && both != 0 ? both/own : 1;
  bool is_given = isfinite(given) && given != 0;
  *factor = is_given ? common : pf_expr_double(s->ctx, measured);
  *size = fabs(is_given ? given : measured)*pf_largest(x, s->n);
  return PF_OK;
}

/* Size of the constraints of the phase, beside which the rows stand: that of the largest one, 1 without any. */
static PfStatus size_of_constraints(const PfSides *s, PfArena *arena, double *size)
{
  const PfEquations *eq = pf_system_equations(s->system);
  double *A = pf_arena_array(arena, double, (size_t)eq->m*(size_t)s->n);
  if (!A) return pf_no_room(s->ctx, "the switches");
  PF_TRY(pf_expr_evaluate(s->ctx, eq->A, eq->m*s->n, s->in->symbol, s->values, s->in->count, A));
  *size = pf_largest(A, eq->m*s->n);
  if (!(*size > 0 && isfinite(*size))) *size = 1;
  return PF_OK;
}

PfStatus pf_sides_factor(PfSides *s, PfArena *arena, int r, PfExpr *factor)
{
  const double alike = 14; /* powers of two: rows that differ by less keep the side as their multiplier */
  double size = 0, usual = 0;
  PF_TRY(find_factor(s, arena, r, factor, &size));
  PF_TRY(size_of_constraints(s, arena, &usual));
  double power = round(log2(usual) - log2(size));
  if (!isfinite(power) || fabs(power) <= alike) return PF_OK;
  for (int k = 0; k < s->count; k++) s->share[k*s->count + r] = ldexp(s->share[k*s->count + r], (int)power);
  return find_factor(s, arena, r, factor, &size);
}
