/* SPDX-License-Identifier: Apache-2.0 */
/* A method that keeps the energy, and its sibling that loses it by a chosen rule. With y = (q, v), the mean
 * acceleration w, and a point g from which the step really begins (g is y_n for rho = 1),
 *
 *   v_{n+1} = v_n + h w,   q_{n+1} = q_n + h v_m + h^2/2 D mu,   v_m = (v_g + v_{n+1})/2,   q_m = (q_g + q_{n+1})/2
 *   M(q_m) w = F(q_m, v_m) + C + A(q_m)^T lambda + eta S v_m                       t_m = t_n + h/2
 *   psi(q_{n+1}, v_{n+1}, t_{n+1}) = 0,   phi(q_{n+1}, t_{n+1}) = 0
 *   E(y_{n+1}, t_m) - E(y_n, t_m) = h P(q_m, v_m, lambda) - L
 *
 * E is the energy whose change is work (monitor.c), P the power of all forces that are not in it, L >= 0 the numerical
 * loss, zero for rho = 1. The last line determines eta: the difference quotient of the energy along the step is that of
 * Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996): the gradient at the middle
 * and a part along the displacement that makes it exact. The part is here S v_m, S the diagonal of M without the
 * coordinates on which nothing depends: there is nothing to make exact along them. Since the balance is imposed as a
 * whole, it holds also for mass matrices that depend on q and includes the small work of A(q_m)^T lambda along v_m.
 * Where the energy depends on time its time is the middle; D = M^-1 A^T of the beginning.
 *
 * rho < 1: g = y_n + j with the jump (J: the linearised equations of motion, sigma = (1 - rho)/(1 + rho))
 *
 *   j = h J (beta j - alpha (y_{n+1} - y_g)),   alpha = sigma^2,   beta = sigma (1 - sigma)
 *   j_v = h (beta (w_g - w_n) - 2 alpha (w - w_g)),   j_q = h (beta (v_g - v_n) - alpha (v_{n+1} - v_g))
 *
 * where w_g, w_n are the accelerations at g and at y_n; 2 (w - w_g) stands for w_{n+1} - w_g. For x'' = -omega^2 x and
 * z = i omega h the growth per step is
 *
 *   R(z) = (N + z/2)/(N + z/2 - z N),   N = (1 - (alpha + beta) z)/(1 - beta z),
 *
 * of second order, with |R| <= 1 and R -> -rho for fast motions; of slow ones |R| = 1 - sigma^3 (omega h)^4/2 is left,
 * as by generalized-alpha. The energy lost is exactly L = (j_v M j_v - j_q M (w_g - w_n))/(2 sigma), the energy of the
 * jump: there eta is zero. Negative values, at a maximum of the potential, are replaced by zero. */
#include "num/newton.h"
#include "time/alpha_common.h"
#include "time/manifold.h"
#include "time/residual.h"

#include "form/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Functions as a tape, and the entries of their Jacobian as another. */
typedef struct Functions {
  int count;
  const PfTape *tape, *slopes;
  double *work, *slopes_work, *out, *slope;
  PfJacobian entries;
} Functions;

/* A state as a function of the unknowns: dq = h^2 (q_w dw + q_g dw_g + q_mu D dmu), dv = h (v_w dw + v_g dw_g). */
typedef struct Point {
  double q_w, q_g, q_mu, v_w, v_g;
  double *y;               /* 2n: where it is */
} Point;

typedef struct Gradient {
  int n, m, p, size;       /* size: n + m + p + 1, with a jump n + m more */
  const PfSymbols *in;
  const PfManifold *manifold;
  PfResiduals motion;      /* rows n.. M a - F - C - A^T lambda, 2n.. A a - b */
  Functions ends;          /* psi (m), phi (p), by q and v */
  Functions energy;        /* E, by q and v */
  Functions power;         /* P, by q, v and lambda */
  bool has_power, jumps;
  double alpha, beta;      /* of the jump */
  int *position_row;       /* p */
  bool *on_velocity;       /* m */
  bool redundant, *dropped, *unplaced; /* as in PfAlpha */
  bool *present;           /* n: does anything depend on the coordinate? */
  double *values;          /* numbers of the symbols */
  Point middle, end, jump;
  double *y_jump, *jerk, *M_jump, *M_jerk; /* 2n: j; n each: w_g - w_n, M j_v, M (w_g - w_n) */
  double *x, *x_old;       /* w (n), lambda (m), mu (p), eta, and with a jump w_g (n), lambda_g (m) */
  double *M, *A, *S, *D;   /* at the beginning: n x n, m x n, n, m x n */
  PfLdl mass;
  double *left_side, *matrix, *scale, *change, *right, *origin;
  PfQr qr;

  /* the state of the method, from here on (pf_checkpoint_members) */
  bool started;
  double t_start;
  long count;              /* steps done on the grid */
  double h, t, t_middle;
  double energy_before, carried; /* E(y_n, t_m); the rest of earlier steps, a matter of rounding */
  double loss;
  bool balanced;           /* eta is free in this step */
  bool factored, stuck;
  int bad_row;
  double most;             /* forces so far, in the metric of the mass matrix */
} Gradient;

