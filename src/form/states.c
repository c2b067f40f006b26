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

/* Everything lives in `arena`. Laconic equations that do not exist leave states->why_not. */
PfStatus pf_states_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                        PfStates *states)
{
  *states = (PfStates){.ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters};
  PfReducedForm form = {0};
  int diagnostics = pf_diagnostic_count(ctx);
  PfStatus status = pf_kinematics_find(ctx, arena, equations, &states->kinematics);
  if (status == PF_OK) status = pf_reduce_laconic(ctx, arena, equations, &states->kinematics, &form);
  if (pf_is_final(status) || status == PF_ERR_LIMIT) return status;
  states->laconic = status == PF_OK;
  if (!states->laconic) { /* the failure is the reason why there are no laconic equations */
    const char *message = pf_context_message(ctx);
    states->why_not = pf_arena_text(arena, message, strlen(message));
    pf_diagnostics_truncate(ctx, diagnostics);
    if (!states->why_not) return pf_no_room(ctx, "a proof");
  }
  /* M, F + C, A, b, then those of the laconic equations when there are any. */
  const PfEquations *eq = states->eq;
  const PfKinematics *k = &states->kinematics;
  size_t n = (size_t)eq->n, m = (size_t)eq->m, c = states->laconic ? (size_t)k->count : 0;
  size_t base = n*n + n + m*n + m, more = states->laconic ? c*c + c + n*c + n : 0;
  if (base + more > INT32_MAX/2)
    return pf_fail(states->ctx, PF_ERR_LIMIT, "a proof for %d coordinates is too large", eq->n);
  states->base_count = (int)base;
  states->count = (int)(base + more);
  PfExpr *at = states->roots = pf_arena_array(states->arena, PfExpr, base + more);
  if (!at) return pf_no_room(states->ctx, "a proof");
  at = append(at, eq->M, n*n);
  for (size_t i = 0; i < n; i++) *at++ = pf_expr_add(states->ctx, eq->F[i], eq->C[i]);
  at = append(at, eq->A, m*n);
  at = append(at, eq->b, m);
  if (!states->laconic) return pf_expr_check(states->ctx);
  at = append(at, form.G, c*c);
  at = append(at, form.g, c);
  at = append(at, k->N, n*c);
  append(at, k->drift, n);
  return pf_expr_check(states->ctx);
}

/* NULL without memory. */
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

/* Writes out the parameters: all that have a value in a state that is given, the later ones first, since they may
 * contain earlier ones; else those that are defined by others. */
static PfStatus write_out(const PfStates *s, int kind, PfExpr *e, int count)
{
  const PfModel *model = s->eq->model;
  if (!(kind & PF_STATES_GIVEN)) return pf_model_expand(model, e, count, e);
  for (int k = model->parameter_count; k-- > 0;) {
    int i = model->parameter_order[k];
    const PfParameter *p = model->parameters + i;
    bool given = s->parameters && !isnan(s->parameters[i]);
    PfExpr value = given ? pf_expr_shortest(s->ctx, s->parameters[i]) : p->value;
    if (value != PF_EXPR_NONE) PF_TRY(pf_expr_substitute(s->ctx, e, count, &p->symbol, &value, 1, e));
  }
  return PF_OK;
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

/* Solves e = 0 for a symbol: -rest/slope of e = slope*symbol + rest, or one of the two solutions of
 * e = second*symbol^2/2 + slope*symbol + rest. The divisor must not vanish. */
static bool solve_for(PfContext *ctx, PfExpr e, PfExpr symbol, Ease ease, PfExpr *value, PfExpr *divisor)
{
  if (!pf_expr_depends(ctx, e, &symbol, 1)) return false;
  PfExpr zero = pf_expr_int(ctx, 0), at_zero[2] = {e, pf_expr_diff(ctx, e, symbol)};
  PfExpr slope = at_zero[1], second = pf_expr_diff(ctx, slope, symbol);
  if (pf_expr_substitute(ctx, at_zero, 2, &symbol, &zero, 1, at_zero) != PF_OK) return false;
  bool linear = !pf_expr_depends(ctx, slope, &symbol, 1);
  if (linear && ease < QUADRATICALLY) {
    if (ease == WITH_CONSTANT_FACTOR && !pf_expr_is_number(ctx, slope, NULL)) return false;
    if (is_zero(ctx, slope)) return false;
    *divisor = slope;
    *value = pf_expr_neg(ctx, pf_expr_div(ctx, at_zero[0], slope));
    return *value != PF_EXPR_NONE;
  }
  if (linear || ease < QUADRATICALLY || pf_expr_depends(ctx, second, &symbol, 1) || is_zero(ctx, second)) return false;
  PfExpr product = pf_expr_mul(ctx, pf_expr_int(ctx, 2), pf_expr_mul(ctx, second, at_zero[0]));
  PfExpr root = pf_expr_sqrt(ctx, pf_expr_sub(ctx, pf_expr_pow_int(ctx, at_zero[1], 2), product));
  *divisor = second;
  *value = pf_expr_div(ctx, pf_expr_sub(ctx, root, at_zero[1]), second);
  return *value != PF_EXPR_NONE;
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
      pf_diagnostics_truncate(s->ctx, before); /* a try that divides by zero is one that does not solve it */
    }
  for (int i = eq->m; i-- > 0;)
    if (!done[i] && residuals[i] != PF_EXPR_NONE) *refused = eq->model->constraints[i].name;
  return PF_OK;
}

