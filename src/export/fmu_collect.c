/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of an FMU, and at which surfaces its motion changes.
 *
 * Variables are listed in the order of their value references, which are the same in FMI 2.0 and 3.0. Surfaces are the
 * zeros at which the equations or the truth of a condition change: sides of switches, then comparisons in the
 * conditions of events and of the end. */
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

/* Appends a variable. Names are those of the model; one that is taken gets a number after it. */
static PfStatus add(Names *n, const char *name, PfFmuVariable variable)
{
  PfFmu *f = n->fmu;
  variable.name = name;
  for (int k = 2; variable.name && pf_map_get(&n->taken, variable.name, strlen(variable.name)); k++)
    variable.name = pf_export_print(f->x, "%s (%d)", name, k);
  if (!variable.name || f->variable_count == n->room ||
      !pf_map_set(&n->taken, variable.name, strlen(variable.name), (void *)(uintptr_t)variable.name))
    return pf_no_room(f->ctx, "the FMU");
  f->variables[f->variable_count++] = variable;
  return PF_OK;
}

/* Time, then parameters, then inputs with their starts. */
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

/* Does the model plot it? */
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
      const char *name = pf_export_print(x, "%s%s", x->coordinates.at[i].name, primes[k]);
      PfExpr symbol = x->symbols[(k == 2 ? x->at_a : x->at_q + k*x->n) + i];
      PfFmuVariable v = {.about = about[k], .measure = pf_coordinate_measure(x->model->coordinates + i, k),
                         .causality = k < 2 || is_output(x, symbol) ? PF_FMU_OUTPUT : PF_FMU_LOCAL, .is_state = k < 2,
                         .start = k < 2 ? x->start[x->at_q + k*x->n + i] : 0,
                         .derivative_of = k ? *at[k - 1] + i : -1};
      PF_TRY(add(n, name, v));
    }
  }
  return PF_OK;
}

