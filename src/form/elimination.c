/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination in closed form. The way is that of 'multipliers' where both M and S are regular,
 *   a = M^-1 load,  Y = M^-1 A^T,  S = A Y,  S lambda = b - A a,  q'' = a + Y lambda,
 * by L D L^T without pivoting, on expressions: zeros and constants are known beforehand, and what has no part in it
 * costs nothing. For small systems several times faster than the same done on matrices. Pivots are looked at after each
 * evaluation, and where one is small 'multipliers' takes over for that state.
 *
 * Formulas belong to the store of the system (shared.c) and count their users, because several solvers with the same
 * numbers of parameters share them. They are derived in a fork of the context, of which only the tapes stay. */
#include "expr/fork.h"
#include "form/angles.h"
#include "form/choose.h"
#include "form/closed.h"
#include "form/form_impl.h"
#include "kernel/native.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDINATES = 16, MOST_CONSTRAINTS = 8 };
enum { MOST_OPERATIONS = 400 }; /* more are not faster than the same on matrices */

/* The formulas: they serve all solvers of the system with the same numbers of parameters. */
struct PfFormulas {
  PfArena *arena;
  int users;
  int first;             /* of the symbols, that the tapes begin with: parameters may be numbers */
  PfTape *flow;          /* a, lambda, power, then pairs: a pivot and what it started as */
  PfTape *velocity;      /* residuals psi, corrections of v, pairs; NULL: some constraint needs iteration */
  int pairs, mass_pairs; /* how many of them; the first ones belong to M, the others to S */
  int *row;              /* of each pair of S: the constraint */
  double fixed_margin;   /* the smallest pivot of S over what it started as, among those that are constant */
  int fixed_row;         /* the constraint it belongs to */
};

typedef struct PfFormulas Formulas;

struct PfElimination {
  Formulas *formulas;
  double *flow_out, *velocity_out, *work;
};

typedef struct PfElimination Elimination;

typedef struct Maker {
  PfSolver *solver;
  PfContext *ctx;
  PfArena *arena;            /* of what is needed to make it only */
  const PfSymbols *in;
  int n, m, operations;
  const char *why_not;       /* it does not apply */
  PfExpr zero;
  PfExpr *M, *A, *b, *load, *psi, *power, *all; /* `all` holds the others */
  size_t count;
  PfExpr *Y, *S, *a, *lambda;
  int *mass_order, *schur_order;
  PfExpr *start;             /* n + m: diagonals before the elimination */
} Maker;

#define maker_array(maker, type, count) pf_arena_array((maker)->arena, type, (count))

/* Do the formulas have too many operations? A solver that is requested by name gets them, however long they are. */
static bool is_too_long(const Maker *k)
{
  return k->solver->plan->cost_limit > 0 && k->operations > MOST_OPERATIONS;
}

/* Says why it is not for this system. */
static PfStatus refuse(Maker *k, const char *why_not)
{
  k->why_not = why_not;
  return PF_ERR_MODEL;
}

/* ---------------------------------------------------------------- small algebra on expressions */

static bool is_zero(const Maker *k, PfExpr e)
{
  return e == k->zero;
}

/* a - b*c */
static PfExpr take_product(Maker *k, PfExpr a, PfExpr b, PfExpr c)
{
  if (is_zero(k, b) || is_zero(k, c)) return a;
  k->operations++;
  return pf_expr_sub(k->ctx, a, pf_expr_mul(k->ctx, b, c));
}

static PfExpr add_product(Maker *k, PfExpr a, PfExpr b, PfExpr c)
{
  if (is_zero(k, b) || is_zero(k, c)) return a;
  k->operations++;
  return pf_expr_add(k->ctx, a, pf_expr_mul(k->ctx, b, c));
}

static PfExpr divide(Maker *k, PfExpr a, PfExpr b)
{
  if (is_zero(k, a)) return a;
  k->operations++;
  return pf_expr_div(k->ctx, a, b);
}

