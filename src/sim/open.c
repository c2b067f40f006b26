/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, copying and closing a simulation.
 *
 * A simulation is opened from a path, a text, a machine or a workspace; all of them end in make(). Systems and
 * compiled tapes are prepared once and kept by the machine, for all its simulations: each of them has views
 * of it with numbers of its own. Methods and formulations that need formulas have preparations of their own, each made
 * for the first simulation that is opened for it. */
#include "base/spelling.h"
#include "form/solver.h"
#include "machine/machine.h"
#include "sim/settings.h"
#include "sim/sim_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- errors */

/* Cuts what is too long for the struct; NULL as "". */
static void copy_text(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%s", from ? from : "");
}

/* The first error says what is wrong; later ones may follow from it. */
static void take_error(const PfContext *ctx, PfStatus status, int before, PfError *error)
{
  *error = (PfError){.status = status};
  copy_text(error->message, sizeof error->message, pf_status_text(status));
  for (int i = before; ctx && i < pf_diagnostic_count(ctx); i++) {
    const PfDiagnostic *d = pf_diagnostic(ctx, i);
    if (d->severity != PF_ERROR) continue;
    copy_text(error->message, sizeof error->message, d->message);
    copy_text(error->hint, sizeof error->hint, d->hint);
    copy_text(error->file, sizeof error->file, d->place.file);
    error->line = d->place.line;
    error->column = d->place.column;
    copy_text(error->setting, sizeof error->setting, d->setting);
    return;
  }
}

/* A simulation with a context of its own forgets the diagnostics, so that repeated failures do not pile up. */
bool pf_sim_check_since(PfSim *sim, PfStatus status, int before)
{
  if (status == PF_OK) return true;
  take_error(sim->ctx, status, before, &sim->error);
  if (sim->own.machine) pf_diagnostics_forget(sim->ctx, before); /* the error has a copy */
  return false;
}

/* The words are taken once, when the trouble is new; a motion that goes on has none. */
void pf_sim_note_trouble(PfSim *sim, int before)
{
  PfRunEnd end = pf_sim_moves(sim) ? pf_driver_next_end(sim->motion.driver) : PF_RUN_DONE;
  PfStatus status = end == PF_RUN_LIMIT || end == PF_RUN_STALL ? PF_ERR_LIMIT : PF_ERR_NUMBER;
  if (!pf_run_failed(end)) sim->motion.trouble = (PfError){0};
  else if (sim->motion.trouble.status == PF_OK) take_error(sim->ctx, status, before, &sim->motion.trouble);
}

/* The struct lives as long as the simulation, and is overwritten by the next failure. */
const PfError *pf_sim_error(const PfSim *sim)
{
  return &sim->error;
}

/* ---------------------------------------------------------------- opening */

/* A system of the simulation: a view of the one that was prepared, or a new one. */
static PfStatus make_system(PfSim *sim, const PfEquations *equations, const PfSystem *prepared, PfSystem **system)
{
  return prepared ? pf_system_view(sim->ctx, equations, prepared, system)
                  : pf_system_new(sim->ctx, equations, system);
}

/* The systems of the model, and of the complete model, which has everything that events need: its system gives the
 * order of states and handles. `complete`: its equations, or NULL when they are still to be derived. */
static PfStatus make_systems(PfSim *sim, const PfEquations *complete)
{
  const PfSim *p = sim->prepared;
  PF_TRY(make_system(sim, &sim->equations, !p ? NULL : p->matrix_free ? p->matrix_free : p->system, &sim->system));
  if (pf_system_in_bodies(sim->system)) sim->matrix_free = sim->system;
  sim->complete = sim->model->complete && sim->model->complete != sim->model ? sim->model->complete : sim->model;
  sim->complete_equations = sim->equations;
  sim->complete_system = sim->system;
  if (sim->complete == sim->model) return PF_OK;
  if (complete) sim->complete_equations = *complete;
  else PF_TRY(pf_equations_derive(sim->ctx, sim->arena, sim->complete, &sim->complete_equations));
  return make_system(sim, &sim->complete_equations, p ? p->complete_system : NULL, &sim->complete_system);
}

