/* SPDX-License-Identifier: Apache-2.0 */
/* Kane's equations F_a + F*_a = 0 with generalized active and inertia forces along partial velocities:
 *
 *   F*_a = -sum_b dV/domega_a.(m a) + dW/domega_a.(I W' + Omega x I W)  (- R.dq'/domega_a for a kinetic energy given by
 *   a formula, with R = (dT/dq')' - dT/dq) */
#include "mech/accelerations.h"

/* -F*_a: each body by its partial velocities, then coordinates with inertia of their own. */
static PfStatus inertia_forces(PfContext *ctx, PfArena *arena, const PfKinematics *k, const PfAccelerations *x,
                               PfExpr **inertia)
{
  const int s = k->count;
  PF_TRY(pf_arrays(ctx, arena, "the forces of inertia", PF_ROOM(*inertia, s)));
  for (int a = 0; a < s; a++) {
    PfExpr sum = pf_expr_int(ctx, 0);
    for (int b = 0; b < x->body_count; b++) {
      const PfBodyMotion *motion = x->bodies + b;
      PfExpr V[3], W[3], moment[3];
      for (int j = 0; j < 3; j++) {
        V[j] = pf_expr_diff(ctx, motion->V[j], k->omega[a]);
        W[j] = pf_expr_diff(ctx, motion->W[j], k->omega[a]);
      }
      pf_body_moment(ctx, motion, moment);
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, motion->body->mass, pf_expr_dot3(ctx, V, motion->a)));
      sum = pf_expr_add(ctx, sum, pf_expr_dot3(ctx, W, moment));
    }
    for (int i = 0; i < x->n && x->formula; i++)
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, k->N[i*s + a], x->R[i]));
    (*inertia)[a] = sum;
  }
  return pf_expr_check(ctx);
}

/* G = -dF*_a/domega', g = F + F* at omega' = 0. */
PfStatus pf_reduce_kane(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                        PfReducedForm *form)
{
  PfAccelerations x;
  PfExpr *inertia;
  PF_TRY(pf_accelerations_find(ctx, arena, eq, k, &x));
  PF_TRY(inertia_forces(ctx, arena, k, &x, &inertia));
  return pf_reduced_by_inertia(ctx, arena, k, inertia, x.Q, form);
}

/* Partial velocities dV/domega_a of all bodies, or dW/domega_a. */
static PfStatus write_partials(PfContext *ctx, PfArena *arena, const PfKinematics *k, const PfAccelerations *x,
                               bool turning, PfDerivation *d)
{
  for (int b = 0; b < x->body_count; b++)
    for (int a = 0; a < k->count; a++) {
      PfExpr partial[3];
      for (int j = 0; j < 3; j++)
        partial[j] = pf_expr_diff(ctx, turning ? x->bodies[b].W[j] : x->bodies[b].V[j], k->omega[a]);
      PF_TRY(pf_step_vector(ctx, arena, d, turning ? "W" : "V", x->bodies[b].body, k->names[a], partial));
    }
  return PF_OK;
}

/* R* = -m a, T* = -(I W' + Omega x I W) of each body; of coordinates R* = -((dT/dq')' - dT/dq). */
static PfStatus write_inertia(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfAccelerations *x,
                              PfDerivation *d)
{
  pf_step_begin(d, !x->formula      ? "Forces of inertia R* = -m a"
                   : !x->body_count ? "Forces of inertia of the coordinates R* = -((dT/dq')' - dT/dq)"
                                    : "Forces of inertia R* = -m a, of the coordinates R* = -((dT/dq')' - dT/dq)");
  for (int b = 0; b < x->body_count; b++) {
    PfExpr force[3], mass = pf_expr_neg(ctx, x->bodies[b].body->mass);
    for (int j = 0; j < 3; j++) force[j] = pf_expr_mul(ctx, mass, x->bodies[b].a[j]);
    PF_TRY(pf_step_vector(ctx, arena, d, "R", x->bodies[b].body, NULL, force));
  }
  for (int i = 0; i < x->n && x->formula; i++)
    PF_TRY(pf_step_entry(ctx, arena, d, "R", eq->model->coordinates[i].name, NULL, pf_expr_neg(ctx, x->R[i])));
  pf_step_begin(d, "Moments of inertia forces T* = -(I W' + W x I W)");
  for (int b = 0; b < x->body_count; b++) {
    PfExpr moment[3];
    pf_body_moment(ctx, x->bodies + b, moment);
    for (int j = 0; j < 3; j++) moment[j] = pf_expr_neg(ctx, moment[j]);
    PF_TRY(pf_step_vector(ctx, arena, d, "T", x->bodies[b].body, NULL, moment));
  }
  return PF_OK;
}

/* Partial velocities, accelerations, forces of inertia, generalized forces. */
PfStatus pf_steps_of_kane(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                          PfDerivation *d)
{
  PfAccelerations x;
  PfExpr *inertia;
  PF_TRY(pf_accelerations_find(ctx, arena, eq, k, &x));
  PF_TRY(inertia_forces(ctx, arena, k, &x, &inertia));
  PF_TRY(pf_steps_of_forces(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_constraints(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_kinematics(ctx, arena, eq, k, d));
  pf_step_begin(d, "Partial velocities of the centres of mass dV/domega, in the axes of each body (of a wheel: without "
                "its spin)");
  PF_TRY(write_partials(ctx, arena, k, &x, false, d));
  pf_step_begin(d, "Partial angular velocities dW/domega");
  PF_TRY(write_partials(ctx, arena, k, &x, true, d));
  if (x.formula) {
    pf_step_begin(d, "Partial velocities of the coordinates dq'/domega");
    for (int i = 0; i < eq->n; i++)
      for (int a = 0; a < k->count; a++)
        PF_TRY(pf_step_entry(ctx, arena, d, "N", eq->model->coordinates[i].name, k->names[a], k->N[i*k->count + a]));
  }
  PF_TRY(pf_steps_of_accelerations(ctx, arena, eq, &x, d));
  PF_TRY(write_inertia(ctx, arena, eq, &x, d));
  pf_step_begin(d, "Generalized active forces F along each omega, the potential among them");
  for (int a = 0; a < k->count; a++) PF_TRY(pf_step_add(ctx, arena, d, "F", k->names[a], x.Q[a]));
  pf_step_begin(d, "Generalized inertia forces F*; the equations are F + F* = 0");
  for (int a = 0; a < k->count; a++)
    PF_TRY(pf_step_add(ctx, arena, d, "F_star", k->names[a], pf_expr_neg(ctx, inertia[a])));
  return PF_OK;
}