/* ---------------------------------------------------------------- making */

static PfStatus make_functions(PfMotionRun *run, const PfExpr *roots, int count, const PfExpr *columns,
                               int column_count, Functions *f)
{
  PfShared *store = pf_system_store(run->system);
  const PfTapeList list = {.roots = roots, .count = count, .columns = columns, .column_count = column_count};
  f->count = count;
  PF_TRY(pf_shared_tape(store, roots, count, &f->tape));
  PF_TRY(pf_shared_tape_of(store, &list, &f->slopes, &f->entries));
  f->work = pf_run_scratch(run, double, pf_tape_work_size(f->tape));
  f->slopes_work = pf_run_scratch(run, double, pf_tape_work_size(f->slopes));
  f->out = pf_run_array(run, double, count);
  f->slope = pf_run_array(run, double, f->entries.count);
  return f->work && f->slopes_work && f->out && f->slope ? PF_OK : PF_ERR_MEMORY;
}

static PfStatus make_tapes(PfMotionRun *run, Gradient *s)
{
  PfContext *ctx = run->ctx;
  const PfEquations *eq = pf_system_equations(run->system);
  const int n = s->n, m = s->m, rows = m + s->p;
  PF_TRY(pf_residuals_make(run, PF_INDEX_1, &s->motion));
  if (!s->motion.jacobian)
    return pf_fail(ctx, PF_ERR_LIMIT, "the derivatives of the equations are too long for 'discrete_gradient'");
  PfExpr *columns = pf_run_array(run, PfExpr, 2*n + m), *roots = pf_run_array(run, PfExpr, rows);
  if (!columns || !roots) return PF_ERR_MEMORY;
  memcpy(columns, run->symbols->symbol + run->symbols->q, 2*(size_t)n*sizeof *columns);
  memcpy(columns + 2*n, run->symbols->symbol + run->symbols->lambda, (size_t)m*sizeof *columns);
  for (int k = 0; k < m; k++) roots[k] = s->on_velocity[k] ? eq->velocity[k] : pf_expr_int(ctx, 0);
  for (int k = 0; k < s->p; k++) roots[m + k] = eq->position[s->position_row[k]];
  PF_TRY(make_functions(run, roots, rows, columns, 2*n, &s->ends));
  PfExpr energy = run->monitor.energy_form;
  PF_TRY(pf_insert_inputs(ctx, eq->model, &energy, 1));
  /* with the time of E held, the power of -dL/dt is that of the forces it has among F: P = power - dE/dt */
  PfExpr power = pf_expr_sub(ctx, run->monitor.power_form, pf_expr_diff(ctx, energy, eq->model->time));
  PF_TRY(pf_expr_check(ctx));
  s->has_power = !pf_expr_is_structural_zero(ctx, power);
  PF_TRY(make_functions(run, &energy, 1, columns, 2*n, &s->energy));
  return make_functions(run, &power, 1, columns, 2*n + m, &s->power);
}

/* Does the motion, a constraint, the energy or its balance depend on the coordinate? */
static void find_present(Gradient *s)
{
  const struct {
    const PfJacobian *entries;
    int first;
  } parts[] = {{&s->motion.entries, s->n}, {&s->ends.entries, 0}, {&s->energy.entries, 0}, {&s->power.entries, 0}};
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++)
    for (int e = 0; e < parts[i].entries->count; e++)
      if (parts[i].entries->row[e] >= parts[i].first && parts[i].entries->column[e] < s->n)
        s->present[parts[i].entries->column[e]] = true;
}

