/* SPDX-License-Identifier: Apache-2.0 */
/* Families of steady motions: their dimension and directions, the member next to the start, and which solutions belong
 * to one of them. */
#include "study/steady_impl.h"

#include <math.h>
#include <string.h>

/* J for unknowns in parts of their scales, and every rate in parts of its largest slope, which is at least `least` of
 * that of all rates and not below `floor`. */
static void scale_slopes(PfSeek *s, double least, double floor)
{
  const int n = s->n, m = s->p->equations;
  for (int i = 0; i < m*n; i++) s->J[i] *= pf_seek_scale(s, i%n);
  const double whole = pf_largest(s->J, m*n);
  for (int i = 0; i < m; i++) {
    double *row = s->J + (size_t)i*(size_t)n;
    const double most = fmax(pf_largest(row, n), fmax(least*whole, floor));
    for (int k = 0; k < n && most > 0; k++) row[k] /= most;
  }
}

/* The kernel of J: its dimension, and a basis as the columns of s->kernel. */
static void factor_kernel(PfSeek *s, int *dimension)
{
  s->qr.m = s->p->equations;
  *dimension = 0;
  if (pf_qr_factor(&s->qr, s->J, 1e-8) != PF_OK) return;
  *dimension = s->n - s->qr.rank;
  pf_qr_null_space(&s->qr, s->kernel);
}

/* Dimension of the kernel of J where the field is, with its basis in s->kernel, in parts of the scales. */
static PfStatus find_kernel(PfSeek *s, int *dimension)
{
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  PF_TRY(pf_problem_clean_slope(s->p, s->J));
  s->rounding = 0;
  for (int i = 0; i < s->p->equations; i++)
    for (int k = 0; k < s->n; k++)
      s->rounding = fmax(s->rounding, s->p->noise[s->p->equation[i]*s->n + k]*pf_seek_scale(s, k));
  if (s->typical == 0) s->typical = s->rounding;
  for (int i = 0; i < s->p->equations; i++) /* by chance rounding may look like none at one place */
    for (int k = 0; k < s->n; k++)
      if (fabs(s->J[i*s->n + k])*pf_seek_scale(s, k) <= 32*s->typical) s->J[i*s->n + k] = 0;
  scale_slopes(s, 0, 0);
  factor_kernel(s, dimension);
  return PF_OK;
}

/* The kernel in all numbers of u, as rows of s->lines. */
static PfStatus lift_kernel(PfSeek *s, int dimension)
{
  for (int c = 0; c < dimension; c++) {
    for (int k = 0; k < s->n; k++) s->step[k] = s->kernel[k*dimension + c]*pf_seek_scale(s, k);
    PF_TRY(pf_seek_lift(s, s->step, s->lines + (size_t)c*(size_t)s->numbers));
  }
  return PF_OK;
}

/* Orthonormal rows in s->lines, in the metric by which places are near; the kernel takes part. */
static void orthonormalise(PfSeek *s, int dimension, int stride)
{
  size_t width = (size_t)s->numbers;
  for (int c = 0; c < dimension; c++) {
    double *line = s->lines + (size_t)c*width;
    for (int i = 0; i < s->numbers; i++)
      if (!isfinite(s->scale[i])) line[i] = 0;
    for (int b = 0; b < c; b++) {
      double part = pf_dot(line, s->lines + (size_t)b*width, s->numbers);
      for (int i = 0; i < s->numbers; i++) line[i] -= part*s->lines[(size_t)b*width + (size_t)i];
      for (int k = 0; k < s->n; k++) s->kernel[k*stride + c] -= part*s->kernel[k*stride + b];
    }
    double length = pf_norm(line, s->numbers);
    if (!(length > 0)) continue;
    for (int i = 0; i < s->numbers; i++) line[i] /= length;
    for (int k = 0; k < s->n; k++) s->kernel[k*stride + c] /= length;
  }
}

/* ---------------------------------------------------------------- how many directions */

/* Where a step leads. */
typedef struct Along {
  bool goes_on; /* to a solution where it aims, but for a curvature */
  bool moved;   /* to another solution */
} Along;

/* Newton's method from s->z, to which a step led from the place s->from. It keeps to the plane across the columns of
 * the kernel, of this dimension. */