static const char *const too_long = "written out it is longer than what the same costs on matrices";
static const char *const singular_mass = "it needs a regular mass matrix";
static const char *const redundant = "it needs constraints that are independent of each other, clearly so where the "
                                     "masses weigh the coordinates: A M^-1 A^T loses the digits of nearly dependent "
                                     "ones, and 'multipliers' keeps them";

typedef enum Order { AS_GIVEN, FEWEST_FIRST } Order;

/* W = L D L^T in place: L below (in the order of elimination), D on the diagonal, D L^T above. By FEWEST_FIRST the next
 * row is the one with the fewest elements among those that are left: it fills least. */
static PfStatus factor(Maker *k, PfExpr *W, int n, Order rule, int *order, const char *singular)
{
  for (int i = 0; i < n; i++) order[i] = i;
  for (int step = 0; step < n; step++) {
    int best = step, fewest = n + 1;
    for (int i = step; i < n && rule == FEWEST_FIRST; i++) {
      int count = 0;
      for (int j = step; j < n; j++) count += !is_zero(k, W[order[i]*n + order[j]]);
      if (count < fewest) fewest = count, best = i;
    }
    const int p = order[best];
    order[best] = order[step];
    order[step] = p;
    if (is_zero(k, W[p*n + p])) return refuse(k, singular);
    if (is_too_long(k)) return refuse(k, too_long);
    for (int i = step + 1; i < n; i++) {
      int r = order[i];
      W[r*n + p] = divide(k, W[p*n + r], W[p*n + p]);
      for (int j = step + 1; j <= i; j++) {
        int c = order[j];
        W[r*n + c] = W[c*n + r] = take_product(k, W[r*n + c], W[r*n + p], W[p*n + c]);
      }
    }
  }
  return PF_OK;
}

/* x = W^-1 x */
static void solve(Maker *k, const PfExpr *W, int n, const int *order, PfExpr *x)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) x[order[i]] = take_product(k, x[order[i]], W[order[i]*n + order[j]], x[order[j]]);
  for (int i = 0; i < n; i++) x[i] = divide(k, x[i], W[i*n + i]);
  for (int i = n; i-- > 0;)
    for (int j = i + 1; j < n; j++) x[order[i]] = take_product(k, x[order[i]], W[order[j]*n + order[i]], x[order[j]]);
}

/* ---------------------------------------------------------------- elimination */

/* Copies M, F + C, A, b, the velocity constraints and the power into one list of expressions, which are changed on the
 * way: inputs become their functions of time, parameters their numbers when these are known. `f->first` becomes the
 * number of symbols that are numbers now: the tapes begin with the next one. */
static PfStatus gather(Maker *k, Formulas *f)
{
  const PfEquations *eq = k->solver->system->eq;
  const double *values = k->solver->plan->values;
  size_t n = (size_t)k->n, m = (size_t)k->m;
  k->count = n*n + n + m*n + 2*m + 1;
  k->all = k->M = maker_array(k, PfExpr, k->count);
  if (!k->all) return pf_no_room(k->ctx, "the formulation 'elimination'");
  k->load = k->M + n*n;
  k->A = k->load + n;
  k->b = k->A + m*n;
  k->psi = k->b + m;
  k->power = k->psi + m;
  memcpy(k->M, eq->M, n*n*sizeof *k->M);
  memcpy(k->A, eq->A, m*n*sizeof *k->A);
  memcpy(k->b, eq->b, m*sizeof *k->b);
  for (size_t i = 0; i < n; i++) k->load[i] = pf_expr_add(k->ctx, eq->F[i], eq->C[i]);
  for (size_t i = 0; i < m; i++) k->psi[i] = eq->velocity[i] == PF_EXPR_NONE ? k->zero : eq->velocity[i];
  *k->power = k->solver->plan->power == PF_EXPR_NONE ? k->zero : k->solver->plan->power;
  PF_TRY(pf_expr_check(k->ctx));
  PF_TRY(pf_insert_inputs(k->ctx, eq->model, k->all, k->count));
  if (!values) return PF_OK;
  const int count = f->first = k->in->time;
  PfExpr *numbers = maker_array(k, PfExpr, count);
  if (!numbers) return pf_solver_no_room(k->solver);
  for (int i = 0; i < count; i++) {
    if (!isfinite(values[i])) return refuse(k, "it needs the numbers of all parameters");
    numbers[i] = pf_expr_double(k->ctx, values[i]);
  }
  return pf_expr_substitute(k->ctx, k->all, (int)k->count, k->in->symbol, numbers, count, k->all);
}

