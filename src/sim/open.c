/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a simulation. */
#include "sim/settings.h"
#include "sim/sim_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- errors */

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
    return;
  }
}

bool pf_sim_check_since(PfSim *sim, PfStatus status, int before)
{
  if (status == PF_OK) return true;
  take_error(sim->ctx, status, before, &sim->error);
  if (sim->own.machine) pf_diagnostics_forget(sim->ctx, before); /* the error has a copy */
  return false;
}

void pf_sim_note_trouble(PfSim *sim, int before)
{
  PfRunEnd end = sim->motion ? pf_phases_outlook(sim->motion) : PF_RUN_DONE;
  PfStatus status = end == PF_RUN_LIMIT || end == PF_RUN_STALL ? PF_ERR_LIMIT : PF_ERR_NUMBER;
  if (!pf_run_failed(end)) sim->trouble = (PfError){0};
  else if (sim->trouble.status == PF_OK) take_error(sim->ctx, status, before, &sim->trouble);
}

const PfError *pf_sim_error(const PfSim *sim)
{
  return &sim->error;
}

/* ---------------------------------------------------------------- opening */

/* The complete model has everything that events need; its system gives the order of states and handles. `equations`:
 * those of the complete model, or NULL when they are still to be derived. */
static PfStatus make_complete(PfSim *sim, const PfEquations *equations)
{
  sim->complete = sim->model->complete && sim->model->complete != sim->model ? sim->model->complete : sim->model;
  sim->complete_equations = sim->equations;
  sim->complete_system = sim->system;
  if (sim->complete == sim->model) return PF_OK;
  if (equations) sim->complete_equations = *equations;
  else PF_TRY(pf_equations_derive(sim->ctx, sim->arena, sim->complete, &sim->complete_equations));
  return pf_system_new(sim->ctx, &sim->complete_equations, &sim->complete_system);
}

PfStatus pf_sim_write_out(PfSim *sim, PfSystem **system)
{
  if (!sim->written) {
    sim->written_equations = sim->equations;
    PF_TRY(pf_equations_write_out(sim->ctx, sim->arena, &sim->written_equations));
    PF_TRY(pf_system_new(sim->ctx, &sim->written_equations, &sim->written));
  }
  *system = sim->written;
  return PF_OK;
}

PfStatus pf_sim_system_for(PfSim *sim, const PfRunOptions *options, PfSystem **system)
{
  *system = sim->outline ? sim->outline : sim->complete_system;
  return sim->outline && !pf_motion_does_without_formulas(options) ? pf_sim_write_out(sim, system) : PF_OK;
}

static PfStatus make_room(PfSim *sim)
{
  const PfModel *model = sim->model;
  sim->given = pf_arena_array(sim->arena, double, model->parameter_count);
  sim->input = pf_arena_array(sim->arena, double, model->input_count);
  sim->values = pf_arena_array(sim->arena, double, pf_system_symbols(sim->system)->count);
  sim->complete_values = pf_arena_array(sim->arena, double, pf_system_symbols(sim->complete_system)->count);
  sim->state = pf_arena_array(sim->arena, double, 2*(size_t)sim->complete_equations.n);
  sim->zeros = pf_arena_array(sim->arena, double, sim->complete_equations.n + sim->complete_equations.m);
  if (!sim->given || !sim->input || !sim->values || !sim->complete_values || !sim->state || !sim->zeros)
    return pf_no_room(sim->ctx, "the simulation");
  for (int i = 0; i < model->parameter_count; i++) sim->given[i] = NAN;
  return PF_OK;
}

static PfStatus make(PfSim *sim, const PfEquations *complete)
{
  PF_TRY(pf_system_new(sim->ctx, &sim->equations, &sim->system));
  if (pf_system_in_bodies(sim->system)) sim->outline = sim->system;
  PF_TRY(make_complete(sim, complete));
  PF_TRY(make_room(sim));
  return pf_run_settings(sim->ctx, sim->model, NULL, NULL, NULL, &sim->options);
}

static PfSim *new_sim(PfContext *ctx)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSim *sim = arena ? pf_arena_array(arena, PfSim, 1) : NULL;
  if (sim) *sim = (PfSim){.ctx = ctx, .arena = arena};
  else pf_arena_free(arena);
  return sim;
}

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

PfSim *pf_sim_of_machine(PfMachine *machine, bool (*cancelled)(void *user), void *user, PfError *error)
{
  PfWorkspace own;
  PfStatus status = pf_workspace_open(machine, PF_OUTLINE, cancelled, user, &own);
  PfSim *sim = status == PF_OK ? new_sim(own.ctx) : NULL;
  if (!sim) {
    if (error) take_error(own.ctx, status == PF_OK ? PF_ERR_MEMORY : status, 0, error);
    pf_workspace_close(&own);
    return NULL;
  }
  sim->own = own;
  sim->model = own.model;
  sim->equations = own.equations;
  status = pf_context_set_native(sim->ctx, PF_NATIVE_OFF); /* tapes can change it later */
  if (status == PF_OK) status = make(sim, own.complete.n ? &own.complete : NULL);
  return finish(sim, status, error);
}

/* The function that is polled for cancellation. */
typedef struct Cancel {
  bool (*cancelled)(void *user);
  void *user;
} Cancel;

