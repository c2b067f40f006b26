/* SPDX-License-Identifier: Apache-2.0 */
/* Settings before the start, and the start.
 *
 * The start is found in three steps: numbers of all parameters and inputs, coordinates and velocities as given, then
 * the nearest ones that satisfy the constraints (pf_start_correct). A motion is opened from there by a driver. Changes
 * of the state of the simulation (PfSimState) happen here and in sim_impl.h only. */
#include "model/model.h"
#include "sim/settings.h"
#include "sim/sim_impl.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

/* The failure for a name that cannot be set, with the most similar one as a hint. */
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

/* A start of a coordinate, velocity or speed: the model has it from now on, and a list keeps it for simulations that
 * start likewise. The list has each name once. */
static PfStatus set_start(PfSim *sim, const char *name, double value)
{
  if (!pf_model_set_start(sim->model, name, value)) return unknown(sim, name);
  for (size_t i = 0; i < sim->settings.starts.count; i++) /* again and again, as in a sweep: nothing grows */
    if (!strcmp(sim->settings.starts.at[i].name, name)) {
      sim->settings.starts.at[i].value = value;
      return PF_OK;
    }
  char *kept = pf_arena_text(sim->arena, name, strlen(name));
  bool good = kept && pf_push(pf_context_allocator(sim->ctx), &sim->settings.starts, (PfSetStart){kept, value});
  return good ? PF_OK : pf_no_room(sim->ctx, "the start");
}

/* The kinds of names in this order: inputs, parameters, the time t, starts. A derived parameter ('let') cannot be set.
 * An input changes the motion at once; the start is to be found anew in every case. */
static PfStatus set(PfSim *sim, const char *name, double value)
{
  const PfModel *model = sim->model;
  if (!name) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no name of what is to be set");
  if (!isfinite(value)) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is set to a number that is not finite", name);
  int parameter = pf_model_find_parameter(model, name);
  pf_sim_forget_start(sim);
  for (int i = 0; i < model->input_count; i++) {
    if (strcmp(model->inputs[i].name, name) != 0) continue;
    if (model->inputs[i].value != PF_EXPR_NONE) {
      pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the input '%s' is a function of time in the model", name);
      pf_hint(sim->ctx, "leave '= …' out of its declaration to set it from outside");
      return PF_ERR_ARGUMENT;
    }
    sim->settings.input[i] = value;
    if (!pf_sim_moves(sim)) return PF_OK;
    pf_driver_set_input(sim->motion.driver, i, value);
    sim->readings.known = PF_SAMPLE_STALE;
    return PF_OK;
  }
  if (parameter >= 0 && !model->parameters[parameter].derived) sim->settings.given[parameter] = value;
  else if (!strcmp(name, "t")) sim->settings.time = value;
  else return set_start(sim, name, value);
  return PF_OK;
}

/* In SI units. */
bool pf_sim_set(PfSim *sim, const char *name, double value)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, set(sim, name, value), before);
}

/* A number with a unit, or in the unit in which the name was declared. */
static PfStatus set_text(PfSim *sim, const char *name, const char *value)
{
  double number;
  if (!name || !value) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no name or no value of what is to be set");
  PF_TRY(pf_constant_read(sim->ctx, value, pf_model_measure(sim->model, name).unit, &number));
  return set(sim, name, number);
}

/* The text is a constant of the language: "10 [deg]". */
bool pf_sim_set_text(PfSim *sim, const char *name, const char *value)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, set_text(sim, name, value), before);
}

/* Parameters and inputs are not among them: they are arrays of the settings. */
PfStatus pf_sim_copy_start(const PfSim *from, PfSim *to)
{
  for (size_t i = 0; i < from->settings.starts.count; i++)
    PF_TRY(set_start(to, from->settings.starts.at[i].name, from->settings.starts.at[i].value));
  return PF_OK;
}

/* ---------------------------------------------------------------- how it moves */

/* A copy; the names in it are static. */
PfRunOptions pf_sim_options(const PfSim *sim)
{
  return sim->settings.options;
}

/* Matrix-free equations have no events: it is the complete system too. */
static void take_system(PfSim *sim, PfSystem *system)
{
  if (sim->matrix_free) sim->system = sim->complete_system = system;
}

/* In motion the method begins anew where it is; otherwise at the next start. The names become those of the library
 * itself: texts of the caller need not outlive the call. */