/* lambda[name] for each constraint, in the unit of its force. */
static PfStatus add_multipliers(Names *n)
{
  PfFmu *f = n->fmu;
  const PfExport *x = f->x;
  f->at_lambda = f->variable_count;
  for (int i = 0; i < x->m; i++) {
    PfFmuVariable v = {.about = "multiplier of a constraint", .measure = x->constraints.at[i].measure,
                       .causality = is_output(x, x->symbols[x->at_lambda + i]) ? PF_FMU_OUTPUT : PF_FMU_LOCAL,
                       .derivative_of = -1};
    PF_TRY(add(n, pf_export_print(x, "lambda[%s]", x->constraints.at[i].name), v));
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

static PfStatus add_shown(Names *n, const char *name, const char *about, PfMeasure measure, PfFmuCausality causality,
                          PfExpr value)
{
  PfFmuVariable v = {.about = about, .measure = measure, .causality = causality, .derivative_of = -1, .value = value};
  /* An expression of a shown quantity in the symbols of the export, with the sides of surfaces, which give the
   * force in sticking contacts, in the place of signs. */
  const PfFmu *f = n->fmu;
  PF_TRY(pf_insert_inputs(f->ctx, f->x->model, &v.value, 1));
  PF_TRY(pf_switches_insert(f->ctx, f->arena, f->options->inputs->switches, &v.value, 1));
  PF_TRY(pf_export_expand(f->x, &v.value, 1));
  n->fmu->shown_count++;
  return add(n, name, v);
}

/* Outputs of the model, energies, definitions made of parameters. */
static PfStatus add_results(Names *n)
{
  PfFmu *f = n->fmu;
  const PfExport *x = f->x;
  f->at_shown = f->variable_count;
  for (int i = 0; i < x->outputs.count; i++)
    if (!is_symbol(x, x->output[i]))
      PF_TRY(add_shown(n, x->outputs.at[i].name, "output", x->outputs.at[i].measure, PF_FMU_OUTPUT, x->output[i]));
  /* Kinetic, potential and total energy, unless the model plots one under the same name. */
  static const char *const names[] = {"kinetic", "potential", "energy"};
  static const char *const about[] = {"kinetic energy", "potential energy", "kinetic and potential energy"};
  PfExpr energy[] = {x->equations->kinetic, x->equations->potential,
                     pf_expr_add(x->ctx, x->equations->kinetic, x->equations->potential)};
  for (int i = 0; i < 3; i++) {
    bool plotted = false; /* under the same name */
    for (int k = 0; k < x->outputs.count; k++)
      plotted = plotted || (x->output[k] == energy[i] && !strcmp(x->outputs.at[k].name, names[i]));
    if (!plotted) PF_TRY(add_shown(n, names[i], about[i], (PfMeasure){"J", 1}, PF_FMU_OUTPUT, energy[i]));
  }
  for (int i = 0; i < x->model->parameter_count; i++) {
    const PfParameter *p = x->model->parameters + i;
    if (p->derived && !p->hidden)
      PF_TRY(add_shown(n, p->name, "made of parameters", pf_model_measure(x->model, p->name), PF_FMU_CALCULATED,
                       p->symbol));
  }
  return PF_OK;
}

/* One for each surface whose instant is not known beforehand. */
static PfStatus add_indicators(Names *n)
{
  const PfFmuVariable v = {.about = "positive until something changes", .measure = {"", 1},
                           .causality = PF_FMU_LOCAL, .derivative_of = -1};
  PfFmu *f = n->fmu;
  f->at_indicator = f->variable_count;
  for (int i = 0; i < f->indicator_count; i++) PF_TRY(add(n, pf_export_print(f->x, "event indicator %d", i + 1), v));
  return PF_OK;
}

/* ---------------------------------------------------------------- surfaces */

/* Room for one more surface; the lists double. */
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

/* The degree of a surface: which derivative of g shows how the motion leaves it, as in time/modes.c. */
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
  s.by_forces = pf_expr_depends(f->ctx, s.g, x->symbols + x->at_a, x->n + x->m);
  s.by_time = !by_state && !s.by_forces;
  s.rate = pf_expr_int(f->ctx, 0);
  PF_TRY(pf_may_switch(f->ctx, f->arena, &s.g, 1, &s.jumps));
  if (!s.by_forces && (s.is_mode || !s.jumps)) PF_TRY(pf_surface_rate(f->ctx, f->arena, x->model, s.g, &s.rate));
  s.timed = !by_state && !s.jumps && pf_expr_depends(f->ctx, s.g, &t, 1) && !pf_expr_depends(f->ctx, s.rate, &t, 1);
  PF_TRY(measure(f, &s));
  if (!s.timed) f->indicator_count++;
  f->truths[f->surface_count] = PF_EXPR_NONE;
  f->surfaces[f->surface_count++] = s;
  return pf_expr_check(f->ctx);
}

/* Called for each comparison of a condition: the surface is where both sides are equal, and a symbol stands for its
 * truth. */
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

/* ---------------------------------------------------------------- the start */

static void add_condition(PfFmu *f, PfExpr value, PfExpr target, int speed, PfStartPriority priority)
{
  f->start_conditions[f->start_condition_count++] = (PfFmuStartCondition){value, target, speed, priority};
}

/* In the order of time/start_conditions.c. */
static PfStatus list_start_conditions(PfFmu *f)
{
  const PfModel *model = f->x->model;
  int room = 3*(model->ball_count + model->start_spin_count) + model->speed_count + 1;
  f->start_conditions = pf_arena_array(f->arena, PfFmuStartCondition, room);
  if (!f->start_conditions) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < 3*model->ball_count; i++) {
    const PfBall *ball = model->balls + i/3;
    if (ball->priority_w[i%3] != PF_START_OPEN)
      add_condition(f, ball->spin[i%3], ball->start_w[i%3], -1, ball->priority_w[i%3]);
  }
  for (int i = 0; i < 3*model->start_spin_count; i++) {
    const PfStartSpin *spin = model->start_spins + i/3;
    add_condition(f, spin->spin[i%3], spin->start[i%3], -1, spin->priority);
  }
  for (int i = 0; i < model->speed_count && f->x->equations->rate; i++) {
    const PfSpeed *speed = model->speeds + i;
    if (speed->start == PF_EXPR_NONE) continue;
    add_condition(f, PF_EXPR_NONE, PF_EXPR_NONE, i, speed->priority);
    f->start_speed_count = model->speed_count;
  }
  return PF_OK;
}

