/* SPDX-License-Identifier: Apache-2.0 */
/* Admissible states for a proof: everything that is evaluated, in terms of symbols that can be chosen at
 * random. */
#include "form/prove.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- what is evaluated */

static PfExpr *append(PfExpr *at, const PfExpr *list, size_t count)
{
  if (count) memcpy(at, list, count*sizeof *at);
  return at + count;
}

/* The failure of an attempt becomes the reason why there are no laconic equations. */
static PfStatus forgive(PfStates *s, PfStatus status, int diagnostics)
{
  if (status == PF_OK || pf_is_final(status) || status == PF_ERR_LIMIT) return status;
  const char *message = pf_context_message(s->ctx);
  s->why_not = pf_arena_text(s->arena, message, strlen(message));
  pf_diagnostics_cut(s->ctx, diagnostics);
  return s->why_not ? PF_OK : pf_no_room(s->ctx, "a proof");
}

static PfStatus derive_laconic(PfStates *s, PfReducedForm *form)
{
  PF_TRY(pf_kinematics_find(s->ctx, s->arena, s->eq, &s->kinematics));
  return pf_reduce_laconic(s->ctx, s->arena, s->eq, &s->kinematics, form);
}

static PfStatus list_roots(PfStates *s, const PfReducedForm *form)
{
  const PfEquations *eq = s->eq;
  const PfKinematics *k = &s->kinematics;
  size_t n = (size_t)eq->n, m = (size_t)eq->m, c = s->laconic ? (size_t)k->count : 0;
  size_t base = n*n + n + m*n + m, more = s->laconic ? c*c + c + n*c + n : 0;
  if (base + more > INT32_MAX/2)
    return pf_fail(s->ctx, PF_ERR_LIMIT, "a proof for %d coordinates is too large", eq->n);
  s->base_count = (int)base;
  s->count = (int)(base + more);
  PfExpr *at = s->roots = pf_arena_array(s->arena, PfExpr, base + more);
  if (!at) return pf_no_room(s->ctx, "a proof");
  at = append(at, eq->M, n*n);
  for (size_t i = 0; i < n; i++) *at++ = pf_expr_add(s->ctx, eq->F[i], eq->C[i]);
  at = append(at, eq->A, m*n);
  at = append(at, eq->b, m);
  if (!s->laconic) return pf_expr_check(s->ctx);
  at = append(at, form->G, c*c);
  at = append(at, form->g, c);
  at = append(at, k->N, n*c);
  append(at, k->drift, n);
  return pf_expr_check(s->ctx);
}

PfStatus pf_states_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                        PfStates *states)
{
  *states = (PfStates){.ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters};
  PfReducedForm form = {0};
  int diagnostics = pf_diagnostic_count(ctx);
  PF_TRY(forgive(states, derive_laconic(states, &form), diagnostics));
  states->laconic = !states->why_not;
  return list_roots(states, &form);
}

const char *pf_states_place(const PfStates *s, PfArena *arena, int root)
{
  int n = s->eq->n, m = s->eq->m;
  const PfModel *model = s->eq->model;
  char text[512];
  int rest = root - n*n - n;
  if (root < n*n) snprintf(text, sizeof text, "the equation of '%s'", model->coordinates[root/n].name);
  else if (rest < 0) snprintf(text, sizeof text, "the equation of '%s'", model->coordinates[root - n*n].name);
  else if (rest < m*n) snprintf(text, sizeof text, "the constraint '%s'", model->constraints[rest/n].name);
  else if (rest < m*n + m) snprintf(text, sizeof text, "the constraint '%s'", model->constraints[rest - m*n].name);
  else snprintf(text, sizeof text, "the laconic equations");
  return pf_arena_text(arena, text, strlen(text));
}

/* ---------------------------------------------------------------- parameters */

/* All parameters that have a value, the later ones first: they may contain earlier ones. */
static PfStatus put_values(const PfStates *s, PfExpr *e, int count)
{
  const PfModel *model = s->eq->model;
  for (int k = model->parameter_count; k-- > 0;) {
    int i = model->parameter_order[k];
    const PfParameter *p = model->parameters + i;
    bool given = s->parameters && !isnan(s->parameters[i]);
    PfExpr value = given ? pf_expr_shortest(s->ctx, s->parameters[i]) : p->value;
    if (value != PF_EXPR_NONE) PF_TRY(pf_expr_substitute(s->ctx, e, count, &p->symbol, &value, 1, e));
  }
  return PF_OK;
}

static PfStatus write_out(const PfStates *s, int kind, PfExpr *e, int count)
{
  if (kind & PF_STATES_GIVEN) return put_values(s, e, count);
  return pf_model_expand(s->eq->model, e, count, e);
}

