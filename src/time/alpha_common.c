/* SPDX-License-Identifier: Apache-2.0 */
/* The alpha methods: parameters, the equations of a step as tapes, start and course of a step.
 * Arnold, Bruls, Convergence of the generalized-alpha scheme for constrained mechanical systems, Multibody Syst.
 * Dyn. 18 (2007); Ma, Chen, Zhang 2008 for the index-2 form and alpha-RATTLE, corrected as in docs/integrators.md. */
#include "time/alpha_common.h"

#include "form/solver.h"

#include <string.h>

/* ---------------------------------------------------------------- tapes */

/* Of the roots, or with columns of their derivatives by these; `entries`: those, or NULL. */
static PfStatus make_tape(PfMotionRun *run, PfTapeList list, const PfTape **tape, double **work, PfJacobian *entries)
{
  const PfModel *model = pf_system_equations(run->system)->model;
  PfExpr *accelerations = pf_run_array(run, PfExpr, run->n);
  if (!accelerations) return PF_ERR_MEMORY;
  for (int j = 0; j < run->n; j++) accelerations[j] = model->coordinates[j].a;
  list.more = accelerations;
  list.more_count = run->n;
  PF_TRY(pf_shared_tape_of(pf_system_store(run->system), &list, tape, entries));
  *work = pf_run_scratch(run, double, pf_tape_work_size(*tape));
  return *work ? PF_OK : PF_ERR_MEMORY;
}

static bool is_impulsive(PfMotionRun *run, int i)
{
  const PfEquations *eq = pf_system_equations(run->system);
  return run->m > 0 && pf_expr_depends(run->ctx, eq->C[i], run->symbols->symbol + run->symbols->lambda, run->m);
}

