/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion of the spatial operator algebra (src/tree) as a formulation: O(n) per evaluation of M^-1, constraints
 * on top by the columns of M^-1 A^T (docs/spatial.md; Meng, Han 2007 with the errata applied).
 *
 * Every moving step of a placement is a joint of the tree with one rate; quaternions are ball and free joints. A
 * coordinate has one step of its own, whose value depends on nothing else: rate = w q' there. Steps that depend on
 * several coordinates, or again on one that has its own, follow the others by a row; steps that depend on time alone
 * are prescribed. Forces come from the tape, weight and inertia from the tree.
 *
 * The tree in numbers is made by recursive_tree.c whenever parameters change. One tape computes, at a state, the
 * values, rates and second derivatives of the joints, the slopes by which coordinates move them, the forces and the
 * power; places in `out` are listed in recursive.h. Where constraints remain, they become rows of the tree. */
#include "form/recursive.h"

#include "form/choose.h"
#include "form/form_impl.h"
#include "form/unroll.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- which step is whose */

/* Without memory nothing can be said about what depends on what. */
static PfStatus refuse(PfSolver *s, const char *format, const char *name)
{
  const PfRecursion *r = s->data;
  return r->failed ? pf_solver_no_room(s) : pf_fail(s->ctx, PF_ERR_MODEL, format, name);
}

/* The coordinate that e is, or -1. Coordinates are declared one after the other, so their symbols ascend mostly, and
 * placements use them in that order: the search goes on from the one that was found last. */
static int is_coordinate(const PfModel *model, PfExpr e, int *from)
{
  int n = model->coordinate_count;
  for (int k = 0; k < n; k++) {
    int i = (*from + k)%n;
    if (model->coordinates[i].q == e) return *from = i;
  }
  return -1;
}

/* Lists the rates of the tree: the steps of type slide and spin. A coordinate owns the first step that depends on it
 * alone. */
static void list_rates(PfContext *ctx, PfRecursion *r)
{
  int last = 0;
  for (int k = 0; k < r->chain.count; k++) {
    const PfChainStep *step = r->chain.step + k;
    if (step->kind != PF_CHAIN_SLIDE && step->kind != PF_CHAIN_SPIN) continue;
    PfRate rate = {.step = k, .role = PF_RATE_FOLLOWS, .coordinate = -1};
    int count = 1, i = pf_expr_op(ctx, step->value) == PF_OP_SYMBOL ? is_coordinate(r->model, step->value, &last) : -1;
    rate.plain = i >= 0;
    if (!rate.plain) count = 0;
    for (int j = 0; !rate.plain && j < r->model->coordinate_count; j++)
      if (pf_chain_depends(ctx, step->value, &r->model->coordinates[j].q, 1, &r->failed) && !count++) i = j;
    if (count == 0) rate.role = PF_RATE_DRIVEN;
    if (count == 1 && r->own[i] < 0) {
      rate.role = PF_RATE_OWN;
      rate.coordinate = i;
      r->own[i] = r->rate_count;
    } else {
      rate.plain = false;
    }
    r->rate[r->rate_count++] = rate;
  }
}

/* Every coordinate must move something by itself, or be part of a quaternion. */
static PfStatus check_coordinates(PfSolver *s, PfRecursion *r)
{
  const PfModel *model = r->model;
  for (int i = 0; i < model->coordinate_count; i++) {
    bool known = r->own[i] >= 0 || r->ball_of[i] >= 0;
    if (!known) return refuse(s, "the coordinate '%s' places no body by itself", model->coordinates[i].name);
  }
  for (int k = 0; k < r->rate_count; k++) {
    if (r->rate[k].role != PF_RATE_FOLLOWS) continue;
    for (int i = 0; i < model->coordinate_count; i++)
      if (r->own[i] < 0 &&
          pf_chain_depends(s->ctx, r->chain.step[r->rate[k].step].value, &model->coordinates[i].q, 1, &r->failed))
        return refuse(s, "a placement depends on '%s', which is part of a quaternion", model->coordinates[i].name);
  }
  return PF_OK;
}

/* Which coordinate moves which step: r->own, r->ball_of and the list of rates. */
static PfStatus make_lists(PfSolver *s, PfRecursion *r)
{
  const PfModel *model = r->model;
  size_t n = (size_t)model->coordinate_count;
  PF_TRY(pf_chain_make(s->ctx, s->arena, model, &r->chain));
  r->rate = pf_solver_array(s, PfRate, r->chain.count);
  r->own = pf_solver_array(s, int, n);
  r->ball_of = pf_solver_array(s, int, n);
  r->body_of_step = pf_solver_array(s, int, r->chain.count);
  if (!r->rate || !r->own || !r->ball_of || !r->body_of_step) return pf_solver_no_room(s);
  for (size_t i = 0; i < n; i++) r->own[i] = r->ball_of[i] = -1;
  for (int k = 0; k < r->chain.count; k++) {
    const PfChainStep *step = r->chain.step + k;
    if (step->ball < 0) continue;
    for (int i = 0; i < 4; i++) r->ball_of[model->balls[step->ball].q + i] = k;
    for (int i = 0; i < 3 && step->kind == PF_CHAIN_FREE; i++) r->ball_of[model->balls[step->ball].p + i] = k;
  }
  list_rates(s->ctx, r);
  PF_TRY(check_coordinates(s, r));
  return r->failed ? pf_solver_no_room(s) : PF_OK;
}

