/* SPDX-License-Identifier: Apache-2.0 */
/* The functions whose linear combinations are searched for conserved quantities: momenta, velocities and angular
 * velocities, times products of sines, cosines and coordinates that occur in the equations; and their squares. */
#include "study/invariants.h"

#include "model/model.h"

#include <string.h>

/* An empty list with room for `most` functions. */
static PfStatus make_list(const PfFlow *flow, int most, PfCandidates *list)
{
  *list = (PfCandidates){.room = most};
  return pf_arrays(flow->ctx, flow->arena, "the search for conserved quantities", PF_ROOM(list->at, most),
                   PF_ROOM(list->name, most));
}

/* Once each, and never zero. */
static void add(const PfFlow *flow, PfCandidates *list, PfExpr e)
{
  if (list->count == list->room || pf_expr_is_structural_zero(flow->ctx, e)) return;
  for (int i = 0; i < list->count; i++)
    if (list->at[i] == e) return;
  list->at[list->count++] = e;
}

/* The same with words for it. Without memory for them it has none. */
static void add_named(const PfFlow *flow, PfCandidates *list, PfExpr e, const char *what, const char *of)
{
  int count = list->count;
  char text[300];
  int length = snprintf(text, sizeof text, "%s %s", what, of);
  add(flow, list, e);
  if (list->count > count && length > 0 && length < (int)sizeof text)
    list->name[count] = pf_arena_text(flow->arena, text, (size_t)length);
}

/* ---------------------------------------------------------------- linear functions */

/* P_a = sum_i p_i dv_i/domega_a */
static void add_pseudo_momenta(const PfFlow *flow, PfCandidates *list)
{
  const PfKinematics *k = &flow->states.kinematics;
  for (int a = 0; flow->states.laconic && a < k->count; a++) {
    PfExpr sum = pf_expr_int(flow->ctx, 0);
    for (int i = 0; i < flow->eq->n; i++) {
      if (pf_expr_depends(flow->ctx, k->N[i*k->count + a], k->omega, k->count)) return; /* not linear */
      sum = pf_expr_add(flow->ctx, sum, pf_expr_mul(flow->ctx, k->N[i*k->count + a], flow->eq->momentum[i]));
    }
    add_named(flow, list, sum, "momentum along", k->names[a]);
  }
}

/* Momentum, and angular momentum about the origin, of one body. */
static void add_body(const PfFlow *flow, const PfBody *body, PfExpr momentum[3], PfExpr turning[3])
{
  const PfModel *model = flow->eq->model;
  PfContext *ctx = flow->ctx;
  PfExpr r[3], v[3], spin[3], own[3], moment[3];
  pf_vector_express(model, pf_point_position(model, body->frame, body->com), 0, r);
  pf_vector_express(model, pf_point_velocity(model, body->frame, body->com), 0, v);
  pf_vector_express(model, pf_frame_spin(model, body->frame), body->frame, spin);
  for (int k = 0; k < 3; k++) {
    v[k] = pf_expr_mul(ctx, body->mass, v[k]);
    momentum[k] = pf_expr_add(ctx, momentum[k], v[k]);
    own[k] = pf_expr_dot3(ctx, body->inertia + 3*(size_t)k, spin);
  }
  pf_expr_cross3(ctx, r, v, moment);
  pf_vector_express(model, pf_vector_make(model, body->frame, own), 0, own);
  for (int k = 0; k < 3; k++)
    turning[k] = pf_expr_add(ctx, turning[k], pf_expr_add(ctx, moment[k], own[k]));
}

/* The velocities of all coordinates. */
static void add_velocities(const PfFlow *flow, PfCandidates *list)
{
  for (int i = 0; i < flow->eq->n; i++) add(flow, list, flow->eq->model->coordinates[i].v);
}

/* ---------------------------------------------------------------- factors */

/* A sine or a cosine? */
static bool is_circular(PfContext *ctx, PfExpr e)
{
  return pf_expr_op(ctx, e) == PF_OP_SIN || pf_expr_op(ctx, e) == PF_OP_COS;
}