/* Rows of motion, constraints, positions. In RATTLE friction forces that depend on lambda are part of the impulse. */
static PfStatus make_equations(PfMotionRun *run, PfAlpha *s, PfExpr *roots)
{
  PfContext *ctx = run->ctx;
  const PfEquations *eq = pf_system_equations(run->system);
  const PfModel *model = eq->model;
  int n = s->n, m = s->m;
  for (int i = 0; i < n; i++) {
    PfExpr sum = pf_expr_neg(ctx, eq->F[i]);
    if (!s->rattle || !is_impulsive(run, i)) sum = pf_expr_sub(ctx, sum, eq->C[i]);
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
  PF_TRY(pf_insert_inputs(ctx, model, roots, (size_t)s->size));
  return make_tape(run, (PfTapeList){.roots = roots, .count = s->size}, &s->equations, &s->equations_work, NULL);
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
  const PfTapeList list = {.roots = roots, .count = s->size, .columns = symbols, .column_count = count};
  PfJacobian jacobian;
  PF_TRY(make_tape(run, list, &s->slopes, &s->slopes_work, &jacobian));
  s->entries = jacobian.count;
  s->entry_row = jacobian.row;
  s->entry_column = jacobian.column;
  s->slope = pf_run_array(run, double, s->entries);
  return s->slope ? PF_OK : PF_ERR_MEMORY;
}

/* M, A and, with friction, the part of C that depends on lambda, with its Jacobian. */
static PfStatus make_impulse(PfMotionRun *run, PfAlpha *s)
{
  const PfEquations *eq = pf_system_equations(run->system);
  const PfExpr *lambda = run->symbols->symbol + run->symbols->lambda;
  size_t n = (size_t)s->n, m = (size_t)s->m, count = n*n + m*n + (s->friction ? n + n*m : 0);
  PfExpr *roots = pf_run_array(run, PfExpr, count);
  s->M = pf_run_array(run, double, count);
  if (!roots || !s->M) return PF_ERR_MEMORY;
  PfExpr *C = roots + n*n + m*n;
  memcpy(roots, eq->M, n*n*sizeof *roots);
  if (m) memcpy(roots + n*n, eq->A, m*n*sizeof *roots);
  for (size_t i = 0; i < n && s->friction; i++) {
    C[i] = is_impulsive(run, (int)i) ? eq->C[i] : pf_expr_int(run->ctx, 0);
    PF_TRY(pf_expr_gradient(run->ctx, C[i], lambda, s->m, C + n + i*m));
  }
  s->A = s->M + n*n;
  s->C = s->A + m*n;
  s->C_lambda = s->C + (s->friction ? n : 0);
  PF_TRY(pf_insert_inputs(run->ctx, eq->model, roots, count));
  PF_TRY(make_tape(run, (PfTapeList){.roots = roots, .count = (int)count}, &s->impulse, &s->impulse_work, NULL));
  return pf_ldl_make(run->ctx, run->arena, s->n, &s->mass);
}

/* ---------------------------------------------------------------- making */

static PfStatus sort_constraints(PfMotionRun *run, PfAlpha *s)
{
  const PfEquations *eq = pf_system_equations(run->system);
  s->position_row = pf_run_array(run, int, s->m);
  s->on_velocity = pf_run_array(run, bool, s->m);
  s->dropped = pf_run_array(run, bool, s->m);
  s->unplaced = pf_run_array(run, bool, s->m);
  if (!s->position_row || !s->on_velocity || !s->dropped || !s->unplaced) return PF_ERR_MEMORY;
  for (int k = 0; k < s->m; k++) {
    const PfConstraint *c = eq->model->constraints + k;
    s->on_velocity[k] = eq->velocity[k] != PF_EXPR_NONE;
    if (!s->on_velocity[k] && (s->rattle || s->printed))
      return pf_fail_at(run->ctx, PF_ERR_MODEL, c->place, "the constraint '%s' is on accelerations, and %s imposes "
                        "constraints on velocities only", c->name,
                        s->rattle ? "'rattle'" : "the printed form of an alpha method");
    if (eq->position[k] != PF_EXPR_NONE) s->position_row[s->p++] = k;
  }
  s->size = s->n + s->m + s->p;
  /* with friction the distribution of a force over redundant constraints matters: none of them may be left out */
  bool rubbing = false;
  for (int i = 0; i < run->n; i++) rubbing = rubbing || is_impulsive(run, i);
  s->friction = s->rattle && rubbing;
  s->redundant = run->watch && s->m && !rubbing; /* provisional: the rows decide */
  return PF_OK;
}

static PfStatus make_arrays(PfMotionRun *run, PfAlpha *s)
{
  size_t n = (size_t)s->n, m = (size_t)s->m, size = (size_t)s->size, inputs = (size_t)s->in->count + n;
  struct {
    double **array;
    size_t count;
  } arrays[] = {{&s->values, inputs}, {&s->impulse_values, inputs}, {&s->left_side, size}, {&s->a, n}, {&s->w, n},
                {&s->load, n}, {&s->x, size}, {&s->x_old, size}, {&s->guess, size}, {&s->qc, n}, {&s->vc, n},
                {&s->ac, n}, {&s->R, n}, {&s->D, m*n}, {&s->matrix, size*size}, {&s->scale, size},
                {&s->change, size}, {&s->origin, size}, {&s->right, size}, {&s->size_A, m*n}, {&s->end, 2*n},
                {&s->before, n}};
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++) {
    *arrays[i].array = pf_run_array(run, double, arrays[i].count);
    if (!*arrays[i].array) return PF_ERR_MEMORY;
  }
  s->D_lambda = s->friction ? pf_run_array(run, double, m*n) : s->D;
  if (!s->D_lambda) return PF_ERR_MEMORY;
  memcpy(s->values, run->flow.values, (size_t)s->in->count*sizeof *s->values);
  memcpy(s->impulse_values, run->flow.values, (size_t)s->in->count*sizeof *s->values);
  return pf_qr_make(run->ctx, run->arena, s->size, s->size, &s->qr);
}

/* The members of the family: alpha_m and alpha_f by rho. All have gamma = 1/2 - alpha_m +
 * alpha_f, which makes them of second order, and the largest beta that damps fast motions alone, but Newmark's. */
static void generalized(double rho, double *alpha_m, double *alpha_f)
{ /* Chung, Hulbert 1993: least damping of slow motions for a given damping rho of fast ones */
  *alpha_m = (2*rho - 1)/(rho + 1);
  *alpha_f = rho/(rho + 1);
}

