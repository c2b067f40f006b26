/* The system of equations of a step of the alpha methods, and Newton's method for it with exact slopes.
 * Arnold, Bruls, Convergence of the generalized-alpha scheme for constrained mechanical systems, Multibody Syst. Dyn. 18
 * (2007); Ma, Chen, Zhang 2008 for the index-2 form and alpha-RATTLE, with the corrections of docs/integrators.md. */
#include "time/alpha_common.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- parameters */

/* The choice of Chung and Hulbert: least damping of slow motions for a given damping rho of fast ones. */
static PfStatus set_parameters(PfMotionRun *run, PfAlpha *s)
{
  double rho = run->options.rho;
  if (!(rho >= 0 && rho <= 1))
    return pf_fail(run->ctx, PF_ERR_ARGUMENT, "rho is %g: it must be between 0 (fast motions die at once) and 1 (nothing "
                   "is damped)", rho);
  s->alpha_m = (2*rho - 1)/(rho + 1);
  s->alpha_f = rho/(rho + 1);
  s->alpha = s->alpha_m - s->alpha_f;
  s->gamma = 0.5 - s->alpha;
  s->beta = (1 - s->alpha)*(1 - s->alpha)/4;
  return PF_OK;
}

/* ---------------------------------------------------------------- tapes */

static PfStatus make_tape(PfMotionRun *run, PfExpr *roots, int count, PfTape **tape, double **work)
{
  const PfSymbols *in = run->symbols;
  const PfModel *model = pf_system_equations(run->system)->model;
  PfExpr *inputs = pf_run_array(run, PfExpr, in->count + run->n);
  if (!inputs) return PF_ERR_MEMORY;
  memcpy(inputs, in->symbol, (size_t)in->count*sizeof *inputs);
  for (int j = 0; j < run->n; j++) inputs[in->count + j] = model->coordinates[j].a;
  PF_TRY(pf_tape_new(run->ctx, inputs, in->count + run->n, roots, count, tape));
  *work = pf_run_array(run, double, pf_tape_work_size(*tape));
  return *work ? PF_OK : PF_ERR_MEMORY;
}

static PfStatus insert_inputs(PfMotionRun *run, PfExpr *roots, int count)
{
  const PfModel *model = pf_system_equations(run->system)->model;
  for (int i = 0; i < model->input_count; i++)
    if (model->inputs[i].value)
      PF_TRY(pf_expr_substitute(run->ctx, roots, count, &model->inputs[i].symbol, &model->inputs[i].value, 1, roots));
  return PF_OK;
}

static bool is_pushing(PfMotionRun *run, int i)
{
  const PfEquations *eq = pf_system_equations(run->system);
  return run->m > 0 && pf_expr_depends(run->ctx, eq->C[i], run->symbols->symbol + run->symbols->lambda, run->m);
}

/* Rows of motion, constraints, positions. What friction makes of lambda belongs to the push in rattle. */
static PfStatus make_equations(PfMotionRun *run, PfAlpha *s, PfExpr *roots)
{
  PfContext *ctx = run->ctx;
  const PfEquations *eq = pf_system_equations(run->system);
  const PfModel *model = eq->model;
  int n = s->n, m = s->m;
  for (int i = 0; i < n; i++) {
    PfExpr sum = pf_expr_neg(ctx, eq->F[i]);
    if (!s->rattle || !is_pushing(run, i)) sum = pf_expr_sub(ctx, sum, eq->C[i]);
    for (int j = 0; j < n; j++)
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, eq->M[i*n + j], model->coordinates[j].a));
    for (int k = 0; k < m && !s->rattle; k++)
      sum = pf_expr_sub(ctx, sum, pf_expr_mul(ctx, eq->A[k*n + i], model->constraints[k].multiplier));
    roots[i] = sum;
  }
  for (int k = 0; k < m; k++)
    roots[n + k] = s->on_velocity[k] ? eq->velocity[k] : model->constraints[k].residual;
  for (int k = 0; k < s->p; k++) roots[n + m + k] = eq->position[s->position_row[k]];
  PF_TRY(pf_expr_check(ctx));
  PF_TRY(insert_inputs(run, roots, s->size));
  return make_tape(run, roots, s->size, &s->equations, &s->equations_work);
}

