/* SPDX-License-Identifier: Apache-2.0 */
/* What is set before the start, and the start. */
#include "sim/settings.h"
#include "sim/sim_impl.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

static int find_input(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->input_count; i++)
    if (!strcmp(model->inputs[i].name, name)) return i;
  return -1;
}

static PfStatus unknown(PfSim *sim, const char *name)
{
  const PfModel *model = sim->model;
  const char *nearest = NULL;
  int best = 0;
  pf_fail(sim->ctx, PF_ERR_NAME, "the model has no parameter, coordinate, velocity, speed or input '%s'", name);
  for (int i = 0; i < model->parameter_count; i++)
    if (!model->parameters[i].derived && pf_name_is_nearer(name, model->parameters[i].name, &best))
      nearest = model->parameters[i].name;
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_name_is_nearer(name, model->coordinates[i].name, &best)) nearest = model->coordinates[i].name;
  for (int i = 0; i < model->speed_count; i++)
    if (pf_name_is_nearer(name, model->speeds[i].name, &best)) nearest = model->speeds[i].name;
  for (int i = 0; i < model->input_count; i++)
    if (pf_name_is_nearer(name, model->inputs[i].name, &best)) nearest = model->inputs[i].name;
  if (nearest) pf_hint(sim->ctx, "did you mean '%s'?", nearest);
  return PF_ERR_NAME;
}

/* ---------------------------------------------------------------- setting */

static PfStatus set_input(PfSim *sim, int i, double value)
{
  const PfInput *input = sim->model->inputs + i;
  if (input->value != PF_EXPR_NONE) {
    pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the input '%s' is a function of time in the model", input->name);
    pf_hint(sim->ctx, "leave '= …' out of its declaration to set it from outside");
    return PF_ERR_ARGUMENT;
  }
  sim->input[i] = value;
  if (!sim->motion) return PF_OK;
  pf_phases_set_input(sim->motion, i, value);
  sim->looked = false;
  return PF_OK;
}

static PfStatus set_start(PfSim *sim, const char *name, double value)
{
  if (!pf_model_set_start(sim->model, name, value)) return unknown(sim, name);
  for (size_t i = 0; i < sim->starts.count; i++) /* again and again, as in a sweep: nothing grows */
    if (!strcmp(sim->starts.at[i].name, name)) {
      sim->starts.at[i].value = value;
      return PF_OK;
    }
  char *kept = pf_arena_text(sim->arena, name, strlen(name));
  bool good = kept && pf_push(pf_context_allocator(sim->ctx), &sim->starts, (PfSetStart){kept, value});
  return good ? PF_OK : pf_no_room(sim->ctx, "the start");
}

static PfStatus set(PfSim *sim, const char *name, double value)
{
  if (!name) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no name of what is to be set");
  int parameter = pf_model_find_parameter(sim->model, name), input = find_input(sim->model, name);
  if (!isfinite(value)) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is set to a number that is not finite", name);
  sim->placed = false;
  if (input >= 0) return set_input(sim, input, value);
  if (parameter >= 0 && !sim->model->parameters[parameter].derived) sim->given[parameter] = value;
  else if (!strcmp(name, "t")) sim->start_time = value;
  else return set_start(sim, name, value);
  return PF_OK;
}

bool pf_sim_set(PfSim *sim, const char *name, double value)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, set(sim, name, value), before);
}

static PfStatus set_text(PfSim *sim, const char *name, const char *value)
{
  double number;
  if (!name || !value) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no name or no value of what is to be set");
  PF_TRY(pf_constant_read(sim->ctx, value, pf_model_measure(sim->model, name).unit, &number));
  return set(sim, name, number);
}

bool pf_sim_set_text(PfSim *sim, const char *name, const char *value)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, set_text(sim, name, value), before);
}

PfStatus pf_sim_copy_start(const PfSim *from, PfSim *to)
{
  for (size_t i = 0; i < from->starts.count; i++)
    PF_TRY(set_start(to, from->starts.at[i].name, from->starts.at[i].value));
  return PF_OK;
}

/* ---------------------------------------------------------------- how it moves */

PfRunOptions pf_sim_options(const PfSim *sim)
{
  return sim->options;
}

/* The names become those of the library itself: texts of the caller need not outlive the call. */
static PfStatus find_names(PfContext *ctx, PfRunOptions *o)
{
  const PfMethod *method = o->method ? pf_method_find(o->method) : NULL;
  const PfFormulation *formulation = o->formulation ? pf_formulation_find(o->formulation) : NULL;
  if (o->method && !method) return pf_method_unknown(ctx, o->method);
  if (o->formulation && !formulation) return pf_formulation_unknown(ctx, o->formulation);
  if (method) o->method = pf_method_name(method);
  if (formulation) o->formulation = pf_formulation_name(formulation);
  return PF_OK;
}

/* An outline has no events: it is the complete system too. */
static void take_system(PfSim *sim, PfSystem *system)
{
  if (sim->outline) sim->system = sim->complete_system = system;
}

