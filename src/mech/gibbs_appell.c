/* SPDX-License-Identifier: Apache-2.0 */
/* Gibbs' and Appell's equations: with the energy of accelerations
 *
 *   S = sum_b m/2 a.a + W'.I W'/2 + W'.(Omega x I W)  (+ q''.M q''/2 + q''.h for a kinetic energy given by a formula)
 *
 * in which q'' is written by omega', dS/domega'_a = Q_a. Terms without accelerations are left out of S. */
#include "mech/accelerations.h"

/* m/2 a.a + W'.I W'/2 + W'.(Omega x I W), without the terms free of omega'. */
static PfStatus energy_of_body(PfContext *ctx, const PfKinematics *k, const PfExpr *zeros, const PfBodyMotion *motion,
                               PfExpr *S)
{
  PfExpr half = pf_expr_rational(ctx, 1, 2), Iw[3], rest;
  for (int j = 0; j < 3; j++) Iw[j] = pf_expr_dot3(ctx, motion->body->inertia + 3*j, motion->rate);
  PfExpr terms[3] = {pf_expr_mul(ctx, pf_expr_mul(ctx, half, motion->body->mass),
                                 pf_expr_dot3(ctx, motion->a, motion->a)),
                     pf_expr_mul(ctx, half, pf_expr_dot3(ctx, motion->rate, Iw)),
                     pf_expr_dot3(ctx, motion->rate, motion->turn)};
  *S = pf_expr_sum(ctx, terms, 3);
  PF_TRY(pf_expr_substitute(ctx, S, 1, k->rate, zeros, k->count, &rest));
  *S = pf_expr_sub(ctx, *S, rest);
  return pf_expr_check(ctx);
}

/* S of each body, then q''.(R + h)/2 of the coordinates as the last one: their sum is S. */
static PfStatus energies(PfContext *ctx, PfArena *arena, const PfKinematics *k, const PfAccelerations *x, PfExpr **S)
{
  PfExpr *zeros, rest, half = pf_expr_rational(ctx, 1, 2), sum = pf_expr_int(ctx, 0);
  PF_TRY(pf_arrays(ctx, arena, "the energy of accelerations", PF_ROOM(*S, x->body_count + 1),
                   PF_ROOM(zeros, x->count)));
  for (int a = 0; a < x->count; a++) zeros[a] = pf_expr_int(ctx, 0);
  for (int b = 0; b < x->body_count; b++) PF_TRY(energy_of_body(ctx, k, zeros, x->bodies + b, *S + b));
  for (int i = 0; i < x->n && x->formula; i++) {
    PfExpr factors[3] = {half, x->q2[i], pf_expr_add(ctx, x->R[i], x->h[i])};
    sum = pf_expr_add(ctx, sum, pf_expr_product(ctx, factors, 3));
  }
  PF_TRY(pf_expr_substitute(ctx, &sum, 1, k->rate, zeros, x->count, &rest));
  (*S)[x->body_count] = pf_expr_sub(ctx, sum, rest);
  return pf_expr_check(ctx);
}

/* dS/domega'_a for all a. */
static PfStatus slopes(PfContext *ctx, PfArena *arena, const PfKinematics *k, PfExpr S, PfExpr **inertia)
{
  PF_TRY(pf_arrays(ctx, arena, "the energy of accelerations", PF_ROOM(*inertia, k->count)));
  return pf_expr_gradient(ctx, S, k->rate, k->count, *inertia);
}

/* G = d^2S/domega'^2, g = Q - dS/domega' at omega' = 0. */
PfStatus pf_reduce_gibbs_appell(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                PfReducedForm *form)
{
  PfAccelerations x;
  PfExpr *S, *inertia;
  PF_TRY(pf_accelerations_find(ctx, arena, eq, k, &x));
  PF_TRY(energies(ctx, arena, k, &x, &S));
  PF_TRY(slopes(ctx, arena, k, pf_expr_sum(ctx, S, x.body_count + 1), &inertia));
  return pf_reduced_by_inertia(ctx, arena, k, inertia, x.Q, form);
}

/* Accelerations, S of each body and of all, its slopes, forces. */
PfStatus pf_steps_of_gibbs_appell(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                  PfDerivation *d)
{
  PfAccelerations x;
  PfExpr *S, *inertia, sum = pf_expr_int(ctx, 0);
  int parts = 0;
  PF_TRY(pf_accelerations_find(ctx, arena, eq, k, &x));
  PF_TRY(energies(ctx, arena, k, &x, &S));
  PF_TRY(pf_steps_of_forces(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_constraints(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_kinematics(ctx, arena, eq, k, d));
  PF_TRY(pf_steps_of_accelerations(ctx, arena, eq, &x, d));
  pf_step_begin(d, "Angular velocities W of the bodies");
  for (int b = 0; b < x.body_count; b++)
    PF_TRY(pf_step_vector(ctx, arena, d, "W", x.bodies[b].body, NULL, x.bodies[b].W));
  for (int b = 0; b <= x.body_count; b++) {
    S[b] = pf_expr_simplest(ctx, S[b]);
    parts += !pf_expr_is_structural_zero(ctx, S[b]);
    sum = pf_expr_add(ctx, sum, S[b]);
  }
  if (parts > 1) {
    pf_step_begin(d, "Energies of acceleration of the bodies, without terms free of accelerations");
    for (int b = 0; b < x.body_count; b++)
      PF_TRY(pf_step_entry(ctx, arena, d, "S", x.bodies[b].body->name, NULL, S[b]));
    PF_TRY(pf_step_entry(ctx, arena, d, "S", "coordinates", NULL, S[x.body_count]));
  }
  pf_step_begin(d, "Energy of acceleration S = sum m/2 a.a + W'.I W'/2 + W'.(W x I W), without terms free of "
                "accelerations");
  PF_TRY(pf_step_add(ctx, arena, d, "S", NULL, sum));
  PF_TRY(slopes(ctx, arena, k, sum, &inertia));
  pf_step_begin(d, "Its derivatives dS/domega'_a");
  for (int a = 0; a < k->count; a++) PF_TRY(pf_step_add(ctx, arena, d, "dS", k->names[a], inertia[a]));
  pf_step_begin(d, "Forces along each omega, the potential among them; the equations are dS/domega'_a = Q_a");
  for (int a = 0; a < k->count; a++) PF_TRY(pf_step_add(ctx, arena, d, "Q", k->names[a], x.Q[a]));
  return PF_OK;
}
