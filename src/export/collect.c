/* SPDX-License-Identifier: Apache-2.0 */
/* What a model has to compute, as lists of expressions.
 *
 * An export is a list of functions, each a tape on the same symbols: parameters, time, inputs, q, v, accelerations and
 * multipliers. pf_export_collect names all quantities, finds accelerations by the form that is requested, and then
 * makes the functions one after the other; the writers of languages turn the tapes into code. Nothing here depends on a
 * language but the reserved words. The order of functions and expressions is fixed, so that the same model gives the
 * same text. */
#include "export/export_impl.h"
#include "form/angles.h"
#include "form/closed.h"
#include "form/unroll.h"
#include "model/model.h"
#include "num/num.h"
#include "time/manifold.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

/* A list while it is named. Each list has a space of names of its own. */
typedef struct Naming {
  PfExport *x;
  PfNames names;
  PfNamedList *list;
  int *number; /* in the model, of each entry; NULL: not recorded */
} Naming;

/* Begins a list with room for `room` names; `number` gets room for their numbers in the model, unless it is NULL. */
static PfStatus begin_list(Naming *k, PfNamedList *list, int room, int **number)
{
  PfExport *x = k->x;
  pf_names_free(&k->names);
  pf_names_init(&k->names, x->ctx, x->arena, x->words);
  *list = (PfNamedList){0, pf_arena_array(x->arena, PfNamed, room)};
  k->list = list;
  k->number = number ? *number = pf_arena_array(x->arena, int, room) : NULL;
  return list->at && (!number || *number) ? PF_OK : pf_no_room(x->ctx, "the export");
}

static PfStatus add_name(Naming *k, int number, const char *name, PfMeasure measure)
{
  const int i = k->list->count++;
  k->list->at[i] = (PfNamed){.name = name, .measure = measure};
  if (k->number) k->number[i] = number;
  return pf_names_take(&k->names, name, &k->list->at[i].id);
}

/* Parameters without those made of others, which are written out as are inputs that are functions of time; coordinates,
 * constraints, contacts, frames, and last the outputs. */
static PfStatus name_lists(Naming *k)
{
  PfExport *x = k->x;
  const PfModel *model = x->model;
  PF_TRY(begin_list(k, &x->parameters, model->parameter_count, &x->parameter));
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    if (!p->derived && !p->hidden) PF_TRY(add_name(k, i, p->name, pf_model_measure(model, p->name)));
  }
  PF_TRY(begin_list(k, &x->coordinates, x->n, NULL));
  for (int i = 0; i < x->n; i++)
    PF_TRY(add_name(k, i, model->coordinates[i].name, pf_coordinate_measure(model->coordinates + i, 0)));
  PF_TRY(begin_list(k, &x->inputs, model->input_count, &x->input));
  for (int i = 0; i < model->input_count; i++) {
    const PfInput *u = model->inputs + i;
    if (u->value == PF_EXPR_NONE) PF_TRY(add_name(k, i, u->name, pf_model_measure(model, u->name)));
  }
  PF_TRY(begin_list(k, &x->constraints, x->m, NULL));
  for (int i = 0; i < x->m; i++)
    PF_TRY(add_name(k, i, model->constraints[i].name, (PfMeasure){model->constraints[i].unit, 1}));
  PF_TRY(begin_list(k, &x->contacts, model->contact_count, NULL));
  for (int i = 0; i < model->contact_count; i++) PF_TRY(add_name(k, i, model->contacts[i].name, (PfMeasure){"", 1}));
  /* Bodies, then other frames that have a name. */
  const PfMeasure none = {"", 1};
  PF_TRY(begin_list(k, &k->x->frames, model->frame_count + model->body_count, &k->x->frame));
  for (int i = 0; i < model->body_count; i++)
    PF_TRY(add_name(k, model->bodies[i].frame, model->bodies[i].name, none));
  for (int i = 1; i < model->frame_count; i++) {
    bool listed = !model->frames[i].name[0];
    for (int l = 0; l < k->list->count && !listed; l++) listed = k->number[l] == i;
    if (!listed) PF_TRY(add_name(k, i, model->frames[i].name, none));
  }
  pf_names_free(&k->names);
  pf_names_init(&k->names, x->ctx, x->arena, x->words);
  return pf_export_outputs(x, &k->names);
}

/* ---------------------------------------------------------------- symbols */

/* Copies expressions to the end of a list, which grows. */
static void append(PfExpr *list, int *count, const PfExpr *from, int more)
{
  if (more) memcpy(list + *count, from, (size_t)more*sizeof *list);
  *count += more;
}

/* The symbols of the tapes in their order, and where each kind begins. */
static PfStatus list_symbols(PfExport *x)
{
  const PfModel *model = x->model;
  int k = 0;
  size_t count = (size_t)(x->parameters.count + 1 + x->inputs.count + 3*x->n + x->m);
  PfExpr *s = x->symbols = pf_arena_array(x->arena, PfExpr, count);
  if (!s) return pf_no_room(x->ctx, "the export");
  for (int i = 0; i < x->parameters.count; i++) s[k++] = model->parameters[x->parameter[i]].symbol;
  x->at_time = k;
  s[k++] = model->time;
  x->at_inputs = k;
  for (int i = 0; i < x->inputs.count; i++) s[k++] = model->inputs[x->input[i]].symbol;
  x->at_q = k;
  for (int i = 0; i < x->n; i++) s[k++] = model->coordinates[i].q;
  x->at_v = k;
  for (int i = 0; i < x->n; i++) s[k++] = model->coordinates[i].v;
  x->at_a = k;
  for (int i = 0; i < x->n; i++) s[k++] = model->coordinates[i].a;
  x->at_lambda = k;
  for (int i = 0; i < x->m; i++) s[k++] = model->constraints[i].multiplier;
  x->symbol_count = k;
  return PF_OK;
}

