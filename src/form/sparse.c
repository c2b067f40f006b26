/* SPDX-License-Identifier: Apache-2.0 */
/* Multipliers by the structure of the system. M and A have few elements in large systems: the saddle point system is
 * ordered once by its graph and factored sparsely (num/saddle.c), so that separate mechanisms, and loops that share no
 * body, cost no more together than each on its own. Where a pivot is small the solution is
 * refined, and where that does not help the matrices take over for that state, as long as they are not too large to be
 * kept. */
#include "form/form_impl.h"
#include "form/sparse.h"

#include <math.h>
#include <string.h>

static const double SETTLED = 1e-12; /* the last step over the accelerations */

typedef struct PfSparseForm {
  PfSaddle saddle;
  double *out;        /* outputs of the tape of the system */
  int *source;        /* of each entry of the saddle point system: the output */
  double *value;      /* of the entries */
  int *F, *b, *C;     /* n, m, n: outputs, or -1 */
  double *load, *right;
  double *aim;        /* n: forces towards the accelerations that are sought */
  double *residual_f, *residual_b, *more, *more_lambda; /* n, m, n, m: of a refinement */
  bool refined;       /* the latest factors need it */
  PfPowerTape power;
} Form;

/* ---------------------------------------------------------------- making it ready */

typedef struct Lists {
  PfEntry *mass, *rows;
  int mass_count, row_count;
  int *mass_source, *row_source;
} Lists;

/* Which output is what: the places are those among M, F, A, b, C. */
static void sort_outputs(const PfSystem *system, Form *d, Lists *l)
{
  const int64_t n = system->n, m = system->m;
  for (int i = 0; i < n; i++) d->F[i] = d->C[i] = -1;
  for (int k = 0; k < m; k++) d->b[k] = -1;
  for (int k = 0; k < system->output_count; k++) {
    int64_t p = system->place[k];
    if (p < n*n) {
      if (p%n > p/n) continue; /* the other triangle */
      l->mass_source[l->mass_count] = k;
      l->mass[l->mass_count++] = (PfEntry){(int)(p/n), (int)(p%n)};
    } else if ((p -= n*n) < n) {
      d->F[p] = k;
    } else if ((p -= n) < m*n) {
      l->row_source[l->row_count] = k;
      l->rows[l->row_count++] = (PfEntry){(int)(p/n), (int)(p%n)};
    } else if ((p -= m*n) < m) {
      d->b[p] = k;
    } else {
      d->C[p - m] = k;
    }
  }
}

/* A tape of its own for the power of the plan, which depends on multipliers and so cannot be part of that of the
 * system. */
PfStatus pf_power_make(PfSolver *s, PfPowerTape *d)
{
  const PfSystem *system = s->system;
  PfExpr power = s->plan->power;
  if (power == PF_EXPR_NONE || pf_expr_is_structural_zero(s->ctx, power)) return PF_OK;
  PF_TRY(pf_shared_tape(system->shared, &power, 1, &d->tape));
  d->work = pf_solver_scratch(s, double, pf_tape_work_size(d->tape));
  d->values = pf_solver_scratch(s, double, system->symbols.count);
  return d->work && d->values ? PF_OK : pf_solver_no_room(s);
}

