/* SPDX-License-Identifier: Apache-2.0 */
/* Linear models: A, B, C, D by exact derivatives, eigenvalues, and the controllable and observable dimensions. */
#include "study/dynamics.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The arrays of the model, in the arena of the caller, with the names of the states. */
static PfStatus make_room(PfContext *ctx, PfArena *arena, const PfDynamics *f, int inputs, PfLinear *l)
{
  size_t n = (size_t)pf_dynamics_size(f), u = (size_t)inputs, o = (size_t)f->no;
  *l = (PfLinear){.states = (int)n, .inputs = inputs, .outputs = f->no};
  PF_TRY(pf_arrays(ctx, arena, "the linear model", PF_ROOM(l->state_names, n), PF_ROOM(l->A, n*n), PF_ROOM(l->B, n*u),
                   PF_ROOM(l->C, o*n), PF_ROOM(l->D, o*u), PF_ROOM(l->x, n), PF_ROOM(l->rate, n), PF_ROOM(l->re, n),
                   PF_ROOM(l->im, n), PF_ROOM(l->modes, n*n)));
  for (size_t k = 0; k < n; k++) l->state_names[k] = pf_dynamics_name(f, arena, (int)k);
  return PF_OK;
}

/* ---------------------------------------------------------------- inputs */

/* Seeds of the quantities that move with the input (or the parameter -1 - input). Fails for an input that enters a
 * constraint. */
static PfStatus seed_input(PfContext *ctx, PfDynamics *f, PfArena *scratch, int input, double *s)
{
  if (input < 0) {
    PfTape *tape;
    double *work, *slope;
    PF_TRY(pf_dynamics_parameter_tape(f, -1 - input, &tape));
    PfStatus status = pf_arrays(ctx, scratch, "the linear model", PF_ROOM(work, pf_tape_work_size(tape)),
                                PF_ROOM(slope, f->model->parameter_count + f->model->input_count));
    if (status == PF_OK) pf_dynamics_seed_parameter(f, tape, slope, work, s);
    pf_tape_free(tape);
    return status;
  }
  const PfInput *u = f->model->inputs + input;
  memset(s, 0, (size_t)f->count*sizeof *s);
  s[f->at_inputs + input] = 1;
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

/* ---------------------------------------------------------------- reachable subspaces */

/* A subspace while it grows. */
typedef struct Reach {
  int n, rank;
  double *V;       /* orthonormal columns found so far, each of n numbers */
  double *A;
  double tolerance;
} Reach;

/* Adds the new part of x, unless it is rounding. Orthogonalised twice: that is enough (Kahan, in Parlett 1980). */
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
 * A: n x n, row i at A[i*n], or transposed; B: n x m, column k at B[i*row + k*column]. */
static PfStatus reach(PfContext *ctx, const double *A, bool transposed, const double *B, int n, int m, size_t row,
                      size_t column, int *rank)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  Reach r = {.n = n, .tolerance = 1e-10};
  double *x, *scale;
  PfStatus status = pf_arrays(ctx, scratch, "the linear model", PF_ROOM2(r.V, n, n), PF_ROOM2(r.A, n, n),
                              PF_ROOM(x, n), PF_ROOM(scale, n));
  if (status == PF_OK) {
    for (int i = 0; i < n*n; i++) r.A[i] = A[transposed ? i%n*n + i/n : i];
    pf_balance(r.A, n, scale); /* ranks do not depend on units */
    double size = pf_norm(r.A, n*n);
    for (int k = 0; k < m; k++) {
      for (int i = 0; i < n; i++) x[i] = B[(size_t)i*row + (size_t)k*column]/scale[i];
      add_direction(&r, x);
    }
    for (int k = 0; k < r.rank; k++) {
      const double *v = r.V + (size_t)k*(size_t)n;
      for (int i = 0; i < n; i++) x[i] = pf_dot(r.A + (size_t)i*(size_t)n, v, n);
      if (pf_norm(x, n) > 1e-13*size) add_direction(&r, x);
    }
  }
  *rank = r.rank;
  pf_arena_release(scratch, mark);
  return status;
}

/* ---------------------------------------------------------------- rest */

/* Is the rate i zero but for rounding, or for the last digits of a state that was given? Its scale is its change when
 * every state changes by its own size and by 0.01. */
static bool is_constant(const PfLinear *l, const double *noise, int i)
{
  double size = 0;
  for (int j = 0; j < l->states; j++) size += fabs(l->A[i*l->states + j])*(0.01 + fabs(l->x[j]));
  return fabs(l->rate[i]) <= 1e-10*size + noise[i];
}