static PfStatus sort_constraints(PfMotionRun *run, Gradient *s)
{
  const PfEquations *eq = pf_system_equations(run->system);
  s->position_row = pf_run_array(run, int, s->m);
  s->on_velocity = pf_run_array(run, bool, s->m);
  s->dropped = pf_run_array(run, bool, s->m);
  s->unplaced = pf_run_array(run, bool, s->m);
  s->present = pf_run_array(run, bool, s->n);
  if (!s->position_row || !s->on_velocity || !s->dropped || !s->unplaced || !s->present) return PF_ERR_MEMORY;
  bool rubbing = false;
  for (int k = 0; k < s->m; k++) {
    s->on_velocity[k] = eq->velocity[k] != PF_EXPR_NONE;
    if (eq->position[k] != PF_EXPR_NONE) s->position_row[s->p++] = k;
  }
  for (int i = 0; i < s->n && s->m; i++)
    rubbing = rubbing || pf_expr_depends(run->ctx, eq->C[i], run->symbols->symbol + run->symbols->lambda, s->m);
  /* with friction the distribution of a force over redundant constraints matters: none of them may be left out */
  s->redundant = run->watch && s->m && !rubbing; /* provisional: the rows decide */
  s->size = s->n + s->m + s->p + 1 + (s->jumps ? s->n + s->m : 0);
  return PF_OK;
}

static PfStatus make_arrays(PfMotionRun *run, Gradient *s)
{
  const size_t n = (size_t)s->n, m = (size_t)s->m, size = (size_t)s->size;
  struct {
    double **array;
    size_t count;
  } arrays[] = {{&s->values, (size_t)s->in->count}, {&s->middle.y, 2*n}, {&s->end.y, 2*n}, {&s->jump.y, 2*n},
                {&s->y_jump, 2*n}, {&s->jerk, n}, {&s->M_jump, n}, {&s->M_jerk, n}, {&s->x, size}, {&s->x_old, size},
                {&s->M, n*n}, {&s->A, m*n}, {&s->S, n}, {&s->D, m*n}, {&s->left_side, size}, {&s->matrix, size*size},
                {&s->scale, size}, {&s->change, size}, {&s->right, size}, {&s->origin, size}};
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++) {
    *arrays[i].array = pf_run_array(run, double, arrays[i].count);
    if (!*arrays[i].array) return PF_ERR_MEMORY;
  }
  memcpy(s->values, run->flow.values, (size_t)s->in->count*sizeof *s->values);
  PF_TRY(pf_ldl_make(run->ctx, run->arena, s->n, &s->mass));
  return pf_qr_make(run->ctx, run->arena, s->size, s->size, &s->qr);
}

/* The states of a step as functions of the unknowns. */
static void set_points(Gradient *s)
{
  const double a = s->alpha, b = s->beta;
  Point *g = &s->jump, *end = &s->end, *middle = &s->middle;
  if (s->jumps) {
    g->v_w = -2*a, g->v_g = 2*a + b;
    g->q_w = -a + (a + b)*g->v_w, g->q_g = (a + b)*g->v_g;
  }
  end->v_w = 1;
  middle->v_w = (1 + g->v_w)/2, middle->v_g = g->v_g/2;
  end->q_w = middle->v_w, end->q_g = middle->v_g, end->q_mu = 0.5;
  middle->q_w = (end->q_w + g->q_w)/2, middle->q_g = (end->q_g + g->q_g)/2, middle->q_mu = end->q_mu/2;
}

static PfStatus prepare(PfMotionRun *run)
{
  Gradient *s = run->stepper.data = pf_run_array(run, Gradient, 1);
  if (!s) return PF_ERR_MEMORY;
  *s = (Gradient){.n = run->n, .m = run->m, .in = run->symbols, .manifold = run->projection, .bad_row = -1};
  PF_TRY(pf_project_check_sizes(run));
  PF_TRY(pf_alpha_check_rho(run));
  s->jumps = run->options.rho < 1;
  const double sigma = (1 - run->options.rho)/(1 + run->options.rho);
  s->alpha = sigma*sigma;
  s->beta = sigma*(1 - sigma);
  PF_TRY(sort_constraints(run, s));
  PF_TRY(make_tapes(run, s));
  find_present(s);
  PF_TRY(make_arrays(run, s));
  set_points(s);
  s->redundant = s->redundant && pf_watch_choose(run, s->dropped);
  bool kept = pf_checkpoint_members(run->arena, &run->checkpoint, s, started, most) &&
              pf_qr_checkpoint(run->arena, &run->checkpoint, &s->qr);
  return kept ? PF_OK : pf_no_room(run->ctx, "the run");
}

/* ---------------------------------------------------------------- the states of a step */

/* Where the unknowns are. */
enum { W, LAMBDA, MU, ETA, W_G, LAMBDA_G };
static int at(const Gradient *s, int block)
{
  const int first[] = {0, s->n, s->n + s->m, s->n + s->m + s->p, s->n + s->m + s->p + 1, 2*s->n + s->m + s->p + 1};
  return first[block];
}

