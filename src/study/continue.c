/* Continuation: branches of steady motions against a parameter. Predictor along the tangent, corrector in the plane
 * across it, so that folds are no obstacles (pseudo-arclength, H. B. Keller 1977). Between two points the signs of
 * three functions tell what lies there: the parameter's part of the tangent (fold), the determinant of the bordered
 * matrix (branch point), the real part of a pair of eigenvalues (Hopf). */
#include "study/trace.h"

#include <math.h>
#include <string.h>

enum { MOST_BRANCHES = 60, MOST_SPECIALS = 200 };

/* One point while it is being followed. */
typedef struct Here {
  double *u, *t;   /* point and tangent, scaled */
  int sign;        /* of the bordered determinant */
  int unstable;
  double pair;     /* real part of the pair of eigenvalues nearest to the axis; NaN without */
} Here;

/* A branch that waits to be followed. */
typedef struct Seed {
  double *u, *t; /* t NULL: the tangent is found, and both ways are gone */
  int from;
} Seed;

typedef struct Walk {
  PfContext *ctx;
  PfArena *arena;
  const PfContinueOptions *options;
  PfContinuation *result;
  PfProblem problem;
  PfTracer tracer;
  int n, m;          /* unknowns, m = n + 1 */
  double longest;    /* step */
  double low, high;  /* of the scaled parameter */
  int most;          /* points of a branch */
  Here here, next;
  double *trial, *p, *first, *second, *third;
  Seed seeds[MOST_BRANCHES];
  int seed_count;
  double *line[MOST_BRANCHES]; /* scaled points of the branches, count x m */
  double *special_u;           /* MOST_SPECIALS x m */
  PfSteadyPoint judged;
} Walk;

static PfStatus no_room(PfContext *ctx)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for the continuation");
}

const char *pf_special_name(PfSpecialKind kind)
{
  static const char *const names[] = {"fold", "branch point", "Hopf"};
  return names[kind];
}

static double *copy_of(Walk *w, const double *u)
{
  double *copy = pf_arena_array(w->arena, double, w->m);
  if (copy) memcpy(copy, u, (size_t)w->m*sizeof *copy);
  return copy;
}

/* Difference of the component k of two points, without full turns of an angle. */
static double apart(const Walk *w, const double *a, const double *b, int k)
{
  double d = a[k] - b[k], scale = w->tracer.scale[k];
  return k < w->n ? pf_problem_turned(&w->problem, w->problem.unknown[k], d*scale)/scale : d;
}

static double distance(const Walk *w, const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < w->m; k++) sum += apart(w, a, b, k)*apart(w, a, b, k);
  return sqrt(sum);
}

/* All components of the state where the tracer is. */
static double *state_of(Walk *w)
{
  double *x = pf_arena_array(w->arena, double, w->problem.size);
  if (x) pf_dynamics_get(w->problem.field, x);
  return x;
}

/* ---------------------------------------------------------------- one point */

static PfStatus judge(Walk *w, Here *h)
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

/* Tangent and eigenvalues at h->u, where the tracer must be. */
static PfStatus finish(Walk *w, Here *h, const double *towards)
{
  h->sign = pf_tracer_tangent(&w->tracer, towards, h->t);
  if (!h->sign) return PF_ERR_NUMBER;
  return judge(w, h);
}

/* The point at the distance ds from `from` along its tangent. */
static PfStatus point_at(Walk *w, const Here *from, double ds, Here *h, int *steps)
{
  for (int i = 0; i < w->m; i++) h->u[i] = w->trial[i] = from->u[i] + ds*from->t[i];
  PF_TRY(pf_tracer_correct(&w->tracer, h->u, w->trial, from->t, steps));
  return finish(w, h, from->t);
}

/* ---------------------------------------------------------------- special points */

static double test_fold(const Walk *w, const Here *h)
{
  return h->t[w->n];
}

static double test_hopf(const Walk *w, const Here *h)
{
  (void)w;
  return h->pair;
}

typedef struct Search {
  Walk *w;
  const Here *from;
  double (*test)(const Walk *w, const Here *h);
  Here *h;
} Search;

static PfStatus test_at(void *user, double ds, double *value)
{
  Search *s = user;
  PF_TRY(point_at(s->w, s->from, ds, s->h, NULL));
  *value = s->test(s->w, s->h);
  return PF_OK;
}