static PfStatus take_options(PfSim *sim, const PfRunOptions *options)
{
  PfRunOptions wanted = *options;
  const PfMethod *method = wanted.method ? pf_method_find(wanted.method) : NULL;
  const PfFormulation *formulation = wanted.formulation ? pf_formulation_find(wanted.formulation) : NULL;
  if (wanted.method && !method) return pf_method_unknown(sim->ctx, wanted.method);
  if (wanted.formulation && !formulation) return pf_formulation_unknown(sim->ctx, wanted.formulation);
  if (method) wanted.method = pf_method_name(method);
  if (formulation) wanted.formulation = pf_formulation_name(formulation);
  if (pf_sim_moves(sim) && !pf_sim_is_over(sim)) {
    if (wanted.without_events != sim->motion.driver->options.without_events) {
      pf_fail(sim->ctx, PF_ERR_ARGUMENT, "events cannot be left out, or brought in, while the simulation moves");
      pf_hint(sim->ctx, "set it before the start");
      return PF_ERR_ARGUMENT;
    }
    pf_sim_forget_sample(sim);
    /* By the system that suits the options; a motion that cannot go on without formulas may do so with them. */
    int before = pf_diagnostic_count(sim->ctx);
    PfSystem *system;
    PF_TRY(pf_sim_system_for(sim, &wanted, &system));
    PfStatus status = pf_driver_set_options(sim->motion.driver, system, &wanted);
    if (status != PF_OK && sim->matrix_free == system && sim->system != system) {
      pf_diagnostics_truncate(sim->ctx, before);
      system = sim->system;
      status = pf_driver_set_options(sim->motion.driver, system, &wanted);
    }
    if (status == PF_OK) take_system(sim, system);
    PF_TRY(status);
  }
  sim->settings.options = wanted;
  return PF_OK;
}

/* Takes options and keeps a failure in words; a motion that ends in trouble at once has its own words. */
static bool change_options(PfSim *sim, const PfRunOptions *options)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = take_options(sim, options);
  pf_sim_note_trouble(sim, before);
  return pf_sim_check_since(sim, status, before);
}

/* From now on the model's own settings, and names set by pf_sim_set_method, count no more. */
bool pf_sim_set_options(PfSim *sim, const PfRunOptions *options)
{
  if (!change_options(sim, options)) return false;
  sim->settings.options_given = true;
  sim->start.keeps_offset = false;
  sim->settings.method = sim->settings.formulation = NULL;
  return true;
}

/* The names stay in place of those of the model, also when its other settings are read anew at the next start. */
bool pf_sim_set_method(PfSim *sim, const char *method, const char *formulation)
{
  PfRunOptions options = sim->settings.options;
  const PfMethod *before = pf_method_find(pf_run_method(&options)), *after = method ? pf_method_find(method) : NULL;
  if (before && after && !sim->settings.options_given)
    options.rho = pf_method_rho_from(after, before, options.rho);
  if (method) options.method = method;
  if (formulation) options.formulation = formulation;
  if (!change_options(sim, &options)) return false;
  if (method) sim->settings.method = sim->settings.options.method;
  if (formulation) sim->settings.formulation = sim->settings.options.formulation;
  return true;
}

/* ---------------------------------------------------------------- the start */

/* Parameters and coordinates have the same names in both models; all others of the complete one keep their start. */
static PfStatus start_other(PfSim *sim, double *given)
{
  const PfModel *model = sim->model, *complete = sim->complete;
  const PfSymbols *in = pf_system_symbols(sim->system), *out = pf_system_symbols(sim->complete_system);
  const double *values = sim->start.values;
  double *to = sim->start.complete_values;
  if (!given) return pf_no_room(sim->ctx, "the start");
  for (int i = 0; i < complete->parameter_count; i++) {
    int k = pf_model_find_parameter(model, complete->parameters[i].name);
    given[i] = k >= 0 ? values[in->parameters + k] : NAN;
  }
  PF_TRY(pf_equations_start(sim->ctx, &sim->complete_equations, given, to));
  for (int i = 0; i < model->parameter_count; i++) {
    int k = pf_model_find_parameter(complete, model->parameters[i].name);
    if (k >= 0) to[out->parameters + k] = values[in->parameters + i];
  }
  for (int i = 0; i < model->coordinate_count; i++) {
    int k = pf_model_find_coordinate(complete, model->coordinates[i].name);
    if (k < 0) continue;
    to[out->q + k] = values[in->q + i];
    to[out->v + k] = values[in->v + i];
  }
  to[out->time] = values[in->time];
  for (int i = 0; i < model->input_count; i++) to[out->inputs + i] = values[in->inputs + i];
  return PF_OK;
}

