/* Accelerations in closed form. The way is that of the formulation 'multipliers',
 *   a = M^-1 load,  Y = M^-1 A^T,  S = A Y,  S lambda = b - A a,  q'' = a + Y lambda,
 * by L D L^T without pivoting, on expressions: zeros and constants are known beforehand. Pivots are looked at after each
 * evaluation, and where one is small the formulation itself takes over. */
#include "time/closed.h"

#include "time/angles.h"

#include <math.h>
#include <string.h>

enum { MOST_OPERATIONS = 400, MOST_INSTRUCTIONS = 340 }; /* more are not faster than the same on matrices */

/* As in form: a pivot of the mass matrix that is less of its diagonal element is rounding; rows of A closer to each other
 * than the root of this are left to the formulation. */
static const double mass_margin = 1e-12, schur_margin = 1e-4;

typedef struct Maker {
  PfMotionRun *run;
  PfContext *ctx;
  int n, m, operations;
  PfExpr zero;
  PfExpr *M, *A, *b, *load, *psi, *power, *all; /* in numbers but for the state; `all` holds the others */
  size_t count;
  PfExpr *Y, *S, *a, *lambda;
  int *mass_order, *schur_order;
  PfExpr *start;             /* n + m: diagonals before the elimination */
} Maker;

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

typedef enum Order { AS_GIVEN, FEWEST_FIRST } Order;

/* The row from `from` on with the fewest elements among those that are left: it fills least. */
static int sparsest(const Maker *k, const PfExpr *W, int n, const int *order, int from)
{
  int best = from, fewest = n + 1;
  for (int i = from; i < n; i++) {
    int count = 0;
    for (int j = from; j < n; j++) count += !is_zero(k, W[order[i]*n + order[j]]);
    if (count < fewest) fewest = count, best = i;
  }
  return best;
}

/* W = L D L^T in place: L below (in the order of elimination), D on the diagonal, D L^T above. False when a pivot is
 * nothing or there is too much to do. */
static bool factor(Maker *k, PfExpr *W, int n, Order rule, int *order)
{
  for (int i = 0; i < n; i++) order[i] = i;
  for (int step = 0; step < n; step++) {
    int best = rule == AS_GIVEN ? step : sparsest(k, W, n, order, step), p = order[best];
    order[best] = order[step];
    order[step] = p;
    if (is_zero(k, W[p*n + p]) || k->operations > MOST_OPERATIONS) return false;
    for (int i = step + 1; i < n; i++) {
      int r = order[i];
      W[r*n + p] = divide(k, W[p*n + r], W[p*n + p]);
      for (int j = step + 1; j <= i; j++) {
        int c = order[j];
        W[r*n + c] = W[c*n + r] = take_product(k, W[r*n + c], W[r*n + p], W[p*n + c]);
      }
    }
  }
  return true;
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

static PfStatus gather(Maker *k)
{
  const PfEquations *eq = pf_system_equations(k->run->system);
  size_t n = (size_t)k->n, m = (size_t)k->m;
  k->count = n*n + n + m*n + 2*m + 1;
  k->all = k->M = pf_run_array(k->run, PfExpr, k->count);
  if (!k->all) return PF_ERR_MEMORY;
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
  *k->power = k->run->monitor.power_form;
  return pf_expr_check(k->ctx);
}

/* Inputs by their functions of time, parameters by their numbers. */
static PfStatus insert_numbers(Maker *k)
{
  const PfModel *model = pf_system_equations(k->run->system)->model;
  const PfSymbols *in = k->run->symbols;
  PfExpr *numbers = pf_run_array(k->run, PfExpr, in->time);
  if (!numbers) return PF_ERR_MEMORY;
  for (int i = 0; i < in->time; i++) {
    double value = k->run->flow.values[in->parameters + i];
    numbers[i] = isfinite(value) ? pf_expr_double(k->ctx, value) : in->symbol[i];
  }
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_substitute(k->ctx, k->all, (int)k->count, &model->inputs[i].symbol, &model->inputs[i].value, 1, k->all));
  return pf_expr_substitute(k->ctx, k->all, (int)k->count, in->symbol, numbers, in->time, k->all);
}