/* ---------------------------------------------------------------- the tape: values, rates, slopes, forces */

/* What the tape computes, and where in `out`. */
typedef struct Roots {
  PfExpr *list;
  int *place;
  int count;
} Roots;

static void add_root(Roots *roots, PfExpr e, int place)
{
  roots->list[roots->count] = e;
  roots->place[roots->count++] = place;
}

/* Value, rate and second derivative at q'' = 0 of the rates that are no coordinates. */
static PfStatus list_values(PfSolver *s, const PfRecursion *r, Roots *roots)
{
  const PfModel *model = r->model;
  int n = model->coordinate_count, count = 0;
  PfExpr *a = pf_solver_array(s, PfExpr, n), *zeros = pf_solver_array(s, PfExpr, n);
  PfExpr *value = pf_solver_array(s, PfExpr, r->rate_count), *rate = pf_solver_array(s, PfExpr, r->rate_count);
  PfExpr *second = pf_solver_array(s, PfExpr, r->rate_count);
  if (!a || !zeros || !value || !rate || !second) return pf_solver_no_room(s);
  for (int i = 0; i < n; i++) a[i] = model->coordinates[i].a, zeros[i] = pf_expr_int(s->ctx, 0);
  for (int k = 0; k < r->rate_count; k++)
    if (!r->rate[k].plain) value[count++] = r->chain.step[r->rate[k].step].value;
  if (!count) return PF_OK;
  PF_TRY(pf_model_time_derivative(model, value, count, rate));
  PF_TRY(pf_model_time_derivative(model, rate, count, second));
  PF_TRY(pf_expr_substitute(s->ctx, second, count, a, zeros, n, second));
  for (int k = 0, at = 0; k < r->rate_count; k++) {
    if (r->rate[k].plain) continue;
    add_root(roots, value[at], 3*k);
    add_root(roots, rate[at], 3*k + 1);
    add_root(roots, second[at++], 3*k + 2);
  }
  return PF_OK;
}

/* Derivatives of the rates by the coordinates; 1 for a rate that is one. */
static PfStatus list_slopes(PfSolver *s, PfRecursion *r, const PfExpr *q, PfExpr *slope, Roots *roots)
{
  int n = r->model->coordinate_count;
  for (int k = 0; k < r->rate_count; k++) {
    PfRate *rate = r->rate + k;
    rate->slope = r->slope_count;
    if (rate->plain) {
      r->slope[r->slope_count++] = (PfSlope){rate->coordinate};
      rate->slope_count = 1;
      continue;
    }
    PF_TRY(pf_expr_gradient(s->ctx, r->chain.step[rate->step].value, q, n, slope));
    for (int i = 0; i < n; i++) {
      if (pf_expr_is_int(s->ctx, slope[i], 0)) continue;
      add_root(roots, slope[i], 3*r->rate_count + r->slope_count);
      r->slope[r->slope_count++] = (PfSlope){i};
    }
    rate->slope_count = r->slope_count - rate->slope;
  }
  return PF_OK;
}

/* One tape for all that the recursion needs from expressions: values, rates and second derivatives of the joints,
 * slopes, forces and power, with their places in r->out. */
static PfStatus make_tape(PfSolver *s, PfRecursion *r)
{
  size_t n = (size_t)r->model->coordinate_count, rates = (size_t)r->rate_count, plain = 0;
  for (size_t k = 0; k < rates; k++) plain += r->rate[k].plain;
  size_t slopes = plain + (rates - plain)*n, most = 3*rates + slopes + n + 1;
  PfExpr *q = pf_solver_array(s, PfExpr, n), *slope = pf_solver_array(s, PfExpr, n);
  Roots roots = {.list = pf_solver_array(s, PfExpr, most), .place = r->place = pf_solver_scratch(s, int, most)};
  r->slope = pf_solver_array(s, PfSlope, slopes);
  if (!q || !slope || !roots.list || !roots.place || !r->slope) return pf_solver_no_room(s);
  for (size_t i = 0; i < n; i++) q[i] = r->model->coordinates[i].q;
  PF_TRY(list_values(s, r, &roots));
  PF_TRY(list_slopes(s, r, q, slope, &roots));
  /* Forces on the coordinates, without weight. */
  const PfEquations *eq = s->system->eq;
  const PfExpr *by_q;
  int first = 3*r->rate_count + r->slope_count;
  PF_TRY(pf_shared_gradient(s->system->shared, r->weight_in_tree ? r->model->potential : eq->potential, &by_q));
  for (int i = 0; i < (int)n; i++) {
    PfExpr force = pf_expr_sub(s->ctx, eq->applied[i], by_q[i]);
    if (!pf_expr_is_structural_zero(s->ctx, force)) add_root(&roots, force, first + i);
  }
  if (s->plan->power != PF_EXPR_NONE && !pf_expr_is_structural_zero(s->ctx, s->plan->power))
    add_root(&roots, s->plan->power, first + (int)n);
  PF_TRY(pf_expr_check(s->ctx));
  PF_TRY(pf_shared_tape(s->system->shared, roots.list, roots.count, &r->tape));
  r->tape_work = pf_solver_scratch(s, double, pf_tape_work_size(r->tape));
  r->out = pf_solver_array(s, double, 3*rates + (size_t)r->slope_count + n + 1);
  if (!r->tape_work || !r->out) return pf_solver_no_room(s);
  for (size_t k = 0; k < rates; k++)
    if (r->rate[k].plain) r->out[3*rates + (size_t)r->rate[k].slope] = 1;
  return PF_OK;
}