static void hht(double rho, double *alpha_m, double *alpha_f)
{ /* Hilber, Hughes, Taylor 1977: the forces are shifted alone, by at most a third of the step */
  *alpha_m = 0;
  *alpha_f = (1 - rho)/(1 + rho);
}

static void wbz(double rho, double *alpha_m, double *alpha_f)
{ /* Wood, Bossak, Zienkiewicz 1980: the inertia is shifted alone */
  *alpha_m = (rho - 1)/(rho + 1);
  *alpha_f = 0;
}

static void newmark(double rho, double *alpha_m, double *alpha_f)
{ /* Newmark 1959: nothing is shifted, and damping costs an order */
  (void)rho;
  *alpha_m = *alpha_f = 0;
}

static const struct Member {
  const PfMethod *method;
  void (*shifts)(double rho, double *alpha_m, double *alpha_f);
} members[] = {{&pf_method_generalized_alpha, generalized}, {&pf_method_rattle, generalized},
               {&pf_method_hht_alpha, hht}, {&pf_method_wbz_alpha, wbz}, {&pf_method_newmark, newmark}};

PfStatus pf_alpha_check_rho(const PfMotionRun *run)
{
  const double rho = run->options.rho, least = run->stepper.method->least_rho;
  if (rho >= least && rho <= 1) return PF_OK;
  if (least > 0)
    return pf_fail_at(run->ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "rho"},
                      "rho is %g: that of '%s' must be between %g and 1 (1: nothing is damped)", rho,
                      run->stepper.method->name, least);
  return pf_fail_at(run->ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "rho"},
                    "rho is %g: it must be between 0 (fast motions die at once) and 1 (nothing is damped)", rho);
}

static PfStatus choose_coefficients(PfMotionRun *run, PfAlpha *s)
{
  const double rho = run->options.rho;
  const struct Member *member = members;
  while (member->method != run->stepper.method) member++;
  PF_TRY(pf_alpha_check_rho(run));
  member->shifts(rho, &s->alpha_m, &s->alpha_f);
  s->alpha = s->alpha_m - s->alpha_f;
  s->gamma = 0.5 - s->alpha;
  if (member->method == &pf_method_newmark) s->gamma = 0.5 + (1 - rho)/(1 + rho);
  s->beta = (s->gamma + 0.5)*(s->gamma + 0.5)/4;
  return PF_OK;
}

PfStatus pf_alpha_make(PfMotionRun *run)
{
  PfAlpha *s = run->stepper.data = pf_run_array(run, PfAlpha, 1);
  if (!s) return PF_ERR_MEMORY;
  *s = (PfAlpha){.n = run->n, .m = run->m, .in = run->symbols, .manifold = run->projection,
                 .rattle = run->stepper.method == &pf_method_rattle, .bad_row = -1, .printed = run->options.printed};
  PF_TRY(pf_project_check_sizes(run));
  s->start = s->printed ? PF_ALPHA_PLAIN : PF_ALPHA_SHIFTED;
  PF_TRY(choose_coefficients(run, s));
  PF_TRY(sort_constraints(run, s));
  PfExpr *roots = pf_run_array(run, PfExpr, s->size);
  if (!roots) return PF_ERR_MEMORY;
  PF_TRY(make_equations(run, s, roots));
  PF_TRY(make_slopes(run, s, roots));
  PF_TRY(make_impulse(run, s));
  PF_TRY(make_arrays(run, s));
  s->redundant = s->redundant && pf_watch_choose(run, s->dropped);
  bool kept = pf_checkpoint_members(run->arena, &run->checkpoint, s, started, h_before) &&
              pf_qr_checkpoint(run->arena, &run->checkpoint, &s->qr);
  return kept ? PF_OK : pf_no_room(run->ctx, "the run");
}

/* ---------------------------------------------------------------- steps */