static PfStatus make_room(Maker *k)
{
  size_t n = (size_t)k->n, m = (size_t)k->m;
  k->Y = pf_run_array(k->run, PfExpr, m*n);
  k->S = pf_run_array(k->run, PfExpr, m*m);
  k->a = pf_run_array(k->run, PfExpr, n);
  k->lambda = pf_run_array(k->run, PfExpr, m);
  k->mass_order = pf_run_array(k->run, int, n);
  k->schur_order = pf_run_array(k->run, int, m);
  k->start = pf_run_array(k->run, PfExpr, n + m);
  return k->Y && k->S && k->a && k->lambda && k->mass_order && k->schur_order && k->start ? PF_OK : PF_ERR_MEMORY;
}

/* M and S are factored, Y is there. */
static bool eliminate(Maker *k)
{
  int n = k->n, m = k->m;
  for (int i = 0; i < n; i++) k->start[i] = k->M[i*n + i];
  if (!factor(k, k->M, n, FEWEST_FIRST, k->mass_order)) return false;
  memcpy(k->Y, k->A, (size_t)m*(size_t)n*sizeof *k->Y);
  for (int r = 0; r < m; r++) solve(k, k->M, n, k->mass_order, k->Y + (size_t)r*(size_t)n);
  for (int r = 0; r < m; r++)
    for (int c = 0; c <= r; c++) {
      PfExpr sum = k->zero;
      for (int j = 0; j < n; j++) sum = add_product(k, sum, k->A[r*n + j], k->Y[c*n + j]);
      k->S[r*m + c] = k->S[c*m + r] = pf_angles_join(k->ctx, sum);
    }
  for (int r = 0; r < m; r++) k->start[n + r] = k->S[r*m + r];
  return factor(k, k->S, m, AS_GIVEN, k->schur_order) && k->operations <= MOST_OPERATIONS;
}

static void accelerate(Maker *k)
{
  int n = k->n, m = k->m;
  memcpy(k->a, k->load, (size_t)n*sizeof *k->a);
  solve(k, k->M, n, k->mass_order, k->a);
  for (int r = 0; r < m; r++) {
    k->lambda[r] = k->b[r];
    for (int j = 0; j < n; j++) k->lambda[r] = take_product(k, k->lambda[r], k->A[r*n + j], k->a[j]);
  }
  solve(k, k->S, m, k->schur_order, k->lambda);
  for (int j = 0; j < n; j++)
    for (int r = 0; r < m; r++) k->a[j] = add_product(k, k->a[j], k->Y[r*n + j], k->lambda[r]);
}

/* ---------------------------------------------------------------- tapes */

/* Pivots that can change; the others are decided here. False when one of these is too small. */
static bool list_pairs(Maker *k, PfClosed *f, PfExpr *pairs)
{
  int n = k->n, count = 0;
  for (int i = 0; i < n + k->m; i++) {
    PfExpr pivot = i < n ? k->M[i*n + i] : k->S[(i - n)*k->m + i - n];
    double value, start;
    if (pf_expr_is_number(k->ctx, pivot, &value) && pf_expr_is_number(k->ctx, k->start[i], &start)) {
      if (!(value > (i < n ? mass_margin : schur_margin)*start)) return false;
      if (i >= n && value < f->fixed_margin*start) f->fixed_margin = value/start, f->fixed_row = i - n;
      continue;
    }
    pairs[2*count] = pivot;
    pairs[2*count + 1] = k->start[i];
    if (i >= n) f->row[count - f->mass_pairs] = i - n;
    else f->mass_pairs++;
    count++;
  }
  f->pairs = count;
  return true;
}

static PfStatus make_tape(Maker *k, PfExpr *roots, int count, PfTape **tape)
{
  const PfSymbols *in = k->run->symbols;
  PF_TRY(pf_angles_share(k->ctx, k->run->arena, roots, count));
  return pf_tape_new(k->ctx, in->symbol + in->time, in->lambda - in->time, roots, count, tape);
}

