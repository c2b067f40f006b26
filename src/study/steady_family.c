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
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    for (int k = 0; k < s->n; k++) row[k] *= pf_seek_scale(s, k);
  }
  const double whole = pf_largest(s->J, s->p->equations*s->n);
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    const double most = fmax(pf_largest(row, s->n), fmax(least*whole, floor));
    for (int k = 0; k < s->n && most > 0; k++) row[k] /= most;
  }
}

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
  if (s->usual == 0) s->usual = s->rounding;
  for (int i = 0; i < s->p->equations; i++) /* by chance rounding may look like none at one place */
    for (int k = 0; k < s->n; k++)
      if (fabs(s->J[i*s->n + k])*pf_seek_scale(s, k) <= 32*s->usual) s->J[i*s->n + k] = 0;
  scale_slopes(s, 0, 0);
  factor_kernel(s, dimension);
  return PF_OK;
}

/* The same for a step, at a fifth of the cost: rounding is taken to be what it was when the kernel was last found. */
static PfStatus guess_kernel(PfSeek *s, int *dimension)
{
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  PF_TRY(pf_problem_slope(s->p, s->J, NULL));
  scale_slopes(s, 1e-3, 1e9*s->rounding);
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

/* Newton's method keeps to the plane across the columns of the kernel from now on. */
static void set_plane(PfSeek *s, int dimension)
{
  s->plane = dimension;
  for (int c = 0; c < dimension; c++)
    for (int k = 0; k < s->n; k++) s->planes[c*s->n + k] = s->kernel[k*dimension + c];
}

/* Newton's method from s->z, to which a step led from the place s->from, across the kernel, of this dimension. */
static PfStatus arrive(PfSeek *s, int dimension, int steps, Along *along)
{
  int before = pf_diagnostic_count(s->ctx);
  bool found = false;
  *along = (Along){0};
  PfStatus status = pf_problem_go(s->p, s->z, NAN, s->r);
  PF_TRY(pf_seek_quietly(s, before, status));
  if (status != PF_OK) return PF_OK;
  pf_seek_place(s, s->aim);
  const double way = pf_seek_distance(s, s->aim, s->from);
  set_plane(s, dimension);
  status = pf_seek_solve(s, (PfSeekWay){.longest = 1, .steps = steps}, &found);
  s->plane = 0;
  PF_TRY(status);
  pf_seek_place(s, s->u);
  along->moved = found && pf_seek_distance(s, s->u, s->from) > 0.3*way;
  along->goes_on = found && pf_seek_distance(s, s->u, s->aim) < 0.3*way;
  return PF_OK;
}

/* From the place s->spot a step in parts of the scales along the kernel, mixed of its columns. */
static PfStatus try_along(PfSeek *s, int dimension, const double *mix, double h, Along *along)
{
  double size = 0;
  PF_TRY(pf_seek_recall(s, s->spot));
  pf_seek_place(s, s->from);
  memset(s->step, 0, (size_t)s->n*sizeof *s->step);
  for (int k = 0; k < s->n; k++) {
    for (int c = 0; c < dimension; c++) s->step[k] += mix[c]*s->kernel[k*dimension + c];
    size = fmax(size, fabs(s->step[k]));
  }
  for (int k = 0; k < s->n; k++) s->z[k] += h/size*s->step[k]*pf_seek_scale(s, k);
  return arrive(s, dimension, 0, along);
}

/* Another solution beside s->spot, from where the last step led, wherever Newton's method goes. */
static PfStatus look_beside(PfSeek *s, const double *aim, double *beside, bool *any)
{
  int before = pf_diagnostic_count(s->ctx);
  bool found = false;
  PfStatus status = pf_seek_put(s, aim);
  PF_TRY(pf_seek_quietly(s, before, status));
  if (status == PF_OK) PF_TRY(pf_seek_solve(s, (PfSeekWay){.longest = 1}, &found));
  pf_seek_place(s, s->u);
  if (!found || pf_seek_distance(s, s->u, s->from) < 0.3*pf_seek_distance(s, aim, s->from)) return PF_OK;
  pf_seek_remember(s, beside);
  *any = true;
  return PF_OK;
}

/* The same both ways, shorter where the family bends much: speeds near 0 beside a wide interval of them. */
static PfStatus step_along(PfSeek *s, int dimension, const double *mix, Along *along)
{
  static const double steps[] = {1e-3, -1e-3, 1e-4};
  *along = (Along){0};
  for (int i = 0; i < 3 && !along->goes_on; i++) PF_TRY(try_along(s, dimension, mix, steps[i], along));
  return PF_OK;
}

/* A kernel may also come from a fold, or from a crossing: a family is one when a step along it leads to another
 * solution. In how many directions it does from the place s->spot, none at a crossing, where it does not in all that
 * are mixed of these; they are the first rows of s->tangents. `beside`: all numbers of another solution, if there is
 * one. The field goes back to s->spot. */
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
    if (along.goes_on) pf_seek_remember(s, beside), *any = true;
    else PF_TRY(look_beside(s, s->aim, beside, any));
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

/* Where families cross, a solution beside the crossing takes its place: there the kernel is smaller. So does one from
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

PfStatus pf_seek_family(PfSeek *s)
{
  PfMark mark = pf_arena_mark(s->p->arena);
  size_t count = (size_t)s->p->field->count;
  double *beside = pf_arena_array(s->p->arena, double, count), *here = pf_arena_array(s->p->arena, double, count);
  double *mix = pf_arena_array(s->p->arena, double, 2*(size_t)s->n);
  PfStatus status = beside && here && mix ? find_family(s, mix, beside, here) : pf_no_room(s->ctx, "steady motions");
  pf_arena_release(s->p->arena, mark);
  return status;
}

/* ---------------------------------------------------------------- steps along a family */

/* The columns of the kernel that go on from the directions of the family, s->tangents, where it is larger; these
 * become the directions here. `dimension` of the kernel before, of the family after. */
static void keep_directions(PfSeek *s, int *dimension)
{
  size_t width = (size_t)s->numbers;
  const int whole = *dimension, count = s->family < whole ? s->family : whole;
  double *line = s->lines + (size_t)whole*width, *column = s->kernel + (size_t)s->n*(size_t)whole;
  for (int d = 0; d < count && count < whole; d++) { /* the new ones are kept apart, behind the others */
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
}

/* The directions of the family where the field is, as rows of s->lines and columns of s->kernel. */
static PfStatus find_directions(PfSeek *s, int *dimension)
{
  PF_TRY(guess_kernel(s, dimension));
  if (*dimension < s->family) PF_TRY(find_kernel(s, dimension)); /* a family does not become smaller */
  PF_TRY(lift_kernel(s, *dimension));
  orthonormalise(s, *dimension, *dimension);
  keep_directions(s, dimension);
  return PF_OK;
}

/* Moves s->z along the family, of `count` dimensions, towards a place, by at most `longest` in parts of the scales; the
 * length of the way. */
static PfStatus step_towards(PfSeek *s, const double *to, double longest, double *length, int *count)
{
  PF_TRY(find_directions(s, count));
  const int dimension = *count;
  pf_seek_place(s, s->from);
  pf_seek_subtract(s, s->from, to, s->other); /* as seen from here: quaternions q and -q are the same */
  memset(s->step, 0, (size_t)s->n*sizeof *s->step);
  for (int c = 0; c < dimension; c++) {
    double part = -pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
    for (int k = 0; k < s->n; k++) s->step[k] += part*s->kernel[k*dimension + c];
  }
  *length = pf_norm(s->step, s->n);
  for (int k = 0; k < s->n; k++) s->z[k] += s->step[k]*pf_seek_scale(s, k)*fmin(1, longest/(*length + 1e-300));
  return PF_OK;
}

/* How far the field is from a place, in the metric of the steps. */
static double left_to(PfSeek *s, const double *to)
{
  pf_seek_place(s, s->u);
  pf_seek_subtract(s, to, s->u, s->other);
  return pf_norm(s->other, s->numbers);
}

/* From the place s->walked along the family towards another one, as near as it comes; s->walked is there then. */
static PfStatus walk(PfSeek *s, const double *to, double enough)
{
  enum { MOST = 150, NEAR_STEPS = 12 }; /* a solution near by takes few steps of Newton's method */
  double longest = 0.5, length;
  PF_TRY(pf_seek_recall(s, s->walked));
  double left = left_to(s, to);
  for (int t = 0; t < MOST && left > enough && !pf_seek_is_spent(s); t++) {
    Along along;
    int dimension;
    PF_TRY(step_towards(s, to, longest, &length, &dimension));
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

static void exchange(double *a, double *b, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const double x = a[i];
    a[i] = b[i], b[i] = x;
  }
}

void pf_seek_exchange(PfSeek *s)
{
  exchange(s->spot, s->met, (size_t)s->p->field->count);
  exchange(s->tangents, s->met_tangents, (size_t)s->family*(size_t)s->numbers);
}

/* Which one of a family is met hangs on the way there: it is exchanged for the one next to the start of the search. */
PfStatus pf_seek_draw_home(PfSeek *s)
{
  memcpy(s->walked, s->spot, pf_seek_bytes(s));
  PF_TRY(walk(s, s->start, 0));
  memcpy(s->spot, s->walked, pf_seek_bytes(s));
  return PF_OK;
}

/* Does the step from s->from to the place of the field lie in the directions in which solutions go on here, but for a
 * curvature? Else it leads over to another family that crosses. */
static PfStatus lies_along(PfSeek *s, bool *yes)
{
  int dimension;
  double kept = 0;
  PF_TRY(find_directions(s, &dimension));
  pf_seek_place(s, s->u);
  pf_seek_subtract(s, s->u, s->from, s->other);
  for (int c = 0; c < dimension; c++) {
    double part = pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
    kept += part*part;
  }
  *yes = kept >= 0.9*pf_dot(s->other, s->other, s->numbers);
  return PF_OK;
}

/* From s->spot straight to a place: each point of the line is drawn to the next solution. It passes where a walk ends
 * in a corner. `room`: twice the numbers of a place. */
static PfStatus go_straight(PfSeek *s, const double *to, double *room, bool *yes)
{
  enum { STEPS = 8, NEAR_STEPS = 12 };
  double *from = room, *way = room + s->numbers;
  PF_TRY(pf_seek_recall(s, s->spot));
  pf_seek_place(s, from);
  memcpy(s->from, from, (size_t)s->numbers*sizeof *from);
  const double whole = pf_seek_distance(s, to, from);
  pf_seek_subtract(s, to, from, way);
  *yes = true;
  for (int t = 1; t <= STEPS && *yes; t++) {
    int before = pf_diagnostic_count(s->ctx);
    for (int i = 0; i < s->numbers; i++) s->aim[i] = from[i] + way[i]*t/STEPS;
    PfStatus status = pf_seek_put(s, s->aim);
    PF_TRY(pf_seek_quietly(s, before, status));
    *yes = status == PF_OK;
    if (*yes) PF_TRY(pf_seek_solve(s, (PfSeekWay){.longest = 1, .steps = NEAR_STEPS}, yes));
    pf_seek_place(s, s->u);
    const double off = pf_seek_distance(s, s->u, s->aim), step = pf_seek_distance(s, s->u, s->from);
    if (!*yes || off > 0.25*whole || step > 2.5*whole/STEPS) return *yes = false, PF_OK;
    PF_TRY(lies_along(s, yes));
    pf_seek_place(s, s->from);
  }
  return PF_OK;
}

static PfStatus connect(PfSeek *s, const double *to, double *room, bool *yes)
{
  memcpy(s->walked, s->spot, pf_seek_bytes(s));
  PF_TRY(walk(s, to, 1e-9));
  pf_seek_place(s, s->u);
  *yes = pf_seek_distance(s, s->u, to) < 1e-6;
  return *yes || pf_seek_is_spent(s) ? PF_OK : go_straight(s, to, room, yes);
}

/* The directions at s->spot are the same afterwards. */
PfStatus pf_seek_connect(PfSeek *s, const double *to, bool *yes)
{
  const size_t size = (size_t)s->family*(size_t)s->numbers;
  PfMark mark = pf_arena_mark(s->p->arena);
  double *directions = pf_arena_array(s->p->arena, double, size);
  double *room = pf_arena_array(s->p->arena, double, 2*(size_t)s->numbers);
  PfStatus status = directions && room ? PF_OK : pf_no_room(s->ctx, "steady motions");
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

/* From the place where the field is along the family of one dimension, on in the direction of s->tangents. */
static PfStatus step_curve(PfSeek *s, double h, bool *good)
{
  int dimension;
  Along along;
  *good = false;
  memcpy(s->tangent, s->tangents, (size_t)s->numbers*sizeof *s->tangent);
  PF_TRY(find_directions(s, &dimension));
  if (!dimension) return PF_OK;
  const double way = pf_dot(s->lines, s->tangent, s->numbers) < 0 ? -1 : 1;
  double size = 0;
  for (int k = 0; k < s->n; k++) size = fmax(size, fabs(s->kernel[k]));
  if (!(size > 0)) return PF_OK;
  pf_seek_place(s, s->from);
  for (int k = 0; k < s->n; k++) s->z[k] += way*h/size*s->kernel[k]*pf_seek_scale(s, k);
  PF_TRY(arrive(s, 1, 12, &along));
  *good = along.goes_on && along.moved;
  if (*good) pf_seek_subtract(s, s->u, s->from, s->tangents);
  else memcpy(s->tangents, s->tangent, (size_t)s->numbers*sizeof *s->tangent);
  return PF_OK;
}

/* Is the place so far from the box of the search that nothing is looked for there? */
static bool is_far(const PfSeek *s, const double *u)
{
  for (int i = 0; i < s->numbers; i++) {
    if (!isfinite(s->scale[i]) || (i < s->p->field->n && s->p->turns[i])) continue;
    if (fabs(u[i] - 0.5*(s->low[i] + s->high[i])) > FARTHEST*s->scale[i]) return true;
  }
  return false;
}

/* One half of the curve through s->spot, in the direction of s->tangents: until it closes, leads far away or ends. */
static PfStatus follow(PfSeek *s, PfSeekCurve *curve)
{
  const int room = curve->count + MOST_CURVE;
  double h = LONGEST;
  bool away = false; /* from where it began */
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
    if (is_far(s, u)) break;
    curve->count++;
    const double from_first = pf_seek_distance(s, u, curve->u);
    away = away || from_first > 2*LONGEST;
    curve->closed = away && from_first < LONGEST;
  }
  return PF_OK;
}

PfStatus pf_seek_trace(PfSeek *s, PfSeekCurve *curve)
{
  size_t width = (size_t)s->numbers;
  double *line = pf_arena_array(s->arena, double, width);
  *curve = (PfSeekCurve){.u = pf_arena_array(s->arena, double, (2*MOST_CURVE + 1)*width)};
  if (!curve->u || !line) return pf_no_room(s->ctx, "steady motions");
  memcpy(line, s->tangents, width*sizeof *line);
  PF_TRY(pf_seek_recall(s, s->spot));
  pf_seek_place(s, curve->u);
  curve->count = 1;
  for (int way = 1; way >= -1 && !curve->closed; way -= 2) {
    for (int i = 0; i < s->numbers; i++) s->tangents[i] = isfinite(s->scale[i]) ? way*line[i] : 0;
    PF_TRY(follow(s, curve));
  }
  memcpy(s->tangents, line, width*sizeof *line);
  PF_TRY(pf_seek_recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

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
