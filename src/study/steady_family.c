/* SPDX-License-Identifier: Apache-2.0 */
/* Families of steady motions: their dimension and directions, the member next to the start, and which solutions belong
 * to one of them. */
#include "study/steady_impl.h"

#include <math.h>
#include <string.h>

/* J for unknowns in parts of their scales, and every rate in parts of its largest slope. */
static void scale_slopes(PfSeek *s)
{
  for (int i = 0; i < s->p->equations; i++) {
    double *row = s->J + (size_t)i*(size_t)s->n;
    for (int k = 0; k < s->n; k++) row[k] *= pf_seek_scale(s, k);
    double most = pf_largest(row, s->n);
    for (int k = 0; k < s->n && most > 0; k++) row[k] /= most;
  }
}

/* Dimension of the kernel of J where the field is, with its basis in s->kernel, in parts of the scales. */
static PfStatus find_kernel(PfSeek *s, int *dimension)
{
  *dimension = 0;
  PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
  PF_TRY(pf_problem_clean_slope(s->p, s->J));
  scale_slopes(s);
  s->qr.m = s->p->equations;
  if (pf_qr_factor(&s->qr, s->J, 1e-8) != PF_OK) return PF_OK;
  *dimension = s->n - s->qr.rank;
  pf_qr_null_space(&s->qr, s->kernel);
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

/* A kernel may also come from a fold: a family is one when a step along it leads to another solution. In how many
 * directions it does from the place s->spot; these are the first rows of s->lines. The field goes back there. */
PfStatus pf_seek_family(PfSeek *s, int *family)
{
  int dimension, count = 0;
  PF_TRY(pf_seek_recall(s, s->spot));
  pf_seek_place(s, s->u);
  PF_TRY(find_kernel(s, &dimension));
  PF_TRY(lift_kernel(s, dimension));
  for (int c = 0; c < dimension; c++) {
    bool found;
    double size = 0;
    PF_TRY(pf_seek_recall(s, s->spot));
    PF_TRY(pf_problem_go(s->p, s->z, NAN, s->r));
    for (int k = 0; k < s->n; k++) size = fmax(size, fabs(s->kernel[k*dimension + c]));
    for (int k = 0; k < s->n; k++) s->z[k] += 1e-3/size*s->kernel[k*dimension + c]*pf_seek_scale(s, k);
    PF_TRY(pf_seek_solve(s, (PfSeekWay){.longest = 1}, &found));
    pf_seek_place(s, s->u);
    memcpy(s->other, s->u, (size_t)s->numbers*sizeof *s->u);
    memcpy(s->p->field->full, s->spot, pf_seek_bytes(s));
    pf_seek_place(s, s->u);
    if (!found || !(pf_seek_distance(s, s->other, s->u) > 3e-4)) continue;
    if (c > count)
      memcpy(s->lines + (size_t)count*(size_t)s->numbers, s->lines + (size_t)c*(size_t)s->numbers,
             (size_t)s->numbers*sizeof *s->lines);
    count++;
  }
  *family = count;
  PF_TRY(pf_seek_recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Orthonormal rows in s->lines, in the metric by which places are near; the kernel takes part. */
static void orthonormalise(PfSeek *s, int dimension)
{
  size_t width = (size_t)s->numbers;
  for (int c = 0; c < dimension; c++) {
    double *line = s->lines + (size_t)c*width;
    for (int i = 0; i < s->numbers; i++)
      if (!isfinite(s->scale[i])) line[i] = 0;
    for (int b = 0; b < c; b++) {
      double part = pf_dot(line, s->lines + (size_t)b*width, s->numbers);
      for (int i = 0; i < s->numbers; i++) line[i] -= part*s->lines[(size_t)b*width + (size_t)i];
      for (int k = 0; k < s->n; k++) s->kernel[k*dimension + c] -= part*s->kernel[k*dimension + b];
    }
    double length = pf_norm(line, s->numbers);
    if (!(length > 0)) continue;
    for (int i = 0; i < s->numbers; i++) line[i] /= length;
    for (int k = 0; k < s->n; k++) s->kernel[k*dimension + c] /= length;
  }
}

/* Moves s->z along the family towards the start of the search, at most half a unit of scale; the length of the way, and
 * the dimension of the kernel here. */
static PfStatus step_home(PfSeek *s, double *length, int *dimension)
{
  PF_TRY(find_kernel(s, dimension));
  PF_TRY(lift_kernel(s, *dimension));
  orthonormalise(s, *dimension);
  pf_seek_place(s, s->u);
  pf_seek_subtract(s, s->start, s->u, s->other);
  memset(s->step, 0, (size_t)s->n*sizeof *s->step);
  for (int c = 0; c < *dimension; c++) {
    double part = pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
    for (int k = 0; k < s->n; k++) s->step[k] += part*s->kernel[k**dimension + c];
  }
  *length = pf_norm(s->step, s->n);
  for (int k = 0; k < s->n; k++) s->z[k] += s->step[k]*pf_seek_scale(s, k)*fmin(1, 0.5/(*length + 1e-300));
  return PF_OK;
}

/* Which one of a family is met hangs on the way there: it is exchanged for the one next to the start of the search. The
 * place is s->spot, before and after. It ends where another family crosses: the kernel is larger there. */
PfStatus pf_seek_draw_home(PfSeek *s)
{
  enum { MOST = 100 };
  int first = -1;
  for (int t = 0; t < MOST; t++) {
    bool found;
    int dimension;
    double length;
    PF_TRY(step_home(s, &length, &dimension));
    if (first < 0) first = dimension;
    if (dimension != first) break;
    pf_seek_remember(s, s->spot);
    if (length < 1e-12) break;
    PF_TRY(pf_seek_solve(s, (PfSeekWay){.longest = 1}, &found));
    if (!found) break;
  }
  PF_TRY(pf_seek_recall(s, s->spot));
  return pf_problem_go(s->p, s->z, NAN, s->r);
}

/* Does the step from `from` to s->u lie in the directions in which solutions go on where the field is, but for a
 * curvature? Else it leads over to another family that crosses. */
static PfStatus goes_on(PfSeek *s, const double *from, bool *yes)
{
  int dimension;
  double whole = 0, kept = 0;
  PF_TRY(find_kernel(s, &dimension));
  PF_TRY(lift_kernel(s, dimension));
  orthonormalise(s, dimension);
  pf_seek_place(s, s->u);
  pf_seek_subtract(s, s->u, from, s->other);
  whole = pf_dot(s->other, s->other, s->numbers);
  for (int c = 0; c < dimension; c++) {
    double part = pf_dot(s->lines + (size_t)c*(size_t)s->numbers, s->other, s->numbers);
    kept += part*part;
  }
  *yes = kept >= 0.6*whole;
  return PF_OK;
}

/* Can one go from the place s->spot to the place `to` through solutions? Along the straight line between them, each
 * point drawn to the nearest one. `room`: 4 times the numbers of a place. */
PfStatus pf_seek_connect(PfSeek *s, const double *to, double *room, bool *yes)
{
  enum { STEPS = 8, NEAR_STEPS = 12 }; /* a solution near by takes few steps of Newton's method */
  size_t bytes = (size_t)s->numbers*sizeof *room;
  double *from = room, *way = room + s->numbers, *last = way + s->numbers, *aim = last + s->numbers;
  memcpy(s->p->field->full, s->spot, pf_seek_bytes(s));
  pf_seek_place(s, from);
  double whole = pf_seek_distance(s, to, from);
  pf_seek_subtract(s, to, from, way);
  memcpy(last, from, bytes);
  *yes = true;
  for (int t = 1; t <= STEPS && *yes; t++) {
    int before = pf_diagnostic_count(s->ctx);
    for (int i = 0; i < s->numbers; i++) aim[i] = from[i] + way[i]*t/STEPS;
    PfStatus status = pf_seek_put(s, aim);
    PF_TRY(pf_seek_quietly(s, before, status));
    *yes = status == PF_OK;
    if (*yes) PF_TRY(pf_seek_solve(s, (PfSeekWay){.longest = 1, .steps = NEAR_STEPS}, yes));
    pf_seek_place(s, s->u);
    if (!*yes || pf_seek_distance(s, s->u, aim) > 0.5*whole) return *yes = false, PF_OK;
    PF_TRY(goes_on(s, last, yes));
    pf_seek_place(s, last);
  }
  return PF_OK;
}
