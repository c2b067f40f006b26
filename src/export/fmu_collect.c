/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of an FMU, and at which surfaces its motion changes. */
#include "export/fmu_impl.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- variables */

typedef struct Names {
  PfFmu *fmu;
  PfMap taken;
  int room;
} Names;

/* Names are those of the model; one that is taken gets a number behind it. */
static PfStatus add(Names *n, const char *name, PfFmuVariable variable)
{
  PfFmu *f = n->fmu;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_text_add(&text, name);
  for (int k = 2; pf_map_get(&n->taken, pf_text_get(&text), text.count); k++) {
    text.count = 0;
    pf_text_print(&text, "%s (%d)", name, k);
  }
  char *own = text.failed ? NULL : pf_arena_text(f->arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  if (!own || f->variable_count == n->room || !pf_map_set(&n->taken, own, strlen(own), own))
    return pf_no_room(f->ctx, "the FMU");
  variable.name = own;
  f->variables[f->variable_count++] = variable;
  return PF_OK;
}

static const char *primed(PfFmu *f, const char *name, const char *primes)
{
  size_t length = strlen(name), more = strlen(primes);
  char *text = pf_arena_array(f->arena, char, length + more + 1);
  if (!text) return NULL;
  memcpy(text, name, length);
  memcpy(text + length, primes, more + 1);
  return text;
}

static PfStatus add_given(Names *n)
{
  PfFmu *f = n->fmu;
  const PfExport *x = f->x;
  const PfNamedList *lists[] = {&x->parameters, &x->inputs};
  PF_TRY(add(n, "time", (PfFmuVariable){.about = "time", .measure = {"s", 1}, .causality = PF_FMU_INDEPENDENT,
                                        .derivative_of = -1}));
  for (int k = 0; k < 2; k++) {
    if (k) f->at_input = f->variable_count;
    int count = k ? f->input_count : lists[k]->count;
    for (int i = 0; i < count; i++) {
      PfFmuVariable v = {.about = k ? "input" : "parameter", .measure = lists[k]->at[i].measure, .derivative_of = -1,
                         .causality = k ? PF_FMU_INPUT : PF_FMU_PARAMETER,
                         .start = x->start[(k ? x->at_inputs : 0) + i]};
      PF_TRY(add(n, lists[k]->at[i].name, v));
    }
  }
  return PF_OK;
}

static bool is_output(const PfExport *x, PfExpr e)
{
  for (int i = 0; i < x->outputs.count; i++)
    if (x->output[i] == e) return true;
  return false;
}

/* Coordinates, velocities, accelerations: each the derivative of the one before. */
static PfStatus add_motion(Names *n)
{
  static const char *const primes[] = {"", "'", "''"};
  static const char *const about[] = {"coordinate", "velocity", "acceleration"};
  PfFmu *f = n->fmu;
  const PfExport *x = f->x;
  int *const at[] = {&f->at_q, &f->at_v, &f->at_a};
  for (int k = 0; k < 3; k++) {
    *at[k] = f->variable_count;
    for (int i = 0; i < x->n; i++) {
      const char *name = primed(f, x->coordinates.at[i].name, primes[k]);
      PfExpr symbol = x->symbols[(k == 2 ? x->at_a : x->at_q + k*x->n) + i];
      PfFmuVariable v = {.about = about[k], .measure = pf_coordinate_measure(x->model->coordinates + i, k),
                         .causality = k < 2 || is_output(x, symbol) ? PF_FMU_OUTPUT : PF_FMU_LOCAL, .is_state = k < 2,
                         .start = k < 2 ? x->start[x->at_q + k*x->n + i] : 0,
                         .derivative_of = k ? *at[k - 1] + i : -1};
      if (!name) return pf_no_room(f->ctx, "the FMU");
      PF_TRY(add(n, name, v));
    }
  }
  return PF_OK;
}

static PfStatus add_multipliers(Names *n)
{
  PfFmu *f = n->fmu;
  const PfExport *x = f->x;
  f->at_lambda = f->variable_count;
  for (int i = 0; i < x->m; i++) {
    PfText name;
    pf_text_init(&name, pf_context_allocator(f->ctx));
    pf_text_print(&name, "lambda[%s]", x->constraints.at[i].name);
    PfFmuVariable v = {.about = "multiplier of a constraint", .measure = x->constraints.at[i].measure,
                       .causality = is_output(x, x->symbols[x->at_lambda + i]) ? PF_FMU_OUTPUT : PF_FMU_LOCAL,
                       .derivative_of = -1};
    PfStatus status = add(n, pf_text_get(&name), v);
    pf_text_free(&name);
    PF_TRY(status);
  }
  return PF_OK;
}

/* Is it a variable already: a coordinate, a velocity, an acceleration, a multiplier, an input, a parameter, time? */
static bool is_symbol(const PfExport *x, PfExpr e)
{
  for (int i = 0; i < x->symbol_count; i++)
    if (x->symbols[i] == e) return true;
  return false;
}

/* With the sides of surfaces, which tell the force of what sticks, in the place of signs. */
static PfStatus express(const PfFmu *f, PfExpr *e)
{
  PF_TRY(pf_insert_inputs(f->ctx, f->x->model, e, 1));
  PF_TRY(pf_switches_insert(f->ctx, f->arena, f->options->inputs->sides, e, 1));
  return pf_export_expand(f->x, e, 1);
}

static PfStatus add_shown(Names *n, const char *name, const char *about, PfMeasure measure, PfFmuCausality causality,
                          PfExpr value)
{
  PfFmuVariable v = {.about = about, .measure = measure, .causality = causality, .derivative_of = -1, .value = value};
  PF_TRY(express(n->fmu, &v.value));
  n->fmu->shown_count++;
  return add(n, name, v);
}

static bool is_plotted_as(const PfExport *x, const char *name, PfExpr e)
{
  for (int i = 0; i < x->outputs.count; i++)
    if (x->output[i] == e && !strcmp(x->outputs.at[i].name, name)) return true;
  return false;
}

static PfStatus add_energies(Names *n)
{
  static const char *const names[] = {"kinetic", "potential", "energy"};
  static const char *const about[] = {"kinetic energy", "potential energy", "kinetic and potential energy"};
  const PfExport *x = n->fmu->x;
  PfExpr energy[] = {x->equations->kinetic, x->equations->potential,
                     pf_expr_add(x->ctx, x->equations->kinetic, x->equations->potential)};
  for (int i = 0; i < 3; i++)
    if (!is_plotted_as(x, names[i], energy[i]))
      PF_TRY(add_shown(n, names[i], about[i], (PfMeasure){"J", 1}, PF_FMU_OUTPUT, energy[i]));
  return PF_OK;
}

/* What the model plots, energies, definitions made of parameters. */
static PfStatus add_results(Names *n)
{
  PfFmu *f = n->fmu;
  const PfExport *x = f->x;
  f->at_shown = f->variable_count;
  for (int i = 0; i < x->outputs.count; i++)
    if (!is_symbol(x, x->output[i]))
      PF_TRY(add_shown(n, x->outputs.at[i].name, "output", x->outputs.at[i].measure, PF_FMU_OUTPUT, x->output[i]));
  PF_TRY(add_energies(n));
  for (int i = 0; i < x->model->parameter_count; i++) {
    const PfParameter *p = x->model->parameters + i;
    if (p->derived && !p->hidden)
      PF_TRY(add_shown(n, p->name, "made of parameters", pf_model_measure(x->model, p->name), PF_FMU_CALCULATED,
                       p->symbol));
  }
  return PF_OK;
}

static PfStatus add_indicators(Names *n)
{
  PfFmu *f = n->fmu;
  char name[32];
  f->at_indicator = f->variable_count;
  for (int i = 0; i < f->indicator_count; i++) {
    snprintf(name, sizeof name, "event indicator %d", i + 1);
    PF_TRY(add(n, name, (PfFmuVariable){.about = "positive until something changes", .measure = {"", 1},
                                        .causality = PF_FMU_LOCAL, .derivative_of = -1}));
  }
  return PF_OK;
}

static PfStatus add_all(Names *n)
{
  PF_TRY(add_given(n));
  PF_TRY(add_motion(n));
  PF_TRY(add_multipliers(n));
  PF_TRY(add_results(n));
  return add_indicators(n);
}

static PfStatus list_variables(PfFmu *f)
{
  const PfExport *x = f->x;
  Names n = {.fmu = f, .room = 1 + x->parameters.count + x->inputs.count + 3*x->n + x->m + x->outputs.count + 3 +
                               x->model->parameter_count + f->indicator_count};
  f->variables = pf_arena_array(f->arena, PfFmuVariable, n.room);
  if (!f->variables) return pf_no_room(f->ctx, "the FMU");
  pf_map_init(&n.taken, pf_context_allocator(f->ctx));
  PfStatus status = add_all(&n);
  pf_map_free(&n.taken);
  return status;
}

/* ---------------------------------------------------------------- surfaces */

static PfStatus grow(PfFmu *f)
{
  if (f->surface_count < f->surface_room) return PF_OK;
  int room = f->surface_room ? 2*f->surface_room : 8;
  PfFmuSurface *surfaces = pf_arena_array(f->arena, PfFmuSurface, room);
  PfExpr *truths = pf_arena_array(f->arena, PfExpr, room);
  if (!surfaces || !truths) return pf_no_room(f->ctx, "the FMU");
  if (f->surface_count) memcpy(surfaces, f->surfaces, (size_t)f->surface_count*sizeof *surfaces);
  if (f->surface_count) memcpy(truths, f->truths, (size_t)f->surface_count*sizeof *truths);
  f->surfaces = surfaces, f->truths = truths, f->surface_room = room;
  return PF_OK;
}

/* What tells how the motion leaves the surface, as in time/sides.c. */
static PfStatus measure(PfFmu *f, PfFmuSurface *s)
{
  const PfExport *x = f->x;
  PF_TRY(pf_surface_sizes(f->ctx, f->arena, s->g, x->symbols + x->at_q, 2*x->n, &s->size, &s->slope));
  bool moves = pf_expr_depends(f->ctx, s->g, x->symbols + x->at_q, 2*x->n);
  s->degree = !moves ? 0 : pf_expr_depends(f->ctx, s->rate, x->symbols + x->at_a, x->n) ? 1 : 2;
  s->second = pf_expr_int(f->ctx, 0);
  return s->degree == 2 ? pf_surface_rate(f->ctx, f->arena, x->model, s->rate, &s->second) : PF_OK;
}

/* Its rate is known when no forces of constraints are in it, and no accelerations. With the sides held, what switches
 * is smooth. */
static PfStatus add_surface(PfFmu *f, PfFmuSurface s)
{
  const PfExport *x = f->x;
  PfExpr t = x->symbols[x->at_time];
  PF_TRY(grow(f));
  PF_TRY(pf_export_expand(x, &s.g, 1));
  bool by_state = pf_expr_depends(f->ctx, s.g, x->symbols + x->at_inputs, x->symbol_count - x->at_inputs);
  bool by_forces = pf_expr_depends(f->ctx, s.g, x->symbols + x->at_a, x->n + x->m), jumps;
  s.rate = pf_expr_int(f->ctx, 0);
  PF_TRY(pf_may_switch(f->ctx, f->arena, &s.g, 1, &jumps));
  if (!by_forces && (s.is_side || !jumps)) PF_TRY(pf_surface_rate(f->ctx, f->arena, x->model, s.g, &s.rate));
  s.timed = !by_state && !jumps && pf_expr_depends(f->ctx, s.g, &t, 1) && !pf_expr_depends(f->ctx, s.rate, &t, 1);
  PF_TRY(measure(f, &s));
  if (!s.timed) f->indicator_count++;
  f->truths[f->surface_count] = PF_EXPR_NONE;
  f->surfaces[f->surface_count++] = s;
  return pf_expr_check(f->ctx);
}

static PfStatus add_comparison(void *user, PfExpr g, PfOp op, PfExpr *truth)
{
  PfFmu *f = user;
  char name[40];
  snprintf(name, sizeof name, "truth of %d", f->surface_count + 1); /* with a blank: nobody else has such a name */
  *truth = pf_expr_symbol(f->ctx, name);
  PF_TRY(add_surface(f, (PfFmuSurface){.g = g, .equal = op == PF_OP_EQUAL, .or_equal = op == PF_OP_LESS_EQUAL}));
  f->truths[f->surface_count - 1] = *truth;
  return PF_OK;
}

/* An event at an instant is one from that instant on. */
static PfExpr condition_of(PfFmu *f, const PfEvent *event)
{
  if (event->time == PF_EXPR_NONE) return event->condition;
  return pf_expr_call2(f->ctx, PF_OP_LESS_EQUAL, event->time, f->x->model->time);
}

/* The end, then the events. */
static PfStatus list_conditions(PfFmu *f)
{
  const PfStructure *s = f->options->inputs->structure;
  f->event_count = s ? f->x->model->event_count : 0;
  f->conditions = pf_arena_array(f->arena, PfExpr, f->event_count + 1);
  if (!f->conditions) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i <= f->event_count; i++) {
    PfExpr e = i ? condition_of(f, f->x->model->events + i - 1) : f->options->until;
    if (e == PF_EXPR_NONE) e = pf_expr_int(f->ctx, 0);
    PF_TRY(pf_equations_express(f->ctx, f->arena, f->x->plain, &e, 1));
    PF_TRY(pf_condition_read(f->ctx, e, add_comparison, f, f->conditions + i));
  }
  return PF_OK;
}