/* The equations with formulas are made at the first call and stay; a prepared simulation that has them gives them. */
PfStatus pf_sim_write_out(PfSim *sim, PfSystem **system)
{
  const PfSim *p = sim->prepared && sim->prepared->written ? sim->prepared : NULL;
  if (!sim->written) {
    sim->written_equations = p ? p->written_equations : sim->equations;
    sim->written_equations.model = sim->model;
    if (!p) PF_TRY(pf_equations_write_out(sim->ctx, sim->arena, &sim->written_equations));
    PF_TRY(make_system(sim, &sim->written_equations, p ? p->written : NULL, &sim->written));
  }
  *system = sim->written;
  return PF_OK;
}

/* Not matrix-free from the beginning: the system of the complete model. Else the matrix-free one, unless the method or
 * formulation of the options needs formulas. */
PfStatus pf_sim_system_for(PfSim *sim, const PfRunOptions *options, PfSystem **system)
{
  *system = sim->matrix_free ? sim->matrix_free : sim->complete_system;
  return sim->matrix_free && !pf_motion_does_without_formulas(options) ? pf_sim_write_out(sim, system) : PF_OK;
}

/* The systems, arrays, and settings of the model. */
static PfStatus make(PfSim *sim, const PfEquations *complete)
{
  const PfModel *model = sim->model;
  PF_TRY(make_systems(sim, complete));
  PF_TRY(pf_arrays(sim->ctx, sim->arena, "the simulation", PF_ROOM(sim->settings.given, model->parameter_count),
                   PF_ROOM(sim->settings.input, model->input_count),
                   PF_ROOM(sim->start.values, pf_system_symbols(sim->system)->count),
                   PF_ROOM(sim->start.complete_values, pf_system_symbols(sim->complete_system)->count),
                   PF_ROOM2(sim->readings.state, 2, sim->complete_equations.n),
                   PF_ROOM(sim->readings.zeros, sim->complete_equations.n + sim->complete_equations.m)));
  for (int i = 0; i < model->parameter_count; i++) sim->settings.given[i] = NAN;
  return pf_run_settings(sim->ctx, model, NULL, NULL, NULL, &sim->settings.options);
}

/* An empty simulation, in an arena of its own. NULL without memory. */
static PfSim *new_sim(PfContext *ctx)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSim *sim = arena ? pf_arena_array(arena, PfSim, 1) : NULL;
  if (sim) *sim = (PfSim){.ctx = ctx, .arena = arena, .readings = {.t = NAN}};
  else pf_arena_free(arena);
  return sim;
}

/* The simulation when all was good; else it is closed, `error` (or NULL) has the reason, and the result is NULL. */
static PfSim *finish(PfSim *sim, PfStatus status, PfError *error)
{
  if (error) *error = (PfError){0};
  if (status == PF_OK) return sim;
  if (error) take_error(sim->ctx, status, 0, error);
  pf_sim_close(sim);
  return NULL;
}

/* Before there is a simulation; the context (NULL: none) has the words. */
static PfSim *fail_early(PfContext *ctx, PfStatus status, PfError *error)
{
  if (error) take_error(ctx, status, 0, error);
  return NULL;
}

/* ---------------------------------------------------------------- once for a machine */

/* Small systems are also started once, which makes the tapes and formulas that the default formulation needs. For large
 * ones that would take as long as a motion that is only looked at takes. */
enum { MOST_REHEARSED = 100 };

/* For the machine, at its end. */
static void free_prepared(void *result)
{
  pf_sim_close(result);
}

/* A method and a formulation; NULL: as the model says. */
typedef struct Scheme {
  const char *method, *formulation;
} Scheme;

/* Those that need more than what is prepared without them: formulas of their own. Others, and unknown ones, are left to
 * the simulation. */