static PfStatus make_slopes(PfMotionRun *run, PfAlpha *s, const PfExpr *roots)
{
  const PfModel *model = pf_system_equations(run->system)->model;
  int n = s->n, m = s->m, count = 3*n + m;
  PfExpr *symbols = pf_run_array(run, PfExpr, count);
  if (!symbols) return PF_ERR_MEMORY;
  for (int j = 0; j < n; j++) {
    symbols[j] = model->coordinates[j].q;
    symbols[n + j] = model->coordinates[j].v;
    symbols[2*n + j] = model->coordinates[j].a;
  }
  for (int k = 0; k < m; k++) symbols[3*n + k] = model->constraints[k].multiplier;
  PfJacobian jacobian;
  PF_TRY(pf_expr_jacobian(run->ctx, run->arena, roots, s->size, symbols, count, &jacobian));
  s->entries = jacobian.count;
  s->entry_row = jacobian.row;
  s->entry_column = jacobian.column;
  s->slope = pf_run_array(run, double, s->entries);
  if (!s->slope) return PF_ERR_MEMORY;
  return make_tape(run, jacobian.value, s->entries, &s->slopes, &s->slopes_work);
}

/* M, A and, with friction, what of C depends on lambda, with its slope. */
static PfStatus make_push(PfMotionRun *run, PfAlpha *s)
{
  const PfEquations *eq = pf_system_equations(run->system);
  const PfExpr *lambda = run->symbols->symbol + run->symbols->lambda;
  size_t n = (size_t)s->n, m = (size_t)s->m, count = n*n + m*n + (s->friction ? n + n*m : 0);
  PfExpr *roots = pf_run_array(run, PfExpr, count), *C = roots + n*n + m*n;
  s->M = pf_run_array(run, double, count);
  if (!roots || !s->M) return PF_ERR_MEMORY;
  memcpy(roots, eq->M, n*n*sizeof *roots);
  if (m) memcpy(roots + n*n, eq->A, m*n*sizeof *roots);
  for (size_t i = 0; i < n && s->friction; i++) {
    C[i] = is_pushing(run, (int)i) ? eq->C[i] : pf_expr_int(run->ctx, 0);
    PF_TRY(pf_expr_gradient(run->ctx, C[i], lambda, s->m, C + n + i*m));
  }
  s->A = s->M + n*n;
  s->C = s->A + m*n;
  s->C_lambda = s->C + (s->friction ? n : 0);
  PF_TRY(insert_inputs(run, roots, (int)count));
  PF_TRY(make_tape(run, roots, (int)count, &s->push, &s->push_work));
  return pf_ldl_make(run->ctx, run->arena, s->n, &s->mass);
}

/* ---------------------------------------------------------------- making */

static PfStatus sort_constraints(PfMotionRun *run, PfAlpha *s)
{
  const PfEquations *eq = pf_system_equations(run->system);
  s->position_row = pf_run_array(run, int, s->m);
  s->on_velocity = pf_run_array(run, bool, s->m);
  if (!s->position_row || !s->on_velocity) return PF_ERR_MEMORY;
  for (int k = 0; k < s->m; k++) {
    const PfConstraint *c = eq->model->constraints + k;
    s->on_velocity[k] = eq->velocity[k] != PF_EXPR_NONE;
    if (!s->on_velocity[k] && (s->rattle || s->printed))
      return pf_fail_at(run->ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is on accelerations, and %s imposes "
                        "constraints on velocities only", c->name,
                        s->rattle ? "'rattle'" : "the printed form of 'generalized_alpha'");
    if (eq->position[k] != PF_EXPR_NONE) s->position_row[s->p++] = k;
  }
  s->size = s->n + s->m + s->p;
  for (int i = 0; i < s->n && s->rattle; i++) s->friction |= is_pushing(run, i);
  return PF_OK;
}