static PfStatus make_flow(Maker *k, PfClosed *f, const PfExpr *pairs)
{
  size_t n = (size_t)k->n, m = (size_t)k->m, count = n + m + 1 + 2*(size_t)f->pairs;
  const PfSymbols *in = k->run->symbols;
  PfExpr *roots = pf_run_array(k->run, PfExpr, count);
  f->flow_out = pf_run_array(k->run, double, count);
  if (!roots || !f->flow_out) return PF_ERR_MEMORY;
  PF_TRY(pf_expr_substitute(k->ctx, k->power, 1, in->symbol + in->lambda, k->lambda, k->m, roots + n + m));
  memcpy(roots, k->a, n*sizeof *roots);
  memcpy(roots + n, k->lambda, m*sizeof *roots);
  memcpy(roots + n + m + 1, pairs, 2*(size_t)f->pairs*sizeof *roots);
  return make_tape(k, roots, (int)count, &f->flow);
}

/* Constraints that are linear in the velocities are met by one step. */
static bool are_linear(const Maker *k)
{
  const PfModel *model = pf_system_equations(k->run->system)->model;
  for (int r = 0; r < k->m; r++)
    if (model->constraints[r].kind == PF_NONLINEAR || model->constraints[r].kind == PF_ACCELERATION) return false;
  return k->m > 0;
}

/* v - Y S^-1 psi */
static PfStatus make_velocity(Maker *k, PfClosed *f, const PfExpr *pairs)
{
  size_t n = (size_t)k->n, m = (size_t)k->m, count = m + n + 2*(size_t)f->pairs;
  if (!are_linear(k)) return PF_OK;
  PfExpr *roots = pf_run_array(k->run, PfExpr, count);
  f->velocity_out = pf_run_array(k->run, double, count);
  if (!roots || !f->velocity_out) return PF_ERR_MEMORY;
  PfExpr *change = roots + m;
  memcpy(roots, k->psi, m*sizeof *roots);
  memcpy(k->lambda, k->psi, m*sizeof *roots);
  solve(k, k->S, k->m, k->schur_order, k->lambda);
  for (size_t j = 0; j < n; j++) {
    change[j] = k->zero;
    for (size_t r = 0; r < m; r++) change[j] = take_product(k, change[j], k->Y[r*n + j], k->lambda[r]);
  }
  memcpy(roots + m + n, pairs, 2*(size_t)f->pairs*sizeof *roots);
  return make_tape(k, roots, (int)count, &f->velocity);
}

static PfStatus make_tapes(Maker *k, PfClosed *f)
{
  PfExpr *pairs = pf_run_array(k->run, PfExpr, 2*(k->n + k->m));
  f->row = pf_run_array(k->run, int, k->m);
  if (!pairs || !f->row) return PF_ERR_MEMORY;
  if (!list_pairs(k, f, pairs)) return PF_ERR_LIMIT;
  PF_TRY(pf_expr_check(k->ctx));
  PF_TRY(make_flow(k, f, pairs));
  if (pf_tape_instruction_count(f->flow) > MOST_INSTRUCTIONS) return PF_ERR_LIMIT;
  PF_TRY(make_velocity(k, f, pairs));
  size_t size = pf_tape_work_size(f->flow), other = f->velocity ? pf_tape_work_size(f->velocity) : 0;
  f->work = pf_run_scratch(k->run, double, size > other ? size : other);
  return f->work ? PF_OK : PF_ERR_MEMORY;
}

static bool is_friction(const PfMotionRun *run)
{
  const PfEquations *eq = pf_system_equations(run->system);
  for (int i = 0; i < run->n; i++)
    if (pf_expr_depends(run->ctx, eq->C[i], run->symbols->symbol + run->symbols->lambda, run->m)) return true;
  return false;
}

/* PF_ERR_LIMIT: not in this way. */
static PfStatus make(PfMotionRun *run, PfClosed *f)
{
  Maker k = {.run = run, .ctx = run->ctx, .n = run->n, .m = run->m, .zero = pf_expr_int(run->ctx, 0)};
  if (run->n > 16 || run->m > 8 || is_friction(run)) return PF_ERR_LIMIT;
  PF_TRY(gather(&k));
  PF_TRY(insert_numbers(&k));
  PF_TRY(make_room(&k));
  if (!eliminate(&k)) return PF_ERR_LIMIT;
  accelerate(&k);
  return make_tapes(&k, f);
}