static Scheme prepared_scheme(const char *method, const char *formulation)
{
  const PfMethod *m = method ? pf_method_find(method) : NULL;
  const PfFormulation *f = formulation ? pf_formulation_find(formulation) : NULL;
  PfRunOptions options = pf_run_options();
  options.method = m ? pf_method_name(m) : NULL;
  options.formulation = f ? pf_formulation_name(f) : NULL;
  if (pf_motion_does_without_formulas(&options)) return (Scheme){0};
  return (Scheme){options.method, options.formulation};
}

/* The systems of a model, its start, and the further needs of a motion from there, in a workspace that the machine
 * keeps. A model that cannot be started has less of it: its simulations say why. */
static PfStatus prepare(PfWorkspace *w, const void *details, void **result)
{
  const int before = pf_diagnostic_count(w->ctx);
  const Scheme *scheme = details;
  PfSim *sim = new_sim(w->ctx);
  if (!sim) return pf_no_room(w->ctx, "the simulation");
  sim->model = w->model;
  sim->equations = w->equations;
  PfStatus status = make(sim, w->complete.n ? &w->complete : NULL);
  const bool whole = status == PF_OK;
  const bool rehearsed = whole && sim->complete_equations.n + sim->complete_equations.m <= MOST_REHEARSED;
  if (whole && !pf_sim_set_method(sim, scheme->method, scheme->formulation)) status = sim->error.status;
  if (rehearsed && status == PF_OK) status = pf_sim_find_start(sim);
  const bool silent = pf_diagnostic_count(w->ctx) == before;
  PfSystem *system;
  if (rehearsed && status == PF_OK) status = pf_sim_begin(sim);
  else if (status == PF_OK) status = pf_sim_system_for(sim, &sim->settings.options, &system);
  pf_sim_end(sim);
  if (!silent) pf_sim_forget_start(sim); /* each simulation finds it, with the warnings */
  if (whole && !pf_is_final(status)) *result = sim;
  else pf_sim_close(sim);
  return pf_end_attempt(w->ctx, before, status);
}

static const PfPreparation preparation = {PF_MATRIX_FREE, prepare, free_prepared};

/* The first call for a scheme prepares; later ones get its result. */
PfStatus pf_workspace_open_to_move(PfMachine *machine, const char *method, const char *formulation,
                                   bool (*cancelled)(void *user), void *user, PfWorkspace *workspace)
{
  char key[64];
  const Scheme scheme = prepared_scheme(method, formulation);
  snprintf(key, sizeof key, "%s %s", scheme.method ? scheme.method : "", scheme.formulation ? scheme.formulation : "");
  return pf_workspace_open_prepared(machine, &preparation, key, &scheme, cancelled, user, workspace);
}

/* ---------------------------------------------------------------- simulations */

/* In the context of the workspace, which the caller closes after the simulation. */
PfSim *pf_sim_of_workspace(const PfWorkspace *w, PfError *error)
{
  PfSim *sim = new_sim(w->ctx);
  if (!sim) return fail_early(NULL, PF_ERR_MEMORY, error);
  sim->model = w->model;
  sim->equations = w->equations;
  sim->prepared = pf_workspace_prepared(w, &preparation);
  return finish(sim, make(sim, w->complete.n ? &w->complete : NULL), error);
}

/* With a workspace of its own, which was opened with this status and is closed with the simulation. Compiling is off
 * until pf_sim_set_native. */
static PfSim *open_in(PfWorkspace own, PfStatus status, PfError *error)
{
  if (status == PF_OK) status = pf_context_set_native(own.ctx, PF_NATIVE_OFF); /* tapes can change it later */
  PfSim *sim = status == PF_OK ? pf_sim_of_workspace(&own, error) : fail_early(own.ctx, status, error);
  if (sim) sim->own = own;
  else pf_workspace_close(&own);
  return sim;
}

