/* SPDX-License-Identifier: Apache-2.0 */
/* Tatarinov's laconic equations in numbers (Zobova 2011, eq. (2.3), (2.4)): G omega' = g from the symbolic
 * derivation, then q'' = N omega' + drift. The pseudo-velocities of a state are functions of its velocities, or are
 * found from them, q' = v(omega). Where those that the program has chosen break down, velocities along the null space
 * of A take their place, for which G = N^T M N needs no derivation. */
#include "form/form_impl.h"
#include "num/newton.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  PfKinematics k;
  PfTape *tape;    /* G, g, N, drift and divisors from the symbols and omega */
  PfTape *inverse; /* v, N and a first guess: to find omega; NULL when omega are known by the velocities */
  bool linear;     /* v is linear in omega */
  double *inputs, *outputs, *work, *inverse_outputs, *inverse_work;
  double *omega, *origin, *guess, *rate, *difference;
  PfLdl reduced;
  PfReduced elsewhere; /* where the chosen velocities break down */
  PfQr speeds;
  PfSpan span;
} Data;

static void release(PfSolver *s)
{
  Data *d = s->data;
  if (!d) return;
  pf_tape_free(d->tape);
  pf_tape_free(d->inverse);
}

/* ---------------------------------------------------------------- tapes */

/* Are the speeds known as functions of the velocities? */
static bool is_known(const PfKinematics *k)
{
  return k->chosen || k->definition;
}

/* All symbols of the system, then the user's speeds that have to be found. */
static PfStatus list_inputs(PfSolver *s, Data *d, PfExpr **inputs, int *count)
{
  const PfSymbols *in = &s->system->symbols;
  int extra = is_known(&d->k) ? 0 : d->k.count;
  *count = in->count + extra;
  *inputs = pf_arena_array(s->arena, PfExpr, *count);
  if (!*inputs) return pf_solver_no_room(s);
  memcpy(*inputs, in->symbol, (size_t)in->count*sizeof **inputs);
  if (extra) memcpy(*inputs + in->count, d->k.omega, (size_t)extra*sizeof **inputs);
  return PF_OK;
}

/* The reduced equations G omega' = g are derived symbolically, once for the system; N and the drift take omega' back to
 * q''. */
static PfStatus make_tape(PfSolver *s, Data *d)
{
  int n = s->system->n, c = d->k.count, count;
  size_t size = (size_t)c*(size_t)c + (size_t)c + (size_t)n*(size_t)(c + 1) + (size_t)d->k.divisor_count;
  PfReducedForm form;
  PfExpr *inputs, *roots = pf_arena_array(s->arena, PfExpr, size);
  if (!roots) return pf_solver_no_room(s);
  PF_TRY(pf_reduce_laconic(s->ctx, s->arena, s->system->eq, &d->k, &form));
  PF_TRY(list_inputs(s, d, &inputs, &count));
  PfExpr *at = roots;
  memcpy(at, form.G, (size_t)c*(size_t)c*sizeof *at), at += c*c;
  memcpy(at, form.g, (size_t)c*sizeof *at), at += c;
  memcpy(at, d->k.N, (size_t)n*(size_t)c*sizeof *at), at += n*c;
  memcpy(at, d->k.drift, (size_t)n*sizeof *at), at += n;
  for (int i = 0; i < d->k.divisor_count; i++) *at++ = d->k.divisors[i];
  if (d->k.definition) PF_TRY(pf_expr_substitute(s->ctx, roots, (int)size, d->k.omega, d->k.definition, c, roots));
  PF_TRY(pf_system_tape(s->ctx, s->system->eq->model, inputs, count, roots, (int)size, &d->tape));
  d->inputs = pf_solver_array(s, double, count);
  d->outputs = pf_solver_array(s, double, size);
  d->work = pf_solver_scratch(s, double, pf_tape_work_size(d->tape));
  return d->inputs && d->outputs && d->work ? PF_OK : pf_solver_no_room(s);
}