/* By the system that suits the options; what does not move without formulas may do so with them. */
static PfStatus change_motion(PfSim *sim, const PfRunOptions *options)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfSystem *system;
  PF_TRY(pf_sim_system_for(sim, options, &system));
  PfStatus status = pf_phases_set_options(sim->motion, system, options);
  if (status != PF_OK && sim->outline == system && sim->system != system) {
    pf_diagnostics_cut(sim->ctx, before);
    system = sim->system;
    status = pf_phases_set_options(sim->motion, system, options);
  }
  if (status == PF_OK) take_system(sim, system);
  return status;
}

/* In motion the method begins anew where it is; otherwise at the next start. */
static PfStatus take_options(PfSim *sim, const PfRunOptions *options)
{
  PfRunOptions wanted = *options;
  PF_TRY(find_names(sim->ctx, &wanted));
  if (sim->motion && !pf_sim_is_over(sim)) {
    if (wanted.without_events != sim->motion->options.without_events) {
      pf_fail(sim->ctx, PF_ERR_ARGUMENT, "events cannot be left out, or brought in, while the simulation moves");
      pf_hint(sim->ctx, "set it before the start");
      return PF_ERR_ARGUMENT;
    }
    sim->looked = sim->looking = false;
    PF_TRY(change_motion(sim, &wanted));
  }
  sim->options = wanted;
  return PF_OK;
}

static bool change_options(PfSim *sim, const PfRunOptions *options)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = take_options(sim, options);
  pf_sim_note_trouble(sim, before);
  return pf_sim_check_since(sim, status, before);
}

bool pf_sim_set_options(PfSim *sim, const PfRunOptions *options)
{
  if (!change_options(sim, options)) return false;
  sim->options_set = true;
  sim->keeps_offset = false;
  sim->method = sim->formulation = NULL;
  return true;
}

bool pf_sim_set_method(PfSim *sim, const char *method, const char *formulation)
{
  PfRunOptions options = sim->options;
  if (method) options.method = method;
  if (formulation) options.formulation = formulation;
  if (!change_options(sim, &options)) return false;
  if (method) sim->method = sim->options.method;
  if (formulation) sim->formulation = sim->options.formulation;
  return true;
}

/* ---------------------------------------------------------------- the start */

/* Parameters and coordinates have the same names in both; what only the complete model has keeps its start. */
static void copy_values(PfSim *sim)
{
  const PfModel *model = sim->model, *complete = sim->complete;
  const PfSymbols *in = pf_system_symbols(sim->system), *out = pf_system_symbols(sim->complete_system);
  const double *values = sim->values;
  for (int i = 0; i < model->parameter_count; i++) {
    int k = pf_model_find_parameter(complete, model->parameters[i].name);
    if (k >= 0) sim->complete_values[out->parameters + k] = values[in->parameters + i];
  }
  for (int i = 0; i < model->coordinate_count; i++) {
    int k = pf_model_find_coordinate(complete, model->coordinates[i].name);
    if (k < 0) continue;
    sim->complete_values[out->q + k] = values[in->q + i];
    sim->complete_values[out->v + k] = values[in->v + i];
  }
  sim->complete_values[out->time] = values[in->time];
  for (int i = 0; i < model->input_count; i++) sim->complete_values[out->inputs + i] = values[in->inputs + i];
}

static PfStatus start_other(PfSim *sim, double *given)
{
  const PfModel *complete = sim->complete;
  if (!given) return pf_no_room(sim->ctx, "the start");
  for (int i = 0; i < complete->parameter_count; i++) {
    int k = pf_model_find_parameter(sim->model, complete->parameters[i].name);
    given[i] = k >= 0 ? sim->values[pf_system_symbols(sim->system)->parameters + k] : NAN;
  }
  PF_TRY(pf_equations_start(sim->ctx, &sim->complete_equations, given, sim->complete_values));
  copy_values(sim);
  return PF_OK;
}