/* Symbols of the system are more: inputs that are functions of time and parameters made of others are written out in
 * the tapes of an export. */
void pf_export_take_values(const PfExport *x, const double *values, double *symbols)
{
  const PfSymbols *in = pf_system_symbols(x->system);
  for (int i = 0; i < x->parameters.count; i++) symbols[i] = values[in->parameters + x->parameter[i]];
  symbols[x->at_time] = values[in->time];
  for (int i = 0; i < x->inputs.count; i++) symbols[x->at_inputs + i] = values[in->inputs + x->input[i]];
  for (int i = 0; i < 2*x->n; i++) symbols[x->at_q + i] = values[in->q + i];
}

/* ---------------------------------------------------------------- lists of expressions */

/* Begins a function: its groups and elements are added next. `takes` are flags PF_TAKES_…. */
static PfExportFunction *begin(PfExport *x, int kind, const char *name, int takes)
{
  PfExportFunction *f = x->functions + kind;
  *f = (PfExportFunction){.name = name, .takes = takes};
  return f;
}

/* A group of results with rows and columns, row by row. */
static void add_matrix(PfExportFunction *f, const char *name, int rows, int columns)
{
  f->groups[f->group_count++] = (PfExportGroup){name, rows, columns, false, NULL};
}

/* A group that is a list; with `members` it is a struct. */
static void add_array(PfExportFunction *f, const char *name, int count, const PfNamedList *members)
{
  f->groups[f->group_count++] = (PfExportGroup){name, count, 1, true, members};
}

/* An expression at a place among the elements of a function; the lists double when they are full. */
static PfStatus push(PfExport *x, PfExportFunction *f, int place, PfExpr e)
{
  if (f->count == f->room) {
    const int room = f->room ? 2*f->room : 32;
    PfExpr *roots = pf_arena_array(x->arena, PfExpr, room);
    int *places = pf_arena_array(x->arena, int, room);
    if (!roots || !places) return pf_no_room(x->ctx, "the export");
    if (f->count) memcpy(roots, f->roots, (size_t)f->count*sizeof *roots);
    if (f->count) memcpy(places, f->place, (size_t)f->count*sizeof *places);
    f->roots = roots, f->place = places, f->room = room;
  }
  f->roots[f->count] = e;
  f->place[f->count++] = place;
  return PF_OK;
}

/* Elements that are zero at all times are not listed. */
static PfStatus add(PfExport *x, PfExportFunction *f, int place, PfExpr e)
{
  return pf_expr_is_structural_zero(x->ctx, e) ? PF_OK : push(x, f, place, e);
}

/* Elements that do not exist (PF_EXPR_NONE), as a constraint without a position level, count as zero. */
static PfStatus add_list(PfExport *x, PfExportFunction *f, int place, const PfExpr *list, int count)
{
  for (int i = 0; i < count; i++)
    if (list[i] != PF_EXPR_NONE) PF_TRY(add(x, f, place + i, list[i]));
  return PF_OK;
}

/* Puts a number in the place of a flag, unless that is among the inputs. */
static PfStatus replace(const PfExport *x, PfExpr *list, int count, PfExpr flag, int value)
{
  PfExpr number = pf_expr_int(x->ctx, value);
  for (int i = x->at_inputs; i < x->at_q; i++)
    if (x->symbols[i] == flag) return PF_OK;
  return flag == PF_EXPR_NONE ? PF_OK : pf_expr_substitute(x->ctx, list, count, &flag, &number, 1, list);
}

/* In the symbols of the export alone: inputs by their functions of time, derived parameters by those given. What events
 * would hold is free, what they would attach is active, as at the start, unless that is among the inputs. */
PfStatus pf_export_expand(const PfExport *x, PfExpr *list, int count)
{
  PF_TRY(pf_insert_inputs(x->ctx, x->model, list, (size_t)count));
  for (int i = 0; i < x->n; i++) PF_TRY(replace(x, list, count, x->model->coordinates[i].held, 0));
  for (int i = 0; i < x->m; i++) PF_TRY(replace(x, list, count, x->model->constraints[i].active, 1));
  return pf_model_expand(x->model, list, count, list);
}

/* Writes the expressions in the symbols of the export and makes the tape. Most of the time of an export is spent
 * here. */
static PfStatus finish(PfExport *x, PfExportFunction *f)
{
  PF_TRY(pf_expr_check(x->ctx));
  PF_TRY(pf_export_expand(x, f->roots, f->count));
  return pf_tape_new(x->ctx, x->symbols, x->symbol_count, f->roots, f->count, &f->tape);
}

/* ---------------------------------------------------------------- the functions */

