/* SPDX-License-Identifier: Apache-2.0 */
/* The discrete modes of a phase in formulas; decisions are those of the runtime. */
#include "time/modes.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

enum { G, RATE, SECOND, SIZE, SLOPE, OUTPUTS };

/* ---------------------------------------------------------------- making */

/* g, g', g'' and the sizes of surface k among the roots, each in the list of its kind. */
static PfStatus list_outputs(PfSwitchModes *s, PfArena *arena, const PfExpr *a, int k, PfExpr *roots)
{
  const PfModel *model = pf_system_equations(s->system)->model;
  const int n = s->core.n, K = s->core.count;
  PfExpr g = s->at[k].surface, out[OUTPUTS];
  for (int i = 0; i < OUTPUTS; i++) out[i] = pf_expr_int(s->ctx, 0);
  out[G] = g;
  PF_TRY(pf_surface_rate(s->ctx, arena, model, g, out + RATE));
  PF_TRY(pf_surface_sizes(s->ctx, arena, g, s->in->symbol + s->in->q, 2*n, out + SIZE, out + SLOPE));
  bool moves = pf_expr_depends(s->ctx, g, s->in->symbol + s->in->q, 2*n);
  s->degree[k] = !moves ? 0 : pf_expr_depends(s->ctx, out[RATE], a, n) ? 1 : 2;
  if (s->degree[k] == 2) PF_TRY(pf_surface_rate(s->ctx, arena, model, out[RATE], out + SECOND));
  for (int i = 0; i < OUTPUTS; i++) roots[i*K + k] = out[i];
  return PF_OK;
}

static PfStatus make_tape(PfSwitchModes *s, PfArena *arena)
{
  const PfModel *model = pf_system_equations(s->system)->model;
  size_t n = (size_t)s->core.n, symbols = (size_t)s->in->count, outputs = OUTPUTS*(size_t)s->core.count;
  PfExpr *inputs = pf_arena_array(arena, PfExpr, symbols + n), *roots = pf_arena_array(arena, PfExpr, outputs);
  if (!inputs || !roots) return pf_no_room(s->ctx, "the switches");
  memcpy(inputs, s->in->symbol, symbols*sizeof *inputs);
  for (size_t i = 0; i < n; i++) inputs[symbols + i] = model->coordinates[i].a;
  for (int k = 0; k < s->core.count; k++) PF_TRY(list_outputs(s, arena, inputs + symbols, k, roots));
  PF_TRY(pf_tape_new(s->ctx, inputs, (int)(symbols + n), roots, (int)outputs, &s->surfaces));
  s->work = pf_arena_array(arena, double, pf_tape_work_size(s->surfaces));
  return s->work ? PF_OK : pf_no_room(s->ctx, "the switches");
}

static PfStatus make_arrays(PfSwitchModes *s, PfArena *arena, const PfSwitch *at)
{
  const size_t n = (size_t)s->core.n, K = (size_t)s->core.count;
  double *reals = pf_arena_array(arena, double, PF_MODES_REALS(K));
  int *ints = pf_arena_array(arena, int, PF_MODES_INTS(K));
  bool *bools = pf_arena_array(arena, bool, PF_MODES_BOOLS(K) + K);
  s->at = pf_arena_array(arena, PfSwitch, K);
  s->degree = pf_arena_array(arena, int, K);
  s->values = pf_arena_array(arena, double, (size_t)s->in->count + n);
  s->motion.acceleration = pf_arena_array(arena, double, n);
  s->motion.multiplier = pf_arena_array(arena, double, pf_system_equations(s->system)->m);
  if (!reals || !ints || !bools || !s->at || !s->degree || !s->values || !s->motion.acceleration ||
      !s->motion.multiplier)
    return pf_no_room(s->ctx, "the switches");
  bool *timed = bools + PF_MODES_BOOLS(K);
  memcpy(s->at, at, K*sizeof *at);
  for (size_t k = 0; k < K; k++) timed[k] = at[k].timed;
  s->core.degree = s->degree;
  s->core.timed = timed;
  s->core.acceleration = s->values + s->in->count;
  pf_modes_place(&s->core, reals, ints, bools);
  return PF_OK;
}

/* ---------------------------------------------------------------- numbers */