static void run_functions(Functions *f, bool slopes, Gradient *s, double t, const double *y, const double *lambda)
{
  s->values[s->in->time] = t;
  memcpy(s->values + s->in->q, y, 2*(size_t)s->n*sizeof *y);
  if (lambda) memcpy(s->values + s->in->lambda, lambda, (size_t)s->m*sizeof *lambda);
  if (slopes) pf_tape_run(f->slopes, s->values, f->slope, f->slopes_work);
  else pf_tape_run(f->tape, s->values, f->out, f->work);
}

static double energy_of(Gradient *s, double t, const double *y)
{
  run_functions(&s->energy, false, s, t, y, NULL);
  return *s->energy.out;
}

static void multiply(const double *M, const double *x, int n, double *y)
{
  for (int i = 0; i < n; i++) y[i] = pf_dot(M + (size_t)i*(size_t)n, x, n);
}

/* The states that belong to x, and the loss. */
static void place(PfMotionRun *run, Gradient *s)
{
  const int n = s->n;
  const double h = s->h, a = s->alpha, b = s->beta, *q0 = run->state.y, *v0 = q0 + n, *w0 = run->state.dy + n;
  const double *w = s->x, *mu = s->x + at(s, MU), *w_g = s->x + at(s, W_G);
  double *q = s->end.y, *v = q + n, *q_g = s->jump.y, *v_g = q_g + n, *q_m = s->middle.y, *v_m = q_m + n;
  memcpy(q_g, q0, 2*(size_t)n*sizeof *q_g);
  for (int j = 0; j < n; j++) v[j] = v0[j] + h*w[j];
  for (int j = 0; j < n && s->jumps; j++) {
    s->jerk[j] = w_g[j] - w0[j];
    s->y_jump[n + j] = h*(b*s->jerk[j] - 2*a*(w[j] - w_g[j]));
    v_g[j] = v0[j] + s->y_jump[n + j];
    s->y_jump[j] = h*(b*s->y_jump[n + j] - a*(v[j] - v_g[j]));
    q_g[j] = q0[j] + s->y_jump[j];
  }
  for (int j = 0; j < n; j++) {
    v_m[j] = 0.5*(v_g[j] + v[j]);
    q[j] = q0[j] + h*v_m[j];
    for (int k = 0; k < s->p; k++) q[j] += 0.5*h*h*s->D[s->position_row[k]*n + j]*mu[k];
    q_m[j] = 0.5*(q_g[j] + q[j]);
  }
  s->loss = 0;
  if (!s->jumps) return;
  multiply(s->M, s->y_jump + n, n, s->M_jump);
  multiply(s->M, s->jerk, n, s->M_jerk);
  s->loss = fmax(0, (a + b)/(2*a)*(pf_dot(s->y_jump + n, s->M_jump, n) - pf_dot(s->y_jump, s->M_jerk, n)));
}

/* ---------------------------------------------------------------- residual */

static bool is_dropped(const Gradient *s, int row)
{
  const int k = row - at(s, LAMBDA), g = row - at(s, LAMBDA_G);
  if (row == at(s, ETA)) return !s->balanced;
  if (!s->redundant || k < 0) return false;
  if (k < s->m) return s->dropped[k];
  if (k < s->m + s->p) return s->unplaced[s->position_row[k - s->m]];
  return g >= 0 && s->dropped[g];
}

/* The equations of motion at one of the states: rows of motion from `row`, of A a - b from `constraint`. */
static void put_motion(Gradient *s, double t, const Point *point, int w, int constraint)
{
  const int n = s->n, m = s->m;
  pf_residuals_set(&s->motion, s->in, t, point->y, s->x + w, s->x + w + n, NULL);
  (void)pf_residuals_find(&s->motion);
  memcpy(s->left_side + w, s->motion.r + n, (size_t)n*sizeof *s->left_side);
  memcpy(s->left_side + constraint, s->motion.r + 2*n, (size_t)m*sizeof *s->left_side);
}

static double largest_force(const Gradient *s)
{
  double force = 0;
  for (int i = 0; i < s->n + s->m; i++) force = fmax(force, fabs(s->x[i])/s->scale[i]);
  return force;
}

/* Tolerance of each row: small against the forces for the motion, rounding for constraints and energy. */
static double allowed(const Gradient *s, int row, double force, double energy)
{
  const int n = s->n, k = row - n, p = row - at(s, MU);
  if (row == at(s, ETA)) return energy;
  if (k >= 0 && k < s->m && s->on_velocity[k])
    return 0.25*pf_alpha_row_rounding(s->manifold, k, s->A + (size_t)k*(size_t)n, s->end.y + n, n)/s->h;
  if (p >= 0 && p < s->p) {
    const int c = s->position_row[p];
    return 0.25*pf_alpha_row_rounding(s->manifold, c, s->A + (size_t)c*(size_t)n, s->end.y, n)/(s->h*s->h);
  }
  return force/s->scale[row];
}