static PfStatus arrive(PfSeek *s, int dimension, int steps, Along *along)
{
  int before = pf_diagnostic_count(s->ctx);
  bool found = false;
  *along = (Along){0};
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  PF_TRY(pf_end_attempt(s->ctx, before, status));
  if (status != PF_OK) return PF_OK;
  pf_seek_place(s, s->aim);
  const double way = pf_seek_distance(s, s->aim, s->from);
  s->plane = dimension;
  for (int c = 0; c < dimension; c++)
    for (int k = 0; k < s->n; k++) s->planes[c*s->n + k] = s->kernel[k*dimension + c];
  status = pf_seek_solve(s, (PfSeekStrategy){.longest = 1, .steps = steps}, &found);
  s->plane = 0;
  PF_TRY(status);
  pf_seek_place(s, s->u);
  along->moved = found && pf_seek_distance(s, s->u, s->from) > 0.3*way;
  along->goes_on = found && pf_seek_distance(s, s->u, s->aim) < 0.3*way;
  return PF_OK;
}

/* Tries a step from s->spot along the kernel, mixed of its columns: the same both ways, shorter where the family bends
 * much, as speeds near 0 compared with a wide interval of them. */
static PfStatus step_along(PfSeek *s, int dimension, const double *mix, Along *along)
{
  static const double steps[] = {1e-3, -1e-3, 1e-4}; /* in parts of the scales */
  *along = (Along){0};
  for (int i = 0; i < 3 && !along->goes_on; i++) {
    double size = 0;
    PF_TRY(pf_seek_recall(s, s->spot));
    pf_seek_place(s, s->from);
    memset(s->step, 0, (size_t)s->n*sizeof *s->step);
    for (int k = 0; k < s->n; k++) {
      for (int c = 0; c < dimension; c++) s->step[k] += mix[c]*s->kernel[k*dimension + c];
      size = fmax(size, fabs(s->step[k]));
    }
    for (int k = 0; k < s->n; k++) s->z[k] += steps[i]/size*s->step[k]*pf_seek_scale(s, k);
    PF_TRY(arrive(s, dimension, 0, along));
  }
  return PF_OK;
}

/* A kernel may also come from a fold, or from a crossing: a family is one when a step along it leads to another
 * solution. In how many directions it does from the place s->spot, none at a crossing, where it does not in all that
 * are mixed of these; they are the first rows of s->tangents. `beside`: all numbers of another solution, if there is
 * one, be it from where the last step led wherever Newton's method goes. The field goes back to s->spot. */