void pf_alpha_begin(PfMotionRun *run, double h)
{
  PfAlpha *s = run->stepper.data;
  const double *q = run->state.y, *v = run->state.y + s->n;
  if (s->redundant) {
    /* rows that follow from the others where the constraints hold contradict them on the way there: which ones are left
     * out is decided at the beginning of a step, where they hold */
    if (pf_watch_choose_again(run, s->dropped, s->unplaced)) s->factored = false;
  }
  bool last = h == run->state.t_end - run->state.t;
  s->t = last ? run->state.t_end : run->stepper.fixed ? s->t_start + (double)(s->count + 1)*h : run->state.t + h;
  s->ratio = s->h > 0 ? h/s->h : 1;
  if (h != s->h) { /* a_n stands for the acceleration at t_n + alpha h: its distance from w_n changes with h */
    for (int i = 0; i < s->n && s->h > 0 && !s->printed; i++) s->a[i] = s->w[i] + s->ratio*(s->a[i] - s->w[i]);
    s->h = h;
    s->factored = false;
  }
  double beta = s->beta, gamma = s->gamma, divisor = 1 - s->alpha_m;
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

bool pf_alpha_has_started(PfMotionRun *run)
{
  PfAlpha *s = run->stepper.data;
  if (!run->stepper.restart) return s->started;
  run->stepper.restart = s->started = false; /* the state is not the end of the last step */
  pf_run_copy_inputs(run, s->values);
  pf_run_copy_inputs(run, s->impulse_values);
  return false;
}

void pf_alpha_start(PfMotionRun *run, const double *w)
{
  PfAlpha *s = run->stepper.data;
  s->started = true;
  s->factored = false;
  s->h = s->h_before = 0;
  s->alike = 0;
  s->count = 0;
  s->t_start = run->state.t;
  s->share = s->start == PF_ALPHA_SHIFTED ? s->alpha : 0;
  for (int i = 0; i < s->n; i++) {
    s->x[i] = s->w[i] = w[i];
    s->a[i] = (1 - s->share)*w[i];
  }
  memcpy(s->x + s->n, run->flow.multiplier, (size_t)s->m*sizeof *s->x);
  if (!s->printed) return;
  pf_alpha_forces(s, run->state.t, run->state.y, s->load); /* M a = F at the start */
  for (int i = 0; i < s->n; i++) s->load[i] *= (s->alpha_f - s->alpha_m)/(1 - s->alpha_f);
}

void pf_alpha_set_state(const PfAlpha *s, double *values, double t, const double *q, const double *v)
{
  size_t bytes = (size_t)s->n*sizeof *q;
  values[s->in->time] = t;
  memcpy(values + s->in->q, q, bytes);
  memcpy(values + s->in->v, v, bytes);
}

void pf_alpha_forces(PfAlpha *s, double t, const double *y, double *forces)
{
  pf_alpha_set_state(s, s->values, t, y, y + s->n);
  memcpy(s->values + s->in->lambda, s->x + s->n, (size_t)s->m*sizeof *y);
  memset(s->values + s->in->count, 0, (size_t)s->n*sizeof *y);
  pf_tape_run(s->equations, s->values, s->left_side, s->equations_work);
  for (int i = 0; i < s->n; i++) forces[i] = -s->left_side[i];
}

void pf_alpha_accept(PfMotionRun *run)
{
  PfAlpha *s = run->stepper.data;
  size_t n = (size_t)s->n;
  pf_state_advance(run, s->t);
  memcpy(run->state.y, s->values + s->in->q, n*sizeof *run->state.y);
  memcpy(run->state.y + n, s->values + s->in->v, n*sizeof *run->state.y);
  for (size_t i = 0; i < n; i++) {
    s->a[i] = s->ac[i] + s->ka*s->x[i];
    s->w[i] = s->x[i];
  }
  if (s->printed) {
    /* (1 - alpha_m) M a + alpha_m M_n a_n = (1 - alpha_f) F + alpha_f F_n is M w = F + load with w = a/ka and
     * load = (alpha_f F_n - alpha_m M_n a_n)/(1 - alpha_f); M a = ka (F + load) then gives the next load */
    double *F = s->right;
    pf_alpha_forces(s, s->t, run->state.y, F);
    for (size_t i = 0; i < n; i++)
      s->load[i] = (s->alpha_f*F[i] - s->alpha_m*s->ka*(F[i] + s->load[i]))/(1 - s->alpha_f);
  }
  s->share = 0;
  s->alike++;
  s->count++;
  /* cut short: the grid begins anew */
  if (run->stepper.fixed && s->h != run->options.step) s->t_start = s->t, s->count = 0;
}