static PfStatus make_arrays(PfMotionRun *run, PfAlpha *s)
{
  size_t n = (size_t)s->n, m = (size_t)s->m, size = (size_t)s->size, inputs = (size_t)s->in->count + n;
  struct {
    double **array;
    size_t count;
  } arrays[] = {{&s->values, inputs}, {&s->push_values, inputs}, {&s->miss, size}, {&s->a, n}, {&s->w, n}, {&s->load, n},
                {&s->x, size}, {&s->x_old, size}, {&s->guess, size}, {&s->qc, n}, {&s->vc, n}, {&s->ac, n}, {&s->R, n}, {&s->D, m*n},
                {&s->matrix, size*size}, {&s->scale, size}, {&s->change, size}, {&s->right, size}, {&s->size_A, m*n}};
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++) {
    *arrays[i].array = pf_run_array(run, double, arrays[i].count);
    if (!*arrays[i].array) return PF_ERR_MEMORY;
  }
  s->D_lambda = s->friction ? pf_run_array(run, double, m*n) : s->D;
  if (!s->D_lambda) return PF_ERR_MEMORY;
  memcpy(s->values, run->values, (size_t)s->in->count*sizeof *s->values);
  memcpy(s->push_values, run->values, (size_t)s->in->count*sizeof *s->values);
  return pf_qr_make(run->ctx, run->arena, s->size, s->size, &s->qr);
}

PfStatus pf_alpha_make(PfMotionRun *run, bool rattle)
{
  PfAlpha *s = run->data = pf_run_array(run, PfAlpha, 1);
  if (!s) return PF_ERR_MEMORY;
  *s = (PfAlpha){.n = run->n, .m = run->m, .in = run->symbols, .rattle = rattle, .printed = run->options.printed, .bad_row = -1};
  s->start = s->printed ? PF_ALPHA_PLAIN : PF_ALPHA_SHIFTED;
  PF_TRY(set_parameters(run, s));
  PF_TRY(sort_constraints(run, s));
  PfExpr *roots = pf_run_array(run, PfExpr, s->size);
  if (!roots) return PF_ERR_MEMORY;
  PF_TRY(make_equations(run, s, roots));
  PF_TRY(make_slopes(run, s, roots));
  PF_TRY(make_push(run, s));
  return make_arrays(run, s);
}

void pf_alpha_release(PfMotionRun *run)
{
  PfAlpha *s = run->data;
  pf_tape_free(s->equations);
  pf_tape_free(s->slopes);
  pf_tape_free(s->push);
}

/* ---------------------------------------------------------------- the push of the constraints */

static void set_state(const PfAlpha *s, double *values, double t, const double *q, const double *v)
{
  size_t bytes = (size_t)s->n*sizeof *q;
  values[s->in->time] = t;
  memcpy(values + s->in->q, q, bytes);
  memcpy(values + s->in->v, v, bytes);
}

bool pf_alpha_push_at(PfMotionRun *run, double t, const double *q, const double *v)
{
  PfAlpha *s = run->data;
  set_state(s, s->push_values, t, q, v);
  pf_tape_run(s->push, s->push_values, s->M, s->push_work);
  int n = s->n, bad = pf_first_not_finite(s->M, (size_t)(n*n + s->m*n));
  if (bad >= 0) {
    run->trouble = PF_TROUBLE_NOT_FINITE;
    run->row = bad < n*n ? bad/n : n + (bad - n*n)/n;
    return false;
  }
  if (pf_ldl_factor(&s->mass, s->M, 0) == PF_OK) return true;
  run->trouble = PF_TROUBLE_INDEFINITE;
  run->row = s->mass.fault_row;
  return false;
}

void pf_alpha_direction(PfAlpha *s, int constraint)
{
  int n = s->n;
  const double *A = s->A + (size_t)constraint*(size_t)n;
  double *D = s->D + (size_t)constraint*(size_t)n;
  if (s->mass.rank == n) {
    pf_ldl_solve(&s->mass, A, D);
    return;
  }
  for (int j = 0; j < n; j++) D[j] = s->M[j*n + j] > 0 ? A[j]/s->M[j*n + j] : A[j];
}

/* M R = A^T lambda + C(lambda) with everything but lambda fixed. */
static void find_push(PfAlpha *s)
{
  int n = s->n, m = s->m;
  const double *lambda = s->x + n;
  if (s->friction) {
    memcpy(s->push_values + s->in->lambda, lambda, (size_t)m*sizeof *lambda);
    pf_tape_run(s->push, s->push_values, s->M, s->push_work);
    pf_ldl_solve(&s->mass, s->C, s->R);
  } else {
    memset(s->R, 0, (size_t)n*sizeof *s->R);
  }
  for (int k = 0; k < m; k++)
    for (int j = 0; j < n; j++) s->R[j] += s->D[k*n + j]*lambda[k];
}