/* ---------------------------------------------------------------- one state */

/* Parameters are known when numbers come: the tree is made again when they are others. */
static bool is_current(const PfRecursion *r, const double *values)
{
  return r->tree && !memcmp(r->parameters, values, (size_t)r->model->parameter_count*sizeof *values);
}

/* q (0, u) */
static void turn_by(const double q[4], const double u[3], double out[4])
{
  out[0] = -(q[1]*u[0] + q[2]*u[1] + q[3]*u[2]);
  out[1] = q[0]*u[0] + q[2]*u[2] - q[3]*u[1];
  out[2] = q[0]*u[1] + q[3]*u[0] - q[1]*u[2];
  out[3] = q[0]*u[2] + q[1]*u[1] - q[2]*u[0];
}

static double dot4(const double *a, const double *b)
{
  return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3];
}

/* Position and angular velocity of a ball or free joint from the quaternion and its rate: w = 2 q* q'/|q|^2, in body
 * axes. */
static void set_ball(PfRecursion *r, const PfSymbols *in, const double *values, int k)
{
  const PfChainStep *step = r->chain.step + k;
  const PfBall *ball = r->model->balls + step->ball;
  const double *x = values + in->q + ball->q, *dx = values + in->v + ball->q;
  double *q = r->q + pf_tree_q_at(r->tree, r->body_of_step[k]), *v = r->v + pf_tree_v_at(r->tree, r->body_of_step[k]);
  double s = dot4(x, x), length = sqrt(s);
  for (int i = 0; i < 4; i++) q[i] = x[i]/length;
  for (int i = 1; i < 4; i++) {
    int j = i%3 + 1, l = (i + 1)%3 + 1;
    v[i - 1] = 2*(x[0]*dx[i] + x[l]*dx[j] - x[i]*dx[0] - x[j]*dx[l])/s;
  }
  for (int i = 0; i < 3 && step->kind == PF_CHAIN_FREE; i++) {
    q[4 + i] = values[in->q + ball->p + i];
    v[3 + i] = values[in->v + ball->p + i];
  }
}

/* q'' of a quaternion is base + sum of its three rates times column: base is what is left without angular acceleration,
 * the length being kept (q.q'' = -q'.q'). */
static void ball_map(const double *x, const double *dx, double base[4], double column[3][4])
{
  double s = dot4(x, x), rate = dot4(x, dx), w[3], turned[4];
  for (int i = 1; i < 4; i++) {
    int j = i%3 + 1, l = (i + 1)%3 + 1;
    w[i - 1] = 2*(x[0]*dx[i] + x[l]*dx[j] - x[i]*dx[0] - x[j]*dx[l])/s;
  }
  turn_by(x, w, turned);
  for (int i = 0; i < 4; i++) base[i] = (turned[i]*rate - x[i]*dot4(dx, dx))/s;
  for (int k = 0; k < 3; k++) {
    double e[3] = {0.5*(k == 0), 0.5*(k == 1), 0.5*(k == 2)};
    turn_by(x, e, column[k]);
  }
}

/* q, v and the prescribed accelerations of all joints of the tree, from the tape and the symbols. */
static void set_state(PfSolver *s, PfRecursion *r, const double *values)
{
  const PfSymbols *in = &s->system->symbols;
  (void)pf_tape_run_to_places(r->tape, values, r->place, r->out, r->tape_work);
  for (int k = 0; k < r->rate_count; k++) {
    if (r->rate[k].plain) {
      r->out[3*k] = values[in->q + r->rate[k].coordinate];
      r->out[3*k + 1] = values[in->v + r->rate[k].coordinate];
    }
    int dof = r->v_at[k];
    r->q[r->q_at[k]] = r->out[3*k];
    r->v[dof] = r->out[3*k + 1];
    r->vdot[dof] = r->out[3*k + 2];
    r->prescribed[dof] = r->rate[k].role == PF_RATE_DRIVEN;
    r->tau[dof] = 0;
  }
  for (int k = 0; k < r->chain.count; k++)
    if (r->chain.step[k].ball >= 0 && r->used[r->chain.step[k].frame]) set_ball(r, in, values, k);
}

/* Derivative of a rate by the velocity of its own coordinate. */
static double own_slope(const PfRecursion *r, int rate)
{
  return r->out[3*r->rate_count + r->rate[rate].slope];
}

/* ---------------------------------------------------------------- rows */