/* M, F, A, b of M a = F + A^T lambda, A a = b. Non-ideal forces C belong to F, unless they depend on multipliers
 * (collect_friction). */
static PfStatus collect_matrices(PfExport *x)
{
  const PfEquations *eq = x->equations;
  int n = x->n, m = x->m;
  PfExportFunction *f = begin(x, PF_EXPORT_MATRICES, "matrices", 0);
  add_matrix(f, "M", n, n);
  add_array(f, "F", n, NULL);
  add_matrix(f, "A", m, n);
  add_array(f, "b", m, NULL);
  PF_TRY(add_list(x, f, 0, eq->M, n*n));
  for (int i = 0; i < n; i++)
    PF_TRY(add(x, f, n*n + i, x->friction ? eq->F[i] : pf_expr_add(x->ctx, eq->F[i], eq->C[i])));
  PF_TRY(add_list(x, f, n*n + n, eq->A, m*n));
  PF_TRY(add_list(x, f, n*n + n + m*n, eq->b, m));
  return finish(x, f);
}

/* The largest element of each row of A where the symbols are. `A` gets the matrix (m x n), and x->typical the largest
 * size of each row so far, times `part`. */
static PfStatus measure_rows(PfExport *x, const double *symbols, double part, double *A)
{
  const PfExportFunction *f = x->functions + PF_EXPORT_MATRICES;
  double *all = pf_arena_array(x->arena, double, pf_export_size(f));
  if (!all) return pf_no_room(x->ctx, "the export");
  PF_TRY(pf_export_evaluate(x, f, symbols, all));
  memcpy(A, all + x->n*x->n + x->n, (size_t)(x->m*x->n)*sizeof *A);
  for (int i = 0; i < x->m; i++) {
    const double *row = A + i*x->n, length = pf_norm(row, x->n);
    if (isfinite(length) && length > 0) x->typical[i] = fmax(x->typical[i], part*pf_binary_scale(row, (size_t)x->n));
  }
  return PF_OK;
}

/* Whether rows are redundant at the start, and how large rows usually are: there, and nearby, off the constraints too,
 * as in pf_manifold_measure. */
static PfStatus judge_rows(PfExport *x)
{
  double *symbols = pf_arena_array(x->arena, double, x->symbol_count), *A;
  unsigned noise = 3;
  PfRows rows;
  if (!x->m) return PF_OK;
  A = pf_arena_array(x->arena, double, x->m*x->n);
  x->typical = pf_arena_array(x->arena, double, x->m);
  if (!symbols || !A || !x->typical) return pf_no_room(x->ctx, "the export");
  for (int trial = 0; trial < 3; trial++) {
    memcpy(symbols, x->start, (size_t)x->symbol_count*sizeof *symbols);
    for (int i = 0; i < 2*x->n; i++) symbols[x->at_q + i] = pf_blur(x->start[x->at_q + i], 1, &noise);
    PF_TRY(measure_rows(x, symbols, 0.125, A));
  }
  PF_TRY(measure_rows(x, x->start, 1, A));
  if (pf_first_not_finite(A, (size_t)(x->m*x->n)) >= 0) return PF_OK;
  for (int i = 0; i < x->m; i++)
    if (!(pf_norm(A + i*x->n, x->n) > PF_RANK_TOLERANCE*x->typical[i]))
      memset(A + i*x->n, 0, (size_t)x->n*sizeof *A);
  PF_TRY(pf_rows_sort(x->ctx, x->arena, A, x->m, x->n, PF_RANK_TOLERANCE, &rows));
  x->redundant = rows.rank < x->m;
  return PF_OK;
}

/* Non-ideal forces C(lambda) and dC/dlambda (n x m), for Newton's method in the exported code; only where C depends on
 * multipliers. */
static PfStatus collect_friction(PfExport *x)
{
  const PfEquations *eq = x->equations;
  int n = x->n, m = x->m;
  if (!x->friction) return PF_OK;
  PfExportFunction *f = begin(x, PF_EXPORT_FRICTION, "friction", PF_TAKES_MULTIPLIERS);
  PfExpr *slope = pf_arena_array(x->arena, PfExpr, m);
  if (!slope) return pf_no_room(x->ctx, "the export");
  add_array(f, "C", n, NULL);
  add_matrix(f, "C_lambda", n, m);
  PF_TRY(add_list(x, f, 0, eq->C, n));
  for (int i = 0; i < n; i++) {
    PF_TRY(pf_expr_gradient(x->ctx, eq->C[i], x->symbols + x->at_lambda, m, slope));
    PF_TRY(add_list(x, f, n + i*m, slope, m));
  }
  return finish(x, f);
}

/* Residuals of the constraints: positions phi(q, t) and velocities psi(q, v, t) (m each); rows without a level are
 * zero. */
static PfStatus collect_constraints(PfExport *x)
{
  const PfEquations *eq = x->equations;
  if (!x->m) return PF_OK;
  PfExportFunction *f = begin(x, PF_EXPORT_CONSTRAINTS, "violations", 0);
  add_array(f, "position", x->m, NULL);
  add_array(f, "velocity", x->m, NULL);
  PF_TRY(add_list(x, f, 0, eq->position, x->m));
  PF_TRY(add_list(x, f, x->m, eq->velocity, x->m));
  return finish(x, f);
}

