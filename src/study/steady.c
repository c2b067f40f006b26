/* Steady motions by Newton's method from many places. Solutions that are known are deflated: the residual is
 * multiplied by prod (1 + 1/|z - z_i|^2), which changes a Newton step by a factor only (Farrell, Birkisson, Funke
 * 2015, section 3). */
#include "study/steady.h"

#include "study/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 200, MOST_STEPS = 60 };

typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  PfProblem *p;
  PfSteady *steady;
  int n, m;               /* unknowns, equations */
  PfQr qr;
  double *z, *r, *J, *step, *scale, *kernel, *other;
  double *home, *there;   /* all numbers of the field: where the search began, where the last solution was found */
  double *known;          /* MOST_POINTS x n */
  int known_count;
} Search;

static PfStatus no_room(PfContext *ctx)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for steady motions");
}

const char *pf_stability_name(PfStability stability)
{
  static const char *const names[] = {"stable", "neutral", "unstable"};
  return names[stability];
}

/* ---------------------------------------------------------------- Newton */

static double scaled_length(const Search *s, const double *d)
{
  double sum = 0;
  for (int k = 0; k < s->n; k++) sum += d[k]/s->scale[k]*(d[k]/s->scale[k]);
  return sqrt(sum);
}

/* z alone does not tell which of several solutions the dependent coordinates take: they follow from where they were. */
static void recall(Search *s, const double *numbers)
{
  memcpy(s->p->field->full, numbers, (size_t)s->p->field->count*sizeof *numbers);
}

static void remember(Search *s)
{
  memcpy(s->there, s->p->field->full, (size_t)s->p->field->count*sizeof *s->there);
}

/* Residual and Newton step at z; false where they do not exist. */
static PfStatus newton_step(Search *s, const double *z, bool *good)
{
  int before = pf_diagnostic_count(s->ctx);
  PfStatus status = pf_problem_go(s->p, z, NAN, s->r);
  if (status == PF_OK) status = pf_problem_slope(s->p, s->J, NULL);
  *good = status == PF_OK && pf_qr_factor(&s->qr, s->J, 1e-11) == PF_OK && pf_first_not_finite(s->r, (size_t)s->m) < 0;
  if (status == PF_ERR_MEMORY) return status;
  pf_diagnostics_cut(s->ctx, before);
  if (!*good) return PF_OK;
  pf_qr_solve(&s->qr, s->r, s->step);
  for (int k = 0; k < s->n; k++) s->step[k] = -s->step[k];
  return PF_OK;
}

/* g . d, where g is the gradient of the logarithm of the deflation: the step d becomes d/(1 - g.d). */
static double deflation(const Search *s, const double *z, const double *d)
{
  double sum = 0;
  for (int i = 0; i < s->known_count; i++) {
    const double *zi = s->known + (size_t)i*(size_t)s->n;
    double square = 0, along = 0;
    for (int k = 0; k < s->n; k++) {
      double e = (z[k] - zi[k])/s->scale[k];
      square += e*e, along += e*d[k]/s->scale[k];
    }
    sum += -2*along/(square*(square + 1) + 1e-300);
  }
  return sum;
}

/* How large the residual would be after a move of one unit of scale: what counts as zero is measured by it. */
static double residual_scale(const Search *s)
{
  double sum = 0;
  for (int i = 0; i < s->m; i++)
    for (int k = 0; k < s->n; k++) {
      double e = s->J[i*s->n + k]*s->scale[k];
      sum += e*e;
    }
  return sqrt(sum);
}

/* From z to a zero; `deflated` keeps away from the known ones. */
static PfStatus solve(Search *s, double *z, bool deflated, bool *found)
{
  *found = false;
  for (int k = 0; k < MOST_STEPS; k++) {
    bool good;
    PF_TRY(newton_step(s, z, &good));
    if (!good) return PF_OK;
    double length = scaled_length(s, s->step), factor = 1;
    if (length < 1e-13) {
      *found = pf_norm(s->r, s->m) <= 1e-10*(residual_scale(s) + 1e-300);
      return PF_OK;
    }
    if (deflated) {
      double g = deflation(s, z, s->step);
      factor = fabs(1 - g) > 1e-12 ? 1/(1 - g) : 1;
    }
    double most = 1.0/length; /* no step leaves the box at once */
    factor = fmax(-most, fmin(most, factor));
    for (int i = 0; i < s->n; i++) z[i] += factor*s->step[i];
    if (length < 1e-9) deflated = false; /* arrived: polish */
  }
  bool good; /* rounding may keep the steps above the limit */
  PF_TRY(newton_step(s, z, &good));
  *found = good && scaled_length(s, s->step) < 1e-9 && pf_norm(s->r, s->m) <= 1e-9*(residual_scale(s) + 1e-300);
  return PF_OK;
}