/* A machine and the one simulation of it: by a path, or by a text when there is one. */
static PfSim *open_new(const char *path, const char *text, Cancel cancel, PfError *error)
{
  PfContext *ctx = pf_context_new(NULL);
  PfMachine *machine = NULL;
  if (!ctx) return fail_early(NULL, PF_ERR_MEMORY, error);
  pf_context_set_cancel(ctx, cancel.cancelled, cancel.user);
  PfStatus status = text   ? pf_machine_read(ctx, "<text>", text, strlen(text), &machine)
                    : path ? pf_machine_open(ctx, path, &machine)
                           : pf_fail(ctx, PF_ERR_ARGUMENT, "there is no path and no text of a model");
  PfSim *sim = status == PF_OK ? pf_sim_of_machine(machine, cancel.cancelled, cancel.user, error)
                               : fail_early(ctx, status, error);
  if (status != PF_OK) pf_context_free(ctx);
  pf_machine_release(machine);
  return sim;
}

PfSim *pf_sim_open(const char *path, PfError *error)
{
  return open_new(path, NULL, (Cancel){NULL, NULL}, error);
}

PfSim *pf_sim_open_text(const char *text, PfError *error)
{
  return pf_sim_open_asking(text, NULL, NULL, error);
}

PfSim *pf_sim_open_asking(const char *text, bool (*cancelled)(void *user), void *user, PfError *error)
{
  return open_new(NULL, text, (Cancel){cancelled, user}, error);
}

PfSim *pf_sim_of_model(PfContext *ctx, PfModel *model, const PfEquations *equations, PfError *error)
{
  PfSim *sim = new_sim(ctx);
  if (!sim) return fail_early(NULL, PF_ERR_MEMORY, error);
  sim->model = model;
  sim->equations = *equations;
  return finish(sim, make(sim, NULL), error);
}

bool pf_sim_set_native(PfSim *sim, PfNative mode)
{
  const int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, pf_context_set_native(sim->ctx, mode), before);
}

/* ---------------------------------------------------------------- closing */

void pf_sim_close(PfSim *sim)
{
  if (!sim) return;
  PfWorkspace own = sim->own;
  pf_sim_unbind(sim);
  pf_array_free(pf_context_allocator(sim->ctx), &sim->handles);
  pf_array_free(pf_context_allocator(sim->ctx), &sim->starts);
  pf_phases_close(sim->motion);
  pf_derived_names_free(&sim->derived);
  pf_arena_free(sim->run_arena);
  if (sim->complete_system != sim->system) pf_system_free(sim->complete_system);
  if (sim->outline) pf_system_free(sim->outline == sim->system ? sim->written : sim->outline);
  pf_system_free(sim->system);
  pf_arena_free(sim->arena);
  pf_workspace_close(&own);
}

/* ---------------------------------------------------------------- a second one */

/* What was set before the start, as it was set. */
static PfStatus copy_settings(const PfSim *from, PfSim *to)
{
  memcpy(to->given, from->given, (size_t)from->model->parameter_count*sizeof *to->given);
  memcpy(to->input, from->input, (size_t)from->model->input_count*sizeof *to->input);
  to->start_time = from->start_time;
  to->as_given = from->as_given;
  to->keeps_offset = from->keeps_offset;
  to->options = from->options;
  to->options_set = from->options_set;
  to->method = from->method;
  to->formulation = from->formulation;
  if (to->options.until != PF_EXPR_NONE) to->options.until = to->model->run.until;
  to->error = from->error;
  to->period = from->period;
  to->controller = from->controller;
  to->user = from->user;
  PF_TRY(pf_context_set_native(to->ctx, pf_context_native(from->ctx)));
  return pf_sim_copy_start(from, to);
}

static PfStatus copy_motion(PfSim *from, PfSim *to)
{
  if (!from->motion) return PF_OK;
  PF_TRY(pf_sim_start_like(from, to));
  size_t size = pf_sim_snapshot_size(from);
  char *bytes = pf_arena_array(to->arena, char, size);
  if (!bytes) return pf_no_room(to->ctx, "the simulation");
  if (!pf_sim_save(from, bytes, size)) return from->error.status;
  return pf_sim_restore(to, bytes, size) ? PF_OK : to->error.status;
}

static PfStatus copy_handles(const PfSim *from, PfSim *to)
{
  for (size_t i = 0; i < from->handles.count; i++)
    if (pf_sim_find(to, from->handles.at[i]->name) != (int)i) return to->error.status;
  return PF_OK;
}

PfSim *pf_sim_clone(PfSim *sim, PfError *error)
{
  return pf_sim_clone_asking(sim, NULL, NULL, error);
}

PfSim *pf_sim_clone_asking(PfSim *sim, bool (*cancelled)(void *user), void *user, PfError *error)
{
  if (!sim->own.machine) {
    if (error) *error = (PfError){PF_ERR_ARGUMENT, "a simulation of a model that was read before has no clones", "", "",
                                  0, 0};
    return NULL;
  }
  PfSim *copy = pf_sim_of_machine(sim->own.machine, cancelled, user, error);
  if (!copy) return NULL;
  PfStatus status = copy_settings(sim, copy);
  if (status == PF_OK) status = copy_handles(sim, copy);
  if (status == PF_OK) status = copy_motion(sim, copy);
  return finish(copy, status, error);
}

/* ---------------------------------------------------------------- what it is made of */

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
  return sim->values;
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
  return sim->complete_values;
}
