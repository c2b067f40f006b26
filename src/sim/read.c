/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities by handles. */
#include "sim/sim_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* ---------------------------------------------------------------- what a name means */

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

static bool find_input(PfSim *sim, PfHandle *h)
{
  const PfModel *model = sim->model;
  for (int i = 0; i < model->input_count; i++) {
    if (strcmp(model->inputs[i].name, h->name) != 0 || model->inputs[i].value != PF_EXPR_NONE) continue;
    h->kind = PF_HANDLE_INPUT;
    h->index = i;
    h->size = 1;
    h->measure = pf_model_measure(model, h->name);
    return true;
  }
  return false;
}

static PfStatus take_roots(PfSim *sim, PfHandle *h, const PfExpr *roots, size_t count)
{
  h->size = (int)count;
  h->roots = pf_arena_array(sim->arena, PfExpr, count);
  if (!h->roots) return pf_no_room(sim->ctx, "a quantity");
  if (count) memcpy(h->roots, roots, count*sizeof *roots);
  return PF_OK;
}

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

static int find_body(const PfModel *model, const char *name)
{
  for (int i = 0; i < model->body_count; i++)
    if (!strcmp(model->bodies[i].name, name)) return model->bodies[i].frame;
  for (int i = 0; i < model->frame_count; i++)
    if (!strcmp(model->frames[i].name, name)) return i;
  return -1;
}

