/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities by handles: a name becomes expressions once (pf_sim_find), these become tapes at the start of a motion
 * (pf_sim_bind), and reading evaluates the tapes for the state at which the motion stands, or for a sample. */
#include "sim/sim_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* ---------------------------------------------------------------- what a name means */

/* x or x' of a coordinate: the handle reads the state. False for other names. */
static bool find_state(PfSim *sim, PfHandle *h)
{
  const PfModel *model = sim->complete;
  size_t length = strlen(h->name);
  bool rate = length && h->name[length - 1] == '\'';
  for (int i = 0; i < model->coordinate_count; i++) {
    const char *name = model->coordinates[i].name;
    if (strncmp(h->name, name, length - rate) != 0 || name[length - rate]) continue;
    *h = (PfHandle){.name = h->name, .kind = PF_HANDLE_STATE, .index = i + (rate ? model->coordinate_count : 0),
                    .size = 1, .measure = pf_model_measure(model, h->name)};
    return true;
  }
  return false;
}

/* Copies the expressions of a quantity, which may be in scratch memory, to the simulation. */
static PfStatus take_roots(PfSim *sim, PfHandle *h, const PfExpr *roots, size_t count)
{
  h->size = (int)count;
  PF_TRY(pf_arrays(sim->ctx, sim->arena, "a quantity", PF_ROOM(h->roots, count)));
  if (count) memcpy(h->roots, roots, count*sizeof *roots);
  return PF_OK;
}

/* "matrix M", "matrix F", "matrix A", "matrix b"? */
static bool is_matrix(const char *name)
{
  return !strncmp(name, "matrix ", 7) && strlen(name) == 8 && strchr("MFAb", name[7]);
}

/* "matrix M": of M q'' = F + C + A^T lambda, A q'' = b. The equations are written out for good. */
static PfStatus find_matrix(PfSim *sim, PfHandle *h, bool *found)
{
  PfEquations *eq = &sim->complete_equations;
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  *found = is_matrix(h->name);
  if (!*found) return PF_OK;
  PF_TRY(pf_equations_write_out(sim->ctx, sim->arena, eq));
  switch (h->name[7]) {
  case 'M': return take_roots(sim, h, eq->M, n*n);
  case 'F': return take_roots(sim, h, eq->F, n);
  case 'A': return take_roots(sim, h, eq->A, m*n);
  default: return take_roots(sim, h, eq->b, m);
  }
}

/* "pose BODY": the origin of its frame, and its axes as columns of a matrix, in the axes of the ground. */
static PfStatus find_pose(PfSim *sim, PfHandle *h, bool *found)
{
  const PfModel *model = sim->complete;
  PfContext *ctx = sim->ctx;
  PfExpr roots[12];
  int frame = -1;
  *found = false;
  if (strncmp(h->name, "pose ", 5) != 0) return PF_OK;
  for (int i = model->frame_count; i-- > 0;)
    if (!strcmp(model->frames[i].name, h->name + 5)) frame = i;
  for (int i = model->body_count; i-- > 0;) /* a body comes before a frame of its name */
    if (!strcmp(model->bodies[i].name, h->name + 5)) frame = model->bodies[i].frame;
  if (frame < 0) return PF_OK;
  *found = true;
  pf_vector_express(model, pf_frame_position(model, frame), 0, roots);
  for (int k = 0; k < 3; k++) {
    PfExpr axis[3], turned[3];
    for (int i = 0; i < 3; i++) axis[i] = pf_expr_int(ctx, i == k);
    pf_frame_turn(model, frame, 0, axis, turned);
    for (int i = 0; i < 3; i++) roots[3 + 3*i + k] = turned[i];
  }
  PF_TRY(pf_expr_check(ctx));
  return take_roots(sim, h, roots, 12);
}

/* For bsearch: nodes are listed in increasing order. */
static int compare_nodes(const void *a, const void *b)
{
  PfExpr x = *(const PfExpr *)a, y = *(const PfExpr *)b;
  return (x > y) - (x < y);
}

/* Does the quantity contain symbols that need a sample of the motion: multipliers, accelerations, and those of a
 * monitor of the motion? All its expressions are gone through once. */
