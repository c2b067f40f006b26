/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a motion, which its absolute tolerance is proportional to: from the state at the start, and where that is
 * zero from the accelerations that the forces give it. */
#include "num/num.h"
#include "time/time_impl.h"

#include <math.h>
#include <string.h>

/* Numbers of a state below `small` need a smaller tolerance, and so do units below `fine`; none below `least`. */
static const double small = 1e-2, fine = 1e-3, least = 1e-9;

typedef struct Probe {
  PfContext *ctx;
  PfArena *arena;
  const PfSystem *system;
  const PfSymbols *in;
  const PfEquations *eq;
  double *values;
  PfMotion motion;
  PfSolver *solver;
  PfTape *terms;
  double *term, *work; /* F, its terms, those of b */
  double a, inertia;   /* the largest acceleration and inertial force of all instants, */
  double force, drive; /* and the largest terms of forces and of right-hand sides of constraints */
} Probe;

/* F, then what the parameters and time bring into F and into b: |p dF/dp|, summed. In F itself terms may cancel. */
static PfStatus make_terms(Probe *p)
{
  const int n = p->eq->n, m = p->eq->m;
  PfExpr slope, *roots = pf_arena_array(p->arena, PfExpr, 2*(size_t)n + (size_t)m);
  p->term = pf_arena_array(p->arena, double, 2*(size_t)n + (size_t)m);
  if (!roots || !p->term) return PF_ERR_MEMORY;
  memcpy(roots, p->eq->F, (size_t)n*sizeof *roots);
  for (int i = 0; i < n + m; i++)
    PF_TRY(pf_surface_sizes(p->ctx, p->arena, i < n ? p->eq->F[i] : p->eq->b[i - n], p->in->symbol, p->in->q,
                            roots + n + i, &slope));
  PF_TRY(pf_tape_new(p->ctx, p->in->symbol, p->in->count, roots, 2*n + m, &p->terms));
  p->work = pf_arena_array(p->arena, double, pf_tape_work_size(p->terms));
  return p->work ? PF_OK : PF_ERR_MEMORY;
}

/* At instants spread over the run; up to the first one with an ordinary acceleration, or with none that is known.
 * Friction sticks at rest, and its direction is not defined there: the probe moves, at speeds that are nothing else. */
static PfStatus measure_flow(Probe *p, const double *values, double span, double ordinary)
{
  enum { INSTANTS = 16 };
  const double golden = 0.6180339887498949, t0 = values[p->in->time];
  const int n = p->eq->n, m = p->eq->m;
  int row;
  p->values = pf_arena_array(p->arena, double, p->in->count);
  p->motion.acceleration = pf_arena_array(p->arena, double, n);
  p->motion.multiplier = pf_arena_array(p->arena, double, m);
  p->motion.force = pf_arena_array(p->arena, double, n);
  if (!p->values || !p->motion.acceleration || !p->motion.multiplier || !p->motion.force) return PF_ERR_MEMORY;
  memcpy(p->values, values, (size_t)p->in->count*sizeof *values);
  for (int i = 0; i < 2*n; i++) p->values[p->in->q + i] = 1e-30*(double)(i + 1);
  PF_TRY(pf_solver_new(p->ctx, p->system, pf_formulation_find("multipliers"), &p->solver));
  for (int k = 0; k < INSTANTS && p->a < ordinary; k++) {
    p->values[p->in->time] = t0 + span*(k*golden - floor(k*golden));
    if (pf_solver_accelerate(p->solver, p->values, &p->motion, &row) != PF_TROUBLE_NONE) p->a = INFINITY;
    else p->a = fmax(p->a, pf_largest(p->motion.acceleration, n));
    if (!(p->a < ordinary)) break;
    if (!p->terms) PF_TRY(make_terms(p));
    pf_tape_run(p->terms, p->values, p->term, p->work);
    for (int i = 0; i < n; i++) {
      p->inertia = fmax(p->inertia, fabs(p->term[i] + p->motion.force[i]));
      p->force = fmax(p->force, fabs(p->term[i]) + p->term[n + i]);
    }
    p->drive = fmax(p->drive, pf_largest(p->term + 2*n, m));
  }
  return PF_OK;
}

/* The size of a motion from rest at zero: 1 unless it stays small for `long_enough` under its accelerations. Small
 * differences of large forces, such as a weight and its support, are 1 as well: they may be nothing but rounding, which
 * no step follows. */
static double size_from_rest(PfContext *ctx, const PfSystem *system, const double *values, double t_end)
{
  const double long_enough = 10, most_terms = 1e6;
  const PfSymbols *in = pf_system_symbols(system);
  const double span = t_end - values[in->time];
  const int before = pf_diagnostic_count(ctx);
  Probe p = {.ctx = ctx, .arena = pf_arena_new(pf_context_allocator(ctx)), .system = system, .in = in,
             .eq = pf_system_equations(system)};
  const double ordinary = small/(long_enough*long_enough);
  PfStatus status = p.arena ? measure_flow(&p, values, isfinite(span) ? span : long_enough, ordinary) : PF_ERR_MEMORY;
  const bool known = status == PF_OK && p.a > 0 && p.a < ordinary &&
                     p.force <= most_terms*p.inertia && p.drive <= most_terms*p.a;
  pf_tape_free(p.terms);
  pf_solver_free(p.solver);
  pf_arena_free(p.arena);
  pf_diagnostics_truncate(ctx, before);
  return known ? p.a/small : 1;
}

double pf_state_size(PfContext *ctx, const PfSystem *system, const double *values, double t_end)
{
  const PfModel *model = pf_system_equations(system)->model;
  const PfSymbols *in = pf_system_symbols(system);
  const int n = model->coordinate_count;
  double largest = fmax(pf_largest(values + in->q, n), pf_largest(values + in->v, n)), size = 1;
  if (largest > 0) size = largest/small;
  else if (n > 0 && !pf_system_in_bodies(system)) size = size_from_rest(ctx, system, values, t_end);
  for (int j = 0; j < n; j++)
    if (model->coordinates[j].scale > 0) size = fmin(size, model->coordinates[j].scale/fine);
  return fmax(least, fmin(1, size));
}