/* Kinetic and potential energy in joules, as a struct of two members. */
static PfStatus collect_energy(PfExport *x)
{
  static PfNamed names[] = {{"kinetic", "kinetic", {"J", 1}}, {"potential", "potential", {"J", 1}}};
  static const PfNamedList members = {2, names};
  PfExportFunction *f = begin(x, PF_EXPORT_ENERGY, "energies", 0);
  add_array(f, "e", 2, &members);
  PF_TRY(add(x, f, 0, x->equations->kinetic));
  PF_TRY(add(x, f, 1, x->equations->potential));
  return finish(x, f);
}

/* The components of a vector in the axes of the ground, from a place on. */
static PfStatus add_vector(PfExport *x, PfExportFunction *f, int place, PfVector vector)
{
  PfExpr c[3];
  pf_vector_express(x->model, vector, 0, c);
  return add_list(x, f, place, c, 3);
}

/* The axes of the frame are the columns of its rotation. */
static PfStatus add_rotation(PfExport *x, PfExportFunction *f, int place, int frame)
{
  for (int axis = 0; axis < 3; axis++) {
    PfExpr unit[3], column[3];
    for (int i = 0; i < 3; i++) unit[i] = pf_expr_int(x->ctx, i == axis);
    pf_frame_turn(x->model, frame, 0, unit, column);
    for (int i = 0; i < 3; i++) PF_TRY(add(x, f, place + 3*i + axis, column[i]));
  }
  return PF_OK;
}

/* Positions (frames x 3) in metres and rotations (frames x 9, by rows) of all frames, in the axes of the ground. */
static PfStatus collect_poses(PfExport *x)
{
  int count = x->frames.count;
  if (!count) return PF_OK;
  PfExportFunction *f = begin(x, PF_EXPORT_POSES, "poses", 0);
  add_matrix(f, "position", count, 3);
  add_matrix(f, "rotation", count, 9);
  for (int i = 0; i < count; i++) PF_TRY(add_vector(x, f, 3*i, pf_frame_position(x->model, x->frame[i])));
  for (int i = 0; i < count; i++) PF_TRY(add_rotation(x, f, 3*count + 9*i, x->frame[i]));
  return finish(x, f);
}

/* Derivatives of a vector by the velocities: three rows of n elements. */
static PfStatus add_gradient(PfExport *x, PfExportFunction *f, int place, PfVector vector)
{
  PfExpr c[3], *row = pf_arena_array(x->arena, PfExpr, x->n);
  if (!row) return pf_no_room(x->ctx, "the export");
  pf_vector_express(x->model, vector, 0, c);
  for (int i = 0; i < 3; i++) {
    PF_TRY(pf_expr_gradient(x->ctx, c[i], x->symbols + x->at_v, x->n, row));
    PF_TRY(add_list(x, f, place + i*x->n, row, x->n));
  }
  return PF_OK;
}

/* Of the origin and of the angular velocity, in the axes of the ground; and the rotation, for other points. J (6 x n):
 * linear velocity of the origin and angular velocity of the frame by v; R (3 x 3) takes points of the frame to the axes
 * of the ground. One function for each frame. */
static PfStatus collect_jacobians(PfExport *x)
{
  for (int i = 0; i < x->frames.count; i++) {
    PfExportFunction *f = begin(x, PF_EXPORT_JACOBIANS + i, "jacobian", 0);
    add_matrix(f, "J", 6, x->n);
    add_matrix(f, "R", 3, 3);
    PF_TRY(add_gradient(x, f, 0, pf_frame_velocity(x->model, x->frame[i])));
    PF_TRY(add_gradient(x, f, 3*x->n, pf_frame_spin(x->model, x->frame[i])));
    PF_TRY(add_rotation(x, f, 6*x->n, x->frame[i]));
    PF_TRY(finish(x, f));
  }
  return PF_OK;
}

/* Points of contact in metres and forces on the bodies in newtons, in the axes of the ground; the forces are functions
 * of the multipliers. */
static PfStatus collect_contacts(PfExport *x)
{
  int count = x->contacts.count;
  if (!count) return PF_OK;
  PfExportFunction *f = begin(x, PF_EXPORT_CONTACTS, "contacts", PF_TAKES_MULTIPLIERS);
  add_matrix(f, "point", count, 3);
  add_matrix(f, "force", count, 3);
  for (int i = 0; i < count; i++) PF_TRY(add_vector(x, f, 3*i, x->model->contacts[i].point));
  for (int i = 0; i < count; i++) PF_TRY(add_vector(x, f, 3*count + 3*i, x->model->contacts[i].force));
  return finish(x, f);
}

/* The sides of other surfaces in a surface are their signs. Functions that change their sign where sign, abs, min, max
 * or a comparison switch. */