/* Adds coefficient times q'' of a coordinate to the line of a row; what is known goes to the right side. */
static void add_term(PfSolver *s, PfRecursion *r, const double *values, int i, double coefficient, double *rhs)
{
  const PfSymbols *in = &s->system->symbols;
  if (r->own[i] >= 0) {
    double w = own_slope(r, r->own[i]);
    r->line[r->v_at[r->own[i]]] += coefficient/w;
    *rhs += coefficient/w*r->out[3*r->own[i] + 2];
    return;
  }
  int k = r->ball_of[i];
  const PfChainStep *step = r->chain.step + k;
  const PfBall *ball = r->model->balls + step->ball;
  int dof = pf_tree_v_at(r->tree, r->body_of_step[k]), part = i - ball->q;
  if (part < 0 || part > 3) {
    r->line[dof + 3 + i - ball->p] += coefficient;
    return;
  }
  double base[4], column[3][4];
  ball_map(values + in->q + ball->q, values + in->v + ball->q, base, column);
  for (int j = 0; j < 3; j++) r->line[dof + j] += coefficient*column[j][part];
  *rhs -= coefficient*base[part];
}

/* The line becomes a row of the tree. */
static void add_row(PfRecursion *r, int row, double rhs)
{
  int nv = pf_tree_nv(r->tree), terms = 0;
  int *dof = r->dof + (size_t)row*(size_t)nv;
  double *coefficient = r->coefficient + (size_t)row*(size_t)nv;
  for (int j = 0; j < nv; j++) {
    if (r->line[j] == 0) continue;
    dof[terms] = j;
    coefficient[terms++] = r->line[j];
    r->line[j] = 0;
  }
  r->constraint[row] = (PfTreeConstraint){.kind = PF_TREE_RATES, .body_a = -1, .body_b = -1, .dofs = dof,
                                          .coefficients = coefficient, .terms = terms, .rhs = rhs};
}

/* The constraints that are not lengths of quaternions, then a row for each rate that follows others. */
static void set_rows(PfSolver *s, PfRecursion *r, const double *values)
{
  int n = s->system->n, row = 0;
  const double *slope = r->out + 3*r->rate_count;
  for (int k = 0; k < s->system->m; k++) {
    if (r->model->constraints[k].norm) continue; /* the joint sees to it */
    /* A row of zeros but for rounding is empty, and its right side, if that is rounding too, is zero. */
    const double *A = s->at.A + (size_t)k*(size_t)n, typical = s->units.row[k];
    double rhs = s->at.b[k];
    bool empty = pf_binary_scale(A, (size_t)n) < PF_EMPTY_ROW*typical;
    if (empty && fabs(rhs) < PF_EMPTY_ROW*(typical + pf_binary_scale(s->at.b, (size_t)s->system->m))) rhs = 0;
    for (int i = 0; i < n && !empty; i++)
      if (A[i] != 0) add_term(s, r, values, i, A[i], &rhs);
    add_row(r, row++, rhs);
  }
  for (int k = 0; k < r->rate_count; k++) { /* rate' = slope q'' + second */
    if (r->rate[k].role != PF_RATE_FOLLOWS) continue;
    double rhs = r->out[3*k + 2];
    for (int j = r->rate[k].slope; j < r->rate[k].slope + r->rate[k].slope_count; j++)
      add_term(s, r, values, r->slope[j].coordinate, -slope[j], &rhs);
    r->line[r->v_at[k]] += 1;
    add_row(r, row++, rhs);
  }
}

/* ---------------------------------------------------------------- accelerations */

/* q'' of the coordinates from those of the joints: (vdot - second)/slope, and by the map of quaternions. */
static void find_acceleration(PfSolver *s, const PfRecursion *r, const double *values, double *a)
{
  const PfSymbols *in = &s->system->symbols;
  for (int i = 0; i < s->system->n; i++)
    if (r->own[i] >= 0) a[i] = (r->vdot[r->v_at[r->own[i]]] - r->out[3*r->own[i] + 2])/own_slope(r, r->own[i]);
  for (int k = 0; k < r->chain.count; k++) {
    const PfChainStep *step = r->chain.step + k;
    if (step->ball < 0 || !r->used[step->frame]) continue;
    const PfBall *ball = r->model->balls + step->ball;
    const double *vdot = r->vdot + pf_tree_v_at(r->tree, r->body_of_step[k]);
    double base[4], column[3][4];
    ball_map(values + in->q + ball->q, values + in->v + ball->q, base, column);
    for (int i = 0; i < 4; i++)
      a[ball->q + i] = base[i] + column[0][i]*vdot[0] + column[1][i]*vdot[1] + column[2][i]*vdot[2];
    for (int i = 0; i < 3 && step->kind == PF_CHAIN_FREE; i++) a[ball->p + i] = vdot[3 + i];
  }
}

/* Of the numbers that tell where the bodies are and how they move. */
static size_t seen_size(const PfSolver *s)
{
  return (size_t)(s->system->symbols.lambda - s->system->symbols.time)*sizeof(double);
}

