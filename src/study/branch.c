/* SPDX-License-Identifier: Apache-2.0 */
/* A branch from its first point both ways to its ends: predictor along the tangent, corrector in the plane across it,
 * so that folds are not obstacles (pseudo-arclength, H. B. Keller 1977). */
#include "study/walk.h"

#include <math.h>
#include <string.h>

/* One of the two parts of a branch, from its first point to an end. */
typedef struct Half {
  int count, room;
  PfTracePoint *points;
  double *line;      /* count x m: the same points, scaled, as the tracer has them */
  const char *end;   /* the reason in words; NULL while it goes on */
} Half;

/* Adds a point to the half, where the tracer is. The room for points doubles when it is full: the largest possible size
 * of a branch is far more than the usual one. */
static PfStatus add_point(PfWalk *w, Half *half, const PfWalkPoint *h)
{
  const size_t m = (size_t)w->m, count = (size_t)half->count;
  if (half->count == half->room) {
    const Half old = *half;
    half->room = old.room ? 2*old.room : 64;
    PF_TRY(pf_arrays(w->ctx, w->arena, "the continuation", PF_ROOM(half->points, half->room),
                     PF_ROOM2(half->line, half->room, m)));
    if (count) memcpy(half->points, old.points, count*sizeof *old.points);
    if (count) memcpy(half->line, old.line, count*m*sizeof *old.line);
  }
  PfTracePoint *p = half->points + half->count;
  *p = (PfTracePoint){.parameter = h->u[w->n]*w->tracer.scale[w->n], .x = pf_walk_state(w),
                      .q = pf_walk_coordinates(w), .unstable = w->judged.unstable, .stability = w->judged.stability};
  memcpy(half->line + count*m, h->u, m*sizeof *h->u);
  half->count++;
  return p->x && p->q ? PF_OK : pf_no_room(w->ctx, "the continuation");
}

/* The point of the branch where the parameter is at its bound, between two points. */
static PfStatus end_at(PfWalk *w, const PfWalkPoint *from, const PfWalkPoint *to, double bound, Half *half,
                       PfWalkPoint *spare)
{
  double share = (bound - from->u[w->n])/(to->u[w->n] - from->u[w->n]);
  memset(w->first, 0, (size_t)w->m*sizeof *w->first);
  w->first[w->n] = 1;
  for (int i = 0; i < w->m; i++) spare->u[i] = w->trial[i] = from->u[i] + share*(to->u[i] - from->u[i]);
  w->trial[w->n] = bound;
  half->end = "end of the range";
  PfStatus status = pf_tracer_correct(&w->tracer, spare->u, w->trial, w->first);
  if (status == PF_OK) status = pf_walk_finish(w, spare, from->t);
  if (status == PF_OK) return add_point(w, half, spare);
  return pf_is_final(status) ? status : PF_OK;
}

/* Is the parameter of u outside the range of the study? */
static bool is_outside(const PfWalk *w, const double *u)
{
  return u[w->n] < w->low || u[w->n] > w->high;
}

/* One step; ds is adapted: shorter when it fails or bends too much, longer when it is easy. PF_ERR_NUMBER, with the end
 * of the half, where no further point is found: the end is the message of the equations, or nothing in particular. */
static PfStatus step(PfWalk *w, double *ds, Half *half)
{
  for (;;) {
    PfStatus status = pf_walk_point(w, &w->here, *ds, &w->next);
    if (pf_is_final(status)) return status;
    if (status == PF_OK && pf_dot(w->here.t, w->next.t, w->m) > 0.95) return PF_OK;
    *ds /= 2;
    if (*ds < 1e-9) break;
  }
  const int before = pf_diagnostic_count(w->ctx);
  half->end = "no further point was found";
  for (int i = 0; i < w->m; i++) w->trial[i] = w->here.u[i] + 1e-6*w->here.t[i];
  PfStatus status = pf_tracer_go(&w->tracer, w->trial);
  if (status != PF_OK && pf_diagnostic_count(w->ctx) > before) {
    const char *message = pf_context_message(w->ctx), *kept = pf_arena_text(w->arena, message, strlen(message));
    if (kept) half->end = kept;
  }
  pf_diagnostics_truncate(w->ctx, before);
  return PF_ERR_NUMBER;
}

/* The next point becomes the one where the walk is. */
static void advance(PfWalk *w)
{
  const PfWalkPoint here = w->here;
  w->here = w->next;
  w->next = here;
}