static PfStatus collect_surfaces(PfExport *x)
{
  PfSwitches *found = pf_arena_array(x->arena, PfSwitches, 1);
  if (!found) return pf_no_room(x->ctx, "the export");
  PF_TRY(pf_switches_find(x->ctx, x->arena, x->equations, found));
  if (!found->count) return PF_OK;
  PfExportFunction *f = begin(x, PF_EXPORT_SURFACES, "surfaces", 0);
  add_array(f, "g", found->count, NULL);
  for (int k = 0; k < found->count; k++) {
    PfExpr g = found->at[k].surface;
    for (int j = k; j-- > 0;) {
      PfExpr sign = pf_expr_call1(x->ctx, PF_OP_SIGN, found->at[j].surface);
      PF_TRY(pf_expr_substitute(x->ctx, &g, 1, &found->at[j].mode, &sign, 1, &g));
    }
    PF_TRY(add(x, f, k, g));
  }
  x->surface_count = found->count;
  return finish(x, f);
}

/* The outputs of the model, or its coordinates, as members of a struct. */
static PfStatus collect_outputs(PfExport *x)
{
  PfExportFunction *f = begin(x, PF_EXPORT_OUTPUTS, "outputs", PF_TAKES_ACCELERATIONS | PF_TAKES_MULTIPLIERS);
  add_array(f, "y", x->outputs.count, &x->outputs);
  for (int i = 0; i < x->outputs.count; i++) PF_TRY(add(x, f, i, x->output[i]));
  return finish(x, f);
}

/* ---------------------------------------------------------------- slopes */

/* M a - F - C - A^T lambda, then A a - b, in the symbols of the export. Cost: n^2 + 2 n m products, which share what M
 * and A have in common. */
PfStatus pf_export_residuals(const PfExport *x, PfExpr *r)
{
  const PfEquations *eq = x->equations;
  PfContext *ctx = x->ctx;
  int n = x->n, m = x->m;
  const PfExpr *a = x->symbols + x->at_a, *lambda = x->symbols + x->at_lambda;
  for (int i = 0; i < n; i++) {
    r[i] = pf_expr_neg(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]));
    for (int j = 0; j < n; j++) r[i] = pf_expr_add(ctx, r[i], pf_expr_mul(ctx, eq->M[i*n + j], a[j]));
    for (int k = 0; k < m; k++) r[i] = pf_expr_sub(ctx, r[i], pf_expr_mul(ctx, eq->A[k*n + i], lambda[k]));
  }
  for (int k = 0; k < m; k++) {
    r[n + k] = pf_expr_neg(ctx, eq->b[k]);
    for (int j = 0; j < n; j++) r[n + k] = pf_expr_add(ctx, r[n + k], pf_expr_mul(ctx, eq->A[k*n + j], a[j]));
  }
  PF_TRY(pf_expr_check(ctx));
  return pf_export_expand(x, r, n + m);
}

/* Derivatives of the roots by the symbols (count x columns), of which only those that are not zero are made. */
static PfStatus add_jacobian(PfExport *x, PfExportFunction *f, const PfExpr *roots, int count, const PfExpr *symbols,
                             int columns)
{
  PfJacobian jacobian;
  PF_TRY(pf_expr_jacobian(x->ctx, x->arena, roots, count, symbols, columns, &jacobian));
  for (int i = 0; i < jacobian.count; i++)
    PF_TRY(add(x, f, jacobian.row[i]*columns + jacobian.column[i], jacobian.value[i]));
  return PF_OK;
}

/* 2 n + inputs + parameters + 1. */
int pf_export_columns(const PfExport *x)
{
  return 2*x->n + x->inputs.count + x->parameters.count + 1;
}

/* Derivatives of the residuals of motion and constraints by q, v, u, p, t, and the first of them alone, which are
 * inverse dynamics. */
static PfStatus collect_slopes(PfExport *x)
{
  const int rows = x->n + x->m, columns = pf_export_columns(x);
  int count = 0;
  PfExpr *r = pf_arena_array(x->arena, PfExpr, rows), *by = pf_arena_array(x->arena, PfExpr, columns);
  if (!r || !by) return pf_no_room(x->ctx, "the export");
  append(by, &count, x->symbols + x->at_q, 2*x->n);
  append(by, &count, x->symbols + x->at_inputs, x->inputs.count);
  append(by, &count, x->symbols, x->parameters.count);
  append(by, &count, x->symbols + x->at_time, 1);
  PF_TRY(pf_export_residuals(x, r));
  PfExportFunction *f = begin(x, PF_EXPORT_SLOPES, "slopes", PF_TAKES_ACCELERATIONS | PF_TAKES_MULTIPLIERS);
  add_matrix(f, "D", rows, columns);
  PF_TRY(add_jacobian(x, f, r, rows, by, columns));
  PF_TRY(finish(x, f));
  f = begin(x, PF_EXPORT_RESIDUAL, "inverse", PF_TAKES_ACCELERATIONS | PF_TAKES_MULTIPLIERS);
  add_array(f, "tau", x->n, NULL);
  PF_TRY(add_list(x, f, 0, r, x->n));
  return finish(x, f);
}

/* Derivatives of the residuals of motion and constraints by the inputs. With them the inverse dynamics by inputs solve
 * R du = -residual (robot_actuate). */
