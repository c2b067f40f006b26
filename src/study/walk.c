/* SPDX-License-Identifier: Apache-2.0 */
/* One point of a branch while it is followed: corrected, with its tangent and eigenvalues. */
#include "study/walk.h"

#include <math.h>
#include <string.h>

/* A copy of a point (m numbers) in the arena of the walk. */
double *pf_walk_copy(PfWalk *w, const double *u)
{
  double *copy = pf_arena_array(w->arena, double, w->m);
  if (copy) memcpy(copy, u, (size_t)w->m*sizeof *copy);
  return copy;
}

/* In parts of the scale of the component. */
double pf_walk_apart(const PfWalk *w, const double *a, const double *b, int k)
{
  double d = a[k] - b[k], scale = w->tracer.scale[k];
  return k < w->n ? pf_problem_turned(&w->problem, w->problem.unknown[k], d*scale)/scale : d;
}

/* In scaled components, without full turns. */
double pf_walk_distance(const PfWalk *w, const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < w->m; k++) sum += pf_walk_apart(w, a, b, k)*pf_walk_apart(w, a, b, k);
  return sqrt(sum);
}

/* A copy in the arena of the walk: problem.size numbers. */
double *pf_walk_state(PfWalk *w)
{
  double *x = pf_arena_array(w->arena, double, w->problem.size);
  if (x) pf_dynamics_get(w->problem.field, x);
  return x;
}

/* A copy in the arena of the walk: n numbers, dependent coordinates among them. */
double *pf_walk_coordinates(PfWalk *w)
{
  const PfDynamics *f = w->problem.field;
  double *q = pf_arena_array(w->arena, double, f->n);
  if (q) memcpy(q, f->full + f->at_q, (size_t)f->n*sizeof *q);
  return q;
}

/* Fills h->pair and h->unstable. The eigenvalues themselves are freed again. */
PfStatus pf_walk_judge(PfWalk *w, PfWalkPoint *h)
{
  PfMark mark = pf_arena_mark(w->tracer.arena);
  PfSteadyPoint *s = &w->judged;
  PfStatus status = pf_steady_judge(&w->problem, w->tracer.arena, 0, s);
  h->pair = NAN;
  for (int k = 0; k < s->count && status == PF_OK; k++)
    if (s->im[k] > 0 && !(fabs(s->re[k]) >= fabs(h->pair))) h->pair = s->re[k];
  h->unstable = 0; /* by sign alone: a special point may lie very near */
  for (int k = 0; k < s->count && status == PF_OK; k++) h->unstable += s->re[k] > 0;
  pf_arena_release(w->tracer.arena, mark);
  return status;
}

/* PF_ERR_NUMBER where there is no tangent. */
PfStatus pf_walk_finish(PfWalk *w, PfWalkPoint *h, const double *towards)
{
  h->sign = pf_tracer_tangent(&w->tracer, towards, h->t);
  if (!h->sign) return PF_ERR_NUMBER;
  return pf_walk_judge(w, h);
}

/* A step along the tangent and Newton's method back onto the branch, in the plane across that tangent. */
PfStatus pf_walk_point(PfWalk *w, const PfWalkPoint *from, double ds, PfWalkPoint *h)
{
  for (int i = 0; i < w->m; i++) h->u[i] = w->trial[i] = from->u[i] + ds*from->t[i];
  PF_TRY(pf_tracer_correct(&w->tracer, h->u, w->trial, from->t));
  return pf_walk_finish(w, h, from->t);
}