/* The zero of the test between `from` and the distance ds, where the signs differ; h ends there. */
static PfStatus locate(Walk *w, const Here *from, double ds, double (*test)(const Walk *, const Here *), Here *h)
{
  Search s = {w, from, test, h};
  double end, at;
  PF_TRY(test_at(&s, ds, &end));
  return pf_root(test_at, &s, 0, test(w, from), ds, end, &at);
}

static int find_special(const Walk *w, PfSpecialKind kind, const double *u, double near)
{
  for (int i = 0; i < w->result->special_count; i++)
    if (w->result->specials[i].kind == kind && distance(w, w->special_u + (size_t)i*(size_t)w->m, u) < near)
      return i;
  return -1;
}

/* Where branches cross, one of them may turn round (a pitchfork): that is a branch point and no fold besides. The fold
 * is known to few digits only, since the tangent is not determined there. Gives the place in the list, or -1. */
static int known_as(Walk *w, PfSpecialKind *kind, const double *u)
{
  static const double beside = 1e-4, same = 1e-6;
  int fold = find_special(w, PF_FOLD, u, beside);
  if (*kind == PF_FOLD && find_special(w, PF_BRANCH, u, beside) >= 0) *kind = PF_BRANCH;
  else if (*kind == PF_BRANCH && fold >= 0) return fold;
  return find_special(w, *kind, u, *kind == PF_BRANCH ? beside : same);
}

/* Keeps a special point where the tracer is, unless it is known; `index` gets its number, or -1. */
static PfStatus add_special(Walk *w, PfSpecialKind kind, const double *u, int branch, int *index)
{
  PfContinuation *r = w->result;
  PfSpecialKind as = kind;
  int at = known_as(w, &as, u);
  *index = -1;
  if (as != kind || (at >= 0 && r->specials[at].kind == kind)) return PF_OK;
  if (at < 0) at = r->special_count;
  if (at == MOST_SPECIALS || u[w->n] < w->low - 1e-12 || u[w->n] > w->high + 1e-12) return PF_OK;
  PfSpecial *s = r->specials + at;
  *s = (PfSpecial){.kind = kind, .parameter = u[w->n]*w->tracer.scale[w->n], .x = state_of(w), .branch = branch,
                   .frequency = NAN, .lyapunov = NAN};
  if (!s->x) return no_room(w->ctx);
  memcpy(w->special_u + (size_t)at*(size_t)w->m, u, (size_t)w->m*sizeof *u);
  r->special_count += at == r->special_count;
  *index = at;
  return kind == PF_HOPF ? pf_hopf_coefficient(&w->problem, &s->frequency, &s->lyapunov) : PF_OK;
}

static PfStatus add_seed(Walk *w, const double *u, const double *t, int from)
{
  if (w->seed_count == MOST_BRANCHES) return PF_OK;
  Seed *s = w->seeds + w->seed_count;
  s->u = copy_of(w, u), s->t = t ? copy_of(w, t) : NULL, s->from = from;
  if (!s->u || (t && !s->t)) return no_room(w->ctx);
  w->seed_count++;
  return PF_OK;
}

/* The branch point between two points: found by its own equations, and the branch that crosses is put on the list. */
static PfStatus branch_point(Walk *w, const Here *from, const Here *to, int branch)
{
  double *u = w->trial;
  bool two;
  int index;
  for (int i = 0; i < w->m; i++) u[i] = 0.5*(from->u[i] + to->u[i]);
  PfStatus status = pf_tracer_branch_point(&w->tracer, u, w->p);
  if (pf_is_final(status)) return status;
  double length = distance(w, from->u, to->u);
  if (status != PF_OK || distance(w, u, from->u) > 2*length || distance(w, u, to->u) > 2*length) return PF_OK;
  PF_TRY(add_special(w, PF_BRANCH, u, branch, &index));
  if (index < 0 || w->options->stay) return PF_OK;
  PF_TRY(pf_tracer_directions(&w->tracer, w->p, w->first, w->second, &two));
  if (!two) return PF_OK;
  bool along = fabs(pf_dot(w->first, from->t, w->m)) > fabs(pf_dot(w->second, from->t, w->m));
  return add_seed(w, w->special_u + (size_t)index*(size_t)w->m, along ? w->second : w->first, index);
}

