/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models: A, B, C, D by exact derivatives, eigenvalues, and the controllable and observable dimensions. */
#include "study/dynamics.h"

#include <float.h>
#include <math.h>
#include <string.h>

static PfStatus make_room(PfContext *ctx, PfArena *arena, const PfDynamics *f, int inputs, PfLinear *l)
{
  size_t n = (size_t)pf_dynamics_size(f), u = (size_t)inputs, o = (size_t)f->no;
  *l = (PfLinear){.states = (int)n, .inputs = inputs, .outputs = f->no};
  l->state_names = pf_arena_array(arena, const char *, n);
  l->A = pf_arena_array(arena, double, n*n), l->B = pf_arena_array(arena, double, n*u);
  l->C = pf_arena_array(arena, double, o*n), l->D = pf_arena_array(arena, double, o*u);
  l->x = pf_arena_array(arena, double, n), l->rate = pf_arena_array(arena, double, n);
  l->re = pf_arena_array(arena, double, n), l->im = pf_arena_array(arena, double, n);
  l->modes = pf_arena_array(arena, double, n*n);
  bool good = l->state_names && l->A && l->B && l->C && l->D && l->x && l->rate && l->re && l->im && l->modes;
  if (!good) return pf_no_room(ctx, "the linear model");
  for (size_t k = 0; k < n; k++) l->state_names[k] = pf_dynamics_name(f, arena, (int)k);
  return PF_OK;
}

/* ---------------------------------------------------------------- inputs */

static PfStatus check_input(PfContext *ctx, const PfDynamics *f, int input)
{
  const PfInput *u = f->model->inputs + input;
  for (int k = 0; k < f->at_r; k++) {
    if (!pf_expr_depends(ctx, f->roots[k], &u->symbol, 1)) continue;
    int row = k < f->np ? f->position_row[k] : f->velocity_row[k - f->np];
    pf_fail_at(ctx, PF_ERR_MODEL, u->place, "the input '%s' enters the constraint '%s', so its rates act as well",
               u->name, f->model->constraints[row].name);
    pf_hint(ctx, "make the motion that it prescribes a coordinate, and its acceleration the input");
    return PF_ERR_MODEL;
  }
  return PF_OK;
}

/* Seeds of what moves with the input (or the parameter -1 - input). */
static PfStatus seed_input(PfContext *ctx, PfDynamics *f, int input, double *s)
{
  int np = f->model->parameter_count, ni = f->model->input_count;
  PfTape *tape;
  memset(s, 0, (size_t)f->count*sizeof *s);
  if (input >= 0) {
    s[f->at_inputs + input] = 1;
    return check_input(ctx, f, input);
  }
  PF_TRY(pf_dynamics_parameter_tape(f, -1 - input, &tape));
  PfMark mark = pf_arena_mark(f->arena);
  double *work = pf_arena_array(f->arena, double, pf_tape_work_size(tape));
  double *slope = pf_arena_array(f->arena, double, np + ni);
  if (work && slope) {
    pf_tape_run(tape, f->full, slope, work);
    memcpy(s + f->at_parameters, slope, (size_t)np*sizeof *s);
    if (ni) memcpy(s + f->at_inputs, slope + np, (size_t)ni*sizeof *s);
  }
  PfStatus status = work && slope ? PF_OK : pf_no_room(ctx, "the linear model");
  pf_arena_release(f->arena, mark);
  pf_tape_free(tape);
  return status;
}