/* Rows are divided so that all are of one size: velocities and energy by h, positions by h^2. */
static PfStatus find_residual(void *user, PfResidualNorm *norm)
{
  PfMotionRun *run = user;
  Gradient *s = run->stepper.data;
  const int n = s->n, m = s->m;
  const double h = s->h, *v_m = s->middle.y + n, *lambda = s->x + n, rounding = 8;
  double *r = s->left_side;
  run->result.evaluations++;
  place(run, s);
  put_motion(s, s->t_middle, &s->middle, 0, n);
  for (int j = 0; j < n; j++) r[j] -= s->x[at(s, ETA)]*s->S[j]*v_m[j];
  run_functions(&s->ends, false, s, s->t, s->end.y, NULL);
  for (int k = 0; k < m; k++)
    if (s->on_velocity[k]) r[n + k] = s->ends.out[k]/h;
  for (int k = 0; k < s->p; k++) r[at(s, MU) + k] = s->ends.out[m + k]/(h*h);
  run_functions(&s->power, false, s, s->t_middle, s->middle.y, lambda);
  const double end = energy_of(s, s->t_middle, s->end.y), work = h*(*s->power.out);
  r[at(s, ETA)] = (end - s->energy_before + s->carried - work + s->loss)/h;
  if (s->jumps) put_motion(s, run->state.t, &s->jump, at(s, W_G), at(s, LAMBDA_G));
  for (int i = n; i < s->size; i++)
    if (is_dropped(s, i)) r[i] = 0;
  s->bad_row = pf_first_not_finite(r, (size_t)s->size);
  *norm = s->bad_row < 0 ? (PfResidualNorm){0, 0} : (PfResidualNorm){INFINITY, INFINITY};
  if (s->bad_row >= 0) return PF_OK;
  double speed = 0;
  for (int j = 0; j < n; j++) speed = fmax(speed, fabs(s->end.y[n + j])/s->scale[j]);
  const double force = 1e-12*largest_force(s) + 4*DBL_EPSILON*(speed/h + s->most) + DBL_MIN;
  const double energy = DBL_EPSILON*(fabs(end) + fabs(s->energy_before) + fabs(work) + speed*speed)/h + DBL_MIN;
  for (int i = 0; i < s->size; i++) {
    const double size = fabs(r[i])/allowed(s, i, force, energy);
    norm->size = fmax(norm->size, size);
    /* the rounding of a row on positions, divided by h^2, is larger than other residuals that still fall */
    if (size > rounding) norm->merit = fmax(norm->merit, fabs(r[i])*s->scale[i]);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the matrix */

static double *entry(Gradient *s, int row, int column)
{
  return s->matrix + (size_t)column*(size_t)s->size + row;
}

/* Adds to a row what its derivatives by q_j (column j) or v_j (column n + j) at a state give. */
static void add_state(Gradient *s, int row, const Point *point, int column, double slope)
{
  const int n = s->n, j = column%n, g = at(s, W_G);
  const double h = s->h, by_w = column < n ? h*h*point->q_w : h*point->v_w;
  const double by_g = column < n ? h*h*point->q_g : h*point->v_g;
  *entry(s, row, j) += slope*by_w;
  if (s->jumps) *entry(s, row, g + j) += slope*by_g;
  for (int k = 0; k < s->p && column < n; k++)
    *entry(s, row, at(s, MU) + k) += slope*h*h*point->q_mu*s->D[s->position_row[k]*n + j];
}

/* The equations of motion at one of the states; `velocities`: with rows of constraints that have a velocity level. */
static void add_motion(Gradient *s, double t, const Point *point, int w, int constraint, bool velocities)
{
  const int n = s->n;
  const PfJacobian *entries = &s->motion.entries;
  pf_residuals_set(&s->motion, s->in, t, point->y, s->x + w, s->x + w + n, NULL);
  pf_residuals_jacobian(&s->motion);
  for (int e = 0; e < entries->count; e++) {
    const int i = entries->row[e], column = entries->column[e], k = i - 2*n;
    if (i < n || (k >= 0 && !velocities && s->on_velocity[k])) continue;
    const int row = k < 0 ? w + i - n : constraint + k;
    if (column < 2*n) add_state(s, row, point, column, s->motion.value[e]);
    else *entry(s, row, w + column - 2*n) += s->motion.value[e];
  }
}

static void add_energy(Gradient *s)
{
  const int n = s->n, row = at(s, ETA), g = at(s, W_G);
  const double h = s->h, v_w = s->jump.v_w, v_g = s->jump.v_g, q_w = s->jump.q_w, q_g = s->jump.q_g;
  const double share = s->loss > 0 ? (s->alpha + s->beta)/(2*s->alpha)/h : 0;
  run_functions(&s->energy, true, s, s->t_middle, s->end.y, NULL);
  for (int e = 0; e < s->energy.entries.count; e++)
    add_state(s, row, &s->end, s->energy.entries.column[e], s->energy.slope[e]/h);
  run_functions(&s->power, true, s, s->t_middle, s->middle.y, s->x + n);
  for (int e = 0; e < s->power.entries.count; e++) {
    const int column = s->power.entries.column[e];
    if (column < 2*n) add_state(s, row, &s->middle, column, -s->power.slope[e]);
    else *entry(s, row, column - n) -= s->power.slope[e]; /* lambda */
  }
  for (int j = 0; j < n && share > 0; j++) {
    *entry(s, row, j) += share*(2*s->M_jump[j]*h*v_w - s->M_jerk[j]*h*h*q_w);
    double by_jump = 0;
    for (int i = 0; i < n; i++) by_jump += s->M[i*n + j]*s->y_jump[i];
    *entry(s, row, g + j) += share*(2*s->M_jump[j]*h*v_g - s->M_jerk[j]*h*h*q_g - by_jump);
  }
}

/* Unknowns and equations are scaled by the inertia each has, so that decisions about rank do not depend on units. */
static void find_scale(Gradient *s)
{
  const int n = s->n, m = s->m;
  for (int i = 0; i < s->size; i++) s->scale[i] = 1;
  for (int j = 0; j < n; j++)
    if (s->M[j*n + j] > 0) s->scale[j] = 1/sqrt(s->M[j*n + j]);
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < n; j++) s->right[j] = s->A[k*n + j]*s->scale[j];
    const double length = pf_norm(s->right, n);
    if (length > 0) s->scale[n + k] = 1/length;
  }
  for (int k = 0; k < s->p; k++) s->scale[at(s, MU) + k] = s->scale[n + s->position_row[k]];
  for (int i = 0; i < n + m && s->jumps; i++) s->scale[at(s, W_G) + i] = s->scale[i];
}