void pf_switch_modes_set(PfSwitchModes *s, const double *values)
{
  memcpy(s->values, values, (size_t)s->in->lambda*sizeof *values);
}

static void evaluate(void *user)
{
  PfSwitchModes *s = user;
  memcpy(s->values + s->first, s->core.mode, (size_t)s->core.count*sizeof *s->core.mode);
  pf_tape_run(s->surfaces, s->values, s->core.g, s->work);
}

static PfStatus find_accelerations(PfSwitchModes *s)
{
  int row;
  memcpy(s->values + s->first, s->core.mode, (size_t)s->core.count*sizeof *s->core.mode);
  PfTrouble trouble = pf_solver_accelerate(s->solver, s->values, &s->motion, &row);
  if (trouble != PF_TROUBLE_NONE) return pf_trouble_report_at(s->ctx, s->system, s->values, trouble, row);
  memcpy(s->values + s->in->lambda, s->motion.multiplier, (size_t)(s->in->count - s->in->lambda)*sizeof *s->values);
  memcpy(s->values + s->in->count, s->motion.acceleration, (size_t)s->core.n*sizeof *s->values);
  return PF_OK;
}

static int accelerate(void *user)
{
  PfSwitchModes *s = user;
  s->status = s->core.n ? find_accelerations(s) : PF_OK;
  return s->status != PF_OK;
}

PfStatus pf_switch_modes_make(PfContext *ctx, PfArena *arena, const PfSystem *system, const PfSwitch *at, int count,
                              double atol, PfSwitchModes *s)
{
  static const PfModesCalls calls = {accelerate, evaluate};
  const PfEquations *eq = pf_system_equations(system);
  *s = (PfSwitchModes){.core = {.user = s, .calls = &calls, .count = count, .atol = atol, .n = eq->n}, .ctx = ctx,
                       .system = system, .in = pf_system_symbols(system)};
  s->first = s->in->inputs + eq->model->input_count - count;
  PF_TRY(make_arrays(s, arena, at));
  PF_TRY(make_tape(s, arena));
  return eq->n ? pf_solver_new(ctx, system, pf_formulation_find("multipliers"), &s->solver) : PF_OK;
}

void pf_switch_modes_release(PfSwitchModes *s)
{
  pf_tape_free(s->surfaces);
  pf_solver_free(s->solver);
  s->surfaces = NULL;
  s->solver = NULL;
}

PfStatus pf_switch_modes_decide(PfSwitchModes *s, const bool *met, const bool *released)
{
  return pf_modes_decide(&s->core, met, released) ? s->status : PF_OK;
}

PfStatus pf_switch_modes_choose_rows(PfSwitchModes *s)
{
  return pf_modes_choose_rows(&s->core) ? s->status : PF_OK;
}

bool pf_switch_modes_nested(const PfSwitchModes *s, int k)
{
  return pf_expr_depends(s->ctx, s->at[k].surface, s->in->symbol + s->first, s->core.count);
}

/* ---------------------------------------------------------------- factors of rows */

/* How the force on coordinate i depends on the mode: half of its difference between the two sides. */
static PfExpr force_of_mode(PfContext *ctx, const PfEquations *eq, PfExpr mode, int i)
{
  PfExpr one = pf_expr_int(ctx, 1), less = pf_expr_int(ctx, -1);
  PfExpr above = pf_expr_add(ctx, eq->F[i], eq->C[i]), below = above;
  if (pf_expr_substitute(ctx, &above, 1, &mode, &one, 1, &above) != PF_OK) return PF_EXPR_NONE;
  if (pf_expr_substitute(ctx, &below, 1, &mode, &less, 1, &below) != PF_OK) return PF_EXPR_NONE;
  return pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_sub(ctx, above, below));
}

/* dF/ds = c dg/dq' for all coordinates with a c made of parameters: then a sticking contact needs no other force than
 * that of its row. PF_EXPR_NONE: there is none. `row` and `force` (n) are dg/dq' and dF/ds. */