/* ---------------------------------------------------------------- constraints that are solved */

/* symbol[i] is value[i], in this order: values may contain symbols that come later. divisor[i] must not
 * vanish. */
typedef struct Solved {
  int count;
  PfExpr *symbol, *value, *divisor;
} Solved;

/* How a symbol may enter a constraint that is solved for it. */
typedef enum Ease { WITH_CONSTANT_FACTOR, LINEARLY, QUADRATICALLY, EASE_COUNT } Ease;

static PfStatus put_solved(const PfStates *s, const Solved *solved, PfExpr *e, int count)
{
  for (int i = 0; i < solved->count; i++)
    PF_TRY(pf_expr_substitute(s->ctx, e, count, solved->symbol + i, solved->value + i, 1, e));
  return PF_OK;
}

static bool is_zero(PfContext *ctx, PfExpr e)
{
  return pf_expr_is_probably_zero(ctx, e, 2) == PF_TRUE;
}

/* e = factor*symbol + rest, then symbol = -rest/factor. */
static bool solve_linear(PfContext *ctx, PfExpr rest, PfExpr factor, PfExpr *value, PfExpr *divisor)
{
  *divisor = factor;
  *value = pf_expr_neg(ctx, pf_expr_div(ctx, rest, factor));
  return *value != PF_EXPR_NONE;
}

/* e = half*symbol^2/2 + slope*symbol + rest: one of the two solutions. */
static bool solve_quadratic(PfContext *ctx, PfExpr rest, PfExpr slope, PfExpr half, PfExpr *value, PfExpr *divisor)
{
  PfExpr product = pf_expr_mul(ctx, pf_expr_int(ctx, 2), pf_expr_mul(ctx, half, rest));
  PfExpr root = pf_expr_sqrt(ctx, pf_expr_sub(ctx, pf_expr_pow_int(ctx, slope, 2), product));
  *divisor = half;
  *value = pf_expr_div(ctx, pf_expr_sub(ctx, root, slope), half);
  return *value != PF_EXPR_NONE;
}

static bool solve_for(PfContext *ctx, PfExpr e, PfExpr symbol, Ease ease, PfExpr *value, PfExpr *divisor)
{
  if (!pf_expr_depends(ctx, e, &symbol, 1)) return false;
  PfExpr zero = pf_expr_int(ctx, 0), at_zero[2] = {e, pf_expr_diff(ctx, e, symbol)};
  PfExpr slope = at_zero[1], second = pf_expr_diff(ctx, slope, symbol);
  if (pf_expr_substitute(ctx, at_zero, 2, &symbol, &zero, 1, at_zero) != PF_OK) return false;
  bool linear = !pf_expr_depends(ctx, slope, &symbol, 1);
  if (linear && ease < QUADRATICALLY) {
    if (ease == WITH_CONSTANT_FACTOR && !pf_expr_is_number(ctx, slope, NULL)) return false;
    return !is_zero(ctx, slope) && solve_linear(ctx, at_zero[0], slope, value, divisor);
  }
  if (linear || ease < QUADRATICALLY || pf_expr_depends(ctx, second, &symbol, 1) || is_zero(ctx, second)) return false;
  return solve_quadratic(ctx, at_zero[0], at_zero[1], second, value, divisor);
}

/* Has what is solved last made the divisor of an earlier one vanish? */
static bool spoils(const PfStates *s, const Solved *solved)
{
  for (int i = 0; i + 1 < solved->count; i++) {
    PfExpr divisor = solved->divisor[i];
    if (pf_expr_is_number(s->ctx, divisor, NULL)) continue;
    if (put_solved(s, solved, &divisor, 1) != PF_OK || is_zero(s->ctx, divisor)) return true;
  }
  return false;
}

/* Solves one more residual for one of the symbols; true also when it follows from those before. */
static bool satisfy(const PfStates *s, PfExpr residual, const PfExpr *symbols, int count, Ease ease, Solved *solved)
{
  if (put_solved(s, solved, &residual, 1) != PF_OK) return false;
  if (is_zero(s->ctx, residual)) return true;
  for (int i = 0; i < count; i++) {
    int k = solved->count;
    if (!solve_for(s->ctx, residual, symbols[i], ease, solved->value + k, solved->divisor + k)) continue;
    solved->symbol[solved->count++] = symbols[i];
    if (!spoils(s, solved)) return true;
    solved->count--;
  }
  return false;
}