/* Factors M and S = A Y with Y = M^-1 A^T; then a = M^-1 load, lambda = S^-1 (b - A a), and a becomes a + Y lambda. All
 * of it on expressions, in the order that FEWEST_FIRST finds; operations are counted on the way. */
static PfStatus eliminate(Maker *k)
{
  const int n = k->n, m = k->m;
  for (int i = 0; i < n; i++) k->start[i] = k->M[i*n + i];
  PF_TRY(factor(k, k->M, n, FEWEST_FIRST, k->mass_order, singular_mass));
  memcpy(k->Y, k->A, (size_t)m*(size_t)n*sizeof *k->Y);
  for (int r = 0; r < m; r++) solve(k, k->M, n, k->mass_order, k->Y + (size_t)r*(size_t)n);
  for (int r = 0; r < m; r++)
    for (int c = 0; c <= r; c++) {
      PfExpr sum = k->zero;
      for (int j = 0; j < n; j++) sum = add_product(k, sum, k->A[r*n + j], k->Y[c*n + j]);
      k->S[r*m + c] = k->S[c*m + r] = pf_angles_join(k->ctx, sum);
    }
  for (int r = 0; r < m; r++) k->start[n + r] = k->S[r*m + r];
  PF_TRY(factor(k, k->S, m, AS_GIVEN, k->schur_order, redundant));
  if (is_too_long(k)) return refuse(k, too_long);
  memcpy(k->a, k->load, (size_t)n*sizeof *k->a);
  solve(k, k->M, n, k->mass_order, k->a);
  for (int r = 0; r < m; r++) {
    k->lambda[r] = k->b[r];
    for (int j = 0; j < n; j++) k->lambda[r] = take_product(k, k->lambda[r], k->A[r*n + j], k->a[j]);
  }
  solve(k, k->S, m, k->schur_order, k->lambda);
  for (int j = 0; j < n; j++)
    for (int r = 0; r < m; r++) k->a[j] = add_product(k, k->a[j], k->Y[r*n + j], k->lambda[r]);
  return PF_OK;
}

/* Symbolic elimination. `pair` gets room for pairs of all pivots, of which those that can change are listed: a pivot
 * and what it started as. The others are decided here. Margins of constant pivots go to `f`; a constant pivot that is
 * too small means that the formulation does not apply. */
static PfStatus make_formulas(Maker *k, Formulas *f, PfExpr *pair)
{
  const int n = k->n, m = k->m;
  if (k->solver->system->friction) return refuse(k, "it has no place for friction that depends on the multipliers");
  PF_TRY(gather(k, f));
  k->Y = maker_array(k, PfExpr, (size_t)m*(size_t)n);
  k->S = maker_array(k, PfExpr, (size_t)m*(size_t)m);
  k->a = maker_array(k, PfExpr, n);
  k->lambda = maker_array(k, PfExpr, m);
  k->mass_order = maker_array(k, int, n);
  k->schur_order = maker_array(k, int, m);
  k->start = maker_array(k, PfExpr, n + m);
  f->row = pf_arena_array(f->arena, int, m);
  bool good = k->Y && k->S && k->a && k->lambda && k->mass_order && k->schur_order && k->start && f->row && pair;
  if (!good) return pf_solver_no_room(k->solver);
  PF_TRY(eliminate(k));
  for (int i = 0; i < n + m; i++) {
    PfExpr pivot = i < n ? k->M[i*n + i] : k->S[(i - n)*m + i - n];
    double value, start;
    if (pf_expr_is_number(k->ctx, pivot, &value) && pf_expr_is_number(k->ctx, k->start[i], &start)) {
      if (!(value > (i < n ? PF_MASS_TOLERANCE : PF_SCHUR_MARGIN)*start))
        return refuse(k, i < n ? singular_mass : redundant);
      if (i >= n && value < f->fixed_margin*start) f->fixed_margin = value/start, f->fixed_row = i - n;
      continue;
    }
    pair[2*f->pairs] = pivot;
    pair[2*f->pairs + 1] = k->start[i];
    if (i >= n) f->row[f->pairs - f->mass_pairs] = i - n;
    else f->mass_pairs++;
    f->pairs++;
  }
  return pf_expr_check(k->ctx);
}