static bool factor(PfMotionRun *run, Gradient *s)
{
  const int n = s->n, m = s->m, eta = at(s, ETA);
  const size_t size = (size_t)s->size;
  const double *v_m = s->middle.y + n;
  place(run, s);
  find_scale(s);
  memset(s->matrix, 0, size*size*sizeof *s->matrix);
  add_motion(s, s->t_middle, &s->middle, 0, n, false);
  double length = 0;
  for (int j = 0; j < n; j++) {
    add_state(s, j, &s->middle, n + j, -s->x[eta]*s->S[j]);
    *entry(s, j, eta) -= s->S[j]*v_m[j];
    length += s->S[j]*v_m[j]*v_m[j];
  }
  s->scale[eta] = length > 0 ? 1/sqrt(length) : 1;
  run_functions(&s->ends, true, s, s->t, s->end.y, NULL);
  for (int e = 0; e < s->ends.entries.count; e++) {
    const int k = s->ends.entries.row[e];
    add_state(s, n + k, &s->end, s->ends.entries.column[e], s->ends.slope[e]/(k < m ? s->h : s->h*s->h));
  }
  if (s->balanced) add_energy(s);
  if (s->jumps) add_motion(s, run->state.t, &s->jump, at(s, W_G), at(s, LAMBDA_G), true);
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < size; i++) s->matrix[j*size + i] *= s->scale[i]*s->scale[j];
  for (int i = n; i < s->size; i++)
    for (int j = 0; j < s->size && is_dropped(s, i); j++) *entry(s, i, j) = *entry(s, j, i) = i == j;
  /* rows that follow from others where the constraints hold do so only nearly on the way there */
  const double dependent = 1e-10;
  s->factored = pf_first_not_finite(s->matrix, size*size) < 0 &&
                pf_qr_factor_columns(&s->qr, s->matrix, dependent) == PF_OK;
  if (!s->factored) s->bad_row = s->qr.fault_row;
  return s->factored;
}

static PfStatus find_change(void *user, bool fresh, double *length)
{
  PfMotionRun *run = user;
  Gradient *s = run->stepper.data;
  if (fresh && !factor(run, s)) return PF_ERR_NUMBER;
  for (int i = 0; i < s->size; i++) s->right[i] = -s->left_side[i]*s->scale[i];
  pf_qr_solve(&s->qr, s->right, s->change);
  double size = DBL_MIN, change = 0;
  for (int i = 0; i < s->n + s->m; i++) {
    size = fmax(size, fabs(s->x[i])/s->scale[i]);
    change = fmax(change, fabs(s->change[i]));
  }
  *length = change/size;
  for (int i = 0; i < s->size; i++) s->change[i] *= s->scale[i];
  return PF_OK;
}