static void find_push_slope(PfAlpha *s)
{
  int n = s->n, m = s->m;
  for (int k = 0; k < m; k++) {
    double *D = s->D_lambda + (size_t)k*(size_t)n;
    for (int j = 0; j < n; j++) D[j] = s->C_lambda[j*m + k];
    pf_ldl_solve(&s->mass, D, D);
    for (int j = 0; j < n; j++) D[j] += s->D[k*n + j];
  }
}

/* ---------------------------------------------------------------- from unknowns to equations */

/* The state at t_{n+1} that belongs to x, into the numbers of the tapes. */
static void place(PfAlpha *s)
{
  int n = s->n, m = s->m;
  double h = s->h, *q = s->values + s->in->q, *v = s->values + s->in->v;
  const double *w = s->x, *mu = s->x + n + m;
  if (s->rattle) find_push(s);
  for (int j = 0; j < n; j++) {
    q[j] = s->qc[j] + h*h*(s->kq*w[j] + 0.5*s->R[j]);
    v[j] = s->vc[j] + h*(s->kv*w[j] + s->R[j]);
  }
  for (int k = 0; k < s->p; k++)
    for (int j = 0; j < n; j++) q[j] += 0.5*h*h*s->D[s->position_row[k]*n + j]*mu[k];
  s->values[s->in->time] = s->t;
  memcpy(s->values + s->in->lambda, s->x + n, (size_t)m*sizeof *w);
  memcpy(s->values + s->in->count, w, (size_t)n*sizeof *w);
}

/* Rows on velocities are divided by h, rows on positions by h^2. */
static double weight_of(const PfAlpha *s, int row)
{
  if (row < s->n) return 1;
  if (row >= s->n + s->m) return 1/(s->h*s->h);
  return s->on_velocity[row - s->n] ? 1/s->h : 1;
}

static double sum_of_sizes(const double *size, const double *x, int n)
{
  double sum = 0;
  for (int j = 0; j < n; j++) sum += size[j]*fabs(x[j]);
  return sum;
}

/* Up to what each equation may be missed: rounding, for the constraints; small against the forces, for the motion. */
static double allowed(const PfAlpha *s, int row, double force)
{
  static const double rounding = 2*DBL_EPSILON, least = 1e-16;
  int n = s->n, m = s->m, k = row - n;
  if (row < n || (row < n + m && !s->on_velocity[k])) return force/s->scale[row];
  if (row < n + m) return rounding*sum_of_sizes(s->size_A + (size_t)k*(size_t)n, s->values + s->in->v, n) + least;
  k = s->position_row[k - m];
  return rounding*sum_of_sizes(s->size_A + (size_t)k*(size_t)n, s->values + s->in->q, n) + least;
}

/* The size of forces that matter, in the metric of the mass matrix. */
static double size_of_forces(const PfAlpha *s)
{
  double force = 0, speed = 0;
  const double *v = s->values + s->in->v;
  for (int i = 0; i < s->n + s->m; i++) force = fmax(force, fabs(s->x[i])/s->scale[i]);
  for (int i = 0; i < s->n; i++) speed = fmax(speed, fabs(v[i])/s->scale[i]);
  return 1e-12*force + 4*DBL_EPSILON*speed/s->h + DBL_MIN;
}

/* By how much the equations are missed: 1 is what is allowed; s->merit is the same in the metric of the unknowns. */
static double find_miss(PfAlpha *s)
{
  place(s);
  pf_tape_run(s->equations, s->values, s->miss, s->equations_work);
  for (int i = 0; i < s->n && s->printed; i++) s->miss[i] -= s->load[i];
  s->bad_row = pf_first_not_finite(s->miss, (size_t)s->size);
  s->merit = INFINITY;
  if (s->bad_row >= 0) return INFINITY;
  double worst = 0, force = size_of_forces(s);
  s->merit = 0;
  for (int i = 0; i < s->size; i++) {
    worst = fmax(worst, fabs(s->miss[i])/allowed(s, i, force));
    s->merit = fmax(s->merit, fabs(s->miss[i])*weight_of(s, i)*s->scale[i]);
  }
  return worst;
}