/* ---------------------------------------------------------------- tapes */

static PfStatus make_tape(Maker *k, const Formulas *f, PfExpr *roots, int count, PfTape **tape)
{
  PF_TRY(pf_angles_share(k->ctx, k->arena, roots, count));
  return pf_tape_new(k->ctx, k->in->symbol + f->first, k->in->lambda - f->first, roots, count, tape);
}

/* v - Y S^-1 psi, where one step meets all constraints: they are linear in the velocities. */
static PfStatus make_velocity(Maker *k, Formulas *f, const PfExpr *pairs)
{
  const PfConstraint *constraints = k->solver->system->eq->model->constraints;
  size_t n = (size_t)k->n, m = (size_t)k->m, count = m + n + 2*(size_t)f->pairs;
  if (!m) return PF_OK;
  for (size_t r = 0; r < m; r++)
    if (constraints[r].kind == PF_NONLINEAR || constraints[r].kind == PF_ACCELERATION) return PF_OK;
  PfExpr *roots = maker_array(k, PfExpr, count);
  if (!roots) return pf_solver_no_room(k->solver);
  PfExpr *change = roots + m;
  memcpy(roots, k->psi, m*sizeof *roots);
  memcpy(k->lambda, k->psi, m*sizeof *roots);
  solve(k, k->S, k->m, k->schur_order, k->lambda);
  for (size_t j = 0; j < n; j++) {
    change[j] = k->zero;
    for (size_t r = 0; r < m; r++) change[j] = take_product(k, change[j], k->Y[r*n + j], k->lambda[r]);
  }
  memcpy(roots + m + n, pairs, 2*(size_t)f->pairs*sizeof *roots);
  return make_tape(k, f, roots, (int)count, &f->velocity);
}

/* Formulas count their users; NULL is allowed. */
void pf_formulas_drop(Formulas *f)
{
  if (!f || --f->users > 0) return;
  pf_tape_free(f->flow);
  pf_tape_free(f->velocity);
  pf_arena_free(f->arena);
}

/* The numbers are copied, the tapes are views (pf_tape_view): each workspace has its own native code. */
Formulas *pf_formulas_view(PfContext *ctx, const Formulas *from)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  Formulas *f = arena ? pf_arena_array(arena, Formulas, 1) : NULL;
  if (!f) {
    pf_arena_free(arena);
    return NULL;
  }
  *f = *from;
  f->arena = arena;
  f->users = 1;
  f->flow = f->velocity = NULL;
  PfStatus status = pf_tape_view(ctx, arena, from->flow, &f->flow);
  if (status == PF_OK && from->velocity) status = pf_tape_view(ctx, arena, from->velocity, &f->velocity);
  if (status == PF_OK) return f;
  pf_formulas_drop(f);
  return NULL;
}

static void release(PfSolver *s)
{
  pf_formulas_drop(s->elimination->formulas);
}

static PfStatus check(const PfSolver *s)
{
  if (s->system->n <= MOST_COORDINATES && s->system->m <= MOST_CONSTRAINTS) return PF_OK;
  return pf_fail(s->ctx, PF_ERR_MODEL, "it is written out for at most 16 coordinates and 8 constraints");
}