/* ---------------------------------------------------------------- a step */

/* M and A at the beginning of the step, with the metric and the directions of positions that follow from them. */
static bool measure(PfMotionRun *run, Gradient *s)
{
  const int n = s->n, m = s->m;
  const PfJacobian *entries = &s->motion.entries;
  pf_residuals_set(&s->motion, s->in, run->state.t, run->state.y, run->state.dy + n, run->flow.multiplier, NULL);
  pf_residuals_jacobian(&s->motion);
  memset(s->M, 0, (size_t)n*(size_t)n*sizeof *s->M);
  memset(s->A, 0, (size_t)m*(size_t)n*sizeof *s->A);
  for (int e = 0; e < entries->count; e++) {
    const int i = entries->row[e] - n, j = entries->column[e] - 2*n;
    if (i < 0 || j < 0 || j >= n) continue;
    if (i < n) s->M[i*n + j] = s->motion.value[e];
    else s->A[(i - n)*n + j] = s->motion.value[e];
  }
  if (pf_ldl_factor(&s->mass, s->M, 0) != PF_OK) {
    run->flow.trouble = PF_TROUBLE_INDEFINITE;
    run->flow.row = s->mass.fault_row;
    return false;
  }
  for (int j = 0; j < n; j++) s->S[j] = s->present[j] ? fmax(s->M[j*n + j], 0) : 0;
  for (int k = 0; k < m; k++)
    pf_alpha_direction(&s->mass, s->M, s->A + (size_t)k*(size_t)n, s->D + (size_t)k*(size_t)n);
  return true;
}

static void start(PfMotionRun *run, Gradient *s)
{
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  run->stepper.restart = false;
  s->started = true;
  s->factored = false;
  s->carried = 0;
  s->t_start = run->state.t;
  s->count = 0;
  pf_run_copy_inputs(run, s->values);
  pf_run_copy_inputs(run, s->motion.inputs);
  memset(s->x, 0, (size_t)s->size*sizeof *s->x);
  for (int block = W; block <= (s->jumps ? W_G : W); block += W_G) {
    memcpy(s->x + at(s, block), run->state.dy + n, n*sizeof *s->x);
    memcpy(s->x + at(s, block) + n, run->flow.multiplier, m*sizeof *s->x);
  }
}

static bool iterate(PfMotionRun *run, Gradient *s, const PfNewtonPolicy *policy)
{
  bool fresh = !s->factored;
  place(run, s);
  if (fresh && !factor(run, s)) return false;
  const PfNewton newton = {.user = run, .n = s->size, .x = s->x, .step = s->change, .before = s->origin, .fresh = fresh,
                           .residual = find_residual, .solve = find_change};
  PfNewtonResult result = {0};
  (void)pf_newton(&newton, policy, &result);
  if (result.iterations > 3 || result.end != PF_NEWTON_CONVERGED) s->factored = false;
  return result.end == PF_NEWTON_CONVERGED;
}

/* The mean velocity of everything that matters, in the metric of S. */
static double mean_speed(const Gradient *s)
{
  double sum = 0;
  for (int j = 0; j < s->n; j++) sum += s->S[j]*s->middle.y[s->n + j]*s->middle.y[s->n + j];
  return sqrt(sum);
}

/* The change of the velocity in the step, in the same metric. */
static double change_of_speed(const Gradient *s)
{
  double sum = 0;
  for (int j = 0; j < s->n; j++) sum += s->S[j]*s->x[j]*s->x[j];
  return s->h*sqrt(sum);
}

/* Does it come to rest in the step? Then the balance hardly determines eta. */
static bool turns(const Gradient *s)
{
  return mean_speed(s) <= change_of_speed(s);
}

/* Is the rest of the energy balance small enough to be made good in the next step? */
static bool is_small_rest(const Gradient *s, double rest, double energies)
{
  const double small = 1e-6, speed = mean_speed(s) + change_of_speed(s);
  return fabs(rest) <= small*(energies + speed*speed);
}

/* At rest no force along the motion changes the energy, and nearly at rest the rounding of the energy would be a force
 * that counts among the others: DBL_EPSILON E/(h v). The error of the energy without the balance is linear in the
 * displacement, and next to nothing there; the next step makes it good. */