/* s->sparse stays NULL where the factors cost more than dense ones. */
static PfStatus make(PfSolver *s, PfArena *scratch)
{
  const size_t count = (size_t)s->system->output_count;
  Lists l = {.mass = pf_arena_array(scratch, PfEntry, count), .rows = pf_arena_array(scratch, PfEntry, count),
             .mass_source = pf_arena_array(scratch, int, count), .row_source = pf_arena_array(scratch, int, count)};
  Form *d = pf_solver_array(s, Form, 1);
  if (!d || !l.mass || !l.rows || !l.mass_source || !l.row_source) return pf_solver_no_room(s);
  /* Outputs and right sides are kept in snapshots, since the next state may begin with them. */
  size_t n = (size_t)s->system->n, m = (size_t)s->system->m, outputs = (size_t)s->system->output_count;
  d->out = pf_solver_array(s, double, outputs);
  d->value = pf_solver_scratch(s, double, outputs);
  d->source = pf_solver_scratch(s, int, outputs);
  d->F = pf_solver_scratch(s, int, n);
  d->C = pf_solver_scratch(s, int, n);
  d->b = pf_solver_scratch(s, int, m);
  d->load = pf_solver_array(s, double, n);
  d->right = pf_solver_array(s, double, m);
  d->aim = pf_solver_array(s, double, n);
  d->residual_f = pf_solver_scratch(s, double, n);
  d->residual_b = pf_solver_scratch(s, double, m);
  d->more = pf_solver_scratch(s, double, n);
  d->more_lambda = pf_solver_scratch(s, double, m);
  bool good = d->out && d->value && d->source && d->F && d->C && d->b && d->load && d->right && d->aim &&
              d->residual_f && d->residual_b && d->more && d->more_lambda;
  PF_TRY(good ? PF_OK : pf_solver_no_room(s));
  sort_outputs(s->system, d, &l);
  memcpy(d->source, l.mass_source, (size_t)l.mass_count*sizeof *d->source);
  memcpy(d->source + l.mass_count, l.row_source, (size_t)l.row_count*sizeof *d->source);
  PF_TRY(pf_saddle_make(s->ctx, s->arena, l.mass, l.mass_count, l.rows, l.row_count, s->system->n, s->system->m,
                        PF_ROWS_LAST, &d->saddle));
  if (!pf_saddle_pays(&d->saddle)) return PF_OK;
  s->sparse = d;
  return pf_power_make(s, &d->power);
}

/* For large systems without friction by multipliers. */
PfStatus pf_sparse_form_make(PfSolver *s)
{
  if (s->system->friction || !pf_saddle_is_large(s->system->n, s->system->m)) return PF_OK;
  PfArena *scratch = pf_arena_new(pf_context_allocator(s->ctx));
  PfStatus status = scratch ? make(s, scratch) : pf_solver_no_room(s);
  pf_arena_free(scratch);
  return status;
}

/* Multiplications of one factorisation; -1 without a sparse form. */
double pf_sparse_form_products(const PfSolver *s)
{
  return s->sparse ? pf_sparse_cost(&s->sparse->saddle.ldl) : -1;
}

/* Then there are no dense matrices at all. */
bool pf_solver_is_bare(const PfSolver *s)
{
  return s->sparse && pf_saddle_is_huge(s->system->n, s->system->m);
}

/* ---------------------------------------------------------------- numbers */

static double output(const Form *d, int k)
{
  return k < 0 ? 0 : d->out[k];
}

/* F at coordinate i, with the forces that a caller adds. */
static double force_at(const PfSolver *s, int i)
{
  return output(s->sparse,
                s->sparse->F[i]) + (s->extra_force ? s->extra_force[i] : 0) + (s->aim ? s->sparse->aim[i] : 0);
}

/* Factors at the numbers of the state. False where they must not be trusted. */
static bool factor(PfSolver *s, const double *values)
{
  Form *d = s->sparse;
  pf_tape_run(s->system->tape, values, d->out, s->tape_work);
  for (int k = 0; k < d->saddle.mass_count + d->saddle.row_count; k++) d->value[k] = d->out[d->source[k]];
  if (s->aim) memset(d->aim, 0, (size_t)s->system->n*sizeof *d->aim);
  for (int k = 0; s->aim && k < d->saddle.mass_count; k++) { /* as pf_solver_evaluate does with the matrices */
    int i = d->saddle.entry[k].row;
    if (i != d->saddle.entry[k].column || isnan(s->aim[i])) continue;
    d->aim[i] = d->value[k]*s->aim[i];
    d->value[k] *= 2;
  }
  PfSaddleMargin margin = pf_saddle_factor(&d->saddle, d->value, s->length);
  s->byproducts.margin = margin.rows;
  s->byproducts.margin_row = margin.row < 0 ? 0 : margin.row;
  d->refined = !(margin.rows > PF_SCHUR_MARGIN);
  return margin.mass > PF_MASS_TOLERANCE && margin.rows > (pf_solver_is_bare(s) ? PF_SADDLE_LAST : PF_SADDLE_REFINED);
}