/* ---------------------------------------------------------------- the matrix */

/* Unknowns and equations are scaled by the inertia each has, so that decisions about rank do not depend on units. */
static void find_scale(PfAlpha *s)
{
  int n = s->n, m = s->m;
  for (int i = 0; i < s->size; i++) s->scale[i] = 1;
  memset(s->size_A, 0, (size_t)m*(size_t)n*sizeof *s->size_A);
  for (int e = 0; e < s->entries; e++) {
    int i = s->entry_row[e], j = s->entry_column[e], k = i - n;
    if (i < n && j == 2*n + i && s->slope[e] > 0) s->scale[i] = 1/sqrt(s->slope[e]);
    if (k >= 0 && k < m && j >= (s->on_velocity[k] ? n : 2*n) && j < 3*n) s->size_A[k*n + j%n] = fabs(s->slope[e]);
  }
  for (int k = 0; k < m; k++) {
    double square = 0;
    for (int j = 0; j < n; j++) square += s->size_A[k*n + j]*s->scale[j]*s->size_A[k*n + j]*s->scale[j];
    if (square > 0) s->scale[n + k] = 1/sqrt(square);
  }
  for (int k = 0; k < s->p; k++) s->scale[n + m + k] = s->scale[n + s->position_row[k]];
}

/* Adds what a slope by q_j or v_j gives through R, and by q_j through mu, to its row. */
static void add_pushes(PfAlpha *s, double *row, double slope, int j, double by_lambda, double by_mu)
{
  size_t size = (size_t)s->size;
  int n = s->n, m = s->m;
  for (int k = 0; k < m && s->rattle; k++) row[(size_t)(n + k)*size] += slope*by_lambda*s->D_lambda[k*n + j];
  for (int k = 0; k < s->p && by_mu != 0; k++)
    row[(size_t)(n + m + k)*size] += slope*by_mu*s->D[s->position_row[k]*n + j];
}

static void fill_matrix(PfAlpha *s)
{
  int n = s->n;
  size_t size = (size_t)s->size;
  double h = s->h;
  memset(s->matrix, 0, size*size*sizeof *s->matrix);
  for (int e = 0; e < s->entries; e++) {
    int i = s->entry_row[e], group = s->entry_column[e]/n, j = s->entry_column[e] - group*n;
    double slope = s->slope[e]*weight_of(s, i), *row = s->matrix + i;
    if (group == 0) { /* by q */
      row[(size_t)j*size] += slope*h*h*s->kq;
      add_pushes(s, row, slope, j, 0.5*h*h, 0.5*h*h);
    } else if (group == 1) { /* by v */
      row[(size_t)j*size] += slope*h*s->kv;
      add_pushes(s, row, slope, j, h, 0);
    } else { /* by w or lambda: these are the unknowns themselves */
      row[(size_t)(s->entry_column[e] - 2*n)*size] += slope;
    }
  }
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < size; i++) s->matrix[j*size + i] *= s->scale[i]*s->scale[j];
}

/* Rows that follow from others where the constraints hold do so only nearly on the way there. */
static const double dependent = 1e-10;

static bool factor(PfAlpha *s)
{
  place(s);
  pf_tape_run(s->slopes, s->values, s->slope, s->slopes_work);
  find_scale(s);
  if (s->friction) find_push_slope(s);
  fill_matrix(s);
  s->factored = s->fresh = pf_qr_factor_columns(&s->qr, s->matrix, dependent) == PF_OK;
  return s->factored;
}

/* ---------------------------------------------------------------- Newton */

static void find_change(PfAlpha *s)
{
  for (int i = 0; i < s->size; i++) s->right[i] = -s->miss[i]*weight_of(s, i)*s->scale[i];
  pf_qr_solve(&s->qr, s->right, s->change);
  for (int i = 0; i < s->size; i++) s->change[i] *= s->scale[i];
}

static void move(PfAlpha *s, double part)
{
  for (int i = 0; i < s->size; i++) s->x[i] += part*s->change[i];
}