/* The numbers of the complete system at the start: a copy where both models are the same. */
static PfStatus start_complete(PfSim *sim)
{
  if (sim->complete == sim->model) {
    const size_t count = (size_t)pf_system_symbols(sim->system)->count;
    memcpy(sim->start.complete_values, sim->start.values, count*sizeof *sim->start.values);
    return PF_OK;
  }
  PfArena *scratch = pf_context_scratch(sim->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = start_other(sim, pf_arena_array(scratch, double, sim->complete->parameter_count));
  pf_arena_release(scratch, mark);
  return status;
}

/* The driver of the motion from the start; `events`: with the events of the model, which the log records. */
static PfStatus open_phases(PfSim *sim, bool events)
{
  return pf_driver_open(sim->ctx, sim->motion.arena, sim->complete_system, sim->start.complete_values,
                        &sim->settings.options, events ? &sim->motion.log : NULL, &sim->motion.driver);
}

/* Matrix-free equations are for trees in which everything has inertia of its own. A model that does not move by the
 * recursion may do so by matrices: a joint without mass whose motion is given. */
static bool needs_formulas(const PfSim *sim, PfStatus status)
{
  if (!pf_system_in_bodies(sim->complete_system)) return false;
  if (sim->complete_equations.n > PF_MOST_WRITTEN_OUT) return false;
  if (status != PF_OK) return status == PF_ERR_MODEL;
  return sim->motion.driver->motion && sim->motion.driver->motion->result.end == PF_RUN_TROUBLE;
}

/* Opens the motion at the placed start, with the system that its options need, and binds the handles. A matrix-free
 * motion that cannot begin is opened once more with formulas. After that the simulation moves. */
static PfStatus open_motion(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  bool events = sim->model->complete && !sim->settings.options.without_events;
  PfSystem *system;
  sim->motion.arena = pf_arena_new(pf_context_allocator(sim->ctx));
  if (!sim->motion.arena) return pf_no_room(sim->ctx, "the simulation");
  PF_TRY(pf_sim_system_for(sim, &sim->settings.options, &system));
  take_system(sim, system);
  PfStatus status = open_phases(sim, events);
  if (needs_formulas(sim, status)) {
    pf_driver_close(sim->motion.driver);
    sim->motion.driver = NULL;
    pf_diagnostics_truncate(sim->ctx, before);
    PF_TRY(pf_sim_write_out(sim, &system));
    take_system(sim, system);
    status = open_phases(sim, events);
  }
  PF_TRY(status);
  sim->state = sim->state == PF_SIM_PLACED ? PF_SIM_MOVING : PF_SIM_CHANGED;
  sim->motion.control_start = sim->settings.time;
  sim->motion.control_next = 0;
  for (size_t i = 0; i < sim->readings.handles.count; i++) PF_TRY(pf_sim_bind(sim, sim->readings.handles.at[i]));
  return PF_OK;
}

/* Frees the driver, its log and the tapes of the handles. Systems, settings and the start stay: the state is PLACED
 * again, or OPEN when something was set meanwhile. */
void pf_sim_end(PfSim *sim)
{
  pf_sim_unbind(sim);
  pf_driver_close(sim->motion.driver);
  pf_arena_free(sim->motion.arena);
  sim->motion.driver = NULL;
  sim->motion.arena = NULL;
  sim->motion.log = (PfEventLog){0};
  pf_sim_forget_sample(sim);
  if (pf_sim_moves(sim)) sim->state = sim->state == PF_SIM_MOVING ? PF_SIM_PLACED : PF_SIM_OPEN;
  sim->error = sim->motion.trouble = (PfError){0};
}

/* Holds until it is set otherwise. */
void pf_sim_set_as_given(PfSim *sim, bool as_given)
{
  sim->settings.as_given = as_given;
  pf_sim_forget_start(sim);
}

/* Is the start the one that was found for all simulations of the machine, since nothing was set? */
static bool is_prepared(const PfSim *sim)
{
  const PfSim *p = sim->prepared;
  const PfSimSettings *set = &sim->settings;
  const size_t inputs = (size_t)sim->model->input_count, parameters = (size_t)sim->model->parameter_count;
  return p && p->state == PF_SIM_PLACED && !set->as_given && !(set->time < 0 || set->time > 0) &&
         (!inputs || !memcmp(set->input, p->settings.input, inputs*sizeof *set->input)) &&
         (!parameters || !memcmp(set->given, p->settings.given, parameters*sizeof *set->given)) &&
         pf_model_starts_like(sim->model, p->model) && pf_model_starts_like(sim->complete, p->complete);
}

/* The numbers of both systems and the changes that they needed, from a simulation of the same model. */
static void copy_start(const PfSim *from, PfSim *to)
{
  memcpy(to->start.values, from->start.values, (size_t)pf_system_symbols(to->system)->count*sizeof *to->start.values);
  memcpy(to->start.complete_values, from->start.complete_values,
         (size_t)pf_system_symbols(to->complete_system)->count*sizeof *to->start.complete_values);
  to->start.changes = from->start.changes;
}

/* Ends a motion; then the numbers of the start come from the prepared simulation when nothing was set, or are found.
 * Settings of 'run' are evaluated with them, unless the caller has given options. */
PfStatus pf_sim_find_start(PfSim *sim)
{
  const PfModel *model = sim->model;
  pf_sim_end(sim);
  sim->state = PF_SIM_OPEN;
  take_system(sim, sim->matrix_free);
  const bool prepared = is_prepared(sim);
  if (prepared) {
    copy_start(sim->prepared, sim);
  } else {
    const PfSymbols *in = pf_system_symbols(sim->system);
    double *values = sim->start.values;
    PF_TRY(pf_equations_start(sim->ctx, &sim->equations, sim->settings.given, values));
    /* inputs by their functions at the time of the start, or as they were set */
    values[in->time] = sim->settings.time;
    for (int i = 0; i < model->input_count; i++) values[in->inputs + i] = sim->settings.input[i];
    PF_TRY(pf_evaluate_inputs(sim->ctx, model, in, values));
    PF_TRY(sim->settings.as_given ? pf_start_measure(sim->ctx, sim->system, values, &sim->start.changes)
                                  : pf_start_correct(sim->ctx, sim->system, values, &sim->start.changes));
  }
  if (!sim->settings.options_given)
    PF_TRY(pf_run_settings(sim->ctx, model, sim->system, sim->start.values, sim->settings.method,
                           &sim->settings.options));
  if (sim->settings.formulation) sim->settings.options.formulation = sim->settings.formulation;
  if (!prepared) PF_TRY(start_complete(sim));
  sim->state = PF_SIM_PLACED;
  return PF_OK;
}

/* The start can be read by pf_sim_values after that. */
bool pf_sim_place(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, pf_sim_find_start(sim), before);
}