static Maker begin(PfSolver *s, PfContext *ctx)
{
  return (Maker){.solver = s, .ctx = ctx, .in = &s->system->symbols, .n = s->system->n, .m = s->system->m,
                 .zero = pf_expr_int(ctx, 0), .arena = pf_arena_new(pf_context_allocator(ctx))};
}

/* Whatever else than memory stops it, a division by zero perhaps, means that it does not apply. */
static PfStatus end(Maker *k, PfStatus status, int before)
{
  PfContext *ctx = k->ctx;
  pf_arena_free(k->arena);
  if (status == PF_OK || pf_is_final(status)) return status;
  status = pf_expr_check(ctx);
  if (pf_is_final(status)) return status;
  pf_diagnostics_truncate(ctx, before);
  return pf_fail(ctx, PF_ERR_MODEL, "%s",
                 k->why_not ? k->why_not
                            : "it divides by zero: mass matrix or constraints are singular, or squares of their "
                              "coefficients are beyond the range of numbers");
}

/* Formulas, then the tapes of accelerations and of velocity corrections. */
static PfStatus make(Maker *k, Formulas *f)
{
  PfExpr *pairs = maker_array(k, PfExpr, 2*(k->n + k->m));
  const double limit = k->solver->plan->cost_limit;
  PF_TRY(make_formulas(k, f, pairs));
  size_t n = (size_t)k->n, m = (size_t)k->m, count = n + m + 1 + 2*(size_t)f->pairs;
  PfExpr *roots = maker_array(k, PfExpr, count);
  if (!roots) return pf_solver_no_room(k->solver);
  PF_TRY(pf_expr_substitute(k->ctx, k->power, 1, k->in->symbol + k->in->lambda, k->lambda, k->m, roots + n + m));
  memcpy(roots, k->a, n*sizeof *roots);
  memcpy(roots + n, k->lambda, m*sizeof *roots);
  memcpy(roots + n + m + 1, pairs, 2*(size_t)f->pairs*sizeof *roots);
  PF_TRY(make_tape(k, f, roots, (int)count, &f->flow));
  if (limit > 0 && pf_cost_of_elimination(pf_tape_instruction_count(f->flow)) > limit) return refuse(k, too_long);
  return make_velocity(k, f, pairs);
}

static bool is_cancelled(void *user)
{
  return pf_context_is_cancelled(user);
}

static void release_service(struct PfNativeService *helper)
{
  (void)helper; /* the context of the solver has it */
}

/* In a fork of the context, of which only the tapes are left: formulas hold the numbers of parameters, and those of
 * other numbers would stay in the table and change the order of terms in the next ones. */
static PfStatus write_formulas(PfSolver *s, Formulas *f)
{
  PfContext *ctx = pf_context_fork(s->ctx);
  if (!ctx) return pf_solver_no_room(s);
  pf_context_set_cancel(ctx, is_cancelled, s->ctx);
  pf_context_set_native_service(ctx, pf_context_native_service(s->ctx), release_service);
  int before = pf_diagnostic_count(ctx);
  Maker k = begin(s, ctx);
  PfStatus status = end(&k, k.arena ? make(&k, f) : pf_no_room(ctx, "the formulation 'elimination'"), before);
  int count = pf_diagnostic_count(ctx);
  if (status != PF_OK)
    pf_fail(s->ctx, status, "%s", count > before ? pf_diagnostic(ctx, count - 1)->message : pf_status_text(status));
  pf_context_free(ctx);
  return status;
}

/* Those of an earlier solver with the same numbers, or new ones. The store also keeps that they do not apply, when that
 * followed from a limit of costs. */