/* What goes wrong inside the tree is said there by words; here it is a trouble. */
static PfStatus solve(PfSolver *s, PfRecursion *r, const double *values)
{
  if (!is_current(r, values)) PF_TRY(pf_recursion_build(s, r, values));
  r->is_seen = false;
  set_state(s, r, values);
  /* Forces on coordinates as forces on rates: Q/w, and B^T Q for quaternions. */
  const PfSymbols *in = &s->system->symbols;
  int n = r->model->coordinate_count;
  const double *Q = r->out + 3*r->rate_count + r->slope_count;
  const bool nonideal = s->at.load != s->at.F;
  if (nonideal || s->extra_force) {
    for (int i = 0; i < n; i++)
      r->force[i] = Q[i] + (nonideal ? s->at.load[i] - s->at.F[i] : 0) + (s->extra_force ? s->extra_force[i] : 0);
    Q = r->force;
  }
  for (int i = 0; i < n; i++)
    if (r->own[i] >= 0) r->tau[r->v_at[r->own[i]]] = Q[i]/own_slope(r, r->own[i]);
  for (int k = 0; k < r->chain.count; k++) {
    const PfChainStep *step = r->chain.step + k;
    if (step->ball < 0 || !r->used[step->frame]) continue;
    const PfBall *ball = r->model->balls + step->ball;
    double base[4], column[3][4], *tau = r->tau + pf_tree_v_at(r->tree, r->body_of_step[k]);
    ball_map(values + in->q + ball->q, values + in->v + ball->q, base, column);
    for (int j = 0; j < 3; j++) tau[j] = dot4(Q + ball->q, column[j]);
    for (int j = 0; j < 3 && step->kind == PF_CHAIN_FREE; j++) tau[3 + j] = Q[ball->p + j];
  }
  PfTreeInput input = {.q = r->q, .v = r->v, .tau = r->tau, .vdot = r->vdot, .prescribed = r->prescribed};
  PfTreeOutput output = {.vdot = r->vdot};
  if (!r->row_count) PF_TRY(pf_tree_complete(r->work, &input, &output));
  if (r->row_count) {
    set_rows(s, r, values);
    PF_TRY(pf_tree_constrained(r->work, r->rows, &input, r->constraint, r->row_count, &output));
  }
  memcpy(r->seen, values + s->system->symbols.time, seen_size(s));
  r->is_seen = true;
  return PF_OK;
}

/* Accelerations by the recursion. Multipliers are those of the rows of the tree, where it holds all constraints; a
 * quaternion has none, since rotations do not depend on its length. Of redundant rows the tree gives one choice of
 * many: the one of least length has the same force. Without a motion the trouble is a force that is not finite, else a
 * recursion that breaks down. */
static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  PfRecursion *r = s->data;
  const int m = s->system->m, before = pf_diagnostic_count(s->ctx);
  if (solve(s, r, s->values) != PF_OK) {
    pf_diagnostics_truncate(s->ctx, before);
    *row = pf_first_not_finite(r->out + 3*r->rate_count + r->slope_count, (size_t)s->system->n);
    return *row < 0 ? PF_TROUBLE_SINGULAR : PF_TROUBLE_NOT_FINITE;
  }
  find_acceleration(s, r, s->values, motion->acceleration);
  if (!m) return PF_TROUBLE_NONE;
  if (!r->alone && !s->system->in_bodies) {
    pf_span_factor(s, &r->span);
    pf_span_multipliers(s, &r->span, motion->acceleration, motion->multiplier);
    return PF_TROUBLE_NONE;
  }
  const double *lambda = r->row_count ? pf_tree_rows_multipliers(r->rows) : NULL;
  for (int k = 0, at = 0; k < m; k++)
    motion->multiplier[k] = r->model->constraints[k].norm || !lambda ? 0 : lambda[at++];
  if (!lambda || pf_tree_rows_rank(r->rows) == r->row_count) return PF_TROUBLE_NONE;
  pf_transposed_times(s->at.A, m, s->system->n, motion->multiplier, r->span.force);
  (void)pf_span_factor(s, &r->span);
  pf_span_share(s, &r->span, motion->multiplier);
  return PF_TROUBLE_NONE;
}

/* False where a joint moves no mass or a number is not finite: the recursion in loops says more. */
static bool answer_by_flow(PfSolver *s, PfRecursion *r, PfMotion *motion)
{
  size_t n = (size_t)s->system->n;
  double power = 0;
  pf_tape_run(r->flow, s->values, r->flow_out, r->tape_work);
  if (pf_first_not_finite(r->flow_out, n) >= 0) return false;
  const double *pivot = r->flow_out + n; /* pairs: a pivot and the size it should have */
  for (int k = 0; k < PF_UNROLL_PAIRS; k++)
    if (!(pivot[2*k] > PF_MASS_TOLERANCE*pivot[2*k + 1])) return false;
  if (r->power) pf_tape_run(r->power, s->values, &power, r->tape_work);
  memcpy(motion->acceleration, r->flow_out, n*sizeof *r->flow_out);
  for (int k = 0; k < s->system->m; k++) motion->multiplier[k] = 0; /* of lengths of quaternions */
  s->byproducts = (PfByproducts){.known = true, .power = power, .margin = 1};
  return true;
}