/* For the speeds that belong to given velocities: v(omega) and N, and where the search begins. */
static PfStatus make_inverse(PfSolver *s, Data *d)
{
  if (is_known(&d->k)) return PF_OK;
  const PfModel *model = s->system->eq->model;
  int n = s->system->n, c = d->k.count, count;
  size_t N = (size_t)n*(size_t)c, size = (size_t)n + N + (size_t)c;
  PfExpr *inputs, *roots = pf_arena_array(s->arena, PfExpr, size);
  if (!roots) return pf_solver_no_room(s);
  d->linear = true;
  for (int i = 0; i < n*c && d->linear; i++) d->linear = !pf_expr_depends(s->ctx, d->k.N[i], d->k.omega, c);
  memcpy(roots, d->k.v, (size_t)n*sizeof *roots);
  memcpy(roots + n, d->k.N, N*sizeof *roots);
  for (int a = 0; a < c; a++) {
    PfExpr start = d->linear ? PF_EXPR_NONE : model->speeds[a].start;
    roots[(size_t)n + N + (size_t)a] = start ? start : pf_expr_int(s->ctx, 0);
  }
  PF_TRY(list_inputs(s, d, &inputs, &count));
  PF_TRY(pf_system_tape(s->ctx, model, inputs, count, roots, (int)size, &d->inverse));
  d->inverse_outputs = pf_solver_array(s, double, size);
  d->inverse_work = pf_solver_scratch(s, double, pf_tape_work_size(d->inverse));
  if (!d->inverse_outputs || !d->inverse_work) return pf_solver_no_room(s);
  return pf_qr_make(s->ctx, s->arena, n, c, &d->speeds);
}

/* By the program: the user's are obeyed, also where they fail. */
static bool is_chosen(const Data *d)
{
  return d->k.chosen || d->k.combined;
}

/* A description of the speeds first: by the model, or chosen by the program. */
static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  s->release = release;
  if (s->system->friction)
    return pf_fail(s->ctx, PF_ERR_MODEL,
                   "the non-ideal forces depend on multipliers, which these equations do not have");
  PF_TRY(pf_kinematics_find(s->ctx, s->arena, s->system->eq, &d->k));
  s->unknowns = d->k.count;
  const int c = d->k.count;
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&d->omega, c, 1}, {&d->origin, c, 1}, {&d->guess, c, 1}, {&d->rate, c, 1},
                                       {&d->difference, n, 1}, {0}}));
  PF_TRY(make_tape(s, d));
  PF_TRY(make_inverse(s, d));
  PF_TRY(pf_span_make(s, &d->span));
  if (is_chosen(d)) PF_TRY(pf_reduced_make(s, &d->elsewhere));
  return pf_ldl_make(s->ctx, s->arena, d->k.count, &d->reduced);
}

/* ---------------------------------------------------------------- numbers */

/* How far v(omega) is from the velocities of the state. */
static PfStatus speed_residual(void *user, PfResidualNorm *norm)
{
  const PfSolver *s = user;
  Data *d = s->data;
  int n = s->system->n;
  const double *v = s->values + s->system->symbols.v;
  pf_tape_run(d->inverse, d->inputs, d->inverse_outputs, d->inverse_work);
  for (int i = 0; i < n; i++) d->difference[i] = v[i] - d->inverse_outputs[i];
  norm->size = norm->merit = pf_norm(d->difference, n);
  return PF_OK;
}

static PfStatus speed_step(void *user, bool fresh, double *length)
{
  Data *d = ((PfSolver *)user)->data;
  (void)fresh, (void)length;
  PF_TRY(pf_qr_factor(&d->speeds, d->inverse_outputs + ((PfSolver *)user)->system->n, 0));
  pf_qr_solve(&d->speeds, d->difference, d->omega);
  return PF_OK;
}

/* Gauss-Newton with steps that are halved until they help. False when it ends in a place that is not a
 * solution. */
static bool search_speeds(PfSolver *s, Data *d, double *omega, double size)
{
  const PfNewtonPolicy policy = {.iterations = 100, .enough = 1e-15*size, .halvings = 50};
  const PfNewton newton = {.user = s, .n = d->k.count, .x = omega, .step = d->omega, .before = d->origin,
                           .residual = speed_residual, .solve = speed_step};
  PfNewtonResult result = {0};
  (void)pf_newton(&newton, &policy, &result);
  return result.norm <= 1e-6*size; /* nearer the velocities are not those of any speeds */
}

/* omega with v(omega) nearest to the velocities: by least squares when v is linear; else a search from the start of the
 * model, and from places around it when that ends in a local minimum. The speeds are written after the symbols in
 * d->inputs. False when no speeds have these velocities. */