static PfStatus start_complete(PfSim *sim)
{
  if (sim->complete == sim->model) {
    memcpy(sim->complete_values, sim->values, (size_t)pf_system_symbols(sim->system)->count*sizeof *sim->values);
    return PF_OK;
  }
  PfArena *scratch = pf_context_scratch(sim->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = start_other(sim, pf_arena_array(scratch, double, sim->complete->parameter_count));
  pf_arena_release(scratch, mark);
  return status;
}

/* Inputs by their functions at the time of the start, or as they were set. */
static PfStatus set_inputs(PfSim *sim)
{
  const PfModel *model = sim->model;
  const PfSymbols *in = pf_system_symbols(sim->system);
  sim->values[in->time] = sim->start_time;
  for (int i = 0; i < model->input_count; i++) sim->values[in->inputs + i] = sim->input[i];
  return pf_evaluate_inputs(sim->ctx, model, in, sim->values);
}

static PfStatus find_start(PfSim *sim)
{
  PF_TRY(pf_equations_start(sim->ctx, &sim->equations, sim->given, sim->values));
  PF_TRY(set_inputs(sim));
  if (sim->as_given) return pf_start_measure(sim->ctx, sim->system, sim->values, &sim->start);
  return pf_start_correct(sim->ctx, sim->system, sim->values, &sim->start);
}

static PfStatus open_phases(PfSim *sim, bool events)
{
  return pf_phases_open(sim->ctx, sim->run_arena, sim->complete_system, sim->complete_values, &sim->options,
                        events ? &sim->log : NULL, &sim->motion);
}

/* An outline is for trees in which everything has inertia of its own. What does not move by the recursion may do so by
 * matrices: a joint without mass whose motion is given. */
static bool needs_formulas(const PfSim *sim, PfStatus status)
{
  if (!pf_system_in_bodies(sim->complete_system)) return false;
  if (sim->complete_equations.n > PF_MOST_WRITTEN_OUT) return false;
  if (status != PF_OK) return status == PF_ERR_MODEL;
  return sim->motion->motion && sim->motion->motion->result.end == PF_RUN_TROUBLE;
}

static PfStatus open_motion(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  bool events = sim->model->complete && !sim->options.without_events;
  PfSystem *system;
  sim->run_arena = pf_arena_new(pf_context_allocator(sim->ctx));
  if (!sim->run_arena) return pf_no_room(sim->ctx, "the simulation");
  PF_TRY(pf_sim_system_for(sim, &sim->options, &system));
  take_system(sim, system);
  PfStatus status = open_phases(sim, events);
  if (needs_formulas(sim, status)) {
    pf_phases_close(sim->motion);
    sim->motion = NULL;
    pf_diagnostics_cut(sim->ctx, before);
    PF_TRY(pf_sim_write_out(sim, &system));
    take_system(sim, system);
    status = open_phases(sim, events);
  }
  PF_TRY(status);
  sim->control_start = sim->start_time;
  sim->control_next = 0;
  for (size_t i = 0; i < sim->handles.count; i++) PF_TRY(pf_sim_bind(sim, sim->handles.at[i]));
  return PF_OK;
}

static void end_motion(PfSim *sim)
{
  pf_sim_unbind(sim);
  pf_phases_close(sim->motion);
  pf_arena_free(sim->run_arena);
  sim->motion = NULL;
  sim->run_arena = NULL;
  sim->log = (PfEventLog){0};
  sim->looked = sim->looking = false;
  sim->error = sim->trouble = (PfError){0};
}

void pf_sim_set_as_given(PfSim *sim, bool as_given)
{
  sim->as_given = as_given;
  sim->placed = false;
}

static PfStatus place(PfSim *sim)
{
  end_motion(sim);
  sim->placed = false;
  take_system(sim, sim->outline);
  PF_TRY(find_start(sim));
  if (!sim->options_set)
    PF_TRY(pf_run_settings(sim->ctx, sim->model, sim->system, sim->values, sim->method, &sim->options));
  if (sim->formulation) sim->options.formulation = sim->formulation;
  PF_TRY(start_complete(sim));
  sim->placed = true;
  return PF_OK;
}

bool pf_sim_place(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, place(sim), before);
}

/* A start as given off the constraints stays so: nothing is projected, and methods that solve the constraints in every
 * step cannot do it. */
static PfStatus keep_offset(PfSim *sim)
{
  const PfStart *s = &sim->start;
  if (sim->keeps_offset) sim->options.drift = false; /* of the start before */
  sim->keeps_offset = sim->as_given && pf_start_is_off(s) && !sim->options.drift;
  if (!sim->keeps_offset) return PF_OK;
  sim->options.drift = true;
  const PfMethod *method = pf_method_find(sim->options.method ? sim->options.method : "dopri5");
  if (!method || pf_method_can_drift(method)) return PF_OK;
  pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the start as given is off the constraints (positions by %.3g, velocities by "
          "%.3g), and '%s' solves them in every step", s->position, s->velocity, pf_method_name(method));
  pf_hint(sim->ctx, "dopri5, dop853 and rk4 can keep such an offset");
  return PF_ERR_ARGUMENT;
}

static PfStatus start(PfSim *sim)
{
  end_motion(sim);
  if (!sim->placed) PF_TRY(place(sim));
  PF_TRY(keep_offset(sim));
  PF_TRY(pf_system_check_mass(sim->ctx, sim->system, sim->values));
  PF_TRY(start_complete(sim));
  return open_motion(sim);
}

bool pf_sim_start(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = start(sim);
  pf_sim_note_trouble(sim, before);
  return pf_sim_check_since(sim, status, before);
}

bool pf_sim_check_mass(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, pf_system_check_mass(sim->ctx, sim->system, sim->values), before);
}

PfStatus pf_sim_start_like(const PfSim *from, PfSim *to)
{
  PfRunOptions next = to->options;
  memcpy(to->values, from->values, (size_t)pf_system_symbols(from->system)->count*sizeof *to->values);
  memcpy(to->complete_values, from->complete_values,
         (size_t)pf_system_symbols(from->complete_system)->count*sizeof *to->complete_values);
  to->start = from->start;
  to->placed = from->placed;
  to->options = from->motion->options;
  if (to->options.until != PF_EXPR_NONE) to->options.until = to->model->run.until;
  PfStatus status = open_motion(to);
  to->options = next;
  return status;
}

const PfStart *pf_sim_changes(const PfSim *sim)
{
  return &sim->start;
}