static PfStatus collect_input_slopes(PfExport *x)
{
  int rows = x->n + x->m, nu = x->inputs.count;
  if (!nu) return PF_OK;
  PfExpr *r = pf_arena_array(x->arena, PfExpr, rows);
  if (!r) return pf_no_room(x->ctx, "the export");
  PF_TRY(pf_export_residuals(x, r));
  PfExportFunction *f = begin(x, PF_EXPORT_INPUT_SLOPES, "input_slopes", PF_TAKES_ACCELERATIONS | PF_TAKES_MULTIPLIERS);
  add_matrix(f, "R", rows, nu);
  PF_TRY(add_jacobian(x, f, r, rows, x->symbols + x->at_inputs, nu));
  return finish(x, f);
}

/* Derivatives of the outputs by q, v, u, a, lambda. */
static PfStatus collect_output_slopes(PfExport *x)
{
  const int nu = x->inputs.count, columns = 3*x->n + nu + x->m;
  int count = 0, outputs = 0;
  PfExpr *by = pf_arena_array(x->arena, PfExpr, columns), *y = pf_arena_array(x->arena, PfExpr, x->outputs.count);
  if (!by || !y) return pf_no_room(x->ctx, "the export");
  append(by, &count, x->symbols + x->at_q, 2*x->n);
  append(by, &count, x->symbols + x->at_inputs, nu);
  append(by, &count, x->symbols + x->at_a, x->n + x->m);
  append(y, &outputs, x->output, x->outputs.count);
  PF_TRY(pf_export_expand(x, y, outputs));
  PfExportFunction *f = begin(x, PF_EXPORT_OUTPUT_SLOPES, "output_slopes",
                              PF_TAKES_ACCELERATIONS | PF_TAKES_MULTIPLIERS);
  add_matrix(f, "Y", outputs, columns);
  PF_TRY(add_jacobian(x, f, y, outputs, by, columns));
  return finish(x, f);
}

/* ---------------------------------------------------------------- accelerations */

static void drop_flow(PfExport *x)
{
  pf_tape_free(x->functions[PF_EXPORT_FLOW].tape);
  x->functions[PF_EXPORT_FLOW] = (PfExportFunction){0};
  x->pairs = x->mass_pairs = 0;
}

/* The function of accelerations and multipliers with its pairs of a pivot and the number that it is compared with. */
static PfExportFunction *begin_flow(PfExport *x, int pairs, int mass_pairs)
{
  PfExportFunction *f = begin(x, PF_EXPORT_FLOW, "flow", 0);
  add_array(f, "a", x->n, NULL);
  add_array(f, "lambda", x->m, NULL);
  add_matrix(f, "pivot", pairs, 2);
  x->pairs = pairs;
  x->mass_pairs = mass_pairs;
  return f;
}

/* Drops the function and fails unless its numbers at the start are finite and its pivots large enough. */
static PfStatus require_pivots(PfExport *x)
{
  const PfExportFunction *f = x->functions + PF_EXPORT_FLOW;
  double *all = pf_arena_array(x->arena, double, pf_export_size(f));
  if (!all) return pf_no_room(x->ctx, "the export");
  PF_TRY(pf_export_evaluate(x, f, x->start, all));
  const double *pair = all + x->n + x->m;
  bool good = pf_first_not_finite(all, (size_t)pf_export_size(f)) < 0;
  for (int i = 0; i < x->pairs; i++)
    good = good && pair[2*i] > (i < x->mass_pairs ? PF_MASS_TOLERANCE : PF_SCHUR_MARGIN)*pair[2*i + 1];
  if (good) return PF_OK;
  drop_flow(x);
  return pf_fail(x->ctx, PF_ERR_MODEL, "elimination has a pivot that vanishes at the start");
}

/* The elimination of the system, written out (form/closed.h). */
static PfStatus eliminate(PfExport *x, PfClosedLength length)
{
  PfClosedForm form;
  PF_TRY(pf_closed_form(x->ctx, x->arena, x->system, length, &form));
  PfExportFunction *f = begin_flow(x, form.pairs, form.mass_pairs);
  PF_TRY(add_list(x, f, 0, form.acceleration, x->n));
  PF_TRY(add_list(x, f, x->n, form.multiplier, x->m));
  PF_TRY(add_list(x, f, x->n + x->m, form.pair, 2*form.pairs));
  PF_TRY(pf_expr_check(x->ctx));
  PF_TRY(pf_export_expand(x, f->roots, f->count));
  PF_TRY(pf_angles_share(x->ctx, x->arena, f->roots, f->count));
  PF_TRY(pf_tape_new(x->ctx, x->symbols, x->symbol_count, f->roots, f->count, &f->tape));
  return require_pivots(x);
}

static PfStatus eliminate_short(PfExport *x)
{
  return eliminate(x, PF_CLOSED_SHORT);
}

static PfStatus expand_for(const void *user, PfExpr *list, int count)
{
  return pf_export_expand(user, list, count);
}

/* The recursion over the tree, written out (form/unroll.h). There are no formulas; forces stand for them where it is
 * asked what switches. */