PfSim *pf_sim_of_machine(PfMachine *machine, bool (*cancelled)(void *user), void *user, PfError *error)
{
  return pf_sim_of_machine_by(machine, NULL, NULL, cancelled, user, error);
}

/* Names that are not known are refused when the simulation is there, which has the words. */
PfSim *pf_sim_of_machine_by(PfMachine *machine, const char *method, const char *formulation,
                            bool (*cancelled)(void *user), void *user, PfError *error)
{
  PfWorkspace own;
  PfStatus status = pf_workspace_open_to_move(machine, method, formulation, cancelled, user, &own);
  PfSim *sim = open_in(own, status, error);
  if (!sim || (!method && !formulation) || pf_sim_set_method(sim, method, formulation)) return sim;
  if (error) *error = sim->error;
  pf_sim_close(sim);
  return NULL;
}

/* A machine and the one simulation of it: by a path, or by a text when there is one. `cancelled` (or NULL) is
 * polled. */
static PfSim *open_new(const char *path, const char *text, bool (*cancelled)(void *user), void *user,
                       const PfSpelling *spelling, PfError *error)
{
  PfContext *ctx = pf_context_new(NULL);
  PfMachine *machine = NULL;
  if (!ctx) return fail_early(NULL, PF_ERR_MEMORY, error);
  pf_context_set_spelling(ctx, spelling);
  pf_context_set_cancel(ctx, cancelled, user);
  PfStatus status = text   ? pf_machine_read(ctx, "<text>", text, strlen(text), &machine)
                    : path ? pf_machine_open(ctx, path, &machine)
                           : pf_fail(ctx, PF_ERR_ARGUMENT, "there is no path and no text of a model");
  PfSim *sim = status == PF_OK ? pf_sim_of_machine(machine, cancelled, user, error) : fail_early(ctx, status, error);
  if (status != PF_OK) pf_context_free(ctx);
  pf_machine_release(machine);
  return sim;
}

/* Messages name settings as they are in C. */
PfSim *pf_sim_open(const char *path, PfError *error)
{
  return open_new(path, NULL, NULL, NULL, &pf_spelling_of_c, error);
}

/* A text has no path: messages give "<text>" as the file. */
PfSim *pf_sim_open_text(const char *text, PfError *error)
{
  return pf_sim_open_asking(text, NULL, NULL, error);
}

/* The callback stays with the simulation: its moves can be cancelled, too. */
PfSim *pf_sim_open_asking(const char *text, bool (*cancelled)(void *user), void *user, PfError *error)
{
  return open_new(NULL, text, cancelled, user, &pf_spelling_of_c, error);
}

/* For bindings: settings are named as in the language of the caller. */
PfSim *pf_sim_open_like(const PfContext *ctx, const char *text, PfError *error)
{
  return open_new(NULL, text, NULL, NULL, pf_context_spelling(ctx), error);
}

/* Nothing is prepared: all systems are made for this simulation. */
PfSim *pf_sim_of_model(PfContext *ctx, PfModel *model, const PfEquations *equations, PfError *error)
{
  return pf_sim_of_workspace(&(PfWorkspace){.ctx = ctx, .model = model, .equations = *equations}, error);
}

/* After the first call the mode concerns all tapes of the context. */
bool pf_sim_set_native(PfSim *sim, PfNative mode)
{
  const int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, pf_context_set_native(sim->ctx, mode), before);
}

/* ---------------------------------------------------------------- closing */

/* Systems once each, although several members may point to the same one; the workspace last, as everything lives in
 * its context. */
void pf_sim_close(PfSim *sim)
{
  if (!sim) return;
  PfWorkspace own = sim->own;
  pf_sim_unbind(sim);
  pf_array_free(pf_context_allocator(sim->ctx), &sim->readings.handles);
  pf_array_free(pf_context_allocator(sim->ctx), &sim->settings.starts);
  pf_driver_close(sim->motion.driver);
  pf_derived_names_free(&sim->readings.derived);
  pf_arena_free(sim->motion.arena);
  if (sim->complete_system != sim->system) pf_system_free(sim->complete_system);
  if (sim->matrix_free) pf_system_free(sim->matrix_free == sim->system ? sim->written : sim->matrix_free);
  pf_system_free(sim->system);
  pf_arena_free(sim->arena);
  pf_workspace_close(&own);
}