/* Without constraints the numbers of M, F, A and b are not needed. */
static bool answer(PfSolver *s, PfMotion *motion)
{
  PfRecursion *r = s->data;
  int row;
  if (r->flow && !s->extra_force && answer_by_flow(s, r, motion)) return true;
  if (!r->alone || accelerate(s, motion, &row) != PF_TROUBLE_NONE) return false;
  if (pf_first_not_finite(motion->acceleration, (size_t)s->system->n) >= 0) return false;
  s->byproducts = (PfByproducts){.known = true, .power = r->out[3*r->rate_count + r->slope_count + s->system->n],
                                 .margin = 1};
  return true;
}

/* Mostly of the state whose motion was found last. */
static void find_energies(PfSolver *s, const double *values, double *kinetic, double *potential)
{
  PfRecursion *r = s->data;
  const double *state = values + s->system->symbols.time;
  bool again = is_current(r, values) && r->is_seen && !memcmp(r->seen, state, seen_size(s));
  *kinetic = *potential = NAN;
  if (!is_current(r, values) && pf_recursion_build(s, r, values) != PF_OK) return;
  if (!again) set_state(s, r, values);
  r->is_seen = again;
  pf_tree_energies(r->work, again ? NULL : r->q, r->v, kinetic, potential);
  *potential += r->resting;
}

/* Sums over all bodies at these numbers; zeros where the recursion fails. */
static void find_totals(PfSolver *s, const double *values, PfTreeTotals *totals)
{
  PfRecursion *r = s->data;
  *totals = (PfTreeTotals){0};
  if (!is_current(r, values) && pf_recursion_build(s, r, values) != PF_OK) return;
  r->is_seen = false;
  set_state(s, r, values);
  if (pf_tree_kinematics(r->work, r->q, r->v) != PF_OK) return;
  pf_tree_totals(r->work, r->q, totals);
  totals->gravity_potential += r->resting;
}

/* ---------------------------------------------------------------- a look inside */

/* Rows reduced to as few terms as elimination leaves, over the rates of one joint: row i has its pivot, 1, in column i,
 * and nothing in the columns of other pivots. */
typedef struct JointRows {
  int nv;
  bool has[6];
  double row[6][6];
} JointRows;

/* Subtracts the rows so far from a new one; the remainder, if it is more than rounding, becomes a row and is subtracted
 * from the others. */
static void add_joint_row(JointRows *rows, const double *line, double rounding)
{
  double x[6] = {0}, size = 0, left = 0;
  int pivot = 0;
  memcpy(x, line, (size_t)rows->nv*sizeof *x);
  size = pf_largest(x, rows->nv);
  for (int i = 0; i < rows->nv; i++) {
    const double part = x[i];
    for (int j = 0; j < rows->nv && rows->has[i]; j++) x[j] -= part*rows->row[i][j];
  }
  for (int i = 0; i < rows->nv; i++) {
    if (rows->has[i] || fabs(x[i]) <= left) continue;
    left = fabs(x[i]);
    pivot = i;
  }
  if (!(left > rounding*size)) return;
  for (int j = 0; j < rows->nv; j++) rows->row[pivot][j] = fabs(x[j]) > rounding*left ? x[j]/x[pivot] : 0;
  rows->has[pivot] = true;
  for (int i = 0; i < rows->nv; i++) {
    const double part = rows->row[i][pivot];
    for (int j = 0; j < rows->nv && rows->has[i] && i != pivot; j++) {
      const double sum = rows->row[i][j] - part*rows->row[pivot][j];
      rows->row[i][j] = fabs(sum) > rounding ? sum : 0;
    }
  }
}

/* The data of the search for given rates. */
typedef struct Giving {
  const PfSolver *s;
  const PfRecursion *r;
  unsigned char *given; /* per rate */
  int *constraint;      /* per row of the tree: its constraint, or -1 - k for the rate k that follows others */
} Giving;

/* Coefficients of quaternions are sums of products, of which zeros are known up to rounding. */
static const double ROUNDING = 1e-13;

/* Does a row hold rates that are neither given nor those from `first` to `first + nv`? The value of a coefficient at
 * this state does not count, except for parts of quaternions, whose rows are made of numbers. */
static bool reaches_others(const Giving *g, int row, int first, int nv)
{
  const PfRecursion *r = g->r;
  const PfTreeConstraint *line = r->constraint + row;
  const int n = r->model->coordinate_count, of = g->constraint[row];
  const double size = pf_largest(line->coefficients, line->terms);
  for (int i = 0; i < n; i++) {
    if (r->own[i] < 0) continue;
    bool has = of >= 0 &&
               !pf_expr_is_structural_zero(g->s->ctx, g->s->system->eq->A[(size_t)of*(size_t)n + (size_t)i]);
    const PfRate *rate = of < 0 ? r->rate + (-1 - of) : NULL;
    for (int j = 0; rate && j < rate->slope_count; j++) has = has || r->slope[rate->slope + j].coordinate == i;
    const int dof = r->v_at[r->own[i]];
    if (has && !g->given[dof] && (dof < first || dof >= first + nv)) return true;
  }
  for (int j = 0; j < line->terms; j++) {
    const int dof = line->dofs[j];
    const bool other = !g->given[dof] && (dof < first || dof >= first + nv);
    if (other && fabs(line->coefficients[j]) > ROUNDING*size) return true;
  }
  return false;
}

