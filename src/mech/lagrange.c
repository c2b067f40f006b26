/* SPDX-License-Identifier: Apache-2.0 */
/* Equations of motion: Lagrange's for what is given by energies, the recursion of bodies.c for bodies. */
#include "mech/mech_impl.h"

#include <string.h>

/* Lists of matrices are dense. */
enum { MOST_COORDINATES = 8000, MOST_CONSTRAINTS = 8000, MOST_IN_BODIES = 50000 };

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

/* What an outline does without. */
static PfStatus make_inertia(PfContext *ctx, PfArena *arena, PfEquations *eq)
{
  size_t n = (size_t)eq->n;
  eq->M = pf_arena_array(arena, PfExpr, n*n);
  eq->F = pf_arena_array(arena, PfExpr, n);
  eq->momentum = pf_arena_array(arena, PfExpr, n);
  if (!eq->M || !eq->F || !eq->momentum) return pf_no_room(ctx, "the equations");
  PfExpr zero = pf_expr_int(ctx, 0);
  for (size_t i = 0; i < n*n; i++) eq->M[i] = zero;
  return PF_OK;
}

static PfStatus make_room(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *eq)
{
  size_t n = (size_t)model->coordinate_count, m = (size_t)model->constraint_count;
  *eq = (PfEquations){.model = model, .n = model->coordinate_count, .m = model->constraint_count};
  eq->C = pf_arena_array(arena, PfExpr, n);
  eq->applied = pf_arena_array(arena, PfExpr, n);
  eq->A = pf_arena_array(arena, PfExpr, m*n);
  eq->b = pf_arena_array(arena, PfExpr, m);
  eq->position = pf_arena_array(arena, PfExpr, m);
  eq->velocity = pf_arena_array(arena, PfExpr, m);
  eq->rate = pf_arena_array(arena, PfExpr, n);
  if (!eq->C || !eq->applied || !eq->A || !eq->b || !eq->position || !eq->velocity || !eq->rate)
    return pf_no_room(ctx, "the equations");
  PfExpr zero = pf_expr_int(ctx, 0);
  for (size_t i = 0; i < m*n; i++) eq->A[i] = zero;
  for (size_t i = 0; i < n; i++) {
    const PfCoordinate *c = model->coordinates + i;
    eq->applied[i] = model->force[i];
    eq->C[i] = model->nonideal[i];
    eq->rate[i] = c->rate == PF_EXPR_NONE ? c->v : c->rate;
  }
  eq->kinetic = model->kinetic;
  eq->potential = model->potential;
  return PF_OK;
}

/* Lists of symbols that the sweeps need. */
typedef struct Lists {
  PfExpr *v;
  PfExpr *from, *to; /* q -> q', t -> 1, inputs by their functions: the velocity along the motion */
  int moving;
} Lists;

static PfStatus make_lists(PfContext *ctx, PfArena *scratch, const PfModel *model, Lists *l)
{
  size_t n = (size_t)model->coordinate_count, most = n + 1 + (size_t)model->input_count + (size_t)model->follower_count;
  l->v = pf_arena_array(scratch, PfExpr, n);
  l->from = pf_arena_array(scratch, PfExpr, most);
  l->to = pf_arena_array(scratch, PfExpr, most);
  if (!l->v || !l->from || !l->to) return pf_no_room(ctx, "the equations");
  int k = 0;
  for (size_t i = 0; i < n; i++) {
    l->from[k] = model->coordinates[i].q;
    l->v[i] = l->to[k++] = model->coordinates[i].v;
  }
  l->from[k] = model->time, l->to[k++] = pf_expr_int(ctx, 1);
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      l->from[k] = model->inputs[i].symbol, l->to[k++] = pf_expr_diff(ctx, model->inputs[i].value, model->time);
  for (int i = 0; i < model->follower_count; i++)
    l->from[k] = model->followers[i].symbol, l->to[k++] = model->followers[i].rate;
  l->moving = k;
  return PF_OK;
}

static void subtract(PfContext *ctx, PfExpr *from, const PfExpr *what, int count)
{
  for (int i = 0; i < count; i++) from[i] = pf_expr_sub(ctx, from[i], what[i]);
}

/* Angular velocities are no derivatives of coordinates: F += p x w, in the axes of the parent w x p. */
static void add_spinnings(PfContext *ctx, const PfModel *model, const PfExpr *p, PfExpr *F)
{
  for (int s = 0; s < model->spinning_count; s++) {
    const PfSpinning *spinning = model->spinnings + s;
    PfExpr w[3], moment[3];
    for (int k = 0; k < 3; k++) w[k] = model->coordinates[spinning->first + k].v;
    pf_expr_cross3(ctx, p + spinning->first, w, moment);
    for (int k = 0; k < 3; k++) {
      PfExpr *f = F + spinning->first + k;
      *f = spinning->sign > 0 ? pf_expr_add(ctx, *f, moment[k]) : pf_expr_sub(ctx, *f, moment[k]);
    }
  }
}

