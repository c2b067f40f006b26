/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers at many states: accelerations by a formulation, matrices and quantities by tapes. Loops over states are here,
 * so that Python is called once however many there are. */
#include "field.h"
#include "glue.h"

#include "num/num.h"
#include "sim/quantities.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- errors */

static int conclude(PfPyField *f, PfStatus status, int before, PfError *error)
{
  *error = (PfError){0};
  if (status == PF_OK) return PF_PY_GOOD;
  /* The words of the first error since `before`; they are kept nowhere else. */
  *error = (PfError){.status = status};
  snprintf(error->message, sizeof error->message, "%s", pf_status_text(status));
  for (int i = before; i < pf_diagnostic_count(f->ctx); i++) {
    const PfDiagnostic *d = pf_diagnostic(f->ctx, i);
    if (d->severity != PF_ERROR) continue;
    snprintf(error->message, sizeof error->message, "%s", d->message);
    snprintf(error->hint, sizeof error->hint, "%s", d->hint ? d->hint : "");
    break;
  }
  pf_diagnostics_forget(f->ctx, before);
  if (!f->ask.stopped) return PF_PY_FAILED;
  f->ask.stopped = false;
  pf_context_set_cancel(f->ctx, pf_py_ask, &f->ask);
  return PF_PY_STOPPED;
}

/* ---------------------------------------------------------------- opening */

static PfStatus make(PfPyField *f)
{
  PF_TRY(pf_context_set_native(f->ctx, PF_NATIVE_OFF)); /* tapes can change it later */
  f->matrix_free = f->work.equations;
  PF_TRY(pf_system_new(f->ctx, &f->matrix_free, &f->system));
  f->symbols = pf_system_symbols(f->system);
  f->in_count = f->symbols->count + f->matrix_free.n;
  f->in = pf_arena_array(f->arena, PfExpr, f->in_count);
  f->values = pf_arena_array(f->arena, double, f->in_count);
  f->given = pf_arena_array(f->arena, double, f->model->parameter_count);
  if (!f->in || !f->values || !f->given) return pf_no_room(f->ctx, "the model");
  if (f->symbols->count) memcpy(f->in, f->symbols->symbol, (size_t)f->symbols->count*sizeof *f->in);
  for (int i = 0; i < f->matrix_free.n; i++) f->in[f->symbols->count + i] = f->model->coordinates[i].a;
  return PF_OK;
}

PfPyField *pf_py_field_open(PfMachine *machine, void *who, PfError *error)
{
  PfPyField *f = calloc(1, sizeof *f);
  *error = (PfError){.status = PF_ERR_MEMORY, .message = "out of memory"};
  if (!f) return NULL;
  pf_py_ask_begin(&f->ask, who);
  PfStatus status = pf_workspace_open(machine, PF_MATRIX_FREE, pf_py_ask, &f->ask, &f->work);
  f->ctx = f->work.ctx, f->arena = f->work.arena, f->model = f->work.model;
  if (status == PF_OK) status = make(f);
  int outcome = f->ctx ? conclude(f, status, 0, error) : PF_PY_FAILED;
  if (outcome == PF_PY_GOOD) return f;
  pf_py_field_close(f);
  return NULL;
}

void pf_py_field_close(PfPyField *f)
{
  if (!f) return;
  for (int i = 0; i < f->prepared_count; i++) pf_solver_free(f->prepared[i].solver);
  for (size_t i = 0; i < f->lists.count; i++) pf_tape_free(f->lists.at[i].tape);
  if (f->ctx) pf_array_free(pf_context_allocator(f->ctx), &f->lists);
  pf_system_free(f->system);
  pf_workspace_close(&f->work);
  free(f);
}

void pf_py_field_ask(PfPyField *f, void *who)
{
  pf_py_ask_begin(&f->ask, who);
}

int pf_py_field_native(PfPyField *f, int mode, PfError *error)
{
  int before = pf_diagnostic_count(f->ctx);
  return conclude(f, pf_context_set_native(f->ctx, (PfNative)mode), before, error);
}

/* ---------------------------------------------------------------- the numbers of a state */

static bool are_same(const double *x, const double *y, int count)
{
  return !count || !memcmp(x, y, (size_t)count*sizeof *x);
}

