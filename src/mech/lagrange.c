/* SPDX-License-Identifier: Apache-2.0 */
/* Equations of motion: Lagrange's for parts that are given by energies, the recursion of bodies.c for bodies. */
#include "mech/mech_impl.h"

#include <string.h>

/* Lists of matrices are dense. */
enum { MOST_COORDINATES = 8000, MOST_CONSTRAINTS = 8000, MOST_IN_BODIES = 50000 };

/* Constraints at position, velocity and acceleration level. Row i of A and b: of a constraint at acceleration level
 * phi = 0, A = d phi/da and b = -phi at a = 0; of psi(q, v, t) = 0 differentiated, (d psi/dv) v' = -(d psi/dt +
 * d psi/dq v), A = d psi/dv and b = minus the time derivative at v' = 0. */
static PfStatus derive_constraints(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  const int n = eq->n;
  PfExpr *a, *zeros;
  PF_TRY(pf_arrays(ctx, scratch, "the constraints", PF_ROOM(a, n), PF_ROOM(zeros, n)));
  for (int i = 0; i < n; i++) a[i] = model->coordinates[i].a, zeros[i] = pf_expr_int(ctx, 0);
  for (int i = 0; i < eq->m; i++) {
    const PfConstraint *c = model->constraints + i;
    PfExpr *A = eq->A + (size_t)i*(size_t)n, rest = c->residual;
    if (c->kind == PF_ACCELERATION) {
      PF_TRY(pf_expr_gradient(ctx, rest, a, n, A));
      PF_TRY(pf_expr_substitute(ctx, &rest, 1, a, zeros, n, &rest));
      eq->b[i] = pf_expr_neg(ctx, rest);
      PF_TRY(pf_expr_substitute(ctx, A, n, a, zeros, n, A)); /* linear: the zeros only tidy up */
      continue;
    }
    eq->velocity[i] = c->residual;
    if (c->kind == PF_HOLONOMIC) {
      eq->position[i] = c->residual;
      PF_TRY(pf_model_time_derivative(model, &c->residual, 1, eq->velocity + i));
    }
    PF_TRY(pf_velocity_gradient(model, eq->velocity[i], A));
    PF_TRY(pf_model_time_derivative(model, eq->velocity + i, 1, &rest));
    PF_TRY(pf_expr_substitute(ctx, &rest, 1, a, zeros, n, &rest));
    eq->b[i] = pf_expr_neg(ctx, rest);
  }
  return PF_OK;
}

/* Fails for models whose dense lists would be too large: M has the square of the number of coordinates. */
static PfStatus check_size(PfContext *ctx, const PfModel *model, bool in_bodies)
{
  int n = model->coordinate_count, m = model->constraint_count, most = in_bodies ? MOST_IN_BODIES : MOST_COORDINATES;
  if (n > most)
    return pf_fail(ctx, PF_ERR_LIMIT, "%s: %d coordinates are too many: this version derives equations for at most %d",
                   model->file, n, most);
  if (m > MOST_CONSTRAINTS)
    return pf_fail(ctx, PF_ERR_LIMIT, "%s: %d constraints are too many: this version derives equations for at most %d",
                   model->file, m, MOST_CONSTRAINTS);
  return PF_OK;
}

/* The matrices that matrix-free equations do without. */
static PfStatus make_inertia(PfContext *ctx, PfArena *arena, PfEquations *eq)
{
  size_t n = (size_t)eq->n;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(eq->M, n*n), PF_ROOM(eq->F, n), PF_ROOM(eq->momentum, n)));
  PfExpr zero = pf_expr_int(ctx, 0);
  for (size_t i = 0; i < n*n; i++) eq->M[i] = zero;
  return PF_OK;
}


/* from -= what, element by element. */
static void subtract(PfContext *ctx, PfExpr *from, const PfExpr *what, int count)
{
  for (int i = 0; i < count; i++) from[i] = pf_expr_sub(ctx, from[i], what[i]);
}

/* M = d^2T/dv^2, F += dT/dq - (d/dt dT/dv at v' = 0) for the kinetic energy that is given by a formula. Angular
 * velocities are not derivatives of coordinates: F += p x w, in the axes of the parent w x p. */