static PfStatus list_surfaces(PfFmu *f)
{
  const PfSwitches *sides = f->options->inputs->sides;
  PF_TRY(grow(f));
  for (int k = 0; k < f->side_count; k++)
    PF_TRY(add_surface(f, (PfFmuSurface){.g = sides->at[k].surface, .is_side = true}));
  return list_conditions(f);
}

/* ---------------------------------------------------------------- what the start gives beside q and v */

static void add_goal(PfFmu *f, PfExpr value, PfExpr start, PfFirmness firm)
{
  f->goal_firm[f->goal_count] = firm;
  f->goals[f->goal_count++] = pf_expr_sub(f->ctx, value, start);
}

/* Speeds by which the rates are given, rather than the other way round, are starts of velocities (fmu_source.c). */
static PfStatus list_goals(PfFmu *f)
{
  const PfModel *model = f->x->model;
  int room = 3*(model->ball_count + model->start_spin_count) + model->speed_count + 1;
  f->goals = pf_arena_array(f->arena, PfExpr, room);
  f->goal_firm = pf_arena_array(f->arena, PfFirmness, room);
  if (!f->goals || !f->goal_firm) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < 3*model->ball_count; i++) {
    const PfBall *ball = model->balls + i/3;
    if (ball->firm_w[i%3] != PF_START_OPEN) add_goal(f, ball->spin[i%3], ball->start_w[i%3], ball->firm_w[i%3]);
  }
  for (int i = 0; i < 3*model->start_spin_count; i++) {
    const PfStartSpin *spin = model->start_spins + i/3;
    add_goal(f, spin->spin[i%3], spin->start[i%3], spin->firm);
  }
  for (int i = 0; i < model->speed_count; i++) {
    const PfSpeed *speed = model->speeds + i;
    if (speed->start != PF_EXPR_NONE && speed->value != PF_EXPR_NONE)
      add_goal(f, speed->value, speed->start, speed->firm);
  }
  PF_TRY(pf_expr_check(f->ctx));
  return pf_export_expand(f->x, f->goals, f->goal_count);
}

PfStatus pf_fmu_collect(PfFmu *f)
{
  const PfStructure *s = f->options->inputs->structure;
  f->side_count = f->options->inputs->sides->count;
  f->input_count = f->x->inputs.count - f->side_count - (s ? s->flag_count + s->captured_count : 0);
  PF_TRY(list_surfaces(f));
  PF_TRY(list_goals(f));
  return list_variables(f);
}
