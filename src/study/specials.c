/* SPDX-License-Identifier: Apache-2.0 */
/* Special points of a branch. Between two points the signs of three functions tell what lies there: the parameter's
 * part of the tangent (fold), the determinant of the bordered matrix (branch point), the real part of a pair of
 * eigenvalues (Hopf). */
#include "study/walk.h"

#include <math.h>
#include <string.h>

const char *pf_special_name(PfSpecialKind kind)
{
  static const char *const names[] = {"fold", "branch point", "Hopf"};
  return names[kind];
}

/* A function of the points of a branch whose zero is sought. */
typedef double (*TestFunction)(const PfWalk *w, const PfWalkPoint *h);

static double test_fold(const PfWalk *w, const PfWalkPoint *h)
{
  return h->t[w->n];
}

static double test_hopf(const PfWalk *w, const PfWalkPoint *h)
{
  (void)w;
  return h->pair;
}

typedef struct Search {
  PfWalk *w;
  const PfWalkPoint *from;
  TestFunction test;
  PfWalkPoint *h;
} Search;

static PfStatus test_at(void *user, double ds, double *value)
{
  Search *s = user;
  PF_TRY(pf_walk_point(s->w, s->from, ds, s->h));
  *value = s->test(s->w, s->h);
  return PF_OK;
}

/* The zero of the test between `from` and the distance ds, where the signs differ; h ends there. */
static PfStatus locate(PfWalk *w, const PfWalkPoint *from, double ds, TestFunction test, PfWalkPoint *h)
{
  Search s = {w, from, test, h};
  double end, at;
  PF_TRY(test_at(&s, ds, &end));
  return pf_root(test_at, &s, 0, test(w, from), ds, end, &at);
}

static int find_special(const PfWalk *w, PfSpecialKind kind, const double *u, double near)
{
  for (int i = 0; i < w->result->special_count; i++)
    if (w->result->specials[i].kind == kind && pf_walk_distance(w, w->special_u + (size_t)i*(size_t)w->m, u) < near)
      return i;
  return -1;
}

/* Where branches cross, one of them may turn round (a pitchfork): that is a branch point and no fold besides. The fold
 * is known to few digits only, since the tangent is not determined there and the parameter changes with the square of
 * the distance. Gives the place in the list, or -1. */
static int known_as(PfWalk *w, PfSpecialKind *kind, const double *u)
{
  static const double beside = 1e-3, same = 1e-6;
  int fold = find_special(w, PF_FOLD, u, beside);
  if (*kind == PF_FOLD && find_special(w, PF_BRANCH, u, beside) >= 0) *kind = PF_BRANCH;
  else if (*kind == PF_BRANCH && fold >= 0) return fold;
  return find_special(w, *kind, u, *kind == PF_BRANCH ? beside : same);
}

PfStatus pf_walk_add_special(PfWalk *w, PfSpecialKind kind, const double *u, int branch, int *index)
{
  PfContinuation *r = w->result;
  PfSpecialKind as = kind;
  int at = known_as(w, &as, u);
  *index = -1;
  if (as != kind || (at >= 0 && r->specials[at].kind == kind)) return PF_OK;
  if (at < 0) at = r->special_count;
  if (at == PF_MOST_SPECIALS || u[w->n] < w->low - 1e-12 || u[w->n] > w->high + 1e-12) return PF_OK;
  PfSpecial *s = r->specials + at;
  *s = (PfSpecial){.kind = kind, .parameter = u[w->n]*w->tracer.scale[w->n], .x = pf_walk_state(w), .branch = branch,
                   .frequency = NAN, .lyapunov = NAN};
  if (!s->x) return pf_no_room(w->ctx, "the continuation");
  memcpy(w->special_u + (size_t)at*(size_t)w->m, u, (size_t)w->m*sizeof *u);
  r->special_count += at == r->special_count;
  *index = at;
  return kind == PF_HOPF ? pf_hopf_coefficient(&w->problem, &s->frequency, &s->lyapunov) : PF_OK;
}

PfStatus pf_walk_add_seed(PfWalk *w, const double *u, const double *t, int from)
{
  if (w->seed_count == PF_MOST_BRANCHES) return PF_OK;
  PfWalkSeed *s = w->seeds + w->seed_count;
  s->u = pf_walk_copy(w, u), s->t = t ? pf_walk_copy(w, t) : NULL, s->from = from;
  s->full = pf_arena_array(w->arena, double, w->problem.field->count);
  if (!s->u || (t && !s->t) || !s->full) return pf_no_room(w->ctx, "the continuation");
  memcpy(s->full, w->problem.field->full, (size_t)w->problem.field->count*sizeof *s->full);
  w->seed_count++;
  return PF_OK;
}

/* The branch point between two points: found by its own equations, and the branch that crosses is put on the list. */
static PfStatus branch_point(PfWalk *w, const PfWalkPoint *from, const PfWalkPoint *to, int branch)
{
  double *u = w->trial;
  bool two;
  int index;
  for (int i = 0; i < w->m; i++) u[i] = 0.5*(from->u[i] + to->u[i]);
  PfStatus status = pf_tracer_branch_point(&w->tracer, u, w->p);
  if (pf_is_final(status)) return status;
  double length = pf_walk_distance(w, from->u, to->u);
  if (status != PF_OK) return PF_OK;
  if (pf_walk_distance(w, u, from->u) > 2*length || pf_walk_distance(w, u, to->u) > 2*length) return PF_OK;
  PF_TRY(pf_walk_add_special(w, PF_BRANCH, u, branch, &index));
  if (index < 0 || w->options->stay) return PF_OK;
  PF_TRY(pf_tracer_directions(&w->tracer, w->p, w->first, w->second, &two));
  if (!two) return PF_OK;
  bool along = fabs(pf_dot(w->first, from->t, w->m)) > fabs(pf_dot(w->second, from->t, w->m));
  return pf_walk_add_seed(w, w->special_u + (size_t)index*(size_t)w->m, along ? w->second : w->first, index);
}

PfStatus pf_walk_look_between(PfWalk *w, const PfWalkPoint *from, const PfWalkPoint *to, double ds, int branch,
                              PfWalkPoint *spare)
{
  int index;
  bool fold = from->t[w->n]*to->t[w->n] < 0, cross = from->sign != to->sign, counted = from->unstable != to->unstable;
  int change = to->unstable - from->unstable;
  if (fold) {
    PfStatus status = locate(w, from, ds, test_fold, spare);
    if (pf_is_final(status)) return status;
    if (status == PF_OK) PF_TRY(pf_walk_add_special(w, PF_FOLD, spare->u, branch, &index));
  }
  if (counted && (change == 2 || change == -2 || !(fold || cross)) && from->pair*to->pair < 0) {
    PfStatus status = locate(w, from, ds, test_hopf, spare);
    if (pf_is_final(status)) return status;
    if (status == PF_OK) PF_TRY(pf_walk_add_special(w, PF_HOPF, spare->u, branch, &index));
  }
  return cross ? branch_point(w, from, to, branch) : PF_OK;
}