static PfStatus add_kinetic(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  int n = eq->n;
  if (pf_expr_is_structural_zero(ctx, model->kinetic)) return PF_OK;
  PfExpr *p, *g, *v;
  PfJacobian hessian;
  PF_TRY(pf_arrays(ctx, scratch, "the equations", PF_ROOM(p, n), PF_ROOM(g, n), PF_ROOM(v, n)));
  for (int i = 0; i < n; i++) v[i] = model->coordinates[i].v;
  PF_TRY(pf_expr_gradient(ctx, model->kinetic, v, n, p));
  PF_TRY(pf_model_gradient(model, model->kinetic, g));
  PF_TRY(pf_expr_jacobian(ctx, scratch, p, n, v, n, &hessian));
  for (int k = 0; k < hessian.count; k++) /* one triangle serves both, so that M is symmetric to the letter */
    if (hessian.column[k] <= hessian.row[k]) {
      eq->M[hessian.row[k]*n + hessian.column[k]] = hessian.value[k];
      eq->M[hessian.column[k]*n + hessian.row[k]] = hessian.value[k];
    }
  for (int i = 0; i < n; i++) eq->F[i] = pf_expr_add(ctx, eq->F[i], g[i]);
  PF_TRY(pf_model_check_inputs(model, p, n));
  PF_TRY(pf_model_derive_along(model, NULL, p, n, g));
  subtract(ctx, eq->F, g, n);
  for (int s = 0; s < model->spinning_count; s++) {
    const PfSpinning *spinning = model->spinnings + s;
    PfExpr w[3], moment[3];
    for (int k = 0; k < 3; k++) w[k] = model->coordinates[spinning->first + k].v;
    pf_expr_cross3(ctx, p + spinning->first, w, moment);
    for (int k = 0; k < 3; k++) {
      PfExpr *f = eq->F + spinning->first + k;
      *f = spinning->sign > 0 ? pf_expr_add(ctx, *f, moment[k]) : pf_expr_sub(ctx, *f, moment[k]);
    }
  }
  return PF_OK;
}

/* Q_i = f . d(velocity)/dq_i' */
static PfStatus add_load(PfContext *ctx, const PfModel *model, const PfLoad *load, PfExpr *Q, int n)
{
  if (load->velocity.count < 0) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < n; i++)
    for (int k = 0; k < load->velocity.count; k++) {
      const PfVectorPart *part = load->velocity.part + k;
      PfExpr one = pf_expr_int(ctx, 1), c[3];
      PF_TRY(pf_expr_derive_along(ctx, part->c, 3, &model->coordinates[i].v, &one, 1, c));
      PfVectorPart column = {part->frame, {c[0], c[1], c[2]}};
      PfVector along = {1, &column};
      Q[i] = pf_expr_add(ctx, Q[i], pf_vector_dot(model, load->force, along));
    }
  return PF_OK;
}

/* The same as the slopes of the power: less readable, but no work of its own for each coordinate of a deep tree. The
 * velocity of the point is taken at virtual velocities, for which the symbols q'' serve: the force may depend on the
 * actual ones. */
static PfStatus add_load_by_power(PfContext *ctx, PfArena *scratch, const PfModel *model, const PfLoad *load,
                                  PfExpr *Q)
{
  const int n = model->coordinate_count;
  if (load->velocity.count < 0) return pf_no_room(ctx, "the equations");
  PfVector velocity = {.count = load->velocity.count};
  PfExpr *slope, *virtual;
  PF_TRY(pf_arrays(ctx, scratch, "the equations", PF_ROOM(velocity.part, velocity.count), PF_ROOM(slope, n),
                   PF_ROOM(virtual, n)));
  for (int i = 0; i < n; i++) virtual[i] = model->coordinates[i].a;
  for (int k = 0; k < velocity.count; k++) {
    velocity.part[k] = load->velocity.part[k];
    PF_TRY(pf_put_velocities(model, virtual, velocity.part[k].c, 3, velocity.part[k].c));
  }
  PF_TRY(pf_expr_gradient(ctx, pf_vector_dot(model, load->force, velocity), virtual, n, slope));
  for (int i = 0; i < n; i++) Q[i] = pf_expr_add(ctx, Q[i], slope[i]);
  return PF_OK;
}

/* M, F and momentum; forces are there. Potentials that are given by formulas: F -= dV/dq. */
static PfStatus add_inertia(PfContext *ctx, PfArena *scratch, PfEquations *eq)
{
  const PfModel *model = eq->model;
  PfExpr *g;
  memcpy(eq->F, eq->applied, (size_t)eq->n*sizeof *eq->F);
  PF_TRY(add_kinetic(ctx, scratch, model, eq));
  PF_TRY(pf_arrays(ctx, scratch, "the equations", PF_ROOM(g, eq->n)));
  PF_TRY(pf_model_gradient(model, model->potential, g));
  subtract(ctx, eq->F, g, eq->n);
  PF_TRY(pf_derive_bodies(ctx, scratch, model, eq));
  PF_TRY(pf_velocity_gradient(model, eq->kinetic, eq->momentum));
  return pf_expr_check(ctx);
}

/* Applied forces (loads and dissipation, which have no potential and do not come from inertia), then inertia, then
 * constraints. */
