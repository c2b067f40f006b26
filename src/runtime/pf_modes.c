/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* The rates are affine in the modes for all usual laws of force. The complementarity problem is solved by principal
 * pivoting with the least index (K. G. Murty, Opsearch 11 (1974)), which ends where friction is friction, and repeated
 * where the rates are not affine. */
#include "pf_modes.h"

#ifndef PF_SINGLE

/* Rates fall with the mode itself by this part of how they depend on modes: so contacts that keep the same motion load
 * the load evenly, and which of them stay is determined. */
static const double pf_modes_even = 1e-9;

PF_RUNTIME void pf_modes_place(PfModes *s, double *reals, int *ints, bool *bools)
{
  const int K = s->count;
  /* the first five one after the other: an owner may evaluate them together */
  double **const places[] = {&s->g, &s->g_rate, &s->g_second, &s->g_size, &s->g_slope, &s->mode, &s->rate, &s->right,
                             &s->before, &s->own, &s->trial};
  double **const squares[] = {&s->load, &s->jacobian, &s->matrix};
  for (size_t i = 0; i < sizeof places/sizeof *places; i++) *places[i] = pf_take_reals(&reals, K);
  for (size_t i = 0; i < sizeof squares/sizeof *squares; i++) *squares[i] = pf_take_reals(&reals, K*K);
  s->list = pf_take_ints(&ints, K);
  s->state = pf_take_ints(&ints, K);
  s->row = pf_take_ints(&ints, K);
  s->order = pf_take_ints(&ints, 2*K);
  s->sticks = bools;
  s->met = bools + K;
  s->settled = bools + 2*K;
  s->released = bools + 3*K;
}

/* ---------------------------------------------------------------- rates */

PF_RUNTIME double pf_modes_noise(const PfModes *s, int k)
{
  return 1e-13*s->g_size[k] + 1e-4*s->atol*s->g_slope[k];
}

PF_RUNTIME double pf_modes_hold_limit(const PfModes *s, int k)
{
  return pf_modes_noise(s, k) + 1e3*s->atol*s->g_slope[k];
}

/* Rounding error of the rate of surface k, or of a change of it, under accelerations a: a constraint may keep it at
 * zero. */
static double pf_modes_rounding(const PfModes *s, int k, double a)
{
  return s->degree[k] == 1 ? 1e-13*s->g_slope[k]*a : 0;
}

/* r of the listed surfaces with the present modes. */
static int pf_modes_find_rates(PfModes *s, int count, double *rate)
{
  const int trouble = s->calls->accelerate(s->user);
  if (trouble) return trouble;
  s->calls->evaluate(s->user);
  const double a = pf_largest(s->acceleration, s->n);
  for (int i = 0; i < count; i++) {
    const int k = s->list[i];
    const double r = s->degree[k] == 2 ? s->g_second[k] : s->g_rate[k];
    rate[i] = fabs(r) <= pf_modes_rounding(s, k, a) ? 0 : r;
  }
  return 0;
}

/* r = rate + J (s - s_0) about the present modes, J by changing one mode at a time. */
static int pf_modes_find_jacobian(PfModes *s, int p)
{
  int trouble = pf_modes_find_rates(s, p, s->rate);
  const double base = pf_largest(s->acceleration, s->n);
  for (int j = 0; j < p && !trouble; j++) {
    const double here = s->mode[s->list[j]], there = here > 0 ? -1 : 1; /* never by 0, which stands for rest */
    s->mode[s->list[j]] = there;
    trouble = pf_modes_find_rates(s, p, s->right);
    s->mode[s->list[j]] = here;
    const double a = base + pf_largest(s->acceleration, s->n);
    for (int i = 0; i < p; i++) {
      const double change = s->right[i] - s->rate[i];
      s->jacobian[i*p + j] = fabs(change) <= pf_modes_rounding(s, s->list[i], a) ? 0 : change/(there - here);
    }
  }
  return trouble;
}

/* ---------------------------------------------------------------- the complementarity problem */

/* Modes for the present states of the surfaces: those on which the motion stays are solved for; false where that is not
 * possible. */
