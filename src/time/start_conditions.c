/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of angular velocities and speeds, as functions of the velocities. */
#include "time/start_conditions.h"

#include "runtime/pf_speeds.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- making */

static int count_conditions(const PfModel *model)
{
  int count = 3*model->start_spin_count;
  for (int i = 0; i < model->ball_count; i++)
    for (int k = 0; k < 3; k++) count += model->balls[i].priority_w[k] != PF_START_OPEN;
  for (int i = 0; i < model->speed_count; i++) count += model->speeds[i].start != PF_EXPR_NONE;
  return count;
}

typedef struct Builder {
  PfContext *ctx;
  const PfSymbols *symbols;
  PfStartConditions *g;
  PfExpr *roots;
  int count;
} Builder;

static PfStatus add_function(Builder *b, const char *name, PfExpr value, PfExpr start, PfStartPriority priority,
                             PfPlace place)
{
  PfStartCondition *condition = b->g->condition + b->g->count++;
  *condition = (PfStartCondition){.name = name, .unit = "", .priority = priority, .place = place, .row = condition->row,
                                  .root = b->count};
  b->roots[b->count++] = value;
  b->roots[b->count++] = start;
  PF_TRY(pf_expr_gradient(b->ctx, value, b->symbols->symbol + b->symbols->v, b->g->n, b->roots + b->count));
  b->count += b->g->n;
  return PF_OK;
}

static PfStatus add_spins(Builder *b, const PfModel *model)
{
  for (int i = 0; i < model->ball_count; i++) {
    const PfBall *ball = model->balls + i;
    for (int k = 0; k < 3; k++)
      if (ball->priority_w[k] != PF_START_OPEN)
        PF_TRY(add_function(b, ball->spin_name[k], ball->spin[k], ball->start_w[k], ball->priority_w[k], ball->place));
  }
  for (int i = 0; i < 3*model->start_spin_count; i++) {
    const PfStartSpin *s = model->start_spins + i/3;
    PF_TRY(add_function(b, s->name[i%3], s->spin[i%3], s->start[i%3], s->priority, s->place));
  }
  return PF_OK;
}

/* A speed that is not mentioned has the value that the velocities give it, or none. */
static PfExpr target(const Builder *b, const PfSpeed *speed)
{
  if (speed->start != PF_EXPR_NONE) return speed->start;
  return speed->value != PF_EXPR_NONE ? speed->value : pf_expr_int(b->ctx, 0);
}

static PfStatus add_speeds(Builder *b, const PfModel *model, const PfExpr *rate, PfExpr *symbol)
{
  int ns = model->speed_count;
  b->g->at_speeds = b->count;
  for (int i = 0; i < ns; i++) {
    const PfSpeed *speed = model->speeds + i;
    symbol[i] = speed->symbol;
    if (speed->start == PF_EXPR_NONE) continue;
    PfStartCondition *condition = b->g->condition + b->g->count++;
    *condition = (PfStartCondition){.name = speed->name, .unit = speed->unit, .priority = speed->priority,
                                    .place = speed->place, .row = condition->row, .root = -1, .speed = i};
    b->g->speeds = ns;
  }
  if (!b->g->speeds) return PF_OK;
  for (int j = 0; j < b->g->n; j++) b->roots[b->count++] = rate[j];
  for (int j = 0; j < b->g->n; j++, b->count += ns)
    PF_TRY(pf_expr_gradient(b->ctx, rate[j], symbol, ns, b->roots + b->count));
  for (int i = 0; i < ns; i++) b->roots[b->count++] = target(b, model->speeds + i);
  return PF_OK;
}

PfStatus pf_start_conditions_make(PfContext *ctx, PfArena *arena, const PfSystem *system, PfStartConditions *g)
{
  const PfEquations *eq = pf_system_equations(system);
  const PfModel *model = eq->model;
  const PfSymbols *symbols = pf_system_symbols(system);
  size_t n = (size_t)eq->n, ns = (size_t)model->speed_count, count = (size_t)count_conditions(model),
         in = (size_t)symbols->count;
  *g = (PfStartConditions){.system = system, .n = eq->n};
  if (!count) return PF_OK;
  Builder b = {ctx, symbols, g, pf_arena_array(arena, PfExpr, count*(n + 2) + n*(ns + 1) + ns), 0};
  PfExpr *inputs = pf_arena_array(arena, PfExpr, in + ns);
  double *rows = pf_arena_array(arena, double, count*n);
  g->condition = pf_arena_array(arena, PfStartCondition, count);
  g->in = pf_arena_array(arena, double, in + ns);
  g->unit = pf_arena_array(arena, double, n);
  g->step = pf_arena_array(arena, double, ns);
  if (!b.roots || !inputs || !rows || !g->condition || !g->in || !g->unit || !g->step)
    return pf_no_room(ctx, "the start");
  for (size_t i = 0; i < count; i++) g->condition[i].row = rows + i*n;
  memcpy(inputs, symbols->symbol, in*sizeof *inputs);
  PF_TRY(add_spins(&b, model));
  PF_TRY(add_speeds(&b, model, eq->rate, inputs + in));
  PF_TRY(pf_tape_new(ctx, inputs, (int)(in + ns), b.roots, b.count, &g->tape));
  g->out = pf_arena_array(arena, double, b.count);
  g->work = pf_arena_array(arena, double, pf_tape_work_size(g->tape));
  if (!g->out || !g->work) return pf_no_room(ctx, "the start");
  return pf_qr_make(ctx, arena, eq->n, (int)ns, &g->qr);
}