static PfStatus derive(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  PfExpr *loss;
  PF_TRY(pf_arrays(ctx, scratch, "the equations", PF_ROOM(loss, eq->n)));
  for (int i = 0; i < model->load_count; i++) {
    const PfLoad *load = model->loads + i;
    PfExpr *Q = load->nonideal ? eq->C : eq->applied;
    bool many = eq->in_bodies || load->velocity.count > PF_MOST_VECTOR_PARTS;
    PF_TRY(many ? add_load_by_power(ctx, scratch, model, load, Q) : add_load(ctx, model, load, Q, eq->n));
  }
  PF_TRY(pf_velocity_gradient(model, model->dissipation, loss));
  subtract(ctx, eq->applied, loss, eq->n);
  PF_TRY(pf_write_signs(ctx, eq->C, eq->n));
  PF_TRY(pf_write_signs(ctx, eq->applied, eq->n));
  if (!eq->in_bodies) PF_TRY(add_inertia(ctx, scratch, eq));
  PF_TRY(derive_constraints(ctx, scratch, model, eq));
  return pf_expr_check(ctx);
}

/* Allocates M, F, C, A, b and the rest in the arena, all zero, and derives them. */
static PfStatus derive_by(PfContext *ctx, PfArena *arena, const PfModel *model, bool in_bodies, PfEquations *eq)
{
  PF_TRY(check_size(ctx, model, in_bodies));
  pf_context_note_work(ctx, PF_WORK_DERIVATION);
  const size_t n = (size_t)model->coordinate_count, m = (size_t)model->constraint_count;
  *eq = (PfEquations){.model = model, .n = (int)n, .m = (int)m, .kinetic = model->kinetic,
                      .potential = model->potential, .in_bodies = in_bodies};
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(eq->C, n), PF_ROOM(eq->applied, n), PF_ROOM2(eq->A, m, n),
                   PF_ROOM(eq->b, m), PF_ROOM(eq->position, m), PF_ROOM(eq->velocity, m), PF_ROOM(eq->rate, n)));
  const PfExpr zero = pf_expr_int(ctx, 0);
  for (size_t i = 0; i < m*n; i++) eq->A[i] = zero;
  for (size_t i = 0; i < n; i++) {
    const PfCoordinate *c = model->coordinates + i;
    eq->applied[i] = model->force[i];
    eq->C[i] = model->nonideal[i];
    eq->rate[i] = c->rate == PF_EXPR_NONE ? c->v : c->rate;
  }
  if (!in_bodies) PF_TRY(make_inertia(ctx, arena, eq));
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = scratch ? derive(ctx, scratch, model, eq) : pf_no_room(ctx, "the equations");
  pf_arena_free(scratch);
  return status;
}

/* All lists are in the arena, which must live as long as the equations. */
PfStatus pf_equations_derive(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *equations)
{
  return derive_by(ctx, arena, model, false, equations);
}

/* Whether the recursion suits the model is decided by its tree of bodies alone (matrix_free.c). */
PfStatus pf_equations_derive_matrix_free(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *equations)
{
  bool in_bodies = false;
  PF_TRY(pf_matrix_free_suits(ctx, model, &in_bodies));
  return derive_by(ctx, arena, model, in_bodies, equations);
}

/* M, F and the momenta are derived as if the equations had never been matrix-free. */
PfStatus pf_equations_write_out(PfContext *ctx, PfArena *arena, PfEquations *equations)
{
  if (!equations->in_bodies) return PF_OK;
  PF_TRY(check_size(ctx, equations->model, false));
  pf_context_note_work(ctx, PF_WORK_DERIVATION);
  PF_TRY(make_inertia(ctx, arena, equations));
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = scratch ? add_inertia(ctx, scratch, equations) : pf_no_room(ctx, "the equations");
  pf_arena_free(scratch);
  if (status == PF_OK) equations->in_bodies = false;
  return status;
}

/* The symbols of all numbers that the equations depend on (parameters, time, coordinates, velocities, inputs …) in one
 * array, with the places where each group begins. */
PfStatus pf_equations_symbols(PfContext *ctx, PfArena *arena, const PfModel *model, PfSymbols *s)
{
  int n = model->coordinate_count;
  s->parameters = 0;
  s->time = model->parameter_count;
  s->inputs = s->time + 1;
  s->q = s->inputs + model->input_count;
  s->v = s->q + n;
  s->lambda = s->v + n;
  s->auxiliaries = s->lambda + model->constraint_count;
  s->count = s->auxiliaries + model->auxiliary_count;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(s->symbol, s->count)));
  for (int i = 0; i < model->parameter_count; i++) s->symbol[i] = model->parameters[i].symbol;
  s->symbol[s->time] = model->time;
  for (int i = 0; i < model->input_count; i++) s->symbol[s->inputs + i] = model->inputs[i].symbol;
  for (int i = 0; i < n; i++) s->symbol[s->q + i] = model->coordinates[i].q;
  for (int i = 0; i < n; i++) s->symbol[s->v + i] = model->coordinates[i].v;
  for (int i = 0; i < model->constraint_count; i++) s->symbol[s->lambda + i] = model->constraints[i].multiplier;
  for (int i = 0; i < model->auxiliary_count; i++) s->symbol[s->auxiliaries + i] = model->auxiliaries[i].symbol;
  return PF_OK;
}