static PfStatus recur(PfExport *x)
{
  const PfUnrollPlan plan = {.inputs = x->symbols, .input_count = x->at_a, .expand = expand_for, .user = x};
  PfTape *tape;
  PF_TRY(pf_unroll(x->ctx, x->system, &plan, &tape));
  PfExportFunction *f = begin_flow(x, PF_UNROLL_PAIRS, PF_UNROLL_PAIRS);
  f->tape = tape;
  for (int i = 0; i < x->n; i++)
    PF_TRY(push(x, f, i, pf_expr_add(x->ctx, x->equations->applied[i], x->equations->C[i])));
  for (int i = 0; i < 2*PF_UNROLL_PAIRS; i++) PF_TRY(push(x, f, x->n + x->m + i, pf_expr_int(x->ctx, 0)));
  PF_TRY(pf_expr_check(x->ctx));
  PF_TRY(pf_export_expand(x, f->roots, f->count));
  return require_pivots(x);
}

static const char *const forms[][2] = {
  {"auto", "the shorter of elimination and recursive, where they apply and are short, otherwise multipliers"},
  {"elimination", "multipliers, with the elimination written out: straight-line, fastest; fails where a pivot "
                  "vanishes"},
  {"recursive", "the recursion over a tree of bodies without constraints, written out: straight-line; longer trees"},
  {"multipliers", "A M^-1 A^T by loops over small matrices; by the null space where masses or constraints are "
                  "singular"},
  {"maggi", "along an orthonormal basis of the null space of A, everywhere"}};

/* For help and completion: the first is the default. */
const char *pf_export_form(int index, const char **summary)
{
  if (index < 0 || index >= (int)(sizeof forms/sizeof *forms)) return NULL;
  *summary = forms[index][1];
  return forms[index][0];
}

/* What does not apply leaves no trace. A form that does not apply is not an error here: its diagnostics are dropped.
 * Lack of memory and cancellation are passed on. */
static PfStatus try_form(PfExport *x, PfStatus (*make)(PfExport *), bool *made)
{
  int before = pf_diagnostic_count(x->ctx);
  PfStatus status = make(x);
  *made = status == PF_OK;
  if (status == PF_OK || pf_is_final(status)) return status;
  if (x->functions[PF_EXPORT_FLOW].tape) drop_flow(x);
  pf_diagnostics_truncate(x->ctx, before);
  return PF_OK;
}

/* The one with fewer instructions; a recursion of very many is no gain over matrices. Both are made, and the tape of
 * the longer one is freed. */
static PfStatus choose_straight(PfExport *x)
{
  enum { MOST_OF_RECURSION = 20000 };
  bool eliminated, recursive;
  PF_TRY(try_form(x, eliminate_short, &eliminated));
  const PfExportFunction elimination = x->functions[PF_EXPORT_FLOW];
  const int pairs = x->pairs, mass_pairs = x->mass_pairs;
  int most = eliminated ? pf_tape_instruction_count(elimination.tape) : MOST_OF_RECURSION;
  x->form = eliminated ? "elimination" : "multipliers";
  x->functions[PF_EXPORT_FLOW] = (PfExportFunction){0};
  PfStatus status = try_form(x, recur, &recursive);
  if (status == PF_OK && recursive && pf_tape_instruction_count(x->functions[PF_EXPORT_FLOW].tape) < most) {
    pf_tape_free(elimination.tape);
    x->form = "recursive";
    return PF_OK;
  }
  if (recursive) drop_flow(x);
  x->functions[PF_EXPORT_FLOW] = elimination;
  x->pairs = pairs, x->mass_pairs = mass_pairs;
  return status;
}

/* The form that is requested, or the first of the list: sets x->form and makes the straight-line code, if it has
 * any. */
static PfStatus choose_form(PfExport *x, const char *requested)
{
  const char *form = requested ? pf_form_name(requested) : "auto", *summary;
  int i = 0;
  while ((x->form = pf_export_form(i, &summary)) && strcmp(x->form, form) != 0) i++;
  if (!x->form && !pf_formulation_find(form)) return pf_formulation_unknown(x->ctx, form);
  if (!x->form) {
    pf_fail(x->ctx, PF_ERR_ARGUMENT, "'%s' is not offered for export", form);
    pf_hint(x->ctx, "there are: auto, elimination, recursive, multipliers, maggi");
    return PF_ERR_ARGUMENT;
  }
  x->by_null_space = !strcmp(x->form, "maggi");
  if (i == 0) return choose_straight(x);
  if (!strcmp(x->form, "elimination")) return eliminate(x, PF_CLOSED_ANY);
  return strcmp(x->form, "recursive") == 0 ? recur(x) : PF_OK;
}

/* ---------------------------------------------------------------- all of it */

/* `most` is a number of operations of all functions so far; 0: any. The message names the number at which this one
 * stopped. */
static PfStatus check_size(const PfExport *x, double most)
{
  double count = 0;
  for (int i = 0; i < x->function_count; i++)
    if (x->functions[i].tape) count += pf_tape_instruction_count(x->functions[i].tape);
  if (!(most > 0) || count <= most) return PF_OK;
  pf_fail(x->ctx, PF_ERR_LIMIT, "the model is too large to be written out: %.0f operations and more, and %.0f are the "
          "most", count, most);
  pf_hint(x->ctx, "@most{%.0f} writes it all the same; that may take long, and a compiler longer", 100*count);
  return PF_ERR_LIMIT;
}