static PfStatus find_formulas(PfSolver *s, Elimination *e)
{
  if (pf_shared_formulas(s->system->shared, s->plan, &e->formulas)) {
    if (!e->formulas) return pf_fail(s->ctx, PF_ERR_MODEL, "%s", too_long);
    e->formulas->users++;
    return PF_OK;
  }
  e->formulas = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(s->ctx));
  Formulas *f = arena ? pf_arena_array(arena, Formulas, 1) : NULL;
  if (!f) {
    pf_arena_free(arena);
    return pf_solver_no_room(s);
  }
  *f = (Formulas){.arena = arena, .users = 1, .fixed_margin = 1};
  PfStatus status = write_formulas(s, f);
  if (status == PF_OK) e->formulas = f;
  else pf_formulas_drop(f);
  bool keep = status == PF_OK || (status == PF_ERR_MODEL && s->plan->cost_limit > 0);
  if (keep && pf_shared_keep_formulas(s->system->shared, s->plan, e->formulas) && e->formulas) e->formulas->users++;
  return status;
}

/* 'multipliers' is made as well, since it takes over near singular states. The work area serves both tapes. */
static PfStatus prepare(PfSolver *s)
{
  PF_TRY(pf_form_multipliers.prepare(s));
  Elimination *e = s->elimination = pf_solver_array(s, Elimination, 1);
  if (!e) return pf_solver_no_room(s);
  s->release = release;
  PF_TRY(find_formulas(s, e));
  const Formulas *f = e->formulas;
  size_t n = (size_t)s->system->n, m = (size_t)s->system->m, pairs = 2*(size_t)f->pairs;
  size_t size = pf_tape_work_size(f->flow), other = f->velocity ? pf_tape_work_size(f->velocity) : 0;
  e->flow_out = pf_solver_array(s, double, n + m + 1 + pairs);
  e->velocity_out = pf_solver_scratch(s, double, m + n + pairs);
  e->work = pf_solver_scratch(s, double, size > other ? size : other);
  return e->flow_out && e->velocity_out && e->work ? PF_OK : pf_solver_no_room(s);
}

/* ---------------------------------------------------------------- formulas for others */

/* The formulas in expressions of the caller's context, which owns them; no tape is made. */
static PfStatus make_closed(Maker *k, PfArena *arena, PfClosedForm *form)
{
  Formulas f = {.arena = arena, .users = 1, .fixed_margin = 1};
  size_t n = (size_t)k->n, m = (size_t)k->m;
  form->acceleration = pf_arena_array(arena, PfExpr, n);
  form->multiplier = pf_arena_array(arena, PfExpr, m);
  form->pair = pf_arena_array(arena, PfExpr, 2*(n + m));
  if (!form->acceleration || !form->multiplier || !form->pair) return pf_solver_no_room(k->solver);
  PF_TRY(make_formulas(k, &f, form->pair));
  memcpy(form->acceleration, k->a, n*sizeof *form->acceleration);
  if (m) memcpy(form->multiplier, k->lambda, m*sizeof *form->multiplier);
  form->pairs = f.pairs;
  form->mass_pairs = f.mass_pairs;
  return PF_OK;
}

/* A solver without a workspace stands for the plan: nothing of it but context, system and limit is used. */
PfStatus pf_closed_form(PfContext *ctx, PfArena *arena, const PfSystem *system, PfClosedLength length,
                        PfClosedForm *form)
{
  PfSolverPlan plan = {.cost_limit = length == PF_CLOSED_SHORT ? INFINITY : 0};
  PfSolver solver = {.ctx = ctx, .arena = arena, .system = system, .plan = &plan, .formulation = &pf_form_elimination};
  *form = (PfClosedForm){0};
  PF_TRY(check(&solver));
  int before = pf_diagnostic_count(ctx);
  Maker k = begin(&solver, ctx);
  return end(&k, k.arena ? make_closed(&k, arena, form) : pf_solver_no_room(&solver), before);
}

/* ---------------------------------------------------------------- numbers */

