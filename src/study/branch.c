/* SPDX-License-Identifier: Apache-2.0 */
/* A branch from its first point both ways to its ends: predictor along the tangent, corrector in the plane across it,
 * so that folds are no obstacles (pseudo-arclength, H. B. Keller 1977). */
#include "study/walk.h"

#include <math.h>
#include <string.h>


typedef struct Half {
  int count, room;
  PfTracePoint *points;
  double *line;      /* scaled */
  const char *end;
} Half;

/* Twice the room when it is full: what a branch may have at most is far more than it usually has. */
static PfStatus make_room_in(PfWalk *w, Half *half)
{
  if (half->count < half->room) return PF_OK;
  size_t room = half->room ? 2*(size_t)half->room : 64, m = (size_t)w->m, count = (size_t)half->count;
  PfTracePoint *points = pf_arena_array(w->arena, PfTracePoint, room);
  double *line = pf_arena_array(w->arena, double, room*m);
  if (!points || !line) return pf_no_room(w->ctx, "the continuation");
  if (count) memcpy(points, half->points, count*sizeof *points), memcpy(line, half->line, count*m*sizeof *line);
  half->points = points, half->line = line, half->room = (int)room;
  return PF_OK;
}

static PfStatus add_point(PfWalk *w, Half *half, const PfWalkPoint *h)
{
  PF_TRY(make_room_in(w, half));
  PfTracePoint *p = half->points + half->count;
  *p = (PfTracePoint){.parameter = h->u[w->n]*w->tracer.scale[w->n], .x = pf_walk_state(w),
                      .q = pf_walk_coordinates(w), .unstable = w->judged.unstable, .stability = w->judged.stability};
  memcpy(half->line + (size_t)half->count*(size_t)w->m, h->u, (size_t)w->m*sizeof *h->u);
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

static bool is_outside(const PfWalk *w, const double *u)
{
  return u[w->n] < w->low || u[w->n] > w->high;
}

/* Why no further point was found: what the equations said, or nothing in particular. */
static const char *stuck(PfWalk *w, const PfWalkPoint *from, double ds)
{
  int before = pf_diagnostic_count(w->ctx);
  for (int i = 0; i < w->m; i++) w->trial[i] = from->u[i] + ds*from->t[i];
  PfStatus status = pf_tracer_go(&w->tracer, w->trial);
  const char *words = "no further point was found";
  if (status != PF_OK && pf_diagnostic_count(w->ctx) > before) {
    const char *message = pf_context_message(w->ctx);
    const char *kept = pf_arena_text(w->arena, message, strlen(message));
    words = kept ? kept : words;
  }
  pf_diagnostics_cut(w->ctx, before);
  return words;
}

/* One step; ds is adapted: shorter when it fails or bends too much, longer when it is easy. */
static PfStatus step(PfWalk *w, double *ds, Half *half)
{
  for (;;) {
    PfStatus status = pf_walk_point(w, &w->here, *ds, &w->next);
    if (pf_is_final(status)) return status;
    if (status == PF_OK && pf_dot(w->here.t, w->next.t, w->m) > 0.95) return PF_OK;
    *ds /= 2;
    if (*ds < 1e-9) {
      half->end = stuck(w, &w->here, 1e-6);
      return PF_ERR_NUMBER;
    }
  }
}

static void exchange(PfWalkPoint *a, PfWalkPoint *b)
{
  PfWalkPoint t = *a;
  *a = *b;
  *b = t;
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
    if (is_outside(w, w->next.u)) {
      PF_TRY(pf_walk_look_between(w, &w->here, &w->next, ds, branch, spare));
      return end_at(w, &w->here, &w->next, w->next.u[w->n] < w->low ? w->low : w->high, half, spare);
    }
    PF_TRY(add_point(w, half, &w->next));
    PF_TRY(pf_walk_look_between(w, &w->here, &w->next, ds, branch, spare));
    if (half->count > 3 && pf_walk_distance(w, w->next.u, origin) < 0.7*ds) {
      half->end = "closed";
      return PF_OK;
    }
    if (pf_norm(w->next.u, w->m) > 1e4) {
      half->end = "runs away";
      return PF_OK;
    }
    exchange(&w->here, &w->next);
    ds = fmin(1.5*ds, w->longest);
  }
  half->end = "most points reached";
  return PF_OK;
}

/* ---------------------------------------------------------------- branches */

static void recall(PfWalk *w, const PfWalkSeed *seed)
{
  memcpy(w->problem.field->full, seed->full, (size_t)w->problem.field->count*sizeof *seed->full);
}

/* Is the point on the sheet of the constraints where the field is? Its coordinates are near those of the field. */
static bool is_on_sheet(const PfWalk *w, const PfTracePoint *p)
{
  const PfDynamics *f = w->problem.field;
  for (int k = 0; k < f->y_dependents; k++) {
    int j = f->y_dependent[k];
    double here = f->full[f->at_q + j], d = pf_problem_turned_coordinate(&w->problem, j, here - p->q[j]);
    if (fabs(d) > 0.1*(1 + fabs(here))) return false;
  }
  return true;
}

