/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse dynamics with constraints: the forces of chosen actuators that make some accelerations what is wanted.
 *
 * The accelerations are affine in the forces, q'' = a + Y f, constraints included. a and the columns of Y come from the
 * formulation by multipliers, so redundant constraints and masses of zero are its business; f is the least one of those
 * that make |S q'' - w| least, S choosing the wanted coordinates. Friction that depends on constraint forces bends this
 * a little, so that the answer is corrected until nothing is missed.
 *
 * A mass matrix that is nearly singular, as with point masses, would spoil Y, and no force needs its inverse: M is made
 * larger by a term that vanishes where q'' is what is wanted (pf_solver_aim). The forces that have no effect on what is
 * wanted stay the same, so only what cannot be reached is asked for again without that term. */
#include "form/form_impl.h"

#include <math.h>
#include <string.h>

/* Rank tolerance for the columns of Y, relative to the largest: they are differences of accelerations, so they have few
 * digits. */
#define DEPENDENT 1e-9
/* An actuator with a larger component than this in the kernel of Y is not determined. */
#define TAKES_PART 1e-6
/* Tolerance of the residual of the wanted accelerations, relative to all of them. */
#define MET 1e-11
/* With a larger one some acceleration cannot be reached. */
#define REACHED 1e-8

typedef struct Actuator {
  int input, coordinate; /* one of them -1 */
} Actuator;

struct PfInverse {
  PfContext *ctx;
  PfArena *arena;
  PfModel model;         /* without the functions of the inputs that are sought */
  PfEquations equations;
  PfSystem *system;
  PfSolver *solver;
  int count, wanted_count;
  Actuator *actuator;
  int *wanted;           /* coordinates */
  double *values, *extra_force, *aim; /* of all symbols; n: forces on coordinates; n: what is wanted of them, or NAN */
  double *base, *G, *residual, *step, *null_space; /* n; wanted x count; wanted; count; count x count */
  double size; /* the largest acceleration that was wanted or found */
  PfQr qr;
  PfMotion motion;
  PfActuation result;
};

/* ---------------------------------------------------------------- making it ready */

/* The actuator j: the input of this name, whose own function is taken away, or the coordinate. */
static PfStatus find_actuator(PfInverse *k, int j, const char *name)
{
  const PfModel *model = &k->model;
  Actuator *a = k->actuator + j;
  const char *nearest = NULL;
  int best = 0;
  a->input = -1;
  for (int i = 0; i < model->input_count && a->input < 0; i++) {
    if (!strcmp(model->inputs[i].name, name)) a->input = i;
    else if (pf_name_is_nearer(name, model->inputs[i].name, &best)) nearest = model->inputs[i].name;
  }
  a->coordinate = a->input < 0 ? pf_model_find_coordinate(model, name) : -1;
  if (a->input < 0 && a->coordinate < 0) {
    for (int i = 0; i < model->coordinate_count; i++)
      if (pf_name_is_nearer(name, model->coordinates[i].name, &best)) nearest = model->coordinates[i].name;
    pf_fail(k->ctx, PF_ERR_NAME, "an actuator is an input or a coordinate that a force acts on, and '%s' is neither",
            name);
    if (nearest) pf_hint(k->ctx, "did you mean '%s'?", nearest);
    return PF_ERR_NAME;
  }
  for (int i = 0; i < j; i++)
    if (k->actuator[i].input == a->input && k->actuator[i].coordinate == a->coordinate)
      return pf_fail(k->ctx, PF_ERR_ARGUMENT, "the actuator '%s' is given twice", name);
  if (a->input >= 0) k->model.inputs[a->input].value = PF_EXPR_NONE;
  return PF_OK;
}

