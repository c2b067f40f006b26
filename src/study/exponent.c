/* SPDX-License-Identifier: Apache-2.0 */
/* The largest Lyapunov exponent (G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, Meccanica 15 (1980) 9-30). */
#include "study/exponent.h"

#include "study/course.h"

#include <math.h>

typedef struct Growth {
  PfCourse flow;
  double t0, log_sum; /* of the factors by which the deviation was scaled back */
} Growth;

/* Scales the deviation back, and adds the logarithm of its growth. */
static void shrink(Growth *g)
{
  PfCourse *w = &g->flow;
  double length = pf_norm(w->y + w->n, w->n);
  if (length > 1e-3 && length < 1e3) return;
  g->log_sum += log(length);
  for (int i = 0; i < w->n; i++) w->y[w->n + i] /= length;
  for (int i = 0; i < w->n; i++) w->k[6][w->n + i] /= length; /* the derivative is linear in it */
}

static double rate(const Growth *g)
{
  const PfCourse *w = &g->flow;
  return w->t > g->t0 ? (g->log_sum + log(pf_norm(w->y + w->n, w->n)))/(w->t - g->t0) : NAN;
}

static PfStatus follow(Growth *g, double t_end)
{
  while (g->flow.t < t_end) {
    PF_TRY(pf_course_step(&g->flow, t_end));
    shrink(g);
  }
  return PF_OK;
}

/* A deviation in all components, with the derivative that belongs to it. */
static PfStatus begin(Growth *g)
{
  PfCourse *w = &g->flow;
  PfDynamics *f = w->f;
  PF_TRY(pf_course_begin(w, 1));
  g->t0 = w->t;
  for (int i = 0; i < w->n; i++) w->y[w->n + i] = 1/sqrt(w->n);
  w->ready = false;
  pf_dynamics_direction(f, w->y + w->n, w->s);
  PF_TRY(pf_dynamics_complete(f, w->s, NULL, f->derived));
  pf_dynamics_rate(f, w->k[6]);
  pf_dynamics_rate_of(f, w->s, f->derived, w->k[6] + w->n);
  return PF_OK;
}

static PfStatus grow(Growth *g, double span, double *whole, double *half)
{
  PF_TRY(begin(g));
  PF_TRY(follow(g, g->t0 + span/2));
  *half = rate(g);
  PfStatus status = follow(g, g->t0 + span);
  *whole = rate(g);
  return status;
}

PfStatus pf_lyapunov_exponent(PfArena *arena, PfDynamics *field, double span, double rtol, double *whole, double *half)
{
  Growth g = {0};
  int before = pf_diagnostic_count(field->ctx);
  *whole = *half = NAN;
  PfStatus status = pf_course_make(field->ctx, arena, field, true, rtol, &g.flow);
  if (status == PF_OK) status = grow(&g, span, whole, half);
  pf_course_release(&g.flow);
  if (status != PF_ERR_NUMBER) return status;
  pf_diagnostics_cut(field->ctx, before);
  return PF_OK;
}