void pf_start_conditions_release(PfStartConditions *g)
{
  pf_tape_free(g->tape);
  g->tape = NULL;
}

/* ---------------------------------------------------------------- numbers */

static double *speeds_of(const PfStartConditions *g)
{
  return g->in + pf_system_symbols(g->system)->count;
}

static void find_rates(void *user)
{
  PfStartConditions *g = user;
  pf_tape_run(g->tape, g->in, g->out, g->work);
}

/* The speeds that belong to the velocities, and their derivatives for each speed that is given. */
static void take_speeds(PfStartConditions *g)
{
  const double *rate = g->out + g->at_speeds, *target = rate + g->n*(1 + g->speeds);
  PfSpeeds s = {.user = g, .evaluate = find_rates, .n = g->n, .count = g->speeds, .speed = speeds_of(g), .rate = rate,
                .slope = rate + g->n, .velocity = g->in + pf_system_symbols(g->system)->v, .unit = g->unit,
                .step = g->step, .qr = &g->qr};
  pf_speeds_find(&s);
  for (int i = 0; i < g->count; i++)
    if (g->condition[i].root < 0)
      g->condition[i].value = speeds_of(g)[g->condition[i].speed],
          g->condition[i].target = target[g->condition[i].speed];
  for (int j = 0; j < g->n; j++) {
    pf_speeds_slope(&s, j);
    for (int i = 0; i < g->count; i++)
      if (g->condition[i].root < 0) g->condition[i].row[j] = g->step[g->condition[i].speed];
  }
}

void pf_start_conditions_evaluate(PfStartConditions *g, const double *values)
{
  const PfSymbols *in = pf_system_symbols(g->system);
  if (!g->count) return;
  memcpy(g->in, values, (size_t)in->count*sizeof *values);
  pf_tape_run(g->tape, g->in, g->out, g->work);
  for (int i = 0; i < g->count; i++) {
    PfStartCondition *condition = g->condition + i;
    if (condition->root < 0) continue;
    condition->value = g->out[condition->root];
    condition->target = g->out[condition->root + 1];
    memcpy(condition->row, g->out + condition->root + 2, (size_t)g->n*sizeof *condition->row);
  }
  if (g->speeds) take_speeds(g);
}

bool pf_start_conditions_rates(PfStartConditions *g, const double *values, double *v)
{
  if (!g->speeds) return false;
  memcpy(g->in, values, (size_t)pf_system_symbols(g->system)->count*sizeof *values);
  for (int pass = 0; pass < 2; pass++) { /* the targets first, then the rates that they give */
    pf_tape_run(g->tape, g->in, g->out, g->work);
    const double *rate = g->out + g->at_speeds, *target = rate + g->n*(1 + g->speeds);
    memcpy(speeds_of(g), target, (size_t)g->speeds*sizeof *target);
    memcpy(v, rate, (size_t)g->n*sizeof *v);
  }
  return true;
}

/* ---------------------------------------------------------------- singular places */

static PfStatus evaluate(PfContext *ctx, const PfStartConditions *g, const double *values, PfExpr e, double *number)
{
  const PfSymbols *in = pf_system_symbols(g->system);
  return pf_expr_evaluate(ctx, &e, 1, in->symbol, values, in->count, number);
}

static PfStatus singular(PfContext *ctx, const PfSpeed *speed, PfExpr e, const char *how)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const char *text = pf_expr_print(ctx, scratch, e, PF_TEXT);
  pf_fail_at(ctx, PF_ERR_MODEL, speed->place, "the start cannot be given by the speed '%s' at this place: %s %s",
             speed->name, text ? text : "it", how);
  pf_hint(ctx, "give velocities instead, start elsewhere, or choose speeds that are regular there");
  pf_arena_release(scratch, mark);
  return PF_ERR_MODEL;
}

/* A speed that rests gives no velocity, wherever it is. */
static bool grow_beyond_measure(PfStartConditions *g, const double *values, double *v)
{
  const double most = 1e7; /* velocities are about as large as speeds in usual places */
  if (!pf_start_conditions_rates(g, values, v)) return false;
  for (int j = 0; j < g->n; j++)
    if (!isfinite(v[j])) return true;
  return pf_largest(v, g->n) > most*pf_largest(speeds_of(g), g->speeds);
}

static PfStatus check_divisor(PfContext *ctx, PfStartConditions *g, const double *values, double *v)
{
  const PfModel *model = pf_system_equations(g->system)->model;
  double divisor;
  if (model->speed_divisor == PF_EXPR_NONE) return PF_OK;
  PF_TRY(evaluate(ctx, g, values, model->speed_divisor, &divisor));
  if (fabs(divisor) > 1e-10*fabs(model->speed_divisor_size) || !grow_beyond_measure(g, values, v)) return PF_OK;
  const PfSpeed *speed = model->speeds;
  while (speed->start == PF_EXPR_NONE) speed++;
  return singular(ctx, speed, model->speed_divisor, "vanishes, by which the velocities follow from it");
}

PfStatus pf_start_conditions_check_place(PfContext *ctx, PfStartConditions *g, const double *values, double *v)
{
  const PfModel *model = pf_system_equations(g->system)->model;
  if (!g->speeds) return PF_OK;
  for (int i = 0; i < model->speed_count; i++) {
    const PfSpeed *speed = model->speeds + i;
    double number;
    if (speed->start == PF_EXPR_NONE || speed->value == PF_EXPR_NONE) continue;
    PF_TRY(evaluate(ctx, g, values, speed->value, &number));
    if (!isfinite(number)) return singular(ctx, speed, speed->value, "is not finite");
  }
  return check_divisor(ctx, g, values, v);
}