/* ---------------------------------------------------------------- a second one */

/* Settings as they were before the start, handles, and the motion. */
static PfStatus copy(PfSim *from, PfSim *to)
{
  memcpy(to->settings.given, from->settings.given, (size_t)from->model->parameter_count*sizeof *to->settings.given);
  memcpy(to->settings.input, from->settings.input, (size_t)from->model->input_count*sizeof *to->settings.input);
  to->settings.time = from->settings.time;
  to->settings.as_given = from->settings.as_given;
  to->start.keeps_offset = from->start.keeps_offset;
  to->settings.options = from->settings.options;
  to->settings.options_given = from->settings.options_given;
  to->settings.method = from->settings.method;
  to->settings.formulation = from->settings.formulation;
  if (to->settings.options.until != PF_EXPR_NONE) to->settings.options.until = to->model->run.until;
  to->error = from->error;
  to->motion.period = from->motion.period;
  to->motion.controller = from->motion.controller;
  to->motion.user = from->motion.user;
  PF_TRY(pf_context_set_native(to->ctx, pf_context_native(from->ctx)));
  PF_TRY(pf_sim_copy_start(from, to));
  for (size_t i = 0; i < from->readings.handles.count; i++)
    if (pf_sim_find(to, from->readings.handles.at[i]->name) != (int)i) return to->error.status;
  if (!pf_sim_moves(from)) return PF_OK;
  PF_TRY(pf_sim_start_like(from, to));
  size_t size = pf_sim_snapshot_size(from);
  char *bytes = pf_arena_array(to->arena, char, size);
  if (!bytes) return pf_no_room(to->ctx, "the simulation");
  if (!pf_sim_save(from, bytes, size)) return from->error.status;
  return pf_sim_restore(to, bytes, size) ? PF_OK : to->error.status;
}

/* Through a snapshot: the clone goes on bit for bit as the original does. */
PfSim *pf_sim_clone(PfSim *sim, PfError *error)
{
  return pf_sim_clone_asking(sim, NULL, NULL, error);
}

/* The machine is shared by reference; model, numbers and motion are copies. */
PfSim *pf_sim_clone_asking(PfSim *sim, bool (*cancelled)(void *user), void *user, PfError *error)
{
  if (!sim->own.machine) {
    if (error) *error = (PfError){.status = PF_ERR_ARGUMENT,
                                  .message = "a simulation of a model that was read before has no clones"};
    return NULL;
  }
  PfWorkspace own;
  PfStatus status = pf_workspace_open_like(&sim->own, cancelled, user, &own);
  PfSim *clone = open_in(own, status, error);
  return clone ? finish(clone, copy(sim, clone), error) : NULL;
}

/* ---------------------------------------------------------------- what it is made of */

/* The parts of the simulation, which keeps all of them. */
PfContext *pf_sim_context(const PfSim *sim)
{
  return sim->ctx;
}

PfModel *pf_sim_model(const PfSim *sim)
{
  return sim->model;
}

const PfEquations *pf_sim_equations(const PfSim *sim)
{
  return &sim->equations;
}

const PfSystem *pf_sim_system(const PfSim *sim)
{
  return sim->system;
}

double *pf_sim_values(const PfSim *sim)
{
  return sim->start.values;
}

PfModel *pf_sim_complete(const PfSim *sim)
{
  return sim->complete;
}

const PfSystem *pf_sim_complete_system(const PfSim *sim)
{
  return sim->complete_system;
}

const double *pf_sim_complete_values(const PfSim *sim)
{
  return sim->start.complete_values;
}