/* ---------------------------------------------------------------- known ones */

static bool is_angle(const Search *s, int k)
{
  const PfDynamics *f = s->p->field;
  int component = s->p->unknown[k];
  return component < f->ny && !strcmp(f->model->coordinates[f->y[component]].unit, "rad");
}

static double distance(const Search *s, const double *a, const double *b)
{
  const double turn = 6.283185307179586;
  double most = 0;
  for (int k = 0; k < s->n; k++) {
    double d = a[k] - b[k];
    if (is_angle(s, k)) d -= turn*round(d/turn); /* the same place after a full turn */
    most = fmax(most, fabs(d)/s->scale[k]);
  }
  return most;
}

static bool is_known(const Search *s, const double *z)
{
  for (int i = 0; i < s->known_count; i++)
    if (distance(s, z, s->known + (size_t)i*(size_t)s->n) < 1e-7) return true;
  return false;
}

/* Dimension of the kernel of J where the problem is (at z), with its basis in s->kernel. */
static PfStatus find_kernel(Search *s, const double *z, int *dimension)
{
  *dimension = 0;
  recall(s, s->there);
  PF_TRY(pf_problem_go(s->p, z, NAN, s->r));
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  if (pf_qr_factor(&s->qr, s->J, 1e-8) != PF_OK) return PF_OK;
  *dimension = s->n - s->qr.rank;
  pf_qr_null_space(&s->qr, s->kernel);
  return PF_OK;
}

/* A kernel may also come from a fold: a family is one when a step along it leads to another solution. */
static PfStatus find_family(Search *s, const double *z, int *family)
{
  int dimension, count = 0;
  PF_TRY(find_kernel(s, z, &dimension));
  for (int c = 0; c < dimension; c++) {
    bool found;
    double size = 0;
    PF_TRY(find_kernel(s, z, &dimension));
    for (int k = 0; k < s->n; k++) size = fmax(size, fabs(s->kernel[k*dimension + c])/s->scale[k]);
    for (int k = 0; k < s->n; k++) s->other[k] = z[k] + 1e-3/size*s->kernel[k*dimension + c];
    PF_TRY(solve(s, s->other, false, &found));
    double moved = 0;
    for (int k = 0; k < s->n; k++) moved = fmax(moved, fabs(s->other[k] - z[k])/s->scale[k]);
    count += found && moved > 3e-4;
  }
  *family = count;
  return PF_OK;
}

/* Can one go from b, where the last solution is, to a through solutions? Along the straight line between them, each
 * point drawn to the nearest one. */
static PfStatus are_connected(Search *s, const double *a, const double *b, bool *yes)
{
  enum { STEPS = 8 };
  *yes = false;
  recall(s, s->there);
  double whole = 0;
  for (int k = 0; k < s->n; k++) whole = fmax(whole, fabs(b[k] - a[k])/s->scale[k]);
  for (int t = 1; t < STEPS; t++) {
    bool found;
    for (int k = 0; k < s->n; k++) s->other[k] = b[k] + (a[k] - b[k])*t/STEPS;
    PF_TRY(solve(s, s->other, false, &found));
    double away = 0;
    for (int k = 0; k < s->n; k++)
      away = fmax(away, fabs(s->other[k] - b[k] - (a[k] - b[k])*t/STEPS)/s->scale[k]);
    if (!found || away > 0.5*whole) return PF_OK;
  }
  *yes = true;
  return PF_OK;
}

/* ---------------------------------------------------------------- stability */