/* Ends a motion, finds the start where it is not known, decides about its offset, checks the inertia and opens the
 * motion. */
PfStatus pf_sim_begin(PfSim *sim)
{
  const PfStart *s = &sim->start.changes;
  PfRunOptions *o = &sim->settings.options;
  pf_sim_end(sim);
  if (sim->state == PF_SIM_OPEN) PF_TRY(pf_sim_find_start(sim));
  /* A start as given off the constraints stays so: nothing is projected, and methods that solve the constraints in
   * every step cannot do it. */
  if (sim->start.keeps_offset) o->drift = false; /* of the start before */
  sim->start.keeps_offset = sim->settings.as_given && pf_start_is_off(s) && !o->drift;
  if (sim->start.keeps_offset) {
    o->drift = true;
    const PfMethod *method = pf_method_find(pf_run_method(o));
    if (method && !pf_method_can_drift(method)) {
      pf_fail(sim->ctx, PF_ERR_ARGUMENT, "the start as given is off the constraints (positions by %.3g, velocities by "
              "%.3g), and '%s' solves them in every step", s->position, s->velocity, pf_method_name(method));
      pf_hint(sim->ctx, "dopri5, dop853 and rk4 can keep such an offset");
      return PF_ERR_ARGUMENT;
    }
  }
  PF_TRY(pf_system_check_mass(sim->ctx, sim->system, sim->start.values));
  PF_TRY(start_complete(sim));
  return open_motion(sim);
}

/* The first failure counts: of the start, or of the motion that began in trouble. */
bool pf_sim_start(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = pf_sim_begin(sim);
  pf_sim_note_trouble(sim, before);
  return pf_sim_check_since(sim, status, before);
}

/* Fails where the mass matrix has a negative direction, with the words of 'check'. */
bool pf_sim_check_mass(PfSim *sim)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, pf_system_check_mass(sim->ctx, sim->system, sim->start.values), before);
}

/* With the options that move the other one, while those for the next start stay the own ones. A condition 'until' is an
 * expression of another context and is taken from the own model. */
PfStatus pf_sim_start_like(const PfSim *from, PfSim *to)
{
  PfRunOptions next = to->settings.options;
  copy_start(from, to);
  to->state = from->state == PF_SIM_MOVING ? PF_SIM_PLACED : PF_SIM_OPEN;
  to->settings.options = from->motion.driver->options;
  if (to->settings.options.until != PF_EXPR_NONE) to->settings.options.until = to->model->run.until;
  PfStatus status = open_motion(to);
  to->settings.options = next;
  return status;
}

/* Valid once the start was found. */
const PfStart *pf_sim_changes(const PfSim *sim)
{
  return &sim->start.changes;
}