/* Adds the rows that, apart from rates already given, hold rates of one joint only. */
static void collect_joint_rows(const Giving *g, int first, JointRows *rows)
{
  for (int i = 0; i < g->r->row_count; i++) {
    const PfTreeConstraint *line = g->r->constraint + i;
    double open[6] = {0};
    if (reaches_others(g, i, first, rows->nv)) continue;
    for (int j = 0; j < line->terms; j++) {
      const int dof = line->dofs[j];
      if (!g->given[dof] && dof >= first && dof < first + rows->nv) open[dof - first] = line->coefficients[j];
    }
    add_joint_row(rows, open, ROUNDING);
  }
}

/* Marks the rates whose accelerations follow from rows of one joint alone, joint by joint, until nothing new is found:
 * a rate that is given in one joint may be all that a row of another one still needed. */
static void mark_given(const Giving *g)
{
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; k < pf_tree_count(g->r->tree); k++) {
      const int first = pf_tree_v_at(g->r->tree, k);
      JointRows rows = {.nv = pf_joint_nv(pf_tree_get(g->r->tree, k).joint)};
      collect_joint_rows(g, first, &rows);
      for (int i = 0; i < rows.nv; i++) {
        int terms = 0;
        for (int j = 0; j < rows.nv; j++) terms += rows.row[i][j] != 0;
        if (!rows.has[i] || terms != 1) continue;
        g->given[first + i] = 1;
        again = true;
      }
    }
  }
}

/* The operators of all bodies of the tree at a state, in the arena; for tests and for people. */
PfStatus pf_solver_spatial(PfSolver *s, PfArena *arena, const double *values, PfAxes axes, PfSpatial *spatial)
{
  PfRecursion *r = s->data;
  int row = -1;
  if (s->formulation != &pf_form_recursive)
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "only the formulation 'recursive' has spatial operators");
  s->values = values;
  PfTrouble trouble = pf_solver_evaluate(s, &row);
  PF_TRY(pf_trouble_report(s->ctx, s->system, trouble, row));
  PF_TRY(solve(s, r, values));
  int count = pf_tree_count(r->tree);
  spatial->count = count;
  spatial->body = pf_arena_array(arena, PfTreeBody, count);
  spatial->at = pf_arena_array(arena, PfTreeOperators, count);
  spatial->inside = pf_arena_array(arena, bool, s->system->m);
  Giving g = {.s = s, .r = r, .given = pf_arena_array(arena, unsigned char, pf_tree_nv(r->tree)),
              .constraint = pf_arena_array(arena, int, r->row_count)};
  if (!spatial->body || !spatial->at || !spatial->inside || !g.given || !g.constraint) return pf_solver_no_room(s);
  for (int k = 0; k < count; k++) spatial->body[k] = pf_tree_get(r->tree, k);
  for (int j = 0; j < pf_tree_nv(r->tree); j++) g.given[j] = r->prescribed[j];
  int rows = 0;
  for (int k = 0; k < s->system->m; k++)
    if (!r->model->constraints[k].norm) g.constraint[rows++] = k;
  for (int k = 0; k < r->rate_count; k++)
    if (r->rate[k].role == PF_RATE_FOLLOWS) g.constraint[rows++] = -1 - k;
  mark_given(&g);
  /* The accelerations of given rates are those of the solution. With the forces of the other constraints among the
   * joint forces the recursion alone gives the constrained motion. */
  const double *lambda = r->row_count ? pf_tree_rows_multipliers(r->rows) : NULL;
  for (int k = 0; k < r->row_count; k++) {
    const PfTreeConstraint *line = r->constraint + k;
    const bool inside = line->terms && !reaches_others(&g, k, 0, 0);
    for (int j = 0; j < line->terms && !inside; j++) r->tau[line->dofs[j]] += lambda[k]*line->coefficients[j];
    if (g.constraint[k] >= 0) spatial->inside[g.constraint[k]] = inside;
  }
  r->is_seen = false;
  PfTreeInput input = {.q = r->q, .v = r->v, .tau = r->tau, .vdot = r->vdot, .prescribed = g.given};
  PF_TRY(pf_tree_operators(r->work, &input, spatial->at));
  if (axes == PF_AXES_BODY) pf_tree_operators_to_body_axes(r->tree, spatial->at);
  return PF_OK;
}

/* ---------------------------------------------------------------- making it ready */

static void release(PfSolver *s)
{
  PfRecursion *r = s->data;
  pf_recursion_drop(r);
}

/* Drops the rates of frames that carry no mass. A coordinate that moves only such frames is refused. */
static PfStatus drop_massless(PfSolver *s, PfRecursion *r)
{
  int count = 0;
  for (int i = 0; i < r->model->coordinate_count; i++) {
    int k = r->own[i] >= 0 ? r->rate[r->own[i]].step : r->ball_of[i];
    if (k >= 0 && !r->used[r->chain.step[k].frame])
      return refuse(s, "the coordinate '%s' moves no mass", r->model->coordinates[i].name);
  }
  for (int k = 0; k < r->rate_count; k++) {
    if (!r->used[r->chain.step[r->rate[k].step].frame]) continue;
    r->rate[count] = r->rate[k];
    if (r->rate[count].role == PF_RATE_OWN) r->own[r->rate[count].coordinate] = count;
    count++;
  }
  r->rate_count = count;
  return PF_OK;
}