/* Are all pivots large enough? NaN is not. Notes the margin of S. */
static bool are_good(PfSolver *s, const double *pair)
{
  const double least_square = 1e-280; /* of a length that has all its digits */
  const Formulas *f = s->elimination->formulas;
  double margin = f->fixed_margin;
  int at = f->fixed_row;
  for (int i = 0; i < f->mass_pairs; i++)
    if (!(pair[2*i] > PF_MASS_TOLERANCE*pair[2*i + 1])) return false;
  for (int i = f->mass_pairs; i < f->pairs; i++) {
    if (!(pair[2*i] > PF_SCHUR_MARGIN*pair[2*i + 1]) || pair[2*i + 1] < least_square) return false;
    int row = f->row[i - f->mass_pairs];
    double unit = fmax(s->length ? s->length[row]*s->length[row] : 0, pair[2*i + 1]);
    if (pair[2*i] < margin*unit) margin = pair[2*i]/unit, at = row;
  }
  s->byproducts.margin = margin;
  s->byproducts.margin_row = at;
  return true;
}

/* One by one, as they were written: a processor waits long for several of them at once, as memcpy takes them. */
static void copy(const double *from, size_t count, double *to)
{
  for (size_t i = 0; i < count; i++) to[i] = from[i];
}

/* False where a pivot is too small or a result is not finite: 'multipliers' computes that state. */
static bool answer(PfSolver *s, PfMotion *motion)
{
  const Elimination *e = s->elimination;
  const Formulas *f = e->formulas;
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  if (s->skipped || s->extra_force) return false;
  pf_tape_run(f->flow, s->values + f->first, e->flow_out, e->work);
  if (!are_good(s, e->flow_out + n + m + 1)) return false;
  if (pf_first_not_finite(e->flow_out, n + m) >= 0) return false;
  copy(e->flow_out, n, motion->acceleration);
  copy(e->flow_out + n, m, motion->multiplier);
  s->byproducts.power = e->flow_out[n + m];
  return s->byproducts.known = true;
}

/* Pairs hold squares of lengths in the metric of M^-1. */
static void raise_lengths(const PfSolver *s, double *length)
{
  const Formulas *f = s->elimination->formulas;
  const double *pair = s->elimination->flow_out + s->system->n + s->system->m + 1;
  for (int i = f->mass_pairs; i < f->pairs; i++) {
    int row = f->row[i - f->mass_pairs];
    length[row] = fmax(length[row], sqrt(pair[2*i + 1]));
  }
}

/* v - Y S^-1 psi: the velocities on the constraints next to v in the metric of M. The correction is exact where
 * constraints are linear in the velocities. */
static PfProjected project(PfSolver *s, double *values, const double *scale, double enough)
{
  const Elimination *e = s->elimination;
  const Formulas *f = e->formulas;
  const int n = s->system->n, m = s->system->m;
  double *v = values + s->system->symbols.v, misfit = 0;
  if (!f->velocity || s->skipped) return PF_PROJECTED_NOT;
  pf_tape_run(f->velocity, values + f->first, e->velocity_out, e->work);
  if (!are_good(s, e->velocity_out + m + n)) return PF_PROJECTED_NOT;
  /* The correction is there already, so it is made also where only the row as it is written is missed by too much. */
  for (int r = 0; r < m; r++) misfit = fmax(misfit, fabs(e->velocity_out[r])/(scale ? fmin(1, scale[r]) : 1));
  if (misfit <= enough) return PF_PROJECTED_BEFORE;
  for (int j = 0; j < n; j++) v[j] += e->velocity_out[m + j];
  return PF_PROJECTED_NOW;
}

static PfTrouble by_matrices(PfSolver *s, PfMotion *motion, int *row)
{
  return pf_form_multipliers.accelerate(s, motion, row);
}

const PfFormulation pf_form_elimination = {
  .name = "elimination", .source = "Lagrange's multipliers by Gauss's elimination of A M^-1 A^T, in closed form",
  .summary = "multipliers, with the elimination written out in formulas; small systems; takes up the matrices near "
             "singular states",
  .check = check, .prepare = prepare, .accelerate = by_matrices, .answer = answer, .raise_lengths = raise_lengths,
  .project = project};