/* Names, symbols and numbers of the start, the rows of both levels, the accelerations, then function by function. */
static PfStatus collect(PfExport *x, const double *values, const PfExportOptions *options)
{
  typedef PfStatus Collector(PfExport *);
  static Collector *const parts[] = {collect_matrices, judge_rows, collect_friction, collect_constraints,
                                     collect_energy,
                                     collect_poses, collect_jacobians, collect_contacts, collect_surfaces,
                                     collect_outputs, collect_slopes, collect_input_slopes, collect_output_slopes};
  const PfEquations *eq = x->equations;
  PF_TRY(list_symbols(x));
  x->start = pf_arena_array(x->arena, double, x->symbol_count);
  x->position_row = pf_arena_array(x->arena, int, x->m);
  x->velocity_row = pf_arena_array(x->arena, int, x->m);
  x->function_count = PF_EXPORT_JACOBIANS + x->frames.count;
  x->functions = pf_arena_array(x->arena, PfExportFunction, x->function_count);
  if (!x->start || !x->position_row || !x->velocity_row || !x->functions) return pf_no_room(x->ctx, "the export");
  pf_export_take_values(x, values, x->start);
  for (int i = x->at_inputs; i < x->at_inputs + x->inputs.count; i++)
    if (!isfinite(x->start[i])) x->start[i] = 0;
  for (int k = 0; k < x->m; k++) {
    if (eq->position[k] != PF_EXPR_NONE) x->position_row[x->position_count++] = k;
    if (eq->velocity[k] != PF_EXPR_NONE) x->velocity_row[x->velocity_count++] = k;
  }
  if (x->m) PF_TRY(pf_expr_contain(x->ctx, eq->C, x->n, x->symbols + x->at_lambda, x->m, &x->friction));
  PF_TRY(choose_form(x, options->form));
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) {
    PF_TRY(pf_check_cancelled(x->ctx));
    PF_TRY(parts[i](x));
    PF_TRY(check_size(x, options->most)); /* derivatives of what is too large would take hours */
  }
  return PF_OK;
}

/* Refuses models without coordinates and equations that exist in bodies only; then names and all functions. */
PfStatus pf_export_collect(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                           const char *name, const PfExportOptions *options, PfExport *x)
{
  const PfEquations *eq = pf_system_equations(system);
  *x = (PfExport){.ctx = ctx, .arena = arena, .model = eq->model, .equations = eq, .system = system,
                  .plain = options->plain ? options->plain : eq,
                  .words = options->words, .n = eq->n, .m = eq->m};
  if (eq->in_bodies) return pf_fail(ctx, PF_ERR_LIMIT, "the equations are not written out");
  if (!eq->n) return pf_fail(ctx, PF_ERR_MODEL, "the model has no coordinates: there is nothing to export");
  x->title = eq->model->title[0] ? eq->model->title : name;
  PF_TRY(pf_names_of_model(ctx, arena, options->words, name, &x->prefix));
  x->upper = pf_names_upper(arena, x->prefix);
  if (!x->upper) return pf_no_room(ctx, "the export");
  Naming naming = {.x = x};
  pf_names_init(&naming.names, ctx, arena, x->words);
  PfStatus status = name_lists(&naming);
  pf_names_free(&naming.names);
  return status == PF_OK ? collect(x, values, options) : status;
}

/* Frees the tapes; everything else is in the arena. */
void pf_export_free(PfExport *x)
{
  for (int i = 0; i < x->function_count && x->functions; i++) pf_tape_free(x->functions[i].tape);
}

/* ---------------------------------------------------------------- looking at it */

/* Elimination and recursion have their pivots instead. */
bool pf_export_keeps_rows(const PfExport *x)
{
  return x->m && !pf_export_function(x, PF_EXPORT_FLOW);
}

/* Costs nothing: functions are listed by kind. */
const PfExportFunction *pf_export_function(const PfExport *x, PfExportKind kind)
{
  return (int)kind < x->function_count && x->functions[kind].tape ? x->functions + kind : NULL;
}

/* Of all groups together, including those that are zero at all times. */
int pf_export_size(const PfExportFunction *f)
{
  int size = 0;
  for (int i = 0; i < f->group_count; i++) size += f->groups[i].rows*f->groups[i].columns;
  return size;
}

/* `place` counts the elements of all groups, one group after the other. */
const PfExportGroup *pf_export_group(const PfExportFunction *f, int place, int *index)
{
  const PfExportGroup *g = f->groups;
  for (; place >= g->rows*g->columns; g++) place -= g->rows*g->columns;
  *index = place;
  return g;
}

/* Interprets the tape with scratch memory of the context; elements that are not listed become 0. */
PfStatus pf_export_evaluate(const PfExport *x, const PfExportFunction *f, const double *symbols, double *elements)
{
  PfArena *scratch = pf_context_scratch(x->ctx);
  PfMark mark = pf_arena_mark(scratch);
  double *out = pf_arena_array(scratch, double, f->count);
  double *work = pf_arena_array(scratch, double, pf_tape_work_size(f->tape));
  if (out && work) pf_tape_run(f->tape, symbols, out, work);
  memset(elements, 0, (size_t)pf_export_size(f)*sizeof *elements);
  for (int i = 0; i < f->count && out && work; i++) elements[f->place[i]] = out[i];
  PfStatus status = out && work ? PF_OK : pf_no_room(x->ctx, "the export");
  pf_arena_release(scratch, mark);
  return status;
}