static bool pf_modes_solve(PfModes *s, int p)
{
  int open = 0;
  for (int i = 0; i < p; i++) {
    s->trial[i] = s->state[i];
    if (s->state[i] == 0) s->order[open++] = i;
  }
  if (open == 0) return true;
  int *which = s->order + s->count; /* the factors have the first part */
  for (int i = 0; i < open; i++) which[i] = s->order[i];
  for (int row = 0; row < open; row++) {
    const double *slope = s->jacobian + (size_t)which[row]*(size_t)p;
    s->right[row] = -s->rate[which[row]];
    for (int j = 0; j < p; j++) s->right[row] -= slope[j]*(s->trial[j] - s->mode[s->list[j]]); /* 0 for those sought */
    for (int column = 0; column < open; column++) s->matrix[row*open + column] = slope[which[column]];
    s->matrix[row*open + row] -= pf_modes_even*pf_largest(slope, p);
  }
  if (pf_lu_factor(s->matrix, open, s->order) == 0) return false;
  pf_lu_solve(s->matrix, open, s->order, s->right);
  for (int k = 0; k < open; k++) s->trial[which[k]] = s->right[k];
  return pf_first_not_finite(s->trial, (size_t)p) < 0;
}

/* The state that fits surface i better: its own where that fits. */
static int pf_modes_better_state(const PfModes *s, int p, int i)
{
  const double *slope = s->jacobian + (size_t)i*(size_t)p;
  if (s->released[s->list[i]]) return s->state[i];
  if (s->state[i] == 0) return fabs(s->trial[i]) <= 1 + s->margin ? 0 : s->trial[i] > 0 ? 1 : -1;
  double r = s->rate[i] - pf_modes_even*pf_largest(slope, p)*s->state[i], size = fabs(r);
  for (int j = 0; j < p; j++) {
    const double part = slope[j]*(s->trial[j] - s->mode[s->list[j]]);
    r += part;
    size += fabs(part);
  }
  return r*s->state[i] >= -1e-10*size ? s->state[i] : 0;
}

/* The first surface whose state does not fit; p: all fit. */
static int pf_modes_first_misfit(const PfModes *s, int p)
{
  for (int i = 0; i < p; i++)
    if (pf_modes_better_state(s, p, i) != s->state[i]) return i;
  return p;
}

static bool pf_modes_pivot(PfModes *s, int p)
{
  for (int turn = 0; turn < 100 + 20*p; turn++) {
    if (!pf_modes_solve(s, p)) return false;
    const int i = pf_modes_first_misfit(s, p);
    if (i == p) return true;
    s->state[i] = pf_modes_better_state(s, p, i);
  }
  return false;
}

/* Pivoting may run in circles where forces push away from a surface: all combinations are tried, sides before
 * staying. */
static bool pf_modes_search(PfModes *s, int p)
{
  static const int states[3] = {1, -1, 0};
  long all = 1;
  if (p > 7) return false;
  for (int i = 0; i < p; i++) all *= 3;
  for (long code = 0; code < all; code++) {
    long rest = code;
    for (int i = 0; i < p; i++, rest /= 3)
      if (!s->released[s->list[i]]) s->state[i] = states[rest%3];
    if (pf_modes_solve(s, p) && pf_modes_first_misfit(s, p) == p) return true;
  }
  return false;
}

/* Where the mode of a surface has no influence on its own rate, none could keep the motion on it: it goes on as it
 * came. */
static void pf_modes_free_ineffective(PfModes *s, int p)
{
  for (int i = 0; i < p; i++) {
    const double own = fabs(s->jacobian[i*p + i]), most = pf_largest(s->jacobian + (size_t)i*(size_t)p, p);
    if (s->state[i] == 0 && !(own > 1e-12*fmax(most, fabs(s->rate[i]))))
      s->state[i] = s->rate[i] > 0 ? 1 : s->rate[i] < 0 || s->before[s->list[i]] < 0 ? -1 : 1;
  }
}

/* The state of each surface in the absence of other evidence: one that was met is crossed, a sticking one still
 * sticks. */
static void pf_modes_guess_states(PfModes *s, int p)
{
  for (int i = 0; i < p; i++) {
    const int k = s->list[i], sign = s->before[k] > 0 ? 1 : -1;
    const bool one_side = fabs(s->before[k]) == 1;
    if (s->released[k]) s->state[i] = sign;
    else if (s->met[k]) s->state[i] = one_side ? -sign : 0;
    else s->state[i] = one_side ? sign : (s->rate[i] > 0) - (s->rate[i] < 0); /* as before, if that goes on */
  }
}