static bool find_speeds(PfSolver *s, Data *d)
{
  enum { MOST_PLACES = 40 };
  int n = s->system->n, c = d->k.count;
  double *omega = d->inputs + s->system->symbols.count, size = pf_norm(s->values + s->system->symbols.v, n);
  memset(omega, 0, (size_t)c*sizeof *omega);
  PfResidualNorm norm;
  (void)speed_residual(s, &norm);
  if (d->linear) {
    (void)pf_qr_factor(&d->speeds, d->inverse_outputs + n, 0);
    pf_qr_solve(&d->speeds, d->difference, omega);
    return true;
  }
  memcpy(d->guess, d->inverse_outputs + n + n*c, (size_t)c*sizeof *omega);
  for (int place = 0; place < MOST_PLACES; place++) {
    for (int a = 0; a < c; a++) {
      double away = place ? 2*fmod(0.61803398875*(place*c + a), 1) - 1 : 0;
      omega[a] = d->guess[a] + away*(4 + fabs(d->guess[a]));
    }
    if (search_speeds(s, d, omega, size)) return true;
  }
  return false;
}

/* Where a divisor all but vanishes, digits are lost twice as fast as it does. Whoever can go another way does so in
 * time. The divisors come after G, g, N and drift among the outputs; each is compared with its usual size. */
static bool breaks_down(const Data *d, int n)
{
  double least = is_chosen(d) ? 0.05 : 1e-4;
  int c = d->k.count, before = c*c + c + n*c + n;
  if (pf_first_not_finite(d->outputs, (size_t)before) >= 0) return true;
  for (int i = 0; i < d->k.divisor_count; i++)
    if (!(fabs(d->outputs[before + i]) > least*d->k.divisor_sizes[i])) return true;
  return false;
}

/* By the null space of A, in the numbers of the matrices: for states where the chosen velocities break down. */
static PfTrouble accelerate_elsewhere(PfSolver *s, Data *d, PfMotion *motion, int *row)
{
  int rank = pf_span_factor(s, &d->span);
  /* more degrees of freedom than these have */
  if (!s->skipped && s->system->n - rank > d->k.count) return PF_TROUBLE_SINGULAR;
  pf_span_solve(s, &d->span, d->elsewhere.a);
  PfTrouble trouble = pf_check_constraints(s, d->elsewhere.a, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  trouble = pf_reduced_null_space(s, &d->elsewhere, &d->span, rank, motion->acceleration, row);
  if (trouble == PF_TROUBLE_NONE) pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
  return trouble;
}

/* Inputs are the symbols of the system, then the user's speeds where these have to be found. *row is a coordinate. */
static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  int n = s->system->n, c = d->k.count;
  memcpy(d->inputs, s->values, (size_t)s->system->symbols.count*sizeof *d->inputs);
  if (s->skipped && is_chosen(d)) return accelerate_elsewhere(s, d, motion, row); /* chosen with all constraints */
  if (d->inverse && !find_speeds(s, d)) return PF_TROUBLE_SINGULAR;
  pf_tape_run(d->tape, d->inputs, d->outputs, d->work);
  /* with fewer admissible directions than velocities they would move where a constraint forbids it */
  if (breaks_down(d, n) || n - pf_span_factor(s, &d->span) < c)
    return is_chosen(d) ? accelerate_elsewhere(s, d, motion, row) : PF_TROUBLE_SINGULAR;
  const double *G = d->outputs, *N = G + c*c + c, *drift = N + n*c;
  double *g = d->outputs + c*c;
  for (int i = 0; s->extra_force && i < n; i++)
    for (int a = 0; a < c; a++) g[a] += N[i*c + a]*s->extra_force[i];
  PfStatus status = pf_ldl_factor(&d->reduced, G, PF_MASS_TOLERANCE);
  if (status != PF_OK || d->reduced.rank < c) {
    const int a = status != PF_OK ? d->reduced.fault_row : d->reduced.order[d->reduced.rank];
    *row = 0; /* the coordinate that moves most with this pseudo-velocity */
    for (int i = 1; i < n; i++)
      if (fabs(N[i*c + a]) > fabs(N[*row*c + a])) *row = i;
    if (d->k.independent[a] >= 0) *row = d->k.independent[a];
    return status != PF_OK ? PF_TROUBLE_INDEFINITE : PF_TROUBLE_NOT_UNIQUE;
  }
  pf_ldl_solve(&d->reduced, g, d->rate);
  pf_times(N, n, c, d->rate, motion->acceleration);
  for (int i = 0; i < n; i++) motion->acceleration[i] += drift[i];
  pf_units_into(s, motion->acceleration);
  pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
  return PF_TROUBLE_NONE;
}

const PfFormulation pf_form_laconic = {
  .name = "laconic", .source = "Tatarinov's equations; Zobova 2011, eq. (2.3), (2.4)",
  .summary = "reduced equations in pseudo-velocities, derived symbolically",
  .prepare = prepare, .accelerate = accelerate};