/* In a steady motion coordinates may be cyclic and grow with time, velocities are constant; `coordinates` come first in
 * the state. `runs`: room for a mark of each state. */
static void find_motion(PfLinear *l, const double *noise, int coordinates, bool *runs)
{
  const int n = l->states;
  int running = 0;
  bool steady = true;
  for (int i = 0; i < n; i++) {
    const bool constant = is_constant(l, noise, i);
    running += !constant;
    steady = steady && (i < coordinates || constant);
    runs[i] = i < coordinates;
  }
  for (bool moved = true; moved;) { /* the largest set of coordinates on which nothing outside depends */
    moved = false;
    for (int j = 0; j < coordinates; j++)
      for (int i = 0; i < n && runs[j]; i++)
        if (!runs[i] && l->A[i*n + j] != 0) runs[j] = false, moved = true;
  }
  for (int i = 0; i < n; i++) steady = steady && (runs[i] || is_constant(l, noise, i));
  l->motion = !running ? PF_MOTION_REST : steady ? PF_MOTION_STEADY : PF_MOTION_CHANGING;
}

/* ---------------------------------------------------------------- all */

/* A, B, C, D, eigenvalues and ranks at the present place, in the units of the field. An output without a value or a
 * derivative has no row: all numbers of it are NaN. `scratch` holds the workspace. */
static PfStatus linearize(PfContext *ctx, PfArena *scratch, PfDynamics *f, const int *inputs, PfLinear *l)
{
  const size_t n = (size_t)l->states, u = (size_t)l->inputs, o = (size_t)l->outputs;
  double *s, *column, *noise, *value;
  bool *runs, *bent;
  PF_TRY(pf_arrays(ctx, scratch, "the linear model", PF_ROOM(s, f->count), PF_ROOM(column, n), PF_ROOM2(noise, n, n),
                   PF_ROOM(value, o), PF_ROOM(runs, n), PF_ROOM(bent, o)));
  PF_TRY(pf_dynamics_check_smooth(f));
  pf_dynamics_get(f, l->x);
  pf_dynamics_rate(f, l->rate);
  PF_TRY(pf_dynamics_jacobian(f, l->A, l->C));
  PF_TRY(pf_dynamics_clean(f, NULL, l->states, l->A, noise));
  PF_TRY(pf_dynamics_rounding(f, NULL, 0, column, NULL));
  find_motion(l, column, f->ny, runs);
  for (size_t k = 0; k < u; k++) {
    PF_TRY(seed_input(ctx, f, scratch, inputs[k], s));
    PF_TRY(pf_dynamics_complete(f, s, NULL, f->derived));
    pf_dynamics_rate_of(f, s, f->derived, column);
    for (size_t i = 0; i < n; i++) l->B[i*u + k] = column[i];
    for (size_t i = 0; i < o; i++) l->D[i*u + k] = f->derived[(size_t)f->at_out + i];
  }
  PF_TRY(pf_eig_general(ctx, l->A, noise, l->states, l->re, l->im, l->modes));
  PF_TRY(pf_dynamics_outputs(f, value));
  PF_TRY(pf_dynamics_bent_outputs(f, bent));
  for (size_t i = 0; i < o; i++) {
    double *C = l->C + i*n, *D = l->D + i*u;
    if (!bent[i] && isfinite(value[i]) && pf_first_not_finite(C, n) < 0 && pf_first_not_finite(D, u) < 0) continue;
    for (size_t k = 0; k < n; k++) C[k] = NAN;
    for (size_t k = 0; k < u; k++) D[k] = NAN;
  }
  PF_TRY(reach(ctx, l->A, false, l->B, l->states, l->inputs, u, 1, &l->controllable));
  return reach(ctx, l->A, true, l->C, l->states, l->outputs, 1, n, &l->observable);
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
  /* Eigenvectors of length 1, in pairs of columns for pairs of eigenvalues. */
  for (int k = 0, next; k < n; k = next) {
    double square = 0;
    next = k + 1 < n && l->im[k] != 0 ? k + 2 : k + 1;
    for (int i = 0; i < n; i++)
      for (int c = k; c < next; c++) square += l->modes[i*n + c]*l->modes[i*n + c];
    for (int i = 0; i < n && square > 0; i++)
      for (int c = k; c < next; c++) l->modes[i*n + c] /= sqrt(square);
  }
}

/* In the units of the field, then in SI units: ranks and zeros are decided where all numbers are of the usual size. */
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