/* Derived parameters follow from the others; mostly all states have the same. */
static PfStatus set_parameters(PfPyField *f, const PfPyStates *s, size_t k)
{
  const int count = f->model->parameter_count;
  const double *row = s->parameters ? s->parameters + k*s->parameter_step : NULL;
  if (f->is_given && (!row || are_same(f->given, row, count))) return PF_OK;
  for (int i = 0; i < count; i++) f->given[i] = row ? row[i] : NAN;
  f->is_given = false;
  PF_TRY(pf_model_parameter_values(f->model, f->given, PF_MISSING_FAILS, f->values + f->symbols->parameters));
  f->is_given = true;
  return PF_OK;
}

static void copy_group(double *to, const double *from, size_t offset, int count)
{
  if (from && count) memcpy(to, from + offset, (size_t)count*sizeof *to);
  else for (int i = 0; i < count; i++) to[i] = 0;
}

static PfStatus put_numbers(PfPyField *f, const PfPyStates *s, size_t k)
{
  const PfSymbols *at = f->symbols;
  const int n = f->matrix_free.n;
  PF_TRY(set_parameters(f, s, k));
  copy_group(f->values + at->q, s->q, k*s->q_step, n);
  copy_group(f->values + at->v, s->v, k*s->v_step, n);
  copy_group(f->values + at->inputs, s->inputs, k*s->input_step, f->model->input_count);
  copy_group(f->values + at->time, s->t, k*s->t_step, 1);
  return PF_OK;
}

/* Also of what a result does not depend on: NaN there is a mistake elsewhere. */
static PfStatus check_finite(const PfPyField *f)
{
  const size_t n = (size_t)f->matrix_free.n;
  const double *q = f->values + f->symbols->q, *v = f->values + f->symbols->v;
  const bool finite = pf_first_not_finite(q, n) < 0 && pf_first_not_finite(v, n) < 0;
  if (finite && isfinite(f->values[f->symbols->time])) return PF_OK;
  return pf_fail(f->ctx, PF_ERR_NUMBER, "a number of the state is not finite");
}

/* A state whose parameters make no numbers, as a quotient by one that is 0, is one without an answer. */
static PfStatus fill(Loop *l, bool *good)
{
  const int before = pf_diagnostic_count(l->f->ctx);
  PfStatus status = put_numbers(l->f, l->states, l->state);
  if (status == PF_OK) status = check_finite(l->f);
  *good = status == PF_OK;
  if (status != PF_ERR_NUMBER || !l->pass) return status;
  pf_diagnostics_forget(l->f->ctx, before);
  return PF_OK;
}

/* ---------------------------------------------------------------- accelerations */

static PfStatus find_way(PfPyField *f, const char *name, PfSolver **solver)
{
  const PfFormulation *formulation = pf_formulation_find(name);
  *solver = NULL;
  if (!formulation) return pf_formulation_unknown(f->ctx, name);
  for (int i = 0; i < f->prepared_count && !*solver; i++)
    if (f->prepared[i].formulation == formulation) *solver = f->prepared[i].solver;
  if (*solver) return PF_OK;
  if (f->prepared_count == MOST_PREPARED) return pf_no_room(f->ctx, "another formulation");
  PF_TRY(pf_solver_new(f->ctx, f->system, formulation, solver));
  f->prepared[f->prepared_count++] = (Prepared){formulation, *solver};
  return PF_OK;
}

static PfStatus solve(Loop *l, bool *good)
{
  PfPyField *f = l->f;
  int row = -1;
  PfTrouble trouble = pf_solver_accelerate(l->solver, f->values, &l->motion, &row);
  *good = trouble == PF_TROUBLE_NONE;
  if (*good || l->pass) return PF_OK;
  PfStatus status = pf_trouble_report_at(f->ctx, f->system, f->values, trouble, row);
  return status == PF_ERR_MEMORY || status == PF_ERR_CANCELLED ? status : PF_ERR_NUMBER; /* it is this state */
}

void pf_py_put_nan(double *to, int count)
{
  for (int i = 0; i < count; i++) to[i] = NAN;
}

static double *at_state(double *array, size_t k, int count)
{
  return array ? array + k*(size_t)count : NULL;
}

static PfStatus accelerate(Loop *l, double *acceleration, double *multiplier, double *force, double *spare)
{
  const int n = l->f->matrix_free.n, m = l->f->matrix_free.m;
  for (; l->state < l->states->count; l->state++) {
    bool good;
    PF_TRY(fill(l, &good));
    if (l->state % TOGETHER == 0) PF_TRY(pf_check_cancelled(l->f->ctx));
    double *a = at_state(acceleration, l->state, n), *lambda = at_state(multiplier, l->state, m);
    l->motion = (PfMotion){a ? a : spare, lambda ? lambda : spare + n, at_state(force, l->state, n)};
    if (good) PF_TRY(solve(l, &good));
    if (good) continue;
    pf_py_put_nan(l->motion.acceleration, n);
    pf_py_put_nan(l->motion.multiplier, m);
    if (l->motion.force) pf_py_put_nan(l->motion.force, n);
  }
  return PF_OK;
}