/* Is u a point of a branch that is there? It is when the nearest piece of one leads to it. */
static PfStatus is_traced(PfWalk *w, const double *u, bool *yes)
{
  *yes = false;
  for (int b = 0; b < w->result->branch_count && !*yes; b++)
    for (int i = 0; i + 1 < w->result->branches[b].count && !*yes; i++) {
      const double *a = w->line[b] + (size_t)i*(size_t)w->m, *c = a + w->m;
      double length = pf_walk_distance(w, a, c), share = 0, away = 0;
      if (!(length > 0) || !is_on_sheet(w, w->result->branches[b].points + i)) continue;
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

/* Puts the backward half, reversed, before the forward one. */
static PfStatus join(PfWalk *w, const Half *back, const Half *ahead, int from)
{
  PfTrace *t = w->result->branches + w->result->branch_count;
  int count = back->count + ahead->count;
  *t = (PfTrace){.count = count, .from = from, .ends = {back->end, ahead->end}};
  t->points = pf_arena_array(w->arena, PfTracePoint, count);
  double *line = pf_arena_array(w->arena, double, (size_t)count*(size_t)w->m);
  if (!t->points || !line) return pf_no_room(w->ctx, "the continuation");
  size_t m = (size_t)w->m;
  for (int i = 0; i < count; i++) {
    bool first = i < back->count;
    int k = first ? back->count - 1 - i : i - back->count;
    t->points[i] = first ? back->points[k] : ahead->points[k];
    memcpy(line + (size_t)i*m, (first ? back->line : ahead->line) + (size_t)k*m, m*sizeof *line);
  }
  w->line[w->result->branch_count++] = line;
  return PF_OK;
}

/* The first point of a branch may be a fold by itself. */
static PfStatus add_start(PfWalk *w, Half *half, const PfWalkPoint *h)
{
  int index;
  PF_TRY(add_point(w, half, h));
  return fabs(h->t[w->n]) > 1e-10 ? PF_OK : pf_walk_add_special(w, PF_FOLD, h->u, w->result->branch_count, &index);
}

/* One way from the seed: its own tangent, or the one that goes to larger values of the parameter, times `way`. */
static PfStatus begin_half(PfWalk *w, const PfWalkSeed *seed, double way, Half *half, bool *good)
{
  PfWalkPoint *h = &w->here;
  bool ahead = way > 0;
  recall(w, seed);
  memcpy(h->u, seed->u, (size_t)w->m*sizeof *h->u);
  PF_TRY(pf_tracer_go(&w->tracer, h->u));
  PfStatus status = PF_OK;
  if (!seed->t) { /* the kernel is the tangent, at a fold as well */
    int dimension;
    PF_TRY(pf_tracer_kernel(&w->tracer, &dimension, w->first));
    for (int i = 0; i < w->m; i++) w->first[i] *= way;
    status = pf_walk_finish(w, h, w->first);
    if (status == PF_OK && ahead) PF_TRY(add_start(w, half, h));
  } else { /* a branch point: no tangent there, so the first step is taken by the given one */
    for (int i = 0; i < w->m; i++) h->t[i] = way*seed->t[i];
    PF_TRY(pf_walk_judge(w, h));
    if (ahead) PF_TRY(add_point(w, half, h));
    status = pf_walk_point(w, h, w->longest/8, &w->next);
    if (status == PF_OK) {
      exchange(&w->here, &w->next);
      if (!is_outside(w, w->here.u)) PF_TRY(add_point(w, half, &w->here));
      else status = PF_ERR_NUMBER;
    }
  }
  *good = status == PF_OK;
  return pf_is_final(status) ? status : PF_OK;
}

/* A branch point or a start may lie on a branch that is there already; a step along its new direction tells. */
static PfStatus is_new(PfWalk *w, const PfWalkSeed *seed, bool *fresh)
{
  bool traced;
  *fresh = false;
  recall(w, seed);
  memcpy(w->here.u, seed->u, (size_t)w->m*sizeof *seed->u);
  if (seed->t) {
    for (int way = 1; way >= -1; way -= 2) {
      for (int i = 0; i < w->m; i++) w->here.t[i] = way*seed->t[i];
      PfStatus status = pf_walk_point(w, &w->here, w->longest/8, &w->next);
      if (pf_is_final(status)) return status;
      if (status != PF_OK || is_outside(w, w->next.u)) continue;
      PF_TRY(is_traced(w, w->next.u, &traced));
      *fresh = *fresh || !traced;
    }
    return PF_OK;
  }
  PF_TRY(is_traced(w, w->here.u, &traced));
  *fresh = !traced;
  return PF_OK;
}

/* A start that happens to be a branch point is no point of one branch: both are put on the list instead. */
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

PfStatus pf_walk_trace(PfWalk *w, const PfWalkSeed *seed, PfWalkPoint *spare)
{
  Half back = {.end = "its first point"}, ahead = back;
  bool good, fresh, crossing = false;
  int branch = w->result->branch_count;
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
  return join(w, &back, &ahead, seed->from);
}