PfStatus pf_closed_make(PfMotionRun *run, PfClosed **closed)
{
  double power;
  int before = pf_diagnostic_count(run->ctx);
  PfClosed *f = pf_run_array(run, PfClosed, 1);
  *closed = NULL;
  if (!f) return PF_ERR_MEMORY;
  *f = (PfClosed){.n = run->n, .m = run->m, .margin = 1, .fixed_margin = 1,
                  .square = run->watch ? pf_watch_squares(run) : NULL};
  PfStatus status = make(run, f);
  PfMotion *at = &run->flow.motion;
  if (status == PF_OK && pf_closed_flow(f, run->symbols, run->flow.values, at->acceleration, at->multiplier, &power)) {
    *closed = f;
    return PF_OK;
  }
  pf_closed_release(f);
  if (pf_is_final(status)) return status;
  (void)pf_expr_check(run->ctx); /* a division by nothing, say */
  pf_diagnostics_cut(run->ctx, before);
  return PF_OK;
}

void pf_closed_release(PfClosed *f)
{
  pf_tape_free(f->flow);
  pf_tape_free(f->velocity);
  f->flow = f->velocity = NULL;
}

/* ---------------------------------------------------------------- numbers */

/* Are all pivots large enough? NaN is not. Notes the margin of S. */
static bool are_good(PfClosed *f, const double *pair)
{
  double margin = f->fixed_margin;
  int at = f->fixed_row;
  for (int i = 0; i < f->mass_pairs; i++)
    if (!(pair[2*i] > mass_margin*pair[2*i + 1])) return false;
  for (int i = f->mass_pairs; i < f->pairs; i++) {
    if (!(pair[2*i] > schur_margin*pair[2*i + 1])) return false;
    int row = f->row[i - f->mass_pairs];
    double unit = f->square && f->square[row] > pair[2*i + 1] ? f->square[row] : pair[2*i + 1];
    if (pair[2*i] < margin*unit) margin = pair[2*i]/unit, at = row;
  }
  f->margin = margin;
  f->margin_row = at;
  return true;
}

void pf_closed_lengths(const PfClosed *f, double *square)
{
  const double *pair = f->flow_out + f->n + f->m + 1;
  for (int i = f->mass_pairs; i < f->pairs; i++) {
    int row = f->row[i - f->mass_pairs];
    square[row] = fmax(square[row], pair[2*i + 1]);
  }
}

bool pf_closed_flow(PfClosed *f, const PfSymbols *in, const double *values, double *a, double *lambda, double *power)
{
  size_t n = (size_t)f->n, m = (size_t)f->m;
  pf_tape_run(f->flow, values + in->time, f->flow_out, f->work);
  if (!are_good(f, f->flow_out + n + m + 1)) return false;
  if (pf_first_not_finite(f->flow_out, n + m) >= 0) return false;
  memcpy(a, f->flow_out, n*sizeof *a);
  memcpy(lambda, f->flow_out + n, m*sizeof *lambda);
  *power = f->flow_out[n + m];
  return true;
}

PfClosedEnd pf_closed_project(PfClosed *f, const PfSymbols *in, double *values, double enough)
{
  const double *out = f->velocity_out;
  double *v = values + in->v, miss = 0;
  if (!f->velocity) return PF_CLOSED_FAILED;
  pf_tape_run(f->velocity, values + in->time, f->velocity_out, f->work);
  if (!are_good(f, out + f->m + f->n)) return PF_CLOSED_FAILED;
  for (int r = 0; r < f->m; r++) miss = fabs(out[r]) > miss ? fabs(out[r]) : miss;
  if (miss <= enough) return PF_CLOSED_FINE;
  for (int j = 0; j < f->n; j++) v[j] += out[f->m + j];
  return PF_CLOSED_MOVED;
}