static PfStatus find_forces(PfSim *sim, PfArena *arena, PfHandle *h)
{
  static const char *const by_monitor[] = {"kinetic()", "potential()", "violation_position()", "violation_velocity()"};
  const PfSymbols *in = pf_system_symbols(sim->complete_system);
  const PfModel *model = sim->complete;
  int multipliers = in->count - in->lambda, count = 0, more = (int)(sizeof by_monitor/sizeof *by_monitor);
  int node_count = 0;
  PfExpr *nodes = NULL, *seen = pf_arena_array(arena, PfExpr, multipliers + model->coordinate_count + more);
  if (!seen) return pf_no_room(sim->ctx, "a quantity");
  for (; count < multipliers; count++) seen[count] = in->symbol[in->lambda + count];
  for (int i = 0; i < model->coordinate_count; i++) seen[count++] = model->coordinates[i].a;
  for (int i = 0; i < more; i++) seen[count++] = pf_expr_symbol(sim->ctx, by_monitor[i]);
  PF_TRY(pf_expr_reach(sim->ctx, arena, h->roots, h->size, &nodes, &node_count));
  for (int i = 0; i < count && !h->by_forces; i++)
    h->by_forces = node_count && bsearch(seen + i, nodes, (size_t)node_count, sizeof *nodes, compare_nodes);
  return PF_OK;
}