/* "pose BODY": the origin of its frame, and its axes as columns of a matrix, in the axes of the ground. */
static PfStatus find_pose(PfSim *sim, PfHandle *h, bool *found)
{
  const PfModel *model = sim->complete;
  PfContext *ctx = sim->ctx;
  PfExpr roots[12];
  int frame = strncmp(h->name, "pose ", 5) ? -1 : find_body(model, h->name + 5);
  *found = frame >= 0;
  if (!*found) return PF_OK;
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

static PfStatus find_quantity(PfSim *sim, PfHandle *h)
{
  PfPlot *plots;
  int count;
  PF_TRY(pf_quantities_find_given(sim->ctx, sim->arena, sim->complete, "quantity", h->name, NULL, 0, &sim->derived,
                                  &plots, &count));
  if (count != 1 || plots[0].count < 1)
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is not one quantity", h->name);
  h->measure = pf_plot_measure(plots, 0);
  return take_roots(sim, h, plots[0].values, (size_t)plots[0].count);
}

/* Symbols that only a look at the motion tells: multipliers, accelerations, and what a monitor sees. */
static PfStatus list_seen(PfSim *sim, PfArena *arena, PfExpr **list, int *count)
{
  static const char *const by_monitor[] = {"kinetic()", "potential()", "violation_position()", "violation_velocity()"};
  const PfSymbols *in = pf_system_symbols(sim->complete_system);
  const PfModel *model = sim->complete;
  int multipliers = in->count - in->lambda, k = 0, more = (int)(sizeof by_monitor/sizeof *by_monitor);
  PfExpr *seen = *list = pf_arena_array(arena, PfExpr, multipliers + model->coordinate_count + more);
  if (!seen) return pf_no_room(sim->ctx, "a quantity");
  for (; k < multipliers; k++) seen[k] = in->symbol[in->lambda + k];
  for (int i = 0; i < model->coordinate_count; i++) seen[k++] = model->coordinates[i].a;
  for (int i = 0; i < more; i++) seen[k++] = pf_expr_symbol(sim->ctx, by_monitor[i]);
  *count = k;
  return PF_OK;
}

static int compare_nodes(const void *a, const void *b)
{
  PfExpr x = *(const PfExpr *)a, y = *(const PfExpr *)b;
  return (x > y) - (x < y);
}

/* Does the quantity contain one of them? All its expressions are gone through once. */
static PfStatus find_forces(PfSim *sim, PfArena *arena, PfHandle *h)
{
  PfExpr *seen = NULL, *nodes = NULL;
  int count = 0, node_count = 0;
  PF_TRY(list_seen(sim, arena, &seen, &count));
  PF_TRY(pf_expr_reach(sim->ctx, arena, h->roots, h->size, &nodes, &node_count));
  for (int i = 0; i < count && !h->by_forces; i++)
    h->by_forces = node_count && bsearch(seen + i, nodes, (size_t)node_count, sizeof *nodes, compare_nodes);
  return PF_OK;
}

static PfStatus note_forces(PfSim *sim, PfHandle *h)
{
  PfArena *scratch = pf_context_scratch(sim->ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = find_forces(sim, scratch, h);
  pf_arena_release(scratch, mark);
  return status;
}

static PfStatus find(PfSim *sim, PfHandle *h)
{
  bool found = find_state(sim, h) || find_input(sim, h);
  if (found) return PF_OK;
  h->kind = PF_HANDLE_QUANTITY;
  PF_TRY(find_matrix(sim, h, &found));
  if (!found) PF_TRY(find_pose(sim, h, &found));
  if (!found) PF_TRY(find_quantity(sim, h));
  PF_TRY(note_forces(sim, h));
  return pf_expr_check(sim->ctx);
}

static PfStatus add(PfSim *sim, const char *name)
{
  PfHandle *h = pf_arena_array(sim->arena, PfHandle, 1);
  if (!h) return pf_no_room(sim->ctx, "a quantity");
  if (!name) return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no name of a quantity");
  *h = (PfHandle){.name = pf_arena_text(sim->arena, name, strlen(name)), .measure = {"", 1}};
  if (!h->name) return pf_no_room(sim->ctx, "a quantity");
  PF_TRY(find(sim, h));
  h->numbers = pf_arena_array(sim->arena, double, h->size);
  if (!h->numbers) return pf_no_room(sim->ctx, "a quantity");
  if (sim->motion) PF_TRY(pf_sim_bind(sim, h));
  return pf_push(pf_context_allocator(sim->ctx), &sim->handles, h) ? PF_OK : pf_no_room(sim->ctx, "a quantity");
}

int pf_sim_find(PfSim *sim, const char *name)
{
  int before = pf_diagnostic_count(sim->ctx);
  for (size_t i = 0; name && i < sim->handles.count; i++)
    if (!strcmp(sim->handles.at[i]->name, name)) return (int)i;
  const PfMark mark = pf_arena_mark(sim->arena);
  if (!pf_sim_check_since(sim, add(sim, name), before)) {
    if (name && !is_matrix(name)) pf_arena_release(sim->arena, mark);
    return -1;
  }
  PfHandle *h = sim->handles.at[sim->handles.count - 1];
  h->before = mark, h->after = pf_arena_mark(sim->arena);
  return (int)sim->handles.count - 1;
}

void pf_sim_drop(PfSim *sim, int handle)
{
  if (handle < 0 || (size_t)handle + 1 != sim->handles.count) return;
  PfHandle *h = sim->handles.at[handle];
  const PfMark now = pf_arena_mark(sim->arena);
  if (is_matrix(h->name) || now.block != h->after.block || now.used != h->after.used) return;
  pf_readings_free(h->readings);
  sim->handles.count--;
  pf_arena_release(sim->arena, h->before);
}

/* ---------------------------------------------------------------- readings */

PfStatus pf_sim_bind(PfSim *sim, PfHandle *h)
{
  if (h->kind != PF_HANDLE_QUANTITY) return PF_OK;
  pf_readings_free(h->readings);
  h->readings = NULL;
  return pf_readings_new(sim->ctx, sim->complete_system, sim->complete_values, h->roots, h->size, &h->readings);
}

void pf_sim_unbind(PfSim *sim)
{
  for (size_t i = 0; i < sim->handles.count; i++) {
    pf_readings_free(sim->handles.at[i]->readings);
    sim->handles.at[i]->readings = NULL;
  }
}

/* ---------------------------------------------------------------- numbers */

static const PfHandle *handle_of(const PfSim *sim, int handle)
{
  return handle >= 0 && (size_t)handle < sim->handles.count ? sim->handles.at[handle] : NULL;
}

int pf_sim_size(const PfSim *sim, int handle)
{
  const PfHandle *h = handle_of(sim, handle);
  return h ? h->size : 0;
}

PfMeasure pf_sim_measure(const PfSim *sim, int handle)
{
  const PfHandle *h = handle_of(sim, handle);
  return h ? h->measure : (PfMeasure){"", 1};
}

/* What the motion shows where it stands, worked out when it is first asked for. */
static bool look(PfSim *sim)
{
  if (sim->looked) return sim->look_good;
  int before = pf_diagnostic_count(sim->ctx);
  bool good = sim->looking || pf_phases_take_inputs(sim->motion) == PF_OK;
  if (!sim->looking) pf_sim_note_trouble(sim, before);
  sim->look_good = good && pf_phases_look(sim->motion, pf_sim_time(sim), &sim->sample);
  sim->looked = true;
  return sim->look_good;
}

const PfSample *pf_sim_sample(PfSim *sim)
{
  return sim->motion && look(sim) ? &sim->sample : NULL;
}

/* Coordinates and velocities need no evaluation. */
static const double *state(PfSim *sim)
{
  if (sim->looked && sim->look_good) {
    size_t n = (size_t)sim->complete_equations.n;
    memcpy(sim->state, sim->sample.q, n*sizeof *sim->state);
    memcpy(sim->state + n, sim->sample.v, n*sizeof *sim->state);
  } else {
    pf_phases_state(sim->motion, sim->state);
  }
  return sim->state;
}

/* Without accelerations: what the state alone tells. */
static void read_state(PfSim *sim, const PfHandle *h, double *numbers)
{
  const double *y = state(sim), *zero = sim->zeros;
  PfSample sample = {.t = pf_sim_time(sim), .q = y, .v = y + sim->complete_equations.n, .a = zero, .multiplier = zero,
                     .parameters = sim->motion->values + sim->motion->symbols->parameters,
                     .held = sim->motion->held, .active = sim->motion->active};
  pf_readings_take(h->readings, &sample, numbers);
}

static PfStatus read_quantity(PfSim *sim, const PfHandle *h, double *numbers)
{
  bool good = look(sim);
  pf_readings_set_inputs(h->readings, pf_phases_inputs(sim->motion));
  if (!good && !h->by_forces && !sim->looking) {
    read_state(sim, h, numbers);
    return PF_OK;
  }
  if (!good) {
    pf_fail(sim->ctx, PF_ERR_NUMBER, "'%s' has no value at t = %.12g, where there are no accelerations", h->name,
            pf_sim_time(sim));
    if (sim->trouble.status != PF_OK) pf_hint(sim->ctx, "%s", sim->trouble.message);
    return PF_ERR_NUMBER;
  }
  pf_readings_take(h->readings, &sim->sample, numbers);
  return PF_OK;
}

static PfStatus no_handle(PfSim *sim, int handle)
{
  pf_fail(sim->ctx, PF_ERR_ARGUMENT, "there is no quantity with the handle %d", handle);
  pf_hint(sim->ctx, "handles come from pf_sim_find, which gives -1 when there is no such quantity");
  return PF_ERR_ARGUMENT;
}

static PfStatus read_numbers(PfSim *sim, int handle, double *numbers)
{
  const PfHandle *h = handle_of(sim, handle);
  if (!h) return no_handle(sim, handle);
  if (!sim->motion) return pf_sim_not_started(sim);
  switch (h->kind) {
  case PF_HANDLE_STATE: numbers[0] = state(sim)[h->index]; return PF_OK;
  case PF_HANDLE_INPUT: numbers[0] = sim->input[h->index]; return PF_OK;
  case PF_HANDLE_QUANTITY: break;
  }
  return read_quantity(sim, h, numbers);
}

/* That a quantity has no value is told by the error alone. */
bool pf_sim_read(PfSim *sim, int handle, double *numbers)
{
  int before = pf_diagnostic_count(sim->ctx);
  PfStatus status = read_numbers(sim, handle, numbers);
  bool good = pf_sim_check_since(sim, status, before);
  if (!good) pf_diagnostics_forget(sim->ctx, before);
  return good;
}

double pf_sim_get(PfSim *sim, int handle)
{
  const PfHandle *h = handle_of(sim, handle);
  double none = NAN, *numbers = h ? h->numbers : &none;
  return pf_sim_read(sim, handle, numbers) && h && h->size > 0 ? numbers[0] : NAN;
}

static PfStatus put(PfSim *sim, int handle, double value)
{
  const PfHandle *h = handle_of(sim, handle);
  if (!h) return no_handle(sim, handle);
  if (h->kind != PF_HANDLE_INPUT)
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is no input that is set from outside", h->name);
  if (!isfinite(value))
    return pf_fail(sim->ctx, PF_ERR_ARGUMENT, "'%s' is set to a number that is not finite", h->name);
  sim->input[h->index] = value;
  sim->looked = sim->placed = false;
  if (sim->motion) pf_phases_set_input(sim->motion, h->index, value);
  return PF_OK;
}

bool pf_sim_put(PfSim *sim, int handle, double value)
{
  int before = pf_diagnostic_count(sim->ctx);
  return pf_sim_check_since(sim, put(sim, handle, value), before);
}