/* Work arrays by the numbers of coordinates, constraints, actuators and wanted accelerations. */
static PfStatus make_room(PfInverse *k)
{
  size_t n = (size_t)k->equations.n, m = (size_t)k->equations.m, p = (size_t)k->count, w = (size_t)k->wanted_count;
  PfActuation *r = &k->result;
  k->values = pf_arena_array(k->arena, double, pf_system_symbols(k->system)->count);
  k->extra_force = pf_arena_array(k->arena, double, n);
  k->aim = pf_arena_array(k->arena, double, n);
  k->base = pf_arena_array(k->arena, double, n);
  k->G = pf_arena_array(k->arena, double, w*p);
  k->residual = pf_arena_array(k->arena, double, w);
  k->step = pf_arena_array(k->arena, double, p);
  k->null_space = pf_arena_array(k->arena, double, p*p);
  r->force = pf_arena_array(k->arena, double, p);
  r->determined = pf_arena_array(k->arena, bool, p);
  r->residual = pf_arena_array(k->arena, double, w);
  r->acceleration = k->motion.acceleration = pf_arena_array(k->arena, double, n);
  r->multiplier = k->motion.multiplier = pf_arena_array(k->arena, double, m);
  r->reaction = k->motion.force = pf_arena_array(k->arena, double, n);
  bool good = k->values && k->extra_force && k->aim && k->base && k->G && k->residual && k->step && k->null_space &&
              r->force && r->determined && r->residual && r->acceleration && r->multiplier && r->reaction;
  return good ? pf_qr_make(k->ctx, k->arena, (int)w, (int)p, &k->qr) : pf_no_room(k->ctx, "the inverse dynamics");
}

/* A copy of the equations in which the actuators are free forces, a solver of them, and the room. */
static PfStatus make(PfInverse *k, const PfEquations *equations, const char *const *actuators, const int *wanted)
{
  size_t inputs = (size_t)equations->model->input_count;
  k->model = *equations->model; /* with inputs of its own, whose functions can be taken away */
  k->equations = *equations;
  k->equations.model = &k->model;
  PF_TRY(pf_arrays(k->ctx, k->arena, "the inverse dynamics", PF_ROOM(k->model.inputs, inputs),
                   PF_ROOM(k->actuator, k->count), PF_ROOM(k->wanted, k->wanted_count)));
  if (inputs) memcpy(k->model.inputs, equations->model->inputs, inputs*sizeof *k->model.inputs);
  for (int j = 0; j < k->count; j++) PF_TRY(find_actuator(k, j, actuators[j]));
  for (int i = 0; i < k->wanted_count; i++) {
    if (wanted[i] < 0 || wanted[i] >= equations->n)
      return pf_fail(k->ctx, PF_ERR_ARGUMENT, "%d is not the number of a coordinate", wanted[i]);
    k->wanted[i] = wanted[i];
  }
  PF_TRY(pf_system_new(k->ctx, &k->equations, &k->system));
  PF_TRY(pf_solver_new(k->ctx, k->system, pf_formulation_find("multipliers"), &k->solver));
  PF_TRY(make_room(k));
  pf_solver_set_extra_force(k->solver, k->extra_force);
  return PF_OK;
}

/* `actuators` are names of inputs or of coordinates on which a force acts, `wanted` the coordinates whose accelerations
 * are given. The result is freed by pf_inverse_free; fails with PF_ERR_NAME for a name that is neither. */
PfStatus pf_inverse_new(PfContext *ctx, const PfEquations *equations, const char *const *actuators, int count,
                        const int *wanted, int wanted_count, PfInverse **inverse)
{
  *inverse = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfInverse *k = arena ? pf_arena_array(arena, PfInverse, 1) : NULL;
  if (!k) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the inverse dynamics");
  }
  *k = (PfInverse){.ctx = ctx, .arena = arena, .count = count, .wanted_count = wanted_count};
  PfStatus status = make(k, equations, actuators, wanted);
  if (status == PF_OK) *inverse = k;
  else pf_inverse_free(k);
  return status;
}

/* NULL is allowed. */
void pf_inverse_free(PfInverse *inverse)
{
  if (!inverse) return;
  pf_solver_free(inverse->solver);
  pf_system_free(inverse->system);
  pf_arena_free(inverse->arena);
}

/* ---------------------------------------------------------------- one state */

static void set_force(PfInverse *k, int j, double force)
{
  const Actuator *a = k->actuator + j;
  if (a->input >= 0) k->values[pf_system_symbols(k->system)->inputs + a->input] = force;
  else k->extra_force[a->coordinate] = force;
}

static PfTrouble accelerate(PfInverse *k, int *row)
{
  return pf_solver_accelerate(k->solver, k->values, &k->motion, row);
}