/* All expressions that M, A and F are made of, in the arena. */
static PfStatus reach_equations(const PfFlow *flow, PfExpr **nodes, int *count)
{
  const PfEquations *eq = flow->eq;
  size_t n = (size_t)eq->n, m = (size_t)eq->m, size = n*n + m*n + n;
  PfExpr *roots = pf_arena_array(flow->arena, PfExpr, size);
  if (!roots) return pf_no_room(flow->ctx, "the search for conserved quantities");
  memcpy(roots, eq->M, n*n*sizeof *roots);
  if (m) memcpy(roots + n*n, eq->A, m*n*sizeof *roots);
  memcpy(roots + n*n + m*n, eq->F, n*sizeof *roots);
  return pf_expr_reach(flow->ctx, flow->arena, roots, (int)size, nodes, count);
}

/* A sine or cosine of coordinates only. */
static bool is_angle_function(const PfFlow *flow, PfExpr e, const PfExpr *q, const PfExpr *v)
{
  return is_circular(flow->ctx, e) && pf_expr_depends(flow->ctx, e, q, flow->eq->n) &&
         !pf_expr_depends(flow->ctx, e, v, flow->eq->n) && !pf_expr_depends(flow->ctx, e, &flow->eq->model->time, 1);
}

/* Products of two sines or cosines of different angles. */
static void add_products(const PfFlow *flow, PfCandidates *factors)
{
  int count = factors->count;
  for (int i = 0; i < count; i++)
    for (int k = i + 1; k < count; k++) {
      PfExpr a = factors->at[i], b = factors->at[k];
      if (!is_circular(flow->ctx, a) || !is_circular(flow->ctx, b)) continue;
      if (pf_expr_arg(flow->ctx, a, 0) == pf_expr_arg(flow->ctx, b, 0)) continue;
      add(flow, factors, pf_expr_mul(flow->ctx, a, b));
    }
}

/* Direction cosines of a row, but of round bodies, whose attitude does not matter. */
static void add_cosines(const PfFlow *flow, int row, PfCandidates *factors)
{
  const PfModel *model = flow->eq->model;
  for (int i = 0; i < model->spinning_count; i++)
    for (int k = 0; k < 3 && model->spinnings[i].sign > 0; k++)
      add(flow, factors, model->auxiliaries[model->spinnings[i].auxiliary + 3*row + k].symbol);
}

/* Functions of the configuration that candidates are multiplied by: 1, sines and cosines of the equations, direction
 * cosines, coordinates, and products of two. */
static PfStatus list_factors(const PfFlow *flow, PfCandidates *factors)
{
  enum { MOST_FACTORS = 60 };
  int n = flow->eq->n, count = 0;
  PfExpr *nodes, *q, *v;
  PF_TRY(pf_arrays(flow->ctx, flow->arena, "the search for conserved quantities", PF_ROOM(q, n), PF_ROOM(v, n)));
  for (int i = 0; i < n; i++) q[i] = flow->eq->model->coordinates[i].q, v[i] = flow->eq->model->coordinates[i].v;
  PF_TRY(make_list(flow, MOST_FACTORS, factors));
  PF_TRY(reach_equations(flow, &nodes, &count));
  add(flow, factors, pf_expr_int(flow->ctx, 1));
  for (int i = 0; i < count; i++)
    if (is_angle_function(flow, nodes[i], q, v)) {
      /* Both functions of each angle, since one often comes with the other. */
      PfExpr angle = pf_expr_arg(flow->ctx, nodes[i], 0);
      add(flow, factors, pf_expr_call1(flow->ctx, PF_OP_SIN, angle));
      add(flow, factors, pf_expr_call1(flow->ctx, PF_OP_COS, angle));
    }
  bool alone = flow->eq->model->spinning_count == 1; /* with several there are too many of them */
  for (int row = 3; row-- > 0;) /* the vertical first */
    if (alone || row == 2) add_cosines(flow, row, factors);
  for (int i = 0; i < n; i++)
    if (!flow->eq->model->coordinates[i].quasi) add(flow, factors, q[i]);
  for (int row = 0; row < 2 && !alone; row++) add_cosines(flow, row, factors);
  add_products(flow, factors);
  return PF_OK;
}

/* ---------------------------------------------------------------- lists */