/* What lies between two points that follow each other at the distance ds. `spare` is used up. */
static PfStatus look_between(Walk *w, const Here *from, const Here *to, double ds, int branch, Here *spare)
{
  int index;
  bool fold = from->t[w->n]*to->t[w->n] < 0, cross = from->sign != to->sign, counted = from->unstable != to->unstable;
  int change = to->unstable - from->unstable;
  if (fold) {
    PfStatus status = locate(w, from, ds, test_fold, spare);
    if (pf_is_final(status)) return status;
    if (status == PF_OK) PF_TRY(add_special(w, PF_FOLD, spare->u, branch, &index));
  }
  if (counted && (change == 2 || change == -2 || !(fold || cross)) && from->pair*to->pair < 0) {
    PfStatus status = locate(w, from, ds, test_hopf, spare);
    if (pf_is_final(status)) return status;
    if (status == PF_OK) PF_TRY(add_special(w, PF_HOPF, spare->u, branch, &index));
  }
  return cross ? branch_point(w, from, to, branch) : PF_OK;
}

/* ---------------------------------------------------------------- following */

typedef struct Half {
  int count, room;
  PfTracePoint *points;
  double *line;      /* scaled */
  const char *end;
} Half;

/* Twice the room when it is full: what a branch may have at most is far more than it usually has. */
static PfStatus make_room_in(Walk *w, Half *half)
{
  if (half->count < half->room) return PF_OK;
  size_t room = half->room ? 2*(size_t)half->room : 64, m = (size_t)w->m, count = (size_t)half->count;
  PfTracePoint *points = pf_arena_array(w->arena, PfTracePoint, room);
  double *line = pf_arena_array(w->arena, double, room*m);
  if (!points || !line) return no_room(w->ctx);
  if (count) memcpy(points, half->points, count*sizeof *points), memcpy(line, half->line, count*m*sizeof *line);
  half->points = points, half->line = line, half->room = (int)room;
  return PF_OK;
}

static PfStatus add_point(Walk *w, Half *half, const Here *h)
{
  PF_TRY(make_room_in(w, half));
  PfTracePoint *p = half->points + half->count;
  *p = (PfTracePoint){.parameter = h->u[w->n]*w->tracer.scale[w->n], .x = state_of(w), .unstable = w->judged.unstable,
                      .stability = w->judged.stability};
  memcpy(half->line + (size_t)half->count*(size_t)w->m, h->u, (size_t)w->m*sizeof *h->u);
  half->count++;
  return p->x ? PF_OK : no_room(w->ctx);
}

/* The point of the branch where the parameter is at its bound, between two points. */
static PfStatus end_at(Walk *w, const Here *from, const Here *to, double bound, Half *half, Here *spare)
{
  double share = (bound - from->u[w->n])/(to->u[w->n] - from->u[w->n]);
  memset(w->first, 0, (size_t)w->m*sizeof *w->first);
  w->first[w->n] = 1;
  for (int i = 0; i < w->m; i++) spare->u[i] = w->trial[i] = from->u[i] + share*(to->u[i] - from->u[i]);
  w->trial[w->n] = bound;
  half->end = "end of the range";
  PfStatus status = pf_tracer_correct(&w->tracer, spare->u, w->trial, w->first, NULL);
  if (status == PF_OK) status = finish(w, spare, from->t);
  if (status == PF_OK) return add_point(w, half, spare);
  return pf_is_final(status) ? status : PF_OK;
}

static bool is_outside(const Walk *w, const double *u)
{
  return u[w->n] < w->low || u[w->n] > w->high;
}

/* Why no further point was found: what the equations said, or nothing in particular. */
static const char *stuck(Walk *w, const Here *from, double ds)
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
static PfStatus step(Walk *w, double *ds, Half *half)
{
  for (;;) {
    int steps = 0;
    PfStatus status = point_at(w, &w->here, *ds, &w->next, &steps);
    if (pf_is_final(status)) return status;
    if (status == PF_OK && pf_dot(w->here.t, w->next.t, w->m) > 0.95) return PF_OK;
    *ds /= 2;
    if (*ds < 1e-9) {
      half->end = stuck(w, &w->here, 1e-6);
      return PF_ERR_NUMBER;
    }
  }
}