/* The entries of A that are not zero at all times, row by row. */
static PfStatus list_places(PfFmu *f)
{
  const PfEquations *eq = f->x->equations;
  const size_t n = (size_t)f->x->n, count = (size_t)f->x->m*n;
  const bool *sure = pf_sure_entries(f->ctx, f->arena, eq->A, count);
  const PfExpr zero = pf_expr_int(f->ctx, 0);
  f->places = pf_arena_array(f->arena, int, count);
  if (!sure || !f->places) return pf_no_room(f->ctx, "the FMU");
  for (size_t k = 0; k < count; k++)
    if (eq->A[k] != zero && eq->velocity[k/n] != PF_EXPR_NONE) f->places[f->place_count++] = 2*(int)k + sure[k];
  return PF_OK;
}

/* Surfaces of switches first, then those of conditions; variables last, since indicators are among them. */
PfStatus pf_fmu_collect(PfFmu *f)
{
  const PfStructure *s = f->options->inputs->structure;
  f->mode_count = f->options->inputs->switches->count;
  f->input_count = f->x->inputs.count - f->mode_count - (s ? s->flag_count + s->captured_count : 0);
  PF_TRY(grow(f));
  for (int k = 0; k < f->mode_count; k++)
    PF_TRY(add_surface(f, (PfFmuSurface){.g = f->options->inputs->switches->at[k].surface, .is_mode = true}));
  /* The conditions of the end and of the events. An event at an instant is one from that instant on. */
  f->event_count = s ? f->x->model->event_count : 0;
  f->conditions = pf_arena_array(f->arena, PfExpr, f->event_count + 1);
  if (!f->conditions) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i <= f->event_count; i++) {
    const PfEvent *event = i ? f->x->model->events + i - 1 : NULL;
    PfExpr e = event ? event->condition : f->options->until;
    if (event && event->time != PF_EXPR_NONE)
      e = pf_expr_call2(f->ctx, PF_OP_LESS_EQUAL, event->time, f->x->model->time);
    if (e == PF_EXPR_NONE) e = pf_expr_int(f->ctx, 0);
    PF_TRY(pf_equations_express(f->ctx, f->arena, f->x->plain, &e, 1));
    PF_TRY(pf_condition_read(f->ctx, e, add_comparison, f, f->conditions + i));
  }
  PF_TRY(list_places(f));
  PF_TRY(list_start_conditions(f));
  /* In the order of their value references: time, parameters, inputs, q, v, a, multipliers, results, indicators. */
  const PfExport *x = f->x;
  Names n = {.fmu = f, .room = 1 + x->parameters.count + x->inputs.count + 3*x->n + x->m + x->outputs.count + 3 +
                               x->model->parameter_count + f->indicator_count};
  f->variables = pf_arena_array(f->arena, PfFmuVariable, n.room);
  if (!f->variables) return pf_no_room(f->ctx, "the FMU");
  pf_map_init(&n.taken, pf_context_allocator(f->ctx));
  PfStatus status = add_given(&n);
  if (status == PF_OK) status = add_motion(&n);
  if (status == PF_OK) status = add_multipliers(&n);
  if (status == PF_OK) status = add_results(&n);
  if (status == PF_OK) status = add_indicators(&n);
  pf_map_free(&n.taken);
  return status;
}