/* Factors and linear functions each make lists; the result is their products, factor by factor as long as there is
 * room for all products with one. */
PfStatus pf_candidates_linear(const PfFlow *flow, int most, PfCandidates *list)
{
  PfCandidates factors, linear;
  PF_TRY(make_list(flow, most, list));
  PF_TRY(make_list(flow, most, &linear));
  PF_TRY(list_factors(flow, &factors));
  for (int i = 0; i < flow->eq->n; i++)
    add_named(flow, &linear, flow->eq->momentum[i], "momentum of", flow->eq->model->coordinates[i].name);
  add_pseudo_momenta(flow, &linear);
  static const char *const axes[] = {"x", "y", "z"};
  const PfModel *model = flow->eq->model;
  PfExpr zero = pf_expr_int(flow->ctx, 0), momentum[3] = {zero, zero, zero}, turning[3] = {zero, zero, zero};
  for (int i = 0; i < model->body_count; i++) add_body(flow, model->bodies + i, momentum, turning);
  for (int k = 0; k < 3; k++) add_named(flow, &linear, momentum[k], "momentum of all bodies along", axes[k]);
  for (int k = 0; k < 3; k++) add_named(flow, &linear, turning[k], "angular momentum of all bodies about", axes[k]);
  add_velocities(flow, &linear);
  /* The angular velocity of every body, in the axes of the ground: by angles it would take products of three. */
  for (int i = 0; i < model->body_count; i++) {
    PfExpr spin[3];
    pf_vector_express(model, pf_frame_spin(model, model->bodies[i].frame), 0, spin);
    for (int k = 0; k < 3; k++) add(flow, &linear, spin[k]);
  }
  for (int b = 0; b < factors.count && list->count + linear.count <= most; b++)
    for (int i = 0; i < linear.count; i++) {
      add(flow, list, pf_expr_mul(flow->ctx, factors.at[b], linear.at[i]));
      if (b == 0) list->name[list->count - 1] = linear.name[i]; /* times 1 */
    }
  return pf_expr_check(flow->ctx);
}

/* All products of two of the functions, squares among them. */
static void add_squares(const PfFlow *flow, const PfCandidates *linear, PfCandidates *list)
{
  for (int i = 0; i < linear->count; i++)
    for (int k = i; k < linear->count; k++) add(flow, list, pf_expr_mul(flow->ctx, linear->at[i], linear->at[k]));
}

/* The terms of e, with a common factor multiplied out: those of m*g*(a + b) are m*g*a and m*g*b. */
static void add_terms(const PfFlow *flow, PfExpr e, PfExpr factor, int depth, PfCandidates *list)
{
  PfContext *ctx = flow->ctx;
  if (pf_expr_op(ctx, e) == PF_OP_SUM) {
    for (int i = 1; i + 1 < pf_expr_arg_count(ctx, e); i += 2) {
      PfExpr term = pf_expr_arg(ctx, e, i + 1);
      if (depth) add_terms(flow, term, factor, depth - 1, list);
      else add(flow, list, pf_expr_mul(ctx, factor, term));
    }
    return;
  }
  for (int i = 0; depth && pf_expr_op(ctx, e) == PF_OP_PRODUCT && i < pf_expr_arg_count(ctx, e); i += 2) {
    PfExpr base = pf_expr_arg(ctx, e, i);
    if (pf_expr_op(ctx, base) != PF_OP_SUM || !pf_expr_is_int(ctx, pf_expr_arg(ctx, e, i + 1), 1)) continue;
    add_terms(flow, base, pf_expr_mul(ctx, factor, pf_expr_div(ctx, e, base)), depth - 1, list);
    return;
  }
  add(flow, list, pf_expr_mul(ctx, factor, e));
}

/* Kinetic and potential energy; momenta times velocities and the terms of the potential, which are the energies of
 * unconnected parts; products of two momenta, and of two velocities where there is room for all. */