static PfExpr common_factor(PfContext *ctx, const PfSymbols *in, const PfExpr *row, const PfExpr *force, int n)
{
  PfExpr c = PF_EXPR_NONE, zero = pf_expr_int(ctx, 0);
  for (int i = 0; i < n && c == PF_EXPR_NONE; i++)
    if (row[i] != zero) c = pf_expr_div(ctx, force[i], row[i]);
  if (c == PF_EXPR_NONE) return c;
  if (pf_expr_depends(ctx, c, in->symbol + in->time, in->count - in->time)) return PF_EXPR_NONE;
  for (int i = 0; i < n; i++)
    if (pf_expr_sub(ctx, force[i], pf_expr_mul(ctx, c, row[i])) != zero) return PF_EXPR_NONE;
  return c;
}

/* The force of row r: of all modes that follow from it. */
static PfExpr force_of_row(const PfSwitchModes *s, int r, int i)
{
  const PfEquations *eq = pf_system_equations(s->system);
  PfExpr sum = pf_expr_int(s->ctx, 0);
  for (int k = 0; k < s->core.count; k++) {
    double load = s->core.sticks[k] ? s->core.load[k*s->core.count + r] : 0;
    if (load == 0) continue;
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, pf_expr_double(s->ctx, load),
                                               force_of_mode(s->ctx, eq, s->at[k].mode, i)));
  }
  return sum;
}

/* The factor of row r, and the size of the row with it. */
static PfStatus find_factor(PfSwitchModes *s, PfArena *arena, int r, PfExpr *factor, double *size)
{
  size_t n = (size_t)s->core.n;
  int k = s->core.row[r];
  PfExpr *e = pf_arena_array(arena, PfExpr, 2*n + 1);
  double *x = pf_arena_array(arena, double, 2*n + 1);
  if (!e || !x) return pf_no_room(s->ctx, "the switches");
  PF_TRY(pf_expr_gradient(s->ctx, s->at[k].surface, s->in->symbol + (s->degree[k] == 2 ? s->in->q : s->in->v),
                          s->core.n, e));
  for (size_t i = 0; i < n; i++) e[n + i] = force_of_row(s, r, (int)i);
  PfExpr common = common_factor(s->ctx, s->in, e, e + n, s->core.n);
  e[2*n] = common == PF_EXPR_NONE ? pf_expr_int(s->ctx, 0) : common;
  PF_TRY(pf_expr_check(s->ctx));
  memcpy(s->values + s->first, s->core.mode, (size_t)s->core.count*sizeof *s->core.mode);
  PF_TRY(pf_expr_evaluate(s->ctx, e, (int)(2*n + 1), s->in->symbol, s->values, s->in->count, x));
  double both = pf_dot(x, x + n, s->core.n), own = pf_dot(x, x, s->core.n), given = x[2*n];
  double measured = isfinite(both/own) && both != 0 ? both/own : 1;
  bool is_given = isfinite(given) && given != 0;
  *factor = is_given ? common : pf_expr_double(s->ctx, measured);
  *size = fabs(is_given ? given : measured)*pf_largest(x, s->core.n);
  return PF_OK;
}

/* Size of the constraints of the phase, to which the rows are compared: that of the largest one, 1 without any. */
static PfStatus size_of_constraints(const PfSwitchModes *s, PfArena *arena, double *size)
{
  const PfEquations *eq = pf_system_equations(s->system);
  double *A = pf_arena_array(arena, double, (size_t)eq->m*(size_t)eq->n);
  if (!A) return pf_no_room(s->ctx, "the switches");
  PF_TRY(pf_expr_evaluate(s->ctx, eq->A, eq->m*eq->n, s->in->symbol, s->values, s->in->count, A));
  *size = pf_largest(A, eq->m*eq->n);
  if (!(*size > 0 && isfinite(*size))) *size = 1;
  return PF_OK;
}

PfStatus pf_switch_modes_factor(PfSwitchModes *s, PfArena *arena, int r, PfExpr *factor)
{
  double size = 0, typical = 0;
  PF_TRY(find_factor(s, arena, r, factor, &size));
  PF_TRY(size_of_constraints(s, arena, &typical));
  const int power = pf_modes_row_scale(size, typical);
  if (!power) return PF_OK;
  for (int k = 0; k < s->core.count; k++) {
    double *load = s->core.load + k*s->core.count + r;
    *load = ldexp(*load, power);
  }
  return find_factor(s, arena, r, factor, &size);
}