typedef enum Mode { SWIFT, CAREFUL } Mode;

/* The factors serve as long as they make the miss smaller by a factor of `slow` each time. SWIFT gives up when it does not
 * get smaller. CAREFUL takes new factors at each iteration and halves steps that do not help: near a loss of rank the
 * equations have other solutions, which are not to be jumped to. */
static bool iterate(PfMotionRun *run, PfAlpha *s, Mode mode)
{
  enum { MOST = 60, MANY = 3 };
  static const double slow = 0.03, stuck = 0.5, rounding = 1e4;
  double last = INFINITY, last_merit = INFINITY, part = 1;
  s->fresh = false;
  if (!s->factored && !factor(s)) return false;
  for (int k = 0; k < MOST; k++) {
    double miss = find_miss(s);
    run->result->evaluations++;
    if (k > MANY) s->factored = false; /* the next step deserves new factors */
    if (miss <= 1) return true;
    if (miss < rounding && miss > stuck*last) {
      if (s->fresh) return true; /* it does not get better than this */
    } else if (k > 0 && !(s->merit < last_merit)) {
      if (mode == SWIFT || part < 1e-3) return false;
      move(s, -(part *= 0.5));
      continue;
    }
    if (!isfinite(miss) || ((mode == CAREFUL || s->merit > slow*last_merit) && !factor(s))) return false;
    find_change(s);
    move(s, part = 1);
    last = miss;
    last_merit = s->merit;
  }
  return false;
}

/* Straight on from the last two steps, when they were of the same size and it was better than staying the last time. */
static void guess(PfAlpha *s)
{
  double moved = 0, missed = 0;
  for (int i = 0; i < s->n + s->m && s->alike > 1; i++) {
    moved = fmax(moved, fabs(s->x[i] - s->x_old[i])/s->scale[i]);
    missed = fmax(missed, fabs(s->x[i] - s->guess[i])/s->scale[i]);
  }
  bool straight = s->alike > 1 && missed < moved;
  for (int i = 0; i < s->size; i++) {
    double x = s->x[i], further = i < s->n + s->m && s->alike > 1 ? 2*x - s->x_old[i] : x;
    s->x_old[i] = x;
    s->guess[i] = further;
    s->x[i] = i >= s->n + s->m ? 0 : straight ? further : x;
  }
}

static void guess_again(PfAlpha *s)
{
  for (int i = 0; i < s->size; i++) s->x[i] = i < s->n + s->m ? s->x_old[i] : 0;
  s->factored = false;
}

static void tell(PfMotionRun *run, const PfAlpha *s)
{
  const PfModel *model = pf_system_equations(run->system)->model;
  const PfRunResult *r = run->result;
  run->trouble = PF_TROUBLE_NONE;
  if (s->bad_row >= 0) {
    run->trouble = PF_TROUBLE_NOT_FINITE;
    run->row = s->bad_row < s->n + s->m ? s->bad_row : s->n + s->position_row[s->bad_row - s->n - s->m];
    return;
  }
  run->told = true;
  pf_fail(run->ctx, PF_ERR_NUMBER, "'%s' finds no state at the end of the step of %.3g from t = %.12g: Newton's iteration "
          "does not converge", run->method->name, s->h, run->t);
  if (r->weakest_row >= 0 && r->weakest < 0.1)
    pf_hint(run->ctx, "take smaller steps; the constraints come close to losing rank: '%s' is nearly dependent on the others "
            "(%.2g at t = %.6g, where 1 is orthogonal)", model->constraints[r->weakest_row].name, r->weakest, r->weakest_t);
  else
    pf_hint(run->ctx, "take smaller steps; forces that jump may also be the cause");
}

bool pf_alpha_solve(PfMotionRun *run)
{
  PfAlpha *s = run->data;
  guess(s);
  if (iterate(run, s, SWIFT)) return true;
  guess_again(s);
  if (iterate(run, s, CAREFUL)) return true;
  tell(run, s);
  return false;
}

/* ---------------------------------------------------------------- steps */

/* The last step is as long as needed. a_n stands for the acceleration at t_n + alpha h: its distance from w_n changes with
 * h. */