PfStatus pf_steady_judge(PfProblem *p, PfArena *arena, int family, PfSteadyPoint *point)
{
  size_t n = (size_t)p->size;
  point->re = pf_arena_array(arena, double, n), point->im = pf_arena_array(arena, double, n);
  if (!point->re || !point->im) return no_room(p->ctx);
  PfMark mark = pf_arena_mark(p->arena);
  double *matrix = pf_arena_array(p->arena, double, n*n), most = 0;
  PfStatus status = matrix ? pf_problem_matrix(p, matrix, &point->count) : no_room(p->ctx);
  if (status == PF_OK) status = pf_eig_general(p->ctx, matrix, point->count, point->re, point->im, NULL);
  pf_arena_release(p->arena, mark);
  PF_TRY(status);
  for (int k = 0; k < point->count; k++) most = fmax(most, hypot(point->re[k], point->im[k]));
  int axis = 0;
  point->unstable = 0;
  for (int k = 0; k < point->count; k++) {
    if (fabs(point->re[k]) <= 1e-7*most) axis++;
    else if (point->re[k] > 0) point->unstable++;
  }
  point->stability = point->unstable ? PF_UNSTABLE : axis > family ? PF_NEUTRAL : PF_STABLE;
  return PF_OK;
}

/* ---------------------------------------------------------------- the list */

static PfStatus fill_point(Search *s, const double *z, int family)
{
  const PfDynamics *f = s->p->field;
  const PfSymbols *in = pf_system_symbols(f->system);
  PfSteadyPoint *point = s->steady->points + s->steady->count;
  size_t n = (size_t)f->n;
  *point = (PfSteadyPoint){.family = family};
  point->x = pf_arena_array(s->arena, double, s->p->size);
  point->q = pf_arena_array(s->arena, double, n), point->v = pf_arena_array(s->arena, double, n);
  if (!point->x || !point->q || !point->v) return no_room(s->ctx);
  recall(s, s->there);
  PF_TRY(pf_problem_go(s->p, z, NAN, NULL));
  pf_dynamics_get(f, point->x);
  memcpy(point->q, f->full + in->q, n*sizeof *point->q);
  memcpy(point->v, f->rate, n*sizeof *point->v);
  PF_TRY(pf_steady_judge(s->p, s->arena, family, point));
  s->steady->count++;
  return PF_OK;
}

/* Keeps a solution unless it belongs to a family that is there. */
static PfStatus keep(Search *s, const double *z)
{
  int family;
  PF_TRY(find_family(s, z, &family));
  memcpy(s->known + (size_t)s->known_count++*(size_t)s->n, z, (size_t)s->n*sizeof *z);
  for (int i = 0; i < s->steady->count && family; i++) {
    bool same = false;
    if (s->steady->points[i].family != family) continue;
    double *a = s->kernel; /* free again */
    for (int k = 0; k < s->n; k++) a[k] = s->steady->points[i].x[s->p->unknown[k]];
    PF_TRY(are_connected(s, a, z, &same));
    if (same) return PF_OK;
  }
  return fill_point(s, z, family);
}

/* The first start is the place of the field; the others fill the box evenly (Halton's points). */
static void choose_start(Search *s, int trial)
{
  const PfSteady *st = s->steady;
  for (int k = 0; k < s->n; k++) {
    int c = s->p->unknown[k];
    s->z[k] = trial ? st->low[c] + (st->high[c] - st->low[c])*pf_halton(trial, k) : s->p->base[c];
  }
}