static void exchange(Here *a, Here *b)
{
  Here t = *a;
  *a = *b;
  *b = t;
}

/* From w->here on until something ends it. */
static PfStatus follow(Walk *w, int branch, Half *half, Here *spare)
{
  double ds = w->longest/4, *origin = copy_of(w, w->here.u);
  if (!origin) return no_room(w->ctx);
  while (half->count < w->most) {
    PfStatus status = step(w, &ds, half);
    if (status == PF_ERR_NUMBER) return PF_OK;
    PF_TRY(status);
    if (is_outside(w, w->next.u)) {
      PF_TRY(look_between(w, &w->here, &w->next, ds, branch, spare));
      return end_at(w, &w->here, &w->next, w->next.u[w->n] < w->low ? w->low : w->high, half, spare);
    }
    PF_TRY(add_point(w, half, &w->next));
    PF_TRY(look_between(w, &w->here, &w->next, ds, branch, spare));
    if (half->count > 3 && distance(w, w->next.u, origin) < 0.7*ds) {
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

/* Is u a point of a branch that is there? It is when the nearest piece of one leads to it. */
static PfStatus is_traced(Walk *w, const double *u, bool *yes)
{
  *yes = false;
  for (int b = 0; b < w->result->branch_count && !*yes; b++)
    for (int i = 0; i + 1 < w->result->branches[b].count && !*yes; i++) {
      const double *a = w->line[b] + (size_t)i*(size_t)w->m, *c = a + w->m;
      double length = distance(w, a, c), share = 0, away = 0;
      if (!(length > 0)) continue;
      for (int k = 0; k < w->m; k++) w->third[k] = a[k] + apart(w, u, a, k); /* u, in the turn of the piece */
      for (int k = 0; k < w->m; k++) share += (w->third[k] - a[k])*(c[k] - a[k])/(length*length);
      if (share < -0.1 || share > 1.1) continue;
      for (int k = 0; k < w->m; k++) {
        w->second[k] = a[k] + share*(c[k] - a[k]);
        away += (w->second[k] - w->third[k])*(w->second[k] - w->third[k]);
        w->first[k] = (c[k] - a[k])/length;
      }
      if (sqrt(away) > 0.5*length) continue;
      PfStatus status = pf_tracer_correct(&w->tracer, w->second, w->third, w->first, NULL);
      if (pf_is_final(status)) return status;
      *yes = status == PF_OK && distance(w, w->second, u) < 1e-7;
    }
  return PF_OK;
}

/* Puts the backward half, reversed, before the forward one. */
static PfStatus join(Walk *w, const Half *back, const Half *ahead, int from)
{
  PfTrace *t = w->result->branches + w->result->branch_count;
  int count = back->count + ahead->count;
  *t = (PfTrace){.count = count, .from = from, .ends = {back->end, ahead->end}};
  t->points = pf_arena_array(w->arena, PfTracePoint, count);
  double *line = pf_arena_array(w->arena, double, (size_t)count*(size_t)w->m);
  if (!t->points || !line) return no_room(w->ctx);
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
static PfStatus add_start(Walk *w, Half *half, const Here *h)
{
  int index;
  PF_TRY(add_point(w, half, h));
  return fabs(h->t[w->n]) > 1e-10 ? PF_OK : add_special(w, PF_FOLD, h->u, w->result->branch_count, &index);
}

/* One way from the seed: its own tangent, or the one that goes to larger values of the parameter, times `way`. */
static PfStatus begin_half(Walk *w, const Seed *seed, double way, Half *half, bool *good)
{
  Here *h = &w->here;
  bool ahead = way > 0;
  memcpy(h->u, seed->u, (size_t)w->m*sizeof *h->u);
  PF_TRY(pf_tracer_go(&w->tracer, h->u));
  PfStatus status = PF_OK;
  if (!seed->t) { /* the kernel is the tangent, at a fold as well */
    int dimension;
    PF_TRY(pf_tracer_kernel(&w->tracer, &dimension, w->first));
    for (int i = 0; i < w->m; i++) w->first[i] *= way;
    status = finish(w, h, w->first);
    if (status == PF_OK && ahead) PF_TRY(add_start(w, half, h));
  } else { /* a branch point: no tangent there, so the first step is taken by the given one */
    for (int i = 0; i < w->m; i++) h->t[i] = way*seed->t[i];
    PF_TRY(judge(w, h));
    if (ahead) PF_TRY(add_point(w, half, h));
    status = point_at(w, h, w->longest/8, &w->next, NULL);
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
static PfStatus is_new(Walk *w, const Seed *seed, bool *fresh)
{
  bool traced;
  *fresh = false;
  memcpy(w->here.u, seed->u, (size_t)w->m*sizeof *seed->u);
  if (seed->t) {
    for (int way = 1; way >= -1; way -= 2) {
      for (int i = 0; i < w->m; i++) w->here.t[i] = way*seed->t[i];
      PfStatus status = point_at(w, &w->here, w->longest/8, &w->next, NULL);
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
static PfStatus is_crossing(Walk *w, const Seed *seed, bool *yes)
{
  int dimension, index;
  bool two = false;
  *yes = false;
  if (seed->t) return PF_OK;
  PF_TRY(pf_tracer_go(&w->tracer, seed->u));
  PF_TRY(pf_tracer_kernel(&w->tracer, &dimension, w->first));
  if (dimension < 2) return PF_OK;
  memcpy(w->trial, seed->u, (size_t)w->m*sizeof *w->trial);
  PfStatus status = pf_tracer_branch_point(&w->tracer, w->trial, w->p);
  if (status != PF_OK) return pf_is_final(status) ? status : PF_OK;
  PF_TRY(add_special(w, PF_BRANCH, w->trial, w->result->branch_count, &index));
  *yes = true;
  if (index < 0) return PF_OK;
  PF_TRY(pf_tracer_directions(&w->tracer, w->p, w->first, w->second, &two));
  if (!two) return PF_OK;
  PF_TRY(add_seed(w, w->special_u + (size_t)index*(size_t)w->m, w->first, index));
  return add_seed(w, w->special_u + (size_t)index*(size_t)w->m, w->second, index);
}

static PfStatus trace(Walk *w, const Seed *seed, Here *spare)
{
  Half back = {.end = "its first point"}, ahead = back;
  bool good, fresh, crossing = false;
  int branch = w->result->branch_count;
  if (branch == MOST_BRANCHES) return PF_OK;
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

/* ---------------------------------------------------------------- all */

static PfStatus make_here(Walk *w, Here *h)
{
  *h = (Here){.u = pf_arena_array(w->arena, double, w->m), .t = pf_arena_array(w->arena, double, w->m)};
  return h->u && h->t ? PF_OK : no_room(w->ctx);
}

static PfStatus make_room(Walk *w)
{
  PfContinuation *r = w->result;
  w->n = w->problem.unknowns, w->m = w->n + 1;
  w->trial = pf_arena_array(w->arena, double, w->m), w->p = pf_arena_array(w->arena, double, w->m);
  w->first = pf_arena_array(w->arena, double, w->m), w->second = pf_arena_array(w->arena, double, w->m);
  w->third = pf_arena_array(w->arena, double, w->m);
  w->special_u = pf_arena_array(w->arena, double, MOST_SPECIALS*(size_t)w->m);
  r->branches = pf_arena_array(w->arena, PfTrace, MOST_BRANCHES);
  r->specials = pf_arena_array(w->arena, PfSpecial, MOST_SPECIALS);
  if (!w->trial || !w->p || !w->first || !w->second || !w->third || !w->special_u || !r->branches || !r->specials)
    return no_room(w->ctx);
  PF_TRY(make_here(w, &w->here));
  return make_here(w, &w->next);
}

/* Scales: the range for the parameter, the size of the solutions for the others. */
static void choose_scales(Walk *w)
{
  const PfContinueOptions *o = w->options;
  const PfSteady *found = &w->result->found;
  double *scale = w->tracer.scale;
  scale[w->n] = fabs(o->to - o->from);
  w->low = fmin(o->from, o->to)/scale[w->n], w->high = fmax(o->from, o->to)/scale[w->n];
  for (int k = 0; k < w->n; k++) {
    scale[k] = 1;
    for (int i = 0; i < found->count; i++) scale[k] = fmax(scale[k], fabs(found->points[i].x[w->problem.unknown[k]]));
  }
}

/* Families are not curves: with a parameter they are surfaces. */
static PfStatus take_solutions(Walk *w)
{
  const PfSteady *found = &w->result->found;
  const double *scale = w->tracer.scale;
  int families = 0;
  for (int i = 0; i < found->count; i++) {
    if (found->points[i].family) {
      families++;
      continue;
    }
    for (int k = 0; k < w->n; k++) w->here.u[k] = found->points[i].x[w->problem.unknown[k]]/scale[k];
    w->here.u[w->n] = w->result->start/scale[w->n];
    PF_TRY(add_seed(w, w->here.u, NULL, -1));
  }
  if (w->seed_count) return PF_OK;
  pf_fail(w->ctx, PF_ERR_NUMBER,
          families ? "the steady motions are not isolated: they form families, which are not followed"
                                          : "there is nothing to follow: no steady motion was found at %s = %.6g",
          w->problem.field->model->parameters[w->options->parameter].name, w->result->start);
  pf_hint(w->ctx,
          families ? "conserved quantities make families; friction, a drive or a constraint would single out motions"
                           : "look elsewhere: another value by -p, --within, more --starts");
  return PF_ERR_NUMBER;
}

/* The present value of the parameter when it is in the range, else the beginning of the range. */
static PfStatus go_to_start(Walk *w, PfDynamics *field)
{
  const PfContinueOptions *o = w->options;
  double now = field->full[field->at_parameters + o->parameter];
  bool inside = now >= fmin(o->from, o->to) && now <= fmax(o->from, o->to);
  w->result->start = inside ? now : o->from;
  PF_TRY(pf_dynamics_set_parameter(field, o->parameter, w->result->start));
  double *x = pf_arena_array(w->arena, double, pf_dynamics_size(field));
  if (!x) return no_room(w->ctx);
  pf_dynamics_get(field, x);
  return pf_dynamics_go(field, x);
}

static PfStatus check_square(const Walk *w)
{
  if (w->problem.unknowns == w->problem.equations) return PF_OK;
  pf_fail(w->ctx, PF_ERR_MODEL, "%d conditions for %d unknowns: equilibria of this system are not isolated",
          w->problem.equations, w->problem.unknowns);
  pf_hint(w->ctx, "follow its steady motions instead");
  return PF_ERR_MODEL;
}

static PfStatus continue_all(Walk *w, PfDynamics *field, Here *spare)
{
  const PfContinueOptions *o = w->options;
  PfContinuation *r = w->result;
  PF_TRY(go_to_start(w, field));
  PF_TRY(pf_problem_make(w->ctx, w->arena, field, o->steady.kind, o->parameter, &w->problem));
  PF_TRY(check_square(w));
  PF_TRY(pf_steady_search(w->ctx, w->arena, &w->problem, &o->steady, &r->found));
  r->size = r->found.size, r->names = r->found.names, r->cyclic = r->found.cyclic;
  PF_TRY(make_room(w));
  PF_TRY(make_here(w, spare));
  PF_TRY(pf_tracer_make(w->ctx, w->arena, &w->problem, &w->tracer));
  w->longest = 1.0/(o->points > 0 ? o->points : 200);
  w->most = o->most > 0 ? o->most : 20*(o->points > 0 ? o->points : 200);
  choose_scales(w);
  PF_TRY(take_solutions(w));
  for (int i = 0; i < w->seed_count; i++) PF_TRY(trace(w, w->seeds + i, spare));
  return PF_OK;
}

PfStatus pf_continue(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfContinueOptions *options,
                     PfContinuation *continuation)
{
  *continuation = (PfContinuation){0};
  if (!(fabs(options->to - options->from) > 0) || !isfinite(options->to - options->from))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "a range needs two different numbers");
  Walk *w = pf_arena_array(arena, Walk, 1);
  Here spare;
  if (!w) return no_room(ctx);
  *w = (Walk){.ctx = ctx, .arena = arena, .options = options, .result = continuation};
  PfStatus status = continue_all(w, field, &spare);
  pf_problem_release(&w->problem);
  return status;
}