/* The recursion written out, for trees that nothing binds, where its tape takes no longer than the loops: axes in line
 * and at right angles, as machines have them. Native code of it is several times faster. */
static PfStatus take_flow(PfSolver *s, PfRecursion *r)
{
  enum { MOST_JOINTS = 30 };
  const PfExpr power = s->plan->power;
  const PfTape *flow;
  if (s->plan->in_loops || !r->alone || r->row_count || pf_tree_count(r->tree) > MOST_JOINTS) return PF_OK;
  PF_TRY(pf_shared_flow(s->system->shared, &flow));
  if (!flow || pf_cost_of_tape(pf_tape_instruction_count(flow)) > pf_cost_of_recursion(s)) return PF_OK;
  r->flow = flow;
  size_t room = pf_tape_work_size(r->tape), size = pf_tape_work_size(r->flow);
  if (size > room) room = size;
  if (power != PF_EXPR_NONE && !pf_expr_is_structural_zero(s->ctx, power)) {
    PF_TRY(pf_shared_tape(s->system->shared, &power, 1, &r->power));
    size = pf_tape_work_size(r->power);
    if (size > room) room = size;
  }
  r->tape_work = pf_solver_scratch(s, double, room);
  r->flow_out = pf_solver_scratch(s, double, s->system->n + 2*PF_UNROLL_PAIRS);
  return r->tape_work && r->flow_out ? PF_OK : pf_solver_no_room(s);
}

static PfStatus check(const PfSolver *s)
{
  const PfModel *model = s->system->eq->model;
  if (!model->body_count)
    return pf_fail(s->ctx, PF_ERR_MODEL, "the model has no bodies: its inertia is given by 'kinetic'");
  if (!pf_expr_is_structural_zero(s->ctx, model->kinetic))
    return pf_fail(s->ctx, PF_ERR_MODEL, "a part of the inertia is given by 'kinetic' and belongs to no body");
  return PF_OK;
}

/* A tree in numbers is made for the parameters of the model at once, since a run mostly keeps them. */
static PfStatus prepare(PfSolver *s)
{
  const PfModel *model = s->system->eq->model;
  PfRecursion *r = s->data = pf_solver_array(s, PfRecursion, 1);
  if (!r) return pf_solver_no_room(s);
  s->release = release;
  r->model = model;
  r->weight_in_tree = true;
  for (int k = 0; k < 3; k++)
    if (pf_chain_depends(s->ctx, model->gravity[k], &model->time, 1, &r->failed)) r->weight_in_tree = false;
  r->used = pf_solver_array(s, bool, model->frame_count);
  r->parameters = pf_solver_array(s, double, model->parameter_count);
  if (!r->used || !r->parameters) return pf_solver_no_room(s);
  for (int i = 0; i < model->body_count; i++)
    for (int f = model->bodies[i].frame; f && !r->used[f]; f = model->frames[f].parent) r->used[f] = true;
  PF_TRY(make_lists(s, r));
  PF_TRY(drop_massless(s, r));
  PF_TRY(make_tape(s, r));
  int norms = 0; /* with other constraints M and F give their multipliers */
  for (int k = 0; k < s->system->m; k++) norms += model->constraints[k].norm;
  for (int k = 0; k < r->rate_count; k++) r->row_count += r->rate[k].role == PF_RATE_FOLLOWS;
  r->row_count += s->system->m - norms;
  const PfSymbols *in = &s->system->symbols;
  bool by_multipliers = s->plan->power != PF_EXPR_NONE &&
                        pf_expr_depends(s->ctx, s->plan->power, in->symbol + in->lambda, s->system->m);
  r->alone = norms == s->system->m && s->at.load == s->at.F && !by_multipliers;
  s->unknowns = r->row_count - s->system->m;
  s->unknowns_per_rank = 1;
  if (!r->alone) PF_TRY(pf_span_make(s, &r->span));
  r->force = pf_solver_array(s, double, model->coordinate_count);
  r->seen = pf_solver_scratch(s, double, seen_size(s)/sizeof(double));
  /* A first tree with the values that the model gives: they are mostly those of the run. */
  double *values = pf_solver_array(s, double, in->count);
  if (!r->force || !r->seen || !values) return pf_solver_no_room(s);
  PF_TRY(pf_model_parameter_values(model, NULL, PF_MISSING_GENERIC, values));
  PF_TRY(pf_recursion_build(s, r, values));
  return take_flow(s, r);
}

const PfFormulation pf_form_recursive = {
  .name = "recursive", .source = "Meng, Han 2007, eq. (80)-(97) with errata; constraints by columns of M^-1 A^T",
  .summary = "the recursion over the tree of bodies, constraints on top of it",
  .check = check, .prepare = prepare, .accelerate = accelerate, .answer = answer, .find_energies = find_energies,
  .find_totals = find_totals};