/* The accelerations with the forces as they are, and their residual. `misfit` is the largest, relative to all
 * accelerations that were wanted or seen on the way: those of a robot that shall rest are rounding in the end. */
static PfTrouble find_residual(PfInverse *k, const double *wanted, double *misfit, int *row)
{
  PfTrouble trouble = accelerate(k, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  memcpy(k->base, k->motion.acceleration, (size_t)k->equations.n*sizeof *k->base);
  for (int i = 0; i < k->wanted_count; i++) {
    k->residual[i] = wanted[i] - k->base[k->wanted[i]];
    k->size = fmax(k->size, fmax(fabs(wanted[i]), fabs(k->base[k->wanted[i]])));
  }
  *misfit = pf_largest(k->residual, k->wanted_count)/fmax(k->size, 1e-300);
  return PF_TROUBLE_NONE;
}

/* A step of the forces by least squares. The columns of Y at the wanted accelerations: each actuator in turn gets one
 * unit more. */
static PfTrouble correct(PfInverse *k, int *row)
{
  for (int j = 0; j < k->count; j++) {
    set_force(k, j, k->result.force[j] + 1);
    PfTrouble trouble = accelerate(k, row);
    set_force(k, j, k->result.force[j]);
    if (trouble != PF_TROUBLE_NONE) return trouble;
    for (int i = 0; i < k->wanted_count; i++)
      k->G[i*k->count + j] = k->motion.acceleration[k->wanted[i]] - k->base[k->wanted[i]];
  }
  if (pf_qr_factor(&k->qr, k->G, DEPENDENT) != PF_OK) return PF_TROUBLE_NOT_FINITE;
  pf_qr_solve(&k->qr, k->residual, k->step);
  for (int j = 0; j < k->count; j++) {
    k->result.force[j] += k->step[j];
    set_force(k, j, k->result.force[j]);
  }
  return PF_TROUBLE_NONE;
}

/* The forces with which the accelerations miss least, from none; `misfit` is what is left. */
static PfTrouble approach(PfInverse *k, const double *wanted, double *misfit, int *row)
{
  enum { MOST_ROUNDS = 20 };
  double before = INFINITY;
  k->size = 0;
  for (int j = 0; j < k->count; j++) set_force(k, j, k->result.force[j] = 0);
  PfTrouble trouble = find_residual(k, wanted, misfit, row);
  for (int round = 0; round < MOST_ROUNDS && trouble == PF_TROUBLE_NONE; round++) {
    if (round && (*misfit < MET || *misfit > 0.5*before)) break; /* met, or the least residual */
    before = *misfit;
    trouble = correct(k, row);
    if (trouble == PF_TROUBLE_NONE) trouble = find_residual(k, wanted, misfit, row);
  }
  return trouble;
}

/* Forces by least squares, with which the accelerations are as wanted; *result belongs to `k` until the next call.
 * Forces that the accelerations do not determine are marked. Cost: one evaluation for each actuator and step. */
PfTrouble pf_inverse_solve(PfInverse *k, const double *values, const double *wanted, const PfActuation **result,
                           int *row)
{
  double misfit = INFINITY;
  *row = -1;
  *result = &k->result;
  memcpy(k->values, values, (size_t)pf_system_symbols(k->system)->count*sizeof *values);
  for (int i = 0; i < k->equations.n; i++) k->aim[i] = NAN;
  for (int i = 0; i < k->wanted_count; i++) k->aim[k->wanted[i]] = wanted[i];
  pf_solver_aim(k->solver, k->aim);
  PfTrouble trouble = approach(k, wanted, &misfit, row);
  pf_solver_aim(k->solver, NULL);
  if (trouble != PF_TROUBLE_NONE || misfit >= REACHED) trouble = approach(k, wanted, &misfit, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  int open = k->count - k->qr.rank; /* actuators with a component in the kernel of Y are not determined */
  if (open) pf_qr_null_space(&k->qr, k->null_space);
  for (int j = 0; j < k->count; j++)
    k->result.determined[j] = !open || pf_largest(k->null_space + (size_t)j*(size_t)open, open) < TAKES_PART;
  k->result.rank = k->qr.rank;
  k->result.met = misfit < REACHED;
  for (int i = 0; i < k->wanted_count; i++) k->result.residual[i] = k->residual[i];
  return PF_TROUBLE_NONE;
}