PfStatus pf_py_loop_begin(Loop *l, const char *formulation)
{
  l->f->is_given = false;
  return find_way(l->f, formulation, &l->solver);
}

int pf_py_loop_end(const Loop *l, PfStatus status, int before, PfPyTrouble *trouble)
{
  trouble->state = l->state;
  return conclude(l->f, status, before, &trouble->error);
}

int pf_py_field_accelerate(PfPyField *f, const char *formulation, const PfPyStates *states, int pass,
                           double *acceleration, double *multiplier, double *force, PfPyTrouble *trouble)
{
  const int before = pf_diagnostic_count(f->ctx);
  Loop loop = {.f = f, .states = states, .pass = pass != 0};
  double *spare = calloc((size_t)f->matrix_free.n + (size_t)f->matrix_free.m + 1, sizeof *spare);
  PfStatus status = spare ? pf_py_loop_begin(&loop, formulation) : pf_no_room(f->ctx, "accelerations");
  if (status == PF_OK) status = accelerate(&loop, acceleration, multiplier, force, spare);
  free(spare);
  return pf_py_loop_end(&loop, status, before, trouble);
}

/* ---------------------------------------------------------------- lists of numbers */

PfStatus pf_py_write_out(PfPyField *f)
{
  if (f->is_written) return PF_OK;
  f->written = f->matrix_free;
  PF_TRY(pf_equations_write_out(f->ctx, f->arena, &f->written));
  f->is_written = true;
  return PF_OK;
}

PfStatus pf_py_list_add(PfPyField *f, const char *name, int by, PfExpr *roots, int size)
{
  List list = {.size = size, .by = by, .name = pf_arena_text(f->arena, name, strlen(name))};
  const PfSymbols *at = f->symbols;
  if (!list.name) return pf_no_room(f->ctx, "a quantity");
  PF_TRY(pf_equations_express(f->ctx, f->arena, &f->written, roots, size));
  PF_TRY(pf_insert_inputs(f->ctx, f->model, roots, (size_t)size));
  PF_TRY(pf_expr_contain(f->ctx, roots, size, f->in + at->lambda, f->in_count - at->lambda, &list.solved));
  PF_TRY(pf_tape_new(f->ctx, f->in, f->in_count, roots, size, &list.tape));
  if (pf_push(pf_context_allocator(f->ctx), &f->lists, list)) return PF_OK;
  pf_tape_free(list.tape);
  return pf_no_room(f->ctx, "a quantity");
}

static PfStatus copy_roots(PfPyField *f, const PfExpr *from, int count, PfExpr **roots)
{
  *roots = pf_arena_array(f->arena, PfExpr, count);
  if (!*roots) return pf_no_room(f->ctx, "a quantity");
  if (count) memcpy(*roots, from, (size_t)count*sizeof *from);
  return PF_OK;
}

/* What has a unit behind it is in that unit. */
static PfStatus change_units(PfPyField *f, const char *name, PfExpr *roots, int count)
{
  double *scale = pf_arena_array(f->arena, double, count);
  if (!scale) return pf_no_room(f->ctx, "a quantity");
  PF_TRY(pf_py_scales(f->ctx, f->model, name, scale, count));
  for (int i = 0; i < count; i++)
    if (scale[i] != 1) roots[i] = pf_expr_div(f->ctx, roots[i], pf_expr_double(f->ctx, scale[i]));
  return pf_expr_check(f->ctx);
}

static PfStatus find_roots(PfPyField *f, const char *name, PfExpr **roots, int *size)
{
  const PfEquations *eq = &f->written;
  const char *const letters = "MFAb";
  const char *matrix = !strncmp(name, "matrix ", 7) && strlen(name) == 8 ? strchr(letters, name[7]) : NULL;
  if (matrix) {
    const PfExpr *all[] = {eq->M, eq->F, eq->A, eq->b};
    const int sizes[] = {eq->n*eq->n, eq->n, eq->m*eq->n, eq->m}, k = (int)(matrix - letters);
    *size = sizes[k];
    return copy_roots(f, all[k], *size, roots);
  }
  PfPlot *plots;
  int count;
  PF_TRY(pf_quantities_find(f->ctx, f->arena, f->model, "quantity", name, &plots, &count));
  if (count != 1 || plots[0].count < 1) return pf_fail(f->ctx, PF_ERR_ARGUMENT, "'%s' is no list of quantities", name);
  *size = plots[0].count;
  PF_TRY(copy_roots(f, plots[0].values, *size, roots));
  return strstr(name, " [") ? change_units(f, name, *roots, *size) : PF_OK;
}