/* M = d^2T/dv^2, F += dT/dq - (d/dt dT/dv at v' = 0). */
static PfStatus add_kinetic(PfContext *ctx, PfArena *scratch, const PfModel *model, const Lists *l,
                            PfEquations *eq)
{
  int n = eq->n;
  if (pf_expr_is_structural_zero(ctx, model->kinetic)) return PF_OK;
  PfExpr *p = pf_arena_array(scratch, PfExpr, n), *g = pf_arena_array(scratch, PfExpr, n);
  PfJacobian hessian;
  if (!p || !g) return pf_no_room(ctx, "the equations");
  PF_TRY(pf_expr_gradient(ctx, model->kinetic, l->v, n, p));
  PF_TRY(pf_model_gradient(model, model->kinetic, g));
  PF_TRY(pf_expr_jacobian(ctx, scratch, p, n, l->v, n, &hessian));
  for (int k = 0; k < hessian.count; k++) /* one triangle serves both, so that M is symmetric to the letter */
    if (hessian.column[k] <= hessian.row[k]) {
      eq->M[hessian.row[k]*n + hessian.column[k]] = hessian.value[k];
      eq->M[hessian.column[k]*n + hessian.row[k]] = hessian.value[k];
    }
  for (int i = 0; i < n; i++) eq->F[i] = pf_expr_add(ctx, eq->F[i], g[i]);
  PF_TRY(pf_model_check_inputs(model, p, n));
  PF_TRY(pf_expr_derive_along(ctx, p, n, l->from, l->to, l->moving, g));
  subtract(ctx, eq->F, g, n);
  add_spinnings(ctx, model, p, eq->F);
  return PF_OK;
}

/* F -= dV/dq of the potential that is given by a formula */
static PfStatus subtract_potential(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  PfExpr *g = pf_arena_array(scratch, PfExpr, eq->n);
  if (!g) return pf_no_room(ctx, "the equations");
  PF_TRY(pf_model_gradient(model, model->potential, g));
  subtract(ctx, eq->F, g, eq->n);
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
                                  const Lists *l, PfExpr *Q)
{
  const int n = model->coordinate_count;
  if (load->velocity.count < 0) return pf_no_room(ctx, "the equations");
  PfVector velocity = {load->velocity.count, pf_arena_array(scratch, PfVectorPart, load->velocity.count)};
  PfExpr *slope = pf_arena_array(scratch, PfExpr, n), *virtual = pf_arena_array(scratch, PfExpr, n);
  if (!velocity.part || !slope || !virtual) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < n; i++) virtual[i] = model->coordinates[i].a;
  for (int k = 0; k < velocity.count; k++) {
    velocity.part[k] = load->velocity.part[k];
    PF_TRY(pf_expr_substitute(ctx, velocity.part[k].c, 3, l->v, virtual, n, velocity.part[k].c));
  }
  PF_TRY(pf_expr_gradient(ctx, pf_vector_dot(model, load->force, velocity), virtual, n, slope));
  for (int i = 0; i < n; i++) Q[i] = pf_expr_add(ctx, Q[i], slope[i]);
  return PF_OK;
}

static PfStatus add_loads(PfContext *ctx, PfArena *scratch, const PfModel *model, const Lists *l, PfEquations *eq)
{
  for (int i = 0; i < model->load_count; i++) {
    const PfLoad *load = model->loads + i;
    PfExpr *Q = load->nonideal ? eq->C : eq->applied;
    bool many = eq->in_bodies || load->velocity.count > PF_MOST_PARTS;
    PF_TRY(many ? add_load_by_power(ctx, scratch, model, load, l, Q) : add_load(ctx, model, load, Q, eq->n));
  }
  return PF_OK;
}

/* Forces, loads and dissipation: what has no potential and is no inertia. */
static PfStatus add_applied(PfContext *ctx, PfArena *scratch, const PfModel *model, const Lists *l, PfEquations *eq)
{
  PfExpr *loss = pf_arena_array(scratch, PfExpr, eq->n);
  if (!loss) return pf_no_room(ctx, "the equations");
  PF_TRY(add_loads(ctx, scratch, model, l, eq));
  PF_TRY(pf_expr_gradient(ctx, model->dissipation, l->v, eq->n, loss));
  subtract(ctx, eq->applied, loss, eq->n);
  PF_TRY(pf_write_signs(ctx, eq->C, eq->n));
  return pf_write_signs(ctx, eq->applied, eq->n);
}