/* From w->here on until something ends it. */
static PfStatus follow(PfWalk *w, int branch, Half *half, PfWalkPoint *spare)
{
  double ds = w->longest/4, *origin = pf_walk_copy(w, w->here.u);
  if (!origin) return pf_no_room(w->ctx, "the continuation");
  while (half->count < w->most) {
    PfStatus status = step(w, &ds, half);
    if (status == PF_ERR_NUMBER) return PF_OK;
    PF_TRY(status);
    const bool outside = is_outside(w, w->next.u);
    if (!outside) PF_TRY(add_point(w, half, &w->next));
    PF_TRY(pf_walk_look_between(w, &w->here, &w->next, ds, branch, spare));
    if (outside) return end_at(w, &w->here, &w->next, w->next.u[w->n] < w->low ? w->low : w->high, half, spare);
    half->end = half->count > 3 && pf_walk_distance(w, w->next.u, origin) < 0.7*ds ? "closed"
                : pf_norm(w->next.u, w->m) > 1e4                                   ? "runs away"
                                                                                   : NULL;
    if (half->end) return PF_OK;
    advance(w);
    ds = fmin(1.5*ds, w->longest);
  }
  half->end = "most points reached";
  return PF_OK;
}

/* ---------------------------------------------------------------- branches */

/* The field goes to all numbers that the seed has kept. */
static void recall(PfWalk *w, const PfWalkSeed *seed)
{
  memcpy(w->problem.field->full, seed->full, (size_t)w->problem.field->count*sizeof *seed->full);
}

/* Is u a point of a branch that is there, on the sheet of the constraints where the field is? It is when the nearest
 * piece of one leads to it; on that sheet dependent coordinates are near those of the field. */
static PfStatus is_traced(PfWalk *w, const double *u, bool *yes)
{
  const PfDynamics *f = w->problem.field;
  *yes = false;
  for (int b = 0; b < w->result->branch_count && !*yes; b++)
    for (int i = 0; i + 1 < w->result->branches[b].count && !*yes; i++) {
      const double *a = w->line[b] + (size_t)i*(size_t)w->m, *c = a + w->m, *q = w->result->branches[b].points[i].q;
      double length = pf_walk_distance(w, a, c), share = 0, away = 0;
      bool near = length > 0;
      for (int k = 0; k < f->y_dependents && near; k++) {
        const int j = f->y_dependent[k];
        const double here = f->full[f->at_q + j];
        near = !(fabs(pf_problem_turned_coordinate(&w->problem, j, here - q[j])) > 0.1*(1 + fabs(here)));
      }
      if (!near) continue;
      for (int k = 0; k < w->m; k++) w->third[k] = a[k] + pf_walk_apart(w, u, a, k); /* u, in the turn of the piece */
      for (int k = 0; k < w->m; k++) share += (w->third[k] - a[k])*(c[k] - a[k])/(length*length);
      if (share < -0.1 || share > 1.1) continue;
      for (int k = 0; k < w->m; k++) {
        w->second[k] = a[k] + share*(c[k] - a[k]);
        away += (w->second[k] - w->third[k])*(w->second[k] - w->third[k]);
        w->first[k] = (c[k] - a[k])/length;
      }
      if (sqrt(away) > 0.5*length) continue;
      PfStatus status = pf_tracer_correct(&w->tracer, w->second, w->third, w->first);
      if (pf_is_final(status)) return status;
      *yes = status == PF_OK && pf_walk_distance(w, w->second, u) < 1e-7;
    }
  return PF_OK;
}

/* One way from the seed: its own tangent, or the one that goes to larger values of the parameter, times `direction`. At
 * a branch point there is no tangent, so the first step is taken by the given one; elsewhere the kernel is the tangent,
 * at a fold as well, which the first point of a branch may be by itself. */
static PfStatus begin_half(PfWalk *w, const PfWalkSeed *seed, double direction, Half *half, bool *good)
{
  PfWalkPoint *h = &w->here;
  const bool ahead = direction > 0;
  int dimension, index;
  PfStatus status;
  recall(w, seed);
  memcpy(h->u, seed->u, (size_t)w->m*sizeof *h->u);
  PF_TRY(pf_tracer_go(&w->tracer, h->u));
  if (!seed->t) {
    PF_TRY(pf_tracer_kernel(&w->tracer, &dimension, w->first));
    for (int i = 0; i < w->m; i++) w->first[i] *= direction;
    status = pf_walk_finish(w, h, w->first);
    if (status == PF_OK && ahead) {
      PF_TRY(add_point(w, half, h));
      if (!(fabs(h->t[w->n]) > 1e-10)) PF_TRY(pf_walk_add_special(w, PF_FOLD, h->u, w->result->branch_count, &index));
    }
  } else {
    for (int i = 0; i < w->m; i++) h->t[i] = direction*seed->t[i];
    PF_TRY(pf_walk_judge(w, h));
    if (ahead) PF_TRY(add_point(w, half, h));
    status = pf_walk_point(w, h, w->longest/8, &w->next);
    if (status == PF_OK) {
      advance(w);
      if (is_outside(w, w->here.u)) status = PF_ERR_NUMBER;
      else PF_TRY(add_point(w, half, &w->here));
    }
  }
  *good = status == PF_OK;
  return pf_is_final(status) ? status : PF_OK;
}