static PfStatus find_inputs(PfContext *ctx, PfDynamics *f, const int *inputs, double *s, double *column, PfLinear *l)
{
  int n = l->states, u = l->inputs;
  for (int k = 0; k < u; k++) {
    PF_TRY(seed_input(ctx, f, inputs[k], s));
    PF_TRY(pf_dynamics_complete(f, s, NULL, f->derived));
    pf_dynamics_rate_of(f, s, f->derived, column);
    for (int i = 0; i < n; i++) l->B[i*u + k] = column[i];
    for (int i = 0; i < l->outputs; i++) l->D[i*u + k] = f->derived[f->at_out + i];
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- reachable subspaces */

typedef struct Reach {
  int n, rank;
  double *V;       /* orthonormal columns found so far, each of n numbers */
  double *A;
  double tolerance;
} Reach;

/* Adds what is new in x, unless it is rounding. Orthogonalised twice: that is enough (Kahan, in Parlett 1980). */
static void add_direction(Reach *r, double *x)
{
  int n = r->n;
  double length = pf_norm(x, n);
  if (r->rank == n || !(length > 0)) return;
  for (int i = 0; i < n; i++) x[i] /= length;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < r->rank; k++) (void)pf_remove_part(x, r->V + (size_t)k*(size_t)n, n);
  double left = pf_norm(x, n);
  if (left <= r->tolerance) return;
  double *v = r->V + (size_t)r->rank++*(size_t)n;
  for (int i = 0; i < n; i++) v[i] = x[i]/left;
}

/* Dimension of span(B, A B, A^2 B, …) by an orthonormal basis that is built up (the staircase), never by powers of A.
 * B: n x m, column k at B[i*row + k*column]. A is used up. */
static PfStatus reach(PfContext *ctx, double *A, const double *B, int n, int m, size_t row, size_t column, int *rank)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Reach r = {.n = n, .A = A, .tolerance = 1e-10, .V = pf_arena_array(scratch, double, (size_t)n*(size_t)n)};
  double *x = pf_arena_array(scratch, double, n), *scale = pf_arena_array(scratch, double, n);
  PfStatus status = r.V && x && scale ? PF_OK : pf_no_room(ctx, "the linear model");
  if (status == PF_OK) {
    pf_balance(A, n, scale); /* ranks do not depend on units */
    double size = pf_norm(A, n*n);
    for (int k = 0; k < m; k++) {
      for (int i = 0; i < n; i++) x[i] = B[(size_t)i*row + (size_t)k*column]/scale[i];
      add_direction(&r, x);
    }
    for (int k = 0; k < r.rank; k++) {
      const double *v = r.V + (size_t)k*(size_t)n;
      for (int i = 0; i < n; i++) x[i] = pf_dot(A + (size_t)i*(size_t)n, v, n);
      if (pf_norm(x, n) > 1e-13*size) add_direction(&r, x);
    }
  }
  *rank = r.rank;
  pf_arena_release(scratch, mark);
  return status;
}

/* A, or its transpose. */
static void copy_matrix(const PfLinear *l, bool transpose, double *copy)
{
  int n = l->states;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) copy[transpose ? j*n + i : i*n + j] = l->A[i*n + j];
}

/* An output without a value or a derivative has no row: all numbers of it are NaN. */
static PfStatus leave_out_outputs(PfDynamics *f, PfArena *scratch, PfLinear *l)
{
  bool *bent = pf_arena_array(scratch, bool, f->no);
  double *value = pf_arena_array(scratch, double, f->no);
  const size_t n = (size_t)l->states, u = (size_t)l->inputs;
  if (!bent || !value) return pf_no_room(f->ctx, "the linear model");
  PF_TRY(pf_dynamics_outputs(f, value));
  PF_TRY(pf_dynamics_bent_outputs(f, bent));
  for (size_t i = 0; i < (size_t)f->no; i++) {
    double *C = l->C + i*n, *D = l->D + i*u;
    if (!bent[i] && isfinite(value[i]) && pf_first_not_finite(C, n) < 0 && pf_first_not_finite(D, u) < 0) continue;
    for (size_t k = 0; k < n; k++) C[k] = NAN;
    for (size_t k = 0; k < u; k++) D[k] = NAN;
  }
  return PF_OK;
}

static PfStatus find_ranks(PfContext *ctx, PfLinear *l, double *copy)
{
  size_t n = (size_t)l->states;
  copy_matrix(l, false, copy);
  PF_TRY(reach(ctx, copy, l->B, l->states, l->inputs, (size_t)l->inputs, 1, &l->controllable));
  copy_matrix(l, true, copy);
  return reach(ctx, copy, l->C, l->states, l->outputs, 1, n, &l->observable);
}

/* ---------------------------------------------------------------- rest */

/* Scale of the rate i: its change when every state changes by its own size and by 0.01. */
static double rate_size(const PfLinear *l, int i)
{
  double size = 0;
  for (int j = 0; j < l->states; j++) size += fabs(l->A[i*l->states + j])*(0.01 + fabs(l->x[j]));
  return size;
}

/* Is the rate i zero but for rounding, or for the last digits of a state that was given? */
static bool is_constant(const PfLinear *l, const double *noise, int i)
{
  return fabs(l->rate[i]) <= 1e-10*rate_size(l, i) + noise[i];
}

/* Does the rate of a component that is constant depend on the component j? */
static bool has_effect(const PfLinear *l, int j, const bool *runs)
{
  for (int i = 0; i < l->states; i++)
    if (!runs[i] && l->A[i*l->states + j] != 0) return true;
  return false;
}