/* ---------------------------------------------------------------- refinement */

/* Small pivots cost digits, which residuals give back as long as there are some left: each step is smaller than the one
 * before by what the factors are wrong. False when the accelerations do not settle. */
static bool refine(Form *d, PfMotion *motion)
{
  enum { MOST_STEPS = 4 };
  const PfSaddleNumbers at = {d->value, d->load, d->right};
  for (int k = 0; k < MOST_STEPS; k++) {
    pf_saddle_residual(&d->saddle, &at, motion->acceleration, motion->multiplier, d->residual_f, d->residual_b);
    pf_saddle_solve(&d->saddle, d->residual_f, d->residual_b, d->more, d->more_lambda);
    (void)pf_add_step(motion->multiplier, d->more_lambda, d->saddle.m);
    if (pf_add_step(motion->acceleration, d->more, d->saddle.n) < SETTLED) return true;
  }
  return false;
}

/* In watts, at the latest values with these multipliers; 0 without a tape. */
double pf_power_at(const PfSolver *s, const PfPowerTape *d, const double *multiplier)
{
  const PfSymbols *in = &s->system->symbols;
  double power = 0;
  if (!d->tape) return 0;
  memcpy(d->values, s->values, (size_t)in->lambda*sizeof *d->values);
  memcpy(d->values + in->lambda, multiplier, (size_t)s->system->m*sizeof *multiplier);
  pf_tape_run(d->tape, d->values, &power, d->work);
  return power;
}

/* False leaves the state to the matrices, unless there are none. */
bool pf_sparse_form_answer(PfSolver *s, PfMotion *motion)
{
  Form *d = s->sparse;
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  if (!d || s->skipped || !factor(s, s->values)) return false;
  for (int i = 0; i < s->system->n; i++) d->load[i] = force_at(s, i) + output(d, d->C[i]);
  for (size_t k = 0; k < m; k++) d->right[k] = output(d, d->b[k]);
  pf_saddle_solve(&d->saddle, d->load, d->right, motion->acceleration, motion->multiplier);
  if (d->refined && !refine(d, motion) && !pf_solver_is_bare(s)) return false;
  if (pf_first_not_finite(motion->acceleration, n) >= 0) return false;
  if (pf_first_not_finite(motion->multiplier, m) >= 0) return false;
  s->byproducts.power = pf_power_at(s, &d->power, motion->multiplier);
  return s->byproducts.known = true;
}

/* M q'' - F, from the entries of M and the forces of the latest evaluation. */
void pf_sparse_form_force(PfSolver *s, PfMotion *motion)
{
  const Form *d = s->sparse;
  for (int i = 0; i < s->system->n; i++) motion->force[i] = -force_at(s, i);
  for (int k = 0; k < d->saddle.mass_count; k++) {
    const PfEntry *e = d->saddle.entry + k;
    motion->force[e->row] += d->value[k]*motion->acceleration[e->column];
    if (e->row != e->column) motion->force[e->column] += d->value[k]*motion->acceleration[e->row];
  }
}

/* Lengths in the metric of M^-1 of the latest factorisation. */
void pf_sparse_form_lengths(const PfSolver *s, double *length)
{
  for (int k = 0; k < s->system->m; k++) length[k] = fmax(length[k], sqrt(pf_saddle_square(&s->sparse->saddle, k)));
}

/* The trouble of a system without matrices: a number that is not finite, or singular factors. */
PfTrouble pf_sparse_form_trouble(PfSolver *s, int *row)
{
  const Form *d = s->sparse;
  int k = pf_first_not_finite(d->out, (size_t)s->system->output_count);
  *row = k < 0 ? -1 : pf_solver_row_of_entry(s->system, s->system->place[k]);
  return k < 0 ? PF_TROUBLE_SINGULAR : PF_TROUBLE_NOT_FINITE;
}