/* Surfaces on which the motion rests by itself, with the values that the formulas have there, and to which nothing
 * draws it: sign(y) where y stays 0, if(x' > 0, 1, 0) at rest. They are not decided, but left when g departs from 0.
 * *p: how many of the list are left. */
static int pf_modes_let_rest(PfModes *s, int *p)
{
  int left = 0;
  for (int i = 0; i < *p; i++)
    if (!s->met[s->list[i]]) s->mode[s->list[i]] = 0;
  int trouble = pf_modes_find_rates(s, *p, s->own);
  for (int i = 0; i < *p; i++)
    if (s->mode[s->list[i]] == 0) s->mode[s->list[i]] = 1; /* to measure from */
  if (!trouble) trouble = pf_modes_find_jacobian(s, *p);
  for (int i = 0; i < *p && !trouble; i++) {
    const int k = s->list[i];
    const double slope = s->jacobian[i**p + i], size = fabs(s->rate[i]) + fabs(slope);
    const bool rests = !s->met[k] && fabs(s->own[i]) <= 1e-12*size && slope >= -1e-12*size;
    if (rests) s->mode[k] = 0;
    else s->list[left++] = k;
  }
  *p = left;
  return trouble;
}

/* Repeats where the rates are not affine in the modes. */
static int pf_modes_settle(PfModes *s, int p)
{
  enum { MOST = 12 };
  double change = 1;
  int trouble = pf_modes_let_rest(s, &p);
  for (int turn = 0; turn < MOST && change > 1e-9 && !trouble; turn++) {
    trouble = pf_modes_find_jacobian(s, p);
    if (trouble) break;
    if (turn == 0) pf_modes_guess_states(s, p);
    pf_modes_free_ineffective(s, p);
    if (!pf_modes_pivot(s, p) && !pf_modes_search(s, p)) break;
    change = 0;
    for (int i = 0; i < p; i++) {
      change = fmax(change, fabs(s->trial[i] - s->mode[s->list[i]]));
      s->mode[s->list[i]] = s->trial[i] == 0 ? 1e-300 : s->trial[i]; /* 0 stands for rest */
    }
  }
  for (int i = 0; i < p && !trouble; i++) {
    const int k = s->list[i];
    s->sticks[k] = s->state[i] == 0;
    if (!s->sticks[k]) s->mode[k] = s->state[i];
  }
  return trouble;
}

/* ---------------------------------------------------------------- the decision */

/* Surfaces whose mode is read off g itself, or off its rate where the motion goes through; true when neither
 * decides. */
static bool pf_modes_is_open(PfModes *s, int k, bool met)
{
  const double g = s->g[k], rate = s->g_rate[k], second = s->g_second[k];
  const int degree = s->degree[k];
  s->sticks[k] = false;
  if (!met && fabs(g) > pf_modes_noise(s, k)) {
    s->mode[k] = g > 0 ? 1 : -1;
    return false;
  }
  if (degree == 1) return true;
  double excursion = INFINITY;
  if (degree == 2 && second != 0) excursion = 0.5*rate*rate/fabs(second);
  const bool passes = rate != 0 && (degree == 0 || excursion > 100*s->atol*s->g_slope[k]);
  if (passes) s->mode[k] = rate > 0 ? 1 : -1;
  else if (degree == 0 && s->before[k] == 0) s->mode[k] = g > 0 ? 1 : g < 0 ? -1 : 0;
  return degree == 2 && !passes;
}

/* Modes from g where it is not zero; a surface may contain modes of others, so they are read until nothing changes. */
static void pf_modes_read(PfModes *s)
{
  bool changed = true;
  for (int turn = 0; turn <= s->count && changed; turn++) {
    changed = false;
    s->calls->evaluate(s->user);
    for (int k = 0; k < s->count; k++) {
      const double g = s->g[k], mode = g > 0 ? 1 : -1;
      if (s->met[k] || fabs(g) <= pf_modes_noise(s, k) || s->mode[k] == mode) continue;
      s->mode[k] = mode;
      changed = true;
    }
  }
}