/* Finds the meaning of the name, in this order: a state, an input from outside, a matrix, a pose, a quantity. */
static PfStatus find(PfSim *sim, PfHandle *h)
{
  const PfModel *model = sim->model;
  if (find_state(sim, h)) return PF_OK;
  for (int i = 0; i < model->input_count; i++) {
    if (strcmp(model->inputs[i].name, h->name) != 0 || model->inputs[i].value != PF_EXPR_NONE) continue;
    h->kind = PF_HANDLE_INPUT;
    h->index = i;
    h->size = 1;
    h->measure = pf_model_measure(model, h->name);
    return PF_OK;
  }
  bool found;
  h->kind = PF_HANDLE_QUANTITY;
  PF_TRY(find_matrix(sim, h, &found));
  if (!found) PF_TRY(find_pose(sim, h, &found));
  if (!found) {
    /* Anything that 'plot' takes, by one name or formula; vectors have several numbers. */
    PfPlot *plots;
    int count;
    PF_TRY(pf_quantities_find_given(sim->ctx, sim->arena, sim->complete, " quantity", h->name, NULL, 0,
                                    &sim->readings.derived, &plots, &count));
    if (count != 1 || plots[0].count < 1)
      return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is not one quantity", h->name);
    h->measure = pf_plot_measure(plots, 0);
    h->plot = plots;
    PF_TRY(take_roots(sim, h, plots[0].values, (size_t)plots[0].count));
  }
  PfArena *scratch = pf_context_scratch(sim->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = find_forces(sim, scratch, h);
  pf_arena_release(scratch, mark);
  return status == PF_OK ? pf_expr_check(sim->ctx) : status;
}

/* Makes a handle and appends it. Its texts and expressions are in the arena of the simulation; in motion it is bound at
 * once. */
static PfStatus add(PfSim *sim, const char *name)
{
  PfHandle *h = pf_arena_array(sim->arena, PfHandle, 1);
  if (!h) return pf_no_room(sim->ctx, "a quantity");
  if (!name) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no name of a quantity");
  *h = (PfHandle){.name = pf_arena_text(sim->arena, name, strlen(name)), .measure = {"", 1}};
  if (!h->name) return pf_no_room(sim->ctx, "a quantity");
  PF_TRY(find(sim, h));
  PF_TRY(pf_arrays(sim->ctx, sim->arena, "a quantity", PF_ROOM(h->numbers, h->size)));
  if (pf_sim_moves(sim)) PF_TRY(pf_sim_bind(sim, h));
  bool good = pf_push(pf_context_allocator(sim->ctx), &sim->readings.handles, h);
  return good ? PF_OK : pf_no_room(sim->ctx, "a quantity");
}

/* The same name has one handle. On failure the room is given back, but not of a matrix: writing out the equations has
 * used the same arena for good. */
int pf_sim_find(PfSim *sim, const char *name)
{
  int before = pf_diagnostic_count(sim->ctx);
  for (size_t i = 0; name && i < sim->readings.handles.count; i++)
    if (!strcmp(sim->readings.handles.at[i]->name, name)) return (int)i;
  const PfMark mark = pf_arena_mark(sim->arena);
  if (!pf_sim_check_since(sim, add(sim, name), before)) {
    if (name && !is_matrix(name)) pf_arena_release(sim->arena, mark);
    return -1;
  }
  PfHandle *h = sim->readings.handles.at[sim->readings.handles.count - 1];
  h->before = mark, h->after = pf_arena_mark(sim->arena);
  return (int)sim->readings.handles.count - 1;
}

/* Only where nothing was allocated after it; otherwise the handle stays, without harm. */
void pf_sim_drop(PfSim *sim, int handle)
{
  if (handle < 0 || (size_t)handle + 1 != sim->readings.handles.count) return;
  PfHandle *h = sim->readings.handles.at[handle];
  const PfMark now = pf_arena_mark(sim->arena);
  if (is_matrix(h->name) || now.block != h->after.block || now.used != h->after.used) return;
  pf_readings_free(h->readings);
  sim->readings.handles.count--;
  pf_arena_release(sim->arena, h->before);
}

/* ---------------------------------------------------------------- readings */

/* The tape takes parameters and inputs from this start; it is made anew at each start. */
PfStatus pf_sim_bind(PfSim *sim, PfHandle *h)
{
  if (h->kind != PF_HANDLE_QUANTITY) return PF_OK;
  pf_readings_free(h->readings);
  h->readings = NULL;
  return pf_readings_new(sim->ctx, sim->complete_system, sim->start.complete_values, h->roots, h->size, &h->readings);
}

/* The handles stay; only their tapes, which belong to one start, are freed. */
void pf_sim_unbind(PfSim *sim)
{
  for (size_t i = 0; i < sim->readings.handles.count; i++) {
    pf_readings_free(sim->readings.handles.at[i]->readings);
    sim->readings.handles.at[i]->readings = NULL;
  }
}

/* ---------------------------------------------------------------- numbers */

/* NULL for a number that is not a handle. */
static const PfHandle *handle_of(const PfSim *sim, int handle)
{
  return handle >= 0 && (size_t)handle < sim->readings.handles.count ? sim->readings.handles.at[handle] : NULL;
}

/* 0 for a number that is not a handle. */
int pf_sim_size(const PfSim *sim, int handle)
{
  const PfHandle *h = handle_of(sim, handle);
  return h ? h->size : 0;
}

/* SI without a unit for a number that is not a handle. */
PfMeasure pf_sim_measure(const PfSim *sim, int handle)
{
  const PfHandle *h = handle_of(sim, handle);
  return h ? h->measure : (PfMeasure){"", 1};
}

PfMeasure pf_sim_part_measure(const PfSim *sim, int handle, int part)
{
  const PfHandle *h = handle_of(sim, handle);
  return h && h->plot && part >= 0 && part < h->plot->count ? pf_plot_measure(h->plot, part)
                                                             : pf_sim_measure(sim, handle);
}

/* The sample of the motion where it stands, evaluated when it is first needed. False without accelerations. */
static bool read_sample(PfSim *sim)
{
  PfSimReadings *r = &sim->readings;
  if (r->known != PF_SAMPLE_STALE) return r->known == PF_SAMPLE_GOOD;
  int before = pf_diagnostic_count(sim->ctx);
  const bool here = isnan(r->t);
  bool good = !here || pf_driver_apply_inputs(sim->motion.driver) == PF_OK;
  if (here) pf_sim_note_trouble(sim, before);
  good = good && pf_driver_dense_output(sim->motion.driver, pf_sim_time(sim), &r->sample);
  r->known = good ? PF_SAMPLE_GOOD : PF_SAMPLE_BAD;
  return good;
}

/* The sample is evaluated at the first call after a move and kept until the next one. */
const PfSample *pf_sim_sample(PfSim *sim)
{
  return pf_sim_moves(sim) && read_sample(sim) ? &sim->readings.sample : NULL;
}

/* Coordinates and velocities need no evaluation. */
static const double *state(PfSim *sim)
{
  if (sim->readings.known == PF_SAMPLE_GOOD) {
    size_t n = (size_t)sim->complete_equations.n;
    memcpy(sim->readings.state, sim->readings.sample.q, n*sizeof *sim->readings.state);
    memcpy(sim->readings.state + n, sim->readings.sample.v, n*sizeof *sim->readings.state);
  } else {
    pf_driver_state(sim->motion.driver, sim->readings.state);
  }
  return sim->readings.state;
}

/* The failure of a number that is not a handle. */
static PfStatus no_handle(PfSim *sim, int handle)
{
  pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no quantity with the handle %d", handle);
  pf_hint(sim->ctx, "handles come from find(), which gives -1 when there is no such quantity");
  return PF_ERR_ARGUMENT;
}

/* All numbers of the handle, in SI units. States and inputs are only copied. A quantity is evaluated with the sample of
 * the instant; without accelerations there, only one that does not need them, with zeros in their place. */
static PfStatus read_numbers(PfSim *sim, int handle, double *numbers)
{
  const PfHandle *h = handle_of(sim, handle);
  const PfDriver *driver = sim->motion.driver;
  if (!h) return no_handle(sim, handle);
  if (!pf_sim_moves(sim)) return pf_sim_not_started(sim);
  if (h->kind == PF_HANDLE_STATE) return numbers[0] = state(sim)[h->index], PF_OK;
  if (h->kind == PF_HANDLE_INPUT) return numbers[0] = sim->settings.input[h->index], PF_OK;
  bool good = read_sample(sim);
  pf_readings_set_inputs(h->readings, pf_driver_inputs(driver));
  if (good) {
    pf_readings_evaluate(h->readings, &sim->readings.sample, numbers);
  } else if (!h->by_forces && isnan(sim->readings.t)) { /* without accelerations: by the state alone */
    const double *y = state(sim), *zero = sim->readings.zeros;
    PfSample sample = {.t = pf_sim_time(sim), .q = y, .v = y + sim->complete_equations.n, .a = zero, .multiplier = zero,
                       .parameters = driver->values + driver->symbols->parameters, .held = driver->held,
                       .active = driver->active};
    pf_readings_evaluate(h->readings, &sample, numbers);
  } else {
    pf_fail(sim->ctx, PF_ERR_NUMBER, "'%s' has no value at t = %.12g, where there are no accelerations", h->name,
            pf_sim_time(sim));
    if (sim->motion.trouble.status != PF_OK) pf_hint(sim->ctx, "%s", sim->motion.trouble.message);
    return PF_ERR_NUMBER;
  }
  return PF_OK;
}

/* A quantity without a value gives an error but leaves no diagnostics. */
bool pf_sim_read(PfSim *sim, int handle, double *numbers)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = read_numbers(sim, handle, numbers);
  bool good = pf_sim_check_since(sim, status, before);
  if (!good) pf_diagnostics_forget(sim->ctx, before);
  return good;
}

/* NaN for everything that fails. */
double pf_sim_get(PfSim *sim, int handle)
{
  const PfHandle *h = handle_of(sim, handle);
  double none = NAN, *numbers = h ? h->numbers : &none;
  return pf_sim_read(sim, handle, numbers) && h && h->size > 0 ? numbers[0] : NAN;
}

/* The input holds from where the motion stands, and at the next start. Fails for what is not an input from outside and
 * for a number that is not finite. */
static PfStatus put(PfSim *sim, int handle, double value)
{
  const PfHandle *h = handle_of(sim, handle);
  if (!h) return no_handle(sim, handle);
  if (h->kind != PF_HANDLE_INPUT)
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is no input that is set from outside", h->name);
  if (!isfinite(value))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is set to a number that is not finite", h->name);
  sim->settings.input[h->index] = value;
  sim->readings.known = PF_SAMPLE_STALE;
  pf_sim_forget_start(sim);
  if (pf_sim_moves(sim)) pf_driver_set_input(sim->motion.driver, h->index, value);
  return PF_OK;
}

/* By the handle: without a search for the name. */
bool pf_sim_put(PfSim *sim, int handle, double value)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, put(sim, handle, value), before);
}