static void choose_step(PfMotionRun *run, PfAlpha *s)
{
  double h = run->options.step, left = run->t_end - run->t;
  bool last = left - h < 1e-9*h;
  if (last) h = left;
  s->t = last ? run->t_end : s->t_start + (double)(s->count + 1)*h;
  if (h == s->h) return;
  for (int i = 0; i < s->n && s->h > 0 && !s->printed; i++) s->a[i] = s->w[i] + h/s->h*(s->a[i] - s->w[i]);
  s->h = h;
  s->alike = 0;
  s->factored = false;
}

void pf_alpha_begin(PfMotionRun *run)
{
  PfAlpha *s = run->data;
  const double *q = run->y, *v = run->y + s->n;
  choose_step(run, s);
  double h = s->h, beta = s->beta, gamma = s->gamma, divisor = 1 - s->alpha_m;
  s->ka = (1 - s->alpha_f - s->alpha_m*s->share)/divisor;
  s->kv = (1 - gamma)*s->share + gamma*s->ka;
  s->kq = (0.5 - beta)*s->share + beta*s->ka;
  for (int i = 0; i < s->n; i++) {
    double a = s->a[i], rest = s->printed ? 0 : (s->alpha_f*s->w[i] - s->alpha_m*a)/divisor;
    s->ac[i] = rest;
    s->vc[i] = v[i] + h*((1 - gamma)*a + gamma*rest);
    s->qc[i] = q[i] + h*v[i] + h*h*((0.5 - beta)*a + beta*rest);
  }
}

void pf_alpha_start(PfMotionRun *run, const double *w)
{
  PfAlpha *s = run->data;
  s->started = true;
  s->t_start = run->t;
  s->share = s->start == PF_ALPHA_SHIFTED ? s->alpha : 0;
  for (int i = 0; i < s->n; i++) {
    s->x[i] = s->w[i] = w[i];
    s->a[i] = (1 - s->share)*w[i];
  }
  memcpy(s->x + s->n, run->motion.multiplier, (size_t)s->m*sizeof *s->x);
  if (!s->printed) return;
  pf_alpha_forces(s, run->t, run->y, s->load); /* M a = F at the start */
  for (int i = 0; i < s->n; i++) s->load[i] *= (s->alpha_f - s->alpha_m)/(1 - s->alpha_f);
}

void pf_alpha_forces(PfAlpha *s, double t, const double *y, double *forces)
{
  set_state(s, s->values, t, y, y + s->n);
  memcpy(s->values + s->in->lambda, s->x + s->n, (size_t)s->m*sizeof *y);
  memset(s->values + s->in->count, 0, (size_t)s->n*sizeof *y);
  pf_tape_run(s->equations, s->values, s->miss, s->equations_work);
  for (int i = 0; i < s->n; i++) forces[i] = -s->miss[i];
}

/* (1 - alpha_m) M a + alpha_m M_n a_n = (1 - alpha_f) F + alpha_f F_n is M w = F + load with w = a/ka and
 * load = (alpha_f F_n - alpha_m M_n a_n)/(1 - alpha_f); M a = ka (F + load) then gives the next load. */
static void next_load(PfAlpha *s, const double *y)
{
  double *F = s->right;
  pf_alpha_forces(s, s->t, y, F);
  for (int i = 0; i < s->n; i++)
    s->load[i] = (s->alpha_f*F[i] - s->alpha_m*s->ka*(F[i] + s->load[i]))/(1 - s->alpha_f);
}

void pf_alpha_accept(PfMotionRun *run)
{
  PfAlpha *s = run->data;
  size_t n = (size_t)s->n, bytes = 2*n*sizeof *run->y;
  memcpy(run->y_old, run->y, bytes);
  memcpy(run->dy_old, run->dy, bytes);
  memcpy(run->y, s->values + s->in->q, n*sizeof *run->y);
  memcpy(run->y + n, s->values + s->in->v, n*sizeof *run->y);
  run->t_old = run->t;
  run->t = s->t;
  for (size_t i = 0; i < n; i++) {
    s->a[i] = s->ac[i] + s->ka*s->x[i];
    s->w[i] = s->x[i];
  }
  if (s->printed) next_load(s, run->y);
  s->share = 0;
  s->count++;
  s->alike++;
}