static bool rests(PfMotionRun *run, Gradient *s)
{
  const double counts = 1e-7;
  if (!s->factored) find_scale(s);
  place(run, s);
  return mean_speed(s)*s->h*largest_force(s)*counts <= DBL_EPSILON*fabs(s->energy_before);
}

/* From the unknowns of the step before, with the balance or without. */
static bool try_from(PfMotionRun *run, Gradient *s, const PfNewtonPolicy *policy, bool balanced)
{
  if (s->balanced != balanced) s->factored = false;
  s->balanced = balanced;
  memcpy(s->x, s->x_old, (size_t)s->size*sizeof *s->x);
  for (int i = at(s, MU); i < at(s, ETA); i++) s->x[i] = 0;
  for (int i = s->n; i < s->size; i++)
    if (is_dropped(s, i)) s->x[i] = 0;
  return iterate(run, s, policy);
}

/* The solution next to that without the balance. The energy is quadratic in the velocities, so that large steps have
 * others, with a force along the motion that belongs to nothing. */
static bool try_both(PfMotionRun *run, Gradient *s)
{
  s->factored = false;
  if (!try_from(run, s, &pf_alpha_careful, false)) return false;
  s->factored = false;
  s->balanced = true;
  return iterate(run, s, &pf_alpha_careful);
}

/* Newton's method from the unknowns of the step before. */
static bool solve(PfMotionRun *run, Gradient *s)
{
  memcpy(s->x_old, s->x, (size_t)s->size*sizeof *s->x);
  const double usual = 0.02; /* eta h is of second order in the step */
  const bool balanced = !rests(run, s);
  if (try_from(run, s, &pf_alpha_swift, balanced) && fabs(s->x[at(s, ETA)])*s->h < usual) return true;
  if (balanced && try_both(run, s)) return true;
  s->factored = false;
  if (try_from(run, s, &pf_alpha_careful, false) && (!balanced || turns(s))) return true;
  s->factored = false;
  s->stuck = s->bad_row < 0;
  run->flow.trouble = s->stuck ? PF_TROUBLE_NONE : PF_TROUBLE_NOT_FINITE;
  if (!s->stuck) run->flow.row = s->bad_row < s->n + s->m ? s->bad_row : 0;
  return false;
}

static PfStepEnd step(PfMotionRun *run)
{
  Gradient *s = run->stepper.data;
  PfState *state = &run->state;
  const double h = pf_rk_fixed_step(run->options.step, state->t_end - state->t);
  if (run->stepper.restart || !s->started) start(run, s);
  if (s->redundant && pf_watch_choose_again(run, s->dropped, s->unplaced)) s->factored = false;
  s->t = h == state->t_end - state->t ? state->t_end : s->t_start + (double)(s->count + 1)*h;
  s->t_middle = state->t + 0.5*h;
  if (h != s->h) s->factored = false;
  s->h = h;
  if (!measure(run, s)) return PF_STEP_TROUBLE;
  s->energy_before = energy_of(s, s->t_middle, state->y);
  if (!solve(run, s)) {
    if (s->stuck) pf_alpha_report_stuck(run, h);
    return PF_STEP_TROUBLE;
  }
  s->most = fmax(s->most, largest_force(s));
  /* The balance of the step: the work of the forces, and the energy that functions of time add at its two ends. The
   * rest, rounding or that of a step that turns, is made good in the next step. */
  const double before = energy_of(s, state->t, state->y), held = s->energy_before;
  const double after = energy_of(s, s->t_middle, s->end.y), end = energy_of(s, s->t, s->end.y);
  const double work = s->has_power ? h*(*s->power.out) : 0;
  const double rest = s->carried + after - held - work + s->loss;
  if (!s->balanced && !is_small_rest(s, rest, fabs(after) + fabs(held))) {
    pf_alpha_report_stuck(run, h);
    return PF_STEP_TROUBLE;
  }
  s->carried = rest;
  run->monitor.step_work = work + (held - before) + (end - after);
  run->monitor.step_known = true;
  pf_state_advance(run, s->t);
  memcpy(state->y, s->end.y, 2*(size_t)s->n*sizeof *state->y);
  s->count++;
  if (h != run->options.step) s->t_start = s->t, s->count = 0; /* cut short: the grid begins anew */
  return pf_flow(run, state->t, state->y, state->dy) ? PF_STEP_DONE : PF_STEP_TROUBLE;
}

const PfMethod pf_method_discrete_gradient = {
  .name = "discrete_gradient",
  .summary = "keeps the energy (rho = 1) or loses it by rho, constraints in every step, order 2, fixed step",
  .fixed = true, .damped = true, .default_rho = 1, .bound = true, .formulas = true, .direct = true, .prepare = prepare,
  .step = step, .interpolate = pf_hermite};