PfStatus pf_candidates_quadratic(const PfFlow *flow, PfExpr potential, int most, PfCandidates *list)
{
  enum { DEPTH = 3 };
  PfCandidates momenta, velocities;
  PF_TRY(make_list(flow, most, list));
  PF_TRY(make_list(flow, most, &momenta));
  PF_TRY(make_list(flow, most, &velocities));
  add(flow, list, flow->eq->kinetic);
  add(flow, list, flow->eq->potential);
  add_terms(flow, potential, pf_expr_int(flow->ctx, 1), DEPTH, list);
  for (int i = 0; i < flow->eq->n; i++)
    add(flow, list, pf_expr_mul(flow->ctx, flow->eq->momentum[i], flow->eq->model->coordinates[i].v));
  add_pseudo_momenta(flow, &momenta);
  add_velocities(flow, &velocities);
  if (list->count + momenta.count*velocities.count <= most)
    for (int i = 0; i < momenta.count; i++)
      for (int k = 0; k < velocities.count; k++)
        add(flow, list, pf_expr_mul(flow->ctx, momenta.at[i], velocities.at[k]));
  add_squares(flow, &momenta, list);
  if (list->count + velocities.count*(velocities.count + 1)/2 <= most) add_squares(flow, &velocities, list);
  return pf_expr_check(flow->ctx);
}

/* Products of two pseudo-velocities that are velocities, times functions of position, factor by factor as long as there
 * is room for all products with one; then these functions alone. */
PfStatus pf_candidates_mixed(const PfFlow *flow, int most, PfCandidates *list)
{
  PfContext *ctx = flow->ctx;
  const PfModel *model = flow->eq->model;
  const PfKinematics *k = &flow->states.kinematics;
  PfCandidates factors, velocities, squares;
  PF_TRY(make_list(flow, most, list));
  PF_TRY(make_list(flow, most, &velocities));
  PF_TRY(make_list(flow, most, &squares));
  PF_TRY(list_factors(flow, &factors));
  for (int i = 0; i < flow->eq->n; i++)
    for (int a = 0; flow->states.laconic && a < k->count; a++)
      if (k->omega[a] == model->coordinates[i].v) add(flow, &velocities, k->omega[a]);
  add_squares(flow, &velocities, &squares);
  /* Squares of direction cosines and of the others: a heavy body has them in its integrals. */
  const int first = factors.count;
  for (int i = 0; i < first; i++)
    for (int j = i; j < first && flow->eq->model->spinning_count == 1; j++)
      if (pf_expr_op(ctx, factors.at[i]) == PF_OP_SYMBOL && pf_expr_op(ctx, factors.at[j]) == PF_OP_SYMBOL)
        add(flow, &factors, pf_expr_mul(ctx, factors.at[i], factors.at[j]));
  for (int b = 0; b < factors.count && list->count + squares.count <= most - factors.count; b++)
    for (int i = 0; i < squares.count; i++) add(flow, list, pf_expr_mul(ctx, factors.at[b], squares.at[i]));
  for (int b = 0; b < factors.count; b++) add(flow, list, factors.at[b]);
  return pf_expr_check(ctx);
}

/* Functions times monomials of parameters, with as high a degree as there is room for. */
PfStatus pf_candidates_by_parameters(const PfFlow *flow, const PfExpr *functions, int count, const bool *parameters,
                                     int most, PfCandidates *list)
{
  enum { MOST_DEGREE = 4, MOST_MONOMIALS = 400 };
  PfContext *ctx = flow->ctx;
  const PfModel *model = flow->eq->model;
  PfCandidates monomials;
  int first = 0;
  PF_TRY(make_list(flow, most, list));
  PF_TRY(make_list(flow, MOST_MONOMIALS, &monomials));
  add(flow, &monomials, pf_expr_int(ctx, 1));
  for (int degree = 1; degree <= MOST_DEGREE; degree++) {
    const int end = monomials.count;
    for (int i = 0; i < model->parameter_count; i++)
      for (int k = first; parameters[i] && k < end; k++)
        add(flow, &monomials, pf_expr_mul(ctx, monomials.at[k], model->parameters[i].symbol));
    if (monomials.count*count > most) { /* the degree before is the last */
      monomials.count = end;
      break;
    }
    first = end;
  }
  for (int k = 0; k < monomials.count && list->count + count <= most; k++)
    for (int i = 0; i < count; i++) add(flow, list, pf_expr_mul(ctx, monomials.at[k], functions[i]));
  return pf_expr_check(ctx);
}
