/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues in the complex plane, and over a parameter. */
#include "task/linear_chart.h"

#include "out/chart.h"

#include <math.h>

enum { MOST_TOLD = 8, ROOM = 80, FEW = 20 };

/* ---------------------------------------------------------------- the complex plane */

/* A real eigenvalue or a conjugate pair, as often as it occurs. */
typedef struct Mode {
  double re[2], im[2];
  int times;
} Mode;

static bool is_near(double a, double b, double size)
{
  return fabs(a - b) <= 1e-7*size;
}

/* The different ones, of each pair the one above. Multiple eigenvalues are only found to half the digits. */
static int list_modes(const PfLinear *linear, Mode *modes)
{
  double size = 0;
  int count = 0;
  for (int k = 0; k < linear->states; k++) size = fmax(size, hypot(linear->re[k], linear->im[k]));
  for (int k = 0; k < linear->states; k++) {
    int i = 0;
    if (linear->im[k] < 0) continue;
    while (i < count && !(is_near(modes[i].re[0], linear->re[k], size) && is_near(modes[i].im[0], linear->im[k], size)))
      i++;
    if (i == count)
      modes[count++] = (Mode){.re = {linear->re[k], linear->re[k]}, .im = {linear->im[k], -linear->im[k]}};
    modes[i].times++;
  }
  return count;
}

/* "−0.05 ± 0.11i", "0 (3 times)". */
static const char *mode_label(const Study *st, const Mode *m, double size)
{
  char *label = pf_arena_alloc(st->s.arena, ROOM, 1);
  double re = pf_without_noise(m->re[0], size);
  if (!label) return "";
  int used = snprintf(label, ROOM, "%s%.4g", (re < 0 ? "−" : ""), fabs(re));
  if (m->im[0] > 0) used += snprintf(label + used, (size_t)(ROOM - used), " ± %.4gi", m->im[0]);
  if (m->times > 1) snprintf(label + used, (size_t)(ROOM - used), " (%d times)", m->times);
  return label;
}

PfStatus pf_linear_plane(const Study *st, const char *title, const PfLinear *linear, PfText *text)
{
  Mode *modes = pf_arena_array(st->s.arena, Mode, linear->states);
  PfSeries *list = pf_arena_array(st->s.arena, PfSeries, linear->states);
  double size = 0;
  if (!modes || !list) return pf_no_room(st->s.ctx, "the picture");
  int count = list_modes(linear, modes);
  for (int i = 0; i < count; i++) size = fmax(size, hypot(modes[i].re[0], modes[i].im[0]));
  for (int i = 0; i < count; i++) {
    const Mode *m = modes + i;
    bool pair = m->im[0] > 0;
    list[i] = (PfSeries){.count = pair ? 2 : 1, .x = m->re, .y = m->im, .color = count > MOST_TOLD ? pair : i,
                         .mark = pair ? PF_MARK_RING : PF_MARK_BOX};
    list[i].note = count <= MOST_TOLD ? mode_label(st, m, size) : pair ? "conjugate pair" : "real";
  }
  PfChart chart = {.title = title, .x_label = "real part [1/s]", .y_label = "imaginary part [1/s]", .count = count,
                   .series = list};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- over a parameter */

typedef enum Part { PAIR_IMAGINARY, PAIR_REAL, REAL, PARTS } Part;

static double part_of(const PfLinear *linear, int k, Part part)
{
  double im = linear->im[k];
  if (part == REAL) return im == 0 ? linear->re[k] : NAN;
  if (!(im > 0)) return NAN; /* one of each pair */
  return part == PAIR_REAL ? linear->re[k] : im;
}

static PfStatus make_part(const Study *st, const LinearSweep *sweep, Part part, PfSeries *series)
{
  static const char *const names[] = {"imaginary part of a pair", "real part of a pair", "real eigenvalue"};
  static const PfMarkShape shapes[] = {PF_MARK_PEAK, PF_MARK_RING, PF_MARK_BOX};
  static const int colors[] = {1, 2, 0};
  int count = 0;
  for (int p = 0; p < sweep->count; p++) count += sweep->points[p]->states;
  double *x = pf_arena_array(st->s.arena, double, count), *y = pf_arena_array(st->s.arena, double, count);
  if (!x || !y) return pf_no_room(st->s.ctx, "the picture");
  count = 0;
  for (int p = 0; p < sweep->count; p++)
    for (int k = 0; k < sweep->points[p]->states; k++) {
      double value = part_of(sweep->points[p], k, part);
      if (isnan(value)) continue;
      x[count] = sweep->at[p];
      y[count++] = value;
    }
  *series = (PfSeries){.count = count, .x = x, .y = y, .label = count ? names[part] : NULL, .color = colors[part],
                       .mark = sweep->count > FEW ? PF_MARK_DOT : shapes[part]};
  return PF_OK;
}

PfStatus pf_linear_sweep(const Study *st, const LinearSweep *sweep, PfText *text)
{
  PfSeries list[PARTS];
  for (int part = 0; part < PARTS; part++) PF_TRY(make_part(st, sweep, (Part)part, list + part));
  PfChart chart = {.title = sweep->title, .x_label = sweep->along, .y_label = "eigenvalues [1/s]", .count = PARTS,
                   .series = list};
  pf_svg_chart(text, &chart);
  return PF_OK;
}