static PfStatus look(Search *s)
{
  for (int t = 0; t < s->steady->starts && s->known_count < MOST_POINTS; t++) {
    bool found;
    choose_start(s, t);
    recall(s, s->home);
    PF_TRY(solve(s, s->z, true, &found));
    if (found) remember(s);
    if (!found) s->steady->failed++;
    else if (!is_known(s, s->z)) PF_TRY(keep(s, s->z));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- where to look */

static void choose_box(Search *s)
{
  const PfProblem *p = s->p;
  const PfDynamics *f = p->field;
  for (int c = 0; c < p->size; c++) {
    bool angle = c < f->ny && !strcmp(f->model->coordinates[f->y[c]].unit, "rad");
    double width = angle ? 3.141592653589793 : c < f->ny ? 2*(1 + fabs(p->base[c])) : 5*(1 + fabs(p->base[c]));
    if (p->kind == PF_EQUILIBRIA && c >= f->ny) width = 0; /* velocities are not sought */
    s->steady->low[c] = p->base[c] - width;
    s->steady->high[c] = p->base[c] + width;
  }
}

static PfStatus take_intervals(Search *s, const PfSteadyOptions *options)
{
  for (int i = 0; i < options->interval_count; i++) {
    const PfInterval *interval = options->intervals + i;
    int found = -1;
    for (int c = 0; c < s->p->size; c++)
      if (!strcmp(s->steady->names[c], interval->name)) found = c;
    bool fixed = found >= s->p->field->ny && s->p->kind == PF_EQUILIBRIA;
    if (found < 0 || s->p->cyclic[found] || fixed) {
      pf_fail(s->ctx, PF_ERR_NAME, found < 0 ? "'%s' is not a component of the state"
              : fixed ? "'%s' is zero at rest" : "'%s' is cyclic: it may have any value", interval->name);
      PfText text;
      pf_text_init(&text, pf_context_allocator(s->ctx));
      for (int k = 0; k < s->n; k++) pf_text_print(&text, "%s%s", k ? ", " : "", s->steady->names[s->p->unknown[k]]);
      pf_hint(s->ctx, "what is looked for: %s", pf_text_get(&text));
      pf_text_free(&text);
      return PF_ERR_NAME;
    }
    s->steady->low[found] = interval->low;
    s->steady->high[found] = interval->high;
  }
  for (int k = 0; k < s->n; k++) {
    int c = s->p->unknown[k];
    s->scale[k] = fmax(0.5*fabs(s->steady->high[c] - s->steady->low[c]), 1e-300);
  }
  return PF_OK;
}

static PfStatus make_room(Search *s)
{
  size_t n = (size_t)s->n, m = (size_t)s->m, size = (size_t)s->p->size;
  s->z = pf_arena_array(s->arena, double, n), s->r = pf_arena_array(s->arena, double, m);
  s->J = pf_arena_array(s->arena, double, m*n), s->step = pf_arena_array(s->arena, double, n);
  s->scale = pf_arena_array(s->arena, double, n), s->kernel = pf_arena_array(s->arena, double, n*n + n);
  s->home = pf_arena_array(s->arena, double, s->p->field->count);
  s->there = pf_arena_array(s->arena, double, s->p->field->count);
  s->other = pf_arena_array(s->arena, double, n), s->known = pf_arena_array(s->arena, double, MOST_POINTS*n);
  PfSteady *st = s->steady;
  st->names = pf_arena_array(s->arena, const char *, size), st->cyclic = pf_arena_array(s->arena, bool, size);
  st->low = pf_arena_array(s->arena, double, size), st->high = pf_arena_array(s->arena, double, size);
  st->points = pf_arena_array(s->arena, PfSteadyPoint, MOST_POINTS);
  bool good = s->z && s->r && s->J && s->step && s->scale && s->kernel && s->other && s->known && s->home &&
              s->there && st->names && st->cyclic && st->low && st->high && st->points;
  if (!good) return no_room(s->ctx);
  memcpy(st->cyclic, s->p->cyclic, size*sizeof *st->cyclic);
  for (size_t c = 0; c < size; c++) st->names[c] = pf_dynamics_name(s->p->field, s->arena, (int)c);
  return pf_qr_make(s->ctx, s->arena, s->m, s->n, &s->qr);
}

PfStatus pf_steady_search(PfContext *ctx, PfArena *arena, PfProblem *p, const PfSteadyOptions *options,
                          PfSteady *steady)
{
  Search s = {.ctx = ctx, .arena = arena, .p = p, .steady = steady, .n = p->unknowns, .m = p->equations};
  *steady = (PfSteady){.size = p->size, .starts = options->starts > 0 ? options->starts : 100};
  PF_TRY(make_room(&s));
  memcpy(s.home, p->field->full, (size_t)p->field->count*sizeof *s.home);
  choose_box(&s);
  PF_TRY(take_intervals(&s, options));
  return look(&s);
}

PfStatus pf_steady_find(PfContext *ctx, PfArena *arena, PfDynamics *field, const PfSteadyOptions *options,
                        PfSteady *steady)
{
  PfProblem problem;
  PfStatus status = pf_problem_make(ctx, arena, field, options->kind, -1, &problem);
  if (status == PF_OK) status = pf_steady_search(ctx, arena, &problem, options, steady);
  pf_problem_release(&problem);
  return status;
}