/* In a steady motion coordinates may be cyclic and grow with time, velocities are constant; `coordinates` come first in
 * the state. */
static void find_motion(PfLinear *l, const double *noise, int coordinates, bool *runs)
{
  int running = 0;
  bool steady = true;
  for (int i = 0; i < l->states; i++) {
    running += !is_constant(l, noise, i);
    steady = steady && (i < coordinates || is_constant(l, noise, i));
    runs[i] = i < coordinates;
  }
  for (bool moved = true; moved;) { /* the largest set of coordinates on which nothing outside depends */
    moved = false;
    for (int j = 0; j < coordinates; j++)
      if (runs[j] && has_effect(l, j, runs)) runs[j] = false, moved = true;
  }
  for (int i = 0; i < l->states; i++) steady = steady && (runs[i] || is_constant(l, noise, i));
  l->motion = !running ? PF_MOTION_REST : steady ? PF_MOTION_STEADY : PF_MOTION_CHANGING;
}

/* ---------------------------------------------------------------- all */

static PfStatus linearize(PfContext *ctx, PfArena *scratch, PfDynamics *f, const int *inputs, PfLinear *l)
{
  size_t n = (size_t)l->states;
  double *s = pf_arena_array(scratch, double, f->count), *column = pf_arena_array(scratch, double, n);
  double *copy = pf_arena_array(scratch, double, n*n), *noise = pf_arena_array(scratch, double, n*n);
  if (!s || !column || !copy || !noise) return pf_no_room(ctx, "the linear model");
  PF_TRY(pf_dynamics_check_smooth(f));
  pf_dynamics_get(f, l->x);
  pf_dynamics_rate(f, l->rate);
  PF_TRY(pf_dynamics_jacobian(f, l->A, l->C));
  PF_TRY(pf_dynamics_clean(f, NULL, l->states, l->A, noise));
  PF_TRY(pf_dynamics_rounding(f, NULL, 0, column, NULL));
  bool *runs = pf_arena_array(scratch, bool, n);
  if (!runs) return pf_no_room(ctx, "the linear model");
  find_motion(l, column, f->ny, runs);
  PF_TRY(find_inputs(ctx, f, inputs, s, column, l));
  PF_TRY(pf_eig_general(ctx, l->A, noise, l->states, l->re, l->im, l->modes));
  PF_TRY(leave_out_outputs(f, scratch, l));
  return find_ranks(ctx, l, copy);
}

/* Eigenvectors of length 1, in pairs of columns for pairs of eigenvalues. */
static void normalise_modes(PfLinear *l)
{
  const int n = l->states;
  for (int k = 0, next; k < n; k = next) {
    double square = 0;
    next = k + 1 < n && l->im[k] != 0 ? k + 2 : k + 1;
    for (int i = 0; i < n; i++)
      for (int c = k; c < next; c++) square += l->modes[i*n + c]*l->modes[i*n + c];
    for (int i = 0; i < n && square > 0; i++)
      for (int c = k; c < next; c++) l->modes[i*n + c] /= sqrt(square);
  }
}

/* From the units of the field to SI units. */
static void to_si(const PfDynamics *f, PfLinear *l)
{
  const int n = l->states;
  for (int i = 0; i < n; i++) {
    const double unit = pf_dynamics_unit_of(f, i);
    l->x[i] *= unit, l->rate[i] *= unit;
    for (int j = 0; j < n; j++) {
      l->A[i*n + j] *= unit, l->A[j*n + i] /= unit;
      l->modes[i*n + j] *= unit;
    }
    for (int k = 0; k < l->inputs; k++) l->B[i*l->inputs + k] *= unit;
    for (int k = 0; k < l->outputs; k++) l->C[k*n + i] /= unit;
  }
  normalise_modes(l);
}

PfStatus pf_linearize(PfContext *ctx, PfArena *arena, PfDynamics *field, const int *inputs, int input_count,
                      PfLinear *linear)
{
  PfDynamics *f;
  PF_TRY(pf_dynamics_natural(field, &f));
  PF_TRY(make_room(ctx, arena, f, input_count, linear));
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  if (!scratch) return pf_no_room(ctx, "the linear model");
  PfStatus status = linearize(ctx, scratch, f, inputs, linear);
  pf_arena_free(scratch);
  if (status == PF_OK && f->in_units) to_si(f, linear);
  return status;
}