/* Surfaces that were met and are simply passed go over first; others may follow, as the argument of a min does when an
 * input jumps. (Accelerations are those of the latest decision: they matter where a swing is as small as the tolerance
 * only.) */
static void pf_modes_pass(PfModes *s)
{
  s->calls->evaluate(s->user);
  for (int k = 0; k < s->count; k++) {
    const bool passed = s->met[k] && !s->sticks[k] && s->degree[k] != 1;
    s->settled[k] = passed && !pf_modes_is_open(s, k, true);
    if (s->settled[k] && s->timed[k] && s->g_rate[k] == 0) s->mode[k] = -s->before[k];
  }
}

/* A sticking contact whose surface jumps is released, as a block on a belt that is switched on: velocities do not jump.
 * A deviation inside the tolerance is the residual of a constraint. */
static void pf_modes_tear_off(PfModes *s)
{
  s->calls->evaluate(s->user);
  for (int k = 0; k < s->count; k++)
    if (s->sticks[k] && fabs(s->g[k]) > pf_modes_hold_limit(s, k)) s->met[k] = s->sticks[k] = false;
}

/* Contacts that are at their limit when another one is released give way with it: of several that keep the same motion
 * none can be released alone. Where that is wrong, the surface is met at once, and the mode is decided again. */
static void pf_modes_release(PfModes *s, const bool *met, const bool *released)
{
  bool any = false;
  for (int k = 0; k < s->count; k++) any = any || (released && released[k]);
  for (int k = 0; k < s->count; k++) {
    s->released[k] = any && (released[k] || (!met[k] && fabs(s->before[k]) > 1 - 1e-8));
    if (s->released[k]) s->mode[k] = s->before[k] > 0 ? 1 : -1;
  }
}

PF_RUNTIME int pf_modes_decide(PfModes *s, const bool *met, const bool *released)
{
  int open = 0;
  for (int k = 0; k < s->count; k++) {
    s->before[k] = s->mode[k];
    s->met[k] = (met && met[k]) || s->sticks[k];
  }
  pf_modes_pass(s);
  pf_modes_tear_off(s);
  pf_modes_read(s);
  const int trouble = s->calls->accelerate(s->user); /* for g'' */
  if (trouble) return trouble;
  s->calls->evaluate(s->user);
  for (int k = 0; k < s->count; k++)
    if (!s->settled[k] && pf_modes_is_open(s, k, s->met[k])) s->list[open++] = k;
  pf_modes_release(s, met, released);
  return open ? pf_modes_settle(s, open) : 0;
}

/* ---------------------------------------------------------------- rows of sticking contacts */

/* The surface with the largest pivot that is left, -1: nothing is left of any. */
static int pf_modes_next_pivot(const PfModes *s, int p)
{
  int best = -1;
  double most = 1e-8; /* far above rounding in the slopes */
  for (int i = 0; i < p; i++) {
    const double left = fabs(s->matrix[i*p + i])/(1e-300 + pf_largest(s->jacobian + (size_t)i*(size_t)p, p));
    if (s->state[i] == 0 && left > most) best = i, most = left;
  }
  return best;
}

/* Rows by elimination with diagonal pivots: their state becomes 1. */
static void pf_modes_eliminate(PfModes *s, int p)
{
  for (int i = 0; i < p*p; i++) s->matrix[i] = s->jacobian[i];
  for (int i = 0; i < p; i++) s->state[i] = 0;
  for (int k = pf_modes_next_pivot(s, p); k >= 0; k = pf_modes_next_pivot(s, p)) {
    s->state[k] = 1;
    for (int i = 0; i < p; i++) {
      const double factor = s->matrix[i*p + k]/s->matrix[k*p + k];
      for (int j = 0; j < p && s->state[i] == 0; j++) s->matrix[i*p + j] -= factor*s->matrix[k*p + j];
    }
  }
}

/* Force of the mode in column j: the largest rate that it makes. */
static double pf_modes_strength(const PfModes *s, int p, int j)
{
  double most = 0;
  for (int i = 0; i < p; i++) most = fmax(most, fabs(s->jacobian[i*p + j]));
  return most;
}