static PfExpr *velocity_symbols(const PfStates *s)
{
  const PfModel *model = s->eq->model;
  PfExpr *list = pf_arena_array(s->arena, PfExpr, model->coordinate_count);
  for (int i = 0; list && i < model->coordinate_count; i++) list[i] = model->coordinates[i].v;
  return list;
}

/* Coordinates, then parameters, are chosen so that the position constraints hold. Velocities are solved for only where
 * the model does not give them by pseudo-velocities: those that were chosen for general positions may divide by zero
 * here. */
static PfStatus solve_constraints(const PfStates *s, int kind, Solved *solved, const char **refused)
{
  const PfEquations *eq = s->eq;
  const PfModel *model = eq->model;
  size_t most = 2*(size_t)eq->m + 1;
  int q_count = 0;
  PfExpr *q = pf_arena_array(s->arena, PfExpr, model->coordinate_count + model->parameter_count);
  PfExpr *v = velocity_symbols(s);
  solved->symbol = pf_arena_array(s->arena, PfExpr, most);
  solved->value = pf_arena_array(s->arena, PfExpr, most);
  solved->divisor = pf_arena_array(s->arena, PfExpr, most);
  if (!q || !v || !solved->symbol || !solved->value || !solved->divisor) return pf_no_room(s->ctx, "a proof");
  for (int i = 0; i < model->coordinate_count; i++) q[q_count++] = model->coordinates[i].q;
  for (int i = 0; i < model->parameter_count; i++)
    if (!model->parameters[i].derived) q[q_count++] = model->parameters[i].symbol;
  PF_TRY(satisfy_all(s, kind, eq->position, q, q_count, solved, refused));
  bool speeds = s->laconic && !s->kinematics.chosen;
  if (*refused || speeds) return PF_OK;
  return satisfy_all(s, kind, eq->velocity, v, eq->n, solved, refused);
}

/* ---------------------------------------------------------------- all together */

/* Substitutes velocities by pseudo-velocities and solved symbols by their expressions, and writes out parameters and
 * inputs. */
static PfStatus write_roots(const PfStates *s, int kind, PfExpr *roots, int count, const Solved *solved)
{
  bool by_speeds = s->laconic && !(kind & PF_STATES_ON_POSITIONS && s->kinematics.chosen);
  PfExpr *v = velocity_symbols(s);
  if (!v) return pf_no_room(s->ctx, "a proof");
  if (by_speeds) PF_TRY(pf_expr_substitute(s->ctx, roots, count, v, s->kinematics.v, s->eq->n, roots));
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
  else pf_diagnostics_truncate(s->ctx, diagnostics);
  return PF_OK;
}