static PfStatus make_list(PfPyField *f, const char *name)
{
  PfExpr *roots = NULL;
  int size = 0;
  PF_TRY(pf_py_write_out(f));
  const PfMark mark = pf_arena_mark(f->arena);
  PfStatus status = find_roots(f, name, &roots, &size);
  if (status == PF_OK) return pf_py_list_add(f, name, 0, roots, size);
  pf_arena_release(f->arena, mark);
  return status;
}

int pf_py_list_find(const PfPyField *f, const char *name, int by)
{
  for (size_t i = 0; i < f->lists.count; i++)
    if (f->lists.at[i].by == by && !strcmp(f->lists.at[i].name, name)) return (int)i;
  return -1;
}

int pf_py_field_find(PfPyField *f, const char *quantities, PfError *error)
{
  const int before = pf_diagnostic_count(f->ctx);
  int found = pf_py_list_find(f, quantities, 0);
  PfStatus status = found >= 0 ? PF_OK : make_list(f, quantities);
  if (conclude(f, status, before, error) != PF_PY_GOOD) return -1;
  return found >= 0 ? found : (int)f->lists.count - 1;
}

int pf_py_field_size(PfPyField *f, int handle)
{
  return handle >= 0 && (size_t)handle < f->lists.count ? f->lists.at[handle].size : 0;
}

/* ---------------------------------------------------------------- reading lists */

PfStatus pf_py_loop_prepare(Loop *l, bool *good)
{
  PfPyField *f = l->f;
  PF_TRY(fill(l, good));
  l->motion = (PfMotion){f->values + f->symbols->count, f->values + f->symbols->lambda, NULL};
  return *good && l->list.solved ? solve(l, good) : PF_OK;
}

/* Several states go through a tape together. */
static PfStatus read_some(Loop *l, size_t count, double *rows, double *work, double *numbers)
{
  const size_t wide = (size_t)l->f->in_count, size = (size_t)l->list.size;
  bool good[TOGETHER];
  PF_TRY(pf_check_cancelled(l->f->ctx));
  for (size_t k = 0; k < count; k++, l->state++) {
    PF_TRY(pf_py_loop_prepare(l, good + k));
    memcpy(rows + k*wide, l->f->values, wide*sizeof *rows);
  }
  double *first = numbers + (l->state - count)*size;
  bool finite = pf_tape_run_many(l->list.tape, (int)count, rows, first, work);
  for (size_t k = 0; k < count; k++)
    if (!good[k]) pf_py_put_nan(first + k*size, (int)size);
  if (finite || l->pass) return PF_OK;
  l->state -= count;
  while (pf_first_not_finite(first, size) < 0) first += size, l->state++;
  return pf_fail(l->f->ctx, PF_ERR_NUMBER, "'%s' is not a finite number", l->list.name);
}

static PfStatus read_all(Loop *l, double *room, double *numbers)
{
  double *work = room + (size_t)TOGETHER*(size_t)l->f->in_count;
  while (l->state < l->states->count) {
    size_t left = l->states->count - l->state;
    PF_TRY(read_some(l, left < TOGETHER ? left : TOGETHER, room, work, numbers));
  }
  return PF_OK;
}

int pf_py_field_read(PfPyField *f, int handle, const char *formulation, const PfPyStates *states, int pass,
                     double *numbers, PfPyTrouble *trouble)
{
  const int before = pf_diagnostic_count(f->ctx);
  const List list = f->lists.at[handle];
  Loop loop = {.f = f, .states = states, .pass = pass != 0, .list = list};
  double *room = calloc((size_t)TOGETHER*(size_t)f->in_count + pf_tape_many_work_size(list.tape) + 1, sizeof *room);
  PfStatus status = room ? pf_py_loop_begin(&loop, formulation) : pf_no_room(f->ctx, "quantities");
  if (status == PF_OK) status = read_all(&loop, room, numbers);
  free(room);
  return pf_py_loop_end(&loop, status, before, trouble);
}