/* The modes with the least sum of strength times square that make the rates which the rows ask for: with J the slopes
 * of the rows R, s_k = (J_RR^-1 J_Rk)^T s_R, each in units of its strength. */
static bool pf_modes_find_shares(PfModes *s, int p)
{
  int R = 0, *which = s->order + s->count;
  for (int i = 0; i < p; i++)
    if (s->state[i] == 1) which[R++] = i;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < R; j++) s->matrix[i*R + j] = s->jacobian[which[i]*p + which[j]];
  if (pf_lu_factor(s->matrix, R, s->order) == 0) return false;
  for (int k = 0; k < p; k++) {
    double *load = s->load + (size_t)s->list[k]*(size_t)s->count;
    for (int r = 0; r < R; r++) s->right[r] = s->jacobian[which[r]*p + k];
    pf_lu_solve(s->matrix, R, s->order, s->right);
    for (int r = 0; r < R; r++) {
      const double x = s->state[k] == 1
          ? which[r] == k
          : s->right[r]*pf_modes_strength(s, p, which[r])/pf_modes_strength(s, p, k);
      load[r] = fabs(x - round(x)) < 1e-7 ? round(x) : x; /* modes that are one are exactly so */
    }
  }
  return true;
}

PF_RUNTIME int pf_modes_choose_rows(PfModes *s)
{
  int p = 0;
  for (int k = 0; k < s->count; k++)
    if (s->sticks[k]) s->list[p++] = k;
  for (int i = 0; i < s->count*s->count; i++) s->load[i] = 0;
  const int trouble = pf_modes_find_jacobian(s, p);
  if (trouble) return trouble;
  pf_modes_eliminate(s, p);
  const bool good = pf_modes_find_shares(s, p);
  s->row_count = 0;
  for (int i = 0; i < p; i++) {
    if (good && s->state[i] == 0) continue;
    if (!good) s->load[s->list[i]*s->count + s->row_count] = 1; /* each for itself */
    s->row[s->row_count++] = s->list[i];
  }
  return 0;
}

PF_RUNTIME void pf_modes_from_rows(const PfModes *s, const double *multiplier, double *mode)
{
  for (int k = 0; k < s->count; k++) {
    if (!s->sticks[k]) continue;
    mode[k] = 0;
    for (int r = 0; r < s->row_count; r++) mode[k] += s->load[k*s->count + r]*multiplier[r];
  }
}

PF_RUNTIME int pf_modes_slide(PfModes *s, const double *wanted)
{
  enum { MOST = 12 };
  int p = 0;
  for (int k = 0; k < s->count; k++)
    if (s->sticks[k]) s->list[p++] = k;
  for (int turn = 0; turn < MOST; turn++) {
    const int trouble = pf_modes_find_jacobian(s, p);
    if (trouble) return trouble;
    for (int i = 0; i < p; i++) {
      const double *slope = s->jacobian + (size_t)i*(size_t)p;
      for (int j = 0; j < p; j++) s->matrix[i*p + j] = slope[j];
      s->matrix[i*p + i] -= 0.1*pf_modes_even*pf_largest(slope, p); /* the next round makes up for it */
      s->right[i] = (wanted ? wanted[s->list[i]] : 0) - s->rate[i];
    }
    const double size = pf_largest(s->jacobian, p*p), most = pf_largest(s->right, p);
    if (most <= 1e-14*size) return s->calls->accelerate(s->user);
    if (pf_lu_factor(s->matrix, p, s->order) == 0) return PF_MODES_UNDETERMINED;
    pf_lu_solve(s->matrix, p, s->order, s->right);
    for (int i = 0; i < p; i++) {
      const double mode = s->mode[s->list[i]] + s->right[i];
      s->mode[s->list[i]] = mode == 0 ? 1e-300 : mode; /* 0 stands for rest */
    }
    if (most <= 1e-9*size) return s->calls->accelerate(s->user);
  }
  return PF_MODES_UNDETERMINED;
}

PF_RUNTIME int pf_modes_row_scale(double size, double typical)
{
  const double alike = 14; /* powers of two: rows that differ by less keep the mode as their multiplier */
  const double power = round(log2(typical) - log2(size));
  return isfinite(power) && fabs(power) > alike ? (int)power : 0;
}

#endif
