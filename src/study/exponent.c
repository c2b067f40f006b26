/* SPDX-License-Identifier: Apache-2.0 */
/* The largest Lyapunov exponent (G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9-30):
 * a small deviation d from the motion follows d' = Df(x) d, and lambda = lim (1/t) log(|d(t)|/|d(0)|). The deviation is
 * scaled back to the length 1 before it becomes too large or too small for doubles. */
#include "study/exponent.h"

#include "study/field_flow.h"

#include <math.h>

/* The motion with its deviation, and the growth so far. */
typedef struct Growth {
  PfFieldFlow flow;
  double t0, log_sum; /* of the factors by which the deviation was scaled back */
} Growth;

/* Scales the deviation back, and adds the logarithm of its growth. */
static void shrink(Growth *g)
{
  PfFieldFlow *w = &g->flow;
  double length = pf_norm(w->y + w->n, w->n);
  if (length > 1e-3 && length < 1e3) return;
  g->log_sum += log(length);
  for (int i = 0; i < w->n; i++) w->y[w->n + i] /= length;
  for (int i = 0; i < w->n; i++) w->k[w->n + i] /= length; /* the derivative is linear in it */
}

/* The exponent so far, in 1/s; NaN at the beginning. */
static double rate(const Growth *g)
{
  const PfFieldFlow *w = &g->flow;
  return w->t > g->t0 ? (g->log_sum + log(pf_norm(w->y + w->n, w->n)))/(w->t - g->t0) : NAN;
}

/* Integrates up to t_end, and scales back after each step. */
static PfStatus follow(Growth *g, double t_end)
{
  while (g->flow.t < t_end) {
    PF_TRY(pf_field_flow_step(&g->flow, t_end));
    shrink(g);
  }
  return PF_OK;
}

/* Integrates a deviation with the motion; logarithms of its growth, summed at each renormalisation, give the exponent
 * over half and all of the span. */
static PfStatus grow(Growth *g, double span, double *whole, double *half)
{
  /* A deviation in all components, with the derivative that belongs to it. */
  PfFieldFlow *w = &g->flow;
  PfDynamics *f = w->f;
  PF_TRY(pf_field_flow_begin(w, 1));
  g->t0 = w->t;
  for (int i = 0; i < w->n; i++) w->y[w->n + i] = 1/sqrt(w->n);
  pf_dynamics_direction(f, w->y + w->n, w->s);
  PF_TRY(pf_dynamics_complete(f, w->s, NULL, f->derived));
  pf_dynamics_rate_of(f, w->s, f->derived, w->k + w->n);
  PF_TRY(follow(g, g->t0 + span/2));
  *half = rate(g);
  PfStatus status = follow(g, g->t0 + span);
  *whole = rate(g);
  return status;
}

/* A motion that cannot be followed to the end leaves NaN, and no diagnostics. */
PfStatus pf_lyapunov_exponent(PfArena *arena, PfDynamics *field, double span, double rtol, double *whole, double *half)
{
  Growth g = {0};
  int before = pf_diagnostic_count(field->ctx);
  *whole = *half = NAN;
  PfStatus status = pf_field_flow_make(field->ctx, arena, field, true, rtol, &g.flow);
  if (status == PF_OK) status = grow(&g, span, whole, half);
  pf_field_flow_release(&g.flow);
  if (status != PF_ERR_NUMBER) return status;
  pf_diagnostics_truncate(field->ctx, before);
  return PF_OK;
}