/* The easiest first, whatever the order in which they were written. */
static PfStatus satisfy_all(const PfStates *s, int kind, const PfExpr *residuals, const PfExpr *symbols, int count,
                            Solved *solved, const char **refused)
{
  const PfEquations *eq = s->eq;
  bool *done = pf_arena_array(s->arena, bool, eq->m);
  if (!done) return pf_no_room(s->ctx, "a proof");
  for (int ease = 0; ease < EASE_COUNT; ease++)
    for (int i = 0; i < eq->m; i++) {
      PfExpr residual = residuals[i];
      if (done[i] || residual == PF_EXPR_NONE) continue;
      PF_TRY(write_out(s, kind, &residual, 1));
      int before = pf_diagnostic_count(s->ctx);
      done[i] = satisfy(s, residual, symbols, count, (Ease)ease, solved);
      PfStatus status = pf_expr_check(s->ctx);
      if (pf_is_final(status)) return status;
      pf_diagnostics_cut(s->ctx, before); /* a try that divides by zero is one that does not solve it */
    }
  for (int i = eq->m; i-- > 0;)
    if (!done[i] && residuals[i] != PF_EXPR_NONE) *refused = eq->model->constraints[i].name;
  return PF_OK;
}

/* Coordinates, then parameters: both can be chosen so that the position constraints hold. */
static PfExpr *position_symbols(const PfStates *s, int *count)
{
  const PfModel *model = s->eq->model;
  PfExpr *list = pf_arena_array(s->arena, PfExpr, model->coordinate_count + model->parameter_count);
  *count = 0;
  for (int i = 0; list && i < model->coordinate_count; i++) list[(*count)++] = model->coordinates[i].q;
  for (int i = 0; list && i < model->parameter_count; i++)
    if (!model->parameters[i].derived) list[(*count)++] = model->parameters[i].symbol;
  return list;
}

static PfExpr *velocity_symbols(const PfStates *s)
{
  const PfModel *model = s->eq->model;
  PfExpr *list = pf_arena_array(s->arena, PfExpr, model->coordinate_count);
  for (int i = 0; list && i < model->coordinate_count; i++) list[i] = model->coordinates[i].v;
  return list;
}

/* Velocities are solved for only when nobody has given them by pseudo-velocities: those that were chosen
 * for general positions may divide by zero here. */
static PfStatus solve_constraints(const PfStates *s, int kind, Solved *solved, const char **refused)
{
  const PfEquations *eq = s->eq;
  size_t most = 2*(size_t)eq->m + 1;
  int q_count;
  PfExpr *q = position_symbols(s, &q_count), *v = velocity_symbols(s);
  solved->symbol = pf_arena_array(s->arena, PfExpr, most);
  solved->value = pf_arena_array(s->arena, PfExpr, most);
  solved->divisor = pf_arena_array(s->arena, PfExpr, most);
  if (!q || !v || !solved->symbol || !solved->value || !solved->divisor) return pf_no_room(s->ctx, "a proof");
  PF_TRY(satisfy_all(s, kind, eq->position, q, q_count, solved, refused));
  bool speeds = s->laconic && !s->kinematics.chosen;
  if (*refused || speeds) return PF_OK;
  return satisfy_all(s, kind, eq->velocity, v, eq->n, solved, refused);
}

/* ---------------------------------------------------------------- all together */

static PfStatus put_speeds(const PfStates *s, PfExpr *roots, int count)
{
  PfExpr *v = velocity_symbols(s);
  if (!v) return pf_no_room(s->ctx, "a proof");
  return pf_expr_substitute(s->ctx, roots, count, v, s->kinematics.v, s->eq->n, roots);
}

static PfStatus write_roots(const PfStates *s, int kind, PfExpr *roots, int count, const Solved *solved)
{
  bool by_speeds = s->laconic && !(kind & PF_STATES_ON_POSITIONS && s->kinematics.chosen);
  if (by_speeds) PF_TRY(put_speeds(s, roots, count));
  PF_TRY(write_out(s, kind, roots, count));
  PF_TRY(put_solved(s, solved, roots, count));
  return pf_expr_check(s->ctx);
}

/* The laconic equations may divide by what is zero in the states asked for: then they are left out. */
PfStatus pf_states_write(const PfStates *s, int kind, PfExpr *roots, int *count, const char **refused)
{
  Solved solved = {0};
  *refused = NULL;
  *count = s->base_count;
  append(roots, s->roots, (size_t)s->count);
  if (kind & PF_STATES_ON_POSITIONS) PF_TRY(solve_constraints(s, kind, &solved, refused));
  PF_TRY(write_roots(s, kind, roots, s->base_count, &solved));
  int diagnostics = pf_diagnostic_count(s->ctx);
  PfStatus status = write_roots(s, kind, roots + s->base_count, s->count - s->base_count, &solved);
  if (pf_is_final(status) || status == PF_ERR_LIMIT) return status;
  if (status == PF_OK) *count = s->count;
  else pf_diagnostics_cut(s->ctx, diagnostics);
  return PF_OK;
}
