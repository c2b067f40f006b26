/* SPDX-License-Identifier: Apache-2.0 */
/* Special points of a branch. Between two points the signs of three functions detect them: the parameter's part of the
 * tangent (fold), the determinant of the bordered matrix (branch point), the real part of a pair of eigenvalues
 * (Hopf). */
#include "study/walk.h"

#include "runtime/pf_root.h"

#include <math.h>
#include <string.h>

/* The text is static. */
const char *pf_special_name(PfSpecialKind kind)
{
  static const char *const names[] = {"fold", "branch point", "Hopf"};
  return names[kind];
}

/* A function of the points of a branch whose zero is sought. */
typedef double (*TestFunction)(const PfWalk *w, const PfWalkPoint *h);

/* The part of the parameter in the tangent: 0 where the branch turns back. */
static double test_fold(const PfWalk *w, const PfWalkPoint *h)
{
  return h->t[w->n];
}

/* The real part of the pair of eigenvalues next to the imaginary axis. */
static double test_hopf(const PfWalk *w, const PfWalkPoint *h)
{
  (void)w;
  return h->pair;
}

/* A search for a zero of a test along the branch, from one point on. */
typedef struct Search {
  PfWalk *w;
  const PfWalkPoint *from;
  TestFunction test;
  PfWalkPoint *h;
} Search;

/* The test at the distance ds, for pf_root: each value takes a correction onto the branch. */
static int test_at(void *user, double ds, double *value)
{
  Search *s = user;
  const PfStatus status = pf_walk_point(s->w, s->from, ds, s->h);
  if (status == PF_OK) *value = s->test(s->w, s->h);
  return (int)status;
}

/* The zero of the test between `from` and the distance ds, where the signs differ; h ends there. */
static PfStatus locate(PfWalk *w, const PfWalkPoint *from, double ds, TestFunction test, PfWalkPoint *h)
{
  Search s = {w, from, test, h};
  double end, at;
  int status = test_at(&s, ds, &end);
  if (status == PF_OK) status = pf_root(test_at, &s, 0, test(w, from), ds, end, &at);
  return status == PF_ROOT_NONE ? PF_ERR_NUMBER : (PfStatus)status;
}

/* The number of the special point of a kind near u, or -1. */
static int find_special(const PfWalk *w, PfSpecialKind kind, const double *u, double near)
{
  for (int i = 0; i < w->result->special_count; i++)
    if (w->result->specials[i].kind == kind && pf_walk_distance(w, w->special_u + (size_t)i*(size_t)w->m, u) < near)
      return i;
  return -1;
}

/* Where branches cross, one of them may turn round (a pitchfork): that is a branch point and no fold besides, so a
 * branch point takes the place of a fold in the list. The fold is known to few digits only, since the tangent is not
 * determined there and the parameter changes with the square of the distance. */
PfStatus pf_walk_add_special(PfWalk *w, PfSpecialKind kind, const double *u, int branch, int *index)
{
  static const double beside = 1e-3, same = 1e-6;
  PfContinuation *r = w->result;
  int at = r->special_count;
  *index = -1;
  if (kind == PF_FOLD && find_special(w, PF_BRANCH, u, beside) >= 0) return PF_OK;
  const int fold = kind == PF_BRANCH ? find_special(w, PF_FOLD, u, beside) : -1;
  if (fold >= 0) at = fold;
  else if (find_special(w, kind, u, kind == PF_BRANCH ? beside : same) >= 0) return PF_OK;
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

/* The copies are in the arena of the walk. */
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

/* Folds by a change of sign of the parameter's part of the tangent; Hopf points where two eigenvalues cross the axis
 * together, or the crossing is explained neither by a fold nor by a branch point; branch points by a change of sign of
 * the bordered determinant. A search that fails leaves the point out. */
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