static PfStatus count_directions(PfSeek *s, double *mix, double *beside, bool *any, int *kernel)
{
  int dimension;
  size_t width = (size_t)s->numbers;
  Along along;
  s->family = 0, *any = false;
  PF_TRY(pf_seek_recall(s, s->spot));
  PF_TRY(find_kernel(s, &dimension));
  PF_TRY(lift_kernel(s, dimension));
  double *all = mix + dimension;
  *kernel = dimension;
  memset(all, 0, (size_t)dimension*sizeof *all);
  for (int c = 0; c < dimension; c++) {
    for (int b = 0; b < dimension; b++) mix[b] = b == c;
    PF_TRY(step_along(s, dimension, mix, &along));
    bool other = along.goes_on;
    if (!other) {
      PF_TRY(pf_seek_solve_near(s, s->aim, (PfSeekStrategy){.longest = 1}, &other));
      pf_seek_place(s, s->u);
      other = other && !(pf_seek_distance(s, s->u, s->from) < 0.3*pf_seek_distance(s, s->aim, s->from));
    }
    if (other) pf_seek_remember(s, beside), *any = true;
    if (!along.goes_on) continue;
    memcpy(s->tangents + (size_t)s->family++*width, s->lines + (size_t)c*width, width*sizeof *s->lines);
    all[c] = 1 - 0.3*(s->family%3);
  }
  if (s->family > 1) {
    PF_TRY(step_along(s, dimension, all, &along));
    if (!along.goes_on) s->family = 0;
  }
  PF_TRY(pf_seek_recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Where families cross, a solution near the crossing takes its place: there the kernel is smaller. So does one from
 * where more directions go on, which rounding has hidden here. */
static PfStatus find_family(PfSeek *s, double *mix, double *beside, double *here)
{
  bool any, ignored;
  int kernel, next;
  size_t bytes = pf_seek_bytes(s);
  PF_TRY(count_directions(s, mix, beside, &any, &kernel));
  const int first = s->family;
  if (first == kernel || !any) return PF_OK;
  memcpy(here, s->spot, bytes);
  memcpy(s->spot, beside, bytes);
  PF_TRY(count_directions(s, mix, beside, &ignored, &next));
  if (s->family && (next < kernel || s->family > first)) return PF_OK;
  memcpy(s->spot, here, bytes);
  return count_directions(s, mix, beside, &ignored, &next);
}

/* Its dimension is the number of directions of the kernel of J in which solutions go on, not that of the kernel: folds
 * and crossings have kernels, too. */
PfStatus pf_seek_family(PfSeek *s)
{
  PfMark mark = pf_arena_mark(s->p->arena);
  double *beside, *here, *mix;
  PfStatus status = pf_arrays(s->ctx, s->p->arena, "steady motions", PF_ROOM(beside, s->p->field->count),
                              PF_ROOM(here, s->p->field->count), PF_ROOM(mix, 2*(size_t)s->n));
  if (status == PF_OK) status = find_family(s, mix, beside, here);
  pf_arena_release(s->p->arena, mark);
  return status;
}

/* ---------------------------------------------------------------- steps along a family */

/* The directions of the family where the field is, as rows of s->lines and of s->tangents, and as columns of s->kernel:
 * the kernel of J, at a fifth of the cost of find_kernel, whose last estimate of the rounding is used. Where it is
 * larger than the family, the columns that go on from the directions so far, s->tangents. */
static PfStatus find_directions(PfSeek *s, int *dimension)
{
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  scale_slopes(s, 1e-3, 1e9*s->rounding);
  factor_kernel(s, dimension);
  if (*dimension < s->family) PF_TRY(find_kernel(s, dimension)); /* a family does not become smaller */
  PF_TRY(lift_kernel(s, *dimension));
  orthonormalise(s, *dimension, *dimension);
  size_t width = (size_t)s->numbers;
  const int whole = *dimension, count = s->family < whole ? s->family : whole;
  double *line = s->lines + (size_t)whole*width, *column = s->kernel + (size_t)s->n*(size_t)whole;
  for (int d = 0; d < count && count < whole; d++) { /* the new ones are kept apart, after the others */
    memset(line + (size_t)d*width, 0, width*sizeof *line);
    for (int k = 0; k < s->n; k++) column[k*count + d] = 0;
    for (int c = 0; c < whole; c++) {
      double part = pf_dot(s->lines + (size_t)c*width, s->tangents + (size_t)d*width, s->numbers);
      for (size_t i = 0; i < width; i++) line[(size_t)d*width + i] += part*s->lines[(size_t)c*width + i];
      for (int k = 0; k < s->n; k++) column[k*count + d] += part*s->kernel[k*whole + c];
    }
  }
  if (count < whole) {
    memcpy(s->lines, line, (size_t)count*width*sizeof *line);
    memcpy(s->kernel, column, (size_t)s->n*(size_t)count*sizeof *column);
    orthonormalise(s, count, count);
  }
  memcpy(s->tangents, s->lines, (size_t)count*width*sizeof *s->tangents);
  *dimension = count;
  return PF_OK;
}

/* How far the field is from a place, in the metric of the steps. */
static double left_to(PfSeek *s, const double *to)
{
  pf_seek_place(s, s->u);
  pf_seek_subtract(s, to, s->u, s->other);
  return pf_norm(s->other, s->numbers);
}

/* From the place s->walked along the family towards another one, as near as it comes; s->walked is there then. Each
 * step is the part of the way that lies in the directions of the family, at most `longest` in parts of the scales. */
static PfStatus walk(PfSeek *s, const double *to, double enough)
{
  enum { MOST = 150, NEAR_STEPS = 12 }; /* a solution near by takes few steps of Newton's method */
  double longest = 0.5;
  PF_TRY(pf_seek_recall(s, s->walked));
  double left = left_to(s, to);
  for (int t = 0; t < MOST && left > enough && !pf_seek_is_spent(s); t++) {
    Along along;
    int dimension;
    PF_TRY(find_directions(s, &dimension));
    pf_seek_place(s, s->from);
    pf_seek_subtract(s, s->from, to, s->other); /* as seen from here: quaternions q and -q are the same */
    memset(s->step, 0, (size_t)s->n*sizeof *s->step);
    for (int c = 0; c < dimension; c++) {
      double part = -pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
      for (int k = 0; k < s->n; k++) s->step[k] += part*s->kernel[k*dimension + c];
    }
    const double length = pf_norm(s->step, s->n);
    for (int k = 0; k < s->n; k++) s->z[k] += s->step[k]*pf_seek_scale(s, k)*fmin(1, longest/(length + 1e-300));
    if (length < 1e-10) break;
    PF_TRY(arrive(s, dimension, NEAR_STEPS, &along));
    const double now = left_to(s, to);
    const double most = length < 1e-3 ? left*(1 + 1e-12) : left; /* at the end the length shrinks, left does not */
    if (along.goes_on && now < most) {
      pf_seek_remember(s, s->walked);
      left = now, longest = fmin(2*longest, fmax(0.5, length/4));
      continue;
    }
    PF_TRY(pf_seek_recall(s, s->walked));
    longest = fmin(longest, length)/4;
    if (longest < 1e-9) break;
  }
  PF_TRY(pf_seek_recall(s, s->walked));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* The directions are exchanged along with the places: family x numbers. */
void pf_seek_exchange(PfSeek *s)
{
  pf_exchange(s->spot, s->met, s->p->field->count, 1);
  pf_exchange(s->tangents, s->met_tangents, s->family*s->numbers, 1);
}

/* Which member of a family is met depends on the way there: it is exchanged for the one next to the start. */
PfStatus pf_seek_draw_home(PfSeek *s)
{
  memcpy(s->walked, s->spot, pf_seek_bytes(s));
  PF_TRY(walk(s, s->start, 0));
  memcpy(s->spot, s->walked, pf_seek_bytes(s));
  return PF_OK;
}

/* Walks along the family from s->spot towards a place. Where that ends early, as in a corner, it tries the straight
 * line, of which each point is drawn to the next solution: a step must stay near it and lie, but for a curvature, in
 * the directions in which solutions go on; else it leads over to another family that crosses. `room`: twice the numbers
 * of a place. */
static PfStatus connect(PfSeek *s, const double *to, double *room, bool *yes)
{
  enum { STEPS = 8, NEAR_STEPS = 12 };
  const int n = s->numbers;
  double *from = room, *way = room + n;
  memcpy(s->walked, s->spot, pf_seek_bytes(s));
  PF_TRY(walk(s, to, 1e-9));
  pf_seek_place(s, s->u);
  *yes = pf_seek_distance(s, s->u, to) < 1e-6;
  if (*yes || pf_seek_is_spent(s)) return PF_OK;
  PF_TRY(pf_seek_recall(s, s->spot));
  pf_seek_place(s, from);
  memcpy(s->from, from, (size_t)n*sizeof *from);
  const double whole = pf_seek_distance(s, to, from);
  pf_seek_subtract(s, to, from, way);
  *yes = true;
  for (int t = 1; t <= STEPS && *yes; t++) {
    int dimension;
    double along = 0;
    for (int i = 0; i < n; i++) s->aim[i] = from[i] + way[i]*t/STEPS;
    PF_TRY(pf_seek_solve_near(s, s->aim, (PfSeekStrategy){.longest = 1, .steps = NEAR_STEPS}, yes));
    pf_seek_place(s, s->u);
    const double off = pf_seek_distance(s, s->u, s->aim), step = pf_seek_distance(s, s->u, s->from);
    if (!*yes || off > 0.25*whole || step > 2.5*whole/STEPS) return *yes = false, PF_OK;
    PF_TRY(find_directions(s, &dimension));
    pf_seek_place(s, s->u);
    pf_seek_subtract(s, s->u, s->from, s->other);
    for (int c = 0; c < dimension; c++) {
      double part = pf_dot(s->lines + (size_t)c*(size_t)n, s->other, n);
      along += part*part;
    }
    *yes = along >= 0.9*pf_dot(s->other, s->other, n);
    pf_seek_place(s, s->from);
  }
  return PF_OK;
}

/* The directions at s->spot are the same afterwards. */
PfStatus pf_seek_connect(PfSeek *s, const double *to, bool *yes)
{
  const size_t size = (size_t)s->family*(size_t)s->numbers;
  PfMark mark = pf_arena_mark(s->p->arena);
  double *directions, *room;
  PfStatus status = pf_arrays(s->ctx, s->p->arena, "steady motions", PF_ROOM(directions, size),
                              PF_ROOM2(room, 2, s->numbers));
  if (status == PF_OK) {
    memcpy(directions, s->tangents, size*sizeof *directions);
    status = connect(s, to, room, yes);
    memcpy(s->tangents, directions, size*sizeof *directions);
  }
  pf_arena_release(s->p->arena, mark);
  return status;
}

/* ---------------------------------------------------------------- curves */

/* Longest step along a curve, in parts of the scales, and how far it is followed. */
static const double LONGEST = 0.15, FARTHEST = 4;
enum { MOST_CURVE = 120 };

/* A step of the length h, in parts of the scales, from the place where the field is along the family of one dimension,
 * on in the direction of s->tangents; `good`: it led to another member, and s->tangents is the step. */
static PfStatus step_curve(PfSeek *s, double h, bool *good)
{
  int dimension;
  Along along;
  *good = false;
  memcpy(s->tangent, s->tangents, (size_t)s->numbers*sizeof *s->tangent);
  PF_TRY(find_directions(s, &dimension));
  if (!dimension) return PF_OK;
  const double sign = pf_dot(s->lines, s->tangent, s->numbers) < 0 ? -1 : 1, size = pf_largest(s->kernel, s->n);
  if (!(size > 0)) return PF_OK;
  pf_seek_place(s, s->from);
  for (int k = 0; k < s->n; k++) s->z[k] += sign*h/size*s->kernel[k]*pf_seek_scale(s, k);
  PF_TRY(arrive(s, 1, 12, &along));
  *good = along.goes_on && along.moved;
  if (*good) pf_seek_subtract(s, s->u, s->from, s->tangents);
  else memcpy(s->tangents, s->tangent, (size_t)s->numbers*sizeof *s->tangent);
  return PF_OK;
}

/* One half of the curve through s->spot, in the direction of s->tangents: until it closes, ends, or leads so far from
 * the box of the search that nothing is looked for there. */
static PfStatus follow(PfSeek *s, PfSeekCurve *curve)
{
  const int room = curve->count + MOST_CURVE;
  double h = LONGEST;
  bool away = false, far = false; /* away from where it began */
  memcpy(s->walked, s->spot, pf_seek_bytes(s));
  PF_TRY(pf_seek_recall(s, s->walked));
  while (curve->count < room && !curve->closed && !pf_seek_is_spent(s)) {
    bool good;
    double *u = curve->u + (size_t)curve->count*(size_t)s->numbers;
    PF_TRY(step_curve(s, h, &good));
    if (!good) {
      if ((h /= 4) < 1e-6) break;
      PF_TRY(pf_seek_recall(s, s->walked));
      continue;
    }
    h = fmin(LONGEST, 2*h);
    pf_seek_remember(s, s->walked);
    pf_seek_place(s, u);
    for (int i = 0; i < s->numbers; i++) {
      const bool counts = isfinite(s->scale[i]) && !(i < s->p->field->n && s->p->turns[i]);
      far = far || (counts && fabs(u[i] - 0.5*(s->low[i] + s->high[i])) > FARTHEST*s->scale[i]);
    }
    if (far) break;
    curve->count++;
    const double from_first = pf_seek_distance(s, u, curve->u);
    away = away || from_first > 2*LONGEST;
    curve->closed = away && from_first < LONGEST;
  }
  return PF_OK;
}

/* First in the direction of s->tangents, then, unless the curve has closed, in the other one. The places are in the
 * arena of the search; directions at s->spot are as before. */
PfStatus pf_seek_trace(PfSeek *s, PfSeekCurve *curve)
{
  size_t width = (size_t)s->numbers;
  double *line;
  *curve = (PfSeekCurve){0};
  PF_TRY(pf_arrays(s->ctx, s->arena, "steady motions", PF_ROOM(line, width),
                   PF_ROOM2(curve->u, 2*MOST_CURVE + 1, width)));
  memcpy(line, s->tangents, width*sizeof *line);
  PF_TRY(pf_seek_recall(s, s->spot));
  pf_seek_place(s, curve->u);
  curve->count = 1;
  for (int sign = 1; sign >= -1 && !curve->closed; sign -= 2) {
    for (int i = 0; i < s->numbers; i++) s->tangents[i] = isfinite(s->scale[i]) ? sign*line[i] : 0;
    PF_TRY(follow(s, curve));
  }
  memcpy(s->tangents, line, width*sizeof *line);
  PF_TRY(pf_seek_recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* By a walk along the family from s->spot to the next place of the curve, if that is near. */
PfStatus pf_seek_is_on(PfSeek *s, const PfSeekCurve *curve, bool *yes)
{
  double least = 2*LONGEST;
  const double *next = NULL;
  memcpy(s->p->field->full, s->spot, pf_seek_bytes(s));
  pf_seek_place(s, s->u);
  *yes = false;
  for (int i = 0; i < curve->count; i++) {
    const double *u = curve->u + (size_t)i*(size_t)s->numbers, away = pf_seek_distance(s, s->u, u);
    if (away < least) next = u, least = away;
  }
  return next ? pf_seek_connect(s, next, yes) : PF_OK;
}