/* A branch point or a start may lie on a branch that is there already; a step along its new direction decides. */
static PfStatus is_new(PfWalk *w, const PfWalkSeed *seed, bool *fresh)
{
  bool traced = true;
  recall(w, seed);
  memcpy(w->here.u, seed->u, (size_t)w->m*sizeof *seed->u);
  if (!seed->t) PF_TRY(is_traced(w, w->here.u, &traced));
  *fresh = !traced;
  for (int direction = 1; direction >= -1 && seed->t; direction -= 2) {
    for (int i = 0; i < w->m; i++) w->here.t[i] = direction*seed->t[i];
    PfStatus status = pf_walk_point(w, &w->here, w->longest/8, &w->next);
    if (pf_is_final(status)) return status;
    if (status != PF_OK || is_outside(w, w->next.u)) continue;
    PF_TRY(is_traced(w, w->next.u, &traced));
    *fresh = *fresh || !traced;
  }
  return PF_OK;
}

/* A start that happens to be a branch point does not belong to one branch: both are put on the list instead. */
static PfStatus is_crossing(PfWalk *w, const PfWalkSeed *seed, bool *yes)
{
  int dimension, index;
  bool two = false;
  *yes = false;
  if (seed->t) return PF_OK;
  recall(w, seed);
  PF_TRY(pf_tracer_go(&w->tracer, seed->u));
  PF_TRY(pf_tracer_kernel(&w->tracer, &dimension, w->first));
  if (dimension < 2) return PF_OK;
  memcpy(w->trial, seed->u, (size_t)w->m*sizeof *w->trial);
  PfStatus status = pf_tracer_branch_point(&w->tracer, w->trial, w->p);
  if (status != PF_OK) return pf_is_final(status) ? status : PF_OK;
  PF_TRY(pf_walk_add_special(w, PF_BRANCH, w->trial, w->result->branch_count, &index));
  *yes = true;
  if (index < 0) return PF_OK;
  PF_TRY(pf_tracer_directions(&w->tracer, w->p, w->first, w->second, &two));
  if (!two) return PF_OK;
  PF_TRY(pf_walk_add_seed(w, w->special_u + (size_t)index*(size_t)w->m, w->first, index));
  return pf_walk_add_seed(w, w->special_u + (size_t)index*(size_t)w->m, w->second, index);
}

/* The halves are followed one after the other, the one to larger values of the parameter first; a closed branch is
 * complete after that one. Then the backward half, reversed, is put before the forward one. */
PfStatus pf_walk_trace(PfWalk *w, const PfWalkSeed *seed, PfWalkPoint *spare)
{
  Half back = {.end = "its first point"}, ahead = back;
  bool good, fresh, crossing = false;
  const int branch = w->result->branch_count;
  if (branch == PF_MOST_BRANCHES) return PF_OK;
  PF_TRY(is_new(w, seed, &fresh));
  if (fresh) PF_TRY(is_crossing(w, seed, &crossing));
  if (!fresh || crossing) return PF_OK;
  PF_TRY(begin_half(w, seed, 1, &ahead, &good));
  if (good) PF_TRY(follow(w, branch, &ahead, spare));
  bool closed = !strcmp(ahead.end, "closed");
  if (!closed) PF_TRY(begin_half(w, seed, -1, &back, &good));
  if (!closed && good) PF_TRY(follow(w, branch, &back, spare));
  if (closed) back.end = "closed";
  /* Puts the backward half, reversed, before the forward one. */
  PfTrace *t = w->result->branches + branch;
  double *line;
  const int count = back.count + ahead.count;
  const size_t m = (size_t)w->m;
  *t = (PfTrace){.count = count, .from = seed->from, .ends = {back.end, ahead.end}};
  PF_TRY(pf_arrays(w->ctx, w->arena, "the continuation", PF_ROOM(t->points, count), PF_ROOM2(line, count, m)));
  for (int i = 0; i < count; i++) {
    const Half *half = i < back.count ? &back : &ahead;
    const int k = i < back.count ? back.count - 1 - i : i - back.count;
    t->points[i] = half->points[k];
    memcpy(line + (size_t)i*m, half->line + (size_t)k*m, m*sizeof *line);
  }
  w->line[w->result->branch_count++] = line;
  return PF_OK;
}