/* M, F and momentum; forces are there. */
static PfStatus add_inertia(PfContext *ctx, PfArena *scratch, const Lists *lists, PfEquations *eq)
{
  const PfModel *model = eq->model;
  memcpy(eq->F, eq->applied, (size_t)eq->n*sizeof *eq->F);
  PF_TRY(add_kinetic(ctx, scratch, model, lists, eq));
  PF_TRY(subtract_potential(ctx, scratch, model, eq));
  PF_TRY(pf_derive_bodies(ctx, scratch, model, eq));
  return pf_expr_gradient(ctx, eq->kinetic, lists->v, eq->n, eq->momentum);
}

static PfStatus derive(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  Lists lists = {0};
  PF_TRY(make_lists(ctx, scratch, model, &lists));
  PF_TRY(add_applied(ctx, scratch, model, &lists, eq));
  if (!eq->in_bodies) PF_TRY(add_inertia(ctx, scratch, &lists, eq));
  PF_TRY(pf_derive_constraints(ctx, scratch, model, eq));
  return pf_expr_check(ctx);
}

static PfStatus derive_by(PfContext *ctx, PfArena *arena, const PfModel *model, bool in_bodies, PfEquations *equations)
{
  PF_TRY(check_size(ctx, model, in_bodies));
  PF_TRY(make_room(ctx, arena, model, equations));
  equations->in_bodies = in_bodies;
  if (!in_bodies) PF_TRY(make_inertia(ctx, arena, equations));
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  if (!scratch) return pf_no_room(ctx, "the equations");
  PfStatus status = derive(ctx, scratch, model, equations);
  pf_arena_free(scratch);
  return status;
}

PfStatus pf_equations_derive(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *equations)
{
  return derive_by(ctx, arena, model, false, equations);
}

PfStatus pf_equations_outline(PfContext *ctx, PfArena *arena, const PfModel *model, PfEquations *equations)
{
  bool in_bodies = false;
  PF_TRY(pf_outline_suits(ctx, model, &in_bodies));
  return derive_by(ctx, arena, model, in_bodies, equations);
}

static PfStatus write_out(PfContext *ctx, PfArena *scratch, PfEquations *eq)
{
  Lists lists = {0};
  PF_TRY(make_lists(ctx, scratch, eq->model, &lists));
  PF_TRY(add_inertia(ctx, scratch, &lists, eq));
  return pf_expr_check(ctx);
}

PfStatus pf_equations_write_out(PfContext *ctx, PfArena *arena, PfEquations *equations)
{
  if (!equations->in_bodies) return PF_OK;
  PF_TRY(check_size(ctx, equations->model, false));
  PF_TRY(make_inertia(ctx, arena, equations));
  PfArena *scratch = pf_arena_new(pf_context_allocator(ctx));
  if (!scratch) return pf_no_room(ctx, "the equations");
  PfStatus status = write_out(ctx, scratch, equations);
  pf_arena_free(scratch);
  if (status == PF_OK) equations->in_bodies = false;
  return status;
}

PfStatus pf_equations_symbols(PfContext *ctx, PfArena *arena, const PfModel *model, PfSymbols *s)
{
  int n = model->coordinate_count;
  s->parameters = 0;
  s->time = model->parameter_count;
  s->inputs = s->time + 1;
  s->q = s->inputs + model->input_count;
  s->v = s->q + n;
  s->lambda = s->v + n;
  s->followers = s->lambda + model->constraint_count;
  s->count = s->followers + model->follower_count;
  s->symbol = pf_arena_array(arena, PfExpr, s->count);
  if (!s->symbol) return pf_no_room(ctx, "the equations");
  for (int i = 0; i < model->parameter_count; i++) s->symbol[i] = model->parameters[i].symbol;
  s->symbol[s->time] = model->time;
  for (int i = 0; i < model->input_count; i++) s->symbol[s->inputs + i] = model->inputs[i].symbol;
  for (int i = 0; i < n; i++) s->symbol[s->q + i] = model->coordinates[i].q;
  for (int i = 0; i < n; i++) s->symbol[s->v + i] = model->coordinates[i].v;
  for (int i = 0; i < model->constraint_count; i++) s->symbol[s->lambda + i] = model->constraints[i].multiplier;
  for (int i = 0; i < model->follower_count; i++) s->symbol[s->followers + i] = model->followers[i].symbol;
  return PF_OK;
}
